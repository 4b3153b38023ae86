// Globs with * and ?. On a mismatch only the last star takes one more character: an earlier star
// could not do better. So at most length(pattern) * length(text) comparisons.
#include "base/glob.h"

#include <string.h>

int hn_glob_is_pattern(const char *text) { return strpbrk(text, "*?") != NULL; }

int hn_glob_match(const char *pattern, const char *text) {
  const char *star = NULL, *behind_star = NULL;
  while (*text) {
    if (*pattern == '*') {
      star = pattern++;
      behind_star = text;
    } else if (*pattern == '?' || *pattern == *text) {
      pattern++;
      text++;
    } else if (star) {
      pattern = star + 1;
      text = ++behind_star;
    } else {
      return 0;
    }
  }
  while (*pattern == '*') pattern++;
  return *pattern == '\0';
}
