// Nodes of the tree from the joints that span it. A joint frame whose parent side is the joint's
// second body is turned by pi about x at both ends: then angle and displacement of the child against
// the parent are still those of frame 2 against frame 1.
//
// Out of scope: which joints (equations/spanning.c).
#include "equations/relative/tree.h"

// One end of a joint: point and axes in a body's own axes.
typedef struct end {
  hn_vec3 point;
  hn_quat axes;
} end;

static end joint_end(const hn_frame_on_body *frame, int is_turned) {
  hn_quat about_x = {0, 1, 0, 0};
  return (end){frame->position,
               is_turned ? quat_multiply(frame->orientation, about_x) : frame->orientation};
}

static hn_quat turn_of(hn_link_turn turn) {
  double half = sqrt(0.5);
  switch (turn) {
  case HN_LINK_STRAIGHT: break;
  case HN_LINK_CYCLED: return (hn_quat){0.5, 0.5, 0.5, 0.5};
  case HN_LINK_CROSSED: return (hn_quat){0, half, 0, half};
  }
  return quat_identity();
}

static hn_tree_node *add_node(hn_tree *tree, hn_link_kind kind, int parent, int joint) {
  static const int coordinates[] = {1, 1, 1, 4, 7, 0}, speeds[] = {1, 1, 1, 3, 6, 0};
  hn_tree_end *own = &tree->ends[tree->count];
  hn_tree_node *node = &tree->nodes[tree->count++];
  *node = (hn_tree_node){.kind = kind,
                         .parent = parent,
                         .joint = joint,
                         .q = tree->nq,
                         .u = tree->nu,
                         .q_count = coordinates[kind],
                         .u_count = speeds[kind],
                         .angular = kind == HN_LINK_HINGE || kind == HN_LINK_SCREW,
                         .linear = kind == HN_LINK_SLIDE,
                         .end = own};
  *own = (hn_tree_end){.turn_p = quat_identity(), .body_p = quat_identity()};
  tree->nq += node->q_count;
  tree->nu += node->u_count;
  node->ball = tree->quaternions; // of free nodes too, which leave theirs unused
  tree->quaternions += node->q_count > node->u_count;
  return node;
}

// The nodes of a joint. The first one's turn is still to be joined with the parent's end.
static hn_tree_node *add_joint(hn_tree *tree, int parent, int joint, hn_joint_type type) {
  const hn_joint_facts *facts = hn_joint_facts_of(type);
  if (facts->link_count == 0) return add_node(tree, HN_LINK_FREE, parent, joint);
  const int first = tree->count;
  for (int k = 0; k < facts->link_count; k++) {
    const hn_joint_link *link = &facts->links[k];
    hn_tree_node *node = add_node(tree, link->kind, k == 0 ? parent : tree->count - 1, joint);
    node->end->turn_p = turn_of(link->turn);
    if (link->kind == HN_LINK_SCREW) node->linear = tree->model->joints[joint].pitch / (2 * HN_PI);
  }
  return &tree->nodes[first];
}

// Mass, moment and inertia about the node's origin in its axes; `at` is the joint on this body.
static void put_body(hn_tree_node *node, const hn_model *model, int body, end at) {
  const hn_body_def *def = &model->bodies[body];
  hn_mat3 axes = quat_matrix(at.axes), back = mat3_transpose(axes);
  hn_vec3 c = vec3_negate(mat3_apply(back, at.point));
  hn_mat3 i = mat3_multiply(mat3_multiply(back, mat3_symmetric(def->inertia)), axes);
  double m = def->mass, square = vec3_dot(c, c);
  node->body = body;
  node->mass = m;
  node->end->centre = c;
  node->moment = vec3_scale(m, c);
  node->inertia = (hn_sym3){i.m[0][0] + m * (square - c.x * c.x),
                            i.m[1][1] + m * (square - c.y * c.y),
                            i.m[2][2] + m * (square - c.z * c.z),
                            i.m[0][1] - m * c.x * c.y,
                            i.m[0][2] - m * c.x * c.z,
                            i.m[1][2] - m * c.y * c.z};
  node->end->body_axes = back;
  node->end->body_p = quat_conjugate(at.axes);
}

// at: where each body hangs, in its own axes.
static void add_body(hn_tree *tree, const hn_spanning *span, int body, end *at) {
  const hn_model *model = tree->model;
  int joint = span->via[body], up = span->parent[body];
  end on_parent = {vec3_zero(), quat_identity()}, on_body = on_parent;
  hn_joint_type type = HN_JOINT_FREE;
  if (joint >= 0) {
    const hn_joint_def *def = &model->joints[joint];
    int is_turned = def->frame2.body == up;
    type = def->type;
    on_parent = joint_end(is_turned ? &def->frame2 : &def->frame1, is_turned);
    on_body = joint_end(is_turned ? &def->frame1 : &def->frame2, is_turned);
  }
  hn_tree_node *first = add_joint(tree, up == HN_GROUND ? -1 : tree->body_node[up], joint, type);
  hn_quat back = quat_conjugate(at[up].axes);
  first->end->turn_p =
      quat_unit(quat_multiply(quat_multiply(back, on_parent.axes), first->end->turn_p));
  first->arm = mat3_apply(quat_matrix(back), vec3_sub(on_parent.point, at[up].point));
  int last = tree->count - 1;
  put_body(&tree->nodes[last], model, body, on_body);
  tree->body_node[body] = last;
  if (joint >= 0) tree->joint_node[joint] = last;
  at[body] = on_body;
}

// Bodies depth first: a branch stands together, and its factors too. stack, next, sibling: scratch.
static void depth_first(const hn_model *model, const hn_spanning *span, int *first, int *sibling,
                        int *stack, int *order) {
  int bodies = model->body_count, count = 0, top = 0;
  for (int b = 0; b < bodies; b++) first[b] = sibling[b] = -1;
  for (int k = bodies - 2; k >= 0; k--) {
    int b = span->order[k], up = span->parent[b];
    sibling[b] = first[up];
    first[up] = b;
  }
  stack[top++] = HN_GROUND;
  while (top > 0) {
    int b = stack[--top];
    if (b != HN_GROUND) {
      order[count++] = b;
      if (sibling[b] >= 0) stack[top++] = sibling[b];
    }
    if (first[b] >= 0) stack[top++] = first[b];
  }
}

static void find_depth(hn_tree *tree, int *speeds_above) {
  for (int k = 0; k < tree->count; k++) tree->nodes[k].is_leaf = 1;
  for (int k = tree->count - 1; k >= 0; k--) {
    int up = tree->nodes[k].parent;
    if (up < 0) continue;
    tree->nodes[k].is_last = tree->nodes[up].is_leaf;
    tree->nodes[up].is_leaf = 0;
  }
  for (int k = 0; k < tree->count; k++) {
    const hn_tree_node *node = &tree->nodes[k];
    speeds_above[k] = (node->parent < 0 ? 0 : speeds_above[node->parent]) + node->u_count;
    if (speeds_above[k] > tree->depth) tree->depth = speeds_above[k];
  }
}

// Coordinates with a speed of their own, and the others.
static hn_status list_coordinates(hn_arena *arena, hn_tree *tree) {
  tree->plain = HN_TAKE(arena, hn_tree_plain, tree->nu);
  tree->quaternion_node = HN_TAKE(arena, int, tree->quaternions);
  if (arena->failed) return HN_ERROR_MEMORY;
  for (int k = 0, turning = 0; k < tree->count; k++) {
    const hn_tree_node *node = &tree->nodes[k];
    const int plain = node->kind == HN_LINK_FREE ? 3 : node->u_count == 1;
    for (int i = 0; i < plain; i++)
      tree->plain[tree->plain_count++] = (hn_tree_plain){node->q + i, node->u + i};
    if (node->q_count > node->u_count) tree->quaternion_node[turning++] = k;
  }
  return HN_OK;
}

hn_status hn_tree_create(hn_arena *arena, const hn_model *model, hn_hanging hanging,
                         hn_tree **tree) {
  hn_tree *t = HN_TAKE(arena, hn_tree, 1);
  hn_arena scratch;
  hn_spanning span;
  hn_arena_init(&scratch, &arena->allocator);
  int bodies = model->body_count;
  int *room[4];
  for (int k = 0; k < 4; k++) room[k] = HN_TAKE(&scratch, int, 3 * bodies);
  end *at = HN_TAKE(&scratch, end, bodies);
  hn_status status = hn_span_create(&scratch, model, hanging, &span);
  if (status == HN_OK && t) {
    t->model = model;
    t->wide = hn_is_wide();
    t->nodes = HN_TAKE(arena, hn_tree_node, 3 * bodies);
    t->ends = HN_TAKE(arena, hn_tree_end, 3 * bodies);
    t->body_node = HN_TAKE(arena, int, bodies);
    t->body_sign = HN_TAKE(arena, signed char, bodies);
    t->joint_node = HN_TAKE(arena, int, model->joint_count);
  }
  if (arena->failed || scratch.failed) status = HN_ERROR_MEMORY;
  if (status == HN_OK) {
    for (int j = 0; j < model->joint_count; j++) t->joint_node[j] = -1;
    t->body_node[HN_GROUND] = -1;
    at[HN_GROUND] = (end){vec3_zero(), quat_identity()};
    depth_first(model, &span, room[0], room[1], room[2], room[3]);
    for (int k = 0; k < bodies - 1; k++) add_body(t, &span, room[3][k], at);
    for (int k = 0; k < t->count; k++) t->nodes[k].turn = quat_matrix(t->ends[k].turn_p);
    for (int b = 0; b < bodies; b++) t->body_sign[b] = 1;
    find_depth(t, room[0]);
    status = list_coordinates(arena, t);
    *tree = t;
  }
  hn_arena_release(&scratch);
  return status;
}

int hn_tree_resists(const hn_tree *tree, int body) {
  const hn_tree_node *node = &tree->nodes[tree->body_node[body]];
  // nodes inside a joint have nothing but what this body gives them
  if (!(node->mass > 0) || (node->parent >= 0 && tree->nodes[node->parent].body == 0)) return 0;
  if (node->u_count == 0) return 1;
  const hn_sym3 *i = &node->inertia;
  double about = i->zz, size = (i->xx + i->yy + i->zz) / 3;
  double turn = node->angular * node->angular, slide = node->linear * node->linear;
  return node->u_count == 1 && ((turn > 0 && about > 1e-6 * size) || (slide > 0 && !(turn > 0)));
}

hn_status hn_tree_make_mass_pattern(hn_arena *arena, hn_tree *tree) {
  size_t entries = 0;
  int *above = HN_TAKE(arena, int, tree->count);
  tree->mass_start = HN_TAKE(arena, int, tree->nu + 1);
  if (arena->failed) return HN_ERROR_MEMORY;
  for (int k = 0; k < tree->count; k++) {
    const hn_tree_node *node = &tree->nodes[k];
    above[k] = node->parent < 0 ? 0 : above[node->parent] + tree->nodes[node->parent].u_count;
    for (int i = 0; i < node->u_count; i++) entries += (size_t)(above[k] + i + 1);
  }
  if (entries > 200u * 1000 * 1000) return HN_ERROR_MEMORY;
  tree->mass_index = HN_TAKE(arena, int, entries);
  if (arena->failed) return HN_ERROR_MEMORY;
  int at = 0;
  for (int k = 0; k < tree->count; k++) {
    const hn_tree_node *node = &tree->nodes[k];
    for (int i = 0; i < node->u_count; i++) {
      int end_at = at + above[k] + i + 1, fill = end_at - 1;
      tree->mass_start[node->u + i] = at;
      for (int j = i; j >= 0; j--) tree->mass_index[fill--] = node->u + j;
      for (int up = node->parent; up >= 0; up = tree->nodes[up].parent)
        for (int j = tree->nodes[up].u_count - 1; j >= 0; j--)
          tree->mass_index[fill--] = tree->nodes[up].u + j;
      at = end_at;
    }
  }
  tree->mass_start[tree->nu] = at;
  return HN_OK;
}
