// Saved states: true ones with some bytes changed and the checksum made right again. They are
// rejected, or the run continues to an answer. The first byte chooses model and method, then edits
// follow: offset (two bytes), length and place (after the header, from the end, counts of the
// header), bytes.
#include <stddef.h>

#include "target.h"

#include "analysis/saved_state.h"
#include "holon/load.h"

enum { MACHINES = 16, WAYS = 4 };

typedef struct kept {
  unsigned char *state;
  size_t size;
} kept;

static const char *const files[MACHINES] = {
    "models/examples/force-tyre.yaml",
    "models/examples/laws.yaml",
    "models/examples/force-joint-stop.yaml",
    "models/examples/inputs.yaml",
    "tests/data/saving/friction.yaml",
    "tests/data/saving/states.yaml",
    "tests/data/saving/switches.yaml",
    "tests/data/saving/tyres.yaml",
    "models/contact/latch.yaml",
    "models/contact/ratchet.yaml",
    "models/contact/spheres.yaml",
    "models/contact/ball.yaml",
    "models/contact/lugre.yaml",
    "models/contact/rocking.yaml",
    "tests/data/saving/relay.yaml",
    "models/control/servo-excavator.yaml",
};

typedef struct way {
  const char *coordinates, *method;
  double step;
} way;
// Of the first eight models, and of the others: those with contacts use one method, or steps in
// time.
static const way ways[2][WAYS] = {
    {{"cartesian", "auto", 0},
     {"cartesian", "state-space", 0},
     {"cartesian", "multi-index", 0},
     {"cartesian", "descriptor", 0}},
    {{"cartesian", "auto", 0},
     {"cartesian", "auto", 1e-3},
     {"auto", "auto", 0},
     {"relative", "auto", 0}},
};

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
  const size_t counts = offsetof(hn_saved_header, size);
  for (size_t at = 0; at + 4 <= count;) {
    size_t offset = (size_t)(data[at] | data[at + 1] << 8) % room;
    int length = 1 + (data[at + 2] & 7), is_from_end = data[at + 2] & 8;
    size_t place = is_from_end ? size - 1 - offset : head + offset;
    if (data[at + 2] & 16) place = counts + offset % (head - counts);
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
  static kept states[MACHINES][WAYS];
  hn_error error = {0};
  if (size < 4) return 0;
  const int machine = (data[0] & 3) + (data[0] >> 4 & 3) * 4, chosen = data[0] >> 2 & 3;
  const way *how = &ways[machine >= 8][chosen];
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = how->coordinates;
  options.max_steps = 60;
  options.method = how->method;
  if (how->step > 0) options.step = how->step;
  if (!models[machine])
    PROMISE(hn_model_load(files[machine], NULL, &models[machine], &error) == HN_OK);
  kept *true_state = &states[machine][chosen];
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
  hn_event events[HN_EVENT_HISTORY];
  for (int k = hn_simulation_events(simulation, events, HN_EVENT_HISTORY); k-- > 0;)
    sum += events[k].time;
  const hn_certificate certificate = hn_simulation_certificate(simulation);
  sum += (double)strlen(certificate.choice) + (double)strlen(certificate.method);
  hn_simulation_free(simulation);
  free(forged);
  return 0;
}
