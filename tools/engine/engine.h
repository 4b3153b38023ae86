// Functions for JavaScript (viewer/engine/engine.ts).
#ifndef HOLON_ENGINE_H
#define HOLON_ENGINE_H

#include "holon/holon.h"

#ifdef __wasm__
#define HOLON_EXPORT(name) __attribute__((export_name("holon_" #name)))
#else
#define HOLON_EXPORT(name)
#endif

typedef struct holon_engine holon_engine;

// Numbers of HOLON_ARRAY_HEAD.
enum { HOLON_TIME, HOLON_STEPS, HOLON_IS_PULLED, HOLON_HEAD };
enum { HOLON_PULL = 10 }; // body, point, target, force

typedef enum holon_array {
  HOLON_ARRAY_HEAD,
  HOLON_ARRAY_POSES,
  HOLON_ARRAY_REACTIONS,
  HOLON_ARRAY_FORCES, // without those of pulls
  HOLON_ARRAY_ENERGY,
  HOLON_ARRAY_WATCHED,
  HOLON_ARRAY_PULL,
  HOLON_ARRAY_POSITIONS,
  HOLON_ARRAY_VELOCITIES,
  HOLON_ARRAY_INPUTS,
  HOLON_ARRAY_NEXT_INPUTS
} holon_array;

void *holon_allocate(int size);
void holon_release(void *block);
const char *holon_version(void);
holon_engine *holon_create(const char *path, const char *words, int size);
void holon_free(holon_engine *engine);
int holon_status(const holon_engine *engine);
const char *holon_about(const holon_engine *engine);
const char *holon_problems(holon_engine *engine);
const double *holon_view(const holon_engine *engine, int what, int *count);
const float *holon_record(const holon_engine *engine, int *count);
int holon_watch(holon_engine *engine, const char *names, int size);
int holon_start_frame(holon_engine *engine, double dt);
int holon_work(holon_engine *engine, int steps);
int holon_advance(holon_engine *engine, double time);
int holon_reset(holon_engine *engine);
int holon_set_input(holon_engine *engine, const char *name, double value);
int holon_set_parameter(holon_engine *engine, const char *name, double value, const char *unit);
int holon_pull(holon_engine *engine, int body, const double place[8]);
void holon_pull_row(const holon_engine *engine, int is_next, double row[9]);
int holon_state_size(const holon_engine *engine);
int holon_save(holon_engine *engine, void *state, int size);
int holon_restore(holon_engine *engine, const void *state, int size);
void holon_hash(const holon_engine *engine, char text[17]);

#endif
