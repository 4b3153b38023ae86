// Accelerations of one level of a hierarchy: matrices, upward and downward pass. Formulas: hierarchy.h.
// Rows are scaled so that each has about unit length when its bodies are free.
#include <math.h>
#include <string.h>

#include "linalg/hierarchy_private.h"

// ---- own bodies ---------------------------------------------------------------------------------

// The inverse of the symmetric a = (xx, xy, yy, xz, yz, zz) into o; 0 when it has none.
static int invert_inertia(const double *a, double *o) {
  double c0 = a[2] * a[5] - a[4] * a[4], c1 = a[4] * a[3] - a[1] * a[5];
  double c2 = a[1] * a[4] - a[2] * a[3], det = a[0] * c0 + a[1] * c1 + a[3] * c2;
  double trace = a[0] + a[2] + a[5];
  if (!(det > 1e-14 * trace * trace * trace)) return 0;
  o[0] = c0 / det;
  o[1] = c1 / det;
  o[2] = (a[0] * a[5] - a[3] * a[3]) / det;
  o[3] = c2 / det;
  o[4] = (a[1] * a[3] - a[0] * a[4]) / det;
  o[5] = (a[0] * a[2] - a[1] * a[1]) / det;
  return 1;
}

// M^-1 and its lower Cholesky factor (6 x 6 by rows).
static int body_root(const double *mass, double *inverse, double *root) {
  if (!(mass[0] > 0) || !invert_inertia(mass + 3, inverse + 1)) return 0;
  const double *j = inverse + 1;
  inverse[0] = 1 / mass[0];
  memset(root, 0, 36 * sizeof(double));
  for (int i = 0; i < 3; i++) root[7 * i] = sqrt(inverse[0]);
  double l00 = sqrt(j[0]), l10 = j[1] / l00, l20 = j[3] / l00;
  double l11 = sqrt(j[2] - l10 * l10), l21 = (j[4] - l20 * l10) / l11;
  double l22 = sqrt(j[5] - l20 * l20 - l21 * l21);
  root[21] = l00;
  root[27] = l10;
  root[28] = l11;
  root[33] = l20;
  root[34] = l21;
  root[35] = l22;
  return isfinite(l22) && l22 > 0;
}

static void apply_inverse(const double *inverse, const double *f, double *x) {
  const double *j = inverse + 1;
  for (int i = 0; i < 3; i++) x[i] = inverse[0] * f[i];
  x[3] = j[0] * f[3] + j[1] * f[4] + j[3] * f[5];
  x[4] = j[1] * f[3] + j[2] * f[4] + j[4] * f[5];
  x[5] = j[3] * f[3] + j[4] * f[4] + j[5] * f[5];
}

static void inverse_diagonal(const double *inverse, double *diagonal) {
  for (int i = 0; i < 3; i++) diagonal[i] = inverse[0];
  diagonal[3] = inverse[1];
  diagonal[4] = inverse[3];
  diagonal[5] = inverse[6];
}

static int make_bodies(hn_hierarchy *h, hn_tree_level *l) {
  for (int k = 0; k < l->own_count; k++) {
    int body = l->slot_body[k];
    if (!body_root(&h->mass[9 * (body - 1)], &l->own_inverse[7 * k], &l->own_root[36 * k])) {
      l->light_body = body;
      return 0;
    }
  }
  return 1;
}

// ---- rows ---------------------------------------------------------------------------------------

// The rows of L that belong to a slot (6, each `width` apart) and how many columns they have.
static const double *slot_root(const hn_hierarchy *h, const hn_tree_level *l, int group, int slot,
                               int *width, int *columns) {
  if (group < l->own_count) {
    *width = *columns = 6;
    return &l->own_root[36 * group];
  }
  const hn_tree_level *child = &h->levels[l->child[group - l->own_count]];
  *width = 6 * child->border_count;
  *columns = child->border.rank;
  return &child->border.root[6 * (slot - l->group_slot[group]) * *width];
}

static void slot_diagonal(const hn_hierarchy *h, const hn_tree_level *l, int group, int slot,
                          double *diagonal) {
  if (group < l->own_count) {
    inverse_diagonal(&l->own_inverse[7 * group], diagonal);
    return;
  }
  const hn_tree_level *child = &h->levels[l->child[group - l->own_count]];
  int n = 6 * child->border_count;
  const double *root = &child->border.root[6 * (slot - l->group_slot[group]) * n];
  for (int i = 0; i < 6; i++) {
    diagonal[i] = 0;
    for (int k = 0; k < child->border.rank; k++) diagonal[i] += root[i * n + k] * root[i * n + k];
  }
}

// A' = G L, row by row, scaled.
static void make_rows(const hn_hierarchy *h, hn_tree_level *l) {
  double *values = hn_gram_values(l->a);
  for (int r = 0; r < l->row_count; r++) {
    int first = hn_gram_segment(l->a, l->segment_start[r]);
    int last = hn_gram_segment(l->a, l->segment_start[r + 1]);
    double square = 0;
    for (int i = first; i < last; i++) values[i] = 0;
    for (int k = l->block_start[r]; k < l->block_start[r + 1]; k++) {
      const double *g = &h->blocks[6 * l->block_at[k]];
      int group = l->segment_group[l->block_segment[k]], width, columns;
      const double *root = slot_root(h, l, group, l->block_slot[k], &width, &columns);
      double *segment = &values[hn_gram_segment(l->a, l->block_segment[k])], diagonal[6];
      slot_diagonal(h, l, group, l->block_slot[k], diagonal);
      for (int i = 0; i < 6; i++) {
        if (g[i] == 0) continue;
        square += g[i] * g[i] * diagonal[i];
        for (int j = 0; j < columns; j++) segment[j] += g[i] * root[i * width + j];
      }
    }
    l->scale[r] = square > 0 ? 1 / sqrt(square) : 0;
    for (int i = first; i < last; i++) values[i] *= l->scale[r];
  }
}

static void factor_rows(const hn_hierarchy *h, hn_tree_level *l) {
  int left_out = 0;
  for (int r = 0; r < l->row_count; r++) {
    l->kept[r] = !h->left_out[l->row[r]];
    left_out += !l->kept[r];
  }
  if (h->rows_held == HN_HIERARCHY_KEPT) {
    hn_gram_factor(l->a, l->kept, 1e-2 * HN_RANK_ROUNDING, 0, NULL);
    l->near_count = hn_gram_small(l->a, HN_RANK_NEAR);
    return;
  }
  l->dependent_count = l->row_count - hn_gram_factor(l->a, NULL, HN_RANK_ROUNDING, 0, l->dependent);
  l->near_count = hn_gram_small(l->a, HN_RANK_NEAR);
  if (h->rows_held != HN_HIERARCHY_CHOOSE || l->dependent_count >= left_out) return;
  for (int r = 0; r < l->row_count; r++) h->left_out[l->row[r]] = l->dependent[r];
}

// ---- the border ---------------------------------------------------------------------------------

// -G D P' in scaled rows and K: one column for each number of the border.
static void make_border_columns(const hn_hierarchy *h, hn_tree_level *l) {
  const double *values = hn_gram_values(l->a);
  int m = l->row_count;
  for (int b = 0; b < l->border_count; b++) {
    int width, columns, group = l->border_group[b];
    const double *root = slot_root(h, l, group, l->border_slot[b], &width, &columns);
    for (int i = 0; i < 6; i++) {
      double *column = &l->bk[(6 * b + i) * m];
      for (int r = 0; r < m; r++) {
        double sum = 0;
        for (int s = l->segment_start[r]; s < l->segment_start[r + 1]; s++) {
          if (l->segment_group[s] != group) continue;
          const double *segment = &values[hn_gram_segment(l->a, s)];
          for (int j = 0; j < columns; j++) sum -= segment[j] * root[i * width + j];
        }
        column[r] = sum;
      }
      double *k = &l->k[(6 * b + i) * m];
      memcpy(k, column, (size_t)m * sizeof(double));
      hn_gram_solve(l->a, k);
    }
  }
}

// The product of two rows of L: an entry of D before the rows of this level act.
static double free_entry(const hn_hierarchy *h, const hn_tree_level *l, int i, int j) {
  int a = i / 6, b = j / 6, width, columns;
  if (l->border_group[a] != l->border_group[b]) return 0;
  const double *x = slot_root(h, l, l->border_group[a], l->border_slot[a], &width, &columns);
  const double *y = slot_root(h, l, l->border_group[b], l->border_slot[b], &width, &columns);
  double sum = 0;
  for (int k = 0; k < columns; k++) sum += x[(i % 6) * width + k] * y[(j % 6) * width + k];
  return sum;
}

static void make_d(const hn_hierarchy *h, hn_tree_level *l) {
  int n = 6 * l->border_count, m = l->row_count;
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      double own = free_entry(h, l, i, j), there = 0, back = 0;
      for (int r = 0; r < m; r++) {
        there += l->bk[i * m + r] * l->k[j * m + r];
        back += l->bk[j * m + r] * l->k[i * m + r];
      }
      if (i == j) l->border.free_floor[i] = HN_ROOT_TOLERANCE * own;
      l->border.d[i * n + j] = l->border.d[j * n + i] = own - 0.5 * (there + back);
    }
  double *copy = l->sweep.work + 6 * l->slot_count;
  memcpy(copy, l->border.d, (size_t)n * (size_t)n * sizeof(double));
  l->border.rank = hn_semidefinite_root(copy, n, l->border.free_floor, l->border.root, n,
                                        l->border.order, l->border.rest);
}

// An opaque subsystem contributes only its root.
static void factor_sealed(const hn_hierarchy *h, hn_tree_level *l) {
  const hn_sealed_subsystem *s = &l->sealed;
  l->status = s->factor(s->context, (int)h->rows_held, l->border.root, 6 * l->border_count,
                        &l->border.rank);
}

void hn_level_factor(hn_hierarchy *h, hn_tree_level *l) {
  if (l->sealed.context) {
    factor_sealed(h, l);
    return;
  }
  if (!make_bodies(h, l)) {
    l->status = HN_ERROR_SINGULAR;
    return;
  }
  make_rows(h, l);
  factor_rows(h, l);
  make_border_columns(h, l);
  make_d(h, l);
}

// ---- passes -------------------------------------------------------------------------------------

static double row_product(const hn_hierarchy *h, const hn_tree_level *l, int r,
                          const double *slots) {
  double sum = 0;
  for (int k = l->block_start[r]; k < l->block_start[r + 1]; k++) {
    const double *g = &h->blocks[6 * l->block_at[k]], *x = &slots[6 * l->block_slot[k]];
    for (int i = 0; i < 6; i++) sum += g[i] * x[i];
  }
  return sum;
}

void hn_level_forward(hn_hierarchy *h, hn_tree_level *l) {
  if (l->sealed.context) {
    l->status = l->sealed.forward(l->sealed.context, h->again, l->sweep.r);
    return;
  }
  int m = l->row_count;
  for (int k = 0; k < l->own_count; k++)
    apply_inverse(&l->own_inverse[7 * k], &h->b[6 * (l->slot_body[k] - 1)],
                  &l->sweep.slot_r[6 * k]);
  for (int g = l->own_count; g < l->group_count; g++) {
    const hn_tree_level *child = &h->levels[l->child[g - l->own_count]];
    memcpy(&l->sweep.slot_r[6 * l->group_slot[g]], child->sweep.r,
           6 * (size_t)child->border_count * sizeof(double));
  }
  for (int r = 0; r < m; r++)
    l->sweep.lambda[r] = l->scale[r] * (h->c[l->row[r]] - row_product(h, l, r, l->sweep.slot_r));
  hn_gram_solve(l->a, l->sweep.lambda);
  for (int b = 0; b < 6 * l->border_count; b++) {
    double sum = l->sweep.slot_r[6 * l->border_slot[b / 6] + b % 6];
    for (int r = 0; r < m; r++) sum -= l->bk[b * m + r] * l->sweep.lambda[r];
    l->sweep.r[b] = sum;
  }
}

static void backward_sealed(hn_hierarchy *h, hn_tree_level *l) {
  l->status = l->sealed.backward(l->sealed.context, h->again, l->sweep.tau, l->sweep.slot_x);
  for (int b = 0; b < l->border_count && l->status == HN_OK; b++) {
    double *x = &h->x[6 * (l->border_body[b] - 1)];
    for (int i = 0; i < 6; i++) x[i] = l->sweep.slot_x[6 * b + i];
  }
}

void hn_level_backward(hn_hierarchy *h, hn_tree_level *l) {
  if (l->sealed.context) {
    backward_sealed(h, l);
    return;
  }
  int m = l->row_count;
  for (int b = 0; b < 6 * l->border_count; b++)
    for (int r = 0; r < m; r++) l->sweep.lambda[r] += l->k[b * m + r] * l->sweep.tau[b];
  memset(l->sweep.slot_tau, 0, 6 * (size_t)l->slot_count * sizeof(double));
  for (int b = 0; b < 6 * l->border_count; b++)
    l->sweep.slot_tau[6 * l->border_slot[b / 6] + b % 6] = l->sweep.tau[b];
  for (int r = 0; r < m; r++) {
    double force = l->scale[r] * l->sweep.lambda[r], *y = &h->y[l->row[r]];
    *y = (h->add ? *y : 0) - force;
    for (int k = l->block_start[r]; k < l->block_start[r + 1]; k++) {
      const double *g = &h->blocks[6 * l->block_at[k]];
      double *tau = &l->sweep.slot_tau[6 * l->block_slot[k]];
      for (int i = 0; i < 6; i++) tau[i] += force * g[i];
    }
  }
  for (int k = 0; k < l->own_count; k++) {
    int body = l->slot_body[k] - 1;
    double sum[6], out[6], *x = &h->x[6 * body];
    for (int i = 0; i < 6; i++) sum[i] = h->b[6 * body + i] + l->sweep.slot_tau[6 * k + i];
    apply_inverse(&l->own_inverse[7 * k], sum, out);
    for (int i = 0; i < 6; i++) x[i] = (h->add ? x[i] : 0) + out[i];
  }
  for (int g = l->own_count; g < l->group_count; g++) {
    hn_tree_level *child = &h->levels[l->child[g - l->own_count]];
    memcpy(child->sweep.tau, &l->sweep.slot_tau[6 * l->group_slot[g]],
           6 * (size_t)child->border_count * sizeof(double));
  }
}
