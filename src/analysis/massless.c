// Motions that nothing determines: velocities of massless bodies that no joint or driver prevents
// and that move no inertia. In the velocities of these bodies alone (all others at rest),
//
//   [ G; I ] v = 0,   G: constraint equations,   I: rotational inertias
//
// has a solution v other than 0. Their accelerations would be 0/0; a run leaves them arbitrary.
// Out of scope: spins of bodies with mass about an axis without inertia (mobility_weightless.c).
#include "analysis/massless.h"

#include <math.h>
#include <string.h>

#include "analysis/assembly_rows.h"
#include "analysis/simulation.h"
#include "base/error.h"
#include "linalg/rank.h"

enum { MAX_BODIES = 200 }; // that are examined: the matrix is dense

typedef struct massless {
  hn_arena arena;
  const hn_simulation *s;
  const hn_frame *frames;
  int *column;     // first of each body; -1: it has mass (bodies)
  double *size;    // of bodies, m
  int count, rows; // of massless bodies; of the matrix
  double *matrix;  // (rows x 6 count), by columns
} massless;

static hn_status find_bodies(massless *m) {
  const hn_model *model = m->s->model;
  m->column = HN_TAKE(&m->arena, int, model->body_count);
  m->size = HN_TAKE(&m->arena, double, model->body_count);
  if (m->arena.failed) return HN_ERROR_MEMORY;
  m->column[0] = -1;
  for (int b = 1; b < model->body_count; b++)
    m->column[b] = model->bodies[b].mass > 0 ? -1 : 6 * m->count++;
  hn_body_sizes(model, m->size);
  return HN_OK;
}

static void put(massless *m, int row, int column, hn_vec3 v) {
  for (int i = 0; i < 3; i++)
    m->matrix[(size_t)(column + i) * (size_t)m->rows + (size_t)row] = vec3_get(v, i);
}

// Rotations are counted in sizes of the body, rows have unit length.
static void add_constraint(massless *m, int r) {
  const hn_simulation *s = m->s;
  const hn_row *row = &s->elements->rows[r];
  hn_row_speeds speeds;
  double sum = 0;
  hn_row_in_speeds(s->elements, row, m->frames, s->branches.turns, s->method->t,
                   row->driver >= 0 ? s->branches.driver[row->driver] : 0, &speeds);
  for (int k = 0; k < row->body_count; k++)
    sum += vec3_dot(speeds.n[k], speeds.n[k]) +
           vec3_dot(speeds.m[k], speeds.m[k]) / (m->size[row->body[k]] * m->size[row->body[k]]);
  for (int k = 0; sum > 0 && k < row->body_count; k++) {
    const int column = m->column[row->body[k]];
    if (column < 0) continue;
    put(m, r, column, vec3_scale(1 / sqrt(sum), speeds.n[k]));
    put(m, r, column + 3, vec3_scale(1 / (sqrt(sum) * m->size[row->body[k]]), speeds.m[k]));
  }
}

static void add_inertia(massless *m, int b, int first) {
  const double *own = m->s->model->bodies[b].inertia;
  double most = 0;
  for (int i = 0; i < 6; i++) most = fmax(most, fabs(own[i]));
  if (!(most > 0)) return;
  const hn_mat3 a = m->frames[b].a,
                inertia = mat3_multiply(mat3_multiply(a, mat3_symmetric(own)), mat3_transpose(a));
  for (int i = 0; i < 3; i++)
    put(m, first + i, m->column[b] + 3, vec3_scale(1 / most, mat3_column(inertia, i)));
}

// The body that moves most in the first undetermined motion; 0: no such motion.
static int find_loose_body(massless *m) {
  const int columns = 6 * m->count;
  int *order = HN_TAKE(&m->arena, int, columns);
  double *work = HN_TAKE(&m->arena, double, 3 * columns + m->rows);
  double *null_space = hn_arena_take(&m->arena, (size_t)columns * (size_t)columns, sizeof(double));
  if (m->arena.failed) return 0;
  const int rank = hn_rank_qr(m->matrix, m->rows, columns, HN_RANK_ROUNDING, NULL, order, work);
  if (rank == columns) return 0;
  hn_rank_null_space(m->matrix, m->rows, columns, rank, order, null_space);
  int body = 0;
  double most = 0;
  for (int b = 1; b < m->s->model->body_count; b++)
    for (int i = 0; m->column[b] >= 0 && i < 6; i++) {
      if (fabs(null_space[m->column[b] + i]) <= most) continue;
      most = fabs(null_space[m->column[b] + i]);
      body = b;
    }
  return body;
}

static int find_body(massless *m) {
  const hn_simulation *s = m->s;
  if (find_bodies(m) != HN_OK || m->count == 0 || m->count > MAX_BODIES) return 0;
  m->rows = s->elements->row_count + 3 * m->count;
  m->matrix = hn_arena_take(&m->arena, (size_t)m->rows * 6 * (size_t)m->count, sizeof(double));
  if (!m->matrix) return 0;
  for (int r = 0; r < s->elements->row_count; r++) add_constraint(m, r);
  for (int b = 1, row = s->elements->row_count; b < s->model->body_count; b++) {
    if (m->column[b] < 0) continue;
    add_inertia(m, b, row);
    row += 3;
  }
  return find_loose_body(m);
}

void hn_warn_massless(hn_simulation *s, const hn_frame *frames) {
  massless m = {.s = s, .frames = frames};
  char name[96];
  if (s->model->part_count > 0) return; // what is sealed may carry them
  hn_arena_init(&m.arena, s->options.allocator);
  const int body = find_body(&m);
  hn_arena_release(&m.arena);
  if (body == 0) return;
  hn_text(name, sizeof name, "body '%s'", s->model->bodies[body].name);
  hn_simulation_warn(s, name,
                     "moves arbitrarily: it is free, and neither it nor what it carries has mass. "
                     "Give it mass, or join it with `fixed`");
}
