// No input may take a second: libFuzzer's own limit is one of wall time, which says nothing on a machine
// that does other things too. Here the time of the processor counts, of all threads of the program, in
// ticks; an input that is there for more of them ends the program, and the fuzzer keeps it.
#define _GNU_SOURCE
#include "target.h"

#include <signal.h>
#include <sys/time.h>

// The entry of the target, renamed by the build (cmake/programs.cmake).
int fuzz_target(const uint8_t *data, size_t size);

enum { TICK = 100000, MOST = 10 }; // microseconds; whole ones that an input may take

static volatile sig_atomic_t ticks, is_inside;

static void tick(int number) {
  static const char words[] = "an input takes more than 1 s of the processor\n";
  (void)number;
  if (!is_inside || ++ticks <= MOST) return;
  (void)!write(STDERR_FILENO, words, sizeof words - 1);
  abort();
}

static void start(void) {
  struct sigaction action = {.sa_handler = tick, .sa_flags = SA_RESTART};
  struct itimerval every = {{0, TICK}, {0, TICK}};
  sigemptyset(&action.sa_mask);
  PROMISE(sigaction(SIGPROF, &action, NULL) == 0 && setitimer(ITIMER_PROF, &every, NULL) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static int has_started;
  if (!has_started) start();
  has_started = 1;
  ticks = 0;
  is_inside = 1;
  int answer = fuzz_target(data, size);
  is_inside = 0;
  return answer;
}
