// The levels of a model as method components forms them, and the degrees of freedom that follow. A
// simulation by another method gets a temporary hierarchy for the report.
#include "analysis/hierarchy_report.h"

#include <string.h>

#include "base/error.h"
#include "equations/nested/private.h"

static void fill(const hn_equations *e, int node, hn_level *out) {
  const hn_nested_data *data = hn_nested_of(e);
  hn_level_report r = hn_hierarchy_level(data->hierarchy, node);
  *out = (hn_level){.name = node > 0 ? e->model->components.item[node].name : NULL,
                    .parent = r.parent,
                    .depth = r.depth,
                    .bodies = r.own_bodies,
                    .joint_rows = r.rows,
                    .dependent = r.dependent,
                    .border_bodies = r.border_bodies,
                    .d_size = r.d_size,
                    .is_sealed = r.is_sealed,
                    .is_dense = r.is_dense,
                    .a_density = r.a_density,
                    .h_density = r.h_density};
  for (int k = 0; k < data->part_count; k++) {
    const hn_nested_part *p = &data->parts[k];
    if (p->part->component != node) continue;
    out->joint_rows = p->part->facts->row_count;
    out->dependent = p->dependent;
  }
}

static hn_status list_levels(hn_equations *e, hn_level *levels, int capacity, int *count) {
  *count = hn_hierarchy_levels(hn_nested_of(e)->hierarchy);
  for (int k = 0; k < *count && k < capacity; k++) fill(e, k, &levels[k]);
  return HN_OK;
}

hn_status hn_simulation_levels(hn_simulation *s, hn_level *levels, int capacity, int *count) {
  *count = 0;
  if (s->equations->type->traits.is_hierarchical)
    return list_levels(s->equations, levels, capacity, count);
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
  if (status == HN_OK) status = list_levels(e, levels, capacity, count);
  hn_equations_release(e);
  hn_arena_release(&arena);
  return status;
}

hn_status hn_mobility_of_levels(hn_simulation *s, hn_mobility *mobility) {
  const hn_equations *e = s->equations;
  const hn_nested_data *data = hn_nested_of(e);
  int rows = data->row_count, dependent = data->dependent;
  for (int k = 0; k < data->part_count; k++) {
    rows += data->parts[k].part->facts->row_count;
    dependent += data->parts[k].dependent;
  }
  *mobility = (hn_mobility){.cut_rows = -1,
                            .bodies = s->model->body_count - 1,
                            .joints = s->model->joint_count,
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
