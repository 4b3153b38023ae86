// The stage matrix in joint speeds: see relative/stage.h. Numbers of M, C and K stand by entries of one
// pattern, those of the rows in the order of J.
#include "equations/relative/stage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/variants.h"
#include "equations/chain.h"
#include "equations/relative/tangent.h"
#include "linalg/factors.h"
#include "linalg/order.h"

// Each row comes after the speeds it depends on: no growth, so nothing is refined.
#define RHO 1e-14
#define EPSILON 1e-14
#define TINY 1e-13
enum { LANES = 4 };
// Unknowns from which on another order is looked for.
enum { MANY = 200 };

// A node with Euler parameters.
typedef struct turning {
  int q, u;            // of its first parameter and the first speed of its turn
  int row;             // its normalization, among the rows of the tangent
  hn_node_map map;     // T
  double p[4];         // there
  double rate[3][3];   // dT(qd) T+
  double second[3][3]; // dT(qdd) T+
  double w[3], wd[3];  // T qd, T qdd
  double square;       // pd . pd
  double along;        // pp
  double sigma[3];
} turning;

// Three numbers side by side that belong to the turn of a node, in a row of the matrix.
typedef struct triple {
  int first;   // of the entries, or of J
  int row;     // of the matrix
  int turning; // which
  int growth;  // place of its e
} triple;

// Four rows from this one on, in which there are triples of a turn; where there is none, e is zero.
typedef struct growing {
  int turning, row;
} growing;

typedef struct step_shares {
  double q, v;
} step_shares;

// In the place of the matrix and its factors; chain is null: it is none.
typedef struct deep_tree {
  hn_chain *chain;
  hn_turn_mix *mix; // (turnings)
  double *mixed;    // (2 nu)
} deep_tree;

struct hn_relative_stage {
  hn_relative_tangent *tangent;
  int nu, cuts;
  deep_tree deep;
  hn_factors *factors;
  signed char *signs;

  int entries;                   // of the first block, by rows
  const int *row_start, *column; // (nu + 1), (entries)
  int *place;                    // in the factors (entries)
  int *diagonal;                 // entry (nu)
  double *m, *c, *k;             // (entries)
  int *below, *above;            // places of J and J', in the order of J
  int *corner;                   // place of a row's diagonal (cuts)
  double *j, *rate, *bend;       // rows: J, R_w, R' (entries of J)
  double *value;                 // of the first block and of the rows below it

  int turnings;
  turning *turning;
  int triples, row_triples;
  triple *triple; // of the first block, then of the rows, whose first is in J
  int growings;
  growing *growing; // by turns, then by rows: once for the first block, once for the others
  double *growth;   // e of each triple (LANES growings)
  int is_unit;      // Euler parameters are seen with unit length

  double g_q, g_v;
  double *scale;    // (nu + cuts)
  double *f;        // right side (nu + cuts)
  double *a, *b;    // speeds of a right side (nu)
  double *along;    // right sides of normalizations (rows of the tangent)
  double *s, *pull; // what they alone make of s, and g_q times that (turnings)
};

// ---- set-up -------------------------------------------------------------------------------------

static int has_turn(const hn_tree_node *node) { return node->q_count > node->u_count; }

static void count_sizes(hn_relative_stage *self) {
  const hn_relative_tangent *t = self->tangent;
  const hn_relative_set *set = t->set;
  const hn_tree_node *nodes = set->tree->nodes;
  for (int p = 0; p < t->pair_count; p++) {
    const hn_tree_node *a = &nodes[t->pairs[p].row], *b = &nodes[t->pairs[p].column];
    if (has_turn(b)) self->triples += a->u_count;
  }
  for (int k = 0; k < set->walks.start[set->cut_count]; k++)
    self->row_triples += has_turn(&nodes[set->walks.steps[k].node]);
  self->turnings = set->tree->quaternions;
  self->entries = t->base.is_deep ? 0 : t->row_start[t->nu];
  self->row_start = t->row_start;
  self->column = t->column;
}

static hn_status take_memory(hn_arena *arena, hn_relative_stage *self) {
  int nu = self->nu, size = nu + self->cuts, along = self->tangent->set->j_start[self->cuts];
  double **numbers[] = {&self->m, &self->c, &self->k};
  self->place = HN_TAKE(arena, int, self->entries);
  for (size_t k = 0; k < 3; k++) *numbers[k] = HN_TAKE(arena, double, self->entries);
  int **by_row[] = {&self->below, &self->above};
  double **rows[] = {&self->j, &self->rate, &self->bend};
  for (size_t k = 0; k < 2; k++) *by_row[k] = HN_TAKE(arena, int, along);
  for (size_t k = 0; k < 3; k++) *rows[k] = HN_TAKE(arena, double, along);
  self->a = HN_TAKE(arena, double, nu);
  self->b = HN_TAKE(arena, double, nu);
  self->along = HN_TAKE(arena, double, self->tangent->base.rows);
  self->s = HN_TAKE(arena, double, self->turnings);
  self->pull = HN_TAKE(arena, double, self->turnings);
  self->diagonal = HN_TAKE(arena, int, nu);
  self->corner = HN_TAKE(arena, int, self->cuts);
  self->signs = HN_TAKE(arena, signed char, size);
  self->turning = HN_TAKE(arena, turning, self->turnings);
  self->triple = HN_TAKE(arena, triple, self->triples + self->row_triples);
  self->growing = HN_TAKE(arena, growing, self->triples + self->row_triples);
  self->value = HN_TAKE(arena, double, self->tangent->base.is_deep ? nu : self->entries + along);
  self->scale = HN_TAKE(arena, double, size);
  self->f = HN_TAKE(arena, double, size + LANES - 1);
  self->tangent->row_rate = HN_TAKE(arena, double, along);
  self->tangent->row_bend = HN_TAKE(arena, double, along);
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

// turn_of (nodes) may be null.
static void list_turnings(hn_relative_stage *self, int *turn_of) {
  const hn_tree *tree = self->tangent->set->tree;
  int at = 0, row = self->tangent->base.rows - tree->quaternions;
  for (int k = 0; k < tree->count; k++) {
    const hn_tree_node *node = &tree->nodes[k];
    if (turn_of) turn_of[k] = has_turn(node) ? at : -1;
    if (!has_turn(node)) continue;
    turning *turn = &self->turning[at++];
    turn->q = node->q + node->q_count - 4;
    turn->u = node->u + node->u_count - 3;
    turn->row = row++;
  }
}

// Which turn each node has (nodes; -1: none). Pairs stand by rows of nodes, columns ascending.
static void list_triples(hn_relative_stage *self, const int *turn_of) {
  const hn_relative_tangent *t = self->tangent;
  const hn_relative_set *set = t->set;
  const hn_tree_node *nodes = set->tree->nodes;
  int triples = 0;
  for (int p = 0; p < t->pair_count; p++) {
    const hn_node_pair *pair = &t->pairs[p];
    const hn_tree_node *a = &nodes[pair->row], *b = &nodes[pair->column];
    for (int i = 0; i < a->u_count; i++) {
      int at = pair->speeds.at + i * pair->speeds.stride;
      if (pair->row == pair->column) self->diagonal[a->u + i] = at + i;
      if (has_turn(b))
        self->triple[triples++] = (triple){at + b->u_count - 3, a->u + i, turn_of[pair->column], 0};
    }
  }
  for (int c = 0; c < self->cuts; c++)
    for (int k = set->walks.start[c]; k < set->walks.start[c + 1]; k++) {
      const hn_walk_step *step = &set->walks.steps[k];
      if (has_turn(&nodes[step->node]))
        self->triple[triples++] = (triple){step->entry + nodes[step->node].u_count - 3,
                                           self->nu + c, turn_of[step->node], 0};
    }
}

static int compare_triples(const void *left, const void *right) {
  const triple *a = left, *b = right;
  if (a->turning != b->turning) return a->turning < b->turning ? -1 : 1;
  return a->row < b->row ? -1 : a->row > b->row;
}

static hn_status find_growings(hn_arena *arena, hn_relative_stage *self) {
  qsort(self->triple, (size_t)self->triples, sizeof(triple), compare_triples);
  qsort(self->triple + self->triples, (size_t)self->row_triples, sizeof(triple), compare_triples);
  for (int k = 0; k < self->triples + self->row_triples; k++) {
    triple *x = &self->triple[k];
    const growing *last = self->growings > 0 ? &self->growing[self->growings - 1] : NULL;
    int is_near = last && last->turning == x->turning && k != self->triples;
    if (!is_near || x->row >= last->row + LANES)
      self->growing[self->growings++] = (growing){x->turning, x->row};
    int place = self->growings - 1;
    x->growth = LANES * place + x->row - self->growing[place].row;
  }
  self->growth = HN_TAKE(arena, double, LANES * self->growings);
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

// The order of the set keeps loops apart that share nothing but the trunk; many loops in a row, each
// with bodies of the next one, are better off in one of their own.
static hn_status choose_order(hn_arena *scratch, const hn_relative_stage *self, const int *start,
                              const int *index, const int **order) {
  int size = self->nu + self->cuts;
  if (size < MANY) return HN_OK;
  int *other = HN_TAKE(scratch, int, size);
  if (scratch->failed) return HN_ERROR_MEMORY;
  hn_status status = hn_order_matrix_late(scratch, size, start, index, self->nu, other);
  if (status != HN_OK) return status;
  double work = hn_factors_count(scratch, size, start, index, *order);
  double other_work = hn_factors_count(scratch, size, start, index, other);
  if (work < 0 || other_work < 0) return HN_ERROR_MEMORY;
  if (2 * other_work < work) *order = other;
  return HN_OK;
}

static hn_status make_factors(hn_arena *arena, hn_arena *scratch, hn_relative_stage *self) {
  const hn_relative_set *set = self->tangent->set;
  int size = self->nu + self->cuts, at = 0;
  int *start = HN_TAKE(scratch, int, size + 1);
  int *index = HN_TAKE(scratch, int, self->entries + set->j_start[self->cuts] + self->cuts);
  if (scratch->failed) return HN_ERROR_MEMORY;
  for (int j = 0; j < self->nu; j++) { // the pattern is symmetric
    start[j] = at;
    for (int e = self->row_start[j]; e < self->row_start[j + 1]; e++)
      if (self->column[e] <= j) index[at++] = self->column[e];
  }
  for (int c = 0; c < self->cuts; c++) {
    start[self->nu + c] = at;
    for (int k = set->j_start[c]; k < set->j_start[c + 1]; k++) index[at++] = set->j_index[k];
    index[at++] = self->nu + c;
  }
  start[size] = at;
  const int *order = set->order;
  hn_status status = choose_order(scratch, self, start, index, &order);
  if (status != HN_OK) return status;
  return hn_factors_create(arena, size, start, index, order, 0, &self->factors);
}

static void find_places(hn_relative_stage *self) {
  const hn_relative_set *set = self->tangent->set;
  for (int i = 0; i < self->nu; i++) {
    self->signs[i] = 1;
    for (int e = self->row_start[i]; e < self->row_start[i + 1]; e++)
      self->place[e] = hn_factors_place(self->factors, i, self->column[e]);
  }
  for (int c = 0; c < self->cuts; c++) {
    int row = self->nu + c;
    self->signs[row] = -1;
    self->corner[c] = hn_factors_place(self->factors, row, row);
    for (int k = set->j_start[c]; k < set->j_start[c + 1]; k++) {
      self->below[k] = hn_factors_place(self->factors, row, set->j_index[k]);
      self->above[k] = hn_factors_place(self->factors, set->j_index[k], row);
    }
  }
}

static hn_status create_deep(hn_arena *arena, hn_relative_stage *self, hn_relative_stage **stage) {
  self->deep.mix = HN_TAKE(arena, hn_turn_mix, self->turnings);
  self->deep.mixed = HN_TAKE(arena, double, 2 * self->nu);
  hn_status status = hn_chain_create(arena, self->tangent, &self->deep.chain);
  if (status != HN_OK || arena->failed) return HN_ERROR_MEMORY;
  list_turnings(self, NULL);
  *stage = self;
  return HN_OK;
}

hn_status hn_relative_stage_create(hn_arena *arena, hn_tangent *tangent,
                                   hn_relative_stage **stage) {
  const hn_equations *equations = tangent->equations;
  *stage = NULL;
  if (!equations->type->traits.of_joints) return HN_OK;
  if (!hn_relative_has_inertia((const hn_relative_set *)equations)) return HN_OK;
  hn_relative_stage *self = HN_TAKE(arena, hn_relative_stage, 1);
  if (!self) return HN_ERROR_MEMORY;
  self->tangent = (hn_relative_tangent *)tangent;
  self->nu = self->tangent->nu;
  self->cuts = self->tangent->set->cut_count;
  count_sizes(self);
  hn_status status = take_memory(arena, self);
  if (status != HN_OK) return status;
  if (tangent->is_deep) return create_deep(arena, self, stage);
  hn_arena scratch;
  hn_arena_init(&scratch, &arena->allocator);
  int *turn_of = HN_TAKE(&scratch, int, self->tangent->set->tree->count);
  status = scratch.failed ? HN_ERROR_MEMORY : HN_OK;
  if (status == HN_OK) {
    list_turnings(self, turn_of);
    list_triples(self, turn_of);
    status = find_growings(arena, self);
  }
  if (status == HN_OK) status = make_factors(arena, &scratch, self);
  hn_arena_release(&scratch);
  if (status != HN_OK || !self->factors) return status;
  find_places(self);
  *stage = self;
  return HN_OK;
}

// ---- blocks -------------------------------------------------------------------------------------

// p of a map `scale` times that of p.
static void parameters_of(const hn_node_map *map, double scale, double p[4]) {
  p[0] = map->w[0][1] / scale;
  for (int i = 0; i < 3; i++) p[1 + i] = -map->w[i][0] / scale;
}

static void keep_turning(turning *turn, const hn_node_map *map, const hn_node_map *rate,
                         const hn_node_map *second) {
  double pd[4], pdd[4];
  turn->map = *map;
  parameters_of(map, 2, turn->p);
  parameters_of(rate, -2, pd);
  parameters_of(second, -2, pdd);
  turn->square = pd[0] * pd[0] + pd[1] * pd[1] + pd[2] * pd[2] + pd[3] * pd[3];
  for (int i = 0; i < 3; i++) {
    const double *t = map->w[i];
    turn->w[i] = t[0] * pd[0] + t[1] * pd[1] + t[2] * pd[2] + t[3] * pd[3];
    turn->wd[i] = t[0] * pdd[0] + t[1] * pdd[1] + t[2] * pdd[2] + t[3] * pdd[3];
    for (int j = 0; j < 3; j++) {
      const double *plus = map->w[j], *a = rate->w[i], *b = second->w[i];
      turn->rate[i][j] = 0.25 * (a[0] * plus[0] + a[1] * plus[1] + a[2] * plus[2] + a[3] * plus[3]);
      turn->second[i][j] =
          0.25 * (b[0] * plus[0] + b[1] * plus[1] + b[2] * plus[2] + b[3] * plus[3]);
    }
  }
}

// to += a rate + b second, rows of three
static void add_turned(const turning *turn, const double *a, const double *b, double *to) {
  for (int j = 0; j < 3; j++)
    to[j] += a[0] * turn->rate[0][j] + a[1] * turn->rate[1][j] + a[2] * turn->rate[2][j] +
             b[0] * turn->second[0][j] + b[1] * turn->second[1][j] + b[2] * turn->second[2][j];
}

static double dot3(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// dT(qd) p = w and dT(qdd) p = wd; with p/|p| in the place of p they are -w and 0.
static void find_growth(hn_relative_stage *self) {
  for (int k = 0; k < self->triples + self->row_triples; k++) {
    const triple *x = &self->triple[k];
    const turning *turn = &self->turning[x->turning];
    int is_row = k >= self->triples;
    const double *by_rate = is_row ? &self->rate[x->first] : &self->c[x->first];
    const double *by_second = is_row ? &self->j[x->first] : &self->m[x->first];
    double along = dot3(by_rate, turn->w);
    self->growth[x->growth] = self->is_unit ? -along : along + dot3(by_second, turn->wd);
  }
}

void hn_relative_stage_keep(hn_relative_stage *self) {
  const hn_relative_tangent *t = self->tangent;
  const hn_relative_set *set = t->set;
  int along = set->j_start[self->cuts];
  if (self->deep.chain) hn_chain_keep(self->deep.chain);
  memcpy(self->m, t->m_u, (size_t)self->entries * sizeof(double));
  memcpy(self->c, t->c_u, (size_t)self->entries * sizeof(double));
  memcpy(self->k, t->k_u, (size_t)self->entries * sizeof(double));
  memcpy(self->j, set->j_values, (size_t)along * sizeof(double));
  memcpy(self->rate, t->row_rate, (size_t)along * sizeof(double));
  memcpy(self->bend, t->row_bend, (size_t)along * sizeof(double));
  for (int k = 0, at = 0; k < set->tree->count; k++)
    if (has_turn(&set->tree->nodes[k]))
      keep_turning(&self->turning[at++], &t->maps[k], &t->rate_maps[k], &t->second_maps[k]);
  for (int k = 0; k < self->triples + self->row_triples; k++) {
    const triple *x = &self->triple[k];
    const turning *turn = &self->turning[x->turning];
    int first = x->first;
    if (k < self->triples)
      add_turned(turn, &self->c[first], &self->m[first], &self->k[first]);
    else
      add_turned(turn, &self->rate[first], &self->j[first], &self->bend[first]);
  }
  self->is_unit = 0;
  find_growth(self);
}

void hn_relative_stage_see_unit_parameters(hn_relative_stage *self) {
  self->is_unit = 1;
  find_growth(self);
}

// ---- the matrix ---------------------------------------------------------------------------------

// sigma . y is what keeps (p + 2 g_v pd + g_q pdd) . (T+ y + p s) zero; with p/|p| in the place of p,
// g_q (pdd - pd.pd p) stands there.
static void find_sigma(hn_relative_stage *self) {
  for (int k = 0; k < self->turnings; k++) {
    turning *turn = &self->turning[k];
    turn->along = 1 - (self->is_unit ? 2 : 1) * self->g_q * turn->square;
    for (int i = 0; i < 3; i++)
      turn->sigma[i] =
          -(0.5 * self->g_v * turn->w[i] + 0.25 * self->g_q * turn->wd[i]) / turn->along;
  }
}

static void find_scales(hn_relative_stage *self, const unsigned char *left_out) {
  const hn_relative_set *set = self->tangent->set;
  double most = 0, *scale = self->scale;
  for (int i = 0; i < self->nu; i++) {
    scale[i] = fabs(self->value[self->diagonal[i]]);
    if (scale[i] > most) most = scale[i];
  }
  const double least = 1e-14 * most + 1e-300;
  for (int i = 0; i < self->nu; i++) scale[i] = 1 / sqrt(scale[i] > least ? scale[i] : least);
  for (int c = 0; c < self->cuts; c++) {
    double sum = 0;
    for (int k = set->j_start[c]; k < set->j_start[c + 1]; k++) {
      double x = self->j[k] * scale[set->j_index[k]];
      sum += x * x;
    }
    scale[self->nu + c] = left_out && left_out[set->cut_row[c]] ? 0 : sum > 0 ? 1 / sqrt(sum) : 1;
  }
}

// value = x + g_v y + g_q z
static void combine(int count, step_shares g, const double *restrict x, const double *restrict y,
                    const double *restrict z, double *restrict value) {
  for (int e = 0; e < count; e++) value[e] = x[e] + g.v * y[e] + g.q * z[e];
}

static void find_values(hn_relative_stage *self) {
  const step_shares g = {self->g_q, self->g_v};
  double *rows = self->value + self->entries;
  combine(self->entries, g, self->m, self->c, self->k, self->value);
  combine(self->tangent->set->j_start[self->cuts], g, self->j, self->rate, self->bend, rows);
  for (int k = 0; k < self->triples + self->row_triples; k++) {
    const triple *x = &self->triple[k];
    double *to = k < self->triples ? &self->value[x->first] : &rows[x->first];
    const double *sigma = self->turning[x->turning].sigma, growth = g.q * self->growth[x->growth];
    for (int j = 0; j < 3; j++) to[j] += growth * sigma[j];
  }
}

static void put_values(hn_relative_stage *self, double *restrict room) {
  const hn_relative_set *set = self->tangent->set;
  const double *restrict scale = self->scale, *restrict value = self->value;
  const int *restrict place = self->place, *restrict column = self->column;
  for (int i = 0; i < self->nu; i++) {
    const double mine = scale[i];
    const int end = self->row_start[i + 1];
    for (int e = self->row_start[i]; e < end; e++)
      room[place[e]] = mine * scale[column[e]] * value[e];
    room[place[self->diagonal[i]]] += RHO;
  }
  value += self->entries;
  for (int c = 0; c < self->cuts; c++) {
    const double mine = scale[self->nu + c];
    room[self->corner[c]] = mine == 0 ? -1 : -EPSILON;
    for (int k = set->j_start[c]; k < set->j_start[c + 1]; k++) {
      double both = mine * scale[set->j_index[k]];
      room[self->below[k]] = both * value[k];
      room[self->above[k]] = both * self->j[k];
    }
  }
}

// dT(qd) p and dT(qdd) p of a turn.
static void growth_of(const hn_relative_stage *self, const turning *turn, double w[3],
                      double wd[3]) {
  for (int i = 0; i < 3; i++) {
    w[i] = self->is_unit ? -turn->w[i] : turn->w[i];
    wd[i] = self->is_unit ? 0 : turn->wd[i];
  }
}

static void factor_deep(hn_relative_stage *self) {
  double w[3], wd[3];
  for (int k = 0; k < self->turnings; k++) {
    const turning *turn = &self->turning[k];
    hn_turn_mix *mix = &self->deep.mix[k];
    growth_of(self, turn, w, wd);
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        mix->w[i][j] =
            self->g_q * (turn->rate[i][j] + w[i] * turn->sigma[j]) + (i == j ? self->g_v : 0);
        mix->wd[i][j] = self->g_q * (turn->second[i][j] + wd[i] * turn->sigma[j]) + (i == j);
      }
  }
  hn_chain_factor(self->deep.chain, self->g_q, self->g_v, self->deep.mix);
}

int hn_relative_stage_factor(hn_relative_stage *self, double g_q, double g_v,
                             const unsigned char *left_out) {
  self->g_q = g_q;
  self->g_v = g_v;
  find_sigma(self);
  if (self->deep.chain) {
    factor_deep(self);
    return 0;
  }
  find_values(self);
  find_scales(self, left_out);
  put_values(self, hn_factors_begin(self->factors));
  const hn_pivot_rule rule = {.signs = self->signs, .tiny = TINY};
  return hn_factors_factor(self->factors, &rule);
}

// ---- solutions ----------------------------------------------------------------------------------

// Coordinates that are speeds themselves.
static void copy_plain(const hn_relative_tangent *t, const double *q, double *u) {
  const int *restrict from = t->plain_q, *restrict to = t->plain_u;
  for (int i = 0; i < t->plain_count; i++) u[to[i]] = q[from[i]];
}

// f -= e times the pull of each turn
HN_INLINE void pull_along(int wide, hn_relative_stage *self) {
  (void)wide;
  const growing *g = self->growing;
  const double *pull = self->pull, *growth = self->growth;
  for (int k = 0; k < self->growings; k++, g++, growth += LANES) {
    double *f = &self->f[g->row];
    HN_FOUR(f) -= HN_FOUR_OF(growth) * pull[g->turning];
  }
}

HN_VARIANTS(pull_along, (hn_relative_stage * self), (self))

// The same of a deep tree.
static void pull_deep(hn_relative_stage *self) {
  double *by_w = self->deep.mixed, *by_wd = by_w + self->nu;
  memset(self->deep.mixed, 0, 2 * (size_t)self->nu * sizeof(double));
  for (int k = 0; k < self->turnings; k++) {
    const turning *turn = &self->turning[k];
    double w[3], wd[3];
    growth_of(self, turn, w, wd);
    for (int i = 0; i < 3; i++) {
      by_w[turn->u + i] = self->pull[k] * w[i];
      by_wd[turn->u + i] = self->pull[k] * wd[i];
    }
  }
  hn_chain_multiply(self->deep.chain, NULL, by_w, by_wd, self->value);
  for (int i = 0; i < self->nu; i++) self->f[i] -= self->value[i];
}

static void pull_all(hn_relative_stage *self) {
  if (self->deep.chain && self->turnings > 0)
    pull_deep(self);
  else if (!self->deep.chain)
    HN_PICK(self->tangent->set->lanes.wide, pull_along)(self);
}

// f (speeds, then cut rows; of the normalizations `along`, null: 0) becomes x in q; y by rows, may be
// null.
static void solve(hn_relative_stage *self, const double *along, double *x, double *y) {
  const hn_relative_tangent *t = self->tangent;
  const hn_relative_set *set = t->set;
  double *f = self->f;
  for (int k = 0; k < self->turnings; k++) {
    const turning *turn = &self->turning[k];
    self->s[k] = along ? along[turn->row] / turn->along : 0;
    self->pull[k] = self->g_q * self->s[k];
  }
  if (along) pull_all(self);
  if (self->deep.chain)
    hn_chain_solve(self->deep.chain, f);
  else
    hn_factors_solve(self->factors, self->scale, f);
  for (int k = 0; k < self->turnings; k++) {
    const turning *turn = &self->turning[k];
    const double *u = &f[turn->u];
    double s = dot3(turn->sigma, u) + self->s[k];
    for (int i = 0; i < 4; i++)
      x[turn->q + i] =
          0.25 * (turn->map.w[0][i] * u[0] + turn->map.w[1][i] * u[1] + turn->map.w[2][i] * u[2]) +
          s * turn->p[i];
  }
  for (int i = 0; i < t->plain_count; i++) x[t->plain_q[i]] = f[t->plain_u[i]];
  if (!y) return;
  memset(y, 0, (size_t)self->tangent->base.rows * sizeof(double));
  for (int c = 0; c < self->cuts; c++) y[set->cut_row[c]] = f[self->nu + c];
}

void hn_relative_stage_solve(hn_relative_stage *self, const double *b, const double *c, double *x,
                             double *y) {
  const hn_relative_set *set = self->tangent->set;
  copy_plain(self->tangent, b, self->f);
  for (int k = 0; k < self->turnings; k++) {
    const turning *turn = &self->turning[k];
    const double *from = &b[turn->q];
    for (int i = 0; i < 3; i++) {
      const double *t = turn->map.w[i];
      self->f[turn->u + i] =
          0.25 * (t[0] * from[0] + t[1] * from[1] + t[2] * from[2] + t[3] * from[3]);
    }
  }
  for (int k = 0; k < self->cuts; k++) self->f[self->nu + k] = c[set->cut_row[k]];
  solve(self, c, x, y);
}

// Speeds of a vector in q.
static void to_speeds(const hn_relative_stage *self, const double *x, double *u) {
  copy_plain(self->tangent, x, u);
  for (int k = 0; k < self->turnings; k++) {
    const turning *turn = &self->turning[k];
    const double *p = &x[turn->q];
    for (int i = 0; i < 3; i++) {
      const double *t = turn->map.w[i];
      u[turn->u + i] = t[0] * p[0] + t[1] * p[1] + t[2] * p[2] + t[3] * p[3];
    }
  }
}

static double dot4(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

// f = M b + K a, and J b + R' a of the rows; a may be null.
static void multiply(hn_relative_stage *self, const double *restrict a, const double *restrict b) {
  const hn_relative_set *set = self->tangent->set;
  const int *restrict column = self->column, *restrict index = set->j_index;
  const double *restrict m = self->m, *restrict k = self->k;
  const double *restrict j = self->j, *restrict bend = self->bend;
  double *restrict f = self->f;
  for (int i = 0; i < self->nu; i++) {
    const int end = self->row_start[i + 1];
    double sum = 0, rest = 0;
    if (a)
      for (int e = self->row_start[i]; e < end; e++) {
        sum += m[e] * b[column[e]];
        rest += k[e] * a[column[e]];
      }
    else
      for (int e = self->row_start[i]; e < end; e++) sum += m[e] * b[column[e]];
    f[i] = sum + rest;
  }
  for (int c = 0; c < self->cuts; c++) {
    const int end = set->j_start[c + 1];
    double sum = 0, rest = 0;
    for (int e = set->j_start[c]; e < end; e++) sum += j[e] * b[index[e]];
    for (int e = set->j_start[c]; a && e < end; e++) rest += bend[e] * a[index[e]];
    f[self->nu + c] = sum + rest;
  }
}

// The same of a deep tree: speeds of turning mix.
static void multiply_deep(hn_relative_stage *self, const double *a, const double *b) {
  double *w = self->deep.mixed, *wd = w + self->nu;
  memset(w, 0, (size_t)self->nu * sizeof(double));
  memcpy(wd, b, (size_t)self->nu * sizeof(double));
  for (int k = 0; a && k < self->turnings; k++) {
    const turning *turn = &self->turning[k];
    for (int i = 0; i < 3; i++) {
      w[turn->u + i] = dot3(turn->rate[i], &a[turn->u]);
      wd[turn->u + i] += dot3(turn->second[i], &a[turn->u]);
    }
  }
  hn_chain_multiply(self->deep.chain, a, w, wd, self->f);
}

// Right sides M r2 - g K r1 and J r2 - g R r1 in speeds: with r1 = T+ a + p s the parts of K' are those
// of a, and e comes with s.
void hn_relative_stage_filter(hn_relative_stage *self, double g, double *r1, double *r2) {
  double *a = self->a, *b = self->b;
  to_speeds(self, r2, b);
  if (r1) to_speeds(self, r1, a);
  for (int i = 0; r1 && i < self->nu; i++) a[i] *= -g;
  if (self->deep.chain)
    multiply_deep(self, r1 ? a : NULL, b);
  else
    multiply(self, r1 ? a : NULL, b);
  for (int k = 0; k < self->turnings; k++) {
    const turning *turn = &self->turning[k];
    self->pull[k] = r1 ? g * dot4(turn->p, &r1[turn->q]) : 0;
  }
  if (r1) pull_all(self);
  for (int k = 0; k < self->turnings; k++) {
    const turning *turn = &self->turning[k];
    double s = dot4(turn->p, &r2[turn->q]);
    if (r1) // pdd . r1, pdd = T+ wd - pd.pd p, and with p/|p| another -pd.pd p
      s += 0.25 * dot3(turn->wd, &a[turn->u]) +
           (self->is_unit ? 2 : 1) * turn->square * self->pull[k];
    self->along[turn->row] = s;
  }
  solve(self, self->along, r2, NULL);
  for (int i = 0; r1 && i < self->tangent->base.n; i++) r1[i] += self->g_v * r2[i];
}
