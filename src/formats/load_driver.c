// Drivers (joint coordinates, points and distances that follow a law of time) and roads.
#include <string.h>

#include "formats/joint.h"
#include "formats/law.h"
#include "formats/load_rolling.h"

// ---- drivers ------------------------------------------------------------------------------------

static double drive_joint(hn_fields *f, hn_driver_def *def) {
  hn_entry *joint = hn_field_joint(f, "joint");
  if (!joint) return 1;
  def->kind = HN_DRIVER_JOINT;
  def->joint = joint->id;
  def->coordinate = hn_field_coordinate(f, joint, HN_WANTED_ANY);
  return hn_coordinate_sign(joint, def->coordinate);
}

// The component of a marker's position along a direction that is fixed on the body `of`.
static void drive_point(hn_fields *f, hn_driver_def *def) {
  const hn_context *context = f->context;
  hn_loader *loader = context->loader;
  const hn_node *point = hn_field(f, "point"), *of = hn_field(f, "of");
  const hn_node *direction = hn_field_need(f, "direction");
  const char *name = hn_text_of(context, point);
  hn_entry *marker = name && direction ? hn_marker_need(context, name, point) : NULL;
  const hn_drawn_frame *there = marker ? hn_marker_of(marker) : NULL;
  const char *seen_from = of ? hn_text_of(context, of) : "ground";
  hn_entry *body = there && seen_from ? hn_body_need(context, seen_from, of ? of : point) : NULL;
  if (!body || !hn_body_real(body)) return;
  // Positions count from the origin of that body's frame; of ground from that of this file.
  const hn_placement *scope = &context->scope->placement;
  const hn_body_record *record = body == &loader->ground ? NULL : hn_body_written(body);
  hn_vec3 origin = record ? record->frame.position : scope->position;
  hn_vec3 axis = hn_direction_of(context, direction, NULL);
  hn_drawn_frame here = hn_drawn_frame_make(context, f->map, origin, axis, NULL);
  if (!hn_loader_ok(loader)) return;
  def->kind = HN_DRIVER_POINT;
  def->coordinate = HN_COORDINATE_Z;
  def->frame1 = hn_frame_on(body, &here);
  def->frame2 = hn_frame_on(hn_marker_body(marker), there);
}

static void drive_distance(hn_fields *f, hn_driver_def *def) {
  hn_ends ends = {0};
  for (int k = 0; k < 2; k++) ends.frame[k].axes = mat3_identity();
  if (!hn_field_bodies(f, &ends) || !hn_field_two_points(f, "distance", &ends)) return;
  def->kind = HN_DRIVER_DISTANCE;
  def->frame1 = hn_frame_on(ends.body[0], &ends.frame[0]);
  def->frame2 = hn_frame_on(ends.body[1], &ends.frame[1]);
}

static void add_driver(hn_entry *driver) {
  const hn_context *context = &driver->context;
  hn_loader *loader = context->loader;
  hn_fields fields;
  hn_driver_def def = hn_default_driver(HN_DRIVER_JOINT);
  double sign = 1;
  if (!hn_fields_open(context, driver->node, hn_section_find("driver", NULL), &fields)) return;
  if (hn_field_given(&fields, "joint")) {
    sign = drive_joint(&fields, &def);
  } else if (hn_field_given(&fields, "point")) {
    drive_point(&fields, &def);
  } else if (hn_field_given(&fields, "distance")) {
    drive_distance(&fields, &def);
  } else {
    hn_source place = hn_node_key_source(driver->node);
    hn_loader_fail(loader, HN_ERROR_MODEL, &place,
                   "Add `joint:`, `point:` or `distance:`, and `motion:`.",
                   "has no joint, point or distance to drive");
  }
  const hn_node *motion = hn_field_need(&fields, "motion");
  if (!motion) return;
  hn_law_wanted wanted = {"t", HN_TIME, HN_TIME, fields.is_angle ? HN_ANGLE : HN_LENGTH, 1, 1};
  hn_law_draft draft = hn_law_read(context, motion, &wanted);
  hn_law_draft_scale(loader, &draft, sign);
  hn_fields_close(&fields);
  def.name = driver->name;
  def.source = hn_node_key_source(driver->node);
  def.component = context->scope->component;
  def.law = hn_law_draft_make(loader, &draft);
  if (hn_loader_ok(loader))
    hn_loader_added(loader, hn_model_add_driver(loader->model, &def, &driver->id));
}

void hn_load_drivers(hn_loader *loader) {
  for (hn_entry *driver = loader->first[HN_ENTRY_DRIVER]; hn_loader_goes_on(loader, driver);
       driver = driver->next) {
    hn_element_name old = hn_loader_begin(loader, "driver", driver->name);
    add_driver(driver);
    hn_loader_set_element(loader, &old);
  }
}

// ---- roads --------------------------------------------------------------------------------------

static void read_profile(hn_fields *f, hn_road_def *def) {
  const hn_context *context = f->context;
  hn_loader *loader = context->loader;
  const hn_node *list = hn_field_need(f, "points");
  if (!list) return;
  hn_source place = hn_node_source(list);
  if (list->kind != HN_NODE_LIST || list->count < 2) {
    hn_loader_fail(loader, HN_ERROR_MODEL, &place, "Write [[x, z], [x, z], ...].",
                   "expects at least two points in 'points', got %s with %d",
                   hn_node_kind_name(list), list->count);
    return;
  }
  double *x = hn_loader_take(loader, (size_t)list->count, sizeof *x);
  double *z = hn_loader_take(loader, (size_t)list->count, sizeof *z);
  int k = 0;
  for (const hn_node *n = list->first; n && hn_loader_ok(loader); n = n->next, k++) {
    place = hn_node_source(n);
    if (n->kind != HN_NODE_LIST || n->count != 2) {
      hn_loader_fail(loader, HN_ERROR_MODEL, &place, "Write [[x, z], [x, z], ...].",
                     "has point %d, which is not a pair of numbers", k + 1);
      return;
    }
    x[k] = hn_number_of(context, n->first, HN_LENGTH, "points");
    z[k] = hn_number_of(context, n->first->next, HN_LENGTH, "points");
    if (k > 0 && hn_loader_ok(loader) && !(x[k] > x[k - 1]))
      hn_loader_fail(loader, HN_ERROR_MODEL, &place,
                     "Sort the points; a vertical step needs a small width.",
                     "has x = %g after x = %g; x must increase", x[k], x[k - 1]);
  }
  def->x = x;
  def->z = z;
  def->count = k;
}

static void add_road(hn_entry *road) {
  hn_loader *loader = road->context.loader;
  static const struct {
    const char *word;
    hn_road_kind kind;
  } kinds[] = {{"flat", HN_ROAD_FLAT},
               {"polyline", HN_ROAD_POLYLINE},
               {"cosine-bump", HN_ROAD_COSINE_BUMP},
               {"half-cylinder", HN_ROAD_HALF_CYLINDER},
               {"table", HN_ROAD_TABLE},
               {"plane", HN_ROAD_SURFACE},
               {"height-field", HN_ROAD_SURFACE},
               {"random", HN_ROAD_SURFACE},
               {"crg", HN_ROAD_SURFACE}};
  hn_fields fields;
  if (!hn_fields_open_variant(&road->context, road->node, "road", &fields)) return;
  size_t k = 0;
  while (strcmp(kinds[k].word, fields.section->variant) != 0) k++;
  hn_road_def def = hn_default_road(kinds[k].kind);
  def.name = road->name;
  def.source = hn_node_key_source(road->node);
  if (def.kind == HN_ROAD_POLYLINE || def.kind == HN_ROAD_TABLE) read_profile(&fields, &def);
  if (def.kind == HN_ROAD_SURFACE) def.surface = hn_build_surface(&fields);
  hn_build_friction(&fields, &def);
  // Keys a kind does not have read as 0.
  def.start = hn_field_number(&fields, "start");
  def.length = hn_field_number(&fields, "length");
  def.height = hn_field_number(&fields, "height");
  def.radius = hn_field_number(&fields, "radius");
  def.envelope = hn_field_number(&fields, "envelope");
  def.speed = hn_field_number(&fields, "speed");
  hn_fields_close(&fields);
  if (hn_loader_ok(loader))
    hn_loader_added(loader, hn_model_add_road(loader->model, &def, &road->id));
  else
    hn_road_surface_free(def.surface);
}

void hn_load_roads(hn_loader *loader) {
  for (hn_entry *road = loader->first[HN_ENTRY_ROAD]; hn_loader_goes_on(loader, road);
       road = road->next) {
    hn_element_name old = hn_loader_begin(loader, "road", road->name);
    add_road(road);
    hn_loader_set_element(loader, &old);
  }
}
