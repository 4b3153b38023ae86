// Hulls of many faces. Two of them: bounds skip most faces, and leave the result of a search through
// all faces and all pairs of edges. Corners that are rounded, as in mesh files, give a closed surface
// with few faces all the same.
#include "contact/geometry.h"
#include "contact/pair_scene.h"

enum { CORNERS = 40 };

// A prism over a polygon of many corners, long and thin or flat.
static hn_shape_def prism(int body, double length, double *profile) {
  hn_shape_def s = shape_of(HN_SHAPE_EXTRUSION, HN_TOUCH_SOLID, body);
  for (int k = 0; k < CORNERS; k++) {
    const double angle = 2 * HN_PI * k / CORNERS;
    profile[2 * k] = 0.3 * cos(angle);
    profile[2 * k + 1] = (0.2 + 0.1 * body) * sin(angle);
  }
  s.profile = profile;
  s.profile_count = CORNERS;
  s.length = length;
  return s;
}

typedef struct polyhedron {
  hn_vec3 corners[2 * CORNERS], normals[CORNERS + 2], edges[3 * CORNERS];
  int corner_count, normal_count, edge_count;
} polyhedron;

static polyhedron see(const scene *s, int k) {
  const hn_contact_shape *shape = &s->contacts->shapes[s->contacts->pairs->shape[k]];
  const hn_frame *f = &s->frames[s->contacts->pairs->body[k]];
  const hn_hull *h = shape->hull;
  polyhedron p = {.corner_count = h->vertex_count,
                  .normal_count = h->face_count,
                  .edge_count = h->edge_count};
  const hn_mat3 axes = mat3_multiply(f->a, shape->axes);
  const hn_vec3 at = vec3_add(f->r, mat3_apply(f->a, shape->at));
  for (int i = 0; i < h->vertex_count; i++)
    p.corners[i] = vec3_add(at, mat3_apply(axes, h->vertices[i]));
  for (int i = 0; i < h->face_count; i++) p.normals[i] = mat3_apply(axes, h->normals[i]);
  for (int i = 0; i < h->edge_count; i++)
    p.edges[i] = vec3_unit(vec3_sub(p.corners[h->edges[i][1]], p.corners[h->edges[i][0]]));
  return p;
}

// How far the second lies beyond the first along n.
static double apart(const polyhedron *a, const polyhedron *b, hn_vec3 n) {
  double top = -HUGE_VAL, bottom = HUGE_VAL;
  for (int k = 0; k < a->corner_count; k++) top = fmax(top, vec3_dot(n, a->corners[k]));
  for (int k = 0; k < b->corner_count; k++) bottom = fmin(bottom, vec3_dot(n, b->corners[k]));
  return bottom - top;
}

typedef struct direction {
  hn_vec3 n;
  double apart;
} direction;

static void try_direction(const polyhedron *a, const polyhedron *b, hn_vec3 n, direction *best) {
  const double d = apart(a, b, n);
  if (d > best->apart) *best = (direction){n, d};
}

static direction furthest_apart(const polyhedron *a, const polyhedron *b) {
  direction best = {vec3_zero(), -HUGE_VAL};
  for (int k = 0; k < a->normal_count; k++) try_direction(a, b, a->normals[k], &best);
  for (int k = 0; k < b->normal_count; k++) try_direction(a, b, vec3_negate(b->normals[k]), &best);
  for (int i = 0; i < a->edge_count; i++)
    for (int j = 0; j < b->edge_count; j++) {
      const hn_vec3 n = vec3_cross(a->edges[i], b->edges[j]);
      if (vec3_norm(n) < 1e-6) continue;
      try_direction(a, b, vec3_unit(n), &best);
      try_direction(a, b, vec3_negate(vec3_unit(n)), &best);
    }
  return best;
}

// The second body moves until the best direction shows a depth of 5 mm: the deepest point is as deep.
// Faces come first within a thousandth of the size.
static void deepest_point_is_that_of_all_directions(void **state) {
  (void)state;
  double profiles[2][2 * CORNERS];
  const hn_shape_def first = prism(1, 0.9, profiles[0]), second = prism(2, 0.05, profiles[1]);
  scene s = scene_of(&first, &second);
  hn_random random = hn_random_seed(11);
  for (int trial = 0; trial < 25; trial++) {
    direction best;
    place_at_random(&s, &random, hn_random_uniform(&random, 0.3, 0.9));
    for (int k = 0; k < 4; k++) {
      const polyhedron a = see(&s, 0), b = see(&s, 1);
      best = furthest_apart(&a, &b);
      if (k < 3)
        s.frames[2].r = vec3_add_scaled(s.frames[2].r, -0.005 - best.apart, best.n);
    }
    hn_contact_point points[HN_CONTACT_POINTS];
    const int mode = hn_contact_mode(s.contacts, s.contacts->pairs, s.frames, HUGE_VAL);
    const int count = points_at(&s, mode, s.frames, 0, points);
    double least = HUGE_VAL;
    for (int k = 0; k < count; k++)
      if (points[k].is_inside) least = fmin(least, points[k].gap);
    check_near(least, best.apart, 1e-3);
  }
  scene_free(&s);
}

// A bar of 24 faces with corners in rows along it, each rounded to single precision after a rotation:
// the corners of a face lie in a plane within 1e-7.
static void rounded_corners_give_plane_faces(void **state) {
  (void)state;
  enum { SIDES = 22, ROWS = 12 };
  hn_arena arena;
  hn_arena_init(&arena, NULL);
  hn_random random = hn_random_seed(5);
  for (int trial = 0; trial < 40; trial++) {
    hn_vec3 points[SIDES * ROWS];
    const hn_mat3 turn = quat_matrix(turned((hn_quat){1, 0, 0, 0}, random_vector(&random, 2)));
    for (int k = 0; k < SIDES * ROWS; k++) {
      const double angle = 2 * HN_PI * (k % SIDES) / SIDES, along = 0.02 * (k / SIDES);
      const hn_vec3 x = mat3_apply(turn, vec3(0.05 * cos(angle), 0.03 * sin(angle), along));
      points[k] = vec3((double)(float)x.x, (double)(float)x.y, (double)(float)x.z);
    }
    hn_hull *h = NULL;
    check_ok(hn_hull_make(&arena, points, SIDES * ROWS, &h));
    assert_int_equal(h->vertex_count + h->face_count - h->edge_count, 2);
    for (int f = 0; f < h->face_count; f++)
      for (int k = 0; k < SIDES * ROWS; k++)
        if (vec3_dot(h->normals[f], points[k]) - h->offsets[f] > 1e-5)
          fail_msg("trial %d: a corner lies outside a face", trial);
  }
  hn_arena_release(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(rounded_corners_give_plane_faces),
                                     cmocka_unit_test(deepest_point_is_that_of_all_directions)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
