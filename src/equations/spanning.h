// A spanning tree of the joints of a model: joint coordinates are along it, and `auto` counts what
// they would save.
#ifndef HN_EQUATIONS_SPANNING_H
#define HN_EQUATIONS_SPANNING_H

#include "base/arena.h"
#include "model/model.h"

// How each body hangs: `via` the joint (-1: free) from body `parent` (0: ground), in an order with
// parents first. order (bodies), the others by body.
typedef struct hn_spanning {
  int *order, *parent, *via; // (bodies + ground)
  unsigned char *in_tree;    // (joint_count)
} hn_spanning;
typedef enum hn_hanging {
  HN_HANG_BY_JOINTS,
  HN_HANG_FREE // every body from ground, in the order of the model: q is that of Cartesian coordinates
} hn_hanging;
hn_status hn_span_create(hn_arena *arena, const hn_model *model, hn_hanging hanging,
                         hn_spanning *span);

#endif
