// The table of the keys of a model file: every section and every key, once.
//
// It drives the loader (unknown keys, missing keys, defaults, units), the JSON Schema and the
// reference tables of docs/reference/model. A new key is a row here and its use in load_*.c.
#ifndef HN_FORMATS_KEYS_H
#define HN_FORMATS_KEYS_H

#include "formats/unit.h"
#include "model/keys.h"

#define HN_SECTION_KEYS 40 // at most, in one section
#define HN_KEY_WORDS 512   // capacity for the words of a choice

// The section of this name (and variant, which may be null), or null.
const hn_section *hn_section_find(const char *name, const char *variant);
// All of them, index from 0; null past the end.
const hn_section *hn_section_at(int index);
// The place of a key in section->keys, or -1 when the section does not have it.
int hn_section_key(const hn_section *section, const char *name);
// Names of the keys it has, between blanks; null: all.
const char *hn_section_only(const hn_section *section);
// The words of a choice between blanks, in `text` where a list of what is built makes them.
const char *hn_key_words(const hn_key *key, char *text, size_t size);
// Whether the section has its key of this place.
int hn_section_has(const hn_section *section, int place);
const char *hn_key_type_name(hn_key_type type);
const char *hn_key_type_definition(hn_key_type type);

#endif
