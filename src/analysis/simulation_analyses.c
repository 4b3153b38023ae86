// Analyses offered on a simulation: mobility, equilibrium, kinematics at its present state.
#include <math.h>
#include <string.h>

#include "analysis/assembly.h"
#include "analysis/hierarchy_report.h"
#include "analysis/kinematics.h"
#include "analysis/mobility.h"
#include "analysis/simulation.h"
#include "analysis/simulation_switches.h"
#include "analysis/statics.h"
#include "base/error.h"
#include "equations/conditions.h"
#include "holon/linear.h"
#include "math/elementary.h"

#define UNSTABLE 1e-7 // of the largest eigenvalue: larger real parts are not rounding errors

// Rejects an analysis that needs data hidden in a sealed component.
static hn_status refuse_sealed(hn_simulation *s, const char *what) {
  if (s->model->part_count == 0) return HN_OK;
  const hn_sealed_part *part = &s->model->parts[0];
  char name[96];
  return hn_fail(&s->error, HN_ERROR_UNSUPPORTED, &part->source,
                 hn_text(name, sizeof name, "component '%s'", part->name),
                 "use its model file, or run it with @method components",
                 "is sealed; %s needs its contents", what);
}

hn_status hn_simulation_mobility(hn_simulation *s, hn_mobility *mobility) {
  if (s->model->part_count > 0) return hn_mobility_of_levels(s, mobility);
  hn_status status = hn_mobility_compute(s->equations, s->options.allocator, s->method->t,
                                         s->method->q, &s->branches, mobility, &s->error);
  int positions = 0;
  if (status != HN_OK || !s->contacts) return status;
  status = hn_rigid_held_rank(s->equations, s->method->t, s->method->q, s->method->qd, &s->branches,
                              &positions, &mobility->nonholonomic);
  mobility->degrees_of_freedom -= positions;
  return status;
}

void hn_simulation_warn_statics(hn_simulation *s, const hn_statics_report *report) {
  int several = report->neutral_count != 1;
  if (report->warning.message[0])
    (report->warning.is_note ? hn_simulation_note : hn_simulation_warn)(
        s, report->warning.element, "%s", report->warning.message);
  if (report->unheld > 0)
    hn_simulation_note(s, "equilibrium",
                       "is neutral in %d direction%s, which keep%s the given position: %.400s. If "
                       "%s should not be free, add a joint or spring.",
                       report->neutral_count, several ? "s" : "", several ? "" : "s",
                       report->neutral, several ? "they" : "it");
}

// Functions of signals make the force on a body depend on others, and states have dynamics of their
// own: stiffness alone does not show whether such a model returns. Small motions do.
static int is_stable(hn_simulation *s, int by_stiffness) {
  hn_linear_options options = hn_default_linear_options();
  hn_linear *linear = NULL;
  options.is_steady = 1;
  if (s->elements->model->sensing.couplings == 0 ||
      hn_simulation_linearize(s, &options, &linear, NULL) != HN_OK)
    return by_stiffness;
  double largest = 0, most = -HUGE_VAL;
  for (int k = 0; k < linear->eigenvalue_count; k++) {
    const hn_eigenvalue *e = &linear->eigenvalues[k];
    largest = fmax(largest, hn_hypot(e->real, e->imaginary));
    most = fmax(most, e->real);
  }
  hn_linear_free(linear);
  return !(most > UNSTABLE * largest);
}

hn_status hn_simulation_equilibrium(hn_simulation *s, const hn_statics_options *options,
                                    hn_statics_report *report) {
  hn_statics_report own;
  if (!report) report = &own;
  hn_status status = refuse_sealed(s, "an equilibrium");
  if (status != HN_OK) return status;
  int was_held = *s->elements->is_held;
  *s->elements->is_held = 1;
  status = hn_simulation_solve_statics(s, options, report);
  if (status != HN_OK) {
    *s->elements->is_held = was_held;
    return status;
  }
  hn_simulation_warn_statics(s, report);
  memset(s->method->qd, 0, (size_t)s->equations->nq * sizeof(double));
  status = hn_simulation_begin(s);
  if (status == HN_OK) hn_simulation_reset_record(s);
  if (status == HN_OK) report->stable = is_stable(s, report->stable);
  return status;
}

hn_status hn_simulation_release_drivers(hn_simulation *s) {
  if (!*s->elements->is_held) return HN_OK;
  *s->elements->is_held = 0;
  if (s->model->driver_count > 0)
    hn_assemble_driven(s->equations, s->options.allocator, s->method->t, s->method->q,
                       s->method->qd, &s->branches);
  hn_status status = hn_equations_jump(s->equations, s->method->t, s->method->q, s->method->qd,
                                       &s->branches, s->looking.correction);
  if (status == HN_OK) status = hn_simulation_begin(s);
  if (status == HN_OK) hn_simulation_reset_record(s);
  return status;
}

hn_status hn_simulation_kinematics(hn_simulation *s, double time) {
  hn_status status = refuse_sealed(s, "kinematics");
  if (status == HN_OK) status = hn_refuse_switches(s->model, "kinematics", &s->error);
  if (status != HN_OK) return status;
  *s->elements->is_held = 0; // velocities are those of the drivers
  status = hn_kinematics_solve(&s->kinematics, s->equations, s->options.allocator, s->method->t,
                               time, s->method->q, s->method->qd, &s->branches, &s->error);
  if (status != HN_OK) return status;
  s->method->t = time;
  return hn_simulation_begin(s);
}
