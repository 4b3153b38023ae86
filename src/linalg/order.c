// Minimum degree ordering. Eliminating a node makes its neighbors a clique; the quotient graph
// keeps each clique as one *element* with a list of members instead of its edges, so memory never
// grows:
//
//   A_i  neighbors of node i by original edges, E_i  elements i belongs to
//   eliminating p:  L_p = (A_p + all members of E_p) - p;  the elements of E_p are absorbed by p
//   degree of i in L_p, bounded:  |A_i - L_p| + |L_p - i| + sum over e in E_i - p of |L_e - L_p|
//
// Out of scope: merging of nodes with equal neighbors (our graphs come grouped where it matters).
#include "linalg/order.h"

#include <limits.h>

enum { VARIABLE, ELEMENT, DEAD };

typedef struct quotient {
  hn_arena *scratch;
  const hn_graph *graph;
  unsigned char *state;   // VARIABLE, ELEMENT or DEAD (n)
  int *list;              // lists of all nodes: elements first, then variables
  int *length, *elements; // of node i, starting at graph->start[i]
  int **members;          // of an element: variables only
  int *member_count, *member_weight;
  int *degree;  // weighted, approximate
  int *outside; // |L_e - L_p| + stamp while p is being eliminated
  int *mark;    // == tag: in L_p
  int *heap, *place, heap_size;
  int remaining; // weight of what is not eliminated
} quotient;

static int weight_of(const quotient *g, int i) {
  return g->graph->weight ? g->graph->weight[i] : 1;
}

// ---- heap by (degree, number) -------------------------------------------------------------------

static int before(const quotient *g, int a, int b) {
  return g->degree[a] != g->degree[b] ? g->degree[a] < g->degree[b] : a < b;
}

static void heap_put(quotient *g, int at, int node) {
  g->heap[at] = node;
  g->place[node] = at;
}

static void heap_up(quotient *g, int at) {
  int node = g->heap[at];
  while (at > 0 && before(g, node, g->heap[(at - 1) / 2])) {
    heap_put(g, at, g->heap[(at - 1) / 2]);
    at = (at - 1) / 2;
  }
  heap_put(g, at, node);
}

static void heap_down(quotient *g, int at) {
  int node = g->heap[at];
  for (;;) {
    int child = 2 * at + 1;
    if (child >= g->heap_size) break;
    if (child + 1 < g->heap_size && before(g, g->heap[child + 1], g->heap[child])) child++;
    if (!before(g, g->heap[child], node)) break;
    heap_put(g, at, g->heap[child]);
    at = child;
  }
  heap_put(g, at, node);
}

static void heap_add(quotient *g, int node) {
  g->heap[g->heap_size] = node;
  heap_up(g, g->heap_size++);
}

static int heap_take(quotient *g) {
  int node = g->heap[0], last = g->heap[--g->heap_size];
  g->place[node] = -1;
  if (g->heap_size > 0) {
    g->heap[0] = last;
    heap_down(g, 0);
  }
  return node;
}

static void set_degree(quotient *g, int node, int degree) {
  int old = g->degree[node];
  g->degree[node] = degree;
  if (g->place[node] < 0) return; // still waiting
  if (degree < old)
    heap_up(g, g->place[node]);
  else
    heap_down(g, g->place[node]);
}

// ---- elimination --------------------------------------------------------------------------------

// Gathers L_p into the members of the new element p; its old elements die.
static int make_element(quotient *g, int p, int tag) {
  const int *list = &g->list[g->graph->start[p]];
  int room = g->length[p] - g->elements[p];
  for (int k = 0; k < g->elements[p]; k++) room += g->member_count[list[k]];
  int *members = HN_TAKE(g->scratch, int, room), count = 0, weight = 0;
  if (!members) return 0;
  g->mark[p] = tag;
  for (int k = 0; k < g->length[p]; k++) {
    int is_element = k < g->elements[p];
    const int *from = is_element ? g->members[list[k]] : &list[k];
    int many = is_element ? g->member_count[list[k]] : 1;
    for (int i = 0; i < many; i++) {
      if (g->state[from[i]] != VARIABLE || g->mark[from[i]] == tag) continue;
      g->mark[from[i]] = tag;
      members[count++] = from[i];
      weight += weight_of(g, from[i]);
    }
    if (is_element) g->state[list[k]] = DEAD;
  }
  g->state[p] = ELEMENT;
  g->members[p] = members;
  g->member_count[p] = count;
  g->member_weight[p] = weight;
  return 1;
}

// outside[e] - stamp = weight of L_e - L_p for every element that meets L_p.
static void measure_overlaps(quotient *g, int p, int stamp) {
  for (int k = 0; k < g->member_count[p]; k++) {
    int i = g->members[p][k];
    const int *list = &g->list[g->graph->start[i]];
    for (int l = 0; l < g->elements[i]; l++) {
      int e = list[l];
      if (g->state[e] != ELEMENT) continue;
      if (g->outside[e] < stamp) g->outside[e] = stamp + g->member_weight[e];
      g->outside[e] -= weight_of(g, i);
    }
  }
}

// Replaces by p what p covers in the lists of member i, and bounds its degree.
static void update_member(quotient *g, int p, int i, int tag, int stamp) {
  int *list = &g->list[g->graph->start[i]];
  int kept = 0, elements = 0, degree = g->member_weight[p] - weight_of(g, i);
  for (int l = 0; l < g->length[i]; l++) {
    int node = list[l];
    if (l < g->elements[i]) {
      if (g->state[node] != ELEMENT) continue;
      if (g->outside[node] == stamp) { // all its members are in L_p
        g->state[node] = DEAD;
        continue;
      }
      degree += g->outside[node] - stamp;
      elements++;
    } else {
      if (g->state[node] != VARIABLE || g->mark[node] == tag) continue;
      degree += weight_of(g, node);
    }
    list[kept++] = node;
  }
  if (g->member_count[p] > 1) { // p among the elements; a variable is replaced by it
    if (kept > elements) list[kept] = list[elements];
    list[elements++] = p;
    kept++;
  }
  g->length[i] = kept;
  g->elements[i] = elements;
  int bound = g->degree[i] + g->member_weight[p] - weight_of(g, i);
  if (degree > bound) degree = bound;
  if (degree > g->remaining - weight_of(g, i)) degree = g->remaining - weight_of(g, i);
  set_degree(g, i, degree);
}

static int begin(quotient *g, const hn_order_waits *waits) {
  int n = g->graph->n, edges = g->graph->start[n];
  g->state = HN_TAKE(g->scratch, unsigned char, n);
  g->list = hn_arena_copy(g->scratch, g->graph->neighbor, (size_t)edges, sizeof(int));
  if (edges == 0) g->list = HN_TAKE(g->scratch, int, 1);
  g->length = HN_TAKE(g->scratch, int, n);
  g->elements = HN_TAKE(g->scratch, int, n);
  g->members = HN_TAKE(g->scratch, int *, n);
  g->member_count = HN_TAKE(g->scratch, int, n);
  g->member_weight = HN_TAKE(g->scratch, int, n);
  g->degree = HN_TAKE(g->scratch, int, n);
  g->outside = HN_TAKE(g->scratch, int, n);
  g->mark = HN_TAKE(g->scratch, int, n);
  g->heap = HN_TAKE(g->scratch, int, n);
  g->place = HN_TAKE(g->scratch, int, n);
  if (g->scratch->failed) return 0;
  for (int i = 0; i < n; i++) {
    g->length[i] = g->graph->start[i + 1] - g->graph->start[i];
    for (int k = 0; k < g->length[i]; k++)
      g->degree[i] += weight_of(g, g->list[g->graph->start[i] + k]);
    g->place[i] = -1;
    g->remaining += weight_of(g, i);
  }
  for (int i = 0; i < n; i++)
    if (!waits || waits->count[i] == 0) heap_add(g, i);
  return 1;
}

hn_status hn_order_minimum_degree(hn_arena *scratch, const hn_graph *graph,
                                  const hn_order_waits *waits, int *order) {
  quotient g = {.scratch = scratch, .graph = graph};
  if (!begin(&g, waits)) return HN_ERROR_MEMORY;
  int *waiting = waits ? hn_arena_copy(scratch, waits->count, (size_t)graph->n, sizeof(int)) : NULL;
  if (scratch->failed) return HN_ERROR_MEMORY;
  int stamp = 1, total = g.remaining;
  for (int k = 0; k < graph->n; k++) {
    if (g.heap_size == 0) return HN_ERROR_ARGUMENT; // waits that nothing releases
    int p = heap_take(&g);
    order[k] = p;
    g.remaining -= weight_of(&g, p);
    if (!make_element(&g, p, k + 1)) return HN_ERROR_MEMORY;
    if (stamp > INT_MAX - 2 * total - 2) { // the marks are used up: reset them
      for (int i = 0; i < graph->n; i++) g.outside[i] = 0;
      stamp = 1;
    }
    measure_overlaps(&g, p, stamp);
    for (int i = 0; i < g.member_count[p]; i++) update_member(&g, p, g.members[p][i], k + 1, stamp);
    if (g.member_count[p] <= 1) g.state[p] = DEAD;
    stamp += total + 1;
    for (int i = waits ? waits->start[p] : 0; waits && i < waits->start[p + 1]; i++)
      if (--waiting[waits->list[i]] == 0) heap_add(&g, waits->list[i]);
  }
  return HN_OK;
}

// ---- matrices -----------------------------------------------------------------------------------

// Late unknowns wait for the early ones of their columns.
static hn_status find_waits(hn_arena *scratch, int n, const int *column_start, const int *row_index,
                            int first_late, hn_order_waits *waits) {
  int *count = HN_TAKE(scratch, int, n), *start = HN_TAKE(scratch, int, n + 2);
  int *list = HN_TAKE(scratch, int, column_start[n] + 1);
  if (scratch->failed) return HN_ERROR_MEMORY;
  for (int pass = 0; pass < 2; pass++) {
    for (int j = first_late; j < n; j++)
      for (int k = column_start[j]; k < column_start[j + 1]; k++) {
        int i = row_index[k];
        if (i >= first_late) continue;
        if (pass == 0) {
          count[j]++;
          start[i + 2]++;
        } else {
          list[start[i + 1]++] = j;
        }
      }
    for (int j = 0; pass == 0 && j < n; j++) start[j + 2] += start[j + 1];
  }
  *waits = (hn_order_waits){count, start, list};
  return HN_OK;
}

hn_status hn_order_matrix(hn_arena *scratch, int n, const int *column_start, const int *row_index,
                          int *order) {
  return hn_order_matrix_late(scratch, n, column_start, row_index, n, order);
}

hn_status hn_order_matrix_late(hn_arena *scratch, int n, const int *column_start,
                               const int *row_index, int first_late, int *order) {
  int *start = HN_TAKE(scratch, int, n + 2);
  int *neighbor = HN_TAKE(scratch, int, 2 * column_start[n] + 1);
  if (scratch->failed) return HN_ERROR_MEMORY;
  for (int j = 0; j < n; j++)
    for (int k = column_start[j]; k < column_start[j + 1]; k++) {
      if (row_index[k] == j) continue;
      start[j + 2]++;
      start[row_index[k] + 2]++;
    }
  for (int j = 0; j < n; j++) start[j + 2] += start[j + 1];
  for (int j = 0; j < n; j++)
    for (int k = column_start[j]; k < column_start[j + 1]; k++) {
      int i = row_index[k];
      if (i == j) continue;
      neighbor[start[j + 1]++] = i;
      neighbor[start[i + 1]++] = j;
    }
  hn_graph graph = {.n = n, .start = start, .neighbor = neighbor};
  if (first_late == n) return hn_order_minimum_degree(scratch, &graph, NULL, order);
  hn_order_waits waits;
  hn_status status = find_waits(scratch, n, column_start, row_index, first_late, &waits);
  return status == HN_OK ? hn_order_minimum_degree(scratch, &graph, &waits, order) : status;
}
