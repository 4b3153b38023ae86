// Assembly of the reduced matrix. For a body with M + rho = L D L' (L differs from 1 in the three
// rotations only) and its panels J_i (rows of node i by 6 speeds)
//
//   W_i' = L^-1 J_i',  V_i' = D^-1 W_i',   B_ij += W_i V_j'      for all pairs of its nodes
//
// Four bodies with equal numbers and sizes of nodes go at once, one in each lane: a chain has one
// kind of them, a vehicle the same few at every corner. The remainder runs with idle lanes.
#include "linalg/block_reduce.h"

#include <math.h>
#include <string.h>

#include "linalg/block_lanes.h"

enum { LANES = 4 };
#define NOISE 1e-15 // a pivot below this part of its diagonal is rounding noise

// ---- set-up -------------------------------------------------------------------------------------

static int panels_of(const hn_system *s, int body) {
  return s->body_start[body + 1] - s->body_start[body];
}

// Sort keys of a body for parts and batches.
typedef struct sorting {
  const hn_system *system;
  const int *part; // (bodies)
  int *list, *spare;
} sorting;

// Of the first node of a body.
static int window_of(const hn_system *s, int body) {
  return panels_of(s, body) > 0 ? hn_window(s->body_node[s->body_start[body]]) : 0;
}

// < 0, 0, > 0 as bodies a and b stand to each other by their parts, windows, the number and the sizes of
// their nodes.
static int compare(const sorting *t, int a, int b) {
  const hn_system *s = t->system;
  int count = panels_of(s, a), difference = t->part[a] - t->part[b];
  if (difference == 0) difference = window_of(s, a) - window_of(s, b);
  if (difference == 0) difference = count - panels_of(s, b);
  for (int i = 0; difference == 0 && i < count; i++)
    difference = s->node_size[s->body_node[s->body_start[a] + i]] -
                 s->node_size[s->body_node[s->body_start[b] + i]];
  return difference;
}

// Bottom-up merging: bodies that are alike keep their order, neighbors stay together.
static void sort_bodies(const sorting *t, int count) {
  int *list = t->list, *spare = t->spare;
  for (int length = 1; length < count; length *= 2) {
    for (int from = 0; from < count; from += 2 * length) {
      int a = from, middle = from + length < count ? from + length : count, b = middle;
      int end = middle + length < count ? middle + length : count;
      for (int k = from; k < end; k++)
        spare[k] =
            b >= end || (a < middle && compare(t, list[a], list[b]) <= 0) ? list[a++] : list[b++];
    }
    memcpy(list, spare, (size_t)count * sizeof(int));
  }
}

// Batches of alike bodies, the last body repeated where there are fewer than LANES.
static void make_batches(const sorting *t, hn_body_reduction *r) {
  int count = 0, batches = 0, part = 0;
  for (int b = 0; b < t->system->bodies; b++)
    if (!r->is_kept[b]) t->list[count++] = b;
  sort_bodies(t, count);
  for (int k = 0; k < count;) {
    int *batch = &r->batch[LANES * batches], used = 0;
    while (part < t->part[t->list[k]]) r->batch_start[++part] = batches;
    for (; used < LANES && k < count && compare(t, t->list[k], batch[0]) * used == 0; used++)
      batch[used] = t->list[k++];
    for (int l = used; l < LANES; l++) batch[l] = batch[used - 1];
    r->window[batches] = window_of(t->system, batch[0]);
    r->used[batches++] = used;
  }
  while (part < r->parts) r->batch_start[++part] = batches;
}

// Subtrees are the first parts, all other bodies the last.
static void find_parts(const hn_system *s, const hn_topology *t, int *part) {
  for (int b = 0; b < s->bodies; b++) {
    int of = panels_of(s, b) > 0 ? t->limb[s->body_node[s->body_start[b]]] : -1;
    part[b] = of < 0 ? t->limbs : of;
  }
}

static hn_status find_targets(hn_arena *arena, const hn_topology *t, const int *part,
                              hn_body_reduction *r) {
  const hn_system *s = r->system;
  int pairs = 0;
  for (int b = 0; b < s->bodies; b++) {
    int count = r->is_kept[b] ? 0 : panels_of(s, b);
    if (count > r->most_panels) r->most_panels = count;
    r->pair_start[b] = pairs;
    pairs += count * (count + 1) / 2;
  }
  r->pair_start[s->bodies] = pairs;
  r->target = HN_TAKE(arena, int, pairs);
  if (arena->failed) return HN_ERROR_MEMORY;
  for (int k = 0; k < s->nodes; k++) {
    const int pad = s->node_pad[k], last = s->node_size[k] - 1;
    for (int a = 0; a < pad; a++)
      r->diagonal[s->y_at[k] + a] = t->at[k] + (1 + pad) * (a < last ? a : last);
  }
  for (int b = 0, at = 0; b < s->bodies; b++) {
    int limb = part[b] == r->parts - 1 ? -1 : part[b];
    for (int i = s->body_start[b]; !r->is_kept[b] && i < s->body_start[b + 1]; i++)
      for (int j = i; j < s->body_start[b + 1]; j++)
        r->target[at++] = hn_topology_block_of(t, limb, s->body_node[i], s->body_node[j]);
  }
  return HN_OK;
}

hn_status hn_body_reduction_create(hn_arena *arena, const hn_system *s, const hn_topology *t,
                                   hn_body_reduction *r) {
  hn_arena scratch;
  *r = (hn_body_reduction){.system = s, .parts = t->limbs + 1};
  hn_arena_init(&scratch, &arena->allocator);
  r->is_kept = HN_TAKE(arena, unsigned char, s->bodies);
  r->pair_start = HN_TAKE(arena, int, s->bodies + 1);
  r->diagonal = HN_TAKE(arena, int, s->y_size);
  r->batch_start = HN_TAKE(arena, int, r->parts + 1);
  r->inverse = HN_KEEP(arena, double, 9 * s->bodies);
  int *batch = HN_TAKE(&scratch, int, LANES * s->bodies);
  int *part = HN_TAKE(&scratch, int, s->bodies);
  sorting sort = {.system = s, .part = part};
  sort.list = HN_TAKE(&scratch, int, s->bodies);
  sort.spare = HN_TAKE(&scratch, int, s->bodies);
  r->used = HN_TAKE(&scratch, int, s->bodies);
  r->window = HN_TAKE(&scratch, int, s->bodies);
  r->next = HN_KEEP(arena, int, r->parts);
  hn_status status = arena->failed || scratch.failed ? HN_ERROR_MEMORY : HN_OK;
  if (status == HN_OK) {
    r->batch = batch;
    for (int k = 0; k < s->nodes; k++)
      if (s->kept_body[k] >= 0) r->is_kept[s->kept_body[k]] = 1;
    find_parts(s, t, part);
    make_batches(&sort, r);
    size_t batches = (size_t)r->batch_start[r->parts];
    r->batch = hn_arena_copy(arena, batch, LANES * batches, sizeof(int));
    r->used = hn_arena_copy(arena, r->used, batches, sizeof(int));
    r->window = hn_arena_copy(arena, r->window, batches, sizeof(int));
    status = find_targets(arena, t, part, r);
  }
  hn_arena_release(&scratch);
  if (status != HN_OK) return status;
  r->room_of_part = (size_t)(72 * LANES * r->most_panels + 44);
  r->room = HN_KEEP(arena, double, r->room_of_part *(size_t)r->parts);
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

// (M + rho)^-1 x
HN_INLINE void solve_body(int wide, const double *e, const double *x, hn_lanes *out) {
  const double w3 = x[3], w4 = x[4] - e[3] * w3, w5 = x[5] - e[4] * w3 - e[5] * w4;
  const double z5 = w5 * e[8], z4 = w4 * e[7] - e[5] * z5, z3 = w3 * e[6] - e[3] * z4 - e[4] * z5;
  lanes_set(wide, out, x[0] * e[0], x[1] * e[1], x[2] * e[2], z3, z4, z5);
}

// ---- numbers ------------------------------------------------------------------------------------

// out[i]: number i of each of four arrays, i < 4.
HN_INLINE void gather_four(int wide, const double *const p[LANES], hn_lanes out[4]) {
  HN_UNROLL for (int l = 0; l < LANES; l++) lanes_load(wide, 4, &out[l], p[l]);
  lanes_transpose(wide, &out[0], &out[1], &out[2], &out[3]);
}

static const int diagonal_of_m[6] = {0, 1, 2, 3, 5, 8}; // in the 9 numbers of a body

HN_INLINE void add_rho(int wide, const hn_system *s, const int *body, hn_lanes m[9]) {
  for (int i = 0; i < 6; i++) {
    const double numbers[LANES] = {s->rho_x[6 * body[0] + i], s->rho_x[6 * body[1] + i],
                                   s->rho_x[6 * body[2] + i], s->rho_x[6 * body[3] + i]};
    hn_lanes rho;
    lanes_load(wide, 4, &rho, numbers);
    lanes_add(wide, 4, &m[diagonal_of_m[i]], 1, &rho);
  }
}

// L D L' of four bodies into e: 3 inverse masses, l10, l20, l21, 3 inverse pivots.
HN_INLINE void factor_bodies(int wide, const hn_body_reduction *r, const int *body, hn_lanes e[9]) {
  const hn_system *s = r->system;
  const double *p[LANES];
  hn_lanes m[9];
  HN_UNROLL for (int l = 0; l < LANES; l++) p[l] = &s->m[9 * body[l]];
  gather_four(wide, p, m);
  HN_UNROLL for (int l = 0; l < LANES; l++) p[l] += 4;
  gather_four(wide, p, m + 4);
  const double last[LANES] = {p[0][4], p[1][4], p[2][4], p[3][4]};
  lanes_load(wide, 4, &m[8], last);
  if (s->traits.is_light) add_rho(wide, s, body, m);
  HN_UNROLL for (int i = 0; i < 3; i++) {
    lanes_load(wide, 4, &e[i], m[i].v);
    lanes_invert(wide, 4, &e[i]);
  }
  e[6] = m[3];
  lanes_invert(wide, 4, &e[6]);
  lanes_multiply(wide, 4, &e[3], &m[4], &e[6]);
  lanes_multiply(wide, 4, &e[4], &m[6], &e[6]);
  lanes_subtract_product(wide, 4, &m[5], &e[3], &m[4]);
  lanes_subtract_product(wide, 4, &m[7], &e[4], &m[4]);
  lanes_subtract_product(wide, 4, &m[8], &e[4], &m[6]);
  e[7] = m[5];
  lanes_invert(wide, 4, &e[7]);
  lanes_multiply(wide, 4, &e[5], &m[7], &e[7]);
  lanes_subtract_product(wide, 4, &m[8], &e[5], &m[7]);
  e[8] = m[8];
  lanes_invert(wide, 4, &e[8]);
}

HN_INLINE void store_bodies(int wide, const int *body, const hn_lanes e[9], double *inverse) {
  hn_lanes part[4];
  HN_UNROLL for (int from = 0; from < 8; from += 4) {
    HN_UNROLL for (int i = 0; i < 4; i++) part[i] = e[from + i];
    lanes_transpose(wide, &part[0], &part[1], &part[2], &part[3]);
    HN_UNROLL for (int l = 0; l < LANES; l++)
        lanes_store(wide, 4, &part[l], &inverse[9 * body[l] + from]);
  }
  double last[LANES];
  lanes_store(wide, 4, &e[8], last);
  HN_UNROLL for (int l = 0; l < LANES; l++) inverse[9 * body[l] + 8] = last[l];
}

// W and V of one row of four panels, six speeds each.
HN_INLINE void make_row(int wide, const double *const j[LANES], const hn_lanes e[9], double *w,
                        double *v) {
  hn_lanes row[6], out;
  gather_four(wide, j, row);
  lanes_join(wide, &row[4], &row[5], j[0] + 4, j[1] + 4, j[2] + 4, j[3] + 4);
  lanes_subtract_product(wide, 4, &row[4], &e[3], &row[3]);
  lanes_subtract_product(wide, 4, &row[5], &e[4], &row[3]);
  lanes_subtract_product(wide, 4, &row[5], &e[5], &row[4]);
  HN_UNROLL for (int c = 0; c < 6; c++) {
    lanes_store(wide, 4, &row[c], w + LANES * c);
    lanes_multiply(wide, 4, &out, &row[c], &e[c < 3 ? c : c + 3]);
    lanes_store(wide, 4, &out, v + LANES * c);
  }
}

HN_INLINE void make_panels(int wide, const hn_system *s, const int *body, const hn_lanes e[9],
                           double *all_w, double *all_v) {
  const int count = panels_of(s, body[0]);
  for (int i = 0; i < count; i++) {
    const int size = s->node_size[s->body_node[s->body_start[body[0]] + i]];
    const double *j[LANES];
    int step[LANES];
    double *w = all_w + 36 * LANES * i, *v = all_v + 36 * LANES * i;
    HN_UNROLL for (int l = 0; l < LANES; l++) {
      const int at = s->body_start[body[l]] + i;
      j[l] = hn_panel(s, s->body_panel[at]);
      step[l] = s->node_step[s->body_node[at]];
    }
    for (int a = 0; a < size; a++, w += 6 * LANES, v += 6 * LANES) {
      make_row(wide, j, e, w, v);
      HN_UNROLL for (int l = 0; l < LANES; l++) j[l] += step[l];
    }
  }
}

// sum = W of one row times V of another
HN_INLINE void multiply_rows(int wide, const hn_lanes w[6], const double *v, hn_lanes *sum) {
  hn_lanes row;
  lanes_load(wide, 4, &row, v);
  lanes_multiply(wide, 4, sum, &w[0], &row);
  HN_UNROLL for (int c = 1; c < 6; c++) {
    lanes_load(wide, 4, &row, v + LANES * c);
    lanes_add_product(wide, 4, sum, &w[c], &row);
  }
}

HN_INLINE void add_to(int wide, int count, const hn_lanes *sum, double *to) {
  hn_lanes old;
  lanes_load(wide, count, &old, to);
  lanes_add(wide, count, &old, 1, sum);
  lanes_store(wide, count, &old, to);
}

// Columns `first` .. + 4 or + 2 of one row of four blocks with `size` columns.
// Those from `last` on are not wanted, and nothing is added to them.
HN_INLINE void add_columns(int wide, int size, int first, int last, const hn_lanes w[6],
                           const double *v, double *const to[LANES]) {
  const int count = HN_PAD(size) - first >= 4 && last - first > 2 ? 4 : 2;
  hn_lanes sum[4] = {{{0, 0, 0, 0, 0, 0}}};
  HN_UNROLL for (int q = 0; q < count; q++) {
    if (first + q < last)
      multiply_rows(wide, w, v + 6 * LANES * (first + q), &sum[q]);
    else
      lanes_fill(wide, 4, &sum[q], 0);
  }
  if (count == 4) {
    lanes_transpose(wide, &sum[0], &sum[1], &sum[2], &sum[3]);
    HN_UNROLL for (int l = 0; l < LANES; l++) add_to(wide, 4, &sum[l], to[l] + first);
  } else {
    hn_lanes part[4];
    lanes_part(wide, &sum[0], &sum[1], part);
    HN_UNROLL for (int l = 0; l < LANES; l++) add_to(wide, 2, &part[l], to[l] + first);
  }
}

// Four blocks += W V'
HN_INLINE void add_blocks(int wide, int size, int rows, const double *w, const double *v,
                          double *to[LANES]) {
  for (int a = 0; a < rows; a++, w += 6 * LANES) {
    hn_lanes row[6];
    HN_UNROLL for (int c = 0; c < 6; c++) lanes_load(wide, 4, &row[c], w + LANES * c);
    add_columns(wide, size, 0, size, row, v, to);
    if (size > 4) add_columns(wide, size, 4, size, row, v, to);
    HN_UNROLL for (int l = 0; l < LANES; l++) to[l] += HN_PAD(size);
  }
}

// The same for the own blocks of nodes, the lower triangles alone.
HN_INLINE void add_own_blocks(int wide, int size, const double *w, const double *v,
                              double *to[LANES]) {
  HN_UNROLL for (int a = 0; a < size; a++) {
    hn_lanes row[6];
    HN_UNROLL for (int c = 0; c < 6; c++) lanes_load(wide, 4, &row[c], w + LANES * (6 * a + c));
    add_columns(wide, size, 0, a + 1, row, v, to);
    if (a >= 4) add_columns(wide, size, 4, a + 1, row, v, to);
    HN_UNROLL for (int l = 0; l < LANES; l++) to[l] += HN_PAD(size);
  }
}

HN_INLINE void add_products(int wide, const hn_body_reduction *r, const int *body, int used,
                            const double *all_w, const double *all_v, double *waste,
                            double *values) {
  const hn_system *s = r->system;
  const int count = panels_of(s, body[0]), *node = &s->body_node[s->body_start[body[0]]];
  int pair = 0;
  for (int i = 0; i < count; i++) {
    const double *w = all_w + 36 * LANES * i;
    for (int j = i; j < count; j++, pair++) {
      const int size = s->node_size[node[j]];
      double *to[LANES];
      HN_UNROLL for (int l = 0; l < LANES; l++) to[l] =
          l < used ? values + r->target[r->pair_start[body[l]] + pair] : waste;
      if (i == j)
        HN_BY_SIZE(wide, size, add_own_blocks, w, all_v + 36 * LANES * j, to);
      else
        HN_BY_SIZE(wide, size, add_blocks, s->node_size[node[i]], w, all_v + 36 * LANES * j, to);
    }
  }
}

// The rows of the first joints of these bodies will be read soon.
HN_INLINE void foresee(const hn_system *s, const int *body) {
  enum { LINE = 8 }; // numbers
  for (int l = 0; l < LANES; l++) {
    HN_PREFETCH(&s->m[9 * body[l]]);
    if (panels_of(s, body[l]) == 0) continue;
    const int at = s->body_start[body[l]], k = s->body_node[at];
    const double *j = hn_panel(s, s->body_panel[at]);
    for (int i = 0; i < s->node_size[k] * s->node_step[k]; i += LINE) HN_PREFETCH(j + i);
  }
}

HN_INLINE void assemble(int wide, hn_body_reduction *r, int part, int window, double *values) {
  double *w = r->room + r->room_of_part * (size_t)part, *v = w + 36 * LANES * r->most_panels;
  double *waste = v + 36 * LANES * r->most_panels;
  int k = r->next[part];
  for (; k < r->batch_start[part + 1] && r->window[k] <= window; k++) {
    const int *body = &r->batch[LANES * k], used = r->used[k];
    hn_lanes e[9];
    if (r->system->traits.is_large && k + 1 < r->batch_start[part + 1])
      foresee(r->system, body + LANES);
    factor_bodies(wide, r, body, e);
    store_bodies(wide, body, e, r->inverse);
    for (int l = 0; r->b && l < used; l++) {
      hn_lanes t;
      solve_body(wide, &r->inverse[9 * body[l]], &r->b[6 * body[l]], &t);
      lanes_store(wide, 6, &t, &r->system->sweep.rest[6 * body[l]]);
    }
    make_panels(wide, r->system, body, e, w, v);
    add_products(wide, r, body, used, w, v, waste, values);
  }
  r->next[part] = k;
}

HN_VARIANTS(assemble, (hn_body_reduction * r, int part, int window, double *values),
            (r, part, window, values))

void hn_body_reduction_assemble(hn_body_reduction *r, int part, int window, double *values) {
  HN_PICK(r->system->wide, assemble)(r, part, window, values);
}

void hn_body_reduction_restart(hn_body_reduction *r) {
  memcpy(r->next, r->batch_start, (size_t)r->parts * sizeof(int));
}

// Units of rows at places from ... to of y, both even, by the diagonal of B.
HN_INLINE void find_units(int wide, const hn_body_reduction *r, int from, int to,
                          const double *values) {
  const int *at = r->diagonal;
  hn_lanes unit;
  int i = from;
  for (; i + 4 <= to; i += 4) {
    lanes_set(wide, &unit, values[at[i]], values[at[i + 1]], values[at[i + 2]], values[at[i + 3]],
              1, 1);
    lanes_unit(wide, 4, &unit);
    lanes_store(wide, 4, &unit, &r->system->r[i]);
  }
  if (i == to) return;
  lanes_set(wide, &unit, values[at[i]], values[at[i + 1]], 1, 1, 1, 1);
  lanes_unit(0, 2, &unit);
  lanes_store(0, 2, &unit, &r->system->r[i]);
}

HN_VARIANTS(find_units, (const hn_body_reduction *r, int from, int to, const double *values),
            (r, from, to, values))

// Kept bodies have the units of their speeds.
static void units_of_kept(const hn_system *s, const int *list, int from, int to) {
  for (int i = from; i < to; i++) {
    const int k = list ? list[i] : i, body = s->kept_body[k];
    if (body < 0) continue;
    if (s->d)
      memcpy(&s->r[s->y_at[k]], &s->d[6 * body], 6 * sizeof(double));
    else
      hn_units_of_body(&s->m[9 * body], &s->r[s->y_at[k]]);
  }
}

static void shift_node(const hn_body_reduction *r, int k, double *values) {
  const hn_system *s = r->system;
  for (int i = s->y_at[k]; s->kept_body[k] < 0 && i < s->y_at[k] + s->node_size[k]; i++) {
    double *diagonal = &values[r->diagonal[i]];
    *diagonal += s->epsilon_y[i];
    if (s->traits.is_light)
      s->least[i] = fmax(HN_SYSTEM_LEAST, NOISE * (*diagonal * s->r[i] * s->r[i]));
  }
}

void hn_body_reduction_regularize(hn_body_reduction *r, const int *list, int from, int to,
                                  double *values) {
  const hn_system *s = r->system;
  if (hn_units_by_diagonal(s)) {
    if (!list) HN_PICK(s->wide, find_units)(r, s->y_at[from], s->y_at[to], values);
    for (int i = from; list && i < to; i++)
      HN_PICK(s->wide, find_units)(r, s->y_at[list[i]], s->y_at[list[i] + 1], values);
    if (s->traits.has_kept) units_of_kept(s, list, from, to);
    return;
  }
  for (int i = from; !s->traits.is_plain && i < to; i++) shift_node(r, list ? list[i] : i, values);
}

// ---- there and back -----------------------------------------------------------------------------

HN_INLINE void begin_bodies(int wide, const hn_body_reduction *r, const double *b, int from,
                            int to) {
  for (int k = from; k < to; k++) {
    hn_lanes t = {{0, 0, 0, 0, 0, 0}};
    if (!r->is_kept[k]) solve_body(wide, &r->inverse[9 * k], &b[6 * k], &t);
    lanes_store(wide, 6, &t, &r->system->sweep.rest[6 * k]); // free until the end
  }
}

HN_VARIANTS(begin_bodies, (const hn_body_reduction *r, const double *b, int from, int to),
            (r, b, from, to))

void hn_body_reduction_begin(const hn_body_reduction *r, const double *b, int from, int to) {
  HN_PICK(r->system->wide, begin_bodies)(r, b, from, to);
}

// rest -= J' y of one panel
HN_INLINE void subtract_panel(int wide, int size, const double *j, int step, const double *y,
                              hn_lanes *rest) {
  hn_lanes row;
  HN_UNROLL for (int a = 0; a < size; a++) {
    lanes_load(wide, 6, &row, j + step * a);
    lanes_subtract(wide, 6, rest, y[a], &row);
  }
}

HN_INLINE void finish_bodies(int wide, const hn_body_reduction *r, const double *b, double *x,
                             const double *y, int adds, int from, int to) {
  static const double zero[6] = {0, 0, 0, 0, 0, 0};
  const hn_system *s = r->system;
  for (int body = from; body < to; body++) {
    hn_lanes rest;
    lanes_load(wide, 6, &rest, b ? &b[6 * body] : zero);
    for (int p = s->body_start[body]; p < s->body_start[body + 1]; p++) {
      const int k = s->body_node[p];
      HN_BY_SIZE(wide, s->node_size[k], subtract_panel, hn_panel(s, s->body_panel[p]),
                 s->node_step[k], y + s->y_at[k], &rest);
    }
    lanes_store(wide, 6, &rest, &s->sweep.rest[6 * body]);
  }
  // A loop of its own: each is a chain of dependent operations, and short ones overlap.
  for (int body = from; body < to; body++) {
    hn_lanes out, old;
    solve_body(wide, &r->inverse[9 * body], &s->sweep.rest[6 * body], &out);
    if (adds) {
      lanes_load(wide, 6, &old, &x[6 * body]);
      lanes_add(wide, 6, &out, 1, &old);
    }
    lanes_store(wide, 6, &out, &x[6 * body]);
  }
}

HN_VARIANTS(finish_bodies,
            (const hn_body_reduction *r, const double *b, double *x, const double *y, int adds,
             int from, int to),
            (r, b, x, y, adds, from, to))

void hn_body_reduction_end(const hn_body_reduction *r, const double *b, double *x, const double *y,
                           int adds, int from, int to) {
  HN_PICK(r->system->wide, finish_bodies)(r, b, x, y, adds, from, to);
}
