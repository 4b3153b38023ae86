// Wrenches seen along the speeds of nodes, HN_WIDTH nodes of one kind side by side (math/lanes.h).
#ifndef HN_EQUATIONS_RELATIVE_TREE_KERNEL_H
#define HN_EQUATIONS_RELATIVE_TREE_KERNEL_H

#include "equations/relative/tree.h"
#include "math/lanes.h"

#if HN_WIDTH == 1
typedef hn_tree_wrench lane_wrench;
#else
typedef struct lane_wrench {
  vec f, n;
} lane_wrench;
#endif

HN_KERNEL void lane_put(int adds, num x, int i, double *const to[HN_WIDTH]) {
  HN_UNROLL for (int l = 0; l < HN_WIDTH; l++) to[l][i] =
      adds ? to[l][i] + num_lane(x, l) : num_lane(x, l);
}

HN_KERNEL void lane_put_vector(int adds, vec v, int i, double *const to[HN_WIDTH]) {
  lane_put(adds, v.x, i, to);
  lane_put(adds, v.y, i + 1, to);
  lane_put(adds, v.z, i + 2, to);
}

// S' w, stored or added: as many numbers as the nodes have speeds. axis: of their one speed; of the
// motion of nodes only joint frames are used.
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
