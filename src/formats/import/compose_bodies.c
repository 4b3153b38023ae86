// Links as bodies: mass, place, shapes, markers.
#include <math.h>
#include <string.h>

#include "formats/import/compose.h"

static int is_zero(hn_vec3 v) { return v.x == 0 && v.y == 0 && v.z == 0; }

static int is_turned(hn_mat3 r) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      if (fabs(r.m[i][j] - (i == j)) > 0) return 1;
  return 0;
}

static void add_orientation(hn_composer *c, hn_node *to, hn_mat3 r) {
  double p[4];
  if (!is_turned(r)) return;
  hn_node *orientation = hn_compose_map(c, to, "orientation");
  quat_store(p, quat_from_matrix(r));
  hn_compose_numbers(c, orientation, "quaternion", p, 4);
}

// Armature of a free body: a mass at its origin without weight, which `passive` switches.
static void add_companion(hn_composer *c, const hn_link *link) {
  hn_machine *m = c->machine;
  const char *name = hn_machine_text(m, "%s_rotor", link->id);
  const char *id = hn_table_legal(m, m->link_ids, name, "rotor");
  const char *size = hn_machine_text(m, "%.17g*passive", link->armature);
  hn_node *body = hn_compose_entry(c, c->bodies, id, link->node);
  hn_compose_text(c, body, "mass", size);
  hn_node *list = hn_compose_list(c, body, "inertia");
  for (int k = 0; k < 3; k++) hn_compose_text(c, list, NULL, size);
  hn_compose_vector(c, body, "position", link->pose.p);
  const char *joint_id = hn_table_legal(m, m->joint_ids, name, "rotor");
  hn_node *joint = hn_compose_entry(c, c->joints, joint_id, link->node);
  hn_compose_text(c, joint, "type", "fixed");
  hn_node *bodies = hn_compose_list(c, joint, "bodies");
  hn_compose_text(c, bodies, NULL, link->id);
  hn_compose_text(c, bodies, NULL, id);
  hn_node *lift = hn_compose_entry(c, c->forces, hn_compose_force_id(c, id, "_lift"), link->node);
  hn_compose_text(c, lift, "type", "point-force");
  hn_compose_text(c, lift, "body", id);
  hn_compose_vector(c, lift, "force", vec3_scale(-link->armature, m->gravity));
  hn_compose_text(c, lift, "if", "passive");
  c->has_passive = 1;
}

static int is_free(const hn_link *link) { return link->joint && link->joint->kind == HN_LINK_FREE; }

// With a rotor in all directions, which `passive` switches.
static void add_with_rotor(hn_composer *c, hn_node *body, const hn_link *link) {
  hn_node *list = hn_compose_list(c, body, "inertia");
  for (int k = 0; k < 6; k++) {
    if (k < 3)
      hn_compose_text(
          c, list, NULL,
          hn_machine_text(c->machine, "%.17g + %.17g*passive", link->inertia[k], link->armature));
    else
      hn_compose_number(c, list, NULL, link->inertia[k]);
  }
  c->has_passive = 1;
}

static void add_inertia(hn_composer *c, hn_node *body, const double inertia[6]) {
  int products = inertia[3] != 0 || inertia[4] != 0 || inertia[5] != 0;
  int any = products || inertia[0] != 0 || inertia[1] != 0 || inertia[2] != 0;
  if (any) hn_compose_numbers(c, body, "inertia", inertia, products ? 6 : 3);
}

// Mass and inertia as products with the parameter `density`.
static void add_volume(hn_composer *c, hn_node *body, const hn_link *link) {
  double density = c->machine->density;
  hn_compose_text(c, body, "mass",
                  hn_machine_text(c->machine, "density*%.15g", link->mass / density));
  if (!is_zero(link->center)) hn_compose_vector(c, body, "center", link->center);
  hn_node *list = hn_compose_list(c, body, "inertia");
  const double *i = link->inertia;
  for (int k = 0; k < (i[3] != 0 || i[4] != 0 || i[5] != 0 ? 6 : 3); k++)
    if (i[k] == 0)
      hn_compose_number(c, list, NULL, 0);
    else
      hn_compose_text(c, list, NULL, hn_machine_text(c->machine, "density*%.15g", i[k] / density));
}

static void add_mass(hn_composer *c, hn_node *body, const hn_link *link) {
  hn_compose_number(c, body, "mass", link->mass);
  if (!is_zero(link->center)) hn_compose_vector(c, body, "center", link->center);
  if (link->armature > 0 && !is_free(link))
    add_with_rotor(c, body, link);
  else
    add_inertia(c, body, link->inertia);
}

// ---- shapes -------------------------------------------------------------------------------------

static void add_round(hn_composer *c, hn_node *shape, const char *key, const hn_solid *solid) {
  hn_node *round = hn_compose_map(c, shape, key);
  hn_compose_number(c, round, "radius", solid->radius);
  hn_compose_number(c, round, "length", solid->length);
}

static void add_kind(hn_composer *c, hn_node *shape, const hn_solid *solid) {
  switch (solid->kind) {
  case HN_SOLID_BOX: hn_compose_vector(c, shape, "box", solid->size); return;
  case HN_SOLID_CYLINDER: add_round(c, shape, "cylinder", solid); return;
  case HN_SOLID_CAPSULE: add_round(c, shape, "capsule", solid); return;
  case HN_SOLID_SPHERE: hn_compose_number(c, shape, "sphere", solid->radius); return;
  case HN_SOLID_MESH: {
    const char *file = c->machine->options->output ? c->machine->options->output : c->machine->path;
    hn_node *mesh =
        hn_compose_text(c, shape, "mesh", hn_import_seen_from(c->machine, file, solid->mesh));
    if (mesh) mesh->quoted = HN_NODE_GRANTED;
    if (solid->size.x != 1) hn_compose_number(c, shape, "scale", solid->size.x);
    return;
  }
  case HN_SOLID_PLANE:
    hn_compose_number(c, hn_compose_map(c, shape, "plane"), "size", solid->size.x);
    return;
  case HN_SOLID_ELLIPSOID: hn_compose_vector(c, shape, "ellipsoid", solid->size); return;
  }
}

// Pairs of bodies that do not collide are contacts of all their shapes without `contact: false`.
static int has_exclusions(const hn_machine *m) {
  for (const hn_touching_pair *p = m->pairs; p; p = p->next)
    if (!p->solid[0]) return 1;
  return 0;
}

static void add_shapes(hn_composer *c, hn_node *body, const hn_link *link) {
  const int says_no = has_exclusions(c->machine);
  hn_node *shapes = NULL;
  for (const hn_solid *solid = link->solids; solid; solid = solid->next) {
    if (!solid->is_drawn && !solid->group) continue;
    if (!shapes) shapes = hn_compose_list(c, body, "shapes");
    c->place = hn_xml_source(solid->node);
    hn_node *shape = hn_compose_map(c, shapes, NULL);
    add_kind(c, shape, solid);
    hn_compose_vector(c, shape, "at", solid->pose.p);
    add_orientation(c, shape, solid->pose.r);
    if (solid->group)
      hn_compose_text(c, shape, "group", solid->group);
    else if (says_no)
      hn_compose_text(c, shape, "contact", "false");
    if (!solid->is_drawn) hn_compose_number(c, shape, "opacity", 0);
    if (solid->color >= 0) {
      hn_node *color =
          hn_compose_text(c, shape, "color", hn_machine_text(c->machine, "#%06x", solid->color));
      if (color) color->quoted = 1;
    }
  }
}

// ---- markers ------------------------------------------------------------------------------------

static void add_markers(hn_composer *c, hn_node *body, const hn_link *link) {
  hn_node *markers = NULL;
  hn_name_table *ids = link->markers ? hn_table_create(c->machine) : NULL;
  for (hn_link_marker *m = link->markers; m; m = m->next) {
    if (!markers) markers = hn_compose_map(c, body, "markers");
    if (m->node) c->place = hn_xml_source(m->node);
    const char *id = m->id = hn_table_legal(c->machine, ids, m->name, "marker");
    if (!is_turned(m->pose.r)) {
      hn_compose_vector(c, markers, id, m->pose.p);
      continue;
    }
    hn_node *marker = hn_compose_map(c, markers, id);
    hn_compose_vector(c, marker, "position", m->pose.p);
    add_orientation(c, marker, m->pose.r);
  }
}

// ---- bodies -------------------------------------------------------------------------------------

// Velocities are those of the center of mass; a body on a ball turns, and its place follows.
static void add_start(hn_composer *c, hn_node *body, const hn_link *link) {
  const hn_link_start *start = link->start;
  hn_vec3 arm = mat3_apply(start->pose.r, link->center);
  double p[4];
  hn_node *initial = hn_compose_map(c, body, "initial");
  quat_store(p, quat_from_matrix(start->pose.r));
  hn_compose_numbers(c, hn_compose_map(c, initial, "orientation"), "quaternion", p, 4);
  hn_compose_vector(c, initial, "angular_velocity", start->spin);
  if (link->joint->kind != HN_LINK_FREE) return;
  hn_compose_vector(c, initial, "position", start->pose.p);
  hn_compose_vector(c, initial, "velocity",
                    vec3_add(start->velocity, vec3_cross(start->spin, arm)));
}

static void add_body(hn_composer *c, const hn_link *link) {
  hn_node *body = hn_compose_entry(c, c->bodies, link->id, link->node);
  if (c->machine->density > 0)
    add_volume(c, body, link);
  else
    add_mass(c, body, link);
  if (!is_zero(link->pose.p)) hn_compose_vector(c, body, "position", link->pose.p);
  add_orientation(c, body, link->pose.r);
  if (link->start && link->start->is_given) add_start(c, body, link);
  add_shapes(c, body, link);
  add_markers(c, body, link);
}

void hn_compose_bodies(hn_composer *c) {
  const hn_link *ground = &c->machine->ground;
  int is_drawn = 0;
  for (const hn_solid *solid = ground->solids; solid; solid = solid->next)
    is_drawn |= solid->is_drawn || solid->group;
  if (is_drawn || ground->markers) {
    hn_node *body = hn_compose_map(c, c->bodies, "ground");
    add_shapes(c, body, ground);
    add_markers(c, body, ground);
  }
  for (const hn_link *link = c->machine->links; link; link = link->next)
    if (!link->merged) add_body(c, link);
  for (const hn_link *link = c->machine->links; link; link = link->next)
    if (!link->merged && link->armature > 0 && is_free(link)) add_companion(c, link);
}
