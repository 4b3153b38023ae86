// Whether a scene is that of a mechanism that moves in a plane: then its front is that plane. The same
// rule: viewer/src/views.ts (planeOf).
#include <math.h>

#include "math/euler.h"
#include "output/scene.h"

#define INSTANTS 40
#define THIN 0.12  // of the model's size: bodies off the plane
#define ASIDE 2e-3 // of the way of the bodies
#define TILT 0.01  // half the angle out of the plane

typedef struct extent {
  double low[3], high[3];
} extent;

static const extent nothing = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};

static void include_point(extent *e, hn_vec3 at) {
  for (int k = 0; k < 3; k++) {
    e->low[k] = fmin(e->low[k], vec3_get(at, k));
    e->high[k] = fmax(e->high[k], vec3_get(at, k));
  }
}

static double length_along(const extent *e, int k) { return fmax(e->high[k] - e->low[k], 0); }

typedef struct pose {
  hn_vec3 r;
  hn_quat p;
} pose;

static pose pose_of(const hn_scene *scene, int frame, int body) {
  double x[7] = {0, 0, 0, 1, 0, 0, 0};
  if (body != HN_GROUND) {
    const float *from =
        scene->motion + (size_t)frame * (size_t)scene->stride + 1 + 7 * ((size_t)body - 1);
    for (int k = 0; k < 7; k++) x[k] = (double)from[k];
  }
  return (pose){vec3_load(x), quat_load(x + 3)};
}

static void include_ends(const hn_scene *scene, const hn_scene_link *link, extent *e) {
  for (int k = 0; k < 2; k++) {
    const pose body = pose_of(scene, 0, link->body[k]);
    include_point(e, vec3_add(body.r, mat3_apply(quat_matrix(quat_unit(body.p)), link->at[k])));
  }
}

// Of the bodies, along each axis and about it.
typedef struct motion {
  extent first, centres; // joints and centers of mass at the start; centers over the run
  double aside[3], tilt[3];
} motion;

static void follow_bodies(const hn_scene *scene, int frame, motion *m) {
  for (int b = 1; b < scene->body_count; b++) {
    const pose start = pose_of(scene, 0, b), now = pose_of(scene, frame, b);
    const hn_quat turn = quat_multiply(now.p, quat_conjugate(start.p));
    const double turned[3] = {turn.x, turn.y, turn.z};
    include_point(&m->centres, now.r);
    if (frame == 0) include_point(&m->first, now.r);
    for (int k = 0; k < 3; k++) {
      m->aside[k] = fmax(m->aside[k], fabs(vec3_get(now.r, k) - vec3_get(start.r, k)));
      m->tilt[k] = fmax(m->tilt[k], fabs(turned[k]));
    }
  }
}

static motion see_motion(const hn_scene *scene) {
  motion m = {.first = nothing, .centres = nothing};
  const int count = scene->frames < INSTANTS ? scene->frames : INSTANTS;
  for (int k = 0; k < scene->joint_count; k++) include_ends(scene, &scene->joints[k], &m.first);
  for (int k = 0; k < scene->force_count; k++)
    if (scene->forces[k].look[0] != '\0') include_ends(scene, &scene->forces[k], &m.first);
  for (int k = 0; k < count; k++)
    follow_bodies(scene, count > 1 ? (int)((long)k * (scene->frames - 1) / (count - 1)) : 0, &m);
  return m;
}

int hn_scene_is_plane(const hn_scene *scene, hn_vec3 *normal) {
  if (scene->frames < 1 || scene->body_count < 2) return 0;
  const motion m = see_motion(scene);
  double way = vec3_norm(
      vec3(length_along(&m.first, 0), length_along(&m.first, 1), length_along(&m.first, 2)));
  double unit[3] = {0, 0, 0};
  int found = 0;
  for (int k = 0; k < 3; k++) way = fmax(way, m.aside[k]);
  for (int k = 0; k < 3; k++) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    const double size = fmax(fmax(length_along(&m.first, i), length_along(&m.first, j)), 1e-9);
    unit[k] = m.aside[k] <= ASIDE * way && m.tilt[i] <= TILT && m.tilt[j] <= TILT &&
              length_along(&m.centres, k) <= THIN * size;
    found += unit[k] > 0;
  }
  *normal = vec3_load(unit);
  return found == 1 && way > 0;
}
