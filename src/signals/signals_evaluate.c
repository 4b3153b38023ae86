// Values of signals from one instant.
//
// Joint coordinates are measures: value and rate as they stand, the acceleration is
//   quadratic + sum n . a + m . alpha
// over the measure's two bodies. Markers move with their body:
//   r + A s,   v + w x A s,   a + alpha x A s + w x (w x A s).
// Roll, pitch and yaw belong to A = Rz(yaw) Ry(pitch) Rx(roll). Euler parameters start with the sign of
// the model and are continuous (equations.h, orientation).
#include <math.h>

#include "elements/rolling.h"
#include "math/elementary.h"
#include "signals/signals_table.h"

// Values shared by neighboring signals within one instant; -1: nothing yet.
typedef struct shared_values {
  int reaction_joint, measure, contact, tyre, vector;
  double contact_values[HN_CONTACT_QUANTITIES];
  int index; // the signal before, and where it is
  hn_signal_place at;
  hn_wrench reaction, load;
  hn_measure_speeds speeds;
  double rolling[HN_ROLLING_QUANTITIES];
} shared_values;

// Half a turn is +pi, also where rounding or the errors of a run make it a little more: else a body that
// is turned by just that would flicker between both ends of the range.
#define SEAM 1e-6
static double turn_of(double sine, double cosine) {
  double angle = hn_atan2(sine, cosine);
  return angle < -HN_PI + SEAM ? angle + 2 * HN_PI : angle;
}

// A coordinate of a point of a body, global whatever origin the simulation computes about.
static double global_value(const hn_model *model, int body, hn_vec3 point, int axis) {
  return vec3_get(body == HN_GROUND ? point : vec3_add(point, model->origin.at), axis);
}

static double body_value(const hn_model *model, const hn_snapshot *snapshot, int body,
                         int quantity) {
  const hn_frame *f = &snapshot->frames[body];
  int axis = quantity % 3;
  switch (quantity) {
  case 0:
  case 1:
  case 2: return global_value(model, body, f->r, axis);
  case 3:
  case 4:
  case 5: return vec3_get(f->v, axis);
  case 6:
  case 7:
  case 8: return vec3_get(snapshot->acceleration[body], axis);
  case 9:
  case 10:
  case 11: return vec3_get(f->w, axis);
  case 12:
  case 13:
  case 14: return vec3_get(snapshot->angular_acceleration[body], axis);
  case 15: return f->p.w;
  case 16: return f->p.x;
  case 17: return f->p.y;
  case 18: return f->p.z;
  case 19: return turn_of(f->a.m[2][1], f->a.m[2][2]); // roll
  case 20:
    return hn_atan2(-f->a.m[2][0], sqrt(f->a.m[2][1] * f->a.m[2][1] + // pitch
                                        f->a.m[2][2] * f->a.m[2][2]));
  case 21: return turn_of(f->a.m[1][0], f->a.m[0][0]); // yaw
  }
  return NAN;
}

static double marker_value(const hn_model *model, const hn_snapshot *snapshot, int marker,
                           int quantity) {
  const hn_frame_on_body *on = &model->markers.item[marker].frame;
  const hn_frame *f = &snapshot->frames[on->body];
  hn_vec3 arm = mat3_apply(f->a, on->position);
  hn_vec3 turning = vec3_cross(f->w, arm);
  int axis = quantity % 3;
  if (quantity < 3) return global_value(model, on->body, vec3_add(f->r, arm), axis);
  if (quantity < 6) return vec3_get(vec3_add(f->v, turning), axis);
  hn_vec3 a = vec3_add(snapshot->acceleration[on->body],
                       vec3_cross(snapshot->angular_acceleration[on->body], arm));
  return vec3_get(vec3_add(a, vec3_cross(f->w, turning)), axis);
}

static double joint_value(const hn_signals *s, const hn_signal_source *source, int joint,
                          int quantity, shared_values *shared) {
  const hn_snapshot *snapshot = source->snapshot;
  int index = s->elements->coordinate[joint * HN_COORDINATES + quantity / 3];
  const hn_measure *measure = &s->elements->measures[index];
  hn_measure_speeds *speeds = &shared->speeds;
  if (shared->measure != index) {
    hn_measure_in_speeds(measure, snapshot->frames, source->branches->turns, speeds);
    shared->measure = index;
  }
  if (quantity % 3 == 0) return speeds->value;
  if (quantity % 3 == 1) return speeds->rate;
  double acceleration = speeds->quadratic;
  for (int slot = 0; slot < 2; slot++) {
    int body = measure->body[slot];
    if (body == HN_GROUND) continue;
    acceleration += vec3_dot(speeds->n[slot], snapshot->acceleration[body]) +
                    vec3_dot(speeds->m[slot], snapshot->angular_acceleration[body]);
  }
  return acceleration;
}

static double reaction_value(const hn_signals *s, const hn_signal_source *source, int joint,
                             int quantity, shared_values *shared) {
  if (shared->reaction_joint != joint) {
    shared->reaction = hn_joint_reaction(s->elements, joint, source->snapshot, source->branches);
    shared->reaction_joint = joint;
  }
  return quantity < 3 ? vec3_get(shared->reaction.force, quantity)
                      : vec3_get(shared->reaction.torque, quantity - 3);
}

static double force_value(const hn_signal_source *source, int index, int quantity) {
  const hn_force_value *force = &source->snapshot->forces[index];
  return quantity == 0   ? force->value
         : quantity == 1 ? force->deflection
         : quantity == 2 ? force->rate
                         : force->potential;
}

// A component of a vector along the axes of a frame on a body, where it is now.
static double local_value(const hn_snapshot *snapshot, const hn_frame_on_body *on, hn_vec3 vector,
                          int axis) {
  const hn_vec3 of_body = mat3_apply_transposed(snapshot->frames[on->body].a, vector);
  return vec3_get(mat3_apply_transposed(quat_matrix(quat_unit(on->orientation)), of_body), axis);
}

static double body_local_value(const hn_snapshot *snapshot, int body, int quantity) {
  const hn_frame *f = &snapshot->frames[body];
  const hn_vec3 turning = quantity < 3 ? f->w : snapshot->angular_acceleration[body];
  return vec3_get(mat3_apply_transposed(f->a, turning), quantity % 3);
}

static double reaction_local_value(const hn_signals *s, const hn_signal_source *source, int joint,
                                   int quantity, shared_values *shared) {
  reaction_value(s, source, joint, 0, shared);
  return local_value(source->snapshot, &s->model->joints[joint].frame2,
                     quantity < 3 ? shared->reaction.force : shared->reaction.torque, quantity % 3);
}

// Force and torque on the second body, about the point of frame 2; if that body is ground, the
// opposite of those on the first.
static hn_wrench load_of(const hn_signals *s, const hn_signal_source *source, int force,
                         const hn_frame_on_body *first, const hn_frame_on_body *second) {
  const hn_snapshot *snapshot = source->snapshot;
  const int on_ground = second->body == HN_GROUND;
  const int body = on_ground ? first->body : second->body;
  hn_force_value ignored;
  hn_force_in_speeds(s->elements, force, snapshot->frames, source->branches->turns, snapshot->t,
                     source->branches->force[force], s->wrench, &ignored);
  hn_wrench w = s->wrench[body];
  s->wrench[first->body] = s->wrench[second->body] = (hn_wrench){{0, 0, 0}, {0, 0, 0}};
  const hn_frame *f2 = &snapshot->frames[second->body];
  const hn_vec3 point = vec3_add(f2->r, mat3_apply(f2->a, second->position));
  w.torque = vec3_sub(w.torque, vec3_cross(vec3_sub(point, snapshot->frames[body].r), w.force));
  if (!on_ground) return w;
  return (hn_wrench){vec3_negate(w.force), vec3_negate(w.torque)};
}

static double vector_value(const hn_signals *s, const hn_signal_source *source, int force,
                           int quantity, shared_values *shared) {
  const hn_force_def *def = &s->model->forces[force];
  const hn_joint_def *joint = def->joint >= 0 ? &s->model->joints[def->joint] : NULL;
  const hn_frame_on_body *second = joint ? &joint->frame2 : &def->frame2;
  if (shared->vector != force)
    shared->load = load_of(s, source, force, joint ? &joint->frame1 : &def->frame1, second);
  shared->vector = force;
  const hn_vec3 vector = quantity % 6 < 3 ? shared->load.force : shared->load.torque;
  return quantity < 6 ? vec3_get(vector, quantity % 3)
                      : local_value(source->snapshot, second, vector, quantity % 3);
}

static double contact_value(const hn_signals *s, const hn_signal_source *source, int contact,
                            int quantity, shared_values *shared) {
  if (shared->contact != contact)
    hn_signal_contact_values(s, source, contact, shared->contact_values);
  shared->contact = contact;
  return shared->contact_values[quantity];
}

static double tyre_value(const hn_signals *s, const hn_signal_source *source, int force,
                         int quantity, shared_values *shared) {
  if (shared->tyre != force) {
    hn_rolling_quantities(s->elements, force, source->snapshot->frames, source->branches->turns,
                          source->snapshot->t, shared->rolling);
    shared->tyre = force;
  }
  return shared->rolling[quantity];
}

static double input_value(const hn_signal_source *source, int input) {
  double d[4] = {NAN, 0, 0, 0};
  if (source->inputs) hn_input_at(&source->inputs[input], source->snapshot->t, d);
  return d[0];
}

static double energy_value(const hn_model *model, const hn_signal_source *source, int quantity) {
  double kinetic = source->snapshot->kinetic, stored = source->snapshot->potential;
  double above = model->origin.potential;
  switch (quantity) {
  case 0: return kinetic;
  case 1: return stored + above;
  case 2: return source->work;
  case 3: return kinetic + (stored + above);
  case 4: return kinetic + stored - source->work - source->initial_energy;
  }
  return NAN;
}

static double largest(const double *values, int count) {
  double most = 0;
  for (int k = 0; k < count; k++) {
    if (isnan(values[k])) return NAN;
    most = fmax(most, fabs(values[k]));
  }
  return most;
}

static double constraint_value(const hn_signals *s, const hn_snapshot *snapshot, int quantity) {
  const double *values = quantity == 0   ? snapshot->phi
                         : quantity == 1 ? snapshot->phi_rate
                                         : snapshot->phi_acceleration;
  return largest(values, s->elements->row_count);
}

static double evaluate(const hn_signals *s, const hn_signal_source *source, int index,
                       shared_values *shared);

static double output_value(const hn_signals *s, const hn_signal_source *source, int output,
                           shared_values *shared) {
  const hn_signal_output *out = &s->outputs[output];
  int hidden = s->model->part_count > 0 ? hn_model_hidden_output(s->model, output) : -1;
  if (hidden >= 0) return source->snapshot->hidden_outputs[hidden];
  if (out->alias >= 0) return evaluate(s, source, out->alias, shared);
  for (int k = 0; k < out->used_count; k++)
    out->values[k] = out->used[k] == HN_SIGNAL_TIME ? source->snapshot->t
                                                    : evaluate(s, source, out->used[k], shared);
  return hn_expression_evaluate(out->expression, out->values);
}

// Signals mostly follow each other: the next reaction of the same joint needs no search.
static hn_signal_place find_place(const hn_signals *s, int index, shared_values *shared) {
  int follows = index == shared->index + 1 && shared->at.kind == HN_SIGNAL_REACTION &&
                shared->at.quantity + 1 < HN_REACTION_QUANTITIES;
  if (follows)
    shared->at.quantity++;
  else
    shared->at = hn_signal_locate(s, index);
  shared->index = index;
  return shared->at;
}

static double evaluate(const hn_signals *s, const hn_signal_source *source, int index,
                       shared_values *shared) {
  hn_signal_place at = find_place(s, index, shared);
  const hn_snapshot *snapshot = source->snapshot;
  switch (at.kind) {
  case HN_SIGNAL_OUTPUT: return output_value(s, source, at.element, shared);
  case HN_SIGNAL_BODY: return body_value(s->model, snapshot, at.element, at.quantity);
  case HN_SIGNAL_MARKER: return marker_value(s->model, snapshot, at.element, at.quantity);
  case HN_SIGNAL_JOINT: return joint_value(s, source, at.element, at.quantity, shared);
  case HN_SIGNAL_REACTION: return reaction_value(s, source, at.element, at.quantity, shared);
  case HN_SIGNAL_DRIVER: return -snapshot->lambda[s->elements->driver_row[at.element]];
  case HN_SIGNAL_FORCE: return force_value(source, at.element, at.quantity);
  case HN_SIGNAL_CONTACT: return contact_value(s, source, at.element, at.quantity, shared);
  case HN_SIGNAL_TYRE: return tyre_value(s, source, at.element, at.quantity, shared);
  case HN_SIGNAL_INPUT: return input_value(source, at.element);
  case HN_SIGNAL_STATE: {
    const hn_model *model = s->model;
    double d[4];
    hn_input_at(&source->inputs[model->input_count + model->states[at.element].sensor], snapshot->t,
                d);
    return d[0];
  }
  case HN_SIGNAL_ENERGY: return energy_value(s->model, source, at.quantity);
  case HN_SIGNAL_CONSTRAINT: return constraint_value(s, snapshot, at.quantity);
  case HN_SIGNAL_STEP: return at.quantity == 0 ? source->step_size : (double)source->iterations;
  case HN_SIGNAL_BODY_LOCAL: return body_local_value(snapshot, at.element, at.quantity);
  case HN_SIGNAL_REACTION_LOCAL:
    return reaction_local_value(s, source, at.element, at.quantity, shared);
  case HN_SIGNAL_FORCE_VECTOR: return vector_value(s, source, at.element, at.quantity, shared);
  case HN_SIGNAL_NONE: break;
  }
  return NAN;
}

double hn_signals_evaluate(const hn_signals *signals, const hn_signal_source *source, int index) {
  shared_values shared = {.reaction_joint = -1,
                          .measure = -1,
                          .contact = -1,
                          .tyre = -1,
                          .vector = -1,
                          .at = {HN_SIGNAL_NONE, 0, 0}};
  return evaluate(signals, source, index, &shared);
}

void hn_signals_evaluate_many(const hn_signals *signals, const hn_signal_source *source,
                              const int *indices, int count, double *values) {
  shared_values shared = {.reaction_joint = -1,
                          .measure = -1,
                          .contact = -1,
                          .tyre = -1,
                          .vector = -1,
                          .at = {HN_SIGNAL_NONE, 0, 0}};
  for (int k = 0; k < count; k++) values[k] = evaluate(signals, source, indices[k], &shared);
}

int hn_signals_condition(const hn_signals *signals, const hn_signal_source *source, int number,
                         int which) {
  const hn_signal_output *out = &signals->conditions[3 * number + which];
  shared_values shared = {.reaction_joint = -1,
                          .measure = -1,
                          .contact = -1,
                          .tyre = -1,
                          .vector = -1,
                          .at = {HN_SIGNAL_NONE, 0, 0}};
  if (!out->expression) return -1;
  for (int k = 0; k < out->used_count; k++)
    out->values[k] = out->used[k] == HN_SIGNAL_TIME
                         ? source->snapshot->t
                         : evaluate(signals, source, out->used[k], &shared);
  const double value = hn_expression_evaluate(out->expression, out->values);
  return isnan(value) ? -1 : value != 0;
}

void hn_signals_leaf_values(const hn_signals *signals, const hn_signal_source *source,
                            const hn_leaves *leaves, double *values) {
  shared_values shared = {.reaction_joint = -1,
                          .measure = -1,
                          .contact = -1,
                          .tyre = -1,
                          .vector = -1,
                          .at = {HN_SIGNAL_NONE, 0, 0}};
  for (int k = 0; k < leaves->count; k++)
    values[k] = leaves->signal[k] == HN_SIGNAL_TIME
                    ? source->snapshot->t
                    : evaluate(signals, source, leaves->signal[k], &shared);
}

// 1: the signal follows from forces or accelerations, positions and velocities do not give it; or, where
// that is asked, from Euler parameters.
static int needs_more(const hn_signals *s, int index, int or_parameters) {
  if (index == HN_SIGNAL_TIME) return 0;
  const hn_signal_place at = hn_signal_locate(s, index);
  switch (at.kind) {
  case HN_SIGNAL_OUTPUT: {
    const hn_signal_output *out = &s->outputs[at.element];
    if (s->model->part_count > 0 && hn_model_hidden_output(s->model, at.element) >= 0) return 1;
    if (out->alias >= 0) return needs_more(s, out->alias, or_parameters);
    for (int k = 0; k < out->used_count; k++)
      if (needs_more(s, out->used[k], or_parameters)) return 1;
    return 0;
  }
  case HN_SIGNAL_BODY:
    if (or_parameters && at.quantity >= HN_BODY_QUATERNION && at.quantity < HN_BODY_ROLL) return 1;
    return (at.quantity >= 6 && at.quantity < 9) || (at.quantity >= 12 && at.quantity < 15);
  case HN_SIGNAL_MARKER: return at.quantity >= 6;
  case HN_SIGNAL_JOINT: return at.quantity % 3 == 2;
  case HN_SIGNAL_BODY_LOCAL: return at.quantity >= 3;
  case HN_SIGNAL_REACTION:
  case HN_SIGNAL_DRIVER:
  case HN_SIGNAL_FORCE:
  case HN_SIGNAL_CONTACT:
  case HN_SIGNAL_ENERGY:
  case HN_SIGNAL_CONSTRAINT:
  case HN_SIGNAL_REACTION_LOCAL:
  case HN_SIGNAL_FORCE_VECTOR: return 1;
  case HN_SIGNAL_TYRE:
  case HN_SIGNAL_INPUT:
  case HN_SIGNAL_STATE:
  case HN_SIGNAL_STEP:
  case HN_SIGNAL_NONE: break;
  }
  return 0;
}

int hn_signals_condition_needs_forces(const hn_signals *signals, int number, int which) {
  const hn_signal_output *out = &signals->conditions[3 * number + which];
  for (int k = 0; out->expression && k < out->used_count; k++)
    if (needs_more(signals, out->used[k], 0)) return 1;
  return 0;
}

int hn_signals_needs_whole(const hn_signals *signals, int index) {
  return signals->model->part_count > 0 || needs_more(signals, index, 1);
}
