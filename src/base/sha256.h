// SHA-256 (FIPS 180-4): a collision-resistant fingerprint of bytes.
#ifndef HN_BASE_SHA256_H
#define HN_BASE_SHA256_H

#include <stddef.h>

#define HN_SHA256_TEXT 65 // 64 hexadecimal digits and the end mark

// Writes the digest in small hexadecimal digits and returns text.
const char *hn_sha256(const void *data, size_t size, char text[HN_SHA256_TEXT]);

#endif
