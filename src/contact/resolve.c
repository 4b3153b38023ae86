// Many contacts to a residual (resolve.h).
#include "contact/resolve.h"

#include <math.h>
#include <string.h>

// Multiplications, as long as they take: of one point in a sweep; iterations of Newton's method, a path.
#define POINT_OPERATIONS 250.0
#define NEWTON_STEPS 20.0
enum { SWEEPS_BEFORE = 4000, SWEEPS_BETWEEN = 400, FEW = 1000 };

typedef struct problem {
  hn_resolve *self;
  hn_sweep_body *bodies;
  hn_sweep_point *points;
  int body_count, count;
  double enough;
} problem;

hn_status hn_resolve_create(hn_arena *arena, int bodies, int points, int leap_points,
                            hn_resolve *self) {
  *self = (hn_resolve){.kept = (double(*)[3])(void *)HN_KEEP(arena, double, 3 * (size_t)points)};
  hn_status status = hn_leaps_create(arena, leap_points, &self->leaps);
  if (status == HN_OK) status = hn_many_create(arena, bodies, points, &self->many);
  return arena->failed ? HN_ERROR_MEMORY : status;
}

hn_status hn_resolve_extend(hn_arena *arena, int points, hn_resolve *self) {
  self->kept = (double(*)[3])(void *)HN_KEEP(arena, double, 3 * (size_t)points);
  return hn_many_extend(arena, points, &self->many);
}

static double sweep(const problem *f, double enough, int most) {
  double residual;
  f->self->sweeps +=
      hn_sweep_solve(f->bodies, f->points, f->count, &f->self->leaps, enough, most, &residual);
  return residual;
}

// Sweeps that take as long as Newton's method would: of spheres they are mostly enough, and of boxes,
// where they are not, little is lost.
static int sweeps_of_newton(const problem *f) {
  const double newton = NEWTON_STEPS * hn_many_operations(&f->self->many, f->bodies, f->body_count,
                                                          f->points, f->count);
  return (int)fmin(SWEEPS_BEFORE, newton / (POINT_OPERATIONS * f->count));
}

static void keep_impulses(const problem *f) {
  for (int k = 0; k < f->count; k++)
    memcpy(f->self->kept[k], f->points[k].p, sizeof f->self->kept[k]);
}

// Impulses that were kept, these shares of their normal and tangential parts.
static void put_impulses(const problem *f, double normal, double tangential) {
  for (int k = 0; k < f->count; k++) {
    hn_sweep_point *c = &f->points[k];
    double by[3];
    for (int i = 0; i < 3; i++) {
      const double to = (i == 0 ? normal : tangential) * f->self->kept[k][i];
      by[i] = to - c->p[i];
      c->p[i] = to;
    }
    hn_sweep_push(f->bodies, c, by);
  }
}

// Newton's method, and where it is not enough, long sweeps; where these are not, both again from
// elsewhere, unless they are very many: laws of friction may have several solutions, and the one near
// the step before may have gone.
static double insist(const problem *f, int most, double residual) {
  const double starts[][2] = {{1, 1}, {1, 1}, {0, 0}, {1, 0}, {0.5, 0.5}, {2, 1}};
  const int tries = f->count > FEW ? 2 : (int)(sizeof starts / sizeof starts[0]);
  for (int try = 0; try < tries && residual > f->enough; try++) {
    const double best = residual;
    keep_impulses(f);
    put_impulses(f, starts[try][0], starts[try][1]);
    if (try > 0) residual = sweep(f, f->enough, try == 1 ? most : SWEEPS_BETWEEN);
    if (residual > f->enough)
      hn_many_solve(&f->self->many, f->bodies, f->body_count, f->points, f->count, f->enough,
                    &residual);
    if (residual <= best) continue;
    put_impulses(f, 1, 1);
    residual = best;
  }
  return residual;
}

double hn_resolve_contacts(hn_resolve *self, hn_sweep_body *bodies, int body_count,
                           hn_sweep_point *points, int count, double first, int first_sweeps,
                           double enough, int most) {
  const problem f = {self, bodies, points, body_count, count, enough};
  double residual = sweep(&f, first, first_sweeps);
  if (residual > enough) residual = sweep(&f, enough, sweeps_of_newton(&f));
  return insist(&f, most, residual);
}
