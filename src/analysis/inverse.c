// Forces of drives that make a motion. With P the directions that constraints other than drivers leave
// (analysis/linear/point.h) and S_a the gradients of what the drives push along,
//
//   P' (M qdd - Q) = B tau,   B = (S_a P)'
//
// Of all tau that come nearest to it the one with the least sum of weight * tau^2: with w = weight^-1/2
// on the columns of B, tau = w y, y = B_w^+ r by the eigenvectors of B_w' B_w or B_w B_w'.
#include <math.h>
#include <string.h>

#include "analysis/linear/point.h"
#include "analysis/simulation_switches.h"
#include "base/error.h"
#include "equations/conditions.h"
#include "holon/dynamics.h"
#include "linalg/rank.h"

// An eigenvalue of the products above, against the largest.
#define SMALL (HN_RANK_ROUNDING * HN_RANK_ROUNDING)
enum { REFINEMENTS = 2 };

typedef struct drives {
  hn_arena arena;
  hn_linear_point p;
  const hn_drive *drive;
  int count;
  double *b;             // B with weights (degrees of freedom x count, column-major)
  double *scale;         // w (count)
  double *needed;        // P' (M qdd - Q), (degrees of freedom)
  double *qdd, *work;    // (n)
  double *gram, *values; // of the smaller product
  int size, is_wide;     // of it: is_wide: B_w B_w'
  double *y, *rest;      // (count), (degrees of freedom)
} drives;

// ---- what is needed -----------------------------------------------------------------------------

// pdd = E' alpha / 2 - |w|^2 p / 4
static void take_accelerations(drives *d, const hn_vec3 *accelerations) {
  hn_simulation *s = d->p.simulation;
  hn_snapshot *now = s->method->now;
  if (!accelerations) hn_snapshot_complete(s->equations, &s->branches, now);
  for (int b = 1; b < s->model->body_count; b++) {
    const hn_frame *f = &d->p.frames[b];
    const hn_vec3 linear = accelerations ? accelerations[2 * (b - 1)] : now->acceleration[b],
                  angular =
                      accelerations ? accelerations[2 * (b - 1) + 1] : now->angular_acceleration[b];
    const hn_quat p = quat_load(&d->p.q[7 * (b - 1) + 3]);
    const hn_quat second = quat_add(quat_scale(0.5, euler_e_transposed(p, angular)),
                                    quat_scale(-0.25 * vec3_dot(f->w, f->w), p));
    vec3_store(&d->qdd[7 * (b - 1)], linear);
    quat_store(&d->qdd[7 * (b - 1) + 3], second);
  }
}

static void find_needed(drives *d) {
  const hn_linear_point *p = &d->p;
  const size_t n = (size_t)p->n;
  memset(d->work, 0, n * sizeof(double));
  hn_sparse_add_product(&p->tangent->mass, 1, d->qdd, d->work);
  for (size_t i = 0; i < n; i++) d->work[i] -= p->tangent->q_force[i];
  for (int k = 0; k < p->freedoms; k++) {
    d->needed[k] = 0;
    for (size_t i = 0; i < n; i++) d->needed[k] += p->p[(size_t)k * n + i] * d->work[i];
  }
}

// ---- B ------------------------------------------------------------------------------------------

// Gradient of what drive a pushes along, in q (n).
static void gradient_of(const drives *d, const hn_drive *drive, double *out) {
  const hn_linear_point *p = &d->p;
  memset(out, 0, (size_t)p->n * sizeof(double));
  if (drive->driver >= 0) {
    const hn_sparse *phi = &p->tangent->phi_q;
    const int row = p->elements->driver_row[drive->driver];
    for (int k = phi->start[row]; k < phi->start[row + 1]; k++) out[phi->index[k]] = phi->value[k];
    return;
  }
  hn_gradient g;
  hn_linear_gradient(p, (hn_quantity_of){HN_QUANTITY_JOINT, drive->joint, (int)drive->coordinate},
                     NULL, &g);
  for (int i = 0; i < HN_LOCAL; i++)
    if (g.body[i / 7] != HN_GROUND) out[7 * (g.body[i / 7] - 1) + i % 7] += g.s[i];
}

static void make_b(drives *d) {
  const hn_linear_point *p = &d->p;
  const size_t n = (size_t)p->n, f = (size_t)p->freedoms;
  for (int a = 0; a < d->count; a++) {
    const double weight = d->drive[a].weight;
    d->scale[a] = weight > 0 ? 1 / sqrt(weight) : 1;
    gradient_of(d, &d->drive[a], d->work);
    for (size_t k = 0; k < f; k++) {
      double sum = 0;
      for (size_t i = 0; i < n; i++) sum += p->p[k * n + i] * d->work[i];
      d->b[(size_t)a * f + k] = sum * d->scale[a];
    }
  }
}

static double entry(const drives *d, int freedom, int drive) {
  return d->b[(size_t)drive * (size_t)d->p.freedoms + (size_t)freedom];
}

// Eigenvalues and vectors of the smaller product; the rank.
static int decompose(drives *d) {
  const int f = d->p.freedoms, m = d->count, k = d->size;
  for (int i = 0; i < k; i++)
    for (int j = 0; j < k; j++) {
      double sum = 0;
      for (int l = 0; l < (d->is_wide ? m : f); l++)
        sum += d->is_wide ? entry(d, i, l) * entry(d, j, l) : entry(d, l, i) * entry(d, l, j);
      d->gram[(size_t)j * (size_t)k + (size_t)i] = sum;
    }
  hn_eigen_symmetric(d->gram, k, d->values, d->work);
  int rank = 0;
  for (int i = 0; i < k; i++) rank += d->values[i] > SMALL * d->values[k - 1];
  return rank;
}

// y += B_w^+ rest: the first product's vectors v with value s give v (v . x) / s.
static void add_solution(drives *d) {
  const int f = d->p.freedoms, m = d->count, k = d->size;
  double *x = d->work, *z = d->work + k;
  for (int i = 0; i < k; i++) {
    x[i] = z[i] = 0;
    if (d->is_wide)
      x[i] = d->rest[i];
    else
      for (int l = 0; l < f; l++) x[i] += entry(d, l, i) * d->rest[l];
  }
  for (int j = 0; j < k; j++) {
    const double *v = &d->gram[(size_t)j * (size_t)k];
    double inner = 0;
    if (!(d->values[j] > SMALL * d->values[k - 1])) continue;
    for (int i = 0; i < k; i++) inner += v[i] * x[i];
    for (int i = 0; i < k; i++) z[i] += v[i] * inner / d->values[j];
  }
  for (int a = 0; a < m; a++) {
    if (!d->is_wide) d->y[a] += z[a];
    for (int i = 0; d->is_wide && i < f; i++) d->y[a] += entry(d, i, a) * z[i];
  }
}

static void find_rest(drives *d) {
  for (int i = 0; i < d->p.freedoms; i++) {
    d->rest[i] = d->needed[i];
    for (int a = 0; a < d->count; a++) d->rest[i] -= entry(d, i, a) * d->y[a];
  }
}

// -------------------------------------------------------------------------------------------------

static hn_status check_drives(const hn_simulation *s, const hn_drive *drive, int count,
                              hn_error *error) {
  for (int a = 0; a < count; a++) {
    const int is_driver = drive[a].driver >= 0;
    const int is_wrong =
        is_driver ? drive[a].driver >= s->model->driver_count
                  : drive[a].joint < 0 || drive[a].joint >= s->model->joint_count ||
                        (int)drive[a].coordinate < 0 || drive[a].coordinate >= HN_COORDINATES ||
                        s->elements->coordinate[drive[a].joint * HN_COORDINATES +
                                                (int)drive[a].coordinate] < 0;
    if (is_wrong || !(drive[a].weight >= 0 && drive[a].weight < HUGE_VAL))
      return hn_fail(
          error, HN_ERROR_ARGUMENT, NULL, NULL,
          "use a driver, or a joint with one of its coordinates, and a weight of 0 or more",
          "drive %d is not valid", a);
  }
  return HN_OK;
}

static hn_status take_memory(drives *d) {
  const int f = d->p.freedoms, m = d->count;
  hn_arena *arena = &d->arena;
  d->is_wide = f < m;
  d->size = f < m ? f : m;
  d->b = HN_TAKE(arena, double, (size_t)f *(size_t)m + 1);
  d->scale = HN_TAKE(arena, double, m + 1);
  d->needed = HN_TAKE(arena, double, f + 1);
  d->qdd = HN_TAKE(arena, double, d->p.n + 1);
  d->work = HN_TAKE(arena, double, d->p.n + 2 * d->size + 1);
  d->gram = HN_TAKE(arena, double, (size_t)d->size *(size_t)d->size + 1);
  d->values = HN_TAKE(arena, double, d->size + 1);
  d->y = HN_TAKE(arena, double, m + 1);
  d->rest = HN_TAKE(arena, double, f + 1);
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

static void tell(const drives *d, int rank, hn_drive_report *report) {
  int worst = 0;
  *report = (hn_drive_report){.freedoms = d->p.freedoms, .rank = rank};
  for (int k = 0; k < d->p.freedoms; k++) {
    report->largest = fmax(report->largest, fabs(d->needed[k]));
    if (fabs(d->rest[k]) <= report->residual) continue;
    report->residual = fabs(d->rest[k]);
    worst = k;
  }
  if (report->residual > 1e-6 * report->largest)
    hn_linear_name(&d->p, worst, 0, report->missing, sizeof report->missing);
}

static hn_status find_forces(drives *d, const hn_vec3 *accelerations, double *forces, double *map,
                             hn_drive_report *report) {
  hn_status status = take_memory(d);
  if (status != HN_OK) return status;
  take_accelerations(d, accelerations);
  find_needed(d);
  make_b(d);
  const int rank = d->size > 0 ? decompose(d) : 0;
  find_rest(d);
  for (int k = 0; d->size > 0 && k <= REFINEMENTS; k++) {
    add_solution(d);
    find_rest(d);
  }
  for (int a = 0; a < d->count; a++) forces[a] = d->scale[a] * d->y[a];
  for (int i = 0; map && i < d->p.freedoms; i++)
    for (int a = 0; a < d->count; a++)
      map[(size_t)i * (size_t)d->count + (size_t)a] = entry(d, i, a) / d->scale[a];
  if (report) tell(d, rank, report);
  return HN_OK;
}

hn_status hn_simulation_drive_forces(hn_simulation *s, const hn_drive *drive, int count,
                                     const hn_vec3 *accelerations, double *forces, double *map,
                                     hn_drive_report *report, hn_error *error) {
  drives d = {.drive = drive, .count = count};
  if (!error) error = &s->error;
  if (s->model->part_count > 0)
    return hn_fail(error, HN_ERROR_UNSUPPORTED, NULL, NULL, "use the model file of the component",
                   "the forces of drives cannot be computed through a sealed component");
  if (s->branches.grips && s->branches.grips->closed > 0)
    return hn_fail(error, HN_ERROR_UNSUPPORTED, NULL, NULL,
                   "give the contact a compliant `law:` (hertz, ...)",
                   "rigid contacts are closed here: the motion does not determine their forces");
  hn_status status = hn_refuse_switches(s->model, "inverse dynamics", error);
  if (status == HN_OK) status = check_drives(s, drive, count, error);
  if (status != HN_OK) return status;
  hn_arena_init(&d.arena, s->options.allocator);
  status = hn_linear_point_create_undriven(&d.arena, s, &d.p, error);
  if (status == HN_OK) status = find_forces(&d, accelerations, forces, map, report);
  if (status == HN_ERROR_MEMORY) hn_fail(error, status, NULL, NULL, NULL, "out of memory");
  hn_linear_point_free(&d.p);
  hn_arena_release(&d.arena);
  return status;
}
