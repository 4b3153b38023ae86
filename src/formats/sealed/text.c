// Reading the files of a sealed text, or their originals. See text.h.
#include "formats/sealed/text.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "formats/text_file.h"

static hn_status begin(hn_sealed_loading *l, hn_error *error) {
  memset(l, 0, sizeof *l);
  l->options = hn_default_load_options();
  l->loader.options = &l->options;
  l->loader.error = error;
  l->loader.is_sealing = 1;
  hn_arena_init(&l->loader.arena, NULL);
  hn_model_files_init(&l->files, &l->options);
  l->loader.files = &l->files;
  return hn_loader_prepare(&l->loader, &l->options) ? HN_OK : l->loader.status;
}

static hn_status keep_data(hn_sealed_loading *l, const char *path, const char *text, size_t size,
                           hn_error *error) {
  char *copy = HN_TAKE(&l->loader.arena, char, size + 1);
  if (!copy) return HN_ERROR_MEMORY;
  if (size > 0) memcpy(copy, text, size);
  return hn_model_files_add_text(&l->files, path, copy, size, error);
}

static hn_status keep_model(hn_sealed_loading *l, const char *path, const char *text, size_t size,
                            hn_error *error) {
  hn_loader *loader = &l->loader;
  hn_node *root = NULL;
  hn_loaded_file *file = hn_loader_take(loader, 1, sizeof *file);
  if (!file) return HN_ERROR_MEMORY;
  hn_status status = hn_tree_parse(&loader->arena, text, size, path, &root, error);
  if (status != HN_OK) return status;
  *file = (hn_loaded_file){path, root, loader->used};
  loader->used = file;
  if (!l->root) {
    l->path = path;
    l->root = root;
  }
  return HN_OK;
}

hn_status hn_sealed_loading_begin(hn_sealed_loading *l, const hn_sealed_file *file,
                                  hn_error *error) {
  hn_status status = begin(l, error);
  if (status != HN_OK) return status;
  char *text = hn_sealed_text(&l->loader.arena, file), *at = text;
  const char *end = text ? text + file->sealed_size : NULL;
  if (!text) return HN_ERROR_MEMORY;
  while (at + 2 < end && status == HN_OK) {
    const char kind = *at;
    at += 2;
    char *line = memchr(at, '\n', (size_t)(end - at)), *blank = line;
    while (blank && blank > at && *blank != ' ') blank--;
    size_t size = blank ? (size_t)strtoull(blank, NULL, 10) : 0;
    if (!blank || blank == at || size > (size_t)(end - line) - 1) return HN_ERROR_FILE;
    *blank = '\0';
    const char *path = hn_loader_copy(&l->loader, at);
    if (!path) return HN_ERROR_MEMORY;
    if (kind == HN_SEALED_MESH)
      status = hn_sealed_take_mesh(&l->loader, path, line + 1, size);
    else if (kind == HN_SEALED_DATA)
      status = keep_data(l, path, line + 1, size, error);
    else
      status = keep_model(l, path, line + 1, size, error);
    at = line + 1 + size;
  }
  memset(text, 0, file->sealed_size); // nothing readable stays longer than needed
  return l->root ? status : HN_ERROR_FILE;
}

hn_status hn_sealed_loading_open(hn_sealed_loading *l, const char *path, hn_error *error) {
  hn_status status = begin(l, error);
  l->loader.is_making = 1;
  char *text = NULL;
  size_t size = 0;
  if (status == HN_OK)
    status = hn_text_file_read(&l->loader.arena, path, NULL, &text, &size, error);
  return status == HN_OK ? keep_model(l, path, text, size, error) : status;
}

void hn_sealed_loading_end(hn_sealed_loading *l) {
  hn_model_free(l->loader.model);
  hn_arena_release(&l->loader.arena);
  hn_model_files_release(&l->files);
}
