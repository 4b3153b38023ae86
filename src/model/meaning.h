// Physical dimension of a number in a model file: formats/unit.h has the units that fit.
#ifndef HN_MODEL_MEANING_H
#define HN_MODEL_MEANING_H

#include "holon/base.h"

// Dimensions of numbers in a model file: code, name with its article, SI unit, exponents.
#define HN_MEANING_LIST(X)                                                                         \
  X(HN_NUMBER, "a plain number", "1", 0, 0, 0, 0)                                                  \
  X(HN_LENGTH, "a length", "m", 1, 0, 0, 0)                                                        \
  X(HN_MASS, "a mass", "kg", 0, 1, 0, 0)                                                           \
  X(HN_TIME, "a time", "s", 0, 0, 1, 0)                                                            \
  X(HN_ANGLE, "an angle", "rad", 0, 0, 0, 1)                                                       \
  X(HN_SPEED, "a speed", "m/s", 1, 0, -1, 0)                                                       \
  X(HN_ANGULAR_SPEED, "an angular speed", "rad/s", 0, 0, -1, 1)                                    \
  X(HN_ACCELERATION, "an acceleration", "m/s^2", 1, 0, -2, 0)                                      \
  X(HN_ANGULAR_ACCELERATION, "an angular acceleration", "rad/s^2", 0, 0, -2, 1)                    \
  X(HN_FORCE, "a force", "N", 1, 1, -2, 0)                                                         \
  X(HN_TORQUE, "a torque", "N m", 2, 1, -2, 0)                                                     \
  X(HN_INERTIA, "a moment of inertia", "kg m^2", 2, 1, 0, 0)                                       \
  X(HN_DENSITY, "a density", "kg/m^3", -3, 1, 0, 0)                                                \
  X(HN_STIFFNESS, "a stiffness", "N/m", 0, 1, -2, 0)                                               \
  X(HN_ANGULAR_STIFFNESS, "a rotational stiffness", "N m/rad", 2, 1, -2, -1)                       \
  X(HN_DAMPING, "a damping", "N s/m", 0, 1, -1, 0)                                                 \
  X(HN_ANGULAR_DAMPING, "a rotational damping", "N m s/rad", 2, 1, -1, -1)                         \
  X(HN_POWER, "a power", "W", 2, 1, -3, 0)

typedef enum hn_meaning {
#define HN_MEANING_ENUM(code, name, unit, l, m, t, a) code,
  HN_MEANING_LIST(HN_MEANING_ENUM)
#undef HN_MEANING_ENUM
      HN_MEANINGS,
  // Depends on whether the accompanying coordinate is a length or an angle (hn_meaning_of).
  HN_COORDINATE_VALUE,
  HN_COORDINATE_RATE,
  HN_COORDINATE_FORCE,
  HN_COORDINATE_STIFFNESS,
  HN_COORDINATE_DAMPING,
  HN_ANYTHING, // any unit at all
} hn_meaning;

#endif
