// Eigenvalues over a parameter: the model is read again for every value.
#include "linearize.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct range {
  char name[128];
  double from, to;
  int count;
} range;

// NAME=FROM:TO:COUNT
static int read_range(const char *text, range *r) {
  const char *equals = strchr(text, '=');
  char *end = NULL;
  if (equals == NULL || equals == text || (size_t)(equals - text) >= sizeof r->name) return 0;
  snprintf(r->name, sizeof r->name, "%.*s", (int)(equals - text), text);
  r->from = strtod(equals + 1, &end);
  if (end == equals + 1 || *end != ':') return 0;
  const char *next = end + 1;
  r->to = strtod(next, &end);
  if (end == next || *end != ':') return 0;
  next = end + 1;
  const long count = strtol(next, &end, 10);
  if (end == next || *end != '\0' || count < 1 || count > 100000) return 0;
  r->count = (int)count;
  return isfinite(r->from) && isfinite(r->to);
}

static double value_at(const range *r, int k) {
  return r->count > 1 ? r->from + (r->to - r->from) * k / (r->count - 1) : r->from;
}

static void print_line(const hn_linear *l, double value, int is_first, const char *name) {
  if (is_first) {
    printf("%14s  %s\n", name, "frequency (Hz) and damping of each mode");
  }
  printf("%14.6g", value);
  for (int k = 0; k < l->mode_count; k++) {
    const hn_eigenvalue *e = &l->eigenvalues[l->modes[k].eigenvalue];
    printf("  %11.6g %8.4f", e->frequency, fabs(e->damping) < 5e-5 ? 0 : e->damping);
  }
  printf("\n");
}

static void add_eigenvalues(hn_cli_json *json, const hn_linear *l) {
  hn_json_open(json, "eigenvalues", '[');
  for (int k = 0; k < l->eigenvalue_count; k++) {
    const hn_eigenvalue *e = &l->eigenvalues[k];
    hn_json_open(json, NULL, '{');
    hn_json_number(json, "real", e->real);
    hn_json_number(json, "imag", e->imaginary);
    hn_json_number(json, "frequency", e->frequency);
    hn_json_number(json, "damping", e->damping);
    hn_json_close(json, '}');
  }
  hn_json_close(json, ']');
}

static int one_value(hn_cli_linearize *call, const range *r, int k, hn_cli_json *json) {
  hn_cli_session session = {0};
  char setting[192];
  const double value = value_at(r, k);
  snprintf(setting, sizeof setting, "%s=%.17g", r->name, value);
  hn_cli_list_add(&call->settings.set, setting);
  int code = hn_cli_linearize_open(&session, call);
  hn_linear *linear = code < 0 ? hn_cli_linearize_there(&session, call) : NULL;
  if (code < 0 && linear == NULL) {
    hn_cli_report_failure(call->settings.json, 0, &session.error);
    code = session.error.status == HN_ERROR_ARGUMENT ? HN_CLI_WRONG : HN_CLI_FAILED;
  }
  if (linear != NULL && call->settings.json) {
    hn_json_open(json, NULL, '{');
    hn_json_number(json, "value", value);
    hn_json_boolean(json, "equilibrium", linear->is_equilibrium);
    add_eigenvalues(json, linear);
    hn_json_close(json, '}');
  } else if (linear != NULL) {
    print_line(linear, value, k == 0, r->name);
    if (!linear->is_equilibrium)
      printf("%14s  not an equilibrium: rates change by up to %.4g per second, by %.4g more after "
             "1 s\n",
             "", linear->imbalance, linear->drift);
    snprintf(setting, sizeof setting, "%.127s = %g: ", r->name, value);
    hn_cli_linearize_warn(call, setting);
  }
  hn_linear_free(linear);
  hn_cli_session_close(&session);
  call->settings.set.count--;
  return code;
}

int hn_cli_campbell(hn_cli_linearize *call) {
  range r = {.count = 0};
  if (!read_range(call->campbell, &r))
    return hn_cli_wrong_call("linearize", "--campbell '%s' is not valid. Write NAME=FROM:TO:COUNT",
                             call->campbell);
  hn_cli_json json = {0};
  hn_json_open(&json, NULL, '{');
  hn_json_string(&json, "status", "ok");
  hn_json_string(&json, "parameter", r.name);
  hn_json_open(&json, "campbell", '[');
  int code = -1;
  for (int k = 0; code < 0 && k < r.count; k++) code = one_value(call, &r, k, &json);
  hn_json_close(&json, ']');
  hn_json_close(&json, '}');
  if (code < 0 && call->settings.json)
    hn_cli_json_print(&json);
  else
    hn_string_free(&json.text);
  return code < 0 ? HN_CLI_DONE : code;
}
