// Code that is loaded while running: the one place where shared objects are opened.
#ifndef HN_BASE_DYNAMIC_H
#define HN_BASE_DYNAMIC_H

#include "holon/base.h"

typedef struct hn_dynamic hn_dynamic;

// Opens the shared object; its symbols stay its own. HN_ERROR_UNSUPPORTED where there is no such thing,
// HN_ERROR_FILE with the system's own words when it cannot be loaded.
hn_status hn_dynamic_open(const char *path, hn_dynamic **library, hn_error *error);
void hn_dynamic_close(hn_dynamic *library); // null is fine
// The path of a file that was built or installed with this library: next to it or the program, or
// in lib/holon. 0 if not found.
int hn_dynamic_near(const char *name, char *path, size_t room);
// A function, or null. To be cast to what it is.
typedef void (*hn_dynamic_function)(void);
hn_dynamic_function hn_dynamic_find(hn_dynamic *library, const char *symbol);

#endif
