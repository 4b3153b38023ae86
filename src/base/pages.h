// Memory in large pages: a model of 100,000 bodies reads some two hundred megabytes in each
// evaluation, and up to a quarter of the extra cost per body against a small model is address
// translation of 4 kB pages.
#ifndef HN_BASE_PAGES_H
#define HN_BASE_PAGES_H

#include <stddef.h>

// As malloc, to be given back by free. Where the system has large pages on request, those that the
// block fills whole are asked for.
void *hn_pages_allocate(size_t size);

#endif
