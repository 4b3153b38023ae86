// Dead centers: positions in which a driven coordinate cannot change although the model can move.
#ifndef HN_ANALYSIS_DEAD_CENTRE_H
#define HN_ANALYSIS_DEAD_CENTRE_H

#include "analysis/assembly_positions.h"

// 1 if the joints let the model move at the present poses, no such motion changes the driven
// coordinate of this constraint, and near these poses one does. *other: a joint to ground that
// moves then, -1 none. Constraints are evaluated at the present poses again; frames stay.
int hn_find_dead_centre(const hn_assembly *assembly, hn_assembly_rows *rows, int driver_row,
                        hn_arena *arena, int *other);

#endif
