// Definitions with their defaults, and the words for types and coordinates.
#include <math.h>

#include "model/joint_types.h"

static const hn_frame_on_body unplaced = {HN_GROUND, {0, 0, 0}, {1, 0, 0, 0}};

hn_body_def hn_default_body(void) {
  return (hn_body_def){.mass = 1, .inertia = {1, 1, 1, 0, 0, 0}, .orientation = {1, 0, 0, 0}};
}

hn_joint_def hn_default_joint(hn_joint_type type) {
  hn_joint_def def = {.type = type, .frame1 = unplaced, .frame2 = unplaced};
  for (int k = 0; k < HN_COUPLED_JOINTS; k++) {
    def.coupled[k] = -1;
    def.coefficient[k] = 1;
  }
  const hn_joint_facts *facts = hn_joint_facts_of(type);
  if (facts->couples.least == facts->couples.most && facts->couples.most > 0) {
    def.coupled_count = facts->couples.most;
    def.constant = NAN;
    def.coupled_coordinate[1] = facts->couples.default_of;
  }
  return def;
}

hn_driver_def hn_default_driver(hn_driver_kind kind) {
  hn_driver_def def = {.kind = kind, .joint = -1, .frame1 = unplaced, .frame2 = unplaced};
  switch (kind) {
  case HN_DRIVER_JOINT: def.coordinate = HN_COORDINATE_ANGLE; break;
  case HN_DRIVER_POINT: def.coordinate = HN_COORDINATE_X; break;
  case HN_DRIVER_DISTANCE: def.coordinate = HN_COORDINATE_LENGTH; break;
  }
  return def;
}

hn_road_def hn_default_road(hn_road_kind kind) {
  return (hn_road_def){.kind = kind, .friction = 1};
}

hn_force_def hn_default_force(hn_force_type type) {
  return (hn_force_def){.type = type,
                        .frame1 = unplaced,
                        .frame2 = unplaced,
                        .joint = -1,
                        .lower = -HUGE_VAL,
                        .upper = HUGE_VAL,
                        .transition = 0.01,
                        .road = -1};
}

const char *hn_coordinate_name(hn_coordinate coordinate) {
  static const char *const names[HN_COORDINATES] = {
#define HN_COORDINATE_NAME(code, name) name,
      HN_COORDINATE_LIST(HN_COORDINATE_NAME)
#undef HN_COORDINATE_NAME
  };
  return (unsigned)coordinate < HN_COORDINATES ? names[coordinate] : "unknown";
}

const char *hn_force_type_name(hn_force_type type) {
  static const char *const names[HN_FORCE_TYPES] = {
#define HN_FORCE_NAME(code, name, ends) name,
      HN_FORCE_LIST(HN_FORCE_NAME)
#undef HN_FORCE_NAME
  };
  return (unsigned)type < HN_FORCE_TYPES ? names[type] : "unknown";
}

hn_force_ends hn_force_acts_between(hn_force_type type) {
  static const hn_force_ends all[HN_FORCE_TYPES] = {
#define HN_FORCE_ENDS(code, name, ends) ends,
      HN_FORCE_LIST(HN_FORCE_ENDS)
#undef HN_FORCE_ENDS
  };
  return (unsigned)type < HN_FORCE_TYPES ? all[type] : HN_ENDS_FRAMES;
}
