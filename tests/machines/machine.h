// Common part of the tests of whole models: a model loaded and simulated through the public
// interface, and reference series read from tests/data.
#ifndef HN_TESTS_MACHINES_MACHINE_H
#define HN_TESTS_MACHINES_MACHINE_H

#include "support/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "holon/holon.h"

// A model and the simulation made from it.
typedef struct machine {
  hn_model *model;
  hn_simulation *simulation;
} machine;

static inline void machine_stop(const char *path, const hn_error *error) {
  char text[4096];
  hn_error_format(error, text, sizeof text);
  fail_msg("%s: %s", path, text);
}

// path: below models/. setting: "NAME=VALUE" or null.
static inline machine machine_open_by(const char *path, const char *setting,
                                      const hn_simulation_options *options) {
  char file[1024];
  hn_error error = {0};
  machine made = {0};
  hn_load_options load = hn_default_load_options();
  load.settings = &setting;
  load.setting_count = setting ? 1 : 0;
  snprintf(file, sizeof file, "%s/models/%s", HOLON_SOURCE_DIR, path);
  if (hn_model_load(file, &load, &made.model, &error)) machine_stop(path, &error);
  if (hn_simulation_create(made.model, options, &made.simulation, &error))
    machine_stop(path, &error);
  return made;
}

// tol 0: the model's own or the default.
static inline machine machine_open(const char *path, const char *setting, double tol) {
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "cartesian";
  if (tol > 0) options.tol = tol;
  return machine_open_by(path, setting, &options);
}

static inline void machine_close(machine *made) {
  hn_simulation_free(made->simulation);
  hn_model_free(made->model);
  *made = (machine){0};
}

// Makes the values those at `time`, by dense output inside the step that reaches beyond it; no
// step goes beyond `end`.
static inline void machine_look(machine *made, double time, double end) {
  while (hn_simulation_time(made->simulation) < time)
    if (hn_simulation_step(made->simulation, end))
      machine_stop(hn_model_name(made->model), hn_simulation_error(made->simulation));
  if (hn_simulation_look_at(made->simulation, time))
    machine_stop(hn_model_name(made->model), hn_simulation_error(made->simulation));
}

static inline void machine_advance(machine *made, double time) {
  if (hn_simulation_advance(made->simulation, time))
    machine_stop(hn_model_name(made->model), hn_simulation_error(made->simulation));
}

static inline double machine_value(machine *made, const char *name) {
  double value = NAN;
  if (hn_simulation_value(made->simulation, name, &value))
    machine_stop(name, hn_simulation_error(made->simulation));
  return value;
}

// ---- series from files --------------------------------------------------------------------------

#define SERIES_COLUMNS 24
#define SERIES_NAME 32

typedef struct series {
  int columns, rows;
  char name[SERIES_COLUMNS][SERIES_NAME];
  double *value; // (rows x columns)
} series;

static inline int series_find(const series *from, const char *name) {
  for (int i = 0; i < from->columns; i++)
    if (!strcmp(from->name[i], name)) return i;
  fail_msg("no column '%s'", name);
  return -1;
}

static inline double series_at(const series *from, int row, int column) {
  return from->value[row * from->columns + column];
}

static inline void series_free(series *from) {
  free(from->value);
  *from = (series){0};
}

// A file below tests/data: names in line 1, numbers in the others.
static inline series series_read(const char *path) {
  char file[1024], line[4096];
  series read = {0};
  snprintf(file, sizeof file, "%s/tests/data/%s", HOLON_SOURCE_DIR, path);
  FILE *stream = fopen(file, "r");
  if (!stream) fail_msg("cannot open %s", file);
  assert_non_null(fgets(line, sizeof line, stream));
  line[strcspn(line, "\r\n")] = 0;
  for (char *word = strtok(line, ","); word; word = strtok(NULL, ",")) {
    assert_true(read.columns < SERIES_COLUMNS);
    snprintf(read.name[read.columns++], SERIES_NAME, "%s", word);
  }
  int capacity = 0;
  while (fgets(line, sizeof line, stream)) {
    if (read.rows == capacity) {
      capacity = capacity ? 2 * capacity : 256;
      size_t size = (size_t)capacity * (size_t)read.columns * sizeof(double);
      read.value = realloc(read.value, size);
      assert_non_null(read.value);
    }
    char *at = line;
    for (int i = 0; i < read.columns; i++, at += *at == ',')
      read.value[read.rows * read.columns + i] = strtod(at, &at);
    read.rows++;
  }
  fclose(stream);
  return read;
}

#endif
