// Knife edges, stops, friction of joints (conditions.h).
#include "equations/rigid/rigid.h"

#include <math.h>

#include "elements/force.h"
#include "linalg/rank.h"
#include "model/contact.h"

static void add(struct hn_extra *extra, int *count, struct hn_extra one) {
  if (extra) extra[*count] = one;
  ++*count;
}

static void add_stops(const hn_force_def *def, struct hn_extra one, struct hn_extra *extra,
                      int *count) {
  one.kind = HN_EXTRA_STOP;
  one.restitution = def->number[HN_STOP_RESTITUTION];
  one.is_soft = hn_force_is_soft_stop(def);
  for (int side = 0; side < 2; side++) {
    one.sign = side == 0 ? 1 : -1;
    one.end = side == 0 ? def->lower : def->upper;
    if (isfinite(one.end)) add(extra, count, one);
  }
}

int hn_extras_list(const hn_elements *elements, struct hn_extra *extra) {
  const hn_model *model = elements->model;
  int count = 0;
  for (int j = 0; j < model->joint_count; j++)
    if (model->joints[j].type == HN_JOINT_KNIFE_EDGE)
      add(extra, &count, (struct hn_extra){.kind = HN_EXTRA_EDGE, .joint = j, .force = -1});
  for (int f = 0; f < model->force_count; f++) {
    const hn_force_def *def = &model->forces[f];
    if (!hn_force_is_rigid(def)) continue;
    struct hn_extra one = {
        .joint = def->joint, .force = f, .measure = elements->force_coordinate[f]};
    if (def->type == HN_FORCE_JOINT_STOP) {
      add_stops(def, one, extra, &count);
      continue;
    }
    one.kind = HN_EXTRA_FRICTION;
    one.slide = def->magnitude;
    one.stick = fmax(def->magnitude, def->number[HN_FRICTION_STATIC]);
    add(extra, &count, one);
  }
  return count;
}

// d . u and its rate, where d turns with body 2 and u is the velocity of the point of body 2 against
// body 1.
static hn_touch_row edge_row(const hn_elements *elements, const struct hn_extra *extra,
                             const hn_frame *frames) {
  const hn_joint_def *def = &elements->model->joints[extra->joint];
  const hn_frame *f1 = &frames[def->frame1.body], *f2 = &frames[def->frame2.body];
  const hn_vec3 arm2 = mat3_apply(f2->a, def->frame2.position);
  const hn_vec3 arm1 = vec3_sub(vec3_add(f2->r, arm2), f1->r);
  const hn_vec3 axis = mat3_column(quat_matrix(def->frame2.orientation), 2);
  const hn_vec3 d = mat3_apply(f2->a, axis);
  const hn_vec3 v2 = vec3_add(f2->v, vec3_cross(f2->w, arm2));
  const hn_vec3 u = vec3_sub(v2, vec3_add(f1->v, vec3_cross(f1->w, arm1)));
  const hn_vec3 rest =
      vec3_sub(vec3_cross(f2->w, vec3_cross(f2->w, arm2)), vec3_cross(f1->w, vec3_sub(v2, f1->v)));
  hn_touch_row row = {.body = {def->frame1.body, def->frame2.body}};
  vec3_store(&row.block[0][0], vec3_negate(d));
  vec3_store(&row.block[0][3], vec3_negate(vec3_cross(arm1, d)));
  vec3_store(&row.block[1][0], d);
  vec3_store(&row.block[1][3], vec3_cross(arm2, d));
  row.speed = vec3_dot(d, u);
  row.rest = vec3_dot(d, rest) + vec3_dot(vec3_cross(f2->w, d), u);
  return row;
}

hn_touch_row hn_extra_row(const hn_elements *elements, const struct hn_extra *extra,
                          const hn_frame *frames, const double *turns) {
  if (extra->kind == HN_EXTRA_EDGE) return edge_row(elements, extra, frames);
  const hn_measure *measure = &elements->measures[extra->measure];
  hn_measure_speeds m;
  hn_measure_in_speeds(measure, frames, turns, &m);
  const double sign = extra->kind == HN_EXTRA_STOP ? extra->sign : 1;
  hn_touch_row row = {.body = {measure->body[0], measure->body[1]},
                      .rest = sign * m.quadratic,
                      .value = sign * (m.value - extra->end),
                      .speed = sign * m.rate};
  for (int side = 0; side < 2; side++) {
    vec3_store(&row.block[side][0], vec3_scale(sign, m.n[side]));
    vec3_store(&row.block[side][3], vec3_scale(sign, m.m[side]));
  }
  return row;
}

void hn_extra_motion(const hn_elements *elements, const struct hn_extra *extra,
                     const hn_frame *frames, const double *turns, double *value, double *rate) {
  *value = *rate = 0;
  if (extra->kind == HN_EXTRA_EDGE) return;
  hn_measure_rate(&elements->measures[extra->measure], frames, turns, value, rate);
  if (extra->kind != HN_EXTRA_STOP) return;
  *value = extra->sign * (*value - extra->end);
  *rate *= extra->sign;
}

// The rank of the rows of the problem that are chosen: all, or normals of contacts alone.
static int rank_of(hn_rigid *self, int normals_only) {
  hn_friction_problem *f = &self->problem;
  int count = 0;
  for (int k = 0; k < f->parts; k++) {
    const int is_point = f->part[k].law == HN_FRICTION_STUCK;
    const int rows = normals_only ? is_point : hn_friction_rows(f->part[k].law);
    for (int i = 0; i < rows; i++) f->order[count++] = f->part[k].row + i;
  }
  for (int j = 0; j < count; j++)
    for (int i = 0; i < count; i++)
      f->jacobian[(size_t)j * (size_t)count + (size_t)i] =
          f->w[(size_t)f->order[j] * (size_t)f->rows + (size_t)f->order[i]];
  for (int i = 0; i < count; i++) f->right[i] = 0;
  return hn_least_norm(f->jacobian, count, count, HN_RANK_SOLVED, f->right, f->step, f->order,
                       f->work, NULL);
}

hn_status hn_rigid_held_rank(hn_equations *e, double t, const double *q, const double *qd,
                             const hn_branches *branches, int *positions, int *velocities) {
  hn_rigid *self = hn_rigid_of(e);
  *positions = *velocities = self->count = 0;
  for (int i = 0; i < self->base.point_count && !self->base.is_many; i++) {
    if (!hn_extra_of(&self->base, i) && !self->base.rule[i / HN_CONTACT_POINTS]) continue;
    if (branches->grips->grip[i] != HN_GRIP_OPEN && hn_touch_is_held(&self->base, i) &&
        self->count < self->base.most)
      self->point[self->count++] = i;
  }
  if (self->count == 0) return HN_OK;
  hn_status status = hn_rigid_factor(e, t, q, qd, branches);
  if (status == HN_OK) status = hn_rigid_take(e, self->frames, branches->grips, HN_RIGID_LISTED);
  if (status == HN_OK) status = hn_rigid_respond(e);
  if (status != HN_OK) return status;
  *positions = rank_of(self, 1);
  *velocities = rank_of(self, 0) - *positions;
  return HN_OK;
}
