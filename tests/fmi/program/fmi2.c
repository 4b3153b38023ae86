// FMI 2.0 of the FMU for tests: see model.h.
#include "../../../tools/fmu/fmi2.h"
#include "model.h"

typedef void (*log_function)(fmi2ComponentEnvironment environment, fmi2String instance,
                             fmi2Status status, fmi2String category, fmi2String message, ...);

static fmi2Status trouble(model *m, double end) {
  const int status = model_trouble(m, end);
  if (status == 3 && m->logger)
    ((log_function)(size_t)m->logger)(m->environment, "unit", fmi2Error, "error", "the %s is %d",
                                      "spring", 42);
  return (fmi2Status)status;
}

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String token, fmi2String place,
                              const fmi2CallbackFunctions *functions, fmi2Boolean visible,
                              fmi2Boolean logging) {
  model *m = strncmp(place, "file:///", 8) == 0 ? model_make(token) : NULL;
  (void)name, (void)visible, (void)logging;
  if (!m) return NULL;
  m->is_exchange = type == fmi2ModelExchange;
  m->environment = functions->componentEnvironment;
  m->logger = (void *)(size_t)functions->logger;
  return m;
}
void fmi2FreeInstance(fmi2Component c) { free(c); }
fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean has_tolerance, fmi2Real tolerance,
                               fmi2Real start, fmi2Boolean has_stop, fmi2Real stop) {
  (void)has_tolerance, (void)tolerance, (void)has_stop, (void)stop;
  ((model *)c)->t = start;
  return fmi2OK;
}
fmi2Status fmi2EnterInitializationMode(fmi2Component c) { return c ? fmi2OK : fmi2Error; }
fmi2Status fmi2ExitInitializationMode(fmi2Component c) { return c ? fmi2OK : fmi2Error; }
fmi2Status fmi2Terminate(fmi2Component c) { return c ? fmi2OK : fmi2Error; }
fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference r[], size_t n, fmi2Real value[]) {
  model_rates(c);
  for (size_t k = 0; k < n; k++) value[k] = ((model *)c)->value[r[k]];
  return fmi2OK;
}
fmi2Status fmi2GetInteger(fmi2Component c, const fmi2ValueReference r[], size_t n,
                          fmi2Integer value[]) {
  for (size_t k = 0; k < n; k++) value[k] = (int)((model *)c)->value[r[k]];
  return fmi2OK;
}
fmi2Status fmi2GetBoolean(fmi2Component c, const fmi2ValueReference r[], size_t n,
                          fmi2Boolean value[]) {
  return fmi2GetInteger(c, r, n, value);
}
fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference r[], size_t n,
                       const fmi2Real value[]) {
  for (size_t k = 0; k < n; k++) ((model *)c)->value[r[k]] = value[k];
  return fmi2OK;
}
fmi2Status fmi2SetInteger(fmi2Component c, const fmi2ValueReference r[], size_t n,
                          const fmi2Integer value[]) {
  for (size_t k = 0; k < n; k++) ((model *)c)->value[r[k]] = value[k];
  return fmi2OK;
}
fmi2Status fmi2SetBoolean(fmi2Component c, const fmi2ValueReference r[], size_t n,
                          const fmi2Boolean value[]) {
  return fmi2SetInteger(c, r, n, value);
}
fmi2Status fmi2SetString(fmi2Component c, const fmi2ValueReference r[], size_t n,
                         const fmi2String value[]) {
  (void)c, (void)r, (void)n, (void)value;
  return fmi2OK;
}
fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *state) {
  if (!*state) *state = malloc(sizeof(model));
  memcpy(*state, c, sizeof(model));
  return fmi2OK;
}
fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state) {
  memcpy(c, state, sizeof(model));
  return fmi2OK;
}
fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *state) {
  (void)c;
  free(*state);
  *state = NULL;
  return fmi2OK;
}
fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state, size_t *size) {
  (void)c, (void)state;
  *size = sizeof(model);
  return fmi2OK;
}
fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[],
                                 size_t size) {
  (void)c;
  memcpy(bytes, state, size);
  return fmi2OK;
}
fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[], size_t size,
                                   fmi2FMUstate *state) {
  *state = malloc(sizeof(model));
  memcpy(*state, bytes, size);
  ((model *)*state)->environment = ((model *)c)->environment;
  ((model *)*state)->logger = ((model *)c)->logger;
  return fmi2OK;
}
fmi2Status fmi2EnterEventMode(fmi2Component c) { return c ? fmi2OK : fmi2Error; }
fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo *info) {
  model *m = c;
  *info = (fmi2EventInfo){.valuesOfContinuousStatesChanged = model_event(m)};
  info->nextEventTimeDefined = m->kind == CLOCK;
  info->nextEventTime = m->next;
  info->terminateSimulation = m->kind == CLOCK && m->t > 0.95;
  return fmi2OK;
}
fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c) { return c ? fmi2OK : fmi2Error; }
fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean no_restore, fmi2Boolean *event,
                                       fmi2Boolean *ends) {
  (void)c, (void)no_restore;
  *event = *ends = 0;
  return fmi2OK;
}
fmi2Status fmi2SetTime(fmi2Component c, fmi2Real time) {
  ((model *)c)->t = time;
  return fmi2OK;
}
fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real x[], size_t n) {
  memcpy(((model *)c)->value, x, n * sizeof *x);
  return fmi2OK;
}
fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real x[], size_t n) {
  model *m = c;
  model_rates(m);
  memcpy(x, &m->value[D0], n * sizeof *x);
  return trouble(m, m->t);
}
fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real z[], size_t n) {
  if (n > 0) z[0] = model_indicator(c);
  return fmi2OK;
}
fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real x[], size_t n) {
  memcpy(x, ((model *)c)->value, n * sizeof *x);
  return fmi2OK;
}
fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real x[], size_t n) {
  (void)c;
  for (size_t k = 0; k < n; k++) x[k] = 1;
  return fmi2OK;
}
fmi2Status fmi2DoStep(fmi2Component c, fmi2Real time, fmi2Real size, fmi2Boolean no_restore) {
  (void)no_restore;
  fmi2Status status = trouble(c, time + size);
  if (status == fmi2OK && fabs(((model *)c)->t - time) > 1e-9) status = fmi2Error;
  if (status == fmi2OK) model_step(c, size);
  return status;
}
fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Real *value) {
  (void)kind;
  *value = ((model *)c)->t;
  return fmi2OK;
}
fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Boolean *value) {
  (void)c, (void)kind;
  *value = 0;
  return fmi2OK;
}
