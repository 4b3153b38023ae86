// A contact while it is loaded: its numbers, and how it selects shapes. Selections of sealed components
// are published and made in the model that uses them, by the same code.
#ifndef HN_FORMATS_CONTACT_CHOICE_H
#define HN_FORMATS_CONTACT_CHOICE_H

#include "formats/law.h"
#include "holon/component.h"

typedef struct hn_contact_choice hn_contact_choice;
struct hn_contact_choice {
  hn_contact_def def; // shapes and table are filled in when it is added
  hn_law_draft table; // force over depth; kind CONSTANT without pieces: none
  int of;             // hn_component_contact_of
  int body[2];
  const char *group[2];    // null: none
  hn_contact_choice *next; // of those that a sealed component publishes
};

// Selects the shapes among those loaded so far, and adds the contact to the model; returns its id.
int hn_contact_add(hn_loader *loader, hn_contact_choice *choice);

#endif
