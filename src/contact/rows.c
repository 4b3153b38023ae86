// Constraints with conditions by sparse rows (rows.h).
#include "contact/rows.h"

#include <math.h>
#include <string.h>

#include "base/variants.h"
#include "contact/cone.h"

#define MOST_MOMENTUM 0.95
#define FLOOR 1e-13  // added to the diagonal of own responses, relative
enum { SLIDES = 2 }; // projected steps along a surface

hn_status hn_contact_rows_create(hn_arena *arena, int capacity, int size, size_t entries,
                                 hn_contact_rows *self) {
  const size_t n = (size_t)capacity;
  *self = (hn_contact_rows){.size = size, .entry_capacity = entries};
  self->problem = (hn_delassus){.capacity = capacity, .rows = self};
  self->problem.block = HN_WORK(arena, hn_delassus_block, n);
  self->problem.q = HN_WORK(arena, hn_delassus_vector, n);
  self->problem.p = HN_WORK(arena, hn_delassus_vector, n);
  self->problem.u = HN_WORK(arena, hn_delassus_vector, n);
  self->x = HN_WORK(arena, double, size);
  self->x_to = HN_WORK(arena, double, size);
  self->row = HN_WORK(arena, hn_contact_row_span, n);
  self->response = HN_WORK(arena, hn_contact_row_span, n);
  self->index = HN_WORK(arena, int, entries);
  self->value = HN_WORK(arena, hn_delassus_vector, entries);
  self->own = hn_arena_work(arena, n, sizeof *self->own);
  self->least = HN_WORK(arena, double, n);
  self->give = HN_WORK(arena, double, n);
  self->slowness = HN_WORK(arena, double, n);
  self->rho = HN_WORK(arena, double, n);
  self->kept = HN_WORK(arena, hn_delassus_vector, n);
  self->from = HN_WORK(arena, hn_delassus_vector, n);
  self->to = HN_WORK(arena, hn_delassus_vector, n);
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

hn_contact_row_span hn_contact_rows_open(const hn_contact_rows *self) {
  return (hn_contact_row_span){.at = self->used};
}

void hn_contact_rows_put(hn_contact_rows *self, int index, const double value[4]) {
  const size_t at = self->used++;
  if (at >= self->entry_capacity) return; // counted: so much is missing
  self->index[at] = index;
  memcpy(self->value[at], value, sizeof self->value[at]);
}

void hn_contact_rows_close(const hn_contact_rows *self, hn_contact_row_span *span) {
  span->count = (int)(self->used - span->at);
}

// ---- vectors ------------------------------------------------------------------------------------

static hn_four velocity(const hn_contact_rows *self, int k) {
  const hn_contact_row_span *g = &self->row[k];
  hn_four sum = HN_FOUR_OF(self->problem.q[k]);
  for (size_t e = g->at; e < g->at + (size_t)g->count; e++)
    sum += HN_FOUR_OF(self->value[e]) * self->x[self->index[e]];
  sum[0] += self->give[k] * self->problem.p[k][0];
  return sum;
}

static void push(hn_contact_rows *self, int k, const double by[3]) {
  const hn_contact_row_span *r = &self->response[k];
  for (size_t e = r->at; e < r->at + (size_t)r->count; e++) {
    const double *v = self->value[e];
    self->x[self->index[e]] += v[0] * by[0] + v[1] * by[1] + v[2] * by[2];
  }
}

static int is_cone(const hn_contact_rows *self, int k) {
  return self->problem.block[k].law == HN_DELASSUS_CONE;
}

static int is_spin(const hn_contact_rows *self, int k) {
  return self->problem.block[k].law == HN_DELASSUS_SPIN;
}

void hn_contact_rows_prepare(hn_contact_rows *self) {
  for (int k = 0; k < self->problem.count; k++) {
    const hn_contact_row_span *g = &self->row[k], *r = &self->response[k];
    double(*w)[3] = self->own[k];
    memset(w, 0, sizeof self->own[k]);
    size_t j = r->at;
    for (size_t i = g->at; i < g->at + (size_t)g->count; i++) {
      while (j < r->at + (size_t)r->count && self->index[j] < self->index[i]) j++;
      if (j == r->at + (size_t)r->count || self->index[j] != self->index[i]) continue;
      for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) w[a][b] += self->value[i][a] * self->value[j][b];
    }
    for (int a = 0; a < 3; a++)
      for (int b = 0; b < a; b++) w[a][b] = w[b][a] = 0.5 * (w[a][b] + w[b][a]);
    const int is_wide = is_cone(self, k) || is_spin(self, k);
    const double mean = is_wide ? (w[0][0] + w[1][1] + w[2][2]) / 3 : w[0][0];
    const double size = mean > 0 ? mean : 1; // of what does not move at all
    for (int a = 0; a < 3; a++) w[a][a] += FLOOR * size;
    self->rho[k] = 1 / size;
    self->slowness[k] = self->give[k] = 0;
  }
}

// ---- one constraint -----------------------------------------------------------------------------

static double clamp(double x, double lower, double upper) { return fmin(fmax(x, lower), upper); }

// Impulse of one row that its law allows, nearest to x.
static double bound(const hn_delassus_block *b, double x) {
  switch (b->law) {
  case HN_DELASSUS_BOX: return clamp(x, b->lower, b->upper);
  case HN_DELASSUS_BILATERAL: return x;
  case HN_DELASSUS_CONE:
  case HN_DELASSUS_SPIN:
  case HN_DELASSUS_UNILATERAL: break;
  }
  return fmax(0, x);
}

static void limit_tangent(double radius, double *p) {
  const double size = sqrt(p[1] * p[1] + p[2] * p[2]);
  if (!(size > radius)) return;
  p[1] *= radius / size;
  p[2] *= radius / size;
}

static void take(hn_contact_rows *self, int k, const double p[3]) {
  double *now = self->problem.p[k], by[3];
  for (int i = 0; i < 3; i++) {
    by[i] = p[i] - now[i];
    now[i] = p[i];
  }
  if (by[0] != 0 || by[1] != 0 || by[2] != 0) push(self, k, by);
}

// Torsion and rolling, by projected steps.
static void turn_one(hn_contact_rows *self, int k) {
  const hn_delassus_block *b = &self->problem.block[k];
  double(*w)[3] = self->own[k];
  const double *now = self->problem.p[k], rho = 1 / (w[1][1] + w[2][2]);
  const double normal = fmax(0, self->problem.p[b->normal][0]), most = b->torsion * normal;
  for (int i = 0; i < SLIDES; i++) {
    const hn_four u = velocity(self, k);
    double p[3] = {clamp(now[0] - u[0] / w[0][0], -most, most), now[1] - rho * u[1],
                   now[2] - rho * u[2]};
    limit_tangent(b->rolling * normal, p);
    take(self, k, p);
  }
}

// Of its residual, as normal impulses that have such bounds: the largest part.
static double spin_residual(const hn_contact_rows *self, int k, const double *u) {
  const hn_delassus_block *b = &self->problem.block[k];
  const double *p = self->problem.p[k], rho = self->rho[k];
  const double normal = fmax(0, self->problem.p[b->normal][0]), most = b->torsion * normal;
  double to[3] = {clamp(p[0] - rho * u[0], -most, most), p[1] - rho * u[1], p[2] - rho * u[2]};
  limit_tangent(b->rolling * normal, to);
  const double turned = fabs(to[0] - p[0]);
  const double rolled = fmax(fabs(to[1] - p[1]), fabs(to[2] - p[2]));
  return fmax(b->torsion > 0 ? turned / b->torsion : turned,
              b->rolling > 0 ? rolled / b->rolling : rolled);
}

static void solve_one(hn_contact_rows *self, int k) {
  const hn_delassus_block *b = &self->problem.block[k];
  if (is_spin(self, k)) {
    turn_one(self, k);
    return;
  }
  double(*w)[3] = self->own[k];
  double q[3], p[3] = {0, 0, 0};
  const double *now = self->problem.p[k];
  const hn_four u = velocity(self, k);
  if (is_cone(self, k)) {
    for (int i = 0; i < 3; i++)
      q[i] = u[i] - (w[i][0] * now[0] + w[i][1] * now[1] + w[i][2] * now[2]);
    hn_cone_solve(w, q, b->mu, &self->slowness[k], p);
  } else if (w[0][0] > 0) {
    p[0] = bound(b, now[0] - u[0] / w[0][0]);
  }
  take(self, k, p);
}

static void return_one(hn_contact_rows *self, int k) {
  const hn_delassus_block *b = &self->problem.block[k];
  const double least = self->least[k];
  if (is_spin(self, k)) return; // it has done its part, too
  if (!(least > 0)) {
    if (b->law != HN_DELASSUS_BOX) solve_one(self, k); // dry friction has done its part
    return;
  }
  double(*w)[3] = self->own[k];
  const double *now = self->problem.p[k], rho = 1 / fmax(w[1][1], w[2][2]);
  hn_four u = velocity(self, k);
  double p[3] = {fmax(least, now[0] - u[0] / w[0][0]), now[1], now[2]};
  take(self, k, p);
  for (int i = 0; is_cone(self, k) && i < SLIDES; i++) {
    u = velocity(self, k);
    p[1] -= rho * u[1];
    p[2] -= rho * u[2];
    limit_tangent(b->mu * p[0], p);
    take(self, k, p);
  }
}

static double residual_of(const hn_contact_rows *self, int k, const double *u, int returns) {
  const hn_delassus_block *b = &self->problem.block[k];
  const double *p = self->problem.p[k], rho = self->rho[k], least = self->least[k];
  if (returns && (b->law == HN_DELASSUS_BOX || is_spin(self, k))) return 0;
  if (is_spin(self, k)) return spin_residual(self, k, u);
  if (returns && least > 0 && b->law != HN_DELASSUS_BILATERAL) {
    double to[3] = {fmax(least, p[0] - rho * u[0]), p[1] - rho * u[1], p[2] - rho * u[2]};
    if (!is_cone(self, k)) return fabs(to[0] - p[0]);
    limit_tangent(b->mu * to[0], to);
    return fmax(fabs(to[0] - p[0]), fmax(fabs(to[1] - p[1]), fabs(to[2] - p[2])));
  }
  if (is_cone(self, k)) return hn_cone_residual(b->mu, rho, p, u);
  return fabs(bound(b, p[0] - rho * u[0]) - p[0]);
}

// ---- all ----------------------------------------------------------------------------------------

static double find_residual(hn_contact_rows *self, int returns) {
  double worst = 0;
  for (int k = 0; k < self->problem.count; k++) {
    HN_FOUR(self->problem.u[k]) = velocity(self, k);
    const double rest = residual_of(self, k, self->problem.u[k], returns);
    if (!(rest <= worst)) worst = rest;
  }
  return worst;
}

// x of the impulses, and what residuals are measured with.
static void start(hn_contact_rows *self) {
  memset(self->x, 0, (size_t)self->size * sizeof *self->x);
  for (int k = 0; k < self->problem.count; k++) {
    double *p = self->problem.p[k];
    if (!is_cone(self, k) && !is_spin(self, k)) p[1] = p[2] = 0;
    p[3] = 0;
    push(self, k, p);
  }
}

// Continues by a fraction of the way from the impulses after the sweeps before to those of now.
static void add_momentum(hn_contact_rows *self, double *slowing) {
  const int count = self->problem.count;
  double along = 0;
  for (int k = 0; k < count; k++)
    for (int i = 0; i < 3; i++) {
      const double p = self->problem.p[k][i];
      along += (p - self->from[k][i]) * (p - self->to[k][i]) * self->own[k][i][i];
    }
  const double t = *slowing, next = 0.5 * t * (sqrt(t * t + 4) - t);
  const double share = along < 0 ? 0 : fmin(MOST_MOMENTUM, t * (1 - t) / (t * t + next));
  *slowing = along < 0 ? 1 : next;
  for (int k = 0; k < count; k++)
    for (int i = 0; i < 3; i++) {
      const double p = self->problem.p[k][i];
      self->problem.p[k][i] = p + share * (p - self->to[k][i]);
      self->to[k][i] = p;
    }
  for (int i = 0; i < self->size; i++) {
    const double x = self->x[i];
    self->x[i] = x + share * (x - self->x_to[i]);
    self->x_to[i] = x;
  }
}

static void iterate(hn_contact_rows *self, double tolerance, int sweeps, int returns,
                    hn_delassus_report *report) {
  const int count = self->problem.count;
  void (*const one)(hn_contact_rows *, int) = returns ? return_one : solve_one;
  double slowing = 1;
  *report = (hn_delassus_report){.residual = HUGE_VAL};
  start(self);
  while (report->sweeps < sweeps) {
    if (report->sweeps > 2) add_momentum(self, &slowing);
    if (report->sweeps == 2) {
      memcpy(self->to, self->problem.p, (size_t)count * sizeof *self->to);
      memcpy(self->x_to, self->x, (size_t)self->size * sizeof *self->x);
    }
    memcpy(self->from, self->problem.p, (size_t)count * sizeof *self->from);
    for (int k = 0; k < count; k++) one(self, k);
    for (int k = count - 1; k >= 0; k--) one(self, k);
    report->sweeps += 2;
    report->residual = find_residual(self, returns);
    if (report->residual <= tolerance) break;
  }
  report->is_solved = report->residual <= tolerance;
}

void hn_contact_rows_solve(hn_contact_rows *self, double tolerance, int sweeps,
                           hn_delassus_report *report) {
  iterate(self, tolerance, sweeps, 0, report);
}

void hn_contact_rows_return(hn_contact_rows *self, double tolerance, int sweeps,
                            hn_delassus_report *report) {
  iterate(self, tolerance, sweeps, 1, report);
}

void hn_contact_rows_separate(hn_contact_rows *self, double *way, double tol, int sweeps) {
  const int count = self->problem.count;
  memset(self->x, 0, (size_t)self->size * sizeof *self->x);
  memset(self->problem.p, 0, (size_t)count * sizeof *self->problem.p);
  for (int pass = 0, is_moving = 1; pass < sweeps && is_moving; pass++) {
    is_moving = 0;
    for (int k = 0; k < count; k++) {
      const double own = self->own[k][0][0], before = self->problem.p[k][0];
      if (!(own > 0) || !(way[k] < HUGE_VAL)) continue;
      const double at = way[k] + velocity(self, k)[0] - self->problem.q[k][0];
      const double by[3] = {fmax(-before, -at / own), 0, 0};
      if ((at >= 0 && before == 0) || by[0] == 0) continue;
      self->problem.p[k][0] += by[0];
      push(self, k, by);
      is_moving |= fabs(by[0]) * own > tol;
    }
  }
}
