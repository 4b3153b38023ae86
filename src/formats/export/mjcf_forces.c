// Forces in MJCF other than those that are attributes of joints: tendons and actuators.
//
// A tension c + k x + d v + g u on a coordinate or a tendon is the force -(c + k x + d v) - g u of
// an actuator with affine bias; without an input, and with a rest length, a spring of the tendon.
#include <math.h>

#include "formats/export/export.h"

enum { TERMS = 64 };
#define ENDLESS 1e9

static int is_tendon(hn_plan *plan, int f, hn_line_law *law, const char **why) {
  const hn_force_def *def = &plan->model->forces[f];
  return (def->type == HN_FORCE_SPRING_DAMPER || def->type == HN_FORCE_TENDON) &&
         hn_plan_law(plan, f, law, why);
}

static int has_ends(const hn_line_law *law) {
  return law->least > -HUGE_VAL || law->most < HUGE_VAL;
}

// A spring with a rest length that MuJoCo takes: below 0 it would mean something else.
static int is_spring(const hn_line_law *law) {
  return law->input < 0 && !has_ends(law) && law->of_x >= 0 && law->of_v >= 0 &&
         (law->of_x > 0 ? law->constant <= 0 : law->constant == 0);
}

static int is_load(const hn_plan *plan, int f) {
  hn_force_type type = plan->model->forces[f].type;
  return (type == HN_FORCE_POINT_FORCE || type == HN_FORCE_TORQUE) &&
         !plan->parts[HN_PART_FORCE][f].is_told;
}

static void tell_written(hn_plan *plan, int f, const char *note) {
  hn_plan_tell(plan, HN_PART_FORCE, f, *note ? HN_IMPORT_APPROXIMATED : HN_IMPORT_USED, note);
}

// ---- sites --------------------------------------------------------------------------------------

void hn_mjcf_write_site(hn_plan *plan, hn_writer *w, const hn_place *place,
                        const hn_frame_on_body *frame, const char *name) {
  if (frame->body != place->body) return;
  hn_pose pose = hn_plan_frame(plan, frame), inverse = hn_pose_inverse(&place->frame);
  pose = hn_pose_multiply(&inverse, &pose);
  hn_writer_begin(w, "site");
  hn_writer_string(w, "name", name);
  hn_writer_vector(w, "pos", pose.p);
  hn_writer_turn(w, "quat", pose.r);
  hn_writer_end(w, "site");
}

void hn_mjcf_write_sites(hn_plan *plan, hn_writer *w, const hn_place *place) {
  const hn_model *m = plan->model;
  int has_loads = 0;
  for (int f = 0; f < hn_model_force_count(m); f++) {
    const hn_force_def *def = &m->forces[f];
    has_loads |= is_load(plan, f) && !def->following;
    if (def->type == HN_FORCE_SPRING_DAMPER) {
      hn_mjcf_write_site(plan, w, place, &def->frame1, hn_plan_text(plan, "%s_end1", def->name));
      hn_mjcf_write_site(plan, w, place, &def->frame2, hn_plan_text(plan, "%s_end2", def->name));
    } else if (def->type == HN_FORCE_TENDON) {
      hn_mjcf_write_way_places(plan, w, place, def);
    } else if (is_load(plan, f)) {
      hn_frame_on_body frame = def->frame2;
      frame.orientation = quat_identity(); // components are along the axes of the body
      hn_mjcf_write_site(plan, w, place, &frame, hn_plan_text(plan, "%s_at", def->name));
    }
  }
  for (int j = 0; j < m->joint_count; j++) {
    const hn_joint_def *def = &m->joints[j];
    if (def->type != HN_JOINT_DISTANCE) continue;
    hn_mjcf_write_site(plan, w, place, &def->frame1, hn_plan_text(plan, "%s_end1", def->name));
    hn_mjcf_write_site(plan, w, place, &def->frame2, hn_plan_text(plan, "%s_end2", def->name));
  }
  if (place->body != HN_GROUND || !has_loads) return;
  hn_writer_begin(w, "site");
  hn_writer_string(w, "name", "global_axes");
  hn_writer_end(w, "site");
}

// ---- tendons ------------------------------------------------------------------------------------

static void write_spring(hn_writer *w, const hn_line_law *law) {
  if (law->of_x > 0) {
    hn_writer_number(w, "stiffness", law->of_x);
    hn_writer_number(w, "springlength", -law->constant / law->of_x);
  }
  if (law->of_v > 0) hn_writer_number(w, "damping", law->of_v);
}

static void write_spatial(hn_plan *plan, hn_writer *w, int f) {
  const hn_force_def *def = &plan->model->forces[f];
  hn_line_law law;
  const char *why;
  if (!is_tendon(plan, f, &law, &why)) {
    hn_plan_tell(plan, HN_PART_FORCE, f, HN_IMPORT_LOST, why);
    return;
  }
  hn_writer_begin(w, "spatial");
  hn_writer_string(w, "name", def->name);
  if (is_spring(&law)) write_spring(w, &law);
  for (int k = 1; k <= 2 && def->type == HN_FORCE_SPRING_DAMPER; k++) {
    hn_writer_begin(w, "site");
    hn_writer_string(w, "site", hn_plan_text(plan, "%s_end%d", def->name, k));
    hn_writer_end(w, "site");
  }
  if (def->type == HN_FORCE_TENDON) hn_mjcf_write_way(plan, w, def);
  hn_writer_end(w, "spatial");
  tell_written(plan, f, why);
}

// A force on a wheel that represents a sum; the law counts from the sum itself.
static int sum_law(hn_plan *plan, int f, hn_line_law *law, hn_term *terms, int *count) {
  const hn_force_def *def = &plan->model->forces[f];
  const char *why = "";
  double offset;
  if (hn_force_acts_between(def->type) != HN_ENDS_JOINT || !plan->sums[def->joint].is_known)
    return 0;
  *count = hn_plan_terms(plan, def->joint, (int)def->coordinate, 1, terms, TERMS, &offset);
  if (*count <= 0)
    why = "one of the coordinates of its sum belongs to a joint that closes a loop";
  else if (def->type != HN_FORCE_JOINT_SPRING_DAMPER)
    why = "stops and friction on sums of coordinates are not supported";
  else if (hn_plan_law(plan, f, law, &why)) {
    law->constant += law->of_x * offset;
    return 1;
  }
  hn_plan_tell(plan, HN_PART_FORCE, f, HN_IMPORT_LOST, why);
  return 0;
}

static void write_sum(hn_plan *plan, hn_writer *w, int f) {
  hn_term terms[TERMS];
  hn_line_law law;
  int count = 0;
  if (!sum_law(plan, f, &law, terms, &count)) return;
  hn_writer_begin(w, "fixed");
  hn_writer_string(w, "name", plan->model->forces[f].name);
  if (is_spring(&law)) write_spring(w, &law);
  for (int k = 0; k < count; k++) {
    hn_writer_begin(w, "joint");
    hn_writer_string(w, "joint", terms[k].slot->name);
    hn_writer_number(w, "coef", terms[k].factor);
    hn_writer_end(w, "joint");
  }
  hn_writer_end(w, "fixed");
  hn_plan_tell(plan, HN_PART_FORCE, f, HN_IMPORT_USED, "");
}

void hn_mjcf_write_tendons(hn_plan *plan, hn_writer *w) {
  const hn_model *m = plan->model;
  hn_writer_begin(w, "tendon");
  hn_mjcf_write_held_tendons(plan, w);
  for (int f = 0; f < hn_model_force_count(m); f++) {
    if (m->forces[f].type == HN_FORCE_SPRING_DAMPER || m->forces[f].type == HN_FORCE_TENDON)
      write_spatial(plan, w, f);
    write_sum(plan, w, f);
  }
  hn_writer_end(w, "tendon");
  for (int j = 0; j < m->joint_count; j++)
    if (plan->sums[j].is_known && !plan->sums[j].is_rotor) {
      const hn_joint_def *axle = &m->joints[j];
      hn_plan_tell(plan, HN_PART_BODY,
                   axle->frame1.body == HN_GROUND ? axle->frame2.body : axle->frame1.body,
                   HN_IMPORT_USED, "");
    }
}

// ---- actuators ----------------------------------------------------------------------------------

static void write_range(hn_writer *w, const char *limited, const char *name, double lower,
                        double upper) {
  const double range[2] = {fmax(lower, -ENDLESS), fmin(upper, ENDLESS)};
  if (lower == -HUGE_VAL && upper == HUGE_VAL) return;
  hn_writer_string(w, limited, "true");
  hn_writer_numbers(w, name, range, 2);
}

static void use_input(hn_plan *plan, int input) {
  double value = input >= 0 ? hn_simulation_input(plan->simulation, input) : 0;
  if (plan->control_count < plan->control_room) plan->controls[plan->control_count++] = value;
  if (input < 0) return;
  if (plan->parts[HN_PART_INPUT][input].is_told)
    hn_plan_tell(plan, HN_PART_INPUT, input, HN_IMPORT_APPROXIMATED,
                 "split into several actuators, each with its own control");
  hn_plan_tell(plan, HN_PART_INPUT, input, HN_IMPORT_USED, "");
}

// The part of an actuator that all have; its force is sign times the law.
static void write_law(hn_plan *plan, hn_writer *w, const hn_line_law *law, double sign) {
  const double gain[3] = {sign * law->of_u, 0, 0};
  const double bias[3] = {sign * law->constant, sign * law->of_x, sign * law->of_v};
  hn_writer_string(w, "gaintype", "fixed");
  hn_writer_numbers(w, "gainprm", gain, law->input >= 0 ? 1 : 3);
  if (bias[0] != 0 || bias[1] != 0 || bias[2] != 0) {
    hn_writer_string(w, "biastype", "affine");
    hn_writer_numbers(w, "biasprm", bias, 3);
  }
  if (law->input >= 0) write_range(w, "ctrllimited", "ctrlrange", law->lower, law->upper);
  write_range(w, "forcelimited", "forcerange", sign < 0 ? -law->most : law->least,
              sign < 0 ? -law->least : law->most);
  use_input(plan, law->input);
}

static void write_actuator(hn_plan *plan, hn_writer *w, const char *name, const char *on,
                           const char *target, const hn_line_law *law) {
  hn_writer_begin(w, "general");
  hn_writer_string(w, "name", name);
  hn_writer_string(w, on, target);
  write_law(plan, w, law, -1);
  hn_writer_end(w, "general");
}

// Forces that are not MuJoCo springs: constant loads, springs that push away.
static void write_rest(hn_plan *plan, hn_writer *w, const hn_place *place) {
  for (const hn_slot *slot = place->slots; slot; slot = slot->next) {
    int is_ball = slot->kind == HN_SLOT_BALL || slot->kind == HN_SLOT_FREE;
    hn_line_law law = {.constant = slot->stiffness > 0 ? 0 : slot->load,
                       .of_x = fmin(slot->stiffness, 0),
                       .of_v = fmin(slot->damping, 0),
                       .input = -1,
                       .least = -HUGE_VAL,
                       .most = HUGE_VAL};
    if (is_ball || (law.constant == 0 && law.of_x == 0 && law.of_v == 0)) continue;
    write_actuator(plan, w, hn_plan_text(plan, "%s_load", slot->name), "joint", slot->name, &law);
  }
}

static void write_on_joint(hn_plan *plan, hn_writer *w, int f) {
  const hn_force_def *def = &plan->model->forces[f];
  hn_line_law law;
  const char *why;
  if (def->joint < 0 || plan->parts[HN_PART_FORCE][f].is_told) return;
  const hn_slot *slot = hn_plan_slot(plan, def->joint, (int)def->coordinate);
  if (!slot || !hn_plan_law(plan, f, &law, &why)) return;
  write_actuator(plan, w, def->name, "joint", slot->name, &law);
  tell_written(plan, f, why);
}

static void write_on_tendon(hn_plan *plan, hn_writer *w, int f) {
  const hn_force_def *def = &plan->model->forces[f];
  hn_line_law law;
  hn_term terms[TERMS];
  const char *why;
  int count;
  if (!is_tendon(plan, f, &law, &why) && !sum_law(plan, f, &law, terms, &count)) return;
  if (is_spring(&law)) return;
  write_actuator(plan, w, def->name, "tendon", def->name, &law);
}

// ---- loads on bodies ----------------------------------------------------------------------------

static void write_component(hn_plan *plan, hn_writer *w, int f, int k, const hn_line_law *law) {
  const hn_force_def *def = &plan->model->forces[f];
  double gear[6] = {0};
  gear[def->type == HN_FORCE_TORQUE ? 3 + k : k] = 1;
  hn_writer_begin(w, "general");
  hn_writer_string(w, "name", hn_plan_text(plan, "%s_%c", def->name, "xyz"[k]));
  hn_writer_string(w, "site", hn_plan_text(plan, "%s_at", def->name));
  if (!def->following) hn_writer_string(w, "refsite", "global_axes");
  hn_writer_numbers(w, "gear", gear, 6);
  write_law(plan, w, law, 1);
  hn_writer_end(w, "general");
}

static void write_load(hn_plan *plan, hn_writer *w, int f) {
  const hn_force_def *def = &plan->model->forces[f];
  const char *why = "";
  hn_line_law laws[3];
  for (int k = 0; k < 3; k++) {
    laws[k] = (hn_line_law){.input = -1};
    if (!def->component_law[k]) continue;
    if (!hn_plan_time_law(plan, def->component_law[k], &laws[k], &why)) {
      hn_plan_tell(plan, HN_PART_FORCE, f, HN_IMPORT_LOST, why);
      return;
    }
  }
  for (int k = 0; k < 3; k++)
    if (laws[k].constant != 0 || laws[k].of_u != 0) write_component(plan, w, f, k, &laws[k]);
  tell_written(plan, f, why);
}

void hn_mjcf_write_actuators(hn_plan *plan, hn_writer *w) {
  const hn_model *m = plan->model;
  hn_writer_begin(w, "actuator");
  for (int b = 1; b < m->body_count; b++) write_rest(plan, w, &plan->places[b]);
  for (const hn_place *cut = plan->cuts; cut; cut = cut->into) write_rest(plan, w, cut);
  for (int f = 0; f < hn_model_force_count(m); f++) {
    hn_force_ends ends = hn_force_acts_between(m->forces[f].type);
    if (ends == HN_ENDS_JOINT || ends == HN_ENDS_EITHER) write_on_joint(plan, w, f);
    write_on_tendon(plan, w, f);
    if (is_load(plan, f)) write_load(plan, w, f);
  }
  hn_writer_end(w, "actuator");
}
