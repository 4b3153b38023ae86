// The convex hull of points, by adding one after the other, then with plane faces of any number of
// corners.
//
// Points of mesh files lie in planes up to rounding. What a new point sees can then be inconsistent:
// the surface gets holes or folds. Each hull is checked (Euler's formula, no point outside). If it
// fails, points are moved by a tiny amount until it holds; the result has the corners where they were.
#include <math.h>
#include <string.h>

#include "contact/geometry.h"

#define FLAT 1e-9      // of the extent: below it a point lies in a plane
#define EVEN 1e-5      // the same for faces of moved points
#define OUTSIDE 2e-5   // of the extent: so far may a point be outside
#define ROUNDING 1e-13 // of the extent: below it a moved point lies in a plane

typedef struct triangle {
  int corner[3];
  hn_vec3 normal;
  double offset;
  int is_alive, is_seen;
  int face; // of the result; -1: not yet known
} triangle;

typedef struct builder {
  const hn_vec3 *points; // as given
  const hn_vec3 *x;      // the same, perhaps moved a little
  int count;
  double extent;
  double flat; // FLAT times the extent
  double even; // corners so near to a plane are in its face; below 0: each triangle is a face
  triangle *list;
  int used, room;
  int (*horizon)[2];
  int horizon_room;
} builder;

static double above(const triangle *t, hn_vec3 x) { return vec3_dot(t->normal, x) - t->offset; }

static int add_triangle(builder *b, int i, int j, int k) {
  if (b->used >= b->room) return 0;
  triangle *t = &b->list[b->used++];
  hn_vec3 n = vec3_cross(vec3_sub(b->x[j], b->x[i]), vec3_sub(b->x[k], b->x[i]));
  *t = (triangle){.corner = {i, j, k}, .normal = vec3_unit(n), .is_alive = 1, .face = -1};
  t->offset = vec3_dot(t->normal, b->x[i]);
  return 1;
}

// The point furthest from what is there: a point, a line, a plane.
static int furthest(const builder *b, const int *base, int rank) {
  int best = -1;
  double most = b->flat;
  for (int k = 0; k < b->count; k++) {
    hn_vec3 way = vec3_sub(b->x[k], b->x[base[0]]);
    double far = vec3_norm(way);
    hn_vec3 e = rank > 1 ? vec3_unit(vec3_sub(b->x[base[1]], b->x[base[0]])) : vec3_zero();
    if (rank == 2) far = vec3_norm(vec3_cross(e, way));
    if (rank == 3) {
      hn_vec3 n = vec3_unit(vec3_cross(e, vec3_sub(b->x[base[2]], b->x[base[0]])));
      far = fabs(vec3_dot(n, way));
    }
    if (far > most) {
      most = far;
      best = k;
    }
  }
  return best;
}

static int start_tetrahedron(builder *b, int base[4]) {
  base[0] = 0;
  for (int rank = 1; rank < 4; rank++)
    if ((base[rank] = furthest(b, base, rank)) < 0) return 0;
  hn_vec3 n =
      vec3_cross(vec3_sub(b->x[base[1]], b->x[base[0]]), vec3_sub(b->x[base[2]], b->x[base[0]]));
  if (vec3_dot(n, vec3_sub(b->x[base[3]], b->x[base[0]])) > 0) {
    int kept = base[1];
    base[1] = base[2];
    base[2] = kept;
  }
  return add_triangle(b, base[0], base[1], base[2]) && add_triangle(b, base[0], base[3], base[1]) &&
         add_triangle(b, base[1], base[3], base[2]) && add_triangle(b, base[2], base[3], base[0]);
}

// An edge of a seen triangle belongs to the horizon when the one beyond it is not seen: it is in
// the list once. The same edge the other way round takes it out again.
static int toggle_edge(builder *b, int *count, int from, int to) {
  for (int k = 0; k < *count; k++)
    if (b->horizon[k][0] == to && b->horizon[k][1] == from) {
      (*count)--;
      b->horizon[k][0] = b->horizon[*count][0];
      b->horizon[k][1] = b->horizon[*count][1];
      return 1;
    }
  if (*count >= b->horizon_room) return 0;
  b->horizon[*count][0] = from;
  b->horizon[(*count)++][1] = to;
  return 1;
}

static void compact(builder *b) {
  int kept = 0;
  for (int k = 0; k < b->used; k++)
    if (b->list[k].is_alive) b->list[kept++] = b->list[k];
  b->used = kept;
}

static int add_point(builder *b, int point) {
  int edges = 0;
  for (int k = 0; k < b->used; k++) {
    triangle *t = &b->list[k];
    if (above(t, b->x[point]) <= b->flat) continue;
    t->is_alive = 0;
    for (int i = 0; i < 3; i++)
      if (!toggle_edge(b, &edges, t->corner[i], t->corner[(i + 1) % 3])) return 0;
  }
  if (edges == 0) return 1;
  compact(b);
  for (int k = 0; k < edges; k++)
    if (!add_triangle(b, b->horizon[k][0], b->horizon[k][1], point)) return 0;
  return 1;
}

// ---- faces --------------------------------------------------------------------------------------

static int shares_edge(const triangle *a, const triangle *b) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      if (a->corner[i] == b->corner[(j + 1) % 3] && a->corner[(i + 1) % 3] == b->corner[j])
        return 1;
  return 0;
}

// The plane of a triangle's corners as given.
static int near_plane(const builder *b, const triangle *s, const triangle *t) {
  const hn_vec3 *x = b->points, o = x[s->corner[0]];
  const hn_vec3 n =
      vec3_unit(vec3_cross(vec3_sub(x[s->corner[1]], o), vec3_sub(x[s->corner[2]], o)));
  for (int i = 0; i < 3; i++)
    if (!(fabs(vec3_dot(n, vec3_sub(x[t->corner[i]], o))) <= b->even)) return 0;
  return 1;
}

static int same_plane(const builder *b, const triangle *s, const triangle *t) {
  if (b->even < 0) return 0;
  if (b->even > 0) return near_plane(b, s, t);
  if (vec3_dot(s->normal, t->normal) < 0.99) return 0;
  for (int i = 0; i < 3; i++)
    if (fabs(above(s, b->x[t->corner[i]])) > 10 * b->flat) return 0;
  return 1;
}

static double triangle_area(const builder *b, const triangle *t) {
  const hn_vec3 *x = b->points, o = x[t->corner[0]];
  return vec3_norm(vec3_cross(vec3_sub(x[t->corner[1]], o), vec3_sub(x[t->corner[2]], o)));
}

// The next triangle without a face: with moved points the largest, whose plane is known best.
static int next_seed(const builder *b, int from) {
  int best = -1;
  double most = -1;
  for (int k = from; k < b->used; k++) {
    if (b->list[k].face >= 0) continue;
    if (!(b->even > 0)) return k;
    const double area = triangle_area(b, &b->list[k]);
    if (area <= most) continue;
    most = area;
    best = k;
  }
  return best;
}

// Triangles of one plane that hang together become one face; returns the number of faces.
static int find_faces(builder *b) {
  int faces = 0;
  for (int k = next_seed(b, 0); k >= 0; k = next_seed(b, b->even > 0 ? 0 : k + 1)) {
    b->list[k].face = faces;
    for (int grew = 1; grew;) {
      grew = 0;
      for (int i = 0; i < b->used; i++) {
        triangle *t = &b->list[i];
        if (t->face >= 0 || !same_plane(b, &b->list[k], t)) continue;
        for (int j = 0; j < b->used && t->face < 0; j++)
          if (b->list[j].face == faces && shares_edge(&b->list[j], t)) {
            t->face = faces;
            grew = 1;
          }
      }
    }
    faces++;
  }
  return faces;
}

// The corners of a face in order: its border, walked along.
static int walk_border(builder *b, int face, int *corners) {
  int edges = 0, count = 0;
  for (int k = 0; k < b->used; k++)
    for (int i = 0; b->list[k].face == face && i < 3; i++)
      if (!toggle_edge(b, &edges, b->list[k].corner[i], b->list[k].corner[(i + 1) % 3])) return 0;
  int at = b->horizon[0][0], first = at;
  do {
    int next = -1;
    for (int k = 0; k < edges && next < 0; k++)
      if (b->horizon[k][0] == at) next = b->horizon[k][1];
    if (next < 0 || count >= edges) return 0;
    corners[count++] = at;
    at = next;
  } while (at != first);
  return count;
}

static hn_vec3 face_normal(const hn_hull *h, int face) {
  hn_vec3 n = vec3_zero();
  int first = h->start[face], end = h->start[face + 1];
  for (int k = first; k < end; k++)
    n = vec3_add(n, vec3_cross(h->vertices[h->corners[k]],
                               h->vertices[h->corners[k + 1 < end ? k + 1 : first]]));
  return vec3_unit(n);
}

// Edges from the borders of the faces, each once.
static void find_edges(hn_hull *h) {
  for (int f = 0; f < h->face_count; f++)
    for (int k = h->start[f]; k < h->start[f + 1]; k++) {
      int from = h->corners[k];
      int to = h->corners[k + 1 < h->start[f + 1] ? k + 1 : h->start[f]];
      int known = 0;
      while (known < h->edge_count && !(h->edges[known][0] == to && h->edges[known][1] == from))
        known++;
      if (known < h->edge_count) {
        h->edge_faces[known][1] = f;
        continue;
      }
      h->edges[h->edge_count][0] = from;
      h->edges[h->edge_count][1] = to;
      h->edge_faces[h->edge_count][0] = h->edge_faces[h->edge_count][1] = f;
      h->edge_count++;
    }
}

// Only those points that are corners, in the order they were given.
static void keep_corners(hn_hull *h, const builder *b, int *place, int corner_count) {
  for (int k = 0; k < b->count; k++) place[k] = -1;
  for (int k = 0; k < corner_count; k++) place[h->corners[k]] = 0;
  for (int k = 0; k < b->count; k++)
    if (place[k] == 0) {
      place[k] = h->vertex_count;
      h->vertices[h->vertex_count++] = b->points[k];
    }
  for (int k = 0; k < corner_count; k++) h->corners[k] = place[h->corners[k]];
}

static hn_status collect(hn_arena *arena, builder *b, hn_hull **result) {
  int faces = find_faces(b), most = 3 * b->used, filled = 0;
  hn_hull *h = HN_TAKE(arena, hn_hull, 1);
  int *place = HN_TAKE(arena, int, b->count);
  if (!h || !place) return HN_ERROR_MEMORY;
  h->vertices = HN_TAKE(arena, hn_vec3, b->count);
  h->normals = HN_TAKE(arena, hn_vec3, faces);
  h->offsets = HN_TAKE(arena, double, faces);
  h->start = HN_TAKE(arena, int, faces + 1);
  h->corners = HN_TAKE(arena, int, most);
  h->edges = hn_arena_take(arena, (size_t)most, sizeof *h->edges);
  h->edge_faces = hn_arena_take(arena, (size_t)most, sizeof *h->edge_faces);
  if (arena->failed) return HN_ERROR_MEMORY;
  h->face_count = faces;
  for (int f = 0; f < faces; f++) {
    int count = walk_border(b, f, h->corners + filled);
    if (count < 3) return HN_ERROR_MODEL;
    filled += count;
    h->start[f + 1] = filled;
  }
  keep_corners(h, b, place, filled);
  for (int f = 0; f < faces; f++) {
    h->normals[f] = face_normal(h, f);
    h->offsets[f] = vec3_dot(h->normals[f], h->vertices[h->corners[h->start[f]]]);
  }
  find_edges(h);
  *result = h;
  return HN_OK;
}

// ---- checks -------------------------------------------------------------------------------------

static int is_closed(const builder *b, const hn_hull *h) {
  if (h->vertex_count + h->face_count - h->edge_count != 2) return 0;
  for (int e = 0; e < h->edge_count; e++)
    if (h->edge_faces[e][0] == h->edge_faces[e][1]) return 0;
  for (int f = 0; f < h->face_count; f++) {
    if (!(vec3_norm(h->normals[f]) > 0.5)) return 0; // a face without area
    for (int k = 0; k < b->count; k++)
      if (!(vec3_dot(h->normals[f], b->points[k]) - h->offsets[f] <= OUTSIDE * b->extent)) return 0;
  }
  return 1;
}

// HN_ERROR_MODEL: the points lie in a plane, or rounding makes the surface inconsistent.
static hn_status try_hull(hn_arena *arena, builder *b, hn_hull **hull) {
  int base[4];
  b->used = 0;
  if (!start_tetrahedron(b, base)) return HN_ERROR_MODEL;
  for (int k = 0; k < b->count; k++)
    if (!add_point(b, k)) return HN_ERROR_MODEL;
  hn_status status = collect(arena, b, hull);
  return status ? status : is_closed(b, *hull) ? HN_OK : HN_ERROR_MODEL;
}

// Moves points by up to `size`, the same way each time.
static void shake(hn_vec3 *x, const hn_vec3 *points, int count, double size) {
  unsigned seed = 12345u;
  for (int k = 0; k < count; k++) {
    double by[3];
    for (int i = 0; i < 3; i++) {
      seed = seed * 1664525u + 1013904223u;
      by[i] = size * ((double)(seed >> 8) / (1 << 23) - 1);
    }
    x[k] = vec3_add(points[k], vec3_load(by));
  }
}

static hn_status try_shaken(hn_arena *arena, builder *b, hn_hull **hull) {
  static const double sizes[] = {1e-7, 1e-6, 1e-5}; // of the extent
  hn_vec3 *x = HN_TAKE(arena, hn_vec3, b->count);
  if (!x) return HN_ERROR_MEMORY;
  b->x = x;
  b->flat = ROUNDING * b->extent;
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
    for (int is_even = 1; is_even >= 0; is_even--) {
      shake(x, b->points, b->count, sizes[k] * b->extent);
      b->even = is_even ? EVEN * b->extent : -1;
      hn_status status = try_hull(arena, b, hull);
      if (status != HN_ERROR_MODEL) return status;
    }
  return HN_ERROR_MODEL;
}

hn_status hn_hull_make(hn_arena *arena, const hn_vec3 *points, int count, hn_hull **hull) {
  *hull = NULL;
  if (count < 4) return HN_ERROR_MODEL;
  builder b = {.points = points,
               .x = points,
               .count = count,
               .room = 6 * count + 16,
               .horizon_room = 6 * count + 16};
  b.list = HN_TAKE(arena, triangle, b.room);
  b.horizon = hn_arena_take(arena, (size_t)b.horizon_room, sizeof *b.horizon);
  if (!b.list || !b.horizon) return HN_ERROR_MEMORY;
  for (int k = 0; k < count; k++)
    b.extent = fmax(b.extent, vec3_norm(vec3_sub(points[k], points[0])));
  b.flat = FLAT * b.extent;
  int base[4];
  if (!start_tetrahedron(&b, base)) return HN_ERROR_MODEL;
  hn_status status = try_hull(arena, &b, hull);
  return status == HN_ERROR_MODEL ? try_shaken(arena, &b, hull) : status;
}
