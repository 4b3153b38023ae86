// Triangles of shapes in their own axes, counterclockwise seen from outside. Every surface is closed.
//
// Round shapes are rings of corners about z between two poles; polygons are cut into triangles ear
// by ear.
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "holon/scene.h"
#include "math/elementary.h"
#include "math/vec.h"
#include "model/mesh.h"

// A mesh while it is filled.
typedef struct filling {
  double *vertices;
  int *triangles;
  int vertex_count, triangle_count;
} filling;

static int vertex(filling *f, double x, double y, double z) {
  double *v = f->vertices + 3 * (size_t)f->vertex_count;
  v[0] = x;
  v[1] = y;
  v[2] = z;
  return f->vertex_count++;
}

static void triangle(filling *f, int a, int b, int c) {
  int *t = f->triangles + 3 * (size_t)f->triangle_count++;
  t[0] = a;
  t[1] = b;
  t[2] = c;
}

// ---- round --------------------------------------------------------------------------------------

// A ring of the round shapes: its radius and height.
typedef struct ring {
  double radius, z;
} ring;

#define MOST_RINGS 130

// From the pole at the lower end over the rings to the pole at the upper end.
static void turn_around(filling *f, const ring *rings, int count, int segments, double low,
                        double high) {
  int south = vertex(f, 0, 0, low);
  for (int k = 0; k < count; k++)
    for (int s = 0; s < segments; s++) {
      double angle = 2 * HN_PI * s / segments;
      vertex(f, rings[k].radius * hn_cos(angle), rings[k].radius * hn_sin(angle), rings[k].z);
    }
  int north = vertex(f, 0, 0, high);
  for (int s = 0; s < segments; s++) {
    int next = (s + 1) % segments, first = south + 1, last = south + 1 + (count - 1) * segments;
    triangle(f, south, first + next, first + s);
    triangle(f, north, last + s, last + next);
    for (int k = 0; k + 1 < count; k++) {
      int below = first + k * segments, above = below + segments;
      triangle(f, below + s, below + next, above + next);
      triangle(f, below + s, above + next, above + s);
    }
  }
}

// Rings of a capsule; length 0: of a sphere (the two rings at its middle become one).
static int capsule_rings(ring *rings, double radius, double length, int segments) {
  int quarter = segments / 4, count = 0;
  if (quarter > MOST_RINGS / 2 - 1) quarter = MOST_RINGS / 2 - 1;
  for (int side = 0; side < 2; side++)
    for (int k = side ? 0 : 1; k <= (side ? quarter - 1 : quarter); k++) {
      double angle = HN_PI / 2 * (side ? k : quarter - k) / quarter;
      double z = length / 2 + radius * hn_sin(angle);
      if (side && k == 0 && !(length > 0)) continue;
      rings[count++] = (ring){radius * hn_cos(angle), side ? z : -z};
    }
  return count;
}

// ---- polygons -----------------------------------------------------------------------------------

static double area_of(const double *c, int i, int j, int k) {
  return (c[2 * j] - c[2 * i]) * (c[2 * k + 1] - c[2 * i + 1]) -
         (c[2 * j + 1] - c[2 * i + 1]) * (c[2 * k] - c[2 * i]);
}

static int is_inside(const double *c, int i, int j, int k, int p) {
  return area_of(c, i, j, p) >= 0 && area_of(c, j, k, p) >= 0 && area_of(c, k, i, p) >= 0;
}

// Whether the corner at place m of the ring can be cut off.
static int is_ear(const double *c, const int *left, int count, int m) {
  int i = left[(m + count - 1) % count], j = left[m], k = left[(m + 1) % count];
  if (!(area_of(c, i, j, k) > 0)) return 0;
  for (int n = 0; n < count; n++) {
    int p = left[n];
    if (p != i && p != j && p != k && is_inside(c, i, j, k, p)) return 0;
  }
  return 1;
}

// Corners counterclockwise; adds the triangles on top and below.
static void cut_ears(filling *f, const double *c, int *left, int count, int bottom, int top) {
  while (count >= 3) {
    int m = 0;
    while (m < count - 1 && !is_ear(c, left, count, m)) m++; // the last one, if rounding hides all
    int i = left[(m + count - 1) % count], j = left[m], k = left[(m + 1) % count];
    triangle(f, top + i, top + j, top + k);
    triangle(f, bottom + i, bottom + k, bottom + j);
    memmove(left + m, left + m + 1, (size_t)(count - 1 - m) * sizeof *left);
    count--;
  }
}

static void extrude(filling *f, const hn_shape_def *shape, double *corners, int *left) {
  int count = shape->profile_count;
  int reversed = hn_polygon_area(shape->profile, count) < 0;
  for (int k = 0; k < count; k++) {
    int from = reversed ? count - 1 - k : k;
    corners[2 * k] = shape->profile[2 * from];
    corners[2 * k + 1] = shape->profile[2 * from + 1];
    left[k] = k;
  }
  for (int side = 0; side < 2; side++)
    for (int k = 0; k < count; k++)
      vertex(f, corners[2 * k], corners[2 * k + 1], (side - 0.5) * shape->length);
  cut_ears(f, corners, left, count, 0, count);
  for (int k = 0; k < count; k++) {
    int next = (k + 1) % count;
    triangle(f, k, next, count + next);
    triangle(f, k, count + next, count + k);
  }
}

// ---- all ----------------------------------------------------------------------------------------

static void fill_box(filling *f, hn_vec3 size) {
  static const int sides[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6},
                                   {0, 1, 5}, {0, 5, 4}, {2, 6, 7}, {2, 7, 3},
                                   {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
  for (int k = 0; k < 8; k++)
    vertex(f, ((k & 1) - 0.5) * size.x, ((k >> 1 & 1) - 0.5) * size.y, ((k >> 2) - 0.5) * size.z);
  for (int k = 0; k < 12; k++) triangle(f, sides[k][0], sides[k][1], sides[k][2]);
}

static void fill_round(filling *f, const hn_shape_def *shape, const ring *rings, int count,
                       int segments) {
  int is_flat = shape->type == HN_SHAPE_CYLINDER || shape->type == HN_SHAPE_WHEEL;
  double length = shape->type == HN_SHAPE_SPHERE ? 0 : shape->length;
  double pole = length / 2 + (is_flat ? 0 : shape->radius);
  turn_around(f, rings, count, segments, -pole, pole);
}

// Computes the required capacity; rings are filled for round shapes.
static void measure(const hn_shape_def *shape, int segments, ring *rings, int *ring_count,
                    int *vertices, int *triangles) {
  *ring_count = 0;
  switch (shape->type) {
  case HN_SHAPE_BOX:
    *vertices = 8;
    *triangles = 12;
    return;
  case HN_SHAPE_CYLINDER:
  case HN_SHAPE_WHEEL:
    rings[0] = (ring){shape->radius, -shape->length / 2};
    rings[1] = (ring){shape->radius, shape->length / 2};
    *ring_count = 2;
    break;
  case HN_SHAPE_CAPSULE:
  case HN_SHAPE_LINK:
    *ring_count = capsule_rings(rings, shape->radius, shape->length, segments);
    break;
  case HN_SHAPE_SPHERE: *ring_count = capsule_rings(rings, shape->radius, 0, segments); break;
  case HN_SHAPE_EXTRUSION:
    *vertices = 2 * shape->profile_count;
    *triangles = 4 * shape->profile_count - 4;
    return;
  case HN_SHAPE_MESH:
    *vertices = shape->mesh->vertex_count;
    *triangles = shape->mesh->triangle_count;
    return;
  case HN_SHAPE_TYPES: *vertices = *triangles = 0; return;
  }
  *vertices = 2 + *ring_count * segments;
  *triangles = 2 * *ring_count * segments;
}

hn_status hn_shape_triangles(const hn_shape_def *shape, int segments, hn_mesh **mesh,
                             hn_error *error) {
  ring rings[MOST_RINGS];
  int ring_count, vertices, triangles;
  if (segments < 8) segments = 8;
  if (segments > 256) segments = 256;
  measure(shape, segments, rings, &ring_count, &vertices, &triangles);
  filling f = {0};
  *mesh = hn_mesh_new(NULL, hn_shape_type_name(shape->type), vertices, triangles, &f.vertices,
                      &f.triangles);
  void *work = hn_allocate(NULL, (size_t)vertices * (sizeof(double) + sizeof(int)));
  if (!*mesh || !work) {
    hn_mesh_free(*mesh);
    hn_release(NULL, work);
    *mesh = NULL;
    return hn_fail(error, HN_ERROR_MEMORY, NULL, "a shape", "Free memory and try again.",
                   "does not fit in memory");
  }
  if (ring_count > 0) {
    fill_round(&f, shape, rings, ring_count, segments);
  } else if (shape->type == HN_SHAPE_BOX) {
    fill_box(&f, shape->size);
  } else if (shape->type == HN_SHAPE_EXTRUSION) {
    double *corners = work;
    extrude(&f, shape, corners, (int *)(void *)(corners + vertices));
  } else {
    memcpy(f.vertices, shape->mesh->vertices, 3 * (size_t)vertices * sizeof(double));
    memcpy(f.triangles, shape->mesh->triangles, 3 * (size_t)triangles * sizeof(int));
  }
  hn_release(NULL, work);
  return HN_OK;
}
