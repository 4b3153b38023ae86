// Block L D L' without square roots, right-looking: with S the block of a node, O its couplings to
// later nodes,
//
//   S = L D L',  Z = L^-1 O,  Y = D^-1 Z,  X = L^-T Y,   targets -= Z' Y
//
// X replaces O: then a solution needs matrix-vector products only, S^-1 r outside of the chain of
// dependencies, r_n -= X' r forward and y = S^-1 r - X y_n backward.
#include "linalg/block_factor.h"

#include "linalg/solver_lanes.h"

// ---- factorization ------------------------------------------------------------------------------

enum { ROW = 6 }; // length of the rows of Z and Y

// A pivot that is at least `least` in units, of the sign it must have.
HN_INLINE double sure_pivot(int is_body, double d, double unit, double least, double *lowest) {
  const double square = unit * unit, size = (is_body ? -d : d) * square;
  if (size > least) {
    if (!is_body && size < *lowest) *lowest = size;
    return d;
  }
  if (!is_body && least < *lowest) *lowest = least;
  return (is_body ? -least : least) / square;
}

// L (unit, strictly lower) and 1 / D replace the own block; lowest: the smallest pivot in units so
// far. Two pivots are eliminated together: a and then c - b b / a, whose inverse a / (a c - b b)
// need not wait for 1 / a.
HN_INLINE void factor_block(int wide, int size, int is_body, double *own, const double *unit,
                            const double *least, double *lowest) {
  const int pad = HN_PAD(size);
  double l[6][6];
  (void)wide;
  HN_UNROLL for (int i = 0; i < size; i++) {
    HN_UNROLL for (int j = 0; j <= i; j++) l[i][j] = own[i * pad + j];
  }
  HN_UNROLL for (int k = 0; k < size; k += 2) {
    const int m = k + 1;
    const double a = sure_pivot(is_body, l[k][k], unit[k], least[k], lowest), inverse = 1 / a;
    own[k * pad + k] = inverse;
    if (m == size) break;
    const double b = l[m][k], c = l[m][m], first = b * inverse, d = c - first * b;
    const double sure = sure_pivot(is_body, d, unit[m], least[m], lowest);
    const double next = sure == d ? a / (a * c - b * b) : 1 / sure;
    own[m * pad + k] = first;
    own[m * pad + m] = next;
    double one[6], two[6], rest[6];
    HN_UNROLL for (int i = m + 1; i < size; i++) {
      one[i] = l[i][k] * inverse;
      rest[i] = l[i][m] - one[i] * b;
      two[i] = rest[i] * next;
      own[i * pad + k] = one[i];
      own[i * pad + m] = two[i];
    }
    HN_UNROLL for (int i = m + 1; i < size; i++) {
      HN_UNROLL for (int j = m + 1; j <= i; j++) l[i][j] =
          l[i][j] - one[i] * l[j][k] - two[i] * rest[j];
    }
  }
}

// Z = L^-1 O, `lanes` columns of a block O whose rows are `pad` long.
HN_INLINE void solve_lower(int wide, int lanes, int size, int pad, const double *own,
                           const double *o, hn_lanes row[6]) {
  const int own_pad = HN_PAD(size);
  HN_UNROLL for (int i = 0; i < size; i++) lanes_load(wide, lanes, &row[i], o + i * pad);
  HN_UNROLL for (int k = 0; k < size; k++) {
    HN_UNROLL for (int i = k + 1; i < size; i++)
        lanes_subtract(wide, lanes, &row[i], own[i * own_pad + k], &row[k]);
  }
}

// `lanes` columns of a block O whose rows are `pad` long: Z and Y aside, X in their place.
HN_INLINE void solve_columns(int wide, int lanes, int size, int pad, const double *own, double *o,
                             double *z, double *y) {
  const int own_pad = HN_PAD(size);
  hn_lanes row[6];
  solve_lower(wide, lanes, size, pad, own, o, row);
  HN_UNROLL for (int i = 0; i < size; i++) {
    lanes_store(wide, lanes, &row[i], z + i * ROW);
    lanes_scale(wide, lanes, &row[i], own[i * own_pad + i], &row[i]);
    lanes_store(wide, lanes, &row[i], y + i * ROW);
  }
  HN_UNROLL for (int k = size - 1; k > 0; k--) {
    HN_UNROLL for (int i = 0; i < k; i++)
        lanes_subtract(wide, lanes, &row[i], own[k * own_pad + i], &row[k]);
  }
  HN_UNROLL for (int i = 0; i < size; i++) lanes_store(wide, lanes, &row[i], o + i * pad);
}

HN_INLINE void solve_block(int wide, int pad, int size, const double *own, double *o, double *z,
                           double *y) {
  if (pad == 6 && wide) { // numbers of L are spread once for all six
    solve_columns(wide, 6, size, pad, own, o, z, y);
    return;
  }
  if (pad >= 4) solve_columns(wide, 4, size, pad, own, o, z, y);
  if (pad == 2) solve_columns(wide, 2, size, pad, own, o, z, y);
  if (pad == 6) solve_columns(wide, 2, size, pad, own, o + 4, z + 4, y + 4);
}

// Rows `first` ... `last` of `lanes` columns of the target -= Z' Y, with Y in registers.
HN_INLINE void subtract_rows(int wide, int lanes, int size, int pad, int first, int last,
                             const double *z, const hn_lanes y[6], double *target) {
  target += first * pad;
  for (int a = first; a < last; a++, target += pad) {
    hn_lanes sum;
    lanes_load(wide, lanes, &sum, target);
    HN_UNROLL for (int k = 0; k < size; k++)
        lanes_subtract(wide, lanes, &sum, z[k * ROW + a], &y[k]);
    lanes_store(wide, lanes, &sum, target);
  }
}

// `lanes` columns of the target -= Z' Y, from row `first` on.
HN_INLINE void subtract_columns(int wide, int lanes, int size, int pad, int first, int rows,
                                const double *z, const double *y, double *target) {
  hn_lanes row[6];
  HN_UNROLL for (int k = 0; k < size; k++) lanes_load(wide, lanes, &row[k], y + k * ROW);
  subtract_rows(wide, lanes, size, pad, first, rows, z, row, target);
}

// Of a node's own block only what holds the lower triangle is needed.
HN_INLINE void subtract_block(int wide, int pad, int size, int is_own, int rows, const double *z,
                              const double *y, double *target) {
  if (pad == 6 && wide) {
    const int first = is_own ? 4 : 0;
    if (is_own) subtract_columns(wide, 4, size, pad, 0, 4, z, y, target);
    subtract_columns(wide, 6, size, pad, first, rows, z, y, target);
    return;
  }
  if (pad >= 4) subtract_columns(wide, 4, size, pad, 0, rows, z, y, target);
  if (pad == 2) subtract_columns(wide, 2, size, pad, 0, rows, z, y, target);
  if (pad == 6) subtract_columns(wide, 2, size, pad, is_own ? 4 : 0, rows, z, y + 4, target + 4);
}

// All of it at once where there is one neighbor: Y stays in registers until it is X.
HN_INLINE void eliminate_one(int wide, int pad, int size, int rows, const double *own, double *o,
                             double *z, double *target) {
  const int own_pad = HN_PAD(size), few = pad < 6 ? rows : 4;
  hn_lanes row[6];
  solve_lower(wide, pad, size, pad, own, o, row);
  HN_UNROLL for (int i = 0; i < size; i++) {
    lanes_store(wide, pad, &row[i], z + i * ROW);
    lanes_scale(wide, pad, &row[i], own[i * own_pad + i], &row[i]);
  }
  // what holds the lower triangle
  subtract_rows(wide, pad < 6 ? pad : 4, size, pad, 0, few, z, row, target);
  subtract_rows(wide, pad, size, pad, few, rows, z, row, target);
  HN_UNROLL for (int k = size - 1; k > 0; k--) {
    HN_UNROLL for (int i = 0; i < k; i++)
        lanes_subtract(wide, pad, &row[i], own[k * own_pad + i], &row[k]);
  }
  HN_UNROLL for (int i = 0; i < size; i++) lanes_store(wide, pad, &row[i], o + i * pad);
}

// After its own block is factored: the blocks of node k, and what they do to those of its neighbors.
HN_INLINE void eliminate(int wide, int size, const hn_topology *t, int k, double *values,
                         double *work) {
  const int first = t->neighbor_start[k], last = t->neighbor_start[k + 1];
  const int *target = t->target + t->pair_start[k];
  const double *own = values + t->at[k];
  double *z = work, *y = work + 36 * (last - first);
  if (wide && last == first + 1) { // narrow lanes would not stay in registers
    const int node = t->neighbor[first];
    HN_BY_PAD(wide, t->pad[node], eliminate_one, size, t->size[node], own, values + t->block[first],
              work, values + *target);
    return;
  }
  for (int i = first; i < last; i++, z += 36, y += 36)
    HN_BY_PAD(wide, t->pad[t->neighbor[i]], solve_block, size, own, values + t->block[i], z, y);
  z = work;
  for (int i = first; i < last; i++, z += 36) {
    const int node = t->neighbor[i], rows = t->size[node];
    y = z + 36 * (last - first);
    HN_BY_PAD(wide, t->pad[node], subtract_block, size, 1, rows, z, y, values + *target++);
    for (int j = i + 1; j < last; j++) {
      y += 36;
      HN_BY_PAD(wide, t->pad[t->neighbor[j]], subtract_block, size, 0, rows, z, y,
                values + *target++);
    }
  }
}

// The own blocks of uncoupled nodes come first, one after the other: each is a long chain of
// dependent operations, and a processor follows several of them at once.
HN_INLINE void factor(int wide, const hn_topology *t, const hn_system *s, const int *list,
                      const int *group_end, int from, int to, double *values, double *work,
                      double *lowest) {
  double low = *lowest;
  for (int begin = from, end; begin < to; begin = end) {
    end = group_end[begin];
    for (int i = begin; i < end; i++) {
      const int k = list ? list[i] : i;
      const double *limit = s->traits.is_light ? s->least + s->y_at[k] : s->least;
      const double *unit = s->r + s->y_at[k];
      double *own = values + t->at[k];
      if (t->order[k] < 0)
        factor_block(wide, 6, 1, own, unit, limit, &low);
      else
        HN_BY_SIZE(wide, t->size[k], factor_block, 0, own, unit, limit, &low);
    }
    for (int i = begin; i < end; i++) {
      const int k = list ? list[i] : i;
      HN_BY_SIZE(wide, t->size[k], eliminate, t, k, values, work);
    }
  }
  *lowest = low;
}

HN_VARIANTS(factor,
            (const hn_topology *t, const hn_system *s, const int *list, const int *group_end,
             int from, int to, double *values, double *work, double *lowest),
            (t, s, list, group_end, from, to, values, work, lowest))

void hn_block_factor(const hn_topology *t, const hn_system *s, const int *list,
                     const int *group_end, int from, int to, double *values, double *work,
                     double *lowest) {
  HN_PICK(s->wide, factor)(t, s, list, group_end, from, to, values, work, lowest);
}

// ---- solution -----------------------------------------------------------------------------------

// y_n += X' y for a neighbor n.
HN_INLINE void push(int wide, int pad, int size, const double *x, const double *part,
                    double *other) {
  hn_lanes sum, row;
  lanes_load(wide, pad, &sum, other);
  HN_UNROLL for (int i = 0; i < size; i++) {
    lanes_load(wide, pad, &row, x + i * pad);
    lanes_add(wide, pad, &sum, part[i], &row);
  }
  lanes_store(wide, pad, &sum, other);
}

// J t - y, where y has the shares of all earlier nodes; to all neighbors, then y = S^-1 of it.
HN_INLINE void forward_node(int wide, int size, const hn_topology *t, const hn_system *s, int k,
                            const double *values, double *y) {
  const int pad = HN_PAD(size);
  const double *l = values + t->at[k];
  double *own = y + s->y_at[k];
  hn_lanes sum;
  double *part = sum.v;
  if (s->sweep.x_is_zero)
    lanes_fill(0, pad, &sum, 0);
  else
    hn_node_product(wide, size, s, k, s->sweep.rest, &sum);
  HN_UNROLL for (int i = 0; i < size; i++) part[i] -= own[i];
  for (int e = t->neighbor_start[k]; e < t->neighbor_start[k + 1]; e++)
    HN_BY_PAD(wide, t->pad[t->neighbor[e]], push, size, values + t->block[e], part,
              y + t->push_at[e]);
  HN_UNROLL for (int j = 0; j < size; j++) {
    HN_UNROLL for (int i = j + 1; i < size; i++) part[i] -= l[i * pad + j] * part[j];
  }
  HN_UNROLL for (int i = 0; i < size; i++) part[i] *= l[i * pad + i];
  HN_UNROLL for (int j = size - 1; j > 0; j--) {
    HN_UNROLL for (int i = 0; i < j; i++) part[i] -= l[j * pad + i] * part[j];
  }
  HN_UNROLL for (int i = 0; i < size; i++) own[i] = part[i];
}

// part -= X y_n, two rows at a time: numbers stay in lanes, which the next node will load.
HN_INLINE void pull(int wide, int pad, int size, const double *x, const double *other,
                    hn_lanes *part) {
  hn_lanes from, row, next;
  lanes_load(wide, pad, &from, other);
  HN_UNROLL for (int i = 0; i < size; i += 2) {
    lanes_load(wide, pad, &row, x + i * pad);
    lanes_multiply(wide, pad, &row, &row, &from);
    if (i + 1 < size) {
      lanes_load(wide, pad, &next, x + (i + 1) * pad);
      lanes_multiply(wide, pad, &next, &next, &from);
    } else {
      lanes_scale(wide, pad, &next, 0, &from);
    }
    lanes_subtract_sums(wide, pad, part, i, &row, &next);
  }
}

HN_INLINE void backward_node(int wide, int size, const hn_topology *t, const hn_system *s, int k,
                             const double *values, double *y) {
  const int own_pad = HN_PAD(size);
  double *own = y + s->y_at[k];
  hn_lanes part;
  lanes_load(0, own_pad, &part, own);
  for (int e = t->neighbor_start[k]; e < t->neighbor_start[k + 1]; e++) {
    const int n = t->neighbor[e];
    HN_BY_PAD(wide, t->pad[n], pull, size, values + t->block[e], y + s->y_at[n], &part);
  }
  lanes_store_pairs(wide, own_pad, &part, own);
}

// The blocks of node k will be read soon, those of its first neighbor at least.
HN_INLINE void foresee_couplings(const hn_topology *t, int k, const double *values) {
  enum { LINE = 8 }; // numbers
  const int e = t->neighbor_start[k];
  if (e == t->neighbor_start[k + 1]) return;
  const double *x = values + t->block[e];
  for (int i = 0; i < t->size[k] * 6; i += LINE) HN_PREFETCH(x + i);
}

HN_INLINE void foresee_all(const hn_topology *t, int k, const double *values) {
  enum { LINE = 8 }; // numbers
  const double *x = values + t->at[k];
  for (int i = 0; i < t->size[k] * 12; i += LINE) HN_PREFETCH(x + i);
}

HN_INLINE void forward(int wide, const hn_topology *t, const hn_system *s, const int *list,
                       int from, int to, const double *values, double *y) {
  if (!list && !s->traits.is_large) { // a short way around each node
    for (int k = from; k < to; k++) HN_BY_SIZE(wide, t->size[k], forward_node, t, s, k, values, y);
    return;
  }
  for (int i = from; i < to; i++) {
    const int k = list ? list[i] : i;
    const int ahead = i + HN_FORESIGHT < to ? i + HN_FORESIGHT : i;
    if (s->traits.is_large && !s->sweep.x_is_zero)
      hn_node_foresee(s, list ? list[ahead] : ahead);
    else if (s->traits.is_large)
      foresee_all(t, list ? list[ahead] : ahead, values);
    HN_BY_SIZE(wide, t->size[k], forward_node, t, s, k, values, y);
  }
}

HN_INLINE void backward(int wide, const hn_topology *t, const hn_system *s, const int *list,
                        int from, int to, const double *values, double *y) {
  if (!list && !s->traits.is_large) {
    for (int k = to - 1; k >= from; k--)
      HN_BY_SIZE(wide, t->size[k], backward_node, t, s, k, values, y);
    return;
  }
  for (int i = to - 1; i >= from; i--) {
    const int k = list ? list[i] : i;
    const int ahead = i - HN_FORESIGHT >= from ? i - HN_FORESIGHT : from;
    if (s->traits.is_large) foresee_couplings(t, list ? list[ahead] : ahead, values);
    HN_BY_SIZE(wide, t->size[k], backward_node, t, s, k, values, y);
  }
}

#define HN_PARAMETERS                                                                              \
  (const hn_topology *t, const hn_system *s, const int *list, int from, int to,                    \
   const double *values, double *y)
HN_VARIANTS(forward, HN_PARAMETERS, (t, s, list, from, to, values, y))
HN_VARIANTS(backward, HN_PARAMETERS, (t, s, list, from, to, values, y))

void hn_block_forward(const hn_topology *t, const hn_system *s, const int *list, int from, int to,
                      const double *values, double *y) {
  HN_PICK(s->wide, forward)(t, s, list, from, to, values, y);
}

void hn_block_backward(const hn_topology *t, const hn_system *s, const int *list, int from, int to,
                       const double *values, double *y) {
  HN_PICK(s->wide, backward)(t, s, list, from, to, values, y);
}
