// XML by expat: a tree with places, within limits.
#include "formats/import/xml.h"

#include <ctype.h>
#include <string.h>

#include "base/error.h"

hn_source hn_xml_source(const hn_xml *node) {
  return node ? (hn_source){node->file, node->line, node->column} : (hn_source){NULL, 0, 0};
}

// ---- looking ------------------------------------------------------------------------------------

hn_xml *hn_xml_child(const hn_xml *node, const char *name) {
  hn_xml *child = node ? node->first : NULL;
  while (child && strcmp(child->name, name) != 0) child = child->next;
  return child;
}

hn_xml *hn_xml_next(const hn_xml *node, const char *name) {
  hn_xml *other = node->next;
  while (other && strcmp(other->name, name) != 0) other = other->next;
  return other;
}

hn_xml_attribute *hn_xml_find(const hn_xml *node, const char *name) {
  for (int k = 0; node && k < node->attribute_count; k++)
    if (strcmp(node->attributes[k].name, name) == 0) return &node->attributes[k];
  return NULL;
}

const char *hn_xml_peek(const hn_xml *node, const char *name) {
  const hn_xml_attribute *found = hn_xml_find(node, name);
  return found ? found->value : NULL;
}

// ---- import statuses ----------------------------------------------------------------------------

const char *hn_xml_get(hn_xml *node, const char *name) {
  hn_xml_attribute *found = hn_xml_find(node, name);
  if (found) found->fate = HN_FATE_USED;
  return found ? found->value : NULL;
}

void hn_xml_use(hn_xml *node) {
  if (node) node->fate = HN_FATE_USED;
}

hn_xml *hn_xml_take(hn_xml *node, const char *name) {
  hn_xml *child = hn_xml_child(node, name);
  hn_xml_use(child);
  return child;
}

void hn_xml_mark(hn_xml *node, hn_fate fate, const char *why) {
  if (!node) return;
  node->fate = fate;
  node->why = why;
}

void hn_xml_mark_attribute(hn_xml *node, const char *name, hn_fate fate, const char *why) {
  hn_xml_attribute *found = hn_xml_find(node, name);
  if (!found) return;
  found->fate = fate;
  found->why = why;
}

static void mark_one(hn_xml *node, hn_fate fate, const char *why) {
  if (node->fate == HN_FATE_NONE) hn_xml_mark(node, fate, why);
  for (int k = 0; k < node->attribute_count; k++) {
    if (node->attributes[k].fate != HN_FATE_NONE) continue;
    node->attributes[k].fate = fate;
    node->attributes[k].why = why;
  }
}

void hn_xml_lose(hn_xml *node, const char *why) {
  for (hn_xml *child = node->first; child; child = child->next) hn_xml_lose(child, why);
  hn_xml_mark(node, HN_FATE_LOST, why);
  for (int k = 0; k < node->attribute_count; k++) {
    node->attributes[k].fate = HN_FATE_LOST;
    node->attributes[k].why = why;
  }
}

void hn_xml_mark_all(hn_xml *node, hn_fate fate, const char *why) {
  if (!node) return;
  for (hn_xml *at = node;;) {
    mark_one(at, fate, why);
    if (at->first) {
      at = at->first;
      continue;
    }
    while (at != node && !at->next) at = at->parent;
    if (at == node) return;
    at = at->next;
  }
}

void hn_xml_mark_children(hn_xml *node, const char *name, hn_fate fate, const char *why) {
  for (hn_xml *child = hn_xml_child(node, name); child; child = hn_xml_next(child, name))
    hn_xml_mark_all(child, fate, why);
}

// ---- reading ------------------------------------------------------------------------------------

#if defined(HOLON_WITH_EXPAT)

#include <expat.h>

typedef struct reader {
  hn_arena *arena;
  XML_Parser parser;
  const char *source, *file;
  hn_xml *root, *top;
  int depth;
  long elements;
  char *words; // of the element that is open, grown
  size_t length, capacity;
  hn_status status;
  hn_error *error;
} reader;

static hn_source here(const reader *r) {
  return (hn_source){r->file, (int)XML_GetCurrentLineNumber(r->parser),
                     (int)XML_GetCurrentColumnNumber(r->parser) + 1};
}

static void stop(reader *r, hn_status status) {
  r->status = status;
  XML_StopParser(r->parser, XML_FALSE);
}

static void out_of_memory(reader *r) {
  hn_fail(r->error, HN_ERROR_MEMORY, NULL, NULL, "Close other programs.",
          "'%s' does not fit into memory", r->file);
  stop(r, HN_ERROR_MEMORY);
}

static int is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Text of an element is what stands between its tags, children apart; only leaves keep theirs whole.
static void close_text(reader *r) {
  if (r->top && r->length > 0) {
    size_t from = 0, to = r->length;
    while (from < to && is_blank(r->words[from])) from++;
    while (to > from && is_blank(r->words[to - 1])) to--;
    size_t old = strlen(r->top->text), gap = old > 0 && to > from ? 1 : 0;
    if (to > from) {
      char *text = HN_TAKE(r->arena, char, old + gap + to - from + 1);
      if (!text) {
        out_of_memory(r);
        return;
      }
      memcpy(text, r->top->text, old);
      if (gap) text[old] = ' ';
      memcpy(text + old + gap, r->words + from, to - from);
      r->top->text = text;
    }
  }
  r->length = 0;
}

static void XMLCALL take_text(void *context, const XML_Char *text, int length) {
  reader *r = context;
  size_t more = (size_t)length;
  if (r->status || !r->top) return;
  if (r->length + more > r->capacity) {
    size_t capacity = 2 * (r->length + more) + 256;
    char *words = HN_TAKE(r->arena, char, capacity);
    if (!words) {
      out_of_memory(r);
      return;
    }
    if (r->length > 0) memcpy(words, r->words, r->length);
    r->words = words;
    r->capacity = capacity;
  }
  memcpy(r->words + r->length, text, more);
  r->length += more;
}

static int take_attributes(reader *r, hn_xml *node, const XML_Char **pairs) {
  int count = 0;
  while (pairs[2 * count]) count++;
  node->attribute_count = count;
  node->attributes = HN_TAKE(r->arena, hn_xml_attribute, count);
  if (!node->attributes) return 0;
  for (int k = 0; k < count; k++) {
    node->attributes[k].name = hn_arena_copy_string(r->arena, pairs[2 * k]);
    node->attributes[k].value = hn_arena_copy_string(r->arena, pairs[2 * k + 1]);
  }
  return !r->arena->failed;
}

static int is_within_limits(reader *r, const char *name) {
  hn_source place = here(r);
  char element[128];
  if (r->depth > HN_XML_DEPTH) {
    hn_fail(r->error, HN_ERROR_LIMIT, &place, hn_text(element, sizeof element, "<%.60s>", name),
            "Reduce the nesting.", "is nested deeper than %d elements, the limit", HN_XML_DEPTH);
  } else if (r->elements > HN_XML_ELEMENTS) {
    hn_fail(r->error, HN_ERROR_LIMIT, &place, hn_text(element, sizeof element, "<%.60s>", name),
            "Split the model.", "is one of more than %d elements, the limit", HN_XML_ELEMENTS);
  } else {
    return 1;
  }
  stop(r, HN_ERROR_LIMIT);
  return 0;
}

static void XMLCALL open_element(void *context, const XML_Char *name, const XML_Char **pairs) {
  reader *r = context;
  if (r->status) return;
  close_text(r);
  r->depth++;
  r->elements++;
  if (!is_within_limits(r, name)) return;
  hn_xml *node = HN_TAKE(r->arena, hn_xml, 1);
  if (!node || !take_attributes(r, node, pairs)) {
    out_of_memory(r);
    return;
  }
  hn_source place = here(r);
  node->file = r->file;
  node->line = place.line;
  node->column = place.column;
  node->name = hn_arena_copy_string(r->arena, name);
  node->text = "";
  node->parent = r->top;
  if (!node->name) {
    out_of_memory(r);
    return;
  }
  if (!r->top) {
    r->root = node;
  } else if (r->top->last) {
    r->top->last->next = node;
    r->top->last = node;
  } else {
    r->top->first = r->top->last = node;
  }
  r->top = node;
}

static void XMLCALL close_element(void *context, const XML_Char *name) {
  reader *r = context;
  (void)name;
  if (r->status) return;
  close_text(r);
  r->depth--;
  if (r->top) r->top = r->top->parent;
}

static void XMLCALL refuse_doctype(void *context, const XML_Char *name, const XML_Char *system,
                                   const XML_Char *public_name, int has_internal) {
  reader *r = context;
  hn_source place = here(r);
  (void)name, (void)system, (void)public_name, (void)has_internal;
  hn_fail(r->error, HN_ERROR_SYNTAX, &place, "<!DOCTYPE>",
          "Remove the document type and replace entities by their values.",
          "is not supported: document types and entities are not allowed");
  stop(r, HN_ERROR_SYNTAX);
}

// The name of the closing tag that expat stopped at, into `name`.
static const char *wrong_end(const reader *r, size_t size, char *name, size_t room) {
  long at = (long)XML_GetCurrentByteIndex(r->parser);
  size_t from = at > 0 ? (size_t)at : 0, n = 0;
  while (from < size && (r->source[from] == '<' || r->source[from] == '/')) from++;
  while (from + n < size && n + 1 < room && !is_blank(r->source[from + n]) &&
         r->source[from + n] != '>')
    n++;
  memcpy(name, r->source + from, n);
  name[n] = '\0';
  return name;
}

static hn_status fail_syntax(reader *r, size_t size) {
  enum XML_Error code = XML_GetErrorCode(r->parser);
  hn_source place = here(r);
  char element[128], name[64];
  if (code == XML_ERROR_NO_MEMORY)
    return hn_fail(r->error, HN_ERROR_MEMORY, NULL, NULL, "Close other programs.",
                   "'%s' does not fit into memory", r->file);
  if (!r->top)
    return hn_fail(r->error, HN_ERROR_SYNTAX, &place, NULL,
                   "Use a URDF, SDF or MJCF file: XML with the root <robot>, <sdf> or <mujoco>.",
                   "the file is not well-formed XML: %s", XML_ErrorString(code));
  hn_text(element, sizeof element, "<%.60s>", r->top->name);
  if (code == XML_ERROR_TAG_MISMATCH)
    return hn_fail(r->error, HN_ERROR_SYNTAX, &place, element,
                   "Write a closing tag of the same name.",
                   "opened in line %d is closed as </%s>: the file is not well-formed",
                   r->top->line, wrong_end(r, size, name, sizeof name));
  return hn_fail(r->error, HN_ERROR_SYNTAX, &place, element, "Fix the XML there.",
                 "opened in line %d is not well-formed: %s", r->top->line, XML_ErrorString(code));
}

static int is_same_word(const char *a, const char *b) {
  while (*a && tolower((unsigned char)*a) == tolower((unsigned char)*b)) a++, b++;
  return *a == *b;
}

// Names of ASCII that expat does not know: seven bits, and anything else is no character.
static int take_encoding(void *context, const XML_Char *name, XML_Encoding *info) {
  static const char *const names[] = {"ASCII", "ANSI_X3.4-1968", "ISO646-US", "646"};
  (void)context;
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    if (!is_same_word(name, names[k])) continue;
    for (int c = 0; c < 256; c++) info->map[c] = c < 128 ? c : -1;
    info->data = NULL;
    info->convert = NULL;
    info->release = NULL;
    return XML_STATUS_OK;
  }
  return XML_STATUS_ERROR;
}

hn_status hn_xml_parse(hn_arena *arena, const char *text, size_t size, const char *file,
                       hn_xml **root, hn_error *error) {
  reader r = {.arena = arena, .source = text, .error = error};
  *root = NULL;
  r.file = hn_arena_copy_string(arena, file);
  hn_source whole = {r.file, 0, 0};
  if (size > HN_XML_SIZE)
    return hn_fail(error, HN_ERROR_LIMIT, &whole, NULL, "Split the model.",
                   "the file is larger than %zu MB, the limit", HN_XML_SIZE >> 20);
  r.parser = r.file ? XML_ParserCreate(NULL) : NULL;
  if (!r.parser)
    return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, "Close other programs.",
                   "'%s' does not fit into memory", file);
  XML_SetUserData(r.parser, &r);
  XML_SetElementHandler(r.parser, open_element, close_element);
  XML_SetCharacterDataHandler(r.parser, take_text);
  XML_SetStartDoctypeDeclHandler(r.parser, refuse_doctype);
  XML_SetUnknownEncodingHandler(r.parser, take_encoding, NULL);
  enum XML_Status parsed = XML_Parse(r.parser, text, (int)size, 1);
  if (!r.status && parsed != XML_STATUS_OK) r.status = fail_syntax(&r, size);
  XML_ParserFree(r.parser);
  if (!r.status) *root = r.root;
  return r.status;
}

#else

hn_status hn_xml_parse(hn_arena *arena, const char *text, size_t size, const char *file,
                       hn_xml **root, hn_error *error) {
  hn_source whole = {file, 0, 0};
  (void)arena, (void)text, (void)size;
  *root = NULL;
  return hn_fail(error, HN_ERROR_UNSUPPORTED, &whole, NULL,
                 "Install expat (scripts/install-packages run) and build again.",
                 "XML is not supported: this build has no expat");
}

#endif
