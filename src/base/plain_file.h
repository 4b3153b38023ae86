// Whether a path that a model names leads to a plain file: the one place that asks the system.
#ifndef HN_BASE_PLAIN_FILE_H
#define HN_BASE_PLAIN_FILE_H

// Null for a plain file, and where nothing is there or nothing can be asked (to open it tells more);
// else what it is: "a pipe", "a device", "a folder", "a socket". To open a pipe or a device may block
// for ever.
const char *hn_not_a_plain_file(const char *path);
// Whether it is a link. What is written again and again in a folder of somebody else is none: it would
// lead to a file outside.
int hn_is_link(const char *path);

#endif
