// Changes of XML that leave it XML, for the targets of models: values are put instead of others,
// tags and attributes are copied elsewhere or taken out. Bytes alone break names and quotes long
// before they reach what a tendon or a frame means. A quarter of the changes is libFuzzer's own.
#ifndef HN_TESTS_FUZZ_MUTATE_XML_H
#define HN_TESTS_FUZZ_MUTATE_XML_H

#include "target.h"

// There with libFuzzer, not where a corpus is replayed.
__attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
// Weak: the program that replays all corpora has it from several targets.
__attribute__((weak)) size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
                                                     unsigned int seed);

typedef struct {
  size_t begin, end;
} piece;

static inline size_t fuzz_draw(unsigned int *seed, size_t below) {
  *seed = *seed * 1664525u + 1013904223u;
  return below ? (*seed >> 8) % below : 0;
}

// Of the bytes `first` the one at or after a random place, cyclically; the size if not found.
static inline size_t fuzz_find(const uint8_t *data, size_t size, char first, unsigned int *seed) {
  size_t from = fuzz_draw(seed, size);
  for (size_t k = 0; k < size; k++)
    if (data[(from + k) % size] == (uint8_t)first) return (from + k) % size;
  return size;
}

static inline size_t fuzz_to(const uint8_t *data, size_t size, size_t at, const char *stops) {
  while (at < size && !(data[at] && strchr(stops, data[at]))) at++;
  return at;
}

// A tag with its brackets.
static inline piece fuzz_tag(const uint8_t *data, size_t size, unsigned int *seed) {
  size_t at = fuzz_find(data, size, '<', seed), end = fuzz_to(data, size, at, ">");
  return (piece){at, end < size ? end + 1 : size};
}

// The text between quotes after '=', or after a tag.
static inline piece fuzz_value(const uint8_t *data, size_t size, unsigned int *seed) {
  if (fuzz_draw(seed, 4) == 0) {
    size_t at = fuzz_find(data, size, '>', seed);
    at += at < size;
    return (piece){at, fuzz_to(data, size, at, "<")};
  }
  size_t at = fuzz_find(data, size, '=', seed);
  at = at + 2 < size ? at + 2 : size;
  return (piece){at, fuzz_to(data, size, at, "\"'<>")};
}

// An attribute with the blank before it.
static inline piece fuzz_attribute(const uint8_t *data, size_t size, unsigned int *seed) {
  size_t equals = fuzz_find(data, size, '=', seed), at = equals;
  while (at > 0 && at < size && data[at] != ' ') at--;
  size_t end = fuzz_to(data, size, equals + 2 < size ? equals + 2 : size, "\"'<>");
  return (piece){at, end < size ? end + 1 : size};
}

// `to` is replaced by the bytes given.
static inline size_t fuzz_splice(uint8_t *data, size_t size, size_t max_size, piece to,
                                 const uint8_t *bytes, size_t count) {
  size_t after = size - to.end;
  if (to.begin + count + after > max_size) return size;
  memmove(data + to.begin + count, data + to.end, after);
  memcpy(data + to.begin, bytes, count);
  return to.begin + count + after;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed) {
  static const char *const words[] = {"0",    "-1",    "1",     "1e308", "-1e-300",
                                      "nan",  "",      "1 2 3", "0 0 0", "1 0 0 0",
                                      "true", "false", "1e-12", "100000"};
  uint8_t copy[4096];
  size_t change = fuzz_draw(&seed, 8);
  if (change < 2 || size < 8)
    return LLVMFuzzerMutate ? LLVMFuzzerMutate(data, size, max_size) : size;
  piece from = change < 5 ? fuzz_value(data, size, &seed)
                          : (change < 7 ? fuzz_tag : fuzz_attribute)(data, size, &seed);
  size_t count = from.end - from.begin;
  if (count > sizeof copy) return size;
  memcpy(copy, data + from.begin, count);
  if (change == 2) {
    const char *word = words[fuzz_draw(&seed, sizeof words / sizeof *words)];
    return fuzz_splice(data, size, max_size, from, (const uint8_t *)word, strlen(word));
  }
  if (change == 6 && fuzz_draw(&seed, 2)) return fuzz_splice(data, size, max_size, from, copy, 0);
  piece to = change < 5 ? fuzz_value(data, size, &seed) : fuzz_tag(data, size, &seed);
  if (change >= 5 && change < 7) to.begin = to.end;
  if (change == 7) to.begin = to.end = fuzz_to(data, size, to.begin, " />");
  return fuzz_splice(data, size, max_size, to, copy, count);
}

#endif
