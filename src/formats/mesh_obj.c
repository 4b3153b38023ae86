// Wavefront OBJ: `v x y z` and `f a b c ...` (a, a/t, a//n, a/t/n; negative: from the end). Faces with
// more than three corners become fans. Everything else (normals, materials, groups) is left aside.
#include <string.h>

#include "formats/mesh.h"
#include "math/expression.h"

typedef struct places {
  int *vertex; // of each `v` line, in the mesh
  int count, room;
} places;

static void add_place(hn_mesh_reader *r, places *p, int vertex) {
  if (p->count == p->room) {
    int larger = p->room ? 2 * p->room : 1024;
    int *grown = hn_reallocate(&r->arena->allocator, p->vertex, (size_t)p->room * sizeof(int),
                               (size_t)larger * sizeof(int));
    if (!grown) {
      hn_mesh_fail(r, HN_ERROR_MEMORY, 0, "Use a mesh with fewer triangles.",
                   "does not fit into memory");
      return;
    }
    p->vertex = grown;
    p->room = larger;
  }
  p->vertex[p->count++] = vertex;
}

// The vertex that a corner "12/3/4" means; -1 after a failure.
static int corner_vertex(hn_mesh_reader *r, const places *p, const char *word, size_t length,
                         int line) {
  size_t sign = length > 0 && *word == '-', end = sign;
  long number = 0;
  while (end < length && word[end] >= '0' && word[end] <= '9' && number < 100000000)
    number = 10 * number + (word[end++] - '0');
  int is_read = end > sign && (end == length || word[end] == '/');
  long index = sign ? p->count - number : number - 1;
  if (is_read && index >= 0 && index < p->count) return p->vertex[index];
  hn_mesh_fail(r, HN_ERROR_SYNTAX, line,
               "Export the mesh again. Vertex indices start at 1, or at -1 from the end.",
               "has a face that uses vertex '%.*s', but only %d vertices are defined before it",
               (int)(length < 40 ? length : 40), word, p->count);
  return -1;
}

static void read_face(hn_mesh_reader *r, const places *p, hn_mesh_line *line) {
  int first = -1, last = -1, count = 0;
  const char *word;
  size_t length;
  while (!r->status && (length = hn_mesh_word(line, &word)) > 0) {
    int vertex = corner_vertex(r, p, word, length, line->number);
    if (count == 0) first = vertex;
    if (count >= 2) hn_mesh_add_triangle(r, first, last, vertex);
    last = vertex;
    count++;
  }
  if (count < 3)
    hn_mesh_fail(r, HN_ERROR_SYNTAX, line->number, "Give at least three corners.",
                 "has a face with %d corners", count);
}

void hn_mesh_read_obj(hn_mesh_reader *r) {
  hn_mesh_line line = {0};
  size_t position = 0;
  places p = {0};
  while (!r->status && hn_mesh_next_line(r, &position, &line)) {
    const char *word;
    size_t length = hn_mesh_word(&line, &word);
    if (length == 1 && *word == 'f') read_face(r, &p, &line);
    if (length != 1 || *word != 'v') continue;
    double place[3];
    if (hn_mesh_three_numbers(&line, place))
      add_place(r, &p, hn_mesh_add_vertex(r, place));
    else
      hn_mesh_fail(r, HN_ERROR_SYNTAX, line.number, "Write `v X Y Z`.",
                   "has a vertex without three numbers");
  }
  hn_release(&r->arena->allocator, p.vertex);
}
