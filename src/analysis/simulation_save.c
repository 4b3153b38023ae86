// Checkpoint and restart, both sides alike bit for bit: the state, what is frozen, and what the run has
// counted.
// The block is a header, the fixed-size record, then the arrays; it is tied to this model and build.
#include "analysis/simulation.h"

#include <string.h>

#include "analysis/parameters.h"
#include "base/error.h"
#include "equations/nested.h"

typedef struct saved_header {
  char magic[8];
  char version[16];
  unsigned long long model;
  unsigned long long options; // tolerances, steps and methods
  size_t size;
  unsigned long long checksum; // of everything after the header
  int nq, rows, forces, drivers, turns;
} saved_header;

typedef struct saved_record {
  double t, work, last_step, next_step;
  hn_step_control control;
  double initial_energy, initial_potential, largest_energy;
  hn_certificate certificate;
  hn_auto_choice choice;
  long evaluations, looks, projections;
  long jacobians, iterations, newton_failures, method_factorizations, step_iterations;
  long selections;
  int redundant_count;
  int has_new_input;
  long unconverged;
  double unconverged_residual;
} saved_record;

static unsigned long long checksum_of(const unsigned char *data, size_t size) {
  unsigned long long hash = 14695981039346656037u;
  for (size_t i = 0; i < size; i++) hash = (hash ^ data[i]) * 1099511628211u;
  return hash;
}

// What decides about the bits of a run besides the model.
static unsigned long long options_of(const hn_simulation *s) {
  struct {
    double atol, rtol, step, max_step, min_step;
    double xi, alpha, rho, penalty, max_iterations, realtime, accepts_unconverged;
    double energy_upper, energy_lower, switch_step, projects_by_mass;
    char names[5][32];
  } o;
  memset(&o, 0, sizeof o);
  o.atol = s->tolerance.absolute;
  o.rtol = s->tolerance.relative;
  o.step = s->options.step;
  o.max_step = s->options.max_step;
  o.min_step = s->options.min_step;
  o.xi = s->options.xi;
  o.alpha = s->options.alpha;
  o.rho = s->options.rho;
  o.penalty = s->options.penalty;
  o.max_iterations = s->options.max_iterations;
  o.energy_upper = s->options.energy_upper;
  o.energy_lower = s->options.energy_lower;
  o.switch_step = s->options.switch_step;
  o.projects_by_mass = hn_projects_by_mass(&s->options);
  o.realtime = s->options.realtime;
  o.accepts_unconverged = s->options.accepts_unconverged;
  const hn_method *m = s->explicit_method; // `auto` starts with it
  const char *solver = s->equations->solver ? s->equations->solver->type->name : "";
  const char *names[5] = {s->equations->type->name, s->is_choosing ? "auto" : m->type->name,
                          m->formula, m->independent, solver};
  for (int k = 0; k < 5; k++) hn_text(o.names[k], sizeof o.names[k], "%s", names[k]);
  return checksum_of((const unsigned char *)&o, sizeof o);
}

// Whatever the method in use: a state is restored into a run that has not chosen yet.
static size_t memory_size(const hn_simulation *s) {
  const hn_method *methods[] = {s->method, s->explicit_method, s->smooth_method,
                                s->implicit_method};
  size_t most = 0;
  for (int k = 0; k < 4; k++) {
    const hn_method *m = methods[k];
    const size_t size = m && m->type->memory_size ? m->type->memory_size(m) : 0;
    if (size > most) most = size;
  }
  return most;
}

static size_t orientation_size(const hn_simulation *s) {
  return s->equations->orientation ? (size_t)s->model->body_count * sizeof(hn_quat) : 0;
}

static saved_header header_of(const hn_simulation *s) {
  saved_header h;
  memset(&h, 0, sizeof h);
  memcpy(h.magic, "HNSTATE1", 8);
  hn_text(h.version, sizeof h.version, "%s", hn_version());
  h.model = hn_model_hash(s->model);
  h.options = options_of(s);
  h.nq = s->equations->nq;
  h.rows = s->equations->redundant_size;
  h.forces = s->elements->force_branches;
  h.drivers = s->elements->driver_branches;
  h.turns = s->elements->turn_count;
  h.size = sizeof h + sizeof(saved_record) + 2 * (size_t)h.nq * sizeof(double) +
           (size_t)h.forces * sizeof(hn_branch) + (size_t)h.drivers * sizeof(int) +
           (size_t)h.turns * sizeof(double) + (size_t)h.rows +
           (size_t)h.forces * sizeof(struct hn_last_change) +
           (size_t)s->model->force_count * sizeof(int) +
           (size_t)s->model->input_count * sizeof(hn_input_state) +
           HN_EVENT_HISTORY * sizeof(hn_event) + orientation_size(s) +
           hn_nested_save_size(s->equations) + memory_size(s);
  return h;
}

size_t hn_simulation_save_size(const hn_simulation *s) { return header_of(s).size; }

static unsigned char *put(unsigned char *at, const void *data, size_t size) {
  if (size) memcpy(at, data, size);
  return at + size;
}

static const unsigned char *get(const unsigned char *at, void *data, size_t size) {
  if (size) memcpy(data, at, size);
  return at + size;
}

// What a method keeps from step to step (matrices, rates of convergence) is not saved but dropped,
// here as in the simulation that will be restored: both go on from the same. The memory that a method
// declares is saved, and given back to it here as there.
hn_status hn_simulation_save(hn_simulation *s, void *buffer, size_t size) {
  saved_header h = header_of(s);
  if (size < h.size) return HN_ERROR_ARGUMENT;
  hn_status released = hn_simulation_release(s); // a state that is kept goes on moving
  if (released != HN_OK) return released;
  const hn_method_type *type = s->method->type;
  unsigned char *memory = (unsigned char *)buffer + h.size - memory_size(s);
  memset(memory, 0, memory_size(s));
  if (type->save_memory) type->save_memory(s->method, memory);
  long evaluations = s->equations->evaluations;
  s->equations->keep_redundant = 1; // rows stay as they were chosen
  hn_status status = type->begin(s->method, &s->branches, &s->error);
  s->equations->keep_redundant = 0;
  s->equations->evaluations = evaluations;
  if (status == HN_OK && type->restore_memory) status = type->restore_memory(s->method, memory);
  if (status != HN_OK) return status;
  saved_record r;
  memset(&r, 0, sizeof r);
  r.t = s->method->t;
  r.work = s->method->work;
  r.last_step = s->last_step;
  r.next_step = s->next_step;
  r.control = s->control;
  r.initial_energy = s->initial_energy;
  r.initial_potential = s->initial_potential;
  r.largest_energy = s->largest_energy;
  r.certificate = s->certificate;
  r.choice = s->choice;
  r.evaluations = s->equations->evaluations;
  r.looks = s->looks;
  r.redundant_count = s->equations->redundant_count;
  r.projections = s->method->projections;
  r.jacobians = s->method->jacobians;
  r.iterations = s->method->iterations;
  r.newton_failures = s->method->newton_failures;
  r.method_factorizations = s->method->factorizations;
  r.step_iterations = s->step_iterations;
  r.selections = s->method->selections;
  r.has_new_input = s->has_new_input;
  r.unconverged = s->method->unconverged;
  r.unconverged_residual = s->method->unconverged_residual;
  unsigned char *at = put(buffer, &h, sizeof h);
  at = put(at, &r, sizeof r);
  at = put(at, s->method->q, (size_t)h.nq * sizeof(double));
  at = put(at, s->method->qd, (size_t)h.nq * sizeof(double));
  at = put(at, s->branches.force, (size_t)h.forces * sizeof(hn_branch));
  at = put(at, s->branches.driver, (size_t)h.drivers * sizeof(int));
  at = put(at, s->branches.turns, (size_t)h.turns * sizeof(double));
  at = put(at, s->equations->redundant, (size_t)h.rows);
  at = put(at, s->last_change, (size_t)h.forces * sizeof *s->last_change);
  at = put(at, s->seen, (size_t)s->model->force_count * sizeof(int));
  at = put(at, s->inputs, (size_t)s->model->input_count * sizeof(hn_input_state));
  at = put(at, s->events, HN_EVENT_HISTORY * sizeof(hn_event));
  at = put(at, s->equations->orientation, orientation_size(s));
  hn_nested_save(s->equations, at);
  h.checksum = checksum_of((unsigned char *)buffer + sizeof h, h.size - sizeof h);
  put(buffer, &h, sizeof h);
  return HN_OK;
}

static hn_status check_header(hn_simulation *s, const void *buffer, size_t size) {
  saved_header mine = header_of(s), other;
  const char *hint = "make it again with --save-state from the same model and the same holon";
  if (size < sizeof other)
    return hn_fail(&s->error, HN_ERROR_ARGUMENT, NULL, NULL, hint, "the saved state is cut off");
  memcpy(&other, buffer, sizeof other);
  if (memcmp(other.magic, mine.magic, sizeof mine.magic) != 0)
    return hn_fail(&s->error, HN_ERROR_ARGUMENT, NULL, NULL, hint, "this is not a saved state");
  if (memcmp(other.version, mine.version, sizeof mine.version) != 0)
    return hn_fail(&s->error, HN_ERROR_ARGUMENT, NULL, NULL, hint,
                   "the state was saved by holon %.15s, this is %s", other.version, hn_version());
  if (other.model != mine.model)
    return hn_fail(&s->error, HN_ERROR_ARGUMENT, NULL, NULL, hint,
                   "the state was saved from another model (%016llx, this is %016llx)", other.model,
                   mine.model);
  if (other.options != mine.options)
    return hn_fail(
        &s->error, HN_ERROR_ARGUMENT, NULL, NULL,
        "give the same --tol (or --step), --max-step, --coordinates, --method, --formula, "
        "--independent, --linear-solver, --xi, --alpha, --rho, --penalty, --projection and "
        "--max-iterations",
        "the state was saved from a run with other options");
  if (other.size != mine.size || size < mine.size || other.nq != mine.nq)
    return hn_fail(&s->error, HN_ERROR_ARGUMENT, NULL, NULL, hint, "the saved state is cut off");
  if (other.checksum !=
      checksum_of((const unsigned char *)buffer + sizeof mine, mine.size - sizeof mine))
    return hn_fail(&s->error, HN_ERROR_ARGUMENT, NULL, NULL, hint, "the saved state is damaged");
  return HN_OK;
}

hn_status hn_simulation_restore(hn_simulation *s, const void *buffer, size_t size) {
  hn_status status = check_header(s, buffer, size);
  if (status != HN_OK) return status;
  saved_header h = header_of(s);
  saved_record r;
  const unsigned char *at = get((const unsigned char *)buffer + sizeof h, &r, sizeof r);
  s->elements->is_held = 0;
  s->choice = r.choice;
  status = hn_auto_take_up(s);
  if (status != HN_OK) return status;
  at = get(at, s->method->q, (size_t)h.nq * sizeof(double));
  at = get(at, s->method->qd, (size_t)h.nq * sizeof(double));
  at = get(at, s->branches.force, (size_t)h.forces * sizeof(hn_branch));
  at = get(at, s->branches.driver, (size_t)h.drivers * sizeof(int));
  at = get(at, s->branches.turns, (size_t)h.turns * sizeof(double));
  at = get(at, s->equations->redundant, (size_t)h.rows);
  at = get(at, s->last_change, (size_t)h.forces * sizeof *s->last_change);
  at = get(at, s->seen, (size_t)s->model->force_count * sizeof(int));
  at = get(at, s->inputs, (size_t)s->model->input_count * sizeof(hn_input_state));
  at = get(at, s->events, HN_EVENT_HISTORY * sizeof(hn_event));
  at = get(at, s->equations->orientation, orientation_size(s));
  hn_nested_restore(s->equations, at);
  at += hn_nested_save_size(s->equations);
  s->method->t = r.t;
  s->method->work = r.work;
  s->method->step = 0;
  s->method->step_end = r.t;
  s->last_step = r.last_step;
  s->next_step = r.next_step;
  s->control = r.control;
  s->initial_energy = r.initial_energy;
  s->initial_potential = r.initial_potential;
  s->largest_energy = r.largest_energy;
  s->equations->redundant_count = r.redundant_count;
  s->rest_redundant = -1;
  s->equations->keep_redundant = 1;
  status = s->method->type->begin(s->method, &s->branches, &s->error);
  s->equations->keep_redundant = 0;
  if (status == HN_OK && s->method->type->restore_memory)
    status = s->method->type->restore_memory(s->method, at);
  // names in the certificate are this process's own; they are filled when it is asked for
  s->certificate = r.certificate;
  s->equations->evaluations = r.evaluations;
  s->looks = r.looks;
  s->method->projections = r.projections;
  s->method->jacobians = r.jacobians;
  s->method->iterations = r.iterations;
  s->method->newton_failures = r.newton_failures;
  s->method->factorizations = r.method_factorizations;
  s->step_iterations = r.step_iterations;
  s->method->selections = r.selections;
  s->has_new_input = r.has_new_input;
  s->method->unconverged = r.unconverged;
  s->method->unconverged_residual = r.unconverged_residual;
  s->has_dense = 0; // there is no step to look back into
  s->view = s->method->now;
  s->view_branches = &s->branches;
  s->view_work = s->method->work;
  return status;
}
