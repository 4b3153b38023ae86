// The report of a run: what the machine is, what it did, how well it was computed, how to repeat
// it.
#include "report.h"
#include "picture.h"
#include "realtime.h"
#include "svg.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { most_plots = 36, most_events = 24, hover_points = 1200 };

typedef struct page {
  hn_cli_text *text;
  hn_cli_text data; // of the plots, for the script
  const hn_cli_session *session;
  const hn_results *shown;
  int plots;
} page;

// ---- plots --------------------------------------------------------------------------------------

typedef struct group {
  const char *title;
  const char *prefix; // left out of the names in the legend, or null
  const int *signals; // columns of the results
  int count;
  int is_log, is_wide;
} group;

// Every how many rows the script gets one.
static int stride_of(const hn_results *shown) {
  return 1 + (hn_results_row_count(shown) - 1) / hover_points;
}

static void add_column_data(hn_cli_text *data, const double *values, int rows, int stride) {
  hn_cli_add(data, "[");
  for (int i = 0; i < rows; i += stride) {
    if (i > 0) hn_cli_add(data, ",");
    hn_cli_add(data, isfinite(values[i]) ? "%.7g" : "null", values[i]);
  }
  hn_cli_add(data, "]");
}

static void add_plot_data(page *p, const group *g, const hn_svg_panel *panel,
                          const hn_svg_area *area) {
  hn_cli_text *data = &p->data;
  int rows = hn_results_row_count(p->shown);
  hn_cli_add(data, "%s{\"size\":[%.0f,%.0f],\"area\":[%.2f,%.2f,%.2f,%.2f],",
             p->plots > 0 ? ",\n" : "", panel->width, panel->height, area->left, area->top,
             area->width, area->height);
  hn_cli_add(data, "\"x\":[%.9g,%.9g],\"y\":[%.12g,%.12g],\"log\":%d,\"series\":[", area->x.low,
             area->x.high, area->y.low, area->y.high, area->y.is_log);
  for (int s = 0; s < g->count; s++) {
    const char *unit = hn_results_signal_unit(p->shown, g->signals[s]);
    hn_cli_add(data, "%s{\"n\":", s > 0 ? "," : "");
    hn_cli_add_json_string(data, hn_results_signal_name(p->shown, g->signals[s]));
    hn_cli_add(data, ",\"u\":");
    hn_cli_add_json_string(data, unit != NULL ? unit : "");
    hn_cli_add(data, ",\"c\":%d,\"v\":", s % HN_SVG_COLOURS);
    add_column_data(data, hn_results_column(p->shown, g->signals[s]), rows, stride_of(p->shown));
    hn_cli_add(data, "}");
  }
  hn_cli_add(data, "]}");
}

// The error bars of a signal, copied into one column; 0: it has none.
static int take_bars(const page *p, const char *name, double **bars) {
  const hn_accuracy *a = hn_simulation_accuracy(p->session->simulation);
  *bars = NULL;
  for (int k = 0; a != NULL && a->is_estimated && k < a->bar_signals; k++) {
    if (strcmp(a->signals[k].name, name) != 0) continue;
    *bars = hn_cli_allocate((size_t)a->bar_count + 1, sizeof **bars);
    for (int i = 0; i < a->bar_count; i++)
      (*bars)[i] = a->bars[(size_t)i * (size_t)a->bar_signals + (size_t)k];
    return a->bar_count;
  }
  return 0;
}

static void add_bars(const page *p, hn_svg_series *series, double **bars) {
  const hn_accuracy *a = hn_simulation_accuracy(p->session->simulation);
  series->bar_count = take_bars(p, series->name, bars);
  series->bar = *bars;
  series->bar_x = series->bar_count > 0 ? a->bar_time : NULL;
}

static void add_plot(page *p, const group *g) {
  double *bars = NULL;
  hn_svg_series *series = hn_cli_allocate((size_t)g->count, sizeof *series);
  size_t skip = g->prefix != NULL ? strlen(g->prefix) : 0;
  for (int s = 0; s < g->count; s++) {
    series[s] = (hn_svg_series){.name = hn_results_signal_name(p->shown, g->signals[s]) + skip,
                                .x = hn_results_time(p->shown),
                                .y = hn_results_column(p->shown, g->signals[s]),
                                .count = hn_results_row_count(p->shown),
                                .colour = s};
  }
  if (g->count == 1) add_bars(p, &series[0], &bars);
  const char *unit = hn_results_signal_unit(p->shown, g->signals[0]);
  hn_svg_panel panel = {.title = g->title,
                        .x_label = "time (s)",
                        .y_label = unit,
                        .series = series,
                        .series_count = g->count,
                        .is_log = g->is_log,
                        .has_legend = g->count > 1,
                        .width = g->is_wide ? 1068 : 524,
                        .height = g->is_wide ? 300 : 260};
  hn_svg_area area;
  hn_cli_add(
      p->text,
      "<figure class=\"plot\" data-plot=\"%d\"%s><svg class=\"pl\" viewBox=\"0 0 %.0f %.0f\" "
      "role=\"img\">\n",
      p->plots, g->is_wide ? " style=\"grid-column:1/-1\"" : "", panel.width, panel.height);
  hn_svg_add_panel(p->text, &panel, &area);
  hn_cli_add(p->text, "</svg></figure>\n");
  add_plot_data(p, g, &panel, &area);
  p->plots++;
  free(bars);
  free(series);
}

static int is_own(const char *name) {
  return strncmp(name, "energy.", 7) != 0 && strncmp(name, "constraint.", 11) != 0 &&
         strncmp(name, "step.", 5) != 0;
}

static void add_outputs(page *p) {
  int all = hn_results_signal_count(p->shown), count = 0, drawn = 0;
  for (int i = 0; i < all; i++) count += is_own(hn_results_signal_name(p->shown, i));
  if (count == 0) return;
  int has_outputs = hn_model_output_count(p->session->model) > 0;
  hn_cli_add(p->text, "<h2>%s</h2>\n%s<div class=\"plots\">\n", has_outputs ? "Outputs" : "Motion",
             has_outputs ? ""
                         : "<p class=\"quiet\">The model names no <code>outputs:</code>; these are "
                           "some of its coordinates.</p>\n");
  for (int i = 0; i < all && drawn < most_plots; i++) {
    if (!is_own(hn_results_signal_name(p->shown, i))) continue;
    add_plot(p, &(group){.title = hn_results_signal_name(p->shown, i),
                         .signals = &i,
                         .count = 1,
                         .is_wide = count == 1});
    drawn++;
  }
  hn_cli_add(p->text, "</div>\n");
  if (count > drawn) {
    hn_cli_add(p->text,
               "<p class=\"quiet\">%d more are in the results; <code>holon plot</code> "
               "draws them.</p>\n",
               count - drawn);
  }
}

// One plot of those of the names that were recorded.
static void add_named(page *p, const char *title, const char *prefix, const char *const *names,
                      int is_log) {
  int signals[8], count = 0;
  for (int i = 0; names[i] != NULL && count < 8; i++) {
    int index = hn_results_find(p->shown, names[i]);
    if (index >= 0) signals[count++] = index;
  }
  if (count == 0) return;
  add_plot(
      p,
      &(group){
          .title = title, .prefix = prefix, .signals = signals, .count = count, .is_log = is_log});
}

static void add_quality_plots(page *p, int is_kinematics) {
  static const char *const energies[] = {"energy.kinetic", "energy.potential", "energy.work",
                                         "energy.total", NULL};
  static const char *const balance[] = {"energy.balance", NULL};
  static const char *const position[] = {"constraint.position", NULL};
  static const char *const velocity[] = {"constraint.velocity", NULL};
  static const char *const size[] = {"step.size", NULL};
  static const char *const iterations[] = {"step.iterations", NULL};
  if (is_kinematics) { // no step was taken, and no work was counted
    hn_cli_add(p->text, "<h2>Constraints</h2>\n<div class=\"plots\">\n");
    add_named(p, "Largest gap in a joint", NULL, position, 1);
    add_named(p, "Largest velocity error in a joint", NULL, velocity, 1);
    hn_cli_add(p->text, "</div>\n");
    return;
  }
  hn_cli_add(p->text, "<h2>Energy</h2>\n<div class=\"plots\">\n");
  add_named(p, "Energy", "energy.", energies, 0);
  add_named(p, "Balance: kinetic + potential − work − start", NULL, balance, 0);
  hn_cli_add(p->text, "</div>\n<h2>Constraints and steps</h2>\n<div class=\"plots\">\n");
  add_named(p, "Largest gap in a joint", NULL, position, 1);
  add_named(p, "Largest velocity error in a joint", NULL, velocity, 1);
  add_named(p, "Step size", NULL, size, 1);
  hn_certificate c = hn_simulation_certificate(p->session->simulation);
  if (c.newton_iterations > 0) add_named(p, "Newton iterations in a step", NULL, iterations, 0);
  hn_cli_add(p->text, "</div>\n");
}

// ---- machine ------------------------------------------------------------------------------------

static void add_count_row(hn_cli_text *text, const char *what, int count) {
  hn_cli_add(text, "<tr><th>%s</th><td class=\"num\">%d</td></tr>\n", what, count);
}

static void add_joint_row(hn_cli_text *text, const hn_model *model) {
  int counts[HN_JOINT_TYPES] = {0}, listed = 0;
  int all = hn_model_joint_count(model);
  for (int j = 0; j < all; j++) counts[hn_model_joint_type(model, j)]++;
  hn_cli_add(text, "<tr><th>Joints</th><td>%d", all);
  for (int type = 0; type < HN_JOINT_TYPES; type++) {
    if (counts[type] == 0) continue;
    hn_cli_add(text, "%s%d %s", listed++ > 0 ? ", " : " <span class=\"quiet\">· ", counts[type],
               hn_joint_type_name((hn_joint_type)type));
  }
  hn_cli_add(text, "%s</td></tr>\n", listed > 0 ? "</span>" : "");
}

static void add_force_row(hn_cli_text *text, const hn_model *model) {
  int counts[HN_FORCE_TYPES] = {0}, listed = 0;
  int all = hn_model_force_count(model);
  if (all == 0) return;
  for (int f = 0; f < all; f++) counts[hn_model_force_type(model, f)]++;
  hn_cli_add(text, "<tr><th>Forces</th><td>%d", all);
  for (int type = 0; type < HN_FORCE_TYPES; type++) {
    if (counts[type] == 0) continue;
    hn_cli_add(text, "%s%d %s", listed++ > 0 ? ", " : " <span class=\"quiet\">· ", counts[type],
               hn_force_type_name((hn_force_type)type));
  }
  hn_cli_add(text, "</span></td></tr>\n");
}

static void add_machine(hn_cli_text *text, const hn_cli_session *session) {
  const hn_model *model = session->model;
  hn_cli_add(text, "<h2>Machine</h2>\n<div class=\"machine\"><table>\n<tr><th>File</th><td><code>");
  hn_cli_add_xml(text, session->settings->path);
  hn_cli_add(text, "</code></td></tr>\n");
  add_count_row(text, "Bodies", hn_model_body_count(model));
  add_joint_row(text, model);
  if (hn_model_driver_count(model) > 0)
    add_count_row(text, "Drivers", hn_model_driver_count(model));
  add_force_row(text, model);
  if (session->has_mobility) {
    const hn_mobility *m = &session->mobility;
    add_count_row(text, "Degrees of freedom", m->degrees_of_freedom);
    add_count_row(text, "Coordinates", m->coordinates);
    hn_cli_add(
        text,
        "<tr><th>Constraint rows</th><td>%d <span class=\"quiet\">· rank %d</span></td></tr>\n",
        m->rows, m->rank);
    add_count_row(text, "Loops", m->loops);
  }
  hn_cli_add(text, "</table>\n");
  hn_cli_add_topology(text, session);
  hn_cli_add(text, "</div>\n");
}

// ---- picture ------------------------------------------------------------------------------------

// What JSON and HTML do not let stand inside a string of a script element; null: may stay.
static const char *escape_of(char c) {
  switch (c) {
  case '<': return "\\u003c";
  case '"': return "\\\"";
  case '\\': return "\\\\";
  case '\n': return "\\n";
  case '\r': return "\\r";
  case '\t': return "\\t";
  default: return (unsigned char)c < 0x20 ? " " : NULL;
  }
}

// The viewer as text of a script element: it becomes a frame of the page when it is asked for.
static void add_viewer(hn_cli_text *text, const hn_cli_folder *film) {
  hn_cli_text viewer = {0};
  hn_cli_add_viewer_page(&viewer, film, NULL, 1);
  hn_cli_add(text, "<script type=\"application/json\" id=\"viewer\">\"");
  size_t from = 0;
  for (size_t i = 0; i < viewer.length; i++) {
    const char *escape = escape_of(viewer.data[i]);
    if (escape == NULL) continue;
    hn_cli_add_bytes(text, viewer.data + from, i - from);
    hn_cli_add_bytes(text, escape, strlen(escape));
    from = i + 1;
  }
  hn_cli_add_bytes(text, viewer.data + from, viewer.length - from);
  hn_cli_add(text, "\"</script>\n");
  hn_cli_text_free(&viewer);
}

static void add_scene(hn_cli_text *text, const hn_cli_folder *film) {
  hn_cli_text picture = {0};
  if (film == NULL || !hn_cli_add_picture(&picture, film->scene, 0, 1072)) return;
  hn_cli_add(text, "<figure class=\"scene\">");
  hn_cli_add_bytes(text, picture.data, picture.length);
  hn_cli_add(
      text,
      "<button type=\"button\" hidden=\"hidden\">Move in 3-D</button><figcaption>At t = %.6g s. "
      "<span class=\"hint\"><code>holon view</code> on this folder shows more.</span>"
      "</figcaption></figure>\n",
      film->scene->first);
  hn_cli_text_free(&picture);
}

// ---- head and foot ------------------------------------------------------------------------------

static void add_reasons(hn_cli_text *text, const hn_verdict *verdict) {
  char reason[512];
  for (int i = 0; hn_verdict_reason(verdict, i, reason, sizeof reason); i++) {
    hn_cli_add(text, "<p>");
    hn_cli_add_xml(text, reason);
    hn_cli_add(text, "</p>");
  }
}

static void add_banner(hn_cli_text *text, const hn_verdict *verdict, const hn_cli_outcome *outcome,
                       const hn_error *error) {
  hn_cli_add(text, "<div class=\"verdict %s\">", hn_cli_grade_class(verdict->grade));
  if (outcome->status != HN_OK) {
    hn_cli_add(text, "<b>The run ended early, at t = %.6g s of %g s.</b><p>", outcome->time,
               outcome->end);
    hn_cli_add_xml(text, error->element);
    hn_cli_add(text, "%s", error->element[0] != '\0' ? " " : "");
    hn_cli_add_xml(text, error->message);
    hn_cli_add(text, "</p><p>");
    hn_cli_add_xml(text, error->hint);
    hn_cli_add(text, "</p></div>\n");
    return;
  }
  switch (verdict->grade) {
  case HN_SOUND:
    hn_cli_add(text, "<b>The run is sound.</b><p>It reached its end; joints stayed closed%s.</p>",
               outcome->is_kinematics ? "" : " and the energy is accounted for");
    break;
  case HN_SENSITIVE: hn_cli_add(text, "<b>The motion is sensitive.</b>"); break;
  case HN_DOUBTFUL: hn_cli_add(text, "<b>The run is done, with remarks.</b>"); break;
  case HN_UNSOUND: hn_cli_add(text, "<b>The run is done, but do not trust it yet.</b>"); break;
  }
  add_reasons(text, verdict);
  hn_cli_add(text, "</div>\n");
}

static void add_subtitle(hn_cli_text *text, const hn_cli_session *session,
                         const hn_cli_outcome *outcome) {
  hn_certificate c = hn_simulation_certificate(session->simulation);
  if (outcome->is_kinematics) {
    hn_cli_add(text, "<p class=\"quiet\">%.6g s of motion · kinematics, %ld times</p>\n",
               outcome->time, outcome->times);
    return;
  }
  hn_cli_add(text, "<p class=\"quiet\">%.6g s simulated · %s · %s · %s",
             outcome->time - outcome->start, c.coordinates, c.method, c.formula);
  if (c.cpu_seconds > 0) {
    double speed = outcome->time / c.cpu_seconds; // as in the certificate
    hn_cli_add(text,
               speed < 100 ? " · %.3g s of computing, %.2g × real time"
                           : " · %.3g s of computing, %.0f × real time",
               c.cpu_seconds, speed);
  }
  hn_cli_add(text, "</p>\n");
}

static void add_warning(hn_cli_text *text, const hn_warning *warning) {
  hn_cli_add(text, "<tr><td><span class=\"dot %s\"></span></td><th>",
             warning->is_note ? "good" : "note");
  hn_cli_add_xml(text, warning->element);
  hn_cli_add(text, "</th><td>");
  hn_cli_add_xml(text, warning->message);
  hn_cli_add(text, "</td></tr>\n");
}

static void add_warnings(hn_cli_text *text, const hn_cli_session *session) {
  int of_model = hn_model_warning_count(session->model);
  int of_run = hn_simulation_warning_count(session->simulation);
  hn_cli_add(text, "<h2>Warnings</h2>\n");
  if (of_model + of_run == 0) {
    hn_cli_add(text, "<p class=\"quiet\">None.</p>\n");
    return;
  }
  hn_cli_add(text, "<table class=\"verdicts\">\n");
  for (int i = 0; i < of_model; i++) add_warning(text, hn_model_warning(session->model, i));
  for (int i = 0; i < of_run; i++) add_warning(text, hn_simulation_warning(session->simulation, i));
  hn_cli_add(text, "</table>\n");
}

static void add_events(hn_cli_text *text, const hn_cli_session *session) {
  hn_certificate c = hn_simulation_certificate(session->simulation);
  hn_cli_add(text, "<h2>Events</h2>\n");
  int there = hn_simulation_events(session->simulation, NULL, 0);
  if (there <= 0) {
    hn_cli_add(text, "<p class=\"quiet\">%s</p>\n",
               c.events > 0 ? "Not kept." : "No law changed its branch.");
    return;
  }
  hn_event *events = hn_cli_allocate((size_t)there, sizeof *events);
  there = hn_simulation_events(session->simulation, events, there);
  int first = there > most_events ? there - most_events : 0;
  hn_cli_add(text,
             "<p class=\"quiet\">%ld in all%s.</p>\n<table>\n<tr><th>Time</th><th>What</th>"
             "<th>Branch</th></tr>\n",
             c.events, first > 0 || c.events > there ? "; the latest" : "");
  for (int i = first; i < there; i++) {
    hn_cli_add(text, "<tr><td class=\"num\">%.6f s</td><td>", events[i].time);
    if (events[i].force >= 0) {
      hn_cli_add(text, "law of ");
      hn_cli_add_xml(text, hn_model_force_name(session->model, events[i].force));
      hn_cli_add(text, "</td><td class=\"num\">%d → %d</td></tr>\n", events[i].from, events[i].to);
    } else if (events[i].contact > 0) {
      static const char *const states[] = {"open", "sticking", "sliding", "impact"};
      hn_cli_add(text, "contact ");
      hn_cli_add_xml(text, hn_model_contact(session->model, events[i].contact - 1)->name);
      if (events[i].to == HN_EVENT_IMPACT)
        hn_cli_add(text, "</td><td>impact</td></tr>\n");
      else
        hn_cli_add(text, "</td><td>%s → %s</td></tr>\n", states[events[i].from & 3],
                   states[events[i].to & 3]);
    } else {
      hn_cli_add(text, "a time at which a law is not smooth</td><td></td></tr>\n");
    }
  }
  hn_cli_add(text, "</table>\n");
  free(events);
}

static void add_foot(hn_cli_text *text, const hn_cli_session *session) {
  hn_cli_add(text, "<h2>Repeat this run</h2>\n<pre>");
  hn_cli_add_xml(text, session->call.data);
  hn_cli_add(text, "</pre>\n<footer>holon %s · model %016llx · final state %016llx", hn_version(),
             hn_model_hash(session->model), hn_simulation_state_hash(session->simulation));
  time_t now = time(NULL);
  struct tm day;
  char stamp[40];
  if (gmtime_r(&now, &day) != NULL &&
      strftime(stamp, sizeof stamp, "%Y-%m-%d %H:%M UTC", &day) > 0) {
    hn_cli_add(text, " · %s", stamp);
  }
  hn_cli_add(text, "</footer>\n");
}

// Numbers for the script. "<" would end it early inside a name.
static void add_data(page *p) {
  hn_cli_text *text = p->text;
  hn_cli_text time = {0};
  add_column_data(&time, hn_results_time(p->shown), hn_results_row_count(p->shown),
                  stride_of(p->shown));
  hn_cli_add(text, "<script type=\"application/json\" id=\"data\">{\"time\":%s,\"plots\":[\n",
             time.data);
  for (size_t i = 0; i < p->data.length; i++) {
    if (p->data.data[i] == '<') {
      hn_cli_add(text, "\\u003c");
    } else {
      hn_cli_add_bytes(text, &p->data.data[i], 1);
    }
  }
  hn_cli_add(text, "]}</script>\n<script>\n");
  hn_cli_add_page_script(text);
  hn_cli_add(text, "</script>\n");
  hn_cli_text_free(&time);
}

void hn_cli_add_report(hn_cli_text *text, const hn_cli_session *session, const hn_results *shown,
                       const hn_cli_outcome *outcome, const hn_error *error,
                       const hn_cli_folder *film) {
  page p = {.text = text, .session = session, .shown = shown};
  hn_cli_text verdicts = {0};
  hn_verdict verdict = hn_cli_judge(session, outcome);
  hn_cli_add_verdict_table(&verdicts, session, &verdict);
  hn_cli_add(text,
             "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
             "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>");
  hn_cli_add_xml(text, session->name);
  hn_cli_add(text, " · holon</title>\n<style>\n");
  hn_cli_add_page_style(text);
  hn_cli_add(text, "</style></head>\n<body><main>\n<h1>");
  const char *title = hn_model_title(session->model);
  hn_cli_add_xml(text, title[0] != '\0' ? title : session->name);
  hn_cli_add(text, "</h1>\n");
  add_subtitle(text, session, outcome);
  add_banner(text, &verdict, outcome, error);
  add_scene(text, film);
  add_machine(text, session);
  add_outputs(&p);
  add_quality_plots(&p, outcome->is_kinematics);
  hn_cli_add_pace_report(text, session, outcome);
  hn_cli_add(text, "<h2>Certificate</h2>\n");
  hn_cli_add_bytes(text, verdicts.data, verdicts.length);
  add_warnings(text, session);
  add_events(text, session);
  add_foot(text, session);
  if (film != NULL) add_viewer(text, film);
  add_data(&p);
  hn_cli_add(text, "</main></body></html>\n");
  hn_cli_text_free(&verdicts);
  hn_cli_text_free(&p.data);
}
