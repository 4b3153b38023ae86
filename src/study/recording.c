// Rows and frames in memory: which signals a run records, which of them a report shows, and how often
// a frame of the animation is taken.
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "holon/run.h"
#include "model/model.h"

// ---- signals ------------------------------------------------------------------------------------

enum { MOST_COORDINATES = 8 };

static int has_ending(const char *name, const char *ending) {
  size_t length = strlen(name), size = strlen(ending);
  return length >= size && strcmp(name + length - size, ending) == 0;
}

// Without outputs a report shows the first coordinates of joints, or positions of bodies.
static int pick_coordinates(const hn_simulation *simulation, const char **names) {
  int count = 0, all = hn_simulation_signal_count(simulation);
  for (int i = 0; i < all && count < MOST_COORDINATES; i++) {
    const char *name = hn_simulation_signal_name(simulation, i);
    if (strncmp(name, "joint.", 6) != 0) continue;
    if (has_ending(name, ".angle") || has_ending(name, ".displacement")) names[count++] = name;
  }
  for (int i = 0, only_bodies = count == 0; only_bodies && i < all && count < MOST_COORDINATES;
       i++) {
    const char *name = hn_simulation_signal_name(simulation, i);
    if (strncmp(name, "body.", 5) == 0 && strstr(name, ".position.") != NULL) names[count++] = name;
  }
  return count;
}

// Needs steps: the work is summed over them.
static int is_of_steps(const char *name) {
  return strcmp(name, "energy.work") == 0 || strcmp(name, "energy.balance") == 0;
}

// The same results without what steps make.
static hn_status leave_out_steps(hn_simulation *simulation, const char *asked, hn_results **results,
                                 hn_error *error) {
  int all = hn_results_signal_count(*results), left = 0;
  const char **names = hn_allocate(NULL, ((size_t)all + 1) * sizeof *names);
  if (!names) return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  for (int i = 0; i < all; i++) {
    const char *name = hn_results_signal_name(*results, i);
    if (!is_of_steps(name)) names[left++] = name;
  }
  hn_status status = HN_OK;
  if (left == 0) {
    status = hn_fail(error, HN_ERROR_ARGUMENT, NULL, NULL, "Use `holon run`.",
                     "kinematics has no signal '%s': nothing is integrated", asked);
  } else if (left < all) {
    hn_results *fewer = NULL;
    status = hn_results_create(simulation, names, left, &fewer, error);
    if (status == HN_OK) hn_results_free(*results);
    if (status == HN_OK) *results = fewer;
  }
  hn_release(NULL, (void *)names);
  return status;
}

static hn_status create_results(hn_simulation *simulation, const char *const *globs, int count,
                                int is_kinematics, hn_results **results, hn_error *error) {
  hn_status status = hn_results_create(simulation, globs, count, results, error);
  if (status != HN_OK || !is_kinematics) return status;
  return leave_out_steps(simulation, count > 0 ? globs[0] : "*", results, error);
}

static hn_status create_shown(hn_simulation *simulation, int is_kinematics, hn_results **results,
                              hn_error *error) {
  static const char *const always[] = {"energy.*", "constraint.*", "step.*"};
  enum { ALWAYS = (int)(sizeof always / sizeof always[0]) };
  const hn_model *model = hn_simulation_model(simulation);
  int count = hn_model_output_count(model);
  const char **globs =
      hn_allocate(NULL, ((size_t)count + MOST_COORDINATES + ALWAYS) * sizeof *globs);
  if (!globs) return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  for (int i = 0; i < count; i++) globs[i] = hn_model_output_name(model, i);
  if (count == 0) count = pick_coordinates(simulation, globs);
  memcpy(globs + count, always, sizeof always);
  hn_status status =
      create_results(simulation, globs, count + ALWAYS, is_kinematics, results, error);
  hn_release(NULL, (void *)globs);
  return status;
}

// Outputs are what the model is asked about: they are kept whatever else is chosen.
static hn_status create_all(hn_simulation *simulation, const hn_run_plan *plan, int is_kinematics,
                            hn_results **results, hn_error *error) {
  const hn_model *model = hn_simulation_model(simulation);
  int outputs = plan->signal_count > 0 ? hn_model_output_count(model) : 0;
  size_t room = (size_t)(plan->signal_count + outputs) + 1;
  const char **globs = hn_allocate(NULL, room * sizeof *globs);
  if (!globs) return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  for (int i = 0; i < plan->signal_count; i++) globs[i] = plan->signals[i];
  for (int i = 0; i < outputs; i++) globs[plan->signal_count + i] = hn_model_output_name(model, i);
  hn_status status = create_results(simulation, globs, plan->signal_count + outputs, is_kinematics,
                                    results, error);
  hn_release(NULL, (void *)globs);
  return status;
}

// ---- animation ----------------------------------------------------------------------------------

// As many frames as an animation of a large model may have: 64 MB of them, but no fewer than 60.
// Each frame asks for a state with its reactions, which takes longer than it can be worth.
static double most_frames(const hn_model *model) {
  enum { MEGABYTES = 64, LEAST = 60 };
  double numbers = 1 + 7.0 * hn_model_body_count(model) + 3.0 * hn_model_joint_count(model) +
                   hn_model_force_count(model);
  return fmax(LEAST, floor(MEGABYTES * 1e6 / (sizeof(float) * numbers)));
}

// About 60 frames a second and at least 300, at recorded rows or evenly between them: then an
// animation costs almost nothing. Fewer for a large model.
static double frame_rate(const hn_grid *grid, double most) {
  enum { USUAL = 60, LEAST = 299 };
  double rows = fmax((double)(grid->count - 1), 1);
  double each = fmin(round(1 / (USUAL * grid->step)), floor(rows / LEAST)); // every so many rows
  double between = fmax(round(USUAL * grid->step), ceil(LEAST / rows));
  if (each < 1 && rows * between + 1 <= most) return between / grid->step;
  if (each < 1 && rows + 1 <= most) return floor((most - 1) / rows) / grid->step;
  each = fmax(fmax(each, 1), ceil(rows / (most - 1)));
  return 1 / (each * grid->step);
}

static hn_status create_scene(hn_simulation *simulation, const hn_run_plan *plan, int is_kinematics,
                              hn_scene **scene, hn_error *error) {
  hn_grid grid;
  if (plan->without_scene) return HN_OK;
  hn_status status = hn_run_grid(simulation, plan, &grid, error);
  if (status != HN_OK) return status;
  double rate = is_kinematics ? 1 / grid.step
                              : frame_rate(&grid, most_frames(hn_simulation_model(simulation)));
  return hn_scene_create(simulation, grid.end, rate, scene, error);
}

// ---- recording ----------------------------------------------------------------------------------

hn_status hn_recording_create(hn_simulation *simulation, const hn_run_plan *plan, int is_kinematics,
                              hn_recording *recording, hn_error *error) {
  *recording = (hn_recording){0};
  hn_status status = create_all(simulation, plan, is_kinematics, &recording->all, error);
  if (status == HN_OK) status = create_shown(simulation, is_kinematics, &recording->shown, error);
  if (status == HN_OK)
    status = create_scene(simulation, plan, is_kinematics, &recording->scene, error);
  if (status != HN_OK) hn_recording_free(recording);
  return status;
}

void hn_recording_free(hn_recording *recording) {
  hn_scene_free(recording->scene);
  hn_results_free(recording->all);
  hn_results_free(recording->shown);
  *recording = (hn_recording){0};
}

static hn_status record_row(void *context, hn_simulation *simulation, hn_error *error) {
  hn_recording *recording = context;
  hn_status status = hn_results_record(recording->all, simulation);
  if (status == HN_OK) status = hn_results_record(recording->shown, simulation);
  if (status == HN_OK) return HN_OK;
  return hn_fail(error, status, NULL, NULL, "Record less: @signals GLOB, or a larger @output_step.",
                 "a sample of the results cannot be stored: %s", hn_status_text(status));
}

static hn_status record_frame(void *context, hn_simulation *simulation, hn_error *error) {
  hn_recording *recording = context;
  hn_status status = hn_scene_record(recording->scene, simulation);
  if (status == HN_OK) return HN_OK;
  return hn_fail(error, status, NULL, NULL, "Use @no_scene.",
                 "a frame of the animation cannot be stored: %s", hn_status_text(status));
}

static double next_frame(void *context) {
  const hn_recording *recording = context;
  return recording->scene ? hn_scene_next(recording->scene) : HUGE_VAL;
}

hn_run_sink hn_recording_sink(hn_recording *recording) {
  return (hn_run_sink){.row = record_row,
                       .frame = recording->scene ? record_frame : NULL,
                       .next_frame = next_frame,
                       .context = recording};
}
