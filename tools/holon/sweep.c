// holon sweep: one model many times with other parameters; a table. Here the call and its words.
#include "sweep.h"

#include "base/disk.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct sweep_call {
  hn_cli_settings settings;
  hn_cli_list vary, measure;
  const char *sample, *table, *shard;
  int seed, jobs, slurm;
  double *values; // of --table
  const char **names;
  int name_count;
  long rows;
} sweep_call;

static int read_call(const hn_cli_command *command, int argc, char **argv, sweep_call *c) {
  hn_cli_settings *s = &c->settings;
  const hn_cli_option options[] = {
      {"vary", 0, HN_CLI_LIST, &c->vary, "NAME=LOW:HIGH:N", "a parameter (repeatable)", NULL},
      {"sample", 0, HN_CLI_STRING, &c->sample, "HOW", "grid, lhs:N (Latin hypercube), random:N",
       NULL},
      {"seed", 0, HN_CLI_COUNT_0, &c->seed, "N", "random seed of lhs and random (0)", NULL},
      {"table", 0, HN_CLI_STRING, &c->table, "FILE",
       "read cases from a CSV file: names, then numbers", NULL},
      {"measure", 0, HN_CLI_LIST, &c->measure, "SIGNAL:WHAT",
       "end, min, max, mean, rms (repeatable; outputs)", NULL},
      {"output", 'o', HN_CLI_STRING, &s->folder, "DIR", "write into DIR (out/NAME-sweep)", NULL},
      {"jobs", 'j', HN_CLI_COUNT, &c->jobs, "N", "processes (all cores)", NULL},
      {"shard", 0, HN_CLI_STRING, &c->shard, "I/N", "run only the I-th of N parts of the cases",
       NULL},
      {"slurm", 0, HN_CLI_COUNT, &c->slurm, "N",
       "print a Slurm script of N array tasks; run nothing", NULL},
      {"time", 0, HN_CLI_TIME, &s->time, "T", "until T (s; or '20 ms', '2 min')", NULL},
      hn_cli_row(&s->run, "tol", NULL),
      hn_cli_row(&s->run, "step", NULL),
      {"output-step", 0, HN_CLI_TIME, &s->output_step, "DT",
       "time between samples of a measure (T/500)", NULL},
      hn_cli_row(&s->run, "coordinates", NULL),
      hn_cli_row(&s->run, "preset", NULL),
      {"set", 0, HN_CLI_LIST, &s->set, "NAME=VALUE", "set a parameter for all cases (repeatable)",
       NULL},
      HN_CLI_MODEL_OPTIONS(*s),
      {"quiet", 0, HN_CLI_FLAG, &s->quiet, NULL, "no progress, no summary", NULL},
      {"json", 0, HN_CLI_FLAG, &s->json, NULL, "print a summary as JSON", NULL},
      {0},
  };
  return hn_cli_parse_one(command, options, argc, argv, &s->path);
}

// ---- rows from a file -------------------------------------------------------------------------

static hn_status refuse_table(const sweep_call *c, hn_error *error, long line, const char *what) {
  return hn_cli_fail(error, HN_ERROR_SYNTAX,
                     "Write parameter names in line 1, then numbers, separated by commas.",
                     "%s, line %ld: %s", c->table, line, what);
}

static hn_status read_table(sweep_call *c, hn_error *error) {
  char *data = NULL, *rest = NULL;
  size_t size = 0, room = 0, used = 0;
  hn_status status = hn_file_read_given(c->table, &data, &size, error);
  if (status != HN_OK) return status;
  char *line = strtok_r(data, "\r\n", &rest);
  c->names = hn_cli_allocate(size + 1, sizeof *c->names);
  for (char *more = NULL, *name = line != NULL ? strtok_r(line, ",", &more) : NULL; name != NULL;
       name = strtok_r(NULL, ",", &more))
    c->names[c->name_count++] = hn_cli_copy(name);
  if (c->name_count == 0) status = refuse_table(c, error, 1, "no parameter names");
  while (status == HN_OK && (line = strtok_r(NULL, "\r\n", &rest)) != NULL) {
    int count = 0;
    for (char *at = line, *end = line; at != NULL && status == HN_OK; count++) {
      double value = strtod(at, &end);
      if (end == at || !isfinite(value) || (*end != ',' && *end != '\0'))
        status = refuse_table(c, error, c->rows + 2, "this is not a number");
      if (used == room) {
        room = 2 * room + 256;
        double *larger = realloc(c->values, room * sizeof *larger);
        if (larger == NULL) hn_cli_out_of_memory();
        c->values = larger;
      }
      c->values[used++] = value;
      at = *end == ',' ? end + 1 : NULL;
    }
    if (status == HN_OK && count != c->name_count)
      status = refuse_table(c, error, c->rows + 2,
                            "the number of values differs from the number of names");
    c->rows++;
  }
  free(data);
  return status;
}

// ---- shards -----------------------------------------------------------------------------------

static int environment(const char *name, int otherwise) {
  const char *word = getenv(name);
  return word != NULL && word[0] != '\0' ? atoi(word) : otherwise;
}

// By the call, by mpirun (Open MPI or another) or by an array of Slurm. 0: the words are wrong.
static int find_shard(const sweep_call *c, hn_cli_sweep *s, int *is_rank) {
  char rest;
  s->shard = 0;
  s->shards = 1;
  *is_rank = 0;
  if (c->shard != NULL) {
    if (sscanf(c->shard, "%d/%d%c", &s->shard, &s->shards, &rest) != 2) return 0;
    s->shard--;
  } else if (getenv("OMPI_COMM_WORLD_SIZE") != NULL || getenv("PMI_SIZE") != NULL) {
    s->shards = environment("OMPI_COMM_WORLD_SIZE", environment("PMI_SIZE", 1));
    s->shard = environment("OMPI_COMM_WORLD_RANK", environment("PMI_RANK", 0));
    *is_rank = s->shards > 1;
  }
  return s->shards >= 1 && s->shard >= 0 && s->shard < s->shards;
}

static void print_slurm(const hn_cli_session *session, const sweep_call *c) {
  hn_cli_text call = {0};
  hn_cli_add(&call, "holon");
  for (int k = 0; k < session->words.count; k++) {
    const char *word = session->words.items[k];
    if (strcmp(word, "--slurm") == 0)
      k++; // its number
    else if (strncmp(word, "--slurm=", 8) != 0) {
      hn_cli_add(&call, " ");
      hn_cli_add_shell_word(&call, word);
    }
  }
  printf("#!/bin/sh\n#SBATCH --job-name=holon-sweep\n#SBATCH --array=1-%d\n#SBATCH --ntasks=1\n"
         "#SBATCH --cpus-per-task=1\n\n# every task runs its part; the last one writes table.csv\n"
         "%s --jobs \"${SLURM_CPUS_PER_TASK:-1}\" --shard \"$SLURM_ARRAY_TASK_ID/%d\"\n",
         c->slurm, call.data, c->slurm);
  hn_string_free(&call);
}

// ---- the whole --------------------------------------------------------------------------------

// failures.txt is written with the table; until then the messages are next to the certificates.
static char *failures_of(const hn_cli_sweep *s, int is_complete) {
  return hn_cli_join(s->folder, is_complete ? "failures.txt" : "runs/row-*.txt");
}

static void print_json(const hn_cli_sweep *s, const hn_cli_sweep_lines *lines,
                       const char *failures) {
  const long all = hn_sweep_rows(s->sweep);
  hn_cli_json json = {0};
  char *table = hn_cli_join(s->folder, "table.csv");
  hn_json_open(&json, NULL, '{');
  hn_json_string(&json, "status", lines->failed > 0 ? "failed" : "ok");
  hn_json_integer(&json, "rows", all);
  hn_json_integer(&json, "done", lines->done);
  hn_json_integer(&json, "failed", lines->failed);
  if (lines->failed > 0) hn_json_string(&json, "failures", failures);
  hn_json_string(&json, "folder", s->folder);
  if (lines->done == all) hn_json_string(&json, "table", table);
  hn_json_close(&json, '}');
  hn_cli_json_print(&json);
  free(table);
}

// Failed cases are reported by --quiet too.
static void print_summary(const hn_cli_sweep *s, const hn_cli_sweep_lines *lines, int as_json) {
  const long all = hn_sweep_rows(s->sweep);
  const int is_complete = lines->done == all;
  char *failures = failures_of(s, is_complete);
  if (as_json) {
    print_json(s, lines, failures);
  } else {
    if (!s->is_quiet && is_complete)
      printf("%ld rows, %ld failed: %s/table.csv\n", all, lines->failed, s->folder);
    else if (!s->is_quiet)
      printf("%ld of %ld cases done; run the other shards, or repeat this call to continue\n",
             lines->done, all);
    fflush(stdout);
    if (lines->failed > 0)
      fprintf(stderr, "holon: %ld of %ld cases failed (see %s)\n", lines->failed, lines->done,
              failures);
  }
  free(failures);
}

static int sweep_all(hn_cli_sweep *s, const sweep_call *c) {
  hn_cli_sweep_lines lines = {0};
  hn_status status = hn_cli_sweep_folder(s, c->settings.path);
  if (status == HN_OK) status = hn_cli_sweep_read(s, &lines);
  if (status == HN_OK) hn_cli_sweep_forget_lost(s, &lines);
  if (status == HN_OK) status = hn_cli_sweep_work(s, &lines);
  if (status == HN_OK) hn_disk_sync_system(s->folder);
  hn_cli_sweep_lines_free(s, &lines);
  if (status == HN_OK) status = hn_cli_sweep_read(s, &lines);
  if (status == HN_OK && lines.done == hn_sweep_rows(s->sweep))
    status = hn_cli_sweep_write(s, &lines);
  if (status == HN_OK) print_summary(s, &lines, c->settings.json);
  int failed = lines.failed > 0;
  hn_cli_sweep_lines_free(s, &lines);
  if (status != HN_OK) return hn_cli_report_failure(c->settings.json, 0, &s->error);
  return failed ? HN_CLI_FAILED : HN_CLI_DONE;
}

static hn_sweep_job make_job(const sweep_call *c) {
  const hn_cli_settings *settings = &c->settings;
  hn_sweep_job job = hn_default_sweep_job();
  job.path = settings->path;
  job.load.settings = settings->set.items;
  job.load.setting_count = settings->set.count;
  job.load.overlays = settings->with.items;
  job.load.overlay_count = settings->with.count;
  job.load.packages = settings->packages.items;
  job.load.package_count = settings->packages.count;
  job.load.keyframe = settings->keyframe;
  job.load.max_entries = settings->max_entries;
  job.time = settings->time;
  job.output_step = settings->output_step;
  job.outputs = c->measure.items;
  job.output_count = c->measure.count;
  const char *usual = job.simulation.coordinates;
  if (settings->run.size > 0) job.simulation = settings->run;
  if (job.simulation.coordinates == NULL) job.simulation.coordinates = usual;
  return job;
}

static char *folder_of(const sweep_call *c) {
  if (c->settings.folder != NULL) return hn_cli_copy(c->settings.folder);
  const char *slash = strrchr(c->settings.path, '/');
  const char *name = slash != NULL ? slash + 1 : c->settings.path;
  hn_cli_text text = {0}, stem = {0};
  hn_cli_add(&stem, "%.*s", (int)strcspn(name, "."), name);
  hn_cli_add(&text, "out/");
  hn_cli_add_file_name(&text, stem.data != NULL ? stem.data : "model");
  hn_cli_add(&text, "-sweep");
  hn_string_free(&stem);
  return text.data;
}

static int sweep_call_run(const hn_cli_command *command, const hn_cli_session *session,
                          sweep_call *c) {
  hn_cli_sweep s = {.is_quiet = c->settings.quiet || c->settings.json};
  int is_rank = 0;
  if (!find_shard(c, &s, &is_rank))
    return hn_cli_wrong_call(command->name,
                             "--shard '%s' is not valid. Write I/N with I from 1 to N",
                             c->shard != NULL ? c->shard : "(of mpirun)");
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  s.jobs = c->jobs > 0 ? c->jobs : is_rank ? 1 : cores > 0 ? (int)cores : 1;
  hn_sweep_plan plan = {.vary = c->vary.items,
                        .vary_count = c->vary.count,
                        .sample = c->sample,
                        .seed = (unsigned long long)c->seed};
  hn_status status = c->table != NULL ? read_table(c, &s.error) : HN_OK;
  if (c->table != NULL && (c->vary.count > 0 || c->sample != NULL))
    return hn_cli_wrong_call(command->name,
                             "--table already defines the cases. Leave --vary and --sample out");
  if (c->table != NULL) {
    plan = (hn_sweep_plan){.sample = "table", .table = c->values, .table_rows = c->rows};
    plan.vary = c->names, plan.vary_count = c->name_count;
  }
  hn_sweep_job job = make_job(c);
  hn_sweep *sweep = NULL;
  if (status == HN_OK) status = hn_sweep_create(&plan, &job, &sweep, &s.error);
  if (status != HN_OK) {
    hn_cli_report_failure(c->settings.json, 0, &s.error);
    return HN_CLI_WRONG;
  }
  int code = HN_CLI_DONE;
  if (c->slurm > 0) {
    print_slurm(session, c);
  } else {
    char *folder = folder_of(c);
    s.sweep = sweep;
    s.folder = folder;
    code = sweep_all(&s, c);
    free(folder);
  }
  hn_sweep_free(sweep);
  return code;
}

static int run(const hn_cli_command *command, int argc, char **argv) {
  sweep_call call = {.sample = NULL};
  hn_cli_session session = {0};
  hn_cli_session_call(&session, argc, argv);
  int code = read_call(command, argc, argv, &call);
  if (code < 0) code = sweep_call_run(command, &session, &call);
  for (int k = 0; k < call.name_count; k++) free((void *)call.names[k]);
  free((void *)call.names);
  free(call.values);
  hn_cli_list_free(&call.vary);
  hn_cli_list_free(&call.measure);
  hn_cli_session_close(&session);
  hn_cli_settings_free(&call.settings);
  return code;
}

const hn_cli_command hn_cli_sweep_command = {
    .name = "sweep",
    .arguments = "MODEL [options]",
    .summary = "run a model with many parameter values; collect one table",
    .details =
        "table.csv is identical, byte for byte, for any number of processes. Repeat the call to\n"
        "continue after an interruption. Several parts (--shard, mpirun) may write into one "
        "folder;\n"
        "the last one to finish writes the table. runs/ holds the certificate of every case.\n",
    .example = "  holon sweep car.yaml --vary stiffness=1e4:1e5:20 --vary damping=500:2000:10\n"
               "  holon sweep car.yaml --vary k=1e4:1e5 --vary c=500:2000 --sample lhs:200\n"
               "  mpirun -n 8 holon sweep car.yaml --vary stiffness=1e4:1e5:1000\n",
    .run = run,
};
