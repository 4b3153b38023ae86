// The scaled, padded system of solver_system.h: its layout and its numbers. Scales are those of
// saddle.c: speeds to unit diagonals of M, rows to unit length then, both to the next power of two.
// Not here: residuals and refinement (solver_refine.c).
#include "linalg/solver_system.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "linalg/block_lanes.h"
#include "linalg/share.h"

// ---- layout -------------------------------------------------------------------------------------

static int take_fixed(hn_arena *arena, const hn_solver_problem *p, const hn_nodes *nodes,
                      hn_system *s) {
  int blocks = p->row_start[p->rows], panels = nodes->body_start[nodes->count];
  s->node_size = HN_TAKE(arena, int, s->nodes);
  s->node_pad = HN_TAKE(arena, int, s->nodes);
  s->y_at = HN_TAKE(arena, int, s->nodes + 1);
  s->kept_body = HN_TAKE(arena, int, s->nodes);
  s->row_start = HN_TAKE(arena, int, s->nodes + 1);
  s->row_y = HN_TAKE(arena, int, p->rows);
  s->row_node = HN_TAKE(arena, int, p->rows);
  s->panel_start = HN_TAKE(arena, int, s->nodes + 1);
  s->panel_body = HN_TAKE(arena, int, panels);
  s->panel_at = HN_TAKE(arena, int, panels);
  s->body_start = HN_TAKE(arena, int, p->bodies + 1);
  s->body_panel = HN_TAKE(arena, int, panels);
  s->body_node = HN_TAKE(arena, int, panels);
  s->block_start = hn_arena_copy(arena, p->row_start, (size_t)p->rows + 1, sizeof(int));
  s->block_body = HN_TAKE(arena, int, blocks);
  s->block_at = HN_TAKE(arena, int, blocks);
  s->soft = HN_TAKE(arena, unsigned char, p->rows);
  s->released = HN_TAKE(arena, unsigned char, p->rows);
  if (p->soft && !arena->failed) memcpy(s->soft, p->soft, (size_t)p->rows);
  return !arena->failed;
}

// Adds node `from` of `nodes` as node k; at: end of j so far. Returns the new end.
static int place_node(const hn_nodes *nodes, int from, int k, int at, hn_system *s) {
  int panel = s->panel_start[k], place = s->row_start[k];
  for (int b = nodes->body_start[from]; b < nodes->body_start[from + 1]; b++, panel++) {
    s->panel_body[panel] = nodes->body[b];
    s->panel_at[panel] = at;
    at += 6 * s->node_size[k];
  }
  for (int i = nodes->row_start[from]; i < nodes->row_start[from + 1]; i++, place++) {
    int row = nodes->row[i], in_node = place - s->row_start[k];
    s->row_y[row] = s->y_at[k] + in_node;
    s->row_node[row] = k;
    for (int b = s->block_start[row]; b < s->block_start[row + 1]; b++) {
      int slot = s->panel_start[k];
      while (s->panel_body[slot] != s->block_body[b]) slot++;
      s->block_at[b] = s->panel_at[slot] + 6 * in_node;
    }
  }
  s->panel_start[k + 1] = panel;
  s->row_start[k + 1] = place;
  return at;
}

static int place_nodes(const hn_nodes *nodes, const int *order, hn_system *s) {
  int at = 0;
  for (int k = 0; k < s->nodes; k++) {
    int from = order ? order[k] : k, is_body = from < 0;
    s->kept_body[k] = is_body ? -1 - from : -1;
    s->node_size[k] = is_body ? 6 : hn_node_size(nodes, from);
    s->node_pad[k] = HN_PAD(s->node_size[k]);
    s->y_at[k + 1] = s->y_at[k] + s->node_pad[k];
    if (is_body) {
      s->panel_start[k + 1] = s->panel_start[k];
      s->row_start[k + 1] = s->row_start[k];
    } else {
      at = place_node(nodes, from, k, at, s);
    }
  }
  return at;
}

// Panels by bodies, as they follow each other in the order of nodes.
static void list_by_bodies(hn_system *s) {
  for (int p = 0; p < s->panel_start[s->nodes]; p++) s->body_start[s->panel_body[p] + 1]++;
  for (int b = 0; b < s->bodies; b++) s->body_start[b + 1] += s->body_start[b];
  for (int k = 0; k < s->nodes; k++)
    for (int p = s->panel_start[k]; p < s->panel_start[k + 1]; p++) {
      int at = s->body_start[s->panel_body[p]]++;
      s->body_panel[at] = s->panel_at[p];
      s->body_node[at] = k;
    }
  for (int b = s->bodies; b > 0; b--) s->body_start[b] = s->body_start[b - 1];
  s->body_start[0] = 0;
}

hn_status hn_system_create(hn_arena *arena, const hn_solver_problem *p, const hn_nodes *nodes,
                           const int *order, int order_length, int room, hn_system *s) {
  *s = (hn_system){.bodies = p->bodies,
                   .rows = p->rows,
                   .nodes = order ? order_length : nodes->count,
                   .x_size = 6 * p->bodies,
                   .soft_epsilon = p->soft_epsilon,
                   .is_light = hn_solver_light_body(p) > 0,
                   .wide = hn_block_wide(),
                   .threads = p->threads};
  if (s->is_light) s->rho = HN_SYSTEM_RHO;
  if (s->is_light) s->hard_epsilon = HN_SYSTEM_EPSILON;
  for (int r = 0; p->soft && r < p->rows; r++) s->has_soft |= p->soft[r] != 0;
  if (!take_fixed(arena, p, nodes, s)) return HN_ERROR_MEMORY;
  for (int b = 0; b < p->row_start[p->rows]; b++) s->block_body[b] = p->body[b] - 1;
  int entries = place_nodes(nodes, order, s), y_size = s->y_at[s->nodes];
  list_by_bodies(s);
  s->size = s->x_size + y_size;
  s->d = HN_TAKE(arena, double, s->x_size);
  s->r = HN_TAKE(arena, double, y_size);
  s->epsilon = HN_TAKE(arena, double, y_size);
  const int limits = s->is_light ? y_size : HN_NODE_ROWS;
  s->least = HN_TAKE(arena, double, limits);
  s->m = HN_TAKE(arena, double, 9 * p->bodies);
  s->j = HN_TAKE(arena, double, entries);
  double **vectors[] = {&s->f, &s->z, &s->residual, &s->bound};
  for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++)
    *vectors[k] = HN_TAKE(arena, double, s->size + (k == 1 || k == 2 ? room : 0));
  s->rest = HN_TAKE(arena, double, s->x_size);
  if (arena->failed) return HN_ERROR_MEMORY;
  for (int i = 0; i < limits; i++) s->least[i] = HN_SYSTEM_LEAST;
  hn_system_regularize(s, 0);
  return HN_OK;
}

hn_solver hn_system_solver(hn_system *s, const hn_solver_type *type, double operations) {
  return (hn_solver){.type = type,
                     .rows = s->rows,
                     .system = s,
                     .soft = s->soft,
                     .released = s->released,
                     .operations = operations};
}

void hn_system_release(hn_system *s, const unsigned char *released) {
  int changes = 0;
  if (!released && !s->has_released) return;
  s->has_released = 0;
  for (int r = 0; r < s->rows; r++) {
    unsigned char now = released && released[r];
    changes |= s->released[r] ^ now;
    s->released[r] = now;
    s->has_released |= now != 0;
  }
  if (changes) hn_system_regularize(s, s->is_hard);
}

void hn_system_regularize(hn_system *s, int is_hard) {
  s->is_hard = is_hard;
  s->is_plain = !s->is_light;
  for (int r = 0; r < s->rows; r++) {
    double epsilon = s->released[r]              ? 1
                     : s->soft[r] && !s->is_hard ? s->soft_epsilon
                                                 : s->hard_epsilon;
    s->epsilon[s->row_y[r]] = epsilon;
    if (epsilon > 0) s->is_plain = 0;
  }
}

// ---- scaling ------------------------------------------------------------------------------------

// The power of two next to 1 / sqrt(x), x > 0 and normal: half the exponent of x, rounded up.
HN_INLINE double inverse_root(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  int64_t exponent = (int64_t)(bits >> 52) - 1023; // x = 2^exponent * [1, 2)
  bits = (uint64_t)(1023 - ((exponent + 1) >> 1)) << 52;
  memcpy(&x, &bits, sizeof x);
  return x;
}

// The power of two next to x.
static double power_of_two(double x) {
  int exponent;
  double fraction = frexp(x, &exponent);
  return ldexp(1, fraction > 0.70710678118654752 ? exponent : exponent - 1);
}

static const int diagonal_of_m[6] = {0, 1, 2, 3, 5, 8}; // in the 9 numbers of a body

// Speeds with (almost) no inertia of their own take the scale at which the rows that hold them see
// them as large as the others (saddle.c); d is 0 for them on entry.
static void scale_light_speeds(hn_system *s, const double *mass, const double *blocks,
                               double *wanted) {
  memset(wanted, 0, (size_t)s->x_size * sizeof(double));
  for (int r = 0; r < s->rows; r++) {
    double others = 0;
    for (int k = 6 * s->block_start[r]; k < 6 * s->block_start[r + 1]; k++) {
      double entry = blocks[k] * s->d[6 * s->block_body[k / 6] + k % 6];
      others += entry * entry;
    }
    for (int k = 6 * s->block_start[r]; k < 6 * s->block_start[r + 1]; k++) {
      int i = 6 * s->block_body[k / 6] + k % 6;
      if (s->d[i] > 0) continue;
      double want = others > 0 ? blocks[k] * blocks[k] / others : blocks[k] * blocks[k];
      if (want > wanted[i]) wanted[i] = want;
    }
  }
  for (int i = 0; i < s->x_size; i++) {
    if (s->d[i] > 0) continue;
    double m = mass[9 * (i / 6) + diagonal_of_m[i % 6]];
    double by_rows = wanted[i] > 0 ? 1 / sqrt(wanted[i]) : 0, by_mass = m > 0 ? 1 / sqrt(m) : 0;
    if (by_rows > 0 && (by_mass <= 0 || by_mass > 1e6 * by_rows))
      s->d[i] = power_of_two(by_rows);
    else
      s->d[i] = by_mass > 0 ? power_of_two(by_mass) : 1;
  }
}

static void load_mass(hn_system *s, const double *mass, const double *blocks) {
  double most = 0;
  int light = 0;
  for (int b = 0; b < s->bodies; b++)
    for (int i = 0; i < 6; i++) {
      double m = mass[9 * b + diagonal_of_m[i]];
      if (m > most) most = m;
    }
  for (int b = 0; b < s->bodies; b++)
    for (int i = 0; i < 6; i++) {
      double m = mass[9 * b + diagonal_of_m[i]];
      int is_light = !(m > 1e-13 * most);
      s->d[6 * b + i] = is_light ? 0 : inverse_root(m);
      light += is_light;
    }
  if (light > 0) scale_light_speeds(s, mass, blocks, s->residual);
  for (int b = 0; b < s->bodies; b++) {
    const double *d = &s->d[6 * b], *from = &mass[9 * b];
    double *m = &s->m[9 * b];
    for (int i = 0; i < 3; i++) m[i] = from[i] * d[i] * d[i];
    m[3] = from[3] * d[3] * d[3];
    m[4] = from[4] * d[3] * d[4];
    m[5] = from[5] * d[4] * d[4];
    m[6] = from[6] * d[3] * d[5];
    m[7] = from[7] * d[4] * d[5];
    m[8] = from[8] * d[5] * d[5];
  }
}

// The numbers of one block with scaled speeds; their squares are added to sum.
HN_INLINE void scale_block(int wide, const double *v, const double *d, hn_lanes *out,
                           hn_lanes *sum) {
  hn_lanes scale, square;
  lanes_load(wide, 6, out, v);
  lanes_load(wide, 6, &scale, d);
  lanes_multiply(wide, 6, out, out, &scale);
  lanes_multiply(wide, 6, &square, out, out);
  lanes_add(wide, 6, sum, 1, &square);
}

HN_INLINE double row_scale(const hn_system *s, int row, const hn_lanes *squares) {
  const double sum = lanes_sum(6, squares);
  return s->released[row] ? 0 : sum > 0 ? inverse_root(sum) : 1;
}

// A row on two bodies, the usual case, without loops.
HN_INLINE void load_row_of_two(int wide, const hn_system *s, const double *blocks, int row) {
  const int b = s->block_start[row];
  hn_lanes first, second, sum = {{0, 0, 0, 0, 0, 0}};
  scale_block(wide, &blocks[6 * b], &s->d[6 * s->block_body[b]], &first, &sum);
  scale_block(wide, &blocks[6 * b + 6], &s->d[6 * s->block_body[b + 1]], &second, &sum);
  const double r = row_scale(s, row, &sum);
  s->r[s->row_y[row]] = r;
  lanes_scale(wide, 6, &first, r, &first);
  lanes_store(wide, 6, &first, &s->j[s->block_at[b]]);
  lanes_scale(wide, 6, &second, r, &second);
  lanes_store(wide, 6, &second, &s->j[s->block_at[b + 1]]);
}

HN_INLINE void load_row(int wide, const hn_system *s, const double *blocks, int row) {
  const int first = s->block_start[row], last = s->block_start[row + 1];
  hn_lanes block, sum = {{0, 0, 0, 0, 0, 0}};
  for (int b = first; b < last; b++) {
    scale_block(wide, &blocks[6 * b], &s->d[6 * s->block_body[b]], &block, &sum);
    lanes_store(wide, 6, &block, &s->j[s->block_at[b]]);
  }
  const double r = row_scale(s, row, &sum);
  s->r[s->row_y[row]] = r;
  for (int b = first; b < last; b++) {
    lanes_load(wide, 6, &block, &s->j[s->block_at[b]]);
    lanes_scale(wide, 6, &block, r, &block);
    lanes_store(wide, 6, &block, &s->j[s->block_at[b]]);
  }
}

HN_INLINE void load_rows(int wide, const hn_system *s, const double *blocks, int from, int to) {
  for (int row = from; row < to; row++) {
    if (s->block_start[row + 1] - s->block_start[row] == 2)
      load_row_of_two(wide, s, blocks, row);
    else
      load_row(wide, s, blocks, row);
  }
}

HN_VARIANTS(load_rows, (const hn_system *s, const double *blocks, int from, int to),
            (s, blocks, from, to))

typedef struct loading {
  const hn_system *system;
  const double *blocks;
} loading;

static void load_range(void *context, int from, int to) {
  const loading *l = context;
  HN_PICK(l->system->wide, load_rows)(l->system, l->blocks, from, to);
}

void hn_system_load(hn_system *s, const double *mass, const double *blocks) {
  load_mass(s, mass, blocks);
  loading l = {s, blocks};
  hn_share(s->threads, load_range, &l, s->rows, 4 * HN_BODY_GRAIN);
}
