// The command with a fault (shim.c), started without a shell: on the way to it the shell and its tools
// would take longer than most calls.
#ifndef HN_TESTS_FAULTS_FAULTY_H
#define HN_TESTS_FAULTS_FAULTY_H

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/check.h"
#include "support/command.h"

static inline int faulty_remove(const char *path, const struct stat *file, int type,
                                struct FTW *where) {
  (void)file;
  (void)type;
  (void)where;
  return remove(path);
}

static inline void faulty_copy_file(const char *from, const char *to) {
  char block[1 << 16];
  FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
  assert_true(in && out);
  for (size_t size; (size = fread(block, 1, sizeof block, in)) > 0;)
    assert_int_equal(fwrite(block, 1, size, out), size);
  fclose(in);
  assert_int_equal(fclose(out), 0);
}

// folder/new: empty, or with the files of folder/half.
static inline void faulty_begin(const char *folder, int with_half) {
  char path[1024], half[1024], from[2048], to[2048];
  snprintf(path, sizeof path, "%s/new", folder);
  snprintf(half, sizeof half, "%s/half", folder);
  nftw(path, faulty_remove, 8, FTW_PHYS | FTW_DEPTH);
  assert_int_equal(mkdir(path, 0755), 0);
  DIR *files = with_half ? opendir(half) : NULL;
  for (struct dirent *one; files && (one = readdir(files));) {
    if (one->d_name[0] == '.') continue;
    snprintf(from, sizeof from, "%s/%s", half, one->d_name);
    snprintf(to, sizeof to, "%s/%s", path, one->d_name);
    faulty_copy_file(from, to);
  }
  if (files) closedir(files);
}

// The words of a call, cut at blanks; in `text`.
static inline void faulty_words(char *text, char **words, int most) {
  int count = 0;
  words[count++] = (char *)HOLON_COMMAND;
  for (char *word = strtok(text, " "); word && count < most - 1; word = strtok(NULL, " "))
    words[count++] = word;
  words[count] = NULL;
}

// In the child: 30 s of the processor, ten minutes in all.
static inline void faulty_become(const char *folder, const char *kind, long k, char **words) {
  const struct rlimit seconds = {30, 30};
  char number[32];
  snprintf(number, sizeof number, "%ld", k);
  if (chdir(folder) != 0 || setrlimit(RLIMIT_CPU, &seconds) != 0) _exit(99);
  dup2(open("said.out", O_WRONLY | O_CREAT | O_TRUNC, 0644), STDOUT_FILENO);
  dup2(open("said.err", O_WRONLY | O_CREAT | O_TRUNC, 0644), STDERR_FILENO);
  setenv("LD_PRELOAD", HOLON_FAULT_SHIM, 1);
  setenv("FAULT", kind, 1);
  setenv("FAULT_AT", number, 1);
  setenv("FAULT_COUNT", "count", 1);
  setenv("FAULT_FOLDER", "new", 1);
  alarm(600);
  execv(words[0], words);
  _exit(99);
}

static inline char *faulty_read(const char *folder, const char *name) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  char *text = hn_read_text(path);
  return text ? text : calloc(1, 1);
}

// The k-th fault of this kind in a call of the command, in folder/new. What it counted is in
// folder/count.
static inline hn_command run_faulty(const char *folder, const char *kind, long k,
                                    const char *call) {
  char text[2048], path[1024], *words[64];
  int state = 0;
  snprintf(text, sizeof text, "%s", call);
  snprintf(path, sizeof path, "%s/count", folder);
  faulty_words(text, words, 64);
  faulty_begin(folder, strstr(call, "--resume") != NULL);
  remove(path);
  fflush(NULL);
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) faulty_become(folder, kind, k, words);
  assert_int_equal(waitpid(child, &state, 0), child);
  return (hn_command){.code = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state),
                      .out = faulty_read(folder, "said.out"),
                      .err = faulty_read(folder, "said.err")};
}

#endif
