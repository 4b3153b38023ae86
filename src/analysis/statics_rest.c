// Equilibrium of models with rigid contacts, rigid stops or sticking friction: the position in
// which the model comes to rest when it is released at its start. A second simulation applies the
// contact conditions. Whenever its kinetic energy starts to fall, all velocities are set to zero,
// so that only positions continue ("kinetic damping"): a mass on a spring rests after a few such
// resets, a falling ball at its first impact. Bodies that friction holds stay: of the many positions
// in which it could rest, this is the first on its way. It rests when the contact conditions leave
// no acceleration. Time is frozen for functions and drivers: those that change are rejected.
#include <math.h>
#include <string.h>

#include "analysis/simulation_switches.h"
#include "analysis/statics.h"
#include "base/error.h"
#include "equations/conditions.h"
#include "math/law.h"
#include "model/contact.h"
#include "model/options.h"

#define REST 1e-9 // of gravity, or of the largest acceleration on the way or of what contacts carry
#define LONGEST 1e4 // s, that it may take
enum { STEPS = 100000, TURNS = 2000, SECTIONS = 30, PATIENCE = 4 };

// ---- models that cannot be released
// ---------------------------------------------------------------

static int changes(const hn_law *law, double t) {
  if (!law) return 0;
  hn_law_value now = hn_law_evaluate(law, -1, t), then = hn_law_evaluate(law, -1, t + 0.37);
  return now.d1 != 0 || now.value != then.value;
}

static hn_status refuse(hn_simulation *s, const hn_source *source, const char *what,
                        const char *name) {
  char element[160];
  return hn_fail(
      &s->error, HN_ERROR_UNSUPPORTED, source,
      hn_text(element, sizeof element, "%s '%s'", what, name),
      "keep it constant, give contacts a compliant `law:`, or simulate until rest",
      "changes with time, so that the mechanism does not come to rest on its rigid contacts");
}

static hn_status refuse_changes(hn_simulation *s) {
  const hn_model *model = s->model;
  const double t = s->method->t;
  for (int d = 0; d < model->driver_count; d++)
    if (changes(model->drivers[d].law, t))
      return refuse(s, &model->drivers[d].source, "driver", model->drivers[d].name);
  for (int f = 0; f < model->force_count; f++) {
    const hn_force_def *force = &model->forces[f];
    int is_timed = changes(force->of_t, t);
    for (int k = 0; k < 3; k++) is_timed |= changes(force->component_law[k], t);
    if (is_timed) return refuse(s, &force->source, "force", force->name);
  }
  return HN_OK;
}

// ---- on the way -------------------------------------------------------------------------------------

// The largest acceleration that the force of one contact would give a body alone: what balances there.
static double load(const hn_simulation *s) {
  const hn_conditions *conditions = hn_conditions_of(s->equations);
  double most = 0;
  for (int k = 0; k < conditions->first_extra; k++) {
    const int *body = conditions->contacts->pairs[k / HN_CONTACT_POINTS].body;
    const double force = vec3_norm(s->method->now->touch[k].force);
    for (int side = 0; side < 2; side++) {
      const double mass = s->model->bodies[body[side]].mass;
      if (body[side] != HN_GROUND && mass > 0) most = fmax(most, force / mass);
    }
  }
  return most;
}

// The largest acceleration of a body, turns by its radius of gyration, and the force it means.
static double acceleration(hn_simulation *s, double *force, int *body) {
  const hn_snapshot *now = s->method->now;
  hn_snapshot_complete(s->equations, &s->branches, s->method->now);
  double most = 0;
  *force = 0;
  for (int b = 1; b < s->model->body_count; b++) {
    const hn_body_def *def = &s->model->bodies[b];
    double inertia = fmax(def->inertia[0], fmax(def->inertia[1], def->inertia[2]));
    double size = def->mass > 0 ? sqrt(inertia / def->mass) : 0;
    double here =
        fmax(vec3_norm(now->acceleration[b]), size * vec3_norm(now->angular_acceleration[b]));
    *force = fmax(*force, def->mass * here);
    if (here > most || isnan(here)) {
      most = here;
      *body = b;
    }
  }
  return most;
}

static double kinetic_at(hn_simulation *twin, double time) {
  return hn_simulation_look_at(twin, time) == HN_OK ? twin->view.snapshot->kinetic : 0;
}

// The moment in the last step at which the kinetic energy was largest, by golden sections.
static double peak_of(hn_simulation *twin) {
  double low = twin->method->step_begin, high = twin->method->t, share = 0.3819660112501051;
  double a = low + share * (high - low), b = high - share * (high - low);
  double at_a = kinetic_at(twin, a), at_b = kinetic_at(twin, b);
  for (int k = 0; k < SECTIONS; k++) {
    if (at_a > at_b) {
      high = b;
      b = a;
      at_b = at_a;
      a = low + share * (high - low);
      at_a = kinetic_at(twin, a);
    } else {
      low = a;
      a = b;
      at_a = at_b;
      b = high - share * (high - low);
      at_b = kinetic_at(twin, b);
    }
  }
  return 0.5 * (low + high);
}

// Takes all velocities away where the kinetic energy was largest; at an impact, there.
static hn_status stop(hn_simulation *twin, int is_impact, double *q, double *zero) {
  const size_t size = (size_t)twin->equations->nq * sizeof(double);
  memcpy(q, twin->method->q, size);
  if (!is_impact && twin->stepping.has_dense && hn_simulation_look_at(twin, peak_of(twin)) == HN_OK)
    twin->equations->type->coordinates->from_frames(twin->equations, twin->view.snapshot->frames, q,
                                                    zero);
  memset(zero, 0, size);
  return hn_simulation_set_state(twin, twin->method->t, q, zero);
}

typedef struct way {
  double gravity, largest, least; // accelerations: of gravity, and the extremes so far (load)
  double force;                   // the present one as a force
  int turns, stalled, body;       // stalled: turns since the least acceleration has halved
} way;

// A violent start does not excuse the acceleration at its end: if that is more than REST of gravity, the
// way ends when further turns gain nothing.
static int rests(hn_simulation *twin, way *w) {
  double here = acceleration(twin, &w->force, &w->body);
  w->largest = fmax(w->largest, fmax(here, load(twin)));
  if (here <= REST * w->gravity) return 1;
  w->stalled = here <= 0.5 * w->least ? 0 : w->stalled + 1;
  w->least = fmin(w->least, here);
  return here <= REST * w->largest && w->stalled >= PATIENCE;
}

static hn_status settle(hn_simulation *twin, double *q, double *zero, way *w) {
  const double end = twin->method->t + LONGEST;
  double before = 0;
  hn_status status = stop(twin, 1, q, zero);
  for (long k = 0; status == HN_OK && k < STEPS && w->turns < TURNS; k++) {
    if (before == 0 && rests(twin, w)) return HN_OK;
    if (twin->method->t >= end) break;
    double now = 0;
    long impacts = hn_simulation_certificate(twin).impacts;
    status = hn_simulation_step(twin, end);
    if (status == HN_OK) status = hn_simulation_value(twin, "energy.kinetic", &now);
    if (status != HN_OK) break;
    int falls = now < before || (now == 0 && before == 0);
    before = falls ? 0 : now;
    if (!falls) continue;
    status = stop(twin, hn_simulation_certificate(twin).impacts != impacts, q, zero);
    w->turns++;
  }
  return status == HN_OK ? HN_ERROR_CONVERGENCE : status;
}

// ---- the whole --------------------------------------------------------------------------------------

static hn_status fail_to_rest(hn_simulation *s, const hn_simulation *twin, const way *w) {
  const hn_body_def *body = &s->model->bodies[w->body > 0 ? w->body : 1];
  char element[128];
  return hn_fail(&s->error, HN_ERROR_CONVERGENCE, &body->source,
                 hn_text(element, sizeof element, "body '%s'", body->name),
                 "check that the body is supported, start closer to the equilibrium, or use a "
                 "compliant `law:`",
                 "does not come to rest on its rigid contacts: %.3g N are unbalanced after %.4g s "
                 "and %d stops",
                 w->force, twin->method->t - s->method->t, w->turns);
}

static hn_status let_go(hn_simulation *s, hn_simulation *twin, hn_statics_report *report) {
  size_t size = (size_t)s->equations->nq * sizeof(double);
  const double gravity = vec3_norm(s->model->gravity);
  way w = {.gravity = gravity, .largest = gravity, .least = HUGE_VAL};
  if (!twin->method->type->follows_conditions ||
      twin->equations->type->coordinates != s->equations->type->coordinates ||
      twin->equations->nq != s->equations->nq)
    return hn_fail(&s->error, HN_ERROR_UNSUPPORTED, NULL, NULL,
                   "simulate until rest, or give contacts a compliant `law:`",
                   "this number of rigid contacts needs time stepping, which has no equilibrium");
  double *zero = hn_allocate(s->options.allocator, 2 * size + 1);
  if (!zero) return hn_fail(&s->error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  memset(zero, 0, size);
  memcpy(twin->method->q, s->method->q, size);
  twin->method->t = s->method->t;
  for (int k = 0; k < s->elements->turn_count; k++) twin->branches.turns[k] = s->branches.turns[k];
  hn_status status = settle(twin, zero + s->equations->nq, zero, &w);
  if (status == HN_ERROR_CONVERGENCE)
    fail_to_rest(s, twin, &w);
  else if (status != HN_OK)
    s->error = *hn_simulation_error(twin);
  if (status == HN_OK) {
    memcpy(s->method->q, twin->method->q, size);
    memset(s->method->qd, 0, size);
    for (int k = 0; k < s->elements->turn_count; k++)
      s->branches.turns[k] = twin->branches.turns[k];
    *report = (hn_statics_report){
        .iterations = w.turns, .residual = w.force, .stable_unknown = 1, .came_to_rest = 1};
  }
  hn_release(s->options.allocator, zero);
  return status;
}

// Options of the second simulation: those of the run at a tight tolerance. It controls its error and
// locates impacts. Methods of fixed steps and real-time loops do not; first-order replaces them, in the
// coordinates of the run.
static hn_simulation_options release_options(const hn_simulation *s) {
  hn_simulation_options options = s->used;
  options.skip_assembly = options.skip_equilibrium = 1;
  options.step = 0;
  options.tol = 1e-9;
  options.atol = options.rtol = 0;
  if (s->stepping.mode == HN_RUN_CONTROLLED || s->method->type->steps_over) return options;
  options.realtime = options.accepts_unconverged = 0;
  options.preset = NULL;
  const hn_simulation_options open = hn_default_simulation_options();
  const hn_option_row *row;
  for (int k = 0; (row = hn_option_row_at(k)); k++) // of methods and formulas
    if (row->whose != HN_OF_ANY) hn_option_copy(row, &options, &open);
  options.coordinates = s->equations->type->name;
  options.method = "first-order";
  options.formula = "dopri5";
  options.independent = "auto";
  options.projection = "auto";
  return options;
}

hn_status hn_simulation_come_to_rest(hn_simulation *s, hn_statics_report *report) {
  hn_status status = hn_refuse_switches(s->model, "an equilibrium", &s->error);
  if (status == HN_OK) status = refuse_changes(s);
  if (status != HN_OK) return status;
  const hn_simulation_options options = release_options(s);
  hn_simulation *twin = NULL;
  status = hn_simulation_create(s->model, &options, &twin, &s->error);
  if (status != HN_OK) return status;
  for (int k = 0; k < s->model->input_count; k++) twin->inputs[k] = s->inputs[k];
  twin->given.is_new = s->model->input_count > 0;
  status = let_go(s, twin, report);
  hn_simulation_free(twin);
  return status;
}
