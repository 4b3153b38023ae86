// Mass properties: turning, adding, and those of solids.
#include <math.h>

#include "formats/import/machine.h"
#include "linalg/rank.h"
#include "math/elementary.h"

void hn_inertia_turn(const double inertia[6], hn_mat3 r, double turned[6]) {
  hn_mat3 m = mat3_multiply(mat3_multiply(r, mat3_symmetric(inertia)), mat3_transpose(r));
  turned[0] = m.m[0][0];
  turned[1] = m.m[1][1];
  turned[2] = m.m[2][2];
  turned[3] = m.m[0][1];
  turned[4] = m.m[0][2];
  turned[5] = m.m[1][2];
}

void hn_inertia_bound(double inertia[6], double least, int is_balanced) {
  const double *i = inertia;
  double axes[9] = {i[0], i[3], i[4], i[3], i[1], i[5], i[4], i[5], i[2]}, p[3], work[9];
  if (hn_eigen_symmetric(axes, 3, p, work)) return;
  double sum = 0, off = p[0];
  for (int k = 0; k < 3; k++) sum += p[k] = fmax(p[k], least);
  int is_odd = p[0] + p[1] < (1 - 1e-12) * p[2]; // of a flat body they are equal
  if (off >= least && !(is_odd && is_balanced)) return;
  for (int k = 0; k < 3 && is_odd && is_balanced; k++) p[k] = sum / 3;
  const double bounded[6] = {p[0], p[1], p[2], 0, 0, 0};
  hn_mat3 turn;
  for (int row = 0; row < 3; row++)
    for (int k = 0; k < 3; k++) turn.m[row][k] = axes[3 * k + row];
  hn_inertia_turn(bounded, turn, inertia);
}

// Adds what a mass at d from the center has about it.
static void add_shifted(double inertia[6], double mass, hn_vec3 d) {
  double square = vec3_dot(d, d);
  inertia[0] += mass * (square - d.x * d.x);
  inertia[1] += mass * (square - d.y * d.y);
  inertia[2] += mass * (square - d.z * d.z);
  inertia[3] -= mass * d.x * d.y;
  inertia[4] -= mass * d.x * d.z;
  inertia[5] -= mass * d.y * d.z;
}

void hn_mass_add(hn_mass *a, const hn_mass *b) {
  double mass = a->mass + b->mass;
  for (int k = 0; k < 6; k++) a->inertia[k] += b->inertia[k];
  if (mass > 0) {
    hn_vec3 center = vec3_scale(
        1 / mass, vec3_add(vec3_scale(a->mass, a->center), vec3_scale(b->mass, b->center)));
    add_shifted(a->inertia, a->mass, vec3_sub(a->center, center));
    add_shifted(a->inertia, b->mass, vec3_sub(b->center, center));
    a->center = center;
  }
  a->mass = mass;
}

static hn_mass of_capsule(double radius, double length) {
  double r2 = radius * radius, l2 = length * length;
  double tube = HN_PI * r2 * length, ends = 4.0 / 3 * HN_PI * r2 * radius;
  double along = tube * r2 / 2 + ends * 2.0 / 5 * r2;
  double across =
      tube * (r2 / 4 + l2 / 12) + ends * (2.0 / 5 * r2 + l2 / 4 + 3.0 / 8 * radius * length);
  return (hn_mass){tube + ends, {0, 0, 0}, {across, across, along, 0, 0, 0}};
}

hn_mass hn_solid_mass(const hn_solid *solid) {
  hn_vec3 s = solid->size;
  double r = solid->radius, l = solid->length, v;
  switch (solid->kind) {
  case HN_SOLID_BOX:
    v = s.x * s.y * s.z;
    return (hn_mass){v,
                     {0, 0, 0},
                     {v * (s.y * s.y + s.z * s.z) / 12, v * (s.x * s.x + s.z * s.z) / 12,
                      v * (s.x * s.x + s.y * s.y) / 12, 0, 0, 0}};
  case HN_SOLID_SPHERE:
    v = 4.0 / 3 * HN_PI * r * r * r;
    return (hn_mass){v, {0, 0, 0}, {0.4 * v * r * r, 0.4 * v * r * r, 0.4 * v * r * r, 0, 0, 0}};
  case HN_SOLID_ELLIPSOID:
    v = 4.0 / 3 * HN_PI * s.x * s.y * s.z;
    return (hn_mass){v,
                     {0, 0, 0},
                     {0.2 * v * (s.y * s.y + s.z * s.z), 0.2 * v * (s.x * s.x + s.z * s.z),
                      0.2 * v * (s.x * s.x + s.y * s.y), 0, 0, 0}};
  case HN_SOLID_CYLINDER:
    v = HN_PI * r * r * l;
    return (hn_mass){
        v,
        {0, 0, 0},
        {v * (r * r / 4 + l * l / 12), v * (r * r / 4 + l * l / 12), v * r * r / 2, 0, 0, 0}};
  case HN_SOLID_CAPSULE: return of_capsule(r, l);
  case HN_SOLID_MESH:
  case HN_SOLID_PLANE: break;
  }
  return (hn_mass){0, {0, 0, 0}, {0}};
}

// ---- surfaces -----------------------------------------------------------------------------------

// Two faces perpendicular to the first of the edges a, b, c add to the moments about each of them.
static void add_faces(double a, double b, double c, double *of_a, double *of_b, double *of_c) {
  double area = 2 * b * c;
  *of_a += area * (b * b + c * c) / 12;
  *of_b += area * (c * c / 12 + a * a / 4);
  *of_c += area * (b * b / 12 + a * a / 4);
}

static hn_mass shell_of_box(hn_vec3 s) {
  hn_mass m = {2 * (s.x * s.y + s.x * s.z + s.y * s.z), {0, 0, 0}, {0}};
  double *i = m.inertia;
  add_faces(s.x, s.y, s.z, &i[0], &i[1], &i[2]);
  add_faces(s.y, s.z, s.x, &i[1], &i[2], &i[0]);
  add_faces(s.z, s.x, s.y, &i[2], &i[0], &i[1]);
  return m;
}

// The tube alone, and what its ends add: discs or half spheres.
static hn_mass shell_of_tube(double r, double l, int has_balls) {
  double tube = 2 * HN_PI * r * l, ends = (has_balls ? 4 : 2) * HN_PI * r * r;
  double far = has_balls ? (l + r) / 2 : l / 2;
  double along = tube * r * r + ends * r * r * (has_balls ? 2.0 / 3 : 0.5);
  double across =
      tube * (r * r / 2 + l * l / 12) + ends * (r * r * (has_balls ? 5.0 / 12 : 0.25) + far * far);
  return (hn_mass){tube + ends, {0, 0, 0}, {across, across, along, 0, 0, 0}};
}

// Area by Thomsen's formula (to 1 %), inertia of a layer of a micrometre: as MuJoCo has them.
static hn_mass shell_of_ellipsoid(hn_vec3 s) {
  const double p = 1.6075, layer = 1e-6;
  hn_vec3 t = vec3(s.x + layer, s.y + layer, s.z + layer);
  double powers = hn_pow(s.x * s.y, p) + hn_pow(s.x * s.z, p) + hn_pow(s.y * s.z, p);
  double area = 4 * HN_PI * hn_pow(powers / 3, 1 / p);
  double inner = s.x * s.y * s.z, outer = t.x * t.y * t.z, factor = area / (5 * (outer - inner));
  hn_mass m = {area, {0, 0, 0}, {0}};
  for (int k = 0; k < 3; k++) {
    double a = vec3_get(s, (k + 1) % 3), b = vec3_get(s, (k + 2) % 3);
    double c = vec3_get(t, (k + 1) % 3), d = vec3_get(t, (k + 2) % 3);
    m.inertia[k] = factor * (outer * (c * c + d * d) - inner * (a * a + b * b));
  }
  return m;
}

int hn_shell_mass(const hn_solid *solid, hn_mass *mass) {
  if (solid->kind == HN_SOLID_BOX)
    *mass = shell_of_box(solid->size);
  else if (solid->kind == HN_SOLID_SPHERE)
    *mass = shell_of_tube(solid->radius, 0, 1);
  else if (solid->kind == HN_SOLID_CYLINDER || solid->kind == HN_SOLID_CAPSULE)
    *mass = shell_of_tube(solid->radius, solid->length, solid->kind == HN_SOLID_CAPSULE);
  else if (solid->kind == HN_SOLID_ELLIPSOID)
    *mass = shell_of_ellipsoid(solid->size);
  else
    return 0;
  return 1;
}
