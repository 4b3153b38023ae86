// Collision properties of two solids together: what a contact between them has.
//
// MJCF: the solid with the higher priority decides. Else friction and `condim` are the larger ones,
// softness is a mean weighted by `solmix`; of a softness in negative numbers the smaller one.
// Elsewhere: the smaller friction; springs act in series, dampers add, as in Gazebo.
#include <math.h>
#include <string.h>

#include "formats/import/machine.h"

hn_softness hn_mjcf_softness(void) {
  return (hn_softness){.mix = 1, .reference = {0.02, 1}, .impedance = {0.9, 0.95, 0.001, 0.5, 2}};
}

static void mix_softness(const hn_softness *a, const hn_softness *b, hn_softness *both) {
  const double sum = a->mix + b->mix, of_a = sum > 0 ? a->mix / sum : 0.5;
  const int is_standard = a->reference[0] > 0 && b->reference[0] > 0;
  for (int k = 0; k < 2; k++)
    both->reference[k] = is_standard ? of_a * a->reference[k] + (1 - of_a) * b->reference[k]
                                     : fmin(a->reference[k], b->reference[k]);
  for (int k = 0; k < 5; k++)
    both->impedance[k] = of_a * a->impedance[k] + (1 - of_a) * b->impedance[k];
}

hn_touch hn_collision_of_two(const hn_touch *a, const hn_touch *b, int is_mjcf) {
  if (a->priority != b->priority) return a->priority > b->priority ? *a : *b;
  hn_touch both = *a;
  both.directions = a->directions > b->directions ? a->directions : b->directions;
  both.friction = is_mjcf ? fmax(a->friction, b->friction) : fmin(a->friction, b->friction);
  both.torsion = is_mjcf ? fmax(a->torsion, b->torsion) : fmin(a->torsion, b->torsion);
  both.rolling = is_mjcf ? fmax(a->rolling, b->rolling) : fmin(a->rolling, b->rolling);
  both.restitution = fmin(a->restitution, b->restitution);
  if (is_mjcf) mix_softness(&a->soft, &b->soft, &both.soft);
  both.soft.compliance = a->soft.compliance + b->soft.compliance;
  both.soft.damping = a->soft.damping + b->soft.damping;
  return both;
}

double hn_import_softness_time(const hn_softness *soft) {
  const double *r = soft->reference;
  if (r[0] > 0) return r[0];
  return r[0] < 0 ? 2 / fmax(-r[1], HN_UNDAMPED) : 0;
}

double hn_import_softness_ratio(const hn_softness *soft) {
  const double *r = soft->reference;
  if (r[0] >= 0) return r[1] > 0 ? r[1] : 1;
  return 0.5 * fmax(-r[1], HN_UNDAMPED) / sqrt(-r[0]);
}
