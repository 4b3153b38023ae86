// Serving a sealed component: the code of its file answers requests that come as bytes (see the
// header). Input is checked before it is used: sizes, numbers of objects, indices. Clients get the
// results of the functions of holon/component.h, and nothing else of this computer.
#include <limits.h>
#include <string.h>

#include "base/error.h"
#include "components/served_server.h"

// ---- opening ------------------------------------------------------------------------------------

static hn_status load_code(hn_component_server *s, hn_error *error) {
  hn_source place = {s->path, 0, 0};
  if (s->file.abi != HN_COMPONENT_ABI)
    return hn_fail(error, HN_ERROR_UNSUPPORTED, &place, NULL,
                   "Rebuild it with this version of Holon.",
                   "has version %u of the component interface; version %u is required", s->file.abi,
                   HN_COMPONENT_ABI);
  hn_status status = hn_dynamic_open(s->path, &s->library, error);
  if (status != HN_OK) return status;
  typedef const hn_component_api *(*entry_function)(void);
  entry_function entry = (entry_function)hn_dynamic_find(s->library, HN_COMPONENT_ENTRY);
  s->api = entry ? entry() : NULL;
  if (s->api && s->api->abi == HN_COMPONENT_ABI && s->api->size >= sizeof *s->api) return HN_OK;
  return hn_fail(error, HN_ERROR_FILE, &place, NULL, "Rebuild it with `holon component build`.",
                 "is not a sealed component of this interface version");
}

hn_status hn_component_server_open(const char *path, hn_component_server **server,
                                   hn_error *error) {
  hn_component_server *s = hn_allocate(NULL, sizeof *s);
  size_t length = strlen(path) + 1;
  *server = NULL;
  if (!s) return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  memset(s, 0, sizeof *s);
  s->path_copy = hn_allocate(NULL, length);
  hn_status status = s->path_copy ? HN_OK : HN_ERROR_MEMORY;
  if (status == HN_OK) {
    memcpy(s->path_copy, path, length);
    s->path = s->path_copy;
    status = hn_sealed_file_open(path, &s->file, error);
  }
  if (status == HN_OK) {
    hn_sealed_digest(&s->file, s->digest);
    status = load_code(s, error);
  }
  if (status == HN_OK)
    *server = s;
  else
    hn_component_server_close(s);
  return status;
}

static void free_run(hn_component_server *s, hn_server_run *run) {
  if (run->run) s->api->stop(run->run);
  hn_arena_release(&run->arena);
  hn_release(NULL, run);
}

static void free_part(hn_component_server *s, hn_server_part *part) {
  if (part->placed) s->api->destroy(part->placed);
  hn_release(NULL, part);
}

void hn_component_server_close(hn_component_server *s) {
  if (!s) return;
  while (s->runs) {
    hn_server_run *run = s->runs;
    s->runs = run->next;
    free_run(s, run);
  }
  while (s->parts) {
    hn_server_part *part = s->parts;
    s->parts = part->next;
    free_part(s, part);
  }
  hn_dynamic_close(s->library);
  hn_sealed_file_close(&s->file);
  hn_wire_free(&s->answer);
  hn_release(NULL, s->path_copy);
  hn_release(NULL, s);
}

// ---- components ---------------------------------------------------------------------------------

static void hello(hn_component_server *s) {
  hn_wire *w = hn_server_begin(s, HN_OK);
  hn_wire_word(w, HN_COMPONENT_ABI);
  hn_wire_string(w, hn_version());
  hn_wire_bytes(w, s->digest, sizeof s->digest);
  hn_wire_long(w, s->file.public_size);
  hn_wire_bytes(w, s->file.public_text, s->file.public_size);
}

// Only what the file shows may be set, whatever is asked.
static int is_shown(const hn_component_server *s, const char *name) {
  static const char *const words[] = {"input", "required"};
  for (size_t k = 0; k < sizeof words / sizeof words[0]; k++) {
    char value[256];
    size_t at = 0;
    while (hn_sealed_next(&s->file, words[k], &at, value, sizeof value))
      if (strcmp(value, name) == 0) return 1;
  }
  return 0;
}

static int get_setup(const hn_component_server *s, hn_wire *w, hn_arena *arena,
                     hn_component_setup *setup) {
  hn_wire_get_numbers(w, setup->rotation, 9);
  hn_wire_get_numbers(w, setup->mirror, 3);
  hn_wire_get_numbers(w, setup->position, 3);
  setup->input_count = hn_wire_get_count(w, 6 * sizeof(double));
  hn_component_input *inputs = HN_TAKE(arena, hn_component_input, setup->input_count);
  for (int k = 0; k < setup->input_count && !arena->failed; k++) {
    inputs[k].name = hn_wire_get_string(w, arena);
    hn_wire_get_numbers(w, &inputs[k].value, 1);
    inputs[k].has_dimension = hn_wire_get_int(w) != 0;
    hn_wire_get_numbers(w, inputs[k].dimension, 4);
    if (!is_shown(s, inputs[k].name)) w->failed = 1;
  }
  setup->external_count = hn_wire_get_count(w, 18 * sizeof(double));
  hn_component_body *bodies = HN_TAKE(arena, hn_component_body, setup->external_count);
  for (int k = 0; k < setup->external_count && !arena->failed; k++) {
    hn_wire_get_numbers(w, bodies[k].rotation, 9);
    hn_wire_get_numbers(w, bodies[k].mirror, 3);
    hn_wire_get_numbers(w, bodies[k].position, 3);
    hn_wire_get_numbers(w, bodies[k].center, 3);
  }
  setup->path = s->path;
  setup->inputs = inputs;
  setup->externals = bodies;
  return !arena->failed && hn_wire_is_done(w);
}

static void create(hn_component_server *s, hn_wire *request) {
  hn_arena arena;
  hn_component_setup setup = {.path = ""};
  hn_error error = {0};
  hn_arena_init(&arena, NULL);
  hn_server_part *part = hn_allocate(NULL, sizeof *part);
  hn_status status = part ? HN_OK : HN_ERROR_MEMORY;
  if (s->part_count >= HN_SERVER_PARTS)
    status =
        hn_fail(&error, HN_ERROR_LIMIT, NULL, NULL, "use it fewer times, or start another server",
                "is in use %d times, the limit of one server", s->part_count);
  if (part) *part = (hn_server_part){.id = ++s->last_id, .next = s->parts};
  if (status == HN_OK && !get_setup(s, request, &arena, &setup)) status = HN_ERROR_ARGUMENT;
  if (status == HN_OK) status = s->api->create(&setup, &part->placed, &error);
  hn_arena_release(&arena);
  if (status != HN_OK) {
    hn_release(NULL, part);
    hn_server_refuse(s, status, &error);
    return;
  }
  part->facts = s->api->facts(part->placed);
  s->parts = part;
  s->part_count++;
  hn_served_put_facts(hn_server_begin(s, HN_OK), part->facts);
  uint64_t size = s->answer.size;
  hn_wire *w = hn_server_begin(s, HN_OK);
  hn_wire_long(w, part->id);
  hn_wire_long(w, s->api->hash(part->placed));
  hn_wire_long(w, size);
}

static hn_server_part *find_part(const hn_component_server *s, uint64_t id) {
  for (hn_server_part *p = s->parts; p; p = p->next)
    if (p->id == id) return p;
  return NULL;
}

static void destroy(hn_component_server *s, hn_server_part *part) {
  for (hn_server_run *r = s->runs; r; r = r->next)
    if (r->part == part) {
      hn_server_refuse(s, HN_ERROR_ARGUMENT, NULL); // still in use by a run
      return;
    }
  for (hn_server_part **at = &s->parts; *at; at = &(*at)->next)
    if (*at == part) {
      *at = part->next;
      free_part(s, part);
      s->part_count--;
      break;
    }
  hn_server_begin(s, HN_OK);
}

static hn_status take_memory(hn_server_run *run) {
  const hn_component_facts *f = run->part->facts;
  hn_arena *a = &run->arena;
  int rows = f->border_row_count, n = 6 * run->connected;
  size_t square = (size_t)n * (size_t)n;
  if (square > INT_MAX) return HN_ERROR_MEMORY; // numbers are counted by int
  run->q = HN_TAKE(a, double, 7 * f->body_count);
  run->qd = HN_TAKE(a, double, 7 * f->body_count);
  run->external_q = HN_TAKE(a, double, 7 * f->external_count);
  run->external_qd = HN_TAKE(a, double, 7 * f->external_count);
  run->turns = HN_TAKE(a, double, f->turn_count);
  run->switches = HN_TAKE(a, hn_component_branch, f->switch_count);
  run->motions = HN_TAKE(a, int, f->motion_count);
  run->border_force = HN_TAKE(a, double, 6 * f->border_count);
  run->external_force = HN_TAKE(a, double, 6 * f->external_count);
  run->lambda = HN_TAKE(a, double, rows);
  run->rows = (hn_component_rows){.block = HN_TAKE(a, double, 6 * f->border_row_start[rows]),
                                  .value = HN_TAKE(a, double, rows),
                                  .rate = HN_TAKE(a, double, rows),
                                  .tau = HN_TAKE(a, double, rows),
                                  .time_rate = HN_TAKE(a, double, rows)};
  run->border_in = HN_TAKE(a, double, n);
  run->border_out = HN_TAKE(a, double, n);
  run->square = HN_TAKE(a, double, square);
  run->bodies = HN_TAKE(a, double, 6 * f->body_count);
  run->outputs = HN_TAKE(a, double, f->output_count);
  run->z = HN_TAKE(a, double, f->state_count);
  run->late = HN_TAKE(a, double, 4 * f->delay_count);
  run->delayed = HN_TAKE(a, double, f->delay_count);
  run->given = HN_TAKE(a, double, HN_COMPONENT_GIVEN_NUMBERS * f->given_count);
  run->next_z = HN_TAKE(a, double, 2 * f->state_count);
  run->codes = HN_TAKE(a, int, f->condition_count);
  return a->failed ? HN_ERROR_MEMORY : HN_OK;
}

static void start(hn_component_server *s, hn_server_part *part, hn_wire *request) {
  hn_error error = {0};
  double gravity[3];
  int bodies = part->facts->body_count;
  hn_server_run *run = hn_allocate(NULL, sizeof *run);
  if (!run) {
    hn_server_refuse(s, HN_ERROR_MEMORY, NULL);
    return;
  }
  memset(run, 0, sizeof *run);
  hn_arena_init(&run->arena, NULL);
  run->part = part;
  run->id = ++s->last_id;
  unsigned char *connected = HN_TAKE(&run->arena, unsigned char, bodies);
  hn_status status = connected ? HN_OK : HN_ERROR_MEMORY;
  if (s->run_count >= HN_SERVER_RUNS)
    status = hn_fail(&error, HN_ERROR_LIMIT, NULL, NULL, "end other runs of it first",
                     "has %d runs, the limit of one server", s->run_count);
  if (connected) hn_wire_get_bytes(request, connected, (size_t)bodies);
  hn_wire_get_numbers(request, gravity, 3);
  if (status == HN_OK && !hn_wire_is_done(request)) status = HN_ERROR_ARGUMENT;
  for (int b = 0; b < bodies && status == HN_OK; b++) run->connected += connected[b] != 0;
  if (status == HN_OK) status = take_memory(run);
  if (status == HN_OK) status = s->api->start(part->placed, connected, gravity, &run->run, &error);
  if (status == HN_OK) {
    run->save_size = s->api->save_size(run->run);
    run->saved = HN_TAKE(&run->arena, unsigned char, run->save_size + 1);
    size_t room = hn_served_room(part->facts, run->connected, run->save_size);
    if (!run->saved || !hn_wire_reserve(&s->answer, room)) status = HN_ERROR_MEMORY;
  }
  if (status != HN_OK) {
    free_run(s, run);
    hn_server_refuse(s, status, &error);
    return;
  }
  run->next = s->runs;
  s->runs = run;
  s->run_count++;
  hn_wire *w = hn_server_begin(s, HN_OK);
  hn_wire_long(w, run->id);
  hn_wire_int(w, run->connected);
  hn_wire_long(w, run->save_size);
}

void hn_server_stop(hn_component_server *s, hn_server_run *run) {
  for (hn_server_run **at = &s->runs; *at; at = &(*at)->next)
    if (*at == run) {
      *at = run->next;
      free_run(s, run);
      s->run_count--;
      break;
    }
  hn_server_begin(s, HN_OK);
}

// ---- all of them ------------------------------------------------------------------------------

hn_status hn_component_server_answer(hn_component_server *s, const void *request, size_t size,
                                     const void **out, size_t *out_size) {
  hn_wire w = hn_wire_of(request, size);
  uint32_t mark = hn_wire_get_word(&w), operation = hn_wire_get_word(&w);
  uint64_t id = hn_wire_get_long(&w);
  hn_server_part *part = find_part(s, id);
  if (w.failed || mark != HN_SERVED_MARK || operation >= HN_SERVED_OPERATIONS)
    hn_server_refuse(s, HN_ERROR_ARGUMENT, NULL);
  else if (operation == HN_SERVED_HELLO)
    hello(s);
  else if (operation == HN_SERVED_CREATE)
    create(s, &w);
  else if (operation > HN_SERVED_START)
    hn_server_answer_run(s, (hn_served_operation)operation, id, &w);
  else if (!part)
    hn_server_refuse(s, HN_ERROR_ARGUMENT, NULL);
  else if (operation == HN_SERVED_FACTS)
    hn_served_put_facts(hn_server_begin(s, HN_OK), part->facts);
  else if (operation == HN_SERVED_DESTROY)
    destroy(s, part);
  else
    start(s, part, &w);
  if (s->answer.failed) return HN_ERROR_MEMORY;
  *out = s->answer.data;
  *out_size = s->answer.size;
  return HN_OK;
}
