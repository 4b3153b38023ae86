// Heights from files: a row for each y.
#include "vehicle/height_file.h"

#include <limits.h>
#include <string.h>

#include "base/error.h"
#include "vehicle/columns.h"

static hn_status fail(const char *name, hn_error *error, const char *hint, const char *message) {
  hn_source at = {name, 0, 0};
  return hn_fail(error, HN_ERROR_SYNTAX, &at, NULL, hint, "%s", message);
}

static int ends_in(const char *name, const char *ending) {
  size_t n = strlen(name), m = strlen(ending);
  return n >= m && strcmp(name + n - m, ending) == 0;
}

hn_status hn_heights_read(hn_arena *arena, const char *text, size_t size, const char *name,
                          hn_heights *out, hn_error *error) {
  hn_columns table;
  hn_status status;
  if (ends_in(name, ".png")) return hn_heights_read_png(arena, text, size, name, out, error);
  if (ends_in(name, ".npy"))
    status = hn_columns_read_npy(arena, text, size, name, &table, error);
  else if (ends_in(name, ".csv") || ends_in(name, ".txt"))
    status = hn_columns_read(arena, text, size, name, 0, &table, error);
  else
    status = fail(name, error, "Use .csv, .txt, .npy or .png.",
                  "this height field format is not supported");
  if (status != HN_OK) return status;
  if (table.rows < 1 || table.rows > INT_MAX)
    return fail(name, error, "Write one line of numbers per y.", "the file has no heights");
  *out = (hn_heights){table.count, (int)table.rows, table.values};
  return HN_OK;
}
