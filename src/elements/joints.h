// Joints as rows of primitives: a table, and the making of measures from it.
#ifndef HN_ELEMENTS_JOINTS_H
#define HN_ELEMENTS_JOINTS_H

#include "elements/elements.h"

// How many rows a joint has, and how many measures its rows and coordinates take.
int hn_joint_row_count(const hn_joint_def *joint);
int hn_joint_measure_count(const hn_joint_def *joint);
// What kind of primitive a row of a joint is, for coordinates in which some rows hold by themselves.
typedef enum hn_row_kind { HN_ROW_OTHER, HN_ROW_DISPLACEMENT, HN_ROW_AXES } hn_row_kind;
typedef struct hn_joint_row_axes {
  hn_row_kind kind;
  int axis1, axis2; // of f, g, h; displacement: along axis1
} hn_joint_row_axes;
hn_joint_row_axes hn_joint_row_primitive(hn_joint_type type, int row);
// Appends the joint's coordinates (elements->coordinate) and its rows; frames are the drawn ones.
void hn_joint_make_coordinates(hn_elements *elements, int joint);
void hn_joint_make_rows(hn_elements *elements, int joint, const hn_frame *drawn,
                        const double *drawn_turns);
// Appends a driver's row.
int hn_driver_measure_count(const hn_driver_def *driver);
void hn_driver_make_row(hn_elements *elements, int driver);

#endif
