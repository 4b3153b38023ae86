// Cut rows inside a step: values, rates, J and tau of joints straight from the motion of nodes
// (relative/cuts_kernel.h), four of a kind at once where the machine has lanes. Joints that are alike
// have the same rows, and the same kinds of nodes between their bodies and the common ancestor. Rows
// that are not of this kind, and blocks on bodies: relative/rows.c.
#include "equations/relative/cuts_kernel.h"

#include <stddef.h>
#include <string.h>

#include "elements/measure_make.h"

enum { LANES = CUT_LANES, ROWS = CUT_ROWS, RECENT = 64 };
typedef struct hn_cut_group cut_group;

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

hn_status hn_relative_make_cuts(hn_arena *arena, hn_relative_set *self) {
  const hn_elements *elements = self->base.elements;
  hn_arena scratch;
  hn_arena_init(&scratch, &arena->allocator);
  self->lanes.groups = HN_TAKE(arena, cut_group, self->cut_count);
  self->lanes.single = HN_TAKE(arena, int, self->cut_count);
  self->lanes.wide = hn_is_wide();
  hn_status status = arena->failed || scratch.failed ? HN_ERROR_MEMORY : HN_OK;
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

void hn_relative_move_cuts(hn_relative_set *self, double t, const hn_frame *frames,
                           const hn_branches *branches) {
  self->factored.has_rows = 0;
  for (int k = 0; k < self->lanes.group_count; k++) {
    const cut_group *g = &self->lanes.groups[k];
    if (self->lanes.wide && g->filled > 1)
      hn_relative_move_group(self, g);
    else
      for (int l = 0; l < g->filled; l++) cut_move_group(self, g, l);
  }
  for (int k = 0; k < self->lanes.single_count; k++)
    hn_relative_evaluate_cut(self, self->lanes.single[k], t, frames, branches);
}
