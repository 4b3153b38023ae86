// The end of who uses an FMU in another process: see fmu_link.h.
#include "components/fmu_link.h"

#include <string.h>

#include "base/error.h"
#include "platform/process.h"

static hn_status fail_link(hn_fmu_link *link, const char *hint, const char *what, hn_error *error) {
  char name[128];
  return hn_fail(error, HN_ERROR_FILE, NULL,
                 hn_text(name, sizeof name, "FMU '%.100s'", link->setup->name), hint,
                 "%s at t = %.9g s", what, link->time);
}

// Ends the process; it is not asked again.
static hn_status lose_process(hn_fmu_link *link, hn_child_program_outcome outcome,
                              hn_error *error) {
  char text[64], what[160];
  const char *how =
      hn_child_program_end(link->process, outcome == HN_PROCESS_ENDED ? 1.0 : 0.0, text);
  link->process = NULL;
  if (outcome == HN_PROCESS_LATE)
    return fail_link(
        link, "Give it more time, or ask its maker.",
        hn_text(what, sizeof what, "gave no answer within %g s", link->setup->time_limit), error);
  return fail_link(link, "Ask its maker.", how, error);
}

void hn_fmu_request(hn_fmu_link *link, hn_fmu_operation operation) {
  link->request.size = 0;
  link->request.failed = 0;
  hn_wire_long(&link->request, 0); // the length, known later
  hn_wire_int(&link->request, (int)operation);
}

// The words of the FMU, as a message.
static hn_status read_failure(hn_fmu_link *link, int outcome, hn_error *error) {
  hn_arena arena;
  char name[128];
  hn_arena_init(&arena, NULL);
  const char *function = hn_wire_get_string(&link->answer, &arena);
  const char *words = hn_wire_get_string(&link->answer, &arena);
  const char *verb = outcome == HN_FMU_DISCARDED ? "discards" : "fails in";
  hn_fail(error, HN_ERROR_FILE, NULL, hn_text(name, sizeof name, "FMU '%.100s'", link->setup->name),
          "See the message of the FMU, or ask its maker.", "%s %.60s at t = %.9g s%s%.600s", verb,
          function ? function : "a call", link->time, words && words[0] ? ": " : "",
          words ? words : "");
  hn_arena_release(&arena);
  return outcome == HN_FMU_DISCARDED ? HN_RETRY : HN_ERROR_FILE;
}

hn_status hn_fmu_ask(hn_fmu_link *link, hn_error *error) {
  hn_wire *request = &link->request, *answer = &link->answer;
  uint64_t size = request->size - sizeof size;
  if (!link->process) return fail_link(link, "Start the run again.", "has ended", error);
  if (request->failed)
    return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory for an FMU");
  memcpy(request->data, &size, sizeof size);
  const double limit = link->setup->time_limit;
  hn_child_program_outcome outcome =
      hn_child_program_send(link->process, request->data, request->size, limit);
  if (outcome == HN_PROCESS_DONE)
    outcome = hn_child_program_receive(link->process, &size, sizeof size, limit);
  if (outcome == HN_PROCESS_DONE && (size > HN_SERVED_MOST || !hn_wire_reserve(answer, size)))
    outcome = HN_PROCESS_ENDED;
  if (outcome == HN_PROCESS_DONE)
    outcome = hn_child_program_receive(link->process, answer->data, size, limit);
  if (outcome != HN_PROCESS_DONE) return lose_process(link, outcome, error);
  answer->size = size;
  answer->at = 0;
  answer->failed = 0;
  const int result = hn_wire_get_int(answer);
  return result == HN_FMU_DONE ? HN_OK : read_failure(link, result, error);
}

hn_status hn_fmu_answered(hn_fmu_link *link, hn_error *error) {
  if (!link->answer.failed) return HN_OK;
  return fail_link(link, "Ask its maker.", "gives a damaged answer", error);
}

hn_status hn_fmu_link_open(hn_fmu_link *link, const hn_fmu_setup *setup, hn_error *error) {
  *link = (hn_fmu_link){.setup = setup};
  hn_status status = hn_child_program_start(setup->host, &link->process, error);
  if (status != HN_OK) return status;
  hn_fmu_request(link, HN_FMU_OPEN);
  hn_wire_string(&link->request, setup->library);
  hn_wire_string(&link->request, setup->resources);
  hn_wire_string(&link->request, setup->token);
  hn_wire_string(&link->request, setup->name);
  hn_wire_int(&link->request, setup->version);
  hn_wire_int(&link->request, setup->is_exchange);
  hn_wire_int(&link->request, setup->states);
  hn_wire_int(&link->request, setup->indicators);
  status = hn_fmu_ask(link, error);
  if (status != HN_OK) hn_fmu_link_close(link);
  return status == HN_RETRY ? HN_ERROR_FILE : status;
}

void hn_fmu_link_close(hn_fmu_link *link) {
  char text[64];
  if (link->process) hn_child_program_end(link->process, 1, text);
  hn_wire_free(&link->request);
  hn_wire_free(&link->answer);
  *link = (hn_fmu_link){.setup = NULL};
}
