// A sealed component that another process runs, as the model that uses it sees it: the functions of
// holon/component.h, each a request and an answer. What comes back is checked before it is used; who
// does not answer once is not asked again. Here: the component as a whole; its work is in
// served_calls.c.
#include <string.h>

#include "base/error.h"
#include "components/served_private.h"

static hn_served_part *part_of(const hn_component *component) {
  return (hn_served_part *)component;
}
static hn_served_run *run_of(const hn_component_run *run) { return (hn_served_run *)run; }

// ---- requests and answers -----------------------------------------------------------------------

void hn_served_begin(hn_wire *w, hn_served_operation operation, uint64_t id) {
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

hn_status hn_served_ask(hn_served_run *run) {
  hn_served_part *part = run->part;
  if (part->is_lost) return HN_ERROR_INTERRUPTED;
  hn_status status =
      ask_channel(&part->channel, &run->request, run->answer, run->room, &run->reply);
  if (status == HN_ERROR_INTERRUPTED || status == HN_ERROR_FILE) part->is_lost = 1;
  return status;
}

// After everything was read from the answer.
hn_status hn_served_ended(hn_served_run *run) {
  if (hn_wire_is_done(&run->reply)) return HN_OK;
  run->part->is_lost = 1;
  return HN_ERROR_FILE;
}

hn_status hn_served_ask_for(hn_served_run *run, double *values, int count) {
  hn_status status = hn_served_ask(run);
  if (status != HN_OK) return status;
  hn_wire_get_numbers(&run->reply, values, count);
  return hn_served_ended(run);
}

// ---- set-up -------------------------------------------------------------------------------------

static hn_status failed(const hn_component_channel *channel, hn_status status, hn_wire *reply,
                        hn_error *error) {
  hn_arena arena;
  hn_arena_init(&arena, NULL);
  const char *message = hn_wire_get_string(reply, &arena),
             *hint = hn_wire_get_string(reply, &arena);
  if (status == HN_ERROR_INTERRUPTED) {
    message = "does not answer: its server process ended";
    hint = "check the output of the server; start both again";
  } else if (message[0] == '\0') {
    message = "sends an invalid answer: its server has another version or platform";
    hint = "use the same version of Holon and the same platform for both";
  }
  hn_fail(error, status, NULL, NULL, hint, "%.900s (remote component %.200s)", message,
          channel->name);
  hn_arena_release(&arena);
  return status;
}

// The public part of a file: version, checksum, public text.
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
  hn_served_begin(&request, HN_SERVED_HELLO, 0);
  hn_status status =
      answer ? ask_channel(channel, &request, answer, HN_SERVED_PUBLIC, &reply) : HN_ERROR_MEMORY;
  if (status == HN_OK) {
    file->abi = hn_wire_get_word(&reply);
    const char *version = hn_wire_get_string(&reply, &arena);
    if (!reply.failed && file->abi != HN_COMPONENT_ABI)
      status = hn_fail(error, HN_ERROR_UNSUPPORTED, NULL, NULL,
                       "Use this version of Holon for the server, or ask its supplier.",
                       "has version %u of the component interface (remote component %.200s, Holon "
                       "%.60s); version %u is required",
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

static hn_status ask_for_facts(hn_served_part *part, hn_wire *request, size_t size,
                               hn_wire *reply) {
  if (size > HN_SERVED_MOST) return HN_ERROR_FILE;
  unsigned char *answer = hn_allocate(NULL, size + 64);
  if (!answer) return HN_ERROR_MEMORY;
  hn_served_begin(request, HN_SERVED_FACTS, part->id);
  hn_status status = ask_channel(&part->channel, request, answer, size + 64, reply);
  if (status == HN_OK) status = hn_served_get_facts(reply, &part->arena, &part->facts);
  *reply = hn_wire_of(NULL, 0); // the answer goes
  hn_release(NULL, answer);
  return status;
}

void hn_served_destroy(hn_component *component) {
  hn_served_part *part = part_of(component);
  if (!part) return;
  unsigned char answer[1024];
  hn_wire request = {.data = NULL}, reply;
  hn_served_begin(&request, HN_SERVED_DESTROY, part->id);
  if (!part->is_lost && part->id != 0)
    ask_channel(&part->channel, &request, answer, sizeof answer, &reply);
  hn_wire_free(&request);
  hn_arena_release(&part->arena);
  hn_release(NULL, part);
}

hn_status hn_served_create(const hn_component_channel *channel, const hn_component_setup *setup,
                           hn_component **component, hn_error *error) {
  hn_served_part *part = hn_allocate(NULL, sizeof *part);
  unsigned char answer[4096];
  hn_wire request = {.data = NULL}, reply = hn_wire_of(NULL, 0);
  *component = NULL;
  if (!part) return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  memset(part, 0, sizeof *part);
  hn_arena_init(&part->arena, NULL);
  part->channel = *channel;
  part->channel.name = hn_arena_copy_string(&part->arena, channel->name);
  hn_served_begin(&request, HN_SERVED_CREATE, 0);
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
    hn_served_destroy((hn_component *)part);
  return status;
}

const hn_component_facts *hn_served_facts(const hn_component *component) {
  return &part_of(component)->facts;
}

unsigned long long hn_served_hash(const hn_component *component) {
  return part_of(component)->hash;
}

hn_status hn_served_create_alone(const hn_component_setup *setup, hn_component **component,
                                 hn_error *error) {
  (void)setup;
  *component = NULL;
  return hn_fail(error, HN_ERROR_UNSUPPORTED, NULL, NULL, NULL,
                 "is remote and needs a connection to its server");
}

void hn_served_stop(hn_component_run *handle) {
  hn_served_run *run = run_of(handle);
  if (!run) return;
  hn_served_begin(&run->request, HN_SERVED_STOP, run->id);
  if (run->id != 0) hn_served_ask(run);
  hn_wire_free(&run->request);
  hn_release(NULL, run->answer);
  hn_release(NULL, run);
}

hn_status hn_served_start(const hn_component *component, const unsigned char *connected,
                          const double gravity[3], hn_component_run **out, hn_error *error) {
  hn_served_part *part = part_of(component);
  hn_served_run *run = hn_allocate(NULL, sizeof *run);
  *out = NULL;
  if (!run) return HN_ERROR_MEMORY;
  *run = (hn_served_run){.part = part, .room = 4096};
  run->answer = hn_allocate(NULL, run->room);
  hn_served_begin(&run->request, HN_SERVED_START, part->id);
  hn_wire_bytes(&run->request, connected, (size_t)part->facts.body_count);
  hn_wire_numbers(&run->request, gravity, 3);
  hn_status status = run->answer ? hn_served_ask(run) : HN_ERROR_MEMORY;
  if (status == HN_OK) {
    run->id = hn_wire_get_long(&run->reply);
    run->connected = hn_wire_get_int(&run->reply);
    run->save_size = (size_t)hn_wire_get_long(&run->reply);
    int count = 0;
    for (int b = 0; b < part->facts.body_count; b++) count += connected[b] != 0;
    status = run->connected == count && run->save_size < HN_SERVED_STATE ? hn_served_ended(run)
                                                                         : HN_ERROR_FILE;
  }
  if (status != HN_OK && run->answer) failed(&part->channel, status, &run->reply, error);
  if (status == HN_OK) {
    size_t room = hn_served_room(&part->facts, run->connected, run->save_size);
    unsigned char *answer = hn_allocate(NULL, room);
    if (answer) { // until then the first one serves, to stop with
      hn_release(NULL, run->answer);
      run->answer = answer;
      run->room = room;
    }
    if (!answer || !hn_wire_reserve(&run->request, room)) status = HN_ERROR_MEMORY;
  }
  if (status == HN_OK)
    *out = (hn_component_run *)run;
  else
    hn_served_stop((hn_component_run *)run);
  return status;
}
