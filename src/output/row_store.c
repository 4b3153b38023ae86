// Writing a store, block by block: see holon/store.h. Reading is in row_store_read.c.
#include "output/row_store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/disk.h"
#include "base/error.h"
#include "base/file.h"
#include "base/plain_file.h"

struct hn_store {
  FILE *stream;
  char *path;
  unsigned long long size;
};

// ---- bytes --------------------------------------------------------------------------------------

void hn_store_put_number(unsigned char *at, unsigned long long value, int bytes) {
  for (int k = 0; k < bytes; k++) at[k] = (unsigned char)(value >> (8 * k) & 0xff);
}

unsigned long long hn_store_get_number(const unsigned char *at, int bytes) {
  unsigned long long value = 0;
  for (int k = 0; k < bytes; k++) value |= (unsigned long long)at[k] << (8 * k);
  return value;
}

// Words of eight bytes at a time, each mixed into all bits of the sum. Of pieces that follow each other
// all but the last are whole words.
unsigned long long hn_store_checksum(unsigned long long sum, const void *data, size_t size) {
  const unsigned char *at = data;
  uint64_t h = sum;
  for (; size >= 8; size -= 8, at += 8) {
    uint64_t word;
    memcpy(&word, at, 8);
    h = (h ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    h ^= h >> 32;
  }
  for (; size > 0; size--, at++) h = (h ^ *at) * UINT64_C(0x100000001B3);
  return h;
}

int hn_store_is_little(void) {
  const uint16_t probe = 1;
  return *(const unsigned char *)&probe == 1;
}

void hn_store_order(void *data, size_t count, size_t width) {
  unsigned char *at = data;
  if (hn_store_is_little()) return;
  for (size_t k = 0; k < count; k++, at += width)
    for (size_t i = 0; i < width / 2; i++) {
      unsigned char swap = at[i];
      at[i] = at[width - 1 - i];
      at[width - 1 - i] = swap;
    }
}

// ---- blocks -------------------------------------------------------------------------------------

// The head without its checksum.
static void make_head(unsigned char head[HN_STORE_HEAD], const char *kind, unsigned long long rows,
                      unsigned long long size, unsigned long long position) {
  memset(head, 0, HN_STORE_HEAD);
  memcpy(head, kind, 4);
  hn_store_put_number(head + 4, rows, 4);
  hn_store_put_number(head + 8, size, 8);
  hn_store_put_number(head + 16, position, 8);
}

static hn_status failed(const hn_store *store, hn_error *error) {
  return hn_file_error(store->path, "cannot be written", errno, error);
}

// A block of pieces that follow each other. One write each: a cut leaves a block that is not whole.
static hn_status add_block(hn_store *store, const char *kind, unsigned long long rows,
                           const hn_store_piece *pieces, size_t count, hn_error *error) {
  unsigned char head[HN_STORE_HEAD];
  unsigned long long size = 0;
  for (size_t k = 0; k < count; k++) size += pieces[k].size;
  make_head(head, kind, rows, size, store->size);
  unsigned long long sum = hn_store_checksum(0, head, HN_STORE_HEAD - 8);
  for (size_t k = 0; k < count; k++) sum = hn_store_checksum(sum, pieces[k].data, pieces[k].size);
  hn_store_put_number(head + HN_STORE_HEAD - 8, sum, 8);
  errno = 0;
  if (fwrite(head, 1, sizeof head, store->stream) != sizeof head) return failed(store, error);
  for (size_t k = 0; k < count; k++)
    if (fwrite(pieces[k].data, 1, pieces[k].size, store->stream) != pieces[k].size)
      return failed(store, error);
  if (fflush(store->stream) != 0) return failed(store, error);
  store->size += sizeof head + size;
  return HN_OK;
}

static hn_status add_names(hn_store *store, const char *kind, const hn_results *r,
                           hn_error *error) {
  size_t size = 0, at = 0;
  for (int k = 0; k < r->signal_count; k++)
    size += strlen(r->names[k]) + strlen(r->units[k] ? r->units[k] : "") + 2;
  char *text = hn_allocate(NULL, size + 1);
  if (!text) return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  for (int k = 0; k < r->signal_count; k++) {
    const char *words[2] = {r->names[k], r->units[k] ? r->units[k] : ""};
    for (int w = 0; w < 2; w++) {
      size_t length = strlen(words[w]) + 1;
      memcpy(text + at, words[w], length);
      at += length;
    }
  }
  const hn_store_piece piece = {text, size};
  hn_status status = add_block(store, kind, (unsigned long long)r->signal_count, &piece, 1, error);
  hn_release(NULL, text);
  return status;
}

// ---- the file -----------------------------------------------------------------------------------

static hn_store *new_store(const char *path, const char *mode, hn_error *error) {
  size_t length = strlen(path) + 1;
  hn_store *store = hn_allocate(NULL, sizeof *store);
  char *copy = hn_allocate(NULL, length);
  if (!store || !copy) {
    hn_release(NULL, store);
    hn_release(NULL, copy);
    hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
    return NULL;
  }
  memcpy(copy, path, length);
  *store = (hn_store){.path = copy};
  errno = 0;
  int is_link = hn_is_link(path);
  store->stream = is_link ? NULL : fopen(path, mode);
  if (store->stream) return store;
  if (is_link)
    hn_fail(error, HN_ERROR_FILE, &(hn_source){path, 0, 0}, NULL, "Remove it, or write elsewhere.",
            "is a symbolic link, which results are not written through");
  else
    failed(store, error);
  hn_store_close(store, NULL);
  return NULL;
}

hn_status hn_store_create(const char *path, const hn_results *rows, const hn_results *shown,
                          hn_store **result, hn_error *error) {
  hn_store *store = new_store(path, "wb", error);
  *result = NULL;
  if (!store) return error->status;
  hn_status status = HN_OK;
  errno = 0;
  if (fwrite(HN_STORE_MAGIC, 1, HN_STORE_START, store->stream) != HN_STORE_START)
    status = failed(store, error);
  store->size = HN_STORE_START;
  if (status == HN_OK) status = add_names(store, "NAMR", rows, error);
  if (status == HN_OK && shown) status = add_names(store, "NAMS", shown, error);
  if (status == HN_OK) status = hn_store_sync(store, error);
  if (status == HN_OK && (errno = hn_disk_sync_folder(path)) != 0) status = failed(store, error);
  if (status == HN_OK)
    *result = store;
  else
    hn_store_close(store, NULL);
  return status;
}

hn_status hn_store_open(const char *path, unsigned long long size, hn_store **result,
                        hn_error *error) {
  hn_store *store = new_store(path, "r+b", error);
  *result = NULL;
  if (!store) return error->status;
  errno = hn_disk_cut(store->stream, (long long)size);
  if (errno != 0) {
    hn_status status = failed(store, error);
    hn_store_close(store, NULL);
    return status;
  }
  store->size = size;
  *result = store;
  return HN_OK;
}

// On computers that are not little endian a copy is converted.
static void *ordered(const void *data, size_t count, size_t width) {
  void *copy = hn_allocate(NULL, count * width);
  if (copy) memcpy(copy, data, count * width);
  if (copy) hn_store_order(copy, count, width);
  return copy;
}

hn_status hn_store_write(hn_store *store, hn_store_table table, const hn_results *r, int first,
                         int count, hn_error *error) {
  const char *kind = table == HN_STORE_ROWS ? "ROWS" : "SHOW";
  if (first < 0 || count <= 0 || count > r->row_count - first) return HN_OK;
  size_t columns = (size_t)r->signal_count + 1, rows = (size_t)count;
  hn_store_piece *pieces = hn_allocate(NULL, columns * sizeof *pieces);
  int swaps = !hn_store_is_little(), has_all = pieces != NULL;
  for (size_t c = 0; has_all && c < columns; c++) {
    const double *column = r->data + c * (size_t)r->room + first;
    const void *data = swaps ? ordered(column, rows, sizeof *column) : column;
    pieces[c] = (hn_store_piece){data, rows * sizeof *column};
    has_all = data != NULL;
  }
  hn_status status = has_all ? add_block(store, kind, rows, pieces, columns, error)
                             : hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL,
                                       "out of memory for results. Record fewer signals");
  for (size_t c = 0; swaps && has_all && c < columns; c++) hn_release(NULL, (void *)pieces[c].data);
  hn_release(NULL, pieces);
  return status;
}

hn_status hn_store_write_frames(hn_store *store, const float *motion, int frames, int stride,
                                hn_error *error) {
  size_t count = (size_t)frames * (size_t)stride;
  if (frames <= 0) return HN_OK;
  int swaps = !hn_store_is_little();
  const void *data = swaps ? ordered(motion, count, sizeof *motion) : motion;
  if (!data) return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  const hn_store_piece piece = {data, count * sizeof *motion};
  hn_status status = add_block(store, "FRAM", (unsigned long long)frames, &piece, 1, error);
  if (swaps) hn_release(NULL, (void *)data);
  return status;
}

hn_status hn_store_write_end(hn_store *store, hn_error *error) {
  return add_block(store, "DONE", 0, NULL, 0, error);
}

hn_status hn_store_sync(hn_store *store, hn_error *error) {
  errno = hn_disk_sync(store->stream);
  return errno == 0 ? HN_OK : failed(store, error);
}

unsigned long long hn_store_size(const hn_store *store) { return store->size; }

hn_status hn_store_close(hn_store *store, hn_error *error) {
  hn_status status = HN_OK;
  if (!store) return HN_OK;
  errno = 0;
  if (store->stream && fclose(store->stream) != 0 && error) status = failed(store, error);
  hn_release(NULL, store->path);
  hn_release(NULL, store);
  return status;
}
