// Every file and every command of the tutorials, and of the how-to on STEP files where these are read:
// saved, run, and expected to end well.
#include "support/check.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dynamic.h"
#include "support/command.h"

static char name_to_save[128]; // from "Save this as `NAME`:"

static void note_name(const char *line) {
  const char *at = strstr(line, "Save this as `");
  if (at == NULL) return;
  at += strlen("Save this as `");
  snprintf(name_to_save, sizeof name_to_save, "%.*s", (int)strcspn(at, "`"), at);
}

static void save(const char *folder, const char *text) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", folder, name_to_save);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

static void run(const char *folder, const char *lines) {
  hn_command command = hn_run_shell(
      folder, "set -e\nholon() { \"$HOLON\" \"$@\"; }\nMODELS=" HOLON_SOURCE_DIR "/models\n%s",
      lines);
  if (command.code != 0) fail_msg("%s-> %d\n%s%s", lines, command.code, command.out, command.err);
  hn_command_free(&command);
}

// Saves the files and runs the commands of a page in a fresh folder; returns how many commands.
static int run_page(const char *path, const char *folder) {
  char *text = hn_read_text(path);
  assert_non_null(text);
  int ran = 0;
  char *line = text;
  while (line != NULL && *line != '\0') {
    char *end = strchr(line, '\n');
    if (end == NULL) break;
    *end = '\0';
    note_name(line);
    int is_file = strcmp(line, "```yaml") == 0, is_command = strcmp(line, "```sh") == 0;
    line = end + 1;
    if (!is_file && !is_command) continue;
    char *close = strstr(line, "\n```");
    assert_non_null(close);
    close[1] = '\0';
    if (is_file) save(folder, line);
    if (is_command) run(folder, line), ran++;
    line = close + 4;
  }
  free(text);
  return ran;
}

static int run_pages(const char *group) {
  char path[1024], folder[300];
  snprintf(path, sizeof path, HOLON_SOURCE_DIR "/docs/%s", group);
  DIR *pages = opendir(path);
  struct dirent *entry;
  int ran = 0;
  assert_non_null(pages);
  while ((entry = readdir(pages)) != NULL) {
    if (!strstr(entry->d_name, ".md") || strcmp(entry->d_name, "step-files.md") == 0) continue;
    snprintf(path, sizeof path, HOLON_SOURCE_DIR "/docs/%s/%.200s", group, entry->d_name);
    snprintf(folder, sizeof folder, "cli-%s-%.200s", group, entry->d_name);
    ran += run_page(path, hn_fresh_folder(folder));
  }
  closedir(pages);
  return ran;
}

static void every_command_of_the_tutorials_runs(void **state) {
  (void)state;
  assert_true(run_pages("tutorials") >= 15);
}

static void every_command_of_the_how_tos_runs(void **state) {
  (void)state;
  assert_true(run_pages("howto") >= 2);
}

static void every_command_of_the_step_page_runs(void **state) {
  (void)state;
  char plugin[2300];
  if (!hn_dynamic_near("holon-step.so", plugin, sizeof plugin)) skip();
  assert_true(run_page(HOLON_SOURCE_DIR "/docs/howto/step-files.md", hn_fresh_folder("cli-cad")) >=
              3);
}

// The program of the tutorial in C is an example, which is built and run.
static void the_tutorial_in_c_shows_the_example(void **state) {
  (void)state;
  char *page = hn_read_text(HOLON_SOURCE_DIR "/docs/tutorials/c.md");
  char *example = hn_read_text(HOLON_SOURCE_DIR "/examples/first_program.c");
  assert_non_null(page);
  assert_non_null(example);
  assert_non_null(strstr(page, example));
  free(page);
  free(example);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_command_of_the_tutorials_runs),
                                     cmocka_unit_test(every_command_of_the_how_tos_runs),
                                     cmocka_unit_test(every_command_of_the_step_page_runs),
                                     cmocka_unit_test(the_tutorial_in_c_shows_the_example)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
