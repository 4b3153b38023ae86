// Forward dynamics in linear time: articulated inertias inwards, accelerations outwards
// (Featherstone). Accelerations are counted from the bias ones, so the inward pass carries no
// velocity terms:
//
//   U = IA S,  D = S' U,  u = tau - S' p,  parent += IA - U D^-1 U',  p + U D^-1 u
//   ud = D^-1 (u - U' change_parent)
#include <string.h>

#include "equations/relative/sym3.h"
#include "equations/relative/tree.h"
#include "linalg/small.h"

HN_INLINE void begin_node(const hn_tree_node *node, const hn_tree_motion *m,
                          const hn_tree_wrench *applied, hn_tree_articulated *a) {
  if (node->body == 0) {
    memset(a, 0, sizeof *a);
    return;
  }
  hn_vec3 mr = mat3_apply(m->r, node->moment);
  hn_sym3 i = sym3_turn(m->r, node->inertia);
  a->a = i;
  a->b = mat3_skew(mr);
  a->c = (hn_sym3){node->mass, node->mass, node->mass, 0, 0, 0};
  hn_vec3 f = vec3_add(vec3_scale(node->mass, m->bias),
                       vec3_add(vec3_cross(m->bias_w, mr), vec3_cross(m->w, vec3_cross(m->w, mr))));
  hn_vec3 n = vec3_add(vec3_add(sym3_apply(i, m->bias_w), vec3_cross(m->w, sym3_apply(i, m->w))),
                       vec3_cross(mr, m->bias));
  if (applied) {
    f = vec3_sub(f, applied->f);
    n = vec3_sub(n, applied->n);
  }
  a->p = (hn_tree_wrench){f, n};
}

// The parent += this one, shifted by d: b' = b + d~ c, a' = a + d~ b^T - b' d~.
HN_INLINE void add_shifted(const hn_tree_articulated *s, hn_vec3 d, hn_tree_articulated *up) {
  hn_sym3 c = s->c;
  hn_vec3 c0 = vec3_cross(d, vec3(c.xx, c.xy, c.xz)), c1 = vec3_cross(d, vec3(c.xy, c.yy, c.yz)),
          c2 = vec3_cross(d, vec3(c.xz, c.yz, c.zz));
  const double(*b)[3] = s->b.m;
  hn_vec3 ba = {b[0][0], b[0][1], b[0][2]}, bb = {b[1][0], b[1][1], b[1][2]},
          bc = {b[2][0], b[2][1], b[2][2]};
  hn_vec3 na = {ba.x + c0.x, ba.y + c1.x, ba.z + c2.x},
          nb = {bb.x + c0.y, bb.y + c1.y, bb.z + c2.y},
          nc = {bc.x + c0.z, bc.y + c1.z, bc.z + c2.z};
  up->a.xx += s->a.xx + (d.y * ba.z - d.z * ba.y) + (d.y * na.z - d.z * na.y);
  up->a.yy += s->a.yy + (d.z * bb.x - d.x * bb.z) + (d.z * nb.x - d.x * nb.z);
  up->a.zz += s->a.zz + (d.x * bc.y - d.y * bc.x) + (d.x * nc.y - d.y * nc.x);
  up->a.xy += s->a.xy + (d.y * bb.z - d.z * bb.y) + (d.z * na.x - d.x * na.z);
  up->a.xz += s->a.xz + (d.y * bc.z - d.z * bc.y) + (d.x * na.y - d.y * na.x);
  up->a.yz += s->a.yz + (d.z * bc.x - d.x * bc.z) + (d.x * nb.y - d.y * nb.x);
  double(*ub)[3] = up->b.m;
  ub[0][0] += na.x, ub[0][1] += na.y, ub[0][2] += na.z;
  ub[1][0] += nb.x, ub[1][1] += nb.y, ub[1][2] += nb.z;
  ub[2][0] += nc.x, ub[2][1] += nc.y, ub[2][2] += nc.z;
  sym3_add(&up->c, c);
  up->p.f = vec3_add(up->p.f, s->p.f);
  up->p.n = vec3_add(up->p.n, vec3_add(s->p.n, vec3_cross(d, s->p.f)));
}

// Takes out a speed whose column S the articulated inertia turns into (x, y), with S' (x, y) = d and
// u = tau - S' p.
HN_INLINE int take_out(hn_vec3 x, hn_vec3 y, double d, double u, hn_tree_articulated *a) {
  double inverse = 1 / d;
  a->to_torque = x;
  a->to_force = y;
  a->force = u;
  a->inverse = inverse;
  hn_vec3 xr = vec3_scale(inverse, x), yr = vec3_scale(inverse, y);
  sym3_subtract_outer(&a->a, xr, x);
  sym3_subtract_outer(&a->c, yr, y);
  a->b.m[0][0] -= xr.x * y.x, a->b.m[0][1] -= xr.x * y.y, a->b.m[0][2] -= xr.x * y.z;
  a->b.m[1][0] -= xr.y * y.x, a->b.m[1][1] -= xr.y * y.y, a->b.m[1][2] -= xr.y * y.z;
  a->b.m[2][0] -= xr.z * y.x, a->b.m[2][1] -= xr.z * y.y, a->b.m[2][2] -= xr.z * y.z;
  a->p.n = vec3_add_scaled(a->p.n, u, xr);
  a->p.f = vec3_add_scaled(a->p.f, u, yr);
  return d > 0;
}

HN_INLINE int reduce_hinge(hn_vec3 axis, double tau, hn_tree_articulated *a) {
  hn_vec3 x = sym3_apply(a->a, axis), y = mat3_apply_transposed(a->b, axis);
  return take_out(x, y, vec3_dot(axis, x), tau - vec3_dot(axis, a->p.n), a);
}

// Slide and screw.
static int reduce_along(const hn_tree_node *node, hn_vec3 axis, double tau,
                        hn_tree_articulated *a) {
  double angular = node->angular, linear = node->linear;
  hn_vec3 x = vec3_add(vec3_scale(angular, sym3_apply(a->a, axis)),
                       vec3_scale(linear, mat3_apply(a->b, axis)));
  hn_vec3 y = vec3_add(vec3_scale(angular, mat3_apply_transposed(a->b, axis)),
                       vec3_scale(linear, sym3_apply(a->c, axis)));
  double d = angular * vec3_dot(axis, x) + linear * vec3_dot(axis, y);
  double u = tau - angular * vec3_dot(axis, a->p.n) - linear * vec3_dot(axis, a->p.f);
  return take_out(x, y, d, u, a);
}

// Three speeds one after the other, each on the remainder of the ones before. room: two more
// elements that keep the reduction of the first two.
static int reduce_ball(const hn_tree_motion *m, const double *tau, hn_tree_articulated *a,
                       hn_tree_articulated *room) {
  int good = 1;
  for (int i = 0; i < 3; i++) {
    good &= reduce_hinge(mat3_column(m->joint, i), tau ? tau[i] : 0, a);
    if (i < 2) room[i] = *a;
  }
  return good;
}

// [c b'; b a] (v, w) = -(f, n) + tau
static int solve_free(const hn_tree_articulated *a, const double *tau, double *x) {
  double m[6][6] = {{a->c.xx},
                    {a->c.xy, a->c.yy},
                    {a->c.xz, a->c.yz, a->c.zz},
                    {a->b.m[0][0], a->b.m[0][1], a->b.m[0][2], a->a.xx},
                    {a->b.m[1][0], a->b.m[1][1], a->b.m[1][2], a->a.xy, a->a.yy},
                    {a->b.m[2][0], a->b.m[2][1], a->b.m[2][2], a->a.xz, a->a.yz, a->a.zz}};
  vec3_store(x, vec3_negate(a->p.f));
  vec3_store(x + 3, vec3_negate(a->p.n));
  for (int i = 0; tau && i < 6; i++) x[i] += tau[i];
  return hn_solve_six(m, x);
}

HN_INLINE double last_speed(const hn_tree_articulated *a, hn_vec3 v, hn_vec3 w) {
  return (a->force - vec3_dot(a->to_torque, w) - vec3_dot(a->to_force, v)) * a->inverse;
}

// Outwards: v, w are the changes of the parent's acceleration at this node's origin.
HN_INLINE void finish_node(const hn_tree_node *node, const hn_tree_motion *m,
                           const hn_tree_articulated *a, const hn_tree_articulated *room,
                           hn_vec3 *v, hn_vec3 *w, double *ud) {
  switch (node->kind) {
  case HN_LINK_HINGE:
    ud[0] = last_speed(a, *v, *w);
    *w = vec3_add_scaled(*w, ud[0], m->axis);
    break;
  case HN_LINK_SLIDE:
  case HN_LINK_SCREW:
    ud[0] = last_speed(a, *v, *w);
    *w = vec3_add_scaled(*w, node->angular * ud[0], m->axis);
    *v = vec3_add_scaled(*v, node->linear * ud[0], m->axis);
    break;
  case HN_LINK_BALL: // the speed reduced last is found first: the others then move by it
    for (int i = 2; i >= 0; i--) {
      ud[i] = last_speed(i < 2 ? &room[i] : a, *v, *w);
      *w = vec3_add_scaled(*w, ud[i], mat3_column(m->joint, i));
    }
    break;
  case HN_LINK_FREE:
    *v = vec3_load(ud);
    *w = vec3_load(ud + 3);
    break;
  case HN_LINK_FIXED: break;
  }
}

typedef struct forward_work {
  const hn_tree *tree;
  const hn_tree_motion *motion;
  const hn_tree_wrench *applied; // may be null
  const double *tau;             // may be null
  hn_tree_articulated *a, *balls;
  hn_vec3 *change, *change_w;
  double *ud;
  unsigned char *is_bad; // a pivot of the subtree is not positive (subtrees)
} forward_work;

HN_INLINE void begin(const forward_work *w, int k) {
  begin_node(&w->tree->nodes[k], &w->motion[k], w->applied ? &w->applied[k] : NULL, &w->a[k]);
}

// The speeds of a node that has what hangs on it; 0 where it does not resist.
HN_INLINE int reduce(const forward_work *w, int k) {
  const hn_tree_node *node = &w->tree->nodes[k];
  const hn_tree_motion *m = &w->motion[k];
  hn_tree_articulated *a = &w->a[k];
  const double *force = w->tau ? w->tau + node->u : NULL;
  if (node->is_leaf) begin(w, k);
  switch (node->kind) {
  case HN_LINK_HINGE: return reduce_hinge(m->axis, force ? force[0] : 0, a);
  case HN_LINK_SLIDE:
  case HN_LINK_SCREW: return reduce_along(node, m->axis, force ? force[0] : 0, a);
  case HN_LINK_BALL: return reduce_ball(m, force, a, &w->balls[2 * node->ball]);
  case HN_LINK_FREE: return solve_free(a, force, w->ud + node->u);
  case HN_LINK_FIXED: break;
  }
  return 1;
}

HN_INLINE void add_to_parent(const forward_work *w, int k) {
  const hn_tree_node *node = &w->tree->nodes[k];
  int up = node->parent;
  if (up < 0) return;
  // the last one that hangs on a node comes here first: what it finds is that of another state
  if (node->is_last) begin(w, up);
  add_shifted(&w->a[k], w->motion[k].d, &w->a[up]);
}

HN_INLINE void finish(const forward_work *w, int k) {
  const hn_tree_node *node = &w->tree->nodes[k];
  hn_vec3 v = vec3_zero(), turn = v;
  if (node->parent >= 0) {
    turn = w->change_w[node->parent];
    v = vec3_add(w->change[node->parent], vec3_cross(turn, w->motion[k].d));
  }
  finish_node(node, &w->motion[k], &w->a[k], &w->balls[2 * node->ball], &v, &turn, w->ud + node->u);
  w->change[k] = v;
  w->change_w[k] = turn;
}

// Roots of a subtree wait for the trunk to add them.
static void reduce_limb(void *context, const hn_tree_range *limb) {
  const forward_work *w = context;
  int good = 1;
  for (int k = limb->to - 1; k >= limb->from; k--) {
    good &= reduce(w, k);
    if (w->tree->nodes[k].parent >= limb->from) add_to_parent(w, k);
  }
  if (!good) w->is_bad[limb - w->tree->limbs->range] = 1; // seldom: the bytes are of one cache line
}

static void finish_limb(void *context, const hn_tree_range *limb) {
  for (int k = limb->from; k < limb->to; k++) finish(context, k);
}

static int reduce_by_limbs(const forward_work *w) {
  const hn_tree_limbs *limbs = w->tree->limbs;
  int good = 1;
  memset(w->is_bad, 0, (size_t)limbs->count);
  hn_tree_run_limbs(w->tree, reduce_limb, (void *)w);
  for (int i = 0; i < limbs->count; i++) good &= !w->is_bad[i];
  for (int i = limbs->join_count - 1; i >= 0; i--) {
    if (!limbs->join[i].is_limb) good &= reduce(w, limbs->join[i].node);
    add_to_parent(w, limbs->join[i].node);
  }
  return good;
}

int hn_tree_forward(const hn_tree *tree, const hn_tree_motion *motion,
                    const hn_tree_wrench *applied, const double *tau, hn_tree_articulated *room,
                    hn_vec3 *change, hn_vec3 *change_w, double *ud) {
  forward_work w = {tree,    motion,
                    applied, tau,
                    room,    room + tree->count,
                    change,  change_w,
                    ud,      tree->limbs ? tree->limbs->is_bad : NULL};
  int good = 1;
  if (tree->limbs) good = reduce_by_limbs(&w);
  for (int k = tree->limbs ? -1 : tree->count - 1; k >= 0; k--) {
    good &= reduce(&w, k);
    add_to_parent(&w, k);
  }
  hn_tree_run_outwards(tree, finish_limb, &w);
  return good;
}

double hn_tree_articulated_work(const hn_tree *tree) {
  double work = 0;
  for (int k = 0; k < tree->count; k++) {
    const hn_tree_node *node = &tree->nodes[k];
    work += node->kind == HN_LINK_FREE ? 250 : 120 + 100 * node->u_count;
  }
  return work;
}
