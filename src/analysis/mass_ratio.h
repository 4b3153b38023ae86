// Bodies that are too light relative to others for double precision.
#ifndef HN_ANALYSIS_MASS_RATIO_H
#define HN_ANALYSIS_MASS_RATIO_H

#include "equations/equations.h"

typedef struct hn_mass_ratio {
  int light, heavy; // bodies; light 0: none is too light
  double ratio;     // of their masses
  double least;     // that could be carried
} hn_mass_ratio;

// Finds the body that is too light relative to another one in the same loop (in natural
// coordinates: on the same joint). Scratch memory comes from the allocator.
hn_status hn_find_mass_ratio(const hn_equations *equations, const hn_allocator *allocator,
                             hn_mass_ratio *worst);
// Names it; worst->light > 0.
hn_status hn_fail_mass_ratio(const hn_model *model, const hn_mass_ratio *worst, hn_error *error);

#endif
