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
static void in_basis(const hn_form *form, hn_vec3 n, const hn_vec3 t[2], double a[2][2],
                     double b[2][2]) {
  hn_vec3 e = vec3_dot(form->e, form->e) > 0 ? form->e : t[0];
  double c = vec3_dot(e, t[0]), s = vec3_dot(e, t[1]);
  const double along[2] = {c, s}, across[2] = {-s, c}; // e and n x e
  (void)n;
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) {
      a[i][j] = form->a[0] * along[i] * along[j] + form->a[1] * across[i] * across[j];
      b[i][j] = form->b[0] * along[i] * along[j] + form->b[1] * across[i] * across[j];
    }
}

#define TOGETHER 1e-6 // m: points whose gaps differ by less are in contact at the same time

enum { UNKNOWNS = 4, MOTIONS = 12 };

// Right sides become solutions; 0 when the nearest points are not determined.
static int solve_for(double a[UNKNOWNS][UNKNOWNS], double right[MOTIONS][UNKNOWNS]) {
  int pivots[UNKNOWNS];
  hn_dense_lu(a[0], UNKNOWNS, pivots);
  for (int k = 0; k < UNKNOWNS; k++)
    if (!(fabs(a[k][k]) > 1e-12)) return 0;
  for (int k = 0; k < MOTIONS; k++) hn_dense_lu_solve(a[0], UNKNOWNS, pivots, right[k]);
  return 1;
}

// One unit motion: the turn of body k and the motion of its material at c.
typedef struct unit_motion {
  hn_vec3 turn[2], moved[2];
} unit_motion;

static unit_motion unit_of(int column, const hn_vec3 arm[2]) {
  unit_motion u = {{{0, 0, 0}, {0, 0, 0}}, {{0, 0, 0}, {0, 0, 0}}};
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

static void differentiate(const hn_form *form1, const hn_form *form2, double g,
                          const hn_vec3 arm[2], hn_contact_point *p) {
  hn_vec3 n = p->normal, t[2];
  hn_contact_tangents(n, t);
  double a1[2][2], b1[2][2], a2[2][2], b2[2][2];
  double m[UNKNOWNS][UNKNOWNS], right[MOTIONS][UNKNOWNS]; // by columns
  in_basis(form1, n, t, a1, b1);
  in_basis(form2, n, t, a2, b2);
  unit_motion unit[MOTIONS];
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) {
      m[j][i] = a1[i][j];
      m[2 + j][i] = a2[i][j];
      m[j][2 + i] = -(b1[i][j] + g * a1[i][j]);
      m[2 + j][2 + i] = b2[i][j];
    }
  for (int k = 0; k < MOTIONS; k++) {
    unit[k] = unit_of(k, arm);
    hn_vec3 turn = vec3_cross(vec3_sub(unit[k].turn[1], unit[k].turn[0]), n);
    hn_vec3 slide = vec3_add_scaled(vec3_sub(unit[k].moved[0], unit[k].moved[1]), g,
                                    vec3_cross(unit[k].turn[0], n));
    for (int i = 0; i < 2; i++) {
      right[k][i] = vec3_dot(t[i], turn);
      right[k][2 + i] = vec3_dot(t[i], slide);
    }
  }
  int is_known = solve_for(m, right);
  double up = form1->radius + 0.5 * p->gap;
  for (int k = 0; k < MOTIONS; k++) {
    double s[2] = {is_known ? right[k][0] : 0, is_known ? right[k][1] : 0};
    hn_vec3 dn =
        vec3_add(vec3_cross(unit[k].turn[0], n),
                 in_plane(t, a1[0][0] * s[0] + a1[0][1] * s[1], a1[1][0] * s[0] + a1[1][1] * s[1]));
    hn_vec3 dc = vec3_add(unit[k].moved[0], in_plane(t, b1[0][0] * s[0] + b1[0][1] * s[1],
                                                     b1[1][0] * s[0] + b1[1][1] * s[1]));
    double dg = vec3_dot(n, vec3_sub(unit[k].moved[1], unit[k].moved[0]));
    dc = vec3_add_scaled(vec3_add_scaled(dc, up, dn), 0.5 * dg, n);
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
  if (!meeting->derivatives) return;
  const hn_vec3 arm[2] = {vec3_sub(form1->c, meeting->body1->r),
                          vec3_sub(form2->c, meeting->body2->r)};
  differentiate(form1, form2, g, arm, p);
}

void hn_meeting_add_near(hn_meeting *meeting, const hn_form *form1, const hn_form *form2,
                         hn_vec3 otherwise, int feature) {
  hn_vec3 way = vec3_sub(form2->c, form1->c);
  double distance = vec3_norm(way);
  hn_vec3 n = distance > 1e-12 ? vec3_scale(1 / distance, way) : otherwise;
  hn_meeting_add(meeting, form1, form2, n, feature, 1);
}

// ---- motion -------------------------------------------------------------------------------------

static hn_vec3 along(const double d[3][12], const hn_frame *b1, const hn_frame *b2) {
  double out[3];
  for (int i = 0; i < 3; i++)
    out[i] = vec3_dot(vec3_load(&d[i][0]), b1->v) + vec3_dot(vec3_load(&d[i][3]), b1->w) +
             vec3_dot(vec3_load(&d[i][6]), b2->v) + vec3_dot(vec3_load(&d[i][9]), b2->w);
  return vec3_load(out);
}

hn_contact_motion hn_contact_motion_of(const hn_contact_point *p, const hn_frame *b1,
                                       const hn_frame *b2) {
  hn_contact_motion m;
  hn_vec3 v1 = vec3_add(b1->v, vec3_cross(b1->w, vec3_sub(p->point, b1->r)));
  hn_vec3 v2 = vec3_add(b2->v, vec3_cross(b2->w, vec3_sub(p->point, b2->r)));
  m.u = vec3_sub(v2, v1);
  m.gap_rate = vec3_dot(p->normal, m.u);
  m.slip = vec3_add_scaled(m.u, -m.gap_rate, p->normal);
  m.normal_rate = along(p->normal_d, b1, b2);
  m.point_rate = along(p->point_d, b1, b2);
  m.u_rest = vec3_sub(vec3_cross(b2->w, vec3_sub(m.point_rate, b2->v)),
                      vec3_cross(b1->w, vec3_sub(m.point_rate, b1->v)));
  m.gap_rest = vec3_dot(p->normal, m.u_rest) + vec3_dot(m.normal_rate, m.u);
  return m;
}

void hn_contact_wrench(const hn_contact_point *p, const hn_frame *b1, const hn_frame *b2,
                       hn_vec3 force, hn_wrench wrench[2]) {
  wrench[0] =
      (hn_wrench){vec3_negate(force), vec3_negate(vec3_cross(vec3_sub(p->point, b1->r), force))};
  wrench[1] = (hn_wrench){force, vec3_cross(vec3_sub(p->point, b2->r), force)};
}
