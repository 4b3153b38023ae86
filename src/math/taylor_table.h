// Taylor models of tables of two variables that formulas call (lookup.h): see taylor.h.
#ifndef HN_MATH_TAYLOR_TABLE_H
#define HN_MATH_TAYLOR_TABLE_H

#include "math/lookup.h"
#include "math/taylor.h"

// Of a table at (u, v), replaces u. 0: there is no model.
int hn_lookup_taylor(const hn_lookup *table, hn_taylor *u, const hn_taylor *v);

#endif
