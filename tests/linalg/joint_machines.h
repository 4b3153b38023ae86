// Models for linear solvers: bodies in the plane of a drawing or in space with joints between them,
// as numbers of mass and blocks of rows. Geometry is real (loops close), so rows that are redundant
// in a model are so here. Used by tests and by bench/accelerations.c.
#ifndef HN_TESTS_LINALG_JOINT_MACHINES_H
#define HN_TESTS_LINALG_JOINT_MACHINES_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/solver.h"
#include "math/vec.h"

#if defined(__GNUC__)
#define JM_UNUSED __attribute__((unused))
#else
#define JM_UNUSED
#endif

typedef struct joint_machine {
  int bodies, rows, joints, blocks;
  int body_room, row_room, block_room, joint_room;
  hn_vec3 *position; // centers of mass, ground first (bodies + 1)
  double *mass;      // 9 a body
  int *row_start, *body, *joint_row;
  unsigned char *soft, *on_ground;
  double *block;
  uint64_t seed;
} joint_machine;

static JM_UNUSED double jm_random(joint_machine *m) { // in (-1, 1)
  m->seed = m->seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(m->seed >> 11) / 4503599627370496.0 - 1;
}

// In this order, which arguments of a call have not.
static JM_UNUSED hn_vec3 jm_three(joint_machine *m) {
  double x = jm_random(m), y = jm_random(m), z = jm_random(m);
  return vec3(x, y, z);
}

static JM_UNUSED hn_vec3 jm_direction(joint_machine *m) {
  for (;;) {
    hn_vec3 v = jm_three(m);
    double n = vec3_norm(v);
    if (n > 0.1 && n < 1) return vec3_scale(1 / n, v);
  }
}

static void *jm_grow(void *block, int *room, int wanted, size_t size) {
  if (wanted <= *room && block) return block;
  int more = 2 * wanted + 16;
  void *grown = realloc(block, (size_t)more * size);
  if (!grown) abort();
  *room = more;
  return grown;
}

static JM_UNUSED void jm_begin(joint_machine *m, uint64_t seed) {
  memset(m, 0, sizeof *m);
  m->seed = seed * 2654435761u + 12345;
  int room = 0;
  m->position = jm_grow(NULL, &room, 1, sizeof(hn_vec3));
  m->mass = jm_grow(NULL, &m->body_room, 1, 9 * sizeof(double));
  m->position = realloc(m->position, ((size_t)m->body_room + 1) * sizeof(hn_vec3));
  m->row_start = jm_grow(NULL, &m->row_room, 2, sizeof(int));
  m->soft = malloc((size_t)m->row_room);
  m->body = jm_grow(NULL, &m->block_room, 1, sizeof(int));
  m->block = malloc((size_t)m->block_room * 6 * sizeof(double));
  m->joint_row = jm_grow(NULL, &m->joint_room, 2, sizeof(int));
  m->on_ground = malloc((size_t)m->joint_room);
  if (!m->position || !m->soft || !m->block || !m->on_ground) abort();
  m->position[0] = vec3_zero();
  m->row_start[0] = m->joint_row[0] = 0;
}

static JM_UNUSED void jm_end(joint_machine *m) {
  free(m->position);
  free(m->mass);
  free(m->row_start);
  free(m->body);
  free(m->joint_row);
  free(m->soft);
  free(m->on_ground);
  free(m->block);
  memset(m, 0, sizeof *m);
}

// A body of this mass whose inertia is that of a box of these half lengths, turned at random when
// `turned`. Returns its number, from 1.
static JM_UNUSED int jm_body(joint_machine *m, double mass, hn_vec3 position, hn_vec3 half,
                             int turned) {
  int id = ++m->bodies, before = m->body_room;
  m->mass = jm_grow(m->mass, &m->body_room, id, 9 * sizeof(double));
  if (before != m->body_room)
    m->position = realloc(m->position, ((size_t)m->body_room + 1) * sizeof(hn_vec3));
  if (!m->position) abort();
  hn_vec3 x = turned ? jm_direction(m) : vec3(1, 0, 0);
  hn_vec3 y = turned ? vec3_unit(vec3_cross(x, jm_direction(m))) : vec3(0, 1, 0);
  hn_vec3 z = vec3_cross(x, y);
  double a = half.x * half.x, b = half.y * half.y, c = half.z * half.z;
  hn_mat3 inertia = mat3_scale(mass / 3 * (b + c), mat3_outer(x, x));
  inertia = mat3_add(inertia, mat3_scale(mass / 3 * (a + c), mat3_outer(y, y)));
  inertia = mat3_add(inertia, mat3_scale(mass / 3 * (a + b), mat3_outer(z, z)));
  double *to = &m->mass[9 * (id - 1)];
  to[0] = to[1] = to[2] = mass;
  to[3] = inertia.m[0][0];
  to[4] = inertia.m[0][1];
  to[5] = inertia.m[1][1];
  to[6] = inertia.m[0][2];
  to[7] = inertia.m[1][2];
  to[8] = inertia.m[2][2];
  m->position[id] = position;
  return id;
}

static JM_UNUSED void jm_add(joint_machine *m, int body, hn_vec3 n, hn_vec3 moment) {
  if (body == 0) return;
  int k = m->blocks++, before = m->block_room;
  m->body = jm_grow(m->body, &m->block_room, m->blocks, sizeof(int));
  if (before != m->block_room)
    m->block = realloc(m->block, (size_t)m->block_room * 6 * sizeof(double));
  if (!m->block) abort();
  m->body[k] = body;
  vec3_store(&m->block[6 * k], n);
  vec3_store(&m->block[6 * k + 3], moment);
}

static JM_UNUSED void jm_end_row(joint_machine *m) {
  int before = m->row_room;
  m->row_start = jm_grow(m->row_start, &m->row_room, m->rows + 2, sizeof(int));
  if (before != m->row_room) m->soft = realloc(m->soft, (size_t)m->row_room);
  if (!m->soft) abort();
  m->soft[m->rows++] = 0;
  m->row_start[m->rows] = m->blocks;
}

static JM_UNUSED void jm_end_joint(joint_machine *m, int on_ground) {
  int before = m->joint_room;
  m->joint_row = jm_grow(m->joint_row, &m->joint_room, m->joints + 2, sizeof(int));
  if (before != m->joint_room) m->on_ground = realloc(m->on_ground, (size_t)m->joint_room);
  if (!m->on_ground) abort();
  m->on_ground[m->joints++] = on_ground != 0;
  m->joint_row[m->joints] = m->rows;
}

// axis . (point of b2 - point of b1) = 0
static JM_UNUSED void jm_displacement(joint_machine *m, int b1, int b2, hn_vec3 at, hn_vec3 axis) {
  hn_vec3 s1 = vec3_sub(at, m->position[b1]), s2 = vec3_sub(at, m->position[b2]);
  jm_add(m, b1, vec3_negate(axis), vec3_negate(vec3_cross(s1, axis)));
  jm_add(m, b2, axis, vec3_cross(s2, axis));
  jm_end_row(m);
}

// axis1 . axis2 = 0, axis1 on b1, axis2 on b2
static JM_UNUSED void jm_axes(joint_machine *m, int b1, int b2, hn_vec3 axis1, hn_vec3 axis2) {
  hn_vec3 c = vec3_cross(axis1, axis2);
  jm_add(m, b1, vec3_zero(), c);
  jm_add(m, b2, vec3_zero(), vec3_negate(c));
  jm_end_row(m);
}

typedef enum jm_type {
  JM_REVOLUTE,
  JM_SPHERICAL,
  JM_UNIVERSAL,
  JM_FIXED,
  JM_CYLINDRICAL,
  JM_SLIDE,
  JM_TYPES
} jm_type;

static JM_UNUSED void jm_joint(joint_machine *m, jm_type type, int b1, int b2, hn_vec3 at,
                               hn_vec3 axis) {
  hn_vec3 h = vec3_unit(axis);
  hn_vec3 f = vec3_unit(vec3_cross(h, fabs(h.x) < 0.7 ? vec3(1, 0, 0) : vec3(0, 1, 0)));
  hn_vec3 g = vec3_cross(h, f);
  jm_displacement(m, b1, b2, at, f);
  jm_displacement(m, b1, b2, at, g);
  if (type != JM_CYLINDRICAL && type != JM_SLIDE) jm_displacement(m, b1, b2, at, h);
  if (type == JM_UNIVERSAL) jm_axes(m, b1, b2, f, g);
  if (type != JM_SPHERICAL && type != JM_UNIVERSAL) {
    jm_axes(m, b1, b2, f, h);
    jm_axes(m, b1, b2, g, h);
  }
  if (type == JM_FIXED || type == JM_SLIDE) jm_axes(m, b1, b2, f, g);
  jm_end_joint(m, b1 == 0 || b2 == 0);
}

// A massless rod between two points.
static JM_UNUSED void jm_rod(joint_machine *m, int b1, int b2, hn_vec3 p1, hn_vec3 p2) {
  hn_vec3 u = vec3_unit(vec3_sub(p2, p1));
  hn_vec3 s1 = vec3_sub(p1, m->position[b1]), s2 = vec3_sub(p2, m->position[b2]);
  jm_add(m, b1, vec3_negate(u), vec3_negate(vec3_cross(s1, u)));
  jm_add(m, b2, u, vec3_cross(s2, u));
  jm_end_row(m);
  jm_end_joint(m, b1 == 0 || b2 == 0);
}

// ratio1 (turn of b1 against carrier1) + ratio2 (turn of b2 against carrier2) = 0, about one axis.
static JM_UNUSED void jm_gear(joint_machine *m, int carrier1, int b1, int carrier2, int b2,
                              hn_vec3 axis, double ratio1, double ratio2) {
  int body[4] = {carrier1, b1, carrier2, b2}, done[4] = {0, 0, 0, 0};
  double turn[4] = {-ratio1, ratio1, -ratio2, ratio2};
  for (int k = 0; k < 4; k++) {
    if (done[k]) continue;
    double sum = 0;
    for (int l = k; l < 4; l++)
      if (body[l] == body[k]) {
        sum += turn[l];
        done[l] = 1;
      }
    jm_add(m, body[k], vec3_zero(), vec3_scale(sum, axis));
  }
  jm_end_row(m);
  jm_end_joint(m, carrier1 == 0 || carrier2 == 0 || b1 == 0 || b2 == 0);
}

static JM_UNUSED hn_solver_problem jm_problem(const joint_machine *m) {
  return (hn_solver_problem){.bodies = m->bodies,
                             .rows = m->rows,
                             .row_start = m->row_start,
                             .body = m->body,
                             .joints = m->joints,
                             .joint_row = m->joint_row,
                             .on_ground = m->on_ground,
                             .soft = m->soft,
                             .soft_epsilon = 1e-8,
                             .mass = m->mass};
}

static JM_UNUSED void jm_soften_all(joint_machine *m) { memset(m->soft, 1, (size_t)m->rows); }

// Right sides: any b, and c = J u of some u, so that rows do not contradict each other.
static JM_UNUSED void jm_right_sides(joint_machine *m, double *b, double *c) {
  double *u = malloc(sizeof(double) * 6 * (size_t)(m->bodies + 1));
  if (!u) abort();
  for (int i = 0; i < 6 * m->bodies; i++) {
    b[i] = 10 * jm_random(m) * m->mass[9 * (i / 6)];
    u[i] = 5 * jm_random(m);
  }
  for (int r = 0; r < m->rows; r++) {
    c[r] = 0;
    for (int k = 6 * m->row_start[r]; k < 6 * m->row_start[r + 1]; k++)
      c[r] += m->block[k] * u[6 * (m->body[k / 6] - 1) + k % 6];
  }
  free(u);
}

// ---- models -------------------------------------------------------------------------------------

static JM_UNUSED hn_vec3 jm_half(joint_machine *m) {
  return vec3_add_scaled(vec3(0.3, 0.2, 0.15), 0.1, jm_three(m));
}

// Links of half a meter, nearly straight, revolutes about changing axes.
static JM_UNUSED void jm_chain(joint_machine *m, int n) {
  hn_vec3 at = vec3_zero(), along = vec3(1, 0, 0);
  for (int i = 0; i < n; i++) {
    along = vec3_unit(vec3_add_scaled(along, 0.3, jm_direction(m)));
    hn_vec3 center = vec3_add_scaled(at, 0.25, along);
    double mass = 1 + 0.3 * jm_random(m);
    int id = jm_body(m, mass, center, jm_half(m), 1);
    jm_joint(m, JM_REVOLUTE, id - 1, id, at,
             vec3_cross(along, i % 2 ? vec3(0, 0, 1) : vec3(0, 1, 0.2)));
    at = vec3_add_scaled(at, 0.5, along);
  }
}

// Every body hangs on one before it (or on ground, if `floating` only the first does not) by a joint of
// any type; `spread` limits how far back.
static JM_UNUSED void jm_tree(joint_machine *m, int n, int spread, int floating) {
  for (int i = 1; i <= n; i++) {
    int back = (int)((jm_random(m) + 1) / 2 * (i < spread ? i : spread));
    int parent = i - 1 - back;
    hn_vec3 at = vec3_add_scaled(m->position[parent], 0.4, jm_direction(m));
    hn_vec3 center = vec3_add_scaled(at, 0.4, jm_direction(m));
    double mass = exp(1.5 * jm_random(m));
    int id = jm_body(m, mass, center, jm_half(m), 1);
    jm_type type = (jm_type)(int)((jm_random(m) + 1) / 2 * JM_TYPES);
    if (parent > 0 || !floating) jm_joint(m, type, parent, id, at, jm_direction(m));
  }
}

// n parallelogram four-bars side by side, cranks at `angle` from the base line: planar loops drawn with
// spatial revolutes, 3 redundant rows each. Singular at angle 0. width 0: thin rods.
static JM_UNUSED void jm_ladder(joint_machine *m, int n, double angle, double width) {
  hn_vec3 up = vec3(cos(angle), sin(angle), 0), z = vec3(0, 0, 1);
  for (int i = 0; i <= n; i++) {
    hn_vec3 foot = vec3(i, 0, 0);
    int id = jm_body(m, 1, vec3_add_scaled(foot, 0.5, up), vec3(0.5, width, width), 0);
    double c = up.x, s = up.y, *to = &m->mass[9 * (id - 1)];
    double along = 2 * width * width / 3, across = (0.25 + width * width) / 3;
    to[3] = along * c * c + across * s * s;
    to[4] = (along - across) * c * s;
    to[5] = along * s * s + across * c * c;
    to[6] = to[7] = 0;
    to[8] = across;
    jm_joint(m, JM_REVOLUTE, 0, id, foot, z);
  }
  for (int i = 0; i < n; i++) {
    hn_vec3 left = vec3_add(vec3(i, 0, 0), up), right = vec3_add(vec3(i + 1, 0, 0), up);
    int id = jm_body(m, 1, vec3_scale(0.5, vec3_add(left, right)), vec3(0.5, width, width), 0);
    jm_joint(m, JM_REVOLUTE, i + 1, id, left, z);
    jm_joint(m, JM_REVOLUTE, id, i + 2, right, z);
  }
  jm_soften_all(m);
}

// A hub on ground with n arms of `length` links each.
static JM_UNUSED void jm_star(joint_machine *m, int n, int length) {
  hn_vec3 z = vec3(0, 0, 1);
  int hub = jm_body(m, 5, vec3_zero(), vec3(0.5, 0.5, 0.2), 0);
  jm_joint(m, JM_REVOLUTE, 0, hub, vec3(0, 0, -0.3), z);
  for (int k = 0; k < n; k++) {
    hn_vec3 along = vec3(cos(2 * HN_PI * k / n), sin(2 * HN_PI * k / n), 0.1 * jm_random(m));
    int parent = hub;
    for (int i = 0; i < length; i++) {
      hn_vec3 at = vec3_scale(0.5 + 0.5 * i, along);
      int id = jm_body(m, 1, vec3_add_scaled(at, 0.25, along), jm_half(m), 1);
      hn_vec3 axis = vec3_add_scaled(z, 0.3, jm_direction(m));
      jm_joint(m, JM_REVOLUTE, parent, id, at, axis);
      parent = id;
    }
  }
}

// The seven-body mechanism (Schiehlen 1990) as ten spatial revolutes: three planar loops, 9
// redundant constraints. Positions differ from the benchmark; the topology and the closing of loops
// do not.
static JM_UNUSED void jm_seven_body(joint_machine *m) {
  hn_vec3 o = vec3(0, 0, 0), a = vec3(-0.06934, -0.00227, 0), b = vec3(-0.03635, 0.03273, 0);
  hn_vec3 crank = vec3(0.007, 0, 0), f = vec3(-0.0209, 0.0013, 0), e = vec3(-0.034, 0.016, 0);
  hn_vec3 g = vec3(-0.0315, -0.0165, 0), z = vec3(0, 0, 1);
  double mass[7] = {0.04325, 0.00365, 0.02373, 0.00706, 0.0705, 0.00706, 0.05498};
  hn_vec3 end[7][2] = {{o, crank}, {crank, f}, {b, f}, {f, e}, {a, e}, {f, g}, {a, g}};
  for (int i = 0; i < 7; i++) {
    double length = vec3_norm(vec3_sub(end[i][1], end[i][0]));
    jm_body(m, mass[i], vec3_scale(0.5, vec3_add(end[i][0], end[i][1])),
            vec3(0.5 * length, 0.3 * length, 0.2 * length), 0);
  }
  int pair[10][2] = {{0, 1}, {1, 2}, {0, 3}, {2, 3}, {2, 4},
                     {2, 6}, {4, 5}, {0, 5}, {6, 7}, {0, 7}};
  hn_vec3 at[10] = {o, crank, b, f, f, f, e, a, g, a};
  for (int j = 0; j < 10; j++) jm_joint(m, JM_REVOLUTE, pair[j][0], pair[j][1], at[j], z);
  jm_soften_all(m);
}

// A chassis without ground, at each of `corners` an arm on a revolute, a wheel carrier on a ball, and
// three rods from the carrier to the chassis: nine bodies and twenty joints with four corners.
static JM_UNUSED void jm_vehicle(joint_machine *m, int corners) {
  int chassis = jm_body(m, 1260, vec3(0, 0, 0.57), vec3(1.5, 0.6, 0.4), 0);
  for (int k = 0; k < corners; k++) {
    double side = k % 2 ? -1 : 1, x = (k / 2) * -2.0 + 1;
    int arm = jm_body(m, 6, vec3(x, side * 0.4155, 0.2655), vec3(0.16, 0.18, 0.1), 1);
    int wheel = jm_body(m, 57.35, vec3(x, side * 0.615, 0.356), vec3(0.18, 0.12, 0.18), 1);
    hn_vec3 hinge = vec3(x, side * 0.259, 0.302), ball = vec3(x, side * 0.572, 0.229);
    jm_joint(m, JM_REVOLUTE, chassis, arm, hinge, vec3(1, 0, 0));
    jm_joint(m, JM_SPHERICAL, arm, wheel, ball, vec3(1, 0, 0));
    jm_rod(m, chassis, wheel, vec3(x, side * 0.1585, 0.6), vec3(x, side * 0.488, 0.531));
    jm_rod(m, chassis, wheel, vec3(x + 0.5, side * 0.1585, 0.6), vec3(x, side * 0.488, 0.531));
    jm_rod(m, chassis, wheel, vec3(x - 0.14, side * 0.07, 0.6),
           vec3(x - 0.14, side * 0.448, 0.531));
  }
  jm_soften_all(m);
}

#endif
