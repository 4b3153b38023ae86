// File operations beyond ISO C: flushing to the disk, truncating, and names that no other process
// uses.
#ifndef HN_BASE_DISK_H
#define HN_BASE_DISK_H

#include <stdio.h>

// Flushes the stream to the disk: 0, or errno.
int hn_disk_sync(FILE *stream);
// The names in the folder of this file are on the disk, after a rename or a new file: 0, or errno.
int hn_disk_sync_folder(const char *path);
// Everything written so far on the file system of this folder is on the disk: 0, or errno.
int hn_disk_sync_system(const char *folder);
// Truncates the file to `size` bytes; writing continues there: 0, or errno.
int hn_disk_cut(FILE *stream, long long size);
// A number of this process, for names of temporary files.
long hn_disk_process(void);

#endif
