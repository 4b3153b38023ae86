// Patterns of the relative tangent: nodes on one path are coupled by inertia, nodes that an element sees
// by the element.
#include <string.h>

#include "equations/relative/tangent.h"

int hn_relative_top(const hn_tree *tree, int body1, int body2, int is_relative) {
  if (!is_relative) return -1;
  int a = tree->body_node[body1], b = tree->body_node[body2];
  while (a != b) {
    if (a > b)
      a = tree->nodes[a].parent;
    else
      b = tree->nodes[b].parent;
  }
  return a;
}

enum { IN_MASS = 1, IN_DAMPING = 2, IN_STIFFNESS = 4 };

typedef struct grid {
  const hn_tree *tree;
  unsigned char *cell; // (nodes x nodes)
  unsigned char *mark; // (nodes)
} grid;

static void couple_marked(grid *g, unsigned char where) {
  int n = g->tree->count;
  for (int i = 0; i < n; i++)
    for (int j = 0; g->mark[i] && j < n; j++)
      if (g->mark[j]) g->cell[(size_t)i * (size_t)n + (size_t)j] |= where;
  memset(g->mark, 0, (size_t)n);
}

static void mark_path(grid *g, int body, int top) {
  for (int k = g->tree->body_node[body]; k != top; k = g->tree->nodes[k].parent) g->mark[k] = 1;
}

static void mark_elements(const hn_relative_tangent *self, grid *g) {
  const hn_relative_set *set = self->set;
  const hn_model *model = set->base.model;
  for (int k = 0; k < g->tree->count; k++) {
    size_t n = (size_t)g->tree->count, at = (size_t)k;
    for (int up = k; up >= 0; up = g->tree->nodes[up].parent)
      g->cell[at * n + (size_t)up] = g->cell[(size_t)up * n + at] =
          IN_MASS | IN_DAMPING | IN_STIFFNESS;
  }
  for (int f = 0; f < model->force_count; f++) {
    int body[2];
    hn_model_force_bodies(model, f, body);
    int top = hn_relative_top(g->tree, body[0], body[1], hn_force_is_relative(&model->forces[f]));
    for (int k = 0; k < 2; k++) mark_path(g, body[k], top);
    couple_marked(g, IN_DAMPING | IN_STIFFNESS);
  }
  for (int c = 0; c < set->cut_count; c++) {
    for (int k = set->walks.start[c]; k < set->walks.start[c + 1]; k++)
      g->mark[set->walks.steps[k].node] = 1;
    couple_marked(g, IN_STIFFNESS);
  }
}

// A matrix of all pairs with this mark.
static hn_status make_matrix(hn_arena *arena, hn_arena *scratch, const grid *g, unsigned char mark,
                             hn_sparse *out) {
  const hn_tree *tree = g->tree;
  int *start = HN_TAKE(scratch, int, tree->nq + 1);
  size_t entries = 0, n = (size_t)tree->count;
  for (int i = 0; i < tree->count; i++)
    for (int j = 0; j < tree->count; j++)
      if (g->cell[(size_t)i * n + (size_t)j] & mark)
        entries += (size_t)(tree->nodes[i].q_count * tree->nodes[j].q_count);
  int *index = HN_TAKE(scratch, int, entries);
  if (scratch->failed) return HN_ERROR_MEMORY;
  int at = 0;
  for (int i = 0; i < tree->count; i++)
    for (int r = 0; r < tree->nodes[i].q_count; r++) {
      start[tree->nodes[i].q + r] = at;
      for (int j = 0; j < tree->count; j++) {
        if (!(g->cell[(size_t)i * n + (size_t)j] & mark)) continue;
        for (int c = 0; c < tree->nodes[j].q_count; c++) index[at++] = tree->nodes[j].q + c;
      }
    }
  start[tree->nq] = at;
  return hn_sparse_create(arena, tree->nq, tree->nq, start, index, out);
}

// Rows of the elements (those of tree joints empty), then normalizations.
static hn_status make_rows(hn_arena *arena, hn_arena *scratch, hn_relative_tangent *self) {
  const hn_relative_set *set = self->set;
  const hn_tree *tree = set->tree;
  int rows = self->base.rows, elements = set->base.elements->row_count, at = 0;
  size_t entries = 4 * (size_t)tree->quaternions;
  for (int c = 0; c < set->cut_count; c++)
    for (int k = set->walks.start[c]; k < set->walks.start[c + 1]; k++)
      entries += (size_t)tree->nodes[set->walks.steps[k].node].q_count;
  int *start = HN_TAKE(scratch, int, rows + 1), *index = HN_TAKE(scratch, int, entries);
  if (scratch->failed) return HN_ERROR_MEMORY;
  for (int r = 0; r < elements; r++) {
    int c = set->row_cut[r];
    start[r] = at;
    for (int k = c < 0 ? 0 : set->walks.start[c]; c >= 0 && k < set->walks.start[c + 1]; k++) {
      const hn_tree_node *node = &tree->nodes[set->walks.steps[k].node];
      for (int i = 0; i < node->q_count; i++) index[at++] = node->q + i;
    }
  }
  for (int k = 0, r = elements; k < tree->count; k++) {
    const hn_tree_node *node = &tree->nodes[k];
    if (node->q_count == node->u_count) continue;
    start[r++] = at;
    for (int i = 0; i < 4; i++) index[at++] = node->q + node->q_count - 4 + i;
  }
  start[rows] = at;
  hn_status status = hn_sparse_create(arena, rows, tree->nq, start, index, &self->base.phi_q);
  if (status == HN_OK) status = hn_sparse_create_alike(arena, &self->base.phi_q, &self->base.phi_v);
  if (status == HN_OK)
    status = hn_sparse_create_alike(arena, &self->base.phi_q, &self->base.phi_dd);
  return status;
}

static hn_status make_pairs(hn_arena *arena, const grid *g, hn_relative_tangent *self) {
  const hn_tree *tree = g->tree;
  hn_tangent *base = &self->base;
  size_t n = (size_t)tree->count, count = 0;
  for (size_t k = 0; k < n * n; k++) count += g->cell[k] != 0;
  self->pairs = HN_TAKE(arena, hn_node_pair, count);
  if (!self->pairs) return HN_ERROR_MEMORY;
  for (int i = 0; i < tree->count; i++)
    for (int j = 0; j < tree->count; j++) {
      const hn_tree_node *a = &tree->nodes[i], *b = &tree->nodes[j];
      unsigned char mark = g->cell[(size_t)i * n + (size_t)j];
      if (!mark || a->q_count == 0 || b->q_count == 0) continue;
      hn_node_pair *pair = &self->pairs[self->pair_count++];
      *pair = (hn_node_pair){.row = i, .column = j, .damping = {-1, 0}, .mass = {-1, 0}};
      pair->stiffness = hn_sparse_find_block(&base->stiffness, a->q, b->q, a->q_count, b->q_count);
      if (mark & IN_DAMPING)
        pair->damping = hn_sparse_find_block(&base->damping, a->q, b->q, a->q_count, b->q_count);
      if (mark & IN_MASS)
        pair->mass = hn_sparse_find_block(&base->mass, a->q, b->q, a->q_count, b->q_count);
    }
  return HN_OK;
}

// The order of the set in coordinates, each node with its normalization. Empty rows come last.
static hn_status make_order(hn_arena *arena, hn_relative_tangent *self) {
  const hn_relative_set *set = self->set;
  const hn_tree *tree = set->tree;
  int n = tree->nq, rows = self->base.rows, elements = set->base.elements->row_count, at = 0;
  int *order = HN_TAKE(arena, int, n + rows), node = tree->count - 1, normalization = n + rows;
  if (!order) return HN_ERROR_MEMORY;
  for (int k = 0; k < set->base.nu + set->cut_count; k++) {
    int from = set->order[k];
    if (from >= set->base.nu) {
      order[at++] = n + set->cut_row[from - set->base.nu];
      continue;
    }
    while (tree->nodes[node].u > from) node--;
    const hn_tree_node *of = &tree->nodes[node];
    if (from > of->u) continue; // a node goes when its first speed does, the last one in the order
    for (int i = of->q_count - 1; i >= 0; i--) order[at++] = of->q + i;
    if (of->q_count > of->u_count) order[at++] = --normalization;
  }
  for (int r = 0; r < elements; r++)
    if (set->row_cut[r] < 0) order[at++] = n + r;
  self->base.order = order;
  return HN_OK;
}

hn_status hn_relative_tangent_pattern(hn_arena *arena, hn_relative_tangent *self) {
  const hn_tree *tree = self->set->tree;
  hn_tangent *base = &self->base;
  hn_arena scratch;
  hn_arena_init(&scratch, &arena->allocator);
  size_t n = (size_t)tree->count;
  grid g = {.tree = tree};
  g.cell = hn_arena_take(&scratch, n * n, 1);
  g.mark = hn_arena_take(&scratch, n, 1);
  hn_status status = scratch.failed ? HN_ERROR_MEMORY : HN_OK;
  if (status == HN_OK) {
    mark_elements(self, &g);
    status = make_matrix(arena, &scratch, &g, IN_STIFFNESS, &base->stiffness);
  }
  if (status == HN_OK) status = make_matrix(arena, &scratch, &g, IN_DAMPING, &base->damping);
  if (status == HN_OK) status = make_matrix(arena, &scratch, &g, IN_MASS, &base->mass);
  if (status == HN_OK) status = make_rows(arena, &scratch, self);
  if (status == HN_OK) status = make_pairs(arena, &g, self);
  if (status == HN_OK) status = make_order(arena, self);
  if (status == HN_OK) {
    base->mass_in_stiffness = HN_TAKE(arena, int, base->mass.start[base->n]);
    base->damping_in_stiffness = HN_TAKE(arena, int, base->damping.start[base->n]);
    status = arena->failed ? HN_ERROR_MEMORY : HN_OK;
  }
  if (status == HN_OK)
    status = hn_sparse_embed(&base->mass, &base->stiffness, base->mass_in_stiffness);
  if (status == HN_OK)
    status = hn_sparse_embed(&base->damping, &base->stiffness, base->damping_in_stiffness);
  hn_arena_release(&scratch);
  return status;
}
