// Import status of the parts of a model: a table on the terminal, lists of JSON, a page.
#ifndef HN_CLI_FATES_H
#define HN_CLI_FATES_H

#include "cli.h"

// Items of an import or of an export; one of the two is null.
typedef struct hn_cli_fates {
  const hn_import *import;
  const hn_export *made;
} hn_cli_fates;

int hn_cli_fate_count(const hn_cli_fates *fates, hn_import_fate fate);
hn_import_item hn_cli_fate_at(const hn_cli_fates *fates, hn_import_fate fate, int index);
const char *hn_cli_fate_word(hn_import_fate fate);
void hn_cli_print_fates(const hn_cli_fates *fates); // all but those that are used
void hn_cli_json_fates(hn_cli_json *json, const hn_cli_fates *fates);
// With --strict: the exit code after reporting the first loss, or -1 without losses.
int hn_cli_refuse_losses(const hn_cli_fates *fates, int as_json, const char *advice);

#endif
