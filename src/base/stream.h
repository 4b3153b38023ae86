// Numbers that are written once and read much later, from arrays larger than any cache: past the caches,
// so that lines are not fetched only to be overwritten. Where the compiler or the processor has no such
// stores they are copied as usual.
#ifndef HN_BASE_STREAM_H
#define HN_BASE_STREAM_H

#include <stddef.h>

// `to` and `from` do not overlap.
void hn_stream(double *to, const double *from, size_t count);
// After the last of them: other threads may read.
void hn_stream_end(void);

#endif
