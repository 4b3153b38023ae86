// Common declarations of the command: exit codes, commands, options, text, files, messages.
//
// The command uses the public headers of the library, and base/ for texts, JSON and files. Names
// start with hn_cli_ to avoid clashes with internal names of the static library.
#ifndef HN_CLI_H
#define HN_CLI_H

#include "base/excerpt.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "holon/holon.h"
#include "platform/files.h"

#include <stddef.h>

// ---- exit codes ---------------------------------------------------------------------------------

#define HN_CLI_DONE 0
#define HN_CLI_FAILED 1 // the run or the check failed
#define HN_CLI_WRONG 2  // the call or the model file is wrong

// The exit code for a status that loading, creating or running gave.
int hn_cli_exit_code(hn_status status);

// ---- text that grows ----------------------------------------------------------------------------

// A hn_string whose memory runs out ends the program with a message.
typedef hn_string hn_cli_text;
typedef hn_json_writer hn_cli_json;

void hn_cli_add(hn_cli_text *text, const char *format, ...) HN_PRINTF(2, 3);
void hn_cli_add_bytes(hn_cli_text *text, const char *bytes, size_t length);
// A name of a model as the name of a file or folder: never a path, never hidden.
void hn_cli_add_file_name(hn_cli_text *text, const char *name);
void hn_cli_add_shell_word(hn_cli_text *text, const char *word); // quoted where needed
void hn_cli_check_text(const hn_cli_text *text);                 // ends the program when it is lost

_Noreturn void hn_cli_out_of_memory(void);        // says so and ends the program
void *hn_cli_allocate(size_t count, size_t size); // zeroed; ends the program without memory
char *hn_cli_copy(const char *string);
// Next to the command, as built, or in ../lib/holon, ../lib/*/holon as installed; null: not there.
char *hn_cli_find_beside(const char *name);
char *hn_cli_full_path(const char *path); // from the root, without "." and ".."; to be freed
char *hn_cli_join(const char *folder, const char *name); // "folder/name", to be freed

// Among the words (null-terminated list) the one nearest to word, or null when none is near.
const char *hn_cli_nearest(const char *word, const char *const *words);

// Prints with an end of line on stdout and frees the text.
void hn_cli_json_print(hn_cli_json *json);

// ---- messages -----------------------------------------------------------------------------------

// Fills *error and returns its status.
hn_status hn_cli_fail(hn_error *error, hn_status status, const char *hint, const char *format, ...)
    HN_PRINTF(4, 5);
// On stderr: the message, its hint, and the line of the file with a caret.
void hn_cli_print_error(const hn_error *error);
// Options as the command line writes them.
void hn_cli_render(hn_error *error);
// {"status": "failed", "time": t, "error": {...}}; the object stays open for more members.
void hn_cli_json_failure(hn_cli_json *json, double time, const hn_error *error);
// As the caller asked, JSON on stdout or words on stderr. Returns the exit code.
int hn_cli_report_failure(int as_json, double time, const hn_error *error);
// The same with errors after the first, in JSON all of them as "errors".
int hn_cli_report_failures(int as_json, const hn_error *error, const hn_error *more, int count);
// Errors of a wrong call are JSON too if JSON was requested: checked before the options are read.
void hn_cli_expect_json(int argc, char **argv);
// A mistake in the call: words on stderr, or JSON on stdout; always HN_CLI_WRONG. command may be
// null. Lines of the message after the first are advice.
int hn_cli_wrong_call(const char *command, const char *format, ...) HN_PRINTF(2, 3);
// Warnings of the model, and of the simulation when not null, on stderr: at most so many of each.
void hn_cli_print_warnings(const hn_model *model, const hn_simulation *simulation, int most);

// ---- options ------------------------------------------------------------------------------------

typedef enum hn_cli_kind {
  HN_CLI_FLAG,     // int: 1 when given
  HN_CLI_POSITIVE, // double: a number above 0
  HN_CLI_NUMBER,   // const char *: any finite number, as it was written
  HN_CLI_TIME,     // double: the same in seconds, or with a unit behind it: "20 ms"
  HN_CLI_COUNT,    // int: a whole number above 0
  HN_CLI_COUNT_0,  // int: the same, or 0
  HN_CLI_LONG,     // long: a whole number above 0, also as 1e9
  HN_CLI_STRING,   // const char *
  HN_CLI_LIST,     // hn_cli_list: may be given again and again
  HN_CLI_ROW,      // hn_simulation_options: the option of the library with this name (hn_cli_row)
  HN_CLI_ROWS,     // hn_simulation_options: all that belong to the command line (hn_cli_rows)
} hn_cli_kind;

typedef struct hn_cli_list {
  const char **items;
  int count;
} hn_cli_list;

typedef struct hn_cli_option {
  const char *name; // without the two dashes; null ends a table
  char letter;      // of the short form, 0: none
  hn_cli_kind kind;
  void *target;
  const char *argument;              // its name in the help, null for a flag
  const char *help;                  // one line
  const char *(*choices)(int index); // the only values allowed, null past the end; or null
} hn_cli_option;

// Options of a run have one list (holon/options.h): one of them, with a sentence of its own or
// null, and all. They are written into *options.
hn_cli_option hn_cli_row(hn_simulation_options *options, const char *name, const char *help);
hn_cli_option hn_cli_rows(hn_simulation_options *options);

typedef struct hn_cli_command {
  const char *name;
  const char *arguments; // "MODEL"
  const char *summary;   // one line, for the list of commands
  const char *details;   // whole lines, may be empty
  const char *example;   // whole lines
  int (*run)(const struct hn_cli_command *command, int argc, char **argv);
} hn_cli_command;

extern const hn_cli_command hn_cli_run_command, hn_cli_check_command, hn_cli_statics_command,
    hn_cli_kinematics_command, hn_cli_list_command, hn_cli_plot_command, hn_cli_schema_command,
    hn_cli_view_command, hn_cli_export_command, hn_cli_component_command, hn_cli_verify_command,
    hn_cli_compare_command, hn_cli_sweep_command, hn_cli_import_command, hn_cli_tyre_command,
    hn_cli_linearize_command, hn_cli_inverse_command, hn_cli_live_command, hn_cli_fmu_command;

// Reads the options into their targets and the other words into *words. Returns -1 to continue, or
// the exit code: after --help, or after a message about the error. minimum and maximum bound the
// number of words.
int hn_cli_parse(const hn_cli_command *command, const hn_cli_option *options, int argc, char **argv,
                 hn_cli_list *words, int minimum, int maximum);
// The same for commands of one word, which lives as long as argv.
int hn_cli_parse_one(const hn_cli_command *command, const hn_cli_option *options, int argc,
                     char **argv, const char **word);
void hn_cli_list_free(hn_cli_list *list);
void hn_cli_list_add(hn_cli_list *list, const char *item); // not copied

// Forms of --help: text for people, or lines from which the manual page and the completion are
// made.
typedef enum hn_cli_form { HN_CLI_WORDS, HN_CLI_MANUAL, HN_CLI_COMPLETION } hn_cli_form;
void hn_cli_set_form(hn_cli_form form);
// One option in that form (describe.c).
void hn_cli_describe(hn_cli_form form, const hn_cli_command *command, const hn_cli_option *options);
// The index-th word it may be; null past the end, or when it takes any.
const char *hn_cli_option_word(const hn_cli_option *option, int index);
// With its default behind it, where the row has one: "longest step (none)"; to be freed.
char *hn_cli_option_help(const hn_cli_option *option);

#endif
