// holon export MODEL: a model as a file of another program.
#ifndef HN_CLI_EXPORT_MODEL_H
#define HN_CLI_EXPORT_MODEL_H

#include "session.h"

// An FMU; out null: none.
typedef struct hn_cli_fmu_export {
  const char *out, *runtime, *kind;
  int version;
} hn_cli_fmu_export;

typedef struct hn_cli_model_export {
  hn_cli_settings settings;
  const char *path[3]; // by hn_export_format; null: not asked for
  hn_cli_fmu_export fmu;
} hn_cli_model_export;

int hn_cli_export_model(hn_cli_model_export *call); // the exit code
// export_fmu.c
int hn_cli_export_fmu(const hn_cli_model_export *call);

#endif
