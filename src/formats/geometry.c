// Points, directions, orientations and frames, in the reference configuration.
//
// A component mirrored by S and placed by P, p within a frame (P0, S0, p0) is placed in the world
// by
//   P0 S0 (P S x + p) + p0 = (P0 S0 P S0)(S0 S) x + (P0 S0 p + p0),
// and P0 S0 P S0 is a rotation again, so mirrorings collect in front of x and stay along the axes.
#include "formats/geometry.h"

#include <string.h>

#include "base/error.h"
#include "formats/fields.h"

// ---- placements ---------------------------------------------------------------------------------

static hn_vec3 mirrored(hn_vec3 mirror, hn_vec3 x) {
  return vec3(mirror.x * x.x, mirror.y * x.y, mirror.z * x.z);
}

// S A S
static hn_mat3 mirrored_matrix(hn_vec3 mirror, hn_mat3 a) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) a.m[i][j] *= vec3_get(mirror, i) * vec3_get(mirror, j);
  return a;
}

hn_placement hn_placement_none(void) {
  return (hn_placement){mat3_identity(), {1, 1, 1}, {0, 0, 0}};
}

hn_vec3 hn_placement_vector(const hn_placement *placement, hn_vec3 d) {
  return mat3_apply(placement->rotation, mirrored(placement->mirror, d));
}

hn_vec3 hn_placement_point(const hn_placement *placement, hn_vec3 x) {
  return vec3_add(hn_placement_vector(placement, x), placement->position);
}

static hn_vec3 vector_back(const hn_placement *placement, hn_vec3 world) {
  return mirrored(placement->mirror, mat3_apply_transposed(placement->rotation, world));
}

hn_vec3 hn_placement_back(const hn_placement *placement, hn_vec3 world) {
  return vector_back(placement, vec3_sub(world, placement->position));
}

hn_placement hn_placement_within(const hn_placement *outer, const hn_placement *inner) {
  return (hn_placement){
      mat3_multiply(outer->rotation, mirrored_matrix(outer->mirror, inner->rotation)),
      mirrored(outer->mirror, inner->mirror), hn_placement_point(outer, inner->position)};
}

double hn_placement_parity(const hn_placement *placement) {
  return placement->mirror.x * placement->mirror.y * placement->mirror.z;
}

// ---- points -------------------------------------------------------------------------------------

hn_vec3 hn_vector_of(const hn_context *context, const hn_node *node, hn_meaning meaning) {
  hn_loader *loader = context->loader;
  double x[3] = {0, 0, 0};
  if (!hn_loader_ok(loader)) return vec3_zero();
  if (node->kind != HN_NODE_LIST || node->count != 3) {
    hn_source place = hn_node_source(node);
    const char *key = node->key ? node->key : "a list";
    int is_gravity = node->key != NULL && strcmp(node->key, "gravity") == 0;
    const char *hint = is_gravity ? "Write a vector: gravity: [0, 0, -9.81]." : "Write [x, y, z].";
    if (node->kind == HN_NODE_SCALAR && !hn_node_is_null(node))
      hn_loader_fail(loader, HN_ERROR_MODEL, &place, hint,
                     "expects three numbers in '%s', got %.40s", key, node->text);
    else
      hn_loader_fail(loader, HN_ERROR_MODEL, &place, hint,
                     "expects three numbers in '%s', got %s with %d", key, hn_node_kind_name(node),
                     node->count);
    return vec3_zero();
  }
  const hn_node *entry = node->first;
  for (int k = 0; k < 3; k++, entry = entry->next)
    x[k] = hn_number_of(context, entry, meaning, node->key);
  return vec3_load(x);
}

// Guards recursion through points and bodies that lead to each other; 0 when it is too deep.
static int descend(hn_loader *loader, const hn_node *node) {
  if (++loader->depth <= HN_CALCULATION_DEPTH) return 1;
  hn_source place = hn_node_source(node);
  hn_loader_fail(
      loader, HN_ERROR_LIMIT, &place, "Define bodies and points before those that use them.",
      "is defined through a chain of more than %d points and bodies", HN_CALCULATION_DEPTH);
  return 0;
}

static hn_vec3 work_out_point(hn_entry *entry) {
  const hn_context *context = &entry->context;
  const hn_node *node = entry->node;
  if (node->kind != HN_NODE_MAP) return hn_point_of(context, node, NULL);
  hn_fields fields;
  if (!hn_fields_open(context, node, hn_section_find("point", NULL), &fields)) return vec3_zero();
  const hn_node *at = hn_field_need(&fields, "at");
  hn_vec3 point = at ? hn_point_of(context, at, NULL) : vec3_zero();
  hn_fields_close(&fields);
  return point;
}

hn_vec3 hn_point_entry(hn_entry *entry) {
  hn_loader *loader = entry->context.loader;
  if (!hn_loader_ok(loader)) return vec3_zero();
  if (hn_loader_spoilt(loader, entry)) return vec3_zero();
  if (entry->state == HN_ENTRY_DONE) return *(hn_vec3 *)entry->data;
  hn_element_name old = hn_loader_begin(loader, "point", entry->name);
  hn_vec3 *point = hn_loader_take(loader, 1, sizeof *point);
  if (entry->state == HN_ENTRY_BUSY) {
    hn_source place = hn_node_key_source(entry->node);
    hn_loader_fail(loader, HN_ERROR_MODEL, &place,
                   "Give the coordinates of this point, or of one that it refers to.",
                   "has a circular definition");
  } else if (point && descend(loader, entry->node)) {
    entry->state = HN_ENTRY_BUSY;
    *point = work_out_point(entry);
    entry->data = point;
    entry->state = hn_loader_ok(loader) ? HN_ENTRY_DONE : HN_ENTRY_FAILED;
    loader->depth--;
  }
  hn_loader_set_element(loader, &old);
  return hn_loader_ok(loader) ? *point : vec3_zero();
}

// BODY.center and BODY.origin, where no marker has that name. 1 when it is one of them.
static int built_in_point(const hn_context *context, const char *text, const hn_node *node,
                          hn_vec3 *point) {
  const char *dot = strrchr(text, '.');
  if (!dot || (strcmp(dot, ".center") != 0 && strcmp(dot, ".origin") != 0)) return 0;
  const char *prefix = context->scope->prefix;
  size_t length = (size_t)(dot - text);
  hn_entry *body = hn_entry_find(context->loader, HN_ENTRY_BODY, prefix, text, length);
  if (!body || !hn_border_allows(context, body, node)) return body != NULL;
  int center = strcmp(dot, ".center") == 0;
  const hn_body_record *record = hn_body_written(center ? hn_body_real(body) : body);
  if (record && center && record->is_open) {
    hn_source place = hn_node_source(node);
    hn_loader_fail(context->loader, HN_ERROR_MODEL, &place, "Give the coordinates of the point.",
                   "needs its own center of mass, which depends on this shape");
  }
  if (record) *point = center ? record->center : record->frame.position;
  return 1;
}

static hn_vec3 named_point(const hn_context *context, const hn_node *node) {
  const char *text = hn_text_of(context, node);
  hn_vec3 point = vec3_zero();
  if (!text) return point;
  if (strncmp(text, "points.", 7) == 0) {
    hn_entry *entry = hn_entry_need(context, HN_ENTRY_POINT, text + 7, node);
    return entry ? hn_point_entry(entry) : point;
  }
  if (!strchr(text, '.')) {
    hn_source place = hn_node_source(node);
    int known = hn_entry_find(context->loader, HN_ENTRY_POINT, context->scope->prefix, text,
                              strlen(text)) != NULL;
    char hint[160] = "Write [x, y, z], points.NAME or BODY.MARKER.";
    if (known) hn_text(hint, sizeof hint, "Did you mean points.%s?", text);
    hn_loader_fail(context->loader, HN_ERROR_MODEL, &place, hint,
                   "expects a point in '%s', got '%s'", node->key ? node->key : "a list", text);
    return point;
  }
  int exists = hn_entry_find(context->loader, HN_ENTRY_MARKER, context->scope->prefix, text,
                             strlen(text)) != NULL;
  if (!exists && built_in_point(context, text, node, &point)) return point;
  hn_entry *marker = hn_marker_need(context, text, node);
  const hn_drawn_frame *frame = marker ? hn_marker_of(marker) : NULL;
  return frame ? frame->origin : point;
}

hn_vec3 hn_point_of(const hn_context *context, const hn_node *node, const hn_placement *frame) {
  if (!hn_loader_ok(context->loader)) return vec3_zero();
  if (node->kind == HN_NODE_SCALAR && !hn_node_is_null(node)) return named_point(context, node);
  const hn_placement *placement = frame ? frame : &context->scope->placement;
  return hn_placement_point(placement, hn_vector_of(context, node, HN_LENGTH));
}

// ---- directions ---------------------------------------------------------------------------------

static hn_vec3 direction_between(const hn_context *context, const hn_node *node) {
  hn_fields fields;
  if (!hn_fields_open(context, node, hn_section_find("direction", NULL), &fields))
    return vec3_zero();
  const hn_node *from = hn_field_need(&fields, "from"), *to = hn_field_need(&fields, "to");
  hn_vec3 d = vec3_zero();
  if (from && to) {
    hn_vec3 p = hn_point_of(context, from, NULL);
    d = vec3_sub(hn_point_of(context, to, NULL), p);
    if (vec3_norm(d) < 1e-12) {
      hn_source place = hn_node_source(node);
      hn_loader_fail(context->loader, HN_ERROR_MODEL, &place, "Give two different points.",
                     "has a direction of length zero in '%s': 'from' and 'to' are the same point "
                     "(%g, %g, %g) m",
                     node->key ? node->key : "a list", p.x, p.y, p.z);
    }
  }
  hn_fields_close(&fields);
  return d;
}

static int letter_direction(const char *text, hn_vec3 *d) {
  double sign = 1;
  if (text[0] == '-' || text[0] == '+') sign = *text++ == '-' ? -1 : 1;
  if (text[0] < 'x' || text[0] > 'z' || text[1]) return 0;
  *d = vec3(text[0] == 'x' ? sign : 0, text[0] == 'y' ? sign : 0, text[0] == 'z' ? sign : 0);
  return 1;
}

hn_vec3 hn_direction_of(const hn_context *context, const hn_node *node, const hn_placement *frame) {
  hn_loader *loader = context->loader;
  const hn_placement *placement = frame ? frame : &context->scope->placement;
  hn_vec3 d = vec3(1, 0, 0);
  if (!hn_loader_ok(loader)) return d;
  hn_source place = hn_node_source(node);
  const char *key = node->key ? node->key : "a list";
  if (node->kind == HN_NODE_MAP) {
    d = direction_between(context, node);
  } else if (node->kind == HN_NODE_LIST) {
    d = hn_placement_vector(placement, hn_vector_of(context, node, HN_ANYTHING));
  } else {
    const char *text = hn_text_of(context, node);
    if (text && !letter_direction(text, &d))
      hn_loader_fail(loader, HN_ERROR_MODEL, &place,
                     "Write x, -x, y, ..., [x, y, z] or {from: POINT, to: POINT}.",
                     "expects a direction in '%s', got '%s'", key, text);
    d = hn_placement_vector(placement, d);
  }
  if (!hn_loader_ok(loader)) return vec3(1, 0, 0);
  double length = vec3_norm(d);
  if (length < 1e-12)
    hn_loader_fail(loader, HN_ERROR_MODEL, &place, "Give a nonzero vector.",
                   "has a direction of length %g in '%s'", length, key);
  return length > 0 ? vec3_scale(1 / length, d) : vec3(1, 0, 0);
}

// ---- orientations -------------------------------------------------------------------------------

static hn_vec3 written_direction(const hn_context *context, const hn_node *node,
                                 const hn_placement *frame) {
  const hn_placement *placement = frame ? frame : &context->scope->placement;
  return vector_back(placement, hn_direction_of(context, node, frame));
}

// Two of x, y, z: the first is kept, the second made perpendicular.
static hn_mat3 orientation_by_axes(hn_fields *fields, const hn_placement *frame) {
  const hn_context *context = fields->context;
  const hn_node *first = NULL, *second = NULL;
  for (const hn_node *n = fields->map->first; n; n = n->next)
    if (n->key[0] >= 'x' && n->key[0] <= 'z' && !n->key[1]) {
      hn_field(fields, n->key);
      if (second) {
        hn_source place = hn_node_key_source(n);
        hn_loader_fail(context->loader, HN_ERROR_MODEL, &place, "Remove one of the three.",
                       "has an orientation with three axes; two determine it");
        return mat3_identity();
      }
      *(first ? &second : &first) = n;
    }
  if (!first || !second) {
    hn_source place = hn_node_source(fields->map);
    hn_loader_fail(context->loader, HN_ERROR_MODEL, &place,
                   "Give {axis, angle}, {quaternion}, {xyz} or two of {x, y, z}.",
                   "has an incomplete orientation");
    return mat3_identity();
  }
  int i = first->key[0] - 'x', j = second->key[0] - 'x', k = 3 - i - j;
  hn_vec3 a = written_direction(context, first, frame);
  hn_vec3 b = written_direction(context, second, frame);
  b = vec3_add_scaled(b, -vec3_dot(a, b), a);
  if (vec3_norm(b) < 1e-9) {
    hn_source place = hn_node_source(second);
    hn_loader_fail(context->loader, HN_ERROR_MODEL, &place, "Give two directions that differ.",
                   "has parallel directions for %s and %s", first->key, second->key);
    return mat3_identity();
  }
  hn_vec3 axes[3];
  axes[i] = a;
  axes[j] = vec3_unit(b);
  axes[k] = (j - i + 3) % 3 == 1 ? vec3_cross(axes[i], axes[j]) : vec3_cross(axes[j], axes[i]);
  return mat3_from_columns(axes[0], axes[1], axes[2]);
}

static hn_mat3 orientation_by_quaternion(const hn_context *context, const hn_node *node) {
  double q[4] = {1, 0, 0, 0};
  int count = 0;
  const hn_node *entry = node->kind == HN_NODE_LIST && node->count == 4 ? node->first : NULL;
  for (; entry; entry = entry->next)
    q[count++] = hn_number_of(context, entry, HN_NUMBER, "quaternion");
  double square = quat_dot(quat_load(q), quat_load(q));
  if (count == 4 && square > 1e-24) return quat_matrix(quat_unit(quat_load(q)));
  hn_source place = hn_node_source(node);
  hn_loader_fail(context->loader, HN_ERROR_MODEL, &place,
                 "Write [w, x, y, z], for instance [1, 0, 0, 0].",
                 "expects four numbers, not all zero, in 'quaternion'");
  return mat3_identity();
}

static hn_mat3 turn(int axis, double angle) {
  hn_vec3 d = vec3(axis == 0, axis == 1, axis == 2);
  return quat_matrix(quat_from_axis_angle(d, angle));
}

hn_mat3 hn_orientation_of(const hn_context *context, const hn_node *node,
                          const hn_placement *frame) {
  hn_fields fields;
  hn_mat3 result = mat3_identity();
  if (!hn_fields_open(context, node, hn_section_find("orientation", NULL), &fields)) return result;
  const hn_node *part;
  if ((part = hn_field(&fields, "axis"))) {
    hn_vec3 axis = written_direction(context, part, frame);
    const hn_node *angle = hn_field_need(&fields, "angle");
    if (angle)
      result =
          quat_matrix(quat_from_axis_angle(axis, hn_number_of(context, angle, HN_ANGLE, "angle")));
  } else if ((part = hn_field(&fields, "quaternion"))) {
    result = orientation_by_quaternion(context, part);
  } else if ((part = hn_field(&fields, "xyz"))) {
    hn_vec3 a = hn_vector_of(context, part, HN_ANGLE);
    result = mat3_multiply(turn(0, a.x), mat3_multiply(turn(1, a.y), turn(2, a.z)));
  } else {
    result = orientation_by_axes(&fields, frame);
  }
  hn_fields_close(&fields);
  return result;
}

// ---- frames -------------------------------------------------------------------------------------

// The same perpendicular for equal directions: along the file's axis farthest from d, so that a
// component is the same wherever it is placed.
static hn_vec3 any_perpendicular(const hn_placement *scope, hn_vec3 direction) {
  hn_vec3 d = vector_back(scope, direction);
  double x = d.x * d.x, y = d.y * d.y, z = d.z * d.z;
  hn_vec3 axis = x <= y && x <= z ? vec3(1, 0, 0) : y <= z ? vec3(0, 1, 0) : vec3(0, 0, 1);
  return hn_placement_vector(scope, vec3_unit(vec3_add_scaled(axis, -vec3_dot(axis, d), d)));
}

hn_drawn_frame hn_drawn_frame_make(const hn_context *context, const hn_node *node, hn_vec3 origin,
                                   hn_vec3 axis, const hn_vec3 *reference) {
  const hn_placement *scope = &context->scope->placement;
  hn_vec3 h = vec3_unit(axis), f = any_perpendicular(scope, h);
  if (reference) {
    f = vec3_add_scaled(*reference, -vec3_dot(*reference, h), h);
    if (vec3_norm(f) < 1e-9) {
      hn_source place = hn_node_source(node);
      hn_loader_fail(context->loader, HN_ERROR_MODEL, &place,
                     "Give a reference that is not parallel to the axis.",
                     "has its reference along its axis");
      f = any_perpendicular(scope, h);
    }
    f = vec3_unit(f);
  }
  return (hn_drawn_frame){origin, mat3_from_columns(f, vec3_cross(h, f), h)};
}

hn_frame_on_body hn_frame_on(hn_entry *body, const hn_drawn_frame *frame) {
  hn_entry *real = hn_body_real(body);
  const hn_body_record *record = real ? hn_body_written(real) : NULL;
  if (!record) return (hn_frame_on_body){0, {0, 0, 0}, {1, 0, 0, 0}};
  hn_mat3 axes = record->frame.rotation;
  hn_vec3 arm = vec3_sub(frame->origin, record->center);
  return (hn_frame_on_body){real->id, mat3_apply_transposed(axes, arm),
                            quat_from_matrix(mat3_multiply(mat3_transpose(axes), frame->axes))};
}
