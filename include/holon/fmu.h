// Holon: models as FMUs (Functional Mock-up Units, fmi-standard.org), for other simulation
// programs.
//
//   const char *runtime = "holon-fmu.so"; // comes with Holon
//   hn_fmu_options options = {.runtime = runtime};
//   hn_fmu_export("car.yaml", "car.fmu", NULL, &options, &error);
//
// An FMU has the model with all files it needs, and the minimal library: it needs libc and libm
// only. docs/howto/fmu.md says what importing programs see.
#ifndef HOLON_FMU_H
#define HOLON_FMU_H

#include "holon/load.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hn_fmu_options {
  size_t size;         // of this struct; 0: the first version
  int version;         // of FMI: 2 or 3; 0: 3
  const char *runtime; // path of the binary for this platform that comes with Holon
  const char *const
      *signals; // globs: signals that become outputs in addition to those of the model
  int signal_count;
} hn_fmu_options;

// Reads the model file `path` (load may be null), checks that it starts, and writes `out`.
// HN_ERROR_UNSUPPORTED names what an FMU cannot contain: sealed components.
HN_API hn_status hn_fmu_export(const char *path, const char *out, const hn_load_options *load,
                               const hn_fmu_options *options, hn_error *error);

#ifdef __cplusplus
}
#endif

#endif
