// Every file and every command of the tutorials, and of the how-to on STEP files where these are read:
// saved, run, and expected to end well.
#include "support/check.h"

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

static void run_page(const char *path, const char *folder, int files, int commands) {
  char *text = hn_read_text(path);
  assert_non_null(text);
  int saved = 0, ran = 0;
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
    if (is_file) save(folder, line), saved++;
    if (is_command) run(folder, line), ran++;
    line = close + 4;
  }
  assert_true(saved >= files);
  assert_true(ran >= commands);
  free(text);
}

static void every_command_of_the_tutorial_runs(void **state) {
  (void)state;
  run_page(HOLON_SOURCE_DIR "/docs/tutorials/first-run.md", hn_fresh_folder("cli-tutorial"), 4, 6);
}

static void every_command_of_the_cad_page_runs(void **state) {
  (void)state;
  char plugin[2300];
  if (!hn_dynamic_near("holon-step.so", plugin, sizeof plugin)) skip();
  run_page(HOLON_SOURCE_DIR "/docs/howto/step-files.md", hn_fresh_folder("cli-cad"), 1, 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_command_of_the_tutorial_runs),
                                     cmocka_unit_test(every_command_of_the_cad_page_runs)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
