// SDF: see import_target.h.
#define _GNU_SOURCE
#include "import_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  return fuzz_import(data, size, "<sdf");
}
