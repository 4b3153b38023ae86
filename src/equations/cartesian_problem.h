// The augmented system of the Cartesian set in the words of linear solvers (linalg/solver.h).
#ifndef HN_EQUATIONS_CARTESIAN_PROBLEM_H
#define HN_EQUATIONS_CARTESIAN_PROBLEM_H

#include "elements/elements.h"
#include "linalg/solver.h"

// Singular values below about 1e-4 in loops count as a singular position.
#define HN_LOOP_EPSILON 1e-8

// Bodies and blocks of rows, joints and drivers as groups, rows in loops soft by HN_LOOP_EPSILON, masses
// as drawn. Everything pointed to lies in the arena.
hn_status hn_cartesian_problem(hn_arena *arena, const hn_elements *elements,
                               hn_solver_problem *problem);

// Masses and global inertias, 9 a body as hn_solver_factor takes them, from frames (bodies + ground).
void hn_cartesian_mass(const hn_model *model, const hn_frame *frames, double *mass);
void hn_cartesian_mass_of(const hn_model *model, int body, const hn_frame *frame, double *mass);
// For the rank of loops, which is a matter of geometry: in the metric of M a light body between heavy
// ones would look dependent. 1 for translations; for rotations the mean squared distance of the joints
// from the centres of mass.
void hn_geometric_mass(const hn_model *model, double *mass);
double hn_geometric_rotation(const hn_model *model);

#endif
