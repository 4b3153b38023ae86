// Stabilization of one level of a hierarchy (Vlasenko and Kasper 2007, 54-85): increments of bodies
// that bring linearized gaps to zero. With U, c of own bodies (1, 0) and of the levels below,
//
//   H = G U,  b = -g - G c,   z' = (B + P1b) z_b + d,   (B d) = H^+ (-H P1b, b)
//
// z_b: what the level above asks of the border; U <- U (B + P1b), c <- U d + c in the rows of the
// border. Rows are scaled to unit length of G.
#include <math.h>
#include <string.h>

#include "linalg/hierarchy_private.h"

// The rows of U of a slot of a level below (6, each `width` apart).
static const double *slot_u(const hn_hierarchy *h, const hn_tree_level *l, int group, int slot,
                            int *width) {
  const hn_tree_level *child = &h->levels[l->child[group - l->own_count]];
  *width = 6 * child->border_count;
  return &child->stabilize.u[6 * (slot - l->group_slot[group]) * *width];
}

static void make_rows(const hn_hierarchy *h, hn_tree_level *l) {
  double *values = hn_gram_values(l->stabilize.h);
  for (int r = 0; r < l->row_count; r++) {
    int first = hn_gram_segment(l->stabilize.h, l->segment_start[r]);
    int last = hn_gram_segment(l->stabilize.h, l->segment_start[r + 1]);
    double square = 0;
    for (int i = first; i < last; i++) values[i] = 0;
    for (int k = l->block_start[r]; k < l->block_start[r + 1]; k++) {
      const double *g = &h->stabilize_blocks[6 * l->block_at[k]];
      int group = l->segment_group[l->block_segment[k]], width;
      double *segment = &values[hn_gram_segment(l->stabilize.h, l->block_segment[k])];
      for (int i = 0; i < 6; i++) square += g[i] * g[i];
      if (group < l->own_count) {
        for (int i = 0; i < 6; i++) segment[i] += g[i];
        continue;
      }
      const double *u = slot_u(h, l, group, l->block_slot[k], &width);
      for (int i = 0; i < 6; i++)
        for (int j = 0; j < width; j++) segment[j] += g[i] * u[i * width + j];
    }
    l->stabilize.h_scale[r] = square > 0 ? 1 / sqrt(square) : 0;
    for (int i = first; i < last; i++) values[i] *= l->stabilize.h_scale[r];
  }
}

// The entry of H in a row at a number of a slot.
static double entry(const hn_tree_level *l, const double *values, int r, int group, int column) {
  for (int s = l->segment_start[r]; s < l->segment_start[r + 1]; s++)
    if (l->segment_group[s] == group) return values[hn_gram_segment(l->stabilize.h, s) + column];
  return 0;
}

// Numbers z of all slots to increments of one border body (6).
static void border_increment(const hn_hierarchy *h, const hn_tree_level *l, int b, const double *z,
                             double *out) {
  int group = l->border_group[b], slot = l->border_slot[b], width;
  if (group < l->own_count) {
    memcpy(out, &z[6 * slot], 6 * sizeof(double));
    return;
  }
  const double *u = slot_u(h, l, group, slot, &width), *zk = &z[6 * l->group_slot[group]];
  for (int i = 0; i < 6; i++) {
    out[i] = 0;
    for (int j = 0; j < width; j++) out[i] += u[i * width + j] * zk[j];
  }
}

void hn_level_stabilize_factor(hn_hierarchy *h, hn_tree_level *l) {
  if (l->sealed.context) {
    l->status = l->sealed.stabilize_factor(l->sealed.context, h->tolerance, l->stabilize.u);
    return;
  }
  make_rows(h, l);
  hn_gram_factor(l->stabilize.h, NULL, h->tolerance, 1, NULL);
  const double *values = hn_gram_values(l->stabilize.h);
  int n = 6 * l->slot_count, nb = 6 * l->border_count;
  for (int b = 0; b < nb; b++) {
    int slot = l->border_slot[b / 6], group = l->border_group[b / 6];
    int column = 6 * (slot - l->group_slot[group]) + b % 6;
    double *z = &l->stabilize.bz[b * n];
    for (int r = 0; r < l->row_count; r++) l->stabilize.t[r] = -entry(l, values, r, group, column);
    hn_gram_least(l->stabilize.h, l->stabilize.t);
    memset(z, 0, (size_t)n * sizeof(double));
    hn_gram_add_transposed(l->stabilize.h, 1, l->stabilize.t, z);
    z[6 * slot + b % 6] += 1;
    for (int a = 0; a < l->border_count; a++) {
      double out[6];
      border_increment(h, l, a, z, out);
      for (int i = 0; i < 6; i++) l->stabilize.u[(6 * a + i) * nb + b] = out[i];
    }
  }
}

void hn_level_stabilize_forward(hn_hierarchy *h, hn_tree_level *l) {
  if (l->sealed.context) {
    l->status = l->sealed.stabilize_forward(l->sealed.context, l->stabilize.c);
    return;
  }
  memset(l->stabilize.slot_c, 0, 6 * (size_t)l->slot_count * sizeof(double));
  for (int g = l->own_count; g < l->group_count; g++) {
    const hn_tree_level *child = &h->levels[l->child[g - l->own_count]];
    memcpy(&l->stabilize.slot_c[6 * l->group_slot[g]], child->stabilize.c,
           6 * (size_t)child->border_count * sizeof(double));
  }
  for (int r = 0; r < l->row_count; r++) {
    double sum = -h->g[l->row[r]];
    for (int k = l->block_start[r]; k < l->block_start[r + 1]; k++) {
      const double *g = &h->stabilize_blocks[6 * l->block_at[k]];
      const double *c = &l->stabilize.slot_c[6 * l->block_slot[k]];
      for (int i = 0; i < 6; i++) sum -= g[i] * c[i];
    }
    l->stabilize.t[r] = l->stabilize.h_scale[r] * sum;
  }
  hn_gram_least(l->stabilize.h, l->stabilize.t);
  memset(l->stabilize.step, 0, 6 * (size_t)l->slot_count * sizeof(double));
  hn_gram_add_transposed(l->stabilize.h, 1, l->stabilize.t, l->stabilize.step);
  for (int b = 0; b < l->border_count; b++) {
    border_increment(h, l, b, l->stabilize.step, &l->stabilize.c[6 * b]);
    for (int i = 0; i < 6; i++)
      l->stabilize.c[6 * b + i] += l->stabilize.slot_c[6 * l->border_slot[b] + i];
  }
}

void hn_level_stabilize_backward(hn_hierarchy *h, hn_tree_level *l) {
  if (l->sealed.context) {
    l->status = l->sealed.stabilize_backward(l->sealed.context, l->stabilize.z, l->sweep.slot_x);
    for (int b = 0; b < l->border_count && l->status == HN_OK; b++)
      memcpy(&h->dx[6 * (l->border_body[b] - 1)], &l->sweep.slot_x[6 * b], 6 * sizeof(double));
    return;
  }
  int n = 6 * l->slot_count;
  memcpy(l->stabilize.slot_z, l->stabilize.step, (size_t)n * sizeof(double));
  for (int b = 0; b < 6 * l->border_count; b++)
    for (int i = 0; i < n; i++)
      l->stabilize.slot_z[i] += l->stabilize.bz[b * n + i] * l->stabilize.z[b];
  for (int k = 0; k < l->own_count; k++)
    memcpy(&h->dx[6 * (l->slot_body[k] - 1)], &l->stabilize.slot_z[6 * k], 6 * sizeof(double));
  for (int g = l->own_count; g < l->group_count; g++) {
    hn_tree_level *child = &h->levels[l->child[g - l->own_count]];
    memcpy(child->stabilize.z, &l->stabilize.slot_z[6 * l->group_slot[g]],
           6 * (size_t)child->border_count * sizeof(double));
  }
}
