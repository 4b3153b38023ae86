// FMI 3.0 over a part: Co-Simulation with early return, event mode and intermediate update, and Model
// Exchange. Functions of Scheduled Execution and clocks report that they are not supported.
#include "fmi3.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct instance {
  part *p;
  char *name;
  fmi3InstanceEnvironment environment;
  fmi3LogMessageCallback log;
  fmi3IntermediateUpdateCallback update;
  int has_events, returns_early; // as the importer wishes
  int is_stopped;                // by an intermediate update
} instance;

// ---- messages -----------------------------------------------------------------------------------

static fmi3Status report(const instance *i, fmi3Status status, const char *text) {
  if (i->log) i->log(i->environment, status, "logStatusError", text);
  return status;
}

static fmi3Status fails(const instance *i, fmi3Status status, const hn_error *error) {
  char text[2600];
  hn_error_format(error, text, sizeof text);
  return report(i, status, text);
}

static fmi3Status answer(const instance *i, hn_status status) {
  return status == HN_OK ? fmi3OK : fails(i, fmi3Error, &i->p->error);
}

// A state at which the model has no rates: the importing program may try a nearer one.
static fmi3Status answer_trial(const instance *i, hn_status status) {
  return status > HN_OK ? fails(i, fmi3Discard, &i->p->error) : answer(i, status);
}

static fmi3Status unsupported(const instance *i, const char *function) {
  char text[160];
  if (!i) return fmi3Error;
  snprintf(text, sizeof text, "%s is not supported by this FMU.", function);
  return report(i, fmi3Error, text);
}

// ---- life ---------------------------------------------------------------------------------------

const char *fmi3GetVersion(void) { return "3.0"; }

static fmi3Instance instantiate(const instance *given, fmi3String instanceName,
                                fmi3String instantiationToken, fmi3String resourcePath,
                                int is_exchange) {
  hn_error error = {0};
  instance *i = calloc(1, sizeof *i);
  if (!i) return NULL;
  *i = *given;
  const char *name = instanceName ? instanceName : "";
  i->name = malloc(strlen(name) + 1);
  if (i->name) strcpy(i->name, name);
  i->p = i->name ? part_create(resourcePath, instantiationToken, is_exchange, &error) : NULL;
  if (i->p) return i;
  fails(i, fmi3Error, &error);
  fmi3FreeInstance(i);
  return NULL;
}

fmi3Instance fmi3InstantiateModelExchange(fmi3String instanceName, fmi3String instantiationToken,
                                          fmi3String resourcePath, fmi3Boolean visible,
                                          fmi3Boolean loggingOn,
                                          fmi3InstanceEnvironment instanceEnvironment,
                                          fmi3LogMessageCallback logMessage) {
  (void)visible, (void)loggingOn;
  return instantiate(&(instance){.environment = instanceEnvironment, .log = logMessage},
                     instanceName, instantiationToken, resourcePath, 1);
}

fmi3Instance fmi3InstantiateScheduledExecution(
    fmi3String instanceName, fmi3String instantiationToken, fmi3String resourcePath,
    fmi3Boolean visible, fmi3Boolean loggingOn, fmi3InstanceEnvironment instanceEnvironment,
    fmi3LogMessageCallback logMessage, fmi3ClockUpdateCallback clockUpdate,
    fmi3LockPreemptionCallback lockPreemption, fmi3UnlockPreemptionCallback unlockPreemption) {
  (void)instanceName, (void)instantiationToken, (void)resourcePath, (void)visible, (void)loggingOn;
  (void)clockUpdate, (void)lockPreemption, (void)unlockPreemption;
  unsupported(&(instance){.environment = instanceEnvironment, .log = logMessage},
              "fmi3InstantiateScheduledExecution");
  return NULL;
}

fmi3Instance fmi3InstantiateCoSimulation(
    fmi3String instanceName, fmi3String instantiationToken, fmi3String resourcePath,
    fmi3Boolean visible, fmi3Boolean loggingOn, fmi3Boolean eventModeUsed,
    fmi3Boolean earlyReturnAllowed, const fmi3ValueReference requiredIntermediateVariables[],
    size_t nRequiredIntermediateVariables, fmi3InstanceEnvironment instanceEnvironment,
    fmi3LogMessageCallback logMessage, fmi3IntermediateUpdateCallback intermediateUpdate) {
  (void)visible, (void)loggingOn;
  (void)requiredIntermediateVariables, (void)nRequiredIntermediateVariables;
  return instantiate(&(instance){.environment = instanceEnvironment,
                                 .log = logMessage,
                                 .update = intermediateUpdate,
                                 .has_events = eventModeUsed,
                                 .returns_early = earlyReturnAllowed},
                     instanceName, instantiationToken, resourcePath, 0);
}

void fmi3FreeInstance(fmi3Instance instance_) {
  instance *i = instance_;
  if (!i) return;
  part_free(i->p);
  free(i->name);
  free(i);
}

fmi3Status fmi3SetDebugLogging(fmi3Instance instance_, fmi3Boolean loggingOn, size_t nCategories,
                               const fmi3String categories[]) {
  (void)loggingOn, (void)nCategories, (void)categories;
  return instance_ ? fmi3OK : fmi3Error;
}

fmi3Status fmi3EnterInitializationMode(fmi3Instance instance_, fmi3Boolean toleranceDefined,
                                       fmi3Float64 tolerance, fmi3Float64 startTime,
                                       fmi3Boolean stopTimeDefined, fmi3Float64 stopTime) {
  instance *i = instance_;
  if (!i) return fmi3Error;
  return answer(i, part_initialize(i->p, startTime, stopTimeDefined ? stopTime : HUGE_VAL,
                                   toleranceDefined ? tolerance : 0));
}

fmi3Status fmi3ExitInitializationMode(fmi3Instance instance_) {
  instance *i = instance_;
  if (!i) return fmi3Error;
  fmi3Status status = answer(i, part_started(i->p));
  if (status == fmi3OK && i->has_events) i->p->stage = PART_EVENT;
  return status;
}

fmi3Status fmi3Terminate(fmi3Instance instance_) {
  if (instance_) ((instance *)instance_)->p->stage = PART_TERMINATED;
  return instance_ ? fmi3OK : fmi3Error;
}

fmi3Status fmi3Reset(fmi3Instance instance_) {
  if (instance_) part_reset(((instance *)instance_)->p);
  return instance_ ? fmi3OK : fmi3Error;
}

// ---- values -------------------------------------------------------------------------------------

static fmi3Status wrong_count(const instance *i, size_t references, size_t values) {
  char text[120];
  snprintf(text, sizeof text, "%zu values for %zu variables. Give one value each.", values,
           references);
  return report(i, fmi3Error, text);
}

fmi3Status fmi3GetFloat64(fmi3Instance instance_, const fmi3ValueReference valueReferences[],
                          size_t nValueReferences, fmi3Float64 values[], size_t nValues) {
  instance *i = instance_;
  if (!i) return fmi3Error;
  if (nValues != nValueReferences) return wrong_count(i, nValueReferences, nValues);
  return answer_trial(i, part_get(i->p, valueReferences, nValueReferences, values));
}

fmi3Status fmi3SetFloat64(fmi3Instance instance_, const fmi3ValueReference valueReferences[],
                          size_t nValueReferences, const fmi3Float64 values[], size_t nValues) {
  instance *i = instance_;
  if (!i) return fmi3Error;
  if (nValues != nValueReferences) return wrong_count(i, nValueReferences, nValues);
  return answer(i, part_set(i->p, valueReferences, nValueReferences, values));
}

// All variables are Float64.
#define NO_VALUES(Type)                                                                            \
  fmi3Status fmi3Get##Type(fmi3Instance instance_, const fmi3ValueReference valueReferences[],     \
                           size_t nValueReferences, fmi3##Type values[], size_t nValues) {         \
    (void)valueReferences, (void)values, (void)nValues;                                            \
    return nValueReferences == 0 ? fmi3OK : unsupported(instance_, "fmi3Get" #Type);               \
  }                                                                                                \
  fmi3Status fmi3Set##Type(fmi3Instance instance_, const fmi3ValueReference valueReferences[],     \
                           size_t nValueReferences, const fmi3##Type values[], size_t nValues) {   \
    (void)valueReferences, (void)values, (void)nValues;                                            \
    return nValueReferences == 0 ? fmi3OK : unsupported(instance_, "fmi3Set" #Type);               \
  }
NO_VALUES(Float32)
NO_VALUES(Int8)
NO_VALUES(UInt8)
NO_VALUES(Int16)
NO_VALUES(UInt16)
NO_VALUES(Int32)
NO_VALUES(UInt32)
NO_VALUES(Int64)
NO_VALUES(UInt64)
NO_VALUES(Boolean)
NO_VALUES(String)

fmi3Status fmi3GetBinary(fmi3Instance instance_, const fmi3ValueReference valueReferences[],
                         size_t nValueReferences, size_t valueSizes[], fmi3Binary values[],
                         size_t nValues) {
  (void)valueReferences, (void)valueSizes, (void)values, (void)nValues;
  return nValueReferences == 0 ? fmi3OK : unsupported(instance_, "fmi3GetBinary");
}

fmi3Status fmi3SetBinary(fmi3Instance instance_, const fmi3ValueReference valueReferences[],
                         size_t nValueReferences, const size_t valueSizes[],
                         const fmi3Binary values[], size_t nValues) {
  (void)valueReferences, (void)valueSizes, (void)values, (void)nValues;
  return nValueReferences == 0 ? fmi3OK : unsupported(instance_, "fmi3SetBinary");
}

fmi3Status fmi3GetClock(fmi3Instance instance_, const fmi3ValueReference valueReferences[],
                        size_t nValueReferences, fmi3Clock values[]) {
  (void)valueReferences, (void)values;
  return nValueReferences == 0 ? fmi3OK : unsupported(instance_, "fmi3GetClock");
}

fmi3Status fmi3SetClock(fmi3Instance instance_, const fmi3ValueReference valueReferences[],
                        size_t nValueReferences, const fmi3Clock values[]) {
  (void)valueReferences, (void)values;
  return nValueReferences == 0 ? fmi3OK : unsupported(instance_, "fmi3SetClock");
}

fmi3Status fmi3GetOutputDerivatives(fmi3Instance instance_,
                                    const fmi3ValueReference valueReferences[],
                                    size_t nValueReferences, const fmi3Int32 orders[],
                                    fmi3Float64 values[], size_t nValues) {
  (void)valueReferences, (void)orders, (void)values, (void)nValues;
  return nValueReferences == 0 ? fmi3OK : unsupported(instance_, "fmi3GetOutputDerivatives");
}

fmi3Status fmi3GetNumberOfVariableDependencies(fmi3Instance instance_,
                                               fmi3ValueReference valueReference,
                                               size_t *nDependencies) {
  (void)valueReference, (void)nDependencies;
  return unsupported(instance_, "fmi3GetNumberOfVariableDependencies");
}

fmi3Status fmi3GetVariableDependencies(fmi3Instance instance_, fmi3ValueReference dependent,
                                       size_t elementIndicesOfDependent[],
                                       fmi3ValueReference independents[],
                                       size_t elementIndicesOfIndependents[],
                                       fmi3DependencyKind dependencyKinds[], size_t nDependencies) {
  (void)dependent, (void)elementIndicesOfDependent, (void)independents;
  (void)elementIndicesOfIndependents, (void)dependencyKinds, (void)nDependencies;
  return unsupported(instance_, "fmi3GetVariableDependencies");
}

// ---- saved states -------------------------------------------------------------------------------

fmi3Status fmi3GetFMUState(fmi3Instance instance_, fmi3FMUState *FMUState) {
  instance *i = instance_;
  part_copy *copy = *FMUState;
  if (!i) return fmi3Error;
  hn_status status = part_keep(i->p, &copy);
  *FMUState = copy;
  return answer(i, status);
}

fmi3Status fmi3SetFMUState(fmi3Instance instance_, fmi3FMUState FMUState) {
  instance *i = instance_;
  const part_copy *copy = FMUState;
  return i && copy ? answer(i, part_restore(i->p, copy->block, copy->size)) : fmi3Error;
}

fmi3Status fmi3FreeFMUState(fmi3Instance instance_, fmi3FMUState *FMUState) {
  (void)instance_;
  if (!FMUState) return fmi3OK;
  part_drop(*FMUState);
  *FMUState = NULL;
  return fmi3OK;
}

fmi3Status fmi3SerializedFMUStateSize(fmi3Instance instance_, fmi3FMUState FMUState, size_t *size) {
  const part_copy *copy = FMUState;
  if (!instance_ || !copy) return fmi3Error;
  *size = copy->size;
  return fmi3OK;
}

fmi3Status fmi3SerializeFMUState(fmi3Instance instance_, fmi3FMUState FMUState,
                                 fmi3Byte serializedState[], size_t size) {
  const part_copy *copy = FMUState;
  if (!instance_ || !copy || size < copy->size) return fmi3Error;
  memcpy(serializedState, copy->block, copy->size);
  return fmi3OK;
}

fmi3Status fmi3DeserializeFMUState(fmi3Instance instance_, const fmi3Byte serializedState[],
                                   size_t size, fmi3FMUState *FMUState) {
  part_copy *copy = instance_ ? part_copy_of(serializedState, size) : NULL;
  if (!copy) return fmi3Error;
  *FMUState = copy;
  return fmi3OK;
}

// ---- derivatives --------------------------------------------------------------------------------

fmi3Status fmi3GetDirectionalDerivative(fmi3Instance instance_, const fmi3ValueReference unknowns[],
                                        size_t nUnknowns, const fmi3ValueReference knowns[],
                                        size_t nKnowns, const fmi3Float64 seed[], size_t nSeed,
                                        fmi3Float64 sensitivity[], size_t nSensitivity) {
  instance *i = instance_;
  if (!i) return fmi3Error;
  if (nSeed != nKnowns) return wrong_count(i, nKnowns, nSeed);
  if (nSensitivity != nUnknowns) return wrong_count(i, nUnknowns, nSensitivity);
  const part_unknowns of = {unknowns, knowns, nUnknowns, nKnowns};
  return answer_trial(i, part_derivative(i->p, &of, seed, sensitivity));
}

fmi3Status fmi3GetAdjointDerivative(fmi3Instance instance_, const fmi3ValueReference unknowns[],
                                    size_t nUnknowns, const fmi3ValueReference knowns[],
                                    size_t nKnowns, const fmi3Float64 seed[], size_t nSeed,
                                    fmi3Float64 sensitivity[], size_t nSensitivity) {
  instance *i = instance_;
  if (!i) return fmi3Error;
  if (nSeed != nUnknowns) return wrong_count(i, nUnknowns, nSeed);
  if (nSensitivity != nKnowns) return wrong_count(i, nKnowns, nSensitivity);
  const part_unknowns of = {unknowns, knowns, nUnknowns, nKnowns};
  return answer_trial(i, part_adjoint(i->p, &of, seed, sensitivity));
}

// ---- Co-Simulation ------------------------------------------------------------------------------

fmi3Status fmi3EnterStepMode(fmi3Instance instance_) {
  instance *i = instance_;
  if (!i) return fmi3Error;
  if (i->p->stage != PART_EVENT && i->p->stage != PART_RUNNING)
    return report(i, fmi3Error, "step mode follows initialization or event mode. Enter one first.");
  i->p->stage = PART_RUNNING;
  return fmi3OK;
}

fmi3Status fmi3EnterEventMode(fmi3Instance instance_) {
  instance *i = instance_;
  if (!i) return fmi3Error;
  if (i->p->is_exchange) return answer(i, part_enter_events(i->p));
  if (!i->has_events || i->p->stage != PART_RUNNING)
    return report(i, fmi3Error,
                  "event mode follows a step. Instantiate with eventModeUsed, and step first.");
  i->p->stage = PART_EVENT;
  return fmi3OK;
}

// Co-Simulation: events are located and applied inside of steps, and nothing is left to do.
fmi3Status fmi3UpdateDiscreteStates(fmi3Instance instance_, fmi3Boolean *discreteStatesNeedUpdate,
                                    fmi3Boolean *terminateSimulation,
                                    fmi3Boolean *nominalsOfContinuousStatesChanged,
                                    fmi3Boolean *valuesOfContinuousStatesChanged,
                                    fmi3Boolean *nextEventTimeDefined, fmi3Float64 *nextEventTime) {
  instance *i = instance_;
  if (!i) return fmi3Error;
  if (i->p->stage != PART_EVENT)
    return report(i, fmi3Error, "discrete states are updated in event mode. Enter it first.");
  part_events events = {.next = HUGE_VAL};
  hn_status status = i->p->is_exchange ? part_update(i->p, &events) : HN_OK;
  *discreteStatesNeedUpdate = *nominalsOfContinuousStatesChanged = false;
  *terminateSimulation = status != HN_OK;
  *valuesOfContinuousStatesChanged = events.is_new;
  *nextEventTimeDefined = events.next < HUGE_VAL;
  *nextEventTime = events.next < HUGE_VAL ? events.next : 0;
  return answer(i, status);
}

static int reached(void *context, double time) {
  instance *i = context;
  fmi3Boolean stops = false;
  fmi3Float64 stop_time = time;
  i->update(i->environment, time, true, true, true, i->returns_early, &stops, &stop_time);
  i->is_stopped = stops && i->returns_early && stop_time <= time;
  return i->is_stopped;
}

fmi3Status fmi3DoStep(fmi3Instance instance_, fmi3Float64 currentCommunicationPoint,
                      fmi3Float64 communicationStepSize,
                      fmi3Boolean noSetFMUStatePriorToCurrentPoint,
                      fmi3Boolean *eventHandlingNeeded, fmi3Boolean *terminateSimulation,
                      fmi3Boolean *earlyReturn, fmi3Float64 *lastSuccessfulTime) {
  (void)noSetFMUStatePriorToCurrentPoint;
  instance *i = instance_;
  if (!i) return fmi3Error;
  *eventHandlingNeeded = *terminateSimulation = *earlyReturn = false;
  *lastSuccessfulTime = i->p->now;
  hn_status status = part_at(i->p, currentCommunicationPoint, communicationStepSize);
  if (status != HN_OK) return answer(i, status);
  part_watch watch = {.reached = i->update ? reached : NULL,
                      .context = i,
                      .ends_at_events = i->has_events && i->returns_early};
  i->is_stopped = 0;
  status = part_step(i->p, communicationStepSize, &watch, lastSuccessfulTime);
  *eventHandlingNeeded = watch.is_event;
  *earlyReturn = status == HN_OK && (watch.is_event || i->is_stopped) &&
                 *lastSuccessfulTime < currentCommunicationPoint + communicationStepSize;
  *terminateSimulation = status != HN_OK;
  return answer(i, status);
}

// ---- Model Exchange -----------------------------------------------------------------------------

fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance instance_) {
  instance *i = instance_;
  return i ? answer(i, part_continue(i->p)) : fmi3Error;
}

fmi3Status fmi3CompletedIntegratorStep(fmi3Instance instance_,
                                       fmi3Boolean noSetFMUStatePriorToCurrentPoint,
                                       fmi3Boolean *enterEventMode,
                                       fmi3Boolean *terminateSimulation) {
  (void)noSetFMUStatePriorToCurrentPoint;
  instance *i = instance_;
  int is_event = 0;
  if (!i) return fmi3Error;
  hn_status status = part_complete(i->p, &is_event);
  *enterEventMode = is_event;
  *terminateSimulation = false;
  return answer_trial(i, status);
}

fmi3Status fmi3SetTime(fmi3Instance instance_, fmi3Float64 time) {
  instance *i = instance_;
  return i ? answer(i, part_set_time(i->p, time)) : fmi3Error;
}

fmi3Status fmi3SetContinuousStates(fmi3Instance instance_, const fmi3Float64 x[], size_t nx) {
  instance *i = instance_;
  return i ? answer(i, part_set_states(i->p, x, nx)) : fmi3Error;
}

fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance instance_, fmi3Float64 x[], size_t nx) {
  instance *i = instance_;
  return i ? answer_trial(i, part_get_rates(i->p, x, nx)) : fmi3Error;
}

fmi3Status fmi3GetEventIndicators(fmi3Instance instance_, fmi3Float64 x[], size_t nx) {
  instance *i = instance_;
  return i ? answer_trial(i, part_get_indicators(i->p, x, nx)) : fmi3Error;
}

fmi3Status fmi3GetContinuousStates(fmi3Instance instance_, fmi3Float64 x[], size_t nx) {
  instance *i = instance_;
  return i ? answer(i, part_get_states(i->p, x, nx)) : fmi3Error;
}

fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance instance_, fmi3Float64 x[], size_t nx) {
  instance *i = instance_;
  return i ? answer(i, part_get_nominals(i->p, x, nx)) : fmi3Error;
}

fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance instance_, size_t *count) {
  instance *i = instance_;
  if (!i) return fmi3Error;
  *count = (size_t)i->p->indicator_count;
  return fmi3OK;
}

fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance instance_, size_t *count) {
  instance *i = instance_;
  if (!i) return fmi3Error;
  *count = (size_t)i->p->state_count;
  return fmi3OK;
}

// ---- Scheduled Execution, clocks ----------------------------------------------------------------

#define NOT_HERE(Function)                                                                         \
  fmi3Status fmi3##Function(fmi3Instance instance_) {                                              \
    return unsupported(instance_, "fmi3" #Function);                                               \
  }
NOT_HERE(EnterConfigurationMode)
NOT_HERE(ExitConfigurationMode)
NOT_HERE(EvaluateDiscreteStates)

#define OUT
fmi3Status fmi3GetIntervalDecimal(fmi3Instance instance_,
                                  const fmi3ValueReference valueReferences[],
                                  size_t nValueReferences, fmi3Float64 intervals[],
                                  fmi3IntervalQualifier qualifiers[]) {
  (void)valueReferences, (void)nValueReferences, (void)intervals, (void)qualifiers;
  return unsupported(instance_, "fmi3GetIntervalDecimal");
}

fmi3Status fmi3GetIntervalFraction(fmi3Instance instance_,
                                   const fmi3ValueReference valueReferences[],
                                   size_t nValueReferences, fmi3UInt64 counters[],
                                   fmi3UInt64 resolutions[], fmi3IntervalQualifier qualifiers[]) {
  (void)valueReferences, (void)nValueReferences, (void)counters, (void)resolutions;
  (void)qualifiers;
  return unsupported(instance_, "fmi3GetIntervalFraction");
}

#define NO_DECIMAL(Function, in)                                                                   \
  fmi3Status fmi3##Function(fmi3Instance instance_, const fmi3ValueReference valueReferences[],    \
                            size_t nValueReferences, in fmi3Float64 values[]) {                    \
    (void)valueReferences, (void)nValueReferences, (void)values;                                   \
    return unsupported(instance_, "fmi3" #Function);                                               \
  }
NO_DECIMAL(GetShiftDecimal, OUT)
NO_DECIMAL(SetIntervalDecimal, const)
NO_DECIMAL(SetShiftDecimal, const)

#define NO_FRACTION(Function, in)                                                                  \
  fmi3Status fmi3##Function(fmi3Instance instance_, const fmi3ValueReference valueReferences[],    \
                            size_t nValueReferences, in fmi3UInt64 counters[],                     \
                            in fmi3UInt64 resolutions[]) {                                         \
    (void)valueReferences, (void)nValueReferences, (void)counters, (void)resolutions;              \
    return unsupported(instance_, "fmi3" #Function);                                               \
  }
NO_FRACTION(GetShiftFraction, OUT)
NO_FRACTION(SetIntervalFraction, const)
NO_FRACTION(SetShiftFraction, const)

fmi3Status fmi3ActivateModelPartition(fmi3Instance instance_, fmi3ValueReference clockReference,
                                      fmi3Float64 activationTime) {
  (void)clockReference, (void)activationTime;
  return unsupported(instance_, "fmi3ActivateModelPartition");
}
