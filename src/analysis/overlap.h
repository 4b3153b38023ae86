// Shapes that overlap at the start of a run.
#ifndef HN_ANALYSIS_OVERLAP_H
#define HN_ANALYSIS_OVERLAP_H

#include "analysis/simulation.h"
#include "contact/contact.h"

// A warning for each of the first few: deep ones of contacts with a force law, all of time-stepped
// rigid contacts.
void hn_overlap_warn(hn_simulation *simulation, const hn_frame *frames);

// Rigid contacts among these pairs that are deeper than the limit, m: the deepest are named, the others
// counted. what: becomes of them.
void hn_overlap_tell(hn_simulation *simulation, const hn_frame *frames,
                     const hn_contact_pair *pairs, int count, double limit, const char *what);

// The deepest penetration of such contacts, into the certificate.
void hn_note_depths(hn_simulation *simulation, const hn_snapshot *now);

#endif
