// Calls of FMI 2.0 (sections 3.2 and 4.2 of version 2.0.5 give their order).
#include "host.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../fmu/fmi2.h"

#define COMMON(X)                                                                                  \
  X(fmi2Instantiate)                                                                               \
  X(fmi2FreeInstance)                                                                              \
  X(fmi2SetupExperiment)                                                                           \
  X(fmi2EnterInitializationMode) X(fmi2ExitInitializationMode) X(fmi2Terminate) X(fmi2GetReal)     \
      X(fmi2GetInteger) X(fmi2GetBoolean) X(fmi2SetReal) X(fmi2SetInteger) X(fmi2SetBoolean)       \
          X(fmi2SetString) X(fmi2GetFMUstate) X(fmi2SetFMUstate) X(fmi2FreeFMUstate)               \
              X(fmi2SerializedFMUstateSize) X(fmi2SerializeFMUstate) X(fmi2DeSerializeFMUstate)
#define EXCHANGE(X)                                                                                \
  X(fmi2EnterEventMode)                                                                            \
  X(fmi2NewDiscreteStates)                                                                         \
  X(fmi2EnterContinuousTimeMode)                                                                   \
  X(fmi2CompletedIntegratorStep) X(fmi2SetTime) X(fmi2SetContinuousStates) X(fmi2GetDerivatives)   \
      X(fmi2GetEventIndicators) X(fmi2GetContinuousStates) X(fmi2GetNominalsOfContinuousStates)
#define SIMULATION(X) X(fmi2DoStep) X(fmi2GetRealStatus) X(fmi2GetBooleanStatus)

#define MEMBER(name) __typeof__(&name) name;
static struct { COMMON(MEMBER) EXCHANGE(MEMBER) SIMULATION(MEMBER) } f;

#define CALL(h, name, ...) ((h)->function = #name, (int)f.name((h)->instance, __VA_ARGS__))
#define CALL_0(h, name) ((h)->function = #name, (int)f.name((h)->instance))

static int host2_load(host *h) {
#define FIND_ONE(name) FIND(h, f, name);
  COMMON(FIND_ONE)
  if (h->is_exchange) {
    EXCHANGE(FIND_ONE)
  } else {
    SIMULATION(FIND_ONE)
  }
  return 1;
}

static void host2_take_words(fmi2ComponentEnvironment environment, fmi2String instance,
                             fmi2Status status, fmi2String category, fmi2String message, ...) {
  char text[1000];
  va_list arguments;
  (void)instance, (void)category;
  if (status == fmi2OK || !message) return;
  va_start(arguments, message);
  vsnprintf(text, sizeof text, message, arguments);
  va_end(arguments);
  host_log(environment, text);
}

// "file://" and the folder, percent-encoded, without the separator at its end.
static const char *uri_of(host *h, const char *folder) {
  char *uri = host_take(h, 3 * strlen(folder) + 8, 1), *to = uri + 7;
  memcpy(uri, "file://", 7);
  for (const unsigned char *c = (const unsigned char *)folder; *c; c++) {
    if (*c == '/' && !c[1]) break;
    const int is_plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
                         (*c >= '0' && *c <= '9') || strchr("/-._~", *c) != NULL;
    to += is_plain ? (*to = (char)*c, 1) : snprintf(to, 4, "%%%02X", *c);
  }
  *to = '\0';
  return uri;
}

static int host2_open_instance(host *h, const char *resources, const char *token,
                               const char *name) {
  static fmi2CallbackFunctions functions = {host2_take_words, calloc, free, NULL, NULL};
  functions.componentEnvironment = h;
  h->function = "fmi2Instantiate";
  h->instance = f.fmi2Instantiate(name, h->is_exchange ? fmi2ModelExchange : fmi2CoSimulation,
                                  token, uri_of(h, resources), &functions, fmi2False, fmi2False);
  return h->instance ? 0 : 3;
}

static int host2_prepare(host *h, double start, double stop, double tolerance) {
  int status = CALL(h, fmi2SetupExperiment, tolerance > 0, tolerance, start, isfinite(stop),
                    isfinite(stop) ? stop : start);
  if (status < 2) status = CALL_0(h, fmi2EnterInitializationMode);
  return status;
}

static int host2_set(host *h, const host_values *group) {
  const fmi2ValueReference reference = group->reference;
  double real;
  if (group->count != 1) return 3;
  if (group->type == HN_FMU_FLOAT64) {
    hn_wire_get_numbers(&h->request, &real, 1);
    return CALL(h, fmi2SetReal, &reference, 1, &real);
  }
  if (group->type == HN_FMU_STRING) {
    const fmi2String text = hn_wire_get_string(&h->request, &h->arena);
    return CALL(h, fmi2SetString, &reference, 1, &text);
  }
  const int64_t number = (int64_t)hn_wire_get_long(&h->request);
  const fmi2Boolean truth = number != 0;
  const fmi2Integer whole = (fmi2Integer)number;
  if (group->type == HN_FMU_BOOLEAN) return CALL(h, fmi2SetBoolean, &reference, 1, &truth);
  return CALL(h, fmi2SetInteger, &reference, 1, &whole);
}

static int host2_get(host *h, const host_values *group) {
  const fmi2ValueReference reference = group->reference;
  double real = NAN;
  fmi2Integer whole = 0;
  int status;
  if (group->count != 1) return 3;
  if (group->type == HN_FMU_FLOAT64)
    status = CALL(h, fmi2GetReal, &reference, 1, &real);
  else if (group->type == HN_FMU_BOOLEAN)
    status = CALL(h, fmi2GetBoolean, &reference, 1, &whole);
  else
    status = CALL(h, fmi2GetInteger, &reference, 1, &whole);
  if (group->type != HN_FMU_FLOAT64) real = whole;
  hn_wire_numbers(&h->answer, &real, 1);
  return status;
}

static int host2_start(host *h) { return CALL_0(h, fmi2ExitInitializationMode); }

static int host2_update(host *h, host_events *events) {
  fmi2EventInfo info = {.newDiscreteStatesNeeded = fmi2True};
  int status = 0;
  for (int round = 0; status < 2 && info.newDiscreteStatesNeeded; round++) {
    if (round == 1000) {
      host_log(h, "needs new discrete states again after 1000 rounds");
      return 3;
    }
    info = (fmi2EventInfo){0};
    status = CALL(h, fmi2NewDiscreteStates, &info);
    if (info.terminateSimulation) events->flags |= HN_FMU_ENDS;
    if (info.valuesOfContinuousStatesChanged) events->flags |= HN_FMU_NEW_STATES;
  }
  if (info.nextEventTimeDefined) events->next_time = info.nextEventTime;
  if (status < 2) status = CALL_0(h, fmi2EnterContinuousTimeMode);
  return status;
}

static int host2_enter_events(host *h) { return CALL_0(h, fmi2EnterEventMode); }

static int host2_set_state(host *h, double time, const double *x) {
  int status = CALL(h, fmi2SetTime, time);
  if (status < 2 && h->states > 0) status = CALL(h, fmi2SetContinuousStates, x, (size_t)h->states);
  return status;
}

static int host2_get_rates(host *h, double *rates, double *indicators) {
  int status = 0;
  if (h->states > 0) status = CALL(h, fmi2GetDerivatives, rates, (size_t)h->states);
  if (status < 2 && h->indicators > 0)
    status = CALL(h, fmi2GetEventIndicators, indicators, (size_t)h->indicators);
  return status;
}

static int host2_get_state(host *h, double *x, double *nominals) {
  if (h->states == 0) return 0;
  int status = CALL(h, fmi2GetContinuousStates, x, (size_t)h->states);
  if (status < 2) status = CALL(h, fmi2GetNominalsOfContinuousStates, nominals, (size_t)h->states);
  return status;
}

static int host2_complete(host *h, host_events *events) {
  fmi2Boolean wants_events = 0, ends = 0;
  const int status = CALL(h, fmi2CompletedIntegratorStep, fmi2False, &wants_events, &ends);
  events->flags = (wants_events ? HN_FMU_WANTS_EVENT : 0) | (ends ? HN_FMU_ENDS : 0);
  return status;
}

static int host2_step(host *h, double time, double size, double *reached, int *flags) {
  int status = CALL(h, fmi2DoStep, time, size, fmi2False);
  fmi2Real last = time;
  fmi2Boolean ends = 0;
  if (status != fmi2Discard) return status == fmi2Pending ? 3 : status;
  // it stopped before the end
  if (f.fmi2GetRealStatus(h->instance, fmi2LastSuccessfulTime, &last) == fmi2OK) *reached = last;
  if (f.fmi2GetBooleanStatus(h->instance, fmi2Terminated, &ends) == fmi2OK && ends)
    *flags |= HN_FMU_ENDS;
  return *flags & HN_FMU_ENDS ? 0 : 2;
}

static int host2_save(host *h, void **state) { return CALL(h, fmi2GetFMUstate, state); }
static int host2_restore(host *h, void *state) { return CALL(h, fmi2SetFMUstate, state); }
static int host2_drop(host *h, void *state) { return CALL(h, fmi2FreeFMUstate, &state); }

static int host2_write_state(host *h, void *state, hn_wire *bytes) {
  size_t size = 0;
  int status = CALL(h, fmi2SerializedFMUstateSize, state, &size);
  if (status >= 2) return status;
  char *block = host_take(h, size + 1, 1);
  status = CALL(h, fmi2SerializeFMUstate, state, block, size);
  hn_wire_bytes(bytes, block, size);
  return status;
}

static int host2_read_state(host *h, const void *bytes, size_t size, void **state) {
  return CALL(h, fmi2DeSerializeFMUstate, bytes, size, state);
}

static void host2_close_instance(host *h) {
  CALL_0(h, fmi2Terminate);
  f.fmi2FreeInstance(h->instance);
}

const host_calls host_fmi2 = {
    host2_load,      host2_open_instance, host2_prepare,      host2_set,           host2_get,
    host2_start,     host2_update,        host2_enter_events, host2_set_state,     host2_get_rates,
    host2_get_state, host2_complete,      host2_step,         host2_save,          host2_restore,
    host2_drop,      host2_write_state,   host2_read_state,   host2_close_instance};
