// Shapes in model files: where they are, in mirrored components too, and what they weigh.
#include <math.h>

#include "formats/loading.h"
#include "math/euler.h"

static void a_shape_never_changes_the_motion(void **state) {
  (void)state;
  hn_model *plain = load_text("bodies:\n  b: {mass: 2, center: [1, 0, 0], inertia: [1, 1, 1]}\n");
  hn_model *shown = load_text("bodies:\n"
                              "  b: {mass: 2, center: [1, 0, 0], inertia: [1, 1, 1],\n"
                              "      shape: {box: [1, 2, 3], color: red, opacity: 0.25}}\n");
  assert_true(hn_model_hash(plain) == hn_model_hash(shown));
  assert_int_equal(hn_model_shape_count(plain), 0);
  assert_int_equal(hn_model_shape_count(shown), 1);
  const hn_shape_def *box = hn_model_shape(shown, 0);
  assert_int_equal(box->type, HN_SHAPE_BOX);
  assert_int_equal(box->color, 0xff0000);
  check_near(box->transparency, 0.75, 1e-15);
  check_vec3(box->size, 1, 2, 3, 0);
  check_vec3(box->frame.position, 0, 0, 0, 1e-15); // at the center of mass
  hn_model_free(plain);
  hn_model_free(shown);
}

static void every_kind_is_where_it_was_written(void **state) {
  (void)state;
  hn_model *m = load_text("bodies:\n"
                          "  b:\n"
                          "    mass: 1\n"
                          "    position: [1, 0, 0]\n"
                          "    center: [0, 0, 1]\n"
                          "    markers: {tip: [0, 2, 0]}\n"
                          "    shapes:\n"
                          "      - {sphere: 5 cm, at: b.tip}\n"
                          "      - {link: {from: [0, 0, 0], to: b.tip, radius: 0.1}}\n"
                          "      - {cylinder: {radius: 1, length: 4, axis: x}}\n"
                          "      - {wheel: {radius: 0.4}}\n"
                          "      - {extrusion: {profile: [[0, 0], [1, 0], [0, 1]], length: 2},\n"
                          "         at: [0, 0, 0], orientation: {x: x, y: z}, color: \"#123\"}\n"
                          "      - {capsule: {radius: 1, length: 4}}\n"
                          "  ground: {shape: {box: [1, 1, 1], at: [0, 0, -1]}}\n");
  assert_int_equal(hn_model_shape_count(m), 7);
  const hn_shape_def *s = hn_model_shape(m, 0);
  check_vec3(s->frame.position, 0, 2, -1, 1e-15);
  check_near(s->radius, 0.05, 1e-15);
  s = hn_model_shape(m, 1);
  check_vec3(s->frame.position, 0, 1, -1, 1e-15);
  check_near(s->length, 2, 1e-15);
  hn_vec3 z = mat3_column(quat_matrix(s->frame.orientation), 2);
  check_vec3(z, 0, 1, 0, 1e-15);
  z = mat3_column(quat_matrix(hn_model_shape(m, 2)->frame.orientation), 2);
  check_vec3(z, 1, 0, 0, 1e-15);
  s = hn_model_shape(m, 3);
  z = mat3_column(quat_matrix(s->frame.orientation), 2);
  check_near(fabs(z.y), 1, 1e-15);
  check_near(s->length, 0.2, 1e-15);
  s = hn_model_shape(m, 4);
  assert_int_equal(s->color, 0x112233);
  assert_int_equal(s->profile_count, 3);
  hn_vec3 y = mat3_column(quat_matrix(s->frame.orientation), 1);
  check_vec3(y, 0, 0, 1, 1e-15);
  assert_int_equal(hn_model_shape(m, 6)->frame.body, HN_GROUND);
  hn_model_free(m);
}

// A rod with a ball at its end: mass, center and inertia by hand.
static void density_gives_mass_centre_and_inertia(void **state) {
  (void)state;
  hn_model *m = load_text("bodies:\n"
                          "  b:\n"
                          "    density: 2\n"
                          "    position: [5, 0, 0]\n"
                          "    markers: {end: [1, 0, 0]}\n"
                          "    shapes:\n"
                          "      - {box: [2, 1, 1]}\n"
                          "      - {box: [1, 1, 1], at: b.end, density: 6}\n"
                          "      - {sphere: 100, density: 0}\n"
                          "joints:\n"
                          "  j: {type: revolute, bodies: [ground, b], at: [5, 0, 0], axis: y}\n");
  const hn_body_def *b = &m->bodies[1];
  check_near(b->mass, 4 + 6, 1e-14);
  check_vec3(b->position, 5.6, 0, 0, 1e-14);
  // about the common center: 4 (4 + 1)/12 + 4 0.6^2, 6/6 + 6 0.4^2 about y and z
  double across = 20.0 / 12 + 4 * 0.36 + 1 + 6 * 0.16, along = 4.0 / 6 + 1;
  check_near_many(b->inertia, ((double[]){along, across, across, 0, 0, 0}), 6, 1e-13);
  check_vec3(m->joints[0].frame2.position, -0.6, 0, 0, 1e-14);
  check_vec3(hn_model_shape(m, 1)->frame.position, 0.4, 0, 0, 1e-14);
  hn_model_free(m);
}

// tests/formats/files/tetra.yaml twice: the mirrored part is the mirror image in every number.
static void a_mesh_in_a_mirrored_component_is_mirrored(void **state) {
  (void)state;
  hn_model *m = load_text("components:\n"
                          "  left: {use: tetra.yaml}\n"
                          "  right: {use: tetra.yaml, mirror: y}\n");
  const hn_body_def *left = &m->bodies[1], *right = &m->bodies[2];
  check_near(left->mass, 1, 1e-14); // 1 2 3 / 6
  check_near(right->mass, 1, 1e-14);
  check_vec3(right->position, left->position.x, -left->position.y, left->position.z, 1e-14);
  // S J S of the tensor in the world
  hn_mat3 j[2];
  for (int k = 0; k < 2; k++) {
    hn_mat3 a = quat_matrix(m->bodies[k + 1].orientation);
    j[k] = mat3_multiply(
        a, mat3_multiply(mat3_symmetric(m->bodies[k + 1].inertia), mat3_transpose(a)));
  }
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++)
      check_near(j[1].m[r][c], ((r == 1) != (c == 1) ? -1 : 1) * j[0].m[r][c], 1e-14);
  // every vertex of the mirrored shape is the image of one
  for (int v = 0; v < 4; v++) {
    hn_vec3 p[2];
    for (int k = 0; k < 2; k++) {
      const hn_shape_def *s = hn_model_shape(m, k);
      const hn_body_def *b = &m->bodies[k + 1];
      hn_vec3 x = vec3_load(s->mesh->vertices + 3 * v);
      x = vec3_add(s->frame.position, mat3_apply(quat_matrix(s->frame.orientation), x));
      p[k] = vec3_add(b->position, mat3_apply(quat_matrix(b->orientation), x));
    }
    check_vec3(p[1], p[0].x, -p[0].y, p[0].z, 1e-14);
  }
  hn_model_free(m);
}

static void a_solid_is_drawn_too(void **state) {
  (void)state;
  hn_model *m =
      load_text("bodies:\n"
                "  b: {density: 3, solid: {cylinder: {radius: 2, length: 5, axis: y}}}\n");
  assert_int_equal(hn_model_shape_count(m), 1);
  const hn_shape_def *s = hn_model_shape(m, 0);
  assert_int_equal(s->type, HN_SHAPE_CYLINDER);
  check_near(fabs(mat3_column(quat_matrix(s->frame.orientation), 2).y), 1, 1e-15);
  hn_model_free(m);
}

static void mistakes_are_told(void **state) {
  (void)state;
  refuse_text("bodies:\n  b: {mass: 1, shape: {color: red}}\n", 2, "'b'");
  refuse_text("bodies:\n  b: {mass: 1, shape: {sphere: 1, opacity: 30}}\n", 2, "0 1");
  refuse_text("bodies:\n  b: {mass: 1, shape: {box: [1, 0, 1]}}\n", 2, "0");
  refuse_text("bodies:\n  b: {mass: 1, shape: {box: [1, 1, 1], color: rde}}\n", 2, "'red'");
  refuse_text("bodies:\n  b: {mass: 1, shape: {sphere: 1, box: [1, 1, 1]}}\n", 2, "'b' 'sphere'");
  refuse_text("bodies:\n  b: {density: 1, mass: 1, shape: {sphere: 1}}\n", 2, "'mass' 'density'");
  refuse_text("bodies:\n  b: {density: 1, center: [0, 0, 0], shape: {sphere: 1}}\n", 2,
              "'center' 'density'");
  refuse_text("bodies:\n  b: {density: 1, shape: {sphere: 1, at: b.center}}\n", 2, "'b'");
  refuse_text("bodies:\n  b: {density: -1, shape: {sphere: 1}}\n", 2, "-1 kg/m^3");
  refuse_text("bodies:\n  b: {shape: {sphere: 1, density: 0}}\n", 2, "'b'");
  refuse_text("bodies:\n  b: {mass: 1, shape: {link: {from: [0, 0, 0], to: [0, 0, 0]}}}\n", 2, "0");
  refuse_text("bodies:\n  b: {mass: 1, shape: {mesh: /etc/x.stl}}\n", 2, "'b' '/etc/x.stl'");
  refuse_text("bodies:\n  b: {mass: 1, shape: {sphere: 1}, shapes: [{sphere: 1}]}\n", 2,
              "'shape' 'shapes'");
  refuse_text("bodies:\n  ground: {shape: {sphere: 1, density: 1}}\n", 2, "'ground'");
  refuse_text("bodies:\n  b: {mass: 1, shape: {extrusion: {length: 1,\n"
              "      profile: [[0, 0], [1, 1], [1, 0], [0, 1]]}}}\n",
              3, "'b'");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_shape_never_changes_the_motion),
      cmocka_unit_test(every_kind_is_where_it_was_written),
      cmocka_unit_test(density_gives_mass_centre_and_inertia),
      cmocka_unit_test(a_mesh_in_a_mirrored_component_is_mirrored),
      cmocka_unit_test(a_solid_is_drawn_too),
      cmocka_unit_test(mistakes_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
