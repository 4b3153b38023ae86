// Gathers rows into nodes. Groups of the problem are first cut where the bodies of their rows
// differ (pieces), pieces are sorted by their bodies, and pieces with equal bodies are put together
// until a node is full. Nodes are in the order of their first rows.
#include "linalg/block_nodes.h"

#include <string.h>

typedef struct piece {
  int first, rows;  // rows of the problem
  int body, bodies; // its sorted bodies, in gathering.body
  unsigned char on_ground;
} piece;

typedef struct gathering {
  hn_arena *scratch;
  const hn_solver_problem *problem;
  int *body; // from 0, sorted in each row (blocks of the problem)
  piece *pieces;
  int count;
  int *sorted; // pieces by their bodies (count)
} gathering;

static int row_length(const hn_solver_problem *p, int row) {
  return p->row_start[row + 1] - p->row_start[row];
}

// Bodies of each row, ascending; 0 when one is out of range or named twice.
static int sort_bodies(const hn_solver_problem *p, int *body) {
  for (int r = 0; r < p->rows; r++)
    for (int k = p->row_start[r]; k < p->row_start[r + 1]; k++) {
      int value = p->body[k] - 1, at = k;
      if (value < 0 || value >= p->bodies) return 0;
      for (; at > p->row_start[r] && body[at - 1] > value; at--) body[at] = body[at - 1];
      if (at > p->row_start[r] && body[at - 1] == value) return 0;
      body[at] = value;
    }
  return 1;
}

static int rows_agree(const gathering *g, int a, int b) {
  const int *start = g->problem->row_start;
  int length = row_length(g->problem, a);
  return length == row_length(g->problem, b) &&
         memcmp(&g->body[start[a]], &g->body[start[b]], (size_t)length * sizeof(int)) == 0;
}

static void cut_pieces(gathering *g) {
  const hn_solver_problem *p = g->problem;
  for (int j = 0; j < p->joints; j++)
    for (int r = p->joint_row[j]; r < p->joint_row[j + 1]; r++) {
      piece *last = g->count > 0 ? &g->pieces[g->count - 1] : NULL;
      int begins = r == p->joint_row[j] || last->rows == HN_NODE_ROWS || !rows_agree(g, r - 1, r);
      if (!begins) {
        last->rows++;
        continue;
      }
      int ground = !p->on_ground || p->on_ground[j] || row_length(p, r) == 1;
      g->pieces[g->count++] = (piece){.first = r,
                                      .rows = 1,
                                      .body = p->row_start[r],
                                      .bodies = row_length(p, r),
                                      .on_ground = ground != 0};
    }
}

// Stable counting sort of g->sorted by a body of each piece: its last, or its first. A piece without
// bodies counts as body -1.
static int sort_by(gathering *g, int by_first) {
  int *start = HN_TAKE(g->scratch, int, g->problem->bodies + 2);
  int *from = hn_arena_copy(g->scratch, g->sorted, (size_t)g->count, sizeof(int));
  if (g->scratch->failed) return 0;
  for (int pass = 0; pass < 2; pass++) {
    for (int k = 0; k < g->count; k++) {
      const piece *p = &g->pieces[from[k]];
      int key = p->bodies == 0 ? -1 : g->body[p->body + (by_first ? 0 : p->bodies - 1)];
      if (pass == 0)
        start[key + 2]++;
      else
        g->sorted[start[key + 1]++] = from[k];
    }
    for (int b = 0; pass == 0 && b <= g->problem->bodies; b++) start[b + 1] += start[b];
  }
  return 1;
}

static int pieces_agree(const gathering *g, const piece *a, const piece *b) {
  return a->bodies == b->bodies &&
         memcmp(&g->body[a->body], &g->body[b->body], (size_t)a->bodies * sizeof(int)) == 0;
}

// node_of[piece]: pieces in g->sorted that agree share a node up to its capacity. Nodes are
// numbered by their first pieces afterwards.
static void share_nodes(const gathering *g, int *node_of, int *rows_of) {
  for (int k = 0; k < g->count; k++) {
    int at = g->sorted[k];
    const piece *p = &g->pieces[at];
    node_of[at] = at;
    rows_of[at] = p->rows;
    for (int l = k - 1; l >= 0; l--) { // as long as first and last bodies are the same
      const piece *other = &g->pieces[g->sorted[l]];
      if (other->bodies == 0 || p->bodies == 0 || g->body[other->body] != g->body[p->body] ||
          g->body[other->body + other->bodies - 1] != g->body[p->body + p->bodies - 1])
        break;
      int node = node_of[g->sorted[l]];
      if (!pieces_agree(g, p, other) || rows_of[node] + p->rows > HN_NODE_ROWS) continue;
      node_of[at] = node;
      rows_of[node] += p->rows;
      break;
    }
  }
}

static void fill_nodes(const gathering *g, const int *node_of, int *number, hn_nodes *nodes) {
  nodes->ground_is_known = g->problem->on_ground != NULL;
  for (int k = 0; k < g->count; k++) {
    if (node_of[k] != k) continue;
    const piece *p = &g->pieces[k];
    number[k] = nodes->count++;
    int at = nodes->body_start[number[k]];
    memcpy(&nodes->body[at], &g->body[p->body], (size_t)p->bodies * sizeof(int));
    nodes->body_start[number[k] + 1] = at + p->bodies;
  }
  for (int k = 0; k < g->count; k++) {
    int node = number[node_of[k]];
    nodes->row_start[node + 1] += g->pieces[k].rows;
    nodes->on_ground[node] |= g->pieces[k].on_ground;
  }
  for (int i = 0; i < nodes->count; i++) nodes->row_start[i + 1] += nodes->row_start[i];
  for (int k = 0; k < g->count; k++) {
    int *next = &nodes->row_start[number[node_of[k]]];
    for (int r = 0; r < g->pieces[k].rows; r++) nodes->row[(*next)++] = g->pieces[k].first + r;
  }
  for (int i = nodes->count; i > 0; i--) nodes->row_start[i] = nodes->row_start[i - 1];
  nodes->row_start[0] = 0;
}

static hn_status gather(hn_arena *arena, gathering *g, hn_nodes **out) {
  const hn_solver_problem *p = g->problem;
  int blocks = p->row_start[p->rows];
  g->body = HN_TAKE(g->scratch, int, blocks);
  g->pieces = HN_TAKE(g->scratch, piece, p->rows);
  if (g->scratch->failed) return HN_ERROR_MEMORY;
  if (!sort_bodies(p, g->body)) return HN_ERROR_ARGUMENT;
  cut_pieces(g);
  g->sorted = HN_TAKE(g->scratch, int, g->count);
  int *node_of = HN_TAKE(g->scratch, int, g->count), *rows_of = HN_TAKE(g->scratch, int, g->count);
  int *number = HN_TAKE(g->scratch, int, g->count);
  hn_nodes *nodes = HN_TAKE(arena, hn_nodes, 1);
  if (g->scratch->failed || !nodes) return HN_ERROR_MEMORY;
  nodes->bodies = p->bodies;
  nodes->row_start = HN_TAKE(arena, int, g->count + 1);
  nodes->row = HN_TAKE(arena, int, p->rows);
  nodes->body_start = HN_TAKE(arena, int, g->count + 1);
  nodes->body = HN_TAKE(arena, int, blocks);
  nodes->on_ground = HN_TAKE(arena, unsigned char, g->count);
  if (arena->failed) return HN_ERROR_MEMORY;
  for (int k = 0; k < g->count; k++) g->sorted[k] = k;
  if (!sort_by(g, 0) || !sort_by(g, 1)) return HN_ERROR_MEMORY;
  share_nodes(g, node_of, rows_of);
  fill_nodes(g, node_of, number, nodes);
  *out = nodes;
  return HN_OK;
}

hn_status hn_nodes_create(hn_arena *arena, const hn_solver_problem *problem, hn_nodes **nodes) {
  hn_arena scratch;
  hn_arena_init(&scratch, &arena->allocator);
  gathering g = {.scratch = &scratch, .problem = problem};
  hn_status status = gather(arena, &g, nodes);
  hn_arena_release(&scratch);
  return status;
}
