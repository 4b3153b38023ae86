// NPZ: a zip archive (base/zip.h) of .npy arrays, time.npy and one for each signal, for numpy.load.
// Units are not kept.
//
// An .npy file is the magic number, version 1.0, the length of the header, a header that is a
// Python dictionary padded to 64 bytes, and the numbers, little-endian.
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "base/utf8.h"
#include "base/zip.h"
#include "output/npz.h"
#include "output/store.h"

#define NPY_HEADER 128

// ---- arrays -------------------------------------------------------------------------------------

static void make_beginning(const char *type, const char *shape, unsigned char *header) {
  memset(header, ' ', NPY_HEADER);
  memcpy(header, "\x93NUMPY\x01\x00", 8);
  header[8] = NPY_HEADER - 10;
  header[9] = 0;
  char text[NPY_HEADER];
  hn_text(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (%s,), }", type,
          shape);
  memcpy(header + 10, text, strlen(text));
  header[NPY_HEADER - 1] = '\n';
}

static void to_little_endian(unsigned char *bytes, const double *values, int count) {
  for (int k = 0; k < count; k++) {
    uint64_t bits;
    memcpy(&bits, &values[k], sizeof bits);
    for (int b = 0; b < 8; b++) bytes[8 * k + b] = (unsigned char)(bits >> (8 * b) & 0xff);
  }
}

// NAME.npy: the header and the numbers.
static void write_array(hn_zip *zip, const char *name, const unsigned char *header,
                        const unsigned char *bytes, size_t size) {
  hn_string file = {.data = NULL};
  const hn_zip_bytes pieces[2] = {{header, NPY_HEADER}, {bytes, size}};
  hn_string_add(&file, "%s.npy", name);
  if (file.is_lost)
    zip->is_lost = 1;
  else
    hn_zip_add(zip, file.data, pieces, 2);
  hn_string_free(&file);
}

// `bytes` has capacity for one column.
static hn_status write_columns(hn_zip *zip, hn_column_source *source, unsigned char *bytes,
                               hn_error *error) {
  unsigned char header[NPY_HEADER];
  char shape[16];
  make_beginning("<f8", hn_text(shape, sizeof shape, "%d", source->rows), header);
  const int count = source->names->signal_count + 1;
  for (int c = 0; c < count; c++) {
    const double *values = source->rows > 0 ? source->column(source, c, error) : NULL;
    if (source->rows > 0 && !values) return HN_ERROR_FILE;
    to_little_endian(bytes, values, source->rows);
    write_array(zip, c > 0 ? source->names->names[c - 1] : "time", header, bytes,
                8 * (size_t)source->rows);
  }
  return HN_OK;
}

hn_status hn_columns_write_npz(hn_column_source *source, const char *path, hn_error *error) {
  unsigned char *bytes = hn_allocate(NULL, 8 * (size_t)source->rows);
  hn_zip zip;
  hn_status status = bytes ? hn_zip_create(&zip, path, error)
                           : hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  if (status == HN_OK) {
    status = write_columns(&zip, source, bytes, error);
    if (status == HN_OK)
      status = hn_zip_finish(&zip, error);
    else
      hn_zip_abandon(&zip);
  }
  hn_release(NULL, bytes);
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

static void write_any(hn_zip *zip, const hn_npz_array *a) {
  const int width = a->type ? 0 : longest_text(a);
  const size_t wide = a->columns >= 0 ? (size_t)a->columns : 1;
  const size_t numbers = (size_t)a->rows * wide * (a->type && a->type[1] == 'c' ? 2 : 1);
  const size_t size = a->type ? 8 * numbers : 4 * (size_t)width * (size_t)a->rows;
  unsigned char *bytes = hn_allocate(NULL, size + 1), header[NPY_HEADER];
  if (!bytes) {
    zip->is_lost = 1;
    return;
  }
  char shape[32], type[16];
  if (a->type)
    to_little_endian(bytes, a->values, (int)numbers);
  else
    texts_to_bytes(a, width, bytes);
  if (a->columns >= 0)
    hn_text(shape, sizeof shape, "%d, %d", a->rows, a->columns);
  else
    hn_text(shape, sizeof shape, "%d", a->rows);
  make_beginning(a->type ? a->type : hn_text(type, sizeof type, "<U%d", width), shape, header);
  write_array(zip, a->name, header, bytes, size);
  hn_release(NULL, bytes);
}

hn_status hn_npz_write(const char *path, const hn_npz_array *arrays, int count, hn_error *error) {
  hn_zip zip;
  hn_status status = hn_zip_create(&zip, path, error);
  if (status != HN_OK) return status;
  for (int k = 0; k < count; k++) write_any(&zip, &arrays[k]);
  return hn_zip_finish(&zip, error);
}
