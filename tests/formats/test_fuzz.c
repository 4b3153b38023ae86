// Broken on purpose: truncated models, flipped bytes, shuffled pieces. Loading never crashes, never
// leaves anything behind, and every failure says where. Run with the sanitizers this is a fuzz
// test; tests/fuzz/fuzz_model.c is the endless version.
#include <dirent.h>
#include <stdlib.h>

#include "formats/loading.h"

#define FILES 128
#define SIZE 65536

typedef struct seed {
  char path[300];
  char text[SIZE];
  size_t size;
} seed;

static seed *seeds;
static int seed_count;

static void read_seeds(const char *folder) {
  DIR *open = opendir(folder);
  struct dirent *entry;
  assert_non_null(open);
  while ((entry = readdir(open)) && seed_count < FILES) {
    if (!strstr(entry->d_name, ".yaml") && !strstr(entry->d_name, ".json")) continue;
    seed *s = &seeds[seed_count];
    snprintf(s->path, sizeof s->path, "%s/%s", folder, entry->d_name);
    FILE *file = fopen(s->path, "rb");
    assert_non_null(file);
    s->size = fread(s->text, 1, SIZE, file);
    fclose(file);
    seed_count++;
  }
  closedir(open);
}

static int by_path(const void *a, const void *b) {
  return strcmp(((const seed *)a)->path, ((const seed *)b)->path);
}

static int set_up(void **state) {
  (void)state;
  seeds = calloc(FILES, sizeof *seeds);
  if (!seeds) return 1;
  read_seeds("models/examples");
  read_seeds("models/examples/parts");
  read_seeds("tests/formats/files");
  if (seed_count < 40) return 1;                            // fewer than there are examples
  qsort(seeds, (size_t)seed_count, sizeof *seeds, by_path); // the same on every computer
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  free(seeds);
  return 0;
}

static int accepted, refused;

// Either a model, or an error with everything a reader needs.
static void try_text(const char *text, size_t size, const char *path) {
  hn_model *model = NULL;
  hn_error error = {0};
  hn_status status = hn_model_load_text(text, size, path, NULL, &model, &error);
  if (status == HN_OK) {
    assert_non_null(model);
    hn_model_free(model);
    accepted++;
    return;
  }
  refused++;
  assert_null(model);
  if (status > 0 || error.status != status || error.line <= 0 || error.column <= 0 ||
      !error.message[0] || !error.file[0] || !error.hint[0])
    fail_msg("%s: %d %s:%d:%d: %s (%s)", path, status, error.file, error.line, error.column,
             error.message, error.hint);
}

static void truncated_models_are_refused_with_a_line(void **state) {
  (void)state;
  hn_random random = hn_random_seed(1);
  for (int k = 0; k < seed_count; k++) {
    const seed *s = &seeds[k];
    for (int n = 0; n < 30; n++)
      try_text(s->text, (size_t)hn_random_below(&random, (int)s->size), s->path);
    try_text(s->text, s->size, s->path);
  }
  assert_true(refused > 500);
}

static void flipped_bytes_are_survived(void **state) {
  (void)state;
  hn_random random = hn_random_seed(2);
  static char text[SIZE];
  for (int n = 0; n < 3000; n++) {
    const seed *s = &seeds[hn_random_below(&random, seed_count)];
    memcpy(text, s->text, s->size);
    int flips = 1 + hn_random_below(&random, 4);
    for (int k = 0; k < flips; k++) {
      size_t at = (size_t)hn_random_below(&random, (int)s->size);
      text[at] = (char)(text[at] ^ (1 << hn_random_below(&random, 8)));
    }
    try_text(text, s->size, s->path);
  }
}

// Bytes that mean something to YAML or to formulas hit harder than random ones.
static void meaningful_bytes_are_survived(void **state) {
  (void)state;
  static const char bytes[] = "{}[]:,-#&*!|>'\"%@`\n\t ?~0123456789eE.+/^()<>=ixtN";
  hn_random random = hn_random_seed(3);
  static char text[SIZE];
  for (int n = 0; n < 3000; n++) {
    const seed *s = &seeds[hn_random_below(&random, seed_count)];
    memcpy(text, s->text, s->size);
    int changes = 1 + hn_random_below(&random, 3);
    for (int k = 0; k < changes; k++)
      text[hn_random_below(&random, (int)s->size)] =
          bytes[hn_random_below(&random, (int)sizeof bytes - 1)];
    try_text(text, s->size, s->path);
  }
}

// Pieces of one model put into another: keys and values where they do not belong.
static void transplanted_pieces_are_survived(void **state) {
  (void)state;
  hn_random random = hn_random_seed(4);
  static char text[2 * SIZE];
  for (int n = 0; n < 3000; n++) {
    const seed *a = &seeds[hn_random_below(&random, seed_count)];
    const seed *b = &seeds[hn_random_below(&random, seed_count)];
    size_t cut = (size_t)hn_random_below(&random, (int)a->size);
    size_t from = (size_t)hn_random_below(&random, (int)b->size);
    size_t length = (size_t)hn_random_below(&random, 40);
    if (from + length > b->size) length = b->size - from;
    memcpy(text, a->text, cut);
    memcpy(text + cut, b->text + from, length);
    memcpy(text + cut + length, a->text + cut, a->size - cut);
    try_text(text, a->size + length, a->path);
  }
}

static void most_of_it_was_really_broken(void **state) {
  (void)state;
  assert_true(refused > 4000 && accepted > 100);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(truncated_models_are_refused_with_a_line),
      cmocka_unit_test(flipped_bytes_are_survived),
      cmocka_unit_test(meaningful_bytes_are_survived),
      cmocka_unit_test(transplanted_pieces_are_survived),
      cmocka_unit_test(most_of_it_was_really_broken),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
