// The state of a run: what decides about the bits of steps to come, and the record of those made.
//
// Owners declare their fields when they are made, wherever these are kept. Every copy of a state
// (saved, restored, given to a parallel run, kept in real time) is a copy of declared fields into
// one block, in the order of declaration. What a field may hold is declared with it: a block from
// outside is checked against that.
//
// Fields belong to parts: 0 is always there; others are copied alone, as those of the methods between
// which a run may change.
//
// A field may move: an owner with two structures of a kind in turn declares which is present by a
// pointer. And it may be a ring or a list, of which only items in use are copied, after their number.
#ifndef HN_BASE_STATE_H
#define HN_BASE_STATE_H

#include <stddef.h>

typedef enum hn_state_kind {
  HN_STATE_MOTION = 1, // from which a run with other tolerances starts
  HN_STATE_METHOD = 2, // what method and step control carry from step to step
  HN_STATE_RECORD = 4, // of the run so far: counts, sums, events, warnings
  HN_STATE_STEPS = HN_STATE_MOTION | HN_STATE_METHOD,
  HN_STATE_WHOLE = HN_STATE_STEPS | HN_STATE_RECORD
} hn_state_kind;

typedef enum hn_state_type {
  HN_STATE_DOUBLE,
  HN_STATE_INT,
  HN_STATE_LONG,
  HN_STATE_BYTE,
  HN_STATE_OTHER // structures: their owner checks them
} hn_state_type;

typedef struct hn_state_field {
  const char *owner, *name; // constant texts
  hn_state_kind kind;
  hn_state_type type;
  int part;
  void *at;
  size_t count, item;  // items, bytes of one
  double lower, upper; // of numbers
  // Moving: at this offset from where *present points to, or from where the pointer there points to.
  const void *present;
  size_t offset;
  int is_behind;
  int *first, *used; // of rings and lists, null for others; first: null for lists
  // Of a list that grows: its capacity, and how it gets a larger one. Null for others.
  const int *capacity;
  int (*grow)(void *list, int capacity); // 1: it has
  void *list;
} hn_state_field;

typedef struct hn_state {
  hn_state_field *fields;
  int count, capacity;
  const char *owner; // of fields declared from now on
  hn_state_kind kind;
  int part, parts;
} hn_state;

struct hn_arena;

// Fields from now on belong to this owner and are of this kind.
void hn_state_owner(struct hn_arena *arena, const char *owner, hn_state_kind kind);
// Fields from now on belong to a part of their own, whose number is returned ...
int hn_state_open_part(struct hn_arena *arena);
void hn_state_close_part(struct hn_arena *arena); // ... and from now on to part 0 again.

// Null fields are ignored: their memory is missing, and the arena knows it. Doubles may be any
// numbers but NaN, others what their type can hold.
void hn_state_declare(struct hn_arena *arena, void *at, size_t count, size_t item,
                      hn_state_type type, const char *name);
#define HN_STATE(arena, at, count, name)                                                           \
  hn_state_declare((arena), (at), (size_t)(count), sizeof *(at),                                   \
                   _Generic(*(at), double                                                          \
                            : HN_STATE_DOUBLE, int                                                 \
                            : HN_STATE_INT, unsigned                                               \
                            : HN_STATE_INT, long                                                   \
                            : HN_STATE_LONG, unsigned char                                         \
                            : HN_STATE_BYTE, default                                               \
                            : HN_STATE_OTHER),                                                     \
                   (name))
// Numbers in the structure to which *present points at any time; and an array to which a pointer there
// points, which is given by its address. Such structures are alike, and at creation one is present.
#define HN_STATE_OF(arena, present, at, count, name)                                               \
  (HN_STATE((arena), (at), (count), (name)),                                                       \
   hn_state_moves((arena), (present), HN_STATE_OFFSET((present), (at)), 0))
#define HN_STATE_BEHIND(arena, present, pointer, count, name)                                      \
  (HN_STATE((arena), *(pointer), (count), (name)),                                                 \
   hn_state_moves((arena), (present), HN_STATE_OFFSET((present), (pointer)), 1))
#define HN_STATE_OFFSET(present, at)                                                               \
  ((size_t)((const unsigned char *)(at) - (const unsigned char *)*(present)))
void hn_state_moves(struct hn_arena *arena, const void *present, size_t offset, int is_behind);
// Of the field declared last *used items are in use, from *first on and around; null: from 0 on.
// Reading sets *first to 0.
void hn_state_counted(struct hn_arena *arena, int *first, int *used);
// The list declared last has *capacity items now. `grow` gives it more when a state is read that has
// more items than fit.
void hn_state_grows(struct hn_arena *arena, const int *capacity, int (*grow)(void *list, int),
                    void *list);
// Numbers of the field declared last are in lower ... upper; of doubles all are finite.
void hn_state_within(struct hn_arena *arena, double lower, double upper);

// Of the fields of these kinds (HN_STATE_*, added) in one part: bytes, at present and at most; written;
// read from at most `size` bytes, null: they are too few, or numbers of items impossible.
size_t hn_state_size(const hn_state *state, int kinds, int part);
size_t hn_state_largest(const hn_state *state, int kinds, int part);
unsigned char *hn_state_write(const hn_state *state, int kinds, int part, unsigned char *to);
const unsigned char *hn_state_read(const hn_state *state, int kinds, int part,
                                   const unsigned char *from, size_t size);
// A hash of owners, names, types and sizes: blocks of equal ones fit.
unsigned long long hn_state_layout(const hn_state *state, int kinds, int part);
// Item i of a field of numbers, as a double, which holds all that may be there.
double hn_state_number(const hn_state_field *field, size_t i);
void hn_state_set_number(const hn_state_field *field, size_t i, double value);
// The first field that holds what it may not, and the index of the item in it; null: none.
const hn_state_field *hn_state_check(const hn_state *state, int kinds, int part, int *index);

#endif
