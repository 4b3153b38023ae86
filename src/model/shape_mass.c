// Mass, center and inertia of solids.
//
// In the shape's own axes by formula (per unit of mass, about its middle):
//   box        Jx = (b^2 + c^2)/12 ...
//   cylinder   Jz = r^2/2, Jx = (3 r^2 + l^2)/12
//   sphere     J = 2/5 r^2
//   ellipsoid  Jx = (b^2 + c^2)/5 ...
//   capsule    the cylinder, and two half spheres with centers of mass 3/8 r beyond its ends
//   extrusion  moments of area of the polygon by Green's theorem, times the length
//   mesh       mesh_mass.c
// then turned and moved by the shape's frame: J' = A J A'. Moved by parallel axes when summed.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "math/euler.h"
#include "model/mesh.h"

typedef struct solid {
  double volume;
  hn_vec3 center; // in the shape's axes
  hn_mat3 second; // integral of x x' about the center
} solid;

static solid symmetric(double volume, double xx, double yy, double zz) {
  return (solid){volume, {0, 0, 0}, {{{xx, 0, 0}, {0, yy, 0}, {0, 0, zz}}}};
}

static solid box(hn_vec3 e) {
  double v = e.x * e.y * e.z;
  return symmetric(v, v * e.x * e.x / 12, v * e.y * e.y / 12, v * e.z * e.z / 12);
}

static solid cylinder(double r, double l) {
  double v = HN_PI * r * r * l;
  return symmetric(v, v * r * r / 4, v * r * r / 4, v * l * l / 12);
}

static solid sphere(double r) {
  double v = 4 * HN_PI / 3 * r * r * r;
  return symmetric(v, v * r * r / 5, v * r * r / 5, v * r * r / 5);
}

static solid ellipsoid(hn_vec3 a) {
  double v = 4 * HN_PI / 3 * a.x * a.y * a.z;
  return symmetric(v, v * a.x * a.x / 5, v * a.y * a.y / 5, v * a.z * a.z / 5);
}

// Of both half spheres together about the middle: z^2 of one at distance h = l/2 is
// V_half (r^2/5 + 2 h 3 r/8 + h^2).
static solid capsule(double r, double l) {
  solid middle = cylinder(r, l), ends = sphere(r);
  double h = l / 2;
  for (int k = 0; k < 3; k++) middle.second.m[k][k] += ends.second.m[k][k];
  middle.second.m[2][2] += ends.volume * (0.75 * h * r + h * h);
  middle.volume += ends.volume;
  return middle;
}

static solid extrusion(const double *corners, int count, double length) {
  double area = 0, sx = 0, sy = 0, xx = 0, yy = 0, xy = 0;
  double ox = corners[0], oy = corners[1]; // small numbers near the polygon
  for (int k = 0; k < count; k++) {
    const double *p = corners + 2 * k, *q = corners + 2 * ((k + 1) % count);
    double ax = p[0] - ox, ay = p[1] - oy, bx = q[0] - ox, by = q[1] - oy;
    double w = ax * by - bx * ay;
    area += w / 2;
    sx += w * (ax + bx) / 6;
    sy += w * (ay + by) / 6;
    xx += w * (ax * ax + ax * bx + bx * bx) / 12;
    yy += w * (ay * ay + ay * by + by * by) / 12;
    xy += w * (2 * ax * ay + ax * by + bx * ay + 2 * bx * by) / 24;
  }
  double way = area < 0 ? -1 : 1; // either way round
  double cx = sx / area, cy = sy / area;
  solid s = symmetric(way * area * length, way * (xx - sx * cx) * length,
                      way * (yy - sy * cy) * length, way * area * length * length * length / 12);
  s.second.m[0][1] = s.second.m[1][0] = way * (xy - sx * cy) * length;
  s.center = vec3(ox + cx, oy + cy, 0);
  return s;
}

static solid mesh_solid(const hn_mesh *mesh) {
  hn_volume_integrals i = hn_mesh_integrate(mesh);
  hn_vec3 c = vec3_scale(1 / i.volume, i.first);
  solid s = {i.volume, c, mat3_symmetric(i.second)};
  hn_mat3 moved = mat3_scale(-i.volume, mat3_outer(c, c));
  s.second = mat3_add(s.second, moved);
  return s;
}

// Of integral x x' the inertia tensor is (trace 1 - x x').
static void put_inertia(double inertia[6], hn_mat3 second, double density) {
  double trace = second.m[0][0] + second.m[1][1] + second.m[2][2];
  for (int k = 0; k < 3; k++) inertia[k] = density * (trace - second.m[k][k]);
  inertia[3] = -density * second.m[0][1];
  inertia[4] = -density * second.m[0][2];
  inertia[5] = -density * second.m[1][2];
}

static hn_status check_profile(const hn_shape_def *shape, hn_error *error) {
  int edges[2];
  if (!hn_polygon_crosses_itself(shape->profile, shape->profile_count, edges)) return HN_OK;
  return hn_fail(
      error, HN_ERROR_MODEL, &shape->source, "an extrusion", "Order the corners along the profile.",
      "has a profile that intersects itself (edges %d and %d, counted from 0)", edges[0], edges[1]);
}

static hn_status find_solid(const hn_shape_def *shape, solid *s, hn_error *error) {
  hn_status status = HN_OK;
  if (shape->touch == HN_TOUCH_ELLIPSOID) {
    *s = ellipsoid(shape->size);
    return HN_OK;
  }
  switch (shape->type) {
  case HN_SHAPE_BOX: *s = box(shape->size); break;
  case HN_SHAPE_CYLINDER:
  case HN_SHAPE_WHEEL: *s = cylinder(shape->radius, shape->length); break;
  case HN_SHAPE_CAPSULE:
  case HN_SHAPE_LINK: *s = capsule(shape->radius, shape->length); break;
  case HN_SHAPE_SPHERE: *s = sphere(shape->radius); break;
  case HN_SHAPE_EXTRUSION:
    status = check_profile(shape, error);
    if (!status) *s = extrusion(shape->profile, shape->profile_count, shape->length);
    break;
  case HN_SHAPE_MESH:
    status = hn_mesh_check_solid(shape->mesh, error);
    if (!status) *s = mesh_solid(shape->mesh);
    break;
  case HN_SHAPE_TYPES: status = HN_ERROR_ARGUMENT; break;
  }
  return status;
}

hn_status hn_shape_mass(const hn_shape_def *shape, double density, hn_mass_properties *mass,
                        hn_error *error) {
  solid s = {0};
  hn_status status = find_solid(shape, &s, error);
  if (status) return status;
  if (!(s.volume > 0) || !isfinite(s.volume) || !(density >= 0) || !isfinite(density))
    return hn_fail(error, HN_ERROR_MODEL, &shape->source, hn_shape_type_name(shape->type),
                   "Give lengths and a density greater than zero.",
                   "has a volume of %g m3 and a density of %g kg/m3", s.volume, density);
  hn_mat3 a = quat_matrix(quat_unit(shape->frame.orientation));
  hn_mat3 second = mat3_multiply(a, mat3_multiply(s.second, mat3_transpose(a)));
  mass->mass = density * s.volume;
  mass->center = vec3_add(shape->frame.position, mat3_apply(a, s.center));
  put_inertia(mass->inertia, second, density);
  return HN_OK;
}

hn_mass_properties hn_mass_sum(const hn_mass_properties *parts, int count) {
  hn_mass_properties sum = {0};
  for (int k = 0; k < count; k++) {
    sum.mass += parts[k].mass;
    sum.center = vec3_add_scaled(sum.center, parts[k].mass, parts[k].center);
  }
  if (!(sum.mass > 0)) return (hn_mass_properties){0};
  sum.center = vec3_scale(1 / sum.mass, sum.center);
  for (int k = 0; k < count; k++) {
    hn_vec3 d = vec3_sub(parts[k].center, sum.center);
    double m = parts[k].mass, square = vec3_dot(d, d);
    const double moved[6] = {square - d.x * d.x, square - d.y * d.y, square - d.z * d.z,
                             -d.x * d.y,         -d.x * d.z,         -d.y * d.z};
    for (int i = 0; i < 6; i++) sum.inertia[i] += parts[k].inertia[i] + m * moved[i];
  }
  return sum;
}
