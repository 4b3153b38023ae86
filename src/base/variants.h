// How kernels are compiled: inlined as a whole, with sizes that are constants then, for the
// computer the library is built for and, on x86-64, for AVX2 too. Which of them runs is decided
// once, when something that uses them is created. Lanes run across independent numbers, sums are
// taken in one order and nothing is contracted, so all give the same bits. HOLON_AVX2=OFF leaves
// the second out.
#ifndef HN_BASE_VARIANTS_H
#define HN_BASE_VARIANTS_H

// Sanitizers watch the same kernels with the same lanes; but, since they multiply the size of code,
// neither inlined nor unrolled, so that a file does not take ten minutes to compile.
#if defined(__SANITIZE_ADDRESS__)
#define HN_IS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HN_IS_SANITIZED 1
#endif
#endif
#ifndef HN_IS_SANITIZED
#define HN_IS_SANITIZED 0
#endif

#if defined(__GNUC__) && !HN_IS_SANITIZED
#define HN_INLINE static inline __attribute__((always_inline))
#else
#define HN_INLINE static inline
#endif

// Loops of up to 8 and of up to 40 rounds that must not stay loops.
#if HN_IS_SANITIZED
#define HN_UNROLL
#define HN_UNROLL_ALL
#elif defined(__clang__)
#define HN_UNROLL _Pragma("clang loop unroll(full)")
#define HN_UNROLL_ALL HN_UNROLL
#elif defined(__GNUC__)
#define HN_UNROLL _Pragma("GCC unroll 8")
#define HN_UNROLL_ALL _Pragma("GCC unroll 40")
#else
#define HN_UNROLL
#define HN_UNROLL_ALL
#endif

// Asks for memory that will be read soon. Nodes are visited from several ends of a model at once,
// which hardware does not prefetch.
#if defined(__GNUC__)
#define HN_PREFETCH(address) __builtin_prefetch(address)
#else
#define HN_PREFETCH(address) ((void)(address))
#endif

// HN_VARIANTS(name, (int n, double *x), (n, x)) makes name_plain and name_wide of an HN_INLINE function
// whose first argument is `wide`; HN_PICK(wide, name) is one of them. HN_WIDE is what the second is
// compiled for.
#define HN_UNPACK(...) __VA_ARGS__
#if defined(__x86_64__) && !defined(__AVX2__) && !defined(HN_NO_AVX2)
#define HN_HAS_WIDE 1
#define HN_WIDE __attribute__((target("avx2")))
#define HN_VARIANTS(name, parameters, arguments)                                                   \
  static void name##_plain parameters { name(0, HN_UNPACK arguments); }                            \
  HN_WIDE static void name##_wide parameters { name(1, HN_UNPACK arguments); }
#define HN_PICK(wide, name) ((wide) ? name##_wide : name##_plain)
#else
#define HN_HAS_WIDE 0
#define HN_WIDE
#if defined(__AVX2__)
#define HN_IS_WIDE 1
#else
#define HN_IS_WIDE 0
#endif
#define HN_VARIANTS(name, parameters, arguments)                                                   \
  static void name##_plain parameters { name(HN_IS_WIDE, HN_UNPACK arguments); }
#define HN_PICK(wide, name) ((void)(wide), name##_plain)
#endif

// Numbers side by side, by the vector types of the compiler; memory needs no alignment.
typedef double hn_two __attribute__((vector_size(16), aligned(8)));
typedef double hn_four __attribute__((vector_size(32), aligned(8)));
#define HN_TWO(p, k) (*(hn_two *)((p) + (k)))
#define HN_FOUR(p) (*(hn_four *)(p))
#define HN_TWO_OF(p, k) (*(const hn_two *)((p) + (k)))
#define HN_FOUR_OF(p) (*(const hn_four *)(p))

// Two or four numbers of x and, counted on, of y.
#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define HN_MIX2(x, y, i, j) __builtin_shufflevector(x, y, i, j)
#define HN_MIX4(x, y, i, j, k, l) __builtin_shufflevector(x, y, i, j, k, l)
#endif
#endif
#ifndef HN_MIX2
#define HN_COUNT_OF(x) ((int)(sizeof(x) / sizeof(double)))
#define HN_ONE_OF(x, y, i)                                                                         \
  ((i) < HN_COUNT_OF(x) ? (x)[(i) % HN_COUNT_OF(x)] : (y)[(i) % HN_COUNT_OF(x)])
#define HN_MIX2(x, y, i, j) ((hn_two){HN_ONE_OF(x, y, i), HN_ONE_OF(x, y, j)})
#define HN_MIX4(x, y, i, j, k, l)                                                                  \
  ((hn_four){HN_ONE_OF(x, y, i), HN_ONE_OF(x, y, j), HN_ONE_OF(x, y, k), HN_ONE_OF(x, y, l)})
#endif

// Four rows of four become columns.
HN_INLINE void hn_transpose(hn_four m[4]) {
  const hn_four p = HN_MIX4(m[0], m[1], 0, 4, 2, 6), q = HN_MIX4(m[0], m[1], 1, 5, 3, 7);
  const hn_four r = HN_MIX4(m[2], m[3], 0, 4, 2, 6), s = HN_MIX4(m[2], m[3], 1, 5, 3, 7);
  m[0] = HN_MIX4(p, r, 0, 1, 4, 5);
  m[1] = HN_MIX4(q, s, 0, 1, 4, 5);
  m[2] = HN_MIX4(p, r, 2, 3, 6, 7);
  m[3] = HN_MIX4(q, s, 2, 3, 6, 7);
}

// 1 when this machine runs the wide variants.
static inline int hn_is_wide(void) {
#if HN_HAS_WIDE
  return __builtin_cpu_supports("avx2") != 0;
#else
  return HN_IS_WIDE;
#endif
}

#endif
