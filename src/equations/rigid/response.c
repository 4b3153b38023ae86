// Constraints of contact points and the response of the model to forces along them (rigid.h).
#include <math.h>
#include <string.h>

#include "equations/rigid/rigid.h"
#include "model/contact.h"

#define TOUCHES 1e-6 // m: a point of a closed pair that is further away is open

static hn_touch_row make_row(const hn_rigid *self, int k, hn_vec3 direction,
                             const hn_frame *frames) {
  const hn_contact_pair *pair = &self->base.contacts->pairs[self->point[k] / HN_CONTACT_POINTS];
  hn_touch_row row = {.body = {pair->body[0], pair->body[1]}};
  for (int side = 0; side < 2; side++) {
    const hn_vec3 n = side == 0 ? vec3_negate(direction) : direction;
    const hn_vec3 arm = vec3_sub(self->geometry[k].point, frames[pair->body[side]].r);
    vec3_store(&row.block[side][0], n);
    vec3_store(&row.block[side][3], vec3_cross(arm, n));
  }
  row.rest = vec3_dot(direction, self->motion[k].u_rest);
  row.speed = vec3_dot(direction, self->motion[k].u);
  return row;
}

// The direction of slip in tangents; without slip that of the step before. A slip that has just
// turned round within the step keeps its sign, so that friction is smooth there; one that comes to
// rest in it keeps its direction, or sideways slip by rounding would grow without bounds.
static void slip_direction(const hn_rigid *self, int k, hn_vec3 known, int straight,
                           double out[2]) {
  const hn_vec3 slip = self->motion[k].slip;
  const double speed = vec3_norm(slip);
  hn_vec3 d = known;
  if (speed > HN_RIGID_SLIP && !straight)
    d = vec3_scale((vec3_dot(slip, known) < 0 ? -1 : 1) / speed, slip);
  const double x = vec3_dot(d, self->tangent[k][0]), y = vec3_dot(d, self->tangent[k][1]);
  const double size = sqrt(x * x + y * y);
  out[0] = size > 0 ? x / size : 0;
  out[1] = size > 0 ? y / size : 0;
}

static int find_feature(const struct hn_grips *grips, int first, int feature) {
  for (int j = first; j < first + HN_CONTACT_POINTS; j++)
    if (grips->feature[j] == feature) return j;
  return -1;
}

void hn_rigid_number(const hn_conditions *self, const struct hn_grips *grips, int p,
                     const hn_contact_point *points, int count, int *number) {
  const int first = p * HN_CONTACT_POINTS;
  const int varies = hn_contact_varies(self->contacts, &self->contacts->pairs[p]);
  int is_taken[HN_CONTACT_POINTS] = {0};
  for (int i = 0; i < count; i++) {
    number[i] = varies ? find_feature(grips, first, points[i].feature) : first + i;
    if (number[i] >= 0) is_taken[number[i] - first] = 1;
  }
  // new points in contact replace closed ones that vanished: corners of coinciding faces change
  // their features by rounding alone
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < count; i++)
      for (int j = 0; number[i] < 0 && j < HN_CONTACT_POINTS; j++) {
        const int is_open = grips->grip[first + j] == HN_GRIP_OPEN;
        if (is_taken[j] || is_open != (pass == 1)) continue;
        if (!is_open && !(fabs(points[i].gap) < TOUCHES)) continue;
        number[i] = first + j;
        is_taken[j] = 1;
      }
}

// One row. Those of velocities alone hold no positions.
static hn_status take_extra(const hn_equations *e, const hn_frame *frames,
                            const struct hn_grips *grips, int k, int normal_only) {
  hn_rigid *self = hn_rigid_of(e);
  const int point = self->point[k];
  const struct hn_extra *extra = hn_extra_of(&self->base, point);
  hn_friction_problem *f = &self->problem;
  if (normal_only && extra->kind != HN_EXTRA_STOP) return HN_RETRY;
  hn_friction_part *part = &f->part[k];
  *part = (hn_friction_part){.law = extra->kind == HN_EXTRA_EDGE   ? HN_FRICTION_HELD
                                    : extra->kind == HN_EXTRA_STOP ? HN_FRICTION_NORMAL
                                                                   : HN_FRICTION_LIMITED,
                             .row = f->rows,
                             .limit = extra->stick};
  self->soft[k] = 0;
  self->grips[k] = extra->kind == HN_EXTRA_FRICTION ? grips->grip[point] : HN_GRIP_STICK;
  if (self->grips[k] == HN_GRIP_SLIDE) {
    part->law = HN_FRICTION_DRAGGED;
    part->limit = -grips->direction[point].x * extra->slide;
  }
  self->geometry[k] = (hn_contact_point){.normal = {0, 0, 1}};
  self->motion[k] = (hn_contact_motion){.gap_rate = 0};
  self->row[f->rows] = hn_extra_row(e->elements, extra, frames, grips->turns);
  if (extra->kind == HN_EXTRA_FRICTION) self->motion[k].slip.x = self->row[f->rows].speed;
  f->rows++;
  return HN_OK;
}

// The points of the pair that was evaluated last: closed points of a pair follow each other.
typedef struct points_of_pair {
  int pair, count;
  hn_contact_point points[HN_CONTACT_POINTS];
  int number[HN_CONTACT_POINTS];
} points_of_pair;

static const hn_contact_point *find_point(const hn_rigid *self, const hn_frame *frames,
                                          const struct hn_grips *grips, int point,
                                          points_of_pair *at) {
  const int p = point / HN_CONTACT_POINTS;
  if (at->pair != p) {
    at->pair = p;
    at->count = hn_contact_points(self->base.contacts, &self->base.contacts->pairs[p],
                                  grips->mode[p], frames, HN_CONTACT_RATES, at->points);
    hn_rigid_number(&self->base, grips, p, at->points, at->count, at->number);
  }
  for (int i = at->count - 1; i >= 0; i--)
    if (at->number[i] == point) return &at->points[i];
  return NULL;
}

static hn_status take_point(hn_rigid *self, const hn_frame *frames, const struct hn_grips *grips,
                            int k, int normal_only, points_of_pair *at) {
  const int point = self->point[k], p = point / HN_CONTACT_POINTS;
  const hn_contact_pair *pair = &self->base.contacts->pairs[p];
  const hn_contact_def *rule = self->base.rule[p];
  const hn_contact_point *there = find_point(self, frames, grips, point, at);
  if (!there) return HN_RETRY;
  self->geometry[k] = *there;
  self->motion[k] = hn_contact_motion_of(there, &frames[pair->body[0]], &frames[pair->body[1]]);
  hn_contact_tangents(there->normal, self->tangent[k]);
  hn_friction_problem *f = &self->problem;
  hn_friction_part *part = &f->part[k];
  const int rolls = rule->law == HN_CONTACT_ROLLING;
  const int is_smooth = (!(hn_contact_static_friction(rule) > 0) && !rolls) || normal_only;
  *part = (hn_friction_part){.law = is_smooth                             ? HN_FRICTION_NORMAL
                                    : grips->grip[point] == HN_GRIP_SLIDE ? HN_FRICTION_SLIDING
                                                                          : HN_FRICTION_CONE,
                             .row = f->rows,
                             .mu = hn_contact_static_friction(rule)};
  if (rolls && !normal_only) part->law = HN_FRICTION_STUCK;
  self->soft[k] = grips->soft[point];
  self->grips[k] = is_smooth || rolls ? HN_GRIP_STICK : grips->grip[point];
  if (part->law == HN_FRICTION_SLIDING) {
    part->mu = rule->friction;
    slip_direction(self, k, grips->direction[point], grips->straight[point], part->direction);
  }
  self->row[f->rows] = make_row(self, k, there->normal, frames);
  self->row[f->rows].rest = self->motion[k].gap_rest;
  self->row[f->rows].value = there->gap;
  for (int i = 0; !is_smooth && i < 2; i++)
    self->row[f->rows + 1 + i] = make_row(self, k, self->tangent[k][i], frames);
  f->rows += is_smooth ? 1 : 3;
  return HN_OK;
}

static hn_status list_closed(hn_rigid *self, const struct hn_grips *grips) {
  self->count = 0;
  for (int p = 0; p < self->base.contacts->pair_count; p++)
    for (int i = 0; self->base.rule[p] && i < HN_CONTACT_POINTS; i++) {
      const int point = p * HN_CONTACT_POINTS + i;
      if (grips->grip[point] == HN_GRIP_OPEN) continue;
      if (self->count == self->base.most) return HN_ERROR_LIMIT;
      self->point[self->count++] = point;
    }
  for (int point = self->base.first_extra; point < self->base.point_count; point++) {
    if (grips->grip[point] == HN_GRIP_OPEN) continue;
    if (self->count == self->base.most) return HN_ERROR_LIMIT;
    self->point[self->count++] = point;
  }
  return HN_OK;
}

hn_status hn_rigid_take(hn_equations *e, const hn_frame *frames, const struct hn_grips *grips,
                        hn_touch_choice choice) {
  hn_rigid *self = hn_rigid_of(e);
  hn_status status = choice == HN_RIGID_LISTED ? HN_OK : list_closed(self, grips);
  points_of_pair at;
  at.pair = -1;
  self->problem.rows = 0;
  for (int k = 0; k < self->count && status == HN_OK;) {
    const int holds = choice == HN_RIGID_HOLDING;
    status = hn_extra_of(&self->base, self->point[k])
                 ? take_extra(e, frames, grips, k, holds)
                 : take_point(self, frames, grips, k, holds, &at);
    if (status == HN_OK) k++;
    if (status != HN_RETRY) continue;
    status = HN_OK; // a point that is not there any more
    self->count--;
    for (int i = k; i < self->count; i++) self->point[i] = self->point[i + 1];
  }
  self->problem.parts = self->count;
  return status;
}

// ---- responses ----------------------------------------------------------------------------------

// A row of velocities of bodies, 6 each.
static double along_bodies(const hn_touch_row *row, const double *x) {
  double sum = 0;
  for (int side = 0; side < 2; side++) {
    if (row->body[side] == HN_GROUND) continue;
    const double *xb = &x[6 * (row->body[side] - 1)];
    for (int i = 0; i < 6; i++) sum += row->block[side][i] * xb[i];
  }
  return sum;
}

static double dot(const double *a, const double *b, int count) {
  double sum = 0;
  for (int i = 0; i < count; i++) sum += a[i] * b[i];
  return sum;
}

// Of active row r.
static double along(const hn_equations *e, int r, const double *x) {
  const hn_rigid *self = hn_rigid_of(e);
  if (!self->g) return along_bodies(&self->row[r], x);
  return dot(&self->g[(size_t)r * (size_t)e->nu], x, e->nu);
}

hn_status hn_rigid_respond(hn_equations *e) {
  hn_rigid *self = hn_rigid_of(e);
  const hn_response_type *responses = self->set->responses;
  hn_friction_problem *f = &self->problem;
  const size_t nu = (size_t)e->nu, rows = (size_t)e->elements->row_count;
  hn_status status = HN_OK;
  for (int r = 0; r < f->rows && status == HN_OK; r++) {
    double *g = self->g ? &self->g[(size_t)r * nu] : NULL;
    if (g) responses->in_speeds(e, &self->row[r], g);
    self->bias[r] = responses->bias ? responses->bias(e, &self->row[r]) : 0;
    status = responses->respond(e, &self->row[r], g, &self->x[(size_t)r * nu],
                                &self->y[(size_t)r * rows]);
  }
  for (int j = 0; j < f->rows && status == HN_OK; j++)
    for (int i = 0; i <= j; i++) {
      const double w =
          0.5 * (along(e, i, &self->x[(size_t)j * nu]) + along(e, j, &self->x[(size_t)i * nu]));
      f->w[(size_t)j * (size_t)f->rows + (size_t)i] = w;
      f->w[(size_t)i * (size_t)f->rows + (size_t)j] = w;
    }
  return status;
}

void hn_rigid_accelerations(hn_equations *e, const double *ud) {
  hn_rigid *self = hn_rigid_of(e);
  for (int r = 0; r < self->problem.rows; r++)
    self->problem.q[r] = along(e, r, ud) + (self->row[r].rest + self->bias[r]);
}

double hn_rigid_acceleration(hn_equations *e, const hn_touch_row *row, const double *ud) {
  hn_rigid *self = hn_rigid_of(e);
  const hn_response_type *responses = self->set->responses;
  if (!self->g) return along_bodies(row, ud) + row->rest;
  responses->in_speeds(e, row, self->moved);
  const double bias = responses->bias ? responses->bias(e, row) : 0;
  return dot(self->moved, ud, e->nu) + (row->rest + bias);
}

void hn_rigid_load(const hn_equations *e, int r, double p, double *f) {
  const hn_rigid *self = hn_rigid_of(e);
  const hn_touch_row *row = &self->row[r];
  for (int i = 0; self->g && i < e->nu; i++)
    f[i] += p * self->g[(size_t)r * (size_t)e->nu + (size_t)i];
  for (int side = 0; !self->g && side < 2; side++)
    for (int i = 0; row->body[side] != HN_GROUND && i < 6; i++)
      f[6 * (row->body[side] - 1) + i] += p * row->block[side][i];
}

void hn_rigid_add(const hn_equations *e, const double *p, double *x) {
  const hn_rigid *self = hn_rigid_of(e);
  for (int r = 0; r < self->problem.rows; r++) {
    const double *response = &self->x[(size_t)r * (size_t)e->nu];
    for (int i = 0; p[r] != 0 && i < e->nu; i++) x[i] += p[r] * response[i];
  }
}

void hn_rigid_frames(hn_equations *e, const double *q, const double *qd) {
  const hn_coordinates *c = e->type->coordinates;
  (c->motions ? c->motions : c->frames)(e, q, qd, hn_rigid_of(e)->frames);
}

hn_status hn_rigid_factor(hn_equations *e, double t, const double *q, const double *qd,
                          const hn_branches *branches) {
  hn_rigid *self = hn_rigid_of(e);
  hn_rigid_frames(e, q, qd);
  return self->set->responses->factor(e, t, q, qd, self->frames, branches);
}

hn_vec3 hn_rigid_force(const hn_rigid *self, int k, const double *p) {
  const hn_friction_part *part = &self->problem.part[k];
  if (hn_extra_of(&self->base, self->point[k])) return vec3_zero();
  hn_vec3 force = vec3_scale(p[part->row], self->geometry[k].normal);
  for (int i = 0; hn_friction_rows(part->law) == 3 && i < 2; i++)
    force = vec3_add_scaled(force, p[part->row + 1 + i], self->tangent[k][i]);
  return force;
}
