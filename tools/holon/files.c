// Whole files in and out, and folders. POSIX.
#include "cli.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *hn_cli_join(const char *folder, const char *name) {
  hn_cli_text path = {0};
  size_t length = strlen(folder);
  int has_slash = length > 0 && folder[length - 1] == '/';
  hn_cli_add(&path, "%s%s%s", folder, has_slash ? "" : "/", name);
  return path.data;
}

static hn_status file_failure(hn_error *error, const char *doing, const char *path) {
  int code = errno;
  hn_cli_fail(error, HN_ERROR_FILE, NULL, "cannot %s '%s': %s", doing, path, strerror(code));
  if (code == ENOSPC || code == EFBIG || code == EDQUOT) {
    snprintf(error->hint, sizeof error->hint, "Free some space, or write elsewhere with -o.");
  }
  return error->status;
}

static int is_folder(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static hn_cli_text temporary_name(const char *path) {
  hn_cli_text name = {0};
  hn_cli_add(&name, "%s.%ld.part", path, (long)getpid());
  return name;
}

hn_status hn_cli_make_folders(const char *path, hn_error *error) {
  char *partial = hn_cli_copy(path);
  hn_status status = HN_OK;
  for (char *c = partial + 1; status == HN_OK; c++) {
    if (*c != '/' && *c != '\0') continue;
    char kept = *c;
    *c = '\0';
    if (mkdir(partial, 0777) != 0 && !is_folder(partial)) {
      status = file_failure(error, "make the folder", partial);
    }
    *c = kept;
    if (kept == '\0') break;
  }
  free(partial);
  return status;
}

hn_status hn_cli_check_writable(const char *folder, hn_error *error) {
  return access(folder, W_OK | X_OK) == 0 ? HN_OK : file_failure(error, "write into", folder);
}

// Tried the way it will be written, under the temporary name: nothing else knows all there is to know.
hn_status hn_cli_check_file(const char *path, hn_error *error) {
  errno = EISDIR;
  if (is_folder(path)) return file_failure(error, "write", path);
  hn_cli_text name = temporary_name(path);
  FILE *file = fopen(name.data, "wb");
  hn_status status = file != NULL ? HN_OK : file_failure(error, "write", path);
  if (file != NULL) {
    fclose(file);
    remove(name.data);
  }
  hn_string_free(&name);
  return status;
}

hn_status hn_cli_write_file(const char *path, const char *data, size_t size, hn_error *error) {
  hn_file file;
  hn_status status = hn_file_create(&file, path, error);
  if (status != HN_OK) return status;
  hn_file_write(&file, data, size);
  return hn_file_finish(&file, error);
}
