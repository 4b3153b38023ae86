// Tables of laws: points written in the model, or columns of a file (CSV, NPY).
//
// Files are looked up next to the model, like components and meshes, and are untrusted: sizes,
// numbers and headers are checked. What they hold is in SI unless `units:` says otherwise.
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "formats/law.h"
#include "formats/text_file.h"
#include "vehicle/columns.h"

// ---- points in the model ------------------------------------------------------------------------

static double pair_number(const hn_context *context, const hn_node *node, hn_meaning meaning) {
  return meaning == HN_ANYTHING
             ? hn_number_of(context, node, HN_ANYTHING, "table")
             : hn_law_number(context, node, meaning, hn_meaning_dimension(meaning), "table");
}

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
                     "has point %d of 'table', which is not a pair of numbers", k + 1);
      return;
    }
    draft->x[k] =
        pair_number(context, n->first, hn_law_variable_meaning(wanted, wanted->variables[0]));
    draft->y[k] = pair_number(context, n->first->next, wanted->value);
    if (k > 0 && hn_loader_ok(loader) && !(draft->x[k] > draft->x[k - 1]))
      hn_loader_fail(loader, HN_ERROR_MODEL, &place, "Sort the points and use each x once.",
                     "has x = %g after x = %g in 'table'; x must increase", draft->x[k],
                     draft->x[k - 1]);
  }
}

// ---- files --------------------------------------------------------------------------------------

static int ends_in(const char *name, const char *ending) {
  size_t n = strlen(name), m = strlen(ending);
  return n >= m && strcmp(name + n - m, ending) == 0;
}

typedef struct hn_loaded_columns hn_loaded_columns;
struct hn_loaded_columns {
  const char *text; // of the file
  int has_names;
  hn_columns columns;
  hn_loaded_columns *next;
};

// Read once. Null after a failure.
static const hn_columns *columns_of(hn_loader *loader, const char *path, int has_names,
                                    const hn_source *place) {
  const char *text;
  size_t size;
  hn_status status = hn_loader_text(loader, path, place, &text, &size, loader->error);
  hn_loaded_columns *c = status == HN_OK ? loader->columns : NULL;
  while (c && (c->text != text || c->has_names != has_names)) c = c->next;
  if (c) return &c->columns;
  const char *name = hn_loader_copy(loader, path);
  c = hn_loader_take(loader, 1, sizeof *c);
  if (!name || !c) return NULL;
  *c = (hn_loaded_columns){.text = text, .has_names = has_names, .next = loader->columns};
  if (status == HN_OK && ends_in(path, ".npy"))
    status = hn_columns_read_npy(&loader->arena, text, size, name, &c->columns, loader->error);
  else if (status == HN_OK)
    status =
        hn_columns_read(&loader->arena, text, size, name, has_names, &c->columns, loader->error);
  if (status != HN_OK) {
    hn_loader_failed(loader, status);
    return NULL;
  }
  loader->columns = c;
  return &c->columns;
}

int hn_law_read_file(const hn_context *context, const hn_node *node, int has_names,
                     hn_columns *out) {
  hn_loader *loader = context->loader;
  hn_source place = hn_node_source(node);
  const char *given = hn_text_of(context, node);
  if (given && hn_path_is_absolute(given))
    hn_loader_fail(loader, HN_ERROR_MODEL, &place,
                   "Write the path relative to this file, so that the model works elsewhere too.",
                   "has a table with the absolute path '%.200s'", given);
  if (!given || !hn_loader_ok(loader)) return 0;
  const char *path = hn_path_join(&loader->arena, hn_written_in(context, node), given);
  if (!path) {
    hn_loader_take(loader, 1, 1); // reports
    return 0;
  }
  const hn_columns *columns = columns_of(loader, path, has_names, &place);
  if (columns) *out = *columns;
  return columns != NULL;
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
    hn_text(hint, sizeof hint, "Use a name of the header line or a number from 1 to %d.",
            columns->count);
  hn_source place = hn_node_source(node);
  hn_loader_fail(loader, HN_ERROR_MODEL, &place, hint, "has no column '%.60s' in its table", name);
  return 0;
}

// The column's unit in SI, 1 without units. Of HN_ANYTHING: any unit.
static double unit_factor(hn_loader *loader, const hn_node *node, const char *unit,
                          hn_meaning meaning) {
  const hn_dimension wanted = hn_meaning_dimension(meaning);
  double factor = 1;
  hn_dimension dimension = {0, 0, 0, 0};
  const char *problem = NULL;
  size_t length = hn_unit_read(unit, strlen(unit), NULL, NULL, &factor, &dimension, &problem);
  if (length == strlen(unit) && !problem &&
      (meaning == HN_ANYTHING || hn_dimension_equal_without_angles(dimension, wanted)))
    return factor;
  hn_source place = hn_node_source(node);
  hn_loader_fail(loader, HN_ERROR_MODEL, &place, "Give the unit of the column.",
                 "has the unit '%.40s' in 'units', expected %s (%s)", unit,
                 hn_meaning_name(meaning), hn_meaning_unit(meaning));
  return 1;
}

static void take_columns(const hn_context *context, hn_fields *fields, const hn_columns *columns,
                         const hn_law_wanted *wanted, hn_law_draft *draft) {
  hn_loader *loader = context->loader;
  const char *names[2], *units[2];
  const hn_node *nodes[2];
  int place[2] = {0, 1};
  double factor[2] = {1, 1};
  const hn_meaning meaning[2] = {hn_law_variable_meaning(wanted, wanted->variables[0]),
                                 wanted->value};
  if (columns->count < 2) {
    hn_source at = hn_node_source(draft->node);
    hn_loader_fail(loader, HN_ERROR_MODEL, &at, "Use a table of two columns.",
                   "has a table of %d column", columns->count);
  }
  if (hn_field_given(fields, "columns") && hn_field_names(fields, "columns", 2, names, nodes))
    for (int k = 0; k < 2; k++) place[k] = find_column(loader, columns, nodes[k], names[k]);
  if (hn_field_given(fields, "units") && hn_field_names(fields, "units", 2, units, nodes))
    for (int k = 0; k < 2; k++) factor[k] = unit_factor(loader, nodes[k], units[k], meaning[k]);
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
    if (hn_law_read_file(context, node, 1, &columns))
      take_columns(context, fields, &columns, wanted, draft);
  } else {
    read_pairs(context, node, wanted, draft);
  }
  draft->table.kind = kinds[hn_field_choice(fields, "interpolation")];
  draft->table.outside = ends[hn_field_choice(fields, "outside")];
  draft->table.is_periodic = hn_field_boolean(fields, "periodic");
  draft->table.is_motion = wanted->is_motion;
}
