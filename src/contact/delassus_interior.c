// Interior-point method of the dense solver (delassus.h), if Newton's method stalls: dependent
// constraints, and slips close to zero. With
//
//   a = (mu p_N, p_T),   b = (u_N / mu + |u_T|, u_T)
//
// Coulomb's law is: a and b in the cone of second order, a o b = 0 (product of Jordan). Newton's
// method follows a o b = (barrier, 0, 0), barrier to 0, with b as unknowns y of their own:
//
//   B W dp + Arw(a)^-1 Arw(y) da = Arw(a)^-1 (barrier, 0, 0) - b,   db = B W dp
//
// whose first row is scaled by mu. Unilateral constraints have p u = barrier; boxes of half width L
// about c have u (L^2 - (p - c)^2) = -2 barrier (p - c). The path ends in the middle of all
// solutions, where contacts that can stick are well within their cones.
//
// A step that a border stops early is off center: impulses and velocities are moved inwards then.
#include <math.h>
#include <string.h>

#include "base/variants.h"
#include "contact/delassus_private.h"

#define NEAR_BORDER 0.95 // fraction of the step to the border
#define SHORTEST 1e-5    // of steps
#define LAST 1e-15       // barrier, of the first: rounding takes over
#define LONG 0.8         // steps after which the barrier shrinks by FAST, and by SLOW
#define MIDDLE 0.3
#define FAST 0.1
#define SLOW 0.5
#define STOPPED 0.1 // steps after which points are moved inwards
#define INWARDS 1.5 // of the distance of the border from the axis
#define CENTERED 0.1

static int is_pressed(const hn_delassus_block *b) {
  return b->law == HN_DELASSUS_CONE || b->law == HN_DELASSUS_UNILATERAL;
}

static int has_friction(const hn_delassus_block *b) {
  return b->law == HN_DELASSUS_CONE && b->mu > 0;
}

// Of a box: its middle and half width.
HN_INLINE double middle(const hn_delassus_block *b) { return 0.5 * (b->lower + b->upper); }
HN_INLINE double half(const hn_delassus_block *b) { return 0.5 * (b->upper - b->lower); }

void hn_delassus_path_start(hn_delassus *d, hn_delassus_path *path) {
  *path = (hn_delassus_path){.share = 1};
  for (int i = 0; i < d->count; i++) {
    path->size = fmax(path->size, d->rho[i] * fabs(d->q[i][0]));
    for (int r = 0; r < 3; r++) path->speed = fmax(path->speed, fabs(d->q[i][r]));
  }
  path->barrier = path->size * path->speed;
  for (int i = 0; i < d->count; i++) {
    memset(d->inner[i], 0, sizeof d->inner[i]);
    memset(d->dual[i], 0, sizeof d->dual[i]);
    memset(d->dual_step[i], 0, sizeof d->dual_step[i]);
    if (d->block[i].law == HN_DELASSUS_BOX) d->inner[i][0] = middle(&d->block[i]);
    if (!is_pressed(&d->block[i])) continue;
    d->inner[i][0] = path->size;
    d->dual[i][0] = path->speed;
  }
}

// The mean of a . y; -1: nothing presses.
HN_INLINE double mean_product(const hn_delassus *d) {
  double sum = 0;
  int count = 0;
  for (int i = 0; i < d->count; i++) {
    const double *p = d->inner[i], *y = d->dual[i];
    if (!is_pressed(&d->block[i])) continue;
    sum += has_friction(&d->block[i]) ? d->block[i].mu * p[0] * y[0] + p[1] * y[1] + p[2] * y[2]
                                      : p[0] * y[0];
    count++;
  }
  return count > 0 ? sum / count : -1;
}

// b of u, and e, on which b_0 depends besides u_N.
HN_INLINE void dual_of(double mu, const double *u, double b[3], double e[3]) {
  const double slip = sqrt(u[1] * u[1] + u[2] * u[2]);
  e[0] = 1;
  e[1] = slip > 0 ? u[1] / slip : 0;
  e[2] = slip > 0 ? u[2] / slip : 0;
  b[0] = u[0] / mu + slip;
  b[1] = u[1];
  b[2] = u[2];
}

// Columns of a row of the matrix. mu, e: of normals with friction, else 0.
HN_INLINE void store_responses(const hn_delassus *d, int i, double mu, const double e[3], int size,
                               int width, double *row) {
  for (int j = 0; j < d->count; j++) { // what is written beyond a block belongs to the next
    const double *w = hn_delassus_at(d, j, i); // rows of (i, j) are columns of (j, i)
    double *to = row + d->first[j];
    if (size == 1) {
      HN_FOUR(to) = HN_FOUR_OF(w);
      continue;
    }
    const hn_four x = HN_FOUR_OF(w + 4), y = HN_FOUR_OF(w + 8);
    HN_FOUR(to) = HN_FOUR_OF(w) + mu * (e[1] * x + e[2] * y);
    HN_FOUR(to + width) = x;
    HN_FOUR(to + 2 * width) = y;
  }
}

// Arw(a)^-1 Arw(y), and the first column of Arw(a)^-1.
HN_INLINE void divide(const double a[3], const double y[3], double out[3][3], double first[3]) {
  const double det = a[0] * a[0] - a[1] * a[1] - a[2] * a[2], own = 1 / a[0], part = 1 / det;
  const double inverse[3][3] = {
      {a[0] * part, -a[1] * part, -a[2] * part},
      {-a[1] * part, (1 + a[1] * a[1] * part) * own, a[1] * a[2] * part * own},
      {-a[2] * part, a[1] * a[2] * part * own, (1 + a[2] * a[2] * part) * own}};
  for (int r = 0; r < 3; r++) {
    first[r] = inverse[r][0];
    out[r][0] = inverse[r][0] * y[0] + inverse[r][1] * y[1] + inverse[r][2] * y[2];
    out[r][1] = inverse[r][0] * y[1] + inverse[r][1] * y[0];
    out[r][2] = inverse[r][0] * y[2] + inverse[r][2] * y[0];
  }
}

HN_INLINE void end_row(int from, int right, double *row) {
  for (int c = from; c < right + 4; c++) row[c] = 0;
}

// Three rows of a contact with friction.
HN_INLINE void make_cone_rows(hn_delassus *d, int i, double barrier, int rows, int right,
                              double *row) {
  const double mu = d->block[i].mu, *p = d->inner[i], a[3] = {mu * p[0], p[1], p[2]};
  const int width = right + 4;
  double b[3], e[3], of[3][3], first[3];
  dual_of(mu, d->u[i], b, e);
  divide(a, d->dual[i], of, first);
  store_responses(d, i, mu, e, 3, width, row);
  for (int r = 0; r < 3; r++) {
    double *at = row + r * width, *own = at + d->first[i];
    const double scale = r == 0 ? mu : 1;
    end_row(rows, right, at);
    own[0] += scale * mu * of[r][0];
    own[1] += scale * of[r][1];
    own[2] += scale * of[r][2];
    at[right] = scale * (first[r] * barrier - b[r]);
  }
}

// All other rows.
HN_INLINE void make_other_rows(hn_delassus *d, int i, double barrier, int rows, int right,
                               double *row) {
  const hn_delassus_block *block = &d->block[i];
  const double *p = d->inner[i], u = d->u[i][0], none[3] = {0, 0, 0};
  const int width = right + 4, at = d->first[i];
  store_responses(d, i, 0, none, 1, width, row);
  end_row(rows, right, row);
  if (is_pressed(block)) {
    row[at] += d->dual[i][0] / p[0];
    row[right] = barrier / p[0] - u;
  } else if (block->law == HN_DELASSUS_BILATERAL) {
    row[right] = -u;
  } else if (half(block) > 0) {
    const double x = p[0] - middle(block), inside = half(block) * half(block) - x * x;
    row[at] += 2 * (barrier - u * x) / inside;
    row[right] = -u - 2 * barrier * x / inside;
  } else {
    end_row(0, right, row);
    row[at] = 1;
  }
  for (int r = 1; r < hn_delassus_size(block->law); r++) { // without friction
    end_row(0, right, row + r * width);
    row[r * width + at + r] = 1;
  }
}

// Steps of p in d->target. 0: a pivot is missing.
HN_INLINE int find_step(hn_delassus *d, double barrier) {
  int rows = 0;
  for (int i = 0; i < d->count; i++) {
    d->first[i] = rows;
    rows += hn_delassus_size(d->block[i].law);
  }
  const int right = (rows + 3) & ~3, width = right + 4;
  for (int i = 0; i < d->count; i++) {
    double *row = d->matrix + (size_t)d->first[i] * (size_t)width;
    if (has_friction(&d->block[i]))
      make_cone_rows(d, i, barrier, rows, right, row);
    else
      make_other_rows(d, i, barrier, rows, right, row);
  }
  for (int r = rows; r < right; r++) {
    double *row = d->matrix + (size_t)r * (size_t)width;
    end_row(0, right, row);
    row[r] = 1;
  }
  if (!eliminate(d, right, width)) return 0;
  for (int i = 0; i < d->count; i++)
    for (int r = 0; r < 4; r++)
      d->target[i][r] = r < hn_delassus_size(d->block[i].law) ? d->x[d->first[i] + r] : 0;
  return 1;
}

// How many times x leads from a, inside the cone of second order, to its border.
HN_INLINE double cone_room(const double a[3], const double x[3]) {
  const double square = x[0] * x[0] - x[1] * x[1] - x[2] * x[2];
  const double mixed = a[0] * x[0] - a[1] * x[1] - a[2] * x[2];
  const double inside = a[0] * a[0] - a[1] * a[1] - a[2] * a[2];
  const double root = mixed * mixed - square * inside;
  const double below = root >= 0 ? sqrt(root) - mixed : 0;
  return below > 0 ? fmax(0, inside) / below : HUGE_VAL;
}

HN_INLINE double line_room(double a, double x) { return x < 0 ? -a / x : HUGE_VAL; }

// The step of y that goes with that of p, and how far both may go.
HN_INLINE double room_of(hn_delassus *d, int i, const double change[4]) {
  const hn_delassus_block *block = &d->block[i];
  const double *p = d->inner[i], *dp = d->target[i], *u = d->u[i];
  double *y = d->dual[i], *dy = d->dual_step[i], b[3], e[3];
  if (has_friction(block)) {
    const double mu = block->mu;
    dual_of(mu, u, b, e);
    dy[0] = b[0] + change[0] / mu + e[1] * change[1] + e[2] * change[2] - y[0];
    dy[1] = b[1] + change[1] - y[1];
    dy[2] = b[2] + change[2] - y[2];
    const double a[3] = {mu * p[0], p[1], p[2]}, da[3] = {mu * dp[0], dp[1], dp[2]};
    return fmin(cone_room(a, da), cone_room(y, dy));
  }
  if (is_pressed(block)) {
    dy[0] = u[0] + change[0] - y[0];
    return fmin(line_room(p[0], dp[0]), line_room(y[0], dy[0]));
  }
  if (block->law != HN_DELASSUS_BOX || !(half(block) > 0)) return HUGE_VAL;
  return fmin(line_room(p[0] - block->lower, dp[0]), line_room(block->upper - p[0], -dp[0]));
}

// W times the step of p, of block i.
HN_INLINE void change_of(const hn_delassus *d, int i, double change[4]) {
  hn_four a = {0, 0, 0, 0}, b = a, c = a;
  const double *w = hn_delassus_at(d, i, 0);
  for (int j = 0; j < d->count; j++, w += 12) {
    const double *dp = d->target[j];
    a += HN_FOUR_OF(w) * dp[0];
    b += HN_FOUR_OF(w + 4) * dp[1];
    c += HN_FOUR_OF(w + 8) * dp[2];
  }
  HN_FOUR(change) = a + b + c;
}

HN_INLINE void move_inwards(hn_delassus *d, const hn_delassus_path *path) {
  const double scale = path->size * path->speed;
  const double part = CENTERED * sqrt(scale > 0 ? path->barrier / scale : 0);
  for (int i = 0; i < d->count; i++) {
    const hn_delassus_block *block = &d->block[i];
    double *p = d->inner[i], *y = d->dual[i], pull = 0, slip = 0;
    if (!is_pressed(block)) continue;
    if (has_friction(block)) {
      pull = sqrt(p[1] * p[1] + p[2] * p[2]) / block->mu;
      slip = sqrt(y[1] * y[1] + y[2] * y[2]);
    }
    p[0] = fmax(p[0], INWARDS * pull + part * path->size);
    y[0] = fmax(y[0], INWARDS * slip + part * path->speed);
  }
}

HN_INLINE void advance(int wide, hn_delassus *d, hn_delassus_path *path, int *goes_on) {
  const double mean = mean_product(d), last = LAST * path->size * path->speed;
  double share = HUGE_VAL;
  (void)wide;
  *goes_on = 0;
  if (mean >= 0) path->barrier = mean;
  path->barrier *= path->share > LONG ? FAST : path->share > MIDDLE ? SLOW : 1;
  if (!(path->barrier > last)) return;
  memcpy(d->p, d->inner, (size_t)d->count * sizeof *d->p);
  for (int i = 0; i < d->count; i++) velocity(d, i, d->u[i]);
  if (!find_step(d, path->barrier)) return;
  for (int i = 0; i < d->count; i++) {
    double change[4];
    change_of(d, i, change);
    share = fmin(share, room_of(d, i, change));
  }
  path->share = share = fmin(1, NEAR_BORDER * share);
  if (!(share > SHORTEST)) return;
  for (int i = 0; i < d->count; i++) {
    HN_FOUR(d->inner[i]) += share * HN_FOUR_OF(d->target[i]);
    HN_FOUR(d->dual[i]) += share * HN_FOUR_OF(d->dual_step[i]);
  }
  if (share < STOPPED) move_inwards(d, path);
  memcpy(d->p, d->inner, (size_t)d->count * sizeof *d->p);
  *goes_on = 1;
}

HN_VARIANTS(advance, (hn_delassus * d, hn_delassus_path *path, int *goes_on), (d, path, goes_on))

int hn_delassus_path_advance(hn_delassus *d, hn_delassus_path *path) {
  int goes_on;
  HN_PICK(d->wide, advance)(d, path, &goes_on);
  return goes_on;
}
