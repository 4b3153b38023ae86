// Holon: one model by several formulations. Trials run a formulation and keep chosen signals on an
// even grid; an audit checks derivatives at a state; verify combines both and reports how far the
// results can be trusted.
//
//   hn_verify_options options = hn_default_verify_options();
//   hn_verify *report = NULL;
//   hn_verify_model(model, &options, &report, &error);
//   if (report->verdict == HN_VERIFY_DISAGREE) ...
//   hn_verify_free(report);
#ifndef HOLON_VERIFY_H
#define HOLON_VERIFY_H

#include "holon/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- formulations -------------------------------------------------------------------------------

// One way to compute a motion: names of hn_list_coordinates, _methods, _formulas, _independent.
typedef struct hn_formulation {
  const char *coordinates, *method, *formula, *independent;
} hn_formulation;

// Every combination that is built: index from 0; returns 0 past the end.
HN_API int hn_list_formulation(int index, hn_formulation *formulation);
// "relative/descriptor/sdirk4-16"; what none of the others shares is left out: --independent only
// when it is not "none". "auto" where the coordinates are.
HN_API const char *hn_formulation_text(const hn_formulation *formulation, char *text, size_t size);
// How little code two share: 0 for the same one, larger for other coordinates (4), another method
// (2), another formula (2), other independent coordinates (1). Method components has equations of
// its own.
HN_API int hn_formulation_distance(const hn_formulation *a, const hn_formulation *b);

// ---- trials -------------------------------------------------------------------------------------

typedef struct hn_trial_plan {
  size_t size;                // of this struct; 0: the first version
  double time;                // until then, from 0
  int rows;                   // even grid with both ends, at least 2
  const char *const *signals; // full names
  int signal_count;
  double limit;  // CPU seconds of steps; 0: none
  double memory; // bytes the simulation may take; 0: any
  // Asked after every step with the time reached; 0 ends the trial. Null: never ends.
  int (*go_on)(void *context, double time);
  void *context;
} hn_trial_plan;

typedef struct hn_trial {
  hn_formulation formulation;
  double tol, step; // one of them is 0
  hn_status status; // HN_OK: whole; HN_ERROR_LIMIT: beyond the limit; HN_ERROR_INTERRUPTED; ...
  hn_error error;
  double reached; // time
  int rows;       // that it reached
  int signals;
  double *values; // (rows of the plan x signals)
  // Of a fixed step, from a run with twice that step: how far the values may be off, never less
  // than in a row before (rows of the plan x signals); null: error control did that.
  double *bar;
  double coarseness; // the largest bar against what is allowed
  hn_certificate certificate;
  double longest_step_seconds; // CPU
  int is_low_order;            // of its formula: for tight tolerances it needs very many steps
  int event_count;             // kept ones, the latest 4096
  double *events;              // their times
  double work;                 // evaluations, iterations, factorizations by their size: no clock
  char unresolved
      [96]; // a function of which it may have missed a feature: "force 'push'"; empty: none
  // What its steps filter of a signal over 1 + the largest value of that, and what oscillates: "force
  // 'hard' (1.3e+03 Hz)"; 0: nothing.
  double filtered_size;
  char filtered[96];
} hn_trial;

// Runs `options` (their allocator serves for the trial too). The trial is filled in every case and
// holds what was computed; a run that cannot be created has no rows.
HN_API hn_status hn_trial_run(const hn_model *model, const hn_simulation_options *options,
                              const hn_trial_plan *plan, hn_trial *trial);
HN_API void hn_trial_free(hn_trial *trial, const hn_allocator *allocator);
HN_API double hn_trial_grid_time(const hn_trial_plan *plan, int row);

typedef struct hn_verify_note {
  char subject[160]; // a signal or a formulation
  char reason[320];
  int is_shared; // a reaction, or an output of one, that joints share in an undetermined way
} hn_verify_note;

// Why formulations need not agree on signals of this machine at the simulation's present position:
// reactions that are not unique, spins without inertia, what belongs to the method (steps, drift).
// notes (count) get the names; the reason stays empty where they have to agree.
HN_API hn_status hn_simulation_free_signals(hn_simulation *simulation, const int *signals,
                                            int count, hn_verify_note *notes);

// ---- signals that are compared ------------------------------------------------------------------

// Two numbers of a signal mean the same when they are equal, or differ by whole turns (roll, pitch,
// yaw), or by their sign (Euler parameters: p and -p are one orientation).
typedef enum hn_signal_same {
  HN_SAME_VALUE,
  HN_SAME_UP_TO_TURNS,
  HN_SAME_UP_TO_SIGN
} hn_signal_same;
// Of a signal; of an output that is one signal under another name: of that signal.
HN_API hn_signal_same hn_simulation_signal_same(const hn_simulation *simulation, int signal);
// Difference of two values of such a signal, never negative; nan if either is nan.
HN_API double hn_signal_gap(hn_signal_same same, double a, double b);
// The same by the name of a signal that every run has ("body.NAME.yaw"); outputs have names of
// their own and count as plain values here.
HN_API double hn_signal_difference(const char *name, double a, double b);

enum {
  HN_COMPARE_OUTPUTS = 1,
  HN_COMPARE_POSITIONS = 2, // and Euler parameters of bodies, and coordinates of joints
  HN_COMPARE_VELOCITIES = 4 // of these
};
// Signals by which two runs of one model are compared; `what` is a sum of the above. indices has
// capacity for hn_simulation_signal_count. Includes signals on which formulations need not agree:
// see hn_simulation_free_signals. Returns their number.
HN_API int hn_simulation_compared_signals(const hn_simulation *simulation, int what, int *indices);

// ---- audit of derivatives -----------------------------------------------------------------------

// The largest error of a derivative of one element, or of all equations of a set of coordinates.
typedef struct hn_audit_finding {
  char element[128]; // "force 'bush'"; empty: the equations as a whole
  const char *coordinates;
  const char *what;         // "force against position"
  double error;             // against its own size
  double exact, difference; // the worst entry: as programmed, and by differences
  double time;
} hn_audit_finding;

// Compares every analytic derivative at the simulation's present state with sixth-order
// differences: of each force and constraint equation, and of the equations in the simulation's
// coordinates. Writes what is wrong by more than 1e-5 of its size, the worst first, and returns
// their number, or -1 without memory; *checked (may be null) counts what was compared. Forces
// without derivatives are not checked, and of very many elements only some.
HN_API int hn_simulation_audit(hn_simulation *simulation, hn_audit_finding *findings, int capacity,
                               long *checked);

// ---- verify -------------------------------------------------------------------------------------

typedef enum hn_verify_verdict {
  HN_VERIFY_AGREE,       // all signals, all of the time
  HN_VERIFY_AGREE_UNTIL, // up to report->until; report->reason says why not further
  HN_VERIFY_DISAGREE,    // formulations, or derivatives with differences
  HN_VERIFY_STOPPED,     // a model that locks or runs away: the runs agree until they cannot
                         // continue
  HN_VERIFY_UNDECIDED    // fewer than two formulations could run
} hn_verify_verdict;
HN_API const char *hn_verify_verdict_name(hn_verify_verdict verdict); // "agree-until"

typedef struct hn_verify_options {
  // Of this struct, as hn_default_verify_options sets it. 0: what is 0 below takes its default, so
  // that {0} is valid.
  size_t size;
  double tol;    // a spread of tol (1 + largest |value|) is allowed
  double time;   // 0: the model's own
  double budget; // CPU seconds
  int most;      // formulations with error control
  int fixed;     // with fixed steps, in addition to those
  double haste;  // points of distance that a factor of ten in cost is worth
  int rows;
  const char *const *signals; // globs; none: outputs, else positions and joint coordinates
  int signal_count;
  const hn_formulation *among; // none: every one that is built
  int among_count;
  int without_audit;
  int single_pass; // 1: no second runs; the grade then does not separate sensitive from wrong
  double memory;   // bytes that one run may take
  // Progress: the present task, and the fraction done. Null words: only asks whether to continue,
  // after every step. Return 0 to end. Null: never called.
  int (*progress)(void *context, const char *what, double share);
  void *context;
  const hn_allocator *allocator;
} hn_verify_options;
HN_API hn_verify_options hn_default_verify_options(void); // 1e-4, 60 s, 5 and 3 formulations,
                                                          // half a point, 501 rows, 1 GB

typedef struct hn_verify_signal {
  char name[128], unit[24];
  hn_signal_same same; // when two numbers of it mean the same
  double allowed;      // spread
  double spread, at;   // the largest, and when
  int first, second;   // trials that differ so
} hn_verify_signal;

typedef struct hn_verify_pair {
  int first, second; // trials
  double until;      // both were there
  double ratio;      // largest difference of a signal against what is allowed
  int signal;        // which, and the difference, and when
  double difference, at;
  double since; // when the first signal was beyond; HUGE_VAL: never
  int signal_since;
  double
      shrink; // a run at a hundredth of the tolerance has so much less of it before `since`; 0: not run
  int is_real; // a disagreement that no tolerance removes
  double open; // the first runs parted here, and the tighter ones did not get so far; HUGE_VAL: no
} hn_verify_pair;

typedef struct hn_verify {
  const hn_allocator *allocator;
  hn_verify_verdict verdict;
  char reason[640]; // the quality grade in one or two sentences
  double tol, time, until;
  double run_tol; // that the trials were run with
  int is_sensitive;
  double growth; // e-folding time of the spread where it is; 0: not known

  int rows;
  double *grid; // times (rows)
  double
      *spread; // largest over all pairs of trials (rows x signals), nan where fewer than two were

  int signal_count;
  hn_verify_signal *signals;
  int trial_count;
  hn_trial *trials;
  int pair_count;
  hn_verify_pair *pairs; // the worst first
  int odd_count;
  int *odd;        // trials that disagree with the largest group
  char common[64]; // what only those have in common: "coordinates natural"; empty: nothing

  int free_count;
  hn_verify_note *free_signals; // not compared, and why
  int refused_count;
  hn_verify_note *refused; // formulations that could not run, and why
  int finding_count;
  hn_audit_finding *findings;
  long derivatives; // compared
  // After a finding: a formulation that needs derivatives exactly, the order it is left with (4
  // would be right), and against which other one; null names: not run.
  hn_formulation witness, witness_against;
  double witness_order;
  double cpu_seconds;
} hn_verify;

HN_API hn_status hn_verify_model(const hn_model *model, const hn_verify_options *options,
                                 hn_verify **report, hn_error *error);
HN_API void hn_verify_free(hn_verify *report); // null is fine

// Signals by their spread against what is allowed, the largest first (signal_count indices).
HN_API void hn_verify_order_signals(const hn_verify *verify, int *order);
// Everything as JSON, with the model's name; text, size and needed as of hn_certificate_json.
HN_API hn_status hn_verify_json(const hn_verify *verify, const char *model, char *text, size_t size,
                                size_t *needed);

#ifdef __cplusplus
}
#endif

#endif
