// Warnings of assembly. A gap that was closed gets one if the rest of the model is closed in the
// reference configuration: then it is an input error. Bodies that are all apart (all at the origin,
// say) are meant to be brought together, and so are those that `initial:` moves.
#include "analysis/assembly_warnings.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "analysis/assembly_failure.h"
#include "analysis/mobility_weightless.h"
#include "base/error.h"
#include "math/elementary.h"
#include "model/joint_types.h"

#define GAP 1e-6       // of the size of the model: less is rounding of coordinates
#define SMALL_GAP 0.01 // of the size: never meant, however many there are

void hn_assembly_warn(hn_warning *warning, const char *element, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(warning->message, sizeof warning->message, format, arguments);
  va_end(arguments);
  hn_text(warning->element, sizeof warning->element, "%s", element);
}

// ---- gaps ---------------------------------------------------------------------------------------

// 1 when something says that the joint is not where it is drawn.
static int is_placed_elsewhere(const hn_model *model, const hn_joint_def *joint) {
  const int moved = HN_GIVEN_POSITION | HN_GIVEN_ORIENTATION;
  for (int c = 0; c < HN_COORDINATES; c++)
    if (joint->initial[c].has_value) return 1;
  if ((model->bodies[joint->frame1.body].given | model->bodies[joint->frame2.body].given) & moved)
    return 1;
  return model->bodies[joint->frame1.body].position_firmness == HN_FIXED ||
         model->bodies[joint->frame2.body].position_firmness == HN_FIXED;
}

typedef struct gaps {
  int joints, open; // joints with points and axes of their own, and those drawn open
  int worst;        // row; -1 none
  double most;      // its gap, angles times the size of the model
} gaps;

static gaps find_gaps(const hn_assembly *a, const hn_assembly_rows *rows) {
  gaps found = {.worst = -1};
  for (int j = 0; j < a->model->joint_count; j++) {
    const hn_joint_def *joint = &a->model->joints[j];
    // a distance has the length that was given, whatever is drawn
    if (joint->coupled_count > 0 || hn_joint_has_row(joint->type, HN_JOINT_ROW_DISTANCE)) continue;
    double most = 0;
    int worst = -1;
    for (int r = a->elements->joint_row[j]; r < a->elements->joint_row[j + 1]; r++) {
      double gap = fabs(rows->value[r]) * hn_assembly_weight(a, rows, r);
      if (gap <= most) continue;
      most = gap;
      worst = r;
    }
    found.joints++;
    if (!(most > GAP * a->size)) continue;
    found.open++;
    if (most <= found.most || is_placed_elsewhere(a->model, joint)) continue;
    found.most = most;
    found.worst = worst;
  }
  return found;
}

// The whole gap of a joint: the length of its rows of the same kind as the worst.
static double whole_gap(const hn_assembly *a, const hn_assembly_rows *rows, int worst) {
  int joint = a->elements->rows[worst].owner;
  int is_length = hn_assembly_is_length(a, rows, worst);
  double sum = 0;
  for (int r = a->elements->joint_row[joint]; r < a->elements->joint_row[joint + 1]; r++)
    if (hn_assembly_is_length(a, rows, r) == is_length) sum += rows->value[r] * rows->value[r];
  return sqrt(sum);
}

void hn_assembly_warn_contradiction(hn_assembly *a, hn_assembly_rows *rows, hn_warning *warning) {
  int worst = 0;
  hn_assembly_rows_evaluate(rows, a->t, a->frames, a->branches, 0);
  for (int r = 1; r < rows->size; r++)
    if (fabs(rows->value[r]) > fabs(rows->value[worst])) worst = r;
  char element[128];
  hn_text(element, sizeof element, "joint '%s'", hn_assembly_row_name(rows, worst));
  hn_assembly_warn(warning, element,
                   "is in a loop whose redundant constraints contradict each other by %.2g %s; they "
                   "hold as well as they can. Give its points more digits, or remove constraints",
                   fabs(rows->value[worst]), hn_assembly_is_length(a, rows, worst) ? "m" : "rad");
}

void hn_assembly_warn_gap(const hn_assembly *a, hn_assembly_rows *rows, double moved,
                          hn_warning *warning) {
  hn_assembly_rows_evaluate(rows, a->t, a->drawn, a->branches, 0);
  gaps found = find_gaps(a, rows);
  if (found.worst >= 0 && (2 * found.open < found.joints || found.most <= SMALL_GAP * a->size)) {
    const hn_joint_def *joint = &a->model->joints[a->elements->rows[found.worst].owner];
    double gap = whole_gap(a, rows, found.worst);
    char element[128];
    hn_text(element, sizeof element, "joint '%s'", joint->name);
    if (hn_assembly_is_length(a, rows, found.worst))
      hn_assembly_warn(warning, element,
                       "is open by %.3g m in the given positions; bodies were moved by up to %.3g "
                       "(m or rad) to close it. Check its points on '%s' and '%s'.",
                       gap, moved, a->model->bodies[joint->frame1.body].name,
                       a->model->bodies[joint->frame2.body].name);
    else
      hn_assembly_warn(warning, element,
                       "has axes %.3g deg apart in the given positions; bodies were moved by up to "
                       "%.3g (m or rad) to align them. Check its axes on '%s' and '%s'.",
                       hn_asin(fmin(1, gap)) * 180 / HN_PI, moved,
                       a->model->bodies[joint->frame1.body].name,
                       a->model->bodies[joint->frame2.body].name);
  }
  hn_assembly_rows_evaluate(rows, a->t, a->frames, a->branches, 0);
}

// ---- given positions ----------------------------------------------------------------------------

static void describe_turn(hn_quat p, char *text, size_t size) {
  hn_vec3 v = quat_vector(p);
  double sine = vec3_norm(v), sign = p.w < 0 ? -1 : 1;
  if (!(sine > 1e-12)) sine = 0;
  hn_vec3 axis = sine > 0 ? vec3_scale(sign / sine, v) : vec3(0, 0, 1);
  hn_text(text, size, "%.6g deg about [%.4g, %.4g, %.4g]",
          2 * hn_atan2(sine, fabs(p.w)) * 180 / HN_PI, axis.x, axis.y, axis.z);
}

void hn_assembly_warn_bodies(const hn_assembly *a, hn_warning *warning) {
  int worst = -1, is_turned = 0;
  double most = GAP;
  for (int b = 1; b < a->model->body_count; b++) {
    const hn_frame *to = &a->frames[b], *from = &a->drawn[b];
    int given = a->model->bodies[b].given;
    hn_quat turn = quat_multiply(to->p, quat_conjugate(from->p));
    double angle = 2 * hn_atan2(vec3_norm(quat_vector(turn)), fabs(turn.w));
    double move = vec3_norm(vec3_sub(to->r, from->r)) / a->size;
    if (!(given & HN_GIVEN_ORIENTATION)) angle = 0;
    if (!(given & HN_GIVEN_POSITION)) move = 0;
    if (!(fmax(angle, move) > most)) continue;
    most = fmax(angle, move);
    worst = b;
    is_turned = angle > move;
  }
  if (worst < 0) return;
  char element[128], given[96], got[96];
  hn_vec3 from = vec3_add(a->drawn[worst].r, a->model->origin.at);
  hn_vec3 to = vec3_add(a->frames[worst].r, a->model->origin.at);
  hn_text(element, sizeof element, "body '%s'", a->model->bodies[worst].name);
  hn_text(given, sizeof given, "[%.6g, %.6g, %.6g] m", from.x, from.y, from.z);
  hn_text(got, sizeof got, "[%.6g, %.6g, %.6g] m", to.x, to.y, to.z);
  if (is_turned) describe_turn(a->drawn[worst].p, given, sizeof given);
  if (is_turned) describe_turn(a->frames[worst].p, got, sizeof got);
  hn_assembly_warn(warning, element,
                   "cannot start at its given %s, %s: joints and drivers move it to %s. If that is "
                   "wrong, check their points and axes.",
                   is_turned ? "orientation" : "position (center of mass)", given, got);
}

// ---- rotations without inertia ------------------------------------------------------------------

// One of the two directions, without rounding and without minus zero.
static hn_vec3 tidy_axis(hn_vec3 axis) {
  double sign = axis.x + axis.y + axis.z < -1e-9 ? -1 : 1, tidy[3];
  for (int i = 0; i < 3; i++) {
    double x = vec3_get(axis, i);
    tidy[i] = fabs(x) > 1e-9 ? sign * x : 0;
  }
  return vec3_load(tidy);
}

void hn_assembly_warn_weightless(const hn_assembly *a, hn_arena *arena, hn_warning *warning) {
  int *bodies = HN_TAKE(arena, int, a->model->body_count), count;
  hn_vec3 *axes = HN_TAKE(arena, hn_vec3, a->model->body_count);
  if (arena->failed ||
      hn_find_weightless(arena, a->elements, a->t, a->frames, a->branches, bodies, axes, &count) !=
          HN_OK ||
      count == 0)
    return;
  char element[128], more[64] = "";
  hn_text(element, sizeof element, "body '%s'", a->model->bodies[bodies[0]].name);
  if (count > 1) hn_text(more, sizeof more, " (and %d other bodies)", count - 1);
  hn_vec3 axis = tidy_axis(axes[0]);
  hn_assembly_warn(warning, element,
                   "rotates arbitrarily about [%.3g, %.3g, %.3g]%s: it is free to turn there and "
                   "has no inertia. Give it an inertia or fix it by a joint.",
                   axis.x, axis.y, axis.z, more);
}
