// Several contacts at once (friction.h): sweeps of exact local solutions, residuals, modes.
#include "contact/friction.h"

#include <math.h>
#include <string.h>

#include "contact/friction_private.h"
#include "linalg/rank.h"

enum { SWEEPS = 30, MOST_SWEEPS = 2000, ROUNDS = 60, MOST_CENTERED = 120 };
enum { PATIENCE = 30 }; // sweeps a row, before they are given up for the path through the inside
#define GIVES_WAY 1e-6  // of its own response, where points share a load
#define MOST_WORK 1e9   // of sweeps, multiplications
#define NEARER 0.5      // the residual after SWEEPS, of the one before
enum { SOON = 300 };    // sweeps

hn_status hn_friction_create(hn_arena *arena, int most_rows, int most_parts,
                             hn_friction_problem *problem) {
  double **vectors[] = {&problem->q,         &problem->u,       &problem->right, &problem->step,
                        &problem->trial,     &problem->trial_u, &problem->inner, &problem->dual,
                        &problem->dual_step, &problem->sharp};
  *problem = (hn_friction_problem){.most_rows = most_rows, .most_parts = most_parts};
  problem->w = HN_KEEP(arena, double, (size_t)most_rows *(size_t)most_rows);
  problem->jacobian = HN_KEEP(arena, double, (size_t)most_rows *(size_t)most_rows);
  for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++)
    *vectors[k] = HN_KEEP(arena, double, most_rows);
  problem->work = HN_KEEP(arena, double, 4 * most_rows);
  problem->order = HN_KEEP(arena, int, most_rows);
  problem->slowness = HN_KEEP(arena, double, most_parts);
  problem->weight = HN_KEEP(arena, double, most_rows);
  for (int k = 0; problem->weight && k < most_rows; k++) problem->weight[k] = 1;
  problem->part = HN_KEEP(arena, hn_friction_part, most_parts);
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

static double row_velocity(const hn_friction_problem *f, const double *p, int row) {
  const double *column = &f->w[(size_t)row * (size_t)f->rows]; // symmetric
  double sum = f->q[row];
  for (int j = 0; j < f->rows; j++) sum += column[j] * p[j];
  return sum;
}

void hn_friction_velocities(const hn_friction_problem *f, const double *p, double *u) {
  for (int i = 0; i < f->rows; i++) u[i] = row_velocity(f, p, i);
}

double hn_friction_step(const hn_friction_problem *f, const hn_friction_part *part) {
  const int rows = hn_friction_rows(part->law);
  double most = 0;
  for (int i = 0; i < rows; i++)
    most = fmax(most, f->w[(size_t)(part->row + i) * (size_t)(f->rows + 1)]);
  return most > 0 ? 1 / most : 1;
}

double hn_friction_slope(const hn_friction_problem *f, const hn_friction_part *part) {
  const double *column = &f->w[(size_t)part->row * (size_t)(f->rows + 1)];
  return column[0] - part->mu * (column[1] * part->direction[0] + column[2] * part->direction[1]);
}

// As Alart and Curnier have it, for a cone whose normal impulse is given in part.
static double given_residual(const hn_friction_part *part, double rho, const double *p,
                             const double *u) {
  const double normal = p[0] - fmax(part->given, p[0] - rho * u[0]);
  const double x = p[1] - rho * u[1], y = p[2] - rho * u[2], size = sqrt(x * x + y * y);
  const double radius = part->mu * fmax(0, p[0]), share = size > radius ? radius / size : 1;
  return sqrt(normal * normal + (p[1] - share * x) * (p[1] - share * x) +
              (p[2] - share * y) * (p[2] - share * y));
}

// |p_T + mu p_N direction|. Without it, diverging tangential impulses with p_N = 0 count as solved.
static double slide_residual(const hn_friction_part *part, const double *p) {
  const double x = p[1] + part->mu * p[0] * part->direction[0];
  const double y = p[2] + part->mu * p[0] * part->direction[1];
  return sqrt(x * x + y * y);
}

static double part_residual(const hn_friction_problem *f, const hn_friction_part *part,
                            const double *p, const double *u) {
  const double rho = hn_friction_step(f, part);
  const double *pk = p + part->row, *uk = u + part->row;
  if (part->law == HN_FRICTION_CONE && part->given > 0) return given_residual(part, rho, pk, uk);
  if (part->law == HN_FRICTION_CONE) return hn_cone_residual(part->mu, rho, pk, uk);
  if (part->law == HN_FRICTION_LIMITED) {
    const double x = pk[0] - rho * uk[0];
    return fabs(pk[0] - fmax(-part->limit, fmin(part->limit, x)));
  }
  if (part->law == HN_FRICTION_DRAGGED) return fabs(pk[0] - part->limit);
  if (hn_friction_is_held(part->law)) {
    double most = 0;
    for (int i = 0; i < hn_friction_rows(part->law); i++) most = fmax(most, rho * fabs(uk[i]));
    return most;
  }
  const double normal = fabs(pk[0] - fmax(part->given, pk[0] - rho * uk[0]));
  return part->law == HN_FRICTION_SLIDING ? fmax(normal, slide_residual(part, pk)) : normal;
}

double hn_friction_residual(const hn_friction_problem *f, const double *p, const double *u,
                            int *worst) {
  double most = 0;
  if (worst) *worst = -1;
  for (int k = 0; k < f->parts; k++) {
    const double residual = part_residual(f, &f->part[k], p, u);
    if (residual <= most) continue;
    most = residual;
    if (worst) *worst = k;
  }
  return most;
}

// ---- sweeps -------------------------------------------------------------------------------------

// With the given normal impulse alone; 0: the bodies still approach.
static int solve_given(double w[3][3], const double q[3], const hn_friction_part *part,
                       double *slowness, double *p) {
  double apart[3][3] = {{1, 0, 0}, {0, w[1][1], w[1][2]}, {0, w[2][1], w[2][2]}};
  const double beside[3] = {-part->given, q[1] + w[1][0] * part->given,
                            q[2] + w[2][0] * part->given};
  hn_cone_solve(apart, beside, part->mu, slowness, p);
  return q[0] + w[0][0] * p[0] + w[0][1] * p[1] + w[0][2] * p[2] >= 0;
}

static void solve_cone(hn_friction_problem *f, int k, double *p) {
  const hn_friction_part *part = &f->part[k];
  double w[3][3], q[3], *pk = p + part->row;
  for (int i = 0; i < 3; i++) {
    const double *column = &f->w[(size_t)(part->row + i) * (size_t)f->rows + (size_t)part->row];
    q[i] = row_velocity(f, p, part->row + i);
    for (int j = 0; j < 3; j++) {
      w[i][j] = column[j];
      q[i] -= column[j] * pk[j];
    }
    w[i][i] *= 1 + 1e-14; // a direction that cannot move is fixed for any force: use zero
  }
  const double least = 1e-13 * (w[0][0] + w[1][1] + w[2][2]);
  for (int i = 0; i < 3; i++) w[i][i] += least;
  if (part->given > 0 && solve_given(w, q, part, &f->slowness[k], pk)) return;
  hn_cone_solve(w, q, part->mu, &f->slowness[k], pk);
}

static void solve_sliding(hn_friction_problem *f, int k, double *p) {
  const hn_friction_part *part = &f->part[k];
  double *pk = p + part->row, slope = hn_friction_slope(f, part);
  const double normal = f->w[(size_t)part->row * (size_t)(f->rows + 1)];
  // where friction pushes the bodies together Gauss-Seidel would run away: Newton's method has to
  // do it
  if (slope < 0.1 * normal) slope = normal;
  if (!(slope > 0)) return;
  pk[0] = fmax(0, pk[0] - row_velocity(f, p, part->row) / slope);
  for (int i = 0; i < 2; i++) pk[1 + i] = -part->mu * pk[0] * part->direction[i];
}

static void solve_row(hn_friction_problem *f, int k, double *p) {
  const hn_friction_part *part = &f->part[k];
  const double w = f->w[(size_t)part->row * (size_t)(f->rows + 1)];
  double *pk = p + part->row;
  if (!(w > 0)) return;
  const double x = *pk - row_velocity(f, p, part->row) / w;
  *pk = part->law == HN_FRICTION_NORMAL ? fmax(part->given, x)
                                        : fmax(-part->limit, fmin(part->limit, x));
}

static void solve_held(hn_friction_problem *f, int k, double *p) {
  const hn_friction_part *part = &f->part[k];
  for (int row = part->row; row < part->row + hn_friction_rows(part->law); row++) {
    const double w = f->w[(size_t)row * (size_t)(f->rows + 1)];
    if (w > 0) p[row] -= row_velocity(f, p, row) / w;
  }
}

static void sweep(hn_friction_problem *f, double *p) {
  for (int k = 0; k < f->parts; k++) switch (f->part[k].law) {
    case HN_FRICTION_CONE: solve_cone(f, k, p); break;
    case HN_FRICTION_SLIDING: solve_sliding(f, k, p); break;
    case HN_FRICTION_NORMAL:
    case HN_FRICTION_LIMITED: solve_row(f, k, p); break;
    case HN_FRICTION_DRAGGED: p[f->part[k].row] = f->part[k].limit; break;
    case HN_FRICTION_HELD:
    case HN_FRICTION_STUCK: solve_held(f, k, p); break;
    }
}

// The largest impulse that would stop one part alone, or is given.
static double natural_scale(const hn_friction_problem *f) {
  double most = 0;
  for (int k = 0; k < f->parts; k++) {
    const hn_friction_part *part = &f->part[k];
    const double rho = hn_friction_step(f, part);
    most = fmax(most, part->given);
    for (int i = 0; i < hn_friction_rows(part->law); i++)
      most = fmax(most, rho * fabs(f->q[part->row + i]));
  }
  return most;
}

static int has_given(const hn_friction_problem *f) {
  for (int k = 0; k < f->parts; k++)
    if (f->part[k].given > 0) return 1;
  return 0;
}

static int count_paradoxes(const hn_friction_problem *f) {
  int count = 0;
  for (int k = 0; k < f->parts; k++)
    count += f->part[k].law == HN_FRICTION_SLIDING && !(hn_friction_slope(f, &f->part[k]) > 0);
  return count;
}

// The residual; not finite where a velocity is not.
static double measure(const hn_friction_problem *f, const double *p) {
  double sum = 0;
  for (int i = 0; i < f->rows; i++) sum += 0 * (p[i] + f->u[i]);
  return hn_friction_residual(f, p, f->u, NULL) + sum;
}

// Sweeps, each time more of them, and Newton's method, until that is enough or so many sweeps are
// made.
static void iterate(hn_friction_problem *f, double enough, double most_sweeps, double *p,
                    hn_friction_report *report) {
  int sweeps = SWEEPS;
  for (int round = 0; round < ROUNDS && report->sweeps < most_sweeps; round++) {
    if (report->residual <= enough) return;
    const double before = report->residual;
    memcpy(f->dual, p, (size_t)f->rows * sizeof(double));
    for (int k = 0; k < sweeps; k++) sweep(f, p);
    report->sweeps += sweeps;
    hn_friction_velocities(f, p, f->u);
    report->residual = measure(f, p);
    if (report->residual <= enough) return;
    if (isfinite(report->residual))
      report->newtons += hn_friction_newton(f, enough, p, &report->residual);
    if (!isfinite(report->residual)) { // they ran away, where much friction presses bodies together
      memcpy(p, f->dual, (size_t)f->rows * sizeof(double));
      hn_friction_velocities(f, p, f->u);
      report->residual = before;
      return;
    }
    if (report->residual > 0.5 * before && sweeps < MOST_SWEEPS) sweeps *= 2;
  }
}

// Where sweeps hardly come nearer: the path through the inside, then sweeps again; the best counts.
static void insist(hn_friction_problem *f, double enough, double most_sweeps, double *p,
                   hn_friction_report *report) {
  hn_friction_interior(f, report->scale, enough, p, &report->residual);
  report->newtons += hn_friction_newton(f, enough, p, &report->residual);
  if (report->residual <= enough) return;
  const double best = report->residual;
  memcpy(f->inner, p, (size_t)f->rows * sizeof(double));
  iterate(f, enough, most_sweeps, p, report);
  if (!(report->residual > best)) return;
  memcpy(p, f->inner, (size_t)f->rows * sizeof(double));
  hn_friction_velocities(f, p, f->u);
  report->residual = best;
}

// Adds a small compliance: bodies that just fit between others could otherwise stick by arbitrary
// internal forces.
static void give_way(hn_friction_problem *f) {
  for (int i = 0; i < f->rows; i++) {
    double *w = &f->w[(size_t)i * (size_t)(f->rows + 1)];
    f->sharp[i] = *w;
    *w *= 1 + GIVES_WAY;
  }
}

void hn_friction_center(hn_friction_problem *f, double tolerance, double *p) {
  const size_t size = (size_t)f->rows * sizeof(double);
  memset(p, 0, size);
  if (f->rows == 0 || f->rows > MOST_CENTERED || count_paradoxes(f) > 0) return;
  memcpy(f->jacobian, f->w, size * (size_t)f->rows);
  memset(f->right, 0, size);
  if (hn_least_norm(f->jacobian, f->rows, f->rows, HN_RANK_SOLVED, f->right, f->step, f->order,
                    f->work, NULL) == f->rows)
    return;
  const double scale = natural_scale(f);
  give_way(f);
  hn_friction_velocities(f, p, f->u);
  double residual = hn_friction_residual(f, p, f->u, NULL);
  hn_friction_interior(f, scale, tolerance * scale, p, &residual);
  hn_friction_newton(f, tolerance * scale, p, &residual);
  for (int i = 0; i < f->rows; i++) f->w[(size_t)i * (size_t)(f->rows + 1)] = f->sharp[i];
  hn_friction_velocities(f, p, f->u);
  residual = hn_friction_residual(f, p, f->u, NULL);
  hn_friction_newton(f, tolerance * scale, p, &residual);
}

// Sweeps alone, as long as a few of them come nearer.
static void sweep_soon(hn_friction_problem *f, double enough, double *p,
                       hn_friction_report *report) {
  double before = HUGE_VAL;
  while (report->residual > enough && report->sweeps < SOON && report->residual < NEARER * before) {
    before = report->residual;
    memcpy(f->dual, p, (size_t)f->rows * sizeof(double));
    for (int k = 0; k < SWEEPS; k++) sweep(f, p);
    report->sweeps += SWEEPS;
    hn_friction_velocities(f, p, f->u);
    report->residual = measure(f, p);
    if (report->residual <= before) continue;
    memcpy(p, f->dual, (size_t)f->rows * sizeof(double)); // they ran away
    hn_friction_velocities(f, p, f->u);
    report->residual = measure(f, p);
    return;
  }
}

void hn_friction_solve(hn_friction_problem *f, double tolerance, double *p,
                       hn_friction_report *report) {
  *report = (hn_friction_report){.scale = natural_scale(f), .paradoxes = count_paradoxes(f)};
  for (int k = 0; k < f->parts; k++) {
    const hn_friction_part *part = &f->part[k];
    f->slowness[k] = 0;
    for (int i = 0; part->law == HN_FRICTION_SLIDING && i < 2; i++)
      p[part->row + 1 + i] = -part->mu * p[part->row] * part->direction[i];
  }
  double enough = tolerance * report->scale;
  const double most_sweeps = MOST_WORK / fmax(1, (double)f->rows * f->rows);
  hn_friction_velocities(f, p, f->u);
  report->residual = hn_friction_residual(f, p, f->u, NULL);
  if (f->acceptable > enough) {
    sweep_soon(f, enough, p, report);
    if (report->residual > enough) enough = f->acceptable;
  }
  iterate(f, enough, fmin(most_sweeps, PATIENCE * f->rows), p, report);
  if (report->residual > enough && report->paradoxes == 0 && !has_given(f))
    insist(f, enough, most_sweeps, p, report);
  else
    iterate(f, enough, most_sweeps, p, report);
  report->is_solved = report->residual <= enough;
}

hn_grip hn_friction_grip(const hn_friction_problem *f, const double *p, const double *u, int k) {
  const hn_friction_part *part = &f->part[k];
  const double *pk = p + part->row, *uk = u + part->row, rho = hn_friction_step(f, part);
  switch (part->law) {
  case HN_FRICTION_CONE: {
    const double x = pk[1] - rho * uk[1], y = pk[2] - rho * uk[2], normal = pk[0] - rho * uk[0];
    if (!(normal > 0)) return HN_GRIP_OPEN;
    return sqrt(x * x + y * y) <= part->mu * normal * (1 + 1e-9) ? HN_GRIP_STICK : HN_GRIP_SLIDE;
  }
  case HN_FRICTION_SLIDING: return pk[0] - rho * uk[0] > 0 ? HN_GRIP_SLIDE : HN_GRIP_OPEN;
  case HN_FRICTION_NORMAL: return pk[0] - rho * uk[0] > 0 ? HN_GRIP_STICK : HN_GRIP_OPEN;
  case HN_FRICTION_HELD:
  case HN_FRICTION_STUCK: return HN_GRIP_STICK;
  case HN_FRICTION_DRAGGED: return HN_GRIP_SLIDE;
  case HN_FRICTION_LIMITED: break;
  }
  return fabs(pk[0] - rho * uk[0]) <= part->limit * (1 + 1e-9) ? HN_GRIP_STICK : HN_GRIP_SLIDE;
}
