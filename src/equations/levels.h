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
// Rows inside sealed components that depend on others.
int hn_nested_hidden_redundant(const hn_equations *equations);
// Which component a row belongs to: the smallest that contains its bodies and the joint itself
// (row_count), and the rows in the order in which levels take them: of the component itself, then of
// those inside it, one after the other. Rows that sealed components bring along follow the model's own.
hn_status hn_nested_row_nodes(hn_arena *arena, const hn_elements *elements, int *row_node,
                              int *row_order);

#endif
