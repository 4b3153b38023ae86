// PNG files of red, green and blue pixels.
//
// Every row is written as the difference from its neighbors that gives the smallest numbers (three
// filters of the five of the format). The rows are compressed by matches with what came before (hash
// chains) in the fixed code of deflate: no other library is needed.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/crc32.h"
#include "holon/picture.h"

// ---- bytes that grow ----------------------------------------------------------------------------

typedef struct bytes {
  unsigned char *data;
  size_t count, room;
  int has_failed;
  uint32_t bits; // not yet a byte
  int bit_count;
} bytes;

static void put(bytes *b, unsigned value) {
  if (b->count == b->room) {
    size_t room = b->room ? 2 * b->room : 65536;
    unsigned char *data = b->has_failed ? NULL : hn_reallocate(NULL, b->data, b->room, room);
    if (!data) {
      b->has_failed = 1;
      return;
    }
    b->data = data;
    b->room = room;
  }
  b->data[b->count++] = (unsigned char)value;
}

static void put_big(bytes *b, uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) put(b, value >> shift & 255);
}

// The lowest bit first.
static void put_bits(bytes *b, uint32_t value, int count) {
  b->bits |= value << b->bit_count;
  b->bit_count += count;
  while (b->bit_count >= 8) {
    put(b, b->bits & 255);
    b->bits >>= 8;
    b->bit_count -= 8;
  }
}

// Words of the code stand with their highest bit first.
static void put_code(bytes *b, uint32_t code, int count) {
  uint32_t turned = 0;
  for (int k = 0; k < count; k++) turned |= (code >> k & 1) << (count - 1 - k);
  put_bits(b, turned, count);
}

// ---- deflate ------------------------------------------------------------------------------------

static void put_symbol(bytes *b, unsigned symbol) {
  if (symbol < 144)
    put_code(b, 0x30 + symbol, 8);
  else if (symbol < 256)
    put_code(b, 0x190 + symbol - 144, 9);
  else if (symbol < 280)
    put_code(b, symbol - 256, 7);
  else
    put_code(b, 0xC0 + symbol - 280, 8);
}

// Lengths from 3 on, and distances from 1 on: groups of 2^extra values.
static void put_length(bytes *b, unsigned length) {
  if (length == 258) {
    put_symbol(b, 285);
    return;
  }
  unsigned value = length - 3, extra = 0;
  while (value >> (extra + 3)) extra++;
  unsigned symbol = 257 + 4 * extra + (value >> extra);
  put_symbol(b, symbol);
  put_bits(b, value & ((1u << extra) - 1), (int)extra);
}

static void put_distance(bytes *b, unsigned distance) {
  unsigned value = distance - 1, extra = 0;
  while (value >> (extra + 2)) extra++;
  put_code(b, 2 * extra + (value >> extra), 5);
  put_bits(b, value & ((1u << extra) - 1), (int)extra);
}

enum { HASHES = 1 << 15, WINDOW = 1 << 15, LONGEST = 258, TRIES = 48 };

static unsigned hash_of(const unsigned char *at) {
  return (at[0] * 2654435761u ^ at[1] * 40503u ^ at[2] * 69069u) >> 7 & (HASHES - 1);
}

typedef struct matcher {
  const unsigned char *data;
  size_t size;
  int *latest;  // position + 1 with a hash (HASHES)
  int *earlier; // position + 1 with the same hash before (WINDOW)
} matcher;

static void remember_byte(matcher *m, size_t at) {
  if (at + 3 > m->size) return;
  unsigned hash = hash_of(m->data + at);
  m->earlier[at & (WINDOW - 1)] = m->latest[hash];
  m->latest[hash] = (int)at + 1;
}

static unsigned find_match(const matcher *m, size_t at, unsigned *distance) {
  unsigned best = 0, most = LONGEST;
  if (at + 3 > m->size) return 0;
  if (m->size - at < most) most = (unsigned)(m->size - at);
  int next = m->latest[hash_of(m->data + at)];
  for (int tries = 0; next > 0 && tries < TRIES; tries++) {
    size_t from = (size_t)next - 1;
    if (at - from > WINDOW - 1) break;
    unsigned length = 0;
    while (length < most && m->data[from + length] == m->data[at + length]) length++;
    if (length > best) {
      best = length;
      *distance = (unsigned)(at - from);
      if (best == most) break;
    }
    next = m->earlier[from & (WINDOW - 1)];
  }
  return best >= 3 ? best : 0;
}

static void deflate(bytes *b, matcher *m) {
  put_bits(b, 1, 1); // the last block
  put_bits(b, 1, 2); // with the fixed code
  for (size_t at = 0; at < m->size;) {
    unsigned distance = 0, length = find_match(m, at, &distance);
    if (length > 0) {
      put_length(b, length);
      put_distance(b, distance);
    } else {
      put_symbol(b, m->data[at]);
      length = 1;
    }
    for (unsigned k = 0; k < length; k++) remember_byte(m, at++);
  }
  put_symbol(b, 256);
  put_bits(b, 0, 7); // to a whole byte
}

// ---- rows ---------------------------------------------------------------------------------------

static int nearest(int left, int above, int corner) {
  int guess = left + above - corner;
  int a = abs(guess - left), b = abs(guess - above), c = abs(guess - corner);
  return a <= b && a <= c ? left : b <= c ? above : corner;
}

static unsigned char filtered(const unsigned char *row, const unsigned char *above, size_t k,
                              int filter) {
  if (filter == 0) return row[k];
  int left = k >= 3 ? row[k - 3] : 0, up = above ? above[k] : 0;
  int corner = above && k >= 3 ? above[k - 3] : 0;
  return (unsigned char)(row[k] - (filter == 2 ? up : nearest(left, up, corner)));
}

static int cost_of(const unsigned char *row, const unsigned char *above, size_t width, int filter) {
  int cost = 0;
  for (size_t k = 0; k < width; k++) cost += abs((signed char)filtered(row, above, k, filter));
  return cost;
}

// Rows, each with the number of its filter in front.
static unsigned char *filter_rows(const unsigned char *pixels, size_t width, int height) {
  unsigned char *rows = hn_allocate(NULL, (size_t)height * (width + 1));
  if (!rows) return NULL;
  for (int y = 0; y < height; y++) {
    const unsigned char *row = pixels + (size_t)y * width, *above = y > 0 ? row - width : NULL;
    unsigned char *out = rows + (size_t)y * (width + 1);
    int best = 0, least = 0;
    for (int f = 0; f < 5; f += 2) { // none, above, nearest: the others rarely win
      int cost = cost_of(row, above, width, f);
      if (f > 0 && cost >= least) continue;
      least = cost;
      best = f;
    }
    out[0] = (unsigned char)best;
    for (size_t k = 0; k < width; k++) out[1 + k] = filtered(row, above, k, best);
  }
  return rows;
}

// ---- the file -----------------------------------------------------------------------------------

static uint32_t adler_of(const unsigned char *data, size_t count) {
  uint32_t a = 1, b = 0;
  for (size_t k = 0; k < count; k++) {
    a = (a + data[k]) % 65521;
    b = (b + a) % 65521;
  }
  return b << 16 | a;
}

static size_t begin_chunk(bytes *b, const char *name) {
  put_big(b, 0); // its length is put in at the end
  size_t begin = b->count;
  for (int k = 0; k < 4; k++) put(b, (unsigned char)name[k]);
  return begin;
}

static void end_chunk(bytes *b, size_t begin) {
  if (b->has_failed) return;
  uint32_t length = (uint32_t)(b->count - begin - 4);
  for (size_t k = 0; k < 4; k++) b->data[begin - 4 + k] = (unsigned char)(length >> (24 - 8 * k));
  put_big(b, hn_crc32(0, b->data + begin, b->count - begin));
}

static void put_image(bytes *b, matcher *m) {
  size_t begin = begin_chunk(b, "IDAT");
  put(b, 0x78);
  put(b, 0x01);
  deflate(b, m);
  put_big(b, adler_of(m->data, m->size));
  end_chunk(b, begin);
}

hn_status hn_png_encode(const unsigned char *pixels, int width, int height, unsigned char **result,
                        size_t *size) {
  static const unsigned char signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  if (!pixels || !result || !size || width < 1 || height < 1 || width > 16384 || height > 16384)
    return HN_ERROR_ARGUMENT;
  bytes b = {0};
  unsigned char *rows = filter_rows(pixels, 3 * (size_t)width, height);
  int *chains = hn_allocate(NULL, (HASHES + WINDOW) * sizeof *chains);
  if (rows && chains) {
    memset(chains, 0, (HASHES + WINDOW) * sizeof *chains);
    matcher m = {rows, (size_t)height * (3 * (size_t)width + 1), chains, chains + HASHES};
    for (int k = 0; k < 8; k++) put(&b, signature[k]);
    size_t begin = begin_chunk(&b, "IHDR");
    put_big(&b, (uint32_t)width);
    put_big(&b, (uint32_t)height);
    for (int k = 0; k < 5; k++) put(&b, (unsigned char)"\10\2\0\0\0"[k]); // 8 bits, red green blue
    end_chunk(&b, begin);
    put_image(&b, &m);
    end_chunk(&b, begin_chunk(&b, "IEND"));
  }
  int has_failed = !rows || !chains || b.has_failed;
  hn_release(NULL, rows);
  hn_release(NULL, chains);
  if (has_failed) hn_release(NULL, b.data);
  *result = has_failed ? NULL : b.data;
  *size = has_failed ? 0 : b.count;
  return has_failed ? HN_ERROR_MEMORY : HN_OK;
}

void hn_bytes_free(unsigned char *data) { hn_release(NULL, data); }
