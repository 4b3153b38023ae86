// Laws, for the rest of the library: what the public header does not offer.
#ifndef HN_MATH_LAW_H
#define HN_MATH_LAW_H

#include "base/arena.h"
#include "holon/law.h"
#include "math/input.h"

// A hash of the whole definition: kind, breakpoints, coefficients, the program of a formula and its
// constants. Equal for laws made by equal calls; nothing is sampled.
unsigned long long hn_law_hash(const hn_law *law);

// A law that uses inputs as one simulation sees it: a copy that reads them from `states`, in the order
// of the model. It shares the formula of the law and is not freed. Null when out of memory.
hn_law *hn_law_bind(hn_arena *arena, const hn_law *law, const hn_input_state *states);

// A formula of variables and of values of the model: inputs, in the model's order, with the values
// they have until others are given, and tables, which outlive the law.
typedef struct hn_formula_names {
  const char *const *inputs;
  const double *values;
  int input_count, table_count;
  const struct hn_lookup *const *tables;
} hn_formula_names;
hn_status hn_law_formula(const char *text, const char *const *variables, int count,
                         const hn_formula_names *names, const hn_allocator *allocator, hn_law **law,
                         hn_error *error);

// hn_law_evaluate(law, piece, x).value, without the rest.
double hn_law_value_at(const hn_law *law, int piece, double x);
// 1: c[0] + c[1] x everywhere, without inputs; its numbers go to c.
int hn_law_is_straight(const hn_law *law, double c[2]);

// A formula of several variables without inputs: how many of its operations choose between two
// branches (at most HN_EXPRESSION_BITS are counted, those that jump by v not at all), which they take,
// a bit each, and the law on given branches, with its gradient (may be null). Other laws have none.
int hn_law_switches(const hn_law *law);
int hn_law_decide(const hn_law *law, const double *variables);
double hn_law_evaluate_decided(const hn_law *law, int decisions, const double *variables,
                               double *gradient);

// A law with inputs: which branches its operations take at these variables and at time t, a bit each.
// 0 for one without such operations (hn_law_guards is 0).
int hn_law_guards(const hn_law *law);
int hn_law_guard(const hn_law *law, const double *variables, double t);

int hn_law_uses_input(const hn_law *law, int input);  // by its place in the model
int hn_law_input_place(const hn_law *law, int input); // among those it uses, or -1
int hn_law_input(const hn_law *law, int k);           // its place in the model, of the k-th it uses
// 1: it depends on inputs below this place alone, not on its variables.
int hn_law_reads_inputs_only(const hn_law *law, int inputs);
// Its inputs at time t (as many as it has, which it returns).
int hn_law_inputs_at(const hn_law *law, double t, double *values);
// A law with inputs at its variables and at time t, and its derivatives by the inputs it uses.
double hn_law_input_gradient(const hn_law *law, const double *variables, double t,
                             double *gradient);
// A law of x (or of v) that uses inputs, at x and with the inputs of time t. gradient: by x, by t.
double hn_law_evaluate_at_time(const hn_law *law, double x, double t, double gradient[2]);

#endif
