// The matrices of Euler parameters written out: B(p, s), K(s, n), E(p) and G(p) of euler.h.
//
// From A(p) s = (e0^2 - e.e) s + 2 e (e.s) + 2 e0 e x s:
//
//   B(p, s) = 2 [ e0 s + e x s,  (e.s) I + e s' - s e' - e0 s~ ]
//   K(s, n) = 2 [ s.n            (s x n)'                  ]
//               [ s x n          s n' + n s' - (s.n) I     ]
//   E(p)    = [ -e,  e0 I + e~ ]
//   G(p)    = [ -e,  e0 I - e~ ]
//
// Products with these matrices that need no matrix are inline in euler.h.
#include "math/euler.h"

void hn_euler_b(hn_quat p, hn_vec3 s, double b[3][4]) {
  hn_vec3 e = quat_vector(p);
  hn_vec3 first = vec3_add_scaled(vec3_cross(e, s), p.w, s);
  hn_mat3 skew = mat3_skew(s);
  double es = vec3_dot(e, s);
  for (int i = 0; i < 3; i++) {
    double ei = vec3_get(e, i), si = vec3_get(s, i);
    b[i][0] = 2 * vec3_get(first, i);
    for (int j = 0; j < 3; j++)
      b[i][j + 1] =
          2 * ((i == j ? es : 0) + ei * vec3_get(s, j) - si * vec3_get(e, j) - p.w * skew.m[i][j]);
  }
}

void hn_euler_k(hn_vec3 s, hn_vec3 n, double k[4][4]) {
  hn_vec3 cross = vec3_cross(s, n);
  double sn = vec3_dot(s, n);
  k[0][0] = 2 * sn;
  for (int i = 0; i < 3; i++) {
    k[0][i + 1] = k[i + 1][0] = 2 * vec3_get(cross, i);
    for (int j = 0; j < 3; j++)
      k[i + 1][j + 1] = 2 * (vec3_get(s, i) * vec3_get(n, j) + vec3_get(n, i) * vec3_get(s, j) -
                             (i == j ? sn : 0));
  }
}

// [ -e, e0 I + sign e~ ]
static void rate_matrix(hn_quat p, double sign, double out[3][4]) {
  hn_vec3 e = quat_vector(p);
  hn_mat3 skew = mat3_skew(e);
  for (int i = 0; i < 3; i++) {
    out[i][0] = -vec3_get(e, i);
    for (int j = 0; j < 3; j++) out[i][j + 1] = (i == j ? p.w : 0) + sign * skew.m[i][j];
  }
}

void hn_euler_e(hn_quat p, double e[3][4]) { rate_matrix(p, 1, e); }

void hn_euler_g(hn_quat p, double g[3][4]) { rate_matrix(p, -1, g); }
