// Ranges for threads.
#include "linalg/share.h"

typedef struct pieces {
  hn_range_task *task;
  void *context;
  int count, length; // items in all, in a piece
} pieces;

static void run_piece(void *context, int index) {
  const pieces *p = context;
  int from = index * p->length, to = from + p->length;
  p->task(p->context, from, to < p->count ? to : p->count);
}

void hn_share(hn_threads *threads, hn_range_task *task, void *context, int count, int grain) {
  int most = 4 * hn_threads_count(threads); // a few for each: one may be late
  if (!threads || count < 2 * grain) {
    if (count > 0) task(context, 0, count);
    return;
  }
  pieces p = {
      .task = task, .context = context, .count = count, .length = (count + most - 1) / most};
  if (p.length < grain) p.length = grain;
  hn_threads_run(threads, run_piece, &p, (count + p.length - 1) / p.length);
}
