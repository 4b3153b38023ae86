// Structure of a model for linear solvers, set up once, and its masses.
#include "equations/cartesian/problem.h"

#include <string.h>

#include "elements/loops.h"
#include "equations/held_inertia.h"
#include "equations/loop_rank.h"

static int count_blocks(const hn_elements *elements) {
  int blocks = 0;
  for (int r = 0; r < elements->row_count; r++) blocks += elements->rows[r].body_count;
  return blocks;
}

static void list_blocks(const hn_elements *elements, int *row_start, int *body) {
  int blocks = 0;
  for (int r = 0; r < elements->row_count; r++) {
    const hn_row *row = &elements->rows[r];
    row_start[r] = blocks;
    for (int k = 0; k < row->body_count; k++) body[blocks++] = row->body[k];
  }
  row_start[elements->row_count] = blocks;
}

// Joints, then drivers: their rows follow each other.
static void list_groups(const hn_elements *elements, int *first_row) {
  const hn_model *model = elements->model;
  memcpy(first_row, elements->joint_row, (size_t)model->joint_count * sizeof(int));
  memcpy(first_row + model->joint_count, elements->driver_row,
         (size_t)(model->driver_count + 1) * sizeof(int));
}

static int measures_ground(const hn_elements *elements, const hn_row *row) {
  for (int k = 0; k < row->count; k++) {
    const hn_measure *m = &elements->measures[row->measure[k]];
    if (m->body[0] == HN_GROUND || m->body[1] == HN_GROUND) return 1;
  }
  return 0;
}

// Conditional rows of a tree need a pivot while they are inactive, and nothing more: HN_LOOP_EPSILON
// would release a body with little inertia.
static double soft_epsilon(const unsigned char *in_loop, int rows) {
  int loops = 0;
  for (int r = 0; r < rows; r++) loops += in_loop[r] == HN_ROW_IN_LOOP;
  return loops > 0 ? HN_LOOP_EPSILON : HN_OFF_EPSILON;
}

hn_status hn_cartesian_problem(hn_arena *arena, const hn_elements *elements,
                               hn_solver_problem *problem) {
  const hn_model *model = elements->model;
  hn_arena scratch;
  int groups = model->joint_count + model->driver_count, rows = elements->row_count;
  int *row_start = HN_TAKE(arena, int, rows + 1), *first_row = HN_TAKE(arena, int, groups + 1);
  int *body = HN_TAKE(arena, int, count_blocks(elements));
  unsigned char *on_ground = HN_TAKE(arena, unsigned char, groups);
  unsigned char *in_loop = HN_TAKE(arena, unsigned char, rows);
  double *mass = HN_TAKE(arena, double, 9 * (model->body_count - 1));
  hn_arena_init(&scratch, &arena->allocator);
  hn_frame *drawn = HN_TAKE(&scratch, hn_frame, model->body_count);
  double *held = NULL;
  hn_status status = arena->failed || scratch.failed ? HN_ERROR_MEMORY : HN_OK;
  if (status == HN_OK) status = hn_held_inertia(&scratch, model, &held);
  if (status == HN_OK) {
    list_blocks(elements, row_start, body);
    list_groups(elements, first_row);
    for (int g = 0; g < groups; g++)
      for (int r = first_row[g]; r < first_row[g + 1]; r++)
        if (measures_ground(elements, &elements->rows[r])) on_ground[g] = 1;
    hn_drawn_frames(model, drawn);
    hn_cartesian_mass(model, held, drawn, mass);
    status = hn_find_loop_rows(&arena->allocator, elements, in_loop);
  }
  hn_arena_release(&scratch);
  *problem = (hn_solver_problem){.bodies = model->body_count - 1,
                                 .rows = rows,
                                 .row_start = row_start,
                                 .body = body,
                                 .joints = groups,
                                 .joint_row = first_row,
                                 .on_ground = on_ground,
                                 .soft = in_loop,
                                 .soft_epsilon = status == HN_OK ? soft_epsilon(in_loop, rows) : 0,
                                 .mass = mass};
  return status;
}

// The upper triangle of A I A'.
static void rotate_inertia(const double inertia[6], const hn_mat3 *a, double *m) {
  const hn_mat3 b = mat3_multiply(*a, mat3_symmetric(inertia));
  hn_vec3 row[3], left[3];
  for (int i = 0; i < 3; i++) {
    row[i] = vec3_load(a->m[i]);
    left[i] = vec3_load(b.m[i]);
  }
  m[0] = vec3_dot(left[0], row[0]);
  m[1] = vec3_dot(left[0], row[1]);
  m[2] = vec3_dot(left[1], row[1]);
  m[3] = vec3_dot(left[0], row[2]);
  m[4] = vec3_dot(left[1], row[2]);
  m[5] = vec3_dot(left[2], row[2]);
}

void hn_cartesian_mass_of(const hn_model *model, const double *held, int body,
                          const hn_frame *frame, double *mass) {
  mass[0] = mass[1] = mass[2] = model->bodies[body].mass;
  rotate_inertia(held ? held + 6 * (size_t)body : model->bodies[body].inertia, &frame->a, mass + 3);
}

void hn_cartesian_mass(const hn_model *model, const double *held, const hn_frame *frames,
                       double *mass) {
  for (int b = 1; b < model->body_count; b++)
    hn_cartesian_mass_of(model, held, b, &frames[b], &mass[9 * (b - 1)]);
}

void hn_geometric_mass(const hn_model *model, double *mass) {
  double rotation = hn_geometric_rotation(model);
  for (int b = 0; b < model->body_count - 1; b++) {
    double *m = &mass[9 * b];
    m[0] = m[1] = m[2] = 1;
    m[3] = m[5] = m[8] = rotation;
    m[4] = m[6] = m[7] = 0;
  }
}
