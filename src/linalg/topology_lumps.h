// Rooms in which limbs gather what they do to the blocks and right sides above them (topology.h).
#ifndef HN_LINALG_TOPOLOGY_LUMPS_H
#define HN_LINALG_TOPOLOGY_LUMPS_H

#include "linalg/topology.h"

// After the layout of blocks: lumps behind the values, spares behind y, push_at for all neighbours.
hn_status hn_topology_add_lumps(hn_arena *arena, hn_topology *topology);

#endif
