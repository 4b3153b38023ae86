// A scene back from its files. They may come from another version or be cut off: everything is
// checked, and the message says what is wrong with them.
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "math/euler.h"
#include "math/json.h"
#include "output/scene.h"

#define MOST_STRIDE 10000000

typedef struct reader {
  hn_scene *scene;
  hn_arena *arena;
  const hn_json *root;
  const char *name;
  hn_error *error;
  hn_status status;
} reader;

static void refuse(reader *r, const hn_json *at, const char *what) {
  if (r->status) return;
  hn_source place = {r->name, at ? at->line : 0, at ? at->column : 0};
  r->status = hn_fail(r->error, HN_ERROR_SYNTAX, &place, "the scene",
                      "Run the model again to rewrite it.", "%s", what);
}

static const hn_json *need_array(reader *r, const hn_json *object, const char *key) {
  const hn_json *array = hn_json_get(object, key);
  if (array && array->kind == HN_JSON_ARRAY) return array;
  char what[80];
  refuse(r, object, hn_text(what, sizeof what, "has no list '%s'", key));
  return NULL;
}

static double need_number(reader *r, const hn_json *object, const char *key) {
  const hn_json *node = hn_json_get(object, key);
  if (node && node->kind == HN_JSON_NUMBER) return node->number;
  char what[80];
  refuse(r, object, hn_text(what, sizeof what, "has no number '%s'", key));
  return 1;
}

static hn_vec3 need_vector(reader *r, const hn_json *object, const char *key) {
  double x[3] = {0, 0, 0};
  char what[80];
  if (!hn_json_numbers_of(hn_json_get(object, key), x, 3))
    refuse(r, object, hn_text(what, sizeof what, "has no three numbers '%s'", key));
  return vec3_load(x);
}

// Pairs of numbers; the count is returned.
static int read_pairs(reader *r, const hn_json *object, const char *key, const double **pairs) {
  const hn_json *list = need_array(r, object, key);
  double *x = list ? HN_TAKE(r->arena, double, 2 * (size_t)list->count) : NULL;
  if (!x) return 0;
  int k = 0;
  for (const hn_json *n = list->first; n && !r->status; n = n->next, k++)
    if (!hn_json_numbers_of(n, x + 2 * k, 2))
      refuse(r, n, "has a point that is not a pair of numbers");
  *pairs = x;
  return k;
}

// ---- meshes and shapes --------------------------------------------------------------------------

static void read_mesh(reader *r, const hn_json *node, hn_mesh *mesh) {
  const hn_json *vertices = need_array(r, node, "vertices"), *triangles;
  triangles = need_array(r, node, "triangles");
  if (!vertices || !triangles) return;
  if (vertices->count % 3 || triangles->count % 3 || vertices->count < 3) {
    refuse(r, node, "has a mesh whose coordinates are not in groups of three");
    return;
  }
  double *x = HN_TAKE(r->arena, double, vertices->count);
  int *t = HN_TAKE(r->arena, int, triangles->count);
  if (!x || !t) return;
  mesh->name = hn_json_text_at(node, "name", "");
  mesh->vertex_count = vertices->count / 3;
  mesh->triangle_count = triangles->count / 3;
  mesh->vertices = x;
  mesh->triangles = t;
  if (!hn_json_numbers_of(vertices, x, vertices->count))
    refuse(r, node, "has a vertex without coordinates");
  for (const hn_json *n = triangles->first; n && !r->status; n = n->next)
    if ((*t++ = hn_json_index(n, 0, mesh->vertex_count - 1)) < 0)
      refuse(r, n, "has a triangle with a vertex that does not exist");
}

static void read_meshes(reader *r) {
  const hn_json *list = need_array(r, r->root, "meshes");
  if (!list) return;
  const hn_mesh **meshes = HN_TAKE(r->arena, const hn_mesh *, list->count);
  hn_mesh *own = HN_TAKE(r->arena, hn_mesh, list->count);
  int k = 0;
  for (const hn_json *n = list->first; n && own && meshes && !r->status; n = n->next, k++) {
    read_mesh(r, n, &own[k]);
    meshes[k] = &own[k];
  }
  r->scene->meshes = meshes;
  r->scene->mesh_count = k;
}

static int type_of(const char *name) {
  int k = 0;
  while (k < HN_SHAPE_TYPES && strcmp(hn_shape_type_name((hn_shape_type)k), name) != 0) k++;
  return k;
}

static void read_measures(reader *r, const hn_json *node, hn_shape_def *shape) {
  switch (shape->type) {
  case HN_SHAPE_BOX: shape->size = need_vector(r, node, "size"); break;
  case HN_SHAPE_WHEEL:
    shape->radius = need_number(r, node, "radius");
    shape->length = need_number(r, node, "width");
    break;
  case HN_SHAPE_CYLINDER:
  case HN_SHAPE_CAPSULE:
  case HN_SHAPE_LINK: shape->length = need_number(r, node, "length"); // fall through
  case HN_SHAPE_SPHERE: shape->radius = need_number(r, node, "radius"); break;
  case HN_SHAPE_EXTRUSION:
    shape->profile_count = read_pairs(r, node, "profile", &shape->profile);
    shape->length = need_number(r, node, "length");
    if (shape->profile_count < 3) refuse(r, node, "has an extrusion with fewer than three corners");
    break;
  case HN_SHAPE_MESH: {
    int mesh = hn_json_index(hn_json_get(node, "mesh"), 0, r->scene->mesh_count - 1);
    if (mesh < 0)
      refuse(r, node, "has a shape with a mesh that does not exist");
    else
      shape->mesh = r->scene->meshes[mesh];
    break;
  }
  case HN_SHAPE_TYPES: refuse(r, node, "has a shape of unknown type"); break;
  }
}

static void read_shape(reader *r, const hn_json *node, int body, hn_shape_def *shape) {
  double p[4] = {1, 0, 0, 0};
  *shape = hn_default_shape((hn_shape_type)type_of(hn_json_text_at(node, "type", "")));
  shape->frame.body = body;
  shape->frame.position = need_vector(r, node, "at");
  if (!hn_json_numbers_of(hn_json_get(node, "rotation"), p, 4))
    refuse(r, node, "has a shape without a rotation");
  shape->frame.orientation = quat_unit(quat_load(p));
  shape->color = hn_color_of(hn_json_text_at(node, "color", "#808080"));
  if (shape->color < 0) shape->color = 0x808080;
  shape->transparency = fmin(1, fmax(0, 1 - hn_json_number_at(node, "opacity", 1)));
  read_measures(r, node, shape);
}

static void read_body(reader *r, const hn_json *node, int index, hn_scene_body *body) {
  const hn_json *list = need_array(r, node, "shapes"), *drawn = hn_json_get(node, "drawn");
  body->name = hn_json_text_at(node, "name", "");
  body->mass = hn_json_number_at(node, "mass", 0);
  body->drawn = drawn && drawn->kind == HN_JSON_TRUE;
  hn_shape_def *shapes = list ? HN_TAKE(r->arena, hn_shape_def, list->count) : NULL;
  if (!shapes) return;
  int k = 0;
  for (const hn_json *n = list->first; n && !r->status; n = n->next, k++)
    read_shape(r, n, index, &shapes[k]);
  body->shapes = shapes;
  body->shape_count = k;
}

static void read_bodies(reader *r) {
  const hn_json *list = need_array(r, r->root, "bodies");
  hn_scene_body *bodies = list ? HN_TAKE(r->arena, hn_scene_body, list->count) : NULL;
  if (!bodies) return;
  if (list->count < 1) refuse(r, list, "has no bodies, not even ground");
  int k = 0;
  for (const hn_json *n = list->first; n && !r->status; n = n->next, k++)
    read_body(r, n, k, &bodies[k]);
  r->scene->bodies = bodies;
  r->scene->body_count = k;
}

// ---- joints, forces, roads ----------------------------------------------------------------------

static int read_links(reader *r, const char *key, const hn_scene_link **result) {
  const hn_json *list = need_array(r, r->root, key);
  hn_scene_link *links = list ? HN_TAKE(r->arena, hn_scene_link, list->count) : NULL;
  if (!links) return 0;
  int k = 0, last = r->scene->body_count - 1;
  for (const hn_json *n = list->first; n && !r->status; n = n->next, k++) {
    hn_scene_link *link = &links[k];
    link->name = hn_json_text_at(n, "name", "");
    link->type = hn_json_text_at(n, "type", "");
    link->look = hn_json_text_at(n, "look", "");
    link->body[0] = hn_json_index(hn_json_get(n, "body1"), 0, last);
    link->body[1] = hn_json_index(hn_json_get(n, "body2"), 0, last);
    if (link->body[0] < 0 || link->body[1] < 0)
      refuse(r, n, "refers to a body that does not exist");
    link->at[0] = need_vector(r, n, "at1");
    link->at[1] = need_vector(r, n, "at2");
    for (int side = 0; side < 2; side++) {
      const hn_json *axis = hn_json_get(n, side ? "axis2" : "axis1");
      double x[3];
      if (hn_json_numbers_of(axis, x, 3)) link->axis[side] = vec3_load(x);
    }
  }
  *result = links;
  return k;
}

// Scenes of earlier versions have none.
static void read_loads(reader *r) {
  const hn_json *list = hn_json_get(r->root, "loads");
  if (!list || list->kind != HN_JSON_ARRAY) return;
  hn_scene_load *loads = HN_TAKE(r->arena, hn_scene_load, list->count);
  int k = 0;
  for (const hn_json *n = list->first; n && loads && !r->status; n = n->next, k++) {
    const int body = hn_json_index(hn_json_get(n, "body"), 0, r->scene->body_count - 1);
    if (body < 0) refuse(r, n, "refers to a body that does not exist");
    loads[k] =
        (hn_scene_load){hn_json_text_at(n, "name", ""), hn_json_text_at(n, "type", ""), body};
  }
  r->scene->loads = loads;
  r->scene->load_count = k;
}

static void read_roads(reader *r) {
  const hn_json *list = need_array(r, r->root, "roads");
  hn_scene_road *roads = list ? HN_TAKE(r->arena, hn_scene_road, list->count) : NULL;
  if (!roads) return;
  int k = 0;
  for (const hn_json *n = list->first; n && !r->status; n = n->next, k++) {
    roads[k].name = hn_json_text_at(n, "name", "");
    roads[k].count = read_pairs(r, n, "profile", &roads[k].profile);
    roads[k].y = hn_json_number_at(n, "y", 0);
    roads[k].width = hn_json_number_at(n, "width", 3);
    roads[k].speed = hn_json_number_at(n, "speed", 0);
  }
  r->scene->roads = roads;
  r->scene->road_count = k;
}

// ---- motion -------------------------------------------------------------------------------------

static float read_float(const unsigned char *b) {
  uint32_t bits =
      (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static void read_motion(reader *r, const unsigned char *bytes, size_t size) {
  hn_scene *scene = r->scene;
  const hn_json *motion = hn_json_get(r->root, "motion");
  int promised = hn_json_index(hn_json_get(motion, "frames"), 0, 1 << 28);
  scene->stride = hn_json_index(hn_json_get(motion, "stride"), 1, MOST_STRIDE);
  scene->rate = need_number(r, motion, "rate");
  scene->first = need_number(r, motion, "first");
  scene->last = need_number(r, motion, "last");
  long expected = 1 + 7L * (scene->body_count - 1) + 3L * scene->joint_count + scene->force_count +
                  6L * scene->load_count;
  if (promised < 0 || scene->stride != expected || !(scene->rate > 0))
    refuse(r, motion, "has a motion that does not fit its bodies, joints and forces");
  if (r->status) return;
  size_t frame = 4 * (size_t)scene->stride, there = size / frame;
  scene->frames = there < (size_t)promised ? (int)there : promised;
  scene->storage->due = promised;
  size_t count = (size_t)scene->frames * (size_t)scene->stride;
  float *numbers = hn_allocate(NULL, (count + 1) * sizeof *numbers);
  scene->motion = scene->storage->motion = numbers;
  for (size_t k = 0; numbers && k < count; k++) numbers[k] = read_float(bytes + 4 * k);
  if (!numbers) r->arena->failed = 1;
}

// ---- all ----------------------------------------------------------------------------------------

static void read_head(reader *r) {
  hn_scene *scene = r->scene;
  double format = hn_json_number_at(r->root, "format", 0);
  scene->version = hn_json_text_at(r->root, "holon", "");
  if (!(format >= 1)) refuse(r, r->root, "is not a scene of Holon: it has no 'format'");
  if (!r->status && format > HN_SCENE_FORMAT) {
    hn_source place = {r->name, 0, 0};
    r->status = hn_fail(r->error, HN_ERROR_UNSUPPORTED, &place, "the scene",
                        "Use that version, or run the model again with this one.",
                        "has format %g, written by Holon %s; this is Holon %s, which knows formats "
                        "up to %d",
                        format, scene->version, hn_version(), HN_SCENE_FORMAT);
  }
  scene->model = hn_json_text_at(r->root, "model", "");
  scene->title = hn_json_text_at(r->root, "title", "");
  scene->status = hn_json_text_at(r->root, "status", "");
  scene->message = hn_json_text_at(r->root, "message", "");
  double g[3];
  if (hn_json_numbers_of(hn_json_get(r->root, "gravity"), g, 3)) scene->gravity = vec3_load(g);
}

hn_status hn_scene_read(const char *text, size_t size, const unsigned char *motion,
                        size_t motion_size, const char *name, hn_scene **result, hn_error *error) {
  *result = NULL;
  hn_scene *scene = hn_scene_new();
  hn_source place = {name, 0, 0};
  if (!scene)
    return hn_fail(error, HN_ERROR_MEMORY, &place, "the scene", "Free memory and try again.",
                   "does not fit in memory");
  reader r = {.scene = scene, .arena = &scene->storage->arena, .name = name, .error = error};
  hn_json *root = NULL;
  r.status = hn_json_parse(r.arena, text, size, name, &root, error);
  r.root = root;
  if (!r.status) read_head(&r);
  if (!r.status) read_meshes(&r);
  if (!r.status) read_bodies(&r);
  if (!r.status) scene->joint_count = read_links(&r, "joints", &scene->joints);
  if (!r.status) scene->force_count = read_links(&r, "forces", &scene->forces);
  if (!r.status) read_loads(&r);
  if (!r.status) read_roads(&r);
  if (!r.status) read_motion(&r, motion, motion_size);
  if (!r.status && r.arena->failed)
    r.status = hn_fail(error, HN_ERROR_MEMORY, &place, "the scene", "Free memory and try again.",
                       "does not fit in memory");
  if (r.status) {
    hn_scene_free(scene);
    return r.status;
  }
  *result = scene;
  return HN_OK;
}
