// A model as URDF: a tree of links. Joints of several coordinates are chains over massless links;
// coordinates count from the reference configuration, which is the present one.
#include <math.h>
#include <string.h>

#include "formats/export/export.h"
#include "formats/export/solids.h"
#include "math/elementary.h"

static void write_origin(hn_writer *w, const hn_pose *pose) {
  hn_writer_begin(w, "origin");
  hn_writer_vector(w, "xyz", pose->p);
  hn_writer_vector(w, "rpy", hn_writer_rpy(pose->r));
  hn_writer_end(w, "origin");
}

// ---- links --------------------------------------------------------------------------------------

static void write_inertia(hn_writer *w, const hn_place *place) {
  static const char *const names[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
  hn_pose pose = hn_plan_seen_from(&place->frame, &place->center);
  if (place->mass == 0) return;
  hn_writer_begin(w, "inertial");
  write_origin(w, &pose);
  hn_writer_begin(w, "mass");
  hn_writer_number(w, "value", place->mass);
  hn_writer_end(w, "mass");
  hn_writer_begin(w, "inertia");
  for (int k = 0; k < 6; k++) hn_writer_number(w, names[k], place->inertia[k]);
  hn_writer_end(w, "inertia");
  hn_writer_end(w, "inertial");
}

static void write_shape(hn_plan *plan, hn_writer *w, const hn_place *place, int s) {
  const hn_shape_def *shape = &plan->model->shapes[s];
  hn_pose pose;
  if (!hn_write_has_solid(plan, place, s, &pose)) return;
  hn_writer_begin(w, "visual");
  write_origin(w, &pose);
  int is_capsule = hn_write_geometry(w, shape, 0);
  if (shape->color >= 0) {
    const double rgba[4] = {(shape->color >> 16 & 255) / 255.0, (shape->color >> 8 & 255) / 255.0,
                            (shape->color & 255) / 255.0, 1};
    hn_writer_begin(w, "material");
    hn_writer_string(w, "name", hn_plan_text(plan, "color_%06x", shape->color));
    hn_writer_begin(w, "color");
    hn_writer_numbers(w, "rgba", rgba, 4);
    hn_writer_end(w, "color");
    hn_writer_end(w, "material");
  }
  hn_writer_end(w, "visual");
  hn_plan_tell(plan, HN_PART_SHAPE, s, is_capsule ? HN_IMPORT_APPROXIMATED : HN_IMPORT_USED,
               is_capsule ? "replaced by a cylinder" : "");
}

static void write_link(hn_plan *plan, hn_writer *w, const hn_place *place) {
  hn_writer_begin(w, "link");
  hn_writer_string(w, "name", place->body == HN_GROUND ? "world" : place->name);
  write_inertia(w, place);
  for (int s = 0; s < plan->model->shape_count; s++)
    if (plan->model->shapes[s].frame.body == place->body) write_shape(plan, w, place, s);
  hn_writer_end(w, "link");
  int moves = vec3_norm(place->velocity) > 0 || vec3_norm(place->spin) > 0;
  hn_plan_tell(plan, HN_PART_BODY, place->body, moves ? HN_IMPORT_APPROXIMATED : HN_IMPORT_USED,
               moves ? "URDF has no velocities: it starts at rest" : "");
}

// ---- joints -------------------------------------------------------------------------------------

// A coordinate that follows another one: factor times it, both from the reference configuration.
typedef struct follower {
  const hn_slot *slot;
  double factor;
} follower;

static follower leader_of(hn_plan *plan, const hn_slot *slot) {
  const hn_model *m = plan->model;
  if (slot->joint < 0) return (follower){NULL, 0};
  if (m->joints[slot->joint].type == HN_JOINT_SCREW &&
      slot->coordinate == HN_COORDINATE_DISPLACEMENT)
    return (follower){hn_plan_slot(plan, slot->joint, HN_COORDINATE_ANGLE),
                      m->joints[slot->joint].pitch / (8 * hn_atan(1))};
  for (int j = 0; j < m->joint_count; j++) {
    const hn_joint_def *c = &m->joints[j];
    if (c->coupled_count != 2 || hn_plan_is_curved(c) || plan->sums[c->coupled[0]].is_known)
      continue;
    if (hn_plan_slot(plan, c->coupled[0], (int)c->coupled_coordinate[0]) != slot) continue;
    const hn_slot *other = hn_plan_slot(plan, c->coupled[1], (int)c->coupled_coordinate[1]);
    if (!other || plan->parts[HN_PART_JOINT][j].is_told) continue;
    hn_plan_tell(plan, HN_PART_JOINT, j, HN_IMPORT_USED, "");
    return (follower){other, -c->coefficient[1] / c->coefficient[0]};
  }
  return (follower){NULL, 0};
}

static void write_limits(hn_writer *w, const hn_slot *slot) {
  const int has_ends = slot->has_limits || slot->kind == HN_SLOT_SLIDE;
  if (!has_ends && !(slot->effort > 0)) return;
  hn_writer_begin(w, "limit");
  if (has_ends) {
    hn_writer_number(w, "lower", slot->has_limits ? fmax(slot->lower - slot->value, -1e6) : -1e6);
    hn_writer_number(w, "upper", slot->has_limits ? fmin(slot->upper - slot->value, 1e6) : 1e6);
  }
  hn_writer_number(w, "effort", slot->effort); // 0: no motor
  hn_writer_number(w, "velocity", 1e9);
  hn_writer_end(w, "limit");
}

static void write_dynamics(hn_plan *plan, hn_writer *w, const hn_slot *slot) {
  follower leader = leader_of(plan, slot);
  write_limits(w, slot);
  if (slot->damping > 0 || slot->friction > 0) {
    hn_writer_begin(w, "dynamics");
    if (slot->damping > 0) hn_writer_number(w, "damping", slot->damping);
    if (slot->friction > 0) hn_writer_number(w, "friction", slot->friction);
    hn_writer_end(w, "dynamics");
  }
  if (!leader.slot) return;
  hn_writer_begin(w, "mimic");
  hn_writer_string(w, "joint", leader.slot->name);
  hn_writer_number(w, "multiplier", leader.factor);
  hn_writer_end(w, "mimic");
}

static void write_joint(hn_plan *plan, hn_writer *w, const hn_slot *slot, const char *name,
                        const char *parent, const char *child, const hn_pose *origin,
                        hn_vec3 axis) {
  const char *type = !slot                         ? "fixed"
                     : slot->kind == HN_SLOT_FREE  ? "floating"
                     : slot->kind == HN_SLOT_SLIDE ? "prismatic"
                     : slot->has_limits            ? "revolute"
                                                   : "continuous";
  hn_writer_begin(w, "joint");
  hn_writer_string(w, "name", name);
  hn_writer_string(w, "type", type);
  hn_writer_begin(w, "parent");
  hn_writer_string(w, "link", parent);
  hn_writer_end(w, "parent");
  hn_writer_begin(w, "child");
  hn_writer_string(w, "link", child);
  hn_writer_end(w, "child");
  write_origin(w, origin);
  if (slot && slot->kind != HN_SLOT_FREE) {
    hn_writer_begin(w, "axis");
    hn_writer_vector(w, "xyz", vec3_unit(axis));
    hn_writer_end(w, "axis");
    if (slot->kind != HN_SLOT_BALL) write_dynamics(plan, w, slot);
  }
  hn_writer_end(w, "joint");
}

static void write_empty(hn_writer *w, const char *name) {
  hn_writer_begin(w, "link");
  hn_writer_string(w, "name", name);
  hn_writer_end(w, "link");
}

// A ball is three hinges, singular a quarter turn away.
static void write_chain(hn_plan *plan, hn_writer *w, const hn_place *place) {
  const char *parent = place->parent->body == HN_GROUND ? "world" : place->parent->name;
  hn_pose pose = hn_plan_seen_from(&place->parent->frame, &place->frame);
  static const hn_vec3 axes[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  if (!place->slots) {
    const char *name = place->joint >= 0 ? plan->model->joints[place->joint].name : place->name;
    write_joint(plan, w, NULL, name, parent, place->name, &pose, vec3_zero());
  }
  for (const hn_slot *slot = place->slots; slot; slot = slot->next) {
    int turns = slot->kind == HN_SLOT_BALL ? 3 : 1;
    for (int k = 0; k < turns; k++) {
      int is_last = !slot->next && k == turns - 1;
      const char *name =
          turns == 3 ? hn_plan_text(plan, "%s_%c", slot->name, "xyz"[k]) : slot->name;
      const char *child = is_last ? place->name : hn_plan_text(plan, "%s_%s", place->name, name);
      if (!is_last) write_empty(w, child);
      hn_vec3 axis = turns == 3 ? axes[k] : mat3_apply_transposed(place->frame.r, slot->axis);
      write_joint(plan, w, slot, name, parent, child, &pose, axis);
      pose = hn_pose_none();
      parent = child;
    }
  }
}

// ---- markers ------------------------------------------------------------------------------------

// The name on the body, where nothing else has it.
static const char *marker_name(const hn_plan *plan, int k) {
  const hn_model *m = plan->model;
  const char *full = m->markers.item[k].name, *dot = strrchr(full, '.');
  if (!dot || hn_model_find_body(m, dot + 1) >= 0 || strcmp(dot + 1, "world") == 0) return full;
  for (int i = 0; i < m->markers.count; i++) {
    const char *other = strrchr(m->markers.item[i].name, '.');
    if (i != k && other && strcmp(other, dot) == 0) return full;
  }
  return dot + 1;
}

// By convention: a massless link on a fixed joint.
static void write_marker(hn_plan *plan, hn_writer *w, int k) {
  const hn_marker_def *marker = &plan->model->markers.item[k];
  const hn_place *place = &plan->places[marker->frame.body];
  if (place->is_wheel) return;
  hn_pose pose = hn_plan_frame(plan, &marker->frame);
  const char *name = marker_name(plan, k);
  pose = hn_plan_seen_from(&place->frame, &pose);
  write_empty(w, name);
  write_joint(plan, w, NULL, hn_plan_text(plan, "%s_marker", name),
              place->body == HN_GROUND ? "world" : place->name, name, &pose, vec3_zero());
  hn_plan_tell(plan, HN_PART_MARKER, k, HN_IMPORT_USED, "");
}

// ---- import statuses ----------------------------------------------------------------------------

static void tell_joint(hn_plan *plan, int j) {
  const hn_joint_def *def = &plan->model->joints[j];
  if (plan->parts[HN_PART_JOINT][j].is_told) return;
  if (def->coupled_count > 0)
    hn_plan_tell(plan, HN_PART_JOINT, j, HN_IMPORT_LOST,
                 "not supported: <mimic> couples two coordinates of the tree, each once");
  else if (def->type == HN_JOINT_KNIFE_EDGE)
    hn_plan_tell(plan, HN_PART_JOINT, j, HN_IMPORT_LOST,
                 "nonholonomic (velocity) constraints are not supported");
  else if (def->type == HN_JOINT_FREE)
    hn_plan_tell(plan, HN_PART_JOINT, j, HN_IMPORT_USED, "");
  else if (!plan->in_tree[j])
    hn_plan_tell(plan, HN_PART_JOINT, j, HN_IMPORT_LOST, "closes a loop, and URDF is a tree");
  else if (def->type == HN_JOINT_CONSTANT_VELOCITY)
    hn_plan_tell(plan, HN_PART_JOINT, j, HN_IMPORT_LOST, "replaced by three hinges");
  else if (def->type == HN_JOINT_SPHERICAL)
    hn_plan_tell(plan, HN_PART_JOINT, j, HN_IMPORT_APPROXIMATED,
                 "replaced by three hinges, singular if the second is at 90 deg");
  else
    hn_plan_tell(plan, HN_PART_JOINT, j, HN_IMPORT_USED, "");
}

static void tell_rest(hn_plan *plan) {
  const hn_model *m = plan->model;
  for (int j = 0; j < m->joint_count; j++) tell_joint(plan, j);
  if (m->gravity.x == 0 && m->gravity.y == 0 && fabs(m->gravity.z + 9.81) < 1e-12)
    hn_plan_tell(plan, HN_PART_GRAVITY, 0, HN_IMPORT_HARMLESS, "the default of URDF readers");
  else
    hn_plan_tell(plan, HN_PART_GRAVITY, 0, HN_IMPORT_LOST,
                 "URDF has no gravity: readers assume 9.81 m/s^2 along -z");
}

void hn_write_urdf(hn_plan *plan, hn_writer *w) {
  const hn_model *m = plan->model;
  hn_writer_begin(w, "robot");
  hn_writer_string(w, "name", hn_model_name(m));
  for (int b = 0; b < m->body_count; b++)
    if (!plan->places[b].is_wheel) write_link(plan, w, &plan->places[b]);
  for (int b = 1; b < m->body_count; b++)
    if (!plan->places[b].is_wheel) write_chain(plan, w, &plan->places[b]);
  for (int k = 0; k < m->markers.count; k++) write_marker(plan, w, k);
  hn_writer_end(w, "robot");
  tell_rest(plan);
}
