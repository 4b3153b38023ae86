// The motion that `holon inverse` is asked for: the model's own drivers; a recorded run, with position,
// velocity and acceleration of every body; or a table of coordinates of joints, whose columns become
// drivers laid over the model.
#include "folder.h"
#include "inverse.h"
#include "keep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

// ---- files --------------------------------------------------------------------------------------

// "joint.NAME.COORDINATE": the name in *name (to be freed) and the coordinate in the text; 0: another.
static int is_coordinate(const char *text, char **name, const char **coordinate) {
  const char *last = strrchr(text, '.');
  if (strncmp(text, "joint.", 6) != 0 || last == NULL || last < text + 7) return 0;
  for (int c = 0; c < HN_COORDINATES; c++) {
    *coordinate = hn_coordinate_name((hn_coordinate)c);
    if (strcmp(last + 1, *coordinate) != 0) continue;
    *name = hn_cli_copy(text + 6);
    (*name)[last - text - 6] = '\0';
    return 1;
  }
  return 0;
}

static void add_driver(hn_cli_text *text, const hn_results *rows, int column, const char *joint,
                       const char *coordinate, int is_first) {
  const double *time = hn_results_time(rows), *value = hn_results_column(rows, column);
  hn_cli_add(text, "%s\"inverse_drive_%d\": {\"joint\": ", is_first ? "" : ", ", column + 1);
  hn_string_json(text, joint);
  hn_cli_add(text, ", \"coordinate\": \"%s\", \"motion\": {\"table\": [", coordinate);
  for (int i = 0; i < hn_results_row_count(rows); i++)
    hn_cli_add(text, "%s[%.17g, %.17g]", i > 0 ? ", " : "", time[i], value[i]);
  hn_cli_add(text, "]}}");
}

// Writes the overlay; its columns are those that name coordinates.
static int make_overlay(hn_cli_inverse *call, hn_error *error) {
  hn_cli_text text = {0};
  const int count = hn_results_signal_count(call->rows);
  call->columns = hn_cli_allocate((size_t)count + 1, sizeof *call->columns);
  hn_cli_add(&text, "{\"drivers\": {");
  for (int c = 0; c < count; c++) {
    char *joint = NULL;
    const char *coordinate = NULL, *name = hn_results_signal_name(call->rows, c);
    if (!is_coordinate(name, &joint, &coordinate)) continue;
    add_driver(&text, call->rows, c, joint, coordinate, call->column_count == 0);
    call->columns[call->column_count++] = name;
    free(joint);
  }
  hn_cli_add(&text, "}}\n");
  hn_status status = HN_OK;
  if (call->column_count == 0 || hn_results_row_count(call->rows) < 2) {
    status =
        hn_cli_fail(error, HN_ERROR_FILE,
                    "Columns are called time and joint.NAME.angle, as signals are; a recorded run "
                    "has position, quaternion, velocity and acceleration of every body.",
                    "%s has no motion: no two rows of a coordinate of a joint", call->motion);
  } else {
    const char *folder = getenv("TMPDIR");
    hn_cli_text path = {0};
    hn_cli_add(&path, "%s/holon-inverse-%ld.json", folder != NULL ? folder : "/tmp",
               (long)getpid());
    call->overlay = hn_cli_copy(path.data);
    status = hn_cli_write_file(path.data, text.data, text.length, error);
    hn_string_free(&path);
    hn_cli_list_add(&call->settings.with, call->overlay);
  }
  hn_string_free(&text);
  return status == HN_OK ? -1 : HN_CLI_WRONG;
}

// A recorded run has the motion of some body at least; which are missing is told when they are read.
static int has_bodies(const hn_results *rows) {
  for (int c = 0; c < hn_results_signal_count(rows); c++) {
    const char *name = hn_results_signal_name(rows, c);
    if (strncmp(name, "body.", 5) == 0 && strstr(name, ".angular_acceleration.x") != NULL) return 1;
  }
  return 0;
}

int hn_cli_inverse_read(hn_cli_inverse *call) {
  if (call->motion == NULL) return -1;
  hn_error error = {0};
  char *path = hn_cli_find_results(call->motion);
  hn_status status = hn_cli_read_results(path != NULL ? path : call->motion, &call->rows, &error);
  free(path);
  int code = -1;
  if (status != HN_OK) {
    code = HN_CLI_WRONG;
  } else if (has_bodies(call->rows)) {
    call->is_recorded = 1;
    call->settings.run.coordinates = "cartesian";
  } else {
    code = make_overlay(call, &error);
  }
  if (code >= 0) hn_cli_report_failure(call->settings.json, 0, &error);
  return code;
}

void hn_cli_inverse_close(hn_cli_inverse *call) {
  if (call->overlay != NULL) remove(call->overlay);
  free(call->overlay);
  free(call->columns);
  hn_results_free(call->rows);
}

// ---- instants -----------------------------------------------------------------------------------

static hn_status find_columns(hn_cli_session *session, const hn_cli_inverse *call,
                              hn_cli_instants *instants) {
  const int bodies = hn_model_body_count(session->model);
  for (int b = 1; b <= bodies; b++)
    for (int i = 0; i < QUANTITIES; i++) {
      hn_cli_text name = {0};
      hn_cli_add(&name, "body.%s.%s", hn_model_body_name(session->model, b), quantities[i]);
      const int column = hn_results_find(call->rows, name.data);
      instants->column[QUANTITIES * (b - 1) + i] = column;
      if (column < 0)
        hn_cli_fail(&session->error, HN_ERROR_FILE, "Record the run without --signals.",
                    "%s has no %s", call->motion, name.data);
      hn_string_free(&name);
      if (column < 0) return HN_ERROR_FILE;
    }
  return HN_OK;
}

hn_status hn_cli_instants_open(hn_cli_session *session, const hn_cli_inverse *call,
                               hn_cli_instants *t) {
  const size_t bodies = (size_t)hn_model_body_count(session->model),
               nq = (size_t)hn_simulation_coordinate_count(session->simulation);
  t->q = hn_cli_allocate(nq + 1, sizeof *t->q);
  t->qd = hn_cli_allocate(nq + 1, sizeof *t->qd);
  if (call->is_recorded) {
    t->accelerations = hn_cli_allocate(2 * bodies + 1, sizeof *t->accelerations);
    t->column = hn_cli_allocate(QUANTITIES * bodies + 1, sizeof *t->column);
    t->count = hn_results_row_count(call->rows);
    if (bodies > 0) { // positions of q may count from elsewhere
      const double *q = hn_simulation_positions(session->simulation);
      hn_body_motion motion = {0};
      hn_simulation_body_motion(session->simulation, 1, &motion);
      t->origin =
          (hn_vec3){motion.position.x - q[0], motion.position.y - q[1], motion.position.z - q[2]};
    }
    return find_columns(session, call, t);
  }
  hn_run_plan plan = hn_cli_plan(session);
  if (call->rows != NULL && !(plan.time > 0)) {
    const int rows = hn_results_row_count(call->rows);
    plan.time = hn_results_time(call->rows)[rows - 1];
  }
  hn_status status = hn_run_grid(session->simulation, &plan, &t->grid, &session->error);
  t->count = t->grid.count;
  return status;
}

static double recorded(const hn_cli_inverse *call, const hn_cli_instants *t, int body, int quantity,
                       long k) {
  return hn_results_column(call->rows, t->column[QUANTITIES * (body - 1) + quantity])[k];
}

static hn_vec3 recorded_vector(const hn_cli_inverse *call, const hn_cli_instants *t, int body,
                               int quantity, long k) {
  return (hn_vec3){recorded(call, t, body, quantity, k), recorded(call, t, body, quantity + 1, k),
                   recorded(call, t, body, quantity + 2, k)};
}

// q = (r, p), qd = (v, pd), pd = E(p)' w / 2
static hn_status go_recorded(hn_cli_session *session, const hn_cli_inverse *call,
                             hn_cli_instants *t, long k) {
  const int bodies = hn_model_body_count(session->model);
  for (int b = 1; b <= bodies; b++) {
    const hn_vec3 r = recorded_vector(call, t, b, 0, k), v = recorded_vector(call, t, b, 7, k),
                  w = recorded_vector(call, t, b, 10, k);
    double *q = &t->q[7 * (b - 1)], *qd = &t->qd[7 * (b - 1)], p[4];
    for (int i = 0; i < 4; i++) p[i] = recorded(call, t, b, 3 + i, k);
    const double values[] = {
        r.x - t->origin.x, r.y - t->origin.y, r.z - t->origin.z, p[0], p[1], p[2], p[3]};
    const double rates[] = {v.x,
                            v.y,
                            v.z,
                            (-p[1] * w.x - p[2] * w.y - p[3] * w.z) / 2,
                            (p[0] * w.x + p[3] * w.y - p[2] * w.z) / 2,
                            (-p[3] * w.x + p[0] * w.y + p[1] * w.z) / 2,
                            (p[2] * w.x - p[1] * w.y + p[0] * w.z) / 2};
    memcpy(q, values, sizeof values);
    memcpy(qd, rates, sizeof rates);
    t->accelerations[2 * (b - 1)] = recorded_vector(call, t, b, 13, k);
    t->accelerations[2 * (b - 1) + 1] = recorded_vector(call, t, b, 16, k);
  }
  return hn_simulation_set_state(session->simulation, hn_results_time(call->rows)[k], t->q, t->qd);
}

hn_status hn_cli_instants_go(hn_cli_session *session, const hn_cli_inverse *call,
                             hn_cli_instants *t, long k) {
  hn_simulation *s = session->simulation;
  hn_status status;
  if (call->is_recorded)
    status = go_recorded(session, call, t, k);
  else if (session->has_mobility && session->mobility.degrees_of_freedom == 0)
    status = hn_simulation_kinematics(s, hn_grid_time(&t->grid, k));
  else
    status = k == 0 ? HN_OK : hn_simulation_advance(s, hn_grid_time(&t->grid, k));
  if (status != HN_OK) session->error = *hn_simulation_error(s);
  return status;
}

void hn_cli_instants_close(hn_cli_instants *t) {
  free(t->q);
  free(t->qd);
  free(t->accelerations);
  free(t->column);
}
