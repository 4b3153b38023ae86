// Biconnected parts of the graph of bodies, ground and nodes (a node is a vertex too, joined to its
// bodies), by depth-first search with low-links and a stack of edges, without recursion: chains of
// many thousand bodies must not exhaust the stack. A node hangs below a body when their edge is in
// another part than the edge by which the body was reached.
#include "linalg/topology_cut.h"

// Vertices: bodies, ground, nodes. Edges: the bodies of nodes in order, then ground of each node.
typedef struct graph {
  const hn_nodes *nodes;
  int ground, vertices, incidences;
  int *start, *edge;   // edges of a vertex
  int *end;            // two vertices an edge
  int *part;           // of an edge
  int *found, *low;    // numbers of discovery (vertices)
  int *via, *next;     // edge to the parent, next edge to try (vertices)
  int *path, *waiting; // stacks of vertices and of edges
  int waits, clock, parts;
} graph;

static int take(hn_arena *arena, graph *g) {
  const hn_nodes *nodes = g->nodes;
  g->ground = nodes->bodies;
  g->vertices = nodes->bodies + 1 + nodes->count;
  g->incidences = nodes->body_start[nodes->count];
  int edges = g->incidences + nodes->count;
  g->start = HN_TAKE(arena, int, g->vertices + 2);
  g->edge = HN_TAKE(arena, int, 2 * edges);
  g->end = HN_TAKE(arena, int, 2 * edges);
  g->part = HN_TAKE(arena, int, edges);
  g->found = HN_TAKE(arena, int, g->vertices);
  g->low = HN_TAKE(arena, int, g->vertices);
  g->via = HN_TAKE(arena, int, g->vertices);
  g->next = HN_TAKE(arena, int, g->vertices);
  g->path = HN_TAKE(arena, int, g->vertices);
  g->waiting = HN_TAKE(arena, int, edges);
  return !arena->failed;
}

static void join(graph *g) {
  const hn_nodes *nodes = g->nodes;
  for (int i = 0; i < nodes->count; i++) {
    int vertex = g->ground + 1 + i, by_ground = g->incidences + i;
    for (int e = nodes->body_start[i]; e < nodes->body_start[i + 1]; e++) {
      g->end[2 * e] = nodes->body[e];
      g->end[2 * e + 1] = vertex;
    }
    g->end[2 * by_ground] = nodes->on_ground[i] ? g->ground : vertex; // a loop: never walked
    g->end[2 * by_ground + 1] = vertex;
  }
  int edges = g->incidences + nodes->count;
  for (int e = 0; e < 2 * edges; e++) g->start[g->end[e] + 2]++;
  for (int v = 0; v < g->vertices; v++) g->start[v + 2] += g->start[v + 1];
  for (int e = 0; e < 2 * edges; e++) g->edge[g->start[g->end[e] + 1]++] = e / 2;
}

// Vertex v is finished: the edges since the one to it are a part of their own when nothing below v
// reaches above its parent.
static void finish(graph *g, int v, int parent) {
  if (g->low[v] < g->low[parent]) g->low[parent] = g->low[v];
  if (g->low[v] < g->found[parent]) return;
  int edge;
  do {
    edge = g->waiting[--g->waits];
    g->part[edge] = g->parts;
  } while (edge != g->via[v]);
  g->parts++;
}

static void search(graph *g, int root) {
  int depth = 0;
  g->path[0] = root;
  g->via[root] = -1;
  g->found[root] = g->low[root] = ++g->clock;
  while (depth >= 0) {
    int v = g->path[depth];
    if (g->next[v] == g->start[v + 1] - g->start[v]) {
      if (--depth >= 0) finish(g, v, g->path[depth]);
      continue;
    }
    int e = g->edge[g->start[v] + g->next[v]++];
    int w = g->end[2 * e] == v ? g->end[2 * e + 1] : g->end[2 * e];
    if (e == g->via[v] || w == v) continue;
    if (!g->found[w]) {
      g->waiting[g->waits++] = e;
      g->via[w] = e;
      g->found[w] = g->low[w] = ++g->clock;
      g->path[++depth] = w;
    } else if (g->found[w] < g->found[v]) {
      g->waiting[g->waits++] = e;
      if (g->found[w] < g->low[v]) g->low[v] = g->found[w];
    }
  }
}

// Ground first; what it does not reach from its body with the most nodes.
static int search_all(hn_arena *scratch, graph *g) {
  int bodies = g->nodes->bodies, most = 0;
  search(g, g->ground);
  for (int b = 0; b < bodies; b++) {
    int count = g->start[b + 1] - g->start[b];
    if (count > most) most = count;
  }
  int *start = HN_TAKE(scratch, int, most + 2), *sorted = HN_TAKE(scratch, int, bodies);
  if (scratch->failed) return 0;
  for (int b = 0; b < bodies; b++) start[most - (g->start[b + 1] - g->start[b]) + 1]++;
  for (int c = 0; c <= most; c++) start[c + 1] += start[c];
  for (int b = 0; b < bodies; b++) sorted[start[most - (g->start[b + 1] - g->start[b])]++] = b;
  for (int k = 0; k < bodies; k++)
    if (!g->found[sorted[k]]) search(g, sorted[k]);
  return 1;
}

static void fill(const graph *g, hn_cut *cut) {
  for (int b = 0; b < g->nodes->bodies; b++) {
    int at = cut->body_start[b];
    for (int k = g->start[b]; k < g->start[b + 1]; k++, at++) {
      int e = g->edge[k];
      cut->node[at] = g->end[2 * e + 1] - g->ground - 1;
      cut->is_below[at] = g->via[b] < 0 || g->part[e] != g->part[g->via[b]];
      cut->below[b] += cut->is_below[at];
    }
    cut->body_start[b + 1] = at;
  }
}

hn_status hn_cut_create(hn_arena *arena, const hn_nodes *nodes, hn_cut *cut) {
  hn_arena scratch;
  hn_arena_init(&scratch, &arena->allocator);
  graph g = {.nodes = nodes};
  hn_status status = HN_ERROR_MEMORY;
  cut->body_start = HN_TAKE(arena, int, nodes->bodies + 1);
  cut->node = HN_TAKE(arena, int, nodes->body_start[nodes->count]);
  cut->is_below = HN_TAKE(arena, unsigned char, nodes->body_start[nodes->count]);
  cut->below = HN_TAKE(arena, int, nodes->bodies);
  if (!arena->failed && take(&scratch, &g)) {
    join(&g);
    if (search_all(&scratch, &g)) {
      fill(&g, cut);
      status = HN_OK;
    }
  }
  hn_arena_release(&scratch);
  return status;
}
