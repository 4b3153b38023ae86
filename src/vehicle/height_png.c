// Heights from gray pictures (PNG, RFC 2083) of 1 to 16 bits: black is 0, white is 1. The first row
// of a picture is its top, so that it comes last. Compressed data by RFC 1951 (inflate). Sizes are
// known before a byte is unpacked, and nothing is written beyond them. Out of scope: colors,
// interlaced pictures.
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "vehicle/height_file.h"

// Data of a picture may be a thousand times as long as its file: what memory it can ask for is bounded.
enum { POINTS_MOST = 1 << 24, CODES = 288, LONGEST = 15 };

static hn_status fail(const char *name, hn_error *error, const char *hint, const char *message) {
  hn_source at = {name, 0, 0};
  return hn_fail(error, HN_ERROR_SYNTAX, &at, NULL, hint, "%s", message);
}

static uint32_t big(const unsigned char *p) {
  return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

// ---- inflate ------------------------------------------------------------------------------------

// Bytes in, bytes out; is_bad: the data ended, or break a rule.
typedef struct stream {
  const unsigned char *in, *end;
  unsigned char *out;
  size_t room, count;
  uint32_t bits;
  int bit_count, is_bad;
} stream;

static unsigned take_bits(stream *s, int count) {
  while (s->bit_count < count) {
    if (s->in == s->end) {
      s->is_bad = 1;
      return 0;
    }
    s->bits |= (uint32_t)*s->in++ << s->bit_count;
    s->bit_count += 8;
  }
  unsigned value = s->bits & ((1u << count) - 1);
  s->bits >>= count;
  s->bit_count -= count;
  return value;
}

static void put(stream *s, unsigned byte) {
  if (s->count == s->room)
    s->is_bad = 1;
  else
    s->out[s->count++] = (unsigned char)byte;
}

// A canonical code: how many symbols have each length, and the symbols by length.
typedef struct code {
  int count[LONGEST + 1], symbol[CODES];
} code;

// 0: more codes than there are.
static int make_code(code *c, const unsigned char *length, int symbols) {
  int start[LONGEST + 2] = {0}, left = 1;
  memset(c->count, 0, sizeof c->count);
  for (int k = 0; k < symbols; k++) c->count[length[k]]++;
  c->count[0] = 0;
  for (int k = 1; k <= LONGEST; k++) {
    left = 2 * left - c->count[k];
    if (left < 0) return 0;
    start[k + 1] = start[k] + c->count[k];
  }
  for (int k = 0; k < symbols; k++)
    if (length[k]) c->symbol[start[length[k]]++] = k;
  return 1;
}

static int take_symbol(stream *s, const code *c) {
  int value = 0, first = 0, index = 0;
  for (int k = 1; k <= LONGEST && !s->is_bad; k++) {
    value |= (int)take_bits(s, 1);
    if (value - first < c->count[k]) return c->symbol[index + value - first];
    index += c->count[k];
    first = (first + c->count[k]) << 1;
    value <<= 1;
  }
  s->is_bad = 1;
  return 0;
}

static void copy_back(stream *s, size_t distance, int length) {
  if (distance > s->count) s->is_bad = 1;
  for (int k = 0; k < length && !s->is_bad; k++) put(s, s->out[s->count - distance]);
}

static void unpack(stream *s, const code *literals, const code *distances) {
  static const short base[29] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
  static const char more[29] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
  static const short far[30] = {1,    2,    3,    4,    5,    7,    9,    13,    17,    25,
                                33,   49,   65,   97,   129,  193,  257,  385,   513,   769,
                                1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
  while (!s->is_bad) {
    int symbol = take_symbol(s, literals);
    if (s->is_bad || symbol == 256) return;
    if (symbol < 256) {
      put(s, (unsigned)symbol);
      continue;
    }
    symbol -= 257;
    if (symbol >= 29) break;
    int length = base[symbol] + (int)take_bits(s, more[symbol]);
    int place = take_symbol(s, distances);
    if (place >= 30) break;
    int extra = place < 2 ? 0 : place / 2 - 1;
    copy_back(s, (size_t)far[place] + take_bits(s, extra), length);
  }
  s->is_bad = 1;
}

static void unpack_fixed(stream *s) {
  unsigned char length[CODES];
  code literals, distances;
  for (int k = 0; k < CODES; k++) length[k] = k < 144 ? 8 : k < 256 ? 9 : k < 280 ? 7 : 8;
  make_code(&literals, length, CODES);
  memset(length, 5, 30);
  make_code(&distances, length, 30);
  unpack(s, &literals, &distances);
}

static void unpack_dynamic(stream *s) {
  static const unsigned char order[19] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                          11, 4,  12, 3, 13, 2, 14, 1, 15};
  int literal_count = 257 + (int)take_bits(s, 5), distance_count = 1 + (int)take_bits(s, 5);
  int count = 4 + (int)take_bits(s, 4), have = 0;
  unsigned char length[CODES + 32] = {0}, own[19] = {0};
  code lengths, distances;
  for (int k = 0; k < count; k++) own[order[k]] = (unsigned char)take_bits(s, 3);
  if (literal_count > 286 || distance_count > 30 || !make_code(&lengths, own, 19)) s->is_bad = 1;
  while (have < literal_count + distance_count && !s->is_bad) {
    int symbol = take_symbol(s, &lengths), times = 1;
    unsigned char value = (unsigned char)symbol;
    if (symbol >= 16) {
      value = symbol == 16 && have > 0 ? length[have - 1] : 0;
      if (symbol == 16 && have == 0) s->is_bad = 1;
      times = symbol == 16   ? 3 + (int)take_bits(s, 2)
              : symbol == 17 ? 3 + (int)take_bits(s, 3)
                             : 11 + (int)take_bits(s, 7);
    }
    if (have + times > literal_count + distance_count) s->is_bad = 1;
    for (int k = 0; k < times && !s->is_bad; k++) length[have++] = value;
  }
  code literals;
  if (s->is_bad || !make_code(&literals, length, literal_count) ||
      !make_code(&distances, length + literal_count, distance_count))
    s->is_bad = 1;
  else
    unpack(s, &literals, &distances);
}

static void unpack_stored(stream *s) {
  s->bits = 0;
  s->bit_count = 0;
  if (s->end - s->in < 4) {
    s->is_bad = 1;
    return;
  }
  size_t length = (size_t)s->in[0] | (size_t)s->in[1] << 8;
  s->in += 4;
  if ((size_t)(s->end - s->in) < length || s->room - s->count < length) {
    s->is_bad = 1;
    return;
  }
  memcpy(s->out + s->count, s->in, length);
  s->in += length;
  s->count += length;
}

static uint32_t adler_of(const unsigned char *data, size_t count) {
  uint32_t a = 1, b = 0;
  for (size_t k = 0; k < count; k++) {
    a = (a + data[k]) % 65521;
    b = (b + a) % 65521;
  }
  return b << 16 | a;
}

// zlib: two bytes, blocks, sum of the bytes. 0: broken, or not as many bytes as wanted.
static int inflate_all(const unsigned char *in, size_t size, unsigned char *out, size_t wanted) {
  if (size < 6 || (in[0] & 15) != 8 || (in[0] * 256 + in[1]) % 31 != 0 || (in[1] & 32)) return 0;
  stream s = {.in = in + 2, .end = in + size - 4, .out = out, .room = wanted};
  for (int is_last = 0; !is_last && !s.is_bad;) {
    is_last = (int)take_bits(&s, 1);
    switch (take_bits(&s, 2)) {
    case 0: unpack_stored(&s); break;
    case 1: unpack_fixed(&s); break;
    case 2: unpack_dynamic(&s); break;
    default: s.is_bad = 1;
    }
  }
  return !s.is_bad && s.count == wanted && big(s.end) == adler_of(out, wanted);
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
