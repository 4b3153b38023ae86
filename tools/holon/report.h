// The report of a run: one HTML page with everything inside.
#ifndef HN_CLI_REPORT_H
#define HN_CLI_REPORT_H

#include "session.h"

// shown: outputs, energy, constraints and steps over time. error: why the run ended early, if it
// did.
void hn_cli_add_report(hn_cli_text *text, const hn_cli_session *session, const hn_results *shown,
                       const hn_cli_outcome *outcome, const hn_error *error);

// ---- parts, each in its own file ----------------------------------------------------------------

void hn_cli_add_page_style(hn_cli_text *text);  // the rules inside <style>
void hn_cli_add_page_script(hn_cli_text *text); // what reads values under the pointer

// Bodies and joints as a drawing, ground at the left.
void hn_cli_add_topology(hn_cli_text *text, const hn_cli_session *session);

// Green, amber, red.
typedef enum hn_cli_grade { HN_CLI_GOOD, HN_CLI_NOTE, HN_CLI_BAD } hn_cli_grade;
// The table of what was checked, in words. Returns the worst grade.
hn_cli_grade hn_cli_add_verdicts(hn_cli_text *text, const hn_cli_session *session,
                                 const hn_cli_outcome *outcome);
const char *hn_cli_grade_class(hn_cli_grade grade); // of the page's style

#endif
