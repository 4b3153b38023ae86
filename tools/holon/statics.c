// holon statics: the equilibrium near the drawn position; positions, forces, reactions there.
#include "session.h"

#include <math.h>
#include <stdio.h>

static double value_of(hn_simulation *simulation, const char *kind, const char *name,
                       const char *what) {
  hn_cli_text signal = {0};
  hn_cli_add(&signal, "%s.%s.%s", kind, name, what);
  double value = 0;
  hn_simulation_value(simulation, signal.data, &value);
  hn_string_free(&signal);
  return value;
}

static void reaction_of(hn_simulation *simulation, const char *joint, double force[3],
                        double torque[3]) {
  static const char *const forces[] = {"reaction.force.x", "reaction.force.y", "reaction.force.z"};
  static const char *const torques[] = {"reaction.torque.x", "reaction.torque.y",
                                        "reaction.torque.z"};
  for (int i = 0; i < 3; i++) {
    force[i] = value_of(simulation, "joint", joint, forces[i]);
    torque[i] = value_of(simulation, "joint", joint, torques[i]);
  }
}

// Joints whose reaction is a choice.
static int is_choice(const hn_cli_session *session, int joint) {
  for (int i = 0; session->has_mobility && i < session->mobility.not_unique_count; i++) {
    const hn_redundant_joint *entry = &session->mobility.not_unique[i];
    if (!entry->is_driver && entry->id == joint) return 1;
  }
  return 0;
}

// Joints between coordinates have no point at which a force would act, and no such signals.
static int has_reaction(const hn_cli_session *session, int joint) {
  hn_joint_type type = hn_model_joint_type(session->model, joint);
  return hn_joint_holds(type);
}

// A number that is rounding beside the largest of its kind is 0.
static double tidy(double value, double largest) {
  return fabs(value) <= 1e-9 * largest ? 0 : value;
}

static double largest_of(double largest, const double *values, int count) {
  for (int i = 0; i < count; i++) largest = fmax(largest, fabs(values[i]));
  return largest;
}

// What all numbers of a kind are compared with.
typedef struct scales {
  double length, force, torque;
} scales;

// Forces and torques of a machine share a scale by its size, so that a lone rounding error is none.
static scales find_scales(const hn_cli_session *session) {
  scales s = {0};
  const hn_model *model = session->model;
  for (int body = 1; body <= hn_model_body_count(model); body++) {
    hn_body_motion motion = {0};
    hn_simulation_body_motion(session->simulation, body, &motion);
    s.length = largest_of(s.length,
                          (double[]){motion.position.x, motion.position.y, motion.position.z}, 3);
  }
  for (int j = 0; j < hn_model_joint_count(model); j++) {
    double force[3], torque[3];
    if (!has_reaction(session, j)) continue;
    reaction_of(session->simulation, hn_model_joint_name(model, j), force, torque);
    s.force = largest_of(s.force, force, 3);
    s.torque = largest_of(s.torque, torque, 3);
  }
  for (int f = 0; f < hn_model_force_count(model); f++) {
    double value = value_of(session->simulation, "force", hn_model_force_name(model, f), "value");
    s.force = largest_of(s.force, &value, 1);
  }
  s.torque = fmax(s.torque, s.force * s.length);
  return s;
}

static void tidy_all(double *values, int count, double largest) {
  for (int i = 0; i < count; i++) values[i] = tidy(values[i], largest);
}

// ---- JSON ---------------------------------------------------------------------------------------

static void add_bodies(hn_cli_json *json, const hn_cli_session *session, const scales *s) {
  hn_json_open(json, "bodies", '{');
  for (int body = 1; body <= hn_model_body_count(session->model); body++) {
    hn_body_motion motion = {0};
    hn_simulation_body_motion(session->simulation, body, &motion);
    const char *name = hn_model_body_name(session->model, body);
    double position[3] = {motion.position.x, motion.position.y, motion.position.z};
    double quaternion[4] = {value_of(session->simulation, "body", name, "quaternion.w"),
                            value_of(session->simulation, "body", name, "quaternion.x"),
                            value_of(session->simulation, "body", name, "quaternion.y"),
                            value_of(session->simulation, "body", name, "quaternion.z")};
    tidy_all(position, 3, s->length);
    tidy_all(quaternion, 4, 1);
    hn_json_open(json, name, '{');
    hn_json_vector(json, "position", position, 3);
    hn_json_vector(json, "quaternion", quaternion, 4);
    hn_json_close(json, '}');
  }
  hn_json_close(json, '}');
}

static void add_forces(hn_cli_json *json, const hn_cli_session *session, const scales *s) {
  hn_json_open(json, "forces", '{');
  for (int f = 0; f < hn_model_force_count(session->model); f++) {
    const char *name = hn_model_force_name(session->model, f);
    double value = value_of(session->simulation, "force", name, "value");
    hn_json_number(json, name, tidy(value, s->force));
  }
  hn_json_close(json, '}');
  hn_json_open(json, "drivers", '{');
  for (int d = 0; d < hn_model_driver_count(session->model); d++) {
    const char *name = hn_model_driver_name(session->model, d);
    double value = value_of(session->simulation, "driver", name, "force");
    hn_json_number(json, name, tidy(value, s->force));
  }
  hn_json_close(json, '}');
}

static void print_json(const hn_cli_session *session, const hn_statics_report *report) {
  hn_cli_json json = {0};
  scales s = find_scales(session);
  hn_json_open(&json, NULL, '{');
  hn_json_string(&json, "status", "ok");
  hn_json_integer(&json, "iterations", report->iterations);
  hn_json_number(&json, "residual", report->residual);
  hn_json_boolean(&json, "stable", report->stable);
  hn_json_boolean(&json, "stable_unknown", report->stable_unknown);
  hn_json_integer(&json, "neutral_count", report->neutral_count);
  hn_json_string(&json, "neutral", report->neutral);
  hn_json_open(&json, "final", '{');
  for (int i = 0; i < hn_model_output_count(session->model); i++) {
    double value = 0;
    hn_simulation_value(session->simulation, hn_model_output_name(session->model, i), &value);
    hn_json_number(&json, hn_model_output_name(session->model, i), value);
  }
  hn_json_close(&json, '}');
  add_bodies(&json, session, &s);
  add_forces(&json, session, &s);
  hn_json_open(&json, "reactions", '{');
  for (int j = 0; j < hn_model_joint_count(session->model); j++) {
    if (!has_reaction(session, j)) continue;
    double force[3], torque[3];
    const char *name = hn_model_joint_name(session->model, j);
    reaction_of(session->simulation, name, force, torque);
    tidy_all(force, 3, s.force);
    tidy_all(torque, 3, s.torque);
    hn_json_open(&json, name, '{');
    hn_json_vector(&json, "force", force, 3);
    hn_json_vector(&json, "torque", torque, 3);
    hn_json_boolean(&json, "unique", !is_choice(session, j));
    hn_json_close(&json, '}');
  }
  hn_json_close(&json, '}');
  hn_json_close(&json, '}');
  hn_cli_json_print(&json);
}

// ---- words --------------------------------------------------------------------------------------

static void print_bodies(const hn_cli_session *session, const scales *s) {
  printf("\n%-24s%14s%14s%14s\n", "centre of mass (m)", "x", "y", "z");
  for (int body = 1; body <= hn_model_body_count(session->model); body++) {
    hn_body_motion motion = {0};
    hn_simulation_body_motion(session->simulation, body, &motion);
    double r[3] = {motion.position.x, motion.position.y, motion.position.z};
    tidy_all(r, 3, s->length);
    printf("  %-22s%14.6g%14.6g%14.6g\n", hn_model_body_name(session->model, body), r[0], r[1],
           r[2]);
  }
}

static void print_forces(const hn_cli_session *session, const scales *s) {
  int forces = hn_model_force_count(session->model);
  int drivers = hn_model_driver_count(session->model);
  if (forces > 0) printf("\nforce (N, N m; tension positive)\n");
  for (int f = 0; f < forces; f++) {
    const char *name = hn_model_force_name(session->model, f);
    double value = value_of(session->simulation, "force", name, "value");
    printf("  %-22s%14.6g\n", name, tidy(value, s->force));
  }
  if (drivers > 0) printf("\nforce of a driver (N, N m)\n");
  for (int d = 0; d < drivers; d++) {
    const char *name = hn_model_driver_name(session->model, d);
    double value = value_of(session->simulation, "driver", name, "force");
    printf("  %-22s%14.6g\n", name, tidy(value, s->force));
  }
}

static void print_outputs(const hn_cli_session *session) {
  int count = hn_model_output_count(session->model);
  if (count > 0) printf("\noutput\n");
  for (int i = 0; i < count; i++) {
    const char *name = hn_model_output_name(session->model, i);
    int index = hn_simulation_find_signal(session->simulation, name);
    const char *unit = index >= 0 ? hn_simulation_signal_unit(session->simulation, index) : NULL;
    double value = 0;
    hn_simulation_value(session->simulation, name, &value);
    printf("  %-22s%14.6g %s\n", name, tidy(value, 1e-6), unit != NULL ? unit : "");
  }
}

static void print_reactions(const hn_cli_session *session, const scales *s) {
  int choices = 0;
  printf("\n%-24s%13s%13s%13s%13s%13s%13s\n", "reaction (N, N m)", "Fx", "Fy", "Fz", "Tx", "Ty",
         "Tz");
  for (int j = 0; j < hn_model_joint_count(session->model); j++) {
    if (!has_reaction(session, j)) continue;
    double force[3], torque[3];
    reaction_of(session->simulation, hn_model_joint_name(session->model, j), force, torque);
    tidy_all(force, 3, s->force);
    tidy_all(torque, 3, s->torque);
    int choice = is_choice(session, j);
    choices += choice;
    printf("%s %-22s%13.5g%13.5g%13.5g%13.5g%13.5g%13.5g\n", choice ? "*" : " ",
           hn_model_joint_name(session->model, j), force[0], force[1], force[2], torque[0],
           torque[1], torque[2]);
  }
  if (choices > 0) printf("* a choice: how these joints share the load is not determined\n");
  printf("  on the second body, at the joint point, global axes\n");
}

static void print_words(const hn_cli_session *session, const hn_statics_report *report) {
  printf("%s: equilibrium after %d iteration%s, unbalanced %.2g N, %s\n", session->name,
         report->iterations, report->iterations == 1 ? "" : "s", report->residual,
         report->stable_unknown ? "stable as far as known"
         : report->stable       ? "stable"
                                : "not stable");
  if (report->neutral_count > 0) {
    printf("%d direction%s without restoring force, held where %s: %s\n", report->neutral_count,
           report->neutral_count == 1 ? "" : "s",
           report->neutral_count == 1 ? "it was" : "they were", report->neutral);
  }
  if (report->stable_unknown)
    printf("not known: whether other directions, as soft as these, are unstable\n");
  scales s = find_scales(session);
  print_bodies(session, &s);
  print_forces(session, &s);
  if (hn_model_joint_count(session->model) > 0) print_reactions(session, &s);
  print_outputs(session);
}

// -------------------------------------------------------------------------------------------------

static int solve(hn_cli_session *session) {
  hn_statics_options options = hn_default_statics_options();
  hn_statics_report report = {0};
  hn_status status = hn_simulation_equilibrium(session->simulation, &options, &report);
  if (status != HN_OK) {
    return hn_cli_report_failure(session->settings->json, 0,
                                 hn_simulation_error(session->simulation));
  }
  if (session->settings->json) {
    print_json(session, &report);
  } else {
    hn_cli_print_warnings(session->model, session->simulation, 100);
    print_words(session, &report);
  }
  return HN_CLI_DONE;
}

static int run(const hn_cli_command *command, int argc, char **argv) {
  hn_cli_session session = {0};
  hn_cli_settings settings = {0};
  const hn_cli_option options[] = {
      {"set", 0, HN_CLI_LIST, &settings.set, "NAME=VALUE", "override a parameter (repeatable)",
       NULL},
      HN_CLI_MODEL_OPTIONS(settings),
      {"strict", 0, HN_CLI_FLAG, &settings.strict, NULL, "warnings are errors", NULL},
      {"json", 0, HN_CLI_FLAG, &settings.json, NULL, "JSON on stdout", NULL},
      {0},
  };
  int code = hn_cli_parse_one(command, options, argc, argv, &settings.path);
  if (settings.run.coordinates == NULL)
    settings.run.coordinates = "cartesian"; // what is counted and solved there
  if (code < 0) code = hn_cli_session_open(&session, &settings);
  if (code < 0) code = solve(&session);
  hn_cli_session_close(&session);
  hn_cli_settings_free(&settings);
  return code;
}

const hn_cli_command hn_cli_statics_command = {
    .name = "statics",
    .arguments = "MODEL [options]",
    .summary = "equilibrium: positions, forces, reactions and outputs at rest",
    .details = "Starts from the drawn position, with drivers where they are at t = 0. Directions\n"
               "without restoring force stay where they were and are named.\n",
    .example = "  holon statics suspension.yaml\n",
    .run = run,
};
