// Rows of a part and the motion along which they are violated least.
//
// Columns are displacements of bodies and rotations times the size of the body; rows have unit
// length. A direction is the eigenvector of J'J with the smallest eigenvalue. Further ones follow
// from
//
//   least |J v|^2 + (u . v - 1)^2     u: the direction before
//
// and positions from a step along v and Gauss-Newton steps across it.
#include "analysis/alignment_loop.h"

#include <string.h>

#include "analysis/assembly_rows.h"
#include "linalg/rank.h"
#include "math/euler.h"

#define STEP 0.08     // rad, or sizes of the loop
#define SEVERAL 1e-5  // a second direction that the rows kept allow
#define SETTLED 1e-12 // of Gauss-Newton steps, in sizes
enum { ITERATIONS = 12, MIN_POSITIONS = 5 };

// ---- rows ---------------------------------------------------------------------------------------

// Columns for all bodies but one; returns how many.
static int number_columns(hn_joint_loop *loop, const hn_joint_graph *graph, int part) {
  int count = 0, held = graph->bodies[graph->body_start[part]];
  for (int b = 0; b < loop->bodies; b++) loop->column[b] = -1;
  for (int k = graph->body_start[part]; k < graph->body_start[part + 1]; k++)
    if (graph->bodies[k] == HN_GROUND) held = HN_GROUND;
  for (int k = graph->body_start[part]; k < graph->body_start[part + 1]; k++) {
    const int b = graph->bodies[k];
    if (b == held) continue;
    loop->column[b] = count;
    count += 6;
    loop->length = fmax(loop->length, loop->size[b]);
  }
  return count;
}

static void scale_rows(hn_joint_loop *loop) {
  for (int k = 0; k < loop->m; k++) loop->scale[k] = 1;
  hn_mobility_loop_evaluate(loop, loop->start, NULL, loop->closed, loop->a, loop->m);
  for (int k = 0; k < loop->m; k++) {
    double sum = 0;
    for (int i = 0; i < loop->n; i++)
      sum += loop->a[(size_t)i * (size_t)loop->m + (size_t)k] *
             loop->a[(size_t)i * (size_t)loop->m + (size_t)k];
    if (sum > 0) loop->scale[k] = 1 / sqrt(sum);
  }
  hn_mobility_loop_evaluate(loop, loop->start, NULL, loop->closed, NULL, 0);
}

hn_status hn_mobility_loop_create(hn_arena *arena, const hn_elements *elements,
                                  const hn_joint_graph *graph, int part, double t,
                                  const hn_frame *frames, const hn_branches *branches,
                                  hn_joint_loop *loop) {
  const int most = graph->row_start[part + 1] - graph->row_start[part];
  *loop = (hn_joint_loop){.elements = elements, .branches = branches, .t = t, .start = frames};
  loop->bodies = elements->model->body_count;
  loop->column = HN_TAKE(arena, int, loop->bodies);
  loop->size = HN_TAKE(arena, double, loop->bodies);
  loop->rows = HN_TAKE(arena, int, most);
  if (arena->failed) return HN_ERROR_MEMORY;
  for (int k = graph->row_start[part]; k < graph->row_start[part + 1]; k++)
    if (!elements->rows[graph->rows[k]].is_driver) loop->rows[loop->m++] = graph->rows[k];
  hn_body_sizes(elements->model, loop->size);
  const int n = number_columns(loop, graph, part), height = loop->m + n + 1;
  if (loop->m > HN_LOOP_ROWS || n > loop->m) return HN_OK;
  loop->n = n;
  loop->scale = HN_TAKE(arena, double, loop->m);
  loop->closed = HN_TAKE(arena, double, loop->m);
  loop->at = HN_TAKE(arena, hn_frame, HN_LOOP_POSITIONS * loop->bodies);
  loop->tangent = HN_TAKE(arena, double, HN_LOOP_POSITIONS *n);
  loop->ends = HN_TAKE(arena, hn_frame, loop->bodies);
  loop->moving = HN_TAKE(arena, hn_frame, loop->bodies);
  loop->first = HN_TAKE(arena, double, n);
  loop->square = HN_TAKE(arena, double, n *n);
  loop->a = hn_arena_take(arena, (size_t)height * (size_t)height, sizeof(double));
  loop->b = HN_TAKE(arena, double, height);
  loop->x = HN_TAKE(arena, double, height);
  loop->work = HN_TAKE(arena, double, 4 * height);
  loop->order = HN_TAKE(arena, int, height);
  if (arena->failed) return HN_ERROR_MEMORY;
  scale_rows(loop);
  return HN_OK;
}

int hn_mobility_loop_rank(hn_joint_loop *loop) {
  hn_mobility_loop_evaluate(loop, loop->start, NULL, NULL, loop->a, loop->m);
  return hn_rank_qr(loop->a, loop->m, loop->n, HN_RANK_ROUNDING, NULL, loop->order, loop->work);
}

static hn_vec3 joint_point(const hn_joint_loop *loop, const hn_joint_change *change) {
  const hn_joint_def *def = &loop->elements->model->joints[change->joint];
  const hn_frame_on_body *end = change->end == 1 ? &def->frame2 : &def->frame1;
  const hn_frame *f = &loop->start[end->body];
  return vec3_add(f->r, mat3_apply(f->a, end->position));
}

// Where body b would be if it carried its end of the joint with it when that is changed.
static hn_frame changed_frame(const hn_joint_loop *loop, const hn_joint_change *change, int b,
                              const hn_frame *now) {
  const hn_frame *start = &loop->start[b];
  const hn_vec3 point = joint_point(loop, change), w = vec3_load(change->x);
  const hn_quat turn = quat_from_axis_angle(w, vec3_norm(w));
  const hn_mat3 since = mat3_multiply(now->a, mat3_transpose(start->a));
  hn_vec3 r = mat3_apply(quat_matrix(turn), vec3_sub(start->r, point));
  r = vec3_add_scaled(vec3_add(point, r), loop->length, vec3_load(change->x + 3));
  hn_frame f = *now;
  f.r = vec3_add(now->r, mat3_apply(since, vec3_sub(r, start->r)));
  f.p =
      quat_multiply(quat_multiply(now->p, quat_conjugate(start->p)), quat_multiply(turn, start->p));
  f.a = quat_matrix(quat_unit(f.p));
  return f;
}

// The frames that rows of the changed joint see.
static const hn_frame *change_ends(const hn_joint_loop *loop, const hn_frame *frames,
                                   const hn_joint_change *change) {
  const hn_joint_def *def = &loop->elements->model->joints[change->joint];
  const int body[2] = {def->frame1.body, def->frame2.body};
  memcpy(loop->ends, frames, (size_t)loop->bodies * sizeof *frames);
  for (int end = 0; end < 2; end++)
    if (change->end < 0 || change->end == end)
      loop->ends[body[end]] = changed_frame(loop, change, body[end], &frames[body[end]]);
  return loop->ends;
}

static int is_row_of(const hn_row *row, const hn_joint_change *change) {
  return change && change->joint == row->owner;
}

static void evaluate_row(const hn_joint_loop *loop, int k, const hn_frame *frames,
                         const hn_joint_change *change, hn_row_speeds *s) {
  const hn_row *row = &loop->elements->rows[loop->rows[k]];
  const int changes = is_row_of(row, change);
  const hn_frame *seen = changes ? change_ends(loop, frames, change) : frames;
  hn_row_in_speeds(loop->elements, row, seen, loop->branches->turns, loop->t, 0, s);
  for (int i = 0; changes && i < row->body_count; i++) {
    const hn_vec3 arm = vec3_sub(seen[row->body[i]].r, frames[row->body[i]].r);
    s->m[i] = vec3_add(s->m[i], vec3_cross(arm, s->n[i]));
  }
}

void hn_mobility_loop_evaluate(const hn_joint_loop *loop, const hn_frame *frames,
                               const hn_joint_change *change, double *value, double *gradient,
                               int stride) {
  for (int i = 0; gradient && i < loop->n; i++)
    memset(&gradient[(size_t)i * (size_t)stride], 0, (size_t)loop->m * sizeof(double));
  for (int k = 0; k < loop->m; k++) {
    const hn_row *row = &loop->elements->rows[loop->rows[k]];
    hn_row_speeds s, first;
    evaluate_row(loop, k, frames, change, &s);
    if (value) {
      const int changes = is_row_of(row, change);
      if (changes) evaluate_row(loop, k, loop->start, change, &first);
      value[k] = loop->scale[k] * (changes ? s.value - first.value : s.value);
      if (!changes && value != loop->closed) value[k] -= loop->closed[k];
    }
    for (int i = 0; gradient && i < row->body_count; i++) {
      const int b = row->body[i], c = loop->column[b];
      for (int l = 0; c >= 0 && l < 3; l++) {
        double *to = &gradient[(size_t)(c + l) * (size_t)stride + (size_t)k];
        to[0] += loop->scale[k] * vec3_get(s.n[i], l);
        to[3 * (size_t)stride] += loop->scale[k] * vec3_get(s.m[i], l) / loop->size[b];
      }
    }
  }
}

void hn_mobility_loop_move(const hn_joint_loop *loop, const double *x, double factor,
                           hn_frame *frames) {
  for (int b = 1; b < loop->bodies; b++) {
    const int c = loop->column[b];
    if (c < 0) continue;
    hn_vec3 turn = vec3_scale(factor / loop->size[b], vec3_load(&x[c + 3]));
    frames[b].r = vec3_add_scaled(frames[b].r, factor, vec3_load(&x[c]));
    frames[b].p =
        quat_unit(quat_multiply(quat_from_axis_angle(turn, vec3_norm(turn)), frames[b].p));
    frames[b].a = quat_matrix(frames[b].p);
  }
}

// ---- positions ----------------------------------------------------------------------------------

// J of the rows that are kept, and below them the direction; values into b.
static void fill_system(hn_joint_loop *loop, const hn_frame *frames, const unsigned char *free,
                        const double *direction) {
  const int height = loop->m + 1;
  hn_mobility_loop_evaluate(loop, frames, NULL, loop->b, loop->a, height);
  for (int k = 0; free && k < loop->m; k++) {
    if (!free[k]) continue;
    loop->b[k] = 0;
    for (int i = 0; i < loop->n; i++) loop->a[(size_t)i * (size_t)height + (size_t)k] = 0;
  }
  for (int i = 0; i < loop->n; i++)
    loop->a[(size_t)i * (size_t)height + (size_t)loop->m] = direction[i];
}

static double solve_system(hn_joint_loop *loop) {
  hn_least_norm(loop->a, loop->m + 1, loop->n, HN_RANK_ROUNDING, loop->b, loop->x, loop->order,
                loop->work, NULL);
  return hn_largest(loop->x, loop->n);
}

static double unit_length(double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] * x[i];
  for (int i = 0; i < n && sum > 0; i++) x[i] /= sqrt(sum);
  return sqrt(sum);
}

// The direction that violates the kept rows least at the start. 0: free rows allow several, or
// none.
static int first_direction(hn_joint_loop *loop, const unsigned char *free, double *direction) {
  const int n = loop->n, height = loop->m + 1;
  memset(direction, 0, (size_t)n * sizeof(double));
  fill_system(loop, loop->start, free, direction);
  for (int i = 0; i < n; i++)
    for (int l = 0; l <= i; l++) {
      const double *x = &loop->a[(size_t)i * (size_t)height];
      const double *y = &loop->a[(size_t)l * (size_t)height];
      double sum = 0;
      for (int k = 0; k < loop->m; k++) sum += x[k] * y[k];
      loop->square[i + n * l] = loop->square[l + n * i] = sum;
    }
  if (hn_eigen_symmetric(loop->square, n, loop->b, loop->work)) return 0;
  memcpy(direction, loop->square, (size_t)n * sizeof(double));
  const double one = SEVERAL * SEVERAL;
  return !free || (loop->b[0] <= one && loop->b[1] > one);
}

// The direction near this one that the kept rows allow, or violate least.
static void turn_direction(hn_joint_loop *loop, const hn_frame *frames, const unsigned char *free,
                           double *direction) {
  fill_system(loop, frames, free, direction);
  memset(loop->b, 0, (size_t)loop->m * sizeof(double));
  loop->b[loop->m] = 1;
  solve_system(loop);
  if (unit_length(loop->x, loop->n) > 0)
    memcpy(direction, loop->x, (size_t)loop->n * sizeof(double));
}

// 1 when the kept rows are closed, or with all rows kept as near to that as they come.
static int settle(hn_joint_loop *loop, hn_frame *frames, const unsigned char *free,
                  const double *direction) {
  for (int k = 0; k < ITERATIONS; k++) {
    fill_system(loop, frames, free, direction);
    loop->b[loop->m] = 0;
    const double step = solve_system(loop);
    if (!(step < 10 * STEP * loop->length)) return 0;
    hn_mobility_loop_move(loop, loop->x, -1, frames);
    if (step < SETTLED * loop->length) return 1;
  }
  return !free;
}

// A step makes the fastest body turn by STEP, or move by STEP sizes.
static double loop_step(const hn_joint_loop *loop, const double *direction) {
  double most = 0;
  for (int b = 0; b < loop->bodies; b++) {
    const double *x = &direction[loop->column[b]];
    if (loop->column[b] < 0) continue;
    most = fmax(most, fmax(vec3_norm(vec3_load(x)) / loop->length,
                           vec3_norm(vec3_load(x + 3)) / loop->size[b]));
  }
  return STEP / most;
}

static void follow_side(hn_joint_loop *loop, const unsigned char *free, const double *first,
                        double side, hn_frame *frames) {
  double *direction = &loop->tangent[(size_t)loop->positions * (size_t)loop->n];
  memcpy(frames, loop->start, (size_t)loop->bodies * sizeof *frames);
  memcpy(direction, first, (size_t)loop->n * sizeof(double));
  for (int k = 0; k < HN_LOOP_POSITIONS / 2; k++) {
    direction = &loop->tangent[(size_t)loop->positions * (size_t)loop->n];
    if (k > 0) {
      memcpy(direction, direction - loop->n, (size_t)loop->n * sizeof(double));
      turn_direction(loop, frames, free, direction);
    }
    hn_mobility_loop_move(loop, direction, side * loop_step(loop, direction), frames);
    if (!settle(loop, frames, free, direction)) return;
    memcpy(&loop->at[(size_t)loop->positions++ * (size_t)loop->bodies], frames,
           (size_t)loop->bodies * sizeof *frames);
  }
}

int hn_mobility_loop_follow(hn_joint_loop *loop, const unsigned char *free) {
  loop->positions = 0;
  if (!first_direction(loop, free, loop->first)) return 0;
  for (int side = -1; side <= 1; side += 2)
    follow_side(loop, free, loop->first, side, loop->moving);
  return loop->positions >= MIN_POSITIONS;
}
