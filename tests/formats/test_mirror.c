// Components mirrored and placed: the mirrored model moves like the mirror image of the model.
// Every joint, driver and force is evaluated at random positions and velocities of the bodies, once
// as written and once in the image; constraint residuals, coordinates and wrenches must be images
// of each other. A point x goes to L x + p, a velocity to L v, an angular velocity or torque to
// det(L) L w.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "elements/elements.h"
#include "elements/joints.h"
#include "holon/load.h"
#include "support/check.h"

#define BODIES 3 // with ground

typedef struct image {
  hn_mat3 l; // L
  hn_vec3 p;
  hn_vec3 s;     // mirroring of body axes: A' = L A S
  double parity; // det L
} image;

typedef struct machine {
  hn_model *model;
  hn_arena arena;
  hn_elements *elements;
  hn_frame frames[BODIES];
  double turns[64];
} machine;

static machine load(const char *component) {
  machine m;
  hn_error error = {0};
  char text[400];
  snprintf(text, sizeof text, "components: {c: {%s}}\n", component);
  if (hn_model_load_text(text, strlen(text), "tests/formats/files/main.yaml", NULL, &m.model,
                         &error))
    fail_msg("%s:%d:%d: %s %s", error.file, error.line, error.column, error.element, error.message);
  hn_arena_init(&m.arena, NULL);
  check_ok(hn_elements_create(&m.arena, m.model, &m.elements, &error));
  assert_true(m.elements->turn_count <= 64);
  return m;
}

static void release(machine *m) {
  hn_arena_release(&m->arena);
  hn_model_free(m->model);
}

static hn_mat3 diagonal(hn_vec3 s) { return (hn_mat3){{{s.x, 0, 0}, {0, s.y, 0}, {0, 0, s.z}}}; }

static void set_frame(hn_frame *f, hn_vec3 r, hn_mat3 a, hn_vec3 v, hn_vec3 w) {
  *f = (hn_frame){.r = r, .v = v, .w = w, .a = a, .p = quat_from_matrix(a)};
  f->pd = quat_scale(0.5, euler_e_transposed(f->p, w));
}

// Near the reference configuration, so that angles stay on their branches.
static void scatter(machine *m, hn_random *random) {
  hn_drawn_frames(m->model, m->frames);
  for (int k = 1; k < BODIES; k++) {
    double x[12];
    hn_random_fill(random, x, 12, -0.2, 0.2);
    hn_frame *f = &m->frames[k];
    hn_quat q = quat_unit(quat_add(f->p, quat_scale(0.5, quat_load(x))));
    set_frame(f, vec3_add(f->r, vec3_load(x + 4)), quat_matrix(q), vec3_load(x + 7),
              vec3(x[10], x[11], x[4]));
  }
}

static void put_image(const machine *from, const image *im, machine *to) {
  hn_drawn_frames(to->model, to->frames);
  for (int k = 1; k < BODIES; k++) {
    const hn_frame *f = &from->frames[k];
    hn_mat3 a = mat3_multiply(im->l, mat3_multiply(f->a, diagonal(im->s)));
    set_frame(&to->frames[k], vec3_add(mat3_apply(im->l, f->r), im->p), a, mat3_apply(im->l, f->v),
              vec3_scale(im->parity, mat3_apply(im->l, f->w)));
  }
}

static void check_vector(hn_vec3 actual, hn_vec3 expected, double tolerance, const char *what) {
  double d = vec3_norm(vec3_sub(actual, expected));
  if (!(d <= tolerance * (1 + vec3_norm(expected))))
    fail_msg("%s: (%g %g %g) instead of (%g %g %g)", what, actual.x, actual.y, actual.z, expected.x,
             expected.y, expected.z);
}

// Root of the sum of squares of the residuals and of their rates: whatever the perpendicular axes.
static void row_norms(const machine *m, int first, int last, double t, double norms[2]) {
  norms[0] = norms[1] = 0;
  for (int r = first; r < last; r++) {
    hn_row_speeds out;
    const hn_row *row = &m->elements->rows[r];
    int branch = row->driver >= 0 ? hn_driver_time_branch(m->elements, row->driver, t) : 0;
    hn_row_in_speeds(m->elements, row, m->frames, m->turns, t, branch, &out);
    norms[0] += out.value * out.value;
    norms[1] += out.rate * out.rate;
  }
  norms[0] = sqrt(norms[0]);
  norms[1] = sqrt(norms[1]);
}

static void compare_rows(const machine *a, const machine *b, double t) {
  double na[2], nb[2];
  for (int j = 0; j < a->model->joint_count; j++) {
    row_norms(a, a->elements->joint_row[j], a->elements->joint_row[j + 1], t, na);
    row_norms(b, b->elements->joint_row[j], b->elements->joint_row[j + 1], t, nb);
    if (fabs(na[0] - nb[0]) > 1e-12 || fabs(na[1] - nb[1]) > 1e-12)
      fail_msg("joint %s: %.15g %.15g, %.15g %.15g", a->model->joints[j].name, na[0], nb[0], na[1],
               nb[1]);
  }
  for (int d = 0; d < a->model->driver_count; d++) {
    row_norms(a, a->elements->driver_row[d], a->elements->driver_row[d + 1], t, na);
    row_norms(b, b->elements->driver_row[d], b->elements->driver_row[d + 1], t, nb);
    if (fabs(na[0] - nb[0]) > 1e-12 || fabs(na[1] - nb[1]) > 1e-12)
      fail_msg("driver %s: %g %g", a->model->drivers[d].name, na[0], nb[0]);
  }
}

// Coordinates keep their values; only the angle of a joint that also slides, and z of a free one,
// change their sign.
static void compare_coordinates(const machine *a, const machine *b, double parity) {
  for (int j = 0; j < a->model->joint_count; j++)
    for (int c = 0; c < HN_COORDINATES; c++) {
      int ma = a->elements->coordinate[j * HN_COORDINATES + c];
      int mb = b->elements->coordinate[j * HN_COORDINATES + c];
      if (ma < 0) continue;
      hn_joint_type type = a->model->joints[j].type;
      int reversed = (c == HN_COORDINATE_ANGLE && type == HN_JOINT_CYLINDRICAL) ||
                     (c == HN_COORDINATE_ANGLE && type == HN_JOINT_SCREW) ||
                     (c == HN_COORDINATE_Z && type == HN_JOINT_FREE);
      double va = hn_measure_value(&a->elements->measures[ma], a->frames, a->turns);
      double vb = hn_measure_value(&b->elements->measures[mb], b->frames, b->turns);
      if (fabs(vb - (reversed ? parity : 1) * va) > 1e-12)
        fail_msg("%s of joint %s: %g becomes %g", hn_coordinate_name((hn_coordinate)c),
                 a->model->joints[j].name, va, vb);
    }
}

static void wrenches(const machine *m, int force, double t, hn_wrench *wrench) {
  memset(wrench, 0, BODIES * sizeof *wrench);
  hn_branch branch = hn_force_branch(m->elements, force, m->frames, m->turns, t);
  hn_force_value value;
  check_ok(hn_force_in_speeds(m->elements, force, m->frames, m->turns, t, branch, wrench, &value));
}

static void compare_forces(const machine *a, const machine *b, const image *im, double t) {
  for (int k = 0; k < a->model->force_count; k++) {
    hn_wrench wa[BODIES], wb[BODIES];
    wrenches(a, k, t, wa);
    wrenches(b, k, t, wb);
    double size = 0;
    for (int i = 1; i < BODIES; i++) {
      size += vec3_norm(wa[i].force) + vec3_norm(wa[i].torque);
      check_vector(wb[i].force, mat3_apply(im->l, wa[i].force), 1e-11, a->model->forces[k].name);
      check_vector(wb[i].torque, vec3_scale(im->parity, mat3_apply(im->l, wa[i].torque)), 1e-11,
                   a->model->forces[k].name);
    }
    assert_true(size > 0); // it acts, so the comparison says something
  }
}

static void compare_bodies(const machine *a, const machine *b, const image *im) {
  for (int k = 1; k < BODIES; k++) {
    const hn_body_def *x = &a->model->bodies[k], *y = &b->model->bodies[k];
    check_near(y->mass, x->mass, 0);
    check_vector(y->position, vec3_add(mat3_apply(im->l, x->position), im->p), 1e-14, x->name);
    check_vector(y->velocity, mat3_apply(im->l, x->velocity), 1e-14, x->name);
    check_vector(y->angular_velocity,
                 vec3_scale(im->parity, mat3_apply(im->l, x->angular_velocity)), 1e-14, x->name);
    hn_mat3 ax = quat_matrix(x->orientation), ay = quat_matrix(y->orientation);
    hn_mat3 ix = mat3_multiply(ax, mat3_multiply(mat3_symmetric(x->inertia), mat3_transpose(ax)));
    hn_mat3 iy = mat3_multiply(ay, mat3_multiply(mat3_symmetric(y->inertia), mat3_transpose(ay)));
    hn_mat3 image_of_ix = mat3_multiply(im->l, mat3_multiply(ix, mat3_transpose(im->l)));
    check_near_many(&iy.m[0][0], &image_of_ix.m[0][0], 9, 1e-15);
  }
}

static void compare(const char *placed, image im) {
  machine a = load("use: everything.yaml"), b = load(placed);
  hn_random random = hn_random_seed(3);
  im.parity =
      vec3_dot(mat3_column(im.l, 0), vec3_cross(mat3_column(im.l, 1), mat3_column(im.l, 2)));
  compare_bodies(&a, &b, &im);
  for (int n = 0; n < 20; n++) {
    double t = 0.1 * n;
    scatter(&a, &random);
    put_image(&a, &im, &b);
    memset(a.turns, 0, sizeof a.turns);
    memset(b.turns, 0, sizeof b.turns);
    compare_rows(&a, &b, t);
    compare_coordinates(&a, &b, im.parity);
    compare_forces(&a, &b, &im, t);
  }
  release(&a);
  release(&b);
}

static hn_mat3 turn(hn_vec3 axis, double degrees) {
  return quat_matrix(quat_from_axis_angle(axis, degrees * HN_PI / 180));
}

static void placed_components_move_alike(void **state) {
  (void)state;
  compare("use: everything.yaml, position: [1, 2, 3], orientation: {axis: z, angle: 90 deg}",
          (image){turn(vec3(0, 0, 1), 90), {1, 2, 3}, {1, 1, 1}, 0});
}

static void mirrored_components_move_as_in_the_mirror(void **state) {
  (void)state;
  compare("use: everything.yaml, mirror: y",
          (image){diagonal(vec3(1, -1, 1)), {0, 0, 0}, {1, -1, 1}, 0});
  compare("use: everything.yaml, mirror: x, position: [1, 0, 0]",
          (image){diagonal(vec3(-1, 1, 1)), {1, 0, 0}, {-1, 1, 1}, 0});
  compare("use: everything.yaml, mirror: z",
          (image){diagonal(vec3(1, 1, -1)), {0, 0, 0}, {1, 1, -1}, 0});
}

static void twice_mirrored_is_turned(void **state) {
  (void)state;
  compare("use: everything.yaml, mirror: [x, y]",
          (image){diagonal(vec3(-1, -1, 1)), {0, 0, 0}, {-1, -1, 1}, 0});
}

static void three_times_mirrored_is_mirrored(void **state) {
  (void)state;
  compare("use: everything.yaml, mirror: [x, y, z]",
          (image){diagonal(vec3(-1, -1, -1)), {0, 0, 0}, {-1, -1, -1}, 0});
}

// Quarter turns keep a table along one axis a table: [3, 2*t, {polynomial}] stays three laws.
static void mirrored_turned_and_moved(void **state) {
  (void)state;
  hn_mat3 l = mat3_multiply(turn(vec3(1, 2, -1), 33), diagonal(vec3(1, -1, 1)));
  compare("use: everything.yaml, mirror: y, position: [0.1, 0.2, 0.3], "
          "orientation: {axis: [1, 2, -1], angle: 33 deg}",
          (image){l, {0.1, 0.2, 0.3}, {1, -1, 1}, 0});
}

static void components_within_mirrored_components(void **state) {
  (void)state;
  hn_mat3 inner = mat3_multiply(turn(vec3(1, 1, 0), 50), diagonal(vec3(1, 1, -1)));
  hn_mat3 outer = mat3_multiply(turn(vec3(0, 1, 2), 20), diagonal(vec3(-1, 1, 1)));
  hn_vec3 p = vec3_add(mat3_apply(outer, vec3(0.2, 0.3, -0.4)), vec3(1, 2, 3));
  compare("use: nested.yaml, mirror: x, position: [1, 2, 3], orientation: {axis: [0, 1, 2], angle: "
          "20 deg}",
          (image){mat3_multiply(outer, inner), p, {-1, 1, -1}, 0});
}

// A body drawn along the axes still lies along them in the mirror.
static void mirroring_alone_turns_no_body(void **state) {
  (void)state;
  hn_model *model;
  hn_error error;
  const char *text = "components: {c: {use: plain.yaml, mirror: [y, z]}}\n";
  check_ok(hn_model_load_text(text, strlen(text), "tests/formats/files/main.yaml", NULL, &model,
                              &error));
  check_near(model->bodies[1].orientation.w, 1, 1e-15);
  check_near(model->bodies[1].position.y, -2, 1e-15);
  hn_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(placed_components_move_alike),
      cmocka_unit_test(mirrored_components_move_as_in_the_mirror),
      cmocka_unit_test(twice_mirrored_is_turned),
      cmocka_unit_test(three_times_mirrored_is_mirrored),
      cmocka_unit_test(mirrored_turned_and_moved),
      cmocka_unit_test(components_within_mirrored_components),
      cmocka_unit_test(mirroring_alone_turns_no_body),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
