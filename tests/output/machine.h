// A model with one of every kind of signal, and instants of it made by hand: every body moves on a
// known path, so that values, rates and accelerations are known formulas.
#ifndef HN_TESTS_OUTPUT_MACHINE_H
#define HN_TESTS_OUTPUT_MACHINE_H

#include <stdlib.h>

#include "math/euler.h"
#include "signals/signals.h"
#include "support/check.h"

#define BODIES 3 // ground, rod, front.arm

typedef struct machine {
  hn_model *model;
  hn_arena *arena; // stays where it is: the signals keep it
  hn_elements *elements;
  hn_signals *signals;
  hn_snapshot snapshot;
  hn_branches branches;
  hn_signal_source source;
} machine;

static inline hn_law *law_of(double slope) {
  hn_law *law = NULL;
  check_ok(hn_law_polynomial((double[]){0, slope}, 2, NULL, &law, NULL));
  return law;
}

static inline void add_bodies(hn_model *model) {
  hn_body_def rod = hn_default_body(), arm = hn_default_body();
  rod.name = "rod";
  arm.name = "front.arm";
  check_ok(hn_model_add_body(model, &rod, NULL));
  check_ok(hn_model_add_body(model, &arm, NULL));
  hn_marker_def tip = {"rod.tip", {0}, {1, {0.3, -0.2, 0.5}, {1, 0, 0, 0}}};
  check_ok(hn_model_add_marker(model, &tip, NULL));
}

static inline int add_joint(hn_model *model, const char *name, hn_joint_type type, int first,
                            int second) {
  hn_joint_def joint = hn_default_joint(type);
  joint.name = name;
  joint.frame1 = hn_model_frame(model, first, vec3(0, 0, 0), vec3(1, 2, 2));
  joint.frame2 = hn_model_frame(model, second, vec3(0, 0, 0), vec3(1, 2, 2));
  int id = -1;
  check_ok(hn_model_add_joint(model, &joint, &id));
  return id;
}

static inline void add_forces(hn_model *model, int pin) {
  hn_driver_def motor = hn_default_driver(HN_DRIVER_JOINT);
  motor.name = "motor";
  motor.joint = pin;
  motor.law = law_of(2);
  check_ok(hn_model_add_driver(model, &motor, NULL));
  hn_driver_def pull = hn_default_driver(HN_DRIVER_POINT);
  pull.name = "pull";
  pull.frame2.body = 2;
  pull.law = law_of(1);
  check_ok(hn_model_add_driver(model, &pull, NULL));
  hn_force_def spring = hn_default_force(HN_FORCE_SPRING_DAMPER);
  spring.name = "spring";
  spring.frame1 = hn_model_frame(model, 1, vec3(0, 1, 0), vec3(0, 0, 1));
  spring.frame2 = hn_model_frame(model, 2, vec3(1, 0, 0), vec3(0, 0, 1));
  spring.of_x = law_of(100);
  check_ok(hn_model_add_force(model, &spring, NULL));
  hn_force_def coil = hn_default_force(HN_FORCE_JOINT_SPRING_DAMPER);
  coil.name = "coil";
  coil.joint = pin;
  coil.of_x = law_of(5);
  check_ok(hn_model_add_force(model, &coil, NULL));
}

// outputs: up to one without an expression; null: none
static inline hn_model *make_model(const hn_output_def *outputs) {
  hn_model *model = NULL;
  check_ok(hn_model_create(NULL, &model));
  add_bodies(model);
  add_joint(model, "loose", HN_JOINT_FREE, 0, 1);
  int pin = add_joint(model, "pin", HN_JOINT_REVOLUTE, 0, 1);
  int sleeve = add_joint(model, "sleeve", HN_JOINT_CYLINDRICAL, 0, 2);
  hn_joint_def gear = hn_default_joint(HN_JOINT_GEAR);
  gear.name = "gear";
  gear.coupled[0] = pin;
  gear.coupled[1] = sleeve;
  check_ok(hn_model_add_joint(model, &gear, NULL));
  add_joint(model, "ball", HN_JOINT_SPHERICAL, 1, 2);
  add_joint(model, "plane", HN_JOINT_PLANAR, 1, 2);
  add_forces(model, pin);
  for (; outputs && outputs->expression; outputs++) check_ok(hn_model_add_output(model, outputs));
  if (hn_model_finish(model)) fail_msg("%s", hn_model_error(model)->message);
  return model;
}

static inline machine make_machine(const hn_output_def *outputs) {
  machine m = {.model = make_model(outputs), .arena = malloc(sizeof(hn_arena))};
  hn_error error = {0};
  hn_arena_init(m.arena, NULL);
  check_ok(hn_elements_create(m.arena, m.model, &m.elements, &error));
  if (hn_signals_create(m.arena, m.elements, &m.signals, &error)) fail_msg("%s", error.message);
  int rows = m.elements->row_count;
  m.snapshot = (hn_snapshot){.frames = HN_TAKE(m.arena, hn_frame, BODIES),
                             .acceleration = HN_TAKE(m.arena, hn_vec3, BODIES),
                             .angular_acceleration = HN_TAKE(m.arena, hn_vec3, BODIES),
                             .forces = HN_TAKE(m.arena, hn_force_value, m.model->force_count),
                             .lambda = HN_TAKE(m.arena, double, rows),
                             .phi = HN_TAKE(m.arena, double, rows),
                             .phi_rate = HN_TAKE(m.arena, double, rows),
                             .phi_acceleration = HN_TAKE(m.arena, double, rows)};
  check_ok(hn_branches_create(m.arena, m.elements, &m.branches));
  return m;
}

static inline void free_machine(machine *m) {
  hn_arena_release(m->arena);
  free(m->arena);
  hn_model_free(m->model);
}

// A body that turns by `angle` about a fixed unit axis while its origin moves along `path`:
// position and first two derivatives of each.
typedef struct known_motion {
  hn_vec3 axis, path[3];
  double angle[3];
} known_motion;

static inline void set_motion(machine *m, int body, const known_motion *k) {
  hn_quat p = quat_from_axis_angle(k->axis, k->angle[0]);
  hn_vec3 w = vec3_scale(k->angle[1], vec3_unit(k->axis));
  m->snapshot.frames[body] = (hn_frame){.r = k->path[0],
                                        .v = k->path[1],
                                        .w = w,
                                        .a = quat_matrix(p),
                                        .p = p,
                                        .pd = quat_scale(0.5, euler_e_transposed(p, w))};
  m->snapshot.acceleration[body] = k->path[2];
  m->snapshot.angular_acceleration[body] = vec3_scale(k->angle[2], vec3_unit(k->axis));
}

// Two bodies on smooth paths at time t; rod turns about the pin's axis, arm about another.
static inline void set_instant(machine *m, double t) {
  const known_motion still = {{0, 0, 1}, {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, {0, 0, 0}};
  const known_motion rod = {{1, 2, 2},
                            {{sin(t), t * t, 0.4 * t}, {cos(t), 2 * t, 0.4}, {-sin(t), 2, 0}},
                            {0.3 * t * t * t + 0.2, 0.9 * t * t, 1.8 * t}};
  const known_motion arm = {{1, -1, 0.5},
                            {{2 + t, -cos(t), 1}, {1, sin(t), 0}, {0, cos(t), 0}},
                            {sin(2 * t), 2 * cos(2 * t), -4 * sin(2 * t)}};
  set_motion(m, 0, &still);
  set_motion(m, 1, &rod);
  set_motion(m, 2, &arm);
  m->snapshot.t = t;
  m->source = (hn_signal_source){.snapshot = &m->snapshot, .branches = &m->branches};
}

static inline double value_of(const machine *m, const char *name) {
  int index = hn_signals_find(m->signals, name);
  if (index < 0) fail_msg("there is no signal '%s'", name);
  return hn_signals_evaluate(m->signals, &m->source, index);
}

#endif
