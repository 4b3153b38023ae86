// Reading a simulation: moments inside the last step, signals, the certificate.
#include "analysis/registry.h"
#include "analysis/simulation.h"
#include "analysis/simulation_contacts.h"
#include "analysis/simulation_switches.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "elements/sensor.h"
#include "equations/levels.h"
#include "holon/run.h"

// Largest |Phi| of a snapshot.
static double gap_of(const hn_simulation *s, const hn_snapshot *snapshot) {
  const double most = hn_largest(snapshot->phi, s->elements->row_count);
  return snapshot->hidden_position > most ? snapshot->hidden_position : most;
}

// Projects dense output onto the constraints, with accelerations there. Has no effect on later
// steps. Near a singular configuration residuals cannot be removed: there it suffices that they are
// as small as at the ends of steps.
static hn_status look_inside(hn_simulation *s, double time) {
  hn_method *m = s->method;
  double theta = (time - m->step_begin) / m->step;
  hn_projected_state p = hn_simulation_look_state(s, time);
  m->type->interpolate(m, theta, p.q, p.qd, &s->view.work);
  hn_status status = hn_equations_look(s->equations, &p, &s->taken, s->looking.snapshot, &s->error);
  if (p.is_open && status == HN_OK) {
    double most = s->certificate.constraint_position;
    int is_near = gap_of(s, s->looking.snapshot) <= most;
    if (!is_near) { // the iteration has left them: as it was
      m->type->interpolate(m, theta, p.q, p.qd, &s->view.work);
      p.keeps_q = 1;
      status = hn_equations_look(s->equations, &p, &s->taken, s->looking.snapshot, &s->error);
      is_near = status == HN_OK && gap_of(s, s->looking.snapshot) <= most;
    }
    if (!is_near) status = HN_RETRY_CONVERGENCE;
  }
  s->looking.count++;
  return status;
}

hn_status hn_simulation_look_at(hn_simulation *s, double time) {
  const hn_method *m = s->method;
  s->view.snapshot = m->now;
  s->view.branches = &s->branches;
  s->view.work = m->work;
  if (m->states > 0) hn_states_set(s->elements, m->z);
  if (time == m->t) return HN_OK;
  if (!s->stepping.has_dense || !(time >= m->step_begin && time < m->t))
    return hn_fail(&s->error, HN_ERROR_ARGUMENT, NULL, NULL,
                   "use a time from hn_simulation_time minus the last step to hn_simulation_time",
                   "t = %g s is outside the last step", time);
  hn_switches_look_back(s, 1);
  hn_status status = m->type->steps_over ? hn_contacts_look(s, time) : look_inside(s, time);
  hn_switches_look_back(s, 0);
  if (status != HN_OK && hn_nested_lost(s->equations, time, &s->error) != HN_OK)
    return s->error.status;
  if (status > 0)
    return hn_fail(&s->error, HN_ERROR_CONVERGENCE, NULL, NULL,
                   "use a smaller @tol or set @max_step",
                   "the interpolated position at t = %g s does not satisfy the constraints", time);
  if (status != HN_OK) return status;
  s->view.snapshot = s->looking.snapshot;
  s->view.branches = &s->taken;
  return HN_OK;
}

double hn_simulation_look_time(const hn_simulation *s) { return s->view.snapshot->t; }

// ---- signals ------------------------------------------------------------------------------------

static hn_signal_source source(const hn_simulation *s, int is_whole) {
  if (is_whole) hn_snapshot_complete(s->equations, s->view.branches, s->view.snapshot);
  return (hn_signal_source){.snapshot = s->view.snapshot,
                            .branches = s->view.branches,
                            .work = s->view.work,
                            .initial_energy = s->energy.initial,
                            .step_size = s->stepping.last,
                            .iterations = (int)s->stepping.iterations,
                            .inputs = s->inputs};
}

int hn_simulation_signal_count(const hn_simulation *s) { return hn_signals_count(s->signals); }
int hn_simulation_signal_count_all(const hn_simulation *s) {
  return hn_signals_count_all(s->signals);
}
const char *hn_simulation_signal_name(const hn_simulation *s, int index) {
  return hn_signals_name(s->signals, index);
}
const char *hn_simulation_signal_unit(const hn_simulation *s, int index) {
  return hn_signals_unit(s->signals, index);
}
int hn_simulation_find_signal(const hn_simulation *s, const char *name) {
  return hn_signals_find(s->signals, name);
}

// Outputs come first. A formula that leaves its domain (0 / 0, the root of a negative number) is
// reported once: files and JSON contain nothing, or null, instead.
static void note_output(hn_simulation *s, int index, double value) {
  if (index < 0 || index >= s->model->outputs.count || isfinite(value) || s->told.outputs[index])
    return;
  char element[128];
  s->told.outputs[index] = 1;
  hn_text(element, sizeof element, "output '%s'", s->model->outputs.item[index].name);
  hn_simulation_warn(s, element, "is %s at t = %.6g s; check its formula (%.200s)",
                     isnan(value) ? "not a number" : "infinite", s->view.snapshot->t,
                     s->model->outputs.item[index].expression);
}

double hn_simulation_signal(hn_simulation *s, int index) {
  hn_signal_source from = source(s, hn_signals_needs_whole(s->signals, index));
  double value = hn_signals_evaluate(s->signals, &from, index);
  note_output(s, index, value);
  return value;
}
void hn_simulation_signals(hn_simulation *s, const int *indices, int count, double *values) {
  hn_signal_source from = source(s, 1);
  hn_signals_evaluate_many(s->signals, &from, indices, count, values);
  for (int k = 0; k < count; k++) note_output(s, indices[k], values[k]);
}
hn_status hn_simulation_value(hn_simulation *s, const char *name, double *value) {
  int index = hn_simulation_find_signal(s, name);
  if (index < 0)
    return hn_fail(&s->error, HN_ERROR_ARGUMENT, NULL, NULL,
                   "List signals with hn_simulation_signal_name", "there is no signal '%s'", name);
  *value = hn_simulation_signal(s, index);
  return HN_OK;
}

hn_status hn_simulation_body_motion(hn_simulation *s, int body, hn_body_motion *motion) {
  if (body < 0 || body >= s->model->body_count)
    return hn_fail(&s->error, HN_ERROR_ARGUMENT, NULL, NULL, NULL,
                   "there is no body %d; use an index from 0 to %d", body,
                   s->model->body_count - 1);
  const hn_frame *f = &s->view.snapshot->frames[body];
  hn_vec3 origin = body == HN_GROUND ? vec3_zero() : s->elements->model->origin.at;
  *motion = (hn_body_motion){vec3_add(f->r, origin), f->a, f->v, f->w};
  return HN_OK;
}

// ---- state --------------------------------------------------------------------------------------

int hn_simulation_coordinate_count(const hn_simulation *s) { return s->equations->nq; }
const double *hn_simulation_positions(const hn_simulation *s) { return s->method->q; }
const double *hn_simulation_velocities(const hn_simulation *s) { return s->method->qd; }
const double *hn_simulation_accelerations(const hn_simulation *s) { return s->method->now->qdd; }
int hn_simulation_multiplier_count(const hn_simulation *s) { return s->elements->row_count; }
const double *hn_simulation_multipliers(const hn_simulation *s) {
  hn_snapshot_complete(s->equations, &s->branches, s->method->now);
  return s->method->now->lambda;
}

hn_status hn_simulation_set_state(hn_simulation *s, double time, const double *q,
                                  const double *qd) {
  size_t size = (size_t)s->equations->nq * sizeof(double);
  memcpy(s->method->q, q, size);
  memcpy(s->method->qd, qd, size);
  s->method->t = time;
  *s->elements->is_held = 0;
  hn_elements_drive_turns(s->elements, time, s->branches.turns);
  hn_status status = hn_simulation_begin(s);
  if (status == HN_OK) hn_simulation_reset_record(s);
  return status;
}

static uint64_t hash_bytes(uint64_t hash, const void *data, size_t size) {
  const unsigned char *bytes = data;
  for (size_t i = 0; i < size; i++) hash = (hash ^ bytes[i]) * 1099511628211u;
  return hash;
}

unsigned long long hn_simulation_state_hash(const hn_simulation *s) {
  size_t size = (size_t)s->equations->nq * sizeof(double);
  uint64_t hash = hash_bytes(14695981039346656037u, &s->method->t, sizeof s->method->t);
  hash = hash_bytes(hash, s->method->q, size);
  return hash_bytes(hash, s->method->qd, size);
}

hn_certificate hn_simulation_certificate(const hn_simulation *s) {
  hn_certificate c = s->certificate;
  c.coordinates = s->equations->type->name;
  c.method = s->method->type->name;
  c.formula = s->method->formula;
  c.independent = s->method->independent;
  const hn_preset run = {.coordinates = c.coordinates,
                         .method = c.method,
                         .formula = c.formula,
                         .independent = c.independent,
                         .projection = s->used.projection};
  c.preset = hn_preset_of(&run);
  c.linear_solver = s->equations->solver ? s->equations->solver->type->name : "recursive";
  c.evaluations = s->equations->evaluations - s->looking.count;
  c.factorizations = s->method->factorizations + s->equations->factorizations;
  if (s->equations->solver) c.factorizations += s->equations->solver->factorizations;
  if (s->equations->saddle) c.factorizations += hn_saddle_factorizations(s->equations->saddle);
  if (s->equations->type->traits.is_hierarchical) {
    c.linear_solver = "hierarchical";
    c.factorizations += hn_hierarchy_factorizations(hn_nested_hierarchy(s->equations));
  }
  hn_contacts_certify(s, &c);
  hn_methods_certify(s, &c);
  c.newton_iterations = s->method->iterations;
  c.newton_failures = s->method->newton_failures;
  c.newton_unconverged_accepted = s->method->unconverged;
  c.newton_unconverged_residual = s->method->unconverged_residual;
  const hn_equations *on_bodies = s->equations->on_bodies;
  c.redundant = (on_bodies ? on_bodies : s->equations)->redundant_count +
                hn_nested_hidden_redundant(s->equations);
  c.projections = s->method->projections;
  // time-stepped contacts change velocities at once, whatever the step
  c.fastest_motion = s->method->type->steps_over ? -1 : hn_resolution_frequency(&s->resolution);
  c.energy_part.relative = hn_energy_parts_worst(&s->energy.parts, &c.energy_part.body);
  c.selections = s->method->selections;
  if (s->automatic.is_choosing && !c.choice[0])
    hn_text(c.choice, sizeof c.choice, "not stiff: accuracy limited the steps, not stability");
  if (s->automatic.why[0]) {
    char method[sizeof c.choice];
    hn_text(method, sizeof method, "%s%s", c.choice[0] ? "; " : "", c.choice);
    hn_text(c.choice, sizeof c.choice, "%s%.140s", s->automatic.why, method);
  }
  return c;
}

double hn_simulation_work(const hn_simulation *s) {
  hn_certificate c = hn_simulation_certificate(s);
  double size = s->equations->nq + s->equations->nu;
  long parts = c.evaluations + c.newton_iterations + 4 * c.factorizations;
  return size * (double)(parts > 0 ? parts : c.steps_accepted);
}

const hn_accuracy *hn_simulation_accuracy(const hn_simulation *s) { return s->accuracy; }
