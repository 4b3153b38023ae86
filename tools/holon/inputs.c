// Inputs from the command line. A table is read like a CSV of results: time and one column an input,
// straight between its rows, held before the first and after the last.
#include "inputs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct table {
  hn_results *rows;
  int *input; // of each column
  int next;   // row
} table;

struct hn_cli_inputs {
  table *tables;
  int count;
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
    hn_cli_add(&hint, "Inputs are named in the model's `inputs:`; it has %d.", count);
  int code = refuse(session, hint.data, "the model has no input '%s'", name);
  hn_cli_text_free(&hint);
  free(words);
  return code;
}

// NAME=VALUE, in SI.
static int give_value(hn_cli_session *session, const char *word, const char *equals) {
  char *name = hn_cli_copy(word), *end = NULL;
  name[equals - word] = '\0';
  int input = hn_model_find_input(session->model, name), code = -1;
  double value = strtod(equals + 1, &end);
  if (input < 0)
    code = unknown_input(session, name);
  else if (end == equals + 1 || *end != '\0' || !isfinite(value))
    code = refuse(session, "Give a number in SI, or a table: --input FILE.csv.",
                  "--input '%s' has no number behind its =", word);
  else
    hn_simulation_set_input(session->simulation, input, value);
  free(name);
  return code;
}

static int open_table(hn_cli_session *session, const char *path, table *t) {
  hn_status status = hn_results_read(path, &t->rows, &session->error);
  if (status != HN_OK) {
    hn_cli_report_failure(session->settings->json, 0, &session->error);
    return HN_CLI_WRONG;
  }
  int columns = hn_results_signal_count(t->rows);
  t->input = hn_cli_allocate((size_t)columns + 1, sizeof *t->input);
  for (int c = 0; c < columns; c++) {
    const char *name = hn_results_signal_name(t->rows, c);
    t->input[c] = hn_model_find_input(session->model, name);
    if (t->input[c] < 0) return unknown_input(session, name);
  }
  const double *time = hn_results_time(t->rows);
  for (int r = 1; r < hn_results_row_count(t->rows); r++) {
    if (!(time[r] > time[r - 1]))
      return refuse(session, "Sort the rows; each time stands once.",
                    "times do not increase in '%s'", path);
  }
  return -1;
}

int hn_cli_inputs_open(hn_cli_session *session) {
  const hn_cli_list *words = &session->settings->inputs;
  if (words->count == 0) return -1;
  session->inputs = hn_cli_allocate(1, sizeof *session->inputs);
  session->inputs->tables = hn_cli_allocate((size_t)words->count, sizeof(table));
  int code = -1;
  for (int k = 0; k < words->count && code < 0; k++) {
    const char *equals = strchr(words->items[k], '=');
    if (equals != NULL)
      code = give_value(session, words->items[k], equals);
    else
      code =
          open_table(session, words->items[k], &session->inputs->tables[session->inputs->count++]);
  }
  return code;
}

void hn_cli_inputs_close(hn_cli_session *session) {
  if (session->inputs == NULL) return;
  for (int k = 0; k < session->inputs->count; k++) {
    hn_results_free(session->inputs->tables[k].rows);
    free(session->inputs->tables[k].input);
  }
  free(session->inputs->tables);
  free(session->inputs);
  session->inputs = NULL;
}

// From row r on: its value, and the rate to the next one.
static void give_row(hn_cli_session *session, const table *t, int r) {
  const double *time = hn_results_time(t->rows);
  int is_last = r + 1 >= hn_results_row_count(t->rows);
  double now = hn_simulation_time(session->simulation);
  for (int c = 0; c < hn_results_signal_count(t->rows); c++) {
    const double *y = hn_results_column(t->rows, c);
    double rate = is_last ? 0 : (y[r + 1] - y[r]) / (time[r + 1] - time[r]);
    hn_simulation_set_input_motion(session->simulation, t->input[c], y[r] + rate * (now - time[r]),
                                   rate, 0);
  }
}

void hn_cli_inputs_give(hn_cli_session *session) {
  if (session->inputs == NULL) return;
  double now = hn_simulation_time(session->simulation);
  double reached = now + 1e-12 * (1 + fabs(now));
  for (int k = 0; k < session->inputs->count; k++) {
    table *t = &session->inputs->tables[k];
    int before = t->next, rows = hn_results_row_count(t->rows);
    while (t->next < rows && hn_results_time(t->rows)[t->next] <= reached) t->next++;
    if (t->next > before) give_row(session, t, t->next - 1);
  }
}

double hn_cli_inputs_next(const hn_cli_session *session) {
  double next = HUGE_VAL;
  for (int k = 0; session->inputs != NULL && k < session->inputs->count; k++) {
    const table *t = &session->inputs->tables[k];
    if (t->next < hn_results_row_count(t->rows))
      next = fmin(next, hn_results_time(t->rows)[t->next]);
  }
  return next;
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
}

void hn_cli_inputs_json(hn_cli_json *json, const hn_model *model) {
  int count = hn_model_input_count(model);
  if (count == 0) return;
  hn_cli_json_open(json, "inputs", '[');
  for (int k = 0; k < count; k++) {
    const hn_input_def *input = hn_model_input(model, k);
    hn_cli_json_open(json, NULL, '{');
    hn_cli_json_string(json, "name", input->name);
    hn_cli_json_number(json, "value", input->value);
    hn_cli_json_string(json, "unit", input->unit != NULL ? input->unit : "");
    hn_cli_json_number(json, "filter", input->filter);
    hn_cli_json_close(json, '}');
  }
  hn_cli_json_close(json, ']');
}
