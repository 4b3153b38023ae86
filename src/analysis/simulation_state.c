// Fields of a simulation that are its state (base/state.h), with what each may hold. Contacts,
// switches, conditions, delays, sums over steps, equations and methods declare their own.
//
// Counts continue from restored ones and must not overflow.
#include <limits.h>
#include <math.h>

#include "analysis/simulation.h"
#include "base/error.h"
#include "integrate/memory.h"

#define MOST_COUNT ((double)(LONG_MAX / 4))
#define COUNT(list) (sizeof(list) / sizeof *(list))

typedef struct number {
  const char *name;
  double *at, least;
} number;

static void declare_numbers(hn_arena *arena, const number *list, size_t count) {
  for (size_t k = 0; k < count; k++) {
    HN_STATE(arena, list[k].at, 1, list[k].name);
    hn_state_within(arena, list[k].least, HUGE_VAL);
  }
}

typedef struct counter {
  const char *name;
  long *at;
} counter;

static void declare_counters(hn_arena *arena, const counter *list, size_t count) {
  for (size_t k = 0; k < count; k++) {
    HN_STATE(arena, list[k].at, 1, list[k].name);
    hn_state_within(arena, 0, MOST_COUNT);
  }
}

static void declare_integer(hn_arena *arena, int *at, const char *name, int lower, int upper) {
  HN_STATE(arena, at, 1, name);
  hn_state_within(arena, lower, upper);
}

// ---- the motion ---------------------------------------------------------------------------------

static void declare_given(hn_simulation *s) {
  hn_arena *arena = &s->arena;
  hn_state_owner(arena, "states", HN_STATE_MOTION);
  HN_STATE(arena, s->samples, hn_simulation_sampled(s), "samples of state");
  hn_state_within(arena, 0, HUGE_VAL);
  hn_state_owner(arena, "inputs", HN_STATE_MOTION);
  HN_STATE(arena, s->inputs, s->model->input_count, "input");
  hn_state_owner(arena, "inputs", HN_STATE_METHOD);
  declare_integer(arena, &s->given.is_new, "the flag of a new input", 0, 1);
  hn_state_owner(arena, "branches", HN_STATE_MOTION);
  HN_STATE(arena, s->branches.turns, s->elements->turn_count, "turns of angle");
  hn_state_within(arena, -HUGE_VAL, HUGE_VAL);
  hn_state_owner(arena, "branches", HN_STATE_METHOD);
  HN_STATE(arena, s->branches.force, s->elements->force_branches, "the branch of force");
  HN_STATE(arena, s->branches.driver, s->elements->driver_branches, "the branch of driver");
  HN_STATE(arena, s->last_change, s->elements->force_branches, "the last change of force");
  HN_STATE(arena, s->realtime.seen, s->model->force_count, "the branch seen of force");
  hn_state_within(arena, HN_BRANCH_FREE, INT_MAX);
  declare_integer(arena, s->elements->is_held, "the flag of an equilibrium", 0, 1);
}

// ---- steps --------------------------------------------------------------------------------------

static void declare_choice(hn_simulation *s) {
  hn_arena *arena = &s->arena;
  hn_auto_choice *a = &s->automatic.choice;
  hn_state_owner(arena, "choice of the method", HN_STATE_METHOD);
  HN_STATE(arena, &a->state, 1, "the method in use");
  hn_state_within(arena, HN_AUTO_EXPLICIT, HN_AUTO_STEPPED);
  HN_STATE(arena, &a->next, 1, "the next method");
  hn_state_within(arena, HN_AUTO_EXPLICIT, HN_AUTO_STEPPED);
  declare_integer(arena, &a->is_changing, "the flag of a change of method", 0, 1);
  declare_integer(arena, &a->is_strict, "the flag of a limit of the method", 0, 1);
  int *const small[] = {&a->stiff, &a->calm, &a->smooth, &a->rough, &a->held};
  for (size_t k = 0; k < COUNT(small); k++)
    declare_integer(arena, small[k], "a count of the method", 0, INT_MAX / 2);
  const counter counters[] = {
      {"a count of the method", &a->wait},        {"a count of the method", &a->next_wait},
      {"a count of the method", &a->trial_steps}, {"a count of the method", &a->refused},
      {"a count of the method", &a->smooth_wait}, {"a count of the method", &a->next_smooth_wait},
      {"a count of the method", &a->events},      {"a count of the method", &a->steps_then},
      {"a count of the method", &a->events_then},
  };
  declare_counters(arena, counters, COUNT(counters));
  const number numbers[] = {
      {"a time of the method", &a->trial_time, -HUGE_VAL},
      {"a time of the method", &a->smooth_begin, -HUGE_VAL},
      {"a step of the method", &a->explicit_step, 0},
      {"a step of the method", &a->smooth_step, 0},
      {"a step of the method", &a->stable_step, 0},
  };
  declare_numbers(arena, numbers, COUNT(numbers));
}

static void declare_steps(hn_simulation *s) {
  hn_arena *arena = &s->arena;
  const number numbers[] = {
      {"the last step", &s->stepping.last, 0},
      {"the next step", &s->stepping.next, 0},
      {"the last error", &s->control.last_error, 0},
  };
  hn_state_owner(arena, "step control", HN_STATE_METHOD);
  declare_numbers(arena, numbers, COUNT(numbers));
  declare_integer(arena, &s->control.after_rejection, "the flag of a rejection", 0, 1);
}

// ---- the record ---------------------------------------------------------------------------------

static void declare_progress(hn_simulation *s) {
  hn_arena *arena = &s->arena;
  struct hn_progress *p = &s->progress;
  const int rows = s->equations->redundant_size + 1;
  const counter counters[] = {
      {"the steps of the last look", &p->attempts},
      {"the rejected steps of the last look", &p->refused},
      {"the number of looks", &s->looking.count},
      {"the iterations of the last step", &s->stepping.iterations},
  };
  const number numbers[] = {
      {"the time at the start", &p->start, -HUGE_VAL},
      {"the time of the last look", &p->time, -HUGE_VAL},
      {"the energy at the start", &s->energy.initial, -HUGE_VAL},
      {"the potential at the start", &s->energy.initial_potential, -HUGE_VAL},
      {"the largest energy", &s->energy.largest, 0},
  };
  hn_state_owner(arena, "progress", HN_STATE_RECORD);
  declare_counters(arena, counters, COUNT(counters));
  declare_numbers(arena, numbers, COUNT(numbers));
  declare_integer(arena, &p->creeping, "the number of slow looks", 0, INT_MAX / 2);
  declare_integer(arena, &p->redundant, "the number of redundant constraints at the start", 0,
                  rows);
  declare_integer(arena, &s->at_start.redundant, "the number of redundant constraints at rest", -1,
                  rows);
  HN_STATE(arena, s->lock.base, s->equations->nq, "position at the start");
  hn_state_within(arena, -HUGE_VAL, HUGE_VAL);
}

// Without the names, which belong to the process and are filled in when it is asked for.
static void declare_uses(hn_simulation *s) {
  hn_arena *arena = &s->arena;
  hn_state_owner(arena, "certificate", HN_STATE_RECORD);
  HN_STATE(arena, s->automatic.first, HN_METHOD_USES, "the first step of method");
  hn_state_within(arena, -HUGE_VAL, HUGE_VAL);
  HN_STATE(arena, s->automatic.used, HN_METHOD_USES, "the time of method");
  hn_state_within(arena, -HUGE_VAL, HUGE_VAL);
}

static void declare_certificate(hn_simulation *s) {
  hn_certificate *c = &s->certificate;
  const counter counters[] = {
      {"the count of accepted steps", &c->steps_accepted},
      {"the count of rejected steps", &c->steps_rejected},
      {"the count of steps of index 1", &c->steps_of_index_1},
      {"the count of substituted steps", &c->steps_past.substituted},
      {"the count of coasted steps", &c->steps_past.coasted},
      {"the count of evaluations", &c->evaluations},
      {"the count of factorizations", &c->factorizations},
      {"the count of iterations", &c->newton_iterations},
      {"the count of failed iterations", &c->newton_failures},
      {"the count of unconverged iterations", &c->newton_unconverged_accepted},
      {"the count of projections", &c->projections},
      {"the count of selections", &c->selections},
      {"the count of events", &c->events},
      {"the count of impacts", &c->impacts},
      {"the count of changes between sticking and sliding", &c->grip_changes},
      {"the count of unresolved contacts", &c->contacts_unresolved},
      {"the count of steps by the interior-point method", &c->contacts_fallbacks},
  };
  const number numbers[] = {
      {"a residual", &c->newton_unconverged_residual, 0},
      {"a constraint", &c->constraint_position, 0},
      {"a constraint", &c->constraint_velocity, 0},
      {"a constraint", &c->constraint_acceleration, 0},
      {"the largest acceleration", &c->largest_acceleration, 0},
      {"the energy balance", &c->energy_balance, 0},
      {"the energy balance", &c->energy_relative, 0},
      {"the energy balance", &c->energy_part.relative, 0},
      {"the fastest motion", &c->fastest_motion, 0},
      {"a change by assembly", &c->initial_change.position, 0},
      {"a change by assembly", &c->initial_change.velocity, 0},
      {"the smallest step", &c->steps_between.smallest, 0},
      {"the largest step", &c->steps_between.largest, 0},
      {"the depth of contacts", &c->penetration, 0},
      {"the thickness of shapes", &c->thinnest, 0},
      {"the residual of contacts", &c->contact_residual, 0},
      {"the loss in impacts", &c->impact_loss, -HUGE_VAL},
      {"the loss by friction", &c->friction_loss, -HUGE_VAL},
      {"the CPU time", &c->cpu_seconds, 0},
  };
  hn_state_owner(&s->arena, "certificate", HN_STATE_RECORD);
  declare_counters(&s->arena, counters, COUNT(counters));
  declare_numbers(&s->arena, numbers, COUNT(numbers));
  declare_integer(&s->arena, &c->energy_part.body, "the body of a part", 0,
                  s->model->body_count - 1);
  declare_integer(&s->arena, &c->redundant, "the number of redundant constraints", 0, INT_MAX / 2);
  declare_integer(&s->arena, &c->ignored, "the number of items without effect", 0, INT_MAX / 2);
  HN_STATE(&s->arena, &c->choice, 1, "the reason for the method");
}

static void declare_warnings(hn_simulation *s) {
  hn_arena *arena = &s->arena;
  hn_state_owner(arena, "warnings", HN_STATE_RECORD);
  declare_integer(arena, &s->told.count, "the number of warnings", 0, HN_RUN_WARNINGS);
  HN_STATE(arena, s->told.warnings, HN_RUN_WARNINGS, "warning");
  HN_STATE(arena, s->told.outputs, s->model->outputs.count, "the mark of output");
  hn_state_within(arena, 0, 1);
  struct hn_blind_step *const blind[] = {&s->told.blind_force, &s->told.blind_turn};
  for (size_t k = 0; k < COUNT(blind); k++) {
    HN_STATE(arena, &blind[k]->limit, 1, "the limit of a step");
    hn_state_within(arena, 0, HUGE_VAL);
    declare_integer(arena, &blind[k]->warning, "the warning of a step", 0, HN_RUN_WARNINGS - 1);
  }
  const number numbers[] = {
      {"the time of a tilt", &s->told.tilted.begin, -HUGE_VAL},
      {"the error by a tilt", &s->told.tilted.error, 0},
  };
  declare_numbers(arena, numbers, COUNT(numbers));
  declare_integer(arena, &s->told.tilted.warning, "the warning of a tilt", 0, HN_RUN_WARNINGS - 1);
  hn_state_owner(arena, "events", HN_STATE_RECORD);
  HN_STATE(arena, s->events, HN_EVENT_HISTORY, "event");
}

hn_status hn_simulation_declare(hn_simulation *s) {
  declare_given(s);
  declare_choice(s);
  declare_steps(s);
  declare_progress(s);
  declare_certificate(s);
  declare_uses(s);
  declare_warnings(s);
  hn_equations_declare(&s->arena, s->equations);
  return s->arena.failed ? HN_ERROR_MEMORY : HN_OK;
}

// A method is made as a part of its own: `auto` may use another.
hn_status hn_simulation_make_method(hn_simulation *s, const hn_method_type *type,
                                    const hn_method_choice *choice, hn_method **method) {
  const int part = hn_state_open_part(&s->arena);
  hn_status status = type->create(&s->arena, s->equations, choice, method, &s->error);
  if (status == HN_OK) {
    (*method)->part = part;
    hn_method_declare(&s->arena, *method);
    if (s->arena.failed)
      status = hn_fail(&s->error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  }
  hn_state_close_part(&s->arena);
  if (status != HN_OK) *method = NULL;
  return status;
}
