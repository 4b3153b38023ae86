// The call of a run, kept in its folder so that --resume needs nothing but the folder: run.call, a line
// each for its form, the folder it was made in, and its words; a backslash and a line end inside a word
// are written \\ and \n.
#include "session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
    return hn_cli_fail(error, HN_ERROR_FILE, NULL, "cannot read the current folder: %s",
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

int hn_cli_recall(const char *folder, hn_cli_list *words, char **absolute) {
  char *data = NULL, *path = hn_cli_join(folder, "run.call");
  size_t size = 0;
  hn_error error = {0};
  hn_status status = hn_file_read(path, &data, &size, &error);
  free(path);
  *absolute = realpath(folder, NULL);
  if (status != HN_OK || *absolute == NULL)
    return complain(folder, "has no run to continue: the run has finished, or this is not the "
                            "folder of a run (no run.call)");
  char *at = data, *form = next_line(&at), *here = form != NULL ? next_line(&at) : NULL;
  if (here == NULL || strcmp(form, FORM) != 0) {
    free(data);
    return complain(folder, "has a run.call that was not written by this version");
  }
  if (chdir(here) != 0) {
    int code = complain(here, "is where the run was called, and is not there any more");
    free(data);
    return code;
  }
  for (char *word = next_line(&at); word != NULL; word = next_line(&at))
    hn_cli_list_add(words, hn_cli_copy(word));
  free(data);
  return -1;
}
