// Tolerance asserts, random numbers and the counting allocator of tests/support/check.h.
#include "support/check.h"

#include <math.h>
#include <stdlib.h>

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
