// A run in some lines of words, for a terminal.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/registry.h"
#include "holon/figures.h"
#include "math/elementary.h"
#include "study/report.h"

static void add_duration(hn_string *text, double seconds) {
  if (seconds < 1e-6) {
    hn_string_add(text, "%.2g s", seconds);
  } else if (seconds < 0.9995e-3) {
    hn_string_add(text, "%.3g us", 1e6 * seconds);
  } else if (seconds < 0.9995) {
    hn_string_add(text, "%.3g ms", 1e3 * seconds);
  } else {
    hn_string_add(text, "%.3g s", seconds);
  }
}

static void add_machine(hn_string *text, const hn_report *r) {
  int bodies = hn_model_body_count(r->model), joints = hn_model_joint_count(r->model);
  hn_string_add(text, "%d %s, %d %s", bodies, bodies == 1 ? "body" : "bodies", joints,
                joints == 1 ? "joint" : "joints");
  const hn_mobility *m = r->mobility;
  if (!m) return;
  int freedom = m->degrees_of_freedom;
  int redundant = m->rows - m->rank;
  hn_string_add(text, ", %d %s of freedom", freedom, freedom == 1 ? "degree" : "degrees");
  if (m->nonholonomic > 0)
    hn_string_add(text, " in position, %d in velocity", freedom - m->nonholonomic);
  const int prescribed = hn_mobility_prescribed(m);
  if (prescribed > 0 && m->drivers == 1)
    hn_string_add(text, " (1 more prescribed by '%s')", hn_model_driver_name(r->model, 0));
  else if (prescribed > 0)
    hn_string_add(text, " (%d more prescribed by drivers)", prescribed);
  if (redundant > 0)
    hn_string_add(text, ", %d redundant constraint%s (common in closed loops)", redundant,
                  redundant == 1 ? "" : "s");
  if (m->held_count == 1)
    hn_string_add(text, "; '%s' cannot move", hn_model_body_name(r->model, m->held[0]));
  else if (m->held_count > 1)
    hn_string_add(text, "; %d bodies cannot move", m->held_count);
}

// The estimated error of the final value at this time; 0: not estimated, as where the second run did not
// get there.
static double bar_of(const hn_accuracy *accuracy, double time, const char *name) {
  if (accuracy != NULL && accuracy->reached < time) return 0;
  for (int k = 0; accuracy != NULL && accuracy->is_estimated && k < accuracy->signal_count; k++)
    if (strcmp(accuracy->signals[k].name, name) == 0) return accuracy->signals[k].last;
  return 0;
}

// The bar may be far too large, so a value below it keeps two digits. What is a millionth of it is
// rounding error.
static void add_below_bar(hn_string *text, double value, double bar) {
  const double size = fabs(value);
  if (!(size > 1e-6 * bar)) {
    hn_string_text(text, "0");
  } else if (size >= 1e-4 && size < 1e6) {
    const int place = (int)floor(hn_log10(size));
    hn_string_add(text, "%.*f", place < 1 ? 1 - place : 0, value);
  } else {
    hn_string_add(text, "%.1e", value);
  }
}

// "0.56290 +- 0.00003": one digit of the bar, and the value to the same place.
static void add_with_bar(hn_string *text, double value, double bar) {
  if (fabs(value) < 1e-30 && !(bar > 1e-30)) { // only rounding error
    hn_string_text(text, "0");
    return;
  }
  if (!isfinite(value)) {
    hn_string_text(text, isnan(value) ? "not a number" : value > 0 ? "infinite" : "-infinite");
    return;
  }
  enum { DIGITS = 9 }; // of a value at most
  int place = bar > 0 && isfinite(bar) ? (int)floor(hn_log10(bar)) : 0;
  double unit = hn_pow(10, place), digit = ceil(bar / unit);
  if (!(bar > 0) || !isfinite(bar) || fabs(value) / unit > 1e15 || place > 4) {
    hn_string_add(text, bar > 0 ? "%.6g +- %.1g" : "%.6g", value, bar);
  } else if (fabs(value) < 0.5 * bar) {
    add_below_bar(text, value, bar);
    if (bar < 1e-4)
      hn_string_add(text, " +- %.0e", digit * unit);
    else
      hn_string_add(text, " +- %.*f", place < 0 ? -place : 0, digit * unit);
  } else if (fabs(value) < 1e-4 && bar < 1e-4) {
    hn_string_add(text, "%.*e +- %.0e",
                  place < 0 && fabs(value) > bar ? (int)floor(hn_log10(fabs(value))) - place : 0,
                  value, digit * unit);
  } else if (fabs(value) / unit > hn_pow(10, DIGITS)) {
    hn_string_add(text, "%.*g +- %.0e", DIGITS, value, digit * unit);
  } else {
    int decimals = place < 0 ? -place : 0;
    hn_string_add(text, "%.*f +- %.*f", decimals, value, decimals, digit * unit);
  }
}

// A run that failed because numbers grew beyond those of a real system.
static int has_diverged(const hn_report *r) {
  for (int i = 0; r->outcome->status != HN_OK && i < hn_model_output_count(r->model); i++) {
    double value = 0;
    hn_simulation_value(r->simulation, hn_model_output_name(r->model, i), &value);
    if (!(fabs(value) < 1e20)) return 1;
  }
  return 0;
}

static void add_outputs(hn_string *text, const hn_report *r) {
  enum { most = 4 };
  const hn_accuracy *accuracy = hn_simulation_accuracy(r->simulation);
  int count = hn_model_output_count(r->model);
  if (count == 0) hn_string_add(text, "none in the model");
  if (count > 0 && has_diverged(r)) {
    hn_string_text(text, "not shown: the motion grew without limit");
    return;
  }
  if (count > 0) hn_string_add(text, "at %.6g s: ", r->outcome->time);
  for (int i = 0; i < count && i < most; i++) {
    const char *name = hn_model_output_name(r->model, i);
    double value = 0;
    hn_simulation_value(r->simulation, name, &value);
    int index = hn_simulation_find_signal(r->simulation, name);
    const char *unit = index >= 0 ? hn_simulation_signal_unit(r->simulation, index) : "";
    hn_string_add(text, "%s%s = ", i > 0 ? ", " : "", name);
    add_with_bar(text, value, bar_of(accuracy, r->outcome->time, name));
    const int has_unit =
        isfinite(value) && unit != NULL && unit[0] != '\0' && strcmp(unit, "1") != 0;
    hn_string_add(text, "%s%s", has_unit ? " " : "", has_unit ? unit : "");
  }
  if (count > most) hn_string_add(text, ", %d more", count - most);
}

// A number that depends on the method is no result of the model.
static void add_shared(hn_string *text, const hn_report *r) {
  hn_string names = {0};
  if (hn_report_shared_outputs(r, &names) > 0)
    hn_string_add(
        text,
        "  not unique   %s: statically indeterminate, the split between joints is arbitrary\n",
        names.data);
  hn_string_free(&names);
}

static void add_tolerance(hn_string *text, const hn_report *r) {
  const hn_simulation_options *o = hn_simulation_options_used(r->simulation);
  const double step = hn_simulation_fixed_step(r->simulation);
  if (step > 0) {
    hn_string_add(text, "fixed step ");
    add_duration(text, step);
    return;
  }
  hn_string_add(text, "tolerance %g", o->atol);
  if (o->rtol > o->atol || o->rtol < o->atol)
    hn_string_add(text, " absolute, %g relative", o->rtol);
}

static void add_speed(hn_string *text, double speed) {
  hn_string_add(text, speed < 100 ? "%.2g x real time" : "%.0f x real time", speed);
}

// The time the user waited; the speed is that of the certificate: simulated time over computing time of
// the steps.
static void add_first_line(hn_string *text, const hn_report *r) {
  const hn_run_outcome *outcome = r->outcome;
  if (outcome->is_kinematics) {
    hn_string_add(text, "%s: %.6g s of motion in ", r->name, outcome->time);
    add_duration(text, outcome->wall_seconds);
  } else {
    double seconds = hn_simulation_certificate(r->simulation).cpu_seconds;
    hn_string_add(text, "%s: %.6g s simulated", r->name, outcome->time - outcome->start);
    if (outcome->start > 0) hn_string_add(text, " from %.6g s on, in all", outcome->start);
    hn_string_add(text, " in ");
    add_duration(text, outcome->wall_seconds);
    if (outcome->estimate_seconds > 0 && outcome->wall_seconds > 0)
      hn_string_add(text, ", %.0f %% of that for the error estimate",
                    100 * outcome->estimate_seconds / outcome->wall_seconds);
    hn_string_text(text, "; integration took ");
    add_duration(text, seconds);
    if (seconds > 0) {
      hn_string_text(text, ", ");
      add_speed(text, outcome->time / seconds);
    }
  }
  if (outcome->status != HN_OK) hn_string_add(text, ", stopped before %g s", outcome->end);
  hn_string_add(text, "\n");
}

static void add_constraints(hn_string *text, double position, double velocity,
                            double acceleration) {
  hn_string_add(text,
                "  constraints  max violation %.2g m, %.2g m/s, %.2g m/s^2 (rad for angles)\n",
                position, velocity, acceleration);
}

static void add_energy(hn_string *text, const hn_report *r, const hn_certificate *c) {
  const int is_large = !(c->energy_relative <= 0.05);
  const int is_endless =
      c->energy_balance > 0 && c->energy_relative == 0; // over a largest one of inf
  if (!isfinite(c->energy_balance) || !isfinite(c->energy_relative) || is_endless) {
    hn_string_text(text, "  energy       no balance: values exceed the number range\n");
    return;
  }
  // in a model at rest the relative error says nothing
  if (is_large && hn_simulation_verdict(r->simulation, NULL).grade < HN_UNSOUND) {
    hn_string_add(text, "  energy       balance within %.2g J; the model is nearly at rest\n",
                  c->energy_balance);
    return;
  }
  hn_string_add(text, "  energy       balance %s %.2g J, %.2g of the largest energy\n",
                is_large ? "does not close: error" : "closes within", c->energy_balance,
                c->energy_relative);
}

// Method and formula; if `auto` has changed them, all of them with the times that they covered.
static void add_methods(hn_string *text, const hn_certificate *c) {
  if (c->use_count < 2) {
    hn_string_add(text, ", %s, %s", c->method, c->formula);
    return;
  }
  for (int k = 0; k < c->use_count; k++) {
    const hn_method_use *use = &c->uses[k];
    if (k == 0 || strcmp(use->method, use[-1].method) != 0)
      hn_string_add(text, ", %s", use->method);
    hn_string_add(text, ", %s %.3g s", use->formula, use->time);
  }
}

static void add_steps(hn_string *text, const hn_report *r) {
  hn_certificate c = hn_simulation_certificate(r->simulation);
  hn_string_add(text, "  solved by    %s", c.coordinates);
  add_methods(text, &c);
  if (strcmp(c.independent, "none") != 0) hn_string_add(text, ", independent %s", c.independent);
  hn_string_text(text, "; ");
  add_tolerance(text, r);
  // a change of method deserves a line of its own
  int is_plain = strstr(c.choice, "stiff:") == NULL || strstr(c.choice, "not stiff:") != NULL;
  if (is_plain && c.choice[0]) {
    const char *why = strchr(c.choice, ':'); // of the coordinates, when they were chosen too
    int is_method = strncmp(c.choice, "not stiff", 9) == 0;
    if (why != NULL) why = strncmp(c.choice, "event-driven", 12) == 0 ? c.choice : why + 2;
    if (!is_method && why != NULL) hn_string_add(text, "; %.*s", (int)strcspn(why, ";"), why);
    if (strstr(c.choice, "not stiff:") != NULL)
      hn_string_add(text, "%s not stiff%s", is_method ? ";" : ",",
                    strstr(c.choice, "adams") != NULL ? ", adams in smooth phases" : "");
  }
  if (c.choice[0] && !is_plain) hn_string_add(text, "\n  chosen       %s", c.choice);
  hn_string_add(text, "\n  steps        %ld accepted, %ld rejected, ", c.steps_accepted,
                c.steps_rejected);
  add_duration(text, c.steps_between.smallest);
  hn_string_add(text, " to ");
  add_duration(text, c.steps_between.largest);
  hn_string_add(text, "; %ld event%s", c.events, c.events == 1 ? "" : "s");
  if (c.steps_past.substituted > 0)
    hn_string_add(text, "; %ld by dopri5 past singular configurations", c.steps_past.substituted);
  if (c.steps_past.coasted > 0)
    hn_string_add(text, "; %ld extrapolated across them", c.steps_past.coasted);
  hn_string_add(text, "\n");
  add_constraints(text, c.constraint_position, c.constraint_velocity, c.constraint_acceleration);
  add_energy(text, r, &c);
}

static void add_accuracy(hn_string *text, const hn_report *r) {
  const hn_accuracy *a = hn_simulation_accuracy(r->simulation);
  if (a == NULL || !a->is_estimated) {
    hn_string_add(text, "  accuracy     not estimated: %s\n",
                  a != NULL ? a->how : "not available in real time");
    return;
  }
  if (isnan(a->worst))
    hn_string_text(text, "  accuracy     estimated error is not a number");
  else
    hn_string_add(text, "  accuracy     max estimated error %.1e x (1 + largest value)", a->worst);
  if (a->worst_signal[0] != '\0') hn_string_add(text, ", in %s", a->worst_signal);
  hn_string_add(text, "; %s\n", a->how);
}

static void add_verdict(hn_string *text, const hn_report *r) {
  hn_verdict verdict = hn_run_verdict(r->simulation, r->outcome);
  char reason[512];
  int count = 0;
  while (hn_verdict_reason(&verdict, count, reason, sizeof reason)) count++;
  hn_string_add(text, "  grade        %s", hn_grade_name(verdict.grade));
  for (int k = 0; k < verdict.count; k++)
    if (strcmp(verdict.checks[k].value, "not estimated") == 0)
      hn_string_text(text, ", accuracy not estimated");
  if (r->outcome->status != HN_OK && verdict.grade == HN_UNSOUND)
    hn_string_add(text, ": the run ended early, at %.6g s", r->outcome->time);
  else if (count > 0 && hn_verdict_reason(&verdict, 0, reason, sizeof reason))
    hn_string_add(text, ": %s", reason);
  if (count > 1)
    hn_string_add(text, " (%d more reason%s in the report)", count - 1, count == 2 ? "" : "s");
  if (!r->outcome->is_kinematics && verdict.grade == HN_SOUND &&
      hn_method_steps_by_energy(hn_simulation_certificate(r->simulation).method))
    hn_string_text(text, "; energy controls the steps, which does not bound position errors");
}

static void add_warnings(hn_string *text, const hn_report *r) {
  int count[2] = {0, 0}; // warnings and notes
  for (int i = 0; i < hn_model_warning_count(r->model); i++)
    count[hn_model_warning(r->model, i)->is_note != 0]++;
  for (int i = 0; i < hn_simulation_warning_count(r->simulation); i++)
    count[hn_simulation_warning(r->simulation, i)->is_note != 0]++;
  hn_string_add(text, "\n  warnings     %d", count[0]);
  if (count[1] > 0) hn_string_add(text, ", %d note%s", count[1], count[1] == 1 ? "" : "s");
}

static void add_figures(hn_string *text, const hn_report *r) {
  const hn_model *model = r->model;
  for (int k = 0, first = 1; r->shown && k < hn_model_figure_count(model); k++) {
    const hn_figure_def *figure = hn_model_figure(model, k);
    char unit[64], remark[256];
    if (figure->take == HN_FIGURE_CURVE) continue;
    const double value = hn_results_figure(r->shown, model, k);
    hn_results_figure_unit(r->shown, model, k, unit, sizeof unit);
    hn_results_figure_remark(r->shown, model, k, remark, sizeof remark);
    hn_string_add(text, "  %-12s %s = ", first ? "metrics" : "", figure->name);
    if (isfinite(value)) {
      add_with_bar(text, value, hn_report_figure_bar(r, k));
      hn_string_add(text, "%s%s%s%s%s\n", unit[0] != '\0' ? " " : "", unit,
                    remark[0] != '\0' ? " (" : "", remark, remark[0] != '\0' ? ")" : "");
    } else {
      hn_string_add(text, "%s\n", remark);
    }
    first = 0;
  }
}

// Eleven lines after a simulation.
static void add_summary(hn_string *text, const hn_report *r) {
  const hn_run_outcome *outcome = r->outcome;
  add_first_line(text, r);
  hn_string_text(text, "  model        ");
  add_machine(text, r);
  hn_string_text(text, "\n");
  if (outcome->is_kinematics) {
    hn_string_add(
        text, "  positions    at %ld times, from the drivers; nothing integrated, no certificate\n",
        outcome->rows);
    add_constraints(text, outcome->constraint[0], outcome->constraint[1], outcome->constraint[2]);
  } else {
    add_steps(text, r);
    hn_report_pace_lines(text, r);
    add_accuracy(text, r);
  }
  add_verdict(text, r);
  add_warnings(text, r);
  hn_string_text(text, "\n  outputs      ");
  add_outputs(text, r);
  hn_string_text(text, "\n");
  add_shared(text, r);
  add_figures(text, r);
}

hn_status hn_run_summary(const hn_run_facts *facts, char **text) {
  hn_string lines = {0};
  hn_report r = hn_report_of(facts);
  add_summary(&lines, &r);
  return hn_string_hand_over(&lines, text, NULL);
}
