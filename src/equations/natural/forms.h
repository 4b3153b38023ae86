// Measures in natural coordinates. Every difference X of a measure is linear in the nodes,
// X = sum c_k x_k + constant, so with the list of nodes of a measure and three coefficients a node
//
//   dot     y = X0 . X1:   y_k = c0 X1 + c1 X0,  yd_k = c0 Xd1 + c1 Xd0,  ydd_k = c0 Xdd1 + c1 Xdd0
//   length, angle          by the chain rule from dots
//
// and second derivatives of dots are constants, (c0 c1' + c1 c0') (x) 1 (methods/natural.md). Rigidity
// conditions are dots too: entries of Gram matrices, and for bodies that ask for it all six products of
// their axes.
#ifndef HN_EQUATIONS_NATURAL_FORMS_H
#define HN_EQUATIONS_NATURAL_FORMS_H

#include "equations/natural/nodes.h"

typedef struct hn_natural_form {
  hn_measure_kind kind;
  int measure;      // of the elements; -1: a rigidity condition
  int differences;  // it is made of
  int start, count; // of its nodes
  hn_vec3 constant[3];
} hn_natural_form;

typedef struct hn_natural_forms {
  const hn_elements *elements;
  int form_count;
  int measure_forms, gram_forms; // one for each measure, then Gram entries, then products of axes
  hn_natural_form *forms;
  int *node;                // ascending in each form (start of the last + count)
  double (*coefficient)[3]; // of the three differences
  int most_nodes;           // of any form
} hn_natural_forms;

// A form along a motion. Gradients have 3 numbers for each of its nodes and are stored by the caller.
typedef struct hn_natural_jet {
  double value, rate;
  double quadratic;  // second derivative at qdd = 0
  hn_vec3 *gradient; // (count)
  // full only
  hn_vec3 *rate_q, *second_q; // gradients of the rate and of the second derivative (count)
  double inverse, f[2];       // length: 1 / length; angle: derivatives against S and C
  hn_vec3 *spread;            // angle: gradient of ln(S^2 + C^2) / 2 (count)
  double slope, bend;         // of the curve of a form that has one, else 1 and 0
} hn_natural_jet;

// bodies (count): whose axes are multiplied, six forms each.
hn_status hn_natural_forms_create(hn_arena *arena, const hn_elements *elements,
                                  const hn_natural_nodes *nodes, const int *bodies, int count,
                                  hn_natural_forms **forms);
// 1 for a dot with a difference that is zero at every position, because bodies share what it is made of.
int hn_natural_is_zero(const hn_natural_forms *forms, int form);
// Allocates the gradients of any form.
hn_status hn_natural_jet_create(hn_arena *arena, const hn_natural_forms *forms,
                                hn_natural_jet *jet);
// qdd null: not full. frames and turns give the branch of angles.
void hn_natural_evaluate(const hn_natural_forms *forms, int form, const double *q, const double *qd,
                         const double *qdd, const double *turns, hn_natural_jet *jet);
// Gradients of a form that has a curve become those of the curve.
void hn_natural_scale(const hn_natural_forms *forms, int form, hn_natural_jet *jet);

#endif
