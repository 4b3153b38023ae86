// How kernels on small blocks are written and compiled.
//
// Kernels are plain loops whose bounds are constants once inlined; sizes 1 to 6 are told apart by a
// switch outside. The same source is compiled for the machine the library is built for and, on
// x86-64, for AVX2; the choice is made when a solver is created. Lanes run across independent numbers
// only and nothing is contracted, so both give the same bits.
#ifndef HN_LINALG_BLOCK_H
#define HN_LINALG_BLOCK_H

#if defined(__GNUC__)
#define HN_INLINE static inline __attribute__((always_inline))
#else
#define HN_INLINE static inline
#endif

// HN_VARIANTS(name, (int n, double *x), (n, x)) makes name_plain and name_wide from an HN_INLINE
// function `name`; HN_PICK(wide, name) is one of them.
#if defined(__GNUC__) && defined(__x86_64__) && !defined(__AVX2__)
#define HN_HAS_WIDE 1
#define HN_VARIANTS(name, parameters, arguments)                                                   \
  static void name##_plain parameters { name arguments; }                                          \
  __attribute__((target("avx2"))) static void name##_wide parameters { name arguments; }
#define HN_PICK(wide, name) ((wide) ? name##_wide : name##_plain)
#else
#define HN_HAS_WIDE 0
#define HN_VARIANTS(name, parameters, arguments)                                                   \
  static void name##_plain parameters { name arguments; }
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

// Calls F(s, ...) with s a constant from 1 to 6.
#define HN_BY_SIZE(size, F, ...)                                                                   \
  switch (size) {                                                                                  \
  case 1: F(1, __VA_ARGS__); break;                                                                \
  case 2: F(2, __VA_ARGS__); break;                                                                \
  case 3: F(3, __VA_ARGS__); break;                                                                \
  case 4: F(4, __VA_ARGS__); break;                                                                \
  case 5: F(5, __VA_ARGS__); break;                                                                \
  default: F(6, __VA_ARGS__); break;                                                               \
  }

// Rows of blocks are padded to pairs.
#define HN_PAD(size) (((size) + 1) / 2 * 2)

#endif
