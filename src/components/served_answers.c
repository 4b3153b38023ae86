// Answers of a remote component while it runs: requests are read to their end before anything is
// done, then the function of holon/component.h is called on the run.
#include "components/served_server.h"
#include "elements/elements.h"

// ---- answers ------------------------------------------------------------------------------------

hn_wire *hn_server_begin(hn_component_server *s, hn_status status) {
  s->answer.size = 0;
  s->answer.failed = 0;
  hn_wire_word(&s->answer, HN_SERVED_MARK);
  hn_wire_int(&s->answer, (int)status);
  return &s->answer;
}

void hn_server_refuse(hn_component_server *s, hn_status status, const hn_error *error) {
  hn_wire *w = hn_server_begin(s, status);
  hn_wire_string(w, error ? error->message : "");
  hn_wire_string(w, error ? error->hint : "");
}

static void say(hn_component_server *s, hn_status status, const double *values, int count) {
  if (status != HN_OK)
    hn_server_refuse(s, status, NULL);
  else
    hn_wire_numbers(hn_server_begin(s, status), values, count);
}

// ---- states -------------------------------------------------------------------------------------

static hn_component_state get_poses(hn_server_run *run, hn_wire *w) {
  const hn_component_facts *f = run->part->facts;
  hn_component_state state = {.q = run->q,
                              .qd = run->qd,
                              .external_q = run->external_q,
                              .external_qd = run->external_qd,
                              .turns = run->turns,
                              .switches = run->switches,
                              .motions = run->motions,
                              .z = run->z,
                              .late = run->late,
                              .given = run->given};
  hn_wire_get_numbers(w, &state.t, 1);
  hn_wire_get_numbers(w, run->q, 7 * f->body_count);
  hn_wire_get_numbers(w, run->qd, 7 * f->body_count);
  hn_wire_get_numbers(w, run->external_q, 7 * f->external_count);
  hn_wire_get_numbers(w, run->external_qd, 7 * f->external_count);
  hn_wire_get_numbers(w, &state.g, 1);
  hn_wire_get_numbers(w, run->z, f->state_count);
  hn_wire_get_numbers(w, run->late, 4 * f->delay_count);
  hn_wire_get_numbers(w, run->given, HN_COMPONENT_GIVEN_NUMBERS * f->given_count);
  return state;
}

static void get_turns(hn_server_run *run, hn_wire *w) {
  hn_wire_get_numbers(w, run->turns, run->part->facts->turn_count);
}

// No number of a branch is below HN_BRANCH_FREE; too large ones are clamped by the code that uses
// them.
static int get_branch(hn_wire *w) {
  int branch = hn_wire_get_int(w);
  if (branch < HN_BRANCH_FREE) w->failed = 1;
  return branch;
}

static void get_switches(hn_server_run *run, hn_wire *w) {
  for (int k = 0; k < run->part->facts->switch_count; k++) {
    run->switches[k].state = get_branch(w);
    run->switches[k].time = get_branch(w);
  }
}

static hn_component_state get_state(hn_server_run *run, hn_wire *w) {
  const hn_component_facts *f = run->part->facts;
  hn_component_state state = get_poses(run, w);
  get_turns(run, w);
  get_switches(run, w);
  for (int k = 0; k < f->motion_count; k++) run->motions[k] = get_branch(w);
  return state;
}

static hn_component_energy get_energy(hn_wire *w) {
  double values[3];
  hn_wire_get_numbers(w, values, 3);
  return (hn_component_energy){values[0], values[1], values[2]};
}

static void put_energy(hn_wire *w, const hn_component_energy *energy) {
  const double values[3] = {energy->kinetic, energy->potential, energy->power};
  hn_wire_numbers(w, values, 3);
}

static void put_rows(hn_wire *w, const hn_server_run *run) {
  const hn_component_facts *f = run->part->facts;
  int n = f->border_row_count;
  hn_wire_numbers(w, run->rows.block, 6 * f->border_row_start[n]);
  hn_wire_numbers(w, run->rows.value, n);
  hn_wire_numbers(w, run->rows.rate, n);
  hn_wire_numbers(w, run->rows.tau, n);
  hn_wire_numbers(w, run->rows.time_rate, n);
}

// ---- one function each --------------------------------------------------------------------------
// Nothing is run before the request was read to its end.

static void turns(hn_component_server *s, hn_server_run *run, hn_wire *w) {
  hn_component_state state = get_poses(run, w);
  get_turns(run, w);
  int what = hn_wire_get_int(w);
  hn_status status =
      hn_wire_is_done(w) ? s->api->turns(run->run, what, &state, run->turns) : HN_ERROR_ARGUMENT;
  say(s, status, run->turns, run->part->facts->turn_count);
}

static void branches(hn_component_server *s, hn_server_run *run, hn_wire *w) {
  const hn_component_facts *f = run->part->facts;
  hn_component_state state = get_poses(run, w);
  get_turns(run, w);
  hn_status status = hn_wire_is_done(w)
                         ? s->api->branches(run->run, &state, run->switches, run->motions)
                         : HN_ERROR_ARGUMENT;
  if (status != HN_OK) {
    hn_server_refuse(s, status, NULL);
    return;
  }
  hn_wire *out = hn_server_begin(s, HN_OK);
  for (int k = 0; k < f->switch_count; k++) {
    hn_wire_int(out, run->switches[k].state);
    hn_wire_int(out, run->switches[k].time);
  }
  for (int k = 0; k < f->motion_count; k++) hn_wire_int(out, run->motions[k]);
}

static void forces(hn_component_server *s, hn_server_run *run, hn_wire *w) {
  const hn_component_facts *f = run->part->facts;
  hn_component_state state = get_state(run, w);
  hn_wire_get_numbers(w, run->border_force, 6 * f->border_count);
  hn_wire_get_numbers(w, run->external_force, 6 * f->external_count);
  hn_component_energy energy = get_energy(w);
  hn_status status = hn_wire_is_done(w) ? s->api->forces(run->run, &state, run->border_force,
                                                         run->external_force, &energy, &run->rows)
                                        : HN_ERROR_ARGUMENT;
  if (status != HN_OK) {
    hn_server_refuse(s, status, NULL);
    return;
  }
  run->has_forces = run->has_rows = 1;
  hn_wire *out = hn_server_begin(s, HN_OK);
  hn_wire_numbers(out, run->border_force, 6 * f->border_count);
  hn_wire_numbers(out, run->external_force, 6 * f->external_count);
  put_energy(out, &energy);
  put_rows(out, run);
}

static void finish(hn_component_server *s, hn_server_run *run, hn_wire *w) {
  const hn_component_facts *f = run->part->facts;
  hn_component_report report = {0};
  hn_wire_get_numbers(w, run->lambda, f->border_row_count);
  hn_component_energy energy = get_energy(w);
  hn_status status = hn_wire_is_done(w) ? s->api->finish(run->run, run->lambda, run->bodies,
                                                         &energy, run->outputs, &report)
                                        : HN_ERROR_ARGUMENT;
  if (status != HN_OK) {
    hn_server_refuse(s, status, NULL);
    return;
  }
  const double worst[3] = {report.position, report.velocity, report.acceleration};
  hn_wire *out = hn_server_begin(s, HN_OK);
  hn_wire_numbers(out, run->bodies, 6 * f->body_count);
  put_energy(out, &energy);
  hn_wire_numbers(out, run->outputs, f->output_count);
  hn_wire_numbers(out, worst, 3);
  hn_wire_int(out, report.dependent);
  hn_wire_int(out, report.left_out);
}

static void gaps(hn_component_server *s, hn_server_run *run, hn_wire *w) {
  double largest = 0;
  hn_component_state state = get_state(run, w);
  int rates = hn_wire_get_int(w);
  hn_status status = hn_wire_is_done(w)
                         ? s->api->gaps(run->run, &state, rates, &run->rows, &largest)
                         : HN_ERROR_ARGUMENT;
  say(s, status, &largest, 1);
  if (status != HN_OK) return;
  run->has_rows = 1;
  put_rows(&s->answer, run);
}

static void loads(hn_component_server *s, hn_server_run *run, hn_wire *w) {
  hn_wire_get_numbers(w, run->border_force, 6 * run->part->facts->border_count);
  hn_component_energy energy = get_energy(w);
  hn_status status =
      hn_wire_is_done(w) ? s->api->loads(run->run, run->border_force, &energy) : HN_ERROR_ARGUMENT;
  const double values[3] = {energy.kinetic, energy.potential, energy.power};
  say(s, status, values, 3);
}

static void factor(hn_component_server *s, hn_server_run *run, hn_wire *w) {
  int rows = hn_wire_get_int(w), rank = 0, n = 6 * run->connected;
  int is_known = rows >= 0 && rows <= 2 && hn_wire_is_done(w);
  hn_status status =
      is_known ? s->api->factor(run->run, rows, run->square, n, &rank) : HN_ERROR_ARGUMENT;
  if (is_known) run->is_factored = status == HN_OK;
  if (status != HN_OK) {
    hn_server_refuse(s, status, NULL);
    return;
  }
  hn_wire *out = hn_server_begin(s, HN_OK);
  hn_wire_int(out, rank);
  hn_wire_numbers(out, run->square, n * n);
}

static void border_pass(hn_component_server *s, hn_server_run *run, hn_served_operation operation,
                        hn_wire *w) {
  int n = 6 * run->connected, again = 0, is_up = operation == HN_SERVED_STABILIZE_FORWARD;
  if (operation == HN_SERVED_FORWARD || operation == HN_SERVED_BACKWARD)
    again = hn_wire_get_int(w) != 0;
  if (operation != HN_SERVED_FORWARD && !is_up) hn_wire_get_numbers(w, run->border_in, n);
  hn_status status = hn_wire_is_done(w) ? HN_OK : HN_ERROR_ARGUMENT;
  const hn_component_api *api = s->api;
  if (status == HN_OK && operation == HN_SERVED_FORWARD)
    status = api->forward(run->run, again, run->border_out);
  else if (status == HN_OK && operation == HN_SERVED_BACKWARD)
    status = api->backward(run->run, again, run->border_in, run->border_out);
  else if (status == HN_OK && operation == HN_SERVED_RESIDUAL)
    status = api->residual(run->run, run->border_in);
  else if (status == HN_OK && is_up)
    status = api->stabilize_forward(run->run, run->border_out);
  else if (status == HN_OK)
    status = api->stabilize_backward(run->run, run->border_in, run->border_out);
  say(s, status, run->border_out, operation == HN_SERVED_RESIDUAL ? 0 : n);
}

// States of laws and elements: at a state, or as forces found them.
static void states(hn_component_server *s, hn_server_run *run, hn_wire *w) {
  const int is_there = hn_wire_get_int(w) != 0, count = run->part->facts->state_count;
  hn_component_state state = {0};
  if (is_there) {
    state = get_poses(run, w);
    get_turns(run, w);
    get_switches(run, w);
  }
  const int is_known = hn_wire_is_done(w) && (is_there || run->has_forces);
  hn_status status = is_known ? s->api->states(run->run, is_there ? &state : NULL, run->next_z,
                                               run->next_z + count)
                              : HN_ERROR_ARGUMENT;
  if (status == HN_OK) run->has_states = 1;
  say(s, status, run->next_z, 2 * count);
}

static void filter(hn_component_server *s, hn_server_run *run, hn_wire *w) {
  const int count = run->part->facts->state_count;
  hn_wire_get_numbers(w, run->next_z, count);
  hn_status status = hn_wire_is_done(w) ? s->api->filter(run->run, run->next_z) : HN_ERROR_ARGUMENT;
  say(s, status, run->next_z, count);
}

static void delayed(hn_component_server *s, hn_server_run *run, hn_wire *w) {
  hn_component_state state = get_poses(run, w);
  get_turns(run, w);
  hn_status status =
      hn_wire_is_done(w) ? s->api->delayed(run->run, &state, run->delayed) : HN_ERROR_ARGUMENT;
  say(s, status, run->delayed, run->part->facts->delay_count);
}

// Signals at a state: conditions, samples, rules.
static void look(hn_component_server *s, hn_server_run *run, hn_served_operation operation,
                 hn_wire *w) {
  const hn_component_facts *f = run->part->facts;
  const int count = f->state_count;
  double *held = run->next_z + count;
  int changed = 0;
  hn_component_state state = get_poses(run, w);
  get_turns(run, w);
  if (operation == HN_SERVED_RULES) {
    hn_wire_get_numbers(w, held, count);
    hn_wire_get_numbers(w, run->next_z, count);
    for (int k = 0; k < count; k++) // bits of at most thirty rules
      if (!(held[k] >= 0 && held[k] < 2147483648.0)) w->failed = 1;
  }
  hn_status status = hn_wire_is_done(w) ? HN_OK : HN_ERROR_ARGUMENT;
  if (status == HN_OK && operation == HN_SERVED_CONDITIONS)
    status = s->api->conditions(run->run, &state, run->codes);
  else if (status == HN_OK && operation == HN_SERVED_SAMPLES)
    status = s->api->samples(run->run, &state, run->next_z);
  else if (status == HN_OK)
    status = s->api->rules(run->run, &state, held, run->next_z, &changed);
  if (operation == HN_SERVED_RULES) say(s, status, held, count);
  if (operation == HN_SERVED_SAMPLES) say(s, status, run->next_z, count);
  if (operation == HN_SERVED_CONDITIONS) say(s, status, NULL, 0);
  if (status != HN_OK) return;
  for (int k = 0; operation == HN_SERVED_CONDITIONS && k < f->condition_count; k++)
    hn_wire_int(&s->answer, run->codes[k]);
  if (operation != HN_SERVED_RULES) return;
  hn_wire_numbers(&s->answer, run->next_z, count);
  hn_wire_int(&s->answer, changed);
}

static void small_call(hn_component_server *s, hn_server_run *run, hn_served_operation operation,
                       hn_wire *w) {
  const hn_component_facts *f = run->part->facts;
  const hn_component_api *api = s->api;
  double value = 0, given = 0;
  int left = 0, n = 6 * run->connected;
  hn_component_state state = {0};
  if (operation == HN_SERVED_STEP_LIMIT) state = get_poses(run, w);
  if (operation == HN_SERVED_INCREMENTS) left = hn_wire_get_int(w) != 0;
  if (operation == HN_SERVED_IMPULSES)
    hn_wire_get_numbers(w, run->border_force, 6 * f->border_count);
  if (operation == HN_SERVED_NEXT_TIME || operation == HN_SERVED_STABILIZE_FACTOR ||
      operation == HN_SERVED_IMPULSES)
    hn_wire_get_numbers(w, &given, 1);
  if (operation == HN_SERVED_RESTORE) hn_wire_get_bytes(w, run->saved, run->save_size);
  if (!hn_wire_is_done(w)) {
    hn_server_refuse(s, HN_ERROR_ARGUMENT, NULL);
  } else if (operation == HN_SERVED_NEXT_TIME) {
    hn_status status = api->next_time(run->run, given, &value);
    say(s, status, &value, 1);
  } else if (operation == HN_SERVED_STEP_LIMIT) {
    hn_status status = api->step_limit(run->run, &state, &value);
    say(s, status, &value, 1);
  } else if (operation == HN_SERVED_STABILIZE_FACTOR) {
    hn_status status = api->stabilize_factor(run->run, given, run->square);
    run->is_stabilized = status == HN_OK;
    say(s, status, run->square, n * n);
  } else if (operation == HN_SERVED_INCREMENTS) {
    hn_status status = api->increments(run->run, left, run->bodies);
    say(s, status, run->bodies, 6 * f->body_count);
  } else if (operation == HN_SERVED_IMPULSES) {
    say(s, api->impulses(run->run, run->border_force, given), NULL, 0);
  } else if (operation == HN_SERVED_RESTORE) {
    say(s, api->restore(run->run, run->saved), NULL, 0);
  } else {
    hn_status status = api->save(run->run, run->saved);
    say(s, status, NULL, 0);
    if (status == HN_OK) hn_wire_bytes(&s->answer, run->saved, run->save_size);
  }
}

// Whether what an operation goes by is there: the order of holon/component.h.
static int is_prepared(const hn_server_run *run, hn_served_operation operation) {
  switch ((int)operation) {
  case HN_SERVED_LOADS:
  case HN_SERVED_FINISH: return run->has_forces;
  case HN_SERVED_FACTOR:
  case HN_SERVED_IMPULSES:
  case HN_SERVED_STABILIZE_FACTOR: return run->has_rows;
  case HN_SERVED_FORWARD:
  case HN_SERVED_BACKWARD:
  case HN_SERVED_RESIDUAL: return run->is_factored;
  case HN_SERVED_STABILIZE_FORWARD:
  case HN_SERVED_STABILIZE_BACKWARD: return run->is_stabilized;
  case HN_SERVED_INCREMENTS: return run->is_factored || run->is_stabilized;
  case HN_SERVED_FILTER: return run->has_forces || run->has_states;
  default: return 1;
  }
}

static hn_server_run *find_run(const hn_component_server *s, uint64_t id) {
  for (hn_server_run *r = s->runs; r; r = r->next)
    if (r->id == id) return r;
  return NULL;
}

void hn_server_answer_run(hn_component_server *s, hn_served_operation operation, uint64_t id,
                          hn_wire *w) {
  hn_server_run *run = find_run(s, id);
  if (!run || !is_prepared(run, operation)) {
    hn_server_refuse(s, HN_ERROR_ARGUMENT, NULL);
    return;
  }
  switch ((int)operation) {
  case HN_SERVED_STOP: hn_server_stop(s, run); break;
  case HN_SERVED_TURNS: turns(s, run, w); break;
  case HN_SERVED_BRANCHES: branches(s, run, w); break;
  case HN_SERVED_FORCES: forces(s, run, w); break;
  case HN_SERVED_LOADS: loads(s, run, w); break;
  case HN_SERVED_FACTOR: factor(s, run, w); break;
  case HN_SERVED_FINISH: finish(s, run, w); break;
  case HN_SERVED_STATES: states(s, run, w); break;
  case HN_SERVED_FILTER: filter(s, run, w); break;
  case HN_SERVED_DELAYED: delayed(s, run, w); break;
  case HN_SERVED_CONDITIONS:
  case HN_SERVED_SAMPLES:
  case HN_SERVED_RULES: look(s, run, operation, w); break;
  case HN_SERVED_GAPS: gaps(s, run, w); break;
  case HN_SERVED_FORWARD:
  case HN_SERVED_BACKWARD:
  case HN_SERVED_RESIDUAL:
  case HN_SERVED_STABILIZE_FORWARD:
  case HN_SERVED_STABILIZE_BACKWARD: border_pass(s, run, operation, w); break;
  case HN_SERVED_NEXT_TIME:
  case HN_SERVED_STEP_LIMIT:
  case HN_SERVED_STABILIZE_FACTOR:
  case HN_SERVED_INCREMENTS:
  case HN_SERVED_IMPULSES:
  case HN_SERVED_SAVE:
  case HN_SERVED_RESTORE: small_call(s, run, operation, w); break;
  default: hn_server_refuse(s, HN_ERROR_ARGUMENT, NULL); break;
  }
}
