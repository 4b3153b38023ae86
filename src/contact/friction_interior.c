// Interior-point method for the laws of friction.h, if iterations and Newton's method stall:
// statically indeterminate points, and slips close to zero. With
//
//   a = (mu p_N, p_T),   b = (u_N / mu + |u_T|, u_T)
//
// Coulomb's law is: a and b in the cone of second order, a o b = 0 (product of Jordan). Newton's
// method follows a o b = (barrier, 0, 0), barrier to 0, with b as unknowns of their own; normals
// without friction have p u_N = barrier, friction of a given load u (limit^2 - p^2) = -2 barrier p.
// The path ends in the middle of all solutions: points that can stick are well within their cones.
#include <math.h>
#include <string.h>

#include "contact/friction_private.h"
#include "linalg/rank.h"

enum { ITERATIONS = 60 };
#define NEAR_BORDER 0.95 // fraction of the step to the boundary
#define SHORTEST 1e-5    // of steps
#define LAST 1e-15       // barrier, of the first: rounding takes over

// Row i of the Jacobian, column-major.
#define AT(i, j) f->jacobian[(size_t)(j) * (size_t)f->rows + (size_t)(i)]

static int is_cone(const hn_friction_part *part) {
  return part->law == HN_FRICTION_CONE && part->mu > 0;
}

// It has a normal force p >= 0.
static int is_pressed(const hn_friction_part *part) {
  return part->law == HN_FRICTION_CONE || part->law == HN_FRICTION_SLIDING ||
         part->law == HN_FRICTION_NORMAL;
}

static const double *row_of(const hn_friction_problem *f, int row) {
  return &f->w[(size_t)row * (size_t)f->rows];
}

// p scaled for the cone of second order.
static void scaled(const hn_friction_part *part, const double *p, double a[3]) {
  a[0] = part->mu * p[part->row];
  a[1] = p[part->row + 1];
  a[2] = p[part->row + 2];
}

// b of u, and where it depends on u_N and u_T.
static void dual_of(const hn_friction_part *part, const double *u, double b[3], double by[3]) {
  const double *uk = u + part->row, slip = sqrt(uk[1] * uk[1] + uk[2] * uk[2]);
  by[0] = 1 / part->mu;
  for (int i = 1; i < 3; i++) {
    by[i] = slip > 0 ? uk[i] / slip : 0;
    b[i] = uk[i];
  }
  b[0] = uk[0] / part->mu + slip;
}

static double slope_of(const hn_friction_problem *f, const hn_friction_part *part,
                       const double by[3], int i, int j) {
  if (i > 0) return row_of(f, part->row + i)[j];
  double sum = 0;
  for (int k = 0; k < 3; k++) sum += by[k] * row_of(f, part->row + k)[j];
  return sum;
}

// a o b = (barrier, 0, 0) with b + db = b(u) + (db / dp) dp
static void cone_rows(hn_friction_problem *f, const hn_friction_part *part, const double *p,
                      double barrier) {
  double a[3], b[3], by[3];
  const double *y = &f->dual[part->row];
  scaled(part, p, a);
  dual_of(part, f->u, b, by);
  for (int i = 0; i < 3; i++) {
    const int row = part->row + i;
    // rows of the products: (a.b, a0 b + b0 a)
    double of_b[3] = {a[i], 0, 0}, of_a[3] = {y[i], 0, 0};
    for (int k = 1; k < 3; k++) {
      of_b[k] = i == 0 ? a[k] : i == k ? a[0] : 0;
      of_a[k] = i == 0 ? y[k] : i == k ? y[0] : 0;
    }
    f->right[row] = i == 0 ? barrier : 0;
    for (int k = 0; k < 3; k++) f->right[row] -= of_b[k] * b[k];
    for (int j = 0; j < f->rows; j++) {
      AT(row, j) = 0;
      for (int k = 0; k < 3; k++)
        if (of_b[k] != 0) AT(row, j) += of_b[k] * slope_of(f, part, by, k, j);
    }
    for (int k = 0; k < 3; k++) AT(row, part->row + k) += of_a[k] * (k == 0 ? part->mu : 1);
  }
}

// p u = barrier, and friction bounded by the normal force.
static void pressed_rows(hn_friction_problem *f, const hn_friction_part *part, const double *p,
                         double barrier) {
  const int row = part->row;
  for (int j = 0; j < f->rows; j++) AT(row, j) = p[row] * row_of(f, row)[j];
  AT(row, row) += f->dual[row];
  f->right[row] = barrier - p[row] * f->u[row];
  for (int i = 1; i < hn_friction_rows(part->law); i++) {
    const double share = part->law == HN_FRICTION_SLIDING ? part->mu * part->direction[i - 1] : 0;
    for (int j = 0; j < f->rows; j++) AT(row + i, j) = 0;
    AT(row + i, row + i) = 1;
    AT(row + i, row) = share;
    f->right[row + i] = -p[row + i] - share * p[row];
  }
}

static void other_rows(hn_friction_problem *f, const hn_friction_part *part, const double *p,
                       double barrier) {
  const int is_held = hn_friction_is_held(part->law);
  const int is_limited = part->law == HN_FRICTION_LIMITED && part->limit > 0;
  for (int row = part->row; row < part->row + hn_friction_rows(part->law); row++) {
    const double inside = part->limit * part->limit - p[row] * p[row];
    const double share = is_held ? 1 : is_limited ? inside : 0;
    const double own = is_limited ? 2 * (barrier - f->u[row] * p[row]) : is_held ? 0 : 1;
    for (int j = 0; j < f->rows; j++) AT(row, j) = share * row_of(f, row)[j];
    AT(row, row) += own;
    f->right[row] = is_held      ? -f->u[row]
                    : is_limited ? -f->u[row] * inside - 2 * barrier * p[row]
                                 : part->limit - p[row];
  }
}

// The changes of b that go with those of p.
static void find_dual_step(hn_friction_problem *f) {
  for (int k = 0; k < f->parts; k++) {
    const hn_friction_part *part = &f->part[k];
    double b[3] = {f->u[part->row]}, by[3] = {1};
    if (!is_pressed(part)) continue;
    if (is_cone(part)) dual_of(part, f->u, b, by);
    for (int i = 0; i < (is_cone(part) ? 3 : 1); i++) {
      double sum = b[i] - f->dual[part->row + i];
      for (int j = 0; j < f->rows; j++)
        sum += (is_cone(part) ? slope_of(f, part, by, i, j) : row_of(f, part->row)[j]) * f->step[j];
      f->dual_step[part->row + i] = sum;
    }
  }
}

// How many times d leads from a, inside the cone of second order (of the half line), to its border.
static double cone_room(const double a[3], const double d[3]) {
  const double square = d[0] * d[0] - d[1] * d[1] - d[2] * d[2];
  const double mixed = a[0] * d[0] - a[1] * d[1] - a[2] * d[2];
  const double inside = a[0] * a[0] - a[1] * a[1] - a[2] * a[2];
  const double root = mixed * mixed - square * inside;
  const double below = root >= 0 ? sqrt(root) - mixed : 0;
  return below > 0 ? fmax(0, inside) / below : HUGE_VAL;
}

static double line_room(double a, double d) { return d < 0 ? -a / d : HUGE_VAL; }

static double room_of(const hn_friction_problem *f, const hn_friction_part *part, const double *p) {
  const int row = part->row;
  if (is_cone(part)) {
    double a[3], d[3];
    scaled(part, p, a);
    scaled(part, f->step, d);
    return fmin(cone_room(a, d), cone_room(&f->dual[row], &f->dual_step[row]));
  }
  if (is_pressed(part))
    return fmin(line_room(p[row], f->step[row]), line_room(f->dual[row], f->dual_step[row]));
  if (part->law != HN_FRICTION_LIMITED || !(part->limit > 0)) return HUGE_VAL;
  return fmin(line_room(part->limit + p[row], f->step[row]),
              line_room(part->limit - p[row], -f->step[row]));
}

// The mean of a . b; -1: nothing presses.
static double mean_product(const hn_friction_problem *f, const double *p) {
  double sum = 0;
  int count = 0;
  for (int k = 0; k < f->parts; k++) {
    const hn_friction_part *part = &f->part[k];
    if (!is_pressed(part)) continue;
    double a[3] = {p[part->row]};
    if (is_cone(part)) scaled(part, p, a);
    for (int i = 0; i < (is_cone(part) ? 3 : 1); i++) sum += a[i] * f->dual[part->row + i];
    count++;
  }
  return count > 0 ? sum / count : -1;
}

static void start(hn_friction_problem *f, double scale, double speed, double *p) {
  for (int i = 0; i < f->rows; i++) p[i] = f->dual[i] = f->dual_step[i] = 0;
  for (int k = 0; k < f->parts; k++) {
    const hn_friction_part *part = &f->part[k];
    if (!is_pressed(part)) continue;
    p[part->row] = scale;
    f->dual[part->row] = speed;
    for (int i = 0; part->law == HN_FRICTION_SLIDING && i < 2; i++)
      p[part->row + 1 + i] = -part->mu * scale * part->direction[i];
  }
}

// One step towards the barrier; its length, as a share.
static double advance(hn_friction_problem *f, double barrier, double *p) {
  double share = HUGE_VAL;
  for (int k = 0; k < f->parts; k++) {
    const hn_friction_part *part = &f->part[k];
    if (is_cone(part))
      cone_rows(f, part, p, barrier);
    else if (is_pressed(part))
      pressed_rows(f, part, p, barrier);
    else
      other_rows(f, part, p, barrier);
  }
  hn_least_norm(f->jacobian, f->rows, f->rows, HN_RANK_SOLVED, f->right, f->step, f->order, f->work,
                NULL);
  find_dual_step(f);
  for (int k = 0; k < f->parts; k++) share = fmin(share, room_of(f, &f->part[k], p));
  share = fmin(1, NEAR_BORDER * share);
  for (int i = 0; i < f->rows; i++) {
    p[i] += share * f->step[i];
    f->dual[i] += share * f->dual_step[i];
  }
  return share;
}

void hn_friction_interior(hn_friction_problem *f, double scale, double enough, double *p,
                          double *residual) {
  double *inner = f->inner, speed = 0, share = 1, best = *residual;
  for (int i = 0; i < f->rows; i++) speed = fmax(speed, fabs(f->q[i]));
  start(f, scale, speed, inner);
  double barrier = scale * speed;
  const double last = LAST * barrier;
  for (int k = 0; k < ITERATIONS && best > enough && share > SHORTEST && barrier > last; k++) {
    const double mean = mean_product(f, inner);
    barrier = (share > 0.8 ? 0.1 : 0.5) * (mean >= 0 ? mean : barrier);
    hn_friction_velocities(f, inner, f->u);
    share = advance(f, barrier, inner);
    hn_friction_velocities(f, inner, f->u);
    const double there = hn_friction_residual(f, inner, f->u, NULL);
    if (!(there < best)) continue;
    best = there;
    memcpy(p, inner, (size_t)f->rows * sizeof(double));
  }
  hn_friction_velocities(f, p, f->u);
  *residual = best;
}
