// The fastest oscillation, by power iteration. Speeds x at a frozen time displace the model, and
//
//   ud(q + e x) - ud(q) = -e A x,   A ~ M^-1 K on the constraints,   largest eigenvalue w^2
//   ud(u + e x) - ud(u) = -e B x,   B ~ M^-1 C,                      c = x . B x / x . x
//
// by evaluations of accelerations, with the present branches; A is similar to a symmetric matrix,
// so a few steps from any x give the one digit needed. A mode of frequency w and damping c has z =
// h (-c/2 +- i sqrt(w^2 - c^2/4)); dopri5, R(z), does not let it grow while h stays below the step
// returned. If damping is not weak there is no bound: explicit steps excite such modes too and show
// it, but the state forgets it within a few steps.
#include "analysis/fast_modes.h"

#include <math.h>
#include <string.h>

#include "analysis/simulation.h"
#include "math/complex_number.h"
#include "math/elementary.h"
#include "math/vec.h"

#define DISTANCE 1e-6 // m or rad
#define SPEED 1e-4    // m/s or rad/s
#define SAME 0.1      // relative change at which the iteration ends
#define WEAK 0.05     // fraction of critical damping
enum { ITERATIONS = 8 };

void hn_fast_modes_create(hn_simulation *s) {
  const int nu = s->equations->nu;
  double **room[] = {&s->automatic.modes.x, &s->automatic.modes.y, &s->automatic.modes.u};
  for (size_t k = 0; k < sizeof room / sizeof room[0]; k++)
    *room[k] = HN_KEEP(&s->arena, double, nu);
}

static double dot(const double *a, const double *b, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

// y <- (ud(now) - ud(displaced by x, faster by v x)) / |...|; 0 where it cannot be had.
static int respond(hn_simulation *s, double distance, double speed) {
  const hn_method *m = s->method;
  hn_equations *e = s->equations;
  hn_error unused = {.status = HN_OK};
  double *x = s->automatic.modes.x, *y = s->automatic.modes.y;
  for (int i = 0; i < e->nu; i++) y[i] = s->automatic.modes.u[i] + speed * x[i];
  e->type->coordinates->rates(e, m->q, x, s->looking.qd);
  for (int i = 0; i < e->nq; i++) s->looking.q[i] = m->q[i] + distance * s->looking.qd[i];
  e->type->coordinates->rates(e, s->looking.q, y, s->looking.qd);
  hn_status status = e->type->evaluate_stage(e, m->t, s->looking.q, s->looking.qd, &s->branches,
                                             s->looking.snapshot, &unused);
  s->looking.count++;
  if (status != HN_OK) return 0;
  for (int i = 0; i < e->nu; i++)
    y[i] = (m->now->ud[i] - s->looking.snapshot->ud[i]) / (distance + speed);
  return isfinite(hn_largest(y, e->nu));
}

// w^2 of the fastest mode, which is left in x; 0: none.
static double find_mode(hn_simulation *s) {
  const int nu = s->equations->nu;
  double *x = s->automatic.modes.x, *y = s->automatic.modes.y, square = 0;
  for (int i = 0; i < nu; i++) x[i] = (i % 2 ? -1 : 1) * (1 + 0.3 * hn_cos(1.7 * i));
  for (int k = 0; k < ITERATIONS; k++) {
    const double size = hn_largest(x, nu), before = square;
    if (!(size > 0)) return 0;
    for (int i = 0; i < nu; i++) x[i] /= size;
    if (!respond(s, DISTANCE, 0)) return 0;
    square = dot(x, y, nu) / dot(x, x, nu);
    const double most = hn_largest(y, nu) / hn_largest(x, nu);
    if (!(most > 0)) return 0;
    if (k > 0 && fabs(square - before) <= SAME * square && square > 0.5 * most) return square;
    for (int i = 0; i < nu; i++) x[i] = y[i];
  }
  return square;
}

// The radius up to which the stability region of dopri5 reaches at this fraction of critical damping.
static double stable_radius(double damping) {
  const double complex direction = -damping + I * sqrt(1 - damping * damping);
  double r = 0.9;
  for (; r < 3.3; r += 0.05) {
    const double complex z = (r + 0.05) * direction;
    const double complex growth =
        1 + z * (1 + z / 2 * (1 + z / 3 * (1 + z / 4 * (1 + z / 5 * (1 + z / 5)))));
    if (complex_magnitude(growth) > 1) break;
  }
  return r;
}

static double find_step(hn_simulation *s) {
  const int nu = s->equations->nu;
  const double square = find_mode(s), *x = s->automatic.modes.x, *y = s->automatic.modes.y;
  if (!(square > 0) || !isfinite(square)) return HUGE_VAL;
  const double size = hn_largest(x, nu), w = sqrt(square);
  for (int i = 0; i < nu; i++) s->automatic.modes.x[i] /= size;
  if (!respond(s, 0, SPEED)) return HUGE_VAL;
  const double damping = 0.5 * dot(x, y, nu) / dot(x, x, nu) / w;
  return damping < WEAK ? stable_radius(fmax(damping, 0)) / w : HUGE_VAL;
}

double hn_stable_step(hn_simulation *s) {
  hn_equations *e = s->equations;
  const hn_method *m = s->method;
  if (s->model->force_count == 0 || e->nu == 0) return HUGE_VAL;
  e->type->coordinates->speeds(e, m->q, m->qd, s->automatic.modes.u);
  return find_step(s);
}
