// Memory of one owner: taken piece by piece, given back at once. Nothing is ever freed singly, so
// there are no ladders of clean-up code and nothing to leak on an early return.
//
// Pieces are of three kinds, each in memory of its own:
//   HN_TAKE   constant once its owner is made;
//   HN_WORK   scratch: it may be lost between any two steps (hn_arena_poison);
//   HN_STATE  what decides about steps to come: gathered in one block, without pointers in it.
#ifndef HN_BASE_ARENA_H
#define HN_BASE_ARENA_H

#include "holon/base.h"

typedef struct hn_arena_block hn_arena_block;

typedef struct hn_arena_pool {
  hn_arena_block *blocks; // newest first
  size_t used, capacity;  // of the newest block
} hn_arena_pool;

// Parts of a state that are copied together, in the order of the block.
typedef enum hn_state_kind {
  HN_STATE_MOTION, // from which a copy with other tolerances starts
  HN_STATE_METHOD, // what method and step control carry from step to step
  HN_STATE_RECORD, // of the run so far: counts, sums, events, warnings
  HN_STATE_KINDS
} hn_state_kind;

typedef enum hn_state_type {
  HN_STATE_DOUBLE,
  HN_STATE_INT,
  HN_STATE_BYTE,
  HN_STATE_OTHER
} hn_state_type;

typedef struct hn_state_piece {
  const char *section, *name; // constant texts
  hn_state_kind kind;
  hn_state_type type;
  void *home;         // address of the pointer to it
  size_t count, item; // items, bytes of one
  size_t offset;      // in the block, once settled
} hn_state_piece;

typedef struct hn_state_block {
  hn_state_piece *pieces;
  int count, capacity;
  int settled; // pieces whose place in the block is known
  const char *section;
  hn_state_kind kind;
  void *allocation;
  unsigned char *data;              // aligned to 64 bytes; null before hn_arena_settle
  size_t begin[HN_STATE_KINDS + 1]; // of each kind, and the size
} hn_state_block;

typedef struct hn_arena {
  hn_allocator allocator;
  hn_arena_pool constant, work, waiting; // waiting: pieces of the state that are not settled
  hn_state_block state;
  int **stamps; // in scratch
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

// ---- scratch ------------------------------------------------------------------------------------

void *hn_arena_work(hn_arena *arena, size_t count, size_t size); // as hn_arena_take
#define HN_WORK(arena, type, count) ((type *)hn_arena_work((arena), (size_t)(count), sizeof(type)))
// A number in scratch that says whether something kept there is made; 0: no.
void hn_arena_stamp(hn_arena *arena, int *stamp);
void hn_arena_forget(hn_arena *arena); // all stamps become 0
// Fills all scratch with bytes 0xFF, numbers that are not a number, and forgets.
void hn_arena_poison(hn_arena *arena);

// ---- state --------------------------------------------------------------------------------------

// Pieces from now on belong to this section. Both texts stay.
void hn_arena_section(hn_arena *arena, hn_state_kind kind, const char *section);
// A zeroed piece of the state; null if out of memory. The pointer at `home` is set now and whenever the
// block moves: there must be no other pointer to the piece before hn_arena_settle.
void hn_arena_state(hn_arena *arena, void *home, size_t count, size_t item, hn_state_type type,
                    const char *name);
// double *x; HN_STATE(arena, &x, n);
#define HN_STATE(arena, home, count)                                                               \
  hn_arena_state((arena), (home), (size_t)(count), sizeof **(home),                                \
                 _Generic(**(home), double                                                         \
                          : HN_STATE_DOUBLE, int                                                   \
                          : HN_STATE_INT, unsigned char                                            \
                          : HN_STATE_BYTE, default                                                 \
                          : HN_STATE_OTHER),                                                       \
                 #home)
// Gathers all pieces in one block, ordered by kind, with their contents. May be called again when there
// are more. HN_ERROR_MEMORY: the arena has failed, pieces stay where they are.
hn_status hn_arena_settle(hn_arena *arena);
// Of the pieces of these kinds: sections, names, types and sizes.
unsigned long long hn_arena_layout(const hn_state_block *state, hn_state_kind first,
                                   hn_state_kind last);
static inline size_t hn_arena_state_size(const hn_state_block *state) {
  return state->begin[HN_STATE_KINDS];
}

// Single blocks by the same hook, for arrays that grow while something is being built.
void *hn_allocate(const hn_allocator *allocator, size_t size); // not zeroed, or null
void *hn_reallocate(const hn_allocator *allocator, void *block, size_t old_size, size_t new_size);
void hn_release(const hn_allocator *allocator, void *block);

#endif
