// `shape:` and `shapes:` of bodies: geometry, and with a density their mass.
//
// A shape is read into the world in the reference configuration, mirrorings applied. Of its axes z
// is reversed when a mirroring exchanged left and right: most shapes are symmetric about z = 0, and a
// mesh is mirrored there too (hn_loaded_mesh). Planes and height fields, which have an upper side,
// are reversed along y.
#include <string.h>

#include "base/error.h"
#include "formats/fields.h"
#include "formats/geometry.h"
#include "formats/mesh.h"
#include "formats/text_file.h"
#include "formats/touch.h"
#include "model/mesh.h"

#define MOST_SHAPES 1000 // of one body

typedef struct hn_shape_record {
  hn_shape_def def; // its frame is filled in when it is added
  hn_drawn_frame place;
  double density;
  int touches;       // -1: not said
  const char *group; // null: none
  const hn_node *node;
} hn_shape_record;

static const hn_node *list_of(const hn_entry *body) {
  return body->node ? hn_node_get(body->node, "shapes") : NULL;
}

int hn_shapes_have_mass(const hn_entry *body) {
  if (!body->node || hn_node_get(body->node, "solid")) return 0;
  const hn_node *single = hn_node_get(body->node, "shape"), *list = list_of(body);
  if (!single && !list) return 0;
  if (hn_node_get(body->node, "density")) return 1;
  if (single && single->kind == HN_NODE_MAP && hn_node_get(single, "density")) return 1;
  const hn_node *n = list && list->kind == HN_NODE_LIST ? list->first : NULL;
  for (; n; n = n->next)
    if (n->kind == HN_NODE_MAP && hn_node_get(n, "density")) return 1;
  return 0;
}

// ---- meshes -------------------------------------------------------------------------------------

// An error in a line of the mesh is reported there, any other at the mesh's name.
static void refuse_mesh(hn_loader *loader, hn_status status, const char *path,
                        const hn_node *node) {
  const hn_error why = *loader->error;
  const hn_source place = hn_node_source(node);
  if (why.line > 0) {
    const hn_source line = {why.file, why.line, why.column};
    hn_fail(loader->error, status, &line, why.element, why.hint, "%s (mesh of %s, %.200s:%d)",
            why.message, loader->element, place.file ? place.file : "", place.line);
    hn_loader_failed(loader, status);
    return;
  }
  hn_loader_fail(loader, status, &place, why.hint, "has the mesh '%.200s', which %s", path,
                 why.message);
}

static const hn_mesh *load_mesh(hn_loader *loader, const char *path, double scale, int is_mirrored,
                                const hn_node *node) {
  hn_source place = hn_node_source(node);
  const hn_kept_mesh *kept = loader->is_making ? NULL : loader->kept_meshes;
  while (kept && strcmp(kept->path, path) != 0) kept = kept->next;
  if (!kept && hn_loader_on_its_own(loader, &place, path)) return NULL;
  const hn_mesh_wanted wanted = {path, scale, is_mirrored, kept};
  const hn_mesh *mesh;
  hn_status status = hn_model_files_mesh(loader->files, &wanted, &mesh, loader->error);
  if (status) refuse_mesh(loader, status, path, node);
  return mesh;
}

// ---- one shape ----------------------------------------------------------------------------------

// A shape while it is being read.
typedef struct build {
  hn_fields fields;
  const hn_placement *frame; // of the body
  hn_shape_record *record;
  const hn_node *axis; // instead of an orientation
  int turned;          // z of the shape is to lie along y
} build;

static hn_loader *loader_of(const build *b) { return b->fields.context->loader; }

static double positive(build *b, const hn_node *node, const char *what, double length) {
  if (length > 0 || !hn_loader_ok(loader_of(b))) return length;
  hn_source place = hn_node_source(node);
  hn_loader_fail(loader_of(b), HN_ERROR_MODEL, &place, "Give a length greater than zero.",
                 "has a shape with the %s %g m, which is not positive", what, length);
  return 1;
}

static void read_round(build *b, const hn_node *node, const char *section, const char *length) {
  hn_fields part;
  hn_shape_def *def = &b->record->def;
  if (!hn_fields_open(b->fields.context, node, hn_section_find(section, NULL), &part)) return;
  def->radius = positive(b, node, "radius", hn_field_number(&part, "radius"));
  int has_length = hn_field_given(&part, length) || strcmp(length, "length") == 0;
  def->length = has_length ? hn_field_number(&part, length) : 0.5 * def->radius;
  if (def->length != 0 || def->type != HN_SHAPE_CYLINDER) // a disk has none
    positive(b, node, length, def->length);
  b->axis = hn_field(&part, "axis");
  b->turned = def->type == HN_SHAPE_WHEEL;
  hn_fields_close(&part);
}

static void read_link(build *b, const hn_node *node) {
  const hn_context *context = b->fields.context;
  hn_fields part;
  if (!hn_fields_open(context, node, hn_section_find("link", NULL), &part)) return;
  const hn_node *from = hn_field_need(&part, "from"), *to = hn_field_need(&part, "to");
  if (!from || !to) return;
  hn_vec3 a = hn_point_of(context, from, b->frame), c = hn_point_of(context, to, b->frame);
  hn_vec3 arm = vec3_sub(c, a);
  hn_shape_def *def = &b->record->def;
  def->length = vec3_norm(arm);
  int has_radius = hn_field_given(&part, "radius");
  def->radius =
      has_radius ? positive(b, node, "radius", hn_field_number(&part, "radius")) : def->length / 20;
  hn_fields_close(&part);
  if (!hn_loader_ok(loader_of(b))) return;
  if (!(def->length > 1e-12)) {
    hn_source place = hn_node_source(node);
    hn_loader_fail(loader_of(b), HN_ERROR_MODEL, &place, "Give two points that differ.",
                   "has a link of length %g m", def->length);
    return;
  }
  b->record->place = hn_drawn_frame_make(context, node, vec3_add_scaled(a, 0.5, arm), arm, NULL);
}

static void check_profile(build *b, const hn_node *node) {
  const hn_shape_def *def = &b->record->def;
  int edges[2];
  hn_source place = hn_node_source(node);
  if (!hn_loader_ok(loader_of(b))) return;
  if (hn_polygon_crosses_itself(def->profile, def->profile_count, edges))
    hn_loader_fail(loader_of(b), HN_ERROR_MODEL, &place,
                   "List the corners in order around the profile, each once.",
                   "has a self-intersecting profile: the edges from corners %d and %d cross",
                   edges[0] + 1, edges[1] + 1);
}

static void read_extrusion(build *b, const hn_node *node) {
  const hn_context *context = b->fields.context;
  hn_loader *loader = loader_of(b);
  hn_fields part;
  if (!hn_fields_open(context, node, hn_section_find("extrusion", NULL), &part)) return;
  hn_shape_def *def = &b->record->def;
  def->length = positive(b, node, "length", hn_field_number(&part, "length"));
  const hn_node *list = hn_field_need(&part, "profile");
  if (!list) return;
  hn_source place = hn_node_source(list);
  if (list->kind != HN_NODE_LIST || list->count < 3 || list->count > HN_PROFILE_CORNERS) {
    hn_loader_fail(loader, HN_ERROR_MODEL, &place, "Write [[x, y], [x, y], [x, y], ...].",
                   "expects 3 to %d corners in 'profile', got %s with %d", HN_PROFILE_CORNERS,
                   hn_node_kind_name(list), list->count);
    return;
  }
  double *corners = hn_loader_take(loader, 2 * (size_t)list->count, sizeof *corners);
  int k = 0;
  for (const hn_node *n = list->first; n && hn_loader_ok(loader); n = n->next, k++) {
    place = hn_node_source(n);
    if (n->kind != HN_NODE_LIST || n->count != 2) {
      hn_loader_fail(loader, HN_ERROR_MODEL, &place, "Write [[x, y], [x, y], [x, y], ...].",
                     "has corner %d in 'profile', which is not a pair of numbers", k + 1);
      return;
    }
    corners[2 * k] = hn_number_of(context, n->first, HN_LENGTH, "profile");
    corners[2 * k + 1] = hn_number_of(context, n->first->next, HN_LENGTH, "profile");
  }
  def->profile = corners;
  def->profile_count = k;
  check_profile(b, list);
  hn_fields_close(&part);
}

static void read_mesh(build *b, const hn_node *node) {
  const hn_context *context = b->fields.context;
  hn_loader *loader = loader_of(b);
  const char *name = hn_text_of(context, node);
  double scale = hn_field_number(&b->fields, "scale");
  hn_source place = hn_node_source(node);
  if (!name) return;
  if (hn_path_is_absolute(name) && node->quoted != HN_NODE_GRANTED) {
    hn_loader_fail(loader, HN_ERROR_MODEL, &place,
                   "Write the path relative to this file, so that the model works elsewhere too.",
                   "has a mesh with the absolute path '%.200s'", name);
    return;
  }
  if (!(scale > 0)) {
    hn_loader_fail(loader, HN_ERROR_MODEL, &place, "Use 1 for a file in m, 0.001 for mm.",
                   "has a mesh with the scale %g, which is not positive", scale);
    return;
  }
  const char *path = hn_path_join(&loader->arena, hn_written_in(context, node), name);
  if (path)
    b->record->def.mesh = load_mesh(loader, path, scale, hn_placement_parity(b->frame) < 0, node);
  else
    hn_loader_take(loader, 1, 1); // reports
}

// The keys that say what it is, and how each is read.
static void read_type(build *b, const hn_node *node) {
  hn_shape_def *def = &b->record->def;
  switch (def->type) {
  case HN_SHAPE_BOX: {
    def->size = hn_field_vector(&b->fields, "box");
    double least = def->size.x < def->size.y ? def->size.x : def->size.y;
    positive(b, node, "smallest edge", least < def->size.z ? least : def->size.z);
    break;
  }
  case HN_SHAPE_SPHERE:
    def->radius = positive(b, node, "radius", hn_field_number(&b->fields, "sphere"));
    break;
  case HN_SHAPE_CYLINDER:
  case HN_SHAPE_CAPSULE: read_round(b, node, "round", "length"); break;
  case HN_SHAPE_WHEEL: read_round(b, node, "wheel", "width"); break;
  case HN_SHAPE_LINK: read_link(b, node); break;
  case HN_SHAPE_EXTRUSION: read_extrusion(b, node); break;
  case HN_SHAPE_MESH: read_mesh(b, node); break;
  case HN_SHAPE_TYPES: break;
  }
}

static int has_one_upper_side(const hn_shape_def *def) {
  return def->touch == HN_TOUCH_PLANE || def->touch == HN_TOUCH_HEIGHTS;
}

// Where and how turned, for all but links.
static void read_place(build *b, hn_vec3 center) {
  const hn_context *context = b->fields.context;
  hn_drawn_frame *place = &b->record->place;
  const hn_node *at = hn_field(&b->fields, "at");
  int is_mesh = b->record->def.type == HN_SHAPE_MESH;
  place->origin = is_mesh ? b->frame->position : center;
  if (at) place->origin = hn_point_of(context, at, b->frame);
  if (b->axis) {
    hn_vec3 axis = hn_direction_of(context, b->axis, b->frame);
    *place = hn_drawn_frame_make(context, b->axis, place->origin, axis, NULL);
    return;
  }
  const hn_node *orientation = hn_field(&b->fields, "orientation");
  hn_mat3 turn = orientation ? hn_orientation_of(context, orientation, b->frame) : mat3_identity();
  if (b->turned)
    turn = mat3_from_columns(mat3_column(turn, 0), vec3_negate(mat3_column(turn, 2)),
                             mat3_column(turn, 1));
  const double parity = hn_placement_parity(b->frame);
  const int has_upper_side = has_one_upper_side(&b->record->def);
  place->axes = mat3_from_columns(
      hn_placement_vector(b->frame, mat3_column(turn, 0)),
      vec3_scale(has_upper_side ? parity : 1, hn_placement_vector(b->frame, mat3_column(turn, 1))),
      vec3_scale(has_upper_side ? 1 : parity, hn_placement_vector(b->frame, mat3_column(turn, 2))));
}

static void read_color(build *b) {
  const hn_node *node = hn_field(&b->fields, "color");
  const char *text = node ? hn_text_of(b->fields.context, node) : NULL;
  if (!text) return;
  b->record->def.color = hn_color_of(text);
  if (b->record->def.color >= 0) return;
  const char *words[64];
  int count = 0;
  while (count < 64 && (words[count] = hn_list_colors(count))) count++;
  const char *nearest = hn_nearest_word(text, words, count);
  char hint[160] = "Write \"#rrggbb\" in quotes, or a word: red, orange, silver, ...";
  if (nearest) hn_text(hint, sizeof hint, "Did you mean '%s'?", nearest);
  hn_source place = hn_node_source(node);
  hn_loader_fail(loader_of(b), HN_ERROR_MODEL, &place, hint, "has the unknown color '%.40s'", text);
}

static void read_opacity(build *b) {
  const hn_node *node = hn_field(&b->fields, "opacity");
  if (!node || !hn_loader_ok(loader_of(b))) return;
  double opacity = hn_number_of(b->fields.context, node, HN_NUMBER, "opacity");
  hn_source place = hn_node_source(node);
  if (!(opacity >= 0 && opacity <= 1))
    hn_loader_fail(loader_of(b), HN_ERROR_MODEL, &place,
                   "Use 1 for opaque, 0.3 for mostly transparent.",
                   "has the opacity %g, which is not between 0 and 1", opacity);
  b->record->def.transparency = 1 - opacity;
}

static void read_density(build *b, hn_entry *body) {
  hn_loader *loader = loader_of(b);
  const hn_node *own = hn_field(&b->fields, "density");
  const hn_node *common = body->node ? hn_node_get(body->node, "density") : NULL;
  const hn_node *node = own ? own : common;
  if (!node || !hn_loader_ok(loader)) return;
  hn_source place = hn_node_source(node);
  double density = hn_number_of(b->fields.context, node, HN_DENSITY, "density");
  if (own && (body->owner || hn_node_get(body->node, "solid")))
    hn_loader_fail(loader, HN_ERROR_MODEL, &place, "Delete it.",
                   "has a shape with a density, which %s",
                   body->owner ? "has no effect on ground" : "is already given by its solid");
  else if (!(density > 0) && !(own && density >= 0))
    hn_loader_fail(loader, HN_ERROR_MODEL, &place, "Give a number greater than zero.",
                   "has the density %g kg/m^3, which is not positive", density);
  b->record->density = density;
}

// Shapes whose collision geometry differs from the drawn one.
static int find_touch(build *b, const hn_node **node, hn_touch_kind *touch) {
  static const struct {
    const char *key;
    hn_touch_kind touch;
    hn_shape_type drawn;
  } kinds[] = {{"plane", HN_TOUCH_PLANE, HN_SHAPE_BOX},
               {"curve", HN_TOUCH_CURVE, HN_SHAPE_EXTRUSION},
               {"heights", HN_TOUCH_HEIGHTS, HN_SHAPE_MESH},
               {"ellipsoid", HN_TOUCH_ELLIPSOID, HN_SHAPE_MESH}};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
    if ((*node = hn_field(&b->fields, kinds[k].key))) {
      *touch = kinds[k].touch;
      return (int)kinds[k].drawn;
    }
  return HN_SHAPE_TYPES;
}

static void read_contact(build *b) {
  hn_shape_record *record = b->record;
  const hn_node *group = hn_field(&b->fields, "group");
  record->touches =
      hn_field_given(&b->fields, "contact") ? hn_field_boolean(&b->fields, "contact") : -1;
  if (group) record->group = hn_text_of(b->fields.context, group);
}

static int find_type(build *b, const hn_node **node) {
  for (int k = 0; k < HN_SHAPE_TYPES; k++)
    if ((*node = hn_field(&b->fields, hn_shape_type_name((hn_shape_type)k)))) return k;
  hn_source place = hn_node_source(b->fields.map);
  hn_loader_fail(
      loader_of(b), HN_ERROR_MODEL, &place,
      "Give one of box, cylinder, capsule, sphere, ellipsoid, link, wheel, extrusion, mesh, plane, "
      "curve, heights.",
      "has a shape without a kind");
  return HN_SHAPE_TYPES;
}

static void read_shape(hn_entry *body, const hn_node *node, const hn_body_record *record,
                       hn_shape_record *shape) {
  build b = {.frame = &record->frame, .record = shape};
  if (!hn_fields_open(&body->context, node, hn_section_find("shape", NULL), &b.fields)) return;
  const hn_node *what = NULL;
  hn_touch_kind touch = HN_TOUCH_SOLID;
  int type = find_touch(&b, &what, &touch);
  if (!what) type = find_type(&b, &what);
  if (!what) return;
  shape->node = node;
  shape->def = hn_default_shape((hn_shape_type)type);
  shape->def.source = hn_node_source(node);
  shape->def.touch = touch;
  if (touch == HN_TOUCH_SOLID)
    read_type(&b, what);
  else if (touch == HN_TOUCH_ELLIPSOID)
    hn_ellipsoid_read(&b.fields, &shape->def);
  else
    hn_touch_read(&b.fields, what, hn_placement_parity(b.frame) < 0, &shape->def);
  read_contact(&b);
  hn_vec3 center = body->owner ? record->frame.position : record->center;
  if (type != HN_SHAPE_LINK && hn_loader_ok(loader_of(&b))) read_place(&b, center);
  read_color(&b);
  read_opacity(&b);
  read_density(&b, body);
  if (touch == HN_TOUCH_PLANE) // the plate lies below z = 0
    shape->place.origin = vec3_add_scaled(shape->place.origin, -0.5 * shape->def.size.z,
                                          mat3_column(shape->place.axes, 2));
  hn_fields_close(&b.fields);
}

// ---- all of a body ------------------------------------------------------------------------------

int hn_shapes_read(hn_entry *body, hn_body_record *record) {
  hn_loader *loader = body->context.loader;
  const hn_node *single = body->node ? hn_node_get(body->node, "shape") : NULL;
  const hn_node *list = list_of(body);
  if (!hn_loader_ok(loader) || (!single && !list)) return hn_loader_ok(loader);
  hn_source place = hn_node_source(list ? list : single);
  if (list && (list->kind != HN_NODE_LIST || list->count > MOST_SHAPES))
    hn_loader_fail(loader, HN_ERROR_MODEL, &place, "Write a list of maps: [{box: ...}, ...].",
                   "expects a list of at most %d shapes in 'shapes', got %s with %d", MOST_SHAPES,
                   hn_node_kind_name(list), list->count);
  if (single && list)
    hn_loader_fail(loader, HN_ERROR_MODEL, &place, "Move all of them to `shapes:`.",
                   "has both 'shape' and 'shapes'");
  if (!hn_loader_ok(loader)) return 0;
  int count = list ? list->count : 1, k = 0;
  record->shapes = hn_loader_take(loader, (size_t)count, sizeof *record->shapes);
  const hn_node *n = list ? list->first : single;
  for (; n && k < count && hn_loader_ok(loader); n = n->next, k++)
    read_shape(body, n, record, &record->shapes[k]);
  record->shape_count = k;
  return hn_loader_ok(loader);
}

// Against the origin of the body frame, in body axes.
static hn_frame_on_body in_body_axes(const hn_body_record *record, const hn_drawn_frame *place) {
  hn_mat3 axes = record->frame.rotation;
  hn_vec3 arm = vec3_sub(place->origin, record->frame.position);
  return (hn_frame_on_body){0, mat3_apply_transposed(axes, arm),
                            quat_from_matrix(mat3_multiply(mat3_transpose(axes), place->axes))};
}

void hn_shapes_weigh(hn_entry *body, hn_body_record *record) {
  hn_loader *loader = body->context.loader;
  hn_mass_properties *parts = hn_loader_take(loader, (size_t)record->shape_count, sizeof *parts);
  for (int k = 0; parts && k < record->shape_count && hn_loader_ok(loader); k++) {
    hn_shape_record *shape = &record->shapes[k];
    if (!(shape->density > 0)) continue; // only drawn
    hn_error error = {0};
    shape->def.frame = in_body_axes(record, &shape->place);
    if (hn_shape_mass(&shape->def, shape->density, &parts[k], &error) == HN_OK) continue;
    hn_source place = hn_node_source(shape->node);
    hn_loader_fail(loader, error.status, &place, error.hint,
                   "has a shape whose mass cannot be computed: %s %s", error.element,
                   error.message);
  }
  if (!hn_loader_ok(loader)) return;
  hn_mass_properties sum = hn_mass_sum(parts, record->shape_count);
  if (!(sum.mass > 0)) {
    hn_source place = hn_node_key_source(body->node);
    hn_loader_fail(loader, HN_ERROR_MODEL, &place, "Give one of its shapes a density above zero.",
                   "has shapes whose total mass is zero");
  }
  record->has_mass = 1;
  record->mass = sum.mass;
  memcpy(record->inertia, sum.inertia, sizeof record->inertia);
  record->center = vec3_add(record->frame.position, mat3_apply(record->frame.rotation, sum.center));
}

void hn_shapes_add(hn_entry *body, const hn_body_record *record) {
  hn_loader *loader = body->context.loader;
  for (int k = 0; k < record->shape_count && hn_loader_ok(loader); k++) {
    hn_shape_def *def = &record->shapes[k].def;
    def->frame = hn_frame_on(body, &record->shapes[k].place);
    int id = 0;
    if (hn_loader_ok(loader)) hn_loader_added(loader, hn_model_add_shape(loader->model, def, &id));
    if (hn_loader_ok(loader))
      hn_touching_add(loader, id, def->frame.body, record->shapes[k].touches,
                      record->shapes[k].group);
  }
}
