// Small models for tests: see machines.h.
#include "support/machines.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

#include "math/euler.h"

static hn_model *begin(hn_vec3 gravity) {
  hn_model *model = NULL;
  hn_status status = hn_model_create(NULL, &model);
  assert(status == HN_OK);
  status = hn_model_set_gravity(model, gravity);
  assert(status == HN_OK);
  (void)status;
  return model;
}

static hn_model *finish(hn_model *model) {
  hn_status status = hn_model_finish(model);
  if (status != HN_OK) fprintf(stderr, "%s\n", hn_model_error(model)->message);
  assert(status == HN_OK);
  (void)status;
  return model;
}

static int add_body(hn_model *model, const char *name, double mass, hn_vec3 inertia,
                    hn_vec3 position) {
  hn_body_def def = hn_default_body();
  int id = -1;
  def.name = name;
  def.mass = mass;
  vec3_store(def.inertia, inertia);
  def.inertia[3] = def.inertia[4] = def.inertia[5] = 0;
  def.position = position;
  hn_status status = hn_model_add_body(model, &def, &id);
  assert(status == HN_OK);
  (void)status;
  return id;
}

static void add_joint(hn_model *model, hn_joint_type type, const char *name, int body1, int body2,
                      hn_vec3 at, hn_vec3 axis) {
  hn_joint_def def = hn_default_joint(type);
  def.name = name;
  def.frame1 = hn_model_frame(model, body1, at, axis);
  def.frame2 = hn_model_frame(model, body2, at, axis);
  hn_status status = hn_model_add_joint(model, &def, NULL);
  assert(status == HN_OK);
  (void)status;
}

hn_model *hn_make_pendulum(void) {
  hn_model *model = begin(vec3(0, -9.81, 0));
  int bob = add_body(model, "bob", 1, vec3(0, 0, 0), vec3(-1, 0, 0));
  add_joint(model, HN_JOINT_REVOLUTE, "pin", HN_GROUND, bob, vec3(0, 0, 0), vec3(0, 0, 1));
  return finish(model);
}

hn_model *hn_make_four_bars(int n) {
  hn_model *model = begin(vec3(0, -9.81, 0));
  hn_vec3 upright = vec3(1.0 / 12, 1e-3, 1.0 / 12), level = vec3(1e-3, 1.0 / 12, 1.0 / 12);
  hn_vec3 z = vec3(0, 0, 1);
  char name[32];
  for (int i = 0; i <= n; i++) {
    hn_body_def def = hn_default_body();
    snprintf(name, sizeof name, "crank%d", i);
    def.name = name;
    vec3_store(def.inertia, upright);
    def.inertia[3] = def.inertia[4] = def.inertia[5] = 0;
    def.position = vec3(i, 0.5, 0);
    def.velocity = vec3(0.5, 0, 0);
    def.angular_velocity = vec3(0, 0, -1);
    hn_status status = hn_model_add_body(model, &def, NULL);
    assert(status == HN_OK);
    (void)status;
    snprintf(name, sizeof name, "ground%d", i);
    add_joint(model, HN_JOINT_REVOLUTE, name, HN_GROUND, i + 1, vec3(i, 0, 0), z);
  }
  for (int i = 0; i < n; i++) {
    hn_body_def def = hn_default_body();
    snprintf(name, sizeof name, "coupler%d", i);
    def.name = name;
    vec3_store(def.inertia, level);
    def.inertia[3] = def.inertia[4] = def.inertia[5] = 0;
    def.position = vec3(i + 0.5, 1, 0);
    def.velocity = vec3(1, 0, 0);
    int id = -1;
    hn_status status = hn_model_add_body(model, &def, &id);
    assert(status == HN_OK);
    (void)status;
    snprintf(name, sizeof name, "left%d", i);
    add_joint(model, HN_JOINT_REVOLUTE, name, i + 1, id, vec3(i, 1, 0), z);
    snprintf(name, sizeof name, "right%d", i);
    add_joint(model, HN_JOINT_REVOLUTE, name, id, i + 2, vec3(i + 1, 1, 0), z);
  }
  return finish(model);
}

double hn_four_bars_angle(int n, double time) {
  double g = 9.81 * ((n + 1) / 2.0 + n) / ((n + 1) / 3.0 + n);
  double phi = 0, rate = 1;
  int steps = (int)(time * 20000);
  double h = time / steps;
  for (int i = 0; i < steps; i++) {
    double k1 = rate, l1 = g * sin(phi);
    double k2 = rate + h / 2 * l1, l2 = g * sin(phi + h / 2 * k1);
    double k3 = rate + h / 2 * l2, l3 = g * sin(phi + h / 2 * k2);
    double k4 = rate + h * l3, l4 = g * sin(phi + h * k3);
    phi += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    rate += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
  }
  return phi;
}

hn_model *hn_make_free_body(hn_vec3 angular_velocity) {
  hn_model *model = begin(vec3(0, 0, 0));
  hn_body_def def = hn_default_body();
  def.name = "body";
  def.mass = 2;
  def.inertia[0] = 1;
  def.inertia[1] = 2;
  def.inertia[2] = 2.5;
  def.orientation = quat_from_axis_angle(vec3(1, 2, -1), 0.7);
  def.angular_velocity = angular_velocity;
  def.velocity = vec3(0.1, -0.2, 0.3);
  hn_status status = hn_model_add_body(model, &def, NULL);
  assert(status == HN_OK);
  (void)status;
  return finish(model);
}

hn_model *hn_make_oscillator(double stiffness, double damping, double z0) {
  hn_model *model = begin(vec3(0, 0, 0));
  int mass = add_body(model, "mass", 1, vec3(0.1, 0.1, 0.1), vec3(0, 0, z0));
  hn_joint_def guide = hn_default_joint(HN_JOINT_TRANSLATIONAL);
  guide.name = "guide";
  guide.frame1 = hn_model_frame(model, HN_GROUND, vec3(0, 0, 0), vec3(0, 0, 1));
  guide.frame2 = hn_model_frame(model, mass, vec3(0, 0, z0), vec3(0, 0, 1));
  int joint = -1;
  hn_status status = hn_model_add_joint(model, &guide, &joint);
  assert(status == HN_OK);
  hn_force_def spring = hn_default_force(HN_FORCE_JOINT_SPRING_DAMPER);
  double of_x[2] = {0, stiffness}, of_v[2] = {0, damping};
  spring.name = "spring";
  spring.joint = joint;
  spring.coordinate = HN_COORDINATE_DISPLACEMENT;
  status = hn_law_polynomial(of_x, 2, NULL, &spring.of_x, NULL);
  assert(status == HN_OK);
  status = hn_law_polynomial(of_v, 2, NULL, &spring.of_v, NULL);
  assert(status == HN_OK);
  status = hn_model_add_force(model, &spring, NULL);
  assert(status == HN_OK);
  (void)status;
  return finish(model);
}

hn_model *hn_make_slider_crank(void) {
  // drawn in the x-y plane, then everything is turned by one rotation
  hn_quat turn = quat_from_axis_angle(vec3(1, -0.5, 2), 0.9);
  hn_mat3 a = quat_matrix(turn);
  hn_vec3 axis = mat3_apply(a, vec3(0, 0, 1)), along = mat3_apply(a, vec3(1, 0, 0));
  hn_vec3 o = vec3(0, 0, 0), tip = mat3_apply(a, vec3(0.1, 0.2, 0));
  double length = 0.7, slider_x = 0.1 + sqrt(length * length - 0.04);
  hn_vec3 pin = mat3_apply(a, vec3(slider_x, 0, 0));
  hn_model *model = begin(vec3(0.3, -9.81, 1));
  int crank = add_body(model, "crank", 2, vec3(0.02, 0.03, 0.04), vec3_scale(0.5, tip));
  int rod =
      add_body(model, "rod", 1.5, vec3(0.05, 0.06, 0.07), vec3_scale(0.5, vec3_add(tip, pin)));
  int slider = add_body(model, "slider", 1, vec3(0.01, 0.02, 0.02), pin);
  add_joint(model, HN_JOINT_REVOLUTE, "main", HN_GROUND, crank, o, axis);
  add_joint(model, HN_JOINT_REVOLUTE, "crankpin", crank, rod, tip, axis);
  add_joint(model, HN_JOINT_REVOLUTE, "wristpin", rod, slider, pin, axis);
  add_joint(model, HN_JOINT_TRANSLATIONAL, "guide", HN_GROUND, slider, pin, along);
  return finish(model);
}
