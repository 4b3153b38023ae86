// holon: the command line. Finds the command and hands the rest of the words to it.
#include "cli.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

static const hn_cli_command *const commands[] = {
    &hn_cli_run_command,        &hn_cli_check_command,     &hn_cli_statics_command,
    &hn_cli_kinematics_command, &hn_cli_plot_command,      &hn_cli_view_command,
    &hn_cli_live_command,       &hn_cli_export_command,    &hn_cli_list_command,
    &hn_cli_schema_command,     &hn_cli_component_command, &hn_cli_verify_command,
    &hn_cli_compare_command,    &hn_cli_sweep_command,     &hn_cli_import_command,
    &hn_cli_tyre_command,       &hn_cli_linearize_command, &hn_cli_inverse_command,
    &hn_cli_fmu_command,
};
enum { command_count = (int)(sizeof commands / sizeof commands[0]) };

static void print_help(void) {
  fputs(
      "usage: holon COMMAND ...\n\n"
      "Multibody dynamics: bodies, joints, closed loops, springs, contacts, tyres.\n\ncommands:\n",
      stdout);
  for (int i = 0; i < command_count; i++) {
    char left[40];
    snprintf(left, sizeof left, "%s %s", commands[i]->name, commands[i]->arguments);
    printf("  %-26s %s\n", left, commands[i]->summary);
  }
  fputs(
      "\n`holon COMMAND --help` explains a command. `holon --version` prints the version.\n"
      "Exit codes: 0 done, 1 the run or the check failed, 2 the call or the model file is wrong.\n"
      "\nexample:\n"
      "  holon check four-bar.yaml\n"
      "  holon run four-bar.yaml --time 10 --tol 1e-6\n",
      stdout);
}

// Every command's part of the manual page or of the completion (describe.c).
static void describe_all(hn_cli_form form) {
  char help[] = "--help", name[32];
  hn_cli_set_form(form);
  for (int i = 0; i < command_count; i++) {
    snprintf(name, sizeof name, "%s", commands[i]->name);
    char *words[] = {name, help, NULL};
    commands[i]->run(commands[i], 2, words);
  }
}

static int unknown_command(const char *word) {
  const char *names[command_count + 1];
  for (int i = 0; i < command_count; i++) names[i] = commands[i]->name;
  names[command_count] = NULL;
  const char *nearest = hn_cli_nearest(word, names);
  hn_cli_text all = {0};
  for (int i = 0; i < command_count; i++) hn_cli_add(&all, "%s%s", i > 0 ? ", " : "", names[i]);
  hn_cli_wrong_call(NULL, "unknown command '%s'%s%s%s\n  There are: %s.", word,
                    nearest != NULL ? "; did you mean '" : "", nearest != NULL ? nearest : "",
                    nearest != NULL ? "'?" : "", all.data);
  hn_string_free(&all);
  return HN_CLI_WRONG;
}

static const hn_cli_command *find_command(const char *word) {
  for (int i = 0; i < command_count; i++) {
    if (strcmp(word, commands[i]->name) == 0) return commands[i];
  }
  return NULL;
}

// Checks that all output was written: a full disk behind a redirection is a failure too.
static int finish(int code) {
  if (fflush(stdout) != 0 || ferror(stdout)) {
    fputs("holon: cannot write to the standard output\n", stderr);
    return code == HN_CLI_DONE ? HN_CLI_FAILED : code;
  }
  return code;
}

int main(int argc, char **argv) {
  // a file too large is an error of the write, not the end of the program
  signal(SIGXFSZ, SIG_IGN);
  if (argc < 2) {
    print_help();
    return HN_CLI_WRONG;
  }
  hn_cli_expect_json(argc, argv);
  const char *word = argv[1];
  int wants_help = strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
  if (strcmp(word, "help") == 0) {
    const char *about = argc > 2 ? argv[2] : "";
    if (strcmp(about, "--manual") == 0 || strcmp(about, "--completion") == 0) {
      describe_all(about[2] == 'm' ? HN_CLI_MANUAL : HN_CLI_COMPLETION);
      return finish(HN_CLI_DONE);
    }
    if (argc > 2) {
      const hn_cli_command *command = find_command(argv[2]);
      if (command == NULL) return unknown_command(argv[2]);
      char help[] = "--help";
      char *words[] = {argv[2], help, NULL};
      return finish(command->run(command, 2, words));
    }
    wants_help = 1;
  }
  if (wants_help) {
    print_help();
    return finish(HN_CLI_DONE);
  }
  if (strcmp(word, "--version") == 0) {
    printf("holon %s\n", hn_version());
    return finish(HN_CLI_DONE);
  }
  if (word[0] == '-')
    return hn_cli_wrong_call(NULL, "'%s' is not a command. Name the command first", word);
  const hn_cli_command *command = find_command(word);
  if (command == NULL) return unknown_command(word);
  return finish(command->run(command, argc - 1, argv + 1));
}
