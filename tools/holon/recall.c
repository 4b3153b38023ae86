// The call of a run, kept in its folder so that --resume needs nothing but the folder: run.call, a line
// each for its form, the folder it was made in, and its words; a backslash and a line end inside a word
// are written \\ and \n.
#include "session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "platform/files.h"

#define FORM "holon run call 1"

static void add_line(hn_cli_text *text, const char *word) {
  for (const char *c = word; *c != '\0'; c++) {
    if (*c == '\n' || *c == '\\')
      hn_cli_add(text, *c == '\n' ? "\\n" : "\\\\");
    else
      hn_cli_add_bytes(text, c, 1);
  }
  hn_cli_add(text, "\n");
}

hn_status hn_cli_call_note(const hn_cli_session *session, hn_cli_text *text, hn_error *error) {
  char here[4096];
  if (getcwd(here, sizeof here) == NULL)
    return hn_cli_fail(error, HN_ERROR_FILE, NULL,
                       "cannot read the current folder: %s. Change to an existing folder",
                       strerror(errno));
  add_line(text, FORM);
  add_line(text, here);
  for (int i = 0; i < session->words.count; i++) add_line(text, session->words.items[i]);
  return HN_OK;
}

// The next line, its escapes undone in place; null at the end.
static char *next_line(char **at) {
  char *line = *at, *out = line;
  if (*line == '\0') return NULL;
  char *c = line;
  for (; *c != '\0' && *c != '\n'; c++) {
    if (*c == '\\' && c[1] != '\0') {
      c++;
      *out++ = *c == 'n' ? '\n' : *c;
    } else {
      *out++ = *c;
    }
  }
  *at = *c == '\n' ? c + 1 : c;
  *out = '\0';
  return line;
}

static int complain(const char *folder, const char *what) {
  hn_error error = {0};
  hn_cli_fail(&error, HN_ERROR_FILE, "Give the folder of a run that was stopped or killed.",
              "'%s' %s", folder, what);
  hn_cli_print_error(&error);
  return HN_CLI_WRONG;
}

// ---- what a folder may not bring about by itself ------------------------------------------------

static int is_option(const char *word, const char *option) {
  const size_t length = strlen(option);
  return strncmp(word, option, length) == 0 && (word[length] == '\0' || word[length] == '=');
}

// Whether the word is this one or a beginning of it: nothing is left to how options are read.
static int may_be_option(const char *word, const char *option) {
  const size_t length = strcspn(word, "=");
  return length > 2 && strncmp(word, option, length) == 0;
}

// Options that start a program or load code: null, or the one that the word may be.
static const char *runs_code(const char *word) {
  static const char *const options[] = {"--served", "--allow-compiled"};
  for (size_t k = 0; k < sizeof options / sizeof options[0]; k++)
    if (may_be_option(word, options[k])) return options[k];
  return NULL;
}

static int is_said(const hn_cli_list *call, const char *option) {
  for (int i = 0; i < call->count; i++)
    if (is_option(call->items[i], option)) return 1;
  return 0;
}

// A state may replace a state, and nothing else.
static int would_destroy(const char *path) {
  char begin[7] = {0};
  hn_error error;
  if (hn_file_check_plain(path, &error) != HN_OK) return 1;
  FILE *file = fopen(path, "rb");
  if (file == NULL) return 0;
  const size_t size = fread(begin, 1, sizeof begin, file);
  fclose(file);
  return size > 0 && (size < sizeof begin || memcmp(begin, "HNSTATE", sizeof begin) != 0);
}

static int refuse(const char *hint, const char *folder, const char *what, const char *which) {
  hn_error error = {0};
  hn_cli_fail(&error, HN_ERROR_ARGUMENT, hint, "the run in '%s' %s %s", folder, what, which);
  hn_cli_print_error(&error);
  return HN_CLI_WRONG;
}

// Programs and code are those that the call of --resume names: -1, or the exit code after a message.
static int refuse_code(const char *folder, const char *word, const char *value) {
  char hint[600];
  snprintf(hint, sizeof hint, "If you trust it, repeat the option: --resume %.200s %.300s %s",
           folder, word, value != NULL ? "..." : "");
  return refuse(hint, folder, "runs other code:", value != NULL ? value : word);
}

enum { WORDS_MOST = 10000 };

// Words of the folder after its first two lines. The folder may be untrusted: no program is
// started, no code loaded, and no file but a state is written over. Every word is checked, whatever
// precedes it: an apparent value may be taken for an option. Returns -1, or the exit code after a
// message.
static int take_words(const char *folder, const hn_cli_list *call, char *at, hn_cli_list *words) {
  const int state_is_said = is_said(call, "--save-state");
  int is_state = 0; // the word before may be --save-state
  for (char *word = next_line(&at); word != NULL; word = next_line(&at)) {
    const char *code = runs_code(word);
    if (code != NULL) {
      const int takes_value = strcmp(code, "--served") == 0 && strchr(word, '=') == NULL;
      const char *value = takes_value ? next_line(&at) : NULL;
      if (!is_said(call, code)) return refuse_code(folder, word, value);
      continue; // the call says which
    }
    if (words->count >= WORDS_MOST)
      return complain(folder, "cannot be resumed: its run.call has more than 10000 words");
    hn_cli_list_add(words, hn_cli_copy(word));
    const char *equals = strchr(word, '=');
    const char *path = is_state ? word : NULL;
    is_state = may_be_option(word, "--save-state");
    if (is_state && equals != NULL) path = equals + 1;
    if (path != NULL && !state_is_said && would_destroy(path))
      return refuse("Give another --save-state file.", folder,
                    "would overwrite a file that is not a saved state:", path);
  }
  return -1;
}

int hn_cli_recall(const char *folder, const hn_cli_list *call, hn_cli_list *words,
                  char **absolute) {
  char *data = NULL, *path = hn_cli_join(folder, "run.call");
  size_t size = 0;
  hn_error error = {0};
  hn_status status = hn_file_read_text(path, &data, &size, &error);
  const int is_there = path != NULL && hn_is_there(path);
  free(path);
  *absolute = realpath(folder, NULL);
  if (status != HN_OK && is_there) {
    hn_cli_print_error(&error);
    return HN_CLI_WRONG;
  }
  if (status != HN_OK || *absolute == NULL)
    return complain(folder, "has no run to continue: the run has finished, or this is not the "
                            "folder of a run (no run.call)");
  char *at = data, *form = next_line(&at), *here = form != NULL ? next_line(&at) : NULL;
  if (here == NULL || strcmp(form, FORM) != 0) {
    free(data);
    return complain(folder, "has a run.call that was not written by this version");
  }
  if (chdir(here) != 0) {
    int code = complain(here, "was the working folder of the run and no longer exists");
    free(data);
    return code;
  }
  const int code = take_words(folder, call, at, words);
  for (int i = 0; i < call->count && code < 0; i++)
    hn_cli_list_add(words, hn_cli_copy(call->items[i]));
  free(data);
  return code;
}
