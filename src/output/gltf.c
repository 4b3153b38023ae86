// A scene as animated glTF 2.0: a node a body with its shapes below it, moved by translations and
// rotations over time; materials of the colors; roads as ribbons.
//
// glTF has y upwards and meters: one node above all turns z up. Everything lies in one buffer.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/file.h"
#include "holon/picture.h"
#include "math/elementary.h"
#include "output/scene.h"

enum { segments = 32, target_vertices = 34962, target_indices = 34963, no_target = 0 };

// A shape that has its mesh in the file already.
typedef struct written {
  const hn_shape_def *shape;
  int mesh;
} written;

typedef struct builder {
  const hn_scene *scene;
  hn_string bytes; // the buffer
  hn_string views, accessors, meshes, materials, nodes, samplers, channels;
  int view_count, accessor_count, mesh_count, material_count, node_count, sampler_count;
  int *colors; // of the materials
  written *known;
  int frames;
  hn_error *error;
  hn_status status;
} builder;

// Zeroed memory; null and the status of the builder without memory. To be released.
static void *allocate(builder *b, size_t count, size_t size) {
  void *block = hn_allocate(NULL, (count + 1) * size);
  if (block != NULL)
    memset(block, 0, (count + 1) * size);
  else
    b->status = hn_fail(b->error, HN_ERROR_MEMORY, NULL, NULL, NULL,
                        "out of memory for the glTF. Use a larger output step");
  return block;
}

static void add_comma(hn_string *list) {
  if (list->length > 0) hn_string_add(list, ",\n");
}

// ---- buffer -------------------------------------------------------------------------------------

static void put_u32(hn_string *bytes, unsigned bits) {
  const char four[4] = {(char)(bits & 0xff), (char)(bits >> 8 & 0xff), (char)(bits >> 16 & 0xff),
                        (char)(bits >> 24)};
  hn_string_bytes(bytes, four, 4);
}

static void put_float(hn_string *bytes, float value) {
  unsigned bits;
  memcpy(&bits, &value, sizeof bits);
  put_u32(bytes, bits);
}

// A view of what was added to the buffer since `start`. Everything is a multiple of four bytes.
static int add_view(builder *b, size_t begin, int target) {
  add_comma(&b->views);
  hn_string_add(&b->views, "{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu", begin,
                b->bytes.length - begin);
  if (target != no_target) hn_string_add(&b->views, ",\"target\":%d", target);
  hn_string_add(&b->views, "}");
  return b->view_count++;
}

// The exact bounds that accessors of positions and times must declare.
static void add_bounds(hn_string *text, const float *numbers, int count, int width) {
  for (int side = 0; side < 2; side++) {
    hn_string_add(text, side ? "],\"max\":[" : ",\"min\":[");
    for (int i = 0; i < width; i++) {
      float bound = numbers[i];
      for (int k = 1; k < count; k++) {
        float x = numbers[(size_t)k * (size_t)width + (size_t)i];
        if (side ? x > bound : x < bound) bound = x;
      }
      hn_string_add(text, "%s%.9g", i > 0 ? "," : "", (double)bound);
    }
  }
  hn_string_add(text, "]");
}

static int add_floats(builder *b, const float *numbers, int count, int width, int target,
                      int with_bounds) {
  static const char *const types[] = {"", "SCALAR", "VEC2", "VEC3", "VEC4"};
  size_t begin = b->bytes.length;
  for (size_t k = 0; k < (size_t)count * (size_t)width; k++) put_float(&b->bytes, numbers[k]);
  int view = add_view(b, begin, target);
  add_comma(&b->accessors);
  hn_string_add(&b->accessors,
                "{\"bufferView\":%d,\"componentType\":5126,\"count\":%d,\"type\":\"%s\"", view,
                count, types[width]);
  if (with_bounds) add_bounds(&b->accessors, numbers, count, width);
  hn_string_add(&b->accessors, "}");
  return b->accessor_count++;
}

static int add_indices(builder *b, const unsigned *indices, int count) {
  size_t begin = b->bytes.length;
  for (int k = 0; k < count; k++) put_u32(&b->bytes, indices[k]);
  int view = add_view(b, begin, target_indices);
  add_comma(&b->accessors);
  hn_string_add(&b->accessors,
                "{\"bufferView\":%d,\"componentType\":5125,\"count\":%d,\"type\":\"SCALAR\"}", view,
                count);
  return b->accessor_count++;
}

// ---- materials and meshes -----------------------------------------------------------------------

static double linear(int byte) {
  double c = byte / 255.0;
  return c <= 0.04045 ? c / 12.92 : hn_pow((c + 0.055) / 1.055, 2.4);
}

static int material_of(builder *b, int color) {
  for (int k = 0; k < b->material_count; k++) {
    if (b->colors[k] == color) return k;
  }
  add_comma(&b->materials);
  hn_string_add(&b->materials,
                "{\"name\":\"#%06x\",\"doubleSided\":true,\"pbrMetallicRoughness\":{"
                "\"baseColorFactor\":[%.6g,%.6g,%.6g,1],\"metallicFactor\":0.1,"
                "\"roughnessFactor\":0.7}}",
                (unsigned)color, linear(color >> 16 & 255), linear(color >> 8 & 255),
                linear(color & 255));
  b->colors[b->material_count] = color;
  return b->material_count++;
}

static int add_mesh(builder *b, const char *name, const hn_mesh *mesh, int color) {
  hn_surface s;
  hn_status status = hn_surface_create(mesh, &s);
  if (status != HN_OK) {
    b->status = hn_fail(b->error, status, NULL, NULL, NULL,
                        "out of memory for the glTF. Use a larger output step");
    return 0;
  }
  int positions = add_floats(b, s.positions, s.vertex_count, 3, target_vertices, 1);
  int normals = add_floats(b, s.normals, s.vertex_count, 3, target_vertices, 0);
  int indices = add_indices(b, s.indices, 3 * s.triangle_count);
  hn_surface_free(&s);
  int material = material_of(b, color);
  add_comma(&b->meshes);
  hn_string_add(&b->meshes, "{\"name\":");
  hn_string_json(&b->meshes, name);
  hn_string_add(&b->meshes,
                ",\"primitives\":[{\"attributes\":{\"POSITION\":%d,\"NORMAL\":%d},\"indices\":%d,"
                "\"material\":%d}]}",
                positions, normals, indices, material);
  return b->mesh_count++;
}

static int is_same(double a, double b) { return !(a < b) && !(a > b); }

// The same mesh and material serve.
static int looks_alike(const hn_shape_def *a, const hn_shape_def *b) {
  if (a->type != b->type || a->color != b->color) return 0;
  if (a->type == HN_SHAPE_MESH) return a->mesh == b->mesh;
  if (a->type == HN_SHAPE_EXTRUSION) return 0;
  return a->type == HN_SHAPE_BOX ? is_same(a->size.x, b->size.x) && is_same(a->size.y, b->size.y) &&
                                       is_same(a->size.z, b->size.z)
                                 : is_same(a->radius, b->radius) && (a->type == HN_SHAPE_SPHERE ||
                                                                     is_same(a->length, b->length));
}

static int mesh_of(builder *b, const hn_shape_def *shape) {
  int k = 0;
  for (; b->known[k].shape != NULL; k++) {
    if (looks_alike(b->known[k].shape, shape)) return b->known[k].mesh;
  }
  hn_mesh *mesh = NULL;
  hn_status status = hn_shape_triangles(shape, segments, &mesh, b->error);
  if (status != HN_OK) {
    b->status = status;
    return 0;
  }
  const char *name = shape->type == HN_SHAPE_MESH && shape->mesh->name != NULL
                         ? shape->mesh->name
                         : hn_shape_type_name(shape->type);
  b->known[k] = (written){shape, add_mesh(b, name, mesh, shape->color)};
  hn_mesh_free(mesh);
  return b->known[k].mesh;
}

// ---- nodes --------------------------------------------------------------------------------------

static void add_children(hn_string *text, int first, int count) {
  if (count == 0) return;
  hn_string_add(text, ",\"children\":[");
  for (int k = 0; k < count; k++) hn_string_add(text, "%s%d", k > 0 ? "," : "", first + k);
  hn_string_add(text, "]");
}

static void add_rotation(hn_string *text, const hn_quat *q) {
  hn_string_add(text, ",\"rotation\":[%.9g,%.9g,%.9g,%.9g]", q->x, q->y, q->z, q->w);
}

static void add_shape_node(builder *b, const hn_shape_def *shape) {
  int mesh = mesh_of(b, shape);
  hn_vec3 p = shape->frame.position;
  add_comma(&b->nodes);
  hn_string_add(&b->nodes, "{\"name\":\"%s\",\"mesh\":%d,\"translation\":[%.9g,%.9g,%.9g]",
                hn_shape_type_name(shape->type), mesh, p.x, p.y, p.z);
  add_rotation(&b->nodes, &shape->frame.orientation);
  hn_string_add(&b->nodes, "}");
  b->node_count++;
}

// The body's own node comes after its shapes; its number is returned.
static int add_body_node(builder *b, int index) {
  const hn_scene_body *body = &b->scene->bodies[index];
  int first = b->node_count;
  for (int k = 0; k < body->shape_count && b->status == HN_OK; k++) {
    add_shape_node(b, &body->shapes[k]);
  }
  add_comma(&b->nodes);
  hn_string_add(&b->nodes, "{\"name\":");
  hn_string_json(&b->nodes, body->name);
  if (index > 0 && b->frames > 0) {
    const float *pose = b->scene->motion + 1 + 7 * (index - 1);
    hn_string_add(&b->nodes, ",\"translation\":[%.9g,%.9g,%.9g]", (double)pose[0], (double)pose[1],
                  (double)pose[2]);
    hn_quat q = {(double)pose[3], (double)pose[4], (double)pose[5], (double)pose[6]};
    add_rotation(&b->nodes, &q);
  }
  add_children(&b->nodes, first, body->shape_count);
  hn_string_add(&b->nodes, "}");
  return b->node_count++;
}

// A ribbon along the profile, drawn where it is at the start.
static int add_road_node(builder *b, const hn_scene_road *road) {
  size_t count = (size_t)road->count;
  double *vertices = allocate(b, 6 * count, sizeof *vertices);
  int *triangles = allocate(b, 6 * count, sizeof *triangles);
  if (vertices == NULL || triangles == NULL) {
    hn_release(NULL, vertices);
    hn_release(NULL, triangles);
    return 0;
  }
  for (int k = 0; k < 2 * road->count; k++) {
    vertices[3 * k] = road->profile[2 * (k / 2)] + road->speed * b->scene->first;
    vertices[3 * k + 1] = road->y + (k % 2 - 0.5) * road->width;
    vertices[3 * k + 2] = road->profile[2 * (k / 2) + 1];
  }
  for (int k = 0; k + 1 < road->count; k++) {
    const int quad[6] = {2 * k, 2 * k + 2, 2 * k + 3, 2 * k, 2 * k + 3, 2 * k + 1};
    memcpy(triangles + 6 * k, quad, sizeof quad);
  }
  hn_mesh mesh = {road->name, 2 * road->count, 2 * (road->count - 1), vertices, triangles};
  int index = add_mesh(b, road->name, &mesh, 0xa7a9ac);
  hn_release(NULL, vertices);
  hn_release(NULL, triangles);
  add_comma(&b->nodes);
  hn_string_add(&b->nodes, "{\"name\":");
  hn_string_json(&b->nodes, road->name);
  hn_string_add(&b->nodes, ",\"mesh\":%d}", index);
  return b->node_count++;
}

// ---- motion -------------------------------------------------------------------------------------

static const float *frame_of(const hn_scene *scene, int k) {
  return scene->motion + (size_t)k * (size_t)scene->stride;
}

// Frames up to the first that cannot be shown: not finite, or not later than the one before.
static int usable_frames(const hn_scene *scene) {
  int poses = 1 + 7 * (scene->body_count - 1);
  for (int k = 0; k < scene->frames; k++) {
    const float *frame = frame_of(scene, k);
    if (k > 0 && !(frame[0] > frame_of(scene, k - 1)[0])) return k;
    for (int i = 0; i < poses; i++) {
      if (!isfinite(frame[i])) return k;
    }
  }
  return scene->frames;
}

static void add_channel(builder *b, int node, const char *path, int times, int values) {
  add_comma(&b->samplers);
  hn_string_add(&b->samplers, "{\"input\":%d,\"output\":%d,\"interpolation\":\"LINEAR\"}", times,
                values);
  add_comma(&b->channels);
  hn_string_add(&b->channels, "{\"sampler\":%d,\"target\":{\"node\":%d,\"path\":\"%s\"}}",
                b->sampler_count++, node, path);
}

static void animate(builder *b, int body, int node, int times) {
  size_t count = (size_t)b->frames;
  float *places = allocate(b, 3 * count, sizeof *places);
  float *turns = allocate(b, 4 * count, sizeof *turns);
  for (size_t k = 0; k < count && b->status == HN_OK; k++) {
    const float *pose = frame_of(b->scene, (int)k) + 1 + 7 * (body - 1);
    double square = 0;
    for (int i = 3; i < 7; i++) square += (double)pose[i] * (double)pose[i];
    double length = square > 0 ? sqrt(square) : 1;
    memcpy(places + 3 * k, pose, 3 * sizeof *pose);
    for (size_t i = 0; i < 4; i++) {
      turns[4 * k + i] = (float)((double)pose[i < 3 ? 4 + i : 3] / length);
    }
  }
  if (b->status == HN_OK) {
    add_channel(b, node, "translation", times, add_floats(b, places, b->frames, 3, no_target, 0));
    add_channel(b, node, "rotation", times, add_floats(b, turns, b->frames, 4, no_target, 0));
  }
  hn_release(NULL, places);
  hn_release(NULL, turns);
}

// ---- the file -----------------------------------------------------------------------------------

static void add_times_and_nodes(builder *b, hn_string *children) {
  int times = -1, bodies = b->scene->body_count;
  if (b->frames > 0 && bodies > 1) {
    float *all = allocate(b, (size_t)b->frames, sizeof *all);
    if (all == NULL) return;
    for (int k = 0; k < b->frames; k++) all[k] = frame_of(b->scene, k)[0] - b->scene->motion[0];
    times = add_floats(b, all, b->frames, 1, no_target, 1);
    hn_release(NULL, all);
  }
  for (int k = 0; k < bodies && b->status == HN_OK; k++) {
    if (b->scene->bodies[k].shape_count == 0) continue; // nothing to see
    int node = add_body_node(b, k);
    hn_string_add(children, "%s%d", children->length > 0 ? "," : "", node);
    if (k > 0 && times >= 0) animate(b, k, node, times);
  }
  for (int k = 0; k < b->scene->road_count && b->status == HN_OK; k++) {
    if (b->scene->roads[k].count < 2) continue;
    int node = add_road_node(b, &b->scene->roads[k]);
    hn_string_add(children, "%s%d", children->length > 0 ? "," : "", node);
  }
}

static void add_list(hn_string *text, const char *key, const hn_string *list) {
  if (list->length > 0) hn_string_add(text, ",\n\"%s\":[%s]", key, list->data);
}

static void add_json(builder *b, hn_string *text, const hn_string *children, int embedded) {
  hn_string_add(text, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"Holon %s\"},\"scene\":0,\n",
                hn_version());
  hn_string_add(text, "\"scenes\":[{\"name\":");
  hn_string_json(text, b->scene->model);
  hn_string_add(text, ",\"nodes\":[%d]}]", b->node_count);
  add_comma(&b->nodes);
  const double half = 0.70710678118654752;
  hn_string_add(&b->nodes, "{\"name\":\"z up\",\"rotation\":[%.9g,0,0,%.9g]", -half, half);
  if (children->length > 0) hn_string_add(&b->nodes, ",\"children\":[%s]", children->data);
  hn_string_add(&b->nodes, "}");
  add_list(text, "nodes", &b->nodes);
  add_list(text, "meshes", &b->meshes);
  add_list(text, "materials", &b->materials);
  if (b->channels.length > 0) {
    hn_string_add(text,
                  ",\n\"animations\":[{\"name\":\"run\",\"channels\":[%s],\n\"samplers\":[%s]}]",
                  b->channels.data, b->samplers.data);
  }
  add_list(text, "accessors", &b->accessors);
  add_list(text, "bufferViews", &b->views);
  if (b->bytes.length > 0) {
    hn_string_add(text, ",\n\"buffers\":[{\"byteLength\":%zu", b->bytes.length);
    if (embedded) {
      hn_string_add(text, ",\"uri\":\"data:application/octet-stream;base64,");
      hn_string_base64(text, (const unsigned char *)b->bytes.data, b->bytes.length);
      hn_string_add(text, "\"");
    }
    hn_string_add(text, "}]");
  }
  hn_string_add(text, "}");
}

// Its lengths are numbers of 32 bits.
static void add_binary(builder *b, hn_string *text, hn_string *json, const hn_string *bytes) {
  while (json->length % 4 != 0 && !json->is_lost) hn_string_text(json, " ");
  const size_t data = bytes->length > 0 ? 8 + bytes->length : 0;
  if (12 + 8 + json->length + data > UINT32_MAX) {
    b->status = hn_fail(b->error, HN_ERROR_LIMIT, NULL, NULL,
                        "Write .gltf, or run with a larger output step: fewer frames.",
                        "a .glb file holds at most 4 GB, this one needs %.3g GB",
                        (double)(json->length + data) / 1e9);
    return;
  }
  hn_string_add(text, "glTF");
  put_u32(text, 2);
  put_u32(text, (unsigned)(12 + 8 + json->length + data));
  put_u32(text, (unsigned)json->length);
  hn_string_add(text, "JSON");
  hn_string_bytes(text, json->data, json->length);
  if (data == 0) return;
  put_u32(text, (unsigned)bytes->length);
  hn_string_bytes(text, "BIN\0", 4);
  hn_string_bytes(text, bytes->data, bytes->length);
}

static void add_file(builder *b, hn_string *text, int is_binary) {
  hn_string children = {0}, json = {0};
  add_times_and_nodes(b, &children);
  add_json(b, &json, &children, !is_binary);
  if (is_binary)
    add_binary(b, text, &json, &b->bytes);
  else
    hn_string_bytes(text, json.data, json.length);
  hn_string *const all[] = {&b->bytes, &b->views,    &b->accessors, &b->meshes, &b->materials,
                            &b->nodes, &b->samplers, &b->channels,  &children,  &json};
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
    text->is_lost |= all[k]->is_lost;
    hn_string_free(all[k]);
  }
}

hn_status hn_scene_write_gltf(const hn_scene *scene, const char *path, int *frames,
                              hn_error *error) {
  builder b = {.scene = scene, .error = error, .frames = usable_frames(scene)};
  const size_t length = strlen(path);
  const int is_binary = length > 4 && strcmp(path + length - 4, ".glb") == 0;
  size_t shapes = 0;
  for (int k = 0; k < scene->body_count; k++) shapes += (size_t)scene->bodies[k].shape_count;
  b.known = allocate(&b, shapes, sizeof *b.known);
  b.colors = allocate(&b, shapes + (size_t)scene->road_count, sizeof *b.colors);
  hn_string text = {0};
  if (b.status == HN_OK) add_file(&b, &text, is_binary);
  if (b.status == HN_OK) b.status = hn_file_write_text(path, &text, error);
  if (frames != NULL) *frames = b.frames;
  hn_string_free(&text);
  hn_release(NULL, b.known);
  hn_release(NULL, b.colors);
  return b.status;
}
