// Warnings of contact shapes outside their bounds of validity: cylinders modeled as prisms, planar
// profiles that leave their plane, bodies that overlap in time stepping.
#ifndef HN_ANALYSIS_BOUNDS_H
#define HN_ANALYSIS_BOUNDS_H

#include "analysis/simulation.h"
#include "contact/contact.h"

// "contact 'floor' of bodies 'a' and 'b'" into text.
const char *hn_pair_name(const hn_simulation *simulation, const hn_contact_pair *pair, char *text,
                         size_t size);

// Once, before the run.
void hn_bounds_tell(hn_simulation *simulation);
// The present state: planar profiles in contact whose planes are tilted against each other.
void hn_bounds_note_tilt(hn_simulation *simulation);
// The last step of time stepping: a body that lies deep in another; warns once in a run.
void hn_bounds_note_depth(hn_simulation *simulation);

#endif
