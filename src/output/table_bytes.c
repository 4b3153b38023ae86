// A table of results as bytes, from the process that read a file to the one that asked for it:
//
//   "HNTABLE1"  status (4)  signals (4)  rows (4)
//   for time and each signal: length of the name (4), name, length of the unit (4), unit
//   for time and each signal: rows numbers
//
// or, when the status is not 0, lengths and texts of message and hint instead. The reader trusts
// nothing: who wrote may have been led astray by the file.
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "output/store.h"

static const char magic[8] = "HNTABLE1";

// ---- writing ------------------------------------------------------------------------------------

static int send_number(hn_child_pipe *pipe, int32_t number) {
  return hn_child_send(pipe, &number, sizeof number);
}

static int send_text(hn_child_pipe *pipe, const char *text) {
  size_t length = strlen(text);
  return length < INT32_MAX && send_number(pipe, (int32_t)length) &&
         hn_child_send(pipe, text, length);
}

void hn_results_send(hn_child_pipe *pipe, const hn_results *r, const hn_error *error) {
  int32_t status = r ? HN_OK : error->status;
  if (!hn_child_send(pipe, magic, sizeof magic) || !send_number(pipe, status)) return;
  if (!r) {
    if (send_text(pipe, error->message)) send_text(pipe, error->hint);
    return;
  }
  int goes_on = send_number(pipe, r->signal_count) && send_number(pipe, r->row_count) &&
                send_text(pipe, "time") && send_text(pipe, "s");
  for (int k = 0; k < r->signal_count && goes_on; k++)
    goes_on = send_text(pipe, r->names[k]) && send_text(pipe, r->units[k]);
  for (int c = 0; c <= r->signal_count && goes_on && r->row_count > 0; c++)
    goes_on = hn_child_send(pipe, r->data + (size_t)c * (size_t)r->room,
                            (size_t)r->row_count * sizeof(double));
}

// ---- reading ------------------------------------------------------------------------------------

typedef struct cursor {
  const char *at;
  size_t left;
  int failed;
} cursor;

static const char *take(cursor *c, size_t size) {
  if (c->failed || size > c->left) {
    c->failed = 1;
    return NULL;
  }
  const char *at = c->at;
  c->at += size;
  c->left -= size;
  return at;
}

// Not negative, or the reading fails.
static int32_t take_number(cursor *c) {
  int32_t number = 0;
  const char *at = take(c, sizeof number);
  if (at) memcpy(&number, at, sizeof number);
  if (number < 0) c->failed = 1;
  return c->failed ? 0 : number;
}

static const char *take_text(cursor *c, hn_arena *arena) {
  size_t length = (size_t)take_number(c);
  const char *at = take(c, length);
  if (!at || memchr(at, '\0', length)) {
    c->failed = 1;
    return NULL;
  }
  char *text = HN_TAKE(arena, char, length + 1);
  if (text) memcpy(text, at, length);
  return text;
}

static hn_status take_failure(cursor *c, hn_status said, const char *path, hn_error *error) {
  hn_arena arena;
  hn_arena_init(&arena, NULL);
  const char *message = take_text(c, &arena), *hint = take_text(c, &arena);
  hn_status status = HN_ERROR_FILE;
  const hn_source source = {path, 0, 0};
  if (!c->failed && message && message[0] && hint) {
    // only what a reader of a table can say
    if (said == HN_ERROR_SYNTAX || said == HN_ERROR_MEMORY) status = said;
    hn_fail(error, status, &source, NULL, hint, "%s", message);
  }
  hn_arena_release(&arena);
  return status;
}

static hn_status take_table(cursor *c, hn_results **results) {
  const int32_t signals = take_number(c), rows = take_number(c);
  const size_t columns = (size_t)signals + 1;
  // two lengths a column and all numbers: no capacity is reserved for data that is not there
  const size_t least = 2 * sizeof(int32_t) + (size_t)rows * sizeof(double);
  if (c->failed || columns > c->left / least || signals == INT32_MAX) return HN_ERROR_FILE;
  hn_results *r = *results = hn_results_new(signals);
  if (!r) return HN_ERROR_MEMORY;
  for (size_t k = 0; k < columns; k++) {
    const char *name = take_text(c, &r->arena), *unit = take_text(c, &r->arena);
    if (c->failed) return HN_ERROR_FILE;
    if (r->arena.failed) return HN_ERROR_MEMORY;
    if (k == 0) continue; // time
    r->names[k - 1] = name;
    r->units[k - 1] = unit;
  }
  const size_t count = columns * (size_t)rows;
  const char *numbers = take(c, count * sizeof(double));
  if (c->failed || c->left > 0) return HN_ERROR_FILE;
  r->data = hn_allocate(NULL, (count > 0 ? count : columns) * sizeof(double));
  if (!r->data) return HN_ERROR_MEMORY;
  if (count > 0) memcpy(r->data, numbers, count * sizeof(double));
  r->row_count = rows;
  r->room = rows > 0 ? rows : 1;
  hn_results_sort_names(r);
  return HN_OK;
}

hn_status hn_results_parse_table(const char *data, size_t size, const char *path,
                                 hn_results **results, hn_error *error) {
  cursor c = {data, size, 0};
  const hn_source source = {path, 0, 0};
  hn_error told = {.status = HN_OK};
  int32_t said = 0;
  *results = NULL;
  const char *begin = take(&c, sizeof magic), *number = take(&c, sizeof said);
  if (number) memcpy(&said, number, sizeof said);
  hn_status status = HN_ERROR_FILE;
  if (!c.failed && memcmp(begin, magic, sizeof magic) == 0)
    status =
        said == HN_OK ? take_table(&c, results) : take_failure(&c, (hn_status)said, path, &told);
  if (status == HN_OK) return HN_OK;
  hn_results_free(*results);
  *results = NULL;
  if (told.status != HN_OK) {
    if (error) *error = told;
    return status;
  }
  if (status == HN_ERROR_MEMORY)
    return hn_fail(error, status, NULL, NULL, NULL,
                   "%s does not fit in memory. Read a smaller file", path);
  return hn_fail(error, status, &source, NULL, "Check the file with h5dump, or use CSV instead.",
                 "cannot be read: the HDF5 reader returned invalid data");
}
