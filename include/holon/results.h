// Holon: results of a run, in memory and in files.
#ifndef HOLON_RESULTS_H
#define HOLON_RESULTS_H

#include "holon/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hn_results hn_results;

typedef enum hn_results_format {
  HN_RESULTS_HDF5,
  HN_RESULTS_CSV,
  HN_RESULTS_NPZ
} hn_results_format;
HN_API int hn_results_format_is_built(hn_results_format format); // HDF5 may be missing

// Results that grow row by row while a simulation runs. signals: globs over signal names
// ("body.*.position.*"), null or count 0 for all.
HN_API hn_status hn_results_create(hn_simulation *simulation, const char *const *signals, int count,
                                   hn_results **results, hn_error *error);
// One more row from the simulation's present values (after hn_simulation_look_at or a step).
// HN_ERROR_ARGUMENT for results that were read from a file or belong to another machine.
HN_API hn_status hn_results_record(hn_results *results, hn_simulation *simulation);
// Removes all rows; keeps their memory.
HN_API void hn_results_clear(hn_results *results);
// Every second row, the first among them.
HN_API void hn_results_thin(hn_results *results);
// Reserves memory for this many rows in total, so that recording them allocates nothing.
// HN_ERROR_MEMORY.
HN_API hn_status hn_results_reserve(hn_results *results, int rows);
// Reads a file that hn_results_write wrote (HDF5 or CSV, by its name) or a journal (.npy). Also a
// CSV of another origin: line 1 names, an optional line of units, '#' lines skipped.
HN_API hn_status hn_results_read(const char *path, hn_results **results, hn_error *error);
// The same from arrays: `rows` numbers of time and of each of `count` signals, copied. units may be
// null.
HN_API hn_status hn_results_make(const char *const *names, const char *const *units, int count,
                                 const double *time, const double *const *columns, int rows,
                                 hn_results **results, hn_error *error);
// HDF5: /time and /signals/<name> with attribute `unit`. CSV: line 1 names beginning with `time`, line
// 2 units, numbers with 17 digits. NPZ: arrays time and <name>, without units. The file appears under
// its name when it is complete, or not at all.
HN_API hn_status hn_results_write(const hn_results *results, const char *path,
                                  hn_results_format format, int with_units, hn_error *error);
HN_API void hn_results_free(hn_results *results); // null is fine

// A file that grows with the results: whatever ends the program, what was written before can be read,
// also by numpy.load. _write adds the rows that are new; _close keeps the file or removes it.
typedef struct hn_results_journal hn_results_journal;
HN_API hn_status hn_results_journal_open(const hn_results *results, const char *path,
                                         hn_results_journal **journal, hn_error *error);
HN_API hn_status hn_results_journal_write(hn_results_journal *journal, const hn_results *results,
                                          hn_error *error);
HN_API void hn_results_journal_close(hn_results_journal *journal, int keep); // null is fine

HN_API int hn_results_row_count(const hn_results *results);
HN_API int hn_results_signal_count(const hn_results *results); // without time
HN_API const char *hn_results_signal_name(const hn_results *results, int index);
HN_API const char *hn_results_signal_unit(const hn_results *results, int index);
HN_API int hn_results_find(const hn_results *results, const char *name);      // or -1
HN_API const double *hn_results_time(const hn_results *results);              // (rows)
HN_API const double *hn_results_column(const hn_results *results, int index); // (rows)

// ---- how far a run can be trusted ---------------------------------------------------------------

// From best to worst. Locked: the results are right, but the mechanism cannot move, or a loop of it.
// Sensitive: nothing is wrong, but the motion multiplies every error, so that no tolerance keeps its
// digits to the end.
typedef enum hn_grade { HN_SOUND, HN_LOCKED, HN_SENSITIVE, HN_DOUBTFUL, HN_UNSOUND } hn_grade;
// "sound", "locked", "sensitive", "doubtful", "unsound"
HN_API const char *hn_grade_name(hn_grade grade);

// One checked quantity.
typedef struct hn_check {
  hn_grade grade;
  const char *subject; // "Energy balance"
  char value[64];      // "4.1 J (0.0016)"
  char text[560];      // one sentence
  int is_remark;       // 1: no reason to doubt the run, and worth saying
} hn_check;

#define HN_VERDICT_CHECKS 24
typedef struct hn_verdict {
  hn_grade grade; // the worst of the checks
  int count;
  hn_check checks[HN_VERDICT_CHECKS];
  hn_status status; // HN_OK, or why the mobility is unknown (the grade is then not sound)
} hn_verdict;

// Judges the run up to now: its end, joints, energy, steps, positions, motion, start and warnings.
// certificate: other numbers than those of the simulation, or null. Without steps, energy and steps
// are left out.
HN_API hn_verdict hn_simulation_verdict(hn_simulation *simulation,
                                        const hn_certificate *certificate);
// Reasons why the quality grade is not sound, the worst first, then remarks: writes the reason
// `index`, counted from 0, and returns 1, or returns 0 past the end.
HN_API int hn_verdict_reason(const hn_verdict *verdict, int index, char *text, size_t size);

// The certificate of the run, as JSON: model, holon, verdict (grade, reasons), accuracy, time,
// coordinates, method, formula, independent, linear_solver, choice, options, initial, steps,
// constraint, energy, newton, evaluations, factorizations, event_count, events (the latest 1000),
// ignored, redundant (at the present position), warnings, notes, cpu_seconds, realtime_factor
// (simulated time over cpu_seconds), state_hash.
// Writes at most size bytes, terminated (HN_ERROR_LIMIT when that is not enough); *needed (may be
// null) is the whole length with the end mark. A null text only asks for it.
HN_API hn_status hn_certificate_json(hn_simulation *simulation, char *text, size_t size,
                                     size_t *needed);

#ifdef __cplusplus
}
#endif

#endif
