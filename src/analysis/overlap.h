// Shapes that overlap where a run begins.
#ifndef HN_ANALYSIS_OVERLAP_H
#define HN_ANALYSIS_OVERLAP_H

#include "analysis/simulation.h"

// A warning for each of the first few: deep ones of contacts with a force law, all of rigid contacts
// that are stepped over.
void hn_overlap_warn(hn_simulation *simulation, const hn_frame *frames);

// The deepest penetration of such contacts, into the certificate.
void hn_note_depths(hn_simulation *simulation, const hn_snapshot *now);

#endif
