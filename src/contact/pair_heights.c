// A height field with a capsule and with a polyhedron: ends and corners, edges over ridges, faces
// over summits. Of all places the nearest eight count; of more in contact, the outermost.
//
// Along an edge the gap is least where the normal of the surface stands across it; under a face
// where the surface lies furthest into it. Both are searched on the grid first, then by iteration.
//
// Features: corners, then edges with the place on them, then faces with the place under them.
#include <math.h>
#include <stdint.h>

#include "contact/hull.h"
#include "contact/surface.h"
#include "math/elementary.h"

enum { FEWEST = 16, SAMPLES = 256, PLACES = 256 }; // SAMPLES: parts of an edge at most
enum {
  EDGES = 4096,
  FACES = 1 << 22,
  UNDER = 1 << 30
};                    // first feature numbers; number of the
                      // last
#define FLAT 1e-7     // curvature times step: no ridge or summit
#define TOGETHER 1e-6 // m: places whose gaps differ by less are in contact at the same time
#define SHIFT 0.382   // of parts: places in the middle or on a node lie between borders

typedef enum place_kind { CORNER, EDGE, SUMMIT } place_kind;
typedef struct place {
  place_kind kind;
  int index, feature; // index: corner, edge, face
  double gap;         // of the core
  hn_vec3 at;         // of the solid, axes of the surface
  hn_surface_foot foot;
} place;

typedef struct places {
  const hn_meeting *m;
  int count;
  place list[PLACES];
} places;

static int furthest(const places *p) {
  int worst = 0;
  for (int k = 1; k < p->count; k++)
    if (p->list[k].gap > p->list[worst].gap) worst = k;
  return worst;
}

static int has_room(const places *p, double gap) {
  return p->count < PLACES || gap < p->list[furthest(p)].gap;
}

static void keep(places *p, const place *new) {
  if (p->count < PLACES)
    p->list[p->count++] = *new;
  else if (has_room(p, new->gap))
    p->list[furthest(p)] = *new;
}

static hn_vec3 seen(const hn_meeting *m, hn_vec3 x) { // from the solid to the surface
  return placed_local(&m->first, placed_point(&m->second, x));
}

static place place_at(const hn_meeting *m, place_kind kind, int index, hn_vec3 x) {
  place p = {kind, index, index, 0, x, hn_heights_foot(m->first.shape->surface, x)};
  p.gap = vec3_dot(p.foot.normal, vec3_sub(x, p.foot.at));
  return p;
}

static double widest(const hn_surface *s) { return fmax(s->step[0], s->step[1]); }

// ---- edges ----------------------------------------------------------------------------------------

typedef struct edge_line {
  int index, parts;
  double part;
  hn_vec3 a, e;
} edge_line;

static place place_along(const places *p, const edge_line *l, double s) {
  return place_at(p->m, EDGE, l->index, vec3_add_scaled(l->a, s * l->part, l->e));
}

// Whether the surface bulges out along the edge.
static int is_ridge(const places *p, const place *at, hn_vec3 e) {
  double x = vec3_dot(at->foot.e, e), y = vec3_dot(vec3_cross(at->foot.normal, at->foot.e), e);
  double bend = at->foot.curvature[0] * x * x + at->foot.curvature[1] * y * y;
  return bend * widest(p->m->first.shape->surface) > FLAT;
}

// Near the sample k, where the gap is less than before and behind: where the normal is across. False
// position, with a half of the kept end's value (Illinois); bisection while the ends do not differ.
static void add_ridge(places *p, const edge_line *l, int k) {
  double low = k - 1, high = k + 1, at = k;
  place q = place_along(p, l, low);
  double below = vec3_dot(q.foot.normal, l->e), above, own = 1;
  q = place_along(p, l, high);
  above = vec3_dot(q.foot.normal, l->e);
  for (int round = 0, last = 0; round < 60 && fabs(own) > 1e-14; round++) {
    if (round > 0)
      at = below < 0 && above > 0 ? (low * above - high * below) / (above - below)
                                  : 0.5 * (low + high);
    q = place_along(p, l, at);
    own = vec3_dot(q.foot.normal, l->e);
    if (own < 0) {
      low = at;
      below = own;
      if (last < 0) above *= 0.5;
    } else {
      high = at;
      above = own;
      if (last > 0) below *= 0.5;
    }
    last = own < 0 ? -1 : 1;
  }
  if (!(fabs(own) < 1e-9) || !is_ridge(p, &q, l->e)) return;
  q.feature = EDGES + 2 * SAMPLES * l->index + (int)floor(at + SHIFT);
  keep(p, &q);
}

// Every valley of the gap within an edge: two samples for each step of the grid.
static void look_along(places *p, int edge, hn_vec3 a, hn_vec3 b) {
  const hn_surface *s = p->m->first.shape->surface;
  hn_vec3 way = vec3_sub(b, a);
  double length = vec3_norm(way), gap[SAMPLES + 1];
  if (!(length > 0)) return;
  double steps = 2 * fmax(fabs(way.x) / s->step[0], fabs(way.y) / s->step[1]);
  edge_line l = {.index = edge, .a = a, .e = vec3_scale(1 / length, way)};
  l.parts = (int)fmin(fmax(ceil(steps), FEWEST), SAMPLES);
  l.part = length / l.parts;
  for (int k = 0; k <= l.parts; k++) gap[k] = place_along(p, &l, k).gap;
  for (int k = 1; k < l.parts; k++)
    if (gap[k] <= gap[k - 1] && gap[k] < gap[k + 1] && has_room(p, gap[k] - l.part))
      add_ridge(p, &l, k);
}

// ---- faces ----------------------------------------------------------------------------------------

static hn_vec3 node_at(const hn_surface *s, int i, int j) {
  return vec3((i - 0.5 * (s->grid[0] - 1)) * s->step[0], (j - 0.5 * (s->grid[1] - 1)) * s->step[1],
              s->heights[j * s->grid[0] + i]);
}

// Whether the surface lies higher along n at a node of the grid than at its neighbors; *drop is how far
// it falls to the lowest of them.
static int is_high(const hn_surface *s, hn_vec3 n, int i, int j, double *drop) {
  double own = vec3_dot(n, node_at(s, i, j));
  *drop = 0;
  for (int v = j > 0 ? j - 1 : 0; v <= j + 1 && v < s->grid[1]; v++)
    for (int u = i > 0 ? i - 1 : 0; u <= i + 1 && u < s->grid[0]; u++) {
      double fall = own - vec3_dot(n, node_at(s, u, v));
      if (fall < 0) return 0;
      *drop = fmax(*drop, fall);
    }
  return 1;
}

// Feature of the place under a face; numbers wrap around (add_nearest keeps features distinct).
static int feature_under(const hn_surface *s, int face, hn_vec3 at) {
  int64_t number = face;
  for (int i = 1; i >= 0; i--)
    number = number * (s->grid[i] + 1) +
             (int64_t)floor(vec3_get(at, i) / s->step[i] + 0.5 * (s->grid[i] - 1) + SHIFT);
  return FACES + (int)(number % UNDER);
}

static void add_summit(places *p, int face, hn_vec3 n, hn_vec3 node) {
  const hn_meeting *m = p->m;
  const hn_hull *h = m->second.shape->hull;
  const hn_surface *surface = m->first.shape->surface;
  place s = {.kind = SUMMIT, .index = face};
  if (!hn_heights_summit(surface, n, node.x, node.y, &s.foot)) return;
  if (!(s.foot.curvature[1] * widest(surface) > FLAT)) return;
  hn_vec3 own = placed_local(&m->second, placed_point(&m->first, s.foot.at));
  if (!hn_hull_within_face(h, face, own, 0)) return;
  s.gap =
      vec3_dot(h->normals[face], own) - h->offsets[face]; // of the surface's place from the face
  s.at = vec3_add_scaled(s.foot.at, s.gap, n);
  s.feature = feature_under(surface, face, s.foot.at);
  for (int k = 0; k < p->count; k++)
    if (p->list[k].kind == SUMMIT && vec3_norm(vec3_sub(p->list[k].at, s.at)) < 1e-9) return;
  keep(p, &s);
}

// The nodes of the grid under a face and next to it: 0 without any.
static int nodes_under(const hn_meeting *m, int face, int from[2], int to[2]) {
  const hn_hull *h = m->second.shape->hull;
  const hn_surface *s = m->first.shape->surface;
  double low[2] = {HUGE_VAL, HUGE_VAL}, high[2] = {-HUGE_VAL, -HUGE_VAL};
  for (int k = 0; k < hull_corner_count(h, face); k++) {
    hn_vec3 x = seen(m, h->vertices[hull_corner(h, face, k)]);
    for (int i = 0; i < 2; i++) {
      low[i] = fmin(low[i], vec3_get(x, i));
      high[i] = fmax(high[i], vec3_get(x, i));
    }
  }
  for (int i = 0; i < 2; i++) {
    double middle = 0.5 * (s->grid[i] - 1);
    double first = fmax(ceil(low[i] / s->step[i] + middle) - 1, 0);
    double last = fmin(floor(high[i] / s->step[i] + middle) + 1, s->grid[i] - 1);
    if (!(first <= last)) return 0;
    from[i] = (int)first;
    to[i] = (int)last;
  }
  return 1;
}

// Every node under a face that looks down. The summit next to a high node lies above it, by less than
// the node above its neighbors.
static void look_under(places *p, int face) {
  const hn_meeting *m = p->m;
  const hn_hull *h = m->second.shape->hull;
  const hn_surface *s = m->first.shape->surface;
  hn_vec3 n = mat3_apply_transposed(m->first.axes, placed_vector(&m->second, h->normals[face]));
  int from[2], to[2];
  if (!(n.z < -0.1) || !nodes_under(m, face, from, to)) return;
  n = vec3_negate(n); // out of the surface
  for (int j = from[1]; j <= to[1]; j++)
    for (int i = from[0]; i <= to[0]; i++) {
      double drop;
      if (!is_high(s, n, i, j, &drop) || !(drop > 0.1 * FLAT * widest(s))) continue;
      hn_vec3 node = node_at(s, i, j);
      hn_vec3 own = placed_local(&m->second, placed_point(&m->first, node));
      double gap = vec3_dot(h->normals[face], own) - h->offsets[face];
      if (has_room(p, gap - drop) && hn_hull_within_face(h, face, own, 3 * widest(s)))
        add_summit(p, face, n, node);
    }
}

// ---- points ---------------------------------------------------------------------------------------

// Features of one pair differ: a number that is taken goes to the next.
static int free_feature(const hn_meeting *m, int feature) {
  for (int k = 0; k < m->count; k++)
    if (m->points[k].feature == feature) return free_feature(m, feature + 1);
  return feature;
}

static void add_place(hn_meeting *m, const place *p, hn_vec3 along, double radius) {
  hn_vec3 c = placed_point(&m->first, p->at);
  hn_form form = p->kind == CORNER ? form_point(c, radius)
                 : p->kind == EDGE ? form_line(c, along, radius)
                                   : form_plane(c);
  hn_meeting_add_foot(m, &p->foot, &form, free_feature(m, p->feature));
}

static hn_vec3 along_edge(const hn_meeting *m, int edge) {
  const hn_hull *h = m->second.shape->hull;
  if (m->second.shape->kind == HN_KIND_SEGMENT) return mat3_column(m->second.axes, 2);
  return placed_vector(&m->second, vec3_unit(vec3_sub(h->vertices[h->edges[edge][1]],
                                                      h->vertices[h->edges[edge][0]])));
}

static int nearest(const places *p, const int *is_taken) {
  int best = -1;
  for (int k = 0; k < p->count; k++)
    if (!is_taken[k] && (best < 0 || p->list[k].gap < p->list[best].gap)) best = k;
  return best;
}

// Of those within `reach` the one that lies furthest in a direction: a body rests on the outermost.
static int outermost(const places *p, const int *is_taken, double reach, double angle) {
  int best = -1;
  double most = -HUGE_VAL, c = hn_cos(angle), s = hn_sin(angle);
  for (int k = 0; k < p->count; k++) {
    double out = c * p->list[k].at.x + s * p->list[k].at.y;
    if (is_taken[k] || p->list[k].gap > reach || !(out > most)) continue;
    most = out;
    best = k;
  }
  return best;
}

static void add_nearest(hn_meeting *m, places *p) {
  int is_taken[PLACES] = {0}, together = 0;
  double radius = m->second.shape->kind == HN_KIND_SEGMENT ? m->second.shape->radius : 0;
  double reach = p->list[nearest(p, is_taken)].gap + TOGETHER;
  for (int k = 0; k < p->count; k++) together += p->list[k].gap <= reach;
  for (int round = 0; round < HN_CONTACT_POINTS && round < p->count; round++) {
    // the nearest in any case
    int best = round > 0 && together > HN_CONTACT_POINTS
                   ? outermost(p, is_taken, reach, 0.3 + 0.9 * round)
                   : nearest(p, is_taken);
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
  const place ends[2] = {place_at(m, CORNER, 0, low), place_at(m, CORNER, 1, high)};
  for (int k = 0; k < 2; k++) keep(&p, &ends[k]);
  look_along(&p, 0, low, high);
  add_nearest(m, &p);
}
const hn_meeting_type hn_heights_segment = {one_mode, first_mode, heights_segment, 1};

// Returns the least gap; *low is the height of the lowest.
static double look_at_corners(places *p, double *low) {
  const hn_hull *h = p->m->second.shape->hull;
  double least = HUGE_VAL;
  *low = HUGE_VAL;
  for (int k = 0; k < h->vertex_count; k++) {
    place at = place_at(p->m, CORNER, k, seen(p->m, h->vertices[k]));
    least = fmin(least, at.gap);
    *low = fmin(*low, at.at.z);
    keep(p, &at);
  }
  return least;
}

// Those with an end within `reach`.
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
  double size = m->second.shape->bound, low, least = look_at_corners(&p, &low);
  if (low < m->first.shape->surface->top + size) { // what is above all needs no search
    look_at_edges(&p, least + 0.3 * size);
    for (int f = 0; f < h->face_count; f++) look_under(&p, f);
  }
  add_nearest(m, &p);
}
const hn_meeting_type hn_heights_hull = {one_mode, first_mode, heights_hull, 1};
