// Common parts of verify and compare (among.h).
#include "among.h"
#include "ranks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// ---- formulations -------------------------------------------------------------------------------

static int no_match(const char *command, const char *item) {
  const char *words[128];
  int count = 0;
  const char *(*lists[])(int) = {hn_list_coordinates, hn_list_methods, hn_list_formulas,
                                 hn_list_independent, hn_list_presets};
  for (size_t k = 0; k < sizeof lists / sizeof lists[0]; k++)
    for (int i = 0; lists[k](i) != NULL && count < 127; i++) words[count++] = lists[k](i);
  words[count] = NULL;
  const char *nearest = strchr(item, '/') == NULL ? hn_cli_nearest(item, words) : NULL;
  hn_cli_wrong_call(command,
                    "--among '%s' matches no combination%s%s%s\n  Words between slashes, as in "
                    "relative/rosenbrock; `holon list` lists them and the valid combinations.",
                    item, nearest != NULL ? "; did you mean '" : "", nearest != NULL ? nearest : "",
                    nearest != NULL ? "'?" : "");
  return -1;
}

// The items of all lists, split at commas. Freed by the caller, one block.
static char **split(const hn_cli_list *items, int *count) {
  size_t size = 1;
  for (int k = 0; k < items->count; k++) size += strlen(items->items[k]) + 1;
  char **words = hn_cli_allocate(size, sizeof *words + 1);
  char *text = (char *)(words + size);
  *count = 0;
  for (int k = 0; k < items->count; k++) {
    strcpy(text, items->items[k]);
    size_t length = strlen(text);
    for (char *word = strtok(text, ","); word != NULL; word = strtok(NULL, ","))
      words[(*count)++] = word;
    text += length + 1;
  }
  return words;
}

int hn_cli_among(const char *command, const hn_cli_list *items, hn_formulation **list) {
  int count = 0, all = 0, item_count = 0;
  hn_formulation f;
  while (hn_list_formulation(all, &f)) all++;
  *list = hn_cli_allocate((size_t)all + 2, sizeof **list);
  char **words = split(items, &item_count);
  int *used = hn_cli_allocate((size_t)item_count + 1, sizeof *used);
  for (int i = 0; i < all; i++) {
    int wanted = item_count == 0;
    hn_list_formulation(i, &f);
    for (int k = 0; k < item_count; k++) {
      if (!hn_formulation_matches(&f, words[k])) continue;
      used[k] = wanted = 1;
    }
    if (wanted) (*list)[count++] = f;
  }
  for (int k = 0; k < item_count && count >= 0; k++) {
    if (!used[k]) count = no_match(command, words[k]);
  }
  free(used);
  free(words);
  if (count < 0) {
    free(*list);
    *list = NULL;
  }
  return count;
}

// ---- numbers ------------------------------------------------------------------------------------

static double read_number(const char *word) {
  static const struct {
    const char *name;
    double size;
  } units[] = {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"us", 1e-6}};
  char *end = NULL;
  double number = strtod(word, &end);
  if (end == word || !isfinite(number) || number <= 0) return 0;
  end += strspn(end, " ");
  for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
    if (strcmp(end, units[i].name) == 0) return number * units[i].size;
  }
  return 0;
}

int hn_cli_numbers(const char *command, const char *option, const hn_cli_list *items,
                   double **list) {
  int count = 0;
  char **words = split(items, &count);
  *list = hn_cli_allocate((size_t)count + 1, sizeof **list);
  for (int k = 0; k < count; k++) {
    (*list)[k] = read_number(words[k]);
    if ((*list)[k] > 0) continue;
    hn_cli_wrong_call(command, "--%s needs numbers above 0 between commas, not '%s'", option,
                      words[k]);
    count = -1;
  }
  free(words);
  if (count < 0) {
    free(*list);
    *list = NULL;
  }
  return count;
}

// ---- progress -----------------------------------------------------------------------------------

double hn_cli_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

hn_cli_progress hn_cli_progress_begin(const hn_cli_settings *settings) {
  hn_cli_listen(NULL);
  return (hn_cli_progress){.is_shown =
                               !settings->quiet && !settings->json && isatty(STDERR_FILENO)};
}

int hn_cli_progress_show(hn_cli_progress *line, const char *what, double share) {
  double now = hn_cli_clock();
  if (line->is_shown && now - line->drawn > 0.05) {
    line->drawn = now;
    fprintf(stderr, "\r%3.0f %%   %s\033[K", 100 * share, what);
    fflush(stderr);
  }
  return !hn_cli_is_interrupted();
}

void hn_cli_progress_end(const hn_cli_progress *line) {
  if (line->is_shown) fputs("\r\033[K", stderr);
}

// ---- files --------------------------------------------------------------------------------------

char *hn_cli_study_folder(const hn_cli_session *session, const char *command) {
  const hn_cli_settings *settings = session->settings;
  if (settings->folder != NULL) return hn_cli_copy(settings->folder);
  if (settings->json) return NULL;
  hn_cli_text path = {0};
  hn_cli_add(&path, "out/");
  hn_cli_add_file_name(&path, session->name);
  hn_cli_add(&path, "-%s", command);
  return path.data;
}

int hn_cli_prepare_study(hn_cli_session *session, const char *command) {
  char *folder = hn_cli_study_folder(session, command);
  hn_status status = HN_OK;
  if (folder != NULL) status = hn_make_folders(folder, &session->error);
  if (folder != NULL && status == HN_OK) status = hn_try_folder(folder, &session->error);
  free(folder);
  if (status == HN_OK) return -1;
  hn_cli_report_failure(session->settings->json, 0, &session->error);
  return HN_CLI_WRONG;
}

hn_status hn_cli_write_into(const char *folder, const char *name, const hn_cli_text *text,
                            hn_error *error) {
  char *path = hn_cli_join(folder, name);
  hn_status status = hn_file_write_bytes(path, text->data, text->length, error);
  if (status != HN_OK) hn_cli_print_error(error);
  free(path);
  return status;
}

// ---- calls --------------------------------------------------------------------------------------

void hn_cli_add_run_options(hn_cli_text *text, const hn_formulation *f, double tol, double step) {
  hn_cli_add(text, " --coordinates %s --method %s --formula %s", f->coordinates, f->method,
             f->formula);
  if (strcmp(f->independent, "none") != 0 && strcmp(f->independent, "auto") != 0)
    hn_cli_add(text, " --independent %s", f->independent);
  if (step > 0) hn_cli_add(text, " --step %g", step);
  if (step <= 0 && tol > 0) hn_cli_add(text, " --tol %g", tol);
}

void hn_cli_add_run_call(hn_cli_text *text, const hn_cli_settings *settings,
                         const hn_formulation *f, double tol, double step) {
  hn_cli_add(text, "holon run ");
  hn_cli_add_shell_word(text, settings->path);
  for (int k = 0; k < settings->set.count; k++) {
    hn_cli_add(text, " --set ");
    hn_cli_add_shell_word(text, settings->set.items[k]);
  }
  for (int k = 0; k < settings->with.count; k++) {
    hn_cli_add(text, " --with ");
    hn_cli_add_shell_word(text, settings->with.items[k]);
  }
  if (settings->allow_compiled) hn_cli_add(text, " --allow-compiled");
  if (settings->max_entries > 0) hn_cli_add(text, " --max-entries %ld", settings->max_entries);
  if (settings->time > 0) hn_cli_add(text, " --time %g", settings->time);
  hn_cli_add_run_options(text, f, tol, step);
}
