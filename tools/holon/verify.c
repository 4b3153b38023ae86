// holon verify: the same model by independent formulations. The computing is the library's
// (hn_verify_model); here the call and the words on the terminal.
#include "among.h"
#include "pages.h"
#include "ranks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct verify_call {
  hn_cli_settings settings;
  hn_verify_options options;
  hn_cli_list among;
  hn_formulation *formulations;
} verify_call;

static int read_call(const hn_cli_command *command, int argc, char **argv, verify_call *c) {
  hn_cli_settings *s = &c->settings;
  const hn_cli_option options[] = {
      {"output", 'o', HN_CLI_STRING, &s->folder, "DIR", "write into DIR (out/NAME-verify)", NULL},
      {"time", 0, HN_CLI_TIME, &s->time, "T", "until T (s; or '20 ms', '2 min')", NULL},
      {"tol", 0, HN_CLI_POSITIVE, &c->options.tol, "E",
       "permitted difference is E (1 + largest value) (1e-4)", NULL},
      {"signals", 0, HN_CLI_LIST, &s->signals, "GLOB", "signals to compare (outputs; repeatable)",
       NULL},
      {"among", 0, HN_CLI_LIST, &c->among, "LIST", "only these, e.g. relative/rosenbrock,natural",
       NULL},
      {"most", 0, HN_CLI_COUNT, &c->options.most, "N", "max formulations with error control (5)",
       NULL},
      {"fixed", 0, HN_CLI_COUNT_0, &c->options.fixed, "N", "max formulations with fixed steps (3)",
       NULL},
      {"budget", 0, HN_CLI_TIME, &c->options.budget, "S", "CPU time budget (60 s)", NULL},
      {"set", 0, HN_CLI_LIST, &s->set, "NAME=VALUE", "override a parameter (repeatable)", NULL},
      HN_CLI_MODEL_OPTIONS(*s),
      {"allow-compiled", 0, HN_CLI_FLAG, &s->allow_compiled, NULL,
       "load sealed components (compiled code: only from sources you trust)", NULL},
      {"quiet", 0, HN_CLI_FLAG, &s->quiet, NULL, "no summary, no progress", NULL},
      {"json", 0, HN_CLI_FLAG, &s->json, NULL, "print JSON; write files only with -o", NULL},
      {0},
  };
  int code = hn_cli_parse_one(command, options, argc, argv, &s->path);
  if (code >= 0) return code;
  if (c->options.most < 2 || c->options.most > 12)
    return hn_cli_wrong_call(command->name, "--most %d is out of range. Use 2 to 12",
                             c->options.most);
  c->options.among_count = hn_cli_among(command->name, &c->among, &c->formulations);
  if (c->options.among_count < 0) return HN_CLI_WRONG;
  c->options.among = c->formulations;
  if (c->among.count == 0) c->options.among_count = 0; // the library's own choice
  c->options.signals = s->signals.items;
  c->options.signal_count = s->signals.count;
  c->options.time = s->time;
  return -1;
}

// ---- words --------------------------------------------------------------------------------------

static const char *trial_name(const hn_verify *v, int trial, char *text, size_t size) {
  if (trial < 0) return "-";
  return hn_formulation_text(&v->trials[trial].formulation, text, size);
}

static int *order_signals(const hn_verify *v) {
  int *order = hn_cli_allocate((size_t)v->signal_count + 1, sizeof *order);
  hn_verify_order_signals(v, order);
  return order;
}

static void add_json(hn_cli_json *json, const hn_cli_session *session, const hn_verify *v) {
  size_t needed = 0;
  hn_verify_json(v, session->name, NULL, 0, &needed);
  char *text = hn_cli_allocate(needed, 1);
  if (hn_verify_json(v, session->name, text, needed, NULL) != HN_OK) hn_cli_out_of_memory();
  hn_json_raw(json, NULL, text);
  free(text);
}

static void print_pairs(const hn_verify *v) {
  char a[128], b[128];
  for (int k = 0; k < v->pair_count; k++) {
    const hn_verify_pair *p = &v->pairs[k];
    if (!p->is_real) continue;
    printf("  DISAGREE  %s and %s\n            in %s by %.3g %s (permitted %.2g) at t = %.4g s, "
           "beyond the limit since t = %.4g s\n",
           trial_name(v, p->first, a, sizeof a), trial_name(v, p->second, b, sizeof b),
           v->signals[p->signal].name, p->difference, v->signals[p->signal].unit,
           v->signals[p->signal].allowed, p->at, p->since);
  }
  for (int k = 0; k < v->odd_count; k++)
    printf("  ODD ONE   %s\n", trial_name(v, v->odd[k], a, sizeof a));
  for (int k = 0; k < v->finding_count && k < 8; k++) {
    const hn_audit_finding *f = &v->findings[k];
    printf("  WRONG     %s%s%s: derivative of %s is %.8g, differences give %.8g (t = %.4g s)\n",
           f->element[0] ? f->element : "the equations", f->element[0] ? "" : " in coordinates ",
           f->coordinates, f->what, f->exact, f->difference, f->time);
  }
}

static void print_trials(const hn_verify *v) {
  char name[128];
  printf("  %-52s %9s %10s %10s\n", "formulation", "steps", "CPU", "reached");
  for (int k = 0; k < v->trial_count; k++) {
    const hn_trial *t = &v->trials[k];
    printf("  %-52s %9ld %8.3f s %8.4g s\n", trial_name(v, k, name, sizeof name),
           t->certificate.steps_accepted, t->certificate.cpu_seconds, t->reached);
    if (t->bar != NULL && t->step > 0)
      printf("    fixed step %.3g s, estimated error %.2g of the permitted difference\n", t->step,
             t->coarseness);
    if (t->bar != NULL && !(t->step > 0))
      printf("    steps controlled by energy, estimated error %.2g of the permitted difference\n",
             t->coarseness);
    if (t->status != HN_OK)
      printf("    ended early: %.*s\n", (int)strcspn(t->error.message, "\n"), t->error.message);
  }
}

static void print_signals(const hn_verify *v) {
  enum { most_signals = 10 };
  char a[128], b[128];
  int *order = order_signals(v);
  printf("  %-28s %10s %10s %-6s %10s   %s\n", "signal", "difference", "permitted", "unit", "at",
         "between");
  for (int k = 0; k < v->signal_count && k < most_signals; k++) {
    const hn_verify_signal *s = &v->signals[order[k]];
    printf("  %-28s %10.2e %10.2e %-6s %8.4g s   %s, %s\n", s->name, s->spread, s->allowed, s->unit,
           s->at, trial_name(v, s->first, a, sizeof a), trial_name(v, s->second, b, sizeof b));
  }
  if (v->signal_count > most_signals)
    printf("  %d more signals with smaller relative differences\n", v->signal_count - most_signals);
  free(order);
}

// Notes with the same reason are printed once; what the headline says is not said again.
static void print_notes(const char *title, const hn_verify_note *notes, int count,
                        const char *headline) {
  for (int k = 0; k < count; k++) {
    int is_first = 1, alike = 0;
    for (int i = 0; i < k; i++) is_first &= strcmp(notes[i].reason, notes[k].reason) != 0;
    if (!is_first) continue;
    for (int i = k; i < count; i++) alike += strcmp(notes[i].reason, notes[k].reason) == 0;
    if (strstr(headline, notes[k].reason) != NULL) {
      printf("  %s %d other%s, for the same reason\n", title, alike, alike == 1 ? "" : "s");
      continue;
    }
    printf("  %s %s", title, notes[k].subject);
    if (alike > 1) printf(" and %d more", alike - 1);
    printf(": %s\n", notes[k].reason);
  }
}

static void print_verify(const hn_cli_session *session, const hn_verify *v) {
  static const char *const headlines[] = {"AGREE", "AGREE UNTIL", "DISAGREE", "STOPPED",
                                          "UNDECIDED"};
  printf("%s: %s\n  %s\n", session->name, headlines[v->verdict], v->reason);
  print_pairs(v);
  putchar('\n');
  print_trials(v);
  if (v->trial_count > 1) {
    putchar('\n');
    print_signals(v);
  }
  if (v->derivatives > 0)
    printf("\n  %ld derivatives of forces and constraints compared with finite differences: %s\n",
           v->derivatives, v->finding_count > 0 ? "see above" : "all agree");
  print_notes("not compared:", v->free_signals, v->free_count, v->reason);
  print_notes("no vote:", v->refused, v->refused_count, v->reason);
  printf("  %.3g s of computing at tolerance %.0e\n", v->cpu_seconds, v->run_tol);
}

// ---- the command --------------------------------------------------------------------------------

static int show_progress(void *context, const char *what, double share) {
  if (what == NULL) return !hn_cli_is_interrupted();
  return hn_cli_progress_show(context, what, share);
}

static int write_files(hn_cli_session *session, const hn_verify *v, const char *folder) {
  hn_cli_json json = {0};
  hn_cli_text indented = {0};
  const hn_page_head head = hn_cli_page_head(session);
  char *page = NULL, *path = hn_cli_join(folder, "report.html");
  size_t size = 0;
  add_json(&json, session, v);
  hn_string_indented(&indented, json.text.data);
  indented.is_lost |= json.text.is_lost;
  hn_status status = hn_make_folders(folder, &session->error), made;
  if (status != HN_OK) hn_cli_print_error(&session->error);
  if (status == HN_OK)
    status = hn_cli_write_into(folder, "verify.json", &indented, &session->error);
  if (status == HN_OK) {
    made = hn_verify_page(hn_cli_pages(), &head, v, &page, &size);
    status = hn_cli_write_page(path, made, page, size, &session->error);
    if (status != HN_OK) hn_cli_print_error(&session->error);
  }
  hn_string_free(&json.text);
  hn_string_free(&indented);
  free(path);
  return status == HN_OK ? -1 : HN_CLI_FAILED;
}

static int verify(hn_cli_session *session, verify_call *call) {
  const hn_cli_settings *settings = &call->settings;
  hn_cli_progress line = hn_cli_progress_begin(settings);
  call->options.progress = show_progress;
  call->options.context = &line;
  hn_verify *v = NULL;
  hn_status status = hn_verify_model(session->model, &call->options, &v, &session->error);
  hn_cli_progress_end(&line);
  if (status != HN_OK) return hn_cli_report_failure(settings->json, 0, &session->error);
  char *folder = hn_cli_study_folder(session, "verify");
  int code = folder != NULL ? write_files(session, v, folder) : -1;
  if (settings->json) {
    hn_cli_json json = {0};
    add_json(&json, session, v);
    hn_cli_json_print(&json);
  } else if (!settings->quiet) {
    print_verify(session, v);
    if (folder != NULL) printf("  %s/report.html\n", folder);
  }
  if (code < 0)
    code = v->verdict == HN_VERIFY_AGREE || v->verdict == HN_VERIFY_AGREE_UNTIL ? HN_CLI_DONE
                                                                                : HN_CLI_FAILED;
  free(folder);
  hn_verify_free(v);
  return code;
}

static int run(const hn_cli_command *command, int argc, char **argv) {
  hn_cli_session session = {0};
  verify_call call = {.options = hn_default_verify_options()};
  hn_cli_session_call(&session, argc, argv);
  int code = read_call(command, argc, argv, &call);
  if (code < 0) code = hn_cli_session_open(&session, &call.settings);
  if (code < 0) code = hn_cli_prepare_study(&session, "verify");
  if (code < 0) code = verify(&session, &call);
  hn_cli_session_close(&session);
  hn_cli_settings_free(&call.settings);
  hn_cli_list_free(&call.among);
  free(call.formulations);
  return code;
}

const hn_cli_command hn_cli_verify_command = {
    .name = "verify",
    .arguments = "MODEL [options]",
    .summary = "solve a model with independent formulations and compare the results",
    .details =
        "Runs formulations that share as little code as possible at a thousandth of the tolerance\n"
        "and compares their outputs over time. If a tighter tolerance removes a difference, the\n"
        "motion is sensitive to errors and only the verified time is shortened. If not, it is a "
        "disagreement:\n"
        "the report names the pair, signal, time and outlier, and the exit code is 1. Derivatives\n"
        "of all forces and constraints are checked against finite differences.\n",
    .example = "  holon verify four-bar.yaml\n"
               "  holon verify iltis.yaml --time 2 --signals 'body.chassis.*' --budget 120\n",
    .run = run,
};
