// A sealed component that another process runs, at work: the passes of holon/component.h as requests.
#include <string.h>

#include "components/served_private.h"

static hn_served_run *run_of(const hn_component_run *run) { return (hn_served_run *)run; }

static hn_status ask_plainly(hn_served_run *run) { return hn_served_ask_for(run, NULL, 0); }

// ---- states -------------------------------------------------------------------------------------

static void put_poses(hn_served_run *run, const hn_component_state *state) {
  const hn_component_facts *f = &run->part->facts;
  hn_wire_numbers(&run->request, &state->t, 1);
  hn_wire_numbers(&run->request, state->q, 7 * f->body_count);
  hn_wire_numbers(&run->request, state->qd, 7 * f->body_count);
  hn_wire_numbers(&run->request, state->external_q, 7 * f->external_count);
  hn_wire_numbers(&run->request, state->external_qd, 7 * f->external_count);
  hn_wire_numbers(&run->request, &state->g, 1);
  hn_wire_numbers(&run->request, state->z, f->state_count);
  hn_wire_numbers(&run->request, state->late, 4 * f->delay_count);
  hn_wire_numbers(&run->request, state->given, HN_COMPONENT_GIVEN_NUMBERS * f->given_count);
}

static void put_turns(hn_served_run *run, const hn_component_state *state) {
  hn_wire_numbers(&run->request, state->turns, run->part->facts.turn_count);
}

static void put_switches(hn_served_run *run, const hn_component_state *state) {
  for (int k = 0; k < run->part->facts.switch_count; k++) {
    hn_wire_int(&run->request, state->switches[k].state);
    hn_wire_int(&run->request, state->switches[k].time);
  }
}

static void put_state(hn_served_run *run, const hn_component_state *state) {
  const hn_component_facts *f = &run->part->facts;
  put_poses(run, state);
  put_turns(run, state);
  put_switches(run, state);
  for (int k = 0; k < f->motion_count; k++) hn_wire_int(&run->request, state->motions[k]);
}

static hn_status get_rows(hn_served_run *run, const hn_component_rows *rows) {
  const hn_component_facts *f = &run->part->facts;
  int n = f->border_row_count;
  hn_wire_get_numbers(&run->reply, rows->block, 6 * f->border_row_start[n]);
  hn_wire_get_numbers(&run->reply, rows->value, n);
  hn_wire_get_numbers(&run->reply, rows->rate, n);
  hn_wire_get_numbers(&run->reply, rows->tau, n);
  hn_wire_get_numbers(&run->reply, rows->time_rate, n);
  return hn_served_ended(run);
}

static void put_energy(hn_served_run *run, const hn_component_energy *energy) {
  const double values[3] = {energy->kinetic, energy->potential, energy->power};
  hn_wire_numbers(&run->request, values, 3);
}

static void get_energy(hn_served_run *run, hn_component_energy *energy) {
  double values[3];
  hn_wire_get_numbers(&run->reply, values, 3);
  *energy = (hn_component_energy){values[0], values[1], values[2]};
}

static hn_status served_turns(hn_component_run *handle, int what, const hn_component_state *state,
                              double *turns) {
  hn_served_run *run = run_of(handle);
  hn_served_begin(&run->request, HN_SERVED_TURNS, run->id);
  put_poses(run, state);
  put_turns(run, state);
  hn_wire_int(&run->request, what);
  return hn_served_ask_for(run, turns, run->part->facts.turn_count);
}

static hn_status served_branches(hn_component_run *handle, const hn_component_state *state,
                                 hn_component_branch *switches, int *motions) {
  hn_served_run *run = run_of(handle);
  const hn_component_facts *f = &run->part->facts;
  hn_served_begin(&run->request, HN_SERVED_BRANCHES, run->id);
  put_poses(run, state);
  put_turns(run, state);
  hn_status status = hn_served_ask(run);
  if (status != HN_OK) return status;
  for (int k = 0; k < f->switch_count; k++) {
    switches[k].state = hn_wire_get_int(&run->reply);
    switches[k].time = hn_wire_get_int(&run->reply);
  }
  for (int k = 0; k < f->motion_count; k++) motions[k] = hn_wire_get_int(&run->reply);
  return hn_served_ended(run);
}

static hn_status served_next_time(hn_component_run *handle, double t, double *next) {
  hn_served_run *run = run_of(handle);
  hn_served_begin(&run->request, HN_SERVED_NEXT_TIME, run->id);
  hn_wire_numbers(&run->request, &t, 1);
  return hn_served_ask_for(run, next, 1);
}

static hn_status served_step_limit(hn_component_run *handle, const hn_component_state *state,
                                   double *limit) {
  hn_served_run *run = run_of(handle);
  hn_served_begin(&run->request, HN_SERVED_STEP_LIMIT, run->id);
  put_poses(run, state);
  return hn_served_ask_for(run, limit, 1);
}

// ---- accelerations ------------------------------------------------------------------------------

static hn_status served_forces(hn_component_run *handle, const hn_component_state *state,
                               double *border_force, double *external_force,
                               hn_component_energy *energy, const hn_component_rows *rows) {
  hn_served_run *run = run_of(handle);
  const hn_component_facts *f = &run->part->facts;
  hn_served_begin(&run->request, HN_SERVED_FORCES, run->id);
  put_state(run, state);
  hn_wire_numbers(&run->request, border_force, 6 * f->border_count);
  hn_wire_numbers(&run->request, external_force, 6 * f->external_count);
  put_energy(run, energy);
  hn_status status = hn_served_ask(run);
  if (status != HN_OK) return status;
  hn_wire_get_numbers(&run->reply, border_force, 6 * f->border_count);
  hn_wire_get_numbers(&run->reply, external_force, 6 * f->external_count);
  get_energy(run, energy);
  return get_rows(run, rows);
}

static hn_status served_loads(hn_component_run *handle, const double *border_force,
                              hn_component_energy *energy) {
  hn_served_run *run = run_of(handle);
  hn_served_begin(&run->request, HN_SERVED_LOADS, run->id);
  hn_wire_numbers(&run->request, border_force, 6 * run->part->facts.border_count);
  put_energy(run, energy);
  hn_status status = hn_served_ask(run);
  if (status != HN_OK) return status;
  get_energy(run, energy);
  return hn_served_ended(run);
}

static hn_status served_factor(hn_component_run *handle, int rows, double *root, int width,
                               int *rank) {
  hn_served_run *run = run_of(handle);
  if (width != 6 * run->connected) return HN_ERROR_ARGUMENT;
  hn_served_begin(&run->request, HN_SERVED_FACTOR, run->id);
  hn_wire_int(&run->request, rows);
  hn_status status = hn_served_ask(run);
  if (status != HN_OK) return status;
  *rank = hn_wire_get_int(&run->reply);
  hn_wire_get_numbers(&run->reply, root, width * width);
  return hn_served_ended(run);
}

static hn_status served_forward(hn_component_run *handle, int again, double *r) {
  hn_served_run *run = run_of(handle);
  hn_served_begin(&run->request, HN_SERVED_FORWARD, run->id);
  hn_wire_int(&run->request, again);
  return hn_served_ask_for(run, r, 6 * run->connected);
}

static hn_status served_backward(hn_component_run *handle, int again, const double *tau,
                                 double *border) {
  hn_served_run *run = run_of(handle);
  hn_served_begin(&run->request, HN_SERVED_BACKWARD, run->id);
  hn_wire_int(&run->request, again);
  hn_wire_numbers(&run->request, tau, 6 * run->connected);
  return hn_served_ask_for(run, border, 6 * run->connected);
}

static hn_status served_residual(hn_component_run *handle, const double *tau) {
  hn_served_run *run = run_of(handle);
  hn_served_begin(&run->request, HN_SERVED_RESIDUAL, run->id);
  hn_wire_numbers(&run->request, tau, 6 * run->connected);
  return ask_plainly(run);
}

static hn_status served_finish(hn_component_run *handle, const double *border_lambda,
                               double *accelerations, hn_component_energy *energy, double *outputs,
                               hn_component_report *report) {
  hn_served_run *run = run_of(handle);
  const hn_component_facts *f = &run->part->facts;
  double worst[3];
  hn_served_begin(&run->request, HN_SERVED_FINISH, run->id);
  hn_wire_numbers(&run->request, border_lambda, f->border_row_count);
  put_energy(run, energy);
  hn_status status = hn_served_ask(run);
  if (status != HN_OK) return status;
  hn_wire_get_numbers(&run->reply, accelerations, 6 * f->body_count);
  get_energy(run, energy);
  hn_wire_get_numbers(&run->reply, outputs, f->output_count);
  hn_wire_get_numbers(&run->reply, worst, 3);
  *report = (hn_component_report){worst[0], worst[1], worst[2], 0, 0};
  report->dependent = hn_wire_get_int(&run->reply);
  report->left_out = hn_wire_get_int(&run->reply);
  return hn_served_ended(run);
}

// ---- states of laws and elements ----------------------------------------------------------------

static hn_status served_states(hn_component_run *handle, const hn_component_state *state, double *z,
                               double *rates) {
  hn_served_run *run = run_of(handle);
  const int count = run->part->facts.state_count;
  hn_served_begin(&run->request, HN_SERVED_STATES, run->id);
  hn_wire_int(&run->request, state != NULL);
  if (state) {
    put_poses(run, state);
    put_turns(run, state);
    put_switches(run, state);
  }
  hn_status status = hn_served_ask(run);
  if (status != HN_OK) return status;
  hn_wire_get_numbers(&run->reply, z, count);
  hn_wire_get_numbers(&run->reply, rates, count);
  return hn_served_ended(run);
}

static hn_status served_filter(hn_component_run *handle, double *x) {
  hn_served_run *run = run_of(handle);
  hn_served_begin(&run->request, HN_SERVED_FILTER, run->id);
  hn_wire_numbers(&run->request, x, run->part->facts.state_count);
  return hn_served_ask_for(run, x, run->part->facts.state_count);
}

// Sends the state at which signals are evaluated.
static void ask_where(hn_served_run *run, hn_served_operation operation,
                      const hn_component_state *state) {
  hn_served_begin(&run->request, operation, run->id);
  put_poses(run, state);
  put_turns(run, state);
}

static hn_status served_conditions(hn_component_run *handle, const hn_component_state *state,
                                   int *codes) {
  hn_served_run *run = run_of(handle);
  ask_where(run, HN_SERVED_CONDITIONS, state);
  hn_status status = hn_served_ask(run);
  if (status != HN_OK) return status;
  for (int k = 0; k < run->part->facts.condition_count; k++)
    codes[k] = hn_wire_get_int(&run->reply);
  return hn_served_ended(run);
}

static hn_status served_samples(hn_component_run *handle, const hn_component_state *state,
                                double *z) {
  hn_served_run *run = run_of(handle);
  ask_where(run, HN_SERVED_SAMPLES, state);
  return hn_served_ask_for(run, z, run->part->facts.state_count);
}

static hn_status remote_delayed(hn_component_run *handle, const hn_component_state *state,
                                double *signals) {
  hn_served_run *run = run_of(handle);
  hn_served_begin(&run->request, HN_SERVED_DELAYED, run->id);
  put_poses(run, state);
  put_turns(run, state);
  return hn_served_ask_for(run, signals, run->part->facts.delay_count);
}

static hn_status served_rules(hn_component_run *handle, const hn_component_state *state,
                              double *held, double *z, int *changed) {
  hn_served_run *run = run_of(handle);
  const int count = run->part->facts.state_count;
  ask_where(run, HN_SERVED_RULES, state);
  hn_wire_numbers(&run->request, held, count);
  hn_wire_numbers(&run->request, z, count);
  hn_status status = hn_served_ask(run);
  if (status != HN_OK) return status;
  hn_wire_get_numbers(&run->reply, held, count);
  hn_wire_get_numbers(&run->reply, z, count);
  *changed = hn_wire_get_int(&run->reply) != 0;
  return hn_served_ended(run);
}

// ---- stabilization ------------------------------------------------------------------------------

static hn_status served_gaps(hn_component_run *handle, const hn_component_state *state, int rates,
                             const hn_component_rows *rows, double *largest) {
  hn_served_run *run = run_of(handle);
  hn_served_begin(&run->request, HN_SERVED_GAPS, run->id);
  put_state(run, state);
  hn_wire_int(&run->request, rates);
  hn_status status = hn_served_ask(run);
  if (status != HN_OK) return status;
  hn_wire_get_numbers(&run->reply, largest, 1);
  return get_rows(run, rows);
}

static hn_status served_stabilize_factor(hn_component_run *handle, double tolerance, double *u) {
  hn_served_run *run = run_of(handle);
  int n = 6 * run->connected;
  hn_served_begin(&run->request, HN_SERVED_STABILIZE_FACTOR, run->id);
  hn_wire_numbers(&run->request, &tolerance, 1);
  return hn_served_ask_for(run, u, n * n);
}

static hn_status served_stabilize_forward(hn_component_run *handle, double *c) {
  hn_served_run *run = run_of(handle);
  hn_served_begin(&run->request, HN_SERVED_STABILIZE_FORWARD, run->id);
  return hn_served_ask_for(run, c, 6 * run->connected);
}

static hn_status served_stabilize_backward(hn_component_run *handle, const double *z,
                                           double *border) {
  hn_served_run *run = run_of(handle);
  hn_served_begin(&run->request, HN_SERVED_STABILIZE_BACKWARD, run->id);
  hn_wire_numbers(&run->request, z, 6 * run->connected);
  return hn_served_ask_for(run, border, 6 * run->connected);
}

static hn_status served_increments(hn_component_run *handle, int left, double *x) {
  hn_served_run *run = run_of(handle);
  hn_served_begin(&run->request, HN_SERVED_INCREMENTS, run->id);
  hn_wire_int(&run->request, left);
  return hn_served_ask_for(run, x, 6 * run->part->facts.body_count);
}

static hn_status served_impulses(hn_component_run *handle, const double *border, double share) {
  hn_served_run *run = run_of(handle);
  hn_served_begin(&run->request, HN_SERVED_IMPULSES, run->id);
  hn_wire_numbers(&run->request, border, 6 * run->part->facts.border_count);
  hn_wire_numbers(&run->request, &share, 1);
  return ask_plainly(run);
}

// ---- kept states --------------------------------------------------------------------------------

static size_t served_save_size(const hn_component_run *run) { return run_of(run)->save_size; }

static hn_status served_save(const hn_component_run *handle, void *buffer) {
  hn_served_run *run = run_of(handle);
  memset(buffer, 0, run->save_size);
  hn_served_begin(&run->request, HN_SERVED_SAVE, run->id);
  hn_status status = hn_served_ask(run);
  if (status != HN_OK) return status;
  hn_wire_get_bytes(&run->reply, buffer, run->save_size);
  return hn_served_ended(run);
}

static hn_status served_restore(hn_component_run *handle, const void *buffer) {
  hn_served_run *run = run_of(handle);
  hn_served_begin(&run->request, HN_SERVED_RESTORE, run->id);
  hn_wire_bytes(&run->request, buffer, run->save_size);
  return ask_plainly(run);
}

const hn_component_api *hn_served_api(void) {
  static const hn_component_api api = {
      .abi = HN_COMPONENT_ABI,
      .size = (unsigned)sizeof(hn_component_api),
      .holon = "served",
      .create = hn_served_create_alone,
      .destroy = hn_served_destroy,
      .facts = hn_served_facts,
      .start = hn_served_start,
      .stop = hn_served_stop,
      .turns = served_turns,
      .branches = served_branches,
      .next_time = served_next_time,
      .step_limit = served_step_limit,
      .forces = served_forces,
      .loads = served_loads,
      .factor = served_factor,
      .forward = served_forward,
      .backward = served_backward,
      .residual = served_residual,
      .finish = served_finish,
      .states = served_states,
      .filter = served_filter,
      .conditions = served_conditions,
      .samples = served_samples,
      .rules = served_rules,
      .delayed = remote_delayed,
      .gaps = served_gaps,
      .stabilize_factor = served_stabilize_factor,
      .stabilize_forward = served_stabilize_forward,
      .stabilize_backward = served_stabilize_backward,
      .increments = served_increments,
      .impulses = served_impulses,
      .save_size = served_save_size,
      .save = served_save,
      .restore = served_restore,
      .hash = hn_served_hash,
  };
  return &api;
}
