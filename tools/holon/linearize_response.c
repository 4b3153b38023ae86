// Frequency response by motion: an input swings, the machine runs until its outputs repeat from one
// cycle to the next, and the first harmonic of each is taken. For what is not linear; beside it stands
// what A, B, C, D say.
//
// Within a cycle the input is given in short parabolas with its own value, rate and acceleration.
#include "linearize.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846
enum { PARTS = 128, MOST_CYCLES = 400, LEAST_CYCLES = 3 };
#define SAME 1e-4 // change of amplitude and phase from cycle to cycle, against the amplitude

typedef struct swing {
  hn_cli_session *session;
  const hn_linear *linear;
  int input, count; // outputs
  int *signal;      // (count)
  double mean, amplitude, frequency;
  double complex *found, *before; // first harmonic a unit of the input (count)
  double *rest, *values, *sum;    // what is left beside it, against it (count)
  int cycles;
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

// ---- motion -------------------------------------------------------------------------------------

static hn_status give(const swing *s, double start, double t) {
  const double w = 2 * PI * s->frequency, phase = w * (t - start);
  return hn_simulation_set_input_motion(
      s->session->simulation, s->input, s->mean + s->amplitude * sin(phase),
      s->amplitude * w * cos(phase), -s->amplitude * w * w * sin(phase));
}

// One cycle: harmonics and what is left of the outputs beside mean and first harmonic.
static hn_status cycle(swing *s, double start, double begin) {
  const double period = 1 / s->frequency;
  double *square = s->rest, *mean = s->sum;
  for (int o = 0; o < s->count; o++) s->found[o] = square[o] = mean[o] = 0;
  for (int k = 0; k < PARTS; k++) {
    const double t = begin + period * k / PARTS, next = begin + period * (k + 1) / PARTS;
    hn_simulation_signals(s->session->simulation, s->signal, s->count, s->values);
    const double complex turn = cexp(-I * 2 * PI * s->frequency * (t - start));
    for (int o = 0; o < s->count; o++) {
      mean[o] += s->values[o] / PARTS;
      square[o] += s->values[o] * s->values[o] / PARTS;
      s->found[o] += 2 * s->values[o] * turn / PARTS;
    }
    hn_status status = give(s, start, t);
    if (status == HN_OK) status = hn_simulation_advance(s->session->simulation, next);
    if (status != HN_OK) return status;
  }
  for (int o = 0; o < s->count; o++) {
    const double size = cabs(s->found[o]);
    const double left = square[o] - mean[o] * mean[o] - size * size / 2;
    s->rest[o] = size > 0 ? sqrt(fmax(left, 0) * 2) / size : 0;
    s->found[o] /= -I * s->amplitude; // of sin
  }
  return HN_OK;
}

static hn_status settle(swing *s) {
  const double start = hn_simulation_time(s->session->simulation);
  for (s->cycles = 1;; s->cycles++) {
    hn_status status = cycle(s, start, start + (s->cycles - 1) / s->frequency);
    if (status != HN_OK) return status;
    double change = 0;
    for (int o = 0; o < s->count; o++) {
      const double size = fmax(cabs(s->found[o]), cabs(s->before[o]));
      if (size > 0) change = fmax(change, cabs(s->found[o] - s->before[o]) / size);
      s->before[o] = s->found[o];
    }
    if ((s->cycles >= LEAST_CYCLES && change < SAME) || s->cycles >= MOST_CYCLES) return HN_OK;
  }
}

// ---- all frequencies ------------------------------------------------------------------------------

static void add_json(hn_cli_json *json, const swing *s, const double complex *linear) {
  hn_cli_json_open(json, NULL, '{');
  hn_cli_json_number(json, "frequency", s->frequency);
  hn_cli_json_integer(json, "cycles", s->cycles);
  hn_cli_json_open(json, "outputs", '{');
  for (int o = 0; o < s->count; o++) {
    hn_cli_json_open(json, s->linear->outputs[o], '{');
    hn_cli_json_number(json, "gain", cabs(s->found[o]));
    hn_cli_json_number(json, "phase", carg(s->found[o]) * 180 / PI);
    hn_cli_json_number(json, "amplitude", cabs(s->found[o]) * s->amplitude);
    hn_cli_json_number(json, "distortion", s->rest[o]);
    hn_cli_json_number(json, "linear_gain", cabs(linear[o]));
    hn_cli_json_number(json, "linear_phase", carg(linear[o]) * 180 / PI);
    hn_cli_json_close(json, '}');
  }
  hn_cli_json_close(json, '}');
  hn_cli_json_close(json, '}');
}

static void print_lines(const swing *s, const double complex *linear) {
  for (int o = 0; o < s->count; o++)
    printf("%12.6g  %-28s%14.6g%10.2f%14.6g%10.2f%12.4f%8d\n", s->frequency, s->linear->outputs[o],
           cabs(s->found[o]), carg(s->found[o]) * 180 / PI, cabs(linear[o]),
           carg(linear[o]) * 180 / PI, s->rest[o], s->cycles);
}

static hn_status all_frequencies(swing *s, const hn_cli_linearize *call, hn_cli_json *json) {
  double from, to;
  int count;
  read_frequencies(call->frequencies, &from, &to, &count);
  hn_simulation *simulation = s->session->simulation;
  const size_t size = hn_simulation_save_size(simulation);
  char *start = hn_cli_allocate(size + 1, 1);
  double complex *linear = hn_cli_allocate((size_t)s->count + 1, sizeof *linear);
  hn_status status = hn_simulation_save(simulation, start, size);
  for (int k = 0; status == HN_OK && k < count; k++) {
    s->frequency = count > 1 ? from * pow(to / from, (double)k / (count - 1)) : from;
    status = hn_simulation_restore(simulation, start, size);
    if (status == HN_OK) status = settle(s);
    if (status != HN_OK) break;
    hn_cli_linear_answer(s->linear, 0, s->frequency, linear);
    if (call->settings.json)
      add_json(json, s, linear);
    else
      print_lines(s, linear);
  }
  free(start);
  free(linear);
  return status;
}

static int find_ports(swing *s, const char *input) {
  const hn_model *model = s->session->model;
  s->input = hn_model_find_input(model, input);
  s->count = s->linear->output_count;
  s->signal = hn_cli_allocate((size_t)s->count + 1, sizeof *s->signal);
  for (int o = 0; o < s->count; o++)
    s->signal[o] = hn_simulation_find_signal(s->session->simulation, s->linear->outputs[o]);
  if (s->count == 0)
    return hn_cli_wrong_call("linearize", "--response needs outputs\n  Name signals by --outputs.");
  if (hn_model_input(model, s->input)->filter > 0)
    return hn_cli_wrong_call("linearize",
                             "input '%s' has a filter, which would change what swings\n  Take the "
                             "filter away, for instance by --with.",
                             input);
  return -1;
}

static void free_swing(swing *s) {
  free(s->signal);
  free(s->found);
  free(s->before);
  free(s->rest);
  free(s->values);
  free(s->sum);
}

static int respond(hn_cli_session *session, const hn_cli_linearize *call, const hn_linear *linear) {
  swing s = {.session = session, .linear = linear, .amplitude = call->amplitude};
  int code = find_ports(&s, call->response);
  const size_t room = (size_t)s.count + 1;
  s.found = hn_cli_allocate(room, sizeof *s.found);
  s.before = hn_cli_allocate(room, sizeof *s.before);
  s.rest = hn_cli_allocate(room, sizeof *s.rest);
  s.values = hn_cli_allocate(room, sizeof *s.values);
  s.sum = hn_cli_allocate(room, sizeof *s.sum);
  hn_cli_json json = {0};
  if (code < 0) {
    s.mean = hn_simulation_input(session->simulation, s.input);
    hn_cli_json_open(&json, NULL, '{');
    hn_cli_json_string(&json, "status", "ok");
    hn_cli_json_string(&json, "input", call->response);
    hn_cli_json_number(&json, "amplitude", s.amplitude);
    hn_cli_json_open(&json, "response", '[');
    if (!call->settings.json)
      printf("%12s  %-28s%14s%10s%14s%10s%12s%8s\n", "Hz", "output", "gain", "phase", "linear gain",
             "phase", "distortion", "cycles");
    hn_status status = all_frequencies(&s, call, &json);
    hn_cli_json_close(&json, ']');
    hn_cli_json_close(&json, '}');
    code = HN_CLI_DONE;
    if (status != HN_OK)
      code = hn_cli_report_failure(call->settings.json, hn_simulation_time(session->simulation),
                                   hn_simulation_error(session->simulation));
    else if (call->settings.json)
      hn_cli_json_print(&json);
  }
  hn_cli_text_free(&json.text);
  free_swing(&s);
  return code;
}

int hn_cli_response(hn_cli_linearize *call) {
  double from, to;
  int count;
  if (call->frequencies == NULL || !read_frequencies(call->frequencies, &from, &to, &count))
    return hn_cli_wrong_call("linearize",
                             "--response needs --frequencies FROM:TO:COUNT in Hz, above 0");
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
