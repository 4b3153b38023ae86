// A still of a scene as SVG: triangles of the shapes in one instant, seen from the front right and
// above without perspective, shaded by their normals, the far ones first. Large triangles are cut
// up, so that their order is right; the road lies below everything.
#include "picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { most_cuts = 5, many_shapes = 60, most_shapes = 4000 };

typedef struct vector {
  double x, y, z;
} vector;

static vector add(vector a, double s, vector b) {
  return (vector){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}
static double dot(vector a, vector b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static vector cross(vector a, vector b) {
  return (vector){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static vector unit(vector a) {
  double n = sqrt(dot(a, a));
  return n > 0 ? (vector){a.x / n, a.y / n, a.z / n} : (vector){0, 0, 1};
}
static vector of(hn_vec3 v) { return (vector){v.x, v.y, v.z}; }

// A turned and moved body or shape.
typedef struct pose {
  vector at;
  double w, x, y, z; // Euler parameters
} pose;

static vector turned(const pose *p, vector v) {
  vector e = {p->x, p->y, p->z};
  vector c = cross(e, v);
  return add(add(v, 2 * p->w, c), 2, cross(e, c));
}
static vector placed(const pose *p, vector v) { return add(turned(p, v), 1, p->at); }

// ---- faces --------------------------------------------------------------------------------------

typedef struct face {
  float x[3], y[3]; // on the page, m
  float depth;      // towards the eye
  int color;
} face;

typedef struct picture {
  const hn_scene *scene;
  const float *frame;
  vector right, up, eye; // of the page
  vector above;          // against gravity
  face *faces;
  size_t count, room;
  double left, low, wide, high; // of everything but roads
  double most;                  // longest edge of a face
  int segments;                 // of a circle
} picture;

static vector on_page(const picture *p, vector v) {
  return (vector){dot(p->right, v), dot(p->up, v), dot(p->eye, v)};
}

static int shaded(int color, double light) {
  int result = 0;
  for (int shift = 16; shift >= 0; shift -= 8) {
    double c = (color >> shift & 255) * light;
    result = result << 8 | (int)(c > 255 ? 255 : c);
  }
  return result;
}

static void put_face(picture *p, const vector *corner, int color) {
  if (p->count == p->room) {
    p->room = p->room > 0 ? 2 * p->room : 1024;
    face *larger = hn_cli_allocate(p->room, sizeof *larger);
    if (p->count > 0) memcpy(larger, p->faces, p->count * sizeof *larger);
    free(p->faces);
    p->faces = larger;
  }
  face *f = &p->faces[p->count++];
  f->color = color;
  f->depth = 0;
  for (int k = 0; k < 3; k++) {
    f->x[k] = (float)corner[k].x;
    f->y[k] = (float)corner[k].y;
    f->depth += (float)(corner[k].z / 3);
  }
}

// Halves the longest edge until all are short enough.
static void cut(picture *p, const vector *corner, int color, int cuts) {
  int longest = 0;
  double length = 0;
  for (int k = 0; k < 3; k++) {
    vector edge = add(corner[(k + 1) % 3], -1, corner[k]);
    double square = dot(edge, edge);
    if (square > length) length = square, longest = k;
  }
  if (cuts == 0 || length <= p->most * p->most) {
    put_face(p, corner, color);
    return;
  }
  vector a = corner[longest], b = corner[(longest + 1) % 3], c = corner[(longest + 2) % 3];
  vector middle = add(a, 0.5, add(b, -1, a));
  cut(p, (vector[]){a, middle, c}, color, cuts - 1);
  cut(p, (vector[]){middle, b, c}, color, cuts - 1);
}

static pose body_pose(const picture *p, int body) {
  if (body == 0) return (pose){{0, 0, 0}, 1, 0, 0, 0};
  const float *f = p->frame + 1 + 7 * (body - 1);
  return (pose){{(double)f[0], (double)f[1], (double)f[2]},
                (double)f[3],
                (double)f[4],
                (double)f[5],
                (double)f[6]};
}

static void add_triangle(picture *p, const vector *corner, int color, int both_sides) {
  vector normal = unit(cross(add(corner[1], -1, corner[0]), add(corner[2], -1, corner[0])));
  double facing = dot(normal, p->eye);
  if (facing <= 0 && !both_sides) return;
  if (facing < 0) normal = (vector){-normal.x, -normal.y, -normal.z};
  vector light = unit(add(add(p->eye, 0.9, p->above), -0.5, p->right));
  vector flat[3];
  for (int k = 0; k < 3; k++) flat[k] = on_page(p, corner[k]);
  double lambert = dot(normal, light);
  cut(p, flat, shaded(color, 0.5 + 0.6 * (lambert > 0 ? lambert : 0)), 2 * most_cuts);
}

static void add_shape(picture *p, int body, const hn_shape_def *shape) {
  hn_mesh *mesh = NULL;
  if (hn_shape_triangles(shape, p->segments, &mesh, NULL) != HN_OK) return;
  pose outer = body_pose(p, body);
  hn_quat q = shape->frame.orientation;
  pose inner = {of(shape->frame.position), q.w, q.x, q.y, q.z};
  for (int t = 0; t < mesh->triangle_count; t++) {
    vector corner[3];
    for (int k = 0; k < 3; k++) {
      const double *v = mesh->vertices + 3 * (size_t)mesh->triangles[3 * t + k];
      corner[k] = placed(&outer, placed(&inner, (vector){v[0], v[1], v[2]}));
    }
    add_triangle(p, corner, shape->color, shape->type == HN_SHAPE_MESH);
  }
  hn_mesh_free(mesh);
}

// ---- all of it ----------------------------------------------------------------------------------

// Against gravity is up; without gravity z is.
static void look(picture *p) {
  vector g = of(p->scene->gravity);
  p->above = dot(g, g) > 0 ? unit((vector){-g.x, -g.y, -g.z}) : (vector){0, 0, 1};
  vector e = fabs(p->above.x) < 0.9 ? (vector){1, 0, 0} : (vector){0, 1, 0};
  e = unit(add(e, -dot(e, p->above), p->above));
  vector side = cross(p->above, e);
  p->eye = unit(add(add(add((vector){0, 0, 0}, 0.62, e), -1, side), 0.48, p->above));
  p->right = unit(cross(p->above, p->eye));
  p->up = cross(p->eye, p->right);
}

static double machine_size(const picture *p) {
  vector low = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
  for (int b = 0; b < p->scene->body_count; b++) {
    pose outer = body_pose(p, b);
    for (int k = 0; k < p->scene->bodies[b].shape_count; k++) {
      const hn_shape_def *s = &p->scene->bodies[b].shapes[k];
      vector v = placed(&outer, of(s->frame.position));
      double r = fmax(s->radius + s->length / 2, fmax(s->size.x, fmax(s->size.y, s->size.z)) / 2);
      low = (vector){fmin(low.x, v.x - r), fmin(low.y, v.y - r), fmin(low.z, v.z - r)};
      high = (vector){fmax(high.x, v.x + r), fmax(high.y, v.y + r), fmax(high.z, v.z + r)};
    }
  }
  vector d = add(high, -1, low);
  double size = sqrt(dot(d, d));
  return isfinite(size) && size > 0 ? size : 1;
}

static void find_bounds(picture *p) {
  double left = HUGE_VAL, low = HUGE_VAL, right = -HUGE_VAL, high = -HUGE_VAL;
  for (size_t f = 0; f < p->count; f++) {
    for (int k = 0; k < 3; k++) {
      left = fmin(left, (double)p->faces[f].x[k]);
      right = fmax(right, (double)p->faces[f].x[k]);
      low = fmin(low, (double)p->faces[f].y[k]);
      high = fmax(high, (double)p->faces[f].y[k]);
    }
  }
  double room = 0.06 * fmax(right - left, high - low);
  p->left = left - room;
  p->low = low - room;
  p->wide = right - left + 2 * room;
  p->high = high - low + 2 * room;
}

static int by_depth(const void *a, const void *b) {
  const face *x = a, *y = b;
  return (x->depth > y->depth) - (x->depth < y->depth);
}

typedef struct sheet {
  double scale, left, top;
} sheet;

// A number with one digit behind the point. There are thousands: printf would take longer than the
// rest of the picture.
static char *put_tenths(char *at, double number) {
  long tenths = lround(fmin(fmax(10 * number, -1e8), 1e8));
  char digits[16];
  int count = 0;
  if (tenths < 0) *at++ = '-';
  unsigned long left = (unsigned long)labs(tenths);
  do {
    digits[count++] = (char)('0' + left % 10);
    left /= 10;
  } while (left > 0);
  if (count == 1) digits[count++] = '0';
  while (count > 1) *at++ = digits[--count];
  if (digits[0] != '0') {
    *at++ = '.';
    *at++ = digits[0];
  }
  return at;
}

static void add_point(hn_cli_text *text, const sheet *s, char letter, double x, double y) {
  char words[40], *at = words;
  *at++ = letter;
  at = put_tenths(at, s->scale * (x - s->left));
  *at++ = ' ';
  at = put_tenths(at, s->scale * (s->top - y));
  hn_cli_add_bytes(text, words, (size_t)(at - words));
}

static void add_faces(hn_cli_text *text, const picture *p, const sheet *s) {
  int color = -1;
  for (size_t k = 0; k < p->count; k++) {
    const face *f = &p->faces[k];
    if (f->color != color) {
      hn_cli_add(text, "%s<path fill=\"#%06x\" stroke=\"#%06x\" d=\"", color >= 0 ? "\"/>\n" : "",
                 (unsigned)f->color, (unsigned)f->color);
      color = f->color;
    }
    for (int c = 0; c < 3; c++)
      add_point(text, s, c == 0 ? 'M' : 'L', (double)f->x[c], (double)f->y[c]);
    hn_cli_add_bytes(text, "Z", 1);
  }
  if (color >= 0) hn_cli_add(text, "\"/>\n");
}

// The part of the profile within the picture's width and some more; each piece a band.
static void add_road(hn_cli_text *text, const picture *p, const sheet *s, const hn_scene_road *road,
                     double time) {
  double shift = road->speed * time;
  for (int k = 0; k + 1 < road->count; k++) {
    const double *a = road->profile + 2 * k, *b = a + 2;
    double y = road->y, w = road->width / 2;
    const vector corner[4] = {{a[0] + shift, y - w, a[1]},
                              {b[0] + shift, y - w, b[1]},
                              {b[0] + shift, y + w, b[1]},
                              {a[0] + shift, y + w, a[1]}};
    double slope = (b[1] - a[1]) / fmax(b[0] - a[0], 1e-9);
    int color = shaded(0xc3c6cb, 0.92 - 0.12 * slope / sqrt(1 + slope * slope));
    hn_cli_add(text, "<path fill=\"#%06x\" stroke=\"#%06x\" d=\"", (unsigned)color,
               (unsigned)color);
    for (int c = 0; c < 4; c++) {
      vector v = on_page(p, corner[c]);
      add_point(text, s, c == 0 ? 'M' : 'L', v.x, v.y);
    }
    hn_cli_add(text, "Z\"/>\n");
  }
}

// A ring where the two parts of a bushing are one inside the other.
static void add_bushing(hn_cli_text *text, const sheet *s, vector at) {
  hn_cli_add(text,
             "<circle fill=\"none\" stroke=\"#7a4fb5\" stroke-width=\"2.4\" stroke-opacity=\".7\" "
             "cx=\"%.1f\" cy=\"%.1f\" r=\"5\"/>\n",
             s->scale * (at.x - s->left), s->scale * (s->top - at.y));
}

// Springs as thin lines, over everything: they are hidden in most machines.
static void add_springs(hn_cli_text *text, const picture *p, const sheet *s) {
  for (int k = 0; k < p->scene->force_count; k++) {
    const hn_scene_link *f = &p->scene->forces[k];
    int is_bushing = strcmp(f->type, "bushing") == 0;
    if (strcmp(f->type, "spring-damper") != 0 && !is_bushing) continue;
    vector end[2];
    for (int side = 0; side < 2; side++) {
      pose body = body_pose(p, f->body[side]);
      end[side] = on_page(p, placed(&body, of(f->at[side])));
    }
    if (is_bushing) {
      add_bushing(text, s, end[0]);
      continue;
    }
    hn_cli_add(
        text,
        "<path fill=\"none\" stroke=\"#7a4fb5\" stroke-width=\"1.6\" stroke-opacity=\".7\" d=\"");
    add_point(text, s, 'M', end[0].x, end[0].y);
    add_point(text, s, 'L', end[1].x, end[1].y);
    hn_cli_add(text, "\"/>\n");
  }
}

static int is_finite_frame(const hn_scene *scene, const float *frame) {
  for (int k = 0; k < 1 + 7 * (scene->body_count - 1); k++) {
    if (!isfinite(frame[k])) return 0;
  }
  return 1;
}

int hn_cli_add_picture(hn_cli_text *text, const hn_scene *scene, int frame, double width) {
  if (frame < 0 || frame >= scene->frames) return 0;
  picture p = {.scene = scene, .frame = scene->motion + (size_t)frame * (size_t)scene->stride};
  int shapes = 0;
  for (int b = 0; b < scene->body_count; b++) shapes += scene->bodies[b].shape_count;
  if (!is_finite_frame(scene, p.frame) || shapes > most_shapes) return 0;
  look(&p);
  double size = machine_size(&p);
  p.most = size / (shapes < many_shapes ? 15 : 5);
  p.segments = shapes < many_shapes ? 20 : 8;
  for (int b = 0; b < scene->body_count; b++) {
    for (int k = 0; k < scene->bodies[b].shape_count; k++) {
      add_shape(&p, b, &scene->bodies[b].shapes[k]);
    }
  }
  if (p.count == 0) return 0;
  qsort(p.faces, p.count, sizeof *p.faces, by_depth);
  find_bounds(&p);
  double most_height = 0.62 * width, scale = fmin(width / p.wide, most_height / p.high);
  double height = scale * p.high;
  sheet s = {scale, p.left - (width / scale - p.wide) / 2, p.low + p.high};
  hn_cli_add(
      text,
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" stroke-width=\"1\" "
      "stroke-linejoin=\"round\">\n",
      width, height);
  for (int k = 0; k < scene->road_count; k++) {
    add_road(text, &p, &s, &scene->roads[k], (double)p.frame[0]);
  }
  add_faces(text, &p, &s);
  add_springs(text, &p, &s);
  hn_cli_add(text, "</svg>\n");
  free(p.faces);
  return 1;
}
