// Common parts of verify and compare: the formulations of --among, lists of numbers, the progress
// line.
#ifndef HN_CLI_AMONG_H
#define HN_CLI_AMONG_H

#include "session.h"

// Formulations that match one of the items (hn_formulation_matches). No items: every one that is built.
// Returns how many, or -1 after a message about an item that matches none. *list is to be freed.
int hn_cli_among(const char *command, const hn_cli_list *items, hn_formulation **list);

// Numbers above 0 between commas, in all items; times may carry units. Returns how many, or -1 after a
// message. *list is to be freed.
int hn_cli_numbers(const char *command, const char *option, const hn_cli_list *items,
                   double **list);

// "2 of 5: relative/descriptor/sdirk4-16   40 %" on a terminal.
typedef struct hn_cli_progress {
  int is_shown;
  double drawn; // clock, s
} hn_cli_progress;
hn_cli_progress hn_cli_progress_begin(const hn_cli_settings *settings);
// 0 when the user wants to end.
int hn_cli_progress_show(hn_cli_progress *line, const char *what, double share);
void hn_cli_progress_end(const hn_cli_progress *line);
double hn_cli_clock(void); // s, of the calendar

// Where the command writes: -o, or out/NAME-command. Null with --json and without -o. To be freed.
char *hn_cli_study_folder(const hn_cli_session *session, const char *command);
// Makes that folder before the work starts. Returns -1, or the exit code after a message.
int hn_cli_prepare_study(hn_cli_session *session, const char *command);
// Writes one file into the folder; the error goes to stderr.
hn_status hn_cli_write_into(const char *folder, const char *name, const hn_cli_text *text,
                            hn_error *error);

// The options of `holon run` that make this run again, as they would be typed: " --coordinates ...".
void hn_cli_add_run_options(hn_cli_text *text, const hn_formulation *f, double tol, double step);
// "holon run MODEL --set ..." in front of them.
void hn_cli_add_run_call(hn_cli_text *text, const hn_cli_settings *settings,
                         const hn_formulation *f, double tol, double step);

#endif
