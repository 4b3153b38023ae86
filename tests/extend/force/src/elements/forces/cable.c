// A cable over a drum with a weight on it: pulls two points together, always with the same force.
#include "elements/force_types.h"

static hn_tension pull(const hn_force_def *force, int k, hn_branch branch, double m, double md,
                       double t) {
  (void)k;
  (void)branch;
  (void)md;
  (void)t;
  double f = force->number[0];
  return (hn_tension){.x = m, .f = f, .potential = f * m, .stored = f};
}

static const hn_key keys[] = {
    HN_FORCE_ROWS,
    HN_ENDS_ROWS,
    {"pull", HN_KEY_NUMBER, HN_FORCE, "", HN_REQUIRED, "with which it draws the points together"},
};

const hn_force_row hn_row_HN_FORCE_CABLE = {
    .measures = 1,
    .tension = pull,
    .section = {"force", "a cable", "cable", keys, (int)(sizeof keys / sizeof *keys), 0},
    .numbers = {"pull"}};
