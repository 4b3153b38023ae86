// Chooses the method of a run during the run. Dormand-Prince gives at each step an estimate of h
// |lambda| (Hairer and Wanner II, IV.2); if stability limits the step, it is at the boundary of the
// stability region, 3.3 on the negative real axis. When it was beyond 3.25 in ten steps, with fewer
// than six calm ones in a row between them, an implicit method takes over for a trial. After twenty
// steps their size decides: a step of the implicit method costs two to three explicit ones, so it
// stays if its steps are at least three times as large; or twice, where loops of relative
// coordinates have to be closed in each stage and explicit steps cost nearly as much; or twelve
// times over components, whose matrices are made of differences. Otherwise the explicit method
// returns, and stiffness is tested again only after a long time. A fixed step beyond 2.5 is not
// taken at all: the implicit method takes over at once, and stays.
//
// A force that saturates within a stage (rolling tyres, regularized friction) hides the border: stages
// leap over its steep part, h |lambda| stays small and so do the steps. Every 2000 steps a far larger
// implicit one is tried; a trial starts if its error is within the tolerance.
//
// Oscillations that hardly damp and that nothing excites are seen beforehand (fast_modes.c): explicit
// steps are kept below their border. Where accuracy allows far more, one implicit step of that size
// is tried: if its error is within the tolerance the trial starts with it, from an unperturbed
// state. Otherwise the oscillation is there, at this tolerance, and explicit steps stay below the
// border for good; if that limits them for long, the trial starts too.
//
// At tight tolerances adams needs half the evaluations of dopri5 where the motion is smooth, and more
// than those where it is not: twenty steps of dopri5 in a row without an event, all but four of them
// far from the border, are taken as a sign. After thirty steps, in which the order rises, the next
// twenty of adams decide: they have to be at least half of those of dopri5, which cost three times the
// evaluations. From then on it stays until steps are rejected repeatedly. When steps have become
// several times larger or smaller, dopri5 is tested again.
//
// The state is the full q and qd for every method: a change loses nothing, and costs one evaluation.
// It is made between two steps, before the next one, so dense output of the last one remains valid.
#include "analysis/auto_method.h"

#include <math.h>
#include <string.h>

#include "analysis/auto_stepping.h"
#include "analysis/fast_modes.h"
#include "analysis/simulation.h"
#include "base/error.h"
#include "equations/levels.h"
#include "integrate/method_states.h"

#define BORDER 3.25
#define FIXED_BORDER 2.5
#define GAIN 3
#define GAIN_IN_LOOPS 2
#define GAIN_OF_COMPONENTS 12
// At this tolerance and below adams may pay. It does at 1e-7 too, but loses the energy of long
// oscillations there a hundred times as fast as dopri5.
#define TIGHT 1.01e-8
#define FAR_FROM_BORDER 2
#define SMOOTH_GAIN 0.5
#define OUT_OF_DATE 6
#define PROBE 2 // times the gain that a trial asks for
// A step so many times larger than the stable one is not taken; by error control a little more is.
#define BEYOND 2
#define NO_BOUND 1e300 // saved states hold finite numbers
enum {
  PROBE_STEPS = 2000,
  LOOK_STEPS = 200, // explicit steps between two looks for fast oscillations ...
  EVENT_STEPS = 50, // ... after an event
  HELD_STEPS = 30,  // limited by stability in a row: then a trial ...
  FAR_STEPS = 10,   // ... for so many counts a step far below the one that accuracy allows
  SMOOTH_STEPS = 20,
  ROUGH_STEPS = 4,
  REFUSED_STEPS = 2,
  RISING_STEPS = 30,
  FIRST_SMOOTH_WAIT = 50,
  STIFF_STEPS = 10,
  CALM_STEPS = 6,
  TRIAL_STEPS = 20,
  FIRST_WAIT = 1000,
  LONGEST_WAIT = 100000000,
  LARGE = 3000 // speeds, beyond which the implicit method is made when it is needed, not beforehand
};

static int is_open(const char *option) { return !option || strcmp(option, "auto") == 0; }

// Matrices of a large model take more memory than all the rest of it: they are allocated only if a
// run turns out to be stiff.
static hn_status make_implicit(hn_simulation *s) {
  const hn_method_choice choice = {.formula = hn_formula_find(hn_sdirk4_16.name),
                                   .independent = HN_INDEPENDENT_NONE};
  // Cartesian matrices are expensive: descriptor factors none in its iteration. Relative ones are
  // small, and first-order needs fewer of them and fewer steps.
  const hn_equations_traits *traits = &s->equations->type->traits;
  const hn_method_type *type = traits->of_joints         ? &hn_first_order_implicit
                               : traits->is_hierarchical ? &hn_components
                                                         : &hn_descriptor;
  return hn_simulation_make_method(s, type, &choice, &s->automatic.implicit_method);
}

static hn_status make_smooth(hn_simulation *s) {
  const hn_simulation_options *o = &s->used;
  const hn_method_choice choice = {.formula = hn_formula_find("adams"),
                                   .independent = HN_INDEPENDENT_NONE};
  const double most = o->atol > o->rtol ? o->atol : o->rtol;
  // its first steps are tiny
  if (s->stepping.mode != HN_RUN_CONTROLLED || o->min_step > 0 || most > TIGHT) return HN_OK;
  return hn_simulation_make_method(s, &hn_adams, &choice, &s->automatic.smooth_method);
}

hn_status hn_auto_create(hn_simulation *s) {
  const hn_simulation_options *o = &s->used;
  s->automatic.explicit_method = s->method;
  // a component whose inside is not known may be stiff: method components chooses its formula, too
  const int is_nested = s->equations->type->traits.is_hierarchical;
  int is_asked =
      (is_open(o->method) || is_nested) && is_open(o->formula) && is_open(o->independent);
  const hn_formula *formula = hn_formula_find(s->method->formula); // time stepping has none
  const int is_explicit = formula && formula->kind == HN_FORMULA_EXPLICIT;
  // a real-time run keeps the time of its steps: it takes what it was given
  if (!is_asked || o->realtime || !is_explicit || s->equations->touch_points > 0) return HN_OK;
  hn_fast_modes_create(s);
  if (s->arena.failed)
    return hn_fail(&s->error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  if (s->equations->nu > LARGE) {
    s->automatic.is_choosing = s->equations->type->tangent_create != NULL;
    return HN_OK;
  }
  hn_status status = is_nested ? HN_OK : make_smooth(s);
  if (status == HN_OK) status = make_implicit(s);
  s->automatic.is_choosing = s->automatic.implicit_method != NULL;
  if (status != HN_ERROR_UNSUPPORTED) return status;
  s->automatic.smooth_method = NULL;
  s->error.status = HN_OK; // these coordinates have none: the choice is made
  return HN_OK;
}

static hn_method *method_of(const hn_simulation *s, hn_auto_state state) {
  switch (state) {
  case HN_AUTO_EXPLICIT: return s->automatic.explicit_method;
  case HN_AUTO_SMOOTH: return s->automatic.smooth_method;
  case HN_AUTO_STEPPED: return s->automatic.stepping_method;
  case HN_AUTO_TRIAL:
  case HN_AUTO_IMPLICIT: break;
  }
  return s->automatic.implicit_method;
}

static int is_implicit(hn_auto_state state) {
  return state == HN_AUTO_TRIAL || state == HN_AUTO_IMPLICIT;
}

static void change_to(hn_auto_choice *c, hn_auto_state state) {
  c->is_changing = 1;
  c->next = state;
}

hn_status hn_auto_take_up(hn_simulation *s) {
  hn_stepping_take_up(s);
  if (!s->automatic.is_choosing) return HN_OK;
  if (is_implicit(s->automatic.choice.state) && !s->automatic.implicit_method) {
    hn_status status = make_implicit(s);
    if (status != HN_OK) return status;
  }
  s->method = method_of(s, s->automatic.choice.state);
  return HN_OK;
}

// Time, state and counts go from one method to the other.
static hn_status hand_over(hn_simulation *s, hn_auto_state state) {
  if (is_implicit(state) && !s->automatic.implicit_method && make_implicit(s) != HN_OK) {
    s->automatic.is_choosing = s->automatic.choice.is_changing =
        0; // as if the explicit method had been asked for
    s->error.status = HN_OK;
    return HN_OK;
  }
  hn_method *from = s->method, *to = method_of(s, state);
  s->automatic.choice.state = state;
  s->automatic.choice.is_changing = 0;
  s->automatic.choice.stiff = s->automatic.choice.calm = s->automatic.choice.smooth =
      s->automatic.choice.held = 0;
  s->automatic.choice.trial_steps = 0;
  s->automatic.choice.events = s->certificate.events;
  if (from == to) return HN_OK;
  size_t size = (size_t)s->equations->nq * sizeof(double);
  memcpy(to->q, from->q, size);
  memcpy(to->qd, from->qd, size);
  for (int k = 0; k < from->states; k++) to->z[k] = from->z[k];
  to->t = to->step_end = from->t;
  to->work = from->work;
  to->step = 0;
  to->projections = from->projections;
  to->jacobians = from->jacobians;
  to->iterations = from->iterations;
  to->newton_failures = from->newton_failures;
  to->factorizations = from->factorizations;
  to->selections = from->selections;
  s->method = to;
  s->control = hn_step_control_begin(to->error_order);
  hn_status status = to->type->begin(to, &s->branches, &s->error);
  s->view.snapshot = to->now;
  return status;
}

void hn_auto_reset(hn_simulation *s) {
  hn_auto_choice fresh = {.next_wait = FIRST_WAIT, .next_smooth_wait = FIRST_SMOOTH_WAIT};
  if (s->automatic.is_choosing) hand_over(s, HN_AUTO_EXPLICIT);
  hn_stepping_reset(s);
  s->automatic.choice = fresh;
}

// How many times as large an implicit step has to be.
static double needed_gain(const hn_equations *e) {
  const int tree_rows = 6 * (e->elements->model->body_count - 1) - e->nu;
  const int has_loops = e->type->traits.of_joints && e->elements->row_count > tree_rows;
  if (e->type->traits.is_hierarchical) return GAIN_OF_COMPONENTS;
  return has_loops ? GAIN_IN_LOOPS : GAIN;
}

// Oscillations that nothing excites are not seen in the steps before explicit ones excite them, and a
// state that is spoiled so far is of no use to an implicit method: they are looked for beforehand.
// Returns 1 after a look.
static int look_for_modes(hn_simulation *s) {
  hn_auto_choice *c = &s->automatic.choice;
  const hn_certificate *record = &s->certificate;
  const long steps = record->steps_accepted - c->steps_then;
  const int has_news = record->events != c->events_then && steps >= EVENT_STEPS;
  if (c->stable_step > 0 && !has_news && steps < LOOK_STEPS) return 0;
  c->stable_step = fmin(hn_stable_step(s), NO_BOUND);
  c->steps_then = record->steps_accepted;
  c->events_then = record->events;
  return 1;
}

static void tell_held(hn_simulation *s, double step) {
  hn_text(s->certificate.choice, sizeof s->certificate.choice,
          "stiff: at t = %.4g s stability limited the explicit step to %.2g s", s->method->t, step);
}

// 1: an implicit step of h from here is within the tolerance. The run is not changed.
static int bears_implicit(hn_simulation *s, double h) {
  const hn_method *from = s->method;
  hn_method *to = s->automatic.implicit_method;
  hn_equations *e = s->equations;
  const size_t size = (size_t)e->nq * sizeof(double);
  hn_error unused = {.status = HN_OK};
  double error_norm = HUGE_VAL;
  memcpy(to->q, from->q, size);
  memcpy(to->qd, from->qd, size);
  for (int k = 0; k < from->states; k++) to->z[k] = from->z[k];
  to->t = to->step_end = from->t;
  to->step = 0;
  to->work = from->work;
  hn_status status = to->type->begin(to, &s->branches, &unused);
  if (status == HN_OK)
    status = to->type->attempt(to, from->t + h, &s->branches, &s->tolerance, &error_norm, &unused);
  hn_method_hold_states(from);
  return status == HN_OK && error_norm <= 1;
}

// Starts the trial with the step that accuracy suggests: one near the period of the oscillation would
// have to follow it, and would not grow for long. The change is the one that has just succeeded.
static void begin_trial(hn_simulation *s) {
  s->automatic.choice.explicit_step = s->automatic.choice.stable_step;
  tell_held(s, s->automatic.choice.stable_step);
  change_to(&s->automatic.choice, HN_AUTO_TRIAL);
  hn_auto_change(s);
}

// 1: error control alone limits the steps to h, and implicit ones may be far larger. Sealed components
// are not stepped twice.
static int bears_probe(hn_simulation *s, double h) {
  const long steps = s->certificate.steps_accepted;
  if (h < s->stepping.next) return 0;
  if (steps == 0 || steps % PROBE_STEPS != 0 || s->automatic.choice.wait > 0) return 0;
  if (!s->automatic.implicit_method || s->stepping.mode != HN_RUN_CONTROLLED) return 0;
  return !s->equations->type->traits.is_hierarchical &&
         bears_implicit(s, PROBE * needed_gain(s->equations) * h);
}

double hn_auto_limit(hn_simulation *s, double h) {
  hn_auto_choice *c = &s->automatic.choice;
  if (!s->automatic.is_choosing || c->state != HN_AUTO_EXPLICIT) return h;
  const int has_looked = look_for_modes(s);
  if (bears_probe(s, h)) {
    c->explicit_step = h;
    tell_held(s, h);
    change_to(c, HN_AUTO_TRIAL);
    hn_auto_change(s);
    return h;
  }
  if (h <= BEYOND * c->stable_step) {
    c->held = 0;
    return c->is_strict ? fmin(h, c->stable_step) : h;
  }
  const int is_far = h >= needed_gain(s->equations) * c->stable_step;
  // what is inside components is not stepped twice
  const int can_look = s->automatic.implicit_method && !s->equations->type->traits.is_hierarchical;
  if (has_looked && is_far && can_look && c->wait == 0) {
    c->is_strict = !bears_implicit(s, h);
    if (!c->is_strict) {
      begin_trial(s);
      return h;
    }
  }
  c->held += is_far ? FAR_STEPS : 1;
  return c->stable_step;
}

// Says so as long as nothing else has been said.
static void tell_smooth(hn_simulation *s, int is_smooth) {
  char *text = s->certificate.choice;
  if (text[0] && strncmp(text, "not stiff", 9) != 0) return;
  hn_text(text, sizeof s->certificate.choice,
          is_smooth
              ? "not stiff: adams from t = %.4g s, where the motion is smooth"
              : "not stiff: adams where the motion was smooth, the last time until t = %.4g s",
          s->method->t);
}

hn_status hn_auto_change(hn_simulation *s) {
  hn_auto_choice *c = &s->automatic.choice;
  if (!c->is_changing) return HN_OK;
  hn_auto_state from = c->state, to = c->next;
  hn_status status = hand_over(s, to);
  if (from == HN_AUTO_SMOOTH || to == HN_AUTO_SMOOTH) tell_smooth(s, to == HN_AUTO_SMOOTH);
  if (is_implicit(to) && s->automatic.is_choosing) hn_simulation_warn_numerical_forces(s);
  if (to == HN_AUTO_EXPLICIT || !s->automatic.is_choosing)
    s->stepping.next = from == HN_AUTO_SMOOTH ? s->stepping.last : c->explicit_step;
  return status;
}

// A fixed step beyond the border is worth nothing: it is not taken, and there is no time for trials.
int hn_auto_refuses(hn_simulation *s, hn_status status) {
  if (!s->automatic.is_choosing || s->stepping.mode == HN_RUN_CONTROLLED ||
      s->automatic.choice.state != HN_AUTO_EXPLICIT)
    return 0;
  look_for_modes(s);
  int is_beyond = status == HN_OK && (s->method->stiffness > FIXED_BORDER ||
                                      s->stepping.step > BEYOND * s->automatic.choice.stable_step);
  if (!is_beyond && status != HN_ERROR_CONVERGENCE && status != HN_ERROR_STEP_SIZE) return 0;
  change_to(&s->automatic.choice, HN_AUTO_IMPLICIT);
  s->error.status = HN_OK;
  hn_text(s->certificate.choice, sizeof s->certificate.choice,
          "stiff: at t = %.4g s the fixed step of %.2g s exceeded the stability limit of explicit "
          "formulas",
          s->method->t, s->stepping.step);
  return 1;
}

static int had_event(hn_simulation *s) {
  const int had = s->certificate.events != s->automatic.choice.events;
  s->automatic.choice.events = s->certificate.events;
  return had;
}

static void watch_smooth(hn_simulation *s) {
  hn_auto_choice *c = &s->automatic.choice;
  if (!s->automatic.smooth_method) return;
  if (c->smooth_wait > 0) {
    c->smooth_wait--;
    return;
  }
  if (had_event(s)) c->smooth = 0;
  if (c->smooth == 0) {
    c->smooth_begin = s->method->t;
    c->rough = 0;
  }
  c->rough += s->method->stiffness > FAR_FROM_BORDER;
  c->smooth = c->rough > ROUGH_STEPS ? 0 : c->smooth + 1;
  if (c->smooth <= SMOOTH_STEPS) return;
  c->smooth_step = (s->method->t - c->smooth_begin) / SMOOTH_STEPS;
  change_to(c, HN_AUTO_SMOOTH);
}

// Adams is worth nothing at present: not for a while.
static void give_up_smooth(hn_simulation *s) {
  hn_auto_choice *c = &s->automatic.choice;
  c->smooth_wait = c->next_smooth_wait;
  if (c->next_smooth_wait < LONGEST_WAIT) c->next_smooth_wait = 4 * c->next_smooth_wait;
  change_to(c, HN_AUTO_EXPLICIT);
}

// Every twenty steps. The first time the steps of dopri5 are recent; later they only show when to
// test again, and rejections show that stability or rough forces limit the steps.
static void judge_steps(hn_simulation *s) {
  hn_auto_choice *c = &s->automatic.choice;
  const long refused = s->certificate.steps_rejected - c->refused;
  const double share = (s->method->t - c->trial_time) / SMOOTH_STEPS / c->smooth_step;
  const int is_first = c->trial_steps == RISING_STEPS + SMOOTH_STEPS;
  if ((is_first && share < SMOOTH_GAIN) || refused > REFUSED_STEPS)
    give_up_smooth(s);
  else if (share > OUT_OF_DATE || share < 1.0 / OUT_OF_DATE)
    change_to(c, HN_AUTO_EXPLICIT);
}

static void judge_smooth(hn_simulation *s) {
  hn_auto_choice *c = &s->automatic.choice;
  const long behind = ++c->trial_steps - RISING_STEPS;
  if (had_event(s)) { // dopri5 restarts at once, adams with small steps
    if (behind < 0)
      give_up_smooth(s);
    else
      change_to(c, HN_AUTO_EXPLICIT);
    return;
  }
  if (behind > 0 && behind % SMOOTH_STEPS == 0) judge_steps(s);
  if (behind < 0 || behind % SMOOTH_STEPS != 0) return;
  c->trial_time = s->method->t;
  c->refused = s->certificate.steps_rejected;
}

static void start_trial(hn_simulation *s) {
  hn_auto_choice *c = &s->automatic.choice;
  change_to(c, HN_AUTO_TRIAL);
  c->explicit_step = s->stepping.last;
  tell_held(s, s->stepping.last);
}

static void watch(hn_simulation *s) {
  hn_auto_choice *c = &s->automatic.choice;
  if (s->stepping.mode != HN_RUN_CONTROLLED) return; // hn_auto_refuses checks each step
  watch_smooth(s);
  if (c->wait > 0) {
    c->wait--;
    return;
  }
  if (c->held >= HELD_STEPS) {
    start_trial(s);
    return;
  }
  if (s->method->stiffness > BORDER) {
    c->stiff++;
    c->calm = 0;
  } else if (++c->calm >= CALM_STEPS) {
    c->stiff = 0;
  }
  if (c->stiff >= STIFF_STEPS) start_trial(s);
}

static void give_up_trial(hn_simulation *s) {
  hn_auto_choice *c = &s->automatic.choice;
  change_to(c, HN_AUTO_EXPLICIT);
  c->is_strict = 1;
  c->wait = c->next_wait;
  if (c->next_wait < LONGEST_WAIT) c->next_wait = 4 * c->next_wait;
}

static void judge_trial(hn_simulation *s) {
  hn_auto_choice *c = &s->automatic.choice;
  if (++c->trial_steps == TRIAL_STEPS / 2) c->trial_time = s->method->t;
  if (c->trial_steps < TRIAL_STEPS) return;
  double step = (s->method->t - c->trial_time) / (TRIAL_STEPS - TRIAL_STEPS / 2);
  if (step >= needed_gain(s->equations) * c->explicit_step) {
    c->state = HN_AUTO_IMPLICIT;
    return;
  }
  give_up_trial(s);
  hn_text(
      s->certificate.choice, sizeof s->certificate.choice,
      "mildly stiff: stayed explicit at t = %.4g s, with steps of %.2g s against %.2g s implicit",
      s->method->t, c->explicit_step, step);
}

void hn_auto_note(hn_simulation *s) {
  if (!s->automatic.is_choosing) return;
  switch (s->automatic.choice.state) {
  case HN_AUTO_EXPLICIT: watch(s); break;
  case HN_AUTO_SMOOTH: judge_smooth(s); break;
  case HN_AUTO_TRIAL: judge_trial(s); break;
  case HN_AUTO_IMPLICIT:
  case HN_AUTO_STEPPED: break;
  }
}

int hn_auto_retreats(hn_simulation *s) {
  if (!s->automatic.is_choosing || s->automatic.choice.state == HN_AUTO_EXPLICIT) return 0;
  if (s->automatic.choice.state == HN_AUTO_SMOOTH) {
    change_to(&s->automatic.choice, HN_AUTO_EXPLICIT);
    s->automatic.choice.smooth_wait = LONGEST_WAIT;
    s->error.status = HN_OK;
    return hn_auto_change(s) == HN_OK;
  }
  give_up_trial(s);
  s->error.status = HN_OK;
  hn_text(s->certificate.choice, sizeof s->certificate.choice,
          "explicit: the implicit method failed at t = %.4g s", s->method->t);
  return hn_auto_change(s) == HN_OK;
}
