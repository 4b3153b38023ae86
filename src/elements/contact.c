// Compliant contact: every point of a pair of shapes has a normal force by its depth and friction
// by its slip.
//
// With depth d = -gap, its rate dd = -gap', slip u_t of body 2 over body 1 and s = |u_t|:
//
//   N   = E(d) (1 + a dd),  E = K d^n or a table; linear: E + D dd      never below zero
//   T   = -N tau(u_t),      friction, smooth or with bristles (contact_rub.h)
//   F   = N n + T on body 2 at the middle point c, -F on body 1
//
// The potential is the integral of E; everything else is power. Derivatives against small motions
// of both bodies follow from those of n and c (contact/contact.h), and are chained into q as a
// user's are.
//
// Bristles: three states a point, s0 z in the axes of body 1. An open point releases its bristle.
// If points appear and vanish within a feature pair, their features select the bristle.
//
// Branch: state = mode * 3^8 + sum state of point k * 3^k, each open, closed, or closed without
// load (it separates faster than the material recovers).
#include <limits.h>
#include <math.h>

#include "contact/contact.h"
#include "elements/contact_rub.h"
#include "elements/force_types.h"
#include "elements/states.h"
#include "math/elementary.h"
#include "math/law.h"
#include "model/contact.h"

#define RELEASE 100.0 // 1/s: rate at which the bristle of an open point relaxes

enum { APART, TOUCHES, UNLOADED, STATES = HN_CONTACT_POINT_STATES };

typedef struct pair_here {
  const hn_contacts *contacts;
  const hn_contact_pair *pair;
  const hn_contact_def *rule;
  const hn_frame *body1, *body2;
  int slot[2]; // which body of the force is body 1 of the pair, and body 2
} pair_here;

static pair_here pair_of(const hn_elements *elements, const hn_force_def *force,
                         const hn_frame *frames) {
  int pair = elements->force_pair[force - elements->model->forces];
  pair_here p = {.contacts = elements->contacts};
  p.pair = &elements->contacts->pairs[pair];
  p.rule = &elements->model->contacts[p.pair->rule];
  p.body1 = &frames[p.pair->body[0]];
  p.body2 = &frames[p.pair->body[1]];
  p.slot[0] = p.pair->body[0] == force->frame1.body ? 0 : 1;
  p.slot[1] = 1 - p.slot[0];
  return p;
}

// ---- laws ---------------------------------------------------------------------------------------

static double factor_of_rate(const hn_contact_def *c) {
  double e = c->restitution;
  if (c->damping >= 0) return c->damping;
  switch (c->law) {
  case HN_CONTACT_HUNT_CROSSLEY:
  case HN_CONTACT_TABLE: return 1.5 * (1 - e) / c->speed;
  case HN_CONTACT_LANKARANI: return 0.75 * (1 - e * e) / c->speed;
  case HN_CONTACT_FLORES: return 1.6 * (1 - e) / (e * c->speed);
  case HN_CONTACT_RIGID:
  case HN_CONTACT_LINEAR:
  case HN_CONTACT_HERTZ:
  case HN_CONTACT_ROLLING:
  case HN_CONTACT_SOFT:
  case HN_CONTACT_NONE:
  case HN_CONTACT_LAWS: break;
  }
  return 0;
}

typedef struct push {
  double elastic, elastic_d, stored; // E, dE/dd, its integral
  double n, n_d, n_dd;               // N and its derivatives by depth and rate
} push;

static push push_of(const hn_contact_def *c, double d, double dd) {
  push p = {0};
  double a = factor_of_rate(c);
  if (c->law == HN_CONTACT_TABLE) {
    hn_law_value v = hn_law_evaluate(c->depth_law, -1, d);
    p.elastic = v.value;
    p.elastic_d = v.d1;
    p.stored = v.integral - hn_law_evaluate(c->depth_law, -1, 0).integral;
  } else {
    double power = d > 0 ? hn_pow(d, c->exponent - 1) : c->exponent > 1 ? 0 : 1;
    p.elastic_d = c->stiffness * c->exponent * power;
    p.elastic = c->stiffness * power * d;
    p.stored = p.elastic * d / (c->exponent + 1);
  }
  if (c->law == HN_CONTACT_LINEAR) {
    p.n = p.elastic + a * dd;
    p.n_d = p.elastic_d;
    p.n_dd = a;
  } else {
    p.n = p.elastic * (1 + a * dd);
    p.n_d = p.elastic_d * (1 + a * dd);
    p.n_dd = p.elastic * a;
  }
  return p;
}

double hn_contact_load(const hn_contact_def *rule, double depth, double rate, int *state) {
  const double load = push_of(rule, depth, rate).n;
  *state = !(depth > 0) ? APART : load > 0 ? TOUCHES : UNLOADED;
  return load;
}

// ---- one point ----------------------------------------------------------------------------------

typedef struct load {
  push push;
  double d, dd;
  hn_vec3 u, force;
  hn_rub rub;
  int state;
} load;

// The bristle of a point as its states follow: g, and hat in global axes.
typedef struct bristle {
  double g;
  hn_vec3 hat;
} bristle;

static hn_vec3 relative_velocity(const pair_here *p, hn_vec3 c) {
  hn_vec3 v1 = vec3_add(p->body1->v, vec3_cross(p->body1->w, vec3_sub(c, p->body1->r)));
  hn_vec3 v2 = vec3_add(p->body2->v, vec3_cross(p->body2->w, vec3_sub(c, p->body2->r)));
  return vec3_sub(v2, v1);
}

// wanted: the state on which it is to be evaluated, or HN_BRANCH_FREE.
static load load_of(const pair_here *p, const hn_contact_point *at, int wanted, bristle own) {
  load l = {.d = -at->gap, .state = wanted};
  if (wanted == APART || !at->is_inside) {
    l.state = APART;
    return l;
  }
  l.u = relative_velocity(p, at->point);
  l.dd = -vec3_dot(at->normal, l.u);
  l.push = push_of(p->rule, l.d, l.dd);
  if (wanted == HN_BRANCH_FREE) l.state = !(l.d > 0) ? APART : l.push.n > 0 ? TOUCHES : UNLOADED;
  if (l.state == APART) return l;
  if (l.state == UNLOADED) l.push.n = l.push.n_d = l.push.n_dd = 0;
  hn_vec3 slip = vec3_add_scaled(l.u, l.dd, at->normal);
  l.rub = hn_rub_of(p->rule, slip, at->normal, own.g, own.hat);
  l.force = vec3_add_scaled(vec3_scale(l.push.n, at->normal), -l.push.n, l.rub.value);
  return l;
}

// ---- bristles -----------------------------------------------------------------------------------

// A sphere against anything but a mesh or a curve has one contact point.
static int is_ball(const hn_shape_def *shape) {
  return shape->touch == HN_TOUCH_SOLID && shape->type == HN_SHAPE_SPHERE;
}
static int is_many(const hn_shape_def *shape) {
  return shape->touch == HN_TOUCH_CURVE || shape->type == HN_SHAPE_MESH;
}

static int bristle_count(const hn_model *model, const hn_force_def *force) {
  const hn_shape_def *a = &model->shapes[force->shape1], *b = &model->shapes[force->shape2];
  if (!hn_contact_has_bristles(&model->contacts[force->rule])) return 0;
  return (is_ball(a) || is_ball(b)) && !is_many(a) && !is_many(b) ? 1 : HN_CONTACT_POINTS;
}

static int contact_own_states(const hn_model *model, const hn_force_def *force) {
  return 3 * bristle_count(model, force);
}

// Which bristle each point has: its place in the mode, or the next free one from its feature on.
static void choose_bristles(const pair_here *p, const hn_contact_point *points, int count,
                            int bristles, int *slot) {
  unsigned taken = 0;
  int varies = hn_contact_varies(p->contacts, p->pair);
  for (int k = 0; k < count; k++) {
    int at = varies ? (int)((unsigned)points[k].feature % (unsigned)bristles) : k % bristles;
    for (int i = 0; i < bristles && (taken >> at & 1U); i++) at = (at + 1) % bristles;
    taken |= 1U << at;
    slot[k] = at;
  }
}

static bristle read_bristle(const hn_elements *elements, const hn_force_def *force,
                            const pair_here *p, int slot) {
  bristle out = {0, {0, 0, 0}};
  double hat[3];
  for (int i = 0; i < 3; i++) {
    hn_own_state own = hn_force_own_state(elements, force, 3 * slot + i);
    out.g = own.g;
    hat[i] = own.hat / p->rule->bristle_stiffness;
  }
  out.hat = mat3_apply(p->body1->a, vec3_load(hat));
  return out;
}

// z and its rate back into the states; the part of z along the normal stays.
static void write_bristle(const hn_elements *elements, const hn_force_def *force,
                          const pair_here *p, int slot, hn_vec3 normal, const hn_rub *rub) {
  hn_vec3 z = vec3_add_scaled(rub->z, vec3_dot(normal, rub->hat), normal);
  hn_vec3 value = mat3_apply_transposed(p->body1->a, z),
          rate = mat3_apply_transposed(p->body1->a, hn_rub_bristle_rate(rub));
  for (int i = 0; i < 3; i++) {
    hn_own_state own = hn_force_own_state(elements, force, 3 * slot + i);
    *own.value = p->rule->bristle_stiffness * vec3_get(value, i);
    *own.rate = p->rule->bristle_stiffness * vec3_get(rate, i);
  }
}

// Releases all of them, as those of open points.
static void release_bristles(const hn_elements *elements, const hn_force_def *force, int bristles) {
  for (int k = 0; k < 3 * bristles; k++) {
    hn_own_state own = hn_force_own_state(elements, force, k);
    *own.value = own.hat / (1 + RELEASE * own.g);
    *own.rate = -RELEASE * *own.value;
  }
}

// The points of a branch; *states gets the state of each. Points that appear and vanish have no
// frozen ones.
static int points_of(const pair_here *p, const hn_frame *frames, hn_branch branch,
                     hn_contact_want want, hn_contact_point *points, int *states) {
  int is_free = branch.state == HN_BRANCH_FREE;
  int mode = is_free ? hn_contact_mode(p->contacts, p->pair, frames, 0)
                     : branch.state / HN_CONTACT_STATES - 1;
  int code = is_free ? 0 : branch.state % HN_CONTACT_STATES;
  if (!is_free && code == 0) return 0; // all apart
  int count = hn_contact_points(p->contacts, p->pair, mode, frames, want, points);
  is_free |= hn_contact_varies(p->contacts, p->pair);
  for (int k = 0; k < count; k++, code /= STATES)
    states[k] = is_free ? HN_BRANCH_FREE : code % STATES;
  return count;
}

static hn_branch contact_branch(const hn_elements *elements, const hn_force_def *force,
                                const hn_frame *frames, double t) {
  (void)t;
  pair_here p = pair_of(elements, force, frames);
  hn_contact_point points[HN_CONTACT_POINTS];
  int mode = hn_contact_mode(p.contacts, p.pair, frames, 0);
  int count = hn_contact_points(p.contacts, p.pair, mode, frames, HN_CONTACT_PLACES, points),
      code = 0;
  for (int k = count - 1; k >= 0; k--) {
    load l = load_of(&p, &points[k], HN_BRANCH_FREE, (bristle){0, {0, 0, 0}});
    code = code * STATES + l.state;
  }
  return (hn_branch){code > 0 ? (mode + 1) * HN_CONTACT_STATES + code : 0, 0};
}

static void add_wrench(hn_wrench *sum, const hn_wrench *own) {
  sum->force = vec3_add(sum->force, own->force);
  sum->torque = vec3_add(sum->torque, own->torque);
}

static hn_status contact_in_speeds(const hn_elements *elements, const hn_force_def *force,
                                   const hn_frame *frames, double t, hn_branch branch,
                                   hn_wrench *wrench, hn_force_value *out) {
  (void)t;
  pair_here p = pair_of(elements, force, frames);
  hn_contact_point points[HN_CONTACT_POINTS];
  int states[HN_CONTACT_POINTS];
  int count = points_of(&p, frames, branch, HN_CONTACT_PLACES, points, states);
  int bristles = bristle_count(elements->model, force), slot[HN_CONTACT_POINTS];
  out->state = branch.state;
  if (bristles > 0) {
    release_bristles(elements, force, bristles);
    choose_bristles(&p, points, count, bristles, slot);
  }
  for (int k = 0; k < count; k++) {
    bristle own_bristle = {0, {0, 0, 0}};
    if (bristles > 0) own_bristle = read_bristle(elements, force, &p, slot[k]);
    load l = load_of(&p, &points[k], states[k], own_bristle);
    if (l.d > out->deflection || k == 0) {
      out->deflection = l.d;
      out->rate = l.dd;
    }
    if (l.state == APART) continue;
    if (bristles > 0) write_bristle(elements, force, &p, slot[k], points[k].normal, &l.rub);
    hn_wrench own[2];
    hn_contact_wrench(&points[k], p.body1, p.body2, l.force, own);
    add_wrench(&wrench[p.pair->body[0]], &own[0]);
    add_wrench(&wrench[p.pair->body[1]], &own[1]);
    double power = vec3_dot(l.force, l.u) + l.push.elastic * l.dd;
    out->value += l.push.n;
    out->potential += l.push.stored;
    out->power += power;
    out->dissipated -= power;
    out->direction = vec3_add(out->direction, l.force);
  }
  return HN_OK;
}

// ---- derivatives --------------------------------------------------------------------------------

// Changes with one small motion: of the normal, the position, and the velocity there.
typedef struct change {
  hn_vec3 normal, point, u, r[2];
  hn_vec3 turn; // of body 1, with which bristles turn
  double gap;
} change;

static hn_vec3 column(const double d[3][12], int k) { return vec3(d[0][k], d[1][k], d[2][k]); }

static change change_of_pose(const pair_here *p, const hn_contact_point *at, int k) {
  change c = {.normal = column(at->normal_d, k), .point = column(at->point_d, k)};
  hn_vec3 e = vec3(k % 3 == 0, k % 3 == 1, k % 3 == 2), arm[2];
  arm[0] = vec3_sub(at->point, p->body1->r);
  arm[1] = vec3_sub(at->point, p->body2->r);
  if (k % 6 < 3) c.r[k / 6] = e;
  if (k >= 3 && k < 6) c.turn = e;
  hn_vec3 material = k % 6 < 3 ? e : vec3_cross(e, arm[k / 6]);
  c.gap = (k < 6 ? -1 : 1) * vec3_dot(at->normal, material);
  c.u = vec3_sub(vec3_cross(p->body2->w, vec3_sub(c.point, c.r[1])),
                 vec3_cross(p->body1->w, vec3_sub(c.point, c.r[0])));
  return c;
}

static change change_of_speed(const pair_here *p, const hn_contact_point *at, int k) {
  change c = {.gap = 0};
  hn_vec3 e = vec3(k % 3 == 0, k % 3 == 1, k % 3 == 2);
  hn_vec3 arm = vec3_sub(at->point, k < 6 ? p->body1->r : p->body2->r);
  hn_vec3 material = k % 6 < 3 ? e : vec3_cross(e, arm);
  c.u = vec3_scale(k < 6 ? -1 : 1, material);
  return c;
}

static hn_vec3 change_of_force(const load *l, hn_vec3 n, const change *c) {
  double rate = vec3_dot(c->normal, l->u) + vec3_dot(n, c->u); // of the gap's rate
  double pushed = -l->push.n_d * c->gap - l->push.n_dd * rate;
  hn_vec3 f = vec3_add_scaled(vec3_scale(pushed, n), l->push.n, c->normal);
  hn_vec3 slip = vec3_add_scaled(vec3_add_scaled(c->u, -rate, n), l->dd, c->normal);
  hn_vec3 rub = hn_rub_change(&l->rub, n, c->normal, slip, vec3_cross(c->turn, l->rub.hat));
  return vec3_add_scaled(vec3_add_scaled(f, -pushed, l->rub.value), -l->push.n, rub);
}

static void add_column(const pair_here *p, const hn_contact_point *at, const load *l,
                       const change *c, double d[12][12], int k) {
  hn_vec3 f = change_of_force(l, at->normal, c);
  int to = 6 * p->slot[k / 6] + k % 6;
  for (int body = 0; body < 2; body++) {
    double sign = body ? 1 : -1;
    hn_vec3 arm = vec3_sub(at->point, body ? p->body2->r : p->body1->r);
    hn_vec3 torque =
        vec3_add(vec3_cross(vec3_sub(c->point, c->r[body]), l->force), vec3_cross(arm, f));
    for (int i = 0; i < 3; i++) {
      d[6 * p->slot[body] + i][to] += sign * vec3_get(f, i);
      d[6 * p->slot[body] + 3 + i][to] += sign * vec3_get(torque, i);
    }
  }
}

static hn_status contact_in_poses(const hn_elements *elements, const hn_force_def *force,
                                  const hn_frame *frames, double t, hn_branch branch,
                                  hn_force_load *out) {
  (void)t;
  pair_here p = pair_of(elements, force, frames);
  hn_contact_point points[HN_CONTACT_POINTS];
  int states[HN_CONTACT_POINTS];
  int count = points_of(&p, frames, branch, HN_CONTACT_DERIVATIVES, points, states);
  out->body[0] = force->frame1.body;
  int bristles = bristle_count(elements->model, force), slot[HN_CONTACT_POINTS];
  if (bristles > 0) choose_bristles(&p, points, count, bristles, slot);
  for (int k = 0; k < count; k++) {
    bristle own_bristle = {0, {0, 0, 0}};
    if (bristles > 0) own_bristle = read_bristle(elements, force, &p, slot[k]);
    load l = load_of(&p, &points[k], states[k], own_bristle);
    if (l.state != TOUCHES) continue;
    hn_wrench own[2];
    hn_contact_wrench(&points[k], p.body1, p.body2, l.force, own);
    for (int i = 0; i < 6; i++) {
      out->wrench[6 * p.slot[0] + i] += vec3_get(i < 3 ? own[0].force : own[0].torque, i % 3);
      out->wrench[6 * p.slot[1] + i] += vec3_get(i < 3 ? own[1].force : own[1].torque, i % 3);
    }
    for (int j = 0; j < 12; j++) {
      change pose = change_of_pose(&p, &points[k], j), speed = change_of_speed(&p, &points[k], j);
      add_column(&p, &points[k], &l, &pose, out->d_pose, j);
      add_column(&p, &points[k], &l, &speed, out->d_speed, j);
    }
  }
  return HN_OK;
}

// ---- the row ------------------------------------------------------------------------------------

// So that nothing passes through something else between two looks: half a size of travel, and the gap.
static double contact_step_limit(const hn_elements *elements, const hn_force_def *force,
                                 const hn_frame *frames) {
  pair_here p = pair_of(elements, force, frames);
  return hn_contact_look_time(p.contacts, p.pair, frames);
}

static int contact_states(const hn_model *model, const hn_force_def *force) {
  return model && force ? INT_MAX : 0;
}
const hn_force_row hn_row_HN_FORCE_CONTACT = {.in_speeds = contact_in_speeds,
                                              .in_poses = contact_in_poses,
                                              .branch = contact_branch,
                                              .step_limit = contact_step_limit,
                                              .states = contact_states,
                                              .own_states = contact_own_states,
                                              .has_rates = hn_force_always};
