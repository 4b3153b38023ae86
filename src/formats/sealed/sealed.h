// Sealed components in model files: used, and made from one.
#ifndef HN_FORMATS_SEALED_SEALED_H
#define HN_FORMATS_SEALED_SEALED_H

#include "components/sealed.h"
#include "formats/fields.h"

// ---- component.c --------------------------------------------------------------------------------

// The tree of a file that is used, read once; null on failure.
const hn_node *hn_component_file(hn_loader *loader, const char *path, const hn_node *used_at);

// ---- check.c ------------------------------------------------------------------------------------

// Rejects by name what a sealed component cannot compute like the open one; with the values users give
// as well. The first external_count bodies are those of its user.
hn_status hn_sealed_check(const hn_model *model, int external_count, hn_error *error);

// ---- constraints.c ------------------------------------------------------------------------------

hn_status hn_sealed_show_constraints(hn_component *component);
// 1: constraints or contacts may act on this body of the component.
int hn_sealed_is_reached(const hn_component_facts *facts, int body);
// Adds those of a part to the model that uses it.
hn_status hn_sealed_add_constraints(hn_model *model, const hn_sealed_part *part);

// ---- contacts.c ---------------------------------------------------------------------------------

struct hn_sealed_loading;
// Checks the numbers of contacts inside, which the component's own model does not get.
hn_status hn_sealed_check_contacts(struct hn_sealed_loading *loading);
hn_status hn_sealed_show_contacts(hn_component *component, const struct hn_sealed_loading *loading);
// Adds those of a part to the model that uses it: shapes with its bodies, contacts in their turn.
void hn_sealed_add_shapes(hn_loader *loader, const hn_sealed_part *part);
void hn_sealed_add_contact(hn_loader *loader, const hn_sealed_part *part,
                           const hn_component_contact *contact, hn_entry *entry);

// ---- part.c: inside a component ------------------------------------------------------------------

hn_status hn_sealed_create(const hn_component_setup *setup, hn_component **component,
                           hn_error *error);
void hn_sealed_destroy(hn_component *component);

const hn_component_api *hn_sealed_api(void);

// ---- use.c: in the model that uses one ---------------------------------------------------

int hn_path_is_sealed(const char *path); // ends in .hnc
// Registers the component's border under its name; scope: of the component, its placement known.
void hn_sealed_register(hn_entry *entry, hn_fields *fields, hn_scope *scope, const char *path);
// The hn_body_record and hn_drawn_frame of what its border shows; the component is placed first where
// it has not been. Null on failure.
const void *hn_sealed_body(hn_entry *body);
const void *hn_sealed_marker(hn_entry *marker);
// Adds all its bodies to the model, when the first of them is loaded.
void hn_sealed_load(hn_entry *body);
// Adds an input that is given to it.
void hn_sealed_load_input(hn_entry *input);
void hn_sealed_load_constraints(hn_loader *loader);
void hn_sealed_load_formulas(hn_loader *loader);
// Adds a contact of it.
void hn_sealed_load_contact(hn_entry *contact);
void hn_sealed_abandon(hn_loader *loader);

#endif
