// Thin rods in a plane. A body that hinges join to ground, all of them about one direction a, turns
// about a only, with w = a w_a and wd = a wd_a in every position. Whatever its inertia across a,
//
//   I + s (1 - a a'),    (1 - a a') w = 0,  (1 - a a') wd = 0,
//
// neither its motion nor its reactions change. If a body lacks inertia across a, as a thin rod does
// about itself, it takes s = a' I a: the mass matrix can then be inverted unmodified. Regularized
// instead, the reduced matrix of joints would lose half its digits, more than a chain of 300 rods
// has left.
//
// Out of scope: bodies without inertia about a, and those that turn in space.
#include "equations/held_inertia.h"

#include <string.h>

#include "equations/tangent.h"
#include "model/joint_types.h"

#define PARALLEL 1e-12

static hn_vec3 joint_axis(const hn_frame_on_body *frame) {
  return mat3_column(quat_matrix(frame->orientation), 2);
}

static int turns_about_its_axis(hn_joint_type type) {
  return hn_joint_shares_axes(type) == HN_SHARES_H &&
         hn_joint_has_coordinate(type, HN_COORDINATE_ANGLE);
}

// The other body of a joint takes its axis, in axes of its own, where that is also the one of this body
// (any, of ground). Returns 1 where it is new.
static int carry_axis(const hn_frame_on_body *from, const hn_frame_on_body *to, hn_vec3 *axis,
                      unsigned char *is_known) {
  hn_vec3 a = joint_axis(from);
  if (is_known[to->body] || !is_known[from->body]) return 0;
  if (from->body != HN_GROUND && !(vec3_norm(vec3_cross(a, axis[from->body])) < PARALLEL)) return 0;
  axis[to->body] = joint_axis(to);
  return is_known[to->body] = 1;
}

// Joints are mostly in the order of a tree: one pass forwards and one back nearly always suffice.
static void find_axes(const hn_model *model, hn_vec3 *axis, unsigned char *is_known) {
  is_known[HN_GROUND] = 1;
  for (int found = 1; found;) {
    found = 0;
    for (int k = 0; k < 2 * model->joint_count; k++) {
      const hn_joint_def *joint =
          &model->joints[k < model->joint_count ? k : 2 * model->joint_count - 1 - k];
      if (!turns_about_its_axis(joint->type)) continue;
      found |= carry_axis(&joint->frame1, &joint->frame2, axis, is_known);
      found |= carry_axis(&joint->frame2, &joint->frame1, axis, is_known);
    }
  }
}

static void fill(const double from[6], hn_vec3 a, double to[6]) {
  double s = vec3_dot(a, mat3_apply(mat3_symmetric(from), a));
  const double across[6] = {1 - a.x * a.x, 1 - a.y * a.y, 1 - a.z * a.z,
                            -a.x * a.y,    -a.x * a.z,    -a.y * a.z};
  for (int i = 0; i < 6; i++) to[i] = from[i] + s * across[i];
}

hn_status hn_held_inertia(hn_arena *arena, const hn_model *model, double **inertia) {
  int light = 0;
  *inertia = NULL;
  for (int b = 1; b < model->body_count; b++) light |= hn_body_is_light(&model->bodies[b]);
  if (!light) return HN_OK;
  hn_arena scratch;
  hn_arena_init(&scratch, &arena->allocator);
  hn_vec3 *axis = HN_TAKE(&scratch, hn_vec3, model->body_count);
  unsigned char *is_known = HN_TAKE(&scratch, unsigned char, model->body_count);
  *inertia = HN_TAKE(arena, double, 6 * model->body_count);
  if (arena->failed || scratch.failed) {
    hn_arena_release(&scratch);
    return HN_ERROR_MEMORY;
  }
  find_axes(model, axis, is_known);
  for (int b = 1; b < model->body_count; b++) {
    hn_body_def filled = model->bodies[b];
    double *to = *inertia + 6 * (size_t)b;
    memcpy(to, filled.inertia, 6 * sizeof(double));
    if (!is_known[b] || !hn_body_is_light(&filled)) continue;
    fill(model->bodies[b].inertia, vec3_unit(axis[b]), filled.inertia);
    if (!hn_body_is_light(&filled)) memcpy(to, filled.inertia, 6 * sizeof(double));
  }
  hn_arena_release(&scratch);
  return HN_OK;
}
