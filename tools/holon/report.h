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

// "topology": bodies, joints and forces, for the drawing of the joint graph.
void hn_cli_json_topology(hn_cli_json *json, const hn_cli_session *session);

// "verdict": grade, reasons, everything that was checked, and redundancy.
void hn_cli_json_verdict(hn_cli_json *json, const hn_cli_session *session,
                         const hn_verdict *verdict);

// Figures of the model: lines of the summary; numbers and curves as JSON. rows may be null.
void hn_cli_add_figures(hn_cli_text *text, const hn_model *model, const hn_results *rows);
void hn_cli_json_figures(hn_cli_json *json, const hn_model *model, const hn_results *rows);
void hn_cli_json_curves(hn_cli_json *json, const hn_model *model, const hn_results *rows);

#endif
