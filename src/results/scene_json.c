// A scene as JSON: everything but the motion, which is a file of numbers of its own.
//
// Lengths have nine digits, one more than the 32-bit numbers of the motion. What is not a finite
// number becomes null.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "results/scene.h"

// Text that is counted in full and written as far as there is room.
typedef struct writer {
  char *text;
  size_t size, length;
} writer;

static void put(writer *w, const char *text) {
  size_t length = strlen(text);
  if (w->length + length < w->size) memcpy(w->text + w->length, text, length + 1);
  w->length += length;
}

static void put_string(writer *w, const char *text) {
  put(w, "\"");
  for (const char *c = text ? text : ""; *c; c++) {
    char escape[8] = {*c, '\0'};
    if (*c == '"' || *c == '\\')
      snprintf(escape, sizeof escape, "\\%c", *c);
    else if ((unsigned char)*c < 0x20 || *c == '<') // '<': it may stand inside a page
      snprintf(escape, sizeof escape, "\\u%04x", (unsigned)*c);
    put(w, escape);
  }
  put(w, "\"");
}

// A number as printf wrote it, with a point also where the locale has a comma.
static void put_plain(writer *w, char *text) {
  for (char *c = text; *c; c++)
    if (*c == ',') *c = '.';
  put(w, text);
}

static void put_number(writer *w, double x) {
  char text[40] = "null";
  if (isfinite(x)) snprintf(text, sizeof text, "%.9g", x);
  put_plain(w, text);
}

static void put_integer(writer *w, int k) {
  char text[16];
  snprintf(text, sizeof text, "%d", k);
  put(w, text);
}

static void put_key(writer *w, const char *key) {
  put(w, "\"");
  put(w, key);
  put(w, "\": ");
}

static void put_numbers(writer *w, const double *x, int count) {
  put(w, "[");
  for (int k = 0; k < count; k++) {
    if (k) put(w, ",");
    put_number(w, x[k]);
  }
  put(w, "]");
}

static void put_vector(writer *w, hn_vec3 v) {
  const double x[3] = {v.x, v.y, v.z};
  put_numbers(w, x, 3);
}

static void put_pairs(writer *w, const double *x, int count) {
  put(w, "[");
  for (int k = 0; k < count; k++) {
    if (k) put(w, ",");
    put_numbers(w, x + 2 * k, 2);
  }
  put(w, "]");
}

// ---- shapes -------------------------------------------------------------------------------------

static void put_length(writer *w, const char *key, double length) {
  put(w, ", ");
  put_key(w, key);
  put_number(w, length);
}

static int mesh_index(const hn_scene *scene, const hn_mesh *mesh) {
  int k = 0;
  while (k < scene->mesh_count && scene->meshes[k] != mesh) k++;
  return k;
}

static void put_measures(writer *w, const hn_scene *scene, const hn_shape_def *shape) {
  switch (shape->type) {
  case HN_SHAPE_BOX:
    put(w, ", \"size\": ");
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
    put(w, ", \"profile\": ");
    put_pairs(w, shape->profile, shape->profile_count);
    put_length(w, "length", shape->length);
    break;
  case HN_SHAPE_MESH:
    put(w, ", \"mesh\": ");
    put_integer(w, mesh_index(scene, shape->mesh));
    break;
  case HN_SHAPE_TYPES: break;
  }
}

static void put_shape(writer *w, const hn_scene *scene, const hn_shape_def *shape) {
  hn_quat p = shape->frame.orientation;
  const double turn[4] = {p.w, p.x, p.y, p.z};
  char color[16];
  snprintf(color, sizeof color, "#%06x", (unsigned)shape->color & 0xffffffu);
  put(w, "{\"type\": ");
  put_string(w, hn_shape_type_name(shape->type));
  put(w, ", \"at\": ");
  put_vector(w, shape->frame.position);
  put(w, ", \"rotation\": ");
  put_numbers(w, turn, 4);
  put(w, ", \"color\": ");
  put_string(w, color);
  put_measures(w, scene, shape);
  put(w, "}");
}

static void put_body(writer *w, const hn_scene *scene, const hn_scene_body *body) {
  put(w, "{\"name\": ");
  put_string(w, body->name);
  put(w, ", \"mass\": ");
  put_number(w, body->mass);
  put(w, ", \"shapes\": [");
  for (int k = 0; k < body->shape_count; k++) {
    if (k) put(w, ", ");
    put_shape(w, scene, &body->shapes[k]);
  }
  put(w, body->drawn ? "], \"drawn\": true}" : "], \"drawn\": false}");
}

static void put_mesh(writer *w, const hn_mesh *mesh) {
  put(w, "{\"name\": ");
  put_string(w, mesh->name);
  put(w, ", \"vertices\": ");
  put_numbers(w, mesh->vertices, 3 * mesh->vertex_count);
  put(w, ", \"triangles\": [");
  for (int k = 0; k < 3 * mesh->triangle_count; k++) {
    if (k) put(w, ",");
    put_integer(w, mesh->triangles[k]);
  }
  put(w, "]}");
}

// ---- joints, forces, roads ----------------------------------------------------------------------

static void put_axis(writer *w, const char *key, hn_vec3 axis) {
  put(w, ", ");
  put_key(w, key);
  if (axis.x == 0 && axis.y == 0 && axis.z == 0)
    put(w, "null");
  else
    put_vector(w, axis);
}

static void put_link(writer *w, const hn_scene_link *link) {
  put(w, "{\"name\": ");
  put_string(w, link->name);
  put(w, ", \"type\": ");
  put_string(w, link->type);
  put(w, ", \"body1\": ");
  put_integer(w, link->body[0]);
  put(w, ", \"body2\": ");
  put_integer(w, link->body[1]);
  put(w, ", \"at1\": ");
  put_vector(w, link->at[0]);
  put(w, ", \"at2\": ");
  put_vector(w, link->at[1]);
  put_axis(w, "axis1", link->axis[0]);
  put_axis(w, "axis2", link->axis[1]);
  put(w, "}");
}

static void put_road(writer *w, const hn_scene_road *road) {
  put(w, "{\"name\": ");
  put_string(w, road->name);
  put(w, ", \"profile\": ");
  put_pairs(w, road->profile, road->count);
  put_length(w, "y", road->y);
  put_length(w, "width", road->width);
  put_length(w, "speed", road->speed);
  put(w, ", \"up\": [0,0,1]}");
}

static void put_exact(writer *w, double x) {
  char text[40];
  snprintf(text, sizeof text, "%.17g", x);
  put_plain(w, text);
}

static void put_motion(writer *w, const hn_scene *scene) {
  char text[160];
  int reactions = 1 + 7 * (scene->body_count - 1);
  double last = scene->frames > 0
                    ? (double)scene->motion[(size_t)(scene->frames - 1) * (size_t)scene->stride]
                    : scene->first;
  if (hn_scene_next(scene) == HUGE_VAL) last = scene->last; // without the rounding of 32 bits
  snprintf(text, sizeof text, "\"motion\": {\"frames\": %d, \"rate\": ", scene->frames);
  put(w, text);
  put_exact(w, scene->rate);
  put(w, ", \"first\": ");
  put_exact(w, scene->first);
  put(w, ", \"last\": ");
  put_exact(w, last);
  snprintf(text, sizeof text,
           ", \"stride\": %d, \"columns\": {\"time\": 0, \"bodies\": 1, \"reactions\": %d, "
           "\"forces\": %d}}",
           scene->stride, reactions, reactions + 3 * scene->joint_count);
  put(w, text);
}

// ---- all ----------------------------------------------------------------------------------------

#define PUT_LIST(w, key, count, entry)                                                             \
  do {                                                                                             \
    put(w, "\"" key "\": [");                                                                      \
    for (int k = 0; k < (count); k++) {                                                            \
      put(w, k ? ",\n  " : "\n  ");                                                                \
      entry;                                                                                       \
    }                                                                                              \
    put(w, "],\n");                                                                                \
  } while (0)

static void put_head(writer *w, const hn_scene *scene) {
  const char *const words[][2] = {{"holon", scene->version}, {"model", scene->model},
                                  {"title", scene->title},   {"description", ""},
                                  {"status", scene->status}, {"message", scene->message}};
  put(w, "{\"format\": ");
  put_integer(w, HN_SCENE_FORMAT);
  for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
    put(w, ", ");
    put_key(w, words[k][0]);
    put_string(w, words[k][1]);
  }
  put(w, ",\n\"gravity\": ");
  put_vector(w, scene->gravity);
  put(w, ",\n");
}

hn_status hn_scene_json(const hn_scene *scene, char *text, size_t size, size_t *needed) {
  writer w = {text, text ? size : 0, 0};
  put_head(&w, scene);
  PUT_LIST(&w, "bodies", scene->body_count, put_body(&w, scene, &scene->bodies[k]));
  PUT_LIST(&w, "meshes", scene->mesh_count, put_mesh(&w, scene->meshes[k]));
  PUT_LIST(&w, "joints", scene->joint_count, put_link(&w, &scene->joints[k]));
  PUT_LIST(&w, "forces", scene->force_count, put_link(&w, &scene->forces[k]));
  PUT_LIST(&w, "roads", scene->road_count, put_road(&w, &scene->roads[k]));
  put_motion(&w, scene);
  put(&w, "}\n");
  if (needed) *needed = w.length + 1;
  return w.length + 1 <= w.size ? HN_OK : HN_ERROR_LIMIT;
}
