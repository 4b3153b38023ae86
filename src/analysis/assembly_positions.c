// Each iteration solves
//
//   [ W  J' ] [ dx ]   [ 0 ]        W: 1 for translations, a length squared for rotations,
//   [ J  0  ] [ y  ] = [ c ]        c = -phi, so that dx is the least change that closes all gaps,
//
// limits the turn of a body to 0.3 rad, and looks along dx for smaller gaps; if the full step is
// rejected the constraints are softened (Levenberg-Marquardt). Axes that must coincide are turned onto
// each other the short way: their dot products also vanish in the mirrored position, which is therefore
// never approached. Given angles are approached in steps, so the branch is kept.
#include <math.h>
#include <string.h>

#include "analysis/assembly_positions.h"
#include "math/elementary.h"
#include "model/joint_types.h"

#define LARGEST_TURN 0.3
enum { ITERATIONS = 300, HALVINGS = 7, PATIENCE = 12 };

// ---- set-up -------------------------------------------------------------------------------------

void hn_assembly_set_time(hn_assembly *a, double t) {
  a->t = t;
  for (int d = 0; d < a->model->driver_count; d++)
    a->branches->driver[d] = hn_driver_time_branch(a->elements, d, t);
}

hn_status hn_assembly_begin(hn_arena *arena, hn_equations *equations, double t, const double *q,
                            const double *qd, hn_branches *branches, hn_assembly *a) {
  const hn_model *model = equations->model;
  *a = (hn_assembly){.equations = equations,
                     .elements = equations->elements,
                     .model = model,
                     .branches = branches,
                     .extent = 1,
                     .change = {.joint = -1}};
  a->frames = HN_TAKE(arena, hn_frame, model->body_count);
  a->trial = HN_TAKE(arena, hn_frame, model->body_count);
  a->drawn = HN_TAKE(arena, hn_frame, model->body_count);
  a->body_size = HN_TAKE(arena, double, model->body_count);
  if (arena->failed) return HN_ERROR_MEMORY;
  equations->type->coordinates->frames(equations, q, qd, a->drawn);
  memcpy(a->frames, a->drawn, (size_t)model->body_count * sizeof(hn_frame));
  hn_body_sizes(model, a->body_size);
  for (int b = 1; b < model->body_count; b++) {
    a->size = fmax(a->size, a->body_size[b]);
    a->extent = fmax(a->extent, vec3_norm(a->drawn[b].r));
  }
  hn_assembly_set_time(a, t);
  return HN_OK;
}

void hn_assembly_store(const hn_assembly *a, double *q, double *qd) {
  a->equations->type->coordinates->from_frames(a->equations, a->frames, q, qd);
}

// ---- axes that must coincide --------------------------------------------------------------------

// Where in the rows of a joint its axes stand: F1.H2, G1.H2 from `axis` on, F1.G2 at `third`.
typedef struct axis_rows {
  int axis, third;
} axis_rows;

static axis_rows find_axis_rows(hn_joint_type type) {
  if (hn_joint_shares_axes(type) == HN_SHARES_NONE) return (axis_rows){-1, -1};
  return (axis_rows){hn_joint_find_row(type, HN_JOINT_F, HN_JOINT_H),
                     hn_joint_find_row(type, HN_JOINT_F, HN_JOINT_G)};
}

static hn_vec3 global_axis(const hn_frame *frames, const hn_frame_on_body *frame, int axis) {
  return mat3_apply(frames[frame->body].a, mat3_column(quat_matrix(frame->orientation), axis));
}

// Rows (count 1 or 2) with values sin(angle) in some direction: c for a turn of at most
// LARGEST_TURN towards angle 0, whichever way the values alone would lead.
static void turn_rows(const double *phi, int count, double cosine, double *c) {
  double sine = count == 2 ? hn_hypot(phi[0], phi[1]) : fabs(phi[0]);
  for (int k = 0; k < count; k++)
    c[k] = -LARGEST_TURN * cosine * (sine > 1e-9 ? phi[k] / sine : k == 0);
}

// Overrides c where axes are more than 60 degrees apart; returns how many.
static int turn_axes(const hn_assembly *a, const hn_assembly_rows *rows) {
  int turned = 0;
  for (int j = 0; j < a->model->joint_count; j++) {
    const hn_joint_def *joint = &a->model->joints[j];
    axis_rows at = find_axis_rows(joint->type);
    if (at.axis < 0) continue;
    int first = a->elements->joint_row[j];
    double cosine = vec3_dot(global_axis(a->frames, &joint->frame1, 2),
                             global_axis(a->frames, &joint->frame2, 2));
    if (cosine < 0.5) {
      turn_rows(&rows->value[first + at.axis], 2, cosine, &rows->c[first + at.axis]);
      turned++;
    }
    if (at.third < 0) continue;
    cosine = vec3_dot(global_axis(a->frames, &joint->frame1, 0),
                      global_axis(a->frames, &joint->frame2, 0));
    if (cosine < 0.5) {
      turn_rows(&rows->value[first + at.third], 1, cosine, &rows->c[first + at.third]);
      turned++;
    }
  }
  return turned;
}

// ---- gaps ---------------------------------------------------------------------------------------

int hn_assembly_is_length(const hn_assembly *a, const hn_assembly_rows *rows, int row) {
  if (row < rows->row_count) return hn_row_is_length(a->elements, &a->elements->rows[row]);
  return hn_coordinate_is_length(rows->given[row - rows->row_count].coordinate);
}

double hn_assembly_weight(const hn_assembly *a, const hn_assembly_rows *rows, int row) {
  return hn_assembly_is_length(a, rows, row) ? 1 : a->size;
}

double hn_assembly_merit(hn_assembly *a, const hn_assembly_rows *rows) {
  double sum = 0;
  a->gap = 0;
  for (int r = 0; r < rows->size; r++) {
    double gap = fabs(rows->value[r]), weighted = gap * rows->weight[r];
    sum += weighted * weighted;
    if (!(gap <= a->gap)) a->gap = gap;
  }
  return sum;
}

double hn_length_sensitivity(const hn_assembly *a, const hn_assembly_rows *rows,
                             const hn_length_change *change, int r) {
  const hn_row *row = &a->elements->rows[r];
  if (row->is_driver || row->owner != change->joint) return 0;
  if (change->body < 0) return -1;
  int column = rows->first_column[change->body];
  for (int k = rows->row_start[r]; column >= 0 && k < rows->row_start[r + 1]; k += 6)
    if (rows->column_index[k] == column)
      return vec3_dot(vec3_load(&rows->j_values[k]),
                      mat3_apply(a->frames[change->body].a, change->direction));
  return 0;
}

// Rows of points are linear in the position of the point, a distance row (d^2 - l^2) / 2 l is not
// in l.
static void apply_change(const hn_assembly *a, hn_assembly_rows *rows) {
  const hn_length_change *change = &a->change;
  if (change->joint < 0) return;
  if (change->body < 0) {
    double *value = &rows->value[a->elements->joint_row[change->joint]], l = change->length;
    double square = 2 * l * *value + l * l, changed = l + change->amount;
    *value = 0.5 * (square / changed - changed);
    return;
  }
  for (int r = 0; r < rows->row_count; r++)
    rows->value[r] += change->amount * hn_length_sensitivity(a, rows, change, r);
}

static double evaluate(hn_assembly *a, hn_assembly_rows *rows) {
  hn_assembly_rows_evaluate(rows, a->t, a->frames, a->branches, 0);
  apply_change(a, rows);
  return hn_assembly_merit(a, rows);
}

// ---- steps --------------------------------------------------------------------------------------

static void set_metric(hn_assembly *a, hn_assembly_rows *rows) {
  for (int b = 1; b < rows->bodies; b++) {
    double length = a->turn_length > 0 ? a->turn_length : a->body_size[b];
    double linear = 1, angular = length * length;
    int given = a->given_weight > 0 ? a->model->bodies[b].given : 0;
    if (given & HN_GIVEN_POSITION) linear *= a->given_weight;
    if (given & HN_GIVEN_ORIENTATION) angular *= a->given_weight;
    hn_assembly_set_metric(rows, b, linear, mat3_scale(angular, mat3_identity()));
  }
}

// Right sides: gaps, with angles approached in steps; returns how many axes are being turned.
static int set_targets(const hn_assembly *a, hn_assembly_rows *rows) {
  for (int r = 0; r < rows->size; r++) {
    rows->c[r] = -rows->value[r];
    int may_be_far = r >= rows->row_count || a->elements->rows[r].is_driver;
    if (may_be_far && !hn_assembly_is_length(a, rows, r))
      rows->c[r] = fmax(-LARGEST_TURN, fmin(LARGEST_TURN, rows->c[r]));
  }
  return turn_axes(a, rows);
}

// The largest part of the step that turns no body by more than LARGEST_TURN.
static double step_limit(const hn_assembly_rows *rows) {
  double most = 0;
  for (int i = 0; i < rows->columns; i += 6)
    most = fmax(most, vec3_norm(vec3_load(&rows->x[i + 3])));
  return most > LARGEST_TURN ? LARGEST_TURN / most : 1;
}

static void take_step(const hn_assembly_rows *rows, const hn_frame *from, double part,
                      hn_frame *to) {
  memcpy(to, from, (size_t)rows->bodies * sizeof *to);
  for (int b = 1; b < rows->bodies; b++) {
    if (rows->first_column[b] < 0) continue;
    const double *x = &rows->x[rows->first_column[b]];
    hn_vec3 turn = vec3_scale(part, vec3_load(x + 3));
    to[b].r = vec3_add_scaled(from[b].r, part, vec3_load(x));
    to[b].p = quat_unit(quat_multiply(quat_from_axis_angle(turn, vec3_norm(turn)), from[b].p));
    to[b].a = quat_matrix(to[b].p);
  }
}

static void swap_frames(hn_assembly *a) {
  hn_frame *keep = a->frames;
  a->frames = a->trial;
  a->trial = keep;
}

// Takes the longest halving of the step that makes the gaps smaller; 0 when none does. With any !=
// 0 the whole (limited) step is taken.
static int search(hn_assembly *a, hn_assembly_rows *rows, double *merit, int any) {
  double part = step_limit(rows), before = *merit;
  for (int k = 0; k < HALVINGS; k++, part *= 0.5) {
    take_step(rows, a->frames, part, a->trial);
    swap_frames(a);
    *merit = evaluate(a, rows);
    if (any || *merit < (1 - 1e-4 * part) * before) return k + 1;
    swap_frames(a);
  }
  *merit = evaluate(a, rows);
  return 0;
}

void hn_assembly_disturb(hn_assembly *a, const hn_assembly_rows *rows, double amount) {
  for (int b = 1; b < rows->bodies; b++) {
    if (rows->first_column[b] < 0) continue;
    hn_frame *f = &a->frames[b];
    hn_vec3 move = vec3(hn_sin(1 + 1.7 * b), hn_sin(2 + 2.3 * b), hn_sin(3 + 3.1 * b));
    hn_vec3 turn = vec3(hn_sin(4 + 1.3 * b), hn_sin(5 + 2.9 * b), hn_sin(6 + 3.7 * b));
    if (!(rows->held[b] & HN_HELD_LINEAR))
      f->r = vec3_add_scaled(f->r, amount * a->body_size[b], move);
    if (rows->held[b] & HN_HELD_ANGULAR) continue;
    f->p = quat_unit(quat_multiply(quat_from_axis_angle(turn, amount), f->p));
    f->a = quat_matrix(f->p);
  }
}

// Softness of the rows: 0, or the parameter of Levenberg and Marquardt.
static double change_softness(double softness, int halvings) {
  if (halvings == 1) return softness > 1e-9 ? 0.1 * softness : 0;
  if (halvings == 2) return softness;
  return softness > 0 ? 20 * softness : 1e-8;
}

// The step, and the weights of the rows in whose sense it is the best where gaps cannot all close.
static int solve_step(hn_assembly_rows *rows, double softness, const unsigned char *all) {
  hn_saddle_soften(rows->saddle, softness > 0 ? all : NULL, softness);
  if (hn_saddle_factor(rows->saddle, rows->m_values, rows->j_values) != HN_OK) return 0;
  for (int r = 0; r < rows->size; r++) rows->weight[r] = hn_saddle_row_scale(rows->saddle, r);
  return hn_saddle_solve(rows->saddle, rows->b, rows->c, rows->x, rows->y, NULL) == HN_OK;
}

int hn_assembly_solve_positions(hn_assembly *a, hn_assembly_rows *rows, const unsigned char *all) {
  double exact = 4e-15 * a->extent, enough = 1e-11 * a->extent, softness = 0;
  double best = HUGE_VAL, merit = evaluate(a, rows);
  int waited = 0, turning = set_targets(a, rows);
  set_metric(a, rows);
  if (!turning && a->gap <= 2e-14 * a->extent) return 1;
  for (int k = 0; k < ITERATIONS; k++) {
    double gap = a->gap;
    if (!(merit < HUGE_VAL) || !solve_step(rows, softness, all)) return -1;
    merit = hn_assembly_merit(a, rows);
    a->iterations++;
    int taken = search(a, rows, &merit, turning > 0);
    turning = set_targets(a, rows);
    if (turning) continue;
    if (a->gap <= exact || (a->gap <= enough && (!taken || a->gap > 0.3 * gap))) return 1;
    softness = change_softness(softness, taken);
    waited = merit < 0.99 * best ? 0 : waited + 1;
    best = fmin(best, merit);
    if (waited > PATIENCE || softness > 1e3) break;
  }
  return a->gap <= enough && !turning;
}
