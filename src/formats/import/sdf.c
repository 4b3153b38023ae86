// SDF: worlds, models within models, and the order in which they are read: first all names, then places,
// then links and joints.
#include "formats/import/sdf.h"

#include <stdlib.h>
#include <string.h>

static void read_model(hn_sdf *r, hn_sdf_scope *scope, hn_sdf_frame *frame, const char *prefix,
                       int is_static);

// ---- names --------------------------------------------------------------------------------------

static const char *name_of(hn_sdf *r, hn_xml *node) {
  const char *name = hn_xml_get(node, "name");
  if (name && *name && !strstr(name, "::")) return name;
  hn_machine_fail(r->machine, node, hn_machine_text(r->machine, "<%s>", node->name),
                  "Write name=\"...\", without '::'.", "has no valid name");
  return "";
}

static int is_one_of(const char *word, const char *const *words) {
  for (; *words; words++)
    if (strcmp(word, *words) == 0) return 1;
  return 0;
}

static void register_link(hn_sdf *r, hn_sdf_scope *scope, hn_sdf_frame *frame) {
  hn_machine *m = r->machine;
  frame->link =
      hn_machine_add_link(m, hn_machine_text(m, "%s%s", scope->prefix, frame->name), frame->node);
  m->link_count++;
}

static void register_child(hn_sdf *r, hn_sdf_scope *scope, hn_xml *child) {
  static const char *const framed[] = {"link", "joint", "frame", "model", NULL};
  if (!is_one_of(child->name, framed)) return;
  const char *name = name_of(r, child);
  hn_sdf_frame *frame = hn_machine_ok(r->machine) ? hn_sdf_add_frame(r, scope, name, child) : NULL;
  if (!frame) return;
  child->meaning = frame;
  if (strcmp(child->name, "link") == 0) register_link(r, scope, frame);
  if (strcmp(child->name, "joint") == 0) {
    frame->usual = hn_sdf_text(child, "child");
    frame->attached = frame->usual;
  }
  if (strcmp(child->name, "frame") == 0) {
    frame->attached = hn_xml_get(child, "attached_to");
    if (frame->attached && !*frame->attached) frame->attached = NULL;
    frame->usual = frame->attached;
    hn_xml_use(child);
  }
  if (strcmp(child->name, "model") == 0)
    read_model(r, scope, frame, hn_machine_text(r->machine, "%s%s::", scope->prefix, name),
               scope->is_static);
}

// ---- models -------------------------------------------------------------------------------------

static void mark_rest(hn_xml *child) {
  static const char *const harmless[] = {
      "self_collide",          "allow_auto_disable", "enable_wind", "scene", "gui", "light",
      "spherical_coordinates", "magnetic_field",     "population",  "road",  NULL};
  if (is_one_of(child->name, harmless))
    hn_xml_mark_all(child, HN_FATE_HARMLESS, "no effect without contact, wind and light");
  else if (strcmp(child->name, "plugin") == 0)
    hn_xml_mark_all(child, HN_FATE_LOST, "Gazebo plugins are not supported");
  else if (strcmp(child->name, "physics") == 0)
    hn_xml_mark_all(child, HN_FATE_LOST, "integrator and solver settings of Gazebo");
}

static void read_model(hn_sdf *r, hn_sdf_scope *scope, hn_sdf_frame *frame, const char *prefix,
                       int is_static) {
  hn_machine *m = r->machine;
  hn_sdf_scope *own = HN_MACHINE_TAKE(m, hn_sdf_scope, 1);
  if (!own) return;
  *own = (hn_sdf_scope){scope, prefix, frame->node, hn_table_create(m), frame, is_static};
  frame->inside = own;
  hn_xml_use(frame->node);
  own->is_static |= hn_sdf_is(frame->node, "static", 0);
  for (hn_xml *child = frame->node->first; child && hn_machine_ok(m); child = child->next) {
    register_child(r, own, child);
    mark_rest(child);
  }
}

// ---- links and joints ---------------------------------------------------------------------------

static void fix(hn_sdf *r, hn_link *link) {
  hn_machine *m = r->machine;
  hn_link_joint *j = hn_machine_make_joint(m, hn_machine_text(m, "%s_static", link->name),
                                           HN_LINK_FIXED, link->node);
  if (!j) return;
  j->is_made = 1;
  j->parent = &m->ground;
  j->child = link;
  j->at = j->at2 = link->pose.p;
}

static void walk(hn_sdf *r, hn_sdf_scope *scope, int pass) {
  hn_machine *m = r->machine;
  for (hn_xml *child = scope->node->first; child && hn_machine_ok(m); child = child->next) {
    hn_sdf_frame *frame = child->meaning;
    if (!frame) continue;
    if (frame->inside) {
      if (pass == 0) hn_sdf_where(r, frame);
      walk(r, frame->inside, pass);
    } else if (frame->link) {
      if (pass == 0) hn_sdf_link(r, scope, frame);
      if (pass == 0 && scope->is_static) fix(r, frame->link);
    } else if (strcmp(child->name, "joint") == 0) {
      if (pass == 1 && !scope->is_static) hn_sdf_joint(r, scope, frame);
      if (pass == 1 && scope->is_static) hn_xml_mark_all(child, HN_FATE_HARMLESS, "static model");
      if (pass == 2 && !scope->is_static) hn_sdf_gearbox(r, scope, child, frame->name);
    } else {
      hn_sdf_where(r, frame);
    }
  }
}

// Frames become markers of the links they are fixed to, when all links are placed.
static void add_markers(hn_sdf *r, hn_sdf_scope *scope) {
  for (hn_xml *child = scope->node->first; child && hn_machine_ok(r->machine);
       child = child->next) {
    hn_sdf_frame *frame = child->meaning;
    if (!frame) continue;
    if (frame->inside) add_markers(r, frame->inside);
    if (strcmp(child->name, "frame") != 0) continue;
    hn_link *link = hn_sdf_link_of(r, scope, frame->name, child);
    if (!link) continue;
    hn_pose back = hn_pose_inverse(&link->pose), own = hn_sdf_where(r, frame);
    hn_link_add_marker(r->machine, link, frame->name, hn_pose_multiply(&back, &own), child);
  }
}

// ---- the file -----------------------------------------------------------------------------------

static int count_models(const hn_xml *node) {
  int count = 0;
  for (const hn_xml *c = hn_xml_child(node, "model"); c; c = hn_xml_next(c, "model")) count++;
  return count;
}

// Models at the top: the only one gives its name to the model, several to their links.
static void read_top(hn_sdf *r, hn_sdf_scope *world) {
  hn_machine *m = r->machine;
  int is_one = count_models(world->node) == 1;
  for (hn_xml *child = world->node->first; child && hn_machine_ok(m); child = child->next) {
    if (strcmp(child->name, "model") == 0) {
      const char *name = name_of(r, child);
      hn_sdf_frame *frame = hn_machine_ok(m) ? hn_sdf_add_frame(r, world, name, child) : NULL;
      if (!frame) return;
      child->meaning = frame;
      if (is_one) m->name = name;
      read_model(r, world, frame, is_one ? "" : hn_machine_text(m, "%s::", name), 0);
    } else if (strcmp(child->name, "frame") == 0 || strcmp(child->name, "joint") == 0) {
      register_child(r, world, child);
    } else {
      mark_rest(child);
    }
  }
}

static void read_step(hn_sdf *r, hn_xml *physics) {
  hn_machine *m = r->machine;
  if (!physics || !hn_xml_child(physics, "max_step_size")) return;
  m->timestep_node = hn_xml_child(physics, "max_step_size");
  m->timestep = hn_sdf_number(r, physics, "max_step_size", m->timestep);
  hn_xml_use(physics);
  if (hn_machine_ok(m) && !(m->timestep > 0))
    hn_machine_fail(m, m->timestep_node, "<max_step_size>", "Give a step above 0 s.",
                    "is %g s", m->timestep);
}

static void read_world(hn_sdf *r, hn_sdf_scope *world) {
  hn_machine *m = r->machine;
  if (strcmp(world->node->name, "world") == 0) {
    hn_xml_use(world->node);
    m->name = hn_xml_get(world->node, "name");
    m->gravity_node = hn_xml_child(world->node, "gravity");
    m->gravity = hn_sdf_vector(r, world->node, "gravity", m->gravity);
    read_step(r, hn_xml_child(world->node, "physics"));
  }
  read_top(r, world);
  for (int pass = 0; pass < 3; pass++) walk(r, world, pass);
  add_markers(r, world);
}

void hn_read_sdf(hn_machine *machine) {
  hn_sdf r = {.machine = machine, .version = 1.7};
  hn_xml *root = machine->root;
  const char *version = hn_xml_get(root, "version");
  hn_sdf_scope world = {.prefix = "", .node = root, .frames = hn_table_create(machine)};
  hn_xml_use(root);
  if (version) r.version = atof(version);
  for (int k = 0; k < root->attribute_count; k++)
    if (strncmp(root->attributes[k].name, "xmlns", 5) == 0)
      hn_xml_mark_attribute(root, root->attributes[k].name, HN_FATE_HARMLESS, "metadata");
  if (version && strncmp(version, "1.", 2) == 0 && strlen(version) > 3)
    r.version = 1.9; // 1.10 and later come after 1.9
  machine->gravity = vec3(0, 0, -9.8);
  machine->timestep = 0.001;
  hn_xml *inner = hn_xml_child(root, "world");
  if (inner) world.node = inner;
  if (inner && hn_xml_next(inner, "world"))
    hn_xml_mark_all(hn_xml_next(inner, "world"), HN_FATE_LOST, "only the first world is imported");
  if (hn_machine_ok(machine)) hn_sdf_expand(&r);
  if (hn_machine_ok(machine)) read_world(&r, &world);
  if (hn_machine_ok(machine) && !machine->links)
    hn_machine_fail(machine, root, "<sdf>", "Add at least one <link>.", "has no links");
}
