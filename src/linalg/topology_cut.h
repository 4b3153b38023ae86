// Selection of kept bodies, which connect many joints.
#ifndef HN_LINALG_TOPOLOGY_CUT_H
#define HN_LINALG_TOPOLOGY_CUT_H

#include "linalg/block_nodes.h"

// Where nodes hang on bodies, seen from ground (from the body with the most nodes where a part has
// none): a node hangs *below* a body when every way from it to ground leads through that body.
typedef struct hn_cut {
  int *body_start; // nodes of a body (bodies + 1)
  int *node;
  unsigned char *is_below; // (as node)
  int *below;              // how many are (bodies)
} hn_cut;

hn_status hn_cut_create(hn_arena *arena, const hn_nodes *nodes, hn_cut *cut);

#endif
