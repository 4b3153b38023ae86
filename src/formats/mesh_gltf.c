// glTF 2.0 (.gltf with data: buffers or files next to it, .glb): the triangles of the scene, with
// the placements of its nodes. Axes are those of the file. Materials, skins, animations and
// compressed extensions are not read; what cannot be shown without them is rejected.
//
// A small file can ask for much: nodes that all show one mesh, primitives that all read one buffer.
// So what is read is counted over the whole file and bounded.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "formats/mesh.h"
#include "formats/text_file.h"
#include "math/euler.h"
#include "math/json.h"

#define MOST_NODES 10000
#define MOST_DEPTH 32
#define MOST_PRIMITIVES 100000                // visited, over all nodes
#define MOST_CORNERS (3L * HN_MESH_TRIANGLES) // read, over all primitives; of positions as well

typedef struct bytes {
  const unsigned char *data;
  size_t size;
} bytes;

// The elements of an array of the file, found without walking along it.
typedef struct list {
  const hn_json **items;
  int count;
} list;

enum { NODES, MESHES, ACCESSORS, BUFFER_VIEWS, LISTS };

typedef struct gltf {
  hn_mesh_reader *r;
  const hn_json *root;
  list lists[LISTS];
  bytes *buffers;
  int buffer_count;
  size_t buffer_bytes;                     // of all buffers
  long nodes, primitives, places, corners; // visited and read
  int *vertex;                             // of the primitive being read, used again by the next
  int vertex_room;
} gltf;

static void refuse(const gltf *g, const hn_json *at, const char *what) {
  hn_mesh_fail(g->r, HN_ERROR_SYNTAX, at ? at->line : 0,
               "Export it again as plain triangles without compression.", "%s", what);
}

static const hn_json *element(const hn_json *array, int index) {
  if (!array || array->kind != HN_JSON_ARRAY || index < 0) return NULL;
  const hn_json *n = array->first;
  while (n && index-- > 0) n = n->next;
  return n;
}

static void out_of_memory(const gltf *g) {
  hn_mesh_fail(g->r, HN_ERROR_MEMORY, 0, "Use a mesh with fewer triangles.",
               "does not fit into memory");
}

static void too_much(const gltf *g, const char *what, long most) {
  hn_mesh_fail(g->r, HN_ERROR_LIMIT, 0,
               "Reduce its triangles (\"decimate\") in the program that made it.",
               "has more than %ld %s", most, what);
}

static void open_lists(gltf *g) {
  static const char *const names[LISTS] = {"nodes", "meshes", "accessors", "bufferViews"};
  for (int k = 0; k < LISTS; k++) {
    const hn_json *array = hn_json_get(g->root, names[k]);
    if (!array || array->kind != HN_JSON_ARRAY || array->count < 1) continue;
    g->lists[k].items = HN_TAKE(g->r->arena, const hn_json *, array->count);
    if (!g->lists[k].items) {
      out_of_memory(g);
      return;
    }
    for (const hn_json *n = array->first; n && g->lists[k].count < array->count; n = n->next)
      g->lists[k].items[g->lists[k].count++] = n;
  }
}

static const hn_json *listed(const gltf *g, int which, const hn_json *index) {
  const list *l = &g->lists[which];
  int k = l->count > 0 ? hn_json_index(index, 0, l->count - 1) : -1;
  return k >= 0 ? l->items[k] : NULL;
}

// ---- buffers ------------------------------------------------------------------------------------

static int base64_digit(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

static bytes decode_base64(const gltf *g, const char *text) {
  size_t length = strlen(text), used = 0;
  unsigned char *out = hn_arena_take(g->r->arena, length / 4 * 3 + 3, 1);
  unsigned bits = 0;
  int count = 0;
  if (!out) out_of_memory(g);
  for (size_t k = 0; out && k < length && text[k] != '='; k++) {
    int digit = base64_digit(text[k]);
    if (digit < 0) return (bytes){NULL, 0};
    bits = bits << 6 | (unsigned)digit;
    if (++count == 4) {
      for (int b = 2; b >= 0; b--) out[used++] = (unsigned char)(bits >> (8 * b));
      bits = 0;
      count = 0;
    }
  }
  if (out && count == 3) {
    out[used++] = (unsigned char)(bits >> 10);
    out[used++] = (unsigned char)(bits >> 2);
  } else if (out && count == 2) {
    out[used++] = (unsigned char)(bits >> 4);
  }
  return (bytes){out, used};
}

static bytes load_buffer(gltf *g, const hn_json *buffer, bytes binary, int index) {
  const char *uri = hn_json_text_at(buffer, "uri", NULL);
  bytes none = {NULL, 0};
  if (!uri) {
    if (index == 0 && binary.data) return binary;
    refuse(g, buffer, "has a buffer without data");
    return none;
  }
  if (strncmp(uri, "data:", 5) == 0) {
    const char *comma = strchr(uri, ',');
    bytes b = comma && strstr(uri, ";base64") ? decode_base64(g, comma + 1) : none;
    if (!b.data) refuse(g, buffer, "has a buffer whose base64 cannot be read");
    return b;
  }
  if (hn_path_is_absolute(uri) || strstr(uri, "..") || strchr(uri, ':')) {
    refuse(g, buffer, "has a buffer file that is not in its folder");
    return none;
  }
  const char *path = hn_path_join(g->r->arena, g->r->path, uri);
  bytes b = none;
  if (!path)
    out_of_memory(g);
  else
    g->r->status = hn_mesh_file(g->r->arena, path, &b.data, &b.size, g->r->error);
  return b;
}

static void load_buffers(gltf *g, bytes binary) {
  const hn_json *array = hn_json_get(g->root, "buffers");
  g->buffer_count = array && array->kind == HN_JSON_ARRAY ? array->count : 0;
  g->buffers = HN_TAKE(g->r->arena, bytes, g->buffer_count);
  if (!g->buffers) out_of_memory(g);
  const hn_json *buffer = g->buffer_count > 0 ? array->first : NULL;
  for (int k = 0; buffer && !g->r->status; buffer = buffer->next, k++) {
    g->buffers[k] = load_buffer(g, buffer, binary, k);
    g->buffer_bytes += g->buffers[k].size;
    if (g->buffer_bytes > HN_MESH_FILE_SIZE)
      too_much(g, "bytes in its buffers", (long)HN_MESH_FILE_SIZE);
  }
}

// ---- accessors ----------------------------------------------------------------------------------

typedef struct view {
  const unsigned char *data;
  size_t stride;
  int count, component; // 5121 u8, 5123 u16, 5125 u32, 5126 float
} view;

static size_t component_size(int component) {
  return component == 5121                        ? 1
         : component == 5123                      ? 2
         : component == 5125 || component == 5126 ? 4
                                                  : 0;
}

// The bytes of an accessor of `width` numbers each, checked against its buffer. 0 on failure.
static int open_view(const gltf *g, const hn_json *accessor, const char *type, size_t width,
                     view *v) {
  const hn_json *part = listed(g, BUFFER_VIEWS, hn_json_get(accessor, "bufferView"));
  int buffer = hn_json_index(hn_json_get(part, "buffer"), 0, g->buffer_count - 1);
  v->count = hn_json_index(hn_json_get(accessor, "count"), 1, 1 << 28);
  v->component = hn_json_index(hn_json_get(accessor, "componentType"), 5120, 5130);
  size_t item = width * component_size(v->component);
  double offset = hn_json_number_at(accessor, "byteOffset", 0);
  double start = hn_json_number_at(part, "byteOffset", 0),
         length = hn_json_number_at(part, "byteLength", -1);
  double stride = hn_json_number_at(part, "byteStride", (double)item);
  if (!part || buffer < 0 || v->count < 1 || item == 0 || hn_json_get(accessor, "sparse") ||
      strcmp(hn_json_text_at(accessor, "type", ""), type) != 0) {
    refuse(g, accessor, "has an accessor that cannot be read");
    return 0;
  }
  // Whole numbers below 2^53 add up exactly, so that nothing can wrap around.
  int fits = offset >= 0 && start >= 0 && length >= 0 && stride >= (double)item && stride <= 1024 &&
             offset + stride * (v->count - 1) + (double)item <= length &&
             start + length <= (double)g->buffers[buffer].size && floor(offset) == offset &&
             floor(start) == start && floor(stride) == stride;
  if (!fits) {
    hn_mesh_fail(g->r, HN_ERROR_SYNTAX, accessor->line,
                 "Export it again; the file may be incomplete.",
                 "has an accessor of %d entries that does not fit into its buffer of %zu bytes",
                 v->count, g->buffers[buffer].size);
    return 0;
  }
  v->data = g->buffers[buffer].data + (size_t)start + (size_t)offset;
  v->stride = (size_t)stride;
  return 1;
}

static unsigned view_index(const view *v, int k) {
  const unsigned char *at = v->data + v->stride * (size_t)k;
  return v->component == 5121   ? at[0]
         : v->component == 5123 ? at[0] | (unsigned)at[1] << 8
                                : hn_bytes_u32(at);
}

// ---- triangles ----------------------------------------------------------------------------------

// A placement: x = m y + p.
typedef struct placement {
  hn_mat3 m;
  hn_vec3 p;
} placement;

// Reserves capacity for the vertices of a primitive; at least doubled, so that reallocation is
// rare.
static int *vertex_room(gltf *g, int count) {
  if (count <= g->vertex_room) return g->vertex;
  int room = count < 512 ? 1024 : 2 * count;
  g->vertex = HN_TAKE(g->r->arena, int, room);
  g->vertex_room = g->vertex ? room : 0;
  if (!g->vertex) out_of_memory(g);
  return g->vertex;
}

static int *read_positions(gltf *g, const hn_json *accessor, const placement *place, int *count) {
  view v;
  if (!accessor || !open_view(g, accessor, "VEC3", 3, &v)) {
    if (!accessor) refuse(g, NULL, "has a mesh without vertex positions");
    return NULL;
  }
  if (v.component != 5126) {
    refuse(g, accessor, "has positions that are not 32-bit floats");
    return NULL;
  }
  g->places += v.count;
  if (g->places > MOST_CORNERS) {
    too_much(g, "positions", MOST_CORNERS);
    return NULL;
  }
  int *vertex = vertex_room(g, v.count);
  for (int k = 0; vertex && k < v.count && !g->r->status; k++) {
    const unsigned char *at = v.data + v.stride * (size_t)k;
    hn_vec3 y = vec3(hn_bytes_f32(at), hn_bytes_f32(at + 4), hn_bytes_f32(at + 8));
    double x[3];
    vec3_store(x, vec3_add(mat3_apply(place->m, y), place->p));
    vertex[k] = hn_mesh_add_vertex(g->r, x);
  }
  *count = v.count;
  return g->r->status ? NULL : vertex;
}

static double determinant(hn_mat3 m) {
  return vec3_dot(mat3_column(m, 0), vec3_cross(mat3_column(m, 1), mat3_column(m, 2)));
}

static void read_primitive(gltf *g, const hn_json *primitive, const placement *place) {
  if (++g->primitives > MOST_PRIMITIVES) {
    too_much(g, "primitives", MOST_PRIMITIVES);
    return;
  }
  if (hn_json_get(hn_json_get(primitive, "extensions"), "KHR_draco_mesh_compression")) {
    refuse(g, primitive, "is compressed (Draco), which is not supported");
    return;
  }
  if (hn_json_number_at(primitive, "mode", 4) != 4) return; // points, lines
  const hn_json *attributes = hn_json_get(primitive, "attributes");
  const hn_json *indices = hn_json_get(primitive, "indices");
  int count = 0;
  int *vertex =
      read_positions(g, listed(g, ACCESSORS, hn_json_get(attributes, "POSITION")), place, &count);
  if (!vertex) return;
  view v = {.count = count};
  if (indices) {
    const hn_json *accessor = listed(g, ACCESSORS, indices);
    if (!accessor || !open_view(g, accessor, "SCALAR", 1, &v) || v.component == 5126) {
      refuse(g, indices, "has indices that cannot be read");
      return;
    }
  }
  g->corners += v.count;
  if (g->corners > MOST_CORNERS) {
    too_much(g, "triangle corners", MOST_CORNERS);
    return;
  }
  int turned = determinant(place->m) < 0; // a mirrored placement turns triangles inside out
  for (int k = 0; k + 2 < v.count && !g->r->status; k += 3) {
    int corner[3];
    for (int c = 0; c < 3; c++) {
      unsigned index = indices ? view_index(&v, k + c) : (unsigned)(k + c);
      if (index >= (unsigned)count) {
        hn_mesh_fail(g->r, HN_ERROR_SYNTAX, primitive->line,
                     "Export it again; the file may be incomplete.",
                     "has a triangle with vertex %u, but only %d vertices", index, count);
        return;
      }
      corner[c] = vertex[index];
    }
    hn_mesh_add_triangle(g->r, corner[0], corner[turned ? 2 : 1], corner[turned ? 1 : 2]);
  }
}

// ---- nodes --------------------------------------------------------------------------------------

static placement node_placement(const hn_json *node) {
  placement own = {mat3_identity(), {0, 0, 0}};
  double m[16], t[3] = {0, 0, 0}, q[4] = {0, 0, 0, 1}, s[3] = {1, 1, 1};
  if (hn_json_numbers_of(hn_json_get(node, "matrix"), m, 16)) { // column by column
    own.m = mat3_from_columns(vec3_load(m), vec3_load(m + 4), vec3_load(m + 8));
    own.p = vec3_load(m + 12);
    return own;
  }
  hn_json_numbers_of(hn_json_get(node, "translation"), t, 3);
  hn_json_numbers_of(hn_json_get(node, "rotation"), q, 4);
  hn_json_numbers_of(hn_json_get(node, "scale"), s, 3);
  own.m = quat_matrix(quat_unit((hn_quat){q[3], q[0], q[1], q[2]}));
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) own.m.m[i][j] *= s[j];
  own.p = vec3_load(t);
  return own;
}

static void read_node(gltf *g, const hn_json *node, const placement *outer, int depth) {
  if (!node || g->r->status) return;
  if (depth > MOST_DEPTH || ++g->nodes > MOST_NODES) {
    refuse(g, node, "has circular nodes");
    return;
  }
  placement own = node_placement(node);
  own =
      (placement){mat3_multiply(outer->m, own.m), vec3_add(mat3_apply(outer->m, own.p), outer->p)};
  const hn_json *mesh = listed(g, MESHES, hn_json_get(node, "mesh"));
  const hn_json *primitives = hn_json_get(mesh, "primitives");
  const hn_json *part = primitives && primitives->kind == HN_JSON_ARRAY ? primitives->first : NULL;
  for (; part && !g->r->status; part = part->next) read_primitive(g, part, &own);
  const hn_json *children = hn_json_get(node, "children");
  const hn_json *child = children && children->kind == HN_JSON_ARRAY ? children->first : NULL;
  for (; child; child = child->next) read_node(g, listed(g, NODES, child), &own, depth + 1);
}

// ---- the file -----------------------------------------------------------------------------------

// A .glb: 12 bytes of head, then chunks of JSON and of data.
static int open_binary(const hn_mesh_reader *r, bytes *json, bytes *binary) {
  size_t at = 12;
  while (r->size - at >= 8) {
    size_t length = hn_bytes_u32(r->bytes + at);
    unsigned type = hn_bytes_u32(r->bytes + at + 4);
    at += 8;
    if (length > r->size - at) return 0;
    if (type == 0x4E4F534Au) *json = (bytes){r->bytes + at, length};
    if (type == 0x004E4942u) *binary = (bytes){r->bytes + at, length};
    at += length;
  }
  return json->data != NULL;
}

void hn_mesh_read_gltf(hn_mesh_reader *r) {
  gltf g = {.r = r};
  bytes json = {r->bytes, r->size}, binary = {NULL, 0};
  int is_binary = r->size >= 12 && memcmp(r->bytes, "glTF", 4) == 0;
  if (is_binary) {
    json.data = NULL;
    if (!open_binary(r, &json, &binary)) {
      hn_mesh_fail(r, HN_ERROR_SYNTAX, 0, "Export it again; the file may be incomplete.",
                   "is truncated: a part extends beyond its end at byte %zu", r->size);
      return;
    }
  }
  hn_json *root = NULL;
  r->status = hn_json_parse(r->arena, (const char *)json.data, json.size, r->path, &root, r->error);
  if (r->status) return;
  g.root = root;
  if (strncmp(hn_json_text_at(hn_json_get(root, "asset"), "version", ""), "2.", 2) != 0) {
    refuse(&g, root, "is not glTF 2.0: it has no `asset: {version: \"2.0\"}`");
    return;
  }
  open_lists(&g);
  if (!r->status) load_buffers(&g, binary);
  int which = hn_json_index(hn_json_get(root, "scene"), 0, MOST_NODES);
  const hn_json *scene = element(hn_json_get(root, "scenes"), which < 0 ? 0 : which);
  const hn_json *nodes = hn_json_get(scene, "nodes");
  const hn_json *node = nodes && nodes->kind == HN_JSON_ARRAY ? nodes->first : NULL;
  placement none = {mat3_identity(), {0, 0, 0}};
  for (; node && !r->status; node = node->next) read_node(&g, listed(&g, NODES, node), &none, 0);
}
