// Projected Gauss-Seidel over many contacts (sweeps.h).
#include "contact/sweeps.h"

#include <math.h>

#include "contact/leaps.h"

enum { PARTING = 20 }; // sweeps

static hn_vec3 respond(const hn_sweep_body *b, hn_vec3 arm, hn_vec3 direction) {
  const hn_vec3 turn = mat3_apply(b->inertia_inverse, vec3_cross(arm, direction));
  return vec3_add_scaled(vec3_cross(turn, arm), b->mass_inverse, direction);
}

void hn_sweep_prepare(const hn_sweep_body *bodies, hn_sweep_point *c) {
  for (int j = 0; j < 3; j++) {
    const hn_vec3 x = vec3_add(respond(&bodies[c->body[0]], c->arm[0], c->axis[j]),
                               respond(&bodies[c->body[1]], c->arm[1], c->axis[j]));
    for (int i = 0; i < 3; i++) c->w[i][j] = vec3_dot(c->axis[i], x);
  }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < i; j++) c->w[i][j] = c->w[j][i] = 0.5 * (c->w[i][j] + c->w[j][i]);
}

void hn_sweep_velocity(const hn_sweep_body *bodies, const hn_sweep_point *c, double u[3]) {
  const hn_sweep_body *a = &bodies[c->body[0]], *b = &bodies[c->body[1]];
  const hn_vec3 of_a = vec3_add(a->v, vec3_cross(a->w, c->arm[0]));
  const hn_vec3 of_b = vec3_add(b->v, vec3_cross(b->w, c->arm[1]));
  const hn_vec3 x = vec3_sub(of_b, of_a);
  for (int i = 0; i < 3; i++) u[i] = vec3_dot(c->axis[i], x);
}

void hn_sweep_push(hn_sweep_body *bodies, const hn_sweep_point *c, const double p[3]) {
  hn_vec3 force = vec3_scale(p[0], c->axis[0]);
  force = vec3_add_scaled(force, p[1], c->axis[1]);
  force = vec3_add_scaled(force, p[2], c->axis[2]);
  for (int side = 0; side < 2; side++) {
    if (c->body[side] == 0) continue;
    hn_sweep_body *b = &bodies[c->body[side]];
    const double sign = side == 0 ? -1 : 1;
    const hn_vec3 turn = mat3_apply(b->inertia_inverse, vec3_cross(c->arm[side], force));
    b->v = vec3_add_scaled(b->v, sign * b->mass_inverse, force);
    b->w = vec3_add_scaled(b->w, sign, turn);
  }
}

static void solve_point(hn_sweep_body *bodies, hn_sweep_point *c) {
  double u[3], q[3], p[3], change[3];
  hn_sweep_velocity(bodies, c, u);
  u[0] += c->shift + c->give * c->p[0];
  for (int i = 0; i < 3; i++)
    q[i] = u[i] - (c->w[i][0] * c->p[0] + c->w[i][1] * c->p[1] + c->w[i][2] * c->p[2]);
  hn_cone_solve(c->w, q, c->mu, &c->slowness, p);
  for (int i = 0; i < 3; i++) {
    change[i] = p[i] - c->p[i];
    c->p[i] = p[i];
  }
  if (change[0] != 0 || change[1] != 0 || change[2] != 0) hn_sweep_push(bodies, c, change);
}

double hn_sweep_residual(const hn_sweep_body *bodies, const hn_sweep_point *points, int count) {
  double most = 0;
  for (int k = 0; k < count; k++) {
    const hn_sweep_point *c = &points[k];
    double u[3];
    hn_sweep_velocity(bodies, c, u);
    u[0] += c->shift + c->give * c->p[0];
    const double rho = 1 / fmax(c->w[0][0], fmax(c->w[1][1], c->w[2][2]));
    most = fmax(most, hn_cone_residual(c->mu, rho, c->p, u));
  }
  return most;
}

int hn_sweep_solve(hn_sweep_body *bodies, hn_sweep_point *points, int count, hn_leaps *leaps,
                   double enough, int most, double *residual) {
  int sweeps = 0;
  const int leaps_fit = count <= leaps->room;
  hn_leaps_begin(leaps);
  *residual = hn_sweep_residual(bodies, points, count);
  while (*residual > enough && sweeps < most) {
    if (leaps_fit && sweeps > 0) hn_leaps_take(leaps, bodies, points, count);
    if (leaps_fit) hn_leaps_mark(leaps, points, count);
    for (int k = 0; k < count; k++) solve_point(bodies, &points[k]);
    for (int k = count - 1; k >= 0; k--) solve_point(bodies, &points[k]);
    sweeps += 2;
    *residual = hn_sweep_residual(bodies, points, count);
  }
  return sweeps;
}

static double normal_velocity(const hn_sweep_body *bodies, const hn_sweep_point *c) {
  const hn_sweep_body *a = &bodies[c->body[0]], *b = &bodies[c->body[1]];
  const hn_vec3 of_a = vec3_add(a->v, vec3_cross(a->w, c->arm[0]));
  const hn_vec3 of_b = vec3_add(b->v, vec3_cross(b->w, c->arm[1]));
  return vec3_dot(c->axis[0], vec3_sub(of_b, of_a));
}

void hn_sweep_part(hn_sweep_body *bodies, hn_sweep_point *points, int count, double share) {
  for (int k = 0; k < count; k++) points[k].push = 0;
  for (int sweep = 0; sweep < PARTING; sweep++)
    for (int k = 0; k < count; k++) {
      hn_sweep_point *c = &points[k];
      if (c->is_soft) continue;
      if (!(c->w[0][0] > 0)) continue; // massless bodies: their joints move them
      const double wanted = c->gap < 0 ? -share * c->gap : -c->gap;
      const double push = fmax(0, c->push - (normal_velocity(bodies, c) - wanted) / c->w[0][0]);
      const double change[3] = {push - c->push, 0, 0};
      c->push = push;
      if (change[0] != 0) hn_sweep_push(bodies, c, change);
    }
}
