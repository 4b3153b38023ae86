// Sensors of MJCF as outputs of the model with their names; those of vectors have a name for each
// component. What cannot be an output is lost by name.
#include <string.h>

#include "formats/import/mjcf.h"

#define NO_COORDINATE "its joint has no coordinate"
#define INERTIAL "objtype=\"body\" has the principal axes of its inertia: use xbody or a site"

// The target of a sensor type, and what it reads.
typedef enum target {
  ON_NOTHING,
  ON_JOINT,
  ON_BALL,
  ON_TENDON,
  ON_ACTUATOR,
  ON_SITE,
  ON_OBJECT,
  ON_BODY
} target;

typedef struct sensor_type {
  const char *name;
  target target;
  hn_reading_kind kind;
  int is_own;       // along the axes of its own frame
  int rate_or_axis; // 1: the rate; or the axis
  const char *signal;
} sensor_type;

static const sensor_type types[] = {
    {"jointpos", ON_JOINT, HN_READ_COORDINATE, 0, 0, NULL},
    {"jointvel", ON_JOINT, HN_READ_COORDINATE, 0, 1, NULL},
    {"jointactuatorfrc", ON_JOINT, HN_READ_JOINT_MOTORS, 0, 0, NULL},
    {"ballquat", ON_BALL, HN_READ_BALL_TURN, 0, 0, NULL},
    {"ballangvel", ON_BALL, HN_READ_BALL_SPIN, 0, 0, NULL},
    {"tendonpos", ON_TENDON, HN_READ_LENGTH, 0, 0, NULL},
    {"tendonvel", ON_TENDON, HN_READ_LENGTH, 0, 1, NULL},
    {"actuatorpos", ON_ACTUATOR, HN_READ_MOTOR_LENGTH, 0, 0, NULL},
    {"actuatorvel", ON_ACTUATOR, HN_READ_MOTOR_LENGTH, 0, 1, NULL},
    {"actuatorfrc", ON_ACTUATOR, HN_READ_MOTOR_FORCE, 0, 0, NULL},
    {"gyro", ON_SITE, HN_READ_SPIN, 1, 0, NULL},
    {"velocimeter", ON_SITE, HN_READ_VELOCITY, 1, 0, NULL},
    {"accelerometer", ON_SITE, HN_READ_ACCELERATION, 1, 0, NULL},
    {"magnetometer", ON_SITE, HN_READ_FIELD, 1, 0, NULL},
    {"force", ON_SITE, HN_READ_FORCE, 1, 0, NULL},
    {"torque", ON_SITE, HN_READ_TORQUE, 1, 0, NULL},
    {"framepos", ON_OBJECT, HN_READ_POSITION, 0, 0, NULL},
    {"framequat", ON_OBJECT, HN_READ_QUATERNION, 0, 0, NULL},
    {"framexaxis", ON_OBJECT, HN_READ_AXIS, 0, 0, NULL},
    {"frameyaxis", ON_OBJECT, HN_READ_AXIS, 0, 1, NULL},
    {"framezaxis", ON_OBJECT, HN_READ_AXIS, 0, 2, NULL},
    {"framelinvel", ON_OBJECT, HN_READ_VELOCITY, 0, 0, NULL},
    {"frameangvel", ON_OBJECT, HN_READ_SPIN, 0, 0, NULL},
    {"framelinacc", ON_OBJECT, HN_READ_ACCELERATION, 0, 0, NULL},
    {"frameangacc", ON_OBJECT, HN_READ_SPIN_RATE, 0, 0, NULL},
    {"subtreecom", ON_BODY, HN_READ_TREE_CENTER, 0, 0, NULL},
    {"subtreelinvel", ON_BODY, HN_READ_TREE_VELOCITY, 0, 0, NULL},
    {"clock", ON_NOTHING, HN_READ_SIGNAL, 0, 0, "time"},
    {"e_potential", ON_NOTHING, HN_READ_SIGNAL, 0, 0, "energy.potential"},
    {"e_kinetic", ON_NOTHING, HN_READ_SIGNAL, 0, 0, "energy.kinetic"},
};

static const sensor_type *sensor_type_of(const hn_xml *node) {
  for (size_t k = 0; k < sizeof types / sizeof *types; k++)
    if (strcmp(types[k].name, node->name) == 0) return &types[k];
  return NULL;
}

static const char *why_not(const hn_xml *node) {
  static const struct {
    const char *name, *why;
  } others[] = {
      {"touch", "not supported: see the signals contact.NAME.force"},
      {"contact", "not supported: see the signals contact.NAME.force"},
      {"rangefinder", "rays are not supported"},
      {"camprojection", "cameras are not supported"},
      {"subtreeangmom", "not supported: angular momentum of several bodies"},
      {"jointlimitfrc", "not supported: see the signal force.JOINT_limits.value"},
      {"tendonlimitfrc", "not supported: see the signal force.TENDON_limits.value"},
      {"plugin", "MuJoCo plugins are not supported"},
  };
  for (size_t k = 0; k < sizeof others / sizeof *others; k++)
    if (strcmp(others[k].name, node->name) == 0) return others[k].why;
  return "the sensor type is not supported: signals of all joints and bodies are available";
}

// ---- targets ------------------------------------------------------------------------------------

static const char *find_joint(hn_mjcf *r, hn_xml *node, int is_ball, hn_reading *reading) {
  hn_machine *m = r->machine;
  const hn_link_joint *j =
      hn_machine_need_joint(m, hn_xml_get(node, "joint"), node, hn_xml_element(m, node));
  if (!j) return NULL;
  reading->joint = j;
  if (is_ball) return j->kind == HN_LINK_BALL ? NULL : "its joint is not a ball";
  return j->kind == HN_LINK_HINGE || j->kind == HN_LINK_SLIDE ? NULL : NO_COORDINATE;
}

static const char *find_tendon(hn_mjcf *r, hn_xml *node, hn_reading *reading) {
  const char *name = hn_xml_get(node, "tendon");
  reading->tendon = hn_table_find(r->tendons, name);
  if (!reading->tendon)
    hn_machine_fail(r->machine, node, hn_xml_element(r->machine, node), "Name a tendon.",
                    "refers to the tendon '%s', which does not exist", name ? name : "");
  else if (reading->tendon->is_lost)
    return "its tendon is not imported";
  return NULL;
}

static int has_actuator(const hn_xml *root, const char *name) {
  for (const hn_xml *all = hn_xml_child(root, "actuator"); all; all = hn_xml_next(all, "actuator"))
    for (const hn_xml *a = all->first; a; a = a->next) {
      const char *own = hn_xml_peek(a, "name");
      if (own && strcmp(own, name) == 0) return 1;
    }
  return 0;
}

static const char *find_motor(hn_mjcf *r, hn_xml *node, hn_reading *reading) {
  hn_machine *m = r->machine;
  const char *name = hn_xml_get(node, "actuator");
  for (const hn_motor *motor = m->motors; name && motor; motor = motor->next)
    if (strcmp(motor->name, name) == 0) reading->motor = motor;
  if (!reading->motor && name && has_actuator(m->root, name)) return "its actuator is not imported";
  if (!reading->motor)
    hn_machine_fail(m, node, hn_xml_element(m, node), "Name an actuator.",
                    "refers to the actuator '%s', which does not exist", name ? name : "");
  else if (reading->motor->kind == HN_MOTOR_POINT)
    return "its actuator acts on a point: not supported";
  return NULL;
}

static int needs_axes(hn_reading_kind kind) {
  return kind == HN_READ_QUATERNION || kind == HN_READ_AXIS;
}

// The frame of an object. axes: 1 if its orientation counts.
static const char *find_frame(hn_mjcf *r, hn_xml *node, const char *type, const char *name,
                              int axes, hn_reading_frame *frame) {
  hn_machine *m = r->machine;
  const char *element = hn_xml_element(m, node);
  if (strcmp(type, "site") == 0) {
    const hn_mjcf_site *site = hn_table_find(r->sites, name);
    if (site)
      *frame = (hn_reading_frame){site->link, site->marker};
    else
      hn_machine_fail(m, node, element, "Name a <site>.",
                      "refers to the site '%s', which does not exist", name ? name : "");
    return NULL;
  }
  if (strcmp(type, "body") == 0 || strcmp(type, "xbody") == 0) {
    const int is_center = strcmp(type, "body") == 0;
    hn_link *link = hn_machine_need_link(m, name, node, element);
    if (!link) return NULL;
    if (is_center && axes) return INERTIAL;
    const hn_pose pose = {mat3_identity(), is_center ? link->center : vec3_zero()};
    const char *ending = is_center ? "center" : "frame";
    *frame = (hn_reading_frame){
        link, hn_link_add_marker(m, link, hn_machine_text(m, "%s_%s", name, ending), pose, node)};
    return NULL;
  }
  if (strcmp(type, "geom") != 0) return "frames of cameras are not supported";
  hn_solid *solid = hn_table_find(r->geoms, name);
  if (!solid) {
    hn_machine_fail(m, node, element, "Name a <geom>.",
                    "refers to the geom '%s', which does not exist", name ? name : "");
    return NULL;
  }
  if (solid->kind == HN_SOLID_MESH)
    return "not supported: the frame of a mesh is that of its inertia";
  *frame =
      (hn_reading_frame){solid->link, hn_link_add_marker(m, solid->link, name, solid->pose, node)};
  return NULL;
}

static const char *find_object(hn_mjcf *r, hn_xml *node, hn_reading *reading) {
  const char *type = hn_xml_get(node, "objtype"), *name = hn_xml_get(node, "objname");
  const char *from = hn_xml_get(node, "reftype"), *other = hn_xml_get(node, "refname");
  const char *why =
      find_frame(r, node, type ? type : "", name, needs_axes(reading->kind), &reading->at);
  if (!why && from) why = find_frame(r, node, from, other, 1, &reading->from);
  return why;
}

static const char *find_target(hn_mjcf *r, hn_xml *node, const sensor_type *type,
                               hn_reading *reading) {
  hn_machine *m = r->machine;
  const char *why = NULL;
  switch (type->target) {
  case ON_NOTHING: return NULL;
  case ON_JOINT:
  case ON_BALL: return find_joint(r, node, type->target == ON_BALL, reading);
  case ON_TENDON: return find_tendon(r, node, reading);
  case ON_ACTUATOR: return find_motor(r, node, reading);
  case ON_OBJECT: return find_object(r, node, reading);
  case ON_SITE:
    why = find_frame(r, node, "site", hn_xml_get(node, "site"), 1, &reading->at);
    if (type->is_own) reading->from = reading->at;
    return why;
  case ON_BODY:
    reading->at.link =
        hn_machine_need_link(m, hn_xml_get(node, "body"), node, hn_xml_element(m, node));
    return NULL;
  }
  return NULL;
}

// ---- all ----------------------------------------------------------------------------------------

static const char *name_of(hn_machine *m, const hn_xml *node, const hn_reading *reading) {
  static const char *const objects[] = {"objname", "site", "joint", "tendon", "actuator", "body"};
  const char *name = hn_xml_peek(node, "name");
  if (name && *name) return name;
  if (reading->kind == HN_READ_COORDINATE) return reading->joint->name;
  for (size_t k = 0; k < sizeof objects / sizeof *objects; k++)
    if (hn_xml_peek(node, objects[k]))
      return hn_machine_text(m, "%s_%s", hn_xml_peek(node, objects[k]), node->name);
  return node->name;
}

static void lose_sensor(hn_xml *node, const char *why) {
  node->fate = HN_FATE_NONE;
  for (int k = 0; k < node->attribute_count; k++) node->attributes[k].fate = HN_FATE_NONE;
  hn_xml_mark_all(node, HN_FATE_LOST, why);
}

static void read_one(hn_mjcf *r, hn_xml *node, const sensor_type *type) {
  hn_machine *m = r->machine;
  hn_reading trial = {.kind = type->kind,
                      .node = node,
                      .is_rate = type->rate_or_axis,
                      .axis = type->rate_or_axis,
                      .signal = type->signal,
                      .field = r->magnetic};
  const char *why = find_target(r, node, type, &trial);
  if (!hn_machine_ok(m)) return;
  if (why) {
    lose_sensor(node, why);
    return;
  }
  trial.name = name_of(m, node, &trial);
  trial.cutoff = hn_xml_number(m, node, "cutoff", 0);
  hn_reading *reading = HN_MACHINE_TAKE(m, hn_reading, 1);
  if (!reading) return;
  *reading = trial;
  hn_reading **at = &m->readings;
  while (*at) at = &(*at)->next;
  *at = reading;
  hn_xml_get(node, "name");
  hn_xml_use(node);
  hn_xml_mark_attribute(node, "noise", HN_FATE_HARMLESS, "MuJoCo does not apply it");
  hn_xml_mark_attribute(node, "user", HN_FATE_HARMLESS, "for other programs");
  static const char *const timing[] = {"nsample", "interp", "delay", "interval"};
  for (size_t k = 0; k < sizeof timing / sizeof *timing; k++)
    hn_xml_mark_attribute(node, timing[k], HN_FATE_LOST, "outputs have no delay or history");
}

void hn_mjcf_sensor(hn_mjcf *r, hn_xml *node) {
  for (hn_xml *child = node->first; child && hn_machine_ok(r->machine); child = child->next) {
    const sensor_type *type = sensor_type_of(child);
    if (type)
      read_one(r, child, type);
    else
      hn_xml_mark_all(child, HN_FATE_LOST, why_not(child));
  }
}
