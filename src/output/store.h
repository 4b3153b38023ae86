// Results in memory, as the readers and writers of src/results see them.
#ifndef HN_OUTPUT_STORE_H
#define HN_OUTPUT_STORE_H

#include "base/arena.h"
#include "base/child.h"
#include "base/file.h"
#include "holon/results.h"

typedef struct hn_results_name {
  const char *name;
  int index;
} hn_results_name;

struct hn_results {
  hn_arena arena; // names, units, tables
  int signal_count, row_count, room;
  const char **names, **units; // (signal_count)
  hn_results_name *sorted;     // by name, for finding (signal_count)
  double *data;                // 1 + signal_count columns of `capacity` numbers; the first is time

  // of results that grow with a simulation
  int *signals;        // index of each column there (signal_count)
  double *row;         // (signal_count)
  int simulation_size; // signals of the simulation, to know it again
};

// Empty results with capacity for the names of this many signals, or null.
hn_results *hn_results_new(int signal_count);
// To be called when all names are known.
void hn_results_sort_names(hn_results *results);
// One more row, not yet filled: its number, or -1 when out of memory.
int hn_results_add_row(hn_results *results);
static inline double *hn_results_cell(hn_results *results, int column, int row) {
  return results->data + (size_t)column * (size_t)results->room + row; // column 0: time
}

// A CSV file in parts: names of the columns, rows of results with those columns, the end.
typedef struct hn_csv_writer {
  hn_file file;
} hn_csv_writer;
hn_status hn_csv_begin(hn_csv_writer *writer, const hn_results *results, const char *path,
                       int with_units, hn_error *error);
void hn_csv_rows(hn_csv_writer *writer, const hn_results *results);
hn_status hn_csv_finish(hn_csv_writer *writer, hn_error *error);
void hn_csv_abandon(hn_csv_writer *writer);

// Columns one after the other, for files that keep them so: of results in memory, or of a store that
// does not fit there.
typedef struct hn_column_source {
  const hn_results *names; // and units
  int rows;
  // `rows` numbers that stay until the next call, column 0 is time; null after an error.
  const double *(*column)(struct hn_column_source *source, int column, hn_error *error);
} hn_column_source;
hn_column_source hn_columns_of(const hn_results *results);

hn_status hn_results_write_csv(const hn_results *results, const char *path, int with_units,
                               hn_error *error);
hn_status hn_columns_write_hdf5(hn_column_source *source, const char *path, int with_units,
                                hn_error *error);
hn_status hn_columns_write_npz(hn_column_source *source, const char *path, hn_error *error);
hn_status hn_columns_write(hn_column_source *source, const char *path, hn_results_format format,
                           int with_units, hn_error *error); // not CSV, which has rows
hn_status hn_results_read_csv(const char *path, hn_results **results, hn_error *error);
// The same of a text in memory, which is cut to pieces; data[size] is an end mark.
hn_status hn_results_parse_csv(char *data, size_t size, const char *path, hn_results **results,
                               hn_error *error);
// A table from one process to another, and read there (table_bytes.c). results null: the error instead.
void hn_results_send(hn_child_pipe *pipe, const hn_results *results, const hn_error *error);
hn_status hn_results_parse_table(const char *data, size_t size, const char *path,
                                 hn_results **results, hn_error *error);
hn_status hn_results_read_journal(const char *path, hn_results **results, hn_error *error);
hn_status hn_results_read_hdf5(const char *path, hn_results **results, hn_error *error);

#endif
