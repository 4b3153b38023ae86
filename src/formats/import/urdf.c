// URDF: links, and where they are. Joints are in urdf_joint.c, what is only drawn in urdf_visual.c.
#include "formats/import/urdf.h"

#include <string.h>

hn_pose hn_urdf_origin(hn_machine *machine, hn_xml *node) {
  hn_xml *origin = hn_xml_take(node, "origin");
  hn_pose pose = hn_pose_none();
  if (!origin) return pose;
  hn_vec3 rpy = hn_xml_vector(machine, origin, "rpy", vec3_zero());
  pose.p = hn_xml_vector(machine, origin, "xyz", vec3_zero());
  pose.r = hn_rotation_rpy(rpy.x, rpy.y, rpy.z);
  return pose;
}

static void read_inertia(hn_machine *machine, hn_link *link, hn_xml *node, hn_mat3 turn) {
  static const char *const names[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
  double inertia[6] = {0};
  for (int k = 0; k < 6; k++) inertia[k] = hn_xml_number(machine, node, names[k], 0);
  hn_inertia_turn(inertia, turn, link->inertia);
}

static void read_inertial(hn_machine *machine, hn_link *link, hn_xml *node) {
  hn_pose pose = hn_urdf_origin(machine, node);
  hn_xml *mass = hn_xml_take(node, "mass"), *inertia = hn_xml_take(node, "inertia");
  link->center = pose.p;
  link->mass = hn_xml_number(machine, mass, "value", 0);
  if (mass && link->mass < 0)
    hn_machine_fail(machine, mass, hn_machine_text(machine, "link '%s'", link->name),
                    "Give the mass in kg.", "has the negative mass %g", link->mass);
  if (inertia) read_inertia(machine, link, inertia, pose.r);
}

static const char *name_of(hn_machine *machine, hn_xml *node) {
  const char *name = hn_xml_get(node, "name");
  if (name && *name) return name;
  hn_machine_fail(machine, node, hn_machine_text(machine, "<%s>", node->name),
                  "Write name=\"...\".", "has no name");
  return NULL;
}

static void read_link(hn_machine *machine, hn_xml *node, hn_name_table *colors) {
  const char *name = name_of(machine, node);
  hn_xml_use(node);
  hn_link *link = name ? hn_machine_add_link(machine, name, node) : NULL;
  if (!link) return;
  machine->link_count++;
  hn_xml *inertial = hn_xml_take(node, "inertial");
  if (inertial) read_inertial(machine, link, inertial);
  for (hn_xml *child = node->first; child; child = child->next) {
    if (strcmp(child->name, "visual") == 0) hn_urdf_visual(machine, link, child, colors);
    if (strcmp(child->name, "collision") == 0) hn_urdf_collision(machine, link, child);
  }
  if (hn_xml_child(node, "visual")) hn_link_show(link);
}

// ---- where links are ----------------------------------------------------------------------------

// Joints give their child's place in `at` and `relative` until parents are known.
static void draw_link(hn_link *link) {
  hn_link_joint *j = link->joint;
  link->pose = hn_pose_multiply(&j->parent->pose, &j->relative);
  j->at = j->at2 = link->pose.p;
  j->axis = mat3_apply(link->pose.r, j->axis);
  j->reference = mat3_apply(link->pose.r, j->reference);
}

static void draw_links(hn_machine *machine) {
  int count = 0;
  for (hn_link *link = machine->links; link; link = link->next) {
    link->mark = link->joint ? 1 : 0;
    count++;
  }
  hn_link **way = HN_MACHINE_TAKE(machine, hn_link *, count);
  for (hn_link *start = machine->links; start && way; start = start->next) {
    int length = 0;
    for (hn_link *at = start; !at->is_ground && at->mark && length < count;
         at = at->joint->parent) {
      at->mark = 0;
      way[length++] = at;
    }
    while (length > 0) draw_link(way[--length]);
  }
}

// The root: the one link without a parent, which is fixed to the ground.
static void find_root(hn_machine *machine) {
  hn_link *root = NULL;
  int is_on_world = 0;
  for (hn_link_joint *j = machine->joints; j; j = j->next)
    is_on_world |= j->parent->is_ground && !j->is_loop;
  for (hn_link *link = machine->links; link && hn_machine_ok(machine); link = link->next) {
    if (link->joint) continue;
    if (root || is_on_world)
      hn_machine_fail(machine, link->node, hn_machine_text(machine, "link '%s'", link->name),
                      "Make every link but one the child of a joint.",
                      "is not the child of a joint, and the root is already '%s'",
                      root ? root->name : "world");
    root = link;
  }
  if (!root || !hn_machine_ok(machine)) return;
  hn_link_joint *j = hn_machine_make_joint(
      machine, hn_machine_text(machine, "%s_on_ground", root->name), HN_LINK_FIXED, root->node);
  if (!j) return;
  j->is_made = 1;
  j->parent = &machine->ground;
  j->child = root;
  j->relative = hn_pose_none();
  root->joint = j;
}

static void hang(hn_machine *machine) {
  for (hn_link_joint *j = machine->joints; j && hn_machine_ok(machine); j = j->next) {
    if (j->is_loop) continue;
    if (j->child->joint)
      hn_machine_fail(machine, j->node, hn_machine_text(machine, "joint '%s'", j->name),
                      "Keep one parent joint per link; close loops with an overlay (@with).",
                      "has the child '%s', which is already the child of joint '%s' (line %d)",
                      j->child->name, j->child->joint->name, j->child->joint->node->line);
    j->child->joint = j;
  }
}

// ---- the file -----------------------------------------------------------------------------------

// A number of <gazebo>: the text of an element, or its `value`. 0: it has none.
static int gazebo_number(hn_machine *machine, hn_xml *node, const char *name, double *number) {
  hn_xml *child = hn_xml_child(node, name);
  const char *text = child && *child->text ? child->text
                     : child               ? hn_xml_get(child, "value")
                                           : NULL;
  if (!text || !hn_numbers_of(machine, child, child->name, text, 1, number)) return 0;
  hn_xml_use(node);
  hn_xml_use(child);
  hn_xml_get(node, "reference");
  return 1;
}

// <gazebo reference="LINK"> with <mu1>, <kp>, <kd>: friction, stiffness and damping of the shapes of a
// link that collide.
static void read_gazebo(hn_machine *machine, hn_xml *node) {
  const char *name = hn_xml_peek(node, "reference");
  const hn_link *link = name ? hn_table_find(machine->link_names, name) : NULL;
  double friction, stiffness, damping = 0;
  static const char why[] = "rigid; with the parameter soft=1 a spring and damper";
  if (link && (gazebo_number(machine, node, "mu1", &friction) ||
               gazebo_number(machine, node, "mu", &friction)))
    for (hn_solid *s = link->solids; s; s = s->next)
      if (s->touch.touches) s->touch.friction = friction > 0 ? friction : 0;
  if (link && gazebo_number(machine, node, "kp", &stiffness)) {
    hn_xml_mark(hn_xml_child(node, "kp"), HN_FATE_APPROXIMATED, why);
    if (gazebo_number(machine, node, "kd", &damping))
      hn_xml_mark(hn_xml_child(node, "kd"), HN_FATE_APPROXIMATED, why);
    for (hn_solid *s = link->solids; s; s = s->next)
      if (s->touch.touches)
        s->touch.soft = (hn_softness){.compliance = stiffness > 0 ? 1 / stiffness : 0,
                                      .damping = fmax(damping, 0)};
  }
  hn_xml_mark_all(node, HN_FATE_LOST, "Gazebo settings");
}

static void mark_rest(hn_machine *machine, hn_xml *root) {
  for (hn_xml *child = root->first; child; child = child->next) {
    if (strcmp(child->name, "transmission") == 0)
      hn_xml_mark_all(child, HN_FATE_HARMLESS,
                      "the motor acts on the joint: its input is the joint's force");
    else if (strcmp(child->name, "gazebo") == 0)
      read_gazebo(machine, child);
    else if (strcmp(child->name, "mujoco") == 0)
      hn_xml_mark_all(child, HN_FATE_LOST, "MuJoCo settings");
  }
}

static void read_root(hn_machine *machine, hn_xml *root) {
  hn_xml_use(root);
  machine->name = hn_xml_get(root, "name");
  for (int k = 0; k < root->attribute_count; k++)
    if (strncmp(root->attributes[k].name, "xmlns", 5) == 0 ||
        strcmp(root->attributes[k].name, "version") == 0)
      hn_xml_mark_attribute(root, root->attributes[k].name, HN_FATE_HARMLESS, "metadata");
  machine->gravity = vec3(0, 0, -9.81); // the format has none
  machine->timestep = 0.001;            // nor a step
}

void hn_read_urdf(hn_machine *machine) {
  hn_xml *root = machine->root;
  hn_name_table *colors = hn_table_create(machine);
  read_root(machine, root);
  hn_urdf_materials(machine, colors);
  for (hn_xml *child = root->first; child && hn_machine_ok(machine); child = child->next) {
    if (strncmp(child->name, "xacro:", 6) == 0)
      hn_machine_fail(machine, child, hn_machine_text(machine, "<%s>", child->name),
                      "Run xacro first: xacro FILE > robot.urdf", "is an unexpanded xacro macro");
    if (strcmp(child->name, "link") == 0) read_link(machine, child, colors);
  }
  for (hn_xml *child = root->first; child && hn_machine_ok(machine); child = child->next)
    if (strcmp(child->name, "joint") == 0) hn_urdf_joint(machine, child);
  for (hn_xml *child = root->first; child && hn_machine_ok(machine); child = child->next)
    if (strcmp(child->name, "loop_joint") == 0 || strcmp(child->name, "loop") == 0)
      hn_urdf_loop(machine, child);
  hang(machine);
  if (hn_machine_ok(machine) && !machine->links)
    hn_machine_fail(machine, root, "<robot>", "Add at least one <link>.", "has no links");
  hn_machine_check_tree(machine);
  if (hn_machine_ok(machine)) find_root(machine);
  if (hn_machine_ok(machine)) draw_links(machine);
  hn_urdf_mimics(machine);
  mark_rest(machine, root);
}
