// The table of names: from (kind, text) to id, by FNV-1a and open addressing. Laws are kept in a
// table of the same shape, by address, so that giving one twice does not free it twice.
#include <stdint.h>
#include <string.h>

#include "model/storage.h"

const char *hn_name_kind_word(hn_name_kind kind) {
  static const char *const words[HN_NAME_KINDS] = {
#define HN_NAME_KIND_WORD(code, word) word,
      HN_NAME_KIND_LIST(HN_NAME_KIND_WORD)
#undef HN_NAME_KIND_WORD
  };
  return words[kind];
}

static unsigned long long hash_name(hn_name_kind kind, const char *text, size_t length) {
  unsigned long long hash = 14695981039346656037ULL;
  hash = (hash ^ (unsigned long long)kind) * 1099511628211ULL;
  for (size_t i = 0; i < length; i++) hash = (hash ^ (unsigned char)text[i]) * 1099511628211ULL;
  return hash;
}

// The slot that holds the name, or the free one where it belongs. The table is never full.
static hn_name *name_slot(const hn_name_table *table, hn_name_kind kind, const char *text,
                          size_t length, unsigned long long hash) {
  size_t mask = table->capacity - 1;
  for (size_t i = (size_t)hash & mask;; i = (i + 1) & mask) {
    hn_name *slot = &table->slots[i];
    if (!slot->text) return slot;
    if (slot->hash == hash && slot->kind == kind && slot->length == length &&
        memcmp(slot->text, text, length) == 0)
      return slot;
  }
}

const hn_name *hn_names_find(const hn_name_table *table, hn_name_kind kind, const char *text,
                             size_t length) {
  if (!text || !table->capacity) return NULL;
  const hn_name *slot = name_slot(table, kind, text, length, hash_name(kind, text, length));
  return slot->text ? slot : NULL;
}

int hn_names_reserve(hn_name_table *table, const hn_allocator *allocator) {
  if (2 * (table->count + 1) <= table->capacity) return 1;
  hn_name_table larger = {NULL, table->capacity ? 2 * table->capacity : 64, table->count};
  larger.slots = hn_allocate(allocator, larger.capacity * sizeof(hn_name));
  if (!larger.slots) return 0;
  memset(larger.slots, 0, larger.capacity * sizeof(hn_name));
  for (size_t i = 0; i < table->capacity; i++) {
    const hn_name *old = &table->slots[i];
    if (old->text) *name_slot(&larger, old->kind, old->text, old->length, old->hash) = *old;
  }
  hn_release(allocator, table->slots);
  *table = larger;
  return 1;
}

void hn_names_insert(hn_name_table *table, hn_name_kind kind, const char *text, int id) {
  size_t length = strlen(text);
  unsigned long long hash = hash_name(kind, text, length);
  hn_name *slot = name_slot(table, kind, text, length, hash);
  if (!slot->text) table->count++;
  *slot = (hn_name){hash, text, length, kind, id};
}

// ---- laws ---------------------------------------------------------------------------------------

static hn_law **law_slot(hn_law **laws, size_t capacity, const hn_law *law) {
  size_t mask = capacity - 1;
  size_t i = (size_t)(((uintptr_t)law >> 4) * 0x9E3779B97F4A7C15ULL >> 20) & mask;
  while (laws[i] && laws[i] != law) i = (i + 1) & mask;
  return &laws[i];
}

static int reserve_law(struct hn_model_storage *storage) {
  if (2 * (storage->law_count + 1) <= storage->law_capacity) return 1;
  size_t capacity = storage->law_capacity ? 2 * storage->law_capacity : 64;
  hn_law **laws = hn_allocate(&storage->allocator, capacity * sizeof *laws);
  if (!laws) return 0;
  for (size_t i = 0; i < capacity; i++) laws[i] = NULL;
  for (size_t i = 0; i < storage->law_capacity; i++)
    if (storage->laws[i]) *law_slot(laws, capacity, storage->laws[i]) = storage->laws[i];
  hn_release(&storage->allocator, storage->laws);
  storage->laws = laws;
  storage->law_capacity = capacity;
  return 1;
}

int hn_model_own_law(hn_model *model, hn_law *law) {
  if (!law) return 1;
  struct hn_model_storage *storage = model->storage;
  if (storage->law_capacity && *law_slot(storage->laws, storage->law_capacity, law)) return 1;
  if (!reserve_law(storage)) {
    hn_law_free(law);
    return 0;
  }
  *law_slot(storage->laws, storage->law_capacity, law) = law;
  storage->law_count++;
  return 1;
}

void hn_model_free_laws(hn_model *model) {
  struct hn_model_storage *storage = model->storage;
  for (size_t i = 0; i < storage->law_capacity; i++) hn_law_free(storage->laws[i]);
  hn_release(&storage->allocator, storage->laws);
}
