// Scopes: the entries of a file are registered under their full names, `repeat:` written out.
//
// Order: parameters (with what overrides them), points, bodies with their markers, roads, joints,
// drivers, forces, outputs, and last components, which are scopes themselves (component.c).
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "formats/fields.h"
#include "formats/geometry.h"
#include "holon/component.h"
#include "math/expression.h"

// ---- repeat and if ------------------------------------------------------------------------------

typedef void (*each_entry)(const hn_context *context, hn_entry_kind kind, const char *name,
                           const hn_node *node, void *data);

typedef struct expansion {
  hn_loader *loader;
  hn_entry_kind kind;
  each_entry each;
  void *data;
  const hn_node *node;
} expansion;

// Names of parameters and counters: not words of the language, not units (but N, which engineers
// use to count), not the variables of laws.
// Parameters may be named like a unit: behind a number it is the unit, elsewhere the parameter.
static void check_value_name(hn_loader *loader, hn_entry_kind kind, const char *name,
                             const hn_node *node) {
  if (!hn_name_check(loader, name, node)) return;
  hn_source place = hn_node_key_source(node);
  size_t length = strlen(name);
  if (hn_expression_is_reserved(name, length))
    hn_loader_fail(loader, HN_ERROR_MODEL, &place, "Use another name.",
                   "uses the name '%s' for a number, but that is a function or constant", name);
  else if (length == 1 && strchr("xvt", name[0]))
    hn_loader_fail(loader, HN_ERROR_MODEL, &place, "Use a longer name.",
                   "uses the name '%s' for a number, but that is a variable of force functions",
                   name);
  else if (kind != HN_ENTRY_PARAMETER && strcmp(name, "N") != 0 &&
           hn_unit_find(name, length, NULL, NULL))
    hn_loader_fail(loader, HN_ERROR_MODEL, &place,
                   "Use a longer name, for instance 'mass' for m, 'height' for h.",
                   "uses the name '%s' for a number, but that is a unit", name);
}

static int condition_holds(const hn_context *context, const hn_node *node) {
  if (!node) return 1;
  if (node->kind == HN_NODE_SCALAR && strcmp(node->text, "true") == 0) return 1;
  if (node->kind == HN_NODE_SCALAR && strcmp(node->text, "false") == 0) return 0;
  return hn_number_of(context, node, HN_NUMBER, "if") != 0;
}

static int output_name_check(hn_loader *loader, const char *name, const hn_node *node) {
  size_t good = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-");
  for (; (unsigned char)name[good] >= 128; good++) continue;
  if (name[0] && name[good] == '\0' && good <= 4 * HN_NAME_LENGTH) return 1;
  hn_source place = hn_node_key_source(node);
  hn_loader_fail(loader, HN_ERROR_MODEL, &place,
                 "Use letters, digits, underscores, dots and dashes.",
                 "'%.80s' is not a valid output name", name);
  return 0;
}

// Entries keep their context, so its counters move to memory of the loader; those that are left out
// take none.
static void make_entry(const expansion *e, const hn_context *passing) {
  hn_loader *loader = e->loader;
  const hn_node *condition = hn_node_get(e->node, "if");
  if (!condition_holds(passing, condition) || !hn_loader_ok(loader)) return;
  size_t count = (size_t)passing->counter_count;
  hn_counter *counters = count > 0 ? hn_loader_take(loader, count, sizeof *counters) : NULL;
  if (count > 0 && !counters) return;
  if (count > 0) memcpy(counters, passing->counters, count * sizeof *counters);
  const hn_context kept = {loader, passing->scope, counters, passing->counter_count};
  const hn_context *context = &kept;
  const char *name = hn_text_expand(context, e->node->key, e->node);
  if (!name) return;
  int usable = e->kind == HN_ENTRY_OUTPUT ? output_name_check(loader, name, e->node)
                                          : hn_name_check(loader, name, e->node);
  if (usable) e->each(context, e->kind, name, e->node, e->data);
}

static int read_range(const hn_context *context, const hn_node *range, double *first,
                      double *last) {
  hn_loader *loader = context->loader;
  hn_source place = hn_node_source(range);
  if (range->kind != HN_NODE_LIST || range->count != 2) {
    hn_loader_fail(loader, HN_ERROR_MODEL, &place, "Write `repeat: {i: [first, last]}`.",
                   "has an invalid range of `repeat`");
    return 0;
  }
  *first = hn_integer_of(context, range->first, "repeat");
  *last = hn_integer_of(context, range->first->next, "repeat");
  if (!hn_loader_ok(loader)) return 0;
  if (*last < *first - 1)
    hn_loader_fail(loader, HN_ERROR_MODEL, &place,
                   "Write the smaller number first: [1, 5] gives 1, 2, 3, 4, 5.",
                   "has the decreasing range [%.0f, %.0f] of `repeat`", *first, *last);
  else if (*last - *first + 1 > (double)loader->max_entries)
    hn_loader_fail(loader, HN_ERROR_LIMIT, &place, "Reduce the range, or raise @max_entries.",
                   "has the range [%.0f, %.0f] of `repeat`: %.0f entries (limit %ld)", *first,
                   *last, *last - *first + 1, loader->max_entries);
  return hn_loader_ok(loader);
}

static void check_counter(const hn_context *context, const hn_node *range) {
  hn_loader *loader = context->loader;
  check_value_name(loader, HN_ENTRY_KINDS, range->key, range);
  hn_source place = hn_node_key_source(range);
  if (hn_entry_find(loader, HN_ENTRY_PARAMETER, context->scope->prefix, range->key,
                    strlen(range->key)))
    hn_loader_fail(loader, HN_ERROR_MODEL, &place, "Use another letter.",
                   "repeats over '%s', which is the name of a parameter", range->key);
  for (int k = 0; k < context->counter_count; k++)
    if (strcmp(context->counters[k].name, range->key) == 0)
      hn_loader_fail(loader, HN_ERROR_MODEL, &place, "Use another letter.",
                     "uses the `repeat` variable '%s' twice", range->key);
  if (context->counter_count >= HN_COUNTERS)
    hn_loader_fail(loader, HN_ERROR_LIMIT, &place, "Use fewer.",
                   "repeats over more than %d variables", HN_COUNTERS);
}

// One more round, whether it makes an entry or not.
static int count_round(hn_loader *loader, const hn_node *range) {
  const long limit = loader->max_entries < LONG_MAX / HN_LOAD_ROUNDS
                         ? HN_LOAD_ROUNDS * loader->max_entries
                         : LONG_MAX;
  if (loader->round_count++ < limit) return 1;
  hn_source place = hn_node_source(range);
  hn_loader_fail(loader, HN_ERROR_LIMIT, &place,
                 "Reduce the ranges (entries removed by `if:` count too), or raise @max_entries.",
                 "exceeds the total of %ld repetitions by `repeat:`", limit);
  return 0;
}

// Runs through the ranges from `range` on, each within those before it.
static void expand(const expansion *e, const hn_context *context, const hn_node *range) {
  hn_loader *loader = e->loader;
  if (!range) {
    make_entry(e, context);
    return;
  }
  double first, last;
  check_counter(context, range);
  if (!hn_loader_ok(loader) || !read_range(context, range, &first, &last)) return;
  int count = context->counter_count;
  hn_counter counters[HN_COUNTERS];
  if (count > 0) memcpy(counters, context->counters, (size_t)count * sizeof *counters);
  for (double i = first; i <= last && hn_loader_ok(loader) && count_round(loader, range); i++) {
    counters[count] = (hn_counter){range->key, i};
    hn_context inner = {loader, context->scope, counters, count + 1};
    expand(e, &inner, range->next);
  }
}

// Calls `each` for every entry of a map of named entries, with `repeat:` written out and `if:`
// obeyed.
static void for_each_entry(const hn_context *context, const hn_node *map, hn_entry_kind kind,
                           each_entry each, void *data) {
  hn_loader *loader = context->loader;
  if (!map || !hn_loader_ok(loader) || hn_node_is_null(map)) return;
  if (map->kind != HN_NODE_MAP) {
    hn_source place = hn_node_source(map);
    hn_loader_fail(loader, HN_ERROR_MODEL, &place, "Write `name: {...}`.",
                   "expects named entries in '%s', got %s", map->key, hn_node_kind_name(map));
    return;
  }
  for (const hn_node *node = map->first; node && hn_loader_recover(loader); node = node->next) {
    hn_element_name old = hn_loader_begin(loader, hn_entry_kind_word(kind), node->key);
    expansion e = {loader, kind, each, data, node};
    const hn_node *repeat = hn_node_get(node, "repeat");
    if (repeat && (repeat->kind != HN_NODE_MAP || repeat->count == 0)) {
      hn_source place = hn_node_source(repeat);
      hn_loader_fail(loader, HN_ERROR_MODEL, &place, "Write `repeat: {i: [first, last]}`.",
                     "has a `repeat` that is %s", hn_node_kind_name(repeat));
    }
    if (hn_loader_ok(loader)) expand(&e, context, repeat ? repeat->first : NULL);
    hn_loader_set_element(loader, &old);
  }
}

// ---- parameters ---------------------------------------------------------------------------------

static void register_parameters(const hn_context *context, const hn_node *map) {
  hn_loader *loader = context->loader;
  if (!map || hn_node_is_null(map)) return;
  if (map->kind != HN_NODE_MAP) {
    hn_source place = hn_node_source(map);
    hn_loader_fail(loader, HN_ERROR_MODEL, &place, "Write `name: number` in each line.",
                   "expects named numbers in 'parameters', got %s", hn_node_kind_name(map));
    return;
  }
  for (const hn_node *node = map->first; node && hn_loader_recover(loader); node = node->next) {
    hn_element_name old = hn_loader_begin(loader, "parameter", node->key);
    check_value_name(loader, HN_ENTRY_PARAMETER, node->key, node);
    hn_entry *entry = hn_entry_add(context, HN_ENTRY_PARAMETER, node->key, node);
    if (entry) entry->data = hn_loader_take(loader, 1, sizeof(hn_parameter));
    hn_loader_set_element(loader, &old);
  }
}

static void override_parameters(hn_loader *loader, const hn_scope *scope, const hn_node *overrides,
                                const hn_context *user) {
  if (!overrides || hn_node_is_null(overrides) || !hn_loader_ok(loader)) return;
  if (overrides->kind != HN_NODE_MAP) {
    hn_source place = hn_node_source(overrides);
    hn_loader_fail(loader, HN_ERROR_MODEL, &place, "Write {name: number, ...}.",
                   "expects named numbers in 'parameters', got %s", hn_node_kind_name(overrides));
    return;
  }
  hn_context inside = {loader, (hn_scope *)scope, NULL, 0};
  for (const hn_node *node = overrides->first; node && hn_loader_recover(loader);
       node = node->next) {
    hn_entry *entry =
        hn_entry_find(loader, HN_ENTRY_PARAMETER, scope->prefix, node->key, strlen(node->key));
    if (!entry) {
      const char *nearest = hn_entry_nearest(&inside, HN_ENTRY_PARAMETER, node->key);
      char hint[160] = "Define parameters of a component in its file.";
      if (nearest) hn_text(hint, sizeof hint, "Did you mean '%s'?", nearest);
      hn_source place = hn_node_key_source(node);
      hn_loader_fail(loader, HN_ERROR_MODEL, &place, hint,
                     "sets the parameter '%.80s', which %s does not have", node->key, scope->file);
      return;
    }
    hn_parameter *p = entry->data;
    p->override = node;
    p->override_context = *user;
  }
}

// Values that the user of a sealed component gave it; names were checked there.
static void take_inputs(hn_loader *loader, const hn_scope *scope) {
  for (int k = 0; k < scope->input_count && hn_loader_ok(loader); k++) {
    const char *name = scope->inputs[k].name;
    hn_entry *entry = hn_entry_find(loader, HN_ENTRY_PARAMETER, scope->prefix, name, strlen(name));
    if (!entry)
      hn_loader_fail(loader, HN_ERROR_MODEL, NULL, NULL,
                     "the parameter '%s' does not exist; rebuild the component", name);
    else
      ((hn_parameter *)entry->data)->input = &scope->inputs[k];
  }
}

// ---- entries ------------------------------------------------------------------------------------

static void register_plain(const hn_context *context, hn_entry_kind kind, const char *name,
                           const hn_node *node, void *data) {
  (void)data;
  hn_entry_add(context, kind, name, node);
}

// Formulas know inputs by their names, like parameters.
static void register_input(const hn_context *context, hn_entry_kind kind, const char *name,
                           const hn_node *node, void *data) {
  hn_loader *loader = context->loader;
  check_value_name(loader, HN_ENTRY_INPUT, name, node);
  if (hn_entry_find(loader, HN_ENTRY_PARAMETER, context->scope->prefix, name, strlen(name))) {
    hn_source place = hn_node_key_source(node);
    hn_loader_fail(loader, HN_ERROR_MODEL, &place, "Rename one of them.",
                   "has the name of a parameter");
  }
  register_plain(context, kind, name, node, data);
}

static void register_marker(const hn_context *context, hn_entry_kind kind, const char *name,
                            const hn_node *node, void *data) {
  hn_entry *body = data;
  char full[HN_FULL_NAME_LENGTH + HN_NAME_LENGTH];
  hn_text(full, sizeof full, "%s.%s", body->name + strlen(context->scope->prefix), name);
  hn_entry *entry = hn_entry_add(context, kind, full, node);
  if (entry) entry->owner = body;
}

// Ground has the frame of the file it is named in; its entry only carries markers and shapes.
static void register_ground(const hn_context *context, hn_entry *entry) {
  hn_loader *loader = context->loader;
  hn_fields fields;
  hn_body_record *record = hn_loader_take(loader, 1, sizeof *record);
  if (!record || !hn_fields_open(context, entry->node, hn_section_find("ground", NULL), &fields))
    return;
  *record = (hn_body_record){.frame = context->scope->placement};
  entry->data = record;
  entry->owner = &loader->ground;
  entry->state = HN_ENTRY_DONE;
}

static void register_body(const hn_context *context, hn_entry_kind kind, const char *name,
                          const hn_node *node, void *data) {
  (void)data;
  hn_loader *loader = context->loader;
  if (strcmp(name, "points") == 0) {
    hn_source place = hn_node_key_source(node);
    hn_loader_fail(loader, HN_ERROR_MODEL, &place, "Use another name.",
                   "has a reserved name: points.NAME is a point");
  }
  hn_entry *entry = hn_entry_add(context, kind, name, node);
  if (!entry) return;
  if (strcmp(name, "ground") == 0) register_ground(context, entry);
  for_each_entry(context, hn_node_get(node, "markers"), HN_ENTRY_MARKER, register_marker, entry);
}

static void register_component(const hn_context *context, hn_entry_kind kind, const char *name,
                               const hn_node *node, void *data) {
  (void)data;
  hn_loader *loader = context->loader;
  if (strcmp(name, "points") == 0 || strcmp(name, "ground") == 0 ||
      hn_entry_find(loader, HN_ENTRY_BODY, context->scope->prefix, name, strlen(name))) {
    hn_source place = hn_node_key_source(node);
    hn_loader_fail(loader, HN_ERROR_MODEL, &place, "Use another name.",
                   "has a name that is used by a body or `points`");
  }
  hn_entry *entry = hn_entry_add(context, kind, name, node);
  if (entry) hn_component_register(context, entry);
}

static void check_border(const hn_context *context, const hn_node *border) {
  hn_loader *loader = context->loader;
  if (!border || !hn_loader_ok(loader)) return;
  hn_element_name old = hn_loader_begin(loader, "border", context->scope->file);
  if (border->kind != HN_NODE_LIST) {
    hn_source place = hn_node_source(border);
    hn_loader_fail(loader, HN_ERROR_MODEL, &place, "Write `border: [body, ...]`.",
                   "expects a list of bodies, got %s", hn_node_kind_name(border));
  } else {
    for (const hn_node *n = border->first; n && hn_loader_ok(loader); n = n->next) {
      const char *name = hn_text_of(context, n);
      if (name) hn_entry_need(context, HN_ENTRY_BODY, name, n);
    }
  }
  hn_loader_set_element(loader, &old);
}

static void check_version(hn_fields *fields) {
  double version = hn_field_number(fields, "holon");
  if (version == 1 || !hn_loader_ok(fields->context->loader)) return;
  hn_source place = hn_node_source(hn_field(fields, "holon"));
  hn_loader_fail(fields->context->loader, HN_ERROR_UNSUPPORTED, &place,
                 "Install a newer Holon, or write 1 if the file uses no newer features.",
                 "has the format version %g; this program reads version 1", version);
}

void hn_scope_register(hn_loader *loader, hn_scope *scope, const hn_node *overrides,
                       const hn_context *user) {
  hn_context context = {loader, scope, NULL, 0};
  hn_fields fields;
  hn_element_name old = hn_loader_begin(loader, scope->parent ? "file" : "the model",
                                        scope->parent ? scope->file : NULL);
  int open = hn_fields_open(&context, scope->root, hn_section_find("model", NULL), &fields);
  if (open) check_version(&fields);
  if (open) register_parameters(&context, hn_field(&fields, "parameters"));
  hn_loader_set_element(loader, &old);
  if (!open) return;
  override_parameters(loader, scope, overrides, user);
  take_inputs(loader, scope);
  hn_settings_apply(loader, scope);
  static const struct {
    const char *key;
    hn_entry_kind kind;
    each_entry each;
  } sections[] = {
      {"inputs", HN_ENTRY_INPUT, register_input},
      {"states", HN_ENTRY_STATE, hn_register_state},
      {"tables", HN_ENTRY_TABLE, register_plain},
      {"points", HN_ENTRY_POINT, register_plain},
      {"bodies", HN_ENTRY_BODY, register_body},
      {"roads", HN_ENTRY_ROAD, register_plain},
      {"joints", HN_ENTRY_JOINT, register_plain},
      {"drivers", HN_ENTRY_DRIVER, register_plain},
      {"forces", HN_ENTRY_FORCE, register_plain},
      {"materials", HN_ENTRY_MATERIAL, register_plain},
      {"contacts", HN_ENTRY_CONTACT, register_plain},
      {"outputs", HN_ENTRY_OUTPUT, register_plain},
      {"figures", HN_ENTRY_FIGURE, register_plain},
      {"components", HN_ENTRY_COMPONENT, register_component},
  };
  for (size_t k = 0; k < sizeof sections / sizeof *sections && hn_loader_recover(loader); k++)
    for_each_entry(&context, hn_field(&fields, sections[k].key), sections[k].kind, sections[k].each,
                   NULL);
  scope->border = hn_field(&fields, "border");
  check_border(&context, scope->border);
}
