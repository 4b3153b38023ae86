// Vectors and 3 x 3 matrices over one kind of number: a double (vec.h), or several side by side
// (lanes.h). Included for each of them, with NUMBER, VECTOR {x, y, z}, MATRIX {m[3][3]}, the names
// OF_VECTOR and OF_MATRIX make, and how functions are declared (INLINE); sums are taken in one order.

INLINE VECTOR OF_VECTOR(add)(VECTOR a, VECTOR b) {
  return (VECTOR){a.x + b.x, a.y + b.y, a.z + b.z};
}
INLINE VECTOR OF_VECTOR(sub)(VECTOR a, VECTOR b) {
  return (VECTOR){a.x - b.x, a.y - b.y, a.z - b.z};
}
INLINE VECTOR OF_VECTOR(scale)(NUMBER s, VECTOR a) { return (VECTOR){s * a.x, s * a.y, s * a.z}; }
INLINE VECTOR OF_VECTOR(negate)(VECTOR a) { return (VECTOR){-a.x, -a.y, -a.z}; }
// a + s b
INLINE VECTOR OF_VECTOR(add_scaled)(VECTOR a, NUMBER s, VECTOR b) {
  return (VECTOR){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}
INLINE NUMBER OF_VECTOR(dot)(VECTOR a, VECTOR b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
INLINE VECTOR OF_VECTOR(cross)(VECTOR a, VECTOR b) {
  return (VECTOR){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

INLINE VECTOR OF_MATRIX(column)(MATRIX a, int j) {
  return (VECTOR){a.m[0][j], a.m[1][j], a.m[2][j]};
}
// A v
INLINE VECTOR OF_MATRIX(apply)(MATRIX a, VECTOR v) {
  return (VECTOR){a.m[0][0] * v.x + a.m[0][1] * v.y + a.m[0][2] * v.z,
                  a.m[1][0] * v.x + a.m[1][1] * v.y + a.m[1][2] * v.z,
                  a.m[2][0] * v.x + a.m[2][1] * v.y + a.m[2][2] * v.z};
}
// A' v
INLINE VECTOR OF_MATRIX(apply_transposed)(MATRIX a, VECTOR v) {
  return (VECTOR){a.m[0][0] * v.x + a.m[1][0] * v.y + a.m[2][0] * v.z,
                  a.m[0][1] * v.x + a.m[1][1] * v.y + a.m[2][1] * v.z,
                  a.m[0][2] * v.x + a.m[1][2] * v.y + a.m[2][2] * v.z};
}
INLINE MATRIX OF_MATRIX(multiply)(MATRIX a, MATRIX b) {
  MATRIX c;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      c.m[i][j] = a.m[i][0] * b.m[0][j] + a.m[i][1] * b.m[1][j] + a.m[i][2] * b.m[2][j];
  return c;
}
// Of Euler parameters (euler.h).
INLINE MATRIX OF_MATRIX(of_parameters)(NUMBER w, NUMBER x, NUMBER y, NUMBER z) {
  const NUMBER ww = w * w, xx = x * x, yy = y * y, zz = z * z, wx = w * x;
  const NUMBER wy = w * y, wz = w * z, xy = x * y, xz = x * z, yz = y * z;
  return (MATRIX){{{ww + xx - yy - zz, 2 * (xy - wz), 2 * (xz + wy)},
                   {2 * (xy + wz), ww - xx + yy - zz, 2 * (yz - wx)},
                   {2 * (xz - wy), 2 * (yz + wx), ww - xx - yy + zz}}};
}

#undef NUMBER
#undef VECTOR
#undef MATRIX
#undef OF_VECTOR
#undef OF_MATRIX
#undef INLINE
