// FMI 3.0 of the FMU for tests: see model.h. Steps of `stalls` return early, half of the way each.
#include "../../../tools/fmu/fmi3.h"
#include "model.h"

static fmi3Status trouble(model *m, double end) {
  const int status = model_trouble(m, end);
  if (status == 3 && m->logger)
    ((fmi3LogMessageCallback)(size_t)m->logger)(m->environment, fmi3Error, "error",
                                                "the spring is 42");
  return (fmi3Status)status;
}

static model *make(const char *token, const char *place, int is_exchange, void *environment,
                   fmi3LogMessageCallback logger) {
  model *m = place && place[strlen(place) - 1] == '/' ? model_make(token) : NULL;
  if (!m) return NULL;
  m->is_exchange = is_exchange;
  m->environment = environment;
  m->logger = (void *)(size_t)logger;
  return m;
}
fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String place,
                                          fmi3Boolean visible, fmi3Boolean logging,
                                          fmi3InstanceEnvironment environment,
                                          fmi3LogMessageCallback logger) {
  (void)name, (void)visible, (void)logging;
  return make(token, place, 1, environment, logger);
}
fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String place,
                                         fmi3Boolean visible, fmi3Boolean logging,
                                         fmi3Boolean has_events, fmi3Boolean early,
                                         const fmi3ValueReference required[], size_t count,
                                         fmi3InstanceEnvironment environment,
                                         fmi3LogMessageCallback logger,
                                         fmi3IntermediateUpdateCallback intermediate) {
  (void)name, (void)visible, (void)logging, (void)has_events, (void)early, (void)required;
  (void)count, (void)intermediate;
  return make(token, place, 0, environment, logger);
}
void fmi3FreeInstance(fmi3Instance c) { free(c); }
fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean has_tolerance,
                                       fmi3Float64 tolerance, fmi3Float64 start,
                                       fmi3Boolean has_stop, fmi3Float64 stop) {
  (void)has_tolerance, (void)tolerance, (void)has_stop, (void)stop;
  ((model *)c)->t = start;
  return fmi3OK;
}
fmi3Status fmi3ExitInitializationMode(fmi3Instance c) { return c ? fmi3OK : fmi3Error; }
fmi3Status fmi3Terminate(fmi3Instance c) { return c ? fmi3OK : fmi3Error; }
#define VALUES_OF(type)                                                                            \
  fmi3Status fmi3Get##type(fmi3Instance c, const fmi3ValueReference r[], size_t n,                 \
                           fmi3##type value[], size_t count) {                                     \
    (void)count;                                                                                   \
    model_rates(c);                                                                                \
    for (size_t k = 0; k < n; k++) value[k] = (fmi3##type)((model *)c)->value[r[k]];               \
    return fmi3OK;                                                                                 \
  }                                                                                                \
  fmi3Status fmi3Set##type(fmi3Instance c, const fmi3ValueReference r[], size_t n,                 \
                           const fmi3##type value[], size_t count) {                               \
    (void)count;                                                                                   \
    for (size_t k = 0; k < n; k++) ((model *)c)->value[r[k]] = (double)value[k];                   \
    return fmi3OK;                                                                                 \
  }
VALUES_OF(Float64)
VALUES_OF(Float32)
VALUES_OF(Int8)
VALUES_OF(UInt8)
VALUES_OF(Int16)
VALUES_OF(UInt16)
VALUES_OF(Int32)
VALUES_OF(UInt32)
VALUES_OF(Int64)
VALUES_OF(UInt64)
VALUES_OF(Boolean)
fmi3Status fmi3SetString(fmi3Instance c, const fmi3ValueReference r[], size_t n,
                         const fmi3String value[], size_t count) {
  (void)c, (void)r, (void)n, (void)value, (void)count;
  return fmi3OK;
}
fmi3Status fmi3GetFMUState(fmi3Instance c, fmi3FMUState *state) {
  if (!*state) *state = malloc(sizeof(model));
  memcpy(*state, c, sizeof(model));
  return fmi3OK;
}
fmi3Status fmi3SetFMUState(fmi3Instance c, fmi3FMUState state) {
  memcpy(c, state, sizeof(model));
  return fmi3OK;
}
fmi3Status fmi3FreeFMUState(fmi3Instance c, fmi3FMUState *state) {
  (void)c;
  free(*state);
  *state = NULL;
  return fmi3OK;
}
fmi3Status fmi3SerializedFMUStateSize(fmi3Instance c, fmi3FMUState state, size_t *size) {
  (void)c, (void)state;
  *size = sizeof(model);
  return fmi3OK;
}
fmi3Status fmi3SerializeFMUState(fmi3Instance c, fmi3FMUState state, fmi3Byte bytes[],
                                 size_t size) {
  (void)c;
  memcpy(bytes, state, size);
  return fmi3OK;
}
fmi3Status fmi3DeserializeFMUState(fmi3Instance c, const fmi3Byte bytes[], size_t size,
                                   fmi3FMUState *state) {
  *state = malloc(sizeof(model));
  memcpy(*state, bytes, size);
  ((model *)*state)->environment = ((model *)c)->environment;
  ((model *)*state)->logger = ((model *)c)->logger;
  return fmi3OK;
}
fmi3Status fmi3EnterEventMode(fmi3Instance c) { return c ? fmi3OK : fmi3Error; }
fmi3Status fmi3UpdateDiscreteStates(fmi3Instance c, fmi3Boolean *again, fmi3Boolean *ends,
                                    fmi3Boolean *new_nominals, fmi3Boolean *new_states,
                                    fmi3Boolean *has_time, fmi3Float64 *next) {
  model *m = c;
  *again = *new_nominals = false;
  *new_states = model_event(m);
  *has_time = m->kind == CLOCK;
  *next = m->next;
  *ends = m->kind == CLOCK && m->t > 0.95;
  return fmi3OK;
}
fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance c) { return c ? fmi3OK : fmi3Error; }
fmi3Status fmi3CompletedIntegratorStep(fmi3Instance c, fmi3Boolean no_restore, fmi3Boolean *event,
                                       fmi3Boolean *ends) {
  (void)c, (void)no_restore;
  *event = *ends = false;
  return fmi3OK;
}
fmi3Status fmi3SetTime(fmi3Instance c, fmi3Float64 time) {
  ((model *)c)->t = time;
  return fmi3OK;
}
fmi3Status fmi3SetContinuousStates(fmi3Instance c, const fmi3Float64 x[], size_t n) {
  memcpy(((model *)c)->value, x, n * sizeof *x);
  return fmi3OK;
}
fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance c, fmi3Float64 x[], size_t n) {
  model *m = c;
  model_rates(m);
  memcpy(x, &m->value[D0], n * sizeof *x);
  return trouble(m, m->t);
}
fmi3Status fmi3GetEventIndicators(fmi3Instance c, fmi3Float64 z[], size_t n) {
  if (n > 0) z[0] = model_indicator(c);
  return fmi3OK;
}
fmi3Status fmi3GetContinuousStates(fmi3Instance c, fmi3Float64 x[], size_t n) {
  memcpy(x, ((model *)c)->value, n * sizeof *x);
  return fmi3OK;
}
fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance c, fmi3Float64 x[], size_t n) {
  (void)c;
  for (size_t k = 0; k < n; k++) x[k] = 1;
  return fmi3OK;
}
fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 time, fmi3Float64 size, fmi3Boolean no_restore,
                      fmi3Boolean *event, fmi3Boolean *ends, fmi3Boolean *is_early,
                      fmi3Float64 *reached) {
  model *m = c;
  (void)no_restore;
  *event = *ends = *is_early = false;
  *reached = time + size;
  fmi3Status status = trouble(m, time + size);
  if (status == fmi3OK && fabs(m->t - time) > 1e-9) status = fmi3Error;
  if (status != fmi3OK) return status;
  if (m->kind == STALLS && time >= 0.5) {
    *is_early = true;
    *reached = time;
    return fmi3OK;
  }
  model_step(m, size);
  return fmi3OK;
}
