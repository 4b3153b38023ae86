// Options of a command: one table drives reading, checking and the help.
#include "cli.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_options = 80, first_code = 1000 };

static int option_count(const hn_cli_option *options) {
  int count = 0;
  while (options[count].name != NULL) count++;
  return count;
}

// ---- options of a run ---------------------------------------------------------------------------

// The row of the library an option represents; null: none.
static const hn_option *row_of(const hn_cli_option *option) {
  char name[32];
  if (option->kind != HN_CLI_ROW) return NULL;
  snprintf(name, sizeof name, "%s", option->name);
  for (char *c = name; *c != '\0'; c++) {
    if (*c == '-') *c = '_';
  }
  return hn_option_find(name);
}

hn_cli_option hn_cli_row(hn_simulation_options *options, const char *name, const char *help) {
  const hn_option *row = hn_option_find(name);
  if (row == NULL) return (hn_cli_option){.name = name, .help = "", .kind = HN_CLI_FLAG};
  return (hn_cli_option){.name = row->name,
                         .kind = HN_CLI_ROW,
                         .target = options,
                         .argument = row->argument[0] != '\0' ? row->argument : NULL,
                         .help = help != NULL ? help : row->help};
}

hn_cli_option hn_cli_rows(hn_simulation_options *options) {
  return (hn_cli_option){.name = "", .kind = HN_CLI_ROWS, .target = options};
}

// The table with the rows of the library in their place, and their names as on a command line.
typedef struct whole_table {
  hn_cli_option options[most_options + 1];
  char names[most_options][32];
  int count;
} whole_table;

static void add_row(whole_table *table, const hn_cli_option *option) {
  if (table->count == most_options) return;
  char *name = table->names[table->count];
  snprintf(name, sizeof table->names[0], "%s", option->name);
  for (char *c = name; option->kind == HN_CLI_ROW && *c != '\0'; c++) {
    if (*c == '_') *c = '-';
  }
  table->options[table->count] = *option;
  table->options[table->count++].name = name;
}

static void make_whole(const hn_cli_option *options, whole_table *table) {
  *table = (whole_table){0};
  for (int i = 0; options[i].name != NULL; i++) {
    if (options[i].kind != HN_CLI_ROWS) {
      add_row(table, &options[i]);
      continue;
    }
    const hn_option *row;
    for (int k = 0; (row = hn_option_at(k)) != NULL; k++) {
      if (!(row->places & HN_OPTION_AT_COMMAND)) continue;
      hn_cli_option option = hn_cli_row(options[i].target, row->name, NULL);
      add_row(table, &option);
    }
  }
}

const char *hn_cli_option_word(const hn_cli_option *option, int index) {
  const hn_option *row = row_of(option);
  if (row != NULL) return hn_option_word(row, index);
  return option->choices != NULL ? option->choices(index) : NULL;
}

char *hn_cli_option_help(const hn_cli_option *option) {
  hn_cli_text text = {0};
  const hn_option *row = row_of(option);
  hn_cli_add(&text, "%s", option->help);
  if (row != NULL && row->unit[0] != '\0') hn_cli_add(&text, ", %s", row->unit);
  if (row != NULL && row->kind != HN_OPTION_WORD) hn_cli_add(&text, " (%s)", row->usual);
  if (row != NULL && row->kind == HN_OPTION_WORD) hn_cli_add(&text, ":");
  return text.data;
}

// ---- help ---------------------------------------------------------------------------------------

static hn_cli_form form;

void hn_cli_set_form(hn_cli_form wanted) { form = wanted; }

static void print_choices(const hn_cli_option *option) {
  if (hn_cli_option_word(option, 0) == NULL) return;
  fputs("\n                             ", stdout);
  const char *word;
  for (int i = 0; (word = hn_cli_option_word(option, i)) != NULL; i++)
    printf("%s%s", i > 0 ? ", " : "", word);
}

static void print_option(const hn_cli_option *option) {
  char left[64], letter[8] = "    ";
  char *help = hn_cli_option_help(option);
  if (option->letter != 0) snprintf(letter, sizeof letter, "-%c, ", option->letter);
  snprintf(left, sizeof left, "%s--%s%s%s", letter, option->name,
           option->argument != NULL ? " " : "", option->argument != NULL ? option->argument : "");
  printf("  %-26s %s", left, help);
  print_choices(option);
  fputc('\n', stdout);
  free(help);
}

// Options of methods and formulas, and others that most users never need.
static int is_expert(const hn_cli_option *option) {
  static const char *const basic[] = {"tol", "step", "max-step", "threads"};
  static const char *const rare[] = {"pace",    "at-bound", "no-units",       "no-scene",
                                     "package", "keyframe", "checkpoint",     "no-checkpoint",
                                     "served",  "patience", "allow-compiled", "max-entries"};
  for (size_t k = 0; k < sizeof basic / sizeof *basic; k++)
    if (strcmp(option->name, basic[k]) == 0) return 0;
  for (size_t k = 0; k < sizeof rare / sizeof *rare; k++)
    if (strcmp(option->name, rare[k]) == 0) return 1;
  return row_of(option) != NULL;
}

static void print_help(const hn_cli_command *command, const hn_cli_option *options) {
  if (form != HN_CLI_WORDS) {
    hn_cli_describe(form, command, options);
    return;
  }
  printf("usage: holon %s %s\n\n%s\n", command->name, command->arguments, command->summary);
  if (command->details[0] != '\0') printf("\n%s", command->details);
  fputs("\noptions:\n", stdout);
  for (int i = 0; options[i].name != NULL; i++)
    if (!is_expert(&options[i])) print_option(&options[i]);
  printf("  %-26s %s\n", "    --help", "print this help");
  int experts = 0;
  for (int i = 0; options[i].name != NULL; i++) {
    if (!is_expert(&options[i])) continue;
    if (experts++ == 0)
      fputs("\nexpert options (rarely needed; chosen automatically if omitted):\n", stdout);
    print_option(&options[i]);
  }
  printf("\nexample:\n%s", command->example);
}

// ---- values -------------------------------------------------------------------------------------

static int wrong_choice(const hn_cli_command *command, const hn_cli_option *option,
                        const char *value) {
  const char *words[64];
  int count = 0;
  hn_cli_text all = {0};
  while (count < 63 && hn_cli_option_word(option, count) != NULL) {
    words[count] = hn_cli_option_word(option, count);
    hn_cli_add(&all, "%s%s", count > 0 ? ", " : "", words[count]);
    count++;
  }
  words[count] = NULL;
  const char *nearest = hn_cli_nearest(value, words);
  hn_cli_text hint = {0};
  if (nearest != NULL) hn_cli_add(&hint, "; did you mean '%s'?", nearest);
  hn_cli_wrong_call(command->name, "--%s '%s' is not available%s\n  Use one of: %s.", option->name,
                    value, hint.data != NULL ? hint.data : "", all.data);
  hn_string_free(&hint);
  hn_string_free(&all);
  return HN_CLI_WRONG;
}

static int is_choice(const hn_cli_option *option, const char *value) {
  const char *word;
  for (int i = 0; (word = hn_cli_option_word(option, i)) != NULL; i++) {
    if (strcmp(word, value) == 0) return 1;
  }
  return 0;
}

void hn_cli_list_add(hn_cli_list *list, const char *item) {
  const char **items = hn_cli_allocate((size_t)list->count + 1, sizeof *items);
  for (int i = 0; i < list->count; i++) items[i] = list->items[i];
  items[list->count++] = item;
  free(list->items);
  list->items = items;
}

void hn_cli_list_free(hn_cli_list *list) {
  free(list->items);
  *list = (hn_cli_list){0};
}

// Seconds of "2", "2 s", "20ms", "500 us" or "3 min"; 0 for anything else.
static double read_seconds(const char *value) {
  static const struct {
    const char *name;
    double size;
  } units[] = {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"min", 60}};
  char *end = NULL;
  double number = strtod(value, &end);
  if (end == value || !isfinite(number) || number <= 0) return 0;
  end += strspn(end, " ");
  for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
    if (strcmp(end, units[i].name) == 0) return number * units[i].size;
  }
  return 0;
}

// Stores one value. Returns -1, or the exit code after a message.
static int take(const hn_cli_command *command, const hn_cli_option *option, const char *value);

// Kind of a row of the library on a command line.
static hn_cli_kind kind_of(const hn_option *row) {
  switch (row->kind) {
  case HN_OPTION_WORD: return HN_CLI_STRING;
  case HN_OPTION_SIZE: return strcmp(row->unit, "s") == 0 ? HN_CLI_TIME : HN_CLI_POSITIVE;
  case HN_OPTION_NUMBER: return HN_CLI_NUMBER;
  case HN_OPTION_COUNT: return HN_CLI_COUNT;
  case HN_OPTION_LONG: return HN_CLI_LONG;
  case HN_OPTION_FLAG: break;
  }
  return HN_CLI_FLAG;
}

static int take_row(const hn_cli_command *command, const hn_cli_option *option, const char *value) {
  hn_simulation_options *options = option->target;
  const hn_option *row = row_of(option);
  if (options->size == 0) {
    const hn_simulation_options before = *options;
    *options = hn_default_simulation_options();
    options->coordinates = before.coordinates; // null: not given
  }
  void *member = (char *)options + row->offset;
  const char *number = NULL;
  hn_cli_option plain = *option;
  if (hn_option_word(row, 0) != NULL && !is_choice(option, value))
    return wrong_choice(command, option, value);
  plain.kind = kind_of(row);
  plain.target = member;
  if (plain.kind == HN_CLI_NUMBER) plain.target = &number;
  const int code = take(command, &plain, value);
  if (code >= 0) return code;
  if (number != NULL) *(double *)member = strtod(number, NULL);
  return -1;
}

static int take(const hn_cli_command *command, const hn_cli_option *option, const char *value) {
  char *end = NULL;
  switch (option->kind) {
  case HN_CLI_FLAG: *(int *)option->target = 1; break;
  case HN_CLI_POSITIVE: {
    double number = strtod(value, &end);
    if (end == value || *end != '\0' || !isfinite(number) || number <= 0) {
      return hn_cli_wrong_call(command->name, "--%s needs a number above 0, not '%s'", option->name,
                               value);
    }
    *(double *)option->target = number;
    break;
  }
  case HN_CLI_NUMBER: {
    double number = strtod(value, &end);
    if (end == value || *end != '\0' || !isfinite(number)) {
      return hn_cli_wrong_call(command->name, "--%s needs a number, not '%s'", option->name, value);
    }
    *(const char **)option->target = value;
    break;
  }
  case HN_CLI_TIME: {
    double number = read_seconds(value);
    if (!(number > 0)) {
      return hn_cli_wrong_call(command->name,
                               "--%s needs a time above 0 (in s, or with s, ms, us, min), not '%s'",
                               option->name, value);
    }
    *(double *)option->target = number;
    break;
  }
  case HN_CLI_COUNT:
  case HN_CLI_COUNT_0: {
    long number = strtol(value, &end, 10), least = option->kind == HN_CLI_COUNT;
    if (end == value || *end != '\0' || number < least || number > 1000000) {
      return hn_cli_wrong_call(command->name, "--%s needs a whole number%s, not '%s'", option->name,
                               least > 0 ? " above 0" : " from 0 on", value);
    }
    *(int *)option->target = (int)number;
    break;
  }
  case HN_CLI_LONG: {
    double number = strtod(value, &end);
    if (end == value || *end != '\0' || !(number >= 1) || number > 1e18 ||
        number != floor(number)) {
      return hn_cli_wrong_call(command->name, "--%s needs a whole number above 0, not '%s'",
                               option->name, value);
    }
    *(long *)option->target = (long)number;
    break;
  }
  case HN_CLI_STRING:
    if (hn_cli_option_word(option, 0) != NULL && !is_choice(option, value)) {
      return wrong_choice(command, option, value);
    }
    if (value[0] == '\0') {
      return hn_cli_wrong_call(command->name, "--%s needs a value, not ''", option->name);
    }
    *(const char **)option->target = value;
    break;
  case HN_CLI_LIST: hn_cli_list_add(option->target, value); break;
  case HN_CLI_ROW: return take_row(command, option, value);
  case HN_CLI_ROWS: break;
  }
  return -1;
}

// ---- reading ------------------------------------------------------------------------------------

static int unknown_option(const hn_cli_command *command, const hn_cli_option *options,
                          const char *given) {
  if (given[0] != '-' || given[1] != '-') {
    return hn_cli_wrong_call(command->name, "%s has no option '%s'", command->name, given);
  }
  const char *names[most_options + 2];
  int count = option_count(options);
  for (int i = 0; i < count; i++) names[i] = options[i].name;
  names[count] = "help";
  names[count + 1] = NULL;
  char word[64];
  snprintf(word, sizeof word, "%.*s", (int)strcspn(given + 2, "="), given + 2);
  const char *nearest = hn_cli_nearest(word, names);
  return hn_cli_wrong_call(command->name, "%s has no option '--%s'%s%s%s", command->name, word,
                           nearest != NULL ? "; did you mean '--" : "",
                           nearest != NULL ? nearest : "", nearest != NULL ? "'?" : "");
}

// The tables of getopt_long: code first_code + i for option i, first_code + count for --help.
static void fill_getopt(const hn_cli_option *options, struct option *longs, char *shorts) {
  int count = option_count(options), length = 0;
  shorts[length++] = ':'; // a missing value is distinguished
  for (int i = 0; i < count; i++) {
    int takes = options[i].kind == HN_CLI_FLAG ? no_argument : required_argument;
    longs[i] = (struct option){options[i].name, takes, NULL, first_code + i};
    if (options[i].letter == 0) continue;
    shorts[length++] = options[i].letter;
    if (takes == required_argument) shorts[length++] = ':';
  }
  longs[count] = (struct option){"help", no_argument, NULL, first_code + count};
  longs[count + 1] = (struct option){0};
  shorts[length++] = 'h';
  shorts[length] = '\0';
}

static int option_of_code(const hn_cli_option *options, int code) {
  if (code >= first_code) return code - first_code;
  int i = 0;
  while (options[i].name != NULL && options[i].letter != code) i++;
  return i; // past the end: -h
}

// The word just read, whose value may be the one behind it, is the option's name in full. getopt_long
// also takes its beginning: what that means would change with every option that is added.
static int is_in_full(const hn_cli_option *option, int code, char **argv) {
  if (code < first_code) return 1; // a letter
  const char *word = argv[optarg != NULL && optarg == argv[optind - 1] ? optind - 2 : optind - 1];
  const size_t length = strcspn(word + 2, "=");
  return strlen(option->name) == length && strncmp(option->name, word + 2, length) == 0;
}

int hn_cli_parse(const hn_cli_command *command, const hn_cli_option *some, int argc, char **argv,
                 hn_cli_list *words, int minimum, int maximum) {
  whole_table table;
  make_whole(some, &table);
  const hn_cli_option *options = table.options;
  struct option longs[most_options + 2];
  char shorts[2 * most_options + 4];
  fill_getopt(options, longs, shorts);
  opterr = 0;
  optind = 1;
  int code;
  while ((code = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
    if (code == '?') return unknown_option(command, options, argv[optind - 1]);
    if (code == ':') {
      return hn_cli_wrong_call(command->name, "%s needs a value", argv[optind - 1]);
    }
    int index = option_of_code(options, code);
    if (options[index].name == NULL) {
      print_help(command, options);
      return HN_CLI_DONE;
    }
    if (!is_in_full(&options[index], code, argv)) {
      return hn_cli_wrong_call(command->name, "write the option in full: --%s",
                               options[index].name);
    }
    int result = take(command, &options[index], optarg);
    if (result >= 0) return result;
  }
  for (int i = optind; i < argc; i++) hn_cli_list_add(words, argv[i]);
  if (words->count < minimum) {
    return hn_cli_wrong_call(command->name, "%s needs %s", command->name, command->arguments);
  }
  if (words->count > maximum) {
    return hn_cli_wrong_call(command->name, "%s does not take '%s'", command->name,
                             words->items[maximum]);
  }
  return -1;
}

int hn_cli_parse_one(const hn_cli_command *command, const hn_cli_option *options, int argc,
                     char **argv, const char **word) {
  hn_cli_list words = {0};
  int code = hn_cli_parse(command, options, argc, argv, &words, 1, 1);
  if (code < 0) *word = words.items[0];
  hn_cli_list_free(&words);
  return code;
}
