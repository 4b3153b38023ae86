// Accumulation buffers for the contributions of subtrees to the blocks and right sides above them
// (topology.h).
#ifndef HN_LINALG_TOPOLOGY_LUMPS_H
#define HN_LINALG_TOPOLOGY_LUMPS_H

#include "linalg/topology.h"

// After the layout of blocks: buffers after the values, spares after y, push_at for all neighbors.
hn_status hn_topology_add_lumps(hn_arena *arena, hn_topology *topology);

#endif
