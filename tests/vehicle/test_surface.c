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
  check_names(error.message, word);
}

static void what_a_crg_may_not_be(void **state) {
  (void)state;
  refused("", "");
  refused("$$\n", "");
  refused("$ROAD_CRG_FILE\nother.crg\n$\n", "");
  refused("$ROAD_CRG_MODS\nSCALE_Z_GRID = 2\n$$\n", "SCALE_Z_GRID");
  refused("$ROAD_CRG_OPTS\nBORDER_MODE_U = 3\n$$\n", "BORDER_MODE_U");
  refused("$KD_DEFINITION\n#:LXXX\n$$\n", "LXXX");
  refused("$ROAD_CRG\nREFERENCE_LINE_INCREMENT = 1\n$\n$KD_DEFINITION\n#:LRFI\n"
          "D:long section at v = 1,m\nD:long section at v = -1,m\n$\n$$\n"
          " 0.0000000 0.0000000\n 0.0000000 0.0000000\n",
          "");
#define TWO                                                                                        \
  "$ROAD_CRG\nREFERENCE_LINE_INCREMENT = 1\n$\n$KD_DEFINITION\n#:LRFI\nD:long section at v = "     \
  "-1,m\n"                                                                                         \
  "D:long section at v = 1,m\n$\n$$\n 0.0000000 0.0000000\n"
  refused(TWO " 0.0000000 0.0000000 0.5000000\n", "' 0.5000000'");
  refused(TWO " 0.0000000 0.0000000\n 0.5000000\n", "");
  refused("$ROAD_CRG\nREFERENCE_LINE_INCREMENT = 1e-300\n$\n$KD_DEFINITION\n#:LRFI\n"
          "D:long section at v = -1,m\nD:long section at v = 1,m\n$\n$$\n"
          " 0.0000000 0.0000000\n 0.0000000 0.0000000\n",
          "1e-6");
}

static void a_height_field_is_of_this_world(void **state) {
  (void)state;
  const double origin[2] = {0, 0}, wide[2] = {1, 1}, narrow[2] = {1, 1e-300};
  const double level[4] = {0, 0, 0, 0}, high[4] = {0, 1e300, 0, 0};
  hn_road_surface *s;
  hn_error error = {0};
  assert_true(hn_road_surface_grid(2, 2, high, origin, wide, &s, &error) != HN_OK);
  check_names(error.message, "2");
  assert_true(hn_road_surface_grid(2, 2, level, origin, narrow, &s, &error) != HN_OK);
  check_names(error.message, "1e-300");
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

// ---- spectrum -----------------------------------------------------------------------------------

enum { POINTS = 8192 };

// Discrete Fourier transform in place, POINTS a power of 2.
static void transform(double *re, double *im) {
  for (int i = 1, j = 0; i < POINTS; i++) {
    int bit = POINTS >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i >= j) continue;
    double r = re[i], m = im[i];
    re[i] = re[j], im[i] = im[j];
    re[j] = r, im[j] = m;
  }
  for (int size = 2; size <= POINTS; size *= 2)
    for (int k = 0; k < size / 2; k++) {
      double angle = -2 * 3.14159265358979323846 * k / size, c = cos(angle), s = sin(angle);
      for (int a = k; a < POINTS; a += size) {
        int b = a + size / 2;
        double r = c * re[b] - s * im[b], m = s * re[b] + c * im[b];
        re[b] = re[a] - r, im[b] = im[a] - m;
        re[a] += r, im[a] += m;
      }
    }
}

// Variance of heights between the wave numbers `from` and `to`, by a periodogram with a Hann window.
static double variance_between(const double *power, double spacing, double from, double to) {
  double sum = 0;
  for (int k = 1; k < POINTS / 2; k++) {
    double n = k / (POINTS * spacing);
    if (n >= from && n < to) sum += power[k];
  }
  return sum;
}

// Every class has G_d(n0) = 16e-6 m^3 times 4 for each class after A, and falls with the wave number's
// square: variance in bands against the integral of G_d, G_d(n0) n0^2 (1/from - 1/to).
static void random_roads_have_the_spectrum_of_their_class(void **state) {
  (void)state;
  static double re[POINTS], im[POINTS], power[POINTS];
  const double spacing = 0.15, pi = 3.14159265358979323846, edge = (2.83 - 0.011) / 200;
  for (char name = 'A'; name <= 'H'; name++) {
    hn_road_surface *s;
    hn_error error;
    check_ok(hn_road_surface_random(name, 11 + (unsigned)name, 1.5, &s, &error));
    for (int i = 0; i < POINTS; i++) {
      hn_road_point p;
      hn_road_surface_at(s, spacing * i, 0, &p);
      re[i] = p.z * (1 - cos(2 * pi * i / POINTS));
      im[i] = 0;
    }
    hn_road_surface_free(s);
    transform(re, im);
    // mean square of the window 1 - cos: 1.5; one side of the spectrum
    for (int k = 0; k < POINTS; k++)
      power[k] = 2 * (re[k] * re[k] + im[k] * im[k]) / (1.5 * POINTS * (double)POINTS);
    const double rough = 16e-6 * pow(4, name - 'A');
    static const int bands[6] = {7, 14, 28, 56, 112, 200}; // edges: 0.11 to 2.83 per meter
    for (int b = 0; b < 5; b++) {
      double from = 0.011 + bands[b] * edge, to = 0.011 + bands[b + 1] * edge;
      check_relative(variance_between(power, spacing, from, to), rough * 0.01 * (1 / from - 1 / to),
                     0.02);
    }
    check_at_most(variance_between(power, spacing, 2.9, 3.3), 1e-6 * rough);
  }
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

// Memory that ends after 2 MB.
static void *take_little(void *context, size_t size) {
  size_t *left = context;
  if (size > *left) return NULL;
  *left -= size;
  return malloc(size);
}

static void give_back(void *context, void *block) {
  (void)context;
  free(block);
}

// Files of some kilobytes that speak of billions of numbers: memory and time are those of the file.
static void small_files_take_little(void **state) {
  (void)state;
  enum { COLUMNS = 20000, ROWS = 20000, SIZE = 2 * COLUMNS + 2 * ROWS };
  size_t left = 1 << 21;
  const hn_allocator little = {take_little, give_back, &left};
  hn_arena arena;
  hn_heights h;
  hn_error error = {0};
  char *csv = malloc(SIZE);
  assert_non_null(csv);
  for (int k = 0; k < COLUMNS; k++) memcpy(csv + 2 * k, k < COLUMNS - 1 ? "1," : "1\n", 2);
  for (int k = COLUMNS; k < COLUMNS + ROWS; k++) memcpy(csv + 2 * k, "1\n", 2);
  hn_arena_init(&arena, &little);
  assert_int_equal(hn_heights_read(&arena, csv, SIZE, "a.csv", &h, &error), HN_ERROR_SYNTAX);
  check_names(error.message, "'1'");
  static const char *const shapes[2] = {"(200000000, 0), }", "(0, 200000000), }"};
  for (int k = 0; k < 2; k++) {
    char npy[128] = "\x93NUMPY\x01\x00\x64\x00";
    snprintf(npy + 10, 101, "{'descr': '<f8', 'fortran_order': False, 'shape': %-50s", shapes[k]);
    assert_int_equal(hn_heights_read(&arena, npy, 110, "a.npy", &h, &error), HN_ERROR_SYNTAX);
  }
  hn_arena_release(&arena);
  free(csv);
}

// ---- pictures -----------------------------------------------------------------------------------

static hn_status read_png(hn_arena *arena, const char *path, hn_heights *h, hn_error *error) {
  size_t size;
  char *bytes = read_text(path, &size);
  hn_status status = hn_heights_read(arena, bytes, size, path, h, error);
  free(bytes);
  return status;
}

// The formula by which the pictures were made; row 0 is their top.
static int grey(int bits, int x, int y) {
  if (bits == 16) return (x * x * 701 + y * 1301 + x * y * 17) % 65536;
  return ((x * x * 7 + y * 13 + x * y) % 256) >> (8 - bits);
}

// Made by another program: all filters, all kinds of blocks, data in several pieces.
static void grey_pictures_are_heights(void **state) {
  (void)state;
  static const struct {
    const char *name;
    int bits;
  } files[] = {{"grey8", 8},      {"grey8-fixed", 8}, {"grey8-stored", 8}, {"grey16", 16},
               {"grey-alpha", 8}, {"grey4", 4},       {"grey1", 1}};
  for (size_t k = 0; k < sizeof files / sizeof files[0]; k++) {
    char path[200];
    snprintf(path, sizeof path, "tests/data/roads/%s.png", files[k].name);
    hn_arena arena;
    hn_arena_init(&arena, NULL);
    hn_heights h;
    hn_error error = {0};
    if (read_png(&arena, path, &h, &error) != HN_OK) fail_msg("%s: %s", path, error.message);
    assert_int_equal(h.nx, 29);
    assert_int_equal(h.ny, 23);
    double most = (1 << files[k].bits) - 1;
    for (int y = 0; y < 23; y++)
      for (int x = 0; x < 29; x++)
        check_near(h.z[29 * (22 - y) + x], grey(files[k].bits, x, y) / most, 1e-15);
    hn_arena_release(&arena);
  }
}

static void damaged_pictures_are_refused(void **state) {
  (void)state;
  size_t size;
  char *bytes = read_text("tests/data/roads/grey8.png", &size);
  hn_arena arena;
  hn_arena_init(&arena, NULL);
  hn_heights h;
  for (size_t cut = 0; cut < size - 12; cut++) { // all but the end mark is needed
    hn_error error = {0};
    assert_true(hn_heights_read(&arena, bytes, cut, "a.png", &h, &error) != HN_OK);
    assert_true(error.message[0] != '\0');
  }
  static const struct {
    int at, value;
    const char *word;
  } heads[] = {{25, 2, ""}, {25, 3, ""},         {28, 1, ""},
               {24, 7, ""}, {16, 1, "16777216"}, {23, 24, ""}};
  for (size_t k = 0; k < sizeof heads / sizeof heads[0]; k++) {
    char kept = bytes[heads[k].at];
    hn_error error = {0};
    bytes[heads[k].at] = (char)heads[k].value;
    assert_true(hn_heights_read(&arena, bytes, size, "a.png", &h, &error) != HN_OK);
    check_names(error.message, heads[k].word);
    bytes[heads[k].at] = kept;
  }
  int refused_bytes = 0;
  for (size_t k = 60; k < size - 20; k++) { // names, lengths and data of its pieces
    hn_error error = {0};
    bytes[k] = (char)(bytes[k] ^ 0x55);
    refused_bytes += hn_heights_read(&arena, bytes, size, "a.png", &h, &error) != HN_OK;
    bytes[k] = (char)(bytes[k] ^ 0x55);
  }
  assert_true(refused_bytes > 500); // the sum of a piece is not checked, that of all the data is
  hn_arena_release(&arena);
  free(bytes);
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
      cmocka_unit_test(small_files_take_little),
      cmocka_unit_test(random_roads_have_the_spectrum_of_their_class),
      cmocka_unit_test(grey_pictures_are_heights),
      cmocka_unit_test(damaged_pictures_are_refused),
      cmocka_unit_test(patches_lie_over_each_other),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
