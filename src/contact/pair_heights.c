// A height field with a capsule and with a polyhedron: ends and corners, edges over ridges, faces over
// summits. Of all places the nearest eight count.
//
// Along an edge the gap is least where the normal of the surface stands across it; under a face where
// the surface lies furthest into it. Both are looked for at a few places first, then by iteration.
#include <math.h>

#include "contact/hull.h"
#include "contact/surface.h"

enum { SAMPLES = 17, PLACES = 64, NODES = 40 };
enum { EDGES = 4096, FACES = 65536 }; // features after those of corners

typedef enum place_kind { CORNER, EDGE, SUMMIT } place_kind;
typedef struct place {
  place_kind kind;
  int index;  // corner, edge, face
  double gap; // of the core
  hn_vec3 at; // of the solid, axes of the surface
  hn_surface_foot foot;
} place;

typedef struct places {
  const hn_meeting *m;
  int count;
  place list[PLACES];
} places;

static void keep(places *p, place new) {
  if (p->count < PLACES) p->list[p->count++] = new;
}

static hn_vec3 seen(const hn_meeting *m, hn_vec3 x) { // from the solid to the surface
  return placed_local(&m->first, placed_point(&m->second, x));
}

static place place_at(const hn_meeting *m, place_kind kind, int index, hn_vec3 x) {
  place p = {kind, index, 0, x, hn_heights_foot(m->first.shape->surface, x)};
  p.gap = vec3_dot(p.foot.normal, vec3_sub(x, p.foot.at));
  return p;
}

// ---- edges ----------------------------------------------------------------------------------------

// Between two places of an edge on whose ends the gap falls and rises: where the normal is across.
static place across(const hn_meeting *m, int edge, hn_vec3 a, hn_vec3 e, double low, double high) {
  place p = {0};
  for (int k = 0; k < 60; k++) {
    double middle = 0.5 * (low + high);
    p = place_at(m, EDGE, edge, vec3_add_scaled(a, middle, e));
    if (vec3_dot(p.foot.normal, e) < 0)
      low = middle;
    else
      high = middle;
  }
  return p;
}

// The deepest valley of the gap within an edge.
static void look_along(places *p, int edge, hn_vec3 a, hn_vec3 b) {
  double length = vec3_norm(vec3_sub(b, a)), gap[SAMPLES], least = HUGE_VAL;
  if (!(length > 0)) return;
  hn_vec3 e = vec3_scale(1 / length, vec3_sub(b, a));
  int best = -1;
  for (int k = 0; k < SAMPLES; k++)
    gap[k] = place_at(p->m, EDGE, edge, vec3_add_scaled(a, k * length / (SAMPLES - 1), e)).gap;
  for (int k = 1; k + 1 < SAMPLES; k++)
    if (gap[k] <= gap[k - 1] && gap[k] < gap[k + 1] && gap[k] < least) {
      least = gap[k];
      best = k;
    }
  double part = length / (SAMPLES - 1);
  if (best > 0) keep(p, across(p->m, edge, a, e, (best - 1) * part, (best + 1) * part));
}

// ---- faces ----------------------------------------------------------------------------------------

// A node of the grid, and whether the surface lies higher along n there than at its neighbours.
static int is_high(const hn_surface *s, hn_vec3 n, double x, double y) {
  double own = n.x * x + n.y * y + n.z * hn_heights_at(s, x, y);
  for (int k = 0; k < 9; k++) {
    double u = x + (k % 3 - 1) * s->step[0], v = y + (k / 3 - 1) * s->step[1];
    if (k != 4 && n.x * u + n.y * v + n.z * hn_heights_at(s, u, v) > own) return 0;
  }
  return 1;
}

static void add_summit(places *p, int face, hn_vec3 n, double x, double y) {
  const hn_meeting *m = p->m;
  const hn_hull *h = m->second.shape->hull;
  place s = {.kind = SUMMIT, .index = face};
  if (!hn_heights_summit(m->first.shape->surface, n, x, y, &s.foot)) return;
  hn_vec3 own = placed_local(&m->second, placed_point(&m->first, s.foot.at));
  if (!hn_hull_within_face(h, face, own, 0)) return;
  s.gap =
      vec3_dot(h->normals[face], own) - h->offsets[face]; // of the surface's place from the face
  s.at = vec3_add_scaled(s.foot.at, s.gap, n);
  for (int k = 0; k < p->count; k++)
    if (p->list[k].kind == SUMMIT && vec3_norm(vec3_sub(p->list[k].at, s.at)) < 1e-9) return;
  keep(p, s);
}

// The nodes of the grid under a face that looks down; of large grids every few.
static void look_under(places *p, int face) {
  const hn_meeting *m = p->m;
  const hn_hull *h = m->second.shape->hull;
  const hn_surface *s = m->first.shape->surface;
  hn_vec3 n = mat3_apply_transposed(m->first.axes, placed_vector(&m->second, h->normals[face]));
  if (!(n.z < -0.1)) return;
  n = vec3_negate(n); // out of the surface
  double low[2] = {HUGE_VAL, HUGE_VAL}, high[2] = {-HUGE_VAL, -HUGE_VAL};
  for (int k = 0; k < hull_corner_count(h, face); k++) {
    hn_vec3 x = seen(m, h->vertices[hull_corner(h, face, k)]);
    for (int i = 0; i < 2; i++) {
      low[i] = fmin(low[i], vec3_get(x, i));
      high[i] = fmax(high[i], vec3_get(x, i));
    }
  }
  int first[2], count[2];
  for (int i = 0; i < 2; i++) {
    double middle = 0.5 * (s->grid[i] - 1);
    double from = fmax(ceil(low[i] / s->step[i] + middle) - 1, 0);
    double to = fmin(floor(high[i] / s->step[i] + middle) + 1, s->grid[i] - 1);
    if (to < from) return;
    first[i] = (int)from;
    count[i] = (int)(to - from) + 1;
  }
  int each0 = 1 + count[0] / NODES, each1 = 1 + count[1] / NODES;
  for (int j = 0; j < count[1]; j += each1)
    for (int i = 0; i < count[0]; i += each0) {
      double x = (first[0] + i - 0.5 * (s->grid[0] - 1)) * s->step[0],
             y = (first[1] + j - 0.5 * (s->grid[1] - 1)) * s->step[1];
      if (is_high(s, n, x, y)) add_summit(p, face, n, x, y);
    }
}

// ---- points ---------------------------------------------------------------------------------------

static void add_place(hn_meeting *m, const place *p, hn_vec3 along, double radius) {
  hn_vec3 c = placed_point(&m->first, p->at);
  if (p->kind == CORNER) {
    hn_form point = form_point(c, radius);
    hn_meeting_add_foot(m, &p->foot, &point, p->index);
  } else if (p->kind == EDGE) {
    hn_form line = form_line(c, along, radius);
    hn_meeting_add_foot(m, &p->foot, &line, EDGES + p->index);
  } else {
    hn_form plane = form_plane(c);
    hn_meeting_add_foot(m, &p->foot, &plane, FACES + p->index);
  }
}

static hn_vec3 along_edge(const hn_meeting *m, int edge) {
  const hn_hull *h = m->second.shape->hull;
  if (m->second.shape->kind == HN_KIND_SEGMENT) return mat3_column(m->second.axes, 2);
  return placed_vector(&m->second, vec3_unit(vec3_sub(h->vertices[h->edges[edge][1]],
                                                      h->vertices[h->edges[edge][0]])));
}

static void add_nearest(hn_meeting *m, places *p) {
  int is_taken[PLACES] = {0};
  double radius = m->second.shape->kind == HN_KIND_SEGMENT ? m->second.shape->radius : 0;
  for (int round = 0; round < HN_CONTACT_POINTS && round < p->count; round++) {
    int best = -1;
    for (int k = 0; k < p->count; k++)
      if (!is_taken[k] && (best < 0 || p->list[k].gap < p->list[best].gap)) best = k;
    is_taken[best] = 1;
    const place *at = &p->list[best];
    hn_vec3 along = at->kind == EDGE ? along_edge(m, at->index) : vec3_zero();
    add_place(m, at, along, radius);
  }
}

static int one_mode(const hn_contact_shape *first, const hn_contact_shape *second) {
  return first && second ? 1 : 0;
}
static int first_mode(const hn_placed *first, const hn_placed *second) {
  return first && second ? 0 : HN_CONTACT_APART;
}

static void heights_segment(hn_meeting *m, int mode) {
  (void)mode;
  places p = {.m = m};
  double half = m->second.shape->half;
  hn_vec3 low = seen(m, vec3(0, 0, -half)), high = seen(m, vec3(0, 0, half));
  keep(&p, place_at(m, CORNER, 0, low));
  keep(&p, place_at(m, CORNER, 1, high));
  look_along(&p, 0, low, high);
  add_nearest(m, &p);
}
const hn_meeting_type hn_heights_segment = {one_mode, first_mode, heights_segment, 1};

// Corners and edges with an end within `reach`; of many corners half of the room is left for the rest.
static void look_at_corners(places *p, double reach) {
  const hn_hull *h = p->m->second.shape->hull;
  for (int k = 0; k < h->vertex_count && p->count < PLACES / 2; k++) {
    place at = place_at(p->m, CORNER, k, seen(p->m, h->vertices[k]));
    if (h->vertex_count <= PLACES / 2 || at.gap < reach) keep(p, at);
  }
}

static void look_at_edges(places *p, double reach) {
  const hn_hull *h = p->m->second.shape->hull;
  for (int k = 0; k < h->edge_count; k++) {
    hn_vec3 a = seen(p->m, h->vertices[h->edges[k][0]]),
            b = seen(p->m, h->vertices[h->edges[k][1]]);
    if (place_at(p->m, CORNER, 0, a).gap < reach || place_at(p->m, CORNER, 0, b).gap < reach)
      look_along(p, k, a, b);
  }
}

static void heights_hull(hn_meeting *m, int mode) {
  (void)mode;
  places p = {.m = m};
  const hn_hull *h = m->second.shape->hull;
  double least = HUGE_VAL, size = m->second.shape->bound;
  for (int k = 0; k < h->vertex_count; k++)
    least = fmin(least, place_at(m, CORNER, k, seen(m, h->vertices[k])).gap);
  look_at_corners(&p, least + 0.05 * size);
  if (least < size) { // what is far needs no search
    look_at_edges(&p, least + 0.3 * size);
    for (int f = 0; f < h->face_count; f++) look_under(&p, f);
  }
  add_nearest(m, &p);
}
const hn_meeting_type hn_heights_hull = {one_mode, first_mode, heights_hull, 1};
