// Texts of others for a terminal: control characters made harmless, one line of a file.
#ifndef HN_BASE_EXCERPT_H
#define HN_BASE_EXCERPT_H

#include <stddef.h>

// Control characters that a terminal would obey become question marks, in place. Returns the text.
char *hn_tame(char *text);
// A line of a text file, counted from 1, up to size - 1 characters of it, tamed and without its end.
// Returns 0 where the file cannot be read or has fewer lines.
int hn_file_line(const char *path, int number, char *line, size_t size);

#endif
