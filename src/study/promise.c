// The scale of errors by dimensions. A tolerance bounds errors of positions in m and rad, relative
// to 1 m or 1 rad; other quantities follow by 1 s and the mass of the model. With unit kg^a m^b
// s^-c rad^d:
//
//   floor    M^a     (1 m, 1 s and 1 rad are 1), in the signal's own unit
//   factor   5^c,    0 <= c <= 2
#include "study/promise.h"

#include <math.h>
#include <string.h>

#include "formats/unit.h"
#include "holon/run.h"
#include "math/elementary.h"

hn_promise hn_promise_of(const char *unit, double mass) {
  double factor = 1;
  hn_dimension d = {0};
  const char *problem = NULL;
  const size_t length = unit ? strlen(unit) : 0;
  if (hn_unit_read(unit ? unit : "", length, NULL, NULL, &factor, &d, &problem) != length ||
      problem || length == 0) {
    factor = 1;
    d = (hn_dimension){0};
  }
  const double floor = (mass > 0 ? hn_pow(mass, d.mass) : 1) / fabs(factor);
  return (hn_promise){.floor = floor > 0 && isfinite(floor) ? floor : 1,
                      .factor = hn_pow(HN_ACCURACY_RATE, fmin(fmax(-d.time, 0), 2))};
}
