// Parts shared by joints, drivers and forces: the two ends, and references to joint coordinates.
#include <string.h>

#include "base/error.h"
#include "formats/joint.h"

// ---- ends ---------------------------------------------------------------------------------------

int hn_field_bodies(hn_fields *fields, hn_ends *ends) {
  const char *names[2];
  const hn_node *nodes[2];
  if (!hn_field_names(fields, "bodies", 2, names, nodes)) return 0;
  for (int k = 0; k < 2; k++) {
    ends->body[k] = hn_body_need(fields->context, names[k], nodes[k]);
    if (!ends->body[k] || !hn_body_real(ends->body[k])) return 0;
  }
  return 1;
}

int hn_field_markers(hn_fields *fields, hn_ends *ends) {
  const char *names[2];
  const hn_node *nodes[2];
  if (!hn_field_names(fields, "markers", 2, names, nodes)) return 0;
  for (int k = 0; k < 2; k++) {
    hn_entry *marker = hn_marker_need(fields->context, names[k], nodes[k]);
    const hn_drawn_frame *frame = marker ? hn_marker_of(marker) : NULL;
    if (!frame || !hn_body_real(hn_marker_body(marker))) return 0;
    ends->body[k] = hn_marker_body(marker);
    ends->frame[k] = *frame;
  }
  return 1;
}

int hn_field_two_points(hn_fields *fields, const char *key, hn_ends *ends) {
  const hn_node *node = hn_field(fields, key);
  if (!node) return 0;
  hn_loader *loader = fields->context->loader;
  if (node->kind != HN_NODE_LIST || node->count != 2) {
    hn_source place = hn_node_source(node);
    hn_loader_fail(loader, HN_ERROR_MODEL, &place,
                   "Write [POINT, POINT]; each is [x, y, z], points.NAME or BODY.MARKER.",
                   "expects two points in '%s', got %s with %d", key, hn_node_kind_name(node),
                   node->count);
    return 0;
  }
  ends->frame[0].origin = hn_point_of(fields->context, node->first, NULL);
  ends->frame[1].origin = hn_point_of(fields->context, node->first->next, NULL);
  return hn_loader_ok(loader);
}

hn_vec3 hn_body_center(hn_entry *body) {
  hn_entry *real = hn_body_real(body);
  const hn_body_record *record = real ? hn_body_written(real) : NULL;
  return record ? record->center : vec3_zero();
}

// ---- coordinates --------------------------------------------------------------------------------

hn_joint_type hn_joint_type_of(hn_entry *joint) {
  const hn_node *node = hn_node_get(joint->node, "type");
  const char *word = node ? hn_text_of(&joint->context, node) : NULL;
  for (int k = 0; word && k < HN_JOINT_TYPES; k++)
    if (strcmp(word, hn_joint_type_name((hn_joint_type)k)) == 0) return (hn_joint_type)k;
  return HN_JOINT_TYPES;
}

double hn_coordinate_sign(const hn_entry *joint, hn_coordinate coordinate) {
  if (hn_placement_parity(&joint->context.scope->placement) > 0) return 1;
  int is_polar =
      hn_joint_facts_of(hn_joint_type_of((hn_entry *)joint))->drawn.kind == HN_JOINT_POLAR;
  if (coordinate == HN_COORDINATE_ANGLE) return is_polar ? -1 : 1;
  int is_along = coordinate == HN_COORDINATE_Z || coordinate == HN_COORDINATE_DISPLACEMENT;
  return is_along && !is_polar ? -1 : 1;
}

hn_entry *hn_field_joint(hn_fields *fields, const char *key) {
  const hn_node *node = hn_field(fields, key);
  const char *name = node ? hn_text_of(fields->context, node) : NULL;
  return name ? hn_entry_need(fields->context, HN_ENTRY_JOINT, name, node) : NULL;
}

// "angle, displacement": what a type has.
static int list_coordinates(hn_joint_type type, int angles_only, char *buffer, size_t size,
                            hn_coordinate *only) {
  int count = 0;
  size_t used = 0;
  buffer[0] = '\0';
  for (int k = 0; k < HN_COORDINATES; k++) {
    hn_coordinate c = (hn_coordinate)k;
    if (!hn_joint_has_coordinate(type, c) || (angles_only && !hn_coordinate_is_angle(c))) continue;
    if (count++ == 0) *only = c;
    used += strlen(
        hn_text(buffer + used, size - used, "%s%s", used ? ", " : "", hn_coordinate_name(c)));
  }
  return count;
}

hn_coordinate hn_coordinate_need(const hn_context *context, hn_entry *joint, const char *word,
                                 const hn_node *node, hn_coordinate_wanted wanted) {
  hn_loader *loader = context->loader;
  int angles_only = wanted == HN_WANTED_ANGLE;
  hn_joint_type type = hn_joint_type_of(joint);
  hn_coordinate only = HN_COORDINATE_ANGLE;
  char list[128];
  if (type == HN_JOINT_TYPES || !hn_loader_ok(loader)) return only;
  int count = list_coordinates(type, angles_only, list, sizeof list, &only);
  hn_source place = hn_node_source(node);
  const char *what = angles_only ? "angle" : "coordinate";
  if (count == 0) {
    hn_loader_fail(loader, HN_ERROR_MODEL, &place, "Use another joint.",
                   "uses joint '%s', which is %s and has no %s", joint->name,
                   hn_joint_type_name(type), what);
  } else if (!word && count > 1) {
    char hint[192];
    hn_text(hint, sizeof hint, "Add `coordinate:` with one of: %s.", list);
    hn_loader_fail(loader, HN_ERROR_MODEL, &place, hint, "needs one of the %d %ss of joint '%s'",
                   count, what, joint->name);
  } else if (word) {
    for (int k = 0; k < HN_COORDINATES; k++) {
      hn_coordinate c = (hn_coordinate)k;
      if (strcmp(word, hn_coordinate_name(c)) == 0 && hn_joint_has_coordinate(type, c) &&
          (!angles_only || hn_coordinate_is_angle(c)))
        return c;
    }
    char hint[320], rate[80] = "";
    if (wanted == HN_WANTED_OR_RATE)
      hn_text(rate, sizeof rate, " Add _rate for a velocity: %.*s_rate.", (int)strcspn(list, ","),
              list);
    hn_text(hint, sizeof hint, "Joint '%.60s' has: %s.%s", joint->name, list, rate);
    hn_loader_fail(loader, HN_ERROR_MODEL, &place, hint,
                   "uses the %s '%.40s' of joint '%s', which is %s and does not have it", what,
                   word, joint->name, hn_joint_type_name(type));
  }
  return only;
}

hn_coordinate hn_field_coordinate(hn_fields *fields, hn_entry *joint, hn_coordinate_wanted wanted) {
  const hn_node *node = hn_field(fields, "coordinate");
  const char *word = node ? hn_text_of(fields->context, node) : NULL;
  hn_coordinate c =
      hn_coordinate_need(fields->context, joint, word, node ? node : fields->map, wanted);
  fields->is_angle = hn_coordinate_is_angle(c);
  return c;
}
