// Hints for keys that are unknown, missing or without effect.
#ifndef HN_FORMATS_KEY_HINTS_H
#define HN_FORMATS_KEY_HINTS_H

#include "formats/fields.h"

// The key for a word of another program in the section, or a type among words; null: unknown.
const char *hn_key_elsewhere(const hn_section *section, const char *word);
const char *hn_type_elsewhere(const char *word, const char *const *words, int count);
// "a, b, c" of the keys of a section.
const char *hn_section_list(const hn_section *section, char *buffer, size_t size);

void hn_key_unknown(const hn_context *context, const hn_section *section, const hn_node *map,
                    const hn_node *node);
void hn_key_missing(const hn_fields *fields, const char *key);
// The key of this place is given and was not used.
void hn_key_unused(const hn_fields *fields, int place);
// An entry that is no map.
void hn_entry_without_keys(const hn_context *context, const hn_node *node,
                           const hn_section *section);

#endif
