// A store as columns, which NPZ and HDF5 keep: some at a time, so that memory does not grow with the
// number of rows times that of signals. A block of the store has its columns one after the other, so
// that a group of neighbors is one read of each block.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "output/row_store.h"

typedef struct store_columns {
  hn_column_source source; // the first member
  const char *path;
  FILE *stream;
  hn_store_place *places;
  int place_count, most_rows; // ... of a place
  double *group, *piece;      // (width x rows), (width x most_rows)
  int first, width, filled;   // columns in group: `filled` from number `first` on
} store_columns;

// One block of the group, whose rows start at this row of the table.
static hn_status read_piece(store_columns *c, const hn_store_place *place, int row,
                            hn_error *error) {
  const size_t rows = (size_t)place->rows, count = rows * (size_t)c->filled;
  const unsigned long long at = place->at + (unsigned long long)c->first * rows * sizeof(double);
  errno = 0;
  if (fseek(c->stream, (long)at, SEEK_SET) != 0 ||
      fread(c->piece, sizeof(double), count, c->stream) != count)
    return hn_file_error(c->path, "cannot be read", errno, error);
  hn_store_order(c->piece, count, sizeof(double));
  for (int k = 0; k < c->filled; k++)
    memcpy(c->group + (size_t)k * (size_t)c->source.rows + row, c->piece + (size_t)k * rows,
           rows * sizeof(double));
  return HN_OK;
}

static const double *column_of_store(hn_column_source *source, int column, hn_error *error) {
  store_columns *c = (store_columns *)source;
  if (column < c->first || column >= c->first + c->filled) {
    const int left = source->names->signal_count + 1 - column;
    c->first = column;
    c->filled = left < c->width ? left : c->width;
    int row = 0;
    for (int p = 0; p < c->place_count; p++) {
      if (read_piece(c, &c->places[p], row, error) != HN_OK) {
        c->filled = 0;
        return NULL;
      }
      row += c->places[p].rows;
    }
  }
  return c->group + (size_t)(column - c->first) * (size_t)source->rows;
}

static hn_status open_columns(store_columns *c, hn_results *names, size_t room, hn_error *error) {
  c->source = (hn_column_source){.names = names, .column = column_of_store};
  for (int p = 0; p < c->place_count; p++) {
    c->source.rows += c->places[p].rows;
    if (c->places[p].rows > c->most_rows) c->most_rows = c->places[p].rows;
  }
  const size_t both = ((size_t)c->source.rows + (size_t)c->most_rows) * sizeof(double);
  const size_t all = (size_t)names->signal_count + 1, fit = room / (both + 1);
  c->width = (int)(fit < 1 ? 1 : fit < all ? fit : all);
  c->group = hn_allocate(NULL, (size_t)c->width * (size_t)c->source.rows * sizeof(double));
  c->piece = hn_allocate(NULL, (size_t)c->width * (size_t)c->most_rows * sizeof(double));
  if (!c->group || !c->piece)
    return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, "Export CSV, which takes less memory.",
                   "out of memory for %d of the %zu columns of %d samples of %s", c->width, all,
                   c->source.rows, c->path);
  errno = 0;
  c->stream = fopen(c->path, "rb");
  return c->stream ? HN_OK : hn_file_error(c->path, "cannot be read", errno, error);
}

hn_status hn_store_export_columns(const char *path, const char *to, hn_results_format format,
                                  int with_units, size_t room, hn_store_state *state,
                                  hn_error *error) {
  store_columns c = {.path = path};
  hn_results *names = NULL;
  hn_status status = hn_store_index(path, &names, &c.places, &c.place_count, state, error);
  if (status == HN_OK) status = open_columns(&c, names, room, error);
  if (status == HN_OK) status = hn_columns_write(&c.source, to, format, with_units, error);
  if (c.stream) fclose(c.stream);
  hn_release(NULL, c.piece);
  hn_release(NULL, c.group);
  hn_release(NULL, c.places);
  hn_results_free(names);
  return status;
}
