// Text that is counted in full and written as far as there is room, always with an end.
#ifndef HN_BASE_COUNTED_TEXT_H
#define HN_BASE_COUNTED_TEXT_H

#include <stddef.h>

typedef struct hn_counted_text {
  char *text;
  size_t size, length; // room; of all that was put
} hn_counted_text;

void hn_put_text(hn_counted_text *to, const char *text);

#endif
