// Memory of one owner: taken piece by piece, given back at once. Nothing is ever freed singly, so
// there are no ladders of clean-up code and nothing to leak on an early return.
//
// Pieces are of three kinds, each in memory of its own:
//   HN_TAKE   constant once its owner is made: steps only read it;
//   HN_KEEP   what changes, and is kept between steps;
//   HN_WORK   scratch: it may be lost between any two steps (hn_arena_poison).
// Which fields are the state of a run is declared with the arena, too (state.h).
#ifndef HN_BASE_ARENA_H
#define HN_BASE_ARENA_H

#include "base/state.h"
#include "holon/base.h"

typedef struct hn_arena_block hn_arena_block;

typedef struct hn_arena_pool {
  hn_arena_block *blocks; // newest first
  size_t used, capacity;  // of the newest block
} hn_arena_pool;

typedef struct hn_arena {
  hn_allocator allocator;
  hn_arena_pool constant, kept, work;
  hn_state state; // declared fields
  int **stamps;   // in scratch
  int stamp_count, stamp_capacity;
  size_t taken;         // bytes of all pieces
  long allocator_calls; // how often the allocator was asked; does not move during steps
  int failed;           // an allocation has failed; all later ones fail too
} hn_arena;

void hn_arena_init(hn_arena *arena, const hn_allocator *allocator); // null: malloc and free
void hn_arena_release(hn_arena *arena);                             // idempotent
// Zeroed memory aligned to 64 bytes, or null. size 0 gives a valid pointer.
void *hn_arena_take(hn_arena *arena, size_t count, size_t size);
char *hn_arena_copy_string(hn_arena *arena, const char *text); // null stays null
void *hn_arena_copy(hn_arena *arena, const void *data, size_t count, size_t size);

// typed: double *x = HN_TAKE(arena, double, n);
#define HN_TAKE(arena, type, count) ((type *)hn_arena_take((arena), (size_t)(count), sizeof(type)))

void *hn_arena_keep(hn_arena *arena, size_t count, size_t size); // as hn_arena_take
#define HN_KEEP(arena, type, count) ((type *)hn_arena_keep((arena), (size_t)(count), sizeof(type)))

// ---- scratch ------------------------------------------------------------------------------------

void *hn_arena_work(hn_arena *arena, size_t count, size_t size); // as hn_arena_take
#define HN_WORK(arena, type, count) ((type *)hn_arena_work((arena), (size_t)(count), sizeof(type)))
// A number in scratch that says whether something kept there is made; 0: no.
void hn_arena_stamp(hn_arena *arena, int *stamp);
void hn_arena_forget(hn_arena *arena); // all stamps become 0
// Fills all scratch with bytes 0xFF, numbers that are not a number, and forgets.
void hn_arena_poison(hn_arena *arena);

// Single blocks by the same hook, for arrays that grow while something is being built.
void *hn_allocate(const hn_allocator *allocator, size_t size); // not zeroed, or null
void *hn_reallocate(const hn_allocator *allocator, void *block, size_t old_size, size_t new_size);
void hn_release(const hn_allocator *allocator, void *block);

#endif
