// Forces: springs and dampers between points and on joint coordinates, bushings, loads, friction,
// stops, tyres.
//
// Linear parts become polynomials, f = -k free + k x and f = c v, and add to the laws given. On a
// mirrored joint coordinate that is measured backwards laws are reversed: f'(x) = -f(-x).
#include <math.h>
#include <string.h>

#include "elements/force_types.h"
#include "formats/joint.h"
#include "formats/law.h"
#include "formats/load_ball.h"
#include "formats/load_rolling.h"
#include "formats/load_way.h"
#include "model/contact.h"

// A force while it is being made.
typedef struct build {
  hn_fields fields;
  hn_force_def def;
  hn_ends ends;
  hn_law_draft of_x, of_v, of_t, of_xvt, component[3];
} build;

static hn_loader *loader_of(const build *b) { return b->fields.context->loader; }

// ---- laws ---------------------------------------------------------------------------------------

static hn_law_draft read_law(build *b, const char *key, const char *variables, double sign) {
  const hn_node *node = hn_field(&b->fields, key);
  if (!node) return (hn_law_draft){0};
  int place = hn_section_key(b->fields.section, key);
  int is_angle = b->fields.is_angle;
  hn_law_wanted wanted = {variables,
                          hn_meaning_of(HN_COORDINATE_VALUE, is_angle),
                          hn_meaning_of(HN_COORDINATE_RATE, is_angle),
                          hn_meaning_of(b->fields.section->keys[place].meaning, is_angle),
                          sign,
                          0};
  return hn_law_read(b->fields.context, node, &wanted);
}

// The keys all springs share. `free` is the key of the free length or angle, `drawn` its value when
// it is not given; sign -1 reverses the coordinate.
static void read_spring(build *b, const char *force, const char *free_key, double drawn,
                        double sign) {
  hn_fields *f = &b->fields;
  hn_loader *loader = loader_of(b);
  int has_stiffness = hn_field_given(f, "stiffness");
  double stiffness = hn_field_number(f, "stiffness");
  double free_value = drawn;
  if (has_stiffness && hn_field_given(f, free_key))
    free_value = sign * hn_field_number(f, free_key);
  b->of_x = read_law(b, force, "x", sign);
  b->of_v = read_law(b, "damper", "v", sign);
  b->of_t = read_law(b, "actuator", "t", sign);
  b->of_xvt = read_law(b, "law", "x v t", sign);
  double preload = sign * hn_field_number(f, "preload");
  hn_law_draft_add(loader, &b->of_x, preload - stiffness * free_value, stiffness);
  hn_law_draft_add(loader, &b->of_v, 0, hn_field_number(f, "damping"));
}

// Makes the laws; when one fails, those made before are freed.
static void make_laws(build *b) {
  hn_loader *loader = loader_of(b);
  const hn_law_draft *drafts[7] = {&b->of_x,         &b->of_v,         &b->of_t,        &b->of_xvt,
                                   &b->component[0], &b->component[1], &b->component[2]};
  hn_law **laws[7] = {&b->def.of_x,
                      &b->def.of_v,
                      &b->def.of_t,
                      &b->def.of_xvt,
                      &b->def.component_law[0],
                      &b->def.component_law[1],
                      &b->def.component_law[2]};
  for (int k = 0; k < 7; k++) *laws[k] = hn_law_draft_make(loader, drafts[k]);
  for (int k = 0; k < 7 && !hn_loader_ok(loader); k++) {
    hn_law_free(*laws[k]);
    *laws[k] = NULL;
  }
}

// ---- ends ---------------------------------------------------------------------------------------

static void read_two_ends(build *b) {
  hn_fields *f = &b->fields;
  if (hn_field_given(f, "markers")) {
    hn_field_markers(f, &b->ends);
    return;
  }
  hn_vec3 z = vec3(0, 0, 1);
  for (int k = 0; k < 2; k++)
    b->ends.frame[k] = hn_drawn_frame_make(f->context, f->map, vec3_zero(), z, NULL);
  if (!hn_field_bodies(f, &b->ends) || !hn_field_need(f, "points")) return;
  hn_field_two_points(f, "points", &b->ends);
}

static void put_ends(build *b) {
  if (!hn_loader_ok(loader_of(b))) return;
  b->def.frame1 = hn_frame_on(b->ends.body[0], &b->ends.frame[0]);
  b->def.frame2 = hn_frame_on(b->ends.body[1], &b->ends.frame[1]);
}

// `body:` and `at:` (default: its center of mass) with global axes, z along axis if there is one.
static hn_entry *read_one_end(build *b, const hn_vec3 *axis) {
  hn_fields *f = &b->fields;
  const hn_node *node = hn_field_need(f, "body");
  const char *name = node ? hn_text_of(f->context, node) : NULL;
  hn_entry *body = name ? hn_body_need(f->context, name, node) : NULL;
  if (!body || !hn_body_real(body)) return NULL;
  const hn_node *at = hn_field(f, "at");
  hn_vec3 point = at ? hn_point_of(f->context, at, NULL) : hn_body_center(body);
  hn_vec3 z = axis ? *axis : vec3(0, 0, 1);
  hn_drawn_frame frame = hn_drawn_frame_make(f->context, f->map, point, z, NULL);
  if (hn_loader_ok(loader_of(b))) b->def.frame2 = hn_frame_on(body, &frame);
  return body;
}

// ---- springs ------------------------------------------------------------------------------------

static void build_spring(build *b) {
  read_two_ends(b);
  hn_vec3 d = vec3_sub(b->ends.frame[1].origin, b->ends.frame[0].origin);
  read_spring(b, "force", "free_length", vec3_norm(d), 1);
  put_ends(b);
}

static void build_tendon(build *b) {
  double drawn = hn_build_way(&b->fields, &b->def);
  read_spring(b, "force", "free_length", drawn, 1);
}

static void build_leaf(build *b) {
  hn_fields *f = &b->fields;
  read_two_ends(b);
  const hn_node *node = hn_field_need(f, "axis");
  if (!node) return;
  hn_vec3 axis = hn_direction_of(f->context, node, NULL);
  hn_drawn_frame *frame = b->ends.frame;
  for (int k = 0; k < 2; k++)
    frame[k] = hn_drawn_frame_make(f->context, f->map, frame[k].origin, axis, NULL);
  b->def.offset = hn_field_number(f, "offset");
  double drawn = vec3_dot(axis, vec3_sub(frame[0].origin, frame[1].origin)) - b->def.offset;
  read_spring(b, "force", "free_length", drawn, 1);
  put_ends(b);
}

// `joint:` and `coordinate:`; the sign of the coordinate is returned, 0 on failure.
static double read_coordinate(build *b, hn_coordinate_wanted wanted) {
  hn_fields *f = &b->fields;
  if (!hn_field_need(f, "joint")) return 0;
  hn_entry *joint = hn_field_joint(f, "joint");
  if (!joint) return 0;
  b->def.joint = joint->id;
  b->def.coordinate = hn_field_coordinate(f, joint, wanted);
  return hn_loader_ok(loader_of(b)) ? hn_coordinate_sign(joint, b->def.coordinate) : 0;
}

static void build_joint_spring(build *b) {
  double sign = read_coordinate(b, HN_WANTED_ANY);
  if (sign != 0) read_spring(b, "force", "free", 0, sign);
}

static void build_rotational_spring(build *b) {
  hn_fields *f = &b->fields;
  f->is_angle = 1;
  if (hn_field_given(f, "joint")) {
    double sign = read_coordinate(b, HN_WANTED_ANGLE);
    if (sign != 0) read_spring(b, "torque", "free_angle", 0, sign);
    return;
  }
  if (!hn_field_bodies(f, &b->ends)) return;
  const hn_node *node = hn_field_need(f, "axis"), *at = hn_field(f, "at");
  if (!node) return;
  const hn_placement *scope = &f->context->scope->placement;
  hn_vec3 axis = vec3_scale(hn_placement_parity(scope), hn_direction_of(f->context, node, NULL));
  hn_vec3 point = at ? hn_point_of(f->context, at, NULL) : hn_body_center(b->ends.body[1]);
  for (int k = 0; k < 2; k++)
    b->ends.frame[k] = hn_drawn_frame_make(f->context, f->map, point, axis, NULL);
  read_spring(b, "torque", "free_angle", 0, 1);
  put_ends(b);
}

// Three numbers along, three about the axes.
static void read_six(build *b, const char *key, hn_meaning along, hn_meaning about, double six[6]) {
  hn_fields *f = &b->fields;
  const hn_node *node = hn_field(f, key);
  if (!node) return;
  if (node->kind != HN_NODE_LIST || node->count != 6) {
    hn_source place = hn_node_source(node);
    hn_loader_fail(loader_of(b), HN_ERROR_MODEL, &place,
                   "Write [along x, along y, along z, about x, about y, about z].",
                   "expects six numbers in '%s', got %s with %d", key, hn_node_kind_name(node),
                   node->count);
    return;
  }
  int k = 0;
  for (const hn_node *n = node->first; n; n = n->next, k++)
    six[k] = hn_number_of(f->context, n, k < 3 ? along : about, key);
}

// The six stiffnesses belong to the three axes, whose directions do not matter: mirrored like
// arrows.
static void build_bushing(build *b) {
  hn_fields *f = &b->fields;
  if (hn_field_given(f, "markers")) {
    hn_field_markers(f, &b->ends);
  } else {
    if (!hn_field_bodies(f, &b->ends)) return;
    const hn_placement *scope = &f->context->scope->placement;
    const hn_node *at = hn_field_need(f, "at"), *axis = hn_field(f, "axis");
    const hn_node *reference = hn_field(f, "reference");
    if (!at) return;
    hn_vec3 point = hn_point_of(f->context, at, NULL);
    hn_vec3 z =
        axis ? hn_direction_of(f->context, axis, NULL) : hn_placement_vector(scope, vec3(0, 0, 1));
    hn_vec3 x = reference ? hn_direction_of(f->context, reference, NULL)
                          : hn_placement_vector(scope, vec3(1, 0, 0));
    int parallel = vec3_norm(vec3_cross(x, z)) < 1e-9; // only the default can be meant to give way
    const hn_vec3 *x_axis = parallel && !reference ? NULL : &x;
    for (int k = 0; k < 2; k++)
      b->ends.frame[k] = hn_drawn_frame_make(f->context, f->map, point, z, x_axis);
  }
  read_six(b, "stiffness", HN_STIFFNESS, HN_ANGULAR_STIFFNESS, b->def.stiffness);
  read_six(b, "damping", HN_DAMPING, HN_ANGULAR_DAMPING, b->def.damping);
  put_ends(b);
}

// ---- loads --------------------------------------------------------------------------------------

// Three laws of time along the axes in which they are written, turned into the axes of the model:
// global ones, or those of the body.
static void read_components(build *b, const char *key, hn_meaning meaning, const hn_placement *to,
                            double parity) {
  hn_fields *f = &b->fields;
  hn_loader *loader = loader_of(b);
  const hn_node *node = hn_field_need(f, key);
  if (!node) return;
  if (node->kind != HN_NODE_LIST || node->count != 3) {
    hn_source place = hn_node_source(node);
    hn_loader_fail(loader, HN_ERROR_MODEL, &place, "Write [along x, along y, along z].",
                   "expects three functions of t in '%s', got %s with %d", key,
                   hn_node_kind_name(node), node->count);
    return;
  }
  hn_law_wanted wanted = {"t", HN_TIME, HN_TIME, meaning, 1, 0};
  const hn_node *law = node->first;
  for (int i = 0; i < 3; i++, law = law->next) {
    hn_vec3 unit = vec3(i == 0, i == 1, i == 2);
    hn_vec3 image = vec3_scale(parity, hn_placement_vector(to, unit));
    for (int k = 0; k < 3; k++) {
      double factor = vec3_get(image, k);
      if (fabs(factor) < 1e-15) factor = 0;
      hn_law_draft draft = hn_law_read(f->context, law, &wanted);
      if (factor == 0) continue;
      hn_law_draft_scale(loader, &draft, factor);
      hn_law_draft_sum(loader, &b->component[k], &draft);
    }
  }
}

// The axes of the components: the scope's in the world, or its mirroring in the body's own axes.
static hn_placement component_axes(const build *b) {
  hn_placement axes = b->fields.context->scope->placement;
  if (b->def.following) axes.rotation = mat3_identity();
  return axes;
}

static void build_point_force(build *b) {
  if (!read_one_end(b, NULL)) return;
  b->def.following = hn_field_boolean(&b->fields, "following");
  hn_placement axes = component_axes(b);
  read_components(b, "force", HN_FORCE, &axes, 1);
}

// On a body three components; along a joint coordinate an actuator that pulls the other way.
static void build_torque(build *b) {
  hn_fields *f = &b->fields;
  if (hn_field_given(f, "joint")) {
    b->def.type = HN_FORCE_JOINT_SPRING_DAMPER;
    double sign = read_coordinate(b, HN_WANTED_ANY);
    const hn_node *node = sign != 0 ? hn_field_need(f, "torque") : NULL;
    if (!node) return;
    hn_law_wanted wanted = {"t", HN_TIME, HN_TIME, hn_meaning_of(HN_COORDINATE_FORCE, f->is_angle),
                            1,   0};
    b->of_t = hn_law_read(f->context, node, &wanted);
    hn_law_draft_scale(loader_of(b), &b->of_t, -sign);
    return;
  }
  if (!read_one_end(b, NULL)) return;
  b->def.following = hn_field_boolean(f, "following");
  hn_placement axes = component_axes(b);
  read_components(b, "torque", HN_TORQUE, &axes, hn_placement_parity(&axes));
}

// ---- friction, stops, tyres ---------------------------------------------------------------------

// Rejects a number that has no effect.
static void reject_idle(build *b, const char *key, const char *because, const char *hint) {
  hn_fields *f = &b->fields;
  if (!hn_field_given(f, key) || hn_field_number(f, key) == 0) return;
  const hn_source place = hn_node_key_source(f->map);
  hn_loader_fail(loader_of(b), HN_ERROR_MODEL, &place, hint, "has '%s' without effect: %s", key,
                 because);
}

static void build_friction(build *b) {
  hn_fields *f = &b->fields;
  if (read_coordinate(b, HN_WANTED_ANY) == 0) return;
  const char *key = f->is_angle ? "torque" : "force";
  if (!hn_field_need(f, key)) return;
  b->of_t = read_law(b, key, "t", 1);
  if (b->of_t.pieces == 1 && b->of_t.count == 1) { // a number
    b->def.magnitude = b->of_t.coefficients[0];
    b->of_t = (hn_law_draft){0};
  }
  b->def.stiffness[0] = hn_field_number(f, "stiffness");
  b->def.damping[0] = hn_field_number(f, "damping");
  if (!(b->def.stiffness[0] > 0))
    reject_idle(b, "damping", "without 'stiffness' nothing holds at rest",
                "Add `stiffness:`, or use `viscous:` for damping while it slides.");
  if (b->of_t.pieces > 0 && !(b->def.stiffness[0] > 0) && !hn_field_need(f, "transition")) return;
  b->def.transition = hn_field_given(f, "transition") ? hn_field_number(f, "transition") : 0;
  const char *sticks = f->is_angle ? "static_torque" : "static_force";
  if (hn_field_given(f, sticks)) b->def.number[HN_FRICTION_STATIC] = hn_field_number(f, sticks);
  b->def.viscous = hn_field_number(f, "viscous");
}

static void build_stop(build *b) {
  hn_fields *f = &b->fields;
  double sign = read_coordinate(b, HN_WANTED_ANY);
  if (sign == 0) return;
  if (!hn_field_given(f, "lower") && !hn_field_given(f, "upper")) {
    hn_source place = hn_node_key_source(f->map);
    hn_loader_fail(loader_of(b), HN_ERROR_MODEL, &place, "Add `lower:`, `upper:` or both.",
                   "has neither 'lower' nor 'upper', so it never acts");
    return;
  }
  double lower = hn_field_given(f, "lower") ? hn_field_number(f, "lower") : -HUGE_VAL;
  double upper = hn_field_given(f, "upper") ? hn_field_number(f, "upper") : HUGE_VAL;
  b->def.lower = sign > 0 ? lower : -upper;
  b->def.upper = sign > 0 ? upper : -lower;
  b->def.stiffness[0] = hn_field_given(f, "stiffness") ? hn_field_number(f, "stiffness") : HUGE_VAL;
  b->def.damping[0] = hn_field_number(f, "damping");
  b->def.number[HN_STOP_RESTITUTION] = hn_field_number(f, "restitution");
  if (!hn_field_given(f, "stiffness"))
    reject_idle(b, "damping", "it has no 'stiffness' and is rigid",
                "Add `stiffness:`, or use `restitution:` instead of `damping:`.");
  else if (b->def.stiffness[0] < HUGE_VAL)
    reject_idle(b, "restitution", "with 'stiffness' it is compliant",
                "Use `damping:` instead of `restitution:`, or remove `stiffness:`.");
  const hn_contact_def soft = hn_default_contact();
  b->def.number[HN_STOP_TIME] = hn_field_number(f, "time_constant");
  const double ratio = hn_field_given(f, "damping_ratio") ? hn_field_number(f, "damping_ratio") : 1;
  double impedance[5];
  memcpy(impedance, soft.impedance, sizeof impedance);
  if (hn_field_given(f, "impedance")) hn_field_numbers(f, "impedance", 1, 5, impedance);
  if (!(b->def.number[HN_STOP_TIME] > 0)) {
    reject_idle(b, "damping_ratio", "it has no 'time_constant'", "Add `time_constant:`.");
    return;
  }
  b->def.number[HN_STOP_RATIO] = ratio;
  memcpy(&b->def.number[HN_STOP_IMPEDANCE], impedance, sizeof impedance);
}

// A road of this file, or of one of those that use it.
static int find_road(build *b) {
  const hn_context *context = b->fields.context;
  const hn_node *node = hn_field_need(&b->fields, "road");
  const char *name = node ? hn_text_of(context, node) : NULL;
  if (!name) return -1;
  for (const hn_scope *s = context->scope; s; s = s->parent) {
    hn_entry *road = hn_entry_find(context->loader, HN_ENTRY_ROAD, s->prefix, name, strlen(name));
    if (road) return road->id;
  }
  hn_scope *top = context->scope;
  while (top->parent) top = top->parent;
  hn_context outermost = {context->loader, top, NULL, 0};
  hn_entry_need(&outermost, HN_ENTRY_ROAD, name, node); // reports
  return -1;
}

static void build_tyre(build *b) {
  hn_fields *f = &b->fields;
  if (hn_field_given(f, "model")) {
    hn_vec3 spin = hn_build_rolling_tyre(f, &b->def);
    if (hn_loader_ok(loader_of(b)) && read_one_end(b, &spin)) b->def.road = find_road(b);
    return;
  }
  hn_vec3 axis = hn_placement_vector(&f->context->scope->placement, vec3(0, 1, 0));
  if (!read_one_end(b, &axis)) return;
  if (!hn_field_need(f, "radius") || !hn_field_need(f, "stiffness")) return;
  b->def.radius = hn_field_number(f, "radius");
  b->def.stiffness[0] = hn_field_number(f, "stiffness");
  b->def.damping[0] = hn_field_number(f, "damping");
  b->def.road = find_road(b);
  b->def.contact = hn_field_choice(f, "contact") == 0 ? HN_CONTACT_VERTICAL : HN_CONTACT_RADIAL;
}

// ---- all forces ---------------------------------------------------------------------------------

// Any force: its ends, and numbers by their keys.
static void build_plain(build *b) {
  const hn_force_row *row = hn_force_row_of(b->def.type);
  hn_fields *f = &b->fields;
  switch (hn_force_acts_between(b->def.type)) {
  case HN_ENDS_BODY:
    if (!read_one_end(b, NULL)) return;
    break;
  case HN_ENDS_JOINT:
    if (read_coordinate(b, HN_WANTED_ANY) == 0) return;
    break;
  case HN_ENDS_EITHER:
  case HN_ENDS_FRAMES:
    read_two_ends(b);
    put_ends(b);
    break;
  }
  for (int k = 0; k < HN_FORCE_NUMBERS && row->numbers[k]; k++) {
    const int place = hn_section_key(f->section, row->numbers[k]);
    if (strcmp(f->section->keys[place].default_text, HN_REQUIRED) == 0)
      hn_field_need(f, row->numbers[k]);
    b->def.number[k] = hn_field_number(f, row->numbers[k]);
  }
}

// Of forces as users write them this one is in files.
static void build_ball(build *b) { hn_build_ball(&b->fields, &b->def); }

static void build_by_type(build *b) {
  static void (*const more[HN_FORCE_TYPES])(build *) = {
      [HN_FORCE_SPRING_DAMPER] = build_spring,
      [HN_FORCE_JOINT_SPRING_DAMPER] = build_joint_spring,
      [HN_FORCE_ROTATIONAL_SPRING_DAMPER] = build_rotational_spring,
      [HN_FORCE_BUSHING] = build_bushing,
      [HN_FORCE_LEAF_SPRING] = build_leaf,
      [HN_FORCE_POINT_FORCE] = build_point_force,
      [HN_FORCE_TORQUE] = build_torque,
      [HN_FORCE_JOINT_FRICTION] = build_friction,
      [HN_FORCE_JOINT_STOP] = build_stop,
      [HN_FORCE_TYRE] = build_tyre,
      [HN_FORCE_TENDON] = build_tendon,
      [HN_FORCE_USER] = build_ball};
  if (more[b->def.type])
    more[b->def.type](b);
  else
    build_plain(b);
}

static void add_force(hn_entry *force) {
  hn_loader *loader = force->context.loader;
  build b = {0};
  if (!hn_fields_open_variant(&force->context, force->node, "force", &b.fields)) return;
  int type = 0;
  while (type < HN_FORCE_TYPES &&
         strcmp(hn_force_type_name((hn_force_type)type), b.fields.section->variant) != 0)
    type++;
  if (type == HN_FORCE_TYPES) type = HN_FORCE_USER; // ball-spring-damper
  b.def = hn_default_force((hn_force_type)type);
  b.def.name = force->name;
  b.def.source = hn_node_key_source(force->node);
  b.def.component = force->context.scope->component;
  build_by_type(&b);
  hn_fields_close(&b.fields);
  make_laws(&b);
  if (hn_loader_ok(loader))
    hn_loader_added(loader, hn_model_add_force(loader->model, &b.def, &force->id));
  else
    hn_tyre_free(b.def.tyre);
}

void hn_load_forces(hn_loader *loader) {
  for (hn_entry *force = loader->first[HN_ENTRY_FORCE]; hn_loader_goes_on(loader, force);
       force = force->next) {
    hn_element_name old = hn_loader_begin(loader, "force", force->name);
    add_force(force);
    hn_loader_set_element(loader, &old);
  }
}
