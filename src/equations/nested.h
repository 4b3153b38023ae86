// Cartesian coordinates over the model's own hierarchy of components: the same numbers as
// cartesian.c, but accelerations and projections run level by level (linalg/hierarchy.h).
#ifndef HN_EQUATIONS_NESTED_H
#define HN_EQUATIONS_NESTED_H

#include "base/threads.h"
#include "equations/equations.h"
#include "linalg/hierarchy.h"

// Node k of the hierarchy is component k of the model.
const hn_hierarchy *hn_nested_hierarchy(const hn_equations *equations);

// Which component a row belongs to: the smallest that contains its bodies and the joint itself
// (row_count), and the rows in the order in which levels take them: of the component itself, then of
// those inside it, one after the other (row_count).
hn_status hn_nested_row_nodes(hn_arena *arena, const hn_elements *elements, int *row_node,
                              int *row_order);

#endif
