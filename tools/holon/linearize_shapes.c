// Modes as animations: DIR/mode-1, DIR/mode-2, ... hold scene.json and motion.bin, which `holon view DIR
// --mode K` shows. One cycle takes two seconds, whatever its frequency; the amplitude is a tenth of the
// machine's size.
#include "linearize.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846
#define SECONDS 2.0
enum { RATE = 30, MOST_MODES = 200 };

typedef struct film {
  hn_simulation *simulation;
  const hn_linear *linear;
  double start, amplitude;
  int nq;
  double *q0, *q, *qd; // (nq): 7 a body
} film;

// p turned by the small rotation r in global axes: (1, r / 2) p, of unit length.
static void turn(const double p[4], const double r[3], double out[4]) {
  const double x = r[0] / 2, y = r[1] / 2, z = r[2] / 2;
  const double a[4] = {p[0] - x * p[1] - y * p[2] - z * p[3], p[1] + x * p[0] + y * p[3] - z * p[2],
                       p[2] + y * p[0] + z * p[1] - x * p[3],
                       p[3] + z * p[0] + x * p[2] - y * p[1]};
  const double length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2] + a[3] * a[3]);
  for (int i = 0; i < 4; i++) out[i] = a[i] / length;
}

static hn_status pose(const film *f, const hn_mode *mode, double time) {
  const double phase = 2 * PI * time / SECONDS, c = cos(phase), s = sin(phase);
  for (int b = 0; b < f->linear->body_count; b++) {
    double move[6];
    for (int i = 0; i < 6; i++) {
      const double *x = &mode->shape[12 * b + 2 * i];
      move[i] = f->amplitude * (x[0] * c - x[1] * s);
    }
    for (int i = 0; i < 3; i++) f->q[7 * b + i] = f->q0[7 * b + i] + move[i];
    turn(&f->q0[7 * b + 3], &move[3], &f->q[7 * b + 3]);
  }
  return hn_simulation_set_state(f->simulation, f->start + time, f->q, f->qd);
}

// A tenth of the largest distance between two centres of mass from the first body, or of 1 m.
static double choose_amplitude(const film *f) {
  double most = 0;
  for (int b = 1; b < f->linear->body_count; b++) {
    double square = 0;
    for (int i = 0; i < 3; i++) square += pow(f->q0[7 * b + i] - f->q0[i], 2);
    most = fmax(most, sqrt(square));
  }
  return fmin(0.1 * (most > 0 ? most : 1), 0.3);
}

static hn_status write_scene(const hn_scene *scene, const char *folder, hn_error *error) {
  size_t needed = 0, count = (size_t)scene->frames * (size_t)scene->stride;
  hn_scene_json(scene, NULL, 0, &needed);
  char *text = hn_cli_allocate(needed + 1, 1);
  hn_scene_json(scene, text, needed, &needed);
  unsigned char *bytes = hn_cli_allocate(4 * count + 1, 1);
  for (size_t k = 0; k < count; k++) {
    unsigned bits;
    memcpy(&bits, &scene->motion[k], sizeof bits);
    for (int b = 0; b < 4; b++) bytes[4 * k + (size_t)b] = (unsigned char)(bits >> (8 * b) & 0xff);
  }
  char *path = hn_cli_join(folder, "scene.json");
  hn_status status = hn_cli_write_file(path, text, needed - 1, error);
  free(path);
  path = hn_cli_join(folder, "motion.bin");
  if (status == HN_OK) status = hn_cli_write_file(path, (const char *)bytes, 4 * count, error);
  free(path);
  free(text);
  free(bytes);
  return status;
}

static hn_status write_mode(const film *f, int number, const char *folder, hn_error *error) {
  char name[32];
  hn_scene *scene = NULL;
  snprintf(name, sizeof name, "mode-%d", number + 1);
  char *path = hn_cli_join(folder, name);
  const hn_mode *mode = &f->linear->modes[number];
  hn_status status = hn_cli_make_folders(path, error);
  if (status == HN_OK) status = pose(f, mode, 0);
  if (status == HN_OK)
    status = hn_scene_create(f->simulation, f->start + SECONDS, RATE, &scene, error);
  for (int k = 0; status == HN_OK && k <= (int)(RATE * SECONDS); k++) {
    status = pose(f, mode, k / (double)RATE);
    if (status == HN_OK) status = hn_scene_record(scene, f->simulation);
  }
  if (status == HN_OK) status = hn_scene_finish(scene, "ok", "");
  if (status == HN_OK) status = write_scene(scene, path, error);
  if (status != HN_OK && error->status == HN_OK) *error = *hn_simulation_error(f->simulation);
  hn_scene_free(scene);
  free(path);
  return status;
}

hn_status hn_cli_linearize_shapes(const hn_cli_session *session, const hn_linear *linear,
                                  const char *folder, hn_error *error) {
  film f = {.simulation = session->simulation, .linear = linear};
  f.nq = hn_simulation_coordinate_count(f.simulation);
  f.start = hn_simulation_time(f.simulation);
  f.q0 = hn_cli_allocate((size_t)f.nq + 1, sizeof *f.q0);
  f.q = hn_cli_allocate((size_t)f.nq + 1, sizeof *f.q);
  f.qd = hn_cli_allocate((size_t)f.nq + 1, sizeof *f.qd);
  memcpy(f.q0, hn_simulation_positions(f.simulation), (size_t)f.nq * sizeof *f.q0);
  f.amplitude = choose_amplitude(&f);
  hn_status status = HN_OK;
  for (int k = 0; status == HN_OK && k < linear->mode_count && k < MOST_MODES; k++)
    status = write_mode(&f, k, folder, error);
  free(f.q0);
  free(f.q);
  free(f.qd);
  return status;
}
