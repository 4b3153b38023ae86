// Curves of a tyre as a drawing.
#ifndef HN_CLI_TYRE_H
#define HN_CLI_TYRE_H

#include "cli.h"

// The usual four: Fx over kappa, Fy and Mz over alpha at three loads, and Fy over Fx at slip angles.
void hn_cli_add_tyre_curves(hn_cli_text *text, const hn_tyre *tyre, const char *title, double load,
                            hn_tyre_axes axes);

#endif
