// Comma separated values: line 1 names beginning with `time`, line 2 units, then a row a line,
// every number with 17 digits so that it reads back to the same bits.
//
// The reader also takes tables of other origin: separators ; or tab, quoted cells, CR LF, a byte
// order mark, quotes inside cells (5" pipe), lines beginning with '#', empty cells (NaN), no line of
// units. The first column is time whatever its name.
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "math/expression.h"
#include "output/store.h"

// ---- writing ------------------------------------------------------------------------------------

static void write_cell(hn_file *file, const char *text) {
  if (!strpbrk(text, ",\"\r\n")) {
    hn_file_text(file, text);
    return;
  }
  hn_file_text(file, "\"");
  for (const char *c = text; *c; c++)
    hn_file_write(file, *c == '"' ? "\"\"" : c, *c == '"' ? 2 : 1);
  hn_file_text(file, "\"");
}

static void write_head(hn_file *file, const char *first, const char *const *cells, int count) {
  hn_file_text(file, first);
  for (int k = 0; k < count; k++) {
    hn_file_text(file, ",");
    write_cell(file, cells[k]);
  }
  hn_file_text(file, "\n");
}

hn_status hn_csv_begin(hn_csv_writer *w, const hn_results *r, const char *path, int with_units,
                       hn_error *error) {
  hn_status status = hn_file_create(&w->file, path, error);
  if (status) return status;
  write_head(&w->file, "time", r->names, r->signal_count);
  if (with_units) write_head(&w->file, "s", r->units, r->signal_count);
  return HN_OK;
}

void hn_csv_rows(hn_csv_writer *w, const hn_results *r) {
  char text[HN_NUMBER_TEXT];
  for (int row = 0; row < r->row_count; row++) {
    for (int c = 0; c <= r->signal_count; c++) {
      if (c > 0) hn_file_text(&w->file, ",");
      hn_file_text(&w->file,
                   hn_number_text(text, r->data[(size_t)c * (size_t)r->room + (size_t)row]));
    }
    hn_file_text(&w->file, "\n");
  }
}

hn_status hn_csv_finish(hn_csv_writer *w, hn_error *error) {
  return hn_file_finish(&w->file, error);
}

void hn_csv_abandon(hn_csv_writer *w) { hn_file_abandon(&w->file); }

hn_status hn_results_write_csv(const hn_results *r, const char *path, int with_units,
                               hn_error *error) {
  hn_csv_writer writer;
  hn_status status = hn_csv_begin(&writer, r, path, with_units, error);
  if (status) return status;
  hn_csv_rows(&writer, r);
  return hn_csv_finish(&writer, error);
}

// ---- reading ------------------------------------------------------------------------------------

typedef struct csv_reader {
  const char *path;
  char *at;  // the rest of the line; cells are cut and unquoted in place
  char *end; // of the text, an end mark
  char separator;
  int line;
  hn_error *error;
} csv_reader;

typedef struct csv_cell {
  char *text;
  size_t length;
  int column; // in its line, from 1
} csv_cell;

static hn_status complain(const csv_reader *c, int column, const char *hint, const char *message,
                          const char *detail) {
  hn_source source = {c->path, c->line, column};
  return hn_fail(c->error, HN_ERROR_SYNTAX, &source, NULL, hint, "%s%s", message, detail);
}

// The next line with something on it, cut off at its end; null at the end of the file.
static char *next_line(csv_reader *c) {
  while (c->at < c->end) {
    char *line = c->at, *stop = memchr(line, '\n', (size_t)(c->end - line));
    if (!stop) stop = c->end;
    c->at = stop < c->end ? stop + 1 : stop;
    c->line++;
    while (stop > line && (stop[-1] == '\r' || stop[-1] == ' ')) stop--;
    *stop = '\0';
    size_t blank = strspn(line, " \t");
    if (line[blank] != '\0' && line[blank] != '#') return line;
  }
  return NULL;
}

// Where the cell at p ends: on its separator or on the end mark. The one place that says what
// quotes do: they count only where a cell starts with one, so that 5" is a name like any other.
// *quoted: p is at the first quote; *closed: past the last one, null without any.
static const char *cell_end(char separator, const char *p, int *quoted, const char **closed) {
  *quoted = *p == '"';
  *closed = NULL;
  if (*quoted) {
    for (p++; *p && !*closed; p++) { // a doubled quote is one quote
      if (*p != '"') continue;
      if (p[1] == '"')
        p++;
      else
        *closed = p + 1;
    }
    if (!*closed) return p;
    p = *closed;
  }
  while (*p && *p != separator) p++;
  return p;
}

static const char *skip_blanks(char separator, const char *p) {
  while (*p == ' ' || (*p == '\t' && separator != '\t')) p++;
  return p;
}

static int count_cells(char separator, const char *line) {
  for (int count = 1, quoted;; count++) {
    const char *closed, *end = cell_end(separator, skip_blanks(separator, line), &quoted, &closed);
    if (!*end || count == INT_MAX) return count;
    line = end + 1;
  }
}

// Cuts the next cell off *line; *line is null after the last one. Quotes must be closed, and may be
// followed only by blanks.
static hn_status next_cell(const csv_reader *c, const char *start, char **line, csv_cell *cell) {
  char *p = *line + (skip_blanks(c->separator, *line) - *line), *out = p;
  int quoted;
  const char *closed, *stop = cell_end(c->separator, p, &quoted, &closed);
  char *end = p + (stop - p);
  cell->column = (int)(p - start) + 1;
  cell->text = p;
  *line = *end ? end + 1 : NULL;
  if (!quoted) {
    out = end;
    while (out > p && (out[-1] == ' ' || (out[-1] == '\t' && c->separator != '\t'))) out--;
  } else if (!closed || skip_blanks(c->separator, closed) != stop) {
    return complain(c, cell->column, "Write a quote inside quotes twice: \"5\"\" pipe\".",
                    closed ? "text follows the closing quote of a cell"
                           : "the quote that opens here is not closed on this line",
                    "");
  } else {
    for (p++; p < closed - 1; p++) {
      if (*p == '"') p++;
      *out++ = *p;
    }
  }
  cell->length = (size_t)(out - cell->text);
  *out = '\0';
  return HN_OK;
}

static int read_number(const csv_cell *cell, double *value) {
  const char *text = cell->text;
  size_t length = cell->length;
  double sign = 1;
  for (; length > 0 && *text == ' '; length--) text++; // inside quotes
  const int is_empty = length == 0;
  if (length > 0 && (*text == '-' || *text == '+')) {
    sign = *text == '-' ? -1 : 1;
    text++;
    length--;
  }
  *value = NAN;
  if (is_empty || (length == 3 && (!strcmp(text, "nan") || !strcmp(text, "NaN")))) return 1;
  if ((length == 3 && !strcmp(text, "inf")) || (length == 8 && !strcmp(text, "Infinity"))) {
    *value = sign * HUGE_VAL;
    return 1;
  }
  double size;
  if (length == 0 || hn_number_read(text, length, &size) != length) return 0;
  *value = sign * size;
  return 1;
}

// The first of , ; tab on the line outside quotes.
static char separator_of(const char *line) {
  static const char separators[] = ",;\t";
  size_t best = sizeof separators - 1;
  int begins = 1, quoted;
  for (const char *p = line; *p; p++) {
    const char *found = strchr(separators, *p), *closed;
    if (found && (size_t)(found - separators) < best) best = (size_t)(found - separators);
    if (begins && *p == '"') {
      cell_end('\0', p, &quoted, &closed);
      if (closed) p = closed - 1;
    }
    begins = found || (begins && *p == ' ');
  }
  return separators[best] ? separators[best] : ',';
}

static hn_status out_of_memory(const csv_reader *c) {
  return hn_fail(c->error, HN_ERROR_MEMORY, NULL, NULL, NULL,
                 "%s does not fit in memory. Read a smaller file", c->path);
}

static hn_status read_names(csv_reader *c, hn_results **results) {
  char *line = next_line(c), *start = line;
  if (!line)
    return complain(c, 0, "Name the columns in line 1, time first.", "the file is empty", "");
  c->separator = separator_of(line);
  hn_results *r = *results = hn_results_new(count_cells(c->separator, line) - 1);
  if (!r) return out_of_memory(c);
  for (int k = -1; line && k < r->signal_count; k++) {
    csv_cell cell;
    double number;
    hn_status status = next_cell(c, start, &line, &cell);
    if (status) return status;
    if (cell.length > 0 && read_number(&cell, &number))
      return complain(c, cell.column, "Put a line of names first: time,x,y.",
                      "expected a column name, found the number ", cell.text);
    if (k < 0) continue; // the first is time
    r->names[k] = hn_arena_copy_string(&r->arena, cell.text);
    r->units[k] = "";
  }
  return r->arena.failed ? out_of_memory(c) : HN_OK;
}

// 1 when no cell of the line is text, as far as can be seen in its first bytes. The line stays whole.
static int is_number_at(const csv_reader *c, const char *at, int *is_empty, const char **end) {
  char copy[64];
  int quoted;
  const char *closed;
  at = skip_blanks(c->separator, at);
  *end = cell_end(c->separator, at, &quoted, &closed);
  size_t length = (size_t)(*end - at);
  *is_empty = length == 0;
  if (length >= sizeof copy) return !quoted;
  memcpy(copy, at, length);
  copy[length] = '\0';
  csv_reader quiet = *c;
  quiet.error = NULL;
  char *cut = copy;
  csv_cell cell;
  double number;
  return next_cell(&quiet, copy, &cut, &cell) != HN_OK || read_number(&cell, &number);
}

// Whether the line starts like a number: no unit of time does, so it is a malformed number.
static int begins_as_number(const csv_reader *c, const char *line) {
  line = skip_blanks(c->separator, line);
  line += strspn(line, "\"+-.");
  return *line >= '0' && *line <= '9';
}

// The second line has units if its first cell is text, or is empty and another one is text.
static int is_line_of_units(const csv_reader *c, const char *line) {
  int is_first_empty = 0;
  if (begins_as_number(c, line)) return 0;
  for (int k = 0;; k++) {
    int is_empty;
    const char *end;
    if (!is_number_at(c, line, &is_empty, &end)) return 1;
    if (k == 0) is_first_empty = is_empty;
    if (!is_first_empty || !*end) return 0;
    line = end + 1;
  }
}

static hn_status read_units(const csv_reader *c, char *line, hn_results *r) {
  char *start = line;
  for (int k = -1; line && k < r->signal_count; k++) {
    csv_cell cell;
    hn_status status = next_cell(c, start, &line, &cell);
    if (status) return status;
    if (k >= 0) r->units[k] = hn_arena_copy_string(&r->arena, cell.text);
  }
  return r->arena.failed ? out_of_memory(c) : HN_OK;
}

static hn_status read_row(const csv_reader *c, char *line, hn_results *r) {
  char *start = line;
  int row = hn_results_add_row(r), column = 0;
  if (row < 0) return out_of_memory(c);
  for (; line && column <= r->signal_count; column++) {
    csv_cell cell;
    hn_status status = next_cell(c, start, &line, &cell);
    if (status) return status;
    if (!read_number(&cell, hn_results_cell(r, column, row)))
      return complain(c, cell.column, "Write numbers with a decimal point; nan for no value.",
                      "this is not a number: ", cell.text);
  }
  if (column == r->signal_count + 1 && !line) return HN_OK;
  char detail[64];
  hn_text(detail, sizeof detail, "%d cells, line 1 has %d",
          line ? column + count_cells(c->separator, line) : column, r->signal_count + 1);
  return complain(c, 1, "Give every line a cell for each column.", "this line has ", detail);
}

static hn_status read_table(csv_reader *c, hn_results **results) {
  hn_status status = read_names(c, results);
  if (status) return status;
  char *line = next_line(c);
  if (line && is_line_of_units(c, line)) {
    status = read_units(c, line, *results);
    line = next_line(c);
  }
  for (; line && !status; line = next_line(c)) status = read_row(c, line, *results);
  if (!status) hn_results_sort_names(*results);
  return status;
}

hn_status hn_results_parse_csv(char *data, size_t size, const char *path, hn_results **results,
                               hn_error *error) {
  *results = NULL;
  size_t mark = size >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
  csv_reader reader = {path, data + mark, data + size, ',', 0, error};
  hn_status status = memchr(data, '\0', size)
                         ? complain(&reader, 0, "Give a text file, or an HDF5 file named .h5.",
                                    "this is not a table of text", "")
                         : read_table(&reader, results);
  if (!status) return HN_OK;
  hn_results_free(*results);
  *results = NULL;
  return status;
}

hn_status hn_results_read_csv(const char *path, hn_results **results, hn_error *error) {
  char *data;
  size_t size;
  *results = NULL;
  hn_status status = hn_file_read_text(path, &data, &size, error);
  if (status) return status;
  status = hn_results_parse_csv(data, size, path, results, error);
  hn_release(NULL, data);
  return status;
}
