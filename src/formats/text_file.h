// Text files and their paths, in ISO C.
#ifndef HN_FORMATS_TEXT_FILE_H
#define HN_FORMATS_TEXT_FILE_H

#include "base/arena.h"

// Reads a whole file of at most HN_FILE_SIZE bytes into the arena, terminated. used_at (may be
// null) is where the file was asked for.
hn_status hn_text_file_read(hn_arena *arena, const char *path, const hn_source *used_at,
                            char **text, size_t *size, hn_error *error);
// Rejects what is not text in UTF-8: binary files, other encodings, control characters; with the
// line and column of the first offence.
hn_status hn_text_check(const char *text, size_t size, const char *file, hn_error *error);
// Line and column (1-based, in characters) of a byte.
void hn_text_locate(const char *text, size_t size, size_t offset, int *line, int *column);

// The path `name`, written in the file `base`, seen from where base is seen; "." and ".." inside
// are worked out as far as possible. Null when out of memory.
const char *hn_path_join(hn_arena *arena, const char *base, const char *name);
int hn_path_is_absolute(const char *path); // also "C:\..." and "\\..."

#endif
