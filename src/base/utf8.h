// One character of UTF-8 after the other.
#ifndef HN_BASE_UTF8_H
#define HN_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

// The character at *text, which is not empty, and *text after it. An invalid byte is the
// replacement character.
static inline uint32_t hn_utf8_next(const char **text) {
  const unsigned char *c = (const unsigned char *)*text;
  const int more = c[0] < 0x80 ? 0 : c[0] >= 0xf0 ? 3 : c[0] >= 0xe0 ? 2 : c[0] >= 0xc0 ? 1 : -1;
  uint32_t code = more > 0 ? c[0] & (0x3fu >> more) : c[0];
  *text += 1;
  if (more < 0) return 0xfffd;
  for (int k = 1; k <= more; k++) {
    if ((c[k] & 0xc0) != 0x80) return 0xfffd;
    code = code << 6 | (c[k] & 0x3fu);
    *text += 1;
  }
  return code;
}

// Bytes of the well-formed character at text, 0 at the end or for invalid UTF-8.
static inline size_t hn_utf8_length(const char *text) {
  const unsigned char *c = (const unsigned char *)text;
  if (c[0] < 0x80) return c[0] != 0;
  if (c[0] < 0xc2 || c[0] > 0xf4) return 0;
  const size_t length = c[0] >= 0xf0 ? 4 : c[0] >= 0xe0 ? 3 : 2;
  for (size_t k = 1; k < length; k++)
    if ((c[k] & 0xc0) != 0x80) return 0;
  // written longer than needed, half a pair, beyond the last code
  const int is_wrong = (c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] > 0x9f) ||
                       (c[0] == 0xf0 && c[1] < 0x90) || (c[0] == 0xf4 && c[1] > 0x8f);
  return is_wrong ? 0 : length;
}

#endif
