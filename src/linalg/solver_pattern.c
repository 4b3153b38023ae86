// The block structure of a problem written out entry by entry.
#include "linalg/solver_pattern.h"

hn_status hn_pattern_of_problem(hn_arena *arena, const hn_solver_problem *p,
                                hn_saddle_pattern *pattern) {
  int blocks = p->row_start[p->rows], at = 0;
  int *m_start = HN_TAKE(arena, int, 6 * p->bodies + 1);
  int *m_index = HN_TAKE(arena, int, 9 * p->bodies);
  int *j_start = HN_TAKE(arena, int, p->rows + 1), *j_index = HN_TAKE(arena, int, 6 * blocks);
  if (arena->failed) return HN_ERROR_MEMORY;
  for (int j = 0; j < 6 * p->bodies; j++) { // masses are diagonal, inertias full
    m_start[j] = at;
    for (int i = j % 6 < 3 ? j : j - j % 6 + 3; i <= j; i++) m_index[at++] = i;
  }
  m_start[6 * p->bodies] = at;
  for (int r = 0; r <= p->rows; r++) j_start[r] = 6 * p->row_start[r];
  for (int k = 0; k < 6 * blocks; k++) j_index[k] = 6 * (p->body[k / 6] - 1) + k % 6;
  *pattern = (hn_saddle_pattern){.n = 6 * p->bodies,
                                 .m = p->rows,
                                 .m_column_start = m_start,
                                 .m_row_index = m_index,
                                 .j_row_start = j_start,
                                 .j_column_index = j_index};
  return HN_OK;
}

hn_status hn_pattern_of_matrix(hn_arena *arena, const hn_saddle_pattern *p, int **start_out,
                               int **index_out) {
  int *start = HN_TAKE(arena, int, p->n + p->m + 1), at = 0;
  int *index = HN_TAKE(arena, int, p->m_column_start[p->n] + p->j_row_start[p->m] + p->m);
  if (arena->failed) return HN_ERROR_MEMORY;
  for (int j = 0; j < p->n; j++) {
    for (int k = p->m_column_start[j]; k < p->m_column_start[j + 1]; k++)
      index[at++] = p->m_row_index[k];
    start[j + 1] = at;
  }
  for (int r = 0; r < p->m; r++) {
    for (int k = p->j_row_start[r]; k < p->j_row_start[r + 1]; k++)
      index[at++] = p->j_column_index[k];
    index[at++] = p->n + r;
    start[p->n + r + 1] = at;
  }
  *start_out = start;
  *index_out = index;
  return HN_OK;
}
