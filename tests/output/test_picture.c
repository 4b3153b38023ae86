// Pictures of scenes: what is nearer hides what is behind, to the pixel; glass lets through; springs,
// dampers and shadows are there; films go along; PNG and GIF are read back by decoders written here.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "holon/picture.h"
#include "math/euler.h"
#include "support/check.h"

enum { WIDE = 200, HIGH = 150 };

// A body with one box, and as many more as are added.
typedef struct stage {
  hn_scene scene;
  hn_scene_body bodies[4];
  hn_shape_def shapes[4];
  hn_scene_link forces[2];
  float motion[3][1 + 7 * 3 + 2];
} stage;

static void init_stage(stage *s, int bodies) {
  memset(s, 0, sizeof *s);
  s->scene = (hn_scene){.version = "",
                        .model = "",
                        .title = "",
                        .status = "ok",
                        .message = "",
                        .gravity = {0, 0, -9.81},
                        .body_count = bodies + 1,
                        .bodies = s->bodies,
                        .forces = s->forces,
                        .frames = 3,
                        .stride = 1 + 7 * 3 + 2,
                        .rate = 1,
                        .first = 0,
                        .last = 2,
                        .motion = s->motion[0]};
  for (int b = 0; b < 4; b++) s->bodies[b] = (hn_scene_body){.name = "body", .mass = b};
  for (int k = 0; k < 3; k++) {
    s->motion[k][0] = (float)k;
    for (int b = 0; b < 3; b++) s->motion[k][1 + 7 * b + 3] = 1;
  }
}

static hn_shape_def *put_box(stage *s, int body, hn_vec3 at, hn_vec3 size, int color) {
  hn_shape_def *shape = &s->shapes[body];
  *shape = hn_default_shape(HN_SHAPE_BOX);
  shape->size = size;
  shape->color = color;
  s->bodies[body].shapes = shape;
  s->bodies[body].shape_count = 1;
  for (int k = 0; k < 3; k++) {
    float *p = &s->motion[k][1 + 7 * (body - 1)];
    p[0] = (float)at.x;
    p[1] = (float)at.y;
    p[2] = (float)at.z;
  }
  return shape;
}

static hn_picture *draw(const stage *s, hn_picture_options options, double time) {
  hn_picture *picture = NULL;
  hn_error error = {0};
  options.width = WIDE;
  options.height = HIGH;
  check_ok(hn_picture_create(&s->scene, &options, &picture, &error));
  check_ok(hn_picture_draw(picture, time, &error));
  return picture;
}

// Which of red, green and blue is largest at a pixel; -1 where it is gray.
static int hue(const hn_picture *picture, int x, int y) {
  const unsigned char *p = hn_picture_pixels(picture) + 3 * (y * WIDE + x);
  int best = 0;
  for (int c = 1; c < 3; c++)
    if (p[c] > p[best]) best = c;
  int second = 0;
  for (int c = 0; c < 3; c++)
    if (c != best && p[c] > second) second = p[c];
  return p[best] - second > 25 ? best : -1;
}

static int count_hue(const hn_picture *picture, int wanted) {
  int count = 0;
  for (int y = 0; y < HIGH; y++)
    for (int x = 0; x < WIDE; x++) count += hue(picture, x, y) == wanted;
  return count;
}

// ---- depth --------------------------------------------------------------------------------------

// Two long boxes cross and go through each other, as painters cannot draw: seen from the side (from -y)
// the red one is nearer on the left half, the green one on the right. Every pixel in the overlap knows.
static void what_is_nearer_hides_what_is_behind(void **state) {
  (void)state;
  stage s;
  init_stage(&s, 2);
  put_box(&s, 1, vec3_zero(), vec3(4, 0.02, 1), 0xff0000);
  put_box(&s, 2, vec3_zero(), vec3(4, 0.02, 1), 0x00ff00);
  for (int k = 0; k < 3; k++) { // turned about z by +- 30 degrees
    const double half = HN_PI / 12;
    for (int b = 0; b < 2; b++) {
      s.motion[k][1 + 7 * b + 3] = (float)cos(half);
      s.motion[k][1 + 7 * b + 6] = (float)(b ? -sin(half) : sin(half));
    }
  }
  hn_picture *picture = draw(&s, (hn_picture_options){.view = HN_VIEW_SIDE}, 0);
  int wrong = 0, seen = 0;
  for (int x = 20; x < WIDE - 20; x++) {
    if (abs(x - WIDE / 2) < 4) continue; // the seam
    for (int y = HIGH / 2 - 10; y <= HIGH / 2 + 10; y++) {
      // red at angle +30 degrees: y grows with x, so it is nearer (-y) where x < 0
      wrong += hue(picture, x, y) != (x < WIDE / 2 ? 0 : 1);
      seen++;
    }
  }
  if (wrong > 0) fail_msg("%d of %d pixels", wrong, seen);
  hn_picture_free(picture);
}

static void glass_lets_through(void **state) {
  (void)state;
  stage s;
  init_stage(&s, 2);
  put_box(&s, 1, vec3(0, 0, 0), vec3(1, 1, 1), 0xff0000);
  put_box(&s, 2, vec3(0, -1, 0), vec3(1, 0.1, 1), 0x0000ff);
  hn_picture *opaque = draw(&s, (hn_picture_options){.view = HN_VIEW_SIDE}, 0);
  s.shapes[2].transparency = 0.7;
  hn_picture *glass = draw(&s, (hn_picture_options){.view = HN_VIEW_SIDE}, 0);
  const unsigned char *a = hn_picture_pixels(opaque) + 3 * (HIGH / 2 * WIDE + WIDE / 2);
  const unsigned char *b = hn_picture_pixels(glass) + 3 * (HIGH / 2 * WIDE + WIDE / 2);
  assert_int_equal(hue(opaque, WIDE / 2, HIGH / 2), 2);
  assert_true(b[0] > a[0] + 60); // the red behind it
  assert_true(b[2] < a[2]);
  hn_picture_free(opaque);
  hn_picture_free(glass);
}

// Below a plate that floats above a larger one it is darker than next to it.
static void things_cast_shadows(void **state) {
  (void)state;
  stage s;
  init_stage(&s, 2);
  put_box(&s, 1, vec3(0, 0, 0), vec3(4, 3, 0.1), 0x808080);
  put_box(&s, 2, vec3(0, 0, 0.4), vec3(1, 1, 0.1), 0xff0000);
  hn_picture *picture = draw(&s, (hn_picture_options){.view = HN_VIEW_TOP}, 0);
  int darkest = 255, lightest = 0;
  for (int y = 20; y < HIGH - 20; y++)
    for (int x = 30; x < WIDE - 30; x++) {
      if (hue(picture, x, y) == 0) continue;
      int light = hn_picture_pixels(picture)[3 * (y * WIDE + x) + 1];
      if (light < darkest) darkest = light;
      if (light > lightest) lightest = light;
    }
  assert_true(lightest - darkest > 30);
  hn_picture_free(picture);
}

// ---- forces -------------------------------------------------------------------------------------

static long drawn_pixels(stage *s, const char *look) {
  s->scene.force_count = 1;
  s->forces[0] = (hn_scene_link){.name = "f",
                                 .type = "spring-damper",
                                 .body = {1, 2},
                                 .at = {{0, 0, 0}, {0, 0, 0}},
                                 .look = look};
  hn_picture *picture = draw(s, (hn_picture_options){.view = HN_VIEW_SIDE}, 0);
  long count = 0;
  for (int y = HIGH / 3; y < 2 * HIGH / 3; y++) // between the two boxes
    for (int x = 0; x < WIDE; x++) {
      const unsigned char *p = hn_picture_pixels(picture) + 3 * (y * WIDE + x);
      count += p[0] != 0xf3 || p[1] != 0xf4 || p[2] != 0xf6;
    }
  hn_picture_free(picture);
  return count;
}

static void springs_and_dampers_look_like_themselves(void **state) {
  (void)state;
  stage s;
  init_stage(&s, 2);
  put_box(&s, 1, vec3(0, 0, -1), vec3(0.4, 0.4, 0.1), 0xff0000);
  put_box(&s, 2, vec3(0, 0, 1), vec3(0.4, 0.4, 0.1), 0x00ff00);
  long nothing = drawn_pixels(&s, ""), damper = drawn_pixels(&s, "damper");
  long spring = drawn_pixels(&s, "spring"), both = drawn_pixels(&s, "spring-damper");
  assert_int_equal(nothing, 0);
  assert_true(damper > 50 && spring > 50 && damper != spring);
  assert_true(both > spring);
}

// ---- films --------------------------------------------------------------------------------------

// A body that goes 100 m is where it was in the picture, and large in it.
static void a_film_goes_along(void **state) {
  (void)state;
  stage s;
  init_stage(&s, 1);
  put_box(&s, 1, vec3_zero(), vec3(2, 1, 1), 0xff0000);
  for (int k = 0; k < 3; k++) s.motion[k][1] = 50.0f * (float)k;
  hn_picture *picture = draw(&s, (hn_picture_options){.is_film = 1}, 0);
  int before = count_hue(picture, 0);
  assert_true(before > WIDE * HIGH / 10);
  check_ok(hn_picture_draw(picture, 1.5, NULL));
  int after = count_hue(picture, 0);
  assert_true(abs(after - before) < before / 50);
  assert_int_equal(hue(picture, WIDE / 2, HIGH / 2), 0);
  hn_picture_free(picture);
}

// Between two frames it is where it is on the way; a pose that is not a number is not drawn.
// Seen from above: a red box on a wheel that goes 4 m a second along x, at three moments, and the line
// that the wheel draws between them.
static void several_moments_stand_beside_each_other(void **state) {
  (void)state;
  stage s;
  init_stage(&s, 2);
  put_box(&s, 1, vec3(0, 0, 1), vec3(1, 1, 0.2), 0xff0000);
  hn_shape_def *wheel = put_box(&s, 2, vec3(0, 0, 0.5), vec3(1, 1, 1), 0x00ff00);
  *wheel = hn_default_shape(HN_SHAPE_WHEEL);
  wheel->radius = 0.5;
  wheel->length = 0.2;
  for (int k = 0; k < 3; k++)
    for (int b = 0; b < 2; b++) s.motion[k][1 + 7 * b] = (float)(4 * k);
  hn_picture *picture =
      draw(&s, (hn_picture_options){.view = HN_VIEW_TOP, .moments = 3}, s.scene.first);
  int boxes = 0, before = -1;
  for (int x = 0; x < WIDE; x++) {
    int now = hue(picture, x, HIGH / 2);
    boxes += now == 0 && before != 0;
    before = now;
  }
  assert_int_equal(boxes, 3);
  const unsigned char *between = hn_picture_pixels(picture) + 3 * (HIGH / 2 * WIDE + WIDE * 3 / 10);
  assert_true(between[0] < 140 && between[1] < 140 && between[2] < 140);
  hn_picture_free(picture);
}

static void frames_are_interpolated_and_nan_is_left_out(void **state) {
  (void)state;
  stage s;
  init_stage(&s, 2);
  put_box(&s, 1, vec3_zero(), vec3(1, 1, 1), 0xff0000);
  put_box(&s, 2, vec3(0, 0, 3), vec3(1, 1, 1), 0x00ff00);
  for (int k = 0; k < 3; k++) s.motion[k][1] = (float)k; // 0, 1, 2
  hn_picture *picture = draw(&s, (hn_picture_options){.view = HN_VIEW_SIDE, .time = 0.5}, 0.5);
  int left = WIDE, right = 0, low = HIGH;
  for (int y = 0; y < HIGH; y++)
    for (int x = 0; x < WIDE; x++) {
      if (hue(picture, x, y) == 0) left = x < left ? x : left, right = x > right ? x : right;
      if (hue(picture, x, y) == 1 && y < low) low = y;
    }
  int shift = (left + right) / 2;
  check_ok(hn_picture_draw(picture, 0, NULL));
  int first = WIDE, last = 0;
  for (int x = 0; x < WIDE; x++)
    for (int y = 0; y < HIGH; y++)
      if (hue(picture, x, y) == 0) first = x < first ? x : first, last = x > last ? x : last;
  // half a box is half of its width
  check_near(shift - (first + last) / 2.0, 0.5 * (right - left + 1), 1.5);
  hn_picture_free(picture);
  for (int k = 0; k < 3; k++) s.motion[k][1 + 7] = NAN;
  picture = draw(&s, (hn_picture_options){.view = HN_VIEW_SIDE}, 0);
  assert_true(count_hue(picture, 0) > 100);
  assert_int_equal(count_hue(picture, 1), 0);
  hn_picture_free(picture);
}

static void what_cannot_be_drawn_is_refused(void **state) {
  (void)state;
  stage s;
  init_stage(&s, 1);
  hn_picture *picture = NULL;
  hn_error error = {0};
  hn_picture_options options = {.width = 4, .height = 100};
  assert_int_equal(hn_picture_create(&s.scene, &options, &picture, &error), HN_ERROR_ARGUMENT);
  s.scene.frames = 0;
  assert_int_equal(hn_picture_create(&s.scene, NULL, &picture, &error), HN_ERROR_ARGUMENT);
  assert_null(picture);
  s.scene.frames = 3; // nothing to see is a picture, too
  check_ok(hn_picture_create(&s.scene, NULL, &picture, &error));
  check_ok(hn_picture_draw(picture, 0, &error));
  hn_picture_free(picture);
}

// ---- PNG, read back -----------------------------------------------------------------------------

typedef struct bits {
  const unsigned char *data;
  size_t at; // in bits
} bits;

static unsigned take(bits *b, int count) {
  unsigned value = 0;
  for (int k = 0; k < count; k++, b->at++)
    value |= (unsigned)(b->data[b->at / 8] >> (b->at % 8) & 1) << k;
  return value;
}

// A word of the fixed code (RFC 1951, 3.2.6), its highest bit first.
static unsigned take_symbol(bits *b) {
  unsigned code = 0;
  for (int k = 0; k < 7; k++) code = code << 1 | take(b, 1);
  if (code <= 23) return 256 + code;
  code = code << 1 | take(b, 1);
  if (code >= 48 && code <= 191) return code - 48;
  if (code >= 192 && code <= 199) return 280 + code - 192;
  return 144 + (code << 1 | take(b, 1)) - 400;
}

static size_t inflate(const unsigned char *data, unsigned char *out, size_t room) {
  static const unsigned lengths[] = {3,  4,  5,  6,   7,   8,   9,   10,  11, 13,
                                     15, 17, 19, 23,  27,  31,  35,  43,  51, 59,
                                     67, 83, 99, 115, 131, 163, 195, 227, 258};
  static const int length_bits[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                    2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
  static const unsigned distances[] = {
      1,   2,   3,   4,   5,   7,    9,    13,   17,   25,   33,   49,   65,    97,    129,
      193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
  bits b = {data, 0};
  size_t used = 0;
  assert_int_equal(take(&b, 1), 1);
  assert_int_equal(take(&b, 2), 1);
  for (unsigned symbol = take_symbol(&b); symbol != 256; symbol = take_symbol(&b)) {
    if (symbol < 256) {
      assert_true(used < room);
      out[used++] = (unsigned char)symbol;
      continue;
    }
    unsigned length = lengths[symbol - 257] + take(&b, length_bits[symbol - 257]), code = 0;
    for (int k = 0; k < 5; k++) code = code << 1 | take(&b, 1);
    unsigned distance = distances[code] + take(&b, code < 4 ? 0 : (int)code / 2 - 1);
    assert_true(used + length <= room && distance <= used);
    for (unsigned k = 0; k < length; k++, used++) out[used] = out[used - distance];
  }
  return used;
}

static int paeth(int a, int b, int c) {
  int p = a + b - c, pa = abs(p - a), pb = abs(p - b), pc = abs(p - c);
  return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

static void unfilter(unsigned char *rows, int width, int height, unsigned char *pixels) {
  const int n = 3 * width;
  for (int y = 0; y < height; y++) {
    const unsigned char *row = rows + (size_t)y * (size_t)(n + 1);
    for (int k = 0; k < n; k++) {
      unsigned char *out = pixels + y * n + k;
      int left = k >= 3 ? out[-3] : 0, up = y > 0 ? out[-n] : 0;
      int corner = k >= 3 && y > 0 ? out[-n - 3] : 0;
      const int guess[] = {0, left, up, (left + up) / 2, paeth(left, up, corner)};
      *out = (unsigned char)(row[1 + k] + guess[row[0]]);
    }
  }
}

static void check_png(const unsigned char *pixels, int width, int height) {
  unsigned char *file = NULL;
  size_t size = 0, room = (size_t)height * (size_t)(3 * width + 1);
  check_ok(hn_png_encode(pixels, width, height, &file, &size));
  assert_memory_equal(file, "\x89PNG\r\n\x1a\n", 8);
  assert_memory_equal(file + 37, "IDAT", 4);
  unsigned char *rows = calloc(room, 1), *back = calloc(3 * (size_t)width, (size_t)height);
  assert_int_equal(inflate(file + 43, rows, room), room);
  unfilter(rows, width, height, back);
  assert_memory_equal(back, pixels, (size_t)(3 * width) * (size_t)height);
  // the chunk of an empty end has a check sum everyone knows
  assert_memory_equal(file + size - 8, "IEND\xae\x42\x60\x82", 8);
  free(rows);
  free(back);
  hn_bytes_free(file);
}

static void png_is_read_back_to_the_bit(void **state) {
  (void)state;
  unsigned char *pixels = malloc(3 * 301 * 83);
  unsigned seed = 1;
  for (int kind = 0; kind < 3; kind++) { // flat, smooth, noise
    for (int k = 0; k < 3 * 301 * 83; k++) {
      seed = seed * 1664525u + 1013904223u;
      pixels[k] = kind == 0   ? 200
                  : kind == 1 ? (unsigned char)(k % 903 / 4 + k / 903)
                              : (unsigned char)(seed >> 24);
    }
    check_png(pixels, 301, 83);
  }
  check_png(pixels, 1, 1);
  free(pixels);
}

// ---- GIF, read back -----------------------------------------------------------------------------

// The stream of one picture: blocks of at most 255 bytes to an empty one. Returns how far it goes.
static size_t join_blocks(const unsigned char *at, unsigned char *out, size_t *count) {
  size_t used = 0;
  *count = 0;
  while (at[used] > 0) {
    memcpy(out + *count, at + used + 1, at[used]);
    *count += at[used];
    used += 1u + at[used];
  }
  return used + 1;
}

static size_t unpack(const unsigned char *stream, unsigned char *out, size_t room) {
  static int before[4096], length[4096];
  static unsigned char last[4096], first[4096];
  int next = 258, width = 9, previous = -1;
  bits b = {stream, 0};
  size_t used = 0;
  for (int k = 0; k < 256; k++)
    before[k] = -1, length[k] = 1, last[k] = first[k] = (unsigned char)k;
  for (int code = (int)take(&b, width); code != 257; code = (int)take(&b, width)) {
    if (code == 256) {
      next = 258, width = 9, previous = -1;
      continue;
    }
    if (previous >= 0 && next < 4096) {
      assert_true(code <= next);
      before[next] = previous;
      length[next] = length[previous] + 1;
      first[next] = first[previous];
      last[next] = code == next ? first[previous] : first[code];
      next++;
    }
    assert_true(used + (size_t)length[code] <= room);
    for (int k = code, at = length[code] - 1; k >= 0; k = before[k], at--)
      out[used + (size_t)at] = last[k];
    used += (size_t)length[code];
    previous = code;
    if (next == 1 << width && width < 12) width++;
  }
  return used;
}

static void gif_is_read_back_frame_by_frame(void **state) {
  (void)state;
  enum { W = 120, H = 90, FRAMES = 3 };
  unsigned char *pixels = malloc(3 * W * H), *stream = malloc(1 << 20), *index = malloc(W * H);
  unsigned char shown[W * H] = {0};
  hn_gif *gif = NULL;
  check_ok(hn_gif_create(W, H, 4, &gif));
  for (int f = 0; f < FRAMES; f++) {
    for (int k = 0; k < W * H; k++) {
      int x = k % W, y = k / W, inside = abs(x - 30 - 20 * f) < 12 && abs(y - 45) < 20;
      pixels[3 * k] = inside ? 250 : (unsigned char)(2 * x);
      pixels[3 * k + 1] = inside ? 20 : (unsigned char)(2 * y);
      pixels[3 * k + 2] = 60;
    }
    check_ok(hn_gif_add(gif, pixels));
  }
  size_t size = 0, count;
  const unsigned char *file = hn_gif_finish(gif, &size);
  assert_memory_equal(file, "GIF89a\x78\0\x5a\0", 10);
  const unsigned char *palette = file + 13, *at = palette + 768 + 19;
  for (int f = 0; f < FRAMES; f++) {
    assert_memory_equal(at, "\x21\xf9\4\5\4\0\xff\0\x2c", 9); // 0.04 s, 255 is transparent
    at += 18;
    assert_int_equal(*at++, 8);
    at += join_blocks(at, stream, &count);
    assert_int_equal(unpack(stream, index, W * H), W * H);
    for (int k = 0; k < W * H; k++) {
      assert_true(f > 0 || index[k] != 255);
      if (index[k] != 255) shown[k] = index[k];
    }
  }
  assert_int_equal(*at, 0x3b);
  assert_int_equal(at + 1 - file, size);
  long sum = 0; // the last picture: colors as in the first, or the nearest of them
  for (int k = 0; k < 3 * W * H; k++) sum += abs(palette[3 * shown[k / 3] + k % 3] - pixels[k]);
  check_near((double)sum / (3 * W * H), 0, 6);
  const unsigned char *box = palette + 3 * shown[45 * W + 70]; // the box where it is now
  assert_true(box[0] > 240 && box[1] < 30);
  hn_gif_free(gif);
  free(pixels);
  free(stream);
  free(index);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_nearer_hides_what_is_behind),
      cmocka_unit_test(glass_lets_through),
      cmocka_unit_test(things_cast_shadows),
      cmocka_unit_test(springs_and_dampers_look_like_themselves),
      cmocka_unit_test(a_film_goes_along),
      cmocka_unit_test(several_moments_stand_beside_each_other),
      cmocka_unit_test(frames_are_interpolated_and_nan_is_left_out),
      cmocka_unit_test(what_cannot_be_drawn_is_refused),
      cmocka_unit_test(png_is_read_back_to_the_bit),
      cmocka_unit_test(gif_is_read_back_frame_by_frame),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
