// Checkpoint and restart: the state, frozen branches, memory of the method, and counts of the run.
// Saving does not change a run, and a restored run continues as the saved one, bit for bit.
// The block is a header, the fixed-size record, then the arrays; it is tied to this model and build.
#include "analysis/saved_state.h"

#include <string.h>

#include "analysis/parameters.h"
#include "analysis/simulation_contacts.h"
#include "analysis/simulation_delays.h"
#include "analysis/simulation_guards.h"
#include "base/error.h"
#include "elements/sensor.h"
#include "equations/nested/nested.h"
#include "integrate/memory.h"
#include "model/options.h"

unsigned long long hn_saved_checksum(const unsigned char *data, size_t size) {
  unsigned long long hash = 14695981039346656037u;
  for (size_t i = 0; i < size; i++) hash = (hash ^ data[i]) * 1099511628211u;
  return hash;
}

// Hash of all options that affect the bits of a run besides the model.
static unsigned long long options_of(const hn_simulation *s) {
  struct {
    double numbers[HN_OPTION_COUNT_ALL], realtime, accepts_unconverged;
    char words[HN_OPTION_COUNT_ALL][32], names[5][32];
  } o;
  const hn_option_row *row;
  memset(&o, 0, sizeof o);
  for (int k = 0; (row = hn_option_row_at(k)); k++) {
    if (!(row->option.places & HN_OPTION_AT_BITS)) continue;
    if (row->option.kind != HN_OPTION_WORD)
      o.numbers[k] = hn_option_number(row, &s->options);
    else if (hn_option_is_said(row, &s->options))
      hn_text(o.words[k], sizeof o.words[k], "%s", hn_option_text(row, &s->options));
  }
  o.realtime = s->options.realtime;
  o.accepts_unconverged = s->options.accepts_unconverged;
  const hn_method *m = s->automatic.explicit_method; // `auto` starts with it
  const char *solver = s->equations->solver ? s->equations->solver->type->name : "";
  const char *names[5] = {s->equations->type->name,
                          s->automatic.is_choosing ? "auto" : m->type->name, m->formula,
                          m->independent, solver};
  for (int k = 0; k < 5; k++) hn_text(o.names[k], sizeof o.names[k], "%s", names[k]);
  return hn_saved_checksum((const unsigned char *)&o, sizeof o);
}

// Whatever the method in use: a state is restored into a run that has not chosen yet.
static size_t memory_size(const hn_simulation *s) {
  const hn_method *methods[] = {s->method, s->automatic.explicit_method, s->automatic.smooth_method,
                                s->automatic.implicit_method};
  size_t most = 0;
  for (int k = 0; k < 4; k++) {
    const size_t size = methods[k] ? hn_method_memory_size(methods[k]) : 0;
    if (size > most) most = size;
  }
  return most;
}

static size_t orientation_size(const hn_simulation *s) {
  return s->equations->orientation ? (size_t)s->model->body_count * sizeof(hn_quat) : 0;
}

static hn_saved_header header_of(const hn_simulation *s) {
  hn_saved_header h;
  memset(&h, 0, sizeof h);
  memcpy(h.magic, "HNSTATE6", 8);
  hn_text(h.version, sizeof h.version, "%s", hn_version());
  h.model = hn_model_hash(s->model);
  h.options = options_of(s);
  h.nq = s->equations->nq;
  h.rows = s->equations->redundant_size;
  h.forces = s->elements->force_branches;
  h.drivers = s->elements->driver_branches;
  h.turns = s->elements->turn_count;
  h.memory = memory_size(s);
  h.history = hn_delays_save_size(s, 0);
  h.size = sizeof h + sizeof(hn_saved_record) + 3 * (size_t)h.nq * sizeof(double) +
           (size_t)(s->method->states + hn_simulation_sampled(s)) * sizeof(double) +
           (size_t)s->energy.parts.count * sizeof(hn_saved_part) +
           4 * (size_t)s->resolution.count * sizeof(double) + (size_t)h.forces * sizeof(hn_branch) +
           (size_t)h.drivers * sizeof(int) + (size_t)h.turns * sizeof(double) + (size_t)h.rows +
           (size_t)h.forces * sizeof(struct hn_last_change) +
           (size_t)s->model->force_count * sizeof(int) +
           (size_t)s->model->input_count * sizeof(hn_input_state) +
           (size_t)s->model->outputs.count + sizeof s->told.warnings +
           HN_EVENT_HISTORY * sizeof(hn_event) + orientation_size(s) + hn_contacts_save_size(s) +
           hn_guards_save_size(s) + hn_nested_save_size(s->equations) + h.history + h.memory;
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

// ---- sums over a run ----------------------------------------------------------------------------

static unsigned char *put_sums(unsigned char *at, const hn_simulation *s) {
  for (int k = 0; k < s->energy.parts.count; k++) {
    const hn_energy_part *p = &s->energy.parts.part[k];
    const hn_saved_part kept = {p->start,   p->potential, p->energy,   p->size,
                                p->largest, p->balance,   p->does_work};
    at = put(at, &kept, sizeof kept);
  }
  const hn_resolution *r = &s->resolution;
  const double *const arrays[4] = {r->q, r->qdd, r->square, r->apart};
  for (int k = 0; k < 4; k++) at = put(at, arrays[k], (size_t)r->count * sizeof(double));
  return at;
}

static const unsigned char *get_sums(const unsigned char *at, hn_simulation *s) {
  for (int k = 0; k < s->energy.parts.count; k++) {
    hn_energy_part *p = &s->energy.parts.part[k];
    hn_saved_part kept;
    at = get(at, &kept, sizeof kept);
    p->start = kept.start;
    p->potential = kept.potential;
    p->energy = kept.energy;
    p->size = kept.size;
    p->largest = kept.largest;
    p->balance = kept.balance;
    p->does_work = (int)kept.does_work;
  }
  hn_resolution *r = &s->resolution;
  double *const arrays[4] = {r->q, r->qdd, r->square, r->apart};
  for (int k = 0; k < 4; k++) at = get(at, arrays[k], (size_t)r->count * sizeof(double));
  return at;
}

// ---- saving -------------------------------------------------------------------------------------

static hn_saved_record record_of(const hn_simulation *s) {
  hn_saved_record r;
  memset(&r, 0, sizeof r);
  r.t = s->method->t;
  r.work = s->method->work;
  r.last_step = s->stepping.last;
  r.next_step = s->stepping.next;
  r.last_error = s->control.last_error;
  r.after_rejection = s->control.after_rejection;
  r.initial_energy = s->energy.initial;
  r.initial_potential = s->energy.initial_potential;
  r.largest_energy = s->energy.largest;
  r.certificate = s->certificate;
  hn_contacts_certify(s, &r.certificate);
  // names are of this process; they are filled in when the certificate is asked for
  r.certificate.coordinates = r.certificate.method = r.certificate.formula = NULL;
  r.certificate.independent = r.certificate.linear_solver = r.certificate.preset = NULL;
  r.choice = s->automatic.choice;
  r.evaluations = s->equations->evaluations;
  r.looks = s->looking.count;
  r.redundant_count = s->equations->redundant_count;
  r.rest_redundant = s->at_start.redundant;
  r.projections = s->method->projections;
  r.jacobians = s->method->jacobians;
  r.iterations = s->method->iterations;
  r.newton_failures = s->method->newton_failures;
  r.method_factorizations = s->method->factorizations;
  r.step_iterations = s->stepping.iterations;
  r.selections = s->method->selections;
  r.has_new_input = s->given.is_new;
  r.is_held = s->elements->is_held;
  r.unconverged = s->method->unconverged;
  r.unconverged_residual = s->method->unconverged_residual;
  r.warning_count = s->told.count;
  r.blind_force = s->told.blind_force;
  r.blind_turn = s->told.blind_turn;
  r.tilted = s->told.tilted;
  r.progress = s->progress;
  r.has_resolution = s->resolution.has_last;
  return r;
}

// The method passes what it keeps from step to step; matrices as the states they were made at
// (integrate/memory.h).
hn_status hn_simulation_save(const hn_simulation *s, void *buffer, size_t size) {
  hn_saved_header h = header_of(s);
  if (size < h.size) return HN_ERROR_ARGUMENT;
  const hn_saved_record r = record_of(s);
  unsigned char *at = put(buffer, &h, sizeof h);
  at = put(at, &r, sizeof r);
  at = put(at, s->method->q, (size_t)h.nq * sizeof(double));
  at = put(at, s->method->qd, (size_t)h.nq * sizeof(double));
  at = put(at, s->lock.base, (size_t)h.nq * sizeof(double));
  at = put(at, s->method->z, (size_t)s->method->states * sizeof(double));
  at = put(at, s->samples, (size_t)hn_simulation_sampled(s) * sizeof(double));
  at = put_sums(at, s);
  at = put(at, s->branches.force, (size_t)h.forces * sizeof(hn_branch));
  at = put(at, s->branches.driver, (size_t)h.drivers * sizeof(int));
  at = put(at, s->branches.turns, (size_t)h.turns * sizeof(double));
  at = put(at, s->equations->redundant, (size_t)h.rows);
  at = put(at, s->last_change, (size_t)h.forces * sizeof *s->last_change);
  at = put(at, s->realtime.seen, (size_t)s->model->force_count * sizeof(int));
  at = put(at, s->inputs, (size_t)s->model->input_count * sizeof(hn_input_state));
  at = put(at, s->told.outputs, (size_t)s->model->outputs.count);
  at = put(at, s->told.warnings, sizeof s->told.warnings);
  at = put(at, s->events, HN_EVENT_HISTORY * sizeof(hn_event));
  at = put(at, s->equations->orientation, orientation_size(s));
  at = hn_contacts_save(s, at);
  at = hn_guards_save(s, at);
  const hn_status status = hn_nested_save(s->equations, at);
  at += hn_nested_save_size(s->equations);
  at = hn_delays_save(s, at);
  memset(at, 0, h.memory);
  hn_method_save(s->method, at);
  h.checksum = hn_saved_checksum((unsigned char *)buffer + sizeof h, h.size - sizeof h);
  put(buffer, &h, sizeof h);
  return status;
}

// ---- restoring ----------------------------------------------------------------------------------

// All that decide about the bits: "give the same @atol, ..."
static const char *name_options(char *text, size_t size) {
  const hn_option_row *row;
  hn_text(text, size, "give the same");
  for (int k = 0; (row = hn_option_row_at(k)); k++) {
    const size_t used = strlen(text);
    if (row->option.places & HN_OPTION_AT_COMMAND)
      hn_text(text + used, size - used, "%s @%s", k > 0 ? "," : "", row->option.name);
  }
  return text;
}

static hn_status check_header(hn_simulation *s, const void *buffer, size_t size) {
  hn_saved_header mine = header_of(s), other;
  char text[480];
  const char *hint =
      "save it again with @save_state from the same model and the same version of Holon";
  if (size < sizeof other)
    return hn_fail(&s->error, HN_ERROR_ARGUMENT, NULL, NULL, hint, "the saved state is incomplete");
  memcpy(&other, buffer, sizeof other);
  if (memcmp(other.magic, mine.magic, 7) != 0)
    return hn_fail(&s->error, HN_ERROR_ARGUMENT, NULL, NULL, hint, "this is not a saved state");
  if (other.magic[7] != mine.magic[7])
    return hn_fail(&s->error, HN_ERROR_ARGUMENT, NULL, NULL, hint,
                   "the state was saved by another version of Holon");
  if (memcmp(other.version, mine.version, sizeof mine.version) != 0)
    return hn_fail(&s->error, HN_ERROR_ARGUMENT, NULL, NULL, hint,
                   "the state was saved by Holon %.15s; this is %s", other.version, hn_version());
  if (other.model != mine.model)
    return hn_fail(&s->error, HN_ERROR_ARGUMENT, NULL, NULL, hint,
                   "the state was saved from another model (%016llx; this is %016llx)", other.model,
                   mine.model);
  if (other.options != mine.options)
    return hn_fail(&s->error, HN_ERROR_ARGUMENT, NULL, NULL, name_options(text, sizeof text),
                   "the state was saved from a run with other options");
  // memory of a method that `auto` has not made here is not in the size of this one
  const int is_same = other.nq == mine.nq && other.rows == mine.rows &&
                      other.forces == mine.forces && other.drivers == mine.drivers &&
                      other.turns == mine.turns;
  if (size < other.size || other.memory > other.size || other.history > other.size - other.memory ||
      !is_same ||
      other.size - other.memory - other.history != mine.size - mine.memory - mine.history)
    return hn_fail(&s->error, HN_ERROR_ARGUMENT, NULL, NULL, hint, "the saved state is incomplete");
  if (size > other.size)
    return hn_fail(&s->error, HN_ERROR_ARGUMENT, NULL, NULL, hint,
                   "the saved state has %zu extra bytes", size - (size_t)other.size);
  if (other.checksum !=
      hn_saved_checksum((const unsigned char *)buffer + sizeof mine, other.size - sizeof mine))
    return hn_fail(&s->error, HN_ERROR_ARGUMENT, NULL, NULL, hint, "the saved state is damaged");
  return HN_OK;
}

// Takes over data that is already validated; components and the method may still reject theirs.
static hn_status take_over(hn_simulation *s, const unsigned char *buffer) {
  hn_saved_header h;
  hn_saved_record r;
  const unsigned char *at = get(get(buffer, &h, sizeof h), &r, sizeof r);
  s->automatic.choice = r.choice;
  hn_status status = hn_auto_take_up(s);
  if (status != HN_OK) return status;
  at = get(at, s->method->q, (size_t)h.nq * sizeof(double));
  at = get(at, s->method->qd, (size_t)h.nq * sizeof(double));
  at = get(at, s->lock.base, (size_t)h.nq * sizeof(double));
  at = get(at, s->method->z, (size_t)s->method->states * sizeof(double));
  at = get(at, s->samples, (size_t)hn_simulation_sampled(s) * sizeof(double));
  if (s->method->states > 0) hn_states_set(s->elements, s->method->z);
  at = get_sums(at, s);
  at = get(at, s->branches.force, (size_t)h.forces * sizeof(hn_branch));
  at = get(at, s->branches.driver, (size_t)h.drivers * sizeof(int));
  at = get(at, s->branches.turns, (size_t)h.turns * sizeof(double));
  at = get(at, s->equations->redundant, (size_t)h.rows);
  at = get(at, s->last_change, (size_t)h.forces * sizeof *s->last_change);
  at = get(at, s->realtime.seen, (size_t)s->model->force_count * sizeof(int));
  at = get(at, s->inputs, (size_t)s->model->input_count * sizeof(hn_input_state));
  at = get(at, s->told.outputs, (size_t)s->model->outputs.count);
  at = get(at, s->told.warnings, sizeof s->told.warnings);
  at = get(at, s->events, HN_EVENT_HISTORY * sizeof(hn_event));
  at = get(at, s->equations->orientation, orientation_size(s));
  if ((status = hn_contacts_restore(s, &at)) != HN_OK) return status;
  if ((status = hn_guards_restore(s, &at)) != HN_OK) return status;
  const hn_status nested = hn_nested_restore(s->equations, at);
  at += hn_nested_save_size(s->equations);
  if ((status = hn_delays_restore(s, at, h.history)) != HN_OK) return status;
  at += h.history;
  s->method->t = r.t;
  s->method->work = r.work;
  s->stepping.last = r.last_step;
  s->stepping.next = r.next_step;
  s->control = hn_step_control_begin(s->method->error_order);
  s->control.last_error = r.last_error;
  s->control.after_rejection = r.after_rejection;
  s->energy.initial = r.initial_energy;
  s->energy.initial_potential = r.initial_potential;
  s->energy.largest = r.largest_energy;
  s->equations->redundant_count = r.redundant_count;
  s->elements->is_held = r.is_held;
  s->at_start.redundant = r.rest_redundant;
  status = hn_method_restore(s->method, &s->branches, at, h.memory, &s->error);
  s->certificate = r.certificate;
  hn_contacts_recall(s);
  s->equations->evaluations = r.evaluations;
  s->looking.count = r.looks;
  s->method->projections = r.projections;
  s->method->jacobians = r.jacobians;
  s->method->iterations = r.iterations;
  s->method->newton_failures = r.newton_failures;
  s->method->factorizations = r.method_factorizations;
  s->stepping.iterations = r.step_iterations;
  s->method->selections = r.selections;
  s->given.is_new = r.has_new_input;
  s->method->unconverged = r.unconverged;
  s->method->unconverged_residual = r.unconverged_residual;
  s->told.count = r.warning_count;
  s->told.blind_force = r.blind_force;
  s->told.blind_turn = r.blind_turn;
  s->told.tilted = r.tilted;
  s->progress = r.progress;
  s->resolution.has_last = r.has_resolution;
  s->stepping.has_dense = 0; // there is no step to look back into
  s->view = (struct hn_view){s->method->now, &s->branches, s->method->work};
  if (nested == HN_OK) return status;
  return hn_fail(&s->error, nested, NULL, NULL,
                 "check the functions of the component that save and restore",
                 "a component cannot restore its state: %s", hn_status_text(nested));
}

hn_status hn_simulation_restore(hn_simulation *s, const void *buffer, size_t size) {
  hn_saved_record r;
  hn_status status = check_header(s, buffer, size);
  if (status != HN_OK) return status;
  const unsigned char *at = (const unsigned char *)buffer + sizeof(hn_saved_header);
  at = get(at, &r, sizeof r);
  status = hn_check_saved_state(s, &r, at);
  if (status != HN_OK) return status;
  // the present state, in case the new one is rejected later
  const size_t room = hn_simulation_save_size(s);
  unsigned char *present = hn_allocate(s->options.allocator, room);
  if (!present)
    return hn_fail(&s->error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory for a state");
  status = hn_simulation_save(s, present, room);
  if (status != HN_OK)
    hn_fail(&s->error, status, NULL, NULL,
            "check the functions of the component that save and restore",
            "a component cannot save its state: %s", hn_status_text(status));
  else if ((status = take_over(s, buffer)) != HN_OK) {
    const hn_error error = s->error;
    take_over(s, present);
    s->error = error;
  }
  hn_release(s->options.allocator, present);
  return status;
}
