// The dense solver of constraints with conditions (delassus.h).
//
// Alart and Curnier's equations: with s = p - rho u of a block,
//
//   p_N - max(0, s_N) = 0,   p_T - proj(s_T; radius mu p_N) = 0
//
// where constraints that are open are dropped and rows of sliding ones are scaled to the size of W.
// Newton's matrix is W + lm / rho on rows that hold: a proximal term that keeps dependent rows
// solvable. Full steps may raise the residual and still arrive; the best of them is kept.
#include "contact/delassus.h"

#include <math.h>
#include <string.h>

#include "base/variants.h"
#include "contact/delassus_private.h"

#define TINY 1e-300
#define PROXIMAL 3e-5     // first proximal term of Newton's matrix, of W's diagonal
#define NEARER 0.1        // of squares: such a step is one of the last
#define PROXIMAL_MIN 1e-9 // bounds of it
#define PROXIMAL_MAX 1e-2
#define FLOOR 1e-12 // added to W's diagonal, relative
#define POLISHED 1e4   // of the tolerance: residuals from which Newton's method leaves the path
#define CLOSER 0.1     // ... again, of the residual there
#define PROXIMAL_POLISH 1e-6
#define STRAYS 1e3     // growth of the residual by its first step that ends it
#define SLOWLY 0.5     // a decrease that is too small to continue for long
enum {
  SWEPT = 4, // blocks up to which iterations of Gauss-Seidel come first: of one they are exact
  SWEEPS_FIRST = 2,
  SWEEPS_AGAIN = 40,
  FULL_STEPS = 8,    // Newton steps without a test
  SEARCHED = 6,      // ... with a line search
  LENGTHS = 3,       // step lengths tried
  REJECTIONS = 3,    // rejected steps that end the search
  EXTRA_SWEEPS = 8,  // after a rejected step, at most
  PATH_STEPS = 30,   // of the path through the inside
  POLISH_STEPS = 8,  // Newton steps from a point of it
  POLISH_FREELY = 3  // ... before each must come much nearer
};

enum { OPEN, HOLDS, STICKS, SLIDES, AT_LOWER, AT_UPPER };

hn_status hn_delassus_create(hn_arena *arena, int capacity, hn_delassus *d) {
  const size_t n = (size_t)capacity, rows = 3 * n;
  *d = (hn_delassus){.capacity = capacity, .wide = hn_is_wide()};
  d->block = HN_WORK(arena, hn_delassus_block, n);
  d->w = HN_WORK(arena, double, 12 * n * n);
  d->q = HN_WORK(arena, hn_delassus_vector, n);
  d->p = HN_WORK(arena, hn_delassus_vector, n);
  d->u = HN_WORK(arena, hn_delassus_vector, n);
  d->start = HN_WORK(arena, hn_delassus_vector, n);
  d->target = HN_WORK(arena, hn_delassus_vector, n);
  d->best = HN_WORK(arena, hn_delassus_vector, n);
  d->kept = HN_WORK(arena, hn_delassus_vector, n);
  d->inner = HN_WORK(arena, hn_delassus_vector, n);
  d->dual = HN_WORK(arena, hn_delassus_vector, n);
  d->dual_step = HN_WORK(arena, hn_delassus_vector, n);
  d->rho = HN_WORK(arena, double, n);
  d->slip_rho = HN_WORK(arena, double, n);
  d->inverse = HN_WORK(arena, double, 6 * n);
  d->first = HN_WORK(arena, int, n);
  d->state = HN_WORK(arena, int, n);
  d->matrix = HN_WORK(arena, double, (rows + 3) * (rows + 7));
  d->x = HN_WORK(arena, double, rows + 3);
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

// ---- a block ------------------------------------------------------------------------------------

HN_INLINE double clamp(double x, double lower, double upper) { return fmin(fmax(x, lower), upper); }

// Impulse of one row that its law allows, nearest to x.
HN_INLINE double bound(const hn_delassus_block *b, double x) {
  switch (b->law) {
  case HN_DELASSUS_BOX: return clamp(x, b->lower, b->upper);
  case HN_DELASSUS_BILATERAL: return x;
  case HN_DELASSUS_CONE:
  case HN_DELASSUS_SPIN:
  case HN_DELASSUS_UNILATERAL: break;
  }
  return x > 0 ? x : 0;
}

// 1 / responses, and the inverse of the block's own response.
static void prepare(hn_delassus *d) {
  d->spins = 0;
  for (int i = 0; i < d->count; i++) {
    double *w = hn_delassus_at(d, i, i), *x = &d->inverse[6 * i];
    const int is_wide = hn_delassus_size(d->block[i].law) == 3;
    d->spins += d->block[i].law == HN_DELASSUS_SPIN;
    const double mean = is_wide ? (w[0] + w[5] + w[10]) / 3 : w[0];
    const double size = mean > 0 ? mean : 1; // of what does not move at all
    d->rho[i] = 1 / size;
    w[0] += FLOOR * size;
    d->slip_rho[i] = d->rho[i];
    if (!is_wide) {
      memset(&d->p[i][1], 0, 3 * sizeof(double));
      continue;
    }
    w[5] += FLOOR * size;
    w[10] += FLOOR * size;
    d->p[i][3] = 0;
    const double a = w[0], b = w[4], c = w[8], e = w[5], f = w[9], g = w[10];
    const double k = e * g - f * f, l = c * f - b * g, m = b * f - c * e;
    const double inverse = 1 / (a * k + b * l + c * m);
    const double of[6] = {k * inverse,
                          l * inverse,
                          m * inverse,
                          (a * g - c * c) * inverse,
                          (b * c - a * f) * inverse,
                          (a * e - b * b) * inverse};
    memcpy(x, of, sizeof of);
    const double middle = 0.5 * (e + g), half = 0.5 * (e - g);
    d->slip_rho[i] = 1 / (middle + sqrt(half * half + f * f));
  }
}

// A contact that slides, or a spin: its first row has the impulse `first`; then two projected steps
// of the others into a disk.
HN_INLINE void slide(const hn_delassus *d, int i, const double u[4], double first, double radius,
                     double *p) {
  const double *w = hn_delassus_at(d, i, i), change = first - p[0], rho = d->slip_rho[i];
  double x = p[1], y = p[2], ux = u[1] + w[1] * change, uy = u[2] + w[2] * change;
  for (int k = 0; k < 2; k++) {
    double to_x = x - rho * ux, to_y = y - rho * uy;
    const double size = sqrt(to_x * to_x + to_y * to_y);
    const double part = size > radius ? radius / (size + TINY) : 1;
    to_x *= part;
    to_y *= part;
    ux += w[5] * (to_x - x) + w[9] * (to_y - y);
    uy += w[6] * (to_x - x) + w[10] * (to_y - y);
    x = to_x;
    y = to_y;
  }
  p[0] = first;
  p[1] = x;
  p[2] = y;
}

// The normal impulse that bounds a spin.
HN_INLINE double normal_of(const hn_delassus *d, int i) {
  return fmax(0, d->p[d->block[i].normal][0]);
}

HN_INLINE void turn(const hn_delassus *d, int i, const double u[4], double *p) {
  const hn_delassus_block *b = &d->block[i];
  const double normal = normal_of(d, i), most = b->torsion * normal;
  const double first = clamp(p[0] - u[0] / hn_delassus_at(d, i, i)[0], -most, most);
  slide(d, i, u, first, b->rolling * normal, p);
}

HN_INLINE void sweep(const hn_delassus *d) {
  for (int i = 0; i < d->count; i++) {
    const hn_delassus_block *b = &d->block[i];
    double u[4], *p = d->p[i];
    velocity(d, i, u);
    if (b->law == HN_DELASSUS_SPIN) {
      turn(d, i, u, p);
      continue;
    }
    if (b->law != HN_DELASSUS_CONE) {
      p[0] = bound(b, p[0] - u[0] / hn_delassus_at(d, i, i)[0]);
      continue;
    }
    const double *v = &d->inverse[6 * i];
    const double x = p[0] - (v[0] * u[0] + v[1] * u[1] + v[2] * u[2]);
    const double y = p[1] - (v[1] * u[0] + v[3] * u[1] + v[4] * u[2]);
    const double z = p[2] - (v[2] * u[0] + v[4] * u[1] + v[5] * u[2]);
    if (x > 0 && y * y + z * z <= b->mu * b->mu * x * x) {
      p[0] = x;
      p[1] = y;
      p[2] = z;
      continue;
    }
    const double normal = fmax(0, p[0] - u[0] / hn_delassus_at(d, i, i)[0]);
    slide(d, i, u, normal, b->mu * normal, p);
  }
}

// Parts of |p - proj_K(p - rho u~)| of a contact: the largest.
HN_INLINE double cone_residual(double mu, double rho, const double *p, const double *u) {
  const double slip = sqrt(u[1] * u[1] + u[2] * u[2]);
  double a = p[0] - rho * (u[0] + mu * slip), b = p[1] - rho * u[1], c = p[2] - rho * u[2];
  const double size = sqrt(b * b + c * c);
  if (mu * size <= -a) {
    a = b = c = 0;
  } else if (size > mu * a) {
    a = (a + mu * size) / (1 + mu * mu);
    const double part = mu * a / (size + TINY);
    b *= part;
    c *= part;
  }
  return fmax(fabs(a - p[0]), fmax(fabs(b - p[1]), fabs(c - p[2])));
}

// Parts of |p - proj_K(p - rho u)| of a spin, as normal impulses that have such bounds: the largest.
HN_INLINE double spin_residual(const hn_delassus *d, int i, const double *p, const double *u) {
  const hn_delassus_block *b = &d->block[i];
  const double rho = d->rho[i], normal = normal_of(d, i);
  const double most = b->torsion * normal, radius = b->rolling * normal;
  const double x = p[1] - rho * u[1], y = p[2] - rho * u[2], size = sqrt(x * x + y * y);
  const double part = size > radius ? radius / (size + TINY) : 1;
  const double turned = fabs(clamp(p[0] - rho * u[0], -most, most) - p[0]);
  const double rolled = fmax(fabs(part * x - p[1]), fabs(part * y - p[2]));
  return fmax(b->torsion > 0 ? turned / b->torsion : turned,
              b->rolling > 0 ? rolled / b->rolling : rolled);
}

// The largest; *sum: of squares, by which steps are compared. Writes u.
HN_INLINE double find_residual(hn_delassus *d, double *sum) {
  double worst = 0;
  *sum = 0;
  for (int i = 0; i < d->count; i++) {
    const hn_delassus_block *b = &d->block[i];
    const double *p = d->p[i];
    double *u = d->u[i];
    velocity(d, i, u);
    double rest;
    if (b->law == HN_DELASSUS_CONE)
      rest = cone_residual(b->mu, d->rho[i], p, u);
    else if (b->law == HN_DELASSUS_SPIN)
      rest = spin_residual(d, i, p, u);
    else
      rest = fabs(bound(b, p[0] - d->rho[i] * u[0]) - p[0]);
    if (!(rest <= worst)) worst = rest;
    *sum += rest * rest;
  }
  return worst;
}

// ---- Newton's method ----------------------------------------------------------------------------

// Which constraints act, at p and u; impulses of the others are set. Returns the rows of the matrix.
// *is_moved: 1 if an impulse has changed, u not.
HN_INLINE int choose_states(hn_delassus *d, int *is_moved) {
  int rows = 0;
  *is_moved = 0;
  for (int i = 0; i < d->count; i++) {
    const hn_delassus_block *b = &d->block[i];
    double *p = d->p[i];
    const double *u = d->u[i], rho = d->rho[i], s = p[0] - rho * u[0];
    d->first[i] = rows;
    d->state[i] = HOLDS;
    if (b->law == HN_DELASSUS_BOX && (s > b->upper || s < b->lower)) {
      const double end = s > b->upper ? b->upper : b->lower;
      d->state[i] = s > b->upper ? AT_UPPER : AT_LOWER;
      *is_moved |= p[0] != end;
      p[0] = end;
      continue;
    }
    if (b->law == HN_DELASSUS_BOX || b->law == HN_DELASSUS_BILATERAL) {
      rows += 1;
      continue;
    }
    // points come before their spins
    if (b->law == HN_DELASSUS_SPIN ? d->state[b->normal] == OPEN : !(s > 0)) {
      d->state[i] = OPEN;
      *is_moved |= p[0] != 0 || p[1] != 0 || p[2] != 0;
      p[0] = p[1] = p[2] = 0;
      continue;
    }
    rows += hn_delassus_size(b->law);
    if (b->law != HN_DELASSUS_CONE) continue; // rows of a spin have states of their own
    const double x = p[1] - rho * u[1], y = p[2] - rho * u[2];
    d->state[i] = x * x + y * y <= b->mu * b->mu * s * s ? STICKS : SLIDES;
  }
  return rows;
}

HN_INLINE int is_in_matrix(int state) { return state != OPEN && state < AT_LOWER; }

// Rows of a sliding contact: p_T - mu p_N e(s) = 0 linearized, e = s / |s|, scaled by 1 / rho; p_N has
// column `of_normal`.
HN_INLINE void make_sliding_rows(const hn_delassus *d, int i, const double *u, double mu,
                                 double normal, int of_normal, int right, int width, double *at) {
  const double *p = d->p[i], rho = d->rho[i], scale = 1 / rho;
  const double x = p[1] - rho * u[1], y = p[2] - rho * u[2], size = sqrt(x * x + y * y) + TINY;
  const double e1 = x / size, e2 = y / size;
  const double share = fmin(1, mu * normal / size);
  const double a = share * (1 - e1 * e1), b = -share * e1 * e2, c = share * (1 - e2 * e2);
  double *r1 = at + width, *r2 = r1 + width;
  const int first = d->first[i];
  for (int k = 0; k < right; k += 4) {
    const hn_four v = HN_FOUR_OF(r1 + k), w = HN_FOUR_OF(r2 + k);
    HN_FOUR(r1 + k) = a * v + b * w;
    HN_FOUR(r2 + k) = b * v + c * w;
  }
  r1[of_normal] -= scale * mu * e1;
  r2[of_normal] -= scale * mu * e2;
  r1[first + 1] += scale * (1 - a);
  r1[first + 2] -= scale * b;
  r2[first + 1] -= scale * b;
  r2[first + 2] += scale * (1 - c);
  r1[right] = -scale * (p[1] - mu * normal * e1);
  r2[right] = -scale * (p[2] - mu * normal * e2);
}

// Rows of a spin whose point holds: those that turn or roll, in the way of sliding ones.
HN_INLINE void make_spin_rows(const hn_delassus *d, int i, const double *u, int right, int width,
                              double *at) {
  const hn_delassus_block *b = &d->block[i];
  const double *p = d->p[i], rho = d->rho[i], scale = 1 / rho, normal = normal_of(d, i);
  const int of_normal = d->first[b->normal];
  const double x = p[1] - rho * u[1], y = p[2] - rho * u[2], radius = b->rolling * normal;
  if (!(radius > 0) || x * x + y * y > radius * radius)
    make_sliding_rows(d, i, u, b->rolling, normal, of_normal, right, width, at);
  const double s = p[0] - rho * u[0], most = b->torsion * normal, e = s > 0 ? 1 : -1;
  if (most > 0 && fabs(s) <= most) return;
  memset(at, 0, (size_t)right * sizeof *at);
  at[of_normal] -= scale * b->torsion * e;
  at[d->first[i]] += scale;
  at[right] = -scale * (p[0] - e * most);
}

// Rows of the constraints in the matrix, then rows of the identity up to a multiple of four, `right`:
// the column of the right side.
HN_INLINE void make_matrix(hn_delassus *d, double lm, int is_moved, int rows, int right,
                           int width) {
  for (int i = 0; i < d->count; i++) {
    if (!is_in_matrix(d->state[i])) continue;
    double u[4], *at = d->matrix + (size_t)d->first[i] * (size_t)width;
    const int size = hn_delassus_size(d->block[i].law);
    if (is_moved)
      velocity(d, i, u);
    else
      memcpy(u, d->u[i], sizeof u);
    for (int r = 0; r < size; r++) {
      HN_FOUR(at + r * width + right - 4) = (hn_four){0, 0, 0, 0};
      HN_FOUR(at + r * width + right) = (hn_four){-u[r], 0, 0, 0};
    }
    for (int j = 0; j < d->count; j++) {
      if (!is_in_matrix(d->state[j])) continue;
      const double *w = hn_delassus_at(d, j, i); // rows of (i, j) are columns of (j, i)
      double *to = at + d->first[j];
      if (hn_delassus_size(d->block[j].law) == 1) {
        for (int r = 0; r < size; r++) to[r * width] = w[4 * r];
        continue;
      }
      for (int r = 0; r < size; r++) {
        HN_TWO(to, r * width) = HN_TWO_OF(w, 4 * r);
        to[r * width + 2] = w[4 * r + 2];
      }
    }
    for (int r = 0; r < size; r++) at[r * width + d->first[i] + r] += lm / d->rho[i];
    if (d->state[i] == SLIDES)
      make_sliding_rows(d, i, u, d->block[i].mu, d->p[i][0] > 0 ? d->p[i][0] : 0, d->first[i],
                        right, width, at);
    if (d->block[i].law == HN_DELASSUS_SPIN) make_spin_rows(d, i, u, right, width, at);
  }
  for (int r = rows; r < right; r++) {
    double *row = d->matrix + (size_t)r * (size_t)width;
    memset(row, 0, (size_t)width * sizeof *row);
    row[r] = 1;
  }
}

// The target of one Newton step from p; u must be present. 0: none.
HN_INLINE int find_target(hn_delassus *d, double lm) {
  int is_moved;
  const int rows = choose_states(d, &is_moved), right = (rows + 3) & ~3, width = right + 4;
  if (rows > 0) make_matrix(d, lm, is_moved, rows, right, width);
  if (rows > 0 && !eliminate(d, right, width)) return 0;
  for (int i = 0; i < d->count; i++) {
    const int size = is_in_matrix(d->state[i]) ? hn_delassus_size(d->block[i].law) : 0;
    memcpy(d->target[i], d->p[i], sizeof d->p[i]);
    for (int r = 0; r < size; r++) d->target[i][r] += d->x[d->first[i] + r];
  }
  return 1;
}

// p = start + part (target - start), then into its cone.
HN_INLINE void take_part(hn_delassus *d, double part) {
  for (int i = 0; i < d->count; i++) {
    const hn_delassus_block *b = &d->block[i];
    double *p = d->p[i];
    for (int r = 0; r < 4; r++) p[r] = d->start[i][r] + part * (d->target[i][r] - d->start[i][r]);
    const int is_spin = b->law == HN_DELASSUS_SPIN;
    if (b->law != HN_DELASSUS_CONE && !is_spin) {
      p[0] = bound(b, p[0]);
      continue;
    }
    const double normal = is_spin ? normal_of(d, i) : p[0];
    const double radius = (is_spin ? b->rolling : b->mu) * normal;
    const double square = p[1] * p[1] + p[2] * p[2];
    if (is_spin) p[0] = clamp(p[0], -b->torsion * normal, b->torsion * normal);
    if (!(normal > 0)) {
      p[0] = p[1] = p[2] = 0;
    } else if (square > radius * radius) {
      const double scale = radius / sqrt(square);
      p[1] *= scale;
      p[2] *= scale;
    }
  }
}

HN_INLINE void copy(const hn_delassus *d, hn_delassus_vector *from, hn_delassus_vector *to) {
  memcpy(to, from, (size_t)d->count * sizeof *from);
}

// Full steps until the residual is below `aim`, or below the tolerance and hardly shrinks; the best
// point is kept.
HN_INLINE double step_freely(hn_delassus *d, double aim, double tolerance,
                             hn_delassus_report *report) {
  double sum, least, rest = find_residual(d, &least), best = rest, lm = PROXIMAL;
  if (rest <= aim) return rest;
  copy(d, d->p, d->best);
  for (int k = 0; k < FULL_STEPS; k++) {
    const int is_enough = best <= tolerance;
    copy(d, d->p, d->start);
    if (!find_target(d, lm)) break;
    report->newtons++;
    take_part(d, 1);
    rest = find_residual(d, &sum);
    if (rest <= aim) return rest;
    lm = sum < NEARER * least ? fmax(0.1 * lm, PROXIMAL_MIN) : PROXIMAL;
    if (sum < least) {
      const int is_slow = !(sum < NEARER * least);
      least = sum;
      best = rest;
      copy(d, d->p, d->best);
      if (is_enough && is_slow) break;
    } else if (is_enough) {
      break;
    }
  }
  copy(d, d->best, d->p);
  return find_residual(d, &sum);
}

// A Newton step of some length that lowers the residual; a sweep from its end often finds the right
// cases. Returns the length, 0: none.
HN_INLINE double search(hn_delassus *d, double tolerance, double lm, double *rest, double *sum,
                        hn_delassus_report *report) {
  const double before = *sum;
  double length = 1;
  copy(d, d->p, d->start);
  report->newtons++;
  if (!find_target(d, lm)) return 0;
  for (int k = 0; k < LENGTHS; k++, length *= 0.3) {
    take_part(d, length);
    *rest = find_residual(d, sum);
    if (*rest <= tolerance || *sum < (1 - 0.5 * length) * before) return length;
    if (k > 0) continue;
    sweep(d);
    report->sweeps++;
    *rest = find_residual(d, sum);
    if (*rest <= tolerance || *sum < 0.5 * before) return 1;
  }
  return 0;
}

HN_INLINE double newton(hn_delassus *d, double aim, double tolerance, hn_delassus_report *report) {
  double rest = step_freely(d, aim, tolerance, report), sum, lm = PROXIMAL;
  int rejected = 0;
  if (rest <= tolerance) return rest;
  rest = find_residual(d, &sum);
  for (int k = 0; k < SEARCHED && rejected < REJECTIONS && rest > tolerance; k++) {
    const double length = search(d, tolerance, lm, &rest, &sum, report);
    if (length == 1) lm = fmax(0.1 * lm, PROXIMAL_MIN);
    if (length > 0) continue;
    rejected++;
    copy(d, d->start, d->p);
    for (int s = 0; s < rejected && s < EXTRA_SWEEPS; s++, report->sweeps++) sweep(d);
    lm = lm < PROXIMAL_MAX ? 30 * lm : PROXIMAL;
    rest = find_residual(d, &sum);
  }
  return rest;
}

// ---- the path through the inside ----------------------------------------------------------------

HN_INLINE void keep_best(hn_delassus *d, double rest, hn_delassus_report *report) {
  if (!(rest < report->residual)) return;
  report->residual = rest;
  copy(d, d->p, d->kept);
}

// Full Newton steps from a point of the path, as long as they come nearer.
HN_INLINE void polish(hn_delassus *d, double before, double tolerance, hn_delassus_report *report) {
  double sum, lm = PROXIMAL_POLISH;
  for (int k = 0; k < POLISH_STEPS && report->residual > tolerance; k++) {
    copy(d, d->p, d->start);
    if (!find_target(d, lm)) return;
    report->newtons++;
    take_part(d, 1);
    const double rest = find_residual(d, &sum);
    keep_best(d, rest, report);
    if (!(rest <= (k == 0 ? STRAYS : k < POLISH_FREELY ? 1 : SLOWLY) * before)) return;
    before = rest;
    lm = fmax(0.1 * lm, PROXIMAL_MIN);
  }
}

HN_INLINE void follow_path(hn_delassus *d, double tolerance, hn_delassus_report *report) {
  hn_delassus_path path;
  double sum, near = POLISHED * tolerance;
  hn_delassus_path_start(d, &path);
  for (int k = 0; k < PATH_STEPS && report->residual > tolerance; k++) {
    report->inside++;
    if (!hn_delassus_path_advance(d, &path)) return;
    const double rest = find_residual(d, &sum);
    keep_best(d, rest, report);
    if (!(rest < near)) continue;
    near = CLOSER * rest;
    polish(d, rest, tolerance, report);
  }
}

// From the best so far after many sweeps.
HN_INLINE void start_again(hn_delassus *d, double aim, double tolerance,
                           hn_delassus_report *report) {
  copy(d, d->kept, d->p);
  for (int s = 0; s < SWEEPS_AGAIN; s++) sweep(d);
  report->sweeps += SWEEPS_AGAIN;
  keep_best(d, newton(d, aim, tolerance, report), report);
}

HN_INLINE void solve(int wide, hn_delassus *d, double aim, double tolerance,
                     hn_delassus_report *report) {
  double sum;
  (void)wide;
  *report = (hn_delassus_report){.sweeps = d->count <= SWEPT ? SWEEPS_FIRST : 0};
  prepare(d);
  for (int s = 0; s < report->sweeps; s++) sweep(d);
  report->residual = newton(d, aim, tolerance, report);
  report->is_solved = report->residual <= tolerance;
  if (report->is_solved) return;
  copy(d, d->p, d->kept);
  if (d->spins == 0) follow_path(d, tolerance, report);
  if (report->residual > tolerance) start_again(d, aim, tolerance, report);
  copy(d, d->kept, d->p);
  report->residual = find_residual(d, &sum);
  report->is_solved = report->residual <= tolerance;
}

HN_VARIANTS(solve, (hn_delassus * d, double aim, double tolerance, hn_delassus_report *report),
            (d, aim, tolerance, report))

void hn_delassus_solve(hn_delassus *d, double aim, double tolerance, hn_delassus_report *report) {
  HN_PICK(d->wide, solve)(d, aim, tolerance, report);
}

double hn_delassus_residual(hn_delassus *d) {
  double sum;
  return find_residual(d, &sum);
}
