// The manual page and the completion for bash, as far as they follow from the tables of commands: what
// `holon help --manual` and `holon help --completion` print, and scripts/make-reference puts into
// holon.1 and holon-completion.bash.
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- manual -------------------------------------------------------------------------------------

// A dash is a minus, a backslash one, and no line starts with a control character of roff.
static void print_roff(const char *text) {
  if (text[0] == '.' || text[0] == '\'') fputs("\\&", stdout);
  for (const char *c = text; *c != '\0'; c++) {
    if (*c == '-')
      fputs("\\-", stdout);
    else if (*c == '\\')
      fputs("\\e", stdout);
    else
      fputc(*c, stdout);
  }
}

static void print_manual_option(const hn_cli_option *option) {
  char *help = hn_cli_option_help(option);
  const char *word;
  fputs(".TP\n.B ", stdout);
  if (option->letter != 0) printf("\\-%c, ", option->letter);
  fputs("\\-\\-", stdout);
  print_roff(option->name);
  if (option->argument != NULL) printf(" \\fI%s\\fR", option->argument);
  fputc('\n', stdout);
  print_roff(help);
  for (int i = 0; (word = hn_cli_option_word(option, i)) != NULL; i++) {
    fputs(i > 0 ? ", " : " ", stdout);
    print_roff(word);
  }
  fputc('\n', stdout);
  free(help);
}

static void print_manual(const hn_cli_command *command, const hn_cli_option *options) {
  fputs(".SS holon ", stdout);
  print_roff(command->name);
  fputc(' ', stdout);
  print_roff(command->arguments);
  fputc('\n', stdout);
  for (int i = 0; options[i].name != NULL; i++) print_manual_option(&options[i]);
}

// ---- completion ---------------------------------------------------------------------------------

static void print_completion(const hn_cli_command *command, const hn_cli_option *options) {
  printf("  %s)\n    options='", command->name);
  for (int i = 0; options[i].name != NULL; i++) printf("--%s ", options[i].name);
  fputs("--help'\n    case $previous in\n", stdout);
  for (int i = 0; options[i].name != NULL; i++) {
    const hn_cli_option *o = &options[i];
    const char *word = hn_cli_option_word(o, 0);
    if (o->argument == NULL) continue;
    printf("    --%s) ", o->name);
    if (word != NULL) {
      fputs("values='", stdout);
      for (int k = 0; (word = hn_cli_option_word(o, k)) != NULL; k++)
        printf("%s%s", k > 0 ? " " : "", word);
      fputs("' ;;\n", stdout);
    } else {
      const int is_path = strstr(o->argument, "FILE") != NULL || strstr(o->argument, "DIR") != NULL;
      printf("takes=%s ;;\n", is_path ? "path" : "text");
    }
  }
  fputs("    esac\n    ;;\n", stdout);
}

void hn_cli_describe(hn_cli_form form, const hn_cli_command *command,
                     const hn_cli_option *options) {
  if (form == HN_CLI_MANUAL)
    print_manual(command, options);
  else
    print_completion(command, options);
}
