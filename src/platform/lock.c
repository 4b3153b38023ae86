// A file with the number and the start of the process that writes there, locked by flock.
#define _DEFAULT_SOURCE
#include "platform/lock.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "base/child.h"
#include "base/error.h"
#include "base/file.h"

struct hn_lock {
  char *path;
  int handle;
};

#if defined(__unix__) || defined(__APPLE__)

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

// A file that was removed while we waited for it is no longer a lock.
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
  return hn_fail(error, HN_ERROR_LIMIT, NULL, NULL,
                 "Wait for it, stop it, or write into another folder with -o.",
                 "another run writes into '%s' (%s)", folder,
                 text[0] != '\0' ? text : "it has just started");
}

static void sign(int handle) {
  char text[160], when[40] = "";
  time_t now = time(NULL);
  struct tm parts;
  if (localtime_r(&now, &parts)) strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S", &parts);
  int size = snprintf(text, sizeof text, "process %ld since %s\n", (long)getpid(), when);
  // who it is helps people; the lock itself does not depend on it
  if (ftruncate(handle, 0) != 0 || pwrite(handle, text, (size_t)size, 0) != size) return;
}

// Among those that a child process does not inherit, if possible.
static int open_own(const char *path) {
  // not a link: what it leads to is no lock, and would be written over
  int handle = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  int own = handle >= 0 ? fcntl(handle, F_DUPFD_CLOEXEC, HN_OWN_FILES) : -1;
  if (own < 0) return handle;
  close(handle);
  return own;
}

static hn_status take(hn_lock *lock, const char *folder, hn_error *error) {
  for (;;) {
    int handle = lock->handle = open_own(lock->path);
    if (handle < 0)
      return hn_fail(error, HN_ERROR_FILE, NULL, NULL, "Write into another folder with -o.",
                     "cannot write into '%s': %s", folder,
                     errno == ELOOP ? "run.lock is a link" : strerror(errno));
    int is_ours = flock(handle, LOCK_EX | LOCK_NB) == 0;
    if (!is_ours && errno == EWOULDBLOCK) return refuse(handle, folder, error);
    // file systems without locks have none
    if (!is_ours || is_still_there(handle, lock->path)) {
      if (is_ours) sign(handle);
      return HN_OK;
    }
    close(handle);
  }
}

static void let_go(hn_lock *lock) {
  if (lock->handle >= 0) close(lock->handle);
}

int hn_lock_is_in_place(const hn_lock *lock) { return is_still_there(lock->handle, lock->path); }

#else

static hn_status take(hn_lock *lock, const char *folder, hn_error *error) {
  (void)lock;
  (void)folder;
  (void)error;
  return HN_OK;
}

static void let_go(hn_lock *lock) { (void)lock; }

int hn_lock_is_in_place(const hn_lock *lock) { return lock->path != NULL; }

#endif

hn_status hn_lock_take(const char *folder, hn_lock **lock, hn_error *error) {
  *lock = NULL;
  hn_lock taken = {hn_file_join(folder, "run.lock"), -1};
  hn_lock *kept = taken.path ? hn_allocate(NULL, sizeof *kept) : NULL;
  hn_status status = kept ? take(&taken, folder, error)
                          : hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  if (status == HN_OK) {
    *kept = taken;
    *lock = kept;
    return HN_OK;
  }
  let_go(&taken);
  hn_release(NULL, taken.path);
  hn_release(NULL, kept);
  return status;
}

void hn_lock_release(hn_lock *lock) {
  if (!lock) return;
  // while it is ours: who opened it before sees that it is gone
  if (hn_lock_is_in_place(lock)) remove(lock->path);
  let_go(lock);
  hn_release(NULL, lock->path);
  hn_release(NULL, lock);
}
