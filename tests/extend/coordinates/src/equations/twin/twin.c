// The Cartesian set under another name: what a new set has to provide.
#include "equations/cartesian/cartesian.h"
#include "equations/tangent.h"

static hn_status create(hn_arena *arena, const hn_elements *elements,
                        const hn_equations_options *options, hn_equations **equations,
                        hn_error *error) {
  hn_status status = hn_cartesian.create(arena, elements, options, equations, error);
  if (status == HN_OK) (*equations)->type = &hn_twin;
  return status;
}

static hn_status tangent_create(hn_arena *arena, hn_equations *equations, int in_speeds,
                                hn_tangent **tangent) {
  return hn_cartesian.tangent_create(arena, equations, in_speeds, tangent);
}

const hn_equations_type hn_twin = {
    .name = "twin",
    .traits = {.holds_gaps = 1},
    .coordinates = &hn_cartesian_coordinates,
    .create = create,
    .evaluate = hn_cartesian_evaluate,
    .evaluate_stage = hn_cartesian_evaluate_stage,
    .power = hn_cartesian_power,
    .project_positions = hn_cartesian_project_positions,
    .project_velocities = hn_cartesian_project_velocities,
    .tangent_create = tangent_create,
};
