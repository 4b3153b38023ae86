// A program of its own, spoken to through a socket that is its standard input: code that may crash
// or never return runs there.
#ifndef HN_PLATFORM_PROCESS_H
#define HN_PLATFORM_PROCESS_H

#include "holon/base.h"

typedef struct hn_child_program hn_child_program;

// Starts the program file. Its output goes nowhere; it has no other files of this process.
// HN_ERROR_FILE when it cannot be started, HN_ERROR_UNSUPPORTED where there are no processes.
hn_status hn_child_program_start(const char *program, hn_child_program **process, hn_error *error);

typedef enum hn_child_program_outcome {
  HN_PROCESS_DONE,
  HN_PROCESS_ENDED, // the other end is closed
  HN_PROCESS_LATE   // not within the time
} hn_child_program_outcome;
// All bytes within the time, s.
hn_child_program_outcome hn_child_program_send(hn_child_program *process, const void *data,
                                               size_t size, double seconds);
hn_child_program_outcome hn_child_program_receive(hn_child_program *process, void *data,
                                                  size_t size, double seconds);

// Waits for its end for at most this time, then kills it. Says how it ended, in `text` or of static
// storage: "crashed (signal 11, SIGSEGV)". Frees it.
const char *hn_child_program_end(hn_child_program *process, double seconds, char text[64]);

#endif
