// Tables that formulas call: `torque: {table: [[x, y], ...]}` of one variable, `map: {x: [...],
// y: [...], values: [...]}` or `map: {map: file.csv}` of two.
#include <limits.h>

#include "base/error.h"
#include "formats/law.h"
#include "vehicle/columns.h"

static void refuse(hn_fields *fields, const char *problem, const char *hint) {
  const hn_source place = hn_node_key_source(fields->map);
  hn_loader_fail(fields->context->loader, HN_ERROR_MODEL, &place, hint, "%s", problem);
}

static double *numbers_of(hn_fields *fields, const char *key, int *count) {
  const hn_node *node = hn_field(fields, key);
  int most = node && node->kind == HN_NODE_LIST ? node->count : 0;
  double *numbers = hn_loader_take(fields->context->loader, (size_t)most + 1, sizeof *numbers);
  *count = numbers ? hn_field_numbers(fields, key, 2, most, numbers) : 0;
  return numbers;
}

static void read_lists(hn_fields *fields, hn_table_def *def) {
  int values = 0;
  hn_loader *loader = fields->context->loader;
  def->x = numbers_of(fields, "x", &def->columns);
  def->y = numbers_of(fields, "y", &def->rows);
  def->values = numbers_of(fields, "values", &values);
  const hn_source place = hn_node_key_source(fields->map);
  if (hn_loader_ok(loader) && (double)values != (double)def->columns * def->rows)
    hn_loader_fail(loader, HN_ERROR_MODEL, &place,
                   "Give a value for each pair of x and y: all x at the first y, and so on.",
                   "has %d values for %d x %d points", values, def->columns, def->rows);
}

// The first row has x, the first column y; the number in the corner means nothing.
static void read_map(hn_fields *fields, const hn_node *node, hn_table_def *def) {
  hn_loader *loader = fields->context->loader;
  hn_columns all = {0};
  if (!hn_law_read_file(fields->context, node, 0, &all)) return;
  const long rows = all.rows - 1;
  const int columns = all.count - 1;
  if (columns < 2 || rows < 2 || rows > INT_MAX / (columns + 1)) {
    refuse(fields, "has a map with fewer than two rows or two columns of values",
           "Write x into the first row and y into the first column.");
    return;
  }
  double *x = hn_loader_take(loader, (size_t)columns, sizeof *x);
  double *y = hn_loader_take(loader, (size_t)rows, sizeof *y);
  double *values = hn_loader_take(loader, (size_t)columns * (size_t)rows, sizeof *values);
  if (!x || !y || !values) return;
  for (int i = 0; i < columns; i++) x[i] = all.values[i + 1];
  for (long j = 0; j < rows; j++) {
    const double *row = all.values + (j + 1) * all.count;
    y[j] = row[0];
    for (int i = 0; i < columns; i++) values[j * columns + i] = row[i + 1];
  }
  def->x = x;
  def->y = y;
  def->values = values;
  def->columns = columns;
  def->rows = (int)rows;
}

static void read_curve(hn_fields *fields, const hn_node *node, hn_table_def *def) {
  const hn_law_wanted wanted = {"x", HN_ANYTHING, HN_ANYTHING, HN_ANYTHING, 1, 0};
  hn_law_draft draft = {.node = node};
  hn_law_read_table(fields, node, &wanted, &draft);
  def->x = draft.x;
  def->values = draft.y;
  def->columns = draft.points;
}

static void add_table(hn_entry *entry) {
  const hn_context *context = &entry->context;
  hn_loader *loader = context->loader;
  hn_table_def def = {.name = entry->name, .source = hn_node_key_source(entry->node)};
  hn_fields fields;
  if (!hn_fields_open(context, entry->node, hn_section_find("table", NULL), &fields)) return;
  const hn_node *table = hn_field(&fields, "table"), *map = hn_field(&fields, "map");
  const int has_lists = hn_field_given(&fields, "x") || hn_field_given(&fields, "y") ||
                        hn_field_given(&fields, "values");
  static const hn_table_kind kinds[] = {HN_TABLE_SPLINE, HN_TABLE_LINEAR, HN_TABLE_MONOTONE,
                                        HN_TABLE_AKIMA};
  static const hn_table_outside ends[] = {HN_TABLE_TANGENT, HN_TABLE_HOLD, HN_TABLE_REFUSE};
  def.options.kind = kinds[hn_field_choice(&fields, "interpolation")];
  def.options.outside = ends[hn_field_choice(&fields, "outside")];
  def.options.is_periodic = hn_field_boolean(&fields, "periodic");
  if ((table != NULL) + (map != NULL) + has_lists != 1)
    refuse(&fields, "has no table, map or values",
           "Give `table:` alone, `map:` alone, or `x:`, `y:` and `values:`.");
  else if (table)
    read_curve(&fields, table, &def);
  else if (map)
    read_map(&fields, map, &def);
  else
    read_lists(&fields, &def);
  hn_fields_close(&fields);
  if (hn_loader_ok(loader)) hn_loader_added(loader, hn_model_add_table(loader->model, &def));
}

void hn_load_tables(hn_loader *loader) {
  for (hn_entry *table = loader->first[HN_ENTRY_TABLE]; hn_loader_goes_on(loader, table);
       table = table->next) {
    hn_element_name old = hn_loader_begin(loader, "table", table->name);
    add_table(table);
    hn_loader_set_element(loader, &old);
  }
}
