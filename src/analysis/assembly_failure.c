// The report of an assembly that failed. At the poses with the smallest gaps, J' phi = 0
// (weighted): a length l closes the loop to first order when it changes by
//
//   dl = - phi . phi / (phi . a),   a = d phi / dl
//
// and a few solutions with the changed length make that exact.
#include <math.h>
#include <string.h>

#include "analysis/alignment.h"
#include "analysis/assembly_failure.h"
#include "analysis/dead_centre.h"
#include "base/error.h"
#include "model/joint_types.h"

enum { WORST = 3, LENGTH_TRIALS = 8 };

typedef struct worst_rows {
  int count;
  int row[WORST]; // of different owners, largest gap first
} worst_rows;

static int same_owner(const hn_assembly_rows *rows, int a, int b) {
  if (a >= rows->row_count || b >= rows->row_count) return a == b;
  const hn_row *x = &rows->elements->rows[a], *y = &rows->elements->rows[b];
  return x->owner == y->owner && x->is_driver == y->is_driver;
}

static double weighted_gap(const hn_assembly *a, const hn_assembly_rows *rows, int r) {
  return fabs(rows->value[r]) * hn_assembly_weight(a, rows, r);
}

static worst_rows find_worst(const hn_assembly *a, const hn_assembly_rows *rows) {
  worst_rows worst = {.count = 0};
  while (worst.count < WORST) {
    int best = -1;
    for (int r = 0; r < rows->size; r++) {
      int known = 0;
      for (int k = 0; k < worst.count; k++) known |= same_owner(rows, r, worst.row[k]);
      if (!known && (best < 0 || weighted_gap(a, rows, r) > weighted_gap(a, rows, best))) best = r;
    }
    if (best < 0 || (worst.count > 0 &&
                     weighted_gap(a, rows, best) < 1e-3 * weighted_gap(a, rows, worst.row[0])))
      break;
    worst.row[worst.count++] = best;
  }
  return worst;
}

const char *hn_assembly_row_name(const hn_assembly_rows *rows, int r) {
  const hn_model *model = rows->elements->model;
  if (r >= rows->row_count) return model->joints[rows->given[r - rows->row_count].joint].name;
  const hn_row *row = &rows->elements->rows[r];
  return row->is_driver ? model->drivers[row->owner].name : model->joints[row->owner].name;
}

const hn_source *hn_assembly_row_source(const hn_assembly_rows *rows, int r) {
  const hn_model *model = rows->elements->model;
  if (r >= rows->row_count) return &model->joints[rows->given[r - rows->row_count].joint].source;
  const hn_row *row = &rows->elements->rows[r];
  return row->is_driver ? &model->drivers[row->owner].source : &model->joints[row->owner].source;
}

// The body of this row that was moved most, or the first that may move.
static int body_to_move(const hn_assembly *a, const hn_assembly_rows *rows, int r) {
  int best = -1;
  double most = -1;
  for (int k = rows->row_start[r]; k < rows->row_start[r + 1]; k += 6) {
    int b = 1;
    while (rows->first_column[b] != rows->column_index[k]) b++;
    double moved = vec3_norm(vec3_sub(a->frames[b].r, a->drawn[b].r));
    if (moved <= most) continue;
    most = moved;
    best = b;
  }
  return best;
}

// ---- a length that would close ------------------------------------------------------------------

static double needed_change(const hn_assembly *a, const hn_assembly_rows *rows,
                            const hn_length_change *change) {
  double gap = 0, slope = 0;
  for (int r = 0; r < rows->row_count; r++) {
    double phi = rows->weight[r] * rows->weight[r] * rows->value[r];
    gap += phi * rows->value[r];
    slope += phi * hn_length_sensitivity(a, rows, change, r);
  }
  return fabs(slope) > 1e-9 * gap ? -gap / slope : HUGE_VAL;
}

static int is_distance(const hn_assembly *a, int joint) {
  return hn_joint_has_row(a->model->joints[joint].type, HN_JOINT_ROW_DISTANCE);
}

// The only two joint points of a body as a length change; 0 when it has not exactly two. The point
// that moves is not that of a distance, whose row is not linear in it.
static int link_of_body(const hn_assembly *a, int body, hn_length_change *change) {
  hn_vec3 point[2];
  int count = 0, joints[2];
  for (int j = 0; j < a->model->joint_count; j++) {
    const hn_joint_def *joint = &a->model->joints[j];
    if (joint->coupled_count > 0) continue;
    for (int end = 0; end < 2; end++) {
      const hn_frame_on_body *frame = end ? &joint->frame2 : &joint->frame1;
      if (frame->body != body) continue;
      if (count == 2) return 0;
      joints[count] = j;
      point[count++] = frame->position;
    }
  }
  if (count != 2) return 0;
  int end = !is_distance(a, joints[1]);
  if (is_distance(a, joints[end])) return 0;
  hn_vec3 along = vec3_sub(point[end], point[1 - end]);
  double length = vec3_norm(along);
  if (!(length > 0)) return 0;
  *change = (hn_length_change){joints[end], body, vec3_scale(1 / length, along), length, 0};
  return 1;
}

static hn_length_change find_length(const hn_assembly *a, const hn_assembly_rows *rows) {
  hn_length_change best = {.joint = -1}, change;
  double least = HUGE_VAL;
  for (int j = 0; j < a->model->joint_count; j++) {
    if (!is_distance(a, j)) continue;
    const hn_row *row = &a->elements->rows[a->elements->joint_row[j]];
    change = (hn_length_change){j, -1, vec3_zero(), 2 * row->constant, 0};
    double part = fabs(needed_change(a, rows, &change)) / change.length;
    if (part < least) best = change;
    least = fmin(least, part);
  }
  for (int b = 1; b < rows->bodies; b++) {
    if (rows->first_column[b] < 0 || !link_of_body(a, b, &change)) continue;
    double part = fabs(needed_change(a, rows, &change)) / change.length;
    if (part < least) best = change;
    least = fmin(least, part);
  }
  if (!(least < 1)) best.joint = -1;
  return best;
}

static int closes_with(hn_assembly *a, hn_assembly_rows *rows, const unsigned char *all,
                       double amount) {
  a->change.amount = amount;
  hn_assembly_disturb(a, rows, 0.01); // stretched bars may have to fold
  return hn_assembly_solve_positions(a, rows, all);
}

// Changes the length until the constraints close, a little further than first order predicts; then
// bisects for the smallest change that closes. Returns 0 if no change does.
static int adjust_length(hn_assembly *a, hn_assembly_rows *rows, const unsigned char *all) {
  double open = 0, amount = 0;
  int closed = 0;
  for (int k = 0; k < LENGTH_TRIALS && !closed; k++) {
    double step = 1.05 * needed_change(a, rows, &a->change);
    if (!(fabs(step) < a->change.length)) return 0;
    open = amount;
    amount += step + copysign(1e-4 * a->change.length, step);
    closed = closes_with(a, rows, all, amount);
  }
  if (closed != 1) return 0;
  while (fabs(amount - open) > 2e-4 * a->change.length) {
    double middle = 0.5 * (open + amount);
    if (closes_with(a, rows, all, middle) == 1)
      amount = middle;
    else
      open = middle;
  }
  a->change.amount = amount;
  return 1;
}

static void describe_length(const hn_assembly *a, char *text, size_t size) {
  const hn_length_change *c = &a->change;
  double closing = c->length + c->amount;
  const char *name = c->body < 0 ? a->model->joints[c->joint].name : a->model->bodies[c->body].name;
  hn_text(text, size, ", or check the length of '%s' (%.3f m; %.3f m would close the loop)", name,
          c->length, closing);
}

// ---- the message --------------------------------------------------------------------------------

static void describe_gaps(const hn_assembly *a, const hn_assembly_rows *rows,
                          const worst_rows *worst, char *text, size_t size) {
  size_t used = 0;
  text[0] = 0;
  for (int k = 0; k < worst->count && used < size; k++) {
    int r = worst->row[k];
    hn_text(text + used, size - used, "%s%s %.2g%s", k ? ", " : "", hn_assembly_row_name(rows, r),
            fabs(rows->value[r]), hn_assembly_is_length(a, rows, r) ? " m" : " rad");
    used += strlen(text + used);
  }
}

// Writes a hint of at most 511 characters: another start, a length, or all lengths of the loop.
static void suggest(hn_assembly *a, hn_assembly_rows *rows, const unsigned char *all, int r,
                    hn_arena *arena, char *hint, size_t size) {
  int body = body_to_move(a, rows, r), impossible;
  char start[160] = "check the fixed positions around it", length[160] = "", loop[300];
  hn_assembly_describe_loop(a, rows, r, arena, loop, sizeof loop, &impossible);
  if (body > 0)
    hn_text(start, sizeof start, "give `initial:` to body '%s'", a->model->bodies[body].name);
  if (impossible) {
    hn_text(hint, size, "the longest link exceeds the sum of the others; check the lengths: %s",
            loop);
    return;
  }
  a->change = find_length(a, rows);
  if (a->change.joint >= 0 && adjust_length(a, rows, all))
    describe_length(a, length, sizeof length);
  if (!length[0] && loop[0])
    hn_text(hint, size, "%s, or check the lengths: %s", start, loop);
  else
    hn_text(hint, size, "%s%s", start, length);
}

// A joint that locks the part of the joint graph that row r belongs to, and why.
typedef struct lock {
  hn_joint_alignment joint;
  char why[400];
} lock;

static int find_lock(const hn_assembly *a, const hn_assembly_rows *rows, int r,
                     const hn_frame *frames, hn_arena *arena, lock *found) {
  hn_joint_graph graph;
  if (r >= rows->row_count || hn_joint_graph_create(arena, a->elements, &graph) != HN_OK) return 0;
  const int part = graph.part_of_row[r];
  if (hn_mobility_find_alignment(arena, a->elements, &graph, part, a->t, frames, a->branches, 0,
                                 &found->joint) != HN_OK ||
      found->joint.joint < 0)
    return 0;
  hn_mobility_describe_alignment(a->elements, &found->joint, found->why, sizeof found->why);
  return 1;
}

static hn_status explain_lock(const hn_assembly *a, const lock *found, hn_status status,
                              double rest, const char *unit, hn_error *error) {
  const hn_joint_def *joint = &a->model->joints[found->joint.joint];
  char element[128];
  hn_text(element, sizeof element, "joint '%s'", joint->name);
  return hn_fail(error, status, &joint->source, element,
                 "align it, or use a spherical or cylindrical joint in the loop",
                 "cannot move in its loop: %s (violation %.3g %s)", found->why, rest, unit);
}

hn_status hn_assembly_explain(hn_assembly *a, hn_assembly_rows *rows, const unsigned char *all,
                              hn_arena *arena, hn_error *error) {
  worst_rows worst = find_worst(a, rows);
  int r = worst.row[0], iterations = a->iterations;
  double gap = fabs(rows->value[r]);
  const char *unit = hn_assembly_is_length(a, rows, r) ? "m" : "rad";
  const char *name = hn_assembly_row_name(rows, r);
  const hn_source *source = hn_assembly_row_source(rows, r);
  int is_driver = r < rows->row_count && a->elements->rows[r].is_driver;
  lock found;
  if (hn_assembly_explain_drivers(a, rows, 0, 1, error)) return HN_ERROR_ASSEMBLY;
  if (find_lock(a, rows, r, a->drawn, arena, &found) &&
      gap < 2 * found.joint.size * fmax(1, a->size))
    return explain_lock(a, &found, HN_ERROR_ASSEMBLY, gap, unit, error);
  if (hn_assembly_explain_drivers(a, rows, 0, 0, error)) return HN_ERROR_ASSEMBLY;
  char gaps[256], element[128], hint[512];
  describe_gaps(a, rows, &worst, gaps, sizeof gaps);
  hn_text(element, sizeof element, "%s '%s'", is_driver ? "driver" : "joint", name);
  suggest(a, rows, all, r, arena, hint, sizeof hint);
  return hn_fail(error, HN_ERROR_ASSEMBLY, source, element, hint,
                 "%s: after %d iterations these constraints are violated: %s",
                 is_driver ? "cannot be followed from the start"
                           : "is in a loop that cannot be assembled",
                 iterations, gaps);
}

// ---- velocities ---------------------------------------------------------------------------------

// The driver that asks for the largest rate, by its row; -1 when none moves.
static int moving_driver(const hn_assembly *a, double *most) {
  int best = -1;
  *most = 0;
  for (int r = a->elements->driver_row[0]; r < a->elements->row_count; r++) {
    const hn_row *row = &a->elements->rows[r];
    double rate =
        hn_law_evaluate(a->model->drivers[row->owner].law, a->branches->driver[row->owner], a->t)
            .d1;
    if (!(fabs(rate) > fabs(*most))) continue;
    *most = rate;
    best = r;
  }
  return best;
}

// Bodies or joint coordinates with a velocity that may not change.
static int has_fixed_velocity(const hn_assembly *a, const hn_assembly_rows *rows) {
  for (int b = 1; b < rows->bodies; b++)
    if (a->model->bodies[b].velocity_firmness == HN_FIXED) return 1;
  return rows->given_count > 0;
}

hn_status hn_assembly_explain_velocities(const hn_assembly *a, hn_assembly_rows *rows, int worst,
                                         hn_arena *arena, hn_error *error) {
  int is_driver = worst < rows->row_count && a->elements->rows[worst].is_driver;
  const char *unit = hn_assembly_is_length(a, rows, worst) ? "m/s" : "rad/s";
  const char *name = hn_assembly_row_name(rows, worst);
  double rest = fabs(rows->rate[worst]), asked;
  lock found;
  char element[128];
  if (hn_assembly_explain_drivers(a, rows, 1, 1, error)) return HN_ERROR_INCONSISTENT;
  if (find_lock(a, rows, worst, a->frames, arena, &found))
    return explain_lock(a, &found, HN_ERROR_INCONSISTENT, rest, unit, error);
  int driver = moving_driver(a, &asked);
  if (driver < 0 || has_fixed_velocity(a, rows)) {
    hn_text(element, sizeof element, "%s '%s'", is_driver ? "driver" : "joint", name);
    return hn_fail(
        error, HN_ERROR_INCONSISTENT, hn_assembly_row_source(rows, worst), element,
        "release one of the fixed velocities, or change the function of a driver",
        "cannot move with the fixed velocities and drivers: the velocity violation is %.3g %s",
        rest, unit);
  }
  if (hn_assembly_explain_drivers(a, rows, 1, 0, error)) return HN_ERROR_INCONSISTENT;
  hn_text(element, sizeof element, "driver '%s'", hn_assembly_row_name(rows, driver));
  int other;
  if (hn_find_dead_centre(a, rows, driver, arena, &other)) {
    char hint[256];
    hn_text(hint, sizeof hint,
            "move the initial positions a little off this configuration%s%.100s%s",
            other >= 0 ? ", or drive joint '" : "", other >= 0 ? a->model->joints[other].name : "",
            other >= 0 ? "' instead" : "");
    return hn_fail(error, HN_ERROR_INCONSISTENT, hn_assembly_row_source(rows, driver), element,
                   hint,
                   "cannot be followed at t = %g s: it prescribes %.6g %s at a dead center "
                   "(singular configuration)",
                   a->t, asked, hn_assembly_is_length(a, rows, driver) ? "m/s" : "rad/s");
  }
  return hn_fail(
      error, HN_ERROR_INCONSISTENT, hn_assembly_row_source(rows, driver), element,
      "check the points and axes of its joints; `holon check` without this driver shows the "
      "degrees of freedom",
      "cannot be followed at t = %g s: the joints do not allow %.6g %s (violation %.3g %s at '%s')",
      a->t, asked, hn_assembly_is_length(a, rows, driver) ? "m/s" : "rad/s", rest, unit, name);
}
