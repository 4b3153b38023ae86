// What augmented Lagrangian methods remember from step to step, as bytes (method.h): accelerations and
// multipliers of the last step, how accelerations went, rates of convergence, and the matrix. Of that
// only the states are kept at which its blocks were evaluated: there it is made again, with the same
// bits. A run that is saved, or goes on from what was saved, moves as if nobody had looked.
#include <string.h>

#include "integrate/augmented.h"

// ---- where the matrix was made --------------------------------------------------------------

hn_status hn_augmented_create_memory(hn_arena *arena, hn_augmented *self) {
  int n = self->base.equations->nq;
  for (int k = 0; k < 2; k++) {
    hn_matrix_place *p = &self->place[k];
    p->q = HN_TAKE(arena, double, 3 * n + self->tangent->rows);
    if (!p->q) return HN_ERROR_MEMORY;
    hn_status status = hn_branches_create(arena, self->base.equations->elements, &p->branches);
    if (status != HN_OK) return status;
  }
  return HN_OK;
}

static void copy_branches(const hn_augmented *self, const hn_branches *from, hn_branches *to) {
  const hn_elements *elements = self->base.equations->elements;
  const hn_model *model = elements->model;
  memcpy(to->force, from->force, (size_t)model->force_count * sizeof(hn_branch));
  memcpy(to->driver, from->driver, (size_t)model->driver_count * sizeof(int));
  memcpy(to->turns, from->turns, (size_t)elements->turn_count * sizeof(double));
}

void hn_augmented_remember(hn_augmented *self, hn_extent extent, double t, const double *q,
                           const double *v, const double *a) {
  hn_matrix_place *p = &self->place[extent == HN_FULL ? 0 : 1];
  int n = self->stages->n;
  size_t size = (size_t)n * sizeof(double);
  self->place_count = extent == HN_FULL ? 1 : 2;
  p->t = t;
  memcpy(p->q, q, size);
  memcpy(p->q + n, v, size);
  memcpy(p->q + 2 * n, a, size);
  memcpy(p->q + 3 * n, self->begin_lambda, (size_t)self->tangent->rows * sizeof(double));
  copy_branches(self, &self->branches, &p->branches);
}

// Blocks at the places they came from, and their factors.
static hn_status make_matrix(hn_augmented *self, double h) {
  int n = self->stages->n;
  long jacobians = self->base.jacobians, factorizations = self->base.factorizations;
  hn_status status = HN_OK;
  for (int k = 0; k < self->place_count && status == HN_OK; k++) {
    hn_matrix_place *p = &self->place[k];
    copy_branches(self, &p->branches, &self->branches);
    memcpy(self->begin_lambda, p->q + 3 * n, (size_t)self->tangent->rows * sizeof(double));
    status = hn_augmented_evaluate(self, k == 0 ? HN_FULL : HN_BASIC, p->t, p->q, p->q + n,
                                   p->q + 2 * n, NULL, NULL);
  }
  if (status == HN_OK) {
    self->stages->h = h;
    self->stages->g = hn_stages_numbers(self->stages->formula, h);
    hn_augmented_factor(self);
  }
  self->base.jacobians = jacobians;
  self->base.factorizations = factorizations;
  return status;
}

// ---- bytes --------------------------------------------------------------------------------------

typedef struct head {
  int trends, keeps_rows, has_blocks, has_matrix, place_count;
  double h, rate, shift, usual_shift, usual_change, power, kinetic, potential, t[2];
} head;

typedef struct cursor {
  unsigned char *at;
  int writes;
} cursor;

static void pass(cursor *c, void *data, size_t size) {
  if (size == 0) return;
  memcpy(c->writes ? c->at : data, c->writes ? data : c->at, size);
  c->at += size;
}

static void pass_all(hn_augmented *self, cursor *c) {
  const hn_elements *elements = self->base.equations->elements;
  size_t size = (size_t)self->stages->n * sizeof(double);
  size_t rows = (size_t)self->tangent->rows * sizeof(double);
  pass(c, self->base.now->qdd, size);
  pass(c, self->trend, size);
  pass(c, self->past_trend, size);
  pass(c, self->lambda, rows);
  for (int k = 0; k < 2; k++) {
    hn_branches *b = &self->place[k].branches;
    pass(c, self->place[k].q, 3 * size + rows);
    pass(c, b->force, (size_t)elements->model->force_count * sizeof(hn_branch));
    pass(c, b->driver, (size_t)elements->model->driver_count * sizeof(int));
    pass(c, b->turns, (size_t)elements->turn_count * sizeof(double));
  }
}

size_t hn_augmented_memory_size(const hn_method *m) {
  const hn_augmented *self = (const hn_augmented *)m;
  const hn_elements *elements = m->equations->elements;
  size_t numbers = (size_t)(9 * self->stages->n + 3 * self->tangent->rows);
  size_t branches = (size_t)elements->model->force_count * sizeof(hn_branch) +
                    (size_t)elements->model->driver_count * sizeof(int) +
                    (size_t)elements->turn_count * sizeof(double);
  return sizeof(head) + numbers * sizeof(double) + 2 * branches +
         hn_stages_memory_size(self->stages);
}

// The begin that follows a save is to forget as the one of the run that will be restored does.
static hn_augmented *forget_end(const hn_method *m) {
  hn_augmented *self = (hn_augmented *)m;
  self->is_taken = 0;
  return self;
}

void hn_augmented_save_memory(const hn_method *m, void *buffer) {
  hn_augmented *self = forget_end(m);
  head h;
  memset(&h, 0, sizeof h);
  h.trends = self->trends;
  h.keeps_rows = self->keeps_rows;
  h.has_blocks = self->has_blocks;
  h.has_matrix = self->matrix_g > 0 && self->place_count > 0;
  h.place_count = self->place_count;
  h.h = self->matrix_h;
  h.rate = self->rate;
  h.shift = self->shift;
  h.usual_shift = self->usual_shift;
  h.usual_change = self->usual_change;
  h.power = m->now->power;
  h.kinetic = m->now->kinetic;
  h.potential = m->now->potential;
  for (int k = 0; k < 2; k++) h.t[k] = self->place[k].t;
  memcpy(buffer, &h, sizeof h);
  cursor c = {.at = (unsigned char *)buffer + sizeof h, .writes = 1};
  pass_all(self, &c);
  hn_stages_save_memory(self->stages, c.at);
}

hn_status hn_augmented_restore_memory(hn_method *m, const void *buffer) {
  hn_augmented *self = (hn_augmented *)m;
  head h;
  memcpy(&h, buffer, sizeof h);
  self->trends = h.trends > 1 ? 2 : h.trends == 1;
  self->keeps_rows = h.keeps_rows != 0;
  self->place_count = h.place_count > 1 ? 2 : h.place_count == 1;
  cursor c = {.at = (unsigned char *)buffer + sizeof h};
  pass_all(self, &c);
  for (int k = 0; k < 2; k++) self->place[k].t = h.t[k];
  m->now->power = h.power;
  m->now->kinetic = h.kinetic;
  m->now->potential = h.potential;
  hn_augmented_choose_rows(self);
  hn_stages_restore_memory(self->stages, c.at);
  self->rate = h.rate;
  self->shift = h.shift;
  self->usual_shift = h.usual_shift;
  self->usual_change = h.usual_change;
  if (!h.has_matrix || self->place_count == 0) return HN_OK;
  hn_status status = make_matrix(self, h.h);
  self->has_blocks = h.has_blocks;
  self->rate = h.rate;
  return status;
}
