// Cartesian coordinates over the hierarchy of components (Vlasenko and Kasper 2007): frames, rates and
// rows are those of cartesian.h; accelerations go up and down the levels of linalg/hierarchy.h, and
// positions and velocities are brought back by post-stabilization over the same levels.
//
//   accelerations   [ M J'; J 0 ] [ a; lambda ] = [ F - (0, w x I w); tau ]
//   positions       J dx = -Phi, r += dr, p <- (p + E' dpi / 2) / |.|, sweep by sweep
//   velocities      J du = -dPhi/dt, a second time for the rounding of the first
//
// Forces are summed first and weights added last, so that a component that keeps its masses to itself
// gets the same bits. Here: set-up. The numbers are in nested/numbers.c, nested/projections.c and, of
// sealed components, nested/parts.c.
#include "equations/levels.h"

#include <string.h>

#include "base/error.h"
#include "equations/cartesian/cartesian.h"
#include "equations/nested/private.h"

static hn_status make_hierarchy(hn_arena *arena, hn_nested_data *self, int is_part,
                                const unsigned char *connected, const int *row_node,
                                const int *row_order, const hn_sealed_subsystem *sealed) {
  const hn_model *model = self->equations->model;
  int bodies = model->body_count - 1, nodes = model->components.count - is_part;
  int *parent = HN_TAKE(arena, int, nodes), *body_node = HN_TAKE(arena, int, bodies + 1);
  if (arena->failed) return HN_ERROR_MEMORY;
  for (int k = 1; k < nodes; k++) parent[k] = model->components.item[k + is_part].parent - is_part;
  body_node[0] = -1; // ground
  for (int b = 1; b <= bodies; b++) body_node[b] = model->bodies[b].component - is_part;
  hn_hierarchy_problem problem = {.bodies = bodies,
                                  .rows = self->base.row_count,
                                  .row_start = self->row_start,
                                  .body = self->row_body,
                                  .nodes = nodes,
                                  .parent = parent,
                                  .body_node = body_node,
                                  .row_node = row_node,
                                  .row_order = row_order,
                                  .connected = connected,
                                  .sealed = sealed,
                                  .threads = self->threads,
                                  .ranks = self->ranks};
  return hn_hierarchy_create(arena, &problem, &self->base.hierarchy);
}

// Blocks of the model's own constraints, then of the interface constraints of sealed components.
static void list_blocks(const hn_model *model, const hn_elements *elements, hn_nested_data *self) {
  int blocks = 0, row = elements->row_count;
  for (int r = 0; r < row; r++) {
    self->row_start[r] = blocks;
    for (int k = 0; k < elements->rows[r].body_count; k++)
      self->row_body[blocks++] = elements->rows[r].body[k];
  }
  for (int p = 0; p < model->part_count; p++) {
    const hn_sealed_part *part = &model->parts[p];
    const hn_component_facts *facts = part->facts;
    for (int r = 0; r < facts->border_row_count; r++) {
      self->row_start[row++] = blocks;
      for (int k = facts->border_row_start[r]; k < facts->border_row_start[r + 1]; k++) {
        int body = facts->border_row_body[k];
        self->row_body[blocks++] = body >= 0 ? part->first_body + body : part->external[-1 - body];
      }
    }
  }
  self->row_start[row] = blocks;
}

static hn_status take_memory(hn_arena *arena, const hn_elements *elements, hn_nested_data *self) {
  hn_equations *e = self->equations;
  int bodies = e->model->body_count - 1, blocks = 0;
  self->base.row_count = elements->row_count;
  for (int r = 0; r < elements->row_count; r++) blocks += elements->rows[r].body_count;
  for (int p = 0; p < e->model->part_count; p++) {
    const hn_component_facts *facts = e->model->parts[p].facts;
    self->base.row_count += facts->border_row_count;
    blocks += facts->border_row_start[facts->border_row_count];
  }
  int rows = self->base.row_count;
  self->row_start = HN_TAKE(arena, int, rows + 1);
  self->row_body = HN_TAKE(arena, int, blocks);
  self->base.rows = (hn_cartesian_rows){.row_start = self->row_start,
                                        .body = self->row_body,
                                        .block = HN_KEEP(arena, double, 6 * blocks),
                                        .value = HN_KEEP(arena, double, rows),
                                        .rate = HN_KEEP(arena, double, rows),
                                        .tau = HN_KEEP(arena, double, rows),
                                        .time_rate = HN_KEEP(arena, double, rows)};
  self->mass = HN_KEEP(arena, double, 9 * bodies);
  self->base.b = HN_KEEP(arena, double, e->nu);
  self->base.x = HN_KEEP(arena, double, e->nu);
  self->base.y = HN_KEEP(arena, double, rows);
  self->base.g = HN_KEEP(arena, double, rows);
  self->base.left_out = HN_KEEP(arena, unsigned char, rows);
  self->base.frames = HN_KEEP(arena, hn_frame, bodies + 1);
  self->factored_q = HN_KEEP(arena, double, e->nq);
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

static hn_status make_levels(hn_arena *arena, hn_nested_data *self, int is_part,
                             const unsigned char *connected, hn_error *error) {
  const hn_elements *elements = self->equations->elements;
  const hn_model *model = elements->model;
  int *row_node = HN_TAKE(arena, int, self->base.row_count);
  int *row_order = HN_TAKE(arena, int, self->base.row_count);
  hn_sealed_subsystem *sealed = HN_TAKE(arena, hn_sealed_subsystem, model->components.count);
  if (arena->failed) return HN_ERROR_MEMORY;
  hn_status status = hn_nested_row_nodes(arena, elements, row_node, row_order);
  if (status != HN_OK) return status;
  for (int r = 0; r < elements->row_count; r++) row_node[r] -= is_part;
  self->base.first_body = 1;
  while (is_part && self->base.first_body < model->body_count &&
         model->bodies[self->base.first_body].component == 0)
    self->base.first_body++;
  list_blocks(model, elements, self);
  status = hn_nested_parts_start(arena, self, sealed, error);
  if (status != HN_OK) return status;
  memset(self->base.left_out, 1, (size_t)self->base.row_count); // none chosen yet
  for (int r = 0; r < self->base.row_count; r++)
    if (row_node[r] < 0) self->base.left_out[r] = 0;
  return make_hierarchy(arena, self, is_part, connected, row_node, row_order,
                        model->part_count > 0 ? sealed : NULL);
}

hn_status hn_nested_make(hn_arena *arena, const hn_elements *elements,
                         const hn_equations_options *options, int is_part,
                         const unsigned char *connected, hn_equations **equations,
                         hn_error *error) {
  hn_equations_options inner = {.linear_solver = "auto", .threads = options->threads};
  hn_status status = hn_cartesian.create(arena, elements, &inner, equations, error);
  if (status != HN_OK) return status;
  hn_equations *e = *equations;
  hn_nested_data *self = HN_KEEP(arena, hn_nested_data, 1);
  e->type = &hn_nested;
  e->levels = self ? &self->base : NULL;
  if (self)
    *self = (hn_nested_data){.threads = options->threads, .ranks = options->ranks, .equations = e};
  error->status = HN_OK;
  status = self ? take_memory(arena, elements, self) : HN_ERROR_MEMORY;
  if (status == HN_OK) status = make_levels(arena, self, is_part, connected, error);
  if (status != HN_OK && error->status == HN_OK)
    hn_fail(error, status, NULL, NULL, NULL, "out of memory for %d components",
            elements->model->components.count);
  if (status != HN_OK) return status;
  memcpy(e->redundant, self->base.left_out, (size_t)elements->row_count);
  e->redundant_count = self->base.row_count;
  return HN_OK;
}

static hn_status nested_create(hn_arena *arena, const hn_elements *elements,
                               const hn_equations_options *options, hn_equations **equations,
                               hn_error *error) {
  static const hn_equations_options none = {.linear_solver = "auto"};
  if (!options) options = &none;
  if (options->linear_solver && strcmp(options->linear_solver, "auto") != 0)
    return hn_fail(error, HN_ERROR_UNSUPPORTED, NULL, NULL, "remove @linear_solver",
                   "method components has no choice of linear solver");
  return hn_nested_make(arena, elements, options, 0, NULL, equations, error);
}

const hn_hierarchy *hn_nested_hierarchy(const hn_equations *e) {
  return hn_nested_of(e)->base.hierarchy;
}

static void nested_release(hn_equations *e) {
  if (e->levels) hn_nested_parts_stop(hn_nested_of(e));
}

const hn_equations_type hn_nested = {
    .name = "cartesian",
    .traits = {.is_hierarchical = 1},
    .coordinates = &hn_cartesian_coordinates,
    .has_solvers = 1, // a choice is rejected with a reason
    .create = nested_create,
    .evaluate = hn_nested_evaluate,
    .evaluate_stage = hn_nested_evaluate_stage,
    .power = hn_cartesian_power,
    .project_positions = hn_nested_project_positions,
    .project_velocities = hn_nested_project_velocities,
    .jump = hn_nested_jump,
    .responses = &hn_nested_responses,
    .release = nested_release,
};
