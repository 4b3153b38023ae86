// holon plot: signals of a run as a drawing for a page or a paper, beside a reference if wanted.
#include "folder.h"
#include "keep.h"
#include "svg.h"

#include <fnmatch.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct curve {
  int signal;         // column of the results
  int reference;      // column of the reference, -1: none
  const char *column; // as the user named it, null: like the signal
} curve;

typedef struct plot {
  const hn_cli_command *command;
  const char *source, *against, *output, *title;
  hn_results *results, *reference;
  curve *curves;
  int curve_count, is_list;
  double width, height; // of the drawing
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
  hn_cli_add(&hint, "\n  `holon plot %s --list` lists the %d there are.", place,
             hn_results_signal_count(results));
  hn_cli_wrong_call(p->command->name, "%s has no signal '%s'%s", place, word, hint.data);
  hn_cli_text_free(&hint);
  return HN_CLI_WRONG;
}

static int list_signals(const plot *p) {
  for (int i = 0; i < hn_results_signal_count(p->results); i++) {
    const char *unit = hn_results_signal_unit(p->results, i);
    const char *name = hn_results_signal_name(p->results, i);
    int has_unit = unit != NULL && unit[0] != '\0';
    hn_cli_text line = {0}; // names in a file may be anybody's
    hn_cli_add(&line, has_unit ? "%-44s %s" : "%s", name, unit);
    printf("%s\n", hn_cli_tame(line.data));
    hn_cli_text_free(&line);
  }
  return HN_CLI_DONE;
}

static int is_npz(const char *path) {
  size_t length = strlen(path);
  return length > 4 && strcmp(path + length - 4, ".npz") == 0;
}

// NPZ is written for NumPy and not read again.
static int refuse_npz(const plot *p, const char *path) {
  return hn_cli_wrong_call(p->command->name,
                           "'%s' is NPZ, which is not read here\n  Run with --format hdf5 or csv, "
                           "or read it with numpy.load.",
                           path);
}

// ---- which curves -------------------------------------------------------------------------------

static void add_curve(plot *p, curve c) {
  curve *curves = hn_cli_allocate((size_t)p->curve_count + 1, sizeof *curves);
  for (int i = 0; i < p->curve_count; i++) curves[i] = p->curves[i];
  curves[p->curve_count++] = c;
  free(p->curves);
  p->curves = curves;
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
        exact >= 0 ? i == exact : fnmatch(pattern, hn_results_signal_name(p->results, i), 0) == 0;
    if (!matches) continue;
    found++;
    add_curve(p, (curve){.signal = i, .reference = -1, .column = column});
  }
  int code = found > 0 ? -1 : unknown_signal(p, p->results, p->source, pattern);
  free(pattern);
  return code;
}

static int match_reference(plot *p) {
  int matched = 0;
  for (int i = 0; i < p->curve_count; i++) {
    curve *c = &p->curves[i];
    const char *name =
        c->column != NULL ? c->column : hn_results_signal_name(p->results, c->signal);
    c->reference = find_column(p->reference, name);
    if (c->reference < 0 && c->column != NULL) {
      return unknown_signal(p, p->reference, p->against, name);
    }
    matched += c->reference >= 0;
  }
  if (matched > 0) return -1;
  return hn_cli_wrong_call(p->command->name,
                           "'%s' has no column named like a signal asked for; name it: "
                           "SIGNAL=COLUMN",
                           p->against);
}

// ---- difference ---------------------------------------------------------------------------------

// The polynomial through the four rows around x.
static double interpolate(const double *time, const double *values, int rows, double x) {
  int low = 0, high = rows - 1;
  while (high - low > 1) {
    int middle = (low + high) / 2;
    if (time[middle] <= x) {
      low = middle;
    } else {
      high = middle;
    }
  }
  int points = rows < 4 ? rows : 4;
  int first = low - 1;
  if (first > rows - points) first = rows - points;
  if (first < 0) first = 0;
  double sum = 0;
  for (int i = first; i < first + points; i++) {
    double weight = 1;
    for (int j = first; j < first + points; j++) {
      if (j != i) weight *= (x - time[j]) / (time[i] - time[j]);
    }
    sum += weight * values[i];
  }
  return sum;
}

// The largest difference at the times of the reference that the run covers.
static void print_difference(const plot *p, const curve *c) {
  const double *time = hn_results_time(p->results);
  const double *values = hn_results_column(p->results, c->signal);
  int rows = hn_results_row_count(p->results);
  const double *reference_time = hn_results_time(p->reference);
  const double *reference = hn_results_column(p->reference, c->reference);
  double largest = 0, where = 0;
  int count = 0;
  double slack = rows > 1 ? 1e-9 * (time[rows - 1] - time[0]) : 0;
  for (int i = 0; i < hn_results_row_count(p->reference) && rows > 0; i++) {
    double t = reference_time[i];
    if (t < time[0] - slack || t > time[rows - 1] + slack || !isfinite(reference[i])) continue;
    double difference = fabs(interpolate(time, values, rows, t) - reference[i]);
    count++;
    if (!(difference <= largest)) largest = difference, where = t;
  }
  const char *unit = hn_results_signal_unit(p->results, c->signal);
  printf("%s: largest difference %.6g%s%s at t = %.6g s (%d times)\n",
         hn_results_signal_name(p->results, c->signal), largest,
         unit != NULL && unit[0] != '\0' ? " " : "", unit != NULL ? unit : "", where, count);
}

// ---- drawing ------------------------------------------------------------------------------------

static const char *unit_of(const plot *p, int index) {
  const char *unit = hn_results_signal_unit(p->results, p->curves[index].signal);
  return unit != NULL ? unit : "";
}

// Curves of one unit share a panel. Fills the series of the panel that curve `first` begins.
static int panel_series(const plot *p, int first, hn_svg_series *series, hn_cli_text *names) {
  int count = 0, colour = 0;
  for (int i = first; i < p->curve_count; i++) {
    const curve *c = &p->curves[i];
    if (strcmp(unit_of(p, i), unit_of(p, first)) != 0) continue;
    series[count++] = (hn_svg_series){.name = hn_results_signal_name(p->results, c->signal),
                                      .x = hn_results_time(p->results),
                                      .y = hn_results_column(p->results, c->signal),
                                      .count = hn_results_row_count(p->results),
                                      .colour = colour++};
    if (c->reference < 0) continue;
    hn_cli_add(&names[i], "%s (reference)", hn_results_signal_name(p->reference, c->reference));
    series[count++] = (hn_svg_series){.name = names[i].data,
                                      .x = hn_results_time(p->reference),
                                      .y = hn_results_column(p->reference, c->reference),
                                      .count = hn_results_row_count(p->reference),
                                      .is_reference = 1};
  }
  return count;
}

static int begins_panel(const plot *p, int index) {
  for (int i = 0; i < index; i++) {
    if (strcmp(unit_of(p, i), unit_of(p, index)) == 0) return 0;
  }
  return 1;
}

// One panel with what it points to.
typedef struct drawing_panel {
  hn_svg_panel panel;
  hn_svg_series *series;
  hn_cli_text *names; // of the references (curve_count)
  hn_cli_text label;
} drawing_panel;

static void make_panel(const plot *p, int first, drawing_panel *made) {
  made->series = hn_cli_allocate(2 * (size_t)p->curve_count, sizeof *made->series);
  made->names = hn_cli_allocate((size_t)p->curve_count, sizeof *made->names);
  int count = panel_series(p, first, made->series, made->names);
  const char *unit = unit_of(p, first);
  int is_single = count == 1;
  if (is_single) hn_cli_add(&made->label, "%s", made->series[0].name);
  if (unit[0] != '\0') hn_cli_add(&made->label, is_single ? " (%s)" : "%s", unit);
  made->panel = (hn_svg_panel){.y_label = made->label.data,
                               .series = made->series,
                               .series_count = count,
                               .has_legend = !is_single,
                               .width = 720};
}

static void free_panel(const plot *p, drawing_panel *made) {
  for (int i = 0; i < p->curve_count; i++) hn_cli_text_free(&made->names[i]);
  free(made->names);
  free(made->series);
  hn_cli_text_free(&made->label);
}

// Panels under each other, their axes lined up.
static void draw(plot *p, hn_cli_text *text) {
  drawing_panel *panels = hn_cli_allocate((size_t)p->curve_count, sizeof *panels);
  int count = 0;
  for (int i = 0; i < p->curve_count; i++) {
    if (begins_panel(p, i)) make_panel(p, i, &panels[count++]);
  }
  double left = 0, height = 0;
  for (int i = 0; i < count; i++) {
    panels[i].panel.height = count == 1 ? 380 : 240;
    left = fmax(left, hn_svg_panel_left(&panels[i].panel));
  }
  hn_cli_text body = {0};
  for (int i = 0; i < count; i++) {
    hn_svg_panel *panel = &panels[i].panel;
    panel->left = left;
    panel->title = i == 0 ? p->title : NULL;
    panel->x_label = i == count - 1 ? "time (s)" : NULL;
    hn_cli_add(&body, "<g transform=\"translate(0 %.0f)\">\n", height);
    hn_svg_add_panel(&body, panel, NULL);
    hn_cli_add(&body, "</g>\n");
    height += panel->height;
  }
  const char *name = hn_results_signal_name(p->results, p->curves[0].signal);
  p->width = 720;
  p->height = height;
  hn_svg_add_document(text, p->width, height, p->title != NULL ? p->title : name, &body);
  for (int i = 0; i < count; i++) free_panel(p, &panels[i]);
  free(panels);
  hn_cli_text_free(&body);
}

// ---- writing ------------------------------------------------------------------------------------

static int has_ending(const char *path, const char *ending) {
  size_t length = strlen(path), size = strlen(ending);
  return length > size && strcmp(path + length - size, ending) == 0;
}

// With the converter of librsvg when the machine has it, else with Chromium.
static hn_status convert(plot *p, const char *source, const char *path, double width,
                         double height) {
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
    status = hn_cli_picture(address.data, path, (int)width, (int)height, &p->error);
    hn_cli_text_free(&address);
  }
  if (status == HN_OK) return status;
  return hn_cli_fail(&p->error, HN_ERROR_UNSUPPORTED,
                     "Install one (Debian: librsvg2-bin), or write SVG: -o FILE.svg.",
                     "'%s' needs the program rsvg-convert or the browser Chromium", path);
}

static hn_status write_png(plot *p, const char *path, const hn_cli_text *drawing) {
  hn_cli_text source = {0};
  hn_cli_add(&source, "%s.svg", path);
  hn_status status = hn_cli_write_file(source.data, drawing->data, drawing->length, &p->error);
  if (status == HN_OK) status = convert(p, source.data, path, p->width, p->height);
  remove(source.data);
  hn_cli_text_free(&source);
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
  hn_cli_text_free(&name);
  free(own);
  return path;
}

static int write_drawing(plot *p) {
  hn_cli_text drawing = {0};
  draw(p, &drawing);
  char *path = p->output != NULL ? hn_cli_copy(p->output) : default_output(p);
  hn_status status = has_ending(path, ".png")
                         ? write_png(p, path, &drawing)
                         : hn_cli_write_file(path, drawing.data, drawing.length, &p->error);
  if (status != HN_OK) {
    hn_cli_print_error(&p->error);
  } else {
    printf("%s\n", path);
  }
  free(path);
  hn_cli_text_free(&drawing);
  return hn_cli_exit_code(status);
}

// -------------------------------------------------------------------------------------------------

static int make_plot(plot *p, const hn_cli_list *words) {
  p->source = words->items[0];
  char *path = hn_cli_find_results(p->source);
  if (is_npz(path)) {
    int refused = refuse_npz(p, path);
    free(path);
    return refused;
  }
  hn_status status = hn_cli_read_results(path, &p->results, &p->error);
  free(path);
  if (status == HN_OK && p->against != NULL) {
    char *other = hn_cli_find_results(p->against); // a folder, as for view, or a file
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
    return hn_cli_wrong_call(p->command->name, "plot needs %s; --list prints the signals there are",
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
       "draw another run or a file (CSV) too, print the difference", NULL},
      {"title", 0, HN_CLI_STRING, &p.title, "TEXT", "above the drawing", NULL},
      {"list", 0, HN_CLI_FLAG, &p.is_list, NULL, "print names and units of the signals there are",
       NULL},
      {0},
  };
  hn_cli_list words = {0};
  int code = hn_cli_parse(command, options, argc, argv, &words, 1, 1000);
  if (code < 0) code = make_plot(&p, &words);
  hn_results_free(p.results);
  hn_results_free(p.reference);
  free(p.curves);
  hn_cli_list_free(&words);
  return code;
}

const hn_cli_command hn_cli_plot_command = {
    .name = "plot",
    .arguments = "DIR SIGNAL... [options]",
    .summary = "draw signals of a run as SVG",
    .details = "DIR is the folder of a run or a file of results. A SIGNAL may be a pattern\n"
               "(body.*.position.z) and may name its column of the reference: SIGNAL=COLUMN, by\n"
               "name or number. Signals of one unit share a pair of axes.\n",
    .example = "  holon plot out/four-bar --list\n"
               "  holon plot out/four-bar x 'joint.*.angle' -o motion.svg\n"
               "  holon plot out/four-bar x --against reference.csv\n",
    .run = run,
};
