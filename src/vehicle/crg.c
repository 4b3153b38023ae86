// Roads of OpenCRG: position of a point along and across the reference line, and the height there.
//
// Between the stations i and i + 1 with the unit normal m of the segment, stations have the mitred
// normals a (of p_(i+1) - p_(i-1), stretched so that a.m = 1); v = (p - p_i).m, A = p_i + v a_i, B
// = p_(i+1) + v a_(i+1), and f in 0 .. 1 from A to B. Of several segments the one with the least
// |v| counts. Heights are bilinear in (u, v), constant beyond the ends, and have slope
// discontinuities at the lines of the grid, where the normal jumps; derivatives are those of the
// cell, with the line taken as straight within a segment.
#include <math.h>

#include "vehicle/surface.h"

typedef struct place {
  int segment;
  double f, v;
  double tx, ty;  // unit tangent of the segment
  double stretch; // |B - A|
} place;

// Mitred normal at station k for the segment with the normal (mx, my).
static void mitre(const hn_crg *c, int k, double mx, double my, double *ax, double *ay) {
  int from = k > 0 ? k - 1 : 0, to = k < c->stations - 1 ? k + 1 : k;
  double nx = -(c->y[to] - c->y[from]), ny = c->x[to] - c->x[from];
  double d = nx * mx + ny * my;
  if (!(fabs(d) > 1e-12)) {
    *ax = mx;
    *ay = my;
    return;
  }
  *ax = nx / d;
  *ay = ny / d;
}

// Returns 0 for a point that is not in the range of this segment.
static int beside(const hn_crg *c, int i, double x, double y, place *p) {
  double dx = c->x[i + 1] - c->x[i], dy = c->y[i + 1] - c->y[i], length = sqrt(dx * dx + dy * dy);
  if (!(length > 0)) return 0;
  double mx = -dy / length, my = dx / length, a[2], b[2];
  p->segment = i;
  p->tx = dx / length;
  p->ty = dy / length;
  p->v = (x - c->x[i]) * mx + (y - c->y[i]) * my;
  mitre(c, i, mx, my, &a[0], &a[1]);
  mitre(c, i + 1, mx, my, &b[0], &b[1]);
  double ax = c->x[i] + p->v * a[0], ay = c->y[i] + p->v * a[1];
  double bx = c->x[i + 1] + p->v * b[0] - ax, by = c->y[i + 1] + p->v * b[1] - ay;
  double square = bx * bx + by * by;
  if (!(square > 0)) return 0;
  p->f = ((x - ax) * bx + (y - ay) * by) / square;
  p->stretch = sqrt(square);
  return (i == 0 || p->f >= -1e-12) && (i == c->stations - 2 || p->f <= 1 + 1e-12);
}

// How many segments may be passed over at station i, since all of them are farther away than what
// was found.
static int passed(const hn_crg *c, int i, double x, double y, double found) {
  double dx = x - c->x[i], dy = y - c->y[i], away = sqrt(dx * dx + dy * dy);
  double room = (away - 1.1 * fabs(found)) / c->longest - 2;
  return room > 0 ? (int)fmin(room, c->stations) : 0;
}

static place locate(const hn_crg *c, double x, double y) {
  place best = {.v = HUGE_VAL, .tx = 1, .stretch = c->step}, p;
  int last = c->stations - 2;
  if (last > 0 && beside(c, last, x, y, &p)) best = p;
  for (int i = 0; i <= last; i++) {
    if (beside(c, i, x, y, &p) && fabs(p.v) < fabs(best.v)) best = p;
    if (isfinite(best.v)) i += passed(c, i, x, y, best.v);
  }
  if (isinf(best.v)) best.v = 0;
  return best;
}

void hn_crg_locate(const hn_crg *c, double x, double y, double *u, double *v) {
  place p = locate(c, x, y);
  *u = c->start + (p.segment + p.f) * c->step;
  *v = p.v;
}

void hn_crg_at(const hn_crg *c, double x, double y, hn_road_point *at) {
  place p = locate(c, x, y);
  int i = p.segment, j = 0;
  double f = fmin(fmax(p.f, 0), 1), inside_u = f == p.f;
  double v = fmin(fmax(p.v, c->v[0]), c->v[c->sections - 1]), inside_v = v == p.v;
  while (j < c->sections - 2 && c->v[j + 1] <= v) j++;
  const double *a = &c->z[(size_t)i * (size_t)c->sections + (size_t)j], *b = a + c->sections;
  double width = c->v[j + 1] - c->v[j], h = (v - c->v[j]) / width;
  double low = (1 - h) * a[0] + h * a[1], high = (1 - h) * b[0] + h * b[1];
  double bank = (1 - f) * c->bank[i] + f * c->bank[i + 1];
  at->z = (1 - f) * (low + c->z_line[i]) + f * (high + c->z_line[i + 1]) + bank * v;
  double z_f = high - low + c->z_line[i + 1] - c->z_line[i] + (c->bank[i + 1] - c->bank[i]) * v;
  double z_v = ((1 - f) * (a[1] - a[0]) + f * (b[1] - b[0])) / width + bank;
  double z_fv = (b[1] - b[0] - a[1] + a[0]) / width + c->bank[i + 1] - c->bank[i];
  double z_u = inside_u * z_f / p.stretch, z_w = inside_v * z_v;
  double z_uw = inside_u * inside_v * z_fv / p.stretch;
  at->z_x = z_u * p.tx - z_w * p.ty;
  at->z_y = z_u * p.ty + z_w * p.tx;
  at->z_xx = -2 * z_uw * p.tx * p.ty;
  at->z_xy = z_uw * (p.tx * p.tx - p.ty * p.ty);
  at->z_yy = 2 * z_uw * p.tx * p.ty;
}
