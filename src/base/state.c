// Declared fields, and copies of them: see state.h.
#include "base/state.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena_private.h"

void hn_state_owner(hn_arena *arena, const char *owner, hn_state_kind kind) {
  arena->state.owner = owner;
  arena->state.kind = kind;
}

int hn_state_open_part(hn_arena *arena) { return arena->state.part = ++arena->state.parts; }

void hn_state_close_part(hn_arena *arena) { arena->state.part = 0; }

void hn_state_declare(hn_arena *arena, void *at, size_t count, size_t item, hn_state_type type,
                      const char *name) {
  hn_state *s = &arena->state;
  if (!at || arena->failed) return;
  hn_state_field *fields =
      hn_arena_grow(arena, s->fields, s->count, &s->capacity, sizeof *s->fields);
  if (!fields) return;
  s->fields = fields;
  s->fields[s->count++] = (hn_state_field){.owner = s->owner,
                                           .name = name,
                                           .kind = s->kind,
                                           .type = type,
                                           .part = s->part,
                                           .at = at,
                                           .count = count,
                                           .item = item,
                                           .lower = -HUGE_VAL,
                                           .upper = HUGE_VAL};
}

void hn_state_moves(hn_arena *arena, const void *present, size_t offset, int is_behind) {
  hn_state *s = &arena->state;
  if (arena->failed || s->count == 0) return;
  hn_state_field *f = &s->fields[s->count - 1];
  f->present = present;
  f->offset = offset;
  f->is_behind = is_behind;
}

void hn_state_counted(hn_arena *arena, int *first, int *used) {
  hn_state *s = &arena->state;
  if (arena->failed || s->count == 0) return;
  s->fields[s->count - 1].first = first;
  s->fields[s->count - 1].used = used;
}

void hn_state_grows(hn_arena *arena, const int *capacity, int (*grow)(void *list, int),
                    void *list) {
  hn_state *s = &arena->state;
  if (arena->failed || s->count == 0) return;
  hn_state_field *f = &s->fields[s->count - 1];
  f->capacity = capacity;
  f->grow = grow;
  f->list = list;
}

void hn_state_within(hn_arena *arena, double lower, double upper) {
  hn_state *s = &arena->state;
  if (arena->failed || s->count == 0) return;
  s->fields[s->count - 1].lower = fmax(lower, -DBL_MAX);
  s->fields[s->count - 1].upper = fmin(upper, DBL_MAX);
}

static int is_meant(const hn_state_field *f, int kinds, int part) {
  return ((int)f->kind & kinds) != 0 && f->part == part && f->count > 0;
}

// Pointers of any type, by their bytes.
static unsigned char *pointer_at(const void *place) {
  unsigned char *pointer;
  memcpy(&pointer, place, sizeof pointer);
  return pointer;
}

static unsigned char *start_of(const hn_state_field *f) {
  if (!f->present) return f->at;
  unsigned char *at = pointer_at(f->present) + f->offset;
  return f->is_behind ? pointer_at(at) : at;
}

static size_t capacity_of(const hn_state_field *f) {
  return f->capacity ? (size_t)*f->capacity : f->count;
}

static size_t items_of(const hn_state_field *f) { return f->used ? (size_t)*f->used : f->count; }

static size_t bytes_of(const hn_state_field *f, size_t items) {
  return (f->used ? sizeof *f->used : 0) + items * f->item;
}

size_t hn_state_size(const hn_state *s, int kinds, int part) {
  size_t size = 0;
  for (int k = 0; k < s->count; k++)
    if (is_meant(&s->fields[k], kinds, part))
      size += bytes_of(&s->fields[k], items_of(&s->fields[k]));
  return size;
}

size_t hn_state_largest(const hn_state *s, int kinds, int part) {
  size_t size = 0;
  for (int k = 0; k < s->count; k++)
    if (is_meant(&s->fields[k], kinds, part))
      size += bytes_of(&s->fields[k], capacity_of(&s->fields[k]));
  return size;
}

unsigned char *hn_state_write(const hn_state *s, int kinds, int part, unsigned char *to) {
  for (int k = 0; k < s->count; k++) {
    const hn_state_field *f = &s->fields[k];
    if (!is_meant(f, kinds, part)) continue;
    const unsigned char *from = start_of(f);
    const size_t items = items_of(f), first = f->first ? (size_t)*f->first : 0;
    // of a ring those up to its end, then those from its start
    const size_t ahead = items < capacity_of(f) - first ? items : capacity_of(f) - first;
    if (f->used) {
      memcpy(to, f->used, sizeof *f->used);
      to += sizeof *f->used;
    }
    memcpy(to, from + first * f->item, ahead * f->item);
    memcpy(to + ahead * f->item, from, (items - ahead) * f->item);
    to += items * f->item;
  }
  return to;
}

const unsigned char *hn_state_read(const hn_state *s, int kinds, int part,
                                   const unsigned char *from, size_t size) {
  const unsigned char *end = from + size;
  for (int k = 0; k < s->count; k++) {
    const hn_state_field *f = &s->fields[k];
    if (!is_meant(f, kinds, part)) continue;
    size_t items = f->count;
    if (f->used) {
      int used;
      if ((size_t)(end - from) < sizeof used) return NULL;
      memcpy(&used, from, sizeof used);
      from += sizeof used;
      if (used < 0 || (size_t)(end - from) / f->item < (size_t)used) return NULL;
      if ((size_t)used > capacity_of(f) && !(f->grow && f->grow(f->list, used))) return NULL;
      items = (size_t)used;
    }
    if ((size_t)(end - from) / f->item < items) return NULL;
    if (f->used) *f->used = (int)items;
    if (f->first) *f->first = 0;
    memcpy(start_of(f), from, items * f->item);
    from += items * f->item;
  }
  return from;
}

static unsigned long long mix(unsigned long long hash, const void *data, size_t size) {
  const unsigned char *byte = data;
  for (size_t k = 0; k < size; k++) hash = (hash ^ byte[k]) * 1099511628211u;
  return hash;
}

unsigned long long hn_state_layout(const hn_state *s, int kinds, int part) {
  unsigned long long hash = 14695981039346656037u;
  for (int k = 0; k < s->count; k++) {
    const hn_state_field *f = &s->fields[k];
    if (!is_meant(f, kinds, part)) continue;
    const unsigned long long sizes[] = {(unsigned long long)f->kind, (unsigned long long)f->type,
                                        f->capacity ? 0 : f->count, f->item};
    hash = mix(hash, f->owner, strlen(f->owner) + 1);
    hash = mix(hash, f->name, strlen(f->name) + 1);
    hash = mix(hash, sizes, sizeof sizes);
  }
  return hash;
}

double hn_state_number(const hn_state_field *f, size_t i) {
  const unsigned char *at = start_of(f) + i * f->item;
  double real = 0;
  int integer = 0;
  long count = 0;
  switch (f->type) {
  case HN_STATE_DOUBLE: memcpy(&real, at, sizeof real); return real;
  case HN_STATE_INT: memcpy(&integer, at, sizeof integer); return integer;
  case HN_STATE_LONG: memcpy(&count, at, sizeof count); return (double)count;
  case HN_STATE_BYTE: return *at;
  case HN_STATE_OTHER: break;
  }
  return 0;
}

void hn_state_set_number(const hn_state_field *f, size_t i, double value) {
  unsigned char *at = start_of(f) + i * f->item;
  const int integer = f->type == HN_STATE_INT ? (int)value : 0;
  const long count = f->type == HN_STATE_LONG ? (long)value : 0;
  switch (f->type) {
  case HN_STATE_DOUBLE: memcpy(at, &value, sizeof value); break;
  case HN_STATE_INT: memcpy(at, &integer, sizeof integer); break;
  case HN_STATE_LONG: memcpy(at, &count, sizeof count); break;
  case HN_STATE_BYTE: *at = (unsigned char)value; break;
  case HN_STATE_OTHER: break;
  }
}

const hn_state_field *hn_state_check(const hn_state *s, int kinds, int part, int *index) {
  for (int k = 0; k < s->count; k++) {
    const hn_state_field *f = &s->fields[k];
    if (!is_meant(f, kinds, part) || f->type == HN_STATE_OTHER) continue;
    for (size_t i = 0; i < items_of(f); i++) {
      const double value = hn_state_number(f, i);
      if (value >= f->lower && value <= f->upper) continue;
      *index = f->count > 1 ? (int)i : -1;
      return f;
    }
  }
  return NULL;
}
