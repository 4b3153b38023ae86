// The model of a run, remembered in its folder as model.json, so that a viewer of the run can offer to
// run the model itself. Only paths and what the call said: the files are read when a page is made.
#include "live.h"

#include <stdlib.h>
#include <string.h>

#include "math/json.h"

#define NOTE "model.json"

static void add_paths(hn_cli_json *json, const char *key, const hn_cli_list *paths) {
  hn_json_open(json, key, '[');
  for (int k = 0; k < paths->count; k++) {
    char *full = hn_cli_full_path(paths->items[k]);
    hn_json_string(json, NULL, full);
    free(full);
  }
  hn_json_close(json, ']');
}

hn_status hn_cli_live_keep(const hn_cli_settings *settings, const char *folder, hn_error *error) {
  hn_cli_json json = {0};
  char *full = hn_cli_full_path(settings->path), *file = hn_cli_join(folder, NOTE);
  hn_json_open(&json, NULL, '{');
  hn_json_string(&json, "path", full);
  add_paths(&json, "overlays", &settings->with);
  hn_json_open(&json, "settings", '[');
  for (int k = 0; k < settings->set.count; k++) hn_json_string(&json, NULL, settings->set.items[k]);
  hn_json_close(&json, ']');
  hn_cli_live_options(&json, &settings->run);
  hn_json_close(&json, '}');
  hn_status status = hn_file_write_text(file, &json.text, error);
  hn_string_free(&json.text);
  free(full);
  free(file);
  return status;
}

// ---- reading ------------------------------------------------------------------------------------

static void read_words(const hn_json *object, const char *key, hn_cli_list *list) {
  const hn_json *array = hn_json_get(object, key);
  for (const hn_json *one = array ? array->first : NULL; one; one = one->next)
    if (one->kind == HN_JSON_STRING) hn_cli_list_add(list, one->text);
}

// Unknown options are ignored: the folder may come from anywhere.
static void read_run_options(const hn_json *object, hn_simulation_options *options) {
  const hn_json *list = hn_json_get(object, "options");
  *options = hn_default_simulation_options();
  for (const hn_json *one = list ? list->first : NULL; one; one = one->next) {
    const hn_option *option = one->key ? hn_option_find(one->key) : NULL;
    if (option == NULL) continue;
    char *place = (char *)options + option->offset;
    const int is_number = one->kind == HN_JSON_NUMBER;
    switch (option->kind) {
    case HN_OPTION_WORD:
      if (one->kind == HN_JSON_STRING) *(const char **)(void *)place = one->text;
      break;
    case HN_OPTION_SIZE:
    case HN_OPTION_NUMBER:
      if (is_number) *(double *)(void *)place = one->number;
      break;
    case HN_OPTION_COUNT:
    case HN_OPTION_FLAG:
      if (is_number) *(int *)(void *)place = hn_json_index(one, 0, 1000000);
      break;
    case HN_OPTION_LONG:
      if (is_number) *(long *)(void *)place = hn_json_index(one, 0, 2000000000);
      break;
    }
  }
}

int hn_cli_live_of_run(const char *folder, hn_cli_text *json) {
  char *file = hn_cli_join(folder, NOTE), *text = NULL;
  size_t size = 0;
  hn_error ignored = {0};
  hn_arena arena;
  hn_json *root = NULL;
  int found = 0;
  hn_arena_init(&arena, NULL);
  if (hn_file_read_text(file, &text, &size, &ignored) == HN_OK &&
      hn_json_parse(&arena, text, size, file, &root, &ignored) == HN_OK) {
    hn_cli_settings settings = {.quiet = 1};
    settings.path = hn_json_text_at(root, "path", NULL);
    read_words(root, "overlays", &settings.with);
    read_words(root, "settings", &settings.set);
    read_run_options(root, &settings.run);
    found = settings.path != NULL && hn_cli_live_model(&settings, 1, json) < 0;
    hn_cli_settings_free(&settings);
  }
  hn_arena_release(&arena);
  free(text);
  free(file);
  return found;
}
