// The parts of `holon compare`.
#ifndef HN_CLI_COMPARE_H
#define HN_CLI_COMPARE_H

#include "among.h"

typedef hn_comparison hn_cli_comparison;
typedef hn_compare_point hn_cli_point;
typedef hn_recommendation hn_cli_recommendation;

// Why no run keeps an accuracy, and what may help.
const char *hn_cli_why_none(const hn_cli_comparison *c, double accuracy);

void hn_cli_add_compare_json(hn_cli_json *json, const hn_cli_session *session,
                             const hn_cli_comparison *c);
void hn_cli_print_compare(const hn_cli_session *session, const hn_cli_comparison *c);

const char *hn_cli_point_name(const hn_cli_comparison *c, const hn_cli_point *p, char *text,
                              size_t size);

#endif
