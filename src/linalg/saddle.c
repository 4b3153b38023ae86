// The system of saddle_private.h: set-up and factors. Out of scope: the order of elimination
// (saddle_order.h), scales (saddle_scale.c), solutions (saddle_solve.c).
#include <string.h>

#include "linalg/saddle_order.h"
#include "linalg/saddle_private.h"

#define RHO 1e-8

// ---- set-up -------------------------------------------------------------------------------------

static int diagonals_are_last(const hn_saddle_pattern *p) {
  for (int j = 0; j < p->n; j++)
    if (p->m_column_start[j + 1] <= p->m_column_start[j] ||
        p->m_row_index[p->m_column_start[j + 1] - 1] != j)
      return 0;
  return 1;
}

static void make_pattern(hn_saddle *self, const hn_saddle_pattern *p) {
  int at = 0;
  for (int j = 0; j < p->n; j++) {
    self->start[j] = at;
    for (int k = p->m_column_start[j]; k < p->m_column_start[j + 1]; k++)
      self->index[at++] = p->m_row_index[k];
    self->diagonal[j] = at - 1;
    self->signs[j] = 1;
  }
  for (int r = 0; r < p->m; r++) {
    self->start[p->n + r] = at;
    for (int k = p->j_row_start[r]; k < p->j_row_start[r + 1]; k++)
      self->index[at++] = p->j_column_index[k];
    self->diagonal[p->n + r] = at;
    self->index[at++] = p->n + r;
    self->signs[p->n + r] = -1;
  }
  self->start[self->size] = at;
}

static hn_status order_and_factor(hn_arena *arena, hn_saddle *self, const hn_saddle_pattern *p) {
  hn_arena scratch;
  hn_arena_init(&scratch, &arena->allocator);
  int *order = HN_TAKE(&scratch, int, self->size);
  hn_status status =
      order ? hn_saddle_order(&scratch, p, self->start, self->index, order) : HN_ERROR_MEMORY;
  if (status == HN_OK)
    status = hn_factors_create(arena, self->size, self->start, self->index, order, 1, &self->whole);
  hn_arena_release(&scratch);
  return status;
}

hn_status hn_saddle_create(hn_arena *arena, const hn_saddle_pattern *p, hn_saddle **saddle) {
  return hn_saddle_create_ordered(arena, p, NULL, saddle);
}

hn_status hn_saddle_create_ordered(hn_arena *arena, const hn_saddle_pattern *p, const int *order,
                                   hn_saddle **saddle) {
  *saddle = NULL;
  if (!diagonals_are_last(p)) return HN_ERROR_ARGUMENT;
  hn_saddle *self = HN_KEEP(arena, hn_saddle, 1);
  if (!self) return HN_ERROR_MEMORY;
  self->n = p->n;
  self->m = p->m;
  self->size = p->n + p->m;
  self->slack = 1;
  int entries = p->m_column_start[p->n] + p->j_row_start[p->m] + p->m;
  self->start = HN_TAKE(arena, int, self->size + 1);
  self->index = HN_TAKE(arena, int, entries);
  self->values = HN_KEEP(arena, double, entries);
  self->diagonal = HN_TAKE(arena, int, self->size);
  self->signs = HN_TAKE(arena, signed char, self->size);
  self->released = HN_KEEP(arena, unsigned char, self->size);
  self->epsilon = HN_KEEP(arena, double, p->m);
  self->soft = HN_KEEP(arena, unsigned char, p->m);
  double **vectors[] = {
      &self->scale, &self->f,     &self->z,     &self->residual, &self->bound,
      &self->step,  &self->trial, &self->plain, &self->spare,    &self->trial_residual};
  for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++)
    *vectors[k] = HN_KEEP(arena, double, self->size);
  for (int k = 0; k < HN_SADDLE_DIRECTIONS; k++) {
    self->direction[k] = HN_KEEP(arena, double, self->size);
    self->image[k] = HN_KEEP(arena, double, self->size);
  }
  if (arena->failed) return HN_ERROR_MEMORY;
  hn_saddle_soften(self, NULL, 0);
  self->rho = RHO;
  make_pattern(self, p);
  hn_status status =
      order ? hn_factors_create(arena, self->size, self->start, self->index, order, 1, &self->whole)
            : order_and_factor(arena, self, p);
  self->factors = self->whole;
  if (status == HN_OK) *saddle = self;
  return status;
}

hn_status hn_saddle_make_releasable(hn_arena *arena, hn_saddle *self) {
  self->part_gone = HN_KEEP(arena, unsigned char, self->size);
  if (!self->part_gone) return HN_ERROR_MEMORY;
  return hn_factors_create_part(arena, self->whole, self->start, self->index, &self->part);
}

void hn_saddle_release(hn_saddle *self, const unsigned char *released) {
  int count = 0;
  for (int r = 0; r < self->m; r++) count += self->released[self->n + r] = released && released[r];
  self->factors = self->whole;
  if (count == 0 || !self->part) return;
  if (memcmp(self->part_gone, self->released, (size_t)self->size) != 0) {
    memcpy(self->part_gone, self->released, (size_t)self->size);
    self->is_part = hn_factors_leave_out(self->part, self->released, self->start, self->index);
  }
  if (self->is_part) self->factors = self->part;
}

void hn_saddle_trust_mass(hn_saddle *self) { self->rho = 0; }

void hn_saddle_soften(hn_saddle *self, const unsigned char *soft, double epsilon) {
  self->is_soft = soft != NULL;
  for (int r = 0; r < self->m; r++) {
    self->soft[r] = soft && soft[r];
    self->epsilon[r] = self->soft[r] ? epsilon : HN_SADDLE_EPSILON;
  }
}

void hn_saddle_set_slack(hn_saddle *self, double slack) { self->slack = slack; }

void hn_saddle_set_row_floor(hn_saddle *self, const double *floor) { self->row_floor = floor; }

// ---- factorization ------------------------------------------------------------------------------

// The size of the pivot of a row; released ones have 1.
static double pivot_of(const hn_saddle *self, int row) {
  int i = self->n + row;
  return self->released[i] ? 1 : -hn_factors_pivot(self->factors, i);
}

hn_status hn_saddle_factor(hn_saddle *self, const double *m_values, const double *j_values) {
  hn_saddle_find_scales(self, m_values, j_values);
  for (int j = 0; j < self->n; j++)
    for (int k = self->start[j]; k < self->start[j + 1]; k++)
      self->values[k] = m_values[k] * self->scale[j] * self->scale[self->index[k]];
  for (int r = self->n; r < self->size; r++) {
    int count = self->diagonal[r] - self->start[r];
    double *row = &self->values[self->start[r]];
    const int *column = &self->index[self->start[r]];
    if (self->released[r])
      memset(row, 0, (size_t)count * sizeof(double));
    else
      for (int k = 0; k < count; k++)
        row[k] = j_values[k] * self->scale[r] * self->scale[column[k]];
    j_values += count;
  }

  for (int j = 0; j < self->n; j++) self->values[self->diagonal[j]] += self->rho;
  for (int r = 0; r < self->m; r++)
    self->values[self->diagonal[self->n + r]] =
        self->released[self->n + r] ? -1 : -self->epsilon[r];
  const hn_pivot_rule rule = {
      .signs = self->signs, .tiny = 0.1 * HN_SADDLE_EPSILON, .is_definite = 1};
  self->replaced = hn_factors_of(self->factors, self->values, NULL, &rule);
  for (int j = 0; j < self->n; j++) // exact again, for residuals
    self->values[self->diagonal[j]] = m_values[self->diagonal[j]] * self->scale[j] * self->scale[j];
  for (int r = self->n; r < self->size; r++) self->values[self->diagonal[r]] = 0;

  self->has_null = 0;
  for (int r = 0; r < self->m && !self->has_null; r++)
    self->has_null = !self->is_soft && pivot_of(self, r) < 100 * self->epsilon[r];
  self->factorizations++;
  return HN_OK;
}

int hn_saddle_small_pivots(const hn_saddle *self, double limit, unsigned char *is_small) {
  int count = 0;
  for (int r = 0; r < self->m; r++) {
    int small = !self->released[self->n + r] && self->soft[r] && pivot_of(self, r) < limit;
    if (is_small) is_small[r] = small != 0;
    count += small;
  }
  return count;
}

double hn_saddle_row_pivot(const hn_saddle *self, int row) { return pivot_of(self, row); }

double hn_saddle_row_scale(const hn_saddle *self, int row) { return self->scale[self->n + row]; }
long hn_saddle_factorizations(const hn_saddle *self) { return self->factorizations; }
int hn_saddle_replaced(const hn_saddle *self) { return self->replaced; }
long hn_saddle_fill(const hn_saddle *self) { return hn_factors_fill(self->whole); }
double hn_saddle_operations(const hn_saddle *self) { return hn_factors_operations(self->whole); }
