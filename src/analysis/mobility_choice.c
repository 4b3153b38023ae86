// Components of reactions that are statically indeterminate. A null vector of J' is a set of reactions
// in balance with each other; its force and torque at a joint may be added to the joint's reaction.
//
//   here      components with such a part at this position
//   global    those that may get one while the model moves, global axes
//   local     the same along the axes of the joint
//
// In a part whose bodies turn about one direction n only, constraints in the plane and across it do not
// mix: if all null vectors are forces along n and torques across n, they are so at every position.
#include "analysis/mobility_choice.h"

#include <math.h>

#include "linalg/rank.h"
#include "math/euler.h"
#include "model/storage.h"

#define PARALLEL 1e-6 // sine of an angle below which directions are one

typedef struct reaction {
  hn_vec3 force, torque;
} reaction;

typedef struct part {
  const hn_choice *choice;
  const int *rows, *bodies; // of the part
  int row_count, body_count, held;
  int is_planar;    // bodies turn about n alone, relative to the fixed one
  int keeps_normal; // the fixed one too
  int turns;        // 0: no body turns relative to the fixed one
  hn_vec3 n;
  int mixes; // a null vector has a force in the plane, a torque about n, or a drive
} part;

// ---- motions ------------------------------------------------------------------------------------

static int copy_rows(const hn_choice *c, double *a, int m) {
  int at = 0;
  for (int r = 0; r < c->elements->row_count; r++) {
    if (c->elements->rows[r].is_driver) continue;
    for (int k = c->rows->row_start[r]; a && k < c->rows->row_start[r + 1]; k++) {
      int b = c->rows->body[k];
      for (int i = 0; b != HN_GROUND && i < 6; i++)
        a[(size_t)(6 * (b - 1) + i) * (size_t)m + (size_t)at] +=
            c->rows->block[6 * k + i] / (i < 3 ? 1 : c->size[b]);
    }
    at++;
  }
  return at;
}

hn_status hn_choice_create(hn_arena *arena, int most, hn_choice *c) {
  const hn_model *model = c->elements->model;
  int bodies = model->body_count, n = 6 * (bodies - 1), m = copy_rows(c, NULL, 0);
  c->of_joint = HN_TAKE(arena, hn_redundant_joint, model->joint_count);
  c->motions = -1;
  if (arena->failed) return HN_ERROR_MEMORY;
  if (m > most || n > most) return HN_OK;
  double *a = hn_arena_take(arena, (size_t)m * (size_t)n, sizeof(double));
  double *work = HN_TAKE(arena, double, 3 * n + m);
  int *order = HN_TAKE(arena, int, n);
  if (arena->failed) return HN_ERROR_MEMORY;
  copy_rows(c, a, m);
  int rank = hn_rank_qr(a, m, n, HN_RANK_ROUNDING, NULL, order, work);
  double *motion = hn_arena_take(arena, (size_t)n * (size_t)(n - rank), sizeof(double));
  c->spin = hn_arena_take(arena, (size_t)bodies * (size_t)(n - rank), sizeof(hn_vec3));
  if (arena->failed) return HN_ERROR_MEMORY;
  hn_rank_null_space(a, m, n, rank, order, motion);
  c->motions = n - rank;
  for (int k = 0; k < c->motions; k++)
    for (int b = 1; b < bodies; b++) {
      const double *v = &motion[(size_t)k * (size_t)n + 6 * (size_t)(b - 1) + 3];
      c->spin[k * bodies + b] = vec3_scale(1 / c->size[b], vec3_load(v));
    }
  return HN_OK;
}

// The spin of body b relative to the fixed one; of the fixed one itself relative to ground.
static hn_vec3 relative_spin(const part *p, int motion, int b) {
  const hn_vec3 *spin = &p->choice->spin[motion * p->choice->elements->model->body_count];
  return b == p->held ? spin[b] : vec3_sub(spin[b], spin[p->held]);
}

static int is_across(hn_vec3 v, hn_vec3 n, double largest) {
  return vec3_norm(vec3_add_scaled(v, -vec3_dot(v, n), n)) > PARALLEL * largest;
}

// The direction about which the bodies of the part turn.
static void find_plane(part *p) {
  double largest = 0;
  p->is_planar = p->keeps_normal = p->choice->motions >= 0;
  for (int k = 0; k < p->choice->motions; k++)
    for (int i = 0; i < p->body_count; i++) {
      hn_vec3 spin = relative_spin(p, k, p->bodies[i]);
      double size = vec3_norm(spin);
      if (p->bodies[i] == p->held || size <= largest) continue;
      largest = size;
      p->n = vec3_scale(1 / size, spin);
    }
  p->turns = largest > HN_NULL_WEIGHT;
  for (int k = 0; k < p->choice->motions; k++)
    for (int i = 0; i < p->body_count; i++) {
      int is_held = p->bodies[i] == p->held;
      hn_vec3 spin = relative_spin(p, k, p->bodies[i]);
      if (is_held && (p->turns ? is_across(spin, p->n, fmax(largest, vec3_norm(spin)))
                               : vec3_norm(spin) > HN_NULL_WEIGHT))
        p->keeps_normal = 0;
      if (!is_held && p->turns && is_across(spin, p->n, largest)) p->is_planar = 0;
    }
}

// ---- reactions ----------------------------------------------------------------------------------

// The joint of the part's row at a place; -1: a driver, or a joint between coordinates, which has no
// point.
static int joint_at(const part *p, int at) {
  const hn_row *row = &p->choice->elements->rows[p->rows[at]];
  const hn_model *model = p->choice->elements->model;
  return row->is_driver || !hn_joint_holds(model->joints[row->owner].type) ? -1 : row->owner;
}

// The place behind the rows of the one at this place.
static int rows_end(const part *p, int at) {
  const hn_row *rows = p->choice->elements->rows, *row = &rows[p->rows[at]];
  while (at < p->row_count && rows[p->rows[at]].owner == row->owner &&
         rows[p->rows[at]].is_driver == row->is_driver)
    at++;
  return at;
}

// Adds what one row does, times a number, at the joint's point. Torques in sizes of the body.
static void add_row(const part *p, int r, int body, hn_vec3 arm, double with, reaction *sum) {
  const hn_cartesian_rows *rows = p->choice->rows;
  for (int k = rows->row_start[r]; k < rows->row_start[r + 1]; k++) {
    if (rows->body[k] != body) continue;
    hn_vec3 force = vec3_load(&rows->block[6 * k]);
    hn_vec3 torque = vec3_sub(vec3_load(&rows->block[6 * k + 3]), vec3_cross(arm, force));
    sum->force = vec3_add_scaled(sum->force, with, force);
    sum->torque = vec3_add_scaled(sum->torque, with / p->choice->size[body], torque);
  }
}

// The reaction of joint j in a null vector; its constraints start at index `at`.
static reaction reaction_at(const part *p, int j, int at, const double *vector) {
  const hn_choice *c = p->choice;
  const hn_joint_def *def = &c->elements->model->joints[j];
  int body = def->frame2.body == HN_GROUND ? def->frame1.body : def->frame2.body;
  const hn_frame *f = &c->frames[body], *f2 = &c->frames[def->frame2.body];
  hn_vec3 arm = vec3_sub(vec3_add(f2->r, mat3_apply(f2->a, def->frame2.position)), f->r);
  reaction sum = {{0, 0, 0}, {0, 0, 0}};
  for (int i = at, end = rows_end(p, at); i < end; i++)
    add_row(p, p->rows[i], body, arm, vector[i], &sum);
  return sum;
}

// One null vector: its components here, and whether it stays across the plane.
static void mark_here(part *p, const double *vector) {
  double most = 0;
  for (int at = 0; at < p->row_count; at = rows_end(p, at)) {
    int j = joint_at(p, at);
    if (j < 0) continue;
    reaction of = reaction_at(p, j, at, vector);
    most = fmax(most, fmax(vec3_norm(of.force), vec3_norm(of.torque)));
  }
  for (int at = 0; at < p->row_count; at = rows_end(p, at)) {
    int j = joint_at(p, at);
    for (int i = at; j < 0 && i < rows_end(p, at); i++)
      p->mixes |= fabs(vector[i]) > HN_NULL_WEIGHT * most;
    if (j < 0) continue;
    reaction of = reaction_at(p, j, at, vector);
    hn_redundant_joint *out = &p->choice->of_joint[j];
    for (int i = 0; i < 3; i++) {
      out->here[i] |= fabs(vec3_get(of.force, i)) > HN_NULL_WEIGHT * most;
      out->here[3 + i] |= fabs(vec3_get(of.torque, i)) > HN_NULL_WEIGHT * most;
    }
    p->mixes |=
        is_across(of.force, p->n, most) || fabs(vec3_dot(of.torque, p->n)) > PARALLEL * most;
  }
}

// The components that are a choice at some position, along axes in which the normal is n.
static void mark_lasting(const part *p, hn_vec3 n, int is_known, unsigned char out[6]) {
  int splits = is_known && p->turns && p->is_planar && !p->mixes;
  for (int i = 0; i < 3; i++) {
    double along = fabs(vec3_get(n, i));
    out[i] = !splits || along > PARALLEL;
    out[3 + i] = !splits || 1 - along * along > PARALLEL * PARALLEL;
  }
}

static void mark_joint(const part *p, int j) {
  hn_redundant_joint *out = &p->choice->of_joint[j];
  int has_force = out->here[0] | out->here[1] | out->here[2];
  int has_torque = out->here[3] | out->here[4] | out->here[5];
  if (!has_force && !has_torque) return;
  const hn_frame_on_body *on = &p->choice->elements->model->joints[j].frame2;
  hn_vec3 of_body = mat3_apply_transposed(p->choice->frames[on->body].a, p->n);
  hn_vec3 local = mat3_apply_transposed(quat_matrix(quat_unit(on->orientation)), of_body);
  mark_lasting(p, p->n, p->keeps_normal, out->global);
  mark_lasting(p, local, 1, out->local);
  for (int i = 0; p->choice->motions == 0 && i < 6; i++) out->global[i] = out->here[i];
}

void hn_choice_mark(hn_choice *c, const hn_joint_graph *g, int index, int held,
                    const double *vectors, int count) {
  part p = {.choice = c, .held = held, .rows = &g->rows[g->row_start[index]]};
  p.bodies = &g->bodies[g->body_start[index]];
  p.row_count = g->row_start[index + 1] - g->row_start[index];
  p.body_count = g->body_start[index + 1] - g->body_start[index];
  find_plane(&p);
  for (int k = 0; k < count; k++) mark_here(&p, &vectors[(size_t)k * (size_t)p.row_count]);
  for (int at = 0; at < p.row_count; at = rows_end(&p, at))
    if (joint_at(&p, at) >= 0) mark_joint(&p, joint_at(&p, at));
}
