// Shapes for contact that are drawn as something else.
#ifndef HN_FORMATS_TOUCH_H
#define HN_FORMATS_TOUCH_H

#include "formats/fields.h"
#include "holon/shape.h"

// Reads the map of a plane, curve or height field (def->touch) and the shape that represents it in
// drawings.
void hn_touch_read(hn_fields *fields, const hn_node *node, int is_mirrored, hn_shape_def *def);
// The half axes `ellipsoid` of a shape, and the mesh that represents it.
void hn_ellipsoid_read(hn_fields *fields, hn_shape_def *def);

#endif
