// An FMU as a program that gives sampled states of a model (model/outside.h).
#ifndef HN_FORMATS_FMU_PLAN_H
#define HN_FORMATS_FMU_PLAN_H

#include "formats/fmu/use.h"
#include "model/outside.h"

typedef struct hn_fmu_wishes {
  const char *path, *name; // of the file; of the element
  int kind;                // HN_FMU_MODEL_EXCHANGE, HN_FMU_CO_SIMULATION, 0: as it has
  double tol, every;       // 0: of the FMU; s
  int input_count, output_count, setting_count;
  const char *const *inputs, *const *outputs; // variables of the FMU
  const char *const *settings;                // "NAME=VALUE"
} hn_fmu_wishes;

// Reads and unpacks the FMU and finds its variables. digest: of the FMU, of the plan's memory.
hn_status hn_fmu_plan_create(const hn_fmu_wishes *wishes, void **plan, const char **digest,
                             hn_error *error);
extern const hn_outside_type hn_fmu_outside;

#endif
