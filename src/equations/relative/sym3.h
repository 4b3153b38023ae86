// Symmetric 3 x 3 matrices, for the recursions. All inline.
#ifndef HN_EQUATIONS_RELATIVE_SYM3_H
#define HN_EQUATIONS_RELATIVE_SYM3_H

#include "equations/relative/tree.h"

static inline hn_vec3 sym3_apply(hn_sym3 s, hn_vec3 v) {
  return (hn_vec3){s.xx * v.x + s.xy * v.y + s.xz * v.z, s.xy * v.x + s.yy * v.y + s.yz * v.z,
                   s.xz * v.x + s.yz * v.y + s.zz * v.z};
}
// R S R'
static inline hn_sym3 sym3_turn(hn_mat3 r, hn_sym3 s) {
  hn_vec3 ra = {r.m[0][0], r.m[0][1], r.m[0][2]}, rb = {r.m[1][0], r.m[1][1], r.m[1][2]},
          rc = {r.m[2][0], r.m[2][1], r.m[2][2]};
  hn_vec3 a = sym3_apply(s, ra), b = sym3_apply(s, rb), c = sym3_apply(s, rc);
  return (hn_sym3){vec3_dot(a, ra), vec3_dot(b, rb), vec3_dot(c, rc),
                   vec3_dot(a, rb), vec3_dot(a, rc), vec3_dot(b, rc)};
}
static inline void sym3_add(hn_sym3 *s, hn_sym3 t) {
  s->xx += t.xx;
  s->yy += t.yy;
  s->zz += t.zz;
  s->xy += t.xy;
  s->xz += t.xz;
  s->yz += t.yz;
}
// s - x y' where that is symmetric
static inline void sym3_subtract_outer(hn_sym3 *s, hn_vec3 x, hn_vec3 y) {
  s->xx -= x.x * y.x;
  s->yy -= x.y * y.y;
  s->zz -= x.z * y.z;
  s->xy -= x.x * y.y;
  s->xz -= x.x * y.z;
  s->yz -= x.y * y.z;
}

#endif
