// Facts about each type of joint: one entry of one table (joint_types.c), and properties that
// follow from it: which points and directions two bodies share, which degrees of freedom have a
// name.
#ifndef HN_MODEL_JOINT_TYPES_H
#define HN_MODEL_JOINT_TYPES_H

#include "holon/model.h"

// A row is one primitive of the two joint frames (f, g, h at each end, d = origin 2 - origin 1).
typedef enum hn_joint_row_kind {
  HN_JOINT_ROW_NONE,
  HN_JOINT_ROW_DISPLACEMENT, // axis1 . d    (the three of them make a spherical joint)
  HN_JOINT_ROW_AXES,         // axis1 . axis2
  HN_JOINT_ROW_DISTANCE,     // (d . d - l^2) / 2 l
  HN_JOINT_ROW_SCREW,        // h1 . d - pitch/(2 pi) angle
  HN_JOINT_ROW_HOMOKINETIC,  // f1 . g2 - g1 . f2    (the turning axis lies in the bisecting plane)
  HN_JOINT_ROW_COUPLED       // sum coefficient * coordinate of other joints
} hn_joint_row_kind;

enum { HN_JOINT_F, HN_JOINT_G, HN_JOINT_H }; // axes of a joint frame

typedef struct hn_joint_row {
  hn_joint_row_kind kind;
  int axis1, axis2;
} hn_joint_row;

// Links of the chain that a joint is in a tree of relative coordinates, from its first body to its
// second (equations/relative/tree.h); free: of bodies that no joint leads to.
typedef enum hn_link_kind {
  HN_LINK_HINGE,
  HN_LINK_SLIDE,
  HN_LINK_SCREW,
  HN_LINK_BALL,
  HN_LINK_FREE,
  HN_LINK_FIXED
} hn_link_kind;

// How a link is turned against the one before it.
typedef enum hn_link_turn {
  HN_LINK_STRAIGHT,
  HN_LINK_CYCLED, // x' = y, y' = z, z' = x: three of them are the identity
  HN_LINK_CROSSED // x' = z, y' = -y, z' = x: to the other axis of a cross
} hn_link_turn;

#define HN_JOINT_BIT(coordinate) (1u << HN_COORDINATE_##coordinate)

typedef struct hn_joint_link {
  hn_link_kind kind;
  hn_link_turn turn;
  unsigned reads; // coordinates of the joint that are the link's own (HN_JOINT_BIT, added)
} hn_joint_link;

enum { HN_JOINT_ROWS = 6, HN_JOINT_LINKS = 3 };

// How it is drawn: where, and with which axes.
typedef enum hn_joint_place {
  HN_JOINT_AT_POINT,
  HN_JOINT_AT_CENTER, // the point may be left out and is then the center of the second body
  HN_JOINT_AT_POINTS, // a point of each body
  HN_JOINT_NOWHERE    // between coordinates of joints
} hn_joint_place;
typedef enum hn_joint_axes {
  HN_JOINT_NO_AXIS,
  HN_JOINT_ONE_AXIS,
  HN_JOINT_TWO_AXES,
  HN_JOINT_ONE_OR_TWO_AXES,
  HN_JOINT_DEFAULT_AXIS // z and reference x
} hn_joint_axes;
// How its axis is mirrored: that of a rotation (axial), or like an arrow (polar).
typedef enum hn_joint_axis_kind { HN_JOINT_AXIAL, HN_JOINT_POLAR } hn_joint_axis_kind;

typedef struct hn_joint_facts {
  hn_joint_row rows[HN_JOINT_ROWS]; // rows of the tree first
  unsigned coordinates;             // HN_JOINT_BIT, added
  int link_count;                   // 0: never part of a tree
  hn_joint_link links[HN_JOINT_LINKS];
  struct {
    hn_joint_place place;
    hn_joint_axes axes;
    hn_joint_axis_kind kind;
  } drawn;
  struct {
    int least, most;          // coordinates of joints; 0: it joins two bodies
    hn_coordinate default_of; // the second
  } couples;
  const char *keys; // of formats/keys.c that it has, each between blanks
} hn_joint_facts;

const hn_joint_facts *hn_joint_facts_of(hn_joint_type type); // no rows past the end, never null
int hn_joint_row_number(hn_joint_type type);                 // how many rows it has
// 1 when one of its rows is of this kind.
int hn_joint_has_row(hn_joint_type type, hn_joint_row_kind kind);
// The row axis1 . axis2, or axis1 . d (axis2 -1): its number, or -1.
int hn_joint_find_row(hn_joint_type type, int axis1, int axis2);
int hn_joint_shares_point(hn_joint_type type); // 1: the origins of both frames are one
// Directions that are the same in both frames: none, h, or all three.
typedef enum hn_joint_sharing { HN_SHARES_NONE, HN_SHARES_H, HN_SHARES_ALL } hn_joint_sharing;
hn_joint_sharing hn_joint_shares_axes(hn_joint_type type);
int hn_coordinate_is_angle(hn_coordinate coordinate);
int hn_joint_coordinate_count(hn_joint_type type);
// Rows that hold by construction where it is part of a tree; 0: it cannot be.
int hn_joint_tree_rows(hn_joint_type type);

#endif
