// Products with the rows of one node, in lanes.
#ifndef HN_LINALG_SOLVER_LANES_H
#define HN_LINALG_SOLVER_LANES_H

#include "linalg/block_lanes.h"
#include "linalg/solver_system.h"

// out += J x of node k, `size` rows.
HN_INLINE void hn_node_product(int wide, int size, const hn_system *s, int k, const double *x,
                               hn_lanes *out) {
  const int step = s->node_step[k], end = s->panel_start[k + 1];
  int p = s->panel_start[k];
  hn_lanes sum[6], from;
  if (p == end) return;
  lanes_load(wide, 6, &from, &x[6 * s->panel_body[p]]);
  lanes_begin_rows(wide, size, sum, hn_panel(s, p), step, &from);
  for (p++; p < end; p++) {
    lanes_load(wide, 6, &from, &x[6 * s->panel_body[p]]);
    lanes_add_rows(wide, size, sum, hn_panel(s, p), step, &from);
  }
  lanes_end_rows(size, out, sum);
}

#endif
