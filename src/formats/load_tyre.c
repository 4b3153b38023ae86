// Tyres from files and from memory.
#include <string.h>

#include "base/error.h"
#include "formats/text_file.h"
#include "vehicle/tir.h"

static int ends_in(const char *name, const char *ending) {
  size_t n = strlen(name), m = strlen(ending);
  if (n < m) return 0;
  for (size_t k = 0; k < m; k++) {
    char c = name[n - m + k];
    if ((c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c) != ending[k]) return 0;
  }
  return 1;
}

static hn_tyre *create(const hn_allocator *allocator) {
  hn_arena arena;
  hn_arena_init(&arena, allocator);
  hn_tyre *tyre = HN_TAKE(&arena, hn_tyre, 1);
  if (!tyre) {
    hn_arena_release(&arena);
    return NULL;
  }
  tyre->arena = arena;
  for (int k = 0; k < HN_TYRE_KEYS; k++) tyre->p[k] = hn_tyre_key_rows[k].usual;
  return tyre;
}

hn_status hn_tyre_parse(const char *text, size_t size, const char *name, hn_tyre **tyre,
                        hn_error *error) {
  *tyre = NULL;
  hn_tyre *made = create(NULL);
  if (!made) return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory for a tyre");
  hn_status status = ends_in(name, ".csv") ? hn_tyre_grid_read(made, text, size, name, error)
                                           : hn_tir_read(made, text, size, name, error);
  if (status == HN_OK) status = hn_tyre_finish(made, error);
  if (status != HN_OK) {
    if (error && !error->file[0]) strncpy(error->file, name, sizeof error->file - 1);
    hn_tyre_free(made);
    return status;
  }
  *tyre = made;
  return HN_OK;
}

hn_status hn_tyre_load(const char *path, hn_tyre **tyre, hn_error *error) {
  *tyre = NULL;
  hn_arena arena;
  hn_arena_init(&arena, NULL);
  char *text;
  size_t size;
  hn_status status = hn_text_file_read(&arena, path, NULL, &text, &size, error);
  if (status == HN_OK) status = hn_tyre_parse(text, size, path, tyre, error);
  hn_arena_release(&arena);
  return status;
}
