// A model far from the origin is computed about an origin of its own.
//
// At 10,000 km a position has an error of 2e-9 m by its rounding alone, and a tolerance relative to
// the position allows 10 m at 1e-6. Both are no property of the model: seen from a place near it,
// it has all its digits. Bodies and what is fixed to ground are moved by -origin; signals add it
// again.
//
// Not moved: models with roads, contacts, user's forces or sealed components, which know global
// coordinates.
#include <math.h>

#include "math/elementary.h"
#include "math/vec.h"
#include "model/storage.h"

#define FAR 1024.0 // extents of the model

typedef struct extent {
  hn_vec3 low, high;
  int count;
} extent;

static void include(extent *e, hn_vec3 p) {
  if (e->count++ == 0) e->low = e->high = p;
  e->low = vec3(fmin(e->low.x, p.x), fmin(e->low.y, p.y), fmin(e->low.z, p.z));
  e->high = vec3(fmax(e->high.x, p.x), fmax(e->high.y, p.y), fmax(e->high.z, p.z));
}

static void include_frame(extent *e, const hn_model *model, const hn_frame_on_body *frame) {
  include(e, hn_model_drawn_point(model, frame));
}

// Bodies in the reference configuration, and every point of joints, drivers and forces.
static extent find_extent(const hn_model *model) {
  extent e = {.count = 0};
  for (int b = 1; b < model->body_count; b++) include(&e, model->bodies[b].position);
  for (int j = 0; j < model->joint_count; j++) {
    if (model->joints[j].coupled_count > 0) continue;
    include_frame(&e, model, &model->joints[j].frame1);
    include_frame(&e, model, &model->joints[j].frame2);
  }
  for (int d = 0; d < model->driver_count; d++) {
    if (model->drivers[d].kind == HN_DRIVER_JOINT) continue;
    include_frame(&e, model, &model->drivers[d].frame1);
    include_frame(&e, model, &model->drivers[d].frame2);
  }
  for (int f = 0; f < model->force_count; f++) {
    const hn_force_def *force = &model->forces[f];
    if (hn_force_acts_between(force->type) == HN_ENDS_FRAMES)
      include_frame(&e, model, &force->frame1);
    if (force->frame2.body != HN_GROUND) include_frame(&e, model, &force->frame2);
  }
  return e;
}

// The center of the model in steps so large that differences to it are exact; 0 where it is near.
static hn_vec3 choose_origin(const hn_model *model) {
  if (model->part_count > 0 || model->roads.count > 0 || model->contact_count > 0 ||
      model->body_count < 2)
    return vec3_zero();
  for (int f = 0; f < model->force_count; f++)
    if (model->forces[f].user.evaluate || model->forces[f].way) return vec3_zero();
  extent e = find_extent(model);
  hn_vec3 middle = vec3_scale(0.5, vec3_add(e.low, e.high));
  double span = fmax(1, vec3_norm(vec3_sub(e.high, e.low))), far = vec3_norm(middle);
  if (!(far > FAR * span) || !isfinite(far)) return vec3_zero();
  double step = hn_exp2(ceil(hn_log2(span)));
  return vec3(step * round(middle.x / step), step * round(middle.y / step),
              step * round(middle.z / step));
}

static void move_frame(hn_frame_on_body *frame, hn_vec3 origin) {
  if (frame->body == HN_GROUND) frame->position = vec3_sub(frame->position, origin);
}

hn_status hn_model_move_origin(hn_arena *arena, const hn_model *model, const hn_model **moved) {
  hn_vec3 origin = choose_origin(model);
  *moved = model;
  if (vec3_norm(origin) == 0) return HN_OK;
  hn_model *view = hn_arena_copy(arena, model, 1, sizeof *model);
  hn_body_def *bodies =
      hn_arena_copy(arena, model->bodies, (size_t)model->body_count, sizeof *bodies);
  hn_joint_def *joints =
      hn_arena_copy(arena, model->joints, (size_t)model->joint_count, sizeof *joints);
  hn_driver_def *drivers =
      hn_arena_copy(arena, model->drivers, (size_t)model->driver_count, sizeof *drivers);
  hn_force_def *forces =
      hn_arena_copy(arena, model->forces, (size_t)model->force_count, sizeof *forces);
  if (arena->failed) return HN_ERROR_MEMORY;
  for (int b = 1; b < model->body_count; b++) {
    bodies[b].position = vec3_sub(bodies[b].position, origin);
    view->origin.potential -= bodies[b].mass * vec3_dot(model->gravity, origin);
  }
  for (int j = 0; j < model->joint_count; j++) {
    if (joints[j].coupled_count > 0) continue;
    move_frame(&joints[j].frame1, origin);
    move_frame(&joints[j].frame2, origin);
  }
  for (int d = 0; d < model->driver_count; d++) {
    if (drivers[d].kind == HN_DRIVER_JOINT) continue;
    move_frame(&drivers[d].frame1, origin);
    move_frame(&drivers[d].frame2, origin);
  }
  for (int f = 0; f < model->force_count; f++) {
    move_frame(&forces[f].frame1, origin);
    move_frame(&forces[f].frame2, origin);
  }
  view->bodies = bodies;
  view->joints = joints;
  view->drivers = drivers;
  view->forces = forces;
  view->origin.at = origin;
  *moved = view;
  return HN_OK;
}
