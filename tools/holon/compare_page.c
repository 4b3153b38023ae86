// The page of `holon compare`: what to take, the drawing, the front, every run, what failed and why.
#include "compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add_call(hn_cli_text *text, const hn_cli_session *session, const hn_cli_comparison *c,
                     int point, int is_realtime) {
  const hn_cli_point *p = &c->points[point];
  hn_cli_text call = {0};
  hn_cli_add_run_call(&call, session->settings, &c->formulations[p->formulation], p->tol, p->step);
  if (is_realtime) hn_cli_add(&call, " --realtime");
  hn_cli_add(text, "<pre>");
  hn_cli_add_xml(text, call.data);
  hn_cli_add(text, "</pre>\n");
  hn_cli_text_free(&call);
}

static void add_realtime(hn_cli_text *text, const hn_cli_session *session,
                         const hn_cli_comparison *c, int point) {
  const hn_cli_point *p = &c->points[point];
  hn_cli_add(
      text,
      "<p>In real time, with a fixed step of %g s: error %.1e, %.3g × faster than the clock, "
      "longest step %.2g ms of CPU</p>\n",
      p->step, p->error, c->time / p->seconds, 1e3 * p->longest);
  add_call(text, session, c, point, 1);
}

// A run that serves for several accuracies is told once, for the best of them.
static void add_recommendations(hn_cli_text *text, const hn_cli_session *session,
                                const hn_cli_comparison *c) {
  int has_realtime = 0;
  hn_cli_add(text, "<h2>What to take</h2>\n");
  for (int k = 0; k < c->recommendation_count; k++) {
    const hn_cli_recommendation *r = &c->recommendations[k];
    const hn_cli_recommendation *next = k + 1 < c->recommendation_count ? r + 1 : NULL;
    if (r->point < 0) {
      hn_cli_add(text, "<p><b>Accuracy %g:</b> none of the runs reaches it; %s.</p>\n", r->accuracy,
                 hn_cli_why_none(c, r->accuracy));
      continue;
    }
    if (next != NULL && next->point == r->point && next->realtime == r->realtime) continue;
    const hn_cli_point *p = &c->points[r->point];
    hn_cli_add(text, "<p><b>Accuracy %g:</b> error %.1e in %.3g s of CPU, %ld steps</p>\n",
               r->accuracy, p->error, p->seconds, p->steps);
    add_call(text, session, c, r->point, 0);
    if (r->realtime >= 0) add_realtime(text, session, c, r->realtime);
    has_realtime |= r->realtime >= 0;
  }
  if (!has_realtime && c->realtime >= 0) {
    hn_cli_add(text, "<p><b>No fixed step keeps one of these accuracies in real time;</b> the best "
                     "is</p>\n");
    add_realtime(text, session, c, c->realtime);
  }
}

static void add_row(hn_cli_text *text, const hn_cli_comparison *c, const hn_cli_point *p,
                    int marks) {
  char name[160];
  hn_cli_add(text, "<tr%s><td>%s</td><td class=\"num\">%s %g</td>",
             marks && p->is_front ? " class=\"best\"" : "",
             hn_cli_point_name(c, p, name, sizeof name), p->step > 0 ? "step" : "tol",
             p->step > 0 ? p->step : p->tol);
  hn_cli_add(
      text,
      "<td class=\"num\">%.1e</td><td class=\"num\">%.4g s</td><td class=\"num\">%ld</td><td>",
      p->error, p->seconds, p->steps);
  hn_cli_add_xml(text, c->reference->signals[p->signal].name);
  hn_cli_add(text, "</td></tr>\n");
}

static void add_table(hn_cli_text *text, const hn_cli_comparison *c, int only_front) {
  int count;
  int *order = hn_cli_order_points(c, only_front, &count);
  hn_cli_add(text,
             "<div class=\"scroll\"><table class=\"wide\"><thead><tr><th>Coordinates / method / "
             "formula</th><th></th><th>Error</th><th>CPU</th><th>Steps</th><th>Worst in</th></tr>"
             "</thead>\n");
  for (int k = count - 1; k >= 0; k--) add_row(text, c, &c->points[order[k]], !only_front);
  hn_cli_add(text, "</table></div>\n");
  free(order);
}

// Runs without a result, and why. Apart: combinations without fixed steps or without error control.
static void add_failures(hn_cli_text *text, const hn_cli_comparison *c, int impossible) {
  int count = 0;
  char name[160];
  for (int k = 0; k < c->point_count; k++)
    count +=
        c->points[k].status != HN_OK && impossible == (c->points[k].status == HN_ERROR_UNSUPPORTED);
  if (count == 0) return;
  hn_cli_add(text,
             "<h2>%s</h2>\n<details><summary>%d %s</summary><div "
             "class=\"scroll\"><table class=\"wide\">\n",
             impossible ? "Do not exist" : "Without a result", count,
             impossible ? "combinations" : "runs");
  for (int k = 0; k < c->point_count; k++) {
    const hn_cli_point *p = &c->points[k];
    if (p->status == HN_OK || impossible != (p->status == HN_ERROR_UNSUPPORTED)) continue;
    hn_cli_add(text, "<tr class=\"weak\"><td>%s</td><td class=\"num\">%s %g</td><td>",
               hn_cli_point_name(c, p, name, sizeof name), p->step > 0 ? "step" : "tol",
               p->step > 0 ? p->step : p->tol);
    hn_cli_add_xml(text, p->reason);
    hn_cli_add(text, "</td></tr>\n");
  }
  hn_cli_add(text, "</table></div></details>\n");
}

static void add_headline(hn_cli_text *text, const hn_cli_comparison *c) {
  char words[700], a[160], b[160];
  const hn_verify *v = c->reference;
  int done = 0, all = 0;
  for (int k = 0; k < c->point_count; k++) {
    done += c->points[k].status == HN_OK;
    all += c->points[k].status != HN_ERROR_UNSUPPORTED;
  }
  snprintf(words, sizeof words, "Reference: %s at tolerance %.0e; %s confirms it to %.1e.%s%s",
           hn_formulation_text(&v->trials[c->trial].formulation, a, sizeof a), v->run_tol,
           hn_formulation_text(&v->trials[c->partner].formulation, b, sizeof b), c->uncertainty,
           c->time < v->time ? " " : "", c->time < v->time ? v->reason : "");
  char head[120];
  snprintf(head, sizeof head, "%d of %d runs came to an end%s.", done, all,
           c->is_over ? "; the budget was used up" : "");
  hn_cli_add_page_verdict(text, done == 0 ? "bad" : c->is_over ? "note" : "", head, words);
}

void hn_cli_add_compare_page(hn_cli_text *text, const hn_cli_session *session,
                             const hn_cli_comparison *c) {
  char subtitle[200];
  const double width = 1068, height = 560;
  snprintf(subtitle, sizeof subtitle,
           "compare · %.6g s · %d formulations · %d signals · %.0f s spent", c->time,
           c->formulation_count, c->reference->signal_count, c->ended - c->began);
  hn_cli_add_page_head(text, session, "compare", subtitle);
  add_headline(text, c);
  add_recommendations(text, session, c);
  hn_cli_add(text,
             "<h2>Work against precision</h2>\n<figure class=\"plot\"><svg class=\"pl\" "
             "viewBox=\"0 0 %.0f %.0f\" role=\"img\">\n",
             width, height);
  hn_cli_add_compare_plot(text, c, width, height);
  hn_cli_add(text,
             "</svg></figure>\n<h2>The front</h2>\n<p class=\"quiet\">Nothing is both faster and "
             "more accurate than these; errors below %.1e, the reference's own uncertainty, cannot "
             "be told.</p>\n",
             c->uncertainty);
  add_table(text, c, 1);
  hn_cli_add(text,
             "<h2>All runs</h2>\n<details><summary>Every run with a result; those of the front "
             "in bold</summary>\n");
  add_table(text, c, 0);
  hn_cli_add(text, "</details>\n");
  add_failures(text, c, 0);
  add_failures(text, c, 1);
  hn_cli_add_page_foot(text, session);
}
