// holon compare: many combinations of one model, error against CPU time, and which to take. Here the
// call and the words on the terminal; runs are in the library (holon/compare.h).
#include "compare.h"
#include "pages.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct compare_call {
  hn_cli_settings settings;
  hn_cli_list among, tols, steps;
  hn_compare_options options;
  hn_formulation *formulations;
  double *tol_list, *step_list;
} compare_call;

static int read_call(const hn_cli_command *command, int argc, char **argv, compare_call *call) {
  hn_cli_settings *s = &call->settings;
  const hn_cli_option options[] = {
      {"output", 'o', HN_CLI_STRING, &s->folder, "DIR", "write into DIR (out/NAME-compare)", NULL},
      {"time", 0, HN_CLI_TIME, &s->time, "T", "until T (s; or '20 ms', '2 min')", NULL},
      {"tol", 0, HN_CLI_LIST, &call->tols, "LIST",
       "tolerances to try, also the target accuracies (1e-3,...,1e-8)", NULL},
      {"step", 0, HN_CLI_LIST, &call->steps, "LIST",
       "fixed steps to try (10ms,...,0.5ms; none with --tol alone)", NULL},
      {"among", 0, HN_CLI_LIST, &call->among, "LIST",
       "only these, e.g. relative/rosenbrock,natural", NULL},
      {"signals", 0, HN_CLI_LIST, &s->signals, "GLOB",
       "signals to measure errors of (outputs; repeatable)", NULL},
      {"quick", 0, HN_CLI_FLAG, &call->options.is_quick, NULL,
       "fewer formulations and tolerances; about a minute", NULL},
      {"budget", 0, HN_CLI_TIME, &call->options.budget, "S",
       "time budget (300 s; with --quick 100 s)", NULL},
      {"set", 0, HN_CLI_LIST, &s->set, "NAME=VALUE", "override a parameter (repeatable)", NULL},
      HN_CLI_MODEL_OPTIONS(*s),
      {"allow-compiled", 0, HN_CLI_FLAG, &s->allow_compiled, NULL,
       "load sealed components (compiled code: only from sources you trust)", NULL},
      {"quiet", 0, HN_CLI_FLAG, &s->quiet, NULL, "no table, no progress", NULL},
      {"json", 0, HN_CLI_FLAG, &s->json, NULL, "print JSON; write files only with -o", NULL},
      {0},
  };
  int code = hn_cli_parse_one(command, options, argc, argv, &s->path);
  if (code >= 0) return code;
  hn_compare_options *o = &call->options;
  if (call->among.count > 0) {
    o->among_count = hn_cli_among(command->name, &call->among, &call->formulations);
    if (o->among_count < 0) return HN_CLI_WRONG;
  }
  o->tol_count = hn_cli_numbers(command->name, "tol", &call->tols, &call->tol_list);
  if (o->tol_count < 0) return HN_CLI_WRONG;
  o->step_count = hn_cli_numbers(command->name, "step", &call->steps, &call->step_list);
  o->among = call->formulations;
  o->tols = call->tol_list;
  o->steps = call->step_list;
  o->time = s->time;
  o->signals = s->signals.items;
  o->signal_count = s->signals.count;
  return o->step_count < 0 ? HN_CLI_WRONG : -1;
}

// ---- words --------------------------------------------------------------------------------------

static int *order_points(const hn_cli_comparison *c, int only_front, int *count) {
  int *order = hn_cli_allocate((size_t)c->point_count + 1, sizeof *order);
  *count = 0;
  for (int k = 0; k < c->point_count; k++) {
    const hn_cli_point *p = &c->points[k];
    if (p->status != HN_OK || (only_front && !p->is_front)) continue;
    int at = (*count)++;
    for (; at > 0 && c->points[order[at - 1]].error > p->error; at--) order[at] = order[at - 1];
    order[at] = k;
  }
  return order;
}

const char *hn_cli_point_name(const hn_cli_comparison *c, const hn_cli_point *p, char *text,
                              size_t size) {
  return hn_formulation_text(&c->formulations[p->formulation], text, size);
}

static void print_front(const hn_cli_comparison *c) {
  int count;
  int *order = order_points(c, 1, &count);
  char name[160];
  printf(
      "  Pareto front of error and CPU time (errors below %.1e are limited by the reference):\n\n"
      "  %-52s %12s %10s %12s\n",
      c->uncertainty, "formulation", "", "error", "CPU");
  for (int k = count - 1; k >= 0; k--) {
    const hn_cli_point *p = &c->points[order[k]];
    char level[32];
    snprintf(level, sizeof level, p->step > 0 ? "step %g" : "tol %g",
             p->step > 0 ? p->step : p->tol);
    printf("  %-52s %12s %10.1e %10.4f s\n", hn_cli_point_name(c, p, name, sizeof name), level,
           p->error, p->seconds);
  }
  free(order);
}

static void print_call(const hn_cli_session *session, const hn_cli_comparison *c, int point,
                       int is_realtime) {
  const hn_cli_point *p = &c->points[point];
  hn_cli_text call = {0};
  hn_cli_add_run_call(&call, session->settings, &c->formulations[p->formulation], p->tol, p->step);
  if (is_realtime) hn_cli_add(&call, " --realtime");
  printf("    %s\n", call.data);
  hn_string_free(&call);
}

static void print_realtime(const hn_cli_session *session, const hn_cli_comparison *c, int point) {
  const hn_cli_point *p = &c->points[point];
  printf("    step %g s: error %.1e, %.3g times faster than the clock, longest step %.2g ms\n",
         p->step, p->error, c->time / p->seconds, 1e3 * p->longest);
  print_call(session, c, point, 1);
}

const char *hn_cli_why_none(const hn_cli_comparison *c, double accuracy) {
  return 2 * c->uncertainty > accuracy ? "the reference is not that accurate"
                                       : "try a smaller --tol";
}

static void print_recommendations(const hn_cli_session *session, const hn_cli_comparison *c) {
  int has_realtime = 0;
  for (int k = 0; k < c->recommendation_count; k++) {
    const hn_cli_recommendation *r = &c->recommendations[k];
    const hn_cli_recommendation *next = k + 1 < c->recommendation_count ? r + 1 : NULL;
    if (r->point < 0) {
      printf("\n  For an accuracy of %g: no run reaches it; %s.\n", r->accuracy,
             hn_cli_why_none(c, r->accuracy));
      continue;
    }
    // the same run may serve for several: reported once, for the best of them
    if (next != NULL && next->point == r->point && next->realtime == r->realtime) continue;
    const hn_cli_point *p = &c->points[r->point];
    printf("\n  For an accuracy of %g: error %.1e in %.3g s of CPU\n", r->accuracy, p->error,
           p->seconds);
    print_call(session, c, r->point, 0);
    if (r->realtime < 0) continue;
    printf("  ... and in real time:\n");
    print_realtime(session, c, r->realtime);
    has_realtime = 1;
  }
  if (has_realtime || c->realtime < 0) return;
  printf("\n  Best in real time:\n");
  print_realtime(session, c, c->realtime);
}

static void print_failures(const hn_cli_comparison *c) {
  int failed = 0, stopped = 0, skipped = 0, impossible = 0;
  for (int k = 0; k < c->point_count; k++) {
    const hn_cli_point *p = &c->points[k];
    stopped += p->status == HN_ERROR_LIMIT;
    skipped += p->status == HN_ERROR_INTERRUPTED;
    impossible += p->status == HN_ERROR_UNSUPPORTED;
    failed += p->status != HN_OK;
  }
  failed -= stopped + skipped + impossible;
  printf("\n  %d runs", c->point_count - skipped - impossible);
  if (stopped > 0) printf(", %d stopped (far slower than the best)", stopped);
  if (failed > 0) printf(", %d failed", failed);
  if (skipped > 0) printf("; %d not run (budget of %g s used up)", skipped, c->budget);
  printf("%s\n", stopped + failed > 0 ? "; reasons are in the report" : "");
  if (impossible > 0)
    printf("  %d combinations not available (no fixed step, or no error control)\n", impossible);
}

void hn_cli_print_compare(const hn_cli_session *session, const hn_cli_comparison *c) {
  char a[160], b[160];
  const hn_verify *v = c->reference;
  printf("%s: %d formulations over %.4g s, %d signals\n", session->name, c->formulation_count,
         c->time, v->signal_count);
  printf("  Reference: %s at tolerance %.0e;\n    %s confirms it to %.1e\n",
         hn_formulation_text(&v->trials[c->trial].formulation, a, sizeof a), v->run_tol,
         hn_formulation_text(&v->trials[c->partner].formulation, b, sizeof b), c->uncertainty);
  if (c->time < v->time) printf("  %s\n", v->reason);
  putchar('\n');
  print_front(c);
  print_recommendations(session, c);
  print_failures(c);
}

// ---- the command --------------------------------------------------------------------------------

// Writes compare.json, and the page that draws it.
static hn_status write_page(hn_cli_session *session, const hn_cli_comparison *c, const char *facts,
                            const char *folder) {
  const hn_page_head head = hn_cli_page_head(session);
  hn_cli_json json = {0};
  char *page = NULL, *path = hn_cli_join(folder, "report.html");
  size_t size = 0;
  hn_json_open(&json, NULL, '{');
  hn_json_raw(&json, "compare", facts);
  hn_json_integer(&json, "formulations", c->formulation_count);
  hn_json_close(&json, '}');
  hn_cli_check_text(&json.text);
  hn_status status = hn_page_make(hn_cli_pages(), "compare", &head, json.text.data, &page, &size);
  status = hn_cli_write_page(path, status, page, size, &session->error);
  if (status != HN_OK) hn_cli_print_error(&session->error);
  hn_string_free(&json.text);
  free(path);
  return status;
}

static int write_files(hn_cli_session *session, const hn_cli_comparison *c, const char *folder) {
  hn_cli_json json = {0};
  hn_cli_text indented = {0};
  char *drawing = hn_cli_join(folder, "compare.svg");
  hn_cli_add_compare_json(&json, session, c);
  hn_string_indented(&indented, json.text.data);
  indented.is_lost |= json.text.is_lost;
  hn_error *error = &session->error;
  hn_status status = hn_make_folders(folder, error);
  if (status != HN_OK) hn_cli_print_error(error);
  if (status == HN_OK) status = hn_cli_write_into(folder, "compare.json", &indented, error);
  if (status == HN_OK) {
    status = hn_comparison_plot(c, session->name, drawing, error);
    if (status != HN_OK) hn_cli_print_error(error);
  }
  if (status == HN_OK) status = write_page(session, c, json.text.data, folder);
  hn_string_free(&json.text);
  hn_string_free(&indented);
  free(drawing);
  return status == HN_OK ? -1 : HN_CLI_FAILED;
}

static int finish(hn_cli_session *session, const hn_cli_comparison *c) {
  const hn_cli_settings *settings = session->settings;
  char *folder = hn_cli_study_folder(session, "compare");
  int code = folder != NULL ? write_files(session, c, folder) : -1;
  if (settings->json) {
    hn_cli_json json = {0};
    hn_cli_add_compare_json(&json, session, c);
    hn_cli_json_print(&json);
  } else if (!settings->quiet) {
    hn_cli_print_compare(session, c);
    if (folder != NULL) printf("  %s/report.html\n", folder);
  }
  free(folder);
  if (code >= 0) return code;
  for (int k = 0; k < c->point_count; k++)
    if (c->points[k].status == HN_OK) return HN_CLI_DONE;
  return HN_CLI_FAILED;
}

static int show(void *context, const char *what, double share) {
  return what == NULL ? !hn_cli_is_interrupted() : hn_cli_progress_show(context, what, share);
}

static int compare(hn_cli_session *session, compare_call *call) {
  hn_comparison *c = NULL;
  hn_cli_progress line = hn_cli_progress_begin(&call->settings);
  call->options.progress = show;
  call->options.context = &line;
  hn_status status = hn_compare_model(session->model, &call->options, &c, &session->error);
  hn_cli_progress_end(&line);
  if (status != HN_OK) return hn_cli_report_failure(call->settings.json, 0, &session->error);
  if (c->time < c->reference->time) call->settings.time = c->time; // for the calls it recommends
  int code = finish(session, c);
  hn_comparison_free(c);
  return code;
}

static int run(const hn_cli_command *command, int argc, char **argv) {
  hn_cli_session session = {0};
  compare_call call = {0};
  hn_cli_session_call(&session, argc, argv);
  int code = read_call(command, argc, argv, &call);
  if (code < 0) code = hn_cli_session_open(&session, &call.settings);
  if (code < 0) code = hn_cli_prepare_study(&session, "compare");
  if (code < 0) code = compare(&session, &call);
  hn_cli_session_close(&session);
  hn_cli_settings_free(&call.settings);
  hn_cli_list_free(&call.among);
  hn_cli_list_free(&call.tols);
  hn_cli_list_free(&call.steps);
  free(call.formulations);
  free(call.tol_list);
  free(call.step_list);
  return code;
}

const hn_cli_command hn_cli_compare_command = {
    .name = "compare",
    .arguments = "MODEL [options]",
    .summary = "try many solver settings; rank them by error and CPU time",
    .details =
        "Runs every available combination (or those of --among) at several tolerances and fixed\n"
        "steps against a reference, on which two formulations agree. The error is the largest\n"
        "difference of a signal over 1 + its largest value. Runs far slower than the best are\n"
        "stopped. Recommends the fastest call for every accuracy of --tol, and the largest fixed\n"
        "step that reaches it in real time.\n",
    .example = "  holon compare iltis.yaml --quick\n"
               "  holon compare press.yaml --among relative,SspTrap --tol 1e-4,1e-6 --budget 120\n",
    .run = run,
};
