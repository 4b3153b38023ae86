// Holon: models as FMUs (Functional Mock-up Units, fmi-standard.org), for other simulation
// programs.
//
//   const char *runtime = "holon-fmu.so"; // comes with Holon
//   hn_fmu_options options = {.runtime = runtime};
//   hn_fmu_export("car.yaml", "car.fmu", NULL, &options, &error);
//
// For Model Exchange, the importing program integrates the states of the FMU; for Co-Simulation, the
// FMU takes the steps of a run. An FMU has the model with all files it needs, and the minimal
// library: it needs libc and libm only. docs/howto/fmu.md says what importing programs see.
//
// FMUs of any program, version 2.0 or 3.0, can be read and checked. No code of theirs runs:
//
//   hn_fmu_open("vendor.fmu", &fmu, &error);
//   for (int k = 0; hn_fmu_finding_of(fmu, k); k++) show(hn_fmu_finding_of(fmu, k));
#ifndef HOLON_FMU_H
#define HOLON_FMU_H

#include "holon/load.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { HN_FMU_MODEL_EXCHANGE = 1, HN_FMU_CO_SIMULATION = 2, HN_FMU_SCHEDULED_EXECUTION = 4 };

typedef struct hn_fmu_options {
  size_t size;         // of this struct; 0: the first version
  int version;         // of FMI: 2 or 3; 0: 3
  const char *runtime; // path of the binary for this platform that comes with Holon
  const char *const
      *signals; // globs: signals that become outputs in addition to those of the model
  int signal_count;
  int kinds; // bits: HN_FMU_MODEL_EXCHANGE, HN_FMU_CO_SIMULATION; 0: Co-Simulation
} hn_fmu_options;

// Reads the model file `path` (load may be null), checks that it starts, and writes `out`.
// HN_ERROR_UNSUPPORTED names what an FMU cannot contain: sealed components; of Model Exchange delays,
// conditional constraints and time-stepped contacts.
HN_API hn_status hn_fmu_export(const char *path, const char *out, const hn_load_options *load,
                               const hn_fmu_options *options, hn_error *error);

// ---- reading ------------------------------------------------------------------------------------

typedef struct hn_fmu_file hn_fmu_file;

// Texts live as long as the file, and are empty if it does not give them; numbers are NAN then.
typedef struct hn_fmu_facts {
  int version; // 2 or 3
  const char *version_text, *model_name, *description, *generator, *token;
  int kinds;                 // bits
  const char *identifier[3]; // of the binary, for each kind
  int can_save, can_serialize, has_directional_derivatives, has_adjoint_derivatives; // bits: kinds
  // Co-Simulation: any communication step; events between steps (FMI 3)
  int has_variable_steps, has_event_mode;
  int state_count, indicator_count;
  double start, stop, tolerance, step; // of the default experiment
  int variable_count;
  int error_count, warning_count; // of the checks
} hn_fmu_facts;

typedef struct hn_fmu_variable {
  const char *name, *description, *type;   // "Float64" (FMI 3), "Real" (FMI 2)
  const char *causality, *variability;     // with the default of the standard
  const char *initial;                     // the same; empty: none
  const char *unit, *display_unit, *start; // start: as in the file
  unsigned reference;                      // value reference
  long count;                              // numbers in it: 1 but for arrays
  int derivative_of;                       // index of a variable, -1: no derivative
  int line;                                // in modelDescription.xml
} hn_fmu_variable;

typedef enum hn_fmu_severity { HN_FMU_NOTE, HN_FMU_WARNING, HN_FMU_ERROR } hn_fmu_severity;

// A breach of a rule of the standard.
typedef struct hn_fmu_finding {
  hn_fmu_severity severity;
  const char *file; // in the archive
  int line;         // 0: the whole file
  const char *message;
} hn_fmu_finding;

// Reads and checks an FMU; close it with hn_fmu_file_free. Archives are untrusted: names that leave
// their folder, links, encryption, more than 20,000 files or 1 GB are an error.
HN_API hn_status hn_fmu_open(const char *path, hn_fmu_file **fmu, hn_error *error);
HN_API void hn_fmu_file_free(hn_fmu_file *fmu); // null is fine
HN_API const hn_fmu_facts *hn_fmu_facts_of(const hn_fmu_file *fmu);
// In the order of the file; null past the end.
HN_API const hn_fmu_variable *hn_fmu_variable_of(const hn_fmu_file *fmu, int index);
// Platforms with a binary ("linux64", "x86_64-linux"); null past the end.
HN_API const char *hn_fmu_platform(const hn_fmu_file *fmu, int index);
// At most 200, errors first; null past the end.
HN_API const hn_fmu_finding *hn_fmu_finding_of(const hn_fmu_file *fmu, int index);
// All of it as JSON, to be freed by hn_text_free; length may be null.
HN_API hn_status hn_fmu_json(const hn_fmu_file *fmu, char **text, size_t *length);

// ---- running ------------------------------------------------------------------------------------

typedef struct hn_fmu_run_options {
  size_t size; // of this struct
  int kind;    // HN_FMU_MODEL_EXCHANGE or HN_FMU_CO_SIMULATION; 0: Co-Simulation if it has it
  double start, stop, step, tolerance; // NAN: as the FMU says; s
  double time_limit;                   // of each call, s; 0: 60
  const char *host;                    // path of holon-fmu-host; null: the one of this installation
  const char *const *settings;         // "NAME=VALUE": start values
  int setting_count;
  int all; // local variables too
  // Several that run together: paths of the others, "FMU.OUTPUT=FMU.INPUT". Columns and start values
  // then have the name of the file in front, without its ending.
  const char *const *others, *const *connections;
  int other_count, connection_count;
} hn_fmu_run_options;
HN_API hn_fmu_run_options hn_default_fmu_run_options(void);

typedef struct hn_fmu_run hn_fmu_run;
// Runs the code of the FMU, in a process of its own: a crash or an endless call of it is an error
// here. Columns are its outputs (or all variables) that are numbers; arrays have one each.
HN_API hn_status hn_fmu_run_create(const char *path, const hn_fmu_run_options *options,
                                   hn_fmu_run **run, hn_error *error);
HN_API void hn_fmu_run_free(hn_fmu_run *run);                           // null is fine
HN_API const char *hn_fmu_run_column(const hn_fmu_run *run, int index); // null past the end
HN_API double hn_fmu_run_time(const hn_fmu_run *run);
HN_API double hn_fmu_run_stop(const hn_fmu_run *run);
HN_API long hn_fmu_run_steps(const hn_fmu_run *run); // of the integration of Model Exchange
HN_API const double *hn_fmu_run_values(const hn_fmu_run *run); // at that time
// To the next communication point. *is_done: the end, or the FMU asks to end.
HN_API hn_status hn_fmu_run_step(hn_fmu_run *run, int *is_done, hn_error *error);

#ifdef __cplusplus
}
#endif

#endif
