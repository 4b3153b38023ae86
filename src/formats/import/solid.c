// Triangles of meshes: mass, by pyramids over them, and copies.
#include "formats/import/solid.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "contact/geometry.h"
#include "formats/mesh.h"
#include "formats/text_file.h"

typedef struct corners {
  hn_vec3 p[3];
} corners;

typedef struct triangles {
  corners *list;
  int count;
} triangles;

// ---- triangles ----------------------------------------------------------------------------------

// Numbers of meshes are single ones, as in the programs that use them. Axes that they are seen from
// come first, then the scale.
static hn_vec3 place(const hn_mesh_source *source, hn_vec3 v) {
  hn_vec3 s = source->scale;
  v = hn_pose_back(&source->reference, vec3((float)v.x, (float)v.y, (float)v.z));
  return vec3(v.x * s.x, v.y * s.y, v.z * s.z);
}

// Which corner comes i-th: a mirrored mesh is turned outwards again.
static int corner(const hn_mesh_source *source, int i) {
  hn_vec3 s = source->scale;
  return s.x * s.y * s.z < 0 && i > 0 ? 3 - i : i;
}

static triangles of_mesh(hn_machine *machine, const hn_mesh_source *source, const hn_mesh *mesh) {
  triangles t = {HN_MACHINE_TAKE(machine, corners, mesh->triangle_count), mesh->triangle_count};
  for (int k = 0; t.list && k < t.count; k++)
    for (int i = 0; i < 3; i++) {
      size_t at = (size_t)mesh->triangles[3 * (size_t)k + (size_t)i];
      t.list[k].p[corner(source, i)] = place(source, vec3_load(&mesh->vertices[3 * at]));
    }
  return t;
}

// Faces of a convex hull, cut into triangles.
static triangles of_hull(hn_machine *machine, const hn_hull *h) {
  int count = 0;
  for (int f = 0; f < h->face_count; f++) count += h->start[f + 1] - h->start[f] - 2;
  triangles t = {HN_MACHINE_TAKE(machine, corners, count), 0};
  for (int f = 0; t.list && f < h->face_count; f++)
    for (int k = h->start[f] + 2; k < h->start[f + 1]; k++) {
      corners *c = &t.list[t.count++];
      c->p[0] = h->vertices[h->corners[h->start[f]]];
      c->p[1] = h->vertices[h->corners[k - 1]];
      c->p[2] = h->vertices[h->corners[k]];
    }
  return t;
}

static triangles around(hn_machine *machine, const hn_xml *node, const hn_vec3 *points, int count) {
  hn_hull *hull = NULL;
  hn_status status = hn_hull_make(machine->arena, points, count, &hull);
  if (!status) return of_hull(machine, hull);
  hn_machine_fail(machine, node, hn_xml_element(machine, node), "Give the body an <inertial>.",
                  "has vertices whose convex hull has no volume");
  return (triangles){NULL, 0};
}

static triangles hull_of_mesh(hn_machine *machine, const hn_xml *node, const hn_mesh_source *source,
                              const hn_mesh *mesh) {
  hn_vec3 *points = HN_MACHINE_TAKE(machine, hn_vec3, mesh->vertex_count);
  if (!points) return (triangles){NULL, 0};
  for (int k = 0; k < mesh->vertex_count; k++)
    points[k] = place(source, vec3_load(&mesh->vertices[3 * (size_t)k]));
  return around(machine, node, points, mesh->vertex_count);
}

static triangles of_faces(hn_machine *machine, const hn_mesh_source *source) {
  triangles t = {HN_MACHINE_TAKE(machine, corners, source->face_count), source->face_count};
  for (int k = 0; t.list && k < t.count; k++)
    for (int i = 0; i < 3; i++)
      t.list[k].p[corner(source, i)] = place(source, source->points[source->faces[3 * k + i]]);
  return t;
}

static triangles hull_of_points(hn_machine *machine, const hn_xml *node,
                                const hn_mesh_source *source) {
  hn_vec3 *points = HN_MACHINE_TAKE(machine, hn_vec3, source->point_count);
  if (!points) return (triangles){NULL, 0};
  for (int k = 0; k < source->point_count; k++) points[k] = place(source, source->points[k]);
  return around(machine, node, points, source->point_count);
}

static triangles of_file(hn_machine *machine, const hn_xml *node, const hn_mesh_source *source) {
  hn_mesh *mesh = NULL;
  hn_error error = {0};
  hn_status status = hn_mesh_read(source->path, 1, &machine->arena->allocator, &mesh, &error);
  if (status) {
    hn_machine_fail(machine, node, hn_xml_element(machine, node), error.hint,
                    "has the file '%.200s', which %s", source->path, error.message);
    return (triangles){NULL, 0};
  }
  triangles t = source->rule == HN_MESH_CONVEX ? hull_of_mesh(machine, node, source, mesh)
                                               : of_mesh(machine, source, mesh);
  hn_mesh_free(mesh);
  return t;
}

static triangles of_source(hn_machine *machine, const hn_xml *node, const hn_mesh_source *source) {
  const int has_faces = source->face_count > 0 && source->rule != HN_MESH_CONVEX;
  if (source->path) return of_file(machine, node, source);
  return has_faces ? of_faces(machine, source) : hull_of_points(machine, node, source);
}

// ---- copies -------------------------------------------------------------------------------------

// Equal corners become one when the file is read.
static const char *write_obj(hn_machine *machine, const triangles *t) {
  enum { LINE = 100, FACE = 40 };
  const size_t size = (size_t)t->count * (3 * LINE + FACE) + 1;
  char *text = HN_MACHINE_TAKE(machine, char, size), *to = text;
  for (int k = 0; text && k < t->count; k++)
    for (int i = 0; i < 3; i++) {
      const hn_vec3 p = t->list[k].p[i];
      to += snprintf(to, LINE, "v %.9g %.9g %.9g\n", p.x, p.y, p.z);
    }
  for (int k = 0; text && k < t->count; k++)
    to += snprintf(to, FACE, "f %d %d %d\n", 3 * k + 1, 3 * k + 2, 3 * k + 3);
  return text;
}

const char *hn_mesh_copy(hn_machine *machine, const hn_xml *node, const hn_mesh_source *source,
                         const char *name) {
  const triangles t = of_source(machine, node, source);
  hn_machine_mesh *mesh = HN_MACHINE_TAKE(machine, hn_machine_mesh, 1);
  if (!mesh || !t.list || t.count == 0) return NULL;
  if (!machine->copy_names) machine->copy_names = hn_table_create(machine);
  const char *file = machine->options->output ? machine->options->output : machine->path;
  const char *slash = strrchr(file, '/'), *stem = slash ? slash + 1 : file;
  const char *dot = strrchr(stem, '.');
  const char *id = hn_table_legal(machine, machine->copy_names, name, "mesh");
  const char *relative = hn_machine_text(
      machine, "%.*s-meshes/%s.obj", (int)(dot ? (size_t)(dot - stem) : strlen(stem)), stem, id);
  mesh->path = hn_path_join(machine->arena, file, relative);
  mesh->text = write_obj(machine, &t);
  mesh->source = source->path;
  mesh->scale = source->scale;
  mesh->next = machine->meshes;
  machine->meshes = mesh;
  return mesh->text ? mesh->path : NULL;
}

static const char *known_copy(const hn_machine *machine, const char *path, hn_vec3 s) {
  for (const hn_machine_mesh *m = machine->meshes; m; m = m->next)
    if (m->source && strcmp(m->source, path) == 0 && vec3_norm(vec3_sub(m->scale, s)) == 0)
      return m->path;
  return NULL;
}

void hn_solid_take_mesh(hn_machine *machine, hn_solid *solid, const char *path, hn_vec3 scale) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  const char *dot = strrchr(name, '.');
  const hn_mesh_source source = {
      .path = path, .scale = scale, .reference = hn_pose_none(), .rule = HN_MESH_EXACT};
  const int is_plain = hn_is_plain_scale(scale), length = (int)(dot ? (size_t)(dot - name) : 0);
  solid->mesh = is_plain ? path : known_copy(machine, path, scale);
  if (!solid->mesh)
    solid->mesh = hn_mesh_copy(machine, solid->node, &source,
                               hn_machine_text(machine, "%.*s", length, name));
  solid->size = is_plain ? scale : vec3(1, 1, 1);
  solid->is_drawn = solid->mesh != NULL;
}

// ---- sums ---------------------------------------------------------------------------------------

static double area_of(const corners *c) {
  return vec3_norm(vec3_cross(vec3_sub(c->p[1], c->p[0]), vec3_sub(c->p[2], c->p[0]))) / 2;
}

// The middle of the surface.
static hn_vec3 middle_of(const triangles *t) {
  hn_vec3 sum = vec3_zero();
  double area = 0;
  for (int k = 0; k < t->count; k++) {
    const corners *c = &t->list[k];
    double a = area_of(c);
    hn_vec3 center = vec3_scale(1.0 / 3, vec3_add(c->p[0], vec3_add(c->p[1], c->p[2])));
    sum = vec3_add_scaled(sum, a, center);
    area += a;
  }
  return area > 0 ? vec3_scale(1 / area, sum) : sum;
}

typedef struct moments {
  double volume, second[6];
  hn_vec3 first;
} moments;

// Adds a pyramid with its top at the origin, or its base alone.
static void add_one(const corners *c, hn_mesh_rule rule, moments *m) {
  static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
  double v = vec3_dot(c->p[0], vec3_cross(c->p[1], c->p[2])) / 6;
  if (rule == HN_MESH_LEGACY) v = fabs(v);
  if (rule == HN_MESH_SHELL) v = area_of(c);
  double first = rule == HN_MESH_SHELL ? 3 : 4, second = rule == HN_MESH_SHELL ? 12 : 20;
  hn_vec3 s = vec3_add(c->p[0], vec3_add(c->p[1], c->p[2]));
  m->volume += v;
  m->first = vec3_add_scaled(m->first, v / first, s);
  for (int k = 0; k < 6; k++) {
    double sum = vec3_get(s, row[k]) * vec3_get(s, column[k]);
    for (int i = 0; i < 3; i++) sum += vec3_get(c->p[i], row[k]) * vec3_get(c->p[i], column[k]);
    m->second[k] += v / second * sum;
  }
}

static moments sum_of(const triangles *t, hn_vec3 top, hn_mesh_rule rule) {
  moments sum = {.volume = 0};
  for (int k = 0; k < t->count; k++) {
    corners c = t->list[k];
    for (int i = 0; i < 3; i++) c.p[i] = vec3_sub(c.p[i], top);
    add_one(&c, rule, &sum);
  }
  return sum;
}

// The mass about a point at d from the top of the pyramids.
static hn_mass about(const moments *sum, hn_vec3 top, hn_vec3 d) {
  const double shift[6] = {d.x * d.x, d.y * d.y, d.z * d.z, d.x * d.y, d.x * d.z, d.y * d.z};
  double p[6];
  for (int k = 0; k < 6; k++) p[k] = sum->second[k] - sum->volume * shift[k];
  return (hn_mass){
      sum->volume, vec3_add(top, d), {p[1] + p[2], p[0] + p[2], p[0] + p[1], -p[3], -p[4], -p[5]}};
}

static hn_mass gather(const triangles *t, hn_mesh_rule rule) {
  hn_vec3 top = middle_of(t);
  moments sum = sum_of(t, top, rule);
  if (!(sum.volume > 0)) return (hn_mass){0, top, {0}};
  hn_vec3 d = vec3_scale(1 / sum.volume, sum.first);
  if (rule != HN_MESH_LEGACY) return about(&sum, top, d);
  // what overlaps depends on the top: once more, from the center found
  top = vec3_add(top, d);
  sum = sum_of(t, top, rule);
  return about(&sum, top, vec3_zero());
}

hn_mass hn_mesh_mass_of(hn_machine *machine, const hn_xml *node, const hn_mesh_source *source) {
  const triangles t = of_source(machine, node, source);
  hn_mass mass = t.list ? gather(&t, source->rule) : (hn_mass){0, {0, 0, 0}, {0}};
  if (hn_machine_ok(machine) && !(mass.mass > 0))
    hn_machine_fail(machine, node, hn_xml_element(machine, node),
                    "Flip its triangles to face outward, or give the body an <inertial>.",
                    "defines mass by a mesh without volume");
  return mass;
}
