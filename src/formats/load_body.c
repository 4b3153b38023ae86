// Bodies and markers: where they are drawn, mass, inertia, how they start.
//
// Inertia about another point p than the center c (parallel axes): I_c = I_p - m (d.d 1 - d d'),
// d = p - c. In a mirrored component body vectors are s' = S s and the tensor is S I S.
#include <math.h>
#include <string.h>

#include "formats/fields.h"
#include "formats/geometry.h"
#include "formats/sealed/sealed.h"

// ---- reference configuration --------------------------------------------------------------------

hn_entry *hn_body_real(hn_entry *body) {
  hn_loader *loader = body->context.loader;
  // At most one step a level of components, so no circle can be hidden here.
  for (int k = 0; k <= HN_LOAD_COMPONENTS + 1 && body->owner; k++) body = body->owner;
  if (!hn_loader_ok(loader)) return NULL;
  if (body != &loader->ground && hn_body_is_external(body)) {
    hn_source place = hn_node_key_source(body->node);
    hn_loader_fail(loader, HN_ERROR_MODEL, &place,
                   "Use this file as a component in another one: `components: {NAME: {use: FILE, "
                   "bodies: {...}}}`.",
                   "is external: it needs a model that connects '%s'", body->name);
    return NULL;
  }
  return body;
}

// The frame as written under `position:` and `orientation:` of a map, within the scope.
static hn_placement read_frame(const hn_context *context, const hn_node *position,
                               const hn_node *orientation) {
  const hn_placement *outer = &context->scope->placement;
  hn_placement inner = hn_placement_none();
  if (orientation) inner.rotation = hn_orientation_of(context, orientation, NULL);
  if (position) inner.position = hn_placement_back(outer, hn_point_of(context, position, NULL));
  return hn_placement_within(outer, &inner);
}

static void work_out_body(hn_entry *body, hn_body_record *record) {
  const hn_context *context = &body->context;
  const hn_node *center = hn_node_get(body->node, "center");
  record->frame = read_frame(context, hn_node_get(body->node, "position"),
                             hn_node_get(body->node, "orientation"));
  record->center = center ? hn_point_of(context, center, &record->frame) : record->frame.position;
  if (!hn_shapes_have_mass(body)) return;
  record->is_open = 1; // its own markers may be used
  body->data = record;
  if (hn_shapes_read(body, record)) hn_shapes_weigh(body, record);
  record->is_open = 0;
}

const hn_body_record *hn_body_written(hn_entry *body) {
  hn_loader *loader = body->context.loader;
  if (!hn_loader_ok(loader)) return NULL;
  if (hn_loader_spoilt(loader, body)) return NULL;
  if (body->state == HN_ENTRY_DONE) return body->data;
  if (body->sealed) return hn_sealed_body(body);
  const hn_body_record *open = body->data;
  if (body->state == HN_ENTRY_BUSY && open && open->is_open) return open;
  hn_element_name old = hn_loader_begin(loader, "body", body->name);
  hn_source place = hn_node_key_source(body->node);
  if (body->state == HN_ENTRY_BUSY) {
    hn_loader_fail(loader, HN_ERROR_MODEL, &place,
                   "Give the position of one of these bodies in numbers.",
                   "has a circular position: it depends on a body placed relative to it");
  } else if (++loader->depth > HN_CALCULATION_DEPTH) {
    hn_loader_fail(loader, HN_ERROR_LIMIT, &place, "Define bodies before those that use them.",
                   "is defined through a chain of more than %d bodies and points",
                   HN_CALCULATION_DEPTH);
  } else {
    hn_body_record *record = hn_loader_take(loader, 1, sizeof *record);
    body->state = HN_ENTRY_BUSY;
    if (record) work_out_body(body, record);
    body->data = record;
    body->state = hn_loader_ok(loader) ? HN_ENTRY_DONE : HN_ENTRY_FAILED;
    loader->depth--;
  }
  hn_loader_set_element(loader, &old);
  return hn_loader_ok(loader) ? body->data : NULL;
}

int hn_border_allows(const hn_context *context, const hn_entry *body, const hn_node *node) {
  hn_loader *loader = context->loader;
  const hn_scope *outer = body->context.scope;
  while (outer && outer != context->scope) outer = outer->parent;
  if (!outer) return 1; // not from outside
  for (const hn_scope *s = body->context.scope; s != context->scope; s = s->parent) {
    if (!s->border || s->border->kind != HN_NODE_LIST) continue;
    const char *name = body->name + strlen(s->prefix);
    const hn_node *n = s->border->first;
    while (n && !(n->kind == HN_NODE_SCALAR && strcmp(n->text, name) == 0)) n = n->next;
    if (n) continue;
    hn_source place = hn_node_source(node);
    hn_loader_fail(loader, HN_ERROR_MODEL, &place,
                   "Use an interface body, or add this one to `border:` in the component's file.",
                   "uses the body '%s', which is not an interface body of its component",
                   body->name + strlen(context->scope->prefix));
    return 0;
  }
  return 1;
}

hn_entry *hn_body_need(const hn_context *context, const char *name, const hn_node *node) {
  if (strcmp(name, "ground") == 0) return &context->loader->ground;
  hn_entry *body = hn_entry_need(context, HN_ENTRY_BODY, name, node);
  return body && hn_border_allows(context, body, node) ? body : NULL;
}

// ---- markers ------------------------------------------------------------------------------------

hn_entry *hn_marker_need(const hn_context *context, const char *name, const hn_node *node) {
  hn_loader *loader = context->loader;
  const char *prefix = context->scope->prefix, *dot = strrchr(name, '.');
  hn_entry *marker = hn_entry_find(loader, HN_ENTRY_MARKER, prefix, name, strlen(name));
  if (!marker && dot) { // of the body that an external one represents
    hn_entry *body = hn_entry_find(loader, HN_ENTRY_BODY, prefix, name, (size_t)(dot - name));
    if (body && body->owner && (body = hn_body_real(body))) {
      char full[2 * HN_FULL_NAME_LENGTH] = "";
      if (strlen(body->name) + strlen(dot) < sizeof full) {
        strcpy(full, body->name);
        strcat(full, dot);
      }
      marker = hn_entry_find(loader, HN_ENTRY_MARKER, "", full, strlen(full));
    }
  }
  if (!marker) marker = hn_entry_need(context, HN_ENTRY_MARKER, name, node);
  return marker && hn_border_allows(context, marker->owner, node) ? marker : NULL;
}

hn_entry *hn_marker_body(hn_entry *marker) { return marker->owner; }

// Points and arrows are images, z of a mirrored marker is reversed so that it stays right-handed.
static void work_out_marker(hn_entry *marker, const hn_placement *frame, hn_drawn_frame *drawn) {
  const hn_context *context = &marker->context;
  const hn_node *node = marker->node;
  hn_mat3 turned = mat3_identity();
  drawn->origin = frame->position;
  if (node->kind == HN_NODE_MAP) {
    hn_fields fields;
    if (!hn_fields_open(context, node, hn_section_find("marker", NULL), &fields)) return;
    const hn_node *position = hn_field(&fields, "position");
    const hn_node *orientation = hn_field(&fields, "orientation");
    if (position) drawn->origin = hn_point_of(context, position, frame);
    if (orientation) turned = hn_orientation_of(context, orientation, frame);
    hn_fields_close(&fields);
  } else {
    drawn->origin = hn_point_of(context, node, frame);
  }
  double parity = hn_placement_parity(frame);
  drawn->axes =
      mat3_from_columns(hn_placement_vector(frame, mat3_column(turned, 0)),
                        hn_placement_vector(frame, mat3_column(turned, 1)),
                        vec3_scale(parity, hn_placement_vector(frame, mat3_column(turned, 2))));
}

const hn_drawn_frame *hn_marker_of(hn_entry *marker) {
  hn_loader *loader = marker->context.loader;
  if (!hn_loader_ok(loader)) return NULL;
  if (hn_loader_spoilt(loader, marker)) return NULL;
  if (marker->state == HN_ENTRY_DONE) return marker->data;
  if (marker->sealed) return hn_sealed_marker(marker);
  const hn_body_record *body = hn_body_written(marker->owner);
  hn_element_name old = hn_loader_begin(loader, "marker", marker->name);
  if (marker->state == HN_ENTRY_BUSY) {
    hn_source place = hn_node_key_source(marker->node);
    hn_loader_fail(loader, HN_ERROR_MODEL, &place,
                   "Give the position of one of these markers in numbers.",
                   "has a circular definition");
  } else if (body) {
    hn_drawn_frame *drawn = hn_loader_take(loader, 1, sizeof *drawn);
    marker->state = HN_ENTRY_BUSY;
    loader->depth++;
    if (drawn) work_out_marker(marker, &body->frame, drawn);
    loader->depth--;
    marker->data = drawn;
    marker->state = hn_loader_ok(loader) ? HN_ENTRY_DONE : HN_ENTRY_FAILED;
  }
  hn_loader_set_element(loader, &old);
  return hn_loader_ok(loader) ? marker->data : NULL;
}

// ---- mass ---------------------------------------------------------------------------------------

static double positive(hn_loader *loader, const hn_node *node, const char *what, const char *unit,
                       double value) {
  if (value > 0 || !hn_loader_ok(loader)) return value;
  hn_source place = hn_node_source(node);
  hn_loader_fail(loader, HN_ERROR_MODEL, &place, "Give a number greater than zero.",
                 "has the %s %g %s, which is not positive", what, value, unit);
  return 1;
}

// A massless body is carried by its joints.
static double not_negative(hn_loader *loader, const hn_node *node, double mass) {
  if (mass >= 0 || !hn_loader_ok(loader)) return mass;
  hn_source place = hn_node_source(node);
  hn_loader_fail(loader, HN_ERROR_MODEL, &place, "Give a mass of zero or more.",
                 "has the negative mass %g kg", mass);
  return 1;
}

// Volume of a solid, its inertia for a mass of 1 kg, and what it looks like.
static double read_solid(const hn_context *context, const hn_node *node, double inertia[3],
                         hn_shape_def *shape) {
  hn_fields fields, part;
  hn_loader *loader = context->loader;
  double volume = 1;
  if (!hn_fields_open(context, node, hn_section_find("solid", NULL), &fields)) return volume;
  const hn_node *n;
  if ((n = hn_field(&fields, "box"))) {
    hn_vec3 edge = hn_field_vector(&fields, "box");
    positive(loader, n, "smallest edge", "m", fmin(edge.x, fmin(edge.y, edge.z)));
    volume = edge.x * edge.y * edge.z;
    *shape = hn_default_shape(HN_SHAPE_BOX);
    shape->size = edge;
    inertia[0] = (edge.y * edge.y + edge.z * edge.z) / 12;
    inertia[1] = (edge.x * edge.x + edge.z * edge.z) / 12;
    inertia[2] = (edge.x * edge.x + edge.y * edge.y) / 12;
  } else if ((n = hn_field(&fields, "cylinder"))) {
    if (!hn_fields_open(context, n, hn_section_find("cylinder", NULL), &part)) return volume;
    double radius = positive(loader, n, "radius", "m", hn_field_number(&part, "radius"));
    double length = positive(loader, n, "length", "m", hn_field_number(&part, "length"));
    int axis = hn_field_choice(&part, "axis");
    hn_fields_close(&part);
    volume = HN_PI * radius * radius * length;
    *shape = hn_default_shape(HN_SHAPE_CYLINDER);
    shape->radius = radius;
    shape->length = length;
    if (axis < 2) // z onto x or y
      shape->frame.orientation =
          quat_from_axis_angle(axis == 0 ? vec3(0, 1, 0) : vec3(1, 0, 0), HN_PI / 2);
    for (int k = 0; k < 3; k++)
      inertia[k] = k == axis ? radius * radius / 2 : (3 * radius * radius + length * length) / 12;
  } else if ((n = hn_field(&fields, "sphere"))) {
    double radius = positive(loader, n, "radius", "m", hn_field_number(&fields, "sphere"));
    volume = 4 * HN_PI / 3 * radius * radius * radius;
    *shape = hn_default_shape(HN_SHAPE_SPHERE);
    shape->radius = radius;
    for (int k = 0; k < 3; k++) inertia[k] = 0.4 * radius * radius;
  } else {
    hn_source place = hn_node_source(node);
    hn_loader_fail(loader, HN_ERROR_MODEL, &place, "Give box, cylinder or sphere.",
                   "has a solid without a shape");
  }
  hn_fields_close(&fields);
  return volume;
}

static void read_mass_of_solid(hn_fields *fields, hn_body_def *def, hn_shape_def *shape) {
  const hn_context *context = fields->context;
  double unit[3] = {0, 0, 0};
  double volume = read_solid(context, hn_field(fields, "solid"), unit, shape);
  const hn_node *density = hn_field(fields, "density");
  const hn_node *mass = density ? NULL : hn_field_need(fields, "mass");
  if (density)
    def->mass = volume * positive(context->loader, density, "density", "kg/m^3",
                                  hn_field_number(fields, "density"));
  else if (mass)
    def->mass = positive(context->loader, mass, "mass", "kg", hn_field_number(fields, "mass"));
  for (int k = 0; k < 3; k++) def->inertia[k] = def->mass * unit[k];
}

static void read_inertia(hn_fields *fields, double inertia[6]) {
  const hn_node *node = hn_field(fields, "inertia");
  if (!node) return;
  if (node->kind == HN_NODE_SCALAR) { // 0 for a point mass
    double value = hn_field_number(fields, "inertia");
    if (value == 0 || !hn_loader_ok(fields->context->loader)) return;
  } else if (node->kind == HN_NODE_LIST && (node->count == 3 || node->count == 6)) {
    hn_field_numbers(fields, "inertia", 3, 6, inertia);
    return;
  }
  hn_source place = hn_node_source(node);
  hn_loader_fail(fields->context->loader, HN_ERROR_MODEL, &place,
                 "Write [xx, yy, zz] or [xx, yy, zz, xy, xz, yz] in kg m^2, or 0 for a point mass.",
                 "expects 3 or 6 numbers in 'inertia', got %s with %d", hn_node_kind_name(node),
                 node->count);
}

// From about the point p to about the center of mass c, both written in the body frame.
static void move_inertia(double inertia[6], double mass, hn_vec3 d) {
  double square = vec3_dot(d, d);
  inertia[0] -= mass * (square - d.x * d.x);
  inertia[1] -= mass * (square - d.y * d.y);
  inertia[2] -= mass * (square - d.z * d.z);
  inertia[3] += mass * d.x * d.y;
  inertia[4] += mass * d.x * d.z;
  inertia[5] += mass * d.y * d.z;
}

static void read_mass(hn_fields *fields, const hn_body_record *record, hn_body_def *def,
                      hn_shape_def *solid) {
  const hn_context *context = fields->context;
  for (int k = 0; k < 6; k++) def->inertia[k] = 0;
  if (record->has_mass) {
    hn_field(fields, "density");
    def->mass = record->mass;
    memcpy(def->inertia, record->inertia, sizeof def->inertia);
    return;
  }
  if (hn_field_given(fields, "solid")) {
    read_mass_of_solid(fields, def, solid);
  } else {
    const hn_node *mass = hn_field_need(fields, "mass");
    if (mass) def->mass = not_negative(context->loader, mass, hn_field_number(fields, "mass"));
    read_inertia(fields, def->inertia);
    const hn_node *at = hn_field_given(fields, "inertia") ? hn_field(fields, "inertia_at") : NULL;
    if (at) {
      hn_vec3 p = hn_placement_back(&record->frame, hn_point_of(context, at, &record->frame));
      hn_vec3 c = hn_placement_back(&record->frame, record->center);
      move_inertia(def->inertia, def->mass, vec3_sub(p, c));
    }
  }
  hn_vec3 s = record->frame.mirror;
  def->inertia[3] *= s.x * s.y;
  def->inertia[4] *= s.x * s.z;
  def->inertia[5] *= s.y * s.z;
}

// ---- how it starts ------------------------------------------------------------------------------

static void read_initial(const hn_context *context, const hn_node *node,
                         const hn_body_record *record, hn_body_def *def) {
  hn_fields fields;
  if (!hn_fields_open(context, node, hn_section_find("body-initial", NULL), &fields)) return;
  const hn_placement *scope = &context->scope->placement;
  const hn_node *position = hn_field(&fields, "position");
  const hn_node *orientation = hn_field(&fields, "orientation");
  hn_placement start = record->frame;
  if (position || orientation) {
    start = read_frame(context, position, orientation);
    if (!orientation) start.rotation = record->frame.rotation;
    if (!position) start.position = record->frame.position;
    hn_vec3 center = hn_placement_back(&record->frame, record->center);
    def->position = hn_placement_point(&start, center);
    def->orientation = quat_from_matrix(start.rotation);
  }
  const hn_node *velocity = hn_field(&fields, "velocity");
  const hn_node *spin = hn_field(&fields, "angular_velocity");
  const hn_node *local = hn_field(&fields, "local_angular_velocity");
  if (spin && local) {
    hn_source place = hn_node_key_source(local);
    hn_loader_fail(context->loader, HN_ERROR_MODEL, &place, "Remove one of them.",
                   "has both angular_velocity and local_angular_velocity");
  }
  int moves = velocity || spin || local;
  if (moves) hn_initial_velocity_check(context->loader, velocity ? velocity : spin ? spin : local);
  def->velocity = hn_placement_vector(scope, hn_field_vector(&fields, "velocity"));
  def->angular_velocity =
      vec3_scale(hn_placement_parity(scope),
                 hn_placement_vector(scope, hn_field_vector(&fields, "angular_velocity")));
  const hn_vec3 own = hn_field_vector(&fields, "local_angular_velocity");
  if (local) {
    start.mirror = record->frame.mirror;
    def->angular_velocity =
        vec3_scale(hn_placement_parity(&start), hn_placement_vector(&start, own));
    spin = local;
  }
  def->given = (position ? HN_GIVEN_POSITION : 0) | (orientation ? HN_GIVEN_ORIENTATION : 0) |
               (velocity ? HN_GIVEN_VELOCITY : 0) | (spin ? HN_GIVEN_ANGULAR_VELOCITY : 0);
  if (hn_field_boolean(&fields, "fixed")) {
    if (position || orientation || !moves) def->position_firmness = HN_FIXED;
    if (moves) def->velocity_firmness = HN_FIXED;
  }
  hn_fields_close(&fields);
}

static void add_body(hn_entry *body) {
  hn_loader *loader = body->context.loader;
  hn_fields fields;
  hn_body_def def = hn_default_body();
  if (!hn_fields_open(&body->context, body->node, hn_section_find("body", NULL), &fields)) return;
  if (!hn_body_written(body)) return;
  hn_body_record *record = body->data;
  hn_shape_def solid = {.type = HN_SHAPE_TYPES};
  // Worked out already, or false.
  static const char *const done[] = {"position", "orientation", "markers",
                                     "external", "shape",       "shapes"};
  for (size_t k = 0; k < sizeof done / sizeof *done; k++) hn_field(&fields, done[k]);
  if (!record->has_mass) hn_field(&fields, "center");
  hn_field_boolean(&fields, "external");
  def.name = body->name;
  def.source = hn_node_key_source(body->node);
  def.component = body->context.scope->component;
  def.position = record->center;
  def.orientation = quat_from_matrix(record->frame.rotation);
  read_mass(&fields, record, &def, &solid);
  const hn_node *initial = hn_field(&fields, "initial");
  if (initial) read_initial(&body->context, initial, record, &def);
  hn_fields_close(&fields);
  if (hn_loader_ok(loader))
    hn_loader_added(loader, hn_model_add_body(loader->model, &def, &body->id));
  if (!record->has_mass && hn_loader_ok(loader)) hn_shapes_read(body, record);
  hn_shapes_add(body, record);
  if (record->shape_count > 0 || solid.type == HN_SHAPE_TYPES || !hn_loader_ok(loader)) return;
  solid.source = def.source;
  solid.frame.body = body->id;
  hn_loader_added(loader, hn_model_add_shape(loader->model, &solid, NULL));
}

static void add_marker(hn_entry *marker) {
  hn_loader *loader = marker->context.loader;
  const hn_drawn_frame *drawn = hn_marker_of(marker);
  if (!drawn) return;
  hn_marker_def def = {marker->name, hn_node_key_source(marker->node),
                       hn_frame_on(marker->owner, drawn)};
  if (hn_loader_ok(loader))
    hn_loader_added(loader, hn_model_add_marker(loader->model, &def, &marker->id));
}

// Its own, of the component's user, or ground, which was checked when it was registered.
static void load_body(hn_entry *body) {
  hn_fields fields;
  if (body->sealed) {
    hn_sealed_load(body);
  } else if (!hn_body_is_external(body)) {
    if (!body->owner)
      add_body(body);
    else if (hn_shapes_read(body, body->data)) // ground
      hn_shapes_add(body, body->data);
  } else if (hn_fields_open(&body->context, body->node, hn_section_find("external-body", NULL),
                            &fields)) {
    hn_body_real(body); // reports a missing one
  }
}

void hn_load_bodies(hn_loader *loader) {
  for (hn_entry *body = loader->first[HN_ENTRY_BODY]; hn_loader_goes_on(loader, body);
       body = body->next) {
    hn_element_name old = hn_loader_begin(loader, "body", body->name);
    load_body(body);
    hn_loader_set_element(loader, &old);
  }
  for (hn_entry *marker = loader->first[HN_ENTRY_MARKER]; hn_loader_goes_on(loader, marker);
       marker = marker->next) {
    hn_element_name old = hn_loader_begin(loader, "marker", marker->name);
    add_marker(marker);
    hn_loader_set_element(loader, &old);
  }
}
