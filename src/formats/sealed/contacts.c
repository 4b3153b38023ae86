// Contacts of a sealed component. It publishes the shapes that collide, how its contacts select
// shapes, and which bodies its joints connect; the run that uses it adds them to its own. So contacts
// inside, across the interface and between components are found, evaluated and solved by the code of
// the open model, with its bits. The component's own model has none.
//
// Published are shapes with `contact: true` or `group:`, and those of bodies that contacts inside
// name. Other shapes stay hidden.
#include <string.h>

#include "base/error.h"
#include "formats/contact_choice.h"
#include "formats/sealed/text.h"
#include "model/contact.h"
#include "model/joint_types.h"

// ---- inside -------------------------------------------------------------------------------------

// Formulas that read inputs, signals or tables of the component mean nothing outside.
static int is_self_contained(const hn_law_draft *draft, const hn_allocator *allocator) {
  static const char *const x = "x";
  hn_law *law = NULL;
  hn_error unused = {0};
  if (draft->kind != HN_LAW_EXPRESSION) return 1;
  hn_status status = hn_law_expression(draft->text, &x, 1, allocator, &law, &unused);
  hn_law_free(law);
  return status == HN_OK;
}

hn_status hn_sealed_check_contacts(hn_sealed_loading *l) {
  hn_loader *loader = &l->loader;
  for (hn_contact_choice *c = loader->published_contacts; c && hn_loader_ok(loader); c = c->next) {
    hn_element_name old = hn_loader_begin(loader, "contact", c->def.name);
    hn_contact_def def = c->def;
    hn_law *law = def.law == HN_CONTACT_TABLE ? hn_law_draft_make(loader, &c->table) : NULL;
    def.depth_law = law;
    if (hn_loader_ok(loader))
      hn_loader_added(loader, hn_model_check_contact_numbers(loader->model, &def));
    if (hn_loader_ok(loader) && !is_self_contained(&c->table, loader->options->allocator))
      hn_loader_fail(loader, HN_ERROR_UNSUPPORTED, &def.source,
                     "Use a formula of x alone, or points of force over depth.",
                     "has a `table:` that reads more than the depth (not in sealed components)");
    hn_law_free(law);
    hn_loader_set_element(loader, &old);
  }
  return loader->status;
}

static hn_status show_links(hn_component *c) {
  const hn_model *model = c->model;
  hn_component_link *links = HN_TAKE(&c->arena, hn_component_link, model->joint_count);
  if (!links) return HN_ERROR_MEMORY;
  for (int j = 0; j < model->joint_count; j++) {
    const hn_joint_def *def = &model->joints[j];
    if (hn_joint_holds(def->type))
      links[c->facts.link_count++] =
          (hn_component_link){{def->frame1.body, def->frame2.body}, def->type == HN_JOINT_FIXED};
  }
  c->facts.links = links;
  return HN_OK;
}

static int is_shown(const hn_loader *loader, const hn_touching *t) {
  if (t->touches > 0 || t->group) return 1;
  for (const hn_contact_choice *c = loader->published_contacts; c && t->touches != 0; c = c->next)
    if (c->of == HN_COMPONENT_TWO_BODIES && (c->body[0] == t->body || c->body[1] == t->body))
      return 1;
  return 0;
}

static hn_status show_shapes(hn_component *c, const hn_loader *loader) {
  hn_component_facts *f = &c->facts;
  hn_component_shape *all = HN_TAKE(&c->arena, hn_component_shape, c->model->shape_count);
  hn_mesh *meshes = HN_TAKE(&c->arena, hn_mesh, c->model->shape_count);
  if (!all || !meshes) return HN_ERROR_MEMORY;
  for (const hn_touching *t = loader->touching; t; t = t->next) {
    if (!is_shown(loader, t)) continue;
    hn_component_shape *shape = &all[f->shape_count];
    shape->def = c->model->shapes[t->shape];
    shape->def.source = (hn_source){NULL, 0, 0};
    shape->choice = t->touches;
    shape->group = hn_arena_copy_string(&c->arena, t->group ? t->group : "");
    if (shape->def.mesh) { // the name of its file stays inside
      meshes[f->shape_count] = *shape->def.mesh;
      meshes[f->shape_count].name = NULL;
      shape->def.mesh = &meshes[f->shape_count];
    }
    f->shape_count++;
  }
  f->shapes = all;
  return c->arena.failed ? HN_ERROR_MEMORY : HN_OK;
}

static const double *copy(hn_arena *arena, const double *values, int count) {
  return count > 0 ? hn_arena_copy(arena, values, (size_t)count, sizeof *values) : NULL;
}

static hn_component_law show_law(hn_arena *arena, const hn_law_draft *draft) {
  hn_component_law law = {.kind = (int)draft->kind, .text = ""};
  if (draft->kind == HN_LAW_TABLE) {
    law.points = draft->points;
    law.x = copy(arena, draft->x, draft->points);
    law.y = copy(arena, draft->y, draft->points);
    law.interpolation = (int)draft->table.kind;
    law.outside = (int)draft->table.outside;
    law.is_periodic = draft->table.is_periodic;
  } else if (draft->kind == HN_LAW_EXPRESSION) {
    law.text = hn_arena_copy_string(arena, draft->text);
  } else if (draft->pieces > 0) {
    law.pieces = draft->pieces;
    law.count = draft->count;
    law.coefficients = copy(arena, draft->coefficients, draft->pieces * draft->count);
    law.breakpoints = copy(arena, draft->breakpoints, draft->pieces - 1);
  } else {
    law.kind = -1;
  }
  return law;
}

hn_status hn_sealed_show_contacts(hn_component *c, const hn_sealed_loading *l) {
  hn_component_facts *f = &c->facts;
  const hn_contact_choice *first = l->loader.published_contacts;
  int count = 0;
  for (const hn_contact_choice *choice = first; choice; choice = choice->next) count++;
  hn_component_contact *all = HN_TAKE(&c->arena, hn_component_contact, count);
  hn_status status = all ? show_links(c) : HN_ERROR_MEMORY;
  if (status == HN_OK) status = show_shapes(c, &l->loader);
  if (status != HN_OK) return status;
  for (const hn_contact_choice *choice = first; choice; choice = choice->next) {
    hn_component_contact *out = &all[f->contact_count++];
    out->of = choice->of;
    out->def = choice->def;
    out->def.name = hn_arena_copy_string(&c->arena, choice->def.name + strlen(HN_SEALED_NAME "."));
    out->def.source = (hn_source){NULL, 0, 0};
    out->def.component = out->def.count1 = out->def.count2 = 0;
    out->def.shapes1 = out->def.shapes2 = NULL;
    for (int k = 0; k < 2; k++) {
      out->body[k] = choice->body[k];
      out->group[k] = hn_arena_copy_string(&c->arena, choice->group[k] ? choice->group[k] : "");
    }
    out->law = show_law(&c->arena, &choice->table);
  }
  f->contacts = all;
  return c->arena.failed ? HN_ERROR_MEMORY : HN_OK;
}

// ---- outside ------------------------------------------------------------------------------------

// Bits of frames stay: orientations are not normalized again.
void hn_sealed_add_shapes(hn_loader *loader, const hn_sealed_part *part) {
  for (int k = 0; k < part->facts->shape_count && hn_loader_ok(loader); k++) {
    const hn_component_shape *shape = &part->facts->shapes[k];
    hn_shape_def def = shape->def;
    int id = 0;
    def.source = part->source;
    def.frame.body = hn_sealed_part_body(part, shape->def.frame.body);
    hn_loader_added(loader, hn_model_add_shape(loader->model, &def, &id));
    if (!hn_loader_ok(loader)) return;
    loader->model->shapes[id].frame.orientation = shape->def.frame.orientation;
    hn_touching_add(loader, id, def.frame.body, shape->choice,
                    shape->group[0] ? shape->group : NULL);
  }
}

static hn_law_draft draft_of(hn_loader *loader, const hn_component_law *law) {
  if (law->kind < 0) return (hn_law_draft){.kind = HN_LAW_CONSTANT};
  hn_law_draft draft = {.kind = (hn_law_kind)law->kind,
                        .pieces = law->pieces,
                        .count = law->count,
                        .points = law->points,
                        .table = {.kind = (hn_table_kind)law->interpolation,
                                  .outside = (hn_table_outside)law->outside,
                                  .is_periodic = law->is_periodic},
                        .text = law->text,
                        .variables = "x"};
  hn_arena *arena = &loader->arena;
  draft.coefficients = (double *)copy(arena, law->coefficients, law->pieces * law->count);
  draft.breakpoints = (double *)copy(arena, law->breakpoints, law->pieces - 1);
  draft.x = (double *)copy(arena, law->x, law->points);
  draft.y = (double *)copy(arena, law->y, law->points);
  if (arena->failed) hn_loader_take(loader, 1, 1); // reports
  return draft;
}

void hn_sealed_add_contact(hn_loader *loader, const hn_sealed_part *part,
                           const hn_component_contact *c, hn_entry *entry) {
  hn_contact_choice choice = {.def = c->def, .table = draft_of(loader, &c->law), .of = c->of};
  choice.def.name = entry->name;
  choice.def.source = part->source;
  choice.def.component = part->component;
  choice.def.shapes1 = choice.def.shapes2 = NULL;
  choice.def.count1 = choice.def.count2 = 0;
  choice.def.depth_law = NULL;
  for (int i = 0; i < 2; i++) {
    choice.body[i] = hn_sealed_part_body(part, c->body[i]);
    if (c->group[i][0]) choice.group[i] = c->group[i];
  }
  const int needs_second = c->of == HN_COMPONENT_TWO_BODIES || choice.group[1];
  if (hn_loader_ok(loader)) entry->id = hn_contact_add(loader, &choice);
  if (hn_loader_ok(loader) && (choice.def.count1 == 0 || (needs_second && choice.def.count2 == 0)))
    hn_loader_fail(loader, HN_ERROR_MODEL, &part->source,
                   "Give a body here a shape for contact, or ask its maker.",
                   "is inside a sealed component and finds no shapes");
}
