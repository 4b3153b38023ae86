// holon inverse: inverse dynamics: drive forces for a given motion.
#include "inverse.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct drives {
  hn_drive *drive;
  char **name;
  int count;
  double *forces; // (count x instants)
  double *time;
  double *map;            // at the first instant
  hn_drive_report report; // worst
} drives;

// ---- which drives -------------------------------------------------------------------------------

static void add_drive(drives *d, hn_drive drive, const char *name) {
  d->drive[d->count] = drive;
  d->name[d->count++] = hn_cli_copy(name);
}

static int find_driver(const hn_model *model, const char *name) {
  for (int k = 0; k < hn_model_driver_count(model); k++)
    if (strcmp(hn_model_driver_name(model, k), name) == 0) return k;
  return -1;
}

// A joint, or "joint.NAME.COORDINATE". 0: no such coordinate.
static int find_coordinate(const hn_model *model, const char *name, hn_drive *drive) {
  const char *last = strrchr(name, '.');
  *drive = (hn_drive){.driver = -1, .joint = hn_model_find_joint(model, name)};
  if (drive->joint >= 0) {
    for (int c = HN_COORDINATES - 1; c >= 0; c--)
      if (hn_joint_has_coordinate(hn_model_joint_type(model, drive->joint), (hn_coordinate)c))
        drive->coordinate = (hn_coordinate)c;
    return hn_joint_has_coordinate(hn_model_joint_type(model, drive->joint), drive->coordinate);
  }
  if (last == NULL) return 0;
  if (strncmp(name, "joint.", 6) == 0) name += 6;
  if (last < name) return 0;
  char *joint = hn_cli_copy(name);
  joint[last - name] = '\0';
  drive->joint = hn_model_find_joint(model, joint);
  free(joint);
  for (int c = 0; drive->joint >= 0 && c < HN_COORDINATES; c++) {
    drive->coordinate = (hn_coordinate)c;
    if (strcmp(hn_coordinate_name((hn_coordinate)c), last + 1) == 0)
      return hn_joint_has_coordinate(hn_model_joint_type(model, drive->joint), drive->coordinate);
  }
  return 0;
}

static int add_named(const hn_cli_session *session, drives *d, char *list) {
  for (char *word = strtok(list, ","); word != NULL; word = strtok(NULL, ",")) {
    while (*word == ' ') word++;
    hn_drive drive = {.driver = find_driver(session->model, word)};
    if (drive.driver < 0 && !find_coordinate(session->model, word, &drive))
      return hn_cli_wrong_call("inverse",
                               "'%s' is not a drive\n  Drives are names of drivers, of joints, or "
                               "joint.NAME.COORDINATE.",
                               word);
    add_drive(d, drive, word);
  }
  return -1;
}

// Those of the file have the names of their columns.
static void add_drivers(const hn_cli_session *session, const hn_cli_inverse *call, drives *d) {
  const int count = hn_model_driver_count(session->model);
  for (int k = 0; k < count; k++) {
    const int column = k - (count - call->column_count);
    add_drive(d, (hn_drive){.driver = k},
              column >= 0 ? call->columns[column] : hn_model_driver_name(session->model, k));
  }
}

static int weigh(const hn_cli_inverse *call, drives *d) {
  for (int w = 0; w < call->weights.count; w++) {
    const char *text = call->weights.items[w], *equals = strrchr(text, '=');
    const double weight = equals != NULL ? strtod(equals + 1, NULL) : 0;
    int found = 0;
    for (int k = 0; equals != NULL && k < d->count; k++)
      if (strlen(d->name[k]) == (size_t)(equals - text) &&
          strncmp(d->name[k], text, (size_t)(equals - text)) == 0) {
        d->drive[k].weight = weight;
        found = 1;
      }
    if (!found || !(weight > 0) || !isfinite(weight))
      return hn_cli_wrong_call(
          "inverse", "--weight '%s' is not valid. Write DRIVE=NUMBER, with a number above 0", text);
  }
  return -1;
}

static int choose_drives(const hn_cli_session *session, const hn_cli_inverse *call, drives *d) {
  const char *list = call->drives != NULL ? call->drives : "";
  size_t most = (size_t)hn_model_driver_count(session->model) + 2;
  for (const char *c = list; *c != '\0'; c++) most += *c == ',';
  d->drive = hn_cli_allocate(most, sizeof *d->drive);
  d->name = hn_cli_allocate(most, sizeof *d->name);
  int code = -1;
  if (call->drives != NULL) {
    char *text = hn_cli_copy(list);
    code = add_named(session, d, text);
    free(text);
  } else {
    add_drivers(session, call, d);
  }
  if (code < 0 && d->count == 0)
    code = hn_cli_wrong_call("inverse", "no drives: the model has no drivers\n  Name them with "
                                        "--drives, for instance --drives joint.elbow.angle.");
  return code < 0 ? weigh(call, d) : code;
}

// ---- over the motion ----------------------------------------------------------------------------

static hn_status compute(hn_cli_session *session, hn_cli_instants *instants, drives *d) {
  d->forces = hn_cli_allocate((size_t)instants->count * (size_t)d->count + 1, sizeof *d->forces);
  d->time = hn_cli_allocate((size_t)instants->count + 1, sizeof *d->time);
  for (long k = 0; k < instants->count; k++) {
    hn_drive_report report;
    double *forces = &d->forces[(size_t)k * (size_t)d->count];
    hn_status status = hn_cli_instants_go(session, instants, k);
    if (status != HN_OK) return status;
    d->time[k] = hn_simulation_time(session->simulation);
    status =
        hn_simulation_drive_forces(session->simulation, d->drive, d->count, instants->accelerations,
                                   forces, NULL, &report, &session->error);
    if (status == HN_OK && k == 0) {
      d->map = hn_cli_allocate((size_t)report.freedoms * (size_t)d->count + 1, sizeof *d->map);
      status = hn_simulation_drive_forces(session->simulation, d->drive, d->count,
                                          instants->accelerations, forces, d->map, &report,
                                          &session->error);
      d->report = report;
    }
    if (status != HN_OK) return status;
    if (report.residual > d->report.residual) d->report = report;
  }
  return HN_OK;
}

static void add_column(hn_cli_json *json, const char *key, const double *values, long rows,
                       int stride) {
  hn_json_open(json, key, '[');
  for (long k = 0; k < rows; k++) hn_json_number(json, NULL, values[(size_t)k * (size_t)stride]);
  hn_json_close(json, ']');
}

static void print_json(const drives *d, long rows) {
  hn_cli_json json = {0};
  hn_json_open(&json, NULL, '{');
  hn_json_string(&json, "status", "ok");
  hn_json_open(&json, "drives", '[');
  for (int a = 0; a < d->count; a++) hn_json_string(&json, NULL, d->name[a]);
  hn_json_close(&json, ']');
  add_column(&json, "time", d->time, rows, 1);
  hn_json_open(&json, "forces", '{');
  for (int a = 0; a < d->count; a++) add_column(&json, d->name[a], &d->forces[a], rows, d->count);
  hn_json_close(&json, '}');
  hn_json_open(&json, "final", '{');
  for (int a = 0; rows > 0 && a < d->count; a++)
    hn_json_number(&json, d->name[a], d->forces[(size_t)(rows - 1) * (size_t)d->count + (size_t)a]);
  hn_json_close(&json, '}');
  hn_json_integer(&json, "freedoms", d->report.freedoms);
  hn_json_integer(&json, "rank", d->report.rank);
  hn_json_number(&json, "residual", d->report.residual);
  hn_json_number(&json, "needed", d->report.largest);
  hn_json_string(&json, "missing", d->report.missing);
  hn_json_open(&json, "map", '[');
  for (int i = 0; d->map != NULL && i < d->report.freedoms; i++)
    hn_json_vector(&json, NULL, &d->map[(size_t)i * (size_t)d->count], d->count);
  hn_json_close(&json, ']');
  hn_json_close(&json, '}');
  hn_cli_json_print(&json);
}

static void print_words(const hn_cli_session *session, const drives *d, long rows) {
  printf("%s: forces of %d drive%s over %ld instants, t = %g to %g s\n", session->name, d->count,
         d->count == 1 ? "" : "s", rows, d->time[0], d->time[rows - 1]);
  if (d->report.rank < d->count && d->report.rank == d->report.freedoms)
    printf("%d drives for %d degrees of freedom: forces minimize the weighted effort\n", d->count,
           d->report.freedoms);
  if (d->report.missing[0] != '\0')
    printf("the drives cannot produce this motion: %.4g N (N m) are missing along %s. Add a drive "
           "there\n",
           d->report.residual, d->report.missing);
  printf("\n%-32s%14s%14s%14s%14s\n", "drive (N, N m)", "first", "least", "most", "rms");
  for (int a = 0; a < d->count; a++) {
    double least = HUGE_VAL, most = -HUGE_VAL, square = 0;
    for (long k = 0; k < rows; k++) {
      const double force = d->forces[(size_t)k * (size_t)d->count + (size_t)a];
      least = fmin(least, force);
      most = fmax(most, force);
      square += force * force;
    }
    printf("  %-30s%14.6g%14.6g%14.6g%14.6g\n", d->name[a], d->forces[a], least, most,
           sqrt(square / (double)rows));
  }
}

static hn_status write_csv(const drives *d, long rows, const char *path, hn_error *error) {
  hn_cli_text text = {0};
  hn_cli_add(&text, "time");
  for (int a = 0; a < d->count; a++) hn_cli_add(&text, ",%s", d->name[a]);
  hn_cli_add(&text, "\n");
  for (long k = 0; k < rows; k++) {
    hn_cli_add(&text, "%.17g", d->time[k]);
    for (int a = 0; a < d->count; a++)
      hn_cli_add(&text, ",%.17g", d->forces[(size_t)k * (size_t)d->count + (size_t)a]);
    hn_cli_add(&text, "\n");
  }
  hn_status status = hn_file_write_bytes(path, text.data, text.length, error);
  hn_string_free(&text);
  return status;
}

static void free_drives(drives *d) {
  for (int a = 0; a < d->count; a++) free(d->name[a]);
  free(d->name);
  free(d->drive);
  free(d->forces);
  free(d->time);
  free(d->map);
}

static int solve(hn_cli_inverse *call) {
  hn_cli_session session = {0};
  hn_cli_instants instants = {0};
  drives d = {0};
  int code = hn_cli_inverse_read(call);
  if (code < 0) code = hn_cli_session_open(&session, &call->settings);
  if (code < 0) code = choose_drives(&session, call, &d);
  hn_status status = HN_OK;
  if (code < 0) {
    status = hn_cli_instants_open(&session, call, &instants);
    if (status == HN_OK) status = compute(&session, &instants, &d);
    if (status == HN_OK && call->file != NULL)
      status = write_csv(&d, instants.count, call->file, &session.error);
    code = HN_CLI_DONE;
  }
  if (status != HN_OK)
    code = hn_cli_report_failure(call->settings.json, hn_simulation_time(session.simulation),
                                 &session.error);
  else if (code == HN_CLI_DONE && session.simulation != NULL && instants.count > 0) {
    if (call->settings.json)
      print_json(&d, instants.count);
    else
      print_words(&session, &d, instants.count);
  }
  free_drives(&d);
  hn_recorded_motion_free(instants.recorded);
  hn_cli_session_close(&session);
  hn_cli_inverse_close(call);
  return code;
}

static int run(const hn_cli_command *command, int argc, char **argv) {
  hn_cli_inverse call = {.motion = NULL};
  hn_cli_settings *s = &call.settings;
  const hn_cli_option options[] = {
      {"motion", 0, HN_CLI_STRING, &call.motion, "SOURCE",
       "recorded run (folder) or table of joint coordinates (the model's drivers)", NULL},
      {"drives", 0, HN_CLI_STRING, &call.drives, "A,B",
       "actuated drivers, joints, or joint.NAME.COORDINATE (all drivers)", NULL},
      {"weight", 0, HN_CLI_LIST, &call.weights, "DRIVE=W",
       "weight of a drive's effort if drives are redundant (1; repeatable)", NULL},
      {"output", 'o', HN_CLI_STRING, &call.file, "FILE", "write the forces as CSV", NULL},
      {"time", 0, HN_CLI_TIME, &s->time, "T", "until T seconds", NULL},
      {"output-step", 0, HN_CLI_TIME, &s->output_step, "DT", "time between instants (T/500)", NULL},
      hn_cli_row(&s->run, "coordinates", "method of a run along the motion"),
      hn_cli_row(&s->run, "tol", "tolerance of that run"),
      {"set", 0, HN_CLI_LIST, &s->set, "NAME=VALUE", "override a parameter (repeatable)", NULL},
      HN_CLI_MODEL_OPTIONS(*s),
      {"strict", 0, HN_CLI_FLAG, &s->strict, NULL, "treat warnings as errors", NULL},
      {"json", 0, HN_CLI_FLAG, &s->json, NULL, "print JSON", NULL},
      {0},
  };
  int code = hn_cli_parse_one(command, options, argc, argv, &s->path);
  if (code < 0) code = solve(&call);
  hn_cli_list_free(&call.weights);
  hn_cli_settings_free(s);
  return code;
}

const hn_cli_command hn_cli_inverse_command = {
    .name = "inverse",
    .arguments = "MODEL [options]",
    .summary = "inverse dynamics: drive forces for a given motion",
    .details =
        "The motion comes from the model's drivers, a recorded run, or a table of joint\n"
        "coordinates over time. With more drives than degrees of freedom, the forces minimize\n"
        "the sum of weight * force^2.\n",
    .example = "  holon inverse robot.yaml --json\n"
               "  holon inverse robot.yaml --motion path.csv --weight joint.elbow.angle=4\n"
               "  holon inverse press.yaml --motion out/press --drives joint.crank.angle\n",
    .run = run,
};
