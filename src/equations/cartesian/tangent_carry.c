// Vectors of q carried from one position of the machine to another, as if each body kept them in its
// own axes: a matrix made at one position then serves at others, where bodies have turned. Stiff
// directions mostly turn with the bodies; for a body that spins in bearings (a wheel) its linear part
// is better left alone, and only the rotational part follows.
#include "equations/cartesian/tangent.h"

void hn_cartesian_carry(const hn_tangent *tangent, const double *from, const double *to,
                        hn_carry_kind kind, double *x) {
  for (int b = 0; b < tangent->n / 7; b++) {
    double *linear = &x[7 * b], *angular = &x[7 * b + 3];
    hn_quat p = quat_unit(quat_load(&from[7 * b + 3])), p_to = quat_unit(quat_load(&to[7 * b + 3]));
    hn_quat back = quat_conjugate(p), part = quat_load(angular);
    if (kind == HN_CARRY_STRAIGHT) { // (nu, w / 2) p of the same global w
      quat_store(angular, quat_multiply(quat_multiply(part, back), p_to));
      continue;
    }
    hn_quat turn = quat_multiply(p_to, back);
    quat_store(angular, quat_multiply(turn, part));
    vec3_store(linear, mat3_apply(quat_matrix(turn), vec3_load(linear)));
  }
}
