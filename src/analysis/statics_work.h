// Workspace that the files of statics share: the state of the iteration.
#ifndef HN_ANALYSIS_STATICS_WORK_H
#define HN_ANALYSIS_STATICS_WORK_H

#include "analysis/assembly_positions.h"
#include "holon/analysis.h"

#define HN_LARGEST_STEP 0.4 // of a step: rad, or spans of the model

typedef struct hn_statics_sparse hn_statics_sparse;

typedef struct hn_statics {
  hn_arena arena;
  hn_assembly a;
  hn_assembly_rows rows;
  hn_branches trial_branches;
  int n, m, freedoms;
  unsigned char *held, *all;
  double *scale;      // 1 for translations, 1 / size for rotations (n)
  double *step_scale; // the same, of steps: sizes of bodies, or the span of a large model
  double *forces;     // F (n)
  double *lambda;     // (m)
  double *unbalanced; // F - J' lambda (n)
  double *jacobian, *qr_work;
  int *order, *pivots, *modes;        // (n)
  double *z, *kz;                     // basis and scratch (n x degrees of freedom)
  double *stiffness, *values, *spare; // K, then V; its eigenvalues (degrees of freedom)
  double *g, *modal;                  // Z' F, V' g (degrees of freedom)
  double *step;                       // (n)
  double *whole; // the step of the whole stiffness, where laws of signals make it unsymmetric (n)
  int has_whole;
  hn_wrench *wrench;
  hn_frame *before;
  double potential, largest, residual;
  hn_statics_sparse *sparse; // large models; null: dense
  double stiffest;           // of these
  double span;               // of the model: distance between bodies, or size of one
  int may_be_more;           // directions as soft as those in z
} hn_statics;

// Forces, multipliers and what stays unbalanced at the present poses.
hn_status hn_statics_evaluate(hn_statics *w);
// Multipliers that leave the least unbalanced in the metric of a scale; what W x they leave: x in
// w->rows.x.
hn_status hn_statics_balance(hn_statics *w, const double *scale, double *lambda);
// The largest displacement of a body by a motion: in rad, or in spans of the model.
double hn_statics_reach(const hn_statics *w, const double *motion);
double hn_statics_stiffest(const hn_statics *w);
// Mode j as small motions of all bodies (n).
void hn_statics_mode(const hn_statics *w, int j, double *out);
// Moves the frames by a part of w->step.
void hn_statics_move(hn_statics *w, double part);

// statics_sparse.c. The pattern of K, from the present poses.
hn_status hn_statics_sparse_create(hn_statics *w);
// K at the present poses and multipliers.
hn_status hn_statics_sparse_look(hn_statics *w);
// The damped step into w->step.
void hn_statics_sparse_step(hn_statics *w, double damping);
// Writes a few softest directions into w->z and their number.
hn_status hn_statics_sparse_soften(hn_statics *w);
// More of them, less exact, of all sweeps of the iteration: unstable ones stand out.
hn_status hn_statics_sparse_gather(hn_statics *w);
// Of w->step what the joints allow.
hn_status hn_statics_sparse_project(hn_statics *w);
// A direction that is not soft is unstable.
int hn_statics_sparse_is_unstable(hn_statics *w);

// Without stiffness and without force.
int hn_statics_is_neutral(const hn_statics *w, int mode, double stiffest);
// A mode of the gathered directions along which the potential surely falls.
int hn_statics_has_unstable_mode(hn_statics *w);
// Neutral modes into w->modes; returns their number.
int hn_statics_find_neutral(hn_statics *w);
// Writes the coordinates of bodies (6 per body) that represent them into w->order.
void hn_statics_choose_coordinates(hn_statics *w, int count);
// Brings these back to where they were on entry, if the residual stays below `wanted`.
void hn_statics_hold_neutral(hn_statics *w, int count, double wanted);
void hn_statics_fill_report(const hn_statics *w, int iterations, int count,
                            hn_statics_report *report);

#endif
