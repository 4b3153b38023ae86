// The stage matrix, scaled, slightly regularized, factored without pivoting in an order fixed at
// set-up (linalg/factors.h).
//
// M is singular along each p, where only the normalization row holds, and about axes without inertia
// (point masses, thin rods), where only joints hold: s Phi_r' times such a row is added to the first
// block row (right sides too), which changes no solution and makes the block definite, s being the
// size of the mass there.
#include "integrate/stage_matrix.h"

#include <math.h>
#include <string.h>

#include "equations/relative/stage.h"
#include "linalg/factors.h"

#define RHO 1e-11
#define EPSILON 1e-10

struct hn_stage_matrix {
  const hn_tangent *tangent;
  hn_relative_stage *in_speeds; // does it all; else null
  int n, size;
  int rows;    // of the tangent that have entries: those of tree joints have none
  int *row_of; // which (rows)
  double rho;  // added to the first block; 0 without rows, where nothing is left to refine
  hn_step_numbers g;
  double g_stiff;          // g_q / g_v
  double *mass, *phi_q;    // values kept from the tangent
  double *block;           // M + g_v C + g_q K on the pattern of K
  double *border;          // Phi_q + 2 g_v A + g_q P on the pattern of Phi_q
  int *mirror;             // where K(j, i) is for entry K(i, j)
  int *diagonal;           // of K (n)
  int first_normalization; // row
  int augmented_count; // rows added to the first block row: normalizations, rows on light bodies
  int *augmented;      // which
  int *place_start, *place; // where K holds the outer product of each such row
  double *weight;           // s of each augmented row
  double *given_weight;     // s where it is known from the start; below 0: by the size of the mass
  int *start, *index;       // upper triangle by columns, for the factorization
  int *source; // of each entry: in block (column < n) or in border; -1: a row's diagonal
  double *upper, *lower;
  signed char *signs;
  double *scale;           // (size)
  unsigned char *left_out; // (rows)
  double *f, *z, *w;       // scaled right side, solution, residual (size)
  double *b, *c;           // right sides of the filter (n, rows)
  hn_factors *factors;
};

// ---- set-up -------------------------------------------------------------------------------------

static void make_pattern(hn_stage_matrix *self) {
  const hn_sparse *k = &self->tangent->stiffness, *p = &self->tangent->phi_q;
  int at = 0;
  for (int j = 0; j < self->n; j++) {
    self->start[j] = at;
    for (int e = k->start[j]; e < k->start[j + 1]; e++) {
      self->mirror[e] = hn_sparse_find(k, k->index[e], j);
      if (k->index[e] > j) continue;
      self->index[at] = k->index[e];
      self->source[at++] = e;
    }
    self->diagonal[j] = hn_sparse_find(k, j, j);
    self->signs[j] = 1;
  }
  for (int i = 0; i < self->rows; i++) {
    int r = self->row_of[i], place = self->n + i;
    self->start[place] = at;
    for (int e = p->start[r]; e < p->start[r + 1]; e++) {
      self->index[at] = p->index[e];
      self->source[at++] = e;
    }
    self->index[at] = place;
    self->source[at++] = -1;
    self->signs[place] = -1;
  }
  self->start[self->size] = at;
}

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
static double weight_of(const hn_stage_matrix *self, int r) {
  const hn_equations *equations = self->tangent->equations;
  if (self->tangent->squares) return self->tangent->squares[r];
  return r < self->first_normalization ? light_mass(equations, &equations->elements->rows[r]) : -1;
}

// Which rows are added to the first block row, and where their outer products stand in K.
static hn_status choose_augmented(hn_arena *arena, hn_stage_matrix *self) {
  const hn_sparse *k = &self->tangent->stiffness, *p = &self->tangent->phi_q;
  int places = 0;
  for (int i = 0; i < self->rows; i++) {
    int r = self->row_of[i], length = p->start[r + 1] - p->start[r];
    double weight = weight_of(self, r);
    if (weight == 0) continue;
    self->given_weight[self->augmented_count] = weight;
    self->place_start[self->augmented_count] = places;
    self->augmented[self->augmented_count++] = r;
    places += length * length;
  }
  self->place = HN_TAKE(arena, int, places);
  if (!self->place) return HN_ERROR_MEMORY;
  for (int i = 0; i < self->augmented_count; i++) {
    int r = self->augmented[i], *at = &self->place[self->place_start[i]];
    for (int a = p->start[r]; a < p->start[r + 1]; a++)
      for (int b = p->start[r]; b < p->start[r + 1]; b++)
        *at++ = hn_sparse_find(k, p->index[a], p->index[b]);
  }
  return HN_OK;
}

hn_status hn_stage_matrix_create_in_q(hn_arena *arena, const hn_tangent *tangent,
                                      hn_stage_matrix **matrix) {
  hn_stage_matrix *self = HN_TAKE(arena, hn_stage_matrix, 1);
  if (!self) return HN_ERROR_MEMORY;
  int k_entries = tangent->stiffness.start[tangent->n];
  int p_entries = tangent->phi_q.start[tangent->rows];
  int entries = k_entries + p_entries + tangent->rows;
  self->tangent = tangent;
  self->n = tangent->n;
  self->row_of = HN_TAKE(arena, int, tangent->rows);
  if (!self->row_of) return HN_ERROR_MEMORY;
  for (int r = 0; r < tangent->rows; r++)
    if (tangent->phi_q.start[r + 1] > tangent->phi_q.start[r]) self->row_of[self->rows++] = r;
  self->size = self->n + self->rows;
  self->rho = self->rows == 0 ? 0 : RHO;
  self->first_normalization = tangent->rows - tangent->equations->normalizations;
  self->mass = HN_TAKE(arena, double, tangent->mass.start[tangent->n]);
  self->phi_q = HN_TAKE(arena, double, p_entries);
  self->block = HN_TAKE(arena, double, k_entries);
  self->border = HN_TAKE(arena, double, p_entries);
  self->mirror = HN_TAKE(arena, int, k_entries);
  self->diagonal = HN_TAKE(arena, int, self->n);
  self->augmented = HN_TAKE(arena, int, self->rows);
  self->place_start = HN_TAKE(arena, int, self->rows);
  self->given_weight = HN_TAKE(arena, double, self->rows);
  self->weight = HN_TAKE(arena, double, self->rows);
  self->start = HN_TAKE(arena, int, self->size + 1);
  self->index = HN_TAKE(arena, int, entries);
  self->source = HN_TAKE(arena, int, entries);
  self->upper = HN_TAKE(arena, double, entries);
  self->lower = HN_TAKE(arena, double, entries);
  self->signs = HN_TAKE(arena, signed char, self->size);
  self->left_out = HN_TAKE(arena, unsigned char, tangent->rows);
  self->scale = HN_TAKE(arena, double, self->size);
  self->b = HN_TAKE(arena, double, self->n);
  self->c = HN_TAKE(arena, double, tangent->rows);
  self->f = HN_TAKE(arena, double, self->size);
  self->z = HN_TAKE(arena, double, self->size);
  self->w = HN_TAKE(arena, double, self->size);
  if (arena->failed) return HN_ERROR_MEMORY;
  make_pattern(self);
  hn_status status = choose_augmented(arena, self);
  if (status != HN_OK) return status;
  *matrix = self;
  return hn_factors_create(arena, self->size, self->start, self->index, NULL, 0, &self->factors);
}

hn_status hn_stage_matrix_create(hn_arena *arena, hn_tangent *tangent, hn_stage_matrix **matrix) {
  hn_relative_stage *in_speeds = NULL;
  hn_status status = hn_relative_stage_create(arena, tangent, &in_speeds);
  if (status != HN_OK) return status;
  if (!in_speeds) return hn_stage_matrix_create_in_q(arena, tangent, matrix);
  hn_stage_matrix *self = HN_TAKE(arena, hn_stage_matrix, 1);
  if (!self) return HN_ERROR_MEMORY;
  self->tangent = tangent;
  self->in_speeds = in_speeds;
  *matrix = self;
  return HN_OK;
}

hn_space hn_stage_matrix_space(const hn_stage_matrix *self) {
  return self->in_speeds ? HN_IN_JOINT_SPEEDS : HN_IN_Q;
}

void hn_stage_matrix_keep(hn_stage_matrix *self) {
  const hn_tangent *t = self->tangent;
  self->g = (hn_step_numbers){0, 0};
  if (self->in_speeds) {
    hn_relative_stage_keep(self->in_speeds);
    return;
  }
  memcpy(self->mass, t->mass.value, (size_t)t->mass.start[t->n] * sizeof(double));
  memcpy(self->phi_q, t->phi_q.value, (size_t)t->phi_q.start[t->rows] * sizeof(double));
}

void hn_stage_matrix_see_unit_parameters(hn_stage_matrix *self, hn_tangent *tangent,
                                         const double *q, const double *qd) {
  if (self->in_speeds)
    hn_relative_stage_see_unit_parameters(self->in_speeds);
  else
    hn_tangent_see_unit_parameters(tangent, q, qd);
}

// ---- numbers ------------------------------------------------------------------------------------

static void add_augmented(hn_stage_matrix *self) {
  const int *row_start = self->tangent->phi_q.start;
  for (int i = 0; i < self->augmented_count; i++) {
    int r = self->augmented[i], begin = row_start[r], length = row_start[r + 1] - begin;
    const int *at = &self->place[self->place_start[i]];
    double size = 0;
    for (int a = 0; a < length; a++) size += fabs(self->block[at[a * (length + 1)]]);
    self->weight[i] = self->left_out[r]           ? 0
                      : self->given_weight[i] > 0 ? self->given_weight[i]
                      : size > 0                  ? size / length
                                                  : 1;
    for (int a = 0; a < length; a++)
      for (int b = 0; b < length; b++)
        self->block[at[a * length + b]] +=
            self->weight[i] * self->phi_q[begin + a] * self->border[begin + b];
  }
}

static void assemble(hn_stage_matrix *self, hn_step_numbers g) {
  const hn_tangent *t = self->tangent;
  int k_entries = t->stiffness.start[self->n], p_entries = t->phi_q.start[t->rows];
  for (int e = 0; e < k_entries; e++) self->block[e] = g.q * t->stiffness.value[e];
  for (int e = 0; e < t->mass.start[self->n]; e++)
    self->block[t->mass_in_stiffness[e]] += self->mass[e];
  for (int e = 0; e < t->damping.start[self->n]; e++)
    self->block[t->damping_in_stiffness[e]] += g.v * t->damping.value[e];
  for (int e = 0; e < p_entries; e++)
    self->border[e] = self->phi_q[e] + 2 * g.v * t->phi_v.value[e] + g.q * t->phi_dd.value[e];
  add_augmented(self);
}

// Unit diagonal in the first block where there is mass, unit rows of Phi_q in those columns.
static void find_scales(hn_stage_matrix *self) {
  const hn_sparse *p = &self->tangent->phi_q;
  double most = 0;
  for (int i = 0; i < self->n; i++) {
    self->scale[i] = fabs(self->block[self->diagonal[i]]);
    if (self->scale[i] > most) most = self->scale[i];
  }
  for (int i = 0; i < self->n; i++)
    self->scale[i] =
        1 / sqrt(self->scale[i] > 1e-14 * most ? self->scale[i] : 1e-14 * most + 1e-300);
  for (int k = 0; k < self->rows; k++) {
    int r = self->row_of[k];
    double sum = 0;
    for (int e = p->start[r]; e < p->start[r + 1]; e++) {
      double x = self->phi_q[e] * self->scale[p->index[e]];
      sum += x * x;
    }
    self->scale[self->n + k] = self->left_out[r] ? 0 : sum > 0 ? 1 / sqrt(sum) : 1;
  }
}

// Factors in q. Returns how many pivots had to be replaced.
static int factor(hn_stage_matrix *self, hn_step_numbers g, const unsigned char *left_out) {
  for (int r = 0; r < self->tangent->rows; r++) self->left_out[r] = left_out ? left_out[r] : 0;
  assemble(self, g);
  find_scales(self);
  const double *scale = self->scale;
  for (int j = 0; j < self->size; j++)
    for (int e = self->start[j]; e < self->start[j + 1]; e++) {
      int i = self->index[e], from = self->source[e];
      double s = scale[i] * scale[j];
      if (from < 0) {
        self->upper[e] = self->lower[e] = self->left_out[self->row_of[j - self->n]] ? -1 : -EPSILON;
      } else if (j < self->n) {
        self->lower[e] = s * self->block[from];
        self->upper[e] = s * self->block[self->mirror[from]];
        if (i == j) self->upper[e] += self->rho;
      } else {
        self->upper[e] = s * self->phi_q[from];
        self->lower[e] = s * self->border[from];
      }
    }
  const hn_pivot_rule rule = {.signs = self->signs, .tiny = 1e-13};
  return hn_factors_of(self->factors, self->upper, self->lower, &rule);
}

hn_status hn_stage_matrix_factor(hn_stage_matrix *self, hn_step_numbers g,
                                 const unsigned char *left_out) {
  int replaced = self->in_speeds ? hn_relative_stage_factor(self->in_speeds, g.q, g.v, left_out)
                                 : factor(self, g, left_out);
  self->g = g;
  self->g_stiff = g.q == g.v * g.v ? g.v : g.q / g.v;
  return replaced == 0 ? HN_OK : HN_RETRY_CONVERGENCE;
}

// w = f - N z in scaled rows, without the regularization
static void find_residual(hn_stage_matrix *self) {
  double *restrict w = self->w;
  const double *z = self->z;
  memcpy(w, self->f, (size_t)self->size * sizeof(double));
  for (int j = 0; j < self->size; j++)
    for (int e = self->start[j]; e < self->start[j + 1]; e++) {
      int i = self->index[e];
      if (self->source[e] < 0) continue;
      if (i == j) {
        w[i] -= (self->upper[e] - self->rho) * z[i];
      } else {
        w[i] -= self->upper[e] * z[j];
        w[j] -= self->lower[e] * z[i];
      }
    }
}

void hn_stage_matrix_solve(hn_stage_matrix *self, const double *b, const double *c, double *x,
                           double *y, int sweeps) {
  const hn_sparse *p = &self->tangent->phi_q;
  int n = self->n, size = self->size;
  if (self->in_speeds) {
    hn_relative_stage_solve(self->in_speeds, b, c, x, y);
    return;
  }
  memcpy(self->f, b, (size_t)n * sizeof(double));
  for (int k = 0; k < self->augmented_count; k++) {
    int r = self->augmented[k];
    for (int e = p->start[r]; e < p->start[r + 1]; e++)
      self->f[p->index[e]] += self->weight[k] * self->phi_q[e] * c[r];
  }
  for (int i = 0; i < n; i++) self->f[i] *= self->scale[i];
  for (int k = 0; k < self->rows; k++) self->f[n + k] = self->scale[n + k] * c[self->row_of[k]];
  memcpy(self->z, self->f, (size_t)size * sizeof(double));
  hn_factors_solve(self->factors, NULL, self->z);
  if (self->rows == 0) sweeps = 0;
  for (int k = 0; k < sweeps; k++) {
    find_residual(self);
    hn_factors_solve(self->factors, NULL, self->w);
    for (int i = 0; i < size; i++) self->z[i] += self->w[i];
  }
  for (int i = 0; i < n; i++) x[i] = self->scale[i] * self->z[i];
  for (int r = 0; y && r < self->tangent->rows; r++) y[r] = 0;
  for (int k = 0; y && k < self->rows; k++)
    y[self->row_of[k]] = self->scale[n + k] * self->z[n + k];
}

void hn_stage_matrix_solve_accelerations(hn_stage_matrix *self, double *r, int sweeps) {
  hn_sparse mass = self->tangent->mass, phi_q = self->tangent->phi_q;
  if (self->in_speeds) {
    hn_relative_stage_filter(self->in_speeds, 0, NULL, r);
    return;
  }
  mass.value = self->mass;
  phi_q.value = self->phi_q;
  memset(self->b, 0, (size_t)self->n * sizeof(double));
  memset(self->c, 0, (size_t)self->tangent->rows * sizeof(double));
  hn_sparse_add_product(&mass, 1, r, self->b);
  hn_sparse_add_product(&phi_q, 1, r, self->c);
  hn_stage_matrix_solve(self, self->b, self->c, r, self->c, sweeps);
}

// M r2 - g K r1 and Phi_q r2 - g P r1, g = g_q/g_v, are the right sides of x2; then x1 = r1 + g_v x2
// (M6.5 in full coordinates).
void hn_stage_matrix_filter(hn_stage_matrix *self, double *r1, double *r2) {
  const hn_tangent *t = self->tangent;
  hn_sparse mass = t->mass, phi_q = t->phi_q;
  if (self->in_speeds) {
    hn_relative_stage_filter(self->in_speeds, self->g_stiff, r1, r2);
    return;
  }
  mass.value = self->mass;
  phi_q.value = self->phi_q;
  memset(self->b, 0, (size_t)self->n * sizeof(double));
  memset(self->c, 0, (size_t)self->tangent->rows * sizeof(double));
  hn_sparse_add_product(&mass, 1, r2, self->b);
  hn_sparse_add_product(&t->stiffness, -self->g_stiff, r1, self->b);
  hn_sparse_add_product(&phi_q, 1, r2, self->c);
  hn_sparse_add_product(&t->phi_dd, -self->g_stiff, r1, self->c);
  hn_stage_matrix_solve(self, self->b, self->c, r2, self->c, 1);
  for (int i = 0; i < self->n; i++) r1[i] += self->g.v * r2[i];
}
