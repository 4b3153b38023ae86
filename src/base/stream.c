// Stores past the caches: see stream.h.
#include "base/stream.h"

#include <stdint.h>
#include <string.h>

#if defined(__GNUC__) && defined(__SSE2__)

typedef double two __attribute__((vector_size(16)));

static inline void store(double *to, two numbers) {
#if defined(__clang__)
  __builtin_nontemporal_store(numbers, (two *)(void *)to);
#else
  __builtin_ia32_movntpd(to, numbers);
#endif
}

void hn_stream(double *to, const double *from, size_t count) {
  if ((uintptr_t)to % sizeof(two) != 0) {
    memcpy(to, from, count * sizeof(double));
    return;
  }
  size_t i = 0;
  for (; i + 2 <= count; i += 2) store(to + i, (two){from[i], from[i + 1]});
  if (i < count) to[i] = from[i];
}

void hn_stream_end(void) { __builtin_ia32_sfence(); }

#else

void hn_stream(double *to, const double *from, size_t count) {
  memcpy(to, from, count * sizeof(double));
}

void hn_stream_end(void) {}

#endif
