// Minimum degree on joint graphs, which leaves ties open, and there are many: in a chain it may
// start at either end. Here nodes far from the middle of the graph come first, which takes both
// ends of a chain and all branches of a tree in turn. Neighbors in the order are then independent
// of each other, and a processor works on several at once.
#include "linalg/joint_order.h"

// ---- breadth-first search -----------------------------------------------------------------------

// Levels from a start, over its part of the graph.
typedef struct levels {
  int *queue;  // nodes in the order they were found (n)
  int *level;  // -1: not found (n)
  int *parent; // (n)
  int found;
} levels;

static void search(const hn_graph *g, int start, levels *s) {
  for (int k = 0; k < s->found; k++) s->level[s->queue[k]] = -1; // the last search is forgotten
  s->found = 0;
  s->queue[s->found++] = start;
  s->level[start] = 0;
  s->parent[start] = start;
  for (int k = 0; k < s->found; k++) {
    int at = s->queue[k];
    for (int e = g->start[at]; e < g->start[at + 1]; e++) {
      int next = g->neighbor[e];
      if (s->level[next] >= 0) continue;
      s->level[next] = s->level[at] + 1;
      s->parent[next] = at;
      s->queue[s->found++] = next;
    }
  }
}

static int take_levels(hn_arena *scratch, int n, levels *s) {
  s->queue = HN_TAKE(scratch, int, n + 1);
  s->level = HN_TAKE(scratch, int, n + 1);
  s->parent = HN_TAKE(scratch, int, n + 1);
  s->found = 0;
  for (int i = 0; !scratch->failed && i < n; i++) s->level[i] = -1;
  return !scratch->failed;
}

static int degree(const hn_graph *g, int i) { return g->start[i + 1] - g->start[i]; }

// An end of the part: of the nodes farthest from `start`, one of least degree, until that is no
// farther. Leaves the levels from it.
static void find_end(const hn_graph *g, int start, levels *s) {
  search(g, start, s);
  for (int round = 0; round < 8; round++) {
    int depth = s->level[s->queue[s->found - 1]], best = s->queue[s->found - 1];
    for (int k = s->found - 1; k >= 0 && s->level[s->queue[k]] == depth; k--)
      if (degree(g, s->queue[k]) <= degree(g, best)) best = s->queue[k];
    search(g, best, s);
    if (s->level[s->queue[s->found - 1]] <= depth) break;
  }
}

// ---- minimum degree from the outside ------------------------------------------------------------

// outside[k]: nodes by falling distance from the middle of their part of the graph.
static int sort_from_outside(hn_arena *scratch, const hn_graph *g, int *outside) {
  levels s;
  int *distance = HN_TAKE(scratch, int, g->n + 1), *start = HN_TAKE(scratch, int, g->n + 2);
  unsigned char *is_done = HN_TAKE(scratch, unsigned char, g->n + 1);
  if (!take_levels(scratch, g->n, &s)) return 0;
  for (int i = 0; i < g->n; i++) {
    if (is_done[i]) continue;
    find_end(g, i, &s);
    int middle = s.queue[s.found - 1];
    for (int up = s.level[middle] / 2; up > 0; up--) middle = s.parent[middle];
    search(g, middle, &s);
    for (int k = 0; k < s.found; k++) {
      distance[s.queue[k]] = s.level[s.queue[k]];
      is_done[s.queue[k]] = 1;
    }
  }
  for (int i = 0; i < g->n; i++) start[g->n - distance[i]]++; // distance < n
  for (int d = 0; d <= g->n; d++) start[d + 1] += start[d];
  for (int i = g->n - 1; i >= 0; i--) outside[--start[g->n - distance[i]]] = i;
  return 1;
}

// The graph with node `from[k]` as node k.
static int renumber(hn_arena *scratch, const hn_graph *g, const int *from, const int *to,
                    hn_graph *out) {
  int *start = HN_TAKE(scratch, int, g->n + 1), *neighbor = HN_TAKE(scratch, int, g->start[g->n]);
  int *weight = HN_TAKE(scratch, int, g->n + 1);
  if (scratch->failed) return 0;
  for (int k = 0; k < g->n; k++) {
    int at = start[k];
    for (int e = g->start[from[k]]; e < g->start[from[k] + 1]; e++)
      neighbor[at++] = to[g->neighbor[e]];
    start[k + 1] = at;
    weight[k] = g->weight ? g->weight[from[k]] : 1;
  }
  *out = (hn_graph){g->n, start, neighbor, weight};
  return 1;
}

static int renumber_waits(hn_arena *scratch, int n, const hn_order_waits *waits, const int *from,
                          const int *to, hn_order_waits *out) {
  int *count = HN_TAKE(scratch, int, n + 1), *start = HN_TAKE(scratch, int, n + 2);
  int *list = HN_TAKE(scratch, int, waits->start[n]), at = 0;
  if (scratch->failed) return 0;
  for (int k = 0; k < n; k++) {
    count[k] = waits->count[from[k]];
    for (int e = waits->start[from[k]]; e < waits->start[from[k] + 1]; e++)
      list[at++] = to[waits->list[e]];
    start[k + 1] = at;
  }
  *out = (hn_order_waits){count, start, list};
  return 1;
}

hn_status hn_joint_order(hn_arena *scratch, const hn_graph *g, const hn_order_waits *waits,
                         int *order) {
  int *from = HN_TAKE(scratch, int, g->n + 1), *to = HN_TAKE(scratch, int, g->n + 1);
  hn_graph renumbered;
  hn_order_waits renumbered_waits;
  if (scratch->failed || !sort_from_outside(scratch, g, from)) return HN_ERROR_MEMORY;
  for (int k = 0; k < g->n; k++) to[from[k]] = k;
  if (!renumber(scratch, g, from, to, &renumbered) ||
      (waits && !renumber_waits(scratch, g->n, waits, from, to, &renumbered_waits)))
    return HN_ERROR_MEMORY;
  hn_status status =
      hn_order_minimum_degree(scratch, &renumbered, waits ? &renumbered_waits : NULL, order);
  for (int k = 0; status == HN_OK && k < g->n; k++) order[k] = from[order[k]];
  return status;
}

// ---- structure ----------------------------------------------------------------------------------

static void sort_ascending(int *list, int count) {
  for (int k = 1; k < count; k++) {
    int value = list[k], at = k;
    for (; at > 0 && list[at - 1] > value; at--) list[at] = list[at - 1];
    list[at] = value;
  }
}

// Multiply-adds of the elimination of a node: L D L' of its block, two triangular solutions with
// the columns of its neighbors, and the products of those.
static double elimination_work(const hn_structure *s, int k) {
  double b = s->size[k], width = 0, products = 0;
  for (int i = s->neighbors[k] - 1; i >= 0; i--) {
    double size = s->size[s->neighbor[k][i]];
    width += size;
    products += b * size * width;
  }
  return b * (b + 1) * (b + 2) / 6 + b * b * width + products;
}

hn_status hn_structure_create(hn_arena *arena, const hn_graph *g, const int *order,
                              long most_entries, hn_structure *s) {
  int n = g->n;
  *s = (hn_structure){.n = n};
  s->size = HN_TAKE(arena, int, n + 1);
  s->neighbor = HN_TAKE(arena, int *, n + 1);
  s->neighbors = HN_TAKE(arena, int, n + 1);
  int *place = HN_TAKE(arena, int, n + 1), *mark = HN_TAKE(arena, int, n + 1);
  int *child = HN_TAKE(arena, int, n + 1), *sibling = HN_TAKE(arena, int, n + 1);
  int *list = HN_TAKE(arena, int, n + 1);
  if (arena->failed) return HN_ERROR_MEMORY;
  for (int k = 0; k < n; k++) place[order[k]] = k;
  for (int k = 0; k < n; k++) child[k] = mark[k] = -1;
  for (int k = 0; k < n; k++) {
    int count = 0;
    s->size[k] = g->weight ? g->weight[order[k]] : 1;
    mark[k] = k;
    for (int e = g->start[order[k]]; e < g->start[order[k] + 1]; e++) {
      int other = place[g->neighbor[e]];
      if (other > k && mark[other] != k) mark[list[count++] = other] = k;
    }
    for (int c = child[k]; c >= 0; c = sibling[c]) // what was coupled through an eliminated node
      for (int i = 0; i < s->neighbors[c]; i++) {
        int other = s->neighbor[c][i];
        if (mark[other] != k) mark[list[count++] = other] = k;
      }
    sort_ascending(list, count);
    s->entries += count;
    if (s->entries > most_entries) return HN_ERROR_LIMIT;
    s->neighbors[k] = count;
    s->neighbor[k] = hn_arena_copy(arena, list, (size_t)count, sizeof(int));
    if (!s->neighbor[k]) return HN_ERROR_MEMORY;
    if (count > 0) {
      sibling[k] = child[list[0]];
      child[list[0]] = k;
    }
  }
  for (int k = 0; k < n; k++) s->work += elimination_work(s, k);
  return HN_OK;
}
