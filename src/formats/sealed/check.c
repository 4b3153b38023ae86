// Rejects, by name, elements that a sealed component cannot compute like the open one, when it is
// built.
//
// A sealed component answers with accelerations and branches of smooth laws, and publishes stops,
// friction that sticks and knife edges (constraints.c). Bodies whose mass matrix is singular need more
// than that. Its user assembles the whole mechanism with the inside in its reference
// configuration and with given velocities unchanged, so both must satisfy the joints inside.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "equations/equations.h"
#include "formats/sealed/sealed.h"
#include "formats/sealed/text.h"
#include "model/storage.h"

#define OPEN_GAP 1e-6   // m or rad: above it the part is not drawn assembled
#define RATE_SHARE 1e-6 // of the largest given speed: above it a velocity contradicts its joints

typedef struct check {
  const hn_model *model;
  int external_count;
  hn_arena arena;
  hn_elements *elements;
  hn_frame *frames; // reference configuration, with given velocities (bodies + ground)
  double *turns;    // (turn_count)
  hn_error *error;
} check;

static const char *own_name(const char *name) {
  size_t prefix = strlen(HN_SEALED_NAME ".");
  return strncmp(name, HN_SEALED_NAME ".", prefix) == 0 ? name + prefix : name;
}

static hn_status reject(const check *c, const char *kind, const char *name, const hn_source *source,
                        const char *hint, const char *why) {
  char element[128];
  return hn_fail(c->error, HN_ERROR_UNSUPPORTED, source,
                 hn_text(element, sizeof element, "%s '%s'", kind, own_name(name)), hint, "%s",
                 why);
}

// ---- elements -----------------------------------------------------------------------------------

static hn_status check_bodies(const check *c) {
  for (int b = 1 + c->external_count; b < c->model->body_count; b++) {
    const hn_body_def *body = &c->model->bodies[b];
    double moments[3];
    hn_vec3 axis;
    hn_principal_moments(body->inertia, moments, &axis);
    if (body->mass > 0 && moments[0] > 0) continue;
    return reject(
        c, "body", body->name, &body->source,
        "Give it mass and inertia about every axis; replace `armature:` by a separate body.",
        "has no mass or no inertia about an axis (not supported in sealed components)");
  }
  return HN_OK;
}

static hn_status check_joints(const check *c) {
  for (int j = 0; j < c->model->joint_count; j++) {
    const hn_joint_def *joint = &c->model->joints[j];
    for (int k = 0; k < HN_COORDINATES; k++)
      if (joint->initial[k].has_value || joint->initial[k].has_rate)
        return reject(
            c, "joint", joint->name, &joint->source,
            "Place it there, or set `initial:` of a joint in the model that uses the component.",
            "has an `initial:` value (not supported in sealed components)");
  }
  return HN_OK;
}

// ---- how it starts ------------------------------------------------------------------------------

static const char *owner_of(const check *c, const hn_row *row, const char **kind,
                            const hn_source **source) {
  *kind = row->is_driver ? "driver" : "joint";
  *source =
      row->is_driver ? &c->model->drivers[row->owner].source : &c->model->joints[row->owner].source;
  return row->is_driver ? c->model->drivers[row->owner].name : c->model->joints[row->owner].name;
}

static int is_inside(const check *c, const hn_row *row) {
  for (int k = 0; k < row->body_count; k++)
    if (row->body[k] <= c->external_count) return 0;
  return 1;
}

// The largest speed given to a body of the row; an angular speed counts like one.
static double given_speed(const check *c, const hn_row *row) {
  double speed = 0;
  for (int k = 0; k < row->body_count; k++) {
    const hn_body_def *body = &c->model->bodies[row->body[k]];
    speed = fmax(speed, fmax(vec3_norm(body->velocity), vec3_norm(body->angular_velocity)));
  }
  return speed;
}

static hn_status check_row(const check *c, const hn_row *row) {
  hn_row_speeds at;
  const int time_branch = row->driver >= 0 ? hn_driver_time_branch(c->elements, row->driver, 0) : 0;
  hn_row_in_speeds(c->elements, row, c->frames, c->turns, 0, time_branch, &at);
  const char *kind;
  const hn_source *source;
  const char *name = owner_of(c, row, &kind, &source);
  char why[160];
  if (fabs(at.value) > OPEN_GAP)
    return reject(c, kind, name, source,
                  "Place the bodies of the component in assembled positions.",
                  hn_text(why, sizeof why,
                          "is not assembled (off by %.3g m or rad), and a sealed component starts "
                          "from the given positions",
                          fabs(at.value)));
  const double speed = given_speed(c, row);
  if (fabs(at.rate) > RATE_SHARE * speed && speed > 0)
    return reject(c, kind, name, source,
                  "Give consistent velocities to all bodies involved, or none.",
                  hn_text(why, sizeof why,
                          "contradicts the `initial:` velocities of its bodies (by %.3g m/s or "
                          "rad/s)",
                          fabs(at.rate)));
  return HN_OK;
}

static hn_status check_start(check *c) {
  hn_status status = hn_elements_create(&c->arena, c->model, &c->elements, c->error);
  if (status != HN_OK) return status;
  c->frames = HN_TAKE(&c->arena, hn_frame, c->model->body_count);
  c->turns = HN_TAKE(&c->arena, double, c->elements->turn_count);
  if (c->arena.failed)
    return hn_fail(c->error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory for the component");
  hn_given_frames(c->model, c->frames);
  hn_elements_initial_turns(c->elements, c->frames, c->turns);
  for (int r = 0; r < c->elements->row_count && status == HN_OK; r++)
    if (is_inside(c, &c->elements->rows[r])) status = check_row(c, &c->elements->rows[r]);
  return status;
}

hn_status hn_sealed_check(const hn_model *model, int external_count, hn_error *error) {
  check c = {.model = model, .external_count = external_count, .error = error};
  hn_status status = check_joints(&c);
  if (status == HN_OK) status = check_bodies(&c);
  if (status != HN_OK) return status;
  hn_arena_init(&c.arena, NULL);
  status = check_start(&c);
  hn_arena_release(&c.arena);
  return status;
}
