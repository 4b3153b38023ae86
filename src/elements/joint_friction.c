// Friction on the coordinate of a joint, of the size T: a number, or a law of time, inputs and
// signals (of_t).
//
//   regular  f = T tanh(md / transition) + viscous md
//   holding  a spring K and damper D to the place where it has hold of its partner, which slips when T
//            is reached:  s = K clip(m, T) + D md, clip within +-T/K;  |s| < T sticks, f = s;  else
//            f = T sign(s); and viscous md
//
// m is counted from the anchor. Where it slips, and where T has fallen below what the spring holds, the
// anchor follows when a step is accepted, so that the spring is left as long as T allows. What holds
// does not creep. A wheel that is braked to rest changes over from slipping to sticking where md = 0.
//
// Branch: sticks, slips forwards, slips backwards; located as an event.
#include "elements/joint_friction.h"
#include "elements/force_types.h"
#include "math/elementary.h"
#include "math/law.h"
#include "model/contact.h"

enum { STICKS, FORWARDS, BACKWARDS, STATES };

// T and its rate, at the piece of the law.
static double size_of(const hn_force_def *force, int piece, double t, double *rate) {
  *rate = 0;
  if (!force->of_t) return force->magnitude;
  hn_law_value law = hn_law_evaluate(force->of_t, piece, t);
  if (!(law.value > 0)) return 0;
  *rate = law.d1;
  return law.value;
}

static int is_holding(const hn_force_def *force) { return force->stiffness[0] > 0; }

static double within(double x, double most) { return x > most ? most : x < -most ? -most : x; }

static int state_with(const hn_force_def *force, double m, double md, double size) {
  if (!(size > 0)) return STICKS;
  double pull = within(force->stiffness[0] * m, size) + force->damping[0] * md;
  return pull > size ? FORWARDS : pull < -size ? BACKWARDS : STICKS;
}

static int state_of(const hn_force_def *force, double m, double md, double t) {
  double rate, size = size_of(force, -1, t, &rate);
  return state_with(force, m, md, size);
}

static hn_tension regular(const hn_force_def *force, int piece, double m, double md, double t) {
  if (hn_force_is_rigid(force)) { // what sticks is no force (equations/conditions.h)
    const double drag = force->viscous * md;
    return (hn_tension){.x = m, .f = drag, .f_md = force->viscous, .damped = drag};
  }
  double rate, size = size_of(force, piece, t, &rate);
  double share = hn_tanh(md / force->transition);
  double f = size * share + force->viscous * md;
  return (hn_tension){.x = m,
                      .f = f,
                      .f_md = size * (1 - share * share) / force->transition + force->viscous,
                      .f_t = share * rate,
                      .damped = f};
}

static hn_tension friction_tension(const hn_force_def *force, int k, hn_branch branch, double m,
                                   double md, double t) {
  (void)k;
  if (!is_holding(force)) return regular(force, branch.time, m, md, t);
  double rate, size = size_of(force, branch.time, t, &rate), sign = 0;
  int state = branch.state == HN_BRANCH_FREE ? state_with(force, m, md, size) : branch.state;
  double drag = force->viscous * md;
  if (state != STICKS) sign = state == FORWARDS ? 1 : -1;
  if (state != STICKS || !(size > 0))
    return (hn_tension){.x = m,
                        .f = sign * size + drag,
                        .f_md = force->viscous,
                        .f_t = sign * rate,
                        .damped = sign * size + drag,
                        .state = state};
  double spring = force->stiffness[0] * m, held = within(spring, size);
  double f = held + force->damping[0] * md + drag;
  double f_md = force->damping[0] + force->viscous;
  if (held == spring)
    return (hn_tension){.x = m, .f = f, .f_m = force->stiffness[0], .f_md = f_md, .damped = f};
  sign = spring > 0 ? 1 : -1;
  return (hn_tension){.x = m, .f = f, .f_md = f_md, .f_t = sign * rate, .damped = f};
}

double hn_friction_share(const hn_force_def *force, double m, double md, double t) {
  if (hn_force_is_rigid(force)) return 0;
  if (!is_holding(force)) return hn_tanh(md / force->transition);
  int state = state_of(force, m, md, t);
  return state == FORWARDS ? 1 : state == BACKWARDS ? -1 : 0;
}

static int friction_states(const hn_model *model, const hn_force_def *force) {
  (void)model;
  return is_holding(force) ? STATES : 1;
}

static hn_branch friction_branch(const hn_force_def *force, double m, double md, double t) {
  return (hn_branch){is_holding(force) ? state_of(force, m, md, t) : STICKS,
                     hn_pieces_encode(1, (hn_law *const[]){force->of_t}, &t)};
}

// A spring that is not there yet is without load. While it slips it stays as long as it can be.
static void friction_anchor(const hn_elements *elements, int index, const hn_frame *frames,
                            double t, const double *turns, double *anchor) {
  const hn_force_def *force = &elements->model->forces[index];
  double value, rate, size_rate;
  if (!is_holding(force)) {
    anchor[0] = 0;
    return;
  }
  hn_measure_rate(&elements->measures[elements->force_coordinate[index]], frames, turns, &value,
                  &rate);
  if (anchor[0] == HN_NO_ANCHOR) anchor[0] = value;
  double m = value - anchor[0], size = size_of(force, -1, t, &size_rate);
  double most = size / force->stiffness[0];
  int state = state_with(force, m, rate, size);
  if (state != STICKS)
    anchor[0] = value - (state == FORWARDS ? most : -most);
  else if (fabs(m) > most)
    anchor[0] = value - within(m, most);
}

const hn_force_row hn_row_HN_FORCE_JOINT_FRICTION = {.tension = friction_tension,
                                                     .law_branch = friction_branch,
                                                     .states = friction_states,
                                                     .anchors = 1,
                                                     .move_anchor = friction_anchor,
                                                     .has_rates = hn_force_always};
