// Results on the disk while a run is in progress, for runs that may end from outside: results.npy,
// one array of records with a field for each signal, as numpy.load reads it. Rows are added at the
// end; then the number of rows in the header, which has its place near the front, is written over.
// So at any moment the file is whole up to the number of rows in its header.
//
// The file: magic number, version 3.0, length of the header, a header that is a Python dictionary
// with the units in a comment behind it, padded to 64 bytes, and the numbers row by row, little-
// endian.
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/plain_file.h"
#include "output/store.h"

#define OPENING "{'shape': ("
#define ROWS_WIDTH 12
#define UNITS "# units "

struct hn_results_journal {
  FILE *stream;
  char *path;
  int rows; // written so far
  double *row;
};

// ---- writing ------------------------------------------------------------------------------------

typedef struct text {
  char *data;
  size_t size, room;
  int failed;
} text;

static void add(text *t, const char *data, size_t size) {
  if (t->failed || size > t->room - t->size) {
    size_t room = 2 * (t->size + size) + 256;
    char *larger = t->failed ? NULL : hn_reallocate(NULL, t->data, t->size, room);
    t->failed = larger == NULL;
    if (t->failed) return;
    t->data = larger;
    t->room = room;
  }
  memcpy(t->data + t->size, data, size);
  t->size += size;
}

static void add_word(text *t, const char *word) { add(t, word, strlen(word)); }

// A name as Python writes it.
static void add_field(text *t, const char *name, int is_first) {
  add_word(t, is_first ? "('" : ", ('");
  for (const char *c = name; *c; c++) {
    if (*c == '\'' || *c == '\\') add(t, "\\", 1);
    add(t, c, 1);
  }
  add_word(t, "', '<f8')");
}

static void add_header(text *t, const hn_results *r) {
  static const char blanks[] = "                                                                ";
  add(t, "\x93NUMPY\x03\x00\0\0\0\0", 12);
  add_word(t, OPENING "           0,), 'fortran_order': False, 'descr': [");
  add_field(t, "time", 1);
  for (int k = 0; k < r->signal_count; k++) add_field(t, r->names[k], 0);
  add_word(t, "]} " UNITS "s");
  for (int k = 0; k < r->signal_count; k++) {
    add_word(t, "|");
    add_word(t, r->units[k] ? r->units[k] : "");
  }
  add(t, blanks, 63 - t->size % 64);
  add_word(t, "\n");
  uint64_t length = t->size - 12;
  for (int k = 0; k < 4 && !t->failed; k++) t->data[8 + k] = (char)(length >> (8 * k) & 0xff);
}

hn_status hn_results_journal_open(const hn_results *r, const char *path,
                                  hn_results_journal **journal, hn_error *error) {
  text header = {0};
  size_t length = strlen(path) + 1;
  hn_results_journal *j = hn_allocate(NULL, sizeof *j);
  *journal = NULL;
  if (j) *j = (hn_results_journal){.path = hn_allocate(NULL, length)};
  if (j) j->row = hn_allocate(NULL, ((size_t)r->signal_count + 1) * sizeof(double));
  add_header(&header, r);
  hn_status status = HN_OK;
  if (!j || !j->path || !j->row || header.failed) {
    status = hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  } else {
    memcpy(j->path, path, length);
    errno = 0;
    j->stream = hn_is_link(path) ? NULL : fopen(path, "wb");
    if (!j->stream || fwrite(header.data, 1, header.size, j->stream) != header.size ||
        fflush(j->stream) != 0)
      status = hn_file_error(path, "cannot be written", errno, error);
  }
  hn_release(NULL, header.data);
  if (status == HN_OK)
    *journal = j;
  else
    hn_results_journal_close(j, 0);
  return status;
}

// Numbers in the byte order of the file: little endian.
static void order_bytes(double *values, size_t count) {
  const uint16_t probe = 1;
  if (*(const unsigned char *)&probe == 1) return;
  for (size_t k = 0; k < count; k++) {
    unsigned char *b = (unsigned char *)&values[k];
    for (int i = 0; i < 4; i++) {
      unsigned char swap = b[i];
      b[i] = b[7 - i];
      b[7 - i] = swap;
    }
  }
}

static int write_row(hn_results_journal *j, const hn_results *r, int row) {
  size_t columns = (size_t)r->signal_count + 1;
  for (size_t c = 0; c < columns; c++) j->row[c] = r->data[c * (size_t)r->room + (size_t)row];
  order_bytes(j->row, columns);
  return fwrite(j->row, sizeof(double), columns, j->stream) == columns;
}

hn_status hn_results_journal_write(hn_results_journal *j, const hn_results *r, hn_error *error) {
  char rows[ROWS_WIDTH + 1];
  if (j->rows == r->row_count) return HN_OK;
  int ok = 1;
  errno = 0;
  for (; j->rows < r->row_count && ok; j->rows++) ok = write_row(j, r, j->rows);
  ok = ok && fflush(j->stream) == 0;
  snprintf(rows, sizeof rows, "%*d", ROWS_WIDTH, j->rows);
  ok = ok && fseek(j->stream, 12 + (long)strlen(OPENING), SEEK_SET) == 0 &&
       fwrite(rows, 1, ROWS_WIDTH, j->stream) == ROWS_WIDTH && fflush(j->stream) == 0 &&
       fseek(j->stream, 0, SEEK_END) == 0;
  return ok ? HN_OK : hn_file_error(j->path, "cannot be written", errno, error);
}

void hn_results_journal_close(hn_results_journal *j, int keep) {
  if (!j) return;
  if (j->stream) fclose(j->stream);
  if (!keep && j->path && j->stream) remove(j->path);
  hn_release(NULL, j->path);
  hn_release(NULL, j->row);
  hn_release(NULL, j);
}

// ---- reading ------------------------------------------------------------------------------------

static hn_status not_ours(const char *path, hn_error *error) {
  hn_source source = {path, 0, 0};
  return hn_fail(error, HN_ERROR_FILE, &source, NULL,
                 "Use the file of a run; numpy.load reads others.",
                 "is not an array of records written by a run");
}

// One field behind *at, which moves behind it: how long its name is as Python writes it, or -1.
static long find_field(const char **at, const char *end, const char **name) {
  static const char type[] = "', '<f8')";
  size_t width = sizeof type - 1;
  const char *c = *at;
  while (c < end && (*c == ' ' || *c == ',')) c++;
  if (end - c < 2 || c[0] != '(' || c[1] != '\'') return -1;
  *name = c += 2;
  while (c < end && *c != '\'') c += *c == '\\' ? 2 : 1;
  if (c >= end || (size_t)(end - c) < width || strncmp(c, type, width) != 0) return -1;
  *at = c + width;
  return (long)(c - *name);
}

static int count_fields(const char *at, const char *end) {
  int count = 0;
  const char *name;
  while (at < end && *at != ']' && find_field(&at, end, &name) >= 0) count++;
  return at < end && *at == ']' ? count : 0;
}

static const char *take_name(hn_arena *arena, const char **at, const char *end) {
  const char *from = "";
  long length = find_field(at, end, &from);
  char *name = HN_TAKE(arena, char, length > 0 ? length + 1 : 1), *out = name;
  for (long i = 0; name && i < length; i++) {
    if (from[i] == '\\') i++;
    *out++ = from[i];
  }
  return name;
}

static void take_units(hn_results *r, const char *at, const char *end) {
  at = strstr(at, UNITS);
  if (at) at += strlen(UNITS);
  for (int k = -1; k < r->signal_count; k++) {
    size_t length = at && at < end ? strcspn(at, "|\n") : 0;
    char *unit = HN_TAKE(&r->arena, char, length + 1);
    if (unit && length > 0) memcpy(unit, at, length);
    while (unit && length > 0 && unit[length - 1] == ' ') unit[--length] = '\0';
    if (k >= 0) r->units[k] = unit ? unit : "";
    if (at) at += strcspn(at, "|\n");
    if (at && *at == '|') at++;
  }
}

static hn_status take_rows(hn_results *r, const char *numbers, int rows) {
  size_t columns = (size_t)r->signal_count + 1;
  double *row = HN_TAKE(&r->arena, double, columns);
  if (!row) return HN_ERROR_MEMORY;
  for (int k = 0; k < rows; k++) {
    int place = hn_results_add_row(r);
    if (place < 0) return HN_ERROR_MEMORY;
    memcpy(row, numbers + (size_t)k * columns * sizeof(double), columns * sizeof(double));
    order_bytes(row, columns);
    for (size_t c = 0; c < columns; c++) *hn_results_cell(r, (int)c, place) = row[c];
  }
  return HN_OK;
}

static hn_status parse(const char *path, char *data, size_t size, hn_results **results,
                       hn_error *error) {
  uint64_t length = 0;
  if (size < 76 || memcmp(data, "\x93NUMPY\x03", 7) != 0) return not_ours(path, error);
  for (int k = 0; k < 4; k++) length |= (uint64_t)(unsigned char)data[8 + k] << (8 * k);
  if (length > size - 12 || strncmp(data + 12, OPENING, strlen(OPENING)) != 0)
    return not_ours(path, error);
  char *header = data + 12, *end = header + length;
  if (length == 0 || end[-1] != '\n') return not_ours(path, error);
  end[-1] = '\0'; // text ends here
  long rows = strtol(header + strlen(OPENING), NULL, 10);
  const char *at = strstr(header, "'descr': [");
  if (!at || rows < 0) return not_ours(path, error);
  at += strlen("'descr': [");
  int columns = count_fields(at, end);
  if (columns < 1) return not_ours(path, error);
  size_t there = (size - 12 - (size_t)length) / ((size_t)columns * sizeof(double));
  if ((size_t)rows > there) rows = (long)there;
  hn_results *r = hn_results_new(columns - 1);
  if (!r) return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  take_name(&r->arena, &at, end); // time
  for (int k = 0; k < r->signal_count; k++) r->names[k] = take_name(&r->arena, &at, end);
  take_units(r, at, end);
  hn_status status = r->arena.failed ? HN_ERROR_MEMORY : take_rows(r, end, (int)rows);
  if (status != HN_OK) {
    hn_results_free(r);
    return hn_fail(error, status, NULL, NULL, NULL, "out of memory for %s. Free memory", path);
  }
  hn_results_sort_names(r);
  *results = r;
  return HN_OK;
}

hn_status hn_results_read_journal(const char *path, hn_results **results, hn_error *error) {
  char *data = NULL;
  size_t size = 0;
  hn_status status = hn_file_read(path, &data, &size, error);
  if (status == HN_OK) status = parse(path, data, size, results, error);
  hn_release(NULL, data);
  return status;
}
