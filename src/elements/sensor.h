// Signals that laws use, as functions of the motion of the bodies.
#ifndef HN_ELEMENTS_SENSOR_H
#define HN_ELEMENTS_SENSOR_H

#include "elements/elements.h"
#include "elements/states.h"

typedef struct hn_sensor {
  hn_sensor_kind kind;
  int is_rate;
  hn_measure measure; // joint, force, point
  double shift;       // value = measure + shift
  int body, axis;     // spin
} hn_sensor;

hn_status hn_sensors_create(hn_arena *arena, hn_elements *elements);
// Gives the laws of this simulation the values that hold at these frames. Before forces are evaluated.
void hn_elements_sense_now(const hn_elements *elements, const hn_frame *frames,
                           const double *turns);
static inline void hn_elements_sense(const hn_elements *elements, const hn_frame *frames,
                                     const double *turns) {
  if (elements->sensor_count > 0) hn_elements_sense_now(elements, frames, turns);
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
// How the tension of a spring changes with each sensor, f_s (sensor_count), at its measure's value and
// rate. 0 where its laws read none.
int hn_force_sensed(const hn_elements *elements, int force, double m, double md, double t,
                    double *by_sensor);
// The same of component k of a load on one body.
int hn_load_sensed(const hn_elements *elements, const hn_force_def *load, int k, double t,
                   double *by_sensor);

#endif
