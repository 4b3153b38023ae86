// What `holon check` tells of the model's inputs: a line of words; a member of the JSON. Nothing
// without inputs.
#ifndef HN_CLI_INPUTS_H
#define HN_CLI_INPUTS_H

#include "cli.h"

void hn_cli_inputs_print(const hn_model *model);
void hn_cli_inputs_json(hn_cli_json *json, const hn_model *model);

#endif
