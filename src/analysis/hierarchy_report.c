// The levels of a model as method components forms them, and the degrees of freedom that follow. A
// simulation by another method gets a temporary hierarchy for the report.
#include "analysis/hierarchy_report.h"

#include <string.h>

#include "base/error.h"
#include "equations/levels.h"

hn_status hn_simulation_levels(hn_simulation *s, hn_level *levels, int capacity, int *count) {
  *count = 0;
  if (s->equations->type->traits.is_hierarchical) {
    *count = hn_nested_describe(s->equations, levels, capacity);
    return HN_OK;
  }
  if (s->equations->nq != 7 * (s->model->body_count - 1))
    return hn_fail(&s->error, HN_ERROR_UNSUPPORTED, NULL, NULL, "use @coordinates cartesian",
                   "levels are available in Cartesian coordinates only");
  hn_arena arena;
  hn_equations *e = NULL;
  hn_snapshot *snapshot = NULL;
  hn_arena_init(&arena, s->options.allocator);
  hn_status status = hn_nested.create(&arena, s->elements, NULL, &e, &s->error);
  if (status == HN_OK) status = hn_snapshot_create(&arena, e, &snapshot);
  if (status == HN_OK)
    status = e->type->evaluate(e, s->method->t, s->method->q, s->method->qd, &s->branches, snapshot,
                               &s->error);
  if (status == HN_OK) *count = hn_nested_describe(e, levels, capacity);
  hn_equations_release(e);
  hn_arena_release(&arena);
  return status;
}

hn_status hn_mobility_of_levels(hn_simulation *s, hn_mobility *mobility) {
  const hn_equations *e = s->equations;
  int rows, dependent, opaque = 0;
  hn_nested_count_rows(e, &rows, &dependent);
  for (int j = 0; j < s->model->joint_count; j++) opaque += s->model->joints[j].is_opaque;
  *mobility = (hn_mobility){.cut_rows = -1,
                            .bodies = s->model->body_count - 1,
                            .joints = s->model->joint_count - opaque,
                            .drivers = s->model->driver_count,
                            .forces = s->model->force_count,
                            .rows = rows,
                            .rank = rows - dependent,
                            .equations = rows + e->normalizations,
                            .coordinates = e->nq,
                            .speeds = e->nu,
                            .degrees_of_freedom = e->nu - rows + dependent};
  return HN_OK;
}
