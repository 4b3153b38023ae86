// States of laws and elements where forces read them: see states.h.
//
// Laws are solved for by Newton's method from `hat` on, so that z depends on nothing but hat, g and
// the signals.
#include "elements/states.h"

#include <math.h>
#include <string.h>

#include "elements/force_types.h"
#include "elements/guards.h"
#include "elements/sensor.h"
#include "holon/component.h"
#include "linalg/rank.h"
#include "math/law.h"

// Newton's steps; a law that jumps may not converge, and is left where it is then.
enum { ITERATIONS = 20 };
#define CONVERGED 1e-10 // the step after it is below rounding

// ---- set-up -------------------------------------------------------------------------------------

// It changes at samples or events alone.
static int is_sampled(const hn_model *model, int k) {
  return model->states[k].every > 0 || !model->states[k].law;
}

// ... or it is a delay, which is known within a step.
static int is_known(const hn_model *model, const hn_flow *f, int k) {
  return is_sampled(model, k) ||
         (f->is_late && (model->states[k].delay > 0 || model->states[k].helps > 0));
}

static int law_reads(const hn_model *model, int k, int state) {
  return !is_sampled(model, k) &&
         hn_law_uses_input(model->states[k].law, model->input_count + model->states[state].sensor);
}

// Functions that read each other, directly or not, are in one block. root: workspace.
static void find_blocks(const hn_model *model, hn_flow *f, int *root) {
  for (int k = 0; k < f->laws; k++) root[k] = k;
  for (int k = 0; k < f->laws; k++)
    for (int j = 0; j < f->laws; j++) {
      if (j == k || root[j] == root[k] || is_sampled(model, j) || !law_reads(model, k, j)) continue;
      const int from = root[j], to = root[k];
      for (int i = 0; i < f->laws; i++)
        if (root[i] == from) root[i] = to;
    }
  int at = 0;
  for (int r = 0; r < f->laws; r++) {
    int size = 0;
    for (int k = 0; k < f->laws; k++)
      if (root[k] == r && !is_sampled(model, k)) f->order[at + size++] = k;
    if (size == 0) continue;
    f->block_start[f->blocks++] = at;
    at += size;
  }
  f->block_start[f->blocks] = at;
}

// Sensors but states that the laws of block b read, each once. Returns how many.
static int list_reads(const hn_model *model, const hn_flow *f, int b, int *read) {
  int count = 0;
  for (int i = f->block_start[b]; i < f->block_start[b + 1]; i++) {
    const hn_law *law = model->states[f->order[i]].law;
    for (int k = 0; k < hn_law_input_count(law); k++) {
      const int sensor = hn_law_input(law, k) - model->input_count;
      int at = 0;
      while (at < count && read[at] != sensor) at++;
      if (sensor >= 0 && f->place[sensor] < 0 && at == count) read[count++] = sensor;
    }
  }
  return count;
}

static hn_status take_reads(hn_arena *arena, const hn_model *model, hn_flow *f) {
  int inputs = 0, size = 0;
  for (int k = 0; k < f->laws; k++) {
    f->block[k] = -1;
    if (!is_sampled(model, k)) inputs += hn_law_input_count(model->states[k].law);
  }
  f->read = HN_TAKE(arena, int, inputs);
  if (arena->failed) return HN_ERROR_MEMORY;
  for (int b = 0; b < f->blocks; b++) {
    const int count = list_reads(model, f, b, &f->read[f->read_start[b]]);
    f->read_start[b + 1] = f->read_start[b] + count;
    f->z_start[b] = size;
    size += count * (f->block_start[b + 1] - f->block_start[b]);
    for (int i = f->block_start[b]; i < f->block_start[b + 1]; i++) {
      f->block[f->order[i]] = b;
      f->position[f->order[i]] = i;
    }
  }
  f->by_signal = HN_WORK(arena, double, size);
  hn_arena_stamp(arena, &f->has_derivatives);
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

static hn_status take_laws(hn_arena *arena, const hn_elements *e, hn_flow *f) {
  const hn_model *model = e->model;
  const size_t n = (size_t)f->laws;
  f->block_start = HN_TAKE(arena, int, f->laws + 1);
  f->order = HN_TAKE(arena, int, f->laws);
  f->pivots = HN_WORK(arena, int, f->laws);
  f->step = HN_WORK(arena, double, f->laws);
  f->place = HN_TAKE(arena, int, e->sensor_count);
  f->matrix = hn_arena_work(arena, n * n, sizeof(double));
  f->history = HN_TAKE(arena, hn_past *, f->laws + 1);
  f->block = HN_TAKE(arena, int, f->laws);
  f->position = HN_TAKE(arena, int, f->laws);
  f->read_start = HN_TAKE(arena, int, f->laws + 1);
  f->z_start = HN_TAKE(arena, int, f->laws);
  if (arena->failed) return HN_ERROR_MEMORY;
  for (int s = 0; s < e->sensor_count; s++) f->place[s] = -1;
  for (int k = 0; k < f->laws; k++) f->place[model->states[k].sensor] = k;
  find_blocks(model, f, f->pivots);
  return take_reads(arena, model, f);
}

static int own_states(const hn_model *model, int force) {
  const hn_force_row *row = hn_force_row_of(model->forces[force].type);
  return row->own_states ? row->own_states(model, &model->forces[force]) : 0;
}

hn_status hn_flow_create(hn_arena *arena, hn_elements *elements) {
  const hn_model *model = elements->model;
  int owners = 0, count = model->sensing.values ? model->state_count : 0;
  const int laws = count;
  for (int k = 0; k < model->force_count; k++) {
    const int own = own_states(model, k);
    owners += own > 0;
    count += own;
  }
  int hidden = 0;
  for (int p = 0; p < model->part_count; p++) hidden += model->parts[p].facts->state_count;
  count += hidden;
  if (count == 0) return HN_OK;
  hn_flow *f = HN_KEEP(arena, hn_flow, 1);
  if (!f) return HN_ERROR_MEMORY;
  f->laws = laws;
  f->count = laws;
  for (int k = 0; k < laws; k++) f->delays += model->states[k].delay > 0;
  double **vectors[] = {&f->hat, &f->value, &f->rate};
  for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++)
    *vectors[k] = HN_KEEP(arena, double, count);
  f->first = HN_TAKE(arena, int, model->force_count);
  f->owner = HN_TAKE(arena, int, owners);
  f->wrench = HN_WORK(arena, hn_wrench, model->body_count);
  hn_status status = take_laws(arena, elements, f);
  if (status != HN_OK) return status;
  for (int k = 0; k < model->force_count; k++) {
    const int own = own_states(model, k);
    f->first[k] = own > 0 ? f->count : -1;
    if (own > 0) f->owner[f->owners++] = k;
    f->count += own;
  }
  f->hidden = hidden;
  f->count += hidden;
  elements->flow = f;
  return HN_OK;
}

// ---- values -------------------------------------------------------------------------------------

// Writes the value of state k where functions read it.
static void publish_state(const hn_elements *elements, int k) {
  const hn_model *model = elements->model;
  model->sensing.values[model->input_count + model->states[k].sensor].value =
      elements->flow->value[k];
}

static void publish(const hn_elements *elements) {
  for (int k = 0; k < elements->flow->laws; k++) publish_state(elements, k);
}

void hn_states_be_late(const hn_elements *elements, int is_late) {
  const hn_model *model = elements->model;
  hn_flow *f = elements->flow;
  if (!f || f->delays == 0) return;
  f->is_late = is_late;
  for (int k = 0; k < f->laws; k++)
    model->sensing.values[model->input_count + model->states[k].sensor].history =
        is_late ? f->history[k] : NULL;
}

void hn_states_follow(const hn_elements *elements, double t, double g, const double *hat) {
  hn_flow *f = elements->flow;
  if (!f) return;
  f->t = t;
  f->g = g;
  f->has_derivatives = 0;
  for (int k = 0; k < f->count; k++) f->hat[k] = f->value[k] = hat[k];
  publish(elements);
}

void hn_states_set(const hn_elements *elements, const double *z) {
  hn_states_follow(elements, 0, 0, z);
}

static double value_of(const hn_law *law, double t) {
  return hn_law_input_count(law) > 0 ? hn_law_evaluate_many(law, &t, NULL)
                                     : hn_law_evaluate(law, -1, t).value;
}

// Rates of block b at the present values into step, and 1 - g r_z.
static void find_rates(const hn_elements *elements, int b, double *matrix) {
  const hn_model *model = elements->model;
  hn_flow *f = elements->flow;
  const int from = f->block_start[b], size = f->block_start[b + 1] - from;
  for (int i = 0; i < size * size; i++) matrix[i] = i % (size + 1) == 0;
  for (int i = 0; i < size; i++) {
    const hn_law *law = model->states[f->order[from + i]].law;
    double gradient[HN_LAW_VARIABLES];
    f->step[from + i] = 0;
    if (is_known(model, f, f->order[from + i])) continue;
    if (hn_law_input_count(law) == 0) f->step[from + i] = value_of(law, f->t);
    if (hn_law_input_count(law) == 0) continue;
    f->step[from + i] = hn_law_input_gradient(law, &f->t, f->t, gradient);
    for (int k = 0; k < hn_law_input_count(law); k++) {
      const int sensor = hn_law_input(law, k) - model->input_count;
      const int state = sensor >= 0 ? f->place[sensor] : -1;
      if (state >= 0 && f->block[state] == b)
        matrix[(f->position[state] - from) * size + i] -= f->g * gradient[k];
    }
  }
}

// One step of block b: 1 where it was the last.
static int improve(const hn_elements *elements, int b, double *matrix) {
  hn_flow *f = elements->flow;
  const int from = f->block_start[b], size = f->block_start[b + 1] - from;
  double *step = &f->step[from];
  int is_done = 1;
  find_rates(elements, b, matrix);
  for (int i = 0; i < size; i++) {
    const int k = f->order[from + i];
    step[i] = f->hat[k] + f->g * step[i] - f->value[k];
  }
  if (hn_dense_lu(matrix, size, &f->pivots[from]) != 0) {
    for (int i = 0; i < size; i++) f->value[f->order[from + i]] = NAN; // a shorter step has another
    return 1;
  }
  hn_dense_lu_solve(matrix, size, &f->pivots[from], step);
  for (int i = 0; i < size; i++) {
    const int k = f->order[from + i];
    f->value[k] += step[i];
    if (fabs(step[i]) > CONVERGED * (fabs(f->value[k]) + fabs(f->hat[k]))) is_done = 0;
  }
  return is_done;
}

void hn_states_solve(const hn_elements *elements) {
  hn_flow *f = elements->flow;
  if (!f) return;
  f->has_derivatives = 0;
  if (f->g == 0) return;
  for (int k = 0; k < f->laws; k++) f->value[k] = f->hat[k];
  publish(elements);
  double *matrix = f->matrix;
  for (int b = 0; b < f->blocks; b++) {
    const int size = f->block_start[b + 1] - f->block_start[b];
    for (int i = 0, is_done = 0; i < ITERATIONS && !is_done; i++) {
      is_done = improve(elements, b, matrix);
      for (int k = f->block_start[b]; k < f->block_start[b + 1]; k++)
        publish_state(elements, f->order[k]);
    }
    matrix += size * size;
  }
}

int hn_states_have_rates(const hn_elements *elements) {
  const hn_flow *f = elements->flow;
  int any = f->owners > 0 || f->hidden > 0;
  for (int k = 0; k < f->laws; k++) any |= !is_known(elements->model, f, k);
  return any;
}

void hn_states_rates(const hn_elements *elements, double t, double *rates) {
  const hn_model *model = elements->model;
  const hn_flow *f = elements->flow;
  for (int k = 0; k < f->laws; k++)
    rates[k] = is_known(model, f, k) ? 0 : value_of(model->states[k].law, t);
  for (int k = f->laws; k < f->count; k++) rates[k] = f->rate[k];
}

int hn_states_matrix(const hn_elements *elements, double t, double g, double *matrix) {
  const hn_model *model = elements->model;
  const hn_flow *f = elements->flow;
  const int n = f->count;
  if (f->laws < n) return 0;
  for (int i = 0; i < n * n; i++) matrix[i] = i % (n + 1) == 0;
  for (int k = 0; k < n; k++) {
    const hn_law *law = model->states[k].law;
    double gradient[HN_LAW_VARIABLES];
    if (is_known(model, f, k) || hn_law_input_count(law) == 0) continue;
    (void)hn_law_input_gradient(law, &t, t, gradient);
    for (int i = 0; i < hn_law_input_count(law); i++) {
      const int sensor = hn_law_input(law, i) - model->input_count;
      if (sensor >= 0 && f->place[sensor] >= 0) matrix[f->place[sensor] * n + k] -= g * gradient[i];
    }
  }
  return 1;
}

int hn_states_is_value(const hn_elements *elements, int state, int input) {
  const int sensor = input - elements->model->input_count;
  return sensor >= 0 && elements->flow->place[sensor] == state;
}

double hn_states_decay(const hn_elements *elements, int state, double t) {
  const hn_law *law = elements->model->states[state].law;
  double gradient[HN_LAW_VARIABLES], decay = 0;
  if (is_known(elements->model, elements->flow, state) || hn_law_input_count(law) == 0) return 0;
  (void)hn_law_input_gradient(law, &t, t, gradient);
  for (int i = 0; i < hn_law_input_count(law); i++)
    if (hn_states_is_value(elements, state, hn_law_input(law, i))) decay -= gradient[i];
  return decay;
}

double hn_states_sample(const hn_elements *elements, int state, double t) {
  return value_of(elements->model->states[state].law, t);
}

int hn_states_take_rules(const hn_elements *elements, double t, double *held, double *z,
                         int *failed) {
  const hn_model *model = elements->model;
  int any = 0;
  *failed = -1;
  for (int k = 0; k < model->state_count && *failed < 0; k++) {
    if (model->states[k].law || model->states[k].follows) continue;
    long before = (long)held[k], now = 0, bit = 1; // of at most HN_MOST_RULES
    double value = NAN;
    int is_set = 0;
    for (int r = 0; r < model->rules.count; r++) {
      if (model->rules.item[r].state != k) continue;
      const int holds = hn_rule_holds(model->rules.item[r].when, t);
      if (holds && !(before & bit) && !is_set) {
        value = value_of(model->rules.item[r].value, t);
        is_set = 1;
      }
      now |= holds ? bit : 0;
      bit *= 2;
    }
    held[k] = (double)now;
    if (!is_set) continue;
    if (!isfinite(value)) *failed = k;
    any |= value != z[k];
    z[k] = value;
  }
  return any;
}

hn_status hn_states_look(const hn_elements *elements, double t, const hn_frame *frames,
                         const double *turns, const hn_branch *force) {
  const hn_flow *f = elements->flow;
  hn_status status = HN_OK;
  hn_elements_sense(elements, frames, turns);
  for (int k = 0; k < f->owners && status == HN_OK; k++) {
    hn_force_value value = {.value = 0};
    status = hn_force_in_speeds(elements, f->owner[k], frames, turns, t, force[f->owner[k]],
                                f->wrench, &value);
  }
  const hn_hidden_elements *hidden = elements->hidden;
  const int first = f->count - f->hidden;
  if (status == HN_OK && hidden && f->hidden > 0)
    hidden->states(hidden->context, t, frames, turns, force, &f->value[first], &f->rate[first]);
  return status;
}

// ---- derivatives --------------------------------------------------------------------------------

static void solve_block(const hn_flow *f, int b, const double *matrix, double *x) {
  const int from = f->block_start[b], size = f->block_start[b + 1] - from;
  for (int i = 0; i < size; i++) f->step[from + i] = x[f->order[from + i]];
  hn_dense_lu_solve(matrix, size, &f->pivots[from], &f->step[from]);
  for (int i = 0; i < size; i++) x[f->order[from + i]] = f->step[from + i];
}

void hn_states_filter(const hn_elements *elements, double *x) {
  const hn_flow *f = elements->flow;
  if (!f || f->g == 0) return;
  const double *matrix = f->matrix;
  for (int b = 0; b < f->blocks; b++) {
    const int size = f->block_start[b + 1] - f->block_start[b];
    solve_block(f, b, matrix, x);
    matrix += size * size;
  }
  const hn_hidden_elements *hidden = elements->hidden;
  if (hidden && f->hidden > 0) hidden->filter(hidden->context, &x[f->count - f->hidden]);
}

// g r_s of block b, then Z_s from the factors of the last solution. z: (size x reads).
static void find_block(const hn_elements *elements, int b, const double *matrix, double *z) {
  const hn_model *model = elements->model;
  const hn_flow *f = elements->flow;
  const int from = f->block_start[b], size = f->block_start[b + 1] - from;
  const int *read = &f->read[f->read_start[b]], reads = f->read_start[b + 1] - f->read_start[b];
  memset(z, 0, (size_t)(size * reads) * sizeof *z);
  for (int i = 0; i < size; i++) {
    const hn_law *law = model->states[f->order[from + i]].law;
    if (is_known(model, f, f->order[from + i]) || hn_law_input_count(law) == 0) continue;
    double gradient[HN_LAW_VARIABLES];
    hn_law_input_gradient(law, &f->t, f->t, gradient);
    for (int r = 0; r < reads; r++) {
      const int at = hn_law_input_place(law, model->input_count + read[r]);
      if (at >= 0) z[i * reads + r] = f->g * gradient[at];
    }
  }
  double *column = &f->step[from];
  for (int r = 0; r < reads; r++) {
    for (int i = 0; i < size; i++) column[i] = z[i * reads + r];
    hn_dense_lu_solve(matrix, size, &f->pivots[from], column);
    for (int i = 0; i < size; i++) z[i * reads + r] = column[i];
  }
}

static void find_derivatives(const hn_elements *elements) {
  hn_flow *f = elements->flow;
  const double *matrix = f->matrix;
  for (int b = 0; b < f->blocks; b++) {
    const int size = f->block_start[b + 1] - f->block_start[b];
    find_block(elements, b, matrix, &f->by_signal[f->z_start[b]]);
    matrix += size * size;
  }
  f->has_derivatives = 1;
}

void hn_states_chain(const hn_elements *elements, hn_sensed *sensed) {
  hn_flow *f = elements->flow;
  const int listed = sensed->count;
  if (!f || f->laws == 0) return;
  for (int i = 0; i < listed; i++) {
    const int k = f->place[sensed->sensor[i]];
    const double by_state = sensed->by[sensed->sensor[i]];
    if (k < 0 || by_state == 0) continue;
    sensed->by[sensed->sensor[i]] = 0;
    if (f->g == 0 || f->block[k] < 0) continue;
    if (!f->has_derivatives) find_derivatives(elements);
    const int b = f->block[k], first = f->read_start[b], reads = f->read_start[b + 1] - first;
    const double *z = &f->by_signal[f->z_start[b] + (f->position[k] - f->block_start[b]) * reads];
    for (int r = 0; r < reads; r++) hn_sensed_add(sensed, f->read[first + r], by_state * z[r]);
  }
}
