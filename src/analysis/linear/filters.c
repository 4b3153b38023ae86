// Filters of inputs as states. An input u with a filter follows what is given, g, by
//
//   u'' = w^2 (g - u) - 2 w u'
//
// so with (u, u') after the states of the model, and g as the input,
//
//   A+ = [A, B - w^2 B2, B1 - 2 w B2; 0 0 1; 0 -w^2 -2 w],   B+ = [w^2 B2; 0; w^2]
//
// and outputs likewise. The remaining B1 and B2 are those of inputs without filter. Eigenvalues get
// -w twice for each filter; modes are those of the model.
#include <math.h>
#include <string.h>

#include "analysis/linear/work.h"
#include "base/error.h"

typedef struct filters {
  hn_linear_work *w;
  int count;    // of inputs with a filter
  int *of;      // place of the filter of each input, or -1 (input_count)
  int states;   // with filters
  double *pole; // (count)
  double *a, *b, *c, *d, *b_rest[2], *d_rest[2];
} filters;

static double at(const double *matrix, int columns, int i, int j) {
  return matrix ? matrix[(size_t)i * (size_t)columns + (size_t)j] : 0;
}

static double *entry(double *matrix, int columns, int i, int j) {
  return &matrix[(size_t)i * (size_t)columns + (size_t)j];
}

static int find_filters(filters *f) {
  const hn_linear_work *w = f->w;
  for (int k = 0; k < w->result.input_count; k++) {
    const double pole = w->point.simulation->inputs[w->input[k]].pole;
    f->of[k] = -1;
    if (!(pole > 0)) continue;
    f->pole[f->count] = pole;
    f->of[k] = f->count++;
  }
  return f->count;
}

// Rows of the model's states (is_output 0) or of outputs: the columns of input k.
static void spread_row(const filters *f, int i, int k, int is_output) {
  const hn_linear *l = &f->w->result;
  const int n = l->state_count, m = l->input_count;
  const double *of_u[3] = {is_output ? l->d : l->b, is_output ? l->d_rate : l->b_rate,
                           is_output ? l->d_acceleration : l->b_acceleration};
  double u[3];
  for (int v = 0; v < 3; v++) u[v] = at(of_u[v], m, i, k);
  double *wide = is_output ? f->c : f->a, *in = is_output ? f->d : f->b;
  if (f->of[k] < 0) {
    *entry(in, m, i, k) = u[0];
    for (int v = 0; v < 2; v++) *entry(is_output ? f->d_rest[v] : f->b_rest[v], m, i, k) = u[v + 1];
    return;
  }
  const double w = f->pole[f->of[k]];
  const int column = n + 2 * f->of[k];
  *entry(wide, f->states, i, column) = u[0] - w * w * u[2];
  *entry(wide, f->states, i, column + 1) = u[1] - 2 * w * u[2];
  *entry(in, m, i, k) = w * w * u[2];
}

static void write_matrices(const filters *f) {
  const hn_linear *l = &f->w->result;
  const int n = l->state_count, m = l->input_count;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) *entry(f->a, f->states, i, j) = at(l->a, n, i, j);
    for (int k = 0; k < m; k++) spread_row(f, i, k, 0);
  }
  for (int i = 0; i < l->output_count; i++) {
    for (int j = 0; j < n; j++) *entry(f->c, f->states, i, j) = at(l->c, n, i, j);
    for (int k = 0; k < m; k++) spread_row(f, i, k, 1);
  }
  for (int k = 0; k < m; k++) {
    if (f->of[k] < 0) continue;
    const double w = f->pole[f->of[k]];
    const int row = n + 2 * f->of[k];
    *entry(f->a, f->states, row, row + 1) = 1;
    *entry(f->a, f->states, row + 1, row) = -w * w;
    *entry(f->a, f->states, row + 1, row + 1) = -2 * w;
    *entry(f->b, m, row + 1, k) = w * w;
  }
}

// ---- names, values, eigenvalues -----------------------------------------------------------------

static hn_status write_states(const filters *f) {
  hn_linear_work *w = f->w;
  hn_linear *l = &w->result;
  const int n = l->state_count;
  hn_arena *arena = &w->arena;
  const char **names = HN_TAKE(arena, const char *, f->states + 1),
             **units = HN_TAKE(arena, const char *, f->states + 1);
  double *x0 = HN_TAKE(arena, double, f->states + 1), *f0 = HN_TAKE(arena, double, f->states + 1);
  if (arena->failed) return HN_ERROR_MEMORY;
  for (int i = 0; i < n; i++) {
    names[i] = l->states[i];
    units[i] = l->state_units[i];
    x0[i] = l->x0[i];
    f0[i] = l->f0[i];
  }
  for (int k = 0; k < l->input_count; k++) {
    if (f->of[k] < 0) continue;
    const int row = n + 2 * f->of[k];
    char text[256];
    double d[4];
    hn_input_at(&w->point.simulation->inputs[w->input[k]], w->point.t, d);
    names[row] =
        hn_arena_copy_string(arena, hn_text(text, sizeof text, "input.%s.value", l->inputs[k]));
    names[row + 1] =
        hn_arena_copy_string(arena, hn_text(text, sizeof text, "input.%s.rate", l->inputs[k]));
    units[row] = l->input_units[k];
    units[row + 1] =
        hn_arena_copy_string(arena, hn_text(text, sizeof text, "%s/s", l->input_units[k]));
    x0[row] = d[0];
    f0[row] = x0[row + 1] = d[1];
    f0[row + 1] = d[2];
  }
  if (arena->failed) return HN_ERROR_MEMORY;
  l->states = names;
  l->state_units = units;
  l->x0 = x0;
  l->f0 = f0;
  return HN_OK;
}

// -w twice, where it belongs by its size.
static hn_status add_eigenvalues(const filters *f) {
  hn_linear *l = &f->w->result;
  const int count = l->eigenvalue_count + 2 * f->count;
  hn_eigenvalue *all = HN_TAKE(&f->w->arena, hn_eigenvalue, count + 1);
  hn_mode *modes = HN_TAKE(&f->w->arena, hn_mode, l->mode_count + 1);
  if (f->w->arena.failed) return HN_ERROR_MEMORY;
  memcpy(modes, l->modes, (size_t)l->mode_count * sizeof *modes);
  memcpy(all, l->eigenvalues, (size_t)l->eigenvalue_count * sizeof *all);
  for (int k = 0; k < f->count; k++) {
    const hn_eigenvalue value = hn_eigenvalue_of(-f->pole[k], 0);
    int place = l->eigenvalue_count;
    while (place > 0 && all[place - 1].frequency > value.frequency) place--;
    memmove(&all[place + 2], &all[place], (size_t)(l->eigenvalue_count - place) * sizeof *all);
    all[place] = all[place + 1] = value;
    l->eigenvalue_count += 2;
    for (int m = 0; m < l->mode_count; m++)
      if (modes[m].eigenvalue >= place) modes[m].eigenvalue += 2;
  }
  l->eigenvalues = all;
  l->modes = modes;
  return HN_OK;
}

static void replace(const filters *f) {
  hn_linear *l = &f->w->result;
  int is_left = 0;
  for (int k = 0; k < l->input_count; k++) is_left |= f->of[k] < 0;
  is_left = is_left && l->b_rate;
  l->a = f->a;
  l->b = f->b;
  l->c = f->c;
  l->d = f->d;
  l->b_rate = is_left ? f->b_rest[0] : NULL;
  l->b_acceleration = is_left ? f->b_rest[1] : NULL;
  l->d_rate = is_left ? f->d_rest[0] : NULL;
  l->d_acceleration = is_left ? f->d_rest[1] : NULL;
  l->state_count = f->states;
}

hn_status hn_linear_add_filters(hn_linear_work *w) {
  filters f = {.w = w};
  hn_arena *arena = &w->arena;
  hn_linear *l = &w->result;
  f.of = HN_TAKE(arena, int, l->input_count + 1);
  f.pole = HN_TAKE(arena, double, l->input_count + 1);
  if (arena->failed) return HN_ERROR_MEMORY;
  if (find_filters(&f) == 0) return HN_OK;
  f.states = l->state_count + 2 * f.count;
  const size_t n = (size_t)f.states, m = (size_t)l->input_count, p = (size_t)l->output_count;
  f.a = HN_TAKE(arena, double, n *n);
  f.b = HN_TAKE(arena, double, n *m);
  f.c = HN_TAKE(arena, double, n *p + 1);
  f.d = HN_TAKE(arena, double, p *m + 1);
  for (int v = 0; v < 2; v++) {
    f.b_rest[v] = HN_TAKE(arena, double, n *m);
    f.d_rest[v] = HN_TAKE(arena, double, p *m + 1);
  }
  if (arena->failed) return HN_ERROR_MEMORY;
  write_matrices(&f);
  hn_status status = write_states(&f);
  if (status == HN_OK) status = add_eigenvalues(&f);
  if (status == HN_OK) replace(&f);
  return status;
}
