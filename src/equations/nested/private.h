// Internals of nested/: data of a model over its components, and of a model that is itself a
// sealed component (part.c). There the bodies of its user come first and belong to no level.
#ifndef HN_EQUATIONS_NESTED_PRIVATE_H
#define HN_EQUATIONS_NESTED_PRIVATE_H

#include "equations/levels.h"
#include "holon/component.h"

// A sealed component as its user sees it.
typedef struct hn_nested_part {
  const hn_sealed_part *part;
  hn_component_run *run;
  int first_row;                    // of its interface constraints, after the model's own
  int first_turn;                   // of its turns
  int first_switch, first_motion;   // of its branches, among those of forces and of drivers
  int first_state;                  // of its states, among those inside sealed components
  hn_component_branch *switches;    // workspace (switch_count)
  double kink_from, kink_at;        // no law of time inside changes between
  double *external_q, *external_qd; // (7 externals)
  double *border_force;             // (6 border bodies)
  double *external_force;           // (6 externals)
  double *q, *qd;                   // if only poses are known (7 bodies)
  int first_delay;                  // of its delays, among those inside sealed components
  double *late;                     // delayed states (4 each)
  double *given;                    // inputs (HN_COMPONENT_GIVEN_NUMBERS each)
  int first_output;                 // of what it publishes
  int connected;                    // interface bodies that constraints outside involve
  int has_failed;                   // in the current pass
  hn_status lost;          // failure in a call that cannot return one; nothing continues after it
  int dependent, left_out; // constraints inside it, as last reported
  int rank;                // of D, at the last factorization
  double start_move, start_change; // what assembly added to its positions (m or rad), to speeds inside
} hn_nested_part;

typedef struct hn_nested_data {
  hn_levels base; // what passes from above see
  hn_equations *equations;
  hn_threads *threads;
  const hn_ranks *ranks;
  int *row_start, *row_body;
  double *mass;          // 9 a body
  double *qd;            // of responses (nq)
  hn_snapshot *snapshot; // of kinetic energies
  double *factored_q;
  hn_hierarchy_rows factored_rows;
  int part_count;
  hn_nested_part *parts;
  hn_hidden_elements hidden;
  // of the current task
  const hn_branches *branches;
  const hn_frame *task_frames;
  double task_time;
} hn_nested_data;

// Forces p along constraints with conditions.
typedef struct hn_nested_load {
  const struct hn_touch_row *row;
  const double *p;
  int count;
} hn_nested_load;

static inline hn_nested_data *hn_nested_of(const hn_equations *e) {
  return (hn_nested_data *)e->levels;
}

// nested/numbers.c
// Weights and gyroscopic terms of all bodies, those of sealed components by their functions.
void hn_nested_load_bodies(hn_equations *e, hn_snapshot *s);
hn_status hn_nested_evaluate(hn_equations *e, double t, const double *q, const double *qd,
                             const hn_branches *branches, hn_snapshot *snapshot, hn_error *error);
// Complete, with forces of conditions as further loads; the rows left out stay as chosen.
hn_status hn_nested_evaluate_loaded(hn_equations *e, double t, const double *q, const double *qd,
                                    const hn_branches *branches, const hn_nested_load *load,
                                    hn_snapshot *snapshot, hn_error *error);
hn_status hn_nested_evaluate_stage(hn_equations *e, double t, const double *q, const double *qd,
                                   const hn_branches *branches, hn_snapshot *snapshot,
                                   hn_error *error);

// nested/responses.c
extern const struct hn_response_type hn_nested_responses;

// nested/projections.c
hn_status hn_nested_project_positions(hn_equations *e, double t, double *q,
                                      const hn_branches *branches, double tolerance,
                                      double *correction);
hn_status hn_nested_project_velocities(hn_equations *e, double t, const double *q, double *qd,
                                       const hn_branches *branches, double *correction);
hn_status hn_nested_jump(hn_equations *e, double t, const double *q, double *qd,
                         const hn_branches *branches, double *correction);

// nested/parts.c: sealed components of a model
hn_status hn_nested_parts_start(hn_arena *arena, hn_nested_data *self, hn_sealed_subsystem *sealed,
                                hn_error *error);
hn_status hn_nested_parts_forces(hn_nested_data *self, double t, const double *q, const double *qd,
                                 const hn_branches *branches, hn_snapshot *s, hn_error *error);
void hn_nested_parts_stop(hn_nested_data *self);
void hn_nested_part_note(hn_nested_part *part, hn_status status); // of a call that returns no
                                                                  // status
// nested/hidden.c: its branches among those of the model's forces
const hn_component_branch *hn_nested_switches(hn_nested_part *part, const hn_branch *force);
// z and g of the part's states at the present state of the model, and its inputs.
void hn_nested_part_states(const hn_nested_data *self, hn_nested_part *part,
                           hn_component_state *state);
// Names the component that failed in the last pass; HN_OK when none did.
hn_status hn_nested_part_failed(const hn_nested_data *self, hn_status status, double t,
                                hn_error *error);
void hn_nested_part_loads(hn_nested_data *self, int index, hn_snapshot *s);
void hn_nested_parts_finish(hn_nested_data *self, hn_snapshot *s);
double hn_nested_parts_gaps(hn_nested_data *self, double t, const double *q, const double *qd,
                            const hn_branches *branches, int rates);
void hn_nested_parts_increments(hn_nested_data *self, int left, double *x);

#endif
