// A sweep: its rows, and what is done with each. sweep.c makes the rows, sweep_run.c runs them.
#ifndef HN_STUDY_SWEEP_H
#define HN_STUDY_SWEEP_H

#include "base/arena.h"
#include "holon/sweep.h"

#define HN_SWEEP_ROWS 100000000L
#define HN_SWEEP_PARAMETERS 256

typedef struct hn_sweep_axis {
  const char *name, *unit; // unit: "" or "kN/m"
  double low, high;
  int count; // of a grid; of a list its values; 0: none given
  int is_log;
  const double *list;
} hn_sweep_axis;

typedef enum hn_sweep_kind {
  HN_SWEEP_END,
  HN_SWEEP_MIN,
  HN_SWEEP_MAX,
  HN_SWEEP_MEAN,
  HN_SWEEP_RMS,
  HN_SWEEP_KINDS
} hn_sweep_kind;

typedef struct hn_sweep_column_of {
  const char *name; // "chassis.z:max"
  const char *signal;
  hn_sweep_kind kind;
} hn_sweep_column_of;

struct hn_sweep {
  hn_arena arena;
  hn_sweep_job job;
  hn_model_files *files;
  hn_sweep_axis *axes;
  int axis_count;
  long rows;
  double *values; // (rows x axis_count)
  hn_sweep_column_of *columns;
  int column_count;
  unsigned long long hash;
};

// The model of a row, loaded. *model is to be freed.
hn_status hn_sweep_model(const hn_sweep *sweep, long row, hn_model **model, hn_error *error);
// Which columns there are: those asked for, or of the model's outputs.
hn_status hn_sweep_find_columns(hn_sweep *sweep, const hn_model *model, hn_error *error);
// Reports errors common to every row: an option, or a missing signal. A model that cannot be
// assembled is an error of its row.
hn_status hn_sweep_check(const hn_sweep *sweep, const hn_model *model, hn_error *error);

#endif
