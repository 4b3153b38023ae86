// The linear solver of the relative set, chosen and created once: trees without loops by their own
// factors or in linear time, whichever needs fewer operations; with loop-closure constraints, or if
// a joint may turn a body about an axis without inertia, by the regularized and refined system of
// linalg/saddle.h, on the same terms as in Cartesian coordinates. Out of scope: numerical values
// (relative/factor.c, relative/evaluate.c).
#include "elements/loops.h"
#include "equations/loop_rank.h"
#include "equations/relative/relative.h"
#include "equations/tangent.h"

int hn_relative_has_inertia(const hn_relative_set *self) {
  const hn_model *model = self->base.model;
  for (int b = 1; b < model->body_count; b++) {
    int is_full = model->bodies[b].mass > 0 && !hn_body_is_light(&model->bodies[b]);
    if (!is_full && !hn_tree_resists(self->tree, b)) return 0;
  }
  return 1;
}

// Matrices with derivatives are quicker than relative/chain.c up to this many speeds at or above a
// speed, on the average.
#define DEEP 45

static int is_deep(const hn_relative_set *self) {
  const hn_tree *tree = self->tree;
  const double most = (double)DEEP * tree->nu;
  double above = 0;
  if (self->solver == HN_TREE_SADDLE || tree->depth < DEEP) return 0;
  for (int k = 0; k < tree->count; k++)
    for (int up = k; up >= 0 && above <= most; up = tree->nodes[up].parent)
      above += tree->nodes[k].u_count * tree->nodes[up].u_count;
  return above > most;
}

static hn_tree_solver choose_solver(const hn_relative_set *self) {
  if (self->cut_count > 0 || !hn_relative_has_inertia(self)) return HN_TREE_SADDLE;
  double articulated = hn_tree_articulated_work(self->tree);
  return hn_tree_composite_work(self->tree, articulated) < articulated ? HN_TREE_COMPOSITE
                                                                       : HN_TREE_ARTICULATED;
}

// Leaves first: no fill in M. A constraint follows when all nodes of its path are eliminated,
// before their common ancestor, on whose speeds it does not depend: loops stay separate, and the
// pivot of a constraint is its residual.
static hn_status find_order(hn_arena *arena, hn_relative_set *self) {
  const hn_tree *tree = self->tree;
  // rows by the node above their walk, -1 first: a list each
  int *first = HN_TAKE(arena, int, tree->count + 1), *next = HN_TAKE(arena, int, self->cut_count);
  int *order = self->order = HN_TAKE(arena, int, self->base.nu + self->cut_count);
  if (arena->failed) return HN_ERROR_MEMORY;
  for (int k = 0; k <= tree->count; k++) first[k] = -1;
  for (int c = self->cut_count - 1; c >= 0; c--) {
    int steps = self->walks.start[c + 1] - self->walks.start[c];
    int above = steps > 0 ? tree->nodes[self->walks.steps[self->walks.start[c]].node].parent : -1;
    next[c] = first[above + 1];
    first[above + 1] = c;
  }
  int at = 0;
  for (int k = tree->count - 1; k >= -1; k--) {
    for (int c = first[k + 1]; c >= 0; c = next[c]) order[at++] = self->base.nu + c;
    for (int i = k < 0 ? 0 : tree->nodes[k].u_count; i > 0; i--)
      order[at++] = tree->nodes[k].u + i - 1;
  }
  return HN_OK;
}

static hn_status make_saddle(hn_arena *arena, hn_relative_set *self) {
  const hn_elements *elements = self->base.elements;
  hn_equations *e = &self->base;
  hn_saddle_pattern pattern = {.n = e->nu,
                               .rows_wait = 1,
                               .m = self->cut_count,
                               .m_column_start = self->tree->mass_start,
                               .m_row_index = self->tree->mass_index,
                               .j_row_start = self->j_start,
                               .j_column_index = self->j_index};
  hn_status status = hn_saddle_create_ordered(arena, &pattern, self->order, &e->saddle);
  unsigned char *in_loop = HN_TAKE(arena, unsigned char, elements->row_count);
  if (status != HN_OK || !in_loop) return HN_ERROR_MEMORY;
  status = hn_find_loop_rows(&arena->allocator, elements, in_loop);
  int loops = 0;
  for (int c = 0; c < self->cut_count; c++) {
    self->judged.in_loop[c] = in_loop[self->cut_row[c]];
    loops += self->judged.in_loop[c];
  }
  hn_saddle_soften(e->saddle, self->judged.in_loop, HN_LOOP_EPSILON);
  hn_saddle_set_row_floor(e->saddle, self->judged.by_mass);
  if (loops > 0 && status == HN_OK) status = hn_saddle_make_releasable(arena, e->saddle);
  if (hn_relative_has_inertia(self)) hn_saddle_trust_mass(e->saddle);
  self->rotation = hn_geometric_rotation(e->model);
  hn_rank_begin(e, elements->row_count, loops);
  if (status != HN_OK || loops == 0) return status;
  self->geometry_mass = HN_KEEP(arena, double, self->tree->mass_start[e->nu]);
  self->judged.has_loops = 1;
  status = hn_relative_make_rank(arena, self);
  if (status != HN_OK || self->rank.matrix) return status;
  status = hn_saddle_create_ordered(arena, &pattern, self->order, &self->geometry);
  if (status == HN_OK) {
    hn_saddle_soften(self->geometry, self->judged.in_loop, hn_rank_epsilon(self->base.model));
    hn_saddle_set_row_floor(self->geometry, self->judged.by_length);
  }
  return arena->failed ? HN_ERROR_MEMORY : status;
}

// Models in a plane, by planar kernels: trees, and loops of which all constraints are in the plane
// or constant.
static hn_status make_plane(hn_arena *arena, hn_relative_set *self) {
  if (self->solver == HN_TREE_SADDLE && self->cut_count == 0) return HN_OK;
  hn_status status = hn_plane_create(arena, self->tree, &self->plane);
  if (status != HN_OK || !self->plane || self->cut_count == 0) return status;
  status = hn_plane_make_cuts(arena, self);
  if (!self->flat.cuts) self->plane = NULL;
  return status;
}

hn_status hn_relative_make_solver(hn_arena *arena, hn_relative_set *self) {
  self->solver = choose_solver(self);
  self->base.is_deep = is_deep(self);
  self->base.has_residual = self->solver != HN_TREE_SADDLE && self->tree->quaternions == 0;
  if (make_plane(arena, self) != HN_OK || find_order(arena, self) != HN_OK) return HN_ERROR_MEMORY;
  if (self->solver == HN_TREE_ARTICULATED) {
    int room = self->tree->count + 2 * self->tree->quaternions;
    self->articulated = HN_KEEP(arena, hn_tree_articulated, room);
    return arena->failed ? HN_ERROR_MEMORY : HN_OK;
  }
  hn_status status = hn_tree_make_mass_pattern(arena, self->tree);
  if (status != HN_OK) return status;
  self->mass = HN_KEEP(arena, double, self->tree->mass_start[self->base.nu]);
  self->composite = HN_KEEP(arena, hn_tree_composite, self->tree->count);
  if (arena->failed) return HN_ERROR_MEMORY;
  return self->solver == HN_TREE_SADDLE ? make_saddle(arena, self) : HN_OK;
}
