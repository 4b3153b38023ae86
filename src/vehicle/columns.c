// Tables of numbers: one pass to count, one to read.
#include "vehicle/columns.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "math/expression.h"

hn_quote hn_quote_of(const char *text, size_t length) {
  hn_quote quote = {""};
  size_t n = 0;
  for (size_t k = 0; k < length && n < 40; k++)
    quote.text[n++] = text[k] >= ' ' && text[k] <= '~' ? text[k] : '?';
  return quote;
}

void hn_copy_upper(char *to, size_t room, const char *from, size_t length) {
  while (length > 0 && strchr(" \t\r'\"", *from)) from++, length--;
  while (length > 0 && strchr(" \t\r'\"", from[length - 1])) length--;
  size_t n = 0;
  for (; n < length && n + 1 < room; n++) {
    char c = from[n];
    to[n] = c < ' ' || c > '~' ? '?' : c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
  }
  to[n] = '\0';
}

size_t hn_signed_number(const char *text, size_t length, double *value) {
  size_t at = 0;
  while (at < length && (text[at] == ' ' || text[at] == '\t')) at++;
  int minus = at < length && text[at] == '-';
  if (at < length && (text[at] == '-' || text[at] == '+')) at++;
  size_t read = hn_number_read(text + at, length - at, value);
  if (read == 0) return 0;
  if (minus) *value = -*value;
  return at + read;
}

// ---- lines and fields ---------------------------------------------------------------------------

typedef struct reader {
  const char *at, *end, *file;
  int line;
  int may_be_empty; // fields
  hn_error *error;
} reader;

static int is_separator(char c) { return c == ',' || c == ';' || c == '\t'; }
static int is_blank(char c) { return c == ' ' || c == '\r'; }

// The next line that says something; 0 at the end.
static int next_line(reader *r, const char **start, const char **stop) {
  while (r->at < r->end) {
    const char *from = r->at, *to = memchr(from, '\n', (size_t)(r->end - from));
    if (!to) to = r->end;
    r->at = to < r->end ? to + 1 : to;
    r->line++;
    while (from < to && is_blank(*from)) from++;
    while (to > from && is_blank(to[-1])) to--;
    if (from == to || *from == '#') continue;
    *start = from;
    *stop = to;
    return 1;
  }
  return 0;
}

// The field at *at, blanks and quotes around it cut off; *at moves behind its separator, to null
// at the end.
static void next_field(const char **at, const char *stop, const char **field, size_t *length) {
  const char *from = *at, *to = from;
  while (to < stop && !is_separator(*to)) to++;
  *at = to < stop ? to + 1 : NULL;
  while (from < to && (is_blank(*from) || *from == '"')) from++;
  while (to > from && (is_blank(to[-1]) || to[-1] == '"')) to--;
  *field = from;
  *length = (size_t)(to - from);
}

static int count_fields(const char *start, const char *stop) {
  int count = 1;
  for (const char *c = start; c < stop; c++) count += is_separator(*c);
  return count;
}

static hn_status fail(const reader *r, const char *hint, const char *what, hn_quote detail) {
  hn_source at = {r->file, r->line, 1};
  return hn_fail(r->error, HN_ERROR_SYNTAX, &at, NULL, hint, what, detail.text);
}

static hn_status read_names(reader *r, hn_arena *arena, const char *start, const char *stop,
                            hn_columns *out) {
  out->names = HN_TAKE(arena, char *, out->count);
  const char *at = start;
  for (int k = 0; k < out->count && out->names && at; k++) {
    const char *field;
    size_t length;
    next_field(&at, stop, &field, &length);
    hn_quote name = hn_quote_of(field, length);
    out->names[k] = hn_arena_copy_string(arena, name.text);
  }
  return arena->failed ? hn_fail(r->error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory")
                       : HN_OK;
}

static hn_status read_row(reader *r, const char *start, const char *stop, int count, double *out) {
  const char *at = start;
  const int given = count_fields(start, stop);
  if (r->may_be_empty ? given > count : given != count)
    return fail(r, "Write one number per column of the first line.",
                "the line '%s' has a different number of fields than the table",
                hn_quote_of(start, (size_t)(stop - start)));
  for (int k = 0; k < count; k++) {
    const char *field;
    size_t length;
    out[k] = NAN;
    if (k >= given) continue;
    next_field(&at, stop, &field, &length);
    if (length == 0 && r->may_be_empty) continue;
    if (length == 0 || hn_signed_number(field, length, &out[k]) != length || !isfinite(out[k]))
      return fail(r, "Write decimal numbers such as 0.05 or 1e-3.", "'%s' is not a finite number",
                  hn_quote_of(field, length));
  }
  return HN_OK;
}

static long count_lines(reader r) {
  long lines = 0;
  const char *start, *stop;
  while (next_line(&r, &start, &stop)) lines++;
  return lines;
}

static hn_status read_table(reader r, hn_arena *arena, size_t size, int has_names, hn_columns *out,
                            hn_error *error) {
  *out = (hn_columns){0};
  const char *start, *stop;
  reader first = r;
  if (!next_line(&first, &start, &stop))
    return fail(&r, "Write the column names into the first line.", "the table is empty%s",
                hn_quote_of("", 0));
  out->count = count_fields(start, stop);
  if (out->count > HN_COLUMNS_MOST)
    if (has_names)
      return fail(&first, "Remove columns.", "the table has more than 64 columns%s",
                  hn_quote_of("", 0));
  long rows = count_lines(r) - has_names;
  if (has_names) {
    r = first;
    hn_status status = read_names(&r, arena, start, stop, out);
    if (status != HN_OK) return status;
  }
  // every number takes a character and one behind it: with fewer, a row is found that is too short
  long fitting = r.may_be_empty ? rows : (long)((size / 2 + 1) / (size_t)out->count) + 1;
  if (rows > fitting) rows = fitting;
  out->values = HN_TAKE(arena, double, (size_t)rows *(size_t)out->count);
  if (!out->values)
    return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory for a table");
  while (out->rows < rows && next_line(&r, &start, &stop)) {
    hn_status status = read_row(&r, start, stop, out->count, &out->values[out->rows * out->count]);
    if (status != HN_OK) return status;
    out->rows++;
  }
  return HN_OK;
}

hn_status hn_columns_read(hn_arena *arena, const char *text, size_t size, const char *file,
                          int has_names, hn_columns *out, hn_error *error) {
  const reader r = {.at = text, .end = text + size, .file = file, .error = error};
  return read_table(r, arena, size, has_names, out, error);
}

hn_status hn_columns_read_open(hn_arena *arena, const char *text, size_t size, const char *file,
                               hn_columns *out, hn_error *error) {
  const reader r = {
      .at = text, .end = text + size, .file = file, .may_be_empty = 1, .error = error};
  return read_table(r, arena, size, 1, out, error);
}

int hn_columns_find(const hn_columns *columns, const char *name) {
  for (int k = 0; columns->names && k < columns->count; k++)
    if (strcmp(columns->names[k], name) == 0) return k;
  return -1;
}
