// Fields of the state of augmented Lagrangian methods (memory.h): accelerations and multipliers of
// the last step, trend of accelerations, rates of convergence, and the matrix. Of that only the
// states are kept at which its blocks were evaluated: there it is made again, with the same bits.
#include <string.h>

#include "integrate/augmented.h"

// ---- fields -------------------------------------------------------------------------------------

static void declare_augmented(hn_arena *arena, hn_augmented *self) {
  const hn_equations *e = self->base.equations;
  const int n = self->stages->n;
  double *const numbers[] = {&self->w.g,          &self->w.h,     &self->rate,
                             &self->moved.v,      &self->moved.a, &self->moved.usual_v,
                             &self->moved.usual_a};
  int *const flags[] = {&self->rows.are_kept, &self->rows.are_left, &self->w.has_blocks,
                        &self->w.holds_exact, &self->is_taken};
  hn_declare_numbers(arena, numbers, sizeof numbers / sizeof *numbers, "a number of the matrix");
  hn_declare_flags(arena, flags, sizeof flags / sizeof *flags, "a flag of the matrix");
  hn_declare_integer(arena, &self->trend.count, 0, 2, "the number of trends");
  hn_declare_integer(arena, &self->w.place_count, 0, 2, "the number of states of the matrix");
  HN_STATE_OF(arena, &self->trend.last, self->trend.last, n, "a trend");
  HN_STATE_OF(arena, &self->trend.past, self->trend.past, n, "a trend");
  HN_STATE(arena, self->stages->end_q, n, "the end of the last step");
  HN_STATE(arena, self->stages->end_v, n, "the end of the last step");
  HN_STATE(arena, self->lambda, self->tangent->rows, "multiplier");
  HN_STATE(arena, self->rows.left_out, e->elements->row_count, "the mark of constraint left out");
  hn_state_within(arena, 0, 1);
  hn_declare_force_branches(arena, self->switches.given, e->model->force_count);
  hn_declare_branches(arena, e->elements, &self->branches);
}

// ---- where the matrix was made ------------------------------------------------------------------

hn_status hn_augmented_create_memory(hn_arena *arena, hn_augmented *self) {
  const hn_equations *e = self->base.equations;
  hn_status status = HN_OK;
  for (int k = 0; k < 2 && status == HN_OK; k++)
    status = hn_place_create(arena, e, self->tangent->rows, &self->w.place[k]);
  self->rows.left_out = HN_KEEP(arena, unsigned char, e->elements->row_count);
  if (status == HN_OK) declare_augmented(arena, self);
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
  hn_status status = HN_OK;
  self->w.is_exact = self->w.holds_exact;
  for (int k = 0; k < self->w.place_count && status == HN_OK; k++) status = make_blocks(self, k);
  if (status == HN_OK && g > 0) {
    s->h = self->w.h;
    s->g = hn_stages_numbers(s->formula, s->h);
    (void)hn_augmented_factor(self); // as it was when it was made
  }
  self->w.is_exact = 0;
  return status;
}

hn_status hn_augmented_resume(hn_method *m) {
  hn_augmented *self = (hn_augmented *)m;
  const double g = self->w.g;
  hn_augmented_leave_rows(self);
  return self->w.place_count > 0 && (self->w.has_blocks || g > 0) ? make_matrix(self, g) : HN_OK;
}
