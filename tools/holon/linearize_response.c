// Frequency response by simulation (hn_simulation_swing), compared with that of A, B, C, D.
#include "linearize.h"
#include "math/elementary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct swing {
  hn_cli_session *session;
  const hn_linear *linear;
  int *signals;
  hn_swing given;
  hn_swing_result found;
  double *linear_y; // complex, as found.y
} swing;

// "A:B:N" by equal factors.
static int read_frequencies(const char *text, double *from, double *to, int *count) {
  char *end = NULL;
  *from = strtod(text, &end);
  if (end == text || !(*from > 0)) return 0;
  *to = *from;
  *count = 1;
  if (*end == '\0') return 1;
  if (*end != ':') return 0;
  const char *next = end + 1;
  *to = strtod(next, &end);
  if (end == next || *end != ':' || !(*to > 0)) return 0;
  next = end + 1;
  const long number = strtol(next, &end, 10);
  if (end == next || *end != '\0' || number < 1 || number > 100000) return 0;
  *count = (int)number;
  return 1;
}

static double gain(const double y[2]) { return hn_hypot(y[0], y[1]); }
static double phase(const double y[2]) {
  return hn_atan2(y[1], y[0]) * 180 / 3.14159265358979323846;
}

static void add_json(hn_cli_json *json, const swing *s) {
  hn_json_open(json, NULL, '{');
  hn_json_number(json, "frequency", s->given.frequency);
  hn_json_integer(json, "cycles", s->found.cycles);
  hn_json_open(json, "outputs", '{');
  for (int o = 0; o < s->given.signal_count; o++) {
    const double *y = &s->found.y[2 * o], *linear = &s->linear_y[2 * o];
    hn_json_open(json, s->linear->outputs[o], '{');
    hn_json_number(json, "gain", gain(y));
    hn_json_number(json, "phase", phase(y));
    hn_json_number(json, "amplitude", gain(y) * s->given.amplitude);
    hn_json_number(json, "distortion", s->found.distortion[o]);
    hn_json_number(json, "linear_gain", gain(linear));
    hn_json_number(json, "linear_phase", phase(linear));
    hn_json_close(json, '}');
  }
  hn_json_close(json, '}');
  hn_json_close(json, '}');
}

static void print_lines(const swing *s) {
  for (int o = 0; o < s->given.signal_count; o++) {
    const double *y = &s->found.y[2 * o], *linear = &s->linear_y[2 * o];
    printf("%12.6g  %-28s%14.6g%10.2f%14.6g%10.2f%12.4f%8d\n", s->given.frequency,
           s->linear->outputs[o], gain(y), phase(y), gain(linear), phase(linear),
           s->found.distortion[o], s->found.cycles);
  }
}

static hn_status all_frequencies(swing *s, const hn_cli_linearize *call, hn_cli_json *json) {
  double from, to;
  int count;
  read_frequencies(call->frequencies, &from, &to, &count);
  hn_simulation *simulation = s->session->simulation;
  const size_t size = hn_simulation_save_size(simulation);
  char *start = hn_cli_allocate(size + 1, 1);
  hn_status status = hn_simulation_save(simulation, start, size);
  for (int k = 0; status == HN_OK && k < count; k++) {
    s->given.frequency = count > 1 ? from * hn_pow(to / from, (double)k / (count - 1)) : from;
    status = hn_simulation_restore(simulation, start, size);
    if (status == HN_OK) status = hn_simulation_swing(simulation, &s->given, &s->found);
    if (status != HN_OK) break;
    if (hn_linear_response(s->linear, 0, s->given.frequency, s->linear_y) != HN_OK)
      for (int o = 0; o < 2 * s->given.signal_count; o++) s->linear_y[o] = NAN;
    if (call->settings.json)
      add_json(json, s);
    else
      print_lines(s);
  }
  free(start);
  return status;
}

static int find_ports(swing *s, const char *input) {
  const hn_model *model = s->session->model;
  const int count = s->linear->output_count;
  s->signals = hn_cli_allocate((size_t)count + 1, sizeof *s->signals);
  for (int o = 0; o < count; o++)
    s->signals[o] = hn_simulation_find_signal(s->session->simulation, s->linear->outputs[o]);
  s->given.input = hn_model_find_input(model, input);
  s->given.signals = s->signals;
  s->given.signal_count = count;
  if (count == 0)
    return hn_cli_wrong_call("linearize", "--response needs outputs\n  Name signals by --outputs.");
  if (hn_model_input(model, s->given.input)->filter > 0)
    return hn_cli_wrong_call("linearize",
                             "input '%s' has a filter, which distorts the excitation\n  Remove the "
                             "filter, for instance with --with.",
                             input);
  return -1;
}

static int respond(hn_cli_session *session, const hn_cli_linearize *call, const hn_linear *linear) {
  swing s = {.session = session, .linear = linear, .given = {.amplitude = call->amplitude}};
  int code = find_ports(&s, call->response);
  const size_t room = (size_t)s.given.signal_count + 1;
  s.found.y = hn_cli_allocate(room, 2 * sizeof(double));
  s.found.distortion = hn_cli_allocate(room, sizeof(double));
  s.linear_y = hn_cli_allocate(room, 2 * sizeof(double));
  hn_cli_json json = {0};
  if (code < 0) {
    hn_json_open(&json, NULL, '{');
    hn_json_string(&json, "status", "ok");
    hn_json_string(&json, "input", call->response);
    hn_json_number(&json, "amplitude", s.given.amplitude);
    hn_json_open(&json, "response", '[');
    if (!call->settings.json)
      printf("%12s  %-28s%14s%10s%14s%10s%12s%8s\n", "Hz", "output", "gain", "phase", "linear gain",
             "phase", "distortion", "cycles");
    hn_status status = all_frequencies(&s, call, &json);
    hn_json_close(&json, ']');
    hn_json_close(&json, '}');
    code = HN_CLI_DONE;
    if (status != HN_OK)
      code = hn_cli_report_failure(call->settings.json, hn_simulation_time(session->simulation),
                                   hn_simulation_error(session->simulation));
    else if (call->settings.json)
      hn_cli_json_print(&json);
  }
  hn_string_free(&json.text);
  free(s.signals);
  free(s.found.y);
  free(s.found.distortion);
  free(s.linear_y);
  return code;
}

int hn_cli_response(hn_cli_linearize *call) {
  double from, to;
  int count;
  if (call->frequencies == NULL || !read_frequencies(call->frequencies, &from, &to, &count))
    return hn_cli_wrong_call("linearize",
                             "no frequencies. Add --frequencies FROM:TO:COUNT in Hz, above 0");
  if (!(call->amplitude > 0)) call->amplitude = 1;
  call->inputs = call->response;
  call->dense = 1;
  hn_cli_session session = {0};
  int code = hn_cli_linearize_open(&session, call);
  hn_linear *linear = code < 0 ? hn_cli_linearize_there(&session, call) : NULL;
  if (code < 0 && linear == NULL) {
    hn_cli_report_failure(call->settings.json, 0, &session.error);
    code = session.error.status == HN_ERROR_ARGUMENT ? HN_CLI_WRONG : HN_CLI_FAILED;
  }
  if (code < 0) code = respond(&session, call, linear);
  hn_linear_free(linear);
  hn_cli_session_close(&session);
  return code;
}
