// From YAML text to a tree, through the events of libyaml.
//
// The parser of libyaml is not recursive and neither is this. Anchors, aliases, tags and a second
// document are rejected. Out of scope: what the nodes mean.
#include <string.h>
#include <yaml.h>

#include "base/error.h"
#include "formats/text_file.h"
#include "formats/tree_build.h"
#include "formats/unit.h"

typedef struct yaml_reader {
  hn_tree_builder *tree;
  yaml_parser_t parser;
  int documents;
} yaml_reader;

static hn_tree_place place_of(yaml_mark_t mark) {
  return (hn_tree_place){(int)mark.line + 1, (int)mark.column + 1};
}

// ---- errors -------------------------------------------------------------------------------------

// The byte offset of the start of a line (from 0). Marks count characters, not bytes.
static size_t line_start(const yaml_reader *r, size_t line) {
  size_t at = 0;
  for (; line > 0 && at < r->tree->size; at++) line -= r->tree->text[at] == '\n';
  return at;
}

static size_t offset_of(const yaml_reader *r, yaml_mark_t mark) {
  size_t at = line_start(r, mark.line);
  for (size_t column = mark.column; column > 0 && at < r->tree->size; column--) {
    at++;
    while (at < r->tree->size && ((unsigned char)r->tree->text[at] & 0xC0) == 0x80) at++;
  }
  return at;
}

// The byte at a place of the text, or 0 past the end.
static char byte_at(const yaml_reader *r, yaml_mark_t mark) {
  size_t at = offset_of(r, mark);
  return at < r->tree->size ? r->tree->text[at] : '\0';
}

// Whether a unit follows a list: [50, 0, 0] mm.
static int follows_list(const yaml_reader *r, yaml_mark_t mark) {
  size_t at = offset_of(r, mark), length = 0;
  const char *text = r->tree->text;
  while (at + length < r->tree->size &&
         strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", text[at + length]) &&
         text[at + length])
    length++;
  size_t before = at;
  while (before > 0 && text[before - 1] == ' ') before--;
  return length > 0 && before > 0 && text[before - 1] == ']' &&
         hn_unit_find(text + at, length, NULL, NULL);
}

// Whether the blanks at the start of the line hold a tab.
static int tab_before(const yaml_reader *r, yaml_mark_t mark) {
  size_t at = line_start(r, mark.line);
  while (at < r->tree->size && r->tree->text[at] == ' ') at++;
  return at < r->tree->size && r->tree->text[at] == '\t';
}

static const char *syntax_hint(const yaml_reader *r) {
  const yaml_parser_t *p = &r->parser;
  const char *problem = p->problem ? p->problem : "", *context = p->context ? p->context : "";
  if (strstr(context, "flow") && byte_at(r, p->problem_mark) == '{')
    return "Within [ ] and { } a name with {i} needs quotes: [\"link{i}\", ground].";
  if (strstr(context, "flow") && follows_list(r, p->problem_mark))
    return "Write the unit at each number, not after the list: [50 mm, 0, 0].";
  if (strstr(context, "flow"))
    return "Check the commas and the closing bracket; an entry with a colon, comma or bracket in "
           "its text needs quotes.";
  if (strstr(problem, "mapping values"))
    return "Align the keys of one map; put text with a colon and a space into quotes.";
  if (strstr(problem, "end of stream")) return "Add the missing closing quote.";
  if (strstr(problem, "expected ':'")) return "Write map entries as `key: value`.";
  if (strstr(problem, "expected key")) return "Align the keys of one map in the same column.";
  return "Check quotes, brackets and indentation here.";
}

static void parser_failed(yaml_reader *r) {
  const yaml_parser_t *p = &r->parser;
  if (p->error == YAML_MEMORY_ERROR) {
    hn_tree_out_of_memory(r->tree);
    return;
  }
  hn_source place = {r->tree->file, (int)p->problem_mark.line + 1, (int)p->problem_mark.column + 1};
  if (p->error == YAML_READER_ERROR)
    hn_text_locate(r->tree->text, r->tree->size, p->problem_offset, &place.line, &place.column);
  if (byte_at(r, p->problem_mark) == '\t' || tab_before(r, p->problem_mark)) {
    r->tree->status = hn_fail(r->tree->error, HN_ERROR_SYNTAX, &place, NULL, "Indent with spaces.",
                              "not well-formed YAML: a tab where spaces are expected");
    return;
  }
  char since[64] = "";
  if (p->context && p->context_mark.line != p->problem_mark.line)
    hn_text(since, sizeof since, " that started in line %zu", p->context_mark.line + 1);
  r->tree->status =
      hn_fail(r->tree->error, HN_ERROR_SYNTAX, &place, NULL, syntax_hint(r),
              "not well-formed YAML: %s%s%s%s", p->problem ? p->problem : "no reason given",
              p->context ? ", " : "", p->context ? p->context : "", since);
}

// ---- events -------------------------------------------------------------------------------------

static void on_key(hn_tree_builder *b, const yaml_event_t *event) {
  const char *text = (const char *)event->data.scalar.value;
  if (strcmp(text, "<<") == 0)
    hn_tree_refuse(b, place_of(event->start_mark), HN_ERROR_SYNTAX,
                   "Use parameters, `repeat:` or a component for repeated parts.",
                   "merge keys (<<) are not allowed in model files");
  else
    hn_tree_key(b, place_of(event->start_mark), text, event->data.scalar.length);
}

static void on_scalar(hn_tree_builder *b, const yaml_event_t *event) {
  if (hn_tree_awaits_key(b)) {
    on_key(b, event);
    return;
  }
  yaml_scalar_style_t style = event->data.scalar.style;
  int quoted =
      style == YAML_PLAIN_SCALAR_STYLE                                                       ? 0
      : style == YAML_SINGLE_QUOTED_SCALAR_STYLE || style == YAML_DOUBLE_QUOTED_SCALAR_STYLE ? 1
                                                                                             : 2;
  hn_tree_scalar(b, place_of(event->start_mark), (const char *)event->data.scalar.value,
                 event->data.scalar.length, quoted);
}

static void on_start(hn_tree_builder *b, const yaml_event_t *event, hn_node_kind kind) {
  if (hn_tree_awaits_key(b))
    hn_tree_refuse(b, place_of(event->start_mark), HN_ERROR_SYNTAX,
                   "Use a word as key; put a name with {i} within { } into quotes.",
                   "a list or map cannot be a key");
  else
    hn_tree_open(b, place_of(event->start_mark), kind);
}

static int has_anchor_or_tag(const yaml_event_t *event) {
  if (event->type == YAML_SCALAR_EVENT) return event->data.scalar.anchor || event->data.scalar.tag;
  if (event->type == YAML_SEQUENCE_START_EVENT)
    return event->data.sequence_start.anchor || event->data.sequence_start.tag;
  if (event->type == YAML_MAPPING_START_EVENT)
    return event->data.mapping_start.anchor || event->data.mapping_start.tag;
  return event->type == YAML_ALIAS_EVENT;
}

static void on_event(yaml_reader *r, const yaml_event_t *event) {
  hn_tree_builder *b = r->tree;
  if (has_anchor_or_tag(event)) {
    hn_tree_refuse(b, place_of(event->start_mark), HN_ERROR_SYNTAX,
                   "Use parameters, `repeat:` or a component for repeated parts; put text that "
                   "starts with &, * or ! into quotes.",
                   "anchors (&), aliases (*) and tags (!) are not allowed in model files");
    return;
  }
  switch (event->type) {
  case YAML_DOCUMENT_START_EVENT:
    if (++r->documents > 1)
      hn_tree_refuse(b, place_of(event->start_mark), HN_ERROR_SYNTAX,
                     "Move the second one to a separate file.",
                     "a second document (---) in one file");
    break;
  case YAML_SCALAR_EVENT: on_scalar(b, event); break;
  case YAML_SEQUENCE_START_EVENT: on_start(b, event, HN_NODE_LIST); break;
  case YAML_MAPPING_START_EVENT: on_start(b, event, HN_NODE_MAP); break;
  case YAML_SEQUENCE_END_EVENT:
  case YAML_MAPPING_END_EVENT: hn_tree_close(b); break;
  case YAML_NO_EVENT:
  case YAML_STREAM_START_EVENT:
  case YAML_STREAM_END_EVENT:
  case YAML_DOCUMENT_END_EVENT:
  case YAML_ALIAS_EVENT: break;
  }
}

static void run(yaml_reader *r) {
  int done = 0;
  while (!done && !r->tree->status) {
    yaml_event_t event;
    if (!yaml_parser_parse(&r->parser, &event)) {
      parser_failed(r);
      return;
    }
    on_event(r, &event);
    done = event.type == YAML_STREAM_END_EVENT;
    yaml_event_delete(&event);
  }
}

void hn_tree_read_yaml(hn_tree_builder *b) {
  yaml_reader r = {.tree = b};
  if (!yaml_parser_initialize(&r.parser)) {
    hn_tree_out_of_memory(b);
    return;
  }
  yaml_parser_set_input_string(&r.parser, (const unsigned char *)b->text, b->size);
  yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
  run(&r);
  yaml_parser_delete(&r.parser);
}
