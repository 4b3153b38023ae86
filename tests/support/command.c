// The command under test through the shell, its output from files, and readers for JSON and XML.
#include "support/command.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef HOLON_COMMAND
#define HOLON_COMMAND "holon"
#endif

// ---- running ------------------------------------------------------------------------------------

char *hn_read_text(const char *path) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) return NULL;
  size_t length = 0, capacity = 4096;
  char *text = malloc(capacity);
  while (text != NULL) {
    size_t count = fread(text + length, 1, capacity - length - 1, file);
    length += count;
    if (count == 0) break;
    if (capacity - length < 2) text = realloc(text, capacity *= 2);
  }
  fclose(file);
  if (text != NULL) text[length] = '\0';
  return text;
}

int hn_file_exists(const char *path) { return access(path, F_OK) == 0; }

static hn_command run_line(const char *folder, const char *line) {
  static int number = 0; // each test is its own process
  char out[512], err[512], script[8192];
  number++;
  snprintf(out, sizeof out, "%s/command-%ld-%d.out", HOLON_TEST_OUTPUT_DIR, (long)getpid(), number);
  snprintf(err, sizeof err, "%s/command-%ld-%d.err", HOLON_TEST_OUTPUT_DIR, (long)getpid(), number);
  snprintf(script, sizeof script, "HOLON='%s'; cd '%s' || exit 99; { %s\n} >'%s' 2>'%s'",
           HOLON_COMMAND, folder, line, out, err);
  int state = system(script);
  hn_command command = {.code = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state)};
  command.out = hn_read_text(out);
  command.err = hn_read_text(err);
  if (command.out == NULL) command.out = calloc(1, 1);
  if (command.err == NULL) command.err = calloc(1, 1);
  remove(out);
  remove(err);
  return command;
}

hn_command hn_run_holon(const char *format, ...) {
  char words[4096], line[4200];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(words, sizeof words, format, arguments);
  va_end(arguments);
  snprintf(line, sizeof line, "\"$HOLON\" %s", words);
  return run_line(HOLON_SOURCE_DIR, line);
}

hn_command hn_run_shell(const char *folder, const char *format, ...) {
  char line[4096];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  return run_line(folder, line);
}

void hn_command_free(hn_command *command) {
  free(command->out);
  free(command->err);
  *command = (hn_command){0};
}

const char *hn_fresh_folder_in(const char *parent, const char *name) {
  static char path[512];
  char line[1200];
  snprintf(path, sizeof path, "%s/%s", parent, name);
  snprintf(line, sizeof line, "rm -rf '%s' && mkdir -p '%s'", path, path);
  return system(line) == 0 ? path : NULL;
}

// ---- JSON ---------------------------------------------------------------------------------------

// Each reader returns what follows, or null.
static const char *read_value(const char *at, int depth);

static const char *skip_blanks(const char *at) {
  while (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r') at++;
  return at;
}

static const char *read_string(const char *at) {
  if (*at != '"') return NULL;
  for (at++; *at != '"'; at++) {
    if ((unsigned char)*at < 0x20) return NULL;
    if (*at != '\\') continue;
    at++;
    if (*at == 'u') {
      for (int i = 1; i <= 4; i++) {
        if (!isxdigit((unsigned char)at[i])) return NULL;
      }
      at += 4;
    } else if (*at == '\0' || strchr("\"\\/bfnrt", *at) == NULL) {
      return NULL;
    }
  }
  return at + 1;
}

static const char *read_digits(const char *at) {
  if (!isdigit((unsigned char)*at)) return NULL;
  while (isdigit((unsigned char)*at)) at++;
  return at;
}

static const char *read_number(const char *at) {
  if (*at == '-') at++;
  at = *at == '0' ? at + 1 : read_digits(at);
  if (at != NULL && *at == '.') at = read_digits(at + 1);
  if (at != NULL && (*at == 'e' || *at == 'E')) {
    at++;
    if (*at == '+' || *at == '-') at++;
    at = read_digits(at);
  }
  return at;
}

static const char *read_members(const char *at, int depth, char close) {
  at = skip_blanks(at + 1);
  if (*at == close) return at + 1;
  for (;;) {
    if (close == '}') {
      at = read_string(at);
      if (at == NULL) return NULL;
      at = skip_blanks(at);
      if (*at++ != ':') return NULL;
    }
    at = read_value(at, depth + 1);
    if (at == NULL) return NULL;
    at = skip_blanks(at);
    if (*at == close) return at + 1;
    if (*at++ != ',') return NULL;
    at = skip_blanks(at);
  }
}

static const char *read_value(const char *at, int depth) {
  at = skip_blanks(at);
  if (depth > 100) return NULL;
  if (*at == '{') return read_members(at, depth, '}');
  if (*at == '[') return read_members(at, depth, ']');
  if (*at == '"') return read_string(at);
  if (strncmp(at, "true", 4) == 0) return at + 4;
  if (strncmp(at, "false", 5) == 0) return at + 5;
  if (strncmp(at, "null", 4) == 0) return at + 4;
  return read_number(at);
}

const char *hn_json_fault(const char *text) {
  const char *end = read_value(text, 0);
  if (end == NULL) return "not a JSON value";
  return *skip_blanks(end) == '\0' ? NULL : "something follows the JSON value";
}

// Finds the member of an object or array that starts at `at`: by key, by number, or the count of
// them.
static const char *find_member(const char *at, const char *key, size_t length, int *count) {
  char close = *at == '{' ? '}' : ']';
  *count = 0;
  at = skip_blanks(at + 1);
  while (*at != close) {
    char number[16];
    snprintf(number, sizeof number, "%d", *count);
    const char *name = number;
    size_t size = strlen(number);
    if (close == '}') {
      name = at + 1;
      at = read_string(at);
      size = (size_t)(at - name) - 1;
      at = skip_blanks(skip_blanks(at) + 1);
    }
    if (key != NULL && size == length && strncmp(name, key, length) == 0) return at;
    at = skip_blanks(read_value(at, 0));
    if (*at == ',') at = skip_blanks(at + 1);
    (*count)++;
  }
  return NULL;
}

static const char *find_path(const char *text, const char *path) {
  const char *at = skip_blanks(text);
  while (at != NULL && *path != '\0') {
    size_t length = strcspn(path, "/");
    int count;
    if (*at != '{' && *at != '[') return NULL;
    at = find_member(at, path, length, &count);
    path += length + (path[length] == '/');
  }
  return at;
}

int hn_json_value(const char *text, const char *path, char *value, size_t size) {
  if (hn_json_fault(text) != NULL) return 0;
  const char *at = find_path(text, path);
  if (at == NULL) return 0;
  const char *end = read_value(at, 0);
  if (*at == '"') at++, end--;
  snprintf(value, size, "%.*s", (int)(end - at), at);
  return 1;
}

double hn_json_number_in(const char *text, const char *path) {
  char value[64];
  if (!hn_json_value(text, path, value, sizeof value)) return NAN;
  char *end = NULL;
  double number = strtod(value, &end);
  return end != value && *end == '\0' ? number : NAN;
}

int hn_json_count(const char *text, const char *path) {
  if (hn_json_fault(text) != NULL) return -1;
  const char *at = find_path(text, path);
  if (at == NULL || (*at != '{' && *at != '[')) return -1;
  int count;
  find_member(at, NULL, 0, &count);
  return count;
}

// ---- XML ----------------------------------------------------------------------------------------

static int is_name(char c) { return isalnum((unsigned char)c) || c == '-' || c == '_' || c == ':'; }

// An entity or a plain letter; what follows, or null.
static const char *read_letter(const char *at) {
  static const char *const entities[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;", NULL};
  if (*at == '<' || (unsigned char)*at == 0) return NULL;
  if ((unsigned char)*at < 0x20 && *at != '\n' && *at != '\t' && *at != '\r') return NULL;
  if (*at != '&') return at + 1;
  for (int i = 0; entities[i] != NULL; i++) {
    size_t length = strlen(entities[i]);
    if (strncmp(at, entities[i], length) == 0) return at + length;
  }
  return NULL;
}

// Attributes up to the end of a tag: at '>' or '/'; null when broken.
static const char *read_attributes(const char *at) {
  for (at = skip_blanks(at); is_name(*at); at = skip_blanks(at)) {
    while (is_name(*at)) at++;
    if (*at++ != '=') return NULL;
    char quote = *at++;
    if (quote != '"' && quote != '\'') return NULL;
    while (*at != quote) {
      at = read_letter(at);
      if (at == NULL) return NULL;
    }
    at++;
  }
  return *at == '>' || *at == '/' ? at : NULL;
}

const char *hn_xml_fault(const char *text) {
  const char *open[64];
  size_t lengths[64];
  int depth = 0, roots = 0;
  const char *at = skip_blanks(text);
  if (strncmp(at, "<?xml", 5) == 0) {
    at = strstr(at, "?>");
    if (at == NULL) return "the declaration does not end";
    at += 2;
  }
  while (*(at = depth == 0 ? skip_blanks(at) : at) != '\0') {
    if (*at != '<') {
      if (depth == 0) return "text outside of the element";
      at = read_letter(at);
      if (at == NULL) return "a letter that must be escaped";
      continue;
    }
    int closes = at[1] == '/';
    const char *name = at + 1 + closes;
    size_t length = 0;
    while (is_name(name[length])) length++;
    if (length == 0) return "a tag without a name";
    at = read_attributes(name + length);
    if (at == NULL) return "broken attributes";
    if (closes) {
      if (depth == 0 || lengths[depth - 1] != length ||
          strncmp(open[depth - 1], name, length) != 0) {
        return "a tag closes what is not open";
      }
      depth--;
    } else if (*at == '/') {
      at++;
      roots += depth == 0;
    } else {
      if (depth == 64) return "too deep";
      roots += depth == 0;
      open[depth] = name;
      lengths[depth++] = length;
    }
    if (*at++ != '>') return "a tag does not end";
  }
  if (depth > 0) return "a tag stays open";
  return roots == 1 ? NULL : "not one element";
}
