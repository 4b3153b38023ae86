// The binary of this platform, read without loading it: ELF of 64 bits (System V ABI), its dynamic
// symbols and the libraries it needs. An FMU must have all functions of its version and kinds.
#include "formats/fmu/file.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

typedef struct fmi_function {
  const char *name;
  int kinds; // bits HN_FMU_MODEL_EXCHANGE, ... that need it
} fmi_function;

static const fmi_function functions_2[] = {{"fmi2GetTypesPlatform", 7},
                                           {"fmi2GetVersion", 7},
                                           {"fmi2SetDebugLogging", 7},
                                           {"fmi2Instantiate", 7},
                                           {"fmi2FreeInstance", 7},
                                           {"fmi2SetupExperiment", 7},
                                           {"fmi2EnterInitializationMode", 7},
                                           {"fmi2ExitInitializationMode", 7},
                                           {"fmi2Terminate", 7},
                                           {"fmi2Reset", 7},
                                           {"fmi2GetReal", 7},
                                           {"fmi2GetInteger", 7},
                                           {"fmi2GetBoolean", 7},
                                           {"fmi2GetString", 7},
                                           {"fmi2SetReal", 7},
                                           {"fmi2SetInteger", 7},
                                           {"fmi2SetBoolean", 7},
                                           {"fmi2SetString", 7},
                                           {"fmi2GetFMUstate", 7},
                                           {"fmi2SetFMUstate", 7},
                                           {"fmi2FreeFMUstate", 7},
                                           {"fmi2SerializedFMUstateSize", 7},
                                           {"fmi2SerializeFMUstate", 7},
                                           {"fmi2DeSerializeFMUstate", 7},
                                           {"fmi2GetDirectionalDerivative", 7},
                                           {"fmi2EnterEventMode", 1},
                                           {"fmi2NewDiscreteStates", 1},
                                           {"fmi2EnterContinuousTimeMode", 1},
                                           {"fmi2CompletedIntegratorStep", 1},
                                           {"fmi2SetTime", 1},
                                           {"fmi2SetContinuousStates", 1},
                                           {"fmi2GetDerivatives", 1},
                                           {"fmi2GetEventIndicators", 1},
                                           {"fmi2GetContinuousStates", 1},
                                           {"fmi2GetNominalsOfContinuousStates", 1},
                                           {"fmi2SetRealInputDerivatives", 2},
                                           {"fmi2GetRealOutputDerivatives", 2},
                                           {"fmi2DoStep", 2},
                                           {"fmi2CancelStep", 2},
                                           {"fmi2GetStatus", 2},
                                           {"fmi2GetRealStatus", 2},
                                           {"fmi2GetIntegerStatus", 2},
                                           {"fmi2GetBooleanStatus", 2},
                                           {"fmi2GetStringStatus", 2}};

static const fmi_function functions_3[] = {{"fmi3GetVersion", 7},
                                           {"fmi3SetDebugLogging", 7},
                                           {"fmi3InstantiateModelExchange", 7},
                                           {"fmi3InstantiateCoSimulation", 7},
                                           {"fmi3InstantiateScheduledExecution", 7},
                                           {"fmi3FreeInstance", 7},
                                           {"fmi3EnterInitializationMode", 7},
                                           {"fmi3ExitInitializationMode", 7},
                                           {"fmi3EnterEventMode", 7},
                                           {"fmi3Terminate", 7},
                                           {"fmi3Reset", 7},
                                           {"fmi3GetFloat32", 7},
                                           {"fmi3GetFloat64", 7},
                                           {"fmi3GetInt8", 7},
                                           {"fmi3GetUInt8", 7},
                                           {"fmi3GetInt16", 7},
                                           {"fmi3GetUInt16", 7},
                                           {"fmi3GetInt32", 7},
                                           {"fmi3GetUInt32", 7},
                                           {"fmi3GetInt64", 7},
                                           {"fmi3GetUInt64", 7},
                                           {"fmi3GetBoolean", 7},
                                           {"fmi3GetString", 7},
                                           {"fmi3GetBinary", 7},
                                           {"fmi3GetClock", 7},
                                           {"fmi3SetFloat32", 7},
                                           {"fmi3SetFloat64", 7},
                                           {"fmi3SetInt8", 7},
                                           {"fmi3SetUInt8", 7},
                                           {"fmi3SetInt16", 7},
                                           {"fmi3SetUInt16", 7},
                                           {"fmi3SetInt32", 7},
                                           {"fmi3SetUInt32", 7},
                                           {"fmi3SetInt64", 7},
                                           {"fmi3SetUInt64", 7},
                                           {"fmi3SetBoolean", 7},
                                           {"fmi3SetString", 7},
                                           {"fmi3SetBinary", 7},
                                           {"fmi3SetClock", 7},
                                           {"fmi3GetNumberOfVariableDependencies", 7},
                                           {"fmi3GetVariableDependencies", 7},
                                           {"fmi3GetFMUState", 7},
                                           {"fmi3SetFMUState", 7},
                                           {"fmi3FreeFMUState", 7},
                                           {"fmi3SerializedFMUStateSize", 7},
                                           {"fmi3SerializeFMUState", 7},
                                           {"fmi3DeserializeFMUState", 7},
                                           {"fmi3GetDirectionalDerivative", 7},
                                           {"fmi3GetAdjointDerivative", 7},
                                           {"fmi3EnterConfigurationMode", 7},
                                           {"fmi3ExitConfigurationMode", 7},
                                           {"fmi3GetIntervalDecimal", 7},
                                           {"fmi3GetIntervalFraction", 7},
                                           {"fmi3GetShiftDecimal", 7},
                                           {"fmi3GetShiftFraction", 7},
                                           {"fmi3SetIntervalDecimal", 7},
                                           {"fmi3SetIntervalFraction", 7},
                                           {"fmi3SetShiftDecimal", 7},
                                           {"fmi3SetShiftFraction", 7},
                                           {"fmi3EvaluateDiscreteStates", 7},
                                           {"fmi3UpdateDiscreteStates", 7},
                                           {"fmi3EnterContinuousTimeMode", 7},
                                           {"fmi3CompletedIntegratorStep", 7},
                                           {"fmi3SetTime", 7},
                                           {"fmi3SetContinuousStates", 7},
                                           {"fmi3GetContinuousStateDerivatives", 7},
                                           {"fmi3GetEventIndicators", 7},
                                           {"fmi3GetContinuousStates", 7},
                                           {"fmi3GetNominalsOfContinuousStates", 7},
                                           {"fmi3GetNumberOfEventIndicators", 7},
                                           {"fmi3GetNumberOfContinuousStates", 7},
                                           {"fmi3EnterStepMode", 7},
                                           {"fmi3GetOutputDerivatives", 7},
                                           {"fmi3DoStep", 7},
                                           {"fmi3ActivateModelPartition", 7}};

enum { MAX_FUNCTIONS = 75 };

// ---- ELF ----------------------------------------------------------------------------------------

typedef struct elf {
  const unsigned char *data;
  size_t size;
} elf;

// Little endian; 0 outside of the file.
static uint64_t number_at(const elf *file, uint64_t at, int bytes) {
  uint64_t value = 0;
  if (at > file->size || file->size - at < (uint64_t)bytes) return 0;
  for (int k = 0; k < bytes; k++) value |= (uint64_t)file->data[at + (uint64_t)k] << (8 * k);
  return value;
}

typedef struct section {
  uint64_t offset, size, entry;
  unsigned type, link;
} section;

static section section_at(const elf *file, unsigned index) {
  const uint64_t at =
      number_at(file, 40, 8) + (uint64_t)index * number_at(file, 58, 2); // e_shoff, e_shentsize
  section s = {.offset = number_at(file, at + 24, 8),
               .size = number_at(file, at + 32, 8),
               .entry = number_at(file, at + 56, 8),
               .type = (unsigned)number_at(file, at + 4, 4),
               .link = (unsigned)number_at(file, at + 40, 4)};
  if (s.offset > file->size || s.size > file->size - s.offset) s.size = 0;
  return s;
}

// A terminated text in a section of texts, or "".
static const char *text_at(const elf *file, const section *texts, uint64_t at) {
  if (at >= texts->size) return "";
  const char *text = (const char *)file->data + texts->offset + at;
  return memchr(text, '\0', (size_t)(texts->size - at)) ? text : "";
}

#if defined(__aarch64__)
enum { OWN_MACHINE = 183 };
#else
enum { OWN_MACHINE = 62 }; // x86-64
#endif

static const char *find_fault(const elf *file) {
  if (file->size < 64 || memcmp(file->data, "\177ELF", 4) != 0) return "is not an ELF file";
  if (file->data[4] != 2 || file->data[5] != 1) return "is not for 64 bits, little endian";
  if (number_at(file, 16, 2) != 3) return "is not a shared object";
  if (number_at(file, 18, 2) != OWN_MACHINE) return "is for another processor";
  return NULL;
}

// ---- symbols ------------------------------------------------------------------------------------

static int compare_function(const void *name, const void *function) {
  return strcmp(name, ((const fmi_function *)function)->name);
}

static int compare_functions(const void *a, const void *b) {
  return strcmp(((const fmi_function *)a)->name, ((const fmi_function *)b)->name);
}

// Marks those that the symbols define: global or weak, default or protected visibility.
static void mark_symbols(const elf *file, const section *symbols, const fmi_function *sorted,
                         int count, unsigned char *found) {
  const section texts = section_at(file, symbols->link);
  for (uint64_t at = 0; at + 24 <= symbols->size; at += 24) {
    const uint64_t place = symbols->offset + at;
    const unsigned binding = file->data[place + 4] >> 4, visibility = file->data[place + 5] & 3;
    if (number_at(file, place + 6, 2) == 0 || binding == 0 || visibility == 1 || visibility == 2)
      continue;
    const char *name = text_at(file, &texts, number_at(file, place, 4));
    const fmi_function *f = bsearch(name, sorted, (size_t)count, sizeof *sorted, compare_function);
    if (f) found[f - sorted] = 1;
  }
}

static void check_needed(hn_fmu_file *fmu, const elf *file, const section *dynamic,
                         const char *path) {
  static const char *const known[] = {"libc.so.6",     "libm.so.6",     "libpthread.so.0",
                                      "libdl.so.2",    "librt.so.1",    "ld-linux-x86-64.so.2",
                                      "libgcc_s.so.1", "libstdc++.so.6"};
  const section texts = section_at(file, dynamic->link);
  int count = 0;
  for (uint64_t at = 0; at + 16 <= dynamic->size && count < 100; at += 16) {
    if (number_at(file, dynamic->offset + at, 8) != 1) continue; // DT_NEEDED
    const char *name = text_at(file, &texts, number_at(file, dynamic->offset + at + 8, 8));
    count++;
    if (hn_fmu_word(name, known, (int)(sizeof known / sizeof *known)) < 0)
      hn_fmu_find(fmu, HN_FMU_NOTE, path, 0, "needs the library %.100s", name);
  }
}

static void check_functions(hn_fmu_file *fmu, const fmi_function *sorted, int count,
                            const unsigned char *found, const char *path) {
  const char *missing[MAX_FUNCTIONS], *unused[MAX_FUNCTIONS];
  int missing_count = 0, unused_count = 0;
  char text[4000];
  for (int k = 0; k < count; k++) {
    if (found[k]) continue;
    if (sorted[k].kinds & fmu->facts.kinds)
      missing[missing_count++] = sorted[k].name;
    else
      unused[unused_count++] = sorted[k].name;
  }
  if (missing_count > 0)
    hn_fmu_find(fmu, HN_FMU_ERROR, path, 0, "does not export %s",
                hn_text_list(text, sizeof text, missing, missing_count));
  if (unused_count > 0)
    hn_fmu_find(fmu, HN_FMU_NOTE, path, 0, "does not export %s, of a kind it does not have",
                hn_text_list(text, sizeof text, unused, unused_count));
}

static void check_symbols(hn_fmu_file *fmu, const elf *file, const char *path) {
  fmi_function sorted[MAX_FUNCTIONS];
  unsigned char found[MAX_FUNCTIONS] = {0};
  const int is_2 = fmu->facts.version == 2;
  const int count = is_2 ? (int)(sizeof functions_2 / sizeof *functions_2)
                         : (int)(sizeof functions_3 / sizeof *functions_3);
  const unsigned sections = (unsigned)number_at(file, 60, 2); // e_shnum
  int is_read = 0;
  memcpy(sorted, is_2 ? functions_2 : functions_3, (size_t)count * sizeof *sorted);
  qsort(sorted, (size_t)count, sizeof *sorted, compare_functions);
  for (unsigned k = 0; k < sections && k < 1000; k++) {
    const section s = section_at(file, k);
    if (s.type == 11 && !is_read) { // SHT_DYNSYM, of which a file has one
      mark_symbols(file, &s, sorted, count, found);
      is_read = 1;
    }
    if (s.type == 6) check_needed(fmu, file, &s, path); // SHT_DYNAMIC
  }
  if (is_read)
    check_functions(fmu, sorted, count, found, path);
  else
    hn_fmu_find(fmu, HN_FMU_WARNING, path, 0, "has no table of dynamic symbols to check");
}

// ---- the file -----------------------------------------------------------------------------------

const char *hn_fmu_own_platform(int version) {
#if defined(__linux__) && defined(__x86_64__)
  return version == 2 ? "linux64" : "x86_64-linux";
#elif defined(__linux__) && defined(__aarch64__)
  return version == 2 ? "" : "aarch64-linux";
#else
  (void)version;
  return "";
#endif
}

static void check_one(hn_fmu_file *fmu, const char *path) {
  const hn_unzip_member *member = hn_zip_find(&fmu->zip, path);
  char *bytes = NULL;
  hn_error error = {0};
  if (!member) {
    hn_fmu_find(fmu, HN_FMU_ERROR, path, 0, "is missing: the modelIdentifier names this file");
    return;
  }
  if (hn_zip_read(&fmu->zip, member, &bytes, &error) != HN_OK) {
    hn_fmu_find(fmu, HN_FMU_ERROR, path, 0, "%s", error.message);
    return;
  }
  const elf file = {(const unsigned char *)bytes, member->size};
  const char *fault = find_fault(&file);
  if (fault)
    hn_fmu_find(fmu, HN_FMU_ERROR, path, 0, "%s", fault);
  else
    check_symbols(fmu, &file, path);
  hn_release(NULL, bytes);
}

static int has_sources(const hn_fmu_file *fmu) {
  for (int k = 0; k < fmu->zip.count; k++)
    if (strncmp(fmu->zip.members[k].name, "sources/", 8) == 0 && fmu->zip.members[k].name[8])
      return 1;
  return 0;
}

void hn_fmu_check_binary(hn_fmu_file *fmu) {
  const hn_fmu_facts *facts = &fmu->facts;
  const char *platform = hn_fmu_own_platform(facts->version), *last = NULL;
  const int is_there = hn_fmu_word(platform, fmu->platforms, fmu->platform_count) >= 0;
  if (fmu->platform_count == 0)
    hn_fmu_find(fmu, has_sources(fmu) ? HN_FMU_WARNING : HN_FMU_ERROR, "binaries/", 0,
                "has no binary%s", has_sources(fmu) ? "; its sources have to be compiled" : "");
  if (facts->version == 3 && has_sources(fmu) &&
      !hn_zip_find(&fmu->zip, "sources/buildDescription.xml"))
    hn_fmu_find(fmu, HN_FMU_ERROR, "sources/buildDescription.xml", 0, "is missing");
  if (fmu->platform_count > 0 && !is_there)
    hn_fmu_find(fmu, HN_FMU_WARNING, "binaries/", 0, "has no binary for this platform%s%s",
                platform[0] ? ", " : "", platform);
  for (int k = 0; is_there && k < HN_FMU_KINDS; k++) {
    const char *name = facts->identifier[k];
    if (!fmu->kind[k] || !name[0] || (last && strcmp(last, name) == 0)) continue;
    char path[512];
    last = name;
    hn_text(path, sizeof path, "binaries/%s/%.200s.so", platform, name);
    const char *kept = hn_arena_copy_string(&fmu->arena, path);
    if (kept) check_one(fmu, kept);
  }
}
