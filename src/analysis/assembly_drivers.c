// Reports drivers that contradict each other, with the value each of them prescribes.
#include <math.h>
#include <string.h>

#include "analysis/assembly_failure.h"
#include "base/error.h"

#define SHARE 1e-3 // of the residual: less is not part of the contradiction
enum { TOLD = 4 };

typedef struct found {
  int count;     // of all drivers that take part
  int row[TOLD]; // the first of them
} found;

static double left(const hn_assembly *a, const hn_assembly_rows *rows, int of_rates, int r) {
  return fabs(of_rates ? rows->rate[r] : rows->value[r]) * hn_assembly_weight(a, rows, r);
}

static double most_left(const hn_assembly *a, const hn_assembly_rows *rows, int of_rates) {
  double most = 0;
  for (int r = 0; r < rows->size; r++) most = fmax(most, left(a, rows, of_rates, r));
  return most;
}

static int is_same(const hn_assembly *a, int r, int s) {
  const hn_row *x = &a->elements->rows[r], *y = &a->elements->rows[s];
  return x->count == 1 && y->count == 1 && x->measure[0] == y->measure[0];
}

// Driver rows with something left; with only_same those on the coordinate of an earlier one.
static found find_drivers(const hn_assembly *a, const hn_assembly_rows *rows, int of_rates,
                          int only_same) {
  double least = SHARE * most_left(a, rows, of_rates);
  found all = {.count = 0};
  for (int r = a->elements->driver_row[0]; r < rows->row_count; r++) {
    if (!(left(a, rows, of_rates, r) > least)) continue;
    int belongs = !only_same || (all.count > 0 && is_same(a, all.row[0], r));
    for (int s = r + 1; only_same && all.count == 0 && s < rows->row_count; s++)
      belongs |= is_same(a, r, s) && left(a, rows, of_rates, s) > least;
    if (!belongs) continue;
    if (all.count < TOLD) all.row[all.count] = r;
    all.count++;
  }
  return all;
}

static const char *what_it_drives(const hn_assembly *a, const hn_driver_def *driver, int of_rates,
                                  char *text, size_t size) {
  const char *rate = of_rates ? " rate" : "";
  switch (driver->kind) {
  case HN_DRIVER_JOINT:
    return hn_text(text, size, "the %s%s of joint '%s'", hn_coordinate_name(driver->coordinate),
                   rate, a->model->joints[driver->joint].name);
  case HN_DRIVER_POINT:
    return hn_text(text, size, "the %s%s of its point", hn_coordinate_name(driver->coordinate),
                   rate);
  case HN_DRIVER_DISTANCE: return hn_text(text, size, "its distance%s", rate);
  }
  return hn_text(text, size, "its coordinate%s", rate);
}

// "'motor' wants the angle of joint 'A' = 1.0472 rad (60 deg)"
static void describe_wish(const hn_assembly *a, int r, int of_rates, char *text, size_t size) {
  const hn_row *row = &a->elements->rows[r];
  const hn_driver_def *driver = &a->model->drivers[row->owner];
  hn_law_value law = hn_law_evaluate(driver->law, a->branches->driver[row->owner], a->t);
  double value = of_rates ? law.d1 : law.value;
  int is_length = driver->kind != HN_DRIVER_JOINT || hn_coordinate_is_length(driver->coordinate);
  char what[160], degrees[40] = "";
  if (!is_length)
    hn_text(degrees, sizeof degrees, " (%.4g deg%s)", value * 180 / HN_PI, of_rates ? "/s" : "");
  hn_text(text, size, "'%s' prescribes %s = %.6g %s%s%s", driver->name,
          what_it_drives(a, driver, of_rates, what, sizeof what), value, is_length ? "m" : "rad",
          of_rates ? "/s" : "", degrees);
}

int hn_assembly_explain_drivers(const hn_assembly *a, const hn_assembly_rows *rows, int of_rates,
                                int only_same, hn_error *error) {
  found drivers = find_drivers(a, rows, of_rates, only_same);
  if (drivers.count < 2) return 0;
  int told = drivers.count < TOLD ? drivers.count : TOLD, same = 1;
  char element[128], wishes[1024] = "", wish[256];
  for (int k = 0; k < told; k++) {
    size_t used = strlen(wishes);
    describe_wish(a, drivers.row[k], of_rates, wish, sizeof wish);
    hn_text(wishes + used, sizeof wishes - used, "%s%s", k ? ", " : "", wish);
    same &= is_same(a, drivers.row[0], drivers.row[k]);
  }
  const char *first = hn_assembly_row_name(rows, drivers.row[0]);
  const char *second = hn_assembly_row_name(rows, drivers.row[1]);
  if (drivers.count == 2)
    hn_text(element, sizeof element, "drivers '%s' and '%s'", first, second);
  else
    hn_text(element, sizeof element, "drivers '%s', '%s' and %d more", first, second,
            drivers.count - 2);
  hn_fail(error, of_rates ? HN_ERROR_INCONSISTENT : HN_ERROR_ASSEMBLY,
          hn_assembly_row_source(rows, drivers.row[1]), element,
          same ? "remove one of them, or give both the same motion"
               : "remove one of them, or prescribe motions that fit: the joints couple them",
          "%s at t = %g s: %s",
          same ? "contradict each other" : "cannot both be satisfied with the joints between them",
          a->t, wishes);
  return 1;
}
