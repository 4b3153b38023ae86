// Choosing the nodes: see natural/nodes.h. Bodies are taken breadth first from ground, those with many
// joints first among their neighbors' unconnected rest, each after one it can share with.
#include "equations/natural/nodes.h"

#include <string.h>

#include "elements/joints.h"
#include "linalg/rank.h"
#include "model/joint_types.h"

enum { F, G, H };
enum { MOST_SHARED_TERMS = 12, MOST_OWNERS = 8, MOST_BODY_TERMS = 4 * MOST_SHARED_TERMS };
// An edge is taken when its sine against those taken is above this, a point when it is farther from
// the reference than this part of the body's size; an axis of the body itself always offers 0.57.
#define SHARED_SINE 0.15
#define AUXILIARY_SINE 0.57
#define NEAREST 0.05
// Axes of a joint are one vector when they are given within about 25 degrees of each other; what is
// given worse, or the other way around, keeps its rows instead: assembly turns it the right way.
#define SAME_AXIS 0.9
#define NOTHING 1e-12

// Columns a joint makes common.
typedef struct sharing {
  int point;
  int axes; // bits of F, G, H
} sharing;

static sharing shared_by(hn_joint_type type) {
  static const int axes[] = {0, 1 << H, 1 << F | 1 << G | 1 << H};
  return (sharing){hn_joint_shares_point(type), axes[hn_joint_shares_axes(type)]};
}

// One column of a body while it is being chosen: a sum of nodes and who else keeps it rigid.
typedef struct column {
  int is_point;
  hn_vec3 s; // point or vector in body axes
  int count;
  int node[MOST_SHARED_TERMS];
  double coefficient[MOST_SHARED_TERMS];
  hn_vec3 constant;
  int owner_count;
  int owner[MOST_OWNERS]; // bodies in which it is fixed, besides the current one
} column;

typedef struct builder {
  const hn_model *model;
  const hn_elements *elements;
  hn_natural_nodes *out;
  hn_frame *drawn;
  unsigned char *done;
  int *joint_start, *joint_of; // joints of a body
  int (*owners)[MOST_OWNERS];  // of each node
  int *owner_count;
  column columns[4]; // of the current body: the reference point, then edges
  int column_count;
  hn_vec3 edges[3]; // orthonormal directions of the edges taken
} builder;

// ---- sums of nodes ------------------------------------------------------------------------------

static int is_small(double x) { return fabs(x) < NOTHING; }

// x + w r + A s of a body, as a sum of nodes; 0 when it has too many.
static int express(const builder *b, int body, int is_point, hn_vec3 s, column *out) {
  const hn_natural_body *from = &b->out->bodies[body];
  double w = is_point, weight[4] = {w, s.x, s.y, s.z};
  out->count = 0;
  out->constant = vec3_zero();
  for (int k = 0; k < 4; k++)
    out->constant = vec3_add_scaled(out->constant, weight[k], from->constant[k]);
  for (int k = from->start; k < from->start + from->count; k++) {
    const hn_natural_term *term = &b->out->terms[k];
    double c = 0;
    for (int i = 0; i < 4; i++) c += weight[i] * term->c[i];
    if (is_small(c)) continue;
    if (out->count == MOST_SHARED_TERMS) return 0;
    out->node[out->count] = term->node;
    out->coefficient[out->count++] = is_small(c - 1) ? 1 : c;
  }
  return 1;
}

static void add_owner(column *c, int body) {
  for (int k = 0; k < c->owner_count; k++)
    if (c->owner[k] == body) return;
  if (c->owner_count < MOST_OWNERS) c->owner[c->owner_count++] = body;
}

static int is_node(const column *c) {
  return c->count == 1 && c->coefficient[0] == 1 && vec3_norm(c->constant) == 0;
}

// Who keeps the column: the body it comes from, ground when nothing moves it, and, when it is a node,
// everybody who has that node.
static void find_owners(const builder *b, int from, column *c) {
  c->owner_count = 0;
  add_owner(c, from);
  if (c->count == 0) add_owner(c, HN_GROUND);
  if (!is_node(c)) return;
  int node = c->node[0];
  for (int k = 0; k < b->owner_count[node]; k++) add_owner(c, b->owners[node][k]);
}

// ---- taking columns -----------------------------------------------------------------------------

static double body_size(const builder *b, int body, hn_vec3 from) {
  double size = 0;
  for (int k = b->joint_start[body]; k < b->joint_start[body + 1]; k++) {
    const hn_joint_def *joint = &b->model->joints[b->joint_of[k]];
    hn_vec3 p = joint->frame1.body == body ? joint->frame1.position : joint->frame2.position;
    double distance = vec3_norm(vec3_sub(p, from));
    if (distance > size) size = distance;
  }
  return size;
}

// The part of the direction outside the span of the edges taken, for a unit direction.
static double sine_to_edges(const builder *b, hn_vec3 direction, hn_vec3 *rest) {
  *rest = direction;
  for (int k = 0; k < b->column_count - 1; k++)
    *rest = vec3_add_scaled(*rest, -vec3_dot(direction, b->edges[k]), b->edges[k]);
  return vec3_norm(*rest);
}

// Takes the column as an edge when it is far enough from those taken.
static int take_edge(builder *b, int body, const column *c, double least_sine) {
  if (b->column_count == 0 || b->column_count == 4) return 0;
  hn_vec3 direction = c->s, rest;
  if (c->is_point) {
    direction = vec3_sub(c->s, b->columns[0].s);
    double length = vec3_norm(direction);
    if (length <= NEAREST * body_size(b, body, b->columns[0].s) || length == 0) return 0;
  }
  direction = vec3_unit(direction);
  double sine = sine_to_edges(b, direction, &rest);
  if (sine <= least_sine) return 0;
  b->edges[b->column_count - 1] = vec3_unit(rest);
  b->columns[b->column_count++] = *c;
  return 1;
}

static hn_vec3 axis_of(const hn_frame_on_body *frame, int axis) {
  return mat3_column(quat_matrix(frame->orientation), axis);
}

// The column a joint offers to the current body from the other one: the point, or an axis. 0 when
// it does not.
static int offered(const builder *b, const hn_joint_def *joint, int body, int axis, column *out) {
  int side = joint->frame2.body == body;
  const hn_frame_on_body *mine = side ? &joint->frame2 : &joint->frame1;
  const hn_frame_on_body *theirs = side ? &joint->frame1 : &joint->frame2;
  memset(out, 0, sizeof *out);
  out->is_point = axis < 0;
  hn_vec3 other = theirs->position;
  out->s = mine->position;
  if (axis >= 0) {
    hn_vec3 u = mat3_apply(b->drawn[body].a, axis_of(mine, axis));
    other = axis_of(theirs, axis);
    double cosine = vec3_dot(u, mat3_apply(b->drawn[theirs->body].a, other));
    if (cosine < SAME_AXIS) return 0;
    out->s = axis_of(mine, axis);
  }
  if (!express(b, theirs->body, out->is_point, other, out)) return 0;
  find_owners(b, theirs->body, out);
  return 1;
}

static int other_body(const hn_joint_def *joint, int body) {
  return joint->frame1.body == body ? joint->frame2.body : joint->frame1.body;
}

// Rows that hold because the point, or these axes, are the same: a row of two different axes is true in
// the body alone as soon as one of them is common.
static void cover(builder *b, int joint, int point, int axes) {
  const hn_elements *e = b->elements;
  hn_joint_type type = b->model->joints[joint].type;
  for (int r = e->joint_row[joint]; r < e->joint_row[joint + 1]; r++) {
    int axis1, axis2;
    if (!hn_joint_row_axes(type, e->rows[r].place, &axis1, &axis2)) continue;
    if (axis2 < 0)
      b->out->covered[r] |= point != 0;
    else if (axis1 != axis2 && (axes & (1 << axis1 | 1 << axis2)))
      b->out->covered[r] = 1;
  }
}

// ---- one body -----------------------------------------------------------------------------------

// The reference point: shared, else of a joint still to come, else the center of mass.
static void take_reference(builder *b, int body) {
  for (int k = b->joint_start[body]; k < b->joint_start[body + 1]; k++) {
    const hn_joint_def *joint = &b->model->joints[b->joint_of[k]];
    if (!b->done[other_body(joint, body)] || !shared_by(joint->type).point) continue;
    if (offered(b, joint, body, -1, &b->columns[0])) {
      b->column_count = 1;
      cover(b, b->joint_of[k], 1, 0);
      return;
    }
  }
  column own = {.is_point = 1, .count = -1};
  for (int k = b->joint_start[body]; k < b->joint_start[body + 1]; k++) {
    const hn_joint_def *joint = &b->model->joints[b->joint_of[k]];
    if (!shared_by(joint->type).point) continue;
    own.s = joint->frame1.body == body ? joint->frame1.position : joint->frame2.position;
    break;
  }
  b->columns[0] = own;
  b->column_count = 1;
}

static int same_column(const column *a, const column *c) {
  if (a->count != c->count || a->is_point != c->is_point) return 0;
  for (int k = 0; k < a->count; k++)
    if (a->node[k] != c->node[k] || fabs(a->coefficient[k] - c->coefficient[k]) > NOTHING) return 0;
  return vec3_norm(vec3_sub(a->constant, c->constant)) < NOTHING &&
         vec3_norm(vec3_sub(a->s, c->s)) < NOTHING;
}

// A column that is there already, by the same nodes at the same place, is common without being taken
// again (two joints at one point).
static int is_taken(const builder *b, const column *c) {
  for (int k = 0; k < b->column_count; k++)
    if (same_column(&b->columns[k], c)) return 1;
  return 0;
}

static void take_shared(builder *b, int body) {
  for (int k = b->joint_start[body]; k < b->joint_start[body + 1]; k++) {
    const hn_joint_def *joint = &b->model->joints[b->joint_of[k]];
    if (!b->done[other_body(joint, body)]) continue;
    sharing what = shared_by(joint->type);
    column c;
    if (what.point && offered(b, joint, body, -1, &c) &&
        (is_taken(b, &c) || take_edge(b, body, &c, SHARED_SINE)))
      cover(b, b->joint_of[k], 1, 0);
    const int order[3] = {H, F, G}; // the joint's own axis first
    for (int i = 0; i < 3; i++)
      if ((what.axes & 1 << order[i]) && offered(b, joint, body, order[i], &c) &&
          (is_taken(b, &c) || take_edge(b, body, &c, SHARED_SINE)))
        cover(b, b->joint_of[k], 0, 1 << order[i]);
  }
}

// Points and axes of joints still to come, so that they can be shared; then axes of the body.
static void take_own(builder *b, int body) {
  for (int k = b->joint_start[body]; k < b->joint_start[body + 1]; k++) {
    const hn_joint_def *joint = &b->model->joints[b->joint_of[k]];
    if (b->done[other_body(joint, body)]) continue;
    const hn_frame_on_body *mine = joint->frame1.body == body ? &joint->frame1 : &joint->frame2;
    sharing what = shared_by(joint->type);
    if (what.point)
      take_edge(b, body, &(column){.is_point = 1, .s = mine->position, .count = -1}, SHARED_SINE);
    if (what.axes) take_edge(b, body, &(column){.s = axis_of(mine, H), .count = -1}, SHARED_SINE);
  }
  while (b->column_count < 4)
    for (int i = 0; i < 3; i++)
      take_edge(b, body, &(column){.s = vec3(i == 0, i == 1, i == 2), .count = -1}, AUXILIARY_SINE);
}

// Columns without an expression become nodes.
static void make_nodes(builder *b, int body) {
  hn_natural_nodes *out = b->out;
  for (int k = 0; k < 4; k++) {
    column *c = &b->columns[k];
    if (c->count >= 0) {
      if (is_node(c) && b->owner_count[c->node[0]] < MOST_OWNERS)
        b->owners[c->node[0]][b->owner_count[c->node[0]]++] = body;
      continue;
    }
    int node = out->node_count++;
    out->nodes[node] = (hn_natural_node){body, c->is_point, c->s};
    b->owners[node][0] = body;
    b->owner_count[node] = 1;
    c->count = 1;
    c->node[0] = node;
    c->coefficient[0] = 1;
    c->constant = vec3_zero();
    c->owner_count = 0;
  }
}

// inverse (4 x 4) of the columns [1; s] or [0; s]
static void invert_columns(const builder *b, double inverse[4][4]) {
  double a[16];
  int pivots[4];
  for (int j = 0; j < 4; j++) {
    const column *c = &b->columns[j];
    a[4 * j] = c->is_point;
    vec3_store(&a[4 * j + 1], c->s);
  }
  hn_dense_lu(a, 4, pivots);
  for (int j = 0; j < 4; j++) {
    double x[4] = {j == 0, j == 1, j == 2, j == 3};
    hn_dense_lu_solve(a, 4, pivots, x);
    for (int i = 0; i < 4; i++) inverse[i][j] = x[i];
  }
}

// [r A] = X C from the four columns.
static void make_body(builder *b, int body) {
  hn_natural_nodes *out = b->out;
  hn_natural_body *to = &out->bodies[body];
  double c[4][4]; // row: column of the body; column: of [r A]
  invert_columns(b, c);
  to->start = out->term_count;
  to->count = 0;
  for (int i = 0; i < 4; i++) to->constant[i] = vec3_zero();
  for (int k = 0; k < 4; k++) {
    const column *from = &b->columns[k];
    for (int i = 0; i < 4; i++)
      to->constant[i] = vec3_add_scaled(to->constant[i], c[k][i], from->constant);
    for (int n = 0; n < from->count; n++) {
      int at = 0;
      while (at < to->count && out->terms[to->start + at].node != from->node[n]) at++;
      hn_natural_term *term = &out->terms[to->start + at];
      if (at == to->count) {
        *term = (hn_natural_term){from->node[n], {0, 0, 0, 0}};
        to->count++;
      }
      for (int i = 0; i < 4; i++) term->c[i] += c[k][i] * from->coefficient[n];
    }
  }
  out->term_count += to->count;
}

// ---- rigidity -----------------------------------------------------------------------------------

static int owns(const column *c, int body) {
  for (int k = 0; k < c->owner_count; k++)
    if (c->owner[k] == body) return 1;
  return 0;
}

// 1 when some other body keeps both edges, so also their Gram entry.
static int is_implied(const builder *b, int i, int j) {
  const column *reference = &b->columns[0], *a = &b->columns[i], *c = &b->columns[j];
  for (int k = 0; k < a->owner_count; k++) {
    int body = a->owner[k];
    if (!owns(c, body)) continue;
    if ((a->is_point || c->is_point) && !owns(reference, body)) continue;
    return 1;
  }
  return 0;
}

// The edge of a column as a sum: its nodes, less those of the reference when it is a point.
static int make_sum(hn_natural_nodes *out, const column *c, const column *reference) {
  hn_natural_sum *sum = &out->sums[out->sum_count];
  *sum = (hn_natural_sum){out->sum_term_count, 0, c->constant};
  for (int n = 0; n < c->count; n++) {
    out->sum_node[out->sum_term_count] = c->node[n];
    out->sum_coefficient[out->sum_term_count++] = c->coefficient[n];
    sum->count++;
  }
  if (!c->is_point) return out->sum_count++;
  sum->constant = vec3_sub(sum->constant, reference->constant);
  for (int n = 0; n < reference->count; n++) {
    int at = 0;
    while (at < sum->count && out->sum_node[sum->start + at] != reference->node[n]) at++;
    if (at == sum->count) {
      out->sum_node[out->sum_term_count] = reference->node[n];
      out->sum_coefficient[out->sum_term_count++] = 0;
      sum->count++;
    }
    out->sum_coefficient[sum->start + at] -= reference->coefficient[n];
  }
  return out->sum_count++;
}

static void make_grams(builder *b, int body) {
  hn_natural_nodes *out = b->out;
  int sum[4] = {-1, -1, -1, -1};
  hn_vec3 edge[4];
  for (int k = 1; k < 4; k++)
    edge[k] = b->columns[k].is_point ? vec3_sub(b->columns[k].s, b->columns[0].s) : b->columns[k].s;
  for (int i = 1; i < 4; i++)
    for (int j = i; j < 4; j++) {
      if (is_implied(b, i, j)) continue;
      if (sum[i] < 0) sum[i] = make_sum(out, &b->columns[i], &b->columns[0]);
      if (sum[j] < 0) sum[j] = make_sum(out, &b->columns[j], &b->columns[0]);
      out->grams[out->gram_count++] =
          (hn_natural_gram){body, {sum[i], sum[j]}, vec3_dot(edge[i], edge[j])};
    }
}

// ---- all bodies ---------------------------------------------------------------------------------

static void take_body(builder *b, int body) {
  b->column_count = 0;
  take_reference(b, body);
  take_shared(b, body);
  take_own(b, body);
  make_nodes(b, body);
  make_body(b, body);
  make_grams(b, body);
  b->done[body] = 1;
}

// Breadth first; if no remaining body is connected to the finished ones, restarts at the body with
// most joints.
static void take_bodies(builder *b, int *queue) {
  int head = 0, tail = 0, bodies = b->model->body_count;
  unsigned char *queued = b->done + bodies;
  queued[HN_GROUND] = 1;
  queue[tail++] = HN_GROUND;
  for (;;) {
    while (head < tail) {
      int body = queue[head++];
      if (body != HN_GROUND) take_body(b, body);
      for (int k = b->joint_start[body]; k < b->joint_start[body + 1]; k++) {
        int next = other_body(&b->model->joints[b->joint_of[k]], body);
        if (queued[next]) continue;
        queued[next] = 1;
        queue[tail++] = next;
      }
    }
    int start = -1;
    for (int body = 1; body < bodies; body++)
      if (!queued[body] && (start < 0 || b->joint_start[body + 1] - b->joint_start[body] >
                                             b->joint_start[start + 1] - b->joint_start[start]))
        start = body;
    if (start < 0) return;
    queued[start] = 1;
    queue[tail++] = start;
  }
}

static void list_joints(builder *b) {
  const hn_model *model = b->model;
  for (int pass = 0; pass < 2; pass++) {
    for (int j = 0; j < model->joint_count; j++) {
      const hn_joint_def *joint = &model->joints[j];
      if (!hn_joint_joins_bodies(joint->type) || joint->frame1.body == joint->frame2.body) continue;
      if (hn_model_is_conditional(model, HN_SWITCH_JOINT, j)) continue; // what is shared stays so
      const int ends[2] = {joint->frame1.body, joint->frame2.body};
      for (int k = 0; k < 2; k++)
        if (pass == 0)
          b->joint_start[ends[k] + 1]++;
        else
          b->joint_of[b->joint_start[ends[k]]++] = j;
    }
    if (pass == 0)
      for (int k = 0; k < model->body_count; k++) b->joint_start[k + 1] += b->joint_start[k];
  }
  for (int k = model->body_count; k > 0; k--) b->joint_start[k] = b->joint_start[k - 1];
  b->joint_start[0] = 0;
}

hn_status hn_natural_nodes_create(hn_arena *arena, const hn_elements *elements,
                                  hn_natural_nodes **nodes) {
  const hn_model *model = elements->model;
  int bodies = model->body_count;
  hn_natural_nodes *out = HN_TAKE(arena, hn_natural_nodes, 1);
  if (!out) return HN_ERROR_MEMORY;
  out->nodes = HN_TAKE(arena, hn_natural_node, 4 * bodies);
  out->bodies = HN_TAKE(arena, hn_natural_body, bodies);
  out->terms = HN_TAKE(arena, hn_natural_term, MOST_BODY_TERMS * bodies);
  out->sums = HN_TAKE(arena, hn_natural_sum, 3 * bodies);
  out->sum_node = HN_TAKE(arena, int, 3 * 2 * MOST_SHARED_TERMS * bodies);
  out->sum_coefficient = HN_TAKE(arena, double, 3 * 2 * MOST_SHARED_TERMS * bodies);
  out->grams = HN_TAKE(arena, hn_natural_gram, 6 * bodies);
  out->covered = HN_TAKE(arena, unsigned char, elements->row_count);
  hn_arena scratch;
  hn_arena_init(&scratch, &arena->allocator);
  builder b = {.model = model, .elements = elements, .out = out};
  b.drawn = HN_TAKE(&scratch, hn_frame, bodies);
  b.done = HN_TAKE(&scratch, unsigned char, 2 * bodies);
  b.joint_start = HN_TAKE(&scratch, int, bodies + 1);
  b.joint_of = HN_TAKE(&scratch, int, 2 * model->joint_count);
  b.owners = hn_arena_take(&scratch, (size_t)(4 * bodies), sizeof *b.owners);
  b.owner_count = HN_TAKE(&scratch, int, 4 * bodies);
  int *queue = HN_TAKE(&scratch, int, bodies);
  hn_status status = arena->failed || scratch.failed ? HN_ERROR_MEMORY : HN_OK;
  if (status == HN_OK) {
    hn_drawn_frames(model, b.drawn);
    list_joints(&b);
    const hn_vec3 axes[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    memcpy(out->bodies[HN_GROUND].constant, axes, sizeof axes);
    b.done[HN_GROUND] = 1;
    take_bodies(&b, queue);
    *nodes = out;
  }
  hn_arena_release(&scratch);
  return status;
}
