// The least change of a joint with which the loop passes through positions along its motion. At
// each of them, with rows c over motions x of the bodies and changes d of the joint,
//
//   J x + D d = -c,   u . x = 0,    y'J + z u' = 0   =>   y'D d = -y'c
//
// Null vectors (y, z) of all positions give d; then x follows. Repeated, each time for the shortest
// change in all: parts that the aligned loop does not need return to 0.
#include <string.h>

#include "analysis/alignment_loop.h"
#include "linalg/rank.h"

#define DIFFERENCE 1e-6 // rad, or sizes
#define DONE 1e-11      // of a change
#define ROUNDING 1e-12  // of violations
enum { ITERATIONS = 12, TRIALS = 3 };
#define HOPELESS 0.5 // of the violation after TRIALS

typedef struct fit {
  hn_joint_loop *loop;
  hn_joint_change *change;
  int height, excess; // rows with the direction; null vectors at a position
  double *value, *d;  // (height), (height * HN_LOOP_CHANGES)
  double *null;       // (height * height)
  double *all, *right, *x, *work;
  int *order;
} fit;

static hn_frame *frames_at(const fit *f, int p) {
  return &f->loop->at[(size_t)p * (size_t)f->loop->bodies];
}

// J with the direction below, values, and differences by the change.
static void evaluate(fit *f, int p) {
  const hn_frame *frames = frames_at(f, p);
  const int m = f->loop->m;
  hn_mobility_loop_evaluate(f->loop, frames, f->change, f->value, f->loop->a, f->height);
  f->value[m] = 0;
  for (int i = 0; i < f->loop->n; i++)
    f->loop->a[(size_t)i * (size_t)f->height + (size_t)m] =
        f->loop->tangent[(size_t)p * (size_t)f->loop->n + (size_t)i];
  for (int k = 0; k < HN_LOOP_CHANGES; k++) {
    double *column = &f->d[(size_t)k * (size_t)f->height];
    hn_joint_change moved = *f->change;
    moved.x[k] += DIFFERENCE;
    hn_mobility_loop_evaluate(f->loop, frames, &moved, column, NULL, 0);
    moved.x[k] -= 2 * DIFFERENCE;
    hn_mobility_loop_evaluate(f->loop, frames, &moved, f->work, NULL, 0);
    for (int i = 0; i < m; i++) column[i] = (column[i] - f->work[i]) / (2 * DIFFERENCE);
    column[m] = 0;
  }
}

// An orthonormal basis of the null vectors; their number.
static int find_null(fit *f) {
  const int n = f->loop->n, height = f->height;
  for (int k = 0; k < height; k++)
    for (int i = 0; i < n; i++)
      f->all[(size_t)k * (size_t)n + (size_t)i] =
          f->loop->a[(size_t)i * (size_t)height + (size_t)k];
  const int rank = hn_rank_qr(f->all, n, height, HN_RANK_ROUNDING, NULL, f->order, f->work);
  hn_rank_null_space(f->all, n, height, rank, f->order, f->null);
  hn_orthonormalize(f->null, height, height - rank);
  return height - rank;
}

static double dot(const double *x, const double *y, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

// Equations of all positions for the change; their number. violation: what the bodies cannot
// remove.
static int gather(fit *f, double *system, double *violation) {
  int rows = 0, most = HN_LOOP_POSITIONS * f->height;
  double sum = 0;
  for (int p = 0; p < f->loop->positions; p++) {
    evaluate(f, p);
    const int count = find_null(f);
    for (int l = 0; l < count; l++, rows++) {
      const double *y = &f->null[(size_t)l * (size_t)f->height];
      for (int k = 0; k < HN_LOOP_CHANGES; k++)
        system[(size_t)k * (size_t)most + (size_t)rows] =
            dot(y, &f->d[(size_t)k * (size_t)f->height], f->height);
      const double value = dot(y, f->value, f->height);
      f->right[rows] = -value;
      for (int k = 0; k < HN_LOOP_CHANGES; k++)
        f->right[rows] += f->change->x[k] * system[(size_t)k * (size_t)most + (size_t)rows];
      sum += value * value;
    }
  }
  for (int k = 1; k < HN_LOOP_CHANGES; k++)
    memmove(&system[(size_t)k * (size_t)rows], &system[(size_t)k * (size_t)most],
            (size_t)rows * sizeof(double));
  *violation = sqrt(sum);
  return rows;
}

// Bodies follow a change of the joint.
static void follow_change(fit *f, const double *change) {
  for (int p = 0; p < f->loop->positions; p++) {
    evaluate(f, p);
    for (int i = 0; i < f->height; i++) {
      f->loop->b[i] = f->value[i];
      for (int k = 0; k < HN_LOOP_CHANGES; k++)
        f->loop->b[i] += f->d[(size_t)k * (size_t)f->height + (size_t)i] * change[k];
    }
    hn_least_norm(f->loop->a, f->height, f->loop->n, HN_RANK_ROUNDING, f->loop->b, f->loop->x,
                  f->loop->order, f->loop->work, NULL);
    hn_mobility_loop_move(f->loop, f->loop->x, -1, frames_at(f, p));
  }
}

static hn_status create(hn_arena *arena, hn_joint_loop *loop, hn_joint_change *change, fit *f) {
  const int height = loop->m + 1, most = HN_LOOP_POSITIONS * height;
  *f = (fit){.loop = loop, .change = change, .height = height};
  f->value = HN_TAKE(arena, double, height);
  f->d = HN_TAKE(arena, double, HN_LOOP_CHANGES *height);
  f->null = HN_TAKE(arena, double, height *height);
  f->all = HN_TAKE(arena, double, height *height);
  f->right = HN_TAKE(arena, double, most);
  f->x = HN_TAKE(arena, double, HN_LOOP_CHANGES);
  f->work = HN_TAKE(arena, double, 4 * most);
  f->order = HN_TAKE(arena, int, most);
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

static double violation_without(fit *f, double *system) {
  const hn_joint_change guess = *f->change;
  double violation;
  memset(f->change->x, 0, sizeof f->change->x);
  gather(f, system, &violation);
  *f->change = guess;
  return violation;
}

hn_status hn_mobility_loop_fit(hn_arena *arena, hn_joint_loop *loop, hn_joint_change *change,
                               double *left) {
  fit f;
  hn_status status = create(arena, loop, change, &f);
  double *system = HN_TAKE(arena, double, HN_LOOP_CHANGES *HN_LOOP_POSITIONS *(loop->m + 1));
  double violation = 0;
  *left = HUGE_VAL;
  if (status != HN_OK || arena->failed) return HN_ERROR_MEMORY;
  const double before = violation_without(&f, system);
  if (!(before > ROUNDING)) return HN_OK;
  for (int k = 0; k < ITERATIONS; k++) {
    const int rows = gather(&f, system, &violation);
    const int rank = hn_least_norm(system, rows, HN_LOOP_CHANGES, HN_RANK_DEPENDENT, f.right, f.x,
                                   f.order, f.work, NULL);
    if (rows < rank + 2 || !(violation < 10 * before)) return HN_OK;
    if (k >= TRIALS && violation > HOPELESS * before) return HN_OK;
    if (k == ITERATIONS - 1) break;
    for (int i = 0; i < HN_LOOP_CHANGES; i++) f.x[i] -= change->x[i];
    follow_change(&f, f.x);
    for (int i = 0; i < HN_LOOP_CHANGES; i++) change->x[i] += f.x[i];
    if (hn_largest(f.x, HN_LOOP_CHANGES) < DONE) break;
  }
  *left = violation / before;
  return HN_OK;
}
