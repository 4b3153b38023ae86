// Near misses. A stop that both runs miss by less than their error may be hit by the true motion: their
// difference, linear in the error, does not show it. Along each accepted step of the first run, each
// function f of a measure or of signals is perturbed by the error e of its arguments, one at a time.
// The second difference
//
//   D = |f(x + e) - 2 f(x) + f(x - e)|
//
// is what linear error estimates leave out. Its integral over a near miss, times the compliance of the
// bodies (simulation_functions.h), bounds the change of a velocity. Bounds over parts of the step leave
// out those in which no operation can switch within the error: most steps cost one evaluation of bounds.
//
// What near misses change adds to the errors of later arguments, as a drift: grazes may amplify each
// other.
//
// The bend stays to one side of x in a near miss, or almost, and changes sides in a crossing, which both
// runs see.
#include "study/grazes.h"

#include <math.h>

#include "analysis/simulation_functions.h"
#include "base/error.h"
#include "elements/force_types.h"
#include "elements/sensor.h"
#include "math/law.h"
#include "math/path.h"

#define FADES 0.97 // errors of the arguments, from row to row
#define LEAST_TOLERANCE 1e-12
#define CROSSES 0.5 // of the larger D of both sides
#define NOISE 1e-9  // of the largest value of f: rounding of D
enum { FIRST_DEPTH = 5, LAST_DEPTH = 12, MAX_STEPS = 20, MARGIN_BISECTIONS = 20 };

struct hn_graze {
  const hn_law *law; // of the simulation that is followed
  int force, inputs; // whose; the inputs come last
  int is_of_rate;    // its variable is the rate of the measure
  double weight;
  double error[HN_LAW_VARIABLES];               // of its variables
  double node[HN_PATH_NODES][HN_LAW_VARIABLES]; // values along a step
  struct hn_near {
    double effect, worst, time; // worst: the largest D, at this time
    double error, margin;       // largest error of a variable there; the share that shows the bend
    double side[HN_LAW_VARIABLES][2]; // of each variable: largest D of half errors below, above
    int steps;
  } now, most; // the current near miss; that with the largest effect
};

// ---- set-up -------------------------------------------------------------------------------------

static int is_bent(const hn_law *law) { return law && !hn_law_is_plain(law); }

static void add(hn_grazes *g, const hn_simulation *s, int force, const hn_law *law, int is_of_rate,
                int has_measure) {
  const int inputs = is_bent(law) ? hn_law_input_count(law) : 0;
  if (!is_bent(law) || (inputs == 0 && !has_measure)) return;
  if (g->item)
    g->item[g->count] = (hn_graze){.law = law,
                                   .force = force,
                                   .inputs = inputs,
                                   .is_of_rate = is_of_rate,
                                   .weight = hn_force_compliance(s->elements->model, force)};
  g->count++;
}

static void collect(hn_grazes *g, const hn_simulation *s) {
  const hn_model *model = s->elements->model;
  g->count = 0;
  for (int f = 0; f < model->force_count; f++) {
    const hn_force_def *def = &model->forces[f];
    add(g, s, f, def->of_x, 0, 1);
    add(g, s, f, def->of_v, 1, 1);
    add(g, s, f, def->of_xvt, 0, 1);
    for (int k = 0; k < 3; k++) add(g, s, f, def->component_law[k], 0, 0);
  }
}

hn_status hn_grazes_create(hn_arena *arena, const hn_simulation *s, hn_grazes *g) {
  *g = (hn_grazes){0};
  if (s->stepping.mode != HN_RUN_CONTROLLED) return HN_OK;
  collect(g, s);
  if (g->count == 0) return HN_OK;
  g->item = HN_TAKE(arena, hn_graze, g->count);
  if (g->item) collect(g, s);
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

// ---- arguments ----------------------------------------------------------------------------------

// At frames whose signals are sensed.
static void read_variables(const hn_simulation *s, const hn_graze *g, const hn_law *law,
                           const hn_frame *frames, const double *turns, double t, double *value) {
  const hn_force_def *def = &s->elements->model->forces[g->force];
  const int own = hn_law_variable_count(law) - g->inputs;
  double x = 0, v = 0, d[4];
  if (law != def->component_law[0] && law != def->component_law[1] &&
      law != def->component_law[2]) {
    hn_force_gauge(s->elements, g->force, frames, turns, &x, &v);
    x -= hn_force_held(s->elements, g->force, turns);
    if (def->type == HN_FORCE_LEAF_SPRING) x -= def->offset;
  }
  const double all[3] = {own == 1 ? (g->is_of_rate ? v : x) : x, v, t};
  for (int k = 0; k < own && k < 3; k++) value[k] = all[k];
  for (int k = 0; k < g->inputs; k++) {
    hn_input_at(&s->inputs[hn_law_input(law, k)], t, d);
    value[own + k] = d[0];
  }
}

static const hn_law *same_law(const hn_graze *g, const hn_simulation *first,
                              const hn_simulation *second) {
  const hn_force_def *a = &first->elements->model->forces[g->force],
                     *b = &second->elements->model->forces[g->force];
  if (g->law == a->of_x) return b->of_x;
  if (g->law == a->of_v) return b->of_v;
  if (g->law == a->of_xvt) return b->of_xvt;
  for (int k = 0; k < 3; k++)
    if (g->law == a->component_law[k]) return b->component_law[k];
  return NULL;
}

static void sense_view(hn_simulation *s) {
  hn_elements_sense(s->elements, s->view.snapshot->frames, s->view.branches->turns);
}

void hn_grazes_note_errors(hn_grazes *g, hn_simulation *first, hn_simulation *second, double bar) {
  if (g->count == 0) return;
  sense_view(first);
  sense_view(second);
  for (int i = 0; i < g->count; i++) {
    hn_graze *item = &g->item[i];
    const hn_law *law = same_law(item, first, second);
    double a[HN_LAW_VARIABLES], b[HN_LAW_VARIABLES];
    const hn_snapshot *at = first->view.snapshot, *other = second->view.snapshot;
    if (!law) continue;
    read_variables(first, item, item->law, at->frames, first->view.branches->turns, at->t, a);
    read_variables(second, item, law, other->frames, second->view.branches->turns, other->t, b);
    for (int k = 0; k < hn_law_variable_count(item->law); k++)
      item->error[k] = fmax(bar * fabs(a[k] - b[k]), FADES * item->error[k]);
  }
}

// ---- one step -----------------------------------------------------------------------------------

typedef struct look {
  hn_graze *item;
  double error[HN_LAW_VARIABLES];
  hn_path path[HN_LAW_VARIABLES];
  int count;
  double start, duration;
} look;

// 1: an operation may switch within the error, between two fractions of the step.
static int may_switch(const look *l, double from, double to) {
  hn_bounds over[HN_LAW_VARIABLES];
  hn_branching branching = {0, 0};
  for (int k = 0; k < l->count; k++) {
    over[k] = hn_path_bounds(&l->path[k], from, to);
    over[k].value.low -= l->error[k];
    over[k].value.high += l->error[k];
  }
  hn_law_bounds(l->item->law, over, &branching);
  return branching.switches > 0;
}

// The sum of D over the arguments, at perturbations by a fraction of the error.
static double bend_at(const look *l, double theta, double share, struct hn_near *near) {
  const hn_law *law = l->item->law;
  double value[HN_LAW_VARIABLES], sum = 0;
  for (int k = 0; k < l->count; k++) value[k] = hn_path_at(&l->path[k], theta);
  const double f = hn_law_value_of(law, value);
  for (int k = 0; k < l->count; k++) {
    const double e = share * l->error[k], at = value[k];
    double side[4]; // f at -e, -e/2, e/2, e
    if (!(e > 0)) continue;
    for (int i = 0; i < 4; i++) {
      value[k] = at + e * (i < 2 ? 0.5 * i - 1 : 0.5 * i - 0.5);
      side[i] = hn_law_value_of(law, value);
    }
    value[k] = at;
    const double noise = NOISE * fmax(fabs(f), fmax(fabs(side[0]), fabs(side[3])));
    const double bend = fabs(side[0] - 2 * f + side[3]);
    if (!(bend > noise)) continue;
    sum += bend;
    near->side[k][0] = fmax(near->side[k][0], fabs(side[0] - 2 * side[1] + f));
    near->side[k][1] = fmax(near->side[k][1], fabs(f - 2 * side[2] + side[3]));
  }
  return sum;
}

// The fraction of the error at which the nonlinearity starts to show.
static double margin_at(const look *l, double theta) {
  double low = 0, high = 1;
  for (int k = 0; k < MARGIN_BISECTIONS; k++) {
    const double middle = 0.5 * (low + high);
    struct hn_near unused = {0};
    if (bend_at(l, theta, middle, &unused) > 0)
      high = middle;
    else
      low = middle;
  }
  return high;
}

static void integrate(look *l, double from, double to, int depth) {
  const double theta = 0.5 * (from + to);
  struct hn_near *near = &l->item->now;
  if (!may_switch(l, from, to)) return;
  if (depth >= FIRST_DEPTH) {
    const double bend = bend_at(l, theta, 1, near);
    near->effect += l->item->weight * bend * (to - from) * l->duration;
    if (bend > near->worst) {
      near->worst = bend;
      near->time = l->start + theta * l->duration;
      near->margin = margin_at(l, theta);
      near->error = 0;
      for (int k = 0; k < l->count; k++) near->error = fmax(near->error, l->error[k]);
    }
    if (bend > 0 || depth == LAST_DEPTH) return;
  }
  integrate(l, from, theta, depth + 1);
  integrate(l, theta, to, depth + 1);
}

// 1: the bend changes sides, of the variable that shows it most.
static int is_crossing(const struct hn_near *near) {
  double most = 0, least = 0;
  for (int k = 0; k < HN_LAW_VARIABLES; k++) {
    const double *side = near->side[k];
    if (!(fmax(side[0], side[1]) > most)) continue;
    most = fmax(side[0], side[1]);
    least = fmin(side[0], side[1]);
  }
  return most > 0 && least > CROSSES * most;
}

static void close_near(hn_grazes *g, hn_graze *item) {
  const struct hn_near *now = &item->now;
  if (!is_crossing(now) && now->steps <= MAX_STEPS) {
    g->speed += now->effect;
    g->moment += now->effect * now->time;
    if (now->effect > item->most.effect) item->most = *now;
  }
  item->now = (struct hn_near){0};
}

static int has_error(const hn_graze *item) {
  for (int k = 0; k < hn_law_variable_count(item->law); k++)
    if (item->error[k] > 0) return 1;
  return 0;
}

static const hn_frame *frames_at(hn_simulation *s, double theta) {
  const hn_coordinates *c = s->equations->type->coordinates;
  s->method->type->interpolate(s->method, theta, s->looking.q, s->looking.qd, NULL);
  (c->motions ? c->motions : c->frames)(s->equations, s->looking.q, s->looking.qd,
                                        s->looking.frames);
  return s->looking.frames;
}

// Of positions, by the near misses so far.
static double drift(const hn_grazes *g, double t) { return g->speed * t - g->moment; }

static void look_along(hn_grazes *g, const hn_simulation *s, hn_graze *item) {
  const hn_method *m = s->method;
  look l = {.item = item,
            .count = hn_law_variable_count(item->law),
            .start = m->step_begin,
            .duration = m->t - m->step_begin};
  const double before = item->now.effect;
  for (int k = 0; k < l.count; k++) {
    l.path[k] = hn_path_through(&item->node[0][k], HN_LAW_VARIABLES);
    l.error[k] = item->error[k] > 0 ? item->error[k] + drift(g, m->t) : 0;
  }
  integrate(&l, 0, 1, 0);
  item->now.steps++;
  if (!(item->now.effect > before)) close_near(g, item);
}

// Values of each function's variables at the nodes: frames are made once for all.
void hn_grazes_note_step(hn_grazes *g, hn_simulation *s) {
  const hn_method *m = s->method;
  const double h = m->t - m->step_begin;
  int any = 0;
  for (int i = 0; i < g->count; i++) any |= has_error(&g->item[i]);
  if (!any || !s->stepping.has_dense || !(h > 0)) return;
  for (int n = 0; n < HN_PATH_NODES; n++) {
    const double theta = hn_path_node(n);
    const hn_frame *frames = frames_at(s, theta);
    hn_elements_sense(s->elements, frames, s->taken.turns);
    for (int i = 0; i < g->count; i++)
      read_variables(s, &g->item[i], g->item[i].law, frames, s->taken.turns,
                     m->step_begin + theta * h, g->item[i].node[n]);
  }
  hn_elements_sense(s->elements, m->now->frames, s->branches.turns);
  for (int i = 0; i < g->count; i++)
    if (has_error(&g->item[i])) look_along(g, s, &g->item[i]);
}

void hn_grazes_conclude(hn_grazes *g, hn_simulation *s, double limit) {
  const hn_graze *worst = NULL;
  for (int i = 0; i < g->count; i++) {
    close_near(g, &g->item[i]);
    if (g->item[i].most.effect > (worst ? worst->most.effect : 0)) worst = &g->item[i];
  }
  if (!(fmax(g->speed, drift(g, s->method->t)) > limit)) return;
  const struct hn_near *near = &worst->most;
  const double tolerance = fmax(s->options.atol, s->options.rtol);
  char name[96];
  hn_text(name, sizeof name, "force '%s'", hn_model_force_name(s->model, worst->force));
  hn_simulation_warn(s, name,
                     "may act or not at t = %.6g s: a breakpoint of its function is %.1g from the "
                     "motion, whose error is %.1g. Set `tol` to %.1g or less",
                     near->time, near->margin * near->error, near->error,
                     fmax(LEAST_TOLERANCE, 0.5 * near->margin * tolerance));
}
