// Joints, and couplings between them.
#include "formats/import/compose.h"

#include <math.h>

static const char *type_of(hn_link_joint_kind kind) {
  switch (kind) {
  case HN_LINK_FIXED: return "fixed";
  case HN_LINK_HINGE: return "revolute";
  case HN_LINK_SLIDE: return "translational";
  case HN_LINK_BALL: return "spherical";
  case HN_LINK_FREE: return "free";
  case HN_LINK_PLANAR: return "planar";
  case HN_LINK_UNIVERSAL: return "universal";
  case HN_LINK_SCREW: return "screw";
  }
  return "fixed";
}

static const char *id_of(const hn_link *link) { return link->is_ground ? "ground" : link->id; }

static int freedoms_of(hn_link_joint_kind kind) {
  if (kind == HN_LINK_PLANAR) return 3;
  if (kind == HN_LINK_UNIVERSAL) return 2;
  return kind == HN_LINK_HINGE || kind == HN_LINK_SLIDE || kind == HN_LINK_SCREW;
}

// A joint of two frames, one on each body: their z axes are the joint's.
static void add_marker(hn_composer *c, hn_node *list, hn_link *link, const hn_link_joint *j,
                       const hn_pose *frame, const char *ending) {
  hn_vec3 z = j->axis, other = fabs(z.x) < 0.9 ? vec3(1, 0, 0) : vec3(0, 1, 0);
  hn_vec3 x = vec3_unit(vec3_sub(other, vec3_scale(vec3_dot(other, z), z)));
  hn_pose pose = {mat3_from_columns(x, vec3_cross(z, x), z), vec3_zero()};
  if (z.z == 1) pose.r = mat3_identity();
  const char *name = hn_machine_text(c->machine, "%s%s", j->id, ending);
  hn_link_add_marker(c->machine, link, name, hn_pose_multiply(frame, &pose), j->node);
  hn_compose_text(c, list, NULL, hn_machine_text(c->machine, "%s.%s", id_of(link), name));
}

static void add_frames(hn_composer *c, hn_node *entry, const hn_link_joint *j) {
  hn_node *markers = hn_compose_list(c, entry, "markers");
  int is_same = j->parent == j->child;
  add_marker(c, markers, j->parent, j, &j->frames[0], is_same ? "_a" : "");
  add_marker(c, markers, j->child, j, &j->frames[1], "");
}

static void add_place(hn_composer *c, hn_node *entry, const hn_link_joint *j) {
  if (j->kind == HN_LINK_FIXED || j->kind == HN_LINK_FREE) return;
  if (j->is_loop && vec3_norm(vec3_sub(j->at, j->at2)) > 0) {
    hn_node *points = hn_compose_list(c, entry, "points");
    hn_compose_vector(c, points, NULL, j->at);
    hn_compose_vector(c, points, NULL, j->at2);
  } else {
    hn_compose_vector(c, entry, "at", j->at);
  }
  if (j->kind == HN_LINK_BALL) return;
  if (j->kind == HN_LINK_UNIVERSAL) {
    hn_node *axes = hn_compose_list(c, entry, "axes");
    hn_compose_vector(c, axes, NULL, j->axis);
    hn_compose_vector(c, axes, NULL, j->axis2);
    return;
  }
  hn_compose_vector(c, entry, "axis", j->axis);
  if (j->kind == HN_LINK_PLANAR) hn_compose_vector(c, entry, "reference", j->reference);
  if (j->kind == HN_LINK_SCREW) hn_compose_number(c, entry, "pitch", j->pitch);
}

static void add_coordinates(hn_composer *c, hn_node *entry, const hn_link_joint *j) {
  hn_node *offset = NULL, *initial = NULL, *armature = NULL;
  for (int f = 0; f < freedoms_of(j->kind); f++) {
    const hn_freedom *freedom = &j->freedom[f];
    const char *coordinate = hn_compose_coordinate(j, f);
    if (freedom->reference != 0) {
      if (!offset) offset = hn_compose_map(c, entry, "offset");
      hn_compose_number(c, offset, coordinate, freedom->reference);
    }
    if (freedom->has_initial || freedom->has_initial_rate) {
      if (!initial) initial = hn_compose_map(c, entry, "initial");
      if (freedom->has_initial) hn_compose_number(c, initial, coordinate, freedom->initial);
      if (freedom->has_initial_rate)
        hn_compose_number(c, initial, hn_machine_text(c->machine, "%s_rate", coordinate),
                          freedom->initial_rate);
    }
    if (freedom->armature > 0) {
      if (!armature) armature = hn_compose_map(c, entry, "armature");
      hn_compose_text(c, armature, coordinate,
                      hn_machine_text(c->machine, "%.17g*passive", freedom->armature));
      c->has_passive = 1;
    }
  }
}

static void add_two(hn_composer *c, hn_node *entry, const hn_link *a, const hn_link *b) {
  hn_node *bodies = hn_compose_list(c, entry, "bodies");
  hn_compose_text(c, bodies, NULL, id_of(a));
  hn_compose_text(c, bodies, NULL, id_of(b));
}

// A rotor in all directions of a ball between two bodies that move: its energy I w^2 / 2 is that of the
// nine coordinates of three points of the second body, one meter from the ball, in the axes of the
// first, each with half of I, because their rates have the sum of squares 2 w^2.
static void add_ball_rotor(hn_composer *c, const hn_link_joint *j) {
  hn_machine *m = c->machine;
  for (int k = 0; k < 3; k++) {
    const char *name = hn_machine_text(m, "%s_rotor_%c", j->id, "xyz"[k]);
    hn_node *entry =
        hn_compose_entry(c, c->joints, hn_table_legal(m, m->joint_ids, name, "rotor"), j->node);
    hn_compose_text(c, entry, "type", "free");
    add_two(c, entry, j->parent, j->child);
    hn_node *points = hn_compose_list(c, entry, "points");
    hn_compose_vector(c, points, NULL, j->at);
    hn_compose_vector(c, points, NULL, vec3_add(j->at, vec3(k == 0, k == 1, k == 2)));
    hn_node *armature = hn_compose_map(c, entry, "armature");
    for (int axis = 0; axis < 3; axis++)
      hn_compose_text(c, armature,
                      axis == 0   ? "x"
                      : axis == 1 ? "y"
                                  : "z",
                      hn_machine_text(m, "%.17g*passive", j->freedom[0].armature / 2));
    hn_compose_text(c, entry, "if", "passive");
  }
  c->has_passive = 1;
}

static void add_joint(hn_composer *c, const hn_link_joint *j) {
  hn_node *entry = hn_compose_entry(c, c->joints, j->id, j->node);
  hn_compose_text(c, entry, "type", type_of(j->kind));
  if (j->frames) {
    add_frames(c, entry, j);
  } else {
    add_two(c, entry, j->parent, j->child);
    add_place(c, entry, j);
  }
  add_coordinates(c, entry, j);
  if (j->kind == HN_LINK_BALL && j->freedom[0].armature > 0) add_ball_rotor(c, j);
  if (j->is_loop && (j->kind == HN_LINK_BALL || j->kind == HN_LINK_FIXED))
    hn_compose_text(c, entry, "cut", "true");
  if (j->is_locked && entry)
    entry->comment =
        hn_machine_text(c->machine, "line %d; locked: no mass is attached to it", j->node->line);
}

void hn_compose_joints(hn_composer *c) {
  for (const hn_link_joint *j = c->machine->joints; j; j = j->next)
    if (!j->child->merged && j->parent != j->child) add_joint(c, j);
}

// ---- couplings ----------------------------------------------------------------------------------

static void add_term(hn_composer *c, hn_node *terms, const hn_machine_term *term, double factor) {
  hn_node *entry = hn_compose_map(c, terms, NULL);
  hn_compose_text(c, entry, "joint", term->joint->id);
  hn_compose_which(c, entry, term->joint, term->freedom);
  if (term->curve[0] != 0 || term->curve[1] != 0 || term->curve[2] != 0) {
    const double powers[5] = {0, factor, term->curve[0], term->curve[1], term->curve[2]};
    hn_compose_numbers(c, entry, "polynomial", powers, 5);
    return;
  }
  hn_compose_number(c, entry, "coefficient", factor);
}

void hn_compose_couplings(hn_composer *c) {
  for (const hn_coupling *k = c->machine->couplings; k; k = k->next) {
    hn_node *entry = hn_compose_entry(c, c->joints, k->id, k->node);
    hn_compose_text(c, entry, "type", "coupler");
    hn_node *terms = hn_compose_list(c, entry, "terms");
    for (int t = 0; t < k->term_count; t++) add_term(c, terms, &k->terms[t], k->terms[t].factor);
    hn_compose_number(c, entry, "constant", k->constant);
  }
}
