// Inverse dynamics: given accelerations, the wrench each joint carries, inwards along the tree
// (Newton-Euler):
//
//   f = m a + wd x mc + w x (w x mc),  n = I wd + w x I w + mc x a     about the node's origin
//   F = (f, n) - applied + children,   tau = S' F
#include "equations/relative/tree_kernel.h"

// Inwards: what the joints carry, and its share along the speeds.
static void collect(const hn_tree *tree, const hn_tree_motion *motion, hn_tree_wrench *force,
                    double *tau) {
  for (int k = tree->count - 1; k >= 0; k--) {
    const hn_tree_node *node = &tree->nodes[k];
    if (node->kind == HN_LINK_HINGE)
      tau[node->u] = vec3_dot(motion[k].axis, force[k].n);
    else
      hn_tree_project(node, &motion[k], force[k], tau + node->u);
    if (node->parent < 0) continue;
    hn_tree_wrench *up = &force[node->parent];
    up->f = vec3_add(up->f, force[k].f);
    up->n = vec3_add(up->n, vec3_add(force[k].n, vec3_cross(motion[k].d, force[k].f)));
  }
}

static void subtract(hn_tree_wrench *force, const hn_tree_wrench *applied) {
  force->f = vec3_sub(force->f, applied->f);
  force->n = vec3_sub(force->n, applied->n);
}

void hn_tree_bias(const hn_tree *tree, const hn_tree_motion *motion, const hn_tree_wrench *applied,
                  hn_tree_wrench *force, double *tau) {
  for (int k = 0; k < tree->count; k++) {
    const hn_tree_node *node = &tree->nodes[k];
    const hn_tree_motion *m = &motion[k];
    force[k] = node->body ? lane_inertia_force(node, m, m->bias, m->bias_w)
                          : (hn_tree_wrench){vec3_zero(), vec3_zero()};
    if (applied && node->body) subtract(&force[k], &applied[k]);
  }
  collect(tree, motion, force, tau);
}

// Of one node, without what is applied.
HN_IN_LOOP void resist(const hn_tree *tree, int k, const hn_tree_motion *motion,
                       const hn_vec3 *acceleration, const hn_vec3 *angular, hn_tree_wrench *force) {
  const hn_tree_node *node = &tree->nodes[k];
  force[k] = node->body ? lane_inertia_force(node, &motion[k], acceleration[k], angular[k])
                        : (hn_tree_wrench){vec3_zero(), vec3_zero()};
}

static void resist_in_bunches(const hn_tree *tree, const hn_tree_motion *motion,
                              const hn_vec3 *acceleration, const hn_vec3 *angular,
                              hn_tree_wrench *force) {
  for (int i = 0; i < tree->visit_count; i++) {
    const hn_tree_visit *visit = &tree->visits[i];
    if (visit->bunch && hn_tree_bunch_has_bodies(visit->bunch))
      hn_tree_inertia_bunch(visit->bunch, motion, acceleration, angular, force);
    else
      for (int k = 0; k < hn_tree_visit_size(visit); k++)
        resist(tree, hn_tree_visit_node(visit, k), motion, acceleration, angular, force);
  }
}

void hn_tree_inverse(const hn_tree *tree, const hn_tree_motion *motion, const hn_vec3 *acceleration,
                     const hn_vec3 *angular, const hn_tree_wrench *applied, hn_tree_wrench *force,
                     double *tau) {
  if (tree->bunch_count > 0)
    resist_in_bunches(tree, motion, acceleration, angular, force);
  else
    for (int k = 0; k < tree->count; k++) resist(tree, k, motion, acceleration, angular, force);
  for (int k = 0; applied && k < tree->count; k++)
    if (tree->nodes[k].body) subtract(&force[k], &applied[k]);
  collect(tree, motion, force, tau);
}
