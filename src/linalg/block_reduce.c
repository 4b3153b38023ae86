// Assembly of the reduced matrix. For a body with D M D + rho = L D L' (L differs from 1 in the three
// rotations only) and its panels J_i' (6 columns of speeds by rows of node i)
//
//   W_i = L^-1 J_i',  V_i = D^-1 W_i,   B_ij += W_i' V_j      for all pairs of its nodes
//
#include "linalg/block_reduce.h"

#include <string.h>

#include "linalg/block.h"

// ---- set-up -------------------------------------------------------------------------------------

static int is_kept(const unsigned char *kept, int body) { return kept[body]; }

static void list_panels(const hn_system *s, const unsigned char *kept, hn_reduction *r) {
  int *next = r->pair_start; // free until the pairs are counted
  for (int p = 0; p < s->panel_start[s->nodes]; p++)
    if (!is_kept(kept, s->panel_body[p])) r->body_start[s->panel_body[p] + 1]++;
  for (int b = 0; b < s->bodies; b++) {
    r->body_start[b + 1] += r->body_start[b];
    next[b] = r->body_start[b];
  }
  for (int k = 0; k < s->nodes; k++)
    for (int p = s->panel_start[k]; p < s->panel_start[k + 1]; p++) {
      int b = s->panel_body[p];
      if (is_kept(kept, b)) continue;
      r->panel[next[b]] = s->panel_at[p];
      r->node[next[b]++] = k;
    }
}

hn_status hn_reduction_create(hn_arena *arena, const hn_system *s, hn_block_place *place,
                              const void *layout, int stride, hn_reduction *r) {
  int panels = s->panel_start[s->nodes], most = 0, pairs = 0;
  *r = (hn_reduction){.system = s, .stride = stride};
  r->body_start = HN_TAKE(arena, int, s->bodies + 1);
  r->pair_start = HN_TAKE(arena, int, s->bodies + 1);
  r->panel = HN_TAKE(arena, int, panels);
  r->node = HN_TAKE(arena, int, panels);
  r->own = HN_TAKE(arena, int, s->nodes);
  r->inverse = HN_TAKE(arena, double, 9 * s->bodies);
  r->t = HN_TAKE(arena, double, s->x_size);
  unsigned char *kept = HN_TAKE(arena, unsigned char, s->bodies);
  if (arena->failed) return HN_ERROR_MEMORY;
  for (int k = 0; k < s->nodes; k++)
    if (s->kept_body[k] >= 0) kept[s->kept_body[k]] = 1;
  list_panels(s, kept, r);
  for (int k = 0; k < s->nodes; k++) r->own[k] = place(layout, k, k);
  for (int b = 0; b < s->bodies; b++) {
    int count = r->body_start[b + 1] - r->body_start[b];
    if (count > most) most = count;
    r->pair_start[b] = pairs;
    pairs += count * (count + 1) / 2;
  }
  r->pair_start[s->bodies] = pairs;
  r->target = HN_TAKE(arena, int, pairs);
  r->w = HN_TAKE(arena, double, 36 * most);
  r->v = HN_TAKE(arena, double, 36 * most);
  if (arena->failed) return HN_ERROR_MEMORY;
  for (int b = 0, at = 0; b < s->bodies; b++)
    for (int i = r->body_start[b]; i < r->body_start[b + 1]; i++)
      for (int j = i; j < r->body_start[b + 1]; j++)
        r->target[at++] = place(layout, r->node[i], r->node[j]);
  return HN_OK;
}

// ---- numbers ------------------------------------------------------------------------------------

HN_INLINE void factor_body(const double *m, double *e) {
  const double rho = HN_SYSTEM_RHO;
  for (int i = 0; i < 3; i++) e[i] = 1 / (m[i] + rho);
  const double d0 = m[3] + rho, i0 = 1 / d0, l1 = m[4] * i0, l2 = m[6] * i0;
  const double d1 = m[5] + rho - l1 * m[4], i1 = 1 / d1, u = m[7] - l2 * m[4], l3 = u * i1;
  const double d2 = m[8] + rho - l2 * m[6] - l3 * u;
  e[3] = l1;
  e[4] = l2;
  e[5] = l3;
  e[6] = i0;
  e[7] = i1;
  e[8] = 1 / d2;
}

enum { ROW = 6 }; // length of the rows of W and V

// W and V of one panel: a row for each speed, with the rows of the node in lanes.
HN_INLINE void make_panels(int wide, int size, const double *j, const double *e, double *w,
                           double *v) {
  const int pad = HN_PAD(size);
  hn_lanes row[6], out;
  HN_UNROLL for (int c = 0; c < 6; c++) lanes_gather(wide, size, &row[c], j + c, 6);
  lanes_subtract(wide, pad, &row[4], e[3], &row[3]);
  lanes_subtract(wide, pad, &row[5], e[4], &row[3]);
  lanes_subtract(wide, pad, &row[5], e[5], &row[4]);
  HN_UNROLL for (int c = 0; c < 6; c++) {
    lanes_store(wide, pad, &row[c], w + c * ROW);
    lanes_scale(wide, pad, &out, c < 3 ? e[c] : e[c + 3], &row[c]);
    lanes_store(wide, pad, &out, v + c * ROW);
  }
}

// `lanes` columns of t, from row `first` on, += W' V
HN_INLINE void add_columns(int wide, int lanes, int first, int rows, const double *w,
                           const double *v, double *t, int stride) {
  hn_lanes row[6];
  HN_UNROLL for (int c = 0; c < 6; c++) lanes_load(wide, lanes, &row[c], v + c * ROW);
  t += first * stride;
  for (int a = first; a < rows; a++, t += stride) {
    hn_lanes sum;
    lanes_load(wide, lanes, &sum, t);
    HN_UNROLL for (int c = 0; c < 6; c++) lanes_add(wide, lanes, &sum, w[c * ROW + a], &row[c]);
    lanes_store(wide, lanes, &sum, t);
  }
}

// t (rows x pad) += W' V; of a node's own block only what holds the lower triangle.
HN_INLINE void add_product(int wide, int pad, int is_own, int rows, const double *w,
                           const double *v, double *t, int stride) {
  const int step = stride > 0 ? stride : pad;
  if (pad >= 4) add_columns(wide, 4, 0, rows, w, v, t, step);
  if (pad == 2) add_columns(wide, 2, 0, rows, w, v, t, step);
  if (pad == 6) add_columns(wide, 2, is_own && stride == 0 ? 4 : 0, rows, w, v + 4, t + 4, step);
}

// With rows of blocks `stride` apart, or (0, a constant then) as long as their pad.
HN_INLINE void assemble(int wide, hn_reduction *r, double *values, int stride) {
  const hn_system *s = r->system;
  for (int b = 0; b < s->bodies; b++) {
    double *e = &r->inverse[9 * b];
    const int first = r->body_start[b], last = r->body_start[b + 1];
    const int *target = &r->target[r->pair_start[b]];
    factor_body(&s->m[9 * b], e);
    for (int i = first; i < last; i++) {
      const int at = 36 * (i - first);
      HN_BY_SIZE(wide, s->node_size[r->node[i]], make_panels, &s->j[r->panel[i]], e, r->w + at,
                 r->v + at)
    }
    for (int i = first; i < last; i++) {
      const int node = r->node[i], rows = s->node_size[node];
      const double *w = r->w + 36 * (i - first), *v = r->v + 36 * (i - first);
      HN_BY_PAD(wide, s->node_pad[node], add_product, 1, rows, w, v, values + *target++, stride)
      for (int j = i + 1; j < last; j++) {
        v = r->v + 36 * (j - first);
        HN_BY_PAD(wide, s->node_pad[r->node[j]], add_product, 0, rows, w, v, values + *target++,
                  stride)
      }
    }
  }
}

HN_INLINE void assemble_blocks(int wide, hn_reduction *r, double *values) {
  assemble(wide, r, values, 0);
}

HN_INLINE void assemble_matrix(int wide, hn_reduction *r, double *values) {
  assemble(wide, r, values, r->stride);
}

HN_VARIANTS(assemble_blocks, (hn_reduction * r, double *values), (r, values))
HN_VARIANTS(assemble_matrix, (hn_reduction * r, double *values), (r, values))

void hn_reduction_assemble(hn_reduction *r, double *values) {
  const hn_system *s = r->system;
  if (r->stride > 0) HN_PICK(s->wide, assemble_matrix)(r, values);
  else HN_PICK(s->wide, assemble_blocks)(r, values);
  for (int k = 0; k < s->nodes; k++) {
    if (s->kept_body[k] >= 0) continue;
    const int step = 1 + (r->stride > 0 ? r->stride : s->node_pad[k]);
    for (int a = 0; a < s->node_size[k]; a++)
      values[r->own[k] + a * step] += s->epsilon[s->y_at[k] + a];
  }
}

// (M + rho)^-1 x
HN_INLINE void solve_body(const double *e, const double *x, double *out) {
  const double w3 = x[3], w4 = x[4] - e[3] * w3, w5 = x[5] - e[4] * w3 - e[5] * w4;
  const double z5 = w5 * e[8], z4 = w4 * e[7] - e[5] * z5;
  for (int i = 0; i < 3; i++) out[i] = x[i] * e[i];
  out[3] = w3 * e[6] - e[3] * z4 - e[4] * z5;
  out[4] = z4;
  out[5] = z5;
}

void hn_reduction_begin(hn_reduction *r, double *w) {
  const hn_system *s = r->system;
  for (int b = 0; b < s->bodies; b++) solve_body(&r->inverse[9 * b], &w[6 * b], &r->t[6 * b]);
  for (int k = 0; k < s->nodes; k++) {
    const int body = s->kept_body[k];
    for (int i = 0; body >= 0 && i < 6; i++) r->t[6 * body + i] = 0;
  }
  hn_system_reduce(s, r->t, w + s->x_size);
}

void hn_reduction_end(hn_reduction *r, double *w) {
  const hn_system *s = r->system;
  hn_system_subtract(s, w + s->x_size, w);
  for (int b = 0; b < s->bodies; b++) {
    double x[6];
    memcpy(x, &w[6 * b], sizeof x);
    solve_body(&r->inverse[9 * b], x, &w[6 * b]);
  }
}
