// Inputs and outputs. B, C and D are differences of sixth order on the constraints: outputs may be any
// expression of signals, and laws any expression of inputs.
//
//   outputs    (q, qd) goes along dq = P deta, dqd = P detad + X deta
//   inputs     eta and etad stay; drivers that follow the input move the rest
//
// Of inputs with a filter, u'' = w^2 (target - u) - 2 w u', u and u' become states: see filters.c.
#include <float.h>
#include <math.h>
#include <string.h>

#include "analysis/linear/work.h"
#include "base/error.h"
#include "elements/sensor.h"
#include "math/law.h"

enum { POINTS = 6, CORRECTIONS = 40 };
static const double offsets[POINTS] = {-3, -2, -1, 1, 2, 3};
static const double weights[POINTS] = {-1.0 / 60, 3.0 / 20, -3.0 / 4, 3.0 / 4, -3.0 / 20, 1.0 / 60};

#define STEP 2e-4      // m or rad of what moves most
#define STEP_RATE 2e-5 // the same per second
#define STEP_INPUT 1e-3

// ---- names --------------------------------------------------------------------------------------

static hn_status unknown_input(hn_linear_work *w, const hn_model *model, const char *name) {
  const char *near = NULL;
  const char **names = HN_TAKE(&w->arena, const char *, model->input_count + 1);
  for (int k = 0; names && k < model->input_count; k++) names[k] = model->inputs[k].name;
  if (names) near = hn_nearest_word(name, names, model->input_count);
  char hint[192];
  hn_text(hint, sizeof hint,
          near ? "Did you mean '%.100s'?" : "Inputs are defined in `inputs:` of the model.%.0s",
          near ? near : "");
  return hn_fail(w->error, HN_ERROR_ARGUMENT, NULL, NULL, hint, "the model has no input '%s'",
                 name);
}

static hn_status name_inputs(hn_linear_work *w, const hn_model *model) {
  const int count = w->options->inputs ? w->options->input_count : model->input_count;
  w->input = HN_TAKE(&w->arena, int, count + 1);
  const char **names = HN_TAKE(&w->arena, const char *, count + 1),
             **units = HN_TAKE(&w->arena, const char *, count + 1);
  if (w->arena.failed) return HN_ERROR_MEMORY;
  for (int k = 0; k < count; k++) {
    w->input[k] = w->options->inputs ? hn_model_find_input(model, w->options->inputs[k]) : k;
    if (w->input[k] < 0) return unknown_input(w, model, w->options->inputs[k]);
    names[k] = hn_arena_copy_string(&w->arena, model->inputs[w->input[k]].name);
    const char *unit = model->inputs[w->input[k]].unit;
    units[k] = hn_arena_copy_string(&w->arena, unit ? unit : "");
  }
  w->result.inputs = names;
  w->result.input_units = units;
  w->result.input_count = count;
  return HN_OK;
}

static hn_status name_outputs(hn_linear_work *w, const hn_simulation *s) {
  const int count = w->options->outputs ? w->options->output_count : s->model->outputs.count;
  w->output = HN_TAKE(&w->arena, int, count + 1);
  const char **names = HN_TAKE(&w->arena, const char *, count + 1),
             **units = HN_TAKE(&w->arena, const char *, count + 1);
  if (w->arena.failed) return HN_ERROR_MEMORY;
  for (int k = 0; k < count; k++) {
    const char *name =
        w->options->outputs ? w->options->outputs[k] : s->model->outputs.item[k].name;
    w->output[k] = hn_signals_find(s->signals, name);
    if (w->output[k] < 0) {
      const char *near = hn_signals_nearest(s->signals, name);
      char hint[192] = "";
      if (near) hn_text(hint, sizeof hint, "Did you mean '%.150s'?", near);
      return hn_fail(w->error, HN_ERROR_ARGUMENT, NULL, NULL, hint, "there is no signal '%s'",
                     name);
    }
    const char *unit = hn_signals_unit(s->signals, w->output[k]);
    names[k] = hn_arena_copy_string(&w->arena, name);
    units[k] = hn_arena_copy_string(&w->arena, unit ? unit : "");
  }
  w->result.outputs = names;
  w->result.output_units = units;
  w->result.output_count = count;
  return HN_OK;
}

// ---- the model near the state -------------------------------------------------------------------

typedef struct probe {
  hn_linear_work *w;
  hn_snapshot *snapshot;
  double *q, *qd, *b; // (n)
  double *y;          // (output_count)
} probe;

static hn_status moved_too_far(const probe *a) {
  return hn_fail(a->w->error, HN_ERROR_CONVERGENCE, NULL, NULL,
                 "choose another state with @at: this one is close to a singular configuration",
                 "positions near the state do not satisfy the constraints");
}

static hn_status evaluate(const probe *a, hn_want want) {
  const hn_linear_point *p = &a->w->point;
  const hn_tangent_state state = {
      .t = p->t, .q = a->q, .qd = a->qd, .branches = p->branches, .space = HN_IN_Q};
  return hn_tangent_evaluate(p->tangent, &state, want, a->w->error);
}

// Onto the constraints with E of the state: what S sees stays.
static hn_status close_gaps(const probe *a) {
  const hn_linear_point *p = &a->w->point;
  double before = HUGE_VAL;
  for (int k = 0; k < CORRECTIONS; k++) {
    double gap = 0;
    hn_status status = evaluate(a, HN_ROWS);
    if (status != HN_OK) return status;
    memset(a->b, 0, (size_t)p->n * sizeof(double));
    for (int r = 0; r < p->row_count; r++) {
      a->b[r] = -p->tangent->phi[p->row[r]];
      gap = fmax(gap, fabs(a->b[r]));
    }
    if (gap == 0 || (gap < 1e-13 && gap > 0.25 * before)) return HN_OK;
    before = gap;
    hn_linear_solve(p, a->b);
    for (int i = 0; i < p->n; i++) a->q[i] += a->b[i];
  }
  return before < 1e-12 ? HN_OK : moved_too_far(a);
}

static hn_status close_rates(const probe *a) {
  const hn_linear_point *p = &a->w->point;
  const hn_sparse *phi = &p->tangent->phi_q;
  double before = HUGE_VAL;
  for (int k = 0; k < CORRECTIONS; k++) {
    double gap = 0;
    memset(a->b, 0, (size_t)p->n * sizeof(double));
    for (int r = 0; r < p->row_count; r++) {
      double sum = p->tangent->phi_t[p->row[r]];
      for (int i = phi->start[p->row[r]]; i < phi->start[p->row[r] + 1]; i++)
        sum += phi->value[i] * a->qd[phi->index[i]];
      a->b[r] = -sum;
      gap = fmax(gap, fabs(sum));
    }
    if (gap == 0 || (gap < 1e-12 * (1 + fabs(gap)) && gap > 0.25 * before)) return HN_OK;
    before = gap;
    hn_linear_solve(p, a->b);
    for (int i = 0; i < p->n; i++) a->qd[i] += a->b[i];
  }
  return before < 1e-9 ? HN_OK : moved_too_far(a);
}

hn_status hn_linear_see(const hn_linear_work *w, const hn_snapshot *snapshot, double *y) {
  const hn_linear_point *p = &w->point;
  const hn_simulation *s = p->simulation;
  const hn_signal_source source = {.snapshot = snapshot,
                                   .branches = p->branches,
                                   .work = s->view.work,
                                   .initial_energy = s->energy.initial,
                                   .step_size = s->stepping.last,
                                   .iterations = (int)s->stepping.iterations,
                                   .inputs = s->inputs};
  hn_signals_evaluate_many(s->signals, &source, w->output, w->result.output_count, y);
  if (w->z_count == 0) return HN_OK;
  hn_status status =
      hn_states_look(p->elements, p->t, snapshot->frames, p->branches->turns, p->branches->force);
  if (status != HN_OK) return status;
  hn_states_rates(p->elements, p->t, w->z_rates);
  for (int k = 0; k < w->z_count; k++) y[w->result.output_count + k] = w->z_rates[w->z[k]];
  return HN_OK;
}

// At q + h dq, qd + h dqd (null: not moved): the snapshot and the outputs.
static hn_status probe_at(const probe *a, double h, const double *dq, const double *dqd) {
  const hn_linear_point *p = &a->w->point;
  for (int i = 0; i < p->n; i++) {
    a->q[i] = p->q[i] + (dq ? h * dq[i] : 0);
    a->qd[i] = p->qd[i] + (dqd ? h * dqd[i] : 0);
  }
  hn_status status = close_gaps(a);
  if (status == HN_OK) status = close_rates(a);
  // nearby states leave out what the state itself does
  const hn_branches look = hn_branches_to_look(p->branches);
  if (status == HN_OK)
    status = hn_cartesian.evaluate(p->equations, p->t, a->q, a->qd, h != 0 ? &look : p->branches,
                                   a->snapshot, a->w->error);
  if (status != HN_OK) return status;
  hn_snapshot_complete(p->equations, p->branches, a->snapshot);
  return hn_linear_see(a->w, a->snapshot, a->y);
}

// A difference that is the rounding of the values it was made of is 0.
static void tidy(double *derivative, const double *value, int count, double h) {
  for (int i = 0; i < count; i++)
    if (fabs(derivative[i]) <= 4 * DBL_EPSILON * fabs(value[i]) / h) derivative[i] = 0;
}

static double most_of(const double *x, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

// ---- outputs ------------------------------------------------------------------------------------

// Column k of C.
static hn_status output_column(const probe *a, int k, double *c) {
  const hn_linear_work *w = a->w;
  const hn_linear_point *p = &w->point;
  const int states = 2 * p->freedoms, outputs = hn_linear_outputs(w);
  const size_t at = (size_t)(k % p->freedoms) * (size_t)p->n;
  const double *dq = k < p->freedoms ? &p->p[at] : NULL,
               *dqd = k < p->freedoms ? &w->x[at] : &p->p[at];
  double most = fmax(dq ? most_of(dq, p->n) : 0, 0.1 * most_of(dqd, p->n));
  const double h = (dq ? STEP : STEP_RATE) / (most > 0 ? most : 1);
  for (int i = 0; i < POINTS; i++) {
    hn_status status = probe_at(a, offsets[i] * h, dq, dqd);
    if (status != HN_OK) return status;
    for (int o = 0; o < outputs; o++)
      c[(size_t)o * (size_t)states + (size_t)k] += weights[i] * a->y[o] / h;
  }
  for (int o = 0; o < outputs; o++)
    tidy(&c[(size_t)o * (size_t)states + (size_t)k], &a->y[o], 1, h);
  return HN_OK;
}

// ---- inputs -------------------------------------------------------------------------------------

// The change caused by one unit of a derivative of an input (0: value, 1: rate, 2: acceleration).
typedef struct answer {
  double *q, *qd, *qdd; // (n)
  double *y;            // (output_count)
} answer;

static hn_status ask(const probe *a, int input, int derivative, answer *out) {
  const hn_linear_point *p = &a->w->point;
  hn_input_state *state = &p->simulation->inputs[input];
  const hn_input_state kept = *state;
  double d[4];
  hn_input_at(state, p->t, d);
  const double h = STEP_INPUT * fmax(1, fabs(d[derivative]));
  hn_status status = HN_OK;
  double *values[] = {out->q, out->qd, out->qdd};
  for (int v = 0; v < 3; v++) memset(values[v], 0, (size_t)p->n * sizeof(double));
  memset(out->y, 0, (size_t)hn_linear_outputs(a->w) * sizeof(double));
  for (int i = 0; status == HN_OK && i < POINTS; i++) {
    double own[3] = {d[0], d[1], d[2]};
    own[derivative] += offsets[i] * h;
    *state = (hn_input_state){
        .time = p->t, .value = own[0], .rate = own[1], .acceleration = own[2], .target = own[0]};
    status = probe_at(a, 0, NULL, NULL);
    if (status != HN_OK) break;
    const double factor = weights[i] / h, *from[] = {a->q, a->qd, a->snapshot->qdd};
    for (int v = 0; v < 3; v++)
      for (int j = 0; j < p->n; j++) values[v][j] += factor * from[v][j];
    for (int o = 0; o < hn_linear_outputs(a->w); o++) out->y[o] += factor * a->y[o];
  }
  *state = kept;
  if (status != HN_OK) return status;
  tidy(out->q, a->q, p->n, h);
  tidy(out->qd, a->qd, p->n, h);
  tidy(out->qdd, a->snapshot->qdd, p->n, h);
  tidy(out->y, a->y, hn_linear_outputs(a->w), h);
  return HN_OK;
}

// detadd of a change of (q, qd, qdd): a column of the lower half of B.
static void second_of(const hn_linear_work *w, const answer *change, int column, double *b) {
  const hn_linear_point *p = &w->point;
  for (int k = 0; k < p->freedoms; k++) {
    hn_gradient g;
    double sum = 0;
    hn_linear_gradient(p, p->quantity[k], p->qdd, &g);
    for (int i = 0; i < HN_LOCAL; i++) {
      if (g.body[i / 7] == HN_GROUND) continue;
      const int at = 7 * (g.body[i / 7] - 1) + i % 7;
      sum += g.s[i] * change->qdd[at] + 2 * g.sd[i] * change->qd[at] + g.sdd[i] * change->q[at];
    }
    b[(size_t)(p->freedoms + k) * (size_t)hn_linear_inputs(w) + (size_t)column] = sum;
  }
}

static int drives(const hn_model *model, int input) {
  for (int d = 0; d < model->driver_count; d++)
    if (model->drivers[d].law && hn_law_uses_input(model->drivers[d].law, input)) return 1;
  return 0;
}

typedef struct matrices {
  double *b[3], *d[3]; // of u, u', u''
  double *c;
} matrices;

// State k of the model, as an input.
static hn_status ask_state(const probe *a, int k, answer *out) {
  const hn_linear_work *w = a->w;
  const hn_linear_point *p = &w->point;
  hn_simulation *s = p->simulation;
  double *z = w->z_rates + s->method->states, *values[] = {out->q, out->qd, out->qdd};
  const double now = s->method->z[w->z[k]], h = STEP_INPUT * fmax(1, fabs(now));
  hn_status status = HN_OK;
  for (int v = 0; v < 3; v++) memset(values[v], 0, (size_t)p->n * sizeof(double));
  memset(out->y, 0, (size_t)hn_linear_outputs(w) * sizeof(double));
  memcpy(z, s->method->z, (size_t)s->method->states * sizeof(double));
  for (int i = 0; status == HN_OK && i < POINTS; i++) {
    z[w->z[k]] = now + offsets[i] * h;
    hn_states_set(p->elements, z);
    status = probe_at(a, 0, NULL, NULL);
    if (status != HN_OK) break;
    const double factor = weights[i] / h, *from[] = {a->q, a->qd, a->snapshot->qdd};
    for (int v = 0; v < 3; v++)
      for (int j = 0; j < p->n; j++) values[v][j] += factor * from[v][j];
    for (int o = 0; o < hn_linear_outputs(w); o++) out->y[o] += factor * a->y[o];
  }
  hn_states_set(p->elements, s->method->z);
  if (status != HN_OK) return status;
  tidy(out->q, a->q, p->n, h);
  tidy(out->qd, a->qd, p->n, h);
  tidy(out->qdd, a->snapshot->qdd, p->n, h);
  tidy(out->y, a->y, hn_linear_outputs(w), h);
  return HN_OK;
}

static hn_status state_column(const probe *a, int k, answer *change, matrices *m) {
  const hn_linear_work *w = a->w;
  const int column = w->result.input_count + k;
  hn_status status = ask_state(a, k, change);
  if (status != HN_OK) return status;
  second_of(w, change, column, m->b[0]);
  for (int o = 0; o < hn_linear_outputs(w); o++)
    m->d[0][(size_t)o * (size_t)hn_linear_inputs(w) + (size_t)column] = change->y[o];
  return HN_OK;
}

static hn_status input_column(const probe *a, int k, answer *change, matrices *m) {
  const hn_linear_work *w = a->w;
  const int most = drives(w->point.elements->model, w->input[k]) ? 3 : 1;
  for (int derivative = 0; derivative < most; derivative++) {
    hn_status status = ask(a, w->input[k], derivative, change);
    if (status != HN_OK) return status;
    second_of(w, change, k, m->b[derivative]);
    for (int o = 0; o < hn_linear_outputs(w); o++)
      m->d[derivative][(size_t)o * (size_t)hn_linear_inputs(w) + (size_t)k] = change->y[o];
  }
  return HN_OK;
}

// ---- all of it ----------------------------------------------------------------------------------

static hn_status take_memory(hn_linear_work *w, probe *a, answer *change, matrices *m) {
  hn_arena *arena = &w->arena;
  const int n = w->point.n, outputs = hn_linear_outputs(w), inputs = hn_linear_inputs(w);
  double **vectors[] = {&a->q, &a->qd, &a->b, &change->q, &change->qd, &change->qdd};
  for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++)
    *vectors[k] = HN_TAKE(arena, double, n + 1);
  a->y = HN_TAKE(arena, double, outputs + 1);
  change->y = HN_TAKE(arena, double, outputs + 1);
  for (int k = 0; k < 3; k++) {
    m->b[k] = HN_TAKE(arena, double, (size_t)w->result.state_count *(size_t)inputs + 1);
    m->d[k] = HN_TAKE(arena, double, (size_t)outputs *(size_t)inputs + 1);
  }
  m->c = HN_TAKE(arena, double, (size_t)outputs *(size_t)w->result.state_count + 1);
  if (arena->failed) return HN_ERROR_MEMORY;
  return hn_snapshot_create(arena, w->point.equations, &a->snapshot);
}

hn_status hn_linear_write_values(hn_linear_work *w, const double *y) {
  double *y0 = HN_TAKE(&w->arena, double, w->result.output_count + 1),
         *u0 = HN_TAKE(&w->arena, double, w->result.input_count + 1);
  if (w->arena.failed) return HN_ERROR_MEMORY;
  memcpy(y0, y, (size_t)w->result.output_count * sizeof(double));
  const size_t laws = (size_t)w->point.simulation->method->states;
  if (laws > 0) memcpy(w->z_rates + 2 * laws, w->z_rates, laws * sizeof(double));
  for (int k = 0; k < w->result.input_count; k++) {
    double d[4];
    hn_input_at(&w->point.simulation->inputs[w->input[k]], w->point.t, d);
    u0[k] = d[0];
  }
  w->result.y0 = y0;
  w->result.u0 = u0;
  return HN_OK;
}

hn_status hn_linear_make_ports(hn_linear_work *w) {
  probe a = {.w = w};
  answer change = {0};
  matrices m = {0};
  hn_status status = take_memory(w, &a, &change, &m);
  if (status == HN_OK && (hn_linear_outputs(w) > 0 || hn_linear_inputs(w) > 0))
    status = probe_at(&a, 0, NULL, NULL);
  if (status == HN_OK) status = hn_linear_write_values(w, a.y);
  for (int k = 0; status == HN_OK && hn_linear_outputs(w) > 0 && k < w->result.state_count; k++)
    status = output_column(&a, k, m.c);
  int has_drivers = 0;
  for (int k = 0; status == HN_OK && k < w->result.input_count; k++) {
    status = input_column(&a, k, &change, &m);
    has_drivers |= drives(w->point.elements->model, w->input[k]);
  }
  for (int k = 0; status == HN_OK && k < w->z_count; k++) status = state_column(&a, k, &change, &m);
  w->result.b = m.b[0];
  w->result.c = m.c;
  w->result.d = m.d[0];
  if (!has_drivers) return status;
  w->result.b_rate = m.b[1];
  w->result.b_acceleration = m.b[2];
  w->result.d_rate = m.d[1];
  w->result.d_acceleration = m.d[2];
  return status;
}

hn_status hn_linear_name_ports(hn_linear_work *w) {
  const hn_simulation *s = w->point.simulation;
  hn_status status = name_inputs(w, s->model);
  return status == HN_OK ? name_outputs(w, s) : status;
}
