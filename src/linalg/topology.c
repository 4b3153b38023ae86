// Choosing the order of elimination and laying out the factor. Tried are: bodies kept that have at least
// 3 (or 6) joints hanging below them, and the plain reduced matrix, each by minimum degree.
// The least counted work wins, assembly included. What is sure to cost more than the best so far is not
// tried.
#include "linalg/topology.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/search.h"
#include "linalg/block.h"
#include "linalg/topology_cut.h"
#include "linalg/topology_limbs.h"
#include "linalg/topology_lumps.h"

enum { MOST_ENTRIES = 20000000 };
// Limit of edges of the joint graph, beyond which the analysis takes too long.
#define MOST_EDGES(nodes) (4e6 + 200.0 * (nodes))

// Bodies with so many joints below them are kept.
static const int keep_from[] = {3, 6, INT_MAX};
enum { ATTEMPTS = sizeof keep_from / sizeof keep_from[0] };

// The joint graph with some bodies kept: vertices are nodes, then kept bodies.
typedef struct joint_graph {
  hn_graph graph;
  int kept;
  int *kept_body; // (kept)
  int *vertex;    // of a body, or -1 (bodies)
  hn_order_waits waits;
  double assembly; // multiply-adds of the blocks of B
  double clique;   // of the factorization of the largest of the full parts
} joint_graph;

// ---- the joint graph ----------------------------------------------------------------------------

static int keep_bodies(hn_arena *scratch, const hn_nodes *nodes, const hn_cut *cut, int from,
                       joint_graph *g) {
  g->vertex = HN_TAKE(scratch, int, nodes->bodies);
  g->kept_body = HN_TAKE(scratch, int, nodes->bodies);
  if (scratch->failed) return 0;
  for (int b = 0; b < nodes->bodies; b++) {
    g->vertex[b] = -1;
    if (!nodes->ground_is_known || cut->below[b] < from) continue;
    g->vertex[b] = nodes->count + g->kept;
    g->kept_body[g->kept++] = b;
  }
  return 1;
}

static double count_edges(const hn_nodes *nodes, const hn_cut *cut, const joint_graph *g) {
  double edges = 0;
  for (int b = 0; b < nodes->bodies; b++) {
    double count = cut->body_start[b + 1] - cut->body_start[b];
    edges += g->vertex[b] >= 0 ? 2 * count : count * (count - 1);
  }
  return edges;
}

// All neighbors of node i, each once: other nodes of its eliminated bodies, and its kept bodies.
static int gather_neighbors(const hn_nodes *nodes, const hn_cut *cut, const joint_graph *g, int i,
                            int *mark, int *list) {
  int count = 0;
  mark[i] = i;
  for (int k = nodes->body_start[i]; k < nodes->body_start[i + 1]; k++) {
    int b = nodes->body[k];
    if (g->vertex[b] >= 0) {
      list[count++] = g->vertex[b];
      continue;
    }
    for (int e = cut->body_start[b]; e < cut->body_start[b + 1]; e++)
      if (mark[cut->node[e]] != i) mark[list[count++] = cut->node[e]] = i;
  }
  return count;
}

static int join(hn_arena *scratch, const hn_nodes *nodes, const hn_cut *cut, joint_graph *g) {
  int n = nodes->count + g->kept, edges = (int)count_edges(nodes, cut, g), at = 0;
  int *start = HN_TAKE(scratch, int, n + 1), *neighbor = HN_TAKE(scratch, int, edges);
  int *weight = HN_TAKE(scratch, int, n + 1), *mark = HN_TAKE(scratch, int, n + 1);
  if (scratch->failed) return 0;
  for (int i = 0; i < n; i++) mark[i] = -1;
  for (int i = 0; i < nodes->count; i++) {
    weight[i] = hn_node_size(nodes, i);
    at += gather_neighbors(nodes, cut, g, i, mark, &neighbor[at]);
    start[i + 1] = at;
  }
  for (int k = 0; k < g->kept; k++) {
    int b = g->kept_body[k];
    weight[nodes->count + k] = 6;
    for (int e = cut->body_start[b]; e < cut->body_start[b + 1]; e++) neighbor[at++] = cut->node[e];
    start[nodes->count + k + 1] = at;
  }
  g->graph = (hn_graph){n, start, neighbor, weight};
  return 1;
}

// Joints of a kept body that do not hang below it wait for it.
static int make_waits(hn_arena *scratch, const hn_nodes *nodes, const hn_cut *cut, joint_graph *g) {
  int n = g->graph.n, at = 0;
  int *count = HN_TAKE(scratch, int, n + 1), *start = HN_TAKE(scratch, int, n + 2);
  int *list = HN_TAKE(scratch, int, nodes->body_start[nodes->count]);
  if (scratch->failed) return 0;
  for (int k = 0; k < g->kept; k++) {
    int b = g->kept_body[k];
    for (int e = cut->body_start[b]; e < cut->body_start[b + 1]; e++) {
      if (cut->is_below[e]) continue;
      list[at++] = cut->node[e];
      count[cut->node[e]]++;
    }
    start[nodes->count + k + 1] = at;
  }
  g->waits = (hn_order_waits){count, start, list};
  return 1;
}

// The blocks of B, and what cannot be avoided of its factorization: of the joints of one body every two
// are neighbors.
static void count_assembly(const hn_nodes *nodes, const hn_cut *cut, joint_graph *g) {
  for (int b = 0; b < nodes->bodies; b++) {
    double rows = 0;
    for (int e = cut->body_start[b]; g->vertex[b] < 0 && e < cut->body_start[b + 1]; e++) {
      double size = hn_node_size(nodes, cut->node[e]);
      rows += size;
      g->assembly += size * 12 + 6 * size * rows;
    }
    if (rows * rows * rows / 6 > g->clique) g->clique = rows * rows * rows / 6;
  }
}

// ---- attempts -----------------------------------------------------------------------------------

typedef struct result {
  joint_graph graph;
  hn_structure structure;
  int *order; // vertices of the graph
  double work;
} result;

// HN_ERROR_UNSUPPORTED if it cannot improve on `best` (work of the best so far).
static hn_status try_one(hn_arena *scratch, const hn_nodes *nodes, const hn_cut *cut, int from,
                         double best, result *out) {
  joint_graph *g = &out->graph;
  *out = (result){.order = NULL};
  if (!keep_bodies(scratch, nodes, cut, from, g)) return HN_ERROR_MEMORY;
  if (from < INT_MAX && g->kept == 0) return HN_ERROR_UNSUPPORTED;
  count_assembly(nodes, cut, g);
  if (g->assembly + g->clique > best) return HN_ERROR_UNSUPPORTED;
  if (count_edges(nodes, cut, g) > MOST_EDGES(nodes->count)) return HN_ERROR_LIMIT;
  if (!join(scratch, nodes, cut, g) || !make_waits(scratch, nodes, cut, g)) return HN_ERROR_MEMORY;
  out->order = HN_TAKE(scratch, int, g->graph.n + 1);
  if (!out->order) return HN_ERROR_MEMORY;
  hn_status status = hn_joint_order(scratch, &g->graph, g->kept > 0 ? &g->waits : NULL, out->order);
  if (status == HN_OK)
    status = hn_structure_create(scratch, &g->graph, out->order, MOST_ENTRIES, &out->structure);
  out->work = out->structure.work + g->assembly;
  return status;
}

// Of equals the first.
static hn_status find_best(hn_arena *scratch, const hn_nodes *nodes, result *best) {
  hn_cut cut;
  hn_status status = hn_cut_create(scratch, nodes, &cut);
  int found = 0;
  if (status != HN_OK) return status;
  for (int k = 0; k < ATTEMPTS; k++) {
    result now;
    status = try_one(scratch, nodes, &cut, keep_from[k], found ? best->work : HUGE_VAL, &now);
    if (status == HN_ERROR_MEMORY) return status;
    if (status != HN_OK || (found && now.work >= best->work)) continue;
    *best = now;
    found = 1;
  }
  return found ? HN_OK : HN_ERROR_LIMIT;
}

double hn_topology_work(hn_arena *scratch, const hn_nodes *nodes, int *chosen_nodes) {
  result best = {.order = NULL};
  if (find_best(scratch, nodes, &best) != HN_OK) return -1;
  *chosen_nodes = best.graph.graph.n;
  return best.work;
}

// ---- layout -------------------------------------------------------------------------------------

int hn_topology_block(const hn_topology *t, int place, int other) {
  if (other == place) return t->at[place];
  return t->block[hn_first_from(t->neighbor, t->neighbor_start[place],
                                t->neighbor_start[place + 1] - 1, other)];
}

// Nodes by their heights in the elimination forest (a parent is the first later node one is coupled
// to): neighbors in the order do not wait for each other then, and a processor follows several of
// them at once. Nothing else changes. For a model of many nodes the order is unchanged, for the
// cache.
static hn_status sort_by_height(hn_arena *scratch, result *r) {
  const hn_structure *s = &r->structure;
  const int n = s->n;
  if (n > HN_FEW_NODES) return HN_OK;
  int *height = HN_TAKE(scratch, int, n + 1), *start = HN_TAKE(scratch, int, n + 2);
  int *order = HN_TAKE(scratch, int, n + 1);
  if (scratch->failed) return HN_ERROR_MEMORY;
  for (int k = 0; k < n; k++) {
    const int parent = s->neighbors[k] > 0 ? s->neighbor[k][0] : n;
    if (height[parent] <= height[k]) height[parent] = height[k] + 1;
    start[height[k] + 1]++;
  }
  for (int h = 0; h < n; h++) start[h + 1] += start[h];
  for (int k = 0; k < n; k++) order[start[height[k]]++] = r->order[k];
  memcpy(r->order, order, (size_t)n * sizeof(int));
  return hn_structure_create(scratch, &r->graph.graph, r->order, MOST_ENTRIES, &r->structure);
}

// Finds the subtrees and puts their nodes before all others, which does not change the structure.
static hn_status make_limbs(hn_arena *arena, hn_arena *scratch, result *r, hn_topology *t) {
  const int n = r->structure.n;
  int *limb = HN_TAKE(scratch, int, n + 1), *order = HN_TAKE(scratch, int, n + 1);
  t->limb = HN_TAKE(arena, int, n + 1);
  if (arena->failed || scratch->failed) return HN_ERROR_MEMORY;
  for (int k = 0; k < n; k++) t->limb[k] = -1;
  t->limbs = hn_find_limbs(scratch, &r->structure, r->work, limb);
  if (t->limbs < 0) return HN_ERROR_MEMORY;
  t->limb_start = HN_TAKE(arena, int, t->limbs + 1);
  if (t->limbs == 0) return arena->failed ? HN_ERROR_MEMORY : HN_OK;
  int at = 0;
  for (int above = 0; above < 2; above++)
    for (int k = 0; k < n; k++) {
      if ((limb[k] < 0) != above) continue;
      t->limb[at] = limb[k];
      order[at++] = r->order[k];
      t->top += !above;
    }
  memcpy(r->order, order, (size_t)n * sizeof(int));
  t->limb_node = HN_TAKE(arena, int, t->top);
  if (arena->failed) return HN_ERROR_MEMORY;
  for (int l = 0, place = 0; l < t->limbs; l++) {
    for (int k = 0; k < t->top; k++)
      if (t->limb[k] == l) t->limb_node[place++] = k;
    t->limb_start[l + 1] = place;
  }
  return hn_structure_create(scratch, &r->graph.graph, r->order, MOST_ENTRIES, &r->structure);
}

static hn_status take(hn_arena *arena, const hn_nodes *nodes, const hn_structure *s,
                      hn_topology *t) {
  t->order = HN_TAKE(arena, int, s->n + 1);
  t->place_of_body = HN_TAKE(arena, int, nodes->bodies);
  t->size = hn_arena_copy(arena, s->size, (size_t)s->n + 1, sizeof(int));
  t->pad = HN_TAKE(arena, int, s->n);
  t->at = HN_TAKE(arena, int, s->n);
  t->neighbor_start = HN_TAKE(arena, int, s->n + 1);
  t->neighbor = HN_TAKE(arena, int, s->entries);
  t->block = HN_TAKE(arena, int, s->entries);
  t->pair_start = HN_TAKE(arena, int, s->n + 1);
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

static hn_status lay_out(hn_arena *arena, const hn_nodes *nodes, const result *r, hn_topology *t) {
  const hn_structure *s = &r->structure;
  long at = 0;
  if (take(arena, nodes, s, t) != HN_OK) return HN_ERROR_MEMORY;
  for (int b = 0; b < nodes->bodies; b++) t->place_of_body[b] = -1;
  for (int k = 0; k < s->n; k++) {
    int vertex = r->order[k], is_body = vertex >= nodes->count, first = t->neighbor_start[k];
    t->order[k] = is_body ? -1 - r->graph.kept_body[vertex - nodes->count] : vertex;
    if (is_body) t->place_of_body[-1 - t->order[k]] = k;
    t->pad[k] = HN_PAD(s->size[k]);
    t->at[k] = (int)at;
    at += s->size[k] * t->pad[k];
    for (int i = 0; i < s->neighbors[k]; i++) {
      t->neighbor[first + i] = s->neighbor[k][i];
      t->block[first + i] = (int)at;
      at += s->size[k] * HN_PAD(s->size[s->neighbor[k][i]]);
      if (at > INT_MAX / 2) return HN_ERROR_LIMIT;
    }
    t->neighbor_start[k + 1] = first + s->neighbors[k];
    if (s->neighbors[k] > t->most_neighbors) t->most_neighbors = s->neighbors[k];
  }
  t->numbers = t->values = (int)at;
  return HN_OK;
}

static hn_status find_targets(hn_arena *arena, hn_topology *t) {
  long total = 0;
  for (int k = 0; k < t->nodes; k++) {
    long count = t->neighbor_start[k + 1] - t->neighbor_start[k];
    total += count * (count + 1) / 2;
    if (total > INT_MAX / 2) return HN_ERROR_LIMIT;
    t->pair_start[k + 1] = (int)total;
  }
  t->target = HN_TAKE(arena, int, total);
  if (!t->target) return HN_ERROR_MEMORY;
  for (int k = 0, at = 0; k < t->nodes; k++)
    for (int i = t->neighbor_start[k]; i < t->neighbor_start[k + 1]; i++)
      for (int j = i; j < t->neighbor_start[k + 1]; j++)
        t->target[at++] = hn_topology_block_of(t, t->limb[k], t->neighbor[i], t->neighbor[j]);
  return HN_OK;
}

// Groups of nodes at places list[from ... to) (null: from ... to). Neighbors are ascending: the
// first one shows whether any comes before the end.
static void find_groups(const hn_topology *t, const int *list, int from, int to, int *group_end) {
  for (int k = from; k < to;) {
    int end = k + 1, first_neighbor = t->nodes;
    for (int i = k; i < end; i++) {
      int place = list ? list[i] : i, next = list && end < to ? list[end] : end;
      if (t->neighbor_start[place] < t->neighbor_start[place + 1] &&
          t->neighbor[t->neighbor_start[place]] < first_neighbor)
        first_neighbor = t->neighbor[t->neighbor_start[place]];
      if (end < to && end < k + 4 && next < first_neighbor &&
          hn_window(next) == hn_window(list ? list[k] : k))
        end++;
    }
    for (; k < end; k++) group_end[k] = end;
  }
}

static hn_status make_groups(hn_arena *arena, hn_topology *t) {
  t->group_end = HN_TAKE(arena, int, t->nodes);
  t->limb_group_end = HN_TAKE(arena, int, t->top);
  if (arena->failed) return HN_ERROR_MEMORY;
  find_groups(t, NULL, 0, t->top, t->group_end);
  find_groups(t, NULL, t->top, t->nodes, t->group_end);
  for (int l = 0; l < t->limbs; l++)
    find_groups(t, t->limb_node, t->limb_start[l], t->limb_start[l + 1], t->limb_group_end);
  return HN_OK;
}

static hn_status find_reach(hn_arena *arena, hn_topology *t) {
  const int windows = hn_window(t->nodes) + 1;
  t->reach = HN_TAKE(arena, int, windows);
  if (!t->reach) return HN_ERROR_MEMORY;
  for (int w = 0, last = -1; w < windows; w++) {
    for (int k = HN_WINDOW * w; k < HN_WINDOW * (w + 1) && k < t->nodes; k++) {
      const int end = t->neighbor_start[k + 1];
      const int far = end > t->neighbor_start[k] ? t->neighbor[end - 1] : k;
      if (far > last) last = far;
    }
    t->reach[w] = last;
  }
  return HN_OK;
}

hn_status hn_topology_create(hn_arena *arena, const hn_nodes *nodes, hn_topology *t) {
  hn_arena scratch;
  result best = {.order = NULL};
  hn_arena_init(&scratch, &arena->allocator);
  hn_status status = find_best(&scratch, nodes, &best);
  if (status == HN_OK) {
    *t = (hn_topology){.nodes = best.structure.n, .operations = best.work, .kept = best.graph.kept};
    status = sort_by_height(&scratch, &best);
  }
  if (status == HN_OK) {
    status = make_limbs(arena, &scratch, &best, t);
  }
  if (status == HN_OK) {
    status = lay_out(arena, nodes, &best, t);
  }
  if (status == HN_OK) status = hn_topology_add_lumps(arena, t);
  if (status == HN_OK) status = find_targets(arena, t);
  if (status == HN_OK) status = make_groups(arena, t);
  if (status == HN_OK) status = find_reach(arena, t);
  hn_arena_release(&scratch);
  return status;
}
