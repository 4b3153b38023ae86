// Inertia about axes that joints hold: see held_inertia.c.
#ifndef HN_EQUATIONS_HELD_INERTIA_H
#define HN_EQUATIONS_HELD_INERTIA_H

#include "base/arena.h"
#include "holon/model.h"

// The inertias of all bodies (6 a body, ground first) with those about fixed axes filled in if a
// body lacks them; null if none does. HN_ERROR_MEMORY when the arena fails.
hn_status hn_held_inertia(hn_arena *arena, const hn_model *model, double **inertia);

#endif
