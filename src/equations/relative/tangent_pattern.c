// Patterns of the relative tangent: nodes on one path are coupled by inertia, nodes that an element sees
// by the element.
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
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

// Which nodes meet, by rows: first counted, then listed, then sorted and each pair once.
typedef struct cell {
  int column;
  int mark;
} cell;

typedef struct grid {
  const hn_tree *tree;
  size_t *start; // (nodes + 1)
  cell *cells;   // null while they are counted
  int *list;     // nodes of an element (2 nodes)
  int count;
} grid;

static void put(grid *g, int row, int column, int mark) {
  if (g->cells) g->cells[g->start[row]] = (cell){column, mark};
  g->start[row]++;
}

static void couple_listed(grid *g, int mark) {
  for (int i = 0; i < g->count; i++)
    for (int j = 0; j < g->count; j++) put(g, g->list[i], g->list[j], mark);
  g->count = 0;
}

static void list_path(grid *g, int body, int top) {
  for (int k = g->tree->body_node[body]; k != top; k = g->tree->nodes[k].parent)
    g->list[g->count++] = k;
}

static void put_elements(const hn_relative_tangent *self, grid *g) {
  const hn_relative_set *set = self->set;
  const hn_model *model = set->base.model;
  if (self->base.is_deep) return;
  for (int k = 0; k < g->tree->count; k++)
    for (int up = k; up >= 0; up = g->tree->nodes[up].parent) {
      put(g, k, up, IN_MASS | IN_DAMPING | IN_STIFFNESS);
      if (up != k) put(g, up, k, IN_MASS | IN_DAMPING | IN_STIFFNESS);
    }
  for (int f = 0; f < model->force_count; f++) {
    int body[2];
    hn_model_force_bodies(model, f, body);
    int top = hn_relative_top(g->tree, body[0], body[1], hn_force_is_relative(&model->forces[f]));
    for (int k = 0; k < 2; k++) list_path(g, body[k], top);
    couple_listed(g, IN_DAMPING | IN_STIFFNESS);
  }
  for (int c = 0; c < set->cut_count; c++) {
    for (int k = set->walks.start[c]; k < set->walks.start[c + 1]; k++)
      g->list[g->count++] = set->walks.steps[k].node;
    couple_listed(g, IN_STIFFNESS);
  }
}

static int compare_cells(const void *left, const void *right) {
  const cell *a = left, *b = right;
  return a->column < b->column ? -1 : a->column > b->column;
}

// One cell for each pair.
static void merge_rows(grid *g) {
  size_t from = 0, at = 0;
  for (int i = 0; i < g->tree->count; i++) {
    size_t first = at, end = g->start[i];
    qsort(&g->cells[from], end - from, sizeof(cell), compare_cells);
    for (size_t k = from; k < end; k++) {
      if (at > first && g->cells[at - 1].column == g->cells[k].column)
        g->cells[at - 1].mark |= g->cells[k].mark;
      else
        g->cells[at++] = g->cells[k];
    }
    from = end;
    g->start[i] = first;
  }
  g->start[g->tree->count] = at;
}

// Deep trees have no grid.
static hn_status make_grid(hn_arena *scratch, const hn_relative_tangent *self, grid *g) {
  int n = g->tree->count;
  g->start = HN_TAKE(scratch, size_t, n + 1);
  g->list = HN_TAKE(scratch, int, 2 * n);
  if (scratch->failed) return HN_ERROR_MEMORY;
  put_elements(self, g);
  size_t sum = 0;
  for (int i = 0; i <= n; i++) {
    size_t count = g->start[i];
    g->start[i] = sum;
    sum += count;
  }
  g->cells = hn_arena_take(scratch, sum, sizeof(cell));
  if (scratch->failed) return HN_ERROR_MEMORY;
  put_elements(self, g);
  merge_rows(g);
  return HN_OK;
}

// A matrix of all pairs with this mark.
static hn_status make_matrix(hn_arena *arena, hn_arena *scratch, const grid *g, int mark,
                             hn_sparse *out) {
  const hn_tree *tree = g->tree;
  int *start = HN_TAKE(scratch, int, tree->nq + 1);
  size_t entries = 0;
  for (int i = 0; i < tree->count; i++)
    for (size_t k = g->start[i]; k < g->start[i + 1]; k++)
      if (g->cells[k].mark & mark)
        entries += (size_t)(tree->nodes[i].q_count * tree->nodes[g->cells[k].column].q_count);
  int *index = HN_TAKE(scratch, int, entries);
  if (scratch->failed) return HN_ERROR_MEMORY;
  int at = 0;
  for (int i = 0; i < tree->count; i++)
    for (int r = 0; r < tree->nodes[i].q_count; r++) {
      start[tree->nodes[i].q + r] = at;
      for (size_t k = g->start[i]; k < g->start[i + 1]; k++) {
        const hn_tree_node *node = &tree->nodes[g->cells[k].column];
        for (int c = 0; g->cells[k].mark & mark && c < node->q_count; c++)
          index[at++] = node->q + c;
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
  self->grid.pairs = HN_TAKE(arena, hn_node_pair, g->start[tree->count]);
  if (!self->grid.pairs) return HN_ERROR_MEMORY;
  for (int i = 0; i < tree->count; i++)
    for (size_t k = g->start[i]; k < g->start[i + 1]; k++) {
      int j = g->cells[k].column, mark = g->cells[k].mark;
      const hn_tree_node *a = &tree->nodes[i], *b = &tree->nodes[j];
      if (a->q_count == 0 || b->q_count == 0) continue;
      hn_node_pair *pair = &self->grid.pairs[self->grid.pair_count++];
      *pair = (hn_node_pair){.row = i, .column = j, .damping = {-1, 0}, .mass = {-1, 0}};
      pair->stiffness = hn_sparse_find_block(&base->stiffness, a->q, b->q, a->q_count, b->q_count);
      if (mark & IN_DAMPING)
        pair->damping = hn_sparse_find_block(&base->damping, a->q, b->q, a->q_count, b->q_count);
      if (mark & IN_MASS)
        pair->mass = hn_sparse_find_block(&base->mass, a->q, b->q, a->q_count, b->q_count);
    }
  return HN_OK;
}

// ---- in speeds ----------------------------------------------------------------------------------

// Rows of one node have one pattern. Of deep trees the diagonal alone, for forces on coordinates.
static hn_status make_entries(hn_arena *arena, hn_relative_tangent *self) {
  const hn_tree_node *nodes = self->set->tree->nodes;
  int entries = self->base.is_deep ? self->nu : 0;
  self->grid.start = HN_TAKE(arena, int, self->nu + 1);
  for (int p = 0; p < self->grid.pair_count; p++)
    entries += nodes[self->grid.pairs[p].row].u_count * nodes[self->grid.pairs[p].column].u_count;
  self->grid.column = HN_TAKE(arena, int, entries);
  self->m_u = HN_KEEP(arena, double, entries);
  self->k_u = HN_KEEP(arena, double, entries);
  self->c_u = HN_KEEP(arena, double, entries);
  if (arena->failed) return HN_ERROR_MEMORY;
  int at = 0;
  for (; at < entries && self->base.is_deep; at++)
    self->grid.start[at] = self->grid.column[at] = at;
  for (int first = 0, last; first < self->grid.pair_count; first = last) {
    const hn_tree_node *a = &nodes[self->grid.pairs[first].row];
    int begin = at;
    for (last = first; last < self->grid.pair_count && &nodes[self->grid.pairs[last].row] == a;
         last++) {
      const hn_tree_node *b = &nodes[self->grid.pairs[last].column];
      self->grid.pairs[last].speeds.at = at;
      for (int j = 0; j < b->u_count; j++) self->grid.column[at++] = b->u + j;
    }
    int stride = at - begin;
    for (int p = first; p < last; p++) self->grid.pairs[p].speeds.stride = stride;
    for (int i = 0; i < a->u_count; i++) self->grid.start[a->u + i] = begin + i * stride;
    for (int i = 1; i < a->u_count; i++, at += stride)
      memcpy(&self->grid.column[at], &self->grid.column[begin], (size_t)stride * sizeof(int));
  }
  self->grid.start[self->nu] = at;
  return HN_OK;
}

int hn_relative_place(const hn_relative_tangent *self, int i, int j) {
  return hn_first_from(self->grid.column, self->grid.start[i], self->grid.start[i + 1], j);
}

static hn_sparse_place find_pair(const hn_relative_tangent *self, const int *row_pairs, int row,
                                 int column) {
  int low = row_pairs[row], high = row_pairs[row + 1];
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (self->grid.pairs[middle].column < column)
      low = middle + 1;
    else
      high = middle;
  }
  return self->grid.pairs[low].speeds;
}

static hn_status make_paths(hn_arena *arena, hn_arena *scratch, hn_relative_tangent *self) {
  const hn_tree *tree = self->set->tree;
  int *row_pairs = HN_TAKE(scratch, int, tree->count + 1), count = 0;
  self->grid.path_start = HN_TAKE(arena, int, tree->count + 1);
  if (arena->failed || scratch->failed) return HN_ERROR_MEMORY;
  for (int p = 0; p < self->grid.pair_count; p++) row_pairs[self->grid.pairs[p].row + 1]++;
  for (int k = 0; k < tree->count; k++) row_pairs[k + 1] += row_pairs[k];
  if (self->base.is_deep) return HN_OK;
  for (int k = 0; k < tree->count; k++) {
    for (int up = k; up >= 0 && tree->nodes[k].u_count > 0; up = tree->nodes[up].parent)
      count += tree->nodes[up].u_count > 0;
    self->grid.path_start[k + 1] = count;
  }
  self->grid.path = HN_TAKE(arena, hn_path_step, count);
  if (arena->failed) return HN_ERROR_MEMORY;
  hn_path_step *step = self->grid.path;
  for (int k = 0; k < tree->count; k++)
    for (int up = k; up >= 0 && tree->nodes[k].u_count > 0; up = tree->nodes[up].parent)
      if (tree->nodes[up].u_count > 0)
        *step++ = (hn_path_step){up, find_pair(self, row_pairs, up, k),
                                 find_pair(self, row_pairs, k, up)};
  return HN_OK;
}

hn_status hn_relative_tangent_pattern(hn_arena *arena, hn_relative_tangent *self) {
  const hn_tree *tree = self->set->tree;
  hn_tangent *base = &self->base;
  hn_arena scratch;
  hn_arena_init(&scratch, &arena->allocator);
  grid g = {.tree = tree};
  hn_status status = make_grid(&scratch, self, &g);
  if (status == HN_OK) status = make_matrix(arena, &scratch, &g, IN_STIFFNESS, &base->stiffness);
  if (status == HN_OK) status = make_matrix(arena, &scratch, &g, IN_DAMPING, &base->damping);
  if (status == HN_OK) status = make_matrix(arena, &scratch, &g, IN_MASS, &base->mass);
  if (status == HN_OK) status = make_rows(arena, &scratch, self);
  if (status == HN_OK) status = make_pairs(arena, &g, self);
  if (status == HN_OK) status = make_entries(arena, self);
  if (status == HN_OK) status = make_paths(arena, &scratch, self);
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
