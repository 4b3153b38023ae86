// From q and u to the motion of every node, outwards along the tree:
//
//   R = R_p T A(q),  d = R_p arm + slide,  w = w_p + S_w u,  v = v_p + w_p x d + S_v u
//   bias_w = bias_w_p + w_p x S_w u
//   bias   = bias_p + bias_w_p x d + w_p x (w_p x d) + 2 w_p x S_v u
//
// S is fixed in the parent for every kind of node.
#include "base/variants.h"
#include "equations/relative/tree.h"
#include "math/elementary.h"
#include "math/elementary/sine_lanes.h"

enum { TOGETHER = 16 }; // nodes whose angles are taken together

// Rows of a matrix; the fourth number of each is anything.
typedef struct rows {
  hn_four of[3];
} rows;

// All nine numbers were there for long: what was just written in parts is not read as one.
HN_INLINE rows rows_of(const hn_mat3 *m) {
  const hn_four last = HN_FOUR_OF(&m->m[1][2]);
  return (rows){{HN_FOUR_OF(m->m[0]), HN_FOUR_OF(m->m[1]), HN_MIX4(last, last, 1, 2, 3, 0)}};
}

HN_INLINE rows multiply(const hn_mat3 *a, rows b) {
  rows c;
  HN_UNROLL for (int i = 0; i < 3; i++) c.of[i] =
      a->m[i][0] * b.of[0] + a->m[i][1] * b.of[1] + a->m[i][2] * b.of[2];
  return c;
}

HN_INLINE void store(rows x, hn_mat3 *m) {
  HN_FOUR(m->m[0]) = x.of[0];
  HN_FOUR(m->m[1]) = x.of[1];
  HN_UNROLL for (int j = 0; j < 3; j++) m->m[2][j] = x.of[2][j];
}

HN_INLINE rows turn_z(rows a, double s, double c) {
  const hn_four along = {c, c, 1, 1}, across = {s, -s, 0, 0};
  HN_UNROLL for (int i = 0; i < 3; i++) a.of[i] =
      along * a.of[i] + across * HN_MIX4(a.of[i], a.of[i], 1, 0, 2, 2);
  return a;
}

HN_INLINE hn_vec3 z_of(rows a) { return (hn_vec3){a.of[0][2], a.of[1][2], a.of[2][2]}; }

// Within a step Euler parameters may leave unit length; the pose is that of p/|p|.
HN_INLINE hn_mat3 turn_of(const double *q) { return quat_matrix(quat_unit(quat_load(q))); }

// Common to all nodes on a parent: origin, velocity and bias of a point d away on the parent. biased: a
// constant, 0 leaves accelerations out here and below.
HN_INLINE void carry(int biased, const hn_tree_motion *p, hn_vec3 d, hn_tree_motion *m) {
  const hn_vec3 turning = vec3_cross(p->w, d);
  m->d = d;
  m->origin = vec3_add(p->origin, d);
  m->velocity = vec3_add(p->velocity, turning);
  m->w = p->w;
  if (!biased) return;
  m->bias = vec3_add(vec3_add(p->bias, vec3_cross(p->bias_w, d)), vec3_cross(p->w, turning));
  m->bias_w = p->bias_w;
}

HN_INLINE void move_free(const hn_tree_node *node, const double *q, const double *u, hn_vec3 base,
                         hn_tree_motion *m) {
  m->r = turn_of(q + node->q + 3);
  m->origin = m->d = vec3_load(q + node->q);
  m->velocity = u ? vec3_load(u + node->u) : vec3_zero();
  m->w = u ? vec3_load(u + node->u + 3) : vec3_zero();
  m->bias = base;
  m->bias_w = vec3_zero();
}

// Speeds are in axes of the joint frame.
HN_INLINE void move_ball(int biased, const hn_tree_node *node, const double *q, const double *u,
                         const hn_tree_motion *p, hn_tree_motion *m) {
  store(multiply(&p->r, rows_of(&node->turn)), &m->joint);
  m->r = mat3_multiply(m->joint, turn_of(q + node->q));
  carry(biased, p, mat3_apply(p->r, node->arm), m);
  if (!u) return;
  const hn_vec3 w = mat3_apply(m->joint, vec3_load(u + node->u));
  if (biased) m->bias_w = vec3_add(m->bias_w, vec3_cross(p->w, w));
  m->w = vec3_add(p->w, w);
}

// s, c: sine and cosine of the angle.
HN_INLINE void move_hinge(int biased, const hn_tree_node *node, double s, double c, double speed,
                          const hn_tree_motion *p, hn_tree_motion *m) {
  const rows joint = multiply(&p->r, rows_of(&node->turn));
  const hn_vec3 axis = z_of(joint), rate = vec3_scale(speed, axis);
  m->axis = axis;
  store(turn_z(joint, s, c), &m->r);
  carry(biased, p, mat3_apply(p->r, node->arm), m);
  m->w = vec3_add(p->w, rate);
  if (biased) m->bias_w = vec3_add(p->bias_w, vec3_cross(p->w, rate));
}

// Slide and screw.
HN_INLINE void move_along(int biased, const hn_tree_node *node, double value, double s, double c,
                          double speed, const hn_tree_motion *p, hn_tree_motion *m) {
  const rows joint = multiply(&p->r, rows_of(&node->turn));
  const hn_vec3 axis = z_of(joint), rate = vec3_scale(speed, axis), across = vec3_cross(p->w, rate);
  m->axis = axis;
  store(turn_z(joint, s, c), &m->r);
  carry(biased, p, vec3_add_scaled(mat3_apply(p->r, node->arm), node->linear * value, axis), m);
  m->velocity = vec3_add_scaled(m->velocity, node->linear, rate);
  m->w = vec3_add_scaled(p->w, node->angular, rate);
  if (!biased) return;
  m->bias = vec3_add_scaled(m->bias, 2 * node->linear, across);
  m->bias_w = vec3_add_scaled(p->bias_w, node->angular, across);
}

HN_INLINE void move_node(int biased, const hn_tree *tree, int k, const double *q, const double *u,
                         double sine, double cosine, hn_vec3 base, const hn_tree_motion *ground,
                         hn_tree_motion *motion) {
  const hn_tree_node *node = &tree->nodes[k];
  const hn_tree_motion *p = node->parent < 0 ? ground : &motion[node->parent];
  hn_tree_motion *m = &motion[k];
  const double speed = u && node->u_count == 1 ? u[node->u] : 0;
  switch (node->kind) {
  case HN_LINK_HINGE: move_hinge(biased, node, sine, cosine, speed, p, m); break;
  case HN_LINK_SLIDE: move_along(biased, node, q[node->q], 0, 1, speed, p, m); break;
  case HN_LINK_SCREW: move_along(biased, node, q[node->q], sine, cosine, speed, p, m); break;
  case HN_LINK_BALL: move_ball(biased, node, q, u, p, m); break;
  case HN_LINK_FREE: move_free(node, q, u, base, m); break;
  case HN_LINK_FIXED:
    store(multiply(&p->r, rows_of(&node->turn)), &m->r);
    carry(biased, p, mat3_apply(p->r, node->arm), m);
    break;
  }
}

typedef struct move_work {
  const hn_tree *tree;
  const double *q, *u;
  hn_vec3 base;
  hn_tree_motion ground, *motion;
} move_work;

HN_INLINE void move_together(int biased, const move_work *w, int from, int to) {
  double angle[TOGETHER + 3], sine[TOGETHER + 3], cosine[TOGETHER + 3];
  for (int first = from; first < to; first += TOGETHER) {
    const int last = first + TOGETHER < to ? first + TOGETHER : to;
    int turning = 0;
    for (int k = first; k < last; k++) {
      const hn_tree_node *node = &w->tree->nodes[k];
      if (node->kind == HN_LINK_HINGE || node->kind == HN_LINK_SCREW)
        angle[turning++] = w->q[node->q];
    }
    for (int i = turning; i < turning + 3; i++) angle[i] = sine[i] = cosine[i] = 0;
    for (int i = 0; i < turning; i += 4) hn_sincos_four(&angle[i], &sine[i], &cosine[i]);
    for (int k = first, i = 0; k < last; k++) {
      const hn_link_kind kind = w->tree->nodes[k].kind;
      move_node(biased, w->tree, k, w->q, w->u, sine[i], cosine[i], w->base, &w->ground, w->motion);
      i += kind == HN_LINK_HINGE || kind == HN_LINK_SCREW;
    }
  }
}

HN_INLINE void move_nodes(int wide, const move_work *w, int from, int to) {
  (void)wide;
  move_together(1, w, from, to);
}

HN_INLINE void move_unbiased(int wide, const move_work *w, int from, int to) {
  (void)wide;
  move_together(0, w, from, to);
}

HN_VARIANTS(move_nodes, (const move_work *w, int from, int to), (w, from, to))
HN_VARIANTS(move_unbiased, (const move_work *w, int from, int to), (w, from, to))

static void move_limb(void *context, const hn_tree_range *limb) {
  const move_work *w = context;
  HN_PICK(w->tree->wide, move_nodes)(w, limb->from, limb->to);
}

void hn_tree_move(const hn_tree *tree, const double *q, const double *u, hn_vec3 base,
                  hn_tree_motion *motion) {
  move_work w = {tree, q, u, base, {.r = mat3_identity(), .bias = base}, motion};
  hn_tree_run_outwards(tree, move_limb, &w);
}

// As carry, with given d and origin.
HN_INLINE void carry_rates(const hn_tree_motion *p, hn_tree_motion *m) {
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

// ---- frames, and back ---------------------------------------------------------------------------

// Between the tree and the frames of bodies that elements see, in both directions. Euler parameters
// of bodies are products along the tree, with half the joint angles, so that they are continuous
// in q; their sign is fixed where frames are read.

// Euler parameters of a node against its parent.
static hn_quat node_turn(const hn_tree_node *node, const double *q) {
  switch (node->kind) {
  case HN_LINK_HINGE:
  case HN_LINK_SCREW: {
    double s, c;
    hn_sincos(0.5 * q[node->q], &s, &c);
    return quat_multiply(node->end->turn_p, (hn_quat){c, 0, 0, s});
  }
  case HN_LINK_BALL: return quat_multiply(node->end->turn_p, quat_unit(quat_load(q + node->q)));
  case HN_LINK_FREE: return quat_unit(quat_load(q + node->q + 3));
  case HN_LINK_SLIDE:
  case HN_LINK_FIXED: break;
  }
  return node->end->turn_p;
}

// Of a node with a body: walked upwards to the next body, whose own are known. Nodes inside joints
// have none of their own.
static hn_quat parameters_of(const hn_tree *tree, int k, const double *q, const hn_frame *frames) {
  hn_quat p = node_turn(&tree->nodes[k], q);
  for (int up = tree->nodes[k].parent; up >= 0; up = tree->nodes[up].parent) {
    const hn_tree_node *node = &tree->nodes[up];
    if (node->body > 0) {
      hn_quat of_node = quat_multiply(frames[node->body].p, quat_conjugate(node->end->body_p));
      return quat_multiply(of_node, p);
    }
    p = quat_multiply(node_turn(node, q), p);
  }
  return p;
}

void hn_tree_parameters(const hn_tree *tree, const double *q, hn_frame *frames) {
  for (int k = 0; k < tree->count; k++) {
    const hn_tree_node *node = &tree->nodes[k];
    if (node->body == 0) continue;
    hn_frame *f = &frames[node->body];
    f->p = quat_unit(quat_multiply(parameters_of(tree, k, q, frames), node->end->body_p));
  }
  // signs last: the products above are along unsigned ones
  for (int b = 1; b < tree->model->body_count; b++) {
    frames[b].p = quat_scale(tree->body_sign[b], frames[b].p);
    frames[b].pd = quat_scale(0.5, euler_e_transposed(frames[b].p, frames[b].w));
  }
}

typedef struct frame_work {
  const hn_tree *tree;
  const hn_tree_motion *motion;
  hn_frame *frames;
} frame_work;

// Without Euler parameters.
HN_INLINE void put_frame(const hn_tree_end *end, const hn_tree_motion *m, hn_frame *f) {
  const hn_vec3 centre = mat3_apply(m->r, end->centre);
  f->r = vec3_add(m->origin, centre);
  f->v = vec3_add(m->velocity, vec3_cross(m->w, centre));
  f->w = m->w;
  store(multiply(&m->r, rows_of(&end->body_axes)), &f->a);
}

HN_INLINE void put_frames(int wide, const frame_work *w, int from, int to) {
  (void)wide;
  for (int k = from; k < to; k++) {
    const hn_tree_node *node = &w->tree->nodes[k];
    if (node->body > 0) put_frame(node->end, &w->motion[k], &w->frames[node->body]);
  }
}

HN_VARIANTS(put_frames, (const frame_work *w, int from, int to), (w, from, to))

static void put_limb(void *context, const hn_tree_range *limb) {
  const frame_work *w = context;
  HN_PICK(w->tree->wide, put_frames)(w, limb->from, limb->to);
}

void hn_tree_frames(const hn_tree *tree, const double *q, const hn_tree_motion *motion,
                    hn_frame *frames) {
  frame_work w = {tree, motion, frames};
  hn_frame_of_ground(&frames[HN_GROUND]);
  hn_tree_run_outwards(tree, put_limb, &w);
  if (q) hn_tree_parameters(tree, q, frames);
}

void hn_tree_move_ranges(const hn_tree *tree, const hn_tree_range *ranges, int count,
                         const double *q, const double *u, hn_tree_motion *motion,
                         hn_frame *frames) {
  move_work moves = {tree, q, u, vec3_zero(), {.r = mat3_identity()}, motion};
  frame_work puts = {tree, motion, frames};
  hn_frame_of_ground(&frames[HN_GROUND]);
  for (int k = 0; k < count; k++)
    HN_PICK(tree->wide, move_unbiased)(&moves, ranges[k].from, ranges[k].to);
  for (int k = 0; k < count; k++) put_limb(&puts, &ranges[k]);
}

void hn_tree_frames_on(const hn_tree *tree, const hn_tree_motion *motion, hn_frame *frames) {
  for (int k = 0; k < tree->count; k++) {
    const hn_tree_node *node = &tree->nodes[k];
    if (node->body == 0) continue;
    const hn_tree_motion *m = &motion[k];
    hn_frame *f = &frames[node->body];
    f->v = vec3_add(m->velocity, vec3_cross(m->w, vec3_sub(f->r, m->origin)));
    f->w = m->w;
  }
}

// ---- back ---------------------------------------------------------------------------------------

// Motion of the point and axes of a node's body end.
typedef struct pose {
  hn_vec3 point, velocity, w;
  hn_mat3 axes;
} pose;

static pose node_pose(const hn_tree *tree, int k, const hn_frame *frames) {
  if (k < 0) return (pose){.axes = mat3_identity()};
  const hn_tree_node *node = &tree->nodes[k];
  const hn_frame *f = &frames[node->body];
  hn_mat3 axes = mat3_multiply(f->a, mat3_transpose(node->end->body_axes));
  hn_vec3 arm = vec3_negate(mat3_apply(axes, node->end->centre));
  return (pose){vec3_add(f->r, arm), vec3_add(f->v, vec3_cross(f->w, arm)), f->w, axes};
}

// The pose of a joint's first frame on its parent.
static pose joint_pose(const hn_tree *tree, const hn_tree_node *first, const hn_frame *frames) {
  pose p = node_pose(tree, first->parent, frames);
  hn_vec3 arm = mat3_apply(p.axes, first->arm);
  return (pose){vec3_add(p.point, arm), vec3_add(p.velocity, vec3_cross(p.w, arm)), p.w,
                mat3_multiply(p.axes, first->turn)};
}

static double angle_about_z(hn_mat3 from, hn_mat3 to) {
  hn_vec3 x = mat3_column(to, 0);
  return hn_atan2(vec3_dot(mat3_column(from, 1), x), vec3_dot(mat3_column(from, 0), x));
}

// One node of the chain [first, last] of a joint: `from` is its joint frame at q = 0, moving with
// the node before it; `to` the body's end. Returns the frame after it.
static pose read_node(const hn_tree_node *node, int is_last, pose from, const pose *to, double *q,
                      double *u) {
  hn_vec3 z = mat3_column(from.axes, 2), gap = vec3_sub(to->point, from.point);
  hn_vec3 rate = vec3_sub(vec3_sub(to->velocity, from.velocity), vec3_cross(from.w, gap));
  hn_vec3 w = vec3_sub(to->w, from.w);
  switch (node->kind) {
  case HN_LINK_HINGE:
    if (is_last) {
      q[node->q] = angle_about_z(from.axes, to->axes);
    } else { // the first axis of a universal joint turns until its x is the second axis
      hn_vec3 second = mat3_column(to->axes, 2);
      q[node->q] = hn_atan2(vec3_dot(mat3_column(from.axes, 1), second),
                            vec3_dot(mat3_column(from.axes, 0), second));
    }
    u[node->u] = vec3_dot(z, w);
    break;
  case HN_LINK_SLIDE:
    q[node->q] = vec3_dot(z, gap);
    u[node->u] = vec3_dot(z, rate);
    break;
  case HN_LINK_SCREW: { // the displacement gives the revolutions, the axes the angle
    double turned = vec3_dot(z, gap) / node->linear, angle = angle_about_z(from.axes, to->axes);
    q[node->q] = angle + 2 * HN_PI * nearbyint((turned - angle) / (2 * HN_PI));
    u[node->u] = vec3_dot(z, w);
    break;
  }
  case HN_LINK_BALL: {
    hn_mat3 turn = mat3_multiply(mat3_transpose(from.axes), to->axes);
    quat_store(&q[node->q], quat_from_matrix(turn));
    vec3_store(&u[node->u], mat3_apply_transposed(from.axes, w));
    break;
  }
  case HN_LINK_FREE:
    vec3_store(&q[node->q], to->point);
    quat_store(&q[node->q + 3], quat_from_matrix(to->axes));
    vec3_store(&u[node->u], to->velocity);
    vec3_store(&u[node->u + 3], to->w);
    break;
  case HN_LINK_FIXED: break;
  }
  if (is_last) return from;
  if (node->kind == HN_LINK_SLIDE) {
    hn_vec3 d = vec3_scale(q[node->q], z);
    from.point = vec3_add(from.point, d);
    from.velocity =
        vec3_add(from.velocity, vec3_add(vec3_cross(from.w, d), vec3_scale(u[node->u], z)));
  } else {
    double s, c;
    hn_sincos(q[node->q], &s, &c);
    hn_vec3 x = mat3_column(from.axes, 0), y = mat3_column(from.axes, 1);
    from.w = vec3_add_scaled(from.w, u[node->u], z);
    from.axes = mat3_from_columns(vec3_add(vec3_scale(c, x), vec3_scale(s, y)),
                                  vec3_sub(vec3_scale(c, y), vec3_scale(s, x)), z);
  }
  from.axes = mat3_multiply(from.axes, node[1].turn);
  return from;
}

// Frames determine the signs: products along q are taken without, and compared.
void hn_tree_remember_signs(const hn_tree *tree, const hn_frame *frames, const double *q) {
  for (int k = 0; k < tree->count; k++) {
    const hn_tree_node *node = &tree->nodes[k];
    if (node->body == 0) continue;
    hn_quat p = node_turn(node, q);
    int up = node->parent;
    for (; up >= 0 && tree->nodes[up].body == 0; up = tree->nodes[up].parent)
      p = quat_multiply(node_turn(&tree->nodes[up], q), p);
    if (up >= 0) {
      const hn_tree_node *parent = &tree->nodes[up];
      hn_quat above = quat_scale(tree->body_sign[parent->body], frames[parent->body].p);
      p = quat_multiply(quat_multiply(above, quat_conjugate(parent->end->body_p)), p);
    }
    p = quat_multiply(p, node->end->body_p);
    tree->body_sign[node->body] = quat_dot(p, frames[node->body].p) < 0 ? -1 : 1;
  }
}

void hn_tree_read_frames(const hn_tree *tree, const hn_frame *frames, double *q, double *u) {
  for (int k = 0; k < tree->count;) {
    int last = k;
    while (tree->nodes[last].body == 0) last++;
    pose from = joint_pose(tree, &tree->nodes[k], frames);
    pose to = node_pose(tree, last, frames);
    for (int i = k; i <= last; i++) from = read_node(&tree->nodes[i], i == last, from, &to, q, u);
    k = last + 1;
  }
}
