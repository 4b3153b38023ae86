// Saved states: true ones with some bytes changed and the checksum made right again. They are refused,
// or the run goes on to an answer. The first byte chooses machine and method, then edits follow:
// offset (two bytes), length and direction, bytes.
#include "target.h"

#include "analysis/saved_state.h"
#include "holon/load.h"

enum { MACHINES = 8, METHODS = 4 };

typedef struct kept {
  unsigned char *state;
  size_t size;
} kept;

static const char *const files[MACHINES] = {
    "models/examples/force-tyre.yaml",       "models/examples/laws.yaml",
    "models/examples/force-joint-stop.yaml", "models/examples/inputs.yaml",
    "tests/data/saving/friction.yaml",       "tests/data/saving/states.yaml",
    "tests/data/saving/switches.yaml",       "tests/data/saving/tyres.yaml"};
static const char *const methods[METHODS] = {"auto", "state-space", "multi-index", "descriptor"};

static kept keep(const hn_model *model, const hn_simulation_options *options) {
  hn_simulation *simulation = NULL;
  hn_error error = {0};
  kept k = {NULL, 0};
  if (hn_simulation_create(model, options, &simulation, &error) != HN_OK) return k;
  for (int step = 0; step < 20; step++) hn_simulation_step(simulation, 1.0);
  k.size = hn_simulation_save_size(simulation);
  k.state = malloc(k.size);
  PROMISE(k.state && hn_simulation_save(simulation, k.state, k.size) == HN_OK);
  hn_simulation_free(simulation);
  return k;
}

static void edit(unsigned char *state, size_t size, const uint8_t *data, size_t count) {
  const size_t head = sizeof(hn_saved_header), room = size - head;
  for (size_t at = 0; at + 4 <= count;) {
    size_t offset = (size_t)(data[at] | data[at + 1] << 8) % room;
    int length = 1 + (data[at + 2] & 7), is_from_end = data[at + 2] & 8;
    size_t place = is_from_end ? size - 1 - offset : head + offset;
    at += 3;
    for (int j = 0; j < length && at < count; j++, at++)
      if (place + (size_t)j < size) state[place + (size_t)j] = data[at];
  }
  hn_saved_header header;
  memcpy(&header, state, head);
  header.checksum = hn_saved_checksum(state + head, room);
  memcpy(state, &header, head);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static hn_model *models[MACHINES];
  static kept states[MACHINES][METHODS];
  hn_error error = {0};
  if (size < 4) return 0;
  const int machine = (data[0] & 3) + (data[0] >> 4 & 1) * 4, method = data[0] >> 2 & 3;
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "cartesian";
  options.max_steps = 60;
  options.method = methods[method];
  if (!models[machine])
    PROMISE(hn_model_load(files[machine], NULL, &models[machine], &error) == HN_OK);
  kept *true_state = &states[machine][method];
  if (!true_state->state) *true_state = keep(models[machine], &options);
  if (!true_state->state) return 0; // this method is not for this machine
  unsigned char *forged = malloc(true_state->size);
  PROMISE(forged != NULL);
  memcpy(forged, true_state->state, true_state->size);
  edit(forged, true_state->size, data + 1, size - 1);
  hn_simulation *simulation = NULL;
  PROMISE(hn_simulation_create(models[machine], &options, &simulation, &error) == HN_OK);
  hn_status status = hn_simulation_restore(simulation, forged, true_state->size);
  PROMISE(status == HN_OK || hn_simulation_error(simulation)->message[0]);
  for (int k = 0; k < 5 && status == HN_OK; k++) status = hn_simulation_step(simulation, 1.0);
  int count = hn_simulation_signal_count(simulation);
  volatile double sum = 0;
  (void)sum;
  for (int k = 0; k < count; k++) sum += hn_simulation_signal(simulation, k);
  hn_simulation_free(simulation);
  free(forged);
  return 0;
}
