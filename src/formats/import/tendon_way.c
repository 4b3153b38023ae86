// Lengths of paths over points of links, in the reference configuration or moved from it: computed
// by the engine's tendons, on bodies that represent the links.
#include "elements/tendon.h"
#include "formats/import/machine.h"

int hn_tendon_moves(const hn_tendon *t) {
  const hn_link *first = NULL;
  for (int k = 0; k < t->part_count; k++) {
    const hn_link *link = t->parts[k].link;
    if (link && first && link != first) return 1;
    if (link) first = link;
  }
  return 0;
}

int hn_tendon_is_straight(const hn_tendon *t) {
  return t->part_count == 2 && t->parts[0].kind == HN_WAY_POINT && t->parts[1].kind == HN_WAY_POINT;
}

int hn_tendon_is_round(const hn_tendon *t) {
  for (int k = 0; k < t->part_count; k++)
    if (t->parts[k].kind == HN_WAY_SPHERE || t->parts[k].kind == HN_WAY_CYLINDER) return 1;
  return 0;
}

// Each part and its side have a body of their own: 2 k and 2 k + 1.
static hn_way way_of(const hn_tendon_part *part, int k) {
  const hn_quat none = {1, 0, 0, 0};
  return (hn_way){
      .kind = part->kind,
      .frame = {2 * k, part->at,
                part->kind == HN_WAY_CYLINDER ? quat_from_matrix(hn_rotation_z_to(part->axis))
                                              : none},
      .radius = part->radius,
      .has_side = part->side_link != NULL,
      .side = {2 * k + 1, part->side, none},
      .divisor = part->divisor,
  };
}

static void measure(const hn_tendon *t, const hn_pose *moves, const hn_vec3 *velocities,
                    const hn_vec3 *spins, double *length, double *rate) {
  hn_way way[HN_WAY_MOST];
  hn_frame frames[2 * HN_WAY_MOST];
  *length = *rate = 0;
  if (t->part_count > HN_WAY_MOST) return;
  for (int k = 0; k < t->part_count; k++) way[k] = way_of(&t->parts[k], k);
  for (int k = 0; k < 2 * t->part_count; k++) {
    hn_frame_of_ground(&frames[k]);
    if (moves) frames[k].a = moves[k].r;
    if (moves) frames[k].r = moves[k].p;
    if (velocities) frames[k].v = velocities[k];
    if (spins) frames[k].w = spins[k];
  }
  const hn_force_def def = {.way = way, .way_count = t->part_count};
  hn_tendon_measure(&def, frames, length, rate);
}

double hn_tendon_length(const hn_tendon *t, const hn_pose *moves) {
  double length, rate;
  measure(t, moves, NULL, NULL, &length, &rate);
  return length;
}

double hn_tendon_rate(const hn_tendon *t, const hn_vec3 *velocities, const hn_vec3 *spins) {
  double length, rate;
  measure(t, NULL, velocities, spins, &length, &rate);
  return rate;
}
