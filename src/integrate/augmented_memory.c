// History of augmented Lagrangian methods (memory.h): accelerations and multipliers of the last
// step, trend of accelerations, rates of convergence, and the matrix. Of that only the states are
// kept at which its blocks were evaluated: there it is made again, with the same bits.
#include <string.h>

#include "integrate/augmented.h"

// ---- where the matrix was made --------------------------------------------------------------

hn_status hn_augmented_create_memory(hn_arena *arena, hn_augmented *self) {
  const hn_equations *e = self->base.equations;
  hn_status status = HN_OK;
  for (int k = 0; k < 2 && status == HN_OK; k++)
    status = hn_place_create(arena, e, self->tangent->rows, &self->w.place[k]);
  self->rows.left_out = HN_TAKE(arena, unsigned char, e->elements->row_count);
  return arena->failed ? HN_ERROR_MEMORY : status;
}

// Blocks at the place they came from.
static hn_status make_blocks(hn_augmented *self, int k) {
  hn_place *p = &self->w.place[k];
  hn_equations *e = self->base.equations;
  hn_branches_copy(e->elements, &p->branches, &self->branches);
  memcpy(self->begin_lambda, p->lambda, (size_t)p->rows * sizeof(double));
  hn_place_visit(p, e);
  hn_status status = hn_augmented_evaluate_frozen(self, k == 0 ? HN_FULL : HN_BASIC, p->t, p->q,
                                                  p->qd, p->qdd, NULL);
  hn_place_visit(p, e);
  return status;
}

static hn_status make_matrix(hn_augmented *self, double g) {
  hn_stages *s = self->stages;
  long jacobians = self->base.jacobians, factorizations = self->base.factorizations;
  hn_status status = HN_OK;
  self->w.is_exact = self->w.holds_exact;
  for (int k = 0; k < self->w.place_count && status == HN_OK; k++) status = make_blocks(self, k);
  if (status == HN_OK && g > 0) {
    s->h = self->w.h;
    s->g = hn_stages_numbers(s->formula, s->h);
    (void)hn_augmented_factor(self); // as it was when it was made
  }
  self->w.is_exact = 0;
  self->base.jacobians = jacobians;
  self->base.factorizations = factorizations;
  return status;
}

// ---- bytes --------------------------------------------------------------------------------------

static void pass_numbers(hn_augmented *self, hn_memory *memory) {
  double *numbers[] = {&self->w.h,     &self->rate,          &self->moved.v,
                       &self->moved.a, &self->moved.usual_v, &self->moved.usual_a};
  for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++)
    hn_memory_numbers(memory, numbers[k], 1);
  int *flags[] = {&self->rows.are_kept, &self->rows.are_left, &self->w.has_blocks,
                  &self->w.holds_exact};
  for (size_t k = 0; k < sizeof flags / sizeof flags[0]; k++) hn_memory_flag(memory, flags[k]);
  hn_memory_integer(memory, &self->trend.count, 0, 2);
  hn_memory_integer(memory, &self->w.place_count, 0, 2);
}

static void pass_arrays(hn_augmented *self, hn_memory *memory) {
  const hn_equations *e = self->base.equations;
  int n = self->stages->n;
  hn_memory_numbers(memory, self->trend.last, n);
  hn_memory_numbers(memory, self->trend.past, n);
  hn_memory_numbers(memory, self->lambda, self->tangent->rows);
  hn_memory_pass(memory, self->rows.left_out, (size_t)e->elements->row_count);
  hn_memory_pass(memory, self->switches.given, (size_t)e->model->force_count * sizeof(hn_branch));
  for (int k = 0; k < 2; k++) hn_place_pass(memory, e, &self->w.place[k]);
  hn_stages_remember(self->stages, memory);
}

hn_status hn_augmented_remember_all(hn_method *m, hn_memory *memory) {
  hn_augmented *self = (hn_augmented *)m;
  int reads = memory->way == HN_MEMORY_READ, is_end = !reads && hn_augmented_is_at_end(self);
  double g = self->w.g;
  hn_status status = HN_OK;
  pass_numbers(self, memory);
  pass_arrays(self, memory);
  hn_memory_flag(memory, &is_end);
  hn_memory_numbers(memory, &g, 1);
  if (reads && !memory->failed) {
    const int has_blocks = self->w.has_blocks;
    const double rate = self->rate;
    hn_augmented_leave_rows(self);
    if (self->w.place_count > 0 && (has_blocks || g > 0)) status = make_matrix(self, g);
    self->w.has_blocks = has_blocks;
    self->rate = rate;
    self->is_taken = is_end;
    hn_stages_correct(self->stages, m->q, m->qd);
  }
  // last: to make the matrix again goes through them
  hn_memory_branches(memory, m->equations->elements, &self->branches);
  return status;
}
