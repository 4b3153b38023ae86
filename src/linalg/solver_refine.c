// Solution by refinement, the same for every solver: with z = (x / d, y / r), f = (d b, r c)
//
//   z = P^-1 f,   then   z += P^-1 (f - K z)   until the residual is at rounding level,
//
// HN_SOFT_SWEEPS applications of P^-1 at most, so that a direction of singular value s keeps the share
// (epsilon / (s^2 + epsilon))^HN_SOFT_SWEEPS of its residual (saddle.h).
#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/block_lanes.h"
#include "linalg/share.h"
#include "linalg/solver_system.h"

// ---- residual -----------------------------------------------------------------------------------

// residual = f - M x, and in bound the sizes of the terms.
HN_INLINE void body_residuals(const hn_system *s) {
  for (int b = 0; b < s->bodies; b++) {
    const double *m = &s->m[9 * b], *f = &s->f[6 * b], *z = &s->z[6 * b];
    double *r = &s->residual[6 * b], *bound = &s->bound[6 * b];
    const double w0 = m[3] * z[3], w1 = m[4] * z[4], w2 = m[6] * z[5];
    const double w3 = m[4] * z[3], w4 = m[5] * z[4], w5 = m[7] * z[5];
    const double w6 = m[6] * z[3], w7 = m[7] * z[4], w8 = m[8] * z[5];
    for (int i = 0; i < 3; i++) r[i] = f[i] - m[i] * z[i];
    r[3] = f[3] - (w0 + w1 + w2);
    r[4] = f[4] - (w3 + w4 + w5);
    r[5] = f[5] - (w6 + w7 + w8);
    for (int i = 0; i < 3; i++) bound[i] = fabs(f[i]) + fabs(m[i] * z[i]);
    bound[3] = fabs(f[3]) + (fabs(w0) + fabs(w1) + fabs(w2));
    bound[4] = fabs(f[4]) + (fabs(w3) + fabs(w4) + fabs(w5));
    bound[5] = fabs(f[5]) + (fabs(w6) + fabs(w7) + fabs(w8));
  }
}

// residual_y = f - J x and residual_x -= J' y over the panels of node k, and the sizes of the terms.
HN_INLINE void node_residual(int wide, int size, const hn_system *s, int k) {
  const int at = s->x_size + s->y_at[k];
  const double *y = &s->z[at];
  double sum[6], bound[6];
  HN_UNROLL for (int a = 0; a < size; a++) sum[a] = s->f[at + a];
  HN_UNROLL for (int a = 0; a < size; a++) bound[a] = fabs(sum[a]);
  for (int p = s->panel_start[k]; p < s->panel_start[k + 1]; p++) {
    const double *j = &s->j[s->panel_at[p]];
    const int b = 6 * s->panel_body[p];
    hn_lanes x, rest, row, term;
    lanes_load(wide, 6, &x, &s->z[b]);
    HN_UNROLL for (int a = 0; a < size; a++) {
      lanes_load(wide, 6, &row, j + 6 * a);
      lanes_multiply(wide, 6, &term, &row, &x);
      sum[a] -= lanes_sum(6, &term);
      lanes_size(wide, 6, &term);
      bound[a] += lanes_sum(6, &term);
    }
    lanes_load(wide, 6, &rest, &s->residual[b]);
    lanes_load(wide, 6, &x, &s->bound[b]);
    HN_UNROLL for (int a = 0; a < size; a++) {
      lanes_load(wide, 6, &row, j + 6 * a);
      lanes_scale(wide, 6, &term, y[a], &row);
      lanes_subtract(wide, 6, &rest, 1, &term);
      lanes_size(wide, 6, &term);
      lanes_add(wide, 6, &x, 1, &term);
    }
    lanes_store(wide, 6, &rest, &s->residual[b]);
    lanes_store(wide, 6, &x, &s->bound[b]);
  }
  HN_UNROLL for (int a = 0; a < size; a++) s->residual[at + a] = sum[a];
  if (size < HN_PAD(size)) s->residual[at + size] = 0; // whatever a sweep left there
  HN_UNROLL for (int a = 0; a < size; a++) s->bound[at + a] = bound[a];
}

// residual_y = f - J x of node k, and the sizes of the terms.
HN_INLINE void node_look(int wide, int size, const hn_system *s, int k) {
  const int at = s->x_size + s->y_at[k];
  hn_lanes sum, bound, x;
  lanes_load(wide, HN_PAD(size), &sum, &s->f[at]);
  bound = sum;
  lanes_size(wide, HN_PAD(size), &bound);
  for (int p = s->panel_start[k]; p < s->panel_start[k + 1]; p++) {
    lanes_load(wide, 6, &x, &s->z[6 * s->panel_body[p]]);
    lanes_look_at_rows(wide, size, &sum, &bound, &s->j[s->panel_at[p]], &x);
  }
  if (size < HN_PAD(size)) sum.v[size] = bound.v[size] = 0;
  lanes_store(wide, HN_PAD(size), &sum, &s->residual[at]);
  lanes_store(wide, HN_PAD(size), &bound, &s->bound[at]);
}

HN_INLINE void find_residual(int wide, const hn_system *s) {
  body_residuals(s);
  for (int k = 0; k < s->nodes; k++) HN_BY_SIZE(wide, s->node_size[k], node_residual, s, k);
}

HN_VARIANTS(find_residual, (const hn_system *s), (s))

// The same right after the inverse, with b - J' y from there. The sizes of the terms of J' y are taken
// together for each body: a little less than they are, so nothing is thought exact that is not.
HN_INLINE void look_at_bodies(int wide, const hn_system *s, int from, int to) {
  for (int b = from; b < to; b++) {
    const double *m = &s->m[9 * b], *z = &s->z[6 * b];
    hn_lanes f, rest, product, size;
    const double mz[6] = {m[0] * z[0],
                          m[1] * z[1],
                          m[2] * z[2],
                          m[3] * z[3] + m[4] * z[4] + m[6] * z[5],
                          m[4] * z[3] + m[5] * z[4] + m[7] * z[5],
                          m[6] * z[3] + m[7] * z[4] + m[8] * z[5]};
    lanes_load(wide, 6, &f, &s->f[6 * b]);
    lanes_load(wide, 6, &rest, &s->rest[6 * b]);
    lanes_load(wide, 6, &product, mz);
    size = f;
    lanes_size(wide, 6, &size);
    lanes_subtract(wide, 6, &f, 1, &rest);
    lanes_add_size(wide, 6, &size, 1, &f);
    lanes_add_size(wide, 6, &size, 1, &product);
    lanes_subtract(wide, 6, &rest, 1, &product);
    lanes_store(wide, 6, &rest, &s->residual[6 * b]);
    lanes_store(wide, 6, &size, &s->bound[6 * b]);
  }
}

HN_INLINE void look_at_nodes(int wide, const hn_system *s, int from, int to) {
  for (int k = from; k < to; k++) HN_BY_SIZE(wide, s->node_size[k], node_look, s, k);
}

HN_VARIANTS(look_at_bodies, (const hn_system *s, int from, int to), (s, from, to))
HN_VARIANTS(look_at_nodes, (const hn_system *s, int from, int to), (s, from, to))

static void look_bodies(void *context, int from, int to) {
  const hn_system *s = context;
  HN_PICK(s->wide, look_at_bodies)(s, from, to);
}

static void look_nodes(void *context, int from, int to) {
  const hn_system *s = context;
  HN_PICK(s->wide, look_at_nodes)(s, from, to);
}

static void first_look(hn_system *s) {
  hn_share(s->threads, look_bodies, s, s->bodies, HN_BODY_GRAIN);
  hn_share(s->threads, look_nodes, s, s->nodes, HN_BODY_GRAIN);
}

// ---- products -----------------------------------------------------------------------------------

HN_INLINE void node_reduce(int wide, int size, const hn_system *s, int k, const double *x,
                           double *y) {
  double sum[6];
  HN_UNROLL for (int a = 0; a < size; a++) sum[a] = -y[s->y_at[k] + a];
  for (int p = s->panel_start[k]; p < s->panel_start[k + 1]; p++) {
    const double *j = &s->j[s->panel_at[p]];
    hn_lanes from, row;
    lanes_load(wide, 6, &from, &x[6 * s->panel_body[p]]);
    HN_UNROLL for (int a = 0; a < size; a++) {
      lanes_load(wide, 6, &row, j + 6 * a);
      lanes_multiply(wide, 6, &row, &row, &from);
      sum[a] += lanes_sum(6, &row);
    }
  }
  HN_UNROLL for (int a = 0; a < size; a++) y[s->y_at[k] + a] = sum[a];
}

HN_INLINE void reduce(int wide, const hn_system *s, const double *x, double *y) {
  for (int k = 0; k < s->nodes; k++) HN_BY_SIZE(wide, s->node_size[k], node_reduce, s, k, x, y);
}

HN_INLINE void node_subtract(int wide, int size, const hn_system *s, int k, const double *y,
                             double *x) {
  const double *from = y + s->y_at[k];
  for (int p = s->panel_start[k]; p < s->panel_start[k + 1]; p++) {
    const double *j = &s->j[s->panel_at[p]];
    double *to = &x[6 * s->panel_body[p]];
    hn_lanes rest, row;
    lanes_load(wide, 6, &rest, to);
    HN_UNROLL for (int a = 0; a < size; a++) {
      lanes_load(wide, 6, &row, j + 6 * a);
      lanes_subtract(wide, 6, &rest, from[a], &row);
    }
    lanes_store(wide, 6, &rest, to);
  }
}

HN_INLINE void subtract(int wide, const hn_system *s, const double *y, double *x) {
  for (int k = 0; k < s->nodes; k++) HN_BY_SIZE(wide, s->node_size[k], node_subtract, s, k, y, x);
}

HN_VARIANTS(reduce, (const hn_system *s, const double *x, double *y), (s, x, y))
HN_VARIANTS(subtract, (const hn_system *s, const double *y, double *x), (s, y, x))

void hn_system_reduce(const hn_system *s, const double *x, double *y) {
  HN_PICK(s->wide, reduce)(s, x, y);
}

void hn_system_subtract(const hn_system *s, const double *y, double *x) {
  HN_PICK(s->wide, subtract)(s, y, x);
}

// ---- refinement ---------------------------------------------------------------------------------

// Both blocks of a residual are judged apart, because multipliers may be large (near singular
// positions) where accelerations are not. Vectors are passed over four numbers at a time.
typedef struct extent {
  double residual, bound; // the largest of a block
} extent;

HN_INLINE void measure(int wide, const double *residual, const double *bound, int count,
                       extent *out) {
  double most[4] = {0, 0, 0, 0}, level[4] = {DBL_MIN, DBL_MIN, DBL_MIN, DBL_MIN};
  int i = 0;
  (void)wide;
  for (; i + 4 <= count; i += 4)
    for (int l = 0; l < 4; l++) {
      const double r = fabs(residual[i + l]), b = bound[i + l];
      most[l] = r > most[l] ? r : most[l];
      level[l] = b > level[l] ? b : level[l];
    }
  for (; i < count; i++) {
    const double r = fabs(residual[i]);
    most[0] = r > most[0] ? r : most[0];
    level[0] = bound[i] > level[0] ? bound[i] : level[0];
  }
  for (int l = 1; l < 4; l++) {
    most[0] = most[l] > most[0] ? most[l] : most[0];
    level[0] = level[l] > level[0] ? level[l] : level[0];
  }
  *out = (extent){most[0], level[0]};
}

HN_VARIANTS(measure, (const double *residual, const double *bound, int count, extent *out),
            (residual, bound, count, out))

// Counts where |residual| times factor is above rounding level, as in saddle.c: against the largest
// term of its block, and (looser) against each row's own terms, so that light bodies beside heavy
// ones are right too. factor: one number, or one for each (then `same` is 0).
HN_INLINE void judge(int wide, const double *residual, const double *factor, int same,
                     const double *bound, int count, double level, double *outside) {
  const double limit = 2e-15 * level, least = 1e-17 * level;
  double found[4] = {0, 0, 0, 0};
  int i = 0;
  (void)wide;
  for (; i + 4 <= count; i += 4)
    for (int l = 0; l < 4; l++) {
      const double r = fabs(residual[i + l]) * factor[same ? 0 : i + l];
      const double own = 1e-13 * bound[i + l] + least, allowed = own < limit ? own : limit;
      found[l] += r <= allowed ? 0.0 : 1.0;
    }
  for (; i < count; i++) {
    const double r = fabs(residual[i]) * factor[same ? 0 : i];
    const double own = 1e-13 * bound[i] + least;
    found[0] += r <= limit && r <= own ? 0.0 : 1.0;
  }
  *outside += (found[0] + found[1]) + (found[2] + found[3]);
}

// outside: in x, in y
HN_INLINE void judge_all(int wide, const hn_system *s, const double *w, int by_sweep,
                         double outside[2]) {
  const double rho = s->rho, one = 1;
  const int n = s->x_size, m = s->size - n;
  outside[0] = outside[1] = 0;
  judge(wide, w, by_sweep ? &rho : &one, 1, s->bound, n, s->level[0], &outside[0]);
  if (by_sweep)
    judge(wide, w + n, s->epsilon, 0, s->bound + n, m, s->level[1], &outside[1]);
  else
    judge(wide, w + n, &one, 1, s->bound + n, m, s->level[1], &outside[1]);
}

HN_VARIANTS(judge_all, (const hn_system *s, const double *w, int by_sweep, double outside[2]),
            (s, w, by_sweep, outside))

// Bodies come out exactly as a rule, because x is found from y by M^-1 alone: then only what is left of
// the rows is swept with.
static int is_exact(hn_system *s) {
  double outside[2];
  HN_PICK(s->wide, judge_all)(s, s->residual, 0, outside);
  s->x_is_zero = outside[0] <= 0 && outside[1] > 0;
  if (s->x_is_zero) memset(s->residual, 0, (size_t)s->x_size * sizeof(double));
  return outside[0] <= 0 && outside[1] <= 0;
}

// A sweep with P w = r leaves the residual r - K w = (P - K) w = (rho w_x, -epsilon w_y), and of r as
// much as the factorization errs: where r was small already and M is good there is no need to look at
// what is left. `before`: how large r was.
static int is_predictable(const hn_system *s, const extent before[2]) {
  return !s->is_light && before[0].residual <= 1e-6 * s->level[0] &&
         before[1].residual <= 1e-6 * s->level[1];
}

// w, in the place of r, becomes that. Returns 1 when it is at rounding level.
static int predict(hn_system *s) {
  s->is_solved = !(s->rho > 0) && !(s->hard_epsilon > 0) && (s->is_hard || !s->has_soft);
  if (s->is_solved) return 1; // P is K
  double outside[2], *x = s->residual, *y = s->residual + s->x_size;
  HN_PICK(s->wide, judge_all)(s, s->residual, 1, outside);
  s->x_is_zero = !(s->rho > 0);
  for (int i = 0; i < s->x_size; i++) x[i] *= s->rho;
  for (int i = 0; i < s->size - s->x_size; i++) y[i] *= -s->epsilon[i];
  return outside[0] <= 0 && outside[1] <= 0;
}

// ---- solution -----------------------------------------------------------------------------------

HN_INLINE void scale_all(int wide, const double *x, const double *scale, int count, double *out) {
  (void)wide;
  for (int i = 0; i < count; i++) out[i] = x[i] * scale[i];
}

HN_INLINE void add_all(int wide, const double *x, int count, double *to) {
  (void)wide;
  for (int i = 0; i < count; i++) to[i] += x[i];
}

HN_INLINE void sum_sizes(int wide, const double *x, int count, double *out) {
  double sum[4] = {0, 0, 0, 0};
  int i = 0;
  (void)wide;
  for (; i + 4 <= count; i += 4)
    for (int l = 0; l < 4; l++) sum[l] += fabs(x[i + l]);
  for (; i < count; i++) sum[0] += fabs(x[i]);
  *out = (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

HN_VARIANTS(scale_all, (const double *x, const double *scale, int count, double *out),
            (x, scale, count, out))
HN_VARIANTS(add_all, (const double *x, int count, double *to), (x, count, to))
HN_VARIANTS(sum_sizes, (const double *x, int count, double *out), (x, count, out))

static void load_right_side(hn_system *s, const double *b, const double *c) {
  HN_PICK(s->wide, scale_all)(b, s->d, s->x_size, s->f);
  for (int r = 0; r < s->rows; r++) s->f[s->x_size + s->row_y[r]] = c[r] * s->r[s->row_y[r]];
}

static void fill_report(const hn_system *s, int refinements, hn_solver_report *report) {
  *report = (hn_solver_report){.refinements = refinements, .worst_row = -1};
  if (s->is_solved) {
    report->worst_row = s->rows > 0 ? 0 : -1;
    return;
  }
  for (int i = 0; i < s->x_size; i++)
    if (fabs(s->residual[i]) > report->residual_x) report->residual_x = fabs(s->residual[i]);
  report->residual_x /= s->level[0];
  for (int r = 0; r < s->rows; r++) {
    double residual = fabs(s->residual[s->x_size + s->row_y[r]]);
    if (report->worst_row >= 0 && residual <= report->residual_y) continue;
    report->residual_y = residual;
    report->worst_row = r;
  }
}

// Writes the solution; 1 when it is finite.
static int store_solution(const hn_system *s, double *x, double *y) {
  double sum;
  HN_PICK(s->wide, sum_sizes)(s->z, s->size, &sum);
  HN_PICK(s->wide, scale_all)(s->z, s->d, s->x_size, x);
  for (int r = 0; r < s->rows; r++) y[r] = s->z[s->x_size + s->row_y[r]] * s->r[s->row_y[r]];
  return sum <= DBL_MAX;
}

static void find_levels(hn_system *s, extent now[2]) {
  const int n = s->x_size;
  HN_PICK(s->wide, measure)(s->residual, s->bound, n, &now[0]);
  HN_PICK(s->wide, measure)(s->residual + n, s->bound + n, s->size - n, &now[1]);
  s->level[0] = now[0].bound;
  s->level[1] = now[1].bound;
}

// The residual becomes the step w.
static void sweep(hn_system *s, hn_system_inverse *inverse, void *solver) {
  inverse(solver, s->residual);
  HN_PICK(s->wide, add_all)(s->residual, s->size, s->z);
}

hn_status hn_system_solve(hn_system *s, hn_system_inverse *inverse, void *solver, const double *b,
                          const double *c, double *x, double *y, hn_solver_report *report) {
  extent now[2];
  int refinements = 0;
  s->is_solved = s->x_is_zero = 0;
  load_right_side(s, b, c);
  memcpy(s->z, s->f, (size_t)s->size * sizeof(double));
  inverse(solver, s->z);
  first_look(s);
  find_levels(s, now);
  for (int more = !is_exact(s); more && refinements < HN_SOFT_SWEEPS - 1; refinements++) {
    sweep(s, inverse, solver);
    if (is_predictable(s, now)) {
      more = !predict(s);
    } else {
      HN_PICK(s->wide, find_residual)(s);
      find_levels(s, now);
      more = !is_exact(s);
    }
  }
  if (report) fill_report(s, refinements, report);
  return store_solution(s, x, y) ? HN_OK : HN_ERROR_NOT_FINITE;
}
