// YAML and XML in WebAssembly: JavaScript parses the text (viewer/engine/parse.ts) and returns records;
// here the interfaces of libyaml and expat, as far as the library uses them, hand them out.
//
// A record: type, line, column (from 0), byte offset, flags, length (int32 each), the bytes and a 0,
// filled up to 4. The last one is the end of the stream or an error.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "expat.h"
#include "yaml.h"

enum { LANGUAGE_YAML, LANGUAGE_XML };

// From holon_allocate; null: out of memory.
__attribute__((import_module("holon"), import_name("parse"))) char *
parse_in_host(int language, const char *text, size_t size);

typedef struct record {
  int32_t type, line, column, offset, flags, length;
} record;

static record read_record(const char *at) {
  record r;
  memcpy(&r, at, sizeof r);
  return r;
}

static const char *bytes_of(const char *at) { return at + sizeof(record); }
static char *record_after(char *at) {
  const size_t length = (size_t)read_record(at).length + 1;
  return at + sizeof(record) + ((length + 3) & ~(size_t)3);
}

// ---- YAML ---------------------------------------------------------------------------------------

enum { FLAG_STYLE = 7, FLAG_PROPERTY = 8 }; // anchor or tag
enum { RECORD_ERROR = 99 };                 // its bytes: problem, 0, context

int yaml_parser_initialize(yaml_parser_t *parser) {
  *parser = (yaml_parser_t){0};
  return 1;
}

void yaml_parser_set_input_string(yaml_parser_t *parser, const unsigned char *text, size_t size) {
  parser->text = text;
  parser->size = size;
}

void yaml_parser_set_encoding(yaml_parser_t *parser, yaml_encoding_t encoding) {
  (void)parser, (void)encoding;
}

static int fail_yaml(yaml_parser_t *parser, record r, const char *words) {
  parser->error = YAML_PARSER_ERROR;
  parser->problem = words;
  parser->context = words + strlen(words) + 1;
  if (*parser->context == '\0') parser->context = NULL;
  parser->problem_mark = (yaml_mark_t){(size_t)r.line, (size_t)r.column};
  parser->context_mark = (yaml_mark_t){(size_t)r.flags, 0};
  parser->problem_offset = (size_t)r.offset;
  return 0;
}

int yaml_parser_parse(yaml_parser_t *parser, yaml_event_t *event) {
  *event = (yaml_event_t){0};
  if (!parser->records) {
    parser->records = parse_in_host(LANGUAGE_YAML, (const char *)parser->text, parser->size);
    parser->next = parser->records;
    if (!parser->records) {
      parser->error = YAML_MEMORY_ERROR;
      return 0;
    }
  }
  const record r = read_record(parser->next);
  const char *bytes = bytes_of(parser->next), *property = r.flags & FLAG_PROPERTY ? "" : NULL;
  if (r.type == RECORD_ERROR) return fail_yaml(parser, r, bytes);
  parser->next = record_after(parser->next);
  event->type = (yaml_event_type_t)r.type;
  event->start_mark = (yaml_mark_t){(size_t)r.line, (size_t)r.column};
  if (event->type == YAML_SCALAR_EVENT) {
    event->data.scalar.anchor = property;
    event->data.scalar.value = (const unsigned char *)bytes;
    event->data.scalar.length = (size_t)r.length;
    event->data.scalar.style = (yaml_scalar_style_t)(r.flags & FLAG_STYLE);
  } else if (event->type == YAML_SEQUENCE_START_EVENT) {
    event->data.sequence_start.anchor = property;
  } else if (event->type == YAML_MAPPING_START_EVENT) {
    event->data.mapping_start.anchor = property;
  }
  return 1;
}

void yaml_event_delete(yaml_event_t *event) { (void)event; }
void yaml_parser_delete(yaml_parser_t *parser) { free(parser->records); }

// ---- XML ----------------------------------------------------------------------------------------

enum { XML_RECORD_END, XML_RECORD_OPEN, XML_RECORD_CLOSE, XML_RECORD_TEXT, XML_RECORD_DOCTYPE };
enum { MOST_ATTRIBUTES = 1024 };

struct XML_ParserStruct {
  void *data;
  XML_StartElementHandler start;
  XML_EndElementHandler end;
  XML_CharacterDataHandler text;
  XML_StartDoctypeDeclHandler doctype;
  record now;
  int is_stopped;
  enum XML_Error error;
  char words[256]; // of the error
};

// expat's names of errors belong to no parser; only one is active at a time.
static const char *error_words = "";

XML_Parser XML_ParserCreate(const XML_Char *encoding) {
  (void)encoding;
  return calloc(1, sizeof(struct XML_ParserStruct));
}
void XML_ParserFree(XML_Parser p) {
  free(p);
  error_words = "";
}
void XML_SetUserData(XML_Parser p, void *data) { p->data = data; }
void XML_SetElementHandler(XML_Parser p, XML_StartElementHandler start, XML_EndElementHandler end) {
  p->start = start;
  p->end = end;
}
void XML_SetCharacterDataHandler(XML_Parser p, XML_CharacterDataHandler handler) {
  p->text = handler;
}
void XML_SetStartDoctypeDeclHandler(XML_Parser p, XML_StartDoctypeDeclHandler handler) {
  p->doctype = handler;
}
void XML_SetUnknownEncodingHandler(XML_Parser p, XML_UnknownEncodingHandler handler, void *data) {
  (void)p, (void)handler, (void)data; // texts of JavaScript are Unicode
}
int XML_StopParser(XML_Parser p, int resumable) {
  (void)resumable;
  p->is_stopped = 1;
  return XML_STATUS_OK;
}
enum XML_Error XML_GetErrorCode(XML_Parser p) { return p->error; }
const XML_Char *XML_ErrorString(enum XML_Error code) {
  (void)code;
  return error_words;
}
unsigned long XML_GetCurrentLineNumber(XML_Parser p) { return (unsigned long)p->now.line + 1; }
unsigned long XML_GetCurrentColumnNumber(XML_Parser p) { return (unsigned long)p->now.column; }
long XML_GetCurrentByteIndex(XML_Parser p) { return p->now.offset; }

// name, 0, then key, 0, value, 0 for each attribute
static void open_element(XML_Parser p, const char *bytes) {
  const char *pairs[2 * MOST_ATTRIBUTES + 1], *at = bytes + strlen(bytes) + 1;
  int count = 0;
  for (; at < bytes + p->now.length && count < 2 * MOST_ATTRIBUTES; at += strlen(at) + 1)
    pairs[count++] = at;
  pairs[count & ~1] = NULL;
  p->start(p->data, bytes, pairs);
}

static enum XML_Status fail_xml(XML_Parser p, const char *bytes) {
  p->error = p->now.flags ? XML_ERROR_TAG_MISMATCH : XML_ERROR_SYNTAX;
  strncpy(p->words, bytes, sizeof p->words - 1);
  error_words = p->words;
  return XML_STATUS_ERROR;
}

enum XML_Status XML_Parse(XML_Parser p, const char *text, int size, int is_final) {
  (void)is_final;
  char *records = parse_in_host(LANGUAGE_XML, text, (size_t)size);
  enum XML_Status status = XML_STATUS_OK;
  if (!records) {
    p->error = XML_ERROR_NO_MEMORY;
    return XML_STATUS_ERROR;
  }
  for (char *at = records; !p->is_stopped && status == XML_STATUS_OK; at = record_after(at)) {
    p->now = read_record(at);
    const char *bytes = bytes_of(at);
    if (p->now.type == XML_RECORD_END) break;
    switch (p->now.type) {
    case XML_RECORD_OPEN: open_element(p, bytes); break;
    case XML_RECORD_CLOSE: p->end(p->data, bytes); break;
    case XML_RECORD_TEXT: p->text(p->data, bytes, p->now.length); break;
    case XML_RECORD_DOCTYPE: p->doctype(p->data, bytes, NULL, NULL, 0); break;
    default: status = fail_xml(p, bytes);
    }
  }
  free(records);
  return p->is_stopped ? XML_STATUS_ERROR : status;
}
