// Common part of the targets of URDF, SDF and MJCF: whatever the bytes, importing ends in a model
// that is written and counted, or in an error; the written model file loads or is rejected with a
// line. Files of other formats are not tried.
#ifndef HN_TESTS_FUZZ_IMPORT_TARGET_H
#define HN_TESTS_FUZZ_IMPORT_TARGET_H

#include "mutate_xml.h"

#include "holon/import.h"

static inline int fuzz_import(const uint8_t *data, size_t size, const char *root) {
  hn_import *import = NULL;
  hn_error error = {0};
  hn_import_options options = hn_default_import_options();
  if (size < strlen(root) || !memmem(data, size, root, strlen(root))) return -1;
  options.keyframe = size % 4 == 3 && strcmp(root, "<mujoco") == 0 ? "start" : NULL;
  options.merge_fixed = size % 4 == 2;
  hn_status status = hn_import_text((const char *)data, size, "tests/data/import/fuzz.xml",
                                    &options, &import, &error);
  PROMISE_OUTCOME(status, import, error);
  if (status != HN_OK) return 0;
  int sum = 0;
  for (int fate = 0; fate < HN_IMPORT_FATES; fate++)
    sum += hn_import_count(import, (hn_import_fate)fate);
  PROMISE(sum == hn_import_facts_of(import).tags);
  const char *yaml = hn_import_yaml(import);
  hn_model *model = NULL;
  status =
      hn_model_load_text(yaml, strlen(yaml), "tests/data/import/fuzz.yaml", NULL, &model, &error);
  PROMISE_OUTCOME(status, model, error);
  PROMISE(status != HN_ERROR_SYNTAX);
  hn_model_free(model);
  hn_import_free(import);
  return 0;
}

#endif
