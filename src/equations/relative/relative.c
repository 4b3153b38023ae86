// Relative coordinates: q = joint coordinates along spanning trees (Euler parameters for ball joints
// and bodies free in space), u = joint speeds. What is between q, u and the rest of the engine; the
// work is done in relative_*.c.
//
// Image in q: pd = E' w / 2, pdd = E' wd / 2 - (pd.pd) p, with w in axes of the joint frame.
#include "equations/relative/relative.h"

#include <string.h>

#include "base/error.h"
#include "equations/relative/stepping.h"
#include "equations/relative/tangent.h"

// ---- set-up -------------------------------------------------------------------------------------

static hn_status take_memory(hn_arena *arena, hn_relative_set *self) {
  int nodes = self->tree->count, bodies = self->base.model->body_count;
  self->motion = HN_KEEP(arena, hn_tree_motion, nodes);
  self->applied = HN_KEEP(arena, hn_tree_wrench, nodes);
  self->force = HN_KEEP(arena, hn_tree_wrench, nodes);
  self->acceleration = HN_KEEP(arena, hn_vec3, nodes);
  self->angular = HN_KEEP(arena, hn_vec3, nodes);
  self->b = HN_KEEP(arena, double, self->base.nu);
  self->x = HN_KEEP(arena, double, self->base.nu);
  self->u = HN_KEEP(arena, double, self->base.nu);
  self->spare_q = HN_KEEP(arena, double, self->base.nq);
  self->factored.q = HN_KEEP(arena, double, self->base.nq);
  self->frames = HN_KEEP(arena, hn_frame, bodies);
  self->wrench = HN_KEEP(arena, hn_wrench, bodies);
  self->base.redundant_size = self->base.elements->row_count + self->base.normalizations;
  self->base.redundant = HN_TAKE(arena, unsigned char, self->base.redundant_size);
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

// All but a solver.
static hn_status make_set(hn_arena *arena, const hn_elements *elements, hn_hanging hanging,
                          hn_relative_set *self) {
  hn_status status = hn_tree_create(arena, elements->model, hanging, &self->tree);
  if (status != HN_OK) return status;
  self->present = &hn_motion_in_space;
  self->base = (hn_equations){.type = &hn_relative,
                              .model = elements->model,
                              .elements = elements,
                              .nq = self->tree->nq,
                              .nu = self->tree->nu,
                              .normalizations = self->tree->quaternions};
  status = take_memory(arena, self);
  if (status == HN_OK) status = hn_cartesian_rows_create(arena, elements, &self->base.rows);
  if (status == HN_OK) status = hn_relative_make_rows(arena, self);
  if (status == HN_OK) status = hn_relative_make_cuts(arena, self);
  return status == HN_OK ? hn_relative_make_forces(arena, self) : status;
}

hn_status hn_relative_create_free(hn_arena *arena, const hn_elements *elements,
                                  hn_relative_set **set) {
  *set = HN_KEEP(arena, hn_relative_set, 1);
  return *set ? make_set(arena, elements, HN_HANG_FREE, *set) : HN_ERROR_MEMORY;
}

static hn_status relative_create(hn_arena *arena, const hn_elements *elements,
                                 const hn_equations_options *options, hn_equations **equations,
                                 hn_error *error) {
  hn_relative_set *self = HN_KEEP(arena, hn_relative_set, 1);
  hn_status status = self ? make_set(arena, elements, HN_HANG_BY_JOINTS, self) : HN_ERROR_MEMORY;
  if (status == HN_OK) {
    self->base.threads = options ? options->threads : NULL;
    self->base.measures_errors = self->cut_count > 0;
    status = hn_relative_make_solver(arena, self);
  }
  if (status == HN_OK && self->base.threads)
    status = hn_tree_make_limbs(arena, self->tree, self->base.threads);
  if (status != HN_OK)
    return hn_fail(error, status, NULL, NULL, NULL,
                   "out of memory for relative coordinates of %d bodies",
                   elements->model->body_count - 1);
  *equations = &self->base;
  return HN_OK;
}

int hn_relative_describe(const hn_equations *equations, hn_tree_entry *entries, int *depth,
                         int *cut, int *cut_count) {
  const hn_relative_set *self = (const hn_relative_set *)equations;
  const hn_tree *tree = self->tree;
  int count = 0;
  for (int k = 0; k < tree->count; k++) {
    const hn_tree_node *node = &tree->nodes[k];
    if (node->body == 0) continue;
    int up = node->parent;
    while (up >= 0 && tree->nodes[up].body == 0) up = tree->nodes[up].parent;
    int parent = up < 0 ? HN_GROUND : tree->nodes[up].body;
    depth[node->body] = 1 + (parent == HN_GROUND ? 0 : depth[parent]); // parents come first
    entries[count++] = (hn_tree_entry){node->body, parent, node->joint, depth[node->body]};
  }
  *cut_count = 0;
  for (int c = 0; c < self->cut_count; c++) {
    const hn_row *row = &equations->elements->rows[self->cut_row[c]];
    if (row->is_driver || (*cut_count > 0 && cut[*cut_count - 1] == row->owner)) continue;
    cut[(*cut_count)++] = row->owner;
  }
  return self->cut_count;
}

// ---- q, u and frames ----------------------------------------------------------------------------

void hn_relative_speeds(const hn_equations *equations, const double *q, const double *qd,
                        double *u) {
  const hn_tree *tree = ((const hn_relative_set *)equations)->tree;
  if (tree->quaternions == 0) { // every coordinate is a speed's
    memcpy(u, qd, (size_t)tree->nu * sizeof(double));
    return;
  }
  for (int i = 0; i < tree->plain_count; i++) u[tree->plain[i].u] = qd[tree->plain[i].q];
  for (int k = 0; k < tree->quaternions; k++) {
    const hn_tree_node *node = &tree->nodes[tree->quaternion_node[k]];
    const int at = hn_tree_turn_q(node), to = hn_tree_turn_u(node);
    hn_quat p = quat_load(&q[at]);
    vec3_store(&u[to], vec3_scale(2 / quat_dot(p, p), euler_e_apply(p, quat_load(&qd[at]))));
  }
}

void hn_relative_rates(const hn_equations *equations, const double *q, const double *u,
                       double *qd) {
  const hn_tree *tree = ((const hn_relative_set *)equations)->tree;
  if (tree->quaternions == 0) {
    memcpy(qd, u, (size_t)tree->nu * sizeof(double));
    return;
  }
  for (int i = 0; i < tree->plain_count; i++) qd[tree->plain[i].q] = u[tree->plain[i].u];
  for (int k = 0; k < tree->quaternions; k++) {
    const hn_tree_node *node = &tree->nodes[tree->quaternion_node[k]];
    const int to = hn_tree_turn_q(node), at = hn_tree_turn_u(node);
    hn_quat p = quat_load(&q[to]);
    quat_store(&qd[to], quat_scale(0.5, euler_e_transposed(p, vec3_load(&u[at]))));
  }
}

static void relative_motions(const hn_equations *equations, const double *q, const double *qd,
                             hn_frame *frames) {
  const hn_relative_set *self = (const hn_relative_set *)equations;
  hn_relative_speeds(equations, q, qd, self->u);
  hn_tree_move(self->tree, q, self->u, vec3_zero(), self->motion);
  hn_tree_frames(self->tree, NULL, self->motion, frames);
}

static void relative_frames(const hn_equations *equations, const double *q, const double *qd,
                            hn_frame *frames) {
  relative_motions(equations, q, qd, frames);
  hn_tree_parameters(((const hn_relative_set *)equations)->tree, q, frames);
}

static void relative_from_frames(const hn_equations *equations, const hn_frame *frames, double *q,
                                 double *qd) {
  const hn_relative_set *self = (const hn_relative_set *)equations;
  hn_tree_read_frames(self->tree, frames, q, self->u);
  hn_tree_remember_signs(self->tree, frames, q);
  hn_relative_rates(equations, q, self->u, qd);
}

static const hn_coordinates relative_coordinates = {
    .frames = relative_frames,
    .motions = relative_motions,
    .from_frames = relative_from_frames,
    .speeds = hn_relative_speeds,
    .rates = hn_relative_rates,
    .update_turns = hn_relative_update_turns,
    .error_norm = hn_relative_error_norm,
};

const hn_equations_type hn_relative = {
    .name = "relative",
    .traits = {.of_joints = 1},
    .coordinates = &relative_coordinates,
    .create = relative_create,
    .evaluate = hn_relative_evaluate,
    .complete = hn_relative_complete,
    .evaluate_stage = hn_relative_evaluate_stage,
    .power = hn_relative_power,
    .project_positions = hn_relative_project_positions,
    .project_velocities = hn_relative_project_velocities,
    .project = hn_relative_project,
    .tangent_create = hn_relative_tangent_create,
    .responses = &hn_relative_responses,
    .stepping = &hn_relative_stepping,
};
