// A pendulum in code: describe it, run it for a second, print its angle.
#include <holon/holon.h>

#include <stdio.h>

static hn_status describe(hn_model *model) {
  hn_body_def rod = hn_default_body();
  rod.name = "rod";
  rod.mass = 2;                               // kg
  rod.position = (hn_vec3){0.5, 0, 0};        // center of mass, m
  rod.inertia[0] = 0;                         // xx: a thin rod, kg m^2
  rod.inertia[1] = rod.inertia[2] = 2.0 / 12; // yy, zz
  int rod_id;
  hn_status status = hn_model_add_body(model, &rod, &rod_id);
  if (status != HN_OK) return status;

  hn_joint_def pin = hn_default_joint(HN_JOINT_REVOLUTE);
  hn_vec3 origin = {0, 0, 0}, y_axis = {0, 1, 0};
  pin.name = "pin";
  pin.frame1 = hn_model_frame(model, HN_GROUND, origin, y_axis);
  pin.frame2 = hn_model_frame(model, rod_id, origin, y_axis);
  status = hn_model_add_joint(model, &pin, NULL);
  if (status != HN_OK) return status;

  hn_model_set_gravity(model, (hn_vec3){0, 0, -9.81});
  return hn_model_finish(model); // checks the model; it is constant from here on
}

int main(void) {
  hn_model *model = NULL;
  hn_simulation *simulation = NULL;
  hn_error error = {0};
  hn_status status = hn_model_create(NULL, &model);
  if (status == HN_OK && (status = describe(model)) != HN_OK) error = *hn_model_error(model);
  if (status == HN_OK) status = hn_simulation_create(model, NULL, &simulation, &error);
  int angle = status == HN_OK ? hn_simulation_find_signal(simulation, "joint.pin.angle") : -1;
  while (status == HN_OK && hn_simulation_time(simulation) < 1)
    status = hn_simulation_step(simulation, 1); // one step, not beyond 1 s
  if (simulation && status != HN_OK) error = *hn_simulation_error(simulation);

  if (status == HN_OK)
    printf("angle at 1 s: %.6f rad\n", hn_simulation_signal(simulation, angle));
  else
    fprintf(stderr, "%s: %s\n", error.element, error.message);
  hn_simulation_free(simulation);
  hn_model_free(model);
  return status != HN_OK;
}
