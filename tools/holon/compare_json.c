// holon compare as JSON.
#include "compare.h"

#include <math.h>
#include <string.h>

static void add_call(hn_cli_json *json, const char *key, const hn_cli_session *session,
                     const hn_cli_comparison *c, const hn_cli_point *p, int is_realtime) {
  hn_cli_text call = {0};
  hn_cli_add_run_call(&call, session->settings, &c->formulations[p->formulation], p->tol, p->step);
  if (is_realtime) hn_cli_add(&call, " --realtime");
  hn_json_string(json, key, call.data);
  hn_string_free(&call);
}

static void add_point(hn_cli_json *json, const char *key, const hn_cli_session *session,
                      const hn_cli_comparison *c, const hn_cli_point *p) {
  const hn_formulation *f = &c->formulations[p->formulation];
  hn_json_open(json, key, '{');
  hn_json_string(json, "coordinates", f->coordinates);
  hn_json_string(json, "method", f->method);
  hn_json_string(json, "formula", f->formula);
  hn_json_string(json, "independent", f->independent);
  if (p->used[0] != '\0') hn_json_string(json, "used", p->used);
  if (p->tol > 0) hn_json_number(json, "tol", p->tol);
  if (p->step > 0) hn_json_number(json, "step", p->step);
  hn_json_string(json, "status", hn_status_name(p->status));
  if (p->status == HN_OK) {
    hn_json_number(json, "error", p->error);
    hn_json_string(json, "signal", c->reference->signals[p->signal].name);
    hn_json_boolean(json, "front", p->is_front);
  } else {
    hn_json_string(json, "reason", p->reason);
  }
  hn_json_number(json, "cpu_seconds", p->seconds);
  hn_json_number(json, "longest_step_seconds", p->longest);
  hn_json_integer(json, "steps", p->steps);
  if (key != NULL) add_call(json, "command", session, c, p, strcmp(key, "run") != 0);
  hn_json_close(json, '}');
}

static void add_reference(hn_cli_json *json, const hn_cli_comparison *c) {
  const hn_verify *v = c->reference;
  char a[160], b[160];
  hn_json_open(json, "reference", '{');
  hn_json_string(json, "formulation",
                 hn_formulation_text(&v->trials[c->trial].formulation, a, sizeof a));
  hn_json_string(json, "confirmed_by",
                 hn_formulation_text(&v->trials[c->partner].formulation, b, sizeof b));
  hn_json_number(json, "tol", v->run_tol);
  hn_json_number(json, "uncertainty", c->uncertainty);
  hn_json_string(json, "verdict", hn_verify_verdict_name(v->verdict));
  hn_json_string(json, "reason", v->reason);
  hn_json_open(json, "signals", '[');
  for (int k = 0; k < v->signal_count; k++) hn_json_string(json, NULL, v->signals[k].name);
  hn_json_close(json, ']');
  hn_json_close(json, '}');
}

void hn_cli_add_compare_json(hn_cli_json *json, const hn_cli_session *session,
                             const hn_cli_comparison *c) {
  hn_json_open(json, NULL, '{');
  hn_json_string(json, "status", "ok");
  hn_json_string(json, "model", session->name);
  hn_json_number(json, "time", c->time);
  hn_json_number(json, "seconds", c->ended - c->began);
  hn_json_boolean(json, "budget_used_up", c->is_over);
  add_reference(json, c);
  hn_json_open(json, "recommendations", '[');
  for (int k = 0; k < c->recommendation_count; k++) {
    const hn_cli_recommendation *r = &c->recommendations[k];
    hn_json_open(json, NULL, '{');
    hn_json_number(json, "accuracy", r->accuracy);
    if (r->point < 0) hn_json_string(json, "why_none", hn_cli_why_none(c, r->accuracy));
    if (r->point >= 0) add_point(json, "run", session, c, &c->points[r->point]);
    if (r->realtime >= 0) add_point(json, "realtime", session, c, &c->points[r->realtime]);
    hn_json_close(json, '}');
  }
  hn_json_close(json, ']');
  if (c->realtime >= 0) add_point(json, "realtime_best", session, c, &c->points[c->realtime]);
  hn_json_open(json, "runs", '[');
  for (int k = 0; k < c->point_count; k++) add_point(json, NULL, session, c, &c->points[k]);
  hn_json_close(json, ']');
  hn_json_close(json, '}');
}
