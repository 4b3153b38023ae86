// Loop-closure constraints inside a step: values, rates, J and tau of joints straight from the
// motion of nodes (relative/cuts_kernel.h), four of a kind at once if the processor has vector
// lanes. Joints of the same kind have the same constraints, and the same kinds of nodes between
// their bodies and the common ancestor. A constraint on coordinates of the tree alone, as that of a
// driver or a gear mostly is, is linear in q:
//
//   phi = sum c q_k - constant - law(t),   J = c at u_k,   tau = law''
//
// Constraints of neither kind, and blocks on bodies: relative/rows.c.
#include "equations/relative/cuts_kernel.h"

#include <stddef.h>
#include <string.h>

#include "elements/measure_make.h"

enum { LANES = CUT_LANES, ROWS = CUT_ROWS, RECENT = 64 };
typedef struct hn_cut_group cut_group;

// A constraint on coordinates of the tree: c is its coefficient times the derivative of the
// coordinate by q_k.
typedef struct hn_straight_cut {
  int cut, count;
  struct {
    int q, u, turn; // turn of an angle; -1: a displacement
    int entry;      // in J
    double share, coefficient;
  } term[HN_ROW_MEASURES];
} straight_cut;

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
static void put_in_group(hn_relative_set *self, const cut_group *one) {
  int last = self->lanes.group_count - 1, g = last;
  while (g >= 0 && g > last - RECENT &&
         (self->lanes.groups[g].filled == LANES || !is_alike(&self->lanes.groups[g], one)))
    g--;
  if (g < 0 || g == last - RECENT) {
    g = self->lanes.group_count++;
    self->lanes.groups[g] = *one;
    for (int l = 1; l < LANES; l++) put_in_lane(&self->lanes.groups[g], l, one);
  } else {
    put_in_lane(&self->lanes.groups[g], self->lanes.groups[g].filled, one);
  }
  self->lanes.groups[g].filled++;
}

// The nodes whose coordinates measures are; -1: none.
static void find_nodes(const hn_relative_set *self, int *node_of) {
  const hn_elements *elements = self->base.elements;
  for (int k = 0; k < elements->measure_count; k++) node_of[k] = -1;
  for (int j = 0; j < self->base.model->joint_count; j++)
    for (int c = 0; c < HN_COORDINATES; c++) {
      int measure = elements->coordinate[j * HN_COORDINATES + c];
      if (measure < 0 || elements->measures[measure].curve) continue;
      node_of[measure] = hn_relative_coordinate_node(self, j, (hn_coordinate)c);
    }
}

// 1: the row has measures, all of them coordinates of the tree.
static int is_straight(const hn_relative_set *self, int cut, const int *node_of,
                       straight_cut *out) {
  const hn_elements *elements = self->base.elements;
  const hn_row *row = &elements->rows[self->cut_row[cut]];
  *out = (straight_cut){.cut = cut, .count = row->count};
  for (int k = 0; k < row->count; k++) {
    int n = node_of[row->measure[k]], turn = elements->measures[row->measure[k]].turn;
    if (n < 0) return 0;
    const hn_tree_node *node = &self->tree->nodes[n];
    out->term[k].q = node->q;
    out->term[k].u = node->u;
    out->term[k].turn = turn;
    out->term[k].share = turn >= 0 ? 1 : node->linear;
    out->term[k].coefficient = row->coefficient[k];
    int entry = self->j_start[cut];
    while (entry < self->j_start[cut + 1] && self->j_index[entry] != node->u) entry++;
    if (entry == self->j_start[cut + 1]) return 0;
    out->term[k].entry = entry;
  }
  return row->count > 0;
}

static void put_alone(hn_relative_set *self, int cut, const int *node_of) {
  hn_cut_lanes *lanes = &self->lanes;
  if (is_straight(self, cut, node_of, &lanes->straight[lanes->straight_count]))
    lanes->straight_count++;
  else
    lanes->single[lanes->single_count++] = cut;
}

hn_status hn_relative_make_cuts(hn_arena *arena, hn_relative_set *self) {
  const hn_elements *elements = self->base.elements;
  hn_arena scratch;
  hn_arena_init(&scratch, &arena->allocator);
  self->lanes.groups = HN_TAKE(arena, cut_group, self->cut_count);
  self->lanes.single = HN_TAKE(arena, int, self->cut_count);
  self->lanes.straight = HN_TAKE(arena, straight_cut, self->cut_count);
  int *node_of = HN_TAKE(&scratch, int, elements->measure_count);
  self->lanes.wide = hn_is_wide();
  hn_status status = arena->failed || scratch.failed ? HN_ERROR_MEMORY : HN_OK;
  if (status == HN_OK) find_nodes(self, node_of);
  for (int c = 0, count; status == HN_OK && c < self->cut_count; c += count) {
    const hn_row *row = &elements->rows[self->cut_row[c]];
    cut_group one;
    for (count = 1; c + count < self->cut_count && !row->is_driver; count++) {
      const hn_row *next = &elements->rows[self->cut_row[c + count]];
      if (next->is_driver || next->owner != row->owner) break;
    }
    if (describe(self, c, count, &one, arena))
      put_in_group(self, &one);
    else
      for (int k = 0; k < count; k++) put_alone(self, c + k, node_of);
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

int hn_relative_straight_pair(const hn_relative_set *self, int k, hn_straight_pair *out) {
  const straight_cut *s = &self->lanes.straight[k];
  const hn_row *row = &self->base.elements->rows[self->cut_row[s->cut]];
  if (s->count != 2 || row->is_driver) return 0;
  out->cut = s->cut;
  for (int i = 0; i < 2; i++) {
    out->q[i] = s->term[i].q;
    out->u[i] = s->term[i].u;
    out->factor[i] = s->term[i].coefficient * s->term[i].share;
  }
  return 1;
}

// ---- numbers ------------------------------------------------------------------------------------

static void move_straight(hn_relative_set *self, const straight_cut *s, double t, const double *q,
                          const hn_branches *branches) {
  const hn_elements *elements = self->base.elements;
  hn_cartesian_rows *rows = self->base.rows;
  int r = self->cut_row[s->cut];
  const hn_row *row = &elements->rows[r];
  for (int k = self->j_start[s->cut]; k < self->j_start[s->cut + 1]; k++) self->j_values[k] = 0;
  rows->value[r] = rows->rate[r] = rows->time_rate[r] = self->tau[s->cut] = 0;
  if (elements->row_off && elements->row_off[r]) return;
  hn_law_value law =
      hn_row_law(elements, row, t, row->driver >= 0 ? branches->driver[row->driver] : 0);
  double value = -row->constant - law.value, rate = -law.d1;
  if (elements->row_offset) value -= elements->row_offset[r];
  for (int k = 0; k < s->count; k++) {
    double m = s->term[k].share * q[s->term[k].q], c = s->term[k].coefficient;
    if (s->term[k].turn >= 0) m = hn_nearest_turn(m, branches->turns[s->term[k].turn]);
    value += c * m;
    rate += c * s->term[k].share * self->u[s->term[k].u];
    self->j_values[s->term[k].entry] += c * s->term[k].share;
  }
  rows->value[r] = value;
  rows->rate[r] = rate;
  rows->time_rate[r] = -law.d1;
  self->tau[s->cut] = law.d2;
}

void hn_relative_move_cuts(hn_relative_set *self, double t, const double *q, const hn_frame *frames,
                           const hn_branches *branches) {
  self->factored.has_rows = 0;
  for (int k = 0; k < self->lanes.group_count; k++) {
    const cut_group *g = &self->lanes.groups[k];
    if (self->lanes.wide && g->filled > 1)
      hn_relative_move_group(self, g);
    else
      for (int l = 0; l < g->filled; l++) cut_move_group(self, g, l);
  }
  for (int k = 0; k < self->lanes.straight_count; k++)
    move_straight(self, &self->lanes.straight[k], t, q, branches);
  for (int k = 0; k < self->lanes.single_count; k++)
    hn_relative_evaluate_cut(self, self->lanes.single[k], t, frames, branches);
}
