// Text that grows, numbers as text, and escapes of JSON and XML: the same bytes whatever the
// locale.
#ifndef HN_BASE_TEXT_H
#define HN_BASE_TEXT_H

#include <stdarg.h>
#include <stddef.h>

#include "holon/base.h"

// A zeroed one is empty. When memory runs out, what was added stays and all that follows is left
// out: see is_lost and hn_string_give.
typedef struct hn_string {
  char *data; // null while nothing was added, else terminated
  size_t length, room;
  int is_lost;
} hn_string;

// As printf: %d %i %u %x %c %s %e %f %g %% with flags, widths, precisions and l, ll, z.
void hn_string_add(hn_string *string, const char *format, ...) HN_PRINTF(2, 3);
void hn_string_add_list(hn_string *string, const char *format, va_list arguments);
void hn_string_bytes(hn_string *string, const void *bytes, size_t length);
void hn_string_text(hn_string *string, const char *text); // null: nothing
// With as few digits as read back the same, and a point or an exponent; null when it is not finite.
void hn_string_number(hn_string *string, double number);
// With its quotes. '<' is escaped too: JSON may stand inside a page. What is no UTF-8 becomes
// U+FFFD.
void hn_string_json(hn_string *string, const char *text); // null: empty
void hn_string_json_part(hn_string *string, const char *text,
                         size_t length);                 // terminated behind it
void hn_string_xml(hn_string *string, const char *text); // & < > " escaped
void hn_string_base64(hn_string *string, const void *data, size_t size);
void hn_string_free(hn_string *string); // leaves an empty one
// Copies into the caller's buffer: counted in full and written as far as it fits, always
// terminated. *needed (may be null): bytes with the end mark. HN_ERROR_LIMIT: more than size.
// HN_ERROR_MEMORY: lost.
hn_status hn_string_give(const hn_string *string, char *text, size_t size, size_t *needed);

// Hands the text over to the caller, who frees it by hn_text_free; the string is empty then. length may
// be null. HN_ERROR_MEMORY: lost.
hn_status hn_string_hand_over(hn_string *string, char **text, size_t *length);

// Numbers as text that reads back to the same bits, with a point whatever the locale; nan, inf,
// -inf. Returns text.
#define HN_NUMBER_TEXT 32
const char *hn_number_text(char text[HN_NUMBER_TEXT], double value);
// The same of a finite number with as few digits as that takes.
const char *hn_number_text_short(char text[HN_NUMBER_TEXT], double value);

#endif
