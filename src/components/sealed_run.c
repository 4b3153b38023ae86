// A sealed component at work: the passes of holon/component.h over its own levels. The bodies of its
// user come first in its model and belong to no level; everything else is equations/nested.
#include <string.h>

#include "base/error.h"
#include "components/sealed_run.h"
#include "elements/guards.h"
#include "elements/sensor.h"
#include "equations/levels.h"
#include "signals/signals.h"

struct hn_component_run {
  hn_arena arena;
  const hn_component *component;
  hn_model model;         // with the gravity and the signals of this simulation
  hn_input_state *inputs; // given ones, then signals that laws read
  hn_elements *elements;
  hn_guard_list conditions;
  hn_equations *equations;
  hn_levels *data;
  hn_snapshot *snapshot;
  hn_branches branches;
  hn_signals *signals;
  hn_past *past;           // of delayed states: what the run has of them now (delay_count)
  int *border_row;         // rows of the level above (border_row_count)
  double *q, *qd;          // with the user's bodies (nq)
  double *b_left, *c_left; // (nu, row_count)
  double *step;            // of stabilization (nu)
  double *c;               // right side of impulses (row_count)
  int has_impulses;        // the current loads are impulses
};

// ---- set-up -------------------------------------------------------------------------------------

// Delayed states are read from a past that holds one moment.
static hn_status make_past(hn_component_run *run) {
  const hn_component_facts *facts = &run->component->facts;
  if (facts->delay_count == 0) return HN_OK;
  run->past = HN_TAKE(&run->arena, hn_past, facts->delay_count);
  if (!run->past) return HN_ERROR_MEMORY;
  for (int k = 0; k < facts->delay_count; k++) {
    run->past[k].is_kept = 1;
    run->elements->flow->history[facts->delay_state[k]] = &run->past[k];
  }
  hn_states_be_late(run->elements, 1);
  return HN_OK;
}

// Laws read signals and states of this run.
static hn_status make_elements(hn_component_run *run, const double gravity[3], hn_error *error) {
  const hn_model *shared = run->component->model, *bound = NULL;
  const int given = shared->input_count;
  run->inputs = HN_TAKE(&run->arena, hn_input_state, given + shared->sensing.count);
  for (int k = 0; run->inputs && k < given; k++) run->inputs[k] = hn_model_input_start(shared, k);
  for (int k = 0; run->inputs && k < shared->sensing.count; k++)
    run->inputs[given + k].rate = shared->sensing.item[k].kind == HN_SENSOR_TIME;
  if (run->arena.failed || hn_model_bind_inputs(&run->arena, shared, run->inputs, &bound) != HN_OK)
    return HN_ERROR_MEMORY;
  run->model = *bound;
  run->model.gravity = vec3(gravity[0], gravity[1], gravity[2]);
  hn_status status = hn_elements_create(&run->arena, &run->model, &run->elements, error);
  if (status == HN_OK) status = make_past(run);
  return status == HN_OK ? hn_guard_list_create(&run->arena, run->elements, &run->conditions)
                         : status;
}

static hn_status make_parts(hn_component_run *run, const unsigned char *connected,
                            hn_error *error) {
  const hn_equations_options options = {.linear_solver = "auto"};
  hn_arena *arena = &run->arena;
  int bodies = run->model.body_count, first = run->component->facts.external_count + 1;
  unsigned char *touched = HN_TAKE(arena, unsigned char, bodies);
  if (arena->failed) return HN_ERROR_MEMORY;
  for (int b = first; b < bodies; b++) touched[b] = connected[b - first];
  hn_status status =
      hn_nested_make(arena, run->elements, &options, 1, touched, &run->equations, error);
  if (status != HN_OK) return status;
  hn_equations *e = run->equations;
  run->data = e->levels;
  run->q = HN_TAKE(arena, double, e->nq);
  run->qd = HN_TAKE(arena, double, e->nq);
  run->b_left = HN_TAKE(arena, double, e->nu);
  run->step = HN_TAKE(arena, double, e->nu);
  run->c_left = HN_TAKE(arena, double, run->data->row_count);
  run->c = HN_TAKE(arena, double, run->data->row_count);
  run->border_row = HN_TAKE(arena, int, run->component->facts.border_row_count);
  int *node = HN_TAKE(arena, int, run->data->row_count),
      *order = HN_TAKE(arena, int, run->data->row_count);
  status = arena->failed ? HN_ERROR_MEMORY : hn_nested_row_nodes(arena, run->elements, node, order);
  int count = 0;
  for (int r = 0; r < run->data->row_count && status == HN_OK; r++)
    if (node[r] == 0) run->border_row[count++] = r;
  if (status == HN_OK) status = hn_snapshot_create(arena, e, &run->snapshot);
  if (status == HN_OK) status = hn_branches_create(arena, run->elements, &run->branches);
  if (status == HN_OK) status = hn_signals_create(arena, run->elements, &run->signals, error);
  return status;
}

void hn_sealed_stop(hn_component_run *run) {
  if (!run) return;
  hn_equations_release(run->equations);
  hn_arena_release(&run->arena);
  hn_release(NULL, run);
}

hn_status hn_sealed_start(const hn_component *component, const unsigned char *connected,
                          const double gravity[3], hn_component_run **out, hn_error *error) {
  hn_component_run *run = hn_allocate(NULL, sizeof *run);
  *out = NULL;
  if (!run) return HN_ERROR_MEMORY;
  memset(run, 0, sizeof *run);
  hn_arena_init(&run->arena, NULL);
  run->component = component;
  hn_status status = make_elements(run, gravity, error);
  if (status == HN_OK) status = make_parts(run, connected, error);
  if (status != HN_OK) {
    hn_sealed_stop(run);
    return status;
  }
  hn_frame *drawn = run->data->frames;
  hn_drawn_frames(&run->model, drawn);
  hn_branches_classify(run->elements, drawn, 0, &run->branches);
  *out = run;
  return HN_OK;
}

// ---- states -------------------------------------------------------------------------------------

static void take_state(hn_component_run *run, const hn_component_state *state) {
  size_t outside = 7 * (size_t)run->component->facts.external_count;
  size_t inside = 7 * (size_t)run->component->facts.body_count;
  if (outside) memcpy(run->q, state->external_q, outside * sizeof(double));
  if (outside) memcpy(run->qd, state->external_qd, outside * sizeof(double));
  memcpy(run->q + outside, state->q, inside * sizeof(double));
  memcpy(run->qd + outside, state->qd, inside * sizeof(double));
  for (int k = 0; k < run->component->facts.given_count; k++) {
    const double *x = &state->given[HN_COMPONENT_GIVEN_NUMBERS * k];
    run->inputs[k] = (hn_input_state){.time = x[0],
                                      .value = x[1],
                                      .rate = x[2],
                                      .acceleration = x[3],
                                      .target = x[4],
                                      .pole = x[5],
                                      .samples = x[6]};
  }
  for (int k = 0; k < run->component->facts.delay_count; k++)
    memcpy(run->past[k].kept, &state->late[4 * k], sizeof run->past[k].kept);
  if (run->elements->turn_count > 0)
    memcpy(run->branches.turns, state->turns, (size_t)run->elements->turn_count * sizeof(double));
}

// ... with what is frozen within a step.
static void take_whole_state(hn_component_run *run, const hn_component_state *state) {
  const hn_component *c = run->component;
  take_state(run, state);
  for (int k = 0; k < c->facts.switch_count; k++)
    run->branches.force[c->switch_force[k]] =
        (hn_branch){state->switches[k].state, state->switches[k].time};
  for (int k = 0; k < c->facts.motion_count; k++)
    run->branches.driver[c->motion_driver[k]] = state->motions[k];
}

// ... and states of laws and elements.
static void take_flow(const hn_component_run *run, const hn_component_state *state) {
  if (run->component->facts.state_count > 0)
    hn_states_follow(run->elements, state->t, state->g, state->z);
}

static void give_rows(const hn_component_run *run, const hn_component_rows *out) {
  const hn_levels *d = run->data;
  int blocks = 0;
  for (int k = 0; k < run->component->facts.border_row_count; k++) {
    int r = run->border_row[k], size = d->rows.row_start[r + 1] - d->rows.row_start[r];
    memcpy(&out->block[6 * blocks], &d->rows.block[6 * d->rows.row_start[r]],
           6 * (size_t)size * sizeof(double));
    blocks += size;
    out->value[k] = d->rows.value[r];
    out->rate[k] = d->rows.rate[r];
    out->tau[k] = d->rows.tau[r];
    out->time_rate[k] = d->rows.time_rate[r];
  }
}

hn_status hn_sealed_turns(hn_component_run *run, int what, const hn_component_state *state,
                          double *turns) {
  hn_equations *e = run->equations;
  const hn_frame *frames = run->data->frames;
  take_state(run, state);
  e->type->coordinates->frames(e, run->q, run->qd, run->data->frames);
  switch ((hn_component_turns)what) {
  case HN_COMPONENT_TURNS_NOW: hn_elements_update_turns(run->elements, frames, turns); break;
  case HN_COMPONENT_TURNS_START: hn_elements_initial_turns(run->elements, frames, turns); break;
  case HN_COMPONENT_ANCHORS_NEW:
    hn_elements_move_anchors(run->elements, frames, state->t, 0, turns);
    break;
  case HN_COMPONENT_ANCHORS_MOVED:
    hn_elements_move_anchors(run->elements, frames, state->t, 1, turns);
    break;
  default: return HN_ERROR_ARGUMENT;
  }
  return HN_OK;
}

hn_status hn_sealed_branches(hn_component_run *run, const hn_component_state *state,
                             hn_component_branch *switches, int *motions) {
  const hn_component *c = run->component;
  hn_equations *e = run->equations;
  take_state(run, state);
  e->type->coordinates->frames(e, run->q, run->qd, run->data->frames);
  for (int k = 0; k < c->facts.switch_count; k++) {
    hn_branch branch = hn_force_branch(run->elements, c->switch_force[k], run->data->frames,
                                       run->branches.turns, state->t);
    switches[k] = (hn_component_branch){branch.state, branch.time};
  }
  for (int k = 0; k < c->facts.motion_count; k++)
    motions[k] = hn_driver_time_branch(run->elements, c->motion_driver[k], state->t);
  return HN_OK;
}

hn_status hn_sealed_next_time(hn_component_run *run, double t, double *next) {
  *next = hn_elements_next_time(run->elements, t);
  return HN_OK;
}

hn_status hn_sealed_step_limit(hn_component_run *run, const hn_component_state *state,
                               double *limit) {
  hn_equations *e = run->equations;
  hn_component_state poses = *state;
  poses.turns = run->branches.turns;
  take_state(run, &poses);
  e->type->coordinates->frames(e, run->q, run->qd, run->data->frames);
  *limit = HUGE_VAL;
  for (int f = 0; f < run->model.force_count; f++)
    *limit = fmin(*limit, hn_force_step_limit(run->elements, f, state->t, run->data->frames));
  return HN_OK;
}

// ---- accelerations ------------------------------------------------------------------------------

static void wrench_to(const hn_wrench *w, double *out) {
  vec3_store(out, w->force);
  vec3_store(out + 3, w->torque);
}

static hn_wrench wrench_from(const double *x) {
  return (hn_wrench){vec3_load(x), vec3_load(x + 3)};
}

hn_status hn_sealed_forces(hn_component_run *run, const hn_component_state *state,
                           double *border_force, double *external_force,
                           hn_component_energy *energy, const hn_component_rows *rows) {
  const hn_component_facts *facts = &run->component->facts;
  hn_equations *e = run->equations;
  hn_snapshot *s = run->snapshot;
  int first = facts->external_count + 1;
  hn_error reason = {0};
  take_whole_state(run, state);
  take_flow(run, state);
  run->has_impulses = 0;
  s->t = state->t;
  e->type->coordinates->frames(e, run->q, run->qd, s->frames);
  for (int b = 0; b < run->model.body_count; b++) s->wrench[b] = (hn_wrench){{0, 0, 0}, {0, 0, 0}};
  for (int b = 0; b < facts->border_count; b++)
    s->wrench[first + facts->border[b]] = wrench_from(&border_force[6 * b]);
  for (int b = 0; b < facts->external_count; b++)
    s->wrench[1 + b] = wrench_from(&external_force[6 * b]);
  s->potential = energy->potential;
  s->power = energy->power;
  hn_nested_evaluate_rows(run->equations, state->t, s->frames, &run->branches);
  hn_status status = hn_apply_elements(e, state->t, &run->branches, s, &reason);
  if (status != HN_OK) return status;
  for (int b = 0; b < facts->external_count; b++)
    wrench_to(&s->wrench[1 + b], &external_force[6 * b]);
  for (int b = 0; b < facts->border_count; b++)
    wrench_to(&s->wrench[first + facts->border[b]], &border_force[6 * b]);
  energy->potential = s->potential;
  energy->power = s->power;
  give_rows(run, rows);
  return HN_OK;
}

hn_status hn_sealed_loads(hn_component_run *run, const double *border_force,
                          hn_component_energy *energy) {
  const hn_component_facts *facts = &run->component->facts;
  hn_snapshot *s = run->snapshot;
  for (int b = 0; b < facts->border_count; b++)
    s->wrench[run->data->first_body + facts->border[b]] = wrench_from(&border_force[6 * b]);
  s->kinetic = energy->kinetic;
  s->potential = energy->potential;
  for (int b = run->data->first_body; b < run->model.body_count; b++)
    hn_nested_body_load(run->equations, b, s);
  energy->kinetic = s->kinetic;
  energy->potential = s->potential;
  return HN_OK;
}

hn_status hn_sealed_factor(hn_component_run *run, int rows, double *root, int width, int *rank) {
  hn_error reason = {0};
  const hn_frame *frames = run->has_impulses ? run->data->frames : run->snapshot->frames;
  hn_status status =
      hn_nested_factor(run->equations, run->q, frames, (hn_hierarchy_rows)rows, &reason);
  if (status != HN_OK) return status;
  const double *own = hn_hierarchy_root(run->data->hierarchy, rank);
  memcpy(root, own, (size_t)width * (size_t)width * sizeof(double));
  return HN_OK;
}

hn_status hn_sealed_forward(hn_component_run *run, int again, double *r) {
  const double *c = run->has_impulses ? run->c : run->data->rows.tau;
  return hn_hierarchy_forward(run->data->hierarchy, again ? run->b_left : run->data->b,
                              again ? run->c_left : c, r);
}

static void give_border(const hn_component_run *run, const double *x, double *border) {
  int count;
  const int *bodies = hn_hierarchy_border(run->data->hierarchy, &count);
  for (int k = 0; k < count; k++)
    memcpy(&border[6 * k], &x[6 * (bodies[k] - 1)], 6 * sizeof(double));
}

hn_status hn_sealed_backward(hn_component_run *run, int again, const double *tau, double *border) {
  hn_levels *d = run->data;
  hn_status status =
      hn_hierarchy_backward(d->hierarchy, again ? run->b_left : d->b, tau, again, d->x, d->y);
  give_border(run, d->x, border);
  return status;
}

hn_status hn_sealed_residual(hn_component_run *run, const double *tau) {
  hn_levels *d = run->data;
  const double *c = run->has_impulses ? run->c : d->rows.tau;
  return hn_hierarchy_residual(d->hierarchy, d->b, c, tau, d->x, d->y, run->b_left, run->c_left);
}

static void report_rows(const hn_component_run *run, hn_component_report *report) {
  const hn_levels *d = run->data;
  const hn_snapshot *s = run->snapshot;
  int next = 0;
  for (int r = 0; r < d->row_count; r++) {
    if (next < run->component->facts.border_row_count && run->border_row[next] == r) {
      next++;
      continue;
    }
    report->position = fmax(report->position, fabs(s->phi[r]));
    report->velocity = fmax(report->velocity, fabs(s->phi_rate[r]));
    report->acceleration = fmax(report->acceleration, fabs(s->phi_acceleration[r]));
  }
  report->dependent = d->dependent;
  report->left_out = run->equations->redundant_count;
}

hn_status hn_sealed_finish(hn_component_run *run, const double *border_lambda,
                           double *accelerations, hn_component_energy *energy, double *outputs,
                           hn_component_report *report) {
  hn_levels *d = run->data;
  hn_snapshot *s = run->snapshot;
  int count = run->component->facts.border_row_count, next = 0;
  // interface constraints belong to the user: their power is counted there
  for (int k = 0; k < count; k++) d->y[run->border_row[k]] = border_lambda[k];
  s->power = energy->power;
  hn_nested_store_accelerations(run->equations, s);
  double before = s->power;
  hn_nested_store_rows(run->equations, s);
  s->power = before;
  for (int r = 0; r < d->row_count; r++) {
    if (next < count && run->border_row[next] == r)
      next++;
    else
      s->power += d->y[r] * d->rows.time_rate[r];
  }
  energy->power = s->power;
  memcpy(accelerations, &d->x[6 * (d->first_body - 1)],
         6 * (size_t)run->component->facts.body_count * sizeof(double));
  report_rows(run, report);
  const hn_signal_source source = {
      .snapshot = s, .branches = &run->branches, .inputs = run->inputs};
  for (int k = 0; k < run->component->facts.output_count; k++)
    outputs[k] = hn_signals_evaluate(run->signals, &source, k);
  return HN_OK;
}

// ---- states of laws and elements ----------------------------------------------------------------

// Signals are sensed where the state is.
static const hn_frame *sense(hn_component_run *run, const hn_component_state *state) {
  hn_equations *e = run->equations;
  take_state(run, state);
  take_flow(run, state);
  e->type->coordinates->frames(e, run->q, run->qd, run->data->frames);
  hn_elements_sense(run->elements, run->data->frames, run->branches.turns);
  return run->data->frames;
}

hn_status hn_sealed_states(hn_component_run *run, const hn_component_state *state, double *z,
                           double *rates) {
  const int count = run->component->facts.state_count;
  hn_status status = HN_OK;
  if (state) {
    for (int k = 0; k < run->component->facts.switch_count; k++)
      run->branches.force[run->component->switch_force[k]] =
          (hn_branch){state->switches[k].state, state->switches[k].time};
    const hn_frame *frames = sense(run, state);
    status = count > 0 ? hn_states_look(run->elements, state->t, frames, run->branches.turns,
                                        run->branches.force)
                       : HN_OK;
  }
  if (status != HN_OK || count == 0) return status;
  memcpy(z, run->elements->flow->value, (size_t)count * sizeof(double));
  hn_states_rates(run->elements, state ? state->t : run->snapshot->t, rates);
  return HN_OK;
}

hn_status hn_sealed_filter(hn_component_run *run, double *x) {
  hn_states_filter(run->elements, x);
  return HN_OK;
}

hn_status hn_sealed_conditions(hn_component_run *run, const hn_component_state *state, int *codes) {
  const hn_frame *frames = sense(run, state);
  for (int k = 0; k < run->conditions.count; k++)
    codes[k] = hn_guard_code(run->elements, &run->conditions.item[k], frames, run->branches.turns,
                             state->t);
  return HN_OK;
}

hn_status hn_sealed_samples(hn_component_run *run, const hn_component_state *state, double *z) {
  const hn_component_facts *facts = &run->component->facts;
  (void)sense(run, state);
  for (int k = 0; k < facts->state_count; k++)
    z[k] = facts->state_every[k] > 0 && facts->state_follows[k] < 0
               ? hn_states_sample(run->elements, k, state->t)
               : state->z[k];
  return HN_OK;
}

hn_status hn_sealed_rules(hn_component_run *run, const hn_component_state *state, double *held,
                          double *z, int *changed) {
  int failed;
  (void)sense(run, state);
  *changed = hn_states_take_rules(run->elements, state->t, held, z, &failed);
  return failed < 0 ? HN_OK : HN_ERROR_NOT_FINITE;
}

hn_status hn_sealed_delayed(hn_component_run *run, const hn_component_state *state,
                            double *signals) {
  const hn_component_facts *facts = &run->component->facts;
  (void)sense(run, state);
  for (int k = 0; k < facts->delay_count; k++)
    signals[k] =
        hn_law_evaluate(run->model.states[facts->delay_state[k]].delayed, -1, state->t).value;
  return HN_OK;
}

// ---- stabilization ------------------------------------------------------------------------------

hn_status hn_sealed_gaps(hn_component_run *run, const hn_component_state *state, int rates,
                         const hn_component_rows *rows, double *largest) {
  hn_levels *d = run->data;
  hn_equations *e = run->equations;
  take_whole_state(run, state);
  run->has_impulses = 0;
  e->type->coordinates->frames(e, run->q, run->qd, d->frames);
  hn_nested_evaluate_rows(run->equations, state->t, d->frames, &run->branches);
  const double *gaps = rates ? d->rows.rate : d->rows.value;
  memcpy(d->g, gaps, (size_t)d->row_count * sizeof(double));
  *largest = hn_largest(gaps, d->row_count);
  give_rows(run, rows);
  return HN_OK;
}

hn_status hn_sealed_stabilize_factor(hn_component_run *run, double tolerance, double *u) {
  hn_levels *d = run->data;
  hn_status status = hn_hierarchy_stabilize_factor(d->hierarchy, d->rows.block, tolerance);
  hn_hierarchy_stabilize_root(d->hierarchy, u);
  return status;
}

hn_status hn_sealed_stabilize_forward(hn_component_run *run, double *c) {
  return hn_hierarchy_stabilize_forward(run->data->hierarchy, run->data->g, c);
}

hn_status hn_sealed_stabilize_backward(hn_component_run *run, const double *z, double *border) {
  hn_status status = hn_hierarchy_stabilize_backward(run->data->hierarchy, z, run->step);
  give_border(run, run->step, border);
  return status;
}

hn_status hn_sealed_increments(hn_component_run *run, int left, double *x) {
  hn_levels *d = run->data;
  const double *increments = run->has_impulses ? d->x : run->step;
  if (left && !run->has_impulses) hn_nested_add_products(d, 0, d->row_count, run->step, d->g);
  memcpy(x, &increments[6 * (d->first_body - 1)],
         6 * (size_t)run->component->facts.body_count * sizeof(double));
  return HN_OK;
}

// ---- velocities at the start, kept states -------------------------------------------------------

hn_status hn_sealed_impulses(hn_component_run *run, const double *border, double share) {
  const hn_component_facts *facts = &run->component->facts;
  hn_levels *d = run->data;
  run->has_impulses = 1;
  memset(d->b, 0, (size_t)run->equations->nu * sizeof(double));
  for (int k = 0; k < facts->border_count; k++)
    memcpy(&d->b[6 * (facts->external_count + facts->border[k])], &border[6 * k],
           6 * sizeof(double));
  for (int r = 0; r < d->row_count; r++) run->c[r] = -share * d->rows.rate[r];
  return HN_OK;
}

size_t hn_sealed_save_size(const hn_component_run *run) { return (size_t)run->data->row_count; }

hn_status hn_sealed_save(const hn_component_run *run, void *buffer) {
  memcpy(buffer, run->data->left_out, hn_sealed_save_size(run));
  return HN_OK;
}

hn_status hn_sealed_restore(hn_component_run *run, const void *buffer) {
  const unsigned char *marks = buffer; // from a file, or from afar: 0 or 1 each
  for (size_t k = 0; k < hn_sealed_save_size(run); k++)
    if (marks[k] > 1) return HN_ERROR_ARGUMENT;
  memcpy(run->data->left_out, buffer, hn_sealed_save_size(run));
  run->data->is_factored = 0;
  return HN_OK;
}

const hn_component_facts *hn_sealed_facts(const hn_component *component) {
  return &component->facts;
}

unsigned long long hn_sealed_hash(const hn_component *component) { return component->checksum; }
