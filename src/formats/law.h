// Laws as written, before they are made: so that a spring's stiffness can be added to its table and
// a mirrored joint can read them backwards.
#ifndef HN_FORMATS_LAW_H
#define HN_FORMATS_LAW_H

#include "formats/fields.h"

// kind CONSTANT is a polynomial of one coefficient; a zeroed draft with no pieces is "none".
typedef struct hn_law_draft {
  hn_law_kind kind;
  const hn_node *node;  // where it is written, null for none
  int pieces, count;    // polynomials and their coefficients
  double *coefficients; // (pieces x count)
  double *breakpoints;  // (pieces - 1)
  int points;           // of a table
  double *x, *y;        // (points)
  hn_table_options table;
  const char *text;      // of an expression
  const char *variables; // "x", "x v t"
} hn_law_draft;

// Required arguments and dimension of a law.
typedef struct hn_law_wanted {
  const char *variables; // "x", "v", "t" or "x v t"
  hn_meaning x, v;       // meaning of x and of v
  hn_meaning value;
  double sign;   // -1: the law is wanted for the reversed coordinate, f'(x) = -f(-x)
  int is_motion; // a driver: its second derivative counts
} hn_law_wanted;

// Reads a law. A failure is kept by the loader.
hn_law_draft hn_law_read(const hn_context *context, const hn_node *node,
                         const hn_law_wanted *wanted);
// A table: `node` is that of its points or the name of its file, `fields` the law around it.
void hn_law_read_table(hn_fields *fields, const hn_node *node, const hn_law_wanted *wanted,
                       hn_law_draft *draft);
struct hn_columns;
// The columns of a file next to the model; 0 on failure.
int hn_law_read_file(const hn_context *context, const hn_node *node, int has_names,
                     struct hn_columns *out);
// A number with the dimension of a coefficient (meaning HN_ANYTHING: it has no name), and the dimension
// of x, v or t.
double hn_law_number(const hn_context *context, const hn_node *node, hn_meaning meaning,
                     hn_dimension dimension, const char *what);
hn_meaning hn_law_variable_meaning(const hn_law_wanted *wanted, char variable);
hn_dimension hn_law_variable_dimension(const hn_law_wanted *wanted, char variable);
// += c0 + c1 x
void hn_law_draft_add(hn_loader *loader, hn_law_draft *draft, double c0, double c1);
// *= factor
void hn_law_draft_scale(hn_loader *loader, hn_law_draft *draft, double factor);
// += other, where both kinds have a sum that is one of the kinds.
void hn_law_draft_sum(hn_loader *loader, hn_law_draft *draft, const hn_law_draft *other);
// Makes the law; null for none and on failure.
hn_law *hn_law_draft_make(hn_loader *loader, const hn_law_draft *draft);

#endif
