// Factors of the relative set's inertia, with loop-closure constraints of the system of relative.h,
// and their rank. They depend on q and on the active constraints; factors of the same q are kept.
#include <math.h>
#include <string.h>

#include "equations/loop_rank.h"
#include "equations/relative/relative.h"
#include "linalg/gram.h"

// Instead of HN_LOOP_EPSILON far from singular configurations: the first solution is exact.
#define FAR_EPSILON 0

static void release(hn_relative_set *self, hn_saddle *saddle, hn_cut_set set) {
  for (int c = 0; c < self->cut_count; c++)
    self->judged.released[c] = self->base.redundant[self->cut_row[c]];
  hn_saddle_release(saddle, set == HN_CUT_KEPT ? self->judged.released : NULL);
}

// Rank in loops at the rows as factored (loop_rank.h).
static void judge_rank(hn_relative_set *self, const double *q, hn_cut_set set,
                       hn_rank_choice choice) {
  hn_equations *e = &self->base;
  int near, dependent = 0;
  if (self->present->is_flat && self->flat.is_alone)
    hn_tree_move(self->tree, q, NULL, vec3_zero(), self->motion);
  hn_tree_geometry(self->tree, self->motion, self->composite, self->rotation, self->geometry_mass);
  if (self->rank.matrix) {
    const unsigned char *left_out = set == HN_CUT_KEPT ? self->judged.released : NULL;
    near = hn_relative_find_rank(self, left_out, HN_RANK_DEPENDENT_SQUARE, HN_RANK_NEAR_SQUARE,
                                 self->judged.small);
  } else {
    release(self, self->geometry, set);
    hn_saddle_factor(self->geometry, self->geometry_mass, self->j_values);
    hn_saddle_small_pivots(self->geometry, HN_RANK_DEPENDENT_SQUARE, self->judged.small);
    near = hn_saddle_small_pivots(self->geometry, HN_RANK_NEAR_SQUARE, NULL);
  }
  for (int c = 0; c < self->cut_count; c++) dependent += self->judged.small[c];
  int holds_all = set == HN_CUT_ALL;
  if (holds_all && choice != HN_RANK_STAYS && hn_rank_choose(e, dependent))
    for (int c = 0; c < self->cut_count; c++)
      e->redundant[self->cut_row[c]] = self->judged.small[c];
  hn_rank_note(e, holds_all, near);
}

// Sizes of the constraints on bodies: in joint speeds redundant constraints are rounding errors of
// these.
void hn_relative_find_sizes(hn_relative_set *self, hn_cut_set set) {
  const hn_cartesian_rows *rows = self->base.rows;
  for (int c = 0; c < self->cut_count; c++) {
    int r = self->cut_row[c];
    if (set == HN_CUT_KEPT && self->judged.released[c]) continue;
    self->judged.by_mass[c] = self->judged.by_length[c] = 0;
    for (int k = rows->row_start[r]; k < rows->row_start[r + 1]; k++) {
      const hn_body_def *body = &self->base.model->bodies[rows->body[k]];
      hn_vec3 n = vec3_load(&rows->block[6 * k]), m = vec3_load(&rows->block[6 * k + 3]);
      double force = vec3_dot(n, n), torque = vec3_dot(m, m);
      double inertia = (body->inertia[0] + body->inertia[1] + body->inertia[2]) / 3;
      if (body->mass > 0) self->judged.by_mass[c] += force / body->mass;
      if (inertia > 0) self->judged.by_mass[c] += torque / inertia;
      self->judged.by_length[c] += force + torque / self->rotation;
    }
  }
}

// Constraints of loops are exact at first; if a small pivot indicates a singular configuration,
// factors again with regularization. A factorization does not depend on those before it.
static hn_status factor_saddle(hn_relative_set *self, const double *q, hn_cut_set set,
                               hn_rank_choice choice) {
  hn_equations *e = &self->base;
  int usual = set == HN_CUT_ALL ? e->redundant_count : 0, small = 0;
  self->factored.is_plain = 0;
  for (int pass = usual > 0 || !self->judged.has_loops; pass < 2; pass++) {
    hn_saddle_soften(e->saddle, self->judged.in_loop, pass == 0 ? FAR_EPSILON : HN_LOOP_EPSILON);
    hn_status status = hn_saddle_factor(e->saddle, self->mass, self->j_values);
    if (status != HN_OK || !self->judged.has_loops) return status;
    small = hn_saddle_small_pivots(e->saddle, HN_RANK_NEAR_SQUARE, NULL);
    if (small == 0) {
      self->factored.is_plain = pass == 0;
      break;
    }
  }
  int holds_all = set == HN_CUT_ALL;
  int has_to = usual > e->elements->row_count || hn_rank_is_unusual(e, holds_all, small);
  if (!has_to && choice == HN_RANK_MAY_RISE)
    has_to = hn_rank_may_rise(e, holds_all,
                              hn_saddle_small_pivots(e->saddle, hn_risen_pivot(e->model), NULL));
  if (has_to) judge_rank(self, q, set, choice);
  const int is_far = has_to && small > 0 && !e->near_singular;
  if (!is_far || (holds_all && e->redundant_count > 0)) return HN_OK;
  // only masses differ widely: geometrically independent constraints need no regularization
  hn_saddle_soften(e->saddle, self->judged.in_loop, FAR_EPSILON);
  return hn_saddle_factor(e->saddle, self->mass, self->j_values);
}

hn_status hn_relative_factor(hn_relative_set *self, const double *q, hn_cut_set set,
                             hn_rank_choice choice) {
  hn_equations *e = &self->base;
  size_t size = (size_t)e->nq * sizeof(double);
  if (self->factored.is_there && self->factored.set == set &&
      memcmp(q, self->factored.q, size) == 0) {
    e->near_singular = self->factored.near_singular;
    return HN_OK;
  }
  self->factored.is_there = self->factored.is_of_stage = self->factored.is_of_end =
      self->factored.is_loose = 0;
  e->near_singular = 0;
  self->present->find_mass(self);
  if (self->solver == HN_TREE_COMPOSITE) {
    e->factorizations++;
    if (!hn_tree_factor(self->tree, self->mass)) return HN_ERROR_NOT_FINITE;
  } else {
    release(self, e->saddle, set);
    self->present->find_sizes(self, set);
    hn_status status = factor_saddle(self, q, set, choice);
    if (status != HN_OK) return status;
  }
  memcpy(self->factored.q, q, size);
  self->factored.near_singular = e->near_singular;
  self->factored.set = set;
  self->factored.is_there = 1;
  self->factored.has_rows = !self->present->is_flat;
  return HN_OK;
}

hn_status hn_relative_factor_all(hn_relative_set *self, const double *q,
                                 const hn_branches *branches) {
  return hn_relative_factor(self, q, HN_CUT_ALL,
                            branches->keeps_rows ? HN_RANK_STAYS : HN_RANK_MAY_RISE);
}

// J is what it was where only velocities have changed since it was factored.
void hn_relative_carry_end(hn_relative_set *self, const double *q, const hn_frame *frames,
                           hn_cut_set set) {
  int is_here = self->factored.is_there && self->factored.has_rows && self->factored.set == set &&
                memcmp(q, self->factored.q, (size_t)self->base.nq * sizeof(double)) == 0;
  if (is_here)
    hn_relative_carry_tau(self, frames);
  else
    hn_relative_carry_cuts(self, frames, set);
}

// With rows left out, those kept are enough as long as the others hold with them.
hn_status hn_relative_factor_end(hn_relative_set *self, const double *q, const hn_frame *frames,
                                 const hn_branches *branches) {
  const hn_equations *e = &self->base;
  int is_chosen = e->redundant_count > 0 && e->redundant_count <= e->elements->row_count;
  size_t size = (size_t)e->nq * sizeof(double);
  int is_loose = (self->factored.is_loose && memcmp(q, self->factored.q, size) == 0) ||
                 hn_relative_has_loose_rows(self, NULL, frames);
  if (e->defers_reactions && is_chosen && !is_loose) {
    self->present->carry_end(self, q, frames);
    hn_status status = hn_relative_factor(self, q, HN_CUT_KEPT, HN_RANK_STAYS);
    if (status != HN_OK || !e->near_singular) return status;
  }
  self->present = &hn_motion_in_space;
  hn_relative_carry_end(self, q, frames, HN_CUT_ALL);
  return hn_relative_factor_all(self, q, branches);
}

// ---- rank ---------------------------------------------------------------------------------------

// Rank of loop-closure constraints in the geometric metric (mass 1 and one inertia for every body): the
// Schur complement J M^-1 J', each constraint scaled by its size on bodies, by Cholesky with diagonal
// pivoting. The pivot of a constraint is the square of its distance from those before it. Constraints
// of separate groups of loops have no speeds in common; the matrix is dense all the same, so models
// with very many of them are judged by the pivots of the sparse factors instead (relative/factor.c).

hn_status hn_relative_make_rank(hn_arena *arena, hn_relative_set *self) {
  int m = self->cut_count;
  if (m > HN_RANK_ROWS) return HN_OK;
  self->rank.rows = HN_KEEP(arena, double, m * self->base.nu);
  self->rank.matrix = HN_KEEP(arena, double, m *m);
  self->rank.root = HN_KEEP(arena, double, m *m);
  self->rank.floor = HN_KEEP(arena, double, m);
  self->rank.rest = HN_KEEP(arena, double, m);
  self->rank.order = HN_KEEP(arena, int, m);
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

// T = D^-1/2 L^-T J', one row of the matrix for each loop-closure constraint, from the factors of
// the geometric mass.
static void reduce_rows(hn_relative_set *self, const unsigned char *left_out) {
  const hn_tree *tree = self->tree;
  const int *start = tree->mass_start, *index = tree->mass_index;
  int nu = self->base.nu;
  for (int c = 0; c < self->cut_count; c++) {
    double *row = &self->rank.rows[c * nu];
    double scale = self->judged.by_length[c] > 0 ? 1 / sqrt(self->judged.by_length[c]) : 0;
    if (left_out && left_out[c]) scale = 0;
    for (int i = 0; i < nu; i++) row[i] = 0;
    for (int k = self->j_start[c]; k < self->j_start[c + 1]; k++)
      row[self->j_index[k]] = scale * self->j_values[k];
    for (int k = nu - 1; k >= 0; k--) {
      if (row[k] == 0) continue;
      int n = start[k + 1] - start[k] - 1;
      const double *column = &self->geometry_mass[start[k]];
      for (int i = 0; i < n; i++) row[index[start[k] + i]] -= column[i] * row[k];
      row[k] *= sqrt(column[n]);
    }
  }
}

static void multiply_rows(hn_relative_set *self) {
  int m = self->cut_count, nu = self->base.nu;
  for (int a = 0; a < m; a++)
    for (int b = 0; b <= a; b++) {
      double sum = 0;
      for (int i = 0; i < nu; i++) sum += self->rank.rows[a * nu + i] * self->rank.rows[b * nu + i];
      self->rank.matrix[a * m + b] = self->rank.matrix[b * m + a] = sum;
    }
}

int hn_relative_find_rank(hn_relative_set *self, const unsigned char *left_out, double small_pivot,
                          double near_pivot, unsigned char *is_small) {
  int m = self->cut_count, near = 0;
  hn_tree_factor(self->tree, self->geometry_mass);
  reduce_rows(self, left_out);
  multiply_rows(self);
  for (int c = 0; c < m; c++) self->rank.floor[c] = left_out && left_out[c] ? 0 : small_pivot;
  int rank = hn_semidefinite_root(self->rank.matrix, m, self->rank.floor, self->rank.root, m,
                                  self->rank.order, self->rank.rest);
  for (int k = 0; k < m; k++) {
    int row = self->rank.order[k], is_in = !(left_out && left_out[row]);
    is_small[row] = is_in && k >= rank;
    near += is_in && !(self->rank.rest[row] > near_pivot);
  }
  return near;
}

// ---- rows left out ------------------------------------------------------------------------------

// Of bodies' velocities: in joint speeds rows that depend on others are rounding errors.
static double rate_size(const hn_relative_set *self, int row, const hn_frame *frames) {
  const hn_cartesian_rows *rows = self->base.rows;
  double size = fabs(rows->time_rate[row]);
  for (int k = rows->row_start[row]; k < rows->row_start[row + 1]; k++) {
    const hn_frame *f = &frames[rows->body[k]];
    hn_vec3 n = vec3_load(&rows->block[6 * k]), m = vec3_load(&rows->block[6 * k + 3]);
    size +=
        sqrt(vec3_dot(n, n) * vec3_dot(f->v, f->v)) + sqrt(vec3_dot(m, m) * vec3_dot(f->w, f->w));
  }
  return size;
}

int hn_relative_has_loose_rows(const hn_relative_set *self, const double *x,
                               const hn_frame *frames) {
  for (int c = 0; c < self->cut_count; c++) {
    int r = self->cut_row[c];
    if (!self->base.redundant[r]) continue;
    double rate = self->base.rows->rate[r];
    for (int k = self->j_start[c]; x && k < self->j_start[c + 1]; k++)
      rate += self->j_values[k] * x[self->j_index[k]];
    if (!(fabs(rate) <= HN_LOOSE_RATE * rate_size(self, r, frames))) return 1;
  }
  return 0;
}
