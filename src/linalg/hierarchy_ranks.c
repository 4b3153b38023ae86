// Subtrees of a hierarchy on several processes. Every process holds the whole state and runs the same
// integration; of the subsystems directly below the whole, with all inside them, each belongs to one
// process. Upward their borders, downward their solutions go to all the others. Everybody computes the
// highest level alone, so every process has the same bits, and they are those of a single one.
//
// What is exchanged is packed as numbers, one stretch a process: first its status, then, subtree by
// subtree, what the kind of pass makes.
#include <string.h>

#include "linalg/hierarchy_private.h"

// ---- who owns what ------------------------------------------------------------------------------

static int subtree_of(const hn_hierarchy *h, int node) {
  while (h->levels[node].depth > 1) node = h->levels[node].parent;
  return node;
}

// Subtrees in their order, each to the process that has the first of its bodies.
static void share_levels(hn_hierarchy *h) {
  int size = h->ranks->size, all = 0, before = 0;
  for (int k = 1; k < h->nodes; k++) all += h->levels[k].own_count + h->levels[k].row_count;
  for (int k = 1; k < h->nodes; k++) {
    if (h->levels[k].depth != 1) continue;
    int weight = 0;
    for (int j = k; j < h->nodes; j++)
      if (subtree_of(h, j) == k) weight += h->levels[j].own_count + h->levels[j].row_count;
    int owner = all > 0 ? (int)((double)before / all * size) : 0;
    h->levels[k].owner = owner < size ? owner : size - 1;
    before += weight;
  }
  // what is sealed keeps numbers of its own, which every process needs
  for (int k = 1; k < h->nodes; k++)
    if (h->levels[k].sealed.context) h->levels[subtree_of(h, k)].owner = -1;
  for (int k = 1; k < h->nodes; k++) h->levels[k].owner = h->levels[subtree_of(h, k)].owner;
  h->levels[0].owner = -1; // everybody's
}

// ---- packing ------------------------------------------------------------------------------------

// Moves numbers between a level and the buffer; count alone when buffer is null.
typedef struct packer {
  double *buffer;
  int at;
  int is_out; // into the buffer
} packer;

static void move(packer *p, double *values, int count) {
  size_t size = (size_t)count * sizeof(double);
  if (p->buffer && p->is_out) memcpy(&p->buffer[p->at], values, size);
  if (p->buffer && !p->is_out) memcpy(values, &p->buffer[p->at], size);
  p->at += count;
}

static void move_count(packer *p, int *value) {
  double number = *value;
  move(p, &number, 1);
  if (p->buffer && !p->is_out) *value = (int)number;
}

static void move_flags(packer *p, hn_hierarchy *h, const hn_tree_level *l) {
  for (int r = 0; r < l->row_count; r++) {
    double flag = h->left_out ? h->left_out[l->row[r]] : 0;
    move(p, &flag, 1);
    if (p->buffer && !p->is_out && h->left_out) h->left_out[l->row[r]] = flag != 0;
  }
}

// Places in vectors that are not there yet when sizes are counted.
static double *place(double *vector, int index) { return vector ? vector + index : NULL; }

static void move_solution(packer *p, hn_hierarchy *h, const hn_tree_level *l) {
  for (int k = 0; k < l->own_count; k++) move(p, place(h->x, 6 * (l->slot_body[k] - 1)), 6);
  for (int r = 0; r < l->row_count; r++) move(p, place(h->y, l->row[r]), 1);
}

static void move_increments(packer *p, hn_hierarchy *h, const hn_tree_level *l) {
  for (int k = 0; k < l->own_count; k++) move(p, place(h->dx, 6 * (l->slot_body[k] - 1)), 6);
}

static void move_level(packer *p, hn_hierarchy *h, hn_tree_level *l, hn_rank_pass pass) {
  int n = 6 * l->border_count, is_border = l->depth == 1;
  switch (pass) {
  case HN_RANK_FACTOR:
    if (is_border) move(p, l->border.root, n * n);
    if (is_border) move_count(p, &l->border.rank);
    move_count(p, &l->dependent_count);
    move_count(p, &l->near_count);
    move_flags(p, h, l);
    break;
  case HN_RANK_FORWARD:
    if (is_border) move(p, l->sweep.r, n);
    break;
  case HN_RANK_BACKWARD: move_solution(p, h, l); break;
  case HN_RANK_STABILIZE_FACTOR:
    if (is_border) move(p, l->stabilize.u, n * n);
    break;
  case HN_RANK_STABILIZE_FORWARD:
    if (is_border) move(p, l->stabilize.c, n);
    break;
  case HN_RANK_STABILIZE_BACKWARD: move_increments(p, h, l); break;
  case HN_RANK_PASSES: break;
  }
}

// The stretch of one process: *count of numbers when buffer is null.
static int move_stretch(hn_hierarchy *h, int rank, hn_rank_pass pass, double *buffer, int is_out,
                        hn_status *status) {
  packer p = {.buffer = buffer, .is_out = is_out};
  double number = status ? (double)*status : 0;
  move(&p, &number, 1);
  if (buffer && !is_out && status) *status = (hn_status)number;
  for (int k = 1; k < h->nodes; k++)
    if (h->levels[k].owner == rank) move_level(&p, h, &h->levels[k], pass);
  return p.at;
}

// ---- set-up and exchange ------------------------------------------------------------------------

hn_status hn_hierarchy_make_ranks(hn_arena *arena, hn_hierarchy *h) {
  if (!h->ranks || h->ranks->size < 2) {
    h->ranks = NULL;
    return HN_OK;
  }
  int size = h->ranks->size, most = 0;
  share_levels(h);
  for (int pass = 0; pass < HN_RANK_PASSES; pass++) {
    int *start = h->rank_start[pass] = HN_TAKE(arena, int, size + 1);
    if (!start) return HN_ERROR_MEMORY;
    for (int r = 0; r < size; r++)
      start[r + 1] = start[r] + move_stretch(h, r, (hn_rank_pass)pass, NULL, 1, NULL);
    if (start[size] > most) most = start[size];
  }
  h->rank_buffer = HN_KEEP(arena, double, most);
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

int hn_hierarchy_is_mine(const hn_hierarchy *h, const hn_tree_level *level) {
  return !h->ranks || level->owner < 0 || level->owner == h->ranks->rank;
}

hn_status hn_hierarchy_exchange(hn_hierarchy *h, hn_rank_pass pass, hn_status own) {
  if (!h->ranks) return own;
  const int *start = h->rank_start[pass];
  int me = h->ranks->rank;
  move_stretch(h, me, pass, &h->rank_buffer[start[me]], 1, &own);
  hn_status status = h->ranks->gather(h->ranks->context, h->rank_buffer, start);
  if (status != HN_OK) return status;
  for (int r = 0; r < h->ranks->size; r++) {
    hn_status theirs = HN_OK;
    if (r == me)
      theirs = own;
    else
      move_stretch(h, r, pass, &h->rank_buffer[start[r]], 0, &theirs);
    if (status == HN_OK) status = theirs;
  }
  return status;
}
