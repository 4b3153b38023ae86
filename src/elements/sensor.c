// Signals that laws use: measures of joints and springs, global coordinates of points, turns, components
// of angular velocities.
#include "elements/sensor.h"

#include <math.h>
#include <string.h>

#include "math/elementary.h"
#include "math/law.h"

static hn_sensor make(const hn_elements *e, const hn_sensor_def *def) {
  hn_sensor s = {.kind = def->kind, .is_rate = def->is_rate, .axis = def->axis};
  switch (def->kind) {
  case HN_SENSOR_JOINT:
    s.measure = e->measures[e->coordinate[def->element * HN_COORDINATES + (int)def->coordinate]];
    break;
  case HN_SENSOR_FORCE: {
    int joint = e->force_coordinate[def->element];
    s.measure = e->measures[joint >= 0 ? joint : e->force_measure[def->element]];
    break;
  }
  case HN_SENSOR_POINT:
    s.body = def->point.body;
    s.point = def->point.position;
    s.shift = def->point.body == HN_GROUND ? 0 : vec3_get(e->model->origin.at, def->axis);
    break;
  case HN_SENSOR_SPIN:
  case HN_SENSOR_LOCAL_SPIN:
  case HN_SENSOR_TURN: s.body = def->point.body; break;
  case HN_SENSOR_TIME:
  case HN_SENSOR_STATE: break;
  }
  return s;
}

hn_status hn_sensors_create(hn_arena *arena, hn_elements *elements) {
  const hn_model *model = elements->model;
  if (model->sensing.count == 0 || !model->sensing.values) return HN_OK; // not of a simulation
  hn_sensor *sensors = HN_TAKE(arena, hn_sensor, model->sensing.count);
  elements->sensed_turns = HN_WORK(arena, double, elements->turn_count + 1);
  elements->sensed = HN_KEEP(arena, hn_sensed, 1);
  elements->memo = HN_KEEP(arena, hn_measure_memo, 2);
  if (arena->failed) return HN_ERROR_MEMORY;
  elements->sensed->sensor = HN_KEEP(arena, int, model->sensing.count);
  elements->sensed->is_listed = HN_KEEP(arena, unsigned char, model->sensing.count);
  elements->sensed->by = HN_KEEP(arena, double, model->sensing.count);
  if (arena->failed) return HN_ERROR_MEMORY;
  for (int k = 0; k < model->sensing.count; k++)
    sensors[k] = make(elements, &model->sensing.item[k]);
  elements->sensors = sensors;
  elements->sensor_count = model->sensing.count;
  return HN_OK;
}

// ---- turns --------------------------------------------------------------------------------------

// tan(angle) = y/x, each an entry of A or, of the pitch, the root of a sum of squares.
typedef struct turn_parts {
  double y, x;
  int y_at[2], x_at[2][2]; // places in A; the second of x only of the pitch
  double y_sign;
} turn_parts;

static turn_parts turn_of(const hn_mat3 *a, int axis) {
  static const turn_parts all[3] = {{.y_at = {2, 1}, .x_at = {{2, 2}, {-1, -1}}, .y_sign = 1},
                                    {.y_at = {2, 0}, .x_at = {{2, 1}, {2, 2}}, .y_sign = -1},
                                    {.y_at = {1, 0}, .x_at = {{0, 0}, {-1, -1}}, .y_sign = 1}};
  turn_parts t = all[axis];
  t.y = t.y_sign * a->m[t.y_at[0]][t.y_at[1]];
  t.x = a->m[t.x_at[0][0]][t.x_at[0][1]];
  if (t.x_at[1][0] >= 0) t.x = hn_hypot(t.x, a->m[t.x_at[1][0]][t.x_at[1][1]]);
  return t;
}

// d A_ij against a rotation
static hn_vec3 entry_change(const hn_mat3 *a, const int at[2]) {
  const hn_vec3 column = vec3(a->m[0][at[1]], a->m[1][at[1]], a->m[2][at[1]]);
  return vec3_cross(column, vec3(at[0] == 0, at[0] == 1, at[0] == 2));
}

static hn_vec3 turn_change(const hn_sensor *s, const hn_frame *frame) {
  const turn_parts t = turn_of(&frame->a, s->axis);
  const double size = t.x * t.x + t.y * t.y;
  hn_vec3 y = entry_change(&frame->a, t.y_at), x = entry_change(&frame->a, t.x_at[0]);
  if (t.x_at[1][0] >= 0) {
    const double first = frame->a.m[t.x_at[0][0]][t.x_at[0][1]];
    const double second = frame->a.m[t.x_at[1][0]][t.x_at[1][1]];
    const hn_vec3 other = entry_change(&frame->a, t.x_at[1]);
    x = vec3_scale(1 / t.x, vec3_add_scaled(vec3_scale(first, x), second, other));
  }
  return vec3_scale(1 / size, vec3_add_scaled(vec3_scale(t.x * t.y_sign, y), -t.y, x));
}

// ---- values -------------------------------------------------------------------------------------

// Of those that read the frame of one body alone; 0: of another kind.
static int sense_body(const hn_sensor *s, const hn_frame *frames, double *value) {
  const hn_frame *f = &frames[s->body];
  if (s->kind == HN_SENSOR_SPIN) {
    *value = vec3_get(f->w, s->axis);
  } else if (s->kind == HN_SENSOR_LOCAL_SPIN) {
    *value = vec3_get(mat3_apply_transposed(f->a, f->w), s->axis);
  } else if (s->kind == HN_SENSOR_TURN) {
    const turn_parts t = turn_of(&f->a, s->axis);
    *value = hn_atan2(t.y, t.x);
  } else {
    return 0;
  }
  return 1;
}

static int reads_motion(const hn_sensor *s) {
  return s->kind != HN_SENSOR_TIME && s->kind != HN_SENSOR_STATE;
}

// Value and rate of one measure or point are often read together.
typedef struct recent {
  const hn_sensor *sensor; // null: none
  hn_vec3 place, speed;    // of a point
  double value, rate;      // of a measure
} recent;

static double sense_point(const hn_sensor *s, const hn_frame *frames, recent *last) {
  const hn_frame *f = &frames[s->body];
  if (!last->sensor || last->sensor->kind != s->kind || last->sensor->body != s->body ||
      memcmp(&last->sensor->point, &s->point, sizeof s->point) != 0) {
    const hn_vec3 arm = mat3_apply(f->a, s->point);
    last->place = vec3_add(f->r, arm);
    last->speed = vec3_add(f->v, vec3_cross(f->w, arm));
  }
  last->sensor = s;
  return s->is_rate ? vec3_get(last->speed, s->axis) : vec3_get(last->place, s->axis) + s->shift;
}

static double sense_measure(const hn_sensor *s, const hn_frame *frames, const double *turns,
                            recent *last) {
  if (!last->sensor || last->sensor->kind == HN_SENSOR_POINT ||
      memcmp(&last->sensor->measure, &s->measure, sizeof s->measure) != 0)
    hn_measure_rate(&s->measure, frames, turns, &last->value, &last->rate);
  last->sensor = s;
  return s->is_rate ? last->rate : last->value;
}

void hn_elements_sense_others(const hn_elements *elements, const hn_frame *frames,
                              const double *turns, const unsigned char *given) {
  const hn_model *model = elements->model;
  hn_input_state *states = model->sensing.values + model->input_count;
  recent last = {.sensor = NULL};
  memcpy(elements->sensed_turns, turns, (size_t)elements->turn_count * sizeof *turns);
  elements->memo[0].of = elements->memo[1].of = NULL;
  for (int k = 0; k < elements->sensor_count; k++) {
    const hn_sensor *s = &elements->sensors[k];
    if ((given && given[k]) || !reads_motion(s) || sense_body(s, frames, &states[k].value))
      continue;
    states[k].value = s->kind == HN_SENSOR_POINT ? sense_point(s, frames, &last)
                                                 : sense_measure(s, frames, turns, &last);
  }
  hn_states_solve(elements);
}

const hn_measure_tangent *hn_measure_recall(const hn_measure *measure, const hn_frame *frames,
                                            const double *turns, hn_measure_memo *memo) {
  if (!memo->of || memcmp(memo->of, measure, sizeof *measure) != 0)
    hn_measure_in_poses(measure, frames, turns, &memo->at);
  memo->of = measure;
  return &memo->at;
}

static int reads_body(const hn_sensor *s) {
  return s->kind == HN_SENSOR_POINT || s->kind == HN_SENSOR_SPIN ||
         s->kind == HN_SENSOR_LOCAL_SPIN || s->kind == HN_SENSOR_TURN;
}

int hn_sensor_body(const hn_sensor *sensor, int k) {
  if (reads_body(sensor)) return k == 0 ? sensor->body : -1;
  if (!reads_motion(sensor)) return -1;
  return k < 2 ? sensor->measure.body[k] : -1;
}

// e . (r + A p), and e . (v + w x A p) as the pose moves with v and w fixed.
static void point_in_poses(const hn_sensor *s, const hn_frame *frame, double pose[6],
                           double speed[6]) {
  const hn_vec3 axis = vec3(s->axis == 0, s->axis == 1, s->axis == 2);
  const hn_vec3 arm = mat3_apply(frame->a, s->point);
  double *first = s->is_rate ? speed : pose;
  vec3_store(first, axis);
  vec3_store(first + 3, vec3_cross(arm, axis));
  if (s->is_rate) vec3_store(pose + 3, vec3_cross(arm, vec3_cross(axis, frame->w)));
}

// Along an axis of ground, or of the body.
static void spin_in_poses(const hn_sensor *s, const hn_frame *frame, double pose[6],
                          double speed[6]) {
  hn_vec3 axis = vec3(s->axis == 0, s->axis == 1, s->axis == 2);
  if (s->kind == HN_SENSOR_LOCAL_SPIN) {
    axis = mat3_apply(frame->a, axis);
    vec3_store(pose + 3, vec3_cross(axis, frame->w));
  }
  vec3_store(speed + 3, axis);
}

void hn_sensor_in_poses(const hn_sensor *sensor, int body, const hn_frame *frames,
                        const double *turns, hn_measure_memo *memo, double pose[6],
                        double speed[6]) {
  memset(pose, 0, 6 * sizeof *pose);
  memset(speed, 0, 6 * sizeof *speed);
  if (reads_body(sensor)) {
    if (sensor->body != body) return;
    if (sensor->kind == HN_SENSOR_POINT)
      point_in_poses(sensor, &frames[body], pose, speed);
    else if (sensor->kind == HN_SENSOR_TURN)
      vec3_store(pose + 3, turn_change(sensor, &frames[body]));
    else
      spin_in_poses(sensor, &frames[body], pose, speed);
    return;
  }
  if (!reads_motion(sensor)) return;
  if (sensor->measure.body[0] != body && sensor->measure.body[1] != body) return;
  const hn_measure_tangent *m = hn_measure_recall(&sensor->measure, frames, turns, memo);
  for (int slot = 0; slot < 2; slot++) {
    if (sensor->measure.body[slot] != body) continue;
    for (int i = 0; i < 6; i++) {
      pose[i] += sensor->is_rate ? m->rate_pose[6 * slot + i] : m->gradient[6 * slot + i];
      if (sensor->is_rate) speed[i] += m->gradient[6 * slot + i];
    }
  }
}
