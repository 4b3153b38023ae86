// Common declarations of `holon sweep`: the folder of a sweep, which many processes may fill.
#ifndef HN_CLI_SWEEP_H
#define HN_CLI_SWEEP_H

#include "session.h"

// Lines of rows that were run, from all part-*.csv of the folder.
typedef struct hn_cli_sweep_lines {
  char **lines; // (rows) with their line ends; null: not run
  long done, failed;
} hn_cli_sweep_lines;

typedef struct hn_cli_sweep {
  const hn_sweep *sweep;
  const char *folder;
  int shard, shards; // this process has rows shard, shard + shards, ...
  int jobs;
  int is_quiet;
  hn_error error;
} hn_cli_sweep;

// The folder, new or of the same sweep.
hn_status hn_cli_sweep_folder(hn_cli_sweep *s, const char *model);
hn_status hn_cli_sweep_read(hn_cli_sweep *s, hn_cli_sweep_lines *lines);
// Takes out the lines whose certificates were lost with the power: their cases run again.
void hn_cli_sweep_forget_lost(const hn_cli_sweep *s, hn_cli_sweep_lines *lines);
void hn_cli_sweep_lines_free(const hn_cli_sweep *s, hn_cli_sweep_lines *lines);
// Ends a line of a part, which has no line end yet.
void hn_cli_sweep_add_checksum(hn_cli_text *line);
// table.csv and failures.txt, from lines of all rows.
hn_status hn_cli_sweep_write(hn_cli_sweep *s, const hn_cli_sweep_lines *lines);
// Runs what is missing of this process' rows.
hn_status hn_cli_sweep_work(hn_cli_sweep *s, const hn_cli_sweep_lines *lines);

#endif
