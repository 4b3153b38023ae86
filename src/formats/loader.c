// Functions shared by the files that load a model: failures, memory, the table of names.
#include "formats/loader.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "math/expression.h"

// ---- failing ------------------------------------------------------------------------------------

// " (used as component 'left' in model.yaml:5)" where the element is of a component.
static const char *component_user(const hn_loader *loader, char *text, size_t size) {
  const hn_scope *scope = loader->current ? loader->current->context.scope : NULL;
  text[0] = '\0';
  if (!scope || !scope->user || !scope->prefix[0]) return text;
  hn_source place = hn_node_key_source(scope->user);
  return hn_text(text, size, " (used as component '%.*s' in %.200s:%d)",
                 (int)(strlen(scope->prefix) - 1), scope->prefix, place.file ? place.file : "",
                 place.line);
}

hn_status hn_loader_fail(hn_loader *loader, hn_status status, const hn_source *place,
                         const char *hint, const char *format, ...) {
  if (loader->status) return loader->status;
  char message[1024];
  va_list arguments;
  va_start(arguments, format);
  if (vsnprintf(message, sizeof message, format, arguments) < 0) message[0] = '\0';
  va_end(arguments);
  char user[400];
  loader->status = hn_fail(loader->error, status, place, loader->element, hint, "%s%s", message,
                           component_user(loader, user, sizeof user));
  return loader->status;
}

hn_status hn_loader_failed(hn_loader *loader, hn_status status) {
  if (loader->status) return loader->status;
  loader->status = status;
  hn_error *error = loader->error;
  if (!error->element[0] && loader->element[0]) {
    hn_error copy = *error;
    hn_source place = {copy.file[0] ? copy.file : NULL, copy.line, copy.column};
    hn_fail(error, status, &place, loader->element, copy.hint, "%s", copy.message);
  }
  return status;
}

// ---- several mistakes ---------------------------------------------------------------------------

static int is_same(const hn_error *a, const hn_error *b) {
  return a->line == b->line && a->column == b->column && strcmp(a->file, b->file) == 0 &&
         strcmp(a->message, b->message) == 0;
}

static void keep_error(hn_loader *loader) {
  for (int k = 0; k < loader->error_count; k++)
    if (is_same(&loader->errors[k], loader->error)) return;
  loader->errors[loader->error_count++] = *loader->error;
}

// Whether the rest of the file can be checked after this error.
static int is_mistake(hn_status status) {
  return status == HN_ERROR_MODEL || status == HN_ERROR_SYNTAX || status == HN_ERROR_FILE ||
         status == HN_ERROR_ARGUMENT || status == HN_ERROR_UNSUPPORTED;
}

int hn_loader_put_aside(hn_loader *loader) {
  // sealed components are made once: after a failure they are not asked again
  if (!loader->collects || loader->sealed || !is_mistake(loader->status)) return 0;
  if (!loader->errors)
    loader->errors = hn_arena_take(&loader->arena, HN_LOAD_ERRORS, sizeof *loader->errors);
  if (!loader->errors || loader->error_count == HN_LOAD_ERRORS) return 0;
  if (!loader->is_told) keep_error(loader);
  loader->is_told = 0;
  loader->status = HN_OK;
  return 1;
}

void hn_loader_fail_told(hn_loader *loader) {
  if (loader->status) return;
  loader->status = HN_ERROR_MODEL;
  loader->is_told = 1;
}

int hn_loader_recover(hn_loader *loader) {
  if (hn_loader_ok(loader)) return 1;
  if (!hn_loader_put_aside(loader)) return 0;
  if (loader->current) loader->current->state = HN_ENTRY_FAILED;
  loader->current = NULL;
  loader->depth = 0;
  return 1;
}

// Whether the data of all elements so far are as large as entries and files explain.
static int fits(hn_loader *loader) {
  const double taken = (double)loader->arena.taken;
  double limit = HN_LOAD_BYTES + HN_LOAD_ENTRY_BYTES * (double)loader->max_entries;
  const hn_entry *entry = loader->current;
  if (!entry || taken <= limit) return 1;
  limit += HN_LOAD_FILE_BYTES * hn_model_files_size(loader->files);
  if (taken <= limit) return 1;
  const hn_source place = hn_node_key_source(entry->node);
  hn_element_name old = hn_loader_begin(loader, hn_entry_kind_word(entry->kind), entry->name);
  hn_loader_fail(loader, HN_ERROR_LIMIT, &place,
                 "Repeat fewer elements with tables or surfaces, or raise @max_entries.",
                 "exceeds the memory for data: %.3g MB (limit %.3g MB with %ld entries)",
                 1e-6 * taken, 1e-6 * limit, loader->max_entries);
  hn_loader_set_element(loader, &old);
  return 0;
}

int hn_loader_goes_on(hn_loader *loader, hn_entry *next) {
  if (hn_loader_ok(loader) && !fits(loader)) return 0;
  if (!hn_loader_recover(loader)) return 0;
  loader->current = next;
  return next != NULL;
}

int hn_loader_spoilt(hn_loader *loader, const hn_entry *entry) {
  if (entry->state != HN_ENTRY_FAILED) return 0;
  hn_loader_fail_told(loader);
  return 1;
}

// ---- memory and names ---------------------------------------------------------------------------

void hn_loader_added(hn_loader *loader, hn_status status) {
  if (!status || loader->status) return;
  *loader->error = *hn_model_error(loader->model);
  hn_loader_failed(loader, status);
}

void *hn_loader_take(hn_loader *loader, size_t count, size_t size) {
  void *block = hn_arena_take(&loader->arena, count, size);
  if (!block)
    hn_loader_fail(loader, HN_ERROR_MEMORY, NULL, "Close other programs, or use a smaller model.",
                   "does not fit into memory");
  return block;
}

const char *hn_loader_copy(hn_loader *loader, const char *text) {
  char *copy = hn_loader_take(loader, strlen(text) + 1, 1);
  return copy ? strcpy(copy, text) : NULL;
}

hn_element_name hn_loader_begin(hn_loader *loader, const char *kind, const char *name) {
  hn_element_name old;
  memcpy(old.text, loader->element, sizeof old.text);
  if (name)
    hn_text(loader->element, sizeof loader->element, "%s '%s'", kind, name);
  else
    hn_text(loader->element, sizeof loader->element, "%s", kind);
  return old;
}

void hn_loader_set_element(hn_loader *loader, const hn_element_name *element) {
  memcpy(loader->element, element->text, sizeof loader->element);
}

// ---- table of names -----------------------------------------------------------------------------

const char *hn_entry_kind_word(hn_entry_kind kind) {
  static const char *const words[HN_ENTRY_KINDS] = {
#define ENTRY_WORD(code, word) word,
      HN_ENTRY_LIST(ENTRY_WORD)
#undef ENTRY_WORD
  };
  return words[kind];
}

static unsigned long long hash_bytes(unsigned long long hash, const char *text, size_t length) {
  for (size_t k = 0; k < length; k++)
    hash = (hash ^ (unsigned char)text[k]) * 1099511628211u; // FNV-1a
  return hash;
}

static size_t hash_name(hn_entry_kind kind, const char *prefix, size_t prefix_length,
                        const char *name, size_t length) {
  unsigned long long hash = 14695981039346656037u + (unsigned long long)kind;
  hash = hash_bytes(hash_bytes(hash, prefix, prefix_length), name, length);
  return (size_t)(hash ^ (hash >> 32));
}

// The slot of a name, or the free one where it would go.
static size_t find_slot(const hn_loader *loader, hn_entry_kind kind, const char *prefix,
                        const char *name, size_t length) {
  size_t prefix_length = strlen(prefix);
  size_t at = hash_name(kind, prefix, prefix_length, name, length) & (loader->capacity - 1);
  for (; loader->slots[at]; at = (at + 1) & (loader->capacity - 1)) {
    const hn_entry *entry = loader->slots[at];
    if (entry->kind == kind && strncmp(entry->name, prefix, prefix_length) == 0 &&
        strncmp(entry->name + prefix_length, name, length) == 0 &&
        entry->name[prefix_length + length] == '\0')
      break;
  }
  return at;
}

hn_entry *hn_entry_find(const hn_loader *loader, hn_entry_kind kind, const char *prefix,
                        const char *name, size_t length) {
  if (loader->capacity == 0) return NULL;
  return loader->slots[find_slot(loader, kind, prefix, name, length)];
}

// Reserves capacity for one more, at most half full; 0 when out of memory.
static int reserve(hn_loader *loader) {
  size_t needed = 2 * ((size_t)loader->entry_count + 1);
  if (needed <= loader->capacity) return 1;
  size_t old_capacity = loader->capacity, capacity = old_capacity ? 2 * old_capacity : 256;
  hn_entry **old = loader->slots;
  hn_entry **slots = hn_loader_take(loader, capacity, sizeof *slots);
  if (!slots) return 0;
  loader->slots = slots;
  loader->capacity = capacity;
  for (size_t k = 0; k < old_capacity; k++)
    if (old[k])
      slots[find_slot(loader, old[k]->kind, "", old[k]->name, strlen(old[k]->name))] = old[k];
  return 1;
}

static const char *full_name(hn_loader *loader, const char *prefix, const char *name) {
  size_t first = strlen(prefix), second = strlen(name);
  char *text = hn_loader_take(loader, first + second + 1, 1);
  if (!text) return NULL;
  memcpy(text, prefix, first);
  memcpy(text + first, name, second);
  return text;
}

hn_entry *hn_entry_add(const hn_context *context, hn_entry_kind kind, const char *name,
                       const hn_node *node) {
  hn_loader *loader = context->loader;
  const char *prefix = context->scope->prefix;
  hn_source place = hn_node_key_source(node);
  if (loader->entry_count >= loader->max_entries) {
    hn_loader_fail(loader, HN_ERROR_LIMIT, &place,
                   "Check the ranges of `repeat:`, or raise @max_entries.",
                   "exceeds the limit of %ld entries in a model", loader->max_entries);
    return NULL;
  }
  if (!hn_loader_ok(loader) || !reserve(loader)) return NULL;
  size_t at = find_slot(loader, kind, prefix, name, strlen(name));
  if (loader->slots[at]) {
    hn_loader_fail(
        loader, HN_ERROR_MODEL, &place,
        loader->slots[at]->is_block  ? "Use another name: blocks of `states:` are outputs already."
        : context->counter_count > 0 ? "Add {i} to the name: `repeat:` needs different names."
                                     : "Rename one of them.",
        "is a duplicate: the first %s '%s' is in line %d", hn_entry_kind_word(kind),
        loader->slots[at]->name, loader->slots[at]->node->key_line);
    return NULL;
  }
  hn_entry *entry = hn_loader_take(loader, 1, sizeof *entry);
  const char *full = full_name(loader, prefix, name);
  if (!entry || !full) return NULL;
  *entry = (hn_entry){.kind = kind, .name = full, .node = node, .context = *context, .id = -1};
  if (loader->last[kind])
    loader->last[kind]->next = entry;
  else
    loader->first[kind] = entry;
  loader->last[kind] = entry;
  loader->slots[at] = entry;
  loader->entry_count++;
  return entry;
}

// ---- unknown names ------------------------------------------------------------------------------

const char *hn_entry_nearest(const hn_context *context, hn_entry_kind kind, const char *name) {
  hn_loader *loader = context->loader;
  const char *prefix = context->scope->prefix;
  size_t prefix_length = strlen(prefix);
  int count = 0;
  for (const hn_entry *e = loader->first[kind]; e; e = e->next) count++;
  const char **words = hn_arena_take(&loader->arena, (size_t)count + 1, sizeof *words);
  if (!words) return NULL;
  count = 0;
  for (const hn_entry *e = loader->first[kind]; e; e = e->next)
    if (strncmp(e->name, prefix, prefix_length) == 0) words[count++] = e->name + prefix_length;
  return hn_nearest_word(name, words, count);
}

// The section of the model whose entries are called by this word.
static const char *section_of(const char *word) {
  const hn_section *model = hn_section_find("model", NULL);
  for (int k = 0; k < model->key_count; k++)
    if (model->keys[k].type == HN_KEY_ENTRIES && strcmp(model->keys[k].detail, word) == 0)
      return model->keys[k].name;
  return word;
}

hn_entry *hn_entry_need(const hn_context *context, hn_entry_kind kind, const char *name,
                        const hn_node *node) {
  hn_loader *loader = context->loader;
  if (!hn_loader_ok(loader)) return NULL;
  hn_entry *entry = hn_entry_find(loader, kind, context->scope->prefix, name, strlen(name));
  if (entry) return hn_loader_spoilt(loader, entry) ? NULL : entry;
  const char *word = hn_entry_kind_word(kind), *nearest = hn_entry_nearest(context, kind, name);
  const char *candidates[2] = {nearest, "ground"}; // which is no entry
  if (kind == HN_ENTRY_BODY && strcmp(name, "ground") != 0)
    nearest = hn_nearest_word(name, candidates, 2); // skips one that is null
  char hint[256];
  if (nearest)
    hn_text(hint, sizeof hint, "Did you mean '%s'?", nearest);
  else if (kind == HN_ENTRY_MARKER)
    hn_text(hint, sizeof hint, "Write BODY.MARKER.");
  else
    hn_text(hint, sizeof hint, "Define it under `%s:`, or correct the name.", section_of(word));
  hn_source place = hn_node_source(node);
  hn_loader_fail(loader, HN_ERROR_MODEL, &place, hint, "refers to %s '%s', which does not exist",
                 word, name);
  return NULL;
}

int hn_name_check(hn_loader *loader, const char *text, const hn_node *node) {
  size_t length = strlen(text);
  hn_source place = hn_node_key_source(node);
  if (length > HN_NAME_LENGTH)
    hn_loader_fail(loader, HN_ERROR_MODEL, &place, "Shorten it.",
                   "the name has %zu characters, more than %d", length, HN_NAME_LENGTH);
  else if (!hn_expression_is_name(text, length) || strchr(text, '.'))
    hn_loader_fail(loader, HN_ERROR_MODEL, &place,
                   "Use letters, digits and underscores, starting with a letter.",
                   "'%.80s' is not a valid name", text);
  return hn_loader_ok(loader);
}
