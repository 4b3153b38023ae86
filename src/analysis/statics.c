// Static equilibrium: Newton's method on the forces along the free directions.
//
//   Z    orthonormal basis of the null space of J (in lengths: rotations count by the body's size)
//   g    = Z' F, unbalanced forces;  K = V diag(k) V', stiffness along Z (stiffness.c)
//   step = V diag(1 / (|k| + damping)) V' g, limited, then the joints are closed again
//
// A step must lower the potential or the unbalanced forces, else the damping grows: far away, for
// instance before tyres reach the road, this is a damped motion along the forces. Directions
// without stiffness and without force (x, y and yaw of a vehicle) are left where they are.
//
// Models of many bodies take their steps from a sparse system instead (statics_sparse.c). A turn of a
// body moves all that hangs on it: there an angle of 1 counts as much as the span of the model, in
// steps and when the joints are closed again. With the sizes of links the links of a long chain would
// rather fold than move further, and a slender beam would look a million times softer than it is.
#include "analysis/statics.h"

#include <math.h>
#include <string.h>

#include "analysis/statics_work.h"
#include "analysis/stiffness.h"
#include "base/error.h"
#include "linalg/rank.h"
#include "model/contact.h"

#define TERM_ROUNDING 1e-16                // of one term in the balance of a body
#define TERMS 200                          // as if this many were added
#define MOST_ROUNDING 1e-12                // of all terms, however small the body is
enum { DENSE_SPEEDS = 600, HALVINGS = 5 }; // 100 bodies

hn_statics_options hn_default_statics_options(void) {
  return (hn_statics_options){
      .size = sizeof(hn_statics_options), .max_iterations = 200, .tolerance = 1e-10};
}

// A force, or how it changes with the poses, cannot be computed: names the user's force that fails.
static hn_status fail_forces(const hn_statics *w, hn_status status, hn_error *error) {
  for (int f = 0; f < w->a.model->force_count; f++) {
    hn_force_value value;
    if (hn_force_in_speeds(w->a.elements, f, w->a.frames, w->a.branches->turns, w->a.t,
                           w->a.branches->force[f], w->wrench, &value) != HN_OK)
      return hn_fail_force(w->a.model, f, status, w->a.t, error);
  }
  return hn_fail(error, status, NULL, NULL, "check the forces at the start",
                 "forces or their derivatives cannot be computed");
}

// ---- set-up -------------------------------------------------------------------------------------

static hn_status take_memory(hn_statics *w) {
  hn_arena *arena = &w->arena;
  size_t n = (size_t)w->n, m = (size_t)w->m;
  int bodies = w->a.model->body_count;
  w->held = HN_TAKE(arena, unsigned char, bodies);
  w->all = HN_TAKE(arena, unsigned char, w->m);
  double **vectors[] = {&w->scale, &w->step_scale, &w->forces, &w->unbalanced, &w->values,
                        &w->spare, &w->g,          &w->modal,  &w->step,       &w->whole};
  for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++)
    *vectors[k] = HN_TAKE(arena, double, w->n);
  w->lambda = HN_TAKE(arena, double, w->m);
  w->order = HN_TAKE(arena, int, w->n);
  w->pivots = HN_TAKE(arena, int, w->n + 1); // also one a body, with ground
  w->modes = HN_TAKE(arena, int, w->n);
  w->qr_work = HN_TAKE(arena, double, 3 * w->n + w->m);
  w->wrench = HN_TAKE(arena, hn_wrench, bodies);
  w->before = HN_TAKE(arena, hn_frame, bodies);
  if (w->n > DENSE_SPEEDS) return arena->failed ? HN_ERROR_MEMORY : HN_OK;
  w->jacobian = hn_arena_take(arena, n * m, sizeof(double));
  w->z = hn_arena_take(arena, n * n, sizeof(double));
  w->kz = hn_arena_take(arena, n * n, sizeof(double));
  w->stiffness = hn_arena_take(arena, n * n, sizeof(double));
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

static hn_status begin(hn_statics *w, hn_equations *equations, const hn_allocator *allocator,
                       double t, const double *q, hn_branches *branches, hn_error *error) {
  hn_arena_init(&w->arena, allocator);
  double *at_rest = HN_TAKE(&w->arena, double, equations->nq);
  w->n = 6 * (equations->model->body_count - 1);
  w->m = equations->elements->row_count;
  hn_status status = at_rest ? HN_OK : HN_ERROR_MEMORY;
  if (status == HN_OK)
    status = hn_assembly_begin(&w->arena, equations, t, q, at_rest, branches, &w->a);
  if (status == HN_OK) status = take_memory(w);
  if (status == HN_OK)
    status = hn_assembly_rows_create(&w->arena, equations->elements, w->held, NULL, 0, &w->rows);
  if (status != HN_OK && status != HN_ERROR_MEMORY) return fail_forces(w, status, error);
  if (status != HN_OK)
    return hn_fail(error, status, NULL, NULL, NULL, "out of memory for equilibrium");
  memset(w->all, 1, (size_t)w->m);
  w->span = w->a.size;
  for (int b = 2; b < w->rows.bodies; b++)
    w->span = fmax(w->span, vec3_norm(vec3_sub(w->a.frames[b].r, w->a.frames[1].r)));
  for (int i = 0; i < w->n; i++) w->scale[i] = i % 6 < 3 ? 1 : 1 / w->a.body_size[1 + i / 6];
  return HN_OK;
}

// Steps from modes, with turns by the size of each body, or from the sparse system by the span.
static hn_status choose_way(hn_statics *w, int is_sparse) {
  hn_status status = HN_OK;
  w->sparse = NULL;
  w->has_whole = 0;
  w->a.turn_length = is_sparse ? w->span : 0;
  for (int i = 0; i < w->n; i++)
    w->step_scale[i] = is_sparse && i % 6 >= 3 ? 1 / w->span : w->scale[i];
  if (is_sparse) status = hn_statics_sparse_create(w);
  return status;
}

// ---- forces and their balance -------------------------------------------------------------------

static hn_status evaluate_forces(hn_statics *w) {
  hn_branches_classify(w->a.elements, w->a.frames, w->a.t, w->a.branches);
  return hn_forces_at_rest(w->a.elements, w->a.t, w->a.frames, w->a.branches, w->wrench, w->forces,
                           &w->potential, &w->largest);
}

// Multipliers and what they leave unbalanced: [W J'; J 0] [x; lambda] = [F; 0], W x = F - J'
// lambda.
hn_status hn_statics_balance(hn_statics *w, const double *scale, double *lambda) {
  hn_assembly_rows *rows = &w->rows;
  for (int b = 1; b < rows->bodies; b++) {
    double size = 1 / scale[6 * (b - 1) + 3];
    hn_assembly_set_metric(rows, b, 1, mat3_scale(size * size, mat3_identity()));
  }
  memset(rows->c, 0, (size_t)w->m * sizeof(double));
  hn_saddle_soften(rows->saddle, NULL, 0);
  hn_status status = hn_saddle_factor(rows->saddle, rows->m_values, rows->j_values);
  if (status != HN_OK) return status;
  return hn_saddle_solve(rows->saddle, w->forces, rows->c, rows->x, lambda, NULL);
}

static hn_status balance(hn_statics *w) {
  hn_assembly_rows_evaluate(&w->rows, w->a.t, w->a.frames, w->a.branches, 0);
  hn_status status = hn_statics_balance(w, w->scale, w->lambda);
  w->residual = 0;
  for (int i = 0; status == HN_OK && i < w->n; i++) {
    w->unbalanced[i] = w->rows.x[i] / (w->scale[i] * w->scale[i]);
    w->residual = fmax(w->residual, fabs(w->unbalanced[i] * w->scale[i]));
  }
  return status;
}

hn_status hn_statics_evaluate(hn_statics *w) {
  hn_status status = evaluate_forces(w);
  return status == HN_OK ? balance(w) : status;
}

// ---- free directions ----------------------------------------------------------------------------

static void find_basis(hn_statics *w) {
  size_t m = (size_t)w->m;
  memset(w->jacobian, 0, m * (size_t)w->n * sizeof(double));
  for (int r = 0; r < w->m; r++)
    for (int k = w->rows.row_start[r]; k < w->rows.row_start[r + 1]; k++) {
      int column = w->rows.column_index[k];
      w->jacobian[(size_t)column * m + (size_t)r] =
          w->rows.j_values[k] * w->scale[column] / hn_assembly_weight(&w->a, &w->rows, r);
    }
  int rank = hn_rank_qr(w->jacobian, w->m, w->n, HN_RANK_ROUNDING, NULL, w->order, w->qr_work);
  w->freedoms = w->n - rank;
  hn_rank_null_space(w->jacobian, w->m, w->n, rank, w->order, w->z);
  hn_orthonormalize(w->z, w->n, w->freedoms);
  for (int k = 0; k < w->freedoms; k++) // from scaled to small motions
    for (int i = 0; i < w->n; i++) w->z[(size_t)k * (size_t)w->n + (size_t)i] *= w->scale[i];
}

static void find_forces_along(hn_statics *w) {
  for (int j = 0; j < w->freedoms; j++) {
    w->g[j] = 0;
    for (int i = 0; i < w->n; i++)
      w->g[j] += w->z[(size_t)j * (size_t)w->n + (size_t)i] * w->forces[i];
  }
}

// A controller pushes one body by where another is: without the unsymmetric part of the stiffness no
// step leads to its equilibrium. Newton's step, if it is not beyond the largest.
static void find_whole_step(hn_statics *w) {
  const int k = w->freedoms;
  const size_t size = (size_t)k * (size_t)k * sizeof(double);
  w->has_whole = 0;
  if (w->a.model->sensing.couplings == 0 || k == 0) return;
  memcpy(w->kz, w->stiffness, size); // free here
  if (hn_dense_lu(w->kz, k, w->pivots) != 0) return;
  memcpy(w->spare, w->g, (size_t)k * sizeof(double));
  hn_dense_lu_solve(w->kz, k, w->pivots, w->spare);
  memset(w->whole, 0, (size_t)w->n * sizeof(double));
  for (int j = 0; j < k; j++)
    for (int l = 0; l < w->n; l++)
      w->whole[l] += w->spare[j] * w->z[(size_t)j * (size_t)w->n + (size_t)l];
  w->has_whole = hn_statics_reach(w, w->whole) <= HN_LARGEST_STEP;
}

// Of the basis in w->z.
static hn_status find_modes_of_basis(hn_statics *w) {
  int k = w->freedoms;
  hn_status status = hn_reduced_stiffness(w->a.elements, w->a.t, w->a.frames, w->a.branches,
                                          w->lambda, w->z, k, w->kz, w->stiffness);
  if (status != HN_OK) return status;
  find_forces_along(w);
  find_whole_step(w);
  for (int j = 0; j < k; j++)
    for (int i = 0; i < j; i++) { // work counts the symmetric part
      double *upper = &w->stiffness[(size_t)j * (size_t)k + (size_t)i];
      double *lower = &w->stiffness[(size_t)i * (size_t)k + (size_t)j];
      *upper = *lower = 0.5 * (*upper + *lower);
    }
  if (hn_eigen_symmetric(w->stiffness, k, w->values, w->spare)) return HN_ERROR_CONVERGENCE;
  for (int j = 0; j < k; j++) {
    w->modal[j] = 0;
    for (int i = 0; i < k; i++)
      w->modal[j] += w->stiffness[(size_t)j * (size_t)k + (size_t)i] * w->g[i];
  }
  return HN_OK;
}

static hn_status find_modes(hn_statics *w) {
  if (w->sparse) return hn_statics_sparse_look(w);
  find_basis(w);
  return find_modes_of_basis(w);
}

double hn_statics_stiffest(const hn_statics *w) {
  double most = w->stiffest;
  for (int j = 0; j < w->freedoms; j++) most = fmax(most, fabs(w->values[j]));
  return most;
}

// ---- steps --------------------------------------------------------------------------------------

// Mode j as small motions of all bodies (n).
void hn_statics_mode(const hn_statics *w, int j, double *out) {
  int k = w->freedoms;
  memset(out, 0, (size_t)w->n * sizeof(double));
  for (int i = 0; i < k; i++) {
    double share = w->stiffness[(size_t)j * (size_t)k + (size_t)i];
    const double *direction = &w->z[(size_t)i * (size_t)w->n];
    for (int l = 0; l < w->n; l++) out[l] += share * direction[l];
  }
}

double hn_statics_reach(const hn_statics *w, const double *motion) {
  double most = 0;
  for (int i = 0; i < w->n; i += 3) {
    double length = vec3_norm(vec3_load(&motion[i]));
    most = fmax(most, i % 6 ? length : length / w->span);
  }
  return most;
}

// The damped step along all modes that are not neutral, into w->step. No mode and no sum of them
// takes a body further than HN_LARGEST_STEP.
static void find_modal_step(hn_statics *w, double damping) {
  double most = hn_statics_stiffest(w);
  memset(w->step, 0, (size_t)w->n * sizeof(double));
  for (int j = 0; j < w->freedoms; j++) {
    if (hn_statics_is_neutral(w, j, most)) continue;
    double *motion = w->kz; // free here
    hn_statics_mode(w, j, motion);
    double stiffness = fabs(w->values[j]) + damping,
           limit = HN_LARGEST_STEP / hn_statics_reach(w, motion);
    stiffness = fmax(stiffness, fabs(w->modal[j]) / limit);
    double amount = stiffness > 0 ? w->modal[j] / stiffness : 0;
    for (int l = 0; l < w->n; l++) w->step[l] += amount * motion[l];
  }
}

static void find_step(hn_statics *w, double damping) {
  if (w->sparse)
    hn_statics_sparse_step(w, damping);
  else
    find_modal_step(w, damping);
  double far = hn_statics_reach(w, w->step);
  for (int l = 0; far > HN_LARGEST_STEP && l < w->n; l++) w->step[l] *= HN_LARGEST_STEP / far;
}

void hn_statics_move(hn_statics *w, double part) {
  for (int b = 1; b < w->rows.bodies; b++) {
    hn_frame *f = &w->a.frames[b];
    const double *x = &w->step[6 * (b - 1)];
    hn_vec3 turn = vec3_scale(part, vec3_load(x + 3));
    f->r = vec3_add_scaled(f->r, part, vec3_load(x));
    f->p = quat_unit(quat_multiply(quat_from_axis_angle(turn, vec3_norm(turn)), f->p));
    f->a = quat_matrix(f->p);
  }
}

// Looks along the step for a lower potential or smaller unbalanced forces. 1 found, 0 not, < 0
// error.
static int search(hn_statics *w) {
  size_t bytes = (size_t)w->rows.bodies * sizeof(hn_frame);
  double potential = w->potential, residual = w->residual, part = 1;
  memcpy(w->before, w->a.frames, bytes);
  for (int k = 0; k < HALVINGS; k++, part *= 0.4) {
    hn_statics_move(w, part);
    if (hn_assembly_solve_positions(&w->a, &w->rows, w->all) == 1 &&
        hn_statics_evaluate(w) == HN_OK) {
      double rounding = 1e-13 * (fabs(potential) + w->largest * w->a.size);
      int lower = w->potential < potential - rounding;
      int smaller = w->residual < (1 - 0.1 * part) * residual;
      if (smaller || (lower && w->residual < 1e3 * (residual + w->largest))) return 1;
    }
    memcpy(w->a.frames, w->before, bytes);
  }
  return hn_statics_evaluate(w) == HN_OK ? 0 : -1;
}

// ---- failure ------------------------------------------------------------------------------------

// Friction of force laws acts by slip, which an equilibrium has none of.
static const char *hint_of(const hn_model *model) {
  for (int k = 0; k < hn_model_contact_count(model); k++)
    if (!hn_contact_is_rigid(&model->contacts[k]) && model->contacts[k].law != HN_CONTACT_NONE &&
        model->contacts[k].friction > 0)
      return "use `law: rigid` or simulate until rest: regularized and LuGre friction cannot "
             "sustain a load at rest";
  return "start closer to the equilibrium, or check that joints, springs or contacts support the "
         "body";
}

static hn_status fail(const hn_statics *w, int iterations, hn_error *error) {
  int worst = 0;
  for (int i = 1; i < w->n; i++)
    if (fabs(w->unbalanced[i] * w->scale[i]) > fabs(w->unbalanced[worst] * w->scale[worst]))
      worst = i;
  const hn_body_def *body = &w->a.model->bodies[1 + worst / 6];
  char element[128];
  return hn_fail(error, HN_ERROR_CONVERGENCE, &body->source,
                 hn_text(element, sizeof element, "body '%s'", body->name), hint_of(w->a.model),
                 "has no equilibrium: after %d iterations %.3g %s remain unbalanced %s %c",
                 iterations, fabs(w->unbalanced[worst]), worst % 6 < 3 ? "N" : "N m",
                 worst % 6 < 3 ? "along" : "about", "xyz"[worst % 3]);
}

// ---- the whole ----------------------------------------------------------------------------------

// One more step where the forces are balanced already: it costs little and gives all digits.
static hn_status polish(hn_statics *w) {
  size_t bytes = (size_t)w->rows.bodies * sizeof(hn_frame);
  double residual = w->residual;
  memcpy(w->before, w->a.frames, bytes);
  if (w->has_whole)
    memcpy(w->step, w->whole, (size_t)w->n * sizeof(double));
  else
    find_step(w, 0);
  hn_statics_move(w, 1);
  if (hn_assembly_solve_positions(&w->a, &w->rows, w->all) == 1 &&
      hn_statics_evaluate(w) == HN_OK && w->residual < residual && find_modes(w) == HN_OK)
    return HN_OK;
  memcpy(w->a.frames, w->before, bytes);
  hn_status status = hn_statics_evaluate(w);
  return status == HN_OK ? find_modes(w) : status;
}

// 1: the unbalanced force at each body is at the rounding of the terms in its balance: forces and
// reactions, and these times their arms, over the size of the body. The slope of a short link
// follows from the positions of its joints, which are rounded relative to the extent of the model.
static int is_rounding(hn_statics *w, double wanted) {
  const hn_assembly_rows *rows = &w->rows;
  double *terms = w->spare; // of body b at 6 (b - 1)
  for (int i = 0; i < w->n; i += 6)
    terms[i] = vec3_norm(vec3_load(&w->forces[i])) +
               vec3_norm(vec3_load(&w->forces[i + 3])) * w->scale[i + 3];
  for (int r = 0; r < w->m; r++)
    for (int k = rows->row_start[r]; k < rows->row_start[r + 1]; k += 6) {
      int i = rows->column_index[k];
      double arm = vec3_norm(vec3_load(&rows->j_values[k + 3])) * w->scale[i + 3];
      terms[i] += fabs(w->lambda[r]) * (vec3_norm(vec3_load(&rows->j_values[k])) + arm);
    }
  for (int i = 0; i < w->n; i++) {
    double places = w->a.extent * w->scale[i - i % 6 + 3];
    double part = fmin(TERM_ROUNDING * (TERMS + places), MOST_ROUNDING);
    if (fabs(w->unbalanced[i] * w->scale[i]) > fmax(wanted, part * terms[i - i % 6])) return 0;
  }
  return 1;
}

static hn_status iterate(hn_statics *w, const hn_statics_options *options, int *iterations,
                         hn_error *error) {
  double damping = 0;
  int k = 0, refused = 0;
  hn_status status = hn_statics_evaluate(w);
  if (status != HN_OK) return fail_forces(w, status, error);
  for (;; k++) {
    status = find_modes(w);
    if (status == HN_ERROR_CONVERGENCE) return fail(w, k, error);
    if (status != HN_OK) return fail_forces(w, status, error);
    double wanted = options->tolerance * w->largest;
    double rounding = 1e-13 * (hn_statics_stiffest(w) * w->a.extent + w->largest);
    if (w->residual <= wanted || (refused > 2 && w->residual <= 1e3 * rounding)) break;
    if (refused > 2 && is_rounding(w, wanted)) break;
    if (k >= options->max_iterations || refused > 14) return fail(w, k, error);
    int found = 0;
    if (w->has_whole) {
      memcpy(w->step, w->whole, (size_t)w->n * sizeof(double));
      found = search(w);
    }
    if (found == 0) {
      find_step(w, damping);
      found = search(w);
    }
    if (found < 0) return fail(w, k, error);
    refused = found ? 0 : refused + 1;
    if (found) {
      hn_elements_update_turns(w->a.elements, w->a.frames, w->a.branches->turns);
      damping = damping > 1e-6 * hn_statics_stiffest(w) ? 0.1 * damping : 0;
    } else {
      damping =
          fmax(10 * damping, fmax(1e-4 * hn_statics_stiffest(w), 1e-6 * w->largest / w->a.size));
    }
  }
  *iterations = k;
  status = polish(w);
  return status == HN_OK ? HN_OK : fail_forces(w, status, error);
}

// Repeats from the start with the sparse system: it finds equilibria that modes do not, such as
// that of a crumpled chain. The modes at its end are those of all models of this size.
static hn_status iterate_again(hn_statics *w, const hn_statics_options *options,
                               const double *turns, int *iterations, hn_error *error) {
  memcpy(w->a.frames, w->a.drawn, (size_t)w->rows.bodies * sizeof(hn_frame));
  memcpy(w->a.branches->turns, turns, (size_t)w->a.elements->turn_count * sizeof(double));
  hn_status status = choose_way(w, 1);
  if (status == HN_ERROR_MEMORY) return status;
  if (status != HN_OK) return fail_forces(w, status, error);
  w->freedoms = 0; // those of the modes do not count here
  status = iterate(w, options, iterations, error);
  if (status != HN_OK) return status;
  w->stiffest = 0;
  choose_way(w, 0);
  status = find_modes(w);
  if (status == HN_ERROR_CONVERGENCE) return fail(w, *iterations, error);
  return status == HN_OK ? HN_OK : fail_forces(w, status, error);
}

// Stability and neutral directions.
static hn_status judge(hn_statics *w, const hn_statics_options *options, int iterations,
                       hn_statics_report *report, hn_error *error) {
  int is_unstable = 0;
  hn_status status = HN_OK;
  if (w->sparse) { // of a large model the softest directions are examined
    is_unstable = hn_statics_sparse_is_unstable(w);
    if (!is_unstable) {
      status = hn_statics_sparse_gather(w);
      if (status == HN_OK) status = find_modes_of_basis(w);
      is_unstable = status == HN_OK && hn_statics_has_unstable_mode(w);
    }
    if (status == HN_OK) status = hn_statics_sparse_soften(w);
    if (status == HN_OK) status = find_modes_of_basis(w);
  }
  if (status != HN_OK) return fail_forces(w, status, error);
  int neutral = hn_statics_find_neutral(w);
  if (neutral > 0) {
    hn_statics_choose_coordinates(w, neutral);
    hn_statics_hold_neutral(w, neutral, fmax(10 * w->residual, options->tolerance * w->largest));
  }
  hn_elements_update_turns(w->a.elements, w->a.frames, w->a.branches->turns);
  hn_statics_fill_report(w, iterations, neutral, report);
  report->stable = report->stable && !is_unstable;
  if (report->stable_unknown) {
    size_t used = strlen(report->neutral);
    hn_text(report->neutral + used, sizeof report->neutral - used, " and perhaps more");
  }
  report->stable_unknown = report->stable_unknown && report->stable;
  return HN_OK;
}

static hn_status find(hn_statics *w, const hn_statics_options *options, const double *turns,
                      hn_statics_report *report, hn_error *error) {
  int iterations = 0, is_large = w->n > DENSE_SPEEDS;
  hn_error first = {.status = HN_OK}; // stays unsaid where the second way finds an equilibrium
  hn_status status = choose_way(w, is_large);
  if (status == HN_ERROR_MEMORY) return status;
  if (status != HN_OK) return fail_forces(w, status, error);
  status = iterate(w, options, &iterations, &first);
  if (status == HN_ERROR_CONVERGENCE && !is_large)
    status = iterate_again(w, options, turns, &iterations, &first);
  if (status == HN_ERROR_MEMORY) return status; // reported by the caller, not by the first attempt
  if (status != HN_OK && error) *error = first;
  return status == HN_OK ? judge(w, options, iterations, report, error) : status;
}

// Their forces are not functions of the positions.
static hn_status check_no_rigid(const hn_equations *equations, hn_error *error) {
  char rigid[192];
  const hn_source *source = NULL;
  const char *remedy = NULL;
  char hint[160];
  if (equations->touch_points > 0 &&
      hn_model_rigid_element(equations->model, &source, &remedy, rigid, sizeof rigid))
    return hn_fail(error, HN_ERROR_UNSUPPORTED, source, rigid,
                   hn_text(hint, sizeof hint, "%s%ssimulate until rest", remedy ? remedy : "",
                           remedy ? ", or " : ""),
                   "is not supported in an equilibrium");
  return HN_OK;
}

hn_status hn_statics_solve(hn_equations *equations, const hn_allocator *allocator, double t,
                           double *q, hn_branches *branches, const hn_statics_options *options,
                           hn_statics_report *report, hn_error *error) {
  hn_statics_options o = hn_default_statics_options();
  if (options && options->max_iterations > 0) o.max_iterations = options->max_iterations;
  if (options && options->tolerance > 0) o.tolerance = options->tolerance;
  hn_statics_report own;
  hn_statics w = {.n = 0};
  hn_status status = check_no_rigid(equations, error);
  if (status != HN_OK) return status;
  status = begin(&w, equations, allocator, t, q, branches, error);
  size_t turn_bytes = (size_t)equations->elements->turn_count * sizeof(double);
  if (status == HN_OK)
    hn_elements_move_anchors(equations->elements, w.a.frames, t, 0, branches->turns);
  double *turns = NULL;
  if (status == HN_OK) {
    turns = hn_arena_copy(&w.arena, branches->turns, turn_bytes, 1);
    status = turns ? find(&w, &o, turns, report ? report : &own, error) : HN_ERROR_MEMORY;
  }
  if (status == HN_OK) {
    double *rates = HN_TAKE(&w.arena, double, equations->nq);
    if (rates)
      hn_assembly_store(&w.a, q, rates);
    else
      status = HN_ERROR_MEMORY;
  } else if (turns) {
    memcpy(branches->turns, turns, turn_bytes);
  }
  if (status == HN_ERROR_MEMORY)
    hn_fail(error, status, NULL, NULL, NULL, "out of memory for equilibrium");
  hn_arena_release(&w.arena);
  return status;
}
