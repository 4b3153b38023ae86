// Makes an FMU ready to run: see use.h.
#include "formats/fmu/use.h"

#include <math.h>
#include <string.h>

#include "base/dynamic.h"
#include "base/error.h"
#include "base/file.h"
#include "platform/files.h"

// ---- unpacking ----------------------------------------------------------------------------------

static hn_status unpack_member(hn_fmu_use *use, const hn_unzip_member *member, hn_error *error) {
  const size_t length = strlen(member->name);
  char *bytes = NULL, *path = hn_file_join(use->folder, member->name);
  if (!path || length == 0)
    return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory for an FMU");
  hn_status status = HN_OK;
  char *slash = strrchr(path, '/');
  *slash = '\0';
  status = hn_make_folders(path, error);
  *slash = '/';
  if (status == HN_OK && member->name[length - 1] != '/') {
    status = hn_zip_read(&use->fmu->zip, member, &bytes, error);
    if (status == HN_OK) status = hn_file_write_unsynced(path, bytes, member->size, error);
  }
  hn_release(NULL, bytes);
  hn_release(NULL, path);
  return status;
}

// The binary with what is next to it, and the resources.
static int is_needed(const hn_fmu_use *use, const char *name) {
  const char *platform = hn_fmu_own_platform(use->fmu->facts.version);
  const size_t length = strlen(platform);
  if (strncmp(name, "resources/", 10) == 0) return 1;
  return strncmp(name, "binaries/", 9) == 0 && strncmp(name + 9, platform, length) == 0 &&
         name[9 + length] == '/';
}

static hn_status unpack(hn_fmu_use *use, hn_error *error) {
  hn_status status = hn_make_temporary(&use->folder, error);
  const hn_unzip *zip = &use->fmu->zip;
  for (int k = 0; k < zip->count && status == HN_OK; k++)
    if (is_needed(use, zip->members[k].name)) status = unpack_member(use, &zip->members[k], error);
  if (status != HN_OK) return status;
  char *resources = hn_file_join(use->folder, "resources");
  if (!resources) return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  status = hn_make_folders(resources, error);
  hn_release(NULL, resources);
  return status;
}

// ---- setup --------------------------------------------------------------------------------------

static hn_status reject(const hn_fmu_use *use, const char *hint, const char *what,
                        hn_error *error) {
  const hn_source place = {use->fmu->zip.path, 0, 0};
  return hn_fail(error, HN_ERROR_UNSUPPORTED, &place, NULL, hint, "%s", what);
}

static hn_status choose_kind(hn_fmu_use *use, int kind, hn_error *error) {
  const int kinds = use->fmu->facts.kinds;
  if (kind == 0) kind = kinds & HN_FMU_CO_SIMULATION ? HN_FMU_CO_SIMULATION : HN_FMU_MODEL_EXCHANGE;
  use->setup.is_exchange = kind == HN_FMU_MODEL_EXCHANGE;
  if (kinds & kind) return HN_OK;
  return reject(use, "Export it with this kind.",
                use->setup.is_exchange ? "has no Model Exchange" : "has no Co-Simulation", error);
}

static hn_status check_usable(const hn_fmu_use *use, hn_error *error) {
  const hn_fmu_file *fmu = use->fmu;
  if (hn_fmu_word(hn_fmu_own_platform(fmu->facts.version), fmu->platforms, fmu->platform_count) < 0)
    return reject(use, "Export it for this platform.", "has no binary for this platform", error);
  return HN_OK;
}

static const char *text_in(hn_fmu_use *use, const char *format, const char *a, const char *b,
                           const char *c) {
  hn_string text = {0};
  hn_string_add(&text, format, a, b, c);
  char *copy = hn_arena_copy_string(&use->arena, text.data);
  hn_string_free(&text);
  return copy;
}

static hn_status fill_setup(hn_fmu_use *use, const char *host, const char *name, hn_error *error) {
  hn_fmu_file *fmu = use->fmu;
  hn_fmu_setup *s = &use->setup;
  const int k = s->is_exchange ? 0 : 1, bit = 1 << k;
  char near[2048];
  if (!host && hn_dynamic_near("holon-fmu-host", near, sizeof near)) host = near;
  if (!host)
    return reject(use, "Install Holon again.",
                  "needs the program holon-fmu-host, which is not there", error);
  s->version = fmu->facts.version;
  s->host = hn_arena_copy_string(&use->arena, host);
  s->library = text_in(use, "%sbinaries/%s/%s.so", use->folder, hn_fmu_own_platform(s->version),
                       fmu->facts.identifier[k]);
  s->resources = text_in(use, "%sresources/%s%s", use->folder, "", "");
  s->token = fmu->facts.token;
  s->name = hn_arena_copy_string(&use->arena, name);
  s->states = s->is_exchange ? fmu->facts.state_count : 0;
  s->indicators = s->is_exchange ? fmu->facts.indicator_count : 0;
  s->completes_steps =
      s->version == 2 ? !hn_fmu_read_flag(fmu, fmu->kind[k], "completedIntegratorStepNotNeeded")
                      : hn_fmu_read_flag(fmu, fmu->kind[k], "needsCompletedIntegratorStep");
  s->can_save = (fmu->facts.can_save & bit) != 0;
  s->can_serialize = (fmu->facts.can_serialize & bit) != 0;
  s->has_variable_steps = fmu->facts.has_variable_steps;
  s->time_limit = 60;
  if (!use->arena.failed) return HN_OK;
  return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory for an FMU");
}

hn_status hn_fmu_use_open(hn_fmu_use *use, const char *path, int kind, const char *host,
                          const char *name, hn_error *error) {
  *use = (hn_fmu_use){.folder = NULL};
  hn_arena_init(&use->arena, NULL);
  hn_status status = hn_fmu_open(path, &use->fmu, error);
  if (status == HN_OK) status = choose_kind(use, kind, error);
  if (status == HN_OK) status = check_usable(use, error);
  if (status == HN_OK) status = unpack(use, error);
  if (status == HN_OK) status = fill_setup(use, host, name, error);
  if (status != HN_OK) hn_fmu_use_close(use);
  return status;
}

void hn_fmu_use_close(hn_fmu_use *use) {
  if (use->folder) hn_disk_remove_folder(use->folder);
  hn_release(NULL, use->folder);
  hn_fmu_file_free(use->fmu);
  hn_arena_release(&use->arena);
  *use = (hn_fmu_use){.folder = NULL};
}

// ---- variables ----------------------------------------------------------------------------------

int hn_fmu_find_name(const hn_fmu_file *fmu, const char *name) {
  int low = 0, high = fmu->facts.variable_count;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (strcmp(fmu->entries[fmu->by_name[middle]].facts.name, name) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == fmu->facts.variable_count) return -1;
  return strcmp(fmu->entries[fmu->by_name[low]].facts.name, name) == 0 ? fmu->by_name[low] : -1;
}

hn_fmu_group hn_fmu_group_of(const hn_fmu_file *fmu, int variable) {
  const hn_fmu_entry *e = &fmu->entries[variable];
  return (hn_fmu_group){e->type, e->facts.reference, (int)e->facts.count};
}

int hn_fmu_is_number(const hn_fmu_file *fmu, int variable) {
  const hn_fmu_type type = fmu->entries[variable].type;
  return type != HN_FMU_STRING && type != HN_FMU_BINARY && type != HN_FMU_CLOCK;
}

static hn_status reject_setting(const hn_fmu_file *fmu, const char *name, const char *hint,
                                const char *what, hn_error *error) {
  const hn_source place = {fmu->zip.path, 0, 0};
  char element[128];
  return hn_fail(error, HN_ERROR_ARGUMENT, &place,
                 hn_text(element, sizeof element, "variable '%.100s'", name), hint, "%s", what);
}

static hn_status give_number(const hn_fmu_file *fmu, hn_fmu_unit *unit, int variable,
                             const char *text, hn_error *error) {
  const hn_fmu_variable *v = &fmu->entries[variable].facts;
  const hn_fmu_group group = hn_fmu_group_of(fmu, variable);
  double number = 0;
  if (strcmp(text, "true") == 0)
    number = 1;
  else if (strcmp(text, "false") != 0) {
    const size_t used = hn_fmu_read_decimal(text, &number);
    if (used == 0 || text[used])
      return reject_setting(fmu, v->name, "Give a number in the unit of the FMU.",
                            "was given a value that is not a number", error);
  }
  double *values = hn_allocate(NULL, ((size_t)group.count + 1) * sizeof *values);
  if (!values) return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  for (int k = 0; k < group.count; k++) values[k] = number;
  const hn_status status = hn_fmu_unit_set(unit, &group, 1, values, error);
  hn_release(NULL, values);
  return status;
}

hn_status hn_fmu_give_start(const hn_fmu_file *fmu, hn_fmu_unit *unit, const char *setting,
                            hn_error *error) {
  const char *equals = strchr(setting, '=');
  char name[512];
  hn_text(name, sizeof name, "%.*s", equals ? (int)(equals - setting) : 0, setting);
  const int variable = equals ? hn_fmu_find_name(fmu, name) : -1;
  if (variable < 0)
    return reject_setting(fmu, equals ? name : setting, "Write NAME=VALUE.", "is not in the FMU",
                          error);
  const hn_fmu_entry *e = &fmu->entries[variable];
  if (e->variability == HN_FMU_CONSTANT ||
      !(e->initial == HN_FMU_EXACT || e->initial == HN_FMU_APPROX ||
        e->causality == HN_FMU_INPUT) ||
      e->causality == HN_FMU_STRUCTURAL_PARAMETER)
    return reject_setting(fmu, name, "Set an input or a parameter.", "has no start value to set",
                          error);
  if (e->type == HN_FMU_STRING)
    return hn_fmu_unit_set_text(unit, e->facts.reference, equals + 1, error);
  if (!hn_fmu_is_number(fmu, variable))
    return reject_setting(fmu, name, "Leave it out.", "has a type that cannot be set", error);
  return give_number(fmu, unit, variable, equals + 1, error);
}
