// The corpus of a target without libFuzzer.
#ifndef HN_TESTS_FUZZ_REPLAY_H
#define HN_TESTS_FUZZ_REPLAY_H

#include <stddef.h>
#include <stdint.h>

typedef int fuzz_target_function(const uint8_t *data, size_t size);

// Every file of the folders argv[1 .. argc - 1] once; 0, or 1 when there is none.
int fuzz_replay(fuzz_target_function *target, int argc, char **argv);

#endif
