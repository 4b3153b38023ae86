// Shapes of contacts that are right within bounds only: cylinders that stand as prisms, outlines that
// stay in their plane, bodies that overlap while they are stepped over. What goes beyond is told.
#ifndef HN_ANALYSIS_BOUNDS_H
#define HN_ANALYSIS_BOUNDS_H

#include "analysis/simulation.h"
#include "contact/contact.h"

// "contact 'floor' of bodies 'a' and 'b'" into text.
const char *hn_pair_name(const hn_simulation *simulation, const hn_contact_pair *pair, char *text,
                         size_t size);

// Once, before the run.
void hn_bounds_tell(hn_simulation *simulation);
// The present state: outlines that touch while their planes are tilted against each other.
void hn_bounds_note_tilt(hn_simulation *simulation);
// The last step, where contacts are stepped over: a body that lies deep in another, once in a run.
void hn_bounds_note_depth(hn_simulation *simulation);

#endif
