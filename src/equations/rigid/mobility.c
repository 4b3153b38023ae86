// Inverse masses that bodies have with their joints: mean response of the center of mass to forces
// along the three axes, 1/m of a free body. Soft contacts relative to the inertia use them, as
// MuJoCo's body_invweight0. Cost: a factorization and three responses a body.
#include <string.h>

#include "equations/rigid/rigid.h"

static hn_status find(hn_equations *e, int body, double *inverse_mass) {
  hn_rigid *self = hn_rigid_of(e);
  hn_friction_problem *f = &self->problem;
  f->rows = 3;
  for (int i = 0; i < 3; i++) {
    self->row[i] = (hn_touch_row){.body = {HN_GROUND, body}};
    self->row[i].block[1][i] = 1;
  }
  hn_status status = hn_rigid_respond(e);
  if (status == HN_OK) *inverse_mass = (f->w[0] + f->w[4] + f->w[8]) / 3;
  return status;
}

hn_status hn_rigid_mobility(hn_equations *e, double t, const double *q, const double *qd,
                            const hn_branches *branches, double *inverse_mass) {
  const hn_model *model = e->model;
  const int are_free = e->elements->row_count == 0;
  inverse_mass[HN_GROUND] = 0;
  hn_status status = are_free ? HN_OK : hn_rigid_factor(e, t, q, qd, branches);
  for (int b = 1; b < model->body_count && status == HN_OK; b++) {
    if (!are_free)
      status = find(e, b, &inverse_mass[b]);
    else
      inverse_mass[b] = model->bodies[b].mass > 0 ? 1 / model->bodies[b].mass : 0;
  }
  return status;
}
