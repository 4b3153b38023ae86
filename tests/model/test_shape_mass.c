// Mass, center and inertia of solids and closed meshes, against textbook formulas, other solids that
// make the same body, and an independent quadrature.
#include <stdio.h>

#include "holon/scene.h"
#include "math/euler.h"
#include "model/mesh.h"
#include "model/meshes.h"

static hn_mass_properties mass_of(const hn_shape_def *shape, double density) {
  hn_mass_properties mass = {0};
  hn_error error = {0};
  if (hn_shape_mass(shape, density, &mass, &error)) fail_msg("%s", error.message);
  return mass;
}

static hn_mass_properties mass_of_mesh(const hn_mesh *mesh) {
  hn_shape_def shape = hn_default_shape(HN_SHAPE_MESH);
  shape.mesh = mesh;
  return mass_of(&shape, 1);
}

static void box_cylinder_and_sphere_have_textbook_moments(void **state) {
  (void)state;
  hn_shape_def box = hn_default_shape(HN_SHAPE_BOX);
  box.size = vec3(2, 3, 5);
  hn_mass_properties m = mass_of(&box, 4);
  check_near(m.mass, 120, 1e-12);
  check_near_many(m.inertia, ((double[]){340, 290, 130, 0, 0, 0}), 6, 1e-10);
  hn_shape_def bar = hn_default_shape(HN_SHAPE_CYLINDER);
  bar.radius = 2;
  bar.length = 6;
  m = mass_of(&bar, 3); // m = 72 pi; J = m (3 r^2 + l^2)/12 = 4 m, m r^2/2 = 2 m
  check_near(m.mass, 72 * HN_PI, 1e-10);
  check_near_many(m.inertia, ((double[]){4 * m.mass, 4 * m.mass, 2 * m.mass, 0, 0, 0}), 6, 1e-9);
  bar.type = HN_SHAPE_WHEEL;
  check_mass(
      &m,
      &(hn_mass_properties){mass_of(&bar, 3).mass, {0, 0, 0}, {4 * m.mass, 4 * m.mass, 2 * m.mass}},
      1e-14);
  hn_shape_def ball = hn_default_shape(HN_SHAPE_SPHERE);
  ball.radius = 0.5;
  m = mass_of(&ball, 6 / HN_PI); // 1 kg
  check_near(m.mass, 1, 1e-14);
  check_near_many(m.inertia, ((double[]){0.1, 0.1, 0.1, 0, 0, 0}), 6, 1e-14);
}

// A capsule is a cylinder and two half spheres; of a half sphere about its own center of mass
// J = 83/320 m r^2, the center 3/8 r from the flat side.
static void a_capsule_is_a_cylinder_and_two_half_spheres(void **state) {
  (void)state;
  double r = 0.3, l = 1.1, v = 2 * HN_PI / 3 * r * r * r;
  hn_shape_def capsule = hn_default_shape(HN_SHAPE_CAPSULE);
  capsule.radius = r;
  capsule.length = l;
  hn_mass_properties parts[3] = {{0}};
  parts[0].mass = HN_PI * r * r * l;
  parts[0].inertia[0] = parts[0].inertia[1] = parts[0].mass * (3 * r * r + l * l) / 12;
  parts[0].inertia[2] = parts[0].mass * r * r / 2;
  for (int k = 1; k < 3; k++) {
    parts[k].mass = v;
    parts[k].center.z = (k == 1 ? 1 : -1) * (l / 2 + 3 * r / 8);
    parts[k].inertia[0] = parts[k].inertia[1] = 83.0 / 320 * v * r * r;
    parts[k].inertia[2] = 0.4 * v * r * r;
  }
  hn_mass_properties expected = hn_mass_sum(parts, 3), m = mass_of(&capsule, 1);
  check_mass(&m, &expected, 1e-13);
  capsule.type = HN_SHAPE_LINK;
  m = mass_of(&capsule, 1);
  check_mass(&m, &expected, 1e-13);
}

// An L of two boxes; the corners either way round.
static void an_extruded_l_is_two_boxes(void **state) {
  (void)state;
  double round[12] = {1, 2, 5, 2, 5, 3, 2, 3, 2, 6, 1, 6}, back[12];
  for (int k = 0; k < 6; k++) memcpy(back + 2 * k, round + 2 * (5 - k), 2 * sizeof *back);
  hn_shape_def shape = hn_default_shape(HN_SHAPE_EXTRUSION), box = hn_default_shape(HN_SHAPE_BOX);
  shape.profile = round;
  shape.profile_count = 6;
  shape.length = 0.7;
  hn_mass_properties parts[2];
  box.size = vec3(4, 1, 0.7);
  box.frame.position = vec3(3, 2.5, 0);
  parts[0] = mass_of(&box, 2);
  box.size = vec3(1, 3, 0.7);
  box.frame.position = vec3(1.5, 4.5, 0);
  parts[1] = mass_of(&box, 2);
  hn_mass_properties expected = hn_mass_sum(parts, 2), m = mass_of(&shape, 2);
  check_mass(&m, &expected, 1e-13);
  shape.profile = back;
  m = mass_of(&shape, 2);
  check_mass(&m, &expected, 1e-13);
}

// Moved and turned: the same as the mesh with moved and turned corners.
static void a_placed_box_is_the_mesh_of_its_corners(void **state) {
  (void)state;
  hn_random random = hn_random_seed(11);
  for (int round = 0; round < 5; round++) {
    double q[4];
    hn_random_fill(&random, q, 4, -1, 1);
    hn_shape_def box = hn_default_shape(HN_SHAPE_BOX);
    box.size = vec3(0.4, 1.2, 0.7);
    box.frame.orientation = quat_unit(quat_load(q));
    hn_random_fill(&random, &box.frame.position.x, 3, -2, 2);
    drawn_mesh *m = cube_mesh(0.4, 1.2, 0.7);
    hn_mat3 a = quat_matrix(box.frame.orientation);
    for (int k = 0; k < 8; k++) {
      hn_vec3 corner = vec3_sub(vec3_load(m->vertices + 3 * k), vec3(0.2, 0.6, 0.35));
      vec3_store(m->vertices + 3 * k, vec3_add(box.frame.position, mat3_apply(a, corner)));
    }
    hn_mass_properties expected = measured(&m->mesh), actual = mass_of(&box, 1);
    check_mass(&actual, &expected, 1e-13);
    free(m);
  }
}

static void a_torus_mesh_has_its_exact_integrals(void **state) {
  (void)state;
  drawn_mesh *m = torus_mesh(0.8, 0.25, 60, 30, vec3(3, -2, 1));
  hn_mass_properties actual = mass_of_mesh(&m->mesh), expected = measured(&m->mesh);
  check_mass(&actual, &expected, 1e-12);
  free(m);
  // and goes to the round torus: V = 2 pi^2 R r^2, Jz = m (R^2 + 3/4 r^2)
  double error[2];
  for (int k = 0; k < 2; k++) {
    m = torus_mesh(0.8, 0.25, 60 << k, 30 << k, vec3_zero());
    actual = mass_of_mesh(&m->mesh);
    double volume = 2 * HN_PI * HN_PI * 0.8 * 0.25 * 0.25;
    error[k] = fabs(actual.inertia[2] / (volume * (0.64 + 0.75 * 0.0625)) - 1);
    free(m);
  }
  check_at_most(error[0], 0.03);
  check_near(error[0] / error[1], 4, 0.1); // second order
}

static void a_random_convex_mesh_has_its_exact_integrals(void **state) {
  (void)state;
  hn_random random = hn_random_seed(5);
  for (int round = 0; round < 4; round++) {
    drawn_mesh *m = random_convex_mesh(&random, 24);
    assert_int_equal(m->mesh.triangle_count, 2 * 24 - 4); // Euler
    hn_mass_properties actual = mass_of_mesh(&m->mesh), expected = measured(&m->mesh);
    check_mass(&actual, &expected, 1e-12);
    free(m);
  }
}

// Regular tetrahedron of edge a: V = a^3/(6 sqrt 2), J = m a^2/20 about every axis.
static void a_regular_tetrahedron_is_known(void **state) {
  (void)state;
  drawn_mesh *m = new_mesh();
  put_vertex(m, 1, 1, 1);
  put_vertex(m, 1, -1, -1);
  put_vertex(m, -1, 1, -1);
  put_vertex(m, -1, -1, 1);
  put_triangle(m, 0, 1, 2);
  put_triangle(m, 0, 2, 3);
  put_triangle(m, 0, 3, 1);
  put_triangle(m, 1, 3, 2);
  double a = sqrt(8), volume = a * a * a / (6 * sqrt(2.0)), j = volume * a * a / 20;
  hn_mass_properties expected = {volume, {0, 0, 0}, {j, j, j, 0, 0, 0}};
  hn_mass_properties actual = mass_of_mesh(&m->mesh);
  check_mass(&actual, &expected, 1e-14);
  free(m);
}

static void parts_add_up_to_the_whole(void **state) {
  (void)state;
  hn_shape_def box = hn_default_shape(HN_SHAPE_BOX);
  box.size = vec3(4, 1, 2);
  hn_mass_properties whole = mass_of(&box, 3), parts[2];
  box.size.x = 1;
  box.frame.position.x = -1.5;
  parts[0] = mass_of(&box, 3);
  box.size.x = 3;
  box.frame.position.x = 0.5;
  parts[1] = mass_of(&box, 3);
  hn_mass_properties sum = hn_mass_sum(parts, 2);
  check_mass(&sum, &whole, 1e-14);
  sum = hn_mass_sum(parts, 0);
  check_near(sum.mass, 0, 0);
}

// Two points of 1 kg at +-(1, 2, 3): I = sum m (r.r - r r').
static void parts_in_all_directions_have_products_of_inertia(void **state) {
  (void)state;
  const hn_mass_properties points[2] = {{.mass = 1, .center = {1, 2, 3}},
                                        {.mass = 1, .center = {-1, -2, -3}}};
  const double expected[6] = {26, 20, 10, -4, -6, -12}; // xx yy zz xy xz yz
  const hn_mass_properties sum = hn_mass_sum(points, 2);
  check_near(vec3_norm(sum.center), 0, 0);
  check_near_many(sum.inertia, expected, 6, 1e-14);
}

// ---- what is no solid ---------------------------------------------------------------------------

static void refuse_mesh(const hn_mesh *mesh, const char *part) {
  hn_shape_def shape = hn_default_shape(HN_SHAPE_MESH);
  hn_mass_properties mass;
  hn_error error = {0};
  shape.mesh = mesh;
  check_status(hn_shape_mass(&shape, 1, &mass, &error), HN_ERROR_MODEL);
  check_names(error.message, part);
  assert_string_equal(error.element, "mesh 'drawn.stl'");
  assert_true(error.hint[0] != 0);
}

static void an_open_mesh_is_refused_with_its_hole(void **state) {
  (void)state;
  drawn_mesh *m = cube_mesh(1, 2, 3);
  m->mesh.triangle_count--;
  refuse_mesh(&m->mesh, "3");
  free(m);
}

static void a_mesh_inside_out_is_refused(void **state) {
  (void)state;
  drawn_mesh *m = cube_mesh(1, 2, 3);
  for (int t = 0; t < 12; t++) {
    int kept = m->triangles[3 * t];
    m->triangles[3 * t] = m->triangles[3 * t + 1];
    m->triangles[3 * t + 1] = kept;
  }
  refuse_mesh(&m->mesh, "-6 m^3");
  int kept = m->triangles[0];
  m->triangles[0] = m->triangles[1];
  m->triangles[1] = kept;
  refuse_mesh(&m->mesh, "3");
  free(m);
}

static void a_profile_that_crosses_itself_is_refused(void **state) {
  (void)state;
  const double bow[8] = {0, 0, 1, 1, 1, 0, 0, 1};
  hn_shape_def shape = hn_default_shape(HN_SHAPE_EXTRUSION);
  hn_mass_properties mass;
  hn_error error = {0};
  shape.profile = bow;
  shape.profile_count = 4;
  check_status(hn_shape_mass(&shape, 1, &mass, &error), HN_ERROR_MODEL);
  check_names(error.message, "0 2");
}

// ---- triangles for drawing ----------------------------------------------------------------------

// Every shape becomes a closed surface that faces outwards, with the volume of the solid as far as
// flat triangles can have it.
static void every_shape_is_drawn_as_a_closed_surface(void **state) {
  (void)state;
  static const double star[16] = {0, 2,  0.4,  0.4,  2,  0, 0.4,  -0.4,
                                  0, -2, -0.4, -0.4, -2, 0, -0.4, 0.4};
  drawn_mesh *torus = torus_mesh(1, 0.3, 12, 8, vec3_zero());
  for (int type = 0; type < HN_SHAPE_TYPES; type++) {
    hn_shape_def shape = hn_default_shape((hn_shape_type)type);
    shape.radius = 0.4;
    shape.length = 1.5;
    shape.profile = star;
    shape.profile_count = 8;
    shape.mesh = &torus->mesh;
    double volume = mass_of(&shape, 1).mass;
    hn_mesh *mesh = NULL;
    hn_error error = {0};
    check_ok(hn_shape_triangles(&shape, 128, &mesh, &error));
    if (hn_mesh_check_solid(mesh, &error))
      fail_msg("%s: %s", hn_shape_type_name(shape.type), error.message);
    check_relative(hn_mesh_integrate(mesh).volume, volume, 2e-3);
    hn_mesh_free(mesh);
  }
  free(torus);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(box_cylinder_and_sphere_have_textbook_moments),
      cmocka_unit_test(a_capsule_is_a_cylinder_and_two_half_spheres),
      cmocka_unit_test(an_extruded_l_is_two_boxes),
      cmocka_unit_test(a_placed_box_is_the_mesh_of_its_corners),
      cmocka_unit_test(a_torus_mesh_has_its_exact_integrals),
      cmocka_unit_test(a_random_convex_mesh_has_its_exact_integrals),
      cmocka_unit_test(a_regular_tetrahedron_is_known),
      cmocka_unit_test(parts_add_up_to_the_whole),
      cmocka_unit_test(parts_in_all_directions_have_products_of_inertia),
      cmocka_unit_test(an_open_mesh_is_refused_with_its_hole),
      cmocka_unit_test(a_mesh_inside_out_is_refused),
      cmocka_unit_test(a_profile_that_crosses_itself_is_refused),
      cmocka_unit_test(every_shape_is_drawn_as_a_closed_surface),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
