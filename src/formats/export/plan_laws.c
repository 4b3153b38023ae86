// Laws as formats of other programs have them: straight in the coordinate, its rate and one input,
// cut off at the ends of the input and of the force. A law is taken for one of that kind when it is
// equal to it at many places, whatever it was written as.
#include <math.h>

#include "formats/export/plan.h"
#include "math/law.h"

enum { LAWS = 4, TRIALS = 64 };
#define FAR 1e9

typedef struct probe {
  hn_plan *plan;
  const hn_law *of_x, *of_v, *of_t, *of_xvt;
  hn_input_state *states;
  int input; // that is varied; -1: none
  double time;
} probe;

static double one(const hn_law *law, double x, double t) {
  double gradient[2];
  if (!law) return 0;
  if (hn_law_input_count(law) > 0) return hn_law_evaluate_at_time(law, x, t, gradient);
  return hn_law_evaluate(law, -1, x).value;
}

static double tension(const probe *p, double x, double v, double u) {
  double f = 0, t = p->time;
  if (p->input >= 0) p->states[p->input].value = u;
  f += one(p->of_x, x, t) + one(p->of_v, v, t);
  if (p->of_t) f += hn_law_evaluate(p->of_t, -1, t).value;
  if (p->of_xvt) f += hn_law_evaluate_many(p->of_xvt, (double[]){x, v, t}, NULL);
  return f;
}

// ---- inputs -------------------------------------------------------------------------------------

static int uses(const hn_law *const laws[LAWS], int input) {
  for (int k = 0; k < LAWS; k++)
    if (laws[k] && hn_law_uses_input(laws[k], input)) return 1;
  return 0;
}

// Whether a law reads more than inputs: coordinates of other joints, states, outputs.
static int reads_signals(const hn_plan *plan, const hn_law *law) {
  int known = 0;
  for (int i = 0; law && i < plan->model->input_count; i++) known += hn_law_uses_input(law, i);
  return law && hn_law_input_count(law) > known;
}

static const hn_law *bound(const probe *p, const hn_law *law) {
  if (!law || hn_law_input_count(law) == 0) return law;
  return hn_law_bind(p->plan->arena, law, p->states);
}

static int open_probe(hn_plan *plan, const hn_law *const laws[LAWS], probe *p) {
  *p = (probe){.plan = plan, .time = plan->time};
  p->states = HN_TAKE(plan->arena, hn_input_state, plan->model->input_count + 1);
  if (!p->states) return 0;
  for (int i = 0; i < plan->model->input_count; i++)
    p->states[i].value = hn_simulation_input(plan->simulation, i);
  p->input = -1;
  p->of_x = bound(p, laws[0]);
  p->of_v = bound(p, laws[1]);
  p->of_t = bound(p, laws[2]);
  p->of_xvt = bound(p, laws[3]);
  return !plan->arena->failed;
}

// ---- fitting ------------------------------------------------------------------------------------

static double within(double x, double low, double high) { return fmin(fmax(x, low), high); }

static double modelled(const hn_line_law *law, double x, double v, double u) {
  double f = law->constant + law->of_x * x + law->of_v * v;
  if (law->input >= 0) f += law->of_u * within(u, law->lower, law->upper);
  return within(f, law->least, law->most);
}

// Slopes by differences over h, at a place where no end is reached.
static hn_line_law slopes(const probe *p, double u, double h) {
  hn_line_law law = {.input = p->input,
                     .lower = -HUGE_VAL,
                     .upper = HUGE_VAL,
                     .least = -HUGE_VAL,
                     .most = HUGE_VAL};
  double f = tension(p, 0, 0, u);
  law.of_x = (tension(p, h, 0, u) - f) / h;
  law.of_v = (tension(p, 0, h, u) - f) / h;
  law.of_u = p->input >= 0 ? (tension(p, 0, 0, u + h) - f) / h : 0;
  law.constant = f - law.of_u * u;
  return law;
}

static void find_ends(const probe *p, hn_line_law *law) {
  int none = law->of_u == 0;
  for (int side = -1; side <= 1 && !none; side += 2) {
    double u = side * FAR, f = tension(p, 0, 0, u), straight = law->constant + law->of_u * u;
    if (fabs(f - straight) <= 1e-9 * fabs(straight)) continue;
    if (side < 0) law->lower = (f - law->constant) / law->of_u;
    if (side > 0) law->upper = (f - law->constant) / law->of_u;
  }
  if (law->of_x == 0 && law->of_v == 0) return;
  for (int side = -1; side <= 1; side += 2) {
    double x = law->of_x != 0 ? side * FAR : 0, v = law->of_x != 0 ? 0 : side * FAR;
    double f = tension(p, x, v, 0), straight = modelled(law, x, v, 0);
    if (fabs(f - straight) <= 1e-9 * fabs(straight)) continue;
    if (straight < f) law->least = f;
    if (straight > f) law->most = f;
  }
}

static int is_equal(const probe *p, const hn_line_law *law, double t) {
  unsigned seed = 1;
  probe at = *p;
  at.time = t;
  for (int k = 0; k < TRIALS; k++) {
    double z[3];
    for (int i = 0; i < 3; i++) {
      seed = seed * 1664525u + 1013904223u;
      z[i] = ((double)(seed >> 8) / 8388608.0 - 1) * (k % 2 == 0 ? 1.5 : 60);
    }
    double f = tension(&at, z[0], z[1], z[2]), m = modelled(law, z[0], z[1], z[2]);
    double scale = fabs(law->constant) + fabs(law->of_x * z[0]) + fabs(law->of_v * z[1]) +
                   fabs(law->of_u * z[2]);
    if (!(fabs(f - m) <= 1e-11 * scale + 1e-300)) return 0;
  }
  return 1;
}

static int fit(const probe *p, hn_line_law *law) {
  static const double at[] = {0, 0.01, -0.01, 1, -1, 30, -30};
  static const double steps[] = {1, 0.0009765625, -0.0009765625};
  for (size_t k = 0; k < sizeof at / sizeof *at; k++)
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
      *law = slopes(p, at[k], steps[i]);
      find_ends(p, law);
      if (is_equal(p, law, p->time)) return 1;
    }
  return 0;
}

static int is_steady(const probe *p, const hn_line_law *law) {
  return is_equal(p, law, p->time + 0.731) && is_equal(p, law, p->time + 13.7);
}

// As a law of this input, at the present values of the others.
static int take_with(probe *p, int input, hn_line_law *law) {
  double now = p->states[input].value;
  p->input = input;
  int is_it = fit(p, law) && law->of_u != 0 && is_steady(p, law);
  p->states[input].value = now;
  p->input = -1;
  return is_it;
}

static int take(hn_plan *plan, const hn_law *const laws[LAWS], hn_line_law *law, const char **why) {
  const hn_model *m = plan->model;
  probe p;
  int used = 0, last = -1;
  *why = "its function reads signals of other elements";
  for (int k = 0; k < LAWS; k++)
    if (reads_signals(plan, laws[k])) return 0;
  *why = "";
  if (!open_probe(plan, laws, &p)) return 0;
  for (int i = 0; i < m->input_count; i++) used += uses(laws, i);
  for (int i = 0; i < m->input_count; i++) {
    if (!uses(laws, i)) continue;
    if (take_with(&p, i, law)) {
      if (used > 1) *why = "the other inputs of its function keep their present values";
      return 1;
    }
    last = i;
  }
  if (!fit(&p, law)) {
    *why = "its function is neither linear nor linear with saturation";
  } else if (!is_steady(&p, law)) {
    *why = "its function depends on time";
  } else if (used == 0) {
    return 1;
  } else {
    *why = hn_plan_text(plan,
                        "its function is not linear in input '%s', or another input that "
                        "multiplies it is 0: give that input a value",
                        m->inputs[last].name);
  }
  return 0;
}

int hn_plan_law(hn_plan *plan, int force, hn_line_law *law, const char **why) {
  const hn_force_def *def = &plan->model->forces[force];
  const hn_law *laws[LAWS] = {def->of_x, def->of_v, def->of_t, def->of_xvt};
  return take(plan, laws, law, why);
}

int hn_plan_time_law(hn_plan *plan, const hn_law *given, hn_line_law *law, const char **why) {
  const hn_law *laws[LAWS] = {NULL, NULL, given, NULL};
  return take(plan, laws, law, why);
}
