// Text that grows, escapes for JSON, XML and the shell, and the nearest word.
//
// Memory that runs out ends the program here: a command has nothing better to do, and every caller
// stays readable.
#include "cli.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Noreturn void hn_cli_out_of_memory(void) {
  fputs("holon: out of memory\n", stderr);
  exit(HN_CLI_FAILED);
}

void *hn_cli_allocate(size_t count, size_t size) {
  void *block = calloc(count > 0 ? count : 1, size > 0 ? size : 1);
  if (block == NULL) hn_cli_out_of_memory();
  return block;
}

char *hn_cli_copy(const char *string) {
  size_t size = strlen(string) + 1;
  return memcpy(hn_cli_allocate(size, 1), string, size);
}

// Makes room for length more bytes and the end mark.
static void make_room(hn_cli_text *text, size_t length) {
  size_t needed = text->length + length + 1;
  if (needed <= text->capacity) return;
  size_t capacity = text->capacity > 0 ? text->capacity : 256;
  while (capacity < needed) capacity *= 2;
  char *data = realloc(text->data, capacity);
  if (data == NULL) hn_cli_out_of_memory();
  text->data = data;
  text->capacity = capacity;
}

void hn_cli_add_bytes(hn_cli_text *text, const char *bytes, size_t length) {
  make_room(text, length);
  memcpy(text->data + text->length, bytes, length);
  text->length += length;
  text->data[text->length] = '\0';
}

void hn_cli_add(hn_cli_text *text, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(NULL, 0, format, arguments);
  va_end(arguments);
  if (length < 0) hn_cli_out_of_memory(); // nothing is left out in silence
  make_room(text, (size_t)length);
  va_start(arguments, format);
  vsnprintf(text->data + text->length, (size_t)length + 1, format, arguments);
  va_end(arguments);
  text->length += (size_t)length;
}

void hn_cli_add_file_name(hn_cli_text *text, const char *name) {
  // "." and ".." are folders, and what begins with a point is hidden
  if (name[0] == '.' || name[0] == '\0') hn_cli_add_bytes(text, "_", 1);
  for (const char *c = name; *c != '\0' && c - name < 200; c++) {
    int is_plain = isalnum((unsigned char)*c) || strchr("-_.", *c) != NULL || (*c & 0x80) != 0;
    hn_cli_add_bytes(text, is_plain ? c : "-", 1);
  }
}

void hn_cli_add_number(hn_cli_text *text, double number) {
  if (!isfinite(number)) {
    hn_cli_add(text, "null");
    return;
  }
  char digits[40];
  for (int precision = 15; precision <= 17; precision++) {
    snprintf(digits, sizeof digits, "%.*g", precision, number);
    if (memcmp(&(double){strtod(digits, NULL)}, &number, sizeof number) == 0) break;
  }
  // "10.0" rather than "10": readers that tell integers from numbers see a number
  int is_whole = strpbrk(digits, ".e") == NULL;
  hn_cli_add(text, "%s%s", digits, is_whole ? ".0" : "");
}

// Bytes of the well-formed UTF-8 character at c, 0 when there is none.
static size_t character_length(const char *c) {
  const unsigned char *byte = (const unsigned char *)c;
  if (byte[0] < 0x80) return 1;
  size_t length = byte[0] >= 0xf0 ? 4 : byte[0] >= 0xe0 ? 3 : 2;
  if (byte[0] < 0xc2 || byte[0] > 0xf4) return 0;
  for (size_t i = 1; i < length; i++) {
    if ((byte[i] & 0xc0) != 0x80) return 0;
  }
  // written longer than needed, half a pair, beyond the last code
  int is_wrong = (byte[0] == 0xe0 && byte[1] < 0xa0) || (byte[0] == 0xed && byte[1] > 0x9f) ||
                 (byte[0] == 0xf0 && byte[1] < 0x90) || (byte[0] == 0xf4 && byte[1] > 0x8f);
  return is_wrong ? 0 : length;
}

void hn_cli_add_json_string(hn_cli_text *text, const char *string) {
  hn_cli_add_bytes(text, "\"", 1);
  for (const char *c = string; *c != '\0';) {
    size_t length = character_length(c);
    if (length == 0) {
      hn_cli_add_bytes(text, "\\ufffd", 6);
      length = 1;
    } else if (*c == '"' || *c == '\\') {
      hn_cli_add(text, "\\%c", *c);
    } else if (*c == '\n') {
      hn_cli_add_bytes(text, "\\n", 2);
    } else if ((unsigned char)*c < 0x20) {
      hn_cli_add(text, "\\u%04x", (unsigned)(unsigned char)*c);
    } else {
      hn_cli_add_bytes(text, c, length);
    }
    c += length;
  }
  hn_cli_add_bytes(text, "\"", 1);
}

void hn_cli_add_xml(hn_cli_text *text, const char *string) {
  for (const char *c = string; *c != '\0';) {
    size_t length = character_length(c);
    switch (*c) {
    case '&': hn_cli_add_bytes(text, "&amp;", 5); break;
    case '<': hn_cli_add_bytes(text, "&lt;", 4); break;
    case '>': hn_cli_add_bytes(text, "&gt;", 4); break;
    case '"': hn_cli_add_bytes(text, "&quot;", 6); break;
    default:
      // control characters and broken ones are not allowed in XML at all
      if ((unsigned char)*c >= 0x20 || *c == '\n' || *c == '\t') hn_cli_add_bytes(text, c, length);
    }
    c += length > 0 ? length : 1;
  }
}

void hn_cli_add_shell_word(hn_cli_text *text, const char *word) {
  int is_plain = *word != '\0';
  for (const char *c = word; *c != '\0'; c++) {
    if (!isalnum((unsigned char)*c) && strchr("-_./=:,+@%", *c) == NULL) is_plain = 0;
  }
  if (is_plain) {
    hn_cli_add(text, "%s", word);
    return;
  }
  hn_cli_add_bytes(text, "'", 1);
  for (const char *c = word; *c != '\0'; c++) {
    if (*c == '\'') {
      hn_cli_add_bytes(text, "'\\''", 4);
    } else {
      hn_cli_add_bytes(text, c, 1);
    }
  }
  hn_cli_add_bytes(text, "'", 1);
}

void hn_cli_text_free(hn_cli_text *text) {
  free(text->data);
  *text = (hn_cli_text){0};
}

// Optimal string alignment distance: letters put in, left out, changed, or two swapped.
int hn_cli_distance(const char *a, const char *b) {
  enum { limit = 64 };
  int rows[3][limit + 1];
  int m = (int)strnlen(a, limit), n = (int)strnlen(b, limit);
  for (int j = 0; j <= n; j++) rows[0][j] = j;
  for (int i = 1; i <= m; i++) {
    int *now = rows[i % 3], *last = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
    now[0] = i;
    for (int j = 1; j <= n; j++) {
      int changed =
          last[j - 1] + (tolower((unsigned char)a[i - 1]) != tolower((unsigned char)b[j - 1]));
      int least = last[j] < now[j - 1] ? last[j] + 1 : now[j - 1] + 1;
      if (changed < least) least = changed;
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
          before[j - 2] + 1 < least) {
        least = before[j - 2] + 1;
      }
      now[j] = least;
    }
  }
  return rows[m % 3][n];
}

const char *hn_cli_nearest(const char *word, const char *const *words) {
  const char *nearest = NULL, *begun = NULL;
  size_t length = strlen(word), most = 2;
  int least = 1 + (int)length / 2; // more than half the letters wrong is no likeness
  for (int i = 0; words[i] != NULL; i++) {
    int distance = hn_cli_distance(word, words[i]);
    // the beginning of a longer word is nearest, however long that is
    if (length >= 2 && strncmp(word, words[i], length) == 0) distance = 0;
    if (distance < least) {
      least = distance;
      nearest = words[i];
    }
    size_t other = strlen(words[i]);
    if (other > most && strncmp(word, words[i], other) == 0) {
      most = other;
      begun = words[i];
    }
  }
  // a word that goes on after a shorter one ("tolerance", "tol"), unless another is like it
  return begun != NULL && least > 2 ? begun : nearest;
}
