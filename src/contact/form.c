// One contact point from two cores: gap, place, and the derivatives of geometry.h.
#include <math.h>
#include <string.h>

#include "contact/geometry.h"
#include "linalg/rank.h"

void hn_contact_tangents(hn_vec3 n, hn_vec3 t[2]) {
  // The axis that n is least along; the same for equal n.
  double x = fabs(n.x), y = fabs(n.y), z = fabs(n.z);
  hn_vec3 axis = x <= y && x <= z ? vec3(1, 0, 0) : y <= z ? vec3(0, 1, 0) : vec3(0, 0, 1);
  t[0] = vec3_unit(vec3_sub(axis, vec3_scale(vec3_dot(axis, n), n)));
  t[1] = vec3_cross(n, t[0]);
}

// A and B of a form in the basis t.
static void in_basis(const hn_form *form, const hn_vec3 t[2], double a[2][2], double b[2][2]) {
  hn_vec3 e = vec3_dot(form->e, form->e) > 0 ? form->e : t[0];
  double c = vec3_dot(e, t[0]), s = vec3_dot(e, t[1]);
  const double along[2] = {c, s}, across[2] = {-s, c}; // e and n x e
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) {
      a[i][j] = form->a[0] * along[i] * along[j] + form->a[1] * across[i] * across[j];
      b[i][j] = form->b[0] * along[i] * along[j] + form->b[1] * across[i] * across[j];
    }
}

#define TOGETHER 1e-6 // m: points whose gaps differ by less are in contact at the same time

enum { UNKNOWNS = 4, MOTIONS = 12 };

// A motion of both bodies: their turns, and the motion of their material at c.
typedef struct pair_motion {
  hn_vec3 turn[2], moved[2];
} pair_motion;

static pair_motion unit_motion(int column, const hn_vec3 arm[2]) {
  pair_motion u = {{{0, 0, 0}, {0, 0, 0}}, {{0, 0, 0}, {0, 0, 0}}};
  int k = column / 6, axis = column % 3;
  hn_vec3 e = vec3(axis == 0, axis == 1, axis == 2);
  if (column % 6 < 3) {
    u.moved[k] = e;
  } else {
    u.turn[k] = e;
    u.moved[k] = vec3_cross(e, arm[k]);
  }
  return u;
}

static hn_vec3 in_plane(const hn_vec3 t[2], double x, double y) {
  return vec3_add(vec3_scale(x, t[0]), vec3_scale(y, t[1]));
}

// Equations for how the nearest points move along both surfaces (geometry.h), factored.
typedef struct nearest {
  hn_vec3 n, t[2];
  double a1[2][2], b1[2][2];
  double g, up;                 // up: from c of core 1 to the contact point
  double m[UNKNOWNS][UNKNOWNS]; // by columns
  int pivots[UNKNOWNS];
  int is_known; // 0: the nearest points are not determined
} nearest;

static void make_nearest(const hn_form *form1, const hn_form *form2, double g,
                         const hn_contact_point *p, nearest *near) {
  double a2[2][2], b2[2][2];
  near->n = p->normal;
  near->g = g;
  near->up = form1->radius + 0.5 * p->gap;
  hn_contact_tangents(near->n, near->t);
  in_basis(form1, near->t, near->a1, near->b1);
  in_basis(form2, near->t, a2, b2);
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) {
      near->m[j][i] = near->a1[i][j];
      near->m[2 + j][i] = a2[i][j];
      near->m[j][2 + i] = -(near->b1[i][j] + g * near->a1[i][j]);
      near->m[2 + j][2 + i] = b2[i][j];
    }
  hn_dense_lu(near->m[0], UNKNOWNS, near->pivots);
  near->is_known = 1;
  for (int k = 0; k < UNKNOWNS; k++)
    if (!(fabs(near->m[k][k]) > 1e-12)) near->is_known = 0;
}

// How normal and place follow a motion.
static void rates_of_nearest(const nearest *near, const pair_motion *u, hn_vec3 *dn, hn_vec3 *dc) {
  const hn_vec3 n = near->n;
  const double(*a)[2] = near->a1, (*b)[2] = near->b1;
  const hn_vec3 turn = vec3_cross(vec3_sub(u->turn[1], u->turn[0]), n);
  const hn_vec3 slide =
      vec3_add_scaled(vec3_sub(u->moved[0], u->moved[1]), near->g, vec3_cross(u->turn[0], n));
  double s[UNKNOWNS] = {vec3_dot(near->t[0], turn), vec3_dot(near->t[1], turn),
                        vec3_dot(near->t[0], slide), vec3_dot(near->t[1], slide)};
  if (near->is_known)
    hn_dense_lu_solve(near->m[0], UNKNOWNS, near->pivots, s);
  else
    s[0] = s[1] = 0;
  *dn = vec3_add(vec3_cross(u->turn[0], n), in_plane(near->t, a[0][0] * s[0] + a[0][1] * s[1],
                                                     a[1][0] * s[0] + a[1][1] * s[1]));
  *dc = vec3_add(u->moved[0], in_plane(near->t, b[0][0] * s[0] + b[0][1] * s[1],
                                       b[1][0] * s[0] + b[1][1] * s[1]));
  const double dg = vec3_dot(n, vec3_sub(u->moved[1], u->moved[0]));
  *dc = vec3_add_scaled(vec3_add_scaled(*dc, near->up, *dn), 0.5 * dg, n);
}

static void differentiate(const hn_meeting *meeting, const hn_form *form1, const hn_form *form2,
                          double g, hn_contact_point *p) {
  const hn_frame *b1 = meeting->body1, *b2 = meeting->body2;
  const hn_vec3 arm[2] = {vec3_sub(form1->c, b1->r), vec3_sub(form2->c, b2->r)};
  nearest near;
  make_nearest(form1, form2, g, p, &near);
  const pair_motion now = {
      {b1->w, b2->w},
      {vec3_add(b1->v, vec3_cross(b1->w, arm[0])), vec3_add(b2->v, vec3_cross(b2->w, arm[1]))}};
  rates_of_nearest(&near, &now, &p->normal_rate, &p->point_rate);
  for (int k = 0; meeting->want == HN_CONTACT_DERIVATIVES && k < MOTIONS; k++) {
    const pair_motion unit = unit_motion(k, arm);
    hn_vec3 dn, dc;
    rates_of_nearest(&near, &unit, &dn, &dc);
    for (int i = 0; i < 3; i++) {
      p->normal_d[i][k] = vec3_get(dn, i);
      p->point_d[i][k] = vec3_get(dc, i);
    }
  }
}

// The radius of curvature for laws of contact: flat, round, or an edge.
static double curvature_radius(const hn_form *form) {
  double a = fmax(form->a[0], form->a[1]), b = form->a[0] > form->a[1] ? form->b[0] : form->b[1];
  if (!(a > 0)) return HUGE_VAL;
  return form->radius + b / a;
}

// The square of the distance from a point to the nearest of the others.
static double room_about(const hn_contact_point *points, hn_vec3 at, int own) {
  double least = HUGE_VAL;
  for (int k = 0; k < HN_CONTACT_POINTS; k++) {
    const hn_vec3 way = vec3_sub(points[k].point, at);
    if (k != own) least = fmin(least, vec3_dot(way, way));
  }
  return least;
}

// Index of the point to be replaced by a new one: the furthest, or if all are in contact at the
// same time the one closest to another, but never the nearest; -1: the new one itself.
static int least_needed(const hn_contact_point *points, double gap, hn_vec3 at) {
  int far = 0, near = 0, worst = -1;
  for (int k = 1; k < HN_CONTACT_POINTS; k++) {
    if (points[k].gap > points[far].gap) far = k;
    if (points[k].gap < points[near].gap) near = k;
  }
  const double least = fmin(gap, points[near].gap);
  if (fmax(gap, points[far].gap) > least + TOGETHER) return gap < points[far].gap ? far : -1;
  double crowded = gap < points[near].gap ? HUGE_VAL : room_about(points, at, -1);
  for (int k = 0; k < HN_CONTACT_POINTS; k++) {
    const hn_vec3 way = vec3_sub(points[k].point, at);
    const double room = fmin(room_about(points, points[k].point, k), vec3_dot(way, way));
    if (room >= crowded || (k == near && points[near].gap <= gap)) continue;
    crowded = room;
    worst = k;
  }
  return worst;
}

void hn_meeting_add(hn_meeting *meeting, const hn_form *form1, const hn_form *form2, hn_vec3 normal,
                    int feature, int is_inside) {
  double g = vec3_dot(normal, vec3_sub(form2->c, form1->c));
  const double gap = g - form1->radius - form2->radius;
  const hn_vec3 at = vec3_add_scaled(form1->c, form1->radius + 0.5 * gap, normal);
  const int is_full = meeting->count >= HN_CONTACT_POINTS;
  const int place = is_full ? least_needed(meeting->points, gap, at) : meeting->count;
  if (place < 0) return;
  if (!is_full) meeting->count++;
  hn_contact_point *p = &meeting->points[place];
  p->gap = gap;
  p->normal = normal;
  p->point = at;
  p->feature = feature;
  p->is_inside = is_inside;
  p->radius[0] = curvature_radius(form1);
  p->radius[1] = curvature_radius(form2);
  if (meeting->want != HN_CONTACT_PLACES) differentiate(meeting, form1, form2, g, p);
}

void hn_meeting_add_near(hn_meeting *meeting, const hn_form *form1, const hn_form *form2,
                         hn_vec3 otherwise, int feature) {
  hn_vec3 way = vec3_sub(form2->c, form1->c);
  double distance = vec3_norm(way);
  hn_vec3 n = distance > 1e-12 ? vec3_scale(1 / distance, way) : otherwise;
  hn_meeting_add(meeting, form1, form2, n, feature, 1);
}

// ---- motion -------------------------------------------------------------------------------------

hn_contact_motion hn_contact_motion_of(const hn_contact_point *p, const hn_frame *b1,
                                       const hn_frame *b2) {
  hn_contact_motion m;
  hn_vec3 v1 = vec3_add(b1->v, vec3_cross(b1->w, vec3_sub(p->point, b1->r)));
  hn_vec3 v2 = vec3_add(b2->v, vec3_cross(b2->w, vec3_sub(p->point, b2->r)));
  m.u = vec3_sub(v2, v1);
  m.gap_rate = vec3_dot(p->normal, m.u);
  m.slip = vec3_add_scaled(m.u, -m.gap_rate, p->normal);
  m.u_rest = vec3_sub(vec3_cross(b2->w, vec3_sub(p->point_rate, b2->v)),
                      vec3_cross(b1->w, vec3_sub(p->point_rate, b1->v)));
  m.gap_rest = vec3_dot(p->normal, m.u_rest) + vec3_dot(p->normal_rate, m.u);
  return m;
}

void hn_contact_wrench(const hn_contact_point *p, const hn_frame *b1, const hn_frame *b2,
                       hn_vec3 force, hn_wrench wrench[2]) {
  wrench[0] =
      (hn_wrench){vec3_negate(force), vec3_negate(vec3_cross(vec3_sub(p->point, b1->r), force))};
  wrench[1] = (hn_wrench){force, vec3_cross(vec3_sub(p->point, b2->r), force)};
}
