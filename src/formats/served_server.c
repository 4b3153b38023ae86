// Serving a sealed component: the code of its file answers requests that come as bytes (served.h). What
// comes is checked before it is used: sizes, numbers of objects, indices. Who asks learns what the
// functions of holon/component.h tell, and nothing else of this machine.
#include <string.h>

#include "base/dynamic.h"
#include "base/error.h"
#include "formats/served.h"

typedef struct server_run server_run;
typedef struct server_part server_part;

struct server_run {
  hn_arena arena;
  uint64_t id;
  server_part *part;
  hn_component_run *run;
  int connected;
  double *q, *qd, *external_q, *external_qd, *turns;
  hn_component_branch *switches;
  int *motions;
  double *border_force, *external_force, *lambda;
  hn_component_rows rows;
  double *border_in, *border_out, *square; // (6 connected, squared)
  double *bodies, *outputs;
  unsigned char *saved;
  size_t save_size;
  server_run *next;
};

struct server_part {
  uint64_t id;
  hn_component *placed;
  const hn_component_facts *facts;
  server_part *next;
};

struct hn_component_server {
  const char *path;
  char *path_copy;
  hn_sealed_file file;
  char digest[HN_COMPONENT_CHECKSUM];
  hn_dynamic *library;
  const hn_component_api *api;
  uint64_t last_id;
  server_part *parts;
  server_run *runs;
  hn_wire answer;
};

// ---- opening ------------------------------------------------------------------------------------

static hn_status load_code(hn_component_server *s, hn_error *error) {
  hn_source place = {s->path, 0, 0};
  if (s->file.abi != HN_COMPONENT_ABI)
    return hn_fail(error, HN_ERROR_UNSUPPORTED, &place, NULL, "Build it again with this holon.",
                   "has version %u of the component interface; this is version %u", s->file.abi,
                   HN_COMPONENT_ABI);
  hn_status status = hn_dynamic_open(s->path, &s->library, error);
  if (status != HN_OK) return status;
  typedef const hn_component_api *(*entry_function)(void);
  entry_function entry = (entry_function)hn_dynamic_find(s->library, HN_COMPONENT_ENTRY);
  s->api = entry ? entry() : NULL;
  if (s->api && s->api->abi == HN_COMPONENT_ABI && s->api->size >= sizeof *s->api) return HN_OK;
  return hn_fail(error, HN_ERROR_FILE, &place, NULL, "Build it again with `holon component build`.",
                 "is no sealed component of this version of the interface");
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

static void free_run(hn_component_server *s, server_run *run) {
  if (run->run) s->api->stop(run->run);
  hn_arena_release(&run->arena);
  hn_release(NULL, run);
}

static void free_part(hn_component_server *s, server_part *part) {
  if (part->placed) s->api->destroy(part->placed);
  hn_release(NULL, part);
}

void hn_component_server_close(hn_component_server *s) {
  if (!s) return;
  while (s->runs) {
    server_run *run = s->runs;
    s->runs = run->next;
    free_run(s, run);
  }
  while (s->parts) {
    server_part *part = s->parts;
    s->parts = part->next;
    free_part(s, part);
  }
  hn_dynamic_close(s->library);
  hn_sealed_file_close(&s->file);
  hn_wire_free(&s->answer);
  hn_release(NULL, s->path_copy);
  hn_release(NULL, s);
}

// ---- answers ------------------------------------------------------------------------------------

static hn_wire *answer(hn_component_server *s, hn_status status) {
  s->answer.size = 0;
  s->answer.failed = 0;
  hn_wire_word(&s->answer, HN_SERVED_MARK);
  hn_wire_int(&s->answer, (int)status);
  return &s->answer;
}

static void refuse(hn_component_server *s, hn_status status, const hn_error *error) {
  hn_wire *w = answer(s, status);
  hn_wire_string(w, error ? error->message : "");
  hn_wire_string(w, error ? error->hint : "");
}

static void say(hn_component_server *s, hn_status status, const double *values, int count) {
  if (status != HN_OK)
    refuse(s, status, NULL);
  else
    hn_wire_numbers(answer(s, status), values, count);
}

// ---- components ---------------------------------------------------------------------------------

static void hello(hn_component_server *s) {
  hn_wire *w = answer(s, HN_OK);
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
  server_part *part = hn_allocate(NULL, sizeof *part);
  hn_status status = part ? HN_OK : HN_ERROR_MEMORY;
  if (part) *part = (server_part){.id = ++s->last_id, .next = s->parts};
  if (part && !get_setup(s, request, &arena, &setup)) status = HN_ERROR_ARGUMENT;
  if (status == HN_OK) status = s->api->create(&setup, &part->placed, &error);
  hn_arena_release(&arena);
  if (status != HN_OK) {
    hn_release(NULL, part);
    refuse(s, status, &error);
    return;
  }
  part->facts = s->api->facts(part->placed);
  s->parts = part;
  hn_served_put_facts(answer(s, HN_OK), part->facts);
  uint64_t size = s->answer.size;
  hn_wire *w = answer(s, HN_OK);
  hn_wire_long(w, part->id);
  hn_wire_long(w, s->api->hash(part->placed));
  hn_wire_long(w, size);
}

static server_part *find_part(const hn_component_server *s, uint64_t id) {
  for (server_part *p = s->parts; p; p = p->next)
    if (p->id == id) return p;
  return NULL;
}

static void destroy(hn_component_server *s, server_part *part) {
  for (server_run *r = s->runs; r; r = r->next)
    if (r->part == part) {
      refuse(s, HN_ERROR_ARGUMENT, NULL); // somebody still runs it
      return;
    }
  for (server_part **at = &s->parts; *at; at = &(*at)->next)
    if (*at == part) {
      *at = part->next;
      free_part(s, part);
      break;
    }
  answer(s, HN_OK);
}

static hn_status take_memory(server_run *run) {
  const hn_component_facts *f = run->part->facts;
  hn_arena *a = &run->arena;
  int rows = f->border_row_count, n = 6 * run->connected;
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
  run->square = HN_TAKE(a, double, n *n);
  run->bodies = HN_TAKE(a, double, 6 * f->body_count);
  run->outputs = HN_TAKE(a, double, f->output_count);
  return a->failed ? HN_ERROR_MEMORY : HN_OK;
}

static void start(hn_component_server *s, server_part *part, hn_wire *request) {
  hn_error error = {0};
  double gravity[3];
  int bodies = part->facts->body_count;
  server_run *run = hn_allocate(NULL, sizeof *run);
  if (!run) {
    refuse(s, HN_ERROR_MEMORY, NULL);
    return;
  }
  memset(run, 0, sizeof *run);
  hn_arena_init(&run->arena, NULL);
  run->part = part;
  run->id = ++s->last_id;
  unsigned char *connected = HN_TAKE(&run->arena, unsigned char, bodies);
  hn_status status = connected ? HN_OK : HN_ERROR_MEMORY;
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
    refuse(s, status, &error);
    return;
  }
  run->next = s->runs;
  s->runs = run;
  hn_wire *w = answer(s, HN_OK);
  hn_wire_long(w, run->id);
  hn_wire_int(w, run->connected);
  hn_wire_long(w, run->save_size);
}

static void stop(hn_component_server *s, server_run *run) {
  for (server_run **at = &s->runs; *at; at = &(*at)->next)
    if (*at == run) {
      *at = run->next;
      free_run(s, run);
      break;
    }
  answer(s, HN_OK);
}

// ---- states -------------------------------------------------------------------------------------

static hn_component_state get_poses(server_run *run, hn_wire *w) {
  const hn_component_facts *f = run->part->facts;
  hn_component_state state = {.q = run->q,
                              .qd = run->qd,
                              .external_q = run->external_q,
                              .external_qd = run->external_qd,
                              .turns = run->turns,
                              .switches = run->switches,
                              .motions = run->motions};
  hn_wire_get_numbers(w, &state.t, 1);
  hn_wire_get_numbers(w, run->q, 7 * f->body_count);
  hn_wire_get_numbers(w, run->qd, 7 * f->body_count);
  hn_wire_get_numbers(w, run->external_q, 7 * f->external_count);
  hn_wire_get_numbers(w, run->external_qd, 7 * f->external_count);
  return state;
}

static void get_turns(server_run *run, hn_wire *w) {
  hn_wire_get_numbers(w, run->turns, run->part->facts->turn_count);
}

static hn_component_state get_state(server_run *run, hn_wire *w) {
  const hn_component_facts *f = run->part->facts;
  hn_component_state state = get_poses(run, w);
  get_turns(run, w);
  for (int k = 0; k < f->switch_count; k++) {
    run->switches[k].state = hn_wire_get_int(w);
    run->switches[k].time = hn_wire_get_int(w);
  }
  for (int k = 0; k < f->motion_count; k++) run->motions[k] = hn_wire_get_int(w);
  return state;
}

static hn_component_energy get_energy(hn_wire *w) {
  double values[3];
  hn_wire_get_numbers(w, values, 3);
  return (hn_component_energy){values[0], values[1], values[2]};
}

static void put_energy(hn_wire *w, const hn_component_energy *energy) {
  const double values[3] = {energy->kinetic, energy->potential, energy->power};
  hn_wire_numbers(w, values, 3);
}

static void put_rows(hn_wire *w, const server_run *run) {
  const hn_component_facts *f = run->part->facts;
  int n = f->border_row_count;
  hn_wire_numbers(w, run->rows.block, 6 * f->border_row_start[n]);
  hn_wire_numbers(w, run->rows.value, n);
  hn_wire_numbers(w, run->rows.rate, n);
  hn_wire_numbers(w, run->rows.tau, n);
  hn_wire_numbers(w, run->rows.time_rate, n);
}

// ---- one function each --------------------------------------------------------------------------
// Nothing is run before the request was read to its end.

static void turns(hn_component_server *s, server_run *run, hn_wire *w) {
  hn_component_state state = get_poses(run, w);
  get_turns(run, w);
  int at_start = hn_wire_get_int(w);
  hn_status status = hn_wire_is_done(w) ? s->api->turns(run->run, at_start, &state, run->turns)
                                        : HN_ERROR_ARGUMENT;
  say(s, status, run->turns, run->part->facts->turn_count);
}

static void branches(hn_component_server *s, server_run *run, hn_wire *w) {
  const hn_component_facts *f = run->part->facts;
  hn_component_state state = get_poses(run, w);
  get_turns(run, w);
  hn_status status = hn_wire_is_done(w)
                         ? s->api->branches(run->run, &state, run->switches, run->motions)
                         : HN_ERROR_ARGUMENT;
  if (status != HN_OK) {
    refuse(s, status, NULL);
    return;
  }
  hn_wire *out = answer(s, HN_OK);
  for (int k = 0; k < f->switch_count; k++) {
    hn_wire_int(out, run->switches[k].state);
    hn_wire_int(out, run->switches[k].time);
  }
  for (int k = 0; k < f->motion_count; k++) hn_wire_int(out, run->motions[k]);
}

static void forces(hn_component_server *s, server_run *run, hn_wire *w) {
  const hn_component_facts *f = run->part->facts;
  hn_component_state state = get_state(run, w);
  hn_wire_get_numbers(w, run->border_force, 6 * f->border_count);
  hn_wire_get_numbers(w, run->external_force, 6 * f->external_count);
  hn_component_energy energy = get_energy(w);
  hn_status status = hn_wire_is_done(w) ? s->api->forces(run->run, &state, run->border_force,
                                                         run->external_force, &energy, &run->rows)
                                        : HN_ERROR_ARGUMENT;
  if (status != HN_OK) {
    refuse(s, status, NULL);
    return;
  }
  hn_wire *out = answer(s, HN_OK);
  hn_wire_numbers(out, run->external_force, 6 * f->external_count);
  put_energy(out, &energy);
  put_rows(out, run);
}

static void finish(hn_component_server *s, server_run *run, hn_wire *w) {
  const hn_component_facts *f = run->part->facts;
  hn_component_report report = {0};
  hn_wire_get_numbers(w, run->lambda, f->border_row_count);
  hn_component_energy energy = get_energy(w);
  hn_status status = hn_wire_is_done(w) ? s->api->finish(run->run, run->lambda, run->bodies,
                                                         &energy, run->outputs, &report)
                                        : HN_ERROR_ARGUMENT;
  if (status != HN_OK) {
    refuse(s, status, NULL);
    return;
  }
  const double worst[3] = {report.position, report.velocity, report.acceleration};
  hn_wire *out = answer(s, HN_OK);
  hn_wire_numbers(out, run->bodies, 6 * f->body_count);
  put_energy(out, &energy);
  hn_wire_numbers(out, run->outputs, f->output_count);
  hn_wire_numbers(out, worst, 3);
  hn_wire_int(out, report.dependent);
  hn_wire_int(out, report.left_out);
}

static void gaps(hn_component_server *s, server_run *run, hn_wire *w) {
  double largest = 0;
  hn_component_state state = get_state(run, w);
  int rates = hn_wire_get_int(w);
  hn_status status = hn_wire_is_done(w)
                         ? s->api->gaps(run->run, &state, rates, &run->rows, &largest)
                         : HN_ERROR_ARGUMENT;
  say(s, status, &largest, 1);
  if (status == HN_OK) put_rows(&s->answer, run);
}

static void loads(hn_component_server *s, server_run *run, hn_wire *w) {
  hn_component_energy energy = get_energy(w);
  hn_status status = hn_wire_is_done(w) ? s->api->loads(run->run, &energy) : HN_ERROR_ARGUMENT;
  const double values[3] = {energy.kinetic, energy.potential, energy.power};
  say(s, status, values, 3);
}

static void factor(hn_component_server *s, server_run *run, hn_wire *w) {
  int rows = hn_wire_get_int(w), rank = 0, n = 6 * run->connected;
  int is_known = rows >= 0 && rows <= 2 && hn_wire_is_done(w);
  hn_status status =
      is_known ? s->api->factor(run->run, rows, run->square, n, &rank) : HN_ERROR_ARGUMENT;
  if (status != HN_OK) {
    refuse(s, status, NULL);
    return;
  }
  hn_wire *out = answer(s, HN_OK);
  hn_wire_int(out, rank);
  hn_wire_numbers(out, run->square, n * n);
}

static void border_pass(hn_component_server *s, server_run *run, hn_served_operation operation,
                        hn_wire *w) {
  int n = 6 * run->connected, again = 0, is_up = operation == HN_SERVED_STABILIZE_FORWARD;
  if (operation == HN_SERVED_FORWARD || operation == HN_SERVED_BACKWARD)
    again = hn_wire_get_int(w) != 0;
  if (operation != HN_SERVED_FORWARD && !is_up) hn_wire_get_numbers(w, run->border_in, n);
  hn_status status = hn_wire_is_done(w) ? HN_OK : HN_ERROR_ARGUMENT;
  const hn_component_api *api = s->api;
  if (status == HN_OK && operation == HN_SERVED_FORWARD)
    status = api->forward(run->run, again, run->border_out);
  else if (status == HN_OK && operation == HN_SERVED_BACKWARD)
    status = api->backward(run->run, again, run->border_in, run->border_out);
  else if (status == HN_OK && operation == HN_SERVED_RESIDUAL)
    status = api->residual(run->run, run->border_in);
  else if (status == HN_OK && is_up)
    status = api->stabilize_forward(run->run, run->border_out);
  else if (status == HN_OK)
    status = api->stabilize_backward(run->run, run->border_in, run->border_out);
  say(s, status, run->border_out, operation == HN_SERVED_RESIDUAL ? 0 : n);
}

static void small_call(hn_component_server *s, server_run *run, hn_served_operation operation,
                       hn_wire *w) {
  const hn_component_facts *f = run->part->facts;
  const hn_component_api *api = s->api;
  double value = 0, given = 0;
  int left = 0, n = 6 * run->connected;
  hn_component_state state = {0};
  if (operation == HN_SERVED_STEP_LIMIT) state = get_poses(run, w);
  if (operation == HN_SERVED_INCREMENTS) left = hn_wire_get_int(w) != 0;
  if (operation == HN_SERVED_IMPULSES)
    hn_wire_get_numbers(w, run->border_force, 6 * f->border_count);
  if (operation == HN_SERVED_NEXT_TIME || operation == HN_SERVED_STABILIZE_FACTOR ||
      operation == HN_SERVED_IMPULSES)
    hn_wire_get_numbers(w, &given, 1);
  if (operation == HN_SERVED_RESTORE) hn_wire_get_bytes(w, run->saved, run->save_size);
  if (!hn_wire_is_done(w)) {
    refuse(s, HN_ERROR_ARGUMENT, NULL);
  } else if (operation == HN_SERVED_NEXT_TIME) {
    hn_status status = api->next_time(run->run, given, &value);
    say(s, status, &value, 1);
  } else if (operation == HN_SERVED_STEP_LIMIT) {
    hn_status status = api->step_limit(run->run, &state, &value);
    say(s, status, &value, 1);
  } else if (operation == HN_SERVED_STABILIZE_FACTOR) {
    hn_status status = api->stabilize_factor(run->run, given, run->square);
    say(s, status, run->square, n * n);
  } else if (operation == HN_SERVED_INCREMENTS) {
    hn_status status = api->increments(run->run, left, run->bodies);
    say(s, status, run->bodies, 6 * f->body_count);
  } else if (operation == HN_SERVED_IMPULSES) {
    say(s, api->impulses(run->run, run->border_force, given), NULL, 0);
  } else if (operation == HN_SERVED_RESTORE) {
    say(s, api->restore(run->run, run->saved), NULL, 0);
  } else {
    hn_status status = api->save(run->run, run->saved);
    say(s, status, NULL, 0);
    if (status == HN_OK) hn_wire_bytes(&s->answer, run->saved, run->save_size);
  }
}

// ---- all of them --------------------------------------------------------------------------------

static server_run *find_run(const hn_component_server *s, uint64_t id) {
  for (server_run *r = s->runs; r; r = r->next)
    if (r->id == id) return r;
  return NULL;
}

static void answer_run(hn_component_server *s, hn_served_operation operation, uint64_t id,
                       hn_wire *w) {
  server_run *run = find_run(s, id);
  if (!run) {
    refuse(s, HN_ERROR_ARGUMENT, NULL);
    return;
  }
  switch ((int)operation) {
  case HN_SERVED_STOP: stop(s, run); break;
  case HN_SERVED_TURNS: turns(s, run, w); break;
  case HN_SERVED_BRANCHES: branches(s, run, w); break;
  case HN_SERVED_FORCES: forces(s, run, w); break;
  case HN_SERVED_LOADS: loads(s, run, w); break;
  case HN_SERVED_FACTOR: factor(s, run, w); break;
  case HN_SERVED_FINISH: finish(s, run, w); break;
  case HN_SERVED_GAPS: gaps(s, run, w); break;
  case HN_SERVED_FORWARD:
  case HN_SERVED_BACKWARD:
  case HN_SERVED_RESIDUAL:
  case HN_SERVED_STABILIZE_FORWARD:
  case HN_SERVED_STABILIZE_BACKWARD: border_pass(s, run, operation, w); break;
  case HN_SERVED_NEXT_TIME:
  case HN_SERVED_STEP_LIMIT:
  case HN_SERVED_STABILIZE_FACTOR:
  case HN_SERVED_INCREMENTS:
  case HN_SERVED_IMPULSES:
  case HN_SERVED_SAVE:
  case HN_SERVED_RESTORE: small_call(s, run, operation, w); break;
  default: refuse(s, HN_ERROR_ARGUMENT, NULL); break;
  }
}

hn_status hn_component_server_answer(hn_component_server *s, const void *request, size_t size,
                                     const void **out, size_t *out_size) {
  hn_wire w = hn_wire_of(request, size);
  uint32_t mark = hn_wire_get_word(&w), operation = hn_wire_get_word(&w);
  uint64_t id = hn_wire_get_long(&w);
  server_part *part = find_part(s, id);
  if (w.failed || mark != HN_SERVED_MARK || operation >= HN_SERVED_OPERATIONS)
    refuse(s, HN_ERROR_ARGUMENT, NULL);
  else if (operation == HN_SERVED_HELLO)
    hello(s);
  else if (operation == HN_SERVED_CREATE)
    create(s, &w);
  else if (operation > HN_SERVED_START)
    answer_run(s, (hn_served_operation)operation, id, &w);
  else if (!part)
    refuse(s, HN_ERROR_ARGUMENT, NULL);
  else if (operation == HN_SERVED_FACTS)
    hn_served_put_facts(answer(s, HN_OK), part->facts);
  else if (operation == HN_SERVED_DESTROY)
    destroy(s, part);
  else
    start(s, part, &w);
  if (s->answer.failed) return HN_ERROR_MEMORY;
  *out = s->answer.data;
  *out_size = s->answer.size;
  return HN_OK;
}
