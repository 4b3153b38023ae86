// Sealed components of a model: requests of its levels and evaluations, by the functions of
// holon/component.h. A component that answers with something that is not a number is named.
#include <string.h>

#include "base/error.h"
#include "elements/states.h"
#include "equations/nested/private.h"
#include "math/law.h"

static const hn_component_api *api_of(const hn_nested_part *p) { return p->part->api; }

void hn_nested_part_note(hn_nested_part *p, hn_status status) {
  if (status != HN_OK && p->lost == HN_OK) p->lost = status;
}

static int all_finite(const double *x, int n) {
  for (int i = 0; i < n; i++)
    if (!isfinite(x[i])) return 0;
  return 1;
}

static int is_finite(const hn_component_energy *energy) {
  return isfinite(energy->kinetic) && isfinite(energy->potential) && isfinite(energy->power);
}

// ---- levels -------------------------------------------------------------------------------------

static hn_status checked(hn_nested_part *p, hn_status status, const double *x, int n) {
  if (status == HN_OK && !all_finite(x, n)) status = HN_ERROR_NOT_FINITE;
  if (status != HN_OK) p->has_failed = 1;
  // no answer, or none that can be read: the failure is permanent
  if (status == HN_ERROR_INTERRUPTED || status == HN_ERROR_FILE) hn_nested_part_note(p, status);
  return status;
}

static hn_status part_factor(void *context, int rows, double *root, int width, int *rank) {
  hn_nested_part *p = context;
  hn_status status = api_of(p)->factor(p->run, rows, root, width, rank);
  if (status == HN_OK && (*rank < 0 || *rank > width)) status = HN_ERROR_NOT_FINITE;
  p->rank = *rank;
  return checked(p, status, root, width * width);
}

static hn_status part_forward(void *context, int again, double *r) {
  hn_nested_part *p = context;
  return checked(p, api_of(p)->forward(p->run, again, r), r, 6 * p->connected);
}

static hn_status part_backward(void *context, int again, const double *tau, double *x) {
  hn_nested_part *p = context;
  return checked(p, api_of(p)->backward(p->run, again, tau, x), x, 6 * p->connected);
}

static hn_status part_residual(void *context, const double *tau) {
  hn_nested_part *p = context;
  return checked(p, api_of(p)->residual(p->run, tau), NULL, 0);
}

static hn_status part_stabilize_factor(void *context, double tolerance, double *u) {
  hn_nested_part *p = context;
  int n = 6 * p->connected;
  return checked(p, api_of(p)->stabilize_factor(p->run, tolerance, u), u, n * n);
}

static hn_status part_stabilize_forward(void *context, double *c) {
  hn_nested_part *p = context;
  return checked(p, api_of(p)->stabilize_forward(p->run, c), c, 6 * p->connected);
}

static hn_status part_stabilize_backward(void *context, const double *z, double *x) {
  hn_nested_part *p = context;
  return checked(p, api_of(p)->stabilize_backward(p->run, z, x), x, 6 * p->connected);
}

static const hn_sealed_subsystem functions = {
    .factor = part_factor,
    .forward = part_forward,
    .backward = part_backward,
    .residual = part_residual,
    .stabilize_factor = part_stabilize_factor,
    .stabilize_forward = part_stabilize_forward,
    .stabilize_backward = part_stabilize_backward,
};

// ---- set-up -------------------------------------------------------------------------------------

// Marks the bodies of the part that constraints outside it involve.
static int mark_connected(const hn_nested_data *self, const hn_sealed_part *part,
                          unsigned char *connected) {
  int count = 0;
  for (int k = 0; k < self->row_start[self->base.row_count]; k++) {
    int body = self->row_body[k] - part->first_body;
    if (body < 0 || body >= part->body_count || connected[body]) continue;
    connected[body] = 1;
    count++;
  }
  return count;
}

static hn_status start_part(hn_arena *arena, hn_nested_data *self, const hn_sealed_part *part,
                            hn_nested_part *p, hn_error *error) {
  const hn_model *model = self->equations->model;
  const hn_component_facts *facts = part->facts;
  unsigned char *connected = HN_TAKE(arena, unsigned char, part->body_count);
  p->external_q = HN_KEEP(arena, double, 7 * part->external_count);
  p->external_qd = HN_KEEP(arena, double, 7 * part->external_count);
  p->external_force = HN_KEEP(arena, double, 6 * part->external_count);
  p->border_force = HN_KEEP(arena, double, 6 * facts->border_count);
  p->q = HN_KEEP(arena, double, 7 * part->body_count);
  p->qd = HN_KEEP(arena, double, 7 * part->body_count);
  p->switches = HN_KEEP(arena, hn_component_branch, facts->switch_count);
  p->late = HN_KEEP(arena, double, 4 * facts->delay_count);
  p->given = HN_KEEP(arena, double, HN_COMPONENT_GIVEN_NUMBERS * facts->given_count);
  if (arena->failed) return HN_ERROR_MEMORY;
  for (int k = 0; k < facts->given_count; k++) // of elements without inputs of a run
    p->given[HN_COMPONENT_GIVEN_NUMBERS * k + 1] = p->given[HN_COMPONENT_GIVEN_NUMBERS * k + 4] =
        facts->given[k].value;
  p->connected = mark_connected(self, part, connected);
  const double gravity[3] = {model->gravity.x, model->gravity.y, model->gravity.z};
  hn_error reason = {0};
  hn_status status = part->api->start(part->placed, connected, gravity, &p->run, &reason);
  char name[96];
  if (status != HN_OK)
    return hn_fail(error, status, &part->source,
                   hn_text(name, sizeof name, "component '%s'", part->name), reason.hint,
                   "cannot be started: %s",
                   reason.message[0] ? reason.message : hn_status_text(status));
  return HN_OK;
}

hn_status hn_nested_parts_start(hn_arena *arena, hn_nested_data *self, hn_sealed_subsystem *sealed,
                                hn_error *error) {
  const hn_elements *elements = self->equations->elements;
  const hn_model *model = elements->model;
  int row = elements->row_count, turn = elements->turn_count, output = 0;
  int force = model->force_count, driver = model->driver_count, states = 0, delays = 0;
  for (int p = 0; p < model->part_count; p++) turn -= model->parts[p].facts->turn_count;
  self->parts = HN_KEEP(arena, hn_nested_part, model->part_count);
  if (arena->failed) return HN_ERROR_MEMORY;
  hn_status status = HN_OK;
  for (int p = 0; p < model->part_count && status == HN_OK; p++) {
    const hn_sealed_part *part = &model->parts[p];
    self->parts[p] = (hn_nested_part){.part = part,
                                      .first_row = row,
                                      .first_turn = turn,
                                      .first_switch = force,
                                      .first_motion = driver,
                                      .first_state = states,
                                      .first_delay = delays,
                                      .first_output = output,
                                      .kink_from = HUGE_VAL};
    self->part_count = p + 1;
    status = start_part(arena, self, part, &self->parts[p], error);
    sealed[part->component] = functions;
    sealed[part->component].context = &self->parts[p];
    row += part->facts->border_row_count;
    turn += part->facts->turn_count;
    force += part->facts->switch_count;
    driver += part->facts->motion_count;
    states += part->facts->state_count;
    delays += part->facts->delay_count;
    output += part->facts->output_count;
  }
  return status;
}

void hn_nested_parts_stop(hn_nested_data *self) {
  for (int p = 0; p < self->part_count; p++)
    if (self->parts[p].run) api_of(&self->parts[p])->stop(self->parts[p].run);
  self->part_count = 0;
}

// ---- states -------------------------------------------------------------------------------------

// A formula gives what its signals, which were sensed last, give now.
static hn_input_state given_by(const hn_law *law, double t) {
  const double value = hn_law_input_count(law) > 0 ? hn_law_evaluate_many(law, &t, NULL)
                                                   : hn_law_evaluate(law, -1, t).value;
  return (hn_input_state){.time = t, .value = value, .target = value};
}

static void take_given(const hn_model *model, hn_nested_part *p, double t) {
  for (int k = 0; k < p->part->facts->given_count; k++) {
    const hn_law *law = hn_model_input_law(model, p->part->first_input + k);
    const hn_input_state formula = law ? given_by(law, t) : (hn_input_state){.time = 0};
    const hn_input_state *input = law ? &formula : &model->sensing.values[p->part->first_input + k];
    const double x[HN_COMPONENT_GIVEN_NUMBERS] = {input->time,         input->value,  input->rate,
                                                  input->acceleration, input->target, input->pole,
                                                  input->samples};
    memcpy(&p->given[HN_COMPONENT_GIVEN_NUMBERS * k], x, sizeof x);
  }
}

static void take_late(const hn_flow *flow, hn_nested_part *p, double t) {
  for (int k = 0; k < p->part->facts->delay_count; k++) {
    double *late = &p->late[4 * k];
    memset(late, 0, 4 * sizeof *late);
    if (flow->hidden_history) hn_past_at(flow->hidden_history[p->first_delay + k], t, late);
  }
}

void hn_nested_part_states(const hn_nested_data *self, hn_nested_part *p,
                           hn_component_state *state) {
  const hn_flow *flow = self->equations->elements->flow;
  if (self->equations->model->sensing.values) take_given(self->equations->model, p, state->t);
  state->given = p->given;
  if (p->part->facts->state_count == 0) return;
  state->z = &flow->hat[flow->count - flow->hidden + p->first_state];
  state->g = flow->g;
  take_late(flow, p, state->t);
  state->late = p->late;
}

static hn_component_state state_of(const hn_nested_data *self, hn_nested_part *p, double t,
                                   const double *q, const double *qd, const hn_branches *branches) {
  const hn_sealed_part *part = p->part;
  for (int k = 0; k < part->external_count; k++) {
    int at = 7 * (part->external[k] - 1);
    static const double ground[7] = {0, 0, 0, 1, 0, 0, 0}, rest[7] = {0};
    memcpy(&p->external_q[7 * k], at < 0 ? ground : &q[at], 7 * sizeof(double));
    memcpy(&p->external_qd[7 * k], at < 0 ? rest : &qd[at], 7 * sizeof(double));
  }
  int first = 7 * (part->first_body - 1);
  hn_component_state state = {.t = t,
                              .q = q + first,
                              .qd = qd + first,
                              .external_q = p->external_q,
                              .external_qd = p->external_qd,
                              .turns = branches->turns + p->first_turn,
                              .switches = hn_nested_switches(p, branches->force),
                              .motions = branches->driver + p->first_motion};
  hn_nested_part_states(self, p, &state);
  return state;
}

// Stores the states of the component at the evaluation of its forces.
static hn_status keep_states(const hn_nested_data *self, const hn_nested_part *p) {
  const hn_flow *flow = self->equations->elements->flow;
  const int count = p->part->facts->state_count;
  if (count == 0) return HN_OK;
  const int first = flow->count - flow->hidden + p->first_state;
  hn_status status = api_of(p)->states(p->run, NULL, &flow->value[first], &flow->rate[first]);
  if (status != HN_OK) return status;
  return all_finite(&flow->value[first], count) && all_finite(&flow->rate[first], count)
             ? HN_OK
             : HN_ERROR_NOT_FINITE;
}

static hn_component_rows rows_of(hn_nested_data *self, const hn_nested_part *p) {
  int r = p->first_row;
  const hn_cartesian_rows *rows = &self->base.rows;
  return (hn_component_rows){.block = &rows->block[6 * self->row_start[r]],
                             .value = &rows->value[r],
                             .rate = &rows->rate[r],
                             .tau = &rows->tau[r],
                             .time_rate = &rows->time_rate[r]};
}

// ---- accelerations ------------------------------------------------------------------------------

static void wrench_to(const hn_wrench *w, double *out) {
  vec3_store(out, w->force);
  vec3_store(out + 3, w->torque);
}

static hn_wrench wrench_from(const double *x) {
  return (hn_wrench){vec3_load(x), vec3_load(x + 3)};
}

static void take_border(const hn_snapshot *s, hn_nested_part *p) {
  const hn_component_facts *facts = p->part->facts;
  for (int b = 0; b < facts->border_count; b++)
    wrench_to(&s->wrench[p->part->first_body + facts->border[b]], &p->border_force[6 * b]);
}

hn_status hn_nested_parts_forces(hn_nested_data *self, double t, const double *q, const double *qd,
                                 const hn_branches *branches, hn_snapshot *s, hn_error *error) {
  for (int k = 0; k < self->part_count; k++) {
    hn_nested_part *p = &self->parts[k];
    const hn_sealed_part *part = p->part;
    hn_component_state state = state_of(self, p, t, q, qd, branches);
    hn_component_rows rows = rows_of(self, p);
    hn_component_energy energy = {s->kinetic, s->potential, s->power};
    p->has_failed = p->lost != HN_OK;
    if (p->has_failed) return hn_nested_part_failed(self, p->lost, t, error);
    take_border(s, p);
    for (int b = 0; b < part->external_count; b++)
      wrench_to(&s->wrench[part->external[b]], &p->external_force[6 * b]);
    hn_status status =
        api_of(p)->forces(p->run, &state, p->border_force, p->external_force, &energy, &rows);
    if (status == HN_OK &&
        (!all_finite(p->external_force, 6 * part->external_count) ||
         !all_finite(p->border_force, 6 * part->facts->border_count) || !is_finite(&energy)))
      status = HN_ERROR_NOT_FINITE;
    if (status == HN_OK) status = keep_states(self, p);
    p->has_failed = status != HN_OK;
    if (status != HN_OK) return hn_nested_part_failed(self, status, t, error);
    for (int b = 0; b < part->external_count; b++)
      s->wrench[part->external[b]] = wrench_from(&p->external_force[6 * b]);
    for (int b = 0; b < part->facts->border_count; b++)
      s->wrench[part->first_body + part->facts->border[b]] = wrench_from(&p->border_force[6 * b]);
    s->kinetic = energy.kinetic;
    s->potential = energy.potential;
    s->power = energy.power;
  }
  return HN_OK;
}

static const char *reason_of(hn_status status) {
  if (status == HN_ERROR_NOT_FINITE) return "returned a number that is not finite";
  if (status == HN_ERROR_INTERRUPTED) return "does not answer: its server process has ended";
  return status == HN_ERROR_FILE ? "sent an answer that cannot be read" : "failed";
}

static const char *hint_of(hn_status status) {
  if (status == HN_ERROR_INTERRUPTED) return "start both again; the results so far are written";
  return "ask its supplier; the same model from open files shows the cause";
}

hn_status hn_nested_part_failed(const hn_nested_data *self, hn_status status, double t,
                                hn_error *error) {
  for (int k = 0; k < self->part_count; k++) {
    const hn_nested_part *p = &self->parts[k];
    char name[96];
    if (!p->has_failed && p->lost == HN_OK) continue;
    if (p->lost != HN_OK) status = p->lost;
    return hn_fail(error, status, &p->part->source,
                   hn_text(name, sizeof name, "component '%s'", p->part->name), hint_of(status),
                   "%s (%s, t = %g s)", reason_of(status), p->part->path, t);
  }
  return HN_OK;
}

void hn_nested_part_loads(hn_nested_data *self, int index, hn_snapshot *s) {
  hn_nested_part *p = &self->parts[index];
  hn_component_energy energy = {s->kinetic, s->potential, s->power};
  take_border(s, p);
  hn_nested_part_note(p, api_of(p)->loads(p->run, p->border_force, &energy));
  s->kinetic = energy.kinetic;
  s->potential = energy.potential;
}

void hn_nested_parts_finish(hn_nested_data *self, hn_snapshot *s) {
  for (int k = 0; k < self->part_count; k++) {
    hn_nested_part *p = &self->parts[k];
    hn_component_energy energy = {s->kinetic, s->potential, s->power};
    hn_component_report report = {0};
    double *x = &self->base.x[6 * (p->part->first_body - 1)];
    hn_status status = api_of(p)->finish(p->run, &self->base.y[p->first_row], x, &energy,
                                         &s->hidden_outputs[p->first_output], &report);
    hn_nested_part_note(p, status);
    if (!all_finite(x, 6 * p->part->body_count) || !is_finite(&energy)) {
      p->has_failed = 1;
      memset(x, 0, 6 * (size_t)p->part->body_count * sizeof(double)); // a shorter step follows
    }
    s->power = energy.power;
    s->hidden_position = fmax(s->hidden_position, report.position);
    s->hidden_velocity = fmax(s->hidden_velocity, report.velocity);
    s->hidden_acceleration = fmax(s->hidden_acceleration, report.acceleration);
    p->dependent = report.dependent;
    p->left_out = report.left_out;
  }
}

// ---- stabilization ------------------------------------------------------------------------------

double hn_nested_parts_gaps(hn_nested_data *self, double t, const double *q, const double *qd,
                            const hn_branches *branches, int rates) {
  double most = 0;
  for (int k = 0; k < self->part_count; k++) {
    hn_nested_part *p = &self->parts[k];
    hn_component_state state = state_of(self, p, t, q, qd, branches);
    hn_component_rows rows = rows_of(self, p);
    double largest = 0;
    hn_nested_part_note(p, api_of(p)->gaps(p->run, &state, rates, &rows, &largest));
    if (p->lost != HN_OK || isnan(largest)) largest = HUGE_VAL;
    if (largest > most) most = largest;
  }
  return most;
}

void hn_nested_parts_increments(hn_nested_data *self, int left, double *x) {
  for (int k = 0; k < self->part_count; k++) {
    hn_nested_part *p = &self->parts[k];
    double *own = &x[6 * (p->part->first_body - 1)];
    hn_nested_part_note(p, api_of(p)->increments(p->run, left, own));
  }
}
