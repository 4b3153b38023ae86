// A model for a live page: its text and all files that it reads, as JSON.
//
// The page has no disk: it gets the files under paths relative to the lowest folder that holds all of
// them, so that "../parts/wheel.yaml" in a file finds what it finds on the disk.
#include "live.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Where files of the model lie, from the root, without "." and "..".
typedef struct live_files {
  char **paths;
  int count, room;
  size_t common; // length of the folder that holds all, with its slash
} live_files;

static size_t folder_length(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash != NULL ? (size_t)(slash - path) + 1 : 0;
}

// The common folder holds this path too.
static void widen(live_files *files, const char *full) {
  const char *first = files->paths[0];
  while (files->common > 0 && strncmp(first, full, files->common) != 0) {
    files->common--;
    while (files->common > 0 && first[files->common - 1] != '/') files->common--;
  }
}

// Returns the place of the file in the list.
static int add_path(live_files *files, const char *path) {
  char *full = hn_cli_full_path(path);
  for (int k = 0; k < files->count; k++)
    if (strcmp(files->paths[k], full) == 0) {
      free(full);
      return k;
    }
  if (files->count == files->room) {
    files->room = 2 * files->room + 16;
    char **paths = realloc(files->paths, (size_t)files->room * sizeof *paths);
    if (paths == NULL) hn_cli_out_of_memory();
    files->paths = paths;
  }
  files->paths[files->count++] = full;
  if (files->count == 1) files->common = folder_length(full);
  widen(files, full);
  return files->count - 1;
}

// "NAME=FOLDER" with the folder as the page sees it; to be freed.
static char *package_name(const live_files *files, const char *package) {
  const size_t name = strcspn(package, "=") + (strchr(package, '=') != NULL);
  char *full = hn_cli_full_path(package + name);
  hn_cli_text text = {0};
  hn_cli_add(&text, "%.*s%s", (int)name, package,
             strlen(full) > files->common ? full + files->common : ".");
  free(full);
  return text.data;
}

static void add_package(live_files *files, const char *package) {
  const char *equals = strchr(package, '=');
  char *inside = equals != NULL ? hn_cli_join(equals + 1, "inside") : NULL;
  if (inside == NULL) return;
  char *full = hn_cli_full_path(inside);
  widen(files, full);
  free(full);
  free(inside);
}

static const char *name_of(const live_files *files, int k) {
  return files->paths[k] + files->common;
}

static void free_files(live_files *files) {
  for (int k = 0; k < files->count; k++) free(files->paths[k]);
  free(files->paths);
}

// ---- JSON ---------------------------------------------------------------------------------------

// Text unchanged, other data in base64.
static hn_status add_data(hn_cli_json *json, const char *path, int is_text, hn_error *error) {
  char *data = NULL;
  size_t size = 0;
  hn_status status = is_text ? hn_file_read_text(path, &data, &size, error)
                             : hn_file_read(path, &data, &size, error);
  if (status != HN_OK) return status;
  if (is_text && memchr(data, '\0', size) == NULL) {
    hn_json_string(json, "text", data);
  } else {
    hn_cli_text coded = {0};
    hn_string_text(&coded, "\"");
    hn_string_base64(&coded, data, size);
    hn_string_text(&coded, "\"");
    hn_cli_check_text(&coded);
    hn_json_raw(json, "base64", coded.data);
    hn_string_free(&coded);
  }
  free(data);
  return HN_OK;
}

static void add_words(hn_cli_json *json, const char *key, const hn_cli_list *words) {
  hn_json_open(json, key, '[');
  for (int k = 0; k < words->count; k++) hn_json_string(json, NULL, words->items[k]);
  hn_json_close(json, ']');
}

void hn_cli_live_options(hn_cli_json *json, const hn_simulation_options *options) {
  const hn_simulation_options usual = hn_default_simulation_options();
  const hn_option *option;
  hn_json_open(json, "options", '{');
  for (int k = 0; (option = hn_option_at(k)) != NULL; k++) {
    const char *now = (const char *)options + option->offset;
    const char *before = (const char *)&usual + option->offset;
    switch (option->kind) {
    case HN_OPTION_WORD: {
      const char *word = *(const char *const *)(const void *)now;
      if (word != NULL) hn_json_string(json, option->name, word);
      break;
    }
    case HN_OPTION_SIZE:
    case HN_OPTION_NUMBER:
      if (memcmp(now, before, sizeof(double)) != 0 && *(const double *)(const void *)now != 0)
        hn_json_number(json, option->name, *(const double *)(const void *)now);
      break;
    case HN_OPTION_COUNT:
    case HN_OPTION_FLAG:
      if (*(const int *)(const void *)now != 0)
        hn_json_integer(json, option->name, *(const int *)(const void *)now);
      break;
    case HN_OPTION_LONG:
      if (*(const long *)(const void *)now != 0)
        hn_json_integer(json, option->name, *(const long *)(const void *)now);
      break;
    }
  }
  hn_json_close(json, '}');
}

// ---- the model ----------------------------------------------------------------------------------

// Reads all files of the model, and says what is wrong with them as every command does.
static int read_files(const hn_cli_settings *settings, hn_model_files **read, live_files *files) {
  hn_load_options options = hn_default_load_options();
  hn_error error = {0}, more[HN_LOAD_ERRORS];
  int more_count = 0;
  options.settings = settings->set.items;
  options.setting_count = settings->set.count;
  options.overlays = settings->with.items;
  options.overlay_count = settings->with.count;
  options.packages = settings->packages.items;
  options.package_count = settings->packages.count;
  options.more = more;
  options.more_room = HN_LOAD_ERRORS;
  options.more_count = &more_count;
  hn_model *model = NULL;
  hn_status status = hn_model_files_read(settings->path, NULL, 0, &options, read, &error);
  if (status == HN_OK) status = hn_model_files_build(*read, NULL, 0, &model, &error);
  hn_model_free(model);
  if (status != HN_OK) {
    if (!settings->quiet) hn_cli_report_failures(0, &error, more, more_count);
    return status == HN_ERROR_MEMORY ? HN_CLI_FAILED : HN_CLI_WRONG;
  }
  const char *path, *text;
  size_t size;
  add_path(files, settings->path);
  for (int k = 0; k < settings->with.count; k++) add_path(files, settings->with.items[k]);
  for (int k = 0; (path = hn_model_files_path(*read, k, &text, &size)) != NULL; k++)
    add_path(files, path);
  for (int k = 0; k < settings->packages.count; k++)
    add_package(files, settings->packages.items[k]);
  return -1;
}

static int is_text_file(const hn_model_files *read, const char *full) {
  const char *path, *text;
  size_t size;
  for (int k = 0; (path = hn_model_files_path(read, k, &text, &size)) != NULL; k++) {
    char *own = hn_cli_full_path(path);
    int same = strcmp(own, full) == 0;
    free(own);
    if (same) return text != NULL;
  }
  return 1; // an overlay
}

static hn_status write_model(hn_cli_json *json, const hn_cli_settings *settings, int has_results,
                             const hn_model_files *read, live_files *files, hn_error *error) {
  hn_json_open(json, NULL, '{');
  hn_json_string(json, "name", name_of(files, 0));
  if (has_results) hn_json_boolean(json, "has_results", 1);
  hn_status status = add_data(json, files->paths[0], 1, error);
  hn_json_open(json, "files", '[');
  for (int k = 1; k < files->count && status == HN_OK; k++) {
    hn_json_open(json, NULL, '{');
    hn_json_string(json, "name", name_of(files, k));
    status = add_data(json, files->paths[k], is_text_file(read, files->paths[k]), error);
    hn_json_close(json, '}');
  }
  hn_json_close(json, ']');
  hn_json_open(json, "overlays", '[');
  for (int k = 0; k < settings->with.count; k++)
    hn_json_string(json, NULL, name_of(files, add_path(files, settings->with.items[k])));
  hn_json_close(json, ']');
  add_words(json, "settings", &settings->set);
  hn_json_open(json, "packages", '[');
  for (int k = 0; k < settings->packages.count; k++) {
    char *package = package_name(files, settings->packages.items[k]);
    hn_json_string(json, NULL, package);
    free(package);
  }
  hn_json_close(json, ']');
  hn_cli_live_options(json, &settings->run);
  hn_json_close(json, '}');
  return status;
}

int hn_cli_live_model(const hn_cli_settings *settings, int has_results, hn_cli_text *text) {
  hn_model_files *read = NULL;
  live_files files = {0};
  hn_cli_json json = {0};
  hn_error error = {0};
  int code = read_files(settings, &read, &files);
  if (code < 0 && write_model(&json, settings, has_results, read, &files, &error) != HN_OK) {
    if (!settings->quiet) hn_cli_print_error(&error);
    code = HN_CLI_FAILED;
  }
  hn_model_files_free(read);
  free_files(&files);
  hn_cli_check_text(&json.text);
  *text = json.text;
  return code;
}
