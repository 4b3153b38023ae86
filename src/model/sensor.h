// Sensors: the signals that laws use, each once, in the order they are first used.
//
// A law that says joint.knee.angle has it as an input behind those of the model: hn_input_state
// number input_count + sensor. They are set before forces are evaluated (elements/sensor.h).
#ifndef HN_MODEL_SENSOR_H
#define HN_MODEL_SENSOR_H

#include "holon/model.h"

typedef enum hn_sensor_kind {
  HN_SENSOR_TIME,
  HN_SENSOR_JOINT,      // a coordinate, or its rate
  HN_SENSOR_FORCE,      // deflection of a force, or its rate
  HN_SENSOR_POINT,      // a global coordinate of a point, or its rate
  HN_SENSOR_SPIN,       // a global component of an angular velocity
  HN_SENSOR_LOCAL_SPIN, // along an axis of the body
  HN_SENSOR_TURN,       // roll, pitch, yaw of a body
  HN_SENSOR_STATE,      // of the model's own (holon/model.h)
} hn_sensor_kind;

typedef struct hn_sensor_def {
  const char *name; // of the signal
  hn_sensor_kind kind;
  int is_rate;
  int element; // joint, force or state
  hn_coordinate coordinate;
  hn_frame_on_body point; // point, spin
  int axis;               // 0, 1, 2: x, y, z
} hn_sensor_def;

// The sensor of a signal by its full name, made when it is new. HN_ERROR_UNSUPPORTED with the reason
// for signals that follow from forces: accelerations, reactions, energies.
hn_status hn_model_add_sensor(hn_model *model, const char *signal, int *sensor, hn_error *error);

#endif
