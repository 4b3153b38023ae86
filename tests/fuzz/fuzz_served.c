// Remote components: both ends of a conversation, and an attacker between them who changes bytes.
// Edits: number of the message (9 bits), direction and whether it is cut off, offset, length,
// bytes.
#include "target.h"

#include "components/served_server.h"
#include "formats/sealed/sealed.h"
#include "holon/load.h"
#include "holon/simulation.h"

static const char part_text[] =
    "name: hopper\nborder: [hub]\nbodies:\n  base: {external: true}\n"
    "  hub: {mass: 20, center: [0, 0, 0.5], inertia: [0.5, 0.8, 0.5], shape: {sphere: 0.1, "
    "contact: "
    "true}}\n"
    "  weight: {mass: 3, center: [0.2, 0, 0.5], inertia: [0.02, 0.02, 0.02]}\n"
    "joints:\n  slide: {type: translational, bodies: [hub, weight], at: [0.2, 0, 0.5], axis: x}\n"
    "  arm: {type: translational, bodies: [base, hub], at: [0, 0, 0.5], axis: z}\n"
    "forces:\n  stop: {type: joint-stop, joint: slide, lower: -0.02, upper: 0.01, stiffness: 2e5,"
    " damping: 500}\ncontacts: {k: {bodies: [base, hub], table: {table: [[0, 0], [0.1, "
    "9]]}}}\noutputs: {travel: joint.slide.displacement}\n";
static const char user_text[] =
    "gravity: [0, 0, -9.81]\nbodies:\n  frame: {mass: 80, center: [0, 0, 0.9], inertia: [4, 4, "
    "4], shape: {box: [1, 1, 0.1], contact: true}}\ncomponents:\n  left: {use: part.hnc, bodies: "
    "{base: frame}}\njoints:\n  rail: {type: "
    "translational, bodies: [ground, frame], at: [0, 0, 0.9], axis: z}\nforces:\n  l: {type: "
    "spring-damper, bodies: [frame, left.hub], points: [[0, 0, 0.9], [0, 0, 0.5]], stiffness: "
    "9000, damping: 400, free_length: 0.44}\nsimulation: {time: 1}\n";

typedef struct conversation {
  hn_component_server server;
  const uint8_t *edits;
  size_t size;
  int number; // of messages so far
} conversation;

// The message as it arrives: its new length.
static size_t tamper(const conversation *c, int is_answer, unsigned char *bytes, size_t count) {
  size_t arrives = count;
  for (size_t at = 0; at + 6 <= c->size;) {
    const uint8_t *e = c->edits + at;
    const int message = e[0] | (e[1] & 1) << 8, direction = e[1] >> 7, cuts = e[1] >> 6 & 1;
    const size_t length = 1 + (e[4] & 7u);
    size_t offset = (size_t)(e[2] | e[3] << 8);
    at += 5;
    if (message == c->number && direction == is_answer && count > 0) {
      if (cuts) arrives = offset % (count + 1);
      offset = e[4] >> 7 ? count - 1 - offset % count : offset % count;
      for (size_t j = 0; j < length && at + j < c->size && offset + j < count; j++)
        bytes[offset + j] = c->edits[at + j];
    }
    at += length;
  }
  return arrives;
}

static hn_status call(void *context, const void *request, size_t size, void *answer, size_t room,
                      size_t *answer_size) {
  conversation *c = context;
  const void *out = NULL;
  size_t out_size = 0;
  *answer_size = 0;
  if (++c->number > 20000) return HN_ERROR_INTERRUPTED;
  unsigned char *bytes = malloc(size ? size : 1);
  PROMISE(bytes != NULL);
  memcpy(bytes, request, size);
  size_t arrives = tamper(c, 0, bytes, size);
  unsigned char *exact = malloc(arrives ? arrives : 1); // no byte behind it
  PROMISE(exact != NULL);
  memcpy(exact, bytes, arrives);
  hn_status status = hn_component_server_answer(&c->server, exact, arrives, &out, &out_size);
  free(bytes);
  free(exact);
  if (status != HN_OK || out_size > room) return HN_ERROR_INTERRUPTED;
  memcpy(answer, out, out_size);
  *answer_size = tamper(c, 1, answer, out_size);
  return HN_OK;
}

static void run(const hn_model *model) {
  hn_simulation *simulation = NULL;
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "cartesian";
  hn_error error = {0};
  options.max_steps = 10;
  hn_status status = hn_simulation_create(model, &options, &simulation, &error);
  PROMISE_OUTCOME(status, simulation, error);
  if (!simulation) return;
  for (int k = 0; k < 3 && status == HN_OK; k++) status = hn_simulation_step(simulation, 1.0);
  volatile double sum = 0;
  (void)sum;
  for (int k = 0; k < hn_simulation_signal_count(simulation); k++)
    sum += hn_simulation_signal(simulation, k);
  size_t size = hn_simulation_save_size(simulation);
  void *state = malloc(size);
  if (state && hn_simulation_save(simulation, state, size) == HN_OK)
    hn_simulation_restore(simulation, state, size);
  free(state);
  hn_simulation_free(simulation);
}

// The sealed file that the maker keeps, made once.
static const hn_sealed_file *part_file(char path[128]) {
  static hn_sealed_file file;
  if (file.data) return &file;
  char model[128], runtime[128];
  hn_error error = {0};
  fuzz_path(path, "part.hnc");
  fuzz_path(model, "part.yaml");
  fuzz_path(runtime, "runtime");
  fuzz_write(model, part_text, sizeof part_text - 1);
  fuzz_write(runtime, "xx", 2);
  const hn_seal_options options = {.runtime = runtime};
  hn_status status = hn_component_seal(model, path, &options, &error);
  if (status == HN_OK) status = hn_sealed_file_open(path, &file, &error);
  if (status != HN_OK) fprintf(stderr, "%s\n", error.message);
  PROMISE(status == HN_OK);
  remove(model);
  remove(runtime);
  return &file;
}

static void close_server(hn_component_server *s) {
  while (s->runs) hn_server_stop(s, s->runs);
  while (s->parts) {
    hn_server_part *part = s->parts;
    s->parts = part->next;
    if (part->placed) s->api->destroy(part->placed);
    hn_release(NULL, part);
  }
  hn_wire_free(&s->answer);
}

static char path[128];
static void remove_part(void) { remove(path); }

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const int is_first = !path[0];
  const hn_sealed_file *file = part_file(path);
  if (is_first) atexit(remove_part); // a component reads its file whenever it is placed
  conversation c = {.edits = data, .size = size};
  c.server.path = path;
  c.server.file = *file;
  c.server.api = hn_sealed_api();
  hn_sealed_digest(file, c.server.digest);
  const hn_component_channel channel = {.name = "part.hnc", .call = call, .context = &c};
  hn_load_options options = hn_default_load_options();
  options.served = &channel;
  options.served_count = 1;
  hn_model *model = NULL;
  hn_error error = {0};
  hn_status status =
      hn_model_load_text(user_text, sizeof user_text - 1, "user.yaml", &options, &model, &error);
  PROMISE_OUTCOME(status, model, error);
  if (model) run(model);
  hn_model_free(model);
  close_server(&c.server);
  return 0;
}
