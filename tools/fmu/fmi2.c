// FMI 2.0 over a part: Co-Simulation and Model Exchange.
#include "fmi2.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct instance {
  part *p;
  char *name;
  fmi2CallbackFunctions functions;
  double reached; // by the last step
} instance;

// ---- messages -----------------------------------------------------------------------------------

static void report(const fmi2CallbackFunctions *f, const char *name, fmi2Status status,
                   const char *text) {
  if (f && f->logger)
    f->logger(f->componentEnvironment, name ? name : "", status, "logStatusError", "%s", text);
}

static fmi2Status fails(instance *i, fmi2Status status, const hn_error *error) {
  char text[2600];
  hn_error_format(error, text, sizeof text);
  report(&i->functions, i->name, status, text);
  return status;
}

static fmi2Status answer(instance *i, hn_status status) {
  return status == HN_OK ? fmi2OK : fails(i, fmi2Error, &i->p->error);
}

// A state at which the model has no rates: the importing program may try a nearer one.
static fmi2Status answer_trial(instance *i, hn_status status) {
  return status > HN_OK ? fails(i, fmi2Discard, &i->p->error) : answer(i, status);
}

static fmi2Status unsupported(instance *i, const char *function) {
  char text[160];
  if (!i) return fmi2Error;
  snprintf(text, sizeof text, "%s is not supported by this FMU.", function);
  report(&i->functions, i->name, fmi2Error, text);
  return fmi2Error;
}

// ---- life ---------------------------------------------------------------------------------------

const char *fmi2GetTypesPlatform(void) { return "default"; }
const char *fmi2GetVersion(void) { return "2.0"; }

static int hex(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// The folder that a URI names: file:///a%20b, file:/a, file://host/a; a plain path stays. For
// free().
static char *folder_of(const char *uri) {
  if (!uri) return NULL;
  if (strncmp(uri, "file:", 5) == 0) {
    uri += 5;
    if (strncmp(uri, "//", 2) == 0) {
      uri += 2;
      const char *slash = strchr(uri, '/');
      if (slash) uri = slash;
    }
    if (uri[0] == '/' && uri[1] && uri[2] == ':') uri++; // /C:/...
  }
  char *path = malloc(strlen(uri) + 1), *to = path;
  for (; path && *uri; uri++) {
    const int high = *uri == '%' && uri[1] ? hex(uri[1]) : -1;
    const int low = high >= 0 ? hex(uri[2]) : -1;
    *to++ = low >= 0 ? (char)(16 * high + low) : *uri;
    if (low >= 0) uri += 2;
  }
  if (path) *to = '\0';
  return path;
}

fmi2Component fmi2Instantiate(fmi2String instanceName, fmi2Type fmuType, fmi2String fmuGUID,
                              fmi2String fmuResourceLocation,
                              const fmi2CallbackFunctions *functions, fmi2Boolean visible,
                              fmi2Boolean loggingOn) {
  (void)visible, (void)loggingOn;
  hn_error error = {0};
  instance *i = calloc(1, sizeof *i);
  char *folder = folder_of(fmuResourceLocation);
  if (i) i->name = malloc(strlen(instanceName ? instanceName : "") + 1);
  if (!i || !i->name || !folder) {
    report(functions, instanceName, fmi2Error,
           folder ? "out of memory"
                  : "no resource location was given. Give the URI of the folder.");
    if (i) free(i->name);
    free(i);
    free(folder);
    return NULL;
  }
  strcpy(i->name, instanceName ? instanceName : "");
  if (functions) i->functions = *functions;
  i->p = part_create(folder, fmuGUID, fmuType == fmi2ModelExchange, &error);
  free(folder);
  if (i->p) return i;
  fails(i, fmi2Error, &error);
  fmi2FreeInstance(i);
  return NULL;
}

void fmi2FreeInstance(fmi2Component c) {
  instance *i = c;
  if (!i) return;
  part_free(i->p);
  free(i->name);
  free(i);
}

fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean loggingOn, size_t nCategories,
                               const fmi2String categories[]) {
  (void)loggingOn, (void)nCategories, (void)categories; // errors alone are logged, always
  return c ? fmi2OK : fmi2Error;
}

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean toleranceDefined, fmi2Real tolerance,
                               fmi2Real startTime, fmi2Boolean stopTimeDefined, fmi2Real stopTime) {
  instance *i = c;
  if (!i) return fmi2Error;
  i->p->start = startTime;
  i->p->stop = stopTimeDefined ? stopTime : HUGE_VAL;
  i->p->tolerance = toleranceDefined ? tolerance : 0;
  return fmi2OK;
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c) {
  instance *i = c;
  return i ? answer(i, part_initialize(i->p, i->p->start, i->p->stop, i->p->tolerance)) : fmi2Error;
}

fmi2Status fmi2ExitInitializationMode(fmi2Component c) {
  instance *i = c;
  return i ? answer(i, part_started(i->p)) : fmi2Error;
}

fmi2Status fmi2Terminate(fmi2Component c) {
  if (c) ((instance *)c)->p->stage = PART_TERMINATED;
  return c ? fmi2OK : fmi2Error;
}

fmi2Status fmi2Reset(fmi2Component c) {
  if (c) part_reset(((instance *)c)->p);
  return c ? fmi2OK : fmi2Error;
}

// ---- values -------------------------------------------------------------------------------------

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                       fmi2Real value[]) {
  instance *i = c;
  return i ? answer_trial(i, part_get(i->p, vr, nvr, value)) : fmi2Error;
}

fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                       const fmi2Real value[]) {
  instance *i = c;
  return i ? answer(i, part_set(i->p, vr, nvr, value)) : fmi2Error;
}

// All variables are Real.
#define NO_VALUES(Kind, in, Type)                                                                  \
  fmi2Status fmi2##Kind(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,                \
                        in Type value[]) {                                                         \
    (void)vr;                                                                                      \
    (void)value;                                                                                   \
    return nvr == 0 ? fmi2OK : unsupported(c, "fmi2" #Kind);                                       \
  }
#define OUT
NO_VALUES(GetInteger, OUT, fmi2Integer)
NO_VALUES(GetBoolean, OUT, fmi2Boolean)
NO_VALUES(GetString, OUT, fmi2String)
NO_VALUES(SetInteger, const, fmi2Integer)
NO_VALUES(SetBoolean, const, fmi2Boolean)
NO_VALUES(SetString, const, fmi2String)

fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                                       const fmi2Integer order[], const fmi2Real value[]) {
  instance *i = c;
  if (!i) return fmi2Error;
  for (size_t k = 0; k < nvr; k++) {
    if (order[k] != 1) {
      report(&i->functions, i->name, fmi2Error,
             "inputs have derivatives of order 1. Give order 1.");
      return fmi2Error;
    }
    if (part_set_rate(i->p, vr[k], value[k]) != HN_OK) return fails(i, fmi2Error, &i->p->error);
  }
  return fmi2OK;
}

fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                                        const fmi2Integer order[], fmi2Real value[]) {
  (void)vr;
  (void)order;
  (void)value;
  return nvr == 0 ? fmi2OK : unsupported(c, "fmi2GetRealOutputDerivatives");
}

fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference vUnknown_ref[],
                                        size_t nUnknown, const fmi2ValueReference vKnown_ref[],
                                        size_t nKnown, const fmi2Real dvKnown[],
                                        fmi2Real dvUnknown[]) {
  instance *i = c;
  if (!i) return fmi2Error;
  const part_unknowns of = {vUnknown_ref, vKnown_ref, nUnknown, nKnown};
  return answer_trial(i, part_derivative(i->p, &of, dvKnown, dvUnknown));
}

// ---- saved states -------------------------------------------------------------------------------

fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *FMUstate) {
  instance *i = c;
  part_copy *copy = *FMUstate;
  if (!i) return fmi2Error;
  hn_status status = part_keep(i->p, &copy);
  *FMUstate = copy;
  return answer(i, status);
}

fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate FMUstate) {
  instance *i = c;
  const part_copy *copy = FMUstate;
  return i && copy ? answer(i, part_restore(i->p, copy->block, copy->size)) : fmi2Error;
}

fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *FMUstate) {
  (void)c;
  if (!FMUstate) return fmi2OK;
  part_drop(*FMUstate);
  *FMUstate = NULL;
  return fmi2OK;
}

fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate FMUstate, size_t *size) {
  const part_copy *copy = FMUstate;
  if (!c || !copy) return fmi2Error;
  *size = copy->size;
  return fmi2OK;
}

fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate FMUstate, fmi2Byte serializedState[],
                                 size_t size) {
  const part_copy *copy = FMUstate;
  if (!c || !copy || size < copy->size) return fmi2Error;
  memcpy(serializedState, copy->block, copy->size);
  return fmi2OK;
}

fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte serializedState[], size_t size,
                                   fmi2FMUstate *FMUstate) {
  part_copy *copy = c ? part_copy_of(serializedState, size) : NULL;
  if (!copy) return fmi2Error;
  *FMUstate = copy;
  return fmi2OK;
}

// ---- Co-Simulation ------------------------------------------------------------------------------

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real currentCommunicationPoint,
                      fmi2Real communicationStepSize,
                      fmi2Boolean noSetFMUStatePriorToCurrentPoint) {
  (void)noSetFMUStatePriorToCurrentPoint;
  instance *i = c;
  if (!i) return fmi2Error;
  hn_status status = part_at(i->p, currentCommunicationPoint, communicationStepSize);
  if (status != HN_OK) return answer(i, status);
  status = part_step(i->p, communicationStepSize, NULL, &i->reached);
  if (status == HN_OK) return fmi2OK;
  i->p->is_terminated = 1;
  return fails(i, fmi2Discard, &i->p->error);
}

fmi2Status fmi2CancelStep(fmi2Component c) { return unsupported(c, "fmi2CancelStep"); }

fmi2Status fmi2GetStatus(fmi2Component c, const fmi2StatusKind s, fmi2Status *value) {
  if (!c || s != fmi2DoStepStatus) return fmi2Discard;
  *value = ((instance *)c)->p->stage == PART_FAILED ? fmi2Discard : fmi2OK;
  return fmi2OK;
}

fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind s, fmi2Real *value) {
  if (!c || s != fmi2LastSuccessfulTime) return fmi2Discard;
  *value = ((instance *)c)->reached;
  return fmi2OK;
}

fmi2Status fmi2GetIntegerStatus(fmi2Component c, const fmi2StatusKind s, fmi2Integer *value) {
  (void)c;
  (void)s;
  (void)value;
  return fmi2Discard;
}

fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind s, fmi2Boolean *value) {
  if (!c || s != fmi2Terminated) return fmi2Discard;
  *value = ((instance *)c)->p->is_terminated;
  return fmi2OK;
}

fmi2Status fmi2GetStringStatus(fmi2Component c, const fmi2StatusKind s, fmi2String *value) {
  if (!c || s != fmi2PendingStatus) return fmi2Discard;
  *value = "";
  return fmi2OK;
}

// ---- Model Exchange -----------------------------------------------------------------------------

fmi2Status fmi2EnterEventMode(fmi2Component c) {
  instance *i = c;
  return i ? answer(i, part_enter_events(i->p)) : fmi2Error;
}

fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo *fmi2eventInfo) {
  instance *i = c;
  part_events events = {.next = HUGE_VAL};
  if (!i) return fmi2Error;
  hn_status status = part_update(i->p, &events);
  *fmi2eventInfo = (fmi2EventInfo){.valuesOfContinuousStatesChanged = events.is_new,
                                   .terminateSimulation = status != HN_OK,
                                   .nextEventTimeDefined = events.next < HUGE_VAL,
                                   .nextEventTime = events.next < HUGE_VAL ? events.next : 0};
  return answer(i, status);
}

fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c) {
  instance *i = c;
  return i ? answer(i, part_continue(i->p)) : fmi2Error;
}

fmi2Status fmi2CompletedIntegratorStep(fmi2Component c,
                                       fmi2Boolean noSetFMUStatePriorToCurrentPoint,
                                       fmi2Boolean *enterEventMode,
                                       fmi2Boolean *terminateSimulation) {
  (void)noSetFMUStatePriorToCurrentPoint;
  instance *i = c;
  int is_event = 0;
  if (!i) return fmi2Error;
  hn_status status = part_complete(i->p, &is_event);
  *enterEventMode = is_event;
  *terminateSimulation = fmi2False;
  return answer_trial(i, status);
}

fmi2Status fmi2SetTime(fmi2Component c, fmi2Real time) {
  instance *i = c;
  return i ? answer(i, part_set_time(i->p, time)) : fmi2Error;
}

fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real x[], size_t nx) {
  instance *i = c;
  return i ? answer(i, part_set_states(i->p, x, nx)) : fmi2Error;
}

fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real derivatives[], size_t nx) {
  instance *i = c;
  return i ? answer_trial(i, part_get_rates(i->p, derivatives, nx)) : fmi2Error;
}

fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real eventIndicators[], size_t ni) {
  instance *i = c;
  return i ? answer_trial(i, part_get_indicators(i->p, eventIndicators, ni)) : fmi2Error;
}

fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real x[], size_t nx) {
  instance *i = c;
  return i ? answer(i, part_get_states(i->p, x, nx)) : fmi2Error;
}

fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real x_nominal[], size_t nx) {
  instance *i = c;
  return i ? answer(i, part_get_nominals(i->p, x_nominal, nx)) : fmi2Error;
}
