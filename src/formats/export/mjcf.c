// A model as MJCF: the tree of bodies, and the start as a keyframe.
//
// Links have the axes of the model's bodies and their origin at the joint that carries them, free
// ones at their center of mass. Coordinates are the model's own: `ref` is their value in the
// reference configuration.
#include <math.h>

#include "formats/export/export.h"

#define SMALL 1e-12 // fraction of the model's mass: for bodies that must have one

// ---- joints -------------------------------------------------------------------------------------

static void write_springs(hn_writer *w, const hn_slot *slot) {
  if (slot->stiffness > 0) {
    hn_writer_number(w, "stiffness", slot->stiffness);
    if (slot->load != 0) hn_writer_number(w, "springref", -slot->load / slot->stiffness);
  }
  if (slot->damping > 0) hn_writer_number(w, "damping", slot->damping);
  if (slot->armature > 0) hn_writer_number(w, "armature", slot->armature);
  if (slot->friction > 0) hn_writer_number(w, "frictionloss", slot->friction);
}

// MuJoCo has limits on both sides: what has none is far away.
static void write_limits(hn_writer *w, const hn_slot *slot) {
  if (!slot->has_limits) return;
  const double range[2] = {slot->lower > -HUGE_VAL ? slot->lower : -1e6,
                           slot->upper < HUGE_VAL ? slot->upper : 1e6};
  hn_writer_string(w, "limited", "true");
  hn_writer_numbers(w, "range", range, 2);
}

static void write_slot(hn_writer *w, const hn_place *place, const hn_slot *slot) {
  static const char *const types[] = {"hinge", "slide", "ball"};
  if (slot->kind == HN_SLOT_FREE) {
    hn_writer_begin(w, "freejoint");
    hn_writer_string(w, "name", slot->name);
    hn_writer_end(w, "freejoint");
    return;
  }
  hn_vec3 at = hn_pose_back(&place->frame, slot->at);
  hn_writer_begin(w, "joint");
  hn_writer_string(w, "name", slot->name);
  hn_writer_string(w, "type", types[slot->kind]);
  if (slot->kind != HN_SLOT_SLIDE && vec3_norm(at) > 1e-14) hn_writer_vector(w, "pos", at);
  if (slot->kind != HN_SLOT_BALL) {
    hn_writer_vector(w, "axis", vec3_unit(mat3_apply_transposed(place->frame.r, slot->axis)));
    if (slot->value != 0) hn_writer_number(w, "ref", slot->value);
  }
  write_springs(w, slot);
  write_limits(w, slot);
  hn_writer_end(w, "joint");
}

// ---- bodies -------------------------------------------------------------------------------------

static void write_inertia(hn_plan *plan, hn_writer *w, const hn_place *place) {
  double mass = place->mass, inertia[6], least = HUGE_VAL;
  for (int k = 0; k < 6; k++) inertia[k] = place->inertia[k];
  for (int k = 0; k < 3; k++) least = fmin(least, inertia[k]);
  if (mass == 0 && !place->slots && least <= 0) return;
  if (mass == 0 || least <= 0) {
    hn_plan_tell(plan, HN_PART_BODY, place->body, HN_IMPORT_APPROXIMATED,
                 "MuJoCo requires mass and inertia: small values are added");
    mass = fmax(mass, SMALL * fmax(plan->mass, 1e-2));
    for (int k = 0; k < 3; k++)
      if (inertia[k] <= 0) inertia[k] = fmax(SMALL * 1e-2 * fmax(plan->mass, 1e-1), 2e-15);
  }
  hn_writer_begin(w, "inertial");
  hn_writer_vector(w, "pos", hn_pose_back(&place->frame, place->center.p));
  hn_writer_number(w, "mass", mass);
  if (inertia[3] == 0 && inertia[4] == 0 && inertia[5] == 0)
    hn_writer_numbers(w, "diaginertia", inertia, 3);
  else
    hn_writer_numbers(w, "fullinertia", inertia, 6);
  hn_writer_end(w, "inertial");
}

static void open_body(hn_plan *plan, hn_writer *w, const hn_place *place) {
  hn_pose inverse = hn_pose_inverse(&place->parent->frame);
  hn_pose pose = hn_pose_multiply(&inverse, &place->frame);
  hn_writer_begin(w, "body");
  hn_writer_string(w, "name", place->name);
  hn_writer_vector(w, "pos", pose.p);
  hn_writer_turn(w, "quat", pose.r);
  if (place->lift != 0) hn_writer_number(w, "gravcomp", place->lift);
  for (const hn_slot *slot = place->slots; slot; slot = slot->next) write_slot(w, place, slot);
  write_inertia(plan, w, place);
  if (place == &plan->places[place->body]) {
    hn_mjcf_write_looks(plan, w, place);
    hn_mjcf_write_sites(plan, w, place);
    hn_plan_tell(plan, HN_PART_BODY, place->body, HN_IMPORT_USED, "");
  }
}

// Without recursion: a chain may be as long as it likes.
static void write_bodies(hn_plan *plan, hn_writer *w) {
  const hn_place *root = &plan->places[0], *at = root->first;
  while (at) {
    open_body(plan, w, at);
    if (at->first) {
      at = at->first;
      continue;
    }
    hn_writer_end(w, "body");
    while (at != root && !at->next) {
      at = at->parent;
      if (at != root) hn_writer_end(w, "body");
    }
    at = at == root ? NULL : at->next;
  }
}

// ---- the start ----------------------------------------------------------------------------------

typedef struct numbers {
  double *q, *v;
  int nq, nv;
} numbers;

static void add(double *to, int *count, const double *values, int n) {
  for (int k = 0; k < n; k++) to[(*count)++] = values[k];
}

static void add_slot(numbers *all, const hn_place *place, const hn_slot *slot) {
  double q[7], v[6];
  hn_vec3 spin = mat3_apply_transposed(place->frame.r, slot->spin);
  if (slot->kind == HN_SLOT_FREE) {
    vec3_store(q, place->frame.p);
    quat_store(q + 3, quat_unit(quat_from_matrix(place->frame.r)));
    vec3_store(v, slot->linear);
    vec3_store(v + 3, spin);
    add(all->q, &all->nq, q, 7);
    add(all->v, &all->nv, v, 6);
  } else if (slot->kind == HN_SLOT_BALL) {
    quat_store(q, quat_identity());
    vec3_store(v, spin);
    add(all->q, &all->nq, q, 4);
    add(all->v, &all->nv, v, 3);
  } else {
    add(all->q, &all->nq, &slot->value, 1);
    add(all->v, &all->nv, &slot->rate, 1);
  }
}

// The next body in the order of the file; null at the end.
static const hn_place *following(const hn_plan *plan, const hn_place *at) {
  const hn_place *root = &plan->places[0];
  if (at->first) return at->first;
  while (at != root && !at->next) at = at->parent;
  return at == root ? NULL : at->next;
}

static void write_start(hn_plan *plan, hn_writer *w) {
  int slots = 0;
  double moves = 0;
  for (const hn_place *p = following(plan, &plan->places[0]); p; p = following(plan, p))
    for (const hn_slot *slot = p->slots; slot; slot = slot->next) slots++;
  numbers all = {HN_TAKE(plan->arena, double, 7 * slots + 1),
                 HN_TAKE(plan->arena, double, 6 * slots + 1), 0, 0};
  if (plan->arena->failed) return;
  for (const hn_place *p = following(plan, &plan->places[0]); p; p = following(plan, p))
    for (const hn_slot *slot = p->slots; slot; slot = slot->next) add_slot(&all, p, slot);
  for (int k = 0; k < all.nv; k++) moves = fmax(moves, fabs(all.v[k]));
  for (int k = 0; k < plan->control_count; k++) moves = fmax(moves, fabs(plan->controls[k]));
  if (moves == 0) return;
  hn_writer_begin(w, "keyframe");
  hn_writer_begin(w, "key");
  hn_writer_string(w, "name", "start");
  hn_writer_numbers(w, "qpos", all.q, all.nq);
  hn_writer_numbers(w, "qvel", all.v, all.nv);
  if (plan->control_count > 0) hn_writer_numbers(w, "ctrl", plan->controls, plan->control_count);
  hn_writer_end(w, "key");
  hn_writer_end(w, "keyframe");
}

// ---- the whole ----------------------------------------------------------------------------------

// MuJoCo rejects bodies whose principal inertias no solid can have.
static int needs_balance(hn_plan *plan) {
  int needed = 0;
  for (int b = 1; b < plan->model->body_count; b++) {
    const double *i = plan->places[b].inertia;
    double sum = i[0] + i[1] + i[2];
    hn_mat3 t = mat3_symmetric(i);
    // the largest principal value is at most half the sum exactly when sum/2 - I has no negative
    // one
    hn_mat3 a = mat3_add(mat3_scale(0.5 * sum * (1 + 1e-9), mat3_identity()), mat3_scale(-1, t));
    double minors = a.m[0][0] * a.m[1][1] - a.m[0][1] * a.m[0][1];
    double det = vec3_dot(mat3_column(a, 0), vec3_cross(mat3_column(a, 1), mat3_column(a, 2)));
    if (plan->places[b].is_wheel || (a.m[0][0] >= 0 && minors >= 0 && det >= 0)) continue;
    needed = 1;
    hn_plan_tell(plan, HN_PART_BODY, b, HN_IMPORT_APPROXIMATED,
                 "not a valid inertia of a solid: MuJoCo adjusts it (balanceinertia)");
  }
  return needed;
}

static void write_head(hn_plan *plan, hn_writer *w) {
  hn_writer_begin(w, "compiler");
  hn_writer_string(w, "angle", "radian");
  hn_writer_string(w, "autolimits", "false");
  hn_writer_string(w, "inertiafromgeom", "false");
  if (needs_balance(plan)) hn_writer_string(w, "balanceinertia", "true");
  hn_writer_end(w, "compiler");
  hn_writer_begin(w, "option");
  hn_writer_vector(w, "gravity", plan->model->gravity);
  hn_writer_end(w, "option");
  hn_writer_begin(w, "default");
  hn_writer_begin(w, "geom");
  hn_writer_number(w, "contype", 0);
  hn_writer_number(w, "conaffinity", 0);
  hn_writer_number(w, "group", 1);
  hn_writer_end(w, "geom");
  hn_writer_begin(w, "site");
  hn_writer_number(w, "group", 3);
  hn_writer_end(w, "site");
  hn_writer_end(w, "default");
}

void hn_write_mjcf(hn_plan *plan, hn_writer *w) {
  hn_writer_begin(w, "mujoco");
  hn_writer_string(w, "model", hn_model_name(plan->model));
  write_head(plan, w);
  hn_mjcf_write_meshes(plan, w);
  hn_writer_begin(w, "worldbody");
  hn_mjcf_write_looks(plan, w, &plan->places[0]);
  hn_mjcf_write_sites(plan, w, &plan->places[0]);
  write_bodies(plan, w);
  hn_writer_end(w, "worldbody");
  hn_mjcf_write_equalities(plan, w);
  hn_mjcf_write_tendons(plan, w);
  hn_mjcf_write_actuators(plan, w);
  write_start(plan, w);
  hn_writer_end(w, "mujoco");
}
