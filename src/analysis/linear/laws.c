// States of laws, z' = f(q, qd, z, u, t), after those of the model:
//
//   A+ = [A, B_z; R_x, R_z],   B+ = [B; R_u],   C+ = [C, D_z]
//
// B_z, R and D_z were made as columns of inputs and rows of outputs (ports.c). Sampled states keep
// their values.
#include <string.h>

#include "analysis/linear/work.h"
#include "base/error.h"

hn_status hn_linear_find_laws(hn_linear_work *w) {
  const hn_model *model = w->point.simulation->model;
  const int states = w->point.simulation->method->states;
  w->z = HN_TAKE(&w->arena, int, states + 1);
  w->z_rates = HN_TAKE(&w->arena, double, 3 * states + 1);
  if (w->arena.failed) return HN_ERROR_MEMORY;
  for (int k = 0; k < states; k++) {
    const hn_state_def *law =
        k < model->state_count ? &model->states[k] : NULL; // else an element's
    if (!law || (!(law->every > 0) && law->law)) w->z[w->z_count++] = k;
  }
  return HN_OK;
}

// "state.NAME", or of a force that owns several "force.NAME.state.1".
static const char *name_of(const hn_simulation *s, int k, char *text, size_t size) {
  const hn_flow *flow = s->elements->flow;
  if (k < flow->laws) return hn_text(text, size, "state.%s", s->model->states[k].name);
  int owner = 0;
  for (int i = 0; i < flow->owners; i++)
    if (flow->first[flow->owner[i]] <= k) owner = flow->owner[i];
  return hn_text(text, size, "force.%s.state.%d", s->model->forces[owner].name,
                 k - flow->first[owner] + 1);
}

// A block of `from` (columns wide) into `to`.
static void place(const double *from, int columns, int row, int column, int rows, int count,
                  double *to, int width, int to_row, int to_column) {
  for (int i = 0; from && i < rows; i++)
    for (int j = 0; j < count; j++)
      to[(size_t)(to_row + i) * (size_t)width + (size_t)(to_column + j)] =
          from[(size_t)(row + i) * (size_t)columns + (size_t)(column + j)];
}

// Of inputs: rows of the model, then those of the states, from the outputs after the others.
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

hn_status hn_linear_name_laws(hn_linear_work *w, int n) {
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
    const char *unit = w->z[k] < s->model->state_count ? s->model->states[w->z[k]].unit : NULL;
    char text[256];
    names[n + k] = hn_arena_copy_string(&w->arena, name_of(s, w->z[k], text, sizeof text));
    units[n + k] = hn_arena_copy_string(&w->arena, unit ? unit : "");
    x0[n + k] = s->method->z[w->z[k]];
    f0[n + k] = w->z_rates[2 * s->method->states + w->z[k]];
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
  return status == HN_OK ? hn_linear_name_laws(w, n) : status;
}
