// Shapes for contact that are drawn as something else: planes, curves, height fields.
#include <math.h>

#include "base/error.h"
#include "contact/curve.h"
#include "formats/geometry.h"
#include "formats/touch.h"
#include "holon/scene.h"
#include "math/elementary.h"
#include "math/vec.h"

#define THICKNESS 0.002 // of the plate that represents a plane, as a fraction of its size

static void read_plane(hn_fields *part, hn_shape_def *def) {
  double size = hn_field_number(part, "size");
  hn_source place = hn_node_source(part->map);
  if (!(size > 0) && hn_loader_ok(part->context->loader))
    hn_loader_fail(part->context->loader, HN_ERROR_MODEL, &place,
                   "Give a length greater than zero.",
                   "has a plane of the size %g m, which is not positive", size);
  def->size = vec3(size, size, THICKNESS * size);
}

// ---- curves -------------------------------------------------------------------------------------

#define MOST_POINTS 5000

static double *read_points(hn_fields *part, int *count) {
  const hn_context *context = part->context;
  hn_loader *loader = context->loader;
  const hn_node *list = hn_field_need(part, "points");
  *count = 0;
  if (!list) return NULL;
  hn_source place = hn_node_source(list);
  if (list->kind != HN_NODE_LIST || list->count < 2 || list->count > MOST_POINTS) {
    hn_loader_fail(loader, HN_ERROR_MODEL, &place, "Write [[x, y], [x, y], ...].",
                   "expects 2 to %d points in 'points'", MOST_POINTS);
    return NULL;
  }
  double *points = hn_loader_take(loader, 3 * (size_t)list->count, sizeof *points);
  for (const hn_node *n = list->first; points && n && hn_loader_ok(loader); n = n->next) {
    place = hn_node_source(n);
    if (n->kind != HN_NODE_LIST || n->count < 2 || n->count > 3) {
      hn_loader_fail(loader, HN_ERROR_MODEL, &place, "Write [x, y], or [x, y, bulge] for an arc.",
                     "has point %d in 'points', which is not a pair of numbers", *count + 1);
      return NULL;
    }
    const hn_node *y = n->first->next;
    double *p = &points[3 * (*count)++];
    p[0] = hn_number_of(context, n->first, HN_LENGTH, "points");
    p[1] = hn_number_of(context, y, HN_LENGTH, "points");
    if (y->next) p[2] = hn_number_of(context, y->next, HN_NUMBER, "points");
  }
  return points;
}

// The extrusion that is drawn: the polygon along a closed curve; of an open one a strip.
static void draw_curve(hn_fields *part, hn_shape_def *def, const hn_curve *curve) {
  hn_loader *loader = part->context->loader;
  enum { EACH = 4 };
  int room = 4 * EACH * curve->count + 2, count;
  double *points = hn_loader_take(loader, 4 * (size_t)room, sizeof *points);
  if (!points) return;
  count = hn_curve_sample(curve, EACH, points, room);
  if (!curve->is_closed || count < 3) {
    double thin = 0.25 * def->length;
    for (int k = 0; k < count; k++) { // back along the solid side
      int from = count - 1 - k, a = from > 0 ? from - 1 : from,
          b = from < count - 1 ? from + 1 : from;
      double dx = points[2 * b] - points[2 * a], dy = points[2 * b + 1] - points[2 * a + 1];
      double length = hn_hypot(dx, dy);
      points[2 * (count + k)] = points[2 * from] - (length > 0 ? thin * dy / length : 0);
      points[2 * (count + k) + 1] = points[2 * from + 1] + (length > 0 ? thin * dx / length : 0);
    }
    count *= 2;
  }
  def->profile = points;
  def->profile_count = count;
}

// Two points one after the other at one place.
static int check_apart(hn_fields *part, const hn_shape_def *def) {
  int count = def->curve_count, pieces = def->curve_is_closed ? count : count - 1;
  for (int k = 0; k < pieces; k++) {
    int next = (k + 1) % count;
    const double *a = &def->curve[3 * k], *b = &def->curve[3 * next];
    if (hn_hypot(b[0] - a[0], b[1] - a[1]) > 1e-12) continue;
    hn_source place = hn_node_source(hn_field(part, "points"));
    hn_loader_fail(
        part->context->loader, HN_ERROR_MODEL, &place,
        next ? "Delete one of them." : "Delete the last: a closed curve needs no repeated point.",
        "has a curve whose points %d and %d are both (%g, %g) m", k + 1, next + 1, a[0], a[1]);
    return 0;
  }
  return 1;
}

static void read_curve(hn_fields *part, hn_shape_def *def) {
  hn_loader *loader = part->context->loader;
  double *points = read_points(part, &def->curve_count);
  def->curve = points;
  def->curve_is_spline = hn_field_boolean(part, "spline");
  def->curve_is_closed = !hn_field_given(part, "closed") || hn_field_boolean(part, "closed");
  def->curve_is_hollow = hn_field_boolean(part, "hollow");
  def->length = hn_field_number(part, "length");
  hn_source place = hn_node_source(part->map);
  if (!hn_loader_ok(loader)) return;
  if (!(def->length > 0)) {
    hn_loader_fail(loader, HN_ERROR_MODEL, &place, "Give a length greater than zero.",
                   "has a curve with the length %g m, which is not positive", def->length);
    return;
  }
  if (!check_apart(part, def)) return;
  hn_curve *curve;
  const char *why;
  hn_status status = hn_curve_make(&loader->arena, def, &curve, &why);
  if (status)
    hn_loader_fail(loader, status, &place, "Change its points.", "has a curve that %s", why);
  else
    draw_curve(part, def, curve);
}

// ---- heights ------------------------------------------------------------------------------------

#define MOST_HEIGHTS 1000000

// The mesh that is drawn: two triangles a cell.
static void draw_heights(hn_fields *part, hn_shape_def *def) {
  hn_loader *loader = part->context->loader;
  int n = def->grid[0], m = def->grid[1], next = 0;
  hn_mesh *mesh = hn_loader_take(loader, 1, sizeof *mesh);
  double *vertices = hn_loader_take(loader, 3 * (size_t)n * (size_t)m, sizeof *vertices);
  int *triangles = hn_loader_take(loader, 6 * (size_t)n * (size_t)m, sizeof *triangles);
  if (!mesh || !vertices || !triangles) return;
  for (int k = 0; k < n * m; k++) {
    int column = k % n, row = k / n;
    vertices[3 * k] = (column - 0.5 * (n - 1)) * def->grid_step[0];
    vertices[3 * k + 1] = (row - 0.5 * (m - 1)) * def->grid_step[1];
    vertices[3 * k + 2] = def->heights[k];
    if (column == n - 1 || row == m - 1) continue;
    const int corners[6] = {k, k + 1, k + n + 1, k, k + n + 1, k + n};
    for (int i = 0; i < 6; i++) triangles[next++] = corners[i];
  }
  *mesh = (hn_mesh){.name = "heights",
                    .vertex_count = n * m,
                    .triangle_count = next / 3,
                    .vertices = vertices,
                    .triangles = triangles};
  def->mesh = mesh;
}

// Their mirror image: the rows in reverse.
static void reverse_rows(double *heights, int columns, int rows) {
  for (int k = 0; k < rows / 2; k++)
    for (int i = 0; i < columns; i++) {
      double *a = &heights[k * columns + i], *b = &heights[(rows - 1 - k) * columns + i];
      const double kept = *a;
      *a = *b;
      *b = kept;
    }
}

static void read_heights(hn_fields *part, int is_mirrored, hn_shape_def *def) {
  hn_loader *loader = part->context->loader;
  const hn_node *list = hn_field(part, "values");
  double columns = hn_field_number(part, "columns");
  int most = list && list->kind == HN_NODE_LIST ? list->count : 0;
  hn_source place = hn_node_source(part->map);
  hn_field_numbers(part, "step", 2, 2, def->grid_step);
  if (!hn_loader_ok(loader)) return;
  if (!(columns >= 2) || columns > most || most > MOST_HEIGHTS || most % (int)columns != 0 ||
      most / (int)columns < 2 || !(def->grid_step[0] > 0) || !(def->grid_step[1] > 0)) {
    hn_loader_fail(
        loader, HN_ERROR_MODEL, &place,
        "Give a grid of heights, 2 x 2 or more, a multiple of `columns`, and steps above 0.",
        "has an invalid height field: %d heights in %g columns, spacing %g m and %g m", most,
        columns, def->grid_step[0], def->grid_step[1]);
    return;
  }
  double *heights = hn_loader_take(loader, (size_t)most, sizeof *heights);
  if (!heights) return;
  hn_field_numbers(part, "values", most, most, heights);
  def->heights = heights;
  def->grid[0] = (int)columns;
  def->grid[1] = most / (int)columns;
  if (is_mirrored) reverse_rows(heights, def->grid[0], def->grid[1]);
  draw_heights(part, def);
}

// ---- ellipsoids ---------------------------------------------------------------------------------

#define SEGMENTS 24 // around it

void hn_ellipsoid_read(hn_fields *fields, hn_shape_def *def) {
  hn_loader *loader = fields->context->loader;
  hn_shape_def ball = hn_default_shape(HN_SHAPE_SPHERE);
  hn_mesh *drawn = NULL;
  const hn_vec3 a = def->size = hn_field_vector(fields, "ellipsoid");
  const hn_source place = def->source;
  if (!hn_loader_ok(loader)) return;
  if (!(a.x > 0 && a.y > 0 && a.z > 0)) {
    hn_loader_fail(loader, HN_ERROR_MODEL, &place, "Give three lengths greater than zero.",
                   "has an ellipsoid with the half axes %g, %g and %g m", a.x, a.y, a.z);
    return;
  }
  ball.radius = 1;
  hn_status status = hn_shape_triangles(&ball, SEGMENTS, &drawn, loader->error);
  hn_mesh *mesh = hn_loader_take(loader, 1, sizeof *mesh);
  if (!status && mesh) {
    *mesh = *drawn;
    mesh->name = "ellipsoid";
    const size_t size = 3 * (size_t)drawn->vertex_count;
    double *vertices = hn_arena_copy(&loader->arena, drawn->vertices, size, sizeof *vertices);
    for (size_t k = 0; vertices && k < size; k += 3) {
      vertices[k] *= a.x;
      vertices[k + 1] *= a.y;
      vertices[k + 2] *= a.z;
    }
    mesh->vertices = vertices;
    mesh->triangles = hn_arena_copy(&loader->arena, drawn->triangles,
                                    3 * (size_t)drawn->triangle_count, sizeof(int));
    def->mesh = mesh;
  }
  hn_mesh_free(drawn);
  if (status || !mesh || loader->arena.failed) hn_loader_take(loader, 1, 1); // reports
}

// ---- all of them --------------------------------------------------------------------------------

void hn_touch_read(hn_fields *fields, const hn_node *node, int is_mirrored, hn_shape_def *def) {
  static const char *const sections[] = {"", "plane", "curve", "heights"};
  hn_fields part;
  if (!hn_fields_open(fields->context, node, hn_section_find(sections[def->touch], NULL), &part))
    return;
  if (def->touch == HN_TOUCH_PLANE) read_plane(&part, def);
  if (def->touch == HN_TOUCH_CURVE) read_curve(&part, def);
  if (def->touch == HN_TOUCH_HEIGHTS) read_heights(&part, is_mirrored, def);
  hn_fields_close(&part);
}
