// Shapes of bodies: added, checked when the model is finished, asked for; and colors.
//
// Shapes are copied with their profiles; a mesh is copied once, however many shapes show it. They
// do not enter hn_model_hash: a repainted model is the same model. Mass: shape_mass.c.
#include <math.h>
#include <string.h>

#include "math/euler.h"
#include "model/storage.h"

const char *hn_shape_type_name(hn_shape_type type) {
  static const char *const names[HN_SHAPE_TYPES] = {
#define HN_SHAPE_NAME(code, name) name,
      HN_SHAPE_LIST(HN_SHAPE_NAME)
#undef HN_SHAPE_NAME
  };
  return (unsigned)type < HN_SHAPE_TYPES ? names[type] : "unknown";
}

hn_shape_def hn_default_shape(hn_shape_type type) {
  return (hn_shape_def){.type = type,
                        .frame = {HN_GROUND, {0, 0, 0}, {1, 0, 0, 0}},
                        .color = HN_COLOR_CHOSEN,
                        .size = {0.1, 0.1, 0.1},
                        .radius = 0.05,
                        .length = 0.1};
}

// ---- colors ------------------------------------------------------------------------------------

static const struct {
  const char *name;
  int color;
} colors[] = {
    {"black", 0x000000},   {"silver", 0xc0c0c0}, {"gray", 0x808080},  {"grey", 0x808080},
    {"white", 0xffffff},   {"maroon", 0x800000}, {"red", 0xff0000},   {"purple", 0x800080},
    {"fuchsia", 0xff00ff}, {"green", 0x008000},  {"lime", 0x00ff00},  {"olive", 0x808000},
    {"yellow", 0xffff00},  {"navy", 0x000080},   {"blue", 0x0000ff},  {"teal", 0x008080},
    {"aqua", 0x00ffff},    {"orange", 0xffa500}, {"brown", 0xa52a2a}, {"pink", 0xffc0cb},
};
#define COLORS ((int)(sizeof colors / sizeof *colors))

const char *hn_list_colors(int index) {
  return index >= 0 && index < COLORS ? colors[index].name : NULL;
}

static int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

int hn_color_of(const char *text) {
  if (!text) return -1;
  for (int k = 0; k < COLORS; k++)
    if (strcmp(colors[k].name, text) == 0) return colors[k].color;
  size_t length = strlen(text);
  if (text[0] != '#' || (length != 4 && length != 7)) return -1;
  int color = 0;
  for (const char *c = text + 1; *c; c++) {
    int digit = hex_digit(*c);
    if (digit < 0) return -1;
    color = length == 4 ? color * 256 + digit * 17 : color * 16 + digit;
  }
  return color;
}

// ---- adding -------------------------------------------------------------------------------------

static hn_status out_of_memory(hn_model *model) {
  return hn_fail(&model->error, HN_ERROR_MEMORY, NULL, "a shape", "Free memory.",
                 "is out of memory");
}

static int same_mesh(const hn_mesh *a, const hn_mesh *b) {
  return a->vertex_count == b->vertex_count && a->triangle_count == b->triangle_count &&
         memcmp(a->vertices, b->vertices, 3 * (size_t)a->vertex_count * sizeof(double)) == 0 &&
         memcmp(a->triangles, b->triangles, 3 * (size_t)a->triangle_count * sizeof(int)) == 0;
}

// The model's own copy of a mesh, or null.
static const hn_mesh *own_mesh(hn_model *model, const hn_mesh *mesh) {
  for (int k = 0; k < model->touching.mesh_count; k++)
    if (same_mesh(model->touching.meshes[k], mesh)) return model->touching.meshes[k];
  hn_mesh *own = HN_TAKE(&model->arena, hn_mesh, 1);
  const hn_mesh **meshes =
      hn_model_grow(model, (void *)model->touching.meshes, &model->storage->mesh_room,
                    model->touching.mesh_count, sizeof *meshes);
  if (meshes) model->touching.meshes = meshes;
  if (!own || !meshes) return NULL;
  *own = *mesh;
  own->name = hn_arena_copy_string(&model->arena, mesh->name);
  own->vertices =
      hn_arena_copy(&model->arena, mesh->vertices, 3 * (size_t)mesh->vertex_count, sizeof(double));
  own->triangles =
      hn_arena_copy(&model->arena, mesh->triangles, 3 * (size_t)mesh->triangle_count, sizeof(int));
  if (model->arena.failed) return NULL;
  meshes[model->touching.mesh_count++] = own;
  return own;
}

static hn_status refuse(hn_model *model, const hn_shape_def *def, const char *hint,
                        const char *what) {
  char element[64];
  hn_text(element, sizeof element, "a shape (%s)", hn_shape_type_name(def->type));
  return hn_fail(&model->error, HN_ERROR_MODEL, &def->source, element, hint, "%s", what);
}

// Checks before anything is copied.
static hn_status check_arrays(hn_model *model, const hn_shape_def *def) {
  if ((unsigned)def->type >= HN_SHAPE_TYPES)
    return refuse(model, def, "Use one of hn_shape_type.", "has an unknown type");
  if (def->type == HN_SHAPE_EXTRUSION && (!def->profile || def->profile_count < 3))
    return refuse(model, def, "Give at least three corners.", "has no profile");
  if (def->curve_count < 0 ||
      (def->touch == HN_TOUCH_CURVE && (!def->curve || def->curve_count < 2)))
    return refuse(model, def, "Give at least two points.", "has no curve");
  if (def->grid[0] < 0 || def->grid[1] < 0 || def->grid[0] > 10000 || def->grid[1] > 10000 ||
      (def->touch == HN_TOUCH_HEIGHTS && (!def->heights || def->grid[0] < 2 || def->grid[1] < 2)))
    return refuse(model, def, "Give at least two heights each way.", "has no heights");
  if (def->touch == HN_TOUCH_ELLIPSOID && !(def->size.x > 0 && def->size.y > 0 && def->size.z > 0))
    return refuse(model, def, "Give three lengths greater than zero.", "has no half axes");
  if (def->type != HN_SHAPE_MESH) return HN_OK;
  const hn_mesh *mesh = def->mesh;
  if (!mesh || !mesh->vertices || !mesh->triangles || mesh->vertex_count < 3 ||
      mesh->triangle_count < 1)
    return refuse(model, def, "Give vertices and triangles.", "has no triangles");
  for (int k = 0; k < 3 * mesh->triangle_count; k++)
    if (mesh->triangles[k] < 0 || mesh->triangles[k] >= mesh->vertex_count)
      return refuse(model, def, "Use vertex numbers from 0 to the number of vertices - 1.",
                    "has a triangle with an unknown vertex");
  return HN_OK;
}

hn_status hn_model_add_shape(hn_model *model, const hn_shape_def *def, int *id) {
  if (!model) return HN_ERROR_ARGUMENT;
  if (!def)
    return hn_fail(&model->error, HN_ERROR_ARGUMENT, NULL, NULL, "Give a definition.",
                   "the definition of a shape is a null pointer");
  if (model->finished)
    return hn_fail(&model->error, HN_ERROR_ARGUMENT, NULL, NULL,
                   "Add everything before hn_model_finish.", "the model is finished and fixed");
  hn_status status = check_arrays(model, def);
  if (status) return status;
  hn_shape_def own = *def;
  double n = sqrt(quat_dot(own.frame.orientation, own.frame.orientation));
  if (n > 0 && isfinite(n)) own.frame.orientation = quat_scale(1 / n, own.frame.orientation);
  own.source.file = hn_arena_copy_string(&model->arena, def->source.file);
  if (own.type == HN_SHAPE_EXTRUSION)
    own.profile = hn_arena_copy(&model->arena, def->profile, 2 * (size_t)def->profile_count,
                                sizeof *def->profile);
  if (own.type == HN_SHAPE_MESH) own.mesh = own_mesh(model, def->mesh);
  own.curve =
      hn_arena_copy(&model->arena, def->curve, 3 * (size_t)def->curve_count, sizeof *def->curve);
  own.heights = hn_arena_copy(&model->arena, def->heights,
                              (size_t)def->grid[0] * (size_t)def->grid[1], sizeof *def->heights);
  hn_shape_def *shapes = hn_model_grow(model, model->shapes, &model->storage->shape_room,
                                       model->shape_count, sizeof *shapes);
  if (shapes) model->shapes = shapes;
  if (!shapes || model->arena.failed || (own.type == HN_SHAPE_MESH && !own.mesh))
    return out_of_memory(model);
  shapes[model->shape_count] = own;
  if (id) *id = model->shape_count;
  model->shape_count++;
  return HN_OK;
}

int hn_model_shape_count(const hn_model *model) { return model->shape_count; }
const hn_shape_def *hn_model_shape(const hn_model *model, int id) {
  return id >= 0 && id < model->shape_count ? &model->shapes[id] : NULL;
}

// ---- checking -----------------------------------------------------------------------------------

// The smallest length that matters for the type; *what names it.
static double smallest_length(const hn_shape_def *def, const char **what) {
  *what = "radius";
  switch (def->type) {
  case HN_SHAPE_BOX:
    *what = "smallest edge";
    return fmin(def->size.x, fmin(def->size.y, def->size.z));
  case HN_SHAPE_CYLINDER:
    if (def->length == 0) return def->radius; // a disk
    if (def->length < def->radius) *what = "length";
    return fmin(def->radius, def->length);
  case HN_SHAPE_CAPSULE:
  case HN_SHAPE_LINK:
  case HN_SHAPE_WHEEL:
    if (def->length < def->radius) *what = "length";
    return fmin(def->radius, def->length);
  case HN_SHAPE_SPHERE: return def->radius;
  case HN_SHAPE_EXTRUSION: *what = "length"; return def->length;
  case HN_SHAPE_MESH:
  case HN_SHAPE_TYPES: break;
  }
  return 1;
}

static hn_status check_shape(hn_model *model, const hn_shape_def *def) {
  int body = def->frame.body;
  if (body < 0 || body >= model->body_count)
    return refuse(model, def, "Add the body first.", "is on an unknown body");
  hn_subject subject = {model, HN_NAME_BODY, model->bodies[body].name, &def->source};
  hn_status status = hn_subject_check_frame(&subject, "shape", &def->frame);
  if (status) return status;
  const char *what;
  double length = smallest_length(def, &what);
  if (!(length > 0) || !isfinite(length) || def->radius > 1e9 || def->length > 1e9)
    return hn_subject_fail(&subject, "Give lengths in m, greater than zero.",
                           "has a %s with the %s %g m", hn_shape_type_name(def->type), what,
                           length);
  if (def->type == HN_SHAPE_EXTRUSION)
    return hn_subject_check_finite(&subject, "profile of its shape", def->profile,
                                   2 * def->profile_count);
  if (def->type == HN_SHAPE_MESH)
    return hn_subject_check_finite(&subject, "mesh", def->mesh->vertices,
                                   3 * def->mesh->vertex_count);
  return HN_OK;
}

hn_status hn_model_check_shapes(hn_model *model) {
  for (int k = 0; k < model->shape_count; k++) {
    hn_status status = check_shape(model, &model->shapes[k]);
    if (status) return status;
  }
  return HN_OK;
}
