// One step of the outward recursions, for HN_WIDTH nodes of one kind side by side (math/lanes.h):
//
//   R = R_p T A(q),  d = R_p arm + slide,  w = w_p + S_w u,  v = v_p + w_p x d + S_v u
//   bias_w = bias_w_p + w_p x S_w u
//   bias   = bias_p + bias_w_p x d + w_p x (w_p x d) + 2 w_p x S_v u
//
// S is fixed in the parent for every kind of node. Frames and inertia forces of nodes with bodies too.
#ifndef HN_EQUATIONS_RELATIVE_TREE_KERNEL_H
#define HN_EQUATIONS_RELATIVE_TREE_KERNEL_H

#include "equations/relative/tree.h"
#include "math/lanes.h"

#if HN_WIDTH == 1

typedef hn_tree_node lane_node;
typedef hn_tree_end lane_end;
typedef hn_tree_motion lane_motion;
typedef hn_tree_wrench lane_wrench;
typedef hn_frame lane_frame;
typedef hn_sym3 lane_sym;

#else

typedef struct lane_sym {
  num xx, yy, zz, xy, xz, yz;
} lane_sym;

typedef struct lane_node { // the first numbers of hn_tree_node in their order
  mat turn;
  vec arm;
  num mass;
  vec moment;
  lane_sym inertia;
} lane_node;

typedef struct lane_end { // those of hn_tree_end
  vec centre;
  mat body_axes;
} lane_end;

typedef struct lane_motion { // hn_tree_motion
  mat r;
  vec w, bias, bias_w, d, axis, origin, velocity;
  mat joint;
} lane_motion;

typedef struct lane_wrench {
  vec f, n;
} lane_wrench;

typedef struct lane_frame { // the first numbers of hn_frame
  vec r, v, w;
  mat a;
} lane_frame;

#endif

HN_KERNEL mat lane_turn_z(mat a, num s, num c) {
  mat r;
  HN_UNROLL for (int i = 0; i < 3; i++) {
    r.m[i][0] = c * a.m[i][0] + s * a.m[i][1];
    r.m[i][1] = c * a.m[i][1] - s * a.m[i][0];
    r.m[i][2] = a.m[i][2];
  }
  return r;
}

// What all nodes on a parent share: origin, velocity and bias of a point d away on the parent.
HN_KERNEL void lane_carry(const lane_motion *p, vec d, lane_motion *m) {
  const vec turning = vec_cross(p->w, d);
  m->d = d;
  m->origin = vec_add(p->origin, d);
  m->velocity = vec_add(p->velocity, turning);
  m->bias = vec_add(vec_add(p->bias, vec_cross(p->bias_w, d)), vec_cross(p->w, turning));
  m->w = p->w;
  m->bias_w = p->bias_w;
}

HN_KERNEL void lane_move_hinge(const lane_node *node, num s, num c, num speed, const lane_motion *p,
                               lane_motion *m) {
  const mat joint = mat_multiply(p->r, node->turn);
  const vec axis = mat_column(joint, 2), rate = vec_scale(speed, axis);
  m->axis = axis;
  m->r = lane_turn_z(joint, s, c);
  lane_carry(p, mat_apply(p->r, node->arm), m);
  m->w = vec_add(p->w, rate);
  m->bias_w = vec_add(p->bias_w, vec_cross(p->w, rate));
}

// turn: of the node against its joint frame, in whose axes its speeds are.
HN_KERNEL void lane_move_ball(const lane_node *node, mat turn, int is_moving, vec speed,
                              const lane_motion *p, lane_motion *m) {
  m->joint = mat_multiply(p->r, node->turn);
  m->r = mat_multiply(m->joint, turn);
  lane_carry(p, mat_apply(p->r, node->arm), m);
  if (!is_moving) return;
  const vec w = mat_apply(m->joint, speed);
  m->bias_w = vec_add(m->bias_w, vec_cross(p->w, w));
  m->w = vec_add(p->w, w);
}

// Without Euler parameters.
HN_KERNEL void lane_put_frame(const lane_end *end, const lane_motion *m, lane_frame *f) {
  const vec centre = mat_apply(m->r, end->centre);
  f->r = vec_add(m->origin, centre);
  f->v = vec_add(m->velocity, vec_cross(m->w, centre));
  f->w = m->w;
  f->a = mat_multiply(m->r, end->body_axes);
}

HN_KERNEL vec lane_sym_apply(lane_sym s, vec v) {
  return (vec){s.xx * v.x + s.xy * v.y + s.xz * v.z, s.xy * v.x + s.yy * v.y + s.yz * v.z,
               s.xz * v.x + s.yz * v.y + s.zz * v.z};
}

// Force and torque about the node's origin that its own body needs for this acceleration.
HN_KERNEL lane_wrench lane_inertia_force(const lane_node *node, const lane_motion *m, vec a,
                                         vec wd) {
  // torque in node axes, where the inertia is constant
  const vec w_in = mat_apply_transposed(m->r, m->w), wd_in = mat_apply_transposed(m->r, wd);
  const vec turning = vec_add(lane_sym_apply(node->inertia, wd_in),
                              vec_cross(w_in, lane_sym_apply(node->inertia, w_in)));
  const vec moment = mat_apply(m->r, node->moment);
  const vec f = vec_add(vec_scale(node->mass, a),
                        vec_add(vec_cross(wd, moment), vec_cross(m->w, vec_cross(m->w, moment))));
  return (lane_wrench){f, vec_add(mat_apply(m->r, turning), vec_cross(moment, a))};
}

HN_KERNEL void lane_put(int adds, num x, int i, double *const to[HN_WIDTH]) {
  HN_UNROLL for (int l = 0; l < HN_WIDTH; l++) to[l][i] =
      adds ? to[l][i] + num_lane(x, l) : num_lane(x, l);
}

HN_KERNEL void lane_put_vector(int adds, vec v, int i, double *const to[HN_WIDTH]) {
  lane_put(adds, v.x, i, to);
  lane_put(adds, v.y, i + 1, to);
  lane_put(adds, v.z, i + 2, to);
}

// S' w, where it belongs or added to what is there: as many numbers as the nodes have speeds. axis: of
// their one speed; the motion of nodes is looked at for joint frames alone.
HN_KERNEL void lane_project(int adds, hn_link_kind kind, num linear,
                            const hn_tree_motion *const motion[HN_WIDTH], vec axis, lane_wrench w,
                            double *const to[HN_WIDTH]) {
  switch (kind) {
  case HN_LINK_HINGE: lane_put(adds, vec_dot(axis, w.n), 0, to); break;
  case HN_LINK_SLIDE: lane_put(adds, vec_dot(axis, w.f), 0, to); break;
  case HN_LINK_SCREW: lane_put(adds, vec_dot(axis, vec_add_scaled(w.n, linear, w.f)), 0, to); break;
  case HN_LINK_BALL: {
    const double *from[HN_WIDTH];
    num n[12]; // the velocity before it makes it a multiple of four
    HN_UNROLL for (int l = 0; l < HN_WIDTH; l++) from[l] = &motion[l]->velocity.x;
    num_gather(from, 12, n);
    lane_put_vector(adds, mat_apply_transposed(mat_of(n + 3), w.n), 0, to);
    break;
  }
  case HN_LINK_FREE:
    lane_put_vector(adds, w.f, 0, to);
    lane_put_vector(adds, w.n, 3, to);
    break;
  case HN_LINK_FIXED: break;
  }
}

#if HN_WIDTH == 1
// Of one node (u_count numbers).
HN_KERNEL void hn_tree_project(const hn_tree_node *node, const hn_tree_motion *m, hn_tree_wrench w,
                               double *out) {
  lane_project(0, node->kind, node->linear, &m, m->axis, w, &out);
}
#endif

#endif
