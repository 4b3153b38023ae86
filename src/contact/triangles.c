// Meshes on ground by their triangles: a tree of boxes, and the nearest faces, edges and corners.
#include <math.h>

#include "base/error.h"
#include "contact/surface.h"

#define LEAF 4      // triangles
#define NEAREST 32  // triangles that are checked closely
#define SAME 1e-9   // relative: distances that are one
#define BESIDE 1e-6 // of cosines

static hn_vec3 corner(const hn_mesh *m, int triangle, int k) {
  return vec3_load(&m->vertices[3 * m->triangles[3 * triangle + k]]);
}

// ---- the tree -----------------------------------------------------------------------------------

static hn_vec3 least(hn_vec3 a, hn_vec3 b) {
  return vec3(fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z));
}
static hn_vec3 most(hn_vec3 a, hn_vec3 b) {
  return vec3(fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z));
}

static double middle_of(const hn_mesh *m, int triangle, int axis) {
  double sum = 0;
  for (int k = 0; k < 3; k++) sum += vec3_get(corner(m, triangle, k), axis);
  return sum;
}

// Triangles before `first + half` are not beyond those after it along the axis.
static void part_at(const hn_mesh *m, int *order, int count, int half, int axis) {
  int low = 0, high = count - 1;
  while (low < high) {
    double pivot = middle_of(m, order[(low + high) / 2], axis);
    int i = low, j = high;
    while (i <= j) {
      while (middle_of(m, order[i], axis) < pivot) i++;
      while (middle_of(m, order[j], axis) > pivot) j--;
      if (i > j) break;
      int kept = order[i];
      order[i++] = order[j];
      order[j--] = kept;
    }
    if (half <= j)
      high = j;
    else if (half >= i)
      low = i;
    else
      return;
  }
}

static int build(hn_surface *s, int first, int count) {
  int index = s->node_count++;
  hn_surface_node node = {.first = first, .count = count, .left = -1, .right = -1};
  node.low = vec3(HUGE_VAL, HUGE_VAL, HUGE_VAL);
  node.high = vec3_negate(node.low);
  for (int k = first; k < first + count; k++)
    for (int i = 0; i < 3; i++) {
      node.low = least(node.low, corner(s->mesh, s->order[k], i));
      node.high = most(node.high, corner(s->mesh, s->order[k], i));
    }
  if (count > LEAF) {
    hn_vec3 size = vec3_sub(node.high, node.low);
    int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    part_at(s->mesh, s->order + first, count, count / 2, axis);
    node.left = build(s, first, count / 2);
    node.right = build(s, first + count / 2, count - count / 2);
  }
  s->nodes[index] = node;
  return index;
}

hn_status hn_surface_of_mesh(hn_arena *arena, const hn_shape_def *def, hn_contact_shape *out,
                             hn_error *error) {
  const hn_mesh *m = def->mesh;
  hn_surface *s = HN_TAKE(arena, hn_surface, 1);
  if (!s) return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory for contacts");
  s->mesh = m;
  s->normals = HN_TAKE(arena, hn_vec3, m->triangle_count);
  s->order = HN_TAKE(arena, int, m->triangle_count);
  s->nodes = HN_TAKE(arena, hn_surface_node, 2 * (size_t)m->triangle_count + 1);
  if (arena->failed)
    return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory for contacts");
  out->kind = HN_KIND_TRIANGLES;
  out->surface = s;
  out->bound = 0;
  for (int k = 0; k < m->triangle_count; k++) {
    hn_vec3 a = corner(m, k, 0), b = corner(m, k, 1), c = corner(m, k, 2);
    s->order[k] = k;
    s->normals[k] = vec3_unit(vec3_cross(vec3_sub(b, a), vec3_sub(c, a)));
    out->bound = fmax(out->bound, fmax(vec3_norm(a), fmax(vec3_norm(b), vec3_norm(c))));
  }
  build(s, 0, m->triangle_count);
  return HN_OK;
}

// ---- the nearest place of a triangle --------------------------------------------------------------

typedef struct place {
  hn_vec3 at;
  double distance; // of faces with sign
  int triangle;
  int vertex[2]; // edge: both; corner: the first; face: none (-1)
} place;

static place on_edge(const hn_surface *s, int t, int k, hn_vec3 x) {
  const int *v = &s->mesh->triangles[3 * t];
  hn_vec3 a = corner(s->mesh, t, k), b = corner(s->mesh, t, (k + 1) % 3), way = vec3_sub(b, a);
  double length2 = vec3_dot(way, way);
  double part = length2 > 0 ? vec3_dot(way, vec3_sub(x, a)) / length2 : 0;
  place p = {.triangle = t, .vertex = {v[k], v[(k + 1) % 3]}};
  if (part <= 0 || part >= 1) {
    p.vertex[0] = part <= 0 ? v[k] : v[(k + 1) % 3];
    p.vertex[1] = -1;
  }
  p.at = vec3_add_scaled(a, fmin(fmax(part, 0), 1), way);
  p.distance = vec3_norm(vec3_sub(x, p.at));
  return p;
}

static place on_triangle(const hn_surface *s, int t, hn_vec3 x) {
  hn_vec3 n = s->normals[t], a = corner(s->mesh, t, 0);
  double above = vec3_dot(n, vec3_sub(x, a));
  int is_over = 1;
  for (int k = 0; k < 3; k++) {
    hn_vec3 p = corner(s->mesh, t, k), way = vec3_sub(corner(s->mesh, t, (k + 1) % 3), p);
    is_over = is_over && vec3_dot(vec3_cross(n, way), vec3_sub(x, p)) >= 0;
  }
  if (is_over) return (place){vec3_add_scaled(x, -above, n), above, t, {-1, -1}};
  place best = on_edge(s, t, 0, x);
  for (int k = 1; k < 3; k++) {
    place p = on_edge(s, t, k, x);
    if (p.distance < best.distance) best = p;
  }
  return best;
}

static double box_distance(const hn_surface_node *node, hn_vec3 x) {
  double dx = fmax(0, fmax(node->low.x - x.x, x.x - node->high.x));
  double dy = fmax(0, fmax(node->low.y - x.y, x.y - node->high.y));
  double dz = fmax(0, fmax(node->low.z - x.z, x.z - node->high.z));
  return sqrt(dx * dx + dy * dy + dz * dz);
}

static int has_vertex(const hn_mesh *m, int t, int v) {
  return m->triangles[3 * t] == v || m->triangles[3 * t + 1] == v || m->triangles[3 * t + 2] == v;
}

// An edge or corner counts only when no adjacent triangle is nearer, and once.
static int is_hidden(const hn_surface *s, const place *list, int count, int k) {
  const place *p = &list[k];
  for (int j = 0; p->vertex[0] >= 0 && j < count; j++) {
    if (j == k || !has_vertex(s->mesh, list[j].triangle, p->vertex[0]) ||
        (p->vertex[1] >= 0 && !has_vertex(s->mesh, list[j].triangle, p->vertex[1])))
      continue;
    double apart = vec3_norm(vec3_sub(list[j].at, p->at));
    if (fabs(list[j].distance) < p->distance - 1e-12 || (j < k && apart < 1e-12)) return 1;
  }
  return 0;
}

// The nearest first; beyond the capacity, the furthest are dropped.
static void insert(place *list, int *count, place p) {
  if (*count == NEAREST && fabs(list[NEAREST - 1].distance) <= fabs(p.distance)) return;
  int k = *count < NEAREST ? (*count)++ : NEAREST - 1;
  for (; k > 0 && fabs(list[k - 1].distance) > fabs(p.distance); k--) list[k] = list[k - 1];
  list[k] = p;
}

static int collect(const hn_surface *s, hn_vec3 x, double reach, double depth, place *list) {
  int stack[64], depth_of_stack = 0, count = 0;
  double limit = fmax(reach, depth);
  stack[depth_of_stack++] = 0;
  while (depth_of_stack > 0) {
    const hn_surface_node *node = &s->nodes[stack[--depth_of_stack]];
    if (box_distance(node, x) > limit) continue;
    if (node->left >= 0 && depth_of_stack < 62) {
      stack[depth_of_stack++] = node->left;
      stack[depth_of_stack++] = node->right;
      continue;
    }
    for (int k = node->first; k < node->first + node->count; k++) {
      place p = on_triangle(s, s->order[k], x);
      double outside = vec3_dot(s->normals[s->order[k]], vec3_sub(x, p.at));
      int is_face = p.vertex[0] < 0;
      if ((is_face && p.distance >= -depth && p.distance <= reach) ||
          (!is_face && outside >= 0 && p.distance <= reach))
        insert(list, &count, p);
    }
  }
  return count;
}

static hn_surface_foot foot_of(const hn_surface *s, const place *p, hn_vec3 x) {
  hn_surface_foot f = {.at = p->at, .normal = s->normals[p->triangle], .is_inside = 1};
  f.feature = 7 * p->triangle;
  if (p->vertex[0] < 0) return f;
  f.normal = p->distance > 1e-12 ? vec3_scale(1 / p->distance, vec3_sub(x, p->at)) : f.normal;
  f.is_corner[1] = 1;
  f.feature += 1;
  if (p->vertex[1] < 0) {
    f.is_corner[0] = 1;
    f.feature += 3;
    return f;
  }
  f.e = vec3_unit(vec3_sub(vec3_load(&s->mesh->vertices[3 * p->vertex[1]]),
                           vec3_load(&s->mesh->vertices[3 * p->vertex[0]])));
  return f;
}

int hn_triangles_feet(const hn_surface *s, hn_vec3 x, double reach, double depth,
                      hn_surface_foot *feet, int room) {
  place list[NEAREST];
  int count = collect(s, x, reach, depth, list), used = 0;
  for (int k = 0; k < count && used < room; k++) {
    if (is_hidden(s, list, count, k)) continue;
    hn_surface_foot foot = foot_of(s, &list[k], x);
    int is_known = 0; // the same plane again: a flat side of many triangles
    for (int j = 0; j < used; j++)
      is_known |=
          vec3_dot(feet[j].normal, foot.normal) > 0.9999 &&
          fabs(vec3_dot(foot.normal, vec3_sub(feet[j].at, foot.at))) < 1e-9 + 1e-6 * reach &&
          vec3_norm(vec3_sub(feet[j].at, foot.at)) < reach + depth;
    if (!is_known) feet[used++] = foot;
  }
  return used;
}

// Whether a direction (unit) leads straight down from all these triangles: at a border it leads aside.
static int is_below(const hn_vec3 *normals, int count, hn_vec3 direction) {
  for (int i = 0; i < count; i++) {
    double widest = 1; // cosine of the angle to the one that is turned most
    for (int j = 0; j < count; j++) widest = fmin(widest, vec3_dot(normals[i], normals[j]));
    if (-vec3_dot(normals[i], direction) < widest - BESIDE) return 0;
  }
  return count > 0;
}

int hn_triangles_behind(const hn_surface *s, hn_vec3 x) {
  int stack[64], depth_of_stack = 0, count = 0;
  double nearest = HUGE_VAL;
  hn_vec3 normals[NEAREST], at = x;
  stack[depth_of_stack++] = 0;
  while (depth_of_stack > 0) {
    const hn_surface_node *node = &s->nodes[stack[--depth_of_stack]];
    if (box_distance(node, x) > nearest * (1 + SAME)) continue;
    if (node->left >= 0 && depth_of_stack < 62) {
      const int is_left =
          box_distance(&s->nodes[node->left], x) < box_distance(&s->nodes[node->right], x);
      stack[depth_of_stack++] = is_left ? node->right : node->left; // the nearer one first
      stack[depth_of_stack++] = is_left ? node->left : node->right;
      continue;
    }
    for (int k = node->first; k < node->first + node->count; k++) {
      const place p = on_triangle(s, s->order[k], x);
      const double distance = fabs(p.distance);
      if (distance > nearest * (1 + SAME)) continue;
      if (distance < nearest * (1 - SAME)) count = 0;
      if (distance < nearest) at = p.at;
      nearest = fmin(nearest, distance);
      if (count < NEAREST) normals[count++] = s->normals[s->order[k]];
    }
  }
  return nearest > 0 && is_below(normals, count, vec3_unit(vec3_sub(x, at)));
}
