// Loop-closure constraints in joint speeds. The gradient of a constraint on a body is a wrench;
// carried down the tree towards the root and projected on each joint on the path it gives the row
// of J. Every measure depends on the relative pose of two bodies only, so the walk ends below their
// common ancestor.
//
//   Phi_s V ud = tau - Phi_s a_bias        V: joint speeds to speeds of bodies
#include <stdlib.h>

#include "equations/relative/relative.h"
#include "equations/relative/tree_kernel.h"

// ---- set-up -------------------------------------------------------------------------------------

// The nodes a row moves, ascending: parents before children. A parent has a smaller number than its
// child, so of the two ends of a measure the larger one goes up until they meet.
typedef struct walker {
  int *nodes; // (nodes)
  int *seen;  // the last row that has a node (nodes)
  int *place; // of a node in the walk of that row (nodes)
  int count;
} walker;

static void visit_path(const hn_tree *tree, const hn_measure *measure, int stamp, walker *w) {
  int a = tree->body_node[measure->body[0]], b = tree->body_node[measure->body[1]];
  while (a != b) {
    int *deeper = a > b ? &a : &b;
    if (w->seen[*deeper] != stamp) w->nodes[w->count++] = *deeper;
    w->seen[*deeper] = stamp;
    *deeper = tree->nodes[*deeper].parent;
  }
}

static int compare_ints(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

// stamp: another one for each call.
static void visit_row(const hn_relative_set *self, const hn_row *row, int stamp, walker *w) {
  w->count = 0;
  for (int k = 0; k < row->count; k++)
    visit_path(self->tree, &self->base.elements->measures[row->measure[k]], stamp, w);
  qsort(w->nodes, (size_t)w->count, sizeof(int), compare_ints);
  for (int k = 0; k < w->count; k++) w->place[w->nodes[k]] = k;
}

static int place_of(const walker *w, int node, int stamp) {
  return node >= 0 && w->seen[node] == stamp ? w->place[node] : -1;
}

static int is_tree_row(const hn_relative_set *self, const hn_row *row) {
  if (row->is_driver || self->tree->joint_node[row->owner] < 0) return 0;
  return row->place < hn_joint_tree_rows(self->base.model->joints[row->owner].type);
}

static void list_cuts(hn_relative_set *self) {
  const hn_elements *elements = self->base.elements;
  for (int r = 0; r < elements->row_count; r++) {
    self->row_cut[r] = -1;
    if (is_tree_row(self, &elements->rows[r])) continue;
    self->row_cut[r] = self->cut_count;
    self->cut_row[self->cut_count++] = r;
  }
}

static void make_walk(hn_relative_set *self, int cut, int stamp, const walker *w) {
  const hn_tree *tree = self->tree;
  const hn_row *row = &self->base.elements->rows[self->cut_row[cut]];
  int first = self->walks.start[cut], entry = self->j_start[cut];
  for (int k = 0; k < w->count; k++) {
    const hn_tree_node *node = &tree->nodes[w->nodes[k]];
    self->walks.steps[first + k] =
        (hn_walk_step){w->nodes[k], place_of(w, node->parent, stamp), entry};
    for (int i = 0; i < node->u_count; i++) self->j_index[entry++] = node->u + i;
  }
  self->walks.start[cut + 1] = first + w->count;
  self->j_start[cut + 1] = entry;
  for (int k = 0; k < row->body_count; k++)
    self->walks.body_place[self->walks.body_start[cut] + k] =
        place_of(w, tree->body_node[row->body[k]], stamp);
}

static hn_status take_walks(hn_arena *arena, hn_relative_set *self, walker *w) {
  const hn_elements *elements = self->base.elements;
  int steps = 0, entries = 0, bodies = 0;
  self->walks.start = HN_TAKE(arena, int, self->cut_count + 1);
  self->j_start = HN_TAKE(arena, int, self->cut_count + 1);
  self->walks.body_start = HN_TAKE(arena, int, self->cut_count + 1);
  if (arena->failed) return HN_ERROR_MEMORY;
  for (int c = 0; c < self->cut_count; c++) {
    const hn_row *row = &elements->rows[self->cut_row[c]];
    self->walks.body_start[c] = bodies;
    bodies += row->body_count;
    visit_row(self, row, c + 1, w);
    steps += w->count;
    for (int k = 0; k < w->count; k++) entries += self->tree->nodes[w->nodes[k]].u_count;
  }
  self->walks.body_start[self->cut_count] = bodies;
  self->walks.steps = HN_TAKE(arena, hn_walk_step, steps);
  self->walks.body_place = HN_TAKE(arena, int, bodies);
  self->j_index = HN_TAKE(arena, int, entries);
  self->j_values = HN_KEEP(arena, double, entries);
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

hn_status hn_relative_make_rows(hn_arena *arena, hn_relative_set *self) {
  int rows = self->base.elements->row_count, nodes = self->tree->count;
  self->cut_row = HN_TAKE(arena, int, rows);
  self->row_cut = HN_TAKE(arena, int, rows);
  walker w = {.nodes = HN_TAKE(arena, int, nodes),
              .seen = HN_TAKE(arena, int, nodes),
              .place = HN_TAKE(arena, int, nodes)};
  if (arena->failed) return HN_ERROR_MEMORY;
  list_cuts(self);
  self->tau = HN_KEEP(arena, double, self->cut_count);
  self->gap = HN_KEEP(arena, double, self->cut_count);
  self->y = HN_KEEP(arena, double, self->cut_count);
  self->judged.released = HN_KEEP(arena, unsigned char, self->cut_count);
  self->judged.small = HN_KEEP(arena, unsigned char, self->cut_count);
  self->judged.in_loop = HN_TAKE(arena, unsigned char, self->cut_count);
  self->judged.by_mass = HN_KEEP(arena, double, self->cut_count);
  self->judged.by_length = HN_KEEP(arena, double, self->cut_count);
  hn_status status = take_walks(arena, self, &w);
  for (int c = 0; status == HN_OK && c < self->cut_count; c++) {
    int stamp = self->cut_count + c + 1;
    visit_row(self, &self->base.elements->rows[self->cut_row[c]], stamp, &w);
    make_walk(self, c, stamp, &w);
  }
  return status;
}

// ---- numbers ------------------------------------------------------------------------------------

static hn_tree_wrench about_origin(const hn_tree_motion *m, const hn_frame *frame,
                                   const double *block) {
  hn_vec3 f = vec3_load(block), arm = vec3_sub(frame->r, m->origin);
  return (hn_tree_wrench){f, vec3_add(vec3_load(block + 3), vec3_cross(arm, f))};
}

// Where a body is and how it accelerates by bias: rows of one joint share it.
typedef struct body_bias {
  int body; // -1: none yet
  hn_vec3 arm, acceleration;
} body_bias;

static body_bias bias_of(const hn_tree_motion *m, const hn_frame *frame, int body) {
  hn_vec3 arm = vec3_sub(frame->r, m->origin);
  hn_vec3 a = vec3_add(
      m->bias, vec3_add(vec3_cross(m->bias_w, arm), vec3_cross(m->w, vec3_cross(m->w, arm))));
  return (body_bias){body, arm, a};
}

// A wrench on the body at a step of the walk, projected on all joints on its way up.
HN_INLINE void carry_up(const hn_relative_set *self, const hn_walk_step *walk, int place,
                        hn_tree_wrench w) {
  for (;;) {
    const hn_walk_step *step = &walk[place];
    const hn_tree_node *node = &self->tree->nodes[step->node];
    const hn_tree_motion *m = &self->motion[step->node];
    double *to = &self->j_values[step->entry];
    lane_project(1, node->kind, node->linear, &m, m->axis, w, &to);
    place = step->up;
    if (place < 0) return;
    w.n = vec3_add(w.n, vec3_cross(m->d, w.f));
  }
}

// known (2): of the row before.
HN_INLINE void evaluate_cut(hn_relative_set *self, int cut, const hn_frame *frames,
                            body_bias *known) {
  const hn_cartesian_rows *rows = self->base.rows;
  const hn_walk_step *walk = &self->walks.steps[self->walks.start[cut]];
  int r = self->cut_row[cut];
  for (int k = self->j_start[cut]; k < self->j_start[cut + 1]; k++) self->j_values[k] = 0;
  double tau = rows->tau[r];
  for (int k = rows->row_start[r], i = self->walks.body_start[cut]; k < rows->row_start[r + 1];
       k++, i++) {
    int body = rows->body[k], place = self->walks.body_place[i];
    const hn_tree_motion *m = &self->motion[self->tree->body_node[body]];
    body_bias *bias = &known[(k - rows->row_start[r]) % 2];
    if (bias->body != body) *bias = bias_of(m, &frames[body], body);
    hn_vec3 f = vec3_load(&rows->block[6 * k]), n = vec3_load(&rows->block[6 * k + 3]);
    tau -= vec3_dot(f, bias->acceleration) + vec3_dot(n, m->bias_w);
    if (place >= 0)
      carry_up(self, walk, place, (hn_tree_wrench){f, vec3_add(n, vec3_cross(bias->arm, f))});
  }
  self->tau[cut] = tau;
}

void hn_relative_evaluate_joints(hn_relative_set *self, double t, const hn_frame *frames,
                                 const hn_branches *branches) {
  const hn_elements *elements = self->base.elements;
  for (int c = 0; c < self->cut_count; c++) {
    const hn_row *row = &elements->rows[self->cut_row[c]];
    // a joint's rows at once, with its first one that is cut
    if (row->is_driver)
      hn_cartesian_evaluate_row(elements, self->base.rows, self->cut_row[c], t, frames, branches);
    else if (c == 0 || elements->rows[self->cut_row[c - 1]].owner != row->owner)
      hn_cartesian_evaluate_joint(elements, self->base.rows, row->owner, t, frames, branches);
  }
}

void hn_relative_carry_cuts(hn_relative_set *self, const hn_frame *frames, hn_cut_set set) {
  self->factored.has_rows = 0;
  body_bias known[2] = {{.body = -1}, {.body = -1}};
  for (int c = 0; c < self->cut_count; c++)
    if (set == HN_CUT_ALL || !self->base.redundant[self->cut_row[c]])
      evaluate_cut(self, c, frames, known);
}

void hn_relative_evaluate_cut(hn_relative_set *self, int cut, double t, const hn_frame *frames,
                              const hn_branches *branches) {
  body_bias known[2] = {{.body = -1}, {.body = -1}};
  hn_cartesian_evaluate_row(self->base.elements, self->base.rows, self->cut_row[cut], t, frames,
                            branches);
  evaluate_cut(self, cut, frames, known);
}

void hn_relative_carry_tau(hn_relative_set *self, const hn_frame *frames) {
  const hn_cartesian_rows *rows = self->base.rows;
  body_bias known[2] = {{.body = -1}, {.body = -1}};
  for (int c = 0; c < self->cut_count; c++) {
    int r = self->cut_row[c];
    double tau = rows->tau[r];
    for (int k = rows->row_start[r]; k < rows->row_start[r + 1]; k++) {
      int body = rows->body[k];
      const hn_tree_motion *m = &self->motion[self->tree->body_node[body]];
      body_bias *bias = &known[(k - rows->row_start[r]) % 2];
      if (bias->body != body) *bias = bias_of(m, &frames[body], body);
      tau -= vec3_dot(vec3_load(&rows->block[6 * k]), bias->acceleration) +
             vec3_dot(vec3_load(&rows->block[6 * k + 3]), m->bias_w);
    }
    self->tau[c] = tau;
  }
}

void hn_relative_evaluate_cuts(hn_relative_set *self, double t, const hn_frame *frames,
                               const hn_branches *branches) {
  hn_relative_evaluate_joints(self, t, frames, branches);
  hn_relative_carry_cuts(self, frames, HN_CUT_ALL);
}

void hn_relative_apply_cuts(hn_relative_set *self, const hn_frame *frames, const double *lambda) {
  const hn_cartesian_rows *rows = self->base.rows;
  for (int c = 0; c < self->cut_count; c++) {
    int r = self->cut_row[c];
    for (int k = rows->row_start[r]; k < rows->row_start[r + 1]; k++) {
      int node = self->tree->body_node[rows->body[k]];
      hn_tree_wrench w =
          about_origin(&self->motion[node], &frames[rows->body[k]], &rows->block[6 * k]);
      self->applied[node].f = vec3_add_scaled(self->applied[node].f, -lambda[c], w.f);
      self->applied[node].n = vec3_add_scaled(self->applied[node].n, -lambda[c], w.n);
    }
  }
}
