// Contacts of a step in joint speeds that are too many for a dense problem (relative/stepping.h).
//
// With joints: rows y = diag^-1/2 L^-T G' over the speeds above their bodies. Loops are in responses
// alone, (1 - E E') y with the orthonormal rows E of loops: u = G x is that of the mechanism then.
// Without joints: bodies themselves, whose velocities become speeds again.
#include <string.h>

#include "equations/conditions.h"
#include "equations/relative/stepping.h"

// ---- rows ---------------------------------------------------------------------------------------

// Of the condition in place 0.
static hn_contact_row_span store(const hn_relative_stepper *self, hn_contact_rows *rows) {
  hn_contact_row_span span = hn_contact_rows_open(rows);
  for (int i = 0; i < self->listed[0]; i++)
    hn_contact_rows_put(rows, self->along[0][i], &self->y[4 * self->along[0][i]]);
  hn_contact_rows_close(rows, &span);
  return span;
}

void hn_relative_respond_rows(hn_relative_stepper *self, const hn_stepping_span *span,
                              const hn_stepping_condition *conditions, hn_contact_rows *rows) {
  const hn_delassus *d = &rows->problem;
  for (int k = 0; k < d->count; k++) {
    hn_relative_carry_condition(self, span, 0, &conditions[k], hn_delassus_size(d->block[k].law));
    rows->row[k] = rows->response[k] = store(self, rows);
    if (self->loop_count == 0) continue;
    hn_relative_take_loops_out(self, 0);
    rows->response[k] = store(self, rows);
  }
}

void hn_relative_gather_rows(hn_relative_stepper *self, const hn_contact_rows *rows, double *z) {
  const hn_delassus *d = &rows->problem;
  memset(z, 0, (size_t)self->set->base.nu * sizeof *z);
  for (int k = 0; k < d->count; k++) {
    const hn_contact_row_span *row = &rows->row[k];
    const double *p = d->p[k];
    for (size_t e = row->at; e < row->at + (size_t)row->count; e++) {
      const double *v = rows->value[e];
      z[rows->index[e]] += v[0] * p[0] + v[1] * p[1] + v[2] * p[2];
    }
  }
  hn_relative_bear_by_loops(self, z);
}

// ---- bodies -------------------------------------------------------------------------------------

int hn_relative_are_bodies(const hn_relative_stepper *self) {
  const hn_relative_set *set = self->set;
  const hn_tree *tree = set->tree;
  if (set->cut_count > 0 || self->extra_count > 0) return 0;
  for (int k = 0; k < tree->count; k++) {
    const hn_tree_node *node = &tree->nodes[k];
    const int is_free = node->kind == HN_LINK_FREE && node->parent < 0 && node->body > 0;
    if (!is_free || !(node->mass > 0)) return 0;
  }
  return tree->count == set->base.model->body_count - 1;
}

void hn_relative_store_inertias(const hn_relative_stepper *self, hn_sweep_body *bodies) {
  for (int b = 1; b < self->set->base.model->body_count; b++) {
    const hn_mat3 a = self->frames[b].a;
    bodies[b].inertia_inverse =
        mat3_multiply(mat3_multiply(a, self->inverse[b]), mat3_transpose(a));
  }
}

void hn_relative_load_bodies(const hn_relative_stepper *self, const hn_sweep_body *bodies,
                             double *u) {
  const hn_tree *tree = self->set->tree;
  for (int k = 0; k < tree->count; k++) {
    const hn_tree_node *node = &tree->nodes[k];
    const hn_sweep_body *body = &bodies[node->body];
    const hn_vec3 arm = vec3_sub(self->reference[k], self->frames[node->body].r);
    vec3_store(&u[node->u], vec3_add(body->v, vec3_cross(body->w, arm)));
    vec3_store(&u[node->u + 3], body->w);
  }
}
