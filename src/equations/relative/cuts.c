// Cut rows inside a step: values, rates, J and tau of up to four joints of one kind at once, one in
// each lane, straight from the motion of nodes. Joints that are alike have the same rows, and the same
// kinds of nodes between their bodies and the common ancestor. With arms s = R p from the nodes'
// origins, all rates at ud = 0 (bias),
//
//   d = o2 + s2 - o1 - s1,  dd, ddd its rates
//   distance      (d.d/l - l)/2   rate e.dd   tau = -dd.dd/l - e.ddd     e = d/l
//   displacement  a.d   a on body 1: rate a.(dd + d x w1), ...           (joint_speeds.c)
//   axes          a.b
//
// A gradient is a wrench (f, n) about the node's origin, carried up the tree as in relative/rows.c,
// which has the rows that are not of this kind, and blocks on bodies.
#include <stddef.h>
#include <string.h>

#include "elements/joint_speeds.h"
#include "elements/measure_make.h"
#include "equations/relative/relative.h"
#include "linalg/lane_vectors.h"

enum { LANES = 4, ROWS = 6, RECENT = 64 };

typedef struct cut_step { // on the way up from one body
  hn_link_kind kind;
  int node[LANES];
  int entry[LANES]; // from the begin of the row of J
  double linear[LANES];
} cut_step;

typedef struct hn_cut_group {
  int rows;
  signed char axis1[ROWS], axis2[ROWS]; // -1: none
  int is_distance;
  int node[2][LANES]; // of the bodies, -1: ground
  int has_one[2];     // one for all lanes
  int cut[ROWS][LANES];
  double length[LANES];
  double point[2][3][LANES];   // in node axes
  double axes[2][3][3][LANES]; // of the frames
  int step_count[2];
  cut_step *steps[2];
} cut_group;

// Numbers of a node's motion, in the order of hn_tree_motion.
enum { AT_R = 0, AT_W = 9, AT_BIAS = 12, AT_BIAS_W = 15, AT_D = 18, AT_AXIS = 21, AT_ORIGIN = 24 };
enum { AT_VELOCITY = 27, AT_JOINT = 30, MOTION = 39 };
_Static_assert(offsetof(hn_tree_motion, w) == AT_W * sizeof(double), "order of motion");
_Static_assert(offsetof(hn_tree_motion, bias) == AT_BIAS * sizeof(double), "order of motion");
_Static_assert(offsetof(hn_tree_motion, bias_w) == AT_BIAS_W * sizeof(double), "order of motion");
_Static_assert(offsetof(hn_tree_motion, d) == AT_D * sizeof(double), "order of motion");
_Static_assert(offsetof(hn_tree_motion, axis) == AT_AXIS * sizeof(double), "order of motion");
_Static_assert(offsetof(hn_tree_motion, origin) == AT_ORIGIN * sizeof(double), "order of motion");
_Static_assert(offsetof(hn_tree_motion, velocity) == AT_VELOCITY * sizeof(double), "motion");
_Static_assert(offsetof(hn_tree_motion, joint) == AT_JOINT * sizeof(double), "order of motion");
_Static_assert(sizeof(hn_tree_motion) == MOTION * sizeof(double), "order of motion");

// ---- set-up -------------------------------------------------------------------------------------

// One joint, in lane 0 of a group of its own.
static int describe(const hn_relative_set *self, int cut, int count, cut_group *g,
                    hn_arena *arena) {
  const hn_elements *elements = self->base.elements;
  const hn_row *row = &elements->rows[self->cut_row[cut]];
  const hn_joint_shape *shape = &self->base.rows->shapes[row->owner];
  const hn_tree *tree = self->tree;
  memset(g, 0, sizeof *g);
  if (row->is_driver || shape->rows == 0 || count > ROWS) return 0;
  g->rows = count;
  g->is_distance = shape->length > 0;
  g->length[0] = shape->length;
  for (int k = 0; k < count; k++) {
    int place = elements->rows[self->cut_row[cut + k]].place;
    if (place < 0 || place >= shape->rows) return 0;
    g->axis1[k] = shape->axis1[place];
    g->axis2[k] = shape->axis2[place];
    g->cut[k][0] = cut + k;
  }
  for (int slot = 0; slot < 2; slot++) {
    int body = shape->body[slot], node = tree->body_node[body], steps = 0;
    const hn_frame_on_body *frame = shape->frame[slot];
    const hn_tree_end *end = node < 0 ? NULL : tree->nodes[node].end;
    g->node[slot][0] = node;
    hn_vec3 p = frame->position;
    if (end) p = vec3_add(end->centre, mat3_apply(end->body_axes, p));
    for (int i = 0; i < 3; i++) {
      hn_vec3 a = frame_axis(frame, i);
      if (end) a = mat3_apply(end->body_axes, a);
      g->point[slot][i][0] = i == 0 ? p.x : i == 1 ? p.y : p.z;
      g->axes[slot][i][0][0] = a.x;
      g->axes[slot][i][1][0] = a.y;
      g->axes[slot][i][2][0] = a.z;
    }
    const hn_walk_step *walk = &self->walks.steps[self->walks.start[cut]];
    int first = self->walks.body_start[cut] + (slot == 1 && shape->body[0] != HN_GROUND);
    int place = body == HN_GROUND ? -1 : self->walks.body_place[first];
    for (int at = place; at >= 0; at = walk[at].up) steps++;
    g->step_count[slot] = steps;
    g->steps[slot] = HN_TAKE(arena, cut_step, steps);
    if (arena->failed) return 0;
    for (int at = place, k = 0; at >= 0; at = walk[at].up, k++) {
      const hn_tree_node *n = &tree->nodes[walk[at].node];
      cut_step *step = &g->steps[slot][k];
      step->kind = n->kind;
      step->node[0] = walk[at].node;
      step->entry[0] = walk[at].entry - self->j_start[cut];
      step->linear[0] = n->linear;
    }
  }
  return 1;
}

static int is_alike(const cut_group *a, const cut_group *b) {
  if (a->rows != b->rows || a->is_distance != b->is_distance) return 0;
  if (memcmp(a->axis1, b->axis1, sizeof a->axis1) != 0) return 0;
  if (memcmp(a->axis2, b->axis2, sizeof a->axis2) != 0) return 0;
  for (int slot = 0; slot < 2; slot++) {
    if (a->step_count[slot] != b->step_count[slot]) return 0;
    for (int k = 0; k < a->step_count[slot]; k++)
      if (a->steps[slot][k].kind != b->steps[slot][k].kind) return 0;
  }
  return 1;
}

// Lane 0 of `from` into lane l.
static void put_in_lane(cut_group *g, int l, const cut_group *from) {
  g->length[l] = from->length[0];
  for (int k = 0; k < g->rows; k++) g->cut[k][l] = from->cut[k][0];
  for (int slot = 0; slot < 2; slot++) {
    g->node[slot][l] = from->node[slot][0];
    for (int i = 0; i < 3; i++) {
      g->point[slot][i][l] = from->point[slot][i][0];
      for (int j = 0; j < 3; j++) g->axes[slot][i][j][l] = from->axes[slot][i][j][0];
    }
    for (int k = 0; k < g->step_count[slot]; k++) {
      cut_step *to = &g->steps[slot][k];
      const cut_step *step = &from->steps[slot][k];
      to->node[l] = step->node[0];
      to->entry[l] = step->entry[0];
      to->linear[l] = step->linear[0];
    }
  }
}

// Into a group alike that has a free lane, one of the last; empty lanes repeat the first.
static void put_in_group(hn_relative_set *self, int *filled, const cut_group *one) {
  int last = self->lanes.group_count - 1, g = last;
  while (g >= 0 && g > last - RECENT &&
         (filled[g] == LANES || !is_alike(&self->lanes.groups[g], one)))
    g--;
  if (g < 0 || g == last - RECENT) {
    g = self->lanes.group_count++;
    self->lanes.groups[g] = *one;
    for (int l = 1; l < LANES; l++) put_in_lane(&self->lanes.groups[g], l, one);
  } else {
    put_in_lane(&self->lanes.groups[g], filled[g], one);
  }
  filled[g]++;
}

hn_status hn_relative_make_cuts(hn_arena *arena, hn_relative_set *self) {
  const hn_elements *elements = self->base.elements;
  hn_arena scratch;
  hn_arena_init(&scratch, &arena->allocator);
  int *filled = HN_TAKE(&scratch, int, self->cut_count);
  self->lanes.groups = HN_TAKE(arena, cut_group, self->cut_count);
  self->lanes.single = HN_TAKE(arena, int, self->cut_count);
  self->lanes.wide = hn_block_wide();
  hn_status status = arena->failed || scratch.failed ? HN_ERROR_MEMORY : HN_OK;
  for (int c = 0, count; status == HN_OK && c < self->cut_count; c += count) {
    const hn_row *row = &elements->rows[self->cut_row[c]];
    cut_group one;
    for (count = 1; c + count < self->cut_count && !row->is_driver; count++) {
      const hn_row *next = &elements->rows[self->cut_row[c + count]];
      if (next->is_driver || next->owner != row->owner) break;
    }
    if (describe(self, c, count, &one, arena))
      put_in_group(self, filled, &one);
    else
      for (int k = 0; k < count; k++) self->lanes.single[self->lanes.single_count++] = c + k;
    if (arena->failed) status = HN_ERROR_MEMORY;
  }
  for (int g = 0; status == HN_OK && g < self->lanes.group_count; g++)
    for (int slot = 0; slot < 2; slot++) {
      const int *node = self->lanes.groups[g].node[slot];
      self->lanes.groups[g].has_one[slot] =
          node[0] == node[1] && node[0] == node[2] && node[0] == node[3];
    }
  hn_arena_release(&scratch);
  return status;
}

// ---- numbers ------------------------------------------------------------------------------------

typedef struct cut_end { // a body of a joint
  hn_matrix4 r;
  hn_vector4 w, bias, bias_w, d, axis, origin, velocity;
  hn_vector4 arm, turn; // of the joint's point, w x arm
} cut_end;

typedef struct cut_wrench {
  hn_vector4 f, n;
} cut_wrench;

static const hn_tree_motion ground = {.r = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};

HN_INLINE const double *numbers_of(const hn_tree_motion *motion, int node) {
  return (const double *)(const void *)(node < 0 ? &ground : &motion[node]);
}

HN_INLINE cut_end end_of(const hn_tree_motion *motion, const cut_group *g, int slot) {
  const double *from[LANES];
  hn_quad n[32];
  cut_end e;
  HN_UNROLL for (int l = 0; l < LANES; l++) from[l] = numbers_of(motion, g->node[slot][l]);
  if (g->has_one[slot]) {
    HN_UNROLL for (int i = 0; i < AT_JOINT; i++) n[i] = quad_fill(from[0][i]);
  } else {
    quad_gather(from, 32, n);
  }
  e.r = matrix_of(n + AT_R);
  e.w = vector_of(n + AT_W);
  e.bias = vector_of(n + AT_BIAS);
  e.bias_w = vector_of(n + AT_BIAS_W);
  e.d = vector_of(n + AT_D);
  e.axis = vector_of(n + AT_AXIS);
  e.origin = vector_of(n + AT_ORIGIN);
  e.velocity = vector_of(n + AT_VELOCITY);
  hn_vector4 p = {quad_load(g->point[slot][0]), quad_load(g->point[slot][1]),
                  quad_load(g->point[slot][2])};
  e.arm = matrix_apply(e.r, p);
  e.turn = vector_cross(e.w, e.arm);
  return e;
}

HN_INLINE hn_vector4 axis_of(const cut_group *g, int slot, int axis, const cut_end *e) {
  const double(*a)[LANES] = g->axes[slot][axis];
  hn_vector4 x = {quad_load(a[0]), quad_load(a[1]), quad_load(a[2])};
  return matrix_apply(e->r, x);
}

// Acceleration of the joint's point by bias.
HN_INLINE hn_vector4 point_bias(const cut_end *e) {
  return vector_add(vector_add(e->bias, vector_cross(e->bias_w, e->arm)),
                    vector_cross(e->w, e->turn));
}

// What a row a . x is made of: see joint_speeds.c; ground of the first body turns by bias too.
typedef struct cut_factor {
  hn_vector4 x, rate, second;
} cut_factor;

HN_INLINE cut_factor seen_from(const cut_end *e1, hn_vector4 x, hn_vector4 xd, hn_vector4 xdd) {
  hn_vector4 turned = vector_cross(x, e1->w);
  hn_vector4 twice = vector_add_scaled(turned, quad_fill(2), xd);
  hn_vector4 second = vector_add(xdd, vector_cross(twice, e1->w));
  return (cut_factor){x, vector_add(xd, turned), vector_add(second, vector_cross(x, e1->bias_w))};
}

HN_INLINE hn_vector4 negate(hn_vector4 a) { return vector_scale(quad_fill(-1), a); }

HN_INLINE void store_lanes(hn_quad x, double *base, const int at[LANES], int more) {
  HN_UNROLL for (int l = 0; l < LANES; l++) base[at[l] + more] = quad_lane(x, l);
}

// The wrench on a body projected on all joints on its way up.
HN_INLINE void carry_up(const hn_tree_motion *motion, const cut_group *g, int slot,
                        const int start[LANES], cut_wrench w, const cut_end *e, double *j) {
  hn_vector4 axis = e->axis, d = e->d;
  for (int k = 0; k < g->step_count[slot]; k++) {
    const cut_step *step = &g->steps[slot][k];
    const double *from[LANES];
    int at[LANES];
    hn_quad n[12];
    HN_UNROLL for (int l = 0; l < LANES; l++) {
      from[l] = numbers_of(motion, step->node[l]);
      at[l] = start[l] + step->entry[l];
    }
    if (k > 0) {
      w.n = vector_add(w.n, vector_cross(d, w.f));
      const double *moved[LANES];
      HN_UNROLL for (int l = 0; l < LANES; l++) moved[l] = from[l] + AT_D;
      quad_gather(moved, 8, n);
      d = vector_of(n);
      axis = vector_of(n + 3);
    }
    switch (step->kind) {
    case HN_LINK_HINGE: store_lanes(vector_dot(axis, w.n), j, at, 0); break;
    case HN_LINK_SLIDE: store_lanes(vector_dot(axis, w.f), j, at, 0); break;
    case HN_LINK_SCREW: {
      hn_vector4 both = vector_add_scaled(w.n, quad_load(step->linear), w.f);
      store_lanes(vector_dot(axis, both), j, at, 0);
      break;
    }
    case HN_LINK_BALL: {
      HN_UNROLL for (int l = 0; l < LANES; l++) from[l] += AT_VELOCITY;
      quad_gather(from, 12, n);
      hn_vector4 x = matrix_apply_transposed(matrix_of(n + (AT_JOINT - AT_VELOCITY)), w.n);
      store_lanes(x.x, j, at, 0);
      store_lanes(x.y, j, at, 1);
      store_lanes(x.z, j, at, 2);
      break;
    }
    case HN_LINK_FREE:
      store_lanes(w.f.x, j, at, 0);
      store_lanes(w.f.y, j, at, 1);
      store_lanes(w.f.z, j, at, 2);
      store_lanes(w.n.x, j, at, 3);
      store_lanes(w.n.y, j, at, 4);
      store_lanes(w.n.z, j, at, 5);
      break;
    case HN_LINK_FIXED: break;
    }
  }
}

// Where the numbers of one row go.
typedef struct cut_row {
  int row[LANES], cut[LANES], start[LANES];
} cut_row;

HN_INLINE cut_row row_of(const hn_relative_set *self, const cut_group *g, int k) {
  cut_row out;
  HN_UNROLL for (int l = 0; l < LANES; l++) {
    out.cut[l] = g->cut[k][l];
    out.row[l] = self->cut_row[out.cut[l]];
    out.start[l] = self->j_start[out.cut[l]];
  }
  return out;
}

HN_INLINE void store_row(hn_relative_set *self, const cut_row *to, hn_quad value, hn_quad rate,
                         hn_quad second) {
  store_lanes(value, self->base.rows->value, to->row, 0);
  store_lanes(rate, self->base.rows->rate, to->row, 0);
  HN_UNROLL for (int l = 0; l < LANES; l++) self->tau[to->cut[l]] = -quad_lane(second, l);
}

HN_INLINE void distance_group(hn_relative_set *self, const cut_group *g, const cut_end *e1,
                              const cut_end *e2, hn_vector4 d, hn_vector4 dd, hn_vector4 ddd) {
  hn_quad length = quad_load(g->length), half = quad_fill(0.5);
  hn_quad inverse = quad_divide(quad_fill(1), length);
  hn_vector4 e = vector_scale(inverse, d);
  hn_quad value = quad_multiply(half, quad_subtract(vector_dot(e, d), length));
  hn_quad second = quad_add(quad_divide(vector_dot(dd, dd), length), vector_dot(e, ddd));
  cut_row to = row_of(self, g, 0);
  store_row(self, &to, value, vector_dot(e, dd), second);
  cut_wrench on2 = {e, vector_cross(e2->arm, e)};
  cut_wrench on1 = {negate(e), vector_cross(e, e1->arm)};
  carry_up(self->motion, g, 0, to.start, on1, e1, self->j_values);
  carry_up(self->motion, g, 1, to.start, on2, e2, self->j_values);
}

HN_INLINE void axes_group(hn_relative_set *self, const cut_group *g, const cut_end *e1,
                          const cut_end *e2, hn_vector4 d, hn_vector4 dd, hn_vector4 ddd) {
  hn_quad none = quad_fill(0);
  hn_vector4 zero = {none, none, none}, reach = vector_add(d, e1->arm);
  cut_factor displacement = seen_from(e1, d, dd, ddd), other = displacement;
  int last = -1;
  for (int k = 0; k < g->rows; k++) {
    const int axis2 = g->axis2[k];
    hn_vector4 a = axis_of(g, 0, g->axis1[k], e1);
    if (axis2 >= 0 && axis2 != last) {
      hn_vector4 b = axis_of(g, 1, last = axis2, e2), bd = vector_cross(e2->w, b);
      hn_vector4 bdd = vector_add(vector_cross(e2->bias_w, b), vector_cross(e2->w, bd));
      other = seen_from(e1, b, bd, bdd);
    }
    const cut_factor *x = axis2 < 0 ? &displacement : &other;
    cut_row to = row_of(self, g, k);
    store_row(self, &to, vector_dot(a, x->x), vector_dot(a, x->rate), vector_dot(a, x->second));
    cut_wrench on1, on2;
    if (axis2 < 0) {
      on2 = (cut_wrench){a, vector_cross(e2->arm, a)};
      on1 = (cut_wrench){negate(a), vector_cross(a, reach)};
    } else {
      hn_vector4 m = vector_cross(a, x->x);
      on1 = (cut_wrench){zero, m};
      on2 = (cut_wrench){zero, negate(m)};
    }
    carry_up(self->motion, g, 0, to.start, on1, e1, self->j_values);
    carry_up(self->motion, g, 1, to.start, on2, e2, self->j_values);
  }
}

HN_INLINE void move_groups(int wide, hn_relative_set *self) {
  (void)wide;
  for (int k = 0; k < self->lanes.group_count; k++) {
    const cut_group *g = &self->lanes.groups[k];
    cut_end e1 = end_of(self->motion, g, 0), e2 = end_of(self->motion, g, 1);
    hn_vector4 d = vector_subtract(vector_add(e2.origin, e2.arm), vector_add(e1.origin, e1.arm));
    hn_vector4 dd =
        vector_subtract(vector_add(e2.velocity, e2.turn), vector_add(e1.velocity, e1.turn));
    hn_vector4 ddd = vector_subtract(point_bias(&e2), point_bias(&e1));
    if (g->is_distance)
      distance_group(self, g, &e1, &e2, d, dd, ddd);
    else
      axes_group(self, g, &e1, &e2, d, dd, ddd);
  }
}

HN_VARIANTS(move_groups, (hn_relative_set * self), (self))

void hn_relative_move_cuts(hn_relative_set *self, double t, const hn_frame *frames,
                           const hn_branches *branches) {
  self->factored.has_rows = 0;
  HN_PICK(self->lanes.wide, move_groups)(self);
  for (int k = 0; k < self->lanes.single_count; k++)
    hn_relative_evaluate_cut(self, self->lanes.single[k], t, frames, branches);
}
