// Newton's method on the equations of Alart and Curnier (friction.h). With x = p - rho u of a part:
//
//   open (x_N <= 0)              p = 0
//   closed                       u_N = 0
//   stick (|x_T| <= mu x_N)      u_T = 0
//   slide                        p_T = mu x_N x_T / |x_T|
//
// (with a normal impulse that is given: open where x_N is below it, which is p_N then).
//
// They are smooth but at the borders of these cases. Steps are of least norm, so that rows that
// depend on each other (four feet on a floor) share their load evenly as far as the laws allow.
#include <math.h>
#include <string.h>

#include "contact/friction_private.h"
#include "linalg/rank.h"

enum { ITERATIONS = 15, HALVINGS = 4 };

// Row i of the Jacobian, column-major.
#define AT(i, j) f->jacobian[(size_t)(j) * (size_t)f->rows + (size_t)(i)]

static void clear_row(hn_friction_problem *f, int i) {
  for (int j = 0; j < f->rows; j++) AT(i, j) = 0;
}

// rho u_i = 0
static void velocity_row(hn_friction_problem *f, double rho, int i) {
  for (int j = 0; j < f->rows; j++) AT(i, j) = rho * f->w[(size_t)i * (size_t)f->rows + (size_t)j];
  f->right[i] = -rho * f->u[i];
}

// p_i = value
static void force_row(hn_friction_problem *f, const double *p, int i, double value) {
  clear_row(f, i);
  AT(i, i) = 1;
  f->right[i] = value - p[i];
}

// follows: the normal impulse x_N is not given.
static void slide_rows(hn_friction_problem *f, const hn_friction_part *part, double rho,
                       const double *p, const double x[3], int follows) {
  const double tangent = sqrt(x[1] * x[1] + x[2] * x[2]), radius = part->mu * x[0];
  const double e[2] = {x[1] / tangent, x[2] / tangent}, share = radius / tangent;
  for (int i = 0; i < 2; i++) {
    const int row = part->row + 1 + i;
    clear_row(f, row);
    AT(row, row) += 1;
    f->right[row] = radius * e[i] - p[row];
    // - e mu d x_N - share (1 - e e') d x_T, d x = d p - rho W d p
    const double of[3] = {follows ? part->mu * e[i] : 0, share * ((i == 0) - e[i] * e[0]),
                          share * ((i == 1) - e[i] * e[1])};
    for (int k = 0; k < 3; k++) {
      const double *w = &f->w[(size_t)(part->row + k) * (size_t)f->rows];
      AT(row, part->row + k) -= of[k];
      for (int j = 0; j < f->rows; j++) AT(row, j) += of[k] * rho * w[j];
    }
  }
}

static void cone_rows(hn_friction_problem *f, const hn_friction_part *part, const double *p) {
  const double rho = hn_friction_step(f, part);
  double x[3];
  for (int i = 0; i < 3; i++) x[i] = p[part->row + i] - rho * f->u[part->row + i];
  const int is_closed = x[0] > part->given;
  if (!is_closed && !(part->given > 0)) {
    for (int i = 0; i < 3; i++) force_row(f, p, part->row + i, 0);
    return;
  }
  if (is_closed) {
    velocity_row(f, rho, part->row);
  } else {
    x[0] = part->given;
    force_row(f, p, part->row, x[0]);
  }
  if (sqrt(x[1] * x[1] + x[2] * x[2]) > part->mu * x[0]) {
    slide_rows(f, part, rho, p, x, is_closed);
    return;
  }
  for (int i = 1; i < 3; i++) velocity_row(f, rho, part->row + i);
}

// p_T + mu p_N direction = 0
static void bound_rows(hn_friction_problem *f, const hn_friction_part *part, const double *p) {
  for (int i = 0; i < 2; i++) {
    const int row = part->row + 1 + i;
    force_row(f, p, row, -part->mu * part->direction[i] * p[part->row]);
    AT(row, part->row) = part->mu * part->direction[i];
  }
}

static void part_rows(hn_friction_problem *f, const hn_friction_part *part, const double *p) {
  const double rho = hn_friction_step(f, part), x = p[part->row] - rho * f->u[part->row];
  switch (part->law) {
  case HN_FRICTION_CONE: cone_rows(f, part, p); break;
  case HN_FRICTION_SLIDING:
    bound_rows(f, part, p);
    if (x > 0)
      velocity_row(f, rho, part->row);
    else
      force_row(f, p, part->row, 0);
    break;
  case HN_FRICTION_NORMAL:
    if (x > part->given)
      velocity_row(f, rho, part->row);
    else
      force_row(f, p, part->row, part->given);
    break;
  case HN_FRICTION_LIMITED:
    if (fabs(x) <= part->limit)
      velocity_row(f, rho, part->row);
    else
      force_row(f, p, part->row, x > 0 ? part->limit : -part->limit);
    break;
  case HN_FRICTION_DRAGGED: force_row(f, p, part->row, part->limit); break;
  case HN_FRICTION_HELD:
  case HN_FRICTION_STUCK:
    for (int i = 0; i < hn_friction_rows(part->law); i++) velocity_row(f, rho, part->row + i);
    break;
  }
}

// The best of some shares of the step; 0 when none is better.
static int take_step(hn_friction_problem *f, double *p, double *residual) {
  double share = 1;
  for (int k = 0; k < HALVINGS; k++, share *= 0.5) {
    for (int i = 0; i < f->rows; i++) f->trial[i] = p[i] + share * f->step[i];
    hn_friction_velocities(f, f->trial, f->trial_u);
    const double there = hn_friction_residual(f, f->trial, f->trial_u, NULL);
    if (!(there < *residual)) continue;
    *residual = there;
    memcpy(p, f->trial, (size_t)f->rows * sizeof(double));
    memcpy(f->u, f->trial_u, (size_t)f->rows * sizeof(double));
    return 1;
  }
  return 0;
}

int hn_friction_newton(hn_friction_problem *f, double enough, double *p, double *residual) {
  int k = 0;
  hn_friction_velocities(f, p, f->u);
  for (; k < ITERATIONS && !(*residual <= enough); k++) {
    for (int i = 0; i < f->parts; i++) part_rows(f, &f->part[i], p);
    hn_least_norm(f->jacobian, f->rows, f->rows, HN_RANK_SOLVED, f->right, f->step, f->order,
                  f->work, NULL);
    if (!take_step(f, p, residual)) return k + 1;
  }
  return k;
}

// ---- given modes --------------------------------------------------------------------------------

static void slide_from_rest(hn_friction_problem *f, const hn_friction_part *part, const double *p) {
  const double *t = p + part->row + 1, size = sqrt(t[0] * t[0] + t[1] * t[1]);
  hn_friction_part along = *part;
  for (int i = 0; i < 2; i++) along.direction[i] = size > 0 ? -t[i] / size : 0;
  bound_rows(f, &along, f->trial);
}

static void grip_rows(hn_friction_problem *f, const hn_friction_part *part, hn_grip grip,
                      const double *start) {
  const double rho = hn_friction_step(f, part);
  const int rows = hn_friction_rows(part->law);
  for (int i = 0; i < rows; i++) {
    const int row = part->row + i;
    force_row(f, f->trial, row, 0);
    if (grip == HN_GRIP_OPEN || (grip == HN_GRIP_SLIDE && i > 0)) continue;
    velocity_row(f, rho, row);
    f->right[row] = -rho * f->q[row];
  }
  if (grip != HN_GRIP_SLIDE) return;
  if (part->law == HN_FRICTION_SLIDING)
    bound_rows(f, part, f->trial);
  else if (part->law == HN_FRICTION_CONE)
    slide_from_rest(f, part, start);
  else if (part->law == HN_FRICTION_DRAGGED)
    force_row(f, f->trial, part->row, part->limit);
  else if (part->law == HN_FRICTION_LIMITED)
    force_row(f, f->trial, part->row, start[part->row] < 0 ? -part->limit : part->limit);
}

void hn_friction_solve_grips(hn_friction_problem *f, const hn_grip *grips, double *p,
                             double *rest) {
  memset(f->trial, 0, (size_t)f->rows * sizeof(double)); // equations are evaluated at p = 0
  for (int k = 0; k < f->parts; k++) grip_rows(f, &f->part[k], grips[k], p);
  for (int j = 0; j < f->rows; j++)
    for (int i = 0; f->weight[j] != 1 && i < f->rows; i++) AT(i, j) *= f->weight[j];
  hn_least_norm(f->jacobian, f->rows, f->rows, HN_RANK_SOLVED, f->right, p, f->order, f->work,
                rest);
  for (int j = 0; j < f->rows; j++) p[j] *= f->weight[j];
  hn_friction_velocities(f, p, f->u);
}
