// Muscles: force of length L and speed V, both in units of the best length, and of an activation a that
// follows the input u,
//
//   force = -most (length(L) speed(V) a + passive(L))
//   length(L): 1 at 1, 0 at both ends, of pieces of parabolas
//   speed(V) = (1 + V)^2 up to V = 0, rises to `lengthened` beyond
//   passive(L): 0 up to 1, a parabola, then straight
//   da/dt = (u - a)/T, T = up (0.5 + 1.5 a) where u > a, else down/(0.5 + 1.5 a)
//
// the curves that MuJoCo documents for `muscle`.
#include "formats/import/compose.h"

#include <math.h>

// (x - zero) of a formula.
static const char *off(hn_machine *a, const char *x, double zero, double unit) {
  return hn_machine_text(a, "((%s - %.17g)/%.17g)", x, zero, unit);
}

static const char *active_length(hn_machine *a, const hn_muscle *m, const char *l) {
  const double low = 0.5 * (m->shortest + 1), high = 0.5 * (1 + m->longest);
  return hn_machine_text(a,
                         "(0 if %s < %.17g or %s > %.17g else 0.5*%s^2 if %s < %.17g else "
                         "1 - 0.5*%s^2 if %s < 1 else 1 - 0.5*%s^2 if %s < %.17g else 0.5*%s^2)",
                         l, m->shortest, l, m->longest, off(a, l, m->shortest, low - m->shortest),
                         l, low, off(a, l, 1, 1 - low), l, off(a, l, 1, high - 1), l, high,
                         off(a, l, m->longest, m->longest - high));
}

static const char *active_speed(hn_machine *a, const hn_muscle *m, const char *v) {
  const double y = m->lengthened - 1, part = fmax(y, 1e-15);
  return hn_machine_text(
      a,
      "(0 if %s < -1 else (%s + 1)^2 if %s < 0 else %.17g - (%.17g - %s)^2/%.17g "
      "if %s < %.17g else %.17g)",
      v, v, v, m->lengthened, y, v, part, v, y, m->lengthened);
}

static const char *passive(hn_machine *a, const hn_muscle *m, const char *l) {
  const double b = 0.5 * (1 + m->longest), part = fmax(b - 1, 1e-15);
  return hn_machine_text(a, "(0 if %s < 1 else %.17g*%s^2 if %s < %.17g else %.17g*(0.5 + %s))", l,
                         0.5 * m->stretched, off(a, l, 1, part), l, b, m->stretched,
                         off(a, l, b, part));
}

const char *hn_compose_muscle(hn_composer *c, const hn_motor *motor, double gear,
                              const char *activation) {
  hn_machine *a = c->machine;
  const hn_muscle *m = motor->muscle;
  const double best = (m->ends[1] - m->ends[0]) / fmax(1e-15, m->range[1] - m->range[0]);
  // L = range0 + (gear x - end0)/best
  const char *l =
      hn_machine_text(a, "(%.17g + %.17g*x)", m->range[0] - m->ends[0] / best, gear / best);
  const char *v = hn_machine_text(a, "(%.17g*v)", gear / (best * m->speed));
  const char *text = "0";
  if (m->is_active)
    text = hn_machine_text(a, "-%.17g*%s*%s*%s", m->most, activation, active_length(a, m, l),
                           active_speed(a, m, v));
  if (m->is_passive) text = hn_machine_text(a, "%s - %.17g*%s", text, m->most, passive(a, m, l));
  return text;
}

const char *hn_compose_activation(hn_composer *c, const hn_motor *motor, const char *input) {
  hn_machine *a = c->machine;
  const hn_muscle *m = motor->muscle;
  const char *state = hn_machine_text(a, "state.%s", motor->input);
  const char *rise = hn_machine_text(a, "max(0, min(1, %s)) - %s", input, state);
  const char *share = hn_machine_text(a, "(0.5 + 1.5*max(0, min(1, %s)))", state);
  if (!(m->smooth > 0))
    return hn_machine_text(a, "(%s)/(%.17g*%s if %s > 0 else %.17g/%s)", rise, m->up, share, rise,
                           m->down, share);
  const char *x = hn_machine_text(a, "max(0, min(1, (%s)/%.17g + 0.5))", rise, m->smooth);
  return hn_machine_text(a,
                         "(%s)/(%.17g/%s + (%.17g*%s - %.17g/%s)*(%s)^3*(6*(%s)^2 - 15*(%s) + 10))",
                         rise, m->down, share, m->up, share, m->down, share, x, x, x);
}
