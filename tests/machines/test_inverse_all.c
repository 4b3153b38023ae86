// Every model that drives on its joints can move: the forces computed for a motion produce that
// motion, at twenty states of a random motion, forward(inverse(q, v, a)) = a.
#include "holon/dynamics.h"
#include "machines/every.h"
#include "machines/machine.h"

enum { STATES = 20, MOST = 200 };

typedef struct actuation {
  int count, reads_signals; // laws of the model read signals: motors are in a file that is laid
                            // over it
  hn_drive drive[MOST];
} actuation;

static const hn_coordinate coordinates[] = {HN_COORDINATE_ANGLE, HN_COORDINATE_DISPLACEMENT,
                                            HN_COORDINATE_ANGLE2};

// A motor with an input of its own on every angle and displacement of a joint.
static hn_status add_motors(void *context, hn_model *model) {
  actuation *all = context;
  for (int j = 0; j < hn_model_joint_count(model); j++)
    for (int c = 0; c < 3 && all->count < MOST; c++) {
      if (!hn_joint_has_coordinate(hn_model_joint_type(model, j), coordinates[c])) continue;
      char name[64], text[80];
      const char *const t[] = {"t"};
      hn_input_def input = hn_default_input();
      hn_force_def force = hn_default_force(HN_FORCE_JOINT_SPRING_DAMPER);
      hn_error error = {0};
      snprintf(name, sizeof name, "drive_%d", all->count);
      input.name = force.name = name;
      hn_status status = hn_model_add_input(model, &input, NULL);
      if (status == HN_ERROR_MODEL) {
        all->reads_signals = 1;
        return HN_OK;
      }
      if (status != HN_OK) return status;
      snprintf(text, sizeof text, "-%s", name);
      if (hn_model_law(model, text, t, 1, NULL, &force.of_t, &error)) fail_msg("%s", error.message);
      force.joint = j;
      force.coordinate = coordinates[c];
      status = hn_model_add_force(model, &force, NULL);
      if (status != HN_OK) return status;
      all->drive[all->count++] = (hn_drive){.driver = -1, .joint = j, .coordinate = coordinates[c]};
    }
  return HN_OK;
}

// The same motors as text.
static void write_motors(const char *path, const hn_model *model, actuation *all) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  all->count = 0;
  for (int part = 0; part < 2; part++) {
    fprintf(file, part ? "forces:\n" : "inputs:\n");
    int count = 0;
    for (int j = 0; j < hn_model_joint_count(model); j++)
      for (int c = 0; c < 3 && count < MOST; c++) {
        if (!hn_joint_has_coordinate(hn_model_joint_type(model, j), coordinates[c])) continue;
        if (part)
          fprintf(file,
                  "  drive_%d: {type: joint-spring-damper, joint: %s, coordinate: %s, actuator: "
                  "-drive_%d}\n",
                  count, hn_model_joint_name(model, j), hn_coordinate_name(coordinates[c]), count);
        else
          fprintf(file, "  drive_%d: 0\n", count);
        all->drive[count++] = (hn_drive){.driver = -1, .joint = j, .coordinate = coordinates[c]};
      }
    all->count = count;
  }
  assert_int_equal(fclose(file), 0);
}

static hn_model *load_driven(const char *path, actuation *all) {
  char full[512], over[512];
  const char *const overlays[] = {over};
  hn_load_options loading = hn_default_load_options();
  hn_model *model = NULL;
  hn_error error = {0};
  snprintf(full, sizeof full, "%s/models/%s", HOLON_SOURCE_DIR, path);
  snprintf(over, sizeof over, "%s/motors.yaml", HOLON_TEST_OUTPUT_DIR);
  loading.complete = add_motors;
  loading.complete_context = all;
  if (hn_model_load(full, &loading, &model, &error)) machine_stop(path, &error);
  if (!all->reads_signals) return model;
  write_motors(over, model, all);
  hn_model_free(model);
  loading = hn_default_load_options();
  loading.overlays = overlays;
  loading.overlay_count = 1;
  if (hn_model_load(full, &loading, &model, &error)) machine_stop(path, &error);
  return model;
}

static void read_accelerations(machine *made, hn_vec3 *out) {
  static const char *const parts[] = {"acceleration", "angular_acceleration"};
  for (int b = 1; b <= hn_model_body_count(made->model); b++)
    for (int i = 0; i < 6; i++) {
      char name[256];
      double value;
      snprintf(name, sizeof name, "body.%s.%s.%c", hn_model_body_name(made->model, b), parts[i / 3],
               "xyz"[i % 3]);
      check_ok(hn_simulation_value(made->simulation, name, &value));
      ((double *)&out[2 * (b - 1) + i / 3])[i % 3] = value;
    }
}

static void push(machine *made, int first, const double *u, int count, double t, const double *q,
                 const double *qd) {
  for (int k = 0; k < count; k++)
    check_ok(hn_simulation_set_input(made->simulation, first + k, u[k]));
  check_ok(hn_simulation_set_state(made->simulation, t, q, qd));
}

// The largest difference, of the largest acceleration; -1: drives cannot move it.
static double gap_at(machine *made, const actuation *all, hn_random *random, double size) {
  const int bodies = hn_model_body_count(made->model), count = all->count;
  const int nq = hn_simulation_coordinate_count(made->simulation);
  const int first = hn_model_find_input(made->model, "drive_0");
  double *room = calloc(2 * (size_t)nq + 3 * MOST, sizeof *room), gap = 0, largest = 1;
  hn_vec3 *wanted = calloc(4 * (size_t)bodies + 1, sizeof *wanted), *found = wanted + 2 * bodies;
  assert_non_null(room);
  assert_non_null(wanted);
  double *q = room, *qd = q + nq, *u = qd + nq, *forces = u + MOST, *none = forces + MOST;
  const double t = hn_simulation_time(made->simulation);
  memcpy(q, hn_simulation_positions(made->simulation), (size_t)nq * sizeof *q);
  memcpy(qd, hn_simulation_velocities(made->simulation), (size_t)nq * sizeof *qd);
  hn_random_fill(random, u, count, -size, size);
  push(made, first, u, count, t, q, qd);
  read_accelerations(made, wanted);
  push(made, first, none, count, t, q, qd);
  hn_drive_report report;
  hn_error error = {0};
  if (hn_simulation_drive_forces(made->simulation, all->drive, count, wanted, forces, NULL, &report,
                                 &error))
    fail_msg("%s", error.message);
  push(made, first, forces, count, t, q, qd);
  read_accelerations(made, found);
  for (int i = 0; i < 2 * bodies; i++)
    for (int k = 0; k < 3; k++) {
      const double a = ((double *)&wanted[i])[k], b = ((double *)&found[i])[k];
      largest = fmax(largest, fabs(a));
      gap = fmax(gap, fabs(a - b));
    }
  push(made, first, none, count, t, q, qd);
  const int is_moved = report.rank == report.freedoms && report.freedoms > 0;
  free(room);
  free(wanted);
  return is_moved ? gap / largest : -1;
}

// Something else on every drive: states of a random motion.
static void shove(machine *made, const actuation *all, hn_random *random) {
  const int first = hn_model_find_input(made->model, "drive_0");
  for (int k = 0; k < all->count; k++)
    check_ok(
        hn_simulation_set_input(made->simulation, first + k, hn_random_uniform(random, -2, 2)));
}

// 1: drives can move it.
static int check_machine(const char *path, const char *set, int index) {
  actuation all = {0};
  hn_simulation_options options = hn_default_simulation_options();
  machine made = {0};
  hn_error error = {0};
  options.coordinates = set;
  options.max_steps = 200000; // what stands still fails
  made.model = load_driven(path, &all);
  if (hn_simulation_create(made.model, &options, &made.simulation, &error))
    machine_stop(path, &error);
  hn_random random = hn_random_seed(11 + (unsigned)index);
  double worst = all.count > 0 ? 0 : -1;
  for (int k = 0; k < STATES && worst >= 0; k++) {
    shove(&made, &all, &random);
    const double h = hn_random_uniform(&random, 1e-3, 1e-2);
    const hn_status status =
        hn_simulation_advance(made.simulation, hn_simulation_time(made.simulation) + h);
    if (status == HN_ERROR_LIMIT)
      fail_msg("%s, %s: %s", path, set, hn_simulation_error(made.simulation)->message);
    if (status != HN_OK) break;
    const double gap = gap_at(&made, &all, &random, 20);
    worst = gap < 0 ? -1 : fmax(worst, gap);
  }
  if (!(worst <= 1e-9)) fail_msg("%s, %s: accelerations differ by %.3g", path, set, worst);
  machine_close(&made);
  return worst >= 0;
}

static void drives_make_the_motion_they_were_found_for(void **state) {
  (void)state;
  static const char *const sets[] = {"cartesian", "relative", "natural"};
  int moved = 0;
  for (int k = 0; k < PATHS; k++) {
    // its tyre has 1e12 N/m: the last bit of a position is 6e-5 N
    if (strcmp(paths[k], "vehicles/references/coast-down.yaml") == 0) continue;
    moved += check_machine(paths[k], sets[(k + 1) % 3], k);
  }
  if (moved < 55) fail_msg("drives move %d machines only", moved);
}

// A limit that a controller leaves exactly at the start of a step once caused steps of 1e-16 s.
static void conditions_at_the_start_of_a_step_are_left(void **state) {
  (void)state;
  for (int seed = 0; seed < 3; seed++) {
    assert_true(check_machine("control/hydraulic-lift.yaml", "cartesian", seed));
    assert_true(check_machine("control/hydraulic-lift.yaml", "natural", seed));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(drives_make_the_motion_they_were_found_for),
      cmocka_unit_test(conditions_at_the_start_of_a_step_are_left),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
