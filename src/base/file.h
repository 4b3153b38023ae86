// Whole files: written next to their place and moved there when they are complete and on the disk,
// so that a full disk, a crash or a loss of power never leaves half a file behind a finished name;
// and read as a whole.
#ifndef HN_BASE_FILE_H
#define HN_BASE_FILE_H

#include <stdio.h>

#include "base/text.h"

typedef struct hn_file {
  const char *path; // the finished name, the caller's
  char *temporary;  // path, the number of the process, ".part"
  FILE *stream;
  int reason; // errno of the first failure, 0: none
  int failed;
  int is_unsynced; // complete if the process is killed, but not after a loss of power
  unsigned long long written; // bytes
} hn_file;

hn_status hn_file_create(hn_file *file, const char *path, hn_error *error);
// A failure is stored and reported by hn_file_finish.
void hn_file_write(hn_file *file, const void *data, size_t size);
void hn_file_text(hn_file *file, const char *text);
// Closes and moves the file to its name; on any failure removes it and says why.
hn_status hn_file_finish(hn_file *file, hn_error *error);
void hn_file_abandon(hn_file *file); // removes it
// All at once. A text that was lost is HN_ERROR_MEMORY.
hn_status hn_file_write_text(const char *path, const hn_string *text, hn_error *error);
hn_status hn_file_write_bytes(const char *path, const void *data, size_t size, hn_error *error);
// For many small files: one hn_disk_sync_system at the end brings all of them to the disk.
hn_status hn_file_write_unsynced(const char *path, const void *data, size_t size, hn_error *error);
// "folder/name", to be freed by hn_release(NULL, ...); null without memory.
char *hn_file_join(const char *folder, const char *name);

// HN_ERROR_FILE where a pipe, a device, a folder or a socket is: to open it may block for ever.
hn_status hn_file_check_plain(const char *path, hn_error *error);
// The whole file with an end mark behind it, to be freed by hn_release(NULL, *data). Plain files of up
// to 1 GB only; texts may be longer, and have no zero byte.
hn_status hn_file_read(const char *path, char **data, size_t *size, hn_error *error);
hn_status hn_file_read_text(const char *path, char **data, size_t *size, hn_error *error);
// The same of a path given by the user, which may be a pipe.
hn_status hn_file_read_given(const char *path, char **data, size_t *size, hn_error *error);

// HN_ERROR_FILE: "results.h5: cannot be written: no space left on device".
hn_status hn_file_error(const char *path, const char *what, int reason, hn_error *error);

#endif
