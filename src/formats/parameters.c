// Parameters of a model file that a user may change: plain numbers, with a unit or without.
#include <string.h>

#include "formats/model_files.h"
#include "formats/unit.h"
#include "math/expression.h"

// The text of `--set` for a parameter, else of the file.
static const char *text_of(const hn_model_files *files, const hn_node *node) {
  const size_t length = strlen(node->key);
  for (int k = files->options->setting_count - 1; k >= 0; k--) {
    const char *setting = files->options->settings[k];
    if (strncmp(setting, node->key, length) == 0 && setting[length] == '=')
      return setting + length + 1;
  }
  return node->text;
}

// A number and, behind a blank, nothing or a unit.
static int read_number(const char *text, hn_parameter_number *out) {
  double factor;
  hn_dimension dimension;
  const char *problem = NULL;
  text += strspn(text, " ");
  const int is_negative = *text == '-';
  const char *from = text + (is_negative || *text == '+');
  const size_t length = hn_number_read(from, strlen(from), &out->value);
  if (length == 0) return 0;
  if (is_negative) out->value = -out->value;
  out->unit = from + length + strspn(from + length, " ");
  if (*out->unit == '\0') return 1;
  const size_t read =
      hn_unit_read(out->unit, strlen(out->unit), NULL, NULL, &factor, &dimension, &problem);
  return !problem && read == strlen(out->unit);
}

int hn_model_files_parameter(const hn_model_files *files, int index, hn_parameter_number *number) {
  const hn_node *list = hn_node_get(files->root, "parameters");
  if (!list || list->kind != HN_NODE_MAP) return 0;
  for (const hn_node *node = list->first; node; node = node->next) {
    const char *text = node->kind == HN_NODE_SCALAR ? text_of(files, node) : NULL;
    if (!text || !read_number(text, number) || index-- > 0) continue;
    number->name = node->key;
    return 1;
  }
  return 0;
}
