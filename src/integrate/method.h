// Seam 3: methods. How the equations' constraints and a formula make one step.
//
// Three promises of every method: on a non-zero return the state is as it was on entry; a positive
// return means retry with a smaller step; formulas keep their memory in the full q, qd, qdd, so nothing
// is lost when a method changes its independent coordinates.
#ifndef HN_INTEGRATE_METHOD_H
#define HN_INTEGRATE_METHOD_H

#include <string.h>

#include "elements/states.h"
#include "equations/equations.h"
#include "integrate/formula.h"

typedef struct hn_method hn_method;

typedef struct hn_tolerance {
  double absolute, relative;
  double projection; // |Phi| that counts as zero
} hn_tolerance;

// How an augmented Lagrangian brings the end of a step onto the constraints: by Newton's own factors, in
// the metric of mass, or not at all.
typedef enum hn_projection {
  HN_PROJECTION_TANGENT,
  HN_PROJECTION_MASS,
  HN_PROJECTION_NONE
} hn_projection;

// Kinds of independent coordinates.
enum {
  HN_INDEPENDENT_NONE = 1,
  HN_INDEPENDENT_PARTITION = 2,
  HN_INDEPENDENT_TANGENT_PLANE = 4,
  HN_INDEPENDENT_REDUCED = HN_INDEPENDENT_PARTITION | HN_INDEPENDENT_TANGENT_PLANE
};
// The word of one of them.
static inline const char *hn_independent_name(unsigned kind) {
  return kind == HN_INDEPENDENT_PARTITION       ? "partition"
         : kind == HN_INDEPENDENT_TANGENT_PLANE ? "tangent-plane"
                                                : "none";
}

// Options of a method in addition to its name. A method takes those that concern it.
typedef struct hn_method_choice {
  const hn_formula *formula;
  unsigned independent;              // HN_INDEPENDENT_*, one of them
  double parameter;                  // of the formula; NaN: its own
  double penalty;                    // of augmented Lagrangians; 0: chosen from the step
  hn_projection projection;          // of augmented Lagrangians
  int max_iterations;                // of a stage; 0: chosen
  double energy_upper, energy_lower; // of multi-index: U and L (J); 0: by the tolerance
  double switch_step;                // of multi-index: between its indices; 0: by the model
  int accepts_unconverged; // a stage that used them all is accepted and counted (real time)
  int is_bounded;          // what a step may cost is bounded (real time)
} hn_method_choice;

typedef struct hn_method_type {
  const char *name;
  // Compatible parts: kinds of formulas, kinds of independent coordinates (HN_INDEPENDENT_*,
  // added), and own equations instead of the Cartesian ones; null: any.
  unsigned takes, independent;
  unsigned options; // HN_OF_* (model/options.h): options in addition to those of every run
  const hn_equations_type *equations;
  const char *first; // of the formulas, where none is asked for; null: the first in lists
  hn_status (*create)(hn_arena *arena, hn_equations *equations, const hn_method_choice *choice,
                      hn_method **method, hn_error *error);
  // A new start at (t, q, qd) with these branches: accelerations there go to method->now.
  hn_status (*begin)(hn_method *method, const hn_branches *branches, hn_error *error);
  // A step from the present state to t_end, not yet taken; *error_norm against the tolerance.
  hn_status (*attempt)(hn_method *method, double t_end, const hn_branches *branches,
                       const hn_tolerance *tolerance, double *error_norm, hn_error *error);
  // q, qd (and work, may be null) at fraction theta of the attempted or last taken step.
  void (*interpolate)(const hn_method *method, double theta, double *q, double *qd, double *work);
  // The attempted step becomes the present state.
  void (*accept)(hn_method *method);

  // Optional, for a method that chooses its step itself, together with its order: the size it would
  // take next, after `start`, after accept, and after an attempt that returned a positive status or
  // an error above 1. Then hn_step_control is not asked, and a fixed step is rejected.
  double (*propose)(hn_method *method, const hn_tolerance *tolerance);

  // Optional: takes the memory that the last attempt, which returned HN_RETRY, lacked: then the same
  // attempt is made again. HN_RETRY: it lacked none.
  hn_status (*reserve)(hn_method *method, hn_error *error);

  int steps_over;         // 1: impacts are not located but time-stepped
  int keeps_step;         // 1: without error control, for fixed steps only
  int steps_by_energy;    // 1: the energy decides about the step
  int takes_states;       // 1: integrates states of laws and elements, too
  int is_direct;          // 1: reads accelerations alone, no derivatives of the equations
  int follows_conditions; // 1: constraints may be switched between steps, which end where that happens

  // Optional, for a method with matrices: computes them from its fields of the state (memory.h),
  // read after the method has started. Changes of fields are undone. Error: no run has such fields.
  hn_status (*resume)(hn_method *method);
} hn_method_type;

// Contacts recorded by a time-stepping method.
typedef struct hn_contact_record {
  double residual;    // largest of their laws, of the weight of a body in a step
  double penetration; // m
  struct {
    double share, depth; // of the thinner shape; m
    int body[2], rule;
  } deepest;                         // the largest fraction, since the last query
  int crowd;                         // capacity of points, if more were near since the last query
  double impact_loss, friction_loss; // J
  long impacts, sweeps, unresolved;
  long fallbacks; // steps that took the interior-point method
} hn_contact_record;

struct hn_method {
  const hn_method_type *type;
  int part; // of the state that its fields are (base/state.h)
  hn_equations *equations;
  const char *formula, *independent;
  int error_order;
  double t, work;              // present time; work done by what is not in the potential
  double *q, *qd;              // present state (nq)
  int states;                  // of laws and elements (method_states.h)
  double *z;                   // ... at present (states; null: no states)
  double *next_z;              // ... at the end of the attempted step
  double *z_rate, *z_room;     // their rates at present, and work space (states)
  hn_frame *z_frames;          // work space (bodies + ground)
  hn_snapshot *now;            // at the present state
  hn_snapshot *next;           // at the end of the attempted step
  double *next_q, *next_qd;    // ... its state
  double step;                 // size of the attempted or last taken step
  double step_begin, step_end; // where it starts and ends
  int is_substituted;          // made by dopri5, past a singular configuration
  int has_coasted;             // along the accelerations before, over one
  double stiffness;            // estimate of h |lambda| of that step, by explicit methods
  long projections;
  long jacobians, iterations, newton_failures, factorizations; // of implicit methods
  long selections;                                             // of independent coordinates
  int is_patient; // slow iterations are not given up before their number is used up; 2: nor then
  int index;      // 1 or 3: by which the last step was made, of a method that has both; 0
  int accepts_unconverged;     // hn_method_choice; set by the method's creator
  long unconverged;            // stages taken as they were when the iterations were used up
  hn_contact_record contact;   // of method time-stepping
  double unconverged_residual; // the largest of their last corrections, in tolerances
};

// All methods in the order of lists: where none is asked for, the first that fits is taken.
#define HN_METHODS(X)                                                                              \
  X(hn_first_order)                                                                                \
  X(hn_adams) /* first-order with formula adams */                                                 \
  X(hn_descriptor)                                                                                 \
  X(hn_first_order_implicit)                                                                       \
  X(hn_descriptor_form)                                                                            \
  X(hn_state_space)                                                                                \
  X(hn_augmented_lagrangian_3)                                                                     \
  X(hn_augmented_lagrangian_1)                                                                     \
  X(hn_multi_index)                                                                                \
  X(hn_components)
#define HN_METHOD(type) extern const hn_method_type type;
HN_METHODS(HN_METHOD)
#undef HN_METHOD

// An attempt, made again when it lacked memory.
static inline hn_status hn_method_attempt(hn_method *m, double t_end, const hn_branches *branches,
                                          const hn_tolerance *tolerance, double *error_norm,
                                          hn_error *error) {
  for (;;) {
    hn_status status = m->type->attempt(m, t_end, branches, tolerance, error_norm, error);
    if (status != HN_RETRY || !m->type->reserve) return status;
    const hn_status reserved = m->type->reserve(m, error);
    if (reserved != HN_OK) return reserved;
  }
}

// The attempted step goes from the present time to t_end.
static inline void hn_method_set_step(hn_method *m, double t_end) {
  m->step = t_end - m->t;
  m->step_begin = m->t;
  m->step_end = t_end;
}

// The end of the attempted step becomes the present: q there, next_qd, next and the work.
static inline void hn_method_move_on(hn_method *m, const double *q, double work) {
  size_t size = (size_t)m->equations->nq * sizeof(double);
  hn_snapshot *swap = m->now;
  m->t = m->step_end;
  m->work = work;
  memcpy(m->q, q, size);
  memcpy(m->qd, m->next_qd, size);
  for (int k = 0; k < m->states; k++) m->z[k] = m->next_z[k];
  if (m->states > 0) hn_states_set(m->equations->elements, m->z);
  m->now = m->next;
  m->next = swap;
}

// For methods that let dopri5, whose stages are projected, take a step they cannot make themselves:
// it starts at the state of m; its end, to which it has come, becomes that of m. Returns the work there.
hn_status hn_passing_create(hn_arena *arena, hn_equations *equations, hn_method **passing,
                            hn_error *error);
void hn_passing_start(hn_method *passing, const hn_method *m);
double hn_passing_end(hn_method *passing, hn_method *m, double t_end);

#endif
