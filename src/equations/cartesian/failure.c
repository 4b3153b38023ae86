// Accelerations in Cartesian coordinates that are not there: bodies that turn about an axis without
// inertia, rows that contradict each other. Each failure names who takes part in it.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "equations/cartesian/cartesian.h"

// The body whose equations are left unsatisfied most.
hn_status hn_cartesian_not_determined(hn_cartesian_set *self, double t, hn_error *error) {
  const hn_model *model = self->base.model;
  double *rest = self->b, most = 0;
  int worst = 1;
  for (int r = 0; r < self->base.elements->row_count; r++)
    for (int k = self->rows->row_start[r]; k < self->rows->row_start[r + 1]; k++)
      for (int i = 0; i < 6; i++)
        rest[6 * (self->rows->body[k] - 1) + i] -= self->rows->block[6 * k + i] * self->y[r];
  for (int b = 1; b < model->body_count; b++) {
    const double *m = &self->m_values[9 * (b - 1)], *x = &self->x[6 * (b - 1)] + 3;
    double *w = &rest[6 * (b - 1) + 3];
    w[0] -= m[3] * x[0] + m[4] * x[1] + m[6] * x[2];
    w[1] -= m[4] * x[0] + m[5] * x[1] + m[7] * x[2];
    w[2] -= m[6] * x[0] + m[7] * x[1] + m[8] * x[2];
    double size = fabs(w[0]) + fabs(w[1]) + fabs(w[2]);
    if (size > most) {
      most = size;
      worst = b;
    }
  }
  return hn_fail_not_determined(&model->bodies[worst], most, t, error);
}

// ---- contradictions -----------------------------------------------------------------------------

// The residual of a constraint relative to the largest term of any, both in scaled units.
#define CONTRADICTION 1e-6
#define ROUNDING 1e-10 // of velocities: accelerations of its square say nothing
#define LEAST 1e-290   // below, numbers lose digits
enum { MOST_NAMES = 3 };

static double scaled_residual(const hn_cartesian_set *self, const hn_snapshot *s, int row) {
  return fabs(s->phi_acceleration[row]) * hn_solver_row_scale(self->base.solver, row);
}

// Terms of the rows as solved, and as they would be without joints: a model in balance has
// accelerations of rounding only. By the size of a body's acceleration, whatever its direction.
static double largest_term(const hn_cartesian_set *self) {
  static const int diagonal[6] = {0, 1, 2, 3, 5, 8}; // in the 9 numbers of a body
  double most = 0;
  for (int r = 0; r < self->base.elements->row_count; r++) {
    double sum = fabs(self->rows->tau[r]);
    for (int k = self->rows->row_start[r]; k < self->rows->row_start[r + 1]; k++) {
      const int body = self->rows->body[k] - 1;
      double size[2] = {0, 0}, block[2] = {0, 0}; // of translations, of rotations
      for (int i = 0; i < 6; i++) {
        const double m = self->m_values[9 * body + diagonal[i]];
        size[i / 3] += fabs(self->x[6 * body + i]);
        if (m > 0) size[i / 3] += fabs(self->b[6 * body + i]) / m;
        block[i / 3] += fabs(self->rows->block[6 * k + i]);
      }
      sum += block[0] * size[0] + block[1] * size[1];
    }
    most = fmax(most, sum * hn_solver_row_scale(self->base.solver, r));
  }
  return most;
}

static const char *owner_text(const hn_model *model, const hn_row *row, char *text, size_t size) {
  return row->is_driver ? hn_text(text, size, "driver '%s'", model->drivers[row->owner].name)
                        : hn_text(text, size, "joint '%s'", model->joints[row->owner].name);
}

static int same_owner(const hn_row *a, const hn_row *b) {
  return a->owner == b->owner && a->is_driver == b->is_driver;
}

// At the least-squares solution the residual lies along the dependency of the constraints: it shows
// those that take part in it. Drivers, which can be chosen, come before joints.
static hn_status contradiction(const hn_cartesian_set *self, const hn_snapshot *s, double most,
                               hn_error *error) {
  const hn_elements *elements = self->base.elements;
  const hn_model *model = elements->model;
  const hn_row *first = NULL, *last = NULL;
  double gap = 0;
  char names[256] = "", name[96];
  int count = 0;
  for (int k = 2 * elements->row_count - 1; k >= 0 && count < MOST_NAMES; k--) {
    int r = k % elements->row_count, drivers = k >= elements->row_count;
    const hn_row *row = &elements->rows[r];
    if (row->is_driver != drivers || scaled_residual(self, s, r) < 0.1 * most) continue;
    if (first && (same_owner(row, first) || same_owner(row, last))) continue;
    if (!first) {
      first = row;
      gap = fabs(s->phi_acceleration[r]);
    } else {
      size_t used = strlen(names);
      hn_text(names + used, sizeof names - used, "%s%s", count++ > 0 ? ", " : "",
              owner_text(model, row, name, sizeof name));
    }
    last = row;
  }
  const hn_source *source =
      first->is_driver ? &model->drivers[first->owner].source : &model->joints[first->owner].source;
  return hn_fail(error, HN_ERROR_INCONSISTENT, source, owner_text(model, first, name, sizeof name),
                 "remove one of them, or make them consistent: no motion satisfies both",
                 "contradicts %s at t = %g s: their accelerations differ by %.3g (SI)",
                 count > 0 ? names : "its own constraints", s->t, gap);
}

// The largest velocity of the bodies of any row, by the row's size, in scaled units. Velocities satisfy
// constraints up to rounding; where all other terms vanish, that leaves accelerations of its square.
static double largest_rate(const hn_cartesian_set *self, const hn_snapshot *s) {
  double most = 0;
  for (int r = 0; r < self->base.elements->row_count; r++) {
    double sum = 0;
    for (int k = self->rows->row_start[r]; k < self->rows->row_start[r + 1]; k++) {
      const hn_frame *f = &s->frames[self->rows->body[k]];
      const double speed = vec3_norm(f->v) + vec3_norm(f->w);
      for (int i = 0; i < 6; i++) sum += fabs(self->rows->block[6 * k + i]) * speed;
    }
    most = fmax(most, sum * hn_solver_row_scale(self->base.solver, r));
  }
  return most;
}

hn_status hn_cartesian_check_rows(const hn_cartesian_set *self, const hn_snapshot *s,
                                  hn_error *error) {
  const hn_equations *e = &self->base;
  double most = 0;
  if (e->redundant_count == 0 || e->near_singular) return HN_OK;
  for (int r = 0; r < e->elements->row_count; r++) most = fmax(most, scaled_residual(self, s, r));
  if (most <= CONTRADICTION * largest_term(self) + LEAST) return HN_OK;
  const double rounding = ROUNDING * largest_rate(self, s);
  if (most <= rounding * rounding) return HN_OK;
  return contradiction(self, s, most, error);
}
