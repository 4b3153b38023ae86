// Arrays that numpy.save wrote (NPY): a header like a Python dictionary with descr, fortran_order and
// shape, then the numbers. Sizes and types are checked before anything is read.
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "vehicle/columns.h"

typedef struct npy {
  const unsigned char *data; // behind the header
  char kind;                 // f, i or u
  int width;                 // bytes of a number
  int is_big, is_by_columns;
  size_t rows, columns;
} npy;

double hn_number_of_bytes(const unsigned char *bytes, int width, char kind, int is_big_endian) {
  uint64_t bits = 0;
  for (int k = 0; k < width; k++)
    bits |= (uint64_t)bytes[is_big_endian ? width - 1 - k : k] << (8 * k);
  if (kind == 'u') return (double)bits;
  if (kind == 'i') {
    uint64_t sign = (uint64_t)1 << (8 * width - 1);
    return bits & sign ? -(double)((~bits & (sign - 1)) + 1) : (double)bits;
  }
  if (width == 4) {
    uint32_t low = (uint32_t)bits;
    float single;
    memcpy(&single, &low, sizeof single);
    return (double)single;
  }
  double number;
  memcpy(&number, &bits, sizeof number);
  return number;
}

// The text behind 'key': in the header, or null.
static const char *value_of(const char *header, const char *key) {
  const char *at = strstr(header, key);
  if (!at) return NULL;
  at += strlen(key);
  while (*at == ' ' || *at == ':') at++;
  return at;
}

static const char *read_shape(const char *at, npy *out) {
  size_t shape[2] = {1, 1};
  int count = 0;
  if (*at++ != '(') return "has no shape in its header";
  while (*at && *at != ')') {
    if (*at == ' ' || *at == ',') {
      at++;
      continue;
    }
    if (*at < '0' || *at > '9' || count == 2) return "is not a two-dimensional array";
    size_t n = 0;
    for (; *at >= '0' && *at <= '9'; at++) {
      if (n > INT32_MAX / 10 - 1) return "has a shape that is too large";
      n = 10 * n + (size_t)(*at - '0');
    }
    shape[count++] = n;
  }
  if (count != 2) return "is not a two-dimensional array";
  out->rows = shape[0];
  out->columns = shape[1];
  return NULL;
}

static int is_known(char kind, int width) {
  if (kind == 'f') return width == 4 || width == 8;
  return (kind == 'i' || kind == 'u') && (width == 1 || width == 2 || width == 4 || width == 8);
}

// Returns an error text, or null.
static const char *read_header(const unsigned char *bytes, size_t size, npy *out) {
  char header[4096];
  if (size < 12 || memcmp(bytes, "\x93NUMPY", 6) != 0) return "is not an NPY file";
  size_t start = bytes[6] == 1 ? 10 : 12;
  size_t length = bytes[8] + 256u * bytes[9];
  if (bytes[6] != 1) length += 65536u * bytes[10] + 16777216u * (size_t)bytes[11];
  if (bytes[6] < 1 || bytes[6] > 3 || length >= sizeof header || start + length > size)
    return "has an invalid NPY header";
  memcpy(header, bytes + start, length);
  header[length] = '\0';
  const char *type = value_of(header, "'descr'"), *order = value_of(header, "'fortran_order'");
  const char *shape = value_of(header, "'shape'");
  if (!type || !order || !shape || type[0] != '\'' || !type[1] || !type[2] || !type[3])
    return "has an incomplete header";
  *out = (npy){.kind = type[2],
               .width = type[3] - '0',
               .is_big = type[1] == '>',
               .is_by_columns = order[0] == 'T',
               .data = bytes + start + length};
  if (!strchr("<>|=", type[1]) || type[4] != '\'' || !is_known(out->kind, out->width))
    return "has an unsupported number type (f4, f8, i1 to i8, u1 to u8 are supported)";
  const char *problem = read_shape(shape, out);
  if (problem) return problem;
  size_t room = size - start - length;
  if (out->rows == 0 || out->columns == 0) return "has no numbers";
  if (out->columns > room / out->rows / (size_t)out->width)
    return "is shorter than its header says";
  return NULL;
}

hn_status hn_columns_read_npy(hn_arena *arena, const char *bytes, size_t size, const char *file,
                              hn_columns *out, hn_error *error) {
  npy a;
  hn_source place = {file, 0, 0};
  const char *problem = read_header((const unsigned char *)bytes, size, &a);
  *out = (hn_columns){0};
  if (problem)
    return hn_fail(error, HN_ERROR_SYNTAX, &place, NULL,
                   "Write a two-dimensional array with numpy.save.", "the table %s", problem);
  *out = (hn_columns){.count = (int)a.columns,
                      .rows = (long)a.rows,
                      .values = HN_TAKE(arena, double, a.rows *a.columns)};
  if (!out->values)
    return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory for a table");
  for (size_t i = 0; i < a.rows; i++)
    for (size_t j = 0; j < a.columns; j++) {
      size_t from = a.is_by_columns ? j * a.rows + i : i * a.columns + j;
      double x = hn_number_of_bytes(a.data + from * (size_t)a.width, a.width, a.kind, a.is_big);
      if (!isfinite(x))
        return hn_fail(
            error, HN_ERROR_SYNTAX, &place, NULL, "Remove each row that has such a number.",
            "the table has a non-finite number (table row %zu, column %zu)", i + 1, j + 1);
      out->values[i * a.columns + j] = x;
    }
  return HN_OK;
}
