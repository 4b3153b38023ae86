// The composite inertia matrix in speeds and its factors. With K_k the inertia of node k and all that
// hangs on it, about the origin of k,
//
//   M_jk = S_j' K_deeper S_k  on one path, else 0                                (Negrut 1998, 3.140)
//   M = L' D L, leaves first: L has the pattern of M, no fill                    (Algorithm 4)
//
// Inverse dynamics: given accelerations, the wrench each joint carries, inwards along the tree
// (Newton-Euler):
//
//   f = m a + wd x mc + w x (w x mc),  n = I wd + w x I w + mc x a     about the node's origin
//   F = (f, n) - applied + children,   tau = S' F
#include "equations/relative/sym3.h"
#include "equations/relative/tree.h"
#include "equations/relative/tree_kernel.h"

// The parent's composite += this one, shifted by d.
HN_INLINE void add_shifted(hn_tree_composite *up, const hn_tree_composite *c, hn_vec3 d) {
  hn_vec3 md = vec3_scale(c->mass, d), s = vec3_add(c->moment, md);
  double t = 2 * vec3_dot(d, c->moment) + vec3_dot(d, md);
  up->mass += c->mass;
  up->moment = vec3_add(up->moment, s);
  up->inertia.xx += c->inertia.xx + t - (d.x * s.x + c->moment.x * d.x);
  up->inertia.yy += c->inertia.yy + t - (d.y * s.y + c->moment.y * d.y);
  up->inertia.zz += c->inertia.zz + t - (d.z * s.z + c->moment.z * d.z);
  up->inertia.xy += c->inertia.xy - (d.x * s.y + c->moment.x * d.y);
  up->inertia.xz += c->inertia.xz - (d.x * s.z + c->moment.x * d.z);
  up->inertia.yz += c->inertia.yz - (d.y * s.z + c->moment.y * d.z);
}

static hn_vec3 unit_axis(int i) { return vec3(i == 0, i == 1, i == 2); }

// Speed i of a node as a motion of its origin: linear, angular.
HN_INLINE void column_of(const hn_tree_node *node, const hn_tree_motion *m, int i, hn_vec3 *v,
                         hn_vec3 *w) {
  *v = *w = vec3_zero();
  switch (node->kind) {
  case HN_LINK_HINGE:
  case HN_LINK_SLIDE:
  case HN_LINK_SCREW:
    *v = vec3_scale(node->linear, m->axis);
    *w = vec3_scale(node->angular, m->axis);
    break;
  case HN_LINK_BALL: *w = mat3_column(m->joint, i); break;
  case HN_LINK_FREE:
    if (i < 3)
      *v = unit_axis(i);
    else
      *w = unit_axis(i - 3);
    break;
  case HN_LINK_FIXED: break;
  }
}

// Column of one speed: `at` is its diagonal entry, those before it go towards the root.
HN_INLINE void fill_column(const hn_tree *tree, const hn_tree_motion *motion,
                           const hn_tree_composite *c, int k, int i, double *at) {
  const hn_tree_node *node = &tree->nodes[k];
  hn_vec3 v, w;
  column_of(node, &motion[k], i, &v, &w);
  hn_tree_wrench force = {
      vec3_add(vec3_scale(c->mass, v), vec3_cross(w, c->moment)),
      vec3_add(sym3_apply(c->inertia, w), vec3_cross(c->moment, v)),
  };
  double own[6];
  hn_tree_project(node, &motion[k], force, own);
  for (int j = i; j >= 0; j--) *at-- = own[j];
  int from = k;
  for (int up = node->parent; up >= 0; from = up, up = tree->nodes[up].parent) {
    const hn_tree_node *above = &tree->nodes[up];
    force.n = vec3_add(force.n, vec3_cross(motion[from].d, force.f));
    if (above->kind == HN_LINK_HINGE) {
      *at-- = vec3_dot(motion[up].axis, force.n);
      continue;
    }
    hn_tree_project(above, &motion[up], force, own);
    for (int j = above->u_count - 1; j >= 0; j--) *at-- = own[j];
  }
}

static void fill_columns(const hn_tree *tree, const hn_tree_motion *motion,
                         hn_tree_composite *composite, double *values) {
  for (int k = tree->count - 1; k >= 0; k--) {
    const hn_tree_node *node = &tree->nodes[k];
    for (int i = 0; i < node->u_count; i++)
      fill_column(tree, motion, &composite[k], k, i,
                  &values[tree->mass_start[node->u + i + 1] - 1]);
    if (node->parent >= 0) add_shifted(&composite[node->parent], &composite[k], motion[k].d);
  }
}

void hn_tree_mass(const hn_tree *tree, const hn_tree_motion *motion, hn_tree_composite *composite,
                  double *values) {
  for (int k = 0; k < tree->count; k++) {
    const hn_tree_node *node = &tree->nodes[k];
    composite[k] = (hn_tree_composite){node->mass, mat3_apply(motion[k].r, node->moment),
                                       sym3_turn(motion[k].r, node->inertia)};
  }
  fill_columns(tree, motion, composite, values);
}

void hn_tree_geometry(const hn_tree *tree, const hn_tree_motion *motion,
                      hn_tree_composite *composite, double rotation, double *values) {
  for (int k = 0; k < tree->count; k++) {
    const hn_tree_node *node = &tree->nodes[k];
    composite[k] = (hn_tree_composite){.mass = 0};
    if (node->body == 0) continue;
    hn_vec3 c = mat3_apply(motion[k].r, node->end->centre);
    double square = vec3_dot(c, c) + rotation;
    composite[k] = (hn_tree_composite){1,
                                       c,
                                       {square - c.x * c.x, square - c.y * c.y, square - c.z * c.z,
                                        -c.x * c.y, -c.x * c.z, -c.y * c.z}};
  }
  fill_columns(tree, motion, composite, values);
}

// ---- factors ------------------------------------------------------------------------------------

// The speeds above a speed are the first ones of its column, and the column of each of them is again
// a beginning of it: entry x of column k and entry y <= x meet at entry y of the column of x.
int hn_tree_factor(const hn_tree *tree, double *values) {
  const int *start = tree->mass_start, *index = tree->mass_index;
  int good = 1;
  for (int k = tree->nu - 1; k >= 0; k--) {
    double *column = &values[start[k]];
    const int *above = &index[start[k]];
    int n = start[k + 1] - start[k] - 1;
    if (!(column[n] > 0)) good = 0;
    double inverse = 1 / column[n];
    column[n] = inverse;
    for (int x = 0; x < n; x++) {
      double *target = &values[start[above[x]]], l = column[x] * inverse;
      for (int y = 0; y <= x; y++) target[y] -= l * column[y];
    }
    for (int x = 0; x < n; x++) column[x] *= inverse;
  }
  return good;
}

void hn_tree_solve(const hn_tree *tree, const double *values, double *x) {
  const int *start = tree->mass_start, *index = tree->mass_index;
  for (int k = tree->nu - 1; k >= 0; k--) {
    int n = start[k + 1] - start[k] - 1;
    const double *column = &values[start[k]];
    const int *above = &index[start[k]];
    for (int i = 0; i < n; i++) x[above[i]] -= column[i] * x[k];
  }
  for (int k = 0; k < tree->nu; k++) {
    int n = start[k + 1] - start[k] - 1;
    const double *column = &values[start[k]];
    const int *above = &index[start[k]];
    double sum = x[k] * column[n];
    for (int i = 0; i < n; i++) sum -= column[i] * x[above[i]];
    x[k] = sum;
  }
}

// Multiplications with the weights that measurements gave them.
double hn_tree_composite_work(const hn_tree *tree, double limit) {
  double work = 0;
  for (int k = 0; k < tree->count && work <= limit; k++) {
    const hn_tree_node *node = &tree->nodes[k];
    int above = 0, steps = 0;
    for (int up = node->u_count ? node->parent : -1; up >= 0; up = tree->nodes[up].parent, steps++)
      above += tree->nodes[up].u_count;
    work += 170; // its own inertia, turned and shifted, and its bias
    for (int i = 0; i < node->u_count; i++) {
      double n = above + i;
      work += 20 + 12.0 * steps + 0.75 * n * (n + 1) + 4 * n;
    }
  }
  return work;
}

// ---- inverse dynamics ---------------------------------------------------------------------------

// Force and torque about the node's origin that its own body needs for this acceleration.
HN_INLINE hn_tree_wrench inertia_force(const hn_tree_node *node, const hn_tree_motion *m, hn_vec3 a,
                                       hn_vec3 wd) {
  // torque in node axes, where the inertia is constant
  const hn_vec3 w_in = mat3_apply_transposed(m->r, m->w), wd_in = mat3_apply_transposed(m->r, wd);
  const hn_vec3 turning =
      vec3_add(sym3_apply(node->inertia, wd_in), vec3_cross(w_in, sym3_apply(node->inertia, w_in)));
  const hn_vec3 moment = mat3_apply(m->r, node->moment);
  const hn_vec3 f =
      vec3_add(vec3_scale(node->mass, a),
               vec3_add(vec3_cross(wd, moment), vec3_cross(m->w, vec3_cross(m->w, moment))));
  return (hn_tree_wrench){f, vec3_add(mat3_apply(m->r, turning), vec3_cross(moment, a))};
}

// Inverse dynamics: wrenches of the bodies, then inwards those that the joints transmit, and their
// projection on the speeds.
HN_INLINE void inverse(int wide, const hn_tree *tree, const hn_tree_motion *motion,
                       const hn_vec3 *acceleration, const hn_vec3 *angular,
                       const hn_tree_wrench *applied, hn_tree_wrench *force, double *tau) {
  (void)wide;
  for (int k = 0; k < tree->count; k++) {
    const hn_tree_motion *m = &motion[k];
    force[k] = (hn_tree_wrench){vec3_zero(), vec3_zero()};
    if (!tree->nodes[k].body) continue;
    force[k] = inertia_force(&tree->nodes[k], m, acceleration ? acceleration[k] : m->bias,
                             acceleration ? angular[k] : m->bias_w);
    if (!applied) continue;
    force[k].f = vec3_sub(force[k].f, applied[k].f);
    force[k].n = vec3_sub(force[k].n, applied[k].n);
  }
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

HN_VARIANTS(inverse,
            (const hn_tree *tree, const hn_tree_motion *motion, const hn_vec3 *acceleration,
             const hn_vec3 *angular, const hn_tree_wrench *applied, hn_tree_wrench *force,
             double *tau),
            (tree, motion, acceleration, angular, applied, force, tau))

void hn_tree_inverse(const hn_tree *tree, const hn_tree_motion *motion, const hn_vec3 *acceleration,
                     const hn_vec3 *angular, const hn_tree_wrench *applied, hn_tree_wrench *force,
                     double *tau) {
  HN_PICK(tree->wide, inverse)(tree, motion, acceleration, angular, applied, force, tau);
}
