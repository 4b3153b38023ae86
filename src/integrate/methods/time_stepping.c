// Method time-stepping, for many rigid contacts (Moreau and Jean): fixed steps, in which impacts
// are not located but taken together.
//
//   q_m = q + h/2 v,   M (v+ - v) = h F(q_m, v) + J' Lambda + G' p,   J v+ = -Phi_t,   q+ = q_m + h/2 v+
//
// p and v+ satisfy Coulomb's law with the restitution (contact/sweeps.h) at points that would meet
// within the step. A slow point may close its gap; so nothing penetrates, and bodies at rest stay.
// Points nearer than a small part of a fall count as in contact: the velocity conditions can then
// be met by bodies at rest, however they are wedged. Overlap is removed by displacements, separate
// from the velocities. Gravity does exactly its work over a step, and so the energy that contacts
// took is known. Coordinates decide how joints hold and bodies respond (equations/stepping.h).
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "contact/give.h"
#include "contact/resolve.h"
#include "contact/sweeps.h"
#include "equations/conditions.h"
#include "equations/stepping.h"
#include "integrate/method_states.h"
#include "integrate/stepping_conditions.h"
#include "integrate/stepping_forces.h"
#include "integrate/time_stepping.h"
#include "model/contact.h"

#define ENOUGH 1e-6      // of the residual, of the weight of a body in a step
#define ENOUGH_FEW 1e-11 // the same where contacts are few
#define DEEP 1e-9        // m: depths that are
#define SPED_UP 1.5      // of the fastest point: speeds to which impulses bring others
#define SOLUTIONS 1e8    // of single contacts in a step, where that is more than SWEEPS of all
#define AT_REST 1e-6     // m/s: a contact that slides more slowly sticks
#define TOUCHING 0.1     // of a fall of one step, g h^2: nearer points are in contact
enum {
  SWEEPS = 4000,
  SWEEPS_OF_FEW = 400,
  SWEEPS_BOUNDED = 200,
  SWEEPS_OF_MANY = 300,
  POINTS_OF_BODY = 16,
  LEAP_POINTS_OF_BODY = 8,
  LEAST_POINTS = 512,
  MOST_POINTS = 1 << 18, // lists grow up to there
  MOST_PAIRS = 1 << 22,
  DENSE = 24 // points up to which Newton's method is tried, too
};

typedef struct time_stepping {
  hn_method base;
  const hn_contacts *contacts;
  hn_contact_sweep *broad;
  hn_sweep_body *bodies;       // (bodies + ground)
  hn_sweep_point *point, *old; // (capacity)
  double *thickness;           // of shapes that collide
  double *extent, *margin;     // of bodies: their shapes, what points of these move in the step
  int count, old_count, room;
  int crowd;                     // points from which on only those that approach are listed
  int has_spins;                 // some point has torsional or rolling friction
  int has_returns;               // some point bounces by Poisson's law
  int is_crowded;                // more points are near than the capacity
  int lacks_points, lacks_pairs; // so the attempt was given up
  int pair_room;                 // pairs of shapes that are near
  hn_arena *arena;               // for larger lists
  hn_resolve resolve;
  hn_stepping_forces forces;
  hn_stepper *stepper; // of the set of coordinates
  hn_vec3 *v0, *w0;    // velocities at the start (bodies + ground)
  hn_stepping_conditions joined;
  double *q0, *qd0, work0; // state at the start of the step (nq)
  double weight;           // of a body, N
  double enough;           // residual of its weight in a step
  double next_work;
  double fastest;   // speed of a body
  double *mobility; // of bodies, at the start of a run with soft contacts (bodies + ground)
  int is_soft, has_mobility;
  int is_bounded; // in real time: the work of a step is limited
} time_stepping;

static int at_least(int a, int b) { return a > b ? a : b; }

// Larger lists of contact points. What decides about steps stays: acceleration, the memory of factors,
// and from how many points on only those that approach are listed.
static hn_status extend_lists(time_stepping *self, int capacity) {
  hn_arena *arena = self->arena;
  hn_sweep_point *point = HN_KEEP(arena, hn_sweep_point, capacity);
  self->old = HN_KEEP(arena, hn_sweep_point, capacity);
  hn_status status = hn_resolve_extend(arena, capacity, &self->resolve);
  if (status == HN_OK) status = hn_stepping_conditions_reserve(arena, capacity, &self->joined);
  if (status != HN_OK || arena->failed) return HN_ERROR_MEMORY;
  if (self->count > 0) memcpy(point, self->point, (size_t)self->count * sizeof *point);
  self->point = point;
  self->old_count = 0;
  self->room = capacity;
  return HN_OK;
}

static hn_status take_memory(hn_arena *arena, time_stepping *self) {
  hn_equations *e = self->base.equations;
  hn_method *m = &self->base;
  const int bodies = e->model->body_count;
  self->crowd = self->room = self->pair_room = at_least(POINTS_OF_BODY * bodies, LEAST_POINTS);
  self->point = HN_KEEP(arena, hn_sweep_point, self->room);
  self->old = HN_KEEP(arena, hn_sweep_point, self->room);
  self->bodies = HN_KEEP(arena, hn_sweep_body, bodies);
  self->mobility = HN_KEEP(arena, double, bodies);
  self->v0 = HN_KEEP(arena, hn_vec3, bodies);
  self->w0 = HN_KEEP(arena, hn_vec3, bodies);
  self->q0 = HN_KEEP(arena, double, e->nq);
  self->qd0 = HN_KEEP(arena, double, e->nq);
  m->q = HN_KEEP(arena, double, e->nq);
  m->qd = HN_KEEP(arena, double, e->nq);
  m->next_q = HN_KEEP(arena, double, e->nq);
  m->next_qd = HN_KEEP(arena, double, e->nq);
  self->thickness = HN_TAKE(arena, double, self->contacts->shape_count);
  self->extent = HN_TAKE(arena, double, bodies);
  self->margin = HN_KEEP(arena, double, bodies);
  if (arena->failed) return HN_ERROR_MEMORY;
  for (int k = 0; k < self->contacts->shape_count; k++)
    self->thickness[k] = hn_contact_shape_thickness(self->contacts, k);
  for (int b = 1; b < bodies; b++) self->extent[b] = hn_contacts_extent(self->contacts, b);
  hn_status status = hn_method_take_states(arena, m);
  if (status == HN_OK) status = hn_snapshot_create(arena, e, &m->now);
  if (status == HN_OK) status = hn_snapshot_create(arena, e, &m->next);
  if (status == HN_OK) status = hn_stepping_forces_create(arena, e, &self->forces);
  if (status == HN_OK) status = e->type->stepping->create(arena, e, &self->stepper);
  if (status == HN_OK)
    status = hn_stepping_conditions_create(arena, self->stepper, self->is_bounded, &self->joined);
  if (status == HN_OK) status = hn_stepping_conditions_reserve(arena, self->room, &self->joined);
  if (status == HN_OK)
    status =
        hn_resolve_create(arena, bodies, self->room,
                          at_least(LEAP_POINTS_OF_BODY * bodies, LEAST_POINTS), &self->resolve);
  if (status == HN_OK)
    status = hn_contact_sweep_create(arena, self->contacts, self->room, &self->broad);
  return arena->failed ? HN_ERROR_MEMORY : status;
}

static int grow_points(void *list, int capacity) { return extend_lists(list, capacity) == HN_OK; }

// Points and impulses of the last step, from which the next one starts.
static void declare_time_stepping(hn_arena *arena, time_stepping *self) {
  hn_stepping_conditions *j = &self->joined;
  hn_state_owner(arena, "method", HN_STATE_METHOD);
  HN_STATE_OF(arena, &self->point, self->point, self->room, "contact point");
  hn_state_counted(arena, NULL, &self->count);
  hn_state_grows(arena, &self->room, grow_points, self);
  if (self->is_soft) {
    HN_STATE(arena, self->mobility, self->base.equations->model->body_count, "an inverse mass");
    HN_STATE(arena, &self->has_mobility, 1, "the flag of inverse masses");
    hn_state_within(arena, 0, 1);
  }
  HN_STATE(arena, j->impulse, j->extra_count, "the impulse of a stop");
  HN_STATE(arena, j->rests, j->extra_count, "the flag of a joint at rest");
  hn_state_within(arena, 0, 1);
  hn_stepper *stepper = self->stepper;
  HN_STATE(arena, &stepper->slope_step, 1, "the length of the last step");
  if (stepper->slope)
    HN_STATE(arena, stepper->slope, self->base.equations->nu, "an acceleration of the last step");
}

static hn_status time_stepping_create(hn_arena *arena, hn_equations *e,
                                      const hn_method_choice *choice, hn_method **method,
                                      hn_error *error) {
  time_stepping *self = HN_KEEP(arena, time_stepping, 1);
  if (!self) return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  self->base.type = &hn_time_stepping;
  self->arena = arena;
  self->base.equations = e;
  self->base.formula = "moreau-jean";
  self->base.independent = "none";
  self->base.error_order = 1;
  self->contacts = hn_conditions_of(e)->contacts;
  self->enough = ENOUGH;
  self->is_bounded = choice->is_bounded;
  for (int k = 0; k < e->model->contact_count; k++)
    self->is_soft |=
        e->model->contacts[k].law == HN_CONTACT_SOFT && e->model->contacts[k].time_constant > 0;
  if (take_memory(arena, self) != HN_OK)
    return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory for the contacts");
  declare_time_stepping(arena, self);
  double mass = 0;
  for (int b = 1; b < e->model->body_count; b++) {
    const hn_body_def *body = &e->model->bodies[b];
    self->bodies[b].mass_inverse = body->mass > 0 ? 1 / body->mass : 0;
    mass += body->mass;
  }
  const double gravity = vec3_norm(e->model->gravity);
  self->weight = mass / fmax(1, e->model->body_count - 1) * (gravity > 0 ? gravity : 1);
  *method = &self->base;
  return HN_OK;
}

// Impulses of the last step, and inverse masses, are of another state.
static void forget_step(time_stepping *self) {
  self->has_mobility = 0;
  self->count = self->old_count = 0;
  self->stepper->slope_step = 0;
  hn_stepping_conditions_forget(&self->joined);
}

static hn_status time_stepping_begin(hn_method *m, const hn_branches *branches, hn_error *error) {
  time_stepping *self = (time_stepping *)m;
  hn_equations *e = m->equations;
  const hn_stepping_type *type = e->type->stepping;
  hn_method_hold_states(m);
  if (!(m->step_end >= m->t)) forget_step(self);
  if (type->refresh && m->step > 0 && m->step_end == m->t) { // only forces are others
    hn_status status = type->refresh(self->stepper, m->t, m->q, m->qd, branches, m->now, error);
    hn_stepping_forces_apply(self->point, self->count, m->step, m->now);
    hn_stepping_conditions_store(&self->joined, m->step, m->now);
    return status;
  }
  hn_status status = type->evaluate(e, m->t, m->q, m->qd, branches, m->now, error);
  return status == HN_OK ? hn_method_find_rates(m, branches) : status;
}

// ---- contacts -----------------------------------------------------------------------------------

// Impulses of the step before, found by shapes and feature; both lists are in the order of pairs.
static void recall(const time_stepping *self, hn_sweep_point *c, int *from) {
  while (*from < self->old_count &&
         (self->old[*from].shape[0] < c->shape[0] ||
          (self->old[*from].shape[0] == c->shape[0] && self->old[*from].shape[1] < c->shape[1])))
    ++*from;
  for (int k = *from; k < self->old_count && self->old[k].shape[0] == c->shape[0] &&
                      self->old[k].shape[1] == c->shape[1];
       k++) {
    if (self->old[k].feature != c->feature) continue;
    const hn_sweep_point *o = &self->old[k];
    hn_vec3 p = vec3_scale(o->p[0], o->axis[0]);
    for (int i = 1; i < 3; i++) p = vec3_add_scaled(p, o->p[i], o->axis[i]);
    double x[3];
    hn_vec3 spin = vec3_zero();
    for (int i = 0; i < 3; i++) spin = vec3_add_scaled(spin, o->spin[i], o->axis[i]);
    for (int i = 0; i < 3; i++) c->spin[i] = vec3_dot(spin, c->axis[i]);
    for (int i = 0; i < 3; i++) x[i] = vec3_dot(p, c->axis[i]);
    hn_cone_project(c->mu, x, c->p);
    c->slowness = o->slowness;
  }
}

// Speed at which others may push two bodies together: that of the fastest; if too many points are
// near then, their own.
static double pushed_speed(const time_stepping *self, const hn_contact_pair *pair) {
  double sum = 0;
  if (!self->is_crowded) return self->fastest;
  for (int side = 0; side < 2; side++)
    if (pair->body[side] != HN_GROUND) sum += vec3_norm(self->bodies[pair->body[side]].v);
  return fmin(sum, self->fastest);
}

// Velocity of the second body's point against the first's.
static hn_vec3 approach(const hn_vec3 *v, const hn_vec3 *w, const int body[2],
                        const hn_vec3 arm[2]) {
  const hn_vec3 x = vec3_add(v[body[1]], vec3_cross(w[body[1]], arm[1]));
  return vec3_sub(x, vec3_add(v[body[0]], vec3_cross(w[body[0]], arm[0])));
}

// The loss of a gap within a step as bodies turn, beyond its speed: h^2/2 of its acceleration at
// constant speeds. A foot of a shin at 40 rad/s comes 8 mm nearer in 5 ms.
static double sink_of(const time_stepping *self, const int body[2], const hn_vec3 arm[2],
                      hn_vec3 normal, double h) {
  const hn_body_drift *drift = self->stepper->drift;
  double sum = 0;
  for (int side = 0; drift && side < 2; side++) {
    if (body[side] == HN_GROUND) continue;
    const hn_body_drift *on = &drift[body[side]];
    hn_vec3 a = vec3_add(on->a, vec3_cross(on->b, arm[side]));
    a = vec3_add(a, vec3_cross(on->w, vec3_cross(on->w, arm[side])));
    sum += (side == 0 ? -1 : 1) * vec3_dot(normal, a);
  }
  return sum < 0 ? -0.5 * h * h * sum : 0;
}

static void add_point(time_stepping *self, const hn_contact_pair *pair, const hn_contact_point *g,
                      const hn_frame *frames, double h, double near, int *from) {
  const int *body = pair->body;
  const hn_vec3 arm[2] = {vec3_sub(g->point, frames[body[0]].r),
                          vec3_sub(g->point, frames[body[1]].r)};
  const hn_vec3 before = approach(self->v0, self->w0, body, arm);
  const hn_vec3 after =
      vec3_sub(vec3_add(self->bodies[body[1]].v, vec3_cross(self->bodies[body[1]].w, arm[1])),
               vec3_add(self->bodies[body[0]].v, vec3_cross(self->bodies[body[0]].w, arm[0])));
  const double start = vec3_dot(before, g->normal), end = vec3_dot(after, g->normal);
  const double sink = sink_of(self, body, arm, g->normal, h);
  const double closest = g->gap - sink + h * (end < start ? end : start);
  // those in contact take part whatever their own forces are: others may push them together
  if (!(closest <= 0) && !(g->gap <= near)) return;
  const hn_contact_def *rule = &self->contacts->model->contacts[pair->rule];
  const double fallen = h * h * vec3_norm(self->contacts->model->gravity);
  hn_sweep_point *c = &self->point[self->count++];
  *c = (hn_sweep_point){.body = {body[0], body[1]},
                        .shape = {pair->shape[0], pair->shape[1]},
                        .feature = g->feature,
                        .rule = pair->rule,
                        .arm = {arm[0], arm[1]},
                        .axis = {g->normal},
                        .mu = rule->friction,
                        .torsion = rule->torsional_friction,
                        .rolling = rule->rolling_friction,
                        .gap = g->gap,
                        .sink = sink,
                        .is_soft = rule->law == HN_CONTACT_SOFT,
                        .is_closing = closest <= 0 || g->gap <= 0,
                        .before = start,
                        .mobility = self->mobility[body[0]] + self->mobility[body[1]]};
  hn_contact_tangents(g->normal, &c->axis[1]);
  if (vec3_norm(vec3_add_scaled(before, -start, g->normal)) <= AT_REST)
    c->mu = fmax(rule->friction, rule->static_friction);
  const double touching = 1e-9 + TOUCHING * fallen;
  if (!c->is_soft)
    c->shift = hn_stepping_shift(rule->restitution, g->gap - sink, start, end, h, touching);
  c->returns =
      rule->restitution_kind == HN_RESTITUTION_POISSON && c->shift < 0 ? rule->restitution : 0;
  self->has_returns |= c->returns > 0;
  self->has_spins |= c->torsion > 0 || c->rolling > 0;
  recall(self, c, from);
  if (self->stepper->are_free || self->stepper->are_bodies)
    hn_sweep_prepare(self->bodies, c);
  else
    c->w[0][0] = self->bodies[body[0]].mass_inverse + self->bodies[body[1]].mass_inverse;
  if (c->is_soft && (self->stepper->are_free || self->stepper->are_bodies)) {
    const hn_contact_give of =
        hn_contact_give_of(rule, h, c->w[0][0], c->mobility, g->gap, start, c->is_closing);
    c->shift = of.shift;
    c->give = of.give;
    c->w[0][0] += of.give;
  }
  if (self->stepper->are_free) return;
  c->is_aside = self->stepper->type->restore && closest > 0 &&
                c->gap > (c->is_soft ? 0 : touching) && !(c->p[0] > 0);
}

// 0: beyond the capacity.
static int list_points(time_stepping *self, const hn_contact_pair *pairs, int count,
                       const hn_frame *frames, double h, int limit) {
  const hn_contacts *contacts = self->contacts;
  const double fallen = h * h * vec3_norm(contacts->model->gravity);
  int from = 0;
  self->count = 0;
  self->has_returns = self->has_spins = 0;
  for (int p = 0; p < count; p++) {
    hn_contact_point points[HN_CONTACT_POINTS];
    const hn_contact_law law = contacts->model->contacts[pairs[p].rule].law;
    if (law != HN_CONTACT_RIGID && law != HN_CONTACT_SOFT) continue;
    const int many = hn_contact_points_near(self->broad, &pairs[p], frames, points);
    if (self->count + many > limit) return 0;
    const double near = 1e-9 + h * pushed_speed(self, &pairs[p]) + 2 * fallen;
    const double farthest =
        fmax(near, self->margin[pairs[p].body[0]] + self->margin[pairs[p].body[1]]);
    for (int i = 0; i < many; i++)
      if (points[i].is_inside && points[i].gap <= farthest)
        add_point(self, &pairs[p], &points[i], frames, h, near, &from);
  }
  return 1;
}

// How far points of bodies move in the step at most, where it starts and where it ends; those of a
// contact are half a gap beyond the shapes. The fastest: of bodies with joints with their turning, as
// impulses on one end of a link speed up the other.
static void find_margins(time_stepping *self, double h) {
  const hn_body_drift *drift = self->stepper->drift;
  self->fastest = 0;
  for (int b = 1; b < self->contacts->model->body_count; b++) {
    const hn_sweep_body *body = &self->bodies[b];
    self->margin[b] = 0;
    if (!(self->extent[b] > 0)) continue;
    const double v1 = vec3_norm(body->v), v0 = vec3_norm(self->v0[b]);
    const double w1 = vec3_norm(body->w), w0 = vec3_norm(self->w0[b]), w = w1 > w0 ? w1 : w0;
    const double turning = w > 0 ? w * self->extent[b] : 0, speed = (v1 > v0 ? v1 : v0) + turning;
    const double own = drift && speed < HUGE_VAL ? SPED_UP * speed : v1;
    if (own > self->fastest) self->fastest = own;
    self->margin[b] = h * speed * (1 + h * w);
    if (drift) self->margin[b] += 0.5 * h * h * vec3_norm(drift[b].a);
  }
}

// The points of the step before and those of now change places.
static void swap_points(time_stepping *self) {
  hn_sweep_point *swap = self->old;
  self->old = self->point;
  self->point = swap;
}

// The attempt is given up: the points of the last step are still needed.
static void take_points_back(time_stepping *self) {
  swap_points(self);
  self->count = self->old_count;
}

static hn_status find_contacts(time_stepping *self, const hn_frame *frames, double h,
                               hn_error *error) {
  const hn_contacts *contacts = self->contacts;
  const hn_contact_pair *pairs;
  find_margins(self, h);
  const double reach = 1e-9 + h * self->fastest + 2 * h * h * vec3_norm(contacts->model->gravity);
  const int count = hn_contacts_near(self->broad, frames, reach, self->margin, &pairs);
  swap_points(self);
  self->old_count = self->count;
  for (self->is_crowded = 0; count >= 0 && self->is_crowded < 2; self->is_crowded++) {
    if (self->is_crowded) self->base.contact.crowd = self->crowd;
    const int most = self->is_crowded ? self->room : self->crowd;
    if (list_points(self, pairs, count, frames, h, most)) return HN_OK;
  }
  take_points_back(self);
  self->lacks_pairs = count < 0;
  self->lacks_points = count >= 0;
  const int room = count < 0 ? self->pair_room : self->room;
  if (!self->is_bounded && room < (count < 0 ? MOST_PAIRS : MOST_POINTS)) return HN_RETRY;
  return hn_fail(error, HN_ERROR_LIMIT, NULL, NULL, "use a smaller @step, or simpler shapes",
                 "more than %d %s are close; that is the limit%s", room,
                 count < 0 ? "pairs of shapes" : "contact points",
                 self->is_bounded ? " in real time" : "");
}

// Lists for twice as many points or pairs, rows for more conditions.
static hn_status time_stepping_reserve(hn_method *m, hn_error *error) {
  time_stepping *self = (time_stepping *)m;
  hn_status status = HN_RETRY;
  if (self->lacks_points) status = extend_lists(self, 2 * self->room);
  if (self->lacks_pairs)
    status = hn_contact_sweep_extend(self->arena, self->pair_room *= 2, self->broad);
  self->lacks_points = self->lacks_pairs = 0;
  if (status == HN_RETRY && self->joined.are_rows_small) {
    take_points_back(self);
    status = hn_stepping_conditions_extend(self->arena, &self->joined);
  }
  if (status != HN_ERROR_MEMORY) return status;
  return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, "use simpler shapes, or fewer",
                 "out of memory for more than %d contact points", self->room);
}

static void note_depth(time_stepping *self, const hn_sweep_point *c, double depth) {
  hn_contact_record *record = &self->base.contact;
  record->penetration = fmax(record->penetration, depth);
  double thin = HUGE_VAL;
  for (int side = 0; side < 2; side++)
    if (self->thickness[c->shape[side]] > 0) thin = fmin(thin, self->thickness[c->shape[side]]);
  if (!(depth > record->deepest.share * thin)) return;
  record->deepest.share = depth / thin;
  record->deepest.depth = depth;
  record->deepest.rule = c->rule;
  for (int side = 0; side < 2; side++) record->deepest.body[side] = c->body[side];
}

// p . (u- + u+) / 2 of all points: the energy that contacts took. Depths and losses into the
// record.
static double note_contacts(time_stepping *self, double h) {
  hn_contact_record *record = &self->base.contact;
  double work = 0;
  for (int k = 0; k < self->count; k++) {
    const hn_sweep_point *c = &self->point[k];
    double u[3], before[3] = {0, 0, 0};
    hn_sweep_velocity(self->bodies, c, u);
    hn_vec3 x = vec3_zero();
    for (int side = 0; side < 2; side++) {
      const int b = c->body[side];
      if (b == HN_GROUND) continue;
      const hn_vec3 v = vec3_add(self->v0[b], vec3_cross(self->w0[b], c->arm[side]));
      x = vec3_add_scaled(x, side == 0 ? -1 : 1, v);
    }
    for (int i = 0; i < 3; i++) before[i] = vec3_dot(x, c->axis[i]);
    double normal = 0.5 * c->p[0] * (u[0] + before[0]), along = 0;
    for (int i = 1; i < 3; i++) along += 0.5 * c->p[i] * (u[i] + before[i]);
    const hn_vec3 turn = vec3_add(vec3_sub(self->bodies[c->body[1]].w, self->bodies[c->body[0]].w),
                                  vec3_sub(self->w0[c->body[1]], self->w0[c->body[0]]));
    for (int i = 0; i < 3; i++) along += 0.5 * c->spin[i] * vec3_dot(turn, c->axis[i]);
    work += normal + along;
    record->impact_loss -= normal;
    record->friction_loss -= along;
    record->impacts += c->shift < 0 && c->gap > -1e-9 && c->p[0] > 0 && !c->is_soft;
    if (!c->is_soft) note_depth(self, c, -c->gap - 0.5 * h * u[0]);
  }
  return work;
}

// Bodies that overlap are moved apart, q with them. Returns the work of the forces on the way.
static double part_bodies(time_stepping *self, const hn_stepping_span *span) {
  double deepest = 0;
  for (int k = 0; k < self->count; k++)
    if (!self->point[k].is_soft) deepest = fmax(deepest, -self->point[k].gap);
  if (!(deepest > DEEP)) return 0;
  return self->stepper->type->part(self->stepper, span, self->bodies, self->point, self->count,
                                   self->joined.condition, self->joined.problem,
                                   self->stepper->type->parting);
}

// 1: the sweeps were enough.
static int solve_free(time_stepping *self, double h) {
  hn_contact_record *record = &self->base.contact;
  for (int k = 0; k < self->count; k++)
    hn_sweep_push(self->bodies, &self->point[k], self->point[k].p);
  const int are_few = self->count <= hn_conditions_of(self->base.equations)->most;
  const double scale = h * self->weight, enough = self->enough * scale;
  const int most = self->is_bounded ? SWEEPS_BOUNDED
                   : are_few        ? SWEEPS
                                    : (int)fmax(SWEEPS, SOLUTIONS / fmax(1, self->count));
  const long before = self->resolve.sweeps;
  const double first = are_few ? ENOUGH_FEW * scale : enough;
  const double residual = hn_resolve_contacts(
      &self->resolve, self->bodies, self->base.equations->model->body_count, self->point,
      self->count, first, are_few ? SWEEPS_OF_FEW : SWEEPS_OF_MANY, enough, most);
  record->sweeps += self->resolve.sweeps - before;
  if (self->count <= DENSE && are_few && residual > enough) return 0;
  record->residual = fmax(record->residual, residual / scale);
  record->unresolved += !(residual <= enough);
  return 1;
}

// The same for bodies with joints, with stops, dry friction and knife edges.
static hn_status solve_joined(time_stepping *self, const hn_stepping_span *span, hn_error *error) {
  hn_method *m = &self->base;
  const int has_pushed = // sweeps have
      self->stepper->are_free && !self->has_returns && !self->has_spins;
  for (int k = 0; k < self->count && has_pushed; k++) {
    const double *p = self->point[k].p, back[3] = {-p[0], -p[1], -p[2]};
    hn_sweep_push(self->bodies, &self->point[k], back);
  }
  const double h = span->h, fallen = h * h * vec3_norm(self->contacts->model->gravity);
  return hn_stepping_conditions_solve(&self->joined, span, self->point, self->count,
                                      1e-9 + TOUCHING * fallen, h * self->weight, self->enough,
                                      self->bodies, &m->contact, error);
}

// ---- a step -------------------------------------------------------------------------------------

// Forces in the middle, with states by the implicit midpoint rule: z_m = z + h/2 r(z_m), z+ = z + h r.
static hn_status begin_step(time_stepping *self, const hn_stepping_span *span, hn_error *error) {
  hn_method *m = &self->base;
  const hn_elements *elements = m->equations->elements;
  const double h = span->h, t = span->t + 0.5 * h;
  if (m->states > 0) hn_states_follow(elements, t, 0.5 * h, m->z);
  hn_status status = self->stepper->type->begin(self->stepper, span, self->bodies, error);
  if (status != HN_OK || m->states == 0) return status;
  for (int k = 0; k < m->states; k++) m->z_rate[k] = 0;
  if (hn_states_have_rates(elements)) {
    status = hn_states_look(elements, t, span->next->frames, span->branches->turns,
                            span->branches->force);
    hn_states_rates(elements, t, m->z_rate);
  }
  for (int k = 0; k < m->states; k++) m->next_z[k] = m->z[k] + h * m->z_rate[k];
  hn_states_set(elements, m->next_z);
  return status == HN_OK ? HN_OK : HN_RETRY;
}

// Once, for soft contacts relative to the inertia.
static hn_status find_mobility(time_stepping *self, const hn_branches *branches) {
  hn_method *m = &self->base;
  if (!self->is_soft || self->has_mobility) return HN_OK;
  const hn_status status =
      hn_rigid_mobility(m->equations, m->t, m->q, m->qd, branches, self->mobility);
  self->has_mobility = status == HN_OK;
  return status;
}

static hn_status end_step(time_stepping *self, const hn_stepping_span *span, hn_error *error) {
  hn_method *m = &self->base;
  hn_equations *e = m->equations;
  hn_status status = self->stepper->type->end(self->stepper, span, self->bodies, error);
  if (status != HN_OK) return status;
  hn_stepping_forces_store(&self->forces, e, self->point, self->count, span->h, m->next);
  if (m->next->is_partial) hn_stepping_forces_apply(self->point, self->count, span->h, m->next);
  hn_stepping_conditions_store(&self->joined, span->h, m->next);
  self->next_work +=
      self->stepper->work + hn_stepping_forces_work(e, self->stepper->impulse, m->now, m->next);
  hn_method_set_step(m, span->t_end);
  return HN_OK;
}

static hn_status time_stepping_attempt(hn_method *m, double t_end, const hn_branches *branches,
                                       const hn_tolerance *tolerance, double *error_norm,
                                       hn_error *error) {
  time_stepping *self = (time_stepping *)m;
  const hn_equations *e = m->equations;
  const hn_stepping_type *type = self->stepper->type;
  const hn_stepping_span span = {.t = m->t,
                                 .h = t_end - m->t,
                                 .t_end = t_end,
                                 .branches = branches,
                                 .q = m->q,
                                 .qd = m->qd,
                                 .next_q = m->next_q,
                                 .next_qd = m->next_qd,
                                 .next = m->next,
                                 .now = m->now,
                                 .projection = tolerance->projection};
  *error_norm = 0;
  memcpy(self->q0, m->q, (size_t)e->nq * sizeof(double));
  memcpy(self->qd0, m->qd, (size_t)e->nq * sizeof(double));
  self->work0 = m->work;
  hn_status status = find_mobility(self, branches);
  if (status == HN_OK) status = begin_step(self, &span, error);
  if (status != HN_OK) return status;
  for (int b = 1; b < e->model->body_count; b++) {
    self->v0[b] = self->bodies[b].v;
    self->w0[b] = self->bodies[b].w;
  }
  self->next_work = m->work + span.h * m->next->power;
  status = type->fall(self->stepper, &span, self->bodies, error);
  if (status == HN_OK) status = find_contacts(self, m->next->frames, span.h, error);
  if (status != HN_OK) return status;
  self->joined.count = self->joined.points = 0;
  self->joined.problem = NULL;
  self->joined.work = 0;
  const int are_loose = self->stepper->are_bodies && self->count > self->stepper->most;
  const int are_swept =
      (self->stepper->are_free || are_loose) && !self->has_returns && !self->has_spins;
  if (!are_swept || !solve_free(self, span.h))
    status = solve_joined(self, &span, error);
  else if (type->take)
    type->take(self->stepper, self->bodies);
  if (status != HN_OK) return status;
  self->next_work += self->joined.work + note_contacts(self, span.h) - part_bodies(self, &span);
  return end_step(self, &span, error);
}

static void time_stepping_interpolate(const hn_method *m, double theta, double *q, double *qd,
                                      double *work) {
  const time_stepping *self = (const time_stepping *)m;
  for (int i = 0; i < m->equations->nq; i++) {
    q[i] = (1 - theta) * self->q0[i] + theta * m->next_q[i];
    qd[i] = (1 - theta) * self->qd0[i] + theta * m->next_qd[i];
  }
  if (work) *work = (1 - theta) * self->work0 + theta * self->next_work;
}

static void time_stepping_accept(hn_method *m) {
  time_stepping *self = (time_stepping *)m;
  hn_stepper *stepper = self->stepper;
  if (stepper->slope) {
    memcpy(stepper->slope, stepper->next_slope, (size_t)m->equations->nu * sizeof(double));
    stepper->slope_step = m->step;
  }
  hn_method_move_on(m, m->next_q, self->next_work);
}

void hn_time_stepping_show(hn_method *m, const hn_method *from) {
  if (!m->type->steps_over || !from->type->steps_over || !(from->step > 0)) return;
  time_stepping *self = (time_stepping *)m;
  const time_stepping *of = (const time_stepping *)from;
  hn_stepping_forces_store(&self->forces, m->equations, of->point, of->count, from->step, m->now);
}

// Of a file: bodies that there are.
static hn_status time_stepping_resume(hn_method *m) {
  const time_stepping *self = (const time_stepping *)m;
  const int bodies = m->equations->model->body_count;
  for (int k = 0; k < self->count; k++)
    for (int side = 0; side < 2; side++)
      if (self->point[k].body[side] < 0 || self->point[k].body[side] >= bodies)
        return HN_ERROR_ARGUMENT;
  hn_time_stepping_show(m, m);
  return HN_OK;
}

void hn_time_stepping_ask(hn_method *m, double residual) {
  time_stepping *self = (time_stepping *)m;
  self->enough = residual;
}

int hn_time_stepping_points(const hn_method *m, const hn_sweep_point **points) {
  const time_stepping *self = (const time_stepping *)m;
  *points = self->point;
  return self->count;
}

const hn_method_type hn_time_stepping = {
    .name = "time-stepping",
    .independent = HN_INDEPENDENT_NONE,
    .keeps_step = 1,
    .takes_states = 1,
    .steps_over = 1,
    .is_direct = 1,
    .create = time_stepping_create,
    .begin = time_stepping_begin,
    .attempt = time_stepping_attempt,
    .interpolate = time_stepping_interpolate,
    .accept = time_stepping_accept,
    .resume = time_stepping_resume,
    .reserve = time_stepping_reserve,
};
