// Comma separated values: line 1 names beginning with `time`, line 2 units, then a row a line,
// every number with 17 digits so that it reads back to the same bits.
//
// The reader also takes tables of other origin: separators ; or tab, quoted cells, CR LF, a byte
// order mark, lines beginning with '#', empty cells (NaN), no line of units. The first column is
// time whatever its name.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "math/expression.h"
#include "results/file.h"
#include "results/store.h"

// ---- writing
// --------------------------------------------------------------------------------------

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

hn_status hn_results_write_csv(const hn_results *r, const char *path, int with_units,
                               hn_error *error) {
  hn_file file;
  hn_status status = hn_file_create(&file, path, error);
  if (status) return status;
  write_head(&file, "time", r->names, r->signal_count);
  if (with_units) write_head(&file, "s", r->units, r->signal_count);
  char text[HN_NUMBER_TEXT];
  for (int row = 0; row < r->row_count; row++) {
    for (int c = 0; c <= r->signal_count; c++) {
      if (c > 0) hn_file_text(&file, ",");
      hn_file_text(&file, hn_number_text(text, r->data[(size_t)c * (size_t)r->room + (size_t)row]));
    }
    hn_file_text(&file, "\n");
  }
  return hn_file_finish(&file, error);
}

// ---- reading
// --------------------------------------------------------------------------------------

typedef struct csv_reader {
  const char *path;
  char *at;  // what is left; cells are cut and unquoted in place
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

// Cuts the next cell off *line; 0 when there is none left (*line null).
static int next_cell(const csv_reader *c, const char *start, char **line, csv_cell *cell) {
  char *p = *line;
  if (!p) return 0;
  while (*p == ' ') p++;
  cell->column = (int)(p - start) + 1;
  cell->text = p;
  char *out = p;
  int quoted = *p == '"';
  if (quoted) {
    for (p++; *p; p++) { // a doubled quote is one quote
      if (*p == '"' && p[1] != '"') break;
      if (*p == '"') p++;
      *out++ = *p;
    }
    if (*p == '"') p++;
    while (*p && *p != c->separator) p++;
  } else {
    while (*p && *p != c->separator) p++;
    out = p;
    while (out > cell->text && (out[-1] == ' ' || (out[-1] == '\t' && c->separator != '\t'))) out--;
  }
  *line = *p ? p + 1 : NULL;
  cell->length = (size_t)(out - cell->text);
  *out = '\0';
  return 1;
}

static int read_number(const csv_cell *cell, double *value) {
  const char *text = cell->text;
  size_t length = cell->length;
  double sign = 1;
  if (length > 0 && (*text == '-' || *text == '+')) {
    sign = *text == '-' ? -1 : 1;
    text++;
    length--;
  }
  *value = NAN;
  if (cell->length == 0 || (length == 3 && (!strcmp(text, "nan") || !strcmp(text, "NaN"))))
    return 1;
  if ((length == 3 && !strcmp(text, "inf")) || (length == 8 && !strcmp(text, "Infinity"))) {
    *value = sign * HUGE_VAL;
    return 1;
  }
  double size;
  if (length == 0 || hn_number_read(text, length, &size) != length) return 0;
  *value = sign * size;
  return 1;
}

static int count_cells(const csv_reader *c, const char *line) {
  int count = 1, quoted = 0;
  for (const char *p = line; *p; p++) {
    if (*p == '"') quoted = !quoted;
    if (*p == c->separator && !quoted) count++;
  }
  return count;
}

static char separator_of(const char *line) {
  return strchr(line, ',') ? ',' : strchr(line, ';') ? ';' : strchr(line, '\t') ? '\t' : ',';
}

static hn_status out_of_memory(const csv_reader *c) {
  return hn_fail(c->error, HN_ERROR_MEMORY, NULL, NULL, NULL, "%s does not fit in memory", c->path);
}

static hn_status read_names(csv_reader *c, hn_results **results) {
  char *line = next_line(c), *start = line;
  if (!line)
    return complain(c, 0, "Line 1 names the columns, beginning with time.", "the file is empty",
                    "");
  c->separator = separator_of(line);
  hn_results *r = *results = hn_results_new(count_cells(c, line) - 1);
  if (!r) return out_of_memory(c);
  csv_cell cell;
  double number;
  for (int k = -1; next_cell(c, start, &line, &cell); k++) {
    if (cell.length > 0 && read_number(&cell, &number))
      return complain(c, cell.column, "Put a line of names first: time,x,y.",
                      "a number stands where a column's name should be: ", cell.text);
    if (k < 0 || k >= r->signal_count) continue; // the first is time
    r->names[k] = hn_arena_copy_string(&r->arena, cell.text);
    r->units[k] = "";
  }
  return r->arena.failed ? out_of_memory(c) : HN_OK;
}

// Units stand on the second line when its first cell is not a number: 1 and filled, else 0.
static int read_units(const csv_reader *c, char *line, hn_results *r) {
  char *start = line, *probe = line;
  csv_cell cell;
  double number;
  char first[64];
  size_t length = strcspn(probe, (char[]){c->separator, '\0'});
  if (length >= sizeof first) return 0;
  memcpy(first, probe, length);
  first[length] = '\0';
  char *cut = first;
  if (!next_cell(c, first, &cut, &cell) || read_number(&cell, &number)) return 0;
  for (int k = -1; next_cell(c, start, &line, &cell); k++)
    if (k >= 0 && k < r->signal_count) r->units[k] = hn_arena_copy_string(&r->arena, cell.text);
  return 1;
}

static hn_status read_row(const csv_reader *c, char *line, hn_results *r) {
  char *start = line;
  int row = hn_results_add_row(r), column = 0;
  if (row < 0) return out_of_memory(c);
  csv_cell cell;
  while (column <= r->signal_count && next_cell(c, start, &line, &cell)) {
    if (!read_number(&cell, hn_results_cell(r, column, row)))
      return complain(c, cell.column, "Write numbers with a decimal point; nan for no value.",
                      "this is not a number: ", cell.text);
    column++;
  }
  if (column == r->signal_count + 1 && !line) return HN_OK;
  char detail[64];
  hn_text(detail, sizeof detail, "%d cells, line 1 has %d",
          line ? column + count_cells(c, line) : column, r->signal_count + 1);
  return complain(c, 1, "Give every row a cell for each column.", "the row has ", detail);
}

static hn_status read_table(csv_reader *c, hn_results **results) {
  hn_status status = read_names(c, results);
  if (status) return status;
  char *line = next_line(c);
  if (line && read_units(c, line, *results)) line = next_line(c);
  if ((*results)->arena.failed) return out_of_memory(c);
  for (; line && !status; line = next_line(c)) status = read_row(c, line, *results);
  hn_results_sort_names(*results);
  return status;
}

hn_status hn_results_read_csv(const char *path, hn_results **results, hn_error *error) {
  char *data;
  size_t size;
  *results = NULL;
  hn_status status = hn_file_read(path, &data, &size, error);
  if (status) return status;
  size_t mark = size >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
  csv_reader reader = {path, data + mark, data + size, ',', 0, error};
  status = memchr(data, '\0', size)
               ? complain(&reader, 0, "Give a text file, or an HDF5 file named .h5.",
                          "this is not a table of text", "")
               : read_table(&reader, results);
  hn_release(NULL, data);
  if (status) {
    hn_results_free(*results);
    *results = NULL;
  }
  return status;
}
