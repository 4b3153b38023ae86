// Second derivatives into K: the Hessian of a dot y = x1 . x2 of spans, x = w r + A(p) s summed
// over slots,
//
//   (r_i, r_j)   (w1_i w2_j + w2_i w1_j) 1
//   (r_i, p_j)   w1_i B2_j + w2_i B1_j                    B_j = B(p_j, s_j) of euler.h
//   (p_i, p_j)   B1_i' B2_j + B2_i' B1_j + [i = j] (K(s1_i, x2) + K(s2_i, x1))
//
// is linear in the first span, so a sum of dots with the same second span is one dot: the three
// displacement rows of a joint, weighted by their multipliers, cost one Hessian. Lengths and angles
// add products of gradients to the Hessian of a dot:
//
//   l_qq     = (y_qq / 2 - l_q l_q') / l
//   theta_qq = Im (z_qq / z) - sigma_q theta_q' - theta_q sigma_q'
#include <string.h>

#include "equations/cartesian/tangent.h"

typedef struct side {
  int is_there[2];
  double w[2];
  double b[2][3][4];
  hn_vec3 s[2];
  hn_vec3 x;
} side;

static void open_end(const hn_body_rates *body, int slot, double w, hn_vec3 s, side *out) {
  out->is_there[slot] = 1;
  out->w[slot] = w;
  out->s[slot] = s;
  out->x = vec3_add(out->x, vec3_add_scaled(mat3_apply(body->axes, s), w, body->r));
  hn_euler_b(body->p, s, out->b[slot]);
}

// The pending first span, and the second one from the table.
static void open_sides(const hn_cartesian_tangent *self, side out[2]) {
  const hn_curvature *c = &self->curvature;
  const hn_pair *pair = &self->pairs[c->pair];
  memset(out, 0, 2 * sizeof *out);
  for (int slot = 0; slot < 2; slot++) {
    const hn_body_rates *body = &self->bodies[pair->body[slot]];
    hn_vec3 s = c->s[slot];
    if (c->w[slot] != 0 || s.x != 0 || s.y != 0 || s.z != 0)
      open_end(body, slot, c->w[slot], s, &out[0]);
    if (c->second.end[slot] < 0) continue;
    const hn_end *end = &self->ends[c->second.end[slot]];
    open_end(body, slot, end->w, end->s, &out[1]);
  }
}

// rows of p_i, columns of p_j: + u_i' v_j
static void add_product(double u[3][4], double v[3][4], int at, int to,
                        double block[HN_LOCAL][HN_LOCAL]) {
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++)
      block[at + 3 + i][to + 3 + j] += u[0][i] * v[0][j] + u[1][i] * v[1][j] + u[2][i] * v[2][j];
}

// (r_i, p_j) and (p_j, r_i): + w B_j
static void add_mixed(double w, double b[3][4], int at, int to, double block[HN_LOCAL][HN_LOCAL]) {
  if (w == 0) return;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 4; j++) {
      block[at + i][to + 3 + j] += w * b[i][j];
      block[to + 3 + j][at + i] += w * b[i][j];
    }
}

static void add_own_curvature(const side *u, hn_vec3 x, int slot,
                              double block[HN_LOCAL][HN_LOCAL]) {
  double k[4][4];
  int at = 7 * slot + 3;
  if (!u->is_there[slot]) return;
  hn_euler_k(u->s[slot], x, k);
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) block[at + i][at + j] += k[i][j];
}

// Both orders of one end of the first span with one end of the second.
static void add_ends(side *u, int i, side *v, int j, double block[HN_LOCAL][HN_LOCAL]) {
  int at = 7 * i, to = 7 * j;
  if (!u->is_there[i] || !v->is_there[j]) return;
  double ww = u->w[i] * v->w[j];
  for (int k = 0; k < 3 && ww != 0; k++) {
    block[at + k][to + k] += ww;
    block[to + k][at + k] += ww;
  }
  add_mixed(u->w[i], v->b[j], at, to, block);
  add_mixed(v->w[j], u->b[i], to, at, block);
  add_product(u->b[i], v->b[j], at, to, block);
  add_product(v->b[j], u->b[i], to, at, block);
}

// The Hessian of the pending dot into the block.
static void settle_dot(hn_cartesian_tangent *self) {
  hn_curvature *c = &self->curvature;
  if (!c->has_dot) return;
  c->has_dot = 0;
  const hn_pair *pair = &self->pairs[c->pair];
  side u[2];
  open_sides(self, u);
  for (int i = 0; i < 2; i++) {
    if (pair->body[i] == HN_GROUND) continue;
    add_own_curvature(&u[0], u[1].x, i, c->block);
    add_own_curvature(&u[1], u[0].x, i, c->block);
    for (int j = 0; j < 2; j++)
      if (pair->body[j] != HN_GROUND) add_ends(&u[0], i, &u[1], j, c->block);
  }
}

void hn_curvature_finish(hn_cartesian_tangent *self) {
  hn_curvature *c = &self->curvature;
  if (c->pair < 0) return;
  settle_dot(self);
  const hn_pair *pair = &self->pairs[c->pair];
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++)
      hn_sparse_add_block(&self->base.stiffness, pair->stiffness[i][j], 7, 7,
                          &c->block[7 * i][7 * j], HN_LOCAL);
  c->pair = -1;
}

static void open_pair(hn_cartesian_tangent *self, int pair) {
  hn_curvature *c = &self->curvature;
  if (c->pair == pair) return;
  hn_curvature_finish(self);
  memset(c->block, 0, sizeof c->block);
  c->pair = pair;
}

// The pending dot takes up weight times another first span when the second is the same.
static void add_dot(hn_cartesian_tangent *self, double weight, hn_span first, hn_span second) {
  hn_curvature *c = &self->curvature;
  int is_same =
      c->has_dot && second.end[0] == c->second.end[0] && second.end[1] == c->second.end[1];
  if (!is_same) {
    settle_dot(self);
    c->has_dot = 1;
    c->second = second;
    c->w[0] = c->w[1] = 0;
    c->s[0] = c->s[1] = vec3_zero();
  }
  for (int slot = 0; slot < 2; slot++) {
    if (first.end[slot] < 0) continue;
    const hn_end *end = &self->ends[first.end[slot]];
    c->w[slot] += weight * end->w;
    c->s[slot] = vec3_add_scaled(c->s[slot], weight, end->s);
  }
}

static void add_outer(hn_cartesian_tangent *self, double weight, const double *a, const double *b) {
  hn_curvature *c = &self->curvature;
  for (int i = 0; i < HN_LOCAL; i++) {
    double factor = weight * a[i];
    for (int j = 0; j < HN_LOCAL; j++) c->block[i][j] += factor * b[j];
  }
}

void hn_curvature_add(hn_cartesian_tangent *self, const hn_form *form, const hn_form_jet *jet,
                      double weight) {
  if (weight == 0) return;
  open_pair(self, form->pair);
  switch (form->kind) {
  case HN_MEASURE_DOT: add_dot(self, weight, form->x[0], form->x[1]); break;
  case HN_MEASURE_LENGTH:
    add_dot(self, 0.5 * weight * jet->inverse, form->x[0], form->x[0]);
    add_outer(self, -weight * jet->inverse, jet->gradient, jet->gradient);
    break;
  case HN_MEASURE_ANGLE:
    add_dot(self, weight * jet->f[0], form->x[1], form->x[2]);
    add_dot(self, weight * jet->f[1], form->x[0], form->x[2]);
    add_outer(self, -weight, jet->spread, jet->gradient);
    add_outer(self, -weight, jet->gradient, jet->spread);
    break;
  }
}

void hn_curvature_add_outer(hn_cartesian_tangent *self, int pair, const double *a,
                            const double *b) {
  open_pair(self, pair);
  add_outer(self, 1, a, b);
}
