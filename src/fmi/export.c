// A model file as an FMU: its description, the binary, the files it needs. See holon/fmu.h.
#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "fmi/fmu.h"
#include "model/model.h"

// ---- what it is made of ---------------------------------------------------------------------------

// Letters and digits of the model's name; the binary has this name.
static void make_identifier(hn_fmu *fmu) {
  const char *name = hn_model_name(fmu->model);
  size_t length = 0;
  for (; *name && length + 1 < sizeof fmu->identifier; name++) {
    const char c = *name;
    const int is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const int is_digit = c >= '0' && c <= '9';
    if (is_digit && length == 0) fmu->identifier[length++] = 'm';
    fmu->identifier[length++] = is_letter || is_digit ? c : '_';
  }
  if (length == 0) fmu->identifier[length++] = 'm';
  fmu->identifier[length] = '\0';
}

static hn_status check_parts(const hn_fmu *fmu, hn_error *error) {
  if (fmu->model->part_count == 0) return HN_OK;
  const hn_sealed_part *part = &fmu->model->parts[0];
  char element[160];
  return hn_fail(error, HN_ERROR_UNSUPPORTED, &part->source,
                 hn_text(element, sizeof element, "component '%.120s'", part->name),
                 "Use its model file, or export it as an FMU of its own.",
                 "is sealed, and an FMU cannot contain a sealed component");
}

static hn_status prepare_exchange(hn_fmu *fmu, hn_error *error) {
  hn_simulation_options options = hn_default_simulation_options();
  hn_exchange_options(fmu->model, &options);
  hn_status status = hn_simulation_create(fmu->model, &options, &fmu->exchanged, error);
  return status == HN_OK ? hn_exchange_create(fmu->exchanged, &fmu->exchange, error) : status;
}

static hn_status prepare_fmu(hn_fmu *fmu, hn_error *error) {
  hn_status status = hn_model_files_read(fmu->path, NULL, 0, fmu->load, &fmu->files, error);
  if (status == HN_OK) status = hn_model_files_build(fmu->files, NULL, 0, &fmu->model, error);
  if (status == HN_OK) status = check_parts(fmu, error);
  const hn_simulation_options options = hn_default_simulation_options();
  if (status == HN_OK) status = hn_simulation_create(fmu->model, &options, &fmu->simulation, error);
  if (status == HN_OK && fmu->options->kinds & HN_FMU_MODEL_EXCHANGE)
    status = prepare_exchange(fmu, error);
  if (status == HN_OK) status = hn_fmu_find_variables(fmu, error);
  if (status == HN_OK) make_identifier(fmu);
  return status == HN_OK ? hn_fmu_list_resources(fmu, error) : status;
}

// ---- the archive ----------------------------------------------------------------------------------

static hn_status add_description(const hn_fmu *fmu, hn_zip *zip, hn_error *error) {
  hn_string xml = {.data = NULL};
  if (fmu->options->version == 2)
    hn_fmu_describe_2(fmu, &xml);
  else
    hn_fmu_describe_3(fmu, &xml);
  const hn_zip_bytes piece = {xml.data, xml.length};
  hn_status status = HN_OK;
  if (xml.is_lost)
    status = hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory for the FMU");
  else
    hn_zip_add(zip, "modelDescription.xml", &piece, 1);
  hn_string_free(&xml);
  return status;
}

static const char *platform(int version) {
#if defined(__aarch64__)
  return version == 2 ? "linuxarm64" : "aarch64-linux";
#else
  return version == 2 ? "linux64" : "x86_64-linux";
#endif
}

static hn_status add_binary(const hn_fmu *fmu, hn_zip *zip, hn_error *error) {
  char name[128];
  char *bytes = NULL;
  size_t size = 0;
  hn_status status = hn_file_read(fmu->options->runtime, &bytes, &size, error);
  if (status != HN_OK) return status;
  const hn_zip_bytes piece = {bytes, size};
  hn_zip_add(zip,
             hn_text(name, sizeof name, "binaries/%s/%s.so", platform(fmu->options->version),
                     fmu->identifier),
             &piece, 1);
  hn_release(NULL, bytes);
  return HN_OK;
}

static hn_status write_archive(hn_fmu *fmu, const char *out, hn_error *error) {
  hn_zip zip;
  hn_status status = hn_zip_create(&zip, out, error);
  if (status != HN_OK) return status;
  status = add_description(fmu, &zip, error);
  if (status == HN_OK) status = add_binary(fmu, &zip, error);
  if (status == HN_OK) status = hn_fmu_add_resources(fmu, &zip, error);
  if (status == HN_OK) status = hn_fmu_add_pages(fmu, &zip, error);
  if (status == HN_OK) return hn_zip_finish(&zip, error);
  hn_zip_abandon(&zip);
  return status;
}

hn_status hn_fmu_export(const char *path, const char *out, const hn_load_options *load,
                        const hn_fmu_options *options, hn_error *error) {
  hn_error own;
  hn_fmu_options chosen = {0};
  if (!error) error = &own;
  if (options && options->size == 0)
    memcpy(&chosen, options, offsetof(hn_fmu_options, kinds)); // of the first version
  else if (options)
    memcpy(&chosen, options, options->size < sizeof chosen ? options->size : sizeof chosen);
  if (chosen.kinds == 0) chosen.kinds = HN_FMU_CO_SIMULATION;
  if (chosen.version == 0) chosen.version = 3;
  if (chosen.version != 2 && chosen.version != 3)
    return hn_fail(error, HN_ERROR_ARGUMENT, NULL, NULL, "Use 2 or 3.",
                   "there is no FMI %d that Holon writes", chosen.version);
  if (chosen.kinds & ~(HN_FMU_MODEL_EXCHANGE | HN_FMU_CO_SIMULATION))
    return hn_fail(error, HN_ERROR_ARGUMENT, NULL, NULL,
                   "Use Model Exchange, Co-Simulation or both.",
                   "there is no kind %d of FMU that Holon writes", chosen.kinds);
  if (!chosen.runtime)
    return hn_fail(error, HN_ERROR_ARGUMENT, NULL, NULL, "Give the path of holon-fmu.so.",
                   "no binary for the FMU was given");
  hn_fmu fmu = {.path = path, .load = load, .options = &chosen};
  hn_arena_init(&fmu.arena, NULL);
  hn_status status = prepare_fmu(&fmu, error);
  if (status == HN_OK) status = write_archive(&fmu, out, error);
  hn_string_free(&fmu.resources);
  hn_simulation_free(fmu.exchanged);
  hn_simulation_free(fmu.simulation);
  hn_model_free(fmu.model);
  hn_model_files_free(fmu.files);
  hn_arena_release(&fmu.arena);
  return status;
}
