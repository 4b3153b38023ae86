// A force of the user's own, with its exact derivatives: drag F = -c |v| v on a falling ball, which
// then falls z = -(u^2 / g) ln cosh(g t / u) with the speed u = sqrt(m g / c) in the end.
#include <holon/holon.h>

#include <math.h>
#include <stdio.h>

static const double mass = 0.5, gravity = 9.81;

// body[0] is ground here, body[1] the ball. Implicit methods ask for the derivatives:
//   dF_i/dv_j = -c (|v| delta_ij + v_i v_j / |v|)
static hn_status drag(void *context, double time, const hn_body_motion body[2], hn_wrench wrench[2],
                      double d_pose[12][12], double d_velocity[12][12], double d_time[12]) {
  (void)time, (void)d_pose, (void)d_time; // depends on neither: the zeros given are right
  double c = *(const double *)context;
  hn_vec3 v = body[1].velocity;
  double speed = sqrt(v.x * v.x + v.y * v.y + v.z * v.z), s = -c * speed;
  wrench[1].force = (hn_vec3){s * v.x, s * v.y, s * v.z};
  if (d_velocity && speed > 0) {
    const double component[3] = {v.x, v.y, v.z};
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++)
        d_velocity[6 + i][6 + j] = -c * ((i == j) * speed + component[i] * component[j] / speed);
  }
  return HN_OK;
}

// Recommended check, once: the derivatives against central differences.
static double derivative_error(double c) {
  hn_body_motion body[2] = {{.velocity = {0, 0, 0}}, {.velocity = {3, -2, -7}}};
  hn_wrench wrench[2] = {0}, plus[2] = {0}, minus[2] = {0};
  double d_pose[12][12] = {{0}}, d_velocity[12][12] = {{0}}, d_time[12] = {0}, h = 1e-5;
  drag(&c, 0, body, wrench, d_pose, d_velocity, d_time);
  body[1].velocity.z += h;
  drag(&c, 0, body, plus, NULL, NULL, NULL);
  body[1].velocity.z -= 2 * h;
  drag(&c, 0, body, minus, NULL, NULL, NULL);
  double dx = (plus[1].force.x - minus[1].force.x) / (2 * h);
  double dz = (plus[1].force.z - minus[1].force.z) / (2 * h);
  return fmax(fabs(d_velocity[6][8] - dx), fabs(d_velocity[8][8] - dz));
}

static hn_status build(hn_model *model, double *coefficient) {
  hn_model_set_gravity(model, (hn_vec3){0, 0, -gravity});
  hn_body_def ball = hn_default_body();
  ball.name = "ball";
  ball.mass = mass;
  int ball_id = 0;
  hn_status status = hn_model_add_body(model, &ball, &ball_id);
  if (status != HN_OK) return status;

  hn_force_def force = hn_default_force(HN_FORCE_USER);
  force.name = "drag";
  force.frame1.body = HN_GROUND;
  force.frame2.body = ball_id;
  force.user = (hn_user_force){.evaluate = drag, .context = coefficient, .has_derivatives = 1};
  status = hn_model_add_force(model, &force, NULL);
  return status == HN_OK ? hn_model_finish(model) : status;
}

int main(void) {
  hn_model *model = NULL;
  hn_simulation *simulation = NULL;
  hn_error error = {0};
  double coefficient = 0.02, height = 0, time = 3;

  hn_status status = hn_model_create(NULL, &model);
  if (status == HN_OK && (status = build(model, &coefficient)) != HN_OK)
    error = *hn_model_error(model);
  hn_simulation_options options = hn_default_simulation_options();
  options.tol = 1e-9;
  if (status == HN_OK) status = hn_simulation_create(model, &options, &simulation, &error);
  if (status == HN_OK &&
      ((status = hn_simulation_advance(simulation, time)) != HN_OK ||
       (status = hn_simulation_value(simulation, "body.ball.position.z", &height)) != HN_OK))
    error = *hn_simulation_error(simulation);
  hn_simulation_free(simulation);
  hn_model_free(model);
  if (status != HN_OK) {
    char text[4096];
    hn_error_format(&error, text, sizeof text);
    fprintf(stderr, "%s\n", text);
    return 1;
  }
  double terminal = sqrt(mass * gravity / coefficient);
  double exact = -terminal * terminal / gravity * log(cosh(gravity * time / terminal));
  printf("after %g s at %.9f m, exactly %.9f m; derivatives off by %.1e\n", time, height, exact,
         derivative_error(coefficient));
  return fabs(height - exact) < 1e-6 && derivative_error(coefficient) < 1e-7 ? 0 : 1;
}
