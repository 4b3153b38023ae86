// Curves of a tyre as a drawing.
#ifndef HN_CLI_TYRE_H
#define HN_CLI_TYRE_H

#include "cli.h"

// The usual four: Fx over kappa, Fy and Mz over alpha at three loads, and Fy over Fx at slip angles.
hn_status hn_cli_write_tyre_plot(const char *path, const hn_tyre *tyre, const char *title,
                                 double load, hn_tyre_axes axes, hn_error *error);

#endif
