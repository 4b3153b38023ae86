// Independent coordinates put together: factors part by part, solutions with E and its transpose,
// recovery of positions. The choice itself is in reduction_select.c, the cut into parts in
// reduction_parts.c.
#include "integrate/reduction.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "equations/loop_rank.h"
#include "integrate/method.h"
#include "integrate/reduction_private.h"
#include "linalg/block.h"
#include "linalg/rank.h"
#include "linalg/small.h"

// E is chosen again when its condition has grown by this factor (Negrut 1998, ch. 3.1).
#define WORN 1.25
enum { POSITION_ITERATIONS = 15 };

// ---- set-up -------------------------------------------------------------------------------------

static hn_status take_work(hn_arena *arena, hn_reduction *self) {
  size_t matrix = 0;
  int columns = 0,
      most = self->tangent->n > self->tangent->rows ? self->tangent->n : self->tangent->rows;
  for (int p = 0; p < self->part_count; p++) {
    const hn_reduction_part *part = &self->parts[p];
    int wide = part->n > part->rows ? part->n : part->rows;
    if (!part->saddle && (size_t)part->n * (size_t)wide > matrix)
      matrix = (size_t)part->n * (size_t)wide;
    if (wide > columns) columns = wide;
  }
  self->matrix = HN_KEEP(arena, double, matrix);
  self->work_rank = HN_KEEP(arena, double, 4 * columns);
  self->order = HN_KEEP(arena, int, columns);
  self->preference = HN_KEEP(arena, int, columns);
  self->x = HN_KEEP(arena, double, most);
  self->y = HN_KEEP(arena, double, most);
  self->rest = HN_KEEP(arena, double, most);
  self->work = HN_KEEP(arena, double, hn_reduction_work(self));
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

hn_status hn_reduction_create(hn_arena *arena, hn_equations *equations, hn_tangent *tangent,
                              unsigned kind, hn_reduction **reduction) {
  if (!(kind & HN_INDEPENDENT_REDUCED)) return HN_ERROR_UNSUPPORTED;
  hn_reduction *self = HN_KEEP(arena, hn_reduction, 1);
  if (!self) return HN_ERROR_MEMORY;
  self->equations = equations;
  self->tangent = tangent;
  self->is_tangent_plane = kind == HN_INDEPENDENT_TANGENT_PLANE;
  self->length = sqrt(hn_geometric_rotation(equations->model)); // as rank is judged by
  self->weakest = -1;
  self->part_of_column = HN_TAKE(arena, int, tangent->n);
  self->place = HN_KEEP(arena, int, tangent->n);
  self->phi_q = HN_KEEP(arena, double, tangent->phi_q.start[tangent->rows]);
  self->last_phi_q = HN_KEEP(arena, double, tangent->phi_q.start[tangent->rows]);
  self->left_out = HN_KEEP(arena, unsigned char, tangent->rows);
  self->known_start = HN_KEEP(arena, int, tangent->rows + 1);
  self->own_start = HN_KEEP(arena, int, tangent->rows + 1);
  self->known = HN_KEEP(arena, int, tangent->phi_q.start[tangent->rows]);
  self->own = HN_KEEP(arena, int, tangent->phi_q.start[tangent->rows]);
  self->column_scale = HN_TAKE(arena, double, tangent->n);
  self->wide = hn_is_wide();
  if (arena->failed) return HN_ERROR_MEMORY;
  for (int i = 0; i < tangent->n; i++)
    self->column_scale[i] = tangent->columns[i] == HN_COLUMN_LENGTH  ? 1
                            : tangent->columns[i] == HN_COLUMN_ANGLE ? 1 / self->length
                                                                     : 0.5 / self->length;
  hn_status status = hn_reduction_find_parts(arena, self);
  if (status == HN_OK) status = hn_reduction_sparse_create(arena, self);
  if (status == HN_OK) status = take_work(arena, self);
  if (status == HN_OK) status = hn_place_create(arena, equations, 0, &self->chosen_at);
  if (status != HN_OK) return status;
  for (int p = 0; p < self->part_count; p++)
    hn_declare_integer(arena, &self->parts[p].best_rank, 0, self->parts[p].rows,
                       "the rank of a part");
  HN_STATE(arena, self->phi_q, tangent->phi_q.start[tangent->rows], "an entry of constraints");
  *reduction = self;
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

// ---- the choice ---------------------------------------------------------------------------------

static void find_conditions(hn_reduction *self) {
  if (self->has_condition) return;
  for (int p = 0; p < self->part_count; p++)
    if (!self->parts[p].saddle && self->parts[p].n > 0) {
      self->parts[p].condition = hn_reduction_part_condition(self, &self->parts[p]);
      self->parts[p].gain = hn_reduction_part_gain(self, &self->parts[p]);
    }
  self->has_condition = 1;
}

// Which entries of the rows kept are in the factor of their part, and which are known before.
static void sort_entries(hn_reduction *self) {
  const hn_sparse *phi_q = &self->tangent->phi_q;
  int *part_of_row = self->own_start; // until the list of the row starts
  for (int r = 0; r <= phi_q->rows; r++) part_of_row[r] = -1;
  for (int p = 0; p < self->part_count; p++)
    for (int k = 0; k < self->parts[p].rank && !self->parts[p].saddle; k++)
      part_of_row[self->parts[p].kept[k]] = p;
  int known = 0, own = 0;
  for (int r = 0; r < phi_q->rows; r++) {
    int p = part_of_row[r];
    self->known_start[r] = known;
    self->own_start[r] = own;
    for (int e = phi_q->start[r]; p >= 0 && e < phi_q->start[r + 1]; e++) {
      int column = phi_q->index[e];
      if (self->part_of_column[column] == p && self->place[column] >= 0)
        self->own[own++] = e;
      else
        self->known[known++] = e;
    }
  }
  self->known_start[phi_q->rows] = known;
  self->own_start[phi_q->rows] = own;
}

static hn_status select_at_place(hn_reduction *self, hn_error *error) {
  const hn_place *place = &self->chosen_at;
  const hn_tangent_state at = hn_place_state(place);
  hn_status status = hn_tangent_evaluate(self->tangent, &at, HN_BASIC, error);
  if (status != HN_OK) return status;
  self->size = 0;
  self->weakest_rest = HUGE_VAL;
  for (int p = 0; p < self->part_count && status == HN_OK; p++) {
    hn_reduction_part *part = &self->parts[p];
    status = hn_reduction_choose(self, part);
    part->first = self->size;
    self->size += part->n - part->rank;
  }
  if (status == HN_OK && self->size > self->most) status = HN_ERROR_SINGULAR;
  if (status == HN_OK) sort_entries(self);
  if (status == HN_OK) status = hn_reduction_factor(self);
  if (status != HN_OK)
    return hn_fail(
        error, HN_ERROR_SINGULAR, NULL, NULL,
        "A loop may be stretched or folded there: start elsewhere, or use @independent none.",
        "no independent coordinates exist at t = %g s: the constraints are singular there",
        place->t);
  find_conditions(self);
  for (int p = 0; p < self->part_count; p++) {
    self->parts[p].chosen_condition = self->parts[p].condition;
    self->parts[p].chosen_gain = self->parts[p].gain;
  }
  return HN_OK;
}

hn_status hn_reduction_select(hn_reduction *self, double t, const double *q, const double *qd,
                              const hn_branches *branches, hn_error *error) {
  hn_place_keep(&self->chosen_at, self->equations, t, q, qd, NULL, NULL, branches);
  return select_at_place(self, error);
}

hn_status hn_reduction_select_again(hn_reduction *self) {
  hn_error ignored;
  const hn_sparse *phi_q = &self->tangent->phi_q;
  size_t size = (size_t)phi_q->start[phi_q->rows] * sizeof(double);
  memcpy(self->last_phi_q, self->phi_q, size);
  hn_place_visit(&self->chosen_at, self->equations);
  hn_status status = select_at_place(self, &ignored);
  hn_place_visit(&self->chosen_at, self->equations);
  return status;
}

hn_status hn_reduction_factor_again(hn_reduction *self) {
  const hn_sparse *phi_q = &self->tangent->phi_q;
  memcpy(phi_q->value, self->last_phi_q, (size_t)phi_q->start[phi_q->rows] * sizeof(double));
  return hn_reduction_factor(self);
}

int hn_reduction_size(const hn_reduction *self) { return self->size; }
int hn_reduction_most(const hn_reduction *self) { return self->most; }
const unsigned char *hn_reduction_left_out(const hn_reduction *self) { return self->left_out; }

int hn_reduction_is_worn(hn_reduction *self) {
  find_conditions(self);
  for (int p = 0; p < self->part_count; p++) {
    const hn_reduction_part *part = &self->parts[p];
    if (part->condition > WORN * part->chosen_condition) return 1;
    if (part->gain > WORN * part->chosen_gain) return 1;
  }
  return 0;
}

double hn_reduction_condition(hn_reduction *self) {
  double most = 0;
  find_conditions(self);
  for (int p = 0; p < self->part_count; p++) {
    if (self->parts[p].saddle) return HUGE_VAL;
    if (self->parts[p].n > 0) most = fmax(most, self->parts[p].condition);
  }
  return most;
}

double hn_reduction_find_weakness(hn_reduction *self, double t, const double *q,
                                  const hn_branches *branches, int *row) {
  const hn_tangent_state at = {.t = t, .q = q, .branches = branches};
  hn_tangent_evaluate(self->tangent, &at, HN_ROWS, NULL);
  self->weakest = -1;
  self->weakest_rest = 1;
  for (int p = 0; p < self->part_count; p++) hn_reduction_find_weakest(self, &self->parts[p]);
  *row = self->weakest;
  return self->weakest_rest;
}

void hn_reduction_restrict(const hn_reduction *self, const double *x, double *v) {
  for (int p = 0; p < self->part_count; p++) {
    const hn_reduction_part *part = &self->parts[p];
    for (int k = 0; k < part->n - part->rank; k++) {
      if (!self->is_tangent_plane) {
        v[part->first + k] = x[part->column[part->rank + k]];
        continue;
      }
      const double *basis = &part->basis[(size_t)k * (size_t)part->n];
      double sum = 0;
      for (int i = 0; i < part->n; i++) sum += basis[i] * x[part->column[i]];
      v[part->first + k] = sum;
    }
  }
}

void hn_reduction_spread(const hn_reduction *self, const double *v, double *x) {
  memset(x, 0, (size_t)self->tangent->n * sizeof(double));
  for (int p = 0; p < self->part_count; p++) {
    const hn_reduction_part *part = &self->parts[p];
    for (int k = 0; k < part->n - part->rank; k++) {
      if (!self->is_tangent_plane) {
        x[part->column[part->rank + k]] = v[part->first + k];
        continue;
      }
      const double *basis = &part->basis[(size_t)k * (size_t)part->n];
      for (int i = 0; i < part->n; i++) x[part->column[i]] += basis[i] * v[part->first + k];
    }
  }
}

// ---- E ------------------------------------------------------------------------------------------

static int factor_part(hn_reduction *self, int p) {
  const hn_sparse *phi_q = &self->tangent->phi_q;
  hn_reduction_part *part = &self->parts[p];
  if (part->saddle) return hn_reduction_sparse_factor(self, part) != HN_OK;
  size_t size = (size_t)part->size;
  size_t stride = part->inverse ? (size_t)hn_small_stride(part->size) : size;
  double small[HN_SMALL * HN_SMALL], *matrix = part->inverse ? small : part->factor;
  memset(matrix, 0, stride * size * sizeof(double));
  for (int k = 0; k < part->rank; k++)
    for (int o = self->own_start[part->kept[k]]; o < self->own_start[part->kept[k] + 1]; o++) {
      int e = self->own[o];
      matrix[(size_t)self->place[phi_q->index[e]] * stride + (size_t)k] = phi_q->value[e];
    }
  for (int k = part->rank; k < part->size; k++) {
    const double *basis = &part->basis[(size_t)(k - part->rank) * size];
    for (size_t i = 0; i < size; i++) matrix[i * stride + (size_t)k] = basis[i];
  }
  return part->inverse
             ? hn_small_invert(self->wide, part->size, matrix, part->inverse, part->transposed)
             : hn_dense_lu(matrix, part->size, part->pivots);
}

void hn_reduction_divide(const hn_reduction *self, const hn_reduction_part *part, double *x) {
  if (part->inverse)
    hn_small_multiply(self->wide, part->size, part->inverse, x);
  else
    hn_dense_lu_solve(part->factor, part->size, part->pivots, x);
}

void hn_reduction_divide_transposed(const hn_reduction *self, const hn_reduction_part *part,
                                    double *x) {
  if (part->inverse)
    hn_small_multiply(self->wide, part->size, part->transposed, x);
  else
    hn_dense_lu_solve_transposed(part->factor, part->size, part->pivots, x);
}

hn_status hn_reduction_factor(hn_reduction *self) {
  hn_status status = HN_OK;
  const hn_sparse *phi_q = &self->tangent->phi_q;
  self->has_condition = 0;
  memcpy(self->phi_q, phi_q->value, (size_t)phi_q->start[phi_q->rows] * sizeof(double));
  for (int p = 0; p < self->part_count; p++)
    if (factor_part(self, p) != 0) status = HN_ERROR_SINGULAR;
  return status;
}

int hn_reduction_is_serial(const hn_reduction *self) { return self->is_serial; }

int hn_reduction_work(const hn_reduction *self) {
  int most = 0;
  for (int p = 0; p < self->part_count; p++)
    if (self->parts[p].n > most) most = self->parts[p].n;
  return most + self->tangent->n;
}

// Part by part: what is known of x goes to the right side of the rows.
void hn_reduction_solve(const hn_reduction *self, const double *c, const double *w, double *x,
                        double *work) {
  const hn_sparse *phi_q = &self->tangent->phi_q;
  for (int p = 0; p < self->part_count; p++) {
    const hn_reduction_part *part = &self->parts[p];
    int free_count = part->n - part->rank;
    if (part->saddle) {
      hn_reduction_sparse_solve(self, part, c, w, x, work);
      continue;
    }
    for (int k = 0; k < free_count; k++) {
      double value = w ? w[part->first + k] : 0;
      if (self->is_tangent_plane)
        work[part->rank + k] = value;
      else
        x[part->column[part->rank + k]] = value;
    }
    for (int k = 0; k < part->rank; k++) {
      int row = part->kept[k];
      double sum = c ? c[row] : 0;
      for (int o = self->known_start[row]; o < self->known_start[row + 1]; o++)
        sum -= self->phi_q[self->known[o]] * x[phi_q->index[self->known[o]]];
      work[k] = sum;
    }
    hn_reduction_divide(self, part, work);
    for (int i = 0; i < part->size; i++) x[part->column[i]] = work[i];
  }
}

// The other way round: multipliers of the last part first.
void hn_reduction_solve_transposed(const hn_reduction *self, const double *f, double *y, double *z,
                                   double *work) {
  const hn_sparse *phi_q = &self->tangent->phi_q;
  double *rest = work, *local = work + self->tangent->n;
  memcpy(rest, f, (size_t)self->tangent->n * sizeof(double));
  if (y) memset(y, 0, (size_t)self->tangent->rows * sizeof(double));
  for (int p = self->part_count - 1; p >= 0; p--) {
    const hn_reduction_part *part = &self->parts[p];
    if (part->saddle) {
      hn_reduction_sparse_solve_transposed(self, part, rest, y, z, local);
      continue;
    }
    for (int i = 0; i < part->size; i++) local[i] = rest[part->column[i]];
    hn_reduction_divide_transposed(self, part, local);
    for (int k = 0; k < part->rank; k++) {
      int row = part->kept[k];
      if (y) y[row] = local[k];
      for (int o = self->known_start[row]; o < self->known_start[row + 1]; o++)
        rest[phi_q->index[self->known[o]]] -= self->phi_q[self->known[o]] * local[k];
    }
    for (int k = 0; z && k < part->n - part->rank; k++)
      z[part->first + k] =
          self->is_tangent_plane ? local[part->rank + k] : rest[part->column[part->rank + k]];
  }
}

// ---- recovery -----------------------------------------------------------------------------------

// Largest |Phi| of the rows kept.
static double gap_of(const hn_reduction *self) {
  const hn_tangent *t = self->tangent;
  double most = 0;
  for (int r = 0; r < t->rows; r++)
    if (!self->left_out[r] && (fabs(t->phi[r]) > most || isnan(t->phi[r])))
      most = fabs(t->phi[r]); // what is not a number stays
  return most;
}

// Residual of v - V' q, into rest; returns the largest.
static double miss_of(hn_reduction *self, const double *q, const double *v) {
  double most = 0;
  hn_reduction_restrict(self, q, self->rest);
  for (int i = 0; i < self->size; i++) {
    self->rest[i] = v[i] - self->rest[i];
    if (fabs(self->rest[i]) > most || isnan(self->rest[i])) most = fabs(self->rest[i]);
  }
  return most;
}

// Newton's method well below the tolerance, if possible: the residual of Phi becomes noise in
// accelerations, and stiff forces multiply it.
hn_status hn_reduction_positions(hn_reduction *self, double t, double *q, const double *v,
                                 const hn_branches *branches, double tolerance) {
  hn_tangent *tangent = self->tangent;
  const hn_tangent_state at = {.t = t, .q = q, .branches = branches};
  const hn_tangent_state here = {.t = t, .q = q, .branches = branches, .has = HN_GAPS};
  double before = HUGE_VAL;
  for (int k = 0; k < POSITION_ITERATIONS; k++) {
    hn_tangent_evaluate(tangent, &at, HN_GAPS, NULL);
    double gap = gap_of(self), miss = miss_of(self, q, v);
    if (!(gap < HUGE_VAL && miss < HUGE_VAL)) return HN_RETRY_CONVERGENCE;
    if (miss > gap) gap = miss;
    if (gap <= (gap > HN_GAP_STAYS * before ? tolerance : HN_GAP_CLOSED * tolerance)) {
      hn_tangent_evaluate(tangent, &here, HN_ROWS, NULL);
      return HN_OK;
    }
    if (k > 0 && gap > HN_GAP_SLOW * before) {
      hn_tangent_evaluate(tangent, &here, HN_ROWS, NULL);
      if (hn_reduction_factor(self) != HN_OK) return HN_RETRY_CONVERGENCE;
    }
    before = gap;
    for (int r = 0; r < tangent->rows; r++) self->y[r] = -tangent->phi[r];
    hn_reduction_solve(self, self->y, self->rest, self->x, self->work);
    for (int i = 0; i < tangent->n; i++) q[i] += self->x[i];
  }
  return HN_RETRY_CONVERGENCE;
}

void hn_reduction_velocities(hn_reduction *self, const double *vd, double *qd) {
  for (int r = 0; r < self->tangent->rows; r++) self->y[r] = -self->tangent->phi_t[r];
  hn_reduction_solve(self, self->y, vd, qd, self->work);
}

void hn_reduction_accelerations(hn_reduction *self, const double *vdd, double *qdd) {
  hn_reduction_solve(self, self->tangent->tau, vdd, qdd, self->work);
}

void hn_reduction_image(hn_reduction *self, const double *v, double *x) {
  hn_reduction_solve(self, NULL, v, x, self->work);
}

void hn_reduction_project(hn_reduction *self, const double *f, double *w) {
  hn_reduction_solve_transposed(self, f, NULL, w, self->work);
}

void hn_reduction_multipliers(hn_reduction *self, const double *f, double *y) {
  hn_reduction_solve_transposed(self, f, y, NULL, self->work);
}
