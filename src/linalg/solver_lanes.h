// Products with the rows of one node, in lanes.
#ifndef HN_LINALG_SOLVER_LANES_H
#define HN_LINALG_SOLVER_LANES_H

#include "linalg/block_lanes.h"
#include "linalg/solver_system.h"

// out = J x of node k, `size` rows and a zero behind an odd number of them.
HN_INLINE void hn_node_product(int wide, int size, const hn_system *s, int k, const double *x,
                               hn_lanes *out) {
  const int step = s->node_step[k], end = s->panel_start[k + 1];
  int p = s->panel_start[k];
  hn_lanes sum[6], from;
  if (p == end) {
    lanes_fill(0, HN_PAD(size), out, 0);
    return;
  }
  lanes_load(wide, 6, &from, &x[6 * s->panel_body[p]]);
  lanes_begin_rows(wide, size, sum, hn_panel(s, p), step, &from);
  for (p++; p < end; p++) {
    lanes_load(wide, 6, &from, &x[6 * s->panel_body[p]]);
    lanes_add_rows(wide, size, sum, hn_panel(s, p), step, &from);
  }
  lanes_end_rows(wide, size, out, sum);
}

#define HN_FORESIGHT 10 // nodes

// The rows of node k will be read soon; nodes after the last one are ignored.
HN_INLINE void hn_node_foresee(const hn_system *s, int k) {
  enum { LINE = 8 }; // numbers
  if (k >= s->nodes || s->panel_start[k] == s->panel_start[k + 1]) return;
  const double *j = hn_panel(s, s->panel_start[k]);
  for (int i = 0; i < s->node_size[k] * s->node_step[k]; i += LINE) HN_PREFETCH(j + i);
}

#endif
