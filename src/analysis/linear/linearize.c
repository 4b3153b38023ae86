// hn_simulation_linearize: the parts in their order. Nothing of the simulation is written but its
// inputs, which are put back.
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "analysis/linear/work.h"
#include "analysis/simulation_delays.h"
#include "analysis/simulation_switches.h"
#include "base/error.h"
#include "equations/conditions.h"

// Above it matrices and all eigenvalues are made only when asked for: they take n^3 operations.
#define MOST_STATES 500
#define MOST_COORDINATES 3500 // of bodies: E is as large
#define BALANCED 1e-8         // m or rad from the equilibrium
#define ROUNDING 1e-9         // 1/s^2 (1/s of states of functions)
enum { USUAL_MODES = 20, NAME = 256 };

hn_linear_options hn_default_linear_options(void) {
  return (hn_linear_options){.size = sizeof(hn_linear_options)};
}

static hn_status refuse(const hn_simulation *s, hn_error *error) {
  hn_status status = hn_refuse_switches(s->model, "a linearization", error);
  if (status != HN_OK || s->model->part_count == 0) return status;
  const hn_sealed_part *part = &s->model->parts[0];
  char name[96];
  return hn_fail(error, HN_ERROR_UNSUPPORTED, &part->source,
                 hn_text(name, sizeof name, "component '%s'", part->name), "use its model file",
                 "is sealed; a linearization needs its contents");
}

static int stands_on_contacts(const hn_simulation *s) {
  return s->branches.grips && s->branches.grips->closed > 0;
}

hn_status hn_linear_name_states(hn_linear_work *w) {
  const int f = w->point.freedoms, count = f + w->point.rates;
  const char **names = HN_TAKE(&w->arena, const char *, 2 * f + 1),
             **units = HN_TAKE(&w->arena, const char *, 2 * f + 1);
  if (w->arena.failed) return HN_ERROR_MEMORY;
  for (int k = 0; k < count; k++) {
    char text[NAME];
    hn_linear_name(&w->point, k % f, k / f, text, sizeof text);
    names[k] = hn_arena_copy_string(&w->arena, text);
    units[k] = hn_linear_unit(&w->point, k % f, k / f);
  }
  w->result.state_count = count;
  w->result.states = names;
  w->result.state_units = units;
  return w->arena.failed ? HN_ERROR_MEMORY : HN_OK;
}

// An upper bound of the number of states, by which a model counts as large.
static int most_states(const hn_simulation *s) {
  int rows = 0;
  for (int j = 0; j < s->model->joint_count; j++)
    rows += s->elements->joint_row[j + 1] - s->elements->joint_row[j];
  const int freedoms = 6 * (s->model->body_count - 1) - rows;
  return freedoms > 0 ? 2 * freedoms : 0;
}

static hn_status make_dense(hn_linear_work *w, hn_simulation *s) {
  hn_status status =
      hn_linear_point_create(&w->arena, s, w->options->is_steady, &w->point, w->error);
  if (status == HN_OK) status = hn_linear_name_states(w);
  if (status != HN_OK) return status;
  status = hn_linear_reduce(w);
  if (status == HN_OK) status = hn_linear_find_kinks(w);
  if (status == HN_OK) status = hn_linear_make_ports(w);
  if (status == HN_OK) status = hn_linear_add_laws(w);
  if (status == HN_OK) status = hn_linear_make_modes(w);
  return status == HN_OK ? hn_linear_add_filters(w) : status;
}

static hn_status make_rolling(hn_linear_work *w, hn_simulation *s) {
  hn_status status = hn_linear_make_rolling(w, s);
  w->result.contacts = s->branches.grips->closed;
  if (status == HN_OK) status = hn_linear_make_modes(w);
  return status == HN_OK ? hn_linear_add_filters(w) : status;
}

// Modes alone: nothing here takes more than n numbers a vector.
static hn_status make_sparse(hn_linear_work *w, hn_simulation *s, int modes) {
  if (w->z_count > 0)
    return hn_fail(w->error, HN_ERROR_UNSUPPORTED, NULL, NULL, "add @dense",
                   "the model has more than %d mechanical states and %d states of functions",
                   MOST_STATES, w->z_count);
  hn_status status =
      hn_linear_point_create_sparse(&w->arena, s, w->options->is_steady, &w->point, w->error);
  if (status == HN_OK) status = hn_linear_name_states(w);
  if (status == HN_OK) status = hn_linear_write_state(w);
  w->result.input_count = w->result.output_count = 0;
  if (status == HN_OK) status = hn_linear_find_lowest(w, modes);
  if (status == HN_ERROR_CONVERGENCE && w->error->status == HN_OK)
    return hn_fail(w->error, status, NULL, NULL,
                   "linearize at the equilibrium with @at, or add @dense; a free mechanism has too "
                   "many modes of zero frequency",
                   "the %d modes of lowest frequency could not be separated", modes);
  return status;
}

static void keep_lowest(hn_linear *l, int modes) {
  if (modes >= l->mode_count) return;
  l->eigenvalue_count = l->modes[modes].eigenvalue;
  l->mode_count = modes;
}

// Rates do not change, now (f0) or as the position continues (A f0): an equilibrium or a steady motion.
static void judge_equilibrium(hn_linear *l, int positions) {
  const size_t n = (size_t)l->state_count;
  double largest = 1;
  l->is_equilibrium = 1;
  for (int k = 0; k < positions; k++) largest = fmax(largest, fabs(l->f0[k]));
  for (int k = positions; k < l->state_count; k++) {
    double stiffness = 0, change = 0;
    for (int j = 0; l->a && j < positions; j++) {
      stiffness += fabs(l->a[(size_t)k * n + (size_t)j]);
      change += l->a[(size_t)k * n + (size_t)j] * l->f0[j];
    }
    const double tol = ROUNDING + BALANCED * stiffness;
    l->imbalance = fmax(l->imbalance, fabs(l->f0[k]));
    l->drift = fmax(l->drift, fabs(change));
    if (fabs(l->f0[k]) > tol || fabs(change) > tol * largest) l->is_equilibrium = 0;
  }
}

static hn_status make(hn_linear_work *w, hn_simulation *s) {
  const hn_linear_options *o = w->options;
  w->point.simulation = s;
  hn_status status = hn_linear_name_ports(w);
  if (status == HN_OK) status = hn_linear_find_laws(w);
  if (status != HN_OK) return status;
  w->result.body_count = s->model->body_count - 1;
  w->result.force_count = s->model->force_count;
  const int is_large = most_states(s) > MOST_STATES || 7 * w->result.body_count > MOST_COORDINATES;
  if (stands_on_contacts(s))
    status = make_rolling(w, s);
  else if (is_large && !o->is_dense)
    status = make_sparse(w, s, o->modes > 0 ? o->modes : USUAL_MODES);
  else
    status = make_dense(w, s);
  if (status == HN_OK && o->modes > 0) keep_lowest(&w->result, o->modes);
  w->result.time = w->point.t;
  if (status == HN_OK) judge_equilibrium(&w->result, w->point.freedoms);
  if (status == HN_OK && w->point.tangent)
    w->result.redundant = w->point.tangent->rows - w->point.row_count;
  if (status == HN_ERROR_MEMORY) hn_fail(w->error, status, NULL, NULL, NULL, "out of memory");
  return status;
}

// The result stands first in the block that owns everything.
hn_status hn_simulation_linearize(hn_simulation *s, const hn_linear_options *options,
                                  hn_linear **linear, hn_error *error) {
  const hn_linear_options none = hn_default_linear_options();
  hn_error local;
  if (!error) error = &local;
  error->status = HN_OK;
  *linear = NULL;
  hn_status status = refuse(s, error);
  if (status != HN_OK) return status;
  hn_linear_work *w = hn_allocate(s->options.allocator, sizeof *w);
  if (!w) return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  memset(w, 0, sizeof *w);
  hn_arena_init(&w->arena, s->options.allocator);
  w->options = options ? options : &none;
  w->error = error;
  hn_delays_approximate(s, 1);
  status = make(w, s);
  hn_delays_approximate(s, 0);
  hn_linear_point_free(&w->point);
  if (status != HN_OK) {
    if (error->status == HN_OK)
      hn_fail(error, status, NULL, NULL, NULL, "%s", hn_status_text(status));
    hn_linear_free(&w->result);
    return status;
  }
  *linear = &w->result;
  return HN_OK;
}

void hn_linear_free(hn_linear *linear) {
  if (!linear) return;
  hn_linear_work *w = (hn_linear_work *)(void *)((char *)linear - offsetof(hn_linear_work, result));
  const hn_allocator allocator = w->arena.allocator;
  hn_arena_release(&w->arena);
  hn_release(&allocator, w);
}
