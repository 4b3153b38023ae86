// Error objects: filling them, writing them as text, and finding the word a user may have meant.
//
// Nothing here allocates: an error object has a fixed size and long texts are cut, so that "out of
// memory" can be reported like anything else. Out of scope: printing, which is the caller's.
#include "base/error.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// Copies as much as fits, always terminated, never half a UTF-8 character.
static void copy_text(char *to, size_t size, const char *from) {
  size_t length = from ? strlen(from) : 0;
  if (length >= size) {
    length = size - 1;
    while (length > 0 && ((unsigned char)from[length] & 0xC0) == 0x80) length--;
  }
  if (length > 0) memcpy(to, from, length);
  to[length] = '\0';
}

hn_status hn_fail(hn_error *error, hn_status status, const hn_source *source, const char *element,
                  const char *hint, const char *format, ...) {
  if (!error) return status;
  // Composed apart first: the texts given may be those of *error itself, being passed on.
  hn_error filled = {.status = status};
  copy_text(filled.element, sizeof filled.element, element);
  copy_text(filled.hint, sizeof filled.hint, hint);
  if (source) {
    copy_text(filled.file, sizeof filled.file, source->file);
    filled.line = source->line;
    filled.column = source->column;
  }
  va_list arguments;
  va_start(arguments, format);
  if (vsnprintf(filled.message, sizeof filled.message, format, arguments) < 0)
    copy_text(filled.message, sizeof filled.message, hn_status_text(status));
  va_end(arguments);
  *error = filled;
  return status;
}

const char *hn_text(char *buffer, size_t size, const char *format, ...) {
  if (size == 0) return buffer;
  va_list arguments;
  va_start(arguments, format);
  if (vsnprintf(buffer, size, format, arguments) < 0) buffer[0] = '\0';
  va_end(arguments);
  return buffer;
}

const char *hn_text_list(char *buffer, size_t size, const char *const *words, int count) {
  enum { MORE = 24 }; // capacity for " and 1234567 more"
  size_t used = 0;
  int left = 0, is_cut = 0;
  if (size == 0) return buffer;
  buffer[0] = '\0';
  for (int k = 0; k < count; k++) left += words[k] != NULL;
  for (int k = 0; k < count && !is_cut; k++) {
    if (!words[k]) continue;
    is_cut = used + strlen(words[k]) + (left > 1 ? MORE : 0) + 3 > size;
    if (is_cut) break;
    used += strlen(hn_text(buffer + used, size - used, "%s%s", used ? ", " : "", words[k]));
    left--;
  }
  if (is_cut) hn_text(buffer + used, size - used, "%s%d more", used ? " and " : "", left);
  return buffer;
}

static int is_letter(char c) { return c >= 'a' && c <= 'z'; }

// Whether @ and a word represent an option: after a blank or a bracket.
static int is_option(const char *text, size_t at) {
  return text[at] == '@' && is_letter(text[at + 1]) &&
         (at == 0 || strchr(" (`'\"", text[at - 1]) != NULL);
}

void hn_render_hint(const char *text, hn_caller caller, char *to, size_t size) {
  const int is_command = caller == HN_CALLER_COMMAND;
  size_t used = 0;
  int is_inside = 0;
  if (size == 0) return;
  for (size_t at = 0; text[at] && used + 3 < size; at++) {
    const int begins = is_option(text, at);
    is_inside = begins || (is_inside && (is_letter(text[at]) || text[at] == '_'));
    if (begins) {
      for (int k = 0; is_command && k < 2; k++) to[used++] = '-';
      continue;
    }
    to[used++] = is_inside && is_command && text[at] == '_' ? '-' : text[at];
  }
  to[used] = '\0';
  if (is_letter(to[0])) to[0] = (char)(to[0] - 'a' + 'A');
  const char last = used > 0 ? to[used - 1] : '.';
  if (used + 1 < size && !strchr(".?!:;,", last)) memcpy(to + used, ".", 2);
}

void hn_error_format(const hn_error *error, char *text, size_t size) {
  if (size == 0) return;
  char place[320] = "";
  if (error->file[0] && error->line > 0 && error->column > 0)
    snprintf(place, sizeof place, "%s:%d:%d: ", error->file, error->line, error->column);
  else if (error->file[0] && error->line > 0)
    snprintf(place, sizeof place, "%s:%d: ", error->file, error->line);
  else if (error->file[0])
    snprintf(place, sizeof place, "%s: ", error->file);
  const char *message = error->message[0] ? error->message : hn_status_text(error->status);
  char hint[sizeof error->hint];
  hn_render_hint(error->hint, HN_CALLER_PROGRAM, hint, sizeof hint);
  snprintf(text, size, "%s%s%s%s%s%s", place, error->element, error->element[0] ? " " : "", message,
           hint[0] ? "\n  " : "", hint);
}

// ---- nearest word -------------------------------------------------------------------------------

#define WORD_LENGTH 63 // longer words are compared by their first 63 bytes
#define EDIT 64        // the cost of one edit: more than any number of wrong cases

static int smaller(int a, int b) { return a < b ? a : b; }

static int lower(char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; }

// Optimal string alignment distance (Damerau-Levenshtein, no substring edited twice): insertions,
// deletions, substitutions and swaps of neighbors cost EDIT each, a difference of case 1.
static int edit_distance(const char *a, int a_length, const char *b, int b_length) {
  int rows[3][WORD_LENGTH + 1];
  int *before = rows[0], *above = rows[1], *row = rows[2];
  for (int j = 0; j <= b_length; j++) above[j] = EDIT * j;
  for (int i = 1; i <= a_length; i++) {
    row[0] = EDIT * i;
    for (int j = 1; j <= b_length; j++) {
      int same = lower(a[i - 1]) == lower(b[j - 1]);
      int change = a[i - 1] == b[j - 1] ? 0 : same ? 1 : EDIT;
      int best = smaller(above[j - 1] + change, EDIT + smaller(above[j], row[j - 1]));
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
          lower(a[i - 2]) == lower(b[j - 1]))
        best = smaller(best, before[j - 2] + EDIT);
      row[j] = best;
    }
    int *free_row = before;
    before = above;
    above = row;
    row = free_row;
  }
  return above[b_length];
}

static int word_length(const char *word) {
  size_t length = strlen(word);
  return length < WORD_LENGTH ? (int)length : WORD_LENGTH;
}

// 1 when a word of three letters or more is the beginning of another.
static int is_beginning(const char *word, int length, const char *of, int of_length) {
  int same = 0;
  while (same < length && same < of_length && lower(word[same]) == lower(of[same])) same++;
  return length >= 3 && same == length;
}

const char *hn_nearest_word(const char *word, const char *const *words, int count) {
  if (!word || !words) return NULL;
  int length = word_length(word), best = INT_MAX;
  const char *nearest = NULL;
  for (int k = 0; k < count; k++) {
    if (!words[k]) continue;
    int other = word_length(words[k]);
    int distance = edit_distance(word, length, words[k], other);
    // what was begun is nearer than any edit, the shorter the nearer
    if (distance >= EDIT && is_beginning(word, length, words[k], other))
      distance = smaller(other - length, EDIT - 1);
    if (distance < best) { // the first of equals: lists are in the order a reader expects
      best = distance;
      nearest = words[k];
    }
  }
  // Near: about a third of the letters are wrong. Anything farther is no help.
  return nearest && best / EDIT <= (length + 1) / 3 ? nearest : NULL;
}
