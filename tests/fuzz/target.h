// Common part of the targets: libFuzzer's entry, and files for readers that take a path, in memory
// (/dev/shm) if the system has it, else in the present folder.
#ifndef HN_TESTS_FUZZ_TARGET_H
#define HN_TESTS_FUZZ_TARGET_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "holon/base.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Broken promises end the program: the fuzzer keeps the input.
#define PROMISE(truth)                                                                             \
  do {                                                                                             \
    if (!(truth)) {                                                                                \
      fprintf(stderr, "%s:%d: broken promise: %s\n", __FILE__, __LINE__, #truth);                  \
      abort();                                                                                     \
    }                                                                                              \
  } while (0)

// On failure nothing is handed out and something is said; on success the opposite.
#define PROMISE_OUTCOME(status, object, error)                                                     \
  do {                                                                                             \
    PROMISE(((status) == HN_OK) == ((object) != NULL));                                            \
    PROMISE((status) == HN_OK || (error).message[0]);                                              \
  } while (0)

// A path of this process alone.
static inline void fuzz_path(char path[128], const char *name) {
  struct stat place;
  const char *folder = stat("/dev/shm", &place) == 0 ? "/dev/shm" : ".";
  snprintf(path, 128, "%s/holon-fuzz-%ld-%s", folder, (long)getpid(), name);
}

static inline void fuzz_write(const char *path, const void *data, size_t size) {
  FILE *file = fopen(path, "wb");
  PROMISE(file != NULL);
  PROMISE(fwrite(data, 1, size, file) == size);
  PROMISE(fclose(file) == 0);
}

#endif
