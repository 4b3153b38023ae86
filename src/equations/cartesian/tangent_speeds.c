// The Cartesian tangent in speeds (hn_speed_blocks of tangent.h): v and w' of bodies, in body axes.
// Bodies stay rigid whatever p is: with e = p / |p|, a state is evaluated at
//
//   e,   ed = pd - e (e.pd),   edd = pdd - e (e.pdd + ed.ed),   w' = T pd,   T = 2 G(e)
//
// where the blocks in q hold. Then with dp = T^+ dw, T^+ = G(e)' / 2,
//
//   X_u = [1 0; 0 T^+]' X [1 0; 0 T^+]
//
// for the 7 x 7 blocks X of K and C between two bodies; M is diag(m 1, J) and never changes. In tau is
// what rows see of edd along e: without it tau + Phi_p e ed.ed. The multiplier mu of e.e = 1 stands in K
// by its value, mu / 4: it is found from what pushes along e.
#include <math.h>
#include <string.h>

#include "equations/cartesian/tangent.h"

// K and C between two bodies.
typedef struct block {
  int body[2]; // from 0
  hn_sparse_place stiffness,
      damping;    // 7 x 7 in q; nowhere: only of p, in stiffness_p and damping_p
  int to, stride; // 6 x 6 in speeds
} block;

// The entries of one body in a row.
typedef struct row_part {
  int row, body;
  int plain; // 3, or 0 where the row does not see r
  int from;  // of phi_q.value
} row_part;

struct hn_cartesian_blocks {
  int block_count, part_count;
  block *blocks;
  row_part *parts;
  double (*plus)[4][3]; // T^+ (bodies)
  double *row_value;
  double *q, *qd, *qdd; // with e in the place of p (n)
  double *length;       // |p| (bodies)
  double *balance;      // Q - M qdd in q (n)
  double *lambda;       // without those of lengths (rows)
};

// ---- set-up -------------------------------------------------------------------------------------

// Pairs of bodies that K has, each by the first entry of p; their 6 x 6 blocks stand alike in speeds.
static hn_status make_square(hn_arena *arena, hn_arena *scratch, hn_cartesian_tangent *self,
                             hn_sparse *out) {
  const hn_sparse *k = &self->base.stiffness, *c = &self->base.damping;
  hn_cartesian_blocks *speeds = self->speeds;
  int bodies = self->base.n / 7, at = 0, count = 0;
  for (int b = 0; b < bodies; b++)
    for (int e = k->start[7 * b + 3]; e < k->start[7 * b + 4]; e++) count += k->index[e] % 7 == 3;
  speeds->blocks = HN_TAKE(arena, block, count);
  int *start = HN_TAKE(scratch, int, 6 * bodies + 1), *index = HN_TAKE(scratch, int, 36 * count);
  if (arena->failed || scratch->failed) return HN_ERROR_MEMORY;
  for (int b = 0; b < bodies; b++) {
    int row = 7 * b, first = speeds->block_count;
    for (int e = k->start[row + 3]; e < k->start[row + 4]; e++) {
      if (k->index[e] % 7 != 3) continue;
      int column = k->index[e] - 3;
      speeds->blocks[speeds->block_count++] = (block){{b, column / 7},
                                                      hn_sparse_find_block(k, row, column, 7, 7),
                                                      hn_sparse_find_block(c, row, column, 7, 7),
                                                      0,
                                                      0};
    }
    int stride = 6 * (speeds->block_count - first);
    for (int i = 0; i < 6; i++) {
      start[6 * b + i] = at;
      for (int x = first; x < speeds->block_count; x++) {
        if (i == 0) speeds->blocks[x].to = at;
        speeds->blocks[x].stride = stride;
        for (int j = 0; j < 6; j++) index[at++] = 6 * speeds->blocks[x].body[1] + j;
      }
    }
  }
  start[6 * bodies] = at;
  return hn_sparse_create(arena, 6 * bodies, 6 * bodies, start, index, out);
}

// Rows of the elements: of each body three numbers of p in the place of four.
static hn_status make_rows(hn_arena *arena, hn_cartesian_tangent *self) {
  const hn_sparse *p = &self->base.phi_q;
  hn_cartesian_blocks *speeds = self->speeds;
  hn_speed_blocks *b = &self->base.blocks;
  int rows = self->base.equations->elements->row_count, at = 0;
  int *row = HN_TAKE(arena, int, rows), *start = HN_TAKE(arena, int, rows + 1);
  int *index = HN_TAKE(arena, int, p->start[rows]);
  speeds->parts = HN_TAKE(arena, row_part, p->start[rows]);
  speeds->row_value = HN_TAKE(arena, double, p->start[rows]);
  if (arena->failed) return HN_ERROR_MEMORY;
  for (int r = 0; r < rows; r++) {
    row[r] = r;
    for (int e = p->start[r]; e < p->start[r + 1];) {
      int body = p->index[e] / 7, plain = 3 - p->index[e] % 7;
      speeds->parts[speeds->part_count++] = (row_part){r, body, plain, e};
      for (int j = 3 - plain; j < 6; j++) index[at++] = 6 * body + j;
      e += plain + 4;
    }
    start[r + 1] = at;
  }
  b->rows = rows;
  b->row = row;
  b->row_start = start;
  b->row_index = index;
  b->row_value = speeds->row_value;
  b->lengths = self->base.equations->normalizations;
  return HN_OK;
}

static void store_mass(hn_cartesian_tangent *self) {
  const hn_model *model = self->base.equations->model;
  for (int k = 0; k < self->speeds->block_count; k++) {
    const block *x = &self->speeds->blocks[k];
    if (x->body[0] != x->body[1]) continue;
    const hn_body_def *def = &model->bodies[x->body[0] + 1];
    hn_mat3 inertia = mat3_symmetric(def->inertia);
    double *to = &self->base.blocks.mass[x->to];
    for (int i = 0; i < 3; i++) {
      to[i * (x->stride + 1)] = def->mass;
      for (int j = 0; j < 3; j++) to[(3 + i) * x->stride + 3 + j] = inertia.m[i][j];
    }
  }
}

hn_status hn_cartesian_speeds_create(hn_arena *arena, hn_cartesian_tangent *self) {
  hn_speed_blocks *b = &self->base.blocks;
  hn_arena scratch;
  hn_sparse square;
  self->speeds = HN_TAKE(arena, hn_cartesian_blocks, 1);
  if (!self->speeds) return HN_ERROR_MEMORY;
  b->n = self->base.equations->nu;
  hn_arena_init(&scratch, &arena->allocator);
  hn_status status = make_square(arena, &scratch, self, &square);
  hn_arena_release(&scratch);
  if (status == HN_OK) status = make_rows(arena, self);
  if (status == HN_OK) status = hn_speed_blocks_pattern(arena, &square, square.start[b->n], b);
  if (status != HN_OK) return status;
  double **numbers[] = {&b->mass, &b->damping, &b->stiffness};
  for (int k = 0; k < 3; k++) *numbers[k] = HN_TAKE(arena, double, square.start[b->n] + 1);
  self->speeds->plus = hn_arena_take(arena, (size_t)(self->base.n / 7), sizeof(double[4][3]));
  hn_cartesian_blocks *speeds = self->speeds;
  double **in_q[] = {&speeds->q, &speeds->qd, &speeds->qdd, &speeds->balance};
  for (int k = 0; k < 4; k++) *in_q[k] = HN_TAKE(arena, double, self->base.n);
  speeds->length = HN_TAKE(arena, double, self->base.n / 7);
  self->speeds->lambda = HN_TAKE(arena, double, self->base.rows);
  if (arena->failed) return HN_ERROR_MEMORY;
  store_mass(self);
  return HN_OK;
}

// ---- vectors ------------------------------------------------------------------------------------

// e and its rates, of which qd and qdd may be null; T^+.
static void take_state(hn_cartesian_tangent *self, const double *q, const double *qd,
                       const double *qdd) {
  hn_cartesian_blocks *speeds = self->speeds;
  size_t size = (size_t)self->base.n * sizeof(double);
  memcpy(speeds->q, q, size);
  if (qd) memcpy(speeds->qd, qd, size);
  if (qdd) memcpy(speeds->qdd, qdd, size);
  for (int b = 0; b < self->base.n / 7; b++) {
    int at = 7 * b + 3;
    hn_quat p = quat_load(&q[at]), e, ed;
    double g[3][4];
    speeds->length[b] = sqrt(quat_dot(p, p));
    e = quat_scale(1 / speeds->length[b], p);
    quat_store(&speeds->q[at], e);
    hn_euler_g(e, g);
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 3; j++) speeds->plus[b][i][j] = 0.5 * g[j][i];
    if (!qd) continue;
    ed = quat_load(&qd[at]);
    ed = quat_add(ed, quat_scale(-quat_dot(e, ed), e));
    quat_store(&speeds->qd[at], ed);
    if (!qdd) continue;
    hn_quat edd = quat_load(&qdd[at]);
    edd = quat_add(edd, quat_scale(-quat_dot(e, edd) - quat_dot(ed, ed), e));
    quat_store(&speeds->qdd[at], edd);
  }
}

// Lengths are those of p.
static void store_lengths(hn_cartesian_tangent *self, const double *q, const double *qd) {
  hn_tangent *base = &self->base;
  for (int b = 0; b < base->n / 7; b++) {
    int r = base->equations->elements->row_count + b;
    hn_quat p = quat_load(&q[7 * b + 3]);
    base->phi[r] = 0.5 * (quat_dot(p, p) - 1);
    quat_store(&base->phi_q.value[base->phi_q.start[r]], p);
    if (!qd) continue;
    hn_quat pd = quat_load(&qd[7 * b + 3]);
    base->phi_rate[r] = quat_dot(p, pd);
    base->tau[r] = -quat_dot(pd, pd);
  }
}

void hn_cartesian_speeds_of(const hn_tangent *tangent, const double *x, double *out) {
  const hn_cartesian_tangent *self = (const hn_cartesian_tangent *)tangent;
  for (int b = 0; b < tangent->n / 7; b++, x += 7, out += 6) {
    const double(*plus)[3] = (const double(*)[3])self->speeds->plus[b];
    for (int i = 0; i < 3; i++) {
      out[i] = x[i];
      out[3 + i] =
          4 * (plus[0][i] * x[3] + plus[1][i] * x[4] + plus[2][i] * x[5] + plus[3][i] * x[6]);
    }
  }
}

void hn_cartesian_correction_of_speeds(const hn_tangent *tangent, const double *u, const double *c,
                                       double *x) {
  const hn_cartesian_tangent *self = (const hn_cartesian_tangent *)tangent;
  const hn_cartesian_blocks *speeds = self->speeds;
  c += tangent->rows - tangent->blocks.lengths;
  for (int b = 0; b < tangent->n / 7; b++, x += 7, u += 6) {
    const double(*plus)[3] = (const double(*)[3])speeds->plus[b], *e = &speeds->q[7 * b + 3];
    double along = c[b] / speeds->length[b];
    for (int i = 0; i < 3; i++) x[i] = u[i];
    for (int i = 0; i < 4; i++)
      x[3 + i] = plus[i][0] * u[3] + plus[i][1] * u[4] + plus[i][2] * u[5] + along * e[i];
  }
}

static void force_in_speeds(const hn_cartesian_tangent *self, const double *force, double *out) {
  for (int b = 0; b < self->base.n / 7; b++, force += 7, out += 6) {
    const double(*plus)[3] = (const double(*)[3])self->speeds->plus[b];
    for (int i = 0; i < 3; i++) {
      out[i] = force[i];
      out[3 + i] = plus[0][i] * force[3] + plus[1][i] * force[4] + plus[2][i] * force[5] +
                   plus[3][i] * force[6];
    }
  }
}

// ---- blocks -------------------------------------------------------------------------------------

static void store_rows(hn_cartesian_tangent *self, int has_rates) {
  const hn_cartesian_blocks *speeds = self->speeds;
  hn_tangent *base = &self->base;
  double *to = speeds->row_value;
  for (int k = 0; k < speeds->part_count; k++) {
    const row_part *part = &speeds->parts[k];
    const hn_body_rates *body = &self->bodies[part->body + 1];
    const double *from = &base->phi_q.value[part->from];
    const double(*plus)[3] = (const double(*)[3])speeds->plus[part->body];
    for (int i = 0; i < part->plain; i++) *to++ = *from++;
    if (has_rates)
      base->tau[part->row] += quat_dot(quat_load(from), body->p) * quat_dot(body->pd, body->pd);
    for (int j = 0; j < 3; j++)
      *to++ =
          from[0] * plus[0][j] + from[1] * plus[1][j] + from[2] * plus[2][j] + from[3] * plus[3][j];
  }
}

// to = [1 0; 0 left]' from [1 0; 0 right], where from has `plain` rows and columns before those of p
static void store_block(const double *from, int from_stride, int plain, const double (*left)[3],
                        const double (*right)[3], double *to, int to_stride) {
  double half[7][6];
  for (int i = 0; i < plain + 4; i++, from += from_stride) {
    const double *p = from + plain;
    for (int j = 0; j < plain; j++) half[i][j] = from[j];
    for (int j = 0; j < 3; j++)
      half[i][plain + j] =
          p[0] * right[0][j] + p[1] * right[1][j] + p[2] * right[2][j] + p[3] * right[3][j];
  }
  for (int i = 0; i < plain; i++)
    for (int j = 0; j < plain + 3; j++) to[i * to_stride + j] = half[i][j];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < plain + 3; j++)
      to[(plain + i) * to_stride + j] =
          left[0][i] * half[plain][j] + left[1][i] * half[plain + 1][j] +
          left[2][i] * half[plain + 2][j] + left[3][i] * half[plain + 3][j];
}

static void store(const hn_cartesian_tangent *self, const block *x, const hn_sparse *matrix,
                  hn_sparse_place whole, hn_sparse_place own, double *to) {
  const double(*left)[3] = (const double(*)[3])self->speeds->plus[x->body[0]];
  const double(*right)[3] = (const double(*)[3])self->speeds->plus[x->body[1]];
  to += x->to;
  if (whole.at >= 0)
    store_block(&matrix->value[whole.at], whole.stride, 3, left, right, to, x->stride);
  else if (x->body[0] == x->body[1])
    store_block(&matrix->value[own.at], own.stride, 0, left, right, to + 3 * (x->stride + 1),
                x->stride);
}

static void store_matrices(hn_cartesian_tangent *self, const double *mu) {
  const hn_tangent *base = &self->base;
  for (int k = 0; k < self->speeds->block_count; k++) {
    const block *x = &self->speeds->blocks[k];
    int b = x->body[0];
    store(self, x, &base->stiffness, x->stiffness, self->stiffness_p[b], base->blocks.stiffness);
    store(self, x, &base->damping, x->damping, self->damping_p[b], base->blocks.damping);
    for (int i = 3; b == x->body[1] && i < 6; i++)
      base->blocks.stiffness[x->to + i * (x->stride + 1)] += 0.25 * mu[b];
  }
}

hn_status hn_cartesian_evaluate_in_speeds(hn_cartesian_tangent *self, const hn_tangent_state *state,
                                          hn_want want, hn_error *error) {
  hn_cartesian_blocks *speeds = self->speeds;
  hn_tangent *base = &self->base;
  int rows = base->equations->elements->row_count;
  hn_tangent_state s = *state;
  take_state(self, s.q, s.qd, s.qdd);
  s.q = speeds->q;
  s.qd = speeds->qd;
  s.qdd = speeds->qdd;
  s.lambda = speeds->lambda;
  s.b = speeds->balance;
  if (want == HN_FULL) {
    memcpy(speeds->lambda, state->lambda, (size_t)rows * sizeof(double));
    memset(&speeds->lambda[rows], 0, (size_t)base->blocks.lengths * sizeof(double));
  }
  hn_status status =
      hn_cartesian_evaluate_in_q(self, &s, want == HN_BALANCE ? HN_BASIC : want, error);
  if (status != HN_OK) return status;
  store_rows(self, want > HN_ROWS);
  store_lengths(self, state->q, want > HN_ROWS ? state->qd : NULL);
  if (want < HN_BALANCE) return HN_OK;
  hn_tangent_find_balance(base, &s);
  force_in_speeds(self, speeds->balance, state->b);
  if (want != HN_FULL) return HN_OK;
  hn_tangent_normalization_multipliers(base, speeds->lambda);
  store_matrices(self, &speeds->lambda[rows]);
  return HN_OK;
}
