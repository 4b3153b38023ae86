// Cartesian coordinates (cartesian.h): set-up.
#include "equations/cartesian/cartesian.h"

#include "base/error.h"
#include "equations/cartesian/problem.h"
#include "equations/held_inertia.h"
#include "equations/loop_rank.h"
#include "equations/relative/tangent.h"
#include "linalg/block.h"

// With more of them the solver of the whole matrix, which would take 6 kilobytes a body, is made where a
// state first needs it, unless bodies lack inertia.
#define MANY_SPEEDS 3000

static hn_status choose_and_create(hn_arena *arena, hn_arena *scratch,
                                   const hn_solver_problem *problem, const char *name,
                                   hn_solver **solver, hn_error *error) {
  const hn_solver_type *type = NULL;
  hn_status status = hn_solver_choose(scratch, problem, name, &type, error);
  return status == HN_OK ? hn_solver_create(arena, type, problem, solver, error) : status;
}

// Rank is judged by the same solver whatever solves for the accelerations: so the rows that are left
// out are the same too. Its pivots are of single rows: of two dependent rows in one block of a joint the
// second pivot would carry the rounding of the first, divided by a small number.
static hn_status make_geometry(hn_arena *arena, hn_arena *scratch, hn_solver_problem *problem,
                               hn_cartesian_set *self, hn_error *error) {
  const hn_elements *elements = self->base.elements;
  int loops = 0;
  for (int r = 0; r < elements->row_count; r++) loops += problem->soft[r];
  hn_rank_begin(&self->base, elements->row_count, loops);
  if (loops == 0) return HN_OK;
  self->geometry_values = HN_TAKE(arena, double, 9 * problem->bodies);
  self->small = HN_KEEP(arena, unsigned char, elements->row_count);
  if (arena->failed) return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  hn_geometric_mass(elements->model, self->geometry_values);
  problem->mass = self->geometry_values;
  problem->soft_epsilon = hn_rank_epsilon(elements->model);
  hn_status status =
      choose_and_create(arena, scratch, problem, "augmented", &self->geometry, error);
  if (status == HN_OK) hn_solver_expect_small(self->geometry, 1); // it is asked for pivots only
  return status;
}

// Constraints in loops are regularized near singular configurations; those of tree joints never are.
static hn_status make_solvers(hn_arena *arena, const hn_equations_options *options,
                              hn_cartesian_set *self, hn_error *error) {
  hn_solver_problem problem;
  hn_arena scratch;
  hn_arena_init(&scratch, &arena->allocator);
  hn_status status = hn_cartesian_problem(&scratch, self->base.elements, &problem);
  problem.threads = self->base.threads;
  if (status != HN_OK)
    hn_fail(error, status, NULL, NULL, NULL, "out of memory for the constraints");
  else
    status = choose_and_create(arena, &scratch, &problem, options->linear_solver,
                               &self->base.solver, error);
  if (status == HN_OK && !self->base.solver->type->is_whole &&
      (self->base.nu <= MANY_SPEEDS || hn_solver_light_body(&problem)))
    status = hn_cartesian_make_stable(self, &problem, error);
  if (status == HN_OK) status = make_geometry(arena, &scratch, &problem, self, error);
  hn_arena_release(&scratch);
  return status;
}

static hn_status cartesian_create(hn_arena *arena, const hn_elements *elements,
                                  const hn_equations_options *options, hn_equations **equations,
                                  hn_error *error) {
  static const hn_equations_options none = {.linear_solver = "auto"};
  if (!options) options = &none;
  hn_cartesian_set *self = HN_KEEP(arena, hn_cartesian_set, 1);
  if (!self) return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  int bodies = elements->model->body_count - 1, rows = elements->row_count;
  self->base = (hn_equations){.type = &hn_cartesian,
                              .model = elements->model,
                              .elements = elements,
                              .nq = 7 * bodies,
                              .nu = 6 * bodies,
                              .normalizations = bodies,
                              .threads = options->threads};
  self->m_values = HN_KEEP(arena, double, 9 * bodies);
  self->b = HN_KEEP(arena, double, self->base.nu);
  self->step = HN_KEEP(arena, double, self->base.nu);
  self->wrench = HN_KEEP(arena, hn_wrench, elements->model->force_count > 0 ? bodies + 1 : 0);
  self->factored_q = HN_KEEP(arena, double, self->base.nq);
  self->base.redundant_size = rows + bodies;
  self->base.redundant = HN_KEEP(arena, unsigned char, self->base.redundant_size);
  if (arena->failed || hn_held_inertia(arena, elements->model, &self->held) != HN_OK ||
      hn_cartesian_rows_create(arena, elements, &self->base.rows) != HN_OK)
    return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL,
                   "out of memory for %d bodies with %d constraints", bodies, rows);
  self->rows = self->base.rows;
  self->wide = hn_is_wide();
  self->arena = arena;
  hn_status status = make_solvers(arena, options, self, error);
  if (status != HN_OK) return status;
  self->frames = hn_solver_room(self->base.solver, ((size_t)bodies + 1) * sizeof(hn_frame));
  if (!self->frames) self->frames = HN_KEEP(arena, hn_frame, bodies + 1);
  if (!self->frames) return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  *equations = &self->base;
  return HN_OK;
}

const hn_coordinates hn_cartesian_coordinates = {
    .frames = hn_cartesian_frames,
    .from_frames = hn_cartesian_from_frames,
    .speeds = hn_cartesian_speeds,
    .rates = hn_cartesian_rates,
};

const hn_equations_type hn_cartesian = {
    .name = "cartesian",
    .traits = {.holds_gaps = 1},
    .coordinates = &hn_cartesian_coordinates,
    .has_solvers = 1,
    .create = cartesian_create,
    .evaluate = hn_cartesian_evaluate,
    .evaluate_stage = hn_cartesian_evaluate_stage,
    .power = hn_cartesian_power,
    .project_positions = hn_cartesian_project_positions,
    .project_velocities = hn_cartesian_project_velocities,
    .tangent_create = hn_cartesian_tangent_create,
    .stepping = &hn_rigid_stepping,
    .responses = &hn_cartesian_responses,
};
