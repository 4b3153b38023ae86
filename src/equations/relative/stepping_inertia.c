// Inertia and its forces in a step (relative/stepping.h), in global axes about one point O of each tree,
// the origin of its root: inertias, motions and wrenches add up there without transformations.
//
//   S_v = linear a + r x angular a,  S_w = angular a      of an axis a through a point r away from O
//   V = V_p + s,  A = A_p + V_p x s,  s = S u             (free body: A_v = v x w)
//   p = m V_v + w x c,  l = I w + c x V_v
//   f = m A_v + A_w x c + w x p,  n = I A_w + c x A_v + V_v x p + w x l
//
// m, c = m r_cm and I are about O, w = V_w. Rows of A are stored from the root down, each padded to a
// multiple of four numbers: inner loops are contiguous and run in whole groups. Padding reaches
// padding only.
#include <math.h>
#include <string.h>

#include "base/variants.h"
#include "equations/relative/stepping.h"
#include "math/elementary/sine_lanes.h"

// ---- set-up -------------------------------------------------------------------------------------

static void place_rotor(hn_relative_stepper *self, hn_tree_rotor *rotor, int k) {
  const hn_tree_node *node = &self->set->tree->nodes[k];
  const hn_mat3 *axes = &node->end->body_axes;
  rotor->node = k;
  rotor->is_plain = vec3_dot(node->end->centre, node->end->centre) == 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) rotor->is_plain &= axes->m[i][j] == (i == j);
  self->moves_all |= node->kind != HN_LINK_HINGE;
}

static void take_inertia(const hn_tree_node *node, hn_step_inertia *to) {
  const hn_sym3 *i = &node->inertia;
  *to = (hn_step_inertia){
      .columns = {{i->xx, i->xy, i->xz}, {i->xy, i->yy, i->yz}, {i->xz, i->yz, i->zz}},
      .moment = {node->moment.x, node->moment.y, node->moment.z},
      .mass = node->mass};
}

hn_status hn_relative_make_step_rows(hn_arena *arena, hn_relative_stepper *self) {
  const hn_tree *tree = self->set->tree;
  const size_t nodes = (size_t)tree->count;
  self->rows = HN_TAKE(arena, hn_step_row, tree->nu);
  self->moving = HN_TAKE(arena, int, nodes);
  self->turning = HN_TAKE(arena, int, tree->nu);
  self->range = HN_TAKE(arena, hn_tree_range, nodes);
  self->reference = HN_WORK(arena, hn_vec3, nodes);
  self->lanes = HN_WORK(arena, hn_step_lanes, nodes);
  self->axis = HN_WORK(arena, hn_speed_axis, tree->nu);
  self->is_rotor = HN_TAKE(arena, unsigned char, tree->nu);
  self->of_node = HN_TAKE(arena, hn_step_inertia, nodes);
  self->composite = HN_WORK(arena, hn_step_inertia, nodes);
  if (arena->failed) return HN_ERROR_MEMORY;
  for (int k = 0; k < tree->count; k++) take_inertia(&tree->nodes[k], &self->of_node[k]);
  int at = 0;
  for (int k = 0; k < tree->nu; k++) {
    const int n = tree->mass_start[k + 1] - tree->mass_start[k];
    self->rows[k] = (hn_step_row){at, n - 1, 0, &tree->mass_index[tree->mass_start[k]]};
    at += (n + 3) & ~3;
  }
  self->mass_size = at;
  self->mass = HN_WORK(arena, double, at);
  for (int k = 0; k < tree->count; k++) {
    const hn_tree_node *node = &tree->nodes[k];
    if (node->kind != HN_LINK_FREE || node->parent >= 0) continue;
    for (int u = node->u + node->u_count; u < tree->nu; u++)
      if (self->rows[u].index[0] == node->u) self->rows[u].free = 6;
  }
  for (int r = 0; r < self->rotor_count; r++) self->is_rotor[self->rotors[r].u] = 1;
  for (int k = 0; k < tree->count; k++) {
    if (tree->nodes[k].u_count == 1 && self->is_rotor[tree->nodes[k].u]) {
      for (int r = 0; r < self->rotor_count; r++)
        if (self->rotors[r].u == tree->nodes[k].u) place_rotor(self, &self->rotors[r], k);
      continue;
    }
    if (self->range_count == 0 || self->range[self->range_count - 1].to != k)
      self->range[self->range_count++] = (hn_tree_range){k, k};
    self->range[self->range_count - 1].to = k + 1;
    self->moving[self->moving_count++] = k;
    for (int i = 0; i < tree->nodes[k].u_count; i++)
      self->turning[self->turning_count++] = tree->nodes[k].u + i;
  }
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

// ---- inertia ------------------------------------------------------------------------------------

HN_INLINE void find_axes(hn_relative_stepper *self, int k, hn_vec3 r) {
  const hn_tree_node *node = &self->set->tree->nodes[k];
  const hn_tree_motion *m = &self->set->motion[k];
  hn_speed_axis *to = &self->axis[node->u];
  const hn_vec3 reference = self->reference[k];
  switch (node->kind) {
  case HN_LINK_HINGE: *to = (hn_speed_axis){vec3_cross(r, m->axis), m->axis, reference}; break;
  case HN_LINK_SLIDE:
  case HN_LINK_SCREW: {
    const hn_vec3 w = vec3_scale(node->angular, m->axis);
    const hn_vec3 v = vec3_add_scaled(vec3_cross(r, w), node->linear, m->axis);
    *to = (hn_speed_axis){v, w, reference};
    break;
  }
  case HN_LINK_BALL:
    for (int i = 0; i < 3; i++) {
      const hn_vec3 w = mat3_column(m->joint, i);
      to[i] = (hn_speed_axis){vec3_cross(r, w), w, reference};
    }
    break;
  case HN_LINK_FREE:
    for (int i = 0; i < 3; i++) {
      const hn_vec3 unit = vec3(i == 0, i == 1, i == 2);
      to[i] = (hn_speed_axis){unit, vec3_zero(), reference};
      to[3 + i] = (hn_speed_axis){vec3_cross(r, unit), unit, reference};
    }
    break;
  case HN_LINK_FIXED: break;
  }
}

// Vectors as lanes; the fourth number is anything.
HN_INLINE hn_four lanes_of(hn_vec3 x) { return (hn_four){x.x, x.y, x.z, 0}; }

HN_INLINE hn_four cross(hn_four a, hn_four b) {
  const hn_four c = a * HN_MIX4(b, b, 1, 2, 0, 3) - HN_MIX4(a, a, 1, 2, 0, 3) * b;
  return HN_MIX4(c, c, 1, 2, 0, 3);
}

HN_INLINE hn_four apply(const hn_step_inertia *on, hn_four x) {
  return x[0] * HN_FOUR_OF(on->columns[0]) + x[1] * HN_FOUR_OF(on->columns[1]) +
         x[2] * HN_FOUR_OF(on->columns[2]);
}

HN_INLINE double sum_of(hn_four x) { return x[0] + x[1] + x[2]; }

// Of a node's own body with axes R, about a point from which its origin is r away: with c = R moment,
//
//   I = R I_node R' + (2 r . c + m r . r) 1 - (r s' + c r'),  s = c + m r
HN_INLINE void turn_inertia(const hn_step_inertia *from, const hn_mat3 *turn, hn_four r,
                            hn_step_inertia *to) {
  hn_four axis[4], c = {0, 0, 0, 0};
  HN_UNROLL for (int i = 0; i < 3; i++) axis[i] = lanes_of(mat3_column(*turn, i));
  HN_UNROLL for (int i = 0; i < 3; i++) c += from->moment[i] * axis[i];
  const hn_four s = c + from->mass * r;
  const double t = sum_of(r * (c + s));
  hn_four part[3]; // columns of R I_node
  HN_UNROLL for (int k = 0; k < 3; k++) part[k] =
      from->columns[k][0] * axis[0] + from->columns[k][1] * axis[1] + from->columns[k][2] * axis[2];
  HN_UNROLL for (int j = 0; j < 3; j++) {
    hn_four column = turn->m[j][0] * part[0] + turn->m[j][1] * part[1] + turn->m[j][2] * part[2];
    column -= s[j] * r + r[j] * c;
    column[j] += t;
    HN_FOUR(to->columns[j]) = column;
  }
  HN_FOUR(to->moment) = s;
  to->mass = from->mass;
}

HN_INLINE void add_inertia(const hn_step_inertia *from, hn_step_inertia *to) {
  HN_UNROLL for (int j = 0; j < 3; j++) HN_FOUR(to->columns[j]) += HN_FOUR_OF(from->columns[j]);
  HN_FOUR(to->moment) += HN_FOUR_OF(from->moment);
  to->mass += from->mass;
}

// A row of M, from what hangs on the node of its speed.
HN_INLINE void find_row(hn_relative_stepper *self, const hn_step_inertia *composite, int u) {
  const hn_step_row *row = &self->rows[u];
  const hn_speed_axis *s = &self->axis[u];
  const hn_four v = HN_FOUR_OF(&s->v.x), w = HN_FOUR_OF(&s->w.x); // v before w, w before the origin
  const hn_four c = HN_FOUR_OF(composite->moment);
  const hn_four f = composite->mass * v + cross(w, c), n = apply(composite, w) + cross(c, v);
  double *to = &self->mass[row->at];
  if (row->free) // unit vectors
    for (int i = 0; i < 3; i++) {
      to[i] = f[i];
      to[3 + i] = n[i];
    }
  for (int p = row->free; p <= row->above; p++) {
    const hn_speed_axis *of = &self->axis[row->index[p]];
    to[p] = sum_of(HN_FOUR_OF(&of->v.x) * f + HN_FOUR_OF(&of->w.x) * n);
  }
}

// Rows of M: of one speed those above it and its own.
HN_INLINE void find_rows(int wide, hn_relative_stepper *self) {
  const hn_tree *tree = self->set->tree;
  hn_step_inertia *composite = self->composite;
  const hn_four zero = {0, 0, 0, 0};
  (void)wide;
  for (int i = 0; i < self->moving_count; i++) {
    const int k = self->moving[i];
    const hn_tree_node *node = &tree->nodes[k];
    const hn_tree_motion *m = &self->set->motion[k];
    self->reference[k] = node->parent < 0 ? m->origin : self->reference[node->parent];
    const hn_vec3 r = vec3_sub(m->origin, self->reference[k]);
    find_axes(self, k, r);
    if (node->body > 0) {
      turn_inertia(&self->of_node[k], &m->r, lanes_of(r), &self->lanes[k].inertia);
      composite[k] = self->lanes[k].inertia;
      continue;
    }
    HN_UNROLL for (int j = 0; j < 3; j++) HN_FOUR(composite[k].columns[j]) = zero;
    HN_FOUR(composite[k].moment) = zero;
    composite[k].mass = 0;
  }
  for (int i = self->moving_count - 1; i >= 0; i--) {
    const int k = self->moving[i], parent = tree->nodes[k].parent;
    if (parent >= 0) add_inertia(&composite[k], &composite[parent]);
  }
  for (int i = 0; i < self->moving_count; i++) {
    const int k = self->moving[i];
    for (int u = tree->nodes[k].u; u < tree->nodes[k].u + tree->nodes[k].u_count; u++)
      find_row(self, &composite[k], u);
  }
}

HN_VARIANTS(find_rows, (hn_relative_stepper * self), (self))

void hn_relative_step_mass(hn_relative_stepper *self) {
  const hn_tree *tree = self->set->tree;
  HN_PICK(tree->wide, find_rows)(self);
  for (int r = 0; r < self->rotor_count; r++) {
    const hn_tree_rotor *rotor = &self->rotors[r];
    const hn_tree_node *node = &tree->nodes[rotor->node];
    const double own = node->angular * node->angular * node->inertia.zz; // its axis is z
    *hn_step_diagonal(self, rotor->u) = 1;
    *hn_step_diagonal(self, rotor->of_u) += rotor->ratio * rotor->ratio * own;
  }
}

HN_INLINE void move_rotor(const hn_relative_stepper *self, const hn_tree_rotor *rotor, double s,
                          double c, const double *u, hn_frame *frames) {
  const hn_tree_node *node = &self->set->tree->nodes[rotor->node];
  const hn_mat3 *t = &node->turn;
  hn_frame *to = &frames[node->body];
  hn_mat3 turn;
  for (int i = 0; i < 3; i++) {
    turn.m[i][0] = c * t->m[i][0] + s * t->m[i][1];
    turn.m[i][1] = c * t->m[i][1] - s * t->m[i][0];
    turn.m[i][2] = t->m[i][2];
  }
  to->a = rotor->is_plain ? turn : mat3_multiply(turn, node->end->body_axes);
  to->w = vec3_scale(u[node->u], mat3_column(*t, 2));
  to->r = node->arm;
  to->v = vec3_zero();
  if (rotor->is_plain) return;
  const hn_vec3 centre = mat3_apply(turn, node->end->centre);
  to->r = vec3_add(node->arm, centre);
  to->v = vec3_cross(to->w, centre);
}

// Frames of the rotors at q and u: hinges on ground.
HN_INLINE void move_rotors(int wide, const hn_relative_stepper *self, const double *q,
                           const double *u, hn_frame *frames) {
  (void)wide;
  for (int first = 0; first < self->rotor_count; first += 4) {
    const int count = self->rotor_count - first < 4 ? self->rotor_count - first : 4;
    double angle[4] = {0}, sine[4], cosine[4];
    for (int l = 0; l < count; l++) angle[l] = q[self->rotors[first + l].q];
    hn_sincos_four(angle, sine, cosine);
    for (int l = 0; l < count; l++)
      move_rotor(self, &self->rotors[first + l], sine[l], cosine[l], u, frames);
  }
}

HN_VARIANTS(move_rotors,
            (const hn_relative_stepper *self, const double *q, const double *u, hn_frame *frames),
            (self, q, u, frames))

void hn_relative_move_rotors(hn_relative_stepper *self, const double *q, const double *u,
                             hn_frame *frames) {
  HN_PICK(self->set->tree->wide, move_rotors)(self, q, u, frames);
}

// L' D L: rows become those of L, the diagonal 1 / D.
HN_INLINE int factor_rows(int wide, hn_relative_stepper *self) {
  int is_good = 1;
  (void)wide;
  for (int i = self->turning_count - 1; i >= 0; i--) {
    const hn_step_row *row = &self->rows[self->turning[i]];
    double *from = &self->mass[row->at];
    const int n = row->above;
    if (!(from[n] > 0)) is_good = 0;
    const double inverse = 1 / from[n];
    for (int x = n - 1; x >= 0; x--) {
      double *to = &self->mass[self->rows[row->index[x]].at];
      const double l = from[x] * inverse;
      for (int y = 0; y <= x; y += 4) HN_FOUR(to + y) -= l * HN_FOUR_OF(from + y);
    }
    for (int y = 0; y < n; y += 4) HN_FOUR(from + y) *= inverse;
    from[n] = inverse;
    self->root[self->turning[i]] = sqrt(inverse);
  }
  return is_good;
}

HN_INLINE void factor(int wide, hn_relative_stepper *self, int *is_good) {
  *is_good = factor_rows(wide, self);
}

HN_VARIANTS(factor, (hn_relative_stepper * self, int *is_good), (self, is_good))

int hn_relative_step_factor(hn_relative_stepper *self) {
  int is_good = 1;
  for (int r = 0; r < self->rotor_count; r++) self->root[self->rotors[r].u] = 1;
  HN_PICK(self->set->tree->wide, factor)(self, &is_good);
  return is_good;
}

// ---- forces of inertia --------------------------------------------------------------------------

// S u of a node. An axis has its linear part before the angular one, and that before its origin.
HN_INLINE void node_speed(const hn_relative_stepper *self, const hn_tree_node *node,
                          const double *u, hn_four *v, hn_four *w) {
  const hn_speed_axis *s = &self->axis[node->u];
  *v = *w = (hn_four){0, 0, 0, 0};
  for (int i = 0; i < node->u_count; i++) {
    *v += u[node->u + i] * HN_FOUR_OF(&s[i].v.x);
    *w += u[node->u + i] * HN_FOUR_OF(&s[i].w.x);
  }
}

// Body velocities from the motion about O.
HN_INLINE void put_velocities(int wide, hn_relative_stepper *self, const double *u,
                              hn_sweep_body *bodies) {
  const hn_tree *tree = self->set->tree;
  (void)wide;
  for (int i = 0; i < self->moving_count; i++) {
    const int k = self->moving[i];
    const hn_tree_node *node = &tree->nodes[k];
    hn_step_lanes *to = &self->lanes[k];
    hn_four v, w;
    node_speed(self, node, u, &v, &w);
    if (node->parent >= 0) {
      v += HN_FOUR_OF(self->lanes[node->parent].v);
      w += HN_FOUR_OF(self->lanes[node->parent].w);
    }
    HN_FOUR(to->v) = v;
    HN_FOUR(to->w) = w;
    if (node->body == 0) continue;
    hn_sweep_body *body = &bodies[node->body];
    const hn_vec3 r = vec3_sub(self->frames[node->body].r, self->reference[k]);
    const hn_four of = v + cross(w, lanes_of(r));
    body->v = (hn_vec3){of[0], of[1], of[2]};
    body->w = (hn_vec3){w[0], w[1], w[2]};
  }
}

HN_VARIANTS(put_velocities, (hn_relative_stepper * self, const double *u, hn_sweep_body *bodies),
            (self, u, bodies))

void hn_relative_step_velocities(hn_relative_stepper *self, const double *u,
                                 hn_sweep_body *bodies) {
  HN_PICK(self->set->tree->wide, put_velocities)(self, u, bodies);
}

// Wrench of a body about O, at accelerations a, b without those of speeds.
HN_INLINE void find_wrench(hn_step_lanes *on, hn_four v, hn_four w, hn_four a, hn_four b) {
  const hn_four c = HN_FOUR_OF(on->inertia.moment);
  const hn_four p = on->inertia.mass * v + cross(w, c), l = apply(&on->inertia, w) + cross(c, v);
  HN_FOUR(on->f) = on->inertia.mass * a + cross(b, c) + cross(w, p);
  HN_FOUR(on->n) = apply(&on->inertia, b) + cross(c, a) + (cross(w, l) + cross(v, p));
}

// Less what is applied to the node.
HN_INLINE void take_applied(const hn_relative_stepper *self, int k) {
  const hn_relative_set *set = self->set;
  const hn_four r = lanes_of(vec3_sub(set->motion[k].origin, self->reference[k]));
  const hn_four f = lanes_of(set->applied[k].f), n = lanes_of(set->applied[k].n);
  HN_FOUR(self->lanes[k].f) -= f;
  HN_FOUR(self->lanes[k].n) -= n + cross(r, f);
}

// Motion, accelerations and wrenches of one node.
HN_INLINE void bias_node(hn_relative_stepper *self, int k, const double *u, hn_four weight) {
  const hn_tree_node *node = &self->set->tree->nodes[k];
  const hn_four zero = {0, 0, 0, 0};
  hn_step_lanes *to = &self->lanes[k];
  hn_four v, w, a = weight, b = zero;
  node_speed(self, node, u, &v, &w);
  if (node->kind == HN_LINK_FREE) {
    a += cross(lanes_of(vec3_load(u + node->u)), w);
  } else if (node->parent >= 0) { // axes on ground stand still
    const hn_step_lanes *p = &self->lanes[node->parent];
    const hn_four pv = HN_FOUR_OF(p->v), pw = HN_FOUR_OF(p->w);
    a = HN_FOUR_OF(p->a) + cross(pv, w) + cross(pw, v);
    b = HN_FOUR_OF(p->b) + cross(pw, w);
    v += pv;
    w += pw;
  }
  HN_FOUR(to->v) = v;
  HN_FOUR(to->w) = w;
  HN_FOUR(to->a) = a;
  HN_FOUR(to->b) = b;
  HN_FOUR(to->f) = zero;
  HN_FOUR(to->n) = zero;
  if (node->body == 0) return;
  find_wrench(to, v, w, a, b);
  if (self->set->has_applied) take_applied(self, k);
}

HN_INLINE void bias(int wide, hn_relative_stepper *self, const double *u, double *out) {
  const hn_tree *tree = self->set->tree;
  const hn_four weight = lanes_of(vec3_negate(self->set->base.model->gravity));
  (void)wide;
  for (int i = 0; i < self->moving_count; i++) bias_node(self, self->moving[i], u, weight);
  for (int i = self->moving_count - 1; i >= 0; i--) {
    const int k = self->moving[i];
    const hn_tree_node *node = &tree->nodes[k];
    const hn_four f = HN_FOUR_OF(self->lanes[k].f), n = HN_FOUR_OF(self->lanes[k].n);
    for (int j = node->u; j < node->u + node->u_count; j++) {
      const hn_four x = f * HN_FOUR_OF(&self->axis[j].v.x) + n * HN_FOUR_OF(&self->axis[j].w.x);
      out[j] = x[0] + x[1] + x[2];
    }
    if (node->parent < 0) continue;
    HN_FOUR(self->lanes[node->parent].f) += f;
    HN_FOUR(self->lanes[node->parent].n) += n;
  }
}

HN_VARIANTS(bias, (hn_relative_stepper * self, const double *u, double *out), (self, u, out))

void hn_relative_step_bias(hn_relative_stepper *self, const double *u, double *out) {
  const hn_relative_set *set = self->set;
  HN_PICK(set->tree->wide, bias)(self, u, out);
  for (int r = 0; r < self->rotor_count; r++) {
    const hn_tree_rotor *rotor = &self->rotors[r];
    const hn_tree_node *node = &set->tree->nodes[rotor->node];
    out[rotor->u] = 0;
    if (!set->has_applied) continue;
    const hn_tree_wrench *w = &set->applied[rotor->node];
    out[rotor->u] = -vec3_dot(set->motion[rotor->node].axis,
                              vec3_add_scaled(vec3_scale(node->linear, w->f), node->angular, w->n));
  }
}

// a_r = a - weight + w x v + b x r + w x (w x r)
HN_INLINE void drift(int wide, hn_relative_stepper *self) {
  const hn_tree *tree = self->set->tree;
  const hn_four weight = lanes_of(vec3_negate(self->set->base.model->gravity));
  (void)wide;
  for (int i = 0; i < self->moving_count; i++) {
    const int k = self->moving[i], body = tree->nodes[k].body;
    if (body == 0) continue;
    const hn_step_lanes *on = &self->lanes[k];
    const hn_four w = HN_FOUR_OF(on->w), b = HN_FOUR_OF(on->b);
    const hn_four r = lanes_of(vec3_sub(self->frames[body].r, self->reference[k]));
    const hn_four a =
        HN_FOUR_OF(on->a) - weight + cross(b, r) + cross(w, HN_FOUR_OF(on->v) + cross(w, r));
    self->base.drift[body] =
        (hn_body_drift){{a[0], a[1], a[2]}, {b[0], b[1], b[2]}, {w[0], w[1], w[2]}};
  }
}

HN_VARIANTS(drift, (hn_relative_stepper * self), (self))

void hn_relative_step_drift(hn_relative_stepper *self) {
  HN_PICK(self->set->tree->wide, drift)(self);
}
