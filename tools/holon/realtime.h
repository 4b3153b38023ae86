// `holon run --realtime`: the loop paced by the clock, and what it tells.
#ifndef HN_CLI_REALTIME_H
#define HN_CLI_REALTIME_H

#include "session.h"

double hn_cli_loop_clock(void *unused); // seconds of CLOCK_MONOTONIC, for hn_realtime_options
// What --realtime means beside the options of the simulation.
hn_realtime_options hn_cli_realtime_options(const hn_cli_session *session,
                                            const hn_simulation_options *simulation);

// Steps to the end of the grid, one a period of the clock or as fast as they go; session->error tells
// why it ended early. Results have their memory before the first step.
void hn_cli_pace(hn_cli_session *session, hn_cli_recording *recording, hn_cli_outcome *outcome);

// Lines of the summary, with the histogram; the same for the report; an object of the JSON.
void hn_cli_add_pace_lines(hn_cli_text *text, const hn_cli_session *session,
                           const hn_cli_outcome *outcome);
void hn_cli_json_pace_report(hn_cli_json *json, const hn_cli_session *session,
                             const hn_cli_outcome *outcome);
void hn_cli_json_pace(hn_cli_json *json, const hn_cli_outcome *outcome);

#endif
