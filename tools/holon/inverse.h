// Common declarations of `holon inverse`.
#ifndef HN_CLI_INVERSE_H
#define HN_CLI_INVERSE_H

#include "session.h"

typedef struct hn_cli_inverse {
  hn_cli_settings settings;
  const char *motion;  // a folder, or a file of results or coordinates; null: the drivers
  const char *drives;  // names between commas; null: all drivers and what the file moves
  hn_cli_list weights; // NAME=W
  const char *file;    // CSV to write
  // what the motion is
  hn_results *rows;     // of the file
  int is_recorded;      // ... has the motion of every body
  char *overlay;        // drivers made of its columns: a file; null: none
  const char **columns; // their names (column_count)
  int column_count;
} hn_cli_inverse;

// inverse_motion.c: reads the file. Returns -1, or the exit code after telling why not.
int hn_cli_inverse_read(hn_cli_inverse *call);
void hn_cli_inverse_close(hn_cli_inverse *call);
// Poses of the model at instant k of `count`, and the accelerations of its bodies (null: its own).
typedef struct hn_cli_instants {
  long count;
  hn_grid grid;
  hn_recorded_motion *recorded; // null: drivers, or a run
  const hn_vec3 *accelerations; // (2 bodies), of a recorded motion; else null
} hn_cli_instants;
hn_status hn_cli_instants_open(hn_cli_session *session, const hn_cli_inverse *call,
                               hn_cli_instants *instants);
hn_status hn_cli_instants_go(hn_cli_session *session, hn_cli_instants *instants, long k);

#endif
