// <include file="..."/>: replaced by the children of the other file's root.
#include <string.h>

#include "formats/import/mjcf.h"
#include "formats/text_file.h"

enum { MOST_INCLUDES = 1000 };

static void splice(hn_xml *at, hn_xml *root) {
  hn_xml *parent = at->parent;
  hn_xml_use(at);
  hn_xml_use(root);
  hn_xml_mark_attribute(root, "model", HN_FATE_HARMLESS, "the name of a part");
  for (hn_xml *child = root->first; child; child = child->next) child->parent = parent;
  if (root->first) {
    root->last->next = at->next;
    at->next = root->first;
    if (parent->last == at) parent->last = root->last;
  }
  root->first = root->last = NULL; // counted below the include, its children next to it
  root->parent = at;
  at->first = at->last = root;
}

static void include(hn_mjcf *r, hn_xml *node, hn_name_table *seen) {
  hn_machine *m = r->machine;
  const char *name = hn_xml_get(node, "file");
  char *text = NULL;
  size_t size = 0;
  hn_xml *root = NULL;
  hn_source place = hn_xml_source(node);
  const char *element = "<include>";
  if (!name || !*name || hn_path_is_absolute(name) || strstr(name, "..")) {
    hn_machine_fail(m, node, element, "Use a file in the folder of the model or below.",
                    "has the file '%.100s', which is outside the folder of the model",
                    name ? name : "");
    return;
  }
  const char *path = hn_path_join(m->arena, m->path, name);
  if (path && (hn_table_find(seen, path) || strcmp(path, m->path) == 0)) {
    hn_machine_fail(m, node, element, "Include each file only once.",
                    "includes '%s', which is this file or is already included", name);
    return;
  }
  if (path) hn_table_add(m, seen, path, m);
  hn_status status = hn_text_file_read(m->arena, path, &place, &text, &size, m->error);
  if (status == HN_ERROR_FILE && strcmp(node->file, m->path) != 0) { // next to the file that names it
    path = hn_path_join(m->arena, node->file, name);
    if (path) hn_table_add(m, seen, path, m);
    status = hn_text_file_read(m->arena, path, &place, &text, &size, m->error);
  }
  if (!status) status = hn_xml_parse(m->arena, text, size, path, &root, m->error);
  if (status == HN_ERROR_FILE)
    hn_machine_fail(m, node, element, "Write paths relative to the folder of the main file.",
                    "refers to the file '%.100s', which cannot be opened (looked for '%.200s')",
                    name, path);
  if (status) {
    m->status = status;
    return;
  }
  splice(node, root);
}

void hn_mjcf_expand(hn_mjcf *r) {
  hn_machine *m = r->machine;
  hn_name_table *seen = hn_table_create(m);
  int count = 0;
  // included files may include others: inserted elements are visited next
  for (hn_xml *at = m->root; at && hn_machine_ok(m);) {
    if (strcmp(at->name, "include") == 0 && at->parent) {
      if (++count > MOST_INCLUDES)
        hn_machine_fail(m, at, "<include>", "Merge files.", "is one of more than %d",
                        MOST_INCLUDES);
      else
        include(r, at, seen);
    } else if (at->first) {
      at = at->first;
      continue;
    }
    while (at != m->root && !at->next) at = at->parent;
    at = at == m->root ? NULL : at->next;
  }
}
