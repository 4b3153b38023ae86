// A sealed component in the model that uses it: `use: engine.hnc`. Its border takes names here like that
// of an open component; its bodies are placed by its own code when the first of them is asked for.
#include <string.h>

#include "base/dynamic.h"
#include "base/error.h"
#include "components/served.h"
#include "formats/law.h"
#include "formats/sealed/text.h"

struct hn_sealed_use {
  hn_entry *entry; // of the component
  hn_scope *scope;
  const char *path;
  const hn_component_channel *channel; // another process runs it; null: its file is here
  hn_source place;
  const hn_node *parameters, *bodies; // as written
  hn_node *settings;                  // --set of its inputs, one for each name
  hn_sealed_file file;                // kept only while registering
  char digest[HN_COMPONENT_CHECKSUM]; // of the file that was checked
  int external_count;
  const char **external_names;
  int *external_ids;
  hn_entry **externals; // bodies of the user (external_count)
  int input_count, required_count;
  const char **input_names, **required_names;
  int contact_count;
  const char **contact_names;
  hn_sealed_part part;
  int is_placed, is_added;
  hn_sealed_use *next;
};

int hn_path_is_sealed(const char *path) {
  size_t length = strlen(path);
  return length > 4 && strcmp(path + length - 4, ".hnc") == 0;
}

static hn_status fail(hn_sealed_use *use, hn_status status, const char *hint, const char *format,
                      const char *value) {
  char message[1024];
  hn_text(message, sizeof message, format, value);
  return hn_loader_fail(use->entry->context.loader, status, &use->place, hint, "%s", message);
}

// ---- registering --------------------------------------------------------------------------------

static int is_trusted(const hn_load_options *o, const char *digest) {
  for (int k = 0; k < o->trusted_count; k++)
    if (strcmp(o->trusted[k], digest) == 0) return 1;
  return o->allow_compiled;
}

static int check_file(hn_sealed_use *use) {
  hn_loader *loader = use->entry->context.loader;
  char text[512], version[32] = "?";
  size_t at = 0;
  hn_sealed_next(&use->file, "holon", &at, version, sizeof version);
  if (loader->is_sealing) {
    fail(use, HN_ERROR_UNSUPPORTED, "Use its model file here and seal everything together.",
         "is sealed itself, and a sealed component cannot contain another (%s)", use->path);
  } else if (use->file.abi != HN_COMPONENT_ABI) {
    hn_text(text, sizeof text,
            "has version %u of the component interface (made by holon %s); this is version %u",
            use->file.abi, version, HN_COMPONENT_ABI);
    fail(use, HN_ERROR_UNSUPPORTED, "Build it again with this holon, or ask its maker.", "%s",
         text);
  } else if (!use->channel && !is_trusted(loader->options, use->digest)) {
    hn_text(text, sizeof text,
            "is compiled code (%.200s), which runs only if allowed; its checksum is %s", use->path,
            use->digest);
    fail(use, HN_ERROR_UNSUPPORTED,
         "If you trust its maker, use @allow_compiled or add its checksum to the list of trusted "
         "files.",
         "%s", text);
  }
  return hn_loader_ok(loader);
}

static const char **read_list(hn_sealed_use *use, const char *word, int *count) {
  hn_loader *loader = use->entry->context.loader;
  char value[256];
  size_t at = 0;
  *count = 0;
  while (hn_sealed_next(&use->file, word, &at, value, sizeof value)) (*count)++;
  const char **list = hn_loader_take(loader, (size_t)*count, sizeof *list);
  at = 0;
  for (int k = 0; list && k < *count; k++) {
    hn_sealed_next(&use->file, word, &at, value, sizeof value);
    list[k] = hn_loader_copy(loader, value);
  }
  return list;
}

// The first entry represents all bodies of the component, shown or not.
static void register_names(hn_sealed_use *use) {
  hn_loader *loader = use->entry->context.loader;
  hn_context inside = {loader, use->scope, NULL, 0};
  int borders, markers;
  const char **border = read_list(use, "border", &borders);
  const char **marker = read_list(use, "marker", &markers);
  int givens;
  const char **given = read_list(use, "given", &givens);
  for (int k = 0; given && k < givens && hn_loader_ok(loader); k++) {
    hn_entry *e = hn_entry_add(&inside, HN_ENTRY_INPUT, given[k], use->entry->node);
    if (e) e->sealed = use;
  }
  hn_entry *all = hn_entry_add(&inside, HN_ENTRY_BODY, "(sealed)", use->entry->node);
  if (all) all->sealed = use;
  for (int k = 0; k < use->contact_count && hn_loader_ok(loader); k++) {
    hn_entry *e = hn_entry_add(&inside, HN_ENTRY_CONTACT, use->contact_names[k], use->entry->node);
    if (e) e->sealed = use;
  }
  for (int k = 0; border && k < borders && hn_loader_ok(loader); k++) {
    hn_entry *e = hn_entry_add(&inside, HN_ENTRY_BODY, border[k], use->entry->node);
    if (e) e->sealed = use;
  }
  for (int k = 0; marker && k < markers && hn_loader_ok(loader); k++) {
    const char *dot = strrchr(marker[k], '.');
    hn_entry *body = dot ? hn_entry_find(loader, HN_ENTRY_BODY, use->scope->prefix, marker[k],
                                         (size_t)(dot - marker[k]))
                         : NULL;
    hn_entry *e = body ? hn_entry_add(&inside, HN_ENTRY_MARKER, marker[k], use->entry->node) : NULL;
    if (!e) continue;
    e->sealed = use;
    e->owner = body;
  }
}

static int is_listed(const char *name, const char **names, int count) {
  for (int k = 0; k < count; k++)
    if (strcmp(names[k], name) == 0) return 1;
  return 0;
}

static int is_input(const hn_sealed_use *use, const char *name) {
  return is_listed(name, use->input_names, use->input_count) ||
         is_listed(name, use->required_names, use->required_count);
}

static const hn_node *find_setting(const hn_sealed_use *use, const char *name) {
  const hn_node *n = use->settings;
  while (n && strcmp(n->key, name) != 0) n = n->next;
  return n;
}

// "It shows theta, boost."
static const char *list_inputs(const hn_sealed_use *use, char *text, size_t size) {
  size_t used = strlen(hn_text(text, size, "It shows"));
  for (int k = 0; k < use->input_count + use->required_count; k++) {
    int rest = k - use->input_count;
    hn_text(text + used, size - used, "%s %s", k > 0 ? "," : "",
            rest < 0 ? use->input_names[k] : use->required_names[rest]);
    used += strlen(text + used);
  }
  hn_text(text + used, size - used, use->input_count + use->required_count > 0 ? "." : " none.");
  return text;
}

// --set NAME.input=VALUE. The last one of a name holds.
static void take_settings(hn_sealed_use *use) {
  hn_loader *loader = use->entry->context.loader;
  size_t prefix = strlen(use->scope->prefix);
  for (int k = loader->setting_count - 1; k >= 0 && hn_loader_ok(loader); k--) {
    hn_setting *setting = &loader->settings[k];
    char hint[512];
    if (!setting->name || strncmp(setting->name, use->scope->prefix, prefix) != 0) continue;
    const char *name = setting->name + prefix;
    if (!is_input(use, name)) {
      hn_source place = {HN_SETTINGS, 1, 1};
      hn_loader_fail(loader, HN_ERROR_ARGUMENT, &place, list_inputs(use, hint, sizeof hint),
                     "sets '%s', which the component does not provide", name);
      return;
    }
    setting->is_used = 1;
    if (find_setting(use, name)) continue;
    hn_node *node = hn_loader_take(loader, 1, sizeof *node);
    if (!node) return;
    *node = *setting->node;
    node->key = name;
    node->next = use->settings;
    use->settings = node;
  }
}

static void check_names(hn_sealed_use *use) {
  for (const hn_node *n = use->parameters ? use->parameters->first : NULL; n; n = n->next) {
    char hint[512];
    if (!is_input(use, n->key))
      fail(use, HN_ERROR_MODEL, list_inputs(use, hint, sizeof hint),
           "sets the parameter '%s', which the component does not provide", n->key);
  }
  for (int k = 0; k < use->required_count; k++)
    if (!find_setting(use, use->required_names[k]) &&
        (!use->parameters || !hn_node_get(use->parameters, use->required_names[k])))
      fail(use, HN_ERROR_MODEL, "Give it in the component's `parameters:`.",
           "needs the parameter '%s', which has no default", use->required_names[k]);
  for (const hn_node *n = use->bodies ? use->bodies->first : NULL; n; n = n->next) {
    if (!is_listed(n->key, use->external_names, use->external_count))
      fail(use, HN_ERROR_MODEL, "Run `holon component show` to list its external bodies.",
           "connects the body '%s', which is not an external body of the component", n->key);
  }
}

// A remote component under the name of this file.
static const hn_component_channel *find_channel(const hn_loader *loader, const char *path) {
  const hn_load_options *o = loader->options;
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  for (int k = 0; k < o->served_count; k++)
    if (strcmp(o->served[k].name, name) == 0) return &o->served[k];
  return NULL;
}

// The error of who serves it has no place of its own.
static hn_status open_file(hn_sealed_use *use) {
  hn_loader *loader = use->entry->context.loader;
  hn_error reason = {0};
  if (!use->channel) {
    hn_status status = hn_sealed_file_open(use->path, &use->file, loader->error);
    if (status == HN_OK) hn_sealed_digest(&use->file, use->digest);
    if (status != HN_OK) hn_loader_failed(loader, status);
    return status;
  }
  hn_status status = hn_served_open(use->channel, &use->file, use->digest, &reason);
  if (status == HN_OK) return HN_OK;
  return hn_loader_fail(loader, status, &use->place, reason.hint, "%s", reason.message);
}

void hn_sealed_register(hn_entry *entry, hn_fields *fields, hn_scope *scope, const char *path) {
  hn_loader *loader = entry->context.loader;
  hn_sealed_use *use = hn_loader_take(loader, 1, sizeof *use);
  hn_source place = hn_node_source(hn_field(fields, "use"));
  if (!use) return;
  *use = (hn_sealed_use){.entry = entry, .scope = scope, .path = path, .place = place};
  use->parameters = hn_field(fields, "parameters");
  use->bodies = hn_field(fields, "bodies");
  use->next = loader->sealed;
  loader->sealed = use;
  use->channel = find_channel(loader, path);
  if (open_file(use) != HN_OK) return;
  if (check_file(use)) {
    use->external_names = read_list(use, "external", &use->external_count);
    use->input_names = read_list(use, "input", &use->input_count);
    use->required_names = read_list(use, "required", &use->required_count);
    use->contact_names = read_list(use, "contact", &use->contact_count);
    if (hn_loader_ok(loader)) take_settings(use);
    if (hn_loader_ok(loader)) check_names(use);
    if (hn_loader_ok(loader)) register_names(use);
  }
  hn_sealed_file_close(&use->file);
}

// ---- placing ------------------------------------------------------------------------------------

static hn_component_input input_of(hn_sealed_use *use, const hn_node *n) {
  hn_amount a = hn_amount_of(&use->entry->context, n);
  return (hn_component_input){
      .name = n->key,
      .value = a.value,
      .has_dimension = a.kind == HN_AMOUNT_TYPED,
      .dimension = {a.dimension.length, a.dimension.mass, a.dimension.time, a.dimension.angle}};
}

// Those of the model, and those of --set, which take their place.
static hn_component_input *read_inputs(hn_sealed_use *use, int *count) {
  hn_loader *loader = use->entry->context.loader;
  const hn_node *written = use->parameters ? use->parameters->first : NULL;
  int room = 0;
  for (const hn_node *n = written; n; n = n->next) room++;
  for (const hn_node *n = use->settings; n; n = n->next) room++;
  hn_component_input *inputs = hn_loader_take(loader, (size_t)room, sizeof *inputs);
  *count = 0;
  for (const hn_node *n = written; n && inputs; n = n->next)
    if (!find_setting(use, n->key)) inputs[(*count)++] = input_of(use, n);
  for (const hn_node *n = use->settings; n && inputs; n = n->next)
    inputs[(*count)++] = input_of(use, n);
  return inputs;
}

static hn_component_body *read_externals(hn_sealed_use *use) {
  hn_loader *loader = use->entry->context.loader;
  const hn_context *context = &use->entry->context;
  hn_component_body *bodies = hn_loader_take(loader, (size_t)use->external_count, sizeof *bodies);
  use->external_ids = hn_loader_take(loader, (size_t)use->external_count, sizeof(int));
  use->externals = hn_loader_take(loader, (size_t)use->external_count, sizeof(hn_entry *));
  for (int k = 0; k < use->external_count && hn_loader_ok(loader); k++) {
    const hn_node *n = use->bodies ? hn_node_get(use->bodies, use->external_names[k]) : NULL;
    if (!n) {
      fail(use, HN_ERROR_MODEL,
           "Add `bodies: {NAME: ...}` with the name of a body here, or ground.",
           "leaves its external body '%s' unconnected", use->external_names[k]);
      return NULL;
    }
    const char *name = hn_text_of(context, n);
    hn_entry *ours = name ? hn_body_need(context, name, n) : NULL;
    ours = ours ? hn_body_real(ours) : NULL;
    const hn_body_record *record = ours ? hn_body_written(ours) : NULL;
    if (!record) return NULL;
    bodies[k] = hn_sealed_drawn(record);
    use->externals[k] = ours;
  }
  return hn_loader_ok(loader) ? bodies : NULL;
}

// Between checking and loading the file may have been exchanged.
static int is_unchanged(hn_sealed_use *use) {
  hn_loader *loader = use->entry->context.loader;
  char digest[HN_COMPONENT_CHECKSUM];
  hn_sealed_file file;
  hn_status status = hn_sealed_file_open(use->path, &file, loader->error);
  if (status != HN_OK) {
    hn_loader_failed(loader, status);
    return 0;
  }
  hn_sealed_digest(&file, digest);
  hn_sealed_file_close(&file);
  if (strcmp(digest, use->digest) != 0)
    fail(use, HN_ERROR_FILE, "Load the model again; check which program writes this file.",
         "has changed since it was checked (%s)", use->path);
  return hn_loader_ok(loader);
}

static const hn_component_api *load_code(hn_sealed_use *use) {
  hn_loader *loader = use->entry->context.loader;
  if (!is_unchanged(use)) return NULL;
  hn_status status = hn_dynamic_open(use->path, &use->part.library, loader->error);
  if (status != HN_OK) {
    hn_loader_failed(loader, status);
    return NULL;
  }
  typedef const hn_component_api *(*entry_function)(void);
  entry_function entry = (entry_function)hn_dynamic_find(use->part.library, HN_COMPONENT_ENTRY);
  const hn_component_api *api = entry ? entry() : NULL;
  if (!entry)
    fail(use, HN_ERROR_FILE, "Build it again with `holon component build`.",
         "lacks the symbol %s: it is not a sealed component", HN_COMPONENT_ENTRY);
  else if (!api || api->abi != HN_COMPONENT_ABI || api->size < sizeof *api)
    fail(use, HN_ERROR_UNSUPPORTED, "Build it again with this holon, or ask its maker.",
         "has another version of the component interface (made by holon %s)",
         api && api->holon ? api->holon : "?");
  return hn_loader_ok(loader) ? api : NULL;
}

static const hn_component_api *api_of(hn_sealed_use *use) {
  return use->channel ? hn_served_api() : load_code(use);
}

static void take_facts(hn_sealed_use *use, const hn_component_facts *facts) {
  const char *fault = hn_component_fault(facts);
  if (!fault && facts->contact_count != use->contact_count) fault = "other contacts than it lists";
  for (int k = 0; !fault && k < use->contact_count; k++)
    if (strcmp(facts->contacts[k].def.name, use->contact_names[k]) != 0)
      fault = "other contacts than it lists";
  if (fault)
    fail(use, HN_ERROR_FILE, "Build it again with `holon component build`, or ask its maker.",
         "publishes %s", fault);
  else
    use->part.facts = facts;
}

static void place(hn_sealed_use *use) {
  hn_loader *loader = use->entry->context.loader;
  hn_element_name old = hn_loader_begin(loader, "component", use->entry->name);
  hn_component_setup setup = hn_sealed_setup(&use->scope->placement);
  use->is_placed = 1;
  hn_component_body *externals = read_externals(use);
  hn_component_input *inputs = externals ? read_inputs(use, &setup.input_count) : NULL;
  const hn_component_api *api = inputs && hn_loader_ok(loader) ? api_of(use) : NULL;
  if (api) {
    hn_error reason = {0};
    setup.path = use->path;
    setup.inputs = inputs;
    setup.externals = externals;
    setup.external_count = use->external_count;
    use->part.api = api;
    hn_status status = use->channel
                           ? hn_served_create(use->channel, &setup, &use->part.placed, &reason)
                           : api->create(&setup, &use->part.placed, &reason);
    if (status != HN_OK)
      hn_loader_fail(loader, status, &use->place, reason.hint, "%s", reason.message);
    else
      take_facts(use, api->facts(use->part.placed));
  }
  hn_loader_set_element(loader, &old);
}

static int is_ready(hn_sealed_use *use) {
  if (!use->is_placed) place(use);
  return hn_loader_ok(use->entry->context.loader) && use->part.facts;
}

static const char *name_inside(const hn_entry *e) {
  return e->name + strlen(e->sealed->scope->prefix);
}

const void *hn_sealed_body(hn_entry *body) {
  hn_sealed_use *use = body->sealed;
  if (!is_ready(use)) return NULL;
  const hn_component_facts *facts = use->part.facts;
  hn_body_record *record = hn_loader_take(use->entry->context.loader, 1, sizeof *record);
  for (int k = 0; record && k < facts->border_count; k++) {
    const hn_component_body *drawn = &facts->border_drawn[k];
    if (strcmp(facts->border_names[k], name_inside(body)) != 0) continue;
    memcpy(record->frame.rotation.m, drawn->rotation, sizeof drawn->rotation);
    record->frame.mirror = vec3_load(drawn->mirror);
    record->frame.position = vec3_load(drawn->position);
    record->center = vec3_load(drawn->center);
  }
  body->data = record;
  body->state = HN_ENTRY_DONE;
  return record;
}

const void *hn_sealed_marker(hn_entry *marker) {
  hn_sealed_use *use = marker->sealed;
  if (!is_ready(use)) return NULL;
  const hn_component_facts *facts = use->part.facts;
  hn_drawn_frame *drawn = hn_loader_take(use->entry->context.loader, 1, sizeof *drawn);
  for (int k = 0; drawn && k < facts->marker_count; k++) {
    if (strcmp(facts->markers[k].name, name_inside(marker)) != 0) continue;
    drawn->origin = vec3_load(facts->markers[k].origin);
    memcpy(drawn->axes.m, facts->markers[k].axes, sizeof facts->markers[k].axes);
  }
  marker->data = drawn;
  marker->state = HN_ENTRY_DONE;
  return drawn;
}

// ---- adding -------------------------------------------------------------------------------------

static const hn_component_given *find_given(const hn_component_facts *facts, const char *name,
                                            int *place) {
  for (*place = 0; *place < facts->given_count; ++*place)
    if (strcmp(facts->given[*place].name, name) == 0) return &facts->given[*place];
  return NULL;
}

void hn_sealed_load_input(hn_entry *input) {
  hn_sealed_use *use = input->sealed;
  hn_loader *loader = use->entry->context.loader;
  int place = 0;
  if (!is_ready(use)) return;
  const hn_component_given *given = find_given(use->part.facts, name_inside(input), &place);
  hn_amount *amount = hn_loader_take(loader, 1, sizeof *amount);
  if (!amount) return;
  if (!given || (place > 0 && loader->model->input_count != use->part.first_input + place)) {
    fail(use, HN_ERROR_FILE, "Build it again with `holon component build`.",
         "lists its input '%s' in another order than it has it", name_inside(input));
    return;
  }
  if (input->owner && (given->filter > 0 || given->follows >= 0 || given->moves_driver)) {
    fail(use, HN_ERROR_UNSUPPORTED,
         given->filter > 0 ? "Filter the formula with a state that has `filter:`."
                           : "Give the input while the model runs (@input), or use the model file.",
         given->filter > 0 ? "sets the input '%s', which has a filter, by a formula"
         : given->follows >= 0
             ? "sets the input '%s', which follows an output inside, by a formula"
             : "sets the input '%s', which moves a driver inside, by a formula (not supported)",
         name_inside(input));
    return;
  }
  hn_input_def def = hn_default_input();
  def.name = input->name;
  def.source = use->place;
  def.value = given->value;
  def.unit = given->unit;
  def.filter = given->filter;
  if (given->follows >= 0) {
    char output[2 * HN_FULL_NAME_LENGTH];
    def.follows = hn_loader_copy(loader, hn_text(output, sizeof output, "%s%s", use->scope->prefix,
                                                 use->part.facts->output_names[given->follows]));
    def.every = given->every;
  }
  *amount = (hn_amount){.value = given->value, .kind = HN_AMOUNT_UNTYPED};
  if (given->has_dimension) {
    amount->kind = HN_AMOUNT_TYPED;
    amount->dimension = (hn_dimension){given->dimension[0], given->dimension[1],
                                       given->dimension[2], given->dimension[3]};
  }
  input->data = amount;
  if (place == 0) use->part.first_input = loader->model->input_count;
  hn_loader_added(loader, hn_model_add_input(loader->model, &def, &input->id));
}

static void add_part(hn_sealed_use *use) {
  hn_loader *loader = use->entry->context.loader;
  use->is_added = 1;
  for (int k = 0; k < use->external_count; k++) {
    const hn_entry *e = use->externals[k];
    use->external_ids[k] = e->id;
    if (e->id > 0 || e == &loader->ground) continue;
    fail(use, HN_ERROR_MODEL, "Place the component that has it first.",
         "connects the body '%s', which is defined after it", e->name);
    use->is_added = 0;
    return;
  }
  use->part.name = use->entry->name;
  use->part.path = use->path;
  use->part.source = hn_node_key_source(use->entry->node);
  use->part.component = use->scope->component;
  use->part.external = use->external_ids;
  use->part.external_count = use->external_count;
  hn_loader_added(loader, hn_model_add_part(loader->model, &use->part));
  if (hn_loader_ok(loader))
    hn_sealed_add_shapes(loader, &loader->model->parts[loader->model->part_count - 1]);
}

// Formulas that give inputs, when everything that they may read is there.
void hn_sealed_load_formulas(hn_loader *loader) {
  for (hn_entry *e = loader->first[HN_ENTRY_INPUT]; hn_loader_goes_on(loader, e); e = e->next) {
    if (!e->sealed || !e->owner || hn_loader_spoilt(loader, e)) continue;
    const hn_law_wanted wanted = {"t", HN_TIME, HN_TIME, HN_ANYTHING, 1, 0};
    hn_element_name old = hn_loader_begin(loader, "component", e->sealed->entry->name);
    hn_law_draft draft = hn_law_read(&e->owner->context, e->owner->node, &wanted);
    hn_law *law = hn_law_draft_make(loader, &draft);
    if (hn_loader_ok(loader))
      hn_loader_added(loader, hn_model_set_input_law(loader->model, e->id, law));
    hn_loader_set_element(loader, &old);
  }
}

void hn_sealed_load(hn_entry *body) {
  hn_sealed_use *use = body->sealed;
  hn_loader *loader = use->entry->context.loader;
  if (!is_ready(use)) return;
  if (!use->is_added) add_part(use);
  if (!hn_loader_ok(loader)) return;
  const hn_component_facts *facts = use->part.facts;
  for (int k = 0; k < facts->border_count; k++)
    if (strcmp(facts->border_names[k], name_inside(body)) == 0)
      body->id = loader->model->parts[loader->model->part_count - 1].first_body + facts->border[k];
}

// After the forces of the model, as those of open components.
void hn_sealed_load_constraints(hn_loader *loader) {
  hn_model *model = loader->model;
  for (int p = 0; p < model->part_count && hn_loader_ok(loader); p++)
    hn_loader_added(loader, hn_sealed_add_constraints(model, &model->parts[p]));
}

void hn_sealed_load_contact(hn_entry *contact) {
  hn_sealed_use *use = contact->sealed;
  hn_loader *loader = use->entry->context.loader;
  if (!use->is_added) return; // its failure has been reported
  const hn_component_facts *facts = use->part.facts;
  int part = 0, k = 0;
  while (loader->model->parts[part].placed != use->part.placed) part++;
  while (k < facts->contact_count && strcmp(facts->contacts[k].def.name, name_inside(contact)) != 0)
    k++;
  if (k < facts->contact_count)
    hn_sealed_add_contact(loader, &loader->model->parts[part], &facts->contacts[k], contact);
}

// Loaded components that did not become part of a model.
void hn_sealed_abandon(hn_loader *loader) {
  for (hn_sealed_use *use = loader->sealed; use; use = use->next) {
    if (use->is_added) continue;
    if (use->part.placed) use->part.api->destroy(use->part.placed);
    hn_dynamic_close(use->part.library);
  }
}
