// Files that are installed with the command.
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
