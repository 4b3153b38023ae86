// From q and u to the motion of every node, outwards along the tree: relative/tree_kernel.h.
#include "equations/relative/tree_kernel.h"
#include "math/sincos.h"

// Within a step Euler parameters may leave unit length; the pose is that of p/|p|.
static hn_mat3 turn_of(const double *q) { return quat_matrix(quat_unit(quat_load(q))); }

static void move_free(const hn_tree_node *node, const double *q, const double *u, hn_vec3 base,
                      hn_tree_motion *m) {
  m->r = turn_of(q + node->q + 3);
  m->origin = m->d = vec3_load(q + node->q);
  m->velocity = u ? vec3_load(u + node->u) : vec3_zero();
  m->w = u ? vec3_load(u + node->u + 3) : vec3_zero();
  m->bias = base;
  m->bias_w = vec3_zero();
}

static void move_ball(const hn_tree_node *node, const double *q, const double *u,
                      const hn_tree_motion *p, hn_tree_motion *m) {
  lane_move_ball(node, turn_of(q + node->q), u != NULL, u ? vec3_load(u + node->u) : vec3_zero(), p,
                 m);
}

HN_IN_LOOP void move_hinge(const hn_tree_node *node, double value, double speed,
                           const hn_tree_motion *p, hn_tree_motion *m) {
  double s, c;
  hn_sincos(value, &s, &c);
  lane_move_hinge(node, s, c, speed, p, m);
}

// Slide and screw.
static void move_along(const hn_tree_node *node, double value, double speed,
                       const hn_tree_motion *p, hn_tree_motion *m) {
  hn_mat3 joint = mat3_multiply(p->r, node->turn);
  double s = 0, c = 1;
  if (node->kind == HN_LINK_SCREW) hn_sincos(value, &s, &c);
  hn_vec3 axis = mat3_column(joint, 2), rate = vec3_scale(speed, axis);
  hn_vec3 across = vec3_cross(p->w, rate);
  m->axis = axis;
  m->r = lane_turn_z(joint, s, c);
  lane_carry(p, vec3_add_scaled(mat3_apply(p->r, node->arm), node->linear * value, axis), m);
  m->velocity = vec3_add_scaled(m->velocity, node->linear, rate);
  m->bias = vec3_add_scaled(m->bias, 2 * node->linear, across);
  m->w = vec3_add_scaled(p->w, node->angular, rate);
  m->bias_w = vec3_add_scaled(p->bias_w, node->angular, across);
}

HN_IN_LOOP void move_node(const hn_tree *tree, int k, const double *q, const double *u,
                          hn_vec3 base, const hn_tree_motion *ground, hn_tree_motion *motion) {
  const hn_tree_node *node = &tree->nodes[k];
  const hn_tree_motion *p = node->parent < 0 ? ground : &motion[node->parent];
  hn_tree_motion *m = &motion[k];
  switch (node->kind) {
  case HN_LINK_HINGE: move_hinge(node, q[node->q], u ? u[node->u] : 0, p, m); break;
  case HN_LINK_SLIDE:
  case HN_LINK_SCREW: move_along(node, q[node->q], u ? u[node->u] : 0, p, m); break;
  case HN_LINK_BALL: move_ball(node, q, u, p, m); break;
  case HN_LINK_FREE: move_free(node, q, u, base, m); break;
  case HN_LINK_FIXED:
    m->r = mat3_multiply(p->r, node->turn);
    lane_carry(p, mat3_apply(p->r, node->arm), m);
    break;
  }
}

typedef struct move_work {
  const hn_tree *tree;
  const double *q, *u;
  hn_vec3 base;
  hn_tree_motion ground, *motion;
} move_work;

static void move_nodes(const move_work *w, int from, int to) {
  for (int k = from; k < to; k++) move_node(w->tree, k, w->q, w->u, w->base, &w->ground, w->motion);
}

static void move_visits(const move_work *w, int from, int to) {
  for (int i = from; i < to; i++) {
    const hn_tree_visit *visit = &w->tree->visits[i];
    if (visit->bunch)
      hn_tree_move_bunch(visit->bunch, w->q, w->u, w->base, w->motion);
    else
      move_node(w->tree, visit->node, w->q, w->u, w->base, &w->ground, w->motion);
  }
}

static void move_limb(void *context, const hn_tree_range *limb) {
  const move_work *w = context;
  if (w->tree->bunch_count > 0)
    move_visits(w, limb->visit, limb->visit_end);
  else
    move_nodes(w, limb->from, limb->to);
}

void hn_tree_move(const hn_tree *tree, const double *q, const double *u, hn_vec3 base,
                  hn_tree_motion *motion) {
  const hn_tree_limbs *limbs = tree->limbs;
  move_work w = {tree, q, u, base, {.r = mat3_identity(), .bias = base}, motion};
  if (!limbs) {
    if (tree->bunch_count > 0)
      move_visits(&w, 0, tree->visit_count);
    else
      move_nodes(&w, 0, tree->count);
    return;
  }
  for (int i = 0; tree->bunch_count == 0 && i < limbs->trunk_count; i++)
    move_nodes(&w, limbs->trunk[i], limbs->trunk[i] + 1);
  move_visits(&w, 0, limbs->trunk_visits);
  hn_tree_run_limbs(tree, move_limb, &w);
}

// As carry, with d and the origin as they are.
HN_IN_LOOP void carry_rates(const hn_tree_motion *p, hn_tree_motion *m) {
  hn_vec3 turning = vec3_cross(p->w, m->d);
  m->velocity = vec3_add(p->velocity, turning);
  m->bias = vec3_add(vec3_add(p->bias, vec3_cross(p->bias_w, m->d)), vec3_cross(p->w, turning));
  m->w = p->w;
  m->bias_w = p->bias_w;
}

void hn_tree_move_on(const hn_tree *tree, const double *u, hn_vec3 base, hn_tree_motion *motion) {
  const hn_tree_motion ground = {.r = mat3_identity(), .bias = base};
  for (int k = 0; k < tree->count; k++) {
    const hn_tree_node *node = &tree->nodes[k];
    const hn_tree_motion *p = node->parent < 0 ? &ground : &motion[node->parent];
    hn_tree_motion *m = &motion[k];
    if (node->kind == HN_LINK_FREE) {
      m->velocity = vec3_load(u + node->u);
      m->w = vec3_load(u + node->u + 3);
      m->bias = base;
      m->bias_w = vec3_zero();
      continue;
    }
    carry_rates(p, m);
    if (node->kind == HN_LINK_BALL) {
      hn_vec3 w = mat3_apply(m->joint, vec3_load(u + node->u));
      m->bias_w = vec3_add(m->bias_w, vec3_cross(p->w, w));
      m->w = vec3_add(p->w, w);
    } else if (node->kind != HN_LINK_FIXED) {
      hn_vec3 rate = vec3_scale(u[node->u], m->axis), across = vec3_cross(p->w, rate);
      m->velocity = vec3_add_scaled(m->velocity, node->linear, rate);
      m->bias = vec3_add_scaled(m->bias, 2 * node->linear, across);
      m->w = vec3_add_scaled(p->w, node->angular, rate);
      m->bias_w = vec3_add_scaled(p->bias_w, node->angular, across);
    }
  }
}

void hn_tree_accelerate(const hn_tree *tree, const hn_tree_motion *motion, const double *ud,
                        hn_vec3 *acceleration, hn_vec3 *angular) {
  for (int k = 0; k < tree->count; k++) {
    const hn_tree_node *node = &tree->nodes[k];
    const hn_tree_motion *m = &motion[k];
    // the parent's change of acceleration carried to the origin of this node
    hn_vec3 a = vec3_zero(), w = vec3_zero();
    if (node->parent >= 0) {
      w = vec3_sub(angular[node->parent], motion[node->parent].bias_w);
      a = vec3_add(vec3_sub(acceleration[node->parent], motion[node->parent].bias),
                   vec3_cross(w, m->d));
    }
    const double *x = ud + node->u;
    switch (node->kind) {
    case HN_LINK_HINGE:
    case HN_LINK_SLIDE:
    case HN_LINK_SCREW:
      a = vec3_add_scaled(a, node->linear * x[0], m->axis);
      w = vec3_add_scaled(w, node->angular * x[0], m->axis);
      break;
    case HN_LINK_BALL: w = vec3_add(w, mat3_apply(m->joint, vec3_load(x))); break;
    case HN_LINK_FREE:
      a = vec3_load(x);
      w = vec3_load(x + 3);
      break;
    case HN_LINK_FIXED: break;
    }
    acceleration[k] = vec3_add(m->bias, a);
    angular[k] = vec3_add(m->bias_w, w);
  }
}
