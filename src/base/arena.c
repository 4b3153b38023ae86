// Arena memory: blocks from the allocator hook, handed out piece by piece, zeroed, on cache lines.
//
// A block has its header in front; pieces are never given back singly. A large request that does
// not fit gets a block of its own size, after the current one, which stays in use. Out of scope:
// what memory is used for, and any threads; an arena belongs to one owner.
#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena_private.h"
#include "base/pages.h"

#define ALIGNMENT HN_ARENA_LINE
#define BLOCK_SIZE ((size_t)64 * 1024) // grows with the arena up to BLOCK_SIZE_MAX
#define BLOCK_SIZE_MAX ((size_t)16 * 1024 * 1024)

// Under the address sanitizer a piece ends where it was asked to end: the bytes up to the next line
// are poisoned, and every piece is followed by a whole poisoned line.
#if defined(__SANITIZE_ADDRESS__)
#define WATCHED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WATCHED 1
#endif
#endif
#ifdef WATCHED
#include <sanitizer/asan_interface.h>
#define FENCE ALIGNMENT
#define ASAN_IS_POISONED(address) __asan_address_is_poisoned(address)
#else
#define FENCE ((size_t)0)
#define ASAN_POISON_MEMORY_REGION(start, size) ((void)(start), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(start, size) ((void)(start), (void)(size))
#define ASAN_IS_POISONED(address) 0
#endif

static void *standard_allocate(void *context, size_t size) {
  (void)context;
  return hn_pages_allocate(size);
}

static void standard_release(void *context, void *block) {
  (void)context;
  free(block);
}

static const hn_allocator standard = {standard_allocate, standard_release, NULL};

static hn_allocator choose(const hn_allocator *allocator) {
  return allocator && allocator->allocate && allocator->release ? *allocator : standard;
}

void *hn_allocate(const hn_allocator *allocator, size_t size) {
  hn_allocator hook = choose(allocator);
  return hook.allocate(hook.context, size > 0 ? size : 1);
}

void hn_release(const hn_allocator *allocator, void *block) {
  if (!block) return;
  hn_allocator hook = choose(allocator);
  hook.release(hook.context, block);
}

void *hn_reallocate(const hn_allocator *allocator, void *block, size_t old_size, size_t new_size) {
  void *copy = hn_allocate(allocator, new_size);
  if (!copy) return NULL; // the old block stays the caller's
  if (block) {
    memcpy(copy, block, old_size < new_size ? old_size : new_size);
    hn_release(allocator, block);
  }
  return copy;
}

void hn_arena_init(hn_arena *arena, const hn_allocator *allocator) {
  *arena = (hn_arena){.allocator = choose(allocator)};
}

void hn_arena_drop(hn_arena *arena, hn_arena_pool *pool) {
  hn_arena_block *block = pool->blocks;
  while (block) {
    hn_arena_block *next = block->next;
    ASAN_UNPOISON_MEMORY_REGION(block->data, block->capacity);
    hn_release(&arena->allocator, block);
    block = next;
  }
  *pool = (hn_arena_pool){0};
}

void hn_arena_release(hn_arena *arena) {
  hn_arena_drop(arena, &arena->constant);
  hn_arena_drop(arena, &arena->kept);
  hn_arena_drop(arena, &arena->work);
  hn_release(&arena->allocator, arena->state.fields);
  hn_release(&arena->allocator, arena->stamps);
  arena->state = (hn_state){0};
  arena->stamps = NULL;
  arena->stamp_count = arena->stamp_capacity = 0;
  arena->taken = 0;
  arena->failed = 0;
}

static hn_arena_block *make_block(hn_arena *arena, size_t capacity) {
  size_t overhead = sizeof(hn_arena_block) + ALIGNMENT;
  if (capacity > SIZE_MAX - overhead) return NULL;
  arena->allocator_calls++;
  hn_arena_block *block = hn_allocate(&arena->allocator, capacity + overhead);
  if (!block) return NULL;
  block->data = hn_arena_aligned(block + 1);
  block->capacity = capacity;
  ASAN_POISON_MEMORY_REGION(block->data, capacity);
  return block;
}

// Adds a block with capacity for at least `size` bytes; 0 when the allocator has none.
static int add_block(hn_arena *arena, hn_arena_pool *pool, size_t size) {
  size_t capacity = pool->capacity < BLOCK_SIZE ? BLOCK_SIZE : 2 * pool->capacity;
  if (capacity > BLOCK_SIZE_MAX) capacity = BLOCK_SIZE_MAX;
  if (capacity < size) capacity = size;
  hn_arena_block *block = make_block(arena, capacity);
  if (!block) return 0;
  block->next = pool->blocks;
  pool->blocks = block;
  pool->used = 0;
  pool->capacity = capacity;
  return 1;
}

// A piece in a block of its own, or null.
static void *take_alone(hn_arena *arena, hn_arena_pool *pool, size_t bytes) {
  hn_arena_block *block = make_block(arena, bytes);
  if (!block) return NULL;
  block->next = pool->blocks->next;
  pool->blocks->next = block;
  return block->data;
}

static void *take_bytes(hn_arena *arena, hn_arena_pool *pool, size_t bytes) {
  int fits = pool->blocks && pool->capacity - pool->used >= bytes;
  if (!fits && pool->blocks && bytes >= BLOCK_SIZE) return take_alone(arena, pool, bytes);
  if (!fits && !add_block(arena, pool, bytes)) return NULL;
  void *piece = pool->blocks->data + pool->used;
  pool->used += bytes;
  return piece;
}

void *hn_arena_take_from(hn_arena *arena, hn_arena_pool *pool, size_t count, size_t size) {
  if (arena->failed) return NULL;
  if (size > 0 && count > (SIZE_MAX - FENCE - ALIGNMENT) / size) {
    arena->failed = 1;
    return NULL;
  }
  // An empty piece still takes a line, so that no two pieces share an address.
  size_t wanted = count * size;
  size_t bytes = (wanted + (wanted == 0) + FENCE + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  void *piece = take_bytes(arena, pool, bytes);
  if (!piece) {
    arena->failed = 1;
    return NULL;
  }
  arena->taken += bytes;
  ASAN_UNPOISON_MEMORY_REGION(piece, wanted);
  return memset(piece, 0, wanted);
}

void *hn_arena_take(hn_arena *arena, size_t count, size_t size) {
  return hn_arena_take_from(arena, &arena->constant, count, size);
}

void *hn_arena_keep(hn_arena *arena, size_t count, size_t size) {
  return hn_arena_take_from(arena, &arena->kept, count, size);
}

void *hn_arena_work(hn_arena *arena, size_t count, size_t size) {
  return hn_arena_take_from(arena, &arena->work, count, size);
}

void *hn_arena_copy(hn_arena *arena, const void *data, size_t count, size_t size) {
  if (!data) return NULL;
  void *copy = hn_arena_take(arena, count, size);
  if (copy && count > 0 && size > 0) memcpy(copy, data, count * size);
  return copy;
}

char *hn_arena_copy_string(hn_arena *arena, const char *text) {
  return text ? hn_arena_copy(arena, text, strlen(text) + 1, 1) : NULL;
}

// ---- scratch ------------------------------------------------------------------------------------

void *hn_arena_grow(hn_arena *arena, void *array, int count, int *capacity, size_t item) {
  if (arena->failed) return NULL;
  if (count < *capacity) return array;
  const int more = *capacity > 0 ? 2 * *capacity : 64;
  arena->allocator_calls++;
  void *grown =
      hn_reallocate(&arena->allocator, array, (size_t)*capacity * item, (size_t)more * item);
  if (!grown)
    arena->failed = 1;
  else
    *capacity = more;
  return grown;
}

void hn_arena_stamp(hn_arena *arena, int *stamp) {
  int **stamps = hn_arena_grow(arena, arena->stamps, arena->stamp_count, &arena->stamp_capacity,
                               sizeof *arena->stamps);
  if (!stamps) return;
  arena->stamps = stamps;
  arena->stamps[arena->stamp_count++] = stamp;
}

void hn_arena_forget(hn_arena *arena) {
  for (int k = 0; k < arena->stamp_count; k++) *arena->stamps[k] = 0;
}

// Of a block only what was handed out, in the newest one up to `used`; fences stay poisoned.
void hn_arena_poison(hn_arena *arena) {
  for (hn_arena_block *block = arena->work.blocks; block; block = block->next) {
    const size_t size = block == arena->work.blocks ? arena->work.used : block->capacity;
    unsigned char *line = block->data;
    for (size_t at = 0; at < size; at++)
      if (!ASAN_IS_POISONED(line + at)) line[at] = 0xFF;
  }
  hn_arena_forget(arena);
}
