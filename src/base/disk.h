// What ISO C does not say about files: that bytes have reached the disk, where a file ends, and names
// that no other process uses.
#ifndef HN_BASE_DISK_H
#define HN_BASE_DISK_H

#include <stdio.h>

// What was written to the stream is on the disk: 0, or errno.
int hn_disk_sync(FILE *stream);
// The names in the folder of this file are on the disk, after a rename or a new file: 0, or errno.
int hn_disk_sync_folder(const char *path);
// The file ends after so many bytes, and writing goes on there: 0, or errno.
int hn_disk_cut(FILE *stream, long long size);
// A number of this process, for names of temporary files.
long hn_disk_process(void);

#endif
