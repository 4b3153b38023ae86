// Joints: two frames in the reference configuration, or a relation between coordinates of other
// joints.
//
// In a mirrored component an axis of rotation is mirrored like one (axial: h' = -S h), so angles
// keep their signs; an axis along which a joint slides is mirrored like an arrow (polar: h' = S h),
// so displacements keep theirs. A screw has both: its pitch changes its sign with the handedness.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "formats/joint.h"
#include "math/elementary.h"
#include "model/model.h"

// A joint while it is being made.
typedef struct build {
  hn_entry *entry;
  hn_fields fields;
  hn_joint_def def;
  hn_ends ends;
  double armature[HN_COORDINATES];
} build;

// ---- where --------------------------------------------------------------------------------------

static void read_points(build *b) {
  hn_fields *f = &b->fields;
  hn_joint_place place = hn_joint_facts_of(b->def.type)->drawn.place;
  if (hn_field_given(f, "points") || place == HN_JOINT_AT_POINTS) {
    hn_field_need(f, "points");
    hn_field_two_points(f, "points", &b->ends);
    return;
  }
  const hn_node *at = place == HN_JOINT_AT_POINT ? hn_field_need(f, "at") : hn_field(f, "at");
  hn_vec3 point = at ? hn_point_of(f->context, at, NULL) : hn_body_center(b->ends.body[1]);
  b->ends.frame[0].origin = b->ends.frame[1].origin = point;
}

// A direction that is mirrored as the type asks.
static hn_vec3 read_axis(const build *b, const hn_node *node) {
  const hn_context *context = b->fields.context;
  hn_vec3 d = hn_direction_of(context, node, NULL);
  if (hn_joint_facts_of(b->def.type)->drawn.kind == HN_JOINT_POLAR) return d;
  return vec3_scale(hn_placement_parity(&context->scope->placement), d);
}

static int read_two_axes(build *b, hn_vec3 axes[2]) {
  const hn_node *node = hn_field_need(&b->fields, "axes");
  if (!node) return 0;
  if (node->kind != HN_NODE_LIST || node->count != 2) {
    hn_source place = hn_node_source(node);
    hn_loader_fail(b->fields.context->loader, HN_ERROR_MODEL, &place,
                   "Write [axis on the first body, axis on the second].",
                   "expects two directions in 'axes', got %s with %d", hn_node_kind_name(node),
                   node->count);
    return 0;
  }
  axes[0] = read_axis(b, node->first);
  axes[1] = read_axis(b, node->first->next);
  return 1;
}

// The least rotation that takes a to b, applied to v (both of unit length, not opposite).
static hn_vec3 carry(hn_vec3 a, hn_vec3 b, hn_vec3 v) {
  hn_vec3 axis = vec3_cross(a, b);
  double angle = hn_atan2(vec3_norm(axis), vec3_dot(a, b));
  if (vec3_norm(axis) < 1e-15) return v;
  return mat3_apply(quat_matrix(quat_from_axis_angle(axis, angle)), v);
}

static void frames_of_two_axes(build *b) {
  const hn_context *context = b->fields.context;
  const hn_node *node = b->fields.map;
  hn_vec3 axes[2];
  if (!read_two_axes(b, axes)) return;
  hn_drawn_frame *frame = b->ends.frame;
  if (hn_joint_has_row(b->def.type,
                       HN_JOINT_ROW_HOMOKINETIC)) { // both x axes to the bisecting plane alike
    frame[0] = hn_drawn_frame_make(context, node, frame[0].origin, axes[0], NULL);
    hn_vec3 x = carry(axes[0], axes[1], mat3_column(frame[0].axes, 0));
    frame[1] = hn_drawn_frame_make(context, node, frame[1].origin, axes[1], &x);
  } else if (hn_joint_has_coordinate(b->def.type, HN_COORDINATE_ANGLE2) &&
             vec3_norm(vec3_cross(axes[0], axes[1])) > 1e-6) {
    // Angles count from the other axis of the cross, so both are zero in the reference
    // configuration.
    frame[0] = hn_drawn_frame_make(context, node, frame[0].origin, axes[0], &axes[1]);
    frame[1] = hn_drawn_frame_make(context, node, frame[1].origin, axes[1], &axes[0]);
  } else {
    for (int k = 0; k < 2; k++)
      frame[k] = hn_drawn_frame_make(context, node, frame[k].origin, axes[k], NULL);
  }
}

static void frames_of_one_axis(build *b, const hn_vec3 *default_axis, const hn_vec3 *default_x) {
  hn_fields *f = &b->fields;
  const hn_node *axis = default_axis ? hn_field(f, "axis") : hn_field_need(f, "axis");
  const hn_node *reference = hn_field(f, "reference");
  if (!axis && !default_axis) return;
  hn_vec3 h = axis ? read_axis(b, axis) : *default_axis, x = vec3_zero();
  if (reference)
    x = hn_direction_of(f->context, reference, NULL);
  else if (default_x && !axis)
    x = *default_x;
  int has_x = reference || (default_x && !axis);
  for (int k = 0; k < 2; k++)
    b->ends.frame[k] =
        hn_drawn_frame_make(f->context, f->map, b->ends.frame[k].origin, h, has_x ? &x : NULL);
}

static void read_axes(build *b) {
  const hn_placement *scope = &b->fields.context->scope->placement;
  hn_vec3 z = vec3_scale(hn_placement_parity(scope), hn_placement_vector(scope, vec3(0, 0, 1)));
  hn_vec3 x = hn_placement_vector(scope, vec3(1, 0, 0));
  switch (hn_joint_facts_of(b->def.type)->drawn.axes) {
  case HN_JOINT_NO_AXIS:
  case HN_JOINT_DEFAULT_AXIS: frames_of_one_axis(b, &z, &x); break;
  case HN_JOINT_ONE_AXIS: frames_of_one_axis(b, NULL, NULL); break;
  case HN_JOINT_TWO_AXES: frames_of_two_axes(b); break;
  case HN_JOINT_ONE_OR_TWO_AXES:
    if (hn_field_given(&b->fields, "axes"))
      frames_of_two_axes(b);
    else
      frames_of_one_axis(b, NULL, NULL);
    break;
  }
}

// Markers in a mirrored component have their z axis reversed; turning them about x undoes it for
// joints that slide along z.
static void read_markers(build *b) {
  if (!hn_field_markers(&b->fields, &b->ends)) return;
  if (hn_joint_facts_of(b->def.type)->drawn.kind == HN_JOINT_AXIAL ||
      hn_placement_parity(&b->fields.context->scope->placement) > 0)
    return;
  for (int k = 0; k < 2; k++) {
    hn_mat3 a = b->ends.frame[k].axes;
    b->ends.frame[k].axes = mat3_from_columns(mat3_column(a, 0), vec3_negate(mat3_column(a, 1)),
                                              vec3_negate(mat3_column(a, 2)));
  }
}

// ---- offset and initial -------------------------------------------------------------------------

static hn_mat3 turned(hn_mat3 axes, double angle) {
  hn_mat3 turn = quat_matrix(quat_from_axis_angle(mat3_column(axes, 2), angle));
  return mat3_multiply(turn, axes);
}

static void shift(hn_drawn_frame *frame, int axis, double by) {
  frame->origin = vec3_add_scaled(frame->origin, -by, mat3_column(frame->axes, axis));
}

// Moves the first frame (for the second angle of a cross the second) so that the reference
// configuration has this value.
static void apply_offset(build *b, hn_coordinate c, double value) {
  hn_drawn_frame *frame = b->ends.frame;
  // frames know an angle only up to whole turns: the start says which turn it is
  if (hn_coordinate_is_angle(c) && fabs(value) > HN_PI && !b->def.initial[c].has_value) {
    b->def.initial[c].has_value = 1;
    b->def.initial[c].value = value;
  }
  switch (c) {
  case HN_COORDINATE_ANGLE: frame[0].axes = turned(frame[0].axes, -value); break;
  case HN_COORDINATE_ANGLE2: frame[1].axes = turned(frame[1].axes, value); break;
  case HN_COORDINATE_X: shift(&frame[0], 0, value); break;
  case HN_COORDINATE_Y: shift(&frame[0], 1, value); break;
  case HN_COORDINATE_Z:
  case HN_COORDINATE_DISPLACEMENT: shift(&frame[0], 2, value); break;
  case HN_COORDINATE_LENGTH:
  case HN_COORDINATES: break;
  }
}

// Splits "angle_rate" into a coordinate and whether it is a rate; reports what the joint lacks.
static int read_coordinate_key(build *b, const hn_node *node, int rates, hn_coordinate *c,
                               int *is_rate) {
  char word[64];
  size_t length = strlen(node->key);
  *is_rate = 0;
  if (length > 5 && length < sizeof word && strcmp(node->key + length - 5, "_rate") == 0 && rates) {
    *is_rate = 1;
    length -= 5;
  }
  hn_text(word, sizeof word, "%.*s", (int)(length < 60 ? length : 60), node->key);
  hn_node at = *node; // the message points at the key
  at.line = node->key_line;
  at.column = node->key_column;
  *c = hn_coordinate_need(b->fields.context, b->entry, word, &at,
                          rates ? HN_WANTED_OR_RATE : HN_WANTED_ANY);
  return hn_loader_ok(b->fields.context->loader);
}

static const hn_node *coordinate_map(build *b, const char *key) {
  const hn_node *map = hn_field(&b->fields, key);
  if (!map || map->kind == HN_NODE_MAP) return map;
  hn_source place = hn_node_source(map);
  hn_loader_fail(b->fields.context->loader, HN_ERROR_MODEL, &place,
                 "Write coordinate and value, for instance {angle: 30 deg}.",
                 "expects a map of coordinates in '%s', got %s", key, hn_node_kind_name(map));
  return NULL;
}

// Rotations first: displacements are measured along the turned axes.
static void read_offset(build *b) {
  const hn_context *context = b->fields.context;
  const hn_node *map = coordinate_map(b, "offset");
  double value[HN_COORDINATES] = {0};
  for (const hn_node *n = map ? map->first : NULL; n; n = n->next) {
    hn_coordinate c;
    int is_rate;
    if (!read_coordinate_key(b, n, 0, &c, &is_rate)) return;
    hn_meaning meaning = hn_coordinate_is_angle(c) ? HN_ANGLE : HN_LENGTH;
    value[c] = hn_coordinate_sign(b->entry, c) * hn_number_of(context, n, meaning, n->key);
  }
  if (hn_joint_has_row(b->def.type, HN_JOINT_ROW_SCREW) && map) {
    if (map->count > 1) {
      hn_source place = hn_node_source(map);
      hn_loader_fail(context->loader, HN_ERROR_MODEL, &place,
                     "Give the angle or the displacement; the other follows from the pitch.",
                     "has two offsets, but a screw has one degree of freedom");
    }
    if (value[HN_COORDINATE_ANGLE] != 0)
      value[HN_COORDINATE_DISPLACEMENT] = b->def.pitch / (2 * HN_PI) * value[HN_COORDINATE_ANGLE];
    else if (b->def.pitch != 0)
      value[HN_COORDINATE_ANGLE] = value[HN_COORDINATE_DISPLACEMENT] * 2 * HN_PI / b->def.pitch;
  }
  for (int c = 0; c < HN_COORDINATES; c++)
    if (value[c] != 0) apply_offset(b, (hn_coordinate)c, value[c]);
}

// A bare number of several turns is most often one of degrees.
static void note_turns(const build *b, const hn_node *n, double angle) {
  hn_loader *loader = b->fields.context->loader;
  const double turns = fabs(angle) / (2 * HN_PI);
  if (!(turns > 1) || n == loader->noted || !n->text || !hn_loader_ok(loader)) return;
  if (n->text[strspn(n->text, "+-.0123456789eE ")] != '\0') return;
  char element[128], message[512];
  loader->noted = n;
  hn_text(element, sizeof element, "joint '%s'", b->entry->name);
  hn_text(message, sizeof message,
          "starts at %.20s rad, which is %.1f revolutions; write %.20s deg if you mean degrees",
          n->text, turns, n->text);
  hn_loader_added(loader, hn_model_add_note(loader->model, element, message));
}

static void read_initial(build *b) {
  const hn_context *context = b->fields.context;
  hn_loader *loader = context->loader;
  const hn_node *map = coordinate_map(b, "initial");
  int fixed = 0;
  for (const hn_node *n = map ? map->first : NULL; n && hn_loader_ok(loader); n = n->next) {
    if (strcmp(n->key, "fixed") == 0) {
      const char *word = hn_text_of(context, n);
      fixed = word && strcmp(word, "true") == 0;
      if (!word || fixed || strcmp(word, "false") == 0) continue;
      hn_source place = hn_node_source(n);
      hn_loader_fail(loader, HN_ERROR_MODEL, &place, "Write true or false.",
                     "expects true or false in 'fixed', got '%.80s'", word);
      return;
    }
    hn_coordinate c;
    int is_rate;
    if (!read_coordinate_key(b, n, 1, &c, &is_rate)) return;
    if (is_rate) hn_initial_velocity_check(loader, n);
    hn_meaning meaning = hn_meaning_of(is_rate ? HN_COORDINATE_RATE : HN_COORDINATE_VALUE,
                                       hn_coordinate_is_angle(c));
    double value = hn_coordinate_sign(b->entry, c) * hn_number_of(context, n, meaning, n->key);
    if (!is_rate && hn_coordinate_is_angle(c)) note_turns(b, n, value);
    hn_joint_initial *initial = &b->def.initial[c];
    *(is_rate ? &initial->has_rate : &initial->has_value) = 1;
    *(is_rate ? &initial->rate : &initial->value) = value;
  }
  for (int c = 0; c < HN_COORDINATES && fixed; c++) b->def.initial[c].firmness = HN_FIXED;
}

static void read_armature(build *b) {
  const hn_node *map = coordinate_map(b, "armature");
  for (const hn_node *n = map ? map->first : NULL; n; n = n->next) {
    hn_coordinate c;
    int is_rate;
    if (!read_coordinate_key(b, n, 0, &c, &is_rate)) return;
    hn_meaning meaning = hn_coordinate_is_angle(c) ? HN_INERTIA : HN_MASS;
    b->armature[c] = hn_number_of(b->fields.context, n, meaning, n->key);
    if (b->armature[c] >= 0) continue;
    hn_source place = hn_node_source(n);
    hn_loader_fail(b->fields.context->loader, HN_ERROR_MODEL, &place, "Give 0 or more.",
                   "has the negative armature %g", b->armature[c]);
    return;
  }
}

// ---- joints between two bodies ------------------------------------------------------------------

// `5 mm` and `5 mm/rev` both mean 5 mm in a turn.
static double read_pitch(build *b) {
  const hn_node *node = hn_field_need(&b->fields, "pitch");
  if (!node) return 1;
  const hn_context *context = b->fields.context;
  hn_amount q = hn_amount_of(context, node);
  int per_angle = q.kind == HN_AMOUNT_TYPED && q.dimension.angle == -1;
  double value = per_angle && q.dimension.length == 1
                     ? 2 * HN_PI * q.value
                     : hn_number_of(context, node, HN_LENGTH, "pitch");
  return value * hn_placement_parity(&context->scope->placement);
}

static void build_between_bodies(build *b) {
  hn_fields *f = &b->fields;
  if (hn_joint_has_row(b->def.type, HN_JOINT_ROW_SCREW)) b->def.pitch = read_pitch(b);
  b->def.cut = hn_field_given(f, "cut") && hn_field_boolean(f, "cut");
  if (hn_field_given(f, "markers")) {
    read_markers(b);
  } else {
    if (!hn_field_bodies(f, &b->ends)) return;
    read_points(b);
    read_axes(b);
    read_offset(b);
  }
  read_initial(b);
  if (hn_field_given(f, "armature")) read_armature(b);
  if (!hn_loader_ok(f->context->loader)) return;
  if (hn_joint_has_row(b->def.type, HN_JOINT_ROW_DISTANCE))
    b->def.length = hn_field_given(f, "length")
                        ? hn_field_number(f, "length")
                        : vec3_norm(vec3_sub(b->ends.frame[1].origin, b->ends.frame[0].origin));
  b->def.frame1 = hn_frame_on(b->ends.body[0], &b->ends.frame[0]);
  b->def.frame2 = hn_frame_on(b->ends.body[1], &b->ends.frame[1]);
}

// ---- joints between coordinates -----------------------------------------------------------------

static void build_joint(build *b);

// The value of a coordinate in the reference configuration, on the turn nearest to its initial
// value.
static double drawn_value(hn_entry *joint, hn_coordinate c) {
  build b = {.entry = joint};
  hn_element_name old = hn_loader_begin(joint->context.loader, "joint", joint->name);
  build_joint(&b);
  hn_loader_set_element(joint->context.loader, &old);
  hn_mat3 a1 = b.ends.frame[0].axes, a2 = b.ends.frame[1].axes;
  hn_vec3 d = vec3_sub(b.ends.frame[1].origin, b.ends.frame[0].origin);
  hn_vec3 x = mat3_column(a2, hn_joint_has_coordinate(b.def.type, HN_COORDINATE_ANGLE2) ? 2 : 0);
  double angle = 0;
  switch (c) {
  case HN_COORDINATE_X: return vec3_dot(mat3_column(a1, 0), d);
  case HN_COORDINATE_Y: return vec3_dot(mat3_column(a1, 1), d);
  case HN_COORDINATE_Z:
  case HN_COORDINATE_DISPLACEMENT: return vec3_dot(mat3_column(a1, 2), d);
  case HN_COORDINATE_LENGTH:
  case HN_COORDINATES: return vec3_norm(d);
  case HN_COORDINATE_ANGLE:
    angle = hn_atan2(vec3_dot(mat3_column(a1, 1), x), vec3_dot(mat3_column(a1, 0), x));
    break;
  case HN_COORDINATE_ANGLE2:
    angle = hn_atan2(-vec3_dot(mat3_column(a2, 1), mat3_column(a1, 2)),
                     vec3_dot(mat3_column(a2, 0), mat3_column(a1, 2)));
    break;
  }
  const hn_joint_initial *initial = &b.def.initial[c];
  if (initial->has_value) angle += 2 * HN_PI * round((initial->value - angle) / (2 * HN_PI));
  return angle;
}

static void add_term(build *b, hn_entry *joint, hn_coordinate c, double coefficient) {
  int k = b->def.coupled_count++;
  b->def.coupled[k] = joint->id;
  b->def.coupled_coordinate[k] = c;
  b->def.coefficient[k] = coefficient * hn_coordinate_sign(joint, c);
}

// The last term in the reference configuration: initial positions do not change the constraint.
static double drawn_term(const build *b, hn_entry *joint) {
  int k = b->def.coupled_count - 1;
  const double *c = b->def.curve[k];
  double x = drawn_value(joint, b->def.coupled_coordinate[k]);
  return x * (b->def.coefficient[k] + x * (c[0] + x * (c[1] + x * c[2])));
}

// Factor or polynomial of a term; returns c0, which belongs to the constant.
static double add_factors(build *b, hn_fields *term, hn_entry *joint, hn_coordinate c) {
  double numbers[5] = {0}, sign = hn_coordinate_sign(joint, c);
  if (!hn_field_given(term, "polynomial")) {
    add_term(b, joint, c, hn_field_number(term, "coefficient"));
    return 0;
  }
  hn_field_numbers(term, "polynomial", 1, 5, numbers);
  add_term(b, joint, c, numbers[1]);
  double *powers = b->def.curve[b->def.coupled_count - 1];
  powers[0] = numbers[2];
  powers[1] = sign * numbers[3];
  powers[2] = numbers[4];
  return numbers[0];
}

static void build_coupler(build *b) {
  const hn_context *context = b->fields.context;
  hn_loader *loader = context->loader;
  const hn_node *terms = hn_field_need(&b->fields, "terms");
  double drawn = 0, moved = 0;
  if (!terms) return;
  if (terms->kind != HN_NODE_LIST || terms->count < 1 || terms->count > HN_COUPLED_JOINTS) {
    hn_source place = hn_node_source(terms);
    hn_loader_fail(loader, HN_ERROR_MODEL, &place,
                   "Write [{joint: a, coefficient: 1}, {joint: b, coefficient: 2}].",
                   "expects 1 to %d terms, got %s with %d", HN_COUPLED_JOINTS,
                   hn_node_kind_name(terms), terms->count);
    return;
  }
  int given = hn_field_given(&b->fields, "constant");
  for (const hn_node *n = terms->first; n && hn_loader_ok(loader); n = n->next) {
    hn_fields term;
    if (!hn_fields_open(context, n, hn_section_find("term", NULL), &term)) return;
    hn_field_need(&term, "joint");
    hn_entry *joint = hn_field_joint(&term, "joint");
    if (!joint) return;
    hn_coordinate c = hn_field_coordinate(&term, joint, HN_WANTED_ANY);
    moved += add_factors(b, &term, joint, c);
    hn_fields_close(&term);
    if (!given && hn_loader_ok(loader)) drawn += drawn_term(b, joint);
  }
  b->def.constant = given ? hn_field_number(&b->fields, "constant") - moved : drawn;
}

static void build_gear(build *b) {
  hn_fields *f = &b->fields;
  int rack = !hn_coordinate_is_angle(hn_joint_facts_of(b->def.type)->couples.default_of);
  const char *names[2];
  const hn_node *nodes[2];
  double coefficient[2] = {1, 1}, radii[2] = {1, 1}, drawn = 0;
  if (!hn_field_names(f, "joints", 2, names, nodes)) return;
  if (rack) {
    coefficient[0] = -hn_field_number(f, "radius");
  } else if (hn_field_given(f, "radii")) {
    hn_field_numbers(f, "radii", 2, 2, radii);
    coefficient[1] = radii[1] / radii[0];
  } else {
    coefficient[1] = hn_field_number(f, "ratio");
  }
  for (int k = 0; k < 2; k++) {
    hn_entry *joint = hn_entry_need(f->context, HN_ENTRY_JOINT, names[k], nodes[k]);
    if (!joint) return;
    const char *word = rack && k == 1 ? "displacement" : "angle";
    hn_joint_type type = hn_joint_type_of(joint);
    if (!rack && type != HN_JOINT_TYPES && !hn_joint_has_coordinate(type, HN_COORDINATE_ANGLE) &&
        hn_joint_has_coordinate(type, HN_COORDINATE_DISPLACEMENT)) {
      hn_source place = hn_node_source(nodes[k]);
      hn_loader_fail(f->context->loader, HN_ERROR_MODEL, &place,
                     "Use joints with angles. For an angle and a displacement use the type "
                     "rack-pinion, for others a coupler.",
                     "uses joint '%s', which is %s and has no angle", joint->name,
                     hn_joint_type_name(type));
      return;
    }
    hn_coordinate c = hn_coordinate_need(f->context, joint, word, nodes[k], HN_WANTED_ANY);
    if (!hn_loader_ok(f->context->loader)) return;
    add_term(b, joint, c, coefficient[k]);
    drawn += drawn_term(b, joint);
  }
  b->def.constant = drawn;
}

// ---- all joints ---------------------------------------------------------------------------------

static void build_joint(build *b) {
  const hn_context *context = &b->entry->context;
  if (!hn_fields_open_variant(context, b->entry->node, "joint", &b->fields)) return;
  b->def = hn_default_joint(hn_joint_type_of(b->entry));
  b->def.coupled_count = 0;
  b->def.name = b->entry->name;
  b->def.source = hn_node_key_source(b->entry->node);
  b->def.component = context->scope->component;
  const hn_joint_facts *facts = hn_joint_facts_of(b->def.type);
  if (facts->couples.most == 0)
    build_between_bodies(b);
  else if (facts->couples.least < facts->couples.most)
    build_coupler(b);
  else
    build_gear(b);
  hn_fields_close(&b->fields);
}

static void keep_rotors(hn_loader *loader, const build *b) {
  for (int c = 0; c < HN_COORDINATES; c++) {
    if (!(b->armature[c] > 0)) continue;
    hn_rotor *rotor = hn_loader_take(loader, 1, sizeof *rotor);
    if (!rotor) return;
    *rotor = (hn_rotor){b->entry->id, (hn_coordinate)c, b->armature[c],
                        drawn_value(b->entry, (hn_coordinate)c), loader->rotors};
    loader->rotors = rotor;
  }
}

void hn_load_joints(hn_loader *loader) {
  int count = 0; // ids are given in this order, and gears may name joints further down
  for (hn_entry *joint = loader->first[HN_ENTRY_JOINT]; joint; joint = joint->next)
    joint->id = count++;
  for (hn_entry *joint = loader->first[HN_ENTRY_JOINT]; hn_loader_goes_on(loader, joint);
       joint = joint->next) {
    hn_element_name old = hn_loader_begin(loader, "joint", joint->name);
    build b = {.entry = joint};
    build_joint(&b);
    if (hn_loader_ok(loader))
      hn_loader_added(loader, hn_model_add_joint(loader->model, &b.def, &joint->id));
    if (hn_loader_ok(loader)) keep_rotors(loader, &b);
    hn_loader_set_element(loader, &old);
  }
}
