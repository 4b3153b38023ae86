// A tyre that rolls, steers, drives and brakes: a property file (vehicle/tyre.h) on a road.
//
// The wheel is a disc of radius R0, center c, spin axis e (to the left). With the normal n of the
// road at the contact point C,
//
//   q = n - (n.e) e,  d = q/|q|,  C = c - Rl d on the tangent plane of the road,  rho = R0 - Rl
//   x = e x n/|e x n|,  y = n x x,  sin gamma = e.n
//   V = v_c + (w - Omega e) x (C - c),  Omega = w.e
//   kappa = (Omega Re - Vx)/|Vx|,  tan alpha = Vy/|Vx|,  rho_t = -V.n
//   Fz = spring(rho) + K rho_t >= 0 along n
//
// Roads that are not plane are evaluated three times, each time below the contact point found last.
// Forces and moments at C act on the wheel. All of their work is counted as power: the tyre has no
// potential here.
//
// A standing tyre, |(Vx, Vy, Omega Re)| below half the low speed, sticks to the road: a point of
// the wheel, its mark (at C but for the effective radius), has an anchor A on the road, and
//
//   kappa = -(u.x s_x + tau_x u'.x)/sigma_x,  tan alpha = (u.y s_y + tau_y u'.y)/sigma_y,  u = mark - A
//
// with the part of u along x as of the tread: that of a wheel that rolls freely is 0.
// u s not beyond where the tyre slides (vehicle/hold.c): a spring K/sigma with damper, which does not
// creep. Rolled-off deflection decays: s = exp(-|r|/sigma), r from the mark to the contact point.
// Between half and all of the low speed the slips of both are blended; |Vx| is never taken below
// half of it. Anchor and mark are frozen within a step. When it is accepted they follow: a rolling
// tyre has them where its slips are the same, one that slides as far as it may, and one that has
// rolled a little gets a new mark, with u s as its u. A road that moves has no marks.
//
// With relaxation (force->following) the slips have states of their own, forwards and sideways,
//
//   u' = a - |Vx| u/sigma,  a = Omega Re - Vx and Vy,  kappa = u/sigma and tan alpha alike
//
// which stand without creep, too; there are no anchors then.
//
// Branch: contact + 3 * feature of the road, as of a tyre without adhesion; forces of the tyre
// itself are continuous, corners of their curves are passed without an event.
#include "elements/rolling.h"
#include "elements/force_types.h"
#include "elements/measure_make.h"
#include "elements/road.h"
#include "elements/states.h"
#include "vehicle/tyre.h"

// Inputs: small translations and rotations of the body's pose (global axes), its velocity and angular
// velocity.
#define HN_DUALS 12
#include "math/dual.h"
#include "math/elementary.h"

enum { AIRBORNE, CONTACT, UNLOADED, CONTACTS };

// Position and method of a wheel's road evaluation.
typedef struct look_at {
  const hn_road *road;
  const hn_tyre *tyre;
  int feature, looks;
  double unloaded, damping, low; // radius; low: the speed below which slip is a damper
  double shift, speed;           // of a road that moves
  const double *anchor;          // place on the road, mark in the body; null: none
  int relaxes;
  hn_own_state own[2]; // of one that relaxes
} look_at;

#define NUMBER double
#define N(name) plain_##name
#include "elements/rolling_formulas.h"
#undef NUMBER
#undef N
#define NUMBER hn_dual
#define N(name) dual_##name
#include "elements/rolling_formulas.h"
#undef NUMBER
#undef N

// ---- branches -----------------------------------------------------------------------------------

static look_at look_of(const hn_elements *elements, const hn_force_def *force, const hn_road *road,
                       const double *anchor, double t) {
  if (anchor && (anchor[0] == HN_NO_ANCHOR || road->def->speed != 0)) anchor = NULL;
  int relaxes = force->following && elements->flow;
  look_at at = {.road = road,
                .tyre = force->tyre,
                .looks = hn_road_is_plane(road) ? 1 : 3,
                .unloaded = force->radius,
                .damping = force->damping[0],
                .low = force->transition,
                .shift = road->def->speed * t,
                .speed = *elements->is_held ? 0 : road->def->speed,
                .anchor = anchor,
                .relaxes = relaxes};
  for (int k = 0; k < 2 && relaxes; k++) at.own[k] = hn_force_own_state(elements, force, k);
  return at;
}

// For those who only look: states are read, and not written.
static void look_only(look_at *at, double room[2]) {
  for (int k = 0; k < 2; k++) at->own[k].value = at->own[k].rate = &room[k];
}

// A tyre in the air springs back.
#define SPRINGS_BACK 10 // 1/s
static void spring_back(const look_at *at) {
  for (int k = 0; k < 2 && at->relaxes; k++) {
    const hn_own_state *z = &at->own[k];
    *z->value = z->hat / (1 + z->g * SPRINGS_BACK);
    *z->rate = -SPRINGS_BACK * *z->value;
  }
}

static plain_vector plain_of(hn_vec3 a) { return (plain_vector){a.x, a.y, a.z}; }
static hn_vec3 vector_of(plain_vector a) { return vec3(a.x, a.y, a.z); }

static hn_vec3 mark_arm(const look_at *at, const hn_frame *frame) {
  const double *a = at->anchor;
  return a ? mat3_apply(frame->a, vec3(a[3], a[4], a[5])) : vec3_zero();
}

static plain_wheel wheel_of(const look_at *at, const hn_force_def *force, const hn_frame *frame,
                            hn_vec3 *arm) {
  *arm = mat3_apply(frame->a, force->frame2.position);
  hn_vec3 axis = mat3_apply(frame->a, frame_axis(&force->frame2, 2)), mark = mark_arm(at, frame);
  return (plain_wheel){plain_of(vec3_add(frame->r, *arm)),
                       plain_of(axis),
                       plain_of(vec3_add(frame->v, vec3_cross(frame->w, *arm))),
                       plain_of(frame->w),
                       plain_of(vec3_add(frame->r, mark)),
                       plain_of(vec3_add(frame->v, vec3_cross(frame->w, mark)))};
}

// The feature on which the contact point lies, found from the one below the center.
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
  look_at at = look_of(elements, force, &road, NULL, t);
  double room[2];
  look_only(&at, room);
  hn_vec3 arm;
  plain_wheel wheel = wheel_of(&at, force, &frames[force->frame2.body], &arm);
  plain_grip g;
  return (hn_branch){state_of(&at, &wheel, &g), 0};
}

// ---- forces -------------------------------------------------------------------------------------

static hn_status rolling_in_speeds(const hn_elements *elements, const hn_force_def *force,
                                   const hn_frame *frames, const double *anchor, double t,
                                   hn_branch branch, hn_wrench *wrench, hn_force_value *out) {
  int body = force->frame2.body;
  const hn_frame *frame = &frames[body];
  hn_road road = hn_road_of(elements->model, force->road);
  look_at at = look_of(elements, force, &road, anchor, t);
  hn_vec3 arm;
  plain_wheel wheel = wheel_of(&at, force, frame, &arm);
  plain_grip g;
  out->state = settle(&at, &wheel, branch.state, &g);
  if (out->state % CONTACTS == AIRBORNE) {
    spring_back(&at);
    return HN_OK;
  }
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
static dual_vector dual_carried(hn_vec3 a, hn_vec3 fixed, int is_place) {
  dual_vector v = {dual_const(a.x), dual_const(a.y), dual_const(a.z)};
  v.x.d[4] = fixed.z, v.x.d[5] = -fixed.y;
  v.y.d[3] = -fixed.z, v.y.d[5] = fixed.x;
  v.z.d[3] = fixed.y, v.z.d[4] = -fixed.x;
  if (is_place) v.x.d[0] = v.y.d[1] = v.z.d[2] = 1;
  return v;
}

static dual_vector dual_speed_of(hn_vec3 a, int first) {
  dual_vector v = {dual_const(a.x), dual_const(a.y), dual_const(a.z)};
  v.x.d[first] = v.y.d[first + 1] = v.z.d[first + 2] = 1;
  return v;
}

static dual_wheel duals_of(const look_at *at, const hn_force_def *force, const hn_frame *frame,
                           hn_vec3 arm) {
  hn_vec3 axis = mat3_apply(frame->a, frame_axis(&force->frame2, 2)), mark = mark_arm(at, frame);
  dual_vector turning = dual_speed_of(frame->w, 9), lever = dual_carried(arm, arm, 0);
  dual_vector velocity = dual_speed_of(frame->v, 6);
  return (dual_wheel){.centre = dual_carried(vec3_add(frame->r, arm), arm, 1),
                      .axis = dual_carried(axis, axis, 0),
                      .velocity = dual_plus(velocity, dual_cross(turning, lever)),
                      .turning = turning,
                      .mark = dual_carried(vec3_add(frame->r, mark), mark, 1),
                      .mark_velocity =
                          dual_plus(velocity, dual_cross(turning, dual_carried(mark, mark, 0)))};
}

static int rolling_wrench(const hn_elements *elements, const hn_force_def *force,
                          const hn_frame *frame, const double *anchor, double t, hn_branch branch,
                          hn_wrench_tangent *w) {
  hn_road road = hn_road_of(elements->model, force->road);
  look_at at = look_of(elements, force, &road, anchor, t);
  hn_vec3 arm;
  plain_wheel plain = wheel_of(&at, force, frame, &arm);
  plain_grip found;
  if (settle(&at, &plain, branch.state, &found) % CONTACTS != CONTACT) return 0;
  dual_wheel wheel = duals_of(&at, force, frame, arm);
  dual_grip g;
  dual_find(&at, &wheel, &g);
  dual_slide(&at, &wheel, &g);
  dual_pull(&at, &g);
  dual_vector torque = dual_plus(g.torque, dual_cross(dual_carried(arm, arm, 0), g.force));
  const hn_dual *rows[6] = {&g.force.x, &g.force.y, &g.force.z, &torque.x, &torque.y, &torque.z};
  for (int i = 0; i < 6; i++) {
    w->value[i] = rows[i]->v;
    for (int j = 0; j < 6; j++) {
      w->d_pose[i][j] = rows[i]->d[j];
      w->d_speed[i][j] = rows[i]->d[6 + j];
    }
    w->d_time[i] = -road.def->speed * rows[i]->d[0];
  }
  return 1;
}

void hn_rolling_quantities(const hn_elements *elements, int index, const hn_frame *frames,
                           const double *turns, double t, double out[HN_ROLLING_QUANTITIES]) {
  const hn_force_def *force = &elements->model->forces[index];
  const double *anchor =
      turns && elements->force_anchor[index] >= 0 ? &turns[elements->force_anchor[index]] : NULL;
  for (int k = 0; k < HN_ROLLING_QUANTITIES; k++) out[k] = 0;
  if (!force->tyre) return;
  hn_road road = hn_road_of(elements->model, force->road);
  look_at at = look_of(elements, force, &road, anchor, t);
  double room[2];
  look_only(&at, room);
  hn_vec3 arm;
  plain_wheel wheel = wheel_of(&at, force, &frames[force->frame2.body], &arm);
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

// ---- anchors ------------------------------------------------------------------------------------

#define ROLLED 0.12 // rad, by which a tyre that rolls slowly has turned when it gets a new mark
#define FAST 6      // low speeds, from which on it has none

// Mark and anchor for a way u (forwards, sideways) between them.
static void put_anchor(const hn_frame *frame, const plain_wheel *wheel, const plain_grip *g,
                       const double u[2], double *anchor) {
  double share = g->radius > 0 ? g->rolling / g->radius : 1;
  hn_vec3 mark = vec3_add_scaled(vector_of(wheel->centre), share, vector_of(g->arm));
  hn_vec3 place = vec3_add_scaled(mark, -u[0], vector_of(g->forwards));
  vec3_store(anchor, vec3_add_scaled(place, -u[1], vector_of(g->sideways)));
  vec3_store(anchor + 3, mat3_apply_transposed(frame->a, vec3_sub(mark, frame->r)));
}

// Not farther than where it slides; 1: it was.
static int limit_way(const hn_tyre_hold *hold, const double sigma[2], double u[2]) {
  double x = u[0] / (sigma[0] * hold->limit[0]), y = u[1] / (sigma[1] * hold->limit[1]);
  double size = sqrt(x * x + y * y);
  if (!(size > 1)) return 0;
  u[0] /= size;
  u[1] /= size;
  return 1;
}

static void rolling_anchor(const hn_elements *elements, int index, const hn_frame *frames, double t,
                           const double *turns, double *anchor) {
  (void)turns;
  const hn_force_def *force = &elements->model->forces[index];
  const hn_frame *frame = &frames[force->frame2.body];
  hn_road road = hn_road_of(elements->model, force->road);
  if (road.def->speed != 0) return;
  look_at at = look_of(elements, force, &road, anchor, t);
  double room[2];
  look_only(&at, room);
  hn_vec3 arm;
  plain_wheel wheel = wheel_of(&at, force, frame, &arm);
  if (vec3_norm(vector_of(wheel.velocity)) > FAST * at.low) { // there is time until it stands
    anchor[0] = HN_NO_ANCHOR;
    return;
  }
  plain_grip g;
  double sigma[2], slope[2], u[2] = {0, 0};
  if (state_of(&at, &wheel, &g) % CONTACTS != CONTACT) {
    anchor[0] = HN_NO_ANCHOR;
    return;
  }
  hn_tyre_relaxation(at.tyre, g.load, sigma, slope);
  if (at.anchor && g.standing > 0) {
    hn_vec3 way = vec3_sub(vector_of(wheel.mark), vec3_load(anchor));
    double rate;
    u[0] = plain_way_forwards(&at, &wheel, &g, &rate);
    u[1] = vec3_dot(way, vector_of(g.sideways));
    double rolled = plain_rolled_off(&wheel, &g);
    for (int k = 0; k < 2; k++) u[k] *= plain_left(rolled, sigma[k]);
    if (!limit_way(&at.tyre->hold, sigma, u) && fabs(rolled) < ROLLED * at.unloaded) return;
  } else if (!(g.standing > 0) && at.anchor) {
    u[0] = -g.slip[0] * sigma[0];
    u[1] = hn_tan(g.slip[1]) * sigma[1];
    limit_way(&at.tyre->hold, sigma, u);
  }
  put_anchor(frame, &wheel, &g, u, anchor);
}

static int relaxation_states(const hn_model *model, const hn_force_def *force) {
  (void)model;
  return force->following ? 2 : 0;
}

const hn_force_row hn_row_HN_FORCE_ROLLING_TYRE = {.held_in_speeds = rolling_in_speeds,
                                                   .held_wrench = rolling_wrench,
                                                   .anchors = 6,
                                                   .own_states = relaxation_states,
                                                   .move_anchor = rolling_anchor,
                                                   .branch = rolling_branch,
                                                   .states = rolling_states,
                                                   .has_rates = hn_force_always};

hn_vec3 hn_rolling_spin(const hn_elements *elements, int force, const hn_frame *frames, double t,
                        hn_vec3 velocity) {
  const hn_force_def *def = &elements->model->forces[force];
  const hn_frame *frame = &frames[def->frame2.body];
  hn_road road = hn_road_of(elements->model, def->road);
  look_at at = look_of(elements, def, &road, NULL, t);
  hn_vec3 arm, axis = mat3_apply(frame->a, frame_axis(&def->frame2, 2));
  plain_wheel wheel = wheel_of(&at, def, frame, &arm);
  plain_grip g;
  double slope;
  at.feature = at.looks > 1 ? feature_of(&at, &wheel) : 0;
  if (!plain_find(&at, &wheel, &g)) return vec3_zero();
  const double radius = hn_tyre_rolling_radius(at.tyre, fmax(g.deflection, 0), &slope);
  velocity.x -= at.speed;
  return vec3_scale(vec3_dot(velocity, vector_of(g.forwards)) / radius, axis);
}
