// Tendons of MJCF: sums of joint coordinates, and ways over sites.
#include <math.h>
#include <string.h>

#include "formats/import/mjcf.h"

static void read_spring(const hn_mjcf_item *item, hn_tendon *t) {
  double rest[2];
  int count = hn_mjcf_numbers(item, "springlength", 2, rest);
  t->stiffness = hn_mjcf_number(item, "stiffness", 0);
  t->damping = hn_mjcf_number(item, "damping", 0);
  t->lower = t->upper = t->drawn;
  if (count > 0 && rest[0] >= 0) {
    t->lower = rest[0];
    t->upper = count == 2 ? rest[1] : rest[0];
  }
  hn_mjcf_mark_list(item, "range limited margin", HN_FATE_LOST, "no element limits a tendon");
  hn_mjcf_mark_list(item, "solreflimit solimplimit solreffriction solimpfriction", HN_FATE_LOST,
                    HN_SOFTNESS);
  if (hn_mjcf_number(item, "frictionloss", 0) > 0)
    hn_mjcf_mark(item, "frictionloss", HN_FATE_LOST, "no dry friction of tendons");
  if (hn_mjcf_number(item, "armature", 0) > 0)
    hn_mjcf_mark(item, "armature", HN_FATE_LOST, "no inertia of tendons");
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

// A straight way over sites; anything else on it makes it something that a model cannot have.
static void read_spatial(hn_mjcf *r, hn_xml *node, hn_tendon *t) {
  hn_machine *m = r->machine;
  int count = 0;
  for (const hn_xml *c = node->first; c; c = c->next) {
    if (strcmp(c->name, "site") != 0) return;
    count++;
  }
  t->links = HN_MACHINE_TAKE(m, hn_link *, count + 1);
  t->points = HN_MACHINE_TAKE(m, hn_vec3, count + 1);
  for (hn_xml *c = node->first; c && hn_machine_ok(m); c = c->next) {
    const char *name = hn_xml_get(c, "site");
    const hn_mjcf_site *site = hn_table_find(r->sites, name);
    if (!site) {
      hn_machine_fail(m, c, hn_xml_element(m, node), "Name a <site>.",
                      "names the site '%s', which is not there", name ? name : "");
      return;
    }
    hn_xml_use(c);
    t->links[t->point_count] = site->link;
    t->points[t->point_count] = hn_pose_point(&site->link->pose, site->pose.p);
    if (t->point_count > 0)
      t->drawn += vec3_norm(vec3_sub(t->points[t->point_count], t->points[t->point_count - 1]));
    t->point_count++;
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
  if (name) hn_table_add(m, r->tendons, name, t);
  if (strcmp(node->name, "fixed") == 0) return;
  if (t->point_count != 2) {
    t->stiffness = t->damping = 0;
    t->is_lost = 1;
    give_up(node, "a way over more than two points, or around geoms: springs are straight");
  }
}

void hn_mjcf_tendon(hn_mjcf *r, hn_xml *node) {
  for (hn_xml *child = node->first; child && hn_machine_ok(r->machine); child = child->next)
    read_one(r, child);
}
