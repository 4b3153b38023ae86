// A slider-crank described in C, without any file: three bodies, four joints in a loop, a driver
// that turns the crank at one turn a second. The slider must be at
//   x = r cos(a) + sqrt(l^2 - r^2 sin(a)^2),  a = 2 pi t.
#include <holon/holon.h>

#include <math.h>
#include <stdio.h>

static const double radius = 0.2, rod_length = 0.6, two_pi = 6.283185307179586;
static const hn_vec3 x = {1, 0, 0}, z = {0, 0, 1};

// A body, its mass in the middle between two points on the x axis. After the first failure, which
// *status keeps, nothing more is added.
static int add_body(hn_model *model, hn_status *status, const char *name, double from, double to) {
  hn_body_def body = hn_default_body();
  body.name = name;
  body.mass = 1;
  for (int i = 0; i < 3; i++) body.inertia[i] = 0.01;
  body.position = (hn_vec3){(from + to) / 2, 0, 0};
  int id = -1;
  if (*status == HN_OK) *status = hn_model_add_body(model, &body, &id);
  return id;
}

static int add_joint(hn_model *model, hn_status *status, hn_joint_type type, const char *name,
                     int body1, int body2, double at, hn_vec3 axis) {
  hn_joint_def joint = hn_default_joint(type);
  hn_vec3 point = {at, 0, 0};
  joint.name = name;
  joint.frame1 = hn_model_frame(model, body1, point, axis);
  joint.frame2 = hn_model_frame(model, body2, point, axis);
  int id = -1;
  if (*status == HN_OK) *status = hn_model_add_joint(model, &joint, &id);
  return id;
}

static hn_status build(hn_model *model) {
  hn_status status = HN_OK;
  double far = radius + rod_length;
  int crank = add_body(model, &status, "crank", 0, radius);
  int rod = add_body(model, &status, "rod", radius, far);
  int slider = add_body(model, &status, "slider", far, far);
  int bearing = add_joint(model, &status, HN_JOINT_REVOLUTE, "bearing", HN_GROUND, crank, 0, z);
  add_joint(model, &status, HN_JOINT_REVOLUTE, "pin", crank, rod, radius, z);
  add_joint(model, &status, HN_JOINT_REVOLUTE, "piston pin", rod, slider, far, z);
  add_joint(model, &status, HN_JOINT_TRANSLATIONAL, "cylinder", HN_GROUND, slider, far, x);

  hn_driver_def motor = hn_default_driver(HN_DRIVER_JOINT);
  motor.name = "motor";
  motor.joint = bearing;
  motor.coordinate = HN_COORDINATE_ANGLE;
  const double angle[2] = {0, two_pi}; // 2 pi t
  if (status == HN_OK) status = hn_law_polynomial(angle, 2, NULL, &motor.law, NULL);
  if (status == HN_OK) status = hn_model_add_driver(model, &motor, NULL);
  return status == HN_OK ? hn_model_finish(model) : status;
}

int main(void) {
  hn_model *model = NULL;
  hn_simulation *simulation = NULL;
  hn_error error = {0};
  double worst = 0;

  hn_status status = hn_model_create(NULL, &model);
  if (status == HN_OK && (status = build(model)) != HN_OK) error = *hn_model_error(model);
  if (status == HN_OK) status = hn_simulation_create(model, NULL, &simulation, &error);
  for (int i = 0; i <= 20 && status == HN_OK; i++) {
    double time = i / 20.0, position = 0, angle = two_pi * time;
    status = hn_simulation_advance(simulation, time);
    if (status == HN_OK)
      status = hn_simulation_value(simulation, "body.slider.position.x", &position);
    if (status != HN_OK) error = *hn_simulation_error(simulation);
    double offset = radius * sin(angle);
    double exact = radius * cos(angle) + sqrt(rod_length * rod_length - offset * offset);
    worst = fmax(worst, fabs(position - exact));
    printf("t %.2f s  slider %.6f m\n", time, position);
  }
  hn_simulation_free(simulation);
  hn_model_free(model);
  if (status != HN_OK) {
    char text[4096];
    hn_error_format(&error, text, sizeof text);
    fprintf(stderr, "%s\n", text);
    return 1;
  }
  printf("largest error %.1e m\n", worst);
  return worst < 1e-6 ? 0 : 1;
}
