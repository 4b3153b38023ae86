// Joints as rows of primitives: a table, and the making of measures from it.
#ifndef HN_ELEMENTS_JOINTS_H
#define HN_ELEMENTS_JOINTS_H

#include "elements/elements.h"

// How many rows a joint has, and how many measures its rows and coordinates take.
int hn_joint_row_count(const hn_joint_def *joint);
int hn_joint_measure_count(const hn_joint_def *joint);
int hn_joint_curve_count(const hn_joint_def *joint); // terms that are bent
// Measures its rows are sums of, and whether these have coefficients other than 1.
int hn_joint_part_count(const hn_joint_def *joint);
int hn_joint_has_coefficients(const hn_joint_def *joint);
// 1 when this row is the displacement along axis1 of frame 1 (*axis2 = -1), or axis1 of frame 1 times
// axis2 of frame 2; 0 when it is something else.
int hn_joint_row_axes(hn_joint_type type, int row, int *axis1, int *axis2);
// Appends the joint's coordinates (elements->coordinate) and its rows; frames are the drawn ones.
void hn_joint_make_coordinates(hn_elements *elements, int joint);
void hn_joint_make_rows(hn_elements *elements, int joint, const hn_frame *drawn,
                        const double *drawn_turns);
// Appends a driver's row.
int hn_driver_measure_count(const hn_driver_def *driver);
void hn_driver_make_row(hn_elements *elements, int driver);

#endif
