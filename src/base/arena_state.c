// The state of one owner in one block: pieces are registered with the addresses of the pointers to
// them, and gathered when the owner is complete.
#include <string.h>

#include "base/arena_private.h"

void hn_arena_section(hn_arena *arena, hn_state_kind kind, const char *section) {
  arena->state.kind = kind;
  arena->state.section = section;
}

// "&s->branches.turns": turns
static const char *last_name(const char *expression) {
  const char *name = expression;
  for (const char *c = expression; *c; c++)
    if (*c == '>' || *c == '.' || *c == '&') name = c + 1;
  return name;
}

void hn_arena_state(hn_arena *arena, void *home, size_t count, size_t item, hn_state_type type,
                    const char *name) {
  hn_state_block *s = &arena->state;
  void *piece = hn_arena_take_from(arena, &arena->waiting, count, item);
  memcpy(home, &piece, sizeof piece);
  hn_state_piece *pieces =
      piece ? hn_arena_grow(arena, s->pieces, s->count, &s->capacity, sizeof *s->pieces) : NULL;
  if (!pieces) return;
  s->pieces = pieces;
  s->pieces[s->count++] = (hn_state_piece){.section = s->section ? s->section : "",
                                           .name = last_name(name),
                                           .kind = s->kind,
                                           .type = type,
                                           .home = home,
                                           .count = count,
                                           .item = item};
}

static size_t lines(const hn_state_piece *p) {
  return (p->count * p->item + HN_ARENA_LINE - 1) / HN_ARENA_LINE * HN_ARENA_LINE;
}

// Copies a piece to where it belongs in the new block.
static void move(hn_state_piece *p, unsigned char *data, size_t offset) {
  void *old;
  memcpy(&old, p->home, sizeof old);
  void *place = data + offset;
  if (p->count * p->item > 0) memcpy(place, old, p->count * p->item);
  memcpy(p->home, &place, sizeof place);
  p->offset = offset;
}

hn_status hn_arena_settle(hn_arena *arena) {
  hn_state_block *s = &arena->state;
  if (arena->failed) return HN_ERROR_MEMORY;
  if (s->settled == s->count && s->data) return HN_OK;
  size_t size = 0;
  for (int k = 0; k < s->count; k++) size += lines(&s->pieces[k]);
  arena->allocator_calls++;
  void *allocation = hn_allocate(&arena->allocator, size + HN_ARENA_LINE);
  if (!allocation) {
    arena->failed = 1;
    return HN_ERROR_MEMORY;
  }
  unsigned char *data = hn_arena_aligned(allocation);
  memset(data, 0, size);
  size_t at = 0;
  for (int kind = 0; kind < HN_STATE_KINDS; kind++) {
    s->begin[kind] = at;
    for (int k = 0; k < s->count; k++) {
      if ((int)s->pieces[k].kind != kind) continue;
      move(&s->pieces[k], data, at);
      at += lines(&s->pieces[k]);
    }
  }
  s->begin[HN_STATE_KINDS] = at;
  s->settled = s->count;
  hn_release(&arena->allocator, s->allocation);
  s->allocation = allocation;
  s->data = data;
  hn_arena_drop(arena, &arena->waiting);
  return HN_OK;
}

static unsigned long long mix(unsigned long long hash, const void *data, size_t size) {
  const unsigned char *byte = data;
  for (size_t k = 0; k < size; k++) hash = (hash ^ byte[k]) * 1099511628211u;
  return hash;
}

unsigned long long hn_arena_layout(const hn_state_block *s, hn_state_kind first,
                                   hn_state_kind last) {
  unsigned long long hash = 14695981039346656037u;
  for (int kind = (int)first; kind <= (int)last; kind++)
    for (int k = 0; k < s->count; k++) {
      const hn_state_piece *p = &s->pieces[k];
      if ((int)p->kind != kind) continue;
      const unsigned long long sizes[] = {(unsigned long long)kind, (unsigned long long)p->type,
                                          p->count, p->item};
      hash = mix(hash, p->section, strlen(p->section) + 1);
      hash = mix(hash, p->name, strlen(p->name) + 1);
      hash = mix(hash, sizes, sizeof sizes);
    }
  return hash;
}
