// Pages for people: a template of viewer/ with data inside. Words and drawings are the template's;
// the command gives facts as one JSON object.
#ifndef HN_CLI_PAGE_H
#define HN_CLI_PAGE_H

#include "folder.h"
#include "session.h"

// Opens the object and says what page it is for; session may be null. kind: "report", "verify",
// "compare", "linearize", "import".
void hn_cli_page_begin(hn_cli_json *json, const char *kind, const hn_cli_session *session);
// Closes the object, adds the page to text and frees the JSON. film: the machine in 3-D, or null.
void hn_cli_page_end(hn_cli_json *json, const hn_cli_folder *film, hn_cli_text *text);

// {"name": ..., "unit": ..., "time": [...], "values": [...]} in an array. Rows beyond what a plot can
// show are joined: the least and the largest value of each group stay.
void hn_cli_json_series(hn_cli_json *json, const char *name, const char *unit, const double *time,
                        const double *values, int count);

#endif
