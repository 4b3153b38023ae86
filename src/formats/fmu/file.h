// An FMU that is read: what the files of this folder share.
//
//   open.c             archive, attributes of modelDescription.xml
//   variables.c        its variables
//   check.c            rules of attributes, units and types
//   check_variables.c  rules of variables
//   check_structure.c  rules of ModelStructure
//   check_binary.c     the binary: its symbols, read from the file
//   json.c             all of it as JSON
//
// A rule of the standard that is broken is a finding; reading continues. Only what cannot be read at
// all is an error. XML is limited by formats/import/xml.h, the archive by base/unzip.h.
#ifndef HN_FORMATS_FMU_FILE_H
#define HN_FORMATS_FMU_FILE_H

#include "base/arena.h"
#include "base/unzip.h"
#include "components/fmu_link.h"
#include "formats/import/xml.h"
#include "holon/fmu.h"

enum {
  HN_FMU_FINDINGS = 200,
  HN_FMU_PLATFORMS = 16,
  HN_FMU_KINDS = 3,         // Model Exchange, Co-Simulation, Scheduled Execution
  HN_FMU_DIMENSIONS = 32,   // of an array
  HN_FMU_NUMBERS = 10000000 // of all variables together
};

typedef enum hn_fmu_causality {
  HN_FMU_STRUCTURAL_PARAMETER,
  HN_FMU_PARAMETER,
  HN_FMU_CALCULATED_PARAMETER,
  HN_FMU_INPUT,
  HN_FMU_OUTPUT,
  HN_FMU_LOCAL,
  HN_FMU_INDEPENDENT,
  HN_FMU_CAUSALITIES
} hn_fmu_causality;

typedef enum hn_fmu_variability {
  HN_FMU_CONSTANT,
  HN_FMU_FIXED,
  HN_FMU_TUNABLE,
  HN_FMU_DISCRETE,
  HN_FMU_CONTINUOUS,
  HN_FMU_VARIABILITIES
} hn_fmu_variability;

typedef enum hn_fmu_initial {
  HN_FMU_INITIAL_NONE,
  HN_FMU_EXACT,
  HN_FMU_APPROX,
  HN_FMU_CALCULATED
} hn_fmu_initial;

// A variable with what the checks need.
typedef struct hn_fmu_entry {
  hn_fmu_variable facts;
  hn_fmu_type type;
  hn_fmu_causality causality;
  hn_fmu_variability variability;
  hn_fmu_initial initial;
  int has_reference, has_start, is_clocked;
  int is_state, is_unknown;    // by ModelStructure
  const hn_xml *node, *values; // attributes of all variables; of the type (FMI 3: the same)
  const hn_xml *declared;      // its type definition, or null
} hn_fmu_entry;

// Elements by their attribute `name`, sorted.
typedef struct hn_fmu_names {
  int count;
  const hn_xml **nodes;
} hn_fmu_names;

struct hn_fmu_file {
  hn_arena arena;
  hn_unzip zip;
  hn_xml *root, *kind[HN_FMU_KINDS]; // elements of modelDescription.xml
  hn_fmu_facts facts;
  hn_fmu_entry *entries;
  hn_fmu_names units, types;   // definitions
  int *by_name, *by_reference; // orders of the entries
  const char *platforms[HN_FMU_PLATFORMS];
  int platform_count;
  hn_fmu_finding findings[HN_FMU_FINDINGS];
  int finding_count;
};

void hn_fmu_find(hn_fmu_file *fmu, hn_fmu_severity severity, const char *file, int line,
                 const char *format, ...) HN_PRINTF(5, 6);
#define HN_FMU_DESCRIPTION "modelDescription.xml"
#define hn_fmu_wrong(fmu, node, ...)                                                               \
  hn_fmu_find(fmu, HN_FMU_ERROR, HN_FMU_DESCRIPTION, (node) ? (node)->line : 0, __VA_ARGS__)
#define hn_fmu_warn(fmu, node, ...)                                                                \
  hn_fmu_find(fmu, HN_FMU_WARNING, HN_FMU_DESCRIPTION, (node) ? (node)->line : 0, __VA_ARGS__)

// The words of the standard.
extern const char *const hn_fmu_kind_names[HN_FMU_KINDS]; // "ModelExchange"
// Index of the word among `count` ones (null words never match), or -1.
int hn_fmu_word(const char *word, const char *const *words, int count);
const char *hn_fmu_type_name(int version, hn_fmu_type type); // null: not in this version

// The children of a node (null: none); the first of a name, or null.
void hn_fmu_sort_names(hn_fmu_file *fmu, const hn_xml *parent, hn_fmu_names *names);
const hn_xml *hn_fmu_named(const hn_fmu_names *names, const char *name);

// Attributes: with a finding where they are no such value. 0: not there, or wrong.
int hn_fmu_read_number(hn_fmu_file *fmu, const hn_xml *node, const char *name, double *value);
int hn_fmu_read_unsigned(hn_fmu_file *fmu, const hn_xml *node, const char *name, unsigned *value);
int hn_fmu_read_flag(hn_fmu_file *fmu, const hn_xml *node, const char *name);
// The number at the start of text, as XML Schema writes it; the bytes it takes, 0: none.
size_t hn_fmu_read_decimal(const char *text, double *value);
size_t hn_fmu_read_whole(const char *text, int *is_negative, unsigned long long *value);

hn_status hn_fmu_read_variables(hn_fmu_file *fmu, hn_error *error);
// The entry with this value reference (FMI 3) or index from 1 (FMI 2); -1: none.
int hn_fmu_at_reference(const hn_fmu_file *fmu, unsigned reference);
int hn_fmu_at(const hn_fmu_file *fmu, unsigned reference_or_index);

void hn_fmu_check(hn_fmu_file *fmu);
void hn_fmu_check_variables(hn_fmu_file *fmu);
hn_status hn_fmu_check_structure(hn_fmu_file *fmu, hn_error *error);
void hn_fmu_check_binary(hn_fmu_file *fmu);
// This platform's folder in binaries/, "" on one that has none.
const char *hn_fmu_own_platform(int version);

#endif
