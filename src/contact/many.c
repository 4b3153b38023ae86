// Newton's method for many contacts (many.h): following the path.
#include "contact/many.h"

#include <math.h>
#include <string.h>
#include <stdio.h>
#include <stdlib.h>

#define SMALLEST 0.05   // of a residual that is enough: eps goes no further
#define NEARER 0.2      // eps from one place of the path to the next
#define FOLLOWED 0.5    // the rest, in units of eps, at which the next place is taken
#define LESS 1e-3       // the least share by which a step makes the rest smaller
#define WIDER 30.0      // eps after a step that failed
enum { ITERATIONS = 60, HALVINGS = 6, FAILURES = 3 };

static double step_of(const hn_sweep_point *c) {
  return 1 / fmax(c->w[0][0], fmax(c->w[1][1], c->w[2][2]));
}

static void velocity_at(const hn_sweep_body *bodies, const hn_sweep_point *c, double u[3]) {
  hn_sweep_velocity(bodies, c, u);
  u[0] += c->shift;
}

// How far all contacts are from the path, as a mean; many->cone: at the begin of a step.
static double rest_of(const hn_many *self, const hn_sweep_body *bodies,
                      const hn_sweep_point *points, int count, double eps) {
  double sum = 0;
  for (int k = 0; k < count; k++) {
    double u[3], f[3];
    velocity_at(bodies, &points[k], u);
    hn_smooth_rest(points[k].mu, step_of(&points[k]), eps, points[k].p, u, f);
    const double size = hn_smooth_size(&self->cone[k], f);
    sum += size * size;
  }
  return sqrt(sum / count);
}

// The largest distance from the path.
static double linearize(hn_many *self, const hn_sweep_body *bodies, const hn_sweep_point *points,
                        int count, double eps) {
  double most = 0;
  for (int k = 0; k < count; k++) {
    double u[3];
    velocity_at(bodies, &points[k], u);
    hn_smooth_cone_of(points[k].mu, step_of(&points[k]), eps, points[k].p, u, &self->cone[k]);
    most = fmax(most, hn_smooth_size(&self->cone[k], self->cone[k].rest));
  }
  return most;
}

static void move_to(hn_many *self, double share, hn_sweep_body *bodies, int body_count,
                    hn_sweep_point *points, int count) {
  for (int b = 1; b < body_count; b++) {
    bodies[b].v = self->begin[b].v;
    bodies[b].w = self->begin[b].w;
  }
  for (int k = 0; k < count; k++) {
    double by[3];
    for (int i = 0; i < 3; i++) {
      by[i] = share * self->step[k][i];
      points[k].p[i] = self->from[k][i] + by[i];
    }
    hn_sweep_push(bodies, &points[k], by);
  }
}

// The largest of some shares of a step that makes the rest smaller; 0: none does.
static double take_step(hn_many *self, double eps, hn_sweep_body *bodies, int body_count,
                        hn_sweep_point *points, int count) {
  double share = 1;
  const double rest = rest_of(self, bodies, points, count, eps);
  for (int b = 1; b < body_count; b++) self->begin[b] = bodies[b];
  for (int k = 0; k < count; k++) memcpy(self->from[k], points[k].p, sizeof self->from[k]);
  for (int i = 0; i < HALVINGS; i++, share *= 0.5) {
    move_to(self, share, bodies, body_count, points, count);
    if (rest_of(self, bodies, points, count, eps) <= (1 - LESS * share) * rest) return share;
  }
  move_to(self, 0, bodies, body_count, points, count);
  return 0;
}

// Back to the best that was met.
static void restore(hn_many *self, hn_sweep_body *bodies, hn_sweep_point *points, int count) {
  for (int k = 0; k < count; k++) {
    double by[3];
    for (int i = 0; i < 3; i++) by[i] = self->best[k][i] - points[k].p[i];
    memcpy(points[k].p, self->best[k], sizeof self->best[k]);
    hn_sweep_push(bodies, &points[k], by);
  }
}

int hn_many_solve(hn_many *self, hn_sweep_body *bodies, int body_count, hn_sweep_point *points,
                  int count, double enough, double *residual) {
  if (count == 0 || count > self->points) return 0;
  struct hn_factors *factors = hn_many_begin(self, bodies, body_count, points, count);
  if (!factors) return 0;
  const double last = SMALLEST * enough;
  double eps = fmax(last, WIDER * *residual), best = *residual; if (getenv("COLD")) for (int i = 0; i < count; i++) eps = fmax(eps, atof(getenv("COLD")) * points[i].p[0]);
  int k = 0, failures = 0;
  for (int i = 0; i < count; i++) memcpy(self->best[i], points[i].p, sizeof self->best[i]);
  while (k < ITERATIONS && failures <= FAILURES && best > enough) {
    double far = linearize(self, bodies, points, count, eps);
    while (far <= FOLLOWED * eps && eps > last) {
      eps = fmax(last, NEARER * eps);
      far = linearize(self, bodies, points, count, eps);
    }
    hn_many_step(self, factors, bodies, points, count);
    const double share = take_step(self, eps, bodies, body_count, points, count);
    k++;
    const double there = hn_sweep_residual(bodies, points, count);
if (getenv("DBG2")) fprintf(stderr, "   it %d eps %.3g far %.3g share %.3g res %.3g\n", k, eps, far, share, there);
    if (there < best) {
      best = there;
      for (int i = 0; i < count; i++) memcpy(self->best[i], points[i].p, sizeof self->best[i]);
    }
    if (share > 0) continue;
    failures++;
    eps *= WIDER;
  }
  restore(self, bodies, points, count);
  *residual = hn_sweep_residual(bodies, points, count);
  return k;
}
