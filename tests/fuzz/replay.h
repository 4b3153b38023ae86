// The corpus of a target without libFuzzer.
#ifndef HN_TESTS_FUZZ_REPLAY_H
#define HN_TESTS_FUZZ_REPLAY_H

#include <stddef.h>
#include <stdint.h>

typedef int fuzz_target_function(const uint8_t *data, size_t size);

// Runs the target on every file of the folders argv[1 .. argc - 1]. Returns 0, or 1 without any
// file.
int fuzz_replay(fuzz_target_function *target, int argc, char **argv);

#endif
