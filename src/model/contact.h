// Contacts of a model inside: which shapes a rule lets touch.
#ifndef HN_MODEL_CONTACT_H
#define HN_MODEL_CONTACT_H

#include "model/model.h"

#define HN_CONTACT_FORCES 20000 // pairs of one contact with a force law, at most

// 1 when some joint takes freedoms away between the two bodies.
int hn_model_bodies_joined(const hn_model *model, int body1, int body2);
// The contact that lets two shapes touch, the first of several, or -1: they are on one body, or on
// bodies that a joint joins, or nobody names them.
int hn_model_contact_rule(const hn_model *model, int shape1, int shape2);
// The second set; the first where there is none.
void hn_contact_sets(const hn_contact_def *contact, const int **second, int *second_count);

static inline double hn_contact_static_friction(const hn_contact_def *contact) {
  return contact->static_friction >= 0 ? contact->static_friction : contact->friction;
}

#endif
