// Which pairs are near: a grid over the middles of the shapes, its cells as large as two of them,
// so that the cost grows with the pairs that are near. Shapes that are much larger than the others
// (planes, walls) stand aside and are compared with all.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contact/geometry.h"

#define MUCH_LARGER 4.0 // than the median
enum { FEW = 12 };      // pairs a shape up to which all are compared

struct hn_contact_sweep {
  const hn_contacts *contacts;
  int pair_room, pair_count;
  hn_contact_pair *pairs;
  double largest; // bound of those in the grid
  unsigned char *is_wide;
  int wide_count, *wide; // shapes that stand aside
  hn_placed *placed;     // (shape_count)
  int (*cell)[3];
  unsigned buckets;                  // a power of two
  int *start, *next_in_bucket, *row; // row: neighbors found of one shape
  hn_contact_pair *listed;           // few pairs, in the order of their shapes: no grid; or null
};

static int compare_pairs(const void *a, const void *b) {
  const int *x = ((const hn_contact_pair *)a)->shape, *y = ((const hn_contact_pair *)b)->shape;
  return x[0] != y[0] ? (x[0] > y[0]) - (x[0] < y[0]) : (x[1] > y[1]) - (x[1] < y[1]);
}

static hn_status list_few(hn_arena *arena, hn_contact_sweep *s) {
  const hn_contacts *c = s->contacts;
  const size_t count = (size_t)c->pair_count;
  if (!c->pairs_listed || c->pair_count > FEW * c->shape_count) return HN_OK;
  s->listed = HN_TAKE(arena, hn_contact_pair, count);
  if (!s->listed) return HN_ERROR_MEMORY;
  if (count > 0) memcpy(s->listed, c->pairs, count * sizeof *s->listed);
  if (count > 0) qsort(s->listed, count, sizeof *s->listed, compare_pairs);
  return HN_OK;
}

static int compare_doubles(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static hn_status choose_wide(hn_arena *arena, hn_contact_sweep *s) {
  const hn_contacts *c = s->contacts;
  double *bounds = HN_TAKE(arena, double, c->shape_count);
  int count = 0;
  if (!bounds && c->shape_count > 0) return HN_ERROR_MEMORY;
  for (int k = 0; k < c->shape_count; k++)
    if (c->shapes[k].bound < HUGE_VAL) bounds[count++] = c->shapes[k].bound;
  if (count > 0) qsort(bounds, (size_t)count, sizeof *bounds, compare_doubles);
  double limit = count > 0 ? MUCH_LARGER * bounds[count / 2] : 0;
  for (int k = 0; k < c->shape_count; k++) {
    s->is_wide[k] = !(c->shapes[k].bound <= limit);
    if (s->is_wide[k])
      s->wide[s->wide_count++] = k;
    else
      s->largest = fmax(s->largest, c->shapes[k].bound);
  }
  return HN_OK;
}

hn_status hn_contact_sweep_create(hn_arena *arena, const hn_contacts *contacts, int pair_room,
                                  hn_contact_sweep **sweep) {
  size_t shapes = (size_t)contacts->shape_count;
  hn_contact_sweep *s = HN_KEEP(arena, hn_contact_sweep, 1);
  *sweep = s;
  if (!s) return HN_ERROR_MEMORY;
  *s = (hn_contact_sweep){.contacts = contacts, .pair_room = pair_room, .buckets = 16};
  while (s->buckets < 2 * shapes) s->buckets *= 2;
  s->pairs = HN_KEEP(arena, hn_contact_pair, pair_room);
  s->is_wide = HN_KEEP(arena, unsigned char, shapes);
  s->wide = HN_KEEP(arena, int, shapes);
  s->placed = HN_KEEP(arena, hn_placed, shapes);
  s->cell = hn_arena_keep(arena, shapes, sizeof *s->cell);
  s->start = HN_KEEP(arena, int, s->buckets);
  s->next_in_bucket = HN_KEEP(arena, int, shapes);
  s->row = HN_KEEP(arena, int, shapes);
  if (arena->failed) return HN_ERROR_MEMORY;
  hn_status status = list_few(arena, s);
  return status == HN_OK ? choose_wide(arena, s) : status;
}

hn_status hn_contact_sweep_extend(hn_arena *arena, int pair_room, hn_contact_sweep *s) {
  s->pairs = HN_KEEP(arena, hn_contact_pair, pair_room);
  s->pair_room = pair_room;
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

static unsigned bucket_of(const hn_contact_sweep *s, int x, int y, int z) {
  unsigned h = (unsigned)x * 73856093u ^ (unsigned)y * 19349663u ^ (unsigned)z * 83492791u;
  return (h ^ (h >> 15)) & (s->buckets - 1);
}

static int cell_of(double x, double size) {
  double c = floor(x / size);
  return c > 1e9 ? 1000000000 : c < -1e9 ? -1000000000 : isnan(c) ? 0 : (int)c;
}

static void fill_grid(hn_contact_sweep *s, const hn_frame *frames, double size) {
  const hn_contacts *c = s->contacts;
  for (unsigned k = 0; k < s->buckets; k++) s->start[k] = -1;
  for (int k = c->shape_count - 1; k >= 0; k--) { // so that buckets are in ascending order
    s->placed[k] = hn_place(&c->shapes[k], &frames[c->shapes[k].body]);
    if (s->is_wide[k]) continue;
    hn_vec3 x = s->placed[k].at;
    int *cell = s->cell[k];
    cell[0] = cell_of(x.x, size);
    cell[1] = cell_of(x.y, size);
    cell[2] = cell_of(x.z, size);
    unsigned bucket = bucket_of(s, cell[0], cell[1], cell[2]);
    s->next_in_bucket[k] = s->start[bucket];
    s->start[bucket] = k;
  }
}

// How far a shape reaches from its middle along a unit vector, at most.
static double extent_along(const hn_placed *p, hn_vec3 n) {
  const hn_contact_shape *s = p->shape;
  double most = -HUGE_VAL;
  hn_vec3 x;
  switch (s->kind) {
  case HN_KIND_POINT: return s->radius;
  case HN_KIND_SEGMENT: return s->half * fabs(vec3_dot(mat3_column(p->axes, 2), n)) + s->radius;
  case HN_KIND_HULL:
    x = mat3_apply_transposed(p->axes, n);
    for (int k = 0; k < s->hull->vertex_count; k++)
      most = fmax(most, vec3_dot(s->hull->vertices[k], x));
    return most + s->radius;
  case HN_KIND_ELLIPSOID:
    x = mat3_apply_transposed(p->axes, n);
    x = vec3(s->half_axes.x * x.x, s->half_axes.y * x.y, s->half_axes.z * x.z);
    return vec3_norm(x) + s->radius;
  case HN_KIND_PLANE:
  case HN_KIND_HEIGHTS:
  case HN_KIND_TRIANGLES:
  case HN_KIND_CURVE:
  case HN_KIND_CYLINDER:
  case HN_KINDS: break;
  }
  return s->bound;
}

// Farther than reach along the line of their middles, or along the normal of a plane.
static int are_separate(const hn_placed *a, const hn_placed *b, double reach) {
  if (b->shape->kind == HN_KIND_PLANE) return are_separate(b, a, reach);
  const hn_vec3 way = vec3_sub(b->at, a->at);
  if (a->shape->kind == HN_KIND_PLANE) {
    const hn_vec3 n = mat3_column(a->axes, 2);
    return vec3_dot(n, way) > extent_along(b, vec3_negate(n)) + reach;
  }
  const double distance = vec3_norm(way);
  if (!(distance > 0)) return 0;
  const hn_vec3 n = vec3_scale(1 / distance, way);
  return distance > extent_along(a, n) + extent_along(b, vec3_negate(n)) + reach;
}

// Nearer than reach by the balls that hold them.
static int are_near(const hn_placed *a, const hn_placed *b, double reach) {
  if (a->shape->kind == HN_KIND_PLANE && b->shape->kind == HN_KIND_PLANE) return 0;
  if (b->shape->kind == HN_KIND_PLANE) return are_near(b, a, reach);
  if (a->shape->kind == HN_KIND_PLANE)
    return vec3_dot(mat3_column(a->axes, 2), vec3_sub(b->at, a->at)) <= b->shape->bound + reach;
  double far = a->shape->bound + b->shape->bound + reach;
  hn_vec3 way = vec3_sub(b->at, a->at);
  return vec3_dot(way, way) <= far * far;
}

static int add_from_cell(hn_contact_sweep *s, int k, const int at[3], double reach, int found) {
  for (int j = s->start[bucket_of(s, at[0], at[1], at[2])]; j >= 0; j = s->next_in_bucket[j]) {
    const int *cell = s->cell[j];
    if (j <= k || cell[0] != at[0] || cell[1] != at[1] || cell[2] != at[2]) continue;
    if (are_near(&s->placed[k], &s->placed[j], reach)) s->row[found++] = j;
  }
  return found;
}

// Shapes after k that are near it, ascending.
static int neighbours(hn_contact_sweep *s, int k, double reach) {
  int found = 0;
  if (s->is_wide[k]) {
    for (int j = k + 1; j < s->contacts->shape_count; j++)
      if (are_near(&s->placed[k], &s->placed[j], reach)) s->row[found++] = j;
    return found;
  }
  for (int cell = 0; cell < 27; cell++) {
    int at[3] = {s->cell[k][0] + cell % 3 - 1, s->cell[k][1] + cell / 3 % 3 - 1,
                 s->cell[k][2] + cell / 9 - 1};
    found = add_from_cell(s, k, at, reach, found);
  }
  for (int i = 0; i < s->wide_count; i++)
    if (s->wide[i] > k && are_near(&s->placed[k], &s->placed[s->wide[i]], reach))
      s->row[found++] = s->wide[i];
  for (int i = 1; i < found; i++) { // few: in order
    int moved = s->row[i], j = i;
    for (; j > 0 && s->row[j - 1] > moved; j--) s->row[j] = s->row[j - 1];
    s->row[j] = moved;
  }
  return found;
}

static double reach_of(double reach, const double *margin, const int body[2]) {
  const double own = margin ? margin[body[0]] + margin[body[1]] : 0;
  return own > reach ? own : reach;
}

static int near_of_listed(hn_contact_sweep *s, const hn_frame *frames, double reach,
                          const double *margin) {
  const hn_contacts *c = s->contacts;
  for (int k = 0; k < c->shape_count; k++)
    s->placed[k] = hn_place(&c->shapes[k], &frames[c->shapes[k].body]);
  for (int k = 0; k < c->pair_count; k++) {
    const hn_contact_pair *pair = &s->listed[k];
    const hn_placed *a = &s->placed[pair->shape[0]], *b = &s->placed[pair->shape[1]];
    const double own = reach_of(reach, margin, pair->body);
    const double far = a->shape->bound + b->shape->bound + own; // of planes it has no end
    const hn_vec3 way = vec3_sub(b->at, a->at);
    if (vec3_dot(way, way) > far * far || !are_near(a, b, own) || are_separate(a, b, own)) continue;
    if (s->pair_count >= s->pair_room) return -1;
    s->pairs[s->pair_count++] = *pair;
  }
  return s->pair_count;
}

int hn_contacts_near(hn_contact_sweep *s, const hn_frame *frames, double reach,
                     const double *margin, const hn_contact_pair **pairs) {
  const hn_contacts *c = s->contacts;
  double most = 0;
  s->pair_count = 0;
  *pairs = s->pairs;
  if (s->listed) return near_of_listed(s, frames, reach, margin);
  for (int k = 0; margin && k < c->shape_count; k++) most = fmax(most, margin[c->shapes[k].body]);
  const double widest = fmax(reach, 2 * most);
  fill_grid(s, frames, fmax(2 * s->largest + widest, 1e-12));
  for (int k = 0; k < c->shape_count; k++) {
    int found = neighbours(s, k, widest);
    for (int i = 0; i < found; i++) {
      const int body[2] = {c->shapes[k].body, c->shapes[s->row[i]].body};
      const hn_placed *a = &s->placed[k], *b = &s->placed[s->row[i]];
      const double own = reach_of(reach, margin, body);
      if ((own < widest && !are_near(a, b, own)) || are_separate(a, b, own)) continue;
      int rule = hn_contacts_rule(c, k, s->row[i]);
      if (rule < 0) continue;
      if (s->pair_count >= s->pair_room) return -1;
      s->pairs[s->pair_count++] = hn_contact_pair_of(c, k, s->row[i], rule);
    }
  }
  return s->pair_count;
}

int hn_contact_points_near(const hn_contact_sweep *s, const hn_contact_pair *pair,
                           const hn_frame *frames, hn_contact_point points[HN_CONTACT_POINTS]) {
  return hn_contact_points_placed(s->contacts, pair, &s->placed[pair->shape[0]],
                                  &s->placed[pair->shape[1]], frames, points);
}
