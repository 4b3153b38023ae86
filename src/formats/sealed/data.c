// Data files of a sealed component, included byte by byte: tyres, surfaces of roads, tables. Those that
// an `if` of today leaves out are included too, if they exist: parameters of users may need them.
#include <string.h>

#include "base/error.h"
#include "base/plain_file.h"
#include "formats/sealed/text.h"
#include "formats/text_file.h"

static int names_data(const hn_node *node) {
  static const char *const keys[] = {"model", "file", "table"};
  if (!node->key || !node->text || strchr(node->text, '{') || hn_path_is_absolute(node->text))
    return 0;
  for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
    if (strcmp(node->key, keys[k]) == 0) return 1;
  return 0;
}

hn_status hn_sealed_keep_data(hn_loader *loader, const char *file, const hn_node *node,
                              hn_error *error) {
  hn_status status = HN_OK;
  if (names_data(node)) {
    const char *text, *path = hn_path_join(&loader->arena, file, node->text);
    size_t size;
    if (!path)
      return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory for %s", node->text);
    if (hn_model_files_has_text(loader->files, path) || hn_not_a_plain_file(path)) return HN_OK;
    hn_error missing = {0}; // an element that needs it would have failed
    status = hn_model_files_text(loader->files, path, NULL, &text, &size, &missing);
    return status == HN_ERROR_FILE ? HN_OK : status;
  }
  if (node->kind != HN_NODE_MAP && node->kind != HN_NODE_LIST) return HN_OK;
  for (const hn_node *n = node->first; n && status == HN_OK; n = n->next)
    status = hn_sealed_keep_data(loader, file, n, error);
  return status;
}
