// Reading a store: blocks in order, up to the first that is not whole. Every length is checked against
// what is there before anything is taken for it. A file that cannot be read, or memory that cannot be
// had, is an error: only what the file itself says makes its end.
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "output/row_store.h"
#include "output/scene.h"

// Bytes of a file or of memory.
typedef struct source {
  const char *name;
  FILE *stream;              // null: of memory
  const unsigned char *data; // then
  unsigned long long size, at;
  unsigned char *room; // the contents of a block of a file
  size_t room_size;
  hn_status failure; // nothing was read, for a reason that says nothing about the file
  int code;          // of the system, then
} source;

typedef struct block {
  char kind[5];
  unsigned long long rows, size;
  const unsigned char *contents;
} block;

// ---- blocks -------------------------------------------------------------------------------------

static hn_status open_source(source *s, const char *path, hn_error *error) {
  *s = (source){.name = path};
  const hn_status status = hn_file_check_plain(path, error);
  if (status != HN_OK) return status;
  errno = 0;
  s->stream = fopen(path, "rb");
  if (!s->stream) return hn_file_error(path, "cannot be read", errno, error);
  const long size = fseek(s->stream, 0, SEEK_END) == 0 ? ftell(s->stream) : -1;
  if (size < 0 || fseek(s->stream, 0, SEEK_SET) != 0)
    return hn_file_error(path, "cannot be read", errno, error);
  s->size = (unsigned long long)size;
  return HN_OK;
}

static void close_source(source *s) {
  if (s->stream) fclose(s->stream);
  hn_release(NULL, s->room);
}

static const unsigned char *fail_to_take(source *s, hn_status status, int code) {
  s->failure = status;
  s->code = code;
  return NULL;
}

static hn_status tell_failure(const source *s, hn_error *error) {
  if (s->failure == HN_OK) return HN_OK;
  if (s->failure == HN_ERROR_FILE) return hn_file_error(s->name, "cannot be read", s->code, error);
  return hn_fail(error, s->failure, NULL, NULL, "Export fewer samples, or read them in parts.",
                 "out of memory for the samples of %s", s->name);
}

// The next bytes, or null: the caller knows that they are there.
static const unsigned char *take(source *s, size_t size) {
  if (!s->stream) {
    const unsigned char *data = s->data + s->at;
    s->at += size;
    return data;
  }
  if (size > s->room_size) {
    unsigned char *room = hn_reallocate(NULL, s->room, 0, size + size / 4);
    if (!room) return fail_to_take(s, HN_ERROR_MEMORY, 0);
    s->room = room;
    s->room_size = size + size / 4;
  }
  errno = 0;
  if (fread(s->room, 1, size, s->stream) != size) return fail_to_take(s, HN_ERROR_FILE, errno);
  s->at += size;
  return s->room;
}

// Reads the next block: 1, or 0 at the end, at an incomplete block, or after a failure; s->at stays
// there.
static int next_block(source *s, block *b) {
  const unsigned long long begin = s->at;
  unsigned char head[HN_STORE_HEAD];
  if (s->size - begin < HN_STORE_HEAD) return 0;
  const unsigned char *bytes = take(s, HN_STORE_HEAD);
  if (bytes) memcpy(head, bytes, HN_STORE_HEAD);
  const unsigned long long size = bytes ? hn_store_get_number(head + 8, 8) : 0;
  int is_whole = bytes && hn_store_get_number(head + 16, 8) == begin &&
                 size <= s->size - begin - HN_STORE_HEAD && size <= SIZE_MAX / 2;
  if (is_whole) {
    b->contents = take(s, (size_t)size);
    unsigned long long sum = hn_store_checksum(0, head, HN_STORE_HEAD - 8);
    is_whole = b->contents && hn_store_checksum(sum, b->contents, (size_t)size) ==
                                  hn_store_get_number(head + HN_STORE_HEAD - 8, 8);
  }
  if (!is_whole) {
    s->at = begin;
    return 0;
  }
  memcpy(b->kind, head, 4);
  b->kind[4] = '\0';
  b->rows = hn_store_get_number(head + 4, 4);
  b->size = size;
  return 1;
}

static int is_kind(const block *b, const char *kind) { return strcmp(b->kind, kind) == 0; }

static hn_status begin_reading(source *s, hn_error *error) {
  hn_source where = {s->name, 0, 0};
  const unsigned char *magic = s->size >= HN_STORE_START ? take(s, HN_STORE_START) : NULL;
  if (magic && memcmp(magic, HN_STORE_MAGIC, HN_STORE_START) == 0) return HN_OK;
  if (s->failure != HN_OK) return tell_failure(s, error);
  return hn_fail(error, HN_ERROR_FILE, &where, NULL, "Give the folder of a run, or its results.",
                 "is not the results of a run");
}

// ---- tables -------------------------------------------------------------------------------------

static const char *kind_of(hn_store_table table) {
  return table == HN_STORE_ROWS ? "ROWS" : "SHOW";
}

static const char *names_of(hn_store_table table) {
  return table == HN_STORE_ROWS ? "NAMR" : "NAMS";
}

// The block is whole, and yet not what a run has written.
static hn_status refuse_block(const source *s, const block *b, hn_error *error) {
  hn_source where = {s->name, 0, 0};
  return hn_fail(
      error, HN_ERROR_FILE, &where, NULL, NULL,
      "is damaged: block %s before byte %llu does not match the signals. Run the model again",
      b->kind, s->at);
}

// Names and units, each ended by a zero byte.
static hn_status make_table(source *s, const block *b, hn_results **result, hn_error *error) {
  const char *at = (const char *)b->contents, *end = at + b->size;
  *result = NULL;
  if (b->rows > b->size / 2 || b->rows > INT_MAX / 2) return refuse_block(s, b, error);
  const int words = 2 * (int)b->rows;
  hn_results *r = hn_results_new((int)b->rows);
  int k = 0;
  for (; r && k < words; k++) {
    const char *stop = at < end ? memchr(at, 0, (size_t)(end - at)) : NULL;
    if (!stop) {
      hn_results_free(r);
      return refuse_block(s, b, error);
    }
    const char *word = hn_arena_copy_string(&r->arena, at);
    if (!word) break;
    *(k % 2 ? &r->units[k / 2] : &r->names[k / 2]) = word;
    at = stop + 1;
  }
  if (!r || k < words) {
    hn_results_free(r);
    s->failure = HN_ERROR_MEMORY;
    return tell_failure(s, error);
  }
  hn_results_sort_names(r);
  *result = r;
  return HN_OK;
}

// HN_OK where these are the names and units of the table, in its order.
static hn_status compare_names(const source *s, const block *b, const hn_results *r,
                               hn_error *error) {
  const char *at = (const char *)b->contents, *end = at + b->size;
  int is_same = b->rows == (unsigned long long)r->signal_count;
  for (int k = 0; is_same && k < r->signal_count; k++) {
    const char *words[2] = {r->names[k], r->units[k] ? r->units[k] : ""};
    for (int w = 0; is_same && w < 2; w++) {
      const size_t size = strlen(words[w]) + 1;
      is_same = size <= (size_t)(end - at) && memcmp(at, words[w], size) == 0;
      at += is_same ? size : 0;
    }
  }
  if (is_same) return HN_OK;
  hn_source where = {s->name, 0, 0};
  return hn_fail(error, HN_ERROR_FILE, &where, NULL,
                 "Give the same @signals as the run to resume, or leave @signals out.",
                 "has other signals (%llu) than the resumed run (%d)", b->rows, r->signal_count);
}

static int fits(const block *b, const hn_results *r) {
  unsigned long long columns = (unsigned long long)r->signal_count + 1;
  return b->rows <= INT_MAX / 4 && b->size / sizeof(double) / columns >= b->rows &&
         b->size == b->rows * columns * sizeof(double);
}

static hn_status add_rows(hn_results *r, const block *b) {
  size_t rows = (size_t)b->rows;
  if (rows == 0) return HN_OK;
  if ((unsigned long long)r->row_count + b->rows > INT_MAX / 4) return HN_ERROR_LIMIT;
  int room = r->row_count + (int)rows;
  if (room > r->room) {
    int larger = r->room < INT_MAX / 8 ? 2 * r->room : room;
    if (hn_results_reserve(r, larger > room ? larger : room) != HN_OK) return HN_ERROR_MEMORY;
  }
  for (int c = 0; c <= r->signal_count; c++) {
    double *to = hn_results_cell(r, c, r->row_count);
    memcpy(to, b->contents + (size_t)c * rows * sizeof(double), rows * sizeof(double));
    hn_store_order(to, rows, sizeof *to);
  }
  r->row_count += (int)rows;
  return HN_OK;
}

static void count_block(hn_store_state *state, const block *b) {
  long rows = b->rows < LONG_MAX / 2 ? (long)b->rows : 0;
  state->is_done = is_kind(b, "DONE");
  if (is_kind(b, "ROWS")) state->rows += rows;
  if (is_kind(b, "ROWS") && b->rows > 0 && b->size / sizeof(double) >= b->rows) {
    const uint64_t bits = hn_store_get_number(b->contents + (b->rows - 1) * sizeof(double), 8);
    memcpy(&state->last, &bits, sizeof bits);
  }
  if (is_kind(b, "SHOW")) state->shown += rows;
  if (is_kind(b, "FRAM")) state->frames += rows;
}

static hn_status refuse_nameless(const source *s, hn_error *error) {
  hn_source where = {s->name, 0, 0};
  return hn_fail(error, HN_ERROR_FILE, &where, NULL, NULL,
                 "was cut off before the first sample. Run the model again");
}

// A block of the table with these rows so far: its names make it.
static hn_status take_block(source *s, const block *b, hn_store_table table, hn_results **r,
                            hn_error *error) {
  if (!*r && is_kind(b, names_of(table))) return make_table(s, b, r, error);
  if (!is_kind(b, kind_of(table))) return HN_OK;
  if (!*r || !fits(b, *r)) return refuse_block(s, b, error);
  s->failure = add_rows(*r, b);
  return tell_failure(s, error);
}

static void end_reading(const source *s, hn_store_state *state) {
  state->size = s->at;
  state->cut = s->size - s->at;
}

static hn_status read_table(source *s, hn_store_table table, hn_results **results,
                            hn_store_state *state, hn_error *error) {
  block b;
  hn_results *r = NULL;
  hn_status status = begin_reading(s, error);
  if (status != HN_OK) return status;
  while (status == HN_OK && next_block(s, &b)) {
    count_block(state, &b);
    status = take_block(s, &b, table, &r, error);
  }
  end_reading(s, state);
  if (status == HN_OK) status = tell_failure(s, error);
  if (status == HN_OK && !r) status = refuse_nameless(s, error);
  if (status == HN_OK)
    *results = r;
  else
    hn_results_free(r);
  return status;
}

hn_status hn_store_read(const char *path, hn_store_table table, hn_results **results,
                        hn_store_state *state, hn_error *error) {
  source s;
  hn_store_state own = {0};
  *results = NULL;
  if (state) *state = own;
  hn_status status = open_source(&s, path, error);
  if (status == HN_OK) status = read_table(&s, table, results, state ? state : &own, error);
  close_source(&s);
  return status;
}

hn_status hn_store_parse(const void *data, size_t size, const char *name, hn_store_table table,
                         hn_results **results, hn_store_state *state, hn_error *error) {
  source s = {.name = name, .data = data, .size = size};
  hn_store_state own = {0};
  *results = NULL;
  if (state) *state = own;
  return read_table(&s, table, results, state ? state : &own, error);
}

// ---- going on -----------------------------------------------------------------------------------

static hn_status load_frames(source *s, const block *b, hn_scene *scene, hn_error *error) {
  unsigned long long stride = (unsigned long long)scene->stride * sizeof(float);
  if (b->rows > INT_MAX / 2 || b->size != b->rows * stride) return refuse_block(s, b, error);
  for (unsigned long long k = 0; k < b->rows && s->failure == HN_OK; k++)
    s->failure = hn_scene_add_frame(scene, b->contents + k * stride);
  return tell_failure(s, error);
}

static hn_status load_block(source *s, const block *b, const hn_results *rows, hn_results *shown,
                            hn_scene *scene, hn_error *error) {
  if (rows && is_kind(b, "NAMR")) return compare_names(s, b, rows, error);
  if (shown && is_kind(b, "NAMS")) return compare_names(s, b, shown, error);
  if (rows && is_kind(b, "ROWS") && !fits(b, rows)) return refuse_block(s, b, error);
  if (scene && is_kind(b, "FRAM")) return load_frames(s, b, scene, error);
  if (!shown || !is_kind(b, "SHOW")) return HN_OK;
  if (!fits(b, shown)) return refuse_block(s, b, error);
  s->failure = add_rows(shown, b);
  return tell_failure(s, error);
}

hn_status hn_store_load(const char *path, unsigned long long limit, const hn_results *rows,
                        hn_results *shown, hn_scene *scene, hn_error *error) {
  source s;
  block b;
  hn_status status = open_source(&s, path, error);
  if (status == HN_OK && s.size < limit)
    status = hn_fail(error, HN_ERROR_FILE, NULL, NULL, "Run the model again without @resume.",
                     "%s has lost %llu of its %llu bytes", path, limit - s.size, limit);
  if (status == HN_OK) s.size = limit;
  if (status == HN_OK) status = begin_reading(&s, error);
  while (status == HN_OK && next_block(&s, &b))
    status = load_block(&s, &b, rows, shown, scene, error);
  if (status == HN_OK) status = tell_failure(&s, error);
  if (status == HN_OK && s.at != limit)
    status = hn_fail(error, HN_ERROR_FILE, NULL, NULL, "Run the model again without @resume.",
                     "%s is damaged at byte %llu", path, s.at);
  close_source(&s);
  return status;
}

// ---- places of columns --------------------------------------------------------------------------

typedef struct index {
  hn_results *names;
  hn_store_place *places;
  int count, room;
  unsigned long long rows;
} index;

static hn_status add_place(index *i, const source *s, const block *b) {
  i->rows += b->rows;
  if (i->rows > INT_MAX / 4) return HN_ERROR_LIMIT;
  if (i->count == i->room) {
    const size_t room = i->room ? 2 * (size_t)i->room : 64;
    hn_store_place *larger = room < INT_MAX / 2
                                 ? hn_reallocate(NULL, i->places, (size_t)i->count * sizeof *larger,
                                                 room * sizeof *larger)
                                 : NULL;
    if (!larger) return HN_ERROR_MEMORY;
    i->places = larger;
    i->room = (int)room;
  }
  i->places[i->count++] = (hn_store_place){s->at - b->size, (int)b->rows};
  return HN_OK;
}

static hn_status index_block(source *s, const block *b, index *i, hn_error *error) {
  if (!i->names && is_kind(b, "NAMR")) return make_table(s, b, &i->names, error);
  if (!is_kind(b, "ROWS") || b->rows == 0) return HN_OK;
  if (!i->names || !fits(b, i->names)) return refuse_block(s, b, error);
  s->failure = add_place(i, s, b);
  return tell_failure(s, error);
}

hn_status hn_store_index(const char *path, hn_results **names, hn_store_place **places, int *count,
                         hn_store_state *state, hn_error *error) {
  source s;
  block b;
  index i = {0};
  *state = (hn_store_state){0};
  hn_status status = open_source(&s, path, error);
  if (status == HN_OK) status = begin_reading(&s, error);
  while (status == HN_OK && next_block(&s, &b)) {
    count_block(state, &b);
    status = index_block(&s, &b, &i, error);
  }
  if (s.stream) end_reading(&s, state);
  if (status == HN_OK) status = tell_failure(&s, error);
  if (status == HN_OK && !i.names) status = refuse_nameless(&s, error);
  close_source(&s);
  *names = i.names;
  *places = i.places;
  *count = i.count;
  return status;
}

// ---- for other programs -------------------------------------------------------------------------

// One block at a time: the table has the rows of the last one.
static hn_status export_csv(source *s, const char *to, int with_units, hn_store_state *state,
                            hn_error *error) {
  hn_csv_writer writer;
  hn_results *r = NULL;
  block b;
  int is_open = 0;
  hn_status status = begin_reading(s, error);
  while (status == HN_OK && next_block(s, &b)) {
    count_block(state, &b);
    if (r) r->row_count = 0;
    status = take_block(s, &b, HN_STORE_ROWS, &r, error);
    if (status == HN_OK && r && !is_open) {
      status = hn_csv_begin(&writer, r, to, with_units, error);
      is_open = status == HN_OK;
    } else if (status == HN_OK && is_open && r->row_count > 0) {
      hn_csv_rows(&writer, r);
    }
  }
  end_reading(s, state);
  if (status == HN_OK) status = tell_failure(s, error);
  if (status == HN_OK && !is_open) status = refuse_nameless(s, error);
  if (status == HN_OK)
    status = hn_csv_finish(&writer, error);
  else if (is_open)
    hn_csv_abandon(&writer);
  hn_results_free(r);
  return status;
}

hn_status hn_store_export(const char *path, const char *to, hn_results_format format,
                          int with_units, hn_store_state *state, hn_error *error) {
  hn_store_state own = {0};
  if (!state) state = &own;
  *state = own;
  if (format == HN_RESULTS_CSV) {
    source s;
    hn_status status = open_source(&s, path, error);
    if (status == HN_OK) status = export_csv(&s, to, with_units, state, error);
    close_source(&s);
    return status;
  }
  return hn_store_export_columns(path, to, format, with_units, HN_STORE_ROOM, state, error);
}
