// Tables of slips answered by a tyre: inputs and answers are columns with names.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "vehicle/columns.h"
#include "vehicle/tyre.h"

enum { ANSWERS = 10 };
static const char *const inputs[HN_TYRE_INPUTS] = {"kappa", "alpha", "gamma", "fz", "vx", "mu"};
static const char *const answers[ANSWERS] = {"fx",          "fy",         "mx",       "my",
                                             "mz",          "deflection", "r_loaded", "r_effective",
                                             "sigma_kappa", "sigma_alpha"};

// Rows with the memory they lie in.
typedef struct kept {
  hn_tyre_rows rows;
  hn_arena arena;
} kept;

static double nominal_load(const hn_tyre *t) {
  if (HN_P(t, FNOMIN) > 0) return HN_P(t, FNOMIN);
  if (HN_P(t, FZ_NOM) > 0) return HN_P(t, FZ_NOM);
  return 4000;
}

static void answer(const hn_tyre *t, hn_tyre_axes axes, hn_tyre_slip slip, double out[ANSWERS]) {
  if (axes == HN_TYRE_SAE) slip.alpha = -slip.alpha;
  hn_tyre_forces f;
  hn_tyre_evaluate(t, &slip, &f, NULL);
  hn_tyre_sizes s = hn_tyre_measure(t, slip.gamma, slip.fz);
  double side = axes == HN_TYRE_ISO ? 1 : -1, rolling = axes == HN_TYRE_SAE ? -1 : 1;
  const double all[ANSWERS] = {f.fx,          side * f.fy,  f.mx,       rolling * f.my,
                               side * f.mz,   s.deflection, s.r_loaded, s.r_effective,
                               s.sigma_kappa, s.sigma_alpha};
  memcpy(out, all, sizeof all);
}

// The columns of the answer: those of the table, and the forces where it has no answers.
static hn_status take_columns(const hn_columns *table, kept *k, hn_error *error) {
  int has = 0, count = table->count;
  for (int i = 0; i < ANSWERS; i++) has += hn_columns_find(table, answers[i]) >= 0;
  int added = has ? 0 : HN_TYRE_OUTPUTS;
  hn_tyre_rows *rows = &k->rows;
  rows->column_count = count + added;
  rows->row_count = table->rows;
  rows->columns = HN_TAKE(&k->arena, char *, count + added);
  rows->differences = HN_TAKE(&k->arena, double, count + added);
  rows->values = HN_TAKE(&k->arena, double, table->rows *(count + added));
  if (k->arena.failed) return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  for (int c = 0; c < count; c++) rows->columns[c] = table->names[c];
  for (int i = 0; i < added; i++) {
    rows->columns[count + i] = hn_arena_copy_string(&k->arena, answers[i]);
    if (!rows->columns[count + i]) return HN_ERROR_MEMORY;
  }
  return HN_OK;
}

// Columns of answers may be empty: they are asked for by their names.
static hn_status check_inputs(const hn_columns *table, const char *file, hn_error *error) {
  for (int i = 0; i < HN_TYRE_INPUTS; i++) {
    const int c = hn_columns_find(table, inputs[i]);
    for (long row = 0; c >= 0 && row < table->rows; row++)
      if (isnan(table->values[row * table->count + c]))
        return hn_fail(error, HN_ERROR_SYNTAX, &(hn_source){file, 0, 0}, NULL,
                       "Give a number, or remove the column.", "table row %ld has no value of '%s'",
                       row + 1, inputs[i]);
  }
  return HN_OK;
}

static int find(const char *const *names, int count, const char *name) {
  for (int i = 0; i < count; i++)
    if (strcmp(names[i], name) == 0) return i;
  return -1;
}

// Numbers so large or small that the formulas of the tyre leave the range of doubles.
static hn_status fail_not_finite(const char *name, long row, const char *column,
                                 const double in[HN_TYRE_INPUTS], hn_error *error) {
  const hn_source place = {name, (int)row + 2, 1};
  return hn_fail(
      error, HN_ERROR_NOT_FINITE, &place, NULL,
      "Give slips and loads within the range of the tyre, in rad and N.",
      "has no finite %s at kappa %.3g, alpha %.3g, gamma %.3g, fz %.3g, vx %.3g, mu %.3g", column,
      in[0], in[1], in[2], in[3], in[4], in[5]);
}

static hn_status fill(const hn_tyre *t, const hn_columns *table, const char *name,
                      hn_tyre_axes axes, hn_tyre_rows *rows, hn_error *error) {
  int of_input[HN_TYRE_INPUTS], count = rows->column_count;
  for (int i = 0; i < HN_TYRE_INPUTS; i++) of_input[i] = hn_columns_find(table, inputs[i]);
  for (long row = 0; row < table->rows; row++) {
    const double *from = &table->values[row * table->count];
    double in[HN_TYRE_INPUTS] = {0, 0, 0, nominal_load(t), 16.7, 1}, out[ANSWERS];
    for (int i = 0; i < HN_TYRE_INPUTS; i++)
      if (of_input[i] >= 0) in[i] = from[of_input[i]];
    answer(t, axes, (hn_tyre_slip){in[0], in[1], in[2], in[3], in[4], in[5]}, out);
    for (int c = 0; c < count; c++) {
      int i = find(answers, ANSWERS, rows->columns[c]);
      rows->values[row * count + c] = i >= 0 ? out[i] : from[c];
      if (i >= 0 && !isfinite(out[i])) return fail_not_finite(name, row, answers[i], in, error);
    }
  }
  return HN_OK;
}

static void compare(const hn_columns *table, hn_tyre_rows *rows) {
  for (int c = 0; c < rows->column_count; c++) {
    int is_answer = find(answers, ANSWERS, rows->columns[c]) >= 0 && c < table->count;
    double largest = 0, apart = 0;
    long compared = 0;
    for (long row = 0; is_answer && row < rows->row_count; row++) {
      double said = table->values[row * table->count + c];
      if (isnan(said)) continue;
      compared++;
      largest = fmax(largest, fabs(said));
      apart = fmax(apart, fabs(rows->values[row * rows->column_count + c] - said));
    }
    rows->differences[c] = compared == 0 ? NAN
                           : apart == 0  ? 0
                           : largest > 0 ? apart / largest
                                         : apart;
  }
}

hn_status hn_tyre_tabulate(const hn_tyre *tyre, const char *text, size_t size, const char *name,
                           hn_tyre_axes axes, hn_tyre_rows **rows, hn_error *error) {
  *rows = NULL;
  hn_arena arena;
  hn_arena_init(&arena, NULL);
  kept *k = HN_TAKE(&arena, kept, 1);
  if (!k) return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  k->arena = arena;
  hn_columns table;
  hn_status status = hn_columns_read_open(&k->arena, text, size, name, &table, error);
  if (status == HN_OK) status = check_inputs(&table, name, error);
  if (status == HN_OK) status = take_columns(&table, k, error);
  if (status == HN_OK) status = fill(tyre, &table, name, axes, &k->rows, error);
  if (status != HN_OK) {
    hn_tyre_rows_free(&k->rows);
    return status;
  }
  compare(&table, &k->rows);
  *rows = &k->rows;
  return HN_OK;
}

void hn_tyre_rows_free(hn_tyre_rows *rows) {
  if (!rows) return;
  hn_arena arena = ((kept *)rows)->arena; // which holds the rows themselves
  hn_arena_release(&arena);
}
