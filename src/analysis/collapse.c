// Names the cause of a step size that collapses: a state or force that is not finite a little later, or
// the state, force or body that changes most in a short time dt from the present state on,
//
//   q + dt q', q' + dt q'', z + dt z':   |change| / |value|
//
// Called after a step has failed, and occasionally if too many steps are expected.
#include "analysis/collapse.h"

#include <math.h>
#include <string.h>

#include "analysis/simulation.h"
#include "base/error.h"
#include "elements/sensor.h"
#include "elements/states.h"

#define NOTABLE 1e-3   // a change in dt, of the value, that explains short steps
#define AHEAD 1e3      // dt, in steps that failed
#define SHORTEST 1e-13 // dt, of the time
#define FAR 1e-6       // of the time: range searched for values that are not finite
#define QUICK 1e-6 // s: steps below it have a cause, longer ones are many because the run is long
enum { CHECK = 100000 }; // steps between two forecasts

typedef enum culprit_kind { NOBODY, STATE, FORCE, BODY } culprit_kind;

typedef struct culprit {
  culprit_kind kind;
  int index;
  int is_no_number;
  double value, rate; // now; 1/s or rad/s
  double score;       // relative change in dt
} culprit;

// The wrenches of a force on its two bodies, its value: 13 numbers. Not HN_OK: it failed.
static hn_status force_at(hn_simulation *s, int f, const hn_frame *frames, double t,
                          double out[13]) {
  hn_force_value value = {0};
  hn_wrench *wrench = s->looking.snapshot->wrench;
  int bodies[2];
  hn_model_force_bodies(s->model, f, bodies);
  for (int k = 0; k < 2; k++) wrench[bodies[k]] = (hn_wrench){{0, 0, 0}, {0, 0, 0}};
  const hn_branch branch = hn_force_branch(s->elements, f, frames, s->branches.turns, t);
  hn_status status =
      hn_force_in_speeds(s->elements, f, frames, s->branches.turns, t, branch, wrench, &value);
  for (int k = 0; k < 2; k++) {
    vec3_store(&out[6 * k], bodies[k] == HN_GROUND ? vec3_zero() : wrench[bodies[k]].force);
    vec3_store(&out[6 * k + 3], bodies[k] == HN_GROUND ? vec3_zero() : wrench[bodies[k]].torque);
  }
  out[12] = value.value;
  return status;
}

static double size_of(const double x[13]) {
  double square = 0;
  for (int i = 0; i < 13; i++) square += x[i] * x[i];
  return sqrt(square);
}

// Frames and states dt later; signals are sensed there.
static const hn_frame *go_ahead(hn_simulation *s, double dt) {
  const hn_method *m = s->method;
  const int nq = s->equations->nq;
  for (int i = 0; i < nq; i++) {
    s->looking.q[i] = m->q[i] + dt * m->qd[i];
    s->looking.qd[i] = m->qd[i] + dt * m->now->qdd[i];
  }
  s->equations->type->coordinates->frames(s->equations, s->looking.q, s->looking.qd,
                                          s->looking.frames);
  if (m->states > 0) hn_states_set(s->elements, m->z);
  hn_elements_sense(s->elements, s->looking.frames, s->branches.turns);
  return s->looking.frames;
}

static void take(culprit *best, culprit_kind kind, int index, double value, double rate,
                 double score) {
  if (!(score > best->score)) return;
  *best = (culprit){kind, index, 0, value, rate, score};
}

// States of laws: their rates at this moment. Memory is taken, but the run is over.
static void look_at_states(hn_simulation *s, double dt, culprit *best) {
  const struct hn_flow *flow = s->elements->flow;
  const size_t size = flow ? (size_t)flow->count * sizeof(double) : 0;
  double *rates = size > 0 ? hn_allocate(s->options.allocator, size) : NULL;
  if (!rates) return;
  memset(rates, 0, size);
  go_ahead(s, 0);
  hn_states_rates(s->elements, s->method->t, rates);
  for (int k = 0; k < flow->laws && !best->is_no_number; k++) {
    const double z = s->method->z[k], rate = rates[k];
    if (!isfinite(rate) || !isfinite(z))
      *best = (culprit){STATE, k, 1, z, rate, HUGE_VAL};
    else
      take(best, STATE, k, z, rate, fabs(rate) * dt / (fabs(z) + s->tolerance.absolute));
  }
  hn_release(s->options.allocator, rates);
}

static void look_at_forces(hn_simulation *s, double dt, culprit *best) {
  const double t = s->method->t;
  for (int f = 0; f < s->model->force_count; f++) {
    double now[13], later[13], change = 0;
    hn_status status = force_at(s, f, go_ahead(s, 0), t, now);
    if (status == HN_OK) status = force_at(s, f, go_ahead(s, dt), t + dt, later);
    if (status < 0 || !isfinite(size_of(now)) || !isfinite(size_of(later))) {
      *best = (culprit){FORCE, f, 1, now[12], 0, HUGE_VAL};
      return;
    }
    for (int i = 0; i < 13; i++) change += (later[i] - now[i]) * (later[i] - now[i]);
    const double size = size_of(now), score = size > 0 ? sqrt(change) / size : 0;
    take(best, FORCE, f, size, sqrt(change) / dt, score);
  }
}

static void look_at_bodies(hn_simulation *s, double dt, culprit *best) {
  const hn_frame *frames = s->method->now->frames;
  for (int b = 1; b < s->model->body_count; b++) {
    const double w = vec3_norm(frames[b].w);
    take(best, BODY, b, w, w, w * dt);
  }
}

static culprit find_culprit(hn_simulation *s, double dt) {
  culprit best = {.score = NOTABLE};
  look_at_states(s, dt, &best);
  if (!best.is_no_number) look_at_forces(s, dt, &best);
  if (!best.is_no_number) look_at_bodies(s, dt, &best);
  go_ahead(s, 0); // signals and states are those of the present again
  return best;
}

// Writes "force 'f'" and its position in the file. A coupling gives the force whose function it
// evaluates.
static const char *name_culprit(const hn_simulation *s, const culprit *c, char *text, size_t size,
                                const hn_source **source) {
  const hn_model *model = s->model;
  if (c->kind == STATE) {
    *source = &model->states[c->index].source;
    return hn_text(text, size, "state '%s'", model->states[c->index].name);
  }
  if (c->kind == BODY) {
    *source = &model->bodies[c->index].source;
    return hn_text(text, size, "body '%s'", model->bodies[c->index].name);
  }
  int f = c->index;
  if (model->forces[f].type == HN_FORCE_COUPLING) f = model->forces[f].coupled;
  *source = &model->forces[f].source;
  return hn_text(text, size, "force '%s'", model->forces[f].name);
}

static hn_status fail_by(hn_simulation *s, const culprit *c, double h) {
  static const char *const hints[] = {
      [STATE] = "check its rate for a pole or a jump, limit it, or end the run earlier",
      [FORCE] = "check its function for a pole or a jump, limit it, or end the run earlier",
      [BODY] = "check what adds energy: gains, signs, units, negative damping"};
  char name[96];
  const hn_source *source = NULL;
  name_culprit(s, c, name, sizeof name, &source);
  const double t = s->method->t;
  if (c->is_no_number)
    return hn_fail(&s->error, HN_ERROR_NOT_FINITE, source, name, hints[c->kind],
                   "is not a number at t = %.9g s", t);
  if (c->kind == BODY)
    return hn_fail(&s->error, HN_ERROR_STEP_SIZE, source, name, hints[BODY],
                   "rotates too fast at t = %.9g s (%.3g rad/s): a step of %.3g s failed", t,
                   c->value, h);
  return hn_fail(
      &s->error, HN_ERROR_STEP_SIZE, source, name, hints[c->kind],
      "changes too fast at t = %.9g s (value %.3g, rate %.3g per second): a step of %.3g s failed",
      t, c->value, c->rate, h);
}

hn_status hn_fail_collapse(hn_simulation *s, double h) {
  const double unit = 1 + fabs(s->method->t);
  const int is_fixed = s->stepping.mode != HN_RUN_CONTROLLED;
  if (!(h > 0)) return HN_OK;
  // what is no number at the next moments
  const double far = is_fixed ? h : fmax(h, FAR * unit);
  for (double dt = is_fixed ? 0.125 * h : fmax(h, 1e-15 * unit); dt <= far;
       dt *= is_fixed ? 2 : 10) {
    const culprit found = find_culprit(s, dt);
    if (found.is_no_number) return fail_by(s, &found, h);
  }
  if (is_fixed) return HN_OK; // short steps are not what it asked for
  const culprit found = find_culprit(s, fmax(AHEAD * h, SHORTEST * unit));
  return found.kind == NOBODY ? HN_OK : fail_by(s, &found, h);
}

// ---- the work of a call ---------------------------------------------------------------------------

static hn_status fail_work(hn_simulation *s, double t_limit, double steps, double h, long most) {
  culprit found = {.kind = NOBODY};
  if (h < QUICK) found = find_culprit(s, h);
  char name[96], what[80] = "";
  const hn_source *source = NULL;
  const char *element =
      found.kind == NOBODY ? NULL : name_culprit(s, &found, name, sizeof name, &source);
  if (element)
    hn_text(what, sizeof what, "changes fastest (%.3g%s): ", found.value,
            found.kind == BODY ? " rad/s" : "");
  return hn_fail(&s->error, HN_ERROR_LIMIT, source, element,
                 element ? "correct what changes so fast, end the run earlier, or raise @max_steps"
                         : "reduce `time`, use a larger @tol, or raise @max_steps",
                 "%sabout %.3g steps of %.3g s remain from t = %.9g s to %.9g s (limit %ld)", what,
                 fmin(steps, 1e300), h, s->method->t, t_limit, most);
}

hn_status hn_watch_work(hn_simulation *s, double t_limit) {
  struct hn_work_watch *w = &s->stepping.watch;
  const double t = s->method->t;
  const long most = s->options.max_steps > 0 ? s->options.max_steps : HN_USUAL_MAX_STEPS;
  if (w->target != t_limit) *w = (struct hn_work_watch){.target = t_limit, .time = t};
  w->steps++;
  const int is_check = w->steps % CHECK == 0;
  if (!(t < t_limit) || (w->steps < most && !is_check)) return HN_OK;
  const double h = w->steps < most ? (t - w->time) / CHECK : s->stepping.last;
  w->time = t;
  const double steps = (t_limit - t) / h;
  return w->steps >= most || (double)w->steps + steps > (double)most
             ? fail_work(s, t_limit, steps, h, most)
             : HN_OK;
}
