// Holon: several processes that run one simulation.
#ifndef HOLON_RANKS_H
#define HOLON_RANKS_H

#include "holon/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// Processes that run the same simulation together and share its components (method components). All must
// make the same calls on the same model with the same options; every one ends with the same state.
typedef struct hn_ranks {
  int rank, size; // this process, from 0, and how many there are
  // data holds size stretches, data[start[k]] .. data[start[k + 1] - 1] of process k, of which this one
  // has filled its own; on return all are filled. Not HN_OK: a process is lost, the simulation ends.
  hn_status (*gather)(void *context, double *data, const int *start);
  void *context;
} hn_ranks;

#ifdef __cplusplus
}
#endif

#endif
