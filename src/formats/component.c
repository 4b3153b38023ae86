// Components: a file used within another, placed, mirrored and joined at bodies of its user.
#include <string.h>

#include "base/error.h"
#include "formats/fields.h"
#include "formats/geometry.h"
#include "formats/sealed/sealed.h"
#include "formats/text_file.h"

// ---- files --------------------------------------------------------------------------------------

const hn_node *hn_component_file(hn_loader *loader, const char *path, const hn_node *used_at) {
  for (const hn_loaded_file *f = loader->used; f; f = f->next)
    if (strcmp(f->path, path) == 0) return f->root;
  hn_source place = hn_node_source(used_at);
  if (hn_loader_on_its_own(loader, &place, path)) return NULL;
  hn_loaded_file *file = hn_loader_take(loader, 1, sizeof *file);
  const hn_node *root = NULL;
  if (!file) return NULL;
  hn_status status = hn_model_files_tree(loader->files, path, &place, &root, loader->error);
  if (status) {
    hn_loader_failed(loader, status);
    return NULL;
  }
  *file = (hn_loaded_file){path, root, loader->used};
  loader->used = file;
  return root;
}

int hn_loader_on_its_own(hn_loader *loader, const hn_source *place, const char *path) {
  if (!loader->is_sealing || loader->is_making) return 0;
  hn_loader_fail(loader, HN_ERROR_FILE, place, "Rebuild the sealed component with this file.",
                 "needs '%.200s', which the sealed component does not contain", path);
  return 1;
}

hn_status hn_loader_text(hn_loader *loader, const char *path, const hn_source *place,
                         const char **text, size_t *size, hn_error *error) {
  if (loader->is_sealing && !loader->is_making && !hn_model_files_has_text(loader->files, path))
    return hn_fail(error, HN_ERROR_FILE, place, NULL,
                   "Rebuild the sealed component with this file.",
                   "the sealed component does not contain it");
  return hn_model_files_text(loader->files, path, place, text, size, error);
}

// The path of the file to use, checked against circles; null on failure.
static const char *find_file(hn_fields *fields) {
  const hn_context *context = fields->context;
  hn_loader *loader = context->loader;
  const char *use = hn_field_text(fields, "use");
  if (!use) return NULL;
  hn_source place = hn_node_source(hn_field(fields, "use"));
  if (hn_path_is_absolute(use)) {
    hn_loader_fail(loader, HN_ERROR_MODEL, &place,
                   "Write the path relative to this file, so that the model works elsewhere too.",
                   "uses the absolute path '%.200s'", use);
    return NULL;
  }
  const char *path =
      hn_path_join(&loader->arena, hn_written_in(context, hn_field(fields, "use")), use);
  if (!path) {
    hn_loader_take(loader, 1, 1); // reports
    return NULL;
  }
  for (const hn_scope *s = context->scope; s; s = s->parent)
    if (strcmp(s->file, path) == 0) {
      hn_loader_fail(loader, HN_ERROR_MODEL, &place, "Move the common part to a separate file.",
                     "uses '%.200s', which contains this file (circular use)", path);
      return NULL;
    }
  if (context->scope->depth >= HN_LOAD_COMPONENTS) {
    hn_loader_fail(loader, HN_ERROR_LIMIT, &place, "Use fewer levels.",
                   "is nested deeper than %d components", HN_LOAD_COMPONENTS);
    return NULL;
  }
  return path;
}

// ---- placement ----------------------------------------------------------------------------------

static void mirror_along(hn_loader *loader, const hn_node *node, const char *letter,
                         hn_vec3 *mirror) {
  if (letter && strcmp(letter, "x") == 0) {
    mirror->x = -mirror->x;
  } else if (letter && strcmp(letter, "y") == 0) {
    mirror->y = -mirror->y;
  } else if (letter && strcmp(letter, "z") == 0) {
    mirror->z = -mirror->z;
  } else if (letter) {
    hn_source place = hn_node_source(node);
    hn_loader_fail(loader, HN_ERROR_MODEL, &place, "Use x, y, z or a list of them.",
                   "has the invalid mirror axis '%.80s'", letter);
  }
}

static hn_vec3 read_mirror(hn_fields *fields) {
  const hn_context *context = fields->context;
  hn_vec3 mirror = vec3(1, 1, 1);
  const hn_node *node = hn_field(fields, "mirror");
  if (!node) return mirror;
  if (node->kind == HN_NODE_LIST)
    for (const hn_node *n = node->first; n; n = n->next)
      mirror_along(context->loader, n, hn_text_of(context, n), &mirror);
  else
    mirror_along(context->loader, node, hn_text_of(context, node), &mirror);
  return mirror;
}

static hn_placement read_placement(hn_fields *fields) {
  const hn_context *context = fields->context;
  const hn_placement *outer = &context->scope->placement;
  hn_placement inner = hn_placement_none();
  inner.mirror = read_mirror(fields);
  const hn_node *position = hn_field(fields, "position");
  const hn_node *orientation = hn_field(fields, "orientation");
  if (orientation) inner.rotation = hn_orientation_of(context, orientation, NULL);
  if (position) inner.position = hn_placement_back(outer, hn_point_of(context, position, NULL));
  return hn_placement_within(outer, &inner);
}

// ---- external bodies ----------------------------------------------------------------------------

int hn_body_is_external(const hn_entry *body) {
  const hn_node *node = hn_node_get(body->node, "external");
  return node && node->kind == HN_NODE_SCALAR && strcmp(node->text, "true") == 0;
}

static void map_bodies(hn_fields *fields, const hn_scope *scope) {
  const hn_context *context = fields->context;
  hn_loader *loader = context->loader;
  const hn_node *map = hn_field(fields, "bodies");
  if (map && map->kind != HN_NODE_MAP) {
    hn_source place = hn_node_source(map);
    hn_loader_fail(loader, HN_ERROR_MODEL, &place, "Write {BODY_OF_COMPONENT: BODY_HERE}.",
                   "expects a map of bodies in 'bodies', got %s", hn_node_kind_name(map));
    return;
  }
  hn_context inside = {loader, (hn_scope *)scope, NULL, 0};
  for (const hn_node *n = map ? map->first : NULL; n && hn_loader_ok(loader); n = n->next) {
    hn_entry *theirs = hn_entry_find(loader, HN_ENTRY_BODY, scope->prefix, n->key, strlen(n->key));
    hn_source place = hn_node_key_source(n);
    if (!theirs || !hn_body_is_external(theirs)) {
      const char *nearest = theirs ? NULL : hn_entry_nearest(&inside, HN_ENTRY_BODY, n->key);
      char hint[256];
      hn_text(hint, sizeof hint, "In %s write `%s: {external: true}` under `bodies:`.", scope->file,
              n->key);
      if (nearest) hn_text(hint, sizeof hint, "Did you mean '%s'?", nearest);
      hn_loader_fail(loader, HN_ERROR_MODEL, &place, hint,
                     "connects the body '%.80s', which is %s in %s", n->key,
                     theirs ? "not external" : "not known", scope->file);
      return;
    }
    const char *name = hn_text_of(context, n);
    hn_entry *ours = name ? hn_body_need(context, name, n) : NULL;
    if (ours) theirs->owner = ours;
  }
}

// Every external body must have been given; `before` is the last body of those registered earlier.
static void check_external(hn_loader *loader, const hn_entry *component, const hn_scope *scope,
                           const hn_entry *before) {
  size_t prefix = strlen(scope->prefix);
  hn_source place = hn_node_key_source(component->node);
  const hn_entry *body = before ? before->next : loader->first[HN_ENTRY_BODY];
  for (; body && hn_loader_ok(loader); body = body->next) {
    if (body->context.scope != scope || body->owner || !hn_body_is_external(body)) continue;
    char hint[160];
    hn_text(hint, sizeof hint,
            "Connect it: add `bodies: {%s: NAME}` with a body of this file, or ground.",
            body->name + prefix);
    hn_loader_fail(loader, HN_ERROR_MODEL, &place, hint,
                   "leaves the external body '%s' of %s unconnected", body->name + prefix,
                   scope->file);
  }
}

// ---- registering --------------------------------------------------------------------------------

static hn_scope *make_scope(hn_fields *fields, const hn_entry *entry, const char *path,
                            const hn_node *root) {
  hn_loader *loader = fields->context->loader;
  hn_scope *scope = hn_loader_take(loader, 1, sizeof *scope);
  size_t length = strlen(entry->name);
  char *prefix = hn_loader_take(loader, length + 2, 1);
  if (!scope || !prefix) return NULL;
  memcpy(prefix, entry->name, length);
  prefix[length] = '.';
  *scope = (hn_scope){.parent = fields->context->scope,
                      .prefix = prefix,
                      .file = path,
                      .root = root,
                      .user = entry->node,
                      .placement = read_placement(fields),
                      .depth = fields->context->scope->depth + 1};
  hn_component_def def = {entry->name, hn_node_key_source(entry->node),
                          fields->context->scope->component};
  hn_status status =
      hn_loader_ok(loader) ? hn_model_add_component(loader->model, &def, &scope->component) : HN_OK;
  if (status) {
    *loader->error = *hn_model_error(loader->model);
    hn_loader_failed(loader, status);
  }
  return hn_loader_ok(loader) ? scope : NULL;
}

// Inputs that follow formulas of the user, read where they stand (load_signal.c).
static void bind_inputs(hn_fields *fields, const hn_scope *scope) {
  const hn_node *map = hn_field(fields, "inputs");
  hn_loader *loader = fields->context->loader;
  for (const hn_node *node = map ? map->first : NULL; node && hn_loader_ok(loader);
       node = node->next) {
    hn_entry *input =
        hn_entry_find(loader, HN_ENTRY_INPUT, scope->prefix, node->key, strlen(node->key));
    hn_entry *formula = hn_loader_take(loader, 1, sizeof *formula);
    const hn_source place = hn_node_key_source(node);
    if (input && formula && !hn_node_get(input->node, "filter")) {
      *formula = (hn_entry){
          .kind = HN_ENTRY_OUTPUT, .name = input->name, .node = node, .context = *fields->context};
      input->owner = formula;
    } else if (input) {
      hn_loader_fail(loader, HN_ERROR_MODEL, &place,
                     "Filter the formula with a state that has `filter:`.",
                     "sets the input '%.80s', which has a filter, by a formula", node->key);
    } else {
      const hn_context inside = {loader, (hn_scope *)scope, NULL, 0};
      const char *nearest = hn_entry_nearest(&inside, HN_ENTRY_INPUT, node->key);
      char hint[160] = "Add the input to the component's file, or remove it here.";
      if (nearest) hn_text(hint, sizeof hint, "Did you mean '%s'?", nearest);
      hn_loader_fail(loader, HN_ERROR_MODEL, &place, hint,
                     "sets the input '%.80s', which %s does not have", node->key, scope->file);
    }
  }
}

void hn_component_register(const hn_context *context, hn_entry *entry) {
  hn_loader *loader = context->loader;
  hn_fields fields;
  hn_element_name old = hn_loader_begin(loader, "component", entry->name);
  if (hn_fields_open(context, entry->node, hn_section_find("component", NULL), &fields)) {
    const char *path = find_file(&fields);
    int is_sealed = path && hn_path_is_sealed(path);
    const hn_node *root =
        path && !is_sealed ? hn_component_file(loader, path, hn_field(&fields, "use")) : NULL;
    hn_scope *scope = root || is_sealed ? make_scope(&fields, entry, path, root) : NULL;
    if (scope && is_sealed) {
      hn_sealed_register(entry, &fields, scope, path);
      if (hn_loader_ok(loader)) bind_inputs(&fields, scope);
    } else if (scope) {
      const hn_entry *before = loader->last[HN_ENTRY_BODY];
      hn_scope_register(loader, scope, hn_field(&fields, "parameters"), context);
      map_bodies(&fields, scope);
      bind_inputs(&fields, scope);
      check_external(loader, entry, scope, before);
    }
    hn_fields_close(&fields);
  }
  hn_loader_set_element(loader, &old);
}
