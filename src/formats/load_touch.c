// Shapes for contact that are drawn as something else: planes, curves, height fields.
#include <string.h>

#include "base/error.h"
#include "formats/geometry.h"
#include "formats/touch.h"
#include "math/vec.h"

#define THICKNESS 0.002 // of the plate that stands for a plane, of its size

static void read_plane(hn_fields *part, hn_shape_def *def) {
  double size = hn_field_number(part, "size");
  hn_source place = hn_node_source(part->map);
  if (!(size > 0) && hn_loader_ok(part->context->loader))
    hn_loader_fail(part->context->loader, HN_ERROR_MODEL, &place,
                   "Give a length greater than zero.", "has a plane of the size %g m", size);
  def->size = vec3(size, size, THICKNESS * size);
}

void hn_touch_read(hn_fields *fields, const hn_node *node, hn_shape_def *def) {
  static const char *const sections[] = {"", "plane", "curve", "heights"};
  hn_fields part;
  if (!hn_fields_open(fields->context, node, hn_section_find(sections[def->touch], NULL), &part))
    return;
  if (def->touch == HN_TOUCH_PLANE) read_plane(&part, def);
  hn_fields_close(&part);
}
