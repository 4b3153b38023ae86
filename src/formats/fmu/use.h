// An FMU of the disk made ready to run: unpacked, with what its process needs to know, its inputs and
// outputs as groups, and start values.
#ifndef HN_FORMATS_FMU_USE_H
#define HN_FORMATS_FMU_USE_H

#include "components/fmu_system.h"
#include "formats/fmu/file.h"

typedef struct hn_fmu_use {
  hn_arena arena;
  hn_fmu_file *fmu;
  char *folder; // temporary
  hn_fmu_setup setup;
} hn_fmu_use;

// kind: HN_FMU_MODEL_EXCHANGE, HN_FMU_CO_SIMULATION, or 0: Co-Simulation if it has it. name: in
// messages. host: path of the program, null: the one that comes with Holon.
hn_status hn_fmu_use_open(hn_fmu_use *use, const char *path, int kind, const char *host,
                          const char *name, hn_error *error);
void hn_fmu_use_close(hn_fmu_use *use); // a zeroed one is fine

// A variable by its name, or -1.
int hn_fmu_find_name(const hn_fmu_file *fmu, const char *name);
hn_fmu_group hn_fmu_group_of(const hn_fmu_file *fmu, int variable);
// 1: its values are numbers.
int hn_fmu_is_number(const hn_fmu_file *fmu, int variable);
// "NAME=VALUE" before initialization: start values of inputs and parameters; HN_ERROR_ARGUMENT.
hn_status hn_fmu_give_start(const hn_fmu_file *fmu, hn_fmu_unit *unit, const char *setting,
                            hn_error *error);

#endif
