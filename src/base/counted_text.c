#include "base/counted_text.h"

#include <string.h>

void hn_put_text(hn_counted_text *to, const char *text) {
  size_t length = strlen(text), room = to->size > to->length ? to->size - to->length : 0;
  if (room > 0) {
    size_t count = length < room - 1 ? length : room - 1;
    memcpy(to->text + to->length, text, count);
    to->text[to->length + count] = '\0';
  }
  to->length += length;
}
