// Deflated data (RFC 1951) of known length, of PNG files and zip archives.
#ifndef HN_BASE_INFLATE_H
#define HN_BASE_INFLATE_H

#include <stddef.h>

// A byte of data makes at most 1032 bytes: what claims more is damaged.
#define HN_INFLATE_MOST 1032

// Fills out (wanted bytes) and writes nothing beyond. 0: the data are damaged, or have another
// length.
int hn_inflate(const unsigned char *in, size_t size, unsigned char *out, size_t wanted);

#endif
