// A model as SDF, in a world with its gravity. Joints that close loops are joints like others;
// those of several coordinates that SDF has no word for are chains over links of very small mass.
// Coordinates count from the reference configuration, which is the present one.
#include <math.h>

#include "formats/export/export.h"
#include "formats/export/solids.h"

#define LITTLE 1e-9 // fraction of the model's mass
#define LITTLE_WHY "SDF requires mass and inertia: small values are added"

static const char *name_of(const hn_place *place) {
  return place->body == HN_GROUND ? "world" : place->name;
}

// ---- links --------------------------------------------------------------------------------------

static void write_inertia(hn_plan *plan, hn_writer *w, const hn_place *place, int is_made) {
  static const char *const names[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
  double little = LITTLE * fmax(plan->mass, 1e-3), mass = is_made ? little : place->mass;
  hn_pose pose = hn_plan_seen_from(&place->frame, &place->center);
  if (is_made) pose = hn_pose_none();
  if (!is_made && mass == 0) {
    hn_plan_tell(plan, HN_PART_BODY, place->body, HN_IMPORT_APPROXIMATED, LITTLE_WHY);
    mass = little;
  }
  hn_writer_begin(w, "inertial");
  hn_writer_pose(w, &pose);
  hn_writer_value(w, "mass", mass);
  hn_writer_begin(w, "inertia");
  for (int k = 0; k < 6; k++) {
    double value = is_made ? 0 : place->inertia[k];
    if (k < 3 && value <= 0) value = 1e-2 * little;
    hn_writer_value(w, names[k], value);
  }
  hn_writer_end(w, "inertia");
  hn_writer_end(w, "inertial");
}

static void write_shape(hn_plan *plan, hn_writer *w, const hn_place *place, int s) {
  const hn_shape_def *shape = &plan->model->shapes[s];
  hn_pose pose;
  if (!hn_write_has_solid(plan, place, s, &pose)) return;
  hn_writer_begin(w, "visual");
  hn_writer_string(w, "name", hn_plan_text(plan, "shape%d", s + 1));
  hn_writer_pose(w, &pose);
  hn_write_geometry(w, shape, 1);
  if (shape->color >= 0) {
    const char *color =
        hn_plan_text(plan, "%.6g %.6g %.6g 1", (shape->color >> 16 & 255) / 255.0,
                     (shape->color >> 8 & 255) / 255.0, (shape->color & 255) / 255.0);
    hn_writer_begin(w, "material");
    hn_writer_words(w, "ambient", color);
    hn_writer_words(w, "diffuse", color);
    hn_writer_end(w, "material");
  }
  hn_writer_end(w, "visual");
  hn_plan_tell(plan, HN_PART_SHAPE, s, HN_IMPORT_USED, "");
}

static void write_link(hn_plan *plan, hn_writer *w, const hn_place *place) {
  hn_writer_begin(w, "link");
  hn_writer_string(w, "name", place->name);
  hn_writer_pose(w, &place->frame);
  if (place->lift == 1) hn_writer_words(w, "gravity", "0");
  write_inertia(plan, w, place, 0);
  for (int s = 0; s < plan->model->shape_count; s++)
    if (plan->model->shapes[s].frame.body == place->body) write_shape(plan, w, place, s);
  hn_writer_end(w, "link");
  int moves = vec3_norm(place->velocity) > 0 || vec3_norm(place->spin) > 0;
  hn_plan_tell(plan, HN_PART_BODY, place->body, moves ? HN_IMPORT_APPROXIMATED : HN_IMPORT_USED,
               moves ? "the format has no initial velocities: the model starts at rest" : "");
}

static void write_markers(hn_plan *plan, hn_writer *w) {
  const hn_model *m = plan->model;
  for (int k = 0; k < m->markers.count; k++) {
    const hn_marker_def *marker = &m->markers.item[k];
    const hn_place *place = &plan->places[marker->frame.body];
    if (place->is_wheel || place->body == HN_GROUND) {
      hn_plan_tell(plan, HN_PART_MARKER, k, HN_IMPORT_LOST,
                   "it is not attached to a link of the model");
      continue;
    }
    hn_pose pose = hn_plan_frame(plan, &marker->frame);
    pose = hn_plan_seen_from(&place->frame, &pose);
    hn_writer_begin(w, "frame");
    hn_writer_string(w, "name", marker->name);
    hn_writer_string(w, "attached_to", place->name);
    hn_writer_pose(w, &pose);
    hn_writer_end(w, "frame");
    hn_plan_tell(plan, HN_PART_MARKER, k, HN_IMPORT_USED, "");
  }
}

// ---- joints -------------------------------------------------------------------------------------

static void write_dynamics(hn_writer *w, const hn_slot *slot) {
  if (slot->has_limits || slot->effort > 0) {
    const int has_ends = slot->has_limits;
    hn_writer_begin(w, "limit");
    if (has_ends && slot->lower > -HUGE_VAL)
      hn_writer_value(w, "lower", slot->lower - slot->value);
    if (has_ends && slot->upper < HUGE_VAL) hn_writer_value(w, "upper", slot->upper - slot->value);
    if (slot->effort > 0) hn_writer_value(w, "effort", slot->effort);
    hn_writer_end(w, "limit");
  }
  hn_writer_begin(w, "dynamics");
  if (slot->damping != 0) hn_writer_value(w, "damping", slot->damping);
  if (slot->friction != 0) hn_writer_value(w, "friction", slot->friction);
  if (slot->stiffness != 0) {
    hn_writer_value(w, "spring_reference", -slot->load / slot->stiffness - slot->value);
    hn_writer_value(w, "spring_stiffness", slot->stiffness);
  }
  hn_writer_end(w, "dynamics");
}

static void write_axis(hn_writer *w, const char *tag, const hn_place *child, const hn_slot *slot) {
  hn_writer_begin(w, tag);
  hn_writer_three(w, "xyz", vec3_unit(mat3_apply_transposed(child->frame.r, slot->axis)));
  write_dynamics(w, slot);
  hn_writer_end(w, tag);
}

// Links and joints of a model have different names in SDF.
static void open_joint(hn_plan *plan, hn_writer *w, const char *name, const char *type,
                       const char *parent, const char *child, const hn_place *frame, hn_vec3 at) {
  hn_pose pose = {mat3_identity(), hn_pose_back(&frame->frame, at)};
  if (hn_model_find_body(plan->model, name) >= 0) name = hn_plan_text(plan, "%s_joint", name);
  hn_writer_begin(w, "joint");
  hn_writer_string(w, "name", name);
  hn_writer_string(w, "type", type);
  if (vec3_norm(pose.p) > 1e-14) hn_writer_pose(w, &pose);
  hn_writer_words(w, "parent", parent);
  hn_writer_words(w, "child", child);
}

static const char *word_of(hn_joint_type type) {
  if (type == HN_JOINT_REVOLUTE) return "revolute";
  if (type == HN_JOINT_TRANSLATIONAL) return "prismatic";
  if (type == HN_JOINT_SPHERICAL) return "ball";
  if (type == HN_JOINT_UNIVERSAL) return "universal";
  if (type == HN_JOINT_SCREW) return "screw";
  return type == HN_JOINT_FIXED ? "fixed" : NULL;
}

// A joint that SDF has, between the places it joins; slots are those of its coordinates.
static void write_native(hn_plan *plan, hn_writer *w, int j, const hn_place *parent,
                         const hn_place *child, const hn_slot *slots) {
  const hn_joint_def *def = &plan->model->joints[j];
  hn_vec3 at = slots ? slots->at : child->frame.p;
  open_joint(plan, w, def->name, word_of(def->type), name_of(parent), name_of(child), child, at);
  if (def->type == HN_JOINT_SCREW) {
    const hn_slot *turn = hn_plan_slot(plan, j, HN_COORDINATE_ANGLE);
    hn_writer_value(w, "screw_thread_pitch", def->pitch);
    if (turn) write_axis(w, "axis", child, turn);
  } else if (slots && slots->kind != HN_SLOT_BALL) {
    write_axis(w, "axis", child, slots);
    if (slots->next && slots->next->joint == j) write_axis(w, "axis2", child, slots->next);
  }
  hn_writer_end(w, "joint");
  hn_plan_tell(plan, HN_PART_JOINT, j, HN_IMPORT_USED, "");
}

// The joint of the tree as a chain of links.
static void write_chain(hn_plan *plan, hn_writer *w, const hn_place *place) {
  const char *parent = name_of(place->parent);
  for (const hn_slot *slot = place->slots; slot; slot = slot->next) {
    const char *type = slot->kind == HN_SLOT_HINGE   ? "revolute"
                       : slot->kind == HN_SLOT_SLIDE ? "prismatic"
                                                     : "ball";
    const char *child =
        slot->next ? hn_plan_text(plan, "%s_%s", place->name, slot->name) : place->name;
    if (slot->next) {
      hn_writer_begin(w, "link");
      hn_writer_string(w, "name", child);
      hn_writer_pose(w, &place->frame);
      write_inertia(plan, w, place, 1);
      hn_writer_end(w, "link");
    }
    open_joint(plan, w, slot->name, type, parent, child, place, slot->at);
    if (slot->kind != HN_SLOT_BALL) write_axis(w, "axis", place, slot);
    hn_writer_end(w, "joint");
    parent = child;
  }
  hn_plan_tell(plan, HN_PART_JOINT, place->joint, HN_IMPORT_APPROXIMATED,
               "replaced by a chain of joints over links of very small mass");
}

static void write_loop(hn_plan *plan, hn_writer *w, const hn_place *end) {
  const hn_joint_def *def = &plan->model->joints[end->joint];
  const hn_place *one = &plan->places[def->frame1.body], *two = &plan->places[def->frame2.body];
  if (!word_of(def->type) || two->body == HN_GROUND) {
    hn_plan_tell(plan, HN_PART_JOINT, end->joint, HN_IMPORT_LOST,
                 word_of(def->type) ? "closes a loop on the ground: name ground first in `bodies:`"
                                    : "closes a loop with a joint that SDF does not have");
    return;
  }
  write_native(plan, w, end->joint, one, two, end->slots);
}

// ---- gears --------------------------------------------------------------------------------------

// The other body of a hinge on the reference body, and the sign of its angle there; null: none.
static const hn_place *other_end(const hn_plan *plan, const hn_joint_def *hinge, int reference,
                                 double *sign) {
  *sign = hinge->frame1.body == reference ? 1 : -1;
  if (hinge->type != HN_JOINT_REVOLUTE) return NULL;
  if (hinge->frame1.body == reference) return &plan->places[hinge->frame2.body];
  return hinge->frame2.body == reference ? &plan->places[hinge->frame1.body] : NULL;
}

static void write_gear(hn_plan *plan, hn_writer *w, int j) {
  const hn_joint_def *def = &plan->model->joints[j];
  if (def->coupled_count == 2 && !hn_plan_is_curved(def) && !plan->sums[def->coupled[0]].is_known) {
    const hn_joint_def *a = &plan->model->joints[def->coupled[0]];
    const hn_joint_def *b = &plan->model->joints[def->coupled[1]];
    const int ends[2] = {a->frame1.body, a->frame2.body};
    for (int k = 0; k < 2; k++) {
      double sa, sb;
      const hn_place *one = other_end(plan, a, ends[k], &sa);
      const hn_place *two = other_end(plan, b, ends[k], &sb);
      if (!one || !two || one->body == HN_GROUND || two->body == HN_GROUND) continue;
      open_joint(plan, w, def->name, "gearbox", one->name, two->name, two, two->frame.p);
      hn_writer_value(w, "gearbox_ratio", sa * sb * def->coefficient[0] / def->coefficient[1]);
      hn_writer_words(w, "gearbox_reference_body", name_of(&plan->places[ends[k]]));
      hn_writer_end(w, "joint");
      hn_plan_tell(plan, HN_PART_JOINT, j, HN_IMPORT_USED, "");
      return;
    }
  }
  if (!plan->parts[HN_PART_JOINT][j].is_told)
    hn_plan_tell(plan, HN_PART_JOINT, j, HN_IMPORT_LOST,
                 "not supported: a gearbox couples two hinges on one body");
}

// ---- the whole ----------------------------------------------------------------------------------

static void write_joints(hn_plan *plan, hn_writer *w) {
  const hn_model *m = plan->model;
  for (int b = 1; b < m->body_count; b++) {
    const hn_place *place = &plan->places[b];
    if (place->is_wheel || place->joint < 0) continue;
    if (word_of(m->joints[place->joint].type))
      write_native(plan, w, place->joint, place->parent, place, place->slots);
    else
      write_chain(plan, w, place);
    if (m->joints[place->joint].type == HN_JOINT_CONSTANT_VELOCITY)
      hn_plan_tell(plan, HN_PART_JOINT, place->joint, HN_IMPORT_LOST,
                   "replaced by a ball joint: SDF has no constant-velocity joint");
  }
  for (const hn_place *end = plan->cuts; end; end = end->into) write_loop(plan, w, end);
  for (int j = 0; j < m->joint_count; j++) {
    if (m->joints[j].coupled_count > 0) write_gear(plan, w, j);
    if (m->joints[j].type == HN_JOINT_KNIFE_EDGE)
      hn_plan_tell(plan, HN_PART_JOINT, j, HN_IMPORT_LOST,
                   "nonholonomic (velocity) constraints are not supported");
    if (m->joints[j].type == HN_JOINT_FREE)
      hn_plan_tell(plan, HN_PART_JOINT, j, HN_IMPORT_USED, "");
  }
}

void hn_write_sdf(hn_plan *plan, hn_writer *w) {
  const hn_model *m = plan->model;
  hn_writer_begin(w, "sdf");
  hn_writer_string(w, "version", "1.9");
  hn_writer_begin(w, "world");
  hn_writer_string(w, "name", "default");
  hn_writer_three(w, "gravity", m->gravity);
  hn_writer_begin(w, "model");
  hn_writer_string(w, "name", hn_model_name(m));
  for (int s = 0; s < m->shape_count; s++)
    if (m->shapes[s].frame.body == HN_GROUND)
      hn_plan_tell(plan, HN_PART_SHAPE, s, HN_IMPORT_LOST, "ground is not a link of the model");
  for (int b = 1; b < m->body_count; b++)
    if (!plan->places[b].is_wheel) write_link(plan, w, &plan->places[b]);
  write_joints(plan, w);
  write_markers(plan, w);
  hn_writer_end(w, "model");
  hn_writer_end(w, "world");
  hn_writer_end(w, "sdf");
}
