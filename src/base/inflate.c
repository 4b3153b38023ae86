// Deflated data, RFC 1951. See inflate.h.
#include "base/inflate.h"

#include <stdint.h>
#include <string.h>

enum { CODES = 288, LONGEST = 15 };

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

int hn_inflate(const unsigned char *in, size_t size, unsigned char *out, size_t wanted) {
  stream s = {.in = in, .end = in + size, .out = out, .room = wanted};
  for (int is_last = 0; !is_last && !s.is_bad;) {
    is_last = (int)take_bits(&s, 1);
    switch (take_bits(&s, 2)) {
    case 0: unpack_stored(&s); break;
    case 1: unpack_fixed(&s); break;
    case 2: unpack_dynamic(&s); break;
    default: s.is_bad = 1;
    }
  }
  return !s.is_bad && s.count == wanted;
}
