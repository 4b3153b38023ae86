// Mass of mesh files, by pyramids over their triangles.
#include "formats/import/solid.h"

#include <math.h>

#include "base/error.h"
#include "formats/mesh.h"

typedef struct corners {
  hn_vec3 p[3];
} corners;

static corners triangle(const hn_mesh *mesh, int k, hn_vec3 scale, const hn_pose *reference) {
  corners c;
  for (int i = 0; i < 3; i++) {
    const double *v = &mesh->vertices[3 * (size_t)mesh->triangles[3 * (size_t)k + (size_t)i]];
    c.p[i] = hn_pose_back(reference, vec3(v[0] * scale.x, v[1] * scale.y, v[2] * scale.z));
  }
  return c;
}

// The middle of the surface.
static hn_vec3 middle_of(const hn_mesh *mesh, hn_vec3 scale, const hn_pose *reference) {
  hn_vec3 sum = vec3_zero();
  double area = 0;
  for (int k = 0; k < mesh->triangle_count; k++) {
    corners c = triangle(mesh, k, scale, reference);
    double a = vec3_norm(vec3_cross(vec3_sub(c.p[1], c.p[0]), vec3_sub(c.p[2], c.p[0]))) / 2;
    hn_vec3 center = vec3_scale(1.0 / 3, vec3_add(c.p[0], vec3_add(c.p[1], c.p[2])));
    sum = vec3_add_scaled(sum, a, center);
    area += a;
  }
  return area > 0 ? vec3_scale(1 / area, sum) : sum;
}

// Adds a pyramid with its top at the origin: volume, first and second moments.
static void add_pyramid(const corners *c, double *volume, hn_vec3 *first, double second[6]) {
  double v = fabs(vec3_dot(c->p[0], vec3_cross(c->p[1], c->p[2]))) / 6;
  hn_vec3 s = vec3_add(c->p[0], vec3_add(c->p[1], c->p[2]));
  static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
  *volume += v;
  *first = vec3_add_scaled(*first, v / 4, s);
  for (int k = 0; k < 6; k++) {
    double sum = vec3_get(s, row[k]) * vec3_get(s, column[k]);
    for (int i = 0; i < 3; i++) sum += vec3_get(c->p[i], row[k]) * vec3_get(c->p[i], column[k]);
    second[k] += v / 20 * sum;
  }
}

static hn_mass gather(const hn_mesh *mesh, hn_vec3 scale, const hn_pose *reference) {
  hn_vec3 top = middle_of(mesh, scale, reference), first = vec3_zero();
  double volume = 0, p[6] = {0};
  for (int k = 0; k < mesh->triangle_count; k++) {
    corners c = triangle(mesh, k, scale, reference);
    for (int i = 0; i < 3; i++) c.p[i] = vec3_sub(c.p[i], top);
    add_pyramid(&c, &volume, &first, p);
  }
  hn_mass m = {volume, top, {0}};
  if (!(volume > 0)) return m;
  hn_vec3 d = vec3_scale(1 / volume, first);
  const double about[6] = {d.x * d.x, d.y * d.y, d.z * d.z, d.x * d.y, d.x * d.z, d.y * d.z};
  for (int k = 0; k < 6; k++) p[k] -= volume * about[k];
  m.center = vec3_add(top, d);
  const double inertia[6] = {p[1] + p[2], p[0] + p[2], p[0] + p[1], -p[3], -p[4], -p[5]};
  for (int k = 0; k < 6; k++) m.inertia[k] = inertia[k];
  return m;
}

hn_mass hn_mesh_mass_of(hn_machine *machine, const hn_xml *node, const char *path, hn_vec3 scale,
                        const hn_pose *reference) {
  hn_mesh *mesh = NULL;
  hn_error error = {0};
  hn_mass none = {0, {0, 0, 0}, {0}};
  hn_status status = hn_mesh_read(path, 1, &machine->arena->allocator, &mesh, &error);
  if (status) {
    hn_machine_fail(machine, node, hn_xml_element(machine, node), error.hint,
                    "has the file '%.200s', which %s", path, error.message);
    return none;
  }
  none = gather(mesh, scale, reference);
  hn_mesh_free(mesh);
  return none;
}
