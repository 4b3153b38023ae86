// Threads that wait for work: see threads.h. The one file of the library that is not ISO C: threads of
// POSIX. Without them (HOLON_WITH_THREADS not set) everything runs on the caller's.
//
// Work comes every few microseconds or not at all. A waiting thread therefore spins for a moment,
// and only then sleeps; while all are awake nothing is locked. Each thread starts with its own part
// of the work, the same in every round, so that its cache stays valid; then it helps the others.
#include "base/threads.h"

#include <stddef.h>

#if HOLON_WITH_THREADS

#include <pthread.h>
#include <stdatomic.h>

#include "base/arena.h"

enum { MOST_THREADS = 256, LOOKS = 20000, LINE = 64 };

// Indices of one thread, on a cache line of their own.
typedef struct share {
  atomic_int next; // not yet taken
  int end;
  char apart[LINE - 2 * sizeof(int)];
} share;

typedef struct worker {
  struct hn_threads *threads;
  int number;
} worker;

struct hn_threads {
  hn_allocator allocator; // zeroed: the standard one
  int workers;            // in addition to the caller
  pthread_t thread[MOST_THREADS];
  pthread_mutex_t mutex; // of sleeping
  pthread_cond_t wake;
  atomic_int sleeping; // changed under the mutex
  char apart[LINE];
  // the current work, written before `round` moves: one line, which waiting threads poll
  atomic_uint round; // moves when there is work
  hn_task task;
  void *context;
  atomic_int is_ended; // threads leave
  char apart_too[LINE];
  atomic_int busy; // workers still in this round
  char apart_again[LINE];
  share share[MOST_THREADS];   // of the caller, then of the workers
  worker worker[MOST_THREADS]; // who they are
};

static void rest(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

static void take_tasks(hn_threads *t, int own) {
  int count = t->workers + 1;
  for (int k = 0; k < count; k++) {
    share *s = &t->share[(own + k) % count];
    for (;;) {
      if (atomic_load_explicit(&s->next, memory_order_relaxed) >= s->end) break;
      int index = atomic_fetch_add_explicit(&s->next, 1, memory_order_relaxed);
      if (index >= s->end) break;
      t->task(t->context, index);
    }
  }
}

// Returns when the round is no longer `seen`.
static unsigned wait_for_round(hn_threads *t, unsigned seen) {
  for (int k = 0; k < LOOKS; k++) {
    unsigned round = atomic_load_explicit(&t->round, memory_order_acquire);
    if (round != seen) return round;
    rest();
  }
  pthread_mutex_lock(&t->mutex);
  atomic_fetch_add(&t->sleeping, 1);
  while (atomic_load(&t->round) == seen) pthread_cond_wait(&t->wake, &t->mutex);
  atomic_fetch_sub(&t->sleeping, 1);
  pthread_mutex_unlock(&t->mutex);
  return atomic_load_explicit(&t->round, memory_order_acquire);
}

static void *work(void *argument) {
  const worker *self = argument;
  hn_threads *t = self->threads;
  unsigned seen = 0;
  for (;;) {
    seen = wait_for_round(t, seen);
    if (atomic_load_explicit(&t->is_ended, memory_order_acquire)) return NULL;
    take_tasks(t, self->number);
    atomic_fetch_sub_explicit(&t->busy, 1, memory_order_release);
  }
}

// A thread says that it sleeps before it checks the round for the last time, and here the round
// moves before sleepers are checked: in one order of both, none can miss the new round. Those about
// to sleep hold the mutex until they wait.
static void begin_round(hn_threads *t, int tasks) {
  int count = t->workers + 1;
  for (int k = 0; k < count; k++) {
    share *s = &t->share[k];
    atomic_store_explicit(&s->next, (int)((long long)k * tasks / count), memory_order_relaxed);
    s->end = (int)((long long)(k + 1) * tasks / count);
  }
  atomic_store_explicit(&t->busy, t->workers, memory_order_relaxed);
  atomic_fetch_add(&t->round, 1);
  if (atomic_load(&t->sleeping) == 0) return;
  pthread_mutex_lock(&t->mutex);
  pthread_cond_broadcast(&t->wake);
  pthread_mutex_unlock(&t->mutex);
}

hn_status hn_threads_create(const hn_allocator *allocator, int count, hn_threads **threads) {
  *threads = NULL;
  if (count <= 1) return HN_OK;
  if (count > MOST_THREADS) count = MOST_THREADS;
  hn_threads *t = hn_allocate(allocator, sizeof *t);
  if (!t) return HN_ERROR_MEMORY;
  *t = (hn_threads){.workers = 0};
  if (allocator) t->allocator = *allocator;
  atomic_init(&t->busy, 0);
  atomic_init(&t->round, 0);
  atomic_init(&t->sleeping, 0);
  atomic_init(&t->is_ended, 0);
  pthread_mutex_init(&t->mutex, NULL);
  pthread_cond_init(&t->wake, NULL);
  // a worker reads `workers` in its first round, which starts when all exist
  for (int k = 0; k < count - 1; k++) {
    t->worker[k] = (worker){t, k + 1};
    if (pthread_create(&t->thread[k], NULL, work, &t->worker[k]) != 0) break;
    t->workers++;
  }
  if (t->workers < count - 1) {
    hn_threads_free(t);
    return HN_ERROR_MEMORY;
  }
  *threads = t;
  return HN_OK;
}

void hn_threads_free(hn_threads *t) {
  if (!t) return;
  atomic_store_explicit(&t->is_ended, 1, memory_order_release);
  begin_round(t, 0);
  for (int k = 0; k < t->workers; k++) pthread_join(t->thread[k], NULL);
  pthread_cond_destroy(&t->wake);
  pthread_mutex_destroy(&t->mutex);
  hn_allocator allocator = t->allocator;
  hn_release(&allocator, t);
}

int hn_threads_count(const hn_threads *t) { return t ? t->workers + 1 : 1; }

void hn_threads_run(hn_threads *t, hn_task task, void *context, int tasks) {
  if (!t || tasks < 2) {
    for (int k = 0; k < tasks; k++) task(context, k);
    return;
  }
  t->task = task;
  t->context = context;
  begin_round(t, tasks);
  take_tasks(t, 0);
  while (atomic_load_explicit(&t->busy, memory_order_acquire) > 0) rest();
}

#else

hn_status hn_threads_create(const hn_allocator *allocator, int count, hn_threads **threads) {
  (void)allocator;
  *threads = NULL;
  return count <= 1 ? HN_OK : HN_ERROR_UNSUPPORTED;
}

void hn_threads_free(hn_threads *t) { (void)t; }

int hn_threads_count(const hn_threads *t) {
  (void)t;
  return 1;
}

void hn_threads_run(hn_threads *t, hn_task task, void *context, int tasks) {
  (void)t;
  for (int k = 0; k < tasks; k++) task(context, k);
}

#endif
