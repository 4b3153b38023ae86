// Every example loads without a warning, is named in the reference, and every type has one.
#include <dirent.h>

#include "formats/keys.h"
#include "formats/loading.h"

#define FOLDER "models/examples"

#define PAGES "docs/reference/model"

static char text[400000]; // of all pages

static int set_up(void **state) {
  (void)state;
  DIR *folder = opendir(PAGES);
  size_t size = 0;
  if (!folder) return 1;
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    char path[300];
    if (!strstr(entry->d_name, ".md")) continue;
    snprintf(path, sizeof path, PAGES "/%.200s", entry->d_name);
    FILE *file = fopen(path, "r");
    if (!file) return 1;
    size += fread(text + size, 1, sizeof text - 1 - size, file);
    fclose(file);
  }
  closedir(folder);
  text[size] = '\0';
  return 0;
}

static void examples_load_and_are_in_the_reference(void **state) {
  (void)state;
  DIR *folder = opendir(FOLDER);
  struct dirent *entry;
  int count = 0;
  assert_non_null(folder);
  while ((entry = readdir(folder))) {
    const char *name = entry->d_name;
    if (!strstr(name, ".yaml") && !strstr(name, ".json")) continue;
    char path[300];
    hn_model *model = NULL;
    hn_error error = {0};
    hn_load_options options = hn_default_load_options();
    options.strict = 1;
    snprintf(path, sizeof path, FOLDER "/%s", name);
    if (hn_model_load(path, &options, &model, &error)) {
      char all[2600];
      hn_error_format(&error, all, sizeof all);
      fail_msg("%s", all);
    }
    assert_true(hn_model_output_count(model) > 0);
    assert_true(hn_model_defaults(model)->time > 0);
    hn_model_free(model);
    snprintf(path, sizeof path, "(../../../" FOLDER "/%s)", name);
    if (strncmp(name, "pendulum", 8) != 0 && !strstr(text, path)) // of the index
      fail_msg(PAGES " does not name %s", name);
    count++;
  }
  closedir(folder);
  assert_true(count > 40);
}

static void every_type_has_an_example(void **state) {
  (void)state;
  const hn_section *section;
  int count = 0;
  for (int k = 0; (section = hn_section_at(k)); k++) {
    if (!section->variant) continue;
    count++;
    char path[300];
    snprintf(path, sizeof path, FOLDER "/%s-%s.yaml", section->name, section->variant);
    FILE *file = fopen(path, "r");
    if (!file) fail_msg("there is no %s", path);
    fclose(file);
  }
  assert_true(count > 20);
}

static void yaml_and_json_give_the_same_model(void **state) {
  (void)state;
  hn_model *yaml, *json;
  hn_error error;
  check_ok(hn_model_load(FOLDER "/pendulum.yaml", NULL, &yaml, &error));
  check_ok(hn_model_load(FOLDER "/pendulum.json", NULL, &json, &error));
  assert_true(memcmp(yaml->bodies[1].inertia, json->bodies[1].inertia, 6 * sizeof(double)) == 0);
  check_near(hn_model_defaults(json)->output_step, hn_model_defaults(yaml)->output_step, 0);
  hn_model_free(yaml);
  hn_model_free(json);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(examples_load_and_are_in_the_reference),
      cmocka_unit_test(every_type_has_an_example),
      cmocka_unit_test(yaml_and_json_give_the_same_model),
  };
  return cmocka_run_group_tests(tests, set_up, NULL);
}
