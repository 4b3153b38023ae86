// <include>: replaced by the model of another file, under the name and at the pose that the include
// gives. Files are found next to the one that names them, or in packages with a folder; nothing is
// fetched.
#include <string.h>

#include "formats/import/sdf.h"
#include "formats/text_file.h"

enum { MOST_INCLUDES = 200 };
#define MOST_BYTES ((size_t)64 << 20) // of all of them

typedef struct including {
  hn_sdf *r;
  int count;
  size_t bytes;
} including;

static void lose(hn_xml *node, const char *why) { hn_xml_mark_all(node, HN_FATE_LOST, why); }

// The file of a uri: "model://arm" and "arm" are folders with a model.sdf.
static const char *file_of(including *all, const hn_xml *node, const char *uri, const char **why) {
  hn_machine *m = all->r->machine;
  const char *path = hn_import_path(m, node, uri, why);
  if (!path) return NULL;
  size_t length = strlen(path);
  if (length > 4 && strcmp(path + length - 4, ".sdf") == 0) return path;
  return hn_machine_text(m, "%s/model.sdf", path);
}

static hn_xml *read_model(including *all, hn_xml *node, const char *path, const char **why) {
  hn_machine *m = all->r->machine;
  hn_error error = {0};
  hn_xml *root = NULL;
  char *text = NULL;
  size_t size = 0;
  const hn_source place = hn_xml_source(node);
  hn_status status = hn_text_file_read(m->arena, path, &place, &text, &size, &error);
  all->bytes += size;
  if (!status && all->bytes > MOST_BYTES) {
    *why = "included files are larger than 64 MB together";
    return NULL;
  }
  if (!status) status = hn_xml_parse(m->arena, text, size, path, &root, &error);
  if (status == HN_ERROR_FILE) {
    *why = hn_machine_text(
        m, "the file '%s' does not exist; add the folder of its model with @package", path);
    return NULL;
  }
  if (status) {
    hn_machine_fail(m, node, "<include>", error.hint, "of '%s', line %d: %s", path, error.line,
                    error.message);
    return NULL;
  }
  if (!hn_xml_child(root, "model")) *why = "the included file has no <model>";
  return hn_xml_child(root, "model") ? root : NULL;
}

// The value of an attribute that the include says otherwise, or a new one.
static void set_attribute(hn_machine *m, hn_xml *node, const char *name, const char *value) {
  hn_xml_attribute *known = hn_xml_find(node, name);
  if (known) {
    known->value = value;
    return;
  }
  hn_xml_attribute *more = HN_MACHINE_TAKE(m, hn_xml_attribute, node->attribute_count + 1);
  if (!more) return;
  if (node->attribute_count > 0)
    memcpy(more, node->attributes, (size_t)node->attribute_count * sizeof *more);
  more[node->attribute_count++] = (hn_xml_attribute){name, value, HN_FATE_USED, NULL};
  node->attributes = more;
}

// A child of the include goes before those of the model, whose own is without effect then.
static void overrule(hn_xml *include, hn_xml *model, const char *name) {
  hn_xml *given = hn_xml_child(include, name), **at = &include->first, *before = NULL;
  if (!given) return;
  hn_xml_mark_children(model, name, HN_FATE_HARMLESS, "overridden by the include");
  while (*at != given) {
    before = *at;
    at = &(*at)->next;
  }
  *at = given->next;
  if (include->last == given) include->last = before;
  given->next = model->first;
  given->parent = model;
  model->first = given;
  if (!model->last) model->last = given;
}

static void splice(including *all, hn_xml *node, hn_xml *root) {
  hn_machine *m = all->r->machine;
  hn_xml *model = hn_xml_child(root, "model"), **at = &root->first, *before = NULL;
  const char *name = hn_sdf_text(node, "name"), *frame = hn_sdf_text(node, "placement_frame");
  hn_xml_use(node);
  hn_xml_use(root);
  hn_xml_get(root, "version");
  while (*at != model) {
    before = *at;
    at = &(*at)->next;
  }
  *at = model->next;
  if (root->last == model) root->last = before;
  if (name && *name) set_attribute(m, model, "name", name);
  if (frame && *frame) set_attribute(m, model, "placement_frame", frame);
  overrule(node, model, "pose");
  overrule(node, model, "static");
  model->parent = node->parent;
  model->next = node->next;
  node->next = model;
  if (node->parent->last == node) node->parent->last = model;
  root->parent = node; // the remainder of the file is counted below the include
  root->next = node->first;
  node->first = root;
  if (!node->last) node->last = root;
  for (hn_xml *rest = root->first; rest; rest = rest->next)
    lose(rest, "second model or world element of an included file");
  for (hn_xml *rest = root->next; rest; rest = rest->next)
    if (rest->fate == HN_FATE_NONE) lose(rest, "Gazebo plugins and parameters");
}

static void include(including *all, hn_xml *node) {
  hn_machine *m = all->r->machine;
  const char *uri = hn_sdf_text(node, "uri"), *why = "no file is named";
  if (++all->count > MOST_INCLUDES) {
    hn_machine_fail(m, node, "<include>", "Write the models into this file.",
                    "is one of more than %d", MOST_INCLUDES);
    return;
  }
  const char *path = uri ? file_of(all, node, uri, &why) : NULL;
  hn_xml *root = path ? read_model(all, node, path, &why) : NULL;
  if (!hn_machine_ok(m)) return;
  if (root)
    splice(all, node, root);
  else
    hn_xml_mark_all(node, HN_FATE_LOST, why);
}

void hn_sdf_expand(hn_sdf *r) {
  hn_machine *m = r->machine;
  including all = {r, 0, 0};
  // an inserted model follows its include: its own includes are met there
  for (hn_xml *at = m->root; at && hn_machine_ok(m);) {
    if (strcmp(at->name, "include") == 0 && at->parent) {
      include(&all, at);
    } else if (at->first) {
      at = at->first;
      continue;
    }
    while (at != m->root && !at->next) at = at->parent;
    at = at == m->root ? NULL : at->next;
  }
}
