// Rows of four joints at once. Equations: joint_speeds.c, line by line.
#include "equations/joint_lanes.h"

#include <string.h>

#include "linalg/block_lanes.h"

int hn_joints_alike(const hn_joint_shape *four) {
  if (four[0].rows == 0) return 0;
  for (int l = 0; l < 4; l++) {
    const hn_joint_shape *s = &four[l];
    if (s->rows != four[0].rows || s->length > 0 || s->body[0] == HN_GROUND ||
        s->body[1] == HN_GROUND || memcmp(s->axis1, four[0].axis1, sizeof s->axis1) != 0 ||
        memcmp(s->axis2, four[0].axis2, sizeof s->axis2) != 0)
      return 0;
  }
  return 1;
}

#if HN_HAS_WIDE && defined(HN_LANES_BY_VECTORS)

#define HN_WIDE static inline __attribute__((always_inline, target("avx2")))

typedef struct vector {
  hn_four x, y, z;
} vector;

HN_WIDE vector add(vector a, vector b) { return (vector){a.x + b.x, a.y + b.y, a.z + b.z}; }
HN_WIDE vector subtract(vector a, vector b) { return (vector){a.x - b.x, a.y - b.y, a.z - b.z}; }
HN_WIDE vector negate(vector a) { return (vector){-a.x, -a.y, -a.z}; }
HN_WIDE hn_four dot(vector a, vector b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
HN_WIDE vector cross(vector a, vector b) {
  return (vector){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// Four rows of four become columns.
HN_WIDE void transpose(hn_four m[4]) {
  const hn_four p = __builtin_shufflevector(m[0], m[1], 0, 4, 2, 6);
  const hn_four q = __builtin_shufflevector(m[0], m[1], 1, 5, 3, 7);
  const hn_four r = __builtin_shufflevector(m[2], m[3], 0, 4, 2, 6);
  const hn_four s = __builtin_shufflevector(m[2], m[3], 1, 5, 3, 7);
  m[0] = __builtin_shufflevector(p, r, 0, 1, 4, 5);
  m[1] = __builtin_shufflevector(q, s, 0, 1, 4, 5);
  m[2] = __builtin_shufflevector(p, r, 2, 3, 6, 7);
  m[3] = __builtin_shufflevector(q, s, 2, 3, 6, 7);
}

// out[i]: number i of each of four arrays; `count` is a multiple of four.
HN_WIDE void gather(const double *const from[4], int count, hn_four *out) {
  HN_UNROLL for (int i = 0; i < count; i += 4) {
    HN_UNROLL for (int l = 0; l < 4; l++) out[i + l] = HN_FOUR_OF(from[l] + i);
    transpose(out + i);
  }
}

HN_WIDE vector vector_at(const hn_four *numbers) {
  return (vector){numbers[0], numbers[1], numbers[2]};
}

// Position, speeds and axes of four bodies: what a frame begins with.
typedef struct motion {
  vector r, v, w, a[3]; // a: rows of the matrix
} motion;

HN_WIDE motion motion_of(const hn_joint_shape *four, int slot, const hn_frame *frames) {
  const double *from[4];
  hn_four n[20];
  HN_UNROLL for (int l = 0; l < 4; l++) from[l] = &frames[four[l].body[slot]].r.x;
  gather(from, 20, n);
  return (motion){vector_at(n),
                  vector_at(n + 3),
                  vector_at(n + 6),
                  {vector_at(n + 9), vector_at(n + 12), vector_at(n + 15)}};
}

HN_WIDE vector turn(const motion *f, vector s) {
  return (vector){dot(f->a[0], s), dot(f->a[1], s), dot(f->a[2], s)};
}

typedef struct factor {
  vector x, rate, second;
} factor;

HN_WIDE factor seen_from(vector w1, vector x, vector xd, vector xdd) {
  const vector turned = cross(x, w1);
  const vector twice = {turned.x + 2 * xd.x, turned.y + 2 * xd.y, turned.z + 2 * xd.z};
  return (factor){x, add(xd, turned), add(xdd, cross(twice, w1))};
}

// Point and axes of four frames, in body axes.
typedef struct place {
  vector point, axes[3];
} place;

// quat_matrix, column by column.
HN_WIDE place place_of(const hn_joint_shape *four, int slot) {
  const double *from[4];
  hn_four n[4], p[4];
  HN_UNROLL for (int l = 0; l < 4; l++) from[l] = &four[l].frame[slot]->position.x;
  gather(from, 4, n);
  HN_UNROLL for (int l = 0; l < 4; l++) from[l] = &four[l].frame[slot]->orientation.w;
  gather(from, 4, p);
  const hn_four ww = p[0] * p[0], xx = p[1] * p[1], yy = p[2] * p[2], zz = p[3] * p[3];
  const hn_four wx = p[0] * p[1], wy = p[0] * p[2], wz = p[0] * p[3];
  const hn_four xy = p[1] * p[2], xz = p[1] * p[3], yz = p[2] * p[3];
  return (place){vector_at(n),
                 {{ww + xx - yy - zz, 2 * (xy + wz), 2 * (xz - wy)},
                  {2 * (xy - wz), ww - xx + yy - zz, 2 * (yz + wx)},
                  {2 * (xz + wy), 2 * (yz - wx), ww - xx - yy + zz}}};
}

HN_WIDE factor axis_seen_from(vector axis, vector w1, const motion *f2) {
  const vector b = turn(f2, axis);
  const vector bd = cross(f2->w, b);
  return seen_from(w1, b, bd, cross(f2->w, bd));
}

HN_WIDE void store_block(vector n1, vector m1, vector n2, vector m2, double *block, int step) {
  hn_four row[12] = {n1.x, n1.y, n1.z, m1.x, m1.y, m1.z, n2.x, n2.y, n2.z, m2.x, m2.y, m2.z};
  HN_UNROLL for (int i = 0; i < 12; i += 4) {
    transpose(row + i);
    HN_UNROLL for (int l = 0; l < 4; l++) HN_FOUR(block + l * step + i) = row[i + l];
  }
}

HN_WIDE void store_numbers(hn_four x, double *out, int step) {
  HN_UNROLL for (int l = 0; l < 4; l++) out[l * step] = x[l];
}

int hn_joints_in_lanes(void) { return hn_block_wide(); }

__attribute__((target("avx2"))) void hn_joints_in_speeds(const hn_joint_shape *four,
                                                         const hn_frame *frames, double *value,
                                                         double *rate, double *tau, double *block) {
  const motion f1 = motion_of(four, 0, frames), f2 = motion_of(four, 1, frames);
  const place place1 = place_of(four, 0), place2 = place_of(four, 1);
  const int rows = four[0].rows;
  const hn_four none = {0, 0, 0, 0};
  const vector zero = {none, none, none};
  const vector arm1 = turn(&f1, place1.point), arm2 = turn(&f2, place2.point);
  const vector turn1 = cross(f1.w, arm1), turn2 = cross(f2.w, arm2);
  const vector d = subtract(add(f2.r, arm2), add(f1.r, arm1));
  const vector dd = subtract(add(f2.v, turn2), add(f1.v, turn1));
  const vector ddd = subtract(cross(f2.w, turn2), cross(f1.w, turn1));
  const vector reach = add(d, arm1);
  const factor displacement = seen_from(f1.w, d, dd, ddd);
  const vector axes[3] = {turn(&f1, place1.axes[0]), turn(&f1, place1.axes[1]),
                          turn(&f1, place1.axes[2])};
  factor other = displacement;
  int last = -1;
  for (int k = 0; k < rows; k++, block += 12) {
    const vector a = axes[four[0].axis1[k]];
    const int axis2 = four[0].axis2[k];
    if (axis2 >= 0 && axis2 != last) other = axis_seen_from(place2.axes[last = axis2], f1.w, &f2);
    const factor *x = axis2 < 0 ? &displacement : &other;
    store_numbers(dot(a, x->x), value + k, rows);
    store_numbers(dot(a, x->rate), rate + k, rows);
    store_numbers(-dot(a, x->second), tau + k, rows);
    if (axis2 < 0) {
      store_block(negate(a), cross(a, reach), a, cross(arm2, a), block, 12 * rows);
    } else {
      const vector m = cross(a, other.x);
      store_block(zero, m, zero, negate(m), block, 12 * rows);
    }
  }
}

#else

int hn_joints_in_lanes(void) { return 0; }

void hn_joints_in_speeds(const hn_joint_shape *four, const hn_frame *frames, double *value,
                         double *rate, double *tau, double *block) {
  const int rows = four[0].rows;
  for (int l = 0; l < 4; l++, value += rows, rate += rows, tau += rows, block += 12 * rows)
    hn_joint_in_speeds(&four[l], frames, value, rate, tau, block);
}

#endif
