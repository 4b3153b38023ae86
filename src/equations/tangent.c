// The derivatives of whatever set of coordinates runs: calls the functions of its table.
#include "equations/tangent.h"

#include <string.h>

hn_status hn_tangent_create(hn_arena *arena, hn_equations *equations, int in_speeds,
                            hn_tangent **tangent) {
  if (!equations->type->tangent_create) return HN_ERROR_UNSUPPORTED;
  return equations->type->tangent_create(arena, equations, in_speeds, tangent);
}

void hn_tangent_take_memory(hn_arena *arena, hn_tangent *tangent) {
  double **by_row[] = {&tangent->phi,    &tangent->phi_rate, &tangent->phi_t,
                       &tangent->phi_tt, &tangent->tau,      &tangent->tau_t};
  for (size_t k = 0; k < sizeof by_row / sizeof by_row[0]; k++)
    *by_row[k] = HN_KEEP(arena, double, tangent->rows);
  tangent->q_force = HN_KEEP(arena, double, tangent->n);
  tangent->q_t = HN_KEEP(arena, double, tangent->n);
  tangent->columns = HN_TAKE(arena, unsigned char, tangent->n);
}

hn_status hn_tangent_evaluate(hn_tangent *tangent, const hn_tangent_state *state, hn_want want,
                              hn_error *error) {
  return tangent->type->evaluate(tangent, state, want, error);
}

void hn_tangent_find_balance(const hn_tangent *tangent, const hn_tangent_state *s) {
  memcpy(s->b, tangent->q_force, (size_t)tangent->n * sizeof(double));
  hn_sparse_add_product(&tangent->mass, -1, s->qdd, s->b);
  if (!s->c) return;
  memcpy(s->c, tangent->tau, (size_t)tangent->rows * sizeof(double));
  hn_sparse_add_transposed_product(&tangent->phi_q, -1, s->lambda, s->b);
  hn_sparse_add_product(&tangent->phi_q, -1, s->qdd, s->c);
}

void hn_carry_turn(const double *from, const double *to, hn_carry_kind kind, double *linear,
                   double *angular) {
  hn_quat p = quat_unit(quat_load(from)), p_to = quat_unit(quat_load(to));
  hn_quat back = quat_conjugate(p), part = quat_load(angular);
  if (kind == HN_CARRY_STRAIGHT) { // (nu, w / 2) p of the same global w
    quat_store(angular, quat_multiply(quat_multiply(part, back), p_to));
    return;
  }
  hn_quat turn = quat_multiply(p_to, back);
  quat_store(angular, quat_multiply(turn, part));
  if (linear) vec3_store(linear, mat3_apply(quat_matrix(turn), vec3_load(linear)));
}

// ---- blocks in speeds ---------------------------------------------------------------------------

// Rows that have an entry in each column.
static hn_status rows_of_columns(hn_arena *scratch, const hn_speed_blocks *b, int **start,
                                 int **row) {
  int entries = b->row_start[b->rows];
  *start = HN_TAKE(scratch, int, b->n + 2);
  *row = HN_TAKE(scratch, int, entries);
  if (scratch->failed) return HN_ERROR_MEMORY;
  for (int e = 0; e < entries; e++) (*start)[b->row_index[e] + 2]++;
  for (int j = 0; j < b->n; j++) (*start)[j + 2] += (*start)[j + 1];
  for (int r = 0; r < b->rows; r++)
    for (int e = b->row_start[r]; e < b->row_start[r + 1]; e++)
      (*row)[(*start)[b->row_index[e] + 1]++] = r;
  return HN_OK;
}

typedef struct upper_pattern {
  int *mark; // last column each row was seen in (n)
  int *start, *index;
  int count;
} upper_pattern;

static void see(upper_pattern *p, int i, int j) {
  if (i >= j || p->mark[i] == j) return;
  p->mark[i] = j;
  if (p->index) p->index[p->count] = i;
  p->count++;
}

// Columns of the upper triangle: those of K, and every pair of columns of a row.
static void walk_pattern(const hn_sparse *k, const hn_speed_blocks *b, const int *column_start,
                         const int *column_row, upper_pattern *p) {
  p->count = 0;
  for (int j = 0; j < b->n; j++) p->mark[j] = -1;
  for (int j = 0; j < b->n; j++) {
    p->start[j] = p->count;
    for (int e = k->start[j]; e < k->start[j + 1]; e++) see(p, k->index[e], j);
    for (int c = column_start[j]; c < column_start[j + 1]; c++)
      for (int e = b->row_start[column_row[c]]; e < b->row_start[column_row[c] + 1]; e++)
        see(p, b->row_index[e], j);
    if (p->index) p->index[p->count] = j;
    p->count++;
  }
  p->start[b->n] = p->count;
}

hn_status hn_speed_blocks_pattern(hn_arena *arena, const hn_sparse *stiffness, int none,
                                  hn_speed_blocks *b) {
  hn_arena scratch;
  int *column_start, *column_row, *here = NULL, *there = NULL;
  hn_arena_init(&scratch, &arena->allocator);
  upper_pattern p = {.mark = HN_TAKE(&scratch, int, b->n), .start = HN_TAKE(arena, int, b->n + 1)};
  hn_status status = rows_of_columns(&scratch, b, &column_start, &column_row);
  if (status == HN_OK && !arena->failed) {
    walk_pattern(stiffness, b, column_start, column_row, &p);
    p.index = HN_TAKE(arena, int, p.count);
    here = HN_TAKE(arena, int, p.count);
    there = HN_TAKE(arena, int, p.count);
  }
  if (status == HN_OK && !arena->failed) walk_pattern(stiffness, b, column_start, column_row, &p);
  hn_arena_release(&scratch);
  if (status != HN_OK || arena->failed) return HN_ERROR_MEMORY;
  for (int j = 0; j < b->n; j++)
    for (int e = p.start[j]; e < p.start[j + 1]; e++) {
      here[e] = hn_sparse_find(stiffness, p.index[e], j);
      there[e] = hn_sparse_find(stiffness, j, p.index[e]);
      if (here[e] < 0 || there[e] < 0) here[e] = there[e] = none;
    }
  b->start = p.start;
  b->index = p.index;
  b->here = here;
  b->there = there;
  return HN_OK;
}

int hn_body_is_light(const hn_body_def *body) {
  hn_mat3 inertia = mat3_symmetric(body->inertia);
  double a = inertia.m[0][0], b = inertia.m[1][1], c = inertia.m[2][2];
  double volume = a * (b * c - body->inertia[5] * body->inertia[5]) -
                  body->inertia[3] * (body->inertia[3] * c - body->inertia[5] * body->inertia[4]) +
                  body->inertia[4] * (body->inertia[3] * body->inertia[5] - b * body->inertia[4]);
  double size = (a + b + c) / 3;
  return !(volume > 1e-9 * size * size * size);
}
