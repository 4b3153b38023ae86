// A scene as JSON: everything but the motion, which is a file of numbers of its own.
//
// Lengths have nine digits, one more than the 32-bit numbers of the motion. What is not a finite
// number becomes null.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/counted_text.h"
#include "results/scene.h"

static void put_string(hn_counted_text *w, const char *text) {
  hn_put_text(w, "\"");
  for (const char *c = text ? text : ""; *c; c++) {
    char escape[8] = {*c, '\0'};
    if (*c == '"' || *c == '\\')
      snprintf(escape, sizeof escape, "\\%c", *c);
    else if ((unsigned char)*c < 0x20 || *c == '<') // '<': it may stand inside a page
      snprintf(escape, sizeof escape, "\\u%04x", (unsigned)*c);
    hn_put_text(w, escape);
  }
  hn_put_text(w, "\"");
}

// A number as printf wrote it, with a point also where the locale has a comma.
static void put_plain(hn_counted_text *w, char *text) {
  for (char *c = text; *c; c++)
    if (*c == ',') *c = '.';
  hn_put_text(w, text);
}

static void put_number(hn_counted_text *w, double x) {
  char text[40] = "null";
  if (isfinite(x)) snprintf(text, sizeof text, "%.9g", x);
  put_plain(w, text);
}

static void put_integer(hn_counted_text *w, int k) {
  char text[16];
  snprintf(text, sizeof text, "%d", k);
  hn_put_text(w, text);
}

static void put_key(hn_counted_text *w, const char *key) {
  hn_put_text(w, "\"");
  hn_put_text(w, key);
  hn_put_text(w, "\": ");
}

static void put_numbers(hn_counted_text *w, const double *x, int count) {
  hn_put_text(w, "[");
  for (int k = 0; k < count; k++) {
    if (k) hn_put_text(w, ",");
    put_number(w, x[k]);
  }
  hn_put_text(w, "]");
}

static void put_vector(hn_counted_text *w, hn_vec3 v) {
  const double x[3] = {v.x, v.y, v.z};
  put_numbers(w, x, 3);
}

static void put_pairs(hn_counted_text *w, const double *x, int count) {
  hn_put_text(w, "[");
  for (int k = 0; k < count; k++) {
    if (k) hn_put_text(w, ",");
    put_numbers(w, x + 2 * k, 2);
  }
  hn_put_text(w, "]");
}

// ---- shapes -------------------------------------------------------------------------------------

static void put_length(hn_counted_text *w, const char *key, double length) {
  hn_put_text(w, ", ");
  put_key(w, key);
  put_number(w, length);
}

static int mesh_index(const hn_scene *scene, const hn_mesh *mesh) {
  int k = 0;
  while (k < scene->mesh_count && scene->meshes[k] != mesh) k++;
  return k;
}

static void put_measures(hn_counted_text *w, const hn_scene *scene, const hn_shape_def *shape) {
  switch (shape->type) {
  case HN_SHAPE_BOX:
    hn_put_text(w, ", \"size\": ");
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
    hn_put_text(w, ", \"profile\": ");
    put_pairs(w, shape->profile, shape->profile_count);
    put_length(w, "length", shape->length);
    break;
  case HN_SHAPE_MESH:
    hn_put_text(w, ", \"mesh\": ");
    put_integer(w, mesh_index(scene, shape->mesh));
    break;
  case HN_SHAPE_TYPES: break;
  }
}

static void put_shape(hn_counted_text *w, const hn_scene *scene, const hn_shape_def *shape) {
  hn_quat p = shape->frame.orientation;
  const double turn[4] = {p.w, p.x, p.y, p.z};
  char color[16];
  snprintf(color, sizeof color, "#%06x", (unsigned)shape->color & 0xffffffu);
  hn_put_text(w, "{\"type\": ");
  put_string(w, hn_shape_type_name(shape->type));
  hn_put_text(w, ", \"at\": ");
  put_vector(w, shape->frame.position);
  hn_put_text(w, ", \"rotation\": ");
  put_numbers(w, turn, 4);
  hn_put_text(w, ", \"color\": ");
  put_string(w, color);
  if (shape->transparency > 0) put_length(w, "opacity", 1 - shape->transparency);
  put_measures(w, scene, shape);
  hn_put_text(w, "}");
}

static void put_body(hn_counted_text *w, const hn_scene *scene, const hn_scene_body *body) {
  hn_put_text(w, "{\"name\": ");
  put_string(w, body->name);
  hn_put_text(w, ", \"mass\": ");
  put_number(w, body->mass);
  hn_put_text(w, ", \"shapes\": [");
  for (int k = 0; k < body->shape_count; k++) {
    if (k) hn_put_text(w, ", ");
    put_shape(w, scene, &body->shapes[k]);
  }
  hn_put_text(w, body->drawn ? "], \"drawn\": true}" : "], \"drawn\": false}");
}

static void put_mesh(hn_counted_text *w, const hn_mesh *mesh) {
  hn_put_text(w, "{\"name\": ");
  put_string(w, mesh->name);
  hn_put_text(w, ", \"vertices\": ");
  put_numbers(w, mesh->vertices, 3 * mesh->vertex_count);
  hn_put_text(w, ", \"triangles\": [");
  for (int k = 0; k < 3 * mesh->triangle_count; k++) {
    if (k) hn_put_text(w, ",");
    put_integer(w, mesh->triangles[k]);
  }
  hn_put_text(w, "]}");
}

// ---- joints, forces, roads ----------------------------------------------------------------------

static void put_axis(hn_counted_text *w, const char *key, hn_vec3 axis) {
  hn_put_text(w, ", ");
  put_key(w, key);
  if (axis.x == 0 && axis.y == 0 && axis.z == 0)
    hn_put_text(w, "null");
  else
    put_vector(w, axis);
}

static void put_link(hn_counted_text *w, const hn_scene_link *link) {
  hn_put_text(w, "{\"name\": ");
  put_string(w, link->name);
  hn_put_text(w, ", \"type\": ");
  put_string(w, link->type);
  hn_put_text(w, ", \"body1\": ");
  put_integer(w, link->body[0]);
  hn_put_text(w, ", \"body2\": ");
  put_integer(w, link->body[1]);
  hn_put_text(w, ", \"at1\": ");
  put_vector(w, link->at[0]);
  hn_put_text(w, ", \"at2\": ");
  put_vector(w, link->at[1]);
  put_axis(w, "axis1", link->axis[0]);
  put_axis(w, "axis2", link->axis[1]);
  if (link->look[0] != '\0') {
    hn_put_text(w, ", \"look\": ");
    put_string(w, link->look);
  }
  hn_put_text(w, "}");
}

static void put_road(hn_counted_text *w, const hn_scene_road *road) {
  hn_put_text(w, "{\"name\": ");
  put_string(w, road->name);
  hn_put_text(w, ", \"profile\": ");
  put_pairs(w, road->profile, road->count);
  put_length(w, "y", road->y);
  put_length(w, "width", road->width);
  put_length(w, "speed", road->speed);
  hn_put_text(w, ", \"up\": [0,0,1]}");
}

static void put_exact(hn_counted_text *w, double x) {
  char text[40];
  snprintf(text, sizeof text, "%.17g", x);
  put_plain(w, text);
}

static void put_motion(hn_counted_text *w, const hn_scene *scene) {
  char text[160];
  int reactions = 1 + 7 * (scene->body_count - 1);
  double last = scene->frames > 0
                    ? (double)scene->motion[(size_t)(scene->frames - 1) * (size_t)scene->stride]
                    : scene->first;
  if (hn_scene_next(scene) == HUGE_VAL) last = scene->last; // without the rounding of 32 bits
  snprintf(text, sizeof text, "\"motion\": {\"frames\": %d, \"rate\": ", scene->frames);
  hn_put_text(w, text);
  put_exact(w, scene->rate);
  hn_put_text(w, ", \"first\": ");
  put_exact(w, scene->first);
  hn_put_text(w, ", \"last\": ");
  put_exact(w, last);
  snprintf(text, sizeof text,
           ", \"stride\": %d, \"columns\": {\"time\": 0, \"bodies\": 1, \"reactions\": %d, "
           "\"forces\": %d}}",
           scene->stride, reactions, reactions + 3 * scene->joint_count);
  hn_put_text(w, text);
}

// ---- all ----------------------------------------------------------------------------------------

#define PUT_LIST(w, key, count, entry)                                                             \
  do {                                                                                             \
    hn_put_text(w, "\"" key "\": [");                                                              \
    for (int k = 0; k < (count); k++) {                                                            \
      hn_put_text(w, k ? ",\n  " : "\n  ");                                                        \
      entry;                                                                                       \
    }                                                                                              \
    hn_put_text(w, "],\n");                                                                        \
  } while (0)

static void put_head(hn_counted_text *w, const hn_scene *scene) {
  const char *const words[][2] = {{"holon", scene->version}, {"model", scene->model},
                                  {"title", scene->title},   {"description", ""},
                                  {"status", scene->status}, {"message", scene->message}};
  hn_put_text(w, "{\"format\": ");
  put_integer(w, HN_SCENE_FORMAT);
  for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
    hn_put_text(w, ", ");
    put_key(w, words[k][0]);
    put_string(w, words[k][1]);
  }
  hn_put_text(w, ",\n\"gravity\": ");
  put_vector(w, scene->gravity);
  hn_put_text(w, ",\n");
}

hn_status hn_scene_json(const hn_scene *scene, char *text, size_t size, size_t *needed) {
  hn_counted_text w = {text, text ? size : 0, 0};
  put_head(&w, scene);
  PUT_LIST(&w, "bodies", scene->body_count, put_body(&w, scene, &scene->bodies[k]));
  PUT_LIST(&w, "meshes", scene->mesh_count, put_mesh(&w, scene->meshes[k]));
  PUT_LIST(&w, "joints", scene->joint_count, put_link(&w, &scene->joints[k]));
  PUT_LIST(&w, "forces", scene->force_count, put_link(&w, &scene->forces[k]));
  PUT_LIST(&w, "roads", scene->road_count, put_road(&w, &scene->roads[k]));
  put_motion(&w, scene);
  hn_put_text(&w, "}\n");
  if (needed) *needed = w.length + 1;
  return w.length + 1 <= w.size ? HN_OK : HN_ERROR_LIMIT;
}
