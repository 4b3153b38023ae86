// Setting up the levels of a hierarchy: which bodies, borders, rows and blocks each of them has. See
// hierarchy.h; the numbers are in hierarchy_accelerations.c and hierarchy_stabilization.c.
#include "linalg/hierarchy_private.h"

// ---- the tree -----------------------------------------------------------------------------------

static hn_status make_depths(hn_arena *arena, const hn_hierarchy_problem *p, hn_hierarchy *h) {
  for (int k = 0; k < p->nodes; k++) {
    hn_tree_level *level = &h->levels[k];
    level->node = k;
    level->parent = k > 0 ? p->parent[k] : -1;
    if (k > 0 && (level->parent < 0 || level->parent >= k)) return HN_ERROR_ARGUMENT;
    level->depth = k > 0 ? h->levels[level->parent].depth + 1 : 0;
    if (k > 0) h->levels[level->parent].child_count++;
    if (level->depth >= h->depths) h->depths = level->depth + 1;
  }
  h->depth_start = HN_TAKE(arena, int, h->depths + 1);
  h->by_depth = HN_TAKE(arena, int, p->nodes);
  for (int k = 0; k < p->nodes; k++)
    h->levels[k].child = HN_TAKE(arena, int, h->levels[k].child_count);
  if (arena->failed) return HN_ERROR_MEMORY;
  int count = 0;
  for (int d = 0; d < h->depths; d++) {
    h->depth_start[d] = count;
    for (int k = 0; k < p->nodes; k++)
      if (h->levels[k].depth == d) h->by_depth[count++] = k;
  }
  h->depth_start[h->depths] = count;
  for (int k = 0; k < p->nodes; k++) h->levels[k].child_count = 0;
  for (int k = 1; k < p->nodes; k++) {
    hn_tree_level *parent = &h->levels[h->levels[k].parent];
    parent->child[parent->child_count++] = k;
  }
  return HN_OK;
}

// The depth of the highest row on each body; -1: one outside the whole problem.
static void highest_rows(const hn_hierarchy_problem *p, const hn_hierarchy *h, int *highest) {
  for (int b = 0; b <= p->bodies; b++) {
    highest[b] = p->connected && p->connected[b] ? -1 : h->depths;
  }
  for (int r = 0; r < p->rows; r++) {
    if (p->row_node[r] < 0) continue;
    int depth = h->levels[p->row_node[r]].depth;
    for (int k = p->row_start[r]; k < p->row_start[r + 1]; k++)
      if (depth < highest[p->body[k]]) highest[p->body[k]] = depth;
  }
}

// Own bodies, then the interfaces of the levels below; border: those with higher rows.
static hn_status make_slots(hn_arena *arena, hn_hierarchy *h, hn_tree_level *level, const int *own,
                            const int *highest) {
  int is_sealed = level->sealed.context != NULL;
  level->group_count = level->own_count + level->child_count;
  level->slot_count = level->own_count;
  for (int k = 0; k < level->child_count; k++)
    level->slot_count += h->levels[level->child[k]].border_count;
  level->slot_body = HN_TAKE(arena, int, level->slot_count);
  level->group_slot = HN_TAKE(arena, int, level->group_count + 1);
  level->group_column = HN_TAKE(arena, int, level->group_count + 1);
  level->border_slot = HN_TAKE(arena, int, level->slot_count);
  level->border_body = HN_TAKE(arena, int, level->slot_count);
  level->border_group = HN_TAKE(arena, int, level->slot_count);
  if (arena->failed) return HN_ERROR_MEMORY;
  int count = 0;
  for (int g = 0; g < level->group_count; g++) {
    level->group_slot[g] = count;
    if (g < level->own_count) {
      level->slot_body[count++] = own[g];
      continue;
    }
    const hn_tree_level *child = &h->levels[level->child[g - level->own_count]];
    for (int k = 0; k < child->border_count; k++) level->slot_body[count++] = child->border_body[k];
  }
  level->group_slot[level->group_count] = count;
  for (int g = 0; g <= level->group_count; g++) level->group_column[g] = 6 * level->group_slot[g];
  if (is_sealed && level->child_count > 0) return HN_ERROR_ARGUMENT;
  for (int g = 0; g < level->group_count; g++)
    for (int s = level->group_slot[g]; s < level->group_slot[g + 1]; s++) {
      if (highest[level->slot_body[s]] >= level->depth) continue;
      level->border_slot[level->border_count] = s;
      level->border_group[level->border_count] = g;
      level->border_body[level->border_count++] = level->slot_body[s];
    }
  return HN_OK;
}

// ---- rows ---------------------------------------------------------------------------------------

typedef struct row_marks {
  int *slot;    // of a body in the current level (bodies + 1); -1: none
  int *group;   // of a slot (all slots of the level)
  int *segment; // of a group in the current row
} row_marks;

// One row: its blocks, and one segment for each group, groups ascending. HN_ERROR_ARGUMENT when a body
// is not seen from this level.
static hn_status add_row(const hn_hierarchy_problem *p, hn_tree_level *level, int r, int global,
                         row_marks *marks, int *blocks, int *segments) {
  level->row[r] = global;
  level->block_start[r] = *blocks;
  level->segment_start[r] = *segments;
  for (int k = p->row_start[global]; k < p->row_start[global + 1]; k++) {
    if (p->body_node[p->body[k]] < 0) continue;
    int slot = marks->slot[p->body[k]];
    if (slot < 0) return HN_ERROR_ARGUMENT;
    level->block_slot[*blocks] = slot;
    level->block_at[(*blocks)++] = k;
    marks->segment[marks->group[slot]] = 0;
  }
  int first = *segments;
  for (int k = level->block_start[r]; k < *blocks; k++) {
    int group = marks->group[level->block_slot[k]], known = 0;
    for (int s = first; s < *segments; s++) known |= level->segment_group[s] == group;
    if (known) continue;
    int at = (*segments)++;
    for (; at > first && level->segment_group[at - 1] > group; at--)
      level->segment_group[at] = level->segment_group[at - 1];
    level->segment_group[at] = group;
  }
  for (int s = first; s < *segments; s++) marks->segment[level->segment_group[s]] = s;
  for (int k = level->block_start[r]; k < *blocks; k++)
    level->block_segment[k] = marks->segment[marks->group[level->block_slot[k]]];
  return HN_OK;
}

static hn_status make_rows(hn_arena *arena, const hn_hierarchy_problem *p, hn_tree_level *level,
                           const int *rows, row_marks *marks) {
  int blocks = 0, segments = 0, m = level->row_count;
  for (int r = 0; r < m; r++) blocks += p->row_start[rows[r] + 1] - p->row_start[rows[r]];
  level->row = HN_TAKE(arena, int, m);
  level->block_start = HN_TAKE(arena, int, m + 1);
  level->block_slot = HN_TAKE(arena, int, blocks);
  level->block_at = HN_TAKE(arena, int, blocks);
  level->block_segment = HN_TAKE(arena, int, blocks);
  level->segment_start = HN_TAKE(arena, int, m + 1);
  level->segment_group = HN_TAKE(arena, int, blocks);
  if (arena->failed) return HN_ERROR_MEMORY;
  for (int s = 0; s < level->slot_count; s++) marks->slot[level->slot_body[s]] = s;
  for (int g = 0; g < level->group_count; g++)
    for (int s = level->group_slot[g]; s < level->group_slot[g + 1]; s++) marks->group[s] = g;
  blocks = 0;
  hn_status status = HN_OK;
  for (int r = 0; r < m && status == HN_OK; r++)
    status = add_row(p, level, r, rows[r], marks, &blocks, &segments);
  for (int s = 0; s < level->slot_count; s++) marks->slot[level->slot_body[s]] = -1;
  level->block_start[m] = blocks;
  level->segment_start[m] = segments;
  return status;
}

// ---- memory of the numbers ----------------------------------------------------------------------

static hn_status take_numbers(hn_arena *arena, hn_tree_level *l) {
  size_t nb = 6 * (size_t)l->border_count, n = 6 * (size_t)l->slot_count;
  size_t m = (size_t)l->row_count;
  l->own_root = HN_KEEP(arena, double, 36 * l->own_count);
  l->own_inverse = HN_KEEP(arena, double, 7 * l->own_count);
  l->scale = HN_KEEP(arena, double, m);
  l->kept = HN_KEEP(arena, unsigned char, m);
  l->dependent = HN_KEEP(arena, unsigned char, m);
  l->bk = HN_KEEP(arena, double, m *nb);
  l->k = HN_KEEP(arena, double, m *nb);
  l->border.free_floor = HN_KEEP(arena, double, nb);
  l->border.d = HN_KEEP(arena, double, nb *nb);
  l->border.root = HN_KEEP(arena, double, nb *nb);
  l->sweep.r = HN_KEEP(arena, double, nb);
  l->sweep.slot_r = HN_KEEP(arena, double, n);
  l->sweep.lambda = HN_KEEP(arena, double, m);
  l->sweep.tau = HN_KEEP(arena, double, nb);
  l->sweep.slot_tau = HN_KEEP(arena, double, n);
  l->sweep.slot_x = HN_KEEP(arena, double, n);
  l->sweep.work = HN_KEEP(arena, double, n + nb * nb);
  l->border.order = HN_KEEP(arena, int, nb);
  l->border.rest = HN_KEEP(arena, double, nb);
  l->stabilize.h_scale = HN_KEEP(arena, double, m);
  l->stabilize.bz = HN_KEEP(arena, double, nb *n);
  l->stabilize.u = HN_KEEP(arena, double, nb *nb);
  l->stabilize.step = HN_KEEP(arena, double, n);
  l->stabilize.slot_c = HN_KEEP(arena, double, n);
  l->stabilize.c = HN_KEEP(arena, double, nb);
  l->stabilize.z = HN_KEEP(arena, double, nb);
  l->stabilize.slot_z = HN_KEEP(arena, double, n);
  l->stabilize.t = HN_KEEP(arena, double, m);
  if (arena->failed) return HN_ERROR_MEMORY;
  if (l->sealed.context) return HN_OK;
  hn_gram_pattern pattern = {l->row_count, l->group_count, l->group_column, l->segment_start,
                             l->segment_group};
  hn_status status = hn_gram_create(arena, &pattern, &l->a);
  return status == HN_OK ? hn_gram_create(arena, &pattern, &l->stabilize.h) : status;
}

// ---- all of it ----------------------------------------------------------------------------------

// Numbers of `of` (count; -1: none) sorted by node, in the order given: start (nodes + 1), list.
static void sort_by_node(const int *of, int from, int count, int nodes, const int *order,
                         int *start, int *list) {
  for (int k = 0; k <= nodes; k++) start[k] = 0;
  for (int i = from; i < count; i++)
    if (of[i] >= 0) start[of[i] + 1]++;
  for (int k = 0; k < nodes; k++) start[k + 1] += start[k];
  for (int k = from; k < count; k++) {
    int i = order ? order[k] : k;
    if (of[i] >= 0) list[start[of[i]]++] = i;
  }
  for (int k = nodes; k > 0; k--) start[k] = start[k - 1];
  start[0] = 0;
}

hn_status hn_hierarchy_make_tree(hn_arena *arena, const hn_hierarchy_problem *p, hn_hierarchy *h) {
  h->levels = HN_KEEP(arena, hn_tree_level, p->nodes);
  int *highest = HN_TAKE(arena, int, p->bodies + 1);
  int *body_start = HN_TAKE(arena, int, p->nodes + 1), *bodies = HN_TAKE(arena, int, p->bodies + 1);
  int *row_start = HN_TAKE(arena, int, p->nodes + 1), *rows = HN_TAKE(arena, int, p->rows);
  row_marks marks = {HN_TAKE(arena, int, p->bodies + 1), HN_TAKE(arena, int, p->bodies + 1),
                     HN_TAKE(arena, int, p->bodies + p->nodes)};
  if (arena->failed) return HN_ERROR_MEMORY;
  hn_status status = make_depths(arena, p, h);
  if (status != HN_OK) return status;
  highest_rows(p, h, highest);
  for (int b = 0; b <= p->bodies; b++) marks.slot[b] = -1;
  sort_by_node(p->body_node, 1, p->bodies + 1, p->nodes, NULL, body_start, bodies);
  sort_by_node(p->row_node, 0, p->rows, p->nodes, p->row_order, row_start, rows);
  for (int k = h->nodes - 1; k >= 0 && status == HN_OK; k--) {
    hn_tree_level *level = &h->levels[h->by_depth[k]];
    int node = level->node;
    if (p->sealed) level->sealed = p->sealed[node];
    level->own_count = body_start[node + 1] - body_start[node];
    level->row_count = row_start[node + 1] - row_start[node];
    status = make_slots(arena, h, level, &bodies[body_start[node]], highest);
    if (status == HN_OK) status = make_rows(arena, p, level, &rows[row_start[node]], &marks);
    if (status == HN_OK) status = take_numbers(arena, level);
  }
  return status;
}
