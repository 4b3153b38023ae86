// Inputs from tables: linear between the rows, constant before the first and after the last. A
// filter follows the rows themselves.
//
// A run that continues from a saved state continues with the inputs it had: a row that changes
// nothing changes no bits.
#include "study/input_tables.h"

#include <math.h>

// The line of a table continues after a restored state: rounding is no jump.
static double as_it_was(const hn_table_reader *reader, const hn_simulation *s, int input,
                        double value, double scale) {
  double present = hn_simulation_input(s, input);
  return reader->has_resumed && fabs(value - present) <= 1e-13 * scale ? present : value;
}

// From row r on: its value, and the rate to the next one.
static hn_status give_row(const hn_table_reader *reader, hn_simulation *s, const hn_input_table *t,
                          int r) {
  const double *time = hn_results_time(t->rows);
  int is_last = r + 1 >= hn_results_row_count(t->rows);
  double now = hn_simulation_time(s);
  hn_status status = HN_OK;
  for (int c = 0; c < hn_results_signal_count(t->rows) && status == HN_OK; c++) {
    const double *y = hn_results_column(t->rows, c);
    int input = t->input[c];
    int is_filtered = hn_model_input(hn_simulation_model(s), input)->filter > 0;
    double rate = is_last || is_filtered ? 0 : (y[r + 1] - y[r]) / (time[r + 1] - time[r]);
    double value = y[r] + (now - time[r]) * rate;
    if (!is_filtered) value = as_it_was(reader, s, input, value, fabs(y[r]) + fabs(value));
    status = hn_simulation_set_input_motion(s, input, value, rate, 0);
  }
  return status;
}

hn_status hn_tables_give(hn_table_reader *reader, hn_simulation *s) {
  double now = hn_simulation_time(s);
  double reached = now + 1e-12 * (1 + fabs(now));
  hn_status status = HN_OK;
  for (int k = 0; k < reader->plan->table_count && status == HN_OK; k++) {
    const hn_input_table *t = &reader->plan->tables[k];
    int before = reader->next[k], rows = hn_results_row_count(t->rows);
    while (reader->next[k] < rows && hn_results_time(t->rows)[reader->next[k]] <= reached)
      reader->next[k]++;
    if (reader->next[k] > before) status = give_row(reader, s, t, reader->next[k] - 1);
  }
  reader->has_resumed = 0;
  return status;
}

double hn_tables_next(const hn_table_reader *reader) {
  double next = HUGE_VAL;
  for (int k = 0; k < reader->plan->table_count; k++) {
    const hn_results *rows = reader->plan->tables[k].rows;
    if (reader->next[k] < hn_results_row_count(rows))
      next = fmin(next, hn_results_time(rows)[reader->next[k]]);
  }
  return next;
}
