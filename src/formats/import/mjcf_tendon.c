// Tendons of MJCF: sums of joint coordinates, and ways over sites.
#include <math.h>
#include <string.h>

#include "formats/import/mjcf.h"

// ---- the length without force -------------------------------------------------------------------

// How a link moves from where it is drawn to where all joints are at rest, as MuJoCo measures springs.
static hn_pose to_rest(const hn_machine *machine, const hn_link *link, int depth) {
  const hn_link_joint *j = machine->joints;
  while (j && (j->is_loop || j->child != link)) j = j->next;
  if (!j || link->is_ground || depth > HN_XML_DEPTH * 8) return hn_pose_none();
  hn_pose own = hn_pose_none(), up = to_rest(machine, j->parent, depth + 1);
  double way = j->freedom[0].rest - j->freedom[0].reference;
  if (j->kind == HN_LINK_SLIDE) own.p = vec3_scale(way, j->axis);
  if (j->kind == HN_LINK_HINGE) {
    own.r = quat_matrix(quat_from_axis_angle(j->axis, way));
    own.p = vec3_sub(j->at, mat3_apply(own.r, j->at));
  }
  return hn_pose_multiply(&up, &own);
}

static double length_at_rest(hn_machine *machine, const hn_tendon *t) {
  double sum = 0;
  for (int k = 0; k < t->term_count; k++)
    sum += t->terms[k].factor * t->terms[k].joint->freedom[0].rest;
  if (t->part_count == 0) return sum;
  hn_pose *moves = HN_MACHINE_TAKE(machine, hn_pose, 2 * t->part_count);
  for (int k = 0; moves && k < t->part_count; k++) {
    const hn_tendon_part *part = &t->parts[k];
    moves[2 * k] = part->link ? to_rest(machine, part->link, 0) : hn_pose_none();
    moves[2 * k + 1] = part->side_link ? to_rest(machine, part->side_link, 0) : hn_pose_none();
  }
  return moves ? hn_tendon_length(t, moves) : 0;
}

// Limits and dry friction are not part of what references of passive motion have: switched off at first.
static void read_limits(const hn_mjcf_item *item, hn_tendon *t) {
  double range[2];
  const int is_limited = hn_mjcf_is_limited(item, "limited", "range");
  if (hn_mjcf_numbers(item, "range", 2, range) == 2 && is_limited) {
    t->has_limits = 1;
    t->least = range[0];
    t->most = range[1];
  } else {
    hn_mjcf_mark(item, "range", HN_FATE_HARMLESS, "not limited");
  }
  t->friction = fmax(0, hn_mjcf_number(item, "frictionloss", 0));
  hn_mjcf_mark_list(item, "margin", HN_FATE_LOST, HN_SOFTNESS);
  hn_mjcf_mark_list(item, "solreflimit solimplimit solreffriction solimpfriction", HN_FATE_LOST,
                    HN_SOFTNESS);
}

static void read_spring(const hn_mjcf_item *item, hn_tendon *t) {
  double rest[2];
  int count = hn_mjcf_numbers(item, "springlength", 2, rest);
  t->stiffness = hn_mjcf_number(item, "stiffness", 0);
  t->damping = hn_mjcf_number(item, "damping", 0);
  t->lower = t->upper = length_at_rest(item->reader->machine, t);
  if (count > 0 && (rest[0] != -1 || (count == 2 && rest[1] != -1))) { // -1: at rest
    t->lower = rest[0];
    t->upper = count == 2 ? rest[1] : rest[0];
  }
  read_limits(item, t);
  t->armature = hn_mjcf_number(item, "armature", 0);
  if (t->armature > 0 && hn_tendon_is_round(t)) {
    t->armature = 0;
    hn_mjcf_mark(item, "armature", HN_FATE_LOST,
                 "inertia of tendons that wrap around geoms is not supported");
  }
  hn_mjcf_mark_list(item, "actuatorfrcrange actuatorfrclimited", HN_FATE_LOST,
                    "not supported: give each actuator a forcerange");
  hn_mjcf_mark_list(item, "width rgba material group user", HN_FATE_HARMLESS,
                    "for display and other programs");
}

static void read_fixed(hn_mjcf *r, hn_xml *node, hn_tendon *t) {
  hn_machine *m = r->machine;
  int count = 0;
  for (const hn_xml *c = hn_xml_child(node, "joint"); c; c = hn_xml_next(c, "joint")) count++;
  t->terms = HN_MACHINE_TAKE(m, hn_machine_term, count + 1);
  for (hn_xml *c = hn_xml_child(node, "joint"); c && hn_machine_ok(m);
       c = hn_xml_next(c, "joint")) {
    const char *element = hn_xml_element(m, node);
    hn_link_joint *j = hn_machine_need_joint(m, hn_xml_get(c, "joint"), c, element);
    double factor = hn_xml_number(m, c, "coef", 1);
    hn_xml_use(c);
    if (!j) return;
    if (j->kind != HN_LINK_HINGE && j->kind != HN_LINK_SLIDE) {
      hn_machine_fail(m, c, element, "Use hinge or slide joints.",
                      "refers to joint '%s', which does not have exactly one coordinate", j->name);
      return;
    }
    t->terms[t->term_count++] = (hn_machine_term){j, 0, factor, {0}};
    t->drawn += factor * j->freedom[0].reference;
  }
}

static const hn_mjcf_site *need_site(hn_mjcf *r, hn_xml *node, const char *name) {
  const hn_mjcf_site *site = hn_table_find(r->sites, name);
  if (!site)
    hn_machine_fail(r->machine, node, hn_xml_element(r->machine, node->parent), "Name a <site>.",
                    "refers to the site '%s', which does not exist", name ? name : "");
  return site;
}

static void read_site(hn_mjcf *r, hn_xml *node, hn_tendon_part *part) {
  const hn_mjcf_site *site = need_site(r, node, hn_xml_get(node, "site"));
  if (!site) return;
  part->link = site->link;
  part->at = hn_pose_point(&site->link->pose, site->pose.p);
}

// A sphere or a cylinder, and a site on whose side the way passes.
static void read_round(hn_mjcf *r, hn_xml *node, hn_tendon_part *part) {
  const char *name = hn_xml_get(node, "geom"), *side = hn_xml_get(node, "sidesite");
  const hn_solid *solid = hn_table_find(r->geoms, name);
  if (!solid || (solid->kind != HN_SOLID_SPHERE && solid->kind != HN_SOLID_CYLINDER)) {
    hn_machine_fail(r->machine, node, hn_xml_element(r->machine, node->parent),
                    "Use a sphere or cylinder <geom>.",
                    solid ? "wraps around the geom '%s', which is neither sphere nor cylinder"
                          : "refers to the geom '%s', which does not exist",
                    name ? name : "");
    return;
  }
  part->kind = solid->kind == HN_SOLID_SPHERE ? HN_WAY_SPHERE : HN_WAY_CYLINDER;
  part->link = solid->link;
  part->radius = solid->radius;
  hn_pose pose = hn_pose_multiply(&solid->link->pose, &solid->pose);
  part->at = pose.p;
  part->axis = mat3_column(pose.r, 2);
  const hn_mjcf_site *known = side ? need_site(r, node, side) : NULL;
  if (!known) return;
  part->side_link = known->link;
  part->side = hn_pose_point(&known->link->pose, known->pose.p);
}

static void read_pulley(hn_mjcf *r, hn_xml *node, hn_tendon_part *part) {
  part->kind = HN_WAY_PULLEY;
  part->divisor = hn_xml_number(r->machine, node, "divisor", 1);
  if (!(part->divisor > 0))
    hn_machine_fail(r->machine, node, hn_xml_element(r->machine, node->parent),
                    "Give a divisor above 0.", "has a pulley with the divisor %g", part->divisor);
}

// A way over sites and around geoms, divided by pulleys.
static void read_spatial(hn_mjcf *r, hn_xml *node, hn_tendon *t) {
  hn_machine *m = r->machine;
  int count = 0;
  for (const hn_xml *c = node->first; c; c = c->next) count++;
  t->parts = HN_MACHINE_TAKE(m, hn_tendon_part, count + 1);
  for (hn_xml *c = node->first; c && hn_machine_ok(m); c = c->next) {
    hn_tendon_part *part = &t->parts[t->part_count++];
    hn_xml_use(c);
    if (strcmp(c->name, "site") == 0)
      read_site(r, c, part);
    else if (strcmp(c->name, "geom") == 0)
      read_round(r, c, part);
    else if (strcmp(c->name, "pulley") == 0)
      read_pulley(r, c, part);
    else
      hn_machine_fail(m, c, hn_xml_element(m, node), "Use <site>, <geom> and <pulley>.",
                      "has the unsupported path element <%s>", c->name);
  }
  if (hn_machine_ok(m)) t->drawn = hn_tendon_length(t, NULL);
}

static void give_up(hn_xml *node, const char *why) {
  node->fate = HN_FATE_NONE;
  for (hn_xml *c = node->first; c; c = c->next) {
    c->fate = HN_FATE_NONE;
    for (int k = 0; k < c->attribute_count; k++) c->attributes[k].fate = HN_FATE_NONE;
  }
  for (int k = 0; k < node->attribute_count; k++)
    if (node->attributes[k].fate == HN_FATE_USED) node->attributes[k].fate = HN_FATE_NONE;
  hn_xml_mark_all(node, HN_FATE_LOST, why);
}

static void read_one(hn_mjcf *r, hn_xml *node) {
  hn_machine *m = r->machine;
  hn_mjcf_item item = hn_mjcf_open(r, node, "tendon", NULL);
  const char *name = hn_xml_get(node, "name");
  hn_tendon *t = hn_machine_add_tendon(m, name ? name : "tendon", node);
  if (!t) return;
  if (strcmp(node->name, "fixed") == 0)
    read_fixed(r, node, t);
  else
    read_spatial(r, node, t);
  if (!hn_machine_ok(m)) return;
  read_spring(&item, t);
  hn_mjcf_know(r, r->tendons, name, node, t);
  if (strcmp(node->name, "fixed") == 0) return;
  if (t->part_count < 2 || t->part_count > HN_WAY_MOST) {
    t->stiffness = t->damping = t->friction = t->armature = 0;
    t->has_limits = 0;
    t->is_lost = 1;
    give_up(node, t->part_count < 2 ? "a path needs at least two sites"
                                    : "too many sites for a tendon path");
  }
}

void hn_mjcf_tendon(hn_mjcf *r, hn_xml *node) {
  for (hn_xml *child = node->first; child && hn_machine_ok(r->machine); child = child->next)
    read_one(r, child);
}
