// The motion of a recorded run (holon/dynamics.h): position, velocity and acceleration of every body at
// every row.
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "holon/analysis.h"
#include "holon/dynamics.h"

enum { QUANTITIES = 19 };
static const char *const quantities[QUANTITIES] = {"position.x",
                                                   "position.y",
                                                   "position.z",
                                                   "quaternion.w",
                                                   "quaternion.x",
                                                   "quaternion.y",
                                                   "quaternion.z",
                                                   "velocity.x",
                                                   "velocity.y",
                                                   "velocity.z",
                                                   "angular_velocity.x",
                                                   "angular_velocity.y",
                                                   "angular_velocity.z",
                                                   "acceleration.x",
                                                   "acceleration.y",
                                                   "acceleration.z",
                                                   "angular_acceleration.x",
                                                   "angular_acceleration.y",
                                                   "angular_acceleration.z"};

struct hn_recorded_motion {
  hn_arena arena;
  const hn_results *rows;
  int bodies;
  double *q, *qd;         // (7 a body)
  hn_vec3 *accelerations; // (2 a body)
  hn_vec3 origin;         // positions of q may count from elsewhere
  int *column;            // of the quantities (bodies x QUANTITIES)
};

int hn_results_have_motion(const hn_results *rows) {
  for (int c = 0; c < hn_results_signal_count(rows); c++) {
    const char *name = hn_results_signal_name(rows, c);
    if (strncmp(name, "body.", 5) == 0 && strstr(name, ".angular_acceleration.x") != NULL) return 1;
  }
  return 0;
}

static hn_status find_columns(hn_recorded_motion *m, const hn_model *model, hn_error *error) {
  for (int k = 0; k < QUANTITIES * m->bodies; k++) {
    char name[512];
    snprintf(name, sizeof name, "body.%.400s.%s", hn_model_body_name(model, k / QUANTITIES + 1),
             quantities[k % QUANTITIES]);
    m->column[k] = hn_results_find(m->rows, name);
    if (m->column[k] < 0)
      return hn_fail(error, HN_ERROR_FILE, NULL, NULL, "Record the run with all its signals.",
                     "the recorded motion has no %s", name);
  }
  return HN_OK;
}

static hn_status make(hn_recorded_motion *m, hn_simulation *simulation, hn_error *error) {
  const size_t nq = (size_t)hn_simulation_coordinate_count(simulation);
  m->q = HN_TAKE(&m->arena, double, nq + 1);
  m->qd = HN_TAKE(&m->arena, double, nq + 1);
  m->accelerations = HN_TAKE(&m->arena, hn_vec3, 2 * m->bodies + 1);
  m->column = HN_TAKE(&m->arena, int, QUANTITIES * m->bodies + 1);
  if (!m->q || !m->qd || !m->accelerations || !m->column)
    return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory for a motion");
  if (nq != 7 * (size_t)m->bodies)
    return hn_fail(error, HN_ERROR_UNSUPPORTED, NULL, NULL,
                   "Run again with @coordinates cartesian.",
                   "a recorded motion needs Cartesian coordinates");
  if (m->bodies > 0) {
    const double *q = hn_simulation_positions(simulation);
    hn_body_motion motion = {0};
    hn_simulation_body_motion(simulation, 1, &motion);
    m->origin =
        (hn_vec3){motion.position.x - q[0], motion.position.y - q[1], motion.position.z - q[2]};
  }
  return find_columns(m, hn_simulation_model(simulation), error);
}

hn_status hn_recorded_motion_create(hn_simulation *simulation, const hn_results *rows,
                                    hn_recorded_motion **motion, hn_error *error) {
  hn_recorded_motion *m = *motion = hn_allocate(NULL, sizeof *m);
  if (!m) return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory for a motion");
  *m = (hn_recorded_motion){.rows = rows,
                            .bodies = hn_model_body_count(hn_simulation_model(simulation))};
  hn_arena_init(&m->arena, NULL);
  hn_status status = make(m, simulation, error);
  if (status == HN_OK) return HN_OK;
  hn_recorded_motion_free(m);
  *motion = NULL;
  return status;
}

void hn_recorded_motion_free(hn_recorded_motion *motion) {
  if (!motion) return;
  hn_arena_release(&motion->arena);
  hn_release(NULL, motion);
}

static double value_at(const hn_recorded_motion *m, int body, int quantity, int row) {
  return hn_results_column(m->rows, m->column[QUANTITIES * (body - 1) + quantity])[row];
}

static hn_vec3 vector_at(const hn_recorded_motion *m, int body, int quantity, int row) {
  return (hn_vec3){value_at(m, body, quantity, row), value_at(m, body, quantity + 1, row),
                   value_at(m, body, quantity + 2, row)};
}

// q = (r, p), qd = (v, pd), pd = E(p)' w / 2
static void take_body(hn_recorded_motion *m, int b, int row) {
  const hn_vec3 r = vector_at(m, b, 0, row), v = vector_at(m, b, 7, row),
                w = vector_at(m, b, 10, row);
  double p[4];
  for (int i = 0; i < 4; i++) p[i] = value_at(m, b, 3 + i, row);
  const double values[] = {
      r.x - m->origin.x, r.y - m->origin.y, r.z - m->origin.z, p[0], p[1], p[2], p[3]};
  const double rates[] = {v.x,
                          v.y,
                          v.z,
                          (-p[1] * w.x - p[2] * w.y - p[3] * w.z) / 2,
                          (p[0] * w.x + p[3] * w.y - p[2] * w.z) / 2,
                          (-p[3] * w.x + p[0] * w.y + p[1] * w.z) / 2,
                          (p[2] * w.x - p[1] * w.y + p[0] * w.z) / 2};
  memcpy(&m->q[7 * (b - 1)], values, sizeof values);
  memcpy(&m->qd[7 * (b - 1)], rates, sizeof rates);
  m->accelerations[2 * (b - 1)] = vector_at(m, b, 13, row);
  m->accelerations[2 * (b - 1) + 1] = vector_at(m, b, 16, row);
}

hn_status hn_recorded_motion_go(hn_recorded_motion *motion, hn_simulation *simulation, int row,
                                const hn_vec3 **accelerations) {
  if (row < 0 || row >= hn_results_row_count(motion->rows)) return HN_ERROR_ARGUMENT;
  for (int b = 1; b <= motion->bodies; b++) take_body(motion, b, row);
  if (accelerations) *accelerations = motion->accelerations;
  return hn_simulation_set_state(simulation, hn_results_time(motion->rows)[row], motion->q,
                                 motion->qd);
}
