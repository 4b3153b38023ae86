// The rows of a sweep: what varies, as grid, Latin hypercube, random or table.
#include "study/sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "math/elementary.h"
#include "math/expression.h"
#include "model/options.h"

#define TRIED 1000 // rows tried until one makes a model

typedef struct reader {
  hn_sweep *sweep;
  hn_error *error;
} reader;

static hn_status refuse(const reader *r, const char *spec, const char *what) {
  return hn_fail(r->error, HN_ERROR_ARGUMENT, NULL, NULL,
                 "Write NAME=LOW:HIGH:COUNT, NAME=LOW:HIGH:COUNT:log or NAME=V1,V2,...; a unit may "
                 "follow after a blank.",
                 "'%.80s' is not a valid variation: %s", spec, what);
}

// ---- specifications -----------------------------------------------------------------------------

// A number at *at, which moves past it; 0 without a number.
static int take_number(const char **at, const char *end, double *value) {
  int negative = **at == '-';
  const char *from = *at + negative;
  size_t length = hn_number_read(from, (size_t)(end - from), value);
  if (length == 0 || !isfinite(*value)) return 0;
  if (negative) *value = -*value;
  *at = from + length;
  return 1;
}

static int take_word(const char **at, const char *end, const char *word) {
  size_t length = strlen(word);
  if ((size_t)(end - *at) < length || strncmp(*at, word, length) != 0) return 0;
  *at += length;
  return 1;
}

static hn_status read_list(reader *r, const char *spec, const char *at, const char *end,
                           hn_sweep_axis *axis) {
  int most = 1;
  for (const char *c = at; c < end; c++) most += *c == ',';
  double *list = HN_TAKE(&r->sweep->arena, double, most);
  if (!list)
    return hn_fail(r->error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory for a sweep");
  do {
    if (!take_number(&at, end, &list[axis->count]))
      return refuse(r, spec, "a number is missing or cannot be read");
    axis->count++;
  } while (take_word(&at, end, ","));
  axis->list = list;
  return at == end ? HN_OK : refuse(r, spec, "unexpected text after the last number");
}

static hn_status read_range(reader *r, const char *spec, const char *at, const char *end,
                            hn_sweep_axis *axis) {
  double count = 0;
  if (!take_number(&at, end, &axis->low) || !take_word(&at, end, ":") ||
      !take_number(&at, end, &axis->high))
    return refuse(r, spec, "LOW:HIGH cannot be read");
  if (take_word(&at, end, ":log")) {
    axis->is_log = 1;
  } else if (take_word(&at, end, ":")) {
    if (!take_number(&at, end, &count) || !(count >= 1 && count <= 1e6) || floor(count) < count)
      return refuse(r, spec, "the count must be a whole number from 1 to 1000000");
    axis->is_log = take_word(&at, end, ":log");
  }
  axis->count = (int)count;
  if (at < end) return refuse(r, spec, "unexpected text after it");
  if (axis->is_log && !(axis->low > 0 && axis->high > 0))
    return refuse(r, spec, "log spacing needs numbers above 0");
  return HN_OK;
}

static hn_status read_axis(reader *r, const char *spec, int is_table, hn_sweep_axis *axis) {
  const char *copy = hn_arena_copy_string(&r->sweep->arena, spec);
  if (!copy)
    return hn_fail(r->error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory for a sweep");
  char *blank = strchr(copy, ' '), *equals = strchr(copy, '=');
  axis->unit = "";
  if (blank) {
    axis->unit = hn_arena_copy_string(&r->sweep->arena, blank + strspn(blank, " "));
    *blank = '\0';
  }
  axis->name = copy;
  if (is_table) return equals || !*copy ? refuse(r, spec, "a column is a name") : HN_OK;
  if (!equals || equals == copy || !equals[1]) return refuse(r, spec, "NAME= is missing");
  *equals = '\0';
  const char *at = equals + 1, *end = at + strlen(at);
  return strchr(at, ':') ? read_range(r, spec, at, end, axis) : read_list(r, spec, at, end, axis);
}

static hn_status read_axes(reader *r, const hn_sweep_plan *plan, int is_table) {
  hn_sweep *sweep = r->sweep;
  if (plan->vary_count < 1 || plan->vary_count > HN_SWEEP_PARAMETERS)
    return hn_fail(r->error, HN_ERROR_ARGUMENT, NULL, NULL, "Give @vary NAME=LOW:HIGH:COUNT.",
                   "%d parameters vary. Use 1 to %d", plan->vary_count, HN_SWEEP_PARAMETERS);
  sweep->axes = HN_TAKE(&sweep->arena, hn_sweep_axis, plan->vary_count);
  sweep->axis_count = plan->vary_count;
  hn_status status = sweep->axes ? HN_OK : HN_ERROR_MEMORY;
  for (int k = 0; k < plan->vary_count && !status; k++) {
    status = read_axis(r, plan->vary[k], is_table, &sweep->axes[k]);
    for (int i = 0; i < k && !status; i++)
      if (strcmp(sweep->axes[i].name, sweep->axes[k].name) == 0)
        status = refuse(r, plan->vary[k], "this parameter varies already");
  }
  return status;
}

// ---- rows ---------------------------------------------------------------------------------------

static double between(const hn_sweep_axis *axis, double share) {
  if (axis->is_log) return axis->low * hn_pow(axis->high / axis->low, share);
  return axis->low + share * (axis->high - axis->low);
}

static double grid_value(const hn_sweep_axis *axis, int index) {
  if (axis->list) return axis->list[index];
  if (axis->count == 1 || index == 0) return axis->low;
  if (index == axis->count - 1) return axis->high;
  return between(axis, (double)index / (axis->count - 1));
}

// A place from 0 to 1 on the axis.
static double sampled_value(const hn_sweep_axis *axis, double share) {
  if (!axis->list) return between(axis, share);
  int index = (int)(share * axis->count);
  return axis->list[index < axis->count ? index : axis->count - 1];
}

// splitmix64, the same on every computer
static unsigned long long next_bits(unsigned long long *state) {
  unsigned long long z = (*state += 0x9E3779B97F4A7C15u);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

static double next_share(unsigned long long *state) {
  return (double)(next_bits(state) >> 11) * 0x1p-53;
}

static hn_status take_rows(reader *r, double rows) {
  hn_sweep *sweep = r->sweep;
  if (!(rows >= 1 && rows * sweep->axis_count <= (double)HN_SWEEP_ROWS))
    return hn_fail(r->error, HN_ERROR_LIMIT, NULL, NULL, "Use fewer values, or @sample lhs:N.",
                   "a sweep of %.0f cases and %d parameters is too large", rows, sweep->axis_count);
  sweep->rows = (long)rows;
  sweep->values = HN_TAKE(&sweep->arena, double, sweep->rows * sweep->axis_count);
  return sweep->values ? HN_OK
                       : hn_fail(r->error, HN_ERROR_MEMORY, NULL, NULL, NULL,
                                 "out of memory for %ld cases. Use fewer", sweep->rows);
}

static hn_status make_grid(reader *r) {
  hn_sweep *sweep = r->sweep;
  double rows = 1;
  for (int k = 0; k < sweep->axis_count; k++) {
    if (sweep->axes[k].count == 0)
      return refuse(r, sweep->axes[k].name, "a grid needs a count, or give a sample (lhs:200)");
    rows *= sweep->axes[k].count;
  }
  hn_status status = take_rows(r, rows);
  for (long row = 0; !status && row < sweep->rows; row++) {
    long left = row;
    for (int k = sweep->axis_count - 1; k >= 0; k--) {
      const hn_sweep_axis *axis = &sweep->axes[k];
      sweep->values[row * sweep->axis_count + k] = grid_value(axis, (int)(left % axis->count));
      left /= axis->count;
    }
  }
  return status;
}

static hn_status make_hypercube(reader *r, double rows, unsigned long long seed) {
  hn_sweep *sweep = r->sweep;
  hn_status status = take_rows(r, rows);
  long *order = status ? NULL : hn_allocate(NULL, (size_t)sweep->rows * sizeof *order);
  if (!order) return status ? status : HN_ERROR_MEMORY;
  for (int k = 0; k < sweep->axis_count; k++) {
    for (long i = 0; i < sweep->rows; i++) order[i] = i;
    for (long i = sweep->rows - 1; i > 0; i--) {
      long j = (long)(next_share(&seed) * (double)(i + 1)), old = order[i];
      order[i] = order[j];
      order[j] = old;
    }
    for (long i = 0; i < sweep->rows; i++) {
      double share = ((double)order[i] + next_share(&seed)) / (double)sweep->rows;
      sweep->values[i * sweep->axis_count + k] = sampled_value(&sweep->axes[k], share);
    }
  }
  hn_release(NULL, order);
  return HN_OK;
}

static hn_status make_random(reader *r, double rows, unsigned long long seed) {
  hn_sweep *sweep = r->sweep;
  hn_status status = take_rows(r, rows);
  for (long i = 0; !status && i < sweep->rows * sweep->axis_count; i++)
    sweep->values[i] = sampled_value(&sweep->axes[i % sweep->axis_count], next_share(&seed));
  return status;
}

static hn_status make_table(reader *r, const hn_sweep_plan *plan) {
  hn_status status = take_rows(r, (double)plan->table_rows);
  if (!status)
    memcpy(r->sweep->values, plan->table,
           (size_t)r->sweep->rows * (size_t)r->sweep->axis_count * sizeof(double));
  return status;
}

static hn_status make_rows(reader *r, const hn_sweep_plan *plan) {
  const char *sample = plan->sample;
  double rows = 0;
  if (!sample || strcmp(sample, "grid") == 0) return make_grid(r);
  if (strcmp(sample, "table") == 0) return make_table(r, plan);
  const char *end = sample + strlen(sample), *at = sample;
  int is_hypercube = take_word(&at, end, "lhs:"), is_random = take_word(&at, end, "random:");
  if ((is_hypercube || is_random) && take_number(&at, end, &rows) && at == end && rows >= 1 &&
      floor(rows) >= rows)
    return is_hypercube ? make_hypercube(r, rows, plan->seed) : make_random(r, rows, plan->seed);
  return hn_fail(r->error, HN_ERROR_ARGUMENT, NULL, NULL, "Write grid, lhs:200 or random:200.",
                 "'%.60s' is not a valid sample", sample);
}

// ---- a whole one --------------------------------------------------------------------------------

static unsigned long long mix(unsigned long long hash, const void *data, size_t size) {
  const unsigned char *bytes = data;
  for (size_t k = 0; k < size; k++) hash = (hash ^ bytes[k]) * 1099511628211u; // FNV-1a
  return hash;
}

static unsigned long long mix_text(unsigned long long hash, const char *text) {
  return mix(hash, text ? text : "", text ? strlen(text) + 1 : 1);
}

// Whatever the call says about a run.
static unsigned long long mix_options(unsigned long long hash,
                                      const hn_simulation_options *options) {
  const hn_option_row *option;
  for (int k = 0; (option = hn_option_row_at(k)); k++) {
    if (!hn_option_is_said(option, options)) continue;
    hash = mix_text(hash, option->option.name);
    if (option->option.kind == HN_OPTION_WORD) {
      hash = mix_text(hash, hn_option_text(option, options));
    } else {
      const double number = hn_option_number(option, options);
      hash = mix(hash, &number, sizeof number);
    }
  }
  return hash;
}

static unsigned long long hash_of(const hn_sweep *sweep, const hn_model *model) {
  const double times[] = {sweep->job.time, sweep->job.output_step};
  unsigned long long first = hn_model_hash(model), hash = 14695981039346656037u;
  hash = mix(hash, &first, sizeof first);
  hash = mix(hash, sweep->values, (size_t)sweep->rows * (size_t)sweep->axis_count * sizeof(double));
  for (int k = 0; k < sweep->axis_count; k++)
    hash = mix_text(mix_text(hash, sweep->axes[k].name), sweep->axes[k].unit);
  for (int k = 0; k < sweep->column_count; k++) hash = mix_text(hash, sweep->columns[k].name);
  return mix(mix_options(hash, &sweep->job.simulation), times, sizeof times);
}

// The model of the first row that has one, so that errors of the call are reported at once. A row
// whose values make no valid model is a result; a missing parameter is an error.
static hn_status first_model(const hn_sweep *sweep, hn_model **model, hn_error *error) {
  hn_status status = hn_sweep_model(sweep, 0, model, error);
  hn_error other;
  for (long row = 1; status == HN_ERROR_MODEL && row < sweep->rows && row < TRIED; row++)
    if (hn_sweep_model(sweep, row, model, &other) == HN_OK) return HN_OK;
  return status;
}

hn_sweep_job hn_default_sweep_job(void) {
  hn_sweep_job job = {.load = hn_default_load_options(),
                      .simulation = hn_default_simulation_options()};
  job.simulation.tol = 0;
  job.simulation.coordinates = "auto";
  return job;
}

hn_status hn_sweep_create(const hn_sweep_plan *plan, const hn_sweep_job *job, hn_sweep **result,
                          hn_error *error) {
  hn_sweep *sweep = hn_allocate(NULL, sizeof *sweep);
  *result = NULL;
  if (!sweep) return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory for a sweep");
  *sweep = (hn_sweep){.job = *job};
  hn_arena_init(&sweep->arena, NULL);
  reader r = {sweep, error};
  hn_model *model = NULL;
  hn_status status = read_axes(&r, plan, plan->sample && strcmp(plan->sample, "table") == 0);
  if (!status) status = make_rows(&r, plan);
  if (!status)
    status = hn_model_files_read(job->path, job->text, job->text_size, &sweep->job.load,
                                 &sweep->files, error);
  if (!status) status = first_model(sweep, &model, error);
  if (!status) status = hn_sweep_find_columns(sweep, model, error);
  if (!status) status = hn_sweep_check(sweep, model, error);
  if (!status) sweep->hash = hash_of(sweep, model);
  hn_model_free(model);
  if (status == HN_OK)
    *result = sweep;
  else
    hn_sweep_free(sweep);
  return status;
}

void hn_sweep_free(hn_sweep *sweep) {
  if (!sweep) return;
  hn_model_files_free(sweep->files);
  hn_arena_release(&sweep->arena);
  hn_release(NULL, sweep);
}

long hn_sweep_rows(const hn_sweep *sweep) { return sweep->rows; }
int hn_sweep_parameter_count(const hn_sweep *sweep) { return sweep->axis_count; }
const char *hn_sweep_parameter(const hn_sweep *sweep, int index) {
  return index >= 0 && index < sweep->axis_count ? sweep->axes[index].name : NULL;
}
double hn_sweep_value(const hn_sweep *sweep, long row, int parameter) {
  return sweep->values[row * sweep->axis_count + parameter];
}
int hn_sweep_column_count(const hn_sweep *sweep) { return sweep->column_count; }
const char *hn_sweep_column(const hn_sweep *sweep, int index) {
  return index >= 0 && index < sweep->column_count ? sweep->columns[index].name : NULL;
}
unsigned long long hn_sweep_hash(const hn_sweep *sweep) { return sweep->hash; }
