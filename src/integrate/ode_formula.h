// A step of an implicit formula for the ODE view of a model (ode.h): SDIRK iterates on the stages,
// Rosenbrock solves each once. Both leave the end and its error estimate to the method, and give
// the dense output of the step in full coordinates.
#ifndef HN_INTEGRATE_ODE_FORMULA_H
#define HN_INTEGRATE_ODE_FORMULA_H

#include "integrate/ode.h"

typedef struct hn_ode_formula hn_ode_formula;

typedef struct hn_ode_formula_type {
  void (*begin)(hn_ode_formula *formula); // a new start: what earlier steps taught is forgotten
  // Stages of a step of size h; y1, yd1 and the estimates error1, error2.
  hn_status (*stages)(hn_ode_formula *formula, double h, const hn_branches *branches,
                      const hn_tolerance *tolerance, hn_error *error);
  // After the end is known: what dense output and work need. *work is done over the step.
  hn_status (*end)(hn_ode_formula *formula, const hn_branches *branches, double *work,
                   hn_error *error);
  void (*interpolate)(const hn_ode_formula *formula, double theta, double *q, double *qd,
                      double *work);
  void (*accept)(hn_ode_formula *formula);
} hn_ode_formula_type;

struct hn_ode_formula {
  const hn_ode_formula_type *type;
  const char *name;
  int order, error_order;
  hn_ode *ode;
  double *y1, *yd1;        // the end, not yet on the constraints (ode->n)
  double *error1, *error2; // estimates (ode->n)
  double state_error;      // of states of laws and elements, over the tolerance
};

// By name; HN_ERROR_UNSUPPORTED if unknown.
hn_status hn_ode_formula_create(hn_arena *arena, hn_ode *ode, const hn_method_choice *choice,
                                hn_ode_formula **formula);
hn_status hn_ode_sdirk_create(hn_arena *arena, hn_ode *ode, const hn_method_choice *choice,
                              hn_ode_formula **formula);
hn_status hn_ode_rosenbrock_create(hn_arena *arena, hn_ode *ode,
                                   const hn_rosenbrock_formula *numbers, hn_ode_formula **formula);

#endif
