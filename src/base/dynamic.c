// Shared objects by POSIX dlopen: see dynamic.h. Not ISO C, like threads.c; without HOLON_WITH_DYNAMIC
// nothing can be loaded.
#include "base/dynamic.h"

#include "base/error.h"

#if HOLON_WITH_DYNAMIC

#include <dlfcn.h>
#include <string.h>

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
                 "it must have been built for this system; build it again with this holon",
                 "cannot be loaded: %s", reason ? reason : "no reason given");
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

#else

hn_status hn_dynamic_open(const char *path, hn_dynamic **library, hn_error *error) {
  hn_source place = {path, 0, 0};
  *library = NULL;
  return hn_fail(error, HN_ERROR_UNSUPPORTED, &place, NULL, "use the component's model file",
                 "is compiled code, and this holon was built without loading such files");
}

void hn_dynamic_close(hn_dynamic *library) { (void)library; }

hn_dynamic_function hn_dynamic_find(hn_dynamic *library, const char *symbol) {
  (void)library;
  (void)symbol;
  return NULL;
}

#endif
