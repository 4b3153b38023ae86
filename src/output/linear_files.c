// A linearization as a file for MATLAB, Octave and SciPy (MAT 5), or for NumPy (NPZ).
//
// MAT 5: 128 bytes of header, then elements: type, bytes, data padded to 8. A matrix is an element of
// elements: flags (class, complex), sizes, name, numbers column by column. Texts are cells of character
// arrays, 16 bits a character.
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/file.h"
#include "base/utf8.h"
#include "holon/linear.h"
#include "output/npz.h"

enum { INT8 = 1, UINT16 = 4, INT32 = 5, UINT32 = 6, DOUBLE = 9, MATRIX = 14 };
enum { CELL = 1, CHARACTERS = 4, NUMBERS = 6, COMPLEX = 0x800 };

// ---- MAT 5 --------------------------------------------------------------------------------------

static void put(hn_file *file, uint64_t value, int bytes) {
  unsigned char out[8];
  for (int k = 0; k < bytes; k++) out[k] = (unsigned char)(value >> (8 * k) & 0xff);
  hn_file_write(file, out, (size_t)bytes);
}

static uint32_t padded(uint32_t size) { return (size + 7) / 8 * 8; }

static void put_tag(hn_file *file, uint32_t type, uint32_t size) {
  put(file, type, 4);
  put(file, size, 4);
}

static void put_padding(hn_file *file, uint32_t size) { put(file, 0, (int)(padded(size) - size)); }

// All parts of a matrix before its data.
static void put_head(hn_file *file, uint32_t kind, int rows, int columns, const char *name,
                     uint32_t data) {
  const uint32_t length = (uint32_t)strlen(name);
  put_tag(file, MATRIX, 16 + 16 + 8 + padded(length) + data);
  put_tag(file, UINT32, 8);
  put(file, kind, 8);
  put_tag(file, INT32, 8);
  put(file, (uint32_t)rows, 4);
  put(file, (uint32_t)columns, 4);
  put_tag(file, INT8, length);
  hn_file_write(file, name, length);
  put_padding(file, length);
}

// Numbers row by row, `step` apart.
static void put_numbers(hn_file *file, const double *values, int rows, int columns, int step) {
  put_tag(file, DOUBLE, 8 * (uint32_t)(rows * columns));
  for (int j = 0; j < columns; j++)
    for (int i = 0; i < rows; i++) {
      uint64_t bits;
      memcpy(&bits, &values[((size_t)i * (size_t)columns + (size_t)j) * (size_t)step], 8);
      put(file, bits, 8);
    }
}

static void put_matrix(hn_file *file, const char *name, const double *values, int rows,
                       int columns) {
  if (!values) return;
  put_head(file, NUMBERS, rows, columns, name, 8 + 8 * (uint32_t)(rows * columns));
  put_numbers(file, values, rows, columns, 1);
}

// Units of 16 bits: characters beyond them take two.
static uint32_t units_of(const char *text) {
  uint32_t count = 0;
  for (const char *c = text; *c;) count += hn_utf8_next(&c) > 0xffff ? 2 : 1;
  return count;
}

static uint32_t text_size(const char *text) { return 16 + 16 + 8 + 8 + padded(2 * units_of(text)); }

static void put_text(hn_file *file, const char *text) {
  const uint32_t units = units_of(text);
  put_head(file, CHARACTERS, units > 0 ? 1 : 0, (int)units, "", 8 + padded(2 * units));
  put_tag(file, UINT16, 2 * units);
  for (const char *c = text; *c;) {
    const uint32_t code = hn_utf8_next(&c);
    if (code > 0xffff) put(file, 0xd800 + ((code - 0x10000) >> 10), 2);
    put(file, code > 0xffff ? 0xdc00 + ((code - 0x10000) & 0x3ff) : code, 2);
  }
  put_padding(file, 2 * units);
}

static void put_texts(hn_file *file, const char *name, const char *const *texts, int count) {
  uint32_t size = 0;
  for (int k = 0; k < count; k++) size += 8 + text_size(texts[k]);
  put_head(file, CELL, count, count > 0 ? 1 : 0, name, size);
  for (int k = 0; k < count; k++) put_text(file, texts[k]);
}

static void put_eigenvalues(hn_file *file, const hn_linear *l) {
  const int n = l->eigenvalue_count, step = (int)(sizeof(hn_eigenvalue) / sizeof(double));
  put_head(file, NUMBERS | COMPLEX, n, 1, "eigenvalues", 2 * (8 + 8 * (uint32_t)n));
  put_numbers(file, n > 0 ? &l->eigenvalues[0].real : NULL, n, 1, step);
  put_numbers(file, n > 0 ? &l->eigenvalues[0].imaginary : NULL, n, 1, step);
}

static void put_header(hn_file *file) {
  char text[124];
  memset(text, ' ', sizeof text);
  static const char words[] = "MATLAB 5.0 MAT-file, linearized model, written by Holon";
  memcpy(text, words, sizeof words - 1);
  memset(&text[116], 0, 8); // no data of subsystems
  hn_file_write(file, text, sizeof text);
  put(file, 0x0100, 2);
  hn_file_write(file, "IM", 2); // little-endian
}

hn_status hn_linear_write_mat(const hn_linear *l, const char *path, hn_error *error) {
  hn_file file;
  const int n = l->state_count, m = l->input_count, p = l->output_count;
  hn_status status = hn_file_create(&file, path, error);
  if (status != HN_OK) return status;
  put_header(&file);
  put_matrix(&file, "A", l->a, n, n);
  put_matrix(&file, "B", l->b, n, m);
  put_matrix(&file, "C", l->c, p, n);
  put_matrix(&file, "D", l->d, p, m);
  put_matrix(&file, "B_rate", l->b_rate, n, m);
  put_matrix(&file, "B_acceleration", l->b_acceleration, n, m);
  put_matrix(&file, "D_rate", l->d_rate, p, m);
  put_matrix(&file, "D_acceleration", l->d_acceleration, p, m);
  put_matrix(&file, "f0", l->f0, n, 1);
  put_matrix(&file, "x0", l->x0, n, 1);
  put_matrix(&file, "u0", l->u0, m, 1);
  put_matrix(&file, "y0", l->y0, p, 1);
  put_eigenvalues(&file, l);
  put_texts(&file, "states", l->states, n);
  put_texts(&file, "inputs", l->inputs, m);
  put_texts(&file, "outputs", l->outputs, p);
  return hn_file_finish(&file, error);
}

// ---- NPZ ----------------------------------------------------------------------------------------

static int add(hn_npz_array *arrays, int count, const char *name, const double *values, int rows,
               int columns) {
  if (!values) return count;
  arrays[count] = (hn_npz_array){
      .name = name, .type = "<f8", .rows = rows, .columns = columns, .values = values};
  return count + 1;
}

hn_status hn_linear_write_npz(const hn_linear *l, const char *path, hn_error *error) {
  hn_npz_array arrays[20];
  const int n = l->state_count, m = l->input_count, p = l->output_count;
  const struct {
    const char *name;
    const double *values;
    int rows, columns;
  } matrices[] = {{"A", l->a, n, n},           {"B", l->b, n, m},
                  {"C", l->c, p, n},           {"D", l->d, p, m},
                  {"B_rate", l->b_rate, n, m}, {"B_acceleration", l->b_acceleration, n, m},
                  {"D_rate", l->d_rate, p, m}, {"D_acceleration", l->d_acceleration, p, m},
                  {"f0", l->f0, n, -1},        {"x0", l->x0, n, -1},
                  {"u0", l->u0, m, -1},        {"y0", l->y0, p, -1}};
  int count = 0;
  for (size_t k = 0; k < sizeof matrices / sizeof matrices[0]; k++)
    count = add(arrays, count, matrices[k].name, matrices[k].values, matrices[k].rows,
                matrices[k].columns);
  double *values = hn_allocate(NULL, 16 * (size_t)(l->eigenvalue_count + 1));
  if (!values) return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  for (int k = 0; k < l->eigenvalue_count; k++) {
    values[2 * k] = l->eigenvalues[k].real;
    values[2 * k + 1] = l->eigenvalues[k].imaginary;
  }
  arrays[count++] = (hn_npz_array){"eigenvalues", "<c16", l->eigenvalue_count, -1, values, NULL};
  arrays[count++] = (hn_npz_array){"states", NULL, n, -1, NULL, l->states};
  arrays[count++] = (hn_npz_array){"inputs", NULL, m, -1, NULL, l->inputs};
  arrays[count++] = (hn_npz_array){"outputs", NULL, p, -1, NULL, l->outputs};
  hn_status status = hn_npz_write(path, arrays, count, error);
  hn_release(NULL, values);
  return status;
}
