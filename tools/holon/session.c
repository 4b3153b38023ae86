// Opening a model and its simulation from what the user said.
#include "session.h"

#include "patience.h"
#include "pipes.h"
#include "ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void hn_cli_settings_free(hn_cli_settings *settings) {
  hn_cli_list_free(&settings->set);
  hn_cli_list_free(&settings->signals);
  hn_cli_list_free(&settings->inputs);
  hn_cli_list_free(&settings->served);
  hn_cli_list_free(&settings->with);
  hn_cli_list_free(&settings->packages);
}

void hn_cli_session_call(hn_cli_session *session, int argc, char **argv) {
  session->began = hn_run_clock(NULL);
  hn_cli_add(&session->call, "holon");
  for (int i = 0; i < argc; i++) {
    hn_cli_add(&session->call, " ");
    hn_cli_add_shell_word(&session->call, argv[i]);
    hn_cli_list_add(&session->words, argv[i]);
  }
}

// "models/four-bar.yaml" -> "four-bar"
static char *stem_of(const char *path) {
  const char *slash = strrchr(path, '/');
  char *stem = hn_cli_copy(slash != NULL ? slash + 1 : path);
  char *dot = strrchr(stem, '.');
  if (dot != NULL && dot != stem) *dot = '\0';
  return stem;
}

// Options that are not given stay undecided: the library takes them from the model, then its own
// defaults.
static hn_simulation_options make_options(const hn_cli_settings *settings) {
  hn_simulation_options options = settings->run;
  options.ranks = settings->ranks;
  return options;
}

enum { MOST_TRUSTED = 256 };

// Checksums of sealed components the user trusts, one a line: $HOLON_TRUSTED, or
// ~/.config/holon/trusted. Without the file, no component is trusted. The words point into the
// returned text.
static char *read_trusted(const char **words, int *count) {
  const char *path = getenv("HOLON_TRUSTED"), *home = getenv("HOME");
  char own[1024], *data = NULL;
  size_t size = 0;
  hn_error ignored = {0};
  *count = 0;
  if (path == NULL && home != NULL) {
    snprintf(own, sizeof own, "%s/.config/holon/trusted", home);
    path = own;
  }
  if (path == NULL || hn_file_read_text(path, &data, &size, &ignored) != HN_OK) return NULL;
  for (char *word = strtok(data, " \t\r\n"); word != NULL && *count < MOST_TRUSTED;
       word = strtok(NULL, " \t\r\n"))
    words[(*count)++] = word;
  return data;
}

// By commands of the user, then by processes of mpirun; to be freed.
static hn_component_channel *list_served(int *count) {
  const hn_component_channel *piped, *ranked;
  int pipes = hn_cli_pipes(&piped), ranks = hn_cli_served(&ranked);
  *count = pipes + ranks;
  hn_component_channel *all = hn_cli_allocate((size_t)*count + 1, sizeof *all);
  for (int k = 0; k < pipes; k++) all[k] = piped[k];
  for (int k = 0; k < ranks; k++) all[pipes + k] = ranked[k];
  return all;
}

// The model gets the springs, and the springs their table.
static hn_status open_pulls(hn_cli_session *session, hn_load_options *options) {
  if (hn_pulls_create(NULL, &session->pulls) != HN_OK) hn_cli_out_of_memory();
  options->complete = hn_pulls_complete;
  options->complete_context = session->pulls;
  return hn_pulls_read(session->pulls, session->settings->pulls, &session->error);
}

static int load(hn_cli_session *session, const hn_cli_settings *settings) {
  hn_load_options options = hn_default_load_options();
  options.settings = settings->set.items;
  options.setting_count = settings->set.count;
  options.overlays = settings->with.items;
  options.overlay_count = settings->with.count;
  options.packages = settings->packages.items;
  options.package_count = settings->packages.count;
  options.keyframe = settings->keyframe;
  options.max_entries = settings->max_entries;
  options.strict = settings->strict;
  options.allow_compiled = settings->allow_compiled;
  const char *trusted[MOST_TRUSTED];
  char *text = read_trusted(trusted, &options.trusted_count);
  options.trusted = trusted;
  hn_component_channel *served = list_served(&options.served_count);
  options.served = served;
  hn_error more[HN_LOAD_ERRORS];
  int more_count = 0;
  options.more = more;
  options.more_room = HN_LOAD_ERRORS;
  options.more_count = &more_count;
  hn_status status = HN_OK;
  if (settings->pulls != NULL) status = open_pulls(session, &options);
  if (status == HN_OK)
    status = hn_model_load(settings->path, &options, &session->model, &session->error);
  free(text);
  free(served);
  if (status == HN_OK) return -1;
  hn_cli_patience_explain(&session->error);
  hn_cli_report_failures(settings->json, &session->error, more, more_count);
  return status == HN_ERROR_MEMORY ? HN_CLI_FAILED : HN_CLI_WRONG;
}

static const double default_period = 1e-3; // s, in real time

static hn_status create_simulation(hn_cli_session *session, const hn_simulation_options *options) {
  if (!session->settings->realtime)
    return hn_simulation_create(session->model, options, &session->simulation, &session->error);
  hn_realtime_options loop = hn_default_realtime_options();
  const char *bound = session->settings->at_bound;
  loop.simulation = *options;
  if (!(loop.simulation.step > 0 || hn_model_defaults(session->model)->step > 0))
    loop.simulation.step = default_period;
  loop.at_bound = bound != NULL && strcmp(bound, "stop") == 0 ? HN_BOUND_STOP : HN_BOUND_ACCEPT;
  loop.clock = hn_run_clock;
  hn_status status = hn_realtime_create(session->model, &loop, &session->realtime, &session->error);
  if (status == HN_OK) session->simulation = hn_realtime_simulation(session->realtime);
  return status;
}

// Opens the inputs of --input; sets those that hold from the start.
static int open_inputs(hn_cli_session *session) {
  const hn_cli_list *words = &session->settings->inputs;
  if (words->count == 0) return -1;
  hn_status status = hn_inputs_create(session->model, words->items, words->count, &session->inputs,
                                      &session->error);
  if (status == HN_OK) status = hn_inputs_give(session->inputs, session->simulation);
  if (status == HN_OK) return -1;
  hn_cli_report_failure(session->settings->json, 0, &session->error);
  return HN_CLI_WRONG;
}

int hn_cli_session_open(hn_cli_session *session, const hn_cli_settings *settings) {
  session->settings = settings;
  int code = load(session, settings);
  if (code >= 0) return code;
  const char *name = hn_model_name(session->model);
  session->name = name != NULL && name[0] != '\0' ? hn_cli_copy(name) : stem_of(settings->path);
  hn_simulation_options options = make_options(settings);
  hn_status status = create_simulation(session, &options);
  if (status != HN_OK) {
    if (!settings->json && !settings->quiet) hn_cli_print_warnings(session->model, NULL, 5);
    hn_cli_patience_explain(&session->error);
    return hn_cli_report_failure(settings->json, 0, &session->error);
  }
  session->has_mobility = hn_simulation_mobility(session->simulation, &session->mobility) == HN_OK;
  if (hn_cli_judge_warnings(session) == HN_OK) return open_inputs(session);
  return hn_cli_report_failure(settings->json, 0, &session->error);
}

hn_status hn_cli_judge_warnings(hn_cli_session *session) {
  int count = 0;
  const hn_warning *first = NULL;
  for (int i = hn_simulation_warning_count(session->simulation) - 1; i >= 0; i--) {
    const hn_warning *warning = hn_simulation_warning(session->simulation, i);
    if (warning->is_note) continue;
    first = warning;
    count++;
  }
  if (!session->settings->strict || count == 0) return HN_OK;
  char more[32] = "";
  if (count > 1) snprintf(more, sizeof more, " (and %d more)", count - 1);
  return hn_cli_fail(&session->error, HN_ERROR_LIMIT,
                     "Fix it, or leave --strict out: then this is a warning.", "%s%s%s%s",
                     first->element, first->element[0] != '\0' ? " " : "", first->message, more);
}

void hn_cli_session_close(hn_cli_session *session) {
  hn_cli_list_free(&session->words);
  if (session->has_mobility) hn_mobility_free(&session->mobility);
  hn_inputs_free(session->inputs);
  if (session->realtime != NULL)
    hn_realtime_free(session->realtime);
  else
    hn_simulation_free(session->simulation);
  hn_model_free(session->model);
  hn_pulls_free(session->pulls);
  free(session->name);
  free(session->folder);
  hn_string_free(&session->note);
  hn_string_free(&session->call);
  *session = (hn_cli_session){0};
}
