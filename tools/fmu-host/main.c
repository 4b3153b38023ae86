// holon-fmu-host: runs an FMU for Holon. Requests come through the standard input, a socket
// (src/components/fmu_link.h); a crash or an endless call of the FMU ends this process alone.
#include "host.h"

#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { SOCKET = 3 }; // the FMU may read the standard input

// ---- bytes --------------------------------------------------------------------------------------

static void send_all(const void *data, size_t size) {
  const char *at = data;
  while (size > 0) {
    const ssize_t sent = write(SOCKET, at, size);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) _exit(0);
    at += sent;
    size -= (size_t)sent;
  }
}

static void receive_all(void *data, size_t size) {
  char *at = data;
  while (size > 0) {
    const ssize_t got = read(SOCKET, at, size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) _exit(0); // the other end is closed
    at += got;
    size -= (size_t)got;
  }
}

void host_log(host *h, const char *words) {
  const size_t used = strlen(h->log);
  if (words) snprintf(h->log + used, sizeof h->log - used, "%s%s", used ? "; " : "", words);
}

void *host_take(host *h, size_t count, size_t size) {
  void *memory = hn_arena_take(&h->arena, count, size);
  if (!memory) _exit(3);
  return memory;
}

void *host_find(host *h, const char *symbol) {
  h->function = symbol;
  return dlsym(h->library, symbol);
}

// ---- requests -----------------------------------------------------------------------------------

static int do_open(host *h) {
  const char *library = hn_wire_get_string(&h->request, &h->arena);
  const char *resources = hn_wire_get_string(&h->request, &h->arena);
  const char *token = hn_wire_get_string(&h->request, &h->arena);
  const char *name = hn_wire_get_string(&h->request, &h->arena);
  const int version = hn_wire_get_int(&h->request);
  h->is_exchange = hn_wire_get_int(&h->request);
  h->states = hn_wire_get_int(&h->request);
  h->indicators = hn_wire_get_int(&h->request);
  h->function = "dlopen";
  if (h->library || h->request.failed || h->states < 0 || h->indicators < 0) return 3;
  h->library = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!h->library) {
    host_log(h, dlerror());
    return 3;
  }
  h->calls = version == 2 ? &host_fmi2 : &host_fmi3;
  if (!h->calls->load(h)) {
    host_log(h, "the binary does not export this function");
    return 3;
  }
  return h->calls->open(h, resources, token, name);
}

static int do_prepare(host *h) {
  double times[3];
  hn_wire_get_numbers(&h->request, times, 3);
  return h->calls->prepare(h, times[0], times[1], times[2]);
}

static host_values next_group(host *h) {
  host_values group = {(hn_fmu_type)hn_wire_get_int(&h->request), hn_wire_get_word(&h->request),
                       hn_wire_get_int(&h->request)};
  if (group.count < 0 || group.count > 10000000) _exit(3);
  return group;
}

static int do_values(host *h, int (*each)(host *h, const host_values *group)) {
  int status = 0;
  for (int groups = hn_wire_get_count(&h->request, 12); groups > 0 && status < 2; groups--) {
    const host_values group = next_group(h);
    const int other = each(h, &group);
    if (other > status) status = other;
  }
  return status;
}

static int do_update(host *h) {
  host_events events = {0, HUGE_VAL};
  double *x = host_take(h, (size_t)h->states + 1, sizeof(double));
  double *nominals = host_take(h, (size_t)h->states + 1, sizeof(double));
  int status = h->calls->update(h, &events);
  if (status < 2) status = h->calls->get_state(h, x, nominals);
  hn_wire_int(&h->answer, events.flags);
  hn_wire_numbers(&h->answer, &events.next_time, 1);
  hn_wire_numbers(&h->answer, x, h->states);
  hn_wire_numbers(&h->answer, nominals, h->states);
  return status;
}

static int do_evaluate(host *h) {
  double time, *x = host_take(h, (size_t)h->states + 1, sizeof(double));
  double *rates = host_take(h, (size_t)h->states + 1, sizeof(double));
  double *indicators = host_take(h, (size_t)h->indicators + 1, sizeof(double));
  hn_wire_get_numbers(&h->request, &time, 1);
  hn_wire_get_numbers(&h->request, x, h->states);
  int status = h->calls->set_state(h, time, x);
  if (status < 2) status = h->calls->get_rates(h, rates, indicators);
  hn_wire_numbers(&h->answer, rates, h->states);
  hn_wire_numbers(&h->answer, indicators, h->indicators);
  return status;
}

static int do_complete(host *h) {
  host_events events = {0, HUGE_VAL};
  const int status = h->calls->complete(h, &events);
  hn_wire_int(&h->answer, events.flags);
  return status;
}

static int do_step(host *h) {
  double times[2], reached;
  int flags = 0;
  hn_wire_get_numbers(&h->request, times, 2);
  reached = times[0] + times[1];
  const int status = h->calls->step(h, times[0], times[1], &reached, &flags);
  hn_wire_numbers(&h->answer, &reached, 1);
  hn_wire_int(&h->answer, flags);
  return status;
}

// ---- saved states -------------------------------------------------------------------------------

static void **saved_at(host *h, int number) {
  return number >= 0 && number < h->saved_count && h->saved[number] ? &h->saved[number] : NULL;
}

static int keep_state(host *h, void *state) {
  int number = 0;
  while (number < h->saved_count && h->saved[number]) number++;
  if (number == h->saved_count) {
    void **more = realloc(h->saved, ((size_t)number + 1) * sizeof *more);
    if (!more) _exit(3);
    h->saved = more;
    h->saved_count++;
  }
  h->saved[number] = state;
  return number;
}

static int do_save(host *h) {
  void *state = NULL;
  const int status = h->calls->save(h, &state);
  if (status < 2) hn_wire_int(&h->answer, keep_state(h, state));
  return status;
}

static int do_saved(host *h, int is_drop) {
  void **state = saved_at(h, hn_wire_get_int(&h->request));
  if (!state) return 3;
  if (!is_drop) return h->calls->restore(h, *state);
  void *old = *state;
  *state = NULL;
  return h->calls->drop(h, old);
}

static int do_write(host *h) {
  void *state = NULL;
  int status = h->calls->save(h, &state);
  if (status < 2) status = h->calls->write(h, state, &h->answer);
  if (state) h->calls->drop(h, state);
  return status;
}

static int do_read(host *h) {
  void *state = NULL;
  const size_t size = h->request.size - h->request.at;
  int status = h->calls->read(h, h->request.data + h->request.at, size, &state);
  if (status < 2) status = h->calls->restore(h, state);
  if (state) h->calls->drop(h, state);
  return status;
}

// ---- the loop -----------------------------------------------------------------------------------

static int perform(host *h, int operation) {
  if (!h->instance && operation != HN_FMU_OPEN) return 3;
  switch ((hn_fmu_operation)operation) {
  case HN_FMU_OPEN: return do_open(h);
  case HN_FMU_PREPARE: return do_prepare(h);
  case HN_FMU_SET: return do_values(h, h->calls->set);
  case HN_FMU_GET: return do_values(h, h->calls->get);
  case HN_FMU_START: return h->calls->start(h);
  case HN_FMU_UPDATE: return do_update(h);
  case HN_FMU_EVENT: return h->calls->enter_events(h);
  case HN_FMU_EVALUATE: return do_evaluate(h);
  case HN_FMU_COMPLETE: return do_complete(h);
  case HN_FMU_STEP: return do_step(h);
  case HN_FMU_SAVE: return do_save(h);
  case HN_FMU_RESTORE:
  case HN_FMU_DROP: return do_saved(h, operation == HN_FMU_DROP);
  case HN_FMU_WRITE: return do_write(h);
  case HN_FMU_READ: return do_read(h);
  case HN_FMU_OPERATIONS: break;
  }
  h->function = "an unknown request";
  return 3;
}

// The answer has its length and outcome in front; a failure replaces it.
static void answer_request(host *h) {
  hn_wire *a = &h->answer;
  const int operation = hn_wire_get_int(&h->request);
  a->size = 0;
  hn_wire_long(a, 0);
  hn_wire_int(a, HN_FMU_DONE);
  int status = perform(h, operation);
  if (h->request.failed) status = 3;
  if (status >= 2) {
    a->size = sizeof(uint64_t);
    hn_wire_int(a, status == 2 ? HN_FMU_DISCARDED : HN_FMU_FAILED);
    hn_wire_string(a, h->function);
    hn_wire_string(a, h->log);
  }
  if (a->failed) _exit(3);
  const uint64_t size = a->size - sizeof size;
  memcpy(a->data, &size, sizeof size);
  send_all(a->data, a->size);
}

int main(void) {
  host h = {.function = ""};
  const struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  if (dup2(0, SOCKET) < 0) return 2;
  if (!freopen("/dev/null", "r", stdin)) return 2;
  for (;;) {
    uint64_t size = 0;
    receive_all(&size, sizeof size);
    if (size > HN_SERVED_MOST || !hn_wire_reserve(&h.request, (size_t)size)) return 3;
    receive_all(h.request.data, (size_t)size);
    h.request.size = (size_t)size;
    h.request.at = 0;
    h.request.failed = 0;
    h.log[0] = '\0';
    hn_arena_init(&h.arena, NULL);
    answer_request(&h);
    hn_arena_release(&h.arena);
  }
}
