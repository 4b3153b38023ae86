// Text for people and shells; memory that runs out ends the program here: a command has nothing
// better to do, and every caller stays readable.
#include "cli.h"

#include "base/error.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Noreturn void hn_cli_out_of_memory(void) {
  fputs("holon: out of memory\n", stderr);
  exit(HN_CLI_FAILED);
}

void *hn_cli_allocate(size_t count, size_t size) {
  void *block = calloc(count > 0 ? count : 1, size > 0 ? size : 1);
  if (block == NULL) hn_cli_out_of_memory();
  return block;
}

char *hn_cli_copy(const char *string) {
  size_t size = strlen(string) + 1;
  return memcpy(hn_cli_allocate(size, 1), string, size);
}

char *hn_cli_join(const char *folder, const char *name) {
  char *path = hn_file_join(folder, name);
  if (path == NULL) hn_cli_out_of_memory();
  return path;
}

void hn_cli_check_text(const hn_cli_text *text) {
  if (text->is_lost) hn_cli_out_of_memory();
}

void hn_cli_add_bytes(hn_cli_text *text, const char *bytes, size_t length) {
  hn_string_bytes(text, bytes, length);
  hn_cli_check_text(text);
}

void hn_cli_add(hn_cli_text *text, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  hn_string_add_list(text, format, arguments);
  va_end(arguments);
  hn_cli_check_text(text);
}

void hn_cli_add_file_name(hn_cli_text *text, const char *name) {
  // "." and ".." are folders, and names that start with a point are hidden
  if (name[0] == '.' || name[0] == '\0') hn_cli_add_bytes(text, "_", 1);
  for (const char *c = name; *c != '\0' && c - name < 200; c++) {
    int is_plain = isalnum((unsigned char)*c) || strchr("-_.", *c) != NULL || (*c & 0x80) != 0;
    hn_cli_add_bytes(text, is_plain ? c : "-", 1);
  }
}

void hn_cli_add_shell_word(hn_cli_text *text, const char *word) {
  int is_plain = *word != '\0';
  for (const char *c = word; *c != '\0'; c++) {
    if (!isalnum((unsigned char)*c) && strchr("-_./=:,+@%", *c) == NULL) is_plain = 0;
  }
  if (is_plain) {
    hn_cli_add(text, "%s", word);
    return;
  }
  hn_cli_add_bytes(text, "'", 1);
  for (const char *c = word; *c != '\0'; c++) {
    if (*c == '\'') {
      hn_cli_add_bytes(text, "'\\''", 4);
    } else {
      hn_cli_add_bytes(text, c, 1);
    }
  }
  hn_cli_add_bytes(text, "'", 1);
}

const char *hn_cli_nearest(const char *word, const char *const *words) {
  const char *begun = NULL;
  size_t most = 2;
  int count = 0;
  for (; words[count] != NULL; count++) {
    size_t length = strlen(words[count]);
    if (length <= most || strncmp(word, words[count], length) != 0) continue;
    most = length;
    begun = words[count];
  }
  const char *nearest = hn_nearest_word(word, words, count);
  return nearest != NULL ? nearest : begun; // "tolerance" starts with "tol"
}

void hn_cli_json_print(hn_cli_json *json) {
  hn_cli_add(&json->text, "\n");
  fwrite(json->text.data, 1, json->text.length, stdout);
  hn_string_free(&json->text);
}
