// Queries of analyses about levels: impulses for velocities at the start, how sealed components
// start, and the report of levels.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "equations/nested/private.h"

// ---- impulses -----------------------------------------------------------------------------------

void hn_nested_take_rates(hn_equations *e, double t, const double *q, const double *qd,
                          const hn_branches *branches, hn_frame *frames) {
  hn_nested_data *self = hn_nested_of(e);
  e->type->coordinates->frames(e, q, qd, self->base.frames);
  if (frames) memcpy(frames, self->base.frames, (size_t)e->model->body_count * sizeof *frames);
  hn_nested_evaluate_rows(e, t, self->base.frames, branches);
  hn_nested_parts_gaps(self, t, q, qd, branches, 1);
}

hn_status hn_nested_impulses(hn_equations *e, const double *q, const double *b, double share,
                             double *x) {
  hn_nested_data *self = hn_nested_of(e);
  memcpy(self->base.b, b, (size_t)e->nu * sizeof(double));
  for (int r = 0; r < self->base.row_count; r++) self->base.g[r] = -share * self->base.rows.rate[r];
  for (int k = 0; k < self->part_count; k++) {
    hn_nested_part *p = &self->parts[k];
    const hn_component_facts *facts = p->part->facts;
    for (int i = 0; i < facts->border_count; i++)
      memcpy(&p->border_force[6 * i], &b[6 * (p->part->first_body - 1 + facts->border[i])],
             6 * sizeof(double));
    hn_nested_part_note(p, p->part->api->impulses(p->run, p->border_force, share));
  }
  hn_status status = HN_OK;
  if (q) {
    hn_error reason = {0};
    self->base.is_factored = 0;
    status = hn_nested_factor(e, q, self->base.frames, HN_HIERARCHY_ALL, &reason);
  }
  if (status == HN_OK)
    status =
        hn_hierarchy_solve(self->base.hierarchy, self->base.b, self->base.g, x, self->base.y, 2);
  if (status == HN_OK) hn_nested_parts_increments(self, 0, x);
  return status;
}

// ---- the start of sealed components -------------------------------------------------------------

// A smaller move, m or rad, counts as assembled in the reference configuration.
#define START_MOVE 1e-6
#define START_CHANGE 1e-9 // m/s or rad/s

// Speeds other than those of the first body and all others turning with it: joints inside move.
static double relative_speed(const double *q, const double *u, int count) {
  const hn_vec3 r = vec3_load(q), v = vec3_load(u), w = vec3_load(u + 3);
  double most = 0;
  for (int b = 1; b < count; b++) {
    const hn_vec3 arm = vec3_sub(vec3_load(&q[7 * b]), r);
    const hn_vec3 along = vec3_add(v, vec3_cross(w, arm));
    most = fmax(most, vec3_norm(vec3_sub(vec3_load(&u[6 * b]), along)));
    most = fmax(most, vec3_norm(vec3_sub(vec3_load(&u[6 * b + 3]), w)));
  }
  return most;
}

void hn_nested_note_start(hn_equations *e, const double *q, const double *move,
                          const double *change) {
  hn_nested_data *self = hn_nested_of(e);
  for (int k = 0; k < self->part_count; k++) {
    hn_nested_part *p = &self->parts[k];
    const int first = p->part->first_body - 1, count = p->part->body_count;
    p->start_move = hn_largest(&move[7 * first], 7 * count);
    p->start_change = relative_speed(&q[7 * first], &change[6 * first], count);
  }
}

// Degrees of freedom that the inside has while the border stands still.
static int hidden_freedom(const hn_nested_part *p) {
  const hn_component_facts *facts = p->part->facts;
  return 6 * facts->body_count - (facts->row_count - p->dependent) - p->rank;
}

const char *hn_nested_start_differs(hn_equations *e, char *why, size_t size) {
  if (!e->type->traits.is_hierarchical) return NULL;
  hn_nested_data *self = hn_nested_of(e);
  for (int k = 0; k < self->part_count; k++) {
    hn_nested_part *p = &self->parts[k];
    const double move = p->start_move, change = p->start_change;
    p->start_move = p->start_change = 0;
    if (move > START_MOVE)
      hn_text(why, size,
              "moves by %.3g (m or rad) at the start, unlike the open component. Give positions "
              "that close the loops around it",
              move);
    else if (change > START_CHANGE && hidden_freedom(p) > 0)
      hn_text(why, size,
              "starts with minimum kinetic energy in %d sealed degrees of freedom, unlike the open "
              "component. Start at rest, or give its bodies `initial:` velocities",
              hidden_freedom(p));
    else
      continue;
    return p->part->name;
  }
  return NULL;
}

// ---- the report ---------------------------------------------------------------------------------

void hn_nested_count_rows(const hn_equations *e, int *rows, int *dependent) {
  const hn_nested_data *self = hn_nested_of(e);
  *rows = self->base.row_count;
  *dependent = self->base.dependent;
  for (int k = 0; k < self->part_count; k++) {
    *rows += self->parts[k].part->facts->row_count;
    *dependent += self->parts[k].dependent;
  }
}

static void describe(const hn_equations *e, int node, hn_level *out) {
  const hn_nested_data *self = hn_nested_of(e);
  hn_level_report r = hn_hierarchy_level(self->base.hierarchy, node);
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
  for (int k = 0; k < self->part_count; k++) {
    const hn_nested_part *p = &self->parts[k];
    if (p->part->component != node) continue;
    out->joint_rows = p->part->facts->row_count;
    out->dependent = p->dependent;
  }
}

int hn_nested_describe(const hn_equations *e, hn_level *levels, int capacity) {
  const int count = hn_hierarchy_levels(hn_nested_of(e)->base.hierarchy);
  for (int k = 0; k < count && k < capacity; k++) describe(e, k, &levels[k]);
  return count;
}
