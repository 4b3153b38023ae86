// Heights from gray pictures (PNG, RFC 2083) of 1 to 16 bits: black is 0, white is 1. The first row
// of a picture is its top, so that it comes last. Sizes are known before a byte is unpacked. Out of
// scope: colors, interlaced pictures.
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "base/inflate.h"
#include "vehicle/height_file.h"

// Data of a picture may be a thousand times as long as its file: what memory it can ask for is bounded.
enum { POINTS_MOST = 1 << 24 };

static hn_status fail(const char *name, hn_error *error, const char *hint, const char *message) {
  hn_source at = {name, 0, 0};
  return hn_fail(error, HN_ERROR_SYNTAX, &at, NULL, hint, "%s", message);
}

static uint32_t big(const unsigned char *p) {
  return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

// ---- data ---------------------------------------------------------------------------------------

static uint32_t adler_of(const unsigned char *data, size_t count) {
  uint32_t a = 1, b = 0;
  for (size_t k = 0; k < count; k++) {
    a = (a + data[k]) % 65521;
    b = (b + a) % 65521;
  }
  return b << 16 | a;
}

// zlib: two bytes, deflated data, sum of the bytes. 0: broken, or not as many bytes as wanted.
static int inflate_all(const unsigned char *in, size_t size, unsigned char *out, size_t wanted) {
  if (size < 6 || (in[0] & 15) != 8 || (in[0] * 256 + in[1]) % 31 != 0 || (in[1] & 32)) return 0;
  return hn_inflate(in + 2, size - 6, out, wanted) && big(in + size - 4) == adler_of(out, wanted);
}

// ---- pictures -----------------------------------------------------------------------------------

typedef struct picture {
  uint32_t width, height;
  int bits, channels;
  unsigned char *packed; // all data together
  size_t packed_size;
} picture;

static hn_status read_head(const unsigned char *p, const char *name, picture *out,
                           hn_error *error) {
  *out = (picture){big(p), big(p + 4), p[8], p[9] == 4 ? 2 : 1, NULL, 0};
  if (p[9] != 0 && p[9] != 4)
    return fail(name, error, "Save it as 8 or 16 bit grayscale.",
                "the picture is in color, so its heights are undefined");
  if (p[12] != 0)
    return fail(name, error, "Save it without interlacing.", "the picture is interlaced");
  int known = p[8] == 8 || p[8] == 16 || (p[9] == 0 && (p[8] == 1 || p[8] == 2 || p[8] == 4));
  if (!known || p[10] != 0 || p[11] != 0)
    return fail(name, error, "Save it as 8 or 16 bit grayscale.",
                "the picture has an unknown header");
  if (out->width < 1 || out->height < 1 || out->width > POINTS_MOST / out->height)
    return fail(name, error, "Use fewer points, or an array of numbers (.npy).",
                "the picture must have 1 to 16777216 points, for instance 4096 x 4096");
  return HN_OK;
}

// Chunks: length, type, bytes, sum; the data of all IDAT are one stream.
static hn_status read_chunks(hn_arena *arena, const unsigned char *p, size_t size, const char *name,
                             picture *out, hn_error *error) {
  int has_head = 0;
  for (size_t at = 8; size - at >= 12;) {
    size_t length = big(p + at);
    const unsigned char *type = p + at + 4, *data = p + at + 8;
    if (length > size - at - 12) break;
    if (memcmp(type, "IHDR", 4) == 0) {
      if (length != 13 || has_head) break;
      hn_status status = read_head(data, name, out, error);
      if (status != HN_OK) return status;
      out->packed = hn_arena_take(arena, size, 1);
      if (!out->packed) return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
      has_head = 1;
    } else if (memcmp(type, "IDAT", 4) == 0 && has_head) {
      memcpy(out->packed + out->packed_size, data, length);
      out->packed_size += length;
    } else if (memcmp(type, "IEND", 4) == 0 && has_head) {
      return HN_OK;
    }
    at += length + 12;
  }
  return fail(name, error, "Save the picture again.", "the picture is truncated or damaged");
}

static unsigned char paeth(int a, int b, int c) {
  int p = a + b - c, pa = p > a ? p - a : a - p, pb = p > b ? p - b : b - p,
      pc = p > c ? p - c : c - p;
  return (unsigned char)(pa <= pb && pa <= pc ? a : pb <= pc ? b : c);
}

// One row, its filter undone; before: the row above, null for the first. 0: unknown filter.
static int unfilter(int filter, unsigned char *row, const unsigned char *before, size_t count,
                    size_t pixel) {
  if (filter > 4) return 0;
  for (size_t k = 0; k < count; k++) {
    int a = k >= pixel ? row[k - pixel] : 0, b = before ? before[k] : 0;
    int c = before && k >= pixel ? before[k - pixel] : 0;
    int add = filter == 1   ? a
              : filter == 2 ? b
              : filter == 3 ? (a + b) / 2
              : filter == 4 ? paeth(a, b, c)
                            : 0;
    row[k] = (unsigned char)(row[k] + add);
  }
  return 1;
}

static double grey_of(const unsigned char *row, size_t x, const picture *g) {
  if (g->bits == 16) {
    const unsigned char *p = row + 2 * x * (size_t)g->channels;
    return (p[0] * 256 + p[1]) / 65535.0;
  }
  if (g->bits == 8) return row[x * (size_t)g->channels] / 255.0;
  size_t bit = x * (size_t)g->bits;
  int most = (1 << g->bits) - 1;
  return (double)(row[bit / 8] >> (8 - g->bits - (int)(bit % 8)) & most) / most;
}

hn_status hn_heights_read_png(hn_arena *arena, const char *bytes, size_t size, const char *name,
                              hn_heights *out, hn_error *error) {
  static const unsigned char mark[8] = {137, 'P', 'N', 'G', 13, 10, 26, 10};
  const unsigned char *p = (const unsigned char *)bytes;
  picture g = {0};
  if (size < 8 || memcmp(p, mark, 8) != 0)
    return fail(name, error, "Use .csv, .txt, .npy or .png.", "this is not a PNG picture");
  hn_status status = read_chunks(arena, p, size, name, &g, error);
  if (status != HN_OK) return status;
  size_t row = ((size_t)g.width * (size_t)(g.bits * g.channels) + 7) / 8;
  size_t pixel = g.bits < 8 ? 1 : (size_t)(g.bits / 8 * g.channels), all = (row + 1) * g.height;
  // no byte of data makes more than 1032 bytes
  if (all / 1100 > g.packed_size)
    return fail(name, error, "Save the picture again.", "the picture is truncated or damaged");
  unsigned char *raw = hn_arena_take(arena, all, 1);
  double *z = hn_arena_take(arena, (size_t)g.width * g.height, sizeof *z);
  if (!raw || !z) return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  int is_whole = inflate_all(g.packed, g.packed_size, raw, all);
  for (size_t y = 0; y < g.height && is_whole; y++) {
    unsigned char *line = raw + y * (row + 1) + 1;
    is_whole = unfilter(line[-1], line, y > 0 ? line - row - 1 : NULL, row, pixel);
    for (size_t x = 0; x < g.width && is_whole; x++)
      z[(g.height - 1 - y) * g.width + x] = grey_of(line, x, &g);
  }
  if (!is_whole)
    return fail(name, error, "Save the picture again.", "the picture is truncated or damaged");
  *out = (hn_heights){(int)g.width, (int)g.height, z};
  return HN_OK;
}
