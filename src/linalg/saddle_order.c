// The order in which a saddle matrix is eliminated. Without pivoting, a row of J that comes before
// the columns it holds gives a pivot of -epsilon and fills M with J'J / epsilon: digits are lost.
// The good order is that of recursive dynamics: a body, then the rows of the joint that hangs it on
// its parent, from the leaves of a spanning tree to its root; rows that close a loop come after
// every body of the loop. Where columns are not bodies (rows_wait) a row may hold any of its columns by
// a number that happens to be zero: there it comes after all of them.
//
//   columns with equal rows  -> one column group (the six speeds of a body)
//   rows with equal columns  -> one row group (the rows of a joint)
//   spanning tree of the column groups and ground by the largest row groups (Kruskal)
//   node = column group + the row group to its parent; other row groups wait for their loop
//
// Nodes are ordered by minimum degree. Where so many loops interlock that this order costs several
// times as much as a free one, the free one is taken and refinement pays for the digits.
#include "linalg/saddle_order.h"

#include <string.h>

#include "linalg/factors.h"
#include "linalg/order.h"

enum { WAITS_PER_NODE = 200, COST_RATIO = 4 };

typedef struct grouping {
  hn_arena *scratch;
  const hn_saddle_pattern *p;
  int columns, rows;        // groups
  int *column_group;        // of a column (n)
  int *column_first;        // first column of a group (columns + 1)
  int *row_first;           // first row of a group (rows + 1)
  int *touch_start, *touch; // column groups of each row group
  int *parent, *depth;      // of a column group; parent -1: ground (columns)
  int *hung_by;             // row group to the parent, or -1 (columns)
  unsigned char *is_tree;   // (rows)
} grouping;

// ---- groups -------------------------------------------------------------------------------------

static int rows_agree(const hn_saddle_pattern *p, int a, int b) {
  int count = p->j_row_start[a + 1] - p->j_row_start[a];
  return count == p->j_row_start[b + 1] - p->j_row_start[b] &&
         memcmp(&p->j_column_index[p->j_row_start[a]], &p->j_column_index[p->j_row_start[b]],
                (size_t)count * sizeof(int)) == 0;
}

// Consecutive columns that occur in the same rows. Two columns agree when they have the same number
// of entries and meet in all of them: counted with one pass over J.
static int group_columns(grouping *g) {
  const hn_saddle_pattern *p = g->p;
  int *count = HN_TAKE(g->scratch, int, p->n + 1), *shared = HN_TAKE(g->scratch, int, p->n + 1);
  g->column_group = HN_TAKE(g->scratch, int, p->n + 1);
  g->column_first = HN_TAKE(g->scratch, int, p->n + 1);
  if (g->scratch->failed) return 0;
  for (int r = 0; r < p->m; r++)
    for (int k = p->j_row_start[r]; k < p->j_row_start[r + 1]; k++) {
      int column = p->j_column_index[k];
      count[column]++;
      if (k > p->j_row_start[r] && p->j_column_index[k - 1] == column - 1) shared[column]++;
    }
  for (int j = 0; j < p->n; j++) {
    int same = j > 0 && count[j] > 0 && count[j] == count[j - 1] && shared[j] == count[j];
    if (!same) g->column_first[g->columns++] = j;
    g->column_group[j] = g->columns - 1;
  }
  g->column_first[g->columns] = p->n;
  return 1;
}

static int group_rows(grouping *g) {
  const hn_saddle_pattern *p = g->p;
  g->row_first = HN_TAKE(g->scratch, int, p->m + 1);
  g->touch_start = HN_TAKE(g->scratch, int, p->m + 2);
  g->touch = HN_TAKE(g->scratch, int, p->j_row_start[p->m] + 1);
  int *seen = HN_TAKE(g->scratch, int, g->columns + 1);
  if (g->scratch->failed) return 0;
  int at = 0;
  for (int r = 0; r < p->m; r++) {
    if (r > 0 && rows_agree(p, r - 1, r)) continue;
    g->row_first[g->rows++] = r;
    for (int k = p->j_row_start[r]; k < p->j_row_start[r + 1]; k++) {
      int group = g->column_group[p->j_column_index[k]];
      if (seen[group] == r + 1) continue;
      seen[group] = r + 1;
      g->touch[at++] = group;
    }
    g->touch_start[g->rows] = at;
  }
  g->row_first[g->rows] = p->m;
  return 1;
}

static int row_group_size(const grouping *g, int r) {
  return g->row_first[r + 1] - g->row_first[r];
}
static int touch_count(const grouping *g, int r) {
  return g->touch_start[r + 1] - g->touch_start[r];
}

// ---- spanning tree ------------------------------------------------------------------------------

static int find(int *root, int i) {
  while (root[i] != i) i = root[i] = root[root[i]];
  return i;
}

// Row groups with one or two column groups, the largest first; ground is column group `columns`.
static int choose_tree(grouping *g) {
  int *root = HN_TAKE(g->scratch, int, g->columns + 1);
  int *by_size = HN_TAKE(g->scratch, int, g->rows + 1);
  int *start = HN_TAKE(g->scratch, int, g->p->m + 2);
  g->is_tree = HN_TAKE(g->scratch, unsigned char, g->rows + 1);
  if (g->scratch->failed) return 0;
  for (int i = 0; i <= g->columns; i++) root[i] = i;
  for (int r = 0; r < g->rows; r++) start[g->p->m - row_group_size(g, r) + 1]++;
  for (int s = 0; s <= g->p->m; s++) start[s + 1] += start[s];
  for (int r = 0; r < g->rows; r++) by_size[start[g->p->m - row_group_size(g, r)]++] = r;
  for (int k = 0; k < g->rows; k++) {
    int r = by_size[k], count = touch_count(g, r);
    if (count < 1 || count > 2 || g->p->rows_wait) continue;
    const int *touch = &g->touch[g->touch_start[r]];
    int a = find(root, touch[0]), b = find(root, count == 2 ? touch[1] : g->columns);
    if (a == b) continue;
    root[a > b ? b : a] = a > b ? a : b;
    g->is_tree[r] = 1;
  }
  return 1;
}

// Neighbors in the tree, by row group.
static int tree_edges(grouping *g, int **start_out, int **edge_out) {
  int *start = HN_TAKE(g->scratch, int, g->columns + 3);
  int *edge = HN_TAKE(g->scratch, int, 2 * g->rows + 1);
  if (g->scratch->failed) return 0;
  for (int pass = 0; pass < 2; pass++) {
    for (int r = 0; r < g->rows; r++) {
      if (!g->is_tree[r]) continue;
      const int *touch = &g->touch[g->touch_start[r]];
      int ends[2] = {touch[0], touch_count(g, r) == 2 ? touch[1] : g->columns};
      for (int e = 0; e < 2; e++)
        if (pass == 0)
          start[ends[e] + 2]++;
        else
          edge[start[ends[e] + 1]++] = r;
    }
    for (int i = 0; pass == 0 && i <= g->columns; i++) start[i + 2] += start[i + 1];
  }
  *start_out = start;
  *edge_out = edge;
  return 1;
}

static void hang_tree(grouping *g, const int *start, const int *edge, int root, int *queue) {
  int head = 0, tail = 0;
  queue[tail++] = root;
  while (head < tail) {
    int at = queue[head++];
    for (int k = start[at]; k < start[at + 1]; k++) {
      int r = edge[k];
      const int *touch = &g->touch[g->touch_start[r]];
      int other = touch[0] != at ? touch[0] : touch_count(g, r) == 2 ? touch[1] : g->columns;
      if (other == g->columns || g->depth[other] > 0 || other == root) continue;
      g->parent[other] = at == g->columns ? -1 : at;
      g->depth[other] = at == g->columns ? 1 : g->depth[at] + 1;
      g->hung_by[other] = r;
      queue[tail++] = other;
    }
  }
}

// Trees hang on ground; one without a way to ground hangs on its body with the most joints.
static int orient_tree(grouping *g) {
  int *start, *edge, *queue = HN_TAKE(g->scratch, int, g->columns + 2);
  int *component = HN_TAKE(g->scratch, int, g->columns + 1);
  g->parent = HN_TAKE(g->scratch, int, g->columns + 1);
  g->depth = HN_TAKE(g->scratch, int, g->columns + 1);
  g->hung_by = HN_TAKE(g->scratch, int, g->columns + 1);
  if (g->scratch->failed || !tree_edges(g, &start, &edge)) return 0;
  for (int i = 0; i < g->columns; i++) g->parent[i] = g->hung_by[i] = -1;
  hang_tree(g, start, edge, g->columns, queue);
  for (int i = 0; i < g->columns; i++) {
    if (g->depth[i] > 0 || component[i]) continue;
    int head = 0, tail = 0, best = i;
    component[i] = 1;
    queue[tail++] = i;
    while (head < tail) {
      int at = queue[head++];
      if (start[at + 1] - start[at] > start[best + 1] - start[best]) best = at;
      for (int k = start[at]; k < start[at + 1]; k++)
        for (int t = g->touch_start[edge[k]]; t < g->touch_start[edge[k] + 1]; t++)
          if (!component[g->touch[t]]) component[queue[tail++] = g->touch[t]] = 1;
    }
    g->depth[best] = 1;
    hang_tree(g, start, edge, best, queue);
  }
  return 1;
}

// ---- the graph of nodes -------------------------------------------------------------------------

// Nodes: column groups, then closing row groups.
typedef struct nodes {
  int count;
  int *row_group; // of a closing node, from node - columns
  int *weight;
  int *start, *neighbor; // graph
  int *wait_count, *wait_start, *wait_list;
} nodes;

// Writes both directions of an edge, or counts them.
static void add_edge(nodes *s, int pass, int a, int b) {
  if (a == b) return;
  if (pass == 0) {
    s->start[a + 2]++;
    s->start[b + 2]++;
  } else {
    s->neighbor[s->start[a + 1]++] = b;
    s->neighbor[s->start[b + 1]++] = a;
  }
}

static void add_edges(const grouping *g, nodes *s, int pass) {
  const hn_saddle_pattern *p = g->p;
  for (int j = 0; j < p->n; j++)
    for (int k = p->m_column_start[j]; k < p->m_column_start[j + 1]; k++)
      add_edge(s, pass, g->column_group[p->m_row_index[k]], g->column_group[j]);
  for (int i = 0; i < g->columns; i++)
    if (g->parent[i] >= 0) add_edge(s, pass, i, g->parent[i]);
  for (int i = g->columns; i < s->count; i++)
    for (int t = g->touch_start[s->row_group[i - g->columns]];
         t < g->touch_start[s->row_group[i - g->columns] + 1]; t++)
      add_edge(s, pass, i, g->touch[t]);
}

// Sorting out edges that came twice (M couples the columns of two groups several times).
static void remove_duplicates(nodes *s, int *seen) {
  int at = 0, from = 0;
  for (int i = 0; i < s->count; i++) {
    int end = s->start[i + 1];
    for (int k = from; k < end; k++) {
      if (seen[s->neighbor[k]] == i + 1) continue;
      seen[s->neighbor[k]] = i + 1;
      s->neighbor[at++] = s->neighbor[k];
    }
    from = end;
    s->start[i + 1] = at;
  }
}

static int make_nodes(grouping *g, nodes *s) {
  s->row_group = HN_TAKE(g->scratch, int, g->rows + 1);
  s->weight = HN_TAKE(g->scratch, int, g->columns + g->rows + 1);
  s->start = HN_TAKE(g->scratch, int, g->columns + g->rows + 2);
  int *seen = HN_TAKE(g->scratch, int, g->columns + g->rows + 1);
  if (g->scratch->failed) return 0;
  for (int i = 0; i < g->columns; i++) {
    s->weight[i] = g->column_first[i + 1] - g->column_first[i];
    if (g->hung_by[i] >= 0) s->weight[i] += row_group_size(g, g->hung_by[i]);
  }
  s->count = g->columns;
  for (int r = 0; r < g->rows; r++) {
    if (g->is_tree[r]) continue;
    s->row_group[s->count - g->columns] = r;
    s->weight[s->count++] = row_group_size(g, r);
  }
  add_edges(g, s, 0);
  for (int i = 0; i < s->count; i++) s->start[i + 2] += s->start[i + 1];
  s->neighbor = HN_TAKE(g->scratch, int, s->start[s->count + 1] + 1);
  if (g->scratch->failed) return 0;
  add_edges(g, s, 1);
  remove_duplicates(s, seen);
  return 1;
}

// ---- waiting for loops --------------------------------------------------------------------------

// The column groups that the rows of a group wait for by row_after: 0 when one of them waits for all.
static int awaited(const grouping *g, int r, int *mark, int tag, int *members, int room) {
  int count = 0;
  for (int k = g->row_first[r]; g->p->row_after && k < g->row_first[r + 1]; k++) {
    if (g->p->row_after[k] < 0) return 0;
    int group = g->column_group[g->p->row_after[k]];
    if (mark[group] == tag) continue;
    if (count == room) return -1;
    mark[group] = tag;
    members[count++] = group;
  }
  return count;
}

// The column groups of the loops that closing row group r closes: from each of its ends up to, not
// including, their common ancestor. Returns their number, or -1 when there are more than the
// capacity.
static int loop_members(const grouping *g, int r, int *mark, int tag, int *members, int room) {
  int meet = g->touch[g->touch_start[r]], count = 0;
  if (g->p->rows_wait) {
    count = awaited(g, r, mark, tag, members, room);
    if (count != 0) return count;
    count = touch_count(g, r);
    if (count > room) return -1;
    memcpy(members, &g->touch[g->touch_start[r]], (size_t)count * sizeof(int));
    return count;
  }
  if (touch_count(g, r) == 1) meet = -1;
  for (int t = g->touch_start[r] + 1; t < g->touch_start[r + 1]; t++) {
    int a = meet, b = g->touch[t];
    while (a != b) {
      int depth_a = a < 0 ? 0 : g->depth[a], depth_b = b < 0 ? 0 : g->depth[b];
      if (depth_a >= depth_b && a >= 0) a = g->parent[a];
      if (depth_b >= depth_a && b >= 0) b = g->parent[b];
    }
    meet = a;
  }
  for (int t = g->touch_start[r]; t < g->touch_start[r + 1]; t++)
    for (int a = g->touch[t]; a != meet && mark[a] != tag; a = g->parent[a]) {
      if (count == room) return -1;
      mark[a] = tag;
      members[count++] = a;
    }
  return count;
}

// 1 done, 0 out of memory, -1 too many.
static int make_waits(grouping *g, nodes *s) {
  int room = WAITS_PER_NODE * s->count;
  int *mark = HN_TAKE(g->scratch, int, g->columns + 1);
  int *members = HN_TAKE(g->scratch, int, room);
  int *first = HN_TAKE(g->scratch, int, s->count - g->columns + 1);
  s->wait_count = HN_TAKE(g->scratch, int, s->count + 1);
  s->wait_start = HN_TAKE(g->scratch, int, s->count + 2);
  if (g->scratch->failed) return 0;
  int total = 0;
  for (int i = g->columns; i < s->count; i++) {
    int count =
        loop_members(g, s->row_group[i - g->columns], mark, i, &members[total], room - total);
    if (count < 0) return -1;
    first[i - g->columns] = total;
    s->wait_count[i] = count;
    total += count;
  }
  first[s->count - g->columns] = total;
  s->wait_list = HN_TAKE(g->scratch, int, total + 1);
  if (g->scratch->failed) return 0;
  for (int k = 0; k < total; k++) s->wait_start[members[k] + 2]++;
  for (int i = 0; i < s->count; i++) s->wait_start[i + 2] += s->wait_start[i + 1];
  for (int i = g->columns; i < s->count; i++)
    for (int k = first[i - g->columns]; k < first[i - g->columns + 1]; k++)
      s->wait_list[s->wait_start[members[k] + 1]++] = i;
  return 1;
}

// ---- the order ----------------------------------------------------------------------------------

static void expand(const grouping *g, const nodes *s, const int *node_order, int *order) {
  int at = 0;
  for (int k = 0; k < s->count; k++) {
    int node = node_order[k], rows = -1;
    if (node < g->columns) {
      for (int j = g->column_first[node]; j < g->column_first[node + 1]; j++) order[at++] = j;
      rows = g->hung_by[node];
    } else {
      rows = s->row_group[node - g->columns];
    }
    for (int r = rows < 0 ? 0 : g->row_first[rows]; rows >= 0 && r < g->row_first[rows + 1]; r++)
      order[at++] = g->p->n + r;
  }
}

hn_status hn_saddle_order(hn_arena *scratch, const hn_saddle_pattern *pattern, const int *k_start,
                          const int *k_index, int *order) {
  int size = pattern->n + pattern->m;
  grouping g = {.scratch = scratch, .p = pattern};
  nodes s = {.count = 0};
  if (!group_columns(&g) || !group_rows(&g) || !choose_tree(&g) || !orient_tree(&g) ||
      !make_nodes(&g, &s))
    return HN_ERROR_MEMORY;
  int waits_made = make_waits(&g, &s);
  int *node_order = HN_TAKE(scratch, int, s.count + 1), *free_order = HN_TAKE(scratch, int, size);
  if (waits_made == 0 || scratch->failed) return HN_ERROR_MEMORY;
  if (waits_made < 0) return hn_order_matrix(scratch, size, k_start, k_index, order);

  hn_graph graph = {s.count, s.start, s.neighbor, s.weight};
  hn_order_waits waits = {s.wait_count, s.wait_start, s.wait_list};
  hn_status status = hn_order_minimum_degree(scratch, &graph, &waits, node_order);
  if (status != HN_OK) return status;
  expand(&g, &s, node_order, order);
  if (s.count == g.columns || pattern->rows_wait) return HN_OK; // a tree: nothing is better

  status = hn_order_matrix(scratch, size, k_start, k_index, free_order);
  if (status != HN_OK) return status;
  double cost = hn_factors_count(scratch, size, k_start, k_index, order);
  double free_cost = hn_factors_count(scratch, size, k_start, k_index, free_order);
  if (cost < 0 || free_cost < 0) return HN_ERROR_MEMORY;
  if (cost > COST_RATIO * free_cost) memcpy(order, free_order, (size_t)size * sizeof(int));
  return HN_OK;
}
