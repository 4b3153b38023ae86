// holon linearize: small motions about a state. Matrices, eigenvalues, modes.
#include "linearize.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void hn_cli_add_linearize_json(hn_cli_json *json, const char *key, const hn_cli_session *session,
                               const hn_linear *l) {
  size_t needed = 0;
  hn_linear_json(l, session->simulation, NULL, 0, &needed);
  char *text = hn_cli_allocate(needed, 1);
  if (hn_linear_json(l, session->simulation, text, needed, NULL) != HN_OK) hn_cli_out_of_memory();
  hn_json_raw(json, key, text);
  free(text);
}

static void print_json(const hn_cli_session *session, const hn_linear *l) {
  hn_cli_json json = {0};
  hn_cli_add_linearize_json(&json, NULL, session, l);
  hn_cli_json_print(&json);
}

// ---- the state ----------------------------------------------------------------------------------

static int is_time(const char *at, double *time) {
  char *end = NULL;
  *time = strtod(at, &end);
  while (end != at && *end == ' ') end++;
  if (end == at || (*end != '\0' && strcmp(end, "s") != 0)) return 0;
  return isfinite(*time) && *time >= 0;
}

static int keeps_start(const char *at) {
  return strcmp(at, "start") == 0 || strcmp(at, "drawing") == 0;
}

static int check_at(const char *at) {
  double time;
  if (at == NULL || keeps_start(at) || strcmp(at, "equilibrium") == 0 || is_time(at, &time))
    return -1;
  return hn_cli_wrong_call(
      "linearize", "--at '%s' is not valid. Use start, drawing, equilibrium or a time in s", at);
}

static int fail(const hn_cli_session *session, const hn_error *error) {
  return hn_cli_report_failure(session->settings->json, hn_simulation_time(session->simulation),
                               error);
}

// The equilibrium as exactly as rounding permits.
static hn_status go_to_equilibrium(hn_simulation *simulation) {
  hn_statics_options options = hn_default_statics_options();
  options.tolerance = 1e-13;
  hn_status status = hn_simulation_equilibrium(simulation, &options, NULL);
  if (status != HN_OK) status = hn_simulation_equilibrium(simulation, NULL, NULL);
  return status == HN_OK ? hn_simulation_release_drivers(simulation) : status;
}

static int go_to(hn_cli_session *session, hn_cli_linearize *call) {
  hn_simulation *simulation = session->simulation;
  double time = 0;
  hn_status status = HN_OK;
  if (call->at == NULL)
    status = hn_simulation_find_operating_point(simulation, &call->point);
  else if (strcmp(call->at, "equilibrium") == 0)
    status = go_to_equilibrium(simulation);
  else if (is_time(call->at, &time)) {
    hn_cli_listen(simulation);
    status = hn_simulation_advance(simulation, time);
    hn_cli_stop_listening();
  }
  return status == HN_OK ? -1 : fail(session, hn_simulation_error(simulation));
}

int hn_cli_linearize_open(hn_cli_session *session, hn_cli_linearize *call) {
  int code = hn_cli_session_open(session, &call->settings);
  if (code < 0) code = go_to(session, call);
  return code;
}

// Names between commas; the words lie in *text.
static void split_names(const char *list, char **text, hn_cli_list *names) {
  if (list == NULL) return;
  *text = hn_cli_copy(list);
  for (char *word = strtok(*text, ","); word != NULL; word = strtok(NULL, ",")) {
    while (*word == ' ') word++;
    for (char *end = word + strlen(word); end > word && end[-1] == ' ';) *--end = '\0';
    if (*word != '\0') hn_cli_list_add(names, word);
  }
}

hn_linear *hn_cli_linearize_there(hn_cli_session *session, const hn_cli_linearize *call) {
  char *texts[2] = {NULL, NULL};
  hn_cli_list inputs = {0}, outputs = {0};
  hn_linear_options options = hn_default_linear_options();
  hn_linear *linear = NULL;
  static const char *const none[] = {NULL};
  split_names(call->inputs, &texts[0], &inputs);
  split_names(call->outputs, &texts[1], &outputs);
  if (call->inputs != NULL) options.inputs = inputs.count > 0 ? inputs.items : none;
  if (call->outputs != NULL) options.outputs = outputs.count > 0 ? outputs.items : none;
  options.input_count = inputs.count;
  options.output_count = outputs.count;
  options.modes = call->modes;
  options.is_dense = call->dense;
  options.is_steady = call->at == NULL ? call->point.kind == HN_OPERATING_EQUILIBRIUM
                                       : strcmp(call->at, "equilibrium") == 0;
  hn_simulation_linearize(session->simulation, &options, &linear, &session->error);
  hn_cli_list_free(&inputs);
  hn_cli_list_free(&outputs);
  free(texts[0]);
  free(texts[1]);
  return linear;
}

static void print_words(const hn_cli_session *session, const hn_linear *l) {
  char *text = NULL;
  if (hn_linear_text(l, session->simulation, &text) != HN_OK) hn_cli_out_of_memory();
  printf("%s %s", session->name, text);
  hn_text_free(text);
}

void hn_cli_linearize_warn(const hn_cli_linearize *call, const char *where) {
  const hn_error *reason = &call->point.reason;
  if (call->settings.quiet || call->at != NULL) return;
  fflush(stdout);
  if (call->point.drops_velocities)
    fprintf(stderr,
            "note: %slinearized at rest: the velocities of `initial:` are not steady. Use --at "
            "start to keep them.\n",
            where);
  if (reason->status != HN_OK)
    fprintf(stderr,
            "warning: %sno equilibrium near the start; linearized at the start instead: %s%s%s\n",
            where, reason->element, reason->element[0] ? " " : "", reason->message);
}

static int write_files(const hn_cli_session *session, const hn_cli_linearize *call,
                       const hn_linear *linear) {
  hn_error error = {0};
  if (call->mat != NULL && hn_linear_write_mat(linear, call->mat, &error) != HN_OK)
    return fail(session, &error);
  if (call->npz != NULL && hn_linear_write_npz(linear, call->npz, &error) != HN_OK)
    return fail(session, &error);
  if (call->shapes != NULL &&
      hn_cli_linearize_shapes(session, linear, call->shapes, &error) != HN_OK)
    return fail(session, &error);
  if (call->plot != NULL && hn_cli_linearize_plot(session, linear, call->plot, &error) != HN_OK)
    return fail(session, &error);
  return HN_CLI_DONE;
}

static int linearize(hn_cli_linearize *call) {
  hn_cli_session session = {0};
  hn_cli_add(&session.call, "%s", call->words.data);
  int code = hn_cli_linearize_open(&session, call);
  hn_linear *linear = code < 0 ? hn_cli_linearize_there(&session, call) : NULL;
  if (code < 0 && linear == NULL) {
    code = session.error.status == HN_ERROR_ARGUMENT ? HN_CLI_WRONG : HN_CLI_FAILED;
    fail(&session, &session.error);
  }
  if (code < 0) code = write_files(&session, call, linear);
  if (linear != NULL && code == HN_CLI_DONE) {
    if (call->settings.json) {
      print_json(&session, linear);
    } else {
      if (!call->settings.quiet) hn_cli_print_warnings(session.model, session.simulation, 100);
      print_words(&session, linear);
      hn_cli_linearize_warn(call, "");
    }
  }
  hn_linear_free(linear);
  hn_cli_session_close(&session);
  return code;
}

static int run(const hn_cli_command *command, int argc, char **argv) {
  hn_cli_linearize call = {.at = NULL};
  hn_cli_settings *s = &call.settings;
  hn_cli_add(&call.words, "holon");
  for (int i = 0; i < argc; i++) {
    hn_cli_add(&call.words, " ");
    hn_cli_add_shell_word(&call.words, argv[i]);
  }
  const hn_cli_option options[] = {
      {"at", 0, HN_CLI_STRING, &call.at, "WHERE",
       "state: start, drawing, equilibrium, or a time in s (equilibrium near the start)", NULL},
      {"inputs", 0, HN_CLI_STRING, &call.inputs, "A,B", "inputs of the model (all)", NULL},
      {"outputs", 0, HN_CLI_STRING, &call.outputs, "Y,Z", "signals (the outputs of the model)",
       NULL},
      {"modes", 0, HN_CLI_COUNT, &call.modes, "N", "only the N modes of lowest frequency (all)",
       NULL},
      {"dense", 0, HN_CLI_FLAG, &call.dense, NULL,
       "compute all modes and matrices even for more than 500 states", NULL},
      {"campbell", 0, HN_CLI_STRING, &call.campbell, "P=A:B:N",
       "eigenvalues over parameter P at N values from A to B", NULL},
      {"response", 0, HN_CLI_STRING, &call.response, "INPUT",
       "frequency response by simulation: this input is harmonic", NULL},
      {"frequencies", 0, HN_CLI_STRING, &call.frequencies, "A:B:N", "of --response, Hz", NULL},
      {"amplitude", 0, HN_CLI_POSITIVE, &call.amplitude, "X", "of --response, SI (1)", NULL},
      {"mat", 0, HN_CLI_STRING, &call.mat, "FILE", "write a MAT file (version 5)", NULL},
      {"npz", 0, HN_CLI_STRING, &call.npz, "FILE", "write an NPZ file", NULL},
      {"plot", 0, HN_CLI_STRING, &call.plot, "FILE",
       "draw poles and Bode diagrams (.svg, or .html with modes)", NULL},
      {"shapes", 0, HN_CLI_STRING, &call.shapes, "DIR",
       "write animations of the modes, for `holon view DIR --mode K`", NULL},
      hn_cli_row(&s->run, "coordinates", "coordinates of the run to the state"),
      hn_cli_row(&s->run, "tol", "tolerance of the run to the state"),
      {"set", 0, HN_CLI_LIST, &s->set, "NAME=VALUE", "override a parameter (repeatable)", NULL},
      HN_CLI_MODEL_OPTIONS(*s),
      {"strict", 0, HN_CLI_FLAG, &s->strict, NULL, "treat warnings as errors", NULL},
      {"quiet", 0, HN_CLI_FLAG, &s->quiet, NULL, "no warnings", NULL},
      {"json", 0, HN_CLI_FLAG, &s->json, NULL, "print JSON", NULL},
      {0},
  };
  int code = hn_cli_parse_one(command, options, argc, argv, &s->path);
  if (code < 0) code = check_at(call.at);
  if (call.shapes != NULL) s->run.coordinates = "cartesian"; // shapes move bodies individually
  s->run.skip_equilibrium = call.at != NULL && strcmp(call.at, "drawing") == 0;
  if (code < 0)
    code = call.campbell != NULL   ? hn_cli_campbell(&call)
           : call.response != NULL ? hn_cli_response(&call)
                                   : linearize(&call);
  hn_string_free(&call.words);
  hn_cli_settings_free(s);
  return code;
}

const hn_cli_command hn_cli_linearize_command = {
    .name = "linearize",
    .arguments = "MODEL [options]",
    .summary = "linearize about a state: matrices, eigenvalues, frequencies, modes",
    .details =
        "Prints A, B, C, D of x' = f0 + A x + B u, y = C x + D u in named independent\n"
        "coordinates, and the eigenvalues of A with the parts that move. The default state is\n"
        "the start of the run if it moves steadily, else the nearest equilibrium; --at selects\n"
        "another. At an equilibrium drivers continue: a driven rotor spins.\n",
    .example =
        "  holon linearize car.yaml\n"
        "  holon linearize servo.yaml --inputs voltage --outputs angle --json\n"
        "  holon linearize rotor.yaml --campbell omega=0:1000:21\n"
        "  holon linearize seat.yaml --response floor --frequencies 0.5:20:30 --amplitude 0.01\n",
    .run = run,
};
