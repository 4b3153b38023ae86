// Rows of a sweep by processes of this machine. Each takes the next free row, runs it, and adds its
// line with one write to a file of its own: if a process is killed, whole lines stay. A row that
// crashes its process is a failure like others, and another process takes its place.
#define _DEFAULT_SOURCE
#include "sweep.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

enum { MOST_JOBS = 1024 };

typedef struct shared {
  atomic_long next, done, failed;
  atomic_long row[MOST_JOBS + 1]; // that a process is at; -1: none
} shared;

typedef struct worker {
  hn_cli_sweep *s;
  const long *rows; // that are missing
  long count;
  shared *common;
  pid_t parent;
  int part; // file
} worker;

// ---- one row ----------------------------------------------------------------------------------

static void keep_result(const worker *w, long row, const hn_sweep_result *result) {
  char name[64];
  hn_error error;
  if (result->certificate != NULL) {
    snprintf(name, sizeof name, "runs/row-%06ld.json", row);
    char *path = hn_cli_join(w->s->folder, name);
    hn_file_write_unsynced(path, result->certificate, strlen(result->certificate), &error);
    free(path);
  }
  if (result->status == HN_OK) return;
  hn_cli_text text = {0};
  char message[4096];
  hn_error_format(&result->error, message, sizeof message);
  hn_cli_add(&text, "%s\n", hn_tame(message));
  snprintf(name, sizeof name, "runs/row-%06ld.txt", row);
  char *path = hn_cli_join(w->s->folder, name);
  hn_file_write_unsynced(path, text.data, text.length, &error);
  free(path);
  hn_string_free(&text);
}

static int keep_line(const worker *w, long row, const hn_sweep_result *result) {
  size_t size = hn_sweep_line(w->s->sweep, row, result, NULL, 0);
  char *line = hn_cli_allocate(size + 1, 1);
  hn_sweep_line(w->s->sweep, row, result, line, size + 1);
  keep_result(w, row, result);
  hn_cli_text whole = {0};
  hn_cli_add_bytes(&whole, line, size - 1); // without its line end
  hn_cli_sweep_add_checksum(&whole);
  hn_cli_add(&whole, "\n");
  int is_written =
      !whole.is_lost && write(w->part, whole.data, whole.length) == (ssize_t)whole.length;
  hn_string_free(&whole);
  atomic_fetch_add(result->status == HN_OK ? &w->common->done : &w->common->failed, 1);
  free(line);
  return is_written;
}

static int run_row(const worker *w, long row) {
  hn_sweep_result result;
  if (hn_sweep_run(w->s->sweep, row, &result) != HN_OK) return 0;
  int is_written = keep_line(w, row, &result);
  hn_sweep_result_free(&result);
  return is_written;
}

// ---- a process --------------------------------------------------------------------------------

// A line that a killed process left half written is ended, so that the next one stands alone.
static int open_part(worker *w, int job) {
  char name[80], last = '\n';
  snprintf(name, sizeof name, "part-%d-of-%d-%d.csv", w->s->shard + 1, w->s->shards, job + 1);
  char *path = hn_cli_join(w->s->folder, name);
  w->part = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0666);
  free(path);
  if (w->part < 0) return 0;
  off_t size = lseek(w->part, 0, SEEK_END);
  if (size > 0 && pread(w->part, &last, 1, size - 1) == 1 && last != '\n')
    return write(w->part, "\n", 1) == 1;
  return 1;
}

// Memory of one case serves the next one: it is not given back to the system in between.
static void keep_memory(void) {
#ifdef __GLIBC__
  mallopt(M_TRIM_THRESHOLD, 256 << 20);
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
#endif
}

// Whose parent is gone ends, so that a sweep begun again is alone.
static int work(worker *w, int job) {
  keep_memory();
  if (!open_part(w, job)) return 1;
  int is_fine = 1;
  while (is_fine && getppid() == w->parent) {
    long k = atomic_fetch_add(&w->common->next, 1);
    if (k >= w->count) break;
    atomic_store(&w->common->row[job], w->rows[k]);
    is_fine = run_row(w, w->rows[k]);
    atomic_store(&w->common->row[job], -1);
  }
  close(w->part);
  return !is_fine;
}

static void show(const worker *w) {
  long done = atomic_load(&w->common->done), failed = atomic_load(&w->common->failed);
  if (!w->s->is_quiet && isatty(STDERR_FILENO))
    fprintf(stderr, "\r%ld of %ld rows, %ld failed ", done + failed, w->count, failed);
}

// ---- all of them ------------------------------------------------------------------------------------

static pid_t begin(worker *w, int job) {
  atomic_store(&w->common->row[job], -1);
  pid_t child = fork();
  if (child == 0) _exit(work(w, job));
  return child;
}

// The row of a process that a fault ended is a failed one. 0: it was no fault, or at no row.
static int note_crash(worker *w, int job, int code) {
  long row = atomic_load(&w->common->row[job]);
  int number = WIFSIGNALED(code) ? WTERMSIG(code) : 0, columns = hn_sweep_column_count(w->s->sweep);
  int is_fault = number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL ||
                 number == SIGABRT;
  if (!is_fault || row < 0 || !open_part(w, 0)) return 0;
  hn_sweep_result result = {.status = HN_ERROR_FILE};
  result.values = hn_cli_allocate((size_t)columns + 1, sizeof *result.values);
  for (int k = 0; k < columns; k++) result.values[k] = NAN;
  hn_cli_fail(&result.error, HN_ERROR_FILE,
              "Run it alone with these values (--set) and report the crash.",
              "the process of this case crashed (signal %d)", number);
  int is_written = keep_line(w, row, &result);
  free(result.values);
  close(w->part);
  return is_written;
}

static int job_of(const pid_t *children, int jobs, pid_t child) {
  int job = 1;
  while (job <= jobs && children[job] != child) job++;
  return job;
}

// Waits for all; how many ended in another way than by having done their work.
static int wait_for_all(worker *w, pid_t *children, int jobs) {
  int lost = 0;
  for (int left = jobs; left > 0;) {
    int code = 0;
    pid_t ended = waitpid(-1, &code, WNOHANG);
    if (ended < 0 && errno == ECHILD) break;
    if (ended <= 0) {
      show(w);
      usleep(20000);
      continue;
    }
    int job = job_of(children, jobs, ended);
    if (job <= jobs && code != 0 && note_crash(w, job, code)) {
      children[job] = begin(w, job);
      if (children[job] > 0) continue;
    }
    left--;
    lost += code != 0;
  }
  return lost;
}

static hn_status run_all(worker *w) {
  int jobs = w->s->jobs < MOST_JOBS ? w->s->jobs : MOST_JOBS;
  if (jobs > w->count) jobs = (int)w->count;
  pid_t *children = hn_cli_allocate((size_t)jobs + 1, sizeof *children);
  w->parent = getpid();
  int begun = 0;
  for (int job = 1; job <= jobs; job++) {
    children[job] = begin(w, job);
    begun += children[job] > 0;
  }
  int lost = wait_for_all(w, children, begun) + jobs - begun;
  show(w);
  if (!w->s->is_quiet && isatty(STDERR_FILENO)) fputc('\n', stderr);
  free(children);
  if (lost == 0) return HN_OK;
  return hn_cli_fail(&w->s->error, HN_ERROR_FILE,
                     "Check free disk space and memory, then repeat this call: it continues.",
                     "%d of %d processes of the sweep ended early", lost, jobs);
}

hn_status hn_cli_sweep_work(hn_cli_sweep *s, const hn_cli_sweep_lines *lines) {
  long all = hn_sweep_rows(s->sweep), count = 0;
  long *rows = hn_cli_allocate((size_t)all, sizeof *rows);
  for (long row = s->shard; row < all; row += s->shards)
    if (lines->lines[row] == NULL) rows[count++] = row;
  void *memory =
      mmap(NULL, sizeof(shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  hn_status status = HN_OK;
  if (memory == MAP_FAILED) {
    status = hn_cli_fail(&s->error, HN_ERROR_MEMORY, NULL,
                         "out of memory for a sweep. Use fewer processes (-j)");
  } else if (count > 0) {
    worker w = {s, rows, count, memory, 0, -1};
    status = run_all(&w);
  }
  if (memory != MAP_FAILED) munmap(memory, sizeof(shared));
  free(rows);
  return status;
}
