// The quality grade on a run: what was checked, how each check came out, and the worst of them.
//
// The limits are those of engineering use, not of the tolerance asked for: a loose run that keeps
// its joints closed within a micrometer and its energy within a thousandth is a good one.
//
//   energy   balance / max(largest energy of the run, m (10 cm/s)^2), m the mass of the model: of a
//            model at rest the error that was allowed is all the energy there is
//   start    movements by assembly are reported, not judged: initial values of joints and models
//            that are
//            not drawn assembled ask for it; values that could not hold are warnings of the run
//
// Out of scope: redundancy, which is a property of the model and no fault of a run.
#include <math.h>
#include <string.h>

#include "analysis/registry.h"
#include "base/error.h"
#include "holon/analysis.h"
#include "holon/results.h"
#include "holon/run.h"
#include "math/vec.h"
#include "model/model.h"

#define SLOW 0.1     // m/s: motion below it has an energy too small to measure errors by
#define WRONG 0.1    // error of the motion beyond which it is another one
#define FAR_OFF 1e9  // m: no model is that large
#define AT_REST 1e-9 // m/s, rad/s
#define FALL 10.0    // m/s^2, rad/s^2: the least largest acceleration of a run
#define OVERLAPS 0.1 // of half the thickness of a shape

const char *hn_grade_name(hn_grade grade) {
  switch (grade) {
  case HN_SOUND: return "sound";
  case HN_LOCKED: return "locked";
  case HN_SENSITIVE: return "sensitive";
  case HN_DOUBTFUL: return "doubtful";
  case HN_UNSOUND: break;
  }
  return "unsound";
}

static hn_grade grade_of(double value, double sound, double doubtful) {
  if (value <= sound) return HN_SOUND;
  return value <= doubtful ? HN_DOUBTFUL : HN_UNSOUND; // not a number is unsound
}

static hn_check *add(hn_verdict *v, hn_grade grade, const char *subject) {
  hn_check *check = &v->checks[v->count++];
  *check = (hn_check){.grade = grade, .subject = subject};
  if (grade > v->grade) v->grade = grade;
  return check;
}

static void say(hn_check *check, const char *sound, const char *doubtful, const char *unsound) {
  const char *text = check->grade == HN_SOUND     ? sound
                     : check->grade == HN_UNSOUND ? unsound
                                                  : doubtful;
  hn_text(check->text, sizeof check->text, "%s", text);
}

// How the run ended. Being stopped by the user is no fault.
static void check_end(hn_verdict *v, const hn_simulation *simulation) {
  const hn_error *error = hn_simulation_error(simulation);
  // a part that answers no more interrupts too, and names itself
  int by_request = error->status == HN_ERROR_INTERRUPTED && error->element[0] == '\0';
  hn_grade grade = error->status == HN_OK ? HN_SOUND : by_request ? HN_DOUBTFUL : HN_UNSOUND;
  hn_check *check = add(v, grade, "End");
  hn_text(check->value, sizeof check->value, "%.6g s", hn_simulation_time(simulation));
  say(check, "The run reached its end.", "The run was stopped on request.", "The run ended early.");
  if (check->grade == HN_UNSOUND)
    hn_text(check->text, sizeof check->text, "The run ended early: %s%s%.400s", error->element,
            error->element[0] ? " " : "", error->message);
}

static int has_fixed_step(const hn_simulation *simulation) {
  return hn_simulation_fixed_step(simulation) > 0;
}

// How far the results are off, by the estimate of a second run. Where none was asked for, nothing is
// judged, and a fixed step promises no accuracy: its errors are printed.
static hn_grade grade_accuracy(const hn_simulation *simulation, const hn_accuracy *a) {
  if (!a || !a->is_estimated) return a && a->has_failed ? HN_DOUBTFUL : HN_SOUND;
  if (a->motion <= a->promise) return HN_SOUND;
  if (a->is_sensitive) return HN_SENSITIVE;
  if (has_fixed_step(simulation)) return HN_SOUND;
  return a->motion <= WRONG ? HN_DOUBTFUL : HN_UNSOUND;
}

// Whether contacts are time-stepped: velocities jump within steps, and positions alone are judged.
static int steps_over(const hn_simulation *simulation) {
  return hn_simulation_certificate(simulation).fastest_motion < 0;
}

// "of a is +- 70 m, 2e+02 times the limit"
static const char *worst_of(const hn_accuracy *a, char *text, size_t size) {
  return hn_text(text, size, "of %.100s is +- %.2g%s%s", a->motion_signal, a->motion_absolute,
                 a->motion_unit[0] ? " " : "", a->motion_unit);
}

static void describe_sound(hn_check *check, const hn_simulation *simulation, const hn_accuracy *a) {
  char worst[200] = "";
  const size_t size = sizeof check->text;
  if (a->motion_signal[0]) worst_of(a, worst, sizeof worst);
  if (!has_fixed_step(simulation)) {
    hn_text(check->text, size,
            "All estimated errors are within the limit for this tolerance (%.2g).%s%s%s",
            a->promise, worst[0] ? " The largest, " : "", worst, worst[0] ? "." : "");
    return;
  }
  check->is_remark = a->motion > a->promise;
  if (a->until < a->reached)
    hn_text(check->text, size,
            "The estimated error %s; two digits are correct until t = %.4g s. A fixed step does "
            "not control errors: use a smaller step, or a tolerance.",
            worst, a->until);
  else
    hn_text(check->text, size, "Two digits are correct until the end.%s%s%s",
            worst[0] ? " The largest estimated error, " : "", worst, worst[0] ? "." : "");
}

// " The steps filter an oscillation of 1e+03 Hz in force 'hard'."
static void add_filtered(hn_check *check, const hn_accuracy *a) {
  const size_t used = strlen(check->text);
  if (check->grade == HN_SOUND || !(a->filtered > 0)) return;
  hn_text(check->text + used, sizeof check->text - used,
          " The steps filter an oscillation of %.3g Hz in force '%s'.", a->filtered,
          a->filtered_force);
}

static void check_accuracy(hn_verdict *v, const hn_simulation *simulation, const char *finer) {
  const hn_accuracy *a = hn_simulation_accuracy(simulation);
  hn_grade grade = grade_accuracy(simulation, a);
  int is_short = a && a->is_estimated && a->reached < hn_simulation_time(simulation);
  if (is_short && grade < HN_DOUBTFUL) grade = HN_DOUBTFUL;
  hn_check *check = add(v, grade, "Accuracy");
  size_t size = sizeof check->text;
  char worst[200];
  if (!a || !a->is_estimated) {
    hn_text(check->value, sizeof check->value, "not estimated");
    hn_text(check->text, size, "Errors are unknown (%.450s).",
            a ? a->how : "no refined run was made");
    return;
  }
  hn_text(check->value, sizeof check->value, "%.2g", a->motion);
  if (is_short)
    hn_text(check->text, size, "Estimated up to t = %.4g s only: %.450s.", a->reached, a->how);
  else if (grade == HN_SOUND)
    describe_sound(check, simulation, a);
  else if (grade == HN_SENSITIVE)
    hn_text(
        check->text, size,
        "The motion is sensitive: errors grow tenfold every %.2g s. Two digits are correct until "
        "t = %.4g s; the error %s. A smaller %s moves that time only slightly.%s",
        2.303 * a->growth, a->until, worst_of(a, worst, sizeof worst), finer,
        steps_over(simulation) ? " Later, the run shows one of many possible motions; the "
                                 "checks of energy, contacts and constraints below still apply."
                               : "");
  else // a smaller tolerance has a smaller limit
    hn_text(check->text, size, "The estimated error %s, %.2g times the limit for tol %.2g (%.2g)%s",
            worst_of(a, worst, sizeof worst), a->motion / a->promise, a->tolerance, a->promise,
            grade == HN_DOUBTFUL ? "; the errors printed hold." : ": use a smaller tolerance.");
  if (!is_short) add_filtered(check, a);
}

// `finer` is what the user makes smaller for smaller steps: "tolerance" or "step".
static void check_constraints(hn_verdict *v, const hn_certificate *c, const char *finer) {
  // accelerations may be large in themselves, so their error alone condemns no run
  const double largest = fmax(FALL, c->largest_acceleration);
  const struct {
    const char *subject, *unit;
    double value, sound, doubtful;
  } kinds[] = {
      {"Joints closed", "m", c->constraint_position, 1e-6, 1e-4},
      {"Joint velocities", "m/s", c->constraint_velocity, 1e-5, 1e-2},
      {"Joint accelerations", "m/s²", c->constraint_acceleration, 1e-4 * largest, 1e9},
  };
  for (int i = 0; i < 3; i++) {
    hn_check *check =
        add(v, grade_of(kinds[i].value, kinds[i].sound, kinds[i].doubtful), kinds[i].subject);
    hn_text(check->value, sizeof check->value, "%.2g %s", kinds[i].value, kinds[i].unit);
    const char *what = "Largest constraint violation of the run (rad for angles)";
    if (check->grade == HN_SOUND)
      hn_text(check->text, sizeof check->text, "%s: negligible.", what);
    else if (check->grade == HN_DOUBTFUL)
      hn_text(check->text, sizeof check->text, "%s: acceptable; a smaller %s reduces it.", what,
              finer);
    else
      hn_text(check->text, sizeof check->text, "%s: too large. Use a smaller %s.", what, finer);
  }
}

// A model that moves by a millimeter may be off by all of that, and still be within a tolerance
// that is relative to 1 m; so may an output.
static void check_travel(hn_verdict *v, const hn_simulation *simulation, const char *finer) {
  const hn_accuracy *a = hn_simulation_accuracy(simulation);
  if (!a || !a->is_estimated || a->is_sensitive || has_fixed_step(simulation)) return;
  const double error = a->of_travel * a->travel;
  hn_grade grade = HN_SOUND;
  if (a->travel > 0 && error > 0.1 * a->tolerance)
    grade = grade_of(a->of_travel, HN_ACCURACY_TRAVEL, 1);
  const int is_output = grade == HN_SOUND && a->of_range > HN_ACCURACY_TRAVEL;
  if (is_output) grade = HN_DOUBTFUL;
  if (!(a->travel > 0) && !is_output) return;
  hn_check *check = add(v, grade, "Motion resolved");
  hn_text(check->value, sizeof check->value, "%.2g", is_output ? a->of_range : a->of_travel);
  if (is_output)
    hn_text(check->text, sizeof check->text,
            "The estimated error of output %.100s is %.2g of its range. Use a smaller %s.",
            a->range_signal, a->of_range, finer);
  else if (grade == HN_SOUND)
    hn_text(check->text, sizeof check->text,
            "The model moves by up to %.2g (m or rad); estimated position errors are up to %.2g.",
            a->travel, error);
  else
    hn_text(check->text, sizeof check->text,
            "Estimated position errors reach %.2g (m or rad), but the model moves only by %.2g. "
            "Use a smaller %s.",
            error, a->travel, finer);
  add_filtered(check, a);
}

// Energy may be off by what the tolerance promises of positions, up to a hundredth, whether errors are
// estimated or not: a grade does not depend on how a run is executed.
static double energy_limit(const hn_simulation *simulation) {
  const hn_simulation_options *o = hn_simulation_options_used(simulation);
  if (hn_simulation_fixed_step(simulation) > 0) return 1e-3;
  return fmin(fmax(1e-3, HN_ACCURACY_PROMISE * fmax(o->atol, o->rtol)), HN_ACCURACY_PROMISE_STEP);
}

static void check_energy(hn_verdict *v, const hn_certificate *c, const hn_model *model,
                         double limit, const char *finer) {
  double mass = 0;
  for (int b = 1; b < model->body_count; b++) mass += model->bodies[b].mass;
  double largest = c->energy_relative > 0 ? c->energy_balance / c->energy_relative : 0;
  double scale = fmax(largest, mass * SLOW * SLOW);
  double relative = c->energy_balance > 0 ? c->energy_balance / scale : c->energy_balance;
  hn_check *check = add(v, grade_of(relative, limit, 5e-2), "Energy balance");
  hn_text(check->value, sizeof check->value, "%.2g J (%.2g)", c->energy_balance, relative);
  if (check->grade == HN_SOUND && hn_method_steps_by_energy(c->method))
    hn_text(check->text, sizeof check->text,
            "Energy controls the steps, which does not bound position errors. Rerun with a smaller "
            "tolerance to compare.");
  else if (check->grade == HN_SOUND)
    hn_text(check->text, sizeof check->text, "Kinetic and potential energy match the work done.");
  else if (check->grade == HN_DOUBTFUL)
    hn_text(check->text, sizeof check->text,
            "The energy balance does not close. Rerun with a smaller %s to see whether it matters.",
            finer);
  else
    hn_text(check->text, sizeof check->text,
            "The results are not reliable: the energy balance does not close. Use a smaller %s.",
            finer);
}

static void check_steps(hn_verdict *v, const hn_certificate *c) {
  long all = c->steps_accepted + c->steps_rejected;
  hn_check *check = add(v, HN_SOUND, "Steps");
  hn_text(check->value, sizeof check->value, "%ld + %ld rejected", c->steps_accepted,
          c->steps_rejected);
  hn_text(check->text, sizeof check->text, "%s",
          3 * c->steps_rejected > all ? "Over a third of the steps were rejected: a function may "
                                        "be discontinuous. Limiting the step may help."
                                      : "Few steps were rejected.");
  if (c->newton_iterations == 0 && c->newton_failures == 0) return;
  // the residual of a stage is small against the tolerance, or it is an error like any other
  hn_grade grade = c->newton_unconverged_accepted > 0
                       ? grade_of(c->newton_unconverged_residual, 1, 1000)
                       : HN_SOUND;
  check = add(v, grade, "Newton iterations");
  hn_text(check->value, sizeof check->value, "%ld, %ld failed", c->newton_iterations,
          c->newton_failures);
  say(check,
      c->newton_failures > all / 10
          ? "Every accepted step converged, but many steps had to be shortened."
          : "Every accepted step converged.",
      "Unconverged stages were accepted.", "Stages far from convergence were accepted.");
  if (c->newton_unconverged_accepted > 0)
    hn_text(check->text, sizeof check->text,
            "%ld stages were accepted unconverged (last correction up to %.2g tolerances). Allow "
            "more iterations or use a smaller step.",
            c->newton_unconverged_accepted, c->newton_unconverged_residual);
}

static void check_contacts(hn_verdict *v, const hn_certificate *c, const hn_model *model) {
  if (hn_model_contact_count(model) == 0 || (c->impacts == 0 && c->contact_residual == 0)) return;
  hn_check *check = add(v, c->contacts_unresolved > 0 ? HN_DOUBTFUL : HN_SOUND, "Rigid contacts");
  hn_text(check->value, sizeof check->value, "%ld impacts, residual %.2g", c->impacts,
          c->contact_residual);
  if (c->contacts_unresolved > 0)
    hn_text(
        check->text, sizeof check->text,
        "In %ld steps the contact conditions hold only to %.2g of the weight. Use a smaller step.",
        c->contacts_unresolved, c->contact_residual);
  else if (c->contacts_fallbacks > 0)
    hn_text(check->text, sizeof check->text,
            "All contacts satisfy the contact conditions; %ld steps took the interior-point method.",
            c->contacts_fallbacks);
  else
    hn_text(check->text, sizeof check->text, "All contacts satisfy the contact conditions.");
}

// Time-stepped contacts overlap by the motion in a step; overlap by a large fraction of a thin
// shape means that the step is too large.
static void check_penetration(hn_verdict *v, const hn_certificate *c) {
  if (!(c->thinnest > 0) || c->fastest_motion >= 0) return;
  const double share = c->penetration / c->thinnest;
  hn_check *check = add(v, grade_of(share, OVERLAPS, 1), "Penetration");
  hn_text(check->value, sizeof check->value, "%.2g m", c->penetration);
  if (check->grade == HN_SOUND)
    hn_text(check->text, sizeof check->text, "Bodies overlap by at most %.2g of their thickness.",
            share);
  else
    hn_text(check->text, sizeof check->text,
            "Bodies overlap by %.2g of half the thickness of the thinnest shape (%.2g m). Use a "
            "smaller step.",
            share, c->thinnest);
}

static void check_energy_parts(hn_verdict *v, const hn_certificate *c, const hn_model *model,
                               double limit, const char *finer) {
  if (c->energy_part.body <= 0 || c->energy_part.body >= model->body_count) return;
  hn_check *check = add(v, grade_of(c->energy_part.relative, limit, 5e-2), "Energy by parts");
  const char *name = model->bodies[c->energy_part.body].name;
  hn_text(check->value, sizeof check->value, "%.2g", c->energy_part.relative);
  if (check->grade == HN_SOUND)
    hn_text(check->text, sizeof check->text,
            "The energy balance closes for every separate part of the model.");
  else
    hn_text(check->text, sizeof check->text,
            "The energy balance of the part with body '%.60s' does not close. Use a smaller %s.",
            name, finer);
}

// A fixed step has to resolve the motions that take part.
static void check_resolution(hn_verdict *v, const hn_certificate *c, double step) {
  const double pi = 3.14159265358979323846;
  double turn = c->fastest_motion * step; // rad a step
  if (!(step > 0) || c->fastest_motion < 0) return;
  hn_check *check = add(v, grade_of(turn, 1, pi), "Steps per period");
  double count = turn > 0 ? 2 * pi / turn : HUGE_VAL;
  if (turn > 0)
    hn_text(check->value, sizeof check->value, "%.3g", count);
  else
    hn_text(check->value, sizeof check->value, "-");
  if (check->grade == HN_SOUND)
    hn_text(check->text, sizeof check->text, "The fixed step resolves the fastest motion.");
  else
    hn_text(check->text, sizeof check->text,
            "The fastest motion (period %.2g s) is not resolved by the fixed step of %.2g s. Use a "
            "step below %.1g s.",
            2 * pi / c->fastest_motion, step, 0.5 / c->fastest_motion);
}

static void check_positions(hn_verdict *v, hn_simulation *simulation, const hn_model *model) {
  for (int b = 1; b < model->body_count; b++) {
    hn_body_motion motion;
    if (hn_simulation_body_motion(simulation, b, &motion) != HN_OK) continue;
    double far =
        sqrt(motion.position.x * motion.position.x + motion.position.y * motion.position.y +
             motion.position.z * motion.position.z);
    if (far <= FAR_OFF) continue;
    hn_check *check = add(v, HN_UNSOUND, "Positions");
    hn_text(check->value, sizeof check->value, "%.2g m", far);
    hn_text(check->text, sizeof check->text,
            "Body '%.60s' is that far from the origin. Check forces and units.",
            model->bodies[b].name);
    return;
  }
}

// 1 when nothing moves now.
static int is_at_rest(hn_simulation *simulation, const hn_model *model) {
  for (int b = 1; b < model->body_count; b++) {
    hn_body_motion motion;
    if (hn_simulation_body_motion(simulation, b, &motion) != HN_OK) return 0;
    double speed = fmax(vec3_norm(motion.velocity), vec3_norm(motion.angular_velocity));
    if (!(speed <= AT_REST)) return 0;
  }
  return model->body_count > 1;
}

// A model on which nothing acts is probably a mistake.
static void check_motion(hn_verdict *v, hn_simulation *simulation, const hn_model *model) {
  if (model->part_count > 0 || model->driver_count > 0 || model->force_count > 0 ||
      vec3_norm(model->gravity) > 0 || !is_at_rest(simulation, model))
    return;
  hn_check *check = add(v, HN_DOUBTFUL, "Motion");
  hn_text(check->value, sizeof check->value, "none");
  hn_text(check->text, sizeof check->text,
          "Nothing moves: the model has no gravity, force, driver or initial velocity. Add "
          "`gravity: [0, 0, -9.81]`.");
}

// A mechanism, or a loop of it, that cannot move may be a frame whose reactions are wanted: its results
// are right.
static void check_mobility(hn_verdict *v, hn_simulation *simulation, const hn_model *model) {
  hn_mobility mobility;
  if (model->part_count > 0 || model->joint_count == 0) return;
  const hn_status status = hn_simulation_mobility(simulation, &mobility);
  if (status != HN_OK && status != HN_ERROR_MEMORY) return; // it has none
  if (status != HN_OK) {
    v->status = status;
    hn_check *check = add(v, HN_DOUBTFUL, "Mobility");
    hn_text(check->value, sizeof check->value, "not examined");
    hn_text(check->text, sizeof check->text, "Mobility not examined: %s.", hn_status_text(status));
    return;
  }
  if (mobility.note[0]) {
    hn_check *check = add(v, HN_LOCKED, "Mobility");
    hn_text(check->value, sizeof check->value, "%d degrees of freedom",
            mobility.degrees_of_freedom);
    hn_text(check->text, sizeof check->text, "%.500s", mobility.note);
  }
  hn_mobility_free(&mobility);
}

static void check_start(hn_verdict *v, const hn_certificate *c) {
  double change = fmax(c->initial_change.position, c->initial_change.velocity);
  hn_check *check = add(v, grade_of(change, HUGE_VAL, HUGE_VAL), "Assembly");
  hn_text(check->value, sizeof check->value, "%.2g m, %.2g m/s", c->initial_change.position,
          c->initial_change.velocity);
  say(check,
      change <= 1e-3 ? "The model was given assembled, with consistent velocities."
                     : "Change made by assembly to close the joints and reach the given initial "
                       "values (rad for angles).",
      "", "The initial state is not a finite number. Check the model's values.");
}

static void check_warnings(hn_verdict *v, const hn_simulation *simulation, const hn_model *model) {
  int of_model = hn_model_warning_count(model), of_run = hn_simulation_warning_count(simulation);
  int count = 0;
  const hn_warning *first = NULL; // of the run before those of the model; notes are excluded
  for (int k = of_model + of_run - 1; k >= 0; k--) {
    const hn_warning *warning =
        k < of_run ? hn_simulation_warning(simulation, k) : hn_model_warning(model, k - of_run);
    if (warning->is_note) continue;
    first = warning;
    count++;
  }
  hn_check *check = add(v, count > 0 ? HN_DOUBTFUL : HN_SOUND, "Warnings");
  hn_text(check->value, sizeof check->value, "%d", count);
  say(check, "None.", "", "");
  if (count == 0) return;
  hn_text(check->text, sizeof check->text, "%s%s%.400s", first->element,
          first->element[0] ? " " : "", first->message);
}

hn_verdict hn_simulation_verdict(hn_simulation *simulation, const hn_certificate *certificate) {
  const hn_model *model = hn_simulation_model(simulation);
  hn_certificate c = certificate ? *certificate : hn_simulation_certificate(simulation);
  const char *finer = hn_simulation_fixed_step(simulation) > 0 ? "step" : "tolerance";
  hn_verdict v = {.grade = HN_SOUND};
  check_end(&v, simulation);
  if (c.steps_accepted > 0) check_accuracy(&v, simulation, finer);
  if (c.steps_accepted > 0) check_travel(&v, simulation, finer);
  check_constraints(&v, &c, finer);
  if (c.steps_accepted > 0) {
    check_energy(&v, &c, model, energy_limit(simulation), finer);
    check_energy_parts(&v, &c, model, energy_limit(simulation), finer);
    check_resolution(&v, &c, hn_simulation_fixed_step(simulation));
    check_steps(&v, &c);
    check_contacts(&v, &c, model);
    check_penetration(&v, &c);
  }
  check_positions(&v, simulation, model);
  check_motion(&v, simulation, model);
  check_mobility(&v, simulation, model);
  check_start(&v, &c);
  check_warnings(&v, simulation, model);
  return v;
}

// The worst first, each in one line; remarks last.
int hn_verdict_reason(const hn_verdict *verdict, int index, char *text, size_t size) {
  for (int grade = HN_UNSOUND; grade >= HN_SOUND; grade--)
    for (int k = 0; k < verdict->count; k++) {
      const hn_check *check = &verdict->checks[k];
      if ((int)check->grade != grade || (grade == HN_SOUND && !check->is_remark)) continue;
      if (index-- > 0) continue;
      if (strcmp(check->subject, "Warnings") == 0)
        hn_text(text, size, "%s", check->text);
      else
        hn_text(text, size, "%s %s: %s", check->subject, check->value, check->text);
      return 1;
    }
  return 0;
}
