// COLLADA meshes (.dae): triangles and polygons of the scene, placed by their nodes. Lengths are in
// the unit of the file; its up axis is ignored, as readers of URDF do.
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "formats/import/xml.h"
#include "formats/mesh.h"
#include "math/euler.h"
#include "math/expression.h"

enum { INSTANCES = 100000, NESTED = 32 };

typedef struct affine {
  hn_mat3 r; // any matrix
  hn_vec3 p;
} affine;

typedef struct dae {
  hn_mesh_reader *reader;
  hn_arena *arena;
  hn_xml **ids; // elements with an id, by it
  size_t id_count;
  int instances;
} dae;

static void fail(dae *d, hn_xml *node, const char *what) {
  hn_mesh_fail(d->reader, HN_ERROR_MODEL, node ? node->line : 0,
               "Export the mesh again from the program that made it.", "%s", what);
}

// ---- elements by their ids ----------------------------------------------------------------------

static hn_xml *following(hn_xml *root, hn_xml *at) {
  if (at->first) return at->first;
  while (at != root && !at->next) at = at->parent;
  return at == root ? NULL : at->next;
}

static int by_id(const void *a, const void *b) {
  hn_xml *const *x = a, *const *y = b;
  return strcmp(hn_xml_peek(*x, "id"), hn_xml_peek(*y, "id"));
}

static void index_ids(dae *d, hn_xml *root) {
  for (hn_xml *at = root; at; at = following(root, at))
    d->id_count += hn_xml_peek(at, "id") != NULL;
  d->ids = HN_TAKE(d->arena, hn_xml *, d->id_count + 1);
  size_t count = 0;
  for (hn_xml *at = root; at && d->ids; at = following(root, at))
    if (hn_xml_peek(at, "id")) d->ids[count++] = at;
  if (d->ids) qsort(d->ids, count, sizeof *d->ids, by_id);
}

// "#name"; null if there is no such element.
static hn_xml *refer(const dae *d, const char *url, const char *kind) {
  if (!url || url[0] != '#') return NULL;
  size_t low = 0, high = d->id_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    int order = strcmp(hn_xml_peek(d->ids[middle], "id"), url + 1);
    if (order == 0) return strcmp(d->ids[middle]->name, kind) == 0 ? d->ids[middle] : NULL;
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return NULL;
}

// ---- numbers ------------------------------------------------------------------------------------

// The next number of a text; 0 at its end or if there is no number.
static int next_number(const char **text, double *value) {
  const char *at = *text + strspn(*text, " \t\r\n");
  double sign = 1;
  if (*at == '-' || *at == '+') sign = *at++ == '-' ? -1 : 1;
  size_t length = strcspn(at, " \t\r\n"), read = hn_number_read(at, length, value);
  *text = at + length;
  *value *= sign;
  return read > 0 && read == length;
}

static size_t count_words(const char *text) {
  size_t count = 0;
  for (text += strspn(text, " \t\r\n"); *text; count++) {
    text += strcspn(text, " \t\r\n");
    text += strspn(text, " \t\r\n");
  }
  return count;
}

typedef struct list {
  size_t count;
  double *numbers;
} list;

// Each text is read once, however many instances of it there are.
static const double *numbers_of(dae *d, hn_xml *node, size_t *count) {
  list *known = node->meaning;
  *count = 0;
  if (!known) {
    const char *text = node->text;
    known = HN_TAKE(d->arena, list, 1);
    if (!known) return NULL;
    known->count = count_words(text);
    known->numbers = HN_TAKE(d->arena, double, known->count + 1);
    for (size_t k = 0; known->numbers && k < known->count; k++)
      if (!next_number(&text, &known->numbers[k])) {
        fail(d, node, "has a word instead of a number");
        return NULL;
      }
    node->meaning = known;
  }
  *count = known->count;
  return known->numbers;
}

// ---- geometry -----------------------------------------------------------------------------------

typedef struct points {
  const double *numbers;
  size_t count, stride;
} points;

static hn_xml *input_of(hn_xml *node, const char *semantic) {
  for (hn_xml *i = hn_xml_child(node, "input"); i; i = hn_xml_next(i, "input")) {
    const char *word = hn_xml_peek(i, "semantic");
    if (word && strcmp(word, semantic) == 0) return i;
  }
  return NULL;
}

static size_t whole_at(hn_xml *node, const char *name, size_t otherwise) {
  const char *text = hn_xml_peek(node, name);
  double value = 0;
  if (!text || !next_number(&text, &value) || !(value >= 0 && value < 1e9)) return otherwise;
  return (size_t)value;
}

static points points_of(dae *d, hn_xml *vertex) {
  points found = {NULL, 0, 3};
  hn_xml *vertices = refer(d, hn_xml_peek(vertex, "source"), "vertices");
  hn_xml *position = vertices ? input_of(vertices, "POSITION") : NULL;
  hn_xml *source = position ? refer(d, hn_xml_peek(position, "source"), "source") : NULL;
  hn_xml *array = source ? hn_xml_child(source, "float_array") : NULL;
  hn_xml *technique = source ? hn_xml_child(source, "technique_common") : NULL;
  hn_xml *accessor = technique ? hn_xml_child(technique, "accessor") : NULL;
  if (!array) {
    fail(d, vertex, "has triangles without vertex positions");
    return found;
  }
  found.numbers = numbers_of(d, array, &found.count);
  if (accessor) found.stride = whole_at(accessor, "stride", 3);
  if (found.stride < 3) fail(d, source, "has vertices with fewer than three coordinates");
  return found;
}

static int corner(dae *d, const points *from, const affine *place, double number, hn_xml *node) {
  double x[3];
  size_t at = number >= 0 && number < 1e9 ? (size_t)number * from->stride : from->count;
  if (at + 3 > from->count) {
    fail(d, node, "refers to a vertex that does not exist");
    return -1;
  }
  vec3_store(x, vec3_add(place->p, mat3_apply(place->r, vec3_load(from->numbers + at))));
  return hn_mesh_add_vertex(d->reader, x);
}

// Fans of the polygons of one list of corners.
static void add_polygons(dae *d, hn_xml *kind, hn_xml *from_list, const points *from,
                         const affine *place) {
  size_t stride = 1, count, counts = 0, at = 0;
  hn_xml *vertex = input_of(kind, "VERTEX"), *sizes = hn_xml_child(kind, "vcount");
  size_t offset = whole_at(vertex, "offset", 0);
  for (hn_xml *i = hn_xml_child(kind, "input"); i; i = hn_xml_next(i, "input")) {
    size_t end = whole_at(i, "offset", 0) + 1;
    if (end > stride) stride = end;
  }
  const double *p = numbers_of(d, from_list, &count),
               *size = sizes ? numbers_of(d, sizes, &counts) : NULL;
  int is_one = strcmp(kind->name, "polygons") == 0;
  if (!p || d->reader->status) return;
  for (size_t k = 0; at + stride <= count && !d->reader->status; k++) {
    double n = is_one ? (double)(count / stride) : size && k < counts ? size[k] : 3;
    size_t corners = n >= 1 && n < 1e9 ? (size_t)n : 0;
    if (corners == 0 || at + corners * stride > count || (size && k >= counts)) break;
    int first = -1, last = -1;
    for (size_t c = 0; c < corners; c++) {
      int now = corner(d, from, place, p[at + c * stride + offset], from_list);
      if (now < 0) return;
      if (c == 0) first = now;
      if (c > 1) hn_mesh_add_triangle(d->reader, first, last, now);
      last = now;
    }
    at += corners * stride;
  }
}

static void add_geometry(dae *d, hn_xml *geometry, const affine *place) {
  hn_xml *mesh = hn_xml_child(geometry, "mesh");
  for (hn_xml *kind = mesh ? mesh->first : NULL; kind && !d->reader->status; kind = kind->next) {
    if (strcmp(kind->name, "triangles") != 0 && strcmp(kind->name, "polylist") != 0 &&
        strcmp(kind->name, "polygons") != 0)
      continue;
    hn_xml *vertex = input_of(kind, "VERTEX");
    if (!vertex) continue;
    points from = points_of(d, vertex);
    for (hn_xml *p = hn_xml_child(kind, "p"); p && !d->reader->status; p = hn_xml_next(p, "p"))
      add_polygons(d, kind, p, &from, place);
  }
}

// ---- the scene ----------------------------------------------------------------------------------

static affine multiply(const affine *a, const affine *b) {
  return (affine){mat3_multiply(a->r, b->r), vec3_add(a->p, mat3_apply(a->r, b->p))};
}

static void transform(dae *d, hn_xml *node, affine *place) {
  size_t count;
  affine own = {mat3_identity(), vec3_zero()};
  const char *name = node->name;
  int is_matrix = strcmp(name, "matrix") == 0, is_turn = strcmp(name, "rotate") == 0;
  int is_move = strcmp(name, "translate") == 0, is_scale = strcmp(name, "scale") == 0;
  if (!is_matrix && !is_turn && !is_move && !is_scale) return;
  const double *x = numbers_of(d, node, &count);
  if (!x || count != (is_matrix ? 16u : is_turn ? 4u : 3u)) {
    fail(d, node, "has a transformation with the wrong number of values");
    return;
  }
  if (is_matrix) {
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) own.r.m[i][j] = x[4 * i + j];
    own.p = vec3(x[3], x[7], x[11]);
  } else if (is_turn && vec3_norm(vec3_load(x)) > 0) {
    own.r = quat_matrix(
        quat_from_axis_angle(vec3_unit(vec3_load(x)), x[3] * 3.14159265358979323846 / 180));
  } else if (is_move) {
    own.p = vec3_load(x);
  } else if (is_scale) {
    for (int i = 0; i < 3; i++) own.r.m[i][i] = x[i];
  }
  *place = multiply(place, &own);
}

static void add_node(dae *d, hn_xml *node, affine place, int depth) {
  if (depth > NESTED || ++d->instances > INSTANCES) {
    fail(d, node, "has too many nodes or circular nodes");
    return;
  }
  for (hn_xml *child = node->first; child && !d->reader->status; child = child->next) {
    transform(d, child, &place);
    const char *url = hn_xml_peek(child, "url");
    hn_xml *geometry =
        strcmp(child->name, "instance_geometry") == 0 ? refer(d, url, "geometry") : NULL;
    hn_xml *other = strcmp(child->name, "instance_node") == 0 ? refer(d, url, "node") : NULL;
    if (geometry) add_geometry(d, geometry, &place);
    if (strcmp(child->name, "node") == 0) other = child;
    if (other) add_node(d, other, place, depth + 1);
  }
}

static double unit_of(hn_xml *root) {
  hn_xml *asset = hn_xml_child(root, "asset");
  hn_xml *unit = asset ? hn_xml_child(asset, "unit") : NULL;
  const char *text = unit ? hn_xml_peek(unit, "meter") : NULL;
  double value = 1;
  return text && next_number(&text, &value) && value > 0 ? value : 1;
}

static void read_scene(dae *d, hn_xml *root) {
  double unit = unit_of(root);
  affine place = {mat3_scale(unit, mat3_identity()), vec3_zero()};
  hn_xml *scenes = hn_xml_child(root, "library_visual_scenes");
  hn_xml *all = hn_xml_child(root, "library_geometries");
  index_ids(d, root);
  if (d->arena->failed) return;
  for (hn_xml *s = scenes ? hn_xml_child(scenes, "visual_scene") : NULL; s;
       s = hn_xml_next(s, "visual_scene"))
    add_node(d, s, place, 0);
  if (d->reader->triangle_count > 0 || !all) return;
  for (hn_xml *g = hn_xml_child(all, "geometry"); g; g = hn_xml_next(g, "geometry"))
    add_geometry(d, g, &place);
}

void hn_mesh_read_dae(hn_mesh_reader *reader) {
  hn_error error = {0};
  hn_xml *root = NULL;
  dae d = {.reader = reader, .arena = reader->arena};
  hn_status status = hn_xml_parse(reader->arena, (const char *)reader->bytes, reader->size,
                                  reader->path, &root, &error);
  if (status) {
    hn_mesh_fail(reader, status, error.line, error.hint, "%s", error.message);
    return;
  }
  read_scene(&d, root);
  if (d.arena->failed)
    hn_mesh_fail(reader, HN_ERROR_MEMORY, 0, "Use a mesh with fewer triangles.",
                 "does not fit into memory");
}
