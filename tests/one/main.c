// All tests in one program, for builds in which every program would be large (cmake/tests.cmake):
//
//   all NAME [ARGUMENT ...]     the test NAME, e.g. contact/friction
//   all                         the names
#include <stdio.h>
#include <string.h>

#define ALONE(program, name) int main_of_##program(void);
#define WITH_ARGUMENTS(program, name) int main_of_##program(int argc, char **argv);
#include "test_mains.h"
#undef ALONE
#undef WITH_ARGUMENTS

typedef struct test {
  const char *name;
  int (*alone)(void);
  int (*with_arguments)(int argc, char **argv);
} test;

static const test tests[] = {
#define ALONE(program, name) {name, main_of_##program, NULL},
#define WITH_ARGUMENTS(program, name) {name, NULL, main_of_##program},
#include "test_mains.h"
};

int main(int argc, char **argv) {
  for (size_t k = 0; k < sizeof tests / sizeof *tests; k++) {
    if (argc < 2)
      puts(tests[k].name);
    else if (strcmp(tests[k].name, argv[1]) == 0)
      return tests[k].alone ? tests[k].alone() : tests[k].with_arguments(argc - 1, argv + 1);
  }
  if (argc < 2) return 0;
  fprintf(stderr, "all: there is no test '%s'\n", argv[1]);
  return 1;
}
