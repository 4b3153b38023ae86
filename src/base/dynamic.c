// Shared objects by POSIX dlopen: see dynamic.h. Not ISO C, like threads.c; without HOLON_WITH_DYNAMIC
// nothing can be loaded.
#define _GNU_SOURCE 1
#include "base/dynamic.h"

#include "base/error.h"

#if HOLON_WITH_DYNAMIC

#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

hn_status hn_dynamic_open(const char *path, hn_dynamic **library, hn_error *error) {
  // a name without a slash would be looked for in the system's folders
  char here[1024];
  if (!strchr(path, '/')) path = hn_text(here, sizeof here, "./%s", path);
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  *library = handle;
  if (handle) return HN_OK;
  const char *reason = dlerror();
  hn_source place = {path, 0, 0};
  return hn_fail(error, HN_ERROR_FILE, &place, NULL,
                 "rebuild it with this version of Holon on this system", "cannot be loaded: %s",
                 reason ? reason : "no reason given");
}

void hn_dynamic_close(hn_dynamic *library) {
  if (library) dlclose(library);
}

hn_dynamic_function hn_dynamic_find(hn_dynamic *library, const char *symbol) {
  // ISO C has no way from a data pointer to a function pointer; POSIX promises that they fit
  void *address = dlsym(library, symbol);
  hn_dynamic_function function = NULL;
  if (address) memcpy(&function, &address, sizeof function);
  return function;
}

static int is_near(char *self, const char *name, char *path, size_t room) {
  static const char *const places[] = {"",
                                       "holon/",
                                       "../lib/holon/",
                                       "../lib64/holon/",
                                       "../lib/" HOLON_LIBRARY_ARCHITECTURE "/holon/",
                                       "../",
                                       "../../"};
  char *slash = strrchr(self, '/');
  if (!slash) return 0;
  slash[1] = '\0';
  for (size_t k = 0; k < sizeof places / sizeof places[0]; k++) {
    hn_text(path, room, "%s%s%s", self, places[k], name);
    if (access(path, R_OK) == 0) return 1;
  }
  return 0;
}

// A program that has the library inside is named as it was called: its file is found by /proc.
int hn_dynamic_near(const char *name, char *path, size_t room) {
  char self[2048];
  Dl_info info;
  static const char here = 0;
  if (dladdr(&here, &info) != 0 && info.dli_fname) {
    hn_text(self, sizeof self, "%s", info.dli_fname);
    if (is_near(self, name, path, room)) return 1;
  }
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  if (length <= 0) return 0;
  self[length] = '\0';
  return is_near(self, name, path, room);
}

#else

int hn_dynamic_near(const char *name, char *path, size_t room) {
  (void)name;
  (void)path;
  (void)room;
  return 0;
}

hn_status hn_dynamic_open(const char *path, hn_dynamic **library, hn_error *error) {
  hn_source place = {path, 0, 0};
  *library = NULL;
  return hn_fail(error, HN_ERROR_UNSUPPORTED, &place, NULL, "use the component's model file",
                 "is compiled code, which this build of Holon cannot load");
}

void hn_dynamic_close(hn_dynamic *library) { (void)library; }

hn_dynamic_function hn_dynamic_find(hn_dynamic *library, const char *symbol) {
  (void)library;
  (void)symbol;
  return NULL;
}

#endif
