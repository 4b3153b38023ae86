// Making a sealed component: load the model file as a component, check that it can work alone behind
// its border, and write what it shows and what it hides into one file.
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "elements/elements.h"
#include "formats/contact_choice.h"
#include "formats/sealed/text.h"
#include "formats/text_file.h"

// Text that grows; failing is sticky.
typedef struct buffer {
  char *data;
  size_t size, room;
  int failed;
} buffer;

static void add(buffer *b, const char *data, size_t size) {
  if (b->failed) return;
  if (b->size + size + 1 > b->room) {
    size_t room = 2 * (b->size + size + 1);
    char *larger = hn_reallocate(NULL, b->data, b->size, room);
    if (!larger) {
      b->failed = 1;
      return;
    }
    b->data = larger;
    b->room = room;
  }
  memcpy(b->data + b->size, data, size);
  b->size += size;
  b->data[b->size] = '\0';
}

static void add_line(buffer *b, const char *word, const char *value) {
  add(b, word, strlen(word));
  add(b, " ", 1);
  add(b, value, strlen(value));
  add(b, "\n", 1);
}

// Its own elements are known to its maker without the name the component has here.
static const char *own_name(const char *name) {
  size_t prefix = strlen(HN_SEALED_NAME ".");
  return strncmp(name, HN_SEALED_NAME ".", prefix) == 0 ? name + prefix : name;
}

// ---- files that it may need ----------------------------------------------------------------------

#define MOST_FILES 1000

// The files that one uses, also those that an `if` of today leaves out.
static void gather_used(hn_sealed_loading *l, const hn_loaded_file *file) {
  hn_loader *loader = &l->loader;
  const hn_node *components = hn_node_get(file->root, "components");
  const hn_node *n = components && components->kind == HN_NODE_MAP ? components->first : NULL;
  for (; n && hn_loader_ok(loader); n = n->next) {
    const hn_node *use = n->kind == HN_NODE_MAP ? hn_node_get(n, "use") : NULL;
    if (!use || !use->text || strchr(use->text, '{') || hn_path_is_absolute(use->text)) continue;
    const char *path = hn_path_join(&loader->arena, file->path, use->text);
    hn_source place = hn_node_source(use);
    hn_element_name old = hn_loader_begin(loader, "component", n->key);
    if (!path)
      hn_loader_take(loader, 1, 1); // reports
    else if (hn_path_is_sealed(path))
      hn_loader_fail(loader, HN_ERROR_UNSUPPORTED, &place,
                     "Use its model file here and seal everything together.",
                     "is sealed itself, and a sealed component cannot contain another (%s)", path);
    else
      hn_component_file(loader, path, use);
    hn_loader_set_element(loader, &old);
  }
}

// New files come in front of the list: gone through until there are no new ones.
static hn_status gather_files(hn_sealed_loading *l, hn_error *error) {
  const hn_loaded_file *done = NULL;
  hn_status status = HN_OK;
  for (int count = 0; l->loader.used != done && status == HN_OK;) {
    const hn_loaded_file *newest = l->loader.used;
    for (const hn_loaded_file *f = newest; f != done && status == HN_OK; f = f->next) {
      if (++count > MOST_FILES)
        return hn_fail(error, HN_ERROR_LIMIT, NULL, NULL, "Use fewer.",
                       "%s uses more than %d files", l->path, MOST_FILES);
      status = hn_sealed_keep_meshes(&l->loader, f, error);
      if (status == HN_OK) status = hn_sealed_keep_data(&l->loader, f->path, f->root, error);
      if (status == HN_OK) gather_used(l, f);
      if (status == HN_OK) status = l->loader.status;
    }
    done = newest;
  }
  return status;
}

// ---- what is shown and what is hidden -----------------------------------------------------------

static int is_chosen(const hn_seal_options *o, const char *name) {
  for (int k = 0; o->inputs && k < o->input_count; k++)
    if (strcmp(o->inputs[k], name) == 0) return 1;
  return o->inputs == NULL;
}

static void write_inputs(const hn_sealed_loading *l, const hn_seal_options *o, buffer *out) {
  for (const hn_entry *e = l->loader.first[HN_ENTRY_PARAMETER]; e; e = e->next)
    if (e->context.scope == &l->scope && is_chosen(o, own_name(e->name)))
      add_line(out, hn_node_is_null(e->node) ? "required" : "input", own_name(e->name));
}

static void write_public(const hn_sealed_loading *l, const hn_seal_options *o, buffer *out) {
  const hn_loader *loader = &l->loader;
  const hn_node *name = hn_node_get(l->root, "name");
  char abi[16];
  add_line(out, "holon", hn_version());
  add_line(out, "abi", hn_text(abi, sizeof abi, "%u", HN_COMPONENT_ABI));
  if (name && name->text) add_line(out, "name", name->text);
  for (const hn_entry *e = loader->first[HN_ENTRY_BODY]; e; e = e->next)
    if (e->context.scope == &l->scope && hn_body_is_external(e))
      add_line(out, "external", own_name(e->name));
  for (const hn_entry *e = loader->first[HN_ENTRY_BODY]; e; e = e->next)
    if (hn_sealed_is_border(l, e)) add_line(out, "border", own_name(e->name));
  for (const hn_entry *m = loader->first[HN_ENTRY_MARKER]; m; m = m->next)
    if (hn_sealed_is_border(l, m->owner)) add_line(out, "marker", own_name(m->name));
  write_inputs(l, o, out);
  for (int k = 0; k < loader->model->input_count; k++)
    add_line(out, "given", own_name(loader->model->inputs[k].name));
  for (const hn_contact_choice *c = loader->published_contacts; c; c = c->next)
    add_line(out, "contact", own_name(c->def.name));
  for (int k = 0; k < loader->model->outputs.count; k++)
    add_line(out, "output", own_name(loader->model->outputs.item[k].name));
}

static void add_file(buffer *out, char kind, const char *path, const char *text, size_t size) {
  const char head[2] = {kind, ' '};
  char size_text[32];
  add(out, head, sizeof head);
  add_line(out, path, hn_text(size_text, sizeof size_text, "%zu", size));
  add(out, text, size);
}

static hn_status add_model(hn_sealed_loading *l, const char *path, buffer *out, hn_error *error) {
  char *text = NULL;
  size_t size = 0;
  hn_status status = hn_text_file_read(&l->loader.arena, path, NULL, &text, &size, error);
  if (status == HN_OK) add_file(out, HN_SEALED_MODEL, path, text, size);
  return status;
}

static hn_status write_files(hn_sealed_loading *l, buffer *out, hn_error *error) {
  hn_status status = add_model(l, l->path, out, error);
  for (const hn_loaded_file *f = l->loader.used; f && status == HN_OK; f = f->next)
    if (strcmp(f->path, l->path) != 0) status = add_model(l, f->path, out, error);
  for (const hn_kept_mesh *m = l->loader.kept_meshes; m; m = m->next)
    add_file(out, HN_SEALED_MESH, m->path, m->text, m->size);
  hn_model_file data;
  for (int k = 0; hn_model_files_file(&l->files, k, &data); k++)
    if (data.text && !data.root) add_file(out, HN_SEALED_DATA, data.path, data.text, data.size);
  return status;
}

static hn_status check_inputs(const hn_sealed_loading *l, const hn_seal_options *o,
                              hn_error *error) {
  for (int k = 0; o->inputs && k < o->input_count; k++) {
    const hn_entry *e = hn_entry_find(&l->loader, HN_ENTRY_PARAMETER, HN_SEALED_NAME ".",
                                      o->inputs[k], strlen(o->inputs[k]));
    if (e && e->context.scope == &l->scope) continue;
    return hn_fail(error, HN_ERROR_ARGUMENT, NULL, NULL, "Use a parameter of the file itself.",
                   "%s has no parameter '%s'", l->path, o->inputs[k]);
  }
  for (const hn_entry *e = l->loader.first[HN_ENTRY_PARAMETER]; e; e = e->next) {
    if (e->context.scope != &l->scope || !hn_node_is_null(e->node)) continue;
    hn_source place = hn_node_key_source(e->node);
    char element[128];
    if (!is_chosen(o, own_name(e->name)))
      return hn_fail(error, HN_ERROR_UNSUPPORTED, &place,
                     hn_text(element, sizeof element, "parameter '%s'", own_name(e->name)),
                     "Give it a value, or make it settable (@input).",
                     "has no value and cannot be set by users");
  }
  return HN_OK;
}

// Likewise in messages.
static void forget_prefix(hn_error *error) {
  char *at = strstr(error->element, "'" HN_SEALED_NAME ".");
  size_t prefix = strlen(HN_SEALED_NAME ".");
  if (at) memmove(at + 1, at + 1 + prefix, strlen(at + 1 + prefix) + 1);
}

hn_status hn_component_seal(const char *path, const char *out, const hn_seal_options *options,
                            hn_error *error) {
  hn_sealed_loading l;
  hn_error own;
  if (!error) error = &own;
  const hn_placement here = hn_placement_none();
  hn_component_setup setup = hn_sealed_setup(&here);
  hn_status status = hn_sealed_loading_open(&l, path, error);
  if (status == HN_OK) status = hn_sealed_model(&l, &setup);
  if (status == HN_OK) status = hn_sealed_check(l.loader.model, l.external_count, error);
  if (status == HN_OK) status = gather_files(&l, error);
  if (status == HN_OK) status = check_inputs(&l, options, error);
  buffer shown = {0}, hidden = {0};
  if (status == HN_OK) write_public(&l, options, &shown);
  if (status == HN_OK) status = write_files(&l, &hidden, error);
  if (status == HN_OK && (shown.failed || hidden.failed))
    status = hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory for the component");
  if (status == HN_OK)
    status =
        hn_sealed_file_write(out, options->runtime, shown.data, hidden.data, hidden.size, error);
  if (status != HN_OK) forget_prefix(error);
  hn_release(NULL, shown.data);
  hn_release(NULL, hidden.data);
  hn_sealed_loading_end(&l);
  return status;
}
