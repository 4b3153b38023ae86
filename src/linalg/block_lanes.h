// Numbers in lanes: two or four doubles worked on at once (base/variants.h). All functions are inlined
// with constant arguments; `wide` picks lanes of four.
#ifndef HN_LINALG_BLOCK_LANES_H
#define HN_LINALG_BLOCK_LANES_H

#include "linalg/block.h"

// `count` is 2, 4 or 6 (four and two); memory needs no alignment.

typedef struct hn_lanes {
  double v[6];
} hn_lanes;

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

typedef long long hn_two_bits __attribute__((vector_size(16)));
typedef long long hn_four_bits __attribute__((vector_size(32)));
typedef unsigned long long hn_two_words __attribute__((vector_size(16)));
typedef unsigned long long hn_four_words __attribute__((vector_size(32)));

// Statements for the halves a row of `count` numbers is made of.
#define HN_LANES(wide, count, four, two)                                                           \
  do {                                                                                             \
    if ((count) >= 4 && (wide)) {                                                                  \
      four;                                                                                        \
    } else {                                                                                       \
      HN_LANES_AT(0, two);                                                                         \
      if ((count) >= 4) HN_LANES_AT(2, two);                                                       \
    }                                                                                              \
    if ((count) == 6) HN_LANES_AT(4, two);                                                         \
  } while (0)
#define HN_LANES_AT(place, statement)                                                              \
  do {                                                                                             \
    enum { at = place };                                                                           \
    statement;                                                                                     \
  } while (0)

HN_INLINE void lanes_load(int wide, int count, hn_lanes *x, const double *p) {
  HN_LANES(wide, count, HN_FOUR(x->v) = HN_FOUR_OF(p), HN_TWO(x->v, at) = HN_TWO_OF(p, at));
}
HN_INLINE void lanes_fill(int wide, int count, hn_lanes *x, double f) {
  HN_LANES(wide, count, HN_FOUR(x->v) = ((hn_four){f, f, f, f}),
           HN_TWO(x->v, at) = ((hn_two){f, f}));
}
HN_INLINE void lanes_store(int wide, int count, const hn_lanes *x, double *p) {
  HN_LANES(wide, count, HN_FOUR(p) = HN_FOUR_OF(x->v), HN_TWO(p, at) = HN_TWO_OF(x->v, at));
}
// Numbers that came about in pairs: they are joined before they are stored, since a processor waits
// where four are read that were just written in two parts.
HN_INLINE void lanes_store_pairs(int wide, int count, const hn_lanes *x, double *p) {
  HN_LANES(wide, count, HN_FOUR(p) = HN_MIX4(HN_TWO_OF(x->v, 0), HN_TWO_OF(x->v, 2), 0, 1, 2, 3),
           HN_TWO(p, at) = HN_TWO_OF(x->v, at));
}
// `size` numbers and a zero behind an odd number of them
HN_INLINE void lanes_load_some(int wide, int size, hn_lanes *x, const double *p) {
  if (size > 1) lanes_load(wide, size / 2 * 2, x, p);
  if (size % 2) {
    const hn_two last = {p[size - 1], 0};
    HN_TWO(x->v, size - 1) = last;
  }
}
// `size` numbers and no more
HN_INLINE void lanes_store_some(int wide, int size, const hn_lanes *x, double *p) {
  if (size > 1) lanes_store(wide, size / 2 * 2, x, p);
  if (size % 2) {
    const hn_two last = HN_TWO_OF(x->v, size - 1);
    p[size - 1] = last[0];
  }
}
// f in four lanes and in two: where both are wanted the second is half of the first.
#define HN_SPREAD(wide, count, f)                                                                  \
  const hn_four f4 = {f, f, f, f};                                                                 \
  const hn_two f2 = (wide) && (count) == 6 ? HN_MIX2(f4, f4, 0, 1) : (hn_two) { f, f }
// y += f x
HN_INLINE void lanes_add(int wide, int count, hn_lanes *y, double f, const hn_lanes *x) {
  HN_SPREAD(wide, count, f);
  HN_LANES(wide, count, HN_FOUR(y->v) += f4 * HN_FOUR_OF(x->v),
           HN_TWO(y->v, at) += f2 * HN_TWO_OF(x->v, at));
}
// y -= f x
HN_INLINE void lanes_subtract(int wide, int count, hn_lanes *y, double f, const hn_lanes *x) {
  HN_SPREAD(wide, count, f);
  HN_LANES(wide, count, HN_FOUR(y->v) -= f4 * HN_FOUR_OF(x->v),
           HN_TWO(y->v, at) -= f2 * HN_TWO_OF(x->v, at));
}
// y = f x
HN_INLINE void lanes_scale(int wide, int count, hn_lanes *y, double f, const hn_lanes *x) {
  HN_SPREAD(wide, count, f);
  HN_LANES(wide, count, HN_FOUR(y->v) = f4 * HN_FOUR_OF(x->v),
           HN_TWO(y->v, at) = f2 * HN_TWO_OF(x->v, at));
}
#undef HN_SPREAD
// y += x z and y -= x z, number by number
HN_INLINE void lanes_add_product(int wide, int count, hn_lanes *y, const hn_lanes *x,
                                 const hn_lanes *z) {
  HN_LANES(wide, count, HN_FOUR(y->v) += HN_FOUR_OF(x->v) * HN_FOUR_OF(z->v),
           HN_TWO(y->v, at) += HN_TWO_OF(x->v, at) * HN_TWO_OF(z->v, at));
}
HN_INLINE void lanes_subtract_product(int wide, int count, hn_lanes *y, const hn_lanes *x,
                                      const hn_lanes *z) {
  HN_LANES(wide, count, HN_FOUR(y->v) -= HN_FOUR_OF(x->v) * HN_FOUR_OF(z->v),
           HN_TWO(y->v, at) -= HN_TWO_OF(x->v, at) * HN_TWO_OF(z->v, at));
}
// x = 1 / x
HN_INLINE void lanes_invert(int wide, int count, hn_lanes *x) {
  HN_LANES(wide, count, HN_FOUR(x->v) = 1 / HN_FOUR_OF(x->v),
           HN_TWO(x->v, at) = 1 / HN_TWO_OF(x->v, at));
}
// Four rows of four become columns.
HN_INLINE void lanes_transpose(int wide, hn_lanes *a, hn_lanes *b, hn_lanes *c, hn_lanes *d) {
  if (wide) {
    hn_four m[4] = {HN_FOUR(a->v), HN_FOUR(b->v), HN_FOUR(c->v), HN_FOUR(d->v)};
    hn_transpose(m);
    HN_FOUR(a->v) = m[0];
    HN_FOUR(b->v) = m[1];
    HN_FOUR(c->v) = m[2];
    HN_FOUR(d->v) = m[3];
  } else {
    const hn_two a0 = HN_TWO(a->v, 0), b0 = HN_TWO(b->v, 0), a1 = HN_TWO(a->v, 2);
    const hn_two b1 = HN_TWO(b->v, 2), c0 = HN_TWO(c->v, 0), d0 = HN_TWO(d->v, 0);
    const hn_two c1 = HN_TWO(c->v, 2), d1 = HN_TWO(d->v, 2);
    HN_TWO(a->v, 0) = HN_MIX2(a0, b0, 0, 2);
    HN_TWO(a->v, 2) = HN_MIX2(c0, d0, 0, 2);
    HN_TWO(b->v, 0) = HN_MIX2(a0, b0, 1, 3);
    HN_TWO(b->v, 2) = HN_MIX2(c0, d0, 1, 3);
    HN_TWO(c->v, 0) = HN_MIX2(a1, b1, 0, 2);
    HN_TWO(c->v, 2) = HN_MIX2(c1, d1, 0, 2);
    HN_TWO(d->v, 0) = HN_MIX2(a1, b1, 1, 3);
    HN_TWO(d->v, 2) = HN_MIX2(c1, d1, 1, 3);
  }
}
// a, b = columns of the four pairs p, q, r, s; and back.
HN_INLINE void lanes_join(int wide, hn_lanes *a, hn_lanes *b, const double *p, const double *q,
                          const double *r, const double *s) {
  const hn_two x = HN_TWO_OF(p, 0), y = HN_TWO_OF(q, 0), z = HN_TWO_OF(r, 0), w = HN_TWO_OF(s, 0);
  if (wide) {
    const hn_four even = HN_MIX4(x, z, 0, 1, 2, 3);
    const hn_four odd = HN_MIX4(y, w, 0, 1, 2, 3);
    HN_FOUR(a->v) = HN_MIX4(even, odd, 0, 4, 2, 6);
    HN_FOUR(b->v) = HN_MIX4(even, odd, 1, 5, 3, 7);
  } else {
    HN_TWO(a->v, 0) = HN_MIX2(x, y, 0, 2);
    HN_TWO(a->v, 2) = HN_MIX2(z, w, 0, 2);
    HN_TWO(b->v, 0) = HN_MIX2(x, y, 1, 3);
    HN_TWO(b->v, 2) = HN_MIX2(z, w, 1, 3);
  }
}
HN_INLINE void lanes_part(int wide, const hn_lanes *a, const hn_lanes *b, hn_lanes out[4]) {
  if (wide) {
    const hn_four x = HN_FOUR_OF(a->v), y = HN_FOUR_OF(b->v);
    const hn_four p = HN_MIX4(x, y, 0, 4, 2, 6);
    const hn_four q = HN_MIX4(x, y, 1, 5, 3, 7);
    HN_TWO(out[0].v, 0) = HN_MIX2(p, p, 0, 1);
    HN_TWO(out[1].v, 0) = HN_MIX2(q, q, 0, 1);
    HN_TWO(out[2].v, 0) = HN_MIX2(p, p, 2, 3);
    HN_TWO(out[3].v, 0) = HN_MIX2(q, q, 2, 3);
  } else {
    const hn_two a0 = HN_TWO_OF(a->v, 0), a1 = HN_TWO_OF(a->v, 2);
    const hn_two b0 = HN_TWO_OF(b->v, 0), b1 = HN_TWO_OF(b->v, 2);
    HN_TWO(out[0].v, 0) = HN_MIX2(a0, b0, 0, 2);
    HN_TWO(out[1].v, 0) = HN_MIX2(a0, b0, 1, 3);
    HN_TWO(out[2].v, 0) = HN_MIX2(a1, b1, 0, 2);
    HN_TWO(out[3].v, 0) = HN_MIX2(a1, b1, 1, 3);
  }
}
// x = |x|
HN_INLINE void lanes_size(int wide, int count, hn_lanes *x) {
  const long long all = 0x7fffffffffffffff; // but the sign
  HN_LANES(wide, count,
           HN_FOUR(x->v) =
               (hn_four)((hn_four_bits)HN_FOUR_OF(x->v) & ((hn_four_bits){all, all, all, all})),
           HN_TWO(x->v, at) =
               (hn_two)((hn_two_bits)HN_TWO_OF(x->v, at) & ((hn_two_bits){all, all})));
}
// y = x where x > y, number by number
#define HN_LARGER(lanes, y, x)                                                                     \
  (lanes)((((x) > (y)) & (lanes##_bits)(x)) | (~((x) > (y)) & (lanes##_bits)(y)))
// One instruction if the compiler knows it.
HN_INLINE hn_two lanes_larger(hn_two y, hn_two x) {
#if defined(__SSE2__)
  return (hn_two)_mm_max_pd((__m128d)x, (__m128d)y);
#else
  return HN_LARGER(hn_two, y, x);
#endif
}
HN_INLINE void lanes_raise(int wide, int count, hn_lanes *y, const hn_lanes *x) {
  HN_LANES(wide, count, HN_FOUR(y->v) = HN_LARGER(hn_four, HN_FOUR_OF(y->v), HN_FOUR_OF(x->v)),
           HN_TWO(y->v, at) = lanes_larger(HN_TWO_OF(y->v, at), HN_TWO_OF(x->v, at)));
}
#undef HN_LARGER
// The largest |number|; what is not a number is passed over.
HN_INLINE double lanes_most(int wide, int count, const hn_lanes *x) {
  hn_lanes size = *x;
  hn_two most = {0, 0};
  lanes_size(wide, count, &size);
  if (wide && count >= 4) {
    const hn_four four = HN_FOUR_OF(size.v);
    most = lanes_larger(most, HN_MIX2(four, four, 0, 1));
    most = lanes_larger(most, HN_MIX2(four, four, 2, 3));
  } else {
    most = lanes_larger(most, HN_TWO_OF(size.v, 0));
    if (count >= 4) most = lanes_larger(most, HN_TWO_OF(size.v, 2));
  }
  if (count == 6) most = lanes_larger(most, HN_TWO_OF(size.v, 4));
  return most[0] > most[1] ? most[0] : most[1];
}
// y = x z, number by number
HN_INLINE void lanes_multiply(int wide, int count, hn_lanes *y, const hn_lanes *x,
                              const hn_lanes *z) {
  HN_LANES(wide, count, HN_FOUR(y->v) = HN_FOUR_OF(x->v) * HN_FOUR_OF(z->v),
           HN_TWO(y->v, at) = HN_TWO_OF(x->v, at) * HN_TWO_OF(z->v, at));
}
// Six numbers, joined in registers: a processor waits where four are read that were just written one by
// one.
HN_INLINE void lanes_set(int wide, hn_lanes *x, double a, double b, double c, double d, double e,
                         double f) {
  const hn_two low = {a, b}, middle = {c, d}, high = {e, f};
  if (wide)
    HN_FOUR(x->v) = HN_MIX4(low, middle, 0, 1, 2, 3);
  else
    HN_TWO(x->v, 0) = low;
  if (!wide) HN_TWO(x->v, 2) = middle;
  HN_TWO(x->v, 4) = high;
}
// `size` numbers `step` apart, behind them ones, joined likewise.
HN_INLINE void lanes_collect(int wide, int size, hn_lanes *x, const double *p, int step) {
#define HN_ITEM(i) ((i) < size ? p[(i)*step] : 1)
  const hn_two low = {HN_ITEM(0), HN_ITEM(1)}, middle = {HN_ITEM(2), HN_ITEM(3)};
  const hn_two high = {HN_ITEM(4), HN_ITEM(5)};
  if (wide && size > 2)
    HN_FOUR(x->v) = HN_MIX4(low, middle, 0, 1, 2, 3);
  else
    HN_TWO(x->v, 0) = low;
  if (!wide && size > 2) HN_TWO(x->v, 2) = middle;
  if (size > 4) HN_TWO(x->v, 4) = high;
#undef HN_ITEM
}
// x = the power of two next to 1 / sqrt(x) (hn_unit_of), 1 where x is not above 0
HN_INLINE void lanes_unit(int wide, int count, hn_lanes *x) {
  const unsigned long long top = 1534ULL << 52, exponent = 0x7ffULL << 52;
  const long long one = 1023LL << 52;
#define HN_UNIT(lanes, x)                                                                          \
  (lanes)((((x) > 0) & (lanes##_bits)(top - (((lanes##_words)(x) >> 1) & exponent))) |             \
          (~((x) > 0) & one))
  HN_LANES(wide, count, HN_FOUR(x->v) = HN_UNIT(hn_four, HN_FOUR_OF(x->v)),
           HN_TWO(x->v, at) = HN_UNIT(hn_two, HN_TWO_OF(x->v, at)));
#undef HN_UNIT
}
// Even numbers added up, odd ones too. Halves of four are taken out of four, as they were written.
HN_INLINE hn_two lanes_halves(int wide, int count, const hn_lanes *x) {
  hn_two sum;
  if (wide && count >= 4) {
    const hn_four four = HN_FOUR_OF(x->v);
    sum = HN_MIX2(four, four, 0, 1) + HN_MIX2(four, four, 2, 3);
  } else {
    sum = HN_TWO_OF(x->v, 0);
    if (count >= 4) sum += HN_TWO_OF(x->v, 2);
  }
  if (count == 6) sum += HN_TWO_OF(x->v, 4);
  return sum;
}
// The sum of the numbers: even ones, odd ones, both.
HN_INLINE double lanes_sum(int wide, int count, const hn_lanes *x) {
  const hn_two sum = lanes_halves(wide, count, x);
  return sum[0] + sum[1];
}
// y[at], y[at + 1] -= the sums of x and z, each as lanes_sum.
HN_INLINE void lanes_subtract_sums(int wide, int count, hn_lanes *y, int at, const hn_lanes *x,
                                   const hn_lanes *z) {
  const hn_two a = lanes_halves(wide, count, x), b = lanes_halves(wide, count, z);
  HN_TWO(y->v, at) -= HN_MIX2(a, b, 0, 2) + HN_MIX2(a, b, 1, 3);
}
// The sums themselves.
HN_INLINE void lanes_set_sums(int wide, int count, hn_lanes *y, int at, const hn_lanes *x,
                              const hn_lanes *z) {
  const hn_two a = lanes_halves(wide, count, x), b = lanes_halves(wide, count, z);
  HN_TWO(y->v, at) = HN_MIX2(a, b, 0, 2) + HN_MIX2(a, b, 1, 3);
}

// Sums of J x of a node: the products of all its panels come together number by number (six for each
// row), and are added up along rows at the end.
HN_INLINE void lanes_begin_rows(int wide, int size, hn_lanes sum[6], const double *j, int step,
                                const hn_lanes *x) {
  HN_UNROLL for (int a = 0; a < size; a++) {
    lanes_load(wide, 6, &sum[a], j + step * a);
    lanes_multiply(wide, 6, &sum[a], &sum[a], x);
  }
}
HN_INLINE void lanes_add_rows(int wide, int size, hn_lanes sum[6], const double *j, int step,
                              const hn_lanes *x) {
  hn_lanes row;
  HN_UNROLL for (int a = 0; a < size; a++) {
    lanes_load(wide, 6, &row, j + step * a);
    lanes_add_product(wide, 6, &sum[a], &row, x);
  }
}
// out = the sums, two at a time; the last one of an odd number too, since a processor waits where a
// pair is read of which one number was just written.
HN_INLINE void lanes_end_rows(int wide, int size, hn_lanes *out, const hn_lanes sum[6]) {
  const hn_lanes nothing = {{0, 0, 0, 0, 0, 0}};
  HN_UNROLL for (int a = 0; a < size; a += 2)
      lanes_set_sums(wide, 6, out, a, &sum[a], a + 1 < size ? &sum[a + 1] : &nothing);
}

// y += |x|
HN_INLINE void lanes_add_size(int wide, int count, hn_lanes *y, const hn_lanes *x) {
  hn_lanes term = *x;
  lanes_size(wide, count, &term);
  lanes_add(wide, count, y, 1, &term);
}

#endif
