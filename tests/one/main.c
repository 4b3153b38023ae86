// All tests in one program (cmake/tests.cmake):
//
//   holon-tests NAME [ARGUMENT ...]     the test NAME, e.g. contact/friction
//   holon-tests                         the names
#include <stdio.h>
#include <string.h>

#include "fuzz/replay.h"

#define ALONE(program, name) int main_of_##program(void);
#define WITH_ARGUMENTS(program, name) int main_of_##program(int argc, char **argv);
#define REPLAYED(stem, name) fuzz_target_function one_input_of_##stem;
#include "test_mains.h"
#undef ALONE
#undef WITH_ARGUMENTS
#undef REPLAYED

typedef struct test {
  const char *name;
  int (*alone)(void);
  int (*with_arguments)(int argc, char **argv);
  fuzz_target_function *replayed; // with the folders given
} test;

static const test tests[] = {
#define ALONE(program, name) {name, main_of_##program, NULL, NULL},
#define WITH_ARGUMENTS(program, name) {name, NULL, main_of_##program, NULL},
#define REPLAYED(stem, name) {name, NULL, NULL, one_input_of_##stem},
#include "test_mains.h"
    {NULL, NULL, NULL, NULL},
};

static int run(const test *t, int argc, char **argv) {
  if (t->alone) return t->alone();
  return t->replayed ? fuzz_replay(t->replayed, argc, argv) : t->with_arguments(argc, argv);
}

int main(int argc, char **argv) {
  for (size_t k = 0; tests[k].name; k++) {
    if (argc < 2)
      puts(tests[k].name);
    else if (strcmp(tests[k].name, argv[1]) == 0)
      return run(&tests[k], argc - 1, argv + 1);
  }
  if (argc < 2) return 0;
  fprintf(stderr, "holon-tests: this build has no test '%s'\n", argv[1]);
  return 1;
}
