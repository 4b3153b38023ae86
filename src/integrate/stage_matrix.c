// The stage matrix, scaled, slightly regularized, factored without pivoting in an order fixed at
// set-up (linalg/factors.h). In speeds each constraint comes after the speeds it depends on, there is no
// growth and nothing is refined; in q any order is taken.
//
// M in q is singular along each p, where only the normalization row holds, and about axes without
// inertia (point masses, thin rods), where only joints hold: s Phi_r' times such a row is added to the
// first block row (right sides too), which changes no solution and makes the block definite, s being
// the size of the mass there.
#include "integrate/stage_matrix.h"

#include <math.h>
#include <string.h>

#include "integrate/stage_turns.h"
#include "linalg/factors.h"
#include "linalg/order.h"
#include "math/euler.h"

#define TINY 1e-13
// Unknowns from which on another order is looked for.
enum { MANY = 200 };

// Constraints that are added to the first block row.
typedef struct added_rows {
  int count;
  int *row;                 // which (rows)
  int *place_start, *place; // where the first block has the outer product of each
  double *weight;           // s
  double *given;            // s where it is known from the start; below 0: by the size of the mass
} added_rows;

// Replaces the matrix and its factors; chain is null if not used.
typedef struct deep_tree {
  hn_chain *chain;
  hn_turn_mix *mix; // (turns)
  double *mixed;    // (2 n)
} deep_tree;

struct hn_stage_matrix {
  hn_tangent *tangent;
  int in_speeds;
  double rho, epsilon; // added to the diagonals, of the scaled matrix
  hn_step_numbers g;
  double g_stiff; // g_q / g_v
  hn_stage_blocks blocks;
  hn_stage_turns turns; // none in q
  added_rows added;     // none in speeds
  deep_tree deep;
  hn_factors *factors;
  signed char *signs;
  int *place, *diagonal;  // of entries in the factors; entries of the diagonal (n)
  int *below, *above;     // places of J and J', in the order of J
  int *corner;            // place of a constraint's diagonal (rows)
  double *value, *border; // of the first block, and of the rows below it
  double *scale;          // (n + rows)
  double *f;              // right side, and solution (n + rows)
  double *right, *rest;   // right side for refinement, and the residual (n + rows)
  double *a, *b;          // unknowns of a right side (n)
  double *normalized;     // right sides of normalizations (rows of the tangent)
};

// ---- set-up -------------------------------------------------------------------------------------

static hn_status shape_in_q(hn_arena *arena, hn_stage_matrix *self) {
  const hn_tangent *t = self->tangent;
  const int *start = t->phi_q.start;
  int *row = HN_TAKE(arena, int, t->rows), *row_start = HN_TAKE(arena, int, t->rows + 1), rows = 0;
  if (arena->failed) return HN_ERROR_MEMORY;
  for (int r = 0; r < t->rows; r++) { // those of tree joints are empty
    if (start[r + 1] == start[r]) continue;
    row_start[rows] = start[r];
    row[rows++] = r;
  }
  row_start[rows] = start[t->rows];
  self->blocks = (hn_stage_blocks){.n = t->n,
                                   .rows = rows,
                                   .start = t->stiffness.start,
                                   .column = t->stiffness.index,
                                   .row = row,
                                   .row_start = row_start,
                                   .row_index = t->phi_q.index};
  self->rho = rows == 0 ? 0 : 1e-11; // without constraints nothing is left to refine
  self->epsilon = 1e-10;
  return HN_OK;
}

static void shape_in_speeds(hn_stage_matrix *self) {
  const hn_speed_blocks *b = &self->tangent->blocks;
  self->in_speeds = 1;
  self->blocks = (hn_stage_blocks){.n = b->n,
                                   .rows = b->rows,
                                   .start = b->line_start,
                                   .column = b->line_index,
                                   .row = b->row,
                                   .row_start = b->row_start,
                                   .row_index = b->row_index};
  self->rho = self->epsilon = 1e-14;
}

static hn_status take_memory(hn_arena *arena, hn_stage_matrix *self) {
  hn_stage_blocks *blocks = &self->blocks;
  int n = blocks->n, rows = blocks->rows, size = n + rows, along = blocks->row_start[rows];
  int entries = self->tangent->is_deep ? 0 : blocks->start[n];
  double **square[] = {&blocks->m, &blocks->c, &blocks->k};
  double **wide[] = {&blocks->j, &blocks->rate, &blocks->bend, &self->border};
  double **tall[] = {&self->scale, &self->right, &self->rest};
  for (int k = 0; k < 3; k++) *square[k] = HN_KEEP(arena, double, entries);
  for (int k = 0; k < 4; k++) *wide[k] = HN_KEEP(arena, double, along);
  for (int k = 0; k < 3; k++) *tall[k] = HN_KEEP(arena, double, size);
  self->value = HN_KEEP(arena, double, entries > 0 ? entries : n);
  self->f = HN_KEEP(arena, double, size + 3); // turns pull four at a time
  self->place = HN_TAKE(arena, int, entries);
  self->below = HN_TAKE(arena, int, along);
  self->above = HN_TAKE(arena, int, along);
  self->diagonal = HN_TAKE(arena, int, n);
  self->corner = HN_TAKE(arena, int, rows);
  self->signs = HN_TAKE(arena, signed char, size);
  self->a = HN_KEEP(arena, double, n);
  self->b = HN_KEEP(arena, double, n);
  self->normalized = HN_KEEP(arena, double, self->tangent->rows);
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

// The order of the set keeps loops apart that share nothing but the trunk; many loops in a row, each
// with bodies of the next one, are better off in one of their own.
static hn_status choose_order(hn_arena *scratch, const hn_stage_matrix *self, const int *start,
                              const int *index, const int **order) {
  int size = self->blocks.n + self->blocks.rows;
  *order = self->in_speeds ? self->tangent->blocks.order : NULL;
  if (!self->in_speeds || (*order && size < MANY)) return HN_OK;
  int *other = HN_TAKE(scratch, int, size);
  if (scratch->failed) return HN_ERROR_MEMORY;
  hn_status status = hn_order_matrix_late(scratch, size, start, index, self->blocks.n, other);
  if (status != HN_OK || !*order) {
    *order = other;
    return status;
  }
  double work = hn_factors_count(scratch, size, start, index, *order);
  double other_work = hn_factors_count(scratch, size, start, index, other);
  if (work < 0 || other_work < 0) return HN_ERROR_MEMORY;
  if (2 * other_work < work) *order = other;
  return HN_OK;
}

static hn_status make_factors(hn_arena *arena, hn_arena *scratch, hn_stage_matrix *self) {
  const hn_stage_blocks *b = &self->blocks;
  int size = b->n + b->rows, at = 0;
  int *start = HN_TAKE(scratch, int, size + 1);
  int *index = HN_TAKE(scratch, int, b->start[b->n] + b->row_start[b->rows] + b->rows);
  const int *order;
  if (scratch->failed) return HN_ERROR_MEMORY;
  for (int j = 0; j < b->n; j++) { // the pattern is symmetric
    start[j] = at;
    for (int e = b->start[j]; e < b->start[j + 1]; e++)
      if (b->column[e] <= j) index[at++] = b->column[e];
  }
  for (int k = 0; k < b->rows; k++) {
    start[b->n + k] = at;
    for (int e = b->row_start[k]; e < b->row_start[k + 1]; e++) index[at++] = b->row_index[e];
    index[at++] = b->n + k;
  }
  start[size] = at;
  hn_status status = choose_order(scratch, self, start, index, &order);
  if (status != HN_OK) return status;
  return hn_factors_create(arena, size, start, index, order, 0, &self->factors);
}

static void find_places(hn_stage_matrix *self) {
  const hn_stage_blocks *b = &self->blocks;
  for (int i = 0; i < b->n; i++) {
    self->signs[i] = 1;
    for (int e = b->start[i]; e < b->start[i + 1]; e++) {
      self->place[e] = hn_factors_place(self->factors, i, b->column[e]);
      if (b->column[e] == i) self->diagonal[i] = e;
    }
  }
  for (int k = 0; k < b->rows; k++) {
    int row = b->n + k;
    self->signs[row] = -1;
    self->corner[k] = hn_factors_place(self->factors, row, row);
    for (int e = b->row_start[k]; e < b->row_start[k + 1]; e++) {
      self->below[e] = hn_factors_place(self->factors, row, b->row_index[e]);
      self->above[e] = hn_factors_place(self->factors, b->row_index[e], row);
    }
  }
}

static hn_status finish(hn_arena *arena, hn_stage_matrix *self) {
  hn_arena scratch;
  hn_arena_init(&scratch, &arena->allocator);
  hn_status status = make_factors(arena, &scratch, self);
  hn_arena_release(&scratch);
  if (status == HN_OK) find_places(self);
  return status;
}

// ---- constraints in the first block row ---------------------------------------------------------

// The mass of the lightest body of row r that has an axis without inertia, or 0.
static double light_mass(const hn_equations *equations, const hn_row *row) {
  double least = 0;
  for (int k = 0; k < row->body_count; k++) {
    const hn_body_def *body = &equations->model->bodies[row->body[k]];
    if (hn_body_is_light(body) && (least == 0 || body->mass < least)) least = body->mass;
  }
  return least;
}

// The weight of row r in the first block; 0: none, below 0: the size of the mass there.
static double weight_of(const hn_tangent *t, int r) {
  const hn_equations *equations = t->equations;
  if (t->squares) return t->squares[r];
  return r < t->rows - equations->normalizations
             ? light_mass(equations, &equations->elements->rows[r])
             : -1;
}

// Which constraints are added, and the positions of their outer products in K.
static hn_status choose_added(hn_arena *arena, hn_stage_matrix *self) {
  const hn_stage_blocks *b = &self->blocks;
  added_rows *added = &self->added;
  int places = 0;
  added->row = HN_TAKE(arena, int, b->rows);
  added->place_start = HN_TAKE(arena, int, b->rows);
  added->given = HN_KEEP(arena, double, b->rows);
  added->weight = HN_KEEP(arena, double, b->rows);
  if (arena->failed) return HN_ERROR_MEMORY;
  for (int k = 0; k < b->rows; k++) {
    int length = b->row_start[k + 1] - b->row_start[k];
    double weight = weight_of(self->tangent, b->row[k]);
    if (weight == 0) continue;
    added->given[added->count] = weight;
    added->place_start[added->count] = places;
    added->row[added->count++] = k;
    places += length * length;
  }
  added->place = HN_TAKE(arena, int, places);
  if (!added->place) return HN_ERROR_MEMORY;
  for (int i = 0; i < added->count; i++) {
    int k = added->row[i], *at = &added->place[added->place_start[i]];
    for (int x = b->row_start[k]; x < b->row_start[k + 1]; x++)
      for (int y = b->row_start[k]; y < b->row_start[k + 1]; y++)
        *at++ = hn_sparse_find(&self->tangent->stiffness, b->row_index[x], b->row_index[y]);
  }
  return HN_OK;
}

static void add_rows(hn_stage_matrix *self, const unsigned char *left_out) {
  const hn_stage_blocks *b = &self->blocks;
  added_rows *added = &self->added;
  for (int i = 0; i < added->count; i++) {
    int k = added->row[i], begin = b->row_start[k], length = b->row_start[k + 1] - begin;
    const int *at = &added->place[added->place_start[i]];
    double size = 0;
    for (int x = 0; x < length; x++) size += fabs(self->value[at[x * (length + 1)]]);
    added->weight[i] = left_out && left_out[b->row[k]] ? 0
                       : added->given[i] > 0           ? added->given[i]
                       : size > 0                      ? size / length
                                                       : 1;
    for (int x = 0; x < length; x++)
      for (int y = 0; y < length; y++)
        self->value[at[x * length + y]] +=
            added->weight[i] * b->j[begin + x] * self->border[begin + y];
  }
}

// ---- creation -----------------------------------------------------------------------------------

hn_status hn_stage_matrix_create_in_q(hn_arena *arena, hn_tangent *tangent,
                                      hn_stage_matrix **matrix) {
  hn_stage_matrix *self = HN_KEEP(arena, hn_stage_matrix, 1);
  if (!self) return HN_ERROR_MEMORY;
  self->tangent = tangent;
  hn_status status = shape_in_q(arena, self);
  if (status == HN_OK) status = take_memory(arena, self);
  if (status == HN_OK) status = choose_added(arena, self);
  if (status == HN_OK) status = finish(arena, self);
  *matrix = self;
  return status;
}

static hn_status make_deep(hn_arena *arena, hn_stage_matrix *self) {
  self->deep.mix = HN_KEEP(arena, hn_turn_mix, self->turns.count);
  self->deep.mixed = HN_KEEP(arena, double, 2 * self->blocks.n);
  hn_status status =
      hn_chain_create(arena, (const struct hn_relative_tangent *)self->tangent, &self->deep.chain);
  return status != HN_OK || arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

hn_status hn_stage_matrix_create(hn_arena *arena, hn_tangent *tangent, hn_stage_matrix **matrix) {
  if (!tangent->blocks.serve_stages) return hn_stage_matrix_create_in_q(arena, tangent, matrix);
  hn_stage_matrix *self = HN_KEEP(arena, hn_stage_matrix, 1);
  if (!self) return HN_ERROR_MEMORY;
  self->tangent = tangent;
  shape_in_speeds(self);
  hn_status status = take_memory(arena, self);
  if (status == HN_OK) status = hn_stage_turns_create(arena, tangent, &self->turns);
  *matrix = self;
  if (status != HN_OK || tangent->is_deep) return status == HN_OK ? make_deep(arena, self) : status;
  status = hn_stage_turns_find(arena, &self->blocks, &self->turns);
  return status == HN_OK ? finish(arena, self) : status;
}

hn_space hn_stage_matrix_space(const hn_stage_matrix *self) {
  return self->in_speeds ? HN_IN_JOINT_SPEEDS : HN_IN_Q;
}

// ---- numbers ------------------------------------------------------------------------------------

static void keep_in_q(hn_stage_matrix *self) {
  const hn_tangent *t = self->tangent;
  const hn_stage_blocks *b = &self->blocks;
  size_t entries = (size_t)b->start[b->n] * sizeof(double);
  int along = b->row_start[b->rows];
  memset(b->m, 0, entries);
  memset(b->c, 0, entries);
  memcpy(b->k, t->stiffness.value, entries);
  for (int e = 0; e < t->mass.start[b->n]; e++) b->m[t->mass_in_stiffness[e]] = t->mass.value[e];
  for (int e = 0; e < t->damping.start[b->n]; e++)
    b->c[t->damping_in_stiffness[e]] = t->damping.value[e];
  memcpy(b->j, t->phi_q.value, (size_t)along * sizeof(double));
  memcpy(b->bend, t->phi_dd.value, (size_t)along * sizeof(double));
  for (int e = 0; e < along; e++) b->rate[e] = 2 * t->phi_v.value[e];
}

static void keep_in_speeds(hn_stage_matrix *self) {
  const hn_speed_blocks *from = &self->tangent->blocks;
  const hn_stage_blocks *b = &self->blocks;
  size_t entries = (size_t)b->start[b->n] * sizeof(double);
  size_t along = (size_t)b->row_start[b->rows] * sizeof(double);
  if (self->deep.chain) {
    hn_chain_keep(self->deep.chain);
  } else {
    memcpy(b->m, from->mass, entries);
    memcpy(b->c, from->damping, entries);
    memcpy(b->k, from->stiffness, entries);
    memcpy(b->j, from->row_value, along);
    memcpy(b->rate, from->row_rate, along);
    memcpy(b->bend, from->row_bend, along);
  }
  hn_stage_turns_keep(&self->turns, self->tangent, b);
}

void hn_stage_matrix_keep(hn_stage_matrix *self) {
  self->g = (hn_step_numbers){0, 0};
  if (self->in_speeds)
    keep_in_speeds(self);
  else
    keep_in_q(self);
}

void hn_stage_matrix_see_unit_parameters(hn_stage_matrix *self, const double *q, const double *qd) {
  if (self->in_speeds) {
    hn_stage_turns_see_unit_parameters(&self->turns, &self->blocks);
    return;
  }
  hn_tangent_see_unit_parameters(self->tangent, q, qd);
  keep_in_q(self);
}

// value = x + g_v y + g_q z
static void combine(int count, hn_step_numbers g, const double *restrict x,
                    const double *restrict y, const double *restrict z, double *restrict value) {
  for (int e = 0; e < count; e++) value[e] = x[e] + g.v * y[e] + g.q * z[e];
}

// Unit diagonal in the first block where there is mass, unit rows of J in those columns; 0 of rows that
// are left out.
static void find_scales(hn_stage_matrix *self, const unsigned char *left_out) {
  const hn_stage_blocks *b = &self->blocks;
  double most = 0, *scale = self->scale;
  for (int i = 0; i < b->n; i++) {
    scale[i] = fabs(self->value[self->diagonal[i]]);
    if (scale[i] > most) most = scale[i];
  }
  const double least = 1e-14 * most + 1e-300;
  for (int i = 0; i < b->n; i++) scale[i] = 1 / sqrt(scale[i] > least ? scale[i] : least);
  for (int k = 0; k < b->rows; k++) {
    double sum = 0;
    for (int e = b->row_start[k]; e < b->row_start[k + 1]; e++) {
      double x = b->j[e] * scale[b->row_index[e]];
      sum += x * x;
    }
    scale[b->n + k] = left_out && left_out[b->row[k]] ? 0 : sum > 0 ? 1 / sqrt(sum) : 1;
  }
}

static void put_values(hn_stage_matrix *self, double *restrict room) {
  const hn_stage_blocks *b = &self->blocks;
  const double *restrict scale = self->scale, *restrict value = self->value;
  const int *restrict place = self->place, *restrict column = b->column;
  for (int i = 0; i < b->n; i++) {
    const double mine = scale[i];
    const int end = b->start[i + 1];
    for (int e = b->start[i]; e < end; e++) room[place[e]] = mine * scale[column[e]] * value[e];
    room[place[self->diagonal[i]]] += self->rho;
  }
  for (int k = 0; k < b->rows; k++) {
    const double mine = scale[b->n + k];
    room[self->corner[k]] = mine == 0 ? -1 : -self->epsilon;
    for (int e = b->row_start[k]; e < b->row_start[k + 1]; e++) {
      double both = mine * scale[b->row_index[e]];
      room[self->below[e]] = both * self->border[e];
      room[self->above[e]] = both * b->j[e];
    }
  }
}

hn_status hn_stage_matrix_factor(hn_stage_matrix *self, hn_step_numbers g,
                                 const unsigned char *left_out) {
  const hn_stage_blocks *b = &self->blocks;
  self->g = g;
  self->g_stiff = g.q == g.v * g.v ? g.v : g.q / g.v;
  hn_stage_turns_find_sigma(&self->turns, g);
  if (self->deep.chain) {
    hn_stage_turns_mix(&self->turns, g, self->deep.mix);
    hn_chain_factor(self->deep.chain, g.q, g.v, self->deep.mix);
    return HN_OK;
  }
  combine(b->start[b->n], g, b->m, b->c, b->k, self->value);
  combine(b->row_start[b->rows], g, b->j, b->rate, b->bend, self->border);
  hn_stage_turns_add(&self->turns, g, self->value, self->border);
  add_rows(self, left_out);
  find_scales(self, left_out);
  put_values(self, hn_factors_begin(self->factors));
  const hn_pivot_rule rule = {.signs = self->signs, .tiny = TINY};
  return hn_factors_factor(self->factors, &rule) == 0 ? HN_OK : HN_RETRY_CONVERGENCE;
}

// ---- solutions ----------------------------------------------------------------------------------

// rest = right - N f, without the regularization
static void find_rest(hn_stage_matrix *self) {
  const hn_stage_blocks *b = &self->blocks;
  const double *f = self->f;
  double *rest = self->rest;
  for (int i = 0; i < b->n; i++) {
    double sum = self->right[i];
    for (int e = b->start[i]; e < b->start[i + 1]; e++) sum -= self->value[e] * f[b->column[e]];
    rest[i] = sum;
  }
  for (int k = 0; k < b->rows; k++) {
    double sum = self->right[b->n + k];
    for (int e = b->row_start[k]; e < b->row_start[k + 1]; e++) {
      sum -= self->border[e] * f[b->row_index[e]];
      rest[b->row_index[e]] -= b->j[e] * f[b->n + k];
    }
    rest[b->n + k] = sum;
  }
}

// f becomes N^-1 f
static void solve_refined(hn_stage_matrix *self, int sweeps) {
  int size = self->blocks.n + self->blocks.rows;
  if (sweeps > 0) memcpy(self->right, self->f, (size_t)size * sizeof(double));
  hn_factors_solve(self->factors, self->scale, self->f);
  for (int k = 0; k < sweeps; k++) {
    find_rest(self);
    hn_factors_solve(self->factors, self->scale, self->rest);
    for (int i = 0; i < size; i++) self->f[i] += self->rest[i];
  }
}

static void pull_all(hn_stage_matrix *self) {
  if (self->deep.chain)
    hn_stage_turns_pull_deep(&self->turns, self->deep.chain, self->blocks.n, self->deep.mixed,
                             self->value, self->f);
  else
    hn_stage_turns_pull(&self->turns, self->f);
}

// f (unknowns, then constraints; of the normalizations c, by rows) becomes x in q; y by rows, may be
// null or c.
static void solve(hn_stage_matrix *self, const double *c, double *x, double *y, int sweeps) {
  const hn_stage_blocks *b = &self->blocks;
  const added_rows *added = &self->added;
  for (int k = 0; k < self->turns.count; k++) {
    hn_turn *turn = &self->turns.turn[k];
    turn->s = c[turn->row] / turn->along;
    turn->pull = self->g.q * turn->s;
    turn->pull_rate = self->g.v * turn->s;
  }
  if (self->in_speeds) pull_all(self);
  for (int i = 0; i < added->count; i++) {
    int k = added->row[i];
    for (int e = b->row_start[k]; e < b->row_start[k + 1]; e++)
      self->f[b->row_index[e]] += added->weight[i] * b->j[e] * self->f[b->n + k];
  }
  if (self->deep.chain)
    hn_chain_solve(self->deep.chain, self->f);
  else
    solve_refined(self, self->in_speeds || b->rows == 0 ? 0 : sweeps);
  if (self->in_speeds)
    hn_stage_turns_to_coordinates(&self->turns, self->f, x);
  else
    memcpy(x, self->f, (size_t)b->n * sizeof(double));
  if (!y) return;
  memset(y, 0, (size_t)self->tangent->rows * sizeof(double));
  for (int k = 0; k < b->rows; k++) y[b->row[k]] = self->f[b->n + k];
}

void hn_stage_matrix_solve(hn_stage_matrix *self, const double *right, const double *c, double *x,
                           double *y, int sweeps) {
  const hn_stage_blocks *b = &self->blocks;
  if (self->in_speeds)
    hn_stage_turns_force(&self->turns, right, self->f);
  else
    memcpy(self->f, right, (size_t)b->n * sizeof(double));
  for (int k = 0; k < b->rows; k++) self->f[b->n + k] = c[b->row[k]];
  solve(self, c, x, y, sweeps);
  for (int k = 0; y && k < self->turns.count; k++) { // T p = 0: nothing else is along p
    const hn_turn *turn = &self->turns.turn[k];
    y[turn->row] = dot4(turn->p, &right[turn->q]) / dot4(turn->p, turn->p);
  }
}

// f = M y + K x, and J y + R' x of the constraints; x may be null.
static void multiply(hn_stage_matrix *self, const double *restrict x, const double *restrict y) {
  const hn_stage_blocks *b = &self->blocks;
  const int *restrict column = b->column, *restrict index = b->row_index;
  const double *restrict m = b->m, *restrict k = b->k;
  const double *restrict j = b->j, *restrict bend = b->bend;
  double *restrict f = self->f;
  for (int i = 0; i < b->n; i++) {
    const int end = b->start[i + 1];
    double sum = 0, rest = 0;
    if (x)
      for (int e = b->start[i]; e < end; e++) {
        sum += m[e] * y[column[e]];
        rest += k[e] * x[column[e]];
      }
    else
      for (int e = b->start[i]; e < end; e++) sum += m[e] * y[column[e]];
    f[i] = sum + rest;
  }
  for (int r = 0; r < b->rows; r++) {
    const int end = b->row_start[r + 1];
    double sum = 0, rest = 0;
    for (int e = b->row_start[r]; e < end; e++) sum += j[e] * y[index[e]];
    for (int e = b->row_start[r]; x && e < end; e++) rest += bend[e] * x[index[e]];
    f[b->n + r] = sum + rest;
  }
}

// Right sides of normalizations that r1 and r2 ask for, a being -g r1 in speeds: with r1 = T+ a + p s
// the parts of K' are those of a, and e comes with s, which is pulled at once.
static void normalize(hn_stage_matrix *self, const double *r1, const double *r2) {
  const double *a = self->a;
  for (int k = 0; k < self->turns.count; k++) {
    hn_turn *turn = &self->turns.turn[k];
    turn->pull = r1 ? self->g_stiff * dot4(turn->p, &r1[turn->q]) : 0;
    turn->pull_rate = 0;
    double s = dot4(turn->p, &r2[turn->q]);
    if (r1) // pdd . r1, pdd = T+ wd - pd.pd p, and with p/|p| another -pd.pd p
      s += 0.25 * (turn->wd[0] * a[turn->u] + turn->wd[1] * a[turn->u + 1] +
                   turn->wd[2] * a[turn->u + 2]) +
           (self->turns.is_unit ? 2 : 1) * turn->square * turn->pull;
    self->normalized[turn->row] = s;
  }
  if (r1) pull_all(self);
}

static void to_unknowns(const hn_stage_matrix *self, const double *x, double *u) {
  if (self->in_speeds)
    hn_stage_turns_to_speeds(&self->turns, x, u);
  else
    memcpy(u, x, (size_t)self->blocks.n * sizeof(double));
}

// M r2 - g K r1 and J r2 - g R' r1, g = g_q/g_v, are the right sides of x2; then x1 = r1 + g_v x2
// (M6.5 in full coordinates). r1 null: x2 alone.
static void filter(hn_stage_matrix *self, double *r1, double *r2, int sweeps) {
  int n = self->blocks.n;
  double *a = self->a, *b = self->b;
  to_unknowns(self, r2, b);
  if (r1) to_unknowns(self, r1, a);
  for (int i = 0; r1 && i < n; i++) a[i] *= -self->g_stiff;
  if (self->deep.chain)
    hn_stage_turns_multiply_deep(&self->turns, self->deep.chain, n, self->deep.mixed, r1 ? a : NULL,
                                 b, self->f);
  else
    multiply(self, r1 ? a : NULL, b);
  if (self->in_speeds) normalize(self, r1, r2);
  solve(self, self->normalized, r2, NULL, sweeps);
  for (int i = 0; r1 && i < self->tangent->n; i++) r1[i] += self->g.v * r2[i];
}

void hn_stage_matrix_filter(hn_stage_matrix *self, double *r1, double *r2) {
  filter(self, r1, r2, 1);
}

void hn_stage_matrix_solve_accelerations(hn_stage_matrix *self, double *r, int sweeps) {
  filter(self, NULL, r, sweeps);
}
