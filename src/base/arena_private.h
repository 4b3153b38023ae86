// Shared by arena.c, state.c and tests that protect memory.
#ifndef HN_BASE_ARENA_PRIVATE_H
#define HN_BASE_ARENA_PRIVATE_H

#include <stdint.h>

#include "base/arena.h"

#define HN_ARENA_LINE ((size_t)64) // a cache line; also enough for any vector load

struct hn_arena_block {
  hn_arena_block *next; // older
  unsigned char *data;  // first aligned byte after the header
  size_t capacity;
};

static inline unsigned char *hn_arena_aligned(void *start) {
  const uintptr_t beyond = (uintptr_t)start % HN_ARENA_LINE;
  return (unsigned char *)start + (size_t)((HN_ARENA_LINE - beyond) % HN_ARENA_LINE);
}

void *hn_arena_take_from(hn_arena *arena, hn_arena_pool *pool, size_t count, size_t size);
void hn_arena_drop(hn_arena *arena, hn_arena_pool *pool); // gives its blocks back
// The array with capacity for one more than `count`; null: the arena has failed, the array stays.
void *hn_arena_grow(hn_arena *arena, void *array, int count, int *capacity, size_t item);

#endif
