// The equations of an iteration for many contacts (many.h): the graph of bodies, pattern, numbers.
#include <math.h>
#include <string.h>

#include "contact/many.h"
#include "linalg/factors.h"
#include "linalg/order.h"

// Memory of factors: all bodies coupled with all, at most this.
#define POOL_MOST ((size_t)96 << 20)
#define POOL_LEAST ((size_t)4 << 20)
#define LINE ((size_t)64)

// The number of body pairs in contact is at most that of points, and of all pairs.
static size_t entries_at_most(size_t n, size_t points) {
  return 36 * (n * n / 2 < points ? n * n / 2 : points) + 21 * n;
}

hn_status hn_many_extend(hn_arena *arena, int points, hn_many *self) {
  const size_t most = (size_t)points, entries = entries_at_most((size_t)self->bodies, most);
  self->points = points;
  self->neighbor = HN_KEEP(arena, int, 2 * most);
  self->slot = (int(*)[2])(void *)HN_KEEP(arena, int, 2 * most);
  self->row = HN_KEEP(arena, int, entries);
  self->upper = HN_KEEP(arena, double, entries);
  self->lower = HN_KEEP(arena, double, entries);
  self->cone = HN_KEEP(arena, hn_smooth_cone, most);
  self->step = (double(*)[3])(void *)HN_KEEP(arena, double, 3 * most);
  self->from = (double(*)[3])(void *)HN_KEEP(arena, double, 3 * most);
  self->best = (double(*)[3])(void *)HN_KEEP(arena, double, 3 * most);
  self->slip = HN_KEEP(arena, double, most);
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

hn_status hn_many_create(hn_arena *arena, int bodies, int points, hn_many *self) {
  const size_t n = (size_t)bodies;
  *self = (hn_many){.bodies = bodies};
  self->pool_size =
      36 * n * n * sizeof(double) + 40 * entries_at_most(n, (size_t)points) + POOL_LEAST;
  if (self->pool_size > POOL_MOST) self->pool_size = POOL_MOST;
  self->pool = HN_KEEP(arena, unsigned char, self->pool_size);
  self->node = HN_KEEP(arena, int, n);
  self->body = HN_KEEP(arena, int, n);
  self->start = HN_KEEP(arena, int, n + 2);
  self->mark = HN_KEEP(arena, int, n);
  self->below = HN_KEEP(arena, int, n);
  self->column = HN_KEEP(arena, int, 6 * n + 1);
  self->at = HN_KEEP(arena, int, n + 1);
  self->x = HN_KEEP(arena, double, 6 * n);
  self->inertia = (double(*)[3][3])(void *)HN_KEEP(arena, double, 9 * n);
  self->begin = HN_KEEP(arena, hn_sweep_body, n);
  return hn_many_extend(arena, points, self);
}

// ---- memory of the factors ----------------------------------------------------------------------

static void *take_from_pool(void *context, size_t size) {
  hn_many *self = context;
  const size_t whole = (size + LINE - 1) / LINE * LINE;
  if (whole > self->pool_size - self->pool_used) return NULL;
  void *piece = self->pool + self->pool_used;
  self->pool_used += whole;
  return piece;
}

static void give_to_pool(void *context, void *piece) {
  (void)context; // all at once, at the next start
  (void)piece;
}

// ---- graph --------------------------------------------------------------------------------------

static int is_pair(const hn_many *self, const hn_sweep_point *c) {
  return c->body[0] != c->body[1] && self->node[c->body[0]] >= 0 && self->node[c->body[1]] >= 0;
}

static int number_bodies(hn_many *self, int body_count, const hn_sweep_point *points, int count) {
  int n = 0;
  for (int b = 0; b < body_count; b++) self->node[b] = -1;
  for (int k = 0; k < count; k++)
    for (int side = 0; side < 2; side++) {
      const int b = points[k].body[side];
      if (b == 0 || self->node[b] >= 0) continue;
      self->node[b] = n;
      self->body[n++] = b;
    }
  return n;
}

// Neighbors of all nodes, each once.
static void link_bodies(hn_many *self, int n, const hn_sweep_point *points, int count) {
  int *start = self->start;
  memset(start, 0, (size_t)(n + 2) * sizeof *start);
  for (int k = 0; k < count; k++)
    for (int side = 0; side < 2 && is_pair(self, &points[k]); side++)
      start[self->node[points[k].body[side]] + 2]++;
  for (int i = 0; i < n; i++) start[i + 2] += start[i + 1];
  for (int k = 0; k < count; k++)
    for (int side = 0; side < 2 && is_pair(self, &points[k]); side++)
      self->neighbor[start[self->node[points[k].body[side]] + 1]++] =
          self->node[points[k].body[1 - side]];
  int to = 0;
  for (int i = 0; i < n; i++) self->mark[i] = -1;
  for (int i = 0; i < n; i++) {
    const int first = start[i], end = start[i + 1];
    start[i] = to;
    self->below[i] = 0;
    for (int e = first; e < end; e++) {
      const int j = self->neighbor[e];
      if (self->mark[j] == i) continue;
      self->mark[j] = i;
      self->neighbor[to++] = j;
      self->below[i] += j < i;
    }
  }
  start[n] = to;
}

// Those before a node come first among its neighbors, in the pattern of its columns.
static void make_pattern(hn_many *self, int n) {
  int to = 0;
  for (int i = 0; i < n; i++) {
    self->at[i] = to;
    for (int c = 0; c < 6; c++) {
      self->column[6 * i + c] = to;
      for (int e = self->start[i]; e < self->start[i + 1]; e++)
        for (int r = 0; self->neighbor[e] < i && r < 6; r++)
          self->row[to++] = 6 * self->neighbor[e] + r;
      for (int r = 0; r <= c; r++) self->row[to++] = 6 * i + r;
    }
  }
  self->column[6 * n] = self->at[n] = self->entries = to;
}

// Entry (r, c) of the block of node i with its neighbor in place `slot` before it.
static int entry_of(const hn_many *self, int i, int slot, int r, int c) {
  return self->at[i] + 6 * self->below[i] * c + c * (c + 1) / 2 + 6 * slot + r;
}

static void find_slots(hn_many *self, const hn_sweep_point *points, int count) {
  for (int k = 0; k < count; k++) {
    self->slot[k][0] = self->slot[k][1] = -1;
    if (!is_pair(self, &points[k])) continue;
    const int a = self->node[points[k].body[0]], b = self->node[points[k].body[1]];
    const int high = a > b ? a : b, low = a > b ? b : a;
    int slot = 0;
    for (int e = self->start[high]; self->neighbor[e] != low; e++) slot += self->neighbor[e] < high;
    self->slot[k][0] = high == a; // the first body has the columns
    self->slot[k][1] = slot;
  }
}

static hn_factors *make_factors(hn_many *self, int n) {
  hn_arena arena;
  const hn_allocator pool = {take_from_pool, give_to_pool, self};
  self->pool_used = 0;
  hn_arena_init(&arena, &pool);
  int *order = HN_TAKE(&arena, int, n), *all = HN_TAKE(&arena, int, 6 * n);
  hn_factors *factors = NULL;
  if (arena.failed) return NULL;
  const hn_graph graph = {.n = n, .start = self->start, .neighbor = self->neighbor};
  if (hn_order_minimum_degree(&arena, &graph, NULL, order) != HN_OK) return NULL;
  for (int i = 0; i < n; i++)
    for (int c = 0; c < 6; c++) all[6 * i + c] = 6 * order[i] + c;
  if (hn_factors_create(&arena, 6 * n, self->column, self->row, all, 0, &factors) != HN_OK)
    return NULL;
  self->operations = hn_factors_operations(factors);
  return factors;
}

static void invert(const hn_mat3 *a, double out[3][3]) {
  const double(*m)[3] = a->m;
  const double x = m[1][1] * m[2][2] - m[1][2] * m[2][1], y = m[1][2] * m[2][0] - m[1][0] * m[2][2];
  const double z = m[1][0] * m[2][1] - m[1][1] * m[2][0];
  const double d = 1 / (m[0][0] * x + m[0][1] * y + m[0][2] * z);
  out[0][0] = d * x;
  out[1][1] = d * (m[0][0] * m[2][2] - m[0][2] * m[2][0]);
  out[2][2] = d * (m[0][0] * m[1][1] - m[0][1] * m[1][0]);
  out[0][1] = out[1][0] = d * y;
  out[0][2] = out[2][0] = d * z;
  out[1][2] = out[2][1] = d * (m[0][1] * m[2][0] - m[0][0] * m[2][1]);
}

hn_factors *hn_many_begin(hn_many *self, const hn_sweep_body *bodies, int body_count,
                          const hn_sweep_point *points, int count) {
  const int n = number_bodies(self, body_count, points, count);
  link_bodies(self, n, points, count);
  make_pattern(self, n);
  find_slots(self, points, count);
  for (int i = 0; i < n; i++) invert(&bodies[self->body[i]].inertia_inverse, self->inertia[i]);
  return make_factors(self, n);
}

// ---- numbers ------------------------------------------------------------------------------------

static void rows_of(const hn_sweep_point *c, double rows[2][3][6]) {
  for (int side = 0; side < 2; side++)
    for (int i = 0; i < 3; i++) {
      const hn_vec3 n = vec3_scale(side == 0 ? -1 : 1, c->axis[i]);
      vec3_store(&rows[side][i][0], n);
      vec3_store(&rows[side][i][3], vec3_cross(c->arm[side], n));
    }
}

static void add_masses(hn_many *self, int n, const hn_sweep_body *bodies) {
  memset(self->upper, 0, (size_t)self->entries * sizeof(double));
  memset(self->lower, 0, (size_t)self->entries * sizeof(double));
  for (int i = 0; i < n; i++)
    for (int c = 0; c < 6; c++)
      for (int r = 0; r <= c; r++) {
        const int e = entry_of(self, i, self->below[i], r, c);
        const double value = c < 3   ? (r == c ? 1 / bodies[self->body[i]].mass_inverse : 0)
                             : r < 3 ? 0
                                     : self->inertia[i][r - 3][c - 3];
        self->upper[e] = self->lower[e] = value;
      }
}

// The diagonal block of node i: N' S N
static void add_own(hn_many *self, int i, double n[3][6], double sn[3][6]) {
  for (int c = 0; c < 6; c++)
    for (int r = 0; r <= c; r++) {
      const int e = entry_of(self, i, self->below[i], r, c);
      self->upper[e] += n[0][r] * sn[0][c] + n[1][r] * sn[1][c] + n[2][r] * sn[2][c];
      if (r < c) self->lower[e] += n[0][c] * sn[0][r] + n[1][c] * sn[1][r] + n[2][c] * sn[2][r];
    }
}

// Rows of `low`, columns of `high`, which comes later.
static void add_pair(hn_many *self, int high, int slot, double nl[3][6], double snl[3][6],
                     double nh[3][6], double snh[3][6]) {
  for (int c = 0; c < 6; c++)
    for (int r = 0; r < 6; r++) {
      const int e = entry_of(self, high, slot, r, c);
      self->upper[e] += nl[0][r] * snh[0][c] + nl[1][r] * snh[1][c] + nl[2][r] * snh[2][c];
      self->lower[e] += nh[0][c] * snl[0][r] + nh[1][c] * snl[1][r] + nh[2][c] * snl[2][r];
    }
}

static void add_point(hn_many *self, const hn_sweep_point *c, int k) {
  double n[2][3][6], sn[2][3][6];
  const hn_smooth_cone *cone = &self->cone[k];
  rows_of(c, n);
  for (int side = 0; side < 2; side++) {
    const int i = self->node[c->body[side]];
    if (i < 0) continue;
    for (int r = 0; r < 3; r++)
      for (int j = 0; j < 6; j++)
        sn[side][r][j] = cone->s[r][0] * n[side][0][j] + cone->s[r][1] * n[side][1][j] +
                         cone->s[r][2] * n[side][2][j];
    add_own(self, i, n[side], sn[side]);
    for (int r = 0; r < 3; r++)
      for (int j = 0; j < 6; j++) self->x[6 * i + j] += n[side][r][j] * cone->push[r];
  }
  if (self->slot[k][1] < 0) return;
  const int high = self->slot[k][0] ? 0 : 1, low = 1 - high;
  add_pair(self, self->node[c->body[high]], self->slot[k][1], n[low], sn[low], n[high], sn[high]);
}

void hn_many_step(hn_many *self, hn_factors *factors, const hn_sweep_body *bodies,
                  const hn_sweep_point *points, int count) {
  int n = 0;
  for (int k = 0; k < count; k++)
    for (int side = 0; side < 2; side++)
      if (self->node[points[k].body[side]] >= n) n = self->node[points[k].body[side]] + 1;
  memset(self->x, 0, (size_t)(6 * n) * sizeof(double));
  add_masses(self, n, bodies);
  for (int k = 0; k < count; k++) add_point(self, &points[k], k);
  hn_factors_of(factors, self->upper, self->lower, &(hn_pivot_rule){.signs = NULL});
  hn_factors_solve(factors, NULL, self->x);
  for (int k = 0; k < count; k++) {
    double rows[2][3][6], u[3] = {0, 0, 0};
    rows_of(&points[k], rows);
    for (int side = 0; side < 2; side++) {
      const int i = self->node[points[k].body[side]];
      for (int r = 0; i >= 0 && r < 3; r++)
        for (int j = 0; j < 6; j++) u[r] += rows[side][r][j] * self->x[6 * i + j];
    }
    for (int r = 0; r < 3; r++)
      self->step[k][r] = self->cone[k].push[r] - self->cone[k].s[r][0] * u[0] -
                         self->cone[k].s[r][1] * u[1] - self->cone[k].s[r][2] * u[2];
  }
}
