// NPZ: a zip archive of .npy arrays, time.npy and one for each signal, for numpy.load. Stored, not
// compressed; units are not kept. More than 65,534 arrays or 4 GB take the 64-bit end records.
//
// An .npy file is the magic number, version 1.0, the length of the header, a header that is a
// Python dictionary padded to 64 bytes, and the numbers, little-endian.
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/utf8.h"
#include "output/npz.h"
#include "output/store.h"

#define NPY_HEADER 128

typedef struct entry {
  const char *name;
  uint32_t crc;
  uint64_t offset;
} entry;

// ---- CRC-32 (polynomial 0xEDB88320) -------------------------------------------------------------

static void make_crc_table(uint32_t table[256]) {
  for (uint32_t n = 0; n < 256; n++) {
    uint32_t c = n;
    for (int k = 0; k < 8; k++) c = c & 1 ? 0xEDB88320u ^ (c >> 1) : c >> 1;
    table[n] = c;
  }
}

static uint32_t crc_add(const uint32_t table[256], uint32_t crc, const unsigned char *data,
                        size_t size) {
  for (size_t k = 0; k < size; k++) crc = table[(crc ^ data[k]) & 0xff] ^ (crc >> 8);
  return crc;
}

// ---- little-endian records ----------------------------------------------------------------------

typedef struct record {
  unsigned char bytes[64];
  size_t size;
} record;

static void put(record *r, uint64_t value, int bytes) {
  for (int k = 0; k < bytes; k++) r->bytes[r->size++] = (unsigned char)(value >> (8 * k) & 0xff);
}

static uint64_t at_most(uint64_t value, uint64_t limit) { return value < limit ? value : limit; }

// Version, flags (bit 11: names are UTF-8), method, time and date (1 January 1980), crc, sizes: the
// part that local and central headers share.
static void put_common(record *r, int version, uint32_t crc, uint64_t size, size_t name_length) {
  put(r, (uint64_t)version, 2);
  put(r, 0x0800, 2);
  put(r, 0, 2);
  put(r, 0, 2);
  put(r, 0x0021, 2);
  put(r, crc, 4);
  put(r, size, 4);
  put(r, size, 4);
  put(r, name_length + 4, 2); // with ".npy"
}

// ---- arrays -------------------------------------------------------------------------------------

// Common header of all arrays of a file, and its CRC.
typedef struct beginning {
  unsigned char header[NPY_HEADER];
  uint32_t crc;
} beginning;

static void make_beginning(const uint32_t table[256], const char *type, const char *shape,
                           beginning *b) {
  unsigned char *header = b->header;
  memset(header, ' ', NPY_HEADER);
  memcpy(header, "\x93NUMPY\x01\x00", 8);
  header[8] = NPY_HEADER - 10;
  header[9] = 0;
  char text[NPY_HEADER];
  hn_text(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (%s,), }", type,
          shape);
  memcpy(header + 10, text, strlen(text));
  header[NPY_HEADER - 1] = '\n';
  b->crc = crc_add(table, 0xFFFFFFFFu, header, NPY_HEADER);
}

static void to_little_endian(unsigned char *bytes, const double *values, int count) {
  for (int k = 0; k < count; k++) {
    uint64_t bits;
    memcpy(&bits, &values[k], sizeof bits);
    for (int b = 0; b < 8; b++) bytes[8 * k + b] = (unsigned char)(bits >> (8 * b) & 0xff);
  }
}

static void write_bytes(hn_file *file, const uint32_t table[256], const beginning *b, entry *e,
                        const unsigned char *bytes, size_t size) {
  e->crc = crc_add(table, b->crc, bytes, size) ^ 0xFFFFFFFFu;
  e->offset = file->written;
  record local = {.size = 0};
  put(&local, 0x04034b50, 4);
  put_common(&local, 20, e->crc, NPY_HEADER + size, strlen(e->name));
  put(&local, 0, 2);
  hn_file_write(file, local.bytes, local.size);
  hn_file_text(file, e->name);
  hn_file_text(file, ".npy");
  hn_file_write(file, b->header, NPY_HEADER);
  hn_file_write(file, bytes, size);
}

// `bytes` has capacity for one column.
static void write_array(hn_file *file, const uint32_t table[256], const beginning *b, entry *e,
                        const double *values, int rows, unsigned char *bytes) {
  to_little_endian(bytes, values, rows);
  write_bytes(file, table, b, e, bytes, 8 * (size_t)rows);
}

// ---- the directory ------------------------------------------------------------------------------

static void write_directory_entry(hn_file *file, const entry *e, uint64_t size) {
  int large = e->offset >= 0xFFFFFFFFu; // then the offset is in a 64-bit extra field
  record central = {.size = 0};
  put(&central, 0x02014b50, 4);
  put(&central, 45, 2);
  put_common(&central, large ? 45 : 20, e->crc, size, strlen(e->name));
  put(&central, large ? 12 : 0, 2); // extra field
  put(&central, 0, 2);              // comment
  put(&central, 0, 2);              // disk
  put(&central, 0, 2);              // attributes
  put(&central, 0, 4);
  put(&central, at_most(e->offset, 0xFFFFFFFFu), 4);
  hn_file_write(file, central.bytes, central.size);
  hn_file_text(file, e->name);
  hn_file_text(file, ".npy");
  if (!large) return;
  record extra = {.size = 0};
  put(&extra, 0x0001, 2);
  put(&extra, 8, 2);
  put(&extra, e->offset, 8);
  hn_file_write(file, extra.bytes, extra.size);
}

static void write_end(hn_file *file, uint64_t count, uint64_t start) {
  uint64_t size = file->written - start, end = file->written;
  if (count >= 0xFFFF || start >= 0xFFFFFFFFu || size >= 0xFFFFFFFFu) {
    record wide = {.size = 0};
    put(&wide, 0x06064b50, 4);
    put(&wide, 44, 8);
    put(&wide, 45, 2);
    put(&wide, 45, 2);
    put(&wide, 0, 8); // disks
    put(&wide, count, 8);
    put(&wide, count, 8);
    put(&wide, size, 8);
    put(&wide, start, 8);
    hn_file_write(file, wide.bytes, wide.size);
    record locator = {.size = 0};
    put(&locator, 0x07064b50, 4);
    put(&locator, 0, 4);
    put(&locator, end, 8);
    put(&locator, 1, 4);
    hn_file_write(file, locator.bytes, locator.size);
  }
  record last = {.size = 0};
  put(&last, 0x06054b50, 4);
  put(&last, 0, 4); // disks
  put(&last, at_most(count, 0xFFFF), 2);
  put(&last, at_most(count, 0xFFFF), 2);
  put(&last, at_most(size, 0xFFFFFFFFu), 4);
  put(&last, at_most(start, 0xFFFFFFFFu), 4);
  put(&last, 0, 2);
  hn_file_write(file, last.bytes, last.size);
}

static hn_status write_columns(hn_file *file, hn_column_source *source, entry *entries,
                               unsigned char *bytes, hn_error *error) {
  uint32_t table[256];
  make_crc_table(table);
  beginning begin;
  char shape[16];
  make_beginning(table, "<f8", hn_text(shape, sizeof shape, "%d", source->rows), &begin);
  int count = source->names->signal_count + 1;
  for (int c = 0; c < count; c++) {
    entries[c].name = c > 0 ? source->names->names[c - 1] : "time";
    const double *values = source->rows > 0 ? source->column(source, c, error) : NULL;
    if (source->rows > 0 && !values) return HN_ERROR_FILE;
    write_array(file, table, &begin, &entries[c], values, source->rows, bytes);
  }
  uint64_t start = file->written, size = NPY_HEADER + 8 * (uint64_t)source->rows;
  for (int c = 0; c < count; c++) write_directory_entry(file, &entries[c], size);
  write_end(file, (uint64_t)count, start);
  return HN_OK;
}

hn_status hn_columns_write_npz(hn_column_source *source, const char *path, hn_error *error) {
  entry *entries = hn_allocate(NULL, ((size_t)source->names->signal_count + 1) * sizeof *entries);
  unsigned char *bytes = hn_allocate(NULL, 8 * (size_t)source->rows);
  hn_file file;
  hn_status status = entries && bytes
                         ? hn_file_create(&file, path, error)
                         : hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  if (status == HN_OK) {
    status = write_columns(&file, source, entries, bytes, error);
    if (status == HN_OK)
      status = hn_file_finish(&file, error);
    else
      hn_file_abandon(&file);
  }
  hn_release(NULL, bytes);
  hn_release(NULL, entries);
  return status;
}

// ---- arrays of any kind -------------------------------------------------------------------------

// Characters of the longest text.
static int longest_text(const hn_npz_array *a) {
  int most = 1;
  for (int i = 0; i < a->rows; i++) {
    int count = 0;
    for (const char *c = a->texts[i]; *c; count++) hn_utf8_next(&c);
    if (count > most) most = count;
  }
  return most;
}

// Texts are rows of `width` numbers of 32 bits.
static void texts_to_bytes(const hn_npz_array *a, int width, unsigned char *bytes) {
  memset(bytes, 0, 4 * (size_t)width * (size_t)a->rows);
  for (int i = 0; i < a->rows; i++) {
    const char *c = a->texts[i];
    for (int k = 0; *c && k < width; k++) {
      const uint32_t code = hn_utf8_next(&c);
      for (int b = 0; b < 4; b++)
        bytes[4 * ((size_t)i * (size_t)width + (size_t)k) + (size_t)b] =
            (unsigned char)(code >> (8 * b) & 0xff);
    }
  }
}

// Writes one array and returns how many bytes it has, header and all; 0: out of memory.
static uint64_t write_any(hn_file *file, const uint32_t table[256], const hn_npz_array *a,
                          entry *e) {
  const int width = a->type ? 0 : longest_text(a);
  const size_t wide = a->columns >= 0 ? (size_t)a->columns : 1;
  const size_t numbers = (size_t)a->rows * wide * (a->type && a->type[1] == 'c' ? 2 : 1);
  const size_t size = a->type ? 8 * numbers : 4 * (size_t)width * (size_t)a->rows;
  unsigned char *bytes = hn_allocate(NULL, size + 1);
  if (!bytes) return 0;
  char shape[32], type[16];
  beginning begin;
  if (a->type)
    to_little_endian(bytes, a->values, (int)numbers);
  else
    texts_to_bytes(a, width, bytes);
  if (a->columns >= 0)
    hn_text(shape, sizeof shape, "%d, %d", a->rows, a->columns);
  else
    hn_text(shape, sizeof shape, "%d", a->rows);
  make_beginning(table, a->type ? a->type : hn_text(type, sizeof type, "<U%d", width), shape,
                 &begin);
  e->name = a->name;
  write_bytes(file, table, &begin, e, bytes, size);
  hn_release(NULL, bytes);
  return NPY_HEADER + size;
}

hn_status hn_npz_write(const char *path, const hn_npz_array *arrays, int count, hn_error *error) {
  enum { MOST = 64 };
  uint32_t table[256];
  entry entries[MOST] = {{0}};
  uint64_t sizes[MOST];
  hn_file file;
  hn_status status = count <= MOST ? hn_file_create(&file, path, error) : HN_ERROR_LIMIT;
  if (status != HN_OK) return status;
  make_crc_table(table);
  for (int k = 0; k < count; k++) {
    sizes[k] = write_any(&file, table, &arrays[k], &entries[k]);
    if (sizes[k] > 0) continue;
    hn_file_abandon(&file);
    return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  }
  const uint64_t start = file.written;
  for (int k = 0; k < count; k++) write_directory_entry(&file, &entries[k], sizes[k]);
  write_end(&file, (uint64_t)count, start);
  return hn_file_finish(&file, error);
}
