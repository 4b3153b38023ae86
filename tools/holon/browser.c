// Other programs: the user's browser, and Chromium without a window for pictures.
#include "pages.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static pid_t start(char *const *words, int quiet) {
  pid_t child;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  for (int k = STDOUT_FILENO; quiet && k <= STDERR_FILENO; k++) {
    posix_spawn_file_actions_addopen(&actions, k, "/dev/null", O_WRONLY, 0);
  }
  int failed = posix_spawnp(&child, words[0], &actions, NULL, words, environ);
  posix_spawn_file_actions_destroy(&actions);
  return failed ? -1 : child;
}

int hn_cli_run_program(char *const *words, int quiet) {
  int state = 0;
  pid_t child = start(words, quiet);
  if (child < 0) return -1;
  while (waitpid(child, &state, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  return WIFEXITED(state) ? WEXITSTATUS(state) : -1;
}

static int has_display(void) {
#ifdef __APPLE__
  return 1;
#else
  const char *x = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");
  return (x != NULL && x[0] != '\0') || (wayland != NULL && wayland[0] != '\0');
#endif
}

int hn_cli_open_browser(const char *address) {
#ifdef __APPLE__
  char name[] = "open";
#else
  char name[] = "xdg-open";
#endif
  if (!has_display()) return 0;
  char *target = hn_cli_copy(address);
  char *words[] = {name, target, NULL};
  pid_t child = start(words, 1); // not waited for: it may stay as long as the browser
  free(target);
  return child >= 0;
}

// ---- pictures -----------------------------------------------------------------------------------

// The first of these that is on the PATH; HOLON_CHROMIUM names another.
static char *find_chromium(void) {
  static const char *const names[] = {"chromium",      "chromium-browser", "google-chrome-stable",
                                      "google-chrome", "chrome",           NULL};
  const char *named = getenv("HOLON_CHROMIUM"), *path = getenv("PATH");
  if (named != NULL && named[0] != '\0') {
    return access(named, X_OK) == 0 ? hn_cli_copy(named) : NULL;
  }
  for (int k = 0; names[k] != NULL && path != NULL; k++) {
    for (const char *at = path; *at != '\0';) {
      size_t length = strcspn(at, ":");
      hn_cli_text full = {0};
      hn_cli_add(&full, "%.*s/%s", (int)length, at, names[k]);
      if (access(full.data, X_OK) == 0) return full.data;
      hn_string_free(&full);
      at += length + (at[length] == ':');
    }
  }
  return NULL;
}

static int file_size(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && info.st_size > 0;
}

hn_status hn_cli_picture(const char *address, const char *png, int width, int height,
                         hn_error *error) {
  char *chromium = find_chromium();
  if (chromium == NULL) {
    return hn_cli_fail(error, HN_ERROR_UNSUPPORTED,
                       "Install it (Debian: chromium), or name it in HOLON_CHROMIUM.",
                       "'%s' needs Chromium, which is not on the PATH", png);
  }
  char profile[] = "/tmp/holon-picture-XXXXXX";
  if (mkdtemp(profile) == NULL) {
    free(chromium);
    return hn_cli_fail(error, HN_ERROR_FILE, NULL,
                       "cannot create a folder in /tmp: %s. Check its permissions and free space",
                       strerror(errno));
  }
  // Written next to its destination, so that an earlier picture stays if this fails. Chromium takes
  // the format from the ending.
  hn_cli_text data = {0}, size = {0}, shot = {0}, page = {0}, part = {0};
  hn_cli_add(&part, "%s.%ld.part.png", png, (long)getpid());
  remove(part.data);
  hn_cli_add(&data, "--user-data-dir=%s", profile);
  hn_cli_add(&size, "--window-size=%d,%d", width, height);
  hn_cli_add(&shot, "--screenshot=%s", part.data);
  hn_cli_add(&page, "%s", address);
  char *words[] = {chromium, (char[]){"--headless=new"}, (char[]){"--use-angle=swiftshader"},
                   (char[]){"--enable-unsafe-swiftshader"}, (char[]){"--ignore-gpu-blocklist"},
                   (char[]){"--disable-dev-shm-usage"}, (char[]){"--hide-scrollbars"},
                   (char[]){"--no-first-run"}, (char[]){"--force-device-scale-factor=1"},
                   (char[]){"--virtual-time-budget=8000"}, data.data, size.data, shot.data,
                   page.data,
                   // Chromium rejects to run as root within its sandbox; all others keep it
                   geteuid() == 0 ? (char[]){"--no-sandbox"} : NULL, NULL};
  int code = hn_cli_run_program(words, 1);
  char *clean[] = {(char[]){"rm"}, (char[]){"-rf"}, profile, NULL};
  hn_cli_run_program(clean, 1);
  hn_status status = HN_OK;
  if (code != 0 || !file_size(part.data) || rename(part.data, png) != 0) {
    remove(part.data);
    status = hn_cli_fail(error, HN_ERROR_FILE, "Try `holon view DIR --html FILE` and a browser.",
                         "Chromium (%s) made no picture '%s' (exit code %d)", chromium, png, code);
  }
  free(chromium);
  hn_string_free(&data);
  hn_string_free(&size);
  hn_string_free(&shot);
  hn_string_free(&page);
  hn_string_free(&part);
  return status;
}
