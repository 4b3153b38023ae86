// Kernels on small blocks: see base/variants.h for how they are compiled. Rows of blocks are padded
// to an even length and worked on in lanes (block_lanes.h); sizes are constants once a kernel is
// inlined, selected by a switch outside.
#ifndef HN_LINALG_BLOCK_H
#define HN_LINALG_BLOCK_H

#include <stdint.h>
#include <string.h>

#include "base/variants.h"

// The power of two next to 1 / sqrt(x), x > 0 and normal: half the exponent of x, rounded up.
static inline double hn_unit_of(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  // With e the exponent as stored, 1023 more than it is, the one wanted is 1023 - floor((e - 1022)
  // / 2) = 1534 - floor(e / 2).
  bits = ((uint64_t)1534 << 52) - ((bits >> 1) & (uint64_t)0x7ff << 52);
  memcpy(&x, &bits, sizeof x);
  return x;
}

// Rows of blocks are padded to pairs.
#define HN_PAD(size) (((size) + 1) / 2 * 2)

// Calls F(wide, size, ...) with size a constant from 1 to 6; the second form with an even number.
#if HN_IS_SANITIZED
#define HN_BY_SIZE(wide, size, F, ...) F(wide, size, __VA_ARGS__)
#define HN_BY_PAD(wide, pad, F, ...) F(wide, pad, __VA_ARGS__)
#else
#define HN_BY_SIZE(wide, size, F, ...)                                                             \
  do {                                                                                             \
    switch (size) {                                                                                \
    case 1: F(wide, 1, __VA_ARGS__); break;                                                        \
    case 2: F(wide, 2, __VA_ARGS__); break;                                                        \
    case 3: F(wide, 3, __VA_ARGS__); break;                                                        \
    case 4: F(wide, 4, __VA_ARGS__); break;                                                        \
    case 5: F(wide, 5, __VA_ARGS__); break;                                                        \
    default: F(wide, 6, __VA_ARGS__); break;                                                       \
    }                                                                                              \
  } while (0)
#define HN_BY_PAD(wide, pad, F, ...)                                                               \
  do {                                                                                             \
    switch (pad) {                                                                                 \
    case 2: F(wide, 2, __VA_ARGS__); break;                                                        \
    case 4: F(wide, 4, __VA_ARGS__); break;                                                        \
    default: F(wide, 6, __VA_ARGS__); break;                                                       \
    }                                                                                              \
  } while (0)
#endif

#endif
