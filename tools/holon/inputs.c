// Inputs from the command line. A table is read like a CSV of results: time and one column an input,
// straight between its rows, held before the first and after the last. What a filter follows are the
// rows themselves.
//
// A run that goes on from a kept state goes on with the inputs it had: a row or value that changes
// nothing leaves the bits as they are, one that differs holds from there on, and an input that nobody
// gives any more stays where it is.
#include "inputs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct table {
  hn_results *rows;
  int *input; // of each column
} table;

struct hn_cli_inputs {
  table *tables;
  hn_input_table *given; // the same for the library
  int count;
  int *is_given; // of each input of the model: by a value or by a table
  double *value; // ... by a value; NaN: not
};

static int refuse(hn_cli_session *session, const char *hint, const char *format, const char *name) {
  hn_cli_fail(&session->error, HN_ERROR_ARGUMENT, hint, format, name);
  hn_cli_report_failure(session->settings->json, 0, &session->error);
  return HN_CLI_WRONG;
}

static int unknown_input(hn_cli_session *session, const char *name) {
  int count = hn_model_input_count(session->model);
  const char **words = hn_cli_allocate((size_t)count + 1, sizeof *words);
  for (int k = 0; k < count; k++) words[k] = hn_model_input(session->model, k)->name;
  const char *nearest = hn_cli_nearest(name, words);
  hn_cli_text hint = {0};
  if (nearest != NULL)
    hn_cli_add(&hint, "Did you mean '%s'?", nearest);
  else
    hn_cli_add(&hint, count > 0
                          ? "Inputs are named in the model's `inputs:`; `holon check` lists them."
                          : "The model names no `inputs:` at all.");
  int code = refuse(session, hint.data, "the model has no input '%s'", name);
  hn_string_free(&hint);
  free(words);
  return code;
}

// One input has one giver.
static int claim(hn_cli_session *session, int input) {
  if (session->inputs->is_given[input]++ == 0) return -1;
  return refuse(session, "Give it once: a value or a column of one table.",
                "input '%s' is given twice by --input",
                hn_model_input(session->model, input)->name);
}

// Numbers are in SI here as in tables; the unit that the model shows for the input may stand behind one.
static int refuse_unit(hn_cli_session *session, const char *word, int input) {
  const hn_input_def *def = hn_model_input(session->model, input);
  hn_cli_text hint = {0};
  hn_cli_add(&hint, "Inputs are given in SI, as in tables: a number %s%s, for instance %s=%g.",
             def->unit != NULL ? "in " : "without a unit", def->unit != NULL ? def->unit : "",
             def->name, def->value);
  int code = refuse(session, hint.data, "--input '%s' has more than a number behind its =", word);
  hn_string_free(&hint);
  return code;
}

// 1: nothing, or the unit of the input.
static int is_own_unit(const hn_cli_session *session, int input, const char *rest) {
  const char *unit = hn_model_input(session->model, input)->unit;
  rest += strspn(rest, " ");
  return *rest == '\0' || (unit != NULL && strcmp(rest, unit) == 0);
}

// NAME=VALUE, in SI.
static int give_value(hn_cli_session *session, const char *word, const char *equals) {
  char *name = hn_cli_copy(word), *end = NULL;
  name[equals - word] = '\0';
  int input = hn_model_find_input(session->model, name), code = -1;
  double value = strtod(equals + 1, &end);
  if (input < 0)
    code = unknown_input(session, name);
  else if (end != equals + 1 && isfinite(value) && !is_own_unit(session, input, end))
    code = refuse_unit(session, word, input);
  else if (end == equals + 1 || !isfinite(value))
    code = refuse(session, "Give a number in SI, or a table: --input FILE.csv.",
                  "--input '%s' has no number behind its =", word);
  else
    code = claim(session, input);
  if (code < 0) {
    session->inputs->value[input] = value;
    hn_simulation_set_input(session->simulation, input, value);
  }
  free(name);
  return code;
}

// A table of text says in its first cell that times stand there; a row of something else would be
// taken for them.
static int begins_with_time(const char *path) {
  char *data = NULL;
  size_t size = 0;
  hn_error ignored = {0};
  const char *dot = strrchr(path, '.');
  if (dot != NULL && strcmp(dot, ".h5") == 0) return 1;
  if (hn_file_read(path, &data, &size, &ignored) != HN_OK) return 1; // who reads it complains
  const char *at = data;
  if (size >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0) at += 3;
  for (at += strspn(at, " \t\r\n"); *at == '#'; at += strspn(at, " \t\r\n"))
    at += strcspn(at, "\n");
  if (*at == '"') at++;
  size_t length = strcspn(at, ",;\t\r\n\" ");
  int is_time = length == 4 && memcmp(at, "time", 4) == 0;
  free(data);
  return is_time;
}

static int refuse_cell(hn_cli_session *session, const char *path, int row, const char *column,
                       double value) {
  hn_cli_fail(&session->error, HN_ERROR_NOT_FINITE,
              "Give a finite number in every cell; leave out rows that have none.",
              "'%s' has %g in row %d of numbers, column '%s'", path, value, row + 1, column);
  hn_cli_report_failure(session->settings->json, 0, &session->error);
  return HN_CLI_WRONG;
}

static int check_numbers(hn_cli_session *session, const char *path, const table *t) {
  const double *time = hn_results_time(t->rows);
  int rows = hn_results_row_count(t->rows);
  if (rows == 0)
    return refuse(session, "Give a line of names, time first, and rows of numbers.",
                  "the table '%s' has no rows", path);
  for (int r = 0; r < rows; r++) {
    if (!isfinite(time[r])) return refuse_cell(session, path, r, "time", time[r]);
    if (r > 0 && !(time[r] > time[r - 1]))
      return refuse(session, "Sort the rows; each time stands once.",
                    "times do not increase in '%s'", path);
    for (int c = 0; c < hn_results_signal_count(t->rows); c++) {
      double value = hn_results_column(t->rows, c)[r];
      if (!isfinite(value))
        return refuse_cell(session, path, r, hn_results_signal_name(t->rows, c), value);
    }
  }
  return -1;
}

static int open_table(hn_cli_session *session, const char *path, table *t) {
  hn_status status = hn_results_read(path, &t->rows, &session->error);
  if (status != HN_OK) {
    hn_cli_report_failure(session->settings->json, 0, &session->error);
    return HN_CLI_WRONG;
  }
  int columns = hn_results_signal_count(t->rows), code = -1;
  if (!begins_with_time(path))
    return refuse(session, "Line 1 names the columns: time,NAME,NAME with names of inputs.",
                  "the first column of '%s' is not called time", path);
  if (columns == 0)
    return refuse(session, "Line 1 names the columns: time,NAME,NAME with names of inputs.",
                  "the table '%s' has no column of an input", path);
  t->input = hn_cli_allocate((size_t)columns + 1, sizeof *t->input);
  for (int c = 0; c < columns && code < 0; c++) {
    const char *name = hn_results_signal_name(t->rows, c);
    t->input[c] = hn_model_find_input(session->model, name);
    code = t->input[c] < 0 ? unknown_input(session, name) : claim(session, t->input[c]);
  }
  return code < 0 ? check_numbers(session, path, t) : code;
}

int hn_cli_inputs_open(hn_cli_session *session) {
  const hn_cli_list *words = &session->settings->inputs;
  if (words->count == 0) return -1;
  session->inputs = hn_cli_allocate(1, sizeof *session->inputs);
  hn_cli_inputs *inputs = session->inputs;
  size_t count = (size_t)hn_model_input_count(session->model);
  inputs->tables = hn_cli_allocate((size_t)words->count, sizeof(table));
  inputs->is_given = hn_cli_allocate(count + 1, sizeof *inputs->is_given);
  inputs->value = hn_cli_allocate(count + 1, sizeof *inputs->value);
  for (size_t k = 0; k < count; k++) inputs->value[k] = NAN;
  int code = -1;
  for (int k = 0; k < words->count && code < 0; k++) {
    const char *equals = strchr(words->items[k], '=');
    if (equals != NULL)
      code = give_value(session, words->items[k], equals);
    else
      code = open_table(session, words->items[k], &inputs->tables[inputs->count++]);
  }
  inputs->given = hn_cli_allocate((size_t)inputs->count + 1, sizeof *inputs->given);
  for (int k = 0; k < inputs->count; k++)
    inputs->given[k] = (hn_input_table){inputs->tables[k].rows, inputs->tables[k].input};
  return code;
}

void hn_cli_inputs_close(hn_cli_session *session) {
  if (session->inputs == NULL) return;
  for (int k = 0; k < session->inputs->count; k++) {
    hn_results_free(session->inputs->tables[k].rows);
    free(session->inputs->tables[k].input);
  }
  free(session->inputs->tables);
  free(session->inputs->given);
  free(session->inputs->is_given);
  free(session->inputs->value);
  free(session->inputs);
  session->inputs = NULL;
}

static hn_status failed(hn_cli_session *session, hn_status status) {
  if (status != HN_OK) session->error = *hn_simulation_error(session->simulation);
  return status;
}

int hn_cli_inputs_tables(const hn_cli_session *session, const hn_input_table **tables) {
  const hn_cli_inputs *inputs = session->inputs;
  *tables = inputs != NULL ? inputs->given : NULL;
  return inputs != NULL ? inputs->count : 0;
}

// 1 when a table has a row at or before `now`.
static int has_row(const hn_cli_inputs *inputs, int input, double now) {
  for (int k = 0; inputs != NULL && k < inputs->count; k++) {
    const table *t = &inputs->tables[k];
    for (int c = 0; c < hn_results_signal_count(t->rows); c++)
      if (t->input[c] == input) return hn_results_time(t->rows)[0] <= now;
  }
  return 0;
}

hn_status hn_cli_inputs_resume(hn_cli_session *session) {
  hn_simulation *simulation = session->simulation;
  hn_cli_inputs *inputs = session->inputs;
  hn_status status = HN_OK;
  double now = hn_simulation_time(simulation);
  for (int k = 0; k < hn_model_input_count(session->model) && status == HN_OK; k++) {
    if (inputs != NULL && isfinite(inputs->value[k]))
      status = hn_simulation_set_input(simulation, k, inputs->value[k]);
    else if (!(hn_model_input(session->model, k)->filter > 0) && !has_row(inputs, k, now))
      status = hn_simulation_set_input(simulation, k, hn_simulation_input(simulation, k));
  }
  return failed(session, status);
}

// ---- for check ----------------------------------------------------------------------------------

void hn_cli_inputs_print(const hn_model *model) {
  int count = hn_model_input_count(model);
  for (int k = 0; k < count; k++) {
    const hn_input_def *input = hn_model_input(model, k);
    printf("%s%s = %g%s%s", k > 0 ? ", " : "  inputs              ", input->name, input->value,
           input->unit != NULL ? " " : "", input->unit != NULL ? input->unit : "");
    if (input->filter > 0) printf(" (filter %g s)", input->filter);
  }
  if (count > 0) putchar('\n');
  for (int k = 0; k < count; k++) {
    int driver = hn_model_input_unfiltered_driver(model, k);
    if (driver < 0) continue;
    printf("    driver '%s' cannot follow a jump of '%s': give the input a `filter:`, for instance "
           "20 ms\n",
           hn_model_driver_name(model, driver), hn_model_input(model, k)->name);
  }
}

void hn_cli_inputs_json(hn_cli_json *json, const hn_model *model) {
  int count = hn_model_input_count(model);
  if (count == 0) return;
  hn_json_open(json, "inputs", '[');
  for (int k = 0; k < count; k++) {
    const hn_input_def *input = hn_model_input(model, k);
    hn_json_open(json, NULL, '{');
    hn_json_string(json, "name", input->name);
    hn_json_number(json, "value", input->value);
    hn_json_string(json, "unit", input->unit != NULL ? input->unit : "");
    hn_json_number(json, "filter", input->filter);
    int driver = hn_model_input_unfiltered_driver(model, k);
    if (driver >= 0)
      hn_json_string(json, "driver_without_filter", hn_model_driver_name(model, driver));
    hn_json_close(json, '}');
  }
  hn_json_close(json, ']');
}
