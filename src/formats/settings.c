// Values of parameters from outside a model file: --set NAME=VALUE, and the numbers of a sweep.
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "formats/loader.h"
#include "formats/unit.h"

static hn_node *setting_node(hn_loader *loader, hn_setting *setting, const char *value,
                             const char *file, int column) {
  hn_node *node = hn_loader_take(loader, 1, sizeof *node);
  if (!node) return NULL;
  *node = (hn_node){.kind = HN_NODE_SCALAR,
                    .line = 1,
                    .column = column,
                    .key_line = 1,
                    .key_column = 1,
                    .file = file,
                    .key = setting->text,
                    .text = value};
  setting->node = node;
  return node;
}

// "NAME=VALUE"
static void prepare_text(hn_loader *loader, const char *text, hn_setting *setting) {
  const char *equals = text ? strchr(text, '=') : NULL;
  setting->text = text ? text : "";
  if (!equals) return;
  char *name = hn_loader_take(loader, (size_t)(equals - text) + 1, 1);
  if (!name) return;
  memcpy(name, text, (size_t)(equals - text));
  setting->name = name;
  setting_node(loader, setting, equals + 1, HN_SETTINGS, (int)(equals - text) + 2);
}

static void prepare_number(hn_loader *loader, const hn_parameter_setting *given,
                           hn_setting *setting) {
  const char *unit = given->unit ? given->unit : "";
  char number[HN_NUMBER_TEXT], text[HN_NUMBER_TEXT + 64];
  hn_amount *amount = hn_loader_take(loader, 1, sizeof *amount);
  hn_text(text, sizeof text, "%s%s%.60s", hn_number_text_short(number, given->value),
          *unit ? " " : "", unit);
  const char *copy = hn_loader_copy(loader, text);
  setting->text = setting->name = given->name;
  hn_node *node = amount && copy ? setting_node(loader, setting, copy, HN_VARIED, 1) : NULL;
  if (!node) return;
  *amount = (hn_amount){.value = given->value, .kind = HN_AMOUNT_NUMBER};
  node->amount = amount;
  if (!*unit) return;
  double factor = 1;
  const char *problem = NULL;
  size_t length =
      hn_unit_read(unit, strlen(unit), NULL, NULL, &factor, &amount->dimension, &problem);
  if (length != strlen(unit) || problem) {
    hn_source place = hn_node_source(node);
    hn_loader_fail(loader, HN_ERROR_ARGUMENT, &place,
                   "See the table of units in docs/reference/model/units.md.",
                   "the setting of '%.80s' has the unit '%.60s': %s", given->name, unit,
                   problem ? problem : "it is not a unit");
    return;
  }
  amount->value *= factor;
  amount->kind = HN_AMOUNT_TYPED;
  amount->direct = 1;
}

void hn_settings_prepare(hn_loader *loader, const hn_parameter_setting *numbers, int count) {
  const hn_load_options *options = loader->options;
  int texts = options->setting_count > 0 ? options->setting_count : 0;
  loader->settings = hn_loader_take(loader, (size_t)(texts + count), sizeof *loader->settings);
  for (int k = 0; k < texts && hn_loader_ok(loader); k++)
    prepare_text(loader, options->settings[k], &loader->settings[k]);
  for (int k = 0; k < count && hn_loader_ok(loader); k++)
    prepare_number(loader, &numbers[k], &loader->settings[texts + k]);
  if (hn_loader_ok(loader)) loader->setting_count = texts + count;
}

void hn_settings_apply(hn_loader *loader, hn_scope *scope) {
  size_t prefix = strlen(scope->prefix);
  for (int k = 0; k < loader->setting_count && hn_loader_recover(loader); k++) {
    hn_setting *setting = &loader->settings[k];
    if (!setting->name || strncmp(setting->name, scope->prefix, prefix) != 0) continue;
    hn_entry *entry =
        hn_entry_find(loader, HN_ENTRY_PARAMETER, "", setting->name, strlen(setting->name));
    if (!entry || entry->context.scope != scope) continue;
    hn_parameter *p = entry->data;
    p->override = setting->node;
    p->override_context = (hn_context){loader, scope, NULL, 0};
    setting->is_used = 1;
  }
}

// "Parameters are a, b, c.", as many as fit.
static void list_parameters(const hn_loader *loader, char *hint, size_t size) {
  size_t used = 0;
  for (const hn_entry *e = loader->first[HN_ENTRY_PARAMETER]; e; e = e->next) {
    if (e->context.scope && e->context.scope->prefix[0] != '\0') continue;
    if (used > size - 120) {
      hn_text(hint + used, size - used, ", ...");
      return;
    }
    hn_text(hint + used, size - used, "%s%.80s", used == 0 ? "Parameters are " : ", ", e->name);
    used += strlen(hint + used);
  }
  hn_text(hint + used, size - used, "%s", used == 0 ? "It has no `parameters:` at all." : ".");
}

void hn_settings_check(hn_loader *loader) {
  hn_scope main_scope = {.prefix = ""};
  hn_context context = {loader, &main_scope, NULL, 0};
  for (int k = 0; k < loader->setting_count && hn_loader_recover(loader); k++) {
    const hn_setting *setting = &loader->settings[k];
    if (setting->is_used) continue;
    char name[96], hint[512];
    list_parameters(loader, hint, sizeof hint);
    hn_text(name, sizeof name, "%.*s", 90, setting->name ? setting->name : "");
    const char *nearest = hn_entry_nearest(&context, HN_ENTRY_PARAMETER, name);
    if (nearest) hn_text(hint, sizeof hint, "Did you mean '%s'?", nearest);
    hn_source place = {setting->node ? setting->node->file : HN_SETTINGS, 1, 1};
    if (!setting->name)
      hn_loader_fail(loader, HN_ERROR_ARGUMENT, &place, "Write NAME=VALUE.",
                     "the setting '%.80s' has no =", setting->text);
    else
      hn_loader_fail(loader, HN_ERROR_ARGUMENT, &place, hint, "the model has no parameter '%s'",
                     name);
  }
}
