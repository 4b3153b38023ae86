// Patterns over signal names.
#ifndef HN_BASE_GLOB_H
#define HN_BASE_GLOB_H

// 1 when text matches the whole pattern: * any characters (dots too), ? any one character.
int hn_glob_match(const char *pattern, const char *text);
// 1 when the pattern has * or ?.
int hn_glob_is_pattern(const char *text);

#endif
