// Messages to a component that another program serves, over its standard input and output: `holon
// component serve FILE.hnc --stdio`, as a rule behind ssh, which authenticates both and encrypts
// the connection. A message is its length in 8 bytes, the lowest first, and so many bytes. POSIX.
#include "pipes.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "among.h"
#include "patience.h"
#include "ranks.h"

#define MOST_BYTES ((size_t)1 << 30)
enum { first_room = 1 << 16, message_time = 60 };      // bytes; s for a message that has begun
enum { head_size = 8, look_every = 50, patience = 4 }; // ms; looks after the user wants an end

typedef struct program {
  const char *name; // of the component
  pid_t id;
  int to, from;
  int is_lost;
  pthread_mutex_t lock;
} program;

static struct {
  int count;
  program *programs;
  hn_component_channel *channels;
} pipes;

// ---- messages -----------------------------------------------------------------------------------

static void write_head(unsigned char head[head_size], size_t size) {
  for (int i = 0; i < head_size; i++)
    head[i] = (unsigned char)((unsigned long long)size >> (8 * i));
}

static size_t read_head(const unsigned char head[head_size]) {
  unsigned long long size = 0;
  for (int i = head_size - 1; i >= 0; i--) size = size << 8 | head[i];
  return size < MOST_BYTES ? (size_t)size : MOST_BYTES + 1;
}

// Ready, or 0 when nothing comes: the user wants an end, or the other end kept this one waiting for
// too long, *silence in all (s). The time while this process was stopped does not count.
static int wait_for(const program *p, int file, short what, double *silence) {
  for (int left = patience; left > 0;) {
    struct pollfd look = {.fd = file, .events = what};
    const double begin = hn_cli_clock();
    int found = poll(&look, 1, look_every);
    const double waited = hn_cli_clock() - begin;
    *silence += waited < 1e-3 * look_every ? waited : 1e-3 * look_every;
    if (found < 0 && errno != EINTR) return 0;
    if (found <= 0 && hn_cli_is_interrupted()) left--;
    if (*silence < hn_cli_patience()) {
      if (found > 0) return 1;
      continue;
    }
    hn_cli_patience_lost(p->name);
    return 0;
  }
  return 0;
}

static int send_all(const program *p, const void *data, size_t size) {
  const char *at = data;
  double silence = 0;
  while (size > 0) {
    if (!wait_for(p, p->to, POLLOUT, &silence)) return 0;
    ssize_t count = write(p->to, at, size);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return 0;
    at += count;
    size -= (size_t)count;
  }
  return 1;
}

static int receive_all(const program *p, void *data, size_t size) {
  char *at = data;
  double silence = 0;
  while (size > 0) {
    if (!wait_for(p, p->from, POLLIN, &silence)) return 0;
    ssize_t count = read(p->from, at, size);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return 0;
    at += count;
    size -= (size_t)count;
  }
  return 1;
}

static hn_status call(void *context, const void *request, size_t size, void *answer, size_t room,
                      size_t *answer_size) {
  program *p = context;
  unsigned char head[head_size];
  pthread_mutex_lock(&p->lock);
  write_head(head, size);
  int ok = !p->is_lost && send_all(p, head, sizeof head) && send_all(p, request, size) &&
           receive_all(p, head, sizeof head);
  *answer_size = ok ? read_head(head) : 0;
  ok = ok && *answer_size <= room && receive_all(p, answer, *answer_size);
  if (!ok) p->is_lost = 1;
  pthread_mutex_unlock(&p->lock);
  return ok ? HN_OK : HN_ERROR_INTERRUPTED;
}

// ---- programs -----------------------------------------------------------------------------------

// Ctrl-C is for the run, which has something to ask before it ends.
static int start(program *p, const char *line) {
  int to[2], from[2];
  if (pipe(to) != 0) return 0;
  if (pipe(from) != 0) {
    close(to[0]);
    close(to[1]);
    return 0;
  }
  p->id = fork();
  if (p->id == 0) {
    dup2(to[0], STDIN_FILENO);
    dup2(from[1], STDOUT_FILENO);
    close(to[0]);
    close(to[1]);
    close(from[0]);
    close(from[1]);
    for (int k = 0; k < pipes.count; k++) { // an end that others keep open never ends
      close(pipes.programs[k].to);
      close(pipes.programs[k].from);
    }
    signal(SIGINT, SIG_IGN);
    execl("/bin/sh", "sh", "-c", line, (char *)NULL);
    _exit(127);
  }
  close(to[0]);
  close(from[1]);
  p->to = to[1];
  p->from = from[0];
  return p->id > 0;
}

int hn_cli_pipes_begin(const char *command, const hn_cli_list *served) {
  if (served->count == 0) return -1;
  pipes.programs = hn_cli_allocate((size_t)served->count, sizeof *pipes.programs);
  pipes.channels = hn_cli_allocate((size_t)served->count, sizeof *pipes.channels);
  signal(SIGPIPE, SIG_IGN); // reported by write
  for (int k = 0; k < served->count; k++) {
    const char *text = served->items[k], *equals = strchr(text, '=');
    if (equals == NULL || equals == text || equals[1] == '\0')
      return hn_cli_wrong_call(command, "--served '%s' is not valid. Write NAME.hnc=COMMAND", text);
    program *p = &pipes.programs[k];
    *p = (program){.is_lost = 0};
    pthread_mutex_init(&p->lock, NULL);
    if (!start(p, equals + 1))
      return hn_cli_wrong_call(command, "'%s' cannot be started: %s. Check the command of --served",
                               equals + 1, strerror(errno));
    char *name = hn_cli_copy(text);
    name[equals - text] = '\0';
    p->name = name;
    pipes.channels[pipes.count++] =
        (hn_component_channel){.name = name, .call = call, .context = p};
  }
  return -1;
}

int hn_cli_pipes(const hn_component_channel **served) {
  *served = pipes.channels;
  return pipes.count;
}

// Whether the program ends within a second.
static int has_ended(const program *p) {
  int left = 100, found;
  while ((found = (int)waitpid(p->id, NULL, WNOHANG)) == 0 && left-- > 0)
    nanosleep(&(struct timespec){0, 10000000}, NULL);
  return found != 0;
}

// A program whose input ends has a second to end too. One that is stopped does not hear SIGTERM.
void hn_cli_pipes_end(void) {
  for (int k = 0; k < pipes.count; k++) {
    program *p = &pipes.programs[k];
    close(p->to);
    close(p->from);
    if (!has_ended(p)) {
      kill(p->id, SIGTERM);
      if (!has_ended(p)) {
        kill(p->id, SIGKILL);
        waitpid(p->id, NULL, 0);
      }
    }
    pthread_mutex_destroy(&p->lock);
    free((char *)pipes.channels[k].name);
  }
  free(pipes.programs);
  free(pipes.channels);
  pipes.programs = NULL;
  pipes.channels = NULL;
  pipes.count = 0;
}

// ---- the other end ------------------------------------------------------------------------------

// Bytes that have come within the time, all of them: 1, 0 when there was an end before the first
// one, else -1. A slow sender gets no more time.
static int take_all(char *data, size_t size, double seconds) {
  size_t used = 0;
  double begin = hn_cli_clock();
  while (used < size) {
    struct pollfd look = {.fd = STDIN_FILENO, .events = POLLIN};
    const double left = begin + seconds - hn_cli_clock();
    if (left <= 0) return -1;
    int found = poll(&look, 1, left < 1e6 ? (int)(1000 * left) + 1 : -1);
    if (found == 0) continue;
    if (found < 0 && errno == EINTR) continue;
    ssize_t count = found > 0 ? read(STDIN_FILENO, data + used, size - used) : -1;
    if (count < 0 && found > 0 && errno == EINTR) continue;
    if (count == 0 && used == 0) return 0;
    if (count <= 0) return -1;
    if (used == 0) { // a message that has started is completed
      begin = hn_cli_clock();
      seconds = seconds < message_time ? seconds : message_time;
    }
    used += (size_t)count;
  }
  return 1;
}

// A request of this size, in memory that grows as it comes: a length alone takes none. 0: it did not
// come.
static int take_request(char **buffer, size_t *room, size_t size) {
  for (size_t used = 0; used < size;) {
    size_t next = size - used < first_room ? size - used : first_room;
    if (used + next > *room) {
      size_t larger = 2 * (used + next);
      char *block = realloc(*buffer, larger);
      if (block == NULL) return 0;
      *buffer = block;
      *room = larger;
    }
    if (take_all(*buffer + used, next, message_time) != 1) return 0;
    used += next;
  }
  return 1;
}

static int answer_one(hn_component_server *server, const char *request, size_t size) {
  const void *answer = NULL;
  size_t answer_size = 0;
  unsigned char head[head_size];
  if (hn_component_server_answer(server, request, size, &answer, &answer_size) != HN_OK) return 0;
  write_head(head, answer_size);
  return fwrite(head, 1, sizeof head, stdout) == sizeof head &&
         fwrite(answer, 1, answer_size, stdout) == answer_size && fflush(stdout) == 0;
}

int hn_cli_pipes_serve(hn_component_server *server, double idle) {
  unsigned char head[head_size];
  size_t room = first_room;
  char *buffer = hn_cli_allocate(room, 1);
  int code = HN_CLI_DONE, came;
  while (code == HN_CLI_DONE && (came = take_all((char *)head, sizeof head, idle)) != 0) {
    size_t size = read_head(head);
    const char *fault = NULL;
    if (came < 0)
      fault = "no request within the time limit (--idle)";
    else if (size > MOST_BYTES)
      fault = "the standard input is not a valid request";
    else if (!take_request(&buffer, &room, size))
      fault = "a request was cut off";
    else if (!answer_one(server, buffer, size))
      fault = "a request could not be answered";
    if (fault == NULL) continue;
    fprintf(stderr, "holon: %s\n", fault);
    code = HN_CLI_FAILED;
  }
  free(buffer);
  return code;
}
