// Bridges of the joint graph by depth-first search with low-links, without recursion: chains of
// many thousand bodies must not exhaust the stack. Vertices are bodies with ground, edges are joints
// and drivers; parallel edges make a loop.
#include "elements/loops.h"

#include <string.h>

#include "holon/switch.h"
typedef struct graph {
  int vertices, edges;
  int *end;                      // two vertices an edge (2 edges)
  int *first_row, *rows;         // rows of an edge (edges each)
  int *start, *neighbour;        // adjacency: edges of a vertex (vertices + 1, 2 edges)
  int *order, *low, *via, *next; // discovery, low-link, edge to the parent, next edge to try
  int *stack;
  unsigned char *is_bridge; // (edges)
} graph;

static hn_status take_memory(hn_arena *arena, const hn_elements *elements, graph *g) {
  const hn_model *model = elements->model;
  g->vertices = model->body_count;
  g->edges = 0;
  int most = model->joint_count + model->driver_count;
  g->end = HN_TAKE(arena, int, 2 * most);
  g->first_row = HN_TAKE(arena, int, most);
  g->rows = HN_TAKE(arena, int, most);
  g->start = HN_TAKE(arena, int, g->vertices + 1);
  g->neighbour = HN_TAKE(arena, int, 2 * most);
  g->order = HN_TAKE(arena, int, g->vertices);
  g->low = HN_TAKE(arena, int, g->vertices);
  g->via = HN_TAKE(arena, int, g->vertices);
  g->next = HN_TAKE(arena, int, g->vertices);
  g->stack = HN_TAKE(arena, int, g->vertices);
  g->is_bridge = HN_TAKE(arena, unsigned char, most);
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

// An edge of the rows [first, last) when they join two vertices; wider rows are never bridges.
static void add_edge(const hn_elements *elements, int first, int last, unsigned char *in_loop,
                     graph *g) {
  if (first == last) return;
  const hn_row *row = &elements->rows[first];
  if (row->body_count > 2 || row->body_count == 0) {
    for (int r = first; r < last; r++) in_loop[r] = 1;
    return;
  }
  g->end[2 * g->edges] = row->body[0];
  g->end[2 * g->edges + 1] = row->body_count == 2 ? row->body[1] : HN_GROUND;
  g->first_row[g->edges] = first;
  g->rows[g->edges++] = last - first;
}

static void make_adjacency(graph *g) {
  for (int e = 0; e < 2 * g->edges; e++) g->start[g->end[e] + 1]++;
  for (int v = 0; v < g->vertices; v++) g->start[v + 1] += g->start[v];
  memcpy(g->next, g->start, (size_t)g->vertices * sizeof(int));
  for (int e = 0; e < g->edges; e++)
    for (int k = 0; k < 2; k++) g->neighbour[g->next[g->end[2 * e + k]]++] = e;
}

static void search_from(graph *g, int root, int *clock) {
  int depth = 0;
  g->stack[0] = root;
  g->via[root] = -1;
  g->order[root] = g->low[root] = ++*clock;
  while (depth >= 0) {
    int v = g->stack[depth];
    if (g->next[v] < g->start[v + 1]) {
      int e = g->neighbour[g->next[v]++];
      int w = g->end[2 * e] == v ? g->end[2 * e + 1] : g->end[2 * e];
      if (e == g->via[v]) continue;
      if (g->order[w]) {
        if (g->order[w] < g->low[v]) g->low[v] = g->order[w];
        continue;
      }
      g->via[w] = e;
      g->order[w] = g->low[w] = ++*clock;
      g->stack[++depth] = w;
    } else {
      if (depth > 0) {
        int parent = g->stack[depth - 1];
        if (g->low[v] < g->low[parent]) g->low[parent] = g->low[v];
        if (g->low[v] > g->order[parent]) g->is_bridge[g->via[v]] = 1;
      }
      depth--;
    }
  }
}

// Rows of elements with conditions: without a pivot while these are inactive.
static void mark_switched(const hn_elements *elements, unsigned char *in_loop) {
  for (int k = 0; k < elements->model->switch_count; k++) {
    const hn_switch_def *def = &elements->model->switches[k];
    if (def->of == HN_SWITCH_FORCE) continue;
    const int *rows = def->of == HN_SWITCH_JOINT ? elements->joint_row : elements->driver_row;
    for (int r = rows[def->element]; r < rows[def->element + 1]; r++)
      if (!in_loop[r]) in_loop[r] = HN_ROW_CONDITIONAL;
  }
}

hn_status hn_find_loop_rows(const hn_allocator *allocator, const hn_elements *elements,
                            unsigned char *in_loop) {
  const hn_model *model = elements->model;
  hn_arena arena;
  graph g;
  hn_arena_init(&arena, allocator);
  memset(in_loop, 0, (size_t)elements->row_count);
  hn_status status = take_memory(&arena, elements, &g);
  if (status == HN_OK) {
    for (int j = 0; j < model->joint_count; j++)
      add_edge(elements, elements->joint_row[j], elements->joint_row[j + 1], in_loop, &g);
    for (int d = 0; d < model->driver_count; d++)
      add_edge(elements, elements->driver_row[d], elements->driver_row[d + 1], in_loop, &g);
    make_adjacency(&g);
    memcpy(g.next, g.start, (size_t)g.vertices * sizeof(int));
    int clock = 0;
    for (int v = 0; v < g.vertices; v++)
      if (!g.order[v]) search_from(&g, v, &clock);
    for (int e = 0; e < g.edges; e++)
      for (int r = 0; r < g.rows[e]; r++) in_loop[g.first_row[e] + r] = !g.is_bridge[e];
    mark_switched(elements, in_loop);
  }
  hn_arena_release(&arena);
  return status;
}
