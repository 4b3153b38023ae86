// A range of independent items cut into pieces for threads. What an item computes does not depend on
// the pieces, so results are the same for any number of threads.
#ifndef HN_LINALG_SHARE_H
#define HN_LINALG_SHARE_H

#include "base/threads.h"

typedef void hn_range_task(void *context, int from, int to);

// task(context, from, to) over 0 .. count in pieces of `grain` items at least. One call without threads.
void hn_share(hn_threads *threads, hn_range_task *task, void *context, int count, int grain);

#endif
