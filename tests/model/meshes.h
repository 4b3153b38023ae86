// Meshes for tests, and their volume integrals by another way than the library's: every tetrahedron
// between a triangle and a far point is integrated by a quadrature of four points, exact for
// quadratic functions, in long double.
#ifndef HN_TESTS_MODEL_MESHES_H
#define HN_TESTS_MODEL_MESHES_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "holon/shape.h"
#include "math/vec.h"
#include "support/check.h"

#define MOST_VERTICES 8000
#define MOST_TRIANGLES 16000

typedef struct drawn_mesh {
  hn_mesh mesh;
  double vertices[3 * MOST_VERTICES];
  int triangles[3 * MOST_TRIANGLES];
} drawn_mesh;

static inline drawn_mesh *new_mesh(void) {
  drawn_mesh *m = calloc(1, sizeof *m);
  assert_non_null(m);
  m->mesh.name = "drawn.stl";
  m->mesh.vertices = m->vertices;
  m->mesh.triangles = m->triangles;
  return m;
}

static inline int put_vertex(drawn_mesh *m, double x, double y, double z) {
  assert_true(m->mesh.vertex_count < MOST_VERTICES);
  double *v = m->vertices + 3 * m->mesh.vertex_count;
  v[0] = x;
  v[1] = y;
  v[2] = z;
  return m->mesh.vertex_count++;
}

static inline void put_triangle(drawn_mesh *m, int a, int b, int c) {
  assert_true(m->mesh.triangle_count < MOST_TRIANGLES);
  int *t = m->triangles + 3 * m->mesh.triangle_count++;
  t[0] = a;
  t[1] = b;
  t[2] = c;
}

static inline drawn_mesh *cube_mesh(double x, double y, double z) {
  static const int sides[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                  {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
  drawn_mesh *m = new_mesh();
  for (int k = 0; k < 8; k++) put_vertex(m, (k & 1) ? x : 0, (k & 2) ? y : 0, (k & 4) ? z : 0);
  for (int k = 0; k < 6; k++) {
    put_triangle(m, sides[k][0], sides[k][1], sides[k][2]);
    put_triangle(m, sides[k][0], sides[k][2], sides[k][3]);
  }
  return m;
}

static inline drawn_mesh *torus_mesh(double large, double small, int around, int across,
                                     hn_vec3 middle) {
  drawn_mesh *m = new_mesh();
  for (int i = 0; i < around; i++)
    for (int j = 0; j < across; j++) {
      double u = 2 * HN_PI * i / around, v = 2 * HN_PI * j / across;
      double r = large + small * cos(v);
      put_vertex(m, middle.x + r * cos(u), middle.y + r * sin(u), middle.z + small * sin(v));
    }
  for (int i = 0; i < around; i++)
    for (int j = 0; j < across; j++) {
      int a = i * across + j, b = (i + 1) % around * across + j;
      int c = (i + 1) % around * across + (j + 1) % across, d = i * across + (j + 1) % across;
      put_triangle(m, a, b, c);
      put_triangle(m, a, c, d);
    }
  return m;
}

// All points on one side of the plane of three: that triangle is a face of the hull.
static inline drawn_mesh *random_convex_mesh(hn_random *random, int count) {
  drawn_mesh *m = new_mesh();
  for (int k = 0; k < count; k++) {
    hn_vec3 p;
    do {
      hn_random_fill(random, &p.x, 3, -1, 1);
    } while (vec3_norm(p) < 0.3 || vec3_norm(p) > 1);
    p = vec3_unit(p); // on an ellipsoid: every point is a corner of the hull
    put_vertex(m, 2 + 0.9 * p.x, -1 + 1.3 * p.y, 0.5 + 0.6 * p.z);
  }
  for (int a = 0; a < count; a++)
    for (int b = 0; b < count; b++)
      for (int c = 0; c < count; c++) {
        if (a >= b || a >= c || b == c) continue; // each turn of a face once
        hn_vec3 p = vec3_load(m->vertices + 3 * a);
        hn_vec3 n = vec3_cross(vec3_sub(vec3_load(m->vertices + 3 * b), p),
                               vec3_sub(vec3_load(m->vertices + 3 * c), p));
        int outside = 0;
        for (int d = 0; d < count && !outside; d++)
          if (d != a && d != b && d != c)
            outside = vec3_dot(n, vec3_sub(vec3_load(m->vertices + 3 * d), p)) > 0;
        if (!outside) put_triangle(m, a, b, c);
      }
  return m;
}

// Mass, center and inertia of density 1 by quadrature.
static inline hn_mass_properties measured(const hn_mesh *mesh) {
  const long double apex[3] = {7.3L, -4.1L, 5.9L}; // outside: volumes of both signs
  const long double near_corner = 0.585410196624968500L, far_corner = 0.138196601125010500L;
  long double volume = 0, first[3] = {0}, second[3][3] = {{0}};
  for (int t = 0; t < mesh->triangle_count; t++) {
    long double p[4][3];
    for (int k = 0; k < 3; k++)
      for (int i = 0; i < 3; i++)
        p[k][i] = (long double)mesh->vertices[3 * mesh->triangles[3 * t + k] + i];
    memcpy(p[3], apex, sizeof apex);
    long double e[3][3];
    for (int k = 0; k < 3; k++)
      for (int i = 0; i < 3; i++) e[k][i] = p[k][i] - p[3][i];
    long double v = (e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) -
                     e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
                     e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0])) /
                    6;
    volume += v;
    for (int q = 0; q < 4; q++) {
      long double x[3];
      for (int i = 0; i < 3; i++) {
        x[i] = 0;
        for (int k = 0; k < 4; k++) x[i] += (k == q ? near_corner : far_corner) * p[k][i];
      }
      for (int i = 0; i < 3; i++) {
        first[i] += v / 4 * x[i];
        for (int j = 0; j < 3; j++) second[i][j] += v / 4 * x[i] * x[j];
      }
    }
  }
  long double c[3];
  for (int i = 0; i < 3; i++) c[i] = first[i] / volume;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) second[i][j] -= volume * c[i] * c[j];
  hn_mass_properties m = {.mass = (double)volume};
  m.center = vec3((double)c[0], (double)c[1], (double)c[2]);
  m.inertia[0] = (double)(second[1][1] + second[2][2]);
  m.inertia[1] = (double)(second[0][0] + second[2][2]);
  m.inertia[2] = (double)(second[0][0] + second[1][1]);
  m.inertia[3] = (double)-second[0][1];
  m.inertia[4] = (double)-second[0][2];
  m.inertia[5] = (double)-second[1][2];
  return m;
}

// All ten numbers, against the size of the largest of their kind.
static inline void check_mass(const hn_mass_properties *actual, const hn_mass_properties *expected,
                              double tolerance) {
  double largest = 0, length = 0;
  for (int k = 0; k < 3; k++) largest = fmax(largest, fabs(expected->inertia[k]));
  length = sqrt(largest / expected->mass);
  check_relative(actual->mass, expected->mass, tolerance);
  check_near_many(&actual->center.x, &expected->center.x, 3, tolerance * length);
  check_near_many(actual->inertia, expected->inertia, 6, tolerance * largest);
}

#endif
