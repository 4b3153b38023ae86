// Folders by POSIX: see files.h. Elsewhere files are opened to find out, and folders must be there.
#define _POSIX_C_SOURCE 200809L
#include "platform/files.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/disk.h"
#include "base/error.h"
#include "base/text.h"

static hn_status refuse(hn_error *error, const char *doing, const char *path) {
  int code = errno;
  int is_full = code == ENOSPC || code == EFBIG;
#ifdef EDQUOT
  is_full |= code == EDQUOT;
#endif
  return hn_fail(error, HN_ERROR_FILE, NULL, NULL,
                 is_full ? "Free disk space, or write elsewhere with -o." : NULL,
                 "cannot %s '%s': %s", doing, path, strerror(code));
}

// Tried the way it will be written, under the temporary name: nothing else knows all there is to know.
hn_status hn_try_file(const char *path, hn_error *error) {
  errno = EISDIR;
  if (hn_is_folder(path)) return refuse(error, "write", path);
  hn_string name = {0};
  hn_string_add(&name, "%s.%ld.part", path, hn_disk_process());
  if (name.is_lost) {
    hn_string_free(&name);
    return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  }
  remove(name.data);
  errno = 0;
  FILE *file = fopen(name.data, "wbx");
  hn_status status = file ? HN_OK : refuse(error, "write", path);
  if (file) {
    fclose(file);
    remove(name.data);
  }
  hn_string_free(&name);
  return status;
}

#if defined(__unix__) || defined(__APPLE__)

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

int hn_is_there(const char *path) {
  struct stat info;
  return lstat(path, &info) == 0 || (errno != ENOENT && errno != ENOTDIR);
}

int hn_is_folder(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

hn_status hn_make_folders(const char *path, hn_error *error) {
  size_t length = strlen(path);
  char *partial = hn_allocate(NULL, length + 1);
  hn_status status = HN_OK;
  if (!partial) return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  memcpy(partial, path, length + 1);
  for (size_t k = 1; k <= length && status == HN_OK; k++) {
    if (partial[k] != '/' && partial[k] != '\0') continue;
    const char kept = partial[k];
    partial[k] = '\0';
    const int reason = mkdir(partial, 0777) != 0 ? errno : 0;
    if (reason != 0 && !hn_is_folder(partial)) {
      errno = reason; // not that of looking
      status = refuse(error, "create the folder", partial);
    }
    partial[k] = kept;
  }
  hn_release(NULL, partial);
  return status;
}

hn_status hn_try_folder(const char *path, hn_error *error) {
  return access(path, W_OK | X_OK) == 0 ? HN_OK : refuse(error, "write into", path);
}

#ifdef __APPLE__
#define WRITTEN st_mtimespec
#else
#define WRITTEN st_mtim
#endif

int hn_is_newer(const char *path, const char *other) {
  struct stat a, b;
  if (stat(path, &a) != 0) return 0;
  if (!other || stat(other, &b) != 0) return 1;
  return a.WRITTEN.tv_sec > b.WRITTEN.tv_sec ||
         (a.WRITTEN.tv_sec == b.WRITTEN.tv_sec && a.WRITTEN.tv_nsec > b.WRITTEN.tv_nsec);
}

void hn_list_folder(const char *path, void (*each)(void *context, const char *name),
                    void *context) {
  DIR *folder = opendir(path);
  if (!folder) return;
  for (const struct dirent *entry = readdir(folder); entry; entry = readdir(folder))
    each(context, entry->d_name);
  closedir(folder);
}

#else

int hn_is_there(const char *path) {
  FILE *file = fopen(path, "rb");
  if (file) fclose(file);
  return file != NULL;
}

int hn_is_folder(const char *path) {
  (void)path;
  return 0;
}

hn_status hn_make_folders(const char *path, hn_error *error) {
  (void)path;
  (void)error;
  return HN_OK;
}

hn_status hn_try_folder(const char *path, hn_error *error) {
  (void)path;
  (void)error;
  return HN_OK;
}

int hn_is_newer(const char *path, const char *other) { return hn_is_there(path) && !other; }

void hn_list_folder(const char *path, void (*each)(void *context, const char *name),
                    void *context) {
  (void)path;
  (void)each;
  (void)context;
}

#endif
