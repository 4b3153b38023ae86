// Calls of FMI 3.0 (sections 2.3, 3.2 and 4.2 of version 3.0.2 give their order). Co-Simulation runs
// without event mode and without early return.
#include "host.h"

#include <math.h>
#include <string.h>

#include "../fmu/fmi3.h"

#define COMMON(X)                                                                                  \
  X(fmi3FreeInstance)                                                                              \
  X(fmi3EnterInitializationMode)                                                                   \
  X(fmi3ExitInitializationMode)                                                                    \
  X(fmi3Terminate) X(fmi3GetFMUState) X(fmi3SetFMUState) X(fmi3FreeFMUState)                       \
      X(fmi3SerializedFMUStateSize) X(fmi3SerializeFMUState) X(fmi3DeserializeFMUState)            \
          X(fmi3SetString)
#define EXCHANGE(X)                                                                                \
  X(fmi3InstantiateModelExchange)                                                                  \
  X(fmi3EnterEventMode)                                                                            \
  X(fmi3UpdateDiscreteStates)                                                                      \
  X(fmi3EnterContinuousTimeMode) X(fmi3CompletedIntegratorStep) X(fmi3SetTime)                     \
      X(fmi3SetContinuousStates) X(fmi3GetContinuousStateDerivatives) X(fmi3GetEventIndicators)    \
          X(fmi3GetContinuousStates) X(fmi3GetNominalsOfContinuousStates)
#define SIMULATION(X) X(fmi3InstantiateCoSimulation) X(fmi3DoStep)
// type of the standard, type of C, of a number in the request
#define TYPES(X)                                                                                   \
  X(FLOAT64, Float64, double)                                                                      \
  X(FLOAT32, Float32, double)                                                                      \
  X(INT8, Int8, int64_t)                                                                           \
  X(UINT8, UInt8, int64_t)                                                                         \
  X(INT16, Int16, int64_t)                                                                         \
  X(UINT16, UInt16, int64_t)                                                                       \
  X(INT32, Int32, int64_t)                                                                         \
  X(UINT32, UInt32, int64_t)                                                                       \
  X(INT64, Int64, int64_t)                                                                         \
  X(UINT64, UInt64, uint64_t)                                                                      \
  X(BOOLEAN, Boolean, int64_t)

#define MEMBER(name) __typeof__(&name) name;
#define MEMBERS(type, word, number) MEMBER(fmi3Get##word) MEMBER(fmi3Set##word)
static struct { COMMON(MEMBER) EXCHANGE(MEMBER) SIMULATION(MEMBER) TYPES(MEMBERS) } f;

#define CALL(h, name, ...) ((h)->function = #name, (int)f.name((h)->instance, __VA_ARGS__))
#define CALL_0(h, name) ((h)->function = #name, (int)f.name((h)->instance))

static int host3_load(host *h) {
#define FIND_ONE(name) FIND(h, f, name);
#define FIND_TWO(type, word, number)                                                               \
  FIND(h, f, fmi3Get##word);                                                                       \
  FIND(h, f, fmi3Set##word);
  COMMON(FIND_ONE)
  TYPES(FIND_TWO)
  if (h->is_exchange) {
    EXCHANGE(FIND_ONE)
  } else {
    SIMULATION(FIND_ONE)
  }
  return 1;
}

static void host3_take_words(fmi3InstanceEnvironment environment, fmi3Status status,
                             fmi3String category, fmi3String message) {
  (void)category;
  if (status != fmi3OK) host_log(environment, message);
}

static int host3_open_instance(host *h, const char *resources, const char *token,
                               const char *name) {
  if (h->is_exchange) {
    h->function = "fmi3InstantiateModelExchange";
    h->instance =
        f.fmi3InstantiateModelExchange(name, token, resources, false, false, h, host3_take_words);
  } else {
    h->function = "fmi3InstantiateCoSimulation";
    h->instance = f.fmi3InstantiateCoSimulation(name, token, resources, false, false, false, false,
                                                NULL, 0, h, host3_take_words, NULL);
  }
  return h->instance ? 0 : 3;
}

static int host3_prepare(host *h, double start, double stop, double tolerance) {
  return CALL(h, fmi3EnterInitializationMode, tolerance > 0, tolerance, start, isfinite(stop),
              isfinite(stop) ? stop : start);
}

static int host3_set(host *h, const host_values *group) {
  const fmi3ValueReference reference = group->reference;
  const size_t count = (size_t)group->count;
#define SET(type, word, number)                                                                    \
  case HN_FMU_##type: {                                                                            \
    fmi3##word *values = host_take(h, count + 1, sizeof *values);                                  \
    for (size_t k = 0; k < count; k++) {                                                           \
      number one;                                                                                  \
      hn_wire_get_bytes(&h->request, &one, sizeof one);                                            \
      values[k] = (fmi3##word)one;                                                                 \
    }                                                                                              \
    return CALL(h, fmi3Set##word, &reference, 1, values, count);                                   \
  }
  switch ((int)group->type) {
    TYPES(SET)
  case HN_FMU_ENUMERATION: {
    const host_values whole = {HN_FMU_INT64, group->reference, group->count};
    return host3_set(h, &whole);
  }
  case HN_FMU_STRING: {
    fmi3String *texts = host_take(h, count + 1, sizeof *texts);
    for (size_t k = 0; k < count; k++) texts[k] = hn_wire_get_string(&h->request, &h->arena);
    return CALL(h, fmi3SetString, &reference, 1, texts, count);
  }
  default: return 3;
  }
}

static int host3_get(host *h, const host_values *group) {
  const fmi3ValueReference reference = group->reference;
  const size_t count = (size_t)group->count;
#define GET(type, word, number)                                                                    \
  case HN_FMU_##type: {                                                                            \
    fmi3##word *values = host_take(h, count + 1, sizeof *values);                                  \
    const int status = CALL(h, fmi3Get##word, &reference, 1, values, count);                       \
    for (size_t k = 0; k < count; k++) {                                                           \
      const double one = (double)values[k];                                                        \
      hn_wire_numbers(&h->answer, &one, 1);                                                        \
    }                                                                                              \
    return status;                                                                                 \
  }
  switch ((int)group->type) {
    TYPES(GET)
  case HN_FMU_ENUMERATION: {
    const host_values whole = {HN_FMU_INT64, group->reference, group->count};
    return host3_get(h, &whole);
  }
  default: return 3;
  }
}

static int host3_start(host *h) { return CALL_0(h, fmi3ExitInitializationMode); }

static int host3_update(host *h, host_events *events) {
  bool is_needed = true, ends = false, new_nominals = false, new_states = false, has_time = false;
  double next = HUGE_VAL;
  int status = 0;
  for (int round = 0; status < 2 && is_needed; round++) {
    if (round == 1000) {
      host_log(h, "needs new discrete states again after 1000 rounds");
      return 3;
    }
    status = CALL(h, fmi3UpdateDiscreteStates, &is_needed, &ends, &new_nominals, &new_states,
                  &has_time, &next);
    if (ends) events->flags |= HN_FMU_ENDS;
    if (new_states) events->flags |= HN_FMU_NEW_STATES;
  }
  if (has_time) events->next_time = next;
  if (status < 2) status = CALL_0(h, fmi3EnterContinuousTimeMode);
  return status;
}

static int host3_enter_events(host *h) { return CALL_0(h, fmi3EnterEventMode); }

static int host3_set_state(host *h, double time, const double *x) {
  int status = CALL(h, fmi3SetTime, time);
  if (status < 2 && h->states > 0) status = CALL(h, fmi3SetContinuousStates, x, (size_t)h->states);
  return status;
}

static int host3_get_rates(host *h, double *rates, double *indicators) {
  int status = 0;
  if (h->states > 0) status = CALL(h, fmi3GetContinuousStateDerivatives, rates, (size_t)h->states);
  if (status < 2 && h->indicators > 0)
    status = CALL(h, fmi3GetEventIndicators, indicators, (size_t)h->indicators);
  return status;
}

static int host3_get_state(host *h, double *x, double *nominals) {
  if (h->states == 0) return 0;
  int status = CALL(h, fmi3GetContinuousStates, x, (size_t)h->states);
  if (status < 2) status = CALL(h, fmi3GetNominalsOfContinuousStates, nominals, (size_t)h->states);
  return status;
}

static int host3_complete(host *h, host_events *events) {
  bool wants_events = false, ends = false;
  const int status = CALL(h, fmi3CompletedIntegratorStep, false, &wants_events, &ends);
  events->flags = (wants_events ? HN_FMU_WANTS_EVENT : 0) | (ends ? HN_FMU_ENDS : 0);
  return status;
}

static int host3_step(host *h, double time, double size, double *reached, int *flags) {
  bool event = false, ends = false, is_early = false;
  double last = time + size;
  const int status = CALL(h, fmi3DoStep, time, size, false, &event, &ends, &is_early, &last);
  if (is_early || status == fmi3Discard) *reached = last;
  if (ends) *flags |= HN_FMU_ENDS;
  return status == fmi3Discard && ends ? 0 : status;
}

static int host3_save(host *h, void **state) { return CALL(h, fmi3GetFMUState, state); }
static int host3_restore(host *h, void *state) { return CALL(h, fmi3SetFMUState, state); }
static int host3_drop(host *h, void *state) { return CALL(h, fmi3FreeFMUState, &state); }

static int host3_write_state(host *h, void *state, hn_wire *bytes) {
  size_t size = 0;
  int status = CALL(h, fmi3SerializedFMUStateSize, state, &size);
  if (status >= 2) return status;
  unsigned char *block = host_take(h, size + 1, 1);
  status = CALL(h, fmi3SerializeFMUState, state, block, size);
  hn_wire_bytes(bytes, block, size);
  return status;
}

static int host3_read_state(host *h, const void *bytes, size_t size, void **state) {
  return CALL(h, fmi3DeserializeFMUState, bytes, size, state);
}

static void host3_close_instance(host *h) {
  CALL_0(h, fmi3Terminate);
  f.fmi3FreeInstance(h->instance);
}

const host_calls host_fmi3 = {
    host3_load,      host3_open_instance, host3_prepare,      host3_set,           host3_get,
    host3_start,     host3_update,        host3_enter_events, host3_set_state,     host3_get_rates,
    host3_get_state, host3_complete,      host3_step,         host3_save,          host3_restore,
    host3_drop,      host3_write_state,   host3_read_state,   host3_close_instance};
