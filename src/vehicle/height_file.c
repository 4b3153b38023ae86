// Heights from files. NPY (version 1 to 3): a header like a Python dictionary with descr,
// fortran_order and shape, then the numbers; read are little-endian floats of 4 and 8 bytes and
// integers of 1, 2 and 4.
#include "vehicle/height_file.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "vehicle/columns.h"

static hn_status fail(const char *name, hn_error *error, const char *hint, const char *message) {
  hn_source at = {name, 0, 0};
  return hn_fail(error, HN_ERROR_SYNTAX, &at, NULL, hint, "%s", message);
}

static int ends_in(const char *name, const char *ending) {
  size_t n = strlen(name), m = strlen(ending);
  return n >= m && strcmp(name + n - m, ending) == 0;
}

static hn_status from_csv(hn_arena *arena, const char *text, size_t size, const char *name,
                          hn_heights *out, hn_error *error) {
  hn_columns table;
  hn_status status = hn_columns_read(arena, text, size, name, 0, &table, error);
  if (status != HN_OK) return status;
  if (table.rows < 1 || table.rows > INT_MAX)
    return fail(name, error, "Write a row of numbers for each y.", "there are no heights");
  *out = (hn_heights){table.count, (int)table.rows, table.values};
  return HN_OK;
}

// ---- NPY ----------------------------------------------------------------------------------------

typedef struct npy {
  const unsigned char *data;
  size_t size; // of the numbers
  int rows, columns, is_fortran, width;
  char kind; // f, u, i
} npy;

// The text behind a key of the dictionary, or null.
static const char *value_of(const char *header, const char *key) {
  const char *at = strstr(header, key);
  at = at ? strchr(at, ':') : NULL;
  return at ? at + 1 + strspn(at + 1, " '\"") : NULL;
}

static int read_count(const char **at) {
  double value = 0;
  size_t used = hn_signed_number(*at, strlen(*at), &value);
  *at += used;
  return used > 0 && value >= 1 && value < 1e6 ? (int)value : 0;
}

static int read_dictionary(const char *header, npy *n) {
  const char *descr = value_of(header, "descr"), *shape = value_of(header, "shape");
  const char *order = value_of(header, "fortran_order");
  if (!descr || !shape || !order || *shape != '(') return 0;
  if (*descr != '<' && *descr != '|') return 0;
  n->kind = descr[1];
  n->width = descr[1] ? descr[2] - '0' : 0;
  n->is_fortran = *order == 'T';
  shape++;
  n->rows = read_count(&shape);
  shape += strspn(shape, ", ");
  n->columns = read_count(&shape);
  int is_float = n->kind == 'f' && (n->width == 4 || n->width == 8);
  int is_whole =
      (n->kind == 'u' || n->kind == 'i') && (n->width == 1 || n->width == 2 || n->width == 4);
  return n->rows > 0 && n->columns > 0 && (is_float || is_whole);
}

static double number_at(const npy *n, size_t index) {
  const unsigned char *b = n->data + index * (size_t)n->width;
  uint64_t bits = 0;
  for (int k = n->width - 1; k >= 0; k--) bits = bits << 8 | b[k];
  if (n->kind == 'u') return (double)bits;
  if (n->kind == 'i') {
    uint64_t sign = (uint64_t)1 << (8 * n->width - 1);
    return (double)(int64_t)((bits ^ sign) - sign);
  }
  if (n->width == 8) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
  }
  uint32_t low = (uint32_t)bits;
  float x;
  memcpy(&x, &low, sizeof x);
  return (double)x;
}

static hn_status from_npy(hn_arena *arena, const char *text, size_t size, const char *name,
                          hn_heights *out, hn_error *error) {
  const unsigned char *b = (const unsigned char *)text;
  const char *hint = "Save a two-dimensional array of float64 by numpy.save.";
  if (size < 12 || memcmp(b, "\x93NUMPY", 6) != 0)
    return fail(name, error, hint, "this is no NPY file");
  size_t before = b[6] > 1 ? 12 : 10, length = (size_t)b[8] | (size_t)b[9] << 8;
  if (b[6] > 1) length |= (size_t)b[10] << 16 | (size_t)b[11] << 24;
  char header[1024];
  if (length >= sizeof header || before + length > size)
    return fail(name, error, hint, "the header of the array is not complete");
  memcpy(header, text + before, length);
  header[length] = '\0';
  npy n = {.data = b + before + length, .size = size - before - length};
  if (!read_dictionary(header, &n))
    return fail(name, error, hint, "the array has another type or shape");
  size_t count = (size_t)n.rows * (size_t)n.columns;
  if (count > n.size / (size_t)n.width)
    return fail(name, error, "Save it again.", "the array is not complete");
  *out = (hn_heights){n.columns, n.rows, HN_TAKE(arena, double, count)};
  if (!out->z) return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  for (int j = 0; j < n.rows; j++)
    for (int i = 0; i < n.columns; i++) {
      size_t c = (size_t)n.columns, r = (size_t)n.rows;
      size_t from = n.is_fortran ? (size_t)i * r + (size_t)j : (size_t)j * c + (size_t)i;
      out->z[(size_t)j * c + (size_t)i] = number_at(&n, from);
    }
  return HN_OK;
}

hn_status hn_heights_read(hn_arena *arena, const char *text, size_t size, const char *name,
                          hn_heights *out, hn_error *error) {
  if (ends_in(name, ".npy")) return from_npy(arena, text, size, name, out, error);
  if (ends_in(name, ".csv") || ends_in(name, ".txt"))
    return from_csv(arena, text, size, name, out, error);
  return fail(name, error, "Read are .csv, .txt and .npy.",
              "a height field of this format cannot be read");
}
