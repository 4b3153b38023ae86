// A scene as JSON: everything but the motion, which is a file of numbers of its own.
//
// Lengths have nine digits, one more than the 32-bit numbers of the motion. What is not a finite
// number becomes null.
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/file.h"
#include "output/scene.h"

static void put_number(hn_string *w, double x) {
  hn_string_add(w, isfinite(x) ? "%.9g" : "null", x);
}

static void put_integer(hn_string *w, int k) { hn_string_add(w, "%d", k); }

static void put_key(hn_string *w, const char *key) { hn_string_add(w, "\"%s\": ", key); }

static void put_numbers(hn_string *w, const double *x, int count) {
  hn_string_text(w, "[");
  for (int k = 0; k < count; k++) {
    if (k) hn_string_text(w, ",");
    put_number(w, x[k]);
  }
  hn_string_text(w, "]");
}

static void put_vector(hn_string *w, hn_vec3 v) {
  const double x[3] = {v.x, v.y, v.z};
  put_numbers(w, x, 3);
}

static void put_pairs(hn_string *w, const double *x, int count) {
  hn_string_text(w, "[");
  for (int k = 0; k < count; k++) {
    if (k) hn_string_text(w, ",");
    put_numbers(w, x + 2 * k, 2);
  }
  hn_string_text(w, "]");
}

// ---- shapes -------------------------------------------------------------------------------------

static void put_length(hn_string *w, const char *key, double length) {
  hn_string_text(w, ", ");
  put_key(w, key);
  put_number(w, length);
}

static int mesh_index(const hn_scene *scene, const hn_mesh *mesh) {
  int k = 0;
  while (k < scene->mesh_count && scene->meshes[k] != mesh) k++;
  return k;
}

static void put_measures(hn_string *w, const hn_scene *scene, const hn_shape_def *shape) {
  switch (shape->type) {
  case HN_SHAPE_BOX:
    hn_string_text(w, ", \"size\": ");
    put_vector(w, shape->size);
    break;
  case HN_SHAPE_CYLINDER:
  case HN_SHAPE_CAPSULE:
  case HN_SHAPE_LINK:
    put_length(w, "radius", shape->radius);
    put_length(w, "length", shape->length);
    break;
  case HN_SHAPE_WHEEL:
    put_length(w, "radius", shape->radius);
    put_length(w, "width", shape->length);
    break;
  case HN_SHAPE_SPHERE: put_length(w, "radius", shape->radius); break;
  case HN_SHAPE_EXTRUSION:
    hn_string_text(w, ", \"profile\": ");
    put_pairs(w, shape->profile, shape->profile_count);
    put_length(w, "length", shape->length);
    break;
  case HN_SHAPE_MESH:
    hn_string_text(w, ", \"mesh\": ");
    put_integer(w, mesh_index(scene, shape->mesh));
    break;
  case HN_SHAPE_TYPES: break;
  }
}

static void put_shape(hn_string *w, const hn_scene *scene, const hn_shape_def *shape) {
  hn_quat p = shape->frame.orientation;
  const double turn[4] = {p.w, p.x, p.y, p.z};
  char color[16];
  snprintf(color, sizeof color, "#%06x", (unsigned)shape->color & 0xffffffu);
  hn_string_text(w, "{\"type\": ");
  hn_string_json(w, hn_shape_type_name(shape->type));
  hn_string_text(w, ", \"at\": ");
  put_vector(w, shape->frame.position);
  hn_string_text(w, ", \"rotation\": ");
  put_numbers(w, turn, 4);
  hn_string_text(w, ", \"color\": ");
  hn_string_json(w, color);
  if (shape->transparency > 0) put_length(w, "opacity", 1 - shape->transparency);
  put_measures(w, scene, shape);
  hn_string_text(w, "}");
}

static void put_body(hn_string *w, const hn_scene *scene, const hn_scene_body *body) {
  hn_string_text(w, "{\"name\": ");
  hn_string_json(w, body->name);
  hn_string_text(w, ", \"mass\": ");
  put_number(w, body->mass);
  hn_string_text(w, ", \"shapes\": [");
  for (int k = 0; k < body->shape_count; k++) {
    if (k) hn_string_text(w, ", ");
    put_shape(w, scene, &body->shapes[k]);
  }
  hn_string_text(w, body->drawn ? "], \"drawn\": true}" : "], \"drawn\": false}");
}

static void put_mesh(hn_string *w, const hn_mesh *mesh) {
  hn_string_text(w, "{\"name\": ");
  hn_string_json(w, mesh->name);
  hn_string_text(w, ", \"vertices\": ");
  put_numbers(w, mesh->vertices, 3 * mesh->vertex_count);
  hn_string_text(w, ", \"triangles\": [");
  for (int k = 0; k < 3 * mesh->triangle_count; k++) {
    if (k) hn_string_text(w, ",");
    put_integer(w, mesh->triangles[k]);
  }
  hn_string_text(w, "]}");
}

// ---- joints, forces, roads ----------------------------------------------------------------------

static void put_axis(hn_string *w, const char *key, hn_vec3 axis) {
  hn_string_text(w, ", ");
  put_key(w, key);
  if (axis.x == 0 && axis.y == 0 && axis.z == 0)
    hn_string_text(w, "null");
  else
    put_vector(w, axis);
}

static void put_link(hn_string *w, const hn_scene_link *link) {
  hn_string_text(w, "{\"name\": ");
  hn_string_json(w, link->name);
  hn_string_text(w, ", \"type\": ");
  hn_string_json(w, link->type);
  hn_string_text(w, ", \"body1\": ");
  put_integer(w, link->body[0]);
  hn_string_text(w, ", \"body2\": ");
  put_integer(w, link->body[1]);
  hn_string_text(w, ", \"at1\": ");
  put_vector(w, link->at[0]);
  hn_string_text(w, ", \"at2\": ");
  put_vector(w, link->at[1]);
  put_axis(w, "axis1", link->axis[0]);
  put_axis(w, "axis2", link->axis[1]);
  if (link->look[0] != '\0') {
    hn_string_text(w, ", \"look\": ");
    hn_string_json(w, link->look);
  }
  hn_string_text(w, "}");
}

static void put_load(hn_string *w, const hn_scene_load *load) {
  hn_string_text(w, "{\"name\": ");
  hn_string_json(w, load->name);
  hn_string_text(w, ", \"type\": ");
  hn_string_json(w, load->type);
  hn_string_text(w, ", \"body\": ");
  put_integer(w, load->body);
  hn_string_text(w, "}");
}

static void put_road(hn_string *w, const hn_scene_road *road) {
  hn_string_text(w, "{\"name\": ");
  hn_string_json(w, road->name);
  hn_string_text(w, ", \"profile\": ");
  put_pairs(w, road->profile, road->count);
  put_length(w, "y", road->y);
  put_length(w, "width", road->width);
  put_length(w, "speed", road->speed);
  hn_string_text(w, ", \"up\": [0,0,1]}");
}

static void put_exact(hn_string *w, double x) { hn_string_add(w, "%.17g", x); }

static void put_motion(hn_string *w, const hn_scene *scene) {
  char text[160];
  int reactions = 1 + 7 * (scene->body_count - 1), forces = reactions + 3 * scene->joint_count;
  double last = scene->frames > 0
                    ? (double)scene->motion[(size_t)(scene->frames - 1) * (size_t)scene->stride]
                    : scene->first;
  if ((float)last == (float)scene->last) last = scene->last; // without the rounding of 32 bits
  snprintf(text, sizeof text, "\"motion\": {\"frames\": %d, \"rate\": ", scene->frames);
  hn_string_text(w, text);
  put_exact(w, scene->rate);
  hn_string_text(w, ", \"first\": ");
  put_exact(w, scene->first);
  hn_string_text(w, ", \"last\": ");
  put_exact(w, last);
  snprintf(text, sizeof text,
           ", \"stride\": %d, \"columns\": {\"time\": 0, \"bodies\": 1, \"reactions\": %d, "
           "\"forces\": %d, \"loads\": %d}}",
           scene->stride, reactions, forces, forces + scene->force_count);
  hn_string_text(w, text);
}

// ---- all ----------------------------------------------------------------------------------------

#define PUT_LIST(w, key, count, entry)                                                             \
  do {                                                                                             \
    hn_string_text(w, "\"" key "\": [");                                                           \
    for (int k = 0; k < (count); k++) {                                                            \
      hn_string_text(w, k ? ",\n  " : "\n  ");                                                     \
      entry;                                                                                       \
    }                                                                                              \
    hn_string_text(w, "],\n");                                                                     \
  } while (0)

static void put_head(hn_string *w, const hn_scene *scene) {
  const char *const words[][2] = {{"holon", scene->version}, {"model", scene->model},
                                  {"title", scene->title},   {"description", ""},
                                  {"status", scene->status}, {"message", scene->message}};
  hn_string_text(w, "{\"format\": ");
  put_integer(w, HN_SCENE_FORMAT);
  for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
    hn_string_text(w, ", ");
    put_key(w, words[k][0]);
    hn_string_json(w, words[k][1]);
  }
  hn_string_text(w, ",\n\"gravity\": ");
  put_vector(w, scene->gravity);
  hn_string_text(w, ",\n");
}

static void put_scene(hn_string *w, const hn_scene *scene) {
  put_head(w, scene);
  PUT_LIST(w, "bodies", scene->body_count, put_body(w, scene, &scene->bodies[k]));
  PUT_LIST(w, "meshes", scene->mesh_count, put_mesh(w, scene->meshes[k]));
  PUT_LIST(w, "joints", scene->joint_count, put_link(w, &scene->joints[k]));
  PUT_LIST(w, "forces", scene->force_count, put_link(w, &scene->forces[k]));
  PUT_LIST(w, "loads", scene->load_count, put_load(w, &scene->loads[k]));
  PUT_LIST(w, "roads", scene->road_count, put_road(w, &scene->roads[k]));
  put_motion(w, scene);
  hn_string_text(w, "}\n");
}

hn_status hn_scene_json(const hn_scene *scene, char *text, size_t size, size_t *needed) {
  hn_string w = {0};
  put_scene(&w, scene);
  hn_status status = hn_string_give(&w, text, size, needed);
  hn_string_free(&w);
  return status;
}

// ---- files --------------------------------------------------------------------------------------

void hn_scene_motion_bytes(const hn_scene *scene, unsigned char *bytes) {
  const size_t count = (size_t)scene->frames * (size_t)scene->stride;
  for (size_t k = 0; k < count; k++) {
    unsigned bits;
    memcpy(&bits, &scene->motion[k], sizeof bits);
    for (size_t b = 0; b < 4; b++) bytes[4 * k + b] = (unsigned char)(bits >> (8 * b) & 0xff);
  }
}

static hn_status write_into(const char *folder, const char *name, const void *data, size_t size,
                            hn_error *error) {
  hn_string path = {0}, text = {.data = (char *)data, .length = size};
  hn_string_add(&path, "%s/%s", folder, name);
  hn_status status = path.is_lost
                         ? hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory")
                         : hn_file_write_text(path.data, &text, error);
  hn_string_free(&path);
  return status;
}

hn_status hn_scene_write(const hn_scene *scene, const char *folder, hn_error *error) {
  const size_t size = 4 * (size_t)scene->frames * (size_t)scene->stride;
  unsigned char *bytes = hn_allocate(NULL, size + 1);
  hn_string text = {0};
  put_scene(&text, scene);
  if (bytes == NULL || text.is_lost) {
    hn_release(NULL, bytes);
    hn_string_free(&text);
    return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory for a scene");
  }
  hn_scene_motion_bytes(scene, bytes);
  hn_status status = write_into(folder, "motion.bin", bytes, size, error);
  if (status == HN_OK) status = write_into(folder, "scene.json", text.data, text.length, error);
  hn_release(NULL, bytes);
  hn_string_free(&text);
  return status;
}
