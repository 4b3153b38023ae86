// A map read by the table of keys: unknown keys are rejected when it is opened, keys that were
// given but had no use when it is closed. In between, load_*.c asks for values by name.
#ifndef HN_FORMATS_FIELDS_H
#define HN_FORMATS_FIELDS_H

#include "formats/loader.h"

typedef struct hn_fields {
  const hn_context *context;
  const hn_section *section;
  const hn_node *map;
  const hn_node *value[HN_SECTION_KEYS]; // by place in the section
  unsigned char used[HN_SECTION_KEYS];
  int is_angle; // what HN_COORDINATE_... means in this map
} hn_fields;

// 0 on failure.
int hn_fields_open(const hn_context *context, const hn_node *map, const hn_section *section,
                   hn_fields *fields);
// The section is chosen by the word at `type:` among the variants of `name`.
int hn_fields_open_variant(const hn_context *context, const hn_node *map, const char *name,
                           hn_fields *fields);
void hn_fields_close(hn_fields *fields);

// The node of a key and from now on used; null when it is not given.
const hn_node *hn_field(hn_fields *fields, const char *key);
// The same; a missing one is reported.
const hn_node *hn_field_need(hn_fields *fields, const char *key);
// Given, without being used.
int hn_field_given(const hn_fields *fields, const char *key);
// Values. A key that is not given has the default of the table (0 where that is words); where the
// table says "required" that is a failure.
double hn_field_number(hn_fields *fields, const char *key);
int hn_field_boolean(hn_fields *fields, const char *key);
const char *hn_field_text(hn_fields *fields, const char *key); // null when not given
// The place of the word among the words of the table.
int hn_field_choice(hn_fields *fields, const char *key);
hn_vec3 hn_field_vector(hn_fields *fields, const char *key);
// Numbers of a list: at most `most` are written, the count is returned; `least` must be there.
int hn_field_numbers(hn_fields *fields, const char *key, int least, int most, double *numbers);
// Names of a list of exactly `count`; 0 on failure.
int hn_field_names(hn_fields *fields, const char *key, int count, const char **names,
                   const hn_node **nodes);

// The output that a key names, in full; null where it names none.
const char *hn_named_output(hn_fields *fields, const char *key);

#endif
