// Common parts of all coordinate sets: memory of a snapshot and of the branches of a step.
#include "equations/equations.h"

#include <limits.h>
#include <math.h>

#include "base/error.h"
#include "base/stream.h"
#include "base/variants.h"
#include "elements/joint_speeds.h"
#include "elements/sensor.h"
#include "equations/tangent.h"
#include "holon/component.h"

hn_status hn_snapshot_create(hn_arena *arena, const hn_equations *equations,
                             hn_snapshot **snapshot) {
  const hn_model *model = equations->model;
  int bodies = model->body_count, rows = equations->elements->row_count;
  hn_snapshot *s = HN_KEEP(arena, hn_snapshot, 1);
  if (!s) return HN_ERROR_MEMORY;
  s->frames = HN_KEEP(arena, hn_frame, bodies);
  s->acceleration = HN_KEEP(arena, hn_vec3, bodies);
  s->angular_acceleration = HN_KEEP(arena, hn_vec3, bodies);
  s->wrench = HN_KEEP(arena, hn_wrench, bodies);
  s->forces = HN_KEEP(arena, hn_force_value, model->force_count);
  s->lambda = HN_KEEP(arena, double, rows);
  s->phi = HN_KEEP(arena, double, rows);
  s->phi_rate = HN_KEEP(arena, double, rows);
  s->phi_acceleration = HN_KEEP(arena, double, rows);
  s->phi_time_rate = HN_KEEP(arena, double, rows);
  s->ud = HN_KEEP(arena, double, equations->nu);
  s->qdd = HN_KEEP(arena, double, equations->nq);
  if (equations->touch_points > 0) s->touch = HN_KEEP(arena, hn_touch, equations->touch_points);
  if (equations->type->complete) s->q = HN_KEEP(arena, double, equations->nq);
  int outputs = 0;
  for (int p = 0; p < model->part_count; p++) outputs += model->parts[p].facts->output_count;
  s->hidden_outputs = HN_KEEP(arena, double, outputs);
  *snapshot = s;
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

void hn_snapshot_complete(hn_equations *equations, const hn_branches *branches,
                          hn_snapshot *snapshot) {
  if (snapshot->is_partial) equations->type->complete(equations, branches, snapshot);
  snapshot->is_partial = HN_SNAPSHOT_WHOLE;
}

void hn_equations_initial(const hn_equations *equations, hn_frame *room, double *q, double *qd) {
  hn_given_frames(equations->model, room);
  equations->type->coordinates->from_frames(equations, room, q, qd);
}

void hn_equations_release(hn_equations *equations) {
  if (equations && equations->type->release) equations->type->release(equations);
}

hn_status hn_branches_create(hn_arena *arena, const hn_elements *elements, hn_branches *branches) {
  branches->force = HN_KEEP(arena, hn_branch, elements->force_branches);
  branches->driver = HN_KEEP(arena, int, elements->driver_branches);
  branches->turns = HN_KEEP(arena, double, elements->turn_count);
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

void hn_equations_declare(hn_arena *arena, hn_equations *e) {
  hn_state_owner(arena, "equations", HN_STATE_METHOD);
  HN_STATE(arena, e->redundant, e->redundant_size, "the mark of constraint");
  hn_state_within(arena, 0, 1);
  HN_STATE(arena, &e->redundant_count, 1, "the number of redundant constraints");
  hn_state_within(arena, 0, e->redundant_size + 1);
  if (e->orientation) {
    hn_state_declare(arena, e->orientation, 4 * (size_t)e->model->body_count, sizeof(double),
                     HN_STATE_DOUBLE, "orientation");
    hn_state_within(arena, -HUGE_VAL, HUGE_VAL);
  }
  hn_state_owner(arena, "equations", HN_STATE_RECORD);
  HN_STATE(arena, &e->evaluations, 1, "the count of evaluations");
  hn_state_within(arena, 0, (double)(LONG_MAX / 4));
  HN_STATE(arena, &e->factorizations, 1, "the count of factorizations");
  hn_state_within(arena, 0, (double)(LONG_MAX / 4));
  HN_STATE(arena, &e->unsolved_body, 1, "the body without inertia");
  hn_state_within(arena, -1, e->model->body_count - 1);
}

void hn_branches_classify(const hn_elements *elements, const hn_frame *frames, double t,
                          hn_branches *branches) {
  for (int f = 0; f < elements->model->force_count; f++)
    branches->force[f] = hn_force_branch(elements, f, frames, branches->turns, t);
  for (int d = 0; d < elements->model->driver_count; d++)
    branches->driver[d] = hn_driver_time_branch(elements, d, t);
  const hn_hidden_elements *hidden = elements->hidden;
  if (hidden)
    hidden->branches(hidden->context, t, frames, branches->turns, branches->force,
                     branches->driver);
}

hn_status hn_equations_project(hn_equations *e, hn_projected_state *p,
                               const hn_branches *branches) {
  hn_status status = HN_OK;
  p->is_open = 0;
  if (p->begin && e->type->project)
    return e->type->project(e, p->t, p->begin, p->q, p->qd, branches, p->tolerance, p->change[0]);
  if (!p->keeps_q)
    status = e->type->project_positions(e, p->t, p->q, branches, p->tolerance, p->change[0]);
  p->is_open = status > 0;
  if (status < 0 || (p->is_open && !p->is_forgiving)) return status;
  if (p->u) e->type->coordinates->rates(e, p->q, p->u, p->qd);
  return e->type->project_velocities(e, p->t, p->q, p->qd, branches, p->change[1]);
}

hn_status hn_equations_settle(hn_equations *e, hn_projected_state *p, const hn_branches *branches,
                              hn_snapshot *s, hn_error *error) {
  hn_status status = hn_equations_project(e, p, branches);
  return status != HN_OK ? status : e->type->evaluate(e, p->t, p->q, p->qd, branches, s, error);
}

hn_status hn_equations_look(hn_equations *e, hn_projected_state *p, const hn_branches *branches,
                            hn_snapshot *s, hn_error *error) {
  const hn_branches look = hn_branches_to_look(branches);
  return hn_equations_settle(e, p, &look, s, error);
}

hn_status hn_equations_jump(hn_equations *e, double t, const double *q, double *qd,
                            const hn_branches *branches, double *correction) {
  const hn_equations_type *type = e->type;
  return (type->jump ? type->jump : type->project_velocities)(e, t, q, qd, branches, correction);
}

void hn_given_frames(const hn_model *model, hn_frame *frames) {
  hn_drawn_frames(model, frames);
  for (int b = 1; b < model->body_count; b++) {
    hn_frame *f = &frames[b];
    f->v = model->bodies[b].velocity;
    f->w = model->bodies[b].angular_velocity;
    f->pd = quat_scale(0.5, euler_e_transposed(f->p, f->w));
  }
}

// ---- forces -------------------------------------------------------------------------------------

void hn_apply_weights(const hn_equations *equations, hn_snapshot *s, int from, int to) {
  const hn_model *model = equations->model;
  for (int b = from; b < to; b++) {
    hn_vec3 weight = vec3_scale(model->bodies[b].mass, model->gravity);
    s->wrench[b] = (hn_wrench){weight, {0, 0, 0}};
    s->potential -= vec3_dot(weight, s->frames[b].r);
  }
}

hn_status hn_apply_forces(const hn_equations *equations, double t, const hn_branches *branches,
                          hn_snapshot *s, hn_error *error) {
  s->wrench[0] = (hn_wrench){{0, 0, 0}, {0, 0, 0}};
  s->potential = s->power = 0;
  hn_apply_weights(equations, s, 1, equations->model->body_count);
  return hn_apply_elements(equations, t, branches, s, error);
}

hn_status hn_apply_elements(const hn_equations *equations, double t, const hn_branches *branches,
                            hn_snapshot *s, hn_error *error) {
  hn_elements_sense(equations->elements, s->frames, branches->turns);
  return hn_apply_some_forces(equations, 0, equations->model->force_count, t, branches, s, error);
}

hn_status hn_apply_some_forces(const hn_equations *equations, int from, int to, double t,
                               const hn_branches *branches, hn_snapshot *s, hn_error *error) {
  const hn_model *model = equations->model;
  for (int f = from; f < to; f++) {
    s->forces[f] = (hn_force_value){.value = 0};
    hn_status status = hn_force_in_speeds(equations->elements, f, s->frames, branches->turns, t,
                                          branches->force[f], s->wrench, &s->forces[f]);
    if (status != HN_OK) return hn_fail_force(model, f, status, t, error);
    s->potential += s->forces[f].potential;
    s->power += s->forces[f].power;
  }
  return HN_OK;
}

static int is_wrench_finite(const hn_wrench *w) {
  return isfinite(w->force.x + w->force.y + w->force.z) &&
         isfinite(w->torque.x + w->torque.y + w->torque.z);
}

// The first force that is not a number, with what its law was asked for. Returns HN_OK where all are.
static hn_status fail_by_force(const hn_equations *e, const hn_snapshot *s, double t,
                               hn_error *error) {
  char name[96], hint[200];
  for (int f = 0; f < e->model->force_count; f++) {
    const hn_force_def *force = &e->model->forces[f];
    const hn_force_value *v = &s->forces[f];
    if (isfinite(v->value) && isfinite(v->power) && isfinite(v->dissipated) &&
        isfinite(v->direction.x + v->direction.y + v->direction.z))
      continue;
    const int has_grown = !(fabs(v->deflection) < 1e20 && fabs(v->rate) < 1e20);
    if (has_grown)
      hn_text(
          hint, sizeof hint,
          "check what adds energy: negative damping or stiffness, a wrong sign, a missing unit");
    else
      hn_text(hint, sizeof hint, "its function must have a value at x = %.6g, v = %.6g, t = %.6g s",
              v->deflection, v->rate, t);
    return hn_fail(error, HN_ERROR_NOT_FINITE, &force->source,
                   hn_text(name, sizeof name, "force '%s'", force->name), hint,
                   "gives %s at t = %g s%s",
                   isinf(v->value) ? "an infinite value" : "a value that is not a number", t,
                   has_grown ? ": the motion grew without limit" : "");
  }
  return HN_OK;
}

hn_status hn_fail_not_finite(hn_equations *e, double t, const double *q, const double *qd,
                             const hn_branches *branches, hn_snapshot *s, hn_error *error) {
  char name[96];
  const hn_model *model = e->model;
  e->type->coordinates->frames(e, q, qd, s->frames);
  hn_status status = hn_apply_forces(e, t, branches, s, error);
  if (status == HN_OK) status = fail_by_force(e, s, t, error);
  if (status != HN_OK) return status;
  for (int b = 1; b < model->body_count; b++) {
    const hn_body_def *body = &model->bodies[b];
    const hn_frame *f = &s->frames[b];
    const int moves = isfinite(f->r.x + f->r.y + f->r.z) && isfinite(f->v.x + f->v.y + f->v.z) &&
                      isfinite(f->w.x + f->w.y + f->w.z);
    if (moves && is_wrench_finite(&s->wrench[b])) continue;
    return hn_fail(error, HN_ERROR_NOT_FINITE, &body->source,
                   hn_text(name, sizeof name, "body '%s'", body->name),
                   "check forces and positions just before this time",
                   "%s that %s not finite at t = %g s",
                   moves ? "has forces" : "has a position or velocity", moves ? "are" : "is", t);
  }
  return hn_fail(error, HN_ERROR_NOT_FINITE, NULL, NULL,
                 "check for tiny masses and contradicting joints, or use other @coordinates; "
                 "positions, velocities and forces are finite",
                 "accelerations are not finite at t = %g s", t);
}

hn_status hn_fail_force(const hn_model *model, int force, hn_status status, double t,
                        hn_error *error) {
  const hn_force_def *def = &model->forces[force];
  char name[96];
  return hn_fail(error, status, &def->source, hn_text(name, sizeof name, "force '%s'", def->name),
                 "check the function of the force", "failed at t = %g s", t);
}

hn_status hn_fail_not_determined(const hn_body_def *body, double torque, double t,
                                 hn_error *error) {
  char name[96];
  return hn_fail(error, HN_ERROR_SINGULAR, &body->source,
                 hn_text(name, sizeof name, "body '%s'", body->name),
                 "give it inertia about every free axis, or fix that axis by a joint",
                 "has a torque of %.3g N m about an axis without inertia at t = %g s", torque, t);
}

hn_status hn_fail_unsolved(hn_status status, double t, hn_error *error) {
  return hn_fail(error, status, NULL, NULL,
                 "Check massless bodies, and joints that `holon check` lists as redundant",
                 "accelerations cannot be computed at t = %g s: %s", t, hn_status_text(status));
}

void hn_note_unsolved(hn_equations *equations, int body, double size, double *most) {
  if (body == 0 || !(size > *most) || !hn_body_is_light(&equations->model->bodies[body])) return;
  if (*most <= 0 && equations->unsolved_body != 0) return; // of another state
  *most = size;
  equations->unsolved_body = body;
}

void hn_take_driver_power(const hn_elements *elements, double t, const double *lambda,
                          const hn_branches *branches, double *power) {
  for (int d = 0; d < elements->model->driver_count; d++) {
    int r = elements->driver_row[d];
    *power -= lambda[r] * hn_law_evaluate(elements->rows[r].law, branches->driver[d], t).d1;
  }
}

hn_status hn_power_at(const hn_equations *equations, double t, const hn_frame *frames,
                      const double *lambda, const hn_branches *branches, hn_wrench *room,
                      double *power) {
  const hn_elements *elements = equations->elements;
  *power = 0;
  hn_elements_sense(elements, frames, branches->turns);
  for (int f = 0; f < equations->model->force_count; f++) {
    if (!hn_force_has_power(equations->model, f)) continue;
    hn_status status =
        hn_force_in_step(elements, f, frames, branches->turns, t, branches->force[f], room, power);
    if (status != HN_OK) return status;
  }
  hn_take_driver_power(elements, t, lambda, branches, power);
  return HN_OK;
}

// ---- rows on bodies -----------------------------------------------------------------------------

// Blocks whose numbers, 24 MB, do not stay in any cache until they are read.
enum { MANY_BLOCKS = 500000 };

hn_status hn_cartesian_rows_create(hn_arena *arena, const hn_elements *elements,
                                   hn_cartesian_rows **rows) {
  const int count = elements->row_count, joints = elements->model->joint_count;
  const int blocks = elements->row_start[count];
  hn_cartesian_rows *out = HN_TAKE(arena, hn_cartesian_rows, 1);
  if (!out) return HN_ERROR_MEMORY;
  *out = (hn_cartesian_rows){.row_start = elements->row_start,
                             .body = elements->row_body,
                             .block = HN_KEEP(arena, double, 6 * blocks),
                             .value = HN_KEEP(arena, double, count),
                             .rate = HN_KEEP(arena, double, count),
                             .tau = HN_KEEP(arena, double, count),
                             .time_rate = HN_KEEP(arena, double, count),
                             .shapes = HN_TAKE(arena, hn_joint_shape, joints),
                             .fours = HN_TAKE(arena, unsigned char, joints),
                             .streams = blocks >= MANY_BLOCKS};
  if (arena->failed) return HN_ERROR_MEMORY;
  for (int j = 0; j < joints; j++) out->shapes[j] = hn_joint_shape_of(elements, j);
  for (int j = 0; hn_is_wide() && j + 4 <= joints; j++)
    if (hn_joints_alike(&out->shapes[j])) {
      out->fours[j] = 1;
      j += 3;
    }
  *rows = out;
  return HN_OK;
}

void hn_cartesian_evaluate_row(const hn_elements *elements, hn_cartesian_rows *rows, int r,
                               double t, const hn_frame *frames, const hn_branches *branches) {
  const hn_row *row = &elements->rows[r];
  int branch = row->driver >= 0 ? branches->driver[row->driver] : 0;
  hn_row_speeds s;
  hn_row_in_speeds(elements, row, frames, branches->turns, t, branch, &s);
  rows->value[r] = s.value;
  rows->rate[r] = s.rate;
  rows->tau[r] = s.tau;
  rows->time_rate[r] = s.time_rate;
  double *block = &rows->block[6 * rows->row_start[r]];
  for (int k = 0; k < row->body_count; k++, block += 6) {
    vec3_store(block, s.n[k]);
    vec3_store(block + 3, s.m[k]);
  }
}

void hn_cartesian_evaluate_joint(const hn_elements *elements, hn_cartesian_rows *rows, int joint,
                                 double t, const hn_frame *frames, const hn_branches *branches) {
  const hn_joint_shape *shape = &rows->shapes[joint];
  int r = elements->joint_row[joint];
  if (shape->rows == 0) {
    for (; r < elements->joint_row[joint + 1]; r++)
      hn_cartesian_evaluate_row(elements, rows, r, t, frames, branches);
    return;
  }
  hn_joint_in_speeds(shape, frames, &rows->value[r], &rows->rate[r], &rows->tau[r],
                     &rows->block[6 * rows->row_start[r]]);
}

// Joints of other kinds may read any body.
static int is_ready(const hn_joint_shape *shape, int count, int bodies, int all) {
  for (int k = 0; bodies < all && k < count; k++)
    if (shape[k].rows == 0 || shape[k].body[0] >= bodies || shape[k].body[1] >= bodies) return 0;
  return 1;
}

// Four joints at once; Phi_t stays 0. Constraints of a large model are read again when the last
// ones have long displaced the first from the caches.
static void evaluate_four(hn_cartesian_rows *rows, int joint, int r, const hn_frame *frames,
                          int is_stage) {
  double unused[2][4 * 6], room[4 * 6 * 12];
  const hn_joint_shape *four = &rows->shapes[joint];
  double *block = &rows->block[6 * rows->row_start[r]];
  hn_joints_in_speeds(four, frames, is_stage ? unused[0] : &rows->value[r],
                      is_stage ? unused[1] : &rows->rate[r], &rows->tau[r],
                      rows->streams ? room : block);
  if (rows->streams) hn_stream(block, room, (size_t)(4 * four[0].rows * 12));
}

// Frames of joints lie far apart in the model: those of the next four are asked for in time.
static void foresee_joints(const hn_joint_shape *shape) {
  for (int k = 0; k < 4; k++) {
    HN_PREFETCH(&shape[k].frame[0]->position);
    HN_PREFETCH(&shape[k].frame[0]->orientation.z);
    HN_PREFETCH(&shape[k].frame[1]->orientation.z);
  }
}

int hn_cartesian_evaluate_ready(hn_equations *equations, double t, const hn_frame *frames,
                                const hn_branches *branches, int is_stage, int joint, int bodies) {
  const hn_elements *elements = equations->elements;
  const int joints = elements->model->joint_count, all = elements->model->body_count;
  hn_cartesian_rows *rows = equations->rows;
  for (int count; joint < joints; joint += count) {
    count = rows->fours[joint] ? 4 : 1;
    if (!is_ready(&rows->shapes[joint], count, bodies, all)) return joint;
    if (count == 4 && joint + 12 <= joints) foresee_joints(&rows->shapes[joint + 8]);
    const int r = elements->joint_row[joint];
    if (count == 1)
      hn_cartesian_evaluate_joint(elements, rows, joint, t, frames, branches);
    else
      evaluate_four(rows, joint, r, frames, is_stage);
  }
  if (rows->streams) hn_stream_end();
  for (int r = elements->joint_row[joints]; bodies == all && r < elements->row_count; r++)
    hn_cartesian_evaluate_row(elements, rows, r, t, frames, branches);
  return joint;
}

const hn_cartesian_rows *hn_cartesian_evaluate_rows(hn_equations *equations, double t,
                                                    const hn_frame *frames,
                                                    const hn_branches *branches) {
  hn_cartesian_evaluate_ready(equations, t, frames, branches, 0, 0, equations->model->body_count);
  return equations->rows;
}

// ---- reactions ----------------------------------------------------------------------------------

static int time_branch(const hn_branches *branches, const hn_row *row) {
  return row->driver >= 0 ? branches->driver[row->driver] : 0;
}

// Sum of -lambda times the row gradients of one body, as a wrench about its center of mass.
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
