// States of laws, z' = f(q, qd, z, u, t), behind those of the machine:
//
//   A+ = [A, B_z; R_x, R_z],   B+ = [B; R_u],   C+ = [C, D_z]
//
// B_z, R and D_z were made as columns of inputs and rows of outputs (ports.c). Samples are held.
#include <string.h>

#include "analysis/linear/work.h"
#include "base/error.h"

hn_status hn_linear_find_laws(hn_linear_work *w) {
  const hn_model *model = w->point.simulation->model;
  w->z = HN_TAKE(&w->arena, int, model->state_count + 1);
  w->z_rates = HN_TAKE(&w->arena, double, 3 * model->state_count + 1);
  if (w->arena.failed) return HN_ERROR_MEMORY;
  for (int k = 0; k < model->state_count; k++)
    if (!(model->states[k].every > 0) && model->states[k].law) w->z[w->z_count++] = k;
  return HN_OK;
}

// A block of `from` (columns wide) into `to`.
static void place(const double *from, int columns, int row, int column, int rows, int count,
                  double *to, int width, int to_row, int to_column) {
  for (int i = 0; from && i < rows; i++)
    for (int j = 0; j < count; j++)
      to[(size_t)(to_row + i) * (size_t)width + (size_t)(to_column + j)] =
          from[(size_t)(row + i) * (size_t)columns + (size_t)(column + j)];
}

// Of inputs: rows of the machine, then those of the states, from the outputs behind the others.
static hn_status stack(hn_linear_work *w, const double **b, const double **d) {
  const hn_linear *l = &w->result;
  const int n = l->state_count, m = l->input_count, p = l->output_count, z = w->z_count;
  double *in = HN_TAKE(&w->arena, double, (size_t)(n + z) * (size_t)m + 1),
         *out = HN_TAKE(&w->arena, double, (size_t)p *(size_t)m + 1);
  if (w->arena.failed) return HN_ERROR_MEMORY;
  place(*b, m + z, 0, 0, n, m, in, m, 0, 0);
  place(*d, m + z, p, 0, z, m, in, m, n, 0);
  place(*d, m + z, 0, 0, p, m, out, m, 0, 0);
  *b = in;
  *d = out;
  return HN_OK;
}

static hn_status name_states(hn_linear_work *w, int n) {
  hn_linear *l = &w->result;
  hn_simulation *s = w->point.simulation;
  const int all = n + w->z_count;
  const char **names = HN_TAKE(&w->arena, const char *, all + 1),
             **units = HN_TAKE(&w->arena, const char *, all + 1);
  double *x0 = HN_TAKE(&w->arena, double, all + 1), *f0 = HN_TAKE(&w->arena, double, all + 1);
  if (w->arena.failed) return HN_ERROR_MEMORY;
  for (int i = 0; i < n; i++) {
    names[i] = l->states[i];
    units[i] = l->state_units[i];
    x0[i] = l->x0[i];
    f0[i] = l->f0[i];
  }
  for (int k = 0; k < w->z_count; k++) {
    const hn_state_def *state = &s->model->states[w->z[k]];
    char text[256];
    names[n + k] =
        hn_arena_copy_string(&w->arena, hn_text(text, sizeof text, "state.%s", state->name));
    units[n + k] = hn_arena_copy_string(&w->arena, state->unit ? state->unit : "");
    x0[n + k] = s->method->z[w->z[k]];
    f0[n + k] = w->z_rates[2 * s->model->state_count + w->z[k]];
  }
  l->states = names;
  l->state_units = units;
  l->x0 = x0;
  l->f0 = f0;
  l->state_count = all;
  return w->arena.failed ? HN_ERROR_MEMORY : HN_OK;
}

hn_status hn_linear_add_laws(hn_linear_work *w) {
  hn_linear *l = &w->result;
  const int n = l->state_count, m = l->input_count, p = l->output_count, z = w->z_count,
            all = n + z;
  if (z == 0) return HN_OK;
  double *a = HN_TAKE(&w->arena, double, (size_t)all *(size_t)all),
         *c = HN_TAKE(&w->arena, double, (size_t)p *(size_t)all + 1);
  if (w->arena.failed) return HN_ERROR_MEMORY;
  place(l->a, n, 0, 0, n, n, a, all, 0, 0);
  place(l->b, m + z, 0, m, n, z, a, all, 0, n);
  place(l->c, n, p, 0, z, n, a, all, n, 0);
  place(l->d, m + z, p, m, z, z, a, all, n, n);
  place(l->c, n, 0, 0, p, n, c, all, 0, 0);
  place(l->d, m + z, 0, m, p, z, c, all, 0, n);
  hn_status status = stack(w, &l->b, &l->d);
  if (status == HN_OK && l->b_rate) status = stack(w, &l->b_rate, &l->d_rate);
  if (status == HN_OK && l->b_acceleration)
    status = stack(w, &l->b_acceleration, &l->d_acceleration);
  l->a = a;
  l->c = c;
  return status == HN_OK ? name_states(w, n) : status;
}
