// Building and filling the linear system of assembly_rows.h. Columns of fixed bodies are left out,
// so they cannot move at all. Out of scope: its solution.
#include "analysis/assembly_rows.h"

#include "base/error.h"

// ---- questions about elements -------------------------------------------------------------------

static int has_points(const hn_measure *measure) {
  for (int d = 0; d < 3; d++)
    for (int k = 0; k < 2; k++) {
      const hn_term *term = &measure->x[d].term[k];
      if (term->slot >= 0 && term->w != 0) return 1;
    }
  return 0;
}

int hn_row_is_length(const hn_elements *elements, const hn_row *row) {
  return row->count > 0 && has_points(&elements->measures[row->measure[0]]);
}

int hn_coordinate_is_length(hn_coordinate coordinate) {
  return coordinate != HN_COORDINATE_ANGLE && coordinate != HN_COORDINATE_ANGLE2;
}

static void stretch(const hn_frame_on_body *frame, double *size) {
  double distance = vec3_norm(frame->position);
  if (frame->body > 0 && distance > size[frame->body]) size[frame->body] = distance;
}

void hn_body_sizes(const hn_model *model, double *size) {
  double most = 0;
  for (int b = 0; b < model->body_count; b++) size[b] = 0;
  for (int j = 0; j < model->joint_count; j++) {
    if (model->joints[j].coupled_count > 0) continue;
    stretch(&model->joints[j].frame1, size);
    stretch(&model->joints[j].frame2, size);
  }
  for (int b = 1; b < model->body_count; b++)
    if (size[b] > most) most = size[b];
  for (int b = 0; b < model->body_count; b++) {
    if (!(most > 0))
      size[b] = 1;
    else if (size[b] < 0.01 * most)
      size[b] = 0.01 * most;
  }
}

// ---- the system ---------------------------------------------------------------------------------

static const hn_measure *measure_of(const hn_assembly_rows *rows, const hn_given_row *given) {
  return given->own ? given->own : &rows->elements->measures[given->measure];
}

// The moving bodies of a given row's measure: 0 to 2.
static int given_bodies(const hn_assembly_rows *rows, const hn_given_row *given, int body[2]) {
  const hn_measure *measure = measure_of(rows, given);
  int count = 0;
  for (int slot = 0; slot < 2; slot++) {
    int b = measure->body[slot];
    if (rows->first_column[b] >= 0 && !(count == 1 && body[0] == b)) body[count++] = b;
  }
  return count;
}

static void add_body(hn_assembly_rows *rows, int body, int *at) {
  for (int i = 0; i < 6; i++, (*at)++)
    if (rows->column_index) rows->column_index[*at] = rows->first_column[body] + i;
}

// Counts the entries of J, and writes their columns once column_index is there.
static int fill_pattern(hn_assembly_rows *rows) {
  int at = 0, body[2];
  for (int r = 0; r < rows->row_count; r++) {
    const hn_row *row = &rows->elements->rows[r];
    rows->row_start[r] = at;
    for (int k = 0; k < row->body_count; k++)
      if (rows->first_column[row->body[k]] >= 0) add_body(rows, row->body[k], &at);
  }
  for (int g = 0; g < rows->given_count; g++) {
    rows->row_start[rows->row_count + g] = at;
    int count = given_bodies(rows, &rows->given[g], body);
    for (int k = 0; k < count; k++) add_body(rows, body[k], &at);
  }
  rows->row_start[rows->size] = at;
  return at;
}

static void fill_metric_pattern(hn_assembly_rows *rows) {
  int at = 0;
  for (int j = 0; j < rows->columns; j++) {
    int first = j - j % 6;
    rows->m_start[j] = at;
    for (int i = j % 6 < 3 ? j : first + 3; i <= j; i++) rows->m_index[at++] = i;
  }
  rows->m_start[rows->columns] = at;
}

hn_status hn_assembly_rows_create(hn_arena *arena, const hn_elements *elements,
                                  const unsigned char *held, const hn_given_row *given,
                                  int given_count, hn_assembly_rows *rows) {
  *rows = (hn_assembly_rows){.elements = elements,
                             .bodies = elements->model->body_count,
                             .row_count = elements->row_count,
                             .given_count = given_count,
                             .size = elements->row_count + given_count};
  rows->first_column = HN_TAKE(arena, int, rows->bodies);
  rows->held = HN_TAKE(arena, unsigned char, rows->bodies);
  rows->row_start = HN_TAKE(arena, int, rows->size + 1);
  rows->given = HN_TAKE(arena, hn_given_row, given_count);
  if (arena->failed) return HN_ERROR_MEMORY;
  for (int b = 0; b < rows->bodies; b++) {
    rows->first_column[b] = b == 0 || (held[b] & HN_HELD_WHOLE) ? -1 : rows->columns;
    rows->held[b] = held[b];
    if (rows->first_column[b] >= 0) rows->columns += 6;
  }
  for (int g = 0; g < given_count; g++) rows->given[g] = given[g];
  int entries = fill_pattern(rows);
  rows->column_index = HN_TAKE(arena, int, entries);
  rows->j_values = HN_TAKE(arena, double, entries);
  rows->m_start = HN_TAKE(arena, int, rows->columns + 1);
  rows->m_index = HN_TAKE(arena, int, 2 * rows->columns);
  rows->m_values = HN_TAKE(arena, double, 2 * rows->columns);
  double **row_vectors[] = {&rows->value, &rows->rate, &rows->weight, &rows->c, &rows->y};
  for (int k = 0; k < 5; k++) *row_vectors[k] = HN_TAKE(arena, double, rows->size);
  rows->b = HN_TAKE(arena, double, rows->columns);
  rows->x = HN_TAKE(arena, double, rows->columns);
  if (arena->failed) return HN_ERROR_MEMORY;
  for (int r = 0; r < rows->size; r++) rows->weight[r] = 1;
  fill_pattern(rows);
  fill_metric_pattern(rows);
  hn_saddle_pattern pattern = {
      rows->columns,      rows->size, rows->m_start, rows->m_index, rows->row_start,
      rows->column_index, 0,          NULL};
  return hn_saddle_create(arena, &pattern, &rows->saddle);
}

static double *store_block(const hn_assembly_rows *rows, int body, double *out, hn_vec3 n,
                           hn_vec3 m) {
  vec3_store(out, rows->held[body] & HN_HELD_LINEAR ? vec3_zero() : n);
  vec3_store(out + 3, rows->held[body] & HN_HELD_ANGULAR ? vec3_zero() : m);
  return out + 6;
}

static void evaluate_given(hn_assembly_rows *rows, int g, const hn_frame *frames,
                           const hn_branches *branches, int of_rates) {
  const hn_given_row *given = &rows->given[g];
  const hn_measure *measure = measure_of(rows, given);
  int at = rows->row_count + g, body[2], count = given_bodies(rows, given, body);
  hn_measure_speeds s;
  hn_measure_in_speeds(measure, frames, branches->turns, &s);
  rows->value[at] = of_rates ? 0 : s.value - given->target;
  rows->rate[at] = of_rates ? s.rate - given->target : 0;
  double *out = &rows->j_values[rows->row_start[at]];
  for (int k = 0; k < count; k++) {
    hn_vec3 n = vec3_zero(), m = vec3_zero();
    for (int slot = 0; slot < 2; slot++)
      if (measure->body[slot] == body[k]) {
        n = vec3_add(n, s.n[slot]);
        m = vec3_add(m, s.m[slot]);
      }
    out = store_block(rows, body[k], out, n, m);
  }
}

void hn_assembly_rows_evaluate(hn_assembly_rows *rows, double t, const hn_frame *frames,
                               const hn_branches *branches, int of_rates) {
  for (int r = 0; r < rows->row_count; r++) {
    const hn_row *row = &rows->elements->rows[r];
    int branch = row->driver >= 0 ? branches->driver[row->driver] : 0;
    double *out = &rows->j_values[rows->row_start[r]];
    hn_row_speeds s;
    hn_row_in_speeds(rows->elements, row, frames, branches->turns, t, branch, &s);
    rows->value[r] = s.value;
    rows->rate[r] = s.rate;
    for (int k = 0; k < row->body_count; k++)
      if (rows->first_column[row->body[k]] >= 0)
        out = store_block(rows, row->body[k], out, s.n[k], s.m[k]);
  }
  for (int g = 0; g < rows->given_count; g++) evaluate_given(rows, g, frames, branches, of_rates);
}

void hn_assembly_set_metric(hn_assembly_rows *rows, int body, double linear, hn_mat3 angular) {
  int column = rows->first_column[body];
  if (column < 0) return;
  double *m = &rows->m_values[9 * (column / 6)];
  m[0] = m[1] = m[2] = linear;
  m[3] = angular.m[0][0];
  m[4] = angular.m[0][1];
  m[5] = angular.m[1][1];
  m[6] = angular.m[0][2];
  m[7] = angular.m[1][2];
  m[8] = angular.m[2][2];
}
