// Contact with a force law: every point of a pair of shapes pushes by its depth and rubs by its slip.
//
// With depth d = -gap, its rate dd = -gap', slip u_t of body 2 over body 1 and s = |u_t|:
//
//   N   = E(d) (1 + a dd),  E = K d^n or a table; linear: E + D dd      never below zero
//   T   = -N phi(s) u_t,    phi = (mu + (mu_s - mu) exp(-(s/v_s)^2)) tanh(s/v_t) / s
//   F   = N n + T on body 2 at the middle point c, -F on body 1
//
// The potential is the integral of E; everything else is power. Derivatives against small motions
// of both bodies follow from those of n and c (contact/contact.h), and are chained into q as a
// user's are.
//
// Branch: state = mode * 3^8 + sum state of point k * 3^k, each apart, touching, or touching without
// load (it leaves faster than it springs back).
#include <limits.h>
#include <math.h>
#include <string.h>

#include "contact/contact.h"
#include "elements/force_types.h"
#include "math/law.h"
#include "model/contact.h"

enum { APART, TOUCHES, UNLOADED, STATES };

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
    double power = d > 0 ? pow(d, c->exponent - 1) : c->exponent > 1 ? 0 : 1;
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

// phi(s) and phi'(s)/s; both are finite at rest.
static void rub_of(const hn_contact_def *c, double s, double *phi, double *phi_s) {
  double v = c->transition, x = s / v, y = s / c->stribeck;
  double ratio, ratio_d; // tanh(x)/x, and its derivative over x
  if (x < 0.02) {
    double q = x * x;
    ratio = 1 - q / 3 + 2 * q * q / 15;
    ratio_d = -2.0 / 3 + 8 * q / 15;
  } else {
    double t = tanh(x);
    ratio = t / x;
    ratio_d = ((1 - t * t) / x - t / (x * x)) / x;
  }
  double extra = (hn_contact_static_friction(c) - c->friction) * exp(-y * y);
  double mu = c->friction + extra, mu_s = -2 * extra / (c->stribeck * c->stribeck); // over s
  *phi = mu * ratio / v;
  *phi_s = mu * ratio_d / (v * v * v) + mu_s * ratio / v;
}

// ---- one point ----------------------------------------------------------------------------------

typedef struct load {
  push push;
  double d, dd, phi, phi_s;
  hn_vec3 u, slip, force;
  int state;
} load;

static hn_vec3 relative_velocity(const pair_here *p, hn_vec3 c) {
  hn_vec3 v1 = vec3_add(p->body1->v, vec3_cross(p->body1->w, vec3_sub(c, p->body1->r)));
  hn_vec3 v2 = vec3_add(p->body2->v, vec3_cross(p->body2->w, vec3_sub(c, p->body2->r)));
  return vec3_sub(v2, v1);
}

// wanted: the state on which it is to be evaluated, or HN_BRANCH_FREE.
static load load_of(const pair_here *p, const hn_contact_point *at, int wanted) {
  load l = {.d = -at->gap, .state = wanted};
  if (wanted == APART || !at->is_inside) {
    l.state = APART;
    return l;
  }
  l.u = relative_velocity(p, at->point);
  l.dd = -vec3_dot(at->normal, l.u);
  l.slip = vec3_add_scaled(l.u, l.dd, at->normal);
  l.push = push_of(p->rule, l.d, l.dd);
  if (wanted == HN_BRANCH_FREE) l.state = !(l.d > 0) ? APART : l.push.n > 0 ? TOUCHES : UNLOADED;
  if (l.state == APART) return l;
  if (l.state == UNLOADED) l.push.n = l.push.n_d = l.push.n_dd = 0;
  if (p->rule->friction > 0 || hn_contact_static_friction(p->rule) > 0)
    rub_of(p->rule, vec3_norm(l.slip), &l.phi, &l.phi_s);
  l.force = vec3_add_scaled(vec3_scale(l.push.n, at->normal), -l.push.n * l.phi, l.slip);
  return l;
}

// The points of a branch; *states gets the state of each. Points that come and go have no frozen ones.
static int points_of(const pair_here *p, const hn_frame *frames, hn_branch branch, int derivatives,
                     hn_contact_point *points, int *states) {
  int is_free = branch.state == HN_BRANCH_FREE;
  int mode = is_free ? hn_contact_mode(p->contacts, p->pair, frames, 0)
                     : branch.state / HN_CONTACT_STATES - 1;
  int code = is_free ? 0 : branch.state % HN_CONTACT_STATES;
  if (!is_free && code == 0) return 0; // all apart
  int count = hn_contact_points(p->contacts, p->pair, mode, frames, derivatives, points);
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
  int count = hn_contact_points(p.contacts, p.pair, mode, frames, 0, points), code = 0;
  for (int k = count - 1; k >= 0; k--) {
    load l = load_of(&p, &points[k], HN_BRANCH_FREE);
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
  int count = points_of(&p, frames, branch, 0, points, states);
  out->state = branch.state;
  for (int k = 0; k < count; k++) {
    load l = load_of(&p, &points[k], states[k]);
    if (l.d > out->deflection || k == 0) {
      out->deflection = l.d;
      out->rate = l.dd;
    }
    if (l.state == APART) continue;
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

// What changes with one small motion: of the normal, the place, and the velocity there.
typedef struct change {
  hn_vec3 normal, point, u, r[2];
  double gap;
} change;

static hn_vec3 column(const double d[3][12], int k) { return vec3(d[0][k], d[1][k], d[2][k]); }

static change change_of_pose(const pair_here *p, const hn_contact_point *at, int k) {
  change c = {.normal = column(at->normal_d, k), .point = column(at->point_d, k)};
  hn_vec3 e = vec3(k % 3 == 0, k % 3 == 1, k % 3 == 2), arm[2];
  arm[0] = vec3_sub(at->point, p->body1->r);
  arm[1] = vec3_sub(at->point, p->body2->r);
  if (k % 6 < 3) c.r[k / 6] = e;
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
  double turn = pushed * l->phi + l->push.n * l->phi_s * vec3_dot(l->slip, slip);
  return vec3_add_scaled(vec3_add_scaled(f, -turn, l->slip), -l->push.n * l->phi, slip);
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

static hn_status contact_in_q(const hn_elements *elements, const hn_force_def *force,
                              const hn_frame *frames, double t, hn_branch branch,
                              hn_force_tangent *out) {
  (void)t;
  pair_here p = pair_of(elements, force, frames);
  hn_contact_point points[HN_CONTACT_POINTS];
  int states[HN_CONTACT_POINTS];
  int count = points_of(&p, frames, branch, 1, points, states);
  const int body[2] = {force->frame1.body, force->frame2.body};
  out->body[0] = body[0];
  out->body[1] = body[1];
  hn_wrench wrench[2] = {{{0, 0, 0}, {0, 0, 0}}, {{0, 0, 0}, {0, 0, 0}}};
  hn_wrench_derivatives d;
  memset(&d, 0, sizeof d);
  int touching = 0;
  for (int k = 0; k < count; k++) {
    load l = load_of(&p, &points[k], states[k]);
    if (l.state != TOUCHES) continue;
    hn_wrench own[2];
    touching++;
    hn_contact_wrench(&points[k], p.body1, p.body2, l.force, own);
    for (int k1 = 0; k1 < 2; k1++) add_wrench(&wrench[p.slot[k1]], &own[k1]);
    for (int j = 0; j < 12; j++) {
      change pose = change_of_pose(&p, &points[k], j), speed = change_of_speed(&p, &points[k], j);
      add_column(&p, &points[k], &l, &pose, d.pose, j);
      add_column(&p, &points[k], &l, &speed, d.velocity, j);
    }
  }
  if (touching > 0) hn_wrenches_in_q(body, frames, wrench, &d, out);
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
static int has_rates(const hn_force_def *force) { return force != NULL; }

const hn_force_row hn_row_HN_FORCE_CONTACT = {.in_speeds = contact_in_speeds,
                                              .in_q = contact_in_q,
                                              .branch = contact_branch,
                                              .step_limit = contact_step_limit,
                                              .states = contact_states,
                                              .has_rates = has_rates};
