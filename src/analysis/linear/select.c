// Selects independent constraints, and the quantities that describe the remaining degrees of freedom.
//
// Rows: QR with pivoting of Phi_q', rows of unit length. Quantities: their gradients on the null space
// of the rows, as unit vectors; one is taken if it is sufficiently independent of those taken
// before. Coordinates of joints come first, in the order of the model, then positions and rotations
// of bodies. Directions that move no mass (the spin of a point mass) are fixed: they are not
// degrees of freedom of the motion.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/linear/point.h"
#include "base/error.h"
#include "linalg/rank.h"

#define MASSLESS 1e-12 // of a direction, against its own parts
#define SEEN 1e-9      // part of a gradient that lies in the null space

typedef struct selection {
  hn_arena arena; // scratch
  hn_linear_point *p;
  int n, freedoms;  // of the rows alone
  double *null;     // N (n x degrees of freedom)
  int *free_column; // of q that are 1 in a column of N (degrees of freedom)
  int count;        // candidates
  hn_quantity_of *candidate;
  double *rest; // their residuals (degrees of freedom per candidate)
  unsigned char *is_taken;
  int taken;
} selection;

// ---- rows ---------------------------------------------------------------------------------------

static int ascending(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static void choose_rows(selection *s, double tolerance) {
  hn_linear_point *p = s->p;
  const hn_sparse *phi = &p->tangent->phi_q;
  const int rows = p->tangent->rows, n = s->n;
  double *a = HN_TAKE(&s->arena, double, (size_t)n *(size_t)rows + 1);
  double *work = HN_TAKE(&s->arena, double, 3 * rows + n + 1);
  int *order = HN_TAKE(&s->arena, int, rows + 1);
  if (s->arena.failed) return;
  for (int r = 0; r < rows; r++) {
    double square = 0;
    if (p->is_undriven && r >= p->elements->driver_row[0] && r < p->elements->row_count) continue;
    for (int k = phi->start[r]; k < phi->start[r + 1]; k++) square += phi->value[k] * phi->value[k];
    for (int k = phi->start[r]; square > 0 && k < phi->start[r + 1]; k++)
      a[(size_t)r * (size_t)n + (size_t)phi->index[k]] = phi->value[k] / sqrt(square);
  }
  p->row_count = hn_rank_qr(a, n, rows, tolerance, NULL, order, work);
  memcpy(p->row, order, (size_t)p->row_count * sizeof(int));
  qsort(p->row, (size_t)p->row_count, sizeof(int), ascending);
}

static void find_null_space(selection *s) {
  hn_linear_point *p = s->p;
  const hn_sparse *phi = &p->tangent->phi_q;
  const int m = p->row_count, n = s->n;
  double *a = HN_TAKE(&s->arena, double, (size_t)n *(size_t)m + 1);
  double *work = HN_TAKE(&s->arena, double, 3 * n + m + 1);
  int *order = HN_TAKE(&s->arena, int, n + 1);
  if (s->arena.failed) return;
  for (int r = 0; r < m; r++)
    for (int k = phi->start[p->row[r]]; k < phi->start[p->row[r] + 1]; k++)
      a[(size_t)phi->index[k] * (size_t)m + (size_t)r] = phi->value[k];
  const int rank = hn_rank_qr(a, m, n, 0, NULL, order, work);
  p->row_count = rank; // m: all of them are independent
  s->freedoms = n - rank;
  s->null = HN_TAKE(&s->arena, double, (size_t)n *(size_t)s->freedoms + 1);
  s->free_column = HN_TAKE(&s->arena, int, s->freedoms + 1);
  if (s->arena.failed) return;
  hn_rank_null_space(a, m, n, rank, order, s->null);
  memcpy(s->free_column, order + rank, (size_t)s->freedoms * sizeof(int));
}

// ---- massless directions ------------------------------------------------------------------------

static int has_light_body(const hn_model *model) {
  for (int b = 1; b < model->body_count; b++)
    if (hn_body_is_light(&model->bodies[b]) || !(model->bodies[b].mass > 0)) return 1;
  return 0;
}

// N' M N scaled to a unit diagonal where there is mass; writes the divisors into scale (degrees of
// freedom).
static void scaled_mass(selection *s, double *mass, double *y, double *scale) {
  const int n = s->n, f = s->freedoms;
  for (int k = 0; k < f; k++) {
    memset(y, 0, (size_t)n * sizeof(double));
    hn_sparse_add_product(&s->p->tangent->mass, 1, &s->null[(size_t)k * (size_t)n], y);
    for (int j = 0; j < f; j++) {
      double sum = 0;
      for (int i = 0; i < n; i++) sum += s->null[(size_t)j * (size_t)n + (size_t)i] * y[i];
      mass[(size_t)k * (size_t)f + (size_t)j] = sum;
    }
  }
  for (int k = 0; k < f; k++) {
    const double d = mass[(size_t)k * (size_t)f + (size_t)k];
    scale[k] = d > 0 ? sqrt(d) : 1;
  }
  for (int k = 0; k < f; k++)
    for (int j = 0; j < f; j++) mass[(size_t)k * (size_t)f + (size_t)j] /= scale[k] * scale[j];
}

static void hold_massless(selection *s) {
  hn_linear_point *p = s->p;
  const int n = s->n, f = s->freedoms;
  p->held_count = 0;
  if (f == 0 || !has_light_body(p->elements->model)) return;
  double *mass = HN_TAKE(&s->arena, double, (size_t)f *(size_t)f),
         *y = HN_TAKE(&s->arena, double, n), *scale = HN_TAKE(&s->arena, double, f),
         *values = HN_TAKE(&s->arena, double, f), *work = HN_TAKE(&s->arena, double, f);
  if (s->arena.failed) return;
  scaled_mass(s, mass, y, scale);
  if (hn_eigen_symmetric(mass, f, values, work)) return;
  while (p->held_count < f && values[p->held_count] < MASSLESS) p->held_count++;
  p->held = HN_TAKE(p->arena, double, (size_t)p->held_count *(size_t)n + 1);
  if (p->arena->failed) return;
  for (int k = 0; k < p->held_count; k++)
    for (int j = 0; j < f; j++)
      p->held[(size_t)k * (size_t)n + (size_t)s->free_column[j]] =
          mass[(size_t)k * (size_t)f + (size_t)j] * scale[j];
}

// ---- quantities ---------------------------------------------------------------------------------

// Marks the bodies that a driver carries, a rotor with all that is joined to it: their motion does
// not describe the model's, and they need not rest in an equilibrium. Not in closed loops.
static void mark_carried(const hn_model *model, int driven, unsigned char *carried) {
  const int carrier = model->joints[driven].frame1.body;
  memset(carried, 0, (size_t)model->body_count);
  if (model->joints[driven].frame2.body == HN_GROUND) return;
  carried[model->joints[driven].frame2.body] = 1;
  for (int any = 1; any;) {
    any = 0;
    for (int j = 0; j < model->joint_count; j++) {
      const int a = model->joints[j].frame1.body, b = model->joints[j].frame2.body;
      if (j == driven || carried[a] == carried[b]) continue;
      if (a == HN_GROUND || b == HN_GROUND || a == carrier || b == carrier) {
        memset(carried, 0, (size_t)model->body_count);
        return;
      }
      carried[a] = carried[b] = 1;
      any = 1;
    }
  }
}

static void list_bodies(selection *s, const unsigned char *is_carried, int which) {
  for (int b = 1; b < s->p->elements->model->body_count; b++)
    for (int k = 0; k < 6 && is_carried[b] == which; k++)
      s->candidate[s->count++] =
          (hn_quantity_of){k < 3 ? HN_QUANTITY_ROTATION : HN_QUANTITY_POSITION, b, k % 3};
}

static void list_candidates(selection *s) {
  const hn_model *model = s->p->elements->model;
  unsigned char *carried = HN_TAKE(&s->arena, unsigned char, 2 * model->body_count),
                *one = carried ? carried + model->body_count : NULL;
  const int most = model->joint_count * HN_COORDINATES + 6 * model->body_count;
  s->candidate = HN_TAKE(&s->arena, hn_quantity_of, most);
  if (s->arena.failed) return;
  for (int d = 0; d < model->driver_count; d++) {
    if (model->drivers[d].kind != HN_DRIVER_JOINT) continue;
    mark_carried(model, model->drivers[d].joint, one);
    for (int b = 1; b < model->body_count; b++) carried[b] |= one[b];
  }
  for (int j = 0; j < model->joint_count; j++)
    for (int c = 0; c < HN_COORDINATES; c++)
      if (s->p->elements->coordinate[j * HN_COORDINATES + c] >= 0)
        s->candidate[s->count++] = (hn_quantity_of){HN_QUANTITY_JOINT, j, c};
  list_bodies(s, carried, 0);
  list_bodies(s, carried, 1);
  s->rest = HN_TAKE(&s->arena, double, (size_t)s->count *(size_t)s->freedoms + 1);
  s->is_taken = HN_TAKE(&s->arena, unsigned char, s->count + 1);
}

// On the null space, of unit length; zero where the quantity does not move.
static void project(selection *s, int c) {
  hn_gradient g;
  const int f = s->freedoms;
  double *rest = &s->rest[(size_t)c * (size_t)f], whole = 0, square = 0;
  hn_linear_gradient(s->p, s->candidate[c], NULL, &g);
  for (int i = 0; i < HN_LOCAL; i++) whole += g.s[i] * g.s[i];
  for (int k = 0; k < f; k++) {
    double sum = 0;
    for (int i = 0; i < HN_LOCAL; i++)
      if (g.body[i / 7] != HN_GROUND)
        sum +=
            g.s[i] * s->null[(size_t)k * (size_t)s->n + (size_t)(7 * (g.body[i / 7] - 1) + i % 7)];
    rest[k] = sum;
    square += sum * sum;
  }
  const double factor = square > SEEN * SEEN * whole && isfinite(square) ? 1 / sqrt(square) : 0;
  for (int k = 0; k < f; k++) rest[k] = factor > 0 ? rest[k] * factor : 0;
}

static double length_of(const selection *s, int c) {
  const double *rest = &s->rest[(size_t)c * (size_t)s->freedoms];
  double square = 0;
  for (int k = 0; k < s->freedoms; k++) square += rest[k] * rest[k];
  return sqrt(square);
}

// Takes a direction out of all candidates: b is a copy, of unit length.
static void take_out(selection *s, const double *b) {
  const int f = s->freedoms;
  for (int c = 0; c < s->count; c++) {
    double *rest = &s->rest[(size_t)c * (size_t)f], inner = 0;
    if (s->is_taken[c]) continue;
    for (int k = 0; k < f; k++) inner += b[k] * rest[k];
    for (int k = 0; k < f; k++) rest[k] -= inner * b[k];
  }
}

static void take(selection *s, int c, double *b) {
  const double length = length_of(s, c);
  const double *rest = &s->rest[(size_t)c * (size_t)s->freedoms];
  for (int k = 0; k < s->freedoms; k++) b[k] = rest[k] / length;
  s->is_taken[c] = 1;
  s->p->quantity[s->taken++] = s->candidate[c];
  take_out(s, b);
  take_out(s, b); // once more: rounding
}

// Candidates from ... to - 1 in their order, as far as so much of them is left; then the best of them
// as far as `least`.
static void take_from(selection *s, int from, int to, double enough, double least, double *b) {
  const int wanted = s->freedoms - s->p->held_count;
  for (int c = from; c < to && s->taken < wanted; c++)
    if (!s->is_taken[c] && length_of(s, c) >= enough) take(s, c, b);
  while (s->taken < wanted) {
    int best = -1;
    double most = least;
    for (int c = from; c < to; c++) {
      const double length = s->is_taken[c] ? 0 : length_of(s, c);
      if (length < most || !(length > 0)) continue;
      most = length;
      best = c;
    }
    if (best < 0) return;
    take(s, best, b);
  }
}

static void take_out_held(selection *s, double *b) {
  const int f = s->freedoms, n = s->n;
  double *done = HN_TAKE(&s->arena, double, (size_t)f *(size_t)s->p->held_count + 1);
  if (s->arena.failed) return;
  for (int h = 0; h < s->p->held_count; h++) {
    double square = 0;
    for (int k = 0; k < f; k++) {
      b[k] = 0;
      for (int i = 0; i < n; i++)
        b[k] += s->p->held[(size_t)h * (size_t)n + (size_t)i] *
                s->null[(size_t)k * (size_t)n + (size_t)i];
    }
    for (int o = 0; o < h; o++) {
      double inner = 0;
      for (int k = 0; k < f; k++) inner += b[k] * done[(size_t)o * (size_t)f + (size_t)k];
      for (int k = 0; k < f; k++) b[k] -= inner * done[(size_t)o * (size_t)f + (size_t)k];
    }
    for (int k = 0; k < f; k++) square += b[k] * b[k];
    for (int k = 0; k < f; k++)
      done[(size_t)h * (size_t)f + (size_t)k] = b[k] /= square > 0 ? sqrt(square) : 1;
    take_out(s, b);
  }
}

static int in_order(const void *a, const void *b) {
  const hn_quantity_of *x = a, *y = b;
  const int x_is_body = x->kind != HN_QUANTITY_JOINT, y_is_body = y->kind != HN_QUANTITY_JOINT;
  if (x_is_body != y_is_body) return x_is_body - y_is_body;
  if (x->element != y->element) return x->element - y->element;
  if (x->kind != y->kind) return (int)x->kind - (int)y->kind;
  return x->part - y->part;
}

static hn_status choose_quantities(selection *s, hn_error *error) {
  hn_linear_point *p = s->p;
  const int wanted = s->freedoms - p->held_count;
  hn_orthonormalize(s->null, s->n, s->freedoms);
  list_candidates(s);
  double *b = HN_TAKE(&s->arena, double, s->freedoms + 1);
  p->quantity = HN_TAKE(p->arena, hn_quantity_of, wanted + 1);
  p->p = HN_TAKE(p->arena, double, (size_t)s->n *(size_t)wanted + 1);
  if (s->arena.failed || p->arena->failed) return HN_ERROR_MEMORY;
  for (int c = 0; c < s->count; c++) project(s, c);
  take_out_held(s, b);
  int joints = 0;
  while (joints < s->count && s->candidate[joints].kind == HN_QUANTITY_JOINT) joints++;
  take_from(s, 0, joints, 0.3, 1e-3, b);
  take_from(s, joints, s->count, 0.3, 1e-3, b);
  take_from(s, 0, s->count, 2, 1e-7, b);
  p->freedoms = p->rates = s->taken;
  if (s->taken < wanted)
    return hn_fail(error, HN_ERROR_SINGULAR, NULL, NULL,
                   "run `holon check` to see the degrees of freedom; choose another state with @at",
                   "%d of %d degrees of freedom cannot be assigned to a coordinate at this state",
                   wanted - s->taken, wanted);
  qsort(p->quantity, (size_t)s->taken, sizeof *p->quantity, in_order);
  return HN_OK;
}

hn_status hn_linear_select(hn_linear_point *p, double tolerance, hn_error *error) {
  selection s = {.p = p, .n = p->n};
  hn_arena_init(&s.arena, p->simulation->options.allocator);
  hn_status status = HN_OK;
  choose_rows(&s, tolerance);
  if (!s.arena.failed) find_null_space(&s);
  if (!s.arena.failed) hold_massless(&s);
  if (!s.arena.failed) status = choose_quantities(&s, error);
  if (s.arena.failed || p->arena->failed)
    status = hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  hn_arena_release(&s.arena);
  return status;
}

hn_status hn_linear_choose(hn_linear_point *p, const double *directions, int freedoms,
                           hn_error *error) {
  selection s = {.p = p, .n = p->n, .freedoms = freedoms};
  const size_t size = (size_t)p->n * (size_t)freedoms;
  hn_status status = HN_OK;
  hn_arena_init(&s.arena, p->simulation->options.allocator);
  s.null = HN_TAKE(&s.arena, double, size + 1);
  if (!s.arena.failed) {
    memcpy(s.null, directions, size * sizeof(double));
    status = choose_quantities(&s, error);
  }
  if (s.arena.failed) status = HN_ERROR_MEMORY;
  hn_arena_release(&s.arena);
  return status;
}

hn_status hn_linear_factor(hn_linear_point *p) {
  if (p->lu) return hn_linear_factor_sparse(p);
  const hn_sparse *phi = &p->tangent->phi_q;
  const size_t n = (size_t)p->n;
  memset(p->e, 0, n * n * sizeof(double));
  for (int r = 0; r < p->row_count; r++)
    for (int k = phi->start[p->row[r]]; k < phi->start[p->row[r] + 1]; k++)
      p->e[(size_t)phi->index[k] * n + (size_t)r] = phi->value[k];
  for (int h = 0; h < p->held_count; h++)
    for (size_t i = 0; i < n; i++)
      p->e[i * n + (size_t)(p->row_count + h)] = p->held[(size_t)h * n + i];
  for (int k = 0; k < p->freedoms; k++) {
    hn_gradient g;
    hn_linear_gradient(p, p->quantity[k], NULL, &g);
    for (int i = 0; i < HN_LOCAL; i++)
      if (g.body[i / 7] != HN_GROUND)
        p->e[(size_t)(7 * (g.body[i / 7] - 1) + i % 7) * n +
             (size_t)(p->row_count + p->held_count + k)] += g.s[i];
  }
  return p->n == 0 || hn_dense_lu(p->e, p->n, p->pivots) == 0 ? HN_OK : HN_ERROR_SINGULAR;
}
