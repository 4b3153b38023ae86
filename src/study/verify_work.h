// Common declarations of verify.
#ifndef HN_STUDY_VERIFY_WORK_H
#define HN_STUDY_VERIFY_WORK_H

#include "holon/verify.h"

#include "base/arena.h"

#define HN_VERIFY_MOST 18            // formulations in one report
#define HN_VERIFY_MOST_CONTROLLED 12 // ... with error control
#define HN_VERIFY_CANDIDATES 512
#define HN_VERIFY_SHRINKS 3.0 // a difference made of integration errors shrinks at least so much

// A formulation that might be taken.
typedef struct hn_verify_candidate {
  hn_formulation formulation;
  double cost; // of the whole run, counted, as its first steps promise; HUGE_VAL: cannot run
  int is_taken;
  int is_low_order;
  int is_fixed; // without error control, or with steps that do not follow the tolerance
} hn_verify_candidate;

typedef struct hn_verify_work {
  const hn_model *model;
  const hn_verify_options *options;
  hn_verify *report;
  hn_error *error;
  double begin;         // clock, s
  const char **signals; // names, of the report
  hn_verify_candidate *candidates;
  int candidate_count;
  double *allowed; // (signals)
  double *noise;   // (trials x signals) what rounding adds to it in each trial
  int interrupted;
  int is_second; // all was run again, tighter
} hn_verify_work;

double hn_verify_spent(const hn_verify_work *work); // CPU seconds since the start
int hn_verify_tell(hn_verify_work *work, const char *what, double share); // 0: end
// The options of a run by this formulation.
hn_simulation_options hn_verify_run_options(const hn_verify_work *work, const hn_formulation *f,
                                            double tol);
void hn_verify_refuse(hn_verify_work *work, const char *subject, const char *reason);

// verify_signals.c: what is compared; fills signals and free_signals of the report.
hn_status hn_verify_choose_signals(hn_verify_work *work);

// verify_choose.c: first steps of every candidate, then the next one to take: as far as possible from
// those taken, among equals the cheapest. -1: none is left.
hn_status hn_verify_probe(hn_verify_work *work, double tol);
int hn_verify_next_candidate(hn_verify_work *work, const hn_formulation *taken, int taken_count);

// ... of those with fixed steps, or of low order: the one that shares least, presets first.
int hn_verify_next_fixed(hn_verify_work *work);

// verify_fixed.c: formulations with fixed steps, each with an estimated error from two steps. Those
// whose estimate is too large are rejected.
void hn_verify_run_fixed(hn_verify_work *work);
// A trial with half the steps of `before`, and the bar it has by that.
void hn_verify_run_halved(hn_verify_work *work, const hn_trial *before, double limit,
                          hn_trial *trial);
hn_status hn_verify_run(hn_verify_work *work, const hn_simulation_options *options, double limit,
                        hn_trial *trial);
void hn_verify_refuse_trial(hn_verify_work *work, const hn_trial *trial);

// verify_compare.c: everything that follows from trials.
void hn_verify_set_allowed(hn_verify_work *work);
// After the second runs: what rounding changes in each trial.
void hn_verify_allow_rounding(hn_verify_work *work, const hn_trial *first_runs);
// A pair over the rows both have before `end`; ratio, signal, difference, at, since.
hn_verify_pair hn_verify_compare_pair(const hn_verify_work *work, const hn_trial *trials, int first,
                                      int second, double end);
void hn_verify_fill_pairs(hn_verify_work *work);  // the worst first
void hn_verify_fill_spread(hn_verify_work *work); // of rows and of signals
void hn_verify_find_odd(hn_verify_work *work);
// The trial all pairs beyond have while the others, two or more, agree until *reaches; -1: none.
int hn_verify_find_suspect(const hn_verify_work *work, double *reaches);
double hn_verify_growth(const hn_verify_work *work); // e-folding time of the spread; 0: none seen

// verify_judge.c: the quality grade and its words.
void hn_verify_judge(hn_verify_work *work);

// verify_order.c: the order a formula that needs exact derivatives has, after some were found wrong.
void hn_verify_find_witness(hn_verify_work *work);

#endif
