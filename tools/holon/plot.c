// holon plot: signals of a run as a drawing for a page or a paper, with a reference if wanted.
#include "pages.h"

#include "base/glob.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct plot {
  const hn_cli_command *command;
  const char *source, *against, *output, *title;
  hn_results *results, *reference;
  hn_plot_curve *curves;
  const char **columns; // of the reference, as the user named them; null: like the signal
  int curve_count, is_list;
  hn_error error;
} plot;

// ---- reading ------------------------------------------------------------------------------------

// The names that are most like the word, best first. Returns how many.
static int nearest_signals(const hn_results *results, const char *word, const char **best,
                           int most) {
  int count = hn_results_signal_count(results), found = 0;
  const char **names = hn_cli_allocate((size_t)count + 1, sizeof *names);
  for (int i = 0; i < count; i++) names[i] = hn_results_signal_name(results, i);
  while (found < most) {
    const char *nearest = hn_cli_nearest(word, names);
    if (nearest == NULL) break;
    best[found++] = nearest;
    int at = 0;
    while (names[at] != nearest) at++;
    names[at] = names[--count];
    names[count] = NULL;
  }
  free(names);
  return found;
}

static int unknown_signal(const plot *p, const hn_results *results, const char *place,
                          const char *word) {
  const char *best[4];
  int count = nearest_signals(results, word, best, 4);
  hn_cli_text hint = {0};
  if (count > 0) hn_cli_add(&hint, "; did you mean '%s'?", best[0]);
  for (int i = 1; i < count; i++) {
    hn_cli_add(&hint, "%s%s", i == 1 ? "\n  Also near: " : ", ", best[i]);
  }
  hn_cli_add(&hint, "\n  Use `holon plot %s --list` to list all %d.", place,
             hn_results_signal_count(results));
  hn_cli_wrong_call(p->command->name, "%s has no signal '%s'%s", place, word, hint.data);
  hn_string_free(&hint);
  return HN_CLI_WRONG;
}

static int list_signals(const plot *p) {
  for (int i = 0; i < hn_results_signal_count(p->results); i++) {
    const char *unit = hn_results_signal_unit(p->results, i);
    const char *name = hn_results_signal_name(p->results, i);
    int has_unit = unit != NULL && unit[0] != '\0';
    hn_cli_text line = {0}; // names in a file may be anybody's
    hn_cli_add(&line, has_unit ? "%-44s %s" : "%s", name, unit);
    printf("%s\n", hn_tame(line.data));
    hn_string_free(&line);
  }
  return HN_CLI_DONE;
}

static int is_npz(const char *path) {
  size_t length = strlen(path);
  return length > 4 && strcmp(path + length - 4, ".npz") == 0;
}

// NPZ is written for NumPy and not read again.
static int refuse_npz(const plot *p, const char *path) {
  return hn_cli_wrong_call(
      p->command->name,
      "'%s' is an NPZ file, which plot cannot read\n  Run with --format hdf5 or csv, "
      "or read it with numpy.load.",
      path);
}

// ---- which curves -------------------------------------------------------------------------------

static void add_curve(plot *p, int signal, const char *column) {
  size_t count = (size_t)p->curve_count + 1;
  p->curves = realloc(p->curves, count * sizeof *p->curves);
  p->columns = realloc(p->columns, count * sizeof *p->columns);
  if (p->curves == NULL || p->columns == NULL) hn_cli_out_of_memory();
  p->curves[p->curve_count] = (hn_plot_curve){.signal = signal, .reference = -1};
  p->columns[p->curve_count++] = column;
}

// A column of the reference by name, or by its number counted from 1 (1 is the time).
static int find_column(const hn_results *reference, const char *name) {
  int index = hn_results_find(reference, name);
  if (index >= 0) return index;
  char *end = NULL;
  long number = strtol(name, &end, 10);
  if (end == name || *end != '\0') return -1;
  number -= 2;
  return number >= 0 && number < hn_results_signal_count(reference) ? (int)number : -1;
}

// "SIGNAL", a pattern of signals, or "SIGNAL=COLUMN". Returns -1, or the exit code after a message.
static int take_word(plot *p, const char *word) {
  char *pattern = hn_cli_copy(word);
  const char *column = NULL;
  char *equals = strchr(pattern, '=');
  if (equals != NULL) {
    *equals = '\0';
    column = word + (equals - pattern) + 1;
  }
  int exact = hn_results_find(p->results, pattern), found = 0;
  for (int i = 0; i < hn_results_signal_count(p->results); i++) {
    int matches =
        exact >= 0 ? i == exact : hn_glob_match(pattern, hn_results_signal_name(p->results, i));
    if (!matches) continue;
    found++;
    add_curve(p, i, column);
  }
  int code = found > 0 ? -1 : unknown_signal(p, p->results, p->source, pattern);
  free(pattern);
  return code;
}

static int match_reference(plot *p) {
  int matched = 0;
  for (int i = 0; i < p->curve_count; i++) {
    hn_plot_curve *c = &p->curves[i];
    const char *name =
        p->columns[i] != NULL ? p->columns[i] : hn_results_signal_name(p->results, c->signal);
    c->reference = find_column(p->reference, name);
    if (c->reference < 0 && p->columns[i] != NULL) {
      return unknown_signal(p, p->reference, p->against, name);
    }
    matched += c->reference >= 0;
  }
  if (matched > 0) return -1;
  return hn_cli_wrong_call(p->command->name,
                           "'%s' has no column for a selected signal. Name it: SIGNAL=COLUMN",
                           p->against);
}

// ---- difference ---------------------------------------------------------------------------------

static void print_difference(const plot *p, const hn_plot_curve *c) {
  hn_results_gap d = hn_results_difference(p->results, c->signal, p->reference, c->reference);
  const char *unit = hn_results_signal_unit(p->results, c->signal);
  printf("%s: largest difference %.6g%s%s at t = %.6g s (%d times)\n",
         hn_results_signal_name(p->results, c->signal), d.largest,
         unit != NULL && unit[0] != '\0' ? " " : "", unit != NULL ? unit : "", d.time, d.count);
}

// ---- writing ------------------------------------------------------------------------------------

static int has_ending(const char *path, const char *ending) {
  size_t length = strlen(path), size = strlen(ending);
  return length > size && strcmp(path + length - size, ending) == 0;
}

// With the converter of librsvg if it is installed, else with Chromium.
static hn_status convert(plot *p, const char *source, const char *path, int width, int height) {
  char *target = hn_cli_copy(path), *from = hn_cli_copy(source);
  char *words[] = {
      (char[]){"rsvg-convert"}, (char[]){"--zoom=2"}, (char[]){"--output"}, target, from, NULL};
  int code = hn_cli_run_program(words, 1);
  free(target);
  free(from);
  if (code == 0) return HN_OK;
  char whole[PATH_MAX];
  hn_status status = HN_ERROR_FILE;
  if (realpath(source, whole) != NULL) {
    hn_cli_text address = {0};
    hn_cli_add(&address, "file://%s", whole);
    status = hn_cli_picture(address.data, path, width, height, &p->error);
    hn_string_free(&address);
  }
  if (status == HN_OK) return status;
  return hn_cli_fail(&p->error, HN_ERROR_UNSUPPORTED,
                     "Install one (Debian: librsvg2-bin), or write SVG: -o FILE.svg.",
                     "'%s' needs rsvg-convert or Chromium", path);
}

static hn_status draw(plot *p, const char *path, int *height) {
  return hn_results_plot(p->results, p->reference, p->curves, p->curve_count, p->title, path,
                         height, &p->error);
}

static hn_status write_png(plot *p, const char *path) {
  hn_cli_text source = {0};
  int height = 0;
  hn_cli_add(&source, "%s.svg", path);
  hn_status status = draw(p, source.data, &height);
  if (status == HN_OK) status = convert(p, source.data, path, 720, height);
  remove(source.data);
  hn_string_free(&source);
  return status;
}

static char *default_output(const plot *p) {
  struct stat info;
  const char *folder = p->source;
  char *own = NULL;
  if (stat(p->source, &info) != 0 || !S_ISDIR(info.st_mode)) {
    own = hn_cli_copy(p->source);
    char *slash = strrchr(own, '/');
    if (slash != NULL) *slash = '\0';
    folder = slash != NULL ? own : ".";
  }
  hn_cli_text name = {0};
  hn_cli_add(&name, "%s.svg", hn_results_signal_name(p->results, p->curves[0].signal));
  for (char *c = name.data; *c != '\0'; c++) *c = *c == '/' || *c == ' ' ? '-' : *c;
  char *path = hn_cli_join(folder, name.data);
  hn_string_free(&name);
  free(own);
  return path;
}

static int write_drawing(plot *p) {
  char *path = p->output != NULL ? hn_cli_copy(p->output) : default_output(p);
  hn_status status = has_ending(path, ".png") ? write_png(p, path) : draw(p, path, NULL);
  if (status != HN_OK)
    hn_cli_print_error(&p->error);
  else
    printf("%s\n", path);
  free(path);
  return hn_cli_exit_code(status);
}

// -------------------------------------------------------------------------------------------------

static int make_plot(plot *p, const hn_cli_list *words) {
  p->source = words->items[0];
  char *path = hn_results_path(p->source);
  if (path == NULL) hn_cli_out_of_memory();
  if (is_npz(path)) {
    int refused = refuse_npz(p, path);
    free(path);
    return refused;
  }
  hn_status status = hn_cli_read_results(path, &p->results, &p->error);
  free(path);
  if (status == HN_OK && p->against != NULL) {
    char *other = hn_results_path(p->against); // a folder, as for view, or a file
    if (other == NULL) hn_cli_out_of_memory();
    status = hn_cli_read_results(other, &p->reference, &p->error);
    free(other);
  }
  if (status != HN_OK) { // what was given cannot be read
    hn_cli_print_error(&p->error);
    return HN_CLI_WRONG;
  }
  if (p->is_list) return list_signals(p);
  int code = -1;
  if (words->count < 2) {
    return hn_cli_wrong_call(p->command->name,
                             "plot needs %s. Use --list to print the available signals",
                             p->command->arguments);
  }
  for (int i = 1; i < words->count && code < 0; i++) code = take_word(p, words->items[i]);
  if (code < 0 && p->reference != NULL) code = match_reference(p);
  if (code >= 0) return code;
  for (int i = 0; i < p->curve_count; i++) {
    if (p->curves[i].reference >= 0) print_difference(p, &p->curves[i]);
  }
  return write_drawing(p);
}

static int run(const hn_cli_command *command, int argc, char **argv) {
  plot p = {.command = command};
  const hn_cli_option options[] = {
      {"output", 'o', HN_CLI_STRING, &p.output, "FILE", "write FILE, .svg or .png (DIR/SIGNAL.svg)",
       NULL},
      {"against", 0, HN_CLI_STRING, &p.against, "DIR2",
       "overlay another run or CSV file and print the difference", NULL},
      {"title", 0, HN_CLI_STRING, &p.title, "TEXT", "title of the plot", NULL},
      {"list", 0, HN_CLI_FLAG, &p.is_list, NULL, "list the signals with their units", NULL},
      {0},
  };
  hn_cli_list words = {0};
  int code = hn_cli_parse(command, options, argc, argv, &words, 1, 1000);
  if (code < 0) code = make_plot(&p, &words);
  hn_results_free(p.results);
  hn_results_free(p.reference);
  free(p.curves);
  free(p.columns);
  hn_cli_list_free(&words);
  return code;
}

const hn_cli_command hn_cli_plot_command = {
    .name = "plot",
    .arguments = "DIR SIGNAL... [options]",
    .summary = "plot signals of a run as SVG",
    .details =
        "DIR is the folder of a run or a results file. A SIGNAL may be a pattern\n"
        "(body.*.position.z). SIGNAL=COLUMN selects its column of the reference, by name or\n"
        "number. Signals with the same unit share axes.\n",
    .example = "  holon plot out/four-bar --list\n"
               "  holon plot out/four-bar x 'joint.*.angle' -o motion.svg\n"
               "  holon plot out/four-bar x --against reference.csv\n",
    .run = run,
};
