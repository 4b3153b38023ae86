// Corners of meshes with normals, for drawing.
//
// The normal of a corner is the sum of those faces around it that meet its own face flatter than
// 40 degrees, weighted by area: round things look round, edges stay edges.
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "holon/picture.h"

static const double crease = 0.766; // cos 40 degrees

typedef struct vector {
  double x[3];
} vector;

static vector face_normal(const hn_mesh *mesh, int t) {
  const double *p[3];
  for (int k = 0; k < 3; k++)
    p[k] = mesh->vertices + 3 * (size_t)mesh->triangles[3 * (size_t)t + (size_t)k];
  double a[3], b[3];
  for (int i = 0; i < 3; i++) {
    a[i] = p[1][i] - p[0][i];
    b[i] = p[2][i] - p[0][i];
  }
  return (vector){
      {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]}};
}

static double dot(vector a, vector b) {
  return a.x[0] * b.x[0] + a.x[1] * b.x[1] + a.x[2] * b.x[2];
}

static vector unit(vector a) {
  double n = sqrt(dot(a, a));
  if (!(n > 0)) return (vector){{0, 0, 1}};
  for (int i = 0; i < 3; i++) a.x[i] /= n;
  return a;
}

// Faces at each vertex v: faces[k], k from begin[v] to begin[v + 1] (excluded).
typedef struct neighbours {
  int *begin, *faces;
} neighbours;

static int find_neighbours(const hn_mesh *mesh, neighbours *n) {
  size_t corners = 3 * (size_t)mesh->triangle_count, count = (size_t)mesh->vertex_count + 2;
  n->begin = hn_allocate(NULL, count * sizeof(int));
  n->faces = hn_allocate(NULL, (corners + 1) * sizeof(int));
  if (!n->begin || !n->faces) return 0;
  memset(n->begin, 0, count * sizeof(int));
  for (size_t c = 0; c < corners; c++) n->begin[mesh->triangles[c] + 2]++;
  for (int v = 0; v < mesh->vertex_count; v++) n->begin[v + 2] += n->begin[v + 1];
  for (size_t c = 0; c < corners; c++) n->faces[n->begin[mesh->triangles[c] + 1]++] = (int)(c / 3);
  return 1;
}

static vector corner_normal(const neighbours *n, const vector *faces, const vector *units, int v,
                            int t) {
  vector sum = {{0, 0, 0}};
  for (int k = n->begin[v]; k < n->begin[v + 1]; k++) {
    int other = n->faces[k];
    if (dot(units[other], units[t]) < crease) continue;
    for (int i = 0; i < 3; i++) sum.x[i] += faces[other].x[i];
  }
  return unit(sum);
}

static unsigned emit(hn_surface *s, const double *position, vector normal) {
  float *p = s->positions + 3 * (size_t)s->vertex_count;
  float *q = s->normals + 3 * (size_t)s->vertex_count;
  for (int i = 0; i < 3; i++) {
    p[i] = (float)position[i];
    q[i] = (float)normal.x[i];
  }
  return (unsigned)s->vertex_count++;
}

static int is_like(const float *p, vector normal) {
  double d = 0;
  for (int i = 0; i < 3; i++) d = fmax(d, fabs((double)p[i] - normal.x[i]));
  return d < 1e-5;
}

// Corners of one vertex with equal normals are one vertex of the surface.
static unsigned find_or_emit(hn_surface *s, const hn_mesh *mesh, const neighbours *n, int v, int t,
                             vector normal) {
  for (int k = n->begin[v]; k < n->begin[v + 1] && n->faces[k] < t; k++) {
    const size_t face = (size_t)n->faces[k];
    for (size_t c = 0; c < 3; c++) {
      if (mesh->triangles[3 * face + c] != v) continue;
      unsigned index = s->indices[3 * face + c];
      if (is_like(s->normals + 3 * (size_t)index, normal)) return index;
    }
  }
  return emit(s, mesh->vertices + 3 * (size_t)v, normal);
}

static void fill(const hn_mesh *mesh, hn_surface *s, const neighbours *n, vector *faces,
                 vector *units) {
  for (int t = 0; t < mesh->triangle_count; t++) {
    faces[t] = face_normal(mesh, t);
    units[t] = unit(faces[t]);
  }
  for (int t = 0; t < mesh->triangle_count; t++) {
    for (size_t c = 0; c < 3; c++) {
      int v = mesh->triangles[3 * (size_t)t + c];
      vector normal = corner_normal(n, faces, units, v, t);
      s->indices[3 * (size_t)t + c] = find_or_emit(s, mesh, n, v, t, normal);
    }
  }
}

hn_status hn_surface_create(const hn_mesh *mesh, hn_surface *s) {
  if (!mesh || !s) return HN_ERROR_ARGUMENT;
  size_t count = (size_t)mesh->triangle_count, corners = 3 * count;
  *s = (hn_surface){.triangle_count = mesh->triangle_count};
  s->positions = hn_allocate(NULL, (3 * corners + 1) * sizeof *s->positions);
  s->normals = hn_allocate(NULL, (3 * corners + 1) * sizeof *s->normals);
  s->indices = hn_allocate(NULL, (corners + 1) * sizeof *s->indices);
  vector *faces = hn_allocate(NULL, (2 * count + 1) * sizeof *faces);
  neighbours n = {NULL, NULL};
  int is_there = s->positions && s->normals && s->indices && faces && find_neighbours(mesh, &n);
  if (is_there) fill(mesh, s, &n, faces, faces + count);
  hn_release(NULL, faces);
  hn_release(NULL, n.begin);
  hn_release(NULL, n.faces);
  if (is_there) return HN_OK;
  hn_surface_free(s);
  return HN_ERROR_MEMORY;
}

void hn_surface_free(hn_surface *s) {
  if (!s) return;
  hn_release(NULL, s->positions);
  hn_release(NULL, s->normals);
  hn_release(NULL, s->indices);
  *s = (hn_surface){0};
}
