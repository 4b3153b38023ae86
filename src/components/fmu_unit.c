// A running FMU: see fmu_unit.h.
#include "components/fmu_unit.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"

hn_status hn_fmu_unit_open(hn_fmu_unit *unit, const hn_fmu_setup *setup, hn_error *error) {
  *unit = (hn_fmu_unit){.setup = setup};
  const hn_status status = hn_fmu_link_open(&unit->link, setup, error);
  if (status != HN_OK) hn_fmu_unit_close(unit);
  return status;
}

void hn_fmu_unit_close(hn_fmu_unit *unit) {
  if (!unit->setup) return;
  hn_fmu_link_close(&unit->link);
  *unit = (hn_fmu_unit){.setup = NULL};
}

// ---- values -------------------------------------------------------------------------------------

static void put_groups(hn_wire *wire, const hn_fmu_group *group) {
  hn_wire_int(wire, (int)group->type);
  hn_wire_word(wire, group->reference);
  hn_wire_int(wire, group->count);
}

static void put_value(hn_wire *wire, hn_fmu_type type, double value) {
  if (type <= HN_FMU_FLOAT32) {
    hn_wire_numbers(wire, &value, 1);
    return;
  }
  // beyond 64 bits the conversion has no meaning
  const double most = 9.2e18, whole = floor(value + 0.5);
  const double inside = whole > most ? most : whole < -most ? -most : isnan(whole) ? 0 : whole;
  hn_wire_long(wire, (uint64_t)(int64_t)inside);
}

// Discarded values are an error: nothing can be repeated.
static hn_status ask(hn_fmu_unit *unit, hn_error *error) {
  hn_status status = hn_fmu_ask(&unit->link, error);
  if (status != HN_RETRY) return status;
  error->status = HN_ERROR_FILE;
  return HN_ERROR_FILE;
}

hn_status hn_fmu_unit_set(hn_fmu_unit *unit, const hn_fmu_group *groups, int group_count,
                          const double *values, hn_error *error) {
  if (group_count == 0) return HN_OK;
  hn_fmu_request(&unit->link, HN_FMU_SET);
  hn_wire_int(&unit->link.request, group_count);
  for (int k = 0; k < group_count; k++) {
    put_groups(&unit->link.request, &groups[k]);
    for (int i = 0; i < groups[k].count; i++)
      put_value(&unit->link.request, groups[k].type, *values++);
  }
  return ask(unit, error);
}

hn_status hn_fmu_unit_set_text(hn_fmu_unit *unit, unsigned reference, const char *text,
                               hn_error *error) {
  const hn_fmu_group group = {HN_FMU_STRING, reference, 1};
  hn_fmu_request(&unit->link, HN_FMU_SET);
  hn_wire_int(&unit->link.request, 1);
  put_groups(&unit->link.request, &group);
  hn_wire_string(&unit->link.request, text);
  return ask(unit, error);
}

hn_status hn_fmu_unit_get(hn_fmu_unit *unit, const hn_fmu_group *groups, int group_count,
                          double *values, hn_error *error) {
  if (group_count == 0) return HN_OK;
  hn_fmu_request(&unit->link, HN_FMU_GET);
  hn_wire_int(&unit->link.request, group_count);
  for (int k = 0; k < group_count; k++) put_groups(&unit->link.request, &groups[k]);
  hn_status status = ask(unit, error);
  for (int k = 0; k < group_count && status == HN_OK; k++) {
    hn_wire_get_numbers(&unit->link.answer, values, groups[k].count);
    values += groups[k].count;
  }
  return status == HN_OK ? hn_fmu_answered(&unit->link, error) : status;
}

// ---- steps --------------------------------------------------------------------------------------

hn_status hn_fmu_unit_prepare(hn_fmu_unit *unit, double start, double stop, double tol,
                              hn_error *error) {
  const double times[3] = {start, stop, tol};
  unit->time = unit->link.time = start;
  hn_fmu_request(&unit->link, HN_FMU_PREPARE);
  hn_wire_numbers(&unit->link.request, times, 3);
  return ask(unit, error);
}

hn_status hn_fmu_unit_start(hn_fmu_unit *unit, hn_error *error) {
  hn_fmu_request(&unit->link, HN_FMU_START);
  return ask(unit, error);
}

// One call; an FMU that returns early is asked again from there.
static hn_status step_once(hn_fmu_unit *unit, double time, hn_error *error) {
  const double times[2] = {unit->time, time - unit->time};
  double reached = 0;
  char name[128];
  hn_fmu_request(&unit->link, HN_FMU_STEP);
  hn_wire_numbers(&unit->link.request, times, 2);
  hn_status status = ask(unit, error);
  if (status != HN_OK) return status;
  hn_wire_get_numbers(&unit->link.answer, &reached, 1);
  if (hn_wire_get_int(&unit->link.answer) & HN_FMU_ENDS) unit->is_ended = 1;
  status = hn_fmu_answered(&unit->link, error);
  if (status != HN_OK) return status;
  if (!unit->is_ended && !(reached > unit->time))
    return hn_fail(error, HN_ERROR_FILE, NULL,
                   hn_text(name, sizeof name, "FMU '%.100s'", unit->setup->name), "Ask its maker.",
                   "returns from a step at t = %.9g s, where it started", unit->time);
  unit->time = reached < time - 1e-12 * (1 + fabs(time)) ? reached : time;
  return HN_OK;
}

hn_status hn_fmu_unit_step(hn_fmu_unit *unit, double time, hn_error *error) {
  hn_status status = HN_OK;
  for (int round = 0; status == HN_OK && unit->time < time && !unit->is_ended; round++) {
    unit->link.time = unit->time;
    if (round > 10000)
      return hn_fail(error, HN_ERROR_LIMIT, NULL, unit->setup->name, "Ask its maker.",
                     "returns early more than 10000 times in one step at t = %.9g s", unit->time);
    status = step_once(unit, time, error);
  }
  unit->link.time = unit->time;
  return status;
}

// ---- saved states -------------------------------------------------------------------------------

hn_status hn_fmu_unit_save(hn_fmu_unit *unit, int *number, hn_error *error) {
  hn_fmu_request(&unit->link, HN_FMU_SAVE);
  hn_status status = ask(unit, error);
  if (status != HN_OK) return status;
  *number = hn_wire_get_int(&unit->link.answer);
  return hn_fmu_answered(&unit->link, error);
}

hn_status hn_fmu_unit_restore(hn_fmu_unit *unit, int number, hn_error *error) {
  hn_fmu_request(&unit->link, HN_FMU_RESTORE);
  hn_wire_int(&unit->link.request, number);
  return ask(unit, error);
}

hn_status hn_fmu_unit_drop(hn_fmu_unit *unit, int number, hn_error *error) {
  hn_fmu_request(&unit->link, HN_FMU_DROP);
  hn_wire_int(&unit->link.request, number);
  return ask(unit, error);
}
