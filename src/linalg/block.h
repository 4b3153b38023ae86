// How kernels on small blocks are written and compiled.
//
// Rows of blocks are padded to an even length and worked on in lanes (block_lanes.h); sizes are
// constants once a kernel is inlined, told apart by a switch outside. The same source is
// compiled for the machine the library is built for and, on x86-64, for AVX2; the choice is made when a
// solver is created. Lanes run across independent numbers, sums are taken in one order, and nothing is
// contracted, so both give the same bits.
#ifndef HN_LINALG_BLOCK_H
#define HN_LINALG_BLOCK_H

#include <stdint.h>
#include <string.h>

// Under sanitizers, which multiply the size of code, kernels of blocks stay plain loops over sizes known
// at run time, with numbers one by one: the same bits, without ten minutes of compiling a file. The
// kernels that users run are watched by valgrind in the optimized build (scripts/test-long). Files whose
// kernels are small define HN_BLOCK_PLAIN as 0: there sanitizers watch them too.
#if defined(HN_BLOCK_PLAIN)
#elif defined(__SANITIZE_ADDRESS__)
#define HN_BLOCK_PLAIN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HN_BLOCK_PLAIN 1
#endif
#endif
#ifndef HN_BLOCK_PLAIN
#define HN_BLOCK_PLAIN 0
#endif

#if defined(__GNUC__) && !HN_BLOCK_PLAIN
#define HN_INLINE static inline __attribute__((always_inline))
#else
#define HN_INLINE static inline
#endif

// Loops of a few rounds that must not stay loops.
#if HN_BLOCK_PLAIN
#define HN_UNROLL
#elif defined(__clang__)
#define HN_UNROLL _Pragma("clang loop unroll(full)")
#elif defined(__GNUC__)
#define HN_UNROLL _Pragma("GCC unroll 8")
#else
#define HN_UNROLL
#endif

// Asks for memory that will be read soon. Nodes are visited from several ends of a machine at once,
// which processors do not foresee.
#if defined(__GNUC__)
#define HN_PREFETCH(address) __builtin_prefetch(address)
#else
#define HN_PREFETCH(address) ((void)(address))
#endif

// HN_VARIANTS(name, (int n, double *x), (n, x)) makes name_plain and name_wide of an HN_INLINE function
// whose first argument is `wide`; HN_PICK(wide, name) is one of them.
#if defined(__GNUC__) && defined(__x86_64__) && !defined(__AVX2__) && !HN_BLOCK_PLAIN
#define HN_HAS_WIDE 1
#define HN_UNPACK(...) __VA_ARGS__
#define HN_VARIANTS(name, parameters, arguments)                                                   \
  static void name##_plain parameters { name(0, HN_UNPACK arguments); }                            \
  __attribute__((target("avx2"))) static void name##_wide parameters {                             \
    name(1, HN_UNPACK arguments);                                                                  \
  }
#define HN_PICK(wide, name) ((wide) ? name##_wide : name##_plain)
#else
#define HN_HAS_WIDE 0
#define HN_UNPACK(...) __VA_ARGS__
#if defined(__AVX2__)
#define HN_VARIANTS(name, parameters, arguments)                                                   \
  static void name##_plain parameters { name(1, HN_UNPACK arguments); }
#else
#define HN_VARIANTS(name, parameters, arguments)                                                   \
  static void name##_plain parameters { name(0, HN_UNPACK arguments); }
#endif
#define HN_PICK(wide, name) ((void)(wide), name##_plain)
#endif

// 1 when this machine runs the wide variants.
static inline int hn_block_wide(void) {
#if HN_HAS_WIDE
  return __builtin_cpu_supports("avx2") != 0;
#else
  return 0;
#endif
}

// The power of two next to 1 / sqrt(x), x > 0 and normal: half the exponent of x, rounded up.
static inline double hn_unit_of(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  // With e the exponent as it is stored, 1023 more than it is, the one wanted is
  // 1023 - floor((e - 1022) / 2) = 1534 - floor(e / 2).
  bits = ((uint64_t)1534 << 52) - ((bits >> 1) & (uint64_t)0x7ff << 52);
  memcpy(&x, &bits, sizeof x);
  return x;
}

// Rows of blocks are padded to pairs.
#define HN_PAD(size) (((size) + 1) / 2 * 2)

// Calls F(wide, size, ...) with size a constant from 1 to 6; the second form with an even number.
#if HN_BLOCK_PLAIN
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
