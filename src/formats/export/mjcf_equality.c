// Equalities of MJCF: loop-closure joints, couplings, constant driver motions.
// MuJoCo makes them soft.
#include <math.h>

#include "formats/export/export.h"
#include "math/elementary.h"
#include "math/law.h"

#define SOFT "replaced by an equality constraint, which is soft in MuJoCo"
enum { TERMS = 64 };
#define ARM 0.1 // m between the two points that hold an axis

static const hn_place *place_of(const hn_plan *plan, int body) { return &plan->places[body]; }

static void write_bodies(hn_writer *w, const hn_place *one, const hn_place *two) {
  hn_writer_string(w, "body1", one->name);
  if (two->body != HN_GROUND) hn_writer_string(w, "body2", two->name);
}

static void write_connect(hn_plan *plan, hn_writer *w, int j, hn_vec3 at, const char *name) {
  const hn_joint_def *def = &plan->model->joints[j];
  const hn_place *one = place_of(plan, def->frame1.body), *two = place_of(plan, def->frame2.body);
  if (one->body == HN_GROUND) {
    const hn_place *other = one;
    one = two;
    two = other;
  }
  hn_writer_begin(w, "connect");
  hn_writer_string(w, "name", name);
  write_bodies(w, one, two);
  hn_writer_vector(w, "anchor", hn_pose_back(&one->frame, at));
  hn_writer_end(w, "connect");
}

static void write_weld(hn_writer *w, const char *name, const hn_place *one, const hn_place *two) {
  hn_writer_begin(w, "weld");
  hn_writer_string(w, "name", name);
  write_bodies(w, one->body == HN_GROUND ? two : one, one->body == HN_GROUND ? one : two);
  hn_writer_end(w, "weld");
}

static void write_polynomial(hn_writer *w, const char *name, const hn_slot *one, const hn_slot *two,
                             const double coefficients[5]) {
  hn_writer_begin(w, "joint");
  hn_writer_string(w, "name", name);
  hn_writer_string(w, "joint1", one->name);
  if (two) hn_writer_string(w, "joint2", two->name);
  hn_writer_numbers(w, "polycoef", coefficients, 5);
  hn_writer_end(w, "joint");
}

static void write_joint(hn_writer *w, const char *name, const hn_slot *one, const hn_slot *two,
                        double start, double slope) {
  const double coefficients[5] = {start, slope, 0, 0, 0};
  write_polynomial(w, name, one, two, coefficients);
}

static void write_tendon(hn_writer *w, const char *name) {
  hn_writer_begin(w, "tendon");
  hn_writer_string(w, "name", name);
  hn_writer_string(w, "tendon1", name);
  hn_writer_end(w, "tendon");
}

// ---- loops --------------------------------------------------------------------------------------

static void write_loop(hn_plan *plan, hn_writer *w, int j) {
  const hn_joint_def *def = &plan->model->joints[j];
  hn_pose frame = hn_plan_frame(plan, &def->frame2);
  hn_vec3 axis = mat3_column(hn_plan_frame(plan, &def->frame1).r, 2);
  hn_import_fate fate = HN_IMPORT_APPROXIMATED;
  const char *why = SOFT;
  if (def->type == HN_JOINT_SPHERICAL) {
    write_connect(plan, w, j, frame.p, def->name);
  } else if (def->type == HN_JOINT_CONSTANT_VELOCITY) {
    write_connect(plan, w, j, frame.p, def->name);
    fate = HN_IMPORT_LOST;
    why = "only its point is constrained: MJCF has no constant-velocity joint";
  } else if (def->type == HN_JOINT_FIXED) {
    write_weld(w, def->name, place_of(plan, def->frame1.body), place_of(plan, def->frame2.body));
  } else if (def->type == HN_JOINT_DISTANCE) {
    write_tendon(w, def->name);
  } else if (def->type == HN_JOINT_REVOLUTE && !plan->is_used[j]) {
    write_connect(plan, w, j, frame.p, def->name);
    write_connect(plan, w, j, vec3_add_scaled(frame.p, ARM, axis),
                  hn_plan_text(plan, "%s_axis", def->name));
    why = "replaced by equality constraints at two points of its axis, which are soft in MuJoCo";
  } else {
    return;
  }
  hn_plan_tell(plan, HN_PART_JOINT, j, fate, why);
}

static void write_cuts(hn_plan *plan, hn_writer *w) {
  for (const hn_place *cut = plan->cuts; cut; cut = cut->into) {
    write_weld(w, cut->name, cut, place_of(plan, cut->body));
    hn_plan_tell(plan, HN_PART_JOINT, cut->joint, HN_IMPORT_APPROXIMATED,
                 "body split: a soft weld connects this part to the rest of the body");
  }
}

static void write_screw(hn_plan *plan, hn_writer *w, int j) {
  const hn_joint_def *def = &plan->model->joints[j];
  const hn_slot *slide = hn_plan_slot(plan, j, HN_COORDINATE_DISPLACEMENT);
  const hn_slot *turn = hn_plan_slot(plan, j, HN_COORDINATE_ANGLE);
  if (!slide || !turn) return;
  write_joint(w, hn_plan_text(plan, "%s_pitch", def->name), slide, turn, 0,
              def->pitch / (8 * hn_atan(1)));
  hn_plan_tell(plan, HN_PART_JOINT, j, HN_IMPORT_APPROXIMATED,
               "its pitch is an equality constraint, which is soft in MuJoCo");
}

// ---- couplings ----------------------------------------------------------------------------------

// All terms of a coupler, those on one coordinate together; -1: something is not in the tree.
static int collect(const hn_plan *plan, const hn_joint_def *def, hn_term *terms) {
  int count = 0;
  for (int k = 0; k < def->coupled_count; k++) {
    hn_term some[TERMS];
    double offset;
    int n = hn_plan_terms(plan, def->coupled[k], (int)def->coupled_coordinate[k],
                          def->coefficient[k], some, TERMS, &offset);
    if (n < 0) return -1;
    for (int i = 0; i < n; i++) {
      int at = 0;
      while (at < count && terms[at].slot != some[i].slot) at++;
      if (at == count && count == TERMS) return -1;
      if (at == count) terms[count++] = (hn_term){some[i].slot, 0};
      terms[at].factor += some[i].factor;
    }
  }
  return count;
}

static int is_defining(const hn_plan *plan, int j) {
  int axle = plan->model->joints[j].coupled[0];
  return plan->sums[axle].is_known && plan->sums[axle].coupler == j;
}

// q1 = (constant - p(q2)) / c1 of a coupler with one term that is bent; counted from the start.
static int write_curve(hn_plan *plan, hn_writer *w, const hn_joint_def *def) {
  int two = def->curve[1][0] != 0 || def->curve[1][1] != 0 || def->curve[1][2] != 0, one = !two;
  if (def->coupled_count != 2 || def->coefficient[one] == 0) return 0;
  for (int p = 0; p < 3; p++)
    if (def->curve[one][p] != 0) return 0;
  hn_slot *slot[2];
  for (int k = 0; k < 2; k++) {
    slot[k] = hn_plan_slot(plan, def->coupled[k], (int)def->coupled_coordinate[k]);
    if (plan->sums[def->coupled[k]].is_known || !slot[k]) return 0;
  }
  const double *c = def->curve[two];
  double x = slot[two]->value, f = -1 / def->coefficient[one];
  const double numbers[5] = {
      0, f * (def->coefficient[two] + x * (2 * c[0] + x * (3 * c[1] + 4 * x * c[2]))),
      f * (c[0] + x * (3 * c[1] + 6 * x * c[2])), f * (c[1] + 4 * x * c[2]), f * c[2]};
  write_polynomial(w, def->name, slot[one], slot[two], numbers);
  return 1;
}

static void write_coupling(hn_plan *plan, hn_writer *w, int j) {
  const hn_joint_def *def = &plan->model->joints[j];
  hn_term terms[TERMS];
  if (is_defining(plan, j)) {
    int axle = def->coupled[0];
    hn_plan_tell(plan, HN_PART_JOINT, j, HN_IMPORT_USED, "");
    hn_plan_tell(plan, HN_PART_JOINT, axle, HN_IMPORT_USED, "");
    return;
  }
  if (hn_plan_is_curved(def)) {
    int is_written = write_curve(plan, w, def);
    hn_plan_tell(plan, HN_PART_JOINT, j, is_written ? HN_IMPORT_APPROXIMATED : HN_IMPORT_LOST,
                 is_written ? SOFT
                            : "an MJCF joint can only follow one other joint by a polynomial");
    return;
  }
  int count = collect(plan, def, terms);
  if (count <= 0 || terms[0].factor == 0) {
    hn_plan_tell(plan, HN_PART_JOINT, j, HN_IMPORT_LOST,
                 "one of its coordinates belongs to a joint that closes a loop");
    return;
  }
  if (count == 1)
    write_joint(w, def->name, terms[0].slot, NULL, 0, 0);
  else if (count == 2)
    write_joint(w, def->name, terms[0].slot, terms[1].slot, 0, -terms[1].factor / terms[0].factor);
  else
    write_tendon(w, def->name);
  hn_plan_tell(plan, HN_PART_JOINT, j, HN_IMPORT_APPROXIMATED, SOFT);
}

// The tendon of a coupler of three terms and more.
static void write_coupling_tendon(hn_plan *plan, hn_writer *w, int j) {
  const hn_joint_def *def = &plan->model->joints[j];
  hn_term terms[TERMS];
  int count = is_defining(plan, j) || hn_plan_is_curved(def) ? 0 : collect(plan, def, terms);
  if (count < 3) return;
  hn_writer_begin(w, "fixed");
  hn_writer_string(w, "name", def->name);
  for (int k = 0; k < count; k++) {
    hn_writer_begin(w, "joint");
    hn_writer_string(w, "joint", terms[k].slot->name);
    hn_writer_number(w, "coef", terms[k].factor);
    hn_writer_end(w, "joint");
  }
  hn_writer_end(w, "fixed");
}

void hn_mjcf_write_held_tendons(hn_plan *plan, hn_writer *w) {
  const hn_model *m = plan->model;
  for (int j = 0; j < m->joint_count; j++) {
    if (m->joints[j].coupled_count > 0) write_coupling_tendon(plan, w, j);
    if (m->joints[j].type != HN_JOINT_DISTANCE) continue;
    hn_writer_begin(w, "spatial");
    hn_writer_string(w, "name", m->joints[j].name);
    for (int k = 1; k <= 2; k++) {
      hn_writer_begin(w, "site");
      hn_writer_string(w, "site", hn_plan_text(plan, "%s_end%d", m->joints[j].name, k));
      hn_writer_end(w, "site");
    }
    hn_writer_end(w, "spatial");
  }
}

// ---- drivers ------------------------------------------------------------------------------------

static void write_driver(hn_plan *plan, hn_writer *w, int d) {
  const hn_driver_def *def = &plan->model->drivers[d];
  hn_line_law law;
  const char *why;
  if (def->kind != HN_DRIVER_JOINT || !hn_plan_time_law(plan, def->law, &law, &why) ||
      law.input >= 0)
    return;
  const hn_slot *slot = hn_plan_slot(plan, def->joint, (int)def->coordinate);
  if (!slot) return;
  write_joint(w, def->name, slot, NULL, law.constant - slot->value, 0);
  hn_plan_tell(plan, HN_PART_DRIVER, d, HN_IMPORT_APPROXIMATED, SOFT);
}

// ---- the whole ----------------------------------------------------------------------------------

static void write_of_joint(hn_plan *plan, hn_writer *w, int j) {
  const hn_joint_def *def = &plan->model->joints[j];
  if (def->coupled_count > 0) {
    write_coupling(plan, w, j);
  } else if (def->type == HN_JOINT_KNIFE_EDGE) {
    hn_plan_tell(plan, HN_PART_JOINT, j, HN_IMPORT_LOST,
                 "nonholonomic (velocity) constraints are not supported");
  } else if (def->type == HN_JOINT_FREE) {
    hn_plan_tell(plan, HN_PART_JOINT, j, HN_IMPORT_USED, "");
  } else if (plan->in_tree[j]) {
    if (def->type == HN_JOINT_CONSTANT_VELOCITY)
      hn_plan_tell(plan, HN_PART_JOINT, j, HN_IMPORT_LOST,
                   "replaced by a ball joint: MJCF has no constant-velocity joint");
    hn_plan_tell(plan, HN_PART_JOINT, j, HN_IMPORT_USED, "");
  } else if (!plan->sums[j].is_known) {
    write_loop(plan, w, j);
  }
  if (def->type == HN_JOINT_SCREW) write_screw(plan, w, j);
}

void hn_mjcf_write_equalities(hn_plan *plan, hn_writer *w) {
  hn_writer_begin(w, "equality");
  write_cuts(plan, w);
  for (int j = 0; j < plan->model->joint_count; j++) write_of_joint(plan, w, j);
  for (int d = 0; d < plan->model->driver_count; d++) write_driver(plan, w, d);
  hn_writer_end(w, "equality");
}
