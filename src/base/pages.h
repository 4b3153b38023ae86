// Memory in large pages: a machine of 100,000 bodies walks through some two hundred megabytes for each
// evaluation, and up to a quarter of what a body costs more there than in a small machine goes into
// finding pages of 4 kB.
#ifndef HN_BASE_PAGES_H
#define HN_BASE_PAGES_H

#include <stddef.h>

// As malloc, to be given back by free. Where the system has large pages on request, those that the
// block fills whole are asked for.
void *hn_pages_allocate(size_t size);

#endif
