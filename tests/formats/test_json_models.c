// Every model that ships is the same machine when it is written as JSON: same hash.
//
//   test_json_models --write FOLDER   writes them there with what they use, prints hash and file of each
//                                     (for tests/packaging/minimal.sh, which reads them without libyaml)
#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "formats/loading.h"
#include "formats/tree.h"

static int count, is_printing;

static char *read_whole(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  char *text = malloc(*size + 1);
  assert_non_null(text);
  assert_int_equal(fread(text, 1, *size, file), *size);
  text[*size] = '\0';
  fclose(file);
  return text;
}

static void write_whole(const char *path, const char *text, size_t size) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(text, 1, size, file), size);
  fclose(file);
}

static int ends_with(const char *text, const char *end) {
  const size_t length = strlen(text), tail = strlen(end);
  return length > tail && strcmp(text + length - tail, end) == 0;
}

// Components are used by their files, which end in .json there.
static void write_json(const char *from, const char *to) {
  size_t size;
  char *yaml = read_whole(from, &size);
  hn_arena arena;
  hn_node *root = NULL;
  hn_error error;
  hn_arena_init(&arena, NULL);
  assert_int_equal(hn_tree_parse(&arena, yaml, size, from, &root, &error), HN_OK);
  char *json = (char *)hn_tree_json(&arena, root);
  assert_non_null(json);
  for (char *at = json; (at = strstr(at, ".yaml\"")) != NULL; at++) memcpy(at, ".json", 5);
  write_whole(to, json, strlen(json));
  hn_arena_release(&arena);
  free(yaml);
}

// Calls with every file below a folder, and the same path below another; folders are made.
static void walk(const char *from, const char *to, void (*use)(const char *, const char *)) {
  DIR *folder = opendir(from);
  assert_non_null(folder);
  mkdir(to, 0777);
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    char a[512], b[512];
    struct stat facts;
    if (entry->d_name[0] == '.') continue;
    snprintf(a, sizeof a, "%s/%s", from, entry->d_name);
    snprintf(b, sizeof b, "%s/%s", to, entry->d_name);
    if (stat(a, &facts) != 0) continue;
    if (S_ISDIR(facts.st_mode))
      walk(a, b, use);
    else
      use(a, b);
  }
  closedir(folder);
}

static void make_copy(const char *from, const char *to) {
  char json[520];
  size_t size;
  if (ends_with(from, ".yaml")) {
    snprintf(json, sizeof json, "%.*s.json", (int)(strlen(to) - 5), to);
    write_json(from, json);
    return;
  }
  char *text = read_whole(from, &size);
  write_whole(to, text, size);
  free(text);
}

static unsigned long long hash_of(const char *path) {
  hn_model *model = NULL;
  hn_error error;
  // parts and overlays are no models by themselves
  if (hn_model_load(path, NULL, &model, &error) != HN_OK) return 0;
  unsigned long long hash = hn_model_hash(model);
  hn_model_free(model);
  return hash;
}

static void compare(const char *from, const char *to) {
  char json[520];
  if (!ends_with(from, ".yaml")) return;
  const unsigned long long hash = hash_of(from);
  snprintf(json, sizeof json, "%.*s.json", (int)(strlen(to) - 5), to);
  if (hash_of(json) != hash) fail_msg("%s is another machine than %s", json, from);
  if (is_printing && hash) printf("%016llx %s\n", hash, json);
  count += hash != 0;
}

static void models_in_json_have_the_same_hash(void **state) {
  (void)state;
  const char *to = HOLON_TEST_OUTPUT_DIR "/json-models";
  walk("models", to, make_copy);
  walk("models", to, compare);
  assert_true(count > 80);
}

int main(int argc, char **argv) {
  if (argc == 3 && strcmp(argv[1], "--write") == 0) {
    is_printing = 1;
    walk("models", argv[2], make_copy);
    walk("models", argv[2], compare);
    return 0;
  }
  const struct CMUnitTest tests[] = {cmocka_unit_test(models_in_json_have_the_same_hash)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
