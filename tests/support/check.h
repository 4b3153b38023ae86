// Common part of the tests: tolerance asserts for doubles that print both numbers, random numbers
// from a fixed seed, and an allocator that counts and fails on request.
//
// Included after the headers of cmocka, or alone.
#ifndef HN_TESTS_SUPPORT_CHECK_H
#define HN_TESTS_SUPPORT_CHECK_H

// cmocka wants these four first, in this order.
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include "holon/base.h"

// Sanitizers run the same code in a shorter time.
#if defined(__SANITIZE_ADDRESS__)
#define IS_WATCHED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define IS_WATCHED 1
#endif
#endif
#ifndef IS_WATCHED
#define IS_WATCHED 0
#endif

// |actual - expected| <= tolerance
#define check_near(actual, expected, tolerance)                                                    \
  hn_check_near((actual), (expected), (tolerance), #actual, __FILE__, __LINE__)
// |actual - expected| <= tolerance * |expected|
#define check_relative(actual, expected, tolerance)                                                \
  hn_check_relative((actual), (expected), (tolerance), #actual, __FILE__, __LINE__)
// each of count numbers, |actual[i] - expected[i]| <= tolerance
#define check_near_many(actual, expected, count, tolerance)                                        \
  hn_check_near_many((actual), (expected), (int)(count), (tolerance), #actual, __FILE__, __LINE__)
// actual <= limit, and a number
#define check_at_most(actual, limit)                                                               \
  hn_check_at_most((actual), (limit), #actual, __FILE__, __LINE__)
// A message contains these names, numbers or options, each as a word of its own:
// check_names(error.message, "'rod' 0.5 m.yaml"). Two plain words in a row fail: only
// tests/formats/broken pins wording.
#define check_names(message, names) hn_check_names((message), (names), __FILE__, __LINE__)
int hn_has_names(const char *message, const char *names); // the same as a question
// A message contains a number within `tolerance` of `value`, in any wording.
#define check_has_number(message, value, tolerance)                                                \
  hn_check_has_number((message), (value), (tolerance), __FILE__, __LINE__)
// The same of names of an error's element, message and hint together.
#define check_error_names(error, names) hn_check_error_names((error), (names), __FILE__, __LINE__)
// a call returned HN_OK
#define check_ok(call) hn_check_status((call), HN_OK, #call, __FILE__, __LINE__)
// a call returned this status
#define check_status(call, expected) hn_check_status((call), (expected), #call, __FILE__, __LINE__)

void hn_check_near(double actual, double expected, double tolerance, const char *what,
                   const char *file, int line);
void hn_check_relative(double actual, double expected, double tolerance, const char *what,
                       const char *file, int line);
void hn_check_near_many(const double *actual, const double *expected, int count, double tolerance,
                        const char *what, const char *file, int line);
void hn_check_at_most(double actual, double limit, const char *what, const char *file, int line);
void hn_check_names(const char *message, const char *names, const char *file, int line);
void hn_check_has_number(const char *message, double value, double tolerance, const char *file,
                         int line);
void hn_check_error_names(const hn_error *error, const char *names, const char *file, int line);
void hn_check_status(hn_status actual, hn_status expected, const char *what, const char *file,
                     int line);

// The same numbers on every computer: a test seeds its own generator.
typedef struct hn_random {
  uint64_t state;
} hn_random;
hn_random hn_random_seed(uint64_t seed);
uint64_t hn_random_bits(hn_random *random);
double hn_random_uniform(hn_random *random, double low, double high);
int hn_random_below(hn_random *random, int count); // 0 .. count - 1
// Fills count numbers between low and high.
void hn_random_fill(hn_random *random, double *numbers, int count, double low, double high);

// An allocator that counts, and whose allocation number fail_at (from 1; 0: none) and all later
// ones return null.
typedef struct hn_counting_memory {
  long calls;   // allocations asked for
  long living;  // blocks not yet released
  long fail_at; // 0: never
  size_t bytes; // asked for in all
} hn_counting_memory;
hn_allocator hn_counting_allocator(hn_counting_memory *memory);

#endif
