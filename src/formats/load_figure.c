// `figures:`: numbers and curves of outputs, for reports.
#include <math.h>

#include "base/error.h"
#include "formats/fields.h"
#include "holon/figures.h"

static void add_figure(hn_entry *entry) {
  const hn_context *context = &entry->context;
  hn_loader *loader = context->loader;
  hn_figure_def def = {.name = entry->name, .source = hn_node_key_source(entry->node)};
  hn_fields fields;
  if (!hn_fields_open(context, entry->node, hn_section_find("figure", NULL), &fields)) return;
  def.take = (hn_figure_kind)hn_field_choice(&fields, "take");
  def.of = hn_named_output(&fields, "of");
  def.over = hn_named_output(&fields, "over");
  def.from = hn_field_number(&fields, "from");
  def.to = hn_field_number(&fields, "to");
  def.level = hn_field_number(&fields, "level");
  def.has_range = hn_field_given(&fields, "over_from") || hn_field_given(&fields, "over_to");
  if (def.has_range) {
    def.over_from =
        hn_field_given(&fields, "over_from") ? hn_field_number(&fields, "over_from") : -HUGE_VAL;
    def.over_to =
        hn_field_given(&fields, "over_to") ? hn_field_number(&fields, "over_to") : HUGE_VAL;
  }
  hn_fields_close(&fields);
  if (hn_loader_ok(loader)) hn_loader_added(loader, hn_model_add_figure(loader->model, &def));
}

void hn_load_figures(hn_loader *loader) {
  for (hn_entry *figure = loader->first[HN_ENTRY_FIGURE]; hn_loader_goes_on(loader, figure);
       figure = figure->next) {
    hn_element_name old = hn_loader_begin(loader, "figure", figure->name);
    add_figure(figure);
    hn_loader_set_element(loader, &old);
  }
}
