// Bodies with a rotation that has no inertia and that no joint holds.
#ifndef HN_ANALYSIS_MOBILITY_WEIGHTLESS_H
#define HN_ANALYSIS_MOBILITY_WEIGHTLESS_H

#include "equations/equations.h"

// Lists them in `bodies` (capacity: body_count) with the axis of that rotation in global axes (same
// capacity; may be null). Scratch memory comes from the arena.
hn_status hn_find_weightless(hn_arena *arena, const hn_elements *elements, double t,
                             const hn_frame *frames, const hn_branches *branches, int *bodies,
                             hn_vec3 *axes, int *count);

#endif
