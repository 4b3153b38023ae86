// Method components: the explicit machinery of first_order.c over equations that are solved and
// projected component by component (equations/nested.c). Nothing else is different: error test, dense
// output and events are the same.
#include "integrate/method.h"

static hn_status components_create(hn_arena *arena, hn_equations *equations, const char *formula,
                                   const char *independent, hn_method **method, hn_error *error) {
  hn_status status = hn_first_order.create(arena, equations, formula, independent, method, error);
  if (status == HN_OK) (*method)->type = &hn_components;
  return status;
}

static hn_status components_begin(hn_method *method, const hn_branches *branches, hn_error *error) {
  return hn_first_order.begin(method, branches, error);
}

static hn_status components_attempt(hn_method *method, double t_end, const hn_branches *branches,
                                    const hn_tolerance *tolerance, double *error_norm,
                                    hn_error *error) {
  return hn_first_order.attempt(method, t_end, branches, tolerance, error_norm, error);
}

static void components_interpolate(const hn_method *method, double theta, double *q, double *qd,
                                   double *work) {
  hn_first_order.interpolate(method, theta, q, qd, work);
}

static void components_accept(hn_method *method) { hn_first_order.accept(method); }

const hn_method_type hn_components = {
    .name = "components",
    .create = components_create,
    .begin = components_begin,
    .attempt = components_attempt,
    .interpolate = components_interpolate,
    .accept = components_accept,
};
