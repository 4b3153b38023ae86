#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/utf8.h"

// ---- growing ------------------------------------------------------------------------------------

// Reserves capacity for length more bytes and the end mark; 0 without memory.
static int make_room(hn_string *s, size_t length) {
  if (s->is_lost) return 0;
  size_t needed = s->length + length + 1, room = s->room > 0 ? s->room : 256;
  if (needed <= s->room) return 1;
  while (room < needed) room *= 2;
  char *data = hn_reallocate(NULL, s->data, s->room, room);
  s->is_lost = data == NULL;
  if (data == NULL) return 0;
  s->data = data;
  s->room = room;
  return 1;
}

void hn_string_bytes(hn_string *s, const void *bytes, size_t length) {
  if (!make_room(s, length)) return;
  if (length > 0) memcpy(s->data + s->length, bytes, length);
  s->length += length;
  s->data[s->length] = '\0';
}

void hn_string_text(hn_string *s, const char *text) {
  if (text != NULL) hn_string_bytes(s, text, strlen(text));
}

void hn_string_free(hn_string *s) {
  hn_release(NULL, s->data);
  *s = (hn_string){0};
}

hn_status hn_string_give(const hn_string *s, char *text, size_t size, size_t *needed) {
  if (needed != NULL) *needed = s->length + 1;
  if (text == NULL) size = 0;
  if (size > 0) {
    size_t count = s->length < size ? s->length : size - 1;
    if (count > 0) memcpy(text, s->data, count);
    text[count] = '\0';
  }
  if (s->is_lost) return HN_ERROR_MEMORY;
  return s->length < size ? HN_OK : HN_ERROR_LIMIT;
}

hn_status hn_string_hand_over(hn_string *s, char **text, size_t *length) {
  *text = NULL;
  if (!s->data && !s->is_lost) hn_string_bytes(s, "", 0); // a text, if an empty one
  const int is_lost = s->is_lost || !s->data;
  if (length != NULL) *length = is_lost ? 0 : s->length;
  if (is_lost) {
    hn_string_free(s);
    return HN_ERROR_MEMORY;
  }
  *text = s->data;
  *s = (hn_string){0};
  return HN_OK;
}

void hn_text_free(char *text) { hn_release(NULL, text); }

// ---- numbers ------------------------------------------------------------------------------------

// The decimal point of the locale, if it is another one, is what no number is made of otherwise.
static char *with_point(char *text) {
  size_t from = strspn(text, " +-0123456789.einfa"), size = strlen(text);
  if (from < size) {
    size_t behind = from + strcspn(text + from, "0123456789");
    text[from] = '.';
    memmove(text + from + 1, text + behind, size - behind + 1);
  }
  return text;
}

const char *hn_number_text(char text[HN_NUMBER_TEXT], double value) {
  if (isnan(value)) return strcpy(text, "nan");
  snprintf(text, HN_NUMBER_TEXT, "%.17g", value);
  return with_point(text);
}

const char *hn_number_text_short(char text[HN_NUMBER_TEXT], double value) {
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(text, HN_NUMBER_TEXT, "%.*g", digits, value);
    const double back = strtod(text, NULL); // by the locale that wrote it
    if (memcmp(&back, &value, sizeof back) == 0) break;
  }
  return with_point(text);
}

void hn_string_number(hn_string *s, double number) {
  char text[HN_NUMBER_TEXT];
  if (!isfinite(number)) {
    hn_string_text(s, "null");
    return;
  }
  hn_string_text(s, hn_number_text_short(text, number));
  // "10.0" rather than "10": readers that distinguish integers see a number
  if (strpbrk(text, ".e") == NULL) hn_string_text(s, ".0");
}

// ---- formats ------------------------------------------------------------------------------------

// One conversion, with its width and precision as numbers.
typedef struct conversion {
  char text[48];
  char letter;
  int longs; // l: 1, ll: 2, z: 3
} conversion;

// The conversion at *format, which follows its %; * is taken from the arguments.
static conversion read_conversion(const char **format, va_list *arguments) {
  conversion c = {.text = "%"};
  size_t used = 1;
  const char *at = *format;
  for (; strchr("-+ #0123456789.*", *at) != NULL && *at != '\0' && used < 30; at++) {
    if (*at == '*')
      used += (size_t)snprintf(c.text + used, 14, "%d", va_arg(*arguments, int));
    else
      c.text[used++] = *at;
  }
  for (; *at == 'l' || *at == 'z'; at++) {
    c.text[used++] = *at;
    c.longs += *at == 'z' ? 3 : 1;
  }
  c.letter = *at;
  c.text[used++] = *at;
  c.text[used] = '\0';
  *format = *at != '\0' ? at + 1 : at;
  return c;
}

// Appends the output of snprintf for the conversion and one argument, of any length.
#define ADD(type, argument)                                                                        \
  do {                                                                                             \
    type value_ = argument;                                                                        \
    int length_ = snprintf(NULL, 0, c->text, value_);                                              \
    if (length_ < 0 || !make_room(s, (size_t)length_)) break;                                      \
    snprintf(s->data + s->length, (size_t)length_ + 1, c->text, value_);                           \
    s->length += (size_t)length_;                                                                  \
  } while (0)

#if defined __GNUC__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#endif
static void add_real(hn_string *s, const conversion *c, double value) {
  size_t before = s->length;
  ADD(double, value);
  if (s->length == before) return;
  with_point(s->data + before);
  s->length = before + strlen(s->data + before);
}

static void add_whole(hn_string *s, const conversion *c, va_list *arguments) {
  switch (c->longs) {
  case 0: ADD(int, va_arg(*arguments, int)); break;
  case 1: ADD(long, va_arg(*arguments, long)); break;
  case 2: ADD(long long, va_arg(*arguments, long long)); break;
  default: ADD(size_t, va_arg(*arguments, size_t)); break;
  }
}

static void add_conversion(hn_string *s, const conversion *c, va_list *arguments) {
  switch (c->letter) {
  case '%': hn_string_bytes(s, "%", 1); break;
  case 's': ADD(const char *, va_arg(*arguments, const char *)); break;
  case 'e':
  case 'f':
  case 'g': add_real(s, c, va_arg(*arguments, double)); break;
  default: add_whole(s, c, arguments); break;
  }
}
#if defined __GNUC__
#pragma GCC diagnostic pop
#endif

void hn_string_add_list(hn_string *s, const char *format, va_list arguments) {
  va_list rest;
  va_copy(rest, arguments);
  while (*format != '\0') {
    size_t plain = strcspn(format, "%");
    hn_string_bytes(s, format, plain);
    format += plain;
    if (*format == '\0') break;
    format++;
    const conversion c = read_conversion(&format, &rest);
    add_conversion(s, &c, &rest);
  }
  va_end(rest);
}

void hn_string_add(hn_string *s, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  hn_string_add_list(s, format, arguments);
  va_end(arguments);
}

// ---- escapes ------------------------------------------------------------------------------------

static void add_json_character(hn_string *s, const char *c, size_t length) {
  if (length == 0)
    hn_string_text(s, "\\ufffd");
  else if (*c == '"' || *c == '\\')
    hn_string_add(s, "\\%c", *c);
  else if ((unsigned char)*c < 0x20 || *c == '<' || *c == 0x7f)
    hn_string_add(s, "\\u%04x", (unsigned)(unsigned char)*c);
  else
    hn_string_bytes(s, c, length);
}

void hn_string_json_part(hn_string *s, const char *text, size_t size) {
  hn_string_bytes(s, "\"", 1);
  for (size_t at = 0; at < size;) {
    size_t length = hn_utf8_length(text + at);
    add_json_character(s, text + at, length);
    at += length > 0 ? length : 1;
  }
  hn_string_bytes(s, "\"", 1);
}

void hn_string_json(hn_string *s, const char *text) {
  hn_string_json_part(s, text, text != NULL ? strlen(text) : 0);
}

void hn_string_xml(hn_string *s, const char *text) {
  for (const char *c = text; *c != '\0';) {
    size_t length = hn_utf8_length(c);
    switch (*c) {
    case '&': hn_string_text(s, "&amp;"); break;
    case '<': hn_string_text(s, "&lt;"); break;
    case '>': hn_string_text(s, "&gt;"); break;
    case '"': hn_string_text(s, "&quot;"); break;
    default:
      // control characters and broken ones are not allowed in XML at all
      if ((unsigned char)*c >= 0x20 || *c == '\n' || *c == '\t') hn_string_bytes(s, c, length);
    }
    c += length > 0 ? length : 1;
  }
}

void hn_string_base64(hn_string *s, const void *data, size_t size) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const unsigned char *bytes = data;
  if (!make_room(s, 4 * (size / 3 + 1))) return;
  for (size_t k = 0; k < size; k += 3) {
    const unsigned left = size - k < 3 ? (unsigned)(size - k) : 3;
    const unsigned bits = (unsigned)bytes[k] << 16 | (left > 1 ? (unsigned)bytes[k + 1] << 8 : 0) |
                          (left > 2 ? bytes[k + 2] : 0);
    for (unsigned d = 0; d < 4; d++)
      s->data[s->length++] = d <= left ? digits[bits >> (18 - 6 * d) & 63] : '=';
  }
  s->data[s->length] = '\0';
}
