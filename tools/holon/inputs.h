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
// Gives the rows of tables that the present time has reached: straight from there to the next row.
// session->error tells what cannot be given.
hn_status hn_cli_inputs_give(hn_cli_session *session);
// The time of the next row, where a step has to end; HUGE_VAL: none.
double hn_cli_inputs_next(const hn_cli_session *session);

// What `holon check` tells of them: a line of words; a member of the JSON. Nothing without inputs.
void hn_cli_inputs_print(const hn_model *model);
void hn_cli_inputs_json(hn_cli_json *json, const hn_model *model);

#endif
