// Imported models against references, all of tests/data/import and of the folder $HOLON_IMPORT_DATA
// (files, and their references in ref/), or those named: mass, degrees of freedom, accelerations in
// every set of coordinates, inverse dynamics.
//   usage: build/tests/holon-tests formats/import_references [FOLDER NAME...]
#include <dirent.h>

#include "formats/importing.h"

enum { MOST = 400, COMMITTED = 20 }; // references: capacity, and least number

typedef struct found {
  const char *folder;
  char name[120];
} found;

static found all[MOST];
static struct CMUnitTest tests[MOST];
static int count;

static void moves_as_the_reference(void **state) {
  const found *one = *state;
  compare_with_reference(one->folder, one->name);
}

static void add(const char *folder, const char *name, size_t length) {
  found *one = &all[count];
  one->folder = folder;
  snprintf(one->name, sizeof one->name, "%.*s", (int)length, name);
  tests[count++] = (struct CMUnitTest){one->name, moves_as_the_reference, NULL, NULL, one};
}

// How many references the folder has.
static int look_into(const char *folder) {
  const int before = count;
  char path[400];
  snprintf(path, sizeof path, "%s/ref", folder);
  DIR *list = opendir(path);
  if (!list) return 0;
  for (const struct dirent *at = readdir(list); at && count < MOST; at = readdir(list)) {
    size_t length = strlen(at->d_name);
    if (length < 6 || length > 110 || strcmp(at->d_name + length - 5, ".json") != 0) continue;
    add(folder, at->d_name, length - 5);
  }
  closedir(list);
  return count - before;
}

static int complain(const char *folder, int has) {
  fprintf(stderr, "import_references: %d references in %s\n", has, folder);
  return 1;
}

int main(int words, char **word) {
  const char *other = words > 1 ? NULL : getenv("HOLON_IMPORT_DATA");
  for (int k = 2; k < words && count < MOST; k++) add(word[1], word[k], strlen(word[k]));
  const int own = words <= 1 ? look_into("tests/data/import") : COMMITTED;
  if (own < COMMITTED) return complain("tests/data/import", own);
  if (other && *other && look_into(other) == 0) return complain(other, 0);
  return _cmocka_run_group_tests("references", tests, (size_t)count, NULL, NULL);
}
