// Assembly: positions that satisfy every joint and driver, near the reference configuration, then
// velocities near the given ones.
//
//   positions   least change in a metric of lengths (assembly_positions.c); given joint coordinates
//               are constraints: fixed ones to the end, preferred ones until the gaps are closed
//   velocities  least change in the metric of the masses onto Phi_q qd + Phi_t = 0
//
// Given starts of bodies are fixed first, and the other bodies follow. If that is impossible, given
// positions weigh POSITION_WEIGHT and given velocities GIVEN_WEIGHT times more than those without.
//
// Out of scope: the report of a failure (assembly_failure.c), warnings (assembly_warnings.c).
#include "analysis/assembly.h"

#include <math.h>
#include <string.h>

#include "analysis/assembly_failure.h"
#include "analysis/assembly_warnings.h"
#include "analysis/assembly_work.h"
#include "base/error.h"
#include "math/elementary.h"

#define GIVEN_WEIGHT 1e6
#define WEIGHTLESS 1e-6        // of the heaviest mass, for bodies without any
#define POSITION_WEIGHT 8192.0 // squares of given moves against those of drawn bodies
#define CONTRADICTION 1e-8     // rates that are left, of the speeds
#define CONTRADICTS 1e-7       // of the size: gaps of redundant constraints that are accepted
#define RATE_ROUNDING 1e-12    // the same where rounding alone may leave them
enum { MOST_TRIED = 16 };      // bodies whose given starts are fixed one after the other
#define LARGEST_GRADIENT 1e9   // of a row that is determined, against the size of the coordinates

typedef hn_assembly_work work;

// ---- set-up -------------------------------------------------------------------------------------

static hn_status begin(work *w, hn_equations *equations, const hn_allocator *allocator, double t,
                       const double *q, const double *qd, hn_branches *branches) {
  const hn_model *model = equations->model;
  int rows = equations->elements->row_count;
  hn_arena_init(&w->arena, allocator);
  w->ignores_given = 0;
  w->capacity = model->joint_count * (HN_COORDINATES + HN_STAY_ROWS);
  w->held = HN_TAKE(&w->arena, unsigned char, model->body_count);
  w->level = HN_TAKE(&w->arena, unsigned char, model->body_count);
  w->still = HN_TAKE(&w->arena, unsigned char, model->body_count);
  w->given = HN_TAKE(&w->arena, hn_given_row, w->capacity);
  w->all = HN_TAKE(&w->arena, unsigned char, rows + w->capacity);
  if (w->arena.failed ||
      hn_assembly_begin(&w->arena, equations, t, q, qd, branches, &w->a) != HN_OK)
    return HN_ERROR_MEMORY;
  // coordinates that always satisfy some of the joints cannot hold the gaps of the drawing
  if (!equations->type->traits.holds_gaps) {
    hn_given_frames(model, w->a.drawn);
    memcpy(w->a.frames, w->a.drawn, (size_t)model->body_count * sizeof(hn_frame));
  }
  memset(w->all, 1, (size_t)(rows + w->capacity));
  hn_elements_initial_turns(equations->elements, w->a.drawn, branches->turns);
  return HN_OK;
}

// Given values (of_rates 0) or rates (1) of joint coordinates, at least this firm.
static int collect_given(work *w, int of_rates, hn_firmness least) {
  int count = 0;
  for (int j = 0; j < w->a.model->joint_count; j++)
    for (int c = 0; c < HN_COORDINATES; c++) {
      const hn_joint_initial *initial = &w->a.model->joints[j].initial[c];
      int measure = w->a.elements->coordinate[j * HN_COORDINATES + c];
      if (measure < 0 || !(of_rates ? initial->has_rate : initial->has_value)) continue;
      if (least == HN_FIXED && initial->firmness != HN_FIXED) continue;
      w->given[count++] = (hn_given_row){.joint = j,
                                         .coordinate = (hn_coordinate)c,
                                         .measure = measure,
                                         .target = of_rates ? initial->rate : initial->value,
                                         .firmness = initial->firmness};
    }
  return count;
}

// ---- warnings -----------------------------------------------------------------------------------

// Warns of the joint coordinate that differs most from its given value.
static void warn_given(work *w, const hn_frame *frames, int of_rates, hn_warning *warning) {
  int count = collect_given(w, of_rates, HN_PREFERRED);
  double most = of_rates ? 1e-6 : 1e-9;
  for (int g = 0; g < count; g++) {
    hn_measure_speeds s;
    hn_measure_in_speeds(&w->a.elements->measures[w->given[g].measure], frames,
                         w->a.branches->turns, &s);
    double got = of_rates ? s.rate : s.value, target = w->given[g].target;
    if (!(fabs(got - target) > most * fmax(1, fabs(target)))) continue;
    most = fabs(got - target) / fmax(1, fabs(target));
    char element[128];
    const char *unit = hn_coordinate_is_length(w->given[g].coordinate) ? "m" : "rad";
    hn_text(element, sizeof element, "joint '%s'", w->a.model->joints[w->given[g].joint].name);
    hn_assembly_warn(warning, element,
                     "cannot start with the given %s%s of %.6g %s%s, which the joints do not "
                     "allow; it became %.6g. Give a value that fits them.",
                     hn_coordinate_name(w->given[g].coordinate), of_rates ? " rate" : "", target,
                     unit, of_rates ? "/s" : "", got);
  }
}

// ---- holding what is given ----------------------------------------------------------------------

// Given starts of bodies: free to change, given values fixed, or the whole body fixed.
enum hold_level { HOLD_NOTHING, HOLD_GIVEN, HOLD_BODY };

// HN_HELD_* of what is given for a body.
int hn_assembly_given_parts(const hn_body_def *body, int of_rates) {
  int linear = body->given & (of_rates ? HN_GIVEN_VELOCITY : HN_GIVEN_POSITION);
  int angular = body->given & (of_rates ? HN_GIVEN_ANGULAR_VELOCITY : HN_GIVEN_ORIENTATION);
  if (of_rates && vec3_norm(body->velocity) > 0) linear = 1;
  if (of_rates && vec3_norm(body->angular_velocity) > 0) angular = 1;
  return (linear ? HN_HELD_LINEAR : 0) | (angular ? HN_HELD_ANGULAR : 0);
}

static int is_fixed(const hn_body_def *body, int of_rates) {
  return (of_rates ? body->velocity_firmness : body->position_firmness) == HN_FIXED;
}

static void set_held(work *w, int of_rates) {
  for (int b = 1; b < w->a.model->body_count; b++) {
    const hn_body_def *body = &w->a.model->bodies[b];
    int parts = w->ignores_given ? 0 : hn_assembly_given_parts(body, of_rates);
    int whole = w->level[b] == HOLD_BODY || parts == (HN_HELD_LINEAR | HN_HELD_ANGULAR);
    w->held[b] = 0;
    if ((is_fixed(body, of_rates) && !w->ignores_given) || w->still[b])
      w->held[b] = HN_HELD_WHOLE;
    else if (parts && w->level[b] != HOLD_NOTHING)
      w->held[b] = whole ? HN_HELD_WHOLE : (unsigned char)parts;
  }
}

// Back to what was drawn or given, with the present levels.
static void restart(work *w, int of_rates) {
  size_t bytes = (size_t)w->a.model->body_count * sizeof(hn_frame);
  set_held(w, of_rates);
  if (!of_rates) {
    memcpy(w->a.frames, w->a.drawn, bytes);
    hn_elements_initial_turns(w->a.elements, w->a.drawn, w->a.branches->turns);
    w->a.iterations = 0;
    return;
  }
  for (int b = 1; b < w->a.model->body_count; b++) {
    const hn_body_def *body = &w->a.model->bodies[b];
    w->a.frames[b].v = w->ignores_given ? vec3_zero() : body->velocity;
    w->a.frames[b].w = w->ignores_given ? vec3_zero() : body->angular_velocity;
  }
}

// Defined with positions and velocities below.
static int try_positions(work *w, int given_count, hn_assembly_rows *rows);
static int try_velocities(work *w, int given_count, hn_assembly_rows *rows);

int hn_assembly_try(work *w, int of_rates, int given_count, hn_assembly_rows *rows) {
  restart(w, of_rates);
  return of_rates ? try_velocities(w, given_count, rows) : try_positions(w, given_count, rows);
}

// Fixes as many given starts as possible: all of them, else one body after the other. Returns 1 if
// at least one is fixed and the model closes; 0 if none, with everything restored.
static int hold_given(work *w, int of_rates, int given_count, hn_assembly_rows *rows) {
  int bodies = w->a.model->body_count, count = 0, kept = 0, done = 0;
  for (int b = 1; b < bodies; b++) {
    const hn_body_def *body = &w->a.model->bodies[b];
    count += !is_fixed(body, of_rates) && hn_assembly_given_parts(body, of_rates);
  }
  for (int level = HOLD_BODY; level > HOLD_NOTHING && count > 0; level--) {
    memset(w->level, level, (size_t)bodies);
    if ((done = hn_assembly_try(w, of_rates, given_count, rows)) != 0) return done;
  }
  memset(w->level, HOLD_NOTHING, (size_t)bodies);
  for (int b = 1; b < bodies && count > 1 && count <= MOST_TRIED; b++) {
    const hn_body_def *body = &w->a.model->bodies[b];
    if (is_fixed(body, of_rates) || !hn_assembly_given_parts(body, of_rates)) continue;
    done = 0;
    for (int level = HOLD_BODY; level > HOLD_NOTHING && !done; level--) {
      w->level[b] = (unsigned char)level;
      if ((done = hn_assembly_try(w, of_rates, given_count, rows)) == -2) return done;
    }
    kept += done;
    if (!done) w->level[b] = HOLD_NOTHING;
  }
  if (kept > 0 && !done) done = hn_assembly_try(w, of_rates, given_count, rows);
  if (done) return done;
  memset(w->level, HOLD_NOTHING, (size_t)bodies);
  restart(w, of_rates);
  return 0;
}

// ---- positions ----------------------------------------------------------------------------------

static int has_preferred(const work *w, int count) {
  for (int g = 0; g < count; g++)
    if (w->given[g].firmness != HN_FIXED) return 1;
  return 0;
}

// The first row whose value or gradient is no usable number at the present poses, -1 when there is
// none: a law that is not finite, or an angle that has no value where its axis is parallel to what
// it turns (with a gradient of 1 / sine).
static int undetermined_row(work *w, hn_assembly_rows *rows) {
  hn_assembly_rows_evaluate(rows, w->a.t, w->a.frames, w->a.branches, 0);
  for (int r = 0; r < rows->size; r++) {
    if (!isfinite(rows->value[r])) return r;
    for (int k = rows->row_start[r]; k < rows->row_start[r + 1]; k++)
      if (!(fabs(rows->j_values[k]) < LARGEST_GRADIENT * w->a.extent)) return r;
  }
  return -1;
}

// Out of poses in which a row is undetermined, to the branches of angles that they have there.
static void leave_undetermined(work *w, hn_assembly_rows *rows) {
  for (double amount = 0.02; amount < 1 && undetermined_row(w, rows) >= 0; amount *= 5) {
    hn_assembly_disturb(&w->a, rows, amount);
    hn_elements_initial_turns(w->a.elements, w->a.frames, w->a.branches->turns);
  }
}

// One stage, with given coordinates of at least this firmness. 1 closed, 0 not, -1 not finite,
// -2 out of memory. The rows are left for a report.
static int close_gaps(work *w, int given_count, hn_assembly_rows *rows) {
  if (hn_assembly_rows_create(&w->arena, w->a.elements, w->held, w->given, given_count, rows) !=
      HN_OK)
    return -2;
  leave_undetermined(w, rows);
  return hn_assembly_solve_positions(&w->a, rows, w->all);
}

// The last stage, and when it fails the same from disturbed poses. rows and frames are left for a
// report where the gaps are smallest.
static int close_stubbornly(work *w, int given_count, hn_assembly_rows *rows) {
  size_t bytes = (size_t)w->a.model->body_count * sizeof(hn_frame);
  int done = close_gaps(w, given_count, rows), iterations = w->a.iterations;
  if (done == 1 || done == -2) return done;
  hn_frame *best = HN_TAKE(&w->arena, hn_frame, w->a.model->body_count);
  if (!best) return -2;
  double least = done == 0 ? hn_assembly_merit(&w->a, rows) : HUGE_VAL;
  memcpy(best, w->a.frames, bytes);
  static const double amounts[] = {0.02, 0.1, 0.5};
  for (size_t k = 0; k < sizeof amounts / sizeof *amounts; k++) {
    memcpy(w->a.frames, w->a.drawn, bytes);
    hn_assembly_disturb(&w->a, rows, amounts[k]);
    w->a.iterations = 0;
    if (hn_assembly_solve_positions(&w->a, rows, w->all) == 1) return 1;
    double merit = hn_assembly_merit(&w->a, rows);
    if (!(merit < 0.9 * least)) continue;
    least = merit;
    iterations = w->a.iterations;
    memcpy(best, w->a.frames, bytes);
  }
  if (!(least < HUGE_VAL)) return -1;
  memcpy(w->a.frames, best, bytes);
  hn_assembly_rows_evaluate(rows, w->a.t, w->a.frames, w->a.branches, 0);
  w->a.iterations = iterations;
  return 0;
}

// 1 when a row that nothing can change is open.
static int has_stuck_row(work *w, hn_assembly_rows *rows) {
  hn_assembly_rows_evaluate(rows, w->a.t, w->a.frames, w->a.branches, 0);
  for (int r = 0; r < rows->size; r++) {
    int k = rows->row_start[r];
    while (k < rows->row_start[r + 1] && rows->j_values[k] == 0) k++;
    if (k == rows->row_start[r + 1] && fabs(rows->value[r]) > 1e-11 * w->a.extent) return 1;
  }
  return 0;
}

static int try_positions(work *w, int given_count, hn_assembly_rows *rows) {
  if (hn_assembly_rows_create(&w->arena, w->a.elements, w->held, w->given, given_count, rows) !=
      HN_OK)
    return -2;
  if (has_stuck_row(w, rows)) return 0;
  leave_undetermined(w, rows);
  int done = hn_assembly_solve_positions(&w->a, rows, w->all);
  return done == 1 || done == -2 ? done : 0;
}

// Closes with given starts of bodies fixed, or else weighted; 0 if that fails.
static int close_near_given(work *w, int given_count, hn_assembly_rows *rows) {
  int any = 0;
  for (int b = 1; b < w->a.model->body_count; b++)
    any |= hn_assembly_given_parts(&w->a.model->bodies[b], 0);
  if (!any) return 0;
  w->a.given_weight = POSITION_WEIGHT;
  int done = hold_given(w, 0, given_count, rows);
  if (done == 0) done = try_positions(w, given_count, rows);
  w->a.given_weight = 0;
  if (done == 0) restart(w, 0);
  return done;
}

double hn_assembly_largest_move(const work *w) {
  double most = 0;
  for (int b = 1; b < w->a.model->body_count; b++) {
    const hn_frame *to = &w->a.frames[b], *from = &w->a.drawn[b];
    hn_quat turn = quat_multiply(to->p, quat_conjugate(from->p));
    double angle = 2 * hn_atan2(vec3_norm(quat_vector(turn)), fabs(turn.w));
    most = fmax(most, fmax(angle, vec3_norm(vec3_sub(to->r, from->r))));
  }
  return most;
}

// Names the constraint that is not finite in the reference configuration.
static hn_status explain_not_finite(work *w, hn_assembly_rows *rows, hn_error *error) {
  memcpy(w->a.frames, w->a.drawn, (size_t)w->a.model->body_count * sizeof(hn_frame));
  int r = undetermined_row(w, rows);
  if (r < 0)
    return hn_fail(error, HN_ERROR_NOT_FINITE, NULL, NULL,
                   "check positions, axes and the functions of drivers",
                   "a position is not a finite number at the start");
  int is_driver = r < rows->row_count && w->a.elements->rows[r].is_driver;
  char element[128];
  hn_text(element, sizeof element, "%s '%s'", is_driver ? "driver" : "joint",
          hn_assembly_row_name(rows, r));
  return hn_fail(error, HN_ERROR_NOT_FINITE, hn_assembly_row_source(rows, r), element,
                 is_driver ? "check its function at that time and the axes of its joint"
                           : "check its positions and axes, and turn a body a little",
                 "has no finite position in the given configuration, at t = %g s", w->a.t);
}

// Redundant constraints of rounded numbers: the poses are those with the smallest gaps.
static hn_status accept_contradiction(work *w, hn_assembly_rows *rows,
                                      hn_assembly_report *report) {
  report->contradiction = w->a.gap;
  report->position_change = hn_assembly_largest_move(w);
  hn_assembly_warn_contradiction(&w->a, rows, &report->contradiction_warning);
  return HN_OK;
}

static hn_status assemble_positions(work *w, hn_assembly_report *report, hn_error *error) {
  hn_assembly_rows rows;
  set_held(w, 0);
  int count = collect_given(w, 0, HN_PREFERRED), done = 0, released = 0;
  if (has_preferred(w, count)) {
    done = close_near_given(w, count, &rows);
    if (done == 0) done = close_gaps(w, count, &rows);
    released = done <= 0;
  }
  if (done == 0 || done == -1) {
    if (done < 0)
      memcpy(w->a.frames, w->a.drawn, (size_t)w->a.model->body_count * sizeof(hn_frame));
    count = collect_given(w, 0, HN_FIXED);
    done = close_near_given(w, count, &rows);
    if (done == 0) done = close_stubbornly(w, count, &rows);
  }
  report->iterations = w->a.iterations;
  if (done == -2)
    return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory for assembly");
  if (done < 0) return explain_not_finite(w, &rows, error);
  if (done == 0) {
    (void)hn_assembly_merit(&w->a, &rows);
    if (w->a.gap <= CONTRADICTS * w->a.extent) return accept_contradiction(w, &rows, report);
  }
  if (done == 0) return hn_assembly_explain(&w->a, &rows, w->all, &w->arena, error);
  w->a.given_weight = POSITION_WEIGHT;
  done = hn_assembly_stay(w, 0, count, &report->stay_note);
  w->a.given_weight = 0;
  if (done == -2)
    return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory for assembly");
  report->position_change = hn_assembly_largest_move(w);
  if (released) warn_given(w, w->a.frames, 0, &report->warning);
  hn_assembly_warn_bodies(&w->a, &report->body_warning);
  hn_assembly_warn_gap(&w->a, &rows, report->position_change, &report->gap_warning);
  return HN_OK;
}

// ---- velocities ---------------------------------------------------------------------------------

// Masses; what has no mass or inertia gets a little, so that it follows the joints and nothing else.
static void set_mass_metric(const work *w, hn_assembly_rows *rows) {
  double heaviest = 0;
  for (int b = 1; b < rows->bodies; b++) heaviest = fmax(heaviest, w->a.model->bodies[b].mass);
  for (int b = 1; b < rows->bodies; b++) {
    const hn_body_def *body = &w->a.model->bodies[b];
    hn_mat3 a = w->a.frames[b].a;
    int parts = hn_assembly_given_parts(body, 1);
    double linear = parts & HN_HELD_LINEAR ? GIVEN_WEIGHT : 1, size = w->a.body_size[b];
    double angular = parts & HN_HELD_ANGULAR ? GIVEN_WEIGHT : 1;
    hn_mat3 inertia =
        mat3_multiply(mat3_multiply(a, mat3_symmetric(body->inertia)), mat3_transpose(a));
    double mass = body->mass > 0 ? body->mass : WEIGHTLESS * heaviest;
    double least = (body->mass > 0 ? 1e-8 : 1) * mass * size * size;
    inertia = mat3_add(inertia, mat3_scale(least, mat3_identity()));
    hn_assembly_set_metric(rows, b, linear * mass, mat3_scale(angular, inertia));
  }
}

// Least change of the frames' speeds onto all rows.
static hn_status project(work *w, int given_count, hn_assembly_rows *rows,
                         hn_saddle_report *report) {
  hn_status status =
      hn_assembly_rows_create(&w->arena, w->a.elements, w->held, w->given, given_count, rows);
  if (status != HN_OK) return status;
  set_mass_metric(w, rows);
  for (int sweep = 0; sweep < 2; sweep++) { // the second takes out the rounding of the first
    hn_assembly_rows_evaluate(rows, w->a.t, w->a.frames, w->a.branches, 1);
    for (int r = 0; r < rows->size; r++) rows->c[r] = -rows->rate[r];
    if (sweep == 0) status = hn_saddle_factor(rows->saddle, rows->m_values, rows->j_values);
    if (status == HN_OK)
      status = hn_saddle_solve(rows->saddle, rows->b, rows->c, rows->x, rows->y, report);
    if (status != HN_OK) return status;
    for (int b = 1; b < rows->bodies; b++) {
      if (rows->first_column[b] < 0) continue;
      const double *x = &rows->x[rows->first_column[b]];
      w->a.frames[b].v = vec3_add(w->a.frames[b].v, vec3_load(x));
      w->a.frames[b].w = vec3_add(w->a.frames[b].w, vec3_load(x + 3));
    }
  }
  hn_assembly_rows_evaluate(rows, w->a.t, w->a.frames, w->a.branches, 1);
  return HN_OK;
}

// The row with the largest rate that is left, if it is more than this part of the speeds; else -1.
static int contradicting_row(const work *w, const hn_assembly_rows *rows, double tolerance) {
  int worst = -1;
  double speed = 1e-3, most = 0;
  for (int b = 1; b < rows->bodies; b++)
    speed = fmax(
        speed, fmax(vec3_norm(w->a.frames[b].v), w->a.body_size[b] * vec3_norm(w->a.frames[b].w)));
  for (int r = 0; r < rows->size; r++) {
    double rate = fabs(rows->rate[r]) * hn_assembly_weight(&w->a, rows, r);
    if (!(rate > tolerance * speed) || rate <= most) continue;
    most = rate;
    worst = r;
  }
  return worst;
}

static int try_velocities(work *w, int given_count, hn_assembly_rows *rows) {
  hn_saddle_report solution;
  hn_status status = project(w, given_count, rows, &solution);
  if (status != HN_OK) return status == HN_ERROR_MEMORY ? -2 : 0;
  return contradicting_row(w, rows, RATE_ROUNDING) < 0;
}

// The given body velocity that was changed most, linear or angular.
static void compare_velocities(const work *w, hn_assembly_report *report) {
  int worst = -1, is_angular = 0;
  double relative = 1e-6;
  for (int b = 1; b < w->a.model->body_count; b++) {
    const hn_body_def *body = &w->a.model->bodies[b];
    int given = hn_assembly_given_parts(body, 1);
    if (!given) continue;
    double linear = vec3_norm(vec3_sub(w->a.frames[b].v, body->velocity));
    double angular = vec3_norm(vec3_sub(w->a.frames[b].w, body->angular_velocity));
    if (!(given & HN_HELD_LINEAR)) linear = 0;
    if (!(given & HN_HELD_ANGULAR)) angular = 0;
    report->velocity_change = fmax(report->velocity_change, fmax(linear, angular));
    double size = w->a.body_size[b];
    double whole = vec3_norm(body->velocity) + size * vec3_norm(body->angular_velocity);
    if (!(linear + size * angular > relative * whole)) continue;
    relative = (linear + size * angular) / whole;
    worst = b;
    is_angular = size * angular > linear;
  }
  if (worst < 0 || report->velocity_warning.message[0]) return;
  const hn_body_def *body = &w->a.model->bodies[worst];
  hn_vec3 given = is_angular ? body->angular_velocity : body->velocity;
  hn_vec3 got = is_angular ? w->a.frames[worst].w : w->a.frames[worst].v;
  char element[128];
  hn_text(element, sizeof element, "body '%s'", body->name);
  hn_assembly_warn(&report->velocity_warning, element,
                   "cannot start with the given %s [%.6g, %.6g, %.6g] %s, which the joints do not "
                   "allow; it became [%.6g, %.6g, %.6g]. Give one that fits them.",
                   is_angular ? "angular velocity" : "velocity", given.x, given.y, given.z,
                   is_angular ? "rad/s" : "m/s", got.x, got.y, got.z);
}

static hn_status assemble_velocities(work *w, hn_assembly_report *report, hn_error *error) {
  hn_assembly_rows rows;
  hn_saddle_report solution;
  memset(w->level, HOLD_NOTHING, (size_t)w->a.model->body_count);
  restart(w, 1);
  int count = collect_given(w, 1, HN_PREFERRED), left = -1, released = 0;
  int done = hold_given(w, 1, count, &rows);
  hn_status status = done == -2 ? HN_ERROR_MEMORY : HN_OK;
  if (done == 0) status = project(w, count, &rows, &solution);
  if (done == 0 && status == HN_OK) left = contradicting_row(w, &rows, CONTRADICTION);
  if (status == HN_OK && left >= 0 && has_preferred(w, count)) {
    released = 1;
    count = collect_given(w, 1, HN_FIXED);
    done = hold_given(w, 1, count, &rows);
    left = -1;
    if (done == -2) status = HN_ERROR_MEMORY;
    if (done == 0) status = project(w, count, &rows, &solution);
    if (done == 0 && status == HN_OK) left = contradicting_row(w, &rows, CONTRADICTION);
  }
  if (status != HN_OK)
    return hn_fail(error, status, NULL, NULL, NULL,
                   status == HN_ERROR_MEMORY ? "out of memory for velocities at the start"
                                             : "velocities at the start cannot be computed");
  if (left >= 0) return hn_assembly_explain_velocities(&w->a, &rows, left, &w->arena, error);
  if (hn_assembly_stay(w, 1, count, &report->stay_rate_note) == -2)
    return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory for assembly");
  if (released) warn_given(w, w->a.frames, 1, &report->velocity_warning);
  compare_velocities(w, report);
  return HN_OK;
}

hn_status hn_assemble_driven(hn_equations *equations, const hn_allocator *allocator, double t,
                             const double *q, double *qd, hn_branches *branches) {
  work w;
  hn_assembly_rows rows;
  hn_warning ignored = {.is_note = 1};
  int nq = equations->nq;
  size_t turn_bytes = (size_t)equations->elements->turn_count * sizeof(double);
  hn_arena scratch;
  hn_arena_init(&scratch, allocator);
  double *turns = hn_arena_copy(&scratch, branches->turns, turn_bytes, 1);
  double *at = HN_TAKE(&scratch, double, nq), *rates = HN_TAKE(&scratch, double, nq);
  hn_status status = HN_ERROR_MEMORY;
  if (!scratch.failed) status = begin(&w, equations, allocator, t, q, qd, branches);
  if (status == HN_OK) {
    w.ignores_given = 1;
    memcpy(branches->turns, turns, turn_bytes);
    equations->type->coordinates->frames(equations, q, qd, w.a.frames);
    int done = hn_assembly_try(&w, 1, 0, &rows);
    if (done == 1) done = hn_assembly_stay(&w, 1, 0, &ignored) == 0 ? 1 : -2;
    status = done == 1 ? HN_OK : done == -2 ? HN_ERROR_MEMORY : HN_RETRY;
  }
  if (status == HN_OK) {
    hn_assembly_store(&w.a, at, rates);
    memcpy(qd, rates, (size_t)nq * sizeof(double));
  }
  if (!scratch.failed) {
    memcpy(branches->turns, turns, turn_bytes);
    hn_arena_release(&w.arena);
  }
  hn_arena_release(&scratch);
  return status;
}

// ---- the whole ----------------------------------------------------------------------------------

hn_status hn_assemble(hn_equations *equations, const hn_allocator *allocator, double t, double *q,
                      double *qd, hn_branches *branches, hn_assembly_report *report,
                      hn_error *error) {
  hn_assembly_report own;
  if (!report) report = &own;
  *report = (hn_assembly_report){.iterations = 0};
  work w;
  hn_status status = begin(&w, equations, allocator, t, q, qd, branches);
  if (status != HN_OK) hn_fail(error, status, NULL, NULL, NULL, "out of memory for assembly");
  if (status == HN_OK) status = assemble_positions(&w, report, error);
  if (status == HN_OK) status = assemble_velocities(&w, report, error);
  if (status == HN_OK) {
    hn_assembly_warn_weightless(&w.a, &w.arena, &report->inertia_warning);
    hn_assembly_store(&w.a, q, qd);
    equations->type->coordinates->frames(equations, q, qd, w.a.frames);
    hn_elements_update_turns(w.a.elements, w.a.frames, branches->turns);
    hn_branches_classify(w.a.elements, w.a.frames, t, branches);
  }
  hn_arena_release(&w.arena);
  return status;
}
