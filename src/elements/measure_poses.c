// Measures against small motions of their two bodies. The covectors e, ed, edd of measure_motion.c
// determine them. With S the twist about O of a motion of the second body at fixed speeds, Y and a
// its velocity and acceleration there,
//
//   psd = dY - S x Y,   psdd = da - S x a - psd x Y
//   y_pi = e . S,   (y')_pi = ed . S + e . psd,   (y'')_pi = edd . S + 2 ed . psd + e . psdd
//   (y'')_w = 2 ed . S + e . (da - S x Y),        de = He S
//
// where in the last line S is a change of the speeds. Of the first body they are the negative, and
// de = S x e - He S, since nothing changes when both move alike.
#include "elements/measure_motion.h"

typedef struct pair {
  hn_measure_form form;
  hn_spatial_body body[2];
  hn_measure_motion m;
} pair;

// O is the origin of the first body.
static void move(const hn_measure *measure, const hn_frame *frames,
                 const hn_acceleration *acceleration, pair *p) {
  const hn_vec3 o = frames[measure->body[0]].r;
  for (int k = 0; k < 2; k++) {
    const hn_frame *f = &frames[measure->body[k]];
    hn_vec3 c = vec3_sub(f->r, o), a = vec3_negate(vec3_cross(f->w, f->v)), turn = vec3_zero();
    if (acceleration) {
      turn = acceleration[k].angular;
      a = vec3_add(a, vec3_sub(acceleration[k].linear, vec3_cross(turn, c)));
    }
    p->body[k] = (hn_spatial_body){f->a, c, {vec3_sub(f->v, vec3_cross(f->w, c)), f->w}, {a, turn}};
  }
  const hn_spatial_body *body[2] = {&p->body[0], &p->body[1]};
  hn_measure_compile(measure, &p->form);
  hn_measure_move(&p->form, body, 1, &p->m);
}

static double power(hn_twist s, hn_tree_wrench e) {
  return vec3_dot(s.v, e.f) + vec3_dot(s.w, e.n);
}

static hn_twist minus(hn_twist a, hn_twist b) {
  return (hn_twist){vec3_sub(a.v, b.v), vec3_sub(a.w, b.w)};
}

// How e changes with a motion S of the body of slot b.
static hn_tree_wrench change_of_e(const pair *p, double h[6][6], int b, hn_twist s) {
  const double x[6] = {s.v.x, s.v.y, s.v.z, s.w.x, s.w.y, s.w.z};
  double y[6] = {0};
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) y[i] += h[i][j] * x[j];
  hn_tree_wrench de = {vec3_load(y), vec3_load(y + 3)};
  if (b == 1) return de;
  hn_vec3 moment = vec3_add(vec3_cross(s.w, p->m.e.n), vec3_cross(s.v, p->m.e.f));
  return (hn_tree_wrench){vec3_sub(vec3_cross(s.w, p->m.e.f), de.f), vec3_sub(moment, de.n)};
}

// Derivatives along direction i of the body of slot b.
static void along(const pair *p, double h[6][6], int b, int i, hn_measure_tangent *out) {
  const hn_measure_motion *m = &p->m;
  const hn_spatial_body *body = &p->body[b];
  const hn_vec3 unit = vec3(i % 3 == 0, i % 3 == 1, i % 3 == 2), zero = vec3_zero();
  const hn_vec3 dr = i < 3 ? unit : zero, turn = i < 3 ? zero : unit;
  const hn_vec3 w = body->y.w, v = vec3_add(body->y.v, vec3_cross(w, body->centre));
  const hn_twist s = {vec3_sub(dr, vec3_cross(turn, body->centre)), turn};
  const hn_twist psd = minus((hn_twist){vec3_cross(dr, w), zero}, hn_twist_cross(s, body->y));
  const hn_twist rest = minus((hn_twist){zero, zero}, hn_twist_cross(s, body->a));
  const hn_twist psdd = minus(rest, hn_twist_cross(psd, body->y));
  const hn_twist faster = {vec3_sub(vec3_cross(v, turn), vec3_cross(w, dr)), zero};
  const double side = b ? 1 : -1;
  const int at = 6 * b + i;
  out->gradient[at] = side * power(s, m->e);
  out->rate_pose[at] = side * (power(s, m->ed) + power(psd, m->e));
  out->quadratic_pose[at] = side * (power(s, m->edd) + 2 * power(psd, m->ed) + power(psdd, m->e));
  out->quadratic_speed[at] =
      side * (2 * power(s, m->ed) + power(minus(faster, hn_twist_cross(s, body->y)), m->e));
  hn_tree_wrench de = change_of_e(p, h, b, s);
  for (int a = 0; a < 2; a++) {
    hn_vec3 n = vec3_sub(de.n, vec3_cross(p->body[a].centre, de.f));
    if (a == b) n = vec3_sub(n, vec3_cross(dr, m->e.f));
    for (int k = 0; k < 3; k++) {
      out->gradient_pose[6 * a + k][at] = (a ? 1 : -1) * vec3_get(de.f, k);
      out->gradient_pose[6 * a + 3 + k][at] = (a ? 1 : -1) * vec3_get(n, k);
    }
  }
}

// From y to the curve of y.
static void bend(const double *curve, hn_measure_tangent *m) {
  const hn_curve_value f = hn_curve_at(curve, m->value);
  const double rate = m->rate, quadratic = m->quadratic;
  for (int j = 0; j < HN_POSES; j++) {
    const double g = m->gradient[j];
    m->quadratic_pose[j] = f.d1 * m->quadratic_pose[j] +
                           f.d2 * (quadratic * g + 2 * rate * m->rate_pose[j]) +
                           f.d3 * rate * rate * g;
    m->quadratic_speed[j] = f.d1 * m->quadratic_speed[j] + 2 * f.d2 * rate * g;
    m->rate_pose[j] = f.d1 * m->rate_pose[j] + f.d2 * rate * g;
    for (int i = 0; i < HN_POSES; i++)
      m->gradient_pose[i][j] = f.d1 * m->gradient_pose[i][j] + f.d2 * m->gradient[i] * g;
  }
  for (int j = 0; j < HN_POSES; j++) m->gradient[j] *= f.d1;
  m->quadratic = f.d1 * quadratic + f.d2 * rate * rate;
  m->rate = f.d1 * rate;
  m->value = f.f;
}

void hn_measure_in_poses(const hn_measure *measure, const hn_frame *frames, const double *turns,
                         hn_measure_tangent *out) {
  pair p;
  double h[6][6] = {{0}};
  move(measure, frames, NULL, &p);
  hn_measure_add_curvature(&p.form, &p.m, 1, h);
  out->value = hn_measure_plain(measure, frames, turns);
  out->rate = p.m.rate;
  out->quadratic = p.m.second;
  for (int i = 0; i < HN_POSES; i++) along(&p, h, i / 6, i % 6, out);
  if (measure->curve) bend(measure->curve, out);
}

// About the origin c of a body that moves: n - c x f, and its rates.
void hn_measure_along(const hn_measure *measure, const hn_frame *frames,
                      const hn_acceleration acceleration[2], double gradient[3][HN_POSES]) {
  pair p;
  move(measure, frames, acceleration, &p);
  const hn_tree_wrench *e = &p.m.e, *ed = &p.m.ed, *edd = &p.m.edd;
  for (int k = 0; k < 2; k++) {
    const hn_vec3 c = p.body[k].centre, v = frames[measure->body[k]].v;
    const hn_vec3 a = acceleration ? acceleration[k].linear : vec3_zero();
    hn_vec3 n[3] = {vec3_sub(e->n, vec3_cross(c, e->f)), vec3_sub(ed->n, vec3_cross(c, ed->f)),
                    vec3_sub(edd->n, vec3_cross(c, edd->f))};
    n[1] = vec3_sub(n[1], vec3_cross(v, e->f));
    n[2] = vec3_sub(vec3_add_scaled(n[2], -2, vec3_cross(v, ed->f)), vec3_cross(a, e->f));
    const hn_vec3 f[3] = {e->f, ed->f, edd->f};
    for (int i = 0; i < 3; i++) {
      vec3_store(&gradient[i][6 * k], vec3_scale(k ? 1 : -1, f[i]));
      vec3_store(&gradient[i][6 * k + 3], vec3_scale(k ? 1 : -1, n[i]));
    }
  }
}
