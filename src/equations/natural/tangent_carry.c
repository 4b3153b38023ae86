// Vectors of q carried from one position of the machine to another. A node goes with the body that made
// it: turned with it, R x, or straight: the rigid part of the body's motion,
//
//   x_k = dr + dpi x s_k,   dr = sum c_r x_k,   dpi = sum h_k x x_k     (s_k: arm of a point, or vector)
//
// keeps dr and dpi in space, and only what is left, by which the body would not stay rigid, turns.
#include <string.h>

#include "equations/natural/tangent.h"

// A body at both positions, and how it moves with x.
typedef struct way {
  hn_vec3 r[2];
  hn_mat3 a[2], turn;
  hn_vec3 dr, dpi;
} way;

static void read_body(const hn_natural_set *set, const hn_natural_body *body, const double *q,
                      hn_vec3 *r, hn_mat3 *a) {
  hn_vec3 x[4];
  memcpy(x, body->constant, sizeof x);
  for (int k = body->start; k < body->start + body->count; k++) {
    const hn_natural_term *term = &set->nodes->terms[k];
    hn_vec3 node = vec3_load(&q[3 * term->node]);
    for (int i = 0; i < 4; i++) x[i] = vec3_add_scaled(x[i], term->c[i], node);
  }
  *r = x[0];
  *a = mat3_from_columns(x[1], x[2], x[3]);
}

static way way_of(const hn_natural_set *set, int b, const double *from, const double *to,
                  const double *x) {
  const hn_natural_body *body = &set->nodes->bodies[b];
  way w;
  read_body(set, body, from, &w.r[0], &w.a[0]);
  read_body(set, body, to, &w.r[1], &w.a[1]);
  w.turn = mat3_multiply(w.a[1], mat3_transpose(w.a[0]));
  w.dr = w.dpi = vec3_zero();
  for (int k = body->start; k < body->start + body->count; k++) {
    const hn_natural_term *term = &set->nodes->terms[k];
    hn_vec3 dx = vec3_load(&x[3 * term->node]);
    hn_vec3 h = mat3_apply(w.a[0], vec3(term->c[1], term->c[2], term->c[3]));
    w.dr = vec3_add_scaled(w.dr, term->c[0], dx);
    w.dpi = vec3_add_scaled(w.dpi, 0.5, vec3_cross(h, dx));
  }
  return w;
}

// The rigid part at one of the positions.
static hn_vec3 rigid(const way *w, int which, int is_point, hn_vec3 node) {
  if (!is_point) return vec3_cross(w->dpi, node);
  return vec3_add(w->dr, vec3_cross(w->dpi, vec3_sub(node, w->r[which])));
}

void hn_natural_carry(const hn_tangent *tangent, const double *from, const double *to,
                      hn_carry_kind kind, double *x) {
  const hn_natural_tangent *self = (const hn_natural_tangent *)tangent;
  const hn_natural_set *set = self->set;
  const double *before = self->carried;
  memcpy(self->carried, x, (size_t)tangent->n * sizeof(double));
  way w = {.turn = mat3_identity()};
  int last = HN_GROUND;
  for (int n = 0; n < set->nodes->node_count; n++) {
    const hn_natural_node *node = &set->nodes->nodes[n];
    if (node->body != last) w = way_of(set, node->body, from, to, before);
    last = node->body;
    hn_vec3 dx = vec3_load(&before[3 * n]), kept = vec3_zero();
    if (kind == HN_CARRY_STRAIGHT) {
      dx = vec3_sub(dx, rigid(&w, 0, node->is_point, vec3_load(&from[3 * n])));
      kept = rigid(&w, 1, node->is_point, vec3_load(&to[3 * n]));
    }
    vec3_store(&x[3 * n], vec3_add(kept, mat3_apply(w.turn, dx)));
  }
}
