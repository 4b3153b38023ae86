// Holon: one model many times, with other values of its parameters. A sweep is a list of rows (a
// grid, a Latin hypercube, a table); each row is a run of its own, which depends on nothing but the
// row. So rows may be run in any order, by any number of threads, processes or computers: the lines
// they give are the same, byte for byte.
//
//   const char *vary[] = {"stiffness=1e4:1e5:20", "damping=100,200,400"};
//   hn_sweep_plan plan = {.vary = vary, .vary_count = 2};
//   hn_sweep_job job = hn_default_sweep_job();
//   job.path = "car.yaml";
//   hn_sweep_create(&plan, &job, &sweep, &error);
//   for (long row = 0; row < hn_sweep_rows(sweep); row++) {
//     hn_sweep_run(sweep, row, &result);
//     hn_sweep_line(sweep, row, &result, line, sizeof line);
//     hn_sweep_result_free(&result);
//   }
#ifndef HOLON_SWEEP_H
#define HOLON_SWEEP_H

#include "holon/load.h"
#include "holon/results.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hn_sweep hn_sweep;

// Parameters that vary. NAME=LOW:HIGH:COUNT, NAME=LOW:HIGH:COUNT:log, NAME=LOW:HIGH (with a sample;
// or :log), NAME=V1,V2,...; a unit may follow a blank: "k=10:20:5 kN/m".
typedef struct hn_sweep_plan {
  size_t size; // of this struct; 0: the first version
  const char *const *vary;
  int vary_count;
  const char *sample; // null or "grid": every combination, the last parameter fastest; "lhs:200": a
                      // Latin hypercube of 200 rows; "random:200"; "table": the values below
  unsigned long long seed; // of lhs and random
  const double
      *table; // of sample "table" (table_rows x vary_count); vary has names (and units) only
  long table_rows;
} hn_sweep_plan;

// The run made for each row.
typedef struct hn_sweep_job {
  const char *path, *text; // of the model; text null: the file is read
  size_t text_size;
  hn_load_options load; // its settings hold for all rows
  hn_simulation_options simulation;
  double time, output_step; // 0: the model's
  // "chassis.z:max": a signal and what of it: end, min, max, mean, rms. Without one: end. None at
  // all: end, least and largest value of each output of the model.
  const char *const *outputs;
  int output_count;
} hn_sweep_job;
HN_API hn_sweep_job hn_default_sweep_job(void);

// Reads the plan and makes the model of the first possible row, so that errors are reported at
// once. What the job points to must outlive the sweep; the plan need not. On failure *sweep is
// null.
HN_API hn_status hn_sweep_create(const hn_sweep_plan *plan, const hn_sweep_job *job,
                                 hn_sweep **sweep, hn_error *error);
HN_API void hn_sweep_free(hn_sweep *sweep); // null is fine
HN_API long hn_sweep_rows(const hn_sweep *sweep);
HN_API int hn_sweep_parameter_count(const hn_sweep *sweep);
HN_API const char *hn_sweep_parameter(const hn_sweep *sweep, int index);
HN_API double hn_sweep_value(const hn_sweep *sweep, long row, int parameter); // in the unit given
HN_API int hn_sweep_column_count(const hn_sweep *sweep);
HN_API const char *hn_sweep_column(const hn_sweep *sweep, int index); // "chassis.z:max"
// A hash of plan, model and job: rows of sweeps that differ do not belong into one table.
HN_API unsigned long long hn_sweep_hash(const hn_sweep *sweep);

typedef struct hn_sweep_result {
  hn_status status;
  hn_error error;    // where status is not HN_OK
  hn_grade grade;    // of the quality grade
  double reached;    // time
  double *values;    // (hn_sweep_column_count); nan where the run did not get so far as to have one
  char *certificate; // JSON; null: there was no run
  unsigned long long state_hash;
  double cpu_seconds;
} hn_sweep_result;

// Runs a row; a run that fails is a result too. Returns HN_OK, or HN_ERROR_MEMORY, HN_ERROR_ARGUMENT for
// a row that is not there. Several threads may run rows of one sweep.
HN_API hn_status hn_sweep_run(const hn_sweep *sweep, long row, hn_sweep_result *result);
HN_API void hn_sweep_result_free(hn_sweep_result *result);

// Lines of a table in CSV, with their line end: row, parameters, status, verdict (grade), columns,
// state_hash. Numbers have as few digits as read back the same; what is not there is empty. Writes
// at most size bytes, terminated; returns the whole length without the end mark.
HN_API size_t hn_sweep_header(const hn_sweep *sweep, char *text, size_t size);
HN_API size_t hn_sweep_line(const hn_sweep *sweep, long row, const hn_sweep_result *result,
                            char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
