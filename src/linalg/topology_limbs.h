// Independent subtrees of the elimination forest, for threads.
#ifndef HN_LINALG_TOPOLOGY_LIMBS_H
#define HN_LINALG_TOPOLOGY_LIMBS_H

#include "linalg/joint_order.h"

enum { HN_MOST_LIMBS = 32 };

// Sets limb[k] of the node at each place: a subtree from 0, or -1 for the nodes above all subtrees.
// Returns their number; 0 if a model is too small or too slender for threads to pay. Depends on the
// structure only: the same for any number of threads. Negative: out of memory.
int hn_find_limbs(hn_arena *scratch, const hn_structure *structure, double work, int *limb);

#endif
