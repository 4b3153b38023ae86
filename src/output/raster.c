// Triangles into pixels (raster.h).
#include "output/raster.h"

#include <math.h>
#include <string.h>

void hn_raster_clear(hn_raster *r) {
  size_t count = (size_t)r->camera.width * (size_t)r->camera.height;
  unsigned char background[3];
  for (int c = 0; c < 3; c++) background[c] = (unsigned char)(255 * r->background[c] + 0.5);
  for (size_t k = 0; k < count; k++) {
    r->depth[k] = -HUGE_VALF;
    for (size_t c = 0; c < 3; c++) r->color[3 * k + c] = background[c];
  }
  count = r->shadow ? (size_t)r->light.width * (size_t)r->light.height : 0;
  for (size_t k = 0; k < count; k++) r->shadow[k] = -HUGE_VALF;
}

// ---- projection ---------------------------------------------------------------------------------

static hn_vec3 project(const hn_camera *c, hn_vec3 at) {
  hn_vec3 d = vec3_sub(at, c->middle);
  return vec3(0.5 * c->width + c->scale * vec3_dot(c->right, d),
              0.5 * c->height - c->scale * vec3_dot(c->up, d), vec3_dot(c->eye, d));
}

// A triangle on the grid of samples: edge functions, each 0 on the edge opposite a corner and 1 at it.
typedef struct footprint {
  hn_vec3 p[3];
  double a[3], b[3], c[3]; // weight k at (x, y): a x + b y + c
  int left, right, top, bottom;
} footprint;

static int find_footprint(const hn_camera *camera, const hn_corner corner[3], footprint *f) {
  for (int k = 0; k < 3; k++) f->p[k] = project(camera, corner[k].at);
  const hn_vec3 *p = f->p;
  double area = (p[1].x - p[0].x) * (p[2].y - p[0].y) - (p[2].x - p[0].x) * (p[1].y - p[0].y);
  if (!(fabs(area) > 1e-9) || !isfinite(area)) return 0;
  for (int k = 0; k < 3; k++) {
    const hn_vec3 u = p[(k + 1) % 3], v = p[(k + 2) % 3];
    f->a[k] = (u.y - v.y) / area;
    f->b[k] = (v.x - u.x) / area;
    f->c[k] = (u.x * v.y - v.x * u.y) / area;
  }
  double left = fmin(p[0].x, fmin(p[1].x, p[2].x)), right = fmax(p[0].x, fmax(p[1].x, p[2].x));
  double top = fmin(p[0].y, fmin(p[1].y, p[2].y)), bottom = fmax(p[0].y, fmax(p[1].y, p[2].y));
  if (!(right >= 0 && bottom >= 0 && left < camera->width && top < camera->height)) return 0;
  f->left = (int)fmax(0, floor(left - 0.5));
  f->right = (int)fmin(camera->width - 1, ceil(right));
  f->top = (int)fmax(0, floor(top - 0.5));
  f->bottom = (int)fmin(camera->height - 1, ceil(bottom));
  return f->left <= f->right && f->top <= f->bottom;
}

// The samples of a row that the triangle covers; 0: none.
static int find_span(const footprint *f, int row, int *begin, int *end) {
  double low = f->left, high = f->right, y = row + 0.5;
  for (int k = 0; k < 3; k++) {
    double at = f->b[k] * y + f->c[k] + 0.5 * f->a[k]; // at x = 0.5
    if (f->a[k] > 0)
      low = fmax(low, ceil(-at / f->a[k] - 1e-9));
    else if (f->a[k] < 0)
      high = fmin(high, floor(-at / f->a[k] + 1e-9));
    else if (at < 0)
      return 0;
  }
  if (!(low <= high)) return 0;
  *begin = (int)low;
  *end = (int)high;
  return 1;
}

static void weigh(const footprint *f, int x, int y, double w[3]) {
  for (int k = 0; k < 3; k++) w[k] = f->a[k] * (x + 0.5) + f->b[k] * (y + 0.5) + f->c[k];
}

// The depth at the beginning of a row, and how it grows from sample to sample.
static double depth_at(const footprint *f, int x, int y, double *step) {
  double w[3];
  weigh(f, x, y, w);
  *step = f->a[0] * f->p[0].z + f->a[1] * f->p[1].z + f->a[2] * f->p[2].z;
  return w[0] * f->p[0].z + w[1] * f->p[1].z + w[2] * f->p[2].z;
}

// ---- light --------------------------------------------------------------------------------------

// Depths of the samples that the triangle covers, where it is in front.
static void cover(const footprint *f, float *depth, int width) {
  int begin, end;
  for (int y = f->top; y <= f->bottom; y++) {
    if (!find_span(f, y, &begin, &end)) continue;
    float *row = depth + (size_t)y * (size_t)width;
    double step, z = depth_at(f, begin, y, &step);
    for (int x = begin; x <= end; x++, z += step)
      if ((float)z > row[x]) row[x] = (float)z;
  }
}

void hn_raster_cast(hn_raster *r, const hn_corner corner[3]) {
  footprint f;
  if (r->shadow && find_footprint(&r->light, corner, &f)) cover(&f, r->shadow, r->light.width);
}

// 1 in the light, 0 in the shadow; between at its edge.
static double lit(const hn_raster *r, hn_vec3 at) {
  if (!r->shadow) return 1;
  hn_vec3 p = project(&r->light, at);
  if (!(p.x >= 0.5 && p.y >= 0.5 && p.x < r->light.width - 1 && p.y < r->light.height - 1))
    return 1;
  int x = (int)(p.x - 0.5), y = (int)(p.y - 0.5);
  const float *row = r->shadow + (size_t)y * (size_t)r->light.width + x;
  const float z = (float)(p.z + r->bias);
  double right = p.x - 0.5 - x, below = p.y - 0.5 - y; // parts of the texels around
  double upper = (1 - right) * (row[0] < z) + right * (row[1] < z);
  row += r->light.width;
  double lower = (1 - right) * (row[0] < z) + right * (row[1] < z);
  return (1 - below) * upper + below * lower;
}

// Lines of the grid, about a pixel wide; far away it fades.
static double grid_line(const hn_raster *r, const hn_ground *g, hn_vec3 at) {
  double line = 0;
  for (int k = 0; k < 2; k++) {
    double u = vec3_dot(g->sides[k], at) / g->cell;
    double off = fabs(u - floor(u + 0.5)) * g->cell * r->camera.scale / g->samples;
    if (1.2 - off > line) line = 1.2 - off;
  }
  if (!(line > 0)) return 0;
  double far = vec3_norm(vec3_sub(at, g->middle));
  return (line < 1 ? line : 1) * fmax(0, 1 - far / g->reach);
}

double hn_raster_ground(const hn_raster *r, const hn_ground *g, double x, double y) {
  const hn_camera *c = &r->camera;
  hn_vec3 at = vec3_add_scaled(c->middle, (x - 0.5 * c->width) / c->scale, c->right);
  at = vec3_add_scaled(at, (0.5 * c->height - y) / c->scale, c->up);
  double slope = vec3_dot(r->above, c->eye);
  at = vec3_add_scaled(at, (g->height - vec3_dot(r->above, at)) / slope, c->eye);
  return (1 - 0.2 * (1 - lit(r, at))) * (1 - 0.1 * grid_line(r, g, at));
}

// Shading that depends only on the normal of a surface: its angle with light and eye.
typedef struct look {
  hn_vec3 normal; // towards the eye
  double facing, shine, all_round;
} look;

static look look_at(const hn_raster *r, hn_vec3 normal) {
  look l = {.normal = vec3_unit(normal)};
  if (vec3_dot(l.normal, r->camera.eye) < 0) l.normal = vec3_scale(-1, l.normal);
  l.facing = vec3_dot(l.normal, r->light.eye);
  if (l.facing > 0) {
    l.shine = fmax(0, vec3_dot(l.normal, r->half));
    for (int k = 0; k < 5; k++) l.shine *= l.shine; // to the power of 32
  }
  l.all_round =
      0.54 + 0.10 * vec3_dot(l.normal, r->above) + 0.10 * vec3_dot(l.normal, r->camera.eye);
  return l;
}

static void shade(const hn_raster *r, const hn_paint *paint, const look *l, hn_vec3 at,
                  double out[3]) {
  // moved off the surface, which would else shade itself where it turns away
  double light = l->facing > 0 ? lit(r, vec3_add_scaled(at, 2 * r->bias, l->normal)) : 0;
  double direct = l->facing * light, all = l->all_round + 0.52 * direct;
  for (int c = 0; c < 3; c++) {
    double value = paint->color[c] * all + 0.10 * l->shine * direct;
    out[c] = value < 1 ? value : 1;
  }
}

// ---- drawing ------------------------------------------------------------------------------------

static void put(unsigned char *pixel, const double color[3], double opacity) {
  for (int c = 0; c < 3; c++) {
    double value = opacity * 255 * color[c] + (opacity < 1 ? (1 - opacity) * pixel[c] : 0);
    pixel[c] = (unsigned char)(int)(value + 0.5);
  }
}

void hn_raster_cover(hn_raster *r, const hn_corner corner[3]) {
  footprint f;
  if (find_footprint(&r->camera, corner, &f)) cover(&f, r->depth, r->camera.width);
}

// Places and normals along a row.
typedef struct along {
  hn_vec3 at, normal, at_step, normal_step;
} along;

static along go_along(const footprint *f, const hn_corner corner[3], int x, int y) {
  along l = {.at = vec3_zero()};
  double w[3];
  weigh(f, x, y, w);
  for (int i = 0; i < 3; i++) {
    l.at = vec3_add_scaled(l.at, w[i], corner[i].at);
    l.normal = vec3_add_scaled(l.normal, w[i], corner[i].normal);
    l.at_step = vec3_add_scaled(l.at_step, f->a[i], corner[i].at);
    l.normal_step = vec3_add_scaled(l.normal_step, f->a[i], corner[i].normal);
  }
  return l;
}

static int is_flat(const hn_corner corner[3]) {
  for (int i = 1; i < 3; i++)
    if (vec3_norm(vec3_sub(corner[i].normal, corner[0].normal)) > 0) return 0;
  return 1;
}

void hn_raster_shade(hn_raster *r, const hn_corner corner[3], const hn_paint *paint) {
  footprint f;
  int begin, end, flat = is_flat(corner), is_opaque = paint->opacity >= 1;
  if (!find_footprint(&r->camera, corner, &f)) return;
  look l = look_at(r, corner[0].normal);
  for (int y = f.top; y <= f.bottom; y++) {
    if (!find_span(&f, y, &begin, &end)) continue;
    double step, z = depth_at(&f, begin, y, &step), color[3];
    along row = go_along(&f, corner, begin, y);
    for (int x = begin; x <= end; x++, z += step) {
      size_t k = (size_t)y * (size_t)r->camera.width + (size_t)x;
      if (is_opaque ? !((float)z >= r->depth[k]) : !((float)z > r->depth[k])) continue;
      if (!flat) l = look_at(r, vec3_add_scaled(row.normal, x - begin, row.normal_step));
      shade(r, paint, &l, vec3_add_scaled(row.at, x - begin, row.at_step), color);
      put(r->color + 3 * k, color, paint->opacity);
      if (is_opaque) r->depth[k] = (float)(z + 2e-7 * fabs(z)); // the first of equal ones stays
    }
  }
}
