// What a run leaves behind: files in its folder, and a summary or JSON on the standard output.
#include "keep.h"
#include "realtime.h"
#include "report.h"
#include "session.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Of a run that lost a process: so many signals take longer to export than there is time.
enum { MANY_SIGNALS = 20000 };

// ---- files --------------------------------------------------------------------------------------

typedef struct results_kind {
  const char *word, *name; // --format, and what the file is called
  hn_results_format format;
} results_kind;

static const results_kind *results_file(const char *word) {
  static const results_kind kinds[] = {{"hdf5", "results.h5", HN_RESULTS_HDF5},
                                       {"csv", "results.csv", HN_RESULTS_CSV},
                                       {"npz", "results.npz", HN_RESULTS_NPZ},
                                       {"store", "results.store", HN_RESULTS_HDF5}}; // its own
  for (int i = 0; word != NULL && i < 4; i++)
    if (strcmp(word, kinds[i].word) == 0) return &kinds[i];
  return &kinds[hn_results_format_is_built(HN_RESULTS_HDF5) ? 0 : 2];
}

static int is_store(const hn_cli_session *session) {
  const char *format = session->settings->format;
  return format != NULL && strcmp(format, "store") == 0;
}

static hn_status write_results(const hn_cli_session *session, const hn_results *results,
                               const char *folder, hn_error *error) {
  const hn_cli_settings *settings = session->settings;
  const results_kind *kind = results_file(settings->format);
  char *path = hn_cli_join(folder, kind->name);
  hn_status status = hn_results_write(results, path, kind->format, !settings->no_units, error);
  free(path);
  return status;
}

// A store of rows that were kept in memory.
static hn_status write_store(const hn_recording *kept, const hn_cli_outcome *outcome,
                             const char *folder, hn_error *error) {
  char *path = hn_cli_join(folder, "results.store");
  hn_store *store = NULL;
  const hn_scene *scene = kept->scene;
  hn_status status = hn_store_create(path, kept->all, kept->shown, &store, error);
  if (status == HN_OK)
    status =
        hn_store_write(store, HN_STORE_ROWS, kept->all, 0, hn_results_row_count(kept->all), error);
  if (status == HN_OK)
    status = hn_store_write(store, HN_STORE_SHOWN, kept->shown, 0,
                            hn_results_row_count(kept->shown), error);
  if (status == HN_OK && scene != NULL)
    status = hn_store_write_frames(store, scene->motion, scene->frames, scene->stride, error);
  if (status == HN_OK && outcome->status == HN_OK) status = hn_store_write_end(store, error);
  if (status == HN_OK) status = hn_store_sync(store, error);
  hn_error last = {0};
  hn_status closed = hn_store_close(store, &last);
  if (status == HN_OK && closed != HN_OK) *error = last;
  free(path);
  return status == HN_OK ? closed : status;
}

// The export has to have every row of the run, before the store may go.
static hn_status check_export(const hn_store_state *state, long rows, const hn_cli_outcome *outcome,
                              const char *store, hn_error *error) {
  if (state->cut == 0 && state->rows == rows && (state->is_done || outcome->status != HN_OK))
    return HN_OK;
  return hn_cli_fail(error, HN_ERROR_FILE, NULL,
                     "only %ld of %ld rows can be read from '%s', which is damaged behind them",
                     state->rows, rows, store);
}

// The rows are in the store, whatever becomes of their export.
static hn_status export_rows(const hn_cli_session *session, const hn_cli_recording *recording,
                             const hn_cli_outcome *outcome, const char *folder, hn_error *error) {
  const hn_cli_settings *settings = session->settings;
  const results_kind *kind = results_file(settings->format);
  if (is_store(session)) return HN_OK;
  char *store = hn_cli_join(folder, "results.store"), *path = hn_cli_join(folder, kind->name);
  hn_store_state state;
  hn_status status = hn_store_export(store, path, kind->format, !settings->no_units, &state, error);
  if (status == HN_OK) {
    status = check_export(&state, hn_cli_keep_rows(recording), outcome, store, error);
    if (status != HN_OK) remove(path); // not under the name of whole results
  }
  if (status != HN_OK)
    snprintf(error->hint, sizeof error->hint,
             "The rows are in %.200s. Free some space, then: holon export %.150s --results FILE",
             store, folder);
  free(store);
  free(path);
  return status;
}

static hn_status write_text(const char *folder, const char *name, const hn_cli_text *text,
                            hn_error *error) {
  char *path = hn_cli_join(folder, name);
  hn_status status = hn_cli_write_file(path, text->data, text->length, error);
  free(path);
  return status;
}

char *hn_cli_certificate(const hn_cli_session *session) {
  size_t needed = 0, size = 0;
  hn_status status = hn_certificate_json(session->simulation, NULL, 0, &needed);
  char *text = NULL;
  // warnings that were told in between make it longer
  for (int k = 0; k < 3 && (status == HN_OK || status == HN_ERROR_LIMIT) && size < needed; k++) {
    free(text);
    size = needed;
    text = hn_cli_allocate(size, 1);
    status = hn_certificate_json(session->simulation, text, size, &needed);
  }
  if (status != HN_OK) hn_cli_out_of_memory();
  return text;
}

static hn_status write_certificate(hn_cli_session *session, const char *folder) {
  char *certificate = hn_cli_certificate(session);
  hn_cli_text indented = {0};
  hn_string_indented(&indented, certificate);
  hn_cli_add(&indented, "\n");
  hn_status status = write_text(folder, "certificate.json", &indented, &session->error);
  hn_string_free(&indented);
  free(certificate);
  return status;
}

// All results, or when these do not fit on the disk, at least those that the report shows.
static hn_status write_results_that_fit(const hn_cli_session *session,
                                        const hn_cli_recording *recording,
                                        const hn_cli_outcome *outcome, const char *folder,
                                        hn_error *error) {
  const int is_lost = recording->keep != NULL; // all that is left of them
  hn_error ignored = {0};
  hn_status status = HN_ERROR_FILE;
  if (is_lost)
    hn_cli_fail(error, status, NULL, "the rows of results are not all there");
  else if (is_store(session))
    status = write_store(&recording->kept, outcome, folder, error);
  else
    status = write_results(session, recording->kept.all, folder, error);
  if (is_store(session)) return status; // what it has is worth more
  if (status != HN_OK && write_results(session, recording->kept.shown, folder, &ignored) == HN_OK) {
    snprintf(error->hint, sizeof error->hint, "%s",
             "Only outputs, energy, constraints and steps were written. Free some space, write "
             "elsewhere with -o, or record less with --signals.");
  }
  return status;
}

static hn_status write_report(const hn_cli_session *session, const hn_cli_recording *recording,
                              const hn_cli_outcome *outcome, const hn_error *why,
                              const hn_cli_folder *film, const char *folder, hn_error *error) {
  hn_cli_text page = {0};
  hn_cli_add_report(&page, session, recording->kept.shown, outcome, why, film);
  hn_status status = write_text(folder, "report.html", &page, error);
  hn_string_free(&page);
  return status;
}

static const char *scene_status(const hn_cli_outcome *outcome) {
  if (outcome->status == HN_OK) return "ok";
  return outcome->status == HN_ERROR_INTERRUPTED ? "interrupted" : "failed";
}

// Numbers of 32 bits, little endian on every machine.
static void add_motion(hn_cli_folder *film, const hn_scene *scene) {
  size_t count = (size_t)scene->frames * (size_t)scene->stride;
  film->motion = hn_cli_allocate(count + 1, 4);
  film->motion_size = 4 * count;
  for (size_t k = 0; k < count; k++) {
    unsigned bits;
    memcpy(&bits, &scene->motion[k], sizeof bits);
    for (int b = 0; b < 4; b++) film->motion[4 * k + (size_t)b] = (char)(bits >> (8 * b) & 0xff);
  }
}

// Scene and motion as they are written. The scene itself stays the recording's.
static hn_status make_film(const hn_cli_recording *recording, const hn_cli_outcome *outcome,
                           const hn_error *why, hn_cli_folder *film, hn_error *error) {
  hn_scene *scene = recording->kept.scene;
  hn_cli_text reason = {0};
  hn_cli_add(&reason, "%s%s%s", why->element, why->element[0] != '\0' ? " " : "", why->message);
  hn_status status =
      hn_scene_finish(scene, scene_status(outcome), outcome->status == HN_OK ? "" : reason.data);
  hn_string_free(&reason);
  if (status != HN_OK) {
    return hn_cli_fail(error, status, "Use --no-scene.", "no memory for a scene");
  }
  size_t needed = 0;
  hn_scene_json(scene, NULL, 0, &needed);
  film->scene = scene;
  film->scene_text = hn_cli_allocate(needed, 1);
  film->scene_size = needed - 1;
  hn_scene_json(scene, film->scene_text, needed, &needed);
  add_motion(film, scene);
  return HN_OK;
}

// The same with fewer frames, for a report that stays small enough to be sent. The last one is kept.
static void thin_film(const hn_cli_folder *film, hn_cli_folder *thin, hn_scene *scene) {
  enum { most_bytes = 1 << 20 };
  size_t stride = (size_t)film->scene->stride, frames = (size_t)film->scene->frames;
  size_t each = 1 + film->motion_size / most_bytes, count = 0;
  float *motion = hn_cli_allocate((frames / each + 2) * stride, sizeof *motion);
  for (size_t k = 0; k < frames;
       k += k + each < frames || k + 1 == frames ? each : frames - 1 - k) {
    memcpy(motion + count++ * stride, film->scene->motion + k * stride, stride * sizeof *motion);
  }
  *scene = *film->scene;
  scene->motion = motion;
  scene->frames = (int)count;
  scene->rate /= (double)each;
  size_t needed = 0;
  hn_scene_json(scene, NULL, 0, &needed);
  *thin = (hn_cli_folder){
      .scene = scene, .scene_text = hn_cli_allocate(needed, 1), .scene_size = needed - 1};
  hn_scene_json(scene, thin->scene_text, needed, &needed);
  add_motion(thin, scene);
  free(motion);
  scene->motion = film->scene->motion; // its first frame is the picture
}

static hn_status write_film(const hn_cli_folder *film, const char *folder, hn_error *error) {
  const hn_cli_text motion = {.data = film->motion, .length = film->motion_size};
  const hn_cli_text scene = {.data = film->scene_text, .length = film->scene_size};
  hn_status status = write_text(folder, "motion.bin", &motion, error);
  return status == HN_OK ? write_text(folder, "scene.json", &scene, error) : status;
}

static void keep_first(hn_status *status, hn_status next, hn_cli_session *session,
                       const hn_error *error) {
  if (*status != HN_OK || next == HN_OK) return;
  *status = next;
  session->error = *error;
}

// A file of an earlier run that this one does not write would be taken for its own.
static void remove_earlier(const char *folder, const char *name) {
  char *path = hn_cli_join(folder, name);
  remove(path);
  free(path);
}

// Of a run that lost a process this one is ended a second later too: what is not written by then
// is lost. The rows are on the disk already (results.store), so they come last, and many signals,
// which take long to write, stay there.
static hn_status write_rows(const hn_cli_session *session, hn_cli_recording *recording,
                            const hn_cli_outcome *outcome, const char *folder, hn_error *error) {
  if (recording->keep == NULL || hn_cli_keep_is_lost(recording))
    return write_results_that_fit(session, recording, outcome, folder, error);
  if (session->settings->ranks != NULL && outcome->status == HN_ERROR_INTERRUPTED &&
      hn_results_signal_count(recording->kept.all) > MANY_SIGNALS)
    return HN_OK;
  return export_rows(session, recording, outcome, folder, error);
}

// Every file is tried; the first failure is told. What is small and matters comes first: when the
// disk is nearly full, the certificate still fits.
hn_status hn_cli_write_outcome(hn_cli_session *session, hn_cli_recording *recording,
                               const hn_cli_outcome *outcome, const char *folder) {
  hn_error why = session->error; // the run ended early, if it did
  hn_status status = hn_cli_make_folders(folder, &session->error);
  if (status != HN_OK) return status;
  if (outcome->is_kinematics)
    remove_earlier(folder, "certificate.json");
  else
    status = write_certificate(session, folder);
  hn_error error = {0};
  int is_last = session->settings->ranks != NULL && outcome->status == HN_ERROR_INTERRUPTED;
  if (!is_last)
    keep_first(&status, write_rows(session, recording, outcome, folder, &error), session, &error);
  hn_cli_folder film = {0};
  if (recording->kept.scene != NULL) {
    keep_first(&status, make_film(recording, outcome, &why, &film, &error), session, &error);
  }
  int has_film = film.scene_text != NULL;
  if (has_film) {
    keep_first(&status, write_film(&film, folder, &error), session, &error);
  } else {
    remove_earlier(folder, "scene.json");
    remove_earlier(folder, "motion.bin");
  }
  hn_cli_folder thin = {0};
  hn_scene scene;
  if (has_film) thin_film(&film, &thin, &scene);
  hn_status last =
      write_report(session, recording, outcome, &why, has_film ? &thin : NULL, folder, &error);
  keep_first(&status, last, session, &error);
  if (is_last)
    keep_first(&status, write_rows(session, recording, outcome, folder, &error), session, &error);
  free(film.scene_text);
  free(film.motion);
  free(thin.scene_text);
  free(thin.motion);
  return status;
}

// out/<name>, with what would be a folder or a blank in the name replaced.
static char *default_folder(const hn_cli_session *session) {
  hn_cli_text path = {0};
  hn_cli_add(&path, "out/");
  hn_cli_add_file_name(&path, session->name);
  return path.data;
}

char *hn_cli_run_folder(const hn_cli_session *session) {
  const char *folder = session->settings->folder;
  return folder != NULL ? hn_cli_copy(folder) : default_folder(session);
}

// The state is that of the last accepted step, so an interrupted run can go on too.
static hn_status save_state(hn_cli_session *session) {
  const char *path = session->settings->save_state;
  if (path == NULL) return HN_OK;
  size_t size = hn_simulation_save_size(session->simulation);
  char *buffer = hn_cli_allocate(size, 1);
  hn_status status = hn_simulation_save(session->simulation, buffer, size);
  if (status == HN_OK) {
    status = hn_cli_write_file(path, buffer, size, &session->error);
  } else {
    hn_cli_fail(&session->error, status, NULL, "the state cannot be kept: %s",
                hn_status_text(status));
  }
  free(buffer);
  return status;
}

// ---- words --------------------------------------------------------------------------------------

static void add_duration(hn_cli_text *text, double seconds) {
  if (seconds < 1e-6) {
    hn_cli_add(text, "%.2g s", seconds);
  } else if (seconds < 0.9995e-3) {
    hn_cli_add(text, "%.3g us", 1e6 * seconds);
  } else if (seconds < 0.9995) {
    hn_cli_add(text, "%.3g ms", 1e3 * seconds);
  } else {
    hn_cli_add(text, "%.3g s", seconds);
  }
}

static void add_machine(hn_cli_text *text, const hn_cli_session *session) {
  int bodies = hn_model_body_count(session->model), joints = hn_model_joint_count(session->model);
  hn_cli_add(text, "%d %s, %d %s", bodies, bodies == 1 ? "body" : "bodies", joints,
             joints == 1 ? "joint" : "joints");
  if (!session->has_mobility) return;
  int freedom = session->mobility.degrees_of_freedom;
  int redundant = session->mobility.rows - session->mobility.rank;
  hn_cli_add(text, ", %d %s of freedom", freedom, freedom == 1 ? "degree" : "degrees");
  if (session->mobility.nonholonomic > 0)
    hn_cli_add(text, " of position, %d of speed", freedom - session->mobility.nonholonomic);
  if (redundant > 0)
    hn_cli_add(text, ", %d redundant constraint%s", redundant, redundant == 1 ? "" : "s");
}

// The estimated error of the final value; 0: not estimated.
static double bar_of(const hn_accuracy *accuracy, const char *name) {
  for (int k = 0; accuracy != NULL && accuracy->is_estimated && k < accuracy->signal_count; k++)
    if (strcmp(accuracy->signals[k].name, name) == 0) return accuracy->signals[k].last;
  return 0;
}

// "0.56290 +- 0.00003": one digit of the bar, and the value to the same place.
static void add_with_bar(hn_cli_text *text, double value, double bar) {
  if (fabs(value) < 0.5 * bar) value = fabs(value); // no "-0"
  int place = bar > 0 && isfinite(bar) ? (int)floor(log10(bar)) : 0;
  double unit = pow(10, place), digit = ceil(bar / unit);
  if (!(bar > 0) || !isfinite(bar) || fabs(value) / unit > 1e12 || place > 4) {
    hn_cli_add(text, bar > 0 ? "%.6g +- %.1g" : "%.6g", value, bar);
  } else if (fabs(value) < 1e-4 && bar < 1e-4) {
    hn_cli_add(text, "%.*e +- %.0e",
               place < 0 && fabs(value) > bar ? (int)floor(log10(fabs(value))) - place : 0, value,
               digit * unit);
  } else {
    int decimals = place < 0 ? -place : 0;
    hn_cli_add(text, "%.*f +- %.*f", decimals, value, decimals, digit * unit);
  }
}

static void add_outputs(hn_cli_text *text, const hn_cli_session *session) {
  enum { most = 4 };
  const hn_accuracy *accuracy = hn_simulation_accuracy(session->simulation);
  int count = hn_model_output_count(session->model);
  if (count == 0) hn_cli_add(text, "none in the model");
  for (int i = 0; i < count && i < most; i++) {
    const char *name = hn_model_output_name(session->model, i);
    double value = 0;
    hn_simulation_value(session->simulation, name, &value);
    int index = hn_simulation_find_signal(session->simulation, name);
    const char *unit = index >= 0 ? hn_simulation_signal_unit(session->simulation, index) : "";
    hn_cli_add(text, "%s%s = ", i > 0 ? ", " : "", name);
    add_with_bar(text, value, bar_of(accuracy, name));
    hn_cli_add(text, "%s%s", unit != NULL && unit[0] != '\0' ? " " : "", unit != NULL ? unit : "");
  }
  if (count > most) hn_cli_add(text, ", %d more", count - most);
}

static void add_tolerance(hn_cli_text *text, const hn_cli_session *session) {
  const hn_simulation_options *o = hn_simulation_options_used(session->simulation);
  if (o->step > 0) {
    hn_cli_add(text, "fixed step ");
    add_duration(text, o->step);
    return;
  }
  hn_cli_add(text, "tolerance %g", o->atol);
  if (o->rtol > o->atol || o->rtol < o->atol) hn_cli_add(text, " absolute, %g relative", o->rtol);
}

static void add_speed(hn_cli_text *text, double speed) {
  hn_cli_add(text, speed < 100 ? " (%.2g x real time)" : " (%.0f x real time)", speed);
}

// The speed is that of the certificate: simulated time over computing time of the steps.
static void add_first_line(hn_cli_text *text, const hn_cli_session *session,
                           const hn_cli_outcome *outcome) {
  if (outcome->is_kinematics) {
    hn_cli_add(text, "%s: %.6g s of motion in ", session->name, outcome->time);
    add_duration(text, outcome->wall_seconds);
  } else {
    double seconds = hn_simulation_certificate(session->simulation).cpu_seconds;
    hn_cli_add(text, "%s: %.6g s simulated", session->name, outcome->time - outcome->start);
    if (outcome->start > 0) hn_cli_add(text, " from %.6g s on, in all", outcome->start);
    hn_cli_add(text, " in ");
    add_duration(text, seconds);
    if (seconds > 0) add_speed(text, outcome->time / seconds);
  }
  if (outcome->status != HN_OK) hn_cli_add(text, ", stopped before %g s", outcome->end);
  hn_cli_add(text, "\n");
}

static void add_constraints(hn_cli_text *text, double position, double velocity,
                            double acceleration) {
  hn_cli_add(text, "  constraints  position %.2g, velocity %.2g, acceleration %.2g\n", position,
             velocity, acceleration);
}

static void add_steps(hn_cli_text *text, const hn_cli_session *session) {
  hn_certificate c = hn_simulation_certificate(session->simulation);
  hn_cli_add(text, "  solved by    %s, %s, %s, independent %s; ", c.coordinates, c.method,
             c.formula, c.independent);
  add_tolerance(text, session);
  // a change of method deserves a line of its own
  int is_plain = strstr(c.choice, "stiff:") == NULL || strstr(c.choice, "not stiff:") != NULL;
  if (is_plain && c.choice[0]) {
    const char *why = strchr(c.choice, ':'); // of the coordinates, when they were chosen too
    int is_method = strncmp(c.choice, "not stiff", 9) == 0;
    if (!is_method && why != NULL) hn_cli_add(text, "; %.*s", (int)strcspn(why + 2, ";"), why + 2);
    if (strstr(c.choice, "not stiff:") != NULL)
      hn_cli_add(text, "%s not stiff%s", is_method ? ";" : ",",
                 strstr(c.choice, "adams") != NULL ? ", adams where smooth" : "");
  }
  if (c.choice[0] && !is_plain) hn_cli_add(text, "\n  chosen       %s", c.choice);
  hn_cli_add(text, "\n  steps        %ld accepted, %ld rejected, ", c.steps_accepted,
             c.steps_rejected);
  add_duration(text, c.steps_between.smallest);
  hn_cli_add(text, " to ");
  add_duration(text, c.steps_between.largest);
  hn_cli_add(text, "; %ld event%s", c.events, c.events == 1 ? "" : "s");
  if (c.steps_past.substituted > 0)
    hn_cli_add(text, "; %ld by dopri5 past singular positions", c.steps_past.substituted);
  if (c.steps_past.coasted > 0)
    hn_cli_add(text, "; %ld along earlier accelerations over them", c.steps_past.coasted);
  hn_cli_add(text, "\n");
  add_constraints(text, c.constraint_position, c.constraint_velocity, c.constraint_acceleration);
  // in a machine at rest the relative error says nothing
  if (c.energy_relative > 0.05 &&
      hn_simulation_verdict(session->simulation, NULL).grade < HN_UNSOUND) {
    hn_cli_add(text, "  energy       balance within %.2g J; the machine is nearly at rest\n",
               c.energy_balance);
    return;
  }
  hn_cli_add(text, "  energy       balance within %.2g J, relative %.2g\n", c.energy_balance,
             c.energy_relative);
}

static void add_accuracy(hn_cli_text *text, const hn_cli_session *session) {
  const hn_accuracy *a = hn_simulation_accuracy(session->simulation);
  if (a == NULL || !a->is_estimated) {
    hn_cli_add(text, "  accuracy     not estimated: %s\n",
               a != NULL ? a->how : "there is no second run in real time");
    return;
  }
  hn_cli_add(text, "  accuracy     worst %.1e of 1 + largest value", a->worst);
  if (a->worst_signal[0] != '\0') hn_cli_add(text, " (%s)", a->worst_signal);
  hn_cli_add(text, "; %s\n", a->how);
}

// Eleven lines after a simulation; the last one is the path of the report.
static void print_summary(const hn_cli_session *session, const hn_cli_outcome *outcome,
                          const hn_results *rows, const char *folder) {
  hn_cli_text text = {0};
  add_first_line(&text, session, outcome);
  hn_cli_add(&text, "  machine      ");
  add_machine(&text, session);
  hn_cli_add(&text, "\n");
  if (outcome->is_kinematics) {
    hn_cli_add(&text,
               "  positions    at %ld times, from the drivers; no step was taken, so there is no "
               "certificate\n",
               outcome->times);
    add_constraints(&text, outcome->constraint[0], outcome->constraint[1], outcome->constraint[2]);
  } else {
    add_steps(&text, session);
    hn_cli_add_pace_lines(&text, session, outcome);
  }
  if (!outcome->is_kinematics) add_accuracy(&text, session);
  hn_verdict verdict = hn_cli_judge(session, outcome);
  hn_cli_add(&text, "  verdict      ");
  hn_cli_add_verdict_line(&text, &verdict);
  if (!outcome->is_kinematics && verdict.grade == HN_SOUND &&
      strcmp(hn_simulation_certificate(session->simulation).method, "multi-index") == 0)
    hn_cli_add(&text, "; energy controlled the steps, which does not bound position errors");
  int notes = hn_cli_count_warnings(session->model, session->simulation, 1);
  hn_cli_add(&text, "\n  warnings     %d",
             hn_cli_count_warnings(session->model, session->simulation, 0));
  if (notes > 0) hn_cli_add(&text, ", %d note%s", notes, notes == 1 ? "" : "s");
  hn_cli_add(&text, "\n  outputs      ");
  add_outputs(&text, session);
  hn_cli_add(&text, "\n");
  hn_cli_add_figures(&text, session->model, rows);
  char *report = hn_cli_join(folder, "report.html");
  hn_cli_add(&text, "  report       %s\n", report);
  fwrite(text.data, 1, text.length, stdout);
  free(report);
  hn_string_free(&text);
}

// ---- JSON ---------------------------------------------------------------------------------------

static void add_final(hn_cli_json *json, const hn_cli_session *session) {
  hn_json_open(json, "final", '{');
  for (int i = 0; i < hn_model_output_count(session->model); i++) {
    const char *name = hn_model_output_name(session->model, i);
    double value = 0;
    hn_simulation_value(session->simulation, name, &value);
    hn_json_number(json, name, value);
  }
  hn_json_close(json, '}');
}

static void add_proof(hn_cli_json *json, const hn_cli_session *session,
                      const hn_cli_outcome *outcome) {
  if (!outcome->is_kinematics) {
    char *certificate = hn_cli_certificate(session);
    hn_json_raw(json, "certificate", certificate);
    free(certificate);
    return;
  }
  hn_json_open(json, "constraint", '{');
  hn_json_number(json, "position", outcome->constraint[0]);
  hn_json_number(json, "velocity", outcome->constraint[1]);
  hn_json_number(json, "acceleration", outcome->constraint[2]);
  hn_json_close(json, '}');
}

static void print_json(const hn_cli_session *session, const hn_cli_outcome *outcome,
                       const hn_results *rows, hn_status status) {
  hn_cli_json json = {0};
  if (status == HN_OK) {
    hn_json_open(&json, NULL, '{');
    hn_certificate c = hn_simulation_certificate(session->simulation);
    hn_json_string(&json, "status", c.newton_unconverged_accepted > 0 ? "ok-bounded" : "ok");
    hn_json_number(&json, "time", outcome->time);
    add_final(&json, session);
    hn_cli_json_figures(&json, session->model, rows);
    if (session->realtime != NULL) hn_cli_json_pace(&json, outcome);
    add_proof(&json, session, outcome);
  } else {
    hn_cli_json_failure(&json, outcome->time, &session->error);
    if (outcome->status == HN_OK) add_proof(&json, session, outcome); // done, but not good enough
  }
  hn_json_close(&json, '}');
  hn_cli_json_print(&json);
}

// ---- both ---------------------------------------------------------------------------------------

static hn_status prepare_folder(hn_cli_session *session) {
  const hn_cli_settings *settings = session->settings;
  if (settings->json && settings->folder == NULL) return HN_OK;
  char *folder = hn_cli_run_folder(session);
  hn_status status = hn_cli_make_folders(folder, &session->error);
  if (status == HN_OK) status = hn_cli_check_writable(folder, &session->error);
  if (status == HN_OK) status = hn_cli_lock(folder, &session->error);
  char *results = hn_cli_join(folder, results_file(settings->format)->name);
  if (status == HN_OK) status = hn_cli_check_file(results, &session->error);
  free(results);
  free(folder);
  return status;
}

// Before the run, so that none is lost for a file that cannot be.
int hn_cli_prepare_files(hn_cli_session *session) {
  const hn_cli_settings *settings = session->settings;
  hn_status status = prepare_folder(session);
  if (status == HN_OK && settings->save_state != NULL)
    status = hn_cli_check_file(settings->save_state, &session->error);
  if (status == HN_OK) return -1;
  hn_cli_report_failure(settings->json, 0, &session->error);
  return status == HN_ERROR_LIMIT ? HN_CLI_FAILED : HN_CLI_WRONG;
}

// With --strict a run that cannot be trusted has failed.
static hn_status judge_strictly(hn_cli_session *session, const hn_cli_outcome *outcome) {
  if (!session->settings->strict) return HN_OK;
  for (int i = 0; i < hn_model_output_count(session->model); i++) {
    double ignored; // one that is no number is a warning once it is read
    hn_simulation_value(session->simulation, hn_model_output_name(session->model, i), &ignored);
  }
  hn_status status = hn_cli_judge_warnings(session); // those that came on the way
  if (status != HN_OK) return status;
  hn_verdict verdict = hn_cli_judge(session, outcome);
  if (verdict.grade != HN_UNSOUND) return HN_OK;
  char reason[512] = "";
  hn_verdict_reason(&verdict, 0, reason, sizeof reason);
  return hn_cli_fail(&session->error, HN_ERROR_LIMIT,
                     "Use a smaller --tol or --step; without --strict the exit code is 0.",
                     "the run is unsound: %s", reason);
}

// What an interrupted run says about going on.
static void print_kept_state(const hn_cli_session *session, const hn_cli_outcome *outcome) {
  const char *path = session->settings->save_state;
  if (path == NULL || outcome->status == HN_OK) return;
  fprintf(stderr, "The state at t = %.6g s is kept in %s; --from %s goes on from it.\n",
          outcome->time, path, path);
}

// When all is written: a run that was stopped, or whose disk was full, may go on later; others leave
// their results alone. Of several processes none can.
static void clear_up(const hn_cli_session *session, hn_cli_recording *recording,
                     const hn_cli_outcome *outcome) {
  int is_stopped = outcome->status == HN_ERROR_INTERRUPTED || outcome->status == HN_ERROR_FILE;
  int many = hn_results_signal_count(recording->kept.all) > MANY_SIGNALS;
  if (is_stopped && (session->settings->ranks == NULL || many)) return;
  hn_cli_keep_clear(recording, !is_store(session));
}

int hn_cli_finish(hn_cli_session *session, hn_cli_recording *recording,
                  const hn_cli_outcome *outcome) {
  const hn_cli_settings *settings = session->settings;
  hn_status status = outcome->status;
  if (status == HN_OK) status = judge_strictly(session, outcome);
  if (status != HN_OK && !settings->json) hn_cli_print_error(&session->error);
  hn_error first = session->error;
  char *folder = hn_cli_run_folder(session);
  hn_status written = HN_OK;
  int has_rows = recording->kept.all != NULL && hn_results_row_count(recording->kept.all) > 0 &&
                 (!settings->json || settings->folder != NULL);
  hn_error lost = {0}; // of the store
  if (recording->keep != NULL) {
    has_rows = hn_cli_keep_rows(recording) > 0;
    written = hn_cli_keep_end(session, recording, outcome);
    lost = session->error;
    session->error = first;
  }
  if (has_rows) {
    hn_status others = hn_cli_write_outcome(session, recording, outcome, folder);
    if (written != HN_OK && session->error.hint[0] != '\0')
      snprintf(lost.hint, sizeof lost.hint, "%s", session->error.hint);
    if (written != HN_OK)
      session->error = lost;
    else
      written = others;
    if (recording->keep != NULL && written == HN_OK) clear_up(session, recording, outcome);
  }
  hn_error results = session->error; // of what could not be written
  hn_status state = save_state(session);
  if (written != HN_OK) session->error = results;
  if (written == HN_OK) written = state;
  if (written != HN_OK && !settings->json) hn_cli_print_error(&session->error);
  if (state == HN_OK && !settings->json) print_kept_state(session, outcome);
  if (status != HN_OK) session->error = first;
  if (status == HN_OK) status = written;
  if (settings->json) {
    print_json(session, outcome, recording->kept.shown, status);
  } else if (!settings->quiet) {
    hn_cli_print_warnings(session->model, session->simulation, 5);
    if (has_rows) print_summary(session, outcome, recording->kept.shown, folder);
  }
  free(folder);
  return status == HN_OK ? HN_CLI_DONE : HN_CLI_FAILED;
}
