// Common part of the readers of mesh files: the bytes, a growing mesh, and errors.
#ifndef HN_FORMATS_MESH_H
#define HN_FORMATS_MESH_H

#include "base/arena.h"
#include "model/mesh.h"

#define HN_MESH_FILE_SIZE ((size_t)128 << 20)
#define HN_MESH_TRIANGLES 2000000

// Memory comes from the arena or, while it grows, from its allocator. Failing is sticky.
typedef struct hn_mesh_reader {
  hn_arena *arena;
  const char *path;
  const unsigned char *bytes;
  size_t size;
  double scale;
  hn_error *error;
  hn_status status;
  double *vertices; // growing
  int vertex_count, vertex_room;
  int *triangles;
  int triangle_count, triangle_room;
  int *slots; // vertices by their place, open addressing; -1: free
  int slot_count;
} hn_mesh_reader;

// The vertex at this place, a new one if no vertex is exactly there; -1 on failure.
int hn_mesh_add_vertex(hn_mesh_reader *reader, const double place[3]);
// Left out when two of them are equal.
void hn_mesh_add_triangle(hn_mesh_reader *reader, int a, int b, int c);
// Keeps the first failure. line 0: the message has the position.
hn_status hn_mesh_fail(hn_mesh_reader *reader, hn_status status, int line, const char *hint,
                       const char *format, ...) HN_PRINTF(5, 6);

// Each reads its format from reader->bytes.
void hn_mesh_read_stl(hn_mesh_reader *reader);
void hn_mesh_read_obj(hn_mesh_reader *reader);
void hn_mesh_read_gltf(hn_mesh_reader *reader);
void hn_mesh_read_dae(hn_mesh_reader *reader);

// hn_mesh_read for bytes in memory; the format follows from the ending of the name.
hn_status hn_mesh_parse(const unsigned char *bytes, size_t size, const char *name, double scale,
                        const hn_allocator *allocator, hn_mesh **mesh, hn_error *error);

// A whole file into the arena.
hn_status hn_mesh_file(hn_arena *arena, const char *path, const unsigned char **bytes, size_t *size,
                       hn_error *error);
// Little endian.
unsigned hn_bytes_u32(const unsigned char *bytes);
double hn_bytes_f32(const unsigned char *bytes);

// Words of a line of text, for the formats made of lines.
typedef struct hn_mesh_line {
  const char *at, *end; // the rest of the line
  int number;           // from 1
} hn_mesh_line;
// The next line after *position; 0 at the end.
int hn_mesh_next_line(const hn_mesh_reader *reader, size_t *position, hn_mesh_line *line);
// The next word, not terminated: its length, 0 at the end of the line.
size_t hn_mesh_word(hn_mesh_line *line, const char **word);
// Three finite numbers; 0 when they are not there.
int hn_mesh_three_numbers(hn_mesh_line *line, double numbers[3]);

#endif
