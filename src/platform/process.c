// Processes by posix_spawn, sockets by socketpair. See process.h.
#define _GNU_SOURCE 1
#include "platform/process.h"

#include "base/arena.h"
#include "base/error.h"
#include "platform/clock.h"

#if defined(__unix__) || defined(__APPLE__)

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#if !defined(MSG_NOSIGNAL)
#define MSG_NOSIGNAL 0
#endif

extern char **environ;

struct hn_child_program {
  pid_t id;
  int socket;
};

static int spawn(const char *program, int socket, pid_t *id) {
  posix_spawn_file_actions_t actions;
  char *arguments[] = {(char *)(size_t)program, NULL};
  if (posix_spawn_file_actions_init(&actions) != 0) return ENOMEM;
  int reason = posix_spawn_file_actions_adddup2(&actions, socket, 0);
  if (reason == 0) reason = posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  if (reason == 0) reason = posix_spawn_file_actions_adddup2(&actions, 1, 2);
  if (reason == 0) reason = posix_spawn(id, program, &actions, NULL, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  return reason;
}

hn_status hn_child_program_start(const char *program, hn_child_program **process, hn_error *error) {
  const hn_source place = {program, 0, 0};
  int ends[2];
  *process = NULL;
  hn_child_program *p = hn_allocate(NULL, sizeof *p);
  if (!p) return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory for a process");
  int reason = socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0 ? 0 : errno;
  if (reason == 0) {
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    p->socket = ends[0];
    reason = spawn(program, ends[1], &p->id);
    close(ends[1]);
    if (reason != 0) close(ends[0]);
  }
  if (reason == 0) {
    *process = p;
    return HN_OK;
  }
  hn_release(NULL, p);
  return hn_fail(error, HN_ERROR_FILE, &place, NULL, "Install the program again.",
                 "cannot be started: %s", strerror(reason));
}

// Until the socket is ready, or the end of time.
static hn_child_program_outcome wait_ready(const hn_child_program *p, short events, double end) {
  for (;;) {
    const double left = end - hn_clock();
    struct pollfd ready = {.fd = p->socket, .events = events};
    if (left <= 0) return HN_PROCESS_LATE;
    const int count = poll(&ready, 1, left < 1000 ? (int)(1000 * left) + 1 : 1000000);
    if (count > 0) return HN_PROCESS_DONE;
    if (count < 0 && errno != EINTR) return HN_PROCESS_ENDED;
  }
}

hn_child_program_outcome hn_child_program_send(hn_child_program *p, const void *data, size_t size,
                                               double seconds) {
  const char *at = data;
  const double end = hn_clock() + seconds;
  while (size > 0) {
    const ssize_t sent = send(p->socket, at, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) {
      at += sent;
      size -= (size_t)sent;
    } else if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      const hn_child_program_outcome outcome = wait_ready(p, POLLOUT, end);
      if (outcome != HN_PROCESS_DONE) return outcome;
    } else if (!(sent < 0 && errno == EINTR)) {
      return HN_PROCESS_ENDED;
    }
  }
  return HN_PROCESS_DONE;
}

hn_child_program_outcome hn_child_program_receive(hn_child_program *p, void *data, size_t size,
                                                  double seconds) {
  char *at = data;
  const double end = hn_clock() + seconds;
  while (size > 0) {
    const hn_child_program_outcome outcome = wait_ready(p, POLLIN, end);
    if (outcome != HN_PROCESS_DONE) return outcome;
    const ssize_t got = recv(p->socket, at, size, 0);
    if (got > 0) {
      at += got;
      size -= (size_t)got;
    } else if (!(got < 0 && errno == EINTR)) {
      return HN_PROCESS_ENDED;
    }
  }
  return HN_PROCESS_DONE;
}

static const char *describe_end(int state, char text[64]) {
  if (WIFEXITED(state)) return hn_text(text, 64, "ended (exit code %d)", WEXITSTATUS(state));
  if (!WIFSIGNALED(state)) return "ended";
  const int number = WTERMSIG(state);
  return hn_text(text, 64, "crashed (signal %d%s)", number,
                 number == SIGSEGV   ? ", SIGSEGV"
                 : number == SIGABRT ? ", SIGABRT"
                 : number == SIGFPE  ? ", SIGFPE"
                                     : "");
}

const char *hn_child_program_end(hn_child_program *p, double seconds, char text[64]) {
  int state = 0;
  const double end = hn_clock() + seconds;
  shutdown(p->socket, SHUT_RDWR);
  close(p->socket);
  pid_t id = waitpid(p->id, &state, WNOHANG);
  while (id == 0 && hn_clock() < end) {
    hn_clock_wait(hn_clock() + 1e-3);
    id = waitpid(p->id, &state, WNOHANG);
  }
  const char *how = "was ended";
  if (id == p->id) {
    how = describe_end(state, text);
  } else if (id == 0) {
    kill(p->id, SIGKILL);
    while (waitpid(p->id, &state, 0) < 0 && errno == EINTR) continue;
  }
  hn_release(NULL, p);
  return how;
}

#else

hn_status hn_child_program_start(const char *program, hn_child_program **process, hn_error *error) {
  const hn_source place = {program, 0, 0};
  *process = NULL;
  return hn_fail(error, HN_ERROR_UNSUPPORTED, &place, NULL, "Use another system.",
                 "needs processes, which this system does not have");
}

hn_child_program_outcome hn_child_program_send(hn_child_program *p, const void *data, size_t size,
                                               double seconds) {
  (void)p, (void)data, (void)size, (void)seconds;
  return HN_PROCESS_ENDED;
}

hn_child_program_outcome hn_child_program_receive(hn_child_program *p, void *data, size_t size,
                                                  double seconds) {
  (void)p, (void)data, (void)size, (void)seconds;
  return HN_PROCESS_ENDED;
}

const char *hn_child_program_end(hn_child_program *p, double seconds, char text[64]) {
  (void)p, (void)seconds, (void)text;
  return "ended";
}

#endif
