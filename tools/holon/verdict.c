// The certificate in words, each line green, amber or red.
//
// The limits are those of engineering use, not of the tolerance asked for: a loose run that keeps
// its joints closed within a micrometre and its energy within a thousandth is a good one.
#include "report.h"

#include <math.h>
#include <stdio.h>

typedef struct verdict {
  hn_cli_grade grade;
  const char *subject;
  char value[96];
  const char *words;
} verdict;

const char *hn_cli_grade_class(hn_cli_grade grade) {
  switch (grade) {
  case HN_CLI_GOOD: return "good";
  case HN_CLI_NOTE: return "note";
  case HN_CLI_BAD: break;
  }
  return "bad";
}

static hn_cli_grade grade_of(double value, double good, double bad) {
  if (value <= good) return HN_CLI_GOOD;
  return value <= bad ? HN_CLI_NOTE : HN_CLI_BAD; // not a number is bad
}

static const char *choose(hn_cli_grade grade, const char *good, const char *note, const char *bad) {
  return grade == HN_CLI_GOOD ? good : grade == HN_CLI_NOTE ? note : bad;
}

static void add_row(hn_cli_text *text, const verdict *v, hn_cli_grade *worst) {
  hn_cli_add(text,
             "<tr><td><span class=\"dot %s\"></span></td><th>%s</th><td "
             "class=\"num\">%s</td><td>%s</td></tr>\n",
             hn_cli_grade_class(v->grade), v->subject, v->value, v->words);
  if (v->grade > *worst) *worst = v->grade;
}

static void add_constraints(hn_cli_text *text, const double values[3], hn_cli_grade *worst) {
  const struct {
    const char *subject, *unit;
    double value, good, bad;
  } kinds[] = {
      {"Joints closed", "m", values[0], 1e-6, 1e-4},
      {"Joint velocities", "m/s", values[1], 1e-5, 1e-3},
      {"Joint accelerations", "m/s²", values[2], 1e-3, 1e-1},
  };
  for (int i = 0; i < 3; i++) {
    verdict v = {.subject = kinds[i].subject};
    v.grade = grade_of(kinds[i].value, kinds[i].good, kinds[i].bad);
    snprintf(v.value, sizeof v.value, "%.2g %s", kinds[i].value, kinds[i].unit);
    v.words =
        choose(v.grade, "Largest error of the run (rad for angles): as good as exact.",
               "Largest error of the run (rad for angles): a smaller tolerance makes it less.",
               "Largest error of the run (rad for angles): too large, use a smaller tolerance.");
    add_row(text, &v, worst);
  }
}

static void add_energy(hn_cli_text *text, const hn_certificate *c, hn_cli_grade *worst) {
  verdict v = {.subject = "Energy balance", .grade = grade_of(c->energy_relative, 1e-3, 2e-2)};
  snprintf(v.value, sizeof v.value, "%.2g J (%.2g)", c->energy_balance, c->energy_relative);
  v.words = choose(v.grade, "Kinetic and potential energy account for all work done.",
                   "Some energy is gained or lost: a smaller tolerance shows whether it matters.",
                   "Energy is gained or lost: do not trust this run, use a smaller tolerance.");
  add_row(text, &v, worst);
}

static void add_steps(hn_cli_text *text, const hn_certificate *c, hn_cli_grade *worst) {
  long all = c->steps_accepted + c->steps_rejected;
  double share = all > 0 ? (double)c->steps_rejected / (double)all : 0;
  verdict v = {.subject = "Steps", .grade = grade_of(share, 0.3, 1)};
  snprintf(v.value, sizeof v.value, "%ld + %ld rejected", c->steps_accepted, c->steps_rejected);
  v.words =
      choose(v.grade, "Few steps had to be taken again.",
             "Many steps had to be taken again: a law may have kinks, or --max-step helps.", "");
  add_row(text, &v, worst);
  if (c->newton_iterations == 0 && c->newton_failures == 0) return;
  v = (verdict){.subject = "Newton iterations"};
  v.grade = c->newton_unconverged_accepted > 0 ? HN_CLI_BAD
            : c->newton_failures > all / 10    ? HN_CLI_NOTE
                                               : HN_CLI_GOOD;
  snprintf(v.value, sizeof v.value, "%ld, %ld failed", c->newton_iterations, c->newton_failures);
  v.words = choose(v.grade, "Every accepted step converged.",
                   "Every accepted step converged, many only after a smaller one.",
                   "Steps were accepted that had not converged.");
  add_row(text, &v, worst);
}

static void add_start(hn_cli_text *text, const hn_certificate *c, hn_cli_grade *worst) {
  double change = fmax(c->initial_position_change, c->initial_velocity_change);
  verdict v = {.subject = "Assembly", .grade = grade_of(change, 1e-3, HUGE_VAL)};
  snprintf(v.value, sizeof v.value, "%.2g m, %.2g m/s", c->initial_position_change,
           c->initial_velocity_change);
  v.words = choose(v.grade, "The machine was drawn assembled, with velocities that fit.",
                   "Drawn positions or velocities did not fit the joints and were changed by this "
                   "much: see whether the start is the one you meant.",
                   "Drawn positions or velocities are not numbers.");
  add_row(text, &v, worst);
}

static void add_redundancy(hn_cli_text *text, const hn_cli_session *session, hn_cli_grade *worst) {
  if (!session->has_mobility) return;
  const hn_mobility *m = &session->mobility;
  verdict v = {.subject = "Reactions", .grade = HN_CLI_GOOD};
  hn_cli_text words = {0};
  if (m->not_unique_count == 0) {
    hn_cli_add(&words, "Every joint reaction is determined.");
  } else {
    v.grade = HN_CLI_NOTE;
    hn_cli_add(&words, "The motion is determined; how these joints share their load is a choice: ");
    for (int i = 0; i < m->not_unique_count && i < 12; i++) {
      hn_cli_add(&words, "%s", i > 0 ? ", " : "");
      hn_cli_add_xml(&words, hn_cli_redundant_name(session->model, &m->not_unique[i]));
    }
    if (m->not_unique_count > 12) hn_cli_add(&words, " and %d more", m->not_unique_count - 12);
    hn_cli_add(&words, ".");
  }
  int redundant = m->rows - m->rank;
  snprintf(v.value, sizeof v.value, "%d redundant row%s", redundant, redundant == 1 ? "" : "s");
  v.words = words.data;
  hn_cli_grade before = *worst;
  add_row(text, &v, worst);
  *worst = before; // worth knowing, no fault of the run
  hn_cli_text_free(&words);
}

hn_cli_grade hn_cli_add_verdicts(hn_cli_text *text, const hn_cli_session *session,
                                 const hn_cli_outcome *outcome) {
  hn_certificate c = hn_simulation_certificate(session->simulation);
  hn_cli_grade worst = HN_CLI_GOOD;
  verdict v = {.subject = "End", .grade = outcome->status == HN_OK ? HN_CLI_GOOD : HN_CLI_BAD};
  snprintf(v.value, sizeof v.value, "%.6g s", outcome->time);
  v.words = outcome->status == HN_OK ? "The run reached its end." : "The run ended early.";
  hn_cli_add(text, "<table class=\"verdicts\">\n");
  add_row(text, &v, &worst);
  if (outcome->is_kinematics) {
    add_constraints(text, outcome->constraint, &worst);
  } else {
    const double values[] = {c.constraint_position, c.constraint_velocity,
                             c.constraint_acceleration};
    add_constraints(text, values, &worst);
    add_energy(text, &c, &worst);
    add_steps(text, &c, &worst);
  }
  add_start(text, &c, &worst);
  add_redundancy(text, session, &worst);
  hn_cli_add(text, "</table>\n");
  return worst;
}
