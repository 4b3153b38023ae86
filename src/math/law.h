// Laws, for the rest of the library: what the public header does not offer.
#ifndef HN_MATH_LAW_H
#define HN_MATH_LAW_H

#include "holon/law.h"

// A hash of the whole definition: kind, breakpoints, coefficients, the program of a formula and its
// constants. Equal for laws made by equal calls; nothing is sampled.
unsigned long long hn_law_hash(const hn_law *law);

#endif
