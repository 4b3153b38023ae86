// Temporary folders by mkdtemp, removed by nftw. See files.h.
#define _XOPEN_SOURCE 700
#include "base/arena.h"
#include "base/error.h"
#include "platform/files.h"

#if defined(__unix__) || defined(__APPLE__)

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if !defined(P_tmpdir)
#define P_tmpdir "/tmp"
#endif

hn_status hn_make_temporary(char **path, hn_error *error) {
  static const char pattern[] = P_tmpdir "/holon-XXXXXX";
  char *made = hn_allocate(NULL, sizeof pattern + 1);
  *path = NULL;
  if (!made) return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  memcpy(made, pattern, sizeof pattern);
  if (!mkdtemp(made)) {
    const int reason = errno;
    hn_release(NULL, made);
    return hn_fail(error, HN_ERROR_FILE, NULL, NULL, "Make the folder writable.",
                   "cannot create a folder in " P_tmpdir ": %s", strerror(reason));
  }
  memcpy(made + sizeof pattern - 1, "/", 2);
  *path = made;
  return HN_OK;
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *place) {
  (void)about, (void)kind, (void)place;
  remove(path);
  return 0;
}

void hn_disk_remove_folder(const char *path) { nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS); }

#else

hn_status hn_make_temporary(char **path, hn_error *error) {
  *path = NULL;
  return hn_fail(error, HN_ERROR_UNSUPPORTED, NULL, NULL, "Use another system.",
                 "temporary folders are not supported on this system");
}

void hn_disk_remove_folder(const char *path) { (void)path; }

#endif
