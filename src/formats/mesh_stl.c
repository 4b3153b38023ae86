// STL: binary (80 bytes, a count, 50 bytes a triangle) and text (solid ... vertex x y z ...).
//
// A file is binary exactly when its length fits its count; a text file may start with anything.
// Normals are not used: the order of the corners says which side is outside.
#include <string.h>

#include "formats/mesh.h"

#define HEAD 84
#define RECORD 50

static void read_binary(hn_mesh_reader *r, size_t count) {
  for (size_t k = 0; k < count && !r->status; k++) {
    const unsigned char *record = r->bytes + HEAD + RECORD * k + 12;
    int corner[3];
    for (int c = 0; c < 3; c++) {
      double place[3];
      for (int i = 0; i < 3; i++) place[i] = hn_bytes_f32(record + 12 * c + 4 * i);
      corner[c] = hn_mesh_add_vertex(r, place);
    }
    hn_mesh_add_triangle(r, corner[0], corner[1], corner[2]);
  }
}

static void read_text(hn_mesh_reader *r) {
  hn_mesh_line line = {0};
  size_t position = 0;
  int corner[3], count = 0;
  while (!r->status && hn_mesh_next_line(r, &position, &line)) {
    const char *word;
    size_t length = hn_mesh_word(&line, &word);
    if (length == 7 && memcmp(word, "endloop", 7) == 0) {
      if (count != 3)
        hn_mesh_fail(r, HN_ERROR_SYNTAX, line.number, "Export it with triangles only.",
                     "has a loop with %d corners", count);
      else
        hn_mesh_add_triangle(r, corner[0], corner[1], corner[2]);
      count = 0;
    }
    if (length != 6 || memcmp(word, "vertex", 6) != 0) continue;
    double place[3];
    if (!hn_mesh_three_numbers(&line, place))
      hn_mesh_fail(r, HN_ERROR_SYNTAX, line.number, "Write `vertex X Y Z`.",
                   "has a corner without three numbers");
    else if (count == 3)
      hn_mesh_fail(r, HN_ERROR_SYNTAX, line.number, "Export it with triangles only.",
                   "has a loop with more than three corners");
    else
      corner[count++] = hn_mesh_add_vertex(r, place);
  }
  if (count > 0)
    hn_mesh_fail(r, HN_ERROR_SYNTAX, line.number, "Export it again; the file may be incomplete.",
                 "ends inside a triangle");
}

void hn_mesh_read_stl(hn_mesh_reader *r) {
  size_t count = r->size >= HEAD ? hn_bytes_u32(r->bytes + 80) : 0;
  int is_text = r->size >= 5 && memcmp(r->bytes, "solid", 5) == 0;
  if (r->size >= HEAD && count <= HN_MESH_TRIANGLES && r->size == HEAD + RECORD * count)
    read_binary(r, count);
  else if (is_text)
    read_text(r);
  else if (r->size < HEAD)
    hn_mesh_fail(r, HN_ERROR_SYNTAX, 0, "Export it again; the file may be incomplete.",
                 "is truncated: %zu bytes, but the header of a binary STL has %d", r->size, HEAD);
  else
    hn_mesh_fail(
        r, HN_ERROR_SYNTAX, 0, "Export it again; the file may be incomplete.",
        "has the wrong length: byte 80 gives %zu triangles (%zu bytes), but the file has %zu bytes",
        count, HEAD + RECORD * count, r->size);
}
