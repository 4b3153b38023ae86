// Paths: of files that are installed with the command, and from the root.
#define _GNU_SOURCE // readlink
#include "cli.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

char *hn_cli_find_beside(const char *name) {
  static const char *const places[] = {"", "../lib/holon/", "../lib64/holon/",
                                       "../lib/" HOLON_LIBRARY_ARCHITECTURE "/holon/"};
  char self[2048];
  const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  if (length <= 0) return NULL;
  self[length] = '\0';
  char *slash = strrchr(self, '/');
  if (slash != NULL) slash[1] = '\0';
  for (size_t k = 0; k < sizeof places / sizeof places[0]; k++) {
    char path[2400];
    snprintf(path, sizeof path, "%s%s%s", self, places[k], name);
    if (access(path, R_OK) == 0) return hn_cli_copy(path);
  }
  return NULL;
}

// "/a/b/../c" -> "/a/c", in place.
static void straighten(char *path) {
  char *out = path;
  for (char *at = path; *at != '\0';) {
    while (*at == '/') at++;
    size_t length = strcspn(at, "/");
    if (length == 2 && at[0] == '.' && at[1] == '.') {
      while (out > path && *--out != '/') {
      }
    } else if (length > 0 && !(length == 1 && at[0] == '.')) {
      *out++ = '/';
      memmove(out, at, length);
      out += length;
    }
    at += length;
  }
  *out = '\0';
}

char *hn_cli_full_path(const char *path) {
  char here[4096];
  if (path[0] == '/' || getcwd(here, sizeof here) == NULL) here[0] = '\0';
  char *full = hn_cli_join(here, path);
  straighten(full);
  return full;
}
