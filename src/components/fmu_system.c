// FMUs that run together: see fmu_system.h.
//
// A step of coupled FMUs for Co-Simulation, from t to t + H:
//
//   1. keep the state of all; guess inputs at the end by the parabola of the last steps
//   2. all go to the end, in parts; in each part an input is the mean of its parabola there
//   3. inputs at the end are given, so that outputs there hold; if they differ from the guess they
//      are the next guess: back to the kept states, and again
#include "components/fmu_system.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

enum { PASSES = 50, ITERATIONS = 30, PARTS = 4 };
#define RESTS 1e-13  // of a value: smaller changes count as none
#define AGREES 1e-10 // of a value, at the end of a step
#define NOISE 1e-4   // ... where FMUs control their own error, and iterations gain nothing more
#define USUAL_TOL 1e-6
// States up to which stiffness switches to an implicit formula; its matrices are dense.
#define MAX_STIFF_STATES 1000

// ---- life ---------------------------------------------------------------------------------------

static hn_status take_motion(hn_fmu_system *system, hn_error *error) {
  hn_fmu_motion *m = &system->motion;
  hn_arena *arena = &system->arena;
  const int n = m->states, z = m->indicator_count;
  m->asked = HN_TAKE(arena, double, n);
  m->x = HN_TAKE(arena, double, n);
  m->nominal = HN_TAKE(arena, double, n);
  m->stage = HN_TAKE(arena, double, n);
  m->trial = HN_TAKE(arena, double, n);
  m->dense = HN_TAKE(arena, double, n);
  m->rates = hn_arena_take(arena, 7 * (size_t)n, sizeof(double));
  if (n <= MAX_STIFF_STATES) {
    m->jacobian = HN_TAKE(arena, double, n *n);
    m->matrix = HN_TAKE(arena, double, n *n);
  }
  m->delta = HN_TAKE(arena, double, 2 * n);
  m->pivots = HN_TAKE(arena, int, n);
  m->indicators = HN_TAKE(arena, double, z);
  m->trial_indicators = HN_TAKE(arena, double, z);
  if (!arena->failed) return HN_OK;
  return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory for an FMU");
}

hn_status hn_fmu_system_open(hn_fmu_system *system, const hn_fmu_setup *const *setups, int count,
                             hn_error *error) {
  hn_fmu_motion *m = &system->motion;
  *system = (hn_fmu_system){.count = 0};
  hn_arena_init(&system->arena, NULL);
  system->units = HN_TAKE(&system->arena, hn_fmu_unit, count);
  system->saved = HN_TAKE(&system->arena, int, count);
  hn_status status = HN_OK;
  if (system->arena.failed)
    status = hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory for an FMU");
  for (int k = 0; k < count && status == HN_OK; k++) {
    hn_fmu_unit *unit = &system->units[k];
    status = hn_fmu_unit_open(unit, setups[k], error);
    if (status != HN_OK) break;
    system->count++;
    unit->first_state = m->states;
    unit->first_indicator = m->indicator_count;
    if (!setups[k]->is_exchange) continue;
    m->states += setups[k]->states;
    m->indicator_count += setups[k]->indicators;
  }
  if (status == HN_OK) status = take_motion(system, error);
  if (status != HN_OK) hn_fmu_system_close(system);
  return status;
}

void hn_fmu_system_close(hn_fmu_system *system) {
  if (!system->units) return;
  for (int k = 0; k < system->count; k++) hn_fmu_unit_close(&system->units[k]);
  hn_arena_release(&system->arena);
  *system = (hn_fmu_system){.count = 0};
}

hn_status hn_fmu_system_connect(hn_fmu_system *system, const hn_fmu_connection *connections,
                                int count, hn_error *error) {
  hn_arena *arena = &system->arena;
  system->connections = HN_TAKE(arena, hn_fmu_connection, count);
  system->given = HN_TAKE(arena, double, count);
  system->last = HN_TAKE(arena, double, count);
  system->next = HN_TAKE(arena, double, count);
  system->values = HN_TAKE(arena, double, count);
  system->groups = HN_TAKE(arena, hn_fmu_group, count);
  if (arena->failed)
    return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory for an FMU");
  if (count > 0) memcpy(system->connections, connections, (size_t)count * sizeof *connections);
  for (int k = 0; k < count; k++) system->given[k] = NAN; // nothing was given yet
  system->connection_count = count;
  return HN_OK;
}

hn_status hn_fmu_system_prepare(hn_fmu_system *system, double start, double stop, double tol,
                                hn_error *error) {
  hn_status status = HN_OK;
  system->time = start;
  system->motion.tol = tol > 0 ? tol : USUAL_TOL;
  for (int k = 0; k < system->count && status == HN_OK; k++)
    status = hn_fmu_unit_prepare(&system->units[k], start, stop, tol, error);
  return status;
}

hn_status hn_fmu_system_start(hn_fmu_system *system, hn_error *error) {
  int has_changed = 0;
  hn_status status = hn_fmu_system_transfer(system, system->time, &has_changed, error);
  for (int k = 0; k < system->count && status == HN_OK; k++)
    status = hn_fmu_unit_start(&system->units[k], error);
  if (status == HN_OK && system->units[0].setup->is_exchange)
    status = hn_fmu_states_start(system, error);
  return status;
}

// ---- connections --------------------------------------------------------------------------------

static hn_status fail_system(const hn_fmu_system *system, double time, const char *hint,
                             const char *what, hn_error *error) {
  char name[128];
  return hn_fail(error, HN_ERROR_CONVERGENCE, NULL,
                 hn_text(name, sizeof name, "FMU '%.100s'", system->units[0].setup->name), hint,
                 "and those it is connected with %s at t = %.9g s", what, time);
}

// The values of all sources at present, into `next`: one request a unit.
static hn_status read_outputs(hn_fmu_system *system, hn_error *error) {
  hn_status status = HN_OK;
  for (int u = 0; u < system->count && status == HN_OK; u++) {
    int count = 0;
    for (int k = 0; k < system->connection_count; k++)
      if (system->connections[k].from_unit == u)
        system->groups[count++] = system->connections[k].from;
    if (count == 0) continue;
    status = hn_fmu_unit_get(&system->units[u], system->groups, count, system->values, error);
    count = 0;
    for (int k = 0; k < system->connection_count; k++)
      if (system->connections[k].from_unit == u) system->next[k] = system->values[count++];
  }
  return status;
}

// `given` to all inputs that are connected: one request a unit.
static hn_status give_inputs(hn_fmu_system *system, hn_error *error) {
  hn_status status = HN_OK;
  for (int u = 0; u < system->count && status == HN_OK; u++) {
    int count = 0;
    for (int k = 0; k < system->connection_count; k++) {
      if (system->connections[k].to_unit != u) continue;
      system->groups[count] = system->connections[k].to;
      system->values[count++] = system->given[k];
    }
    status = hn_fmu_unit_set(&system->units[u], system->groups, count, system->values, error);
  }
  return status;
}

hn_status hn_fmu_system_transfer(hn_fmu_system *system, double time, int *has_changed,
                                 hn_error *error) {
  hn_status status = HN_OK;
  *has_changed = 0;
  for (int pass = 0; pass < PASSES; pass++) {
    int moves = 0;
    status = read_outputs(system, error);
    for (int k = 0; k < system->connection_count && status == HN_OK; k++) {
      const double value = system->next[k], old = system->given[k];
      if (fabs(value - old) <= RESTS * fmax(1, fabs(value))) continue;
      moves = *has_changed = 1;
      system->given[k] = value;
    }
    if (status != HN_OK || !moves) return status;
    status = give_inputs(system, error);
    if (status != HN_OK) return status;
  }
  return fail_system(system, time, "Break the algebraic loop by a state or a delay.",
                     "form an algebraic loop that does not converge", error);
}

// ---- Co-Simulation ------------------------------------------------------------------------------

static int can_repeat(const hn_fmu_system *system) {
  for (int k = 0; k < system->count; k++)
    if (!system->units[k].setup->can_save) return 0;
  return 1;
}

// The mean between fractions a and b of the step, of the curve through its first and last value, and
// `last` if it is smooth there.
static double mean_of(const hn_fmu_system *system, int k, double begin, double end, double a,
                      double b) {
  if (!system->has_last) return begin + (end - begin) * (a + b) / 2;
  const double last = system->last[k];
  return begin + (end - last) / 2 * (a + b) / 2 +
         (end - 2 * begin + last) / 2 * (a * a + a * b + b * b) / 3;
}

// A step may be cut into parts where all take steps of any size.
static int parts_of(const hn_fmu_system *system) {
  for (int k = 0; k < system->count; k++)
    if (!system->units[k].setup->has_variable_steps) return 1;
  return PARTS;
}

// From the present to `time` with inputs between these values.
static hn_status go_along(hn_fmu_system *system, double time, const double *begin,
                          const double *end, hn_error *error) {
  const double start = system->time;
  const int parts = parts_of(system);
  hn_status status = HN_OK;
  for (int part = 0; part < parts && status == HN_OK && !system->is_ended; part++) {
    const double a = (double)part / parts, b = (double)(part + 1) / parts;
    for (int k = 0; k < system->connection_count; k++)
      system->given[k] = mean_of(system, k, begin[k], end[k], a, b);
    status = give_inputs(system, error);
    for (int k = 0; k < system->count && status == HN_OK; k++) {
      hn_fmu_unit *unit = &system->units[k];
      status = hn_fmu_unit_step(unit, part == parts - 1 ? time : start + b * (time - start), error);
      system->is_ended |= unit->is_ended;
    }
  }
  return status;
}

static hn_status keep_states(hn_fmu_system *system, hn_error *error) {
  hn_status status = HN_OK;
  for (int k = 0; k < system->count && status == HN_OK; k++)
    status = hn_fmu_unit_save(&system->units[k], &system->saved[k], error);
  return status;
}

static hn_status go_back(hn_fmu_system *system, hn_error *error) {
  hn_status status = HN_OK;
  for (int k = 0; k < system->count && status == HN_OK; k++) {
    system->units[k].time = system->time;
    status = hn_fmu_unit_restore(&system->units[k], system->saved[k], error);
  }
  return status;
}

static hn_status drop_states(hn_fmu_system *system, hn_error *error) {
  hn_status status = HN_OK;
  for (int k = 0; k < system->count && status == HN_OK; k++)
    status = hn_fmu_unit_drop(&system->units[k], system->saved[k], error);
  return status;
}

// Inputs at the end as outputs there give them, which become the next guess. *change: the largest, of
// a value.
static hn_status compare_ends(hn_fmu_system *system, double time, double *end, double *change,
                              hn_error *error) {
  int has_changed;
  hn_status status = hn_fmu_system_transfer(system, time, &has_changed, error);
  *change = 0;
  for (int k = 0; k < system->connection_count; k++) {
    const double part = fabs(system->given[k] - end[k]) / fmax(1, fabs(end[k]));
    if (!(part <= *change)) *change = part;
    end[k] = system->given[k];
  }
  return status;
}

static hn_status step_coupled(hn_fmu_system *system, double time, double *begin, double *end,
                              hn_error *error) {
  const int repeats = can_repeat(system);
  double change = HUGE_VAL;
  for (int k = 0; k < system->connection_count; k++) {
    begin[k] = system->given[k];
    end[k] = system->has_last ? 2 * begin[k] - system->last[k] : begin[k];
  }
  hn_status status = repeats ? keep_states(system, error) : HN_OK;
  for (int round = 0; status == HN_OK; round++) {
    if (round == ITERATIONS)
      return fail_system(system, system->time, "Use a shorter step, or Model Exchange.",
                         "do not agree at the end of a step", error);
    status = go_along(system, time, begin, end, error);
    const double before = change;
    if (status == HN_OK) status = compare_ends(system, time, end, &change, error);
    const int agrees = change <= AGREES || (change <= NOISE && change > 0.5 * before);
    if (status != HN_OK || agrees || !repeats || system->is_ended) break;
    status = go_back(system, error);
  }
  if (status == HN_OK && repeats) status = drop_states(system, error);
  memcpy(system->last, begin, (size_t)system->connection_count * sizeof(double));
  system->has_last = 1;
  return status;
}

static hn_status step_units(hn_fmu_system *system, double time, hn_error *error) {
  hn_status status = HN_OK;
  if (system->connection_count > 0) {
    hn_arena room;
    hn_arena_init(&room, NULL);
    double *begin = HN_TAKE(&room, double, 2 * system->connection_count);
    status = begin ? step_coupled(system, time, begin, begin + system->connection_count, error)
                   : hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
    hn_arena_release(&room);
  } else {
    for (int k = 0; k < system->count && status == HN_OK; k++) {
      status = hn_fmu_unit_step(&system->units[k], time, error);
      system->is_ended |= system->units[k].is_ended;
    }
  }
  system->time = status != HN_OK || system->is_ended ? system->units[0].time : time;
  return status;
}

hn_status hn_fmu_system_step(hn_fmu_system *system, double time, hn_error *error) {
  return system->units[0].setup->is_exchange ? hn_fmu_states_step(system, time, error)
                                             : step_units(system, time, error);
}

hn_status hn_fmu_system_change(hn_fmu_system *system, int unit, const hn_fmu_group *groups,
                               int group_count, const double *values, hn_error *error) {
  if (group_count == 0) return HN_OK;
  if (system->units[unit].setup->is_exchange)
    return hn_fmu_states_change(system, unit, groups, group_count, values, error);
  system->has_last = 0;
  return hn_fmu_unit_set(&system->units[unit], groups, group_count, values, error);
}
