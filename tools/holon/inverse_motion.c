// The motion that `holon inverse` is asked for: the model's own drivers; a recorded run, with position,
// velocity and acceleration of every body; or a table of coordinates of joints, whose columns become
// drivers laid over the model.
#include "inverse.h"
#include "pages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
                    "Name columns time and joint.NAME.angle; a recorded run needs position, "
                    "quaternion, velocity and acceleration of every body.",
                    "%s has no motion: fewer than two samples of a joint coordinate", call->motion);
  } else {
    const char *folder = getenv("TMPDIR");
    hn_cli_text path = {0};
    hn_cli_add(&path, "%s/holon-inverse-%ld.json", folder != NULL ? folder : "/tmp",
               (long)getpid());
    call->overlay = hn_cli_copy(path.data);
    status = hn_file_write_bytes(path.data, text.data, text.length, error);
    hn_string_free(&path);
    hn_cli_list_add(&call->settings.with, call->overlay);
  }
  hn_string_free(&text);
  return status == HN_OK ? -1 : HN_CLI_WRONG;
}

int hn_cli_inverse_read(hn_cli_inverse *call) {
  if (call->motion == NULL) return -1;
  hn_error error = {0};
  char *path = hn_results_path(call->motion);
  if (path == NULL) hn_cli_out_of_memory();
  hn_status status = hn_cli_read_results(path != NULL ? path : call->motion, &call->rows, &error);
  free(path);
  int code = -1;
  if (status != HN_OK) {
    code = HN_CLI_WRONG;
  } else if (hn_results_have_motion(call->rows)) {
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

hn_status hn_cli_instants_open(hn_cli_session *session, const hn_cli_inverse *call,
                               hn_cli_instants *t) {
  if (call->is_recorded) {
    t->count = hn_results_row_count(call->rows);
    return hn_recorded_motion_create(session->simulation, call->rows, &t->recorded,
                                     &session->error);
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

hn_status hn_cli_instants_go(hn_cli_session *session, hn_cli_instants *t, long k) {
  hn_simulation *s = session->simulation;
  hn_status status;
  if (t->recorded != NULL)
    status = hn_recorded_motion_go(t->recorded, s, (int)k, &t->accelerations);
  else if (session->has_mobility && session->mobility.degrees_of_freedom == 0)
    status = hn_simulation_kinematics(s, hn_grid_time(&t->grid, k));
  else
    status = k == 0 ? HN_OK : hn_simulation_advance(s, hn_grid_time(&t->grid, k));
  if (status != HN_OK) session->error = *hn_simulation_error(s);
  return status;
}
