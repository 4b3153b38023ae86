// Evaluations of a tangent in q by names (equations/tangent.h).
#ifndef HN_TESTS_SUPPORT_TANGENT_H
#define HN_TESTS_SUPPORT_TANGENT_H

#include "equations/tangent.h"

static inline hn_status tangent_rows(hn_tangent *tangent, double t, const double *q,
                                     const hn_branches *branches) {
  const hn_tangent_state s = {.t = t, .q = q, .branches = branches};
  return hn_tangent_evaluate(tangent, &s, HN_ROWS, NULL);
}

static inline hn_status tangent_basic(hn_tangent *tangent, double t, const double *q,
                                      const double *qd, const hn_branches *branches,
                                      hn_error *error) {
  const hn_tangent_state s = {.t = t, .q = q, .qd = qd, .branches = branches};
  return hn_tangent_evaluate(tangent, &s, HN_BASIC, error);
}

static inline hn_status tangent_full(hn_tangent *tangent, double t, const double *q,
                                     const double *qd, const double *qdd, const double *lambda,
                                     const hn_branches *branches, hn_error *error) {
  const hn_tangent_state s = {
      .t = t, .q = q, .qd = qd, .qdd = qdd, .lambda = lambda, .branches = branches};
  return hn_tangent_evaluate(tangent, &s, HN_FULL, error);
}

// Q - M qdd
static inline hn_status tangent_balance(hn_tangent *tangent, double t, const double *q,
                                        const double *qd, const double *qdd,
                                        const hn_branches *branches, double *b, hn_error *error) {
  const hn_tangent_state s = {.t = t, .q = q, .qd = qd, .qdd = qdd, .branches = branches, .b = b};
  return hn_tangent_evaluate(tangent, &s, HN_BALANCE, error);
}

#endif
