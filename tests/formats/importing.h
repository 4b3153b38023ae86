// Imported models against references: accelerations at given states, in every set of coordinates.
//
// A reference (tests/data/import/ref/NAME.json, see the README there) has states of all joints. A state
// goes into an overlay: joints by their coordinates, bodies on ball and free joints by orientation and
// angular velocity; accelerations of joints and bodies come back as signals.
#ifndef HN_TESTS_FORMATS_IMPORTING_H
#define HN_TESTS_FORMATS_IMPORTING_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/import/import.h"
#include "holon/analysis.h"
#include "holon/simulation.h"
#include "math/euler.h"
#include "math/json.h"
#include "support/check.h"

#define IMPORT_FOLDER "tests/data/import/"

typedef struct reference {
  int is_tree; // without constraints
  hn_arena arena;
  const hn_json *root, *state;
  hn_import *import;
  char path[400];
  double worst; // difference, of the largest value
} reference;

static inline char *read_whole(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  if (!file) fail_msg("cannot open %s", path);
  char *text = calloc(1, 40000000);
  *size = fread(text, 1, 39999999, file);
  fclose(file);
  return text;
}

static inline void reference_open(reference *r, const char *folder, const char *name) {
  char path[400];
  size_t size;
  hn_error error = {0};
  hn_json *root;
  hn_arena_init(&r->arena, NULL);
  snprintf(path, sizeof path, "%s/ref/%s.json", folder, name);
  snprintf(r->path, sizeof r->path, "%s/%s", folder, name);
  char *text = read_whole(path, &size);
  if (hn_json_parse(&r->arena, text, size, path, &root, &error)) fail_msg("%s", error.message);
  r->root = root;
  free(text);
  if (hn_import_file(r->path, NULL, &r->import, &error))
    fail_msg("%s: %s %s", name, error.element, error.message);
}

static inline void reference_close(reference *r) {
  hn_import_free(r->import);
  hn_arena_release(&r->arena);
}

// ---- what the reference says --------------------------------------------------------------------

static inline const hn_json *named(const hn_json *list, const char *name) {
  for (const hn_json *item = list->first; item; item = item->next)
    if (strcmp(hn_json_text_at(item, "name", ""), name) == 0) return item;
  return NULL;
}

static inline hn_vec3 vector_at(const hn_json *object, const char *key) {
  double v[3] = {0};
  hn_json_numbers_of(hn_json_get(object, key), v, 3);
  return vec3_load(v);
}

static inline hn_mat3 turn_of(const reference *r, const char *body) {
  double p[4] = {1, 0, 0, 0};
  if (strcmp(body, "world") == 0) return mat3_identity();
  hn_json_numbers_of(hn_json_get(hn_json_get(r->state, "body_quaternion"), body), p, 4);
  return quat_matrix(quat_unit(quat_load(p)));
}

static inline int is_type(const hn_json *joint, const char *type) {
  return strcmp(hn_json_text_at(joint, "type", ""), type) == 0;
}

// The angular velocity of a body, global axes: those of the joints above it together.
static inline hn_vec3 spin_of(const reference *r, const char *body) {
  const hn_json *q = hn_json_get(r->state, "q"), *v = hn_json_get(r->state, "v");
  const hn_json *joints = hn_json_get(r->root, "joints"), *own[16];
  int count = 0;
  if (strcmp(body, "world") == 0) return vec3_zero();
  for (const hn_json *j = joints->first; j; j = j->next)
    if (strcmp(hn_json_text_at(j, "body", ""), body) == 0 && count < 16) own[count++] = j;
  hn_mat3 turn = turn_of(r, body);
  hn_vec3 spin = vec3_zero();
  for (int k = count - 1; k >= 0; k--) {
    const char *name = hn_json_text_at(own[k], "name", "");
    if (is_type(own[k], "hinge")) {
      hn_vec3 axis = vector_at(own[k], "axis");
      double angle = hn_json_number_at(q, name, 0) - hn_json_number_at(own[k], "ref", 0);
      spin = vec3_add_scaled(spin, hn_json_number_at(v, name, 0), mat3_apply(turn, axis));
      turn = mat3_multiply(turn, mat3_transpose(quat_matrix(quat_from_axis_angle(axis, angle))));
    } else if (is_type(own[k], "ball") || is_type(own[k], "free")) {
      double p[4] = {1, 0, 0, 0};
      spin = vec3_add(spin, mat3_apply(turn, vector_at(hn_json_get(v, name), "angular")));
      hn_json_numbers_of(hn_json_get(hn_json_get(q, name), "quaternion"), p, 4);
      if (is_type(own[k], "free")) return spin;
      turn = mat3_multiply(turn, mat3_transpose(quat_matrix(quat_load(p))));
    }
  }
  const hn_json *self = named(hn_json_get(r->root, "bodies"), body);
  return vec3_add(spin, spin_of(r, hn_json_text_at(self, "parent", "world")));
}

// ---- names --------------------------------------------------------------------------------------

// Those without a name: body "#2" is body_2, joint "arm#0" arm_joint, "arm#1" arm_joint2.
static inline void name_unnamed(char id[80]) {
  char *mark = strrchr(id, '#'), whole[80];
  if (!mark) return;
  int number = atoi(mark + 1);
  *mark = '\0';
  if (mark == id) {
    snprintf(id, 80, "body_%d", number);
    return;
  }
  name_unnamed(id);
  snprintf(whole, sizeof whole, number ? "%.60s_joint%d" : "%.60s_joint", id, number + 1);
  snprintf(id, 80, "%s", whole);
}

// "tool::bob" -> "tool__bob"; "plate:x" -> "plate" and the coordinate "x".
static inline const char *joint_id(const hn_model *model, const char *name, const char *type,
                                   char id[80], char coordinate[20]) {
  static const char *const ends[][2] = {{":x", "x"},          {":y", "y"},
                                        {":angle", "angle"},  {":axis", "angle"},
                                        {":axis2", "angle2"}, {":displacement", "displacement"},
                                        {":free", ""}};
  size_t length = strlen(name);
  snprintf(coordinate, 20, "%s", strcmp(type, "slide") == 0 ? "displacement" : "angle");
  for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
    size_t n = strlen(ends[k][0]);
    if (length <= n || strcmp(name + length - n, ends[k][0]) != 0) continue;
    length -= n;
    snprintf(coordinate, 20, "%s", ends[k][1]);
    break;
  }
  snprintf(id, 80, "%.*s", (int)length, name);
  name_unnamed(id);
  for (char *c = id; *c; c++)
    if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", *c)) *c = '_';
  if (*id >= '0' && *id <= '9') {
    memmove(id + 1, id, 78);
    *id = 'n';
  }
  return model && hn_model_find_joint(model, id) < 0 ? NULL : id;
}

// ---- the state as an overlay --------------------------------------------------------------------

static inline void add_body_state(const reference *r, FILE *out, const hn_json *joint) {
  const char *name = hn_json_text_at(joint, "name", ""), *body = hn_json_text_at(joint, "body", "");
  char id[80], unused[20];
  joint_id(NULL, body, "", id, unused);
  hn_vec3 spin = spin_of(r, body);
  hn_quat p = quat_from_matrix(turn_of(r, body));
  fprintf(out, "  %s: {initial: {orientation: {quaternion: [%.17g, %.17g, %.17g, %.17g]}, ", id,
          p.w, p.x, p.y, p.z);
  fprintf(out, "angular_velocity: [%.17g, %.17g, %.17g]", spin.x, spin.y, spin.z);
  if (is_type(joint, "free")) {
    const hn_json *self = named(hn_json_get(r->root, "bodies"), body);
    hn_vec3 x = vector_at(hn_json_get(r->state, "body_position"), body);
    hn_vec3 arm = mat3_apply(turn_of(r, body), vector_at(self, "com"));
    hn_vec3 v = vec3_add(vector_at(hn_json_get(hn_json_get(r->state, "v"), name), "linear"),
                         vec3_cross(spin, arm));
    fprintf(out, ", position: [%.17g, %.17g, %.17g], velocity: [%.17g, %.17g, %.17g]", x.x, x.y,
            x.z, v.x, v.y, v.z);
  }
  fprintf(out, "}}\n");
}

// Loops and couplings are left out of a tree.
static inline void write_removals(const reference *r, FILE *out) {
  const char *gap = "remove: {joints: [";
  if (!r->is_tree) return;
  for (const hn_link_joint *j = r->import->machine.joints; j; j = j->next)
    if (j->is_loop && j->parent != j->child) fprintf(out, "%s%s", gap, j->id), gap = ", ";
  for (const hn_coupling *k = r->import->machine.couplings; k; k = k->next)
    fprintf(out, "%s%s", gap, k->id), gap = ", ";
  for (const hn_tendon *t = r->import->machine.tendons; t; t = t->next)
    if (t->held > 0) fprintf(out, "%s%s", gap, t->id), gap = ", ";
  if (*gap == ',') fprintf(out, "]}\n");
}

// Inputs and states of actuators, where the reference has them.
static inline void write_inputs(const reference *r, FILE *out) {
  const hn_json *controls = hn_json_get(r->state, "ctrl"), *act = hn_json_get(r->state, "act");
  if (!controls || !controls->count) return;
  fprintf(out, "inputs:\n");
  if (strstr(hn_import_yaml(r->import), "  servos: 0")) fprintf(out, "  servos: 1\n");
  for (const hn_motor *m = r->import->machine.motors; m; m = m->next)
    if (m->input)
      fprintf(out, "  %s: %.17g\n", m->input, hn_json_number_at(controls, m->name, NAN));
  const hn_json *value = act ? act->first : NULL;
  if (value) fprintf(out, "states:\n");
  for (const hn_motor *m = r->import->machine.motors; m && value; m = m->next)
    if (m->dynamics != HN_MOTOR_DIRECT) {
      fprintf(out, "  %s: {initial: %.17g}\n", m->input, value->number);
      value = value->next;
    }
}

static inline void write_state(const reference *r, const char *path, int is_driven) {
  FILE *out = fopen(path, "w");
  const hn_json *joints = hn_json_get(r->root, "joints");
  assert_non_null(out);
  write_removals(r, out);
  if (is_driven) write_inputs(r, out);
  fprintf(out, "bodies:\n");
  for (const hn_json *j = joints->first; j; j = j->next)
    if (is_type(j, "ball") || is_type(j, "free")) add_body_state(r, out, j);
  fprintf(out, "joints:\n");
  char last[80] = "";
  for (const hn_json *j = joints->first; j; j = j->next) {
    const char *name = hn_json_text_at(j, "name", "");
    char id[80], c[20];
    if (is_type(j, "ball") || is_type(j, "free")) continue;
    joint_id(NULL, name, hn_json_text_at(j, "type", ""), id, c);
    if (strcmp(last, id) != 0)
      fprintf(out, "%s  %s: {initial: {", *last ? "}}\n" : "", id);
    else if (strcmp(c, "displacement") == 0)
      continue; // a screw's follows
    else
      fprintf(out, ", ");
    fprintf(out, "%s: %.17g, %s_rate: %.17g", c,
            hn_json_number_at(hn_json_get(r->state, "q"), name, NAN), c,
            hn_json_number_at(hn_json_get(r->state, "v"), name, NAN));
    snprintf(last, sizeof last, "%s", id);
  }
  if (*last) fprintf(out, "}}\n");
  fclose(out);
}

// ---- accelerations ------------------------------------------------------------------------------

static inline hn_vec3 signal_vector(hn_simulation *simulation, const char *body, const char *what) {
  double v[3];
  for (int k = 0; k < 3; k++) {
    char name[200];
    snprintf(name, sizeof name, "body.%s.%s.%c", body, what, "xyz"[k]);
    check_ok(hn_simulation_value(simulation, name, &v[k]));
  }
  return vec3_load(v);
}

// The body that a ball turns against: a massless part where joints of the same body come before it.
static inline const char *body_before(const reference *r, const char *name) {
  char id[80], unused[20];
  joint_id(NULL, name, "", id, unused);
  for (const hn_link_joint *j = r->import->machine.joints; j; j = j->next)
    if (strcmp(j->id, id) == 0) return j->parent->is_ground ? "world" : j->parent->id;
  fail_msg("no joint for %s", name);
  return NULL;
}

// Of a ball: angular; of a free body: angular, linear. Returns how many numbers.
static inline int body_acceleration(const reference *r, hn_simulation *simulation,
                                    const hn_json *joint, double out[6]) {
  const char *body = hn_json_text_at(joint, "body", "");
  const hn_json *self = named(hn_json_get(r->root, "bodies"), body);
  char id[80], unused[20];
  joint_id(NULL, body, "", id, unused);
  hn_mat3 turn = turn_of(r, body);
  hn_vec3 spin = spin_of(r, body), rate = signal_vector(simulation, id, "angular_acceleration");
  if (is_type(joint, "free")) {
    hn_vec3 arm = mat3_apply(turn, vector_at(self, "com"));
    hn_vec3 a = signal_vector(simulation, id, "acceleration");
    a = vec3_sub(a, vec3_add(vec3_cross(rate, arm), vec3_cross(spin, vec3_cross(spin, arm))));
    vec3_store(out, mat3_apply_transposed(turn, rate));
    vec3_store(out + 3, a);
    return 6;
  }
  hn_vec3 other = vec3_zero(), other_rate = vec3_zero();
  const char *above = body_before(r, hn_json_text_at(joint, "name", ""));
  if (strcmp(above, "world") != 0) {
    other = signal_vector(simulation, above, "angular_velocity");
    other_rate = signal_vector(simulation, above, "angular_acceleration");
  }
  hn_vec3 relative = vec3_sub(vec3_sub(rate, other_rate), vec3_cross(spin, vec3_sub(spin, other)));
  vec3_store(out, mat3_apply_transposed(turn, relative));
  return 3;
}

static inline void expect(reference *r, const char *set, const char *name, const char *key,
                          double got, double want, double largest) {
  double off = fabs(got - want) / fmax(largest, 1e-6);
  if (!(off <= 1e-9))
    fail_msg("%s: %s %s of %s: %.15g, reference %.15g (largest %.3g)", r->path, set, key, name, got,
             want, largest);
  r->worst = fmax(r->worst, off);
}

static inline double largest_of(const hn_json *node) {
  double most = node->kind == HN_JSON_NUMBER ? fabs(node->number) : 0;
  for (const hn_json *item = node->first; item; item = item->next)
    most = fmax(most, largest_of(item));
  return most;
}

static inline void expect_joint(reference *r, hn_simulation *simulation, const hn_json *joint,
                                const char *set, const char *key, const hn_json *wanted) {
  const char *name = hn_json_text_at(joint, "name", "");
  const hn_json *want = hn_json_get(wanted, name);
  double got[6], numbers[6] = {0}, largest = largest_of(wanted);
  char id[80], c[20], signal[200];
  if (is_type(joint, "ball") || is_type(joint, "free")) {
    int count = body_acceleration(r, simulation, joint, got);
    vec3_store(numbers, vector_at(want, "angular"));
    if (count == 6) vec3_store(numbers + 3, vector_at(want, "linear"));
    for (int k = 0; k < count; k++) expect(r, set, name, key, got[k], numbers[k], largest);
    return;
  }
  if (!joint_id(hn_simulation_model(simulation), name, hn_json_text_at(joint, "type", ""), id, c))
    fail_msg("%s: no joint for %s", r->path, name);
  snprintf(signal, sizeof signal, "joint.%s.%s_acceleration", id, c);
  check_ok(hn_simulation_value(simulation, signal, got));
  expect(r, set, name, key, got[0], want->number, largest);
}

static inline const hn_json *wanted_of(const reference *r, const char *key) {
  const hn_json *wanted = hn_json_get(hn_json_get(r->state, "constrained"), key);
  if (!wanted || r->is_tree) wanted = hn_json_get(hn_json_get(r->state, "tree"), key);
  return wanted;
}

static inline void compare_accelerations(reference *r, hn_simulation *simulation, const char *set,
                                         const char *key) {
  for (const hn_json *j = hn_json_get(r->root, "joints")->first; j; j = j->next)
    expect_joint(r, simulation, j, set, key, wanted_of(r, key));
}

// References have neither contact, limits nor dry friction.
static inline hn_model *load_with(const reference *r, const char *overlay, int passive) {
  static const char *const wanted[] = {"passive=0", "contact=0", "limits=0", "friction=0"};
  const char *settings[4];
  hn_load_options options = hn_default_load_options();
  hn_model *model = NULL;
  hn_error error = {0};
  options.overlays = &overlay;
  options.overlay_count = 1;
  options.settings = settings;
  for (int k = passive ? 1 : 0; k < 4; k++) {
    char line[32];
    snprintf(line, sizeof line, "\n  %.*s: 1", (int)strcspn(wanted[k], "="), wanted[k]);
    if (strstr(hn_import_yaml(r->import), line)) settings[options.setting_count++] = wanted[k];
  }
  if (hn_model_load(r->path, &options, &model, &error))
    fail_msg("%s:%d: %s %s", error.file, error.line, error.element, error.message);
  return model;
}

static inline hn_simulation *start(const hn_model *model, const char *set) {
  hn_simulation_options how = hn_default_simulation_options();
  hn_simulation *simulation = NULL;
  hn_error error = {0};
  how.coordinates = set;
  if (hn_simulation_create(model, &how, &simulation, &error))
    fail_msg("%s %s %s", set ? set : "", error.element, error.message);
  return simulation;
}

// Whether every actuator of the reference is in the model.
static inline int has_all_motors(const reference *r) {
  const hn_json *controls = hn_json_get(r->state, "ctrl");
  int count = 0;
  for (const hn_motor *m = r->import->machine.motors; m; m = m->next)
    count += !m->input || hn_json_get(controls, m->name) != NULL;
  return controls && count == controls->count;
}

static inline void compare_state(reference *r, const char *overlay, const char *key) {
  static const char *const sets[] = {"cartesian", "natural", "relative"};
  if (!wanted_of(r, key) || (strcmp(key, "qacc_driven") == 0 && !has_all_motors(r))) return;
  write_state(r, overlay, strcmp(key, "qacc_driven") == 0);
  hn_model *model = load_with(r, overlay, strcmp(key, "qacc_rigid") != 0);
  for (int k = 0; k < 3; k++) {
    hn_simulation *simulation = start(model, sets[k]);
    compare_accelerations(r, simulation, sets[k], key);
    hn_simulation_free(simulation);
  }
  hn_model_free(model);
}

// ---- inverse dynamics ---------------------------------------------------------------------------

// A torque on the child of a ball or free joint, and back on its parent.
static inline void write_torque(FILE *out, const char *body, hn_vec3 t, const char *ending) {
  char id[80], unused[20];
  joint_id(NULL, body, "", id, unused);
  if (strcmp(body, "world") == 0) return;
  fprintf(out, "  %s_given%s: {type: torque, body: %s, torque: [%.17g, %.17g, %.17g]}\n", id,
          ending, id, t.x, t.y, t.z);
}

static inline void write_load(const reference *r, FILE *out, const hn_json *joint,
                              const hn_json *load) {
  const char *body = hn_json_text_at(joint, "body", "");
  const hn_json *self = named(hn_json_get(r->root, "bodies"), body);
  hn_vec3 torque = mat3_apply(turn_of(r, body), vector_at(load, "angular"));
  char id[80], unused[20];
  joint_id(NULL, body, "", id, unused);
  if (is_type(joint, "ball")) {
    write_torque(out, body, torque, "_ball");
    write_torque(out, body_before(r, hn_json_text_at(joint, "name", "")), vec3_scale(-1, torque),
                 id);
    return;
  }
  hn_vec3 force = vector_at(load, "linear"),
          arm = mat3_apply(turn_of(r, body), vector_at(self, "com"));
  write_torque(out, body, vec3_sub(torque, vec3_cross(arm, force)), "_free");
  fprintf(out, "  %s_pushed: {type: point-force, body: %s, force: [%.17g, %.17g, %.17g]}\n", id, id,
          force.x, force.y, force.z);
}

// Coordinates are driven with the accelerations given, balls and free bodies loaded with the forces
// of the reference: drivers have its forces, and those bodies its accelerations.
static inline void write_drivers(const reference *r, const char *path) {
  const hn_json *inverse = hn_json_get(r->state, "inverse"), *given = hn_json_get(inverse, "qacc");
  const hn_json *loads = hn_json_get(inverse, "tau_rigid"),
                *joints = hn_json_get(r->root, "joints");
  write_state(r, path, 0);
  FILE *out = fopen(path, "a");
  assert_non_null(out);
  fprintf(out, "forces:\n");
  for (const hn_json *j = joints->first; j; j = j->next)
    if (is_type(j, "ball") || is_type(j, "free"))
      write_load(r, out, j, hn_json_get(loads, hn_json_text_at(j, "name", "")));
  fprintf(out, "drivers:\n");
  for (const hn_json *j = joints->first; j; j = j->next) {
    const char *name = hn_json_text_at(j, "name", "");
    char id[80], c[20];
    if (is_type(j, "ball") || is_type(j, "free")) continue;
    joint_id(NULL, name, hn_json_text_at(j, "type", ""), id, c);
    fprintf(out,
            "  %s_%s: {joint: %s, coordinate: %s, motion: \"%.17g + (%.17g)*t + (%.17g)*t^2/2\"}\n",
            id, c, id, c, hn_json_number_at(hn_json_get(r->state, "q"), name, NAN),
            hn_json_number_at(hn_json_get(r->state, "v"), name, NAN),
            hn_json_number_at(given, name, NAN));
  }
  fclose(out);
}

static inline void compare_forces(reference *r, hn_simulation *simulation) {
  const hn_json *inverse = hn_json_get(r->state, "inverse");
  const hn_json *wanted = hn_json_get(inverse, "tau_rigid");
  for (const hn_json *j = hn_json_get(r->root, "joints")->first; j; j = j->next) {
    const char *name = hn_json_text_at(j, "name", "");
    char id[80], c[20], signal[200];
    double got;
    if (is_type(j, "ball") || is_type(j, "free")) {
      expect_joint(r, simulation, j, "inverse", "qacc", hn_json_get(inverse, "qacc"));
      continue;
    }
    joint_id(NULL, name, hn_json_text_at(j, "type", ""), id, c);
    snprintf(signal, sizeof signal, "driver.%s_%s.force", id, c);
    check_ok(hn_simulation_value(simulation, signal, &got));
    expect(r, "inverse", name, "tau_rigid", got, hn_json_number_at(wanted, name, NAN),
           largest_of(wanted));
  }
}

// A screw is one coordinate here and two of the reference's trees.
static inline int has_screw(const reference *r) {
  for (const hn_link_joint *j = r->import->machine.joints; j; j = j->next)
    if (j->kind == HN_LINK_SCREW) return 1;
  return 0;
}

static inline void compare_inverse(reference *r, const char *overlay) {
  if (!hn_json_get(hn_json_get(r->state, "inverse"), "tau_rigid") || has_screw(r)) return;
  r->is_tree = 1;
  write_drivers(r, overlay);
  hn_model *model = load_with(r, overlay, 0);
  hn_simulation *simulation = start(model, NULL);
  compare_forces(r, simulation);
  hn_simulation_free(simulation);
  hn_model_free(model);
  r->is_tree = 0;
}

// ---- all of a reference -------------------------------------------------------------------------

static inline void compare_tree(reference *r, const char *overlay) {
  if (!hn_json_get(hn_json_get(r->state, "constrained"), "qacc_rigid") || has_screw(r)) return;
  r->is_tree = 1;
  compare_state(r, overlay, "qacc_rigid");
  compare_state(r, overlay, "qacc_passive");
  r->is_tree = 0;
}

static inline void compare_with_reference(const char *folder, const char *name) {
  reference r = {0};
  char overlay[400];
  reference_open(&r, folder, name);
  hn_import_facts facts = hn_import_facts_of(r.import);
  double mass = hn_json_number_at(r.root, "total_mass", -1);
  check_near(facts.mass, mass, 1e-11 * mass);
  assert_int_equal(facts.bodies, hn_json_get(r.root, "bodies")->count);
  snprintf(overlay, sizeof overlay, "%s/%s.yaml", HOLON_TEST_OUTPUT_DIR, name);
  for (r.state = hn_json_get(r.root, "states")->first; r.state; r.state = r.state->next) {
    compare_state(&r, overlay, "qacc_rigid");
    compare_state(&r, overlay, "qacc_passive");
    compare_state(&r, overlay, "qacc_driven");
    compare_tree(&r, overlay);
    compare_inverse(&r, overlay);
  }
  printf("%s: %.1e of the largest\n", name, r.worst);
  reference_close(&r);
}

#endif
