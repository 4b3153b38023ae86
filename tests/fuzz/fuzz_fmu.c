// FMUs: an archive, or modelDescription.xml in one. Whatever the bytes, opening ends in facts that
// can be written, or in an error.
#include "mutate_xml.h"

#include "base/zip.h"
#include "holon/fmu.h"

static void write_archive(const char *path, const uint8_t *data, size_t size) {
  hn_zip zip;
  hn_error error = {0};
  const hn_zip_bytes text = {data, size};
  PROMISE(hn_zip_create(&zip, path, &error) == HN_OK);
  hn_zip_add(&zip, "modelDescription.xml", &text, 1);
  PROMISE(hn_zip_finish(&zip, &error) == HN_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static char path[128];
  hn_fmu_file *fmu = NULL;
  hn_error error = {0};
  char *json = NULL;
  if (!path[0]) fuzz_path(path, "x.fmu");
  if (size > 2 && memcmp(data, "PK", 2) == 0)
    fuzz_write(path, data, size);
  else
    write_archive(path, data, size);
  hn_status status = hn_fmu_open(path, &fmu, &error);
  remove(path);
  PROMISE_OUTCOME(status, fmu, error);
  if (status != HN_OK) return 0;
  PROMISE(hn_fmu_json(fmu, &json, NULL) == HN_OK);
  hn_text_free(json);
  hn_fmu_file_free(fmu);
  return 0;
}
