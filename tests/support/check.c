// Tolerance asserts, random numbers and the counting allocator of tests/support/check.h.
#include "support/check.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void hn_check_near(double actual, double expected, double tolerance, const char *what,
                   const char *file, int line) {
  double difference = fabs(actual - expected);
  if (difference <= tolerance) return; // false for NaN
  print_error("%s = %.17g, expected %.17g: differs by %.3g, allowed %.3g\n", what, actual, expected,
              difference, tolerance);
  _fail(file, line);
}

void hn_check_relative(double actual, double expected, double tolerance, const char *what,
                       const char *file, int line) {
  double difference = fabs(actual - expected);
  if (difference <= tolerance * fabs(expected)) return;
  print_error("%s = %.17g, expected %.17g: differs by %.3g of it, allowed %.3g\n", what, actual,
              expected, difference / fabs(expected), tolerance);
  _fail(file, line);
}

void hn_check_near_many(const double *actual, const double *expected, int count, double tolerance,
                        const char *what, const char *file, int line) {
  for (int i = 0; i < count; i++) {
    double difference = fabs(actual[i] - expected[i]);
    if (difference <= tolerance) continue;
    print_error("%s[%d] = %.17g, expected %.17g: differs by %.3g, allowed %.3g\n", what, i,
                actual[i], expected[i], difference, tolerance);
    _fail(file, line);
  }
}

void hn_check_at_most(double actual, double limit, const char *what, const char *file, int line) {
  if (actual <= limit) return;
  print_error("%s = %.17g, allowed at most %.17g\n", what, actual, limit);
  _fail(file, line);
}

void hn_check_status(hn_status actual, hn_status expected, const char *what, const char *file,
                     int line) {
  if (actual == expected) return;
  print_error("%s returned '%s' (%s), expected '%s'\n", what, hn_status_name(actual),
              hn_status_text(actual), hn_status_name(expected));
  _fail(file, line);
}

// A name in quotes may contain blanks.
static size_t name_length(const char *name) {
  const char *end = *name == '\'' || *name == '`' ? strchr(name + 1, *name) : NULL;
  return end ? (size_t)(end - name) + 1 : strcspn(name, " ");
}

// A plain word, with or without a capital, with or without punctuation after it.
static int is_word(const char *name, size_t length) {
  size_t count = isupper((unsigned char)name[0]) ? 1 : 0;
  while (count < length && islower((unsigned char)name[count])) count++;
  return count > 1 && count + strspn(name + count, ".,:;!?)") >= length;
}

// Two plain words in a row are wording, not names.
static int is_wording(const char *names) {
  for (int words = 0; *names;) {
    const size_t length = name_length(names);
    words = is_word(names, length) ? words + 1 : 0;
    if (words == 2) return 1;
    names += length;
    names += strspn(names, " ");
  }
  return 0;
}

static int is_part_of_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

// Whether `at` is a whole name there: 1 is not in 0.1, 21 or 1.5.
static int stands_alone(const char *message, const char *at, size_t length) {
  const char before = at > message ? at[-1] : ' ', last = at[length - 1], *after = at + length;
  if (is_part_of_word(*at) && is_part_of_word(before)) return 0;
  if (is_part_of_word(last) && is_part_of_word(*after)) return 0;
  if (isdigit((unsigned char)*at) && before == '.') return 0;
  return !(isdigit((unsigned char)last) && *after == '.' && isdigit((unsigned char)after[1]));
}

static int is_named(const char *message, const char *name, size_t length) {
  for (const char *at = strchr(message, *name); at; at = strchr(at + 1, *name))
    if (strncmp(at, name, length) == 0 && stands_alone(message, at, length)) return 1;
  return 0;
}

// The first of the names that is not in the message.
static const char *find_missing(const char *message, const char *names) {
  for (const char *name = names; *name;) {
    const size_t length = name_length(name);
    if (!is_named(message, name, length)) return name;
    name += length;
    name += strspn(name, " ");
  }
  return NULL;
}

int hn_has_names(const char *message, const char *names) { return !find_missing(message, names); }

void hn_check_names(const char *message, const char *names, const char *file, int line) {
  const char *missing = find_missing(message, names);
  if (is_wording(names)) {
    print_error("wording instead of names: %s\n", names);
    _fail(file, line);
  }
  if (!missing) return;
  print_error("no %.*s in: %s\n", (int)name_length(missing), missing, message);
  _fail(file, line);
}

void hn_check_has_number(const char *message, double value, double tolerance, const char *file,
                         int line) {
  char *end;
  for (const char *at = message; *at; at = end > at ? end : at + 1) {
    const int is_start = at == message || !isalnum((unsigned char)at[-1]);
    const double number = is_start ? strtod(at, &end) : NAN;
    if (!is_start) end = (char *)at;
    if (end > at && fabs(number - value) <= tolerance) return;
  }
  print_error("no number %.9g +- %.2g in: %s\n", value, tolerance, message);
  _fail(file, line);
}

void hn_check_error_names(const hn_error *error, const char *names, const char *file, int line) {
  char all[2600];
  hn_error_format(error, all, sizeof all);
  hn_check_names(all, names, file, line);
}

// splitmix64: a counter and a mixing function, good for any seed.
hn_random hn_random_seed(uint64_t seed) { return (hn_random){seed}; }

uint64_t hn_random_bits(hn_random *random) {
  uint64_t z = random->state += UINT64_C(0x9E3779B97F4A7C15);
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return z ^ (z >> 31);
}

double hn_random_uniform(hn_random *random, double low, double high) {
  return low + (high - low) * ((double)(hn_random_bits(random) >> 11) * 0x1p-53);
}

int hn_random_below(hn_random *random, int count) {
  return (int)(hn_random_bits(random) % (uint64_t)count);
}

void hn_random_fill(hn_random *random, double *numbers, int count, double low, double high) {
  for (int i = 0; i < count; i++) numbers[i] = hn_random_uniform(random, low, high);
}

static void *counting_allocate(void *context, size_t size) {
  hn_counting_memory *memory = context;
  memory->calls++;
  if (memory->fail_at > 0 && memory->calls >= memory->fail_at) return NULL;
  void *block = malloc(size);
  if (!block) return NULL;
  memory->living++;
  memory->bytes += size;
  return block;
}

static void counting_release(void *context, void *block) {
  hn_counting_memory *memory = context;
  if (!block) return;
  memory->living--;
  free(block);
}

hn_allocator hn_counting_allocator(hn_counting_memory *memory) {
  return (hn_allocator){counting_allocate, counting_release, memory};
}
