// Queries of equations about the components of a model beyond their type: levels of the solution,
// sealed components. Equations that are not hierarchical have neither. The set with both is nested/:
// Cartesian coordinates, with accelerations and projections level by level (linalg/hierarchy.h).
#ifndef HN_EQUATIONS_LEVELS_H
#define HN_EQUATIONS_LEVELS_H

#include "base/threads.h"
#include "equations/equations.h"
#include "linalg/hierarchy.h"

// Node k of the hierarchy is component k of the model.
const hn_hierarchy *hn_nested_hierarchy(const hn_equations *equations);

// Memory of sealed components in addition to their state, for a run that is continued later: size,
// written to a buffer, read from it. Nothing for other equations. The first failure of a component
// is returned.
size_t hn_nested_save_size(const hn_equations *equations);
hn_status hn_nested_save(const hn_equations *equations, void *buffer);
hn_status hn_nested_restore(hn_equations *equations, const void *buffer);
// Angle references and branches of sealed components, for hn_elements.hidden.
const hn_hidden_elements *hn_nested_hidden(const hn_equations *equations);
// HN_OK, or what went wrong with a sealed component for good, and the error that names it.
hn_status hn_nested_lost(const hn_equations *equations, double t, hn_error *error);
// A sealed component that does not start like an open one, if one is not reported yet: its name,
// and why. An open one keeps joints at rest and moves as little as possible, in lengths; inside a
// sealed one both follow least kinetic energy. Each is reported once; null: none.
const char *hn_nested_start_differs(hn_equations *equations, char *why, size_t size);
// How far each sealed component is from its reference configuration after assembly, at q: changes of
// coordinates (nq) and speeds (nu), read by the function above.
void hn_nested_note_start(hn_equations *equations, const double *q, const double *move,
                          const double *change);
// Velocities at the start (analysis/assembly_components.c) and at impacts. Rates of all constraints
// at this state, sealed components among them; frames: written, or null. Then impulses b (nu), which
// act on bodies that are open or interface bodies, against a fraction of these rates:
//
//   [ M J'; J 0 ] [ x; . ] = [ b; -share dPhi/dt ]
//
// q: the position of those rates, where factors are made; null: factors of the call before.
void hn_nested_take_rates(hn_equations *equations, double t, const double *q, const double *qd,
                          const hn_branches *branches, hn_frame *frames);
hn_status hn_nested_impulses(hn_equations *equations, const double *q, const double *b,
                             double share, double *x);
// Levels at the last evaluation: at most `capacity` are written. Returns their number.
int hn_nested_describe(const hn_equations *equations, hn_level *levels, int capacity);
// Rows of all levels, and how many of them depend on others.
void hn_nested_count_rows(const hn_equations *equations, int *rows, int *dependent);
// Rows inside sealed components that depend on others.
int hn_nested_hidden_redundant(const hn_equations *equations);
// Which component a row belongs to: the smallest that contains its bodies and the joint itself
// (row_count), and the rows in the order in which levels take them: of the component itself, then of
// those inside it, one after the other. Rows that sealed components bring along follow the model's own.
hn_status hn_nested_row_nodes(hn_arena *arena, const hn_elements *elements, int *row_node,
                              int *row_order);

// ---- a model that is itself a sealed component (components/sealed_run.c) -------------------------
//
// The bodies of its user come first and belong to no level. Its levels are passed through from above,
// up and down as holon/component.h says: numbers below are read and written between these passes.
typedef struct hn_levels {
  hn_hierarchy *hierarchy;
  int first_body; // 1, or after the bodies of the user
  int row_count;  // with interface constraints of sealed components
  hn_cartesian_rows rows;
  double *b, *x;           // right side and solution (nu)
  double *y, *g;           // multipliers; violations of projections (row_count)
  unsigned char *left_out; // (row_count)
  hn_frame *frames;        // of projections (bodies + ground)
  int is_factored;
  int dependent; // rows of all levels, at the last consistent position
} hn_levels;

// connected: see hn_hierarchy_problem; null for a whole model. is_part: component 0 is the user.
hn_status hn_nested_make(hn_arena *arena, const hn_elements *elements,
                         const hn_equations_options *options, int is_part,
                         const unsigned char *connected, hn_equations **equations, hn_error *error);
void hn_nested_evaluate_rows(hn_equations *equations, double t, const hn_frame *frames,
                             const hn_branches *branches);
// Weights and gyroscopic terms of one body; adds to kinetic and potential.
void hn_nested_body_load(hn_equations *equations, int body, hn_snapshot *snapshot);
hn_status hn_nested_factor(hn_equations *equations, const double *q, const hn_frame *frames,
                           hn_hierarchy_rows rows, hn_error *error);
// Of a solution: accelerations of bodies; values and multipliers of rows.
void hn_nested_store_accelerations(hn_equations *equations, hn_snapshot *snapshot);
void hn_nested_store_rows(hn_equations *equations, hn_snapshot *snapshot);
// g += J x of rows first .. last - 1 (last - first)
void hn_nested_add_products(const hn_levels *levels, int first, int last, const double *x,
                            double *g);

#endif
