// Loop-closure constraints of a group of joints of the same kind, HN_WIDTH of them side by side
// (math/lanes.h), straight from the motion of nodes: values, rates and tau by
// elements/joint_kernel.h with the nodes' origins as reference points, J by wrenches carried up the
// tree.
#ifndef HN_EQUATIONS_RELATIVE_CUTS_KERNEL_H
#define HN_EQUATIONS_RELATIVE_CUTS_KERNEL_H

#include "elements/joint_kernel.h"
#include "equations/relative/relative.h"
#include "equations/relative/tree_kernel.h"

enum { CUT_LANES = 4, CUT_ROWS = 6 };

typedef struct cut_step { // on the way up from one body
  hn_link_kind kind;
  int node[CUT_LANES];
  int entry[CUT_LANES]; // from the start of the row of J
  double linear[CUT_LANES];
} cut_step;

struct hn_cut_group {
  int rows, filled;
  signed char axis1[CUT_ROWS], axis2[CUT_ROWS]; // -1: none
  int is_distance;
  int node[2][CUT_LANES]; // of the bodies, -1: ground
  int has_one[2];         // one for all lanes
  int cut[CUT_ROWS][CUT_LANES];
  double length[CUT_LANES];
  double point[2][3][CUT_LANES];   // in node axes
  double axes[2][3][3][CUT_LANES]; // of the frames
  int step_count[2];
  cut_step *steps[2];
};

typedef struct cut_end { // a body of a joint
  joint_end joint;
  vec d, axis; // of its node
} cut_end;

// Numbers of a node's motion, in the order of hn_tree_motion.
enum { AT_W = 9, AT_BIAS = 12, AT_BIAS_W = 15, AT_D = 18, AT_AXIS = 21, AT_ORIGIN = 24 };
enum { AT_VELOCITY = 27, AT_JOINT = 30, MOTION = 39 };

HN_KERNEL const hn_tree_motion *cut_motion(const hn_tree_motion *motion, int node) {
  static const hn_tree_motion ground = {.r = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};
  return node < 0 ? &ground : &motion[node];
}

// Three numbers of these lanes, from lane `at` on.
HN_KERNEL vec cut_vector(const double v[3][CUT_LANES], int at) {
  return (vec){num_load(v[0] + at), num_load(v[1] + at), num_load(v[2] + at)};
}

HN_KERNEL cut_end cut_end_of(const hn_tree_motion *motion, const struct hn_cut_group *g, int at,
                             int slot) {
  const double *from[HN_WIDTH];
  num n[32];
  cut_end e;
  HN_UNROLL for (int l = 0; l < HN_WIDTH; l++) from[l] =
      &cut_motion(motion, g->node[slot][at + l])->r.m[0][0];
  if (HN_WIDTH > 1 && g->has_one[slot])
    for (int i = 0; i < AT_JOINT; i++) n[i] = num_fill(from[0][i]);
  else
    num_gather(from, 32, n);
  e.joint.r = mat_of(n);
  e.joint.w = vec_of(n + AT_W);
  e.joint.bias = vec_of(n + AT_BIAS);
  e.joint.bias_w = vec_of(n + AT_BIAS_W);
  e.d = vec_of(n + AT_D);
  e.axis = vec_of(n + AT_AXIS);
  e.joint.origin = vec_of(n + AT_ORIGIN);
  e.joint.velocity = vec_of(n + AT_VELOCITY);
  joint_reach(&e.joint, cut_vector(g->point[slot], at));
  return e;
}

// The wrench on a body projected on all joints on its way up.
HN_KERNEL void cut_carry_up(const hn_tree_motion *motion, const struct hn_cut_group *g, int lane,
                            int slot, const int start[HN_WIDTH], lane_wrench w, const cut_end *e,
                            double *j) {
  vec axis = e->axis, d = e->d;
  for (int k = 0; k < g->step_count[slot]; k++) {
    const cut_step *step = &g->steps[slot][k];
    const hn_tree_motion *from[HN_WIDTH];
    const double *moved[HN_WIDTH];
    double *to[HN_WIDTH];
    HN_UNROLL for (int l = 0; l < HN_WIDTH; l++) {
      from[l] = &motion[step->node[lane + l]];
      moved[l] = &from[l]->d.x;
      to[l] = j + start[l] + step->entry[lane + l];
    }
    if (k > 0) {
      num n[8];
      w.n = vec_add(w.n, vec_cross(d, w.f));
      num_gather(moved, 8, n);
      d = vec_of(n);
      axis = vec_of(n + 3);
    }
    lane_project(0, step->kind, num_load(step->linear + lane), from, axis, w, to);
  }
}

HN_KERNEL void cut_store(hn_relative_set *self, const struct hn_cut_group *g, int lane, int k,
                         const joint_row *row, const cut_end *e1, const cut_end *e2) {
  const vec zero = {num_fill(0), num_fill(0), num_fill(0)}, f = row->has_force ? row->f : zero;
  int start[HN_WIDTH];
  HN_UNROLL for (int l = 0; l < HN_WIDTH; l++) {
    const int cut = g->cut[k][lane + l], r = self->cut_row[cut];
    start[l] = self->j_start[cut];
    self->base.rows->value[r] = num_lane(row->value, l);
    self->base.rows->rate[r] = num_lane(row->rate, l);
    self->tau[cut] = -num_lane(row->second, l);
  }
  const lane_wrench on1 = {row->has_force ? vec_negate(f) : zero, row->n1}, on2 = {f, row->n2};
  cut_carry_up(self->motion, g, lane, 0, start, on1, e1, self->j_values);
  cut_carry_up(self->motion, g, lane, 1, start, on2, e2, self->j_values);
}

// Lanes `lane` and following.
HN_KERNEL void cut_move_group(hn_relative_set *self, const struct hn_cut_group *g, int lane) {
  const cut_end e1 = cut_end_of(self->motion, g, lane, 0);
  const cut_end e2 = cut_end_of(self->motion, g, lane, 1);
  const joint_gap d = joint_gap_of(1, &e1.joint, &e2.joint);
  if (g->is_distance) {
    joint_row row = joint_distance(&e1.joint, &e2.joint, &d, num_load(g->length + lane));
    cut_store(self, g, lane, 0, &row, &e1, &e2);
    return;
  }
  const joint_factor displacement = joint_seen(1, &e1.joint, &d);
  joint_factor other = displacement;
  int last = -1;
  for (int k = 0; k < g->rows; k++) {
    const int axis2 = g->axis2[k];
    const vec a = mat_apply(e1.joint.r, cut_vector(g->axes[0][g->axis1[k]], lane));
    if (axis2 >= 0 && axis2 != last) {
      last = axis2;
      const vec b = mat_apply(e2.joint.r, cut_vector(g->axes[1][axis2], lane));
      other = joint_axis_seen(1, &e1.joint, &e2.joint, b);
    }
    joint_row row = axis2 < 0 ? joint_product(1, &e1.joint, &e2.joint, a, &displacement)
                              : joint_product(0, &e1.joint, &e2.joint, a, &other);
    cut_store(self, g, lane, k, &row, &e1, &e2);
  }
}

#endif
