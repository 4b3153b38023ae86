// Error messages: as text with the line of the file and a caret, or as JSON.
#include "cli.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define WINDOW 160 // characters of a line that are shown
#define CUT "..."

// Statuses that mean invalid input end with 2, those of the model's motion with 1.
int hn_cli_exit_code(hn_status status) {
  switch (status) {
  case HN_OK: return HN_CLI_DONE;
  case HN_ERROR_ARGUMENT:
  case HN_ERROR_SYNTAX:
  case HN_ERROR_MODEL:
  case HN_ERROR_UNSUPPORTED: return HN_CLI_WRONG;
  case HN_RETRY:
  case HN_RETRY_CONVERGENCE:
  case HN_RETRY_ERROR:
  case HN_ERROR_MEMORY:
  case HN_ERROR_FILE:
  case HN_ERROR_ASSEMBLY:
  case HN_ERROR_SINGULAR:
  case HN_ERROR_INCONSISTENT:
  case HN_ERROR_CONVERGENCE:
  case HN_ERROR_STEP_SIZE:
  case HN_ERROR_NOT_FINITE:
  case HN_ERROR_INTERRUPTED:
  case HN_ERROR_LIMIT: break;
  }
  return HN_CLI_FAILED;
}

hn_status hn_cli_fail(hn_error *error, hn_status status, const char *hint, const char *format,
                      ...) {
  *error = (hn_error){.status = status};
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(error->message, sizeof error->message, format, arguments);
  va_end(arguments);
  if (hint != NULL) snprintf(error->hint, sizeof error->hint, "%s", hint);
  return status;
}

// Names the library gives to values that come with the call.
static const char *const calls[][2] = {{"settings", "--set"}, {"varied", "--vary"}};

static const char *option_of(const hn_error *error) {
  for (int k = 0; k < 2; k++)
    if (strcmp(error->file, calls[k][0]) == 0) return calls[k][1];
  return NULL;
}

// Start of the part of a long line that shows this column.
static int window_start(const char *line, int column) {
  if (column <= WINDOW || column > (int)strlen(line) + 1) return 0;
  int start = column - WINDOW / 2;
  while (((unsigned char)line[start] & 0xc0) == 0x80) start++; // within a character of UTF-8
  return start;
}

// The line of the file and a caret under the column, when the file can be read.
static void print_excerpt(const hn_error *error) {
  if (error->file[0] == '\0' || error->line <= 0 || option_of(error) != NULL) return;
  char line[16384] = "";
  if (!hn_file_line(error->file, error->line, line, sizeof line)) return;
  const int start = window_start(line, error->column), column = error->column - start;
  char *shown = line + start;
  if (strlen(shown) > WINDOW) shown[WINDOW] = '\0';
  fprintf(stderr, "%6d | %s%s\n", error->line, start > 0 ? CUT : "", shown);
  if (error->column > 0 && column <= (int)strlen(shown) + 1) {
    fprintf(stderr, "       | %*s", start > 0 ? (int)strlen(CUT) : 0, "");
    for (int i = 0; i < column - 1; i++) fputc(shown[i] == '\t' ? '\t' : ' ', stderr);
    fputs("^\n", stderr);
  }
}

void hn_cli_render(hn_error *error) {
  const hn_error before = *error;
  hn_render_hint(before.hint, HN_CALLER_COMMAND, error->hint, sizeof error->hint);
  const char *option = option_of(error);
  if (option != NULL) snprintf(error->file, sizeof error->file, "%s", option);
}

void hn_cli_print_error(const hn_error *error) {
  char text[2600];
  hn_error rendered = *error;
  hn_cli_render(&rendered);
  if (option_of(error) != NULL) rendered.line = rendered.column = 0; // the option says it
  hn_error_format(&rendered, text, sizeof text);
  hn_tame(text);
  fprintf(stderr, "%s%s\n", error->file[0] == '\0' ? "holon: " : "", text);
  print_excerpt(error);
}

static void add_error(hn_cli_json *json, const char *key, const hn_error *error) {
  hn_error rendered = *error;
  const char *file = error->file;
  hn_cli_render(&rendered);
  snprintf(rendered.file, sizeof rendered.file, "%s", file); // the name alone
  hn_json_error(json, key, &rendered);
}

void hn_cli_json_failure(hn_cli_json *json, double time, const hn_error *error) {
  hn_json_open(json, NULL, '{');
  hn_json_string(json, "status", "failed");
  hn_json_number(json, "time", time);
  add_error(json, "error", error);
}

int hn_cli_report_failure(int as_json, double time, const hn_error *error) {
  if (as_json) {
    hn_cli_json json = {0};
    hn_cli_json_failure(&json, time, error);
    hn_json_close(&json, '}');
    hn_cli_json_print(&json);
  } else {
    hn_cli_print_error(error);
  }
  // a failure without a reason is one too
  return error->status == HN_OK ? HN_CLI_FAILED : hn_cli_exit_code(error->status);
}

int hn_cli_report_failures(int as_json, const hn_error *error, const hn_error *more, int count) {
  if (count == 0) return hn_cli_report_failure(as_json, 0, error);
  if (as_json) {
    hn_cli_json json = {0};
    hn_cli_json_failure(&json, 0, error);
    hn_json_open(&json, "errors", '[');
    add_error(&json, NULL, error);
    for (int k = 0; k < count; k++) add_error(&json, NULL, &more[k]);
    hn_json_close(&json, ']');
    hn_json_close(&json, '}');
    hn_cli_json_print(&json);
  } else {
    hn_cli_print_error(error);
    for (int k = 0; k < count; k++) hn_cli_print_error(&more[k]);
    fprintf(stderr, "holon: %d errors; more may appear once these are fixed\n", count + 1);
  }
  return hn_cli_exit_code(error->status);
}

static int json_is_expected;

void hn_cli_expect_json(int argc, char **argv) {
  for (int i = 2; i < argc && strcmp(argv[i], "--") != 0; i++) {
    if (strcmp(argv[i], "--json") == 0) json_is_expected = 1;
  }
}

// The first line is the message, what follows and where the help stands is the hint.
static void report_wrong_call(char *words, const char *help) {
  hn_error error = {.status = HN_ERROR_ARGUMENT};
  char *advice = strstr(words, "\n  ");
  if (advice != NULL) *advice = '\0';
  snprintf(error.message, sizeof error.message, "%s", words);
  snprintf(error.hint, sizeof error.hint, "%.400s%s%s", advice != NULL ? advice + 3 : "",
           advice != NULL ? " " : "", help);
  hn_cli_report_failure(1, 0, &error);
}

int hn_cli_wrong_call(const char *command, const char *format, ...) {
  char words[1536], help[96] = "`holon --help` lists the commands.";
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(words, sizeof words, format, arguments);
  va_end(arguments);
  if (command != NULL) snprintf(help, sizeof help, "`holon %s --help` lists the options.", command);
  if (json_is_expected)
    report_wrong_call(words, help);
  else
    fprintf(stderr, "holon: %s\n  %s\n", hn_tame(words), help);
  return HN_CLI_WRONG;
}

static void print_warning(const hn_model *model, const hn_warning *warning) {
  char text[1024];
  hn_warning_text(model, warning, text, sizeof text);
  fprintf(stderr, "%s\n", hn_tame(text));
}

void hn_cli_print_warnings(const hn_model *model, const hn_simulation *simulation, int most) {
  int of_model = hn_model_warning_count(model);
  int of_run = simulation != NULL ? hn_simulation_warning_count(simulation) : 0;
  for (int i = 0; i < of_model && i < most; i++) print_warning(model, hn_model_warning(model, i));
  for (int i = 0; i < of_run && i < most; i++)
    print_warning(model, hn_simulation_warning(simulation, i));
  int left = (of_model > most ? of_model - most : 0) + (of_run > most ? of_run - most : 0);
  if (left > 0) fprintf(stderr, "%d more warning%s\n", left, left == 1 ? "" : "s");
}
