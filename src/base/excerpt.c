// Texts of others for a terminal: see excerpt.h.
#include "base/excerpt.h"

#include <stdio.h>
#include <string.h>

// Marks that turn the direction of text around (U+200E, 200F, 202A to 202E, 2066 to 2069).
static int turns_text(const unsigned char *c) {
  if (c[0] != 0xe2 || (c[1] != 0x80 && c[1] != 0x81)) return 0;
  if (c[1] == 0x81) return c[2] >= 0xa6 && c[2] <= 0xa9;
  return c[2] == 0x8e || c[2] == 0x8f || (c[2] >= 0xaa && c[2] <= 0xae);
}

// Replaces characters that control a terminal (escapes of C0, DEL, C1, directions) by question
// marks, for untrusted texts and names. Line ends and tabs stay.
char *hn_tame(char *text) {
  for (unsigned char *c = (unsigned char *)text; *c != '\0'; c++) {
    if ((*c < 0x20 && *c != '\n' && *c != '\t') || *c == 0x7f) *c = '?';
    if (*c == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0) c[0] = c[1] = '?';
    if (turns_text(c)) c[0] = c[1] = c[2] = '?';
  }
  return text;
}

int hn_file_line(const char *path, int number, char *line, size_t size) {
  FILE *file = fopen(path, "r");
  if (!file) return 0;
  int is_end = 0;
  for (int i = 1; i <= number && !is_end; i++) {
    is_end = !fgets(line, (int)size, file);
    // the rest of a line longer than the buffer
    while (!is_end && !strchr(line, '\n') && i < number) is_end = !fgets(line, (int)size, file);
  }
  fclose(file);
  if (is_end) return 0;
  line[strcspn(line, "\r\n")] = '\0';
  hn_tame(line);
  return 1;
}
