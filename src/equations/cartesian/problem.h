// The augmented system of the Cartesian set in the words of linear solvers (linalg/solver.h).
#ifndef HN_EQUATIONS_CARTESIAN_PROBLEM_H
#define HN_EQUATIONS_CARTESIAN_PROBLEM_H

#include "elements/elements.h"
#include "linalg/solver.h"

// Bodies and blocks of constraints, joints and drivers as groups, constraints in loops regularized
// by HN_LOOP_EPSILON (loop_rank.h), masses of the reference configuration. Everything pointed to
// lies in the arena.
hn_status hn_cartesian_problem(hn_arena *arena, const hn_elements *elements,
                               hn_solver_problem *problem);

// Masses and global inertias, 9 a body as hn_solver_factor takes them, from frames (bodies + ground).
// `held`: inertias instead of the model's (held_inertia.h), or null.
void hn_cartesian_mass(const hn_model *model, const double *held, const hn_frame *frames,
                       double *mass);
void hn_cartesian_mass_of(const hn_model *model, const double *held, int body,
                          const hn_frame *frame, double *mass);
// The same in the geometric metric of loop_rank.h.
void hn_geometric_mass(const hn_model *model, double *mass);

#endif
