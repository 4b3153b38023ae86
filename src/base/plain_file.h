// Whether a path that a model names leads to a plain file: the one place that asks the system.
#ifndef HN_BASE_PLAIN_FILE_H
#define HN_BASE_PLAIN_FILE_H

// Null for a plain file, and if nothing exists or can be queried (opening it gives the error); else
// its kind: "a pipe", "a device", "a folder", "a socket". Opening a pipe or a device may block for
// ever.
const char *hn_not_a_plain_file(const char *path);
// Whether it is a link. Files that are rewritten in an untrusted folder must not be links, which
// could lead to a file outside.
int hn_is_link(const char *path);

#endif
