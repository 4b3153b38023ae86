// Common declarations of the engine.
#ifndef HOLON_ENGINE_PRIVATE_H
#define HOLON_ENGINE_PRIVATE_H

#include <stdlib.h>

#include "base/text.h"
#include "engine.h"

enum { MOST_WORDS = 256 };

// Numbers of signals (-1: no such signal) and their values.
typedef struct indices {
  int *index;
  double *values;
  int count;
} indices;

struct holon_engine {
  char *words; // of the call, a copy
  const char *overlays[MOST_WORDS], *settings[MOST_WORDS], *packages[MOST_WORDS];
  hn_load_options load;
  hn_simulation_options options;
  hn_parameter_setting *numbers; // that were set since
  int number_count, number_capacity;
  hn_model_files *files;
  hn_pulls *pulls; // null: without
  hn_model *model;
  hn_simulation *simulation;
  hn_error error, more[HN_LOAD_ERRORS];
  int more_count;
  hn_string about, problems;

  double head[HOLON_HEAD];
  double *poses, pull[HOLON_PULL];
  indices reactions, forces, energy, watched;
  hn_scene *scene; // its only frame is the present one

  // inputs at the start of the frame, at its end, and in the next frame
  double *input, *input_next, *input_wanted;
  hn_pull now, next, wanted;
  int has_rested; // the last frame had no pull
  double frame_start, frame_end;
};

static inline void *take(size_t count, size_t size) { return calloc(count > 0 ? count : 1, size); }

// ---- values.c: what arrays hold ------------------------------------------------------------------

void holon_drop_indices(indices *list);
hn_status holon_add_index(indices *list, int index, int *capacity);
hn_status holon_finish_indices(indices *list); // allocates the values
void holon_read_indices(holon_engine *engine, indices *list);
hn_status holon_choose_signals(holon_engine *engine);
hn_status holon_choose_loads(holon_engine *engine);
void holon_read_all(holon_engine *engine);

// ---- about.c: constant data as JSON ---------------------------------------------------------------

hn_status holon_describe(holon_engine *engine);

#endif
