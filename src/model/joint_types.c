// The table of joints: see joint_types.h. A new joint is a row here and its name in HN_JOINT_LIST
// (holon/model.h); a name without a row does not compile.
#include "model/joint_types.h"

#define F HN_JOINT_F
#define G HN_JOINT_G
#define H HN_JOINT_H
#define ALONG(axis)                                                                                \
  { HN_JOINT_ROW_DISPLACEMENT, axis, -1 }
#define ACROSS(axis1, axis2)                                                                       \
  { HN_JOINT_ROW_AXES, axis1, axis2 }
#define OTHER(kind)                                                                                \
  { HN_JOINT_ROW_##kind, -1, -1 }
#define BIT(coordinate) HN_JOINT_BIT(coordinate)
#define LINK(kind, turn, reads)                                                                    \
  { HN_LINK_##kind, HN_LINK_##turn, reads }
#define DRAWN(place, axes, kind)                                                                   \
  { HN_JOINT_##place, HN_JOINT_##axes, HN_JOINT_##kind }
#define ENTRY_KEYS " repeat if when starts ends "
#define POINT_KEYS " type bodies at points markers" ENTRY_KEYS
#define AXIS_KEYS POINT_KEYS "axis reference offset initial armature "
#define JOINT static const hn_joint_facts

JOINT facts_HN_JOINT_REVOLUTE = {.rows = {ALONG(F), ALONG(G), ALONG(H), ACROSS(F, H), ACROSS(G, H)},
                                 .coordinates = BIT(ANGLE),
                                 .link_count = 1,
                                 .links = {LINK(HINGE, STRAIGHT, BIT(ANGLE))},
                                 .drawn = DRAWN(AT_POINT, ONE_AXIS, AXIAL),
                                 .keys = AXIS_KEYS "cut "};

JOINT facts_HN_JOINT_TRANSLATIONAL = {
    .rows = {ALONG(F), ALONG(G), ACROSS(F, H), ACROSS(G, H), ACROSS(F, G)},
    .coordinates = BIT(DISPLACEMENT),
    .link_count = 1,
    .links = {LINK(SLIDE, STRAIGHT, BIT(DISPLACEMENT))},
    .drawn = DRAWN(AT_POINT, ONE_AXIS, POLAR),
    .keys = AXIS_KEYS "cut "};

JOINT facts_HN_JOINT_CYLINDRICAL = {
    .rows = {ALONG(F), ALONG(G), ACROSS(F, H), ACROSS(G, H)},
    .coordinates = BIT(ANGLE) | BIT(DISPLACEMENT),
    .link_count = 2,
    .links = {LINK(SLIDE, STRAIGHT, BIT(DISPLACEMENT)), LINK(HINGE, STRAIGHT, BIT(ANGLE))},
    .drawn = DRAWN(AT_POINT, ONE_AXIS, POLAR),
    .keys = AXIS_KEYS "cut "};

JOINT facts_HN_JOINT_SPHERICAL = {.rows = {ALONG(F), ALONG(G), ALONG(H)},
                                  .link_count = 1,
                                  .links = {LINK(BALL, STRAIGHT, 0)},
                                  .drawn = DRAWN(AT_POINT, NO_AXIS, AXIAL),
                                  .keys = POINT_KEYS "cut "};

JOINT facts_HN_JOINT_UNIVERSAL = {.rows = {ALONG(F), ALONG(G), ALONG(H), ACROSS(H, H)},
                                  .coordinates = BIT(ANGLE) | BIT(ANGLE2),
                                  .link_count = 2,
                                  .links = {LINK(HINGE, STRAIGHT, 0), LINK(HINGE, CROSSED, 0)},
                                  .drawn = DRAWN(AT_POINT, TWO_AXES, AXIAL),
                                  .keys = POINT_KEYS "axes offset initial armature cut "};

JOINT facts_HN_JOINT_FIXED = {
    .rows = {ALONG(F), ALONG(G), ALONG(H), ACROSS(F, H), ACROSS(G, H), ACROSS(F, G)},
    .link_count = 1,
    .links = {LINK(FIXED, STRAIGHT, 0)},
    .drawn = DRAWN(AT_CENTER, NO_AXIS, AXIAL),
    .keys = POINT_KEYS "cut "};

JOINT facts_HN_JOINT_PLANAR = {
    .rows = {ALONG(H), ACROSS(F, H), ACROSS(G, H)},
    .coordinates = BIT(X) | BIT(Y) | BIT(ANGLE),
    .link_count = 3,
    .links = {LINK(SLIDE, CYCLED, 0), LINK(SLIDE, CYCLED, 0), LINK(HINGE, CYCLED, 0)},
    .drawn = DRAWN(AT_POINT, ONE_AXIS, AXIAL),
    .keys = AXIS_KEYS "cut "};

JOINT facts_HN_JOINT_DISTANCE = {.rows = {OTHER(DISTANCE)},
                                 .coordinates = BIT(LENGTH),
                                 .drawn = DRAWN(AT_POINTS, NO_AXIS, AXIAL),
                                 .keys = " type bodies points markers length" ENTRY_KEYS};

JOINT facts_HN_JOINT_POINT_ON_LINE = {.rows = {ALONG(F), ALONG(G)},
                                      .coordinates = BIT(DISPLACEMENT),
                                      .drawn = DRAWN(AT_POINT, ONE_AXIS, POLAR),
                                      .keys = AXIS_KEYS};

JOINT facts_HN_JOINT_POINT_IN_PLANE = {.rows = {ALONG(H)},
                                       .coordinates = BIT(X) | BIT(Y),
                                       .drawn = DRAWN(AT_POINT, ONE_AXIS, AXIAL),
                                       .keys = AXIS_KEYS};

JOINT facts_HN_JOINT_PARALLEL = {.rows = {ACROSS(F, H), ACROSS(G, H)},
                                 .drawn = DRAWN(AT_CENTER, ONE_AXIS, AXIAL),
                                 .keys = " type bodies at axis markers" ENTRY_KEYS};

JOINT facts_HN_JOINT_PERPENDICULAR = {.rows = {ACROSS(H, H)},
                                      .drawn = DRAWN(AT_CENTER, TWO_AXES, AXIAL),
                                      .keys = " type bodies at axes markers" ENTRY_KEYS};

JOINT facts_HN_JOINT_SCREW = {
    .rows = {ALONG(F), ALONG(G), ACROSS(F, H), ACROSS(G, H), OTHER(SCREW)},
    .coordinates = BIT(ANGLE) | BIT(DISPLACEMENT),
    .link_count = 1,
    .links = {LINK(SCREW, STRAIGHT, BIT(ANGLE) | BIT(DISPLACEMENT))},
    .drawn = DRAWN(AT_POINT, ONE_AXIS, POLAR),
    .keys = AXIS_KEYS "pitch cut "};

JOINT facts_HN_JOINT_GEAR = {.rows = {OTHER(COUPLED)},
                             .couples = {2, 2, HN_COORDINATE_ANGLE},
                             .drawn = DRAWN(NOWHERE, NO_AXIS, AXIAL),
                             .keys = " type joints" ENTRY_KEYS "ratio radii "};

JOINT facts_HN_JOINT_RACK_PINION = {.rows = {OTHER(COUPLED)},
                                    .couples = {2, 2, HN_COORDINATE_DISPLACEMENT},
                                    .drawn = DRAWN(NOWHERE, NO_AXIS, AXIAL),
                                    .keys = " type joints" ENTRY_KEYS "radius "};

JOINT facts_HN_JOINT_COUPLER = {.rows = {OTHER(COUPLED)},
                                .couples = {1, HN_COUPLED_JOINTS, HN_COORDINATE_ANGLE},
                                .drawn = DRAWN(NOWHERE, NO_AXIS, AXIAL),
                                .keys = " type terms constant" ENTRY_KEYS};

// A ball joint in a tree, with one row left.
JOINT facts_HN_JOINT_CONSTANT_VELOCITY = {
    .rows = {ALONG(F), ALONG(G), ALONG(H), OTHER(HOMOKINETIC)},
    .link_count = 1,
    .links = {LINK(BALL, STRAIGHT, 0)},
    .drawn = DRAWN(AT_POINT, ONE_OR_TWO_AXES, AXIAL),
    .keys = POINT_KEYS "axis axes cut "};

// A knife edge on body 2: its point does not move along h against body 1. A nonholonomic condition,
// which leaves positions free: it has no position constraints (equations/rigid).
JOINT facts_HN_JOINT_KNIFE_EDGE = {.drawn = DRAWN(AT_POINT, ONE_AXIS, POLAR),
                                   .keys = " type bodies at axis repeat if "};

JOINT facts_HN_JOINT_FREE = {.coordinates = BIT(X) | BIT(Y) | BIT(Z) | BIT(LENGTH),
                             .drawn = DRAWN(AT_CENTER, DEFAULT_AXIS, AXIAL),
                             .keys = AXIS_KEYS};

// ---- what follows from a row --------------------------------------------------------------------

const hn_joint_facts *hn_joint_facts_of(hn_joint_type type) {
  static const hn_joint_facts unknown = {.keys = " "};
  static const hn_joint_facts *const all[HN_JOINT_TYPES] = {
#define FACTS(code, name, rows) [code] = &facts_##code,
      HN_JOINT_LIST(FACTS)
#undef FACTS
  };
  return (unsigned)type < HN_JOINT_TYPES ? all[type] : &unknown;
}

const char *hn_joint_type_name(hn_joint_type type) {
  static const char *const names[HN_JOINT_TYPES] = {
#define NAME(code, name, rows) name,
      HN_JOINT_LIST(NAME)
#undef NAME
  };
  return (unsigned)type < HN_JOINT_TYPES ? names[type] : "unknown";
}

int hn_joint_has_coordinate(hn_joint_type type, hn_coordinate coordinate) {
  if ((unsigned)coordinate >= HN_COORDINATES) return 0;
  return (hn_joint_facts_of(type)->coordinates >> coordinate & 1u) != 0;
}

int hn_coordinate_is_angle(hn_coordinate coordinate) {
  return coordinate == HN_COORDINATE_ANGLE || coordinate == HN_COORDINATE_ANGLE2;
}

int hn_joint_coordinate_count(hn_joint_type type) {
  int count = 0;
  for (int c = 0; c < HN_COORDINATES; c++) count += hn_joint_has_coordinate(type, (hn_coordinate)c);
  return count;
}

int hn_joint_row_number(hn_joint_type type) {
  const hn_joint_row *rows = hn_joint_facts_of(type)->rows;
  int count = 0;
  while (count < HN_JOINT_ROWS && rows[count].kind != HN_JOINT_ROW_NONE) count++;
  return count;
}

int hn_joint_joins_bodies(hn_joint_type type) { return hn_joint_facts_of(type)->couples.most == 0; }

int hn_joint_holds(hn_joint_type type) {
  return hn_joint_joins_bodies(type) && hn_joint_row_number(type) > 0;
}

int hn_joint_has_row(hn_joint_type type, hn_joint_row_kind kind) {
  const hn_joint_row *rows = hn_joint_facts_of(type)->rows;
  for (int k = 0; k < HN_JOINT_ROWS; k++)
    if (rows[k].kind == kind) return 1;
  return 0;
}

int hn_joint_find_row(hn_joint_type type, int axis1, int axis2) {
  const hn_joint_row *rows = hn_joint_facts_of(type)->rows;
  for (int k = 0; k < hn_joint_row_number(type); k++)
    if (rows[k].axis1 == axis1 && rows[k].axis2 == axis2) return k;
  return -1;
}

int hn_joint_shares_point(hn_joint_type type) {
  return hn_joint_find_row(type, F, -1) >= 0 && hn_joint_find_row(type, G, -1) >= 0 &&
         hn_joint_find_row(type, H, -1) >= 0;
}

hn_joint_sharing hn_joint_shares_axes(hn_joint_type type) {
  if (hn_joint_find_row(type, F, H) < 0 || hn_joint_find_row(type, G, H) < 0) return HN_SHARES_NONE;
  return hn_joint_find_row(type, F, G) < 0 ? HN_SHARES_H : HN_SHARES_ALL;
}

int hn_joint_tree_rows(hn_joint_type type) {
  static const int freedoms[] = {1, 1, 1, 3, 6, 0};
  const hn_joint_facts *facts = hn_joint_facts_of(type);
  if (facts->link_count == 0) return 0;
  int rows = 6;
  for (int k = 0; k < facts->link_count; k++) rows -= freedoms[facts->links[k].kind];
  return rows;
}
