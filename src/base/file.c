// Writing and reading whole files.
#include "base/file.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/disk.h"
#include "base/error.h"
#include "base/plain_file.h"

hn_status hn_file_error(const char *path, const char *what, int reason, hn_error *error) {
  hn_source source = {path, 0, 0};
  int is_reading = strstr(what, "read") != NULL;
  return hn_fail(
      error, HN_ERROR_FILE, &source, NULL,
      is_reading ? "Check the name and that the file may be read."
                 : "Check that the folder exists and is writable and that the disk is not full.",
      "%s: %s", what, reason ? strerror(reason) : "the system gives no reason");
}

hn_status hn_file_create(hn_file *file, const char *path, hn_error *error) {
  *file = (hn_file){.path = path};
  size_t length = strlen(path);
  file->temporary = hn_allocate(NULL, length + 40);
  if (!file->temporary) return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  snprintf(file->temporary, length + 40, "%s.%ld.part", path, hn_disk_process());
  remove(file->temporary); // of an earlier process, or a link: a new file is exclusive
  errno = 0;
  file->stream = fopen(file->temporary, "wbx");
  if (file->stream) return HN_OK;
  int reason = errno;
  hn_release(NULL, file->temporary);
  file->temporary = NULL;
  return hn_file_error(path, "cannot be written", reason, error);
}

static void remember(hn_file *file) {
  if (!file->failed) file->reason = errno;
  file->failed = 1;
}

void hn_file_write(hn_file *file, const void *data, size_t size) {
  if (file->failed) return;
  errno = 0;
  if (fwrite(data, 1, size, file->stream) != size) remember(file);
  file->written += size;
}

void hn_file_text(hn_file *file, const char *text) { hn_file_write(file, text, strlen(text)); }

hn_status hn_file_finish(hn_file *file, hn_error *error) {
  const int is_synced = !file->is_unsynced;
  if (!file->failed && is_synced && (errno = hn_disk_sync(file->stream)) != 0) remember(file);
  errno = 0;
  if (fclose(file->stream) != 0) remember(file);
  file->stream = NULL;
  errno = 0;
  if (!file->failed && rename(file->temporary, file->path) != 0) remember(file);
  if (!file->failed && is_synced && (errno = hn_disk_sync_folder(file->path)) != 0) remember(file);
  if (file->failed) remove(file->temporary);
  hn_release(NULL, file->temporary);
  file->temporary = NULL;
  return file->failed ? hn_file_error(file->path, "cannot be written", file->reason, error) : HN_OK;
}

void hn_file_abandon(hn_file *file) {
  if (file->stream) fclose(file->stream);
  file->stream = NULL;
  if (file->temporary) remove(file->temporary);
  hn_release(NULL, file->temporary);
  file->temporary = NULL;
}

static hn_status write_whole(const char *path, const void *data, size_t size, int is_unsynced,
                             hn_error *error) {
  hn_file file;
  hn_status status = hn_file_create(&file, path, error);
  if (status) return status;
  file.is_unsynced = is_unsynced;
  if (size > 0) hn_file_write(&file, data, size);
  return hn_file_finish(&file, error);
}

hn_status hn_file_write_bytes(const char *path, const void *data, size_t size, hn_error *error) {
  return write_whole(path, data, size, 0, error);
}

hn_status hn_file_write_unsynced(const char *path, const void *data, size_t size, hn_error *error) {
  return write_whole(path, data, size, 1, error);
}

hn_status hn_file_write_text(const char *path, const hn_string *text, hn_error *error) {
  if (text->is_lost)
    return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, "Free memory.", "%s does not fit in memory",
                   path);
  return hn_file_write_bytes(path, text->data, text->length, error);
}

char *hn_file_join(const char *folder, const char *name) {
  const size_t length = strlen(folder), more = strlen(name);
  const size_t slash = length == 0 || folder[length - 1] != '/';
  char *path = hn_allocate(NULL, length + slash + more + 1);
  if (!path) return NULL;
  memcpy(path, folder, length);
  if (slash) path[length] = '/';
  memcpy(path + length + slash, name, more + 1);
  return path;
}

// ---- reading ------------------------------------------------------------------------------------

// Files may be long and yet take no place on the disk: what is read whole ends here.
#define LONGEST ((size_t)1 << 30)
typedef enum outcome { ALL_READ, NO_MEMORY, TOO_LONG, NO_TEXT } outcome;

// Known before it is read, where it is no pipe.
static int is_too_long(FILE *stream) {
  const int has_end = fseek(stream, 0, SEEK_END) == 0;
  const long length = has_end ? ftell(stream) : 0;
  rewind(stream);
  return length > (long)LONGEST;
}

// Appends the stream to *data until its end; a text ends with its first zero byte, and is then
// invalid.
static outcome read_all(FILE *stream, int is_text, char **data, size_t *size) {
  size_t room = 0;
  for (;;) {
    if (room - *size < 65536) {
      size_t larger = room ? 2 * room : 131072;
      char *block = hn_reallocate(NULL, *data, *size, larger);
      if (!block) return NO_MEMORY;
      *data = block;
      room = larger;
    }
    size_t got = fread(*data + *size, 1, room - *size - 1, stream);
    if (got == 0) break;
    if (is_text && memchr(*data + *size, '\0', got)) return NO_TEXT;
    *size += got;
    if (!is_text && *size > LONGEST) return TOO_LONG;
  }
  (*data)[*size] = '\0';
  return ALL_READ;
}

static hn_status refuse(const char *path, const char *what, hn_error *error) {
  const hn_source place = {path, 0, 0};
  return hn_fail(error, HN_ERROR_FILE, &place, NULL, "Give a regular file.", "is not a file but %s",
                 what);
}

hn_status hn_file_check_plain(const char *path, hn_error *error) {
  const char *what = hn_not_a_plain_file(path);
  return what ? refuse(path, what, error) : HN_OK;
}

static hn_status fail_to_read(const char *path, outcome read, hn_error *error) {
  const hn_source place = {path, 0, 0};
  if (read == NO_MEMORY)
    return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, "Free memory.", "%s does not fit in memory",
                   path);
  if (read == NO_TEXT)
    return hn_fail(error, HN_ERROR_SYNTAX, &place, NULL, "Copy it again, or use another file.",
                   "is not a text file: it has a zero byte");
  return hn_fail(error, HN_ERROR_FILE, &place, NULL, "Copy it again, or use another file.",
                 "exceeds the limit of 1 GB");
}

static hn_status read_path(const char *path, int is_text, char **data, size_t *size,
                           hn_error *error) {
  errno = 0;
  FILE *stream = fopen(path, "rb");
  if (!stream) return hn_file_error(path, "cannot be read", errno, error);
  outcome read = !is_text && is_too_long(stream) ? TOO_LONG : ALL_READ;
  errno = 0;
  if (read == ALL_READ) read = read_all(stream, is_text, data, size);
  int broken = ferror(stream) != 0, reason = errno;
  fclose(stream);
  if (read == ALL_READ && !broken) return HN_OK;
  hn_release(NULL, *data);
  *data = NULL;
  *size = 0;
  return broken ? hn_file_error(path, "cannot be read", reason, error)
                : fail_to_read(path, read, error);
}

static hn_status read_plain(const char *path, int is_text, char **data, size_t *size,
                            hn_error *error) {
  *data = NULL;
  *size = 0;
  const hn_status status = hn_file_check_plain(path, error);
  return status == HN_OK ? read_path(path, is_text, data, size, error) : status;
}

hn_status hn_file_read(const char *path, char **data, size_t *size, hn_error *error) {
  return read_plain(path, 0, data, size, error);
}

hn_status hn_file_read_text(const char *path, char **data, size_t *size, hn_error *error) {
  return read_plain(path, 1, data, size, error);
}

hn_status hn_file_read_given(const char *path, char **data, size_t *size, hn_error *error) {
  *data = NULL;
  *size = 0;
  const char *what = hn_not_a_plain_file(path);
  if (what && strcmp(what, "a device") == 0) return refuse(path, what, error); // without end, maybe
  return read_path(path, 0, data, size, error);
}
