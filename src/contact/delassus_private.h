// Shared parts of the dense solver (delassus.h): velocities, and Gaussian elimination.
#ifndef HN_CONTACT_DELASSUS_PRIVATE_H
#define HN_CONTACT_DELASSUS_PRIVATE_H

#include <math.h>

#include "base/variants.h"
#include "contact/delassus.h"

// The path through the inside (delassus_interior.c): where it is, in d->inner and d->dual.
typedef struct hn_delassus_path {
  double size, speed; // of impulses and of velocities
  double barrier;
  double share; // the last step, of the whole one
} hn_delassus_path;

// From the middle of all cones.
void hn_delassus_path_start(hn_delassus *problem, hn_delassus_path *path);
// One step of the path; the impulses are in d->p. 0: it ends.
int hn_delassus_path_advance(hn_delassus *problem, hn_delassus_path *path);

// u of block i at p.
HN_INLINE void velocity(const hn_delassus *d, int i, double u[4]) {
  hn_four a = HN_FOUR_OF(d->q[i]), b = {0, 0, 0, 0}, c = b;
  const double *w = hn_delassus_at(d, i, 0);
  for (int j = 0; j < d->count; j++, w += 12) {
    const double *p = d->p[j];
    a += HN_FOUR_OF(w) * p[0];
    if (hn_delassus_size(d->block[j].law) == 1) continue;
    b += HN_FOUR_OF(w + 4) * p[1];
    c += HN_FOUR_OF(w + 8) * p[2];
  }
  HN_FOUR(u) = a + b + c;
}

// Rows c .. c + 3 among themselves, from column c on; inverse: of their upper triangle. 0: a pivot is
// missing.
HN_INLINE int eliminate_block(double *at, int c, int width, hn_four inverse[4]) {
  double of[4];
  HN_UNROLL for (int i = 0; i < 4; i++) {
    const double *pivot = at + (size_t)i * (size_t)width;
    if (!(fabs(pivot[c + i]) > 0)) return 0;
    of[i] = 1 / pivot[c + i];
    for (int r = i + 1; r < 4; r++) {
      double *row = at + (size_t)r * (size_t)width;
      const double factor = row[c + i] * of[i];
      for (int k = c; k < width; k += 4) HN_FOUR(row + k) -= factor * HN_FOUR_OF(pivot + k);
    }
  }
  const double *r0 = at + c, *r1 = r0 + width, *r2 = r1 + width;
  const hn_four e0 = {1, 0, 0, 0}, e1 = {0, 1, 0, 0}, e2 = {0, 0, 1, 0}, e3 = {0, 0, 0, 1};
  inverse[3] = e3 * of[3];
  inverse[2] = (e2 - r2[3] * inverse[3]) * of[2];
  inverse[1] = (e1 - r1[2] * inverse[2] - r1[3] * inverse[3]) * of[1];
  inverse[0] = (e0 - r0[1] * inverse[1] - r0[2] * inverse[2] - r0[3] * inverse[3]) * of[0];
  return 1;
}

// Gauss's elimination without exchanges, four columns at a time: rows that hold are those of a definite
// matrix, the residual judges the rest. right: rows, a multiple of four, and the column of the right
// side. 0: a pivot is missing.
HN_INLINE int eliminate(hn_delassus *d, int right, int width) {
  double *x = d->x;
  for (int c = 0; c < right; c += 4) {
    double *p0 = d->matrix + (size_t)c * (size_t)width;
    const double *p1 = p0 + width, *p2 = p1 + width, *p3 = p2 + width;
    hn_four inverse[4];
    if (!eliminate_block(p0, c, width, inverse)) return 0;
    for (int r = c + 4; r < right; r++) {
      double *row = d->matrix + (size_t)r * (size_t)width, *at = row + c;
      const hn_four f =
          at[0] * inverse[0] + at[1] * inverse[1] + at[2] * inverse[2] + at[3] * inverse[3];
      for (int k = c + 4; k < width; k += 4)
        HN_FOUR(row + k) -= f[0] * HN_FOUR_OF(p0 + k) + f[1] * HN_FOUR_OF(p1 + k) +
                            f[2] * HN_FOUR_OF(p2 + k) + f[3] * HN_FOUR_OF(p3 + k);
    }
    hn_transpose(inverse); // columns, for what follows
    for (int i = 0; i < 4; i++) HN_FOUR(p0 + i * width + c) = inverse[i];
  }
  for (int r = 0; r < right; r++) x[r] = d->matrix[(size_t)r * (size_t)width + (size_t)right];
  for (int c = right - 4; c >= 0; c -= 4) {
    const double *block = d->matrix + (size_t)c * (size_t)width + c;
    const hn_four found = x[c] * HN_FOUR_OF(block) + x[c + 1] * HN_FOUR_OF(block + width) +
                          x[c + 2] * HN_FOUR_OF(block + 2 * width) +
                          x[c + 3] * HN_FOUR_OF(block + 3 * width);
    HN_FOUR(x + c) = found;
    for (int r = 0; r < c; r++) {
      const hn_four part = HN_FOUR_OF(d->matrix + (size_t)r * (size_t)width + c) * found;
      x[r] -= part[0] + part[1] + (part[2] + part[3]);
    }
  }
  return 1;
}

#endif
