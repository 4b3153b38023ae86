// The joint that locks a loop. Nearly always its axis or point has a small error in the file.
//
// The loop is moved to both sides along the direction that violates its rows least. Then the least
// change of each joint is found with which the loop passes through all these positions
// (alignment_fit.c). An axis far off is found by releasing the rows that hold it: if that permits
// one motion, the joint rotates in it about the axis that it should have.
//
// Velocities do not decide: bars that meet in one point far away, or an axis in a plane with
// another, restore a velocity and no motion.
#include "analysis/alignment.h"

#include <string.h>

#include "analysis/alignment_loop.h"
#include "analysis/assembly_rows.h"
#include "base/error.h"
#include "linalg/rank.h"
#include "math/euler.h"
#include "model/joint_types.h"

#define RESTORED 1e-3      // of the violations left, at most
#define SAME_LEFT 100      // of the least that a joint leaves: joints up to it fit equally
#define EXACT 1e-8         // ... which may always be left
#define LARGEST_ANGLE 1.58 // rad: 90 deg, and rounding
#define LARGEST_SHIFT 0.3  // sizes
#define SAME_SIZE 1.05     // of two changes
#define PARALLEL 1e-6      // rad
#define PART_OF 0.02       // of the change: less is omitted

typedef struct candidate {
  hn_joint_change change;
  double left, size;
} candidate;

typedef struct search {
  hn_arena *arena;
  hn_joint_loop *loop;
  hn_frame *shared; // positions along the motion that violates all rows least
  double *tangents; // there
  int shared_count;
  candidate *found; // by joints and ends
  int count;
} search;

static const hn_joint_def *joint_at(const hn_joint_loop *loop, int k) {
  const hn_row *row = &loop->elements->rows[loop->rows[k]];
  if (row->place != 0) return NULL;
  const hn_joint_def *def = &loop->elements->model->joints[row->owner];
  return hn_joint_holds(def->type) && hn_joint_joins_bodies(def->type) ? def : NULL;
}

static hn_vec3 axis_of(const hn_elements *elements, const hn_frame *frames, int joint) {
  const hn_frame_on_body *frame = &elements->model->joints[joint].frame1;
  return mat3_apply(frames[frame->body].a, mat3_column(quat_matrix(frame->orientation), 2));
}

static hn_vec3 point_of(const hn_joint_loop *loop, const hn_joint_change *change) {
  const hn_joint_def *def = &loop->elements->model->joints[change->joint];
  const hn_frame_on_body *end = change->end == 1 ? &def->frame2 : &def->frame1;
  const hn_frame *frame = &loop->start[end->body];
  return vec3_add(frame->r, mat3_apply(frame->a, end->position));
}

static double angle_between(hn_vec3 a, hn_vec3 b) {
  return hn_atan2(vec3_norm(vec3_cross(a, b)), fabs(vec3_dot(a, b)));
}

// Other joints with this axis: how many, and the first.
static int count_parallel(const hn_joint_loop *loop, int joint, hn_vec3 axis, int *first) {
  int count = 0;
  for (int k = 0; k < loop->m; k++) {
    const hn_row *row = &loop->elements->rows[loop->rows[k]];
    if (row->place != 0 || row->owner == joint ||
        hn_joint_shares_axes(loop->elements->model->joints[row->owner].type) != HN_SHARES_H ||
        angle_between(axis_of(loop->elements, loop->start, row->owner), axis) > PARALLEL)
      continue;
    if (count++ == 0) *first = row->owner;
  }
  return count;
}

// Changes the joint from this guess until the loop can move; kept where that is better than before.
static hn_status try_change(search *s, hn_joint_change change, candidate *best) {
  hn_arena scratch;
  double left;
  hn_arena_init(&scratch, &s->arena->allocator);
  const hn_status status = hn_mobility_loop_fit(&scratch, s->loop, &change, &left);
  hn_arena_release(&scratch);
  const double angle = vec3_norm(vec3_load(change.x)), shift = vec3_norm(vec3_load(change.x + 3));
  const double size = hn_hypot(angle, shift);
  if (status != HN_OK || !(left < RESTORED) || angle > LARGEST_ANGLE || shift > LARGEST_SHIFT)
    return status;
  if (best->left < RESTORED && best->size < size) return status;
  *best = (candidate){change, left, size};
  return status;
}

static hn_status try_small(search *s, int joint, int end, candidate *best) {
  const size_t frames = (size_t)s->shared_count * (size_t)s->loop->bodies;
  if (s->shared_count == 0) return HN_OK;
  s->loop->positions = s->shared_count;
  memcpy(s->loop->at, s->shared, frames * sizeof *s->shared);
  memcpy(s->loop->tangent, s->tangents,
         (size_t)s->shared_count * (size_t)s->loop->n * sizeof(double));
  return try_change(s, (hn_joint_change){.joint = joint, .end = end}, best);
}

// The axis about which the bodies of a joint turn at all positions, as at the start.
static int find_axis(const hn_joint_loop *loop, const hn_joint_def *def, hn_vec3 *axis) {
  double sum[9] = {0}, values[3], work[3];
  for (int p = 0; p < loop->positions; p++) {
    const hn_frame *at = &loop->at[(size_t)p * (size_t)loop->bodies];
    hn_mat3 turn[2];
    for (int end = 0; end < 2; end++) {
      const int b = end ? def->frame2.body : def->frame1.body;
      turn[end] = mat3_multiply(at[b].a, mat3_transpose(loop->start[b].a));
    }
    hn_mat3 off = mat3_multiply(mat3_transpose(turn[0]), turn[1]);
    for (int i = 0; i < 3; i++) off.m[i][i] -= 1;
    for (int i = 0; i < 9; i++)
      for (int k = 0; k < 3; k++) sum[i] += off.m[k][i / 3] * off.m[k][i % 3];
  }
  if (hn_eigen_symmetric(sum, 3, values, work)) return 0;
  *axis = vec3_load(sum);
  return values[1] > 1e-6 && values[0] < 1e-12 * values[1];
}

// An axis that is far off: the one about which the joint rotates if its axes are released.
static hn_status try_axis(search *s, const hn_joint_def *def, int joint, candidate *best) {
  hn_joint_loop *loop = s->loop;
  unsigned char free[HN_LOOP_ROWS] = {0};
  hn_vec3 axis, now = axis_of(loop->elements, loop->start, joint);
  if (hn_joint_shares_axes(def->type) != HN_SHARES_H) return HN_OK;
  for (int k = 0; k < loop->m; k++) {
    const hn_row *row = &loop->elements->rows[loop->rows[k]];
    free[k] = row->owner == joint && !hn_row_is_length(loop->elements, row);
  }
  if (!hn_mobility_loop_follow(loop, free) || !find_axis(loop, def, &axis)) return HN_OK;
  hn_joint_change change = {.joint = joint, .end = -1};
  if (vec3_dot(axis, now) < 0) axis = vec3_scale(-1, axis);
  const hn_vec3 across = vec3_cross(now, axis);
  const double sine = vec3_norm(across);
  if (sine > 0) vec3_store(change.x, vec3_scale(angle_between(now, axis) / sine, across));
  return try_change(s, change, best);
}

static hn_status try_joint(search *s, const hn_joint_def *def) {
  const int joint = (int)(def - s->loop->elements->model->joints);
  const int ends = hn_joint_has_row(def->type, HN_JOINT_ROW_DISTANCE) ? 2 : 1;
  hn_status status = HN_OK;
  for (int end = 0; status == HN_OK && end < ends; end++) {
    candidate best = {.left = HUGE_VAL};
    status = try_small(s, joint, ends == 2 ? end : -1, &best);
    if (status == HN_OK && !(best.left < RESTORED)) status = try_axis(s, def, joint, &best);
    if (best.left < RESTORED) s->found[s->count++] = best;
  }
  return status;
}

static hn_status begin(search *s) {
  const hn_joint_loop *loop = s->loop;
  s->shared = HN_TAKE(s->arena, hn_frame, HN_LOOP_POSITIONS * loop->bodies);
  s->tangents = HN_TAKE(s->arena, double, HN_LOOP_POSITIONS * loop->n);
  s->found = HN_TAKE(s->arena, candidate, 2 * loop->m);
  if (s->arena->failed) return HN_ERROR_MEMORY;
  if (!hn_mobility_loop_follow(s->loop, NULL)) return HN_OK;
  s->shared_count = loop->positions;
  memcpy(s->shared, loop->at, (size_t)loop->positions * (size_t)loop->bodies * sizeof *s->shared);
  memcpy(s->tangents, loop->tangent, (size_t)loop->positions * (size_t)loop->n * sizeof(double));
  return HN_OK;
}

static hn_vec3 changed_axis(const search *s, const candidate *c) {
  const hn_vec3 turn = vec3_load(c->change.x);
  return mat3_apply(quat_matrix(quat_from_axis_angle(turn, vec3_norm(turn))),
                    axis_of(s->loop->elements, s->loop->start, c->change.joint));
}

// 1: this one replaces the best: smaller, or as small with an axis that more other joints have.
static int is_better(const search *s, const candidate *c, const candidate *best) {
  int first, own, others;
  if (!best || c->size * SAME_SIZE < best->size) return 1;
  if (c->size > SAME_SIZE * best->size) return 0;
  own = count_parallel(s->loop, c->change.joint, changed_axis(s, c), &first);
  others = count_parallel(s->loop, best->change.joint, changed_axis(s, best), &first);
  return own > others;
}

// Of the changes that leave about as little as the one that leaves least, the smallest.
static void choose(const search *s, hn_joint_alignment *out) {
  const candidate *best = NULL;
  double left = HUGE_VAL;
  for (int k = 0; k < s->count; k++) left = fmin(left, s->found[k].left);
  left = fmax(EXACT, SAME_LEFT * left);
  for (int k = 0; k < s->count; k++)
    if (s->found[k].left <= left && is_better(s, &s->found[k], best)) best = &s->found[k];
  if (!best) return;
  const hn_vec3 shift = vec3_scale(s->loop->length, vec3_load(best->change.x + 3));
  out->joint = best->change.joint;
  out->size = best->size;
  out->axis = changed_axis(s, best);
  out->angle = angle_between(out->axis, axis_of(s->loop->elements, s->loop->start, out->joint));
  out->shift = vec3_norm(shift);
  out->point = vec3_add(point_of(s->loop, &best->change), shift);
  out->agreeing = count_parallel(s->loop, out->joint, out->axis, &out->reference);
  for (int k = 0; k < s->count && out->equal < 0; k++)
    if (s->found[k].change.joint != out->joint && s->found[k].left <= left &&
        s->found[k].size < SAME_SIZE * best->size && !is_better(s, best, &s->found[k]))
      out->equal = s->found[k].change.joint;
}

hn_status hn_mobility_find_alignment(hn_arena *arena, const hn_elements *elements,
                                     const hn_joint_graph *graph, int part, double t,
                                     const hn_frame *frames, const hn_branches *branches,
                                     int is_locked, hn_joint_alignment *found) {
  hn_joint_loop loop;
  search s = {.arena = arena, .loop = &loop};
  *found = (hn_joint_alignment){.joint = -1, .equal = -1, .reference = -1};
  hn_status status =
      hn_mobility_loop_create(arena, elements, graph, part, t, frames, branches, &loop);
  if (status != HN_OK || loop.n == 0 || (!is_locked && hn_mobility_loop_rank(&loop) < loop.n))
    return status;
  status = begin(&s);
  for (int k = 0; status == HN_OK && k < loop.m; k++) {
    const hn_joint_def *def = joint_at(&loop, k);
    if (def) status = try_joint(&s, def);
  }
  if (status == HN_OK) choose(&s, found);
  return status;
}

// ---- the text -----------------------------------------------------------------------------------

static void add_vector(hn_vec3 v, double unit, char *text, size_t size) {
  double x[3] = {v.x, v.y, v.z};
  for (int i = 0; i < 3; i++) x[i] = fabs(x[i]) < 1e-9 * unit ? 0 : x[i];
  hn_text(text, size, "[%.7g, %.7g, %.7g]", x[0], x[1], x[2]);
}

const char *hn_mobility_describe_alignment(const hn_elements *elements,
                                           const hn_joint_alignment *found, char *text,
                                           size_t size) {
  char axis[160] = "", point[120] = "", like[100] = "", equal[100] = "", vector[80];
  const int others = found->agreeing - 1;
  if (others >= 0) {
    hn_text(like, sizeof like, " (that of joint '%.40s'",
            elements->model->joints[found->reference].name);
    hn_text(like + strlen(like), sizeof like - strlen(like), others > 0 ? " and %d other%s)" : ")",
            others, others > 1 ? "s" : "");
  }
  add_vector(found->axis, 1, vector, sizeof vector);
  if (found->angle > PART_OF * found->size)
    hn_text(axis, sizeof axis, "its axis is %.3g deg off %s%s", found->angle * 180 / HN_PI, vector,
            like);
  add_vector(found->point, vec3_norm(found->point), vector, sizeof vector);
  if (!axis[0] || found->size * found->size - found->angle * found->angle >
                      PART_OF * PART_OF * found->size * found->size)
    hn_text(point, sizeof point, "%sits point is %.3g m off %s", axis[0] ? " and " : "",
            found->shift, vector);
  if (found->equal >= 0)
    hn_text(equal, sizeof equal, "; as small a change of joint '%.40s' would do as well",
            elements->model->joints[found->equal].name);
  return hn_text(text, size, "%s%s%s", axis, point, equal);
}
