// Taylor models: a function along a step as a polynomial of degree 4 and a bound of its error,
//
//   |f(s) - sum c[k] s^k| <= error   for s in [-1, 1]
//
// Terms that cancel each other do so in the coefficients, and one evaluation encloses the whole step:
// cheaper than bounds over intervals (bounds.h), which have to be bisected. There is no model where an
// operation may switch or a series does not converge over the step.
//
// Makino, Berz: Taylor models and other validated functional inclusion methods, Int. J. Pure and
// Applied Mathematics 4 (2003) 379-456.
#ifndef HN_MATH_TAYLOR_H
#define HN_MATH_TAYLOR_H

#include "math/law.h"

enum { HN_TAYLOR_DEGREE = 4, HN_TAYLOR_COUNT = HN_TAYLOR_DEGREE + 1 };

typedef struct hn_taylor {
  double c[HN_TAYLOR_COUNT];
  double error;
  int is_constant; // all but c[0] are 0
} hn_taylor;

// The functions below return 0 if there is no model.

// Of any law, at its variables and then the inputs it uses, in their order.
int hn_law_taylor(const hn_law *law, const hn_taylor *variables, hn_taylor *f);

// ---- operations, with the numbers of hn_unary and hn_binary (expression_code.h) -----------------

int hn_law_taylor_unary(int operation, hn_taylor *u);                      // replaces u
int hn_law_taylor_binary(int operation, hn_taylor *u, const hn_taylor *v); // replaces u
int hn_law_taylor_with(int operation, hn_taylor *u, double value); // of + - * / and a number
hn_taylor hn_law_taylor_constant(double value);
hn_taylor hn_law_taylor_multiply(const hn_taylor *u, const hn_taylor *v);
// p[0] + p[1] u + ... + p[count - 1] u^(count - 1)
hn_taylor hn_law_taylor_polynomial(const double *p, int count, const hn_taylor *u);
// The values of u lie within u->c[0] +- this.
double hn_law_taylor_radius(const hn_taylor *u);
// The same by the ends if u is monotone: it does not reach beyond a place where a step ends.
void hn_law_taylor_range(const hn_taylor *u, double *low, double *high);

#endif
