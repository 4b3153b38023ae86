#include "math/lookup.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "math/law.h"

enum { F, FX, FY, FXY };

// ---- making -------------------------------------------------------------------------------------

static hn_status check(const hn_table_def *def, hn_error *error) {
  if (def->columns < 2 || !def->x || !def->values || (def->y && def->rows < 2))
    return hn_fail(error, HN_ERROR_ARGUMENT, NULL, NULL, "give at least two points along each side",
                   "the table has %d by %d points", def->columns, def->y ? def->rows : 1);
  if (def->y && (double)def->columns * def->rows > INT_MAX / 8)
    return hn_fail(error, HN_ERROR_LIMIT, NULL, NULL, "use fewer points",
                   "the table has %d by %d points", def->columns, def->rows);
  if (def->y && (def->options.is_periodic || def->options.outside == HN_TABLE_REFUSE))
    return hn_fail(error, HN_ERROR_ARGUMENT, NULL, NULL, "use linear or constant extrapolation",
                   "a table of two variables cannot be periodic or limited");
  return HN_OK;
}

// A row or a column: where its points are, how many, and how many numbers lie between two.
typedef struct line {
  const double *at;
  int count, stride;
} line;

// Slopes of the curve through the points of a line.
static hn_status slopes(const hn_lookup *made, line of, const double *from, double *to, double *y,
                        const hn_allocator *allocator, hn_error *error) {
  for (int k = 0; k < of.count; k++) y[k] = from[(size_t)k * (size_t)of.stride];
  hn_law *law = NULL;
  const hn_table_options open = {.kind = made->options.kind};
  const hn_status status = hn_law_curve(of.at, y, of.count, &open, allocator, &law, error);
  for (int k = 0; k < of.count && law; k++)
    to[(size_t)k * (size_t)of.stride] = hn_law_evaluate(law, -1, of.at[k]).d1;
  hn_law_free(law);
  return status;
}

static hn_status fill(const hn_lookup *made, double (*corner)[4], double *y,
                      const hn_allocator *allocator, hn_error *error) {
  hn_status status = HN_OK;
  const line row = {made->x, made->columns, 4}, column = {made->y, made->rows, 4 * made->columns};
  for (int j = 0; j < made->rows && !status; j++) {
    double *at = corner[(size_t)j * (size_t)made->columns];
    status = slopes(made, row, at + F, at + FX, y, allocator, error);
  }
  for (int i = 0; i < made->columns && !status; i++) {
    status = slopes(made, column, corner[i] + F, corner[i] + FY, y, allocator, error);
    if (!status)
      status = slopes(made, column, corner[i] + FX, corner[i] + FXY, y, allocator, error);
  }
  return status;
}

static hn_status make_map(hn_arena *arena, const hn_table_def *def, hn_lookup *made,
                          hn_error *error) {
  const size_t count = (size_t)def->columns * (size_t)def->rows;
  double(*corner)[4] = hn_arena_take(arena, count, sizeof *corner);
  made->rows = def->rows;
  made->y = hn_arena_copy(arena, def->y, (size_t)def->rows, sizeof *def->y);
  made->corner = (const double(*)[4])corner;
  double *y = HN_TAKE(arena, double, def->columns + def->rows);
  if (arena->failed)
    return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, "free memory",
                   "out of memory for the table");
  for (size_t k = 0; k < count; k++) corner[k][F] = def->values[k];
  return fill(made, corner, y, &arena->allocator, error);
}

static unsigned long long hash_of(const hn_lookup *made, const hn_table_def *def) {
  unsigned long long h = 14695981039346656037ULL;
  const size_t counts[] = {(size_t)made->columns, (size_t)made->rows,
                           made->y ? (size_t)made->columns * (size_t)made->rows
                                   : (size_t)made->columns};
  const double *numbers[] = {def->x, def->y, def->values};
  for (int part = 0; part < 3; part++)
    for (size_t k = 0; numbers[part] && k < counts[part]; k++) {
      unsigned long long bits;
      memcpy(&bits, &numbers[part][k], sizeof bits);
      h = (h ^ bits) * 1099511628211ULL;
    }
  const int options[] = {(int)def->options.kind, (int)def->options.outside,
                         def->options.is_periodic};
  for (int k = 0; k < 3; k++) h = (h ^ (unsigned long long)options[k]) * 1099511628211ULL;
  return h;
}

hn_status hn_lookup_create(hn_arena *arena, const hn_table_def *def, hn_lookup **lookup,
                           hn_error *error) {
  *lookup = NULL;
  hn_status status = check(def, error);
  hn_lookup *made = status ? NULL : HN_TAKE(arena, hn_lookup, 1);
  if (status) return status;
  if (made) {
    made->name = hn_arena_copy_string(arena, def->name);
    made->x = hn_arena_copy(arena, def->x, (size_t)def->columns, sizeof *def->x);
  }
  if (arena->failed)
    return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, "free memory",
                   "out of memory for the table");
  made->arguments = def->y ? 2 : 1;
  made->columns = def->columns;
  made->options = def->options;
  status = def->y ? make_map(arena, def, made, error)
                  : hn_law_curve(def->x, def->values, def->columns, &def->options,
                                 &arena->allocator, &made->law, error);
  made->hash = hash_of(made, def);
  if (status == HN_OK) *lookup = made;
  return status;
}

// ---- use ----------------------------------------------------------------------------------------

// Cubics of Hermite on 0 to h for f0, f0', f1, f1', with three derivatives by s: w[order][k].
static void hermite(double h, double s, double w[4][4]) {
  const double u = s / h,
               rows[4][4] = {
                   {1 + u * u * (2 * u - 3), s * (1 - u) * (1 - u), u * u * (3 - 2 * u),
                    s * u * (u - 1)},
                   {6 * u * (u - 1) / h, 1 + u * (3 * u - 4), 6 * u * (1 - u) / h, u * (3 * u - 2)},
                   {(12 * u - 6) / (h * h), (6 * u - 4) / h, (6 - 12 * u) / (h * h),
                    (6 * u - 2) / h},
                   {12 / (h * h * h), 6 / (h * h), -12 / (h * h * h), 6 / (h * h)}};
  memcpy(w, rows, sizeof rows);
}

static void straight(double h, double s, double w[4][4]) {
  const double rows[4][4] = {{1 - s / h, 0, s / h, 0}, {-1 / h, 0, 1 / h, 0}, {0}, {0}};
  memcpy(w, rows, sizeof rows);
}

void hn_lookup_weights(const hn_table_options *options, double h, double w[4][4]) {
  const double chord[4][4] = {{1, -1 / h}, {0}, {0, 1 / h}, {0}};
  const double cubic[4][4] = {{1, 0, -3 / (h * h), 2 / (h * h * h)},
                              {0, 1, -2 / h, 1 / (h * h)},
                              {0, 0, 3 / (h * h), -2 / (h * h * h)},
                              {0, 0, -1 / h, 1 / (h * h)}};
  memcpy(w, options->kind == HN_TABLE_LINEAR ? chord : cubic, sizeof cubic);
}

// The interval that holds `at`, and the weights there; beyond the ends those of the tangent, or of
// the end.
static int weigh(const double *x, int count, const hn_table_options *options, double at,
                 double w[4][4]) {
  int low = 0, high = count - 1;
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    if (at >= x[middle])
      low = middle;
    else
      high = middle;
  }
  const double h = x[low + 1] - x[low], s = at - x[low], inside = s < 0 ? 0 : s > h ? h : s;
  (options->kind == HN_TABLE_LINEAR ? straight : hermite)(h, inside, w);
  if (s == inside || isnan(s)) return low;
  const double beyond = options->outside == HN_TABLE_HOLD ? 0 : s - inside;
  for (int k = 0; k < 4; k++) {
    w[0][k] += beyond * w[1][k];
    if (options->outside == HN_TABLE_HOLD) w[1][k] = 0;
    w[2][k] = w[3][k] = 0;
  }
  return low;
}

// The sum over the four corners, of derivatives dx and dy.
static double patch(const double *const corner[2][2], double wx[4], double wy[4]) {
  double sum = 0;
  for (int j = 0; j < 2; j++)
    for (int i = 0; i < 2; i++) {
      const double *f = corner[j][i];
      sum += wy[2 * j] * (wx[2 * i] * f[F] + wx[2 * i + 1] * f[FX]) +
             wy[2 * j + 1] * (wx[2 * i] * f[FY] + wx[2 * i + 1] * f[FXY]);
    }
  return sum;
}

double hn_lookup_partials(const hn_lookup *lookup, double x, double y, hn_partials *partials) {
  *partials = (hn_partials){0};
  if (lookup->law) {
    const hn_law_value f = hn_law_evaluate(lookup->law, -1, x);
    partials->x = f.d1;
    partials->xx = f.d2;
    partials->xxx = f.d3;
    return f.value;
  }
  double wx[4][4], wy[4][4];
  const int i = weigh(lookup->x, lookup->columns, &lookup->options, x, wx);
  const int j = weigh(lookup->y, lookup->rows, &lookup->options, y, wy);
  const double(*f)[4] = lookup->corner + (size_t)j * (size_t)lookup->columns + i;
  const double *const corner[2][2] = {{f[0], f[1]}, {f[lookup->columns], f[lookup->columns + 1]}};
  *partials = (hn_partials){.x = patch(corner, wx[1], wy[0]),
                            .y = patch(corner, wx[0], wy[1]),
                            .xx = patch(corner, wx[2], wy[0]),
                            .xy = patch(corner, wx[1], wy[1]),
                            .yy = patch(corner, wx[0], wy[2]),
                            .xxx = patch(corner, wx[3], wy[0]),
                            .xxy = patch(corner, wx[2], wy[1]),
                            .xyy = patch(corner, wx[1], wy[2]),
                            .yyy = patch(corner, wx[0], wy[3])};
  return patch(corner, wx[0], wy[0]);
}

double hn_lookup_value(const hn_lookup *lookup, double x, double y) {
  if (lookup->law) return hn_law_evaluate(lookup->law, -1, x).value;
  hn_partials ignored;
  return hn_lookup_partials(lookup, x, y, &ignored);
}

// ---- pieces -------------------------------------------------------------------------------------

// Smooth tables change a higher derivative at their points. What jumps there is large where points are
// few; of fine ones error control takes care, and steps need not end at each.
enum { COARSE = 100 };

static int has_points(int count, const hn_table_options *options) {
  return options->kind == HN_TABLE_LINEAR || count <= COARSE;
}

int hn_lookup_bends(const hn_lookup *lookup) {
  return has_points(lookup->columns, &lookup->options) ||
         (lookup->arguments > 1 && has_points(lookup->rows, &lookup->options)) ||
         (lookup->options.outside == HN_TABLE_HOLD && !lookup->options.is_periodic);
}

// Points at or below `at`, as far as something changes there.
static int piece_along(const double *x, int count, const hn_table_options *options, double at) {
  const double period = x[count - 1] - x[0];
  double turns = options->is_periodic ? floor((at - x[0]) / period) : 0;
  if (!(fabs(turns) < 1e6) || isnan(at)) turns = 0;
  at -= turns * period;
  if (!has_points(count, options)) return at < x[0] ? 0 : at > x[count - 1] ? 2 : 1;
  int low = 0, high = count;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (x[middle] <= at)
      low = middle + 1;
    else
      high = middle;
  }
  const int is_straight = options->kind == HN_TABLE_LINEAR && options->outside != HN_TABLE_HOLD;
  if (is_straight) low = low < 1 ? 1 : low > count - 1 ? count - 1 : low;
  return low + (int)turns * count;
}

int hn_lookup_piece(const hn_lookup *lookup, double x, double y) {
  if (!hn_lookup_bends(lookup)) return 0;
  const int along = piece_along(lookup->x, lookup->columns, &lookup->options, x);
  if (lookup->arguments == 1) return along;
  return along * (lookup->rows + 1) + piece_along(lookup->y, lookup->rows, &lookup->options, y);
}
