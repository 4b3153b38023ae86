// Running the built command from a test, and checking what it prints: JSON and XML are checked by
// small readers of our own, so that no other program is needed.
#ifndef HN_TESTS_SUPPORT_COMMAND_H
#define HN_TESTS_SUPPORT_COMMAND_H

#include "holon/base.h"

typedef struct hn_command {
  int code;        // exit code; 128 + n when signal n ended it
  char *out, *err; // what it printed, never null
} hn_command;

// Runs "holon" with these words, through the shell, in the folder of the sources.
hn_command hn_run_holon(const char *format, ...) HN_PRINTF(1, 2);
// The same for any line of the shell, in which "$HOLON" is the command; in another folder.
hn_command hn_run_shell(const char *folder, const char *format, ...) HN_PRINTF(2, 3);
void hn_command_free(hn_command *command);

// A fresh empty folder for this test's files; removed and created on every call.
const char *hn_fresh_folder_in(const char *parent, const char *name);
static inline const char *hn_fresh_folder(const char *name) {
  return hn_fresh_folder_in(HOLON_TEST_OUTPUT_DIR, name);
}
int hn_file_exists(const char *path);
char *hn_read_text(const char *path); // to be freed; null when it cannot be read

// Null when the text is one JSON value and nothing else; or what is wrong.
const char *hn_json_fault(const char *text);
// The value at "certificate/steps/accepted" ("redundant/0/joint" in arrays), strings with their
// quotes taken off, into a buffer. Returns 0 if it does not exist.
int hn_json_value(const char *text, const char *path, char *value, size_t size);
double hn_json_number_in(const char *text, const char *path); // not a number if it does not exist
int hn_json_count(const char *text, const char *path); // members of an object or array, or -1

// Null when tags nest, attributes are quoted and entities are known; or what is wrong.
const char *hn_xml_fault(const char *text);

#endif
