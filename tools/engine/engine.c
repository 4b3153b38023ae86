// The library for JavaScript: functions of one model that runs, with arrays at fixed places.
//
// Compiled for wasm32-wasi as a reactor (scripts/make-live), it is what viewer/engine/ calls. All memory
// is taken when a model is made or its signals are chosen: steps, inputs and pulls take none, so that
// views of the arrays stay valid.
//
// A run goes in frames. Within one, inputs, targets and stiffnesses go evenly from what they are to what
// was asked for; `holon run` repeats that from tables with a row a frame (holon/pull.h, holon/run.h).
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json_writer.h"
#include "private.h"

// ---- memory -------------------------------------------------------------------------------------

HOLON_EXPORT(allocate) void *holon_allocate(int size) { return malloc((size_t)size); }
HOLON_EXPORT(release) void holon_release(void *block) { free(block); }

static void drop_model(holon_engine *e) {
  free(e->poses);
  free(e->input);
  free(e->input_next);
  free(e->input_wanted);
  e->poses = e->input = e->input_next = e->input_wanted = NULL;
  hn_scene_free(e->scene);
  e->scene = NULL;
  indices *lists[] = {&e->reactions, &e->forces, &e->energy, &e->watched};
  for (size_t k = 0; k < sizeof lists / sizeof lists[0]; k++) holon_drop_indices(lists[k]);
  hn_simulation_free(e->simulation);
  hn_model_free(e->model);
  e->simulation = NULL;
  e->model = NULL;
}

HOLON_EXPORT(free) void holon_free(holon_engine *e) {
  if (!e) return;
  drop_model(e);
  hn_model_files_free(e->files);
  hn_pulls_free(e->pulls);
  hn_string_free(&e->about);
  hn_string_free(&e->problems);
  for (int k = 0; k < e->number_count; k++) {
    free((char *)e->numbers[k].name);
    free((char *)e->numbers[k].unit);
  }
  free(e->numbers);
  free(e->words);
  free(e);
}

// ---- making -------------------------------------------------------------------------------------

static hn_status out_of_memory(holon_engine *e) {
  return hn_fail(&e->error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory for the model");
}

static hn_status take_arrays(holon_engine *e) {
  const size_t inputs = (size_t)hn_model_input_count(e->model);
  e->poses = take(7 * ((size_t)hn_model_body_count(e->model) + 1), sizeof(double));
  e->input = take(inputs, sizeof(double));
  e->input_next = take(inputs, sizeof(double));
  e->input_wanted = take(inputs, sizeof(double));
  if (!e->poses || !e->input || !e->input_next || !e->input_wanted) return out_of_memory(e);
  for (size_t k = 0; k < inputs; k++)
    e->input[k] = e->input_next[k] = e->input_wanted[k] = hn_model_input(e->model, (int)k)->value;
  e->poses[3] = 1;
  e->now = e->next = e->wanted = (hn_pull){0};
  e->has_rested = 1;
  if (e->pulls) hn_pulls_move(e->pulls, &e->now, &e->next, 0, 0);
  if (holon_choose_signals(e) != HN_OK || holon_finish_indices(&e->watched) != HN_OK)
    return out_of_memory(e);
  return holon_make_scene(e);
}

// From the files that were read, with the numbers that were set.
static hn_status build(holon_engine *e) {
  drop_model(e);
  hn_status status =
      hn_model_files_build(e->files, e->numbers, e->number_count, &e->model, &e->error);
  if (status == HN_OK)
    status = hn_simulation_create(e->model, &e->options, &e->simulation, &e->error);
  if (status == HN_OK) status = take_arrays(e);
  if (status != HN_OK) return status;
  e->frame_end = hn_simulation_time(e->simulation);
  holon_read_all(e);
  return holon_describe(e) == HN_OK ? HN_OK : out_of_memory(e);
}

static hn_status set_option(holon_engine *e, const char *name, char *equals) {
  *equals = '\0';
  const hn_option *option = hn_option_find(name);
  if (!option)
    return hn_fail(&e->error, HN_ERROR_ARGUMENT, NULL, NULL,
                   "Use an option of `simulation:` in model files.", "there is no option '%.80s'",
                   name);
  char *place = (char *)&e->options + option->offset, *value = equals + 1;
  const double number = strtod(value, NULL);
  switch (option->kind) {
  case HN_OPTION_WORD: *(const char **)(void *)place = value; break;
  case HN_OPTION_SIZE:
  case HN_OPTION_NUMBER: *(double *)(void *)place = number; break;
  case HN_OPTION_COUNT:
  case HN_OPTION_FLAG: *(int *)(void *)place = (int)number; break;
  case HN_OPTION_LONG: *(long *)(void *)place = (long)number; break;
  }
  return HN_OK;
}

// "with FILE", "set NAME=VALUE", "package NAME=FOLDER", "option NAME=VALUE", "pulls".
static hn_status take_word(holon_engine *e, char *word) {
  char *equals = strchr(word, '=');
  if (strncmp(word, "with ", 5) == 0 && e->load.overlay_count < MOST_WORDS)
    e->overlays[e->load.overlay_count++] = word + 5;
  else if (strncmp(word, "set ", 4) == 0 && e->load.setting_count < MOST_WORDS)
    e->settings[e->load.setting_count++] = word + 4;
  else if (strncmp(word, "package ", 8) == 0 && e->load.package_count < MOST_WORDS)
    e->packages[e->load.package_count++] = word + 8;
  else if (strncmp(word, "option ", 7) == 0 && equals)
    return set_option(e, word + 7, equals);
  else if (strcmp(word, "pulls") == 0)
    return hn_pulls_create(NULL, &e->pulls);
  else
    return hn_fail(&e->error, HN_ERROR_ARGUMENT, NULL, NULL,
                   "Give `with`, `set`, `package`, `option` or `pulls`.",
                   "'%.80s' is unknown or exceeds the limit", word);
  return HN_OK;
}

static hn_status take_words(holon_engine *e, const char *words, int size) {
  e->words = take((size_t)size + 1, 1);
  if (!e->words) return out_of_memory(e);
  memcpy(e->words, words, (size_t)size);
  hn_status status = HN_OK;
  for (char *word = e->words; word < e->words + size && status == HN_OK;) {
    char *next = word + strlen(word) + 1;
    if (*word) status = take_word(e, word);
    word = next;
  }
  e->load.overlays = e->overlays;
  e->load.settings = e->settings;
  e->load.packages = e->packages;
  e->load.more = e->more;
  e->load.more_room = HN_LOAD_ERRORS;
  e->load.more_count = &e->more_count;
  if (e->pulls) {
    e->load.complete = hn_pulls_complete;
    e->load.complete_context = e->pulls;
  }
  return status;
}

HOLON_EXPORT(create)
holon_engine *holon_create(const char *path, const char *words, int size) {
  holon_engine *e = calloc(1, sizeof *e);
  if (!e) return NULL;
  e->load = hn_default_load_options();
  e->options = hn_default_simulation_options();
  hn_status status = take_words(e, words, size);
  if (status == HN_OK) status = hn_model_files_read(path, NULL, 0, &e->load, &e->files, &e->error);
  if (status == HN_OK) status = build(e);
  e->error.status = status;
  return e;
}

HOLON_EXPORT(status) int holon_status(const holon_engine *e) { return e->error.status; }
HOLON_EXPORT(about) const char *holon_about(const holon_engine *e) { return e->about.data; }
HOLON_EXPORT(version) const char *holon_version(void) { return hn_version(); }

// Errors of the last call that failed, as a JSON list.
HOLON_EXPORT(problems) const char *holon_problems(holon_engine *e) {
  hn_json_writer json = {0};
  hn_json_open(&json, NULL, '[');
  hn_json_error(&json, NULL, &e->error);
  for (int k = 0; k + 1 < e->more_count && k < HN_LOAD_ERRORS; k++)
    hn_json_error(&json, NULL, &e->more[k]);
  hn_json_close(&json, ']');
  hn_string_free(&e->problems);
  e->problems = json.text;
  return e->problems.data;
}

// ---- views --------------------------------------------------------------------------------------

HOLON_EXPORT(view) const double *holon_view(const holon_engine *e, int what, int *count) {
  const int bodies = hn_model_body_count(e->model);
  const hn_simulation *s = e->simulation;
  switch ((holon_array)what) {
  case HOLON_ARRAY_HEAD: *count = HOLON_HEAD; return e->head;
  case HOLON_ARRAY_POSES: *count = 7 * (bodies + 1); return e->poses;
  case HOLON_ARRAY_REACTIONS: *count = e->reactions.count; return e->reactions.values;
  case HOLON_ARRAY_FORCES:
    *count = e->forces.count - (e->pulls ? bodies : 0);
    return e->forces.values;
  case HOLON_ARRAY_ENERGY: *count = e->energy.count; return e->energy.values;
  case HOLON_ARRAY_WATCHED: *count = e->watched.count; return e->watched.values;
  case HOLON_ARRAY_PULL: *count = HOLON_PULL; return e->pull;
  case HOLON_ARRAY_POSITIONS:
    *count = hn_simulation_coordinate_count(s);
    return hn_simulation_positions(s);
  case HOLON_ARRAY_VELOCITIES:
    *count = hn_simulation_coordinate_count(s);
    return hn_simulation_velocities(s);
  case HOLON_ARRAY_INPUTS: *count = hn_model_input_count(e->model); return e->input;
  case HOLON_ARRAY_NEXT_INPUTS: *count = hn_model_input_count(e->model); return e->input_next;
  }
  *count = 0;
  return NULL;
}

// The present frame in the columns of the scene's motion.
HOLON_EXPORT(record) const float *holon_record(const holon_engine *e, int *count) {
  *count = e->scene->stride;
  return e->scene->motion;
}

// Names with \0 behind each.
HOLON_EXPORT(watch) int holon_watch(holon_engine *e, const char *names, int size) {
  int capacity = 0;
  holon_drop_indices(&e->watched);
  for (const char *name = names; name < names + size; name += strlen(name) + 1)
    if (holon_add_index(&e->watched, hn_simulation_find_signal(e->simulation, name), &capacity) !=
        HN_OK)
      return e->error.status = HN_ERROR_MEMORY;
  hn_status status = holon_finish_indices(&e->watched);
  if (status == HN_OK) holon_read_indices(e, &e->watched);
  return status;
}

// ---- running ------------------------------------------------------------------------------------

static hn_status blame(holon_engine *e, hn_status status) {
  if (status != HN_OK) {
    e->error = *hn_simulation_error(e->simulation);
    e->more_count = 0;
  }
  return status;
}

// Inputs as a table gives them: from the present row to the next one.
static hn_status give_inputs(holon_engine *e, double from, double to) {
  hn_status status = HN_OK;
  for (int k = 0; k < hn_model_input_count(e->model) && status == HN_OK; k++) {
    const hn_input_def *def = hn_model_input(e->model, k);
    e->input[k] = e->input_next[k];
    e->input_next[k] = e->input_wanted[k];
    if (def->follows) continue;
    const double rate = def->filter > 0 ? 0 : (e->input_next[k] - e->input[k]) / (to - from);
    status = hn_simulation_set_input_motion(e->simulation, k, e->input[k], rate, 0);
  }
  return blame(e, status);
}

static int is_same_place(const hn_pull *a, const hn_pull *b) {
  return a->body == b->body && memcmp(&a->point, &b->point, sizeof a->point) == 0;
}

static hn_pull without_force(hn_pull pull) {
  pull.stiffness = pull.damping = 0;
  return pull;
}

// The stiffness grows from 0 and falls to 0 within a frame, with a frame of 0 between two pulls.
static void move_pull(holon_engine *e, double from, double to) {
  if (!e->pulls) return;
  const int acts = e->next.stiffness > 0 || e->next.damping > 0;
  const int was_idle = e->has_rested;
  e->now = e->next;
  e->has_rested = !acts;
  if (acts)
    e->next = is_same_place(&e->now, &e->wanted) ? e->wanted : without_force(e->now);
  else if (e->wanted.body > 0 && was_idle) {
    e->now = without_force(e->wanted);
    e->next = e->wanted;
  }
  hn_pulls_move(e->pulls, &e->now, &e->next, from, to);
}

HOLON_EXPORT(start_frame) int holon_start_frame(holon_engine *e, double dt) {
  const double from = hn_simulation_time(e->simulation);
  const double step = hn_simulation_options_used(e->simulation)->step;
  e->frame_start = from;
  const double steps = step > 0 ? fmax(1, floor(dt / step + 0.5)) : 1;
  e->frame_end = from + (step > 0 ? steps * step : dt);
  if (!(e->frame_end > from)) {
    hn_fail(&e->error, HN_ERROR_ARGUMENT, NULL, NULL, "Give a longer frame.",
            "a frame of %g s does not move time", dt);
    return HN_ERROR_ARGUMENT;
  }
  move_pull(e, from, e->frame_end);
  return give_inputs(e, from, e->frame_end);
}

// At most so many steps towards the end of the frame: 1 when it is reached, 0 when not, an error.
HOLON_EXPORT(work) int holon_work(holon_engine *e, int steps) {
  hn_status status = HN_OK;
  for (int k = 0; k < steps && hn_simulation_time(e->simulation) < e->frame_end; k++) {
    status = hn_simulation_step(e->simulation, e->frame_end);
    if (status != HN_OK) break;
  }
  if (status == HN_OK && hn_simulation_time(e->simulation) < e->frame_end) return 0;
  hn_simulation_look_at(e->simulation, hn_simulation_time(e->simulation));
  holon_read_all(e);
  return status == HN_OK ? 1 : blame(e, status);
}

HOLON_EXPORT(advance) int holon_advance(holon_engine *e, double time) {
  hn_status status = HN_OK;
  while (status == HN_OK && hn_simulation_time(e->simulation) < time)
    status = hn_simulation_step(e->simulation, time);
  hn_simulation_look_at(e->simulation, hn_simulation_time(e->simulation));
  holon_read_all(e);
  return blame(e, status);
}

HOLON_EXPORT(reset) int holon_reset(holon_engine *e) { return e->error.status = build(e); }

HOLON_EXPORT(set_input) int holon_set_input(holon_engine *e, const char *name, double value) {
  const int input = hn_model_find_input(e->model, name);
  e->more_count = 0;
  if (input < 0)
    return hn_fail(&e->error, HN_ERROR_ARGUMENT, NULL, NULL,
                   "Use a name from the model's `inputs:`.", "the model has no input '%.200s'",
                   name);
  if (!isfinite(value))
    return hn_fail(&e->error, HN_ERROR_NOT_FINITE, NULL, NULL, "Give a finite number.",
                   "input '%.200s' was set to %g", name, value);
  e->input_wanted[input] = value;
  return HN_OK;
}

static char *copy_of(const char *text) {
  char *copy = take(strlen(text) + 1, 1);
  if (copy) memcpy(copy, text, strlen(text));
  return copy;
}

// The setting of this name, a new one at the end; null: out of memory.
static hn_parameter_setting *find_number(holon_engine *e, const char *name, const char *unit) {
  for (int k = 0; k < e->number_count; k++)
    if (strcmp(e->numbers[k].name, name) == 0) return &e->numbers[k];
  if (e->number_count == e->number_capacity) {
    const int capacity = 2 * e->number_capacity + 8;
    void *grown = realloc(e->numbers, (size_t)capacity * sizeof *e->numbers);
    if (!grown) return NULL;
    e->numbers = grown;
    e->number_capacity = capacity;
  }
  hn_parameter_setting *number = &e->numbers[e->number_count];
  *number = (hn_parameter_setting){.name = copy_of(name), .unit = copy_of(unit)};
  if (!number->name || !number->unit) return NULL;
  e->number_count++;
  return number;
}

// Builds again and starts from the beginning. value: in the unit of the file. Where that fails, the
// model is built with what was set before.
HOLON_EXPORT(set_parameter)
int holon_set_parameter(holon_engine *e, const char *name, double value, const char *unit) {
  const int count = e->number_count;
  hn_parameter_setting *number = find_number(e, name, unit);
  e->more_count = 0;
  if (!number) return out_of_memory(e);
  const double before = number->value;
  number->value = value;
  hn_status status = build(e);
  if (status == HN_OK) return HN_OK;
  const hn_error error = e->error;
  number->value = before;
  if (e->number_count > count) {
    free((char *)number->name);
    free((char *)number->unit);
    e->number_count = count;
  }
  build(e);
  e->error = error;
  return status;
}

// place: point of the body (3), target (3), stiffness, damping. body 0: the pull ends.
HOLON_EXPORT(pull) int holon_pull(holon_engine *e, int body, const double place[8]) {
  if (!e->pulls || body < 0 || body > hn_model_body_count(e->model)) return HN_ERROR_ARGUMENT;
  for (int k = 0; k < 8; k++)
    if (!isfinite(place[k])) return HN_ERROR_NOT_FINITE;
  e->wanted = (hn_pull){body,
                        {place[0], place[1], place[2]},
                        {place[3], place[4], place[5]},
                        fmax(0, place[6]),
                        fmax(0, place[7])};
  return HN_OK;
}

// The row of a table at the start of the frame, or at its end: body, point (3), target (3), stiffness,
// damping.
HOLON_EXPORT(pull_row)
void holon_pull_row(const holon_engine *e, int is_next, double row[9]) {
  const hn_pull *p = is_next ? &e->next : &e->now;
  const double now[9] = {p->body,     p->point.x,  p->point.y,   p->point.z, p->target.x,
                         p->target.y, p->target.z, p->stiffness, p->damping};
  memcpy(row, now, sizeof now);
}

HOLON_EXPORT(hash) void holon_hash(const holon_engine *e, char text[17]) {
  static const char digits[] = "0123456789abcdef";
  unsigned long long hash = hn_simulation_state_hash(e->simulation);
  for (int k = 15; k >= 0; k--, hash >>= 4) text[k] = digits[hash & 15];
  text[16] = '\0';
}
