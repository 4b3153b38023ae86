// Signals: every quantity of a simulation, by a readable name (docs/reference/signals.md).
//
// The table is a layout, not a list: an index follows from kind, element and quantity by
// arithmetic, a name is written on request and parsed by lookup. So a model of 10,000 bodies with
// some 300,000 signals costs a few words a joint. Order: outputs of the model, bodies, markers,
// joints, drivers, forces, contacts, inputs, energy, constraint, step.
#ifndef HN_SIGNALS_SIGNALS_H
#define HN_SIGNALS_SIGNALS_H

#include "equations/equations.h"

typedef struct hn_signals hn_signals;

// Source of signals: one instant.
typedef struct hn_signal_source {
  const hn_snapshot *snapshot;
  const hn_branches *branches;
  double work;           // done on the machine since the start by what has no potential, J
  double initial_energy; // T + V of the snapshot at the start, J
  double step_size;      // of the last step, s
  int iterations;        // of the last step
  const hn_input_state *inputs;
} hn_signal_source;

// Compiles the model's outputs; an unknown signal there is HN_ERROR_MODEL with the output's place
// and the nearest signal. The arena must live as long as the table, also for names asked for later.
hn_status hn_signals_create(hn_arena *arena, const hn_elements *elements, hn_signals **signals,
                            hn_error *error);
int hn_signals_count(const hn_signals *signals);
// With those behind, which are found by name but in no list of all: vectors of forces, local axes.
int hn_signals_count_all(const hn_signals *signals);
// Lives as long as the table. Null past the ends.
const char *hn_signals_name(const hn_signals *signals, int index);
const char *hn_signals_unit(const hn_signals *signals, int index);
int hn_signals_find(const hn_signals *signals, const char *name); // or -1
// The name nearest to this one, or null when none is near. On the order of a second for the largest
// models: for error messages.
const char *hn_signals_nearest(const hn_signals *signals, const char *name);

// Signs. Joint coordinates: second body against the first. Reactions: on the second body, at the
// joint point. A driver's constraint is phi = coordinate - law(t), and -Phi_q' lambda acts on the
// mechanism: the drive exerts -lambda along its coordinate, and its power -lambda * rate = lambda
// Phi_t is what energy.work counts. NaN for an invalid index.
// Conditions of switches (holon/switch.h): which is 0 when, 1 starts, 2 ends. 1 where it holds; -1: it
// is not given, or no number.
int hn_signals_condition(const hn_signals *signals, const hn_signal_source *source, int number,
                         int which);
// The signals that a condition reads, outputs taken apart; 0: too many to follow, or it is not given.
#define HN_MAX_LEAVES 32
typedef struct hn_leaves {
  int count, signal[HN_MAX_LEAVES];
} hn_leaves;
int hn_signals_condition_leaves(const hn_signals *signals, int number, int which,
                                hn_leaves *leaves);
// Truth by values of these; by bounds of these, -1: either.
int hn_signals_condition_at(const hn_signals *signals, int number, int which,
                            const hn_leaves *leaves, const double *values);
struct hn_bounds;
int hn_signals_condition_over(const hn_signals *signals, int number, int which,
                              const hn_leaves *leaves, const struct hn_bounds *bounds);
// The present values of signals, the time among them.
void hn_signals_leaf_values(const hn_signals *signals, const hn_signal_source *source,
                            const hn_leaves *leaves, double *values);
// 1: it reads what follows from forces or accelerations.
int hn_signals_condition_needs_forces(const hn_signals *signals, int number, int which);
// 0: it follows from where bodies are and how fast, so that a snapshot that is not complete serves.
int hn_signals_needs_whole(const hn_signals *signals, int index);
double hn_signals_evaluate(const hn_signals *signals, const hn_signal_source *source, int index);
// The same for many; signals of one joint that follow each other share their work.
void hn_signals_evaluate_many(const hn_signals *signals, const hn_signal_source *source,
                              const int *indices, int count, double *values);

#endif
