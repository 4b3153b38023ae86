// From the derivatives in q to A: the equations of point.h, column by column.
#include <math.h>
#include <string.h>

#include "analysis/linear/work.h"
#include "base/error.h"
#include "linalg/rank.h"

#define ROUNDING 1e-14 // of a sum against the sizes of its terms

void hn_linear_add_rates(const hn_linear_point *p, const hn_gradient *gradients, int order,
                         double scale, const double *x, double *out) {
  const hn_sparse *a = order == 1 ? &p->tangent->phi_v : &p->tangent->phi_dd;
  for (int r = 0; r < p->row_count; r++) {
    double sum = 0;
    for (int k = a->start[p->row[r]]; k < a->start[p->row[r] + 1]; k++)
      sum += a->value[k] * x[a->index[k]];
    out[r] += scale * sum;
  }
  for (int k = 0; k < p->freedoms; k++) {
    const hn_gradient *g = &gradients[k];
    const double *s = order == 1 ? g->sd : g->sdd;
    double sum = 0;
    for (int i = 0; i < HN_LOCAL; i++)
      if (g->body[i / 7] != HN_GROUND) sum += s[i] * x[7 * (g->body[i / 7] - 1) + i % 7];
    out[p->row_count + p->held_count + k] += scale * sum;
  }
}

// X = -E^-1 E' P,   Y = -E^-1 (2 E' X + E'' P)
static void make_rates(hn_linear_work *w, const hn_gradient *gradients) {
  const hn_linear_point *p = &w->point;
  const size_t n = (size_t)p->n;
  for (int k = 0; k < p->freedoms; k++) {
    const double *column = &p->p[(size_t)k * n];
    double *x = &w->x[(size_t)k * n], *y = &w->y[(size_t)k * n];
    hn_linear_add_rates(p, gradients, 1, -1, column, x);
    hn_linear_solve(p, x);
    hn_linear_add_rates(p, gradients, 1, -2, x, y);
    hn_linear_add_rates(p, gradients, 2, -1, column, y);
    hn_linear_solve(p, y);
  }
}

typedef struct blocks {
  double *mass, *damping, *stiffness; // Mhat, Chat, Khat (f x f, column-major)
  double *v, *size;                   // (n)
  int *pivots;
} blocks;

// v += scale A x, and size += |scale| |A| |x|: what v is summed from.
static void add_product(const hn_sparse *a, double scale, const double *x, blocks *b) {
  for (int i = 0; i < a->rows; i++) {
    double sum = 0, size = 0;
    for (int k = a->start[i]; k < a->start[i + 1]; k++) {
      const double term = a->value[k] * x[a->index[k]];
      sum += term;
      size += fabs(term);
    }
    b->v[i] += scale * sum;
    b->size[i] += fabs(scale) * size;
  }
}

// Writes a column of P' v into a block; values at the rounding of their terms become 0.
static void write_column(const hn_linear_point *p, blocks *b, double *column) {
  for (int j = 0; j < p->freedoms; j++) {
    const double *row = &p->p[(size_t)j * (size_t)p->n];
    double sum = 0, size = 0;
    for (int i = 0; i < p->n; i++) {
      sum += row[i] * b->v[i];
      size += fabs(row[i]) * b->size[i];
    }
    column[j] = fabs(sum) > ROUNDING * size ? sum : 0;
  }
  memset(b->v, 0, (size_t)p->n * sizeof(double));
  memset(b->size, 0, (size_t)p->n * sizeof(double));
}

static void reduce_column(const hn_linear_work *w, int k, blocks *b) {
  const hn_linear_point *p = &w->point;
  const hn_tangent *t = p->tangent;
  const size_t at = (size_t)k * (size_t)p->n, to = (size_t)k * (size_t)p->freedoms;
  add_product(&t->mass, 1, &p->p[at], b);
  write_column(p, b, &b->mass[to]);
  add_product(&t->mass, 2, &w->x[at], b);
  add_product(&t->damping, 1, &p->p[at], b);
  write_column(p, b, &b->damping[to]);
  add_product(&t->mass, 1, &w->y[at], b);
  add_product(&t->damping, 1, &w->x[at], b);
  add_product(&t->stiffness, 1, &p->p[at], b);
  write_column(p, b, &b->stiffness[to]);
}

// A = [0 1; -Mhat^-1 Khat, -Mhat^-1 Chat], by rows.
static void write_a(const hn_linear_point *p, blocks *b, double *a) {
  const int f = p->freedoms, n = 2 * f;
  for (int k = 0; k < f; k++) a[(size_t)k * (size_t)n + (size_t)(f + k)] = 1;
  for (int k = 0; k < n; k++) {
    double *column =
        k < f ? &b->stiffness[(size_t)k * (size_t)f] : &b->damping[(size_t)(k - f) * (size_t)f];
    hn_dense_lu_solve(b->mass, f, b->pivots, column);
    for (int j = 0; j < f; j++) a[(size_t)(f + j) * (size_t)n + (size_t)k] = -column[j];
  }
}

static hn_status no_memory(hn_linear_work *w) {
  return hn_fail(w->error, HN_ERROR_MEMORY, NULL, NULL, NULL,
                 "out of memory for the matrices of %d states", 2 * w->point.freedoms);
}

hn_status hn_linear_write_state(hn_linear_work *w) {
  const hn_linear_point *p = &w->point;
  const hn_vec3 origin = p->elements->model->origin.at;
  double *x0 = HN_TAKE(&w->arena, double, 2 * p->freedoms + 1),
         *f0 = HN_TAKE(&w->arena, double, 2 * p->freedoms + 1); // all rates
  if (w->arena.failed) return no_memory(w);
  for (int k = 0; k < p->freedoms; k++) {
    const hn_quantity_of of = p->quantity[k];
    x0[k] = p->eta[k];
    if (of.kind == HN_QUANTITY_POSITION)
      x0[k] += of.part == 0 ? origin.x : of.part == 1 ? origin.y : origin.z;
    f0[k] = p->eta_rate[k];
    if (k >= p->rates) continue;
    x0[p->freedoms + k] = p->eta_rate[k];
    f0[p->freedoms + k] = p->eta_second[k];
  }
  w->result.x0 = x0;
  w->result.f0 = f0;
  return HN_OK;
}

hn_status hn_linear_reduce(hn_linear_work *w) {
  hn_linear_point *p = &w->point;
  const int f = p->freedoms;
  const size_t n = (size_t)p->n, square = (size_t)f * (size_t)f;
  hn_gradient *gradients = HN_TAKE(&w->arena, hn_gradient, f + 1);
  blocks b = {.mass = HN_TAKE(&w->arena, double, square + 1),
              .damping = HN_TAKE(&w->arena, double, square + 1),
              .stiffness = HN_TAKE(&w->arena, double, square + 1),
              .v = HN_TAKE(&w->arena, double, n + 1),
              .size = HN_TAKE(&w->arena, double, n + 1),
              .pivots = HN_TAKE(&w->arena, int, f + 1)};
  double *a = HN_TAKE(&w->arena, double, 4 * square + 1);
  w->size = HN_TAKE(&w->arena, double, f + 1);
  w->x = HN_TAKE(&w->arena, double, n *(size_t)f + 1);
  w->y = HN_TAKE(&w->arena, double, n *(size_t)f + 1);
  if (w->arena.failed) return no_memory(w);
  for (int k = 0; k < f; k++) hn_linear_gradient(p, p->quantity[k], p->qdd, &gradients[k]);
  make_rates(w, gradients);
  for (int k = 0; k < f; k++) reduce_column(w, k, &b);
  for (int k = 0; k < f; k++) {
    const double mass = b.mass[(size_t)k * (size_t)f + (size_t)k];
    w->size[k] = mass > 0 ? 1 / sqrt(mass) : 1;
  }
  if (f > 0 && hn_dense_lu(b.mass, f, b.pivots) != 0)
    return hn_fail(w->error, HN_ERROR_SINGULAR, NULL, NULL, NULL,
                   "the mass matrix is singular; give massless bodies a mass and inertia");
  write_a(p, &b, a);
  w->result.a = a;
  return hn_linear_write_state(w);
}
