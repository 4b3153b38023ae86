// `initial: {speed: ...}`: every body moves along x, wheels with tyres of a model roll, and what is
// geared to the wheels turns with them.
//
// Gears and shafts know their speeds from constraints alone. Velocities are projected onto these,
// which slows the wheels as it accelerates the shafts; the wheels are set again, and so on: each
// iteration reduces the residual by the fraction of the shafts in the inertia.
#include <math.h>
#include <string.h>

#include "analysis/simulation.h"
#include "base/error.h"
#include "elements/rolling.h"

enum { MOST_ROUNDS = 1000 };
#define SPUN 1e-12 // of the speed of a wheel

static int rolls(const hn_simulation *s, int f) {
  return s->model->forces[f].type == HN_FORCE_ROLLING_TYRE;
}

// The largest change of a wheel's angular velocity against its own.
static double spin_wheels(hn_simulation *s, hn_vec3 velocity) {
  hn_frame *frames = s->looking.frames;
  double most = 0;
  for (int f = 0; f < s->model->force_count; f++) {
    if (!rolls(s, f)) continue;
    hn_frame *wheel = &frames[s->elements->model->forces[f].frame2.body];
    hn_vec3 spin = hn_rolling_spin(s->elements, f, frames, s->method->t, velocity);
    double change = vec3_norm(vec3_sub(spin, wheel->w)), size = vec3_norm(spin);
    if (size > 0) most = fmax(most, change / size);
    wheel->w = spin;
  }
  return most;
}

hn_status hn_simulation_start_rolling(hn_simulation *s) {
  if (!s->model->defaults.has_speed || s->options.skip_assembly) return HN_OK;
  const hn_coordinates *coordinates = s->equations->type->coordinates;
  hn_method *m = s->method;
  hn_equations *e = s->equations;
  hn_vec3 velocity = vec3(s->model->defaults.speed, 0, 0);
  memset(m->qd, 0, (size_t)e->nq * sizeof(double));
  coordinates->frames(e, m->q, m->qd, s->looking.frames);
  for (int b = 1; b < s->model->body_count; b++) s->looking.frames[b].v = velocity;
  hn_status status = HN_OK;
  double change = spin_wheels(s, velocity);
  for (int k = 0; status == HN_OK && k < MOST_ROUNDS && (k == 0 || change > SPUN); k++) {
    coordinates->from_frames(e, s->looking.frames, s->looking.q, m->qd);
    status = hn_equations_jump(e, m->t, m->q, m->qd, &s->branches, s->looking.correction);
    coordinates->frames(e, m->q, m->qd, s->looking.frames);
    change = spin_wheels(s, velocity);
  }
  if (status > 0)
    return hn_fail(&s->error, HN_ERROR_CONVERGENCE, NULL, "initial",
                   "Remove the speed, or the joint or driver that prevents it.",
                   "requires a speed of %g m/s, which the joints and drivers do not allow",
                   s->model->defaults.speed);
  if (status == HN_OK && change > 1e-3)
    hn_simulation_warn(s, "initial",
                       "has a speed at which the wheels cannot roll; they start with slip. Check "
                       "wheel axes and drivers");
  return status;
}
