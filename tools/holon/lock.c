// The lock of a folder: a file with the number and the start of the process that writes there, locked by
// flock, which the system gives back however the process ends. POSIX, and flock.
#define _DEFAULT_SOURCE
#include "keep.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static int held = -1;
static char *held_path;

// A file that was removed while we waited for it is nobody's lock.
static int is_still_there(int handle, const char *path) {
  struct stat ours, there;
  return fstat(handle, &ours) == 0 && stat(path, &there) == 0 && ours.st_ino == there.st_ino &&
         ours.st_dev == there.st_dev;
}

static hn_status refuse(int handle, const char *folder, hn_error *error) {
  char text[160] = "";
  ssize_t size = pread(handle, text, sizeof text - 1, 0);
  text[size > 0 ? size : 0] = '\0';
  text[strcspn(text, "\n")] = '\0';
  close(handle);
  return hn_cli_fail(
      error, HN_ERROR_LIMIT, "Wait for it, stop it, or write into another folder with -o.",
      "another run writes into '%s' (%s)", folder, text[0] != '\0' ? text : "it has just begun");
}

static void sign(int handle) {
  char text[160], when[40] = "";
  time_t now = time(NULL);
  struct tm parts;
  if (localtime_r(&now, &parts) != NULL) strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S", &parts);
  int size = snprintf(text, sizeof text, "process %ld since %s\n", (long)getpid(), when);
  // who it is helps people; the lock itself does not depend on it
  if (ftruncate(handle, 0) != 0 || pwrite(handle, text, (size_t)size, 0) != size) return;
}

// A child process does not hold the lock: it may outlive this one.
static void let_go_in_child(void) {
  if (held >= 0) close(held);
  held = -1;
}

hn_status hn_cli_lock(const char *folder, hn_error *error) {
  static int is_watching;
  if (!is_watching) is_watching = pthread_atfork(NULL, NULL, let_go_in_child) == 0;
  char *path = hn_cli_join(folder, "run.lock");
  for (;;) {
    int handle = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (handle < 0) {
      int code = errno;
      free(path);
      return hn_cli_fail(error, HN_ERROR_FILE, NULL, "cannot write into '%s': %s", folder,
                         strerror(code));
    }
    int is_ours = flock(handle, LOCK_EX | LOCK_NB) == 0;
    if (!is_ours && errno == EWOULDBLOCK) {
      free(path);
      return refuse(handle, folder, error);
    }
    if (!is_ours || is_still_there(handle, path)) { // file systems without locks have none
      if (is_ours) sign(handle);
      held = handle;
      held_path = path;
      return HN_OK;
    }
    close(handle);
  }
}

void hn_cli_unlock(void) {
  if (held < 0) return;
  remove(held_path); // while it is ours: who opened it before sees that it is gone
  close(held);
  free(held_path);
  held = -1;
  held_path = NULL;
}
