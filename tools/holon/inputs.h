// Values for the model's inputs from the command line: `--input NAME=VALUE`, `--input TABLE.csv`.
#ifndef HN_CLI_INPUTS_H
#define HN_CLI_INPUTS_H

#include "session.h"

// Reads what was given, and gives what holds from the start. Returns -1, or the exit code after telling
// what is wrong.
int hn_cli_inputs_open(hn_cli_session *session);
void hn_cli_inputs_close(hn_cli_session *session);
// After a state was restored: values given hold from there on, what nobody gives stays where it is.
hn_status hn_cli_inputs_resume(hn_cli_session *session);
// The tables, for the plan of a run; returns how many there are.
int hn_cli_inputs_tables(const hn_cli_session *session, const hn_input_table **tables);

// What `holon check` tells of them: a line of words; a member of the JSON. Nothing without inputs.
void hn_cli_inputs_print(const hn_model *model);
void hn_cli_inputs_json(hn_cli_json *json, const hn_model *model);

#endif
