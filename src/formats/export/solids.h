// Common parts of URDF and SDF (solids.c).
#ifndef HN_FORMATS_EXPORT_SOLIDS_H
#define HN_FORMATS_EXPORT_SOLIDS_H

#include "formats/export/plan.h"
#include "formats/export/writer.h"

// A place as another one sees it.
hn_pose hn_plan_seen_from(const hn_pose *from, const hn_pose *pose);
// Whether a shape can be written, and its pose on the link; one that cannot is reported as lost.
int hn_write_has_solid(hn_plan *plan, const hn_place *place, int shape, hn_pose *pose);
// <geometry>; numbers are elements (SDF), or attributes (URDF). 1: a capsule became a cylinder.
int hn_write_geometry(hn_writer *w, const hn_shape_def *shape, int in_elements);

#endif
