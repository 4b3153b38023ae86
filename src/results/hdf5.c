// HDF5: /time and /signals/<name>, each one column of numbers with the attribute `unit`.
//
// A file is composed in memory by HDF5's core driver and then written like every other file, so
// that a full disk ends in one error and not in a library that cannot close its file. Signals keep
// their order (links are indexed by creation), and no times of day are stored: same results, same
// bytes. Reading: hdf5_read.c.
#include "results/hdf5.h"
#include "base/error.h"
#include "results/file.h"
#include "results/store.h"

#if HOLON_WITH_HDF5

#include <stdint.h>
#include <string.h>

#include "base/child.h"

// ---- writing
// ----------------------------------------------------------------------------------------

// What the columns of a file share: made once, because a machine of many bodies has hundreds of
// thousands of columns.
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

static int fill(hid_t file, const hn_results *r, int with_units) {
  columns c = open_columns(r->row_count);
  hid_t group_list = H5Pcreate(H5P_GROUP_CREATE);
  H5Pset_obj_track_times(group_list, 0);
  H5Pset_link_creation_order(group_list, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
  hid_t group = H5Gcreate2(file, "signals", H5P_DEFAULT, group_list, H5P_DEFAULT);
  int ok = group >= 0 && write_column(&c, file, "time", with_units ? "s" : NULL, r->data);
  for (int k = 0; k < r->signal_count && ok; k++)
    ok = write_column(&c, group, r->names[k], with_units ? r->units[k] : NULL,
                      hn_results_column(r, k));
  if (group >= 0) H5Gclose(group);
  H5Pclose(group_list);
  close_columns(&c);
  return ok;
}

// The bytes of the open file, to be released by hn_release; null on failure.
static void *take_image(hid_t file, size_t *size) {
  if (H5Fflush(file, H5F_SCOPE_LOCAL) < 0) return NULL;
  ssize_t needed = H5Fget_file_image(file, NULL, 0);
  if (needed <= 0) return NULL;
  void *image = hn_allocate(NULL, (size_t)needed);
  if (image && H5Fget_file_image(file, image, (size_t)needed) != needed) {
    hn_release(NULL, image);
    image = NULL;
  }
  *size = (size_t)needed;
  return image;
}

static hn_status compose(const hn_results *r, const char *path, int with_units, void **image,
                         size_t *size, hn_error *error) {
  hid_t access = H5Pcreate(H5P_FILE_ACCESS), creation = H5Pcreate(H5P_FILE_CREATE);
  H5Pset_fapl_core(access, (size_t)4 << 20, 0); // in memory only, growing by 4 MB
  H5Pset_obj_track_times(creation, 0);
  hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, creation, access);
  hn_status status = HN_OK;
  *image = NULL;
  if (file < 0 || !fill(file, r, with_units) || !(*image = take_image(file, size)))
    status = hn_hdf5_error(path, "cannot be composed", error);
  if (file >= 0) H5Fclose(file);
  H5Pclose(creation);
  H5Pclose(access);
  return status;
}

typedef struct task {
  const hn_results *results;
  const char *path;
  int with_units;
} task;

// "1" and the image, or "0" and the error.
static void compose_in_child(void *context, hn_child_pipe *pipe) {
  const task *t = context;
  void *image = NULL;
  size_t size = 0;
  hn_error error = {.status = HN_OK};
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  int is_done = compose(t->results, t->path, t->with_units, &image, &size, &error) == HN_OK;
  if (!hn_child_send(pipe, is_done ? "1" : "0", 1)) return;
  hn_child_send(pipe, is_done ? image : (const void *)&error, is_done ? size : sizeof error);
}

// HDF5 does not survive a failed allocation: it works in a process of its own.
hn_status hn_results_write_hdf5(const hn_results *r, const char *path, int with_units,
                                hn_error *error) {
  hn_file file;
  hn_status status = hn_file_create(&file, path, error); // first: tells at once when it cannot be
  if (status) return status;
  task work = {r, path, with_units};
  const hn_child_limits limits = {.output = SIZE_MAX / 4, .seconds = 1000000};
  char *data = NULL, text[64];
  size_t size = 0;
  const char *reason = "";
  const hn_source source = {path, 0, 0};
  status = hn_child_run(&limits, compose_in_child, &work, &data, &size, text, &reason);
  if (status != HN_OK) {
    hn_fail(error, status, &source, NULL, "Free memory, or use CSV or NPZ instead.",
            "cannot be composed by HDF5: %s", status == HN_ERROR_MEMORY ? "out of memory" : reason);
  } else if (size < 1 || data[0] != '1') {
    hn_error told = {.status = HN_ERROR_FILE};
    if (size == 1 + sizeof told) memcpy(&told, data + 1, sizeof told);
    status = hn_fail(error, HN_ERROR_FILE, &source, NULL, told.hint, "%s",
                     told.message[0] ? told.message : "cannot be composed by HDF5");
  }
  if (status != HN_OK) {
    hn_release(NULL, data);
    hn_file_abandon(&file);
    return status;
  }
  hn_file_write(&file, data + 1, size - 1);
  hn_release(NULL, data);
  return hn_file_finish(&file, error);
}

#else

hn_status hn_hdf5_not_built(const char *path, hn_error *error) {
  return hn_fail(error, HN_ERROR_UNSUPPORTED, NULL, NULL,
                 "Use CSV or NPZ, or build with libhdf5-dev installed and without HOLON_MINIMAL.",
                 "%s: HDF5 is not part of this build", path);
}

hn_status hn_results_write_hdf5(const hn_results *r, const char *path, int with_units,
                                hn_error *error) {
  (void)r, (void)with_units;
  return hn_hdf5_not_built(path, error);
}

#endif
