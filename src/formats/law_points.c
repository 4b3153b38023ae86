// Tables of laws: points written in the model, or columns of a file (CSV, NPY).
//
// Files are looked up beside the model, like components and meshes, and are untrusted: sizes, numbers
// and headers are checked. What they hold is in SI unless `units:` says otherwise.
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "formats/law.h"
#include "formats/text_file.h"
#include "vehicle/columns.h"

// ---- points in the model ------------------------------------------------------------------------

static void read_pairs(const hn_context *context, const hn_node *node, const hn_law_wanted *wanted,
                       hn_law_draft *draft) {
  hn_loader *loader = context->loader;
  hn_source place = hn_node_source(node);
  if (node->kind != HN_NODE_LIST || node->count < 2) {
    hn_loader_fail(loader, HN_ERROR_MODEL, &place,
                   "Write [[x, y], [x, y], ...], or the name of a file (.csv, .npy).",
                   "expects at least two points in 'table', got %s with %d",
                   hn_node_kind_name(node), node->count);
    return;
  }
  draft->points = node->count;
  draft->x = hn_loader_take(loader, (size_t)node->count, sizeof(double));
  draft->y = hn_loader_take(loader, (size_t)node->count, sizeof(double));
  int k = 0;
  for (const hn_node *n = node->first; n && hn_loader_ok(loader); n = n->next, k++) {
    place = hn_node_source(n);
    if (n->kind != HN_NODE_LIST || n->count != 2) {
      hn_loader_fail(loader, HN_ERROR_MODEL, &place, "Write [[x, y], [x, y], ...].",
                     "has a point %d of 'table' that is no pair", k + 1);
      return;
    }
    draft->x[k] = hn_law_number(context, n->first,
                                hn_law_variable_dimension(wanted, wanted->variables[0]), "table");
    draft->y[k] =
        hn_law_number(context, n->first->next, hn_meaning_dimension(wanted->value), "table");
    if (k > 0 && hn_loader_ok(loader) && !(draft->x[k] > draft->x[k - 1]))
      hn_loader_fail(loader, HN_ERROR_MODEL, &place, "Sort the points; each x stands once.",
                     "has x = %g after x = %g in 'table'; x must increase", draft->x[k],
                     draft->x[k - 1]);
  }
}

// ---- NPY ----------------------------------------------------------------------------------------

typedef struct npy {
  const unsigned char *data; // behind the header
  char kind;                 // f, i or u
  int size;                  // bytes of a number
  int is_big, is_by_columns;
  uint64_t rows, columns;
} npy;

// The text behind 'key': in the header, or null.
static const char *npy_value(const char *header, const char *key) {
  const char *at = strstr(header, key);
  if (!at) return NULL;
  at += strlen(key);
  while (*at == ' ' || *at == ':') at++;
  return at;
}

static const char *read_shape(const char *at, npy *out) {
  uint64_t shape[2] = {1, 1};
  int count = 0;
  if (*at++ != '(') return "has no shape in its header";
  while (*at && *at != ')') {
    if (*at == ' ' || *at == ',') {
      at++;
      continue;
    }
    if (*at < '0' || *at > '9' || count == 2) return "is no array of rows and columns";
    uint64_t n = 0;
    for (; *at >= '0' && *at <= '9'; at++) {
      if (n > UINT32_MAX) return "has a shape that is too large";
      n = 10 * n + (uint64_t)(*at - '0');
    }
    shape[count++] = n;
  }
  if (count != 2) return "is no array of rows and columns";
  out->rows = shape[0];
  out->columns = shape[1];
  return NULL;
}

// What is wrong, or null.
static const char *read_npy_header(const unsigned char *bytes, size_t size, char header[4096],
                                   npy *out) {
  if (size < 12 || memcmp(bytes, "\x93NUMPY", 6) != 0) return "is no NPY file";
  size_t start = bytes[6] == 1 ? 10 : 12;
  size_t length = bytes[8] + 256u * bytes[9];
  if (bytes[6] != 1) length += 65536u * bytes[10] + 16777216u * (size_t)bytes[11];
  if (bytes[6] < 1 || bytes[6] > 3 || length >= 4096 || start + length > size)
    return "has a header that is no header of an NPY file";
  memcpy(header, bytes + start, length);
  header[length] = '\0';
  const char *type = npy_value(header, "'descr'"), *order = npy_value(header, "'fortran_order'");
  const char *shape = npy_value(header, "'shape'");
  if (!type || !order || !shape || type[0] != '\'' || !type[1] || !type[2])
    return "has an incomplete header";
  out->kind = type[2];
  out->is_big = type[1] == '>';
  out->size = type[3] - '0';
  if (!strchr("fiu", out->kind) || !strchr("<>|=", type[1]) || type[4] != '\'' ||
      !(out->size == 8 || out->size == 4 || (out->kind != 'f' && (out->size & -out->size & 3))))
    return "has numbers of another type than f4, f8, i1 to i8 or u1 to u8";
  out->is_by_columns = order[0] == 'T';
  out->data = bytes + start + length;
  const char *problem = read_shape(shape, out);
  if (problem) return problem;
  size_t room = size - start - length;
  if (out->rows > 0 && out->columns > room / out->rows / (size_t)out->size)
    return "is shorter than its header says";
  return NULL;
}

static double npy_number(const npy *a, uint64_t index) {
  const unsigned char *at = a->data + index * (size_t)a->size;
  uint64_t bits = 0;
  for (int k = 0; k < a->size; k++)
    bits |= (uint64_t)at[a->is_big ? a->size - 1 - k : k] << (8 * k);
  if (a->kind == 'u') return (double)bits;
  if (a->kind == 'i') {
    uint64_t sign = 1ULL << (8 * a->size - 1);
    return bits & sign ? -(double)((~bits & (sign - 1)) + 1) : (double)bits;
  }
  if (a->size == 4) {
    uint32_t half = (uint32_t)bits;
    float single;
    memcpy(&single, &half, sizeof single);
    return (double)single;
  }
  double number;
  memcpy(&number, &bits, sizeof number);
  return number;
}

static void read_npy(hn_loader *loader, const unsigned char *bytes, size_t size, const char *path,
                     hn_columns *out) {
  char header[4096];
  npy a = {0};
  const char *problem = read_npy_header(bytes, size, header, &a);
  if (!problem && a.columns > HN_COLUMNS_MOST) problem = "has more than 64 columns";
  hn_source place = {path, 0, 0};
  if (problem) {
    hn_loader_fail(loader, HN_ERROR_SYNTAX, &place,
                   "Write it by numpy.save, an array of rows and columns.", "has a table that %s",
                   problem);
    return;
  }
  out->count = (int)a.columns;
  out->rows = (long)a.rows;
  out->values = hn_loader_take(loader, (size_t)(a.rows * a.columns), sizeof(double));
  for (uint64_t i = 0; i < a.rows && out->values; i++)
    for (uint64_t j = 0; j < a.columns; j++)
      out->values[i * a.columns + j] =
          npy_number(&a, a.is_by_columns ? j * a.rows + i : i * a.columns + j);
}

// ---- files --------------------------------------------------------------------------------------

static int ends_in(const char *name, const char *ending) {
  size_t n = strlen(name), m = strlen(ending);
  return n >= m && strcmp(name + n - m, ending) == 0;
}

static int read_file(const hn_context *context, const hn_node *node, const char *path,
                     hn_columns *out) {
  hn_loader *loader = context->loader;
  hn_source place = hn_node_source(node);
  char *text;
  size_t size;
  if (loader->is_sealing) {
    hn_loader_fail(loader, HN_ERROR_UNSUPPORTED, &place, "Write its points into the model.",
                   "reads the table '%.200s' from a file, which a sealed component cannot", path);
    return 0;
  }
  hn_status status = hn_text_file_read(&loader->arena, path, &place, &text, &size, loader->error);
  if (status == HN_OK && ends_in(path, ".npy")) {
    read_npy(loader, (const unsigned char *)text, size, path, out);
    return hn_loader_ok(loader);
  }
  if (status == HN_OK)
    status = hn_columns_read(&loader->arena, text, size, hn_loader_copy(loader, path), 1, out,
                             loader->error);
  if (status != HN_OK) hn_loader_failed(loader, status);
  return hn_loader_ok(loader);
}

// By its name, or by its number from 1.
static int find_column(hn_loader *loader, const hn_columns *columns, const hn_node *node,
                       const char *name) {
  int found = hn_columns_find(columns, name);
  char *end = NULL;
  long number = found < 0 ? strtol(name, &end, 10) : 0;
  if (found < 0 && end != name && *end == '\0' && number >= 1 && number <= columns->count)
    found = (int)number - 1;
  if (found >= 0) return found;
  char hint[160];
  const char *nearest =
      columns->names ? hn_nearest_word(name, (const char *const *)columns->names, columns->count)
                     : NULL;
  if (nearest)
    hn_text(hint, sizeof hint, "Did you mean '%s'?", nearest);
  else
    hn_text(hint, sizeof hint, "Give a name of the first line, or a number from 1 to %d.",
            columns->count);
  hn_source place = hn_node_source(node);
  hn_loader_fail(loader, HN_ERROR_MODEL, &place, hint, "has no column '%.60s' in its table", name);
  return 0;
}

// What one of the column's units is in SI, 1 without units.
static double unit_factor(hn_loader *loader, const hn_node *node, const char *unit,
                          hn_dimension wanted) {
  double factor = 1;
  hn_dimension dimension = {0, 0, 0, 0};
  const char *problem = NULL;
  char expected[64];
  size_t length = hn_unit_read(unit, strlen(unit), NULL, NULL, &factor, &dimension, &problem);
  if (length == strlen(unit) && !problem && hn_dimension_equal_without_angles(dimension, wanted))
    return factor;
  hn_source place = hn_node_source(node);
  hn_loader_fail(loader, HN_ERROR_MODEL, &place, "Give the unit the column is written in.",
                 "has the unit '%.40s' in 'units', expected one like %s", unit,
                 hn_dimension_text(wanted, expected, sizeof expected));
  return 1;
}

static void take_columns(const hn_context *context, hn_fields *fields, const hn_columns *columns,
                         const hn_law_wanted *wanted, hn_law_draft *draft) {
  hn_loader *loader = context->loader;
  const char *names[2], *units[2];
  const hn_node *nodes[2];
  int place[2] = {0, 1};
  double factor[2] = {1, 1};
  hn_dimension dimension[2] = {hn_law_variable_dimension(wanted, wanted->variables[0]),
                               hn_meaning_dimension(wanted->value)};
  if (columns->count < 2) {
    hn_source at = hn_node_source(draft->node);
    hn_loader_fail(loader, HN_ERROR_MODEL, &at, "A law is a table of two columns.",
                   "has a table of %d column", columns->count);
  }
  if (hn_field_given(fields, "columns") && hn_field_names(fields, "columns", 2, names, nodes))
    for (int k = 0; k < 2; k++) place[k] = find_column(loader, columns, nodes[k], names[k]);
  if (hn_field_given(fields, "units") && hn_field_names(fields, "units", 2, units, nodes))
    for (int k = 0; k < 2; k++) factor[k] = unit_factor(loader, nodes[k], units[k], dimension[k]);
  if (!hn_loader_ok(loader)) return;
  if (columns->rows > INT_MAX) return;
  draft->points = (int)columns->rows;
  draft->x = hn_loader_take(loader, (size_t)columns->rows + 1, sizeof(double));
  draft->y = hn_loader_take(loader, (size_t)columns->rows + 1, sizeof(double));
  for (long r = 0; r < columns->rows && draft->x && draft->y; r++) {
    const double *row = columns->values + r * columns->count;
    draft->x[r] = factor[0] * row[place[0]];
    draft->y[r] = factor[1] * row[place[1]];
  }
}

void hn_law_read_table(hn_fields *fields, const hn_node *node, const hn_law_wanted *wanted,
                       hn_law_draft *draft) {
  static const hn_table_kind kinds[] = {HN_TABLE_SPLINE, HN_TABLE_LINEAR, HN_TABLE_MONOTONE,
                                        HN_TABLE_AKIMA};
  static const hn_table_outside ends[] = {HN_TABLE_TANGENT, HN_TABLE_HOLD, HN_TABLE_REFUSE};
  const hn_context *context = fields->context;
  draft->kind = HN_LAW_TABLE;
  if (node->kind == HN_NODE_SCALAR) {
    hn_columns columns = {0};
    const char *name = hn_text_of(context, node);
    if (!name) return;
    hn_source place = hn_node_source(node);
    if (hn_path_is_absolute(name)) {
      hn_loader_fail(context->loader, HN_ERROR_MODEL, &place,
                     "Write the path relative to this file, so that the model works elsewhere too.",
                     "has a table with the absolute path '%.200s'", name);
      return;
    }
    const char *path = hn_path_join(&context->loader->arena, context->scope->file, name);
    if (!path)
      hn_loader_take(context->loader, 1, 1); // reports
    else if (read_file(context, node, path, &columns))
      take_columns(context, fields, &columns, wanted, draft);
  } else {
    read_pairs(context, node, wanted, draft);
  }
  draft->table.kind = kinds[hn_field_choice(fields, "interpolation")];
  draft->table.outside = ends[hn_field_choice(fields, "outside")];
  draft->table.is_periodic = hn_field_boolean(fields, "periodic");
  draft->table.is_motion = wanted->is_motion;
}
