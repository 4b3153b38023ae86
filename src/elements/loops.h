// Which constraint rows close loops. A row of a joint that is a bridge of the joint graph can be
// neither redundant nor singular together with others.
#ifndef HN_ELEMENTS_LOOPS_H
#define HN_ELEMENTS_LOOPS_H

#include "elements/elements.h"

enum { HN_ROW_IN_LOOP = 1, HN_ROW_CONDITIONAL = 2 };

// in_loop (row_count): HN_ROW_IN_LOOP for rows whose bodies are also joined by another way (or that
// join more than two bodies), HN_ROW_CONDITIONAL for other rows of elements with conditions, 0 for
// other rows of bridges. Linear in the size of the model.
hn_status hn_find_loop_rows(const hn_allocator *allocator, const hn_elements *elements,
                            unsigned char *in_loop);

#endif
