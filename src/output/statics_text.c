// An equilibrium: positions, forces, reactions there, as JSON and as words.
#include <math.h>
#include <stdio.h>

#include "base/json_writer.h"
#include "holon/analysis.h"

typedef struct subject {
  hn_simulation *simulation;
  const hn_model *model;
  const hn_mobility *mobility; // null: not known
  hn_string *out;              // of words
  int *is_lost;                // a number that memory was missing for
} subject;

static double value_of(const subject *s, const char *kind, const char *name, const char *what) {
  hn_string signal = {0};
  hn_string_add(&signal, "%s.%s.%s", kind, name, what);
  double value = 0;
  if (signal.is_lost)
    *s->is_lost = 1;
  else
    hn_simulation_value(s->simulation, signal.data, &value);
  hn_string_free(&signal);
  return value;
}

static void reaction_of(const subject *s, const char *joint, double force[3], double torque[3]) {
  static const char *const forces[] = {"reaction.force.x", "reaction.force.y", "reaction.force.z"};
  static const char *const torques[] = {"reaction.torque.x", "reaction.torque.y",
                                        "reaction.torque.z"};
  for (int i = 0; i < 3; i++) {
    force[i] = value_of(s, "joint", joint, forces[i]);
    torque[i] = value_of(s, "joint", joint, torques[i]);
  }
}

// Which components of a joint's reaction are a choice; null: none.
static const unsigned char *choice_of(const subject *s, int joint) {
  for (int i = 0; s->mobility && i < s->mobility->not_unique_count; i++) {
    const hn_redundant_joint *entry = &s->mobility->not_unique[i];
    if (!entry->is_driver && entry->id == joint) return entry->here;
  }
  return NULL;
}

static void add_unique(hn_json_writer *json, const unsigned char *choice) {
  static const char *const keys[] = {"force_unique", "torque_unique"};
  hn_json_boolean(json, "unique", !choice);
  for (int k = 0; choice && k < 2; k++) {
    hn_json_open(json, keys[k], '[');
    for (int i = 0; i < 3; i++) hn_json_boolean(json, NULL, !choice[3 * k + i]);
    hn_json_close(json, ']');
  }
}

// Joints between coordinates have no point at which a force would act, and no such signals.
static int has_reaction(const subject *s, int joint) {
  hn_joint_type type = hn_model_joint_type(s->model, joint);
  return hn_joint_holds(type);
}

// 0 for a number that is only rounding error of the largest of its kind.
static double tidy(double value, double largest) {
  return fabs(value) <= 1e-9 * largest ? 0 : value;
}

static double largest_of(double largest, const double *values, int count) {
  for (int i = 0; i < count; i++) largest = fmax(largest, fabs(values[i]));
  return largest;
}

// Reference values for all numbers of a kind.
typedef struct scales {
  double length, force, torque;
} scales;

// Forces and torques of a model share a scale by its size, so that a lone rounding error is
// recognized.
static scales find_scales(const subject *s) {
  scales scale = {0};
  const hn_model *model = s->model;
  for (int body = 1; body <= hn_model_body_count(model); body++) {
    hn_body_motion motion = {0};
    hn_simulation_body_motion(s->simulation, body, &motion);
    scale.length = largest_of(
        scale.length, (double[]){motion.position.x, motion.position.y, motion.position.z}, 3);
  }
  for (int j = 0; j < hn_model_joint_count(model); j++) {
    double force[3], torque[3];
    if (!has_reaction(s, j)) continue;
    reaction_of(s, hn_model_joint_name(model, j), force, torque);
    scale.force = largest_of(scale.force, force, 3);
    scale.torque = largest_of(scale.torque, torque, 3);
  }
  for (int f = 0; f < hn_model_force_count(model); f++) {
    double value = value_of(s, "force", hn_model_force_name(model, f), "value");
    scale.force = largest_of(scale.force, &value, 1);
  }
  scale.torque = fmax(scale.torque, scale.force * scale.length);
  return scale;
}

static void tidy_all(double *values, int count, double largest) {
  for (int i = 0; i < count; i++) values[i] = tidy(values[i], largest);
}

// ---- JSON ---------------------------------------------------------------------------------------

static void add_bodies(hn_json_writer *json, const subject *s, const scales *scale) {
  hn_json_open(json, "bodies", '{');
  for (int body = 1; body <= hn_model_body_count(s->model); body++) {
    hn_body_motion motion = {0};
    hn_simulation_body_motion(s->simulation, body, &motion);
    const char *name = hn_model_body_name(s->model, body);
    double position[3] = {motion.position.x, motion.position.y, motion.position.z};
    double quaternion[4] = {
        value_of(s, "body", name, "quaternion.w"), value_of(s, "body", name, "quaternion.x"),
        value_of(s, "body", name, "quaternion.y"), value_of(s, "body", name, "quaternion.z")};
    tidy_all(position, 3, scale->length);
    tidy_all(quaternion, 4, 1);
    hn_json_open(json, name, '{');
    hn_json_vector(json, "position", position, 3);
    hn_json_vector(json, "quaternion", quaternion, 4);
    hn_json_close(json, '}');
  }
  hn_json_close(json, '}');
}

static void add_forces(hn_json_writer *json, const subject *s, const scales *scale) {
  hn_json_open(json, "forces", '{');
  for (int f = 0; f < hn_model_force_count(s->model); f++) {
    const char *name = hn_model_force_name(s->model, f);
    double value = value_of(s, "force", name, "value");
    hn_json_number(json, name, tidy(value, scale->force));
  }
  hn_json_close(json, '}');
  hn_json_open(json, "drivers", '{');
  for (int d = 0; d < hn_model_driver_count(s->model); d++) {
    const char *name = hn_model_driver_name(s->model, d);
    double value = value_of(s, "driver", name, "force");
    hn_json_number(json, name, tidy(value, scale->force));
  }
  hn_json_close(json, '}');
}

hn_status hn_statics_json(hn_simulation *simulation, const hn_mobility *mobility,
                          const hn_statics_report *report, char **text) {
  hn_json_writer json = {0};
  const subject about = {simulation, hn_simulation_model(simulation), mobility, NULL,
                         &json.text.is_lost},
                *s = &about;
  scales scale = find_scales(s);
  hn_json_open(&json, NULL, '{');
  hn_json_string(&json, "status", "ok");
  hn_json_integer(&json, "iterations", report->iterations);
  hn_json_number(&json, "residual", report->residual);
  hn_json_boolean(&json, "stable", report->stable);
  hn_json_boolean(&json, "stable_unknown", report->stable_unknown);
  if (report->came_to_rest) hn_json_boolean(&json, "came_to_rest", 1);
  hn_json_integer(&json, "neutral_count", report->neutral_count);
  hn_json_string(&json, "neutral", report->neutral);
  hn_json_open(&json, "final", '{');
  for (int i = 0; i < hn_model_output_count(s->model); i++) {
    double value = 0;
    hn_simulation_value(s->simulation, hn_model_output_name(s->model, i), &value);
    hn_json_number(&json, hn_model_output_name(s->model, i), value);
  }
  hn_json_close(&json, '}');
  add_bodies(&json, s, &scale);
  add_forces(&json, s, &scale);
  hn_json_open(&json, "reactions", '{');
  for (int j = 0; j < hn_model_joint_count(s->model); j++) {
    if (!has_reaction(s, j)) continue;
    double force[3], torque[3];
    const char *name = hn_model_joint_name(s->model, j);
    reaction_of(s, name, force, torque);
    tidy_all(force, 3, scale.force);
    tidy_all(torque, 3, scale.torque);
    hn_json_open(&json, name, '{');
    hn_json_vector(&json, "force", force, 3);
    hn_json_vector(&json, "torque", torque, 3);
    add_unique(&json, choice_of(s, j));
    hn_json_close(&json, '}');
  }
  hn_json_close(&json, '}');
  hn_json_close(&json, '}');
  return hn_string_hand_over(&json.text, text, NULL);
}

// ---- words --------------------------------------------------------------------------------------

static void tell_bodies(const subject *s, const scales *scale) {
  hn_string_add(s->out, "\n%-24s%14s%14s%14s\n", "center of mass (m)", "x", "y", "z");
  for (int body = 1; body <= hn_model_body_count(s->model); body++) {
    hn_body_motion motion = {0};
    hn_simulation_body_motion(s->simulation, body, &motion);
    double r[3] = {motion.position.x, motion.position.y, motion.position.z};
    tidy_all(r, 3, scale->length);
    hn_string_add(s->out, "  %-22s%14.6g%14.6g%14.6g\n", hn_model_body_name(s->model, body), r[0],
                  r[1], r[2]);
  }
}

static void report_forces(const subject *s, const scales *scale) {
  int forces = hn_model_force_count(s->model);
  int drivers = hn_model_driver_count(s->model);
  if (forces > 0) hn_string_add(s->out, "\nforce element (N, N m; tension positive)\n");
  for (int f = 0; f < forces; f++) {
    const char *name = hn_model_force_name(s->model, f);
    double value = value_of(s, "force", name, "value");
    hn_string_add(s->out, "  %-22s%14.6g\n", name, tidy(value, scale->force));
  }
  if (drivers > 0) hn_string_add(s->out, "\ndriver force (N, N m)\n");
  for (int d = 0; d < drivers; d++) {
    const char *name = hn_model_driver_name(s->model, d);
    double value = value_of(s, "driver", name, "force");
    hn_string_add(s->out, "  %-22s%14.6g\n", name, tidy(value, scale->force));
  }
}

static void report_outputs(const subject *s) {
  int count = hn_model_output_count(s->model);
  if (count > 0) hn_string_add(s->out, "\noutput\n");
  for (int i = 0; i < count; i++) {
    const char *name = hn_model_output_name(s->model, i);
    int index = hn_simulation_find_signal(s->simulation, name);
    const char *unit = index >= 0 ? hn_simulation_signal_unit(s->simulation, index) : NULL;
    double value = 0;
    hn_simulation_value(s->simulation, name, &value);
    hn_string_add(s->out, "  %-22s%14.6g %s\n", name, tidy(value, 1e-6), unit != NULL ? unit : "");
  }
}

static void report_reactions(const subject *s, const scales *scale) {
  int choices = 0;
  hn_string_add(s->out, "\n%-24s%13s%13s%13s%13s%13s%13s\n", "reaction (N, N m)", "Fx", "Fy", "Fz",
                "Tx", "Ty", "Tz");
  for (int j = 0; j < hn_model_joint_count(s->model); j++) {
    if (!has_reaction(s, j)) continue;
    double force[3], torque[3];
    reaction_of(s, hn_model_joint_name(s->model, j), force, torque);
    tidy_all(force, 3, scale->force);
    tidy_all(torque, 3, scale->torque);
    const unsigned char *choice = choice_of(s, j);
    hn_string_add(s->out, "  %-22s", hn_model_joint_name(s->model, j));
    for (int i = 0; i < 6; i++) {
      char number[32];
      snprintf(number, sizeof number, "%.5g%s", i < 3 ? force[i] : torque[i - 3],
               choice && choice[i] ? "*" : " ");
      choices += choice && choice[i];
      hn_string_add(s->out, "%13s", number);
    }
    hn_string_add(s->out, "\n");
  }
  if (choices > 0)
    hn_string_add(s->out, "* statically indeterminate: the split between joints is arbitrary\n");
  hn_string_add(s->out, "  on the second body, at the joint point, global axes\n");
}

hn_status hn_statics_text(hn_simulation *simulation, const hn_mobility *mobility,
                          const hn_statics_report *report, char **text) {
  hn_string out = {0};
  const subject about = {simulation, hn_simulation_model(simulation), mobility, &out, &out.is_lost},
                *s = &about;
  if (report->came_to_rest)
    hn_string_add(
        s->out,
        "equilibrium by kinetic damping, at rest on its contacts: %d restart%s, unbalanced force "
        "%.2g N\nFriction admits other equilibria; stability not checked.\n",
        report->iterations, report->iterations == 1 ? "" : "s", report->residual);
  else
    hn_string_add(s->out, "equilibrium after %d iteration%s, unbalanced force %.2g N, %s\n",
                  report->iterations, report->iterations == 1 ? "" : "s", report->residual,
                  report->stable_unknown ? "no instability found"
                  : report->stable       ? "stable"
                                         : "unstable");
  if (report->neutral_count > 0) {
    hn_string_add(s->out, "%d direction%s without restoring force, kept where %s: %s\n",
                  report->neutral_count, report->neutral_count == 1 ? "" : "s",
                  report->neutral_count == 1 ? "it was" : "they were", report->neutral);
  }
  if (report->stable_unknown && !report->came_to_rest)
    hn_string_add(s->out, "Stability of other directions as soft as these is not known.\n");
  scales scale = find_scales(s);
  tell_bodies(s, &scale);
  report_forces(s, &scale);
  if (hn_model_joint_count(s->model) > 0) report_reactions(s, &scale);
  report_outputs(s);
  return hn_string_hand_over(&out, text, NULL);
}
