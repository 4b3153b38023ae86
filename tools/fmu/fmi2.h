// The functions of FMI 2.0 that an FMU exports, with their types (fmi-standard.org, version 2.0.5).
#ifndef HOLON_FMU_FMI2_H
#define HOLON_FMU_FMI2_H

#include <stddef.h>

#include "part.h"

typedef void *fmi2Component, *fmi2ComponentEnvironment, *fmi2FMUstate;
typedef unsigned int fmi2ValueReference;
typedef double fmi2Real;
typedef int fmi2Integer, fmi2Boolean;
typedef char fmi2Char, fmi2Byte;
typedef const char *fmi2String;
enum { fmi2False, fmi2True };

typedef enum fmi2Status {
  fmi2OK,
  fmi2Warning,
  fmi2Discard,
  fmi2Error,
  fmi2Fatal,
  fmi2Pending
} fmi2Status;
typedef enum fmi2Type { fmi2ModelExchange, fmi2CoSimulation } fmi2Type;
typedef enum fmi2StatusKind {
  fmi2DoStepStatus,
  fmi2PendingStatus,
  fmi2LastSuccessfulTime,
  fmi2Terminated
} fmi2StatusKind;

typedef struct fmi2CallbackFunctions {
  void (*logger)(fmi2ComponentEnvironment environment, fmi2String instance, fmi2Status status,
                 fmi2String category, fmi2String message, ...);
  void *(*allocateMemory)(size_t count, size_t size);
  void (*freeMemory)(void *block);
  void (*stepFinished)(fmi2ComponentEnvironment environment, fmi2Status status);
  fmi2ComponentEnvironment componentEnvironment;
} fmi2CallbackFunctions;

typedef struct fmi2EventInfo {
  fmi2Boolean newDiscreteStatesNeeded, terminateSimulation;
  fmi2Boolean nominalsOfContinuousStatesChanged, valuesOfContinuousStatesChanged;
  fmi2Boolean nextEventTimeDefined;
  fmi2Real nextEventTime;
} fmi2EventInfo;

FMU_API fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean loggingOn, size_t nCategories,
                                       const fmi2String categories[]);
FMU_API fmi2Component fmi2Instantiate(fmi2String instanceName, fmi2Type fmuType, fmi2String fmuGUID,
                                      fmi2String fmuResourceLocation,
                                      const fmi2CallbackFunctions *functions, fmi2Boolean visible,
                                      fmi2Boolean loggingOn);
FMU_API void fmi2FreeInstance(fmi2Component c);
FMU_API fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean toleranceDefined,
                                       fmi2Real tolerance, fmi2Real startTime,
                                       fmi2Boolean stopTimeDefined, fmi2Real stopTime);
FMU_API fmi2Status fmi2EnterInitializationMode(fmi2Component c);
FMU_API fmi2Status fmi2ExitInitializationMode(fmi2Component c);
FMU_API fmi2Status fmi2Terminate(fmi2Component c);
FMU_API fmi2Status fmi2Reset(fmi2Component c);
FMU_API fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                               fmi2Real value[]);
FMU_API fmi2Status fmi2GetInteger(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                                  fmi2Integer value[]);
FMU_API fmi2Status fmi2GetBoolean(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                                  fmi2Boolean value[]);
FMU_API fmi2Status fmi2GetString(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                                 fmi2String value[]);
FMU_API fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                               const fmi2Real value[]);
FMU_API fmi2Status fmi2SetInteger(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                                  const fmi2Integer value[]);
FMU_API fmi2Status fmi2SetBoolean(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                                  const fmi2Boolean value[]);
FMU_API fmi2Status fmi2SetString(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                                 const fmi2String value[]);
FMU_API fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *FMUstate);
FMU_API fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate FMUstate);
FMU_API fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *FMUstate);
FMU_API fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate FMUstate, size_t *size);
FMU_API fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate FMUstate,
                                         fmi2Byte serializedState[], size_t size);
FMU_API fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte serializedState[],
                                           size_t size, fmi2FMUstate *FMUstate);
FMU_API fmi2Status fmi2GetDirectionalDerivative(fmi2Component c,
                                                const fmi2ValueReference vUnknown_ref[],
                                                size_t nUnknown,
                                                const fmi2ValueReference vKnown_ref[],
                                                size_t nKnown, const fmi2Real dvKnown[],
                                                fmi2Real dvUnknown[]);
FMU_API fmi2Status fmi2EnterEventMode(fmi2Component c);
FMU_API fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo *fmi2eventInfo);
FMU_API fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c);
FMU_API fmi2Status fmi2CompletedIntegratorStep(fmi2Component c,
                                               fmi2Boolean noSetFMUStatePriorToCurrentPoint,
                                               fmi2Boolean *enterEventMode,
                                               fmi2Boolean *terminateSimulation);
FMU_API fmi2Status fmi2SetTime(fmi2Component c, fmi2Real time);
FMU_API fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real x[], size_t nx);
FMU_API fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real derivatives[], size_t nx);
FMU_API fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real eventIndicators[], size_t ni);
FMU_API fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real x[], size_t nx);
FMU_API fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real x_nominal[],
                                                     size_t nx);
FMU_API fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference vr[],
                                               size_t nvr, const fmi2Integer order[],
                                               const fmi2Real value[]);
FMU_API fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference vr[],
                                                size_t nvr, const fmi2Integer order[],
                                                fmi2Real value[]);
FMU_API fmi2Status fmi2DoStep(fmi2Component c, fmi2Real currentCommunicationPoint,
                              fmi2Real communicationStepSize,
                              fmi2Boolean noSetFMUStatePriorToCurrentPoint);
FMU_API fmi2Status fmi2CancelStep(fmi2Component c);
FMU_API fmi2Status fmi2GetStatus(fmi2Component c, const fmi2StatusKind s, fmi2Status *value);
FMU_API fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind s, fmi2Real *value);
FMU_API fmi2Status fmi2GetIntegerStatus(fmi2Component c, const fmi2StatusKind s,
                                        fmi2Integer *value);
FMU_API fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind s,
                                        fmi2Boolean *value);
FMU_API fmi2Status fmi2GetStringStatus(fmi2Component c, const fmi2StatusKind s, fmi2String *value);
FMU_API const char *fmi2GetTypesPlatform(void);
FMU_API const char *fmi2GetVersion(void);

#endif
