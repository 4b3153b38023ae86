// Measuring, writing and reading what is remembered: see memory.h.
#include "integrate/memory.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "holon/component.h"

// Counts continue from restored ones and must not overflow.
#define MOST_COUNT ((double)(LONG_MAX / 4))

void hn_memory_pass(hn_memory *m, void *data, size_t size) {
  if (m->way != HN_MEMORY_MEASURE && size > m->room - m->size) m->failed = 1;
  if (m->failed) return;
  if (m->way == HN_MEMORY_WRITE && size > 0) memcpy(m->to + m->size, data, size);
  if (m->way == HN_MEMORY_READ && size > 0) memcpy(data, m->from + m->size, size);
  m->size += size;
}

void hn_memory_numbers(hn_memory *m, double *numbers, int count) {
  hn_memory_pass(m, numbers, (size_t)count * sizeof(double));
  for (int k = 0; m->way == HN_MEMORY_READ && !m->failed && k < count; k++)
    if (isnan(numbers[k])) m->failed = 1; // from a file; no run keeps one
}

// Marks of rows: 0 or 1 each.
static void pass_marks(hn_memory *m, unsigned char *marks, int count) {
  hn_memory_pass(m, marks, (size_t)count);
  for (int k = 0; m->way == HN_MEMORY_READ && !m->failed && k < count; k++)
    if (marks[k] > 1) m->failed = 1;
}

void hn_memory_integer(hn_memory *m, int *number, int least, int most) {
  int value = *number;
  hn_memory_pass(m, &value, sizeof value);
  if (m->way != HN_MEMORY_READ) return;
  if (value < least || value > most)
    m->failed = 1;
  else
    *number = value;
}

void hn_memory_flag(hn_memory *m, int *flag) {
  int value = *flag != 0;
  hn_memory_pass(m, &value, sizeof value);
  if (m->way == HN_MEMORY_READ) *flag = value != 0;
}

void hn_memory_branches(hn_memory *m, const hn_elements *elements, hn_branches *b) {
  hn_memory_pass(m, b->force, (size_t)elements->force_branches * sizeof(hn_branch));
  hn_memory_pass(m, b->driver, (size_t)elements->driver_branches * sizeof(int));
  hn_memory_numbers(m, b->turns, elements->turn_count);
  if (m->way != HN_MEMORY_READ || m->failed) return;
  for (int f = 0; f < elements->force_branches; f++)
    if (b->force[f].state < HN_BRANCH_FREE || b->force[f].time < HN_BRANCH_FREE) m->failed = 1;
  for (int d = 0; d < elements->driver_branches; d++)
    if (b->driver[d] < HN_BRANCH_FREE) m->failed = 1;
}

// ---- places -------------------------------------------------------------------------------------

void hn_branches_copy(const hn_elements *elements, const hn_branches *from, hn_branches *to) {
  size_t forces = (size_t)elements->force_branches, drivers = (size_t)elements->driver_branches;
  if (forces > 0) memcpy(to->force, from->force, forces * sizeof(hn_branch));
  if (drivers > 0) memcpy(to->driver, from->driver, drivers * sizeof(int));
  if (elements->turn_count > 0)
    memcpy(to->turns, from->turns, (size_t)elements->turn_count * sizeof(double));
}

hn_status hn_place_create(hn_arena *arena, const hn_equations *e, int rows, hn_place *place) {
  place->rows = rows;
  place->q = HN_TAKE(arena, double, e->nq);
  place->qd = HN_TAKE(arena, double, e->nq);
  place->qdd = HN_TAKE(arena, double, e->nq);
  place->lambda = HN_TAKE(arena, double, rows);
  place->redundant = HN_TAKE(arena, unsigned char, e->redundant_size);
  place->inputs = HN_TAKE(arena, hn_input_state, e->elements->model->input_count);
  place->states = hn_states_count(e->elements);
  place->hat = HN_TAKE(arena, double, place->states);
  place->delays = place->states > 0 ? e->elements->flow->delays : 0;
  place->late = HN_TAKE(arena, double, 4 * place->delays);
  if (arena->failed) return HN_ERROR_MEMORY;
  return hn_branches_create(arena, e->elements, &place->branches);
}

void hn_place_keep(hn_place *place, const hn_equations *e, double t, const double *q,
                   const double *qd, const double *qdd, const double *lambda,
                   const hn_branches *branches) {
  const hn_model *model = e->elements->model;
  size_t size = (size_t)e->nq * sizeof(double);
  place->t = t;
  memcpy(place->q, q, size);
  memcpy(place->qd, qd, size);
  if (qdd) memcpy(place->qdd, qdd, size);
  if (lambda) memcpy(place->lambda, lambda, (size_t)place->rows * sizeof(double));
  memcpy(place->redundant, e->redundant, (size_t)e->redundant_size);
  place->redundant_count = e->redundant_count;
  if (model->sensing.values)
    memcpy(place->inputs, model->sensing.values,
           (size_t)model->input_count * sizeof(hn_input_state));
  if (place->states > 0) {
    const hn_flow *flow = e->elements->flow;
    place->flow_t = flow->t;
    place->flow_g = flow->g;
    memcpy(place->hat, flow->hat, (size_t)place->states * sizeof(double));
    double *late = place->late;
    for (int k = 0; place->delays > 0 && k < flow->laws; k++) {
      if (!flow->history[k]) continue;
      hn_past_at(flow->history[k], t, late);
      late += 4;
    }
  }
  hn_branches_copy(e->elements, branches, &place->branches);
}

// The flow as it was there, and back.
static void swap_flow(hn_place *place, const hn_elements *elements) {
  if (place->states == 0) return;
  hn_flow *flow = elements->flow;
  const double t = flow->t, g = flow->g;
  for (int k = 0; k < place->states; k++) { // values are work space here: they follow
    flow->value[k] = place->hat[k];
    place->hat[k] = flow->hat[k];
  }
  hn_states_follow(elements, place->flow_t, place->flow_g, flow->value);
  place->flow_t = t;
  place->flow_g = g;
  const double *late = place->late;
  for (int k = 0; place->delays > 0 && k < flow->laws; k++) {
    hn_past *history = flow->history[k];
    if (!history) continue;
    memcpy(history->kept, late, sizeof history->kept);
    history->is_kept = !history->is_kept;
    late += 4;
  }
}

void hn_place_pass(hn_memory *m, const hn_equations *e, hn_place *place) {
  hn_memory_numbers(m, &place->t, 1);
  hn_memory_numbers(m, place->q, e->nq);
  hn_memory_numbers(m, place->qd, e->nq);
  hn_memory_numbers(m, place->qdd, e->nq);
  hn_memory_numbers(m, place->lambda, place->rows);
  pass_marks(m, place->redundant, e->redundant_size);
  hn_memory_integer(m, &place->redundant_count, 0, e->redundant_size);
  hn_memory_pass(m, place->inputs,
                 (size_t)e->elements->model->input_count * sizeof(hn_input_state));
  for (int k = 0; k < e->elements->model->input_count; k++) place->inputs[k].history = NULL;
  if (place->states > 0) {
    hn_memory_numbers(m, &place->flow_t, 1);
    hn_memory_numbers(m, &place->flow_g, 1);
    hn_memory_numbers(m, place->hat, place->states);
    hn_memory_numbers(m, place->late, 4 * place->delays);
  }
  hn_memory_branches(m, e->elements, &place->branches);
}

void hn_place_visit(hn_place *place, hn_equations *e) {
  const hn_model *model = e->elements->model;
  int count = place->redundant_count;
  place->redundant_count = e->redundant_count;
  e->redundant_count = count;
  for (int r = 0; r < e->redundant_size; r++) {
    unsigned char row = place->redundant[r];
    place->redundant[r] = e->redundant[r];
    e->redundant[r] = row;
  }
  for (int k = 0; model->sensing.values && k < model->input_count; k++) {
    hn_input_state input = place->inputs[k];
    place->inputs[k] = model->sensing.values[k];
    model->sensing.values[k] = input;
  }
  swap_flow(place, e->elements);
}

// ---- methods ------------------------------------------------------------------------------------

static void pass_snapshot(hn_memory *m, const hn_equations *e, hn_snapshot *s) {
  const hn_model *model = e->elements->model;
  size_t bodies = (size_t)model->body_count;
  int rows = e->elements->row_count, outputs = 0, part = (int)s->is_partial;
  double *numbers[] = {&s->t,
                       &s->kinetic,
                       &s->potential,
                       &s->power,
                       &s->hidden_position,
                       &s->hidden_velocity,
                       &s->hidden_acceleration};
  for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++)
    hn_memory_numbers(m, numbers[k], 1);
  hn_memory_pass(m, s->frames, bodies * sizeof(hn_frame));
  hn_memory_pass(m, s->acceleration, bodies * sizeof(hn_vec3));
  hn_memory_pass(m, s->angular_acceleration, bodies * sizeof(hn_vec3));
  hn_memory_pass(m, s->wrench, bodies * sizeof(hn_wrench));
  hn_memory_pass(m, s->forces, (size_t)model->force_count * sizeof(hn_force_value));
  double *by_row[] = {s->lambda, s->phi, s->phi_rate, s->phi_acceleration, s->phi_time_rate};
  for (size_t k = 0; k < sizeof by_row / sizeof by_row[0]; k++)
    hn_memory_numbers(m, by_row[k], rows);
  hn_memory_numbers(m, s->ud, e->nu);
  hn_memory_numbers(m, s->qdd, e->nq);
  if (s->q) hn_memory_numbers(m, s->q, e->nq);
  for (int p = 0; p < model->part_count; p++) outputs += model->parts[p].facts->output_count;
  hn_memory_numbers(m, s->hidden_outputs, outputs);
  hn_memory_integer(m, &part, HN_SNAPSHOT_WHOLE, s->q ? HN_SNAPSHOT_OF_STEP : HN_SNAPSHOT_WHOLE);
  if (m->way == HN_MEMORY_READ && !m->failed) s->is_partial = (hn_snapshot_part)part;
  hn_memory_flag(m, &s->rows_rest);
  hn_memory_flag(m, &s->near_singular);
}

static void declare_contacts(hn_arena *arena, const hn_equations *e, hn_contact_record *c) {
  double *const numbers[] = {&c->residual,      &c->penetration, &c->deepest.share,
                             &c->deepest.depth, &c->impact_loss, &c->friction_loss};
  long *const counts[] = {&c->impacts, &c->sweeps, &c->unresolved};
  for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
    HN_STATE(arena, numbers[k], 1, "the record of contacts");
    hn_state_within(arena, -HUGE_VAL, HUGE_VAL);
  }
  for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
    HN_STATE(arena, counts[k], 1, "a count of contacts");
    hn_state_within(arena, 0, MOST_COUNT);
  }
  HN_STATE(arena, c->deepest.body, 2, "the deepest body");
  hn_state_within(arena, 0, e->model->body_count - 1);
  HN_STATE(arena, &c->deepest.rule, 1, "the deepest contact");
  hn_state_within(arena, 0, e->model->contact_count);
  HN_STATE(arena, &c->crowd, 1, "the number of near points");
  hn_state_within(arena, 0, INT_MAX);
}

void hn_method_declare(hn_arena *arena, hn_method *m) {
  const hn_equations *e = m->equations;
  const struct {
    const char *name;
    double *at;
    int count;
  } motion[] = {
      {"time", &m->t, 1},     {"work", &m->work, 1},  {"position", m->q, e->nq},
      {"velocity", m->qd, e->nq}, {"state", m->z, m->states},
  };
  hn_state_owner(arena, "method", HN_STATE_MOTION);
  for (size_t k = 0; k < sizeof motion / sizeof *motion; k++) {
    HN_STATE(arena, motion[k].at, motion[k].count, motion[k].name);
    hn_state_within(arena, -HUGE_VAL, HUGE_VAL);
  }
  double *const last[] = {&m->step, &m->step_begin, &m->step_end, &m->stiffness};
  hn_state_owner(arena, "method", HN_STATE_METHOD);
  for (size_t k = 0; k < sizeof last / sizeof *last; k++) HN_STATE(arena, last[k], 1, "last step");
  long *const counts[] = {&m->projections,    &m->jacobians,  &m->iterations, &m->newton_failures,
                          &m->factorizations, &m->selections, &m->unconverged};
  hn_state_owner(arena, "method", HN_STATE_RECORD);
  for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
    HN_STATE(arena, counts[k], 1, "a count of the method");
    hn_state_within(arena, 0, MOST_COUNT);
  }
  HN_STATE(arena, &m->unconverged_residual, 1, "a residual");
  hn_state_within(arena, 0, HUGE_VAL);
  if (m->type->steps_over) declare_contacts(arena, e, &m->contact);
}

// When it reads it makes again what was made of these numbers.
static hn_status pass_method(hn_memory *memory, hn_method *m) {
  hn_status status = m->type->remember ? m->type->remember(m, memory) : HN_OK;
  if (status != HN_OK) return status;
  pass_snapshot(memory, m->equations, m->now);
  return memory->failed ? HN_ERROR_ARGUMENT : HN_OK;
}

// Measuring and writing do not change the method.
size_t hn_method_memory_size(const hn_method *method) {
  hn_memory memory = {.way = HN_MEMORY_MEASURE};
  pass_method(&memory, (hn_method *)method);
  return memory.size;
}

void hn_method_save(const hn_method *method, void *buffer) {
  hn_memory memory = {.way = HN_MEMORY_WRITE, .to = buffer, .room = hn_method_memory_size(method)};
  pass_method(&memory, (hn_method *)method);
}

hn_status hn_method_restore(hn_method *m, const hn_branches *branches, const void *buffer,
                            size_t size, hn_error *error) {
  hn_memory memory = {.way = HN_MEMORY_READ, .from = buffer, .room = size};
  const hn_branches look = hn_branches_to_look(branches); // rows stay as they were chosen
  m->step_end = -HUGE_VAL;                                // nothing of the last step is known to it
  hn_status status = m->type->begin(m, &look, error), kept = HN_OK;
  if (status == HN_OK) kept = pass_method(&memory, m);
  // matrices made again of what was kept may be singular: no run has left such numbers either
  if (kept != HN_OK && kept != HN_ERROR_MEMORY)
    return hn_fail(
        error, HN_ERROR_ARGUMENT, NULL, NULL,
        "save it again with @save_state from the same model and the same version of Holon",
        "the saved state is damaged: it has impossible numbers");
  return status != HN_OK ? status : kept;
}
