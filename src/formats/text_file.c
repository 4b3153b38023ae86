// Text files and their paths: reading, checking that it is text, joining.
//
// Folders cannot be listed in ISO C, so a missing file is reported with its whole path only.
#include "formats/text_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/plain_file.h"
#include "formats/tree.h"

// ---- reading ------------------------------------------------------------------------------------

// Reads to the end into a block that doubles; *size HN_FILE_SIZE + 1 means there is more.
static char *read_all(const hn_allocator *allocator, FILE *file, size_t *size) {
  size_t room = 1 << 16, used = 0;
  char *block = hn_allocate(allocator, room);
  while (block) {
    used += fread(block + used, 1, room - used, file);
    if (used < room || used > HN_FILE_SIZE) break;
    char *larger = hn_reallocate(allocator, block, used, 2 * room);
    if (!larger) hn_release(allocator, block);
    block = larger;
    room *= 2;
  }
  *size = used;
  return block;
}

hn_status hn_text_file_read(hn_arena *arena, const char *path, const hn_source *used_at,
                            char **text, size_t *size, hn_error *error) {
  hn_source itself = {path, 0, 0};
  const hn_source *place = used_at ? used_at : &itself;
  char element[160];
  hn_text(element, sizeof element, used_at ? "file '%s'" : "the file", path);
  *text = NULL;
  // a pipe in the call is intended; the author of `use:` may be untrusted
  const char *what = used_at ? hn_not_a_plain_file(path) : NULL;
  if (what)
    return hn_fail(error, HN_ERROR_FILE, place, element, "Use a regular file.",
                   "is not a file but %s", what);
  errno = 0;
  FILE *file = fopen(path, "rb");
  if (!file)
    return hn_fail(error, HN_ERROR_FILE, place, element,
                   used_at
                       ? "Check the path; in `use:` it is relative to the file that contains it."
                       : "Check the path; it is relative to the current folder.",
                   "cannot be opened: %s", errno ? strerror(errno) : "no reason given");
  char *block = read_all(&arena->allocator, file, size);
  int failed = ferror(file);
  fclose(file);
  hn_status status = HN_OK;
  if (!block)
    status = hn_fail(error, HN_ERROR_MEMORY, place, element, "Close other programs.",
                     "does not fit into memory");
  else if (failed)
    status = hn_fail(error, HN_ERROR_FILE, place, element, "Use a model file, not a folder.",
                     "cannot be read: %s", errno ? strerror(errno) : "no reason given");
  else if (*size > HN_FILE_SIZE)
    status =
        hn_fail(error, HN_ERROR_LIMIT, place, element,
                "Use `repeat:` and components in models; use fewer points in roads and tables.",
                "is larger than %zu MB, the limit for a file", HN_FILE_SIZE >> 20);
  else {
    *text = hn_arena_take(arena, *size + 1, 1);
    if (*text)
      memcpy(*text, block, *size);
    else
      status = hn_fail(error, HN_ERROR_MEMORY, place, element, "Close other programs.",
                       "does not fit into memory");
  }
  hn_release(&arena->allocator, block);
  return status;
}

// ---- what is text -------------------------------------------------------------------------------

// Bytes of the UTF-8 character at text, 0 for an invalid one (also for surrogates, overlong forms
// and numbers above 10FFFF).
static size_t character_length(const unsigned char *text, size_t size) {
  unsigned char first = text[0];
  size_t length = first < 0x80 ? 1 : first >= 0xC2 && first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if ((first >= 0x80 && first < 0xC2) || first > 0xF4 || length > size) return 0;
  for (size_t k = 1; k < length; k++)
    if ((text[k] & 0xC0) != 0x80) return 0;
  if ((first == 0xE0 && text[1] < 0xA0) || (first == 0xED && text[1] > 0x9F) ||
      (first == 0xF0 && text[1] < 0x90) || (first == 0xF4 && text[1] > 0x8F))
    return 0;
  return length;
}

void hn_text_locate(const char *text, size_t size, size_t offset, int *line, int *column) {
  *line = *column = 1;
  for (size_t k = 0; k < offset && k < size; k++) {
    if (text[k] == '\n') {
      ++*line;
      *column = 1;
    } else if (((unsigned char)text[k] & 0xC0) != 0x80 && text[k] != '\r') {
      ++*column;
    }
  }
}

static hn_status refuse(const char *text, size_t size, size_t offset, const char *file,
                        hn_error *error) {
  hn_source place = {file, 0, 0};
  hn_text_locate(text, size, offset, &place.line, &place.column);
  unsigned char byte = (unsigned char)text[offset];
  if (byte == 0)
    return hn_fail(error, HN_ERROR_SYNTAX, &place, "the file", "Use a text file (YAML).",
                   "is not text: byte 0 found");
  if (byte < 0x80)
    return hn_fail(
        error, HN_ERROR_SYNTAX, &place, "the file",
        "Delete it; only line ends, tabs in comments and printable characters are allowed "
        "in a model.",
        "has the control character 0x%02X", byte);
  return hn_fail(error, HN_ERROR_SYNTAX, &place, "the file",
                 "Save it with the encoding UTF-8 in your editor.",
                 "is not UTF-8: byte 0x%02X is not allowed here", byte);
}

hn_status hn_text_check(const char *text, size_t size, const char *file, hn_error *error) {
  const unsigned char *bytes = (const unsigned char *)text;
  if (size >= 2 &&
      ((bytes[0] == 0xFF && bytes[1] == 0xFE) || (bytes[0] == 0xFE && bytes[1] == 0xFF))) {
    hn_source place = {file, 1, 1};
    return hn_fail(error, HN_ERROR_SYNTAX, &place, "the file", "Save it as UTF-8 in your editor.",
                   "is in UTF-16: it starts with the bytes 0x%02X 0x%02X", bytes[0], bytes[1]);
  }
  for (size_t k = 0; k < size;) {
    unsigned char c = bytes[k];
    int control = (c < 0x20 && c != '\n' && c != '\r' && c != '\t') || c == 0x7F;
    size_t length = control ? 0 : character_length(bytes + k, size - k);
    if (length == 0) return refuse(text, size, k, file, error);
    k += length;
  }
  return HN_OK;
}

// ---- paths --------------------------------------------------------------------------------------

static int is_slash(char c) { return c == '/' || c == '\\'; }

int hn_path_is_absolute(const char *path) {
  int letter = (path[0] >= 'a' && path[0] <= 'z') || (path[0] >= 'A' && path[0] <= 'Z');
  return is_slash(path[0]) || (letter && path[1] == ':');
}

// Removes "." and "name/..", in place.
static void simplify(char *path) {
  size_t root = path[0] == '/', end = root; // end: of what is kept
  for (size_t at = root; path[at];) {
    size_t length = strcspn(path + at, "/"), next = at + length + (path[at + length] == '/');
    int dot = length == 1 && path[at] == '.', up = length == 2 && memcmp(path + at, "..", 2) == 0;
    size_t last = end; // start of the last kept part
    if (last > root) {
      last--;
      while (last > root && path[last - 1] != '/') last--;
    }
    int can_go_up = end > root && !(end - last == 3 && memcmp(path + last, "../", 3) == 0);
    if (up && can_go_up) {
      end = last;
    } else if (!dot && length > 0) {
      memmove(path + end, path + at, length);
      end += length;
      path[end++] = '/';
    }
    at = next;
  }
  if (end > root) end--;
  path[end] = '\0';
}

const char *hn_path_join(hn_arena *arena, const char *base, const char *name) {
  size_t folder = strlen(base);
  while (folder > 0 && !is_slash(base[folder - 1])) folder--;
  size_t length = strlen(name);
  // One byte more than the text: a trailing slash while simplifying.
  char *path = hn_arena_take(arena, folder + length + 2, 1);
  if (!path) return NULL;
  memcpy(path, base, folder);
  memcpy(path + folder, name, length);
  simplify(path);
  return path;
}
