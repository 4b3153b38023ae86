// HDF5: /time and /signals/<name>, each one column of numbers with the attribute `unit`.
//
// A process of its own writes the file, column by column, next to its destination: HDF5 survives
// neither a failed allocation nor a full disk. Signals keep their order (links are indexed by
// creation), and no times of day are stored: same results, same bytes. Reading: hdf5_read.c.
#include "output/hdf5.h"
#include "base/error.h"
#include "base/file.h"
#include "output/store.h"

#if HOLON_WITH_HDF5

#include <stdint.h>
#include <string.h>

#include "base/child.h"

// ---- writing ------------------------------------------------------------------------------------

// Handles shared by the columns of a file: a large model has hundreds of thousands of columns.
typedef struct columns {
  hid_t properties, space, scalar;
  hid_t text; // type of a unit of `length` bytes
  size_t length;
  int rows;
} columns;

// Long columns are compressed, short ones are not worth a chunk.
static columns open_columns(int rows) {
  hsize_t size = (hsize_t)rows;
  columns c = {.properties = H5Pcreate(H5P_DATASET_CREATE),
               .space = H5Screate_simple(1, &size, NULL),
               .scalar = H5Screate(H5S_SCALAR),
               .text = H5Tcopy(H5T_C_S1),
               .rows = rows};
  H5Tset_strpad(c.text, H5T_STR_NULLPAD);
  H5Tset_cset(c.text, H5T_CSET_UTF8);
  H5Pset_obj_track_times(c.properties, 0);
  if (rows >= 1024 && H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0) {
    hsize_t chunk = rows < 65536 ? (hsize_t)rows : 65536;
    H5Pset_chunk(c.properties, 1, &chunk);
    H5Pset_shuffle(c.properties);
    H5Pset_deflate(c.properties, 4);
  }
  return c;
}

static void close_columns(columns *c) {
  H5Tclose(c->text);
  H5Sclose(c->scalar);
  H5Sclose(c->space);
  H5Pclose(c->properties);
}

static int write_unit(columns *c, hid_t dataset, const char *unit) {
  size_t length = strlen(unit) > 0 ? strlen(unit) : 1;
  if (length != c->length && H5Tset_size(c->text, length) < 0) return 0;
  c->length = length;
  hid_t attribute = H5Acreate2(dataset, "unit", c->text, c->scalar, H5P_DEFAULT, H5P_DEFAULT);
  int ok = attribute >= 0 && H5Awrite(attribute, c->text, unit) >= 0;
  if (attribute >= 0) H5Aclose(attribute);
  return ok;
}

static int write_column(columns *c, hid_t place, const char *name, const char *unit,
                        const double *values) {
  hid_t dataset =
      H5Dcreate2(place, name, H5T_IEEE_F64LE, c->space, H5P_DEFAULT, c->properties, H5P_DEFAULT);
  int ok = dataset >= 0;
  if (ok && c->rows > 0)
    ok = H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
  if (ok && unit) ok = write_unit(c, dataset, unit);
  if (dataset >= 0) H5Dclose(dataset);
  return ok;
}

// 0: HDF5 failed, or the source did, which has set the error then.
static int fill(hid_t file, hn_column_source *source, int with_units, hn_error *error) {
  const hn_results *r = source->names;
  columns c = open_columns(source->rows);
  hid_t group_list = H5Pcreate(H5P_GROUP_CREATE);
  H5Pset_obj_track_times(group_list, 0);
  H5Pset_link_creation_order(group_list, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
  hid_t group = H5Gcreate2(file, "signals", H5P_DEFAULT, group_list, H5P_DEFAULT);
  int ok = group >= 0;
  for (int k = 0; k <= r->signal_count && ok; k++) {
    const double *values = source->rows > 0 ? source->column(source, k, error) : NULL;
    const char *name = k ? r->names[k - 1] : "time", *unit = k ? r->units[k - 1] : "s";
    ok = (values || source->rows == 0) &&
         write_column(&c, k ? group : file, name, with_units ? unit : NULL, values);
  }
  if (group >= 0) H5Gclose(group);
  H5Pclose(group_list);
  close_columns(&c);
  return ok;
}

static hn_status compose(hn_column_source *source, const char *path, int with_units,
                         hn_error *error) {
  hid_t creation = H5Pcreate(H5P_FILE_CREATE);
  H5Pset_obj_track_times(creation, 0);
  hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, creation, H5P_DEFAULT);
  int ok = file >= 0 && fill(file, source, with_units, error);
  // the last bytes are written here
  if (ok && H5Fclose(file) >= 0) return HN_OK;
  return error->status != HN_OK ? error->status : hn_hdf5_error(path, "cannot be written", error);
}

typedef struct task {
  hn_column_source *source;
  const char *path; // next to the file's destination
  int with_units;
} task;

// The error, which may be none.
static void compose_in_child(void *context, hn_child_pipe *pipe) {
  const task *t = context;
  hn_error error = {.status = HN_OK};
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  compose(t->source, t->path, t->with_units, &error);
  hn_child_send(pipe, &error, sizeof error);
}

static hn_status run_child(hn_column_source *source, const hn_file *file, int with_units,
                           hn_error *error) {
  task work = {source, file->temporary, with_units};
  const hn_child_limits limits = {.output = 1 << 16, .seconds = 1000000, .may_write = 1};
  char *data = NULL, text[64];
  size_t size = 0;
  const char *reason = "";
  const hn_source place = {file->path, 0, 0};
  hn_error told = {.status = HN_ERROR_FILE};
  hn_status status = hn_child_run(&limits, compose_in_child, &work, &data, &size, text, &reason);
  if (status == HN_OK && size == sizeof told) memcpy(&told, data, sizeof told);
  hn_release(NULL, data);
  if (status != HN_OK)
    return hn_fail(error, status, &place, NULL, "Free memory, or use CSV or NPZ instead.",
                   "cannot be written by HDF5: %s",
                   status == HN_ERROR_MEMORY ? "out of memory" : reason);
  if (told.status == HN_OK) return HN_OK;
  return hn_fail(error, HN_ERROR_FILE, &place, NULL, told.hint, "%s",
                 told.message[0] ? told.message : "cannot be written by HDF5");
}

hn_status hn_columns_write_hdf5(hn_column_source *source, const char *path, int with_units,
                                hn_error *error) {
  hn_file file;
  hn_status status = hn_file_create(&file, path, error); // first: reports at once if the file
                                                         // cannot be created
  if (status != HN_OK) return status;
  status = run_child(source, &file, with_units, error);
  if (status == HN_OK) return hn_file_finish(&file, error);
  hn_file_abandon(&file);
  return status;
}

#else

hn_status hn_hdf5_not_built(const char *path, hn_error *error) {
  return hn_fail(error, HN_ERROR_UNSUPPORTED, NULL, NULL,
                 "Use CSV or NPZ, or build with libhdf5-dev installed and without HOLON_MINIMAL.",
                 "%s: HDF5 is not part of this build", path);
}

hn_status hn_columns_write_hdf5(hn_column_source *source, const char *path, int with_units,
                                hn_error *error) {
  (void)source, (void)with_units;
  return hn_hdf5_not_built(path, error);
}

#endif
