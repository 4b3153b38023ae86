// A few threads that wait for work: the same task for many indices, each index on any thread. What a
// task computes must not depend on who runs it; then the result is the same for any number of threads.
#ifndef HN_BASE_THREADS_H
#define HN_BASE_THREADS_H

#include "holon/base.h"

typedef struct hn_threads hn_threads;
typedef void (*hn_task)(void *context, int index);

// Creates count - 1 threads in addition to the caller's. count 1 gives none: *threads is null,
// which every function takes. HN_ERROR_UNSUPPORTED where there are no threads, HN_ERROR_MEMORY when
// they cannot be made.
hn_status hn_threads_create(const hn_allocator *allocator, int count, hn_threads **threads);
void hn_threads_free(hn_threads *threads); // null is fine
int hn_threads_count(const hn_threads *threads);
// Runs task(context, 0 ... tasks - 1) and returns when all are done. Not from inside a task, and from
// one thread at a time. Allocates nothing.
void hn_threads_run(hn_threads *threads, hn_task task, void *context, int tasks);

#endif
