// Common declarations of `holon linearize`.
#ifndef HN_CLI_LINEARIZE_H
#define HN_CLI_LINEARIZE_H

#include "session.h"

typedef struct hn_cli_linearize {
  hn_cli_settings settings;
  const char *at;               // "start", "drawing", "equilibrium", a time; null: operating point
  hn_operating_point point;     // with `at` null
  const char *inputs, *outputs; // names between commas
  const char *mat, *npz, *plot; // files
  const char *shapes;           // a folder for animations
  const char *campbell;         // NAME=FROM:TO:COUNT
  const char *response, *frequencies; // an input, FROM:TO:COUNT in Hz
  double amplitude;
  int modes, dense;
  hn_cli_text words; // as it was called
} hn_cli_linearize;

// Opens the session and brings its model to the state. Returns -1, or the exit code after reporting
// an error.
int hn_cli_linearize_open(hn_cli_session *session, hn_cli_linearize *call);
// Prints why no equilibrium was found, or what was left out for one; where: "NAME=VALUE: " or "".
void hn_cli_linearize_warn(const hn_cli_linearize *call, const char *where);
// The linearization there; null after telling why not.
hn_linear *hn_cli_linearize_there(hn_cli_session *session, const hn_cli_linearize *call);

void hn_cli_add_linearize_json(hn_cli_json *json, const char *key, const hn_cli_session *session,
                               const hn_linear *l);
// linearize_campbell.c
int hn_cli_campbell(hn_cli_linearize *call);
// linearize_response.c
int hn_cli_response(hn_cli_linearize *call);
// linearize_plot.c: poles and Bode diagrams; animations of the modes.
hn_status hn_cli_linearize_plot(const hn_cli_session *session, const hn_linear *linear,
                                const char *path, hn_error *error);
hn_status hn_cli_linearize_shapes(const hn_cli_session *session, const hn_linear *linear,
                                  const char *folder, hn_error *error);

#endif
