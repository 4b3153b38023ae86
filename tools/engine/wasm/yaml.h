// The part of libyaml's interface that src/formats/tree_yaml.c uses, answered by JavaScript (parse.c).
#ifndef HOLON_ENGINE_YAML_H
#define HOLON_ENGINE_YAML_H

#include <stddef.h>

typedef struct yaml_mark_t {
  size_t line, column; // from 0
} yaml_mark_t;

typedef enum {
  YAML_NO_ERROR,
  YAML_MEMORY_ERROR,
  YAML_READER_ERROR,
  YAML_PARSER_ERROR
} yaml_error_t;
typedef enum { YAML_UTF8_ENCODING } yaml_encoding_t;

// In the order of viewer/engine/parse.ts.
typedef enum {
  YAML_NO_EVENT,
  YAML_STREAM_START_EVENT,
  YAML_STREAM_END_EVENT,
  YAML_DOCUMENT_START_EVENT,
  YAML_DOCUMENT_END_EVENT,
  YAML_ALIAS_EVENT,
  YAML_SCALAR_EVENT,
  YAML_SEQUENCE_START_EVENT,
  YAML_SEQUENCE_END_EVENT,
  YAML_MAPPING_START_EVENT,
  YAML_MAPPING_END_EVENT
} yaml_event_type_t;

typedef enum {
  YAML_PLAIN_SCALAR_STYLE,
  YAML_SINGLE_QUOTED_SCALAR_STYLE,
  YAML_DOUBLE_QUOTED_SCALAR_STYLE,
  YAML_LITERAL_SCALAR_STYLE,
  YAML_FOLDED_SCALAR_STYLE
} yaml_scalar_style_t;

typedef struct yaml_event_t {
  yaml_event_type_t type;
  yaml_mark_t start_mark;
  union {
    struct {
      const char *anchor, *tag;
      const unsigned char *value;
      size_t length;
      yaml_scalar_style_t style;
    } scalar;
    struct {
      const char *anchor, *tag;
    } sequence_start, mapping_start;
  } data;
} yaml_event_t;

typedef struct yaml_parser_t {
  yaml_error_t error;
  const char *problem, *context;
  yaml_mark_t problem_mark, context_mark;
  size_t problem_offset;
  const unsigned char *text;
  size_t size;
  char *records, *next; // of parse.c
} yaml_parser_t;

int yaml_parser_initialize(yaml_parser_t *parser);
void yaml_parser_set_input_string(yaml_parser_t *parser, const unsigned char *text, size_t size);
void yaml_parser_set_encoding(yaml_parser_t *parser, yaml_encoding_t encoding);
int yaml_parser_parse(yaml_parser_t *parser, yaml_event_t *event);
void yaml_event_delete(yaml_event_t *event);
void yaml_parser_delete(yaml_parser_t *parser);

#endif
