// A sealed component that another process runs, as the model that uses it sees it: the functions of
// holon/component.h, each a request and an answer. What comes back is checked before it is used; who
// does not answer once is not asked again.
#include <string.h>

#include "base/error.h"
#include "formats/served.h"

typedef struct served_part {
  hn_arena arena;
  hn_component_channel channel;
  uint64_t id, hash;
  hn_component_facts facts;
  int is_lost;
} served_part;

typedef struct served_run {
  served_part *part;
  uint64_t id;
  int connected;
  size_t save_size;
  hn_wire request;
  unsigned char *answer;
  size_t room;
  hn_wire reply; // what the last answer holds, behind its status
} served_run;

static served_part *part_of(const hn_component *component) { return (served_part *)component; }
static served_run *run_of(const hn_component_run *run) { return (served_run *)run; }

// ---- requests and answers -----------------------------------------------------------------------

static void begin(hn_wire *w, hn_served_operation operation, uint64_t id) {
  w->size = 0;
  w->failed = 0;
  hn_wire_word(w, HN_SERVED_MARK);
  hn_wire_word(w, (uint32_t)operation);
  hn_wire_long(w, id);
}

static hn_status read_status(hn_wire *reply) {
  uint32_t mark = hn_wire_get_word(reply);
  int status = hn_wire_get_int(reply);
  if (reply->failed || mark != HN_SERVED_MARK) return HN_ERROR_FILE;
  return status <= HN_RETRY_ERROR && status >= HN_ERROR_LIMIT ? (hn_status)status : HN_ERROR_FILE;
}

static hn_status ask_channel(const hn_component_channel *channel, const hn_wire *request,
                             void *answer, size_t room, hn_wire *reply) {
  size_t size = 0;
  *reply = hn_wire_of(NULL, 0);
  if (request->failed) return HN_ERROR_MEMORY;
  hn_status status =
      channel->call(channel->context, request->data, request->size, answer, room, &size);
  if (status != HN_OK) return status;
  *reply = hn_wire_of(answer, size < room ? size : room);
  return read_status(reply);
}

static hn_status ask(served_run *run) {
  served_part *part = run->part;
  if (part->is_lost) return HN_ERROR_INTERRUPTED;
  hn_status status =
      ask_channel(&part->channel, &run->request, run->answer, run->room, &run->reply);
  if (status == HN_ERROR_INTERRUPTED || status == HN_ERROR_FILE) part->is_lost = 1;
  return status;
}

// After everything was read from the answer.
static hn_status ended(served_run *run) {
  if (hn_wire_is_done(&run->reply)) return HN_OK;
  run->part->is_lost = 1;
  return HN_ERROR_FILE;
}

static hn_status ask_for(served_run *run, double *values, int count) {
  hn_status status = ask(run);
  if (status != HN_OK) return status;
  hn_wire_get_numbers(&run->reply, values, count);
  return ended(run);
}

static hn_status ask_plainly(served_run *run) { return ask_for(run, NULL, 0); }

// ---- set-up -------------------------------------------------------------------------------------

static hn_status failed(const hn_component_channel *channel, hn_status status, hn_wire *reply,
                        hn_error *error) {
  hn_arena arena;
  hn_arena_init(&arena, NULL);
  const char *message = hn_wire_get_string(reply, &arena),
             *hint = hn_wire_get_string(reply, &arena);
  if (status == HN_ERROR_INTERRUPTED) {
    message = "does not answer: the process that serves it has ended";
    hint = "see what it said before; start both again";
  } else if (message[0] == '\0') {
    message =
        "gives an answer that cannot be read: it is served by another kind of program or machine";
    hint = "serve it with the same holon on a machine of the same kind";
  }
  hn_fail(error, status, NULL, NULL, hint, "%.900s (served as %.200s)", message, channel->name);
  hn_arena_release(&arena);
  return status;
}

// A file as far as it is shown: version, checksum, public text.
static hn_status take_public(hn_wire *reply, hn_sealed_file *file,
                             char digest[HN_COMPONENT_CHECKSUM]) {
  hn_wire_get_bytes(reply, digest, HN_COMPONENT_CHECKSUM);
  for (int i = 0; i < HN_COMPONENT_CHECKSUM - 1; i++)
    if (!strchr("0123456789abcdef", digest[i]) || digest[i] == '\0') reply->failed = 1;
  digest[HN_COMPONENT_CHECKSUM - 1] = '\0';
  uint64_t size = hn_wire_get_long(reply);
  if (reply->failed || size > reply->size - reply->at) return HN_ERROR_FILE;
  file->data = hn_allocate(NULL, (size_t)size + 1);
  if (!file->data) return HN_ERROR_MEMORY;
  hn_wire_get_bytes(reply, file->data, (size_t)size);
  file->data[size] = '\0';
  file->public_text = file->data;
  file->public_size = file->size = (size_t)size;
  return hn_wire_is_done(reply) ? HN_OK : HN_ERROR_FILE;
}

hn_status hn_served_open(const hn_component_channel *channel, hn_sealed_file *file,
                         char digest[HN_COMPONENT_CHECKSUM], hn_error *error) {
  hn_wire request = {.data = NULL}, reply;
  hn_arena arena;
  hn_arena_init(&arena, NULL);
  *file = (hn_sealed_file){.data = NULL};
  unsigned char *answer = HN_TAKE(&arena, unsigned char, HN_SERVED_PUBLIC);
  begin(&request, HN_SERVED_HELLO, 0);
  hn_status status =
      answer ? ask_channel(channel, &request, answer, HN_SERVED_PUBLIC, &reply) : HN_ERROR_MEMORY;
  if (status == HN_OK) {
    file->abi = hn_wire_get_word(&reply);
    const char *version = hn_wire_get_string(&reply, &arena);
    if (!reply.failed && file->abi != HN_COMPONENT_ABI)
      status = hn_fail(error, HN_ERROR_UNSUPPORTED, NULL, NULL,
                       "Serve it with this version of holon, or ask its maker.",
                       "has version %u of the component interface (served as %.200s by holon "
                       "%.60s); this is version %u",
                       file->abi, channel->name, version, HN_COMPONENT_ABI);
    else if ((status = take_public(&reply, file, digest)) != HN_OK)
      failed(channel, status, &reply, error);
  } else {
    failed(channel, status, &reply, error);
  }
  if (status != HN_OK) hn_sealed_file_close(file);
  hn_wire_free(&request);
  hn_arena_release(&arena);
  return status;
}

static void put_setup(hn_wire *w, const hn_component_setup *setup) {
  hn_wire_numbers(w, setup->rotation, 9);
  hn_wire_numbers(w, setup->mirror, 3);
  hn_wire_numbers(w, setup->position, 3);
  hn_wire_int(w, setup->input_count);
  for (int k = 0; k < setup->input_count; k++) {
    const hn_component_input *input = &setup->inputs[k];
    hn_wire_string(w, input->name);
    hn_wire_numbers(w, &input->value, 1);
    hn_wire_int(w, input->has_dimension);
    hn_wire_numbers(w, input->dimension, 4);
  }
  hn_wire_int(w, setup->external_count);
  for (int k = 0; k < setup->external_count; k++) {
    const hn_component_body *body = &setup->externals[k];
    hn_wire_numbers(w, body->rotation, 9);
    hn_wire_numbers(w, body->mirror, 3);
    hn_wire_numbers(w, body->position, 3);
    hn_wire_numbers(w, body->center, 3);
  }
}

static hn_status ask_for_facts(served_part *part, hn_wire *request, size_t size, hn_wire *reply) {
  if (size > HN_SERVED_MOST) return HN_ERROR_FILE;
  unsigned char *answer = hn_allocate(NULL, size + 64);
  if (!answer) return HN_ERROR_MEMORY;
  begin(request, HN_SERVED_FACTS, part->id);
  hn_status status = ask_channel(&part->channel, request, answer, size + 64, reply);
  if (status == HN_OK) status = hn_served_get_facts(reply, &part->arena, &part->facts);
  *reply = hn_wire_of(NULL, 0); // the answer goes
  hn_release(NULL, answer);
  return status;
}

static void served_destroy(hn_component *component) {
  served_part *part = part_of(component);
  if (!part) return;
  unsigned char answer[1024];
  hn_wire request = {.data = NULL}, reply;
  begin(&request, HN_SERVED_DESTROY, part->id);
  if (!part->is_lost && part->id != 0)
    ask_channel(&part->channel, &request, answer, sizeof answer, &reply);
  hn_wire_free(&request);
  hn_arena_release(&part->arena);
  hn_release(NULL, part);
}

hn_status hn_served_create(const hn_component_channel *channel, const hn_component_setup *setup,
                           hn_component **component, hn_error *error) {
  served_part *part = hn_allocate(NULL, sizeof *part);
  unsigned char answer[4096];
  hn_wire request = {.data = NULL}, reply = hn_wire_of(NULL, 0);
  *component = NULL;
  if (!part) return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  memset(part, 0, sizeof *part);
  hn_arena_init(&part->arena, NULL);
  part->channel = *channel;
  part->channel.name = hn_arena_copy_string(&part->arena, channel->name);
  begin(&request, HN_SERVED_CREATE, 0);
  put_setup(&request, setup);
  hn_status status = ask_channel(channel, &request, answer, sizeof answer, &reply);
  if (status == HN_OK) {
    part->id = hn_wire_get_long(&reply);
    part->hash = hn_wire_get_long(&reply);
    uint64_t size = hn_wire_get_long(&reply);
    status = hn_wire_is_done(&reply) && part->id != 0 ? HN_OK : HN_ERROR_FILE;
    if (status == HN_OK) status = ask_for_facts(part, &request, (size_t)size, &reply);
    if (status == HN_OK && part->facts.external_count != setup->external_count)
      status = HN_ERROR_FILE;
  }
  if (status != HN_OK) failed(channel, status, &reply, error);
  hn_wire_free(&request);
  if (status == HN_OK)
    *component = (hn_component *)part;
  else
    served_destroy((hn_component *)part);
  return status;
}

static const hn_component_facts *served_facts(const hn_component *component) {
  return &part_of(component)->facts;
}

static unsigned long long served_hash(const hn_component *component) {
  return part_of(component)->hash;
}

static hn_status served_create_alone(const hn_component_setup *setup, hn_component **component,
                                     hn_error *error) {
  (void)setup;
  *component = NULL;
  return hn_fail(error, HN_ERROR_UNSUPPORTED, NULL, NULL, NULL, "is served by another process");
}

static void served_stop(hn_component_run *handle) {
  served_run *run = run_of(handle);
  if (!run) return;
  begin(&run->request, HN_SERVED_STOP, run->id);
  if (run->id != 0) ask(run);
  hn_wire_free(&run->request);
  hn_release(NULL, run->answer);
  hn_release(NULL, run);
}

static hn_status served_start(const hn_component *component, const unsigned char *connected,
                              const double gravity[3], hn_component_run **out, hn_error *error) {
  served_part *part = part_of(component);
  served_run *run = hn_allocate(NULL, sizeof *run);
  *out = NULL;
  if (!run) return HN_ERROR_MEMORY;
  *run = (served_run){.part = part, .room = 4096};
  run->answer = hn_allocate(NULL, run->room);
  begin(&run->request, HN_SERVED_START, part->id);
  hn_wire_bytes(&run->request, connected, (size_t)part->facts.body_count);
  hn_wire_numbers(&run->request, gravity, 3);
  hn_status status = run->answer ? ask(run) : HN_ERROR_MEMORY;
  if (status == HN_OK) {
    run->id = hn_wire_get_long(&run->reply);
    run->connected = hn_wire_get_int(&run->reply);
    run->save_size = (size_t)hn_wire_get_long(&run->reply);
    int count = 0;
    for (int b = 0; b < part->facts.body_count; b++) count += connected[b] != 0;
    status =
        run->connected == count && run->save_size < HN_SERVED_MOST ? ended(run) : HN_ERROR_FILE;
  }
  if (status != HN_OK && run->answer) failed(&part->channel, status, &run->reply, error);
  if (status == HN_OK) {
    hn_release(NULL, run->answer);
    run->room = hn_served_room(&part->facts, run->connected, run->save_size);
    run->answer = hn_allocate(NULL, run->room);
    if (!run->answer || !hn_wire_reserve(&run->request, run->room)) status = HN_ERROR_MEMORY;
  }
  if (status == HN_OK)
    *out = (hn_component_run *)run;
  else
    served_stop((hn_component_run *)run);
  return status;
}

// ---- states -------------------------------------------------------------------------------------

static void put_poses(served_run *run, const hn_component_state *state) {
  const hn_component_facts *f = &run->part->facts;
  hn_wire_numbers(&run->request, &state->t, 1);
  hn_wire_numbers(&run->request, state->q, 7 * f->body_count);
  hn_wire_numbers(&run->request, state->qd, 7 * f->body_count);
  hn_wire_numbers(&run->request, state->external_q, 7 * f->external_count);
  hn_wire_numbers(&run->request, state->external_qd, 7 * f->external_count);
}

static void put_turns(served_run *run, const hn_component_state *state) {
  hn_wire_numbers(&run->request, state->turns, run->part->facts.turn_count);
}

static void put_state(served_run *run, const hn_component_state *state) {
  const hn_component_facts *f = &run->part->facts;
  put_poses(run, state);
  put_turns(run, state);
  for (int k = 0; k < f->switch_count; k++) {
    hn_wire_int(&run->request, state->switches[k].state);
    hn_wire_int(&run->request, state->switches[k].time);
  }
  for (int k = 0; k < f->motion_count; k++) hn_wire_int(&run->request, state->motions[k]);
}

static hn_status get_rows(served_run *run, const hn_component_rows *rows) {
  const hn_component_facts *f = &run->part->facts;
  int n = f->border_row_count;
  hn_wire_get_numbers(&run->reply, rows->block, 6 * f->border_row_start[n]);
  hn_wire_get_numbers(&run->reply, rows->value, n);
  hn_wire_get_numbers(&run->reply, rows->rate, n);
  hn_wire_get_numbers(&run->reply, rows->tau, n);
  hn_wire_get_numbers(&run->reply, rows->time_rate, n);
  return ended(run);
}

static void put_energy(served_run *run, const hn_component_energy *energy) {
  const double values[3] = {energy->kinetic, energy->potential, energy->power};
  hn_wire_numbers(&run->request, values, 3);
}

static void get_energy(served_run *run, hn_component_energy *energy) {
  double values[3];
  hn_wire_get_numbers(&run->reply, values, 3);
  *energy = (hn_component_energy){values[0], values[1], values[2]};
}

static hn_status served_turns(hn_component_run *handle, int at_start,
                              const hn_component_state *state, double *turns) {
  served_run *run = run_of(handle);
  begin(&run->request, HN_SERVED_TURNS, run->id);
  put_poses(run, state);
  put_turns(run, state);
  hn_wire_int(&run->request, at_start);
  return ask_for(run, turns, run->part->facts.turn_count);
}

static hn_status served_branches(hn_component_run *handle, const hn_component_state *state,
                                 hn_component_branch *switches, int *motions) {
  served_run *run = run_of(handle);
  const hn_component_facts *f = &run->part->facts;
  begin(&run->request, HN_SERVED_BRANCHES, run->id);
  put_poses(run, state);
  put_turns(run, state);
  hn_status status = ask(run);
  if (status != HN_OK) return status;
  for (int k = 0; k < f->switch_count; k++) {
    switches[k].state = hn_wire_get_int(&run->reply);
    switches[k].time = hn_wire_get_int(&run->reply);
  }
  for (int k = 0; k < f->motion_count; k++) motions[k] = hn_wire_get_int(&run->reply);
  return ended(run);
}

static hn_status served_next_time(hn_component_run *handle, double t, double *next) {
  served_run *run = run_of(handle);
  begin(&run->request, HN_SERVED_NEXT_TIME, run->id);
  hn_wire_numbers(&run->request, &t, 1);
  return ask_for(run, next, 1);
}

static hn_status served_step_limit(hn_component_run *handle, const hn_component_state *state,
                                   double *limit) {
  served_run *run = run_of(handle);
  begin(&run->request, HN_SERVED_STEP_LIMIT, run->id);
  put_poses(run, state);
  return ask_for(run, limit, 1);
}

// ---- accelerations ------------------------------------------------------------------------------

static hn_status served_forces(hn_component_run *handle, const hn_component_state *state,
                               const double *border_force, double *external_force,
                               hn_component_energy *energy, const hn_component_rows *rows) {
  served_run *run = run_of(handle);
  const hn_component_facts *f = &run->part->facts;
  begin(&run->request, HN_SERVED_FORCES, run->id);
  put_state(run, state);
  hn_wire_numbers(&run->request, border_force, 6 * f->border_count);
  hn_wire_numbers(&run->request, external_force, 6 * f->external_count);
  put_energy(run, energy);
  hn_status status = ask(run);
  if (status != HN_OK) return status;
  hn_wire_get_numbers(&run->reply, external_force, 6 * f->external_count);
  get_energy(run, energy);
  return get_rows(run, rows);
}

static hn_status served_loads(hn_component_run *handle, hn_component_energy *energy) {
  served_run *run = run_of(handle);
  begin(&run->request, HN_SERVED_LOADS, run->id);
  put_energy(run, energy);
  hn_status status = ask(run);
  if (status != HN_OK) return status;
  get_energy(run, energy);
  return ended(run);
}

static hn_status served_factor(hn_component_run *handle, int rows, double *root, int width,
                               int *rank) {
  served_run *run = run_of(handle);
  if (width != 6 * run->connected) return HN_ERROR_ARGUMENT;
  begin(&run->request, HN_SERVED_FACTOR, run->id);
  hn_wire_int(&run->request, rows);
  hn_status status = ask(run);
  if (status != HN_OK) return status;
  *rank = hn_wire_get_int(&run->reply);
  hn_wire_get_numbers(&run->reply, root, width * width);
  return ended(run);
}

static hn_status served_forward(hn_component_run *handle, int again, double *r) {
  served_run *run = run_of(handle);
  begin(&run->request, HN_SERVED_FORWARD, run->id);
  hn_wire_int(&run->request, again);
  return ask_for(run, r, 6 * run->connected);
}

static hn_status served_backward(hn_component_run *handle, int again, const double *tau,
                                 double *border) {
  served_run *run = run_of(handle);
  begin(&run->request, HN_SERVED_BACKWARD, run->id);
  hn_wire_int(&run->request, again);
  hn_wire_numbers(&run->request, tau, 6 * run->connected);
  return ask_for(run, border, 6 * run->connected);
}

static hn_status served_residual(hn_component_run *handle, const double *tau) {
  served_run *run = run_of(handle);
  begin(&run->request, HN_SERVED_RESIDUAL, run->id);
  hn_wire_numbers(&run->request, tau, 6 * run->connected);
  return ask_plainly(run);
}

static hn_status served_finish(hn_component_run *handle, const double *border_lambda,
                               double *accelerations, hn_component_energy *energy, double *outputs,
                               hn_component_report *report) {
  served_run *run = run_of(handle);
  const hn_component_facts *f = &run->part->facts;
  double worst[3];
  begin(&run->request, HN_SERVED_FINISH, run->id);
  hn_wire_numbers(&run->request, border_lambda, f->border_row_count);
  put_energy(run, energy);
  hn_status status = ask(run);
  if (status != HN_OK) return status;
  hn_wire_get_numbers(&run->reply, accelerations, 6 * f->body_count);
  get_energy(run, energy);
  hn_wire_get_numbers(&run->reply, outputs, f->output_count);
  hn_wire_get_numbers(&run->reply, worst, 3);
  *report = (hn_component_report){worst[0], worst[1], worst[2], 0, 0};
  report->dependent = hn_wire_get_int(&run->reply);
  report->left_out = hn_wire_get_int(&run->reply);
  return ended(run);
}

// ---- stabilization ------------------------------------------------------------------------------

static hn_status served_gaps(hn_component_run *handle, const hn_component_state *state, int rates,
                             const hn_component_rows *rows, double *largest) {
  served_run *run = run_of(handle);
  begin(&run->request, HN_SERVED_GAPS, run->id);
  put_state(run, state);
  hn_wire_int(&run->request, rates);
  hn_status status = ask(run);
  if (status != HN_OK) return status;
  hn_wire_get_numbers(&run->reply, largest, 1);
  return get_rows(run, rows);
}

static hn_status served_stabilize_factor(hn_component_run *handle, double tolerance, double *u) {
  served_run *run = run_of(handle);
  int n = 6 * run->connected;
  begin(&run->request, HN_SERVED_STABILIZE_FACTOR, run->id);
  hn_wire_numbers(&run->request, &tolerance, 1);
  return ask_for(run, u, n * n);
}

static hn_status served_stabilize_forward(hn_component_run *handle, double *c) {
  served_run *run = run_of(handle);
  begin(&run->request, HN_SERVED_STABILIZE_FORWARD, run->id);
  return ask_for(run, c, 6 * run->connected);
}

static hn_status served_stabilize_backward(hn_component_run *handle, const double *z,
                                           double *border) {
  served_run *run = run_of(handle);
  begin(&run->request, HN_SERVED_STABILIZE_BACKWARD, run->id);
  hn_wire_numbers(&run->request, z, 6 * run->connected);
  return ask_for(run, border, 6 * run->connected);
}

static hn_status served_increments(hn_component_run *handle, int left, double *x) {
  served_run *run = run_of(handle);
  begin(&run->request, HN_SERVED_INCREMENTS, run->id);
  hn_wire_int(&run->request, left);
  return ask_for(run, x, 6 * run->part->facts.body_count);
}

static hn_status served_impulses(hn_component_run *handle, const double *border, double share) {
  served_run *run = run_of(handle);
  begin(&run->request, HN_SERVED_IMPULSES, run->id);
  hn_wire_numbers(&run->request, border, 6 * run->part->facts.border_count);
  hn_wire_numbers(&run->request, &share, 1);
  return ask_plainly(run);
}

// ---- kept states --------------------------------------------------------------------------------

static size_t served_save_size(const hn_component_run *run) { return run_of(run)->save_size; }

static hn_status served_save(const hn_component_run *handle, void *buffer) {
  served_run *run = run_of(handle);
  memset(buffer, 0, run->save_size);
  begin(&run->request, HN_SERVED_SAVE, run->id);
  hn_status status = ask(run);
  if (status != HN_OK) return status;
  hn_wire_get_bytes(&run->reply, buffer, run->save_size);
  return ended(run);
}

static hn_status served_restore(hn_component_run *handle, const void *buffer) {
  served_run *run = run_of(handle);
  begin(&run->request, HN_SERVED_RESTORE, run->id);
  hn_wire_bytes(&run->request, buffer, run->save_size);
  return ask_plainly(run);
}

const hn_component_api *hn_served_api(void) {
  static const hn_component_api api = {
      .abi = HN_COMPONENT_ABI,
      .size = (unsigned)sizeof(hn_component_api),
      .holon = "served",
      .create = served_create_alone,
      .destroy = served_destroy,
      .facts = served_facts,
      .start = served_start,
      .stop = served_stop,
      .turns = served_turns,
      .branches = served_branches,
      .next_time = served_next_time,
      .step_limit = served_step_limit,
      .forces = served_forces,
      .loads = served_loads,
      .factor = served_factor,
      .forward = served_forward,
      .backward = served_backward,
      .residual = served_residual,
      .finish = served_finish,
      .gaps = served_gaps,
      .stabilize_factor = served_stabilize_factor,
      .stabilize_forward = served_stabilize_forward,
      .stabilize_backward = served_stabilize_backward,
      .increments = served_increments,
      .impulses = served_impulses,
      .save_size = served_save_size,
      .save = served_save,
      .restore = served_restore,
      .hash = served_hash,
  };
  return &api;
}
