// A mass on a spring, one step at a time: the loop of a program that has other things to do between
// steps. The mass oscillates as x = 1 + 0.2 cos(w t), w = sqrt(k / m), so every step can be
// checked.
#include <holon/holon.h>

#include <math.h>
#include <stdio.h>

static const double mass = 2, stiffness = 50, length = 1, stretch = 0.2;

static hn_status build(hn_model *model) {
  hn_vec3 origin = {0, 0, 0}, x_axis = {1, 0, 0};
  hn_body_def block = hn_default_body();
  block.name = "block";
  block.mass = mass;
  block.position = (hn_vec3){length + stretch, 0, 0};
  int block_id;
  hn_status status = hn_model_add_body(model, &block, &block_id);
  if (status != HN_OK) return status;

  hn_joint_def rail = hn_default_joint(HN_JOINT_TRANSLATIONAL);
  rail.name = "rail";
  rail.frame1 = hn_model_frame(model, HN_GROUND, origin, x_axis);
  rail.frame2 = hn_model_frame(model, block_id, block.position, x_axis);
  status = hn_model_add_joint(model, &rail, NULL);
  if (status != HN_OK) return status;

  hn_force_def spring = hn_default_force(HN_FORCE_SPRING_DAMPER);
  spring.name = "spring";
  spring.frame1 = hn_model_frame(model, HN_GROUND, origin, x_axis);
  spring.frame2 = hn_model_frame(model, block_id, block.position, x_axis);
  const double tension[2] = {-stiffness * length, stiffness}; // k (x - length)
  status = hn_law_polynomial(tension, 2, NULL, &spring.of_x, NULL);
  if (status == HN_OK) status = hn_model_add_force(model, &spring, NULL);
  if (status == HN_OK) status = hn_model_finish(model);
  return status;
}

static double exact(double time) { return length + stretch * cos(sqrt(stiffness / mass) * time); }

int main(void) {
  hn_model *model = NULL;
  hn_simulation *simulation = NULL;
  hn_error error = {0};
  double worst = 0, end = 2;

  hn_status status = hn_model_create(NULL, &model);
  if (status == HN_OK && (status = build(model)) != HN_OK) error = *hn_model_error(model);
  hn_simulation_options options = hn_default_simulation_options();
  options.tol = 1e-8;
  if (status == HN_OK) status = hn_simulation_create(model, &options, &simulation, &error);

  // A name is looked up once, its value is read often.
  int block_x =
      status == HN_OK ? hn_simulation_find_signal(simulation, "body.block.position.x") : -1;
  int tension = status == HN_OK ? hn_simulation_find_signal(simulation, "force.spring.value") : -1;
  while (status == HN_OK && hn_simulation_time(simulation) < end) {
    status = hn_simulation_step(simulation, end);
    if (status != HN_OK) {
      error = *hn_simulation_error(simulation);
      break;
    }
    double time = hn_simulation_time(simulation), x = hn_simulation_signal(simulation, block_x);
    worst = fmax(worst, fabs(x - exact(time)));
    printf("t %.4f s  step %.4f s  x %.8f m  spring %+8.4f N\n", time,
           hn_simulation_last_step(simulation), x, hn_simulation_signal(simulation, tension));
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
