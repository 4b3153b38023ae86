// For each body the sum of its inertia (against its largest moment) and of m m' of all rows (each
// against its own length, rotations counted in sizes of the body), m being the part of a row that
// sees the body turn: where that has a zero eigenvalue nothing says how fast the body turns about
// the eigenvector.
#include "analysis/mobility_weightless.h"

#include <math.h>

#include "analysis/assembly_rows.h"
#include "linalg/rank.h"

// 1 when the body can turn about *axis, about which it has no inertia and which no row resists.
static int is_weightless(const hn_body_def *body, const hn_frame *frame, const double *resistance,
                         hn_vec3 *axis) {
  hn_mat3 inertia = mat3_multiply(mat3_multiply(frame->a, mat3_symmetric(body->inertia)),
                                  mat3_transpose(frame->a));
  double both[9], values[3], spare[3], most = 0;
  for (int i = 0; i < 3; i++) most = fmax(most, inertia.m[i][i]);
  for (int i = 0; i < 9; i++) {
    double own = most > 0 ? inertia.m[i % 3][i / 3] / most : 0;
    both[i] = own + resistance[i];
  }
  if (hn_eigen_symmetric(both, 3, values, spare)) return 0;
  *axis = vec3_load(both);
  return values[0] <= 1e-10 * fmax(1, values[2]);
}

static void add_resistance(const hn_row *row, const hn_row_speeds *s, const double *size,
                           double *resistance) {
  double sum = 0;
  for (int k = 0; k < row->body_count; k++) {
    hn_vec3 m = vec3_scale(1 / size[row->body[k]], s->m[k]);
    sum += vec3_dot(s->n[k], s->n[k]) + vec3_dot(m, m);
  }
  for (int k = 0; sum > 0 && k < row->body_count; k++) {
    int b = row->body[k];
    for (int i = 0; i < 9; i++)
      resistance[9 * b + i] +=
          vec3_get(s->m[k], i % 3) * vec3_get(s->m[k], i / 3) / (sum * size[b] * size[b]);
  }
}

hn_status hn_find_weightless(hn_arena *arena, const hn_elements *elements, double t,
                             const hn_frame *frames, const hn_branches *branches, int *bodies,
                             hn_vec3 *axes, int *count) {
  const hn_model *model = elements->model;
  double *resistance = HN_TAKE(arena, double, 9 * model->body_count);
  double *size = HN_TAKE(arena, double, model->body_count);
  *count = 0;
  if (arena->failed) return HN_ERROR_MEMORY;
  hn_body_sizes(model, size);
  for (int r = 0; r < elements->row_count; r++) {
    const hn_row *row = &elements->rows[r];
    hn_row_speeds s;
    hn_row_in_speeds(elements, row, frames, branches->turns, t,
                     row->driver >= 0 ? branches->driver[row->driver] : 0, &s);
    add_resistance(row, &s, size, resistance);
  }
  for (int b = 1; b < model->body_count; b++) {
    hn_vec3 axis;
    if (!is_weightless(&model->bodies[b], &frames[b], &resistance[9 * b], &axis)) continue;
    if (axes) axes[*count] = axis;
    bodies[(*count)++] = b;
  }
  return HN_OK;
}
