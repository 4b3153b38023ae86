// Limits of steps by the motion, as sources of events (event_sources.h): no body turns so far that its
// revolutions are a guess, no wheel passes a bump between two samples of its road, and conditions are
// sampled often enough. A fixed step beyond them is reported.
#include <math.h>

#include "analysis/event_sources.h"
#include "analysis/simulation_guards.h"
#include "base/error.h"

#define TURN 1.5      // rad in a step, where its size is chosen
#define HALF_TURN 3.1 // beyond it the count of turns is wrong
enum { STEPS_A_RUN = 500 };

// 1: a warning is due, which has replaced one with a larger limit if there was one.
static int is_news(hn_simulation *s, struct hn_blind_step *told, double limit) {
  if (told->limit > 0 && limit > 0.9 * told->limit) return 0;
  if (told->limit == 0 && s->told.count == HN_RUN_WARNINGS) return 0; // no place for it
  if (told->limit == 0) told->warning = s->told.count;
  told->limit = limit;
  return 1;
}

// ---- roads --------------------------------------------------------------------------------------

// s; *force: whose; -1: inside a component.
static double force_limit(const hn_simulation *s, int *force) {
  double least = HUGE_VAL;
  *force = -1;
  for (int k = 0; s->changing.by_state > 0 && k < s->changing.limiting_count; k++) {
    const int f = s->changing.limiting[k];
    double limit = hn_force_step_limit(s->elements, f, s->method->t, s->method->now->frames);
    if (!(limit < least)) continue;
    least = limit;
    *force = f;
  }
  const hn_hidden_elements *hidden = s->elements->hidden;
  if (!hidden || s->stepping.mode == HN_RUN_REAL_TIME) return least;
  double inside = hidden->step_limit(hidden->context, s->method->t, s->method->now->frames);
  if (inside < least) *force = -1;
  return fmin(least, inside);
}

static double roads_max_step(hn_simulation *s, double h, double t_limit) {
  int unused;
  (void)t_limit;
  const double limit = force_limit(s, &unused);
  return h > limit ? limit : h;
}

static void roads_report_fixed(hn_simulation *s, double h) {
  int force;
  const int count = s->told.count;
  const double limit = force_limit(s, &force);
  char name[96] = "a force inside a component";
  if (!(h > limit)) return;
  const double look =
      force >= 0 ? hn_force_look_time(s->elements, force, s->method->now->frames) : limit;
  if (!is_news(s, &s->told.blind_force, look)) return;
  if (force >= 0) hn_text(name, sizeof name, "force '%s'", s->model->forces[force].name);
  s->told.count = s->told.blind_force.warning;
  hn_simulation_warn(s, name,
                     "misses road features between fixed steps of %.3g s: the wheel rolls half "
                     "its radius in %.2g s. Use a smaller `step` or error control",
                     h, look);
  if (s->told.count < count) s->told.count = count;
}

static int roads_present(const hn_simulation *s) {
  return s->changing.by_state > 0 || s->elements->hidden != NULL;
}

const hn_event_source hn_roads_source = {.name = "roads",
                                         .is_present = roads_present,
                                         .max_step = roads_max_step,
                                         .report_fixed = roads_report_fixed};

// ---- revolutions --------------------------------------------------------------------------------

// s; *body: the fastest.
static double turning_limit(const hn_simulation *s, int *body) {
  double fastest = 0;
  *body = 0;
  for (int b = 1; b < s->model->body_count; b++) {
    hn_vec3 w = s->method->now->frames[b].w;
    double square = vec3_dot(w, w);
    if (!(square > fastest)) continue;
    fastest = square;
    *body = b;
  }
  return fastest > 0 ? TURN / sqrt(fastest) : HUGE_VAL;
}

static double turns_max_step(hn_simulation *s, double h, double t_limit) {
  int unused;
  (void)t_limit;
  const double limit = turning_limit(s, &unused);
  return h > limit ? limit : h;
}

static void turns_report_fixed(hn_simulation *s, double h) {
  int body;
  const int count = s->told.count;
  const double limit = HALF_TURN / TURN * turning_limit(s, &body);
  char name[96];
  if (!(h > limit) || !is_news(s, &s->told.blind_turn, limit)) return;
  hn_text(name, sizeof name, "body '%s'", s->model->bodies[body].name);
  s->told.count = s->told.blind_turn.warning;
  hn_simulation_warn(s, name,
                     "rotates by more than half a turn in the fixed step of %.3g s; angles may "
                     "miss full turns. Use a `step` below %.2g s or error control",
                     h, limit);
  if (s->told.count < count) s->told.count = count;
}

static hn_status turns_take(hn_simulation *s) {
  for (int k = 0; k < s->elements->turn_count; k++) s->taken.turns[k] = s->branches.turns[k];
  return HN_OK;
}

// Reference angles, and anchors of sticking bristles, move on.
static void turns_note(hn_simulation *s) {
  const hn_coordinates *c = s->equations->type->coordinates;
  const hn_frame *frames = s->method->now->frames;
  if (c->update_turns)
    c->update_turns(s->equations, s->method->q, frames, s->branches.turns);
  else
    hn_elements_update_turns(s->elements, frames, s->branches.turns);
  if (s->elements->anchor_count > 0)
    hn_elements_move_anchors(s->elements, frames, s->method->t, 1, s->branches.turns);
}

static int is_always(const hn_simulation *s) {
  (void)s;
  return 1;
}

const hn_event_source hn_turns_source = {.name = "revolutions",
                                         .is_present = is_always,
                                         .max_step = turns_max_step,
                                         .report_fixed = turns_report_fixed,
                                         .take = turns_take,
                                         .note = turns_note};

// ---- conditions ---------------------------------------------------------------------------------

// Conditions are sampled a few times per step. One that is true briefly would be missed if nothing
// else limits the step: a run has at least a minimum number of samples. If the model gives no
// duration, it is a second, or the limit of its steps.
static double conditions_max_step(hn_simulation *s, double h, double t_limit) {
  if (s->options.max_step > 0) return h;
  const double given = s->model->defaults.time;
  return fmin(h, (given > 0 ? given : fmax(1, t_limit)) / STEPS_A_RUN);
}

static int conditions_present(const hn_simulation *s) {
  return s->model->rules.count + hn_guards_hidden_rules(s->model) + s->model->switch_count > 0;
}

const hn_event_source hn_conditions_source = {
    .name = "conditions", .is_present = conditions_present, .max_step = conditions_max_step};
