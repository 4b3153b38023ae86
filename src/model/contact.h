// Internal declarations of contacts: which shapes a rule lets collide.
#ifndef HN_MODEL_CONTACT_H
#define HN_MODEL_CONTACT_H

#include <math.h>

#include "model/model.h"

#define HN_CONTACT_FORCES 20000 // pairs of one contact with a force law, at most

// Bodies that joints hold together, so that a pair is found quickly (joined.c).
hn_status hn_model_list_joined(hn_model *model);
// 1 when a joint joins the two bodies or parts that they are fixed to.
int hn_model_bodies_joined(const hn_model *model, int body1, int body2);
// The contact that lets two shapes collide, the first of several, or -1: they are on one body, or
// on bodies that a joint connects, or no contact selects them, or `none` does.
int hn_model_contact_rule(const hn_model *model, int shape1, int shape2);
// Rejects numbers of a contact that is not added to the model.
hn_status hn_model_check_contact_numbers(hn_model *model, const hn_contact_def *def);
// The first force of a contact, among the forces of the model; their number if there is none.
static inline int hn_model_first_contact_force(const hn_model *model) {
  return model->touching.force_count > 0 ? model->touching.first_force : model->force_count;
}
// The second set; the first if there is no second.
void hn_contact_sets(const hn_contact_def *contact, const int **second, int *second_count);

// Soft contacts, which give way within a time step, are conditions, too.
// 1: no force law but conditions on gaps and velocities.
static inline int hn_contact_is_rigid(const hn_contact_def *contact) {
  return contact->law == HN_CONTACT_RIGID || contact->law == HN_CONTACT_ROLLING ||
         contact->law == HN_CONTACT_SOFT;
}

// 1: no events, only time stepping supports it.
static inline int hn_contact_needs_stepping(const hn_contact_def *contact) {
  return contact->law == HN_CONTACT_SOFT ||
         (contact->law == HN_CONTACT_RIGID &&
          (contact->torsional_friction > 0 || contact->rolling_friction > 0));
}

static inline double hn_contact_static_friction(const hn_contact_def *contact) {
  return contact->static_friction >= 0 ? contact->static_friction : contact->friction;
}

// Stops without give and friction that sticks are no forces but conditions, like rigid contacts.
enum { HN_STOP_RESTITUTION = 0, HN_FRICTION_STATIC = 0 }; // places in hn_force_def.number
enum { HN_STOP_TIME = 1, HN_STOP_RATIO = 2, HN_STOP_IMPEDANCE = 3 }; // of a soft stop: as of contacts
static inline int hn_force_is_rigid(const hn_force_def *force) {
  return (force->type == HN_FORCE_JOINT_STOP && force->stiffness[0] == HUGE_VAL) ||
         (force->type == HN_FORCE_JOINT_FRICTION && force->transition == 0 &&
          !(force->stiffness[0] > 0));
}
// 1: a stop that gives way within a time step.
static inline int hn_force_is_soft_stop(const hn_force_def *force) {
  return hn_force_is_rigid(force) && force->type == HN_FORCE_JOINT_STOP &&
         force->number[HN_STOP_TIME] > 0;
}
// An element of a model that needs unilateral conditions: its name and source; null: no such
// element. *remedy: how to make it a force, or null.
const char *hn_model_rigid_element(const hn_model *model, const hn_source **source,
                                   const char **remedy, char *text, size_t size);

#endif
