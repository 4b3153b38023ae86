// Bodies of MJCF: the tree, frames, masses, sites.
#include <string.h>

#include "formats/import/mjcf.h"

typedef struct place {
  hn_link *link; // the body whose children are read
  hn_pose frame; // of frames within it
  const hn_mjcf_class *class;
  hn_mass sum;    // of its geoms
  int gives_mass; // geoms do
} place;

static void read_children(hn_mjcf *r, place *at, hn_xml *node);

// ---- mass ---------------------------------------------------------------------------------------

static void read_inertia(hn_mjcf *r, hn_link *link, hn_xml *node, hn_mat3 turn) {
  hn_machine *m = r->machine;
  const char *diagonal = hn_xml_get(node, "diaginertia"), *full = hn_xml_get(node, "fullinertia");
  double inertia[6] = {0};
  if (full)
    hn_numbers_of(m, node, "fullinertia", full, 6, inertia);
  else if (diagonal)
    hn_numbers_of(m, node, "diaginertia", diagonal, 3, inertia);
  hn_inertia_turn(inertia, turn, link->inertia);
}

static void read_inertial(hn_mjcf *r, hn_link *link, hn_xml *node) {
  hn_mjcf_item item = {r, node, NULL, "inertial"};
  hn_pose pose = hn_mjcf_pose(&item);
  hn_xml_use(node);
  link->center = pose.p;
  link->mass = hn_xml_number(r->machine, node, "mass", 0);
  if (link->mass < 0)
    hn_machine_fail(r->machine, node, hn_machine_text(r->machine, "body '%s'", link->name),
                    "Give the mass in kg.", "has the negative mass %g", link->mass);
  read_inertia(r, link, node, pose.r);
}

// MuJoCo's compiler puts mass that only `boundmass` gives at `pos` of the body, in its own axes.
static void take_mass(hn_mjcf *r, place *at, hn_xml *node, hn_vec3 pos) {
  hn_xml *inertial = hn_xml_child(node, "inertial");
  hn_link *link = at->link;
  if (inertial && at->gives_mass) {
    hn_xml_mark_all(inertial, HN_FATE_HARMLESS, "the compiler computes inertia from geoms");
  }
  if (at->gives_mass) {
    link->mass = at->sum.mass;
    link->center = at->sum.center;
    memcpy(link->inertia, at->sum.inertia, sizeof link->inertia);
  } else if (inertial) {
    read_inertial(r, link, inertial);
  }
  if (!(link->mass > 0) && r->least_mass > 0 && !(inertial && !at->gives_mass)) link->center = pos;
  if (link->mass < r->least_mass) link->mass = r->least_mass;
  if (r->least_inertia > 0 || r->is_balanced)
    hn_inertia_bound(link->inertia, r->least_inertia, r->is_balanced);
}

// ---- sites --------------------------------------------------------------------------------------

static void read_site(hn_mjcf *r, const place *at, hn_xml *node) {
  hn_mjcf_item item = hn_mjcf_open(r, node, "site", at->class);
  double ends[6];
  hn_pose own = hn_mjcf_pose(&item);
  const char *name = hn_mjcf_name(r, node);
  if (hn_mjcf_numbers(&item, "fromto", 6, ends) == 6) {
    own.p = vec3_scale(0.5, vec3_add(vec3_load(ends), vec3_load(ends + 3)));
    own.r = hn_rotation_z_to(vec3_sub(vec3_load(ends), vec3_load(ends + 3)));
  }
  hn_mjcf_mark_list(&item, "size type rgba material group user", HN_FATE_HARMLESS,
                    "appearance of a site");
  hn_mjcf_site *site = HN_MACHINE_TAKE(r->machine, hn_mjcf_site, 1);
  if (!site) return;
  *site = (hn_mjcf_site){at->link, hn_pose_multiply(&at->frame, &own), NULL};
  hn_mjcf_know(r, r->sites, name, node, site);
  site->marker =
      hn_link_add_marker(r->machine, at->link, name ? name : "site", site->pose, node);
}

// ---- bodies -------------------------------------------------------------------------------------

const char *hn_mjcf_name(hn_mjcf *r, hn_xml *node) {
  const char *name = hn_xml_get(node, "name");
  if (!name || !*name) return NULL;
  return *r->suffix ? hn_machine_text(r->machine, "%s%s", name, r->suffix) : name;
}

static const char *name_of(hn_mjcf *r, hn_xml *node) {
  const char *name = hn_mjcf_name(r, node);
  return name ? name : hn_machine_text(r->machine, "body_%d", r->body_count);
}

// Joints of a body may be in frames within it.
static int moves(const hn_xml *node) {
  if (hn_xml_child(node, "joint") || hn_xml_child(node, "freejoint")) return 1;
  for (const hn_xml *f = hn_xml_child(node, "frame"); f; f = hn_xml_next(f, "frame"))
    if (moves(f)) return 1;
  return 0;
}

static void read_body(hn_mjcf *r, const place *up, hn_xml *node) {
  hn_machine *m = r->machine;
  hn_mjcf_item item = {r, node, NULL, "body"};
  r->body_count++;
  hn_xml_use(node);
  hn_link *link = hn_machine_add_link(m, name_of(r, node), node);
  if (!link) return;
  m->link_count++;
  hn_pose own = hn_mjcf_pose(&item), frame = hn_pose_multiply(&up->frame, &own);
  link->pose = hn_pose_multiply(&up->link->pose, &frame);
  link->lift = hn_xml_number(m, node, "gravcomp", 0);
  link->is_lift_passive = 1;
  hn_xml_mark_attribute(node, "user", HN_FATE_HARMLESS, "numbers for other programs");
  hn_xml_mark_attribute(node, "sleep", HN_FATE_HARMLESS, "performance setting of MuJoCo");
  const char *mocap = hn_xml_peek(node, "mocap");
  if (mocap && strcmp(mocap, "true") == 0)
    hn_xml_mark_attribute(node, "mocap", HN_FATE_LOST, "mocap body: fixed at its initial pose");
  else
    hn_xml_get(node, "mocap");
  place at = {.link = link, .frame = hn_pose_none()};
  at.class = hn_mjcf_childclass(r, node, up->class);
  at.gives_mass =
      r->inertia_from_geoms == 1 || (r->inertia_from_geoms == 2 && !hn_xml_child(node, "inertial"));
  // the joint before what hangs on it: ids and lists follow the tree
  if (moves(node)) {
    hn_mjcf_joints(r, link, up->link, node, at.class);
  } else {
    hn_link_joint *j =
        hn_machine_make_joint(m, hn_machine_text(m, "%s_fixed", link->name), HN_LINK_FIXED, node);
    if (j) {
      j->is_made = 1;
      j->parent = up->link;
      j->child = link;
      j->at = j->at2 = link->pose.p;
    }
  }
  read_children(r, &at, node);
  take_mass(r, &at, node, own.p);
}

// ---- what is inside -----------------------------------------------------------------------------

static void read_frame(hn_mjcf *r, place *at, hn_xml *node) {
  hn_mjcf_item item = {r, node, NULL, "frame"};
  hn_pose own = hn_mjcf_pose(&item), old = at->frame;
  const hn_mjcf_class *class = at->class;
  hn_xml_use(node);
  hn_xml_mark_attribute(node, "name", HN_FATE_HARMLESS, "the name of a frame");
  at->frame = hn_pose_multiply(&old, &own);
  at->class = hn_mjcf_childclass(r, node, class);
  read_children(r, at, node);
  at->frame = old;
  at->class = class;
}

static int digits_of(int count) {
  int digits = 1;
  for (int most = count - 1; most > 9; most /= 10) digits++;
  return digits;
}

// Repeats the content: turned by equal angles and moved by equal offsets, each relative to the one
// before.
static void read_replicate(hn_mjcf *r, place *at, hn_xml *node) {
  enum { MOST = 20000 };
  hn_machine *m = r->machine;
  hn_pose own = hn_pose_none(), old = at->frame;
  const char *suffix = r->suffix, *separator = hn_xml_get(node, "sep");
  double count = hn_xml_number(m, node, "count", 0);
  hn_vec3 offset = hn_xml_vector(m, node, "offset", vec3_zero());
  hn_vec3 euler = hn_xml_vector(m, node, "euler", vec3_zero());
  hn_xml_use(node);
  if (hn_machine_ok(m) && !(count >= 1 && count + r->replica_count <= MOST))
    hn_machine_fail(m, node, hn_xml_element(m, node),
                    "Give the number of copies, at most 20000 in total.",
                    "has the invalid count %g", count);
  for (int k = 0; hn_machine_ok(m) && k < (int)count; k++) {
    r->replica_count++;
    own.r = hn_mjcf_euler(r, vec3_scale(k, euler));
    at->frame = hn_pose_multiply(&old, &own);
    r->suffix = hn_machine_text(m, "%s%s%0*d", suffix, separator ? separator : "",
                                digits_of((int)count), k);
    read_children(r, at, node);
    own.p = vec3_add(own.p, mat3_apply(own.r, offset));
  }
  at->frame = old;
  r->suffix = suffix;
}

static void read_child(hn_mjcf *r, place *at, hn_xml *child) {
  const char *name = child->name;
  if (strcmp(name, "body") == 0) {
    read_body(r, at, child);
  } else if (strcmp(name, "frame") == 0) {
    read_frame(r, at, child);
  } else if (strcmp(name, "geom") == 0) {
    hn_mjcf_geom(r, at->link, child, &at->frame, at->class, &at->sum, at->gives_mass);
  } else if (strcmp(name, "site") == 0) {
    read_site(r, at, child);
  } else if (strcmp(name, "camera") == 0 || strcmp(name, "light") == 0) {
    hn_xml_mark_all(child, HN_FATE_HARMLESS, "for display only");
  } else if (strcmp(name, "replicate") == 0) {
    read_replicate(r, at, child);
  } else if (strcmp(name, "attach") == 0 || strcmp(name, "composite") == 0 ||
             strcmp(name, "flexcomp") == 0) {
    hn_xml_mark_all(child, HN_FATE_LOST,
                    "generated by MuJoCo's compiler: save the expanded model with mj_saveLastXML");
  }
}

static void read_children(hn_mjcf *r, place *at, hn_xml *node) {
  for (hn_xml *child = node->first; child && hn_machine_ok(r->machine); child = child->next)
    read_child(r, at, child);
}

void hn_mjcf_world(hn_mjcf *r, hn_xml *node) {
  place at = {.link = &r->machine->ground, .frame = hn_pose_none()};
  at.class = hn_mjcf_childclass(r, node, NULL);
  if (!hn_table_find(r->machine->link_names, "world"))
    hn_table_add(r->machine, r->machine->link_names, "world", &r->machine->ground);
  read_children(r, &at, node);
}
