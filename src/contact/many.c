// Newton's method for many contacts (many.h): path following.
//
// Slips make the problem one that is not convex, and the path may end, or bend back: if steps fail,
// some are taken all the same, then the slips are frozen for a while (the problem is convex then).
// Where the path ends, the exact laws (sharp.h) are solved from there, and if that fails too,
// another start is tried.
#include "contact/many.h"

#include <math.h>
#include <string.h>

#include "contact/sharp.h"

#define SMALLEST 0.05 // of a residual that is enough: eps goes no further
#define NEARER 0.35   // eps from one place of the path to the next
#define FOLLOWED 2.0  // how far from the path, in units of eps, the next place is taken
#define LESS 1e-3     // the least share by which a step makes the rest smaller
#define WIDER 30.0    // the first eps, of a residual
#define WIDE 0.1      // ..., of the largest impulse
#define MOST_WORK 3e9
// Of the exact laws: compliance of closed contacts, relative to their own response; initial, least,
// and largest; and its factor per iteration.
#define GIVE 1e-6
#define LEAST_GIVE 1e-10
#define MOST_GIVE 1.0
#define MORE_GIVE 10.0
enum { ITERATIONS = 40, HALVINGS = 6, FROZEN = 3, FAILURES = 2, BOLD = 3 };
enum { SHARP_ITERATIONS = 30, SHARP_HALVINGS = 3 };

typedef struct problem {
  hn_many *many;
  struct hn_factors *factors;
  hn_sweep_body *bodies;
  hn_sweep_point *points;
  int body_count, count;
  double enough, best; // residuals
  double work;         // multiplications of all factorizations
} problem;

static double step_of(const hn_sweep_point *c) {
  return 1 / fmax(c->w[0][0], fmax(c->w[1][1], c->w[2][2]));
}

static void velocity_at(const hn_sweep_body *bodies, const hn_sweep_point *c, double u[3]) {
  hn_sweep_velocity(bodies, c, u);
  u[0] += c->shift + c->give * c->p[0];
}

// Eliminates the term that a soft point adds to its normal velocity: impulses by the velocities of
// bodies alone, (1 + s e_N e_N' give)^-1 of them.
static void soften(const hn_sweep_point *c, hn_smooth_cone *cone) {
  if (!(c->give > 0)) return;
  double first[3], by_row[3];
  const double scale = 1 / (1 + c->give * cone->s[0][0]);
  for (int i = 0; i < 3; i++) {
    first[i] = c->give * cone->s[i][0] * scale;
    by_row[i] = cone->s[0][i];
  }
  const double push = cone->push[0];
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) cone->s[i][j] -= first[i] * by_row[j];
    cone->push[i] -= first[i] * push;
  }
}

// Mean residual of the smoothed laws over all contacts, in the metric of the start of a step; eps =
// 0: that of the exact laws.
static double rest_of(const problem *f, double eps) {
  double sum = 0;
  for (int k = 0; k < f->count; k++) {
    const hn_sweep_point *c = &f->points[k];
    double u[3], rest[3];
    velocity_at(f->bodies, c, u);
    if (!(eps > 0)) {
      sum += hn_sharp_rest(c->mu, step_of(c), c->p, u);
      continue;
    }
    hn_smooth_rest(c->mu, step_of(c), eps, c->p, u, f->many->slip[k], rest);
    const double size = hn_smooth_size(&f->many->cone[k], rest);
    sum += size * size;
  }
  return sqrt(sum / f->count);
}

// The largest distance from the path.
static double linearize(const problem *f, double eps) {
  double most = 0;
  for (int k = 0; k < f->count; k++) {
    const hn_sweep_point *c = &f->points[k];
    hn_smooth_cone *cone = &f->many->cone[k];
    double u[3];
    velocity_at(f->bodies, c, u);
    hn_smooth_cone_of(c->mu, step_of(c), eps, c->p, u, f->many->slip[k], cone);
    most = fmax(most, hn_smooth_size(cone, cone->rest));
    soften(c, cone);
  }
  return most;
}

// Freezes the slips on which friction depends, or (is_free) releases them.
static void freeze(const problem *f, int is_free) {
  for (int k = 0; k < f->count; k++) {
    double u[3];
    velocity_at(f->bodies, &f->points[k], u);
    f->many->slip[k] = is_free ? -1 : sqrt(u[1] * u[1] + u[2] * u[2]);
  }
}

static void move_to(const problem *f, double share) {
  const hn_many *many = f->many;
  for (int b = 1; b < f->body_count; b++) {
    f->bodies[b].v = many->begin[b].v;
    f->bodies[b].w = many->begin[b].w;
  }
  for (int k = 0; k < f->count; k++) {
    double by[3];
    for (int i = 0; i < 3; i++) {
      by[i] = share * many->step[k][i];
      f->points[k].p[i] = many->from[k][i] + by[i];
    }
    hn_sweep_push(f->bodies, &f->points[k], by);
  }
}

// The largest of some shares of a step that makes the rest smaller; 0: none does.
static double take_step(const problem *f, double eps, int halvings) {
  double share = 1;
  const double rest = rest_of(f, eps);
  for (int b = 1; b < f->body_count; b++) f->many->begin[b] = f->bodies[b];
  for (int k = 0; k < f->count; k++) memcpy(f->many->from[k], f->points[k].p, 3 * sizeof(double));
  for (int i = 0; i < halvings; i++, share *= 0.5) {
    move_to(f, share);
    if (rest_of(f, eps) <= (1 - LESS * share) * rest) return share;
  }
  move_to(f, 0);
  return 0;
}

static void note(problem *f) {
  const double there = hn_sweep_residual(f->bodies, f->points, f->count);
  if (!(there < f->best)) return;
  f->best = there;
  for (int k = 0; k < f->count; k++) memcpy(f->many->best[k], f->points[k].p, 3 * sizeof(double));
}

// Resets all impulses: the best so far, or (even > 0) the same along every normal.
static void restart(const problem *f, double even) {
  for (int k = 0; k < f->count; k++) {
    hn_sweep_point *c = &f->points[k];
    double by[3];
    for (int i = 0; i < 3; i++) {
      const double to = even > 0 ? (i == 0 ? even : 0) : f->many->best[k][i];
      by[i] = to - c->p[i];
      c->p[i] = to;
    }
    hn_sweep_push(f->bodies, c, by);
  }
}

// Follows the path from eps on; the number of iterations.
static int follow(problem *f, double eps) {
  const double last = SMALLEST * f->enough;
  int k = 0, failures = 0, frozen = 0, bold = 0;
  freeze(f, 1);
  while (k < ITERATIONS && failures < FAILURES && f->best > f->enough && f->work < MOST_WORK) {
    double far = linearize(f, eps);
    if (frozen > 0 && far <= FOLLOWED * eps) {
      freeze(f, --frozen == 0);
      far = linearize(f, eps);
    }
    while (frozen == 0 && far <= FOLLOWED * eps && eps > last) {
      eps = fmax(last, NEARER * eps);
      far = linearize(f, eps);
    }
    hn_many_step(f->many, f->factors, f->bodies, f->points, f->count);
    const double share = take_step(f, eps, HALVINGS);
    k++;
    f->work += f->many->operations;
    note(f);
    if (share > 0) continue;
    if (frozen > 0) break;
    if (bold < BOLD) { // across a nonsmooth point: reversal of a slip
      bold++;
      move_to(f, 1);
      note(f);
      continue;
    }
    bold = 0;
    failures++;
    frozen = FROZEN;
    freeze(f, 0);
  }
  return k;
}

// The sharp laws from where the impulses are; the number of iterations.
static int sharpen(problem *f) {
  double give = GIVE;
  int k = 0;
  while (k < SHARP_ITERATIONS && f->best > f->enough && f->work < MOST_WORK) {
    for (int i = 0; i < f->count; i++) {
      const hn_sweep_point *c = &f->points[i];
      double u[3];
      velocity_at(f->bodies, c, u);
      hn_sharp_cone_of(c->mu, step_of(c), give, c->p, u, &f->many->cone[i]);
      soften(c, &f->many->cone[i]);
    }
    hn_many_step(f->many, f->factors, f->bodies, f->points, f->count);
    const double share = take_step(f, 0, SHARP_HALVINGS);
    k++;
    f->work += f->many->operations;
    note(f);
    if (share == 0 && give > MOST_GIVE) return k;
    if (share == 0)
      give *= MORE_GIVE;
    else if (share == 1)
      give = fmax(LEAST_GIVE, give / MORE_GIVE);
  }
  return k;
}

double hn_many_operations(hn_many *self, const hn_sweep_body *bodies, int body_count,
                          const hn_sweep_point *points, int count) {
  if (count == 0 || count > self->points) return 0;
  return hn_many_begin(self, bodies, body_count, points, count) ? self->operations : 0;
}

int hn_many_solve(hn_many *self, hn_sweep_body *bodies, int body_count, hn_sweep_point *points,
                  int count, double enough, double *residual) {
  if (count == 0 || count > self->points) return 0;
  struct hn_factors *factors = hn_many_begin(self, bodies, body_count, points, count);
  if (!factors) return 0;
  problem f = {self, factors, bodies, points, body_count, count, enough, HUGE_VAL, 0};
  double most = 0, mean = 0;
  for (int k = 0; k < count; k++) {
    most = fmax(most, points[k].p[0]);
    mean += points[k].p[0] / count;
  }
  note(&f);
  const double first = WIDER * f.best;
  // of impulses at the start: 0 the best so far
  const double starts[][2] = {{0, fmax(first, WIDE * most)},
                              {mean, mean},
                              {0, first},
                              {most, most},
                              {most, 10 * most},
                              {0.1 * mean, 0.1 * mean},
                              {0, 3 * most},
                              {mean, 0.1 * mean}};
  int iterations = sharpen(&f);
  for (int k = 0; k < (int)(sizeof starts / sizeof starts[0]) && f.best > enough; k++) {
    restart(&f, starts[k][0]);
    iterations += follow(&f, fmax(starts[k][1], enough));
    iterations += sharpen(&f);
  }
  restart(&f, 0);
  *residual = hn_sweep_residual(bodies, points, count);
  return iterations;
}
