// Every broken model in tests/formats/broken gives exactly the message in its header, and
// docs/reference/errors.md shows them all.
//
//   test_broken --page      prints docs/reference/errors.md       (scripts/make-errors-page)
//   test_broken --expect F  prints the header lines of a file
//
// A file starts with "# Title." and lines "#> ..." with the message, without the folder.
#include <dirent.h>
#include <stdlib.h>

#include "formats/loading.h"

#define FOLDER "tests/formats/broken"
#define FILES 200
#define SIZE 65536

static char names[FILES][128];
static char *messages[FILES]; // NULL if not computed yet; owned
static int name_count;

static int by_name(const void *a, const void *b) { return strcmp(a, b); }

static void find_files(void) {
  DIR *folder = opendir(FOLDER);
  struct dirent *entry;
  name_count = 0;
  while (folder && (entry = readdir(folder)) && name_count < FILES) {
    size_t length = strlen(entry->d_name);
    if (length < 6 || length > 100 || strcmp(entry->d_name + length - 5, ".yaml") != 0) continue;
    memcpy(names[name_count++], entry->d_name, length + 1);
  }
  if (folder) closedir(folder);
  qsort(names, (size_t)name_count, sizeof names[0], by_name);
}

// Reads a whole file and returns its size (it may contain zero bytes).
static size_t read_file(const char *path, char *text) {
  FILE *file = fopen(path, "rb");
  if (!file) return 0;
  size_t size = fread(text, 1, SIZE - 1, file);
  text[size] = '\0';
  fclose(file);
  return size;
}

// Writes the message that a user sees, without the folder at the start.
static hn_status message_of(const char *name, char *message, size_t size, hn_error *error) {
  char path[256], all[2600];
  hn_model *model = NULL;
  snprintf(path, sizeof path, FOLDER "/%s", name);
  hn_status status = hn_model_load(path, NULL, &model, error);
  hn_model_free(model);
  hn_error shown = *error;
  hn_render_hint(error->hint, HN_CALLER_COMMAND, shown.hint, sizeof shown.hint);
  hn_error_format(&shown, all, sizeof all);
  size_t folder = strlen(FOLDER "/");
  snprintf(message, size, "%s", strncmp(all, FOLDER "/", folder) == 0 ? all + folder : all);
  return status;
}

// Joins the lines "#> ..." of a file.
static void expected_message(const char *text, char *message, size_t size) {
  size_t used = 0;
  message[0] = '\0';
  for (const char *line = text; line[0] == '#'; line += strcspn(line, "\n") + 1) {
    size_t length = strcspn(line, "\n");
    if (line[1] != '>') continue;
    int more = snprintf(message + used, size - used, "%s%.*s", used ? "\n" : "",
                        length > 3 ? (int)length - 3 : 0, line + 3);
    used += (size_t)more;
    if (line[length] == '\0') break;
  }
}

static void broken_models_give_their_message(void **state) {
  (void)state;
  find_files();
  assert_true(name_count >= 30);
  int wrong = 0;
  for (int k = 0; k < name_count; k++) {
    static char text[SIZE], expected[3000], message[3000];
    char path[256];
    hn_error error = {0};
    snprintf(path, sizeof path, FOLDER "/%s", names[k]);
    read_file(path, text);
    expected_message(text, expected, sizeof expected);
    hn_status status = message_of(names[k], message, sizeof message, &error);
    if (status == HN_OK || strcmp(message, expected) != 0 || error.line <= 0 || !error.hint[0]) {
      print_message("%s:\n%s\ninstead of\n%s\n", names[k], message, expected);
      wrong++;
    }
    messages[k] = strdup(message); // for the page
  }
  assert_int_equal(wrong, 0);
}

// ---- the page -----------------------------------------------------------------------------------

static void print_model(FILE *out, const char *text, size_t size) {
  int line = 1;
  const char *at = text, *end = text + size;
  while (at < end) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    size_t length = (size_t)((stop ? stop : end) - at);
    if (at[0] != '#') {
      fprintf(out, "%3d  ", line);
      for (size_t k = 0; k < length; k++) {
        unsigned char c = (unsigned char)at[k];
        if (c == '\t')
          fputs("<tab>", out);
        else if (c < 32 || c > 126)
          fprintf(out, "<%02X>", c);
        else
          fputc(c, out);
      }
      fputc('\n', out);
    }
    line++;
    at += length + 1;
  }
}

static void print_page(FILE *out) {
  fputs(
      "# Messages for broken models\n\n"
      "This page shows the message for each of the common mistakes in model files. Every message\n"
      "gives the position (file:line:column), the element, the wrong number or word, and a fix.\n"
      "`scripts/make-errors-page` generates it from `tests/formats/broken/`; a test keeps it up to "
      "date.\n",
      out);
  for (int k = 0; k < name_count; k++) {
    static char text[SIZE], message[3000];
    char path[256];
    hn_error error = {0};
    snprintf(path, sizeof path, FOLDER "/%s", names[k]);
    size_t size = read_file(path, text);
    if (!messages[k]) message_of(names[k], message, sizeof message, &error);
    size_t title = strcspn(text, "\n");
    if (title > 0 && text[title - 1] == '.') title--;
    fprintf(out, "\n## %.*s\n\n```text\n", (int)title - 2, text + 2);
    print_model(out, text, size);
    fprintf(out, "```\n\n```text\n%s\n```\n", messages[k] ? messages[k] : message);
  }
}

static void the_page_is_up_to_date(void **state) {
  (void)state;
  FILE *page = fopen(HOLON_SOURCE_DIR "/docs/reference/errors.md", "rb"), *made = tmpfile();
  assert_non_null(page);
  assert_non_null(made);
  find_files();
  print_page(made);
  rewind(made);
  int line = 1, a, b;
  do {
    a = fgetc(page);
    b = fgetc(made);
    if (a != b)
      fail_msg("docs/reference/errors.md:%d is out of date: run scripts/make-errors-page", line);
    line += a == '\n';
  } while (a != EOF);
  for (int k = 0; k < name_count; k++) free(messages[k]);
  fclose(page);
  fclose(made);
}

int main(int count, char **arguments) {
  if (count > 1 && strcmp(arguments[1], "--page") == 0) {
    find_files();
    print_page(stdout);
    return 0;
  }
  if (count > 2 && strcmp(arguments[1], "--expect") == 0) {
    static char message[3000];
    hn_error error = {0};
    message_of(arguments[2], message, sizeof message, &error);
    for (char *line = strtok(message, "\n"); line; line = strtok(NULL, "\n"))
      printf("#> %s\n", line);
    return 0;
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(broken_models_give_their_message),
      cmocka_unit_test(the_page_is_up_to_date),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
