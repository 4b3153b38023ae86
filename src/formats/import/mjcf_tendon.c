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

static double length_at_rest(const hn_machine *machine, const hn_tendon *t) {
  double sum = 0;
  hn_vec3 last = vec3_zero();
  for (int k = 0; k < t->term_count; k++)
    sum += t->terms[k].factor * t->terms[k].joint->freedom[0].rest;
  for (int k = 0; k < t->point_count; k++) {
    hn_pose move = to_rest(machine, t->links[k], 0);
    hn_vec3 p = hn_pose_point(&move, t->points[k]);
    if (t->divisor[k] > 0) sum += vec3_norm(vec3_sub(p, last)) / t->divisor[k];
    last = p;
  }
  return sum;
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
  hn_mjcf_mark_list(item, "range limited margin", HN_FATE_LOST, "no element limits a tendon");
  hn_mjcf_mark_list(item, "solreflimit solimplimit solreffriction solimpfriction", HN_FATE_LOST,
                    HN_SOFTNESS);
  if (hn_mjcf_number(item, "frictionloss", 0) > 0)
    hn_mjcf_mark(item, "frictionloss", HN_FATE_LOST, "no dry friction of tendons");
  t->armature = hn_mjcf_number(item, "armature", 0);
  if (t->armature > 0 && t->term_count == 0) {
    t->armature = 0;
    hn_mjcf_mark(item, "armature", HN_FATE_LOST, "no inertia of ways over sites");
  }
  hn_mjcf_mark_list(item, "width rgba material group user actuatorfrcrange actuatorfrclimited",
                    HN_FATE_HARMLESS, "for drawing and other programs");
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
      hn_machine_fail(m, c, element, "Name hinges and slides.",
                      "names joint '%s', which has no single coordinate", j->name);
      return;
    }
    t->terms[t->term_count++] = (hn_machine_term){j, 0, factor, {0}};
    t->drawn += factor * j->freedom[0].reference;
  }
}

static void add_site(hn_mjcf *r, hn_xml *node, hn_tendon *t, double divisor) {
  const char *name = hn_xml_get(node, "site");
  const hn_mjcf_site *site = hn_table_find(r->sites, name);
  int k = t->point_count;
  if (!site) {
    hn_machine_fail(r->machine, node, hn_xml_element(r->machine, node->parent), "Name a <site>.",
                    "names the site '%s', which is not there", name ? name : "");
    return;
  }
  t->links[k] = site->link;
  t->points[k] = hn_pose_point(&site->link->pose, site->pose.p);
  t->divisor[k] = divisor;
  if (divisor > 0) t->drawn += vec3_norm(vec3_sub(t->points[k], t->points[k - 1])) / divisor;
  t->point_count++;
}

// A way over sites, divided by pulleys; around geoms it is something that a model cannot have.
static void read_spatial(hn_mjcf *r, hn_xml *node, hn_tendon *t) {
  hn_machine *m = r->machine;
  double divisor = 1, next = 0; // of this branch; of the piece that ends at the next site
  int count = 0;
  for (const hn_xml *c = node->first; c; c = c->next) {
    if (strcmp(c->name, "site") != 0 && strcmp(c->name, "pulley") != 0) return;
    count++;
  }
  t->links = HN_MACHINE_TAKE(m, hn_link *, count + 1);
  t->points = HN_MACHINE_TAKE(m, hn_vec3, count + 1);
  t->divisor = HN_MACHINE_TAKE(m, double, count + 1);
  for (hn_xml *c = node->first; c && hn_machine_ok(m); c = c->next) {
    hn_xml_use(c);
    if (strcmp(c->name, "pulley") == 0) {
      divisor = hn_xml_number(m, c, "divisor", 1);
      next = 0;
      if (!(divisor > 0))
        hn_machine_fail(m, c, hn_xml_element(m, node), "Give a divisor above 0.",
                        "has a pulley with the divisor %g", divisor);
      continue;
    }
    add_site(r, c, t, next);
    next = divisor;
  }
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
  int is_long = t->point_count > 2 && hn_tendon_pieces(t) > HN_TENDON_PIECES;
  if (t->point_count < 2 || is_long) {
    t->stiffness = t->damping = 0;
    t->is_lost = 1;
    give_up(node, is_long ? "a way over more pieces than a law can read"
                          : "a way around geoms: springs are straight");
  }
}

void hn_mjcf_tendon(hn_mjcf *r, hn_xml *node) {
  for (hn_xml *child = node->first; child && hn_machine_ok(r->machine); child = child->next)
    read_one(r, child);
}
