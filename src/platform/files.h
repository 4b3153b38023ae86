// Folder operations beyond ISO C: creating, checking existence, listing.
#ifndef HN_PLATFORM_FILES_H
#define HN_PLATFORM_FILES_H

#include "holon/base.h"

int hn_is_there(const char *path);
int hn_is_folder(const char *path);
hn_status hn_make_folders(const char *path, hn_error *error); // like mkdir -p
hn_status hn_try_folder(const char *path, hn_error *error);   // that files can be made in it
hn_status hn_try_file(const char *path, hn_error *error);     // that it can be written
// Whether `path` is there and was written after `other`; other null: whether it is there.
int hn_is_newer(const char *path, const char *other);
// A new folder for temporary files, of this user alone, with a separator at its end; to be freed by
// hn_release(NULL, ...).
hn_status hn_make_temporary(char **path, hn_error *error);
void hn_disk_remove_folder(const char *path); // with all that is in it; links are not followed
// Calls back for every name of the folder, in no order. Nothing where it cannot be read.
void hn_list_folder(const char *path, void (*each)(void *context, const char *name), void *context);

#endif
