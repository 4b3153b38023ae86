// Rank of cut rows in the geometric metric (mass 1 and one inertia for every body): the Schur
// complement J M^-1 J', each row against its size on bodies, by Cholesky with diagonal pivoting. What
// is left of a row when its turn comes is the square of its distance from the rows before it.
//
// Rows of separate groups of loops have no speeds in common; the matrix is dense all the same, so
// machines with very many cut rows are judged by the pivots of the sparse factors instead
// (relative/factor.c).
#include <math.h>

#include "equations/relative/relative.h"
#include "linalg/gram.h"

hn_status hn_relative_make_rank(hn_arena *arena, hn_relative_set *self) {
  int m = self->cut_count;
  if (m > HN_RANK_ROWS) return HN_OK;
  self->rank.rows = HN_TAKE(arena, double, m * self->base.nu);
  self->rank.matrix = HN_TAKE(arena, double, m *m);
  self->rank.root = HN_TAKE(arena, double, m *m);
  self->rank.floor = HN_TAKE(arena, double, m);
  self->rank.rest = HN_TAKE(arena, double, m);
  self->rank.order = HN_TAKE(arena, int, m);
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

// T = D^-1/2 L^-T J', a row of it for each cut row, from the factors of the geometric mass.
static void reduce_rows(hn_relative_set *self, const unsigned char *left_out) {
  const hn_tree *tree = self->tree;
  const int *start = tree->mass_start, *index = tree->mass_index;
  int nu = self->base.nu;
  for (int c = 0; c < self->cut_count; c++) {
    double *row = &self->rank.rows[c * nu];
    double scale = self->judged.by_length[c] > 0 ? 1 / sqrt(self->judged.by_length[c]) : 0;
    if (left_out && left_out[c]) scale = 0;
    for (int i = 0; i < nu; i++) row[i] = 0;
    for (int k = self->j_start[c]; k < self->j_start[c + 1]; k++)
      row[self->j_index[k]] = scale * self->j_values[k];
    for (int k = nu - 1; k >= 0; k--) {
      if (row[k] == 0) continue;
      int n = start[k + 1] - start[k] - 1;
      const double *column = &self->geometry_mass[start[k]];
      for (int i = 0; i < n; i++) row[index[start[k] + i]] -= column[i] * row[k];
      row[k] *= sqrt(column[n]);
    }
  }
}

static void multiply_rows(hn_relative_set *self) {
  int m = self->cut_count, nu = self->base.nu;
  for (int a = 0; a < m; a++)
    for (int b = 0; b <= a; b++) {
      double sum = 0;
      for (int i = 0; i < nu; i++) sum += self->rank.rows[a * nu + i] * self->rank.rows[b * nu + i];
      self->rank.matrix[a * m + b] = self->rank.matrix[b * m + a] = sum;
    }
}

int hn_relative_find_rank(hn_relative_set *self, const unsigned char *left_out, double small_pivot,
                          double near_pivot, unsigned char *is_small) {
  int m = self->cut_count, near = 0;
  hn_tree_factor(self->tree, self->geometry_mass);
  reduce_rows(self, left_out);
  multiply_rows(self);
  for (int c = 0; c < m; c++) self->rank.floor[c] = left_out && left_out[c] ? 0 : small_pivot;
  int rank = hn_semidefinite_root(self->rank.matrix, m, self->rank.floor, self->rank.root, m,
                                  self->rank.order, self->rank.rest);
  for (int k = 0; k < m; k++) {
    int row = self->rank.order[k], is_in = !(left_out && left_out[row]);
    is_small[row] = is_in && k >= rank;
    near += is_in && !(self->rank.rest[row] > near_pivot);
  }
  return near;
}

// ---- rows left out ------------------------------------------------------------------------------

// Of bodies' velocities: in joint speeds rows that depend on others are rounding errors.
static double rate_size(const hn_relative_set *self, int row, const hn_frame *frames) {
  const hn_cartesian_rows *rows = self->base.rows;
  double size = fabs(rows->time_rate[row]);
  for (int k = rows->row_start[row]; k < rows->row_start[row + 1]; k++) {
    const hn_frame *f = &frames[rows->body[k]];
    hn_vec3 n = vec3_load(&rows->block[6 * k]), m = vec3_load(&rows->block[6 * k + 3]);
    size +=
        sqrt(vec3_dot(n, n) * vec3_dot(f->v, f->v)) + sqrt(vec3_dot(m, m) * vec3_dot(f->w, f->w));
  }
  return size;
}

int hn_relative_has_loose_rows(const hn_relative_set *self, const double *x,
                               const hn_frame *frames) {
  for (int c = 0; c < self->cut_count; c++) {
    int r = self->cut_row[c];
    if (!self->base.redundant[r]) continue;
    double rate = self->base.rows->rate[r];
    for (int k = self->j_start[c]; x && k < self->j_start[c + 1]; k++)
      rate += self->j_values[k] * x[self->j_index[k]];
    if (!(fabs(rate) <= HN_LOOSE_RATE * rate_size(self, r, frames))) return 1;
  }
  return 0;
}
