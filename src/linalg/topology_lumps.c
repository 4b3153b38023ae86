// Lays out accumulation buffers. A subtree is coupled to few nodes above it: their blocks and right
// sides are found by marking them in a pass over its nodes.
#include "linalg/topology_lumps.h"

#include <limits.h>

// Calls for every pair (i <= j) of neighbors above the subtree of node k.
#define FOR_PAIRS_ABOVE(t, k, i, j)                                                                \
  for (int i = (t)->neighbor_start[k]; i < (t)->neighbor_start[(k) + 1]; i++)                      \
    for (int j = i; (t)->limb[(t)->neighbor[i]] < 0 && j < (t)->neighbor_start[(k) + 1]; j++)

static int block_numbers(const hn_topology *t, int place, int other) {
  return t->size[place] * t->pad[other];
}

// One pass counts, a second one writes. mark: last subtree, from 1, that met a block, by its first
// number.
static int list_lumps(hn_topology *t, int *mark, int is_writing) {
  int count = 0;
  long at = t->values;
  for (int l = 0; l < t->limbs; l++) {
    if (is_writing) t->lump_start[l] = count;
    for (int n = t->limb_start[l]; n < t->limb_start[l + 1]; n++) {
      int k = t->limb_node[n];
      FOR_PAIRS_ABOVE(t, k, i, j) {
        int place = t->neighbor[i], other = t->neighbor[j];
        int block = hn_topology_block(t, place, other), stamp = 2 * (l + 1) + is_writing;
        if (mark[block] == stamp) continue;
        mark[block] = stamp;
        if (is_writing) {
          t->lump_from[count] = (int)at;
          t->lump_to[count] = block;
          t->lump_size[count] = block_numbers(t, place, other);
        }
        at += block_numbers(t, place, other);
        count++;
      }
    }
  }
  if (!is_writing) return at > INT_MAX / 2 ? -1 : count;
  t->lump_start[t->limbs] = count;
  t->values = (int)at;
  return count;
}

// The same for right sides; y_at: places of nodes in y.
static int list_spares(hn_topology *t, const int *y_at, int *mark, int is_writing) {
  int count = 0, at = y_at[t->nodes];
  for (int l = 0; l < t->limbs; l++) {
    if (is_writing) t->spare_start[l] = count;
    for (int n = t->limb_start[l]; n < t->limb_start[l + 1]; n++) {
      int k = t->limb_node[n];
      for (int e = t->neighbor_start[k]; e < t->neighbor_start[k + 1]; e++) {
        int place = t->neighbor[e], stamp = 2 * (l + 1) + is_writing;
        if (t->limb[place] >= 0 || mark[place] == stamp) continue;
        mark[place] = stamp;
        if (is_writing) {
          t->spare_from[count] = at;
          t->spare_to[count] = y_at[place];
          t->spare_pad[count] = t->pad[place];
        }
        at += t->pad[place];
        count++;
      }
    }
  }
  t->spare = at - y_at[t->nodes];
  if (is_writing) t->spare_start[t->limbs] = count;
  return count;
}

static int spare_of(const hn_topology *t, int limb, int y) {
  int s = t->spare_start[limb];
  while (t->spare_to[s] != y) s++;
  return t->spare_from[s];
}

static hn_status make_spares(hn_arena *arena, hn_arena *scratch, hn_topology *t) {
  int *y_at = HN_TAKE(scratch, int, t->nodes + 1), *mark = HN_TAKE(scratch, int, t->nodes + 1);
  t->push_at = HN_TAKE(arena, int, t->neighbor_start[t->nodes]);
  t->spare_start = HN_TAKE(arena, int, t->limbs + 1);
  if (arena->failed || scratch->failed) return HN_ERROR_MEMORY;
  for (int k = 0; k < t->nodes; k++) y_at[k + 1] = y_at[k] + t->pad[k];
  t->spares = list_spares(t, y_at, mark, 0);
  t->spare_from = HN_TAKE(arena, int, t->spares);
  t->spare_to = HN_TAKE(arena, int, t->spares);
  t->spare_pad = HN_TAKE(arena, int, t->spares);
  if (arena->failed) return HN_ERROR_MEMORY;
  list_spares(t, y_at, mark, 1);
  for (int k = 0; k < t->nodes; k++)
    for (int e = t->neighbor_start[k]; e < t->neighbor_start[k + 1]; e++) {
      int place = t->neighbor[e], is_above = t->limb[k] >= 0 && t->limb[place] < 0;
      t->push_at[e] = is_above ? spare_of(t, t->limb[k], y_at[place]) : y_at[place];
    }
  return HN_OK;
}

static hn_status make_lumps(hn_arena *arena, hn_arena *scratch, hn_topology *t) {
  t->lump_start = HN_TAKE(arena, int, t->limbs + 1);
  if (t->limbs == 0) return arena->failed ? HN_ERROR_MEMORY : HN_OK;
  int *mark = HN_TAKE(scratch, int, t->values);
  if (arena->failed || scratch->failed) return HN_ERROR_MEMORY;
  t->lumps = list_lumps(t, mark, 0);
  if (t->lumps < 0) return HN_ERROR_LIMIT;
  t->lump_from = HN_TAKE(arena, int, t->lumps);
  t->lump_to = HN_TAKE(arena, int, t->lumps);
  t->lump_size = HN_TAKE(arena, int, t->lumps);
  if (arena->failed) return HN_ERROR_MEMORY;
  list_lumps(t, mark, 1);
  return HN_OK;
}

hn_status hn_topology_add_lumps(hn_arena *arena, hn_topology *t) {
  hn_arena scratch;
  hn_arena_init(&scratch, &arena->allocator);
  hn_status status = make_lumps(arena, &scratch, t);
  if (status == HN_OK) status = make_spares(arena, &scratch, t);
  hn_arena_release(&scratch);
  return status;
}

int hn_topology_block_of(const hn_topology *t, int limb, int place, int other) {
  int block = hn_topology_block(t, place, other);
  if (limb < 0 || t->limb[place] >= 0) return block;
  int l = t->lump_start[limb];
  while (t->lump_to[l] != block) l++;
  return t->lump_from[l];
}
