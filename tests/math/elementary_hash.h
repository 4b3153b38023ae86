// One hash of the results of all elementary functions at millions of arguments. It is the same with
// every compiler, processor and C library.
#ifndef HN_TESTS_MATH_ELEMENTARY_HASH_H
#define HN_TESTS_MATH_ELEMENTARY_HASH_H

#include <stdint.h>
#include <string.h>

#include "math/elementary.h"

#define HN_ELEMENTARY_HASH 0xf6215965f2e8509b
#define HN_ELEMENTARY_ARGUMENTS 200000 // twice, of 18 functions: more than seven million results

typedef double elementary_one(double x);
typedef double elementary_two(double x, double y);

static uint64_t next_bits(uint64_t *state) { // xorshift (Marsaglia)
  *state ^= *state << 13;
  *state ^= *state >> 7;
  return *state ^= *state << 17;
}

static double any_double(uint64_t *state) { // of any size, also NaN
  const uint64_t bits = next_bits(state);
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static double between(uint64_t *state, double size) { // -size .. size
  return size * ((double)(next_bits(state) >> 11) * 0x1p-52 - 1);
}

static uint64_t mixed(uint64_t hash, double y) {
  uint64_t bits = 1; // of every NaN
  if (y == y) memcpy(&bits, &y, sizeof bits);
  hash = (hash ^ bits) * 0x9e3779b97f4a7c15;
  return hash ^ hash >> 29;
}

static inline uint64_t elementary_hash(int arguments) {
  elementary_one *const ones[] = {hn_sin,  hn_cos, hn_tan,  hn_asin,  hn_acos,
                                  hn_atan, hn_exp, hn_exp2, hn_sinh,  hn_cosh,
                                  hn_tanh, hn_log, hn_log2, hn_log10, hn_cbrt};
  elementary_two *const twos[] = {hn_atan2, hn_pow, hn_hypot};
  const double sizes[] = {0.01, 1, 10, 1000, 1e7};
  uint64_t state = 0x2545f4914f6cdd1d, hash = 0;
  for (int k = 0; k < arguments; k++) {
    const double x = any_double(&state), y = any_double(&state);
    const double near_x = between(&state, sizes[k % 5]), near_y = between(&state, sizes[k / 5 % 5]);
    for (int f = 0; f < (int)(sizeof ones / sizeof ones[0]); f++)
      hash = mixed(mixed(hash, ones[f](x)), ones[f](near_x));
    for (int f = 0; f < (int)(sizeof twos / sizeof twos[0]); f++)
      hash = mixed(mixed(hash, twos[f](x, y)), twos[f](near_x, near_y));
    double sine, cosine;
    hn_sincos(near_x, &sine, &cosine);
    hash = mixed(mixed(hash, sine), cosine);
  }
  return hash;
}

#endif
