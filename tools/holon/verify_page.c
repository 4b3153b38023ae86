// The page of `holon verify`: verdict, disagreements, the spread of every signal over time, who ran.
#include "report.h"
#include "svg.h"
#include "verify.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_plots = 24, most_lines = 40 };

// ---- plots --------------------------------------------------------------------------------------

static void add_plot_data(hn_cli_text *data, const hn_svg_panel *panel, const hn_svg_area *area,
                          const hn_verify_signal *signal, const double *spread, int rows) {
  hn_cli_add(data, "%s{\"size\":[%.0f,%.0f],\"area\":[%.2f,%.2f,%.2f,%.2f],",
             data->length > 0 ? ",\n" : "", panel->width, panel->height, area->left, area->top,
             area->width, area->height);
  hn_cli_add(data,
             "\"x\":[%.9g,%.9g],\"y\":[%.12g,%.12g],\"log\":%d,\"series\":[{\"n\":\"spread\","
             "\"u\":",
             area->x.low, area->x.high, area->y.low, area->y.high, area->y.is_log);
  hn_cli_add_json_string(data, signal->unit);
  hn_cli_add(data, ",\"c\":0,\"v\":[");
  for (int i = 0; i < rows; i++) {
    hn_cli_add(data, "%s", i > 0 ? "," : "");
    hn_cli_add(data, isfinite(spread[i]) ? "%.4g" : "null", spread[i]);
  }
  hn_cli_add(data, "]}]}");
}

// The spread with the line it may not cross. Exact agreement is drawn at the lower edge.
static void add_plot(hn_cli_text *text, hn_cli_text *data, const hn_verify *v, int index,
                     int number) {
  const hn_verify_signal *signal = &v->signals[index];
  double *spread = hn_cli_allocate((size_t)v->rows, sizeof *spread),
         floor_at = fmin(1e-6 * signal->allowed, fmax(1e-3 * signal->spread, 1e-16));
  for (int i = 0; i < v->rows; i++) {
    double value = v->spread[(size_t)i * (size_t)v->signal_count + (size_t)index];
    spread[i] = isinf(value) ? NAN : value < floor_at ? floor_at : value;
  }
  double ends[] = {v->grid[0], v->grid[v->rows - 1]};
  double limit[] = {signal->allowed, signal->allowed};
  hn_svg_series series[] = {
      {.name = "spread", .x = v->grid, .y = spread, .count = v->rows, .colour = 0},
      {.name = "allowed", .x = ends, .y = limit, .count = 2, .is_reference = 1}};
  hn_svg_panel panel = {.title = signal->name,
                        .x_label = "time (s)",
                        .y_label = signal->unit,
                        .series = series,
                        .series_count = 2,
                        .is_log = 1,
                        .has_legend = 1,
                        .width = 524,
                        .height = 260};
  hn_svg_area area;
  hn_cli_add(text,
             "<figure class=\"plot\" data-plot=\"%d\"><svg class=\"pl\" viewBox=\"0 0 %.0f %.0f\" "
             "role=\"img\">\n",
             number, panel.width, panel.height);
  hn_svg_add_panel(text, &panel, &area);
  hn_cli_add(text, "</svg></figure>\n");
  add_plot_data(data, &panel, &area, signal, spread, v->rows);
  free(spread);
}

static void add_plots(hn_cli_text *text, hn_cli_text *data, const hn_verify *v, const int *order) {
  if (v->trial_count < 2) return;
  int shown = v->signal_count < most_plots ? v->signal_count : most_plots;
  hn_cli_add(text,
             "<h2>Spread over time</h2>\n<p class=\"quiet\">The largest difference between any "
             "two formulations, against what is allowed.%s</p>\n<div class=\"plots\">\n",
             shown < v->signal_count ? " The signals nearest to it are shown." : "");
  for (int k = 0; k < shown; k++) add_plot(text, data, v, order[k], k);
  hn_cli_add(text, "</div>\n");
}

static void add_data(hn_cli_text *text, const hn_verify *v, const hn_cli_text *data) {
  if (data->length == 0) return;
  hn_cli_add(text, "<script type=\"application/json\" id=\"data\">{\"time\":[");
  for (int i = 0; i < v->rows; i++) hn_cli_add(text, "%s%.7g", i > 0 ? "," : "", v->grid[i]);
  hn_cli_add(text, "],\"plots\":[\n");
  for (size_t i = 0; i < data->length; i++) { // "<" would end the script early
    if (data->data[i] == '<')
      hn_cli_add(text, "\\u003c");
    else
      hn_cli_add_bytes(text, &data->data[i], 1);
  }
  hn_cli_add(text, "]}</script>\n<script>\n");
  hn_cli_add_page_script(text);
  hn_cli_add(text, "</script>\n");
}

// ---- tables -------------------------------------------------------------------------------------

static void add_cell(hn_cli_text *text, const char *string) {
  hn_cli_add(text, "<td>");
  hn_cli_add_xml(text, string);
  hn_cli_add(text, "</td>");
}

static void add_disagreements(hn_cli_text *text, const hn_verify *v) {
  char a[128], b[128];
  int count = v->finding_count;
  for (int k = 0; k < v->pair_count; k++) count += v->pairs[k].is_real;
  if (count == 0) return;
  hn_cli_add(text, "<h2>Disagreements</h2>\n<div class=\"scroll\"><table class=\"wide\">\n");
  for (int k = 0; k < v->pair_count; k++) {
    const hn_verify_pair *p = &v->pairs[k];
    if (!p->is_real) continue;
    hn_cli_add(text, "<tr><td><span class=\"dot bad\"></span></td>");
    add_cell(text, hn_cli_trial_name(v, p->first, a, sizeof a));
    add_cell(text, hn_cli_trial_name(v, p->second, b, sizeof b));
    add_cell(text, v->signals[p->signal].name);
    hn_cli_add(text, "<td class=\"num\">%.3g %s at %.4g s</td><td>beyond since %.4g s</td></tr>\n",
               p->difference, v->signals[p->signal].unit, p->at, p->since);
  }
  for (int k = 0; k < v->finding_count && k < most_lines; k++) {
    const hn_audit_finding *f = &v->findings[k];
    hn_cli_add(text, "<tr><td><span class=\"dot bad\"></span></td>");
    add_cell(text, f->element[0] != '\0' ? f->element : "equations");
    hn_cli_add(text,
               "<td>derivative of %s %s</td><td></td><td class=\"num\">%.6g, by differences "
               "%.6g</td><td>at %.4g s</td></tr>\n",
               f->what, f->coordinates, f->exact, f->difference, f->time);
  }
  hn_cli_add(text, "</table></div>\n");
  if (v->odd_count > 0) {
    hn_cli_add(text, "<p>The odd one%s: ", v->odd_count > 1 ? "s" : "");
    for (int k = 0; k < v->odd_count; k++)
      hn_cli_add(text, "%s<b>%s</b>", k > 0 ? ", " : "",
                 hn_cli_trial_name(v, v->odd[k], a, sizeof a));
    hn_cli_add(text, "%s%s.</p>\n", v->common[0] != '\0' ? "; only they have " : "", v->common);
  }
}

static void add_signals(hn_cli_text *text, const hn_verify *v, const int *order) {
  char a[128], b[128];
  hn_cli_add(text, "<h2>Error bars</h2>\n<div class=\"scroll\"><table class=\"wide\"><thead><tr>"
                   "<th></th><th>Signal</th><th>Largest spread</th><th>Allowed</th><th>At</th>"
                   "<th>Between</th></tr></thead>\n");
  int shown = v->signal_count < most_lines ? v->signal_count : most_lines;
  for (int k = 0; k < shown; k++) {
    const hn_verify_signal *s = &v->signals[order[k]];
    int is_beyond = s->spread > s->allowed;
    hn_cli_add(text, "<tr><td><span class=\"dot%s\"></span></td>",
               !is_beyond                         ? ""
               : v->verdict == HN_VERIFY_DISAGREE ? " bad"
                                                  : " note");
    add_cell(text, s->name);
    hn_cli_add(text,
               "<td class=\"num\">± %.2e %s</td><td class=\"num\">%.2e</td>"
               "<td class=\"num\">%.4g s</td><td>%s<br>%s</td></tr>\n",
               s->spread, s->unit, s->allowed, s->at, hn_cli_trial_name(v, s->first, a, sizeof a),
               hn_cli_trial_name(v, s->second, b, sizeof b));
  }
  hn_cli_add(text, "</table></div>\n");
  if (shown < v->signal_count)
    hn_cli_add(text, "<p class=\"quiet\">%d more are in verify.json.</p>\n",
               v->signal_count - shown);
}

static void add_trials(hn_cli_text *text, const hn_verify *v) {
  char name[128];
  hn_cli_add(text,
             "<h2>Formulations</h2>\n<div class=\"scroll\"><table class=\"wide\"><thead><tr>"
             "<th>Coordinates / method / formula</th><th>Tolerance</th><th>Steps</th><th>Events"
             "</th><th>CPU</th><th>Reached</th></tr></thead>\n");
  for (int k = 0; k < v->trial_count; k++) {
    const hn_trial *t = &v->trials[k];
    hn_cli_add(
        text,
        "<tr><td>%s</td><td class=\"num\">%.0e</td><td class=\"num\">%ld</td>"
        "<td class=\"num\">%ld</td><td class=\"num\">%.3g s</td><td class=\"num\">%.4g s</td>"
        "</tr>\n",
        hn_cli_trial_name(v, k, name, sizeof name), t->tol, t->certificate.steps_accepted,
        t->certificate.events, t->certificate.cpu_seconds, t->reached);
    if (t->status == HN_OK) continue;
    hn_cli_add(text, "<tr class=\"weak\"><td colspan=\"6\">not to the end: ");
    hn_cli_add_xml(text, t->error.message);
    hn_cli_add(text, "</td></tr>\n");
  }
  hn_cli_add(text, "</table></div>\n");
  if (v->derivatives > 0)
    hn_cli_add(text,
               "<p class=\"quiet\">%ld derivatives were compared with sixth-order differences at "
               "states of the motion%s.</p>\n",
               v->derivatives, v->finding_count > 0 ? "" : ": all right");
}

// Notes with the same reason stand in one line.
static void add_notes(hn_cli_text *text, const char *title, const hn_verify_note *notes,
                      int count) {
  if (count == 0) return;
  hn_cli_add(text, "<h2>%s</h2>\n<table class=\"wide\">\n", title);
  for (int k = 0, lines = 0; k < count && lines < most_lines; k++) {
    int is_first = 1, listed = 0;
    for (int i = 0; i < k; i++) is_first &= strcmp(notes[i].reason, notes[k].reason) != 0;
    if (!is_first) continue;
    lines++;
    hn_cli_add(text, "<tr><td>");
    for (int i = k; i < count; i++) {
      if (strcmp(notes[i].reason, notes[k].reason) != 0) continue;
      if (listed++ == 6) hn_cli_add(text, ", …");
      if (listed > 6) continue;
      hn_cli_add(text, "%s", listed > 1 ? ", " : "");
      hn_cli_add_xml(text, notes[i].subject);
    }
    hn_cli_add(text, "</td>");
    add_cell(text, notes[k].reason);
    hn_cli_add(text, "</tr>\n");
  }
  hn_cli_add(text, "</table>\n");
}

void hn_cli_add_verify_page(hn_cli_text *text, const hn_cli_session *session, const hn_verify *v) {
  static const char *const classes[] = {"", "note", "bad", "bad", "bad"};
  static const char *const headlines[] = {
      "Independent formulations agree.", "Independent formulations agree, for a part of the time.",
      "Independent formulations disagree.",
      "The machine cannot go on: independent formulations agree until then.",
      "There is nothing to compare with."};
  char subtitle[200];
  snprintf(subtitle, sizeof subtitle,
           "verify · %.6g s · %d formulations · %d signals · allowed %g × (1 + largest value)",
           v->time, v->trial_count, v->signal_count, v->tol);
  int *order = hn_cli_order_signals(v);
  hn_cli_text data = {0};
  hn_cli_add_page_head(text, session, "verify", subtitle);
  hn_cli_add_page_verdict(text, classes[v->verdict], headlines[v->verdict], v->reason);
  add_disagreements(text, v);
  if (v->trial_count > 1) add_signals(text, v, order);
  add_plots(text, &data, v, order);
  add_trials(text, v);
  add_notes(text, "Not compared", v->free_signals, v->free_count);
  add_notes(text, "No vote", v->refused, v->refused_count);
  add_data(text, v, &data);
  hn_cli_add_page_foot(text, session);
  hn_cli_text_free(&data);
  free(order);
}
