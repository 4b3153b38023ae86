// Inputs by value and by table (holon/run.h). A table is read like a CSV of results: time and one
// column an input, linear between its rows, constant before the first and after the last. A filter
// follows the rows themselves.
//
// A run that continues from a kept state continues with the inputs it had: a row or value that
// changes nothing changes no bits, one that differs applies from there on, and an input that is no
// longer given keeps its value.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/file.h"
#include "holon/run.h"
#include "math/expression.h"

struct hn_inputs {
  hn_arena arena;
  const hn_model *model;
  hn_results **rows; // of each table, owned
  hn_input_table *tables;
  int table_count;
  int *is_given; // of each input of the model: by a value or by a table
  double *value; // ... by a value; NaN: not
  hn_error *error;
};

// ---- what is wrong --------------------------------------------------------------------------------

static hn_status refuse(hn_inputs *inputs, const char *hint, const char *format, const char *name) {
  hn_fail(inputs->error, HN_ERROR_ARGUMENT, NULL, NULL, hint, format, name);
  return HN_ERROR_ARGUMENT;
}

static hn_status unknown_input(hn_inputs *inputs, const char *name) {
  const int count = hn_model_input_count(inputs->model);
  const char **words = HN_TAKE(&inputs->arena, const char *, count + 1);
  char hint[300] = "Add `inputs:` to the model: it has none.";
  for (int k = 0; words && k < count; k++) words[k] = hn_model_input(inputs->model, k)->name;
  const char *nearest = words ? hn_nearest_word(name, words, count) : NULL;
  if (nearest)
    snprintf(hint, sizeof hint, "Did you mean '%.200s'?", nearest);
  else if (count > 0)
    snprintf(hint, sizeof hint, "Use a name from the model's `inputs:`.");
  return refuse(inputs, hint, "the model has no input '%s'", name);
}

// One input has one giver.
static hn_status claim(hn_inputs *inputs, int input) {
  if (inputs->is_given[input]++ == 0) return HN_OK;
  return refuse(inputs, "Give it once: a value or a column of one table.",
                "input '%s' is given twice", hn_model_input(inputs->model, input)->name);
}

// ---- values -----------------------------------------------------------------------------------------

// Numbers are in SI here as in tables; the unit that the model shows for the input may follow one.
static hn_status refuse_unit(hn_inputs *inputs, const char *word, int input) {
  const hn_input_def *def = hn_model_input(inputs->model, input);
  char hint[300];
  snprintf(hint, sizeof hint,
           "Give inputs in SI, as in tables: a number %s%.40s, for instance %.120s=%g.",
           def->unit != NULL ? "in " : "without a unit", def->unit != NULL ? def->unit : "",
           def->name, def->value);
  return refuse(inputs, hint, "'%s' has text after the number", word);
}

// 1: nothing, or the unit of the input.
static int is_own_unit(const hn_inputs *inputs, int input, const char *rest) {
  const char *unit = hn_model_input(inputs->model, input)->unit;
  rest += strspn(rest, " ");
  return *rest == '\0' || (unit != NULL && strcmp(rest, unit) == 0);
}

// The number at text, whatever the locale, and where it ends; null: not a number.
static const char *read_number(const char *text, double *value) {
  text += strspn(text, " ");
  const int is_negative = *text == '-';
  const char *from = text + (is_negative || *text == '+');
  const size_t length = hn_number_read(from, strlen(from), value);
  if (is_negative) *value = -*value;
  return length > 0 && isfinite(*value) ? from + length : NULL;
}

// NAME=VALUE, in SI.
static hn_status take_value(hn_inputs *inputs, const char *word, const char *equals) {
  char *name = hn_arena_copy_string(&inputs->arena, word);
  double value = 0;
  if (!name) return HN_ERROR_MEMORY;
  name[equals - word] = '\0';
  const int input = hn_model_find_input(inputs->model, name);
  const char *end = read_number(equals + 1, &value);
  if (input < 0) return unknown_input(inputs, name);
  if (end == NULL)
    return refuse(inputs, "Give a number in SI, or the path of a table.",
                  "'%s' has no value after =", word);
  if (!is_own_unit(inputs, input, end)) return refuse_unit(inputs, word, input);
  inputs->value[input] = value;
  return claim(inputs, input);
}

// ---- tables -----------------------------------------------------------------------------------------

// Whether the first cell of a text table names the time: other rows would be mistaken for times.
static int begins_with_time(const char *path) {
  char *data = NULL;
  size_t size = 0;
  hn_error ignored = {0};
  const char *dot = strrchr(path, '.');
  if (dot != NULL && strcmp(dot, ".h5") == 0) return 1;
  if (hn_file_read_text(path, &data, &size, &ignored) != HN_OK) return 1; // who reads it complains
  const char *at = data;
  if (size >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0) at += 3;
  for (at += strspn(at, " \t\r\n"); *at == '#'; at += strspn(at, " \t\r\n"))
    at += strcspn(at, "\n");
  if (*at == '"') at++;
  size_t length = strcspn(at, ",;\t\r\n\" ");
  int is_time = length == 4 && memcmp(at, "time", 4) == 0;
  hn_release(NULL, data);
  return is_time;
}

static hn_status refuse_cell(hn_inputs *inputs, const char *path, int row, const char *column,
                             double value) {
  return hn_fail(inputs->error, HN_ERROR_NOT_FINITE, NULL, NULL,
                 "Give a finite number in every cell; remove lines without one.",
                 "'%s' has %g in row %d of numbers, column '%s'", path, value, row + 1, column);
}

static hn_status check_numbers(hn_inputs *inputs, const char *path, const hn_results *table) {
  const double *time = hn_results_time(table);
  const int rows = hn_results_row_count(table);
  if (rows == 0)
    return refuse(inputs, "Give a line of names, time first, then lines of numbers.",
                  "the table '%s' has no data lines", path);
  for (int r = 0; r < rows; r++) {
    if (!isfinite(time[r])) return refuse_cell(inputs, path, r, "time", time[r]);
    if (r > 0 && !(time[r] > time[r - 1]))
      return refuse(inputs, "Sort the lines by time; use each time once.",
                    "times do not increase in '%s'", path);
    for (int c = 0; c < hn_results_signal_count(table); c++) {
      const double value = hn_results_column(table, c)[r];
      if (!isfinite(value))
        return refuse_cell(inputs, path, r, hn_results_signal_name(table, c), value);
    }
  }
  return HN_OK;
}

static hn_status take_table(hn_inputs *inputs, const char *path) {
  static const char names[] = "Name the columns in line 1: time,NAME,NAME with input names.";
  hn_results **rows = &inputs->rows[inputs->table_count];
  hn_status status = hn_results_read(path, rows, inputs->error);
  if (status != HN_OK) return status;
  hn_input_table *table = &inputs->tables[inputs->table_count++];
  const int columns = hn_results_signal_count(*rows);
  int *input = HN_TAKE(&inputs->arena, int, columns + 1);
  *table = (hn_input_table){*rows, input};
  if (!input) return HN_ERROR_MEMORY;
  if (!begins_with_time(path))
    return refuse(inputs, names, "the first column of '%s' is not named time", path);
  if (columns == 0)
    return refuse(inputs, names, "the table '%s' has no column named after an input", path);
  for (int c = 0; c < columns && status == HN_OK; c++) {
    const char *name = hn_results_signal_name(*rows, c);
    input[c] = hn_model_find_input(inputs->model, name);
    status = input[c] < 0 ? unknown_input(inputs, name) : claim(inputs, input[c]);
  }
  return status == HN_OK ? check_numbers(inputs, path, *rows) : status;
}

// ---- all of them ------------------------------------------------------------------------------------

static hn_status take_words(hn_inputs *inputs, const char *const *words, int count) {
  const int all = hn_model_input_count(inputs->model);
  inputs->rows = HN_TAKE(&inputs->arena, hn_results *, count + 1);
  inputs->tables = HN_TAKE(&inputs->arena, hn_input_table, count + 1);
  inputs->is_given = HN_TAKE(&inputs->arena, int, all + 1);
  inputs->value = HN_TAKE(&inputs->arena, double, all + 1);
  if (!inputs->rows || !inputs->tables || !inputs->is_given || !inputs->value)
    return HN_ERROR_MEMORY;
  for (int k = 0; k < all; k++) inputs->value[k] = NAN;
  hn_status status = HN_OK;
  for (int k = 0; k < count && status == HN_OK; k++) {
    const char *equals = strchr(words[k], '=');
    status = equals ? take_value(inputs, words[k], equals) : take_table(inputs, words[k]);
  }
  return status;
}

hn_status hn_inputs_create(const hn_model *model, const char *const *words, int count,
                           hn_inputs **inputs, hn_error *error) {
  hn_inputs *made = *inputs = hn_allocate(NULL, sizeof *made);
  hn_error reason = {0};
  hn_status status = HN_ERROR_MEMORY;
  if (made) {
    *made = (hn_inputs){.model = model, .error = &reason};
    hn_arena_init(&made->arena, NULL);
    status = take_words(made, words, count);
    made->error = NULL;
  }
  if (status == HN_OK) return HN_OK;
  if (reason.status == HN_OK)
    hn_fail(&reason, status, NULL, NULL, NULL, "out of memory for inputs");
  if (error) *error = reason;
  hn_inputs_free(made);
  *inputs = NULL;
  return status;
}

void hn_inputs_free(hn_inputs *inputs) {
  if (!inputs) return;
  for (int k = 0; k < inputs->table_count; k++) hn_results_free(inputs->rows[k]);
  hn_arena_release(&inputs->arena);
  hn_release(NULL, inputs);
}

int hn_inputs_tables(const hn_inputs *inputs, const hn_input_table **tables) {
  *tables = inputs ? inputs->tables : NULL;
  return inputs ? inputs->table_count : 0;
}

hn_status hn_inputs_give(const hn_inputs *inputs, hn_simulation *simulation) {
  hn_status status = HN_OK;
  for (int k = 0; inputs && k < hn_model_input_count(inputs->model) && status == HN_OK; k++)
    if (isfinite(inputs->value[k]))
      status = hn_simulation_set_input(simulation, k, inputs->value[k]);
  return status;
}

// 1 when a table has a row at or before `now`.
static int has_row(const hn_inputs *inputs, int input, double now) {
  for (int k = 0; inputs && k < inputs->table_count; k++) {
    const hn_input_table *t = &inputs->tables[k];
    for (int c = 0; c < hn_results_signal_count(t->rows); c++)
      if (t->input[c] == input) return hn_results_time(t->rows)[0] <= now;
  }
  return 0;
}

hn_status hn_inputs_resume(const hn_inputs *inputs, hn_simulation *simulation) {
  const hn_model *model = hn_simulation_model(simulation);
  const double now = hn_simulation_time(simulation);
  hn_status status = hn_inputs_give(inputs, simulation);
  for (int k = 0; k < hn_model_input_count(model) && status == HN_OK; k++) {
    const int has_value = inputs && isfinite(inputs->value[k]);
    if (!has_value && !(hn_model_input(model, k)->filter > 0) && !has_row(inputs, k, now))
      status = hn_simulation_set_input(simulation, k, hn_simulation_input(simulation, k));
  }
  return status;
}
