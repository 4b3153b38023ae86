// A tyre that rolls, steers, drives and brakes: a property file (vehicle/tyre.h) on a road.
//
// The wheel is a disc of radius R0, centre c, spin axis e (to the left). With the normal n of the
// road at the contact point C,
//
//   q = n - (n.e) e,  d = q/|q|,  C = c - Rl d on the tangent plane of the road,  rho = R0 - Rl
//   x = e x n/|e x n|,  y = n x x,  sin gamma = e.n
//   V = v_c + (w - Omega e) x (C - c),  Omega = w.e
//   kappa = (Omega Re - Vx)/|Vx|,  tan alpha = Vy/|Vx|,  rho_t = -V.n
//   Fz = spring(rho) + K rho_t >= 0 along n
//
// Roads that are not plane are looked at three times, each time below the contact point found
// last. |Vx| is never less than half a low speed: there slip is a strong damper, under which a
// standing wheel creeps. Forces and moments at C act on the wheel. All of their work is counted
// as power: the tyre has no potential here.
//
// Branch: contact + 3 * feature of the road, as of a tyre without grip; forces of the tyre itself
// are continuous, corners of their curves are passed without an event.
#include "elements/rolling.h"
#include "elements/force_types.h"
#include "elements/jet.h"
#include "elements/measure_make.h"
#include "elements/road.h"
#include "vehicle/tyre.h"

enum { AIRBORNE, CONTACT, UNLOADED, CONTACTS };

// Where and how a wheel looks at its road.
typedef struct look_at {
  const hn_road *road;
  const hn_tyre *tyre;
  int feature, looks;
  double unloaded, damping, low; // radius; low: the speed below which slip is a damper
  double shift, speed;           // of a road that moves
} look_at;

#define NUMBER double
#define N(name) plain_##name
#include "elements/rolling_formulas.h"
#undef NUMBER
#undef N
#define NUMBER hn_jet
#define N(name) jet_##name
#include "elements/rolling_formulas.h"
#undef NUMBER
#undef N

// ---- branches -----------------------------------------------------------------------------------

static look_at look_of(const hn_elements *elements, const hn_force_def *force, const hn_road *road,
                       double t) {
  return (look_at){.road = road,
                   .tyre = force->tyre,
                   .looks = hn_road_is_plane(road) ? 1 : 3,
                   .unloaded = force->radius,
                   .damping = force->damping[0],
                   .low = force->transition,
                   .shift = road->def->speed * t,
                   .speed = elements->is_held ? 0 : road->def->speed};
}

static plain_vector plain_of(hn_vec3 a) { return (plain_vector){a.x, a.y, a.z}; }
static hn_vec3 vector_of(plain_vector a) { return vec3(a.x, a.y, a.z); }

static plain_wheel wheel_of(const hn_force_def *force, const hn_frame *frame, hn_vec3 *arm) {
  *arm = mat3_apply(frame->a, force->frame2.position);
  hn_vec3 axis = mat3_apply(frame->a, frame_axis(&force->frame2, 2));
  return (plain_wheel){plain_of(vec3_add(frame->r, *arm)), plain_of(axis),
                       plain_of(vec3_add(frame->v, vec3_cross(frame->w, *arm))),
                       plain_of(frame->w)};
}

// The feature on which the contact point lies, found from the one below the centre.
static int feature_of(look_at *at, const plain_wheel *wheel) {
  plain_grip g;
  double x = wheel->centre.x;
  for (int k = 0; k < at->looks; k++) {
    at->feature = hn_road_feature_below(at->road, x - at->shift);
    if (!plain_look(at, wheel, x, wheel->centre.y, &g)) break;
    x = wheel->centre.x + g.arm.x;
  }
  return hn_road_feature_below(at->road, x - at->shift);
}

// The branch; *g is what was found on the way, up to the load, where it is not airborne.
static int state_of(look_at *at, const plain_wheel *wheel, plain_grip *g) {
  at->feature = at->looks > 1 ? feature_of(at, wheel) : 0;
  if (!plain_find(at, wheel, g) || !(g->deflection > 0)) return AIRBORNE;
  plain_slide(at, wheel, g);
  return (g->load > 0 ? CONTACT : UNLOADED) + CONTACTS * at->feature;
}

// The branch itself, or, where it is free, the one that holds; with the load.
static int settle(look_at *at, const plain_wheel *wheel, int state, plain_grip *g) {
  if (state == HN_BRANCH_FREE) return state_of(at, wheel, g);
  at->feature = state / CONTACTS;
  if (state % CONTACTS == AIRBORNE || !plain_find(at, wheel, g)) return AIRBORNE;
  plain_slide(at, wheel, g);
  return state;
}

static int rolling_states(const hn_model *model, const hn_force_def *force) {
  hn_road road = hn_road_of(model, force->road);
  return CONTACTS * hn_road_features(&road);
}

static hn_branch rolling_branch(const hn_elements *elements, const hn_force_def *force,
                                const hn_frame *frames, double t) {
  hn_road road = hn_road_of(elements->model, force->road);
  look_at at = look_of(elements, force, &road, t);
  hn_vec3 arm;
  plain_wheel wheel = wheel_of(force, &frames[force->frame2.body], &arm);
  plain_grip g;
  return (hn_branch){state_of(&at, &wheel, &g), 0};
}

// ---- forces -------------------------------------------------------------------------------------

static hn_status rolling_in_speeds(const hn_elements *elements, const hn_force_def *force,
                                   const hn_frame *frames, double t, hn_branch branch,
                                   hn_wrench *wrench, hn_force_value *out) {
  int body = force->frame2.body;
  const hn_frame *frame = &frames[body];
  hn_road road = hn_road_of(elements->model, force->road);
  look_at at = look_of(elements, force, &road, t);
  hn_vec3 arm;
  plain_wheel wheel = wheel_of(force, frame, &arm);
  plain_grip g;
  out->state = settle(&at, &wheel, branch.state, &g);
  if (out->state % CONTACTS == AIRBORNE) return HN_OK;
  out->deflection = g.deflection;
  out->rate = g.rate;
  if (out->state % CONTACTS != CONTACT) return HN_OK;
  plain_pull(&at, &g);
  hn_vec3 f = vector_of(g.force);
  hn_vec3 n = vec3_add(vector_of(g.torque), vec3_cross(arm, f));
  wrench[body].force = vec3_add(wrench[body].force, f);
  wrench[body].torque = vec3_add(wrench[body].torque, n);
  out->value = g.load;
  out->power = vec3_dot(f, frame->v) + vec3_dot(n, frame->w);
  out->dissipated = -out->power;
  out->direction = f;
  return HN_OK;
}

// A vector that moves and turns with the body: its derivatives are those of `fixed` x dpi, and dr
// where it is a place.
static jet_vector jet_carried(hn_vec3 a, hn_vec3 fixed, int is_place) {
  jet_vector v = {jet_const(a.x), jet_const(a.y), jet_const(a.z)};
  v.x.d[4] = fixed.z, v.x.d[5] = -fixed.y;
  v.y.d[3] = -fixed.z, v.y.d[5] = fixed.x;
  v.z.d[3] = fixed.y, v.z.d[4] = -fixed.x;
  if (is_place) v.x.d[0] = v.y.d[1] = v.z.d[2] = 1;
  return v;
}

static jet_vector jet_speed_of(hn_vec3 a, int first) {
  jet_vector v = {jet_const(a.x), jet_const(a.y), jet_const(a.z)};
  v.x.d[first] = v.y.d[first + 1] = v.z.d[first + 2] = 1;
  return v;
}

static jet_wheel jets_of(const hn_force_def *force, const hn_frame *frame, hn_vec3 arm) {
  hn_vec3 axis = mat3_apply(frame->a, frame_axis(&force->frame2, 2));
  jet_vector turning = jet_speed_of(frame->w, 9), lever = jet_carried(arm, arm, 0);
  return (jet_wheel){.centre = jet_carried(vec3_add(frame->r, arm), arm, 1),
                     .axis = jet_carried(axis, axis, 0),
                     .velocity = jet_plus(jet_speed_of(frame->v, 6), jet_cross(turning, lever)),
                     .turning = turning};
}

static hn_status rolling_in_q(const hn_elements *elements, const hn_force_def *force,
                              const hn_frame *frames, double t, hn_branch branch,
                              hn_force_tangent *out) {
  const hn_frame *frame = &frames[force->frame2.body];
  hn_road road = hn_road_of(elements->model, force->road);
  look_at at = look_of(elements, force, &road, t);
  hn_vec3 arm;
  plain_wheel plain = wheel_of(force, frame, &arm);
  plain_grip found;
  if (settle(&at, &plain, branch.state, &found) % CONTACTS != CONTACT) return HN_OK;
  jet_wheel wheel = jets_of(force, frame, arm);
  jet_grip g;
  jet_find(&at, &wheel, &g);
  jet_slide(&at, &wheel, &g);
  jet_pull(&at, &g);
  jet_vector torque = jet_plus(g.torque, jet_cross(jet_carried(arm, arm, 0), g.force));
  const hn_jet *rows[6] = {&g.force.x, &g.force.y, &g.force.z, &torque.x, &torque.y, &torque.z};
  hn_wrench_tangent w;
  for (int i = 0; i < 6; i++) {
    w.value[i] = rows[i]->v;
    for (int j = 0; j < 6; j++) {
      w.d_pose[i][j] = rows[i]->d[j];
      w.d_speed[i][j] = rows[i]->d[6 + j];
    }
    w.d_time[i] = -road.def->speed * rows[i]->d[0];
  }
  hn_wrench_in_q(frame, &w, out);
  return HN_OK;
}

void hn_rolling_quantities(const hn_elements *elements, int index, const hn_frame *frames, double t,
                           double out[HN_ROLLING_QUANTITIES]) {
  const hn_force_def *force = &elements->model->forces[index];
  for (int k = 0; k < HN_ROLLING_QUANTITIES; k++) out[k] = 0;
  if (!force->tyre) return;
  hn_road road = hn_road_of(elements->model, force->road);
  look_at at = look_of(elements, force, &road, t);
  hn_vec3 arm;
  plain_wheel wheel = wheel_of(force, &frames[force->frame2.body], &arm);
  plain_grip g;
  if (state_of(&at, &wheel, &g) % CONTACTS != CONTACT) return;
  plain_pull(&at, &g);
  const double all[HN_ROLLING_QUANTITIES] = {g.slip[0],
                                             g.slip[1],
                                             g.slip[2],
                                             g.fx,
                                             g.fy,
                                             g.load,
                                             g.mx,
                                             g.my,
                                             g.mz,
                                             wheel.centre.x + g.arm.x,
                                             wheel.centre.y + g.arm.y,
                                             wheel.centre.z + g.arm.z,
                                             g.slip[5]};
  for (int k = 0; k < HN_ROLLING_QUANTITIES; k++) out[k] = all[k];
}

static int has_rates(const hn_force_def *force) { return force != NULL; }

const hn_force_row hn_row_HN_FORCE_ROLLING_TYRE = {.in_speeds = rolling_in_speeds,
                                                   .in_q = rolling_in_q,
                                                   .branch = rolling_branch,
                                                   .states = rolling_states,
                                                   .has_rates = has_rates};
