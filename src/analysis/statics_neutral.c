// Neutral directions of an equilibrium: those without stiffness and without force. They are named
// by coordinates of bodies, and fixed: steps along the other directions move them a little, which
// is undone at the end.
#include <math.h>
#include <string.h>

#include "analysis/assembly_warnings.h"
#include "analysis/statics_work.h"
#include "analysis/stiffness.h"
#include "base/error.h"
#include "linalg/rank.h"
#include "math/elementary.h"

#define NEUTRAL_STIFFNESS 1e-11 // against the largest
#define NEUTRAL_FORCE 1e-7      // against the largest force
#define OWN_STIFFNESS 1e-10     // against what its parts add up to without their signs
#define ROUNDING 1e-16          // of the largest
#define TURN_ROUNDING 1e-13     // of forces times the size of bodies
#define FAR 0.5                 // of the span
#define FAR_ON_JOINTS 2.01

int hn_statics_is_neutral(const hn_statics *w, int mode, double most) {
  return fabs(w->values[mode]) <= NEUTRAL_STIFFNESS * most &&
         fabs(w->modal[mode]) <= NEUTRAL_FORCE * w->largest;
}

// ---- the report ---------------------------------------------------------------------------------

static const char *const axis_names[6] = {"x", "y", "z", "roll", "pitch", "yaw"};

typedef struct own_work {
  const double *motion;
  double sum, magnitude; // with signs: the stiffness along the motion; without
} own_work;

static void add_work(void *context, int row, int column, double block[6][6]) {
  own_work *own = context;
  const double *left = &own->motion[6 * (row - 1)], *right = &own->motion[6 * (column - 1)];
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      double each = left[i] * block[i][j] * right[j];
      own->sum += each;
      own->magnitude += fabs(each);
    }
}

// The effect of rounding of positions on the forces of rotated bodies, as a stiffness.
static double rounding_of_turns(const hn_statics *w) {
  double force = w->largest, scale = 0;
  for (int r = 0; r < w->m; r++) force = fmax(force, fabs(w->lambda[r]));
  for (int i = 3; i < w->n; i += 6) scale = fmax(scale, w->step_scale[i]);
  return TURN_ROUNDING * force * w->a.size * scale * scale;
}

// A mode far softer than the stiffest still has a stiffness if its parts, small themselves, do not
// cancel: the bending of a slender beam, the needle of a scale in a large model; a negative one
// too. The work along the mode is more accurate than its eigenvalue, which is rounded by that of
// the stiffest, and replaces it.
static int has_own_stiffness(hn_statics *w, int mode, double most) {
  double least = fmax(ROUNDING * most, rounding_of_turns(w));
  if (fabs(w->values[mode]) <= least) return 0;
  own_work own = {w->step, 0, 0};
  hn_statics_mode(w, mode, w->step);
  hn_status status = hn_stiffness_blocks(w->a.elements, w->a.t, w->a.frames, w->a.branches,
                                         w->lambda, add_work, &own);
  if (status != HN_OK || fabs(own.sum) <= fmax(least, OWN_STIFFNESS * own.magnitude)) return 0;
  w->values[mode] = own.sum;
  return 1;
}

// Where joints are left a little, stiffness may seem negative: only along what they allow it counts.
int hn_statics_has_unstable_mode(hn_statics *w) {
  double least = fmax(ROUNDING * hn_statics_stiffest(w), rounding_of_turns(w));
  for (int j = 0; j < w->freedoms; j++) {
    if (!(w->values[j] < -least)) continue;
    own_work own = {w->step, 0, 0};
    double norm = 0;
    hn_statics_mode(w, j, w->step);
    if (hn_statics_sparse_project(w) != HN_OK) continue;
    for (int i = 0; i < w->n; i++) {
      double scaled = w->step[i] / w->step_scale[i];
      norm += scaled * scaled;
    }
    hn_status status = hn_stiffness_blocks(w->a.elements, w->a.t, w->a.frames, w->a.branches,
                                           w->lambda, add_work, &own);
    if (status == HN_OK && own.sum < -fmax(least * norm, OWN_STIFFNESS * own.magnitude)) return 1;
  }
  return 0;
}

// Modes without stiffness and force into w->modes; returns their number.
int hn_statics_find_neutral(hn_statics *w) {
  double most = hn_statics_stiffest(w);
  int count = 0;
  for (int j = 0; j < w->freedoms; j++)
    if (hn_statics_is_neutral(w, j, most) && !has_own_stiffness(w, j, most)) w->modes[count++] = j;
  return count;
}

// The neutral directions as coordinates of bodies, heavy ones preferred: pivots of the columns of their
// basis, weighted by the square root of the mass. Writes the coordinates (6 per body) into w->order.
void hn_statics_choose_coordinates(hn_statics *w, int count) {
  double *a = w->kz, *motion = w->step;
  for (int c = 0; c < count; c++) {
    hn_statics_mode(w, w->modes[c], motion);
    for (int i = 0; i < w->n; i++)
      a[(size_t)i * (size_t)count + (size_t)c] =
          motion[i] * sqrt(w->a.model->bodies[1 + i / 6].mass) / w->scale[i];
  }
  hn_rank_qr(a, count, w->n, 0, NULL, w->order, w->qr_work);
  for (int i = 1; i < count; i++) // in the order of bodies and axes
    for (int j = i; j > 0 && w->order[j] < w->order[j - 1]; j--) {
      int keep = w->order[j];
      w->order[j] = w->order[j - 1];
      w->order[j - 1] = keep;
    }
}

// How far coordinate i of the bodies has come from where it was on entry.
static double drift(const hn_statics *w, int i) {
  const hn_frame *now = &w->a.frames[1 + i / 6], *then = &w->a.drawn[1 + i / 6];
  if (i % 6 < 3) return vec3_get(vec3_sub(now->r, then->r), i % 6);
  hn_quat turn = quat_multiply(now->p, quat_conjugate(then->p));
  hn_vec3 axis = quat_vector(turn.w < 0 ? quat_scale(-1, turn) : turn);
  double sine = vec3_norm(axis);
  return sine > 0 ? 2 * hn_asin(fmin(1, sine)) / sine * vec3_get(axis, i % 6 - 3) : 0;
}

// Brings the coordinates of neutral directions back to where they were: steps along other
// directions have moved them a little.
static int restore_neutral(hn_statics *w, int count) {
  double *a = w->kz, *amount = w->spare;
  for (int c = 0; c < count; c++) {
    hn_statics_mode(w, w->modes[c], w->step);
    for (int i = 0; i < count; i++) a[(size_t)c * (size_t)count + (size_t)i] = w->step[w->order[i]];
  }
  for (int i = 0; i < count; i++) amount[i] = -drift(w, w->order[i]);
  if (hn_dense_lu(a, count, w->pivots)) return 0;
  hn_dense_lu_solve(a, count, w->pivots, amount);
  double *motion = w->kz, *sum = w->step;
  memset(sum, 0, (size_t)w->n * sizeof(double));
  for (int c = 0; c < count; c++) {
    hn_statics_mode(w, w->modes[c], motion);
    for (int i = 0; i < w->n; i++) sum[i] += amount[c] * motion[i];
  }
  hn_statics_move(w, 1);
  return hn_assembly_solve_positions(&w->a, &w->rows, w->all) == 1 &&
         hn_statics_evaluate(w) == HN_OK;
}

void hn_statics_hold_neutral(hn_statics *w, int count, double wanted) {
  size_t bytes = (size_t)w->rows.bodies * sizeof(hn_frame);
  memcpy(w->before, w->a.frames, bytes);
  for (int k = 0; k < 3; k++)
    if (!restore_neutral(w, count)) break;
  if (w->residual <= wanted) return;
  memcpy(w->a.frames, w->before, bytes);
  hn_statics_evaluate(w);
}

// Bodies that joints connect with ground, over any number of others, into reached (bodies); returns
// how many there are.
static int find_reached(const hn_model *model, int *reached) {
  int changed = 1, count = 0;
  for (int b = 0; b < model->body_count; b++) reached[b] = b == HN_GROUND;
  while (changed) {
    changed = 0;
    for (int j = 0; j < model->joint_count; j++) {
      const hn_joint_def *joint = &model->joints[j];
      int one = joint->frame1.body, other = joint->frame2.body;
      if (!hn_joint_holds(joint->type)) continue;
      if (reached[one] == reached[other]) continue;
      reached[one] = reached[other] = changed = 1;
      count++;
    }
  }
  return count;
}

// Coordinate i of the bodies moves the model as a whole along level ground, or turns it about the
// direction of gravity: that a vehicle is free to do so is no surprise.
static int is_level(const hn_statics *w, int i) {
  const double g[3] = {w->a.model->gravity.x, w->a.model->gravity.y, w->a.model->gravity.z};
  double whole = vec3_norm(w->a.model->gravity), along = fabs(g[i % 3]);
  if (i / 6 != w->order[0] / 6) return 0; // not with the others
  return i % 6 < 3 ? along <= 1e-9 * whole : along >= (1 - 1e-9) * whole;
}

// A body on joints may move through twice its size; one supported by forces only was hardly meant
// to move by half the size of the model.
static void warn_of_far_body(const hn_statics *w, const int *reached, hn_warning *warning) {
  double most = 1;
  for (int b = 1; b < w->rows.bodies; b++) {
    double moved = vec3_norm(vec3_sub(w->a.frames[b].r, w->a.drawn[b].r));
    double limit = (reached[b] ? FAR_ON_JOINTS : FAR) * w->span;
    if (!(moved > most * limit)) continue;
    most = moved / limit;
    char element[128];
    hn_text(element, sizeof element, "body '%s'", w->a.model->bodies[b].name);
    hn_assembly_warn(warning, element,
                     "moved %.3g m to its equilibrium in a mechanism of %.3g m: check for a "
                     "missing joint or spring, or start closer.",
                     moved, w->span);
    warning->is_note = reached[b]; // a joint leads it there
  }
}

void hn_statics_fill_report(const hn_statics *w, int iterations, int count,
                            hn_statics_report *report) {
  int *reached = w->pivots; // free here
  int grounded = find_reached(w->a.model, reached) > 0;
  *report = (hn_statics_report){
      .iterations = iterations, .residual = w->residual, .neutral_count = count, .stable = 1};
  double most = hn_statics_stiffest(w);
  int stiffer = 0; // than inverse iteration can distinguish from neutral
  for (int j = 0, c = 0; j < w->freedoms; j++) {
    int is_neutral = c < count && w->modes[c] == j;
    if (!is_neutral && w->values[j] < 0) report->stable = 0;
    stiffer += w->values[j] > NEUTRAL_STIFFNESS * most;
    c += is_neutral;
  }
  report->stable_unknown = w->sparse && w->may_be_more && !stiffer && count > 0;
  size_t used = 0, size = sizeof report->neutral;
  for (int c = 0; c < count && used + 1 < size; c++) {
    hn_text(report->neutral + used, size - used, "%s%s %s", c ? ", " : "",
            w->a.model->bodies[1 + w->order[c] / 6].name, axis_names[w->order[c] % 6]);
    report->unheld += grounded || !is_level(w, w->order[c]);
    used += strlen(report->neutral + used);
  }
  warn_of_far_body(w, reached, &report->warning);
}
