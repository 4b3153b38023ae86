// Reading HDF5. Its library takes any file at its word: files can be made that crash it, let it loop or
// take all memory. So a file is read by a child process with bounds (base/child.h), and what it has
// read comes back as a plain table (table_bytes.c), which is checked like any other input.
//
// In the child no plug-in is loaded, and links and data outside the file are not followed.
#include "base/child.h"
#include "base/error.h"
#include "base/file.h"
#include "output/hdf5.h"
#include "output/store.h"

#if HOLON_WITH_HDF5

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static herr_t keep_first(unsigned n, const H5E_error2_t *entry, void *text) {
  if (n == 0 && entry->desc) hn_text(text, 256, "%s", entry->desc);
  return 0;
}

hn_status hn_hdf5_error(const char *path, const char *what, hn_error *error) {
  char reason[256] = "HDF5 gives no reason";
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, reason);
  hn_source source = {path, 0, 0};
  return hn_fail(error, HN_ERROR_FILE, &source, NULL,
                 "Check the file with h5dump, or use CSV instead.", "%s: %s", what, reason);
}

// ---- in the child -------------------------------------------------------------------------------

typedef struct task {
  const char *path;
  size_t most; // numbers the table may have
} task;

// Data in the file itself: not in other files, not put together from them.
static int is_plain(hid_t dataset) {
  hid_t list = H5Dget_create_plist(dataset);
  int is = list >= 0 && H5Pget_external_count(list) == 0 && H5Pget_layout(list) != H5D_VIRTUAL;
  if (list >= 0) H5Pclose(list);
  return is;
}

static int is_inside(hid_t place, const char *name) {
  H5L_info_t info;
  return H5Lget_info(place, name, &info, H5P_DEFAULT) >= 0 && info.type == H5L_TYPE_HARD;
}

// The number of elements of a one-dimensional dataset of numbers, or -1.
static hssize_t column_length(hid_t dataset) {
  if (!is_plain(dataset)) return -1;
  hid_t space = H5Dget_space(dataset), type = H5Dget_type(dataset);
  H5T_class_t class = H5Tget_class(type);
  int fits = H5Sget_simple_extent_ndims(space) == 1 && (class == H5T_FLOAT || class == H5T_INTEGER);
  hssize_t length = fits ? H5Sget_simple_extent_npoints(space) : -1;
  H5Tclose(type);
  H5Sclose(space);
  return length;
}

static const char *read_unit(hid_t dataset, hn_arena *arena) {
  if (H5Aexists(dataset, "unit") <= 0) return "";
  hid_t attribute = H5Aopen(dataset, "unit", H5P_DEFAULT);
  hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
  const char *unit = "";
  if (H5Tget_class(type) == H5T_STRING && H5Sget_simple_extent_npoints(space) == 1) {
    if (H5Tis_variable_str(type) > 0) {
      char *text = NULL;
      if (H5Aread(attribute, type, &text) >= 0 && text) {
        unit = hn_arena_copy_string(arena, text);
        H5free_memory(text);
      }
    } else if (H5Tget_size(type) < 4096) {
      char text[4096] = ""; // null padded or not: an end mark follows
      if (H5Aread(attribute, type, text) >= 0) unit = hn_arena_copy_string(arena, text);
    }
  }
  H5Sclose(space);
  H5Tclose(type);
  H5Aclose(attribute);
  return unit ? unit : "";
}

static int read_values(hid_t dataset, int rows, double *values) {
  if (column_length(dataset) != rows) return 0;
  return rows == 0 ||
         H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
}

static hn_status read_signal(hid_t group, hsize_t place, H5_index_t order, const char *path,
                             hn_results *r, hn_error *error) {
  int k = (int)place;
  ssize_t length = H5Lget_name_by_idx(group, ".", order, H5_ITER_INC, place, NULL, 0, H5P_DEFAULT);
  char *name = length >= 0 ? HN_TAKE(&r->arena, char, length + 1) : NULL;
  if (!name || H5Lget_name_by_idx(group, ".", order, H5_ITER_INC, place, name, (size_t)length + 1,
                                  H5P_DEFAULT) < 0)
    return hn_hdf5_error(path, "has signals without a name", error);
  r->names[k] = name;
  r->units[k] = "";
  hid_t dataset = is_inside(group, name) ? H5Dopen2(group, name, H5P_DEFAULT) : -1;
  int ok = dataset >= 0 && read_values(dataset, r->row_count, hn_results_cell(r, k + 1, 0));
  if (ok) r->units[k] = read_unit(dataset, &r->arena);
  if (dataset >= 0) H5Dclose(dataset);
  if (ok) return HN_OK;
  hn_source source = {path, 0, 0};
  return hn_fail(error, HN_ERROR_SYNTAX, &source, NULL,
                 "Give every dataset of /signals as many numbers as /time.",
                 "/signals/%s is not a column of %d numbers", name, r->row_count);
}

// Sizes the results by /time and reads it.
static hn_status read_time(hid_t file, const task *t, int signals, hn_results **results,
                           hn_error *error) {
  const char *path = t->path;
  hid_t dataset = is_inside(file, "time") ? H5Dopen2(file, "time", H5P_DEFAULT) : -1;
  hssize_t rows = dataset >= 0 ? column_length(dataset) : -1;
  hn_source source = {path, 0, 0};
  hn_status status = HN_OK;
  if (rows < 0 || rows > INT32_MAX) {
    status = hn_fail(error, HN_ERROR_SYNTAX, &source, NULL,
                     "Use a file with /time and /signals/<name>, like Holon's results.",
                     "has no column /time");
  } else {
    hn_results *r = *results = hn_results_new(signals);
    size_t count = ((size_t)signals + 1) * (size_t)(rows > 0 ? rows : 1);
    if (r && count <= t->most) r->data = hn_allocate(NULL, count * sizeof(double));
    if (!r || !r->data)
      status = hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL,
                       "%s does not fit in memory. Use CSV", path);
    else {
      r->row_count = (int)rows;
      r->room = rows > 0 ? (int)rows : 1;
      if (!read_values(dataset, r->row_count, r->data))
        status = hn_hdf5_error(path, "/time cannot be read", error);
    }
  }
  if (dataset >= 0) H5Dclose(dataset);
  return status;
}

static hn_status read_open_file(hid_t file, const task *t, hn_results **results, hn_error *error) {
  const char *path = t->path;
  hid_t group = H5Gopen2(file, "signals", H5P_DEFAULT);
  H5G_info_t info = {.nlinks = 0};
  if (group < 0 || H5Gget_info(group, &info) < 0 || info.nlinks > INT32_MAX - 1) {
    if (group >= 0) H5Gclose(group);
    return hn_hdf5_error(path, "has no group /signals", error);
  }
  hid_t list = H5Gget_create_plist(group);
  unsigned flags = 0;
  H5Pget_link_creation_order(list, &flags);
  H5Pclose(list);
  H5_index_t order = flags & H5P_CRT_ORDER_INDEXED ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME;
  hn_status status = read_time(file, t, (int)info.nlinks, results, error);
  for (hsize_t k = 0; k < info.nlinks && !status; k++)
    status = read_signal(group, k, order, path, *results, error);
  H5Gclose(group);
  if (!status) hn_results_sort_names(*results);
  return status;
}

static void read_in_child(void *context, hn_child_pipe *pipe) {
  const task *t = context;
  hn_results *results = NULL;
  hn_error error = {.status = HN_OK};
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  H5PLset_loading_state(0);
  hid_t file = H5Fopen(t->path, H5F_ACC_RDONLY, H5P_DEFAULT);
  hn_status status = file < 0 ? hn_hdf5_error(t->path, "is not a file HDF5 can read", &error)
                              : read_open_file(file, t, &results, &error);
  hn_results_send(pipe, status == HN_OK ? results : NULL, &error);
  // nothing is closed or freed: a file that leads astray does so there too, and the process ends
}

// ---- in the process that asks -------------------------------------------------------------------

static const size_t least_room = (size_t)1 << 28; // bytes for small files
enum { EXPANSION = 1024 };                        // of deflated data at most
enum { LEAST_SECONDS = 20, BYTES_A_SECOND = 2000000 };

static hn_status size_of(const char *path, size_t *size, hn_error *error) {
  const hn_status status = hn_file_check_plain(path, error);
  if (status != HN_OK) return status;
  errno = 0;
  FILE *file = fopen(path, "rb"); // the system's own reason, where HDF5 says "unable to open file"
  if (!file) return hn_file_error(path, "cannot be read", errno, error);
  fseek(file, 0, SEEK_END);
  long end = ftell(file);
  fclose(file);
  *size = end > 0 ? (size_t)end : 0;
  return HN_OK;
}

hn_status hn_results_read_hdf5(const char *path, hn_results **results, hn_error *error) {
  size_t size = 0, room = least_room;
  *results = NULL;
  hn_status status = size_of(path, &size, error);
  if (status) return status;
  if (size > SIZE_MAX / EXPANSION / 8) size = SIZE_MAX / EXPANSION / 8;
  room += EXPANSION * size;
  const task work = {path, room / sizeof(double)};
  const hn_child_limits limits = {
      .memory = 2 * room + ((size_t)1 << 28),
      .output = room + room / 4,
      .seconds =
          LEAST_SECONDS + (int)(size / BYTES_A_SECOND < 100000 ? size / BYTES_A_SECOND : 100000)};
  char *data = NULL, text[64];
  const char *reason = "";
  status =
      hn_child_run(&limits, read_in_child, (void *)(uintptr_t)&work, &data, &size, text, &reason);
  if (status == HN_OK) {
    status = hn_results_parse_table(data, size, path, results, error);
    hn_release(NULL, data);
    return status;
  }
  const hn_source source = {path, 0, 0};
  return hn_fail(
      error, status, &source, NULL, "The file is damaged. Write it again, or use CSV instead.",
      "cannot be read by HDF5: %s", status == HN_ERROR_MEMORY ? "out of memory" : reason);
}

#else

hn_status hn_results_read_hdf5(const char *path, hn_results **results, hn_error *error) {
  *results = NULL;
  return hn_hdf5_not_built(path, error);
}

#endif
