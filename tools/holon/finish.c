// After a run: its files, and a summary or JSON on the standard output.
#include "live.h"
#include "session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The state is that of the last accepted step, so an interrupted run can continue too.
static hn_status save_state(hn_cli_session *session) {
  const char *path = session->settings->save_state;
  if (path == NULL) return HN_OK;
  size_t size = hn_simulation_save_size(session->simulation);
  char *buffer = hn_cli_allocate(size, 1);
  hn_status status = hn_simulation_save(session->simulation, buffer, size);
  if (status == HN_OK)
    status = hn_file_write_bytes(path, buffer, size, &session->error);
  else
    hn_cli_fail(&session->error, status, NULL,
                "the state cannot be saved: %s. Check the path of --save-state",
                hn_status_text(status));
  free(buffer);
  return status;
}

// With --strict a run that cannot be trusted has failed.
static hn_status judge_strictly(hn_cli_session *session, const hn_run_outcome *outcome) {
  if (!session->settings->strict) return HN_OK;
  for (int i = 0; i < hn_model_output_count(session->model); i++) {
    double ignored; // one that is no number is a warning once it is read
    hn_simulation_value(session->simulation, hn_model_output_name(session->model, i), &ignored);
  }
  hn_status status = hn_cli_judge_warnings(session); // those that came on the way
  if (status != HN_OK) return status;
  hn_verdict verdict = hn_run_verdict(session->simulation, outcome);
  if (verdict.grade != HN_UNSOUND) return HN_OK;
  char reason[512] = "";
  hn_verdict_reason(&verdict, 0, reason, sizeof reason);
  return hn_cli_fail(&session->error, HN_ERROR_LIMIT,
                     "Use a smaller --tol or --step; without --strict the exit code is 0.",
                     "the run is unsound: %s", reason);
}

static hn_run_facts facts_of(const hn_cli_session *session, hn_cli_recording *recording,
                             const hn_run_outcome *outcome) {
  return (hn_run_facts){.simulation = session->simulation,
                        .outcome = outcome,
                        .shown = hn_cli_recording_shown(recording),
                        .mobility = session->has_mobility ? &session->mobility : NULL,
                        .pacing = session->realtime != NULL ? &session->pacing : NULL,
                        .name = session->name,
                        .path = session->settings->path,
                        .call = session->call.data};
}

static void print_json(const hn_cli_session *session, const hn_run_facts *facts, hn_status status) {
  hn_error error = {0};
  char *text = NULL;
  if (status != HN_OK) error = session->error;
  hn_cli_render(&error);
  if (hn_run_json(facts, &error, &text) != HN_OK) hn_cli_out_of_memory();
  puts(text);
  hn_text_free(text);
}

static void print_summary(const hn_cli_session *session, const hn_run_facts *facts) {
  char *text = NULL;
  if (hn_run_summary(facts, &text) != HN_OK) hn_cli_out_of_memory();
  const size_t length = strlen(session->folder);
  printf("%s  report       %s%sreport.html\n", text, session->folder,
         length > 0 && session->folder[length - 1] == '/' ? "" : "/");
  hn_text_free(text);
}

// Prints how to continue an interrupted run.
static void print_kept_state(const hn_cli_session *session, const hn_run_outcome *outcome) {
  const char *path = session->settings->save_state;
  if (path == NULL || outcome->status == HN_OK) return;
  fprintf(stderr, "The state at t = %.6g s is saved in %s; continue with --from %s.\n",
          outcome->time, path, path);
}

// Results, then the state; the first failure is reported.
static hn_status write_all(hn_cli_session *session, hn_cli_recording *recording,
                           const hn_run_outcome *outcome) {
  hn_error first = {0};
  hn_status status = HN_OK;
  hn_run_outcome told = *outcome;
  if (outcome->status != HN_OK) told.error = session->error; // in the words of the command
  hn_cli_render(&told.error);
  const hn_pacing *pacing = session->realtime != NULL ? &session->pacing : NULL;
  if (recording->folder != NULL)
    status = hn_folder_finish(recording->folder, &told, pacing, &first);
  if (recording->folder != NULL && status == HN_OK && !session->settings->no_scene)
    status = hn_cli_live_keep(session->settings, session->folder, &first);
  hn_status state = save_state(session);
  if (status != HN_OK) session->error = first;
  if (status == HN_OK) status = state;
  if (status != HN_OK && !session->settings->json) hn_cli_print_error(&session->error);
  if (state == HN_OK && !session->settings->json) print_kept_state(session, outcome);
  return status;
}

int hn_cli_finish(hn_cli_session *session, hn_cli_recording *recording,
                  const hn_run_outcome *outcome) {
  const hn_cli_settings *settings = session->settings;
  hn_status status = outcome->status;
  if (status == HN_OK) status = judge_strictly(session, outcome);
  if (!settings->json && !settings->quiet)
    hn_cli_print_warnings(session->model, session->simulation, 5);
  if (status != HN_OK && !settings->json) hn_cli_print_error(&session->error);
  const hn_error first = session->error;
  hn_status written = write_all(session, recording, outcome);
  if (status != HN_OK) session->error = first;
  if (status == HN_OK) status = written;
  hn_run_outcome waited = *outcome; // with the time from the call on, files included
  if (session->realtime == NULL) waited.wall_seconds = hn_run_clock(NULL) - session->began;
  const hn_run_facts facts = facts_of(session, recording, &waited);
  if (settings->json) {
    print_json(session, &facts, status);
  } else if (!settings->quiet) {
    if (recording->folder != NULL && hn_folder_rows(recording->folder) > 0)
      print_summary(session, &facts);
  }
  return status == HN_OK ? HN_CLI_DONE : HN_CLI_FAILED;
}
