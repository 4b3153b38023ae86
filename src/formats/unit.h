// Units and dimensions: what "12 kN/m" means.
//
// A dimension is four exponents: of length (m), mass (kg), time (s) and angle (rad). Angles are
// kept apart although they are ratios, so that 5 Hz and 5 rad/s are not mixed up; where lengths or
// masses take part they are not compared (v = omega r).
#ifndef HN_FORMATS_UNIT_H
#define HN_FORMATS_UNIT_H

#include "model/meaning.h"

typedef struct hn_dimension {
  double length, mass, time, angle;
} hn_dimension;

const char *hn_meaning_name(hn_meaning meaning); // "a length"
const char *hn_meaning_unit(hn_meaning meaning); // "m"
hn_dimension hn_meaning_dimension(hn_meaning meaning);
// HN_COORDINATE_... resolved for a length (0) or an angle (1); others stay.
hn_meaning hn_meaning_of(hn_meaning meaning, int is_angle);

hn_dimension hn_dimension_multiply(hn_dimension a, hn_dimension b);
hn_dimension hn_dimension_power(hn_dimension a, double exponent);
int hn_dimension_equal(hn_dimension a, hn_dimension b);
// Equal but for angles.
int hn_dimension_equal_without_angles(hn_dimension a, hn_dimension b);
int hn_dimension_is_number(hn_dimension a); // all zero; an angle is not
// "m/s^2", "kg m^2/s^2"; named units where there is one ("N"). Returns buffer.
const char *hn_dimension_text(hn_dimension a, char *buffer, size_t size);

// The unit of this name (not terminated): 1 with its SI value and dimension, or 0.
int hn_unit_find(const char *name, size_t length, double *factor, hn_dimension *dimension);
// Whether a name is the caller's own: 0 no, 1 a unit only right after a number (5 N next to a
// parameter N), 2 never a unit (t in a law of time).
typedef int (*hn_own_name)(const void *context, const char *name, size_t length);
// Reads a unit ("N s/m", "kg m^2", "N/(m/s)") at the start of text. The bytes it takes, 0 when text
// does not start with a unit. *problem is set when it starts as a unit but cannot be one. is_own
// may be null.
size_t hn_unit_read(const char *text, size_t length, hn_own_name is_own, const void *context,
                    double *factor, hn_dimension *dimension, const char **problem);
// The known unit nearest to a name, or null.
const char *hn_unit_nearest(const char *name);

#endif
