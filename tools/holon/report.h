// The report of a run: one HTML page with everything inside.
#ifndef HN_CLI_REPORT_H
#define HN_CLI_REPORT_H

#include "folder.h"
#include "session.h"

// shown: outputs, energy, constraints and steps over time. error: why the run ended early, if it
// did. film: scene and motion for the picture and the 3-D view, or null.
void hn_cli_add_report(hn_cli_text *text, const hn_cli_session *session, const hn_results *shown,
                       const hn_cli_outcome *outcome, const hn_error *error,
                       const hn_cli_folder *film);

// ---- parts, each in its own file ----------------------------------------------------------------

void hn_cli_add_page_style(hn_cli_text *text);  // the rules inside <style>
void hn_cli_add_page_script(hn_cli_text *text); // what reads values under the pointer

// Bodies and joints as a drawing, ground at the left.
void hn_cli_add_topology(hn_cli_text *text, const hn_cli_session *session);

// The table of what was checked, and of redundancy.
void hn_cli_add_verdict_table(hn_cli_text *text, const hn_cli_session *session,
                              const hn_verdict *verdict);
const char *hn_cli_grade_class(hn_grade grade); // of the page's style: green, amber, red

#endif
