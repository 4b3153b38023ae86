// Springs that pull bodies by hand (holon/pull.h): user forces, one a body, of which at most one acts.
//
// F = k (p - P) - d P', P = r + a, a = A s. With a small motion (dr, turn) at fixed speeds
//   dP = dr + turn x a,   dP' = w x (turn x a),   dW = (dF, (turn x a) x F + a x dF).
//
// Stiffness, damping and target change evenly between rows, so that the force never jumps.
#include "holon/pull.h"

#include <math.h>

#include "base/arena.h"
#include "base/error.h"
#include "math/vec.h"

enum { COLUMNS = 9 };
static const char *const column_names[COLUMNS] = {
    "pull.body",     "pull.point.x",  "pull.point.y",   "pull.point.z", "pull.target.x",
    "pull.target.y", "pull.target.z", "pull.stiffness", "pull.damping"};

typedef struct spring {
  const hn_pulls *pulls;
  int body;
} spring;

struct hn_pulls {
  const hn_allocator *allocator;
  spring *springs; // of each body but ground
  hn_pull now, next;
  double from, to;
  const hn_results *rows; // null: none
  hn_results *own;        // of a file
  int column[COLUMNS];
  int reached; // row; -1: none
};

hn_status hn_pulls_create(const hn_allocator *allocator, hn_pulls **pulls) {
  *pulls = hn_allocate(allocator, sizeof **pulls);
  if (!*pulls) return HN_ERROR_MEMORY;
  **pulls = (hn_pulls){.allocator = allocator, .reached = -1};
  return HN_OK;
}

void hn_pulls_free(hn_pulls *pulls) {
  if (!pulls) return;
  hn_results_free(pulls->own);
  hn_release(pulls->allocator, pulls->springs);
  hn_release(pulls->allocator, pulls);
}

void hn_pulls_move(hn_pulls *pulls, const hn_pull *now, const hn_pull *next, double from,
                   double to) {
  pulls->now = *now;
  pulls->next = *next;
  pulls->from = from;
  pulls->to = to;
}

// ---- the force ----------------------------------------------------------------------------------

static double part_at(const hn_pulls *pulls, double t) {
  return pulls->to > pulls->from ? (t - pulls->from) / (pulls->to - pulls->from) : 0;
}

static double between(double a, double b, double part) { return a + part * (b - a); }

static int is_idle(const hn_pulls *p) {
  return !(p->now.stiffness > 0) && !(p->next.stiffness > 0) && !(p->now.damping > 0) &&
         !(p->next.damping > 0);
}

static hn_pull pull_at(const hn_pulls *p, double t) {
  const double part = part_at(p, t);
  hn_pull pull = p->now;
  pull.target = vec3_add(p->now.target, vec3_scale(part, vec3_sub(p->next.target, p->now.target)));
  pull.stiffness = between(p->now.stiffness, p->next.stiffness, part);
  pull.damping = between(p->now.damping, p->next.damping, part);
  return pull;
}

// Where the point of a pull is, from the center of mass, and the force there.
static hn_vec3 force_of(const hn_pull *pull, const hn_body_motion *body, hn_vec3 *arm) {
  *arm = mat3_apply(body->rotation, pull->point);
  const hn_vec3 point = vec3_add(body->position, *arm);
  const hn_vec3 velocity = vec3_add(body->velocity, vec3_cross(body->angular_velocity, *arm));
  return vec3_sub(vec3_scale(pull->stiffness, vec3_sub(pull->target, point)),
                  vec3_scale(pull->damping, velocity));
}

// Adds to column k of the second body what a change of force and torque makes.
static void add_column(hn_vec3 force, hn_vec3 torque, double out[12][12], int k) {
  for (int i = 0; i < 3; i++) {
    out[6 + i][6 + k] += vec3_get(force, i);
    out[9 + i][6 + k] += vec3_get(torque, i);
  }
}

static void add_derivatives(const hn_pull *pull, const hn_body_motion *body, hn_vec3 arm,
                            hn_vec3 force, double d_pose[12][12], double d_velocity[12][12]) {
  for (int k = 0; k < 6; k++) {
    const hn_vec3 unit = vec3(k % 3 == 0, k % 3 == 1, k % 3 == 2);
    const hn_vec3 turned = k < 3 ? vec3_zero() : vec3_cross(unit, arm);
    const hn_vec3 moved = k < 3 ? unit : turned;
    const hn_vec3 faster = vec3_cross(body->angular_velocity, turned);
    const hn_vec3 change =
        vec3_sub(vec3_scale(-pull->stiffness, moved), vec3_scale(pull->damping, faster));
    const hn_vec3 slower = vec3_scale(-pull->damping, moved);
    add_column(change, vec3_add(vec3_cross(turned, force), vec3_cross(arm, change)), d_pose, k);
    add_column(slower, vec3_cross(arm, slower), d_velocity, k);
  }
}

static void add_rate(const hn_pulls *p, const hn_pull *pull, const hn_body_motion *body,
                     hn_vec3 arm, double d_time[12]) {
  const double rate = p->to > p->from ? 1 / (p->to - p->from) : 0;
  hn_pull change = *pull;
  change.stiffness = rate * (p->next.stiffness - p->now.stiffness);
  change.damping = rate * (p->next.damping - p->now.damping);
  const hn_vec3 moved = vec3_scale(rate * pull->stiffness, vec3_sub(p->next.target, p->now.target));
  const hn_vec3 force = vec3_add(force_of(&change, body, &arm), moved);
  vec3_store(&d_time[6], force);
  vec3_store(&d_time[9], vec3_cross(arm, force));
}

static hn_status evaluate(void *context, double time, const hn_body_motion body[2],
                          hn_wrench wrench[2], double d_pose[12][12], double d_velocity[12][12],
                          double d_time[12]) {
  const spring *own = context;
  const hn_pulls *pulls = own->pulls;
  if (pulls->now.body != own->body || is_idle(pulls)) return HN_OK;
  const hn_pull pull = pull_at(pulls, time);
  hn_vec3 arm;
  const hn_vec3 force = force_of(&pull, &body[1], &arm);
  wrench[1].force = force;
  wrench[1].torque = vec3_cross(arm, force);
  if (!d_pose) return HN_OK;
  add_derivatives(&pull, &body[1], arm, force, d_pose, d_velocity);
  add_rate(pulls, &pull, &body[1], arm, d_time);
  return HN_OK;
}

int hn_pulls_at(const hn_pulls *pulls, const hn_simulation *simulation, double time, hn_pull *pull,
                hn_vec3 *point, hn_vec3 *force) {
  hn_body_motion motion;
  if (pulls->now.body <= 0 || is_idle(pulls)) return 0;
  // looking changes what is shown, not the state
  if (hn_simulation_body_motion((hn_simulation *)simulation, pulls->now.body, &motion) != HN_OK)
    return 0;
  hn_vec3 arm;
  *pull = pull_at(pulls, time);
  *force = force_of(pull, &motion, &arm);
  *point = vec3_add(motion.position, arm);
  return 1;
}

// ---- into a model -------------------------------------------------------------------------------

hn_status hn_pulls_complete(void *context, hn_model *model) {
  hn_pulls *pulls = context;
  const int bodies = hn_model_body_count(model);
  hn_release(pulls->allocator, pulls->springs);
  pulls->springs = hn_allocate(pulls->allocator, ((size_t)bodies + 1) * sizeof *pulls->springs);
  if (!pulls->springs) return HN_ERROR_MEMORY;
  hn_status status = HN_OK;
  for (int b = 1; b <= bodies && status == HN_OK; b++) {
    char name[160];
    hn_force_def def = hn_default_force(HN_FORCE_USER);
    pulls->springs[b] = (spring){pulls, b};
    def.name = hn_text(name, sizeof name, "pull.%s", hn_model_body_name(model, b));
    def.frame1.body = HN_GROUND;
    def.frame2.body = b;
    def.user = (hn_user_force){
        .evaluate = evaluate, .context = &pulls->springs[b], .has_derivatives = 1, .is_smooth = 1};
    status = hn_model_add_force(model, &def, NULL);
  }
  return status;
}

// ---- over time ----------------------------------------------------------------------------------

static double cell(const hn_pulls *pulls, int row, int column) {
  return hn_results_column(pulls->rows, pulls->column[column])[row];
}

static hn_pull row_of(const hn_pulls *p, int row) {
  return (hn_pull){.body = (int)cell(p, row, 0),
                   .point = vec3(cell(p, row, 1), cell(p, row, 2), cell(p, row, 3)),
                   .target = vec3(cell(p, row, 4), cell(p, row, 5), cell(p, row, 6)),
                   .stiffness = cell(p, row, 7),
                   .damping = cell(p, row, 8)};
}

static hn_status check_row(const hn_pulls *pulls, int row, const char *name, hn_error *error) {
  const double *time = hn_results_time(pulls->rows);
  if (!isfinite(time[row]) || (row > 0 && !(time[row] > time[row - 1])))
    return hn_fail(error, HN_ERROR_ARGUMENT, NULL, NULL,
                   "Sort the lines by time; use each time once.",
                   "times do not increase in data line %d of '%s'", row + 1, name);
  for (int c = 0; c < COLUMNS; c++) {
    const double value = cell(pulls, row, c), least = c == 0 || c > 6 ? 0 : -HUGE_VAL;
    if (!isfinite(value) || value < least || (c == 0 && (value > 1e9 || value != floor(value))))
      return hn_fail(error, HN_ERROR_ARGUMENT, NULL, NULL,
                     "Give finite numbers; the body as its number, stiffness and damping from 0.",
                     "'%s' has %g in data line %d, column '%s'", name, value, row + 1,
                     column_names[c]);
  }
  return HN_OK;
}

hn_status hn_pulls_take(hn_pulls *pulls, const hn_results *rows, const char *name,
                        hn_error *error) {
  pulls->rows = rows;
  pulls->reached = -1;
  for (int c = 0; c < COLUMNS; c++) {
    pulls->column[c] = hn_results_find(rows, column_names[c]);
    if (pulls->column[c] >= 0) continue;
    pulls->rows = NULL;
    return hn_fail(error, HN_ERROR_ARGUMENT, NULL, NULL,
                   "Give the table of pulls that a live page saves.", "'%s' has no column '%s'",
                   name, column_names[c]);
  }
  hn_status status = HN_OK;
  for (int r = 0; r < hn_results_row_count(rows) && status == HN_OK; r++)
    status = check_row(pulls, r, name, error);
  if (status != HN_OK) pulls->rows = NULL;
  return status;
}

hn_status hn_pulls_read(hn_pulls *pulls, const char *path, hn_error *error) {
  hn_results *rows = NULL;
  hn_status status = hn_results_read(path, &rows, error);
  if (status != HN_OK) return status;
  hn_results_free(pulls->own);
  pulls->own = rows;
  return hn_pulls_take(pulls, rows, path, error);
}

void hn_pulls_follow(hn_pulls *pulls, double time) {
  if (!pulls->rows) return;
  const double *times = hn_results_time(pulls->rows), reached = time + 1e-12 * (1 + fabs(time));
  const int count = hn_results_row_count(pulls->rows), before = pulls->reached;
  while (pulls->reached + 1 < count && times[pulls->reached + 1] <= reached) pulls->reached++;
  const int row = pulls->reached, next = row + 1 < count ? row + 1 : row;
  if (row == before) return;
  const hn_pull here = row_of(pulls, row), there = row_of(pulls, next);
  hn_pulls_move(pulls, &here, &there, times[row], times[next]);
}

double hn_pulls_next(const hn_pulls *pulls) {
  if (!pulls->rows || pulls->reached + 1 >= hn_results_row_count(pulls->rows)) return HUGE_VAL;
  return hn_results_time(pulls->rows)[pulls->reached + 1];
}
