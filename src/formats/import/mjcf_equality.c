// Equalities of MJCF: loops (connect, weld) and couplings (joint, tendon). They hold exactly.
#include <string.h>

#include "formats/import/mjcf.h"

static const char *name_of(hn_mjcf *r, hn_xml *node, const char *kind, const char *first) {
  const char *name = hn_xml_get(node, "name");
  if (name && *name) return name;
  return hn_machine_text(r->machine, "%s_%s", kind, first ? first : "world");
}

static hn_link *body_of(hn_mjcf *r, hn_xml *node, const char *attribute) {
  const char *name = hn_xml_get(node, attribute);
  if (!name) return &r->machine->ground;
  return hn_machine_need_link(r->machine, name, node, hn_xml_element(r->machine, node));
}

static const hn_mjcf_site *site_of(hn_mjcf *r, hn_xml *node, const char *attribute) {
  const char *name = hn_xml_get(node, attribute);
  const hn_mjcf_site *site = hn_table_find(r->sites, name);
  if (!site)
    hn_machine_fail(r->machine, node, hn_xml_element(r->machine, node), "Name a <site>.",
                    "refers to the site '%s', which does not exist", name ? name : "");
  return site;
}

static hn_link_joint *add_loop(hn_mjcf *r, hn_xml *node, hn_link_joint_kind kind, const char *word,
                               const char *first) {
  hn_link_joint *j = hn_machine_make_joint(r->machine, name_of(r, node, word, first), kind, node);
  if (j) j->is_loop = 1;
  return j;
}

// ---- loops --------------------------------------------------------------------------------------

static void read_connect(hn_mjcf *r, hn_xml *node) {
  hn_machine *m = r->machine;
  if (hn_xml_find(node, "site1")) {
    const hn_mjcf_site *a = site_of(r, node, "site1"), *b = site_of(r, node, "site2");
    hn_link_joint *j =
        a && b ? add_loop(r, node, HN_LINK_BALL, "connect", hn_xml_peek(node, "site1")) : NULL;
    if (!j) return;
    j->parent = a->link;
    j->child = b->link;
    j->at = hn_pose_point(&a->link->pose, a->pose.p);
    j->at2 = hn_pose_point(&b->link->pose, b->pose.p);
    return;
  }
  hn_link *a = body_of(r, node, "body1"), *b = body_of(r, node, "body2");
  hn_link_joint *j = a && b ? add_loop(r, node, HN_LINK_BALL, "connect", a->name) : NULL;
  if (!j) return;
  j->parent = a;
  j->child = b;
  j->at = j->at2 = hn_pose_point(&a->pose, hn_xml_vector(m, node, "anchor", vec3_zero()));
}

// A weld without torques holds a point only.
static void weaken(hn_link_joint *j, const hn_pose *first, const hn_pose *second) {
  j->kind = HN_LINK_BALL;
  j->at = hn_pose_point(&j->parent->pose, first->p);
  j->at2 = hn_pose_point(&j->child->pose, second->p);
  j->frames = NULL;
}

static void weld_sites(hn_mjcf *r, hn_xml *node, int is_point) {
  const hn_mjcf_site *a = site_of(r, node, "site1"), *b = site_of(r, node, "site2");
  hn_link_joint *j =
      a && b ? add_loop(r, node, HN_LINK_FIXED, "weld", hn_xml_peek(node, "site1")) : NULL;
  if (!j) return;
  j->parent = a->link;
  j->child = b->link;
  j->frames = HN_MACHINE_TAKE(r->machine, hn_pose, 2);
  if (!j->frames) return;
  j->frames[0] = a->pose;
  j->frames[1] = b->pose;
  if (is_point) weaken(j, &a->pose, &b->pose);
}

static void read_weld(hn_mjcf *r, hn_xml *node) {
  hn_machine *m = r->machine;
  int is_point = hn_xml_number(m, node, "torquescale", 1) == 0;
  if (!is_point) hn_xml_mark_attribute(node, "torquescale", HN_FATE_HARMLESS, HN_SOFTNESS);
  if (hn_xml_find(node, "site1")) {
    weld_sites(r, node, is_point);
    return;
  }
  hn_link *a = body_of(r, node, "body1"), *b = body_of(r, node, "body2");
  hn_link_joint *j = a && b ? add_loop(r, node, HN_LINK_FIXED, "weld", a->name) : NULL;
  const char *text = hn_xml_get(node, "relpose");
  hn_vec3 anchor = hn_xml_vector(m, node, "anchor", vec3_zero());
  double pose[7] = {0};
  if (!j) return;
  j->parent = a;
  j->child = b;
  j->at = j->at2 = is_point ? hn_pose_point(&b->pose, anchor) : b->pose.p;
  if (is_point) j->kind = HN_LINK_BALL;
  if (!text || !hn_numbers_of(m, node, "relpose", text, 7, pose)) return;
  hn_quat turn = quat_load(pose + 3);
  if (!(quat_dot(turn, turn) > 0)) return; // reference configuration
  j->frames = HN_MACHINE_TAKE(m, hn_pose, 2);
  if (!j->frames) return;
  j->frames[0] = (hn_pose){quat_matrix(quat_unit(turn)), vec3_load(pose)};
  j->frames[1] = (hn_pose){mat3_identity(), anchor}; // what the pose places
  if (is_point) weaken(j, &j->frames[0], &j->frames[1]);
}

// ---- couplings ----------------------------------------------------------------------------------

static int has_coordinate(hn_mjcf *r, hn_xml *node, const hn_link_joint *j) {
  if (j->kind == HN_LINK_HINGE || j->kind == HN_LINK_SLIDE) return 1;
  hn_machine_fail(r->machine, node, hn_xml_element(r->machine, node), "Use hinge or slide joints.",
                  "refers to joint '%s', which does not have exactly one coordinate", j->name);
  return 0;
}

// c0 + c1 y + ... c4 y^4 of y = factor x - reference, in powers of x.
static void shift(const double c[5], double factor, double reference, double powers[5]) {
  for (int k = 0; k < 5; k++) powers[k] = 0;
  for (int k = 4; k >= 0; k--) { // Horner: p becomes p y + c_k
    for (int i = 4; i >= 0; i--)
      powers[i] = (i > 0 ? factor * powers[i - 1] : 0) - reference * powers[i];
    powers[0] += c[k];
  }
}

static int is_there(const double *numbers, int count) {
  for (int k = 0; k < count; k++)
    if (numbers[k] != 0) return 1;
  return 0;
}

// A coordinate that another follows by a polynomial.
static hn_machine_term term_of(hn_link_joint *joint, const double powers[5]) {
  return (hn_machine_term){joint, 0, -powers[1], {-powers[2], -powers[3], -powers[4]}};
}

// q1 - ref1 = c0 + c1 (q2 - ref2) + ...
static void read_joint(hn_mjcf *r, hn_xml *node) {
  hn_machine *m = r->machine;
  const char *element = hn_xml_element(m, node), *text = hn_xml_get(node, "polycoef");
  hn_link_joint *a = hn_machine_need_joint(m, hn_xml_get(node, "joint1"), node, element), *b = NULL;
  double c[5] = {0, 1, 0, 0, 0};
  if (a && hn_xml_find(node, "joint2"))
    b = hn_machine_need_joint(m, hn_xml_get(node, "joint2"), node, element);
  if (text && hn_numbers_some(m, node, "polycoef", text, 5, c) < 0) return;
  if (!hn_machine_ok(m) || !has_coordinate(r, node, a) || (b && !has_coordinate(r, node, b)))
    return;
  double powers[5];
  shift(c, 1, b ? b->freedom[0].reference : 0, powers);
  int follows = b && is_there(powers + 1, 4);
  hn_coupling *k =
      hn_machine_add_coupling(m, name_of(r, node, "coupling", a->name), node, follows ? 2 : 1);
  if (!k) return;
  k->terms[0] = (hn_machine_term){a, 0, 1, {0}};
  k->constant = a->freedom[0].reference + (b ? powers[0] : c[0]);
  if (follows) k->terms[1] = term_of(b, powers);
}

static void use_tendons(hn_xml *node) {
  static const char *const names[] = {"tendon1", "tendon2", "polycoef", "name"};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) hn_xml_get(node, names[k]);
}

// One sum that follows another by c: in proportion, or a single coordinate by a polynomial.
static void add_sums(hn_coupling *k, const hn_tendon *a, const hn_tendon *b, const double c[5]) {
  for (int t = 0; t < a->term_count; t++) k->terms[t] = a->terms[t];
  k->constant = a->drawn + c[0];
  if (b && is_there(c + 2, 3)) {
    double powers[5];
    shift(c, b->terms[0].factor, b->drawn, powers);
    k->terms[a->term_count] = term_of(b->terms[0].joint, powers);
    k->constant = a->drawn + powers[0];
    return;
  }
  if (b) k->constant -= c[1] * b->drawn;
  for (int t = 0; b && t < b->term_count; t++) {
    k->terms[a->term_count + t] = b->terms[t];
    k->terms[a->term_count + t].factor *= -c[1];
  }
}

// Whether its length can be a coordinate.
static int has_length(const hn_tendon *t) {
  return !t->is_lost && !hn_tendon_is_round(t) && (t->term_count > 0 || hn_tendon_moves(t));
}

// Lengths as coordinates of their own follow each other.
static void add_tie(hn_mjcf *r, hn_xml *node, hn_tendon *a, hn_tendon *b, const double c[5]) {
  hn_machine *m = r->machine;
  hn_tie *tie = HN_MACHINE_TAKE(m, hn_tie, 1);
  if (!tie) return;
  *tie = (hn_tie){.name = name_of(r, node, "coupling", a->name), .node = node, .a = a, .b = b};
  shift(c, 1, b ? b->drawn : 0, tie->powers);
  if (!b) tie->powers[0] = c[0];
  tie->powers[0] += a->drawn;
  a->is_tied = 1;
  if (b) b->is_tied = 1;
  tie->next = m->ties;
  m->ties = tie;
}

// Sums of coordinates follow each other, and paths between two points keep their length, relative
// to the reference configuration; read after the tendons.
static void read_tendon(hn_mjcf *r, hn_xml *node) {
  hn_machine *m = r->machine;
  const char *text = hn_xml_peek(node, "polycoef");
  hn_tendon *a = hn_table_find(r->tendons, hn_xml_peek(node, "tendon1"));
  hn_tendon *b = hn_table_find(r->tendons, hn_xml_peek(node, "tendon2"));
  double c[5] = {0, 1, 0, 0, 0};
  if (text && hn_numbers_some(m, node, "polycoef", text, 5, c) < 0) return;
  if (a && !b && hn_tendon_is_straight(a) && hn_tendon_moves(a) && a->drawn + c[0] > 0) {
    a->held = a->drawn + c[0];
    a->holder = node;
    use_tendons(node);
    return;
  }
  int count = a ? a->term_count + (b ? b->term_count : 0) : 0, is_curved = is_there(c + 2, 3);
  if (!a || !has_length(a) || (b && !has_length(b))) {
    node->fate = HN_FATE_NONE;
    hn_xml_mark_all(node, HN_FATE_LOST,
                    "its tendon is not imported, wraps around geoms or has constant length");
    return;
  }
  if (a->part_count || (b && (b->part_count || (is_curved && b->term_count != 1))) || count > 4) {
    add_tie(r, node, a, b, c);
    use_tendons(node);
    return;
  }
  hn_coupling *k = hn_machine_add_coupling(m, name_of(r, node, "coupling", a->name), node, count);
  if (k) add_sums(k, a, b, c);
  use_tendons(node);
}

// ---- all ----------------------------------------------------------------------------------------

// Attributes of an equality are lost; defaults for all of them are treated as exact.
static void mark_softness(const hn_mjcf_item *item) {
  static const char *const names[] = {"solref", "solimp"};
  for (int k = 0; k < 2; k++)
    hn_mjcf_mark(item, names[k],
                 hn_xml_find(item->node, names[k]) ? HN_FATE_LOST : HN_FATE_APPROXIMATED,
                 HN_SOFTNESS);
}

static void read_one(hn_mjcf *r, hn_xml *node) {
  hn_mjcf_item item = hn_mjcf_open(r, node, "equality", NULL);
  const char *active = hn_mjcf_get(&item, "active");
  int is_off = (r->disabled & HN_MJCF_NO_EQUALITY) != 0;
  if (is_off || (active && strcmp(active, "false") == 0)) {
    hn_xml_mark_all(node, HN_FATE_HARMLESS,
                    is_off ? "equalities are disabled by <flag>" : "not active");
    return;
  }
  mark_softness(&item);
  if (strcmp(node->name, "connect") == 0) {
    read_connect(r, node);
  } else if (strcmp(node->name, "weld") == 0) {
    read_weld(r, node);
  } else if (strcmp(node->name, "joint") == 0) {
    read_joint(r, node);
  } else if (strcmp(node->name, "tendon") == 0) {
    read_tendon(r, node);
  } else {
    node->fate = HN_FATE_NONE;
    hn_xml_mark_all(node, HN_FATE_LOST, "deformable bodies are not supported");
  }
}

void hn_mjcf_equality(hn_mjcf *r, hn_xml *node) {
  for (hn_xml *child = node->first; child && hn_machine_ok(r->machine); child = child->next)
    read_one(r, child);
}
