// A child process by POSIX fork: see child.h. Not ISO C, like threads.c.
#define _DEFAULT_SOURCE 1
#include "base/child.h"

#include "base/arena.h"
#include "base/error.h"

#if defined(__unix__) || defined(__APPLE__)

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// Address sanitizers reserve terabytes of addresses, which is no use of memory.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define COUNTS_ADDRESSES 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define COUNTS_ADDRESSES 0
#endif
#endif
#ifndef COUNTS_ADDRESSES
#define COUNTS_ADDRESSES 1
#endif

struct hn_child_pipe {
  int descriptor;
};

int hn_child_send(hn_child_pipe *pipe, const void *data, size_t size) {
  const char *at = data;
  while (size > 0) {
    ssize_t sent = write(pipe->descriptor, at, size);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return 0;
    at += sent;
    size -= (size_t)sent;
  }
  return 1;
}

// ---- the child ----------------------------------------------------------------------------------

// Bytes of addresses in use; 0: not known.
static size_t addresses_in_use(void) {
  unsigned long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file) return 0;
  if (fscanf(file, "%lu", &pages) != 1) pages = 0;
  fclose(file);
  long size = sysconf(_SC_PAGESIZE);
  return size > 0 ? pages * (size_t)size : 0;
}

static void limit(int what, size_t most) {
  struct rlimit now;
  if (getrlimit(what, &now) != 0) return;
  if (now.rlim_max == RLIM_INFINITY || now.rlim_max > (rlim_t)most) now.rlim_max = (rlim_t)most;
  now.rlim_cur = now.rlim_max;
  setrlimit(what, &now);
}

static void be_the_child(const hn_child_limits *limits, size_t addresses, hn_child_work work,
                         void *context, hn_child_pipe out) {
  static const int faults[] = {SIGSEGV, SIGBUS,  SIGILL, SIGFPE,  SIGABRT, SIGXCPU,
                               SIGINT,  SIGTERM, SIGHUP, SIGPIPE, SIGALRM};
  const struct sigaction usual = {.sa_handler = SIG_DFL};
  for (size_t k = 0; k < sizeof faults / sizeof faults[0]; k++) sigaction(faults[k], &usual, NULL);
  int nothing = open("/dev/null", O_RDWR);
  for (int k = 0; k < 3 && nothing >= 0; k++)
    if (k != out.descriptor) dup2(nothing, k);
  for (int k = HN_OWN_FILES; k < HN_OWN_FILES + HN_OWN_FILES_MOST; k++) close(k);
  limit(RLIMIT_CORE, 0);
  if (!limits->may_write) limit(RLIMIT_FSIZE, 0);
  limit(RLIMIT_CPU, (size_t)limits->seconds);
  if (COUNTS_ADDRESSES && addresses > 0 && limits->memory > 0)
    limit(RLIMIT_AS, addresses + limits->memory);
  work(context, &out);
  close(out.descriptor);
  _Exit(0);
}

// ---- the parent ---------------------------------------------------------------------------------

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Appends what comes until the child closes its end: HN_OK, or why it is not waited for any longer.
static hn_status gather(int from, const hn_child_limits *limits, char **data, size_t *size,
                        const char **reason) {
  const double end = now() + 2.0 * limits->seconds;
  for (size_t room = 0;;) {
    if (room == *size) {
      size_t larger = room ? 2 * room : 65536;
      char *block = hn_reallocate(NULL, *data, *size, larger);
      if (!block) return HN_ERROR_MEMORY;
      *data = block;
      room = larger;
    }
    const double left = end - now();
    struct pollfd wait = {.fd = from, .events = POLLIN};
    *reason = "reading takes too long";
    if (left <= 0) return HN_ERROR_FILE;
    int ready = poll(&wait, 1, left < 1000 ? (int)(1000 * left) + 1 : 1000000);
    if (ready < 0 && errno != EINTR) return HN_ERROR_FILE;
    if (ready <= 0) continue;
    ssize_t got = read(from, *data + *size, room - *size);
    if (got == 0) return HN_OK;
    if (got < 0 && errno == EINTR) continue;
    *reason = "it exceeds the memory that its file size allows";
    if (got < 0 || (size_t)got > limits->output - *size) return HN_ERROR_FILE;
    *size += (size_t)got;
  }
}

static const char *name_of(int number, char text[64]) {
  if (number == SIGXCPU || number == SIGKILL) return "reading takes too long";
  return hn_text(text, 64, "the reader crashed (signal %d%s)", number,
                 number == SIGSEGV   ? ", SIGSEGV"
                 : number == SIGABRT ? ", SIGABRT"
                                     : "");
}

hn_status hn_child_run(const hn_child_limits *limits, hn_child_work work, void *context,
                       char **data, size_t *size, char text[64], const char **reason) {
  int ends[2];
  *data = NULL;
  *size = 0;
  *reason = "the system cannot create a pipe";
  if (pipe(ends) != 0) return HN_ERROR_FILE;
  const size_t addresses = addresses_in_use();
  pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    be_the_child(limits, addresses, work, context, (hn_child_pipe){ends[1]});
  }
  close(ends[1]);
  *reason = "the system cannot create a process";
  hn_status status = child > 0 ? gather(ends[0], limits, data, size, reason) : HN_ERROR_FILE;
  close(ends[0]);
  int end = 0, is_known = 0;
  if (child > 0) {
    if (status != HN_OK) kill(child, SIGKILL);
    pid_t ended;
    do ended = waitpid(child, &end, 0);
    while (ended < 0 && errno == EINTR);
    is_known = ended == child; // a program that ignores its children gets no exit status
  }
  if (status == HN_OK && is_known && WIFSIGNALED(end)) {
    *reason = name_of(WTERMSIG(end), text);
    status = HN_ERROR_FILE;
  } else if (status == HN_OK && is_known && WEXITSTATUS(end) != 0) {
    *reason = "the reader crashed";
    status = HN_ERROR_FILE;
  }
  if (status == HN_OK) return HN_OK;
  hn_release(NULL, *data);
  *data = NULL;
  *size = 0;
  return status;
}

#else

int hn_child_send(hn_child_pipe *pipe, const void *data, size_t size) {
  (void)pipe, (void)data, (void)size;
  return 0;
}

hn_status hn_child_run(const hn_child_limits *limits, hn_child_work work, void *context,
                       char **data, size_t *size, char text[64], const char **reason) {
  (void)limits, (void)work, (void)context, (void)text;
  *data = NULL;
  *size = 0;
  *reason = "this system has no processes";
  return HN_ERROR_UNSUPPORTED;
}

#endif
