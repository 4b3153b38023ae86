// Derivatives against differences, of functions that bend within a small step: right derivatives pass
// at every size of the bend down to 1e-10, wrong ones are found.
#include <math.h>

#include "study/audit.h"
#include "support/check.h"

enum { COUNT = 2 };

typedef struct function {
  double (*value)(double x, double scale);
  double at, scale;
} function;

static hn_status values_of(void *context, double h, double *values) {
  const function *f = context;
  values[0] = f->value(f->at + h, f->scale);
  values[1] = 2 * values[0];
  return HN_OK;
}

static int findings_of(function f, double derivative) {
  hn_simulation simulation = {0};
  hn_audit_finding found;
  hn_audit audit = {.simulation = &simulation, .findings = &found, .capacity = 1};
  const double exact[COUNT] = {derivative, 2 * derivative};
  double room[HN_AUDIT_ROOM * COUNT];
  const hn_audit_test test = {values_of, &f, COUNT, exact, 1, room, "f", "force by velocity", NULL};
  hn_audit_compare(&audit, &test);
  return audit.count;
}

// Friction at a slow slip across: two points that slip alike, one of them moved along.
static double slips(double x, double scale) { return 20 * x + 3 * x * scale / hypot(x, scale); }

// A contact force at a small depth.
static double pushes(double x, double scale) {
  return x + scale > 0 ? 1e5 * pow(x + scale, 1.5) : 0;
}

static double is_smooth(double x, double scale) { return sin(x / scale) + 1e4 * x; }

static void right_derivatives_beside_a_bend_pass(void **state) {
  (void)state;
  for (double scale = 1; scale > 1e-10; scale *= 0.3) {
    assert_int_equal(findings_of((function){slips, 0, scale}, 23), 0);
    assert_int_equal(findings_of((function){pushes, 0, scale}, 1.5e5 * sqrt(scale)), 0);
  }
  assert_int_equal(findings_of((function){pushes, 0, 0}, 0), 0);
}

static void wrong_derivatives_beside_a_bend_are_found(void **state) {
  (void)state;
  for (double scale = 1; scale > 1e-7; scale *= 0.3) {
    assert_int_equal(findings_of((function){slips, 0, scale}, 23.1), 1);
    assert_int_equal(findings_of((function){slips, 0, scale}, 20), 1);
    assert_int_equal(findings_of((function){slips, 0, scale}, 17), 1);
  }
  for (double scale = 1; scale > 1e-4; scale *= 0.3)
    assert_int_equal(findings_of((function){pushes, 0, scale}, 1.6e5 * sqrt(scale)), 1);
}

static void wrong_derivatives_of_smooth_functions_are_found(void **state) {
  (void)state;
  for (double x = -1; x < 1; x += 0.13) {
    const double exact = cos(x / 0.1) / 0.1 + 1e4;
    assert_int_equal(findings_of((function){is_smooth, x, 0.1}, exact), 0);
    assert_int_equal(findings_of((function){is_smooth, x, 0.1}, exact + 0.5), 1);
    assert_int_equal(findings_of((function){is_smooth, x, 0.1}, -exact), 1);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(right_derivatives_beside_a_bend_pass),
      cmocka_unit_test(wrong_derivatives_beside_a_bend_are_found),
      cmocka_unit_test(wrong_derivatives_of_smooth_functions_are_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
