// Files on a disk by POSIX: see disk.h. Not ISO C, like threads.c.
#define _GNU_SOURCE // syncfs
#include "base/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

int hn_disk_sync(FILE *stream) {
  errno = 0;
  if (fflush(stream) != 0) return errno ? errno : EIO;
  // pipes and some file systems cannot
  if (fdatasync(fileno(stream)) != 0 && errno != EINVAL && errno != ENOSYS) return errno;
  return 0;
}

int hn_disk_sync_folder(const char *path) {
  char folder[4096] = ".";
  const char *slash = strrchr(path, '/');
  size_t length = slash ? (size_t)(slash - path) : 0;
  if (length >= sizeof folder) return ENAMETOOLONG;
  if (slash) {
    memcpy(folder, length > 0 ? path : "/", length > 0 ? length : 1);
    folder[length > 0 ? length : 1] = '\0';
  }
  int handle = open(folder, O_RDONLY | O_CLOEXEC);
  if (handle < 0) return errno == EACCES ? 0 : errno; // a folder may be written but not read
  int reason = fsync(handle) != 0 && errno != EINVAL && errno != ENOSYS ? errno : 0;
  close(handle);
  return reason;
}

int hn_disk_sync_system(const char *folder) {
#ifdef __linux__
  int handle = open(folder, O_RDONLY | O_CLOEXEC);
  if (handle < 0) return errno;
  int reason = syncfs(handle) != 0 ? errno : 0;
  close(handle);
  return reason;
#else
  (void)folder;
  sync();
  return 0;
#endif
}

int hn_disk_cut(FILE *stream, long long size) {
  errno = 0;
  if (fflush(stream) != 0 || ftruncate(fileno(stream), (off_t)size) != 0 ||
      fseek(stream, 0, SEEK_END) != 0)
    return errno ? errno : EIO;
  return 0;
}

long hn_disk_process(void) { return (long)getpid(); }
