// Contacts of a model inside: which shapes a rule lets touch.
#ifndef HN_MODEL_CONTACT_H
#define HN_MODEL_CONTACT_H

#include "model/model.h"

// 1 when some joint takes freedoms away between the two bodies.
int hn_model_bodies_joined(const hn_model *model, int body1, int body2);
// 1 when the two shapes (one of each set) are on different bodies that the rule lets touch.
int hn_contact_allows(const hn_model *model, const hn_contact_def *contact, int shape1, int shape2);
// The second set; the first where there is none.
void hn_contact_sets(const hn_contact_def *contact, const int **second, int *second_count);

static inline double hn_contact_static_friction(const hn_contact_def *contact) {
  return contact->static_friction >= 0 ? contact->static_friction : contact->friction;
}

#endif
