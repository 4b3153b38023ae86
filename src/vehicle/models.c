// Forces of all models of tyres, compiled twice: without derivatives, which is five times as fast,
// and with them.
#include <math.h>
#include <string.h>

#include "vehicle/tyre.h"

#define HN_DUALS HN_TYRE_INPUTS
#include "math/dual.h"
#include "math/elementary.h"

#define P(key) HN_P(t, key)
#define DEGREES 57.295779513082320877
// TMeasy: slips below this are rounding.
#define NO_SLIP 1e-12

enum { KAPPA, ALPHA, GAMMA, FZ, VX, MU };

#define NUMBER double
#define N(name) plain_##name
#include "vehicle/tyre_formulas.h"
#undef NUMBER
#undef N
#define NUMBER hn_dual
#define N(name) dual_##name
#include "vehicle/tyre_formulas.h"
#undef NUMBER
#undef N

#define RIGHT_ANGLE 1.5707963267948966

void hn_tyre_evaluate(const hn_tyre *tyre, const hn_tyre_slip *given, hn_tyre_forces *forces,
                      double (*derivatives)[HN_TYRE_INPUTS]) {
  // tan(alpha) = Vy/|Vx|: beyond a right angle the same side slip has the angle on this side of it
  hn_tyre_slip slip = *given;
  const int is_beyond = fabs(slip.alpha) > RIGHT_ANGLE && isfinite(slip.alpha);
  const int is_turned = is_beyond && hn_cos(slip.alpha) < 0;
  if (is_beyond) slip.alpha = hn_atan2(hn_sin(given->alpha), fabs(hn_cos(given->alpha)));
  if (!derivatives) {
    plain_outputs out = plain_evaluate(tyre, &slip);
    *forces = (hn_tyre_forces){out.fx, out.fy, out.mx, out.my, out.mz};
    return;
  }
  dual_outputs out = dual_evaluate(tyre, &slip);
  *forces = (hn_tyre_forces){out.fx.v, out.fy.v, out.mx.v, out.my.v, out.mz.v};
  const hn_dual *rows[HN_TYRE_OUTPUTS] = {&out.fx, &out.fy, &out.mx, &out.my, &out.mz};
  for (int i = 0; i < HN_TYRE_OUTPUTS; i++) {
    memcpy(derivatives[i], rows[i]->d, sizeof rows[i]->d);
    if (is_turned) derivatives[i][ALPHA] = -derivatives[i][ALPHA];
  }
}
