// Mesh files: finding the format, reading bytes, growing a mesh with equal corners merged.
//
// Files come from anywhere: sizes are bounded before memory is taken, numbers must be finite.
#include "formats/mesh.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/plain_file.h"
#include "math/expression.h"

hn_status hn_mesh_fail(hn_mesh_reader *r, hn_status status, int line, const char *hint,
                       const char *format, ...) {
  if (r->status) return r->status;
  char message[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  hn_source place = {r->path, line, line > 0 ? 1 : 0};
  r->status = hn_fail(r->error, status, &place, "the mesh", hint, "%s", message);
  return r->status;
}

static void out_of_memory(hn_mesh_reader *r) {
  hn_mesh_fail(r, HN_ERROR_MEMORY, 0, "Use a mesh with fewer triangles.",
               "does not fit into memory");
}

// ---- growing ------------------------------------------------------------------------------------

// Reserves capacity for one more of `size` bytes.
static void *grow(hn_mesh_reader *r, void *array, int *room, int count, size_t size) {
  if (count < *room) return array;
  int larger = *room ? 2 * *room : 1024;
  void *block =
      hn_reallocate(&r->arena->allocator, array, (size_t)*room * size, (size_t)larger * size);
  if (block)
    *room = larger;
  else
    out_of_memory(r);
  return block;
}

static uint64_t place_hash(const double place[3]) {
  uint64_t hash = 1469598103934665603u;
  for (int k = 0; k < 3; k++) {
    double x = place[k] + 0.0; // -0 and 0 are one place
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    hash = (hash ^ bits) * 1099511628211u;
    hash ^= hash >> 29;
  }
  return hash;
}

// The slot where this place is or would be.
static size_t find_slot(const hn_mesh_reader *r, const double place[3]) {
  size_t mask = (size_t)r->slot_count - 1, slot = (size_t)place_hash(place) & mask;
  for (; r->slots[slot] >= 0; slot = (slot + 1) & mask) {
    const double *known = r->vertices + 3 * (size_t)r->slots[slot];
    if (known[0] == place[0] && known[1] == place[1] && known[2] == place[2]) break;
  }
  return slot;
}

// At most half of the slots are taken.
static int make_slots(hn_mesh_reader *r) {
  if (2 * (r->vertex_count + 1) <= r->slot_count) return 1;
  int count = r->slot_count ? 2 * r->slot_count : 4096;
  int *slots = hn_allocate(&r->arena->allocator, (size_t)count * sizeof *slots);
  if (!slots) {
    out_of_memory(r);
    return 0;
  }
  hn_release(&r->arena->allocator, r->slots);
  r->slots = slots;
  r->slot_count = count;
  for (int k = 0; k < count; k++) slots[k] = -1;
  for (int k = 0; k < r->vertex_count; k++) slots[find_slot(r, r->vertices + 3 * (size_t)k)] = k;
  return 1;
}

int hn_mesh_add_vertex(hn_mesh_reader *r, const double place[3]) {
  double own[3];
  for (int k = 0; k < 3; k++) {
    own[k] = r->scale * place[k];
    if (!isfinite(own[k]) || fabs(own[k]) > 1e9) {
      hn_mesh_fail(r, HN_ERROR_MODEL, 0, "Use m, or `scale: 0.001` for mm.",
                   "has the vertex (%g, %g, %g), which is out of range", place[0], place[1],
                   place[2]);
      return -1;
    }
  }
  if (r->status || !make_slots(r)) return -1;
  size_t slot = find_slot(r, own);
  if (r->slots[slot] >= 0) return r->slots[slot];
  double *vertices = grow(r, r->vertices, &r->vertex_room, r->vertex_count, 3 * sizeof *vertices);
  if (!vertices) return -1;
  r->vertices = vertices;
  memcpy(vertices + 3 * (size_t)r->vertex_count, own, sizeof own);
  return r->slots[slot] = r->vertex_count++;
}

void hn_mesh_add_triangle(hn_mesh_reader *r, int a, int b, int c) {
  if (r->status || a == b || b == c || a == c) return;
  if (r->triangle_count >= HN_MESH_TRIANGLES) {
    hn_mesh_fail(r, HN_ERROR_LIMIT, 0,
                 "Reduce its triangles (\"decimate\") in the program that made it.",
                 "has more than %d triangles", HN_MESH_TRIANGLES);
    return;
  }
  int *triangles =
      grow(r, r->triangles, &r->triangle_room, r->triangle_count, 3 * sizeof *triangles);
  if (!triangles) return;
  r->triangles = triangles;
  int *t = triangles + 3 * (size_t)r->triangle_count++;
  t[0] = a;
  t[1] = b;
  t[2] = c;
}

// ---- lines --------------------------------------------------------------------------------------

int hn_mesh_next_line(const hn_mesh_reader *r, size_t *position, hn_mesh_line *line) {
  if (*position >= r->size) return 0;
  const char *text = (const char *)r->bytes + *position;
  const char *end = memchr(text, '\n', r->size - *position);
  line->at = text;
  line->end = end ? end : (const char *)r->bytes + r->size;
  line->number++;
  *position += (size_t)(line->end - text) + 1;
  return 1;
}

static int is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

size_t hn_mesh_word(hn_mesh_line *line, const char **word) {
  while (line->at < line->end && is_blank(*line->at)) line->at++;
  *word = line->at;
  while (line->at < line->end && !is_blank(*line->at)) line->at++;
  return (size_t)(line->at - *word);
}

int hn_mesh_three_numbers(hn_mesh_line *line, double numbers[3]) {
  for (int k = 0; k < 3; k++) {
    const char *word;
    size_t length = hn_mesh_word(line, &word);
    size_t sign = length > 0 && (*word == '-' || *word == '+');
    if (length <= sign ||
        hn_number_read(word + sign, length - sign, &numbers[k]) != length - sign ||
        !isfinite(numbers[k]))
      return 0;
    if (*word == '-') numbers[k] = -numbers[k];
  }
  return 1;
}

// ---- bytes --------------------------------------------------------------------------------------

unsigned hn_bytes_u32(const unsigned char *b) {
  return (unsigned)b[0] | (unsigned)b[1] << 8 | (unsigned)b[2] << 16 | (unsigned)b[3] << 24;
}

double hn_bytes_f32(const unsigned char *b) {
  uint32_t bits = hn_bytes_u32(b);
  float value;
  memcpy(&value, &bits, sizeof value);
  return (double)value;
}

hn_status hn_mesh_file(hn_arena *arena, const char *path, const unsigned char **bytes, size_t *size,
                       hn_error *error) {
  hn_source place = {path, 0, 0};
  const char *what = hn_not_a_plain_file(path);
  if (what)
    return hn_fail(error, HN_ERROR_FILE, &place, "the mesh", "Use a mesh file.",
                   "is not a file but %s", what);
  errno = 0;
  FILE *file = fopen(path, "rb");
  if (!file)
    return hn_fail(error, HN_ERROR_FILE, &place, "the mesh",
                   "Check the path; it is relative to the model file that names it.",
                   "cannot be opened: %s", errno ? strerror(errno) : "no reason given");
  size_t room = 1 << 16, used = 0;
  unsigned char *block = hn_arena_take(arena, room, 1);
  while (block) {
    used += fread(block + used, 1, room - used, file);
    if (used < room || used > HN_MESH_FILE_SIZE) break;
    unsigned char *larger = hn_arena_take(arena, 2 * room, 1);
    if (larger) memcpy(larger, block, used);
    block = larger;
    room *= 2;
  }
  int failed = ferror(file);
  fclose(file);
  *bytes = block;
  *size = used;
  if (!block)
    return hn_fail(error, HN_ERROR_MEMORY, &place, "the mesh", "Close other programs.",
                   "does not fit into memory");
  if (failed)
    return hn_fail(error, HN_ERROR_FILE, &place, "the mesh", "Use a file, not a folder.",
                   "cannot be read");
  if (used > HN_MESH_FILE_SIZE)
    return hn_fail(error, HN_ERROR_LIMIT, &place, "the mesh",
                   "Reduce its triangles in the program that made it.", "is larger than %zu MB",
                   HN_MESH_FILE_SIZE >> 20);
  return HN_OK;
}

// ---- reading ------------------------------------------------------------------------------------

static int has_ending(const char *path, const char *ending) {
  size_t length = strlen(path), size = strlen(ending);
  if (length < size) return 0;
  for (size_t k = 0; k < size; k++) {
    char c = path[length - size + k];
    if (c >= 'A' && c <= 'Z') c = (char)(c - 'A' + 'a');
    if (c != ending[k]) return 0;
  }
  return 1;
}

static const char *file_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static hn_mesh *finish(hn_mesh_reader *r, const hn_allocator *allocator) {
  // a reader that ran out of memory and went on has read only a part
  if (r->arena->failed) out_of_memory(r);
  if (r->status) return NULL;
  if (r->triangle_count == 0) {
    hn_mesh_fail(r, HN_ERROR_MODEL, 0, "Export it with triangles from the program that made it.",
                 "has no triangles");
    return NULL;
  }
  double *vertices;
  int *triangles;
  hn_mesh *mesh = hn_mesh_new(allocator, file_name(r->path), r->vertex_count, r->triangle_count,
                              &vertices, &triangles);
  if (!mesh) {
    out_of_memory(r);
    return NULL;
  }
  memcpy(vertices, r->vertices, 3 * (size_t)r->vertex_count * sizeof *vertices);
  memcpy(triangles, r->triangles, 3 * (size_t)r->triangle_count * sizeof *triangles);
  return mesh;
}

// The reader for a file of this name, or null.
static void (*reader_for(const char *path))(hn_mesh_reader *) {
  if (has_ending(path, ".stl")) return hn_mesh_read_stl;
  if (has_ending(path, ".obj")) return hn_mesh_read_obj;
  if (has_ending(path, ".dae")) return hn_mesh_read_dae;
  return has_ending(path, ".gltf") || has_ending(path, ".glb") ? hn_mesh_read_gltf : NULL;
}

// Bytes that are null are read from the path first.
static hn_status read_mesh(const unsigned char *bytes, size_t size, const char *path, double scale,
                           const hn_allocator *allocator, hn_mesh **mesh, hn_error *error) {
  if (mesh) *mesh = NULL;
  if (!path || !mesh || !(scale > 0) || !isfinite(scale))
    return hn_fail(error, HN_ERROR_ARGUMENT, NULL, "the mesh", "Pass a path and a scale above 0.",
                   "cannot be read: invalid arguments");
  hn_arena arena;
  hn_arena_init(&arena, allocator);
  hn_mesh_reader r = {
      .arena = &arena, .path = path, .bytes = bytes, .size = size, .scale = scale, .error = error};
  void (*read)(hn_mesh_reader *) = reader_for(path);
  if (!read)
    hn_mesh_fail(&r, HN_ERROR_MODEL, 0, "Use .stl, .obj, .dae, .gltf or .glb.",
                 "has an unknown file extension");
  else if (!bytes)
    r.status = hn_mesh_file(&arena, path, &r.bytes, &r.size, error);
  if (!r.status) read(&r);
  *mesh = finish(&r, allocator);
  hn_release(&arena.allocator, r.vertices);
  hn_release(&arena.allocator, r.triangles);
  hn_release(&arena.allocator, r.slots);
  hn_arena_release(&arena);
  return r.status;
}

hn_status hn_mesh_read(const char *path, double scale, const hn_allocator *allocator,
                       hn_mesh **mesh, hn_error *error) {
  return read_mesh(NULL, 0, path, scale, allocator, mesh, error);
}

hn_status hn_mesh_parse(const unsigned char *bytes, size_t size, const char *name, double scale,
                        const hn_allocator *allocator, hn_mesh **mesh, hn_error *error) {
  return read_mesh(bytes, size, name, scale, allocator, mesh, error);
}
