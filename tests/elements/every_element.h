// Fills a hand model with every joint type, driver, force, law and road, on random frames.
#ifndef HN_TESTS_ELEMENTS_EVERY_ELEMENT_H
#define HN_TESTS_ELEMENTS_EVERY_ELEMENT_H

#include "elements/hand_model.h"

static inline hn_quat random_rotation(hn_random *random) {
  double p[4];
  do hn_random_fill(random, p, 4, -1, 1);
  while (quat_dot(quat_load(p), quat_load(p)) < 0.1);
  return quat_unit(quat_load(p));
}

static inline hn_vec3 random_vector(hn_random *random, double size) {
  double v[3];
  hn_random_fill(random, v, 3, -size, size);
  return vec3_load(v);
}

// ---- joints and drivers -------------------------------------------------------------------------

static inline hn_frame_on_body random_frame(hn_random *random, int body) {
  hn_vec3 position = random_vector(random, 0.7);
  return (hn_frame_on_body){body, position, random_rotation(random)};
}

static inline int add_random_joint(hand_model *hand, hn_random *random, hn_joint_type type,
                                   int body1, int body2) {
  hn_joint_def joint = hn_default_joint(type);
  joint.frame1 = random_frame(random, body1);
  joint.frame2 = random_frame(random, body2);
  joint.length = 0.8;
  joint.pitch = 0.3;
  return hand_add_joint(hand, joint);
}

static inline int add_coupled(hand_model *hand, hn_joint_type type, int count, const int *joints,
                              const hn_coordinate *coordinates, const double *coefficients) {
  hn_joint_def joint = hn_default_joint(type);
  joint.coupled_count = count;
  joint.constant = 0.4;
  for (int k = 0; k < count; k++) {
    joint.coupled[k] = joints[k];
    joint.coupled_coordinate[k] = coordinates[k];
    joint.coefficient[k] = coefficients[k];
    for (int p = 0; type == HN_JOINT_COUPLER && k > 0 && p < 3; p++)
      joint.curve[k][p] = 0.3 * k - 0.2 * p; // the first is straight
  }
  return hand_add_joint(hand, joint);
}

static inline void add_every_joint(hand_model *hand, hn_random *random) {
  for (int type = 0; type < HN_JOINT_TYPES; type++) {
    if (type == HN_JOINT_GEAR || type == HN_JOINT_RACK_PINION || type == HN_JOINT_COUPLER) continue;
    add_random_joint(hand, random, (hn_joint_type)type, 1, 2);
  }
  int hinge = add_random_joint(hand, random, HN_JOINT_REVOLUTE, 0, 1);
  int hinge2 = add_random_joint(hand, random, HN_JOINT_REVOLUTE, 2, 3);
  int slide = add_random_joint(hand, random, HN_JOINT_TRANSLATIONAL, 3, 4);
  int cross = add_random_joint(hand, random, HN_JOINT_UNIVERSAL, 4, 1);
  add_coupled(hand, HN_JOINT_GEAR, 2, (int[]){hinge, hinge2},
              (hn_coordinate[]){HN_COORDINATE_ANGLE, HN_COORDINATE_ANGLE}, (double[]){1, -2.5});
  add_coupled(hand, HN_JOINT_RACK_PINION, 2, (int[]){hinge2, slide},
              (hn_coordinate[]){HN_COORDINATE_ANGLE, HN_COORDINATE_DISPLACEMENT},
              (double[]){-0.2, 1});
  add_coupled(hand, HN_JOINT_COUPLER, 4, (int[]){hinge, slide, cross, cross},
              (hn_coordinate[]){HN_COORDINATE_ANGLE, HN_COORDINATE_DISPLACEMENT,
                                HN_COORDINATE_ANGLE, HN_COORDINATE_ANGLE2},
              (double[]){1, 2, -0.7, 0.3});
}

static inline void add_every_driver(hand_model *hand, hn_random *random) {
  static const char *const time[] = {"t"};
  for (int j = 0; j < hand->model.joint_count && hand->model.driver_count < 5; j++)
    for (int c = 0; c < HN_COORDINATES; c++) {
      if (!hn_joint_has_coordinate(hand->joints[j].type, (hn_coordinate)c)) continue;
      if (hand->model.driver_count == c) { // one for each of the first coordinates
        hn_driver_def driver = hn_default_driver(HN_DRIVER_JOINT);
        driver.joint = j;
        driver.coordinate = (hn_coordinate)c;
        driver.law = hand_expression(hand, "0.4*sin(3*t) + t^3", time, 1);
        hand_add_driver(hand, driver);
      }
    }
  hn_driver_def point = hn_default_driver(HN_DRIVER_POINT);
  point.coordinate = HN_COORDINATE_Y;
  point.frame1 = random_frame(random, 3);
  point.frame2 = random_frame(random, 1);
  point.law = hand_polynomial(hand, 0.1, -2, 3);
  hand_add_driver(hand, point);
  hn_driver_def distance = hn_default_driver(HN_DRIVER_DISTANCE);
  distance.frame1 = random_frame(random, 0);
  distance.frame2 = random_frame(random, 4);
  distance.law = hand_expression(hand, "exp(-t)", time, 1);
  hand_add_driver(hand, distance);
}

// ---- forces -------------------------------------------------------------------------------------

static const char *const xvt[] = {"x", "v", "t"};

static inline hn_force_def between(hn_force_type type, hn_random *random, int body1, int body2) {
  hn_force_def force = hn_default_force(type);
  force.frame1 = random_frame(random, body1);
  force.frame2 = random_frame(random, body2);
  return force;
}

// One force for each kind of law in each place.
static inline void add_with_every_law(hand_model *hand, hn_force_def force) {
  static const double breaks[] = {0.2, 1.0};
  static const double rows[] = {1, 2, 30, -2, 8, 20, 5, 6, -9};
  static const double x[] = {-8, -3.1, -1.2, 0.3, 1.4, 2.9, 8}, y[] = {5, -3, 1, 6, 4, -2, 3};
  hn_force_def f = force;
  f.of_x = hand_polynomial(hand, -3, 40, 7);
  f.of_v = hand_polynomial(hand, 0, 5, 0.4);
  hand_add_force(hand, f);
  f = force;
  f.of_x = hand_piecewise(hand, breaks, rows, 3, 3);
  f.of_v = hand_piecewise(hand, breaks, rows, 3, 3);
  f.of_t = hand_piecewise(hand, breaks, rows, 3, 3);
  hand_add_force(hand, f);
  f = force;
  f.of_x = hand_table(hand, x, y, 7, HN_TABLE_LINEAR);
  f.of_t = hand_expression(hand, "8*sin(5*t)", xvt + 2, 1);
  hand_add_force(hand, f);
  f = force;
  f.of_x = hand_expression(hand, "9*x*x*x + cos(x)", xvt, 1);
  hand_add_force(hand, f);
  f = force;
  f.of_xvt = hand_expression(hand, "sin(x + 2*v)*exp(-t) + x*v*t", xvt, 3);
  hand_add_force(hand, f);
}

static inline void add_joint_forces(hand_model *hand, hn_random *random) {
  int hinge = add_random_joint(hand, random, HN_JOINT_REVOLUTE, 1, 2);
  int slide = add_random_joint(hand, random, HN_JOINT_CYLINDRICAL, 0, 3);
  hn_force_def spring = hn_default_force(HN_FORCE_JOINT_SPRING_DAMPER);
  spring.joint = slide;
  spring.coordinate = HN_COORDINATE_DISPLACEMENT;
  add_with_every_law(hand, spring);
  hn_force_def rotational = hn_default_force(HN_FORCE_ROTATIONAL_SPRING_DAMPER);
  rotational.joint = hinge;
  rotational.coordinate = HN_COORDINATE_ANGLE;
  add_with_every_law(hand, rotational);
  hn_force_def friction = hn_default_force(HN_FORCE_JOINT_FRICTION);
  friction.joint = hinge;
  friction.magnitude = 30;
  friction.transition = 2;
  friction.viscous = 0.6;
  hand_add_force(hand, friction);
  hn_force_def stop = hn_default_force(HN_FORCE_JOINT_STOP);
  stop.joint = slide;
  stop.coordinate = HN_COORDINATE_DISPLACEMENT;
  stop.stiffness[0] = 500;
  stop.damping[0] = 20;
  stop.upper = 10;
  for (int k = 0; k < 3; k++) { // mostly beyond the lower, the upper limit, between both
    stop.lower = k == 0 ? 5 : -10;
    stop.upper = k == 1 ? -5 : 10;
    hand_add_force(hand, stop);
  }
}

static inline void add_loads(hand_model *hand, hn_random *random) {
  for (int following = 0; following < 2; following++)
    for (int k = 0; k < 2; k++) {
      hn_force_def load = between(k ? HN_FORCE_TORQUE : HN_FORCE_POINT_FORCE, random, HN_GROUND, 2);
      load.following = following;
      load.component_law[0] = hand_polynomial(hand, 3, -20, 5);
      load.component_law[1] =
          hand_piecewise(hand, (double[]){0.5}, (double[]){1, 2, 30, 8, 20, 5}, 2, 3);
      load.component_law[2] = k ? NULL : hand_expression(hand, "20*cos(3*t)", xvt + 2, 1);
      hand_add_force(hand, load);
    }
}

// A user's force of everything: a nonlinear pull between the centers of mass and a torque of both
// spins and the third axis of the second body.
static inline hn_status user_law(void *context, double t, const hn_body_motion body[2],
                                 hn_wrench wrench[2], double d_pose[12][12],
                                 double d_velocity[12][12], double d_time[12]) {
  (void)context;
  hn_vec3 d = vec3_sub(body[1].position, body[0].position);
  hn_vec3 dd = vec3_sub(body[1].velocity, body[0].velocity),
          axis = mat3_column(body[1].rotation, 2);
  hn_vec3 spin = vec3_sub(body[1].angular_velocity, body[0].angular_velocity);
  double square = vec3_dot(d, d), wave = cos(2 * t);
  wrench[1].force = vec3_add(vec3_scale(-square * wave, d), vec3_scale(-3, dd));
  wrench[0].force = vec3_negate(wrench[1].force);
  wrench[1].torque = vec3_add(vec3_scale(-4 * vec3_dot(axis, spin), axis), vec3_scale(t, axis));
  wrench[0].torque = vec3_negate(wrench[1].torque);
  if (!d_pose) return HN_OK;
  // d axis = dpi x axis = -axis~ dpi
  hn_mat3 turn = mat3_scale(-1, mat3_skew(axis));
  hn_mat3 f_d = mat3_add(mat3_scale(-square * wave, mat3_identity()),
                         mat3_scale(-2 * wave, mat3_outer(d, d)));
  double along = vec3_dot(axis, spin);
  hn_mat3 n_axis =
      mat3_add(mat3_scale(t - 4 * along, mat3_identity()), mat3_scale(-4, mat3_outer(axis, spin)));
  hn_mat3 n_pi = mat3_multiply(n_axis, turn), n_w = mat3_scale(-4, mat3_outer(axis, axis));
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 2; k++) {
        double own = k ? 1 : -1;
        d_pose[6 * k + 3 + i][9 + j] = own * n_pi.m[i][j];
        for (int l = 0; l < 2; l++) {
          double sign = own * (l ? 1 : -1);
          d_pose[6 * k + i][6 * l + j] = sign * f_d.m[i][j];
          d_velocity[6 * k + i][6 * l + j] = sign * (i == j ? -3 : 0);
          d_velocity[6 * k + 3 + i][6 * l + 3 + j] = sign * n_w.m[i][j];
        }
      }
    double f_t = 2 * sin(2 * t) * square * vec3_get(d, i);
    d_time[6 + i] = f_t;
    d_time[i] = -f_t;
    d_time[9 + i] = vec3_get(axis, i);
    d_time[3 + i] = -vec3_get(axis, i);
  }
  return HN_OK;
}

static inline void add_every_force(hand_model *hand, hn_random *random) {
  add_with_every_law(hand, between(HN_FORCE_SPRING_DAMPER, random, 1, 2));
  add_with_every_law(hand, between(HN_FORCE_SPRING_DAMPER, random, HN_GROUND, 3));
  add_with_every_law(hand, between(HN_FORCE_ROTATIONAL_SPRING_DAMPER, random, 2, 3));
  hn_force_def leaf = between(HN_FORCE_LEAF_SPRING, random, 4, 1);
  leaf.offset = 0.3;
  add_with_every_law(hand, leaf);
  hn_force_def bushing = between(HN_FORCE_BUSHING, random, 3, 4);
  hn_random_fill(random, bushing.stiffness, 6, 10, 100);
  hn_random_fill(random, bushing.damping, 6, 1, 10);
  hand_add_force(hand, bushing);
  add_joint_forces(hand, random);
  add_loads(hand, random);
  hn_force_def user = between(HN_FORCE_USER, random, 2, 4);
  user.user = (hn_user_force){user_law, NULL, 1, 0};
  hand_add_force(hand, user);
}

// ---- roads --------------------------------------------------------------------------------------

static const double stairs_x[] = {0, 1, 1.5, 1.6, 3, 3.02},
                    stairs_z[] = {0.2, 0.2, 0.5, 0.9, 0.8, 0.5};
static const double table_x[] = {-0.2, 0.8, 1.8, 2.8}, table_z[] = {0.1, 0.5, 0.2, 0.35};

static inline void add_every_road(hand_model *hand) {
  hn_road_def flat = hn_default_road(HN_ROAD_FLAT);
  flat.height = 0.1;
  hand_add_road(hand, flat);
  hn_road_def stairs = hn_default_road(HN_ROAD_POLYLINE);
  stairs.x = stairs_x;
  stairs.z = stairs_z;
  stairs.count = 6;
  hand_add_road(hand, stairs);
  hn_road_def bump = hn_default_road(HN_ROAD_COSINE_BUMP);
  bump.start = 0.3;
  bump.length = 2.5;
  bump.height = 0.4;
  bump.speed = -1.5;
  hand_add_road(hand, bump);
  hn_road_def log = hn_default_road(HN_ROAD_HALF_CYLINDER);
  log.start = 1.2;
  log.radius = 0.5;
  hand_add_road(hand, log);
  log.envelope = 0.6;
  log.speed = 0.8;
  hand_add_road(hand, log);
  hn_road_def table = hn_default_road(HN_ROAD_TABLE);
  table.x = table_x;
  table.z = table_z;
  table.count = 4;
  table.speed = 0.7;
  hand_add_road(hand, table);
}

#endif
