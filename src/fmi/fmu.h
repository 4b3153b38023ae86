// Types and functions that the files of this folder share.
#ifndef HN_FMI_FMU_H
#define HN_FMI_FMU_H

#include "analysis/exchange/exchange.h"
#include "base/arena.h"
#include "base/sha256.h"
#include "base/zip.h"
#include "formats/model_files.h"
#include "formats/unit.h"
#include "holon/fmu.h"
#include "holon/simulation.h"

// In the order of their value references.
typedef enum hn_fmu_role {
  HN_FMU_ROLE_TIME,
  HN_FMU_ROLE_PARAMETER,
  HN_FMU_ROLE_INPUT,
  HN_FMU_ROLE_OUTPUT,
  HN_FMU_ROLE_LOCAL,
  HN_FMU_ROLE_STATE, // of Model Exchange
  HN_FMU_ROLE_RATE,  // its derivative
  HN_FMU_ROLE_INDICATOR
} hn_fmu_role;

typedef struct hn_fmu_exported {
  hn_fmu_role role;
  const char *name;  // in the model
  const char *title; // in the description: unique
  const char *unit;  // "": none
  double start;      // of parameters and inputs
  int of;            // of a derivative: index of its state
} hn_fmu_exported;

// A unit that a variable uses, as base units.
typedef struct hn_fmu_exported_unit {
  const char *name;
  int has_base; // exponents are whole
  double factor;
  hn_dimension dimension;
} hn_fmu_exported_unit;

typedef struct hn_fmu {
  hn_arena arena;
  const char *path; // of the model
  const hn_load_options *load;
  const hn_fmu_options *options;
  hn_model_files *files;
  hn_model *model;
  hn_simulation *simulation; // at its start
  hn_simulation *exchanged;  // the same for Model Exchange; null: without
  hn_exchange *exchange;
  hn_fmu_exported *variables;
  int variable_count;
  hn_fmu_exported_unit *units;
  int unit_count;
  char identifier[64];        // of the binary: a C identifier
  char token[HN_SHA256_TEXT]; // of this FMU
  hn_string resources;        // holon.txt
} hn_fmu;

// variables.c
hn_status hn_fmu_find_variables(hn_fmu *fmu, hn_error *error);
// description2.c, description3.c: modelDescription.xml
void hn_fmu_describe_2(const hn_fmu *fmu, hn_string *xml);
void hn_fmu_describe_3(const hn_fmu *fmu, hn_string *xml);
// The exponents that both versions have. prefix: of the attributes.
void hn_fmu_describe_units(const hn_fmu *fmu, hn_string *xml);
// Text of an attribute with a blank in front: name="value".
void hn_fmu_attribute(hn_string *xml, const char *name, const char *value);
void hn_fmu_number(hn_string *xml, const char *name, double value);

// resources.c: holon.txt and the files of the model. The text is complete when all of them are
// known.
hn_status hn_fmu_list_resources(hn_fmu *fmu, hn_error *error);
hn_status hn_fmu_add_resources(const hn_fmu *fmu, hn_zip *zip, hn_error *error);
// pages.c: a page for people, a picture of the model
hn_status hn_fmu_add_pages(hn_fmu *fmu, hn_zip *zip, hn_error *error);

#endif
