// What all coordinate sets share: room for a snapshot and for the branches of a step.
#include "equations/equations.h"

#include "holon/component.h"

hn_status hn_snapshot_create(hn_arena *arena, const hn_equations *equations,
                             hn_snapshot **snapshot) {
  const hn_model *model = equations->model;
  int bodies = model->body_count, rows = equations->elements->row_count;
  hn_snapshot *s = HN_TAKE(arena, hn_snapshot, 1);
  if (!s) return HN_ERROR_MEMORY;
  s->frames = HN_TAKE(arena, hn_frame, bodies);
  s->acceleration = HN_TAKE(arena, hn_vec3, bodies);
  s->angular_acceleration = HN_TAKE(arena, hn_vec3, bodies);
  s->wrench = HN_TAKE(arena, hn_wrench, bodies);
  s->forces = HN_TAKE(arena, hn_force_value, model->force_count);
  s->lambda = HN_TAKE(arena, double, rows);
  s->phi = HN_TAKE(arena, double, rows);
  s->phi_rate = HN_TAKE(arena, double, rows);
  s->phi_acceleration = HN_TAKE(arena, double, rows);
  s->phi_time_rate = HN_TAKE(arena, double, rows);
  s->ud = HN_TAKE(arena, double, equations->nu);
  s->qdd = HN_TAKE(arena, double, equations->nq);
  int outputs = 0;
  for (int p = 0; p < model->part_count; p++) outputs += model->parts[p].facts->output_count;
  s->hidden_outputs = HN_TAKE(arena, double, outputs);
  *snapshot = s;
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

void hn_equations_release(hn_equations *equations) {
  if (equations && equations->type->release) equations->type->release(equations);
}

hn_status hn_branches_create(hn_arena *arena, const hn_elements *elements, hn_branches *branches) {
  branches->force = HN_TAKE(arena, hn_branch, elements->model->force_count);
  branches->driver = HN_TAKE(arena, int, elements->model->driver_count);
  branches->turns = HN_TAKE(arena, double, elements->turn_count);
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

void hn_branches_classify(const hn_elements *elements, const hn_frame *frames, double t,
                          hn_branches *branches) {
  for (int f = 0; f < elements->model->force_count; f++)
    branches->force[f] = hn_force_branch(elements, f, frames, branches->turns, t);
  for (int d = 0; d < elements->model->driver_count; d++)
    branches->driver[d] = hn_driver_time_branch(elements, d, t);
}

static int time_branch(const hn_branches *branches, const hn_row *row) {
  return row->driver >= 0 ? branches->driver[row->driver] : 0;
}

// Sum of -lambda times the row gradients of one body, as a wrench about its centre of mass.
static hn_wrench joint_wrench(const hn_elements *elements, int joint, int body,
                              const hn_snapshot *snapshot, const hn_branches *branches) {
  hn_wrench sum = {{0, 0, 0}, {0, 0, 0}};
  for (int r = elements->joint_row[joint]; r < elements->joint_row[joint + 1]; r++) {
    const hn_row *row = &elements->rows[r];
    hn_row_speeds s;
    hn_row_in_speeds(elements, row, snapshot->frames, branches->turns, snapshot->t,
                     time_branch(branches, row), &s);
    for (int k = 0; k < row->body_count; k++) {
      if (row->body[k] != body) continue;
      sum.force = vec3_add_scaled(sum.force, -snapshot->lambda[r], s.n[k]);
      sum.torque = vec3_add_scaled(sum.torque, -snapshot->lambda[r], s.m[k]);
    }
  }
  return sum;
}

hn_wrench hn_joint_reaction(const hn_elements *elements, int joint, const hn_snapshot *snapshot,
                            const hn_branches *branches) {
  const hn_joint_def *def = &elements->model->joints[joint];
  // On ground there is no row gradient: action equals reaction through the first body.
  int on_ground = def->frame2.body == HN_GROUND;
  int body = on_ground ? def->frame1.body : def->frame2.body;
  hn_wrench w = joint_wrench(elements, joint, body, snapshot, branches);
  const hn_frame *f = &snapshot->frames[body], *f2 = &snapshot->frames[def->frame2.body];
  hn_vec3 point = vec3_add(f2->r, mat3_apply(f2->a, def->frame2.position));
  w.torque = vec3_sub(w.torque, vec3_cross(vec3_sub(point, f->r), w.force));
  if (on_ground) {
    w.force = vec3_negate(w.force);
    w.torque = vec3_negate(w.torque);
  }
  return w;
}
