// Filling an error object. Every failing function ends in `return hn_fail(...)`.
#ifndef HN_BASE_ERROR_H
#define HN_BASE_ERROR_H

#include "holon/base.h"

// Writes all of *error (may be null) and returns status. element, hint and source may be null.
hn_status hn_fail(hn_error *error, hn_status status, const hn_source *source, const char *element,
                  const char *hint, const char *format, ...) HN_PRINTF(6, 7);

// "joint 'knee'" into one of the caller's buffers: snprintf that returns its buffer.
const char *hn_text(char *buffer, size_t size, const char *format, ...) HN_PRINTF(3, 4);

// "a, b, c" of words (null ones are left out), cut behind a whole word: "a, b and 7 more". Returns
// buffer.
const char *hn_text_list(char *buffer, size_t size, const char *const *words, int count);

// Among count words the one nearest to `word` by edit distance, or null when none is near.
const char *hn_nearest_word(const char *word, const char *const *words, int count);

#endif
