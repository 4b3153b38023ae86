// Signals that laws use, as functions of the motion of the bodies.
#ifndef HN_ELEMENTS_SENSOR_H
#define HN_ELEMENTS_SENSOR_H

#include "elements/elements.h"
#include "elements/states.h"

typedef struct hn_sensor {
  hn_sensor_kind kind;
  int is_rate;
  hn_measure measure; // joint, force
  int body, axis;     // point, spin, turn
  hn_vec3 point;      // in the body
  double shift;       // of a point: value = coordinate + shift
} hn_sensor;

hn_status hn_sensors_create(hn_arena *arena, hn_elements *elements);
// Updates the signals that functions of this simulation read to these frames. Called before forces
// are evaluated. given (sensor_count): values that the caller has already written; null: none.
void hn_elements_sense_others(const hn_elements *elements, const hn_frame *frames,
                              const double *turns, const unsigned char *given);
static inline void hn_elements_sense(const hn_elements *elements, const hn_frame *frames,
                                     const double *turns) {
  if (elements->sensor_count > 0) hn_elements_sense_others(elements, frames, turns, NULL);
}
// A measure that was evaluated at these frames last: sensors often share one.
typedef struct hn_measure_memo {
  const hn_measure *of; // null: none yet
  hn_measure_tangent at;
} hn_measure_memo;
const hn_measure_tangent *hn_measure_recall(const hn_measure *measure, const hn_frame *frames,
                                            const double *turns, hn_measure_memo *memo);
// The derivatives of a sensor by small motions of a body at fixed speeds, and by its speeds.
void hn_sensor_in_poses(const hn_sensor *sensor, int body, const hn_frame *frames,
                        const double *turns, hn_measure_memo *memo, double pose[6],
                        double speed[6]);
// The body k of those it reads, ground without end: -1.
int hn_sensor_body(const hn_sensor *sensor, int k);
// Derivatives of something by sensors: those that it may depend on, and numbers, 0 of all others.
typedef struct hn_sensed {
  int count, *sensor;       // (sensor_count)
  unsigned char *is_listed; // (sensor_count)
  double *by;               // (sensor_count)
} hn_sensed;
static inline void hn_sensed_clear(hn_sensed *sensed) {
  for (int k = 0; k < sensed->count; k++) {
    sensed->is_listed[sensed->sensor[k]] = 0;
    sensed->by[sensed->sensor[k]] = 0;
  }
  sensed->count = 0;
}
static inline void hn_sensed_add(hn_sensed *sensed, int sensor, double by) {
  if (!sensed->is_listed[sensor]) sensed->sensor[sensed->count++] = sensor;
  sensed->is_listed[sensor] = 1;
  sensed->by[sensor] += by;
}
// How the tension of a spring changes with sensors, at its measure's value and rate: elements->sensed,
// empty where its laws read none.
const hn_sensed *hn_force_sensed(const hn_elements *elements, int force, double m, double md,
                                 double t);
// The same of component k of a load on one body.
const hn_sensed *hn_load_sensed(const hn_elements *elements, const hn_force_def *load, int k,
                                double t);

#endif
