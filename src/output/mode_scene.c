// A mode of a linearized model as a scene: one cycle takes two seconds, whatever its frequency; the
// amplitude is a tenth of the model's size.
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "holon/linear.h"
#include "holon/scene.h"
#include "math/elementary.h"

#define PI 3.14159265358979323846
#define SECONDS 2.0
enum { RATE = 30 };

typedef struct cycle {
  hn_simulation *simulation;
  const hn_linear *linear;
  const hn_mode *mode;
  double start, amplitude;
  double *q0, *q, *qd; // (7 a body)
} cycle;

// p turned by the small rotation r in global axes: (1, r / 2) p, of unit length.
static void turn(const double p[4], const double r[3], double out[4]) {
  const double x = r[0] / 2, y = r[1] / 2, z = r[2] / 2;
  const double a[4] = {p[0] - x * p[1] - y * p[2] - z * p[3], p[1] + x * p[0] + y * p[3] - z * p[2],
                       p[2] + y * p[0] + z * p[1] - x * p[3],
                       p[3] + z * p[0] + x * p[2] - y * p[1]};
  const double length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2] + a[3] * a[3]);
  for (int i = 0; i < 4; i++) out[i] = a[i] / length;
}

static hn_status pose(const cycle *f, double time) {
  const double phase = 2 * PI * time / SECONDS, c = hn_cos(phase), s = hn_sin(phase);
  for (int b = 0; b < f->linear->body_count; b++) {
    double move[6];
    for (int i = 0; i < 6; i++) {
      const double *x = &f->mode->shape[12 * b + 2 * i];
      move[i] = f->amplitude * (x[0] * c - x[1] * s);
    }
    for (int i = 0; i < 3; i++) f->q[7 * b + i] = f->q0[7 * b + i] + move[i];
    turn(&f->q0[7 * b + 3], &move[3], &f->q[7 * b + 3]);
  }
  return hn_simulation_set_state(f->simulation, f->start + time, f->q, f->qd);
}

// A tenth of the largest distance of centers of mass from that of the first body, or of 1 m.
static double choose_amplitude(const cycle *f) {
  double most = 0;
  for (int b = 1; b < f->linear->body_count; b++) {
    double square = 0;
    for (int i = 0; i < 3; i++) square += hn_pow(f->q0[7 * b + i] - f->q0[i], 2);
    most = fmax(most, sqrt(square));
  }
  return fmin(0.1 * (most > 0 ? most : 1), 0.3);
}

static hn_status record(const cycle *f, hn_scene **scene, hn_error *error) {
  hn_status status = pose(f, 0);
  if (status == HN_OK)
    status = hn_scene_create(f->simulation, f->start + SECONDS, RATE, scene, error);
  for (int k = 0; status == HN_OK && k <= (int)(RATE * SECONDS); k++) {
    status = pose(f, k / (double)RATE);
    if (status == HN_OK) status = hn_scene_record(*scene, f->simulation);
  }
  if (status == HN_OK) status = hn_scene_finish(*scene, "ok", "");
  return status;
}

hn_status hn_mode_scene(hn_simulation *simulation, const hn_linear *linear, int mode,
                        hn_scene **scene, hn_error *error) {
  *scene = NULL;
  if (mode < 0 || mode >= linear->mode_count)
    return hn_fail(error, HN_ERROR_ARGUMENT, NULL, NULL, NULL,
                   "there is no mode %d; use an index from 0 to %d", mode, linear->mode_count - 1);
  const size_t nq = (size_t)hn_simulation_coordinate_count(simulation);
  const size_t size = hn_simulation_save_size(simulation);
  double *room = hn_allocate(NULL, (3 * nq + 1) * sizeof *room + size);
  if (room == NULL) return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  memset(room, 0, (3 * nq + 1) * sizeof *room);
  void *before = room + 3 * nq + 1;
  cycle f = {.simulation = simulation,
             .linear = linear,
             .mode = &linear->modes[mode],
             .start = hn_simulation_time(simulation),
             .q0 = room,
             .q = room + nq,
             .qd = room + 2 * nq};
  memcpy(f.q0, hn_simulation_positions(simulation), nq * sizeof *room);
  f.amplitude = choose_amplitude(&f);
  hn_error reason = {0};
  hn_status status = hn_simulation_save(simulation, before, size);
  if (status == HN_OK) status = record(&f, scene, &reason);
  if (status != HN_OK) {
    *error = reason.status != HN_OK ? reason : *hn_simulation_error(simulation);
    hn_scene_free(*scene);
    *scene = NULL;
  } else {
    status = hn_simulation_restore(simulation, before, size);
  }
  hn_release(NULL, room);
  return status;
}
