// Results of a run: columns in memory that grow by doubling, chosen by globs over signal names.
// Files are the business of csv.c, hdf5.c and npz.c.
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/glob.h"
#include "holon/store.h"
#include "output/store.h"

hn_results *hn_results_new(int signal_count) {
  hn_results *r = hn_allocate(NULL, sizeof *r);
  if (!r) return NULL;
  memset(r, 0, sizeof *r);
  hn_arena_init(&r->arena, NULL);
  r->signal_count = signal_count;
  r->names = HN_TAKE(&r->arena, const char *, signal_count);
  r->units = HN_TAKE(&r->arena, const char *, signal_count);
  r->sorted = HN_TAKE(&r->arena, hn_results_name, signal_count);
  if (!r->arena.failed) return r;
  hn_results_free(r);
  return NULL;
}

void hn_results_free(hn_results *results) {
  if (!results) return;
  hn_release(NULL, results->data);
  hn_arena_release(&results->arena);
  hn_release(NULL, results);
}

// ---- names
// ----------------------------------------------------------------------------------------

static int compare_names(const void *a, const void *b) {
  const hn_results_name *x = a, *y = b;
  int order = strcmp(x->name, y->name);
  return order ? order : (x->index > y->index) - (x->index < y->index);
}

void hn_results_sort_names(hn_results *r) {
  for (int k = 0; k < r->signal_count; k++) r->sorted[k] = (hn_results_name){r->names[k], k};
  qsort(r->sorted, (size_t)r->signal_count, sizeof *r->sorted, compare_names);
}

// The first place in order whose name is not less: with equal names, the first column.
int hn_results_find(const hn_results *r, const char *name) {
  if (!name) return -1;
  int low = 0, high = r->signal_count;
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (strcmp(r->sorted[middle].name, name) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low < r->signal_count && strcmp(r->sorted[low].name, name) == 0 ? r->sorted[low].index
                                                                         : -1;
}

// ---- rows
// -----------------------------------------------------------------------------------------

static int take_room(hn_results *r, size_t room) {
  size_t columns = (size_t)r->signal_count + 1;
  if (room > SIZE_MAX / sizeof(double) / columns) return 0;
  double *data = hn_allocate(NULL, columns * room * sizeof *data);
  if (!data) return 0;
  for (size_t c = 0; c < columns && r->row_count > 0; c++)
    memcpy(data + c * room, r->data + c * (size_t)r->room, (size_t)r->row_count * sizeof *data);
  hn_release(NULL, r->data);
  r->data = data;
  r->room = (int)room;
  return 1;
}

static int make_room(hn_results *r) {
  if (r->row_count < r->room) return 1;
  if (r->room > INT_MAX / 2) return 0;
  return take_room(r, r->room ? 2 * (size_t)r->room : 16);
}

hn_status hn_results_reserve(hn_results *r, int rows) {
  return rows <= r->room || take_room(r, (size_t)rows) ? HN_OK : HN_ERROR_MEMORY;
}

void hn_results_clear(hn_results *r) { r->row_count = 0; }

void hn_results_thin(hn_results *r) {
  int rows = (r->row_count + 1) / 2;
  for (int c = 0; c <= r->signal_count; c++)
    for (int k = 0; k < rows; k++) *hn_results_cell(r, c, k) = *hn_results_cell(r, c, 2 * k);
  r->row_count = rows;
}

int hn_results_add_row(hn_results *r) { return make_room(r) ? r->row_count++ : -1; }

int hn_results_row_count(const hn_results *r) { return r->row_count; }
int hn_results_signal_count(const hn_results *r) { return r->signal_count; }

static int within(const hn_results *r, int index) { return index >= 0 && index < r->signal_count; }
const char *hn_results_signal_name(const hn_results *r, int index) {
  return within(r, index) ? r->names[index] : NULL;
}
const char *hn_results_signal_unit(const hn_results *r, int index) {
  return within(r, index) ? r->units[index] : NULL;
}
const double *hn_results_time(const hn_results *r) { return r->data; }
const double *hn_results_column(const hn_results *r, int index) {
  if (!within(r, index) || !r->data) return NULL;
  return r->data + (size_t)(index + 1) * (size_t)r->room;
}

// ---- from arrays
// -----------------------------------------------------------------------------------------

hn_status hn_results_make(const char *const *names, const char *const *units, int count,
                          const double *time, const double *const *columns, int rows,
                          hn_results **results, hn_error *error) {
  *results = NULL;
  if (count < 0 || rows < 0)
    return hn_fail(error, HN_ERROR_ARGUMENT, NULL, "results", NULL,
                   "cannot have %d signals and %d samples. Use at least one of each", count, rows);
  hn_results *r = hn_results_new(count);
  for (int k = 0; r && k < count; k++) {
    r->names[k] = hn_arena_copy_string(&r->arena, names[k]);
    r->units[k] = hn_arena_copy_string(&r->arena, units && units[k] ? units[k] : "");
  }
  if (!r || r->arena.failed || !take_room(r, (size_t)rows + 1)) {
    hn_results_free(r);
    return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  }
  for (int c = 0; c <= count && rows > 0; c++)
    memcpy(hn_results_cell(r, c, 0), c ? columns[c - 1] : time, (size_t)rows * sizeof *time);
  r->row_count = rows;
  hn_results_sort_names(r);
  *results = r;
  return HN_OK;
}

// ---- from a simulation
// ------------------------------------------------------------------------------

// Nearest among all names, unless there are so many that it would take long.
static const char *nearest_signal(const hn_simulation *simulation, const char *name) {
  enum { MANY = 20000 };
  int count = hn_simulation_signal_count(simulation);
  if (count > MANY) return NULL;
  const char **words = hn_allocate(NULL, (size_t)count * sizeof *words);
  if (!words) return NULL;
  for (int k = 0; k < count; k++) words[k] = hn_simulation_signal_name(simulation, k);
  const char *nearest = hn_nearest_word(name, words, count);
  hn_release(NULL, (void *)words);
  return nearest;
}

static hn_status no_such_signal(const hn_simulation *simulation, const char *pattern,
                                hn_error *error) {
  char hint[384];
  const char *nearest = nearest_signal(simulation, pattern);
  if (nearest)
    hn_text(hint, sizeof hint, "Did you mean '%s'?", nearest);
  else
    hn_text(hint, sizeof hint,
            "Try a wider pattern, for instance 'body.*.position.*' or 'energy.*'.");
  return hn_fail(error, HN_ERROR_ARGUMENT, NULL, NULL, hint,
                 "no signal matches '%s' (%d available)", pattern,
                 hn_simulation_signal_count_all(simulation));
}

// Marks in chosen[] what the pattern means; 0 when that is nothing, -1: there is no memory for names,
// which are made when they are asked for and empty then.
static int choose(const hn_simulation *simulation, const char *pattern, unsigned char *chosen) {
  if (!hn_glob_is_pattern(pattern)) {
    int index = hn_simulation_find_signal(simulation, pattern);
    if (index >= 0) chosen[index] = 1;
    return index >= 0;
  }
  int count = hn_simulation_signal_count_all(simulation), found = 0;
  for (int k = 0; k < count; k++) {
    const char *name = hn_simulation_signal_name(simulation, k);
    if (!name[0]) return -1;
    if (!hn_glob_match(pattern, name)) continue;
    // bodies that a sealed component does not show cannot be found by name
    if (strstr(name, ".sealed_") && hn_simulation_find_signal(simulation, name) < 0) continue;
    chosen[k] = 1;
    found = 1;
  }
  return found;
}

// The columns of the chosen signals, in the simulation's order.
static hn_results *make_columns(hn_simulation *simulation, const unsigned char *chosen) {
  int all = hn_simulation_signal_count_all(simulation), count = 0;
  for (int k = 0; k < all; k++) count += chosen[k];
  hn_results *r = hn_results_new(count);
  if (!r) return NULL;
  r->signals = HN_TAKE(&r->arena, int, count);
  r->row = HN_TAKE(&r->arena, double, count);
  r->simulation_size = all;
  int column = 0;
  for (int k = 0; k < all && !r->arena.failed; k++) {
    if (!chosen[k]) continue;
    const char *name = hn_simulation_signal_name(simulation, k);
    if (!name[0]) break;
    r->signals[column] = k;
    r->names[column] = hn_arena_copy_string(&r->arena, name);
    r->units[column] = hn_arena_copy_string(&r->arena, hn_simulation_signal_unit(simulation, k));
    column++;
  }
  if (r->arena.failed || column < count) {
    hn_results_free(r);
    return NULL;
  }
  hn_results_sort_names(r);
  return r;
}

hn_status hn_results_create(hn_simulation *simulation, const char *const *signals, int count,
                            hn_results **results, hn_error *error) {
  *results = NULL;
  int all = hn_simulation_signal_count_all(simulation);
  unsigned char *chosen = hn_allocate(NULL, (size_t)all);
  if (!chosen) return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  if (!signals) count = 0;
  memset(chosen, 0, (size_t)all);
  if (count == 0) memset(chosen, 1, (size_t)hn_simulation_signal_count(simulation));
  hn_status status = HN_OK;
  for (int k = 0; k < count && !status; k++) {
    const int found = choose(simulation, signals[k], chosen);
    if (found < 0) status = hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
    if (found == 0) status = no_such_signal(simulation, signals[k], error);
  }
  if (!status) {
    *results = make_columns(simulation, chosen);
    if (!*results)
      status = hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, "Record fewer signals.",
                       "out of memory for the results");
  }
  hn_release(NULL, chosen);
  return status;
}

hn_status hn_results_record(hn_results *r, hn_simulation *simulation) {
  if (!r->signals || hn_simulation_signal_count_all(simulation) != r->simulation_size)
    return HN_ERROR_ARGUMENT; // results of a file, or of another machine
  int row = hn_results_add_row(r);
  if (row < 0) return HN_ERROR_MEMORY;
  *hn_results_cell(r, 0, row) = hn_simulation_look_time(simulation);
  hn_simulation_signals(simulation, r->signals, r->signal_count, r->row);
  for (int c = 0; c < r->signal_count; c++) *hn_results_cell(r, c + 1, row) = r->row[c];
  return HN_OK;
}

// ---- files
// ------------------------------------------------------------------------------------------

int hn_results_format_is_built(hn_results_format format) {
#ifdef HOLON_WITH_HDF5
  (void)format;
  return 1;
#else
  return format != HN_RESULTS_HDF5;
#endif
}

static const double *column_of_results(hn_column_source *source, int column, hn_error *error) {
  const hn_results *r = source->names;
  (void)error; // it is there
  return r->data + (size_t)column * (size_t)r->room;
}

hn_column_source hn_columns_of(const hn_results *results) {
  return (hn_column_source){results, results->row_count, column_of_results};
}

hn_status hn_columns_write(hn_column_source *source, const char *path, hn_results_format format,
                           int with_units, hn_error *error) {
  if (format == HN_RESULTS_NPZ) return hn_columns_write_npz(source, path, error);
  if (format == HN_RESULTS_HDF5) return hn_columns_write_hdf5(source, path, with_units, error);
  return hn_fail(error, HN_ERROR_ARGUMENT, NULL, NULL, "Use one of hn_results_format.",
                 "there is no format %d", (int)format);
}

hn_status hn_results_write(const hn_results *results, const char *path, hn_results_format format,
                           int with_units, hn_error *error) {
  if (format == HN_RESULTS_CSV) return hn_results_write_csv(results, path, with_units, error);
  hn_column_source source = hn_columns_of(results);
  return hn_columns_write(&source, path, format, with_units, error);
}

static int ends_with(const char *path, const char *ending) {
  size_t length = strlen(path), size = strlen(ending);
  return length >= size && strcmp(path + length - size, ending) == 0;
}

hn_status hn_results_read(const char *path, hn_results **results, hn_error *error) {
  *results = NULL;
  if (ends_with(path, ".h5") || ends_with(path, ".hdf5"))
    return hn_results_read_hdf5(path, results, error);
  if (ends_with(path, ".store")) {
    return hn_store_read(path, HN_STORE_ROWS, results, NULL, error);
  }
  if (ends_with(path, ".npy")) return hn_results_read_journal(path, results, error);
  if (ends_with(path, ".npz"))
    return hn_fail(error, HN_ERROR_UNSUPPORTED, NULL, NULL,
                   "Write HDF5 or CSV for files to be read again; numpy.load reads this one.",
                   "%s is an NPZ file, which Holon writes but does not read", path);
  return hn_results_read_csv(path, results, error);
}
