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
#include "equations/relative/sym3.h"

// ---- set-up -------------------------------------------------------------------------------------

hn_status hn_relative_make_step_rows(hn_arena *arena, hn_relative_stepper *self) {
  const hn_tree *tree = self->set->tree;
  const size_t nodes = (size_t)tree->count;
  self->rows = HN_TAKE(arena, hn_step_row, tree->nu);
  self->moving = HN_TAKE(arena, int, nodes);
  self->turning = HN_TAKE(arena, int, tree->nu);
  self->range = HN_TAKE(arena, hn_tree_range, nodes);
  self->own = HN_WORK(arena, hn_tree_composite, nodes);
  self->reference = HN_WORK(arena, hn_vec3, nodes);
  self->motion_v = HN_WORK(arena, hn_vec3, nodes);
  self->motion_w = HN_WORK(arena, hn_vec3, nodes);
  self->rate_v = HN_WORK(arena, hn_vec3, nodes);
  self->rate_w = HN_WORK(arena, hn_vec3, nodes);
  self->axis = HN_WORK(arena, hn_speed_axis, tree->nu);
  self->is_rotor = HN_TAKE(arena, unsigned char, tree->nu);
  if (arena->failed) return HN_ERROR_MEMORY;
  int at = 0;
  for (int k = 0; k < tree->nu; k++) {
    const int n = tree->mass_start[k + 1] - tree->mass_start[k];
    self->rows[k] = (hn_step_row){at, n - 1, &tree->mass_index[tree->mass_start[k]]};
    at += (n + 3) & ~3;
  }
  self->mass_size = at;
  self->mass = HN_WORK(arena, double, at);
  for (int r = 0; r < self->rotor_count; r++) self->is_rotor[self->rotors[r].u] = 1;
  for (int k = 0; k < tree->count; k++) {
    if (tree->nodes[k].u_count == 1 && self->is_rotor[tree->nodes[k].u]) {
      for (int r = 0; r < self->rotor_count; r++)
        if (self->rotors[r].u == tree->nodes[k].u) self->rotors[r].node = k;
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

// Of a node's own body, about a point from which its origin is r away.
HN_INLINE hn_tree_composite own_inertia(const hn_tree_node *node, hn_mat3 turn, hn_vec3 r) {
  hn_tree_composite c = {.mass = 0};
  if (node->body == 0) return c;
  const hn_vec3 moment = mat3_apply(turn, node->moment), md = vec3_scale(node->mass, r);
  const hn_vec3 s = vec3_add(moment, md);
  const double t = 2 * vec3_dot(r, moment) + vec3_dot(r, md);
  c.mass = node->mass;
  c.moment = s;
  c.inertia = sym3_turn(turn, node->inertia);
  c.inertia.xx += t - (r.x * s.x + moment.x * r.x);
  c.inertia.yy += t - (r.y * s.y + moment.y * r.y);
  c.inertia.zz += t - (r.z * s.z + moment.z * r.z);
  c.inertia.xy -= r.x * s.y + moment.x * r.y;
  c.inertia.xz -= r.x * s.z + moment.x * r.z;
  c.inertia.yz -= r.y * s.z + moment.y * r.z;
  return c;
}

HN_INLINE void add_composite(hn_tree_composite *to, const hn_tree_composite *c) {
  to->mass += c->mass;
  to->moment = vec3_add(to->moment, c->moment);
  sym3_add(&to->inertia, c->inertia);
}

// Rows of M: of one speed those above it and its own.
HN_INLINE void find_rows(int wide, hn_relative_stepper *self) {
  const hn_tree *tree = self->set->tree;
  hn_tree_composite *composite = self->set->composite;
  (void)wide;
  for (int i = 0; i < self->moving_count; i++) {
    const int k = self->moving[i];
    const hn_tree_node *node = &tree->nodes[k];
    const hn_tree_motion *m = &self->set->motion[k];
    self->reference[k] = node->parent < 0 ? m->origin : self->reference[node->parent];
    const hn_vec3 r = vec3_sub(m->origin, self->reference[k]);
    find_axes(self, k, r);
    composite[k] = self->own[k] = own_inertia(node, m->r, r);
  }
  for (int i = self->moving_count - 1; i >= 0; i--) {
    const int k = self->moving[i], parent = tree->nodes[k].parent;
    if (parent >= 0) add_composite(&composite[parent], &composite[k]);
  }
  for (int i = 0; i < self->moving_count; i++) {
    const int k = self->moving[i];
    const hn_tree_composite *c = &composite[k];
    for (int u = tree->nodes[k].u; u < tree->nodes[k].u + tree->nodes[k].u_count; u++) {
      const hn_step_row *row = &self->rows[u];
      const hn_speed_axis *s = &self->axis[u];
      const hn_vec3 f = vec3_add(vec3_scale(c->mass, s->v), vec3_cross(s->w, c->moment));
      const hn_vec3 n = vec3_add(sym3_apply(c->inertia, s->w), vec3_cross(c->moment, s->v));
      double *to = &self->mass[row->at];
      for (int p = 0; p <= row->above; p++) {
        const hn_speed_axis *of = &self->axis[row->index[p]];
        to[p] = vec3_dot(of->v, f) + vec3_dot(of->w, n);
      }
    }
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

// S u of a node.
HN_INLINE void node_speed(const hn_relative_stepper *self, const hn_tree_node *node,
                          const double *u, hn_vec3 *v, hn_vec3 *w) {
  const hn_speed_axis *s = &self->axis[node->u];
  *v = *w = vec3_zero();
  for (int i = 0; i < node->u_count; i++) {
    *v = vec3_add_scaled(*v, u[node->u + i], s[i].v);
    *w = vec3_add_scaled(*w, u[node->u + i], s[i].w);
  }
}

HN_INLINE void move(int wide, hn_relative_stepper *self, const double *u) {
  const hn_tree *tree = self->set->tree;
  (void)wide;
  for (int i = 0; i < self->moving_count; i++) {
    const int k = self->moving[i];
    const hn_tree_node *node = &tree->nodes[k];
    hn_vec3 v, w;
    node_speed(self, node, u, &v, &w);
    if (node->parent >= 0) {
      v = vec3_add(v, self->motion_v[node->parent]);
      w = vec3_add(w, self->motion_w[node->parent]);
    }
    self->motion_v[k] = v;
    self->motion_w[k] = w;
  }
}

// Body velocities from the motion about O.
HN_INLINE void put_velocities(int wide, hn_relative_stepper *self, const double *u,
                              hn_sweep_body *bodies) {
  const hn_tree *tree = self->set->tree;
  move(wide, self, u);
  for (int i = 0; i < self->moving_count; i++) {
    const int k = self->moving[i], b = tree->nodes[k].body;
    if (b == 0) continue;
    const hn_vec3 r = vec3_sub(self->frames[b].r, self->reference[k]);
    bodies[b].w = self->motion_w[k];
    bodies[b].v = vec3_add(self->motion_v[k], vec3_cross(self->motion_w[k], r));
  }
}

HN_VARIANTS(put_velocities, (hn_relative_stepper * self, const double *u, hn_sweep_body *bodies),
            (self, u, bodies))

void hn_relative_step_velocities(hn_relative_stepper *self, const double *u,
                                 hn_sweep_body *bodies) {
  HN_PICK(self->set->tree->wide, put_velocities)(self, u, bodies);
}

// Wrenches of the bodies about O, at accelerations without those of speeds.
HN_INLINE void find_wrench(const hn_relative_stepper *self, int k, hn_tree_wrench *force) {
  const hn_tree_composite *c = &self->own[k];
  const hn_vec3 v = self->motion_v[k], w = self->motion_w[k];
  const hn_vec3 a = self->rate_v[k], b = self->rate_w[k];
  const hn_vec3 p = vec3_add(vec3_scale(c->mass, v), vec3_cross(w, c->moment));
  const hn_vec3 l = vec3_add(sym3_apply(c->inertia, w), vec3_cross(c->moment, v));
  const hn_vec3 f = vec3_add(vec3_scale(c->mass, a), vec3_cross(b, c->moment));
  const hn_vec3 n = vec3_add(sym3_apply(c->inertia, b), vec3_cross(c->moment, a));
  force->f = vec3_add(f, vec3_cross(w, p));
  force->n = vec3_add(n, vec3_add(vec3_cross(w, l), vec3_cross(v, p)));
}

HN_INLINE void bias(int wide, hn_relative_stepper *self, const double *u, double *out) {
  const hn_relative_set *set = self->set;
  const hn_tree *tree = set->tree;
  const hn_vec3 weight = vec3_negate(set->base.model->gravity);
  hn_tree_wrench *force = set->force;
  (void)wide;
  for (int i = 0; i < self->moving_count; i++) {
    const int k = self->moving[i];
    const hn_tree_node *node = &tree->nodes[k];
    hn_vec3 v, w;
    node_speed(self, node, u, &v, &w);
    if (node->kind == HN_LINK_FREE) {
      self->rate_v[k] = vec3_add(weight, vec3_cross(vec3_load(u + node->u), w));
      self->rate_w[k] = vec3_zero();
    } else if (node->parent < 0) { // the axes stand still
      self->rate_v[k] = weight;
      self->rate_w[k] = vec3_zero();
    } else {
      const hn_vec3 pv = self->motion_v[node->parent], pw = self->motion_w[node->parent];
      self->rate_w[k] = vec3_add(self->rate_w[node->parent], vec3_cross(pw, w));
      self->rate_v[k] =
          vec3_add(self->rate_v[node->parent], vec3_add(vec3_cross(pv, w), vec3_cross(pw, v)));
      v = vec3_add(v, pv);
      w = vec3_add(w, pw);
    }
    self->motion_v[k] = v;
    self->motion_w[k] = w;
    force[k] = (hn_tree_wrench){vec3_zero(), vec3_zero()};
    if (node->body == 0) continue;
    find_wrench(self, k, &force[k]);
    if (!set->has_applied) continue;
    const hn_vec3 r = vec3_sub(set->motion[k].origin, self->reference[k]);
    const hn_tree_wrench *applied = &set->applied[k];
    force[k].f = vec3_sub(force[k].f, applied->f);
    force[k].n = vec3_sub(force[k].n, vec3_add(applied->n, vec3_cross(r, applied->f)));
  }
  for (int i = self->moving_count - 1; i >= 0; i--) {
    const int k = self->moving[i];
    const hn_tree_node *node = &tree->nodes[k];
    for (int j = node->u; j < node->u + node->u_count; j++)
      out[j] = vec3_dot(self->axis[j].v, force[k].f) + vec3_dot(self->axis[j].w, force[k].n);
    if (node->parent < 0) continue;
    hn_tree_wrench *up = &force[node->parent];
    up->f = vec3_add(up->f, force[k].f);
    up->n = vec3_add(up->n, force[k].n);
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
