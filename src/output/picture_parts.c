// Springs as coils, dampers as a cylinder with its rod, bushings as sleeves: triangles between two
// points that move.
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "math/elementary.h"
#include "output/picture.h"

void hn_triangles_add(hn_triangles *t, const hn_corner corner[3], int paint) {
  if (t->has_failed) return;
  if (t->count == t->room) {
    size_t room = t->room ? 2 * t->room : 4096;
    hn_triangle *all = hn_reallocate(NULL, t->all, t->room * sizeof *t->all, room * sizeof *t->all);
    if (!all) {
      t->has_failed = 1;
      return;
    }
    t->all = all;
    t->room = room;
  }
  hn_triangle *one = &t->all[t->count++];
  memcpy(one->corner, corner, sizeof one->corner);
  one->paint = paint;
}

static hn_vec3 of_floats(const float *v) { return vec3((double)v[0], (double)v[1], (double)v[2]); }

void hn_triangles_add_surface(hn_triangles *t, const hn_surface *s, const hn_pose *pose,
                              int paint) {
  for (int k = 0; k < s->triangle_count; k++) {
    hn_corner corner[3];
    for (int c = 0; c < 3; c++) {
      size_t v = 3 * (size_t)s->indices[3 * (size_t)k + (size_t)c];
      corner[c].at = hn_pose_point(pose, of_floats(s->positions + v));
      corner[c].normal = mat3_apply(pose->r, of_floats(s->normals + v));
    }
    hn_triangles_add(t, corner, paint);
  }
}

// ---- tubes --------------------------------------------------------------------------------------

#define SIDES 10

typedef struct ring {
  hn_vec3 at, x, y; // its middle and the directions it lies in
  double radius;
} ring;

static hn_corner on_ring(const ring *r, int side) {
  double angle = 2 * HN_PI * side / SIDES;
  hn_vec3 d = vec3_add(vec3_scale(hn_cos(angle), r->x), vec3_scale(hn_sin(angle), r->y));
  return (hn_corner){vec3_add_scaled(r->at, r->radius, d), d};
}

static void join(hn_triangles *t, const ring *a, const ring *b, int paint) {
  for (int k = 0; k < SIDES; k++) {
    hn_corner p = on_ring(a, k), q = on_ring(a, k + 1), u = on_ring(b, k), v = on_ring(b, k + 1);
    hn_triangles_add(t, (hn_corner[]){p, q, v}, paint);
    hn_triangles_add(t, (hn_corner[]){p, v, u}, paint);
  }
}

static void close_end(hn_triangles *t, const ring *r, hn_vec3 normal, int paint) {
  for (int k = 0; k < SIDES; k++) {
    hn_corner corner[3] = {{r->at, normal}, on_ring(r, k), on_ring(r, k + 1)};
    corner[1].normal = corner[2].normal = normal;
    hn_triangles_add(t, corner, paint);
  }
}

static hn_vec3 across(hn_vec3 d) {
  hn_vec3 e = fabs(d.x) < 0.7 ? vec3(1, 0, 0) : vec3(0, 1, 0);
  return vec3_unit(vec3_add_scaled(e, -vec3_dot(e, d), d));
}

static void add_rod(hn_triangles *t, hn_vec3 from, hn_vec3 to, double radius, int paint) {
  hn_vec3 d = vec3_unit(vec3_sub(to, from)), x = across(d), y = vec3_cross(d, x);
  ring a = {from, x, y, radius}, b = {to, x, y, radius};
  join(t, &a, &b, paint);
  close_end(t, &a, vec3_scale(-1, d), paint);
  close_end(t, &b, d, paint);
}

// ---- parts --------------------------------------------------------------------------------------

// The wire follows the helix; its ring lies across the wire.
static void add_coil(hn_triangles *t, hn_vec3 from, hn_vec3 to, double radius, int paint) {
  enum { turns = 7, steps = 18 };
  hn_vec3 arm = vec3_sub(to, from), d = vec3_unit(arm), x = across(d), y = vec3_cross(d, x);
  double length = vec3_norm(arm), wire = fmin(0.17 * radius, 0.35 * length / turns);
  ring before = {0};
  for (int k = 0; k <= turns * steps; k++) {
    double u = (double)k / (turns * steps), angle = 2 * HN_PI * turns * u;
    hn_vec3 out = vec3_add(vec3_scale(hn_cos(angle), x), vec3_scale(hn_sin(angle), y));
    hn_vec3 on = vec3_add_scaled(vec3_add_scaled(from, u, arm), radius, out);
    hn_vec3 along = vec3_add(vec3_scale(length / (2 * HN_PI * turns), d),
                             vec3_scale(radius, vec3_cross(d, out)));
    ring now = {on, out, vec3_cross(vec3_unit(along), out), wire};
    if (k > 0) join(t, &before, &now, paint);
    before = now;
  }
}

void hn_draw_strut(hn_triangles *t, const char *look, hn_vec3 from, hn_vec3 to, double size,
                   double rest, const int paints[3]) {
  hn_vec3 arm = vec3_sub(to, from);
  double length = vec3_norm(arm), radius = fmin(0.022 * size, 0.12 * rest);
  int has_coil = strncmp(look, "spring", 6) == 0;
  int has_barrel = strstr(look, "damper") != NULL || strcmp(look, "actuator") == 0;
  if (!(length > 1e-6 * size)) return;
  if (has_barrel) {
    double share = fmin(0.55 * rest / length, 0.9), wide = has_coil ? 0.5 : 0.75;
    add_rod(t, from, vec3_add_scaled(from, share, arm), wide * radius, paints[1]);
    add_rod(t, vec3_add_scaled(from, 0.5 * share, arm), to, 0.4 * wide * radius, paints[2]);
  }
  if (has_coil) add_coil(t, from, to, radius, paints[0]);
}

void hn_draw_sleeve(hn_triangles *t, hn_vec3 at, hn_vec3 axis, double size, int paint) {
  hn_vec3 half = vec3_scale(0.012 * size, vec3_norm(axis) > 0 ? vec3_unit(axis) : vec3(0, 1, 0));
  add_rod(t, vec3_sub(at, half), vec3_add(at, half), 0.014 * size, paint);
}
