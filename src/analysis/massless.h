// Massless bodies whose motion is not determined.
#ifndef HN_ANALYSIS_MASSLESS_H
#define HN_ANALYSIS_MASSLESS_H

#include "elements/elements.h"
#include "holon/simulation.h"

// Warns of one such body at these frames (body_count).
void hn_warn_massless(hn_simulation *simulation, const hn_frame *frames);

#endif
