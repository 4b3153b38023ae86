// Surfaces of roads: OpenCRG against values of its C library, random roads against a stated series,
// grids, friction patches; derivatives against differences.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "support/check.h"
#include "vehicle/columns.h"
#include "vehicle/height_file.h"
#include "vehicle/surface.h"

static char *read_text(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  if (!file) fail_msg("%s", path);
  char *text = calloc(1, 1 << 18);
  *size = fread(text, 1, (1 << 18) - 1, file);
  fclose(file);
  return text;
}

static hn_road_surface *load_crg(const char *path) {
  size_t size;
  char *text = read_text(path, &size);
  hn_road_surface *s;
  hn_error error = {0};
  if (hn_road_surface_crg(text, size, path, &s, &error) != HN_OK) fail_msg("%s", error.message);
  free(text);
  return s;
}

static void check_derivatives(const hn_road_surface *s, double x, double y, double h) {
  hn_road_point p, a, b;
  hn_road_surface_at(s, x, y, &p);
  hn_road_surface_at(s, x + h, y, &a);
  hn_road_surface_at(s, x - h, y, &b);
  check_near((a.z - b.z) / (2 * h), p.z_x, 1e-6);
  check_near((a.z_x - b.z_x) / (2 * h), p.z_xx, 1e-5);
  check_near((a.z_y - b.z_y) / (2 * h), p.z_xy, 1e-5);
  hn_road_surface_at(s, x, y + h, &a);
  hn_road_surface_at(s, x, y - h, &b);
  check_near((a.z - b.z) / (2 * h), p.z_y, 1e-6);
  check_near((a.z_y - b.z_y) / (2 * h), p.z_yy, 1e-5);
}

static void crg_is_as_its_library_says(void **state) {
  (void)state;
  static const char *const names[2] = {"straight", "curved"};
  for (int k = 0; k < 2; k++) {
    char path[200];
    snprintf(path, sizeof path, "tests/data/roads/%s.crg", names[k]);
    hn_road_surface *s = load_crg(path);
    snprintf(path, sizeof path, "tests/data/roads/%s.queries.csv", names[k]);
    size_t size;
    char *text = read_text(path, &size);
    hn_arena arena;
    hn_arena_init(&arena, NULL);
    hn_columns q;
    hn_error error;
    check_ok(hn_columns_read(&arena, text, size, path, 1, &q, &error));
    assert_true(q.rows > 10);
    for (long i = 0; i < q.rows; i++) {
      const double *row = &q.values[i * q.count];
      double u, v;
      hn_road_point p;
      hn_crg_locate(&s->crg, row[0], row[1], &u, &v);
      hn_road_surface_at(s, row[0], row[1], &p);
      check_near(u, row[2], 2e-9);
      check_near(v, row[3], 2e-9);
      check_near(p.z, row[4], 2e-9);
    }
    hn_arena_release(&arena);
    free(text);
    hn_road_surface_free(s);
  }
}

// Big-endian floats, sections by number.
static void crg_in_bytes_is_the_same(void **state) {
  (void)state;
  char file[600] = "$ROAD_CRG\nREFERENCE_LINE_INCREMENT = 1\nLONG_SECTION_V_RIGHT = -1\n"
                   "LONG_SECTION_V_LEFT = 1\n$\n$KD_DEFINITION\n#:KRBI\nD:long section 1,m\n"
                   "D:long section 2,m\n$\n$$\n";
  size_t size = strlen(file);
  static const unsigned char numbers[] = {0x3f, 0x80, 0, 0, 0x40, 0,    0, 0,
                                          0x40, 0x40, 0, 0, 0x40, 0x80, 0, 0}; // 1 2 3 4
  memcpy(file + size, numbers, sizeof numbers);
  hn_road_surface *s;
  hn_error error = {0};
  check_ok(hn_road_surface_crg(file, size + sizeof numbers, "x.crg", &s, &error));
  hn_road_point p;
  hn_road_surface_at(s, 0.5, 0.5, &p);
  check_near(p.z, 2.75, 1e-12); // 1 + 2 * 0.5 along u, 0.75 of 1 across
  check_near(p.z_x, 2, 1e-12);
  check_near(p.z_y, 0.5, 1e-12);
  hn_road_surface_free(s);
}

static void refused(const char *text, const char *word) {
  hn_road_surface *s;
  hn_error error = {0};
  assert_true(hn_road_surface_crg(text, strlen(text), "x.crg", &s, &error) != HN_OK);
  assert_null(s);
  if (!strstr(error.message, word)) fail_msg("'%s' is not in: %s", word, error.message);
}

static void what_a_crg_may_not_be(void **state) {
  (void)state;
  refused("", "no end");
  refused("$$\n", "no road");
  refused("$ROAD_CRG_FILE\nother.crg\n$\n", "another file");
  refused("$ROAD_CRG_MODS\nSCALE_Z_GRID = 2\n$$\n", "SCALE_Z_GRID");
  refused("$ROAD_CRG_OPTS\nBORDER_MODE_U = 3\n$$\n", "BORDER_MODE_U");
  refused("$KD_DEFINITION\n#:LXXX\n$$\n", "LXXX");
  refused("$ROAD_CRG\nREFERENCE_LINE_INCREMENT = 1\n$\n$KD_DEFINITION\n#:LRFI\n"
          "D:long section at v = 1,m\nD:long section at v = -1,m\n$\n$$\n"
          " 0.0000000 0.0000000\n 0.0000000 0.0000000\n",
          "order");
#define TWO                                                                                        \
  "$ROAD_CRG\nREFERENCE_LINE_INCREMENT = 1\n$\n$KD_DEFINITION\n#:LRFI\nD:long section at v = "     \
  "-1,m\n"                                                                                         \
  "D:long section at v = 1,m\n$\n$$\n 0.0000000 0.0000000\n"
  refused(TWO " 0.0000000 0.0000000 0.5000000\n", "behind its last channel with ' 0.5000000'");
  refused(TWO " 0.0000000 0.0000000\n 0.5000000\n", "before its last channel");
}

static void a_height_field_is_of_this_world(void **state) {
  (void)state;
  const double origin[2] = {0, 0}, wide[2] = {1, 1}, narrow[2] = {1, 1e-300};
  const double level[4] = {0, 0, 0, 0}, high[4] = {0, 1e300, 0, 0};
  hn_road_surface *s;
  hn_error error = {0};
  assert_true(hn_road_surface_grid(2, 2, high, origin, wide, &s, &error) != HN_OK);
  assert_non_null(strstr(error.message, "point 2"));
  assert_true(hn_road_surface_grid(2, 2, level, origin, narrow, &s, &error) != HN_OK);
  assert_non_null(strstr(error.message, "1e-300 m apart"));
  check_ok(hn_road_surface_grid(2, 2, level, origin, wide, &s, &error));
  hn_road_surface_free(s);
}

// The series of a program that states its generator: class C, seed 1, along y = 0.
static void random_road_is_the_stated_one(void **state) {
  (void)state;
  hn_road_surface *s;
  hn_error error;
  check_ok(hn_road_surface_random('C', 1, 1.5, &s, &error));
  size_t size;
  char *text = read_text("tests/data/roads/iso8608_C.csv", &size);
  hn_arena arena;
  hn_arena_init(&arena, NULL);
  hn_columns q;
  check_ok(hn_columns_read(&arena, text, size, "x", 1, &q, &error));
  for (long i = 0; i < q.rows; i++) {
    hn_road_point p;
    hn_road_surface_at(s, q.values[2 * i], 0, &p);
    check_near(p.z, q.values[2 * i + 1], 1e-12);
  }
  check_derivatives(s, 3.3, 0.4, 1e-5);
  check_derivatives(s, -7.1, -0.8, 1e-5);
  hn_arena_release(&arena);
  free(text);
  hn_road_surface_free(s);
  assert_true(hn_road_surface_random('K', 1, 1.5, &s, &error) != HN_OK);
}

// Other classes are rougher by 2 each; the two tracks of a car have the same spectrum.
static void random_roads_have_their_class(void **state) {
  (void)state;
  hn_error error;
  double rms[3] = {0};
  for (int k = 0; k < 3; k++) {
    hn_road_surface *s;
    check_ok(hn_road_surface_random(k == 0 ? 'A' : 'B', 5, 1.5, &s, &error));
    for (int i = 0; i < 20000; i++) {
      hn_road_point p;
      hn_road_surface_at(s, 0.25 * i, k == 2 ? 1.5 : 0, &p);
      rms[k] += p.z * p.z / 20000;
    }
    hn_road_surface_free(s);
  }
  check_relative(sqrt(rms[1]), 2 * sqrt(rms[0]), 1e-9);
  check_relative(sqrt(rms[2]), sqrt(rms[1]), 0.1);
}

static void grid_is_smooth_and_meets_its_points(void **state) {
  (void)state;
  double z[6 * 5];
  for (int k = 0; k < 30; k++) z[k] = 0.1 * sin(1.7 * k) + 0.01 * k;
  hn_road_surface *s;
  hn_error error;
  check_ok(hn_road_surface_grid(6, 5, z, (double[]){-1, 2}, (double[]){0.5, 0.25}, &s, &error));
  for (int j = 0; j < 5; j++)
    for (int i = 0; i < 6; i++) {
      hn_road_point p;
      hn_road_surface_at(s, -1 + 0.5 * i, 2 + 0.25 * j, &p);
      check_near(p.z, z[6 * j + i], 1e-12);
    }
  check_derivatives(s, 0.13, 2.41, 1e-5);
  check_derivatives(s, -0.72, 2.93, 1e-5);
  hn_road_point beyond;
  hn_road_surface_at(s, 99, 99, &beyond);
  check_near(beyond.z, z[29], 1e-12);
  check_near(beyond.z_x, 0, 0);
  hn_road_surface_free(s);
}

static void heights_come_from_files(void **state) {
  (void)state;
  hn_arena arena;
  hn_arena_init(&arena, NULL);
  hn_heights h;
  hn_error error;
  check_ok(hn_heights_read(&arena, "0,1,2\n3,4,5\n", 12, "a.csv", &h, &error));
  assert_int_equal(h.nx, 3);
  assert_int_equal(h.ny, 2);
  check_near(h.z[5], 5, 0);
  char npy[200] = "\x93NUMPY\x01\x00\x46\x00";
  memcpy(npy + 10, "{'descr': '<u2', 'fortran_order': False, 'shape': (2, 2), }          \n", 70);
  static const unsigned char numbers[] = {1, 0, 2, 0, 0, 1, 255, 255};
  memcpy(npy + 80, numbers, 8);
  check_ok(hn_heights_read(&arena, npy, 88, "a.npy", &h, &error));
  check_near(h.z[2], 256, 0);
  check_near(h.z[3], 65535, 0);
  assert_true(hn_heights_read(&arena, npy, 87, "a.npy", &h, &error) != HN_OK);
  assert_true(hn_heights_read(&arena, npy, 88, "a.xyz", &h, &error) != HN_OK);
  hn_arena_release(&arena);
}

static void patches_lie_over_each_other(void **state) {
  (void)state;
  hn_friction_patch half = {{-HUGE_VAL, 0}, {HUGE_VAL, HUGE_VAL}, 0.3, 0.2};
  for (double y = -0.15; y < 0.16; y += 0.05) {
    hn_road_point p = {.mu = 1}, a = p, b = p;
    hn_road_surface_add_patch(&half, 1, y, &p);
    hn_road_surface_add_patch(&half, 1, y + 1e-6, &a);
    hn_road_surface_add_patch(&half, 1, y - 1e-6, &b);
    check_near((a.mu - b.mu) / 2e-6, p.mu_y, 1e-4);
    if (y < -0.1) check_near(p.mu, 1, 0);
    if (y > 0.1) check_near(p.mu, 0.3, 1e-15);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(crg_is_as_its_library_says),
      cmocka_unit_test(crg_in_bytes_is_the_same),
      cmocka_unit_test(what_a_crg_may_not_be),
      cmocka_unit_test(a_height_field_is_of_this_world),
      cmocka_unit_test(random_road_is_the_stated_one),
      cmocka_unit_test(random_roads_have_their_class),
      cmocka_unit_test(grid_is_smooth_and_meets_its_points),
      cmocka_unit_test(heights_come_from_files),
      cmocka_unit_test(patches_lie_over_each_other),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
