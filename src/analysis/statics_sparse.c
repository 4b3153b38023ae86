// Equilibrium of models too large for a dense basis of their free directions: the same iteration,
// with each step from one sparse system,
//
//   [ K + damping W + C + rho J' D J   J' ] [ step ]   [ F ]
//   [ J                                0  ] [  .   ] = [ 0 ]
//
// W    the metric of steps: 1 for translations, the squared span of the model for rotations
// K    with the multipliers that leave the smallest residual in W: nearly all forces on the bodies
//      are then balanced and torques stay, so that each link of a chain carries the weight below it
// C    caution, the unbalanced force at a body over the longest step: no body goes farther where K
//      is small, each on its own account, and C vanishes with the forces
// D    makes rows of J unit in W and as stiff as their surroundings. J step = 0, so the term changes
//      no solution; it makes the first block definite where K is so along the free directions
//
// Where the forces do no work along the step, damping grows.
//
// Neutral directions are among the softest: these come from inverse iteration, a few together.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/statics_work.h"
#include "analysis/stiffness.h"
#include "linalg/rank.h"

#define LEAST_DAMPING 1e-12 // of the stiffness around a body
#define SOFT 1e-9           // against the stiffest: softer surroundings count as much
#define SHORT 1e-2          // steps: near the end
#define UNSTABLE 3e-5
#define RHO 1e4
#define LARGE_RHO 1e6
#define COUPLING 1e-2 // rows against what couples places with turns, over the size of the body
enum { SOFTEST = 12, SWEEPS = 3, ATTEMPTS = 9 };

struct hn_statics_sparse {
  int bodies;       // without ground
  int *block_start; // blocks of a column of blocks, the diagonal last (bodies + 1)
  int *block_body;  // body of the row of each, from 0
  int *start, *index;
  double *stiffness; // K, upper triangle by columns
  double *rows;      // J' D J on the same pattern
  double *matrix;    // what is factored
  double *lambda;    // multipliers that K is made with (m)
  double *caution;   // per speed: keeps steps short where forces are far from balanced (n)
  double *bracing;   // no less than what forces take from the stiffness of a body (n)
  double *local;     // largest stiffness, caution and coupling at a body (bodies)
  double stiffest;   // of these
  int is_missing;    // a block came that the pattern does not have
  hn_saddle *saddle;
};

// ---- pattern ------------------------------------------------------------------------------------

typedef struct pairs {
  long long *keys; // null: only counted
  size_t count;
  long long bodies;
} pairs;

static void note_pair(void *context, int row, int column, double block[6][6]) {
  pairs *p = context;
  (void)block;
  if (row > column) return;
  if (p->keys) p->keys[p->count] = (column - 1) * p->bodies + row - 1;
  p->count++;
}

static hn_status note_all(const hn_statics *w, pairs *p) {
  p->count = 0;
  for (int b = 1; b <= p->bodies; b++) note_pair(p, b, b, NULL);
  for (int r = 0; r < w->m; r++) {
    const hn_row *row = &w->a.elements->rows[r];
    for (int i = 0; i < row->body_count; i++)
      for (int j = 0; j < row->body_count; j++) note_pair(p, row->body[i], row->body[j], NULL);
  }
  return hn_stiffness_blocks(w->a.elements, w->a.t, w->a.frames, w->a.branches, w->lambda,
                             note_pair, p);
}

static int compare_keys(const void *a, const void *b) {
  long long x = *(const long long *)a, y = *(const long long *)b;
  return (x > y) - (x < y);
}

// Columns of six under each other: full blocks above, then the upper triangle of the diagonal.
static void fill_pattern(hn_statics_sparse *s) {
  int at = 0;
  for (int j = 0; j < 6 * s->bodies; j++) {
    int b = j / 6;
    s->start[j] = at;
    for (int k = s->block_start[b]; k < s->block_start[b + 1]; k++)
      for (int l = 0; l < 6 && 6 * s->block_body[k] + l <= j; l++)
        s->index[at++] = 6 * s->block_body[k] + l;
  }
  s->start[6 * s->bodies] = at;
}

static hn_status make_pattern(hn_statics *w, hn_statics_sparse *s) {
  pairs p = {.bodies = s->bodies};
  hn_status status = note_all(w, &p);
  if (status != HN_OK) return status;
  p.keys = hn_arena_take(&w->arena, p.count, sizeof *p.keys);
  if (!p.keys) return HN_ERROR_MEMORY;
  status = note_all(w, &p);
  if (status != HN_OK) return status;
  qsort(p.keys, p.count, sizeof *p.keys, compare_keys);
  size_t unique = 0;
  for (size_t k = 0; k < p.count; k++)
    if (k == 0 || p.keys[k] != p.keys[unique - 1]) p.keys[unique++] = p.keys[k];
  s->block_start = HN_TAKE(&w->arena, int, s->bodies + 1);
  s->block_body = HN_TAKE(&w->arena, int, unique);
  s->start = HN_TAKE(&w->arena, int, w->n + 1);
  s->index = HN_TAKE(&w->arena, int, 36 * unique);
  double **values[] = {&s->stiffness, &s->rows, &s->matrix};
  for (int k = 0; k < 3; k++) *values[k] = HN_TAKE(&w->arena, double, 36 * unique);
  if (w->arena.failed) return HN_ERROR_MEMORY;
  for (size_t k = 0; k < unique; k++) {
    s->block_body[k] = (int)(p.keys[k] % p.bodies);
    s->block_start[p.keys[k] / p.bodies + 1] = (int)k + 1;
  }
  fill_pattern(s);
  return HN_OK;
}

hn_status hn_statics_sparse_create(hn_statics *w) {
  hn_statics_sparse *s = HN_TAKE(&w->arena, hn_statics_sparse, 1);
  if (!s) return HN_ERROR_MEMORY;
  s->bodies = w->n / 6;
  s->lambda = HN_TAKE(&w->arena, double, w->m);
  s->caution = HN_TAKE(&w->arena, double, w->n);
  s->bracing = HN_TAKE(&w->arena, double, w->n);
  s->local = HN_TAKE(&w->arena, double, s->bodies);
  if (w->arena.failed) return HN_ERROR_MEMORY;
  hn_status status = make_pattern(w, s);
  if (status != HN_OK) return status;
  hn_saddle_pattern pattern = {.n = w->n,
                               .m = w->m,
                               .m_column_start = s->start,
                               .m_row_index = s->index,
                               .j_row_start = w->rows.row_start,
                               .j_column_index = w->rows.column_index,
                               .rows_wait = 1};
  status = hn_saddle_create(&w->arena, &pattern, &s->saddle);
  if (status == HN_OK) hn_saddle_trust_mass(s->saddle);
  w->sparse = s;
  return status;
}

// ---- numbers ------------------------------------------------------------------------------------

// The index in its column at which a block of column c starts; -1: no such block.
static int find_block(const hn_statics_sparse *s, int row, int column) {
  for (int k = s->block_start[column]; k < s->block_start[column + 1]; k++)
    if (s->block_body[k] == row) return 6 * (k - s->block_start[column]);
  return -1;
}

// The symmetric part: work counts no other.
static void add_stiffness(void *context, int row, int column, double block[6][6]) {
  hn_statics_sparse *s = context;
  int low = row < column ? row - 1 : column - 1, high = row < column ? column - 1 : row - 1;
  int at = find_block(s, low, high);
  if (at < 0) {
    s->is_missing = 1;
    return;
  }
  for (int c = 0; c < 6; c++) {
    double *to = &s->stiffness[s->start[6 * high + c] + at];
    for (int l = 0; l < (row == column ? c + 1 : 6); l++)
      to[l] += row == column  ? 0.5 * (block[l][c] + block[c][l])
               : row < column ? 0.5 * block[l][c]
                              : 0.5 * block[c][l];
  }
}

static void add_row(const hn_statics *w, hn_statics_sparse *s, int r) {
  const hn_assembly_rows *rows = &w->rows;
  int begin = rows->row_start[r], end = rows->row_start[r + 1];
  double norm = 0;
  for (int k = begin; k < end; k++) {
    double entry = rows->j_values[k] * w->step_scale[rows->column_index[k]];
    norm += entry * entry;
  }
  if (!(norm > 0)) return;
  double stiff = SOFT * s->stiffest;
  for (int k = begin; k < end; k += 6) stiff = fmax(stiff, s->local[rows->column_index[k] / 6]);
  norm /= stiff;
  for (int kb = begin; kb < end; kb += 6)
    for (int ka = begin; ka < end; ka += 6) {
      int a = rows->column_index[ka] / 6, b = rows->column_index[kb] / 6;
      if (a > b) continue;
      int at = find_block(s, a, b);
      for (int c = 0; c < 6; c++) {
        double *to = &s->rows[s->start[6 * b + c] + at];
        for (int l = 0; l < (a == b ? c + 1 : 6); l++)
          to[l] += rows->j_values[ka + l] * rows->j_values[kb + c] / norm;
      }
    }
}

// motion: W^-1 times what is unbalanced.
static void find_caution(hn_statics *w, const double *motion) {
  hn_statics_sparse *s = w->sparse;
  for (int i = 0; i < w->n; i += 3) {
    double force = vec3_norm(vec3_load(&motion[i])) / (w->step_scale[i] * w->step_scale[i]);
    double each = force / (HN_LARGEST_STEP * (i % 6 ? 1 : w->span));
    for (int k = 0; k < 3; k++) s->caution[i + k] = each;
  }
}

// The largest negative stiffness of a body against moves, as a bound by rows.
static double find_pressure(const hn_statics_sparse *s, int first) {
  double most = 0, k[3][3];
  for (int j = 0; j < 3; j++)
    for (int i = 0; i <= j; i++)
      k[i][j] = k[j][i] = s->stiffness[s->start[first + j + 1] - 1 - (j - i)];
  for (int i = 0; i < 3; i++)
    most = fmax(most, fabs(k[i][(i + 1) % 3]) + fabs(k[i][(i + 2) % 3]) - k[i][i]);
  return most;
}

// A force f at arm a takes at most |f| |a| from the stiffness against turns.
// Neighbors that a pressed spring pushes apart lose twice what each of them does.
static void find_bracing(hn_statics *w) {
  hn_statics_sparse *s = w->sparse;
  const hn_assembly_rows *rows = &w->rows;
  memset(s->bracing, 0, (size_t)w->n * sizeof(double));
  for (int i = 0; i < w->n; i += 6) {
    double most = 2 * find_pressure(s, i);
    for (int k = 0; k < 3; k++) s->bracing[i + k] = most;
  }
  for (int r = 0; r < w->m; r++)
    for (int k = rows->row_start[r]; k < rows->row_start[r + 1]; k += 6) {
      int body = rows->column_index[k] / 6;
      double force = vec3_norm(vec3_load(&rows->j_values[k])) * w->a.body_size[1 + body];
      double torque = vec3_norm(vec3_load(&rows->j_values[k + 3]));
      for (int j = 3; j < 6; j++)
        s->bracing[6 * body + j] += fabs(s->lambda[r]) * fmax(force, torque);
    }
}

// The stiffest of all, and of each body: stiffness, caution, and coupling of places with turns. This
// one is of the size of multipliers over that of the body, whatever the span.
static void find_surroundings(hn_statics *w) {
  hn_statics_sparse *s = w->sparse;
  const double *scale = w->step_scale;
  memset(s->local, 0, (size_t)s->bodies * sizeof(double));
  w->stiffest = w->largest > 0 ? 1e-9 * w->largest / w->a.size : 1e-9;
  for (int j = 0; j < w->n; j++) {
    double most = s->caution[j] * scale[j] * scale[j];
    for (int k = s->start[j]; k < s->start[j + 1]; k++) {
      int i = s->index[k];
      double metric = scale[i] * scale[j];
      if (i % 6 < 3 || j % 6 < 3) metric = fmax(metric, COUPLING * w->scale[i] * w->scale[j]);
      double each = fabs(s->stiffness[k]) * metric;
      most = fmax(most, each);
      s->local[i / 6] = fmax(s->local[i / 6], each);
      if (i == j) w->stiffest = fmax(w->stiffest, each);
    }
    s->local[j / 6] = fmax(s->local[j / 6], most);
  }
  s->stiffest = w->stiffest;
  for (int b = 0; b < s->bodies; b++) s->stiffest = fmax(s->stiffest, s->local[b]);
}

hn_status hn_statics_sparse_look(hn_statics *w) {
  hn_statics_sparse *s = w->sparse;
  size_t bytes = (size_t)s->start[w->n] * sizeof(double);
  memset(s->stiffness, 0, bytes);
  memset(s->rows, 0, bytes);
  hn_status status = hn_statics_balance(w, w->step_scale, s->lambda);
  if (status == HN_OK)
    status = hn_stiffness_blocks(w->a.elements, w->a.t, w->a.frames, w->a.branches, s->lambda,
                                 add_stiffness, s);
  if (status != HN_OK) return status;
  if (s->is_missing) return HN_ERROR_UNSUPPORTED;
  find_caution(w, w->rows.x);
  find_bracing(w);
  find_surroundings(w);
  for (int r = 0; r < w->m; r++) add_row(w, s, r);
  return HN_OK;
}

static void factor(hn_statics *w, double damping, double rho, int is_step, int is_braced) {
  hn_statics_sparse *s = w->sparse;
  for (int k = 0; k < s->start[w->n]; k++) s->matrix[k] = s->stiffness[k] + rho * s->rows[k];
  for (int i = 0; i < w->n; i++) {
    double least = LEAST_DAMPING * fmax(s->local[i / 6], SOFT * s->stiffest);
    s->matrix[s->start[i + 1] - 1] += (damping + least) / (w->step_scale[i] * w->step_scale[i]) +
                                      (is_step ? s->caution[i] : 0) +
                                      (is_braced ? s->bracing[i] : 0);
  }
  hn_saddle_factor(s->saddle, s->matrix, w->rows.j_values);
}

// x = the motion along which forces b are balanced; 1 when it solves the system.
static int solve(hn_statics *w, const double *b, double *x) {
  hn_saddle_report report = {.refinements = 0};
  memset(w->rows.c, 0, (size_t)w->m * sizeof(double));
  return hn_saddle_solve(w->sparse->saddle, b, w->rows.c, x, w->rows.y, &report) == HN_OK &&
         report.residual_x < 1e-6;
}

// ---- steps --------------------------------------------------------------------------------------

// Forces do work along it.
static int is_descent(const hn_statics *w) {
  double work = 0;
  for (int i = 0; i < w->n; i++) work += w->forces[i] * w->step[i];
  return work > 0;
}

// Without more damping than wanted where that gives a direction in which forces do work.
void hn_statics_sparse_step(hn_statics *w, double damping) {
  const hn_statics_sparse *s = w->sparse;
  for (int k = 0; k < ATTEMPTS; k++) {
    factor(w, damping, RHO, 1, k > 0);
    int is_definite = hn_saddle_replaced(s->saddle) == 0;
    if (solve(w, w->forces, w->step) && is_descent(w) &&
        (k > 0 || is_definite || hn_statics_reach(w, w->step) < SHORT))
      break;
    if (k > 0) damping = fmax(100 * damping, 1e-12 * s->stiffest);
  }
}

// ---- the softest directions ---------------------------------------------------------------------

// Orthonormal in scaled motions; those that depend on others are dropped. Returns how many are left.
static int orthonormalize(const hn_statics *w, double *z, int count) {
  size_t n = (size_t)w->n;
  int kept = 0;
  for (int c = 0; c < count; c++) {
    double *v = &z[(size_t)kept * n], before = 0, after = 0;
    memmove(v, &z[(size_t)c * n], n * sizeof *v);
    for (size_t i = 0; i < n; i++) before += v[i] * v[i] / (w->step_scale[i] * w->step_scale[i]);
    for (int pass = 0; pass < 2; pass++)
      for (int k = 0; k < kept; k++) {
        const double *u = &z[(size_t)k * n];
        double share = 0;
        for (size_t i = 0; i < n; i++) share += u[i] * v[i] / (w->step_scale[i] * w->step_scale[i]);
        for (size_t i = 0; i < n; i++) v[i] -= share * u[i];
      }
    for (size_t i = 0; i < n; i++) after += v[i] * v[i] / (w->step_scale[i] * w->step_scale[i]);
    if (!(after > 1e-16 * before) || !(after > 0)) continue;
    for (size_t i = 0; i < n; i++) v[i] /= sqrt(after);
    kept++;
  }
  return kept;
}

// Sets the initial directions, always the same, and the matrix of inverse iteration.
static hn_status begin_sweeps(hn_statics *w) {
  const size_t n = (size_t)w->n, most = SOFTEST * SWEEPS;
  if (!w->z) {
    w->z = hn_arena_take(&w->arena, n * most, sizeof(double));
    w->kz = hn_arena_take(&w->arena, n * most, sizeof(double));
    w->stiffness = HN_TAKE(&w->arena, double, most *most);
  }
  if (w->arena.failed) return HN_ERROR_MEMORY;
  unsigned state = 1;
  for (size_t i = 0; i < n * SOFTEST; i++) {
    state = state * 1664525u + 1013904223u;
    w->z[i] = ((double)(state >> 8) / 16777216.0 - 0.5) * w->step_scale[i % n];
  }
  // Without it a neutral direction outgrows the others so far that these are lost in its rounding.
  factor(w, LEAST_DAMPING * w->stiffest, RHO, 0, 0);
  return HN_OK;
}

// Directions `from` and on, count of them, to those from `to` on; 1 when all are solved.
static int sweep_once(hn_statics *w, int from, int to, int count) {
  size_t n = (size_t)w->n;
  double *b = w->unbalanced; // overwritten by the next evaluation
  int is_solved = 1;
  for (int c = 0; c < count; c++) {
    const double *v = &w->z[(size_t)(from + c) * n];
    for (size_t i = 0; i < n; i++) b[i] = v[i] / (w->step_scale[i] * w->step_scale[i]);
    is_solved = solve(w, b, &w->z[(size_t)(to + c) * n]) && is_solved;
  }
  return is_solved;
}

hn_status hn_statics_sparse_soften(hn_statics *w) {
  if (begin_sweeps(w) != HN_OK) return HN_ERROR_MEMORY;
  int count = SOFTEST, is_solved = 1;
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    is_solved = sweep_once(w, 0, 0, count) && is_solved;
    count = orthonormalize(w, w->z, count);
  }
  w->freedoms = count;
  w->may_be_more = count == SOFTEST || !is_solved; // dropped: far stiffer ones
  return HN_OK;
}

// Directions of opposite stiffness grow alike: the last iteration contains mixtures of them only,
// while those of all iterations together, in which their signs alternate, separate them.
hn_status hn_statics_sparse_gather(hn_statics *w) {
  if (begin_sweeps(w) != HN_OK) return HN_ERROR_MEMORY;
  int from = 0, kept = 0, count = SOFTEST;
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    sweep_once(w, from, kept, count);
    from = kept;
    kept = orthonormalize(w, w->z, kept + count);
    count = kept - from;
  }
  w->freedoms = kept;
  return HN_OK;
}

// The part of w->step that the joints allow: W x + J' y = W step, J x = 0.
hn_status hn_statics_sparse_project(hn_statics *w) {
  hn_assembly_rows *rows = &w->rows;
  double *b = w->unbalanced; // overwritten by the next evaluation
  for (int i = 0; i < w->n; i++) b[i] = w->step[i] / (w->step_scale[i] * w->step_scale[i]);
  memset(rows->c, 0, (size_t)w->m * sizeof(double));
  return hn_saddle_solve(rows->saddle, b, rows->c, w->step, rows->y, NULL);
}

// Pivots that are not positive show directions that are unstable by more than a small part of the
// stiffest; those that are soft too are among the softest. rho and that part are such that neither
// the coupling of free with fixed directions nor rounding matters.
int hn_statics_sparse_is_unstable(hn_statics *w) {
  factor(w, UNSTABLE * w->stiffest, LARGE_RHO, 0, 0);
  return hn_saddle_replaced(w->sparse->saddle) > 0;
}
