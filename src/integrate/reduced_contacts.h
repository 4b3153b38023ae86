// The integration Jacobian in independent coordinates with closed contacts; see reduced_contacts.c.
#ifndef HN_INTEGRATE_REDUCED_CONTACTS_H
#define HN_INTEGRATE_REDUCED_CONTACTS_H

#include "integrate/reduced_jacobian.h"

typedef struct hn_reduced_contacts hn_reduced_contacts;

hn_status hn_reduced_contacts_create(hn_arena *arena, hn_equations *equations,
                                     hn_reduction *reduction, hn_tangent *tangent,
                                     hn_reduced_contacts **contacts);
// After hn_reduced_jacobian_renew at the place, for steps of h. Nothing to do where no condition
// holds there, and for equations with states. E is that of the place again.
hn_status hn_reduced_contacts_add(hn_reduced_contacts *contacts, hn_reduced_jacobian *jacobian,
                                  const hn_place *place, double h, hn_error *error);

#endif
