// Results of hn_verify_model as JSON.
#include <math.h>

#include "base/arena.h"
#include "base/json_writer.h"
#include "holon/verify.h"

void hn_verify_order_signals(const hn_verify *v, int *order) {
  for (int k = 0; k < v->signal_count; k++) {
    const double ratio = v->signals[k].spread / v->signals[k].allowed;
    int at = k;
    for (; at > 0; at--) {
      const hn_verify_signal *other = &v->signals[order[at - 1]];
      if (other->spread / other->allowed >= ratio) break;
      order[at] = order[at - 1];
    }
    order[at] = k;
  }
}

static void add_formulation(hn_json_writer *json, const hn_formulation *f) {
  hn_json_string(json, "coordinates", f->coordinates);
  hn_json_string(json, "method", f->method);
  hn_json_string(json, "formula", f->formula);
  hn_json_string(json, "independent", f->independent);
}

static void add_name(hn_json_writer *json, const char *key, const hn_verify *v, int trial) {
  char text[128];
  const char *name =
      trial < 0 ? "-" : hn_formulation_text(&v->trials[trial].formulation, text, sizeof text);
  hn_json_string(json, key, name);
}

static void add_trials(hn_json_writer *json, const hn_verify *v) {
  hn_json_open(json, "formulations", '[');
  for (int k = 0; k < v->trial_count; k++) {
    const hn_trial *t = &v->trials[k];
    hn_json_open(json, NULL, '{');
    add_name(json, "name", v, k);
    add_formulation(json, &t->formulation);
    if (t->step > 0)
      hn_json_number(json, "step", t->step);
    else
      hn_json_number(json, "tol", t->tol);
    if (t->bar != NULL) hn_json_number(json, "bar", t->coarseness); // against what is allowed
    hn_json_string(json, "status", hn_status_name(t->status));
    hn_json_number(json, "reached", t->reached);
    if (t->status != HN_OK) hn_json_string(json, "reason", t->error.message);
    hn_json_integer(json, "steps", t->certificate.steps_accepted);
    hn_json_integer(json, "events", t->certificate.events);
    hn_json_number(json, "cpu_seconds", t->certificate.cpu_seconds);
    hn_json_close(json, '}');
  }
  hn_json_close(json, ']');
}

static void add_signals(hn_json_writer *json, const hn_verify *v, const int *order) {
  hn_json_open(json, "signals", '[');
  for (int k = 0; k < v->signal_count; k++) {
    const hn_verify_signal *s = &v->signals[order[k]];
    hn_json_open(json, NULL, '{');
    hn_json_string(json, "name", s->name);
    hn_json_string(json, "unit", s->unit);
    hn_json_number(json, "spread", s->first < 0 ? NAN : s->spread); // null: nothing to compare
    hn_json_number(json, "allowed", s->allowed);
    hn_json_number(json, "time", s->at);
    hn_json_open(json, "pair", '[');
    add_name(json, NULL, v, s->first);
    add_name(json, NULL, v, s->second);
    hn_json_close(json, ']');
    hn_json_close(json, '}');
  }
  hn_json_close(json, ']');
  hn_json_open(json, "not_compared", '[');
  for (int k = 0; k < v->free_count; k++) {
    hn_json_open(json, NULL, '{');
    hn_json_string(json, "signal", v->free_signals[k].subject);
    hn_json_string(json, "reason", v->free_signals[k].reason);
    hn_json_close(json, '}');
  }
  hn_json_close(json, ']');
}

static void add_pairs(hn_json_writer *json, const hn_verify *v) {
  hn_json_open(json, "pairs", '[');
  for (int k = 0; k < v->pair_count; k++) {
    const hn_verify_pair *p = &v->pairs[k];
    hn_json_open(json, NULL, '{');
    add_name(json, "first", v, p->first);
    add_name(json, "second", v, p->second);
    hn_json_boolean(json, "disagree", p->is_real);
    hn_json_number(json, "ratio", p->ratio);
    hn_json_string(json, "signal", v->signals[p->signal].name);
    hn_json_number(json, "difference", p->difference);
    hn_json_number(json, "time", p->at);
    hn_json_number(json, "since", p->since); // null: never
    hn_json_number(json, "until", p->until);
    if (p->shrink > 0) hn_json_number(json, "shrink", p->shrink);
    hn_json_close(json, '}');
  }
  hn_json_close(json, ']');
  hn_json_open(json, "odd", '[');
  for (int k = 0; k < v->odd_count; k++) add_name(json, NULL, v, v->odd[k]);
  hn_json_close(json, ']');
  if (v->common[0] != '\0') hn_json_string(json, "odd_have", v->common);
}

static void add_findings(hn_json_writer *json, const hn_verify *v) {
  hn_json_open(json, "derivatives", '{');
  hn_json_integer(json, "compared", v->derivatives);
  hn_json_open(json, "wrong", '[');
  for (int k = 0; k < v->finding_count; k++) {
    const hn_audit_finding *f = &v->findings[k];
    hn_json_open(json, NULL, '{');
    hn_json_string(json, "element", f->element);
    hn_json_string(json, "coordinates", f->coordinates);
    hn_json_string(json, "what", f->what);
    hn_json_number(json, "error", f->error);
    hn_json_number(json, "exact", f->exact);
    hn_json_number(json, "difference", f->difference);
    hn_json_number(json, "time", f->time);
    hn_json_close(json, '}');
  }
  hn_json_close(json, ']');
  hn_json_close(json, '}');
}

static void add_all(hn_json_writer *json, const hn_verify *v, const char *model, const int *order) {
  hn_json_open(json, NULL, '{');
  hn_json_string(json, "status", hn_verify_verdict_name(v->verdict));
  hn_json_string(json, "reason", v->reason);
  hn_json_string(json, "model", model);
  hn_json_number(json, "time", v->time);
  hn_json_number(json, "until", v->until);
  hn_json_number(json, "tol", v->tol);
  hn_json_number(json, "run_tol", v->run_tol);
  hn_json_boolean(json, "sensitive", v->is_sensitive);
  if (v->growth > 0) hn_json_number(json, "growth_time", v->growth);
  add_pairs(json, v);
  add_signals(json, v, order);
  add_trials(json, v);
  hn_json_open(json, "did_not_run", '[');
  for (int k = 0; k < v->refused_count; k++) {
    hn_json_open(json, NULL, '{');
    hn_json_string(json, "formulation", v->refused[k].subject);
    hn_json_string(json, "reason", v->refused[k].reason);
    hn_json_close(json, '}');
  }
  hn_json_close(json, ']');
  add_findings(json, v);
  hn_json_number(json, "cpu_seconds", v->cpu_seconds);
  hn_json_close(json, '}');
}

hn_status hn_verify_json(const hn_verify *v, const char *model, char *text, size_t size,
                         size_t *needed) {
  hn_json_writer json = {0};
  int *order = hn_allocate(NULL, ((size_t)v->signal_count + 1) * sizeof *order);
  if (order == NULL) return HN_ERROR_MEMORY;
  hn_verify_order_signals(v, order);
  add_all(&json, v, model, order);
  hn_status status = hn_string_give(&json.text, text, size, needed);
  if (text == NULL && status == HN_ERROR_LIMIT) status = HN_OK; // it was only asked for
  hn_string_free(&json.text);
  hn_release(NULL, order);
  return status;
}
