// An XML file as a tree of elements with their positions in the file and their import status.
//
// Read by expat. Document types, and with them custom entities, are rejected; nothing outside the
// text is ever opened. Every element and every attribute ends with one import status: that is the
// loss report.
#ifndef HN_FORMATS_IMPORT_XML_H
#define HN_FORMATS_IMPORT_XML_H

#include "base/arena.h"

#define HN_XML_DEPTH 256        // elements within each other
#define HN_XML_ELEMENTS 2000000 // in one file
#define HN_XML_SIZE ((size_t)64 << 20)

typedef enum hn_fate {
  HN_FATE_NONE, // never read: lost
  HN_FATE_USED,
  HN_FATE_HARMLESS,     // without effect on the motion, and why
  HN_FATE_APPROXIMATED, // and how
  HN_FATE_LOST          // and why
} hn_fate;

typedef struct hn_xml_attribute {
  const char *name, *value;
  hn_fate fate;
  const char *why;
} hn_xml_attribute;

typedef struct hn_xml hn_xml;
struct hn_xml {
  const char *file, *name;
  int line, column;
  hn_fate fate;
  const char *why;
  int attribute_count;
  hn_xml_attribute *attributes;
  const char *text; // between its tags, without blanks at the ends; "" if empty
  hn_xml *parent, *first, *last, *next;
  void *meaning; // what a reader made of it
};

// The tree lives in the arena and does not refer to text; file is copied.
hn_status hn_xml_parse(hn_arena *arena, const char *text, size_t size, const char *file,
                       hn_xml **root, hn_error *error);
hn_source hn_xml_source(const hn_xml *node); // of null nowhere

// ---- looking ------------------------------------------------------------------------------------

// The first child of this name from `from` on (null: the first), or null. Not marked.
hn_xml *hn_xml_child(const hn_xml *node, const char *name);
hn_xml *hn_xml_next(const hn_xml *node, const char *name); // the next of the same name among its
                                                           // siblings
// An attribute without marking it, or null.
const char *hn_xml_peek(const hn_xml *node, const char *name);
hn_xml_attribute *hn_xml_find(const hn_xml *node, const char *name);

// ---- import statuses ----------------------------------------------------------------------------

// The value of an attribute, which is used from now on; null when it is not there.
const char *hn_xml_get(hn_xml *node, const char *name);
// The first child of a name, used from now on; null if missing.
hn_xml *hn_xml_take(hn_xml *node, const char *name);
void hn_xml_use(hn_xml *node); // the element itself, not its attributes
void hn_xml_mark(hn_xml *node, hn_fate fate, const char *why);
void hn_xml_mark_attribute(hn_xml *node, const char *name, hn_fate fate, const char *why);
// Sets the status of the element with all attributes and all that is in it, as far as unset.
// hn_xml_lose: lost with all that is inside, whatever the status before.
void hn_xml_lose(hn_xml *node, const char *why);
void hn_xml_mark_all(hn_xml *node, hn_fate fate, const char *why);
// The same for every child of a name.
void hn_xml_mark_children(hn_xml *node, const char *name, hn_fate fate, const char *why);

#endif
