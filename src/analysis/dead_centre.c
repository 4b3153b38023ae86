// Dead centers. Motions that the joints allow are the null space of their constraints, drivers
// released. At a dead center the driver's constraint vanishes on all of them, but not after a small
// step along one: that step violates the joints by its square only, so that the slope of the
// constraint shows.
#include "analysis/dead_centre.h"

#include <math.h>
#include <string.h>

#include "linalg/rank.h"

enum { MOST_ROWS = 300, MOST_COLUMNS = 300 };
#define STEP 1e-3  // rad, or sizes of the largest body
#define SLOPE 0.05 // of the step: a coordinate that turns around there changes about as much as it

typedef struct motions {
  int count;
  double *speeds; // (columns * count)
  double most;    // largest rate of the driven coordinate among them, of a largest speed of 1
} motions;

// Rows are scaled to unit length, as everywhere ranks are judged.
static int fill_rows(const hn_assembly_rows *rows, double *a, int m) {
  int k = 0;
  for (int r = 0; r < rows->size; r++) {
    if (r < rows->row_count && rows->elements->rows[r].is_driver) continue;
    double length = 0;
    for (int i = rows->row_start[r]; i < rows->row_start[r + 1]; i++)
      length += rows->j_values[i] * rows->j_values[i];
    for (int i = rows->row_start[r]; i < rows->row_start[r + 1] && length > 0; i++)
      a[(size_t)rows->column_index[i] * (size_t)m + (size_t)k] = rows->j_values[i] / sqrt(length);
    k++;
  }
  return k;
}

static int find_motions(const hn_assembly_rows *rows, int driver_row, double tolerance,
                        hn_arena *arena, motions *found) {
  const int m = rows->size, n = rows->columns;
  double *a = hn_arena_take(arena, (size_t)n * (size_t)m, sizeof *a);
  double *work = HN_TAKE(arena, double, 3 * n + m);
  int *order = HN_TAKE(arena, int, n);
  if (arena->failed) return 0;
  memset(a, 0, (size_t)n * (size_t)m * sizeof *a);
  fill_rows(rows, a, m);
  int rank = hn_rank_qr(a, m, n, tolerance, NULL, order, work);
  found->count = n - rank;
  found->most = 0;
  if (found->count == 0) return 1;
  found->speeds = hn_arena_take(arena, (size_t)n * (size_t)found->count, sizeof(double));
  if (!found->speeds) return 0;
  hn_rank_null_space(a, m, n, rank, order, found->speeds);
  for (int k = 0; k < found->count; k++) {
    double *z = &found->speeds[(size_t)k * (size_t)n], largest = 0, rate = 0;
    for (int i = 0; i < n; i++) largest = fmax(largest, fabs(z[i]));
    for (int i = 0; i < n && largest > 0; i++) z[i] /= largest;
    for (int i = rows->row_start[driver_row]; i < rows->row_start[driver_row + 1]; i++)
      rate += rows->j_values[i] * z[rows->column_index[i]];
    found->most = fmax(found->most, fabs(rate));
  }
  return 1;
}

static void move_frames(const hn_assembly *a, const hn_assembly_rows *rows, const double *z,
                        hn_frame *frames) {
  for (int b = 1; b < rows->bodies; b++) {
    const int c = rows->first_column[b];
    frames[b] = a->frames[b];
    if (c < 0) continue;
    hn_vec3 turn = vec3_scale(STEP, vec3_load(&z[c + 3]));
    frames[b].r = vec3_add_scaled(frames[b].r, STEP, vec3_load(&z[c]));
    frames[b].p =
        quat_unit(quat_multiply(quat_from_axis_angle(turn, vec3_norm(turn)), frames[b].p));
    frames[b].a = quat_matrix(frames[b].p);
  }
}

static int moving_joint(const hn_assembly *a, const hn_assembly_rows *rows, int driver_row,
                        const double *z) {
  const hn_driver_def *driver = &a->model->drivers[a->elements->rows[driver_row].owner];
  for (int j = 0; j < a->model->joint_count; j++) {
    const hn_joint_def *joint = &a->model->joints[j];
    if (!hn_joint_holds(joint->type) || joint->frame1.body * joint->frame2.body != HN_GROUND ||
        (driver->kind == HN_DRIVER_JOINT && driver->joint == j))
      continue;
    const int c = rows->first_column[joint->frame1.body + joint->frame2.body];
    for (int i = 0; c >= 0 && i < 6; i++)
      if (fabs(z[c + i]) > 0.01) return j;
  }
  return -1;
}

int hn_find_dead_centre(const hn_assembly *a, hn_assembly_rows *rows, int driver_row,
                        hn_arena *arena, int *other) {
  motions here, beside = {.count = 0};
  hn_frame *frames = HN_TAKE(arena, hn_frame, rows->bodies);
  *other = -1;
  if (!frames || rows->size > MOST_ROWS || rows->columns > MOST_COLUMNS) return 0;
  hn_assembly_rows_evaluate(rows, a->t, a->frames, a->branches, 0);
  if (!find_motions(rows, driver_row, HN_RANK_ROUNDING, arena, &here) || here.count == 0 ||
      here.most > HN_RANK_DEPENDENT)
    return 0;
  int is_dead = 0;
  for (int k = 0; k < here.count && !is_dead; k++) {
    const double *z = &here.speeds[(size_t)k * (size_t)rows->columns];
    frames[0] = a->frames[0];
    move_frames(a, rows, z, frames);
    hn_assembly_rows_evaluate(rows, a->t, frames, a->branches, 0);
    if (!find_motions(rows, driver_row, HN_RANK_DEPENDENT, arena, &beside)) break;
    is_dead = beside.count > 0 && beside.most > SLOPE * STEP;
    if (is_dead) *other = moving_joint(a, rows, driver_row, z);
  }
  hn_assembly_rows_evaluate(rows, a->t, a->frames, a->branches, 0);
  return is_dead;
}
