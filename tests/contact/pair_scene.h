// Two bodies with a shape each: their points at random positions, and the derivatives of these against
// differences.
#ifndef TESTS_CONTACT_PAIR_SCENE_H
#define TESTS_CONTACT_PAIR_SCENE_H

#include <math.h>
#include <stdio.h>

#include "contact/contact.h"
#include "support/check.h"

typedef struct scene {
  hn_model *model;
  hn_arena arena;
  hn_contacts *contacts;
  hn_frame frames[3];
} scene;

static inline hn_shape_def shape_of(hn_shape_type type, hn_touch_kind touch, int body) {
  hn_shape_def s = hn_default_shape(type);
  s.touch = touch;
  s.frame.body = body;
  s.frame.position = vec3(0.02, -0.03, 0.01);
  s.frame.orientation = quat_unit((hn_quat){1, 0.1 * body, -0.2, 0.3});
  s.size = vec3(0.3, 0.4, 0.5);
  s.radius = 0.12;
  s.length = 0.4;
  return s;
}

static inline scene scene_of(const hn_shape_def *first, const hn_shape_def *second) {
  scene s = {0};
  check_ok(hn_model_create(NULL, &s.model));
  for (int k = 1; k <= 2; k++) {
    hn_body_def body = hn_default_body();
    body.name = k == 1 ? "one" : "two";
    check_ok(hn_model_add_body(s.model, &body, NULL));
  }
  int ids[2];
  check_ok(hn_model_add_shape(s.model, first, &ids[0]));
  check_ok(hn_model_add_shape(s.model, second, &ids[1]));
  hn_contact_def rule = hn_default_contact();
  rule.name = "touch";
  rule.shapes1 = &ids[0];
  rule.shapes2 = &ids[1];
  rule.count1 = rule.count2 = 1;
  check_ok(hn_model_add_contact(s.model, &rule, NULL));
  if (hn_model_finish(s.model)) fail_msg("%s", hn_model_error(s.model)->message);
  hn_arena_init(&s.arena, NULL);
  hn_error error = {0};
  if (hn_contacts_create(&s.arena, s.model, &s.contacts, &error)) fail_msg("%s", error.message);
  assert_int_equal(s.contacts->pair_count, 1);
  hn_frame_of_ground(&s.frames[0]);
  return s;
}

static inline void scene_free(scene *s) {
  hn_arena_release(&s->arena);
  hn_model_free(s->model);
}

static inline hn_vec3 random_vector(hn_random *random, double size) {
  double x[3];
  hn_random_fill(random, x, 3, -size, size);
  return vec3_load(x);
}

static inline hn_quat turned(hn_quat p, hn_vec3 rotation) {
  double angle = vec3_norm(rotation);
  hn_vec3 u = angle > 0 ? vec3_scale(sin(angle / 2) / angle, rotation) : vec3_zero();
  return quat_multiply((hn_quat){cos(angle / 2), u.x, u.y, u.z}, p);
}

static inline hn_frame moved(const hn_frame *f, hn_vec3 way, hn_vec3 rotation) {
  hn_frame g = *f;
  g.r = vec3_add(f->r, way);
  g.p = turned(f->p, rotation);
  g.a = quat_matrix(g.p);
  return g;
}

static inline void place_at_random(scene *s, hn_random *random, double distance) {
  for (int b = 1; b <= 2; b++) {
    hn_frame *f = &s->frames[b];
    hn_frame_of_ground(f);
    *f = moved(f, random_vector(random, 0.1), random_vector(random, 1.5));
    f->v = random_vector(random, 1);
    f->w = random_vector(random, 2);
  }
  s->frames[2].r =
      vec3_add(s->frames[1].r, vec3_scale(distance, vec3_unit(random_vector(random, 1))));
}

static inline int points_at(const scene *s, int mode, const hn_frame *frames, hn_contact_want want,
                            hn_contact_point *points) {
  return hn_contact_points(s->contacts, s->contacts->pairs, mode, frames, want, points);
}

static inline const hn_contact_point *same_point(const hn_contact_point *points, int count,
                                                 int feature) {
  for (int k = 0; k < count; k++)
    if (points[k].feature == feature) return &points[k];
  return NULL;
}

// Gap, normal and place against each of twelve small motions.
static inline int check_derivatives(const scene *s, int mode, const hn_contact_point *p,
                                    double tolerance) {
  const double h = 1e-5;
  const int *body = s->contacts->pairs->body;
  for (int k = 0; k < 12; k++) {
    hn_contact_point at[2][HN_CONTACT_POINTS];
    const hn_contact_point *side[2];
    hn_vec3 e = vec3(k % 3 == 0, k % 3 == 1, k % 3 == 2);
    for (int i = 0; i < 2; i++) {
      hn_frame frames[3] = {s->frames[0], s->frames[1], s->frames[2]};
      hn_vec3 step = vec3_scale(i ? h : -h, e), none = vec3_zero();
      hn_frame *f = &frames[body[k / 6]];
      *f = k % 6 < 3 ? moved(f, step, none) : moved(f, none, step);
      int count = points_at(s, mode, frames, HN_CONTACT_PLACES, at[i]);
      side[i] = same_point(at[i], count, p->feature);
      if (!side[i]) return 0; // it left the face
    }
    hn_vec3 arm = vec3_sub(p->point, s->frames[body[k / 6]].r);
    hn_vec3 motion = k % 6 < 3 ? e : vec3_cross(e, arm);
    double gap_d = (k < 6 ? -1 : 1) * vec3_dot(p->normal, motion);
    check_near((side[1]->gap - side[0]->gap) / (2 * h), gap_d, tolerance);
    for (int i = 0; i < 3; i++) {
      double dn = (vec3_get(side[1]->normal, i) - vec3_get(side[0]->normal, i)) / (2 * h);
      double dc = (vec3_get(side[1]->point, i) - vec3_get(side[0]->point, i)) / (2 * h);
      check_near(p->normal_d[i][k], dn, tolerance * (1 + fabs(dn)));
      check_near(p->point_d[i][k], dc, tolerance * (1 + fabs(dc)));
    }
  }
  return 1;
}

// Bodies that keep their speeds: the gap is a function of time whose second derivative is gap_rest.
static inline void check_acceleration(const scene *s, int mode, const hn_contact_point *p) {
  const double h = 1e-5; // short: curvature of height fields jumps between cells
  const int *body = s->contacts->pairs->body;
  double gap[3] = {p->gap, p->gap, p->gap};
  for (int i = -1; i <= 1; i++) {
    hn_frame frames[3] = {s->frames[0], s->frames[1], s->frames[2]};
    for (int b = 1; b <= 2; b++)
      frames[b] = moved(&s->frames[b], vec3_scale(i * h, s->frames[b].v),
                        vec3_scale(i * h, s->frames[b].w));
    hn_contact_point points[HN_CONTACT_POINTS];
    const hn_contact_point *q =
        same_point(points, points_at(s, mode, frames, HN_CONTACT_PLACES, points), p->feature);
    if (!q) return;
    gap[i + 1] = q->gap;
  }
  hn_contact_motion m = hn_contact_motion_of(p, &s->frames[body[0]], &s->frames[body[1]]);
  check_near(m.gap_rate, (gap[2] - gap[0]) / (2 * h), 2e-5 * (1 + fabs(m.gap_rest) * 10));
  check_near(m.gap_rest, (gap[2] - 2 * gap[1] + gap[0]) / (h * h), 2e-3 * (1 + fabs(m.gap_rest)));
}

static inline void check_pair(const hn_shape_def *first, const hn_shape_def *second, double near,
                              double far, int least) {
  scene s = scene_of(first, second);
  hn_random random = hn_random_seed(7);
  int checked = 0;
  for (int trial = 0; trial < 60; trial++) {
    place_at_random(&s, &random, hn_random_uniform(&random, near, far));
    int mode = hn_contact_mode(s.contacts, s.contacts->pairs, s.frames, 1);
    if (s.contacts->pairs->body[0] == HN_GROUND) { // the first body is ground
      s.frames[2].r = vec3_sub(s.frames[2].r, s.frames[1].r);
      mode = hn_contact_mode(s.contacts, s.contacts->pairs, s.frames, 1);
    }
    if (mode == HN_CONTACT_APART) continue;
    assert_in_range(mode, 0, hn_contact_modes(s.contacts, s.contacts->pairs) - 1);
    hn_contact_point points[HN_CONTACT_POINTS];
    int count = points_at(&s, mode, s.frames, HN_CONTACT_DERIVATIVES, points);
    for (int k = 0; k < count; k++) {
      if (!points[k].is_inside) continue;
      checked += check_derivatives(&s, mode, &points[k], 2e-4);
      check_acceleration(&s, mode, &points[k]);
    }
  }
  scene_free(&s);
  if (checked < least) fail_msg("only %d points were compared", checked);
}

static inline hn_shape_def curve_of(const double *points, int count, int is_spline, int is_hollow,
                                    int body) {
  static const double profile[] = {0, 0, 1, 0, 0, 1};
  hn_shape_def s = shape_of(HN_SHAPE_EXTRUSION, HN_TOUCH_CURVE, body);
  s.profile = profile;
  s.profile_count = 3;
  s.curve = points;
  s.curve_count = count;
  s.curve_is_closed = 1;
  s.curve_is_spline = is_spline;
  s.curve_is_hollow = is_hollow;
  return s;
}

#endif
