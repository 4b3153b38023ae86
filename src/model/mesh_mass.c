// Meshes: memory, closed or not, volume integrals.
//
// A closed polyhedron is the signed sum of the tetrahedra over its triangles (a, b, c) and any common
// point, here the mean of the vertices, which keeps them small. With a, b, c from there:
//   V = a.(b x c)/6,  integral of x = V (a + b + c)/4,
//   integral of x x' = V/20 (a a' + b b' + c c' + s s'),  s = a + b + c
// which is exact. Out of scope: reading files (src/formats/mesh*.c).
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "math/vec.h"
#include "model/mesh.h"

// ---- memory -------------------------------------------------------------------------------------

typedef struct own_mesh {
  hn_mesh mesh; // first: hn_mesh_free is given its address
  hn_allocator allocator;
  int is_custom;
} own_mesh;

hn_mesh *hn_mesh_new(const hn_allocator *allocator, const char *name, int vertex_count,
                     int triangle_count, double **vertices, int **triangles) {
  if (vertex_count <= 0 || triangle_count < 0) return NULL;
  size_t points = 3 * (size_t)vertex_count * sizeof(double);
  size_t corners = 3 * (size_t)triangle_count * sizeof(int);
  size_t letters = name ? strlen(name) + 1 : 0, head = (sizeof(own_mesh) + 15) / 16 * 16;
  char *block = hn_allocate(allocator, head + points + corners + letters);
  if (!block) return NULL;
  own_mesh *own = (own_mesh *)(void *)block;
  *own = (own_mesh){.is_custom = allocator != NULL};
  if (allocator) own->allocator = *allocator;
  *vertices = (double *)(void *)(block + head);
  *triangles = (int *)(void *)(block + head + points);
  char *copy = block + head + points + corners;
  if (name) memcpy(copy, name, letters);
  own->mesh = (hn_mesh){name ? copy : NULL, vertex_count, triangle_count, *vertices, *triangles};
  return &own->mesh;
}

void hn_mesh_free(hn_mesh *mesh) {
  if (!mesh) return;
  own_mesh *own = (own_mesh *)(void *)mesh;
  hn_allocator allocator = own->allocator;
  hn_release(own->is_custom ? &allocator : NULL, own);
}

// ---- closed -------------------------------------------------------------------------------------

// An edge with its lower vertex first; direction +1 when the triangle runs through it that way.
typedef struct edge {
  int low, high, direction, triangle;
} edge;

static int compare_edges(const void *a, const void *b) {
  const edge *x = a, *y = b;
  if (x->low != y->low) return x->low < y->low ? -1 : 1;
  if (x->high != y->high) return x->high < y->high ? -1 : 1;
  return (x->triangle > y->triangle) - (x->triangle < y->triangle);
}

static void list_edges(const hn_mesh *mesh, edge *edges) {
  for (int t = 0; t < mesh->triangle_count; t++)
    for (int k = 0; k < 3; k++) {
      int a = mesh->triangles[3 * t + k], b = mesh->triangles[3 * t + (k + 1) % 3];
      edges[3 * t + k] = (edge){a < b ? a : b, a < b ? b : a, a < b ? 1 : -1, t};
    }
}

static const char *mesh_element(const hn_mesh *mesh, char *text, size_t size) {
  return hn_text(text, size, "mesh '%s'", mesh->name ? mesh->name : "");
}

static hn_status refuse_edge(const hn_mesh *mesh, const edge *e, int is_open, int count,
                             hn_error *error) {
  char element[128];
  const double *a = mesh->vertices + 3 * (size_t)e->low, *b = mesh->vertices + 3 * (size_t)e->high;
  if (is_open)
    return hn_fail(error, HN_ERROR_MODEL, NULL, mesh_element(mesh, element, sizeof element),
                   "Repair the mesh, or give mass and inertia.",
                   "is not closed and has no volume: %d open edges, the first from (%g, %g, %g) to "
                   "(%g, %g, %g) m (mesh axes), of triangle %d",
                   count, a[0], a[1], a[2], b[0], b[1], b[2], e->triangle + 1);
  return hn_fail(error, HN_ERROR_MODEL, NULL, mesh_element(mesh, element, sizeof element),
                 "Make the normals consistent, pointing outwards.",
                 "has triangles with inconsistent winding at %d edges, first at triangle %d, from "
                 "(%g, %g, %g) to (%g, %g, %g) m (mesh axes)",
                 count, e->triangle + 1, a[0], a[1], a[2], b[0], b[1], b[2]);
}

// Directions must cancel at every edge. An odd number of triangles at one is a hole, an even number
// that does not cancel a wrong side.
static hn_status check_edges(const hn_mesh *mesh, const edge *edges, hn_error *error) {
  const edge *first[2] = {NULL, NULL};
  int count[2] = {0, 0}, all = 3 * mesh->triangle_count;
  for (int k = 0; k < all;) {
    int end = k, sum = 0;
    while (end < all && edges[end].low == edges[k].low && edges[end].high == edges[k].high)
      sum += edges[end++].direction;
    int open = (end - k) % 2;
    if (sum != 0) {
      if (!first[open]) first[open] = &edges[k];
      count[open]++;
    }
    k = end;
  }
  if (first[1]) return refuse_edge(mesh, first[1], 1, count[1], error);
  return first[0] ? refuse_edge(mesh, first[0], 0, count[0], error) : HN_OK;
}

hn_status hn_mesh_check_solid(const hn_mesh *mesh, hn_error *error) {
  char element[128];
  edge *edges = hn_allocate(NULL, 3 * (size_t)mesh->triangle_count * sizeof *edges);
  if (!edges)
    return hn_fail(error, HN_ERROR_MEMORY, NULL, mesh_element(mesh, element, sizeof element),
                   "Use a mesh with fewer triangles.", "does not fit into memory");
  list_edges(mesh, edges);
  qsort(edges, 3 * (size_t)mesh->triangle_count, sizeof *edges, compare_edges);
  hn_status status = check_edges(mesh, edges, error);
  hn_release(NULL, edges);
  if (status) return status;
  double volume = hn_mesh_integrate(mesh).volume;
  if (volume > 0) return HN_OK;
  return hn_fail(error, HN_ERROR_MODEL, NULL, mesh_element(mesh, element, sizeof element),
                 "Flip the normals: corners are counterclockwise seen from outside.",
                 volume < 0 ? "is inside out: its volume is %g m^3"
                            : "encloses nothing: its volume is %g m^3",
                 volume);
}

// ---- integrals ----------------------------------------------------------------------------------

static hn_vec3 mean_vertex(const hn_mesh *mesh) {
  hn_vec3 sum = vec3_zero();
  for (int k = 0; k < mesh->vertex_count; k++)
    sum = vec3_add(sum, vec3_load(mesh->vertices + 3 * (size_t)k));
  return vec3_scale(1.0 / mesh->vertex_count, sum);
}

// x x' of four vectors, added with a factor.
static void add_square(double second[6], double factor, hn_vec3 v) {
  second[0] += factor * v.x * v.x;
  second[1] += factor * v.y * v.y;
  second[2] += factor * v.z * v.z;
  second[3] += factor * v.x * v.y;
  second[4] += factor * v.x * v.z;
  second[5] += factor * v.y * v.z;
}

hn_volume_integrals hn_mesh_integrate(const hn_mesh *mesh) {
  hn_volume_integrals sum = {0};
  hn_vec3 o = mean_vertex(mesh);
  for (int t = 0; t < mesh->triangle_count; t++) {
    hn_vec3 corner[3], s = vec3_zero();
    for (int k = 0; k < 3; k++) {
      size_t vertex = (size_t)mesh->triangles[3 * (size_t)t + (size_t)k];
      corner[k] = vec3_sub(vec3_load(mesh->vertices + 3 * vertex), o);
      s = vec3_add(s, corner[k]);
    }
    double v = vec3_dot(corner[0], vec3_cross(corner[1], corner[2])) / 6;
    sum.volume += v;
    sum.first = vec3_add_scaled(sum.first, v / 4, s);
    for (int k = 0; k < 3; k++) add_square(sum.second, v / 20, corner[k]);
    add_square(sum.second, v / 20, s);
  }
  // back to the origin: x = o + y
  hn_vec3 f = sum.first;
  const double cross[6] = {2 * o.x * f.x,         2 * o.y * f.y,         2 * o.z * f.z,
                           o.x * f.y + o.y * f.x, o.x * f.z + o.z * f.x, o.y * f.z + o.z * f.y};
  for (int k = 0; k < 6; k++) sum.second[k] += cross[k];
  add_square(sum.second, sum.volume, o);
  sum.first = vec3_add_scaled(f, sum.volume, o);
  return sum;
}

// ---- polygons -----------------------------------------------------------------------------------

double hn_polygon_area(const double *c, int count) {
  double sum = 0;
  for (int k = 0; k < count; k++) {
    const double *a = c + 2 * k, *b = c + 2 * ((k + 1) % count);
    sum += a[0] * b[1] - b[0] * a[1];
  }
  return sum / 2;
}

// > 0: c lies to the left of a b.
static double side(const double *a, const double *b, const double *c) {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

static int is_between(const double *a, const double *b, const double *c) {
  return fmin(a[0], b[0]) <= c[0] && c[0] <= fmax(a[0], b[0]) && fmin(a[1], b[1]) <= c[1] &&
         c[1] <= fmax(a[1], b[1]);
}

static int edges_meet(const double *a, const double *b, const double *c, const double *d) {
  double s1 = side(a, b, c), s2 = side(a, b, d), s3 = side(c, d, a), s4 = side(c, d, b);
  if (((s1 > 0 && s2 < 0) || (s1 < 0 && s2 > 0)) && ((s3 > 0 && s4 < 0) || (s3 < 0 && s4 > 0)))
    return 1;
  return (s1 == 0 && is_between(a, b, c)) || (s2 == 0 && is_between(a, b, d)) ||
         (s3 == 0 && is_between(c, d, a)) || (s4 == 0 && is_between(c, d, b));
}

int hn_polygon_crosses_itself(const double *c, int count, int edges[2]) {
  for (int i = 0; i < count; i++)
    for (int j = i + 1; j < count; j++) {
      const double *a = c + 2 * i, *b = c + 2 * ((i + 1) % count);
      const double *d = c + 2 * j, *e = c + 2 * ((j + 1) % count);
      int follows = j == i + 1, closes = i == 0 && j == count - 1;
      // neighbors share a corner; they meet elsewhere when one folds back onto the other
      int meet = follows  ? side(a, b, e) == 0 && is_between(a, b, e)
                 : closes ? side(a, b, d) == 0 && is_between(a, b, d)
                          : edges_meet(a, b, d, e);
      int is_point = a[0] == b[0] && a[1] == b[1];
      if (!meet && !is_point) continue;
      edges[0] = i;
      edges[1] = is_point ? i : j;
      return 1;
    }
  return 0;
}
