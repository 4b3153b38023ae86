// Biconnected parts by one depth-first walk (Tarjan 1972), without recursion. A coupling of more
// than two bodies becomes a ring of edges, which puts all its bodies into one part.
#include "elements/joint_graph.h"

#include <string.h>

typedef struct edge {
  int a, b;
  int row; // first row of its owner
} edge;

typedef struct walk {
  int vertices, edge_count;
  edge *edges;
  int *start, *incident;      // edges of each vertex
  int *number, *low;          // order of discovery from 1, lowest reachable
  int *next;                  // next incident edge to visit
  int *from;                  // edge by which a vertex was found, -1 at a root
  int *stack, stack_size;     // vertices
  int *pending, pending_size; // edges not yet in a part
  int *part;                  // of an edge
  int parts;
} walk;

// ---- edges --------------------------------------------------------------------------------------

// Distinct bodies of the rows first .. end - 1, ground among them; at most 2 * HN_ROW_BODIES.
static int owner_bodies(const hn_elements *elements, int first, int end, int *body) {
  int count = 0;
  for (int r = first; r < end; r++)
    for (int k = 0; k < elements->rows[r].count; k++)
      for (int slot = 0; slot < 2; slot++) {
        int b = elements->measures[elements->rows[r].measure[k]].body[slot], known = 0;
        for (int i = 0; i < count; i++) known |= body[i] == b;
        if (!known && count < 2 * HN_ROW_BODIES) body[count++] = b;
      }
  return count;
}

// The end of the rows that belong to the same joint or driver as row r.
static int owner_end(const hn_elements *elements, int r) {
  const hn_row *first = &elements->rows[r];
  int end = r;
  while (end < elements->row_count && elements->rows[end].owner == first->owner &&
         elements->rows[end].is_driver == first->is_driver)
    end++;
  return end;
}

// Counts edges, and writes them once w->edges is there. A body joined to itself is an edge from it
// to itself: a part of its own.
static void make_edges(const hn_elements *elements, walk *w) {
  int body[2 * HN_ROW_BODIES] = {0};
  w->edge_count = 0;
  for (int r = 0; r < elements->row_count; r = owner_end(elements, r)) {
    int count = owner_bodies(elements, r, owner_end(elements, r), body);
    int edges = count <= 2 ? 1 : count;
    for (int k = 0; k < edges; k++, w->edge_count++)
      if (w->edges)
        w->edges[w->edge_count] = (edge){body[k], body[count > 1 ? (k + 1) % count : 0], r};
  }
}

static int prepare(hn_arena *scratch, const hn_elements *elements, walk *w) {
  w->vertices = elements->model->body_count;
  make_edges(elements, w);
  w->edges = HN_TAKE(scratch, edge, w->edge_count);
  w->start = HN_TAKE(scratch, int, w->vertices + 2);
  w->incident = HN_TAKE(scratch, int, 2 * w->edge_count);
  w->number = HN_TAKE(scratch, int, w->vertices);
  w->low = HN_TAKE(scratch, int, w->vertices);
  w->next = HN_TAKE(scratch, int, w->vertices);
  w->from = HN_TAKE(scratch, int, w->vertices);
  w->stack = HN_TAKE(scratch, int, w->vertices);
  w->pending = HN_TAKE(scratch, int, w->edge_count);
  w->part = HN_TAKE(scratch, int, w->edge_count);
  if (scratch->failed) return 0;
  make_edges(elements, w);
  for (int e = 0; e < w->edge_count; e++) {
    w->part[e] = -1;
    if (w->edges[e].a == w->edges[e].b) continue;
    w->start[w->edges[e].a + 2]++;
    w->start[w->edges[e].b + 2]++;
  }
  for (int v = 0; v < w->vertices; v++) w->start[v + 2] += w->start[v + 1];
  for (int e = 0; e < w->edge_count; e++) {
    if (w->edges[e].a == w->edges[e].b) continue;
    w->incident[w->start[w->edges[e].a + 1]++] = e;
    w->incident[w->start[w->edges[e].b + 1]++] = e;
  }
  return 1;
}

// ---- the walk -----------------------------------------------------------------------------------

static void close_part(walk *w, int last) {
  int e;
  do {
    e = w->pending[--w->pending_size];
    w->part[e] = w->parts;
  } while (e != last);
  w->parts++;
}

static void push(walk *w, int vertex, int by, int *counter) {
  w->number[vertex] = w->low[vertex] = ++*counter;
  w->next[vertex] = w->start[vertex];
  w->from[vertex] = by;
  w->stack[w->stack_size++] = vertex;
}

static void walk_from(walk *w, int root, int *counter) {
  push(w, root, -1, counter);
  while (w->stack_size > 0) {
    int v = w->stack[w->stack_size - 1];
    if (w->next[v] < w->start[v + 1]) {
      int e = w->incident[w->next[v]++];
      int other = w->edges[e].a == v ? w->edges[e].b : w->edges[e].a;
      if (e == w->from[v]) continue;
      if (w->number[other] == 0) {
        w->pending[w->pending_size++] = e;
        push(w, other, e, counter);
      } else if (w->number[other] < w->number[v]) {
        w->pending[w->pending_size++] = e;
        if (w->number[other] < w->low[v]) w->low[v] = w->number[other];
      }
      continue;
    }
    w->stack_size--;
    if (w->stack_size == 0) break;
    int parent = w->stack[w->stack_size - 1];
    if (w->low[v] < w->low[parent]) w->low[parent] = w->low[v];
    if (w->low[v] >= w->number[parent]) close_part(w, w->from[v]);
  }
}

// ---- results ------------------------------------------------------------------------------------

static int find_root(int *root, int i) {
  while (root[i] != i) i = root[i] = root[root[i]];
  return i;
}

// Joints with rows between two bodies that do not extend a spanning forest.
static int count_loops(const hn_elements *elements, int *root) {
  const hn_model *model = elements->model;
  int loops = 0;
  for (int b = 0; b < model->body_count; b++) root[b] = b;
  for (int j = 0; j < model->joint_count; j++) {
    const hn_joint_def *joint = &model->joints[j];
    if (joint->coupled_count > 0 || elements->joint_row[j] == elements->joint_row[j + 1]) continue;
    int a = find_root(root, joint->frame1.body), b = find_root(root, joint->frame2.body);
    if (a == b)
      loops++;
    else
      root[a] = b;
  }
  return loops;
}

static int collect_rows(hn_arena *arena, const hn_elements *elements, const walk *w,
                        hn_joint_graph *graph) {
  graph->part_of_row = HN_TAKE(arena, int, elements->row_count);
  graph->row_start = HN_TAKE(arena, int, w->parts + 2);
  graph->rows = HN_TAKE(arena, int, elements->row_count);
  if (arena->failed) return 0;
  for (int e = 0; e < w->edge_count; e++) {
    int end = owner_end(elements, w->edges[e].row);
    for (int r = w->edges[e].row; r < end; r++) graph->part_of_row[r] = w->part[e];
  }
  for (int r = 0; r < elements->row_count; r++) graph->row_start[graph->part_of_row[r] + 2]++;
  for (int p = 0; p < w->parts; p++) graph->row_start[p + 2] += graph->row_start[p + 1];
  for (int r = 0; r < elements->row_count; r++)
    graph->rows[graph->row_start[graph->part_of_row[r] + 1]++] = r;
  return 1;
}

static int collect_bodies(hn_arena *arena, hn_arena *scratch, const hn_elements *elements,
                          hn_joint_graph *graph) {
  int *seen = HN_TAKE(scratch, int, elements->model->body_count);
  int *body = HN_TAKE(scratch, int, 2 * HN_ROW_BODIES);
  graph->body_start = HN_TAKE(arena, int, graph->part_count + 1);
  if (scratch->failed || arena->failed) return 0;
  for (int pass = 0; pass < 2; pass++) {
    int at = 0;
    memset(seen, 0, (size_t)elements->model->body_count * sizeof(int));
    for (int p = 0; p < graph->part_count; p++) {
      graph->body_start[p] = at;
      for (int k = graph->row_start[p]; k < graph->row_start[p + 1]; k++) {
        int count = owner_bodies(elements, graph->rows[k], graph->rows[k] + 1, body);
        for (int i = 0; i < count; i++) {
          if (seen[body[i]] == p + 1) continue;
          seen[body[i]] = p + 1;
          if (pass == 1) graph->bodies[at] = body[i];
          at++;
        }
      }
    }
    graph->body_start[graph->part_count] = at;
    if (pass == 0) graph->bodies = HN_TAKE(arena, int, at);
    if (arena->failed) return 0;
  }
  return 1;
}

hn_status hn_joint_graph_create(hn_arena *arena, const hn_elements *elements,
                                hn_joint_graph *graph) {
  hn_arena scratch;
  walk w = {.vertices = 0};
  hn_arena_init(&scratch, &arena->allocator);
  *graph = (hn_joint_graph){.part_count = 0};
  int good = prepare(&scratch, elements, &w), counter = 0;
  for (int v = 0; good && v < w.vertices; v++)
    if (w.number[v] == 0) walk_from(&w, v, &counter);
  for (int e = 0; good && e < w.edge_count; e++)
    if (w.part[e] < 0) w.part[e] = w.parts++;
  if (good) {
    graph->part_count = w.parts;
    graph->loops = count_loops(elements, w.stack);
    good = collect_rows(arena, elements, &w, graph) &&
           collect_bodies(arena, &scratch, elements, graph);
  }
  hn_arena_release(&scratch);
  return good ? HN_OK : HN_ERROR_MEMORY;
}
