// Large pages by madvise: see pages.h. Not ISO C, like threads.c; on other systems it is malloc.
#if defined(__linux__) && !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE // for MADV_HUGEPAGE
#endif
#include "base/pages.h"

#include <stdlib.h>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#ifdef MADV_HUGEPAGE

#define PAGE ((size_t)2 * 1024 * 1024)
#define LARGE (2 * PAGE) // below, little of a block lies in whole pages

void *hn_pages_allocate(size_t size) {
  if (size < LARGE) return malloc(size);
  void *block = NULL;
  if (posix_memalign(&block, PAGE, size) != 0) return NULL;
  (void)madvise(block, size / PAGE * PAGE, MADV_HUGEPAGE); // not taken: small pages
  return block;
}

#else

void *hn_pages_allocate(size_t size) { return malloc(size); }

#endif
