// Kinds of files by POSIX stat: see plain_file.h. Not ISO C, like threads.c.
#define _DEFAULT_SOURCE 1
#include "base/plain_file.h"

#include <stddef.h>

#if defined(__unix__) || defined(__APPLE__)

#include <sys/stat.h>

const char *hn_not_a_plain_file(const char *path) {
  struct stat file;
  if (stat(path, &file) != 0 || S_ISREG(file.st_mode)) return NULL;
  if (S_ISFIFO(file.st_mode)) return "a pipe";
  if (S_ISDIR(file.st_mode)) return "a folder";
  return S_ISSOCK(file.st_mode) ? "a socket" : "a device";
}

int hn_is_link(const char *path) {
  struct stat file;
  return lstat(path, &file) == 0 && S_ISLNK(file.st_mode);
}

#else

int hn_is_link(const char *path) {
  (void)path;
  return 0;
}

const char *hn_not_a_plain_file(const char *path) {
  (void)path;
  return NULL;
}

#endif
