// Fields of the state that methods have in common: see memory.h.
#include "integrate/memory.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "equations/conditions.h"
#include "holon/component.h"

// Counts continue from restored ones and must not overflow.
#define MOST_COUNT ((double)(LONG_MAX / 4))

// Of declare functions; their owner and kind hold for all methods.
void hn_declare_numbers(hn_arena *arena, double *const numbers[], int count, const char *name) {
  hn_state_owner(arena, "method", HN_STATE_METHOD);
  for (int k = 0; k < count; k++) HN_STATE(arena, numbers[k], 1, name);
}

void hn_declare_integer(hn_arena *arena, int *number, int lower, int upper, const char *name) {
  hn_state_owner(arena, "method", HN_STATE_METHOD);
  HN_STATE(arena, number, 1, name);
  hn_state_within(arena, lower, upper);
}

void hn_declare_flags(hn_arena *arena, int *const flags[], int count, const char *name) {
  for (int k = 0; k < count; k++) hn_declare_integer(arena, flags[k], 0, 1, name);
}

_Static_assert(sizeof(hn_branch) == 2 * sizeof(int), "branches are pairs of numbers");

void hn_declare_force_branches(hn_arena *arena, hn_branch *branches, int count) {
  hn_state_owner(arena, "method", HN_STATE_METHOD);
  hn_state_declare(arena, branches, 2 * (size_t)count, sizeof(int), HN_STATE_INT,
                   "the branch of force of the method");
  hn_state_within(arena, HN_BRANCH_FREE, INT_MAX);
}

void hn_declare_branches(hn_arena *arena, const hn_elements *elements, const hn_branches *b) {
  hn_declare_force_branches(arena, b->force, elements->force_branches);
  HN_STATE(arena, b->driver, elements->driver_branches, "the branch of driver of the method");
  hn_state_within(arena, HN_BRANCH_FREE, INT_MAX);
  HN_STATE(arena, b->turns, elements->turn_count, "turns of the method");
}

// ---- places -------------------------------------------------------------------------------------

void hn_branches_copy(const hn_elements *elements, const hn_branches *from, hn_branches *to) {
  size_t forces = (size_t)elements->force_branches, drivers = (size_t)elements->driver_branches;
  if (forces > 0) memcpy(to->force, from->force, forces * sizeof(hn_branch));
  if (drivers > 0) memcpy(to->driver, from->driver, drivers * sizeof(int));
  if (elements->turn_count > 0)
    memcpy(to->turns, from->turns, (size_t)elements->turn_count * sizeof(double));
}

static void declare_place(hn_arena *arena, const hn_equations *e, hn_place *place) {
  const struct {
    double *at;
    int count;
  } numbers[] = {{&place->t, 1},
                 {place->q, e->nq},
                 {place->qd, e->nq},
                 {place->qdd, e->nq},
                 {place->lambda, place->rows},
                 {&place->flow_t, 1},
                 {&place->flow_g, 1},
                 {place->hat, place->states},
                 {place->late, 4 * place->delays}};
  hn_state_owner(arena, "method", HN_STATE_METHOD);
  for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
    HN_STATE(arena, numbers[k].at, numbers[k].count, "a state of a matrix");
  HN_STATE(arena, place->redundant, e->redundant_size, "the mark of constraint of a matrix");
  hn_state_within(arena, 0, 1);
  HN_STATE(arena, &place->redundant_count, 1, "the redundant constraints of a matrix");
  hn_state_within(arena, 0, e->redundant_size);
  HN_STATE(arena, place->inputs, e->elements->model->input_count, "input of a matrix");
  hn_declare_branches(arena, e->elements, &place->branches);
}

hn_status hn_place_create(hn_arena *arena, const hn_equations *e, int rows, hn_place *place) {
  place->rows = rows;
  place->q = HN_KEEP(arena, double, e->nq);
  place->qd = HN_KEEP(arena, double, e->nq);
  place->qdd = HN_KEEP(arena, double, e->nq);
  place->lambda = HN_KEEP(arena, double, rows);
  place->redundant = HN_KEEP(arena, unsigned char, e->redundant_size);
  place->inputs = HN_KEEP(arena, hn_input_state, e->elements->model->input_count);
  place->states = hn_states_count(e->elements);
  place->hat = HN_KEEP(arena, double, place->states);
  place->delays = place->states > 0 ? e->elements->flow->delays : 0;
  place->late = HN_KEEP(arena, double, 4 * place->delays);
  if (arena->failed) return HN_ERROR_MEMORY;
  hn_status status = hn_branches_create(arena, e->elements, &place->branches);
  if (status == HN_OK) declare_place(arena, e, place);
  return status;
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
  place->branches.grips = branches->grips; // a change of them makes another matrix
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

void hn_place_visit(hn_place *place, hn_equations *e) {
  const hn_model *model = e->elements->model;
  if (e->type->holds_conditions) place->branches.grips = hn_conditions_of(e)->of_run;
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
    input.history = NULL; // inputs have none, and that of a file would be no address
    model->sensing.values[k] = input;
  }
  swap_flow(place, e->elements);
}

// ---- methods ------------------------------------------------------------------------------------

static void declare_snapshot(hn_arena *arena, hn_method *m) {
  const hn_equations *e = m->equations;
  const hn_model *model = e->elements->model;
  hn_snapshot *const *now = &m->now, *s = m->now;
  const int bodies = model->body_count, rows = e->elements->row_count;
  int outputs = 0;
  double *const numbers[] = {&s->t,
                             &s->kinetic,
                             &s->potential,
                             &s->power,
                             &s->hidden_position,
                             &s->hidden_velocity,
                             &s->hidden_acceleration};
  double **const by_row[] = {&s->lambda, &s->phi, &s->phi_rate, &s->phi_acceleration,
                             &s->phi_time_rate};
  hn_state_owner(arena, "snapshot", HN_STATE_METHOD);
  for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
    HN_STATE_OF(arena, now, numbers[k], 1, "a number of the present");
  for (size_t k = 0; k < sizeof by_row / sizeof *by_row; k++)
    HN_STATE_BEHIND(arena, now, by_row[k], rows, "a constraint at present");
  HN_STATE_BEHIND(arena, now, &s->frames, bodies, "frame");
  HN_STATE_BEHIND(arena, now, &s->acceleration, bodies, "acceleration");
  HN_STATE_BEHIND(arena, now, &s->angular_acceleration, bodies, "angular acceleration");
  HN_STATE_BEHIND(arena, now, &s->wrench, bodies, "wrench");
  HN_STATE_BEHIND(arena, now, &s->forces, model->force_count, "force");
  HN_STATE_BEHIND(arena, now, &s->ud, e->nu, "acceleration");
  HN_STATE_BEHIND(arena, now, &s->qdd, e->nq, "acceleration");
  if (s->q) HN_STATE_BEHIND(arena, now, &s->q, e->nq, "position of the step");
  for (int p = 0; p < model->part_count; p++) outputs += model->parts[p].facts->output_count;
  HN_STATE_BEHIND(arena, now, &s->hidden_outputs, outputs, "output of a component");
  HN_STATE_OF(arena, now, &s->is_partial, 1, "the extent of the present");
  hn_state_within(arena, HN_SNAPSHOT_WHOLE, s->q ? HN_SNAPSHOT_WITHOUT_FORCES : HN_SNAPSHOT_WHOLE);
  HN_STATE_OF(arena, now, &s->rows_rest, 1, "the flag of constraints that hold");
  hn_state_within(arena, 0, 1);
  HN_STATE_OF(arena, now, &s->near_singular, 1, "the flag of small pivots");
  hn_state_within(arena, 0, 1);
}

static void declare_contacts(hn_arena *arena, const hn_equations *e, hn_contact_record *c) {
  double *const numbers[] = {&c->residual,      &c->penetration, &c->deepest.share,
                             &c->deepest.depth, &c->impact_loss, &c->friction_loss};
  long *const counts[] = {&c->impacts, &c->sweeps, &c->unresolved, &c->fallbacks};
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
      {"time", &m->t, 1},         {"work", &m->work, 1},      {"position", m->q, e->nq},
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
  declare_snapshot(arena, m);
}
