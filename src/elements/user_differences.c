// Derivatives of a user's force by central differences, where the user gives none. Bodies are moved
// rigidly, also in the differences.
//
// Step: (rounding unit * size)^(1/3), size the larger of 1 and the quantity: rounding noise
// size * 1e-16 / step and the error of the formula, step^2, are then of the same order, about
// 1e-10.
#include <float.h>

#include "elements/force.h"
#include "elements/force_types.h"
#include "math/elementary.h"

enum { WRENCHES = 12 };

// Where the motion is changed: components 0..2 translation or velocity, 3..5 rotation or angular
// velocity of one of the bodies.
typedef struct change {
  int body, component, is_velocity;
} change;

static double step_of(double size) { return hn_cbrt(DBL_EPSILON * fmax(fabs(size), 1)); }

static double *component_of(hn_vec3 *v, int k) { return k == 0 ? &v->x : k == 1 ? &v->y : &v->z; }

static hn_vec3 *vector_of(hn_body_motion *motion, change c) {
  if (c.is_velocity) return c.component < 3 ? &motion->velocity : &motion->angular_velocity;
  return &motion->position;
}

// The motion changed by h; returns by how much it did change after rounding.
static double apply(hn_body_motion motion[2], change c, double h) {
  hn_body_motion *body = &motion[c.body];
  if (c.component < 3 || c.is_velocity) {
    double *x = component_of(vector_of(body, c), c.component % 3), before = *x;
    *x += h;
    return *x - before;
  }
  double axis[3] = {0, 0, 0};
  axis[c.component - 3] = 1;
  hn_mat3 turn = quat_matrix(quat_from_axis_angle(vec3_load(axis), h));
  body->rotation = mat3_multiply(turn, body->rotation);
  return h;
}

static double size_of(const hn_body_motion motion[2], change c) {
  hn_body_motion copy = motion[c.body];
  if (c.component >= 3 && !c.is_velocity) return 1;
  return *component_of(vector_of(&copy, c), c.component % 3);
}

static hn_status evaluate(const hn_user_force *user, double t, const hn_body_motion motion[2],
                          double out[WRENCHES]) {
  hn_wrench wrench[2] = {{{0, 0, 0}, {0, 0, 0}}, {{0, 0, 0}, {0, 0, 0}}};
  hn_status status = user->evaluate(user->context, t, motion, wrench, NULL, NULL, NULL);
  for (int k = 0; k < 2; k++) {
    vec3_store(&out[6 * k], wrench[k].force);
    vec3_store(&out[6 * k + 3], wrench[k].torque);
  }
  return status;
}

static hn_status difference_column(const hn_user_force *user, double t,
                                   const hn_body_motion motion[2], change c,
                                   double out[WRENCHES][WRENCHES]) {
  double value[2][WRENCHES], moved[2], h = step_of(size_of(motion, c));
  for (int side = 0; side < 2; side++) {
    hn_body_motion there[2] = {motion[0], motion[1]};
    moved[side] = apply(there, c, side ? h : -h);
    hn_status status = evaluate(user, t, there, value[side]);
    if (status != HN_OK) return status;
  }
  for (int i = 0; i < WRENCHES; i++)
    out[i][6 * c.body + c.component] = (value[1][i] - value[0][i]) / (moved[1] - moved[0]);
  return HN_OK;
}

static hn_status difference_time(const hn_user_force *user, double t,
                                 const hn_body_motion motion[2], double out[WRENCHES]) {
  double before[WRENCHES], after[WRENCHES], h = step_of(t), earlier = t - h, later = t + h;
  hn_status status = evaluate(user, earlier, motion, before);
  if (status == HN_OK) status = evaluate(user, later, motion, after);
  for (int i = 0; i < WRENCHES && status == HN_OK; i++)
    out[i] = (after[i] - before[i]) / (later - earlier);
  return status;
}

hn_status hn_user_differences(const hn_user_force *user, double t, const hn_body_motion motion[2],
                              hn_wrench wrench[2], hn_force_load *out) {
  hn_status status = user->evaluate(user->context, t, motion, wrench, NULL, NULL, NULL);
  for (int k = 0; k < 24 && status == HN_OK; k++) {
    change c = {.body = k / 12, .component = k % 6, .is_velocity = k / 6 % 2};
    status = difference_column(user, t, motion, c, c.is_velocity ? out->d_speed : out->d_pose);
  }
  return status == HN_OK ? difference_time(user, t, motion, out->rate) : status;
}
